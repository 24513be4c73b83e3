"""The tables of docs/from_jax.md and docs/from_micrograd.md: each line is run on both sides, and compared."""

from __future__ import annotations

import contextlib
import importlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
LIBRARIES = ("jax", "micrograd")
BLOCK = re.compile(r"^```python( \w+)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def rows(library):
    text = (DOCS / f"from_{library}.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| `(.+?)` \| `(.+?)` \|(.*)\|$", text, flags=re.MULTILINE)
    assert len(cells) == len(re.findall(r"^\| ", text, flags=re.MULTILINE)) - text.count("| what to know |")
    return [(library, theirs, ours, note.strip()) for theirs, ours, note in cells]


ROWS = [row for library in LIBRARIES for row in rows(library)]


def run(code: str, library: str, where: str) -> Any:
    """The value of the last statement, in the names of the page."""
    names: dict[str, Any] = {}
    for language, block in BLOCK.findall((DOCS / f"from_{library}.md").read_text(encoding="utf-8")):
        if language.strip() == where:
            exec(block, names)
    *before, last = code.split("; ")
    exec("; ".join(before), names)
    if re.match(r"[\w.]+ = ", last):
        exec(last, names)
        return None
    return eval(last, names)


def plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, str) or value is None:
        return value
    return np.asarray(value.data if type(value).__name__ in ("Tensor", "Value") else value, dtype=float)


def is_same(mine: Any, expected: Any) -> bool:
    if isinstance(mine, list) and isinstance(expected, list):
        return len(mine) == len(expected) and all(map(is_same, mine, expected))
    if isinstance(mine, (list, str)) or isinstance(expected, list):
        return bool(mine == expected)
    return np.shape(mine) == np.shape(expected) and np.allclose(mine, expected, rtol=1e-5)


@pytest.fixture(autouse=True, scope="module")
def imported():
    """JAX draws from NumPy's global numbers while it is imported, which no test may do."""
    with contextlib.suppress(ImportError):
        importlib.import_module("jax.numpy")


@pytest.mark.parametrize(("library", "theirs", "ours", "note"), ROWS, ids=lambda cell: str(cell)[:40])
def test_both_sides_give_the_same(library, theirs, ours, note):
    mine = plain(run(ours, library, ""))
    pytest.importorskip(library)
    expected = plain(run(theirs, library, library))
    if mine is None or expected is None:
        assert "set" in theirs or (mine is expected) != note.startswith("**differs**")
        return
    assert is_same(mine, expected) != note.startswith("**differs**"), (mine, expected)
