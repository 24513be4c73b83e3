"""Rows: arrays of one shape that are, or could be, the rows of one larger array."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph import ProgramGraph
from ..nodes import ProgramNode, reachable
from .joins import rejoined
from .places import box_of, is_whole, parts_of_index, rewritten

LEAST = 4
"""The number of rows from which on one call on all of them pays."""

LARGEST = 1 << 14
"""The number of elements of a part up to which several parts share an elementwise call. Larger parts are
computed faster one by one, while they are in the cache."""


def row_of(node: ProgramNode) -> tuple[ProgramNode, int, int] | None:
    """x, the axis and t of a row ``x[..., t, ...]``, whose index has one integer; None for another node."""
    if node.op != "getitem":
        return None
    x = node.args[0]
    if isinstance(node.value, (int, np.integer)):
        return x, 0, int(node.value) % x.shape[0]
    parts = parts_of_index(node.value, len(x.shape))
    box = box_of(x.shape, node.value)
    if parts is None or box is None:
        return None
    axes = [axis for axis, part in enumerate(parts) if not isinstance(part, slice)]
    if len(axes) != 1 or any(not is_whole(box[a], n) for a, n in enumerate(x.shape) if a != axes[0]):
        return None
    return x, axes[0], box[axes[0]].start


def axis_first(graph: ProgramGraph, x: ProgramNode, axis: int) -> ProgramNode:
    """The array with one axis moved to the front."""
    others = [a for a in range(len(x.shape)) if a != axis]
    return graph.transpose(x, (axis, *others))


def stacked(graph: ProgramGraph, parts: Sequence[ProgramNode]) -> ProgramNode:
    """Arrays of one shape as the rows of one array. If they are the rows of an existing one, it is used."""
    whole = graph.join("stack", parts, 0)
    if whole.op != "stack":
        return whole
    return rejoined(graph, whole, whole.args) or graph.again(whole, whole.args)


def flat_rows(graph: ProgramGraph, x: ProgramNode) -> ProgramNode:
    """The first two axes as one."""
    return graph.reshape(x, (x.shape[0] * x.shape[1], *x.shape[2:]))


def arrays_as_rows(graph: ProgramGraph, results: Sequence[ProgramNode]) -> list[ProgramNode]:
    """The results, in which arrays that are rows of one larger array in memory are taken from that array.

    A loop ``for x in X`` over an array that the function refers to gives the rows of ``X`` one by one.
    """
    groups: dict[Any, dict[int, list[ProgramNode]]] = defaultdict(lambda: defaultdict(list))
    for node in reachable(results):
        if node.op == "array":
            value, _ = upright(node.value)
            key = id(owner_of(value)), value.shape, value.strides, value.dtype
            groups[key][value.__array_interface__["data"][0]].append(node)
    found: dict[ProgramNode, ProgramNode] = {}
    for rows in groups.values():
        addresses = sorted(rows)
        steps = {b - a for a, b in itertools.pairwise(addresses)}
        step = min(steps, default=0)
        are_rows = len(addresses) >= LEAST and not any(other % step for other in steps)
        whole = spread_over(graph, rows, step) if are_rows else None
        for address, nodes in rows.items():
            row = (address - addresses[0]) // step if are_rows else 0
            array = upright(nodes[0].value)[0]
            plain = graph.const(array) if whole is None else graph.getitem(whole, row)
            for node in nodes:
                found[node] = graph.transpose(plain) if upright(node.value)[1] else plain
    return rewritten(graph, results, lambda node, args: found.get(node)) if found else list(results)


def spread_over(graph: ProgramGraph, rows: dict[int, list[ProgramNode]], step: int) -> ProgramNode:
    """The array whose rows begin ``step`` bytes apart, from the lowest address among ``rows`` to the
    highest."""
    start, end = min(rows), max(rows)
    first, _ = upright(rows[start][0].value)
    shape, strides = ((end - start) // step + 1, *first.shape), (step, *first.strides)
    return graph.const(np.lib.stride_tricks.as_strided(first, shape, strides, writeable=False))


def upright(value: Any) -> tuple[Any, bool]:
    """An array, transposed if it is a matrix in Fortran order, and whether it was transposed."""
    is_turned = value.ndim == 2 and value.flags.f_contiguous and not value.flags.c_contiguous
    return (value.T, True) if is_turned else (value, False)


def owner_of(value: Any) -> Any:
    """The array that owns the memory of a view."""
    while isinstance(value.base, np.ndarray):
        value = value.base
    return value
