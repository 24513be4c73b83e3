"""A line search: how far to go along a direction so that the loss falls enough and the slope flattens
enough."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

FALL = 1e-4  # the loss falls by at least this share of what the slope at the start promises (Armijo)
FLATTENING = 0.9  # and the slope becomes at most this share of that at the start (strong Wolfe condition)


class Point(NamedTuple):
    """A place on the line: how far it is, the loss there, its gradient, and its slope along the line."""

    t: float
    value: Any
    grad: np.ndarray
    slope: Any


def strong_wolfe(
    at: Callable[[float], Point], t: float, start: Point, size: float, tolerance: float, most: int
) -> Point:
    """A point that satisfies the strong Wolfe conditions, or the lowest that was found.

    First an interval is found that has one, then the interval is narrowed (Nocedal and Wright, "Numerical
    Optimization", 2006, algorithms 3.5 and 3.6; the new points come from cubic interpolation, as in PyTorch).

    Parameters
    ----------
    at
        Gives the point at a distance.
    t
        The first distance to try.
    start
        The point at distance 0.
    size, tolerance
        The largest element of the direction; an interval in which no element changes by ``tolerance`` is not
        narrowed further.
    most
        How many times a new point is tried.
    """
    bracket, is_found, tries = enclose(at, t, start, most)
    low = 0 if bracket[0].value <= bracket[-1].value else 1
    is_stuck = False
    while not is_found and tries < most and abs(bracket[1].t - bracket[0].t) * size >= tolerance:
        t, is_stuck = off_the_ends(cubic(bracket[0], bracket[1]), bracket, is_stuck)
        point, tries = at(t), tries + 1
        best, high = bracket[low], 1 - low
        if point.value > start.value + FALL * t * start.slope or point.value >= best.value:
            bracket[high] = point
            low = 0 if bracket[0].value <= bracket[1].value else 1
        else:
            is_found = abs(point.slope) <= -FLATTENING * start.slope
            if not is_found and point.slope * (bracket[high].t - best.t) >= 0:
                bracket[high] = best
            bracket[low] = point
    return bracket[low]


def enclose(at: Callable[[float], Point], t: float, start: Point, most: int) -> tuple[list[Point], bool, int]:
    """Go on until the loss rises or the slope turns up: two points with what is looked for between them; or
    one point that is it. Also whether it is, and the number of points tried after the first."""
    before, point = start, at(t)
    for tries in range(most):
        rises = point.value > start.value + FALL * point.t * start.slope
        if rises or (tries > 1 and point.value >= before.value):
            return [before, point], False, tries
        if abs(point.slope) <= -FLATTENING * start.slope:
            return [point], True, tries
        if point.slope >= 0:
            return [before, point], False, tries
        bounds = (point.t + 0.01 * (point.t - before.t), 10 * point.t)
        before, point = point, at(cubic(before, point, bounds))
    return [start, point], False, most


def cubic(a: Point, b: Point, bounds: tuple[float, float] | None = None) -> float:
    """Where the cubic through two points, with their slopes, has its minimum; kept within bounds, which are
    the two points unless told. Without a minimum it is the middle (Nocedal and Wright, equation 3.59)."""
    if a.t > b.t:
        a, b = b, a
    least, most = bounds or (a.t, b.t)
    d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if not square >= 0:
        return (least + most) / 2
    d2 = np.sqrt(square)
    t = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    return min(max(t, least), most)


def off_the_ends(t: float, bracket: list[Point], is_stuck: bool) -> tuple[float, bool]:
    """A trial that is close to an end of the interval for the second time, or on it, is moved inwards by a
    tenth of its length: else the interval may hardly shrink. Also whether the trial is close to an end."""
    first, last = sorted(point.t for point in bracket)
    margin = 0.1 * (last - first)
    if not min(last - t, t - first) < margin:
        return t, False
    if is_stuck or t >= last or t <= first:
        return (last - margin if abs(t - last) < abs(t - first) else first + margin), False
    return t, True
