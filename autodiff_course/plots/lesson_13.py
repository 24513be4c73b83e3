"""The plots of lesson 13: small pictures of digits, and a confusion matrix.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .colours import INK, RED, SOFT, WHITE
from .pictures import show_grid
from .style import figure, show

GROUNDS = (WHITE, "#d5e2f7", "#f8dcd0")  # the backgrounds of no answers, right ones and wrong ones


def show_pictures(pictures: Any, titles: Sequence[Any], columns: int = 10, size: float = 0.9) -> None:
    """Plot pictures of 8 x 8 pixels, from 0 (paper) to 1 (ink), under their titles; ``size`` is in inches.

    Example
    -------
    >>> from autodiff_course.plots.lesson_13 import show_pictures
    >>> show_pictures([[0, 1] * 32, [1, 0] * 32], ["stripes", "more stripes"], columns=2)
    """
    show_grid(np.reshape(pictures, (-1, 8, 8)), titles, columns, size, ink=1)


def confusion(said: Any, right: Any, count: int = 10) -> None:
    """Plot a confusion matrix: a row for each true digit, a column for each prediction.

    Example
    -------
    >>> from autodiff_course.plots.lesson_13 import confusion
    >>> confusion([0, 1, 1], [0, 1, 0], count=2)
    """
    table = np.zeros((count, count), int)
    np.add.at(table, (np.asarray(right), np.asarray(said)), 1)
    from matplotlib.patches import Rectangle

    grounds = (table > 0) * np.where(np.eye(count, dtype=bool), 1, 2)
    _, (ax,) = figure(width=4.4, height=4.4)
    for (row, column), ground in np.ndenumerate(grounds):
        corner = column - 0.5, row - 0.5
        ax.add_patch(Rectangle(corner, 1, 1, facecolor=GROUNDS[int(ground)], edgecolor=SOFT, linewidth=0.3))
    ax.set(xlim=(-0.5, count - 0.5), ylim=(count - 0.5, -0.5), aspect="equal")
    for (row, column), times in np.ndenumerate(table):
        if times:
            ink = INK if row == column else RED
            ax.text(column, row, times, color=ink, ha="center", va="center", fontsize=10)
    ax.set(xticks=range(count), yticks=range(count), xlabel="it said", ylabel="it is")
    ax.tick_params(which="both", length=0)
    ax.xaxis.set_label_position("top")
    ax.xaxis.tick_top()
    ax.spines[:].set(visible=True, color=SOFT)
    mistakes = [
        f"{row} taken for {column}: {table[row, column]}"
        for row, column in np.argwhere(table * (1 - np.eye(count, dtype=int)))
    ]
    show(
        f"A table with a row for what each picture is and a column for what was said. Right: "
        f"{table.trace()} of {table.sum()}. {'; '.join(mistakes) or 'No mistakes'}."
    )
