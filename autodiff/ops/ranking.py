"""Elements by rank: topk, partition, quantile. They are composed of operations: NumPy computes the order of
the elements, which is a constant, and take_along_axis picks them.

sort, median, max and min are in ``ordering.py``.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..engine.dtypes import computed_in
from ..engine.keywords import in_either_words
from ..engine.operands import as_recorded
from ..engine.tensor import Tensor, constant_tensor, raw
from ..engine.values import as_array
from .indexing import take_along_axis
from .ordering import sort
from .piecewise import where
from .shaping import moveaxis, reshape, shape_of, transpose


class TopK(NamedTuple):
    """The largest elements and their indices."""

    values: Any
    indices: Any


@in_either_words
def topk(x: Any, k: int, axis: int = -1, largest: bool = True, sorted: bool = True) -> TopK:  # noqa: A002
    """The ``k`` largest elements along ``axis``, in descending order, and their indices, as ``torch.topk``.
    Equal elements keep their order. nan counts as larger than any number.

    Parameters
    ----------
    x
        An array with at least one axis.
    k
        The number of elements, at most the size of the axis.
    axis
        The axis; a negative one counts from the end.
    largest
        False gives the smallest elements, in ascending order.
    sorted
        Has no effect, and exists for compatibility with PyTorch: the result is always sorted.

    Returns
    -------
    The namedtuple ``(values, indices)``; the indices are a constant.

    Raises
    ------
    ValueError
        If k is negative or larger than the size of the axis.

    Example
    -------
    >>> import autodiff as ad
    >>> values, indices = ad.topk(ad.Tensor([30, 10, 40, 20]), 2)
    >>> values, indices
    ([40 30], [2 0])
    """
    x = as_recorded(x)
    shape = shape_of(x)
    axis = normalize_axis_index(axis, len(shape))
    if not 0 <= k <= shape[axis]:
        raise ValueError(f"topk cannot take {k} of the {shape[axis]} elements along axis {axis}")
    data = as_array(raw(x))
    if largest:  # an ascending sort of the reversed elements, reversed again: equal elements keep their order
        order = shape[axis] - 1 - np.flip(np.argsort(np.flip(data, axis), axis, kind="stable"), axis)
    else:
        order = np.argsort(data, axis, kind="stable")
    indices = np.take(order, np.arange(k), axis)
    values = take_along_axis(x, indices=indices, axis=axis)
    return TopK(values, constant_tensor(indices) if isinstance(x, Tensor) else indices)


@in_either_words
def partition(x: Any, kth: Any, axis: int | None = -1) -> Any:
    """Partial sort: element ``kth`` is where a sort would put it, with no larger one before it and no smaller
    one after it.

    >>> import autodiff as ad
    >>> ad.ops.ranking.partition(ad.Tensor([30, 10, 20]), 1)
    [10 20 30]
    """
    x = as_recorded(x)
    order = np.argpartition(as_array(raw(x)), kth, axis)
    return take_along_axis(x, indices=order, axis=axis)


@in_either_words
@computed_in("floats")
def quantile(x: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Quantiles of all elements, or along ``axis`` (an int or a tuple), by linear interpolation: a fraction
    ``q`` of the elements is below the result. ``q`` is a number or an array; the axes of an array come first
    in the result. If an element is nan, so is the quantile.

    Raises ValueError if a fraction is not between 0 and 1, or if there are no elements.

    >>> import autodiff as ad
    >>> ad.ops.ranking.quantile(ad.Tensor([10, 20, 30, 40]), [0, 0.5, 0.75])
    [  10   25 32.5]
    """
    x, q = as_recorded(x), np.asarray(raw(q), dtype=float)
    if not np.all((q >= 0) & (q <= 1)):
        raise ValueError(
            "the fractions of a quantile must be between 0 and 1 (those of a percentile, 0 and 100)"
        )
    shape = shape_of(x)
    axes = normalize_axis_tuple(range(len(shape)) if axis is None else axis, len(shape))
    rest = [a for a in range(len(shape)) if a not in axes]
    count = math.prod(shape[a] for a in axes)
    if not count:
        raise ValueError("quantile needs at least one element")
    rows = sort(reshape(transpose(x, axes=(*rest, *axes)), shape=(*(shape[a] for a in rest), count)))
    position = q.ravel() * (count - 1)
    index, fraction = np.floor(position).astype(int), (position % 1).astype(rows.dtype)
    low, high = (pick_from_rows(rows, np.minimum(i, count - 1)) for i in (index, index + 1))
    interpolated = where(fraction == 0, low, low + (high - low) * fraction)  # 0 * inf would be nan
    result = where(np.isnan(as_array(raw(rows))[..., -1:]), np.nan, interpolated)
    kept = tuple(1 if a in axes else n for a, n in enumerate(shape) if keepdims or a not in axes)
    return reshape(moveaxis(result, source=-1, destination=0), shape=(*q.shape, *kept))


def pick_from_rows(rows: Any, indices: Any) -> Any:
    """The elements at the same indices in each row."""
    return take_along_axis(rows, indices=indices.reshape((1,) * (rows.ndim - 1) + (-1,)), axis=-1)
