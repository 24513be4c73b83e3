"""The plots of lesson 12: where the numbers of an array go, where gradients come back to, and stops on a map.

Each function draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..machine import after
from .colours import AMBER, BLUE, GREEN, INK, PAPER, RED, SOFT, TINTS, WHITE
from .lesson_11 import as_grid, canvas, label, put_grid
from .style import few, figure, listed, show

# The backgrounds of different elements; the eighth element has the first colour again.
GROUNDS = tuple(TINTS)


def local_slopes(f: Callable[[Any], Any], data: Any) -> np.ndarray:
    """The local slopes of f: how much each result moves with each element of ``data``, a row per result."""
    engine = after(12)
    x = engine.Tensor(np.asarray(data, dtype=float))
    z = f(x)
    rows = []
    for place in np.ndindex(z.shape):
        start = np.zeros(z.shape)
        start[place] = 1
        rows.append(np.ravel(engine.gradients(z, start)[x]))
    return np.array(rows)


def mixed_colour(colours: Sequence[str], shares: np.ndarray) -> str:
    """The weighted mean of colours, or the background's colour if all weights are 0."""
    if not shares.any():
        return PAPER
    from matplotlib.colors import to_hex, to_rgb

    rgb = np.array([to_rgb(colour) for colour in colours])
    weights = np.abs(shares) / np.abs(shares).sum()
    return str(to_hex(weights @ rgb))


def tints(slopes: np.ndarray) -> tuple[list[str], list[str]]:
    """The backgrounds of the operand's and of the result's elements. Each element of the side that has fewer
    gets a different colour; an element of the other side gets the mean of those that it belongs to."""
    own = [GROUNDS[i % len(GROUNDS)] for i in range(min(slopes.shape))]
    if len(slopes) <= slopes.shape[1]:
        return [mixed_colour(own, column) for column in slopes.T], own
    return own, [mixed_colour(own, row) for row in slopes]


def journey(
    f: Callable[[Any], Any], data: Any, grad: Any, names: tuple[str, str] = ("x", "z"), letters: str = ""
) -> None:
    """Plot where the numbers of an array go, and below, in the same colours, where gradients come back to.

    Parameters
    ----------
    f
        A function from a Tensor of the reader's machine to another.
    data
        Its argument, an array.
    grad
        The gradient of the result.
    names
        The names of the operand and the result.
    letters
        Labels over the operand's columns.

    Example
    -------
    >>> from autodiff_course.plots.lesson_12 import journey
    >>> journey(lambda x: x.sum(axis=1), [[3, 7, 5], [8, 2, 8]], [10, 1])
    """
    engine = after(12)
    x = engine.Tensor(np.asarray(data, dtype=float))
    z = f(x)
    grad = np.broadcast_to(np.asarray(grad, dtype=float), z.shape)
    grad_of_x = engine.gradients(z, grad)[x]
    (high, wide), (z_high, z_wide) = as_grid(x).shape, as_grid(z).shape
    row, gap = max(high, z_high), 3.0  # how high a line of grids is, and how long an arrow
    ax = canvas(wide + gap + z_wide + 2, 2 * row + 3.8)
    of_x, of_z = tints(local_slopes(f, data))
    for top, ink, arrays, words in (
        (1.4, INK, (x, z), names),
        (row + 3.4, RED, (grad_of_x, grad), tuple(f"gradient of {name}" for name in names)),
    ):
        middle = top + row / 2
        put_named(ax, arrays[0], (1, middle), of_x, words[0], ink, letters)
        put_named(ax, arrays[1], (1 + wide + gap, middle), of_z, words[1], ink)
        ends = [(wide + 1.6, middle), (wide + gap + 0.4, middle)]
        start, tip = ends if ink == INK else reversed(ends)
        ax.annotate("", tip, start, arrowprops={"arrowstyle": "-|>", "color": ink, "linewidth": 1.6})
    show(
        f"There: {names[0]} {x.data.tolist()} becomes {names[1]} {z.data.tolist()}. Back, in the "
        f"same colours: the gradient {grad.tolist()} becomes {grad_of_x.tolist()}."
    )


def put_named(
    ax: Any,
    array: Any,
    place: tuple[float, float],
    colours: Sequence[str],
    name: str,
    ink: str,
    letters: str = "",
) -> None:
    """Draw a grid under its name, with the middle of its left side at ``place``, and letters over columns."""
    grid = as_grid(array)
    (left, middle), columns = place, grid.shape[1]
    top = middle - len(grid) / 2
    put_grid(ax, grid, (left, top), lambda i, j: colours[i * columns + j], ink)
    label(ax, left + columns / 2, top - (1.1 if letters else 0.5), name, ink)
    for j, letter in enumerate(letters):
        label(ax, left + j + 0.5, top - 0.4, letter, SOFT)


def stops(houses: Any, walks: Mapping[str, Any], nearest: Sequence[int] | None = None) -> None:
    """Plot houses as dots and the path of each stop, once for each walk under its title.

    Parameters
    ----------
    houses
        Points, of shape (n, 2).
    walks
        By title: the places of all stops after each step, of shape (steps, stops, 2).
    nearest
        The number of the stop for each house, which sets its colour; without it, all houses are grey.

    Example
    -------
    >>> from autodiff_course.plots.lesson_12 import stops
    >>> stops([(0, 0), (1, 1)], {"one step": [[(0, 1)], [(0.5, 0.5)]]})
    """
    houses = np.asarray(houses)
    _, axes = figure(len(walks), width=4.4 * len(walks), height=3.6)
    colours = [SOFT] * len(houses) if nearest is None else [(BLUE, AMBER, GREEN)[i % 3] for i in nearest]
    for ax, (title, walk) in zip(axes, walks.items()):
        ax.scatter(*houses.T, s=14, c=colours, alpha=0.55, linewidths=0)
        ways = np.asarray(walk)
        for way in np.swapaxes(ways, 0, 1):
            ax.plot(*way.T, "-o", color=RED, markersize=3, linewidth=1.2)
            ax.plot(*way[0], "o", color=WHITE, markeredgecolor=RED, markersize=7)
            ax.plot(*way[-1], "s", color=RED, markeredgecolor=WHITE, markersize=9)
        ax.set_title(title, color=INK, fontsize=11)
        ax.set_aspect("equal")
    ends = (
        f"{title}: to {listed(f'({few(x)}, {few(y)})' for x, y in np.asarray(walk)[-1])}"
        for title, walk in walks.items()
    )
    show(f"A map with {len(houses)} houses, and the way of each stop. {'; '.join(ends)}.")
