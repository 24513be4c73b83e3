"""A recorded graph as plain records: which nodes, in which order, made how, from what.

It works on anything with `data`, `grad`, `creators` and `creation_op`: the package's Tensor and a reader's
own. Nodes are told apart by identity, never by `==` or `in`: on Tensors these compare numbers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...engine.tensor import Tensor
from ...ops.shaping import alias
from . import as_text
from .as_text import Value

NEEDED = ("data", "grad", "creators", "creation_op")
WHOLE = 300  # a graph with more nodes than these is not shown whole unless asked for,
WHOLE_BOXED = 100  # nor one with more than these if boxes were named in it: they say how to fold it;
WINDOW = 60  # what cannot be folded shows as many of its last nodes: what can be read at a page's width


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


@dataclass(slots=True)
class Walk:
    """A graph as it was walked: its nodes, creators first, of each its creators, and the place of each."""

    order: list[Any]
    creators: list[Sequence[Any]]
    place: dict[int, int] = field(default_factory=dict)  # by id

    def operands(self, i: int) -> list[int]:
        """The places of those operands that are nodes."""
        place = self.place
        return [place[id(c)] for c in self.creators[i] if id(c) in place]


def is_node(thing: object) -> bool:
    """Whether a thing can be drawn: it remembers its data, its creators and the operation between them."""
    if type(thing) is Tensor:
        return True
    if isinstance(thing, type):  # a class has the attributes of its objects, but is none
        return False
    # grad is not asked for: on the package's Tensor, looking at it makes an object that stays.
    return hasattr(thing, "creation_op") and hasattr(thing, "creators") and hasattr(thing, "data")


def walk(end: object) -> list[object]:
    """Every node behind `end`, and `end` itself, each once: creators first, in the order of the operands.

    There is no recursion, so a chain of a million operations is no trouble.
    """
    return walked(end).order


def walked(end: object) -> Walk:
    """The same with the creators of each node, which cost something to ask for."""
    order: list[Any] = []
    made: list[Sequence[Any]] = []
    seen: set[int] = set()
    stack: list[Any] = [end]
    done = object()  # stands on the stack above a node whose creators have all been visited
    while stack:
        node = stack.pop()
        if node is done:
            order.append(stack.pop())
            made.append(stack.pop())
        elif id(node) not in seen:
            seen.add(id(node))
            creators = creators_of(node)
            if creators:
                stack.append(creators)
                stack.append(node)
                stack.append(done)
                stack.extend(c for c in reversed(creators) if id(c) not in seen and is_node(c))
            else:
                order.append(node)
                made.append(())
    return Walk(order, made, {id(node): i for i, node in enumerate(order)})


def creators_of(node: object) -> Sequence[object]:
    """The operands of a node in order, empty for a leaf.

    Raises
    ------
    TypeError
        If `creators` is neither None nor a tuple or list: a lone Tensor, say, where `(x,)` was meant.
    """
    creators = node.creators  # type: ignore[attr-defined]
    if creators is None:
        return ()
    if type(creators) is tuple or isinstance(creators, (tuple, list)):
        if any(type(c) is Tensor and c.creation_op is alias for c in creators):
            return tuple(map(itself, creators))
        return creators
    raise TypeError(
        f"the creators of a node with data {as_text.read(node).line} are of type {type(creators).__name__}: "
        "give None for a leaf, else a tuple or list of the operands in order, such as (x, y) or (x,)"
    )


def itself(node: Any) -> Any:
    """The Tensor that an alias, or an alias of an alias, stands for; any other node as it is."""
    while type(node) is Tensor and node.creation_op is alias:
        node = node._x
    return node


def is_backward(node: Any) -> bool:
    """Whether a recorded walk back made this node, and not the calculation itself."""
    group = getattr(node, "_group", None)
    while group is not None:
        if group.is_backward:
            return True
        group = group.parent
    return False
