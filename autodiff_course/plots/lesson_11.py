"""The plots of lesson 11: matrix products as grids of numbers. Lessons 12 and 14 use the grids too.

Values are dark and gradients are red, as in the other plots. Each function draws one figure, shows it, and
returns nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .colours import INK, PAPER, RED, SOFT, TINTS, WHITE
from .style import figure, show

ROW, COLUMN, BOTH, *_ = TINTS  # blue, amber, and green where row and column meet
MARGIN = 2.4  # in cells: what a product takes in width beside its grids
DIGITS = 12  # the size of a product's digits and names

Grounds = Callable[[int, int], str]


def as_grid(array: Any) -> np.ndarray:
    """An array or Tensor as rows and columns. A vector becomes one row, a number one cell."""
    data = np.asarray(getattr(array, "data", array), dtype=float)
    return data.reshape(-1, data.shape[-1]) if data.ndim else data.reshape(1, 1)


def put_grid(
    ax: Any,
    array: Any,
    place: tuple[float, float],
    grounds: Grounds = lambda i, j: PAPER,
    ink: str = INK,
    size: float = 10,
) -> None:
    """Draw an array's numbers in cells of size 1. ``place`` is the upper left corner; y points down. ``size``
    is that of the digits; numbers of three signs and more are a little smaller."""
    from matplotlib.patches import Rectangle

    left, top = place
    for (i, j), value in np.ndenumerate(as_grid(array)):
        corner = left + j, top + i
        ax.add_patch(Rectangle(corner, 1, 1, facecolor=grounds(i, j), edgecolor=WHITE, linewidth=1.5))
        soft = ink == RED and value == 0
        words = f"{value:.3g}".replace("-", "−")
        ax.text(
            left + j + 0.5, top + i + 0.52, words, color=SOFT if soft else ink, ha="center", va="center",
            fontsize=size if len(words) < 3 else 0.85 * size, weight="normal" if soft else "bold",
        )  # fmt: skip


def canvas(width: float, height: float, cell: float = 0.36) -> Any:
    """Empty axes of this width and height in cells, with y pointing down. The size of a cell is in inches."""
    _, (ax,) = figure(width=width * cell, height=height * cell)
    ax.set(xlim=(0, width), ylim=(height, 0), aspect="equal")
    ax.axis("off")
    return ax


def label(
    ax: Any, x: float, y: float, words: str, ink: str = INK, align: str = "center", size: float = 10
) -> None:
    """Write a label beside a grid."""
    ax.text(x, y, words, color=ink, fontsize=size, ha=align, va="center")


def products(
    *schemes: tuple[str, Any, str, Any, str], at: Sequence[tuple[int, int]] | tuple[int, int] = (0, 0)
) -> None:
    """Plot matrix products: the left factor, the right factor above, and the product where they meet.

    Parameters
    ----------
    schemes
        The name of the left factor, the factor, the same for the right factor, and the name of the product.
        A factor whose name begins with "grad" is red, and so is its product.
    at
        The row and column of the element to highlight, with the row and the column that it comes from: one
        pair for all products, or one for each.

    Example
    -------
    >>> from autodiff_course.plots.lesson_11 import products
    >>> products(("x", [[1, 2]], "y", [[3], [4]], "z = x @ y"), at=(0, 0))
    """
    places: Any = at if isinstance(at[0], (tuple, list)) else [at] * len(schemes)
    grids = [(as_grid(x), as_grid(y)) for _, x, _, y, _ in schemes]
    widths = [x.shape[1] + y.shape[1] + MARGIN for x, y in grids]
    top = max(len(y) for _, y in grids) + 1.2  # where the products begin
    ax = canvas(sum(widths), top + max(len(x) for x, _ in grids) + 0.9)
    left = 0.0
    for (x_name, _, y_name, _, name), (x, y), (row, column), width in zip(schemes, grids, places, widths):
        one_product(ax, (left + 1, top), (x, y), (x_name, y_name, name), (row, column))
        left += width
    words = []
    for (x_name, _, y_name, _, name), (x, y), (row, column) in zip(schemes, grids, places):
        words.append(
            f"{x_name} {_rows(x)} times {y_name} {_rows(y)} is {name} {_rows(x @ y)}; row {row} and column "
            f"{column} are highlighted"
        )
    show(". ".join(words) + ".")


def _rows(array: np.ndarray) -> str:
    """An array as text, in few digits."""
    return "[" + ", ".join("[" + ", ".join(f"{x:.3g}" for x in row) + "]" for row in array) + "]"


def one_product(
    ax: Any,
    place: tuple[float, float],
    factors: tuple[np.ndarray, np.ndarray],
    names: tuple[str, str, str],
    at: tuple[int, int],
) -> None:
    """Draw one product. The left factor's corner is at ``place``, the right factor is above the product."""
    (x, y), (row, column), (left, top) = factors, at, place
    middle = left + x.shape[1] + 0.4
    inks = [RED if name.startswith("grad") else INK for name in names[:2]]
    inks.append(RED if RED in inks else INK)
    put_grid(ax, x, (left, top), lambda i, j: ROW if i == row else PAPER, inks[0], DIGITS)
    above = top - 0.4 - len(y)
    put_grid(ax, y, (middle, above), lambda i, j: COLUMN if j == column else PAPER, inks[1], DIGITS)
    put_grid(ax, x @ y, (middle, top), lambda i, j: BOTH if (i, j) == at else PAPER, inks[2], DIGITS)
    label(ax, left + x.shape[1] / 2, top - 0.5, names[0], inks[0], size=DIGITS)
    label(ax, middle + y.shape[1] / 2, top - 0.9 - len(y), names[1], inks[1], size=DIGITS)
    label(ax, middle + y.shape[1] / 2, top + len(x) + 0.5, names[2], inks[2], size=DIGITS)
