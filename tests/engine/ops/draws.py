"""Shapes and options to try the operations on arrays with: axes, indices, widths, stacks of matrices.

Each function draws the shape of every operand and the options of one call. ``cases.py`` says which operation
is tried on which.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

SIDE = 3

Operands = tuple[list[tuple[int, ...]], dict[str, Any]]  # a shape per operand, and the options


def a_shape(draw: st.DrawFn, min_dims: int = 0, max_dims: int = 3, min_side: int = 0) -> tuple[int, ...]:
    return draw(hnp.array_shapes(min_dims=min_dims, max_dims=max_dims, min_side=min_side, max_side=SIDE))


def an_axis(draw: st.DrawFn, shape: tuple[int, ...]) -> int:
    """An axis, counted from either end."""
    return draw(st.integers(-len(shape), len(shape) - 1))


def some_axes(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    """None, one axis or several of them, in any order."""
    n = len(shape)
    return draw(st.none() | hnp.valid_tuple_axes(n, min_size=1) | st.integers(-n, n - 1)) if n else None


def plain(draw: st.DrawFn, case: Any) -> Operands:
    return [a_shape(draw)], {}


def along_axes(draw: st.DrawFn, case: Any) -> Operands:
    shape = a_shape(draw)
    return [shape], {"axis": some_axes(draw, shape), "keepdims": draw(st.booleans())}


def of_something(draw: st.DrawFn, case: Any) -> Operands:
    """Axes that are not empty, as max and min need them."""
    shape = a_shape(draw, min_side=1)
    return [shape], {"axis": some_axes(draw, shape), "keepdims": draw(st.booleans())}


def one_of_something(draw: st.DrawFn, case: Any) -> Operands:
    shape = a_shape(draw, min_dims=1, min_side=1)
    axis = draw(st.sampled_from([None, an_axis(draw, shape)]))
    return [shape], {"axis": axis, "keepdims": draw(st.booleans())}


def with_ddof(draw: st.DrawFn, case: Any) -> Operands:
    """The count is lessened only where more than one is counted, since 0/0 has no slope to compare with."""
    shapes, options = along_axes(draw, case)
    sizes = [shapes[0][a] for a in np.ravel(options["axis"])] if options["axis"] is not None else shapes[0]
    return shapes, options | {"ddof": draw(st.integers(0, 1)) if np.prod(sizes) > 1 else 0}


def along_one(draw: st.DrawFn, case: Any) -> Operands:
    """One axis, or None for all elements in one row."""
    shape = a_shape(draw, min_dims=1)
    return [shape], {"axis": draw(st.sampled_from([None, an_axis(draw, shape)]))}


def two_along_one(draw: st.DrawFn, case: Any) -> Operands:
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, min_dims=1, max_dims=3, max_side=SIDE))
    return list(shapes.input_shapes), {"axis": an_axis(draw, shapes.result_shape)}


def ties(draw: st.DrawFn, case: Any) -> Operands:
    return [a_shape(draw, min_dims=1)] * 2, {"axis": -1}


def flattened(draw: st.DrawFn, case: Any) -> Operands:
    shape = a_shape(draw)
    n = max(len(shape), 1)
    start = draw(st.integers(0, n - 1))
    end = draw(st.integers(start, n - 1))
    return [shape], {"start_dim": start, "end_dim": end - n * draw(st.booleans())}


def squeezed(draw: st.DrawFn, case: Any) -> Operands:
    shape = a_shape(draw)
    ones = [axis for axis, size in enumerate(shape) if size == 1]
    axis = draw(st.sampled_from([None, tuple(ones), *ones, *(one - len(shape) for one in ones)]))
    return [shape], {"axis": axis}


def expanded(draw: st.DrawFn, case: Any) -> Operands:
    shape = a_shape(draw, max_dims=2)
    n = len(shape)
    two = hnp.valid_tuple_axes(n + 2, min_size=2, max_size=2)
    return [shape], {"axis": draw(st.integers(-n - 1, n) | two)}


def swapped(draw: st.DrawFn, case: Any) -> Operands:
    shape = a_shape(draw, min_dims=1)
    return [shape], {"axis1": an_axis(draw, shape), "axis2": an_axis(draw, shape)}


def moved(draw: st.DrawFn, case: Any) -> Operands:
    shape = a_shape(draw, min_dims=1)
    count = draw(st.integers(1, len(shape)))
    axes = hnp.valid_tuple_axes(len(shape), min_size=count, max_size=count)
    source, destination = draw(axes), draw(axes)
    if count == 1 and draw(st.booleans()):
        return [shape], {"source": source[0], "destination": destination[0]}
    return [shape], {"source": source, "destination": destination}


def flipped(draw: st.DrawFn, case: Any) -> Operands:
    shape = a_shape(draw)
    return [shape], {"axis": some_axes(draw, shape)}


def rolled(draw: st.DrawFn, case: Any) -> Operands:
    shape = a_shape(draw)
    axis = some_axes(draw, shape)
    shift = st.integers(-4, 4)
    if isinstance(axis, tuple) and draw(st.booleans()):
        return [shape], {"shift": tuple(draw(shift) for _ in axis), "axis": axis}
    return [shape], {"shift": draw(shift), "axis": axis}


def picked(draw: st.DrawFn, case: Any) -> Operands:
    """A shape, and an index of one of NumPy's kinds for it."""
    shape = a_shape(draw, min_dims=1, min_side=1)
    kinds = [
        hnp.basic_indices(shape, allow_newaxis=True),
        hnp.integer_array_indices(shape, result_shape=hnp.array_shapes(max_dims=2, max_side=SIDE)),
        hnp.arrays(bool, shape),
        hnp.arrays(bool, shape[:1]),
        hnp.arrays(int, (2,), elements=st.integers(-shape[-1], shape[-1] - 1)).map(lambda a: (..., a)),
        st.lists(st.integers(-shape[0], shape[0] - 1), max_size=4),
        hnp.arrays(int, (2, 2), elements=st.integers(0, shape[0] - 1)).map(lambda a: (a, None, ...)),
    ]
    return [shape], {"index": draw(st.one_of(kinds))}


def put(draw: st.DrawFn, case: Any) -> Operands:
    (shape,), options = picked(draw, case)
    return [np.empty(shape)[options["index"]].shape], options | {"shape": shape}


def taken(draw: st.DrawFn, case: Any) -> Operands:
    """Indices for one axis, with repeats; along another they may be stretched."""
    shape = a_shape(draw, min_dims=1, min_side=1)
    axis = draw(st.sampled_from([None, an_axis(draw, shape)]))
    size = int(np.prod(shape)) if axis is None else shape[axis]
    where = [draw(st.sampled_from([1, n])) for n in shape] if axis is not None else [1]
    where[axis or 0] = draw(st.integers(0, 4))
    indices = draw(hnp.arrays(int, tuple(where), elements=st.integers(-size, size - 1)))
    return [shape], {"indices": indices, "axis": axis}


def repeated(draw: st.DrawFn, case: Any) -> Operands:
    shape = a_shape(draw, min_dims=1)
    axis = draw(st.sampled_from([None, an_axis(draw, shape)]))
    size = int(np.prod(shape)) if axis is None else shape[axis]
    counts = hnp.arrays(int, (size,), elements=st.integers(0, 3))
    return [shape], {"repeats": draw(st.integers(0, 3) | counts), "axis": axis}


def tiled(draw: st.DrawFn, case: Any) -> Operands:
    count = st.integers(0, 3)
    return [a_shape(draw, max_dims=2)], {"reps": draw(count | st.lists(count, max_size=3).map(tuple))}


def padded(draw: st.DrawFn, case: Any) -> Operands:
    shape = a_shape(draw, max_dims=2)
    width = st.integers(0, 2)
    pair = st.tuples(width, width)
    kinds = width | pair | st.tuples(*[pair for _ in shape]) if shape else width
    return [shape], {"pad_width": draw(kinds), "constant_values": draw(st.sampled_from([0, 2.5]))}


def on_diagonals(draw: st.DrawFn, case: Any) -> Operands:
    shape = a_shape(draw, min_dims=2, min_side=1)
    first, second = draw(hnp.valid_tuple_axes(len(shape), min_size=2, max_size=2))
    offset = draw(st.integers(1 - shape[first], shape[second] - 1))
    return [shape], {"offset": offset, "axis1": first, "axis2": second}


def triangles(draw: st.DrawFn, case: Any) -> Operands:
    return [a_shape(draw, min_dims=2)], {"k": draw(st.integers(-3, 3))}


def dotted(draw: st.DrawFn, case: Any) -> Operands:
    """Operands of every number of axes: the last of one and the last but one of the other have one size."""
    (left, right), options = rows_by_rows(draw, case)
    if len(right) > 1:
        right = (*right[:-2], right[-1], right[-2])
    return [left, right], options


def rows_by_rows(draw: st.DrawFn, case: Any) -> Operands:
    """Operands of every number of axes: the last axes have one size."""
    size = draw(st.integers(0, SIDE))
    left = (*a_shape(draw, max_dims=2), size)
    right = (*a_shape(draw, max_dims=2), size)
    return draw(st.sampled_from([[left, right], [(), right], [left, ()]])), {}


def two(draw: st.DrawFn, case: Any) -> Operands:
    return [a_shape(draw, min_dims=1, max_dims=2), a_shape(draw, min_dims=1, max_dims=2)], {}


def square(draw: st.DrawFn, case: Any) -> Operands:
    n = draw(st.integers(0, SIDE))
    return [(*a_shape(draw, max_dims=1), n, n)], {}


def solved(draw: st.DrawFn, case: Any) -> Operands:
    """A square matrix or a stack of them, and a vector, a matrix or a stack for the right side."""
    n = draw(st.integers(1, SIDE))
    stacks = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=1, max_side=SIDE)).input_shapes
    right = draw(st.sampled_from([(n,), (*stacks[1], n, draw(st.integers(1, 2)))]))
    return [(*stacks[0], n, n), right], {}
