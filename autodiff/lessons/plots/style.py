"""The style that all plots share: colours, an empty figure, showing it, and drawing a curve.

The colours are those of the drawn graphs. matplotlib is imported when a plot is drawn, and not before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

INK, SOFT, BLUE, AMBER, RED = "#1f2937", "#7b8794", "#4a7bcc", "#d6a33a", "#b4410e"

Curve = Callable[[float], float]


def figure(columns: int = 1, width: float = 6.0, height: float = 3.4, rows: int = 1) -> tuple[Any, list[Any]]:
    """An empty figure and its axes, in the lessons' style; sizes in inches."""
    import matplotlib.pyplot as plt

    picture, axes = plt.subplots(
        rows, columns, figsize=(width, height), dpi=100, squeeze=False, layout="tight"
    )
    for ax in axes.flat:
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_color(SOFT)
        ax.tick_params(colors=SOFT, labelsize=9)
    return picture, list(axes.flat)


def show() -> None:
    """Show the figure here and forget it, so that a cell ends without a value."""
    import matplotlib.pyplot as plt

    plt.show(block=False)  # outside a notebook, wait for nobody to close a window
    plt.close()


def draw_curve(ax: Any, f: Curve, low: float, high: float, **style: Any) -> None:
    """Draw f from low to high; f is called with one float at a time."""
    xs = np.linspace(low, high, 200)
    ax.plot(xs, [f(float(x)) for x in xs], **{"color": INK, "linewidth": 2, **style})
    ax.set_xlim(low, high)
