"""Lesson 29: its programs are those of its prose, and compute what the machine computes."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff_course import check, machine
from autodiff_course.exercises.lesson_29 import ALIVE, LAST
from autodiff_course.exercises.shared import course
from autodiff_course.machine.plan import code_lines
from autodiff_course.machine.reference import lesson_29
from autodiff_course.plots.lesson_29 import most_alive, spans
from tests.course.stored import cells, lesson_path, said

LESSON = lesson_path("29")


def cell_with(words):
    """The lesson's first cell with these words."""
    return next(cell for cell in cells(LESSON) if words in cell.source)


@pytest.fixture(scope="module")
def engine():
    return machine.after(29)


def y(x):
    h = x * x
    return h + h * h


def test_the_compiler_has_about_forty_lines():
    assert 35 <= sum(len(code_lines(part.code)) for part in lesson_29.PARTS) <= 50


@pytest.mark.parametrize("x", [-1.5, 0.0, 2.0])
@pytest.mark.parametrize(("f", "slope"), [(course, lambda x: 6 * x + 10), (y, lambda x: 2 * x + 4 * x**3)])
def test_a_program_holds_at_other_places_than_it_was_recorded_at(engine, f, slope, x):
    program = engine.compiled(engine.with_slopes(f), 1.25)
    assert program(x) == [f(x), pytest.approx(slope(x))]
    twice = engine.compiled(engine.with_slopes(engine.grad(f)), 1.25)
    assert twice(x)[0] == pytest.approx(slope(x))


def test_the_program_of_y_adds_up_where_the_prose_says(engine):
    lines = said(cell_with("def y(x)")).splitlines()
    assert "    v5 = v3 + v4" in lines
    assert "    v7 = v5 + v6" in lines
    assert "    v10 = v8 + v9" in lines
    assert len(engine.compiled(engine.with_slopes(course), 2.0).text.splitlines()) - 2 == 9


@pytest.mark.parametrize("doublings", [1, 2, 19])
def test_doublings_take_a_line_each_and_one_more_for_the_start(engine, doublings):
    def f(x):
        for _ in range(doublings):
            x = x + x
        return x

    forward, both = engine.compiled(lambda x: [f(x)], 1.0), engine.compiled(engine.with_slopes(f), 1.0)
    assert len(forward.text.splitlines()) - 2 == doublings
    assert len(both.text.splitlines()) - 2 == 2 * doublings + 1
    assert both(3.0) == [3 * 2**doublings, 2**doublings]


@pytest.mark.parametrize("number", [-2.0, -0.0, 1e-7, float("inf"), float("nan"), np.float64(3.0), True])
def test_a_constant_in_a_program_is_the_one_that_was_recorded(engine, number):
    (found,) = engine.compiled(lambda x: [engine.apply("pow", number, x)], 1.0)(2.0)
    assert np.array_equal(found, number**2.0, equal_nan=True)


def test_a_program_with_arrays_gives_the_machine_s_slopes(engine):
    rng = np.random.default_rng(0)
    net = engine.Sequential(engine.Linear(3, 4, rng), engine.tanh, engine.Linear(4, 2, rng))
    weights = engine.parameters(net)

    def loss(x):
        return (net(x) ** 2).mean()

    program = engine.compiled(engine.with_slopes(loss, *weights), rng.normal(size=(5, 3)))
    x = rng.normal(size=(5, 3))
    end = loss(engine.Tensor(x))
    arrived = engine.gradients(end)
    found = program(x)
    assert np.allclose(found[0], end.data)
    assert all(np.allclose(slope, arrived[weight]) for slope, weight in zip(found[1:], weights))


def test_a_recorded_question_is_frozen(engine):
    program = engine.compiled(lambda x: [1 * x if x > 0 else 0.1 * x], 2.0)
    assert program(-2.0) == [-2.0]
    largest = engine.compiled(lambda x: [x.max()], np.array([1.0, 3.0, 2.0]))
    assert largest(np.array([5.0, 1.0, 1.0])) == [1.0]


def test_a_recorded_shape_is_frozen(engine):
    program = engine.compiled(lambda x: [x.mean()], np.ones(3))
    assert program(np.ones(6)) == [2.0]


def test_the_package_s_program_is_shorter_and_gives_the_same():
    for f in (course, y):
        fast = ad.compile(ad.value_and_grad(f))
        value, slope = fast(2.0)
        assert (float(value), float(slope)) == ((40, 22) if f is course else (20, 36))
        assert len(re.findall(r"^    \w+ = ", str(fast.program), re.MULTILINE)) == 4


def test_the_wedge_grows_with_the_layers_and_the_chain_forward_does_not(engine):
    def alive(layers, back):
        def chain(x):
            for _ in range(layers):
                x = engine.tanh(0.9 * x)
            return x

        f = engine.with_slopes(chain) if back else lambda x: [chain(x)]
        return most_alive(spans(engine.compiled(f, 0.5).text))

    assert [alive(layers, False) for layers in (3, 6, 12)] == [1, 1, 1]
    three, six, twelve = (alive(layers, True) for layers in (3, 6, 12))
    assert six - three == 3
    assert twelve - six == 6


def test_one_number_where_two_are_asked_for_is_not_done_yet():
    assert check("29 lines", 19).message == "Not done yet: two numbers are asked for."


def test_the_exercise_and_the_plot_count_alike(engine):
    text = engine.compiled(engine.with_slopes(y), 2.0).text
    *lines, last = text.splitlines()[1:]
    steps = [(line.split()[0], re.findall(r"\bv\d+", line.partition("=")[2])) for line in lines]
    returned = re.findall(r"\bv\d+", last)
    assert [end for _, end in spans(text)] == [LAST.answer()(steps, returned)[name] for name, _ in steps]
    assert most_alive(spans(text)) == ALIVE.answer()(steps, returned)
