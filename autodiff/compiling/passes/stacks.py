"""stacks: what a loop does alike at each step, done once for all steps where no step waits for another.

Three things make the array programs of loops as fast as those written by hand: ``x[t] @ w`` for all t is one
product, a sum over t of ``x[t].T @ g[t]`` is one product, and elementwise work on the rows of a stack is done to
the stack. The order of sums changes, so results may differ in the last bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..graph import Graph
from ..inference import index_key
from ..nodes import ELEMENTWISE, Node, reachable, users_of
from .joins import joins
from .lifting import can_be_lifted, is_view, lifted
from .rows import LEAST, arrays_as_rows, axis_first, row_of, stacked
from .sums import sums

LARGEST = 1 << 14
"""The number of elements up to which elementwise work on rows is done to a stack: larger rows are better worked
on while they are in the cache."""


def stacks(graph: Graph, inputs: Sequence[Node], results: Sequence[Node]) -> list[Node]:
    """Do alike work on rows once, on stacks of them."""
    results = arrays_as_rows(graph, results)
    results = sums(graph, results)
    results = Lifting(graph, results).run()
    return joins(graph, inputs, results)


class Stack:
    """Arrays of one shape as the rows of one array: the rows of a node, or parts that are stacked.

    ``top`` is the place in the order of creation at which all rows are there.
    """

    def __init__(self, node: Node, axis: int, top: int) -> None:
        self.node, self.axis, self.top = node, axis, top
        self.first = 0

    def whole(self, graph: Graph, new: dict[Node, Node]) -> Node:
        """The array of the rows from ``first`` on, from the new nodes."""
        if self.axis >= 0:
            return axis_first(graph, new[self.node], self.axis)
        return stacked(graph, [new[part] for part in self.node.args])


class Group(Stack):
    """Alike calls, each on the same rows of stacks, which become one call."""

    def __init__(self, node: Node, bases: Sequence[tuple[Stack, int] | None], top: int) -> None:
        super().__init__(node, 0, top)
        self.bases = bases  # for each argument, its stack, and its row in the call for row 0
        self.members: dict[int, Node] = {}
        self.made: Node | None = None

    def is_valid(self) -> bool:
        """Whether there are enough members, almost without gaps, of groups that are valid."""
        first, last = min(self.members), max(self.members)
        count = last - first + 1
        return (
            len(self.members) >= LEAST and 4 * len(self.members) >= 3 * count
            and all(base is None or base[0].node is not None for base in self.bases)
        )  # fmt: skip

    def whole(self, graph: Graph, new: dict[Node, Node]) -> Node:
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
        self.groups: dict[Any, Group] = {}

    def run(self) -> list[Node]:
        """The results, with calls on stacks."""
        self.find_rows()
        for node in self.nodes:
            if node.args:
                self.enter(node)
        chosen = self.chosen()
        return self.rewritten(chosen) if chosen else list(self.results)

    def find_rows(self) -> None:
        """Note which nodes are rows of others, and which are parts of a stack."""
        known: dict[Any, Stack] = {}
        for node in self.nodes:
            if node.op == "stack" and node.options == (0,) and len(node.args) >= LEAST:
                stack = Stack(node, -1, max(arg.index for arg in node.args))
                for row, arg in enumerate(node.args):
                    self.where.setdefault(arg, (stack, row))
        for node in self.nodes:
            found = row_of(node)
            if found is not None and found[0].shape[found[1]] >= LEAST:
                x, axis, row = found
                stack = known.setdefault((x, axis), Stack(x, axis, x.index))
                self.where[node] = stack, row

    def enter(self, node: Node) -> None:
        """Add a call to the calls that are like it."""
        spots = [self.where.get(arg) for arg in node.args]
        real = [spot for spot in spots if spot is not None]
        own = self.where.get(node)
        if not real or (own and own[0].axis >= 0):
            return
        if not can_be_lifted(node, [spot is not None for spot in spots]):
            return
        if node.op in ELEMENTWISE and node.size > LARGEST:
            return
        top = max(stack.top for stack, _ in real)
        if min((user.index for user in self.users[node]), default=top + 1) <= top or (own and top > own[0].top):
            return  # somebody waits for it
        first = real[0][1]
        bases = [spot and (spot[0], spot[1] - first) for spot in spots]
        alike = tuple(base or arg for base, arg in zip(bases, node.args))
        key = node.op, node.options, node.shape, node.dtype, index_key(node.value), alike
        group = self.groups.get(key)
        if group is None:
            group = self.groups[key] = Group(node, bases, top)
        if first not in group.members:
            group.members[first] = node
            self.where[node] = group, first

    def chosen(self) -> list[Group]:
        """The groups that are worth it: with enough members, and not views alone."""
        valid: set[Stack] = set()
        for group in self.groups.values():
            bases = [base[0] for base in group.bases if base is not None]
            if group.is_valid() and all(type(base) is Stack or base in valid for base in bases):
                valid.add(group)
        wanted: set[Stack] = set()
        for group in reversed(self.groups.values()):
            if group in valid and (group in wanted or not is_view(group.node)):
                wanted.add(group)
                wanted.update(base[0] for base in group.bases if base is not None)
        return [group for group in self.groups.values() if group in wanted]

    def rewritten(self, chosen: Sequence[Group]) -> list[Node]:
        """The results, with the rows of the groups taken from one call each."""
        graph, new = self.graph, {}
        group_of = {node: (group, row) for group in chosen for row, node in group.members.items()}

        def turn(node: Node) -> tuple[int, int]:  # a row can be taken when all rows are there
            found = group_of.get(node)
            return (max(node.index, found[0].top) if found else node.index), node.index

        for node in sorted(self.nodes, key=turn):
            if node in group_of:
                group, row = group_of[node]
                whole = group.whole(graph, new)
                new[node] = graph.getitem(whole, row - group.first)
            else:
                new[node] = graph.again(node, tuple(new[arg] for arg in node.args))
        return [new[result] for result in self.results]
