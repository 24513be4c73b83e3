"""What a Tensor may hold, how it is changed in place, and how a number or an array is shown."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def as_data(value: Any, requires_grad: bool = True) -> Any:
    """What a Tensor keeps: a Python float, or a copy as an array of floats (integers, if it is a
    constant)."""
    if isinstance(value, (bool, int, float)):  # np.float64 is a float too
        try:
            return float(value)
        except OverflowError:
            raise ValueError("a Tensor holds numbers up to about 1.8e308, and this one is larger") from None
    check_no_mask(value)
    try:
        array = np.copy(value) if is_foreign(value) else np.array(value)
    except ValueError as error:  # what NumPy says of a ragged list
        raise TypeError(f"a Tensor needs a number or a regular array: {error}") from None
    if array.dtype.kind == "f":
        return array
    if array.dtype.kind in "iub":
        return array.astype(float) if requires_grad else array
    raise TypeError(f"a Tensor holds real numbers, not {value!r:.60} ({array.dtype})")


def check_no_mask(value: Any) -> None:
    """Raise TypeError for a masked array: its mask would be dropped without a word."""
    if isinstance(value, np.ndarray) and hasattr(value, "mask"):  # numpy.ma is imported by those who use it
        raise TypeError(
            "a masked array would lose its mask here: fill it first (array.filled(0)), and weight what is "
            "masked by 0"
        )


def check_operand(value: Any) -> None:
    """Raise TypeError for NumPy's arrays that compute by rules of their own: masked arrays and matrices."""
    check_no_mask(value)
    if isinstance(value, np.matrix):
        raise TypeError("for np.matrix, * is the matrix product: use np.asarray(matrix), and @ for products")


def is_foreign(value: Any) -> bool:
    """Whether this is an array of another library's that takes part in NumPy's protocols (NEP 13 and 18), as
    CuPy's do. It is computed with by its own library, and never made into NumPy's."""
    return hasattr(value, "__array_function__") and not isinstance(value, np.ndarray)


def show(data: Any) -> str:
    """Numbers in six significant digits without a trailing ``.0``; arrays in NumPy's layout, rounded
    alike."""
    if is_foreign(data):
        return str(data)
    if np.ndim(data) == 0:
        number = data[()] if isinstance(data, np.ndarray) else data
        return f"{number:.6g}" if isinstance(number, (float, np.floating)) else str(number)
    if data.dtype.kind != "f":
        return str(data)
    shown = data if data.size <= np.get_printoptions()["threshold"] else data[:0]
    width = max((len(f"{number:.6g}") for number in shown.flat), default=0)
    return np.array2string(data, formatter={"float_kind": lambda number: f"{number:.6g}".rjust(width)})


def is_alone(tensor: Any) -> bool:
    """Whether nobody else holds a Tensor's array: no view, no constant, no variable of the user's.

    Then an update may reuse its memory unseen, in half the time.
    """
    is_own = isinstance(tensor._value, np.ndarray) and tensor._value.base is None
    return is_own and references(tensor) == ALONE


def references(tensor: Any) -> int:
    """How many hold a Tensor's data; where Python does not count them, more than anybody could."""
    return getattr(sys, "getrefcount", lambda data: sys.maxsize)(tensor._value)


class _Sample:
    _value = np.empty(0)


ALONE = references(_Sample)


def overwritten(in_place: Any, data: np.ndarray, value: Any) -> bool:
    """Update an array in its own memory. False, with nothing changed, if the value does not fit."""
    check_operand(value)
    try:
        with np.errstate(all="ignore"):
            in_place(data, value)
    except (TypeError, ValueError):
        return False
    return True
