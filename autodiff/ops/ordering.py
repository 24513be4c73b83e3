"""Operations that order elements: max, min, median, argmax, argmin, sort, argsort."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from ..engine.operation import operation
from . import reductions
from .indexing import take_along_axis
from .reductions import spread
from .shaping import inverse, reshape, shape_of


def extremum_rule(grad: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The rule of max and min: the gradient goes to the elements that are equal to the result."""
    return spread(grad, x, axis) * ties(x, spread(z, x, axis), axis=axis)


@operation
def max(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Largest of all elements, or along ``axis`` (an int or a tuple); ties split the gradient equally.

    >>> import autodiff as ad
    >>> x = ad.Tensor([5, 1, 5])
    >>> ad.max(x).backward()
    >>> x.grad
    [0.5   0 0.5]
    """
    return np.max(x, axis=axis, keepdims=keepdims)


max.backward(extremum_rule)


@operation
def min(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Smallest of all elements, or along ``axis`` (an int or a tuple); ties split the gradient equally.

    >>> import autodiff as ad
    >>> ad.min(ad.Tensor([[5, 1], [2, 3]]), axis=1)
    [1 2]
    """
    return np.min(x, axis=axis, keepdims=keepdims)


min.backward(extremum_rule)


@operation(precision="double")
def ties(x: Any, y: Any, *, axis: Any = None) -> Any:
    """1/n for each element of x that equals y, if n elements along ``axis`` do; 0 for the others. A constant.

    >>> import autodiff as ad
    >>> ad.ops.ordering.ties([5.0, 1.0, 5.0], 5.0)
    array([0.5, 0. , 0.5])
    """
    is_tie = x == y
    return is_tie / np.sum(is_tie, axis=axis, keepdims=True, dtype=np.result_type(x, y))


ties.backward(None, None)


@operation(precision="floats")
def median(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Median of all elements, or along ``axis`` (an int or a tuple); the mean of the two middle elements if
    their number is even. Among equal elements, those in the middle of a stable sort get the gradient. The
    median of no elements is nan.

    >>> import autodiff as ad
    >>> x = ad.Tensor([4, 1, 9, 2])
    >>> ad.median(x).backward()
    >>> x.grad
    [0.5   0   0 0.5]
    """
    if np.size(x):
        return np.median(x, axis=axis, keepdims=keepdims)
    return reductions.mean.forward(x, axis=axis, keepdims=keepdims)  # nan; np.median would warn


median.backward(
    lambda grad, z, x, axis=None, keepdims=False: spread(grad, x, axis) * middle(x, axis=axis)
)


@operation
def middle(x: Any, *, axis: Any = None) -> Any:
    """The slope of the median with respect to each element: 1 in the middle, or one half for each of two. A
    constant.

    >>> import autodiff as ad
    >>> ad.ops.ordering.middle([4.0, 1.0, 9.0, 2.0])
    array([0.5, 0. , 0. , 0.5])
    """
    axes = normalize_axis_tuple(range(x.ndim) if axis is None else axis, x.ndim)
    order = (*(a for a in range(x.ndim) if a not in axes), *axes)
    reordered = np.transpose(x, order)  # the axes of the median last
    kept = reordered.shape[: x.ndim - len(axes)]
    rows = np.reshape(reordered, (*kept, math.prod(reordered.shape[len(kept) :])))
    n = rows.shape[-1]
    indices = np.argsort(rows, axis=-1, kind="stable")[..., (n - 1) // 2 : n // 2 + 1]
    slopes = np.zeros_like(rows, dtype=np.result_type(x, 0.5))
    np.put_along_axis(slopes, indices, 0.5 if n % 2 == 0 else 1.0, axis=-1)
    return np.transpose(np.reshape(slopes, reordered.shape), inverse(order))


middle.backward(None)


@operation
def argmax(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """Index of the largest element, the first one at a tie, along ``axis`` or in the flattened array. A
    constant.

    >>> import autodiff as ad
    >>> ad.argmax(ad.Tensor([3, 7, 7]))
    1
    """
    return np.argmax(x, axis=axis, keepdims=keepdims)


argmax.backward(None)


@operation
def argmin(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """Index of the smallest element, the first one at a tie, along ``axis`` or in the flattened array. A
    constant.

    >>> import autodiff as ad
    >>> ad.argmin(ad.Tensor([[3, 1], [0, 2]]), axis=1)
    [1 0]
    """
    return np.argmin(x, axis=axis, keepdims=keepdims)


argmin.backward(None)


@operation
def argsort(x: Any, *, axis: int | None = -1) -> Any:
    """Indices that sort the elements along ``axis``, by a stable sort. A constant.

    >>> import autodiff as ad
    >>> ad.argsort(ad.Tensor([30, 10, 20]))
    [1 2 0]
    """
    return np.argsort(x, axis=axis, kind="stable")


argsort.backward(None)


@operation
def sort(x: Any, *, axis: int | None = -1) -> Any:
    """Sort in ascending order along ``axis``, or the flattened array if ``axis`` is None, by a stable sort.

    >>> import autodiff as ad
    >>> ad.sort(ad.Tensor([30, 10, 20]))
    [10 20 30]
    """
    return np.sort(x, axis=axis, kind="stable")


def sort_rule(grad: Any, z: Any, x: Any, axis: int | None = -1) -> Any:
    """Each element gets the gradient at its rank."""
    along = axis or 0
    rank = argsort(argsort(reshape(x, shape=shape_of(z)), axis=along), axis=along)
    return reshape(take_along_axis(grad, indices=rank, axis=along), shape=shape_of(x))


sort.backward(sort_rule)
