"""ad.grad: the gradient of a function as a function."""

from __future__ import annotations

import math

import pytest

import autodiff as ad
from autodiff import Tensor


def derivative(f, times):
    for _ in range(times):
        f = ad.grad(f)
    return f


@pytest.mark.parametrize("order", range(5))
def test_every_derivative_of_a_sine(order):
    expected = [math.sin, math.cos, lambda x: -math.sin(x), lambda x: -math.cos(x), math.sin][order](0.7)
    assert float(derivative(ad.sin, order)(Tensor(0.7))) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("f", "times", "at", "value"),
    [
        (lambda x: x**3, 3, 2.0, 6),
        (lambda x: x.tanh(), 3, 0.0, -2),
        (lambda x: x * x * x, 2, 2.0, 12),
        (lambda x: 3 * x, 2, 2.0, 0),
        (lambda x: x.relu(), 2, 2.0, 0),
        (lambda x: x**2, 4, 2.0, 0),
    ],
    ids=["x**3", "tanh", "x*x*x", "3x", "relu", "x**2, four times"],
)
def test_higher_derivatives(f, times, at, value):
    assert float(derivative(f, times)(at)) == pytest.approx(value)


def test_the_argument_is_chosen_by_number():
    f = lambda x, y: x * x * y
    assert ad.grad(f)(3.0, 5.0) == 30
    assert ad.grad(f, 1)(3.0, 5.0) == 9
    assert ad.grad(f, -1)(3.0, 5.0) == 9


def test_mixed_derivatives_are_the_same_either_way():
    f = lambda x, y: (x * y).sin() + x / y
    one = ad.grad(ad.grad(f, 0), 1)(0.5, 2.0)
    other = ad.grad(ad.grad(f, 1), 0)(0.5, 2.0)
    assert float(one) == pytest.approx(float(other))


def test_of_an_array():
    slope = ad.grad(lambda x: (x * x).sum())([1.0, 2.0])
    assert slope.data.tolist() == [2, 4]


def test_nothing_is_stored_on_grad():
    x, w = Tensor(2.0), Tensor(3.0)
    assert ad.grad(lambda x: w * x * x)(x) == 12
    assert (x.grad, w.grad) == (None, None)


def test_an_argument_that_plays_no_part_has_slope_0():
    w, y = Tensor(3.0), Tensor(2.0)
    (5 * y).backward()
    assert ad.grad(lambda y: w * w)(y) == 0
    assert y.grad == 5


def test_by_a_tensor_that_wants_no_gradient_it_is_not_0():
    assert ad.grad(lambda x: x * x)(Tensor(2.0, requires_grad=False)) == 4


def test_an_infinite_argument_that_plays_no_part_has_slope_0():
    assert ad.grad(lambda x: Tensor(3.0, requires_grad=False))(float("inf")) == 0


def test_under_no_grad_it_is_the_same():
    with ad.no_grad():
        assert ad.grad(lambda x: x * x)(2.0) == 4


def test_a_function_that_returns_no_tensor():
    with pytest.raises(TypeError, match="grad needs a function that returns a Tensor, not float"):
        ad.grad(lambda x: 3.0)(2.0)
