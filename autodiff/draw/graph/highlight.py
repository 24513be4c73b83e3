"""Which nodes and arrows are highlighted: those that were asked for, and all on the paths between them."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

from . import as_text
from .fold import View
from .names import Names
from .walk import Walk, between, is_node

LISTED = 12  # names in a message


def highlighted(
    wanted: object, walk: Walk, view: View, names: Names
) -> tuple[frozenset[int], frozenset[tuple[int, int]]]:
    """The nodes to highlight, and the arrows as pairs of an operand and what was made from it.

    What is wanted is a node (a Tensor or its name), a path, a list of these, or None. A path is a tuple of
    nodes, and everything on all paths from each to the next is highlighted.

    Raises
    ------
    ValueError
        If no node shown has the name, the Tensor is not in the graph or not shown, or no path leads from one
        node of a tuple to the next.
    TypeError
        If something else was given.
    """
    if wanted is None:
        return frozenset(), frozenset()
    shown = {i: names[i] for i in view.kept} | {i: group.name for i, group in sorted(view.groups.items())}
    nodes: set[int] = set()
    arrows: set[tuple[int, int]] = set()
    for part in wanted if isinstance(wanted, (list, set, frozenset)) else [wanted]:
        stops = [_find(stop, shown, walk, names) for stop in (part if isinstance(part, tuple) else [part])]
        nodes.update(stops)
        for a, b in pairwise(stops):
            on_path = _path(a, b, walk, names)
            nodes |= on_path
            arrows |= {(j, i) for i in on_path for j in walk.operands(i) if j in on_path}
    item = view.item
    lit = frozenset(item[i] for i in nodes)
    for i in sorted(lit - set(shown)):
        raise ValueError(
            f"cannot highlight {names[i]}: it is not among the nodes shown, the last {len(view.kept)} of "
            f"{len(walk.order):,}; limit= sets how many"
        )
    return lit, frozenset((item[a], item[b]) for a, b in arrows if item[a] != item[b])


def _find(thing: Any, shown: Mapping[int, str], walk: Walk, names: Names) -> int:
    """The index of a node that is given by itself or by its name."""
    if isinstance(thing, str):
        for i, name in shown.items():
            if name == thing:
                return i
        raise ValueError(f"cannot highlight {thing!r}: no node has this name. {_choice(thing, shown)}")
    if not is_node(thing):
        raise TypeError(
            "highlight takes a Tensor, the name of one, a tuple of these for a path, or a list of all that; "
            f"not {as_text.word(thing)}, which is of type {type(thing).__name__}"
        )
    if id(thing) not in walk.index:
        own = as_text.attribute(thing, "name")
        called = f"{own}, " if isinstance(own, str) else ""
        raise ValueError(
            f"cannot highlight the Tensor {called}with data {as_text.value_of(thing).line}: "
            f"{names[walk.end]} was not computed from it. {_choice('', shown)}"
        )
    return walk.index[id(thing)]


def _choice(near: str, shown: Mapping[int, str]) -> str:
    """The names to choose from, those most like the wrong one first."""
    names = list(shown.values())
    names = [*get_close_matches(near, names), *names] if near else names
    names = list(dict.fromkeys(names))
    return f"The nodes are {', '.join(names[:LISTED])}{', ...' if len(names) > LISTED else ''}"


def _path(a: int, b: int, walk: Walk, names: Names) -> set[int]:
    """The nodes on all paths between two nodes, whichever of them comes first."""
    low, high = min(a, b), max(a, b)
    on_path = between(walk.operands, low, high)
    if not on_path:
        raise ValueError(
            f"cannot highlight a path from {names[a]} to {names[b]}: {names[high]} was not computed from "
            f"{names[low]}"
        )
    return set(on_path)
