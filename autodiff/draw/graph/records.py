"""A recorded graph as plain records: which nodes, in which order, made how, from what.

Everything is text and numbers, so a record shows the moment when it was read and keeps no Tensor alive.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field

from .as_text import Value


@dataclass(slots=True)  # not frozen: a graph has thousands of them, and freezing triples their cost
class Node:
    """One Tensor of the graph, as text. An operand is another node's index, or a constant's value.

    `slopes` has the local slope of each operand, None for a constant's, and is empty where none was asked
    for. `box` is the index of the box the node lies in, -1 outside all. `sign` is Python's operator for the
    operation, None if it has none.
    """

    index: int
    name: str
    is_named: bool
    operation: str | None
    operands: tuple[int | Value, ...]
    data: Value
    grad: Value
    is_quiet: bool
    is_backward: bool = False
    slopes: tuple[Value | None, ...] = ()
    box: int = -1
    sign: str | None = None


@dataclass(slots=True)
class Piece:
    """Several nodes shown as one: a folded box, or what repeats. Its index is that of its last node.

    `times` says how often it is there, `each` how many nodes it has each time. `parameters` are the shapes of
    the leaves in it that want a gradient, `elements` how many numbers these hold, all times together.
    """

    index: int
    name: str
    count: int
    times: int
    each: int
    operations: tuple[tuple[str, int], ...]
    parameters: tuple[str, ...]
    elements: int
    operands: tuple[int, ...]
    gives: tuple[int, ...] = ()  # its nodes that others are made from
    is_named: bool = True
    is_backward: bool = False
    box: int = -1


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the graph that was named by `scope` and is shown open; `times` others are just like it."""

    name: str
    times: int = 1
    parent: int = -1


@dataclass(frozen=True, slots=True)
class Graph:
    """The nodes shown, creators before what they make; the last one is the Tensor that was drawn.

    `total` counts the nodes of the whole graph, and `outside` names those that are not shown but are operands
    of some that are: a large graph is cut at its old end. `pieces` stand for many nodes each; `inside` has,
    for the operands in them, what they are shown as and their names. `lit` holds the indices of what is
    highlighted: nodes, and pairs of an operand and what was made from it. `more` says how a folded graph is
    opened.
    """

    nodes: tuple[Node, ...]
    total: int
    outside: Mapping[int, str]
    pieces: tuple[Piece, ...] = ()
    boxes: tuple[Box, ...] = ()
    inside: Mapping[int, tuple[int, str]] = field(default_factory=dict)
    lit: frozenset[int] = frozenset()
    lit_edges: frozenset[tuple[int, int]] = frozenset()
    more: str = ""

    @property
    def hidden(self) -> int:
        """How many nodes are left out, in pieces or cut off."""
        return self.total - len(self.nodes)

    @property
    def cut(self) -> int:
        """How many of the oldest nodes are cut off, and stand in no piece."""
        return 0 if self.pieces or self.boxes else self.hidden

    def name(self, index: int) -> str:
        """The name of a node, shown or not, by its index."""
        if index in self.outside:
            return self.outside[index]
        if index in self.inside:
            return self.inside[index][1]
        place = bisect_left(self.nodes, index, key=lambda node: node.index)
        if place < len(self.nodes) and self.nodes[place].index == index:
            return self.nodes[place].name
        raise KeyError(index)

    def at(self, index: int) -> int:
        """The index of what a node is shown as: its own, or that of the piece it is in."""
        return self.inside[index][0] if index in self.inside else index

    def items(self) -> list[Node | Piece]:
        """Nodes and pieces in the graph's order."""
        if not self.pieces:
            return list(self.nodes)
        return sorted((*self.nodes, *self.pieces), key=lambda item: item.index)
