"""The house has floors: imports run downward, never in a circle."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "autodiff"
FLOORS = (
    (
        "catalogue", "state", "seeding", "values", "node", "keeping", "copying", "words", "rules",
        "conversions", "methods", "tensor", "operands", "shortcuts", "operation", "backward",
    ),
    ("ops",),
    (
        "creation", "given", "numpy_answers", "numpy_functions", "numpy_shapes", "structure", "tangents",
        "tracing", "calculus", "function", "checkpointing", "anomaly", "testing",
        "draw", "nn", "optim", "data",
    ),
    ("training", "lessons"),
)


def imports() -> dict[str, set[str]]:
    """Each module of the package, and the modules of the package that it imports, inside functions too."""
    files = {module_name(path): path for path in PACKAGE.rglob("*.py")}
    found: dict[str, set[str]] = {name: set() for name in files}
    for name, path in files.items():
        here = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = here[: len(here) - node.level + 1] + (node.module.split(".") if node.module else [])
                for alias in node.names:
                    whole = ".".join([*base, alias.name])
                    found[name].add(whole if whole in files else ".".join(base))
        found[name].discard(name)
    for node, names in found.items():  # a package is imported with everything in it, which is no arrow
        names -= {other for other in names if node.startswith(f"{other}.")}
    return found




def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def floor(module: str) -> int:
    room = module.split(".")[1]
    return next(level for level, rooms in enumerate(FLOORS) if room in rooms)


def test_no_import_runs_in_a_circle():
    tuple(TopologicalSorter(imports()).static_order())


def test_imports_run_downward():
    inner = {name: names for name, names in imports().items() if name != "autodiff"}
    upward = [
        f"{name} imports {other}"
        for name, names in inner.items()
        for other in names
        if other != "autodiff" and floor(other) > floor(name)
    ]
    assert not upward


def test_the_engine_s_floor_stands_on_its_own():
    engine = {f"autodiff.{room}" for room in FLOORS[0]}
    assert all(names <= engine for name, names in imports().items() if name in engine)
