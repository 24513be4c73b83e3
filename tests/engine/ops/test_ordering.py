"""max, min, sort and their kin: which element wins, and who gets the gradient of a tie."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import Tensor
from autodiff.backward import gradients
from autodiff.catalogue import catalogue


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
