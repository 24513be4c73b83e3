"""Both houses have floors: imports run downward, never in a circle."""

from __future__ import annotations

import ast
import importlib
from graphlib import TopologicalSorter
from pathlib import Path
from types import ModuleType

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "autodiff"
COURSE = PACKAGE.with_name("autodiff_course")
FLOORS = (
    ("engine",),
    ("ops",),
    ("numpy_protocol", "helpers"),
    ("calculus", "draw", "nn", "optim", "data"),
    ("compiling",),
    ("static", "training", "living"),
)
"""The rooms, which are the folders of the package, from the ground up. The single files beside them are the
helpers; ``__init__.py``, the roof, may import everything."""
DRAW_FLOORS = (
    ("graph", "theme"),
    ("look",),
    ("words",),
    ("picture",),
    ("drawing",),
    ("painted",),
    ("comparing", "explaining", "filming"),
    ("sliding",),
)
"""The same inside the room of pictures, where rooms on one floor do not import each other."""


def imports(package: Path = PACKAGE) -> dict[str, set[str]]:
    """Each module of a package, and the modules of the package that it imports, inside functions too."""
    files = {module_name(path, package): path for path in package.rglob("*.py")}
    found: dict[str, set[str]] = {name: set() for name in files}
    for name, path in files.items():
        here = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = here[: len(here) - node.level + 1] + (node.module.split(".") if node.module else [])
                assert base, f"{name} imports from outside of the package by dots"
                for alias in node.names:
                    whole = ".".join([*base, alias.name])
                    found[name].add(whole if whole in files else ".".join(base))
        found[name].discard(name)
    for node, names in found.items():  # a package is imported with everything in it, which is no arrow
        names -= {other for other in names if node.startswith(f"{other}.")}
    return found


def module_name(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def floor(module: str) -> int:
    room = module.split(".")[1]
    room = room if (PACKAGE / room).is_dir() else "helpers"
    return next(level for level, rooms in enumerate(FLOORS) if room in rooms)


def test_every_folder_is_a_room_on_a_floor():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders | {"helpers"} == {room for rooms in FLOORS for room in rooms}


@pytest.mark.parametrize("package", [PACKAGE, COURSE])
def test_no_import_runs_in_a_circle(package):
    tuple(TopologicalSorter(imports(package)).static_order())


def test_the_library_knows_nothing_of_the_course():
    assert not [path for path in PACKAGE.rglob("*.py") if COURSE.name in path.read_text(encoding="utf-8")]


def test_imports_run_downward():
    inside = {name: names - {"autodiff"} for name, names in imports().items() if name != "autodiff"}
    upward = [
        f"{name} imports {other}"
        for name, names in inside.items()
        for other in names
        if floor(other) > floor(name)
    ]
    assert not upward


def test_imports_run_downward_among_pictures():
    floors = {f"autodiff.draw.{room}": level for level, rooms in enumerate(DRAW_FLOORS) for room in rooms}
    found = {name: names for name, names in imports().items() if name.startswith("autodiff.draw.")}
    room_of = {name: ".".join(name.split(".")[:3]) for name in found}
    assert set(room_of.values()) == set(floors)
    sideways = [
        f"{name} imports {other}"
        for name, names in found.items()
        for other in names & set(found)
        if room_of[other] != room_of[name] and floors[room_of[other]] >= floors[room_of[name]]
    ]
    assert not sideways


def imported_from_outside() -> set[tuple[str, str, str]]:
    """File, module and name of all that the files around the two houses import from them."""
    root = PACKAGE.parent
    return {
        (str(path.relative_to(root)), node.module, alias.name)
        for room in ("benchmarks", "docs", "notebooks", "tests")
        for path in (root / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
        for alias in node.names
        if node.module.split(".")[0] in (PACKAGE.name, COURSE.name) and alias.name != "*"
    }


def test_what_the_files_around_the_houses_import_is_there():
    """Inside functions too, where an import that lost its name fails only when somebody calls them."""
    found = imported_from_outside()
    assert len(found) > 1000
    missing = [
        f"{path}: from {module} import {name}"
        for path, module, name in sorted(found)
        if not has(importlib.import_module(module), name)
    ]
    assert not missing


def has(module: ModuleType, name: str) -> bool:
    """Whether a module has a name, or a package a module or a package of that name."""
    rooms = getattr(module, "__path__", ())
    return hasattr(module, name) or any(
        [*Path(room).glob(f"{name}.py"), *Path(room, name).glob("*.py")] for room in rooms
    )
