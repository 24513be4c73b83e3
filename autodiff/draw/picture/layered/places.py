"""Where the spots of ranks in order are: along the ranks, and across them.

Across, edges are as straight as can be, long ones above all, by the method that finds the ranks too: Gansner,
Koutsofios, North, Vo: A technique for drawing directed graphs, 1993, section 4.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import ceil

from ..dot import FRAME_MARGIN, NEAR, Rooms
from ..metrics import text_width
from ..plan import Place
from ..scene import Scene
from .ranks import Ranks
from .simplex import Distance, shortest

TITLE, TITLE_SIDE = 14.0, 24.0  # the room of a frame's title, and the space beside it
TITLE_SIZE = 12.0  # of its letters
STRAIGHT = (2, 2, 8)  # the weight of an edge's straightness: between boxes, to a bend, and between bends
TIGHT = 16  # and that of a frame without empty space


class Along:
    """The start and end of each rank and frame, along the way of the edges."""

    def __init__(self, found: Ranks, scene: Scene, rooms: Rooms) -> None:
        self.found = found
        self.spans = spans(found)
        is_level = scene.direction == "LR"  # and titles run along
        self.before = FRAME_MARGIN + (0.0 if is_level else TITLE)
        self.least = {frame: title_room(scene, frame) if is_level else 0.0 for frame in self.spans}
        self.thick = [0.0] * found.count
        for spot in found.spots:
            self.thick[spot.rank] = max(self.thick[spot.rank], spot.length)
        opening, closing = self._margins()
        far = rooms.far / (2 if rooms.labels else 1)
        self.start = [0.0] * found.count
        at = 0.0
        for rank in range(found.count):
            at = self.start[rank] = at + opening[rank]
            for frame, (first, last) in self.spans.items():
                if last == rank:
                    lacking = self.least[frame] - 2 * FRAME_MARGIN - (at - self.start[first])
                    self.thick[rank] = max(self.thick[rank], lacking)
            at += self.thick[rank] + closing[rank] + far

    def _margins(self) -> tuple[list[float], list[float]]:
        """The space before each rank for frames that begin there, and after it for those that end."""
        opening, closing = [0.0] * len(self.thick), [0.0] * len(self.thick)
        for frame, (first, last) in self.spans.items():
            depth = list(self.found.around(frame))
            begun = sum(self.spans[one][0] == first for one in depth)
            ended = sum(self.spans[one][1] == last for one in depth)
            opening[first] = max(opening[first], begun * self.before)
            closing[last] = max(closing[last], ended * FRAME_MARGIN)
        return opening, closing

    def middle(self, rank: int) -> float:
        """The middle of a rank."""
        return self.start[rank] + self.thick[rank] / 2

    def frames(self, boxes: Mapping[int, Place]) -> dict[int, tuple[float, float]]:
        """The start and end of each frame, around its boxes and the frames in it. One that is too short for
        its title takes more of its ranks."""
        found: dict[int, tuple[float, float]] = {}
        for frame in sorted(self.spans, key=lambda frame: -len(list(self.found.around(frame)))):
            inside = [ends for other, ends in found.items() if self.found.parents[other] == frame]
            inside += [
                (box.x - box.width / 2, box.x + box.width / 2)
                for v, box in boxes.items()
                if self.found.spots[v].frame == frame
            ]
            start = min(start for start, _ in inside) - self.before
            end = max(end for _, end in inside) + FRAME_MARGIN
            lacking = max(0.0, self.least[frame] - (end - start))
            first, last = self.spans[frame]
            before = max(0.0, start + FRAME_MARGIN - self.start[first])
            after = max(0.0, self.start[last] + self.thick[last] + FRAME_MARGIN - end)
            after = min(max(lacking / 2, lacking - before), after)
            found[frame] = start - (lacking - after), end + after
        return found


def spans(found: Ranks) -> dict[int, tuple[int, int]]:
    """The first and last rank of each frame that is not empty."""
    ranks: dict[int, list[int]] = {}
    for spot in found.spots:
        for frame in found.around(spot.frame):
            ranks.setdefault(frame, []).append(spot.rank)
    return {frame: (min(there), max(there)) for frame, there in sorted(ranks.items())}


def title_room(scene: Scene, frame: int) -> float:
    """How long a frame must be for its title."""
    return text_width(scene.frames[frame].title, TITLE_SIZE) + TITLE_SIDE


class Across:
    """The place of each spot across the ranks, and those of the two sides of each frame.

    They are the points of one network, with one more for each piece of an edge: the sum of its distances from
    the two ends is how far these are apart.
    """

    def __init__(self, found: Ranks, ranks: list[list[int]], scene: Scene, rooms: Rooms) -> None:
        self.found, self.near = found, rooms.near
        self.is_level = scene.direction == "LR"
        self.count = len(found.spots) + 2 * len(found.parents)
        self.distances: list[Distance] = []
        for rank in ranks:
            for one, other in pairwise(self._marks(rank)):
                self.distances.append(Distance(one, other, 0, ceil(self._least(one, other))))
        for frame in spans(found):
            least = 0.0 if self.is_level else title_room(scene, frame)
            self.distances.append(Distance(*self.sides(frame), TIGHT, ceil(least)))
        for way in found.ways:
            for tail, head in pairwise(way.spots):
                bends = sum(not found.spots[v].key for v in (tail, head))
                weight = STRAIGHT[bends] * max(way.weight, 1)
                self.distances += [Distance(self.count, end, weight, 0) for end in (tail, head)]
                self.count += 1
        for head, there in found.beside.items():
            for spots, is_before in there:
                for one, other in pairwise([head, *spots]):
                    ends = (other, one) if is_before else (one, other)
                    self.distances.append(Distance(*ends, TIGHT, 0))
        self.place = shortest(self.count, self.distances)

    def sides(self, frame: int) -> tuple[int, int]:
        """The points of the two sides of a frame."""
        first = len(self.found.spots) + 2 * frame
        return first, first + 1

    def _marks(self, rank: list[int]) -> Iterator[int]:
        """What follows in a rank: its spots, and the sides of frames like brackets around them."""
        opened: list[int] = []
        for v in [*rank, None]:
            frames = [] if v is None else [*self.found.around(self.found.spots[v].frame)][::-1]
            while opened != frames[: len(opened)]:
                yield self.sides(opened.pop())[1]
            for frame in frames[len(opened) :]:
                opened.append(frame)
                yield self.sides(frame)[0]
            if v is not None:
                yield v

    def _least(self, one: int, other: int) -> float:
        """The least distance between two neighbours."""
        boxes = len(self.found.spots)
        space = sum(self.found.spots[v].breadth / 2 for v in (one, other) if v < boxes)
        if one >= boxes and (one - boxes) % 2 == 0:
            return space + FRAME_MARGIN + (TITLE if self.is_level else 0.0)
        if other >= boxes and (other - boxes) % 2 == 1:
            return space + FRAME_MARGIN + self.near - NEAR  # a badge may hang out of its box
        return space + self.near
