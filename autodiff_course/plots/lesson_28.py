"""The plots of lesson 28: how often a run computes, and lines through petals.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .colours import BLUE, CURVES, INK, RED, SOFT
from .style import few, figure, show

COLOURS = (BLUE, RED)


def doublings(counts: Mapping[str, Sequence[int]]) -> None:
    """Plot for each name how many additions 1, 2, 3, ... doublings take.

    Example
    -------
    >>> from autodiff_course.plots.lesson_28 import doublings
    >>> doublings({"each node once": [1, 2, 3], "without memory": [1, 3, 7]})
    """
    _, (ax,) = figure(width=7.0, height=3.6)
    words = []
    for (name, row), colour in zip(counts.items(), COLOURS):
        times = np.arange(1, len(row) + 1)
        name_and_end = f"{name}: {row[-1]:,}"
        ax.plot(times, row, "o-", color=colour, markersize=4, linewidth=1.6, label=name_and_end)
        words.append(f"{name}, {row[-1]:,}")
    ax.set(xlabel="doublings", ylabel="additions", xlim=(0.5, len(times) + 0.5))
    ax.set_xticks(times[::2])
    ax.legend(frameon=False, fontsize=10)
    ax.yaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
    show(f"Additions for 1 to {times[-1]} doublings. At the end: {'; '.join(words)}.")


def fits(lengths: Any, widths: Any, lines: Mapping[str, tuple[float, float]]) -> None:
    """Plot petals as dots, and lines through them by name, each a slope and a height at 0.

    Example
    -------
    >>> from autodiff_course.plots.lesson_28 import fits
    >>> fits([1, 2, 3], [0.2, 0.5, 1.1], {"at first": (0, 0), "at last": (0.4, -0.2)})
    """
    _, (ax,) = figure(width=7.0, height=3.8)
    ax.scatter(lengths, widths, s=18, color=SOFT, alpha=0.6, linewidths=0, zorder=2)
    ends = np.array([0.0, 1.04 * np.max(lengths)])
    colours = (INK, *CURVES)
    for (name, (slope, height)), colour in zip(lines.items(), colours):
        ax.plot(ends, slope * ends + height, color=colour, linewidth=2.2, label=name, zorder=3)
    ax.set(xlim=tuple(ends), xlabel="length of the petal in cm", ylabel="width in cm")
    ax.legend(frameon=False, fontsize=9)
    words = (
        f"{name}, slope {few(slope)}, height at 0 {few(height)}" for name, (slope, height) in lines.items()
    )
    show(f"Dots for {len(lengths)} petals, their width over their length, and lines. {'; '.join(words)}.")
