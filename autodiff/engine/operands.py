"""Operands, prepared for the graph and for the forward, and the choice between Python's and NumPy's
arithmetic.

Python's own arithmetic serves numbers, since it is faster than NumPy's. Where Python raises, at 1/0 or
exp(1000), the same function runs again on NumPy's numbers, which have inf and nan.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from .tracing import TraceError, call_whole
from .values import check_operand

Function = Callable[..., Any]

ARITHMETIC_ERRORS = (ArithmeticError, ValueError, TypeError)  # where NumPy may give inf or nan
FLOATS = frozenset((float, int))  # an int beside a float counts as one
NUMBERS = FLOATS | {bool}
PLAIN = NUMBERS | {np.ndarray}


def as_recorded(operand: Any) -> Any:
    """An operand as it is recorded: a list as an array, anything else as it is."""
    if isinstance(operand, (list, tuple)):
        with suppress(ValueError):  # the forward refuses a ragged list
            return np.array(operand)
    return operand


def as_plain(value: Any) -> Any:
    """An operand as the forward takes it: a Python number or something with NumPy's dtype."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, (float, np.integer, np.bool_)):
        return float(value)
    if isinstance(value, (list, tuple)):
        return np.array(value)
    if hasattr(value, "as_operand"):  # an array without values, while a function is compiled
        return value.as_operand()
    check_operand(value)
    if hasattr(value, "dtype") and getattr(value, "__array_ufunc__", True):  # None: it opts out of NumPy
        return value
    raise TypeError("operands are Tensors, real numbers and arrays of them")


def run_with_numpy(function: Function, *values: Any, **options: Any) -> Any:
    """Run ``function`` with NumPy's arithmetic, where 1/0 is inf; return a number as a float."""
    numpy_values = (np.float64(value) if type(value) in NUMBERS else value for value in values)
    with np.errstate(all="ignore"):
        result = function(*numpy_values, **options)
    if isinstance(result, (list, tuple)):  # from a joint rule
        return [value if value is None or np.ndim(value) else float(value) for value in result]
    return float(result) if np.ndim(result) == 0 else result


def run_with_fallback(function: Function, *values: Any, **options: Any) -> Any:
    """Run a rule with Python's arithmetic; if that raises, run it with NumPy's."""
    try:
        return function(*values, **options)
    except TraceError as error:
        return call_whole(error, function, values, options)
    except ARITHMETIC_ERRORS:
        return run_with_numpy(function, *values, **options)
