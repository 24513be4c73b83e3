"""The plots of lesson 02: secants, a walk downhill, and a curve at several magnifications."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .colours import AMBER, BLUE, INK, RED, SOFT
from .style import Curve, draw_curve, figure, listed, numbers, show


def secants(f: Curve, x: float, nudges: Sequence[float]) -> None:
    """Plot f around x, and for each nudge the line through the points at x and x + nudge.

    Example
    -------
    >>> from autodiff_course import plots
    >>> plots.secants(lambda a: (a + 2) * (3 * a + 4), 2, (2, 1, 0.1))
    """
    _, (ax,) = figure()
    widest = max(nudges)
    low, high = x - 0.5 * widest, x + 1.1 * widest
    draw_curve(ax, f, low, high)
    slopes = []
    for nudge, colour in zip(nudges, (SOFT, AMBER, RED, BLUE)):
        slopes.append((f(x + nudge) - f(x)) / nudge)
        slope = slopes[-1]
        ends = np.array([low, high])
        label = f"nudge {nudge:g}: slope {slope:.3g}"
        ax.plot(ends, f(x) + slope * (ends - x), color=colour, linewidth=1.4, label=label)
        ax.plot(x + nudge, f(x + nudge), "o", color=colour, markersize=6)
    ax.plot(x, f(x), "o", color=INK, markersize=7, zorder=3)
    ax.set(xlabel="a", ylabel="e")
    ax.legend(frameon=False, fontsize=9)
    lines = listed(f"nudge {nudge:g} with slope {slope:.3g}" for nudge, slope in zip(nudges, slopes))
    show(f"A curve, and straight lines through its point at a = {x:g} and a second point of it: {lines}.")


def downhill(f: Curve, x: float, rate: float, steps: int) -> None:
    """Plot f and the points of a walk downhill from x. Each step is the nudged slope times the rate.

    Example
    -------
    >>> from autodiff_course import plots
    >>> plots.downhill(lambda x: x * x, 3, 0.2, 4)
    """
    points = [x]
    for _ in range(steps - 1):
        x = points[-1]
        points.append(x - rate * (f(x + 0.001) - f(x - 0.001)) / 0.002)
    _, (ax,) = figure()
    reach = max(points) - min(points)
    draw_curve(ax, f, min(points) - 0.3 * reach, max(points) + 0.1 * reach)
    values = [f(point) for point in points]
    for i in range(len(points) - 1):
        bend = "arc3,rad=0.3" if points[i + 1] < points[i] else "arc3,rad=-0.3"
        arrow = {"arrowstyle": "->", "color": RED, "connectionstyle": bend, "shrinkA": 5, "shrinkB": 5}
        ax.annotate("", (points[i + 1], values[i + 1]), (points[i], values[i]), arrowprops=arrow)
    ax.plot(points, values, "o", color=RED, markersize=6, zorder=3)
    ax.set(xlabel="a", ylabel="e")
    way = f"{numbers(points[:1])} to {numbers(points[1:])}"
    show(f"A curve, and a walk on it: a goes from {way}, where e is {numbers(values)}.")


def closer(f: Curve, x: float, reaches: Sequence[float] = (4, 0.4, 0.04)) -> None:
    """Plot f around x once for each reach, with its tangent at x.

    Example
    -------
    >>> from autodiff_course import plots
    >>> plots.closer(lambda a: (a + 2) * (3 * a + 4), 2)
    """
    _, axes = figure(len(reaches), width=9, height=3)
    slope = (f(x + 0.001) - f(x - 0.001)) / 0.002
    for ax, reach in zip(axes, reaches):
        ends = np.array([x - reach, x + reach])
        draw_curve(ax, f, x - reach, x + reach)
        ax.plot(ends, f(x) + slope * (ends - x), color=RED, linewidth=1.6, dashes=(4, 3))
        ax.plot(x, f(x), "o", color=INK, markersize=6)
        ax.set_xticks([x - reach, x, x + reach])
        ax.locator_params(axis="y", nbins=4)
        ax.set_xlabel("a")
    axes[0].set_ylabel("e")
    axes[-1].text(0.08, 0.88, f"slope {slope:.3g}", color=RED, fontsize=10, transform=axes[-1].transAxes)
    show(
        f"The curve with its tangent at a = {x:g}, whose slope is {slope:.3g}, from closer and closer: up to "
        f"{numbers(reaches)} on both sides. The closer, the less the two can be told apart."
    )
