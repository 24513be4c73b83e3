"""Calls on Python numbers inside programs of arrays: Python's arithmetic, as the engine's on numbers, and
NumPy's where Python raises (1/0 is inf) or would give a complex number."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.operands import ARITHMETIC_ERRORS, run_with_numpy
from .algebra import BITWISE

PYTHON: dict[str, Callable[..., Any]] = {
    "divide": operator.truediv,
    "power": math.pow,
    **{name: getattr(math, name) for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh")},
}


@functools.cache
def number_call(name: str) -> Callable[..., Any]:
    """One of NumPy's elementwise functions for Python numbers."""
    ufunc = getattr(np, name)
    quick = PYTHON.get(name)
    if name in BITWISE:  # which floats have not
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
