"""Lesson 16: its numbers, its pictures and what its prose says of them are right."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff_course import machine
from autodiff_course.exercises import lesson_16
from tests.course.stored import cells, lesson_path, said

LESSON = lesson_path("16")


def cell_with(words):
    """The lesson's first cell with these words."""
    return next(cell for cell in cells(LESSON) if words in cell.source)


def silent(*given, **options):
    """In place of print and of the plots."""


def defined(*wanted, **names):
    """What the lesson's first cells with these words define, run one after the other on the machine."""
    quiet = dict.fromkeys(("print", "tower", "map_of", "table_of_slopes"), silent)
    scope = vars(machine.after(16)) | {"np": np, "ad": ad, **quiet, **names}
    for words in wanted:
        exec(cell_with(words).source, scope)
    return scope


# -- numbers ------------------------------------------------------------------------------------------------


def test_wrong_numbers_stand_beside_the_right_ones():
    assert said(cell_with("backward(s)")) == "28.0"
    assert said(cell_with("print(gradients(s)[a])")).strip() == "6.0"
    assert said(cell_with("grad(grad(grad(course)))")) == "(22.0, 6.0, 0.0)"


def test_a_rule_that_makes_a_new_leaf_loses_the_second_slope():
    assert said(cell_with("def again(")) == "(12.0, 0.0)"
    repaired = cell_with("def again(").source.replace(
        "leaf = Tensor(value(x))", "leaf = x if isinstance(x, Tensor) else Tensor(x)"
    )
    scope = dict(vars(machine.after(16)))
    exec(repaired, scope)
    grad, cube = scope["grad"], scope["cube"]
    assert (grad(cube)(2.0).data, grad(grad(cube))(2.0).data) == (12, 12)


def test_a_rule_that_calls_numpy_on_x_stops():
    scope = vars(machine.after(16)) | {"np": np, "draw": silent}
    exec(next(cell.source for cell in cells(lesson_path("14")) if "def clamp_rule" in cell.source), scope)
    with pytest.raises(TypeError):
        scope["grad"](lambda x: scope["clamp"](x, -1, 1.5))(0.5)


def test_a_function_without_second_slopes_has_a_hessian_of_zeros():
    scope = defined("def hessian")
    assert np.array_equal(scope["hessian"](lambda p: p.sum(), np.ones(2)), np.zeros((2, 2)))


def test_the_machine_s_slopes_stand_beside_the_package_s():
    rows = [line.split() for line in said(cell_with("mine, ours = y, y")).splitlines()]
    polynomials = np.polynomial.Polynomial([0, 0, 1, 0, 1])
    assert len(rows) == 6
    for times, row in enumerate(rows[1:], start=1):
        assert row[1] == row[2] == f"{polynomials.deriv(times)(2):.1f}"


def test_the_curves_are_the_slopes_of_tanh():
    scope = defined("tower(xs")
    z, polynomial = np.tanh(scope["xs"]), np.polynomial.Polynomial([0, 1])
    assert len(scope["curves"]) == 6
    for curve in scope["curves"].values():
        assert np.allclose(curve, polynomial(z), rtol=1e-11, atol=1e-11)
        polynomial = polynomial.deriv() * np.polynomial.Polynomial([1, 0, -1])  # the slope of z is 1 - z*z


def test_the_sum_is_for_the_package_alone():
    scope = defined()
    xs = np.linspace(-3, 3, 241)
    assert np.allclose(scope["grad"](scope["tanh"])(xs).data, 1 - np.tanh(xs) ** 2)
    with pytest.raises(RuntimeError, match="one number"):
        ad.grad(ad.tanh)(xs)


def test_newton_doubles_the_right_digits():
    lines = said(cell_with("def newton(")).splitlines()
    assert lines[0].endswith("-1.666667")
    assert [line.split()[-1] for line in lines[1:]] == ["7e-01", "3e-01", "4e-02", "9e-04", "4e-07"]


def test_newton_climbs_and_the_repair_does_not():
    climbs = said(cell_with("climbing = ")).splitlines()
    assert [line.split()[-1] for line in climbs] == ["-0.2944", "-0.1175", "-0.0027"]
    scope = defined("def course", "def newton(", "climbing = ", "repaired = ", walks=silent)
    assert abs(scope["climbing"][-1]) < 1e-9
    assert abs(scope["repaired"][-1] - 1) < 1e-9


def test_the_numbers_of_the_valley():
    scope = defined("def hessian", "plain, long")
    plain, long, valley = scope["plain"], scope["long"], scope["valley"]
    assert valley(plain[-2]) > 1e-6 >= valley(plain[-1])  # 1586 steps
    assert valley(long[-2]) > 1e-6 >= valley(long[-1])  # 10 steps
    faster = scope["descent"](valley, scope["start"], 0.0196, 461)
    assert valley(faster[-2]) > 1e-6 >= valley(faster[-1])
    too_fast = scope["descent"](valley, scope["start"], 0.02, 2000)
    assert min(map(valley, too_fast)) > 1e-6
    second = np.linalg.eigvalsh(scope["hessian"](valley, np.ones(2)))
    assert [f"{part:.2f}" for part in second] == ["0.39", "101.61"]
    assert f"{2 / second[1]:.4f}" == "0.0197"


def test_newton_can_end_on_a_saddle():
    scope = defined("def hessian", "plain, long")

    def saddle(p):
        return p[0] ** 4 - 2 * p[0] ** 2 + p[1] ** 2

    assert np.allclose(scope["newton_of_many"](saddle, np.array([0.4, 1.2]), 30)[-1], [0, 0], atol=1e-6)
    assert np.allclose(np.linalg.eigvalsh(scope["hessian"](saddle, np.zeros(2))), [-4, 2])


def test_quartic_s_answer_is_folded_and_right():
    cell = cell_with("lambda x: x**4")
    assert cell.metadata["jupyter"]["outputs_hidden"]
    assert re.findall(r"[\d.]+", said(cell))[:3] == ["3.0000", "2.0000", "1.3333"]


# -- the judges know their functions ------------------------------------------------------------------------


def test_the_judges_know_their_second_slopes():
    assert np.linalg.eigvalsh(ad.hessian(lesson_16.bowl)(np.zeros(3)).data) == pytest.approx([-1, 1, 3])

    def ravine(p):
        return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] * p[0]) ** 2

    largest = np.linalg.eigvalsh(ad.hessian(ravine)(np.ones(2)).data)[-1]
    assert pytest.approx(2 / largest, rel=1e-6) == lesson_16.RATE.answer()
