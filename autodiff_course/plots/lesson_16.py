"""The plots of lesson 16: slopes over slopes, Newton's steps, walks on a map, and a table of slopes.

Each function draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .colours import AMBER, BLUE, INK, RED, SOFT, WHITE, colours_of, sign_colour
from .style import Curve, draw_curve, few, figure, listed, show

COLOURS = (RED, BLUE, AMBER, SOFT)
CONTOUR = "#a8b3c1"  # lines of equal height


def tower(xs: Sequence[float], curves: Mapping[str, Any], columns: int = 3) -> None:
    """Plot curves over the same ``xs``, each in a panel under its title.

    Example
    -------
    >>> from autodiff_course.plots.lesson_16 import tower
    >>> tower([0, 1, 2], {"x * x": [0, 1, 4], "its slope": [0, 2, 4]}, columns=2)
    """
    rows = -(-len(curves) // columns)
    _, axes = figure(columns, width=3.1 * columns, height=2.1 * rows, rows=rows)
    for ax in axes[len(curves) :]:
        ax.axis("off")
    for place, (ax, (title, values)) in enumerate(zip(axes, curves.items())):
        ax.axhline(0, color=SOFT, linewidth=0.8, zorder=0)
        ax.plot(xs, np.asarray(getattr(values, "data", values)), color=RED if place else INK, linewidth=2)
        ax.set_title(title, color=INK, fontsize=10)
        ax.set_xlim(xs[0], xs[-1])
    words = []
    for title, values in curves.items():
        data = np.asarray(getattr(values, "data", values))
        words.append(f"{title}, between {few(data.min())} and {few(data.max())}")
    show(f"Curves over x from {few(xs[0])} to {few(xs[-1])}: {'; '.join(words)}.")


def parabolas(f: Curve, parts: Sequence[Sequence[float]], low: float, high: float) -> None:
    """Plot f and Newton's steps on it: at each place the parabola that fits best, and its lowest point.

    ``parts`` holds for each step the place, and the value, slope and second slope of f there.

    Example
    -------
    >>> from autodiff_course.plots.lesson_16 import parabolas
    >>> parabolas(lambda x: x**4, [(1, 1, 4, 12)], 0, 1.2)
    """
    _, (ax,) = figure(width=6.4, height=3.6)
    draw_curve(ax, f, low, high)
    bottom, top = ax.get_ylim()
    for step, ((x, value, slope, second), colour) in enumerate(zip(parts, COLOURS), start=1):
        xs = np.linspace(low, high, 200)
        ys = value + slope * (xs - x) + second / 2 * (xs - x) ** 2
        ax.plot(xs, ys, color=colour, linewidth=1.4, dashes=(4, 3), label=f"step {step}: its parabola")
        target = x - slope / second
        lowest = value - slope**2 / second / 2
        ax.plot([target, target], [lowest, f(target)], color=colour, linewidth=1, dashes=(1, 2))
        ax.plot(x, value, "o", color=colour, markersize=7, zorder=3)
        ax.plot(target, lowest, "v", color=colour, markersize=7, zorder=3)
        bottom = min(bottom, lowest - 0.1)
    ax.set_ylim(bottom, top)
    ax.set_xlabel("x")
    ax.legend(frameon=False, fontsize=9)
    words = (
        f"step {step} from x = {few(x)} to {few(x - slope / second)}"
        for step, (x, _, slope, second) in enumerate(parts, start=1)
    )
    show(f"A curve with the parabola that fits best at each place, and its lowest point: {'; '.join(words)}.")


def walks(f: Curve, ways: Mapping[str, Sequence[float]], low: float, high: float) -> None:
    """Plot f and several walks on it by name, each a sequence of places.

    Example
    -------
    >>> from autodiff_course.plots.lesson_16 import walks
    >>> walks(lambda x: x * x, {"down": [2, 1, 0.5], "up": [0.1, 0.2]}, -1, 2.5)
    """
    _, (ax,) = figure(width=6.4, height=3.4)
    draw_curve(ax, f, low, high)
    for (name, places), colour in zip(ways.items(), colours_of(list(ways))):
        heights = [f(float(x)) for x in places]
        for i in range(len(places) - 1):
            bend = "arc3,rad=0.5" if places[i + 1] < places[i] else "arc3,rad=-0.5"
            arrow = {"arrowstyle": "->", "color": colour, "connectionstyle": bend, "shrinkA": 5, "shrinkB": 5}
            ends = (places[i + 1], heights[i + 1]), (places[i], heights[i])
            ax.annotate("", *ends, arrowprops=arrow)
        ax.plot(places, heights, "o", color=colour, markersize=5, zorder=3)
        ax.plot(places[-1], heights[-1], "s", color=colour, markersize=8, zorder=3, label=name)
    ax.set_xlabel("x")
    ax.legend(frameon=False, fontsize=9)
    words = (f"{name} from {few(places[0])} to {few(places[-1])}" for name, places in ways.items())
    show(f"A curve and walks on it: {'; '.join(words)}.")


def map_of(
    f: Callable[[Any], Any],
    ways: Mapping[str, Any],
    window: tuple[float, float, float, float],
    marks: Sequence[tuple[float, float]] = (),
) -> None:
    """Plot the contours of f, a function of two numbers, and several walks by name.

    ``window`` is the lowest and highest x, and the lowest and highest y; ``marks`` are places of crosses.

    Example
    -------
    >>> from autodiff_course.plots.lesson_16 import map_of
    >>> map_of(lambda p: p[0] ** 2 + p[1] ** 2, {"down": [(1, 1), (0, 0)]}, (-1, 2, -1, 2))
    """
    _, (ax,) = figure(width=6.4, height=4.2)
    left, right, bottom, top = window
    grid = np.meshgrid(np.linspace(left, right, 400), np.linspace(bottom, top, 400))
    heights = np.asarray(f(np.stack(grid)))
    above = heights - heights.min()
    levels = float(above.max()) * np.linspace(0, 1, 15) ** 3  # dense where f is low
    ax.contour(*grid, above, levels=levels[1:], colors=CONTOUR, linewidths=0.8)
    for (name, way), colour in zip(ways.items(), colours_of(list(ways))):
        places = np.asarray(way, dtype=float)
        has_dots = len(places) < 100  # the steps of a long walk would cover each other
        ax.plot(*places.T, "-o" if has_dots else "-", color=colour, markersize=4, linewidth=1.6, label=name)
        ax.plot(*places[-1], "s", color=colour, markersize=7, zorder=4)
    for mark in marks:
        ax.plot(*mark, "x", color=INK, markersize=10, markeredgewidth=2.5, zorder=5)
    ax.set(xlim=(left, right), ylim=(bottom, top), xlabel="x", ylabel="y")
    ax.legend(fontsize=9, loc="upper center", framealpha=0.9, edgecolor="none", facecolor=WHITE)
    words = []
    for name, way in ways.items():
        (x, y), (last_x, last_y) = np.asarray(way, dtype=float)[[0, -1]]
        words.append(f"{name}: from ({few(x)}, {few(y)}) to ({few(last_x)}, {few(last_y)})")
    crosses = listed(f"({few(x)}, {few(y)})" for x, y in marks)
    at = f" Crosses are at {crosses}." if marks else ""
    show(f"A map of heights with walks on it. {'; '.join(words)}.{at}")


def put_table(
    ax: Any, table: Any, rows: Sequence[str], columns: Sequence[str], lit: Sequence[tuple[int, int]] = ()
) -> None:
    """Draw a matrix with the names of its rows and columns: orange above 0, blue below 0, and a thick frame
    around the elements in ``lit``."""
    from matplotlib.patches import Rectangle

    numbers = np.asarray(getattr(table, "data", table), dtype=float)
    largest = np.abs(numbers).max() or 1.0
    for (i, j), value in np.ndenumerate(numbers):
        is_lit = (i, j) in lit
        strength = 0.08 + 0.42 * abs(value) / largest
        cell: Any = {"facecolor": sign_colour(value), "alpha": strength, "linewidth": 0}
        ax.add_patch(Rectangle((j + 0.02, i + 0.02), 0.96, 0.96, **cell))
        if is_lit:
            frame: Any = {"fill": False, "edgecolor": INK, "linewidth": 2}
            ax.add_patch(Rectangle((j + 0.04, i + 0.04), 0.92, 0.92, **frame))
        words = f"{value:.3g}" if abs(value) >= 100 else f"{value:.2f}".rstrip("0").rstrip(".")
        ax.text(j + 0.5, i + 0.5, words.replace("-", "−"), color=INK, ha="center", va="center", fontsize=11)
    for i, name in enumerate(rows):
        ax.text(-0.12, i + 0.5, name, color=INK, ha="right", va="center", fontsize=10)
    for j, name in enumerate(columns):
        ax.text(j + 0.5, -0.12, name, color=INK, ha="center", va="bottom", fontsize=10)
    wide = 0.28 * max(map(len, rows))
    ax.set(xlim=(-wide, len(columns)), ylim=(len(rows) + 0.1, -0.5), aspect="equal")
    ax.axis("off")


def table_of_slopes(table: Any, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Plot a matrix of slopes with its rows and columns named.

    Example
    -------
    >>> from autodiff_course.plots.lesson_16 import table_of_slopes
    >>> table_of_slopes([[192, 60], [60, 20]], ["slope in x", "slope in y"], ["x", "y"])
    """
    _, (ax,) = figure(width=1.3 * len(columns) + 1.6, height=1.0 * len(rows) + 0.7)
    put_table(ax, table, rows, columns)
    show(f"A table of slopes. {in_words(table, rows, columns)}.")


def in_words(table: Any, rows: Sequence[str], columns: Sequence[str]) -> str:
    """A matrix with named rows and columns as text."""
    data = np.asarray(getattr(table, "data", table), dtype=float)
    return "; ".join(
        f"{name}: {listed(f'{few(x)} for {column}' for x, column in zip(row, columns))}"
        for name, row in zip(rows, data)
    )
