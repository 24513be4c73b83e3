"""max, min, median, sort and their kin: which element wins, and who gets the gradient of a tie."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import Tensor
from autodiff.engine.backward import gradients
from autodiff.engine.catalogue import catalogue


def run(name, x, **options):
    return catalogue.find(name)(x, **options)


@pytest.mark.parametrize(
    ("name", "axis", "gradient"),
    [
        ("max", None, [[0.5, 0, 0.5], [0, 0, 0]]),
        ("max", 1, [[0.5, 0, 0.5], [0, 1, 0]]),
        ("max", -2, [[1, 0, 1], [0, 1, 0]]),
        ("min", (1, 0), [[0, 0.5, 0], [0.5, 0, 0]]),
        ("min", (), [[1, 1, 1], [1, 1, 1]]),
    ],
)
def test_ties_share_the_gradient(name, axis, gradient):
    x = Tensor([[7.0, 1.0, 7.0], [1.0, 3.0, 2.0]])
    y = run(name, x, axis=axis)
    y.backward(1)
    np.testing.assert_array_equal(y.data, getattr(np, name)(x.data, axis=axis))
    assert x.grad.data.tolist() == gradient


@pytest.mark.parametrize("name", ["max", "min"])
def test_of_a_number_it_is_the_number(name):
    x = Tensor(-3)
    y = run(name, x)
    y.backward()
    assert (y.data, x.grad.data) == (-3, 1)


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_of_nothing_there_is_none(name):
    with pytest.raises(ValueError, match=rf"{name} cannot take .*\(0,\)"):
        run(name, Tensor(np.zeros(0)))


def test_places_are_constants():
    x = Tensor([3.0, 1.0, 3.0])
    for name, place in (("argmax", 0), ("argmin", 1), ("argsort", [1, 0, 2])):
        y = run(name, x)
        assert y.numpy().tolist() == place
        assert y.dtype.kind == "i"
        assert not y.requires_grad


def test_each_element_keeps_its_gradient_when_sorted():
    x = Tensor([[3.0, 1.0, 2.0], [5.0, 5.0, 4.0]])
    y = run("sort", x)
    y.backward([[1, 2, 3], [10, 20, 30]])
    assert y.data.tolist() == [[1, 2, 3], [4, 5, 5]]
    assert x.grad.data.tolist() == [[3, 1, 2], [20, 30, 10]]


def test_second_derivative_goes_through_the_order():
    x = Tensor([3.0, 1.0])
    slope = gradients(run("sort", x) ** 3 * [1, 10], [x], 1, create_graph=True)[0]
    assert slope.data.tolist() == [270, 3]
    assert gradients(slope, [x], 1)[0].data.tolist() == [180, 6]


@pytest.mark.parametrize(
    ("values", "median", "gradient"),
    [
        ([3.0, 1.0, 2.0], 2, [0, 0, 1]),
        ([4.0, 1.0, 9.0, 2.0], 3, [0.5, 0, 0, 0.5]),
        ([5.0], 5, [1]),
        ([2.0, 2.0, 2.0], 2, [0, 1, 0]),  # in their order, as sort has them
        ([2.0, 1.0, 2.0, 2.0], 2, [0.5, 0, 0.5, 0]),
        ([np.inf, 0.0, -np.inf], 0, [0, 1, 0]),
    ],
)
@pytest.mark.parametrize("create_graph", [False, True])
def test_the_gradient_of_a_median_goes_to_the_middle(values, median, gradient, create_graph):
    x = Tensor(values)
    y = run("median", x)
    y.backward(create_graph=create_graph)
    assert y == median
    assert x.grad.data.tolist() == gradient


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [0, -1, (0, 2), (2, 0), (1, 0, 2), ()], ids=str)
def test_the_median_along_several_axes(axis, keepdims):
    array = np.random.default_rng(0).permutation(24).astype(float).reshape(2, 3, 4)
    x = Tensor(array)
    y = run("median", x, axis=axis, keepdims=keepdims)
    y.backward(1)
    np.testing.assert_array_equal(y.data, np.median(array, axis=axis, keepdims=keepdims))
    whole = np.sum(x.grad.data, axis=axis, keepdims=keepdims)
    np.testing.assert_array_equal(whole, np.ones(y.shape))
    np.testing.assert_array_equal(np.sum(x.grad.data * array, axis=axis, keepdims=keepdims), y.data)


def test_the_median_of_nothing_and_of_no_number_is_nan():
    x = Tensor(np.zeros((0, 3)))
    y = run("median", x, axis=0)
    y.backward(1)
    assert np.isnan(y.data).tolist() == [True] * 3
    assert x.grad.shape == (0, 3)
    assert run("median", x, axis=1).shape == (0,)
    assert np.isnan(run("median", Tensor([1.0, np.nan, 2.0])).data)
    assert run("median", np.array([1, 2, 4, 8])) == 3


def test_the_median_of_a_number_is_the_number():
    x = Tensor(-3)
    y = run("median", x)
    y.backward()
    assert (y.data, x.grad.data) == (-3, 1)
