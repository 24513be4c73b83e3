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
