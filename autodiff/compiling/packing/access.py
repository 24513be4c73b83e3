"""The elements of an array at given places: by slices, reshapes and transposes where the places allow it,
else by a pick with an index array."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..graph import ProgramGraph
from ..nodes import ProgramNode

Places = np.ndarray


def access(graph: ProgramGraph, x: ProgramNode, places: Places, stretched: bool = False) -> ProgramNode:
    """The elements of ``x`` at these places of the flattened array, in the shape of ``places``.

    Along axes where the elements repeat, the result has size 1, or no axis in front; it broadcasts to the
    shape of ``places``. ``stretched`` gives the full shape.
    """
    full = places.shape
    for axis, size in enumerate(full):
        first = places.take([0], axis)
        if size > 1 and (places == first).all():
            places = first
    found = elements(graph, x, places)
    if stretched:
        return graph.broadcast_to(graph.reshape(found, places.shape), full)
    shape = places.shape
    while shape and shape[0] == 1 < full[len(full) - len(shape)]:
        shape = shape[1:]
    return graph.reshape(found, shape)


def elements(graph: ProgramGraph, x: ProgramNode, places: Places) -> ProgramNode:
    """The elements of ``x`` at these places; axes of size 1 may be missing."""
    if np.array_equal(places.ravel(), np.arange(x.size)):
        return graph.reshape(x, places.shape)
    small = places.squeeze()
    if small.ndim == 0:
        index = tuple(map(int, np.unravel_index(int(small), x.shape)))
        return graph.getitem(x, index if len(index) > 1 else index[0])
    steps = steps_of(small)
    if steps is not None:
        found = sliced(graph, x, int(small.flat[0]), small.shape, steps)
        if found is not None:
            return found
    if len(x.shape) == 2 and small.ndim == 2:
        rows, columns = np.divmod(small, x.shape[1])
        are_rows = (rows == rows[:, :1]).all() and columns.shape[1] == x.shape[1]
        if are_rows and (columns == np.arange(x.shape[1])).all():
            return graph.getitem(x, rows[:, 0].copy())
    return graph.getitem(graph.reshape(x, (-1,)), small)


def steps_of(places: Places) -> tuple[int, ...] | None:
    """How far apart places are along each axis, if that is the same everywhere; else None."""
    origin = places[(0,) * places.ndim]
    steps = tuple(int(places[tuple(int(k == axis) for k in range(places.ndim))] - origin)
                  for axis in range(places.ndim))  # fmt: skip
    line = origin
    for step, size in zip(steps, places.shape):
        line = np.add.outer(line, step * np.arange(size))
    return steps if np.array_equal(line, places) else None


def sliced(
    graph: ProgramGraph, x: ProgramNode, origin: int, shape: tuple[int, ...], steps: tuple[int, ...]
) -> ProgramNode | None:
    """The elements at ``origin + steps[0] * i + steps[1] * j``, as a view; None if no simple view gives
    them."""
    axes = sorted(range(len(shape)), key=lambda axis: -abs(steps[axis]))
    shape, steps = tuple(shape[axis] for axis in axes), tuple(steps[axis] for axis in axes)
    found = None
    if min(steps) > 0:
        found = by_axes(graph, x, origin, shape, steps)
    if found is None and len(shape) == 1:
        found = graph.getitem(graph.reshape(x, (-1,)), slice_of(origin, shape[0], steps[0]))
    if found is None and min(steps) > 0:
        found = by_blocks(graph, x, origin, shape, steps)
    return None if found is None else graph.transpose(found, tuple(np.argsort(axes)))


def by_axes(
    graph: ProgramGraph, x: ProgramNode, origin: int, shape: tuple[int, ...], steps: tuple[int, ...]
) -> ProgramNode | None:
    """The elements as slices along the axes of ``x``; None if slices cannot give them."""
    index: list[Any] = []
    remaining = list(zip(shape, steps))
    stride = x.size
    for size in x.shape:
        stride //= size
        first, origin = divmod(origin, stride)
        if remaining and remaining[0][1] % stride == 0:
            count, step = remaining.pop(0)
            if first + (count - 1) * (step // stride) >= size:
                return None
            index.append(slice_of(first, count, step // stride))
        else:
            index.append(first)
    return None if remaining else at(graph, x, index)


def by_blocks(
    graph: ProgramGraph, x: ProgramNode, origin: int, shape: tuple[int, ...], steps: tuple[int, ...]
) -> ProgramNode | None:
    """The elements as slices of a part of ``x`` that is reshaped; None if slices cannot give them."""
    if any(one % other for one, other in pairwise(steps)):
        return None
    length, block = shape[0] * steps[0], tuple(one // other for one, other in pairwise((*steps, 1)))
    for before in (origin % steps[0], 0, max(0, origin + length - x.size)):
        start = origin - before
        if start >= 0 and start + length <= x.size and before < steps[0]:
            part = graph.reshape(x, (-1,))
            if length < x.size:
                part = graph.getitem(part, slice_of(start, length, 1))
            whole = block[:-1] if block[-1] == 1 else block
            found = by_axes(graph, graph.reshape(part, (shape[0], *whole)), before, shape, steps)
            if found is not None:
                return found
    return None


def at(graph: ProgramGraph, x: ProgramNode, index: list[Any]) -> ProgramNode:
    """``x[index]`` in its shortest form."""
    full = [part == slice_of(0, size, 1) for part, size in zip(index, x.shape)]
    if all(full):
        return x
    parts = [slice(None) if is_full else part for is_full, part in zip(full, index)]
    while full[-1]:
        full.pop()
        parts.pop()
    return graph.getitem(x, tuple(parts) if len(parts) > 1 else parts[0])


def slice_of(start: int, count: int, step: int) -> slice:
    """A slice with ``count`` elements."""
    stop = start + (count - 1) * step + (1 if step > 0 else -1)
    return slice(start, None if stop < 0 else stop, None if step == 1 else step)
