"""The plot of lesson 14: which numbers an operation kept in the forward pass, and where its gradient went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .colours import INK, PAPER, RED
from .lesson_11 import ROW, as_grid, canvas, label, put_grid
from .style import numbers, show


def coins(schemes: Mapping[str, tuple[Any, Any, Any]]) -> None:
    """Plot x, the result of an operation that drops numbers, and the gradient of x, for several schemes side
    by side. The places that were kept are blue in all three rows.

    Parameters
    ----------
    schemes
        By title: x, the result z (0 where it was dropped) and the gradient of x, rows of equal length.

    Example
    -------
    >>> from autodiff_course.plots.lesson_14 import coins
    >>> coins({"remembered": ([1, 2], [2, 0], [2, 0]), "not": ([1, 2], [2, 0], [0, 2])})
    """
    rows = {title: [as_grid(part) for part in parts] for title, parts in schemes.items()}
    widths = [parts[0].shape[1] + 5.2 for parts in rows.values()]
    ax = canvas(sum(widths), 6.0, cell=0.4)
    left = 4.0
    for (title, parts), width in zip(rows.items(), widths):
        put_scheme(ax, left, title, parts)
        left += width
    words = []
    for title, (x, z, grad) in rows.items():
        wrong = int(((z[0] != 0) != (grad[0] != 0)).sum())
        words.append(
            f"{title}: x is {numbers(x[0])}, z {numbers(z[0])}, the gradient of x {numbers(grad[0])}, "
            f"which is at {wrong} wrong places"
        )
    show("; ".join(words) + ".")


def put_scheme(ax: Any, left: float, title: str, parts: Sequence[np.ndarray]) -> None:
    """Draw the three rows of one scheme, with a ring around each gradient that is at a wrong place."""
    kept = parts[1][0] != 0
    label(ax, left + len(kept) / 2, 0.6, title)
    for row, (name, ink, part) in enumerate(zip(("x", "z", "gradient of x"), (INK, INK, RED), parts)):
        top = 1.2 + 1.5 * row
        put_grid(ax, part, (left, top), lambda i, j: ROW if kept[j] else PAPER, ink)
        label(ax, left - 0.3, top + 0.5, name, ink, align="right")
    for column in np.flatnonzero(kept != (parts[2][0] != 0)):
        circle(ax, left + column + 0.5, 4.7)


def circle(ax: Any, x: float, y: float) -> None:
    """Draw a ring around a wrong cell."""
    from matplotlib.patches import Circle

    ax.add_patch(Circle((x, y), 0.47, fill=False, edgecolor=RED, linewidth=1.6))
