"""The plots of lesson 32: rows of small grey pictures, one below the other, to be compared.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .colours import INK, SOFT
from .style import figure, show

LEVELS = 31  # of grey: nobody sees more of them, and a notebook has to keep them


def show_rows(rows: Mapping[str, Any], size: float = 0.6) -> None:
    """Plot rows of pictures (n, height, width) under each other, each with its name: 0 is white, 1 is black.

    ``size`` is the width of a picture in inches. A row is drawn as one picture with gaps, which is faster
    than many small ones.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff_course.plots.lesson_32 import show_rows
    >>> show_rows({"a line": np.eye(8)[None], "and its mirror image": np.eye(8)[None, ::-1]})
    """
    count = max(map(len, rows.values()))
    _, axes = figure(width=size * count + 1.1, height=(size + 0.02) * len(rows), rows=len(rows))
    for ax, (name, pictures) in zip(axes, rows.items(), strict=True):
        drawn = np.round(LEVELS * np.clip(pictures, 0, 1)) / LEVELS
        ax.imshow(side_by_side(drawn), cmap="Greys", vmin=0, vmax=1, interpolation="none")
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        ax.autoscale(False)  # the frames below do not change what is seen
        _, high, wide = drawn.shape
        left = np.arange(len(drawn)) * (wide + gap_beside(wide)) - 0.5
        frame = {"fill": False, "edgecolor": SOFT, "linewidth": 0.6, "clip_on": False}
        ax.bar(left, high, wide, bottom=-0.5, align="edge", **frame)
        ax.set_ylabel(name, rotation=0, ha="right", va="center", color=INK, fontsize=10)
    show(f"{len(rows)} rows of small grey pictures, {count} in a row. From the top: {'; '.join(rows)}.")


def side_by_side(pictures: np.ndarray) -> np.ma.MaskedArray[Any, Any]:
    """Pictures (n, height, width) as one, with gaps in between through which the page is seen."""
    gap = gap_beside(pictures.shape[2])
    wide = np.pad(pictures, ((0, 0), (0, 0), (0, gap)), constant_values=np.nan)
    return np.ma.masked_invalid(np.concatenate(list(wide), axis=1)[:, :-gap])


def gap_beside(width: int) -> int:
    """The pixels between a picture of this width and the next one."""
    return max(1, width // 10)
