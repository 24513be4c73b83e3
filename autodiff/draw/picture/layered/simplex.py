"""The network simplex: whole numbers that keep their distances, with the heavy edges as short as possible.

Ranks are found by it, and the places across them too. Gansner, Koutsofios, North, Vo: A technique for drawing
directed graphs, 1993, section 2.3.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from graphlib import TopologicalSorter
from itertools import chain, pairwise
from typing import NamedTuple

UNSEEN, NOBODY = -2, -1  # in place of a point
LEAST = 3  # what could be moved by less stays in line with its neighbours
LOOKED_AT = 30  # tree edges that could leave; the worst of them does
STEPS = 1_000_000  # over edges, after which places are good enough: half a second


class Distance(NamedTuple):
    """The head is at least `least` behind the tail, and each step beyond that costs `weight`."""

    tail: int
    head: int
    weight: int
    least: int


def shortest(count: int, distances: Sequence[Distance], steps: int = STEPS) -> list[int]:
    """Places of `count` points, from 0 on, that keep all distances at the least cost.

    The distances form no cycle. Points that no distances connect are placed independently, each group from 0
    on. A point that could move at no cost, by more than a little, is put in the middle of its range.

    >>> shortest(4, [Distance(0, 1, 1, 1), Distance(1, 3, 1, 1), Distance(0, 2, 1, 9), Distance(2, 3, 2, 1)])
    [0, 5, 9, 10]
    """
    around: list[list[int]] = [[] for _ in range(count)]
    for k, one in enumerate(distances):
        around[one.tail].append(k)
        around[one.head].append(k)
    tree = _Tree(distances, around, _first(count, distances))
    for root in range(count):
        if tree.parent[root] == UNSEEN:
            part = tree.grow(root)
            tree.improve(part, steps * len(part) // count)
            tree.balance(part)
            start = min(tree.place[v] for v in part)
            for v in part:
                tree.place[v] -= start
    return tree.place


def _first(count: int, distances: Sequence[Distance]) -> list[int]:
    """Places that keep all distances: each as small as the points before it allow."""
    before: dict[int, list[int]] = {v: [] for v in range(count)}
    least: list[list[Distance]] = [[] for _ in range(count)]
    for one in distances:
        before[one.head].append(one.tail)
        least[one.head].append(one)
    place = [0] * count
    for v in TopologicalSorter(before).static_order():
        place[v] = max((place[one.tail] + one.least for one in least[v]), default=0)
    return place


class _Tree:
    """A spanning tree of edges without slack, which is improved edge by edge.

    If the part of the tree below a point moves by one, the cost changes by the part's `pull`: the weights of
    the edges into it less those out of it. Edges inside the part do not count.
    """

    def __init__(self, distances: Sequence[Distance], around: list[list[int]], place: list[int]) -> None:
        count = len(place)
        self.distances, self.around, self.place = distances, around, place
        self.parent = [UNSEEN] * count
        self.edge = [NOBODY] * count  # to the parent
        self.inner: list[set[int]] = [set() for _ in range(count)]  # the children
        self.pull = [0] * count
        self.size = [1] * count
        for one in distances:
            self.pull[one.head] += one.weight
            self.pull[one.tail] -= one.weight

    def slack(self, k: int) -> int:
        """How much longer an edge is than it must be."""
        tail, head, _, least = self.distances[k]
        return self.place[head] - self.place[tail] - least

    def grow(self, root: int) -> list[int]:
        """Connect what is connected with a point into a tree, nearest points first; returns the points from
        the root on.

        The tree moves as a whole, which takes slack from the edges out of it and gives it to those into it.
        """
        moved, found = 0, [root]
        self.parent[root] = NOBODY
        waiting: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])  # edges out of it, into it
        fresh = root
        while True:
            for k in self.around[fresh]:
                tail, head, _, _ = self.distances[k]
                if self.parent[head if fresh == tail else tail] == UNSEEN:
                    heapq.heappush(waiting[fresh == head], (self.slack(k), k))
            nearest = self._nearest(waiting, moved)
            if nearest is None:
                break
            is_into, k, moved = nearest
            inside = self.distances[k][is_into]
            fresh = self.distances[k][1 - is_into]
            self.parent[fresh], self.edge[fresh] = inside, k
            self.inner[inside].add(fresh)
            self.place[fresh] -= moved
            found.append(fresh)
        for v in found:
            self.place[v] += moved
        for v in reversed(found[1:]):
            self.pull[self.parent[v]] += self.pull[v]
            self.size[self.parent[v]] += self.size[v]
        return found

    def _nearest(
        self, waiting: tuple[list[tuple[int, int]], list[tuple[int, int]]], moved: int
    ) -> tuple[bool, int, int] | None:
        """The edge with the least slack at a tree that has moved: whether it leads into the tree, its index,
        and how far the tree has then moved. None if there is no more."""
        for is_into, heap in enumerate(waiting):
            while heap and self.parent[self.distances[heap[0][1]][1 - is_into]] != UNSEEN:
                heapq.heappop(heap)
        if not any(waiting):
            return None
        out, into = (heap[0][0] if heap else None for heap in waiting)
        is_into = out is None or (into is not None and into + moved < out - moved)
        slack, k = heapq.heappop(waiting[is_into])
        return is_into, k, -slack if is_into else slack

    def improve(self, part: Sequence[int], steps: int) -> None:
        """Exchange edges of a part's tree as long as that lowers the cost, for this many steps over edges."""
        start = 1
        while steps > 0:
            costly = []
            for k in chain(range(start, len(part)), range(1, start)):
                if self.gain(part[k]) > 0:
                    costly.append(k)
                    if len(costly) == LOOKED_AT:
                        break
            if not costly:
                return
            start = costly[-1]
            worst = max((part[k] for k in costly), key=self.gain)
            steps -= len(part) + self.exchange(worst, len(part))

    def gain(self, v: int) -> int:
        """The cost that is saved if the part below a point moves so that the edge to its parent grows."""
        if self.edge[v] == NOBODY:
            return 0
        return self.pull[v] if self.distances[self.edge[v]].tail == v else -self.pull[v]

    def exchange(self, v: int, count: int) -> int:
        """Move the part below a point until another edge has no slack, which takes the place of the edge to
        the parent; the number of edges that were looked at."""
        is_down = self.distances[self.edge[v]].tail == v
        below = self.size[v] * 2 <= count
        side = self.side(v, self.parent[v]) if below else self.side(self.parent[v], v)
        into = is_down == below  # whether it is edges into this side that lose slack
        slack, new = min(self.crossing(side, into))
        for u in side:
            self.place[u] -= slack if into else -slack
        ends = self.distances[new][into], self.distances[new][not into]
        self.tie(v, new, *(ends if below else ends[::-1]))
        return sum(len(self.around[u]) for u in side)

    def side(self, start: int, banned: int) -> set[int]:
        """The points of the tree on one side of the edge between two of them."""
        found, waiting = {start}, [(start, banned)]
        while waiting:
            v, origin = waiting.pop()
            nearby = [*self.inner[v], self.parent[v]] if self.parent[v] >= 0 else self.inner[v]
            for u in nearby:
                if u != origin:
                    found.add(u)
                    waiting.append((u, v))
        return found

    def crossing(self, side: set[int], into: bool) -> Iterable[tuple[int, int]]:
        """The slack of each edge into a side of the tree, or out of it, with the edge."""
        return (
            (self.slack(k), k)
            for u in side
            for k in self.around[u]
            if self.distances[k][into] == u and self.distances[k][not into] not in side
        )

    def tie(self, v: int, new: int, inside: int, outside: int) -> None:
        """Cut the part below a point off, and tie it to another point by a new edge."""
        pull, size = self.pull[v], self.size[v]
        self.add(self.parent[v], -pull, -size)
        self.inner[self.parent[v]].discard(v)
        path = [inside]
        while path[-1] != v:
            path.append(self.parent[path[-1]])
        for child, parent in reversed(list(pairwise(path))):
            self.pull[parent] -= self.pull[child]
            self.size[parent] -= self.size[child]
            self.inner[parent].discard(child)
        for child, parent in reversed(list(pairwise(path))):  # the parent becomes the child
            self.parent[parent], self.edge[parent] = child, self.edge[child]
            self.inner[child].add(parent)
            self.pull[child] += self.pull[parent]
            self.size[child] += self.size[parent]
        self.parent[inside], self.edge[inside] = outside, new
        self.inner[outside].add(inside)
        self.add(outside, pull, size)

    def add(self, v: int, pull: int, size: int) -> None:
        """Add to a point and all those above it."""
        while v != NOBODY:
            self.pull[v] += pull
            self.size[v] += size
            v = self.parent[v]

    def balance(self, part: Sequence[int]) -> None:
        """Put each point that could move at no cost in the middle of its range."""
        for v in part[1:]:
            if self.pull[v] == 0:
                side = self.side(v, self.parent[v])
                back, on = (min(self.crossing(side, into), default=None) for into in (True, False))
                step = int((on[0] - back[0]) / 2) if back and on else 0
                if abs(step) >= LEAST:
                    for u in side:
                        self.place[u] += step
