"""Piecewise functions: where, clip, fmax, fmin; and the piecewise constant floor, ceil, round.

Each operation stands right above its rules. maximum and minimum are in ``arithmetic.py``.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..engine.keywords import translate
from ..engine.operands import as_recorded
from ..engine.operation import Operation, operation
from ..engine.tensor import raw


@operation(scalar=lambda condition, x, y: float(x if condition else y), kind="elementwise")
def where(condition: Any, x: Any, y: Any) -> Any:
    """Elements of x where the condition holds, of y elsewhere. The condition gets no gradient.

    An element that was not selected gets 0, even if the gradient is inf or nan.

    >>> import autodiff as ad
    >>> x = ad.Tensor([-2, 3])
    >>> ad.where(x > 0, x, 10 * x)
    [-20   3]
    """
    return np.where(condition, x, y)


where.backward(
    None,
    lambda grad, z, condition, x, y: where(condition, grad, 0.0),
    lambda grad, z, condition, x, y: where(condition, 0.0, grad),
)


class Clip(Operation):
    """clip, whose bounds may be None, left out, or called min and max."""

    __slots__ = ()

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Compute, and record. A missing bound becomes an infinite one."""
        if options or len(inputs) < 3 or inputs[1] is None or inputs[2] is None:
            inputs = self.with_bounds(inputs, options)
        return super().__call__(*inputs, **options)

    def with_bounds(self, inputs: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
        """The operands with both bounds, taken by position, else by keyword, else the limits of the dtype:
        infinite, or for integers the smallest and the largest, so that integers stay integers."""
        translate(self.name, options, self.inputs, {})
        x, *bounds = inputs or (options.pop("x", None),)
        if x is None or len(bounds) > 2:
            return inputs  # the call raises TypeError
        bounds += [None] * (2 - len(bounds))
        named = zip(("low", "high"), bounds)
        low, high = (options.pop(name, None) if bound is None else bound for name, bound in named)
        dtype = getattr(as_recorded(raw(x)), "dtype", np.dtype(float))
        smallest, largest = -np.inf, np.inf
        if dtype.kind in "iu":
            smallest, largest = np.iinfo(dtype).min, np.iinfo(dtype).max
        return x, smallest if low is None else low, largest if high is None else high


@partial(Clip, kind="elementwise")
def clip(x: Any, low: Any, high: Any) -> Any:
    """Limit x to the range from ``low`` to ``high``; None means no bound. If ``low > high``, the result is
    ``high``. It is also called ``clamp``, with the bounds ``min`` and ``max``.

    The gradient goes to whichever of the three is the result; where x is equal to a bound, it goes to x.

    >>> import autodiff as ad
    >>> ad.clip(ad.Tensor([-5, 0.5, 7]), 0, 1)
    [  0 0.5   1]
    >>> ad.clamp(ad.Tensor([-5, 0.5, 7]), min=0)
    [  0 0.5   7]
    """
    larger = np.maximum(x, low)
    if isinstance(x, (int, float)) and isinstance(low, (int, float)):
        larger = larger.item()  # a Python number, as x and low are, which takes the dtype of high
    return np.minimum(larger, high)


clip.backward(
    lambda grad, z, x, low, high: grad * ((low <= x) & (x <= high)),
    lambda grad, z, x, low, high: grad * ((x < low) & (low <= high)),
    lambda grad, z, x, low, high: grad * ((high < x) | (high < low)),
)


@operation(kind="elementwise")
def fmax(x: Any, y: Any) -> Any:
    """Elementwise maximum that ignores nan; a tie splits the gradient in halves.

    >>> import numpy as np
    >>> import autodiff as ad
    >>> ad.fmax(ad.Tensor([1, 5]), [np.nan, 3])
    [1 5]
    """
    return np.fmax(x, y)


# x gets one half if it is the result, and one half if y is not. This holds for nan too, which equals nothing.
fmax.backward(
    lambda grad, z, x, y: 0.5 * grad * (x == z) + 0.5 * grad * (y != z),
    lambda grad, z, x, y: 0.5 * grad * (y == z) + 0.5 * grad * (x != z),
)


@operation(kind="elementwise")
def fmin(x: Any, y: Any) -> Any:
    """Elementwise minimum that ignores nan; a tie splits the gradient in halves.

    >>> import numpy as np
    >>> import autodiff as ad
    >>> ad.fmin(ad.Tensor([1, 5]), [np.nan, 3])
    [1 3]
    """
    return np.fmin(x, y)


fmin.backward(*fmax.rules)


@operation(kind="elementwise")
def floor(x: Any) -> Any:
    """Round down to an integer. A constant: its slope is 0 wherever it exists.

    >>> import autodiff as ad
    >>> ad.floor(ad.Tensor([-1.5, 1.5]))
    [-2  1]
    """
    return np.floor(x)


floor.backward(None)


@operation(kind="elementwise")
def ceil(x: Any) -> Any:
    """Round up to an integer. A constant: its slope is 0 wherever it exists.

    >>> import autodiff as ad
    >>> ad.ceil(ad.Tensor([-1.5, 1.5]))
    [-1  2]
    """
    return np.ceil(x)


ceil.backward(None)


@operation(kind="elementwise")
def round(x: Any, *, decimals: int = 0) -> Any:
    """Round to ``decimals`` decimals, halves to the even neighbour. A constant: its slope is 0 wherever it
    exists.

    >>> import autodiff as ad
    >>> ad.round(ad.Tensor([0.5, 1.5, 2.7]))
    [0 2 3]
    """
    return np.round(x, decimals)


round.backward(None)

clamp = clip  # PyTorch's name
