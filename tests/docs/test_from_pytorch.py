"""The pages docs/from_pytorch*.md are the list: each line is run, here and in PyTorch, and the results are
compared.

A section may begin with blocks of code of its own, ``python`` for this package and ``python torch`` for
PyTorch; they are run after those of the page. A PyTorch side with ``...`` in it is shown and not run.
"""

from __future__ import annotations

import contextlib
import re
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn, optim

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("from_pytorch*.md"))}
BLOCK = re.compile(r"^```(python(?: torch)?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPEECH = re.compile(r"`([^`]+)` (says|warns) \*([^*]+)\*")
HEAD = "| in PyTorch | here | what to know |"


class Row(NamedTuple):
    """A line of a table."""

    page: str
    theirs: str
    ours: str
    note: str
    blocks: tuple[tuple[str, str], ...]  # the code that is run before it


def rows(page: str) -> list[Row]:
    first, *sections = re.split(r"^## ", PAGES[page], flags=re.MULTILINE)
    found = []
    for section in sections:
        title, _, text = section.partition("\n")
        blocks = (*BLOCK.findall(first), *BLOCK.findall(text))
        lines = [line for line in text.splitlines() if line.startswith("|")]
        assert lines[0] == HEAD, f"the table under {title!r} has other columns"
        for line in lines[2:]:
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            assert len(cells) == 3, line
            found.append(Row(page, *cells, blocks))
    return found


ROWS = [row for page in PAGES for row in rows(page)]
each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.theirs)


def code_in(cell: str) -> str:
    code = re.fullmatch(r"`([^`]+)`", cell)
    assert code, f"{cell} is not one piece of code in backquotes"
    return code[1]


def run(code: str, names: dict[str, Any]) -> Any:
    """Run statements, and give the value of the last, if it is an expression."""
    *before, last = [part.strip() for part in code.split(";")]
    exec("; ".join(before), names)
    try:
        compiled = compile(last, "<row>", "eval")
    except SyntaxError:
        exec(last, names)
        return None
    return eval(compiled, names)


def names_for(row: Row, language: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for block_language, code in row.blocks:
        if block_language == language:
            exec(code, names)
    return names


def plain(value: Any) -> Any:
    """A result as numbers; None if it has none."""
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    value = value.detach() if hasattr(value, "detach") else value
    try:
        return np.array(value.tolist() if hasattr(value, "tolist") else value, dtype=float)
    except (TypeError, ValueError):
        return None


def is_same(first: Any, second: Any) -> bool:
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(is_same, first, second))
    if isinstance(first, list) or isinstance(second, list):
        return False
    return first.shape == second.shape and np.allclose(first, second, rtol=1e-5, atol=1e-6)


def shapes(value: Any) -> Any:
    return [shapes(part) for part in value] if isinstance(value, list) else np.shape(value)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # for the lines that save a file
    yield
    assert ad.is_grad_enabled(), "a line has switched recording off for all that follow"


@each_row
def test_a_line_runs(row):
    run(code_in(row.ours), names_for(row, "python"))


@each_row
def test_other_code_in_a_note_runs(row):
    """Besides what is refused, a note shows names and calls; a call in one must run too."""
    for code in re.findall(r"`([^`]+)`(?! says| warns)", row.note):
        if re.match(r"(ad|np|x|v|A|B|w|k|a)\b.*[\])]$", code) and "(y)" not in code:
            run(code, names_for(row, "python"))


@each_row
def test_pytorch_gives_the_same(row):
    torch = pytest.importorskip("torch")
    code = code_in(row.theirs)
    if "..." in code:
        return
    here, there = names_for(row, "python"), names_for(row, "python torch")
    with torch.random.fork_rng():
        pairs = [(plain(run(code_in(row.ours), here)), plain(run(code, there)))]
    if pairs[0][1] is None:  # statements: what they have changed
        pairs = [(plain(here[name]), plain(there[name])) for name in "vwxy" if name in here and name in there]
    for mine, expected in pairs:
        if "Random." in row.note:
            assert shapes(mine) == shapes(expected)
        elif mine is not None and expected is not None:
            differs = row.note.startswith("**differs**")
            assert is_same(mine, expected) != differs, f"{mine}, there {expected}"


@each_row
def test_what_is_refused_says_so_in_these_words(row):
    for code, verb, message in SPEECH.findall(row.note):
        names = names_for(row, "python")
        if verb == "warns":
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                run(code, names)
            said = str(told[0].message)
        else:
            with pytest.raises(Exception) as refusal:  # noqa: PT011  any, as long as it says this
                run(code, names)
            said = str(refusal.value)
        assert said.startswith(message), said


@pytest.mark.parametrize("page", PAGES)
def test_the_marks_in_a_page_are_those_that_are_tested(page):
    text, found = PAGES[page], rows(page)
    assert len(found) > 80
    speeches = len(re.findall(r"` (?:says|warns) \*", text))
    assert speeches == sum(len(SPEECH.findall(row.note)) for row in found) > 10
    assert sum(row.note.startswith("**differs**") for row in found) == text.count("| **differs**")
    assert text.count(HEAD) == text.count("\n## ")


@pytest.mark.parametrize("row", rows("from_pytorch_networks"), ids=lambda row: row.theirs)
def test_names_in_a_note_on_networks_are_there(row):
    """A name in backquotes, alone, is one of the framework's."""
    if "There is no" in row.note:
        return
    rooms = (nn, nn.functional, nn.utils, nn.Module(), optim, data, data.transforms)
    for name in re.findall(r"`([a-z_A-Z0-9]+)`", row.note):
        known = any(hasattr(room, name) for room in rooms) or name in ("dim", "inplace")
        assert known, f"{name} is not there"


NAMES = """
    tensor cat clamp manual_seed from_numpy as_tensor mm bmm randperm one_hot isnan isfinite allclose equal
    save load tolist astype float double long copy clone requires_grad_ fill_ zero_ copy_ add_ sub_ mul_ div_
    clamp_ take index_select masked_fill expand expand_as view_as numel nelement dim t any all is_leaf narrow
    cpu int bool half isinf
""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", NAMES)
def test_the_page_has_the_names_that_are_looked_for_first(name):
    assert re.search(rf"[`.\s]{name}\b", PAGES["from_pytorch"])
    assert hasattr(ad, name) or hasattr(ad.Tensor, name)


def test_a_line_that_does_not_hold_would_be_found():
    assert ROWS[0].page == "from_pytorch"
    row = ROWS[0]._replace(ours="`ad.tensor([1.0, 3.0])`", note="`ad.ones(2)` says *anything*")
    with pytest.raises(pytest.fail.Exception):
        test_what_is_refused_says_so_in_these_words(row)
    with pytest.raises(NameError):
        test_a_line_runs(row._replace(ours="`no_such_name`"))
    with pytest.raises(AssertionError, match="no_such_name is not there"):
        test_names_in_a_note_on_networks_are_there(row._replace(note="Also `no_such_name`."))
    with contextlib.suppress(ImportError), warnings.catch_warnings():
        import torch  # noqa: F401

        with pytest.raises(AssertionError, match="there "):
            test_pytorch_gives_the_same(row)
