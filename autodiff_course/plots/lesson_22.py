"""The plots of lesson 22: pictures of any size, the losses of a training, and a confusion matrix.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .colours import BLUE, SOFT
from .lesson_13 import confusion
from .pictures import show_grid
from .style import few, figure, show


def show_pictures(pictures: Any, titles: Sequence[Any], columns: int = 10, size: float = 0.9) -> None:
    """Plot pictures (n, height, width) of bytes, 255 for ink, under their titles; ``size`` is in inches.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff_course.plots.lesson_22 import show_pictures
    >>> show_pictures(np.eye(8)[None] * 255, ["a line"], columns=1)
    """
    show_grid(np.asarray(pictures), titles, columns, size, ink=255)


def show_confusion(matrix: Any) -> None:
    """Plot a confusion matrix without its zeros: a row for each true digit, a column for each prediction.

    Example
    -------
    >>> from autodiff_course.plots.lesson_22 import show_confusion
    >>> show_confusion([[3, 1], [0, 2]])
    """
    matrix = np.asarray(matrix).astype(np.intp)  # NumPy repeats by no longer integers
    rows, columns = (np.repeat(places.ravel(), matrix.ravel()) for places in np.indices(matrix.shape))
    confusion(columns, rows, len(matrix))


def plot_losses(losses: Any, epochs: int) -> None:
    """Plot the losses of a training that had so many epochs, which thin lines separate.

    Example
    -------
    >>> from autodiff_course.plots.lesson_22 import plot_losses
    >>> plot_losses([0.9, 0.5, 0.4, 0.3], epochs=2)
    """
    _, (ax,) = figure(width=6, height=2.8)
    middles = (np.arange(len(losses)) + 0.5) / len(losses) * epochs
    ax.plot(middles, losses, color=BLUE, linewidth=1.6, marker=".")
    for epoch in range(1, epochs):
        ax.axvline(epoch, color=SOFT, linewidth=0.6, zorder=0)
    ax.set(xlabel="epoch", ylabel="loss", xlim=(0, epochs), ylim=(0, None))
    ax.xaxis.get_major_locator().set_params(integer=True)
    show(f"The loss over {epochs} epochs: from {few(losses[0])} to {few(losses[-1])}.")
