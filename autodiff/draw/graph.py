"""A recorded graph as plain records: which nodes, in which order, made how, from what.

It works on anything with `data`, `grad`, `creators` and `creation_op`: the package's Tensor and a reader's
own. Nodes are told apart by identity, never by `==` or `in`: on Tensors these compare numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from . import values
from .values import Value

NEEDED = ("data", "grad", "creators", "creation_op")
WHOLE = 300  # a graph with more nodes than these is not shown whole unless asked for,
WINDOW = 60  # but as many of its last nodes: what can still be read at a page's width
PREFIXES = ("v", "t", "node")  # of the stand-ins for names; the first that no name in the graph looks like


@dataclass(frozen=True, slots=True)
class Node:
    """One Tensor of the graph, as text. An operand is another node's index, or a constant's value."""

    index: int
    name: str
    is_named: bool
    operation: str | None
    operands: tuple[int | Value, ...]
    data: Value
    grad: Value
    is_quiet: bool


@dataclass(frozen=True, slots=True)
class Graph:
    """The nodes shown, creators before what they make; the last one is the Tensor that was drawn.

    `total` counts the nodes of the whole graph, and `outside` names those that are not shown but are operands
    of some that are: a large graph is cut at its old end.
    """

    nodes: tuple[Node, ...]
    total: int
    outside: Mapping[int, str]

    @property
    def hidden(self) -> int:
        """How many nodes are left out."""
        return self.total - len(self.nodes)

    def name(self, index: int) -> str:
        """The name of a node, shown or not, by its index."""
        return self.nodes[index - self.hidden].name if index >= self.hidden else self.outside[index]


def is_node(thing: object) -> bool:
    """Whether a thing can be drawn: it remembers its data, its creators and the operation between them."""
    if isinstance(thing, type):  # a class has the attributes of its objects, but is none
        return False
    # grad is not asked for: on the package's Tensor, looking at it makes an object that stays.
    return hasattr(thing, "creation_op") and hasattr(thing, "creators") and hasattr(thing, "data")


def walk(end: object) -> list[object]:
    """Every node behind `end`, and `end` itself, each once: creators first, in the order of the operands.

    There is no recursion, so a chain of a million operations is no trouble.
    """
    order: list[object] = []
    seen: set[int] = set()
    stack: list[object] = [end]
    done = object()  # stands on the stack above a node whose creators have all been visited
    while stack:
        node = stack.pop()
        if node is done:
            order.append(stack.pop())
        elif id(node) not in seen:
            seen.add(id(node))
            creators = creators_of(node)
            if creators:
                stack.append(node)
                stack.append(done)
                stack.extend(c for c in reversed(creators) if is_node(c))
            else:
                order.append(node)
    return order


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
        return creators
    raise TypeError(
        f"the creators of a node with data {values.read(node).line} are of type {type(creators).__name__}: "
        "give None for a leaf, else a tuple or list of the operands in order, such as (x, y) or (x,)"
    )


def read(
    end: object, find_names: Callable[[Sequence[object]], Mapping[int, str]], limit: int | None
) -> Graph:
    """The graph of `end` as plain records: its last `limit` nodes, or what a page can hold.

    `find_names` is given the nodes that need a name and returns those it found, by `id`.
    """
    order = walk(end)
    if limit is None:
        limit = WHOLE if len(order) <= WHOLE else WINDOW
    hidden = max(0, len(order) - limit)
    shown = order[hidden:]
    index = {id(node): hidden + i for i, node in enumerate(shown)}
    cut = {id(c): c for node in shown for c in creators_of(node) if id(c) not in index and is_node(c)}
    if cut:
        index.update((id(node), i) for i, node in enumerate(order[:hidden]) if id(node) in cut)
    given = find_names([*shown, *cut.values()])
    stand_in = _stand_in(given)

    def name(node: object) -> str:
        return given.get(id(node)) or f"{stand_in}{index[id(node)]}"

    def record(node: object) -> Node:
        creators = creators_of(node)
        operation = values.attribute(node, "creation_op")
        return Node(
            index=index[id(node)],
            name=name(node),
            is_named=id(node) in given,
            operation=("?" if operation is None else values.word(operation)) if creators else None,
            operands=tuple(index[id(c)] if id(c) in index else values.read(c) for c in creators),
            data=values.read(values.attribute(node, "data")),
            grad=values.read(values.attribute(node, "grad")),
            is_quiet=values.attribute(node, "requires_grad") is False,
        )

    return Graph(
        nodes=tuple(record(node) for node in shown),
        total=len(order),
        outside={index[id(node)]: name(node) for node in cut.values()},
    )


def _stand_in(given: Mapping[int, str]) -> str:
    def is_free(prefix: str) -> bool:
        return not any(n.startswith(prefix) and n[len(prefix) :].isdigit() for n in given.values())

    return next((prefix for prefix in PREFIXES if is_free(prefix)), "unnamed")
