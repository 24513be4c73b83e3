"""beside: the same call on slices that lie side by side becomes one call on all of them.

The gates of an LSTM are slices of one array. Three of them go through the same function, which this pass
calls once.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..graph import ProgramGraph
from ..nodes import ELEMENTWISE, ProgramNode, reachable
from .places import box_of, differing_axes, parts_of_index
from .rows import LARGEST

LEAST_CALLS = 3
"""The number of calls on a slice from which on a copy of it pays."""


class Family:
    """Alike calls on slices of the same arrays along one axis.

    Attributes
    ----------
    bases
        For each argument the family that it belongs to, or None for a constant.
    members
        The calls, by the place where the slice begins.
    runs
        For each member that lies in a run of several, where that run begins and ends.
    made
        The calls on whole runs, by the place where the run begins.
    roots
        The families of slices that the members are computed from.
    """

    def __init__(self, axis: int, bases: Sequence[Family | None], node: ProgramNode) -> None:
        self.axis, self.bases, self.node = axis, bases, node
        self.members: dict[int, ProgramNode] = {}
        self.runs: dict[int, tuple[int, int]] = {}
        self.made: dict[int, ProgramNode] = {}
        self.roots: set[Slices] = set().union(*(base.roots for base in bases if base is not None))

    @property
    def are_gathered(self) -> bool:
        """Whether the slices are copied one below the other, each into one piece of memory."""
        return all(root.are_gathered for root in self.roots)

    def find_runs(self) -> None:
        """Find the members that lie side by side, as do the slices that they are computed from."""
        if len({root.are_gathered for root in self.roots}) > 1:
            return
        run: list[int] = []
        end = -1
        for start in sorted(self.members):
            if not (run and end == start and self.is_one_run(run[0], start)):
                self.close(run, end)
                run = []
            run.append(start)
            end = start + self.members[start].shape[self.axis]
        self.close(run, end)

    def is_one_run(self, start: int, other: int) -> bool:
        """Whether two members are computed from the same runs, and have one shape if the slices are copied
        one below the other."""
        if self.are_gathered and self.members[start].shape != self.members[other].shape:
            return False
        return all(
            base is None or (start in base.runs and base.runs[start] == base.runs.get(other))
            for base in self.bases
        )

    def close(self, run: Sequence[int], end: int) -> None:
        """Enter a run if it has several slices."""
        if len(run) > 1:
            self.runs.update((start, (run[0], end)) for start in run)

    def whole(self, graph: ProgramGraph, new: dict[ProgramNode, ProgramNode], first: int) -> ProgramNode:
        """The call on the whole run that begins at ``first``, from the new nodes."""
        if first not in self.made:
            end = self.runs[first][1]
            args = [
                new[arg] if base is None else base.part(graph, new, first, end)
                for base, arg in zip(self.bases, self.node.args)
            ]
            self.made[first] = graph.elementwise(self.node.op, *args)
        return self.made[first]

    def part(
        self, graph: ProgramGraph, new: dict[ProgramNode, ProgramNode], start: int, end: int
    ) -> ProgramNode:
        """The elements between two places, taken from the whole run."""
        first, _ = self.runs[start]
        whole = self.whole(graph, new, first)
        if not self.are_gathered:
            return sliced(graph, whole, self.axis, start - first, end - first)
        shape = self.members[start].shape
        ratio = Fraction(shape[0], shape[self.axis])  # rows of the whole for each place along the axis
        return sliced(graph, whole, 0, int((start - first) * ratio), int((end - first) * ratio))


class Slices(Family):
    """The slices of one array along one axis.

    They are copied one below the other if at least ``LEAST_CALLS`` calls read them: a call on a slice that is
    not in one piece of memory takes twice the time.
    """

    def __init__(self, axis: int, node: ProgramNode) -> None:
        super().__init__(axis, (), node)
        self.roots = {self}
        self.uses = 0

    @property
    def are_gathered(self) -> bool:
        """Whether the slices are copied one below the other, each into one piece of memory."""
        return self.axis > 0 and self.uses >= LEAST_CALLS

    def find_runs(self) -> None:
        """Make one run of all slices, since they lie in one array."""
        self.runs = dict.fromkeys(self.members, (0, self.node.args[0].shape[self.axis]))

    def part(
        self, graph: ProgramGraph, new: dict[ProgramNode, ProgramNode], start: int, end: int
    ) -> ProgramNode:
        """The elements between two places of the array."""
        x, width = new[self.node.args[0]], self.members[start].shape[self.axis]
        if not self.are_gathered:
            return sliced(graph, x, self.axis, start, end)
        parts = [sliced(graph, x, self.axis, place, place + width) for place in range(start, end, width)]
        return graph.join("concatenate", parts, 0)


def beside(
    graph: ProgramGraph, inputs: Sequence[ProgramNode], results: Sequence[ProgramNode]
) -> list[ProgramNode]:
    """Replace alike calls on slices that lie side by side by one call."""
    nodes = reachable(results)
    where = families_of(nodes)
    families = list(dict.fromkeys(family for family, _ in where.values()))
    for family in families:
        if type(family) is Family and len(family.members) > 1:
            for root in family.roots:
                root.uses += 1
    for family in families:
        family.find_runs()
    if not any(family.runs for family in families if type(family) is Family):
        return list(results)
    new: dict[ProgramNode, ProgramNode] = {}
    for node in nodes:
        found = where.get(node)
        if found and type(found[0]) is Family and found[1] in found[0].runs:
            family, start = found
            new[node] = family.part(graph, new, start, start + node.shape[family.axis])
        else:
            new[node] = graph.again(node, tuple(new[arg] for arg in node.args))
    return [new[result] for result in results]


def families_of(nodes: Sequence[ProgramNode]) -> dict[ProgramNode, tuple[Family, int]]:
    """The family of each slice, and of each call on slices, with the place where the slice begins."""
    where: dict[ProgramNode, tuple[Family, int]] = {}
    families: dict[Any, Family] = {}

    def enter(node: ProgramNode, key: Any, family: Family, start: int) -> None:
        family = families.setdefault(key, family)
        if start not in family.members:
            family.members[start] = node
            where[node] = family, start

    for node in nodes:
        if node.op == "getitem":
            found = slice_of_axis(node)
            if found is not None:
                axis, start = found
                enter(node, (node.args[0], axis), Slices(axis, node), start)
        elif node.op in ELEMENTWISE and not node.number and node.size <= LARGEST:
            spots = [where.get(arg) for arg in node.args]
            real = {spot for spot in spots if spot is not None}
            if len({(family.axis, start) for family, start in real}) != 1 or not are_alike(node, spots):
                continue
            bases = [spot and spot[0] for spot in spots]
            axis, start = next((family.axis, start) for family, start in real)
            key = node.op, node.dtype, tuple(base or arg for base, arg in zip(bases, node.args))
            enter(node, key, Family(axis, bases, node), start)
    return where


def are_alike(node: ProgramNode, spots: Sequence[Any]) -> bool:
    """Whether the arguments that are slices have the shape of the result, and the others are constants
    without axes."""
    return all(
        arg.shape == node.shape if spot else not arg.shape and arg.op == "const"
        for arg, spot in zip(node.args, spots)
    )


def slice_of_axis(node: ProgramNode) -> tuple[int, int] | None:
    """The axis that a slice is taken along, and where it begins; None for another kind of index."""
    shape = node.args[0].shape
    parts, box = parts_of_index(node.value, len(shape)), box_of(shape, node.value)
    if parts is None or box is None or not all(isinstance(part, slice) for part in parts):
        return None
    axes = differing_axes([box, tuple(map(range, shape))])
    if len(axes) != 1 or box[axes[0]].step != 1 or not box[axes[0]]:
        return None
    return axes[0], box[axes[0]].start


def sliced(graph: ProgramGraph, x: ProgramNode, axis: int, start: int, end: int) -> ProgramNode:
    """``x[start:end]`` along an axis."""
    if (start, end) == (0, x.shape[axis]):
        return x
    return graph.getitem(x, (*(slice(None),) * axis, slice(start, end)) if axis else slice(start, end))
