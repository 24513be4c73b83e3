"""Indexing: getitem and scatter, take_along_axis, gather and scatter_add, masked_select, repeat, tile, pad,
diagonal, tril, triu.

getitem and scatter are each other's transposes: the rule of one calls the other. An element that was picked
several times gets the sum of the gradients.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..engine.keywords import in_either_words
from ..engine.operands import as_recorded
from ..engine.operation import operation
from ..engine.tensor import plain_index, raw
from ..engine.tracing import TraceError
from ..engine.values import as_array, is_foreign
from . import reductions
from .shaping import moveaxis, reshape, shape_of, stretched


@operation(kind="linear")
def getitem(x: Any, *, index: Any) -> Any:
    """Elements of x at an index, ``x[index]``. The index is any that NumPy takes: integers, slices, None,
    Ellipsis, arrays of integers (with repetitions), masks, and tuples of these.

    >>> import autodiff as ad
    >>> ad.getitem(ad.Tensor([10, 20, 30]), index=[2, 0, 0])
    [30 10 10]
    """
    return chosen(x, plain_index(index))


def chosen(x: Any, index: Any) -> Any:
    """``x[index]``, even if x has values and a part of the index has none yet, since a function is being
    compiled."""
    try:
        return x[index]
    except TraceError:
        parts = index if isinstance(index, tuple) else (index,)
        if is_foreign(x):
            raise
        return np.asarray(x, like=next(filter(is_foreign, parts)))[index]


getitem.backward(lambda grad, z, x, index: scatter(grad, index=index, shape=shape_of(x)))


@operation(kind="linear", precision="double")
def scatter(x: Any, *, index: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of ``shape``, with the elements of x added at ``index``; at a repeated index they add up.

    >>> import autodiff as ad
    >>> ad.scatter(ad.Tensor([1, 2, 3]), index=[2, 0, 0], shape=(4,))
    [5 0 1 0]
    """
    index = tuple(map(as_index, index)) if isinstance(index, tuple) else as_index(index)
    parts = index if isinstance(index, tuple) else (index,)
    arrays = [part for part in parts if getattr(part, "ndim", 0)]
    z = np.zeros_like(x, shape=shape, order="C")
    if all(array.dtype.kind == "b" for array in arrays):
        z[index] = x  # no element is indexed twice
    elif len(arrays) == len(shape) or (any(map(is_foreign, parts)) and len(parts) > 1):
        if len(shape) == 1 and all(part is not None for part in parts) and np.shape(x) != arrays[0].shape:
            x = np.broadcast_to(x, arrays[0].shape)  # else np.add.at of NumPy 2.4 reads beyond its end
        np.add.at(z, index, x)
    else:  # each index selects a whole slice: np.add.at is six times as fast on single elements
        places = flat_places(index, shape)
        flat = np.zeros_like(x, shape=(math.prod(shape),))
        np.add.at(flat, np.ravel(places), np.ravel(np.broadcast_to(x, places.shape)))
        z = np.reshape(flat, shape)
    return z


def flat_places(index: Any, shape: tuple[int, ...]) -> Any:
    """The places that an index selects in an array of this shape, counted in the flattened array.

    >>> flat_places([1, 0], (2, 3)).tolist()
    [[3, 4, 5], [0, 1, 2]]
    """
    if not is_foreign(index):
        return np.arange(math.prod(shape)).reshape(shape)[index]
    # No NumPy array can be indexed by an array of another library.
    inner = np.reshape(np.arange(math.prod(shape[1:]), like=index), shape[1:])
    rows = np.reshape(index, (*index.shape, *[1] * inner.ndim)).astype(np.intp)
    return rows * inner.size + inner


scatter.backward(lambda grad, z, x, index, shape: getitem(grad, index=index))


def as_index(part: Any) -> Any:
    """One part of an index as NumPy reads it: a Tensor as its data, and a sequence (a list, a tuple, a range,
    an ``array.array``) as an array, which may repeat an index."""
    part = raw(part)
    if part is None or part is Ellipsis or isinstance(part, slice) or hasattr(part, "dtype"):
        return part
    if hasattr(part, "__index__") and not isinstance(part, bool):
        return operator.index(part)
    array = np.asarray(part)
    return array if array.size else array.astype(np.intp)  # NumPy makes an empty list an array of floats


@operation(kind="linear")
def take_along_axis(x: Any, *, indices: Any, axis: int | None = -1) -> Any:
    """Elements at ``indices`` along one axis: ``z[i, j] = x[i, indices[i, j]]`` for the last axis of two. The
    other axes broadcast. If ``axis`` is None, x is flattened.

    >>> import autodiff as ad
    >>> ad.take_along_axis(ad.Tensor([[1, 2], [3, 4]]), indices=[[1], [0]])
    [[2]
     [3]]
    """
    return np.take_along_axis(x, as_array(raw(indices)), axis)


def take_along_axis_rule(grad: Any, z: Any, x: Any, indices: Any, axis: int | None = -1) -> Any:
    """Scatter the gradient to the indices that were taken."""
    shape = x.shape if axis is not None else (x.size,)
    index: list[Any] = list(np.ix_(*map(np.arange, shape)))
    index[axis or 0] = as_array(raw(indices))
    return reshape(scatter(grad, index=tuple(index), shape=shape), shape=x.shape)


take_along_axis.backward(take_along_axis_rule)


@operation(kind="linear")
def gather(x: Any, *, axis: int, indices: Any) -> Any:
    """Elements at ``indices`` along one axis, as torch.gather. ``indices`` has as many axes as x; where it is
    shorter than x along another axis, the rest of x is ignored.

    >>> import autodiff as ad
    >>> ad.gather(ad.Tensor([[1, 2], [3, 4]]), axis=1, indices=[[1, 1, 0]])
    [[2 2 1]]
    """
    return chosen(x, full_index(x, axis, indices))


gather.backward(
    lambda grad, z, x, axis, indices: scatter(grad, index=full_index(x, axis, indices), shape=shape_of(x))
)


@operation(kind="linear", precision="double")
def scatter_add(x: Any, source: Any, *, axis: int, indices: Any) -> Any:
    """A copy of x with each element of ``source`` added at its index along one axis, as torch.scatter_add.
    ``source`` broadcasts to the shape of ``indices``; at a repeated index its elements add up.

    >>> import autodiff as ad
    >>> ad.scatter_add(ad.Tensor([1, 2, 3]), [10, 20, 30], axis=0, indices=[2, 0, 0])
    [51  2 13]
    """
    z = x.astype(np.result_type(x, source))
    np.add.at(z, full_index(x, axis, indices), source)
    return z


scatter_add.backward(
    lambda grad, z, x, source, axis, indices: grad,
    lambda grad, z, x, source, axis, indices: gather(grad, axis=axis, indices=indices),
)


def full_index(x: Any, axis: int, indices: Any) -> tuple[Any, ...]:
    """The index that takes ``indices`` along one axis of x, and 0, 1, 2, ... along the others.

    Raises ValueError if ``indices`` are not integers, or have another number of axes than x.
    """
    indices = as_array(raw(indices))
    axis = normalize_axis_index(axis, np.ndim(x))
    if indices.ndim != x.ndim or indices.dtype.kind not in "iu":
        raise ValueError(
            f"the indices must be integers with as many axes as the data, {x.ndim}, not an array of "
            f"{indices.dtype} of shape {indices.shape}"
        )
    index: list[Any] = list(np.ix_(*map(np.arange, indices.shape)))
    index[axis] = indices
    return tuple(index)


@in_either_words
def masked_select(x: Any, mask: Any) -> Any:
    """Vector of the elements of x where ``mask`` is True; x and the mask are broadcast together.

    Raises TypeError if the mask is not boolean.

    >>> import autodiff as ad
    >>> x = ad.Tensor([[1, 2], [3, 4]])
    >>> ad.masked_select(x, x > 1)
    [2 3 4]
    """
    x, mask = as_recorded(x), as_array(raw(mask))
    if mask.dtype != bool:
        raise TypeError(f"masked_select takes a boolean mask, such as x > 0, not {mask.dtype}")
    shape = np.broadcast_shapes(shape_of(x), mask.shape)
    return getitem(stretched(x, shape), index=np.broadcast_to(mask, shape))


@operation(kind="linear", precision="double")
def repeat(x: Any, *, repeats: Any, axis: int | None = None) -> Any:
    """Repeat each element ``repeats`` times (one count, or one per element) along ``axis``, or in the
    flattened array if ``axis`` is None.

    >>> import autodiff as ad
    >>> ad.repeat(ad.Tensor([1, 2, 3]), repeats=[1, 0, 2])
    [1 3 3]
    """
    return np.repeat(x, as_counts(repeats), axis)


def repeat_rule(grad: Any, z: Any, x: Any, repeats: Any, axis: int | None = None) -> Any:
    """An element gets the sum over its copies."""
    shape = shape_of(x) if axis is not None and shape_of(x) else (math.prod(shape_of(x)),)
    axis = normalize_axis_index(axis or 0, len(shape))
    before, size, after = shape[:axis], shape[axis], shape[axis + 1 :]
    if np.ndim(repeats) == 0:
        copies = reshape(grad, shape=(*before, size, int(repeats), *after))
        contribution = reductions.sum(copies, axis=axis + 1)
    else:
        origin = np.repeat(np.arange(size), as_counts(repeats))
        contribution = scatter(grad, index=(*[slice(None)] * axis, origin), shape=shape)
    return reshape(contribution, shape=shape_of(x))


repeat.backward(repeat_rule)


def as_counts(repeats: Any) -> Any:
    """Integers in the dtype that NumPy counts with. It takes no wider ones: no uint64, and no int64 on a
    machine with 32 bits."""
    counts = raw(repeats)
    is_integer = isinstance(counts, (np.ndarray, np.generic)) and counts.dtype.kind in "iu"
    return counts.astype(np.intp) if is_integer else counts


@operation(kind="linear", precision="double")
def tile(x: Any, *, reps: Any) -> Any:
    """Repeat the whole array ``reps`` times; ``reps`` has one count per axis, or one for the last axis.

    >>> import autodiff as ad
    >>> ad.tile(ad.Tensor([1, 2]), reps=(2, 2))
    [[1 2 1 2]
     [1 2 1 2]]
    """
    return np.tile(x, reps)


def tile_rule(grad: Any, z: Any, x: Any, reps: Any) -> Any:
    """An element gets the sum over the tiles. Each axis is split in two: the tile, and the position in it."""
    n = len(shape_of(z))
    sizes = (1,) * (n - len(shape_of(x))) + shape_of(x)
    counts = (1,) * (n - np.size(reps)) + tuple(np.ravel(reps).tolist())
    split_shape = [size for pair in zip(counts, sizes, strict=True) for size in pair]
    contribution = reductions.sum(reshape(grad, shape=split_shape), axis=tuple(range(0, 2 * n, 2)))
    return reshape(contribution, shape=shape_of(x))


tile.backward(tile_rule)


@operation
def pad(x: Any, *, pad_width: Any, mode: str = "constant", constant_values: float = 0) -> Any:
    """Pad x with ``constant_values``, or with elements of x itself. ``pad_width`` is one width for all sides,
    (before, after) for all axes, or such a pair per axis; ``mode`` is NumPy's: constant, edge, reflect,
    symmetric or wrap.

    Raises ValueError for a negative width, another mode, or several constant values.

    >>> import autodiff as ad
    >>> ad.pad(ad.Tensor([1, 2]), pad_width=(1, 2))
    [0 1 2 0 0]
    >>> ad.pad(ad.Tensor([1, 2, 3]), pad_width=2, mode="reflect")
    [3 2 1 2 3 2 1]
    """
    if mode != "constant":
        return x[padded_index(x, pad_width, mode)]
    if np.ndim(constant_values):
        raise ValueError(f"constant_values must be one number for all sides, not {constant_values!r:.60}")
    shape = [before + size + after for (before, after), size in zip(pad_pairs(x, pad_width), x.shape)]
    z = np.full_like(x, constant_values, shape=shape)
    z[interior(x, pad_width)] = x
    return z


def pad_rule(
    grad: Any, z: Any, x: Any, pad_width: Any, mode: str = "constant", constant_values: float = 0
) -> Any:
    """The gradient without the padding; padding that was copied from x adds its gradient there."""
    if mode == "constant":
        return getitem(grad, index=interior(x, pad_width))
    return scatter(grad, index=padded_index(x, pad_width, mode), shape=shape_of(x))


pad.backward(pad_rule)


def pad_pairs(x: Any, pad_width: Any) -> list[list[int]]:
    """The width of the padding before and after, per axis. Raises ValueError if one is negative."""
    pairs = np.broadcast_to(pad_width, (len(shape_of(x)), 2)).tolist()
    if any(width < 0 for pair in pairs for width in pair):
        raise ValueError(f"the widths in pad_width must be at least 0, not {pad_width}")
    return pairs


def interior(x: Any, pad_width: Any) -> tuple[slice, ...]:
    """The index of x in the padded array."""
    pairs = zip(pad_pairs(x, pad_width), shape_of(x))
    return tuple(slice(before, before + size) for (before, _), size in pairs)


def padded_index(x: Any, pad_width: Any, mode: str) -> tuple[Any, ...]:
    """The index into x of each element of the padded array, found by padding the indices themselves."""
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise ValueError(f"mode must be 'constant', 'edge', 'reflect', 'symmetric' or 'wrap', not {mode!r}")
    axes = zip(shape_of(x), pad_pairs(x, pad_width))
    return np.ix_(*(np.pad(np.arange(size), pair, mode) for size, pair in axes))  # type: ignore[call-overload]


@operation(kind="view")
def diagonal(x: Any, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Diagonal of each matrix on ``axis1`` and ``axis2``, as a new last axis. ``offset`` 1 is the one above
    the main diagonal.

    >>> import autodiff as ad
    >>> ad.diagonal(ad.Tensor([[1, 2], [3, 4]]))
    [1 4]
    """
    return np.diagonal(x, offset, axis1, axis2)


diagonal.backward(
    lambda grad, z, x, offset=0, axis1=0, axis2=1: onto_diagonal(grad, x, offset, axis1, axis2)
)


def onto_diagonal(grad: Any, x: Any, offset: int, axis1: int, axis2: int) -> Any:
    """Zeros in the shape of x, with the last axis of ``grad`` on the diagonal of each matrix."""
    i = np.arange(shape_of(grad)[-1])
    index = (..., i + max(-offset, 0), i + max(offset, 0))
    batch = [size for a, size in enumerate(x.shape) if a not in (axis1 % x.ndim, axis2 % x.ndim)]
    matrices = scatter(grad, index=index, shape=(*batch, x.shape[axis1], x.shape[axis2]))
    return moveaxis(matrices, source=(-2, -1), destination=(axis1, axis2))


@operation(kind="linear")
def tril(x: Any, *, k: int = 0) -> Any:
    """Lower triangle of each matrix, with zeros above the ``k``-th diagonal.

    >>> import autodiff as ad
    >>> ad.tril(ad.Tensor([[1, 2], [3, 4]]))
    [[1 0]
     [3 4]]
    """
    return np.tril(x, k)


tril.backward(lambda grad, z, x, k=0: tril(grad, k=k))


@operation(kind="linear")
def triu(x: Any, *, k: int = 0) -> Any:
    """Upper triangle of each matrix, with zeros below the ``k``-th diagonal.

    >>> import autodiff as ad
    >>> ad.triu(ad.Tensor([[1, 2], [3, 4]]))
    [[1 2]
     [0 4]]
    """
    return np.triu(x, k)


triu.backward(lambda grad, z, x, k=0: triu(grad, k=k))
