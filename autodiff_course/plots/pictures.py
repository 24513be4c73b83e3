"""Small grey pictures and grids of them, for the plots of lessons 13 and 22."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .colours import INK, SOFT
from .style import figure, show


def put_picture(ax: Any, picture: np.ndarray, low: float, high: float, cmap: str = "Greys") -> None:
    """Draw a picture of shape (height, width): white at ``low`` and black at ``high``, or by another map."""
    ax.imshow(picture, cmap=cmap, vmin=low, vmax=high)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set(visible=True, color=SOFT, linewidth=0.6)


def show_grid(pictures: np.ndarray, titles: Sequence[Any], columns: int, size: float, ink: float) -> None:
    """Plot pictures (n, height, width) in a grid under their titles: 0 is white, ``ink`` is black.

    ``size`` is the width of a picture in inches.
    """
    rows = -(-len(pictures) // columns)
    lines = 1 + max(str(title).count("\n") for title in titles)
    _, axes = figure(columns, width=size * columns, height=(size + 0.08 + 0.17 * lines) * rows, rows=rows)
    for ax in axes:
        ax.axis("off")
    for ax, picture, title in zip(axes, pictures, titles, strict=False):
        ax.axis("on")
        put_picture(ax, picture, 0, ink)
        ax.set_title(str(title), color=INK, fontsize=10, pad=3)
    names = "; ".join(str(title).replace("\n", " ") for title in titles)
    show(f"{len(pictures)} small grey pictures. Their titles: {names}.")
