"""What stands in a box for a value: a number in few digits, or an array as cells tinted by sign.

All data of a picture are shaded on one scale, and all gradients on another, so that a vanishing gradient is
seen to vanish. A shade grows with the square root of a number: a tenth of the largest is still well visible.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, isfinite, sqrt

from ..graph.as_text import Value, brief
from .faces import LEVELS, NOT_FINITE, Cell, Row


def largest(values: Iterable[Value]) -> float:
    """The largest absolute element of all arrays among some values; 0 if there is none."""
    sizes = [
        abs(x)
        for value in values
        if isinstance(value.numbers, tuple)
        for row in value.numbers
        for x in row
        if isfinite(x)
    ]
    return float(max(sizes, default=0.0))


def row(label: str, value: Value, scale: float, ink: str = "ink") -> Row:
    """The row of a box, or the text on an edge, that shows a value."""
    numbers = value.numbers
    if not isinstance(numbers, tuple) or not numbers:
        is_number = numbers is not None and not isinstance(numbers, (str, bytes, tuple))
        text = value.shape if value.is_shape else brief(numbers) if is_number else value.line
        return Row(label, text, ink)
    if value.is_whole and len(numbers) == len(numbers[0]) == 1:
        return Row(label, brief(numbers[0][0]), ink)
    if value.is_whole:
        table = tuple(tuple(Cell(brief(x), shade(x, scale)) for x in line) for line in numbers)
        return Row(label, "", ink, table)
    cells = tuple(tuple(Cell("", shade(x, scale)) for x in line) for line in numbers)
    return Row(label, value.shape, ink, cells)


def shade(x: float, scale: float) -> int:
    """The shade of a number, from -LEVELS to LEVELS: rounded away from 0, so that what is not 0 is visible.

    >>> shade(1.0, 4.0), shade(-0.001, 4.0), shade(0.0, 4.0), shade(float("nan"), 4.0)
    (4, -1, 0, 9)
    """
    if not isfinite(x):
        return NOT_FINITE
    if not x or not scale:
        return 0
    level = min(LEVELS, ceil(sqrt(abs(x) / scale) * LEVELS))
    return level if x > 0 else -level
