"""Calls of NumPy inside compiled functions: an option is compiled or refused, and never ignored."""

import inspect

import numpy as np
import pytest

import autodiff as ad
from autodiff.compiling import TraceError
from autodiff.compiling.numpy_calls import TRACED
from tests.fuzz.compiled import check_alike

X = np.arange(4.0)
MASK = np.array([True, False, True, False])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.trace(np.reshape(x, (2, 2)), dtype=np.float32),
        lambda x: np.dot(2.0, x),
        lambda x: np.dot([1.0, 2.0, 3.0, 4.0], x),
        lambda x: np.zeros(np.int64(3), like=x) + x[0],
        lambda x: np.full_like(x, 2, shape=np.int64(3)) + x[0],
        lambda x: np.split(x, 2)[1],
        lambda x: np.array_split(x, 3)[0],
        lambda x: np.flip(np.reshape(x, (2, 2)), axis=(-1, 0)),
        lambda x: np.transpose(np.reshape(x, (2, 2)), (-1, 0)),
    ],
)
def test_a_call_gives_what_numpy_gives(f):
    np.testing.assert_array_equal(ad.compile(f)(X), f(X), strict=True)


@pytest.mark.parametrize("function", TRACED, ids=lambda function: function.__name__)
def test_the_defaults_are_numpy_s(function):
    theirs = inspect.signature(function).parameters
    for name, ours in inspect.signature(TRACED[function]).parameters.items():
        if name in theirs and theirs[name].default is not np._NoValue:
            assert ours.default == theirs[name].default, name


@pytest.mark.parametrize(
    ("f", "name"),
    [
        (lambda x: np.mean(x, where=MASK), "where"),
        (lambda x: np.stack([x, x], dtype=np.float32), "dtype"),
        (lambda x: np.clip(x, 0, 1, dtype=np.float32), "dtype"),
        (lambda x: np.trace(np.reshape(x, (2, 2)), out=np.zeros(())), "out"),
    ],
)
def test_an_option_that_is_not_compiled_is_refused(f, name):
    with pytest.raises(TraceError, match=f"with {name} is not compiled"):
        ad.compile(f)(X)


def add_in_place(x, other):
    total = x.copy()
    total += other
    return total


def copy_into(x, other):
    target = x.copy()
    np.copyto(target, other)
    return target


@pytest.mark.parametrize(
    "f",
    [
        lambda x: add_in_place(x, np.ones((2, 4))),
        lambda x: add_in_place(np.sum(x, keepdims=True), x),
        lambda x: copy_into(x, np.ones((2, 4))),
        lambda x: np.broadcast_to(x, (1,)),
        lambda x: np.split(x, 3)[0],
        lambda x: np.flip(x, axis=5),
        lambda x: np.transpose(np.reshape(x, (2, 2)), (0, 3)),
        lambda x: np.reshape(x, (2, 2)).transpose(0),
    ],
)
def test_an_error_of_numpy_is_an_error_too(f):
    for function in (f, ad.compile(f)):
        with pytest.raises(ValueError, match=r"broadcast|equal division|out of bounds|axes|one axis"):
            function(X)


def test_calls_with_different_arrays_are_different_calls(tmp_path):
    """The text of a long array on disk leaves out its middle."""
    first, second = (np.memmap(tmp_path / name, float, "w+", shape=(2000,)) for name in ("first", "second"))
    second[1000] = 1.0

    def f(x):
        return np.kron(x, first), np.kron(x, second)

    for found, expected in zip(ad.compile(f)(X), f(X), strict=True):
        np.testing.assert_array_equal(found, expected)


sign, scales = 0.0, (np.ones(2), 1.0)


@pytest.mark.parametrize(("name", "value"), [("sign", -0.0), ("scales", (np.full(2, 3.0), 1.0))])
def test_a_variable_with_another_value_gives_another_program(monkeypatch, name, value):
    def f(x):
        return np.copysign(x, sign) * scales[0].sum()

    fast = ad.compile(f)
    fast(X)
    monkeypatch.setitem(globals(), name, value)
    np.testing.assert_array_equal(fast(X), f(X))


@pytest.mark.parametrize("element", [
    lambda t: t[0], lambda t: t[-1], lambda t: [*t][1], lambda t: t[np.int64(1)], lambda t: t[np.array(1)],
    lambda t: t[(np.array(1),)], lambda t: t[0, ...], lambda t: t[..., 0], lambda t: t[..., np.array(0)],
    lambda t: t.reshape((3, 1))[1, 0], lambda t: t.sum()[()], lambda t: t[0:1].reshape(()),
    lambda t: t[0] * t[1], lambda t: t[0:1].sum(keepdims=True)[0], lambda t: ad.stack([t[0]])[0],
    lambda t: t[ad.argmax(t)], lambda t: ad.where(True, t[0], 0.0),
])  # fmt: skip
def test_an_element_of_an_array_is_a_number_where_numpy_s_is_one(element):
    """It does not widen an array in single precision. ``x[..., 0]`` is an array without axes, which does."""
    for requires_grad in (False, True):
        t = ad.Tensor(np.arange(3.0), requires_grad=requires_grad)
        for other in (ad.ones(2, dtype=np.float32), 1.5):
            f = lambda t: element(t) * other  # noqa: B023
            found, expected = ad.compile(f)(t), f(t)
            assert found.dtype == expected.dtype
            check_alike(found, expected, exact=True)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.bool_])
@pytest.mark.parametrize("name", ["real", "imag", "T", "mT", "size", "ndim", "shape", "itemsize", "nbytes"])
def test_an_attribute_of_an_array_is_no_method(name, dtype):
    def f(x):
        return x * 1, getattr(x, name)

    x = np.arange(6).reshape(2, 3).astype(dtype)
    check_alike(ad.compile(f)(x), f(x), exact=True)
