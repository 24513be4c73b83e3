"""The dtype that an operation computes in, where it is not that of its operands.

NumPy computes in the dtype of the operands, which gives wrong numbers in two places: sums of float16 overflow
and round at every step, and -x of an unsigned integer wraps around. An operation therefore declares a
``precision``; ``Operation`` converts its operands before the forward and the rules, and rounds the result
once.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .catalogue import catalogue
from .tensor import raw

FLOAT16, FLOAT32, FLOAT64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
WIDE: dict[str, np.dtype[Any]] = {"single": FLOAT32, "double": FLOAT64, "floats": FLOAT64}
"""The dtype in which float16 is computed."""

PRECISIONS = ("signed", *WIDE)

Function = TypeVar("Function", bound=Callable[..., Any])


class Change(NamedTuple):
    """The dtype that operands are converted to, and the one that the result is rounded to, or None."""

    to: np.dtype[Any]
    back: np.dtype[Any] | None

    def widened(self, values: Iterable[Any]) -> list[Any]:
        """The operands in the dtype of the computation; Python's numbers and None are left as they are."""
        return [
            value if is_number(value) or value.dtype == self.to else catalogue.cast(value, dtype=self.to)
            for value in values
        ]

    def rounded(self, result: Any) -> Any:
        """The result of a forward in the dtype of the operands."""
        return result if self.back is None or result is None else catalogue.cast(result, dtype=self.back)


def change_of(precision: str, values: Sequence[Any]) -> Change | None:
    """The change of dtype that operands need for a precision; None if they need none, as most do."""
    for value in values:
        dtype = getattr(value, "dtype", FLOAT64)
        if dtype is not FLOAT32 and dtype is not FLOAT64:
            return change_between(precision, values)
    return None


def change_between(precision: str, values: Sequence[Any]) -> Change | None:
    """``change_of`` for operands that are not all in single or double precision.

    >>> change_between("double", [np.float16([1.0])]).back
    dtype('float16')
    >>> change_between("floats", [np.uint8([1]), np.float32([1.0])]).to
    dtype('float32')
    """
    dtypes = [raw(value).dtype for value in values if not is_number(value)]
    if not dtypes:
        return None
    common = np.result_type(*dtypes)
    if common == FLOAT16 and precision in WIDE:
        return Change(WIDE[precision], FLOAT16)
    is_integer = common.kind in "iub"
    if precision == "floats" and (is_integer or any(dtype.kind in "iub" for dtype in dtypes)):
        return Change(FLOAT64 if is_integer else common, None)
    return Change(FLOAT64, None) if precision == "signed" and common.kind == "u" else None


def is_number(value: Any) -> bool:
    """Whether an operand is a Python number, which takes the dtype of the arrays beside it, or no data."""
    data = raw(value)
    return not hasattr(data, "dtype") or isinstance(data, float) or getattr(data, "is_number", False)


def computed_in(precision: str, count: int = 1) -> Callable[[Function], Function]:
    """Let a function made of operations compute in the dtype that its first ``count`` operands need, as an
    operation does: intermediate results are not rounded.

    >>> @computed_in("double")
    ... def mean_square(x):
    ...     return np.mean(x * x)
    >>> float(mean_square(np.float16([256.0, 0.0])))
    32768.0
    """

    def decorate(function: Function) -> Function:
        names = [*inspect.signature(function).parameters][:count]

        @functools.wraps(function)
        def call(*inputs: Any, **options: Any) -> Any:
            given = {**dict(zip(names, inputs)), **{name: options[name] for name in names if name in options}}
            change = change_of(precision, tuple(given.values()))
            if change is None:
                return function(*inputs, **options)
            wide = dict(zip(given, change.widened(given.values())))
            inputs = (*(wide[name] for name, _ in zip(names, inputs)), *inputs[count:])
            options |= {name: wide[name] for name in names if name in options}
            return change.rounded(function(*inputs, **options))

        return call  # type: ignore[return-value]

    return decorate


def unrounded(data: Any) -> Any:
    """float16 as float64, for a computation whose result is not float16; other data unchanged."""
    return data.astype(FLOAT64) if data.dtype == FLOAT16 else data
