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
    "np.logical_or": lambda a, b: np.logical_or(a, b) + np.logical_or(b, a),
    "np.greater": lambda a, b: np.greater(a, b) + np.greater_equal(b, a),
    "np.sign": lambda a, b: np.sign(ad.minimum(a, b)) + np.negative(ad.maximum(a, b)),
    "round": lambda a, b: round(a) + round(b * 1.0),
    "rshift": lambda a, b: ((a > 0) + 3) >> (b > 0.5),
    "ad.abs": lambda a, b: ((a > 0) != a) + ad.abs(b < 1),
    "ad.tanh": lambda a, b: ad.tanh(a > 0) * ad.square(b > 0),
    "a square": lambda a, b: (a != np.arange(3.0)) ** 2 + (b > 0) ** 2,
    "an array": lambda a, b: ((a > 0) + (b > 1)) * np.arange(3.0),
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


OF_NUMBERS = {
    "kept": lambda x: x * ((x > 0) + (x > 0.5)),
    "maximum": lambda x: ad.maximum(x * x, 0.1),
    "minimum": lambda x: ad.minimum(x * x, 0.1),
    "tie": lambda x: ad.maximum(x, x * 1.0),
    "clip": lambda x: ad.clip(x * x, 0.1, 3.0),
    "abs": lambda x: abs(x * x * x),
    "relu": lambda x: ad.relu(x) ** 2,
    "hinge": lambda x: ad.maximum(0, 1 - x) ** 2,
    "where": lambda x: ad.where(x > 0, x * x, -x * x * x),
    "divide": lambda x: x**3 / (1 + (x > 0) + (x > 1)),
    "NumPy's or": lambda x: x * x * (np.logical_or(x > 0, x < 0) + np.logical_or(x > 1, x < 1)),
}
DERIVATIVES = {
    "value": lambda f: f,
    "grad": ad.grad,
    "second": lambda f: ad.grad(ad.grad(f)),
    "hessian": ad.hessian,
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("derivative", DERIVATIVES)
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_derivatives_of_numbers(name, derivative, dtype):
    f = DERIVATIVES[derivative](OF_NUMBERS[name])
    batch = np.array(VALUES, dtype)
    expected = np.stack([ad.as_tensor(f(x if dtype is np.float32 else float(x))).data for x in batch])
    for treat in (lambda g: g, ad.compile):
        found = ad.as_tensor(treat(ad.vmap(f))(batch))
        assert found.dtype == dtype
        np.testing.assert_allclose(found.data, expected, rtol=1e-6 if dtype is np.float32 else 1e-12)


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_a_derivative_of_vmap(name):
    f = OF_NUMBERS[name]
    expected = [float(ad.grad(f)(x)) for x in VALUES]
    found = ad.grad(lambda xs: ad.vmap(f)(xs).sum())(np.array(VALUES))
    np.testing.assert_allclose(ad.as_tensor(found).data, expected, rtol=1e-12)


def test_a_minimum_and_a_maximum_have_their_whole_gradient():
    found = ad.vmap(ad.grad(lambda x: ad.maximum(x * x, 0.1)))(np.array([0.7, 2.0]))
    np.testing.assert_allclose(found.data, [1.4, 4.0])
    assert ad.vmap(lambda x: x * ((x > 0) + (x > 0.5)))(Tensor([0.7])).data == [1.4]


@pytest.mark.parametrize("treat", [ad.compile, ad.vmap, lambda f: ad.compile(ad.vmap(f))])
def test_the_opposite_of_a_comparison(treat):
    """Python's ~True is -2, which nobody means, so it is refused."""

    def f(x):
        return ad.where(~(x > 0), 1.0, x)

    def g(x):
        return ad.where(np.logical_not(x > 0), 1.0, x)

    x = Tensor(0.7) if treat is ad.compile else Tensor(VALUES)
    with pytest.raises(TraceError, match=r"in Python ~True is -2.*np\.logical_not"):
        treat(f)(x)
    np.testing.assert_allclose(treat(g)(x).data, 0.7 if treat is ad.compile else [0.7, 2.0, 1.0, 0.5])
