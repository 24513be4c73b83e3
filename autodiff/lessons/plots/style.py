"""The style of all plots: colours, empty figures and curves.

The colours are those of the drawn graphs. matplotlib is imported when a plot is drawn, and not before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

INK, SOFT, BLUE, AMBER, RED = "#1f2937", "#7b8794", "#4a7bcc", "#d6a33a", "#b4410e"

Curve = Callable[[float], float]


def figure(columns: int = 1, width: float = 6.0, height: float = 3.4, rows: int = 1) -> tuple[Any, list[Any]]:
    """An empty figure and its axes in the lessons' style. Sizes are in inches."""
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
    """Show the current figure and close it."""
    import matplotlib.pyplot as plt

    plt.show(block=False)  # does not wait for a window to be closed
    plt.close()


def draw_curve(ax: Any, f: Curve, low: float, high: float, **style: Any) -> None:
    """Draw f from low to high. f is called with one float at a time."""
    xs = np.linspace(low, high, 200)
    ax.plot(xs, [f(float(x)) for x in xs], **{"color": INK, "linewidth": 2, **style})
    ax.set_xlim(low, high)
