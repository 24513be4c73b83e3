"""The parts of a graph that the caller named with `scope`, and which of them are equal.

A part becomes a box that is shown open or as one node. Parts with the same operations, connected in the same
way, are copies of each other, and the first stands for all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from ...engine.node_parts import blocks_around
from . import as_text
from .caller import Scope
from .names import find_names
from .signs import OperationTexts
from .walk import Walk

LEAST = 4  # rounds of a loop, or equal boxes in line; fewer are easier to read one by one


@dataclass(slots=True, eq=False)
class ShownPart:
    """A named part of a graph: its own nodes and the parts in it. `copies` are the parts just like it, which
    ran later; in a chain of them each takes what another has made."""

    name: str
    parent: ShownPart | None
    level: int = 0
    nodes: list[int] = field(default_factory=list)
    parts: list[ShownPart] = field(default_factory=list)
    copies: list[ShownPart] = field(default_factory=list)
    is_chain: bool = False

    @property
    def title(self) -> str:
        """Its name, and with copies also that of the last of them: `neuron 0 ... neuron 15`."""
        last = self.copies[-1].name if self.copies else self.name
        return self.name if last == self.name else f"{self.name} \N{HORIZONTAL ELLIPSIS} {last}"

    def all_nodes(self) -> list[int]:
        """Its nodes and those of the parts in it, in the graph's order."""
        found, stack = list(self.nodes), list(self.parts)
        while stack:
            part = stack.pop()
            found += part.nodes
            stack += part.parts
        return sorted(found)


class Label(NamedTuple):
    """What makes one node like another; a leaf has no operation."""

    operation: str
    shape: tuple[int, ...]
    operand_count: int


class Parts:
    """All parts of one graph, and for each node the part that it lies in."""

    def __init__(self, walk: Walk, scope: Scope | None) -> None:
        """Find the parts. The scope says which leaves have a variable of their own; it is None if there are
        no parts."""
        self.walk = walk
        self.total = len(walk.order)
        self.operands = [walk.operands(i) for i in range(self.total)]
        self.labels = labels(walk)
        self.same = list(range(self.total))  # for each node the one that is shown for it if parts are equal
        self.outer: list[ShownPart] = []
        self.part: list[ShownPart | None] = [None] * self.total
        self.deepest = 0
        self.loose: list[int] = []  # leaves that go to where they are used
        if scope is not None:
            self._find_parts()
            self.loose = self._loose_leaves(scope)
        self.around_end = path_to(self.part[-1])

    def _find_parts(self) -> None:
        known: dict[int, ShownPart | None] = {}
        for i, node in enumerate(self.walk.order):
            part = self._part_of(getattr(node, "_group", None), known)
            if part is not None:
                self.part[i] = part
                part.nodes.append(i)

    def _part_of(self, group: Any, known: dict[int, ShownPart | None]) -> ShownPart | None:
        """The part for a recorded group, or the one around it if the group has no name."""
        if group is None:
            return None
        if id(group) not in known:
            around = self._part_of(group.parent, known)
            if not group.name:
                known[id(group)] = around
            else:
                part = known[id(group)] = ShownPart(group.name, around, around.level + 1 if around else 1)
                self.deepest = max(self.deepest, part.level)
                (around.parts if around else self.outer).append(part)
        return known[id(group)]

    def _loose_leaves(self, scope: Scope) -> list[int]:
        """The leaves outside all parts, except those with a variable of their own; `W[2]` and `net.b` are not
        such variables."""
        names = find_names(self.walk.order, scope)
        return [
            i
            for i, node in enumerate(self.walk.order)
            if not self.walk.creators[i] and self.part[i] is None and not _is_plain(names.get(id(node), "."))
        ]

    def holds_the_end(self, part: ShownPart) -> bool:
        """Whether a part contains the graph's last node, which is always shown."""
        return any(part is other for other in self.around_end)

    def shown_as(self, i: int) -> int:
        """The node that is shown for this one: itself, or the one like it in the first of equal parts."""
        while self.same[i] != i:
            i = self.same[i]
        return i

    def settle(self) -> None:
        """Put each loose leaf into the innermost part that contains all its users."""
        loose, self.loose = self.loose, []
        users: dict[int, list[tuple[int, int]]] = {j: [] for j in loose}
        for i, operands in enumerate(self.operands):
            for place, j in enumerate(operands):
                if j in users:
                    users[j].append((self.shown_as(i), place))
        for j, uses in users.items():
            paths = [path_to(self.part[i]) for i, _ in uses]
            for level in zip(*paths):
                if any(part is not level[0] for part in level):
                    break
                self.part[j] = level[0]
            like = {self.operands[i][place] for i, place in uses}
            if len(like) == 1:  # the leaf of an equal part is shown as the leaf of the first one
                self.same[j] = like.pop()

    def merge(self, chosen: Container[int] = ()) -> None:
        """Let the first of several equal parts inside one part stand for the others. Parts that are chosen by
        `id` are not taken for equal to those that are not."""
        self.outer = self._merged(self.outer, chosen)

    def _merged(self, parts: list[ShownPart], chosen: Container[int]) -> list[ShownPart]:
        """The parts that stand for themselves; the others become copies of these."""
        kinds: dict[Any, list[ShownPart]] = {}
        for part in parts:
            kind = id(part) if self.holds_the_end(part) else (self._signature(part), id(part) in chosen)
            kinds.setdefault(kind, []).append(part)
        copies: set[int] = set()
        for equal in [group for like in kinds.values() for group in self._by_weights(like)]:
            # What another needs ends before it, though an input of it may come earlier in the walk.
            first, *others = sorted(equal, key=lambda part: part.all_nodes()[-1])
            is_chain = bool(others) and self._takers(equal) == len(others)
            if not others or (self._are_in_line(equal) and not (is_chain and len(equal) >= LEAST)):
                continue
            nodes = self._in_turn(first)
            for other in others:
                copies.add(id(other))
                for i, j in zip(nodes, self._in_turn(other)):
                    self.same[j] = i
            first.copies, first.is_chain = others, is_chain
        stay = [part for part in parts if id(part) not in copies]
        for part in stay:
            part.parts = self._merged(part.parts, chosen)
        return stay

    def _signature(self, part: ShownPart) -> Any:
        """A key that is equal for equal parts: operations, shapes, connections, and names without numbers."""
        nodes = self._in_turn(part)
        at = {i: k for k, i in enumerate(nodes)}
        inner = tuple(without_numbers(p.name) for i in nodes for p in path_to(self.part[i])[part.level :])
        wires = tuple((self.labels[i], *(at.get(j, -1) for j in self.operands[i])) for i in nodes)
        return without_numbers(part.name), inner, wires

    def _by_weights(self, equal: list[ShownPart]) -> list[list[ShownPart]]:
        """Equal parts by the leaves outside that they share: two cells that are each called for many inputs
        are told apart by their weights."""
        leaves = [
            {j for i in part.all_nodes() for j in self.operands[i] if not self.operands[j]}
            for part in equal
        ]
        uses = Counter(j for used in leaves for j in used)
        groups: dict[frozenset[int], list[ShownPart]] = {}
        for part, used in zip(equal, leaves):
            shared = frozenset(j for j in used if 1 < uses[j] < len(equal))
            groups.setdefault(shared, []).append(part)
        return list(groups.values()) if min(map(len, groups.values())) > 1 else [equal]

    def _in_turn(self, part: ShownPart) -> list[int]:
        """The nodes of a part, creators first, in an order that what is outside has no say in."""
        nodes = part.all_nodes()
        inside = set(nodes)
        used = {j for i in nodes for j in self.operands[i]}
        order: list[int] = []
        seen: set[int] = set()
        stack = [(i, False) for i in nodes[::-1] if i not in used]
        while stack:
            i, is_done = stack.pop()
            if is_done:
                order.append(i)
            elif i not in seen:
                seen.add(i)
                stack.append((i, True))
                stack += [(j, False) for j in self.operands[i][::-1] if j in inside]
        return order

    def _are_in_line(self, parts: list[ShownPart]) -> bool:
        """Whether one of these parts needs what another has made, directly or not, as the layers of a network
        do."""
        inside = {i: k for k, part in enumerate(parts) for i in part.all_nodes()}
        behind: dict[int, set[int]] = {}  # two of the parts that a node was made from tell enough
        for i in range(min(inside), max(inside) + 1):
            sources = {k for j in self.operands[i] for k in behind.get(j, ())}
            if i in inside:
                if sources - {inside[i]}:
                    return True
                sources = {inside[i]} if self.operands[i] else set()
            if sources:
                behind[i] = set(islice(sources, 2))
        return False

    def _takers(self, parts: list[ShownPart]) -> int:
        """How many of these parts take what another has made, with nothing between them."""
        inside = {i: k for k, part in enumerate(parts) for i in part.all_nodes()}
        return len({
            k
            for i, k in inside.items()
            for j in self.operands[i]
            if inside.get(j, k) != k and self.operands[j]
        })  # fmt: skip


def are_boxed(nodes: Sequence[Any]) -> bool:
    """Whether some node was recorded in a named part of the graph."""
    return any(group.name for node in nodes for group in blocks_around(getattr(node, "_group", None)))


def labels(walk: Walk) -> list[Label]:
    """The labels of all nodes."""
    names = operation_names(walk, range(len(walk.order)))
    return [
        Label(name if creators else "", shape(node), len(creators))
        for name, node, creators in zip(names, walk.order, walk.creators)
    ]


def operation_names(walk: Walk, nodes: Iterable[int]) -> Iterator[str]:
    """The name of the operation that made each of these nodes."""
    texts = OperationTexts()
    return (texts.name_and_sign(walk.operation(i))[0] for i in nodes)


def shape(node: Any) -> tuple[int, ...]:
    """The shape of what a node holds: `()` for a number."""
    data = as_text.attribute(node, "data")
    return () if type(data) is float else getattr(data, "shape", ())


def path_to(part: ShownPart | None) -> list[ShownPart]:
    """The parts around a node, from the outermost to its own."""
    path = []
    while part is not None:
        path.append(part)
        part = part.parent
    return path[::-1]


def without_numbers(name: str) -> str:
    """A name with its numbers masked: `neuron 3` and `neuron 4` become the same."""
    return re.sub(r"\d+", "#", name)


def _is_plain(name: str) -> bool:
    return "." not in name and "[" not in name
