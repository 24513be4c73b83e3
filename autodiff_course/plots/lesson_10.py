"""The plots of lesson 10: a small array stretched to a larger shape, and gradients summed back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .colours import BLUE, INK, LEAF, RED, SOFT
from .lesson_09 import put_cell
from .style import figure, show

GREY, TINT = SOFT, LEAF  # the number of a copy, and the background of a leaf
AWAY = 1.6  # the distance from a table to the array that it was stretched from


def stretched(pairs: Sequence[tuple[Any, tuple[int, ...]]]) -> None:
    """Plot arrays side by side, each stretched to its shape. Copies are grey.

    Example
    -------
    >>> from autodiff_course.plots.lesson_10 import stretched
    >>> stretched([([2, 2, 3], (3, 3)), ([[1], [2]], (2, 3)), (5, (3,))])
    """
    axes = tables([shape for _, shape in pairs])
    for ax, (small, shape) in zip(axes, pairs):
        put_there(ax, np.asarray(small, dtype=float), shape)
    words = (f"{np.asarray(small).tolist()} stretched to the shape {shape}" for small, shape in pairs)
    show(f"{'; '.join(words)}: arrows lead from each number to its copies.")


def there_and_back(small: Any, contributions: Any) -> None:
    """Plot a small array stretched to the shape of ``contributions``, and beside it their sums.

    Example
    -------
    >>> from autodiff_course.plots.lesson_10 import there_and_back
    >>> there_and_back([2, 2, 3], [[1, 2, 3], [2, 3, 4], [3, 4, 5]])
    """
    array, arrived = np.asarray(small, dtype=float), np.asarray(contributions, dtype=float)
    axes = tables([arrived.shape] * 2)
    put_there(axes[0], array, arrived.shape)
    put_back(axes[1], array, arrived)
    _, along = flat(array, arrived.shape)
    summed = arrived.reshape(two(arrived.shape)).sum(axis=along, keepdims=True).reshape(array.shape)
    show(
        f"There: {array.tolist()} stretched to the shape {arrived.shape}. Back: the contributions "
        f"{arrived.tolist()} added up to {summed.tolist()}."
    )


def tables(shapes: Sequence[tuple[int, ...]]) -> list[Any]:
    """Empty axes side by side for tables of these shapes, all with cells of the same size."""
    rows, columns = (max(sizes) for sizes in zip(*map(two, shapes)))
    low, high = (-AWAY - 0.7, -rows + 0.4), (columns - 0.4, AWAY + 0.6)
    width, height = (0.55 * (end - start) for start, end in zip(low, high))
    _, axes = figure(len(shapes), width=round(width * len(shapes), 1), height=round(0.8 * height + 0.5, 1))
    for ax in axes:
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        ax.set_aspect(0.8)
        ax.axis("off")
    return axes


def put_there(ax: Any, small: Any, shape: tuple[int, ...]) -> None:
    """Draw the small array beside the table that it is stretched to, with an arrow from each number."""
    values, axes = flat(small, shape)
    table = np.broadcast_to(values, two(shape))
    for (i, j), value in np.ndenumerate(table):
        is_copy = any((i, j)[axis] for axis in axes)
        put_cell(ax, (j, -i), value, color=GREY if is_copy else INK, line=":" if is_copy else "-")
    for place, value in placed_numbers(values, axes):
        put_cell(ax, place, value, ground=TINT, edge=BLUE, weight="bold")
    for start, end in arrows(values, axes):
        put_short_arrow(ax, start, end, BLUE)
    put_word(ax, "copied", axes, BLUE)
    ax.set_title(f"there: {small.shape} becomes {shape}", color=INK, fontsize=11)


def put_back(ax: Any, small: Any, arrived: Any) -> None:
    """Draw the contributions that arrive at each copy, and beside them the sums."""
    values, axes = flat(small, arrived.shape)
    table = arrived.reshape(two(arrived.shape))
    for (i, j), value in np.ndenumerate(table):
        put_cell(ax, (j, -i), value, color=RED)
    for place, value in placed_numbers(table.sum(axis=axes, keepdims=True), axes):
        put_cell(ax, place, value, ground=TINT, edge=RED, color=RED, weight="bold")
    for start, end in arrows(values, axes):
        put_short_arrow(ax, end, start, RED)
    put_word(ax, "added up", axes, RED)
    ax.set_title(f"back: {arrived.shape} becomes {small.shape}", color=RED, fontsize=11)


def two(shape: tuple[int, ...]) -> tuple[int, int]:
    """A shape as rows and columns."""
    rows, columns = (1, 1, *shape)[-2:]
    return rows, columns


def flat(small: Any, shape: tuple[int, ...]) -> tuple[Any, tuple[int, ...]]:
    """The small array as rows and columns, and the axes along which it is stretched."""
    values = small.reshape(two(small.shape))
    sizes = zip(values.shape, two(shape))
    return values, tuple(axis for axis, (size, larger) in enumerate(sizes) if size != larger)


def placed_numbers(values: Any, axes: tuple[int, ...]) -> list[tuple[tuple[float, float], float]]:
    """The numbers of an array above the table or to its left, with their places."""
    across, up = (AWAY if axis in axes else 0 for axis in (1, 0))
    return [((j - across, up - i), float(value)) for (i, j), value in np.ndenumerate(values)]


def arrows(values: Any, axes: tuple[int, ...]) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """The ends of an arrow from the edge of each number to that of the first cell it is copied to."""
    ends = []
    for (i, j), (place, _) in zip(np.ndindex(*values.shape), placed_numbers(values, axes)):
        across, up = (0.46 if 1 in axes else 0), (0.4 if 0 in axes else 0)
        ends.append(((place[0] + across, place[1] - up), (j - across, up - i)))
    return ends


def put_short_arrow(ax: Any, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
    """Draw an arrow between two cells."""
    arrow = {
        "arrowstyle": "-|>,head_width=0.22",
        "color": colour,
        "linewidth": 1.4,
        "shrinkA": 2,
        "shrinkB": 2,
    }
    ax.annotate("", end, start, arrowprops=arrow)


def put_word(ax: Any, word: str, axes: tuple[int, ...], colour: str) -> None:
    """Label the first arrow with what the arrows do."""
    place = (-0.55, AWAY / 2) if 0 in axes else (-AWAY / 2, 0.6)
    ax.text(*place, word, color=colour, fontsize=10, ha="right" if 0 in axes else "center", va="center")
