"""Arrays of another library, such as CuPy's: operations call them by NumPy's protocols, and never make NumPy
arrays of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff import Tensor
from autodiff.engine.catalogue import catalogue
from autodiff.engine.tensor import constant_tensor
from tests.engine.ops.cases import CASES, calls, examples

TABLES = ("erf", "erfc", "gelu")  # NumPy has neither, and ours are read off tables, which are NumPy's


class Duck(np.lib.mixins.NDArrayOperatorsMixin):
    """Computes as NumPy does, in a house of its own that nothing is taken out of."""

    def __init__(self, inside):
        self.inside = inside

    shape = property(lambda self: self.inside.shape)
    dtype = property(lambda self: self.inside.dtype)
    ndim = property(lambda self: self.inside.ndim)

    def __len__(self):
        return len(self.inside)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("this array would have been made into NumPy's")

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return housed(getattr(ufunc, method)(*taken(inputs), **taken(options)))

    def __array_function__(self, function, types, args, kwargs):
        return housed(function(*taken(args), **taken(kwargs)))

    def __getitem__(self, index):
        return housed(self.inside[index])

    def __setitem__(self, index, value):
        self.inside[index] = taken(value)

    def sum(self, **options):
        return housed(self.inside.sum(**options))

    def reshape(self, shape):
        return housed(self.inside.reshape(shape))

    def astype(self, dtype):
        return housed(self.inside.astype(dtype))


def housed(value):
    if isinstance(value, tuple):
        return tuple(map(housed, value))
    return Duck(np.asarray(value)) if isinstance(value, (np.ndarray, np.generic)) else value


def taken(value):
    if isinstance(value, (list, tuple)):
        return type(value)(map(taken, value))
    if isinstance(value, dict):
        return {name: taken(part) for name, part in value.items()}
    return value.inside if isinstance(value, Duck) else value


@pytest.mark.parametrize("name", [name for name in CASES if name not in TABLES])
@examples(3)
@given(data=st.data())
def test_an_operation_leaves_it_in_its_house(name, data):
    operands, options = data.draw(calls(name))
    ducks = [Duck(np.array(operand)) for operand in operands]
    expected = catalogue.find(name)(*map(np.array, operands), **options)
    out = catalogue.find(name)(*ducks, **options)
    assert type(out) is Duck
    np.testing.assert_array_equal(out.inside, expected)
    out = catalogue.find(name)(*map(constant_tensor, ducks), **options)
    assert type(out) is Tensor
    assert type(out.data) is Duck
    np.testing.assert_array_equal(out.data.inside, expected)


def test_a_tensor_can_hold_it_and_walks_back_in_its_house():
    w = Tensor(Duck(np.array([[1.0, 2.0], [3.0, 4.0]])))
    x = Duck(np.array([0.5, -1.0]))
    b = Tensor(Duck(np.array(0.5)))
    loss = ((x @ w + b).tanh() * 3).sum()
    loss.backward()
    twin = Tensor(np.array([[1.0, 2.0], [3.0, 4.0]])), Tensor(np.array(0.5))
    ((x.inside @ twin[0] + twin[1]).tanh() * 3).sum().backward()
    for ours, numpys in zip((w, b), twin):
        assert type(ours.grad.data) is Duck
        np.testing.assert_allclose(ours.grad.data.inside, numpys.grad.data, rtol=1e-14)
    w.zero_grad()
    (w * 2).backward(Duck(np.ones((2, 2))))
    assert w.grad.data.inside.tolist() == [[2, 2], [2, 2]]
    (w * 2).backward(1)
    assert w.grad.data.inside.tolist() == [[4, 4], [4, 4]]


def test_a_copy_is_kept():
    given = Duck(np.array([1.0, 2.0]))
    t = Tensor(given)
    t += 1
    assert (given.inside.tolist(), t.data.inside.tolist()) == ([1, 2], [2, 3])
