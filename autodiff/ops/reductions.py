"""Reductions: sum, mean, var, std, norm.

prod is in ``cumulative.py``; max, min and median are in ``ordering.py``.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ..engine.catalogue import catalogue
from ..engine.operation import Operation, operation
from .elementary import abs as absolute
from .elementary import sign
from .shaping import broadcast_to, reshape, shape_of


@operation(kind="linear", precision="double")
def sum(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Sum of all elements, or along ``axis`` (an int or a tuple; negative counts from the end).

    >>> import autodiff as ad
    >>> ad.sum(ad.Tensor([[1, 2], [3, 4]]), axis=0)
    [4 6]
    """
    return np.sum(x, axis=axis, keepdims=keepdims)


sum.backward(lambda grad, z, x, axis=None, keepdims=False: spread(grad, x, axis))


@operation(kind="linear", precision="floats")
def mean(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Mean of all elements, or along ``axis``. The mean of no elements is nan.

    >>> import autodiff as ad
    >>> ad.mean(ad.Tensor([[1, 2], [3, 4]]), axis=-1)
    [1.5 3.5]
    """
    total = np.sum(x, axis=axis, keepdims=keepdims)
    return total / count(x, total)


mean.backward(lambda grad, z, x, axis=None, keepdims=False: spread(grad, x, axis) / count(x, z))


@operation(precision="floats")
def var(x: Any, *, axis: Any = None, keepdims: bool = False, ddof: int = 0) -> Any:
    """Variance of all elements, or along ``axis``: the sum of the squared deviations from the mean, divided
    by n - ``ddof`` for n elements.

    >>> import autodiff as ad
    >>> ad.var(ad.Tensor([1, 2, 3, 4]))
    1.25
    """
    deviation = x - np.mean(x, axis=axis, keepdims=True) if np.size(x) else x
    total = np.sum(deviation * deviation, axis=axis, keepdims=keepdims)
    return total / divisor(x, total, ddof)


def var_rule(grad: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False, ddof: int = 0) -> Any:
    """2 (x - mean) / (n - ddof). The mean depends on x too, but that term is 0, since deviations sum to 0."""
    deviation = x - mean(x, axis=axis, keepdims=True)
    return spread(grad, x, axis) * deviation * 2 / divisor(x, z, ddof)


var.backward(var_rule)


@operation(precision="floats")
def std(x: Any, *, axis: Any = None, keepdims: bool = False, ddof: int = 0) -> Any:
    """Standard deviation, the square root of the variance. Its slope is taken as 0 where all elements are
    equal; second derivatives through there are inf or nan, while those of ``var`` are right.

    >>> import autodiff as ad
    >>> ad.std(ad.Tensor([1, 3]))
    1
    """
    deviation = x - np.mean(x, axis=axis, keepdims=True) if np.size(x) else x
    length = norm.forward(deviation, axis=axis, keepdims=keepdims)
    return length / math.sqrt(divisor(x, length, ddof))


def std_rule(grad: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False, ddof: int = 0) -> Any:
    """(x - mean) / z / (n - ddof), and 0 where z is 0. A single element never deviates."""
    if count(x, z) == 1:
        return spread(grad, x, axis) * (x - mean(x, axis=axis, keepdims=True)) / divisor(x, z, ddof)
    return spread(grad, x, axis) * score(x, axis=axis, ddof=ddof) / divisor(x, z, ddof)


std.backward(std_rule)


@operation(precision="floats")
def score(x: Any, *, axis: Any = None, ddof: int = 0) -> Any:
    """Standard scores, (x - mean) / std along ``axis``; 0 where all elements are equal.

    >>> import autodiff as ad
    >>> ad.ops.reductions.score(ad.Tensor([1, 3, 5, 7]), ddof=1)
    [  -1.1619 -0.387298  0.387298    1.1619]
    """
    z = std.forward(x, axis=axis, keepdims=True, ddof=ddof)
    for _ in range(2 * bool(np.size(x))):  # twice, since the first mean is rounded
        x = x - np.mean(x, axis=axis, keepdims=True)
    return x / (z + (z == 0))


def score_rule(grad: Any, u: Any, x: Any, axis: Any = None, ddof: int = 0) -> Any:
    """Return grad / std minus its mean and its component along u. Both are subtracted twice, since rounding
    leaves a remainder. Where std is 0 the scores jump, and this is inf or nan."""
    z = std(x, axis=axis, keepdims=True, ddof=ddof)
    grad = grad / (z + (count(x, z) == 1))  # a single element has the score 0, whatever it is
    for _ in range(2):
        grad = grad - mean(grad, axis=axis, keepdims=True)
        grad = grad - u * sum(u * grad, axis=axis, keepdims=True) / divisor(x, z, ddof)
    return grad


score.backward(score_rule)


class Norm(Operation):
    """norm, which takes an order before its other options, as NumPy's does. ``norms.py`` has those norms."""

    __slots__ = ()

    def __call__(self, x: Any, ord: Any = None, *rest: Any, **options: Any) -> Any:  # noqa: A002
        """Compute, and record. Without an order this is the Euclidean norm."""
        if ord is None:
            return super().__call__(x, *rest, **options)
        return catalogue.norm_of_order(x, ord, *rest, **options)


@partial(Norm, precision="floats")
def norm(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Euclidean norm, the square root of the sum of squares, of all elements or along ``axis``. Its slope at
    0 is taken as 0. Its second derivative grows without bound towards 0, so second derivatives through there
    are inf or nan, even that of ``norm(x) ** 2``, in which the rules meet 0 * inf: write ``(x * x).sum()``.

    The elements are first divided by a power of 2 near the largest, so that no square overflows or
    underflows. This division is exact.

    >>> import autodiff as ad
    >>> ad.norm(ad.Tensor([3, 4]))
    5
    """
    z = length(x, axis, 2)
    return z if keepdims else np.sum(z, axis=axis)


norm.backward(lambda grad, z, x, axis=None, keepdims=False: spread(grad, x, axis) * unit(x, axis=axis))


@operation(precision="floats")
def unit(x: Any, *, axis: Any = None, order: float = 2) -> Any:
    """Divide x by its norm of the given order along ``axis``; 0 where that is 0.

    >>> import autodiff as ad
    >>> ad.ops.reductions.unit(ad.Tensor([3, 4]))
    [0.6 0.8]
    """
    z = length(x, axis, order)
    return x / (z + (z == 0))


def unit_rule(grad: Any, u: Any, x: Any, axis: Any = None, order: float = 2) -> Any:
    """Return grad / norm minus its component along u, which is subtracted twice, since rounding leaves a
    remainder. Where the norm is 0 the direction jumps, and this is inf or nan."""
    z = (
        norm(x, axis=axis, keepdims=True)
        if order == 2
        else catalogue.power_norm(x, order=order, axis=axis, keepdims=True)
    )
    slope = u if order == 2 else sign(u) * (absolute(u) + (u == 0)) ** (order - 1)
    grad = grad / z
    for _ in range(2):
        grad = grad - slope * sum(u * grad, axis=axis, keepdims=True)
    return grad


unit.backward(unit_rule)


def length(x: Any, axis: Any, order: float) -> Any:
    """The norm of the given order along ``axis``, which is kept."""
    scale = power_of_2(x, axis)
    if order != 2:
        return scale * np.sum(np.abs(x / scale) ** order, axis=axis, keepdims=True) ** (1 / order)
    squares = x / scale
    squares *= squares
    return scale * np.sqrt(np.sum(squares, axis=axis, keepdims=True))


def power_of_2(x: Any, axis: Any) -> Any:
    """The largest power of 2 up to the largest absolute value along ``axis``; 1 if that is 0, inf or nan."""
    sizes = np.abs(x)
    top = np.maximum.reduce(sizes, axis=axis, keepdims=True, initial=0, dtype=np.result_type(sizes, 0.0))
    top = np.where((top > 0) & (top < np.inf), top, 1)
    return top / (2 * np.frexp(top)[0])


def count(x: Any, z: Any) -> int:
    """The number of elements of ``x`` that were reduced to each element of ``z``."""
    return math.prod(shape_of(x)) // max(math.prod(shape_of(z)), 1)


def divisor(x: Any, z: Any, ddof: int) -> int:
    """The number that a variance divides by: n - ``ddof`` for n elements, but at least 0, as in NumPy."""
    return max(count(x, z) - ddof, 0)


def spread(grad: Any, x: Any, axis: Any) -> Any:
    """The gradient of a reduction over ``axis``, broadcast back to the shape of ``x``."""
    shape = shape_of(x)
    if axis is not None and shape:
        reduced = {a % len(shape) for a in (axis if isinstance(axis, tuple) else (axis,))}
        grad = reshape(grad, shape=tuple(1 if a in reduced else size for a, size in enumerate(shape)))
    return broadcast_to(grad, shape=shape)
