"""What a painted picture consists of: rectangles, curves, filled outlines and texts, by layer.

Colours are roles of a theme ("ink", "made_line"), a shade of an array's cell ("shade3", "tint-2"), or colours
themselves ("#ff8800"). Coordinates are pixels from the upper left corner, and y of a text is its middle.
`shows` is the label of the row whose value a text or a cell is part of, so that a page can change it.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

Point = tuple[float, float]
FRAMES, STREAMS, EDGES, HEADS, BOXES, PANELS, DETAILS, PLATES, TEXTS = range(9)
"""The layers, from the bottom to the top. Shapes of one layer do not cover each other."""


class Rect(NamedTuple):
    """A rectangle with round corners; with the radius of half its side it is a circle."""

    layer: int
    x: float
    y: float
    width: float
    height: float
    radius: float
    fill: str
    line: str = ""
    weight: float = 1.0
    is_dashed: bool = False
    shows: str = ""


class Curve(NamedTuple):
    """A line along Bezier curves: a point, then three for each curve."""

    layer: int
    points: tuple[Point, ...]
    line: str
    weight: float
    is_dashed: bool = False


class Patch(NamedTuple):
    """A filled polygon."""

    layer: int
    points: tuple[Point, ...]
    fill: str


class Text(NamedTuple):
    """A text whose start, middle or end is at x; code has letters of one width."""

    layer: int
    x: float
    y: float
    text: str
    size: float
    ink: str
    anchor: str = "middle"
    is_bold: bool = False
    is_code: bool = False
    shows: str = ""


Shape: TypeAlias = Rect | Curve | Patch | Text
