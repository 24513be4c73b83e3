"""From a scene to ranks: which boxes stand side by side, and where long edges pass between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..dot import Rooms
from ..scene import Edge, Scene
from .simplex import Distance, shortest

BESIDE = 12.0  # pixels between edges with the same two ends
LOOP = 18.0  # and by which an edge from a box to itself reaches out of it
SPARE = 4.0  # pixels around a label


@dataclass(slots=True)
class Spot:
    """What has a place in a rank: a box, or the place where an edge passes the rank.

    `length` is its size along the ranks, `breadth` across; `frame` is that around it.
    """

    rank: int
    frame: int
    length: float = 0.0
    breadth: float = 0.0
    key: str = ""  # of the box


@dataclass(slots=True)
class Way:
    """All edges between two boxes, and the spots that they pass in the direction of the ranks.

    `port` is the place of an operand whose order must be visible. If one of the edges has a label, `label` is
    the spot at which the labels stand, and `slots` are the heights that the edges take there.
    """

    edges: list[Edge]
    spots: list[int]
    port: int = 0
    label: int = -1
    slots: list[float] = field(default_factory=list)

    @property
    def weight(self) -> int:
        """The weight of all edges together."""
        return sum(edge.weight for edge in self.edges)


@dataclass(slots=True)
class Ranks:
    """The spots of a scene, boxes first, and the ways between them.

    `ways` run from rank to rank. `beside` has, for a box, what stands beside it in its rank, after it or
    (`True`) before it, the nearest first; `ties` are the ways from there. `loops` are the edges from a box to
    itself, with the room above the box that they need.
    """

    spots: list[Spot]
    parents: list[int]  # of the frames
    ways: list[Way] = field(default_factory=list)
    beside: dict[int, list[tuple[list[int], bool]]] = field(default_factory=dict)
    ties: list[Way] = field(default_factory=list)
    loops: list[tuple[int, Edge, float]] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many ranks there are."""
        return max(spot.rank for spot in self.spots) + 1

    def around(self, frame: int) -> Iterator[int]:
        """A frame and those around it, from the inside out."""
        while frame >= 0:
            yield frame
            frame = self.parents[frame]


def ranked(scene: Scene, rooms: Rooms, ordered: set[str]) -> Ranks:
    """The ranks of a scene. The order of the operands of the boxes in `ordered` must be visible."""
    number = {key: i for i, key in enumerate(scene.boxes)}
    spots = [Spot(0, frame, *rooms.boxes[key], key) for key, frame in scene.boxes.items()]
    found = Ranks(spots, [frame.parent for frame in scene.frames])
    joined: dict[tuple[int, int], list[Edge]] = {}
    before = _order(scene, number)
    for edge in scene.edges:
        ends = sorted((number[edge.tail], number[edge.head]), key=before.__getitem__)
        joined.setdefault((ends[0], ends[1]), []).append(edge)
    ways = []
    for (tail, head), edges in joined.items():
        if tail == head:
            _make_room(found, tail, edges, rooms)
        else:
            ways.append(Way(edges, [tail, head]))
    _put_beside(found, ways, rooms)
    _number_ports(found, ordered)
    _rank(found, rooms)
    for way in found.ways:
        _bend(found, way, rooms)
    _fill(found)
    return found


def _order(scene: Scene, number: Mapping[str, int]) -> list[int]:
    """The place of each box in an order in which edges run forward, except some that close a cycle."""
    after: list[list[int]] = [[] for _ in number]
    waiting = [0] * len(number)
    for edge in scene.edges:
        if edge.tail != edge.head:
            after[number[edge.tail]].append(number[edge.head])
            waiting[number[edge.head]] += 1
    place = [-1] * len(number)
    ready = [v for v, count in enumerate(waiting) if not count][::-1]
    for k in range(len(number)):
        v = ready.pop() if ready else next(v for v, at in enumerate(place) if at < 0)
        place[v] = k
        for head in after[v]:
            waiting[head] -= 1
            if not waiting[head] and place[head] < 0:
                ready.append(head)
    return place


def _make_room(found: Ranks, v: int, edges: list[Edge], rooms: Rooms) -> None:
    """Give a box room for edges to itself, on both sides, so that its middle stays where it is."""
    taken = 0.0
    for edge in edges:
        taken += LOOP + rooms.labels.get(edge.key, (0.0, 0.0))[1]
        found.loops.append((v, edge, taken))
    found.spots[v].breadth += 2 * taken


def _put_beside(found: Ranks, ways: list[Way], rooms: Rooms) -> None:
    """Put a box whose only edge is to lie in its rank beside the head of that edge: the first such box after
    it, the second before it."""
    uses = [0] * len(found.spots)
    for way in ways:
        for end in way.spots:
            uses[end] += 1
    for way in ways:
        tail, head = way.spots
        is_beside = way.edges[0].is_beside and way.edges[0].tail == found.spots[tail].key and uses[tail] == 1
        there = found.beside.setdefault(head, []) if is_beside else []
        if is_beside and len(there) < 2 and found.spots[tail].frame == found.spots[head].frame:
            spots = [tail]
            if _has_labels(way, rooms):
                spots = [len(found.spots), tail]
                found.spots.append(Spot(0, found.spots[tail].frame))
                _label(found, way, rooms, spots[0])
            there.append((spots, len(there) == 1))
            found.ties.append(way)
        else:
            found.ways.append(way)


def _number_ports(found: Ranks, ordered: set[str]) -> None:
    """Give the ways into a box whose operands are in order their places."""
    ports: dict[int, int] = {}
    for way in found.ways:
        head = way.spots[1]
        if found.spots[head].key in ordered:
            way.port = ports.get(head, 0)
            ports[head] = way.port + 1


def _rank(found: Ranks, rooms: Rooms) -> None:
    """Give each box its rank, so that edges are short, above all the heavy ones. Every second rank is left to
    labels, if there are any."""
    step = 2 if rooms.labels else 1
    distances = [Distance(way.spots[0], way.spots[1], way.weight, step) for way in found.ways]
    for spot, rank in zip(found.spots, shortest(len(found.spots), distances)):
        spot.rank = rank
    for head, there in found.beside.items():
        for v in (v for spots, _ in there for v in spots):
            found.spots[v].rank = found.spots[head].rank


def _bend(found: Ranks, way: Way, rooms: Rooms) -> None:
    """Give a way a spot in each rank that it passes, with room for its labels in one of them."""
    tail, head = way.spots
    first, last = found.spots[tail], found.spots[head]
    shared = set(found.around(first.frame))
    frame = next((frame for frame in found.around(last.frame) if frame in shared), -1)
    breadth = BESIDE * (len(way.edges) - 1)
    passed = range(first.rank + 1, last.rank)
    way.spots = [tail, *range(len(found.spots), len(found.spots) + len(passed)), head]
    found.spots += [Spot(rank, frame, 0.0, breadth) for rank in passed]
    if passed and _has_labels(way, rooms):
        _label(found, way, rooms, way.spots[1 + len(passed) // 2])


def _has_labels(way: Way, rooms: Rooms) -> bool:
    return any(edge.key in rooms.labels for edge in way.edges)


def _label(found: Ranks, way: Way, rooms: Rooms, v: int) -> None:
    """Make room for the labels of a way at a spot, below each other."""
    sizes = [rooms.labels.get(edge.key, (0.0, BESIDE - SPARE)) for edge in way.edges]
    way.label, way.slots = v, [height + SPARE for _, height in sizes]
    found.spots[v].length = max(width for width, _ in sizes) + SPARE
    found.spots[v].breadth = sum(way.slots)


def _fill(found: Ranks) -> None:
    """Give each frame a spot in every rank from its first to its last: nothing else stands there."""
    for frame in range(len(found.parents)):
        taken = {spot.rank for spot in found.spots if frame in found.around(spot.frame)}
        for rank in range(min(taken, default=0), max(taken, default=-1)):
            if rank not in taken:
                found.spots.append(Spot(rank, frame))
