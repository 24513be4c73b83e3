"""Elements by their rank: topk, partition, quantile. The order is found in the plain data, as a constant, and
the elements are picked by it, so that each keeps its own gradient.

sort, median and the extremes are in ``ordering.py``.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from ..engine.keywords import in_either_words
from ..engine.operands import as_recorded
from ..engine.tensor import Tensor, constant_tensor, raw
from .indexing import take_along_axis
from .ordering import sort
from .piecewise import where
from .shaping import moveaxis, reshape, shape_of, transpose


class TopK(NamedTuple):
    """The largest elements, and where they stood."""

    values: Any
    indices: Any


@in_either_words
def topk(x: Any, k: int, axis: int = -1, largest: bool = True, sorted: bool = True) -> TopK:  # noqa: A002
    """The ``k`` largest elements along ``axis``, in descending order, and their places: ``torch.topk``. Equal
    elements keep their order. nan counts as larger than any number.

    Parameters
    ----------
    x
        An array with at least one axis.
    k
        How many, at most the size of that axis.
    axis
        Along which; negative counts from the end.
    largest
        False takes the smallest, in ascending order.
    sorted
        Taken for PyTorch's sake: the result is always in order.

    Returns
    -------
    The namedtuple ``(values, indices)``; the indices are a constant.

    Raises
    ------
    ValueError
        If k is negative or there are not so many elements.

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
    data = np.asarray(raw(x))
    if largest:  # backwards before and after, so that equal elements keep their order
        order = shape[axis] - 1 - np.flip(np.argsort(np.flip(data, axis), axis, kind="stable"), axis)
    else:
        order = np.argsort(data, axis, kind="stable")
    indices = np.take(order, np.arange(k), axis)
    values = take_along_axis(x, indices=indices, axis=axis)
    return TopK(values, constant_tensor(indices) if isinstance(x, Tensor) else indices)


@in_either_words
def partition(x: Any, kth: Any, axis: int | None = -1) -> Any:
    """A sort that stops early: the ``kth`` element stands where a sort puts it, with no larger one before it
    and no smaller one after it.

    >>> import autodiff as ad
    >>> ad.ops.ranking.partition(ad.Tensor([30, 10, 20]), 1)
    [10 20 30]
    """
    x = as_recorded(x)
    order = np.argpartition(np.asarray(raw(x)), kth, axis)
    return take_along_axis(x, indices=order, axis=axis)


@in_either_words
def quantile(x: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The value below which the fraction ``q`` of the elements lies, of all or along ``axis`` (an int or a
    tuple); between two elements it is interpolated. ``q`` is a number or an array, whose axes come first in
    the result. Where there is a nan among the elements the quantile is nan.

    Raises ValueError if a fraction is not between 0 and 1, or there are no elements.

    >>> import autodiff as ad
    >>> ad.ops.ranking.quantile(ad.Tensor([10, 20, 30, 40]), [0, 0.5, 0.75])
    [  10   25 32.5]
    """
    x, q = as_recorded(x), np.asarray(raw(q), dtype=float)
    if not np.all((q >= 0) & (q <= 1)):
        raise ValueError("a quantile is taken at fractions between 0 and 1 (a percentile between 0 and 100)")
    shape = shape_of(x)
    axes = normalize_axis_tuple(range(len(shape)) if axis is None else axis, len(shape))
    rest = [a for a in range(len(shape)) if a not in axes]
    count = math.prod(shape[a] for a in axes)
    if not count:
        raise ValueError("there is no quantile of no elements")
    rows = sort(reshape(transpose(x, axes=(*rest, *axes)), shape=(*(shape[a] for a in rest), count)))
    place = q.ravel() * (count - 1)
    below, share = np.floor(place).astype(int), (place % 1).astype(rows.dtype)
    low, high = (elements(rows, np.minimum(places, count - 1)) for places in (below, below + 1))
    between = where(share == 0, low, low + (high - low) * share)  # also beside an inf
    found = where(np.isnan(np.asarray(raw(rows))[..., -1:]), np.nan, between)
    kept = tuple(1 if a in axes else n for a, n in enumerate(shape) if keepdims or a not in axes)
    return reshape(moveaxis(found, source=-1, destination=0), shape=(*q.shape, *kept))


def elements(rows: Any, places: Any) -> Any:
    """Those at the same places in each row."""
    return take_along_axis(rows, indices=places.reshape((1,) * (rows.ndim - 1) + (-1,)), axis=-1)
