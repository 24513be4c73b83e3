"""A recorded graph as plain records: its nodes, how each was made and from what, and what is folded.

The records hold only text and numbers, so they show the moment when they were read and keep no Tensor alive.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite

from .as_text import Value

CHANGED, BEFORE = "changed since", "from before"


@dataclass(slots=True)  # not frozen: a graph has thousands of them, and freezing triples their cost
class ShownNode:
    """One Tensor of the graph, as text. An operand is the index of another node, or the value of a constant.

    `slopes` has the local slope of each operand (None for a constant), and is empty if they were not wanted.
    `box` is the index of the innermost box around the node, -1 outside all boxes. `sign` is Python's operator
    for the operation, None if there is none. `part` is the index in brackets, if the node is a part of its
    operand. `age` is CHANGED if its data were changed after something shown had been computed from them, and
    BEFORE if it was computed from what is no longer there.
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
    part: str = ""
    age: str = ""


@dataclass(slots=True)
class Piece:
    """Several nodes shown as one: a folded box, or what repeats. Its index is that of its last node.

    `times` is how often it repeats, and `each` how many nodes it has each time. `parameters` are the shapes
    of the leaves in it that take a gradient, and `elements` is how many numbers these hold in total. `gives`
    are the nodes in it that nodes outside are made from, and `shapes` those of what it gives, each once. In a
    chain each round takes what another has made.
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
    gives: tuple[int, ...] = ()
    is_named: bool = True
    is_backward: bool = False
    box: int = -1
    is_chain: bool = False
    shapes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Return:
    """What a part that is shown once takes when it runs again, in `times` later rounds: the index of what is
    shown for the operand, and of the node that takes it. In a loop it comes from the round before."""

    operand: int
    node: int
    times: int
    is_loop: bool


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the graph that was named by `scope` and is shown open: the first of `times` equal parts."""

    name: str
    times: int = 1
    parent: int = -1


@dataclass(frozen=True, slots=True)
class Flow:
    """What flows along one edge: its size, and which part of it is above zero.

    The size of a number is its absolute value, and that of an array the root mean square of its elements.
    `above` is the sum of the elements above zero as a fraction of that of all absolute values: 1 if none is
    below, 0 if none is above, and None if all are zero. `text` is a number in few digits; an array has `rms`
    before its size.
    """

    size: float
    above: float | None
    text: str

    @property
    def is_odd(self) -> bool:
        """Whether an element is nan or infinite."""
        return not isfinite(self.size)


@dataclass(frozen=True, slots=True)
class Flows:
    """The flows by what they lead to: of a node by its place among the operands of another, `(7, 0)`; of a
    piece by the index of what is shown for the operand. `arriving` has the whole gradient of each node."""

    edges: Mapping[tuple[int, int], Flow] = field(default_factory=dict)
    pieces: Mapping[tuple[int, int], Flow] = field(default_factory=dict)
    arriving: Mapping[int, Flow] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShownGraph:
    """The nodes shown, creators before what they make; the last one is the Tensor that was drawn.

    `total` counts the nodes of the whole graph. A large graph is cut at its oldest nodes, and `outside` has
    the names of those that are not shown, but are operands of nodes that are. `pieces` stand for many nodes
    each; for the operands in them, `inside` has the index of what is shown instead, their names, and whether
    these are the caller's. `highlighted` are nodes, and `highlighted_edges` pairs of an operand and what was
    made from it. `more` says how to open what is folded. `returns` are what later rounds of equal parts take.
    `flows` are empty unless they were wanted.
    """

    nodes: tuple[ShownNode, ...]
    total: int
    outside: Mapping[int, str]
    pieces: tuple[Piece, ...] = ()
    boxes: tuple[Box, ...] = ()
    inside: Mapping[int, tuple[int, str, bool]] = field(default_factory=dict)
    highlighted: frozenset[int] = frozenset()
    highlighted_edges: frozenset[tuple[int, int]] = frozenset()
    more: str = ""
    returns: tuple[Return, ...] = ()
    flows: Flows = field(default_factory=Flows)

    @property
    def hidden(self) -> int:
        """How many nodes are left out, in pieces or cut off."""
        return self.total - len(self.nodes)

    @property
    def cut(self) -> int:
        """How many of the oldest nodes are cut off, not counting those in pieces."""
        return 0 if self.pieces or self.boxes else self.hidden

    def name(self, index: int) -> str:
        """The name of a node, shown or not, by its index."""
        if index in self.outside:
            return self.outside[index]
        if index in self.inside:
            return self.inside[index][1]
        node = self._shown(index)
        if node is None:
            raise KeyError(index)
        return node.name

    def has_name(self, index: int) -> bool:
        """Whether a node has a name from the caller, and is shown or used by one that is."""
        if index in self.inside:
            return self.inside[index][2]
        node = self._shown(index)
        return index in self.outside or (node is not None and node.is_named)

    def _shown(self, index: int) -> ShownNode | None:
        """The record of a node, None if it is not shown."""
        nodes = self.nodes
        place = index - nodes[0].index  # right unless nodes before it are folded
        if not 0 <= place < len(nodes) or nodes[place].index != index:
            place = bisect_left(nodes, index, key=lambda node: node.index)
        return nodes[place] if place < len(nodes) and nodes[place].index == index else None

    def shown_as(self, index: int) -> int:
        """The index of what is shown for a node: its own, or that of the piece it is in."""
        return self.inside[index][0] if index in self.inside else index

    def items(self) -> list[ShownNode | Piece]:
        """Nodes and pieces in the graph's order."""
        if not self.pieces:
            return list(self.nodes)
        return sorted((*self.nodes, *self.pieces), key=lambda item: item.index)
