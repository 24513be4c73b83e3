"""Shapes and dtypes of calls, without values."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .nodes import ProgramNode, Shape


def broadcast_shape(shapes: Sequence[Shape]) -> Shape:
    """The shape of an elementwise call. Raises ValueError if the shapes do not fit."""
    first, *others = shapes
    if all(shape == first or not shape for shape in others):
        return first
    return np.broadcast_shapes(*shapes)


def dtype_of_call(name: str, args: Sequence[ProgramNode]) -> np.dtype[Any]:
    """The dtype of an elementwise call. Python numbers take the dtype of the arrays (NEP 50)."""
    return _dtype_of_call(name, tuple(arg.number or arg.dtype for arg in args))


@functools.lru_cache(maxsize=10_000)
def _dtype_of_call(name: str, kinds: tuple[Any, ...]) -> np.dtype[Any]:
    if name == "where":
        kinds = kinds[1:]
        samples = [kind(0) if isinstance(kind, type) else np.zeros(1, kind) for kind in kinds]
        return np.result_type(*samples)
    kinds = tuple(np.dtype(bool) if kind is bool else kind for kind in kinds)  # as NumPy treats bools
    if all(isinstance(kind, type) for kind in kinds):
        kinds = tuple(map(np.dtype, kinds))
    ufunc = getattr(np, name)
    return ufunc.resolve_dtypes((*kinds, *(None,) * ufunc.nout))[ufunc.nin]


class ComputedPart:
    """Marks the place of an array in an index that the program computes."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    def __repr__(self) -> str:
        return "..."


def is_basic(index: Any) -> bool:
    """Whether an index consists of integers, slices, None and ``...``, so that it gives a view."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(
        part is None or part is Ellipsis or isinstance(part, (slice, int, np.integer)) for part in parts
    ) and not any(isinstance(part, bool) for part in parts)


def shape_of_item(shape: Shape, index: Any) -> Shape:
    """The shape of ``x[index]``. Raises IndexError if the index does not fit."""
    return np.broadcast_to(np.zeros((), bool), shape)[with_parts(index, zeros_for)].shape


def shape_of_product(x: Shape, y: Shape) -> Shape:
    """The shape of ``x @ y``. Raises ValueError if the shapes do not fit."""
    if x[-1] != y[-2:][0]:
        np.matmul(*(np.broadcast_to(np.zeros((), bool), shape) for shape in (x, y)))  # raises NumPy's error
    batch = x[:-2] if x[:-2] == y[:-2] else np.broadcast_shapes(x[:-2], y[:-2])
    return (*batch, *x[-2:-1], *y[-1:] * (len(y) > 1))


def zeros_for(place: ComputedPart) -> Any:
    """An array of the shape of a computed part."""
    return np.zeros(place.shape, int)


def with_parts(index: Any, value: Callable[[ComputedPart], Any]) -> Any:
    """An index with each computed part replaced by ``value(part)``."""
    if isinstance(index, tuple):
        return tuple(value(part) if isinstance(part, ComputedPart) else part for part in index)
    return value(index) if isinstance(index, ComputedPart) else index


def index_key(index: Any) -> Any:
    """An index in a hashable form. Arrays are compared by identity, and slices, which have no hash before
    Python 3.12, by their parts."""
    if isinstance(index, tuple):
        return ("tuple", *map(index_key, index))
    if isinstance(index, slice):
        return "slice", index.start, index.stop, index.step
    if isinstance(index, (bool, np.bool_)):
        return "bool", bool(index)
    if isinstance(index, ComputedPart):
        return "place"
    if index is None or index is Ellipsis or isinstance(index, (int, np.integer)):
        return index if index is None or index is Ellipsis else int(index)
    return "object", id(index)


def kind_of(like: Any) -> dict[str, Any]:
    """Shape, dtype, number and options of a node whose value is like this one."""
    number = float if type(like) is float else None
    is_array = not isinstance(like, (tuple, list))
    dtype = np.dtype(float) if number else like.dtype if is_array else np.dtype(object)
    options = ("number",) if isinstance(like, np.generic) else ()
    return {"shape": np.shape(like) if is_array else (), "dtype": dtype, "number": number, "options": options}
