"""The plot of lesson 21: rates as curves. It draws one figure, shows it, and returns nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .colours import INK
from .style import few, figure, show


def rates(curves: Mapping[str, Sequence[float]], columns: int = 3) -> None:
    """Plot learning rates, step by step, with one picture for each schedule.

    Example
    -------
    >>> from autodiff.lessons.plots.lesson_21 import rates
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
