"""reshape and transpose with their kin, broadcast_to, cast: elements move, gradients find the way back."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.catalogue import catalogue


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
    y = x.transpose(axes)
    y.backward(y.data)
    np.testing.assert_array_equal(x.grad.data, x.data)


def test_transpose_takes_axes_in_every_form():
    x = Tensor(numbered(2, 3, 4))
    assert x.T.shape == x.transpose().shape == (4, 3, 2)
    assert x.transpose(1, 0, 2).shape == x.transpose((1, 0, 2)).shape == (3, 2, 4)
    assert Tensor(5.0).T.shape == ()


@pytest.mark.parametrize("axes", [0, -1, (0,), [-1], np.array(0), np.int64(-1)], ids=repr)
@pytest.mark.parametrize("create_graph", [False, True])
def test_the_one_axis_of_a_vector_needs_no_tuple(axes, create_graph):
    x = Tensor([1.0, 2.0])
    y = x.transpose(axes)
    y.backward([3, 4], create_graph=create_graph)
    assert y.data.tolist() == [1, 2]
    assert x.grad.data.tolist() == [3, 4]


@pytest.mark.parametrize(
    ("axes", "says"),
    [
        (0, "axes don't match array"), ((0, 0), "repeated axis"), ((0, 1, 2), "axes don't match array"),
        ((0, 5), "axis 5 is out of bounds"), ((0, -2), "repeated axis"), ((-1, 1), "repeated axis"),
    ],
    ids=str,
)  # fmt: skip
def test_axes_that_do_not_permute_are_refused_at_the_call(axes, says):
    with pytest.raises(ValueError, match=rf"transpose cannot take .*\(2, 3\).*{says}"):
        Tensor(np.ones((2, 3))).transpose(axes)


@pytest.mark.parametrize("axes", [(0, 1), (-2, -1), (0, -1), (-2, 1)])
def test_transpose_of_a_matrix_by_the_order_it_has_warns_somebody_who_means_to_swap(axes):
    x = Tensor(numbered(2, 3))
    message = r"leaves a matrix as it is.*write t\.T or t\.swapaxes\(0, 1\)"
    with pytest.warns(UserWarning, match=message) as told:
        y = x.transpose(*axes)
    assert (y.shape, told[0].filename) == ((2, 3), __file__)
    assert x.transpose(axes).shape == x.permute(*axes).shape == ad.transpose(x, axes).shape == (2, 3)
    assert x.transpose(1, 0).shape == x.swapaxes(0, 1).shape == (3, 2)


def test_without_axes_all_are_reversed():
    x = Tensor(numbered(2, 3, 4))
    for y in (x.transpose(), x.permute(), ad.transpose(x), x.T):
        np.testing.assert_array_equal(y.data, x.data.transpose())
        assert y.shape == (4, 3, 2)


@pytest.mark.parametrize("shape", [(2, 3, 4), (2,), (1, 2, 1, 1)], ids=str)
def test_two_axes_of_another_number_are_refused_with_the_word_for_a_swap(shape):
    x = Tensor(numbered(*shape), name="x")
    for call in (lambda: x.transpose(0, 1), lambda: x.permute(0, 1), lambda: ad.transpose(x, (0, 1))):
        with pytest.raises(ValueError, match=r"transpose cannot take .* 'x'.*write swapaxes\(x, 0, 1\)"):
            call()
    with pytest.raises(TypeError, match=r"transpose takes .*; it got 3; .*write swapaxes\(x, 0, 1\)"):
        ad.transpose(x, 0, 1)


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


@pytest.mark.parametrize(
    ("name", "options", "shape"),
    [
        ("ravel", {}, (6,)),
        ("flatten", {"start_dim": 1}, (1, 6)),
        ("flatten", {"start_dim": 0, "end_dim": -2}, (2, 3)),
        ("squeeze", {}, (2, 3)),
        ("squeeze", {"axis": 0}, (2, 3)),
        ("expand_dims", {"axis": (0, -1)}, (1, 1, 2, 3, 1)),
        ("swapaxes", {"axis1": 0, "axis2": -1}, (3, 2, 1)),
        ("moveaxis", {"source": 0, "destination": -1}, (2, 3, 1)),
        ("moveaxis", {"source": (0, 1), "destination": (1, 2)}, (3, 1, 2)),
        ("flip", {"axis": (0, 2)}, (1, 2, 3)),
        ("roll", {"shift": 2}, (1, 2, 3)),
        ("roll", {"shift": (1, -2), "axis": (1, 2)}, (1, 2, 3)),
    ],
    ids=str,
)
def test_elements_and_their_gradients_move_there_and_back(name, options, shape):
    x = Tensor(numbered(1, 2, 3))
    y = catalogue.find(name)(x, **options)
    y.backward(y.data)
    assert y.shape == shape
    np.testing.assert_array_equal(x.grad.data, x.data)


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("flatten", {"start_dim": 1, "end_dim": 0}, "needs start_dim <= end_dim, not 1 and 0"),
        ("flatten", {"start_dim": 2}, "out of bounds"),
        ("squeeze", {"axis": 0}, "not equal to one"),
        ("swapaxes", {"axis1": 0, "axis2": 2}, "out of bounds"),
        ("moveaxis", {"source": (0, 0), "destination": (0, 1)}, "repeated axis"),
    ],
    ids=str,
)
def test_an_axis_that_will_not_do_is_refused_by_name(name, options, says):
    with pytest.raises(ValueError, match=rf"{name} cannot take .*\(2, 3\).*{says}"):
        catalogue.find(name)(Tensor(numbered(2, 3)), **options)
