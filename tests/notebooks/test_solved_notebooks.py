"""The lessons as their readers have them: untouched, where the reference stands in, and solved from end to
end, each stub replaced by its solution, after which the assembled file is complete and right."""

from __future__ import annotations

import re
import shutil

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autodiff_course.machine.plan import after_lesson, assembled, cell_of, find, pieces, solved
from notebooks import execute

FIRST = "from autodiff_course import machine, yours\n\nmachine.start(3)"
GIVE = 'machine.give("03 RULES")'
NAMES = "from autodiff_course.machine import RULES, Tensor, value"
MUL, BACKWARD = find("03 mul"), find("03 backward")
USE = "x, y = Tensor(2), Tensor(2)\nbackward((x + 2) * (y * 3 + 4))\nx.grad, y.grad"
CALL = re.compile(r'\byours\(\s*"(\d\d [^"]+)"')


def lesson():
    """Lesson 03 in small: the stubs in the main line, and cells that go on with the pieces."""
    stubs = (cell_of(piece, piece.stub) for piece in (MUL, BACKWARD))
    return new_notebook(cells=[new_code_cell(source) for source in (FIRST, GIVE, NAMES, *stubs, USE)])


def solution(nb):
    """The notebook with every stub replaced by its solution."""
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.source = solved(cell.source)
    return nb


def text(cell):
    """What a cell printed and returned."""
    return "".join(out.get("text", "") or out.get("data", {}).get("text/plain", "") for out in cell.outputs)


# -- a lesson in small --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    return execute.execute(lesson(), tmp_path_factory.mktemp("lesson"))


def test_an_untouched_lesson_runs_on_the_reference(untouched):
    first, give, _, mul, backward, use = untouched.cells
    assert (
        text(first) == "Your machine: none of its 4 pieces is yours yet; the reference stands in for them.\n"
    )
    assert text(give).startswith("RULES = {")
    assert text(mul).startswith("Not done yet: 03 mul (1 line). The lesson goes on with the reference;")
    assert text(backward).startswith("Not done yet: 03 backward (4 lines).")
    assert text(use) == "(10, 12)"
    assert execute.faults(untouched) == []


def test_the_reference_is_folded_below_the_cell(untouched):
    (folded,) = (out for out in untouched.cells[4].outputs if out.output_type == "display_data")
    assert folded.data["text/plain"] == "The reference for 03 backward is folded here."
    assert folded.data["text/markdown"].startswith("<details><summary>The reference for 03 backward")
    assert "node.grad = grad" in folded.data["text/markdown"]


def test_a_reader_s_own_file_does_not_change_what_is_stored(untouched, tmp_path, monkeypatch):
    """The kernels that run the lessons begin with an empty machine, whoever runs them."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "engine.py").write_text(assembled(after_lesson(3), {"03 mul": MUL.code}))
    monkeypatch.setenv("AUTODIFF_MINE", str(tmp_path / "mine"))
    fresh = execute.execute(lesson(), tmp_path)
    assert execute.stale(untouched, fresh) == []


def test_a_solved_lesson_keeps_its_pieces(tmp_path):
    nb = execute.execute(solution(lesson()), tmp_path, tmp_path / "mine")
    _, _, _, mul, backward, use = nb.cells
    kept = "Right. Kept in mine/engine.py. Of the whole machine,"
    assert text(mul) == f"{kept} 1 of {len(pieces())} pieces is yours.\n"
    assert text(backward) == f"{kept} 2 of {len(pieces())} pieces are yours.\n"
    assert text(use) == "(10, 12)"
    written = (tmp_path / "mine" / "engine.py").read_text(encoding="utf-8")
    assert written == assembled(after_lesson(3), {"03 mul": MUL.code, "03 backward": BACKWARD.code})
    again = execute.execute(lesson(), tmp_path, tmp_path / "mine")
    assert text(again.cells[3]).startswith(
        "Not done yet: 03 mul (1 line). The one that you kept in mine/engine.py"
    )


@pytest.mark.parametrize("piece", pieces().values(), ids=lambda piece: piece.name)
def test_a_stub_s_cell_becomes_its_solution_s_cell(piece):
    cell = f"# a word before\n{cell_of(piece, piece.stub)}"
    assert solved(cell) == f"# a word before\n{cell_of(piece, piece.code)}"
    assert CALL.search(cell)[1] == piece.name
    compile(cell, piece.name, "exec")


# -- the lessons --------------------------------------------------------------------------------------------


def read(path):
    return nbformat.read(path, as_version=4)


def sources(path):
    return [cell.source for cell in read(path).cells if cell.cell_type == "code"]


WITH_PIECES = [
    path
    for path in execute.notebooks()
    if path.parent == execute.NOTEBOOKS and any(map(CALL.search, sources(path)))
]


@pytest.mark.parametrize("path", WITH_PIECES, ids=lambda path: path.stem)
def test_each_piece_of_a_lesson_stands_there_as_its_stub(path):
    named = [name for source in sources(path) for name in CALL.findall(source)]
    assert named == [name for name in pieces() if name[:2] == path.stem[:2]]
    for source in sources(path):
        for name in CALL.findall(source):
            assert cell_of(find(name), find(name).stub) in source, (
                f"{name}: the stub in the lesson is another"
            )


@pytest.mark.thorough
@pytest.mark.skipif(not WITH_PIECES, reason="no lesson hands pieces over yet")
def test_the_lessons_solved_from_end_to_end(tmp_path):
    """In order, with one file: after the last, all pieces of these lessons are the reader's."""
    shutil.copytree(
        execute.NOTEBOOKS, tmp_path / "notebooks", ignore=shutil.ignore_patterns("mine", "__pycache__")
    )
    own = {}
    for path in WITH_PIECES:
        nb = execute.execute(solution(read(path)), tmp_path / "notebooks", tmp_path / "mine")
        own |= {name: find(name).code for source in sources(path) for name in CALL.findall(source)}
        said = [text(cell) for cell in nb.cells if cell.cell_type == "code" and CALL.search(cell.source)]
        assert all("Right. Kept" in words for words in said), path.stem
    last = max(int(name[:2]) for name in own)
    assert (tmp_path / "mine" / "engine.py").read_text(encoding="utf-8") == assembled(after_lesson(last), own)
