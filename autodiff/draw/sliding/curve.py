"""The curve of a function with its tangent at one point, as shapes: they stand above the graph of a slide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import isfinite

import numpy as np

from ..graph.as_text import brief
from ..picture.faces import SMALL, TEXT
from ..picture.metrics import text_width
from ..picture.shapes import BOXES, EDGES, FRAMES, TEXTS, Curve, Point, Rect, Shape, Text

HEIGHT, LEAST_WIDTH, MOST_WIDTH = 150.0, 380.0, 620.0
HEAD, FOOT, SIDE = 24.0, 18.0, 10.0  # room for the words above, the numbers below and beside
DOT, TOLERANCE = 5.0, 0.2  # the radius of the point; how far a simplified curve may be off, in pixels
FAR = 12  # a curve of more than this many times its middle part is cut off

Points = Sequence[tuple[float, float]]


class Plot:
    """The frame of a plot: which numbers lie where. It is the same for all steps of a slide."""

    def __init__(self, points: Points, width: float) -> None:
        self.points = points
        self.low, self.high = reach([y for _, y in points])
        numbers = max(text_width(brief(y), SMALL) for y in (self.low, self.high))
        self.left, self.right = SIDE + numbers, width - SIDE
        self.top, self.bottom = HEAD, HEIGHT - FOOT

    def place(self, x: float, y: float) -> Point:
        """The pixel of a point."""
        first, last = self.points[0][0], self.points[-1][0]
        across = (x - first) / (last - first)
        up = (y - self.low) / (self.high - self.low)
        return self.left + across * (self.right - self.left), self.bottom - up * (self.bottom - self.top)

    def shapes(self, x: float, y: float, slope: float, names: tuple[str, str]) -> Iterator[Shape]:
        """The axes, the curve, and the tangent at one point with what it says."""
        yield from self.axes(names[0])
        for line in self.lines(self.points):
            yield Curve(EDGES, straight(simplified(line)), "ink", 1.6)
        ink = sign_ink(slope)
        if isfinite(y) and isfinite(slope):
            left, right = self.tangent(x, y, slope)
            inside = clipped(left, right, self.low, self.high, may_jump=True)
            if inside is not None:
                yield Curve(EDGES, straight([self.place(*point) for point in inside]), ink, 1.8)
        if isfinite(y) and self.low <= y <= self.high:
            across, down = self.place(x, y)
            yield Rect(BOXES, across - DOT, down - DOT, 2 * DOT, 2 * DOT, DOT, ink, "paper", 1.4)
        yield from self.words(x, y, slope, names)

    def tangent(self, x: float, y: float, slope: float) -> list[Point]:
        """The ends of the tangent at one point, at the sides of the plot."""
        return [(end, y + slope * (end - x)) for end in (self.points[0][0], self.points[-1][0])]

    def axes(self, name: str) -> Iterator[Shape]:
        """The ground, the lines of 0, and the numbers at the ends."""
        width, height = self.right - self.left, self.bottom - self.top
        yield Rect(FRAMES, self.left, self.top, width, height, 3, "paper", "cell_line")
        first, last = self.points[0][0], self.points[-1][0]
        if self.low < 0 < self.high:
            level = self.place(first, 0)[1]
            yield Curve(FRAMES, straight([(self.left, level), (self.right, level)]), "cell_line", 1.0)
        if first < 0 < last:
            across = self.place(0, self.low)[0]
            yield Curve(FRAMES, straight([(across, self.top), (across, self.bottom)]), "cell_line", 1.0)
            yield Text(TEXTS, across, self.bottom + 9, "0", SMALL, "page")
        yield Text(TEXTS, self.left, self.bottom + 9, f"{name} = {brief(first)}", SMALL, "page", "start")
        yield Text(TEXTS, self.right, self.bottom + 9, brief(last), SMALL, "page", "end")
        yield Text(TEXTS, self.left - 4, self.top + 6, brief(self.high), SMALL, "page", "end")
        yield Text(TEXTS, self.left - 4, self.bottom - 6, brief(self.low), SMALL, "page", "end")

    def words(self, x: float, y: float, slope: float, names: tuple[str, str]) -> Iterator[Shape]:
        """Where the point is, and the slope there, above the plot."""
        moving, end = names
        where = f"{moving} = {brief(x)}, {end} = {brief(y)}"
        says = f"\N{PARTIAL DIFFERENTIAL}{end}/\N{PARTIAL DIFFERENTIAL}{moving} = {brief(slope)}"
        yield Text(TEXTS, self.left, HEAD / 2 - 1, where, TEXT, "page", "start", is_bold=True)
        yield Text(TEXTS, self.right, HEAD / 2 - 1, says, TEXT, "page", "end", is_bold=True)

    def lines(self, points: Points) -> Iterator[list[Point]]:
        """The parts of a line that lie inside the plot, in pixels. It is broken where it jumps."""
        part: list[Point] = []
        for start, end in pairwise(points):
            inside = clipped(start, end, self.low, self.high)
            if inside is None:
                first, last = (0.0, 0.0), (0.0, 0.0)
            else:
                first, last = self.place(*inside[0]), self.place(*inside[1])
            if part and (inside is None or part[-1] != first):
                yield part
                part = []
            if inside is not None:
                part = [*(part or [first]), last]
        if part:
            yield part


def sign_ink(x: float) -> str:
    """The role of the colour for the sign of a number."""
    return "plus" if x > 0 else "minus" if x < 0 else "zero"


def reach(ys: Sequence[float]) -> tuple[float, float]:
    """The lowest and the highest number that a plot shows, with some room; poles are cut off.

    >>> reach([0.0, 10.0]), reach([float("inf")])
    ((-0.6, 10.6), (-1.0, 1.0))
    """
    finite = np.array([y for y in ys if isfinite(y)])
    if not finite.size:
        return -1.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    inner = [float(end) for end in np.quantile(finite, (0.1, 0.9))]
    middle = inner[1] - inner[0]
    if middle > 0 and high - low > FAR * middle:
        low, high = max(low, inner[0] - middle), min(high, inner[1] + middle)
    room = 0.06 * (high - low) or max(1.0, abs(high) * 0.1)
    return low - room, high + room


def clipped(
    start: tuple[float, float], end: tuple[float, float], low: float, high: float, *, may_jump: bool = False
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """The part of a straight line between two heights; None if there is none.

    A line that leads from far below to far above is the jump of a curve at a pole, not a part of it.

    >>> clipped((0, 0), (2, 4), -1, 2)
    ((0, 0), (1.0, 2))
    >>> clipped((0, -90), (1, 90), -1, 2) is None
    True
    """
    (x0, y0), (x1, y1) = start, end
    if not (isfinite(y0) and isfinite(y1)):
        return None
    if max(y0, y1) < low or min(y0, y1) > high or (not may_jump and _is_jump(y0, y1, low, high)):
        return None

    def cut(x: float, y: float) -> tuple[float, float]:
        if low <= y <= high:
            return x, y
        edge = low if y < low else high
        return x0 + (x1 - x0) * (edge - y0) / (y1 - y0), edge

    return cut(x0, y0), cut(x1, y1)


def _is_jump(y0: float, y1: float, low: float, high: float) -> bool:
    """Whether a line leads from far below a plot to far above it, or back."""
    far = high - low
    return min(y0, y1) < low - far and max(y0, y1) > high + far


def simplified(points: Sequence[Point]) -> list[Point]:
    """As few of a line's points as are needed to draw it: by the method of Douglas and Peucker (1973).

    >>> simplified([(0, 0), (1, 0.01), (2, 0), (3, 5)])
    [(0, 0), (2, 0), (3, 5)]
    """
    kept = {0, len(points) - 1}
    waiting = [(0, len(points) - 1)]
    while waiting:
        first, last = waiting.pop()
        (x0, y0), (x1, y1) = points[first], points[last]
        length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 or 1.0
        off = [abs((x1 - x0) * (y0 - y) - (x0 - x) * (y1 - y0)) / length for x, y in points[first + 1 : last]]
        if off and max(off) > TOLERANCE:
            middle = first + 1 + off.index(max(off))
            kept.add(middle)
            waiting += [(first, middle), (middle, last)]
    return [points[i] for i in sorted(kept)]


def straight(points: Sequence[Point]) -> tuple[Point, ...]:
    """A line through points as Bezier curves: between two points both handles are at an end."""
    found = [points[0]]
    for start, end in pairwise(points):
        found += [start, end, end]
    return tuple(found)
