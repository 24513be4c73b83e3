"""stacks: what a loop does alike at each step, done once for all steps where no step waits for another.

Three things make the programs of loops as fast as those written by hand: ``x[t] @ w`` for all t is one
product, a sum over t of ``x[t].T @ g[t]`` is one product, and elementwise work on the rows of a stack is done
to the stack. The order of sums changes, so results may differ in the last bits.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ..graph import Graph
from ..inference import index_key
from ..nodes import ELEMENTWISE, Node, reachable, users_of
from .joins import unjoined
from .lifting import can_be_lifted, is_view, lifted
from .places import rewritten
from .rows import LARGEST, LEAST, arrays_as_rows, axis_first, row_of, stacked
from .sums import sums


def stacks(graph: Graph, inputs: Sequence[Node], results: Sequence[Node]) -> list[Node]:
    """Do alike work on rows once, on stacks of them."""
    results = arrays_as_rows(graph, results)
    results = sums(graph, results)
    results = Lifting(graph, results).run()
    return rewritten(graph, results, functools.partial(unjoined, graph))


class Stack:
    """Arrays of one shape as the rows of one array.

    Attributes
    ----------
    node, axis
        The array, and the axis along which the rows stand.
    parts
        The rows, if they are not there as one array yet, and are to be stacked.
    top
        The place in the order of creation at which all rows are there.
    first
        The first row that is in the array.
    """

    def __init__(self, node: Node, axis: int, top: float, parts: Sequence[Node] = ()) -> None:
        self.node, self.axis, self.top, self.parts = node, axis, top, parts
        self.first = 0

    def whole(self, graph: Graph, new: dict[Node, Node]) -> Node:
        """The array of the rows from ``first`` on, from the new nodes."""
        if self.parts:
            return stacked(graph, [new[part] for part in self.parts])
        return axis_first(graph, new[self.node], self.axis)


DEPTH = 3
"""How many steps back calls are compared."""

FIXED = frozenset(("input", "const", "array", "full"))


def colours(nodes: Sequence[Node]) -> dict[Node, int]:
    """A number for each node: the same for nodes that are computed alike, as far as some steps back."""
    kinds: dict[Any, int] = {}
    own = {}
    for node in nodes:
        index = index_key(node.value) if node.op == "getitem" else None
        kind = node.op, node.options, node.shape, node.dtype, index
        own[node] = kinds.setdefault(kind, len(kinds))
    found = own
    for _ in range(DEPTH):
        kinds_of_args = ((node, (own[node], *[found[arg] for arg in node.args])) for node in nodes)
        found = {node: kinds.setdefault(kind, len(kinds)) for node, kind in kinds_of_args}
    return found


class Group(Stack):
    """Alike calls, each on the same rows of stacks, which become one call. Views stay as they are: a group of
    views is there for what is computed from them."""

    def __init__(self, node: Node, bases: Sequence[tuple[Stack, int] | None], top: float) -> None:
        super().__init__(node, 0, top)
        self.bases = bases  # for each argument, its stack, and its row in the call for row 0
        self.members: dict[int, Node] = {}
        self.made: Node | None = None

    def is_worth_it(self) -> bool:
        """Whether there are enough members, almost without gaps."""
        count = max(self.members) - min(self.members) + 1
        return len(self.members) >= LEAST and 4 * len(self.members) >= 3 * count

    def whole(self, graph: Graph, new: dict[Node, Node]) -> Node:
        """The call on the stacks, from the new nodes."""
        if self.made is None:
            self.first, count = min(self.members), len(range(min(self.members), max(self.members) + 1))
            operands = []
            for base, arg in zip(self.bases, self.node.args):
                if base is None:
                    operands.append((new[arg], False))
                else:
                    stack, offset = base
                    x = stack.whole(graph, new)
                    start = self.first + offset - stack.first
                    if (start, count) != (0, x.shape[0]):
                        x = graph.getitem(x, slice(start, start + count))
                    operands.append((x, True))
            self.made = lifted(graph, self.node, operands, count)
        return self.made


class Lifting:
    """Finds the calls on rows that become calls on stacks, and puts these in their place."""

    def __init__(self, graph: Graph, results: Sequence[Node]) -> None:
        self.graph, self.results = graph, results
        self.nodes = reachable(results)
        self.users = users_of(self.nodes)
        self.where: dict[Node, tuple[Stack, int]] = {}
        self.groups: list[Group] = []
        self.colours: dict[Node, int] | None = None
        self.limits: dict[Node, float] = {}  # the place in the order until which a node has to be there

    def run(self) -> list[Node]:
        """The results, with calls on stacks. What takes rows of a group may be a group itself."""
        self.find_rows()
        placed = list(self.where)
        while placed or (placed := self.gathered()):
            candidates = {user: None for node in placed for user in self.users[node]}
            found: dict[Any, Group] = {}
            for node in sorted(candidates, key=lambda node: node.index):
                self.enter(node, found)
            placed = []
            for group in found.values():
                if group.is_worth_it():
                    self.groups.append(group)
                    placed.extend(group.members.values())
                    self.where.update((node, (group, row)) for row, node in group.members.items())
        chosen = self.chosen()
        return self.rewritten(chosen) if chosen else list(self.results)

    def find_rows(self) -> None:
        """Note which nodes are rows of others, and which are parts of a stack."""
        known: dict[Any, Stack] = {}
        for node in self.nodes:
            if node.op == "stack" and node.options == (0,) and len(node.args) >= LEAST:
                self.add_stack(node, node.args)
        for node in self.nodes:
            found = row_of(node)
            if found is not None and found[0].shape[found[1]] >= LEAST:
                x, axis, row = found
                stack = known.setdefault((x, axis), Stack(x, axis, x.index))
                self.where[node] = stack, row

    def add_stack(self, node: Node, parts: Sequence[Node]) -> None:
        """Note that nodes are the rows of one array as soon as all are there."""
        stack = Stack(node, 0, max(map(self.turn, parts)), parts)
        for row, part in enumerate(parts):
            self.where.setdefault(part, (stack, row))
            self.limits[part] = min(stack.top, self.limits.get(part, stack.top))

    def turn(self, node: Node) -> float:
        """The place in the order of creation at which a node can be taken: a row right after the last of what
        its group is computed from."""
        stack, _ = self.where.get(node, (None, 0))
        is_taken = type(stack) is Group and not is_view(node)
        return max(node.index, stack.top + 0.5) if stack and is_taken else node.index

    def gathered(self) -> list[Node]:
        """Nodes that are made the rows of new stacks, since what is computed from them is alike, and nobody
        waits for it: the slopes of a loop's functions, which wait for its end."""
        alike: dict[Any, dict[Node, Node]] = {}
        if self.colours is None:
            self.colours = colours(self.nodes)
        for node in self.nodes:
            if node.op not in ELEMENTWISE or node.number or node in self.where:
                continue
            if not 1 < node.size <= LARGEST:
                continue
            fresh = {arg for arg in node.args if arg.shape == node.shape and arg.op not in FIXED}
            if len(fresh) == 1 and not fresh.intersection(self.where):
                (arg,) = fresh
                pattern = tuple(other is arg or other for other in node.args)
                key = node.op, node.shape, node.dtype, pattern, self.colours[arg]
                alike.setdefault(key, {})[arg] = node
        placed: list[Node] = []
        taken: set[Node] = set()  # what will be a row of a group
        for calls in alike.values():
            if not taken.isdisjoint(calls):
                continue
            parts = sorted(calls, key=lambda node: node.index)
            top = max(map(self.turn, parts))
            late = [part for part in parts if self.first_use(calls[part]) > top and part not in self.where]
            if len(late) >= LEAST and 4 * len(late) >= 3 * len(parts):
                self.add_stack(late[0], late)
                placed += late
                taken.update(calls.values())
        return placed

    def first_use(self, node: Node) -> float:
        """The place in the order of creation of the first node that uses this one."""
        return min((user.index for user in self.users[node]), default=float("inf"))

    def enter(self, node: Node, groups: dict[Any, Group]) -> None:
        """Add a call to the calls that are like it, if all may be made when the last of the rows is there."""
        spots = [self.where.get(arg) for arg in node.args]
        real = [spot for spot in spots if spot is not None]
        own = self.where.get(node)
        if own and not own[0].parts:  # it is in a group, or a row of an array
            return
        if not can_be_lifted(node, [spot is not None for spot in spots]):
            return
        if node.op in ELEMENTWISE and node.size > LARGEST:
            return
        top = max(stack.top for stack, _ in real)
        is_late = self.first_use(node) > top and self.limits.get(node, top + 1) > top
        if not is_late and not is_view(node):
            return  # somebody waits for it
        first = real[0][1]
        bases = [spot and (spot[0], spot[1] - first) for spot in spots]
        alike = tuple(base or arg for base, arg in zip(bases, node.args))
        key = node.op, node.options, node.shape, node.dtype, index_key(node.value), alike
        if key not in groups:
            groups[key] = Group(node, bases, top)
        groups[key].members.setdefault(first, node)

    def chosen(self) -> list[Group]:
        """The groups that are not views alone."""
        wanted: set[Stack] = set()
        for group in reversed(self.groups):
            if group in wanted or not is_view(group.node):
                wanted.add(group)
                wanted.update(base[0] for base in group.bases if base is not None)
        return [group for group in self.groups if group in wanted]

    def rewritten(self, chosen: Sequence[Group]) -> list[Node]:
        """The results, with the rows of the groups taken from one call each."""
        graph = self.graph
        new: dict[Node, Node] = {}
        group_of = {
            node: (group, row) for group in chosen for row, node in group.members.items() if not is_view(node)
        }

        for node in sorted(self.nodes, key=lambda node: (self.turn(node), node.index)):
            if node in group_of:
                group, row = group_of[node]
                whole = group.whole(graph, new)
                new[node] = graph.getitem(whole, row - group.first)
            else:
                new[node] = graph.again(node, tuple(new[arg] for arg in node.args))
        return [new[result] for result in self.results]
