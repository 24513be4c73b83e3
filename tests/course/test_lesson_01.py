"""Lesson 01: the numbers in its prose."""

from __future__ import annotations

import pytest

from autodiff_course import check, hint, machine
from autodiff_course.exercises import lesson_01
from autodiff_course.machine.plan import code_lines, pieces
from tests.course.stored import lesson_path, prose


def test_the_numbers_in_the_prose():
    a, e = lesson_01.example()
    assert (a.data, e.data) == (2, 40)
    assert len(lesson_01.every_visit(e)) == 9  # the lines of the tree
    assert len(lesson_01.each_node(e)) == 8  # the boxes of the picture
    assert len({node.data for node in lesson_01.each_node(e)}) == 6
    nudged = 2.001
    assert f"At 2.001 e is about {(nudged + 2) * (nudged * 3 + 4):.3f}" in prose(lesson_path("01"))
    assert len(lesson_01.each_node((a + a) * a)) == 3


def test_the_tree_in_the_prose_is_what_the_piece_prints():
    assert pieces()["01 tree"].probes[-1].right in prose(lesson_path("01"))


def test_the_pieces_of_the_lesson_have_the_lines_that_it_says():
    assert [piece.lines for name, piece in pieces().items() if name.startswith("01")] == [4, 2, 6]
    assert len(code_lines(pieces()["01 Tensor"].code)) > 4


@pytest.mark.parametrize("name", ["01 predict", "01 nodes"])
def test_after_the_last_hint_there_is_none(name):
    assert str(hint(name, 4)) == "There are 3 hints; that was the last."
    with pytest.raises(ValueError, match="hints 1 to 3"):
        hint(name, 0)


def test_a_reader_s_own_class_is_the_one_that_is_tried():
    names = vars(machine.after(1))
    exec("def leaves(t):\n    return [t] if isinstance(t, Tensor) else []", names)
    assert "For x + z" in check("01 leaves", names["leaves"]).message
