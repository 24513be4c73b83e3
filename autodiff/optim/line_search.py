"""A line search: a step length along a direction at which the loss has fallen enough and its slope is
small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

C1 = 1e-4  # sufficient decrease (Armijo): value(t) <= value(0) + C1 t slope(0)
C2 = 0.9  # curvature (strong Wolfe): abs(slope(t)) <= C2 abs(slope(0))


class Point(NamedTuple):
    """A point on the line: its distance t, the loss, the gradient, and the slope of the loss along the
    line."""

    t: float
    value: Any
    grad: np.ndarray
    slope: Any


def strong_wolfe(
    evaluate: Callable[[float], Point], t: float, start: Point, scale: float, tolerance: float, max_tries: int
) -> Point:
    """A point that satisfies the strong Wolfe conditions, or else the lowest that was found.

    The first phase finds an interval that contains such a point, the second narrows it (Nocedal and Wright,
    "Numerical Optimization", 2006, algorithms 3.5 and 3.6; trial points come from cubic interpolation, as in
    PyTorch).

    Parameters
    ----------
    evaluate
        A function from a distance to its point.
    t
        The first distance to try.
    start
        The point at distance 0.
    scale, tolerance
        The largest element of the direction. The search ends when no element changes by ``tolerance`` within
        the interval.
    max_tries
        The largest number of trial points.
    """
    bracket, is_found, tries = find_bracket(evaluate, t, start, max_tries)
    low = 0 if bracket[0].value <= bracket[-1].value else 1
    is_near_end = False
    while not is_found and tries < max_tries and abs(bracket[1].t - bracket[0].t) * scale >= tolerance:
        t, is_near_end = away_from_ends(cubic_minimum(bracket[0], bracket[1]), bracket, is_near_end)
        point, tries = evaluate(t), tries + 1
        best, high = bracket[low], 1 - low
        if is_too_high(point, start) or point.value >= best.value:
            bracket[high] = point
            low = 0 if bracket[0].value <= bracket[1].value else 1
        else:
            is_found = has_small_slope(point, start)
            if not is_found and point.slope * (bracket[high].t - best.t) >= 0:
                bracket[high] = best
            bracket[low] = point
    return bracket[low]


def is_too_high(point: Point, start: Point) -> bool:
    """Whether the point violates the condition of sufficient decrease. A nan does not."""
    return bool(point.value > start.value + C1 * point.t * start.slope)


def has_small_slope(point: Point, start: Point) -> bool:
    """Whether the point satisfies the curvature condition. The slope at the start is negative."""
    return bool(abs(point.slope) <= -C2 * start.slope)


def find_bracket(
    evaluate: Callable[[float], Point], t: float, start: Point, max_tries: int
) -> tuple[list[Point], bool, int]:
    """Two points with a point that satisfies both conditions between them, or that one point alone; whether
    it was found; and the number of trial points after the first."""
    previous, point = start, evaluate(t)
    for tries in range(max_tries):
        if is_too_high(point, start) or (tries > 1 and point.value >= previous.value):
            return [previous, point], False, tries
        if has_small_slope(point, start):
            return [point], True, tries
        if point.slope >= 0:
            return [previous, point], False, tries
        bounds = (point.t + 0.01 * (point.t - previous.t), 10 * point.t)
        previous, point = point, evaluate(cubic_minimum(previous, point, bounds))
    return [start, point], False, max_tries


def cubic_minimum(a: Point, b: Point, bounds: tuple[float, float] | None = None) -> float:
    """The minimum of the cubic through two points with their slopes (Nocedal and Wright, equation 3.59),
    limited to the bounds, by default the two points. Without a minimum, the middle of the bounds."""
    if a.t > b.t:
        a, b = b, a
    lower, upper = bounds or (a.t, b.t)
    d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if not square >= 0:
        return (lower + upper) / 2
    d2 = np.sqrt(square)
    t = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    return min(max(t, lower), upper)


def away_from_ends(t: float, bracket: list[Point], was_near_end: bool) -> tuple[float, bool]:
    """A trial distance, and whether it is near an end of the interval.

    A trial at an end, or near one for the second time in succession, is moved inwards by a tenth of the
    interval, which might otherwise hardly shrink.
    """
    first, last = sorted(point.t for point in bracket)
    margin = 0.1 * (last - first)
    if not min(last - t, t - first) < margin:
        return t, False
    if was_near_end or t >= last or t <= first:
        return (last - margin if abs(t - last) < abs(t - first) else first + margin), False
    return t, True
