"""The plots of lesson 09: several walks downhill on one curve, and the gradient that a walk starts from
beside the Jacobian."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .colours import AMBER, BLUE, GREEN, INK, RED, SOFT, WHITE
from .style import Curve, draw_curve, few, figure, listed, show


def downhill_together(f: Curve, places: Sequence[Sequence[float]]) -> None:
    """Plot f and several walks on it. ``places`` has a row for each step and a column for each walk.

    Example
    -------
    >>> from autodiff_course.plots.lesson_09 import downhill_together
    >>> downhill_together(lambda x: x * x, [[2, -3], [1, -1.5]])
    """
    steps = np.asarray(places, dtype=float)
    _, (ax,) = figure()
    reach = 0.08 * float(np.ptp(steps))
    draw_curve(ax, f, steps.min() - reach, steps.max() + reach)
    for walk, colour, mark in zip(steps.T, (AMBER, BLUE, GREEN, SOFT), "os^D"):
        heights = [f(float(x)) for x in walk]
        for i in range(len(walk) - 1):
            if abs(walk[i + 1] - walk[i]) < reach / 2:
                continue  # no room between the two marks for an arrow
            bend = "arc3,rad=0.3" if walk[i + 1] < walk[i] else "arc3,rad=-0.3"
            arrow = {"arrowstyle": "->", "color": colour, "connectionstyle": bend, "shrinkA": 4, "shrinkB": 4}
            ax.annotate("", (walk[i + 1], heights[i + 1]), (walk[i], heights[i]), arrowprops=arrow)
        label = f"from {walk[0]:g}".replace("-", "−")
        ax.plot(walk, heights, mark, color=colour, markersize=4, zorder=3, label=label)
    ax.set(xlabel="a", ylabel="e")
    ax.legend(frameon=False, fontsize=9)
    ways = "; ".join(f"from {few(walk[0])} to {few(walk[-1])}" for walk in steps.T)
    show(f"A curve with {steps.shape[1]} walks on it, each of {len(steps) - 1} steps: {ways}.")


def put_cell(
    ax: Any,
    place: tuple[float, float],
    value: float,
    *,
    ground: str = WHITE,
    strength: float = 1.0,
    **style: Any,
) -> None:
    """Draw a cell with a number, centred at ``place``. Neighbouring cells are 1 apart."""
    from matplotlib.patches import Rectangle

    x, y = place
    edge = {"edgecolor": style.pop("edge", SOFT), "linestyle": style.pop("line", "-"), "linewidth": 0.9}
    ax.add_patch(Rectangle((x - 0.46, y - 0.4), 0.92, 0.8, facecolor=ground, alpha=strength, linewidth=0))
    ax.add_patch(Rectangle((x - 0.46, y - 0.4), 0.92, 0.8, fill=False, **edge))
    words = {"ha": "center", "va": "center", "fontsize": 12, "color": INK, **style}
    ax.text(x, y, f"{value:g}".replace("-", "−"), **words)


def weighted_rows(matrix: Any, start: Any, rows: str = "result", columns: str = "number") -> None:
    """Plot what a walk starts from beside the Jacobian, its rows shaded by their weights, and their sum.

    ``rows`` and ``columns`` are the labels of rows and columns.

    Example
    -------
    >>> from autodiff_course.plots.lesson_09 import weighted_rows
    >>> weighted_rows([[5, 0, 2], [3, 2, 0], [0, 5, 3]], [1, 0, 0], "face", "side")
    """
    table, weights = np.asarray(matrix, dtype=float), np.asarray(start, dtype=float)
    count = len(table)
    _, (ax,) = figure(width=6.4, height=0.5 * count + 1.5)
    most = np.abs(weights).max() or 1
    small = {"ha": "center", "va": "center", "fontsize": 10}
    for i, (weight, row) in enumerate(zip(weights, table)):
        y, strength = float(-i), 0.55 * abs(weight) / most
        ax.text(-1.5, y, f"{rows} {i}", color=SOFT, **small)
        put_cell(ax, (0, y), weight, color=RED, weight="bold")
        ax.text(0.85, y, "×", color=SOFT, **small)
        for j, slope in enumerate(row):
            colour = INK if weight else SOFT
            put_cell(ax, (1.7 + j, y), slope, ground=BLUE, strength=strength, color=colour)
    bottom = -count - 0.35
    ax.text(0, 0.75, "start", color=RED, **small)
    for i, answer in enumerate(weights @ table):
        put_cell(ax, (1.7 + i, bottom), answer, color=RED, weight="bold")
        ax.text(1.7 + i, 0.75, f"{columns} {i}", color=SOFT, **small)
        arrow = {"arrowstyle": "-|>,head_width=0.2", "color": RED, "linewidth": 1.2}
        ax.annotate("", (1.7 + i, bottom + 0.4), (1.7 + i, 0.55 - count), arrowprops=arrow)
    ax.text(0.3, bottom, "added up: the gradient", color=RED, **{**small, "ha": "right"})
    ax.set_xlim(-3.2, 1.9 + table.shape[1])
    ax.set_ylim(bottom - 0.6, 1.1)
    ax.set_aspect(0.72)
    ax.axis("off")
    lines = "; ".join(f"{weight:g} times {exact(row)}" for weight, row in zip(weights, table))
    show(
        f"What the walk starts from, beside the rows of the Jacobian: {lines}. Added up, the gradient: "
        f"{exact(weights @ table)}."
    )


def exact(values: Any) -> str:
    """Numbers in a sentence, in full: those of these tables are written out."""
    return listed(f"{value:g}" for value in values)
