"""Shapes and options to try the operations on arrays with: axes, indices, widths, stacks of matrices.

Each function draws the shape of every operand and the options of one call. ``cases.py`` says which operation
is tried on which.
"""

from __future__ import annotations

from collections.abc import Callable
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


def without_keepdims(operands: Callable[..., Operands]) -> Callable[..., Operands]:
    """The same for an operation that keeps the axes anyway."""

    def draw_operands(draw: st.DrawFn, case: Any) -> Operands:
        shapes, options = operands(draw, case)
        return shapes, {name: value for name, value in options.items() if name != "keepdims"}

    return draw_operands


scored = without_keepdims(with_ddof)


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
    """Widths in each form, wider than the picture, too; there must be something to take a frame from."""
    mode = draw(st.sampled_from(["constant", "edge", "reflect", "symmetric", "wrap"]))
    shape = a_shape(draw, max_dims=2, min_side=mode != "constant")
    width = st.integers(0, 4)
    pair = st.tuples(width, width)
    kinds = width | pair | st.tuples(*[pair for _ in shape]) if shape else width
    filling = {"constant_values": draw(st.sampled_from([0, 2.5]))} if mode == "constant" else {}
    return [shape], {"pad_width": draw(kinds), "mode": mode} | filling


def gathered(draw: st.DrawFn, case: Any) -> Operands:
    """Indices for one axis, with repeats; along another there may be fewer of them than elements."""
    shape = a_shape(draw, min_dims=1, min_side=1)
    axis = an_axis(draw, shape)
    where = [draw(st.integers(0, n)) for n in shape]
    where[axis] = draw(st.integers(0, 4))
    size = shape[axis]
    indices = draw(hnp.arrays(int, tuple(where), elements=st.integers(-size, size - 1)))
    return [shape], {"axis": axis, "indices": indices}


def scattered(draw: st.DrawFn, case: Any) -> Operands:
    """What is added has the shape of the indices, or is stretched to it."""
    (shape,), options = gathered(draw, case)
    source = options["indices"].shape
    if draw(st.booleans()):
        source = tuple(draw(st.sampled_from([1, n])) for n in source)[draw(st.integers(0, len(source))) :]
    return [shape, source], options


def joined(draw: st.DrawFn, case: Any) -> Operands:
    """One to three shapes that differ along one axis, or in everything if all are to be one row."""
    count = draw(st.integers(1, 3))
    if draw(st.booleans()):
        return [a_shape(draw, max_dims=2) for _ in range(count)], {"axis": None}
    shape = a_shape(draw, min_dims=1)
    axis = an_axis(draw, shape)
    shapes = [list(shape) for _ in range(count)]
    for part in shapes:
        part[axis] = draw(st.integers(0, SIDE))
    return [tuple(part) for part in shapes], {"axis": axis}


def stacked(draw: st.DrawFn, case: Any) -> Operands:
    shape = a_shape(draw, max_dims=2)
    axis = draw(st.integers(-len(shape) - 1, len(shape)))
    return [shape] * draw(st.integers(1, 3)), {"axis": axis}


def contracted(draw: st.DrawFn, case: Any) -> Operands:
    """One to three factors with letters from a few, some of them twice; an ellipsis; sizes stretched from 1;
    the result's letters in any order, or left to NumPy."""
    sizes = {letter: draw(st.integers(0, SIDE)) for letter in "jiA"}
    hidden = a_shape(draw, max_dims=2)
    terms, shapes = [], []
    for _ in range(draw(st.integers(1, 3))):
        letters = draw(st.text("jiA", max_size=3))
        shape = [sizes[c] if letters.count(c) > 1 else draw(st.sampled_from([1, sizes[c]])) for c in letters]
        at = draw(st.none() | st.integers(0, len(letters)))
        if at is not None:
            letters = f"{letters[:at]}...{letters[at:]}"
            some = hidden[draw(st.integers(0, len(hidden))) :]
            shape[at:at] = [draw(st.sampled_from([1, n])) for n in some]
        terms.append(letters)
        shapes.append(tuple(shape))
    subscripts = ",".join(terms)
    if draw(st.booleans()):
        known = sorted(set(subscripts) & set(sizes))
        result = draw(st.permutations(known))[: draw(st.integers(0, len(known)))]
        subscripts += "->" + "..." * ("..." in subscripts) + "".join(result)
    return shapes, {"subscripts": subscripts}


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


def layered(draw: st.DrawFn, case: Any) -> Operands:
    """Inputs of any number of axes but none, a weight for their last, and a bias."""
    n, m = draw(st.integers(0, SIDE)), draw(st.integers(0, SIDE))
    bias = draw(st.sampled_from([(m,), (1,), ()]))
    return [(*a_shape(draw, max_dims=2), n), (m, n), bias], {}


def recurrent(gates: int, states: int = 1) -> Any:
    """Inputs of a few steps, perhaps none; what comes before; weights and biases of so many gates."""

    def operands(draw: st.DrawFn, case: Any) -> Operands:
        steps, batch, inputs = (draw(st.integers(0, SIDE)) for _ in range(3))
        hidden = draw(st.integers(1, 2))
        before = [draw(st.sampled_from([(batch, hidden), ()])) for _ in range(states)]
        biases = [draw(st.sampled_from([(gates * hidden,), ()])) for _ in range(2)]
        weights = [(gates * hidden, inputs), (gates * hidden, hidden)]
        return [(steps, batch, inputs), *before, *weights, *biases], {}

    return operands


def recurrent_by_name(draw: st.DrawFn, case: Any) -> Operands:
    """A layer of one gate, with tanh or relu."""
    shapes, _ = recurrent(1)(draw, case)
    return shapes, {"nonlinearity": draw(st.sampled_from(["tanh", "relu"]))}


def square(draw: st.DrawFn, case: Any) -> Operands:
    n = draw(st.integers(0, SIDE))
    return [(*a_shape(draw, max_dims=1), n, n)], {}


def solved(draw: st.DrawFn, case: Any) -> Operands:
    """A square matrix or a stack of them, and a vector, a matrix or a stack for the right side."""
    n = draw(st.integers(1, SIDE))
    stacks = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=1, max_side=SIDE)).input_shapes
    right = draw(st.sampled_from([(n,), (*stacks[1], n, draw(st.integers(1, 2)))]))
    return [(*stacks[0], n, n), right], {}


# -- of quotients, angles, decompositions and norms ----------------------------------------------------------


def replaced(draw: st.DrawFn, case: Any) -> Operands:
    """What to put in place of nan and the infinities; there are none among the values."""
    number = st.none() | st.sampled_from([0.5, -3.0])
    return [a_shape(draw)], {"nan": 2.0, "posinf": draw(number), "neginf": draw(number)}


def of_order(draw: st.DrawFn, case: Any) -> Operands:
    return [a_shape(draw)], {"order": draw(st.integers(1, 4))}


def matrices(draw: st.DrawFn, case: Any) -> Operands:
    """Of more rows than columns, of fewer, and of as many."""
    return [(*a_shape(draw, max_dims=1), draw(st.integers(0, SIDE)), draw(st.integers(0, SIDE)))], {}


def with_order(draw: st.DrawFn, case: Any) -> Operands:
    shapes, options = of_something(draw, case)
    return shapes, options | {"order": draw(st.sampled_from([-2, -1, 0.5, 1, 1.5, 3, 4]))}


directed = without_keepdims(with_order)


def triangle(draw: st.DrawFn, case: Any) -> Operands:
    return square(draw, case)[0], {"UPLO": draw(st.sampled_from("LU"))}
