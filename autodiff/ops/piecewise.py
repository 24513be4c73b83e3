"""Functions in pieces, and what chooses between values: where, clip, fmax, fmin, and the constants floor,
ceil, round.

An operation stands right above its rules. maximum and minimum are in ``arithmetic.py``.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..engine.keywords import translate
from ..engine.operands import as_recorded
from ..engine.operation import Operation, operation
from ..engine.tensor import raw


@operation(number=lambda condition, x, y: float(x if condition else y), kind="elementwise")
def where(condition: Any, x: Any, y: Any) -> Any:
    """Choice: x where the condition holds and y elsewhere. The condition gets no gradient.

    The side that was not chosen gets 0, even where the gradient is inf or nan.

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


class Bounding(Operation):
    """clip's bounds may be None or left out, and may be called min and max."""

    __slots__ = ()

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Compute, and record; a bound that is not there is one that nothing passes."""
        if options or len(inputs) < 3 or inputs[1] is None or inputs[2] is None:
            inputs = self.bounded(inputs, options)
        return super().__call__(*inputs, **options)

    def bounded(self, given: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
        """The operands with both bounds: those given by place, else by name, else the largest number there
        is. Integers stay integers."""
        translate(self.name, options, self.inputs, {})
        x, *bounds = given or (options.pop("x", None),)
        if x is None or len(bounds) > 2:
            return given
        dtype = getattr(as_recorded(raw(x)), "dtype", np.dtype(float))
        ends: tuple[float, float] = (-np.inf, np.inf)
        if dtype.kind in "iu":
            ends = (np.iinfo(dtype).min, np.iinfo(dtype).max)
        for place, (name, end) in enumerate(zip(("low", "high"), ends)):
            bound = bounds[place] if place < len(bounds) else None
            bound = options.pop(name, None) if bound is None else bound
            bounds[place : place + 1] = [end if bound is None else bound]
        return (x, *bounds)


@partial(Bounding, kind="elementwise")
def clip(x: Any, low: Any, high: Any) -> Any:
    """The value of x kept between two bounds; None stands for no bound. If they cross, ``high`` holds. Also
    called ``clamp``, and the bounds ``min`` and ``max``.

    The gradient goes to whichever of the three is the result. On a bound that is x, with slope 1.

    >>> import autodiff as ad
    >>> ad.clip(ad.Tensor([-5, 0.5, 7]), 0, 1)
    [  0 0.5   1]
    >>> ad.clamp(ad.Tensor([-5, 0.5, 7]), min=0)
    [  0 0.5   7]
    """
    return np.minimum(np.maximum(x, low), high)


clip.backward(
    lambda grad, z, x, low, high: grad * ((low <= x) & (x <= high)),
    lambda grad, z, x, low, high: grad * ((x < low) & (low <= high)),
    lambda grad, z, x, low, high: grad * ((high < x) | (high < low)),
)


@operation(kind="elementwise")
def fmax(x: Any, y: Any) -> Any:
    """The larger of two, where a number beats nan; a tie shares the gradient.

    >>> import autodiff as ad
    >>> ad.fmax(ad.Tensor([1, 5]), [np.nan, 3])
    [1 5]
    """
    return np.fmax(x, y)


# Half for being the result, half for the other's not being it: that holds for nan, which equals nothing, too.
fmax.backward(
    lambda grad, z, x, y: 0.5 * grad * (x == z) + 0.5 * grad * (y != z),
    lambda grad, z, x, y: 0.5 * grad * (y == z) + 0.5 * grad * (x != z),
)


@operation(kind="elementwise")
def fmin(x: Any, y: Any) -> Any:
    """The smaller of two, where a number beats nan; a tie shares the gradient.

    >>> import autodiff as ad
    >>> ad.fmin(ad.Tensor([1, 5]), [np.nan, 3])
    [1 3]
    """
    return np.fmin(x, y)


fmin.backward(*fmax.rules)


@operation(kind="elementwise")
def floor(x: Any) -> Any:
    """The next whole number below. A constant: its slope is 0 wherever there is one.

    >>> import autodiff as ad
    >>> ad.floor(ad.Tensor([-1.5, 1.5]))
    [-2  1]
    """
    return np.floor(x)


floor.backward(None)


@operation(kind="elementwise")
def ceil(x: Any) -> Any:
    """The next whole number above. A constant: its slope is 0 wherever there is one.

    >>> import autodiff as ad
    >>> ad.ceil(ad.Tensor([-1.5, 1.5]))
    [-1  2]
    """
    return np.ceil(x)


ceil.backward(None)


@operation(kind="elementwise")
def round(x: Any, *, decimals: int = 0) -> Any:
    """Rounded to so many decimals, halves to the even neighbour. A constant: its slope is 0 wherever there is
    one.

    >>> import autodiff as ad
    >>> ad.round(ad.Tensor([0.5, 1.5, 2.7]))
    [0 2 3]
    """
    return np.round(x, decimals)


round.backward(None)

clamp = clip  # as PyTorch calls it
