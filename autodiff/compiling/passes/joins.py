"""Detours through joined arrays: a slice of a joined array is taken from its part, and slices of one array
that are joined again are that array. The passes that look for rows leave these detours out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..graph import ProgramGraph
from ..nodes import ProgramNode
from .places import box_of, is_whole, parts_of_index, slice_of


def unjoined(graph: ProgramGraph, node: ProgramNode, args: tuple[ProgramNode, ...]) -> ProgramNode | None:
    """The value of a node without a detour through ``stack``, ``concatenate`` or ``put``; None if the node
    has no such detour. The memory of the new value may be in another order."""
    if node.op == "getitem":
        finder = FROM.get(args[0].op)
        return finder(graph, args[0], node.value) if finder else None
    return rejoined(graph, node, args) if node.op in ("stack", "concatenate") else None


def from_stack(graph: ProgramGraph, whole: ProgramNode, index: Any) -> ProgramNode | None:
    """``stack(parts)[t]`` is the part."""
    (axis,) = whole.options
    parts = parts_of_index(index, len(whole.shape))
    if parts is None:
        return None
    chosen, others = parts[axis], (*parts[:axis], *parts[axis + 1 :])
    if not isinstance(chosen, slice):
        return item(graph, of_dtype(graph, whole.args[chosen], whole), others)
    return None


def from_concatenate(graph: ProgramGraph, whole: ProgramNode, index: Any) -> ProgramNode | None:
    """A slice of ``concatenate(parts)`` that lies within one part is a slice of that part."""
    (axis,) = whole.options
    parts = parts_of_index(index, len(whole.shape))
    box = box_of(whole.shape, index)
    if parts is None or box is None or not box[axis] or box[axis].step != 1:
        return None
    start = 0
    for arg in whole.args:
        end = start + arg.shape[axis]
        if start <= box[axis][0] and box[axis][-1] < end:
            first = box[axis][0] - start
            size = len(box[axis])
            parts[axis] = slice(first, first + size) if isinstance(parts[axis], slice) else first
            return item(graph, of_dtype(graph, arg, whole), parts)
        start = end
    return None


def from_put(graph: ProgramGraph, whole: ProgramNode, index: Any) -> ProgramNode | None:
    """An item of ``put(base, x, place)`` is x if it is all that was written, and an item of ``base`` if
    nothing was written there."""
    if len(whole.args) > 2:
        return None
    base, x = whole.args
    written, taken = box_of(whole.shape, whole.value), box_of(whole.shape, index)
    if written is None or taken is None:
        return None
    result = graph.getitem(whole, index)
    if written == taken and x.shape == result.shape and x.dtype == whole.dtype and not x.number:
        return x
    if any(not set(a).intersection(b) for a, b in zip(written, taken)):
        return graph.getitem(base, index)
    return None


FROM = {"stack": from_stack, "concatenate": from_concatenate, "put": from_put}


def item(graph: ProgramGraph, x: ProgramNode, parts: Sequence[Any]) -> ProgramNode:
    """``x[parts]``; x itself if the parts cover all of it."""
    box = box_of(x.shape, tuple(parts))
    assert box is not None
    if all(isinstance(part, slice) for part in parts) and all(map(is_whole, box, x.shape)):
        return x
    return graph.getitem(x, tuple(parts) if len(parts) != 1 else parts[0])


def of_dtype(graph: ProgramGraph, part: ProgramNode, whole: ProgramNode) -> ProgramNode:
    """A part in the dtype of the array that it was joined into."""
    return graph.astype(part, whole.dtype)


def rejoined(graph: ProgramGraph, node: ProgramNode, args: tuple[ProgramNode, ...]) -> ProgramNode | None:
    """``stack([x[0], x[1], ...])`` and ``concatenate([x[:2], x[2:]])`` are x, or a slice of it."""
    (axis,) = node.options
    base = args[0].args[0] if args[0].op == "getitem" else None
    if base is None or any(arg.op != "getitem" or arg.args[0] is not base for arg in args):
        return None
    if len(base.shape) != len(node.shape):
        return None
    boxes = [box_of(base.shape, arg.value) for arg in args]
    places: list[int] = []
    for arg, box in zip(args, boxes):
        parts = parts_of_index(arg.value, len(base.shape))
        if parts is None or box is None or isinstance(parts[axis], slice) is (node.op == "stack"):
            return None
        others = [place for place in range(len(box)) if place != axis]
        if not all(isinstance(parts[a], slice) and is_whole(box[a], base.shape[a]) for a in others):
            return None
        places.extend(box[axis])
    step = places[1] - places[0] if len(places) > 1 else 1
    if not places or not step:
        return None
    taken = range(places[0], places[-1] + (1 if step > 0 else -1), step)
    if places != list(taken):
        return None
    index = [slice(None)] * len(base.shape)
    index[axis] = slice_of(taken)
    return item(graph, base, index)
