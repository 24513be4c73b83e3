"""Lesson 06: the numbers and the claims of its prose."""

from __future__ import annotations

import math

import pytest

import autodiff as ad
from autodiff_course import machine
from tests.course.stored import cells, lesson_path, prose, said

LESSON = lesson_path("06")


@pytest.fixture
def engine():
    return machine.after(6)


def test_the_numbers_in_the_prose():
    assert f"{math.exp(1):.5f}" == "2.71828"
    assert f"{-1 * 3**-2:.4f}" == "-0.1111"
    assert isinstance((-3) ** 2.001, complex)
    assert f"{1 - 0.5**2} {1 - math.tanh(0.5) ** 2:.4f}" == "0.75 0.7864"


def test_the_wrong_rules_are_right_where_the_prose_says_so():
    for x in (0.7, 2.3, -3):
        assert 2 * x == 2 * x ** (2 - 1)  # "y times x", for y = 2
    assert math.exp(0) == 1 + 0  # "1 + x", at 0
    assert 1 - math.tanh(0) ** 2 == 1  # "1 - x * x", at 0


def test_a_negative_base_under_a_tensor_stops_the_machine_and_gives_nan_in_the_package(engine):
    for base in (-3, 0):
        with pytest.raises(ValueError, match=r"domain|positive"):
            engine.backward(engine.Tensor(base) ** engine.Tensor(2))
    x = engine.Tensor(-3)
    engine.backward(x**2)
    assert x.grad == -6
    x, y = ad.Tensor(-3), ad.Tensor(2)
    (x**y).backward()
    assert x.grad.data == -6
    assert math.isnan(y.grad.data)


def test_tanh_built_of_exp_has_the_slope_of_tanh(engine):
    cell = next(cell for cell in cells(LESSON) if cell.source.startswith("def tanh_of_exp"))
    scope = {"exp": engine.exp}
    exec(cell.source.split("for at in")[0], scope)
    for at in (-2, 0, 0.3, 0.5, 3):
        x = engine.Tensor(at)
        engine.backward(scope["tanh_of_exp"](x))
        assert x.grad == pytest.approx(1 - math.tanh(at) ** 2, abs=1e-14)


@pytest.mark.parametrize(("x", "y"), [(3, -1.7), (0.4, 2.5), (2, 0)])
def test_a_power_built_of_exp_and_log_has_the_slopes_of_pow(engine, x, y):
    slopes = []
    for f in (lambda x, y: x**y, lambda x, y: engine.exp(y * engine.log(x))):
        leaves = engine.Tensor(x), engine.Tensor(y)
        engine.backward(f(*leaves))
        slopes.append([leaf.grad for leaf in leaves])
    assert slopes[0] == pytest.approx(slopes[1])


def test_the_coffee_s_rate_stands_still_after_ten_steps():
    lines = next(said(cell) for cell in cells(LESSON) if cell.source.startswith("measured =")).splitlines()
    after = {line.split(":")[0]: float(line.split("k = ")[1].split(",")[0]) for line in lines}
    assert abs(after["step 10"] - after["step 50"]) < 0.0002
    assert math.exp(-0.5906 * 1.1736) == pytest.approx(0.5, abs=1e-3)  # 11.7 minutes


def test_twelve_operations_come_within_the_distance_of_the_open_question():
    operations = []

    class Counted:
        def __init__(self, x):
            self.x = x

        def __add__(self, other):
            operations.append("+")
            return Counted(self.x + getattr(other, "x", other))

        def __mul__(self, other):
            operations.append("*")
            return Counted(self.x * getattr(other, "x", other))

        __radd__, __rmul__ = __add__, __mul__

    solutions = next(lesson_path("06").parent.glob("solutions/06_*.ipynb"))
    scope = {}
    cell = next(cell for cell in cells(solutions) if cell.source.startswith("def own_exp"))
    exec(cell.source.split("print(")[0], scope)
    assert abs(scope["own_exp"](Counted(1.0)).x - math.e) < 1e-5
    assert len(operations) == 12
    assert "at most twelve" in prose(LESSON)
