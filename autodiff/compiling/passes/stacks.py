"""stacks: calls that a loop repeats at each step become one call for all steps, where no step depends on
another.

Three changes make the programs of loops as fast as those written by hand: ``x[t] @ w`` for all t is one
product, a sum over t of ``x[t].T @ g[t]`` is one product, and elementwise calls on the rows of a stack are
one call on the stack. The order of sums changes, so results may differ in the last bits.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ..graph import ProgramGraph
from ..inference import index_key
from ..nodes import ELEMENTWISE, LEAVES, ProgramNode, reachable, users_of
from .joins import unjoined
from .lifting import can_be_lifted, is_view, lifted
from .places import rewritten
from .rows import LARGEST, LEAST, arrays_as_rows, axis_first, row_of, stacked
from .sums import sums


def stacks(
    graph: ProgramGraph, inputs: Sequence[ProgramNode], results: Sequence[ProgramNode]
) -> list[ProgramNode]:
    """Replace alike calls on rows by one call on a stack of the rows."""
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
        The rows, if no array holds them yet and they are to be stacked.
    top
        The place in the order of creation from which on all rows are computed.
    first
        The first row that is in the array.
    """

    def __init__(self, node: ProgramNode, axis: int, top: float, parts: Sequence[ProgramNode] = ()) -> None:
        self.node, self.axis, self.top, self.parts = node, axis, top, parts
        self.first = 0

    def whole(self, graph: ProgramGraph, new: dict[ProgramNode, ProgramNode]) -> ProgramNode:
        """The array of the rows from ``first`` on, from the new nodes."""
        if self.parts:
            return stacked(graph, [new[part] for part in self.parts])
        return axis_first(graph, new[self.node], self.axis)


DEPTH = 3
"""How many steps back calls are compared."""


def colours(nodes: Sequence[ProgramNode]) -> dict[ProgramNode, int]:
    """A number for each node, which is the same for nodes whose last ``DEPTH`` steps are alike."""
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


class CallGroup(Stack):
    """Alike calls on the rows of stacks, which become one call. A group of views is replaced only inside the
    calls that are computed from it; the views themselves stay as they are."""

    def __init__(self, node: ProgramNode, bases: Sequence[tuple[Stack, int] | None], top: float) -> None:
        super().__init__(node, 0, top)
        self.bases = bases  # for each argument, its stack, and how far its row lies after that of the member
        self.members: dict[int, ProgramNode] = {}
        self.made: ProgramNode | None = None

    def is_worth_it(self) -> bool:
        """Whether there are enough members, almost without gaps."""
        count = max(self.members) - min(self.members) + 1
        return len(self.members) >= LEAST and 4 * len(self.members) >= 3 * count

    def whole(self, graph: ProgramGraph, new: dict[ProgramNode, ProgramNode]) -> ProgramNode:
        """The call on the stacks, from the new nodes."""
        if self.made is None:
            self.first, count = min(self.members), max(self.members) - min(self.members) + 1
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
    """Finds the calls on rows that can become calls on stacks, and replaces them."""

    def __init__(self, graph: ProgramGraph, results: Sequence[ProgramNode]) -> None:
        self.graph, self.results = graph, results
        self.nodes = reachable(results)
        self.users = users_of(self.nodes)
        self.where: dict[ProgramNode, tuple[Stack, int]] = {}
        self.groups: list[CallGroup] = []
        self.colours: dict[ProgramNode, int] | None = None
        self.limits: dict[ProgramNode, float] = {}  # the place in the order by which a node is needed

    def run(self) -> list[ProgramNode]:
        """The results, with calls on stacks. Calls on the rows of a group may be a group themselves."""
        self.find_rows()
        placed = list(self.where)
        while placed or (placed := self.gathered()):
            candidates = {user: None for node in placed for user in self.users[node]}
            found: dict[Any, CallGroup] = {}
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
        """Enter the nodes that are rows of other nodes, and those that are parts of a stack."""
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

    def add_stack(self, node: ProgramNode, parts: Sequence[ProgramNode]) -> None:
        """Enter nodes as the rows of one array, which can be made as soon as all of them are computed."""
        stack = Stack(node, 0, max(map(self.turn, parts)), parts)
        for row, part in enumerate(parts):
            self.where.setdefault(part, (stack, row))
            self.limits[part] = min(stack.top, self.limits.get(part, stack.top))

    def turn(self, node: ProgramNode) -> float:
        """The place in the order of creation at which a node can be computed. The member of a group comes
        right after the last row that the group is computed from."""
        stack, _ = self.where.get(node, (None, 0))
        is_taken = type(stack) is CallGroup and not is_view(node)
        return max(node.index, stack.top + 0.5) if stack and is_taken else node.index

    def gathered(self) -> list[ProgramNode]:
        """Nodes that become the rows of new stacks, since the calls on them are alike and their results are
        used later. Examples are the slopes of a loop's functions, which are used after the loop."""
        alike: dict[Any, dict[ProgramNode, ProgramNode]] = {}
        if self.colours is None:
            self.colours = colours(self.nodes)
        for node in self.nodes:
            if node.op not in ELEMENTWISE or node.number or node in self.where:
                continue
            if not 1 < node.size <= LARGEST:
                continue
            fresh = {arg for arg in node.args if arg.shape == node.shape and arg.op not in LEAVES}
            if len(fresh) == 1 and not fresh.intersection(self.where):
                (arg,) = fresh
                pattern = tuple(other is arg or other for other in node.args)
                key = node.op, node.shape, node.dtype, pattern, self.colours[arg]
                alike.setdefault(key, {})[arg] = node
        placed: list[ProgramNode] = []
        taken: set[ProgramNode] = set()  # the calls that will be members of a group
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

    def first_use(self, node: ProgramNode) -> float:
        """The place in the order of creation of the first node that uses this one."""
        return min((user.index for user in self.users[node]), default=float("inf"))

    def enter(self, node: ProgramNode, groups: dict[Any, CallGroup]) -> None:
        """Add a call to the group of the calls like it, if it may wait for the last of the rows."""
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
            return  # its result is used before
        first = real[0][1]
        bases = [spot and (spot[0], spot[1] - first) for spot in spots]
        alike = tuple(base or arg for base, arg in zip(bases, node.args))
        key = node.op, node.options, node.shape, node.dtype, index_key(node.value), alike
        if key not in groups:
            groups[key] = CallGroup(node, bases, top)
        groups[key].members.setdefault(first, node)

    def chosen(self) -> list[CallGroup]:
        """The groups that do more than show parts of arrays, and those that they are computed from."""
        wanted: set[Stack] = set()
        for group in reversed(self.groups):
            if group in wanted or not is_view(group.node):
                wanted.add(group)
                wanted.update(base[0] for base in group.bases if base is not None)
        return [group for group in self.groups if group in wanted]

    def rewritten(self, chosen: Sequence[CallGroup]) -> list[ProgramNode]:
        """The results, in which the members of a group are rows of one call."""
        graph = self.graph
        new: dict[ProgramNode, ProgramNode] = {}
        group_of = {
            node: (group, row) for group in chosen for row, node in group.members.items() if not is_view(node)
        }

        for node in sorted(self.nodes, key=lambda node: (self.turn(node), node.index)):
            if node in group_of:
                group, row = group_of[node]
                whole = group.whole(graph, new)
                graph.give_word(whole, node)
                new[node] = graph.getitem(whole, row - group.first)
            else:
                new[node] = graph.again(node, tuple(new[arg] for arg in node.args))
        return [new[result] for result in self.results]
