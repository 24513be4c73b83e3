"""The plots of lesson 13: small pictures of digits, a confusion matrix, weights as pictures, and losses.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .colours import INK, MINUS, PLUS, RED, SOFT, WHITE, colours_of
from .lesson_08 import ends_of
from .pictures import put_picture, show_grid
from .style import few, figure, show

GROUNDS = (WHITE, "#d5e2f7", "#f8dcd0")  # the backgrounds of no answers, right ones and wrong ones


def show_pictures(pictures: Any, titles: Sequence[Any], columns: int = 10, size: float = 0.9) -> None:
    """Plot pictures of 8 x 8 pixels, from 0 (paper) to 1 (ink), under their titles; ``size`` is in inches.

    Example
    -------
    >>> from autodiff.lessons.plots.lesson_13 import show_pictures
    >>> show_pictures([[0, 1] * 32, [1, 0] * 32], ["stripes", "more stripes"], columns=2)
    """
    show_grid(np.reshape(pictures, (-1, 8, 8)), titles, columns, size, ink=1)


def confusion(said: Any, right: Any, count: int = 10) -> None:
    """Plot a confusion matrix: a row for each true digit, a column for each prediction.

    Example
    -------
    >>> from autodiff.lessons.plots.lesson_13 import confusion
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


def signs() -> Any:
    """The colours from the most negative to the most positive number, by white at 0."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("signs", [MINUS, WHITE, PLUS])


def show_weights(rows: Mapping[str, Any], count: int = 12) -> None:
    """Plot the weights of the first ``count`` neurons as pictures, one row for each matrix (64, neurons).

    Orange is above 0, blue is below 0, and white is 0, on one scale for all.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.lessons.plots.lesson_13 import show_weights
    >>> show_weights({"at the start": np.zeros((64, 3)), "later": np.ones((64, 3))}, count=3)
    """
    matrices = {name: np.asarray(getattr(matrix, "data", matrix)) for name, matrix in rows.items()}
    largest = max(float(np.abs(matrix).max()) for matrix in matrices.values())
    _, axes = figure(count, width=0.78 * count, height=0.9 * len(rows), rows=len(rows))
    for row, (name, matrix) in enumerate(matrices.items()):
        for ax, neuron in zip(axes[row * count :], matrix.T[:count], strict=False):
            put_picture(ax, neuron.reshape(8, 8), -largest, largest, cmap=signs())
        axes[row * count].set_ylabel(name, color=INK, fontsize=9)
    reach = (f"{name}: up to {few(np.abs(matrix).max())}" for name, matrix in matrices.items())
    show(
        f"The weights of {count} neurons as pictures of 8 x 8 pixels, orange above 0 and blue below. "
        f"{'; '.join(reach)}."
    )


def near_and_far(curves: Mapping[str, Sequence[float]], first: int) -> None:
    """Plot losses, step by step, twice: the ``first`` steps, and all steps.

    Example
    -------
    >>> from autodiff.lessons.plots.lesson_13 import near_and_far
    >>> near_and_far({"right": [2, 1, 0.5, 0.2], "wrong": [2, 0.5, 9, 20]}, first=2)
    """
    _, axes = figure(2, width=9, height=3.2)
    for ax, steps, title in zip(axes, (first, None), (f"the first {first} steps", "all steps")):
        for (label, losses), colour in zip(curves.items(), colours_of(list(curves))):
            shown = np.asarray(losses[:steps], dtype=float)
            ax.plot(np.where(np.isfinite(shown), shown, np.nan), color=colour, linewidth=1.4, label=label)
        ax.set_title(title, color=INK, fontsize=10)
        ax.set_xlabel("step")
        ax.set_ylim(bottom=0)
    axes[0].set_ylabel("loss")
    axes[0].legend(frameon=False, fontsize=9)
    show(f"Losses, step by step, once the first {first} and once all. {ends_of(curves)}.")
