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

    ``size`` is the width of a picture in inches. What is below 0 is white, and above 1 black.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.lessons.plots.lesson_32 import show_rows
    >>> show_rows({"a line": np.eye(8)[None], "and its mirror image": np.eye(8)[None, ::-1]})
    """
    count = max(map(len, rows.values()))
    _, axes = figure(count, width=size * count + 0.9, height=(size + 0.02) * len(rows), rows=len(rows))
    for ax in axes:
        ax.axis("off")
    for k, (name, pictures) in enumerate(rows.items()):
        here = axes[k * count : (k + 1) * count]
        for ax, picture in zip(here, pictures, strict=False):
            ax.axis("on")
            drawn = np.round(LEVELS * np.clip(picture, 0, 1)) / LEVELS
            ax.imshow(drawn, cmap="Greys", vmin=0, vmax=1, interpolation="none")  # its pixels stay squares
            ax.set(xticks=[], yticks=[])
            ax.spines[:].set(visible=True, color=SOFT, linewidth=0.6)
        here[0].set_ylabel(name, rotation=0, ha="right", va="center", color=INK, fontsize=10)
    show(f"{len(rows)} rows of small grey pictures, {count} in a row. From the top: {'; '.join(rows)}.")
