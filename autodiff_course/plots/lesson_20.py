"""The plots of lesson 20: paths through a valley seen from above.

Each draws one figure, shows it, and returns nothing. A path is an array with one point per row, one for each
step. A valley is a function of a point, which may be a pair of arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .colours import INK, WHITE, colour_of, colours_of
from .style import few, figure, show

Span = tuple[float, float]
CONTOUR = "#a8b3c1"  # lines of equal height
MANY = 120  # steps of a path, whose dots would cover each other


def put_valley(ax: Any, f: Callable[[Any], Any], x: Span, y: Span, bottom: Sequence[float]) -> None:
    """Draw contours, each about twice as high as the next one inside, and a cross at the bottom."""
    xs, ys = np.meshgrid(np.linspace(*x, 360), np.linspace(*y, 280))
    heights = f(np.array([xs, ys]))
    levels = np.geomspace(max(float(heights.max()) / 2000, 1e-3), float(heights.max()), 12)
    ax.contour(xs, ys, heights, levels=levels, colors=CONTOUR, linewidths=0.8, zorder=1)
    ax.plot(*bottom, "x", color=INK, markersize=8, markeredgewidth=2, zorder=5.5)
    ax.set(xlim=x, ylim=y)


def put_path(ax: Any, path: Any, colour: str, label: str | None = None) -> None:
    """Draw a path as a line with a dot for each step, unless there are many, and a large dot at its end."""
    steps = np.asarray(path, dtype=float)
    with np.errstate(all="ignore"):
        steps = steps[np.isfinite(steps).all(axis=1) & (np.abs(steps).max(axis=1) < 1e6)]
    marker = "o" if len(steps) <= MANY else ""
    style = {"color": colour, "linewidth": 1.3, "markersize": 2.6, "marker": marker, "zorder": 3}
    ax.plot(*steps.T, label=label, **style)
    ax.plot(*steps[-1], "o", color=colour, markersize=7, markeredgecolor=WHITE, zorder=5)


def ends_of_paths(walks: Mapping[str, Any], steps: int | None = None) -> str:
    """Where paths end, in words."""
    words = []
    for name, path in walks.items():
        places = np.asarray(path, dtype=float)[: None if steps is None else steps + 1]
        end = ", ".join(few(x) for x in places[-1])
        words.append(f"{name} after {len(places) - 1} steps at ({end})")
    return "; ".join(words)


def paths(
    f: Callable[[Any], Any],
    walks: Mapping[str, Any],
    x: Span,
    y: Span,
    bottom: Sequence[float] = (0, 0),
) -> None:
    """Plot a valley from above with several paths, named in a legend.

    Example
    -------
    >>> from autodiff_course.plots.lesson_20 import paths
    >>> paths(lambda w: w[0] ** 2 + w[1] ** 2, {"down": [(1, 1), (0.5, 0.5)]}, (-2, 2), (-2, 2))
    """
    _, (ax,) = figure(width=7.6, height=4.0)
    put_valley(ax, f, x, y, bottom)
    for (name, path), colour in zip(walks.items(), colours_of(list(walks))):
        put_path(ax, path, colour, name)
    ax.set(xlabel="x", ylabel="y")
    legend = {"edgecolor": "none", "facecolor": WHITE, "framealpha": 0.85, "fontsize": 9}
    ax.legend(**legend, loc="best").set_zorder(6)
    show(f"A valley from above with paths in it: {ends_of_paths(walks)}.")


def side_by_side(
    f: Callable[[Any], Any],
    walks: Mapping[str, Any],
    x: Span,
    y: Span,
    bottom: Sequence[float] = (0, 0),
    rule: str = "sgd",
) -> None:
    """Plot a valley from above once for each path, under its name. All of them are of one rule for steps.

    Example
    -------
    >>> from autodiff_course.plots.lesson_20 import side_by_side
    >>> walks = {"down": [(1, 1), (0.5, 0.5)], "up": [(1, 1), (2, 2)]}
    >>> side_by_side(lambda w: w[0] ** 2 + w[1] ** 2, walks, (-2, 2), (-2, 2))
    """
    _, axes = figure(len(walks), width=4.2 * len(walks), height=2.9)
    for ax, (name, path) in zip(axes, walks.items()):
        put_valley(ax, f, x, y, bottom)
        put_path(ax, path, colour_of(rule, 0))
        ax.set_title(name, color=INK, fontsize=10)
    show(f"A valley from above, once for each path: {ends_of_paths(walks)}.")


def strip(
    f: Callable[[Any], Any],
    walks: Mapping[str, Any],
    moments: Sequence[int],
    x: Span,
    y: Span,
    bottom: Sequence[float] = (0, 0),
) -> None:
    """Plot a race as a row of pictures: the paths up to each of the given numbers of steps.

    Example
    -------
    >>> from autodiff_course.plots.lesson_20 import strip
    >>> walks = {"down": [(1, 1), (0.5, 0.5), (0.2, 0.2)]}
    >>> strip(lambda w: w[0] ** 2 + w[1] ** 2, walks, (1, 2), (-2, 2), (-2, 2))
    """
    _, axes = figure(len(moments), width=2.6 * len(moments), height=2.7)
    for ax, steps in zip(axes, moments):
        put_valley(ax, f, x, y, bottom)
        for (name, path), colour in zip(walks.items(), colours_of(list(walks))):
            put_path(ax, path[: steps + 1], colour, name)
        ax.set_title(f"after {steps} steps", color=INK, fontsize=10)
        ax.set(xticks=[], yticks=[])
    legend = {"edgecolor": "none", "facecolor": WHITE, "framealpha": 0.85, "fontsize": 8}
    axes[0].legend(**legend, loc="lower left")
    words = " ".join(f"{ends_of_paths(walks, steps)}." for steps in moments)
    show(f"A valley from above at several moments of a race. {words}")
