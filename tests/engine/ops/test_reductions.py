"""sum, mean, var, std, norm: axes from either end, several, none at all, and nothing to add up."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autodiff import Tensor
from autodiff.engine.backward import gradients
from autodiff.engine.catalogue import catalogue


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


def run(name, x, **options):
    return catalogue.find(name)(x, **options)


@pytest.mark.parametrize(
    ("name", "ddof", "value", "gradient"),
    [
        ("var", 0, 1.25, [-0.75, -0.25, 0.25, 0.75]),
        ("var", 1, 5 / 3, [-1, -1 / 3, 1 / 3, 1]),
        ("std", 0, 1.25**0.5, [-0.335410, -0.111803, 0.111803, 0.335410]),
    ],
)
def test_variance_by_hand(name, ddof, value, gradient):
    x = Tensor([1.0, 2.0, 3.0, 4.0])
    y = run(name, x, ddof=ddof)
    y.backward()
    assert y.item() == pytest.approx(value)
    assert x.grad.data == pytest.approx(gradient, rel=1e-5)


def test_variance_far_from_0_loses_nothing():
    x = Tensor(1e8 + np.array([0.0, 1.0, 2.0]))
    y = run("var", x)
    y.backward()
    assert y.item() == pytest.approx(2 / 3)
    assert x.grad.data == pytest.approx([-2 / 3, 0, 2 / 3])


@pytest.mark.parametrize(
    ("name", "at"), [("std", [2.0, 2.0]), ("norm", [0.0, 0.0]), ("std", 5.0), ("norm", 0.0)]
)
def test_at_its_kink_the_slope_is_0(name, at):
    x = Tensor(at)
    y = run(name, x)
    y.backward()
    assert y == 0
    assert not np.any(x.grad.data)


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("ddof", [0, 1])
def test_variance_of_nothing_is_nan_without_a_warning(name, ddof):
    x = Tensor(np.zeros((0, 3)))
    y = run(name, x, axis=0, ddof=ddof)
    y.backward(1)
    assert np.isnan(y.data).tolist() == [True] * 3
    assert x.grad.shape == (0, 3)


def test_a_variance_that_leaves_nothing_to_divide_by_is_nan():
    x = Tensor(3.0)
    y = run("var", x, ddof=1)
    y.backward()
    assert math.isnan(y.data)
    assert math.isnan(x.grad.data)


@pytest.mark.parametrize("size", [1.0, 1000.0, 1e-100])
def test_length_by_hand(size):
    x = Tensor([[3 * size, 4 * size], [0, 0]])
    y = run("norm", x, axis=1)
    y.backward(1)
    assert y.data == pytest.approx([5 * size, 0])
    assert x.grad.data == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))


def test_the_length_of_a_number_is_its_size():
    x = Tensor(-3)
    y = run("norm", x)
    y.backward()
    assert (y.data, x.grad.data) == (3, -1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["norm", "std"])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_length_overflows_where_it_is_too_large_itself_and_not_before(name, dtype, sign):
    """In float32 the square of 1e21 is inf and that of 1e-30 is 0; a length there has all its digits."""
    values = np.array([3.0, -4.0, 0.0, 12.0])
    exact = Tensor(values)
    size = run(name, exact)
    size.backward()
    for power in (-120, -40, 40, 120) if dtype == np.float32 else (-1000, -300, 300, 1000):
        x = Tensor(np.ldexp(sign * values, power).astype(dtype))
        y = run(name, x)
        y.backward()
        assert y.dtype == dtype
        assert np.ldexp(np.float64(y.item()), -power) == pytest.approx(size.item(), rel=1e-6)
        assert sign * x.grad.data == pytest.approx(exact.grad.data, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("name", ["norm", "std"])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1,), ()], ids=str)
def test_a_length_of_nothing_and_of_one(name, shape):
    axis = 0 if shape else None
    x = np.full(shape, 1e-200)
    with np.errstate(all="ignore"):
        expected = np.abs(x).sum(axis) if name == "norm" else x.sum(axis) * (np.nan if shape == (0, 3) else 0)
    np.testing.assert_array_equal(run(name, Tensor(x), axis=axis).numpy(), expected)


def test_the_second_derivative_of_a_length_is_scaled_too():
    x = Tensor(np.array([3e30, 4e30], np.float32))
    slope = gradients(run("norm", x), [x], create_graph=True)[0]
    by_x = gradients(slope, [x], np.array([1, 0], np.float32))[0]
    np.testing.assert_allclose(by_x.data, [0.64 / 5e30, -0.48 / 5e30], rtol=1e-5)
