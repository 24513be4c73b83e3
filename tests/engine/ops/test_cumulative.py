"""Products and sums that run along an axis, with zeros among the factors."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.backward import gradients
from autodiff.engine.catalogue import catalogue

prod, cumprod = catalogue.find("prod"), catalogue.find("cumprod")


@pytest.mark.parametrize(
    ("factors", "gradient"),
    [([2, 3, 4], [12, 8, 6]), ([0, 3, 4], [12, 0, 0]), ([0, 3, 0], [0, 0, 0]), ([], []), ([5], [1])],
)
def test_the_slope_of_a_product_is_the_product_of_the_others(factors, gradient):
    x = Tensor(np.array(factors, dtype=float))
    y = prod(x)
    y.backward()
    assert y == np.prod(factors)
    assert x.grad.data.tolist() == gradient


def test_two_zeros_have_a_second_derivative():
    """d/dx d/dy of x y 3 is 3, at 0 too."""
    x = Tensor([0.0, 0.0, 3.0])
    slope = gradients(prod(x), [x], create_graph=True)[0]
    assert gradients(slope, [x], [1, 0, 0])[0].data.tolist() == [0, 3, 0]


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1), (-1, 0), (2, 0), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_prod_along_axes(axis, keepdims):
    x = 0.5 + np.arange(12.0).reshape(2, 3, 2)
    x[0, 1, 0] = 0
    y = prod(Tensor(x), axis=axis, keepdims=keepdims)
    np.testing.assert_allclose(y.data, np.prod(x, axis=axis, keepdims=keepdims))
    assert ad.gradcheck(lambda x: prod(x, axis=axis, keepdims=keepdims), x / 4)


def test_a_cumulative_product_over_a_zero():
    x = Tensor([2.0, 0.0, 3.0])
    y = cumprod(x)
    y.backward([1, 1, 1])
    assert y.data.tolist() == [2, 0, 0]
    assert x.grad.data.tolist() == [1, 2 + 6, 0]


def test_a_cumulative_product_that_overflows_has_the_gradients_that_do_not():
    x = Tensor(np.full(200, 1000.0))
    cumprod(x).backward([1.0] + [0.0] * 199)
    assert x.grad.data[0] == 1


def test_without_an_axis_all_elements_are_one_row():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    y = catalogue.find("cumsum")(x)
    y.backward(1)
    assert y.data.tolist() == [1, 3, 6, 10]
    assert x.grad.data.tolist() == [[4, 3], [2, 1]]
    number = Tensor(3)
    cumprod(number).backward(1)
    assert number.grad == 1


def test_a_recurrence_by_hand():
    half, x = Tensor(0.5), Tensor([8.0, 0.0, 1.0])
    y = catalogue.find("linear_recurrence")(half, x)
    y.backward([0, 0, 1])
    assert y.data.tolist() == [8, 4, 3]
    assert x.grad.data.tolist() == [0.25, 0.5, 1]
    assert half.grad == 8 * 2 * 0.5
