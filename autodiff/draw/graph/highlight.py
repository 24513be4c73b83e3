"""Which nodes and arrows of a graph are highlighted: those that were asked for, and the ways between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

from . import as_text
from .records import Graph, Walk, is_node

TOLD = 12  # names listed in a message


def light(
    graph: Graph, asked: object, found: Walk, name: Callable[[int], str], item: Sequence[int] | None
) -> Graph:
    """The graph with what was asked for lit: a node (a Tensor or its name), a path, or a list of these.

    A path is a tuple of nodes, and all ways from each to the next are lit.

    Raises
    ------
    ValueError
        If no node shown has the name, the Tensor is not in the graph or not shown, or no way leads from one
        node of a path to the next.
    TypeError
        If something else was given.
    """
    parts = asked if isinstance(asked, (list, set, frozenset)) else [asked]
    at = list(range(len(found.order))) if item is None else item
    shown = {i: graph.name(i) for i in (n.index for n in graph.nodes)}
    shown |= {p.index: p.name for p in graph.pieces}
    nodes: set[int] = set()
    edges: set[tuple[int, int]] = set()
    for part in parts:
        if isinstance(part, tuple):
            stops = [_place(stop, shown, found, name) for stop in part]
            nodes.update(stops)
            for a, b in pairwise(stops):
                on_way, ways = _between(a, b, found, name)
                nodes |= on_way
                edges |= ways
        else:
            nodes.add(_place(part, shown, found, name))
    lit = {at[i] for i in nodes}
    for i in sorted(lit - set(shown)):
        raise ValueError(
            f"cannot highlight {name(i)}: it is not among the nodes shown, the last {len(graph.nodes)} of "
            f"{graph.total:,}; limit= sets how many"
        )
    return replace(
        graph,
        lit=frozenset(lit),
        lit_edges=frozenset((at[a], at[b]) for a, b in edges if at[a] != at[b]),
    )


def _place(thing: Any, shown: dict[int, str], found: Walk, name: Callable[[int], str]) -> int:
    if isinstance(thing, str):
        for i, known in shown.items():
            if known == thing:
                return i
        raise ValueError(f"cannot highlight {thing!r}: no node has this name. {_names(thing, shown)}")
    if not is_node(thing):
        raise TypeError(
            "highlight takes a Tensor, the name of one, a tuple of these for a path, or a list of all that; "
            f"not {as_text.word(thing)}, which is of type {type(thing).__name__}"
        )
    if id(thing) not in found.place:
        own = as_text.attribute(thing, "name")
        called = f"{own}, " if isinstance(own, str) else ""
        raise ValueError(
            f"cannot highlight the Tensor {called}with data {as_text.read(thing).line}: "
            f"{name(len(found.order) - 1)} was not computed from it. {_names('', shown)}"
        )
    return found.place[id(thing)]


def _names(near: str, shown: dict[int, str]) -> str:
    names = list(shown.values())
    names = [*get_close_matches(near, names), *names] if near else names
    names = list(dict.fromkeys(names))
    return f"The nodes are {', '.join(names[:TOLD])}{', ...' if len(names) > TOLD else ''}"


def _between(
    a: int, b: int, found: Walk, name: Callable[[int], str]
) -> tuple[set[int], set[tuple[int, int]]]:
    """The nodes and arrows on all ways between two nodes, whichever of them comes first."""
    low, high = min(a, b), max(a, b)
    reached = {low}  # what was made from the first, directly or not
    for i in range(low + 1, high + 1):
        if any(j in reached for j in found.operands(i)):
            reached.add(i)
    if high not in reached:
        raise ValueError(
            f"cannot highlight a path from {name(a)} to {name(b)}: {name(high)} was not computed from "
            f"{name(low)}"
        )
    nodes: set[int] = {high}
    edges: set[tuple[int, int]] = set()
    for i in range(high, low, -1):
        if i in nodes:
            for j in found.operands(i):
                if j in reached:
                    nodes.add(j)
                    edges.add((j, i))
    return nodes, edges
