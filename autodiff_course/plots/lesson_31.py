"""The plots of lesson 31: colour pictures and grey ones, side by side.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..runs.lesson_31 import shrunk
from .colours import AMBER, INK
from .style import figure, show

COLUMNS = 320  # a picture with more columns is shown smaller
LEVELS = 63  # of each colour: nobody sees more of them, and a notebook has to keep them


def show_paintings(
    pictures: Sequence[Any], titles: Sequence[Any], columns: int = 1, size: float = 3.0, frame: float = 1
) -> None:
    """Plot pictures in a grid under their titles: colours (height, width, 3), or greys (height, width) of
    which 0 is black, all floats from 0 to 1.

    ``size`` is the width of a picture in inches. With a ``frame`` above 1 the pictures show more than the
    photograph did, and a line marks the photograph's edges.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff_course.plots.lesson_31 import show_paintings
    >>> show_paintings([np.eye(3)[None]], ["red, green and blue"])
    """
    rows = -(-len(pictures) // columns)
    shape = np.shape(pictures[0])
    height = (size * shape[0] / shape[1] + 0.32) * rows
    _, axes = figure(columns, width=size * columns, height=height, rows=rows)
    for ax in axes:
        ax.axis("off")
    for ax, picture, title in zip(axes, pictures, titles, strict=False):
        drawn = shrunk(np.asarray(picture, float), -(-np.shape(picture)[1] // COLUMNS))
        tall, wide = drawn.shape[:2]
        drawn = np.broadcast_to(np.round(LEVELS * drawn) / LEVELS, (tall, wide, 3))  # a grey is three equal
        ax.imshow(drawn, interpolation="none")  # its pixels stay squares
        ax.set_title(str(title), color=INK, fontsize=10, pad=3)
        if frame > 1:
            mark_frame(ax, tall, wide, frame)
    kind = "colour" if np.ndim(pictures[0]) == 3 else "grey"
    shown = f"1 {kind} picture" if len(pictures) == 1 else f"{len(pictures)} {kind} pictures"
    marked = " A line marks the edges of the photograph." if frame > 1 else ""
    show(f"{shown}. {'Title' if len(pictures) == 1 else 'Titles'}: {'; '.join(map(str, titles))}.{marked}")


def mark_frame(ax: Any, height: int, width: int, frame: float) -> None:
    """Draw the edges of the photograph in a picture that shows ``frame`` times as much."""
    from matplotlib.patches import Rectangle

    inner = width / frame, height / frame
    corner = (width - inner[0]) / 2 - 0.5, (height - inner[1]) / 2 - 0.5
    ax.add_patch(Rectangle(corner, *inner, fill=False, edgecolor=AMBER, linewidth=1.6))
