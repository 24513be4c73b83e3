"""Writing into a Tensor: ``t[index] = value`` and ``t.assign(value)``."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor


@pytest.mark.parametrize(
    ("index", "value", "result"),
    [
        (0, 9, [[9, 9], [3, 4]]),
        ((1, 0), 9, [[1, 2], [9, 4]]),
        (..., 0, [[0, 0], [0, 0]]),
        (slice(1, None), [5, 6], [[1, 2], [5, 6]]),
        (np.array([True, False]), 7, [[7, 7], [3, 4]]),
        ((Tensor([0, 1], requires_grad=False), [1, 0]), [8, 9], [[1, 8], [9, 4]]),
    ],
    ids=["row", "element", "all", "slice", "mask", "tensor index"],
)
def test_a_leaf_is_written_into(index, value, result):
    t = Tensor([[1, 2], [3, 4]])
    same = t
    t[index] = value
    assert same is t
    assert (t.data.tolist(), t.grad, t.dtype) == (result, None, np.float64)


def test_what_shares_the_array_keeps_its_value():
    t = Tensor([1.0, 2.0])
    before, view = t.detach(), t.data[:1]
    t[0] = 9
    assert (before.data.tolist(), view.tolist()) == ([1, 2], [1])


def test_a_change_is_counted():
    t = Tensor([1.0, 2.0], name="t")
    y = (t * t).sum()
    t[0] = 9
    with pytest.raises(RuntimeError, match=r"'t' of shape \(2,\) was changed after"):
        y.backward()


def test_nothing_that_wants_a_gradient_is_lost_in_silence():
    t, x = Tensor([1.0, 2.0]), Tensor(3.0, name="x")
    with pytest.raises(RuntimeError, match=r"the Tensor 'x' 3 would lose its gradient when written into"):
        t[0] = x
    with pytest.raises(RuntimeError, match=r"cannot write into the Tensor of shape .*\(made by mul\)"):
        (t * 2)[0] = 1
    assert t.data.tolist() == [1, 2]
    with ad.no_grad():
        t[0] = x
    assert t.data.tolist() == [3, 2]


@pytest.mark.parametrize(("index", "error"), [(5, IndexError), ("a", IndexError)])
def test_a_place_that_is_not_there(index, error):
    t = Tensor([1.0, 2.0])
    with pytest.raises(error):
        t[index] = 1
    assert t.data.tolist() == [1, 2]


def test_a_number_has_no_elements():
    with pytest.raises(TypeError, match=r"is a number and has no elements; use t.assign\(value\)"):
        Tensor(1.0)[0] = 2


def test_assign_gives_new_data_in_the_old_dtype_to_the_same_object():
    t = Tensor(np.array([1, 2], np.float32))
    (t * t).sum().backward()
    assert t.assign([3.5, 4]) is t
    assert (t.data.tolist(), t.dtype, t.grad) == ([3.5, 4], np.float32, None)
    number = Tensor(1.0)
    assert type(number.assign(2).data) is float


def test_assign_refuses_another_shape_and_a_recorded_tensor():
    t = Tensor([1.0, 2.0])
    with pytest.raises(ValueError, match=r"cannot assign to .* the new value has shape \(3,\)"):
        t.assign([1, 2, 3])
    with pytest.raises(RuntimeError, match=r"cannot assign to .* its value comes from its creators"):
        (t * 2).assign([1, 2])
    assert t.data.tolist() == [1, 2]
