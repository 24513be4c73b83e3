"""The plot of lesson 06: curves with their slopes below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .colours import INK, RED, SOFT
from .style import few, figure, show


def curves_and_slopes(
    value_and_slope: Callable[[Any, float], tuple[float, float]],
    curves: Sequence[tuple[str, Any, float, float]],
) -> None:
    """Plot curves side by side, with the slope of each below it. ``value_and_slope(f, x)`` computes both.

    A curve is a tuple of its label, its function, and the lowest and the highest x. Where a slope jumps
    there is a gap in its line.

    Example
    -------
    >>> from autodiff_course import plots
    >>> plots.curves_and_slopes(lambda f, x: (f(x), 2 * x), [("x ** 2", lambda x: x * x, -2, 2)])
    """
    _, axes = figure(len(curves), width=10, height=4.4, rows=2)
    words = []
    above, below = axes[: len(curves)], axes[len(curves) :]
    for top, bottom, (label, f, low, high) in zip(above, below, curves):
        xs = [float(x) for x in np.linspace(low, high, 121)]
        values, slopes = zip(*[value_and_slope(f, x) for x in xs])
        pieces = without_jumps(xs, slopes)
        words.append(
            f"{label} from x = {low:g} to {high:g} goes from {few(values[0])} to {few(values[-1])}, "
            f"and its slope below it from {few(slopes[0])} to {few(slopes[-1])}"
            + ", with a jump" * (len(pieces) > 1)
        )
        top.plot(xs, values, color=INK, linewidth=2)
        top.set_title(label, color=INK, fontsize=11)
        for places, heights in pieces:
            bottom.plot(places, heights, color=RED, linewidth=2)
        for ax in (top, bottom):
            ax.axhline(0, color=SOFT, linewidth=0.8, zorder=0)
            ax.set_xlim(low, high)
    above[0].set_ylabel("the curve", color=INK)
    below[0].set_ylabel("its slope", color=RED)
    show("; ".join(words) + ".")


def without_jumps(xs: Sequence[float], heights: Sequence[float]) -> list[tuple[list[float], list[float]]]:
    """The pieces of a line between its jumps. A jump is more than half of the line's whole height at once."""
    large = (max(heights) - min(heights)) / 2
    cuts = [i for i in range(1, len(xs)) if large and abs(heights[i] - heights[i - 1]) > large]
    return [(list(xs[i:j]), list(heights[i:j])) for i, j in zip([0, *cuts], [*cuts, len(xs)])]
