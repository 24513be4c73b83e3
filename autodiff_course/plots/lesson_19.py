"""The plots of lesson 19: probabilities as bars, and their growth during training.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .colours import INK, SOFT, colours_of, sign_colour
from .lesson_08 import ends_of
from .style import figure, numbers, show


def bars(panels: Mapping[str, Sequence[float]], labels: Sequence[str] | None = None) -> None:
    """Plot lists of numbers side by side as bars on one scale with their numbers: orange above 0, blue below.

    Example
    -------
    >>> from autodiff_course.plots.lesson_19 import bars
    >>> bars({"what it said": [0.7, 0.2, 0.1], "what is true": [0, 1, 0]})
    """
    _, axes = figure(len(panels), width=3 * len(panels), height=2.6)
    lists = {title: np.asarray(values, dtype=float) for title, values in panels.items()}
    low = min(0.0, *(float(values.min()) for values in lists.values()))
    high = max(0.0, *(float(values.max()) for values in lists.values()))
    reach = high - low
    for ax, (title, values) in zip(axes, lists.items()):
        places = np.arange(len(values))
        ax.bar(places, values, color=[sign_colour(value) for value in values], width=0.6)
        for place, value in zip(places, values):
            side = -1 if value < 0 else 1
            words = {"ha": "center", "va": "bottom" if side > 0 else "top", "color": INK, "fontsize": 9}
            ax.text(place, value + 0.02 * side * reach, f"{value:.2f}", **words)
        ax.axhline(0, color=SOFT, linewidth=0.8)
        ax.set_title(title, color=INK, fontsize=10)
        ax.set_ylim(low - 0.14 * reach * (low < 0), high + 0.14 * reach)
        ax.set_xticks(places, labels or [str(place) for place in places])
        ax.set_yticks([])
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.tick_params(length=0)
    held = (f"{title}: {numbers(values)}" for title, values in lists.items())
    show(f"Bars. {'; '.join(held)}.")


def probabilities(curves: Mapping[str, Sequence[float]]) -> None:
    """Plot probabilities of the right answer, step by step, each list with its name.

    Example
    -------
    >>> from autodiff_course.plots.lesson_19 import probabilities
    >>> probabilities({"one loss": [0.1, 0.2, 0.3], "another": [0.1, 0.5, 0.8]})
    """
    _, (ax,) = figure()
    for (label, values), colour in zip(curves.items(), colours_of(list(curves))):
        ax.plot(range(len(values)), values, color=colour, linewidth=1.8, label=label)
    ax.set(xlabel="step", ylabel="probability of the right answer", ylim=(-0.02, 1.02))
    ax.legend(frameon=False, fontsize=9)
    show(f"The probability of the right answer, step by step. {ends_of(curves)}.")
