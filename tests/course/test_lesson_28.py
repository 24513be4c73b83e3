"""Lesson 28: what its prose says of graphs without numbers, of runs without memory and of petals is right."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import static
from autodiff_course import machine
from tests.course.stored import cells, lesson_path, prose, said

LESSON = lesson_path("28")


def cell_with(words):
    """The lesson's first cell with these words."""
    return next(cell for cell in cells(LESSON) if words in cell.source)


@pytest.fixture(scope="module")
def lesson():
    """The machine after the lesson, and the functions of its cell about runs without memory."""
    names = vars(machine.after(28)) | {"draw": lambda node: None}
    exec(cell_with("def post_order").source, names)
    exec(cell_with("def additions").source.partition("\n\n\nprint")[0], names)
    return names


@pytest.mark.parametrize("times", [1, 2, 3, 4, 10, 15])
def test_without_memory_n_doublings_take_2_to_the_n_less_1_additions(lesson, times):
    assert lesson["additions"](lesson["order"], times) == (2**times, times)
    assert lesson["additions"](lesson["post_order"], times) == (2**times, 2**times - 1)


def test_the_numbers_of_the_table_are_those_of_the_prose():
    assert said(cell_with("def additions")).splitlines()[-1].split() == ["19", "524,288", "19", "524,287"]
    assert "524,287 additions in place of 19" in prose(LESSON)
    assert "add up 524,288 ones" in prose(LESSON)
    assert len(said(cell_with("tree(h)")).strip().splitlines()) == 15


def test_a_graph_does_not_change_with_its_runs(lesson):
    with lesson["Graph"]():
        a = lesson["placeholder"]("a")
        e = (a + 2) * (3 * a + 4)
        slope = lesson["gradients"](e, lesson["Tensor"](1.0))[a]
    assert lesson["Session"]().run([e, slope], {a: 2.0}) == [40.0, 22.0]
    assert [node.data for node in lesson["order"](e)] == [None] * 5
    assert len({*lesson["order"](e), *lesson["order"](slope)}) == 11


def test_apply_comes_back_after_an_error_in_a_graph(lesson):
    before = lesson["apply"]
    with pytest.raises(ZeroDivisionError), lesson["Graph"]():
        1 / 0  # noqa: B018
    with lesson["Graph"](), lesson["Graph"]():
        pass
    assert lesson["apply"] is before


def test_the_line_is_the_one_of_least_squares():
    printed = said(cell_with("GradientDescentOptimizer")).splitlines()
    assert len(printed) == 2
    for line in printed:
        assert len({word.strip(",") for word in line.split() if "." in word}) == 1


def test_a_mean_in_a_graph_without_shapes_is_a_sum(lesson):
    three = np.array([1.0, 2.0, 3.0])
    with lesson["Graph"]():
        x = lesson["placeholder"]("x")
        inside = x.mean()
    assert lesson["Session"]().run([inside], {x: three}) == [6.0]
    with static.Graph().as_default() as graph:
        x = static.placeholder(shape=(None,))
        inside = static.reduce_mean(x)
    assert static.Session(graph).run(inside, {x: three}) == 2.0


def test_a_wrong_shape_stops_at_its_line_in_the_package_and_in_the_run_of_a_session_without_shapes(lesson):
    with static.Graph().as_default(), pytest.raises(ValueError, match="shapes"):
        static.placeholder(shape=(3,)) + static.placeholder(shape=(4,))
    with lesson["Graph"]():
        x, y = lesson["placeholder"]("x"), lesson["placeholder"]("y")
        z = x + y
    with pytest.raises(ValueError, match="broadcast"):
        lesson["Session"]().run([z], {x: np.ones(3), y: np.ones(4)})


def test_feeding_arrays_gives_a_slope_for_each_element(lesson):
    with lesson["Graph"]():
        w, x = lesson["Tensor"](3.0), lesson["placeholder"]("x")
        slope = lesson["gradients"]((w * x) ** 2, lesson["Tensor"](1.0))[w]
    (found,) = lesson["Session"]().run([slope], {x: np.array([1.0, 2.0])})
    assert np.allclose(found, [6.0, 24.0])  # 2 w x x
