"""Comparisons of numbers count as Python counts them: compiled, over a batch of numbers, and in both."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.tracing import TraceError

VALUES = (0.7, 2.0, -0.3, 0.5)
PARTS = {
    "x": lambda x: x,
    "x > 0": lambda x: x > 0,
    "x >= 0.5": lambda x: x >= 0.5,
    "x * x < 1": lambda x: x * x < 1,
    "two": lambda x: (x > 0) + (x > 0.6),
    "True": lambda x: True,
    "2": lambda x: 2,
    "-1": lambda x: -1,
    "0.5": lambda x: 0.5,
    "an array": lambda x: np.array([0.5, 2.0]),
    "single precision": lambda x: np.float32(1.5),
}
VARYING = ("x", "x > 0", "x * x < 1", "two")
PAIRS = [pair for pair in itertools.product(PARTS, PARTS) if not {*pair}.isdisjoint(VARYING)]
CALLS = {
    name: getattr(operator, name)
    for name in ("add", "sub", "mul", "and_", "or_", "xor", "lshift", "lt", "ge", "eq")
} | {
    "pow": lambda a, b: a**b * 1.0,  # in Python an int to an int is a float where that is negative
    "pow of constants": lambda a, b: a**2 + b ** (a > 0),
    "truediv": lambda a, b: a / (b * b + 1),
    "floordiv": lambda a, b: a // 2 + b // -1,
    "mod": lambda a, b: a % 2 - b % -3,
    "divmod": lambda a, b: divmod(a, 2)[0] + b,
    "minus": lambda a, b: -a - +b + abs(b),
    "where": lambda a, b: ad.where(a > b, a * 1.0, b),
    "maximum": lambda a, b: ad.maximum(a, b) * 1.0,
    "np.add": np.add,
    "np.multiply": np.multiply,
    "np.sum": lambda a, b: np.sum(a) + np.sum(b),
    "np.any": lambda a, b: (np.any(a) + 1) * (np.all(b) + 1.0),
}


def in_a_loop(f):
    """The results of a function for each example that is a number, in one array."""
    found = [f(Tensor(value)) for value in VALUES]
    return np.stack([x.data if isinstance(x, Tensor) else x for x in found])


WAYS = {
    "compiled": lambda f: in_a_loop(ad.compile(f)),
    "vmap": lambda f: ad.vmap(f)(Tensor(VALUES)),
    "compiled vmap": lambda f: ad.compile(ad.vmap(f))(Tensor(VALUES)),
    "vmap of compiled": lambda f: ad.vmap(ad.compile(f))(Tensor(VALUES)),
    "nested": lambda f: ad.vmap(ad.vmap(f))(Tensor([VALUES]))[0],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("call", CALLS)
def test_values_and_dtypes_are_those_of_numbers(call, way):
    for first, second in PAIRS[:: 1 if way in ("compiled", "vmap") else 4]:

        def f(x, parts=(PARTS[first], PARTS[second])):
            return CALLS[call](*(part(x) for part in parts))

        try:
            expected = in_a_loop(f)
        except (TypeError, ValueError, ZeroDivisionError):
            continue  # no such call on these, without compiling either
        found = WAYS[way](f)
        found = found.data if isinstance(found, Tensor) else found
        assert found.dtype == expected.dtype, f"{first} {call} {second}"
        rtol = 1e-6 if expected.dtype == np.float32 else 1e-15  # a power is rounded in another way
        np.testing.assert_allclose(found, expected, rtol=rtol, err_msg=f"{first} {call} {second}")


LOSSES = {
    "maximum": lambda x: ad.maximum(x * x, 0.1),
    "minimum": lambda x: ad.minimum(x * x, 1.0),
    "a tie": lambda x: ad.maximum(x, x * 1.0),
    "hinge": lambda x: ad.maximum(0.0, 1 - x),
    "clip": lambda x: ad.clip(x * x, 0.3, 1.0),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", LOSSES)
def test_the_slope_of_a_larger_number_is_whole(name, dtype):
    f, batch = LOSSES[name], np.array(VALUES, dtype)
    expected = np.stack([ad.grad(f)(value).data for value in batch])
    for treat in (lambda g: g, ad.compile):
        found = treat(ad.vmap(ad.grad(f)))(batch)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_the_opposite_of_a_comparison():
    """Python's ~True is -2, which nobody means: over a batch it is the opposite, as for an element of an
    array."""

    def f(x):
        return ad.where(~(x > 0), 1.0, x)

    np.testing.assert_allclose(ad.vmap(f)(np.array(VALUES)), [0.7, 2.0, 1.0, 0.5])
    with pytest.raises(TraceError, match=r"in Python ~True is -2.*np\.logical_not"):
        ad.compile(f)(Tensor(0.7))
    g = ad.compile(lambda x: ad.where(np.logical_not(x > 0), 1.0, x))
    assert [float(g(Tensor(value))) for value in VALUES] == [0.7, 2.0, 1.0, 0.5]
