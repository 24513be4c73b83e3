"""Implementations of NumPy's functions that change shapes, join arrays or split them, for Tensors."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..engine.operands import as_recorded
from ..engine.tensor import describe, raw
from ..ops import catalogue
from .implementations import implements


@implements(np.reshape)
def reshape(a: Any, shape: Any = None, newshape: Any = None) -> Any:
    """NumPy 2.0 calls the argument newshape."""
    return catalogue.reshape(a, shape=newshape if shape is None else shape)


@implements(np.concatenate)
def concatenate(arrays: Any, axis: int | None = 0) -> Any:
    """Our operation takes the arrays one by one."""
    return catalogue.concatenate(*arrays, axis=axis)


@implements(np.stack)
def stack(arrays: Any, axis: int = 0) -> Any:
    """Our operation takes the arrays one by one."""
    return catalogue.stack(*arrays, axis=axis)


@implements(np.vstack)
def vstack(tup: Any) -> Any:
    """Join along the first axis; a vector is a row."""
    return catalogue.concatenate(*(with_leading_axes(part, 2) for part in tup))


@implements(np.hstack)
def hstack(tup: Any) -> Any:
    """Join along the second axis, or along the only axis of vectors."""
    parts = [with_leading_axes(part, 1) for part in tup]
    return catalogue.concatenate(*parts, axis=0 if np.ndim(parts[0]) == 1 else 1)


@implements(np.split)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Our function has other names for the arguments."""
    return catalogue.split(ary, indices_or_sections, axis)


@implements(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """If the parts cannot be equal, the first ones are longer by one."""
    cuts = indices_or_sections
    if np.ndim(cuts) == 0:
        parts = np.array_split(np.arange(np.shape(ary)[axis]), cuts)
        cuts = np.cumsum([len(part) for part in parts[:-1]], dtype=int).tolist()
    return catalogue.split(ary, cuts, axis)


@implements(np.pad)
def pad(array: Any, pad_width: Any, mode: str = "constant", *, constant_values: float = 0) -> Any:
    """NumPy's function has more arguments, for modes that are not recorded."""
    return catalogue.pad(array, pad_width=pad_width, mode=mode, constant_values=constant_values)


# -- joining -------------------------------------------------------------------------------------------------


@implements(np.dstack)
def dstack(tup: Any) -> Any:
    """Join along the third axis."""
    return catalogue.concatenate(*map(atleast_3d, tup), axis=2)


@implements(np.column_stack)
def column_stack(tup: Any) -> Any:
    """Join along the second axis; a vector is a column."""
    parts = [as_recorded(part) for part in tup]
    columns = [part if np.ndim(raw(part)) > 1 else catalogue.reshape(part, shape=(-1, 1)) for part in parts]
    return catalogue.concatenate(*columns, axis=1)


@implements(np.append)
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """Join along ``axis``, or the flattened arrays if it is None."""
    return catalogue.concatenate(arr, values, axis=axis)


# -- splitting and picking -----------------------------------------------------------------------------------


@implements(np.hsplit)
def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Split along the second axis, or along the only axis of a vector."""
    check_axes(ary, 1, "hsplit")
    return catalogue.split(ary, indices_or_sections, min(1, ary.ndim - 1))


@implements(np.vsplit)
def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Split along the first axis."""
    check_axes(ary, 2, "vsplit")
    return catalogue.split(ary, indices_or_sections, 0)


@implements(np.dsplit)
def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Split along the third axis."""
    check_axes(ary, 3, "dsplit")
    return catalogue.split(ary, indices_or_sections, 2)


@implements(np.take)
def take(a: Any, indices: Any, axis: int | None = None) -> Any:
    """Elements at ``indices`` along ``axis``, or of the flattened array if it is None."""
    a = catalogue.ravel(a) if axis is None else a
    axis = normalize_axis_index(axis or 0, np.ndim(raw(a)))
    return catalogue.getitem(a, index=(*(slice(None),) * axis, np.asarray(raw(indices))))


@implements(np.delete)
def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """All elements but those at ``obj``, along ``axis`` or of the flattened array."""
    arr = catalogue.ravel(arr) if axis is None else arr
    axis = 0 if axis is None else axis
    return take(arr, np.delete(np.arange(arr.shape[axis]), raw(obj)), axis)


# -- reordering ----------------------------------------------------------------------------------------------


@implements(np.flipud)
def flipud(m: Any) -> Any:
    """Reverse the first axis."""
    check_axes(m, 1, "flipud")
    return catalogue.flip(m, axis=0)


@implements(np.fliplr)
def fliplr(m: Any) -> Any:
    """Reverse the second axis."""
    check_axes(m, 2, "fliplr")
    return catalogue.flip(m, axis=1)


@implements(np.rot90)
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Rotate by 90 degrees from the first axis in ``axes`` to the second, ``k`` times."""
    first, second = axes
    k = operator.index(k)  # raises TypeError for a float, which NumPy 2.5 rounds with a warning
    check_axes(m, 2, "rot90")
    if first % m.ndim == second % m.ndim:
        raise ValueError(f"np.rot90 needs two different axes, not {axes}")
    if k % 4 == 2:
        return catalogue.flip(m, axis=(first, second))
    if k % 2:
        m = catalogue.flip(m, axis=second if k % 4 == 1 else first)
        return catalogue.swapaxes(m, axis1=first, axis2=second)
    return catalogue.alias(m)


@implements(np.matrix_transpose)
@implements(np.linalg.matrix_transpose)
def matrix_transpose(x: Any) -> Any:
    """Transpose each matrix on the last two axes."""
    check_axes(x, 2, "matrix_transpose")
    return catalogue.swapaxes(x, axis1=-1, axis2=-2)


@implements(np.linalg.diagonal)
def diagonal(x: Any, *, offset: int = 0) -> Any:
    """Diagonal of each matrix on the last two axes."""
    return catalogue.diagonal(x, offset=offset, axis1=-2, axis2=-1)


@implements(np.linalg.trace)
def trace(x: Any, *, offset: int = 0) -> Any:
    """Trace of each matrix on the last two axes."""
    return catalogue.trace(x, offset=offset, axis1=-2, axis2=-1)


@implements(np.copy)
def copy(a: Any) -> Any:
    """An alias suffices, since every update through the package is counted."""
    return catalogue.alias(a)


# -- adding axes ---------------------------------------------------------------------------------------------


@implements(np.atleast_1d)
def atleast_1d(*arys: Any) -> Any:
    """A number becomes a vector of size 1."""
    return one_or_tuple([with_leading_axes(part, 1) for part in map(as_recorded, arys)])


@implements(np.atleast_2d)
def atleast_2d(*arys: Any) -> Any:
    """A vector becomes one row."""
    return one_or_tuple([with_leading_axes(part, 2) for part in map(as_recorded, arys)])


@implements(np.atleast_3d)
def atleast_3d(*arys: Any) -> Any:
    """A matrix becomes an array of shape (m, n, 1), a vector one of shape (1, n, 1)."""
    matrices = [with_leading_axes(part, 2) for part in map(as_recorded, arys)]
    return one_or_tuple([x if np.ndim(raw(x)) > 2 else catalogue.expand_dims(x, axis=2) for x in matrices])


def one_or_tuple(parts: list[Any]) -> Any:
    """The only part by itself, or several parts as a tuple."""
    return parts[0] if len(parts) == 1 else tuple(parts)


def with_leading_axes(part: Any, count: int) -> Any:
    """Insert axes of size 1 in front, up to ``count`` axes."""
    missing = count - np.ndim(part)
    return part if missing <= 0 else catalogue.reshape(part, shape=(1,) * missing + np.shape(part))


def check_axes(x: Any, count: int, name: str) -> None:
    """Raise ValueError if x has fewer than ``count`` axes."""
    if np.ndim(raw(x)) < count:
        raise ValueError(
            f"np.{name} needs at least {count} {'axis' if count == 1 else 'axes'}, not {describe(x)}"
        )
