"""The plot of lesson 24: the losses on what a network learns from and on a validation set.

It draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .colours import INK, SOFT, colours_of
from .lesson_08 import ends_of
from .style import figure, show


def plot_losses(curves: Mapping[str, Sequence[float]]) -> None:
    """Plot losses, epoch by epoch, and mark where the last curve is lowest.

    Example
    -------
    >>> from autodiff_course.plots.lesson_24 import plot_losses
    >>> plot_losses({"the 200": [2.3, 1.0, 0.1], "validation": [2.3, 1.2, 1.5]})
    """
    _, (ax,) = figure(width=6, height=3)
    for (name, losses), colour in zip(curves.items(), colours_of(list(curves))):
        ax.plot(range(1, len(losses) + 1), losses, color=colour, linewidth=1.6, label=name)
    last = list(list(curves.values())[-1])
    best = last.index(min(last)) + 1
    ax.axvline(best, color=SOFT, linewidth=0.8, dashes=(4, 3), zorder=0)
    ax.annotate("lowest", (best, 0), (4, 4), textcoords="offset points", color=INK, fontsize=9)
    ax.set(xlabel="epoch", ylabel="loss", ylim=(0, None))
    ax.legend(frameon=False, fontsize=9)
    show(f"Losses, epoch by epoch. {ends_of(curves)}. The last curve is lowest near epoch {round(best, -1)}.")
