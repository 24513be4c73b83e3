"""Where everything in a picture is, in pixels from the upper left corner."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .shapes import Point

PIECES = 8  # straight lines that stand for a Bezier curve


class Place(NamedTuple):
    """The middle of a box or text, and its size."""

    x: float
    y: float
    width: float
    height: float

    def moved(self, dx: float, dy: float) -> Place:
        """The same elsewhere."""
        return Place(self.x + dx, self.y + dy, self.width, self.height)

    def turned(self) -> Place:
        """The same with x and y exchanged."""
        return Place(self.y, self.x, self.height, self.width)


@dataclass(frozen=True, slots=True)
class PicturePlan:
    """The places of boxes, edges, edges' labels and frames, and the size of the whole.

    An edge is a list of Bezier curves after one another: a point, then three for each curve. A frame has
    several places if it goes on in another row.
    """

    width: float
    height: float
    boxes: Mapping[str, Place]
    edges: Mapping[Hashable, Sequence[Point]]
    labels: Mapping[Hashable, Place]
    frames: Mapping[int, Sequence[Place]]

    def moved(self, dx: float, dy: float, width: float, height: float) -> PicturePlan:
        """The plan with everything elsewhere, in another size."""
        return PicturePlan(
            width,
            height,
            {key: place.moved(dx, dy) for key, place in self.boxes.items()},
            {key: [(x + dx, y + dy) for x, y in points] for key, points in self.edges.items()},
            {key: place.moved(dx, dy) for key, place in self.labels.items()},
            {key: [place.moved(dx, dy) for place in places] for key, places in self.frames.items()},
        )

    def turned(self) -> PicturePlan:
        """The plan with x and y exchanged."""
        return PicturePlan(
            self.height,
            self.width,
            {key: place.turned() for key, place in self.boxes.items()},
            {key: [(y, x) for x, y in points] for key, points in self.edges.items()},
            {key: place.turned() for key, place in self.labels.items()},
            {key: [place.turned() for place in places] for key, places in self.frames.items()},
        )


def sampled(points: Sequence[Point], count: int = PIECES) -> Iterator[Point]:
    """Points along Bezier curves, from the start to the end."""
    yield points[0]
    for k in range(0, len(points) - 1, 3):
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = points[k : k + 4]
        for step in range(1, count + 1):
            t = step / count
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            yield a * ax + b * bx + c * cx + d * dx, a * ay + b * by + c * cy + d * dy
