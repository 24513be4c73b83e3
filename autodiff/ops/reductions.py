"""Operations that make fewer numbers out of many: sum, mean, var, std, norm.

The product stands in ``cumulative.py``, the largest and the smallest in ``ordering.py``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.catalogue import catalogue
from ..engine.operation import Operation, operation
from .shaping import broadcast_to, reshape, shape_of


@operation(kind="linear")
def sum(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Sum of all elements, or along ``axis`` (an int or a tuple; negative counts from the end).

    >>> import autodiff as ad
    >>> ad.sum(ad.Tensor([[1, 2], [3, 4]]), axis=0)
    [4 6]
    """
    return np.sum(x, axis=axis, keepdims=keepdims)


sum.backward(lambda grad, z, x, axis=None, keepdims=False: spread(grad, x, axis))


@operation(kind="linear")
def mean(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Mean of all elements, or along ``axis``. The mean of nothing is nan.

    >>> import autodiff as ad
    >>> ad.mean(ad.Tensor([[1, 2], [3, 4]]), axis=-1)
    [1.5 3.5]
    """
    total = np.sum(x, axis=axis, keepdims=keepdims)
    return total / count(x, total)


mean.backward(lambda grad, z, x, axis=None, keepdims=False: spread(grad, x, axis) / count(x, z))


@operation
def var(x: Any, *, axis: Any = None, keepdims: bool = False, ddof: int = 0) -> Any:
    """Variance: the mean of the squared distances from the mean. It divides by the count less ``ddof``.

    >>> import autodiff as ad
    >>> ad.ops.reductions.var(ad.Tensor([1, 2, 3, 4]))
    1.25
    """
    apart = x - np.mean(x, axis=axis, keepdims=True) if np.size(x) else x
    total = np.sum(apart * apart, axis=axis, keepdims=keepdims)
    return total / freedom(x, total, ddof)


def by_spread_out(grad: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False, ddof: int = 0) -> Any:
    """For the variance: 2 (x - mean) / n. That the mean moves too makes no difference: distances from it
    add up to 0."""
    apart = x - mean(x, axis=axis, keepdims=True)
    return spread(grad, x, axis) * apart * 2 / freedom(x, z, ddof)


var.backward(by_spread_out)


@operation
def std(x: Any, *, axis: Any = None, keepdims: bool = False, ddof: int = 0) -> Any:
    """Standard deviation, the square root of the variance. Its slope where all are equal is taken as 0.

    >>> import autodiff as ad
    >>> ad.ops.reductions.std(ad.Tensor([1, 3]))
    1
    """
    apart = x - np.mean(x, axis=axis, keepdims=True) if np.size(x) else x
    length = norm.forward(apart, axis=axis, keepdims=keepdims)
    return length / math.sqrt(freedom(x, length, ddof))


def by_deviation(grad: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False, ddof: int = 0) -> Any:
    """For the standard deviation: (x - mean) / z / n. Where z is 0, so is every distance from the mean."""
    apart = x - mean(x, axis=axis, keepdims=True)
    return spread(grad, x, axis) * (apart / spread(z + (z == 0), x, axis)) / freedom(x, z, ddof)


std.backward(by_deviation)


class Norm(Operation):
    """norm takes an order before its other options, as NumPy's does; the others are in ``norms.py``."""

    __slots__ = ()

    def __call__(self, x: Any, ord: Any = None, *rest: Any, **options: Any) -> Any:  # noqa: A002
        """Compute, and record. Without an order it is the Euclidean norm."""
        if ord is None:
            return super().__call__(x, *rest, **options)
        return catalogue.norm_of_order(x, ord, *rest, **options)


@Norm
def norm(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Length, the square root of the sum of squares: of all elements, or along ``axis``. Its slope at 0 is
    taken as 0.

    The elements are divided by a power of 2 near the largest of them first, which changes no digit: no square
    overflows and none is lost.

    >>> import autodiff as ad
    >>> ad.ops.reductions.norm(ad.Tensor([3, 4]))
    5
    """
    scale = power_of_2(x, axis)
    squares = x / scale
    squares *= squares
    z = scale * np.sqrt(np.sum(squares, axis=axis, keepdims=True))
    return z if keepdims else np.sum(z, axis=axis)


norm.backward(
    lambda grad, z, x, axis=None, keepdims=False: spread(grad, x, axis) * (x / spread(z + (z == 0), x, axis))
)


def power_of_2(x: Any, axis: Any) -> Any:
    """The one below the largest element along an axis, signs apart; 1 if that is 0, inf or nan."""
    sizes = np.abs(x)
    top = np.maximum.reduce(sizes, axis=axis, keepdims=True, initial=0, dtype=np.result_type(sizes, 0.0))
    top = np.where((top > 0) & (top < np.inf), top, 1)
    return top / (2 * np.frexp(top)[0])


def count(x: Any, z: Any) -> int:
    """How many elements of ``x`` went into each element of ``z``."""
    return math.prod(shape_of(x)) // max(math.prod(shape_of(z)), 1)


def freedom(x: Any, z: Any, ddof: int) -> int:
    """What a variance divides by, as NumPy counts it."""
    return max(count(x, z) - ddof, 0)


def spread(grad: Any, x: Any, axis: Any) -> Any:
    """A reduction's gradient laid out again over the elements of ``x`` that it came from."""
    shape = shape_of(x)
    if axis is not None and shape:
        gone = {a % len(shape) for a in (axis if isinstance(axis, tuple) else (axis,))}
        grad = reshape(grad, shape=tuple(1 if a in gone else size for a, size in enumerate(shape)))
    return broadcast_to(grad, shape=shape)
