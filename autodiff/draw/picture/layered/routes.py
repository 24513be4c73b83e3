"""The way of each edge: from box to box through its spots, as straight as the boxes between allow."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import pairwise

from ..dot import Rooms
from ..plan import Place, sampled
from ..scene import Edge
from ..shapes import Point
from .lines import SWING, Bounds, bounds_of, curved, leaving, meets, straight
from .places import Along
from .ranks import BESIDE, Ranks, Way

PASSED = 3.0  # pixels between an edge and a box that it passes
FINE = 16  # straight lines that stand for a curve when we look at what it passes
STEP = 3.0  # in front of a box, if an edge can't leave it straight to where it goes
LEAN = 0.3  # of the height of the box, towards where it goes
ENDS = 0.6  # of the side of a box, on which edges between the same two boxes begin


class Routes:
    """The curves of the edges, and the places of their labels.

    `boxes` are the boxes by their spots. An edge is first a line through two points at each rank that it
    passes, between which it runs level and so meets no box. Points that it does not need are then left out.
    """

    def __init__(
        self,
        found: Ranks,
        order: Sequence[Sequence[int]],
        along: Along,
        across: Sequence[int],
        boxes: Mapping[int, Place],
        rooms: Rooms,
        round_boxes: set[str],
    ) -> None:
        self.found, self.along, self.across, self.boxes = found, along, across, boxes
        self.round = {v for v in boxes if found.spots[v].key in round_boxes}
        self.edges: dict[Hashable, list[Point]] = {}
        self.labels: dict[Hashable, Place] = {}
        self.there = [[self.boxes[v] for v in rank if v in boxes] for rank in order]
        for way in [*found.ways, *found.ties]:
            self._put_labels(way, rooms)
        self.reach = self._reaches(order)
        for way in [*found.ways, *found.ties]:
            for k, edge in enumerate(way.edges):
                points = self._straight(way, k) if self._is_tie(way) else self._route(way, k)
                is_forward = edge.tail == found.spots[way.spots[0]].key
                self.edges[edge.key] = points if is_forward else points[::-1]
        for v, edge, out in found.loops:
            self._draw_loop(v, edge, out, rooms)

    def _put_labels(self, way: Way, rooms: Rooms) -> None:
        """Put the labels of a way below each other into the spot that has room for them."""
        rank = self.found.spots[way.label].rank
        for k, edge in enumerate(way.edges):
            if edge.key in rooms.labels:
                x = self.along.middle(rank) + (self._aside(way, k) if self._is_tie(way) else 0.0)
                place = Place(x, self._y(way, k, way.label), *rooms.labels[edge.key])
                self.labels[edge.key] = place
                self.there[rank].append(place)

    def _reaches(self, order: Sequence[Sequence[int]]) -> list[float]:
        """How far along its rank each spot has a neighbour: half the length of the longest one."""
        reach = [0.0] * len(self.found.spots)
        for rank in order:
            for way in (rank, rank[::-1]):
                longest = 0.0
                for v in way:
                    length = self.found.spots[v].length
                    reach[v] = max(reach[v], longest, length)
                    longest = length or longest
        return [length / 2 for length in reach]

    def _is_tie(self, way: Way) -> bool:
        """Whether a way stays in its rank."""
        return self.found.spots[way.spots[0]].rank == self.found.spots[way.spots[-1]].rank

    def _aside(self, way: Way, k: int) -> float:
        """How far one of the edges of a way is from its middle."""
        ends = [self.boxes[v] for v in (way.spots[0], way.spots[-1])]
        room = ENDS * min(box.width if self._is_tie(way) else box.height for box in ends)
        step = min(BESIDE, room / max(len(way.edges) - 1, 1))
        return (k - (len(way.edges) - 1) / 2) * step

    def _y(self, way: Way, k: int, v: int) -> float:
        """Where one of the edges of a way passes one of its spots."""
        if v == way.label:
            return self.across[v] + sum(way.slots[:k]) + (way.slots[k] - sum(way.slots)) / 2
        return self.across[v] + self._aside(way, k)

    def _route(self, way: Way, k: int) -> list[Point]:
        """The curve of one of the edges of a way."""
        for is_wide in (False, True):
            points, fixed = self._points(way, k, is_wide)
            boxes = self._in_the_way(way, points)
            needed = _needed(points, fixed, boxes)
            line = [points[j] for j in needed]
            line[0] = self._end(way.spots[0], self._aside(way, k), line[1])
            line[-1] = self._end(way.spots[-1], self._aside(way, k), line[-2])
            if not any(_meets_any(*ends, boxes) for ends in pairwise(line)):
                break
        return curved(line, lambda piece: not _is_blocked(piece, boxes), needed.index(max(fixed, 0)))

    def _points(self, way: Way, k: int, is_wide: bool) -> tuple[list[Point], int]:
        """The points of an edge that meets no box, from the middle of one box to the middle of the other, and
        which of them it must pass: the place of its label, or -1.

        In each rank it is level as far as there is a box beside it, or, if it is wide, in the whole rank.
        """
        points: list[Point] = []
        fixed = -1
        for v in way.spots:
            rank, y = self.found.spots[v].rank, self._y(way, k, v)
            middle, reach = self.along.middle(rank), self.along.thick[rank] / 2 if is_wide else self.reach[v]
            box = self.boxes.get(v)
            if box is not None:
                out = max(reach, box.width / 2) + STEP
                is_tail = v == way.spots[0]
                lean = self._y(way, k, way.spots[1 if is_tail else -2]) - y
                room = LEAN * box.height / len(way.edges)
                step = middle + (out if is_tail else -out), y + max(-room, min(room, lean))
                points += [(middle, y), step] if is_tail else [step, (middle, y)]
                continue
            points += [(x, y) for x in dict.fromkeys((middle - reach, middle, middle + reach))]
            if v == way.label and way.edges[k].key in self.labels:
                fixed = points.index((middle, y))
        return points, fixed

    def _in_the_way(self, way: Way, points: Sequence[Point]) -> list[Bounds]:
        """The boxes and labels that an edge might meet: those at the ranks and the heights that it passes."""
        own = [self.boxes[way.spots[0]], self.boxes[way.spots[-1]]]
        own += [self.labels[edge.key] for edge in way.edges if edge.key in self.labels]
        top, bottom = min(y for _, y in points) - SWING, max(y for _, y in points) + SWING
        first, last = (self.found.spots[v].rank for v in (way.spots[0], way.spots[-1]))
        return [
            bounds_of(box, PASSED)
            for rank in range(first, last + 1)
            for box in self.there[rank]
            if box.y - box.height / 2 < bottom and top < box.y + box.height / 2 and box not in own
        ]

    def _end(self, v: int, aside: float, towards: Point) -> Point:
        """Where an edge begins or ends at the outline of a box."""
        return leaving(self.boxes[v], v in self.round, aside, towards)

    def _straight(self, way: Way, k: int) -> list[Point]:
        """The line of one of the edges between two boxes of one rank: across it."""
        aside = self._aside(way, k)
        tail, head = (self.boxes[v].turned() for v in way.spots)
        (y0, x0), (y1, x1) = (
            leaving(box, v in self.round, aside, (other.x, other.y + aside))
            for v, box, other in zip(way.spots, (tail, head), (head, tail))
        )
        return straight((x0, y0), (x1, y1))

    def _draw_loop(self, v: int, edge: Edge, out: float, rooms: Rooms) -> None:
        """An edge from a box to itself, above it."""
        box = self.boxes[v]
        room = rooms.labels.get(edge.key, (0.0, 0.0))
        top, half = box.y - box.height / 2, box.width / 4
        start, end, high = (box.x - half, top), (box.x + half, top), top - (out - room[1] / 2) * 4 / 3
        self.edges[edge.key] = [start, (start[0], high), (end[0], high), end]
        if room[1]:
            self.labels[edge.key] = Place(box.x, top - out + room[1] / 2, *room)


def _needed(points: Sequence[Point], fixed: int, boxes: Sequence[Bounds]) -> list[int]:
    """The points that a line needs: from each it goes straight to the last that it can reach, but not past a
    fixed one."""
    kept = [0]
    while kept[-1] < len(points) - 1:
        at = kept[-1]
        up_to = fixed if at < fixed else len(points) - 1
        free = (j for j in range(up_to, at + 1, -1) if not _meets_any(points[at], points[j], boxes))
        kept.append(next(free, at + 1))
    return kept


def _meets_any(start: Point, end: Point, boxes: Iterable[Bounds]) -> bool:
    return any(meets(start, end, box) for box in boxes)


def _is_blocked(piece: Sequence[Point], boxes: Sequence[Bounds]) -> bool:
    """Whether a box is in the way of a curve."""
    xs, ys = zip(*piece)  # the curve is within the bounds of its points
    near = [
        box
        for box in boxes
        if min(xs) < box[2] and max(xs) > box[0] and min(ys) < box[3] and max(ys) > box[1]
    ]
    return bool(near) and any(_meets_any(*ends, near) for ends in pairwise(sampled(piece, FINE)))
