"""pieces: the gradients of slices are written into one array, each once.

The gradient of ``x[t]`` is an array of zeros with one row filled; the sum over T rows takes T whole arrays.
This pass makes the rows one array: a ``stack`` or ``concatenate`` where they fill it, else an ``assemble``,
which adds each row to its place in zeros. Every bit is kept, so sums keep their order.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..algebra import constant_of, is_constant
from ..graph import ProgramGraph
from ..inference import index_key, is_basic, shape_of_item
from ..nodes import ProgramNode, Shape, reachable, users_of
from .orders import Orders
from .places import box_of, counts_of, differing_axes, is_whole

MOST_COUNTED = 1 << 22
"""The number of places up to which overlaps are searched for. Above it, pieces count as overlapping."""


def pieces(
    graph: ProgramGraph, inputs: Sequence[ProgramNode], results: Sequence[ProgramNode]
) -> list[ProgramNode]:
    """Replace each sum of pieces by one array that holds them."""
    replace: dict[ProgramNode, Callable[[dict[ProgramNode, ProgramNode]], ProgramNode]] = {}
    orders = Orders()
    for root, terms in sums_of_pieces(results).items():
        replace[root] = functools.partial(gathered, graph, orders, terms)
    return graph.rewrite(results, replace) if replace else list(results)


def sums_of_pieces(results: Sequence[ProgramNode]) -> dict[ProgramNode, list[ProgramNode]]:
    """The sums with at least two pieces, with their terms in the order in which they are added."""
    nodes = reachable(results)
    users, ends = users_of(nodes), set(results)
    chains: dict[ProgramNode, list[ProgramNode]] = {}
    inside: set[ProgramNode] = set()

    def is_inner(node: ProgramNode, whole: ProgramNode) -> bool:
        return (
            node.op == "add" and len(users[node]) == 1 and node not in ends
            and node.shape == whole.shape and node.dtype == whole.dtype
        )  # fmt: skip

    for node in reversed(nodes):
        if node.op == "add" and node not in inside:
            terms: list[ProgramNode] = []
            step, more = node, True
            while more:
                left, right = step.args
                if not is_inner(left, node) and is_inner(right, node):
                    left, right = right, left
                terms.append(right)
                step, more = left, is_inner(left, node)
                if more:
                    inside.add(step)
            terms.append(left)
            if sum(is_piece(term, node) for term in terms) > 1:
                chains[node] = terms[::-1]
    return chains


def is_piece(node: ProgramNode, whole: ProgramNode | None = None) -> bool:
    """Whether a node is an array of zeros with something written to one place."""
    return (
        node.op == "put" and len(node.args) == 2 and is_basic(node.value) and is_constant(node.args[0], 0)
        and not np.signbit(constant_of(node.args[0])) and not node.args[1].number
        and (whole is None or (node.shape == whole.shape and node.dtype == whole.dtype))
    )  # fmt: skip


def gathered(
    graph: ProgramGraph, orders: Orders, terms: Sequence[ProgramNode], new: dict[ProgramNode, ProgramNode]
) -> ProgramNode:
    """The sum of the terms, from their new nodes. The pieces among them become one array wherever the order
    of additions allows it."""
    runs = runs_of([new[term] for term in terms])
    total, *others = [assembled(graph, orders, run) if len(run) > 1 else run[0] for run in runs]
    for other in others:
        total = graph.elementwise("add", total, other)
    return total


def runs_of(terms: list[ProgramNode]) -> list[list[ProgramNode]]:
    """The terms in runs: pieces that may be added first, in one array, and single other terms.

    Pieces at the beginning may overlap: they are added in their order. Later ones may not, since
    (q + p) + p' is not q + (p + p'). Where no two pieces overlap at all, those on both sides of the first
    other term make one run: a place has one piece at most, and the two sums q + p and p + q are the same.
    """
    runs: list[list[ProgramNode]] = []
    others = 0
    apart = are_apart([term for term in terms if is_piece(term)])
    for term in terms:
        if not is_piece(term):
            runs.append([term])
            others += 1
        elif runs and is_piece(runs[-1][0]) and (len(runs) == 1 or apart or are_apart([*runs[-1], term])):
            runs[-1].append(term)
        elif apart and others == 1 and is_piece(runs[0][0]):
            runs[0].append(term)
        else:
            runs.append([term])
    return runs


def are_apart(terms: Sequence[ProgramNode]) -> bool:
    """Whether no two pieces overlap."""
    shape = terms[0].shape
    boxes = [box_of(shape, term.value) for term in terms]
    known = [box for box in boxes if box is not None]
    axes = differing_axes(known)
    if len(known) < len(boxes) or math.prod(shape[axis] for axis in axes) > MOST_COUNTED:
        return False
    return bool((counts_of(shape, known, axes) <= 1).all())


def assembled(graph: ProgramGraph, orders: Orders, terms: list[ProgramNode]) -> ProgramNode:
    """The sum of pieces as one array."""
    shape, dtype = terms[0].shape, terms[0].dtype
    parts = []
    for term in terms:
        part = graph.astype(term.args[1], dtype)
        parts.append(graph.broadcast_to(part, shape_of_item(shape, term.value)))
    joined = joined_parts(graph, shape, parts, [term.value for term in terms])
    if joined is not None and orders.is_c(joined):
        # In the original sum each place is its piece plus zeros, which makes -0 a 0. This addition does too.
        return graph.elementwise("add", joined, graph.const(0.0)) if dtype.kind == "f" else joined
    indices = tuple(term.value for term in terms)
    graph.kept.append(indices)
    key = tuple(map(index_key, indices))
    return graph.make("assemble", tuple(parts), shape=shape, dtype=dtype, value=indices, key=key)


def joined_parts(
    graph: ProgramGraph, shape: Shape, parts: Sequence[ProgramNode], indices: Sequence[Any]
) -> ProgramNode | None:
    """The parts joined, if they fill an array along one axis; else None."""
    boxes = [box for index in indices if (box := box_of(shape, index)) is not None]
    if len(boxes) < len(parts):
        return None
    axes = differing_axes(boxes)
    if len(axes) != 1:
        return None
    (axis,) = axes
    if any(not is_whole(boxes[0][other], size) for other, size in enumerate(shape) if other != axis):
        return None
    ranges = [box[axis] for box in boxes]
    order = sorted(range(len(parts)), key=lambda place: ranges[place].start)
    if [k for place in order for k in ranges[place]] != list(range(shape[axis])):
        return None
    counts = {len(part.shape) for part in parts}
    row = shape[:axis] + shape[axis + 1 :]
    for part, box in zip(parts, boxes):  # a part that is stretched over its place is no row and no slice
        if part.shape not in (row, tuple(map(len, box))):
            return None
    if counts == {len(shape) - 1}:
        return graph.join("stack", [parts[place] for place in order], axis)
    if counts != {len(shape)}:  # rows and slices together: a row is a slice with one row
        parts = [
            graph.reshape(part, [len(box[a]) for a in range(len(shape))]) for part, box in zip(parts, boxes)
        ]
    return graph.join("concatenate", [parts[place] for place in order], axis)
