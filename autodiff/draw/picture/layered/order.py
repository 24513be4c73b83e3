"""The order in each rank: few edges cross, and frames stay whole.

Sugiyama, Tagawa, Toda: Methods for visual understanding of hierarchical system structures, 1981; medians and
exchanges of neighbours as Gansner, Koutsofios, North, Vo have them, 1993, section 3.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random

from .ranks import Ranks

STARTS = 8  # initial orders to try, as long as edges cross
ROUNDS = 24  # sweeps over the ranks, forward and back
PATIENCE = 6  # of them that may pass without a better order
EXCHANGES = 12  # passes over the ranks after each
COMPARED = 25_000  # pairs of neighbours, after which an order is good enough: a tenth of a second
PORT = 1 / 1024  # the offset of an edge's end from the middle of its box, as a fraction of a place


class Order:
    """The spots of each rank in order, and where each of them stands."""

    def __init__(self, found: Ranks, ranks: list[list[int]]) -> None:
        self.found = found
        count = len(found.spots)
        self.back: list[list[tuple[int, int]]] = [[] for _ in range(count)]  # spots before, and the port here
        self.on: list[list[tuple[int, int]]] = [[] for _ in range(count)]  # spots after, and the port there
        for way in found.ways:
            for tail, head in pairwise(way.spots):
                port = way.port if head == way.spots[-1] else 0
                self.back[head].append((tail, port))
                self.on[tail].append((head, port))
        self.ranks = ranks
        self.at = [0] * count
        self.frames = self._order_of_frames()
        for rank in range(len(ranks)):
            self.settle(rank, list(ranks[rank]), dict(zip(ranks[rank], range(count))))

    def _order_of_frames(self) -> dict[int, int]:
        """The order of frames, by first appearance. It holds in all ranks, so that frames do not cross each
        other."""
        found: dict[int, int] = {}
        for rank in self.ranks:
            for v in rank:
                for frame in self.found.around(self.found.spots[v].frame):
                    found.setdefault(frame, len(found))
        return found

    def settle(self, rank: int, spots: list[int], value: dict[int, float]) -> None:
        """Sort a rank by values, with each frame in one piece."""
        self.ranks[rank] = self._sorted(spots, value, -1)
        for k, v in enumerate(self.ranks[rank]):
            self.at[v] = k

    def _sorted(self, spots: Sequence[int], value: dict[int, float], outer: int) -> list[int]:
        """Sort what stands in one frame: its own spots, and the frames in it as wholes."""
        parts: dict[int, list[int]] = {}
        items: list[tuple[float, list[int]]] = []
        for v in spots:
            inner = self._frame_in(v, outer)
            if inner is None:
                items.append((value[v], [v]))
            else:
                parts.setdefault(inner, []).append(v)
        slots = sorted(sum(value[v] for v in part) / len(part) for part in parts.values())
        for slot, frame in zip(slots, sorted(parts, key=self.frames.__getitem__)):
            items.append((slot, self._sorted(parts[frame], value, frame)))
        items.sort(key=lambda item: item[0])
        return [v for _, part in items for v in part]

    def _frame_in(self, v: int, outer: int) -> int | None:
        """The frame directly inside another one that contains a spot; None if no inner frame does."""
        inner = None
        for frame in self.found.around(self.found.spots[v].frame):
            if frame == outer:
                break
            inner = frame
        return inner

    def crossings(self) -> int:
        """How often edges cross, each time counted twice; operands in the wrong order count once."""
        return sum(self.crossings_after(rank) for rank in range(len(self.ranks) - 1))

    def crossings_after(self, rank: int) -> int:
        """The crossings between a rank and the next."""
        passed: list[float] = []
        count = 0
        for v in self.ranks[rank]:
            ends = sorted(self.at[u] + port * PORT for u, port in self.on[v])
            for end in ends:
                later = bisect_left(passed, end + PORT / 2)
                count += 2 * len(passed) - later - bisect_left(passed, int(end) + 0.5, lo=later)
            for end in ends:
                insort(passed, end)
        return count

    def sweep(self, forward: bool, turns: bool) -> None:
        """Sort each rank by the medians of its neighbours in the rank before it; with `turns`, spots with the
        same median change their order."""
        last = len(self.ranks) - 1
        for rank in range(1, last + 1) if forward else range(last - 1, -1, -1):
            value: dict[int, float] = {}
            for v in self.ranks[rank]:
                near = self.back[v] if forward else self.on[v]
                places = sorted(self.at[u] + (0 if forward else port * PORT) for u, port in near)
                value[v] = median(places) if places else self.at[v]
            self.settle(rank, self.ranks[rank][::-1] if turns else self.ranks[rank], value)

    def exchange(self, turns: bool) -> int:
        """Exchange neighbours in a rank as long as fewer edges cross; with `turns`, also where as many cross.
        Returns the number of pairs that were compared."""
        compared = 0
        for _ in range(EXCHANGES):
            gained = 0
            for rank in self.ranks:
                ends = {v: self._ends(v) for v in rank}
                compared += len(rank)
                for k in range(len(rank) - 1):
                    v, w = rank[k], rank[k + 1]
                    if self.found.spots[v].frame == self.found.spots[w].frame:
                        gain = _gain(ends[v], ends[w])
                        if gain > 0 or (turns and gain == 0):
                            rank[k], rank[k + 1] = w, v
                            self.at[w], self.at[v] = k, k + 1
                            gained += gain
            if not gained:
                break
        return compared

    def _ends(self, v: int) -> tuple[list[float], list[float]]:
        """Where the edges of a spot end, in the rank before and in the next."""
        return [self.at[u] for u, _ in self.back[v]], [self.at[u] + port * PORT for u, port in self.on[v]]


def _gain(one: tuple[list[float], list[float]], other: tuple[list[float], list[float]]) -> int:
    """How many crossings two neighbours in a rank lose if they change places, counted as by `crossings`."""
    gain = 0
    for ends, others in zip(one, other):
        for a in ends:
            for b in others:
                if a != b:
                    gain += (1 if int(a) == int(b) else 2) * (1 if a > b else -1)
    return gain


def median(places: Sequence[float]) -> float:
    """The median of numbers in order. If there are two, it is between them, nearer to the side on which the
    others are closer together.

    >>> median([1, 2, 9]), median([1, 2]), median([0, 1, 2, 10])
    (2, 1.5, 1.1111111111111112)
    """
    half = len(places) // 2
    if len(places) % 2:
        return places[half]
    if len(places) == 2:
        return (places[0] + places[1]) / 2
    left, right = places[half - 1] - places[0], places[-1] - places[half]
    if left + right == 0:
        return (places[half - 1] + places[half]) / 2
    return (places[half - 1] * right + places[half] * left) / (left + right)


def ordered(found: Ranks) -> list[list[int]]:
    """The spots of each rank in an order with few crossings; boxes beside others are with them."""
    best: list[list[int]] = []
    fewest, compared = -1, 0
    for start in range(STARTS):
        order = Order(found, _met(found, start))
        waited = 0
        for k in range(ROUNDS):
            crossings = order.crossings()
            if fewest < 0 or crossings < fewest:
                best, fewest, waited = [list(rank) for rank in order.ranks], crossings, 0
            waited += 1
            if not fewest or waited > PATIENCE or compared > COMPARED:
                break
            order.sweep(forward=k % 2 == 0, turns=k % 4 > 1)
            compared += order.exchange(turns=k % 4 > 1)
        if not fewest or compared > COMPARED:
            break
    return [[u for v in rank for u in _with_neighbours(found, v)] for rank in best]


def _with_neighbours(found: Ranks, v: int) -> Iterator[int]:
    """A spot with the boxes beside it."""
    there = found.beside.get(v, [])
    yield from (u for spots, is_before in there if is_before for u in reversed(spots))
    yield v
    yield from (u for spots, is_before in there if not is_before for u in spots)


def _met(found: Ranks, start: int) -> list[list[int]]:
    """Each rank in the order in which its spots are met on the way from the last boxes back, operand by
    operand; with an odd `start`, from the first boxes on. After the first two starts edges are shuffled."""
    is_back = start % 2 == 0
    ways = list(found.ways)
    if start > 1:
        Random(start).shuffle(ways)  # the same in every run
    near: list[list[int]] = [[] for _ in found.spots]
    for way in ways:
        for tail, head in pairwise(way.spots):
            near[head if is_back else tail].append(tail if is_back else head)
    seen = {v for there in found.beside.values() for spots, _ in there for v in spots}
    ranks: list[list[int]] = [[] for _ in range(found.count)]
    for first in sorted(range(len(found.spots)), key=lambda v: found.spots[v].rank, reverse=is_back):
        waiting = [first]
        while waiting:
            v = waiting.pop()
            if v not in seen:
                seen.add(v)
                ranks[found.spots[v].rank].append(v)
                waiting += near[v][::-1]
    return ranks
