"""The plots of lesson 25: a filter that slides over a picture, and pictures of filters and of what they see.

Each draws one figure, shows it, and returns nothing. Colours stand for signs: one for numbers above 0, one
for numbers below, the stronger the further from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .colours import INK, MINUS, PINK, PLUS, SOFT, WHITE
from .pictures import put_picture
from .style import few, figure, listed, show

Place = tuple[int, int]
SHADES = 8  # from white to the colour of a sign


def places(picture: Any, weights: Any, corners: Sequence[Place]) -> None:
    """Plot a filter at several places of a picture, each given by the row and the column of its top left
    pixel. Above is the picture with the weights in a frame, below what has been computed up to there.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff_course.plots.lesson_25 import places
    >>> places(np.eye(4), [[1, 0], [0, -1]], [(0, 0), (1, 2)])
    """
    picture, weights = np.asarray(picture, dtype=float), np.asarray(weights, dtype=float)
    sums = windows_of(picture, weights.shape)
    sums = (sums * weights).sum(axis=(2, 3))
    largest = np.abs(sums).max() or 1.0
    _, axes = figure(len(corners), width=2.5 * len(corners), height=4.7, rows=2)
    for above, below, (row, column) in zip(axes, axes[len(corners) :], corners):
        put_cells(above, [[grey(ink) for ink in row] for row in picture])
        put_frame(above, (row, column), weights.shape)
        for (i, j), weight in np.ndenumerate(weights):
            style: Any = {"color": INK, "ha": "center", "va": "center", "fontsize": 9, "fontweight": "bold"}
            above.text(column + j, row + i, few(weight).replace("-", "−"), **style)
        above.set_title(f"{few(sums[row, column]).replace('-', '−')}", color=INK, fontsize=11)
        reached = np.arange(sums.size).reshape(sums.shape) <= row * sums.shape[1] + column
        put_cells(below, [[tint(x, largest) for x in row] for row in np.where(reached, sums, np.nan)])
        put_frame(below, (row, column), (1, 1))
    said = listed(f"{few(sums[at])} at row {at[0]}, column {at[1]}" for at in corners)
    show(
        f"A filter of {weights.shape[0]} x {weights.shape[1]} weights on a picture of {picture.shape[0]} x "
        f"{picture.shape[1]} pixels. The sums: {said}."
    )


def windows_of(picture: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """All windows of a picture: (rows, columns, height, width)."""
    return np.lib.stride_tricks.sliding_window_view(picture, shape)


def put_frame(ax: Any, corner: Place, shape: tuple[int, ...]) -> None:
    """Draw a frame around some pixels."""
    from matplotlib.patches import Rectangle

    start = corner[1] - 0.5, corner[0] - 0.5
    ax.add_patch(Rectangle(start, shape[1], shape[0], fill=False, edgecolor=PINK, linewidth=2.2, zorder=3))


def put_cells(ax: Any, colours: Sequence[Sequence[str]]) -> None:
    """Draw a table of coloured squares, which have other colours on a dark page. What is "" stays empty."""
    from matplotlib.patches import Rectangle

    height, width = len(colours), len(colours[0])
    for i, row in enumerate(colours):
        for j, colour in enumerate(row):
            if colour:
                style: Any = {"facecolor": colour, "edgecolor": colour, "linewidth": 0.3}
                ax.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, **style))
    ax.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5), aspect="equal", xticks=[], yticks=[])
    ax.spines[:].set(visible=True, color=SOFT, linewidth=0.6)


def grey(ink: float) -> str:
    """The colour of a pixel from 0 (paper) to 1, light enough for a number on it."""
    return mixed(INK, 0.35 * ink)


def tint(number: float, largest: float) -> str:
    """The colour of a number by its sign and size; that of nan is ""."""
    if np.isnan(number):
        return ""
    return mixed(PLUS if number > 0 else MINUS, min(1.0, abs(number) / largest))


def mixed(colour: str, part: float) -> str:
    """So much of a colour, and the rest white."""
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = part * np.array(to_rgb(colour)) + (1 - part) * np.array(to_rgb(WHITE))
    return str(to_hex((red, green, blue)))


def put_signed(ax: Any, numbers: Any, largest: float) -> None:
    """Draw a table of numbers as coloured squares."""
    put_cells(ax, [[tint(float(number), largest) for number in row] for row in numbers])


def seen(filters: Mapping[str, Any], results: Sequence[Any]) -> None:
    """Plot filters under their names, and below each what it makes of a photograph.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff_course.plots.lesson_25 import seen
    >>> seen({"all": np.ones((3, 3)), "one": np.eye(3)}, [np.ones((4, 4)), np.eye(4)])
    """
    columns = len(filters)
    _, axes = figure(columns, width=2.4 * columns, height=3.4, rows=2)
    for above, below, (name, weights), result in zip(axes, axes[columns:], filters.items(), results):
        weights, result = np.asarray(weights, dtype=float), np.asarray(result, dtype=float)
        put_signed(above, weights, np.abs(weights).max())
        above.set_title(name, color=INK, fontsize=10)
        put_result(below, result)
    show(f"{columns} filters, and what each makes of a photograph: {listed(filters)}.")


def put_result(ax: Any, numbers: np.ndarray) -> None:
    """Draw a large table of numbers: in grey if none is below 0, else in the colours of their signs. It has
    few shades, which keeps the file small."""
    from matplotlib.colors import LinearSegmentedColormap

    largest = float(np.quantile(np.abs(numbers), 0.98)) or 1.0
    signs = LinearSegmentedColormap.from_list("signs", [MINUS, WHITE, PLUS])
    low, cmap = (-largest, signs) if numbers.min() < 0 else (0.0, "gray")
    count = SHADES if low else 3 * SHADES
    shades = np.round(np.clip(numbers, low, largest) / largest * count) / count * largest
    ax.imshow(shades, cmap=cmap, vmin=low, vmax=largest, interpolation="none")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set(visible=True, color=SOFT, linewidth=0.6)


def maps(picture: Any, filters: Any, results: Any) -> None:
    """Plot a picture, and beside it filters, and below each filter what it sees in the picture.

    ``filters`` are (n, height, width), and ``results`` are (n, rows, columns).

    Example
    -------
    >>> import numpy as np
    >>> from autodiff_course.plots.lesson_25 import maps
    >>> maps(np.eye(6), np.ones((2, 3, 3)), np.ones((2, 4, 4)))
    """
    filters, results = np.asarray(filters), np.asarray(results)
    columns = 1 + len(filters)
    _, axes = figure(columns, width=1.12 * columns, height=2.5, rows=2)
    largest, ink = np.abs(filters).max(), results.max()
    for ax, weights in zip(axes[1:], filters):
        put_signed(ax, weights, largest)
    for ax, result in zip(axes[columns + 1 :], results):
        put_picture(ax, result, 0, ink)
    axes[0].axis("off")
    put_picture(axes[columns], np.asarray(picture), 0, np.max(picture))
    axes[1].set_title("filters", color=INK, fontsize=10, loc="left")
    axes[columns + 1].set_title("what each sees", color=INK, fontsize=10, loc="left")
    axes[columns].set_title("picture", color=INK, fontsize=10, loc="left")
    height, width = filters.shape[1:]
    show(
        f"A picture, {len(filters)} filters of {height} x {width} weights, and what each sees in the picture."
    )
