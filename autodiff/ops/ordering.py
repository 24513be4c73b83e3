"""Operations that compare elements with each other: max, min, median, argmax, argmin, sort, argsort."""

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


def by_extreme(grad: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The gradient goes to the elements that are the result; the mask is found again from z and x."""
    return spread(grad, x, axis) * ties(x, spread(z, x, axis), axis=axis)


@operation
def max(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest element, of all or along ``axis`` (an int or a tuple); ties share the gradient.

    >>> import autodiff as ad
    >>> x = ad.Tensor([5, 1, 5])
    >>> ad.ops.ordering.max(x).backward()
    >>> x.grad
    [0.5   0 0.5]
    """
    return np.max(x, axis=axis, keepdims=keepdims)


max.backward(by_extreme)


@operation
def min(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """The smallest element, of all or along ``axis`` (an int or a tuple); ties share the gradient.

    >>> import autodiff as ad
    >>> ad.ops.ordering.min(ad.Tensor([[5, 1], [2, 3]]), axis=1)
    [1 2]
    """
    return np.min(x, axis=axis, keepdims=keepdims)


min.backward(by_extreme)


@operation
def ties(x: Any, y: Any, *, axis: Any = None) -> Any:
    """The share of each x that equals y, among all that do along ``axis``. A constant.

    >>> import autodiff as ad
    >>> ad.ops.ordering.ties([5.0, 1.0, 5.0], 5.0)
    array([0.5, 0. , 0.5])
    """
    won = x == y
    return won / np.sum(won, axis=axis, keepdims=True, dtype=np.result_type(x, y))


ties.backward(None, None)


@operation
def median(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """The middle element in order of size, of all or along ``axis`` (an int or a tuple); of an even number
    the mean of the two in the middle. Of equal elements those in the middle by place get the gradient. The
    median of nothing is nan.

    >>> import autodiff as ad
    >>> x = ad.Tensor([4, 1, 9, 2])
    >>> ad.ops.ordering.median(x).backward()
    >>> x.grad
    [0.5   0   0 0.5]
    """
    if np.size(x):
        return np.median(x, axis=axis, keepdims=keepdims)
    return reductions.mean.forward(x, axis=axis, keepdims=keepdims)  # NumPy's would warn


median.backward(
    lambda grad, z, x, axis=None, keepdims=False: spread(grad, x, axis) * middle(x, axis=axis)
)


@operation
def middle(x: Any, *, axis: Any = None) -> Any:
    """The share of each x in the median: 1 in the middle, or one half for each of two. A constant.

    >>> import autodiff as ad
    >>> ad.ops.ordering.middle([4.0, 1.0, 9.0, 2.0])
    array([0.5, 0. , 0. , 0.5])
    """
    axes = normalize_axis_tuple(range(x.ndim) if axis is None else axis, x.ndim)
    order = (*(a for a in range(x.ndim) if a not in axes), *axes)
    laid = np.transpose(x, order)
    kept = laid.shape[: x.ndim - len(axes)]
    rows = np.reshape(laid, (*kept, math.prod(laid.shape[len(kept) :])))
    n = rows.shape[-1]
    places = np.argsort(rows, axis=-1, kind="stable")[..., (n - 1) // 2 : n // 2 + 1]
    shares = np.zeros_like(rows, dtype=np.result_type(x, 0.5))
    np.put_along_axis(shares, places, 0.5 if n % 2 == 0 else 1.0, axis=-1)
    return np.transpose(np.reshape(shares, laid.shape), inverse(order))


middle.backward(None)


@operation
def argmax(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """Where the largest element stands, the first of several; without an axis, counted over all elements in
    one row. A constant.

    >>> import autodiff as ad
    >>> ad.ops.ordering.argmax(ad.Tensor([3, 7, 7]))
    1
    """
    return np.argmax(x, axis=axis, keepdims=keepdims)


argmax.backward(None)


@operation
def argmin(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """Where the smallest element stands, the first of several. A constant.

    >>> import autodiff as ad
    >>> ad.ops.ordering.argmin(ad.Tensor([[3, 1], [0, 2]]), axis=1)
    [1 0]
    """
    return np.argmin(x, axis=axis, keepdims=keepdims)


argmin.backward(None)


@operation
def argsort(x: Any, *, axis: int | None = -1) -> Any:
    """The places of the elements from the smallest to the largest, equal ones in their order. A constant.

    >>> import autodiff as ad
    >>> ad.ops.ordering.argsort(ad.Tensor([30, 10, 20]))
    [1 2 0]
    """
    return np.argsort(x, axis=axis, kind="stable")


argsort.backward(None)


@operation
def sort(x: Any, *, axis: int | None = -1) -> Any:
    """From the smallest to the largest along ``axis``; without one, all elements in one row. Each element
    keeps its gradient, equal ones in their order.

    >>> import autodiff as ad
    >>> ad.ops.ordering.sort(ad.Tensor([30, 10, 20]))
    [10 20 30]
    """
    return np.sort(x, axis=axis, kind="stable")


def by_sorted(grad: Any, z: Any, x: Any, axis: int | None = -1) -> Any:
    """Each element finds its gradient at its rank."""
    along = axis or 0
    rank = argsort(argsort(reshape(x, shape=shape_of(z)), axis=along), axis=along)
    return reshape(take_along_axis(grad, indices=rank, axis=along), shape=shape_of(x))


sort.backward(by_sorted)
