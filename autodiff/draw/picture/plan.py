"""Where everything in a picture is, in pixels from the upper left corner."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .shapes import Point


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
class Plan:
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

    def moved(self, dx: float, dy: float, width: float, height: float) -> Plan:
        """The plan with everything elsewhere, in another size."""
        return Plan(
            width,
            height,
            {key: place.moved(dx, dy) for key, place in self.boxes.items()},
            {key: [(x + dx, y + dy) for x, y in points] for key, points in self.edges.items()},
            {key: place.moved(dx, dy) for key, place in self.labels.items()},
            {key: [place.moved(dx, dy) for place in places] for key, places in self.frames.items()},
        )

    def turned(self) -> Plan:
        """The plan with x and y exchanged."""
        return Plan(
            self.height,
            self.width,
            {key: place.turned() for key, place in self.boxes.items()},
            {key: [(y, x) for x, y in points] for key, points in self.edges.items()},
            {key: place.turned() for key, place in self.labels.items()},
            {key: [place.turned() for place in places] for key, places in self.frames.items()},
        )
