"""sum and mean: axes counted from either end, several at once, none at all, and nothing to add up."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autodiff import Tensor


def matrix():
    return Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.mark.parametrize("axis", [None, 0, 1, -1, -2, (0, 1), (-1, 0), ()])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("name", ["sum", "mean"])
def test_every_element_gets_what_its_sum_gets(name, axis, keepdims):
    x = matrix()
    out = getattr(x, name)(axis=axis, keepdims=keepdims)
    expected = getattr(x.data, name)(axis=axis, keepdims=keepdims)
    np.testing.assert_allclose(out.data, expected)
    incoming = 1.0 + np.arange(expected.size).reshape(expected.shape)
    out.backward(incoming)
    laid_out = incoming.reshape(getattr(x.data, name)(axis=axis, keepdims=True).shape)
    share = 1 if name == "sum" else expected.size / x.size
    np.testing.assert_allclose(x.grad.data, np.broadcast_to(laid_out * share, x.shape))


def test_sum_of_nothing_is_0_and_its_gradient_is_empty():
    x = Tensor(np.zeros((0, 3)))
    y = x.sum()
    y.backward()
    assert y == 0
    assert x.grad.shape == (0, 3)


def test_mean_of_nothing_is_nan_without_a_warning():
    x = Tensor(np.zeros((0, 3)))
    y = x.mean()
    y.backward()
    assert math.isnan(y.data)
    assert x.grad.shape == (0, 3)
    assert np.isnan(x.mean(axis=0).data).tolist() == [True] * 3
    assert x.mean(axis=1).shape == (0,)


@pytest.mark.parametrize("name", ["sum", "mean"])
def test_of_a_number_it_is_the_number(name):
    x = Tensor(3)
    y = getattr(x, name)()
    y.backward()
    assert (y.data, x.grad.data) == (3, 1)


def test_reducing_keeps_the_dtype():
    x = Tensor(np.ones((2, 2), dtype=np.float32))
    assert (x.sum().dtype, x.mean().dtype, x.mean(axis=0).dtype) == (np.float32,) * 3


def test_integers_are_added_as_integers():
    labels = Tensor(np.array([1, 2, 3]), requires_grad=False)
    assert labels.sum().dtype.kind == "i"


def test_an_axis_that_is_not_there():
    with pytest.raises(ValueError, match=r"sum .*\(2, 3\).*axis 2 is out of bounds"):
        matrix().sum(axis=2)
