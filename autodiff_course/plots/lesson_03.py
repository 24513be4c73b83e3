"""The plot of lesson 03: a curve has another slope at each of its points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .colours import AMBER, BLUE, RED
from .style import Curve, draw_curve, figure, listed, show


def tangents(f: Curve, places: Sequence[float], name: str) -> None:
    """Plot f, and at each place a piece of the straight line that has the slope of f there.

    ``name`` is written beside the axis of the values.

    Example
    -------
    >>> from autodiff_course import plots
    >>> plots.tangents(lambda x: x * x, (3, 9), "x²")
    """
    _, (ax,) = figure()
    reach = max(places) - min(places)
    low, high = min(places) - 0.5 * reach, max(places) + 0.35 * reach
    draw_curve(ax, f, low, high)
    said = []
    for x, colour in zip(places, (BLUE, RED, AMBER)):
        slope = (f(x + 0.001) - f(x - 0.001)) / 0.002
        ends = np.array([x - 0.35 * reach, x + 0.35 * reach])
        label = f"at {x:g}: slope {slope:.3g}"
        ax.plot(ends, f(x) + slope * (ends - x), color=colour, linewidth=1.8, label=label)
        ax.plot(x, f(x), "o", color=colour, markersize=7, zorder=3)
        said.append(f"at {x:g} its slope is {slope:.3g}")
    ax.set(xlabel="x", ylabel=name)
    ax.legend(frameon=False, fontsize=9)
    show(f"The curve of {name}, and a straight line along it at {len(places)} points: {listed(said)}.")
