"""Curves and lines in the plane, and what is in their way. Nothing here knows of ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import dist, sqrt
from typing import TypeAlias

from ..plan import Place
from ..shapes import Point

ROUND = (0.45, 0.33, 0.22, 0.12)  # how far the handles of a curve reach, as a part of its length
SWING = 8.0  # pixels that they may reach out of the line's height
Bounds: TypeAlias = tuple[float, float, float, float]  # left, top, right, bottom


def curved(
    points: Sequence[Point], is_free: Callable[[Sequence[Point]], bool], passed: int = 0
) -> list[Point]:
    """Bezier curves from the first to the last point of a line, close to the line and as round as fits.

    They go through the point `passed`. If no curve is free, the line is halved where it bends most, and the
    halves have the same direction there: Schneider, An algorithm for automatically fitting digitized curves,
    1990.

    >>> curved([(0.0, 0.0), (3.0, 3.0)], lambda piece: True)
    [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]
    """
    if len(points) == 2:
        return straight(*points)
    ways = [_unit(start, end) for start, end in pairwise(points)]
    inner = [_unit((0.0, 0.0), (x0 + x1, y0 + y1)) for (x0, y0), (x1, y1) in pairwise(ways)]
    at = [ways[0], *inner, ways[-1]]

    def fitted(first: int, last: int) -> list[Point]:
        (x0, y0), (x1, y1) = start, end = points[first], points[last]
        heights = [y for _, y in points[first : last + 1]]
        for part in ROUND:
            piece = _bent(start, at[first], end, at[last], part)
            swings = any(not min(heights) - SWING <= y <= max(heights) + SWING for _, y in piece)
            if not swings and is_free(piece):
                return piece
        if last - first == 1:
            return straight(start, end)
        aside = [abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) for x, y in points[first + 1 : last]]
        middle = first + 1 + aside.index(max(aside))
        return fitted(first, middle) + fitted(middle, last)[1:]

    return fitted(0, passed) + fitted(passed, len(points) - 1)[1:] if passed else fitted(0, len(points) - 1)


def _bent(start: Point, out: Point, end: Point, into: Point, part: float) -> list[Point]:
    """A Bezier curve between two points with a direction at each, whose handles are a part of its length."""
    far = part * dist(start, end)
    (x0, y0), (x1, y1) = start, end
    return [start, (x0 + far * out[0], y0 + far * out[1]), (x1 - far * into[0], y1 - far * into[1]), end]


def _unit(start: Point, end: Point) -> Point:
    """The direction from one point to another."""
    length = dist(start, end) or 1.0
    return (end[0] - start[0]) / length, (end[1] - start[1]) / length


def straight(start: Point, end: Point) -> list[Point]:
    """A line as a Bezier curve, whatever its direction.

    >>> straight((0.0, 3.0), (0.0, 0.0))
    [(0.0, 3.0), (0.0, 2.0), (0.0, 1.0), (0.0, 0.0)]
    """
    (x0, y0), (x1, y1) = start, end
    return [start, ((2 * x0 + x1) / 3, (2 * y0 + y1) / 3), ((x0 + 2 * x1) / 3, (y0 + 2 * y1) / 3), end]


def leaving(box: Place, is_round: bool, aside: float, towards: Point) -> Point:
    """Where the line from a point of a box, `aside` below its middle, to a point outside leaves the box.

    >>> leaving(Place(0.0, 0.0, 20.0, 10.0), False, 0.0, (40.0, 10.0))
    (10.0, 2.5)
    """
    x, y = box.x, box.y + aside
    dx, dy = towards[0] - x, towards[1] - y
    if is_round:  # |(dx t, aside + dy t)| is the radius
        a, b, c = dx * dx + dy * dy, aside * dy, aside * aside - (box.width / 2) ** 2
        part = (sqrt(b * b - a * c) - b) / a
    else:
        up_to = box.height / 2 - (aside if dy > 0 else -aside)
        part = min(box.width / 2 / abs(dx) if dx else 1.0, up_to / abs(dy) if dy else 1.0, 1.0)
    return x + dx * part, y + dy * part


def meets(start: Point, end: Point, bounds: Bounds) -> bool:
    """Whether a line passes through a rectangle: Liang and Barsky's clipping, 1984.

    >>> meets((0.0, 0.0), (10.0, 10.0), (6.0, 0.0, 10.0, 4.0))
    False
    >>> meets((0.0, 0.0), (10.0, 10.0), (3.0, 0.0, 13.0, 7.0))
    True
    """
    (x0, y0), (x1, y1) = start, end
    left, top, right, bottom = bounds
    if (x0 <= left and x1 <= left) or (x0 >= right and x1 >= right):
        return False
    if (y0 <= top and y1 <= top) or (y0 >= bottom and y1 >= bottom):
        return False
    first, last = 0.0, 1.0
    for step, low, high in ((x1 - x0, left - x0, right - x0), (y1 - y0, top - y0, bottom - y0)):
        if step:
            near, far = (low / step, high / step) if step > 0 else (high / step, low / step)
            first, last = max(first, near), min(last, far)
    return first < last


def bounds_of(place: Place, space: float) -> Bounds:
    """The left, top, right and bottom of a place, with this much space around it."""
    x, y, half, high = place.x, place.y, place.width / 2 + space, place.height / 2 + space
    return x - half, y - high, x + half, y + high
