"""The walk over a recorded graph: which nodes there are, in which order, and what each was made from.

It works on anything with `data`, `grad`, `creators` and `creation_op`: the package's Tensor and a reader's
own. Nodes are told apart by identity, never by `==` or `in`: on Tensors these compare numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ...engine.node_parts import blocks_around
from ...engine.tensor import Tensor
from ...ops.shaping import alias
from . import as_text

NEEDED = ("data", "grad", "creators", "creation_op")


@dataclass(slots=True)
class Walk:
    """The nodes behind one end, creators before what they make, so that the end comes last.

    `creators` holds the operands of each node, and `index` the position of each node in the order, by `id`.
    """

    order: list[Any]
    creators: list[Sequence[Any]]
    index: dict[int, int]
    _operands: dict[int, list[int]] = field(default_factory=dict)  # those that were looked up

    @property
    def end(self) -> int:
        """The index of the last node, from which the walk began."""
        return len(self.order) - 1

    def operands(self, i: int) -> list[int]:
        """The indices of those operands of a node that are nodes themselves."""
        found = self._operands.get(i)
        if found is None:
            index = self.index
            found = self._operands[i] = [index[id(c)] for c in self.creators[i] if id(c) in index]
        return found

    def places(self, i: int) -> list[tuple[int, int]]:
        """The same operands as pairs: the place among all operands, and the index of the node there."""
        index = self.index
        return [(place, index[id(c)]) for place, c in enumerate(self.creators[i]) if id(c) in index]

    def twin(self, i: int, place: int) -> int | None:
        """How many earlier places of a node hold the same operand; None if no other place does.

        For the two operands of `x * x` that is 0 and 1.
        """
        creators = self.creators[i]
        same = [k for k, c in enumerate(creators) if c is creators[place]]
        return same.index(place) if len(same) > 1 else None

    def operation(self, i: int) -> object:
        """The operation that made a node, as the node keeps it; None for a leaf."""
        if not self.creators[i]:
            return None
        node = self.order[i]
        return node.creation_op if type(node) is Tensor else as_text.attribute(node, "creation_op")

    def is_constant(self, i: int) -> bool:
        """Whether a node takes no gradient."""
        return is_constant(self.order[i])

    def data(self, i: int) -> Any:
        """The number or array that a node holds."""
        return plain(self.order[i].data)


def walk(end: object) -> Walk:
    """Visit every node behind `end`, and `end` itself, each once: creators first, in the operands' order.

    There is no recursion, so a chain of a million operations is no trouble.
    """
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
                stack += [c for c in creators[::-1] if id(c) not in seen and is_node(c)]
            else:
                order.append(node)
                made.append(())
    return Walk(order, made, {id(node): i for i, node in enumerate(order)})


def longest_first(walked: Walk) -> Walk:
    """The same nodes in another order: of a node's operands, the one with the longest calculation behind it
    is visited first. So the rounds of a loop come in the order in which they ran.

    >>> import autodiff as ad
    >>> h = ad.Tensor(0.0, name="h0")
    >>> for k in range(2):
    ...     h = ad.Tensor(1.0, name=f"x{k}") * h
    >>> [[node.name for node in w.order if node.name] for w in (walk(h), longest_first(walk(h)))]
    [['x1', 'x0', 'h0'], ['x0', 'h0', 'x1']]
    """
    depth: list[int] = []
    turned: list[list[int]] = []
    for i in range(len(walked.order)):
        operands = walked.operands(i)
        behind = [depth[j] for j in operands]
        depth.append(1 + max(behind, default=-1))
        is_sorted = all(one >= other for one, other in pairwise(behind))
        turned.append(operands if is_sorted else sorted(operands, key=lambda j: -depth[j]))
    order = creators_first(walked.end, turned)
    nodes = [walked.order[i] for i in order]
    index = {id(node): i for i, node in enumerate(nodes)}
    return Walk(nodes, [walked.creators[i] for i in order], index)


def creators_first(end: int, operands: Sequence[Sequence[int]]) -> list[int]:
    """The indices behind one, and that itself, each once and after those it is made from.

    >>> creators_first(3, [[], [0], [], [2, 1]])
    [2, 0, 1, 3]
    """
    order: list[int] = []
    seen: set[int] = set()
    stack = [end]
    while stack:
        i = stack.pop()
        if i < 0:
            order.append(~i)  # all that it is made from has been visited
        elif i not in seen:
            seen.add(i)
            stack.append(~i)
            stack += reversed(operands[i])
    return order


def between(operands: Callable[[int], Iterable[int]], start: int, end: int) -> list[int]:
    """The nodes on all paths from `start` to `end`, both included; an empty list if there is no path.

    Nodes are given by their index, and `operands` says from which nodes one was made.

    >>> operands = {0: [], 1: [0], 2: [], 3: [1, 2], 4: [0, 3]}
    >>> between(operands.__getitem__, 1, 4), between(operands.__getitem__, 1, 2)
    ([1, 3, 4], [])
    """
    reached = {start}  # what was made from the start, directly or not
    for i in range(start + 1, end + 1):
        if any(j in reached for j in operands(i)):
            reached.add(i)
    if end not in reached:
        return []
    on_path = {end}
    for i in range(end, start, -1):
        if i in on_path:
            on_path.update(j for j in operands(i) if j in reached)
    return sorted(on_path)


def is_node(thing: object) -> bool:
    """Whether a thing can be drawn: it has data, creators and the operation between them."""
    if type(thing) is Tensor:
        return True
    if isinstance(thing, type):  # a class has the attributes of its objects, but is not one
        return False
    # `grad` is left out: on the package's Tensor, looking at it makes an object that stays.
    return hasattr(thing, "creation_op") and hasattr(thing, "creators") and hasattr(thing, "data")


def check_node(thing: object, caller: str, what: str) -> None:
    """Raise TypeError, in the name of the function `caller`, unless `thing` is a node of a graph."""
    if is_node(thing):
        return
    needed = f"{caller} needs {what}: a Tensor, or an object with {', '.join(NEEDED)}"
    if isinstance(thing, type):
        raise TypeError(f"{needed}; {thing.__name__} is a class: give it an object of the class")
    missing = ", ".join(name for name in NEEDED if not hasattr(thing, name))
    raise TypeError(f"{needed}; {as_text.word(thing)} is of type {type(thing).__name__} and has no {missing}")


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
        for c in creators:
            if type(c) is Tensor and c.creation_op is alias:
                return tuple(map(_behind_aliases, creators))
        return creators
    raise TypeError(
        f"the creators of a node with data {as_text.value_of(node).line} are of type "
        f"{type(creators).__name__}: give None for a leaf, else a tuple or list of the operands in order, "
        "such as (x, y) or (x,)"
    )


def _behind_aliases(node: Any) -> Any:
    """The Tensor that an alias, or an alias of an alias, stands for; any other node as it is."""
    while type(node) is Tensor and node.creation_op is alias:
        node = node._x
    return node


def is_constant(node: object) -> bool:
    """Whether a node takes no gradient."""
    return as_text.attribute(node, "requires_grad") is False


def is_backward(node: Any) -> bool:
    """Whether a recorded backward pass made this node, and not the calculation itself."""
    return any(group.is_backward for group in blocks_around(getattr(node, "_group", None)))


def plain(data: Any) -> Any:
    """The number or array behind whatever a node keeps as its data."""
    return plain(data.data) if is_node(data) else data
