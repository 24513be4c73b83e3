"""Our answers to NumPy's functions that lay elements out anew, join them and cut them apart."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ..engine.operands import as_recorded
from ..engine.tensor import describe, raw
from ..ops import catalogue
from .answers import instead_of


@instead_of(np.reshape)
def reshape(a: Any, shape: Any = None, newshape: Any = None) -> Any:
    """NumPy 2.0 says newshape."""
    return catalogue.reshape(a, shape=newshape if shape is None else shape)


@instead_of(np.concatenate)
def concatenate(arrays: Any, axis: int | None = 0) -> Any:
    """Our operation takes its parts one by one."""
    return catalogue.concatenate(*arrays, axis=axis)


@instead_of(np.stack)
def stack(arrays: Any, axis: int = 0) -> Any:
    """As with concatenate."""
    return catalogue.stack(*arrays, axis=axis)


@instead_of(np.vstack)
def vstack(tup: Any) -> Any:
    """One below the other; a vector is a row."""
    return catalogue.concatenate(*(with_axes(part, 2) for part in tup))


@instead_of(np.hstack)
def hstack(tup: Any) -> Any:
    """One beside the other, which for vectors is their only axis."""
    parts = [with_axes(part, 1) for part in tup]
    return catalogue.concatenate(*parts, axis=0 if np.ndim(parts[0]) == 1 else 1)


@instead_of(np.split)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """The same under other names."""
    return catalogue.split(ary, indices_or_sections, axis)


@instead_of(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Of parts that cannot be equal, the first are longer by one."""
    cuts = indices_or_sections
    if np.ndim(cuts) == 0:
        parts = np.array_split(np.arange(np.shape(ary)[axis]), cuts)
        cuts = np.cumsum([len(part) for part in parts[:-1]], dtype=int).tolist()
    return catalogue.split(ary, cuts, axis)


@instead_of(np.pad)
def pad(array: Any, pad_width: Any, mode: str = "constant", *, constant_values: float = 0) -> Any:
    """NumPy's takes whatever its mode needs."""
    return catalogue.pad(array, pad_width=pad_width, mode=mode, constant_values=constant_values)


# -- joined --------------------------------------------------------------------------------------------------


@instead_of(np.dstack)
def dstack(tup: Any) -> Any:
    """One behind the other, along a third axis."""
    return catalogue.concatenate(*map(atleast_3d, tup), axis=2)


@instead_of(np.column_stack)
def column_stack(tup: Any) -> Any:
    """One beside the other; a vector is a column."""
    parts = [as_recorded(part) for part in tup]
    columns = [part if np.ndim(raw(part)) > 1 else catalogue.reshape(part, shape=(-1, 1)) for part in parts]
    return catalogue.concatenate(*columns, axis=1)


@instead_of(np.append)
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """Without an axis, all elements are one row."""
    return catalogue.concatenate(arr, values, axis=axis)


# -- cut apart -----------------------------------------------------------------------------------------------


@instead_of(np.hsplit)
def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Into parts side by side, which for a vector is its only axis."""
    check_axes(ary, 1)
    return catalogue.split(ary, indices_or_sections, min(1, ary.ndim - 1))


@instead_of(np.vsplit)
def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Into parts one below the other."""
    check_axes(ary, 2)
    return catalogue.split(ary, indices_or_sections, 0)


@instead_of(np.dsplit)
def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Into parts one behind the other."""
    check_axes(ary, 3)
    return catalogue.split(ary, indices_or_sections, 2)


@instead_of(np.take)
def take(a: Any, indices: Any, axis: int | None = None) -> Any:
    """Elements, or whole layers along an axis, by their places."""
    a = catalogue.ravel(a) if axis is None else a
    axis = normalize_axis_index(axis or 0, np.ndim(raw(a)))
    return catalogue.getitem(a, index=(*(slice(None),) * axis, np.asarray(raw(indices))))


@instead_of(np.delete)
def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """All but the places named."""
    arr = catalogue.ravel(arr) if axis is None else arr
    axis = 0 if axis is None else axis
    return take(arr, np.delete(np.arange(arr.shape[axis]), raw(obj)), axis)


# -- turned --------------------------------------------------------------------------------------------------


@instead_of(np.flipud)
def flipud(m: Any) -> Any:
    """Upside down."""
    check_axes(m, 1)
    return catalogue.flip(m, axis=0)


@instead_of(np.fliplr)
def fliplr(m: Any) -> Any:
    """Left for right."""
    check_axes(m, 2)
    return catalogue.flip(m, axis=1)


@instead_of(np.rot90)
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """A quarter turn from the first axis to the second, ``k`` times."""
    first, second = axes
    k = operator.index(k)  # NumPy 2.5 rounds what is no integer, and warns that it will refuse it
    check_axes(m, 2)
    if first % m.ndim == second % m.ndim:
        raise ValueError(f"rot90 turns from one axis to another, and {axes} are the same")
    if k % 4 == 2:
        return catalogue.flip(m, axis=(first, second))
    if k % 2:
        m = catalogue.flip(m, axis=second if k % 4 == 1 else first)
        return catalogue.swapaxes(m, axis1=first, axis2=second)
    return catalogue.alias(m)


@instead_of(np.matrix_transpose)
@instead_of(np.linalg.matrix_transpose)
def matrix_transpose(x: Any) -> Any:
    """Of each matrix on the last two axes."""
    check_axes(x, 2)
    return catalogue.swapaxes(x, axis1=-1, axis2=-2)


@instead_of(np.linalg.diagonal)
def diagonal(x: Any, *, offset: int = 0) -> Any:
    """Of each matrix on the last two axes."""
    return catalogue.diagonal(x, offset=offset, axis1=-2, axis2=-1)


@instead_of(np.linalg.trace)
def trace(x: Any, *, offset: int = 0) -> Any:
    """Of each matrix on the last two axes."""
    return catalogue.trace(x, offset=offset, axis1=-2, axis2=-1)


@instead_of(np.copy)
def copy(a: Any) -> Any:
    """Nothing can be written into it unseen, so the data may be shared."""
    return catalogue.alias(a)


# -- with more axes ------------------------------------------------------------------------------------------


@instead_of(np.atleast_1d)
def atleast_1d(*arys: Any) -> Any:
    """A number is a vector of one."""
    return alone([with_axes(part, 1) for part in map(as_recorded, arys)])


@instead_of(np.atleast_2d)
def atleast_2d(*arys: Any) -> Any:
    """A vector is one row."""
    return alone([with_axes(part, 2) for part in map(as_recorded, arys)])


@instead_of(np.atleast_3d)
def atleast_3d(*arys: Any) -> Any:
    """A matrix is a stack along the third axis, of a single layer; a vector is a row of it."""
    parts = [with_axes(part, 2) for part in map(as_recorded, arys)]
    return alone([part if np.ndim(raw(part)) > 2 else catalogue.expand_dims(part, axis=2) for part in parts])


def alone(parts: list[Any]) -> Any:
    """One part by itself; several as a tuple."""
    return parts[0] if len(parts) == 1 else tuple(parts)


def with_axes(part: Any, count: int) -> Any:
    """With axes of size 1 in front, if there are fewer than ``count``."""
    missing = count - np.ndim(part)
    return part if missing <= 0 else catalogue.reshape(part, shape=(1,) * missing + np.shape(part))


def check_axes(x: Any, count: int) -> None:
    """Raise ValueError if there are fewer axes."""
    if np.ndim(raw(x)) < count:
        raise ValueError(f"at least {count} axes are needed; this is {describe(x)}")
