"""Rules that only move elements: to other shapes, places and arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .rules import follows, rule
from .traces import OPERANDS, Batch, Constant, Input, Operand, Result, Step
from .writer import Name, Writer

LARGE = np.iinfo(np.int64).max


def ints(w: Writer, *values: int) -> Name:
    """A constant vector of integers."""
    return w.constant(np.array(values, dtype=np.int64))


# -- shapes and axes --------------------------------------------------------------------------------------


@rule("np.copy", "np.ascontiguousarray", "clone", "alias")
def _same(w: Writer, s: Step, *names: Name) -> Name:
    return w.name(s.operands[0])


@rule("np.reshape")
def _reshape(w: Writer, s: Step) -> Name:
    return str(w.add("Reshape", w.name(s.operands[0]), w.shape(s.shape), allowzero=1))


@rule("np.broadcast_to")
def _broadcast_to(w: Writer, s: Step) -> Name:
    return str(w.add("Expand", w.name(s.operands[0]), w.shape(s.shape)))


@rule("np.transpose")
def _transpose(w: Writer, s: Step) -> Name:
    return str(w.add("Transpose", w.name(s.operands[0]), perm=list(s.options["options"][0])))


@rule("np.concatenate")
def _concatenate(w: Writer, s: Step) -> Name:
    parts = [w.cast(operand, s.dtype) for operand in s.operands]
    return str(w.add("Concat", *parts, axis=s.options["options"][0]))


@rule("np.stack")
def _stack(w: Writer, s: Step) -> Name:
    (axis,) = s.options["options"]
    parts = [w.add("Unsqueeze", w.cast(operand, s.dtype), ints(w, axis)) for operand in s.operands]
    return str(w.add("Concat", *parts, axis=axis))


@rule("tile")
def _tile(w: Writer, s: Step, x: Name) -> Name:
    times = np.atleast_1d(s.options["reps"])
    rank = len(w.shape_of(s.operands[0]))
    new = ints(w, *range(len(s.shape) - rank))
    spread = w.add("Unsqueeze", x, new) if len(s.shape) > rank else x
    missing = len(s.shape) - len(times)
    return str(w.add("Tile", spread, ints(w, *[1] * missing, *times)))


@rule("repeat")
def _repeat(w: Writer, s: Step, x: Name) -> Name:
    axis, repeats = s.options["axis"], s.options["repeats"]
    shape = w.shape_of(s.operands[0])
    if axis is None:
        if any(isinstance(size, Batch) for size in shape):
            raise ValueError("repeat without an axis has no counterpart in ONNX for a batch of any size")
        x, axis, shape = w.add("Reshape", x, ints(w, -1)), 0, (math.prod(shape),)
    axis %= len(shape)
    repeats = repeats.first if isinstance(repeats, Constant) else repeats
    if isinstance(shape[axis], int):
        return str(w.add("Gather", x, ints(w, *np.repeat(np.arange(shape[axis]), repeats)), axis=axis))
    # Each example becomes an axis of its own, which is expanded and merged again.
    longer = w.add("Unsqueeze", x, ints(w, axis + 1))
    wide = w.add("Expand", longer, w.shape((*shape[: axis + 1], int(repeats), *shape[axis + 1 :])))
    return str(w.add("Reshape", wide, w.shape(s.shape), allowzero=1))


@rule("roll", holds=lambda o: np.ndim(o["shift"]) == 0 and isinstance(o["axis"], int))
def _roll(w: Writer, s: Step, x: Name) -> Name:
    axis = s.options["axis"] % len(s.shape)
    size, shift = s.shape[axis], int(s.options["shift"])
    if isinstance(size, Batch):
        raise ValueError("roll along the axis of the batch has no counterpart in ONNX")
    cut = -shift % size if size else 0
    parts = [(cut, LARGE), (0, cut)]
    turned = [w.add("Slice", x, ints(w, a), ints(w, b), ints(w, axis), ints(w, 1)) for a, b in parts]
    return str(w.add("Concat", *turned, axis=axis))


def can_pad(options: Any) -> bool:
    """Whether ONNX has this kind of padding."""
    return options["mode"] in ("constant", "reflect", "edge", "wrap") and not np.ndim(
        options["constant_values"]
    )


@rule("pad", holds=can_pad)
def _pad(w: Writer, s: Step, x: Name) -> Name:
    mode = s.options["mode"]
    widths = np.broadcast_to(s.options["pad_width"], (len(s.shape), 2))
    if not widths.any():
        return str(w.add("Identity", x))
    sizes = w.shape_of(s.operands[0])
    if mode in ("reflect", "wrap") and any(
        max(pair) >= size + (mode == "wrap") for pair, size in zip(widths, sizes) if isinstance(size, int)
    ):
        raise ValueError(
            f"padding with mode={mode!r} by the size of an axis or more has no counterpart in ONNX"
        )
    if mode in ("reflect", "wrap") and any(
        pair.any() for pair, size in zip(widths, sizes) if isinstance(size, Batch)
    ):
        raise ValueError(f"padding of the batch with mode={mode!r} has no counterpart in ONNX")
    amounts = ints(w, *widths.T.reshape(-1))
    return str(
        w.add("Pad", x, amounts, w.constant(np.asarray(s.options["constant_values"]), s.dtype), mode=mode)
    )


@rule("tril", "triu")
def _triangle(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Trilu", x, w.constant(np.int64(s.options["k"])), upper=int(s.name == "triu")))


# -- indexing ---------------------------------------------------------------------------------------------


def parts_of(s: Step) -> list[Any]:
    """The parts of an index."""
    index = s.options["index"]
    return list(index) if type(index) is tuple else [index]


@rule("np.getitem", "np.pick")
def _getitem(w: Writer, s: Step) -> Name:
    """First the slices, numbers and new axes, one after the other, then the arrays."""
    source = s.operands[0]
    if isinstance(source, Result) and w.trace.steps[source.step].name in ("lstm", "gru"):
        return of_recurrent(w, s, source.step)
    x, shape = w.name(source), list(w.shape_of(source))
    parts = parts_of(s)
    arrays: list[tuple[int, Operand]] = []
    has_arrays = any(isinstance(part, OPERANDS) for part in parts)
    apart = is_apart(parts)
    axis = 0
    for place, part in enumerate(parts):
        if part is Ellipsis:
            axis = len(shape) - sum(taken(other, w) for other in parts[place + 1 :])
        elif isinstance(part, Constant) and part.first.dtype == bool:
            found = [Constant(a, a, a.shape) for a in map(np.asarray, part.first.nonzero())]
            if follows(part):
                raise ValueError("an index by a mask that depends on the batch has no counterpart in ONNX")
            arrays += [(axis + k, one) for k, one in enumerate(found)]
            axis += len(found)
        elif isinstance(part, OPERANDS):
            arrays.append((axis, part))
            axis += 1
        elif has_arrays and isinstance(part, (int, np.integer, Batch)) and part is not None:
            value = np.asarray(part) if not isinstance(part, Batch) else None
            if value is None:
                raise ValueError("an index by the size of the batch, beside an array, is not supported")
            arrays.append((axis, Constant(value, value, ())))
            axis += 1
        else:
            x, axis = sliced(w, x, shape, part, axis)
    return picked(w, x, shape, arrays, apart, s) if arrays else x


def taken(part: Any, w: Writer) -> int:
    """How many axes a part of an index takes."""
    if isinstance(part, Constant) and part.first.dtype == bool:
        return part.first.ndim
    return int(part is not None)


def is_apart(parts: list[Any]) -> bool:
    """Whether the arrays and numbers of an index are not side by side: their axes then come first."""
    where = [k for k, part in enumerate(parts) if isinstance(part, (*OPERANDS, int, np.integer))]
    return bool(where) and where[-1] - where[0] + 1 != len(where)


def sliced(w: Writer, x: Name, shape: list[Any], part: Any, axis: int) -> tuple[Name, int]:
    """A slice, a number or a new axis at one axis; changes the shape, and gives the next axis."""
    at = ints(w, axis)
    if part is None:
        shape.insert(axis, 1)
        return str(w.add("Unsqueeze", x, at)), axis + 1
    if isinstance(part, slice):
        if part != slice(None):
            by = 1 if part.step is None else part.step
            start = (0 if by > 0 else LARGE) if part.start is None else part.start
            stop = (LARGE if by > 0 else -LARGE) if part.stop is None else part.stop
            x = w.add("Slice", x, w.shape((start,)), w.shape((stop,)), at, w.shape((by,)))
            size = shape[axis]
            shape[axis] = None if isinstance(size, Batch) else len(range(*slice_of(part).indices(size)))
        return x, axis + 1
    del shape[axis]
    return str(w.add("Squeeze", w.add("Gather", x, w.shape((part,)), axis=axis), at)), axis


def slice_of(part: slice) -> slice:
    """The slice, where its bounds are numbers. Raises ValueError if they depend on the size of the batch
    along another axis."""
    if any(isinstance(value, Batch) for value in (part.start, part.stop, part.step)):
        raise ValueError("a slice by the size of the batch along another axis has no counterpart in ONNX")
    return part


def picked(
    w: Writer, x: Name, shape: list[Any], arrays: list[tuple[int, Operand]], apart: bool, s: Step
) -> Name:
    """The elements that arrays choose together: their axes become one, along which one array gathers."""
    axes = [axis for axis, _ in arrays]
    sizes = [shape[axis] for axis in axes]
    if len(arrays) == 1:
        places = counted(w, arrays[0][1], sizes[0])
        return str(w.add("Gather", x, places, axis=axes[0]))
    first = 0 if apart or axes != list(range(axes[0], axes[0] + len(axes))) else axes[0]
    others = [axis for axis in range(len(shape)) if axis not in axes]
    order = [*others[:first], *axes, *others[first:]]
    if order != list(range(len(shape))):
        x = w.add("Transpose", x, perm=order)
    if any(not isinstance(size, int) for size in sizes[1:]):
        raise ValueError("an index of several arrays, one along the batch, has no counterpart in ONNX")
    rest = [shape[axis] for axis in others]
    total: Any = math.prod(sizes[1:])
    total = sizes[0] * total if isinstance(sizes[0], int) else Batch(sizes[0].times * total)
    x = w.add("Reshape", x, w.shape((*rest[:first], total, *rest[first:])), allowzero=1)
    place = w.constant(np.int64(0))
    for (_, part), size in zip(arrays, sizes):
        earlier = w.add("Mul", place, w.constant(np.int64(size))) if isinstance(size, int) else place
        place = w.add("Add", earlier, counted(w, part, size))
    return str(w.add("Gather", x, place, axis=first))


def counted(w: Writer, part: Operand, size: Any) -> Name:
    """The places of an index, those below 0 counted from the end."""
    if isinstance(part, Constant) and isinstance(size, int) and np.array_equal(part.first, part.second):
        return w.constant(np.where(part.first < 0, part.first + size, part.first), np.int64)
    places = w.cast(part, np.int64)
    if isinstance(part, Constant):
        return places
    whole = w.constant(np.int64(size)) if isinstance(size, int) else w.add("Squeeze", w.shape((size,)))
    is_below = w.add("Less", places, w.constant(np.int64(0)))
    return str(w.add("Where", is_below, w.add("Add", places, whole), places))


def of_recurrent(w: Writer, s: Step, step: int) -> Name:
    """All states of a recurrent layer, or its last cell."""
    kept = w.kept[w.results[step]]
    parts = parts_of(s)
    if parts == [1, -1] and 1 in kept:
        return kept[1]
    if parts[0] == 0:
        x, shape, axis = kept[0], list(w.trace.steps[step].shape[1:]), 0
        for part in parts[1:]:
            x, axis = sliced(w, x, shape, part, axis)
        return x
    raise ValueError(
        "the network reads the gates or the cells of a recurrent layer at every step, which ONNX does not "
        "give"
    )


# -- writing at places ------------------------------------------------------------------------------------


@rule("np.put", "np.put_add")
def _put(w: Writer, s: Step) -> Name:
    """An array with others in some places, which are the same for each example of the batch."""
    base, x = s.operands[:2]
    along = [axis for axis, size in enumerate(s.shape) if isinstance(size, Batch)]
    parts = parts_of(s)
    places = places_of(s, parts, along)
    rest = [size for size in s.shape if isinstance(size, int)]
    order = [*along, *(axis for axis in range(len(s.shape)) if axis not in along)]

    def turned(x: Name, order: Any) -> Name:
        return x if list(order) == list(range(len(order))) else str(w.add("Transpose", x, perm=list(order)))

    flat = w.shape((*(s.shape[axis] for axis in along), math.prod(rest)))
    whole = w.add("Reshape", turned(w.cast(base, s.dtype), order), flat, allowzero=1)
    item = list(places.shape)
    for axis in along:
        item[kept_axis(parts, axis, len(s.shape))] = s.shape[axis]
    new = w.add("Expand", w.cast(x, s.dtype), w.shape(tuple(item)))
    front = [kept_axis(parts, axis, len(s.shape)) for axis in along]
    back = [axis for axis in range(len(item)) if axis not in front]
    count = w.shape((*(s.shape[axis] for axis in along), places.size))
    new = w.add("Reshape", turned(new, [*front, *back]), count, allowzero=1)
    indices = w.constant(places.transpose(*front, *back).reshape([1] * len(along) + [-1]), np.int64)
    reduction = "add" if s.name == "np.put_add" else None
    found = w.add(
        "ScatterElements", whole, w.add("Expand", indices, count), new, axis=len(along), reduction=reduction
    )
    sizes = w.shape(tuple(s.shape[axis] for axis in order))
    return turned(w.add("Reshape", found, sizes, allowzero=1), np.argsort(order).tolist())


def places_of(s: Step, parts: list[Any], along: list[int]) -> Any:
    """The places of an index among all axes but those of the batch, which have the size 1. Raises ValueError
    for places that are computed or cut the batch."""
    if any(isinstance(part, (Input, Result)) or follows(part) for part in parts) or len(along) > 1:
        raise ValueError(
            "writing into an array at places that are computed, or that depend on the batch, has no "
            "counterpart in ONNX: use ad.where, ad.concatenate or ad.stack"
        )
    shape = [1 if isinstance(size, Batch) else size for size in s.shape]
    for axis in along:
        kept_axis(parts, axis, len(shape))
    index = tuple(part.first if isinstance(part, Constant) else part for part in parts)
    return np.arange(math.prod(shape)).reshape(shape)[index]


def kept_axis(parts: list[Any], axis: int, rank: int) -> int:
    """The position, in what an index selects, of an axis that it leaves whole."""
    place = 0
    if any(isinstance(part, Constant) for part in parts):
        raise ValueError("writing at places of arrays into an array of a batch has no counterpart in ONNX")
    at = 0
    spare = rank - sum(part is not None and part is not Ellipsis for part in parts)
    parts = [p for part in parts for p in ([slice(None)] * spare if part is Ellipsis else [part])]
    parts += [slice(None)] * (rank - sum(part is not None for part in parts))
    for part in parts:
        if part is None:
            place += 1
            continue
        if at == axis:
            if part != slice(None):
                break
            return place
        at += 1
        place += isinstance(part, slice)
    raise ValueError(
        "writing into a part of the batch has no counterpart in ONNX: use ad.where, ad.concatenate or "
        "ad.stack"
    )
