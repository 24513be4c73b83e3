"""Integer quotients and remainders: trunc, floor_divide, remainder, fmod, divmod; and nan_to_num.

Each operation stands right above its rules. floor, ceil and round are in ``piecewise.py``.
"""

from __future__ import annotations

import math
import operator
from typing import Any, NamedTuple

import numpy as np

from ..engine.operation import operation
from ..engine.tensor import raw
from .piecewise import where


@operation(kind="elementwise")
def trunc(x: Any) -> Any:
    """Round towards 0. A constant: its slope is 0 wherever it exists.

    >>> import autodiff as ad
    >>> ad.trunc(ad.Tensor([-1.5, 1.5]))
    [-1  1]
    """
    return np.trunc(x)


trunc.backward(None)


@operation(scalar=operator.floordiv, kind="elementwise", sign="//")
def floor_divide(x: Any, y: Any) -> Any:
    """Quotient rounded down to an integer. A constant: its slopes are 0 wherever they exist.

    >>> import autodiff as ad
    >>> ad.floor_divide(ad.Tensor([7, -7]), 2)
    [ 3 -4]
    """
    return np.floor_divide(x, y)


floor_divide.backward(None, None)


@operation(scalar=operator.mod, kind="elementwise", sign="%")
def remainder(x: Any, y: Any) -> Any:
    """Remainder of x divided by y, with the sign of y: ``x - y * floor_divide(x, y)``. At a jump its slopes
    are those to the right.

    >>> import autodiff as ad
    >>> ad.remainder(ad.Tensor([7, -7]), 4)
    [3 1]
    """
    return np.remainder(x, y)


remainder.backward(
    lambda grad, z, x, y: grad,
    lambda grad, z, x, y: -grad * floor_divide(x, y),
)
mod = remainder


@operation(scalar=math.fmod, kind="elementwise")
def fmod(x: Any, y: Any) -> Any:
    """Remainder of x divided by y, with the sign of x: ``x - y * trunc(x / y)``.

    >>> import autodiff as ad
    >>> ad.fmod(ad.Tensor([7, -7]), 4)
    [ 3 -3]
    """
    return np.fmod(x, y)


fmod.backward(
    lambda grad, z, x, y: grad,
    lambda grad, z, x, y: -grad * trunc(x / y),
)


class QuotientAndRemainder(NamedTuple):
    """``x = y * quotient + remainder``."""

    quotient: Any
    remainder: Any


def divmod(x: Any, y: Any) -> QuotientAndRemainder:
    """Quotient rounded down (a constant) and remainder: ``(floor_divide(x, y), remainder(x, y))``.

    >>> import autodiff as ad
    >>> ad.divmod(ad.Tensor(7), 4)
    QuotientAndRemainder(quotient=1, remainder=3)
    """
    return QuotientAndRemainder(floor_divide(x, y), remainder(x, y))


@operation(kind="elementwise")
def nan_to_num(x: Any, *, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Any:
    """Replace nan by ``nan``, inf by ``posinf`` and -inf by ``neginf`` (by default the largest and the
    smallest number of the dtype). Replaced elements have slope 0.

    >>> import numpy as np
    >>> import autodiff as ad
    >>> ad.nan_to_num(ad.Tensor([1, np.nan, np.inf]), posinf=9)
    [1 0 9]
    """
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


nan_to_num.backward(lambda grad, z, x, **replacements: where(np.isfinite(raw(x)), grad, 0.0))
