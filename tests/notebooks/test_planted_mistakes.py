"""The tests of notebooks are tested: a small lesson, kept well, is spoiled in each way that must be noticed.

What shows in the stored file is asked of `faults`, without a kernel. What shows only when cells run is asked
of nbval, in a copy of the repository whose package has a mistake.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from notebooks import execute

ROOT = Path(__file__).resolve().parents[2]

BUILD = """\
from autodiff import Tensor
from autodiff.draw import draw

a = Tensor(2)
e = (a + 2) * (3 * a + 4)
e"""
DRAW = "draw(e)"
WALK = "e.backward()\nprint(a.grad)"
DRAW_AGAIN = "draw(e)  # with its gradients"
PRODUCT = "x, y = Tensor(5), Tensor(7)\n(x * y).backward()\nx.grad, y.grad"
PLOT = "from autodiff_course import plots\n\nplots.secants(lambda a: a * a, 2, (1, 0.5))"
FAIL = "Tensor('two')"


def lesson():
    """A lesson in small that has one of each: text, a number, a drawn graph, a plot, an error on purpose."""
    cells = [new_code_cell(source) for source in (BUILD, DRAW, WALK, DRAW_AGAIN, PRODUCT, PLOT)]
    cells.append(new_code_cell(FAIL, metadata={"tags": ["raises-exception"]}))
    return new_notebook(cells=[new_markdown_cell("# A lesson"), *cells])


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    return execute.execute(lesson(), tmp_path_factory.mktemp("lesson"))


@pytest.fixture
def nb(executed):
    return deepcopy(executed)


def cell(nb, source):
    return next(cell for cell in nb.cells if cell.source == source)


def html(nb, source):
    return cell(nb, source).outputs[0].data["text/html"]


def restamp(nb):
    """Make the stamps right again, so that a test sees the other fault alone."""
    for _, each in execute.code_cells(nb):
        each.metadata["stamp"] = execute.stamp(each)


# --- what shows in the stored file --------------------------------------------------------------------------


def test_an_executed_lesson_has_no_faults(nb):
    assert execute.faults(nb) == []
    assert cell(nb, BUILD).outputs[0].data["text/plain"] == "40"
    assert cell(nb, WALK).outputs[0].text == "22\n"
    assert [execute.is_drawing(output) for output in cell(nb, DRAW).outputs] == [True]
    assert [execute.is_drawing(output) for output in cell(nb, PLOT).outputs] == [False]


def test_it_stays_so_when_written_and_read_and_tidied(nb, tmp_path):
    nbformat.write(nb, tmp_path / "lesson.ipynb")
    assert execute.work_on(tmp_path / "lesson.ipynb", check=False, tidy=True) == []
    assert nbformat.read(tmp_path / "lesson.ipynb", as_version=4) == nb


def unexecuted(nb):
    for _, each in execute.code_cells(nb):
        each.outputs, each.execution_count = [], None


def cleared_output(nb):
    cell(nb, WALK).outputs = []


def edited_output(nb):
    cell(nb, WALK).outputs[0].text = "12\n"


def edited_source(nb):
    cell(nb, WALK).source = "e.backward()\nprint(a.grad * 2)"


def new_cell(nb):
    nb.cells.append(new_code_cell("1 + 1", id="0" * 8))


def removed_cell(nb):
    nb.cells.remove(cell(nb, DRAW))


def swapped_cells(nb):
    nb.cells[2], nb.cells[3] = nb.cells[3], nb.cells[2]


def missing_picture(nb):
    del cell(nb, DRAW).outputs[0].data["text/html"]
    restamp(nb)


def picture_of_another_graph(nb):
    cell(nb, DRAW_AGAIN).outputs[0].data["text/html"] = html(nb, DRAW)
    restamp(nb)


def picture_older_than_its_text(nb):
    data = cell(nb, DRAW_AGAIN).outputs[0].data
    data["text/plain"] = data["text/plain"].replace("22", "12")
    restamp(nb)


def picture_without_a_mark(nb):
    data = cell(nb, DRAW).outputs[0].data
    data["text/html"] = '<img src="data:image/svg+xml;base64,PHN2Zy8+">'
    restamp(nb)


def no_still_picture(nb):
    del cell(nb, DRAW).outputs[0].data["image/svg+xml"]
    restamp(nb)


def still_picture_of_another_graph(nb):
    still = cell(nb, DRAW).outputs[0].data["image/svg+xml"]
    cell(nb, DRAW_AGAIN).outputs[0].data["image/svg+xml"] = still
    restamp(nb)


def still_picture_without_a_mark(nb):
    data = cell(nb, DRAW).outputs[0].data
    data["image/svg+xml"] = re.sub("<desc>.*?</desc>", "", data["image/svg+xml"])
    restamp(nb)


def plot_of_something_else(nb):
    data = cell(nb, PLOT).outputs[0].data
    data["text/plain"] = data["text/plain"].replace("slope 5", "slope 6")
    restamp(nb)


def plot_without_words(nb):
    data = cell(nb, PLOT).outputs[0].data
    data["text/html"] = re.sub('alt="[^"]*"', 'alt=""', data["text/html"])
    restamp(nb)


def plot_without_helper(nb):
    cell(nb, PLOT).outputs = [
        new_output("display_data", {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"})
    ]
    restamp(nb)


def warning(nb):
    cell(nb, WALK).outputs.append(new_output("stream", name="stderr", text="RuntimeWarning: overflow"))
    restamp(nb)


def error_not_meant(nb):
    cell(nb, FAIL).metadata["tags"] = []


def printed(text):
    def plant(nb):
        cell(nb, WALK).outputs[0].text = text
        restamp(nb)

    return plant


def large_output(nb):
    cell(nb, WALK).outputs[0].text = "22\n" * 100_000
    restamp(nb)


def python_version(nb):
    nb.metadata.language_info["version"] = "3.11.7"


def own_kernel(nb):
    nb.metadata.kernelspec["name"] = "my-env"


def answer_shown(nb):
    cell(nb, WALK).metadata["jupyter"] = {"outputs_hidden": True}


def timings(nb):
    cell(nb, WALK).metadata["execution"] = {"iopub.execute_input": "2020-01-01T00:00:00Z"}


def random_id(nb):
    cell(nb, WALK)["id"] = "3f1c9a2e-5d7b-4c8e-9f00-1a2b3c4d5e6f"


def same_id(nb):
    cell(nb, WALK)["id"] = cell(nb, DRAW)["id"]


def misspelt_tag(nb):
    cell(nb, WALK).metadata["tags"] = ["nbval-ignore-ouput"]


@pytest.mark.parametrize(
    ("plant", "fault"),
    [
        (unexecuted, "it was not run"),
        (cleared_output, "changed since it was run"),
        (edited_output, "changed since it was run"),
        (edited_source, "changed since it was run"),
        (new_cell, "it was not run"),
        (removed_cell, "it was run as number 3, and stands as number 2"),
        (swapped_cells, "it was run as number 3, and stands as number 2"),
        (missing_picture, "the drawn graph has no picture"),
        (picture_of_another_graph, "the picture is stale"),
        (picture_older_than_its_text, "the picture is stale"),
        (picture_without_a_mark, "the picture is stale"),
        (no_still_picture, "a page that strips it needs image/svg+xml"),
        (still_picture_of_another_graph, "the picture is stale"),
        (still_picture_without_a_mark, "the picture is stale"),
        (plot_of_something_else, "the picture is stale"),
        (plot_without_words, "no words for readers who cannot see it (alt)"),
        (plot_without_helper, "an image/png has no words"),
        (warning, "written to stderr: 'RuntimeWarning: overflow'"),
        (error_not_meant, "it raised "),
        (printed("<Thing object at 0x7f3a5c0d1e80>\n"), "holds an address"),
        (printed("saved to /home/someone/lesson.svg\n"), "holds a path of one machine"),
        (printed(r"saved to C:\Users\someone\lesson.svg" + "\n"), "holds a path of one machine"),
        (printed("saved to /tmp/tmp12345/lesson.svg\n"), "holds a path of one machine"),
        (printed("Wall time: 12.3 ms\n"), "holds a timing"),
        (printed("1.2 µs ± 3 ns per loop\n"), "holds a timing"),
        (large_output, "the most is 256"),
        (python_version, "metadata is not normalised"),
        (own_kernel, "metadata is not normalised"),
        (answer_shown, "JupyterLab shows a line of its folded output"),
        (timings, "metadata that is not kept: execution"),
        (random_id, "which no normalising gave it"),
        (same_id, "two of its cells have the same id"),
        (misspelt_tag, "which nbval does not know"),
    ],
)
def test_planted_fault_is_found(nb, plant, fault):
    plant(nb)
    found = execute.faults(nb)
    assert any(fault in line for line in found), found


@pytest.mark.parametrize(
    "text", ["4/6/8\n", "y = x / 2\n", "https://example.org/home/x\n", "0x10\n", "3 s\n", "a: b\\n\n"]
)
def test_harmless_text_is_no_fault(nb, text):
    printed(text)(nb)
    assert execute.faults(nb) == []


def test_normalising_takes_away_what_editors_add(nb):
    for plant in (python_version, own_kernel, answer_shown, timings, random_id):
        plant(nb)
    assert execute.faults(execute.normalise(nb)) == []


def test_normalising_gives_equal_cells_different_ids():
    nb = execute.normalise(new_notebook(cells=[new_code_cell("draw(e)"), new_code_cell("draw(e)")]))
    first, second = nb.cells
    assert re.fullmatch(r"[0-9a-f]{8}", first.id)
    assert second.id == first.id + "-2"


def test_normalising_takes_the_checkout_out_of_tracebacks(nb):
    failure = cell(nb, FAIL).outputs[0]
    failure.traceback = [f"File {ROOT / 'autodiff' / 'engine' / 'tensor.py'}:33, in Tensor.__init__"]
    execute.normalise(nb)
    assert failure.traceback == [f"File {Path('autodiff/engine/tensor.py')}:33, in Tensor.__init__"]


def test_a_fresh_run_that_says_something_else_is_named(nb, executed):
    assert execute.stale(nb, executed) == []
    edited_output(nb)
    assert execute.stale(nb, executed) == ["cell 4 (e.backward())"]


def test_names_pick_notebooks(tmp_path):
    (tmp_path / "solutions").mkdir()
    for name in ("01_one", "02_two", "solutions/01_one"):
        nbformat.write(new_notebook(), tmp_path / f"{name}.ipynb")

    def picked(*names):
        found = execute.notebooks(list(names), tmp_path)
        return [path.relative_to(tmp_path).with_suffix("").as_posix() for path in found]

    assert picked() == ["01_one", "02_two", "solutions/01_one"]
    assert picked("01") == ["01_one"]
    assert picked("solutions", "02") == ["solutions/01_one", "02_two"]
    with pytest.raises(
        FileNotFoundError, match="no notebook begins with '7'; the notebooks are: 01_one, 02_two"
    ):
        picked("7")


# --- what shows only when cells run -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def repository(tmp_path_factory, executed):
    """A copy of the repository whose only notebook is the small lesson."""
    place = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "autodiff", place / "autodiff", ignore=shutil.ignore_patterns("__pycache__"))
    (place / "notebooks").mkdir()
    for name in ("conftest.py", "pyproject.toml", "notebooks/execute.py"):
        shutil.copy(ROOT / name, place / name)
    nbformat.write(executed, place / "notebooks" / "01_lesson.ipynb")
    return place


def run(repository, *arguments):
    # Without byte code, a file that is changed and restored within a second is read anew each time.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command,
        cwd=repository,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=180,
    )


def failed_cells(repository):
    """Run nbval over the copy, by the repository's settings; returns the numbers of the cells that failed."""
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--color=no"]
    done = run(repository, "-m", "pytest", *options, "notebooks/01_lesson.ipynb")
    assert done.returncode in (0, 1), done.stdout + done.stderr
    failed = [int(n) for n in re.findall(r"^FAILED .*::Cell (\d+)", done.stdout, flags=re.MULTILINE)]
    assert bool(failed) == bool(done.returncode), done.stdout
    return failed


@pytest.fixture
def replace(repository):
    """A function that replaces text in a file of the copy; the file is restored afterwards."""
    saved = {}

    def replace(name, pattern, by):
        path = repository / name
        text = saved.setdefault(path, path.read_text(encoding="utf-8"))
        changed, count = re.subn(pattern, by, text)
        assert count, f"{name} no longer holds {pattern}: plant the mistake another way"
        path.write_text(changed, encoding="utf-8")

    yield replace
    for path, text in saved.items():
        path.write_text(text, encoding="utf-8")


def test_nbval_passes_a_right_lesson(repository):
    assert failed_cells(repository) == []


@pytest.mark.thorough
def test_nbval_finds_gradients_overwritten(repository, replace):
    replace("autodiff/engine/shortcuts.py", r"(arrived\[\w\]) = \1 \+ (\w+) if .*", r"\1 = \2")
    assert failed_cells(repository) == [2, 3]  # the walk, and the graph drawn after it


@pytest.mark.thorough
def test_nbval_finds_the_product_rule_swapped(repository, replace):
    replace("autodiff/__init__.py", r"\Z", "\nmul.rules = mul.rules[::-1]\n")
    assert 4 in failed_cells(repository)  # (x * y).backward()


@pytest.mark.thorough
def test_nbval_finds_text_that_was_edited(repository, replace):
    replace("notebooks/01_lesson.ipynb", r'"22\\n"', r'"12\\n"')
    assert failed_cells(repository) == [2]


@pytest.mark.thorough
def test_the_script_names_what_is_stale(repository, replace):
    replace("autodiff/__init__.py", r"\Z", "\nmul.rules = mul.rules[::-1]\n")
    before = (repository / "notebooks" / "01_lesson.ipynb").read_bytes()
    done = run(repository, "notebooks/execute.py", "--check")
    assert done.returncode == 1
    assert "01_lesson.ipynb: not kept well" in done.stdout
    assert "cell 6 (x, y = Tensor(5), Tensor(7)): a fresh run gives another text" in done.stdout
    assert (repository / "notebooks" / "01_lesson.ipynb").read_bytes() == before


@pytest.mark.thorough
def test_the_script_writes_nothing_when_a_cell_fails(repository, replace):
    replace("notebooks/01_lesson.ipynb", r"print\(a\.grad\)", "print(a.gard)")
    before = (repository / "notebooks" / "01_lesson.ipynb").read_bytes()
    done = run(repository, "notebooks/execute.py", "01")
    assert done.returncode == 1
    assert "nothing was written" in done.stdout
    assert "has no attribute 'gard'" in done.stdout
    assert (repository / "notebooks" / "01_lesson.ipynb").read_bytes() == before
