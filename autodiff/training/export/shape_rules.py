"""Rules for operations that only move elements: to other shapes, places and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .rules import rule
from .traces import Constant, Input, Result, Step
from .writer import Name, Writer

LARGE = np.iinfo(np.int64).max


@rule("reshape", "ravel", "flatten", "squeeze", "expand_dims")
def _reshape(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Reshape", x, w.shape(s.shape), allowzero=1))


@rule("broadcast_to")
def _broadcast_to(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Expand", x, w.shape(s.shape)))


@rule("transpose")
def _transpose(w: Writer, s: Step, x: Name) -> Name:
    axes = s.options["axes"]
    rank = len(s.shape)
    return str(w.add("Transpose", x, perm=[a % rank for a in axes] if axes else None))


@rule("swapaxes")
def _swapaxes(w: Writer, s: Step, x: Name) -> Name:
    order = list(range(len(s.shape)))
    a, b = s.options["axis1"], s.options["axis2"]
    order[a], order[b] = order[b], order[a]
    return str(w.add("Transpose", x, perm=order))


@rule("moveaxis")
def _moveaxis(w: Writer, s: Step, x: Name) -> Name:
    order = np.moveaxis(np.empty(range(len(s.shape))), s.options["source"], s.options["destination"]).shape
    return str(w.add("Transpose", x, perm=list(order)))


@rule("concatenate")
def _concatenate(w: Writer, s: Step, *parts: Name) -> Name:
    axis = s.options["axis"]
    if axis is None:
        parts = tuple(w.add("Reshape", part, w.shape((-1,))) for part in parts)
    return str(w.add("Concat", *parts, axis=axis or 0))


@rule("stack")
def _stack(w: Writer, s: Step, *parts: Name) -> Name:
    axis = s.options["axis"] % len(s.shape)
    at = w.constant(np.array([axis], dtype=np.int64))
    return str(w.add("Concat", *(w.add("Unsqueeze", part, at) for part in parts), axis=axis))


@rule("tile")
def _tile(w: Writer, s: Step, x: Name) -> Name:
    times = np.atleast_1d(s.options["reps"])
    rank = rank_of(w, s.operands[0])
    new = w.constant(np.arange(len(s.shape) - rank, dtype=np.int64))
    whole = w.add("Unsqueeze", x, new) if len(s.shape) > rank else x
    missing = len(s.shape) - len(times)
    return str(w.add("Tile", whole, w.constant(np.array([1] * missing + [*times], dtype=np.int64))))


@rule("pad")
def _pad(w: Writer, s: Step, x: Name) -> Name:
    mode = {"constant": "constant", "reflect": "reflect", "edge": "edge", "wrap": "wrap"}.get(
        s.options["mode"]
    )
    if mode is None:
        raise ValueError(f"padding with mode={s.options['mode']!r} has no counterpart in ONNX")
    widths = np.broadcast_to(s.options["pad_width"], (len(s.shape), 2))
    if not widths.any():
        return str(w.add("Identity", x))
    sizes = w.shape_of(s.operands[0])
    if mode == "reflect" and any(
        max(pair) >= size for pair, size in zip(widths, sizes) if isinstance(size, int)
    ):
        raise ValueError(
            "padding with mode='reflect' by the size of an axis or more has no counterpart in ONNX"
        )
    amounts = w.constant(np.array(widths.T.reshape(-1), dtype=np.int64))
    return str(w.add("Pad", x, amounts, w.like(s, s.options["constant_values"]), mode=mode))


@rule("tril", "triu")
def _triangle(w: Writer, s: Step, x: Name) -> Name:
    return str(w.add("Trilu", x, w.constant(np.int64(s.options["k"])), upper=int(s.name == "triu")))


@rule("getitem")
def _getitem(w: Writer, s: Step, x: Name) -> Name:
    """Each part of the index in turn: numbers and arrays choose, slices cut, None adds an axis."""
    source = s.operands[0]
    if isinstance(source, Result) and w.trace.steps[source.step].name in ("lstm", "gru"):
        found = of_recurrent(w, s, source.step)
        if found is not None:
            return found
    index = s.options["index"]
    parts = list(index) if type(index) is tuple else [index]
    if sum(isinstance(part, (np.ndarray, list, Input, Constant)) for part in parts) > 1:
        raise ValueError(
            "an index of several arrays has no simple counterpart in ONNX; use one array at a time"
        )
    axis = 0
    rank = rank_of(w, source)
    for place, part in enumerate(parts):
        if part is Ellipsis:
            axis = rank - sum(other is not None for other in parts[place + 1 :])
            continue
        x, left = _picked(w, x, part, axis)
        rank += left if part is None else left - 1
        axis += left
    return x


def _picked(w: Writer, x: Name, part: Any, axis: int) -> tuple[Name, int]:
    """One part of an index at one axis, and how many axes it leaves there."""
    at = w.constant(np.array([axis], dtype=np.int64))
    if part is None:
        return str(w.add("Unsqueeze", x, at)), 1
    if isinstance(part, slice):
        if part == slice(None):
            return x, 1
        by = 1 if part.step is None else part.step
        start = (0 if by > 0 else LARGE) if part.start is None else part.start
        stop = (LARGE if by > 0 else -LARGE) if part.stop is None else part.stop
        bounds = [w.shape((value,)) for value in (start, stop)]
        return str(w.add("Slice", x, *bounds, at, w.shape((by,)))), 1
    if isinstance(part, Input):
        return str(w.add("Gather", x, w.inputs[part.place], axis=axis)), len(w.trace.inputs[part.place][0])
    places = (
        np.asarray(part, dtype=None if np.size(part) else np.int64) if type(part) is not Constant else None
    )
    if places is None or places.dtype.kind not in "iu":
        raise ValueError(f"an index of type {type(part).__name__} has no counterpart in ONNX")
    return str(w.add("Gather", x, w.constant(places.astype(np.int64)), axis=axis)), places.ndim


def rank_of(w: Writer, operand: Any) -> int:
    """The number of axes of an operand."""
    return len(w.shape_of(operand))


def of_recurrent(w: Writer, s: Step, step: int) -> Name | None:
    """All states of a recurrent layer, or its last cell; None for anything else that it keeps for itself."""
    kept = w.kept[w.results[step]]
    index = s.options["index"]
    parts = index if type(index) is tuple else (index,)
    if parts[0] == 0 and len(parts) == 1:
        return kept[0]
    if parts == (1, -1) and 1 in kept:
        return kept[1]
    if parts[0] == 0:
        x = kept[0]
        axis = 0
        for part in parts[1:]:
            x, left = _picked(w, x, part, axis)
            axis += left
        return x
    raise ValueError(
        "the network reads the gates or the cells of a recurrent layer at every step, which ONNX does not "
        "give"
    )
