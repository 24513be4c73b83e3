"""The places that an index covers along each axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..graph import ProgramGraph
from ..inference import is_basic
from ..nodes import ProgramNode, Shape, reachable

Box = tuple[range, ...]
"""The places along each axis of an array that an index covers, in the order in which it takes them."""

Rule = Callable[[ProgramNode, tuple[ProgramNode, ...]], "ProgramNode | None"]


def parts_of_index(index: Any, count: int) -> list[Any] | None:
    """One integer or slice for each of ``count`` axes; None for another kind of index."""
    parts = list(index) if isinstance(index, tuple) else [index]
    if not is_basic(index) or None in parts:
        return None
    if Ellipsis in parts:
        place = parts.index(Ellipsis)
        parts[place : place + 1] = [slice(None)] * (count - len(parts) + 1)
    return parts + [slice(None)] * (count - len(parts))


def box_of(shape: Shape, index: Any) -> Box | None:
    """The places that an index of integers and slices covers; None for another kind of index."""
    parts = parts_of_index(index, len(shape))
    if parts is None:
        return None
    return tuple(
        range(size)[part] if isinstance(part, slice) else range(part % size, part % size + 1)
        for part, size in zip(parts, shape)
    )


def differing_axes(boxes: Sequence[Box]) -> list[int]:
    """The axes along which the boxes are not all the same."""
    return [axis for axis, ranges in enumerate(zip(*boxes)) if any(r != ranges[0] for r in ranges)]


def counts_of(shape: Shape, boxes: Sequence[Box], axes: Sequence[int]) -> Any:
    """How many boxes cover each place, along the axes where they differ."""
    counts = np.zeros([shape[axis] for axis in axes], np.int32)
    for box in boxes:
        counts[tuple(slice_of(box[axis]) for axis in axes)] += 1
    return counts


def slice_of(places: range) -> slice:
    """A range of places as a slice."""
    stop = places.stop if places.stop >= 0 else None
    return slice(places.start, stop, places.step)


def is_whole(places: range, size: int) -> bool:
    """Whether a range covers an axis from its beginning to its end."""
    return places == range(size)


def rewritten(graph: ProgramGraph, results: Sequence[ProgramNode], rule: Rule) -> list[ProgramNode]:
    """The results after a rule has been applied to each node. ``rule(node, args)`` gets a node with its new
    arguments and returns the node that replaces it, or None to keep the call."""
    new: dict[ProgramNode, ProgramNode] = {}
    for node in reachable(results):
        args = tuple(new[arg] for arg in node.args)
        found = rule(node, args)
        new[node] = graph.again(node, args) if found is None else found
    return [new[result] for result in results]
