"""What `pip install "autodiff[lessons]"` brings is pure Python, or has wheels for every machine: musl, arm64
and the newest Python too. A new dependency is seen here before somebody's machine has to compile it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PLACES = {
    "x86-64": ["manylinux2014_x86_64", "manylinux_2_28_x86_64", "manylinux_2_34_x86_64"],
    "arm64": ["manylinux2014_aarch64", "manylinux_2_28_aarch64", "manylinux_2_34_aarch64"],
    "musl on x86-64": ["musllinux_1_1_x86_64", "musllinux_1_2_x86_64"],
    "musl on arm64": ["musllinux_1_1_aarch64", "musllinux_1_2_aarch64"],
    "macOS on arm64": ["macosx_11_0_arm64", "macosx_14_0_arm64"],
    "Windows": ["win_amd64"],
}
NEWEST = "3.14"

# Every dependency that is not pure Python, and the places for which it has no wheels.
BINARY: dict[str, set[str]] = {
    "argon2-cffi-bindings": set(), "cffi": set(), "charset-normalizer": set(), "contourpy": set(),
    "coverage": set(), "debugpy": set(), "fonttools": set(), "kiwisolver": set(), "markupsafe": set(),
    "matplotlib": {"musl on arm64"}, "numpy": set(), "pillow": set(), "psutil": set(), "pyyaml": set(),
    "pyzmq": set(), "rpds-py": set(), "scikit-learn": {"musl on x86-64", "musl on arm64"}, "scipy": set(),
    "tornado": set(), "wasmtime": set(), "wcwidth": set(),
}  # fmt: skip
ELSEWHERE = {"appnope", "pywin32", "pywinpty"}  # on macOS or Windows alone


def what_lessons_bring() -> set[str]:
    """The names of what the extra `lessons` needs on this machine, and of what that needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    waiting = [Requirement(line) for line in (*project["dependencies"], *extras["draw"], *extras["lessons"])]
    found: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        needed = waiting.pop()
        name = canonicalize_name(needed.name)
        key = name, frozenset(needed.extras)
        if (
            key in found
            or name == "autodiff"
            or (needed.marker and not needed.marker.evaluate({"extra": ""}))
        ):
            continue
        found.add(key)
        try:
            lines = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        for line in map(Requirement, lines):
            asked = ("", *needed.extras)
            if line.marker is None or any(line.marker.evaluate({"extra": extra}) for extra in asked):
                line.marker = None
                waiting.append(line)
    return {name for name, _ in found}


def tags(name: str) -> list[str]:
    """The tags of an installed distribution's wheel, such as `py3-none-any`; none if it came without one."""
    try:
        said = distribution(name).read_text("WHEEL") or ""
    except PackageNotFoundError:
        return []
    return [line.removeprefix("Tag: ") for line in said.splitlines() if line.startswith("Tag: ")]


def test_what_is_not_pure_python_is_known():
    brought = what_lessons_bring()
    assert {"numpy", "matplotlib", "wasmtime", "graphviz", "jupyterlab"} <= brought
    binary = {name for name in brought if any(not tag.endswith("-none-any") for tag in tags(name))}
    new = binary - BINARY.keys() - ELSEWHERE
    assert not new, f"{sorted(new)}: for which of {[*PLACES]} is there a wheel? Enter it in BINARY"
    assert len(binary) > 10


def test_the_table_names_nothing_else():
    if not all(tags(name) for name in ("jupyterlab", "scikit-learn", "matplotlib")):
        pytest.skip("the lessons' packages are not installed from wheels here")
    assert not BINARY.keys() - what_lessons_bring()


def has_wheels(place: str, *names: str) -> subprocess.CompletedProcess[str]:
    """Ask pip for wheels of these names for a place and the newest Python; it installs nothing."""
    line = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--ignore-installed", "--no-deps"]
    line += ["--only-binary=:all:", "--implementation=cp", f"--python-version={NEWEST}", "--target=nowhere"]
    line += [f"--platform={tag}" for tag in PLACES[place]]
    return subprocess.run([*line, *names], capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def index() -> None:
    if has_wheels("x86-64", "numpy").returncode:
        pytest.skip("no index of packages answers")


@pytest.mark.thorough
@pytest.mark.parametrize("place", PLACES)
def test_it_has_wheels_everywhere(place, index):
    names = sorted(name for name, lacks in BINARY.items() if place not in lacks)
    asked = has_wheels(place, *names)
    assert asked.returncode == 0, asked.stderr[-1000:]


@pytest.mark.thorough
def test_what_it_has_no_wheels_for_is_still_so(index):
    gaps = [(name, place) for name, lacks in BINARY.items() for place in sorted(lacks)]
    closed = [gap for gap in gaps if has_wheels(gap[1], gap[0]).returncode == 0]
    assert not closed, f"{closed}: there are wheels by now; take the place out of BINARY"
