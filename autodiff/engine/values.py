"""The data of a Tensor: what it may be, how it is updated in place, and how it is shown."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np


def as_data(value: Any, requires_grad: bool = True) -> Any:
    """A value as a Tensor holds it: a Python float, or a copy as an array of floats (a constant may have
    integers and booleans). Raises TypeError if the value is not real numbers."""
    if isinstance(value, (bool, int, float)):  # np.float64 is a float too
        try:
            return float(value)
        except OverflowError:
            raise ValueError("a Tensor holds numbers up to about 1.8e308, and this one is larger") from None
    check_no_mask(value)
    try:
        array = np.copy(value) if is_foreign(value) else np.array(value)
    except ValueError as error:  # from a ragged list
        raise TypeError(f"a Tensor needs a number or a regular array: {error}") from None
    if array.dtype.kind == "f":
        return array
    if array.dtype.kind in "iub":
        return array.astype(float) if requires_grad else array
    if hasattr(value, "toarray"):
        raise TypeError(f"a Tensor holds real numbers, not {kind_of(value)}: write {way_to_numpy(value)}")
    raise TypeError(f"a Tensor holds real numbers, not {value!r:.60} ({array.dtype})")


def check_no_mask(value: Any) -> None:
    """Raise TypeError for a masked array, whose mask would be lost silently."""
    if isinstance(value, np.ndarray) and hasattr(value, "mask"):  # numpy.ma itself is slow to import
        raise TypeError(
            "a masked array would lose its mask here: fill it first, as array.filled(0) does, and give the "
            "masked elements the weight 0"
        )


def check_operand(value: Any) -> None:
    """Raise TypeError for arrays that compute by rules of their own: masked arrays, ``np.matrix``, and those
    of other libraries, such as pandas tables, which are matched by their labels, and sparse matrices."""
    check_no_mask(value)
    if isinstance(value, np.matrix):
        raise TypeError("for np.matrix, * is the matrix product: use np.asarray(matrix), and @ for products")
    if not is_foreign(value) and (way := way_to_numpy(value)):
        raise TypeError(f"{kind_of(value)} computes by rules of its own, without a gradient; write {way}")


def way_to_numpy(value: Any) -> str:
    """How to convert an array of another library to one of NumPy; empty for anything else.

    >>> way_to_numpy(memoryview(b"a")), way_to_numpy("a"), way_to_numpy(np.float32(2))
    ('np.asarray(x)', '', '')
    """
    if isinstance(value, (np.ndarray, np.generic)) or str(type(value).__module__).startswith("autodiff."):
        return ""
    for method in ("toarray", "to_numpy"):  # of sparse matrices; of pandas, polars and xarray
        if hasattr(value, method):
            return f"x.{method}()"
    if hasattr(value, "detach") and hasattr(value, "numpy"):  # of PyTorch
        return "x.detach().numpy()"
    return "np.asarray(x)" if hasattr(value, "__array__") or isinstance(value, memoryview) else ""


def kind_of(value: Any) -> str:
    """An array of another library in words: ``a pandas Series``."""
    return f"a {str(type(value).__module__).partition('.')[0]} {type(value).__name__}"


def is_foreign(value: Any) -> bool:
    """Whether this is an array of another library, such as CuPy, that takes part in NumPy's protocols (NEP 13
    and NEP 18). Its own library computes with it, and it is never converted to a NumPy array."""
    return hasattr(value, "__array_function__") and not isinstance(value, np.ndarray)


def as_array(value: Any) -> Any:
    """``np.asarray``, but an array of another library stays as it is, and so does a symbol while a function
    is compiled."""
    return value if is_foreign(value) else np.asarray(value)


def show(data: Any) -> str:
    """A number in six significant digits without a trailing ``.0``; an array in NumPy's layout, with its
    numbers rounded the same way.

    ``np.set_printoptions(precision=p)`` asks for more digits, or for fewer: if p is not NumPy's default of 8,
    a number has at most p digits behind the point, and p + 1 if it is below 1.
    """
    if is_foreign(data):
        return str(data)
    rounded = rounding()
    if np.ndim(data) == 0:
        number = data[()] if isinstance(data, np.ndarray) else data
        return rounded(number) if isinstance(number, (float, np.floating)) else str(number)
    if data.dtype.kind != "f":
        return str(data)
    shown = data if data.size <= np.get_printoptions()["threshold"] else data[:0]
    width = max((len(rounded(number)) for number in shown.flat), default=0)
    return np.array2string(data, formatter={"float_kind": lambda number: rounded(number).rjust(width)})


def rounding() -> Callable[[Any], str]:
    """How a float is shown, by NumPy's print options."""
    options = np.get_printoptions()
    if options["floatmode"] == "unique":
        return lambda number: str(number).removesuffix(".0")
    precision = options["precision"]
    if precision == 8:
        return lambda number: f"{number:.6g}"

    def rounded(number: Any) -> str:
        whole = len(str(int(abs(number)))) if 1 <= abs(number) < 1e16 else 1
        return f"{number:.{precision + whole}g}"

    return rounded


def is_alone(tensor: Any) -> bool:
    """Whether nothing but the Tensor refers to its array: no view, no constant, no variable of the user.

    Then an update in the array's own memory cannot be noticed, and takes half the time.
    """
    is_own = isinstance(tensor._value, np.ndarray) and tensor._value.base is None
    return is_own and reference_count(tensor) == ALONE


def reference_count(tensor: Any) -> int:
    """The number of references to a Tensor's data; where Python does not count them, the largest number."""
    return getattr(sys, "getrefcount", lambda data: sys.maxsize)(tensor._value)


class _Sample:
    _value = np.empty(0)


ALONE = reference_count(_Sample)


def try_overwrite(in_place: Any, data: np.ndarray, value: Any) -> bool:
    """Update an array in its own memory. Returns False, with nothing changed, if the value does not fit."""
    check_operand(value)
    try:
        with np.errstate(all="ignore"):
            in_place(data, value)
    except (TypeError, ValueError):
        return False
    return True
