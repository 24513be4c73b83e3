"""The plots of lesson 27: who looks at whom in a text, and the losses of trainings.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .colours import BLUE, INK, SOFT, colours_of
from .style import few, figure, show

SMALLEST = 0.05  # a smaller share has no dot


def looks(text: Sequence[str], heads: Mapping[str, Any], size: float = 2.2) -> None:
    """Plot who looks at whom: for each head a table of dots. A row belongs to the character that looks, and
    the area of a dot is the share that it gives to the character of the column. A row may be shorter than the
    text.

    Example
    -------
    >>> from autodiff_course.plots.lesson_27 import looks
    >>> looks("ab", {"a head": [[1.0], [0.25, 0.75]]})
    """
    from matplotlib.patches import Circle

    _, axes = figure(len(heads), width=size * len(heads), height=size + 0.45)
    count = len(text)
    names = [{" ": "_", "\n": "¶"}.get(each, each) for each in text]
    font = min(9, 60 * size / count)
    for ax, (title, rows) in zip(axes, heads.items()):
        ax.plot([0, count - 1], [0, count - 1], color=SOFT, linewidth=0.5, zorder=1)
        for i, row in enumerate(rows):
            for j, share in enumerate(row):
                if share > SMALLEST:
                    ax.add_patch(Circle((j, i), 0.48 * share**0.5, color=BLUE, linewidth=0, zorder=2))
        ax.set(xlim=(-0.6, count - 0.4), ylim=(count - 0.4, -0.6), aspect="equal")
        ax.set_xticks(range(count), names, fontsize=font)
        ax.set_yticks(range(count), names, fontsize=font)
        ax.tick_params(length=0, labelcolor=INK, top=True, labeltop=True, bottom=False, labelbottom=False)
        ax.spines[:].set_visible(False)
        ax.set_title(title, color=INK, fontsize=10)
    words = "; ".join(f"{title}: {in_words(names, rows)}" for title, rows in heads.items())
    whole = "".join(names)
    show(f"Who looks at whom in {whole}, once for each of {len(heads)} heads. The last character in {words}.")


def in_words(names: Sequence[str], rows: Any) -> str:
    """At which character the last row looks most."""
    last = np.asarray(rows[-1], dtype=float)
    return f"looks most at {names[int(last.argmax())]}, character {int(last.argmax()) + 1}"


def losses(curves: Mapping[str, Sequence[float]], steps: int, floor: float | None = None) -> None:
    """Plot the losses of trainings that had so many steps; each curve has means over equal stretches.
    ``floor`` is the height of a dashed line: the loss of a guess.

    Example
    -------
    >>> from autodiff_course.plots.lesson_27 import losses
    >>> losses({"names": [3.3, 2.6, 2.4]}, steps=300, floor=3.3)
    """
    _, (ax,) = figure(width=6, height=2.8)
    for (name, curve), colour in zip(curves.items(), colours_of(list(curves))):
        middles = (np.arange(len(curve)) + 0.5) / len(curve) * steps
        ax.plot(middles, curve, color=colour, linewidth=1.6, label=name)
    if floor is not None:
        ax.axhline(floor, color=SOFT, linewidth=1, linestyle="--")
        words = "every character equally likely"
        ax.text(steps, floor, words, color=INK, fontsize=8, ha="right", va="bottom")
    ax.set(xlabel="step", ylabel="loss", xlim=(0, steps), ylim=(0, None))
    if len(curves) > 1:
        ax.legend(frameon=False, fontsize=9)
    words = "; ".join(f"{name}: from {few(curve[0])} to {few(curve[-1])}" for name, curve in curves.items())
    show(f"Losses over {steps} steps. {words}.")
