"""The plots of lesson 22: pictures of any size, before and after transforms, a confusion matrix, and the
accuracies of several trainings.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .colours import BLUE, INK, RED, SOFT, colours_of
from .lesson_08 import ends_of
from .lesson_13 import confusion
from .pictures import put_picture, show_grid
from .style import few, figure, show


def show_pictures(pictures: Any, titles: Sequence[Any], columns: int = 10, size: float = 0.9) -> None:
    """Plot pictures (n, height, width) of bytes, 255 for ink, under their titles; ``size`` is in inches.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.lessons.plots.lesson_22 import show_pictures
    >>> show_pictures(np.eye(8)[None] * 255, ["a line"], columns=1)
    """
    show_grid(np.asarray(pictures), titles, columns, size, ink=255)


def show_transforms(rows: Mapping[str, Sequence[Any]]) -> None:
    """Plot pictures in rows, each row under its name with its lowest and highest number.

    The lowest number of a row is white and the highest is black.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.lessons.plots.lesson_22 import show_transforms
    >>> show_transforms({"before": np.eye(8)[None], "after": 1 - np.eye(8)[None]})
    """
    count = max(map(len, rows.values()))
    height = 1.08 * len(rows)
    picture, axes = figure(count, width=0.85 * count, height=height, rows=len(rows))
    picture.set_layout_engine("none")  # a title is wider than the picture under it
    picture.subplots_adjust(left=0.01, right=0.99, bottom=0.02, top=1 - 0.25 / height, hspace=0.35)
    words = []
    for number, (name, pictures) in enumerate(rows.items()):
        arrays = [np.asarray(getattr(each, "data", each)) for each in pictures]
        low, high = float(np.min(arrays)), float(np.max(arrays))
        for ax, array in zip(axes[number * count :], arrays, strict=False):
            put_picture(ax, array.reshape(array.shape[-2:]), low, high)
        title = f"{name}: from {low:.3g} to {high:.3g}".replace("-", "−")
        axes[number * count].set_title(title, color=INK, fontsize=10, pad=3, loc="left")
        words.append(title)
    show(f"Rows of {count} small pictures. {'; '.join(words)}.")


def show_confusion(matrix: Any) -> None:
    """Plot a confusion matrix without its zeros: a row for each true digit, a column for each prediction.

    Example
    -------
    >>> from autodiff.lessons.plots.lesson_22 import show_confusion
    >>> show_confusion([[3, 1], [0, 2]])
    """
    matrix = np.asarray(matrix)
    rows, columns = (np.repeat(places.ravel(), matrix.ravel()) for places in np.indices(matrix.shape))
    confusion(columns, rows, len(matrix))


def plot_history(history: Any, top: float) -> None:
    """Plot the losses of a history, epoch by epoch, up to ``top``; those of a validation are dashed.

    Example
    -------
    >>> from autodiff.lessons.plots.lesson_22 import plot_history
    >>> from autodiff.training import History
    >>> history = History()
    >>> history.append({"epoch": 1, "loss": 0.5, "val_loss": 0.4})
    >>> plot_history(history, top=1)
    """
    _, (ax,) = figure()
    history.plot(ax=ax)
    for line in ax.get_lines():
        line.set_color(RED if str(line.get_label()).startswith("val_") else BLUE)
    ax.set(ylabel="loss", ylim=(0, top))
    ax.legend(frameon=False, fontsize=9)
    curves = {name: history[name] for name in ("loss", "val_loss") if name in history.columns}
    show(f"Losses, epoch by epoch. {ends_of(curves)}.")


def continued(wave: Sequence[float], told: Sequence[float], start: int) -> None:
    """Plot a wave, and from ``start`` on how a network goes on with it.

    Example
    -------
    >>> from autodiff.lessons.plots.lesson_22 import continued
    >>> continued([0, 1, 0, -1, 0], [0, 0.9, 0.1], start=2)
    """
    _, (ax,) = figure(width=6, height=2.6)
    ax.plot(wave, color=BLUE, label="the wave")
    ways = range(start, start + len(told))
    ax.plot(ways, told, "--", color=RED, label="the network, going on by itself")
    ax.legend(frameon=False, fontsize=9)
    off = max(abs(float(told[i]) - float(wave[at])) for i, at in enumerate(ways) if at < len(wave))
    show(f"A wave, and how a network goes on with it by itself: it is off by {few(off)} at most.")


def accuracy_curves(curves: Mapping[str, Sequence[float]]) -> None:
    """Plot accuracies, epoch by epoch from 1, each with its name. A line marks 98 %.

    Example
    -------
    >>> from autodiff.lessons.plots.lesson_22 import accuracy_curves
    >>> accuracy_curves({"ours": [0.96, 0.97, 0.98], "theirs": [0.95, 0.96, 0.98]})
    """
    _, (ax,) = figure()
    for (label, accuracies), colour in zip(curves.items(), colours_of(list(curves))):
        epochs = range(1, len(accuracies) + 1)
        percent = np.asarray(accuracies) * 100
        ax.plot(epochs, percent, color=colour, linewidth=1.6, marker=".", label=label)
    ax.axhline(98, color=SOFT, linewidth=0.8, dashes=(4, 3), zorder=0)
    ax.set(xlabel="epoch", ylabel="right, in percent")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend(frameon=False, fontsize=9)
    words = (f"{label} from {100 * a[0]:.1f} to {100 * a[-1]:.1f} %" for label, a in curves.items())
    show(f"Accuracies, epoch by epoch: {'; '.join(words)}. A line is at 98 %.")
