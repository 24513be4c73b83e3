"""The paths from the end of a graph back to one node: how many there are, which, and the slopes along them.

Counting looks once at each arrow. Listing is for graphs with few paths: every node at which two paths meet
may double their number.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import prod
from typing import Any

import numpy as np

from ..graph.slopes import contributions, walk_back
from ..graph.walk import Walk, between, walk
from ..words.counts import COUNTING


@dataclass(frozen=True, slots=True)
class Arrow:
    """One step back: from a node to the operand at a place. `twin` tells arrows to the same operand apart:
    it is 0 and 1 for those of `x * x`, and None for an arrow that is the only one."""

    node: int
    place: int
    operand: int
    twin: int | None = None


@dataclass(frozen=True, slots=True)
class Paths:
    """What lies between the end of a graph and one node behind it, the target.

    `between` are the indices of the nodes on a path, from the target to the end, and `arrows` leads from each
    of them to the operands by which the target is reached. `counts` says how many paths lead from a node back
    to the target, and `steps` how many arrows these paths have in all.
    """

    walk: Walk
    target: int
    between: list[int]
    arrows: dict[int, tuple[Arrow, ...]]
    counts: dict[int, Decimal]
    steps: dict[int, Decimal]

    @property
    def end(self) -> int:
        """The index of the graph's end."""
        return self.walk.end

    @property
    def count(self) -> Decimal:
        """How many paths there are."""
        return self.counts[self.end]

    @property
    def arrow_count(self) -> int:
        """How many arrows the paths use, each counted once: the work of one walk back."""
        return sum(map(len, self.arrows.values()))

    @property
    def are_numbers(self) -> bool:
        """Whether every node on a path holds a single number."""
        return all(np.ndim(self.walk.data(i)) == 0 for i in self.between)


def find(end: object, target: object) -> Paths | None:
    """What lies between `end` and `target`; None if no path leads from `end` back to `target`.

    >>> import autodiff as ad
    >>> x = ad.Tensor(2)
    >>> h = x * x
    >>> found = find(h + h * h, x)
    >>> found.count, found.arrow_count, len(found.between)
    (Decimal('6'), 6, 4)
    """
    found = walk(end)
    start = found.index.get(id(target))
    nodes = [] if start is None else between(lambda i: _operands(found, i), start, found.end)
    if start is None or not nodes:
        return None
    counts, steps = {start: Decimal(1)}, {start: Decimal(0)}
    arrows: dict[int, tuple[Arrow, ...]] = {start: ()}
    for i in nodes[1:]:
        arrows[i] = _arrows(found, i, counts)
        counts[i] = steps[i] = Decimal(0)
        for j in (arrow.operand for arrow in arrows[i]):
            counts[i] = COUNTING.add(counts[i], counts[j])
            steps[i] = COUNTING.add(steps[i], COUNTING.add(steps[j], counts[j]))
    return Paths(found, start, nodes, arrows, counts, steps)


def _operands(found: Walk, i: int) -> list[int]:
    """The operands of a node that take a gradient."""
    return [j for j in found.operands(i) if not found.is_constant(j)]


def _arrows(found: Walk, i: int, reached: dict[int, Any]) -> tuple[Arrow, ...]:
    """The arrows from a node to those operands from which the target is reached."""
    return tuple(
        Arrow(i, place, j, found.twin(i, place))
        for place, j in found.places(i)
        if j in reached and not found.is_constant(j)
    )


def listed(paths: Paths) -> list[tuple[Arrow, ...]]:
    """Every path as its arrows from the end to the target, in the order in which contributions arrive there.

    There are `paths.count` of them, so check that number first.
    """
    # A path is a chain of pairs (its last arrow, the path before it), so that common parts are stored once.
    ways: dict[int, list[Any]] = {i: [] for i in paths.between}
    ways[paths.end].append(None)
    for i in reversed(paths.between):
        before: dict[int, list[Arrow]] = {}
        for arrow in paths.arrows[i]:
            before.setdefault(arrow.operand, []).append(arrow)
        for operand, twins in before.items():
            ways[operand] += [(arrow, way) for way in ways[i] for arrow in twins]
    found = []
    for way in ways[paths.target]:
        path: list[Arrow] = []
        while way is not None:
            arrow, way = way
            path.append(arrow)
        found.append(tuple(reversed(path)))
    return found


def local_slopes(paths: Paths) -> dict[Arrow, float]:
    """The local slope on each arrow of the paths, where all nodes are numbers."""
    slopes: dict[Arrow, float] = {}
    for i, arrows in paths.arrows.items():
        if arrows:
            passed = contributions(paths.walk.order[i])
            slopes.update((arrow, float(passed[arrow.place])) for arrow in arrows)
    return slopes


def gradient(paths: Paths) -> float:
    """The gradient of the target by one walk back from the end, where all nodes are numbers."""
    visits = walk_back(paths.walk, until=paths.target, within=set(paths.between))
    return next((float(visit.grad) for visit in visits if visit.node == paths.target), 0.0)


def milestones(paths: Paths) -> list[tuple[int, int]]:
    """Nodes along a longest path, each twice as far from the target as the one before, and the number of
    nodes on the paths from each of them."""
    depth = {paths.target: 0}
    before: dict[int, int] = {}
    for i in paths.between:
        for arrow in paths.arrows[i]:
            if depth[arrow.operand] + 1 > depth.get(i, -1):
                depth[i], before[i] = depth[arrow.operand] + 1, arrow.operand
    line = [paths.end]
    while line[-1] in before:
        line.append(before[line[-1]])
    line.reverse()
    chosen = [line[2**k] for k in range(len(line).bit_length()) if 2**k < len(line) - 1] + [paths.end]
    return [(i, len(_nodes_between(paths, i))) for i in chosen]


def _nodes_between(paths: Paths, node: int) -> list[int]:
    """The nodes on the paths from one of them to the target."""
    return between(lambda i: [arrow.operand for arrow in paths.arrows.get(i, ())], paths.target, node)


class Products:
    """The paths one by one, if there are no more than a limit; and of numbers the product of the local slopes
    along each path, and the sum of the products."""

    def __init__(self, paths: Paths, limit: int) -> None:
        self.paths = paths
        self.is_listed = paths.count <= limit
        self.ways = listed(paths) if self.is_listed else []
        self.slopes: dict[Arrow, float] = {}
        self.products: list[float] = []
        self.total: float | None = None  # arrays have none
        if paths.are_numbers and self.is_listed:
            self.slopes = local_slopes(paths)
            self.products = [prod(self.slopes[arrow] for arrow in way) for way in self.ways]
            self.total = sum(self.products)
        elif paths.are_numbers:
            self.total = gradient(paths)
