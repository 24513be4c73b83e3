"""Operations that pick elements and put them elsewhere: getitem and scatter, take_along_axis, gather and
scatter_add, masked_select, repeat, tile, pad, diagonal, tril, triu.

Picking and putting undo each other: what one does with values, the other does with gradients. An element that
was picked several times gets the sum.
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
from . import reductions
from .shaping import moveaxis, reshape, shape_of, stretched


@operation(kind="linear")
def getitem(x: Any, *, index: Any) -> Any:
    """Elements by place, ``x[index]``, with all that NumPy takes for an index: integers, slices, None,
    Ellipsis, arrays of integers (a place may come twice), masks, and tuples of them.

    >>> import autodiff as ad
    >>> ad.ops.indexing.getitem(ad.Tensor([10, 20, 30]), index=[2, 0, 0])
    [30 10 10]
    """
    return x[plain_index(index)]


getitem.backward(lambda grad, z, x, index: scatter(grad, index=index, shape=shape_of(x)))


@operation(kind="linear")
def scatter(x: Any, *, index: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of ``shape``, with ``x`` added at ``index``. The opposite of picking; where a place comes twice,
    both are added.

    >>> import autodiff as ad
    >>> ad.ops.indexing.scatter(ad.Tensor([1, 2, 3]), index=[2, 0, 0], shape=(4,))
    [5 0 1 0]
    """
    index = tuple(map(as_index, index)) if isinstance(index, tuple) else as_index(index)
    parts = index if isinstance(index, tuple) else (index,)
    arrays = [part for part in parts if getattr(part, "ndim", 0)]
    z = np.zeros_like(x, shape=shape, order="C")  # so np.reshape(z, -1) is a view, however x is laid out
    if all(array.dtype.kind == "b" for array in arrays):
        z[index] = x  # no place comes twice
    elif len(arrays) == len(shape):
        np.add.at(z, index, x)
    else:  # whole rows at each place: element by element np.add.at is four times as fast
        places = np.arange(math.prod(shape)).reshape(shape)[index]
        np.add.at(np.reshape(z, -1), np.ravel(places), np.ravel(np.broadcast_to(x, places.shape)))
    return z


scatter.backward(lambda grad, z, x, index, shape: getitem(grad, index=index))


def as_index(part: Any) -> Any:
    """One part of an index as NumPy sees it: a Tensor as its data; anything but an integer, a slice, None and
    Ellipsis (a tuple, a range, an ``array.array``) as an array, in which a place may come twice."""
    part = raw(part)
    if part is None or part is Ellipsis or isinstance(part, slice) or hasattr(part, "dtype"):
        return part
    if hasattr(part, "__index__") and not isinstance(part, bool):
        return operator.index(part)
    array = np.asarray(part)
    return array if array.size else array.astype(np.intp)  # an empty list has no dtype of its own


@operation(kind="linear")
def take_along_axis(x: Any, *, indices: Any, axis: int | None = -1) -> Any:
    """Along one axis, the element at each index: ``z[i, j] = x[i, indices[i, j]]`` for the last of two. The
    other axes are matched as in broadcasting; without an axis all elements are one row.

    >>> import autodiff as ad
    >>> ad.ops.indexing.take_along_axis(ad.Tensor([[1, 2], [3, 4]]), indices=[[1], [0]])
    [[2]
     [3]]
    """
    return np.take_along_axis(x, np.asarray(raw(indices)), axis)


def by_taken(grad: Any, z: Any, x: Any, indices: Any, axis: int | None = -1) -> Any:
    """Each share back to where its element was taken."""
    shape = x.shape if axis is not None else (x.size,)
    index: list[Any] = list(np.ix_(*map(np.arange, shape)))
    index[axis or 0] = np.asarray(raw(indices))
    return reshape(scatter(grad, index=tuple(index), shape=shape), shape=x.shape)


take_along_axis.backward(by_taken)


@operation(kind="linear")
def gather(x: Any, *, axis: int, indices: Any) -> Any:
    """Along one axis, the element at each index, as torch.gather: ``indices`` has all axes of x, and where it
    is shorter than x along another axis, what lies beyond plays no part.

    >>> import autodiff as ad
    >>> ad.ops.indexing.gather(ad.Tensor([[1, 2], [3, 4]]), axis=1, indices=[[1, 1, 0]])
    [[2 2 1]]
    """
    return x[straight_on(x, axis, indices)]


gather.backward(
    lambda grad, z, x, axis, indices: scatter(grad, index=straight_on(x, axis, indices), shape=shape_of(x))
)


@operation(kind="linear")
def scatter_add(x: Any, source: Any, *, axis: int, indices: Any) -> Any:
    """x, with each element of ``source`` added at its index along one axis, as torch.scatter_add. ``source``
    has the shape of ``indices``, or is stretched to it; where a place comes twice, both are added.

    >>> import autodiff as ad
    >>> ad.ops.indexing.scatter_add(ad.Tensor([1, 2, 3]), [10, 20, 30], axis=0, indices=[2, 0, 0])
    [51  2 13]
    """
    z = x.astype(np.result_type(x, source))
    np.add.at(z, straight_on(x, axis, indices), source)
    return z


scatter_add.backward(
    lambda grad, z, x, source, axis, indices: grad,
    lambda grad, z, x, source, axis, indices: gather(grad, axis=axis, indices=indices),
)


def straight_on(x: Any, axis: int, indices: Any) -> tuple[Any, ...]:
    """An index that goes by ``indices`` along one axis of ``x``, and straight on along the others."""
    indices = np.asarray(raw(indices))
    axis = normalize_axis_index(axis, np.ndim(x))
    if indices.ndim != x.ndim or indices.dtype.kind not in "iu":
        raise ValueError(
            f"indices are whole numbers with as many axes as the data, {x.ndim}; these are an array of "
            f"{indices.dtype} of shape {indices.shape}"
        )
    index: list[Any] = list(np.ix_(*map(np.arange, indices.shape)))
    index[axis] = indices
    return tuple(index)


@in_either_words
def masked_select(x: Any, mask: Any) -> Any:
    """The elements of ``x`` where ``mask`` holds, in one row; the two are broadcast together.

    Raises TypeError if the mask is not boolean.

    >>> import autodiff as ad
    >>> x = ad.Tensor([[1, 2], [3, 4]])
    >>> ad.ops.indexing.masked_select(x, x > 1)
    [2 3 4]
    """
    x, mask = as_recorded(x), np.asarray(raw(mask))
    if mask.dtype != bool:
        raise TypeError(f"masked_select takes a mask of True and False, such as x > 0, not {mask.dtype}")
    shape = np.broadcast_shapes(shape_of(x), mask.shape)
    return getitem(stretched(x, shape), index=np.broadcast_to(mask, shape))


@operation(kind="linear")
def repeat(x: Any, *, repeats: Any, axis: int | None = None) -> Any:
    """Each element ``repeats`` times (one count, or one per place), along ``axis`` or all in one row.

    >>> import autodiff as ad
    >>> ad.ops.indexing.repeat(ad.Tensor([1, 2, 3]), repeats=[1, 0, 2])
    [1 3 3]
    """
    return np.repeat(x, raw(repeats), axis)


def by_repeated(grad: Any, z: Any, x: Any, repeats: Any, axis: int | None = None) -> Any:
    """An element gets the sum over its copies."""
    shape = shape_of(x) if axis is not None else (math.prod(shape_of(x)),)
    axis = normalize_axis_index(axis or 0, len(shape))
    before, size, after = shape[:axis], shape[axis], shape[axis + 1 :]
    if np.ndim(repeats) == 0:
        share = reductions.sum(reshape(grad, shape=(*before, size, int(repeats), *after)), axis=axis + 1)
    else:
        origin = np.repeat(np.arange(size), raw(repeats))
        share = scatter(grad, index=(*[slice(None)] * axis, origin), shape=shape)
    return reshape(share, shape=shape_of(x))


repeat.backward(by_repeated)


@operation(kind="linear")
def tile(x: Any, *, reps: Any) -> Any:
    """The whole array ``reps`` times, like tiles on a floor; one count per axis, or one for the last.

    >>> import autodiff as ad
    >>> ad.ops.indexing.tile(ad.Tensor([1, 2]), reps=(2, 2))
    [[1 2 1 2]
     [1 2 1 2]]
    """
    return np.tile(x, reps)


def by_tile(grad: Any, z: Any, x: Any, reps: Any) -> Any:
    """An element gets the sum over the tiles: each axis is split into which tile, and where in it."""
    n = len(shape_of(z))
    sizes = (1,) * (n - len(shape_of(x))) + shape_of(x)
    counts = (1,) * (n - np.size(reps)) + tuple(np.ravel(reps).tolist())
    split = [part for pair in zip(counts, sizes, strict=True) for part in pair]
    share = reductions.sum(reshape(grad, shape=split), axis=tuple(range(0, 2 * n, 2)))
    return reshape(share, shape=shape_of(x))


tile.backward(by_tile)


@operation
def pad(x: Any, *, pad_width: Any, mode: str = "constant", constant_values: float = 0) -> Any:
    """Framed by ``constant_values``, or by elements of x itself. ``pad_width`` is one width for all sides,
    (before, after) for all axes, or such a pair per axis; ``mode`` is NumPy's: constant, edge, reflect,
    symmetric or wrap.

    >>> import autodiff as ad
    >>> ad.ops.indexing.pad(ad.Tensor([1, 2]), pad_width=(1, 2))
    [0 1 2 0 0]
    >>> ad.ops.indexing.pad(ad.Tensor([1, 2, 3]), pad_width=2, mode="reflect")
    [3 2 1 2 3 2 1]
    """
    if mode != "constant":
        return x[origins(x, pad_width, mode)]
    if np.ndim(constant_values):
        raise ValueError(f"constant_values is one number for all sides, not {constant_values!r:.60}")
    shape = [before + size + after for (before, after), size in zip(widths(x, pad_width), x.shape)]
    z = np.full_like(x, constant_values, shape=shape)
    z[inside(x, pad_width)] = x
    return z


def by_framed(
    grad: Any, z: Any, x: Any, pad_width: Any, mode: str = "constant", constant_values: float = 0
) -> Any:
    """The picture without its frame; what the frame was picked from gets its share too."""
    if mode == "constant":
        return getitem(grad, index=inside(x, pad_width))
    return scatter(grad, index=origins(x, pad_width, mode), shape=shape_of(x))


pad.backward(by_framed)


def widths(x: Any, pad_width: Any) -> list[list[int]]:
    """How many places come before and after, per axis."""
    pairs = np.broadcast_to(pad_width, (len(shape_of(x)), 2)).tolist()
    if any(width < 0 for pair in pairs for width in pair):
        raise ValueError(f"a width is negative in pad_width={pad_width}")
    return pairs


def inside(x: Any, pad_width: Any) -> tuple[slice, ...]:
    """Where in the frame the picture is."""
    pairs = zip(widths(x, pad_width), shape_of(x))
    return tuple(slice(before, before + size) for (before, _), size in pairs)


def origins(x: Any, pad_width: Any, mode: str) -> tuple[Any, ...]:
    """Which element of ``x`` stands at each place of picture and frame: places are padded like values."""
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise ValueError(f"mode is 'constant', 'edge', 'reflect', 'symmetric' or 'wrap', not {mode!r}")
    places = zip(shape_of(x), widths(x, pad_width))
    return np.ix_(*(np.pad(np.arange(size), pair, mode) for size, pair in places))  # type: ignore[call-overload]


@operation(kind="view")
def diagonal(x: Any, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonal of each matrix on two axes, laid along a last axis; ``offset`` 1 is the one above it.

    >>> import autodiff as ad
    >>> ad.ops.indexing.diagonal(ad.Tensor([[1, 2], [3, 4]]))
    [1 4]
    """
    return np.diagonal(x, offset, axis1, axis2)


diagonal.backward(
    lambda grad, z, x, offset=0, axis1=0, axis2=1: onto_diagonal(grad, x, offset, axis1, axis2)
)


def onto_diagonal(grad: Any, x: Any, offset: int, axis1: int, axis2: int) -> Any:
    """Zeros shaped like ``x``, with the last axis of ``grad`` laid on the diagonal of each matrix."""
    places = np.arange(shape_of(grad)[-1])
    shape = list(x.shape)
    size1, size2 = shape[axis1], shape[axis2]
    rest = [size for a, size in enumerate(shape) if a not in (axis1 % x.ndim, axis2 % x.ndim)]
    index = (..., places + max(-offset, 0), places + max(offset, 0))
    laid = scatter(grad, index=index, shape=(*rest, size1, size2))
    return moveaxis(laid, source=(-2, -1), destination=(axis1, axis2))


@operation(kind="linear")
def tril(x: Any, *, k: int = 0) -> Any:
    """The lower triangle of each matrix, zeros above its ``k``-th diagonal.

    >>> import autodiff as ad
    >>> ad.ops.indexing.tril(ad.Tensor([[1, 2], [3, 4]]))
    [[1 0]
     [3 4]]
    """
    return np.tril(x, k)


tril.backward(lambda grad, z, x, k=0: tril(grad, k=k))


@operation(kind="linear")
def triu(x: Any, *, k: int = 0) -> Any:
    """The upper triangle of each matrix, zeros below its ``k``-th diagonal.

    >>> import autodiff as ad
    >>> ad.ops.indexing.triu(ad.Tensor([[1, 2], [3, 4]]))
    [[1 2]
     [0 4]]
    """
    return np.triu(x, k)


triu.backward(lambda grad, z, x, k=0: triu(grad, k=k))
