"""Simplifications keep every value: for inf, nan and -0 too."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff.compiling import compile_function

FLOATS = np.array([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan])
CASES = {
    "0 * x": lambda x: 0 * x, "x * 0.0": lambda x: x * 0.0, "x**0": lambda x: x**0, "x**1": lambda x: x**1,
    "x**0.0": lambda x: np.power(x, 0.0), "x * -1": lambda x: x * -1, "-1.0 * x": lambda x: -1.0 * x,
    "max -inf": lambda x: np.maximum(x, -np.inf), "min inf": lambda x: np.minimum(x, np.inf),
    "max inf": lambda x: np.maximum(x, np.inf), "min -inf": lambda x: np.minimum(x, -np.inf),
    "max of -inf": lambda x: np.maximum(-np.inf, x), "x + 0": lambda x: x + 0, "x - 0": lambda x: x - 0.0,
    "true": lambda x: (x == 0) * False, "mask": lambda x: 1.0 + (x == 0) * False + (x > 0) * True,
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("x", [
    FLOATS, FLOATS.astype(np.float32), np.array([0, 1, -3]), np.array([True, False]), np.float64(-0.0),
    np.zeros((0, 2)), np.array(np.nan), 2.5, -0.0, float("inf"),
], ids=repr)  # fmt: skip
def test_values_stay_the_same(name, x):
    f = CASES[name]
    with np.errstate(all="ignore"):
        expected = f(x)
        found = compile_function(f, passes=("fold", "algebra", "cse"))(x)
    assert type(x) is float or type(found) is type(expected)  # a Python number stays one
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(found, expected)
    if np.asarray(expected).dtype.kind == "f":
        is_number = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found)[is_number], np.signbit(expected)[is_number])


@pytest.mark.parametrize(("name", "x", "left"), [
    ("0 * x", FLOATS, "0 * x"), ("0 * x", np.array([1, 2], np.int64), "np.zeros(2, 'int64')"),
    ("x**0", FLOATS, "np.ones(7)"), ("max -inf", FLOATS, "x.copy()"), ("x * -1", FLOATS, "-x"),
    ("true", FLOATS, "np.zeros(7, 'bool')"), ("max inf", FLOATS, "np.maximum"),
])  # fmt: skip
def test_what_is_left(name, x, left):
    fast = compile_function(CASES[name])
    with np.errstate(all="ignore"):
        fast(x)
    assert left.replace("x.copy()", "return (x,)") in fast.program
