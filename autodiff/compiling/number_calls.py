"""Calls on Python numbers inside programs of arrays. They use Python's arithmetic, as the engine does for
numbers, and NumPy's where Python raises, for 1/0 for instance, which is inf."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.operands import ARITHMETIC_ERRORS, run_with_numpy

MATH = {
    name: name
    for name in (
        "exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp2", "expm1", "log2", "log10",
        "log1p", "cbrt", "hypot", "radians", "degrees", "fmod",
    )
} | {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh",
    "arccosh": "acosh", "arctanh": "atanh", "power": "pow",
}  # fmt: skip
"""The names of NumPy's functions, and of the functions of ``math`` that compute the same."""

PYTHON: dict[str, Callable[..., Any]] = {
    "divide": operator.truediv,
    "absolute": abs,
    **{name: getattr(math, theirs) for name, theirs in MATH.items()},
}
BITWISE = frozenset(("bitwise_and", "bitwise_or", "bitwise_xor", "invert"))
SHIFTS = frozenset(("left_shift", "right_shift"))


@functools.cache
def number_call(name: str) -> Callable[..., Any]:
    """An elementwise function of NumPy as a function of Python numbers."""
    ufunc = getattr(np, name)
    quick = PYTHON.get(name)
    if name in BITWISE | SHIFTS:  # which floats have not
        return lambda *values: ufunc(*values).item()

    def call(*values: float) -> float:
        if quick is not None:
            try:
                return float(quick(*values))
            except ARITHMETIC_ERRORS:
                pass
        return run_with_numpy(ufunc, *values)

    call.__name__ = name
    return call
