"""The plots of lesson 21: rates as curves, and the places where walks end. Each draws one figure, shows it,
and returns nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .colours import INK, WHITE, colour_of
from .lesson_20 import put_valley
from .style import few, figure, show


def rates(curves: Mapping[str, Sequence[float]], columns: int = 3) -> None:
    """Plot learning rates, step by step, with one picture for each schedule.

    Example
    -------
    >>> from autodiff_course.plots.lesson_21 import rates
    >>> rates({"constant": [1, 1, 1], "falling": [1, 0.5, 0.25]})
    """
    rows = -(-len(curves) // columns)
    _, axes = figure(columns, width=3.0 * columns, height=1.9 * rows, rows=rows)
    for ax in axes[len(curves) :]:
        ax.axis("off")
    for ax, (name, curve) in zip(axes, curves.items()):
        ax.plot(range(len(curve)), curve, color=INK, linewidth=1.8)
        ax.set_title(name, color=INK, fontsize=10)
        ax.set_ylim(0, max(curve) * 1.1)
        ax.locator_params(axis="y", nbins=4)
    words = (f"{name}: from {few(curve[0])} to {few(curve[-1])}" for name, curve in curves.items())
    show(f"Learning rates, step by step. {'; '.join(words)}.")


def ends_of_walks(
    f: Callable[[Any], Any],
    ends: Mapping[str, Any],
    x: tuple[float, float],
    y: tuple[float, float],
) -> None:
    """Plot a valley from above once for each group of places in it, with a dot for each place.

    A group is an array with a row for x and a row for y.

    Example
    -------
    >>> from autodiff_course.plots.lesson_21 import ends_of_walks
    >>> ends_of_walks(lambda w: w[0] ** 2 + w[1] ** 2, {"here": [[1, 0], [1, 1]]}, (-2, 2), (-2, 2))
    """
    _, axes = figure(len(ends), width=4.2 * len(ends), height=2.9)
    words = []
    for ax, (name, (xs, ys)) in zip(axes, ends.items()):
        put_valley(ax, f, x, y, bottom=(0, 0))
        ax.plot(xs, ys, "o", color=colour_of("sgd", 0), markersize=6, markeredgecolor=WHITE, zorder=5)
        ax.set_title(name, color=INK, fontsize=10)
        spans = (f"{of} from {few(min(line))} to {few(max(line))}" for of, line in (("x", xs), ("y", ys)))
        words.append(f"{name}: {len(xs)} places, {' and '.join(spans)}")
    show(f"Last places of walks in a valley, from above. {'; '.join(words)}.")
