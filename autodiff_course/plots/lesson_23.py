"""The plots of lesson 23: the activations and gradients of a network's layers, as histograms and sizes.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .colours import BLUE, INK, colours_of
from .style import few, figure, numbers, show


def histograms(rows: Mapping[str, Sequence[Any]], reach: float | Sequence[float] = 1.0) -> None:
    """Plot a histogram for each layer: a row per network, a column per layer. They go from -reach to reach;
    several numbers are those of the rows.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff_course.plots.lesson_23 import histograms
    >>> histograms({"small": [np.zeros(5), np.ones(5)]})
    """
    columns = max(len(layers) for layers in rows.values())
    _, axes = figure(columns, width=1.5 * columns, height=1.35 * len(rows), rows=len(rows))
    reaches = [reach] * len(rows) if isinstance(reach, (int, float)) else reach
    for row, (end, (name, layers)) in enumerate(zip(reaches, rows.items(), strict=True)):
        for column, values in enumerate(layers):
            ax = axes[row * columns + column]
            ax.hist(np.ravel(values), bins=31, range=(-end, end), color=BLUE, histtype="stepfilled")
            ax.set(xlim=(-end, end), xticks=[-end, 0, end], yticks=[])
            ax.tick_params(labelsize=8)
            if row == 0:
                ax.set_title(f"layer {column + 1}", color=INK, fontsize=9)
        axes[row * columns].set_ylabel(name, color=INK, fontsize=9)
    words = (
        f"{name}: {numbers(np.std(np.ravel(values)) for values in layers)}" for name, layers in rows.items()
    )
    show(
        f"Histograms of the numbers in each layer. Their spread, from the first layer on: {'; '.join(words)}."
    )


def sizes(there: Mapping[str, Sequence[float]], back: Mapping[str, Sequence[float]]) -> None:
    """Plot the sizes of each layer's activations and gradients, on log scales.

    Example
    -------
    >>> from autodiff_course.plots.lesson_23 import sizes
    >>> sizes({"small": [0.1, 0.01]}, {"small": [0.001, 0.01]})
    """
    _, axes = figure(2, width=9, height=3.1)
    titles = ("size of the activations, on the way there", "size of the gradients, on the way back")
    for ax, curves, title in zip(axes, (there, back), titles):
        for (name, curve), colour in zip(curves.items(), colours_of(list(curves))):
            style = {"color": colour, "linewidth": 1.4, "markersize": 4, "label": name}
            ax.plot(range(1, len(curve) + 1), curve, "o-", **style)
        ax.set_yscale("log")
        ax.set_title(title, color=INK, fontsize=10)
        ax.set_xlabel("layer")
    axes[0].legend(frameon=False, fontsize=9)
    words = (
        f"{name}: activations from {few(curve[0])} to {few(curve[-1])}, "
        f"gradients from {few(back[name][0])} to {few(back[name][-1])}"
        for name, curve in there.items()
    )
    show(f"Sizes from the first layer to the last, on log scales. {'; '.join(words)}.")
