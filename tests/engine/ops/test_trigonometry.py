"""Circular and hyperbolic functions: values and slopes by hand, the ends of their domains, and the origin."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autodiff import Tensor
from autodiff.ops import trigonometry as trig

INF, PI = math.inf, math.pi


@pytest.mark.parametrize(
    ("operation", "x", "value", "slope"),
    [
        (trig.tan, PI / 4, 1, 2),
        (trig.arcsin, 0.5, PI / 6, 2 / math.sqrt(3)),
        (trig.arccos, 0.5, PI / 3, -2 / math.sqrt(3)),
        (trig.arctan, 1, PI / 4, 0.5),
        (trig.sinh, math.log(2), 0.75, 1.25),
        (trig.cosh, math.log(2), 1.25, 0.75),
        (trig.arcsinh, 0.75, math.log(2), 0.8),
        (trig.arccosh, 1.25, math.log(2), 1 / 0.75),
        (trig.arctanh, 0.6, math.log(2), 1 / 0.64),
        (trig.arcsin, 1, PI / 2, INF),
        (trig.arccos, -1, PI, -INF),
        (trig.arctan, 1000, math.atan(1000), 1 / 1000001),
        (trig.sinh, 1000, INF, INF),
        (trig.cosh, -1000, INF, -INF),
        (trig.arcsinh, -1000, math.asinh(-1000), 1 / math.sqrt(1000001)),
        (trig.arccosh, 1, 0, INF),
        (trig.arccosh, 1e200, math.acosh(1e200), 1e-200),
        (trig.arctanh, 1, INF, INF),
    ],
)
@pytest.mark.parametrize("form", [float, lambda x: np.array([x], dtype=float)], ids=["number", "array"])
def test_value_and_slope(operation, x, value, slope, form):
    x = Tensor(form(x))
    y = operation(x)
    y.backward()
    assert (y.item(), x.grad.item()) == pytest.approx((value, slope), rel=1e-14, abs=1e-300)


@pytest.mark.parametrize(
    ("operation", "x"), [(trig.arcsin, 1.5), (trig.arccos, -1.5), (trig.arccosh, -2), (trig.arctanh, 1.5)]
)
def test_outside_the_domain_is_nan(operation, x):
    assert math.isnan(operation(Tensor(x)).data)


def test_arctan2_turns_with_the_point():
    y, x = Tensor([3.0, 3.0, -3.0, 0.0]), Tensor([4.0, -4.0, -4.0, 2.0])
    angle = trig.arctan2(y, x)
    angle.backward(1)
    small = math.atan2(3, 4)
    np.testing.assert_allclose(angle.data, [small, PI - small, small - PI, 0], rtol=1e-15)
    np.testing.assert_allclose(y.grad.data, [0.16, -0.16, -0.16, 0.5], rtol=1e-15)
    np.testing.assert_allclose(x.grad.data, [-0.12, -0.12, 0.12, 0], rtol=1e-15)


def test_hypot_is_the_distance():
    x, y = Tensor([3.0, -3e200, 0.0]), Tensor([4.0, 4e200, -5.0])
    z = trig.hypot(x, y)
    z.backward(1)
    np.testing.assert_allclose(z.data, [5, 5e200, 5], rtol=1e-15)
    np.testing.assert_allclose(x.grad.data, [0.6, -0.6, 0], rtol=1e-15)
    np.testing.assert_allclose(y.grad.data, [0.8, 0.8, -1], rtol=1e-15)


@pytest.mark.parametrize("operation", [trig.arctan2, trig.hypot], ids=str)
@pytest.mark.parametrize("form", [float, lambda x: np.array([x], dtype=float)], ids=["number", "array"])
def test_slopes_in_the_origin_are_0(operation, form):
    x, y = Tensor(form(0)), Tensor(form(0))
    operation(x, y).backward()
    assert (x.grad.item(), y.grad.item()) == (0, 0)


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e200, 1e300])
def test_the_slopes_of_an_angle_and_a_distance_where_squares_overflow_or_are_lost(size):
    y, x = Tensor(3 * size), Tensor(4 * size)
    trig.arctan2(y, x).backward()
    assert (y.grad.item(), x.grad.item()) == pytest.approx((4 / 25 / size, -3 / 25 / size))
    for grad in (1.0, 1e300):
        y, x = Tensor(np.array([3 * size])), Tensor(np.array([4 * size]))
        trig.hypot(y, x).backward(grad)
        assert (y.grad.item(), x.grad.item()) == pytest.approx((0.6 * grad, 0.8 * grad))


def test_arcsinh_has_a_slope_far_out():
    x = Tensor([1e200, -1e300])
    trig.arcsinh(x).backward(1)
    assert x.grad.data == pytest.approx([1e-200, 1e-300], abs=0)
