"""docs/from_pytorch_networks.md: each line is run, here and in PyTorch, and the results are compared."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs/from_pytorch_networks.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(python(?: torch)?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPEECH = re.compile(r"`([^`]+)` says \*([^*]+)\*")
HEAD = "| in PyTorch | here | what to know |"


class Row(NamedTuple):
    """A line of a table."""

    theirs: str
    ours: str
    note: str
    blocks: dict[str, str]  # the code of its section, for both sides


def rows() -> list[Row]:
    found = []
    for section in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]:
        lines = [line for line in section.splitlines() if line.startswith("|")]
        assert lines[0] == HEAD
        for line in lines[2:]:
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            assert len(cells) == 3, line
            found.append(Row(*cells, dict(BLOCK.findall(section))))
    return found


ROWS = rows()
each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.theirs)


def code_in(cell: str) -> str:
    code = re.fullmatch(r"`([^`]+)`", cell)
    assert code, f"{cell} is not one piece of code in backquotes"
    return code[1]


def run(code: str, block: str) -> Any:
    """Run a section's code and then statements; the value of the last, if it is an expression."""
    names: dict[str, Any] = {}
    exec(block, names)
    *before, last = [part.strip() for part in code.split(";")]
    exec("; ".join(before), names)
    try:
        compiled = compile(last, "<row>", "eval")
    except SyntaxError:
        exec(last, names)
        return None
    return eval(compiled, names)


def plain(value: Any) -> Any:
    """A result as numbers; None if it has none."""
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    value = value.detach() if hasattr(value, "detach") else value
    try:
        return np.array(value.tolist() if hasattr(value, "tolist") else getattr(value, "data", value), float)
    except (TypeError, ValueError):
        return None


def is_same(first: Any, second: Any, by_shape: bool) -> bool:
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(is_same(a, b, by_shape) for a, b in zip(first, second))
    if first is None or second is None:
        return first is second
    if np.shape(first) != np.shape(second):
        return False
    return by_shape or np.allclose(first, second, rtol=1e-5, atol=1e-6)


@each_row
def test_a_line_runs(row):
    run(code_in(row.ours), row.blocks["python"])


@each_row
def test_pytorch_gives_the_same(row):
    pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    code = code_in(row.theirs)
    if "..." in code:
        return
    mine = plain(run(code_in(row.ours), row.blocks["python"]))
    expected = plain(run(code, row.blocks["python torch"]))
    assert is_same(mine, expected, "Random." in row.note) != row.note.startswith("**differs**")


@each_row
def test_what_is_refused_says_so_in_these_words(row):
    for code, message in SPEECH.findall(row.note):
        with pytest.raises(Exception) as refusal:  # noqa: PT011  any, as long as it says this
            run(code, row.blocks["python"])
        assert str(refusal.value).startswith(message)


@each_row
def test_names_in_a_note_are_there(row):
    """A name in backquotes, alone, is one of the framework's."""
    from autodiff import data, nn, optim
    from autodiff.nn import functional

    if "There is no" in row.note:
        return
    rooms = (nn, functional, nn.utils, nn.Module(), optim, data, data.transforms)
    for name in re.findall(r"`([a-z_A-Z0-9]+)`", row.note):
        known = any(hasattr(room, name) for room in rooms) or name in ("dim", "inplace")
        assert known, f"{name} is not there"


def test_the_page_is_read_as_a_whole():
    assert len(ROWS) > 80
    assert PAGE.count("` says *") == sum(len(SPEECH.findall(row.note)) for row in ROWS) > 10
    assert PAGE.count(HEAD) == PAGE.count("\n## ")


def test_a_line_that_does_not_hold_would_be_found():
    row = next(row for row in ROWS if row.theirs == "`F.relu(x)`")
    with pytest.raises(pytest.fail.Exception):
        test_what_is_refused_says_so_in_these_words(row._replace(note="`F.relu(x)` says *anything*"))
    with pytest.raises(AttributeError):
        test_a_line_runs(row._replace(ours="`F.no_such_name(x)`"))
    with pytest.raises(AssertionError, match="no_such_name is not there"):
        test_names_in_a_note_are_there(row._replace(note="Also `no_such_name`."))
    pytest.importorskip("torch")
    with pytest.raises(AssertionError):
        test_pytorch_gives_the_same(row._replace(ours="`F.silu(x)`"))
