"""The plots of lesson 38: the same ten scores by several programs, beside the picture they belong to.

It draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .colours import INK, MINUS, PLUS, SOFT
from .pictures import put_picture
from .style import few, figure, show


def show_scores(picture: Any, scores: Mapping[str, Any]) -> None:
    """Plot a picture of 64 numbers, and beside it for each program the ten scores that it gives: bars to the
    right for what speaks for a digit, and to the left for what speaks against it.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff_course.plots.lesson_38 import show_scores
    >>> show_scores(np.eye(8), {"one program": np.arange(10) - 5, "another": 5 - np.arange(10)})
    """
    rows = {name: np.asarray(row, float).ravel() for name, row in scores.items()}
    count = len(rows) + 1
    _, axes = figure(count, width=1.75 * count, height=2.7)
    put_picture(axes[0], np.asarray(picture).reshape(8, 8), 0, 1)
    axes[0].set_title("the picture", color=INK, fontsize=10)
    widest = 1.08 * max(np.abs(row).max() for row in rows.values())
    for ax, (name, row) in zip(axes[1:], rows.items(), strict=True):
        ax.barh(np.arange(10), row, color=[PLUS if x > 0 else MINUS for x in row], height=0.72)
        ax.axvline(0, color=SOFT, linewidth=0.8)
        ax.set(ylim=(9.6, -0.6), xlim=(-widest, widest), yticks=range(10))
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.get_yticklabels()[int(row.argmax())].set_fontweight("bold")
        ax.set_title(name, color=INK, fontsize=10)
    axes[1].set_ylabel("digit")
    words = "; ".join(f"{name}: {row.argmax()} with {few(row.max())}" for name, row in rows.items())
    show(f"A small grey picture, and the ten scores that each program gives. The highest score: {words}.")
