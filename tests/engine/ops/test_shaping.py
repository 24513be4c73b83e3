"""reshape, transpose, broadcast_to, cast: elements move, gradients find the way back."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor


def numbered(*shape):
    return np.arange(np.prod(shape), dtype=float).reshape(shape)


@pytest.mark.parametrize("shape", [(3, 2), (6,), (-1,), (2, -1), (1, 6, 1), [3, 2]], ids=str)
def test_reshape_there_and_back(shape):
    x = Tensor(numbered(2, 3))
    y = x.reshape(shape)
    y.backward(y.data)
    np.testing.assert_array_equal(y.data, x.data.reshape(shape))
    np.testing.assert_array_equal(x.grad.data, x.data)


def test_reshape_takes_sizes_one_by_one():
    assert Tensor(numbered(2, 3)).reshape(3, 2).shape == (3, 2)
    assert Tensor([5.0]).reshape().shape == ()
    assert Tensor(5.0).reshape(1, 1).shape == (1, 1)


@pytest.mark.parametrize(
    "axes", [None, *itertools.permutations(range(3)), *itertools.permutations((0, -1, 1))]
)
def test_transpose_there_and_back(axes):
    x = Tensor(numbered(2, 3, 4))
    y = ad.transpose(x, axes=axes)
    np.testing.assert_array_equal(y.data, np.transpose(x.data, axes))
    y.backward(y.data)
    np.testing.assert_array_equal(x.grad.data, x.data)


@pytest.mark.parametrize("axes", [(1, 0), (-1, 0), (1, -2), (-1, -2), (0, -1)])
def test_transpose_of_a_square_by_axes_from_either_end(axes):
    """A square hides a wrong order of the axes from every check of shapes."""
    x = Tensor(numbered(2, 2))
    y = x.transpose(*axes)
    y.backward(y.data)
    np.testing.assert_array_equal(x.grad.data, x.data)


def test_transpose_takes_axes_in_every_form():
    x = Tensor(numbered(2, 3, 4))
    assert x.T.shape == x.transpose().shape == (4, 3, 2)
    assert x.transpose(1, 0, 2).shape == x.transpose((1, 0, 2)).shape == (3, 2, 4)
    assert Tensor(5.0).T.shape == ()


def test_transpose_refuses_too_few_axes():
    with pytest.raises(ValueError, match="axes"):
        Tensor(numbered(2, 3)).transpose(0)


def test_broadcast_to_sums_back():
    x = Tensor([[1.0], [2.0]])
    y = ad.broadcast_to(x, shape=(4, 2, 3))
    y.backward(1)
    assert y.shape == (4, 2, 3)
    assert x.grad.data.tolist() == [[12], [12]]


@pytest.mark.parametrize("create_graph", [False, True])
def test_cast_gives_each_side_its_own_dtype(create_graph):
    x = Tensor([1.0, 2.0])
    y = ad.ops.shaping.cast(x, dtype=np.float32)
    (y * y).sum().backward(create_graph=create_graph)
    assert (y.dtype, y.grad.dtype, x.grad.dtype) == (np.float32, np.float32, np.float64)
    assert x.grad.data.tolist() == [2, 4]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda x: x.reshape(4), r"reshape cannot take .*\(2, 3\).*size 6 into shape \(4,\)"),
        (lambda x: x.transpose(0, 0), r"transpose cannot take .*\(2, 3\).*repeated axis"),
        (lambda x: ad.broadcast_to(x, shape=(2,)), r"broadcast_to cannot take .*\(2, 3\)"),
    ],
    ids=["reshape", "transpose", "broadcast_to"],
)
def test_an_impossible_shape_is_refused_by_name(call, says):
    with pytest.raises(ValueError, match=says):
        call(Tensor(numbered(2, 3)))
