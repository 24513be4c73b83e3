"""The plots of lesson 33: what the judge would change, the losses of the game, how many forgeries show each
digit, and two losses of which one is flat where a forger begins.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .colours import AMBER, BLUE, INK, RED, SOFT
from .lesson_25 import put_signed
from .lesson_32 import LEVELS
from .pictures import put_picture
from .style import figure, listed, show


def changes(pictures: Any, slopes: Any) -> None:
    """Plot pictures (n, height, width), and below each what minus these slopes of a loss would change: more
    ink in orange, the colour of plus, and less in blue, that of minus.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff_course.plots.lesson_33 import changes
    >>> changes(np.eye(8)[None], np.ones((1, 8, 8)))
    """
    pictures, slopes = np.asarray(pictures), np.asarray(slopes)
    count = len(pictures)
    _, axes = figure(count, width=1.1 * count + 0.9, height=2.4, rows=2)
    for above, below, picture, slope in zip(axes[:count], axes[count:], pictures, slopes, strict=True):
        put_picture(above, np.round(LEVELS * picture) / LEVELS, 0, 1)
        put_signed(below, -slope, np.abs(slope).max() or 1.0)
    for ax, name in ((axes[0], "forgery"), (axes[count], "orange: more ink\nblue: less ink")):
        ax.set_ylabel(name, rotation=0, ha="right", va="center", color=INK, fontsize=10)
    show(f"{count} forgeries, and below each where more ink (orange) or less (blue) would raise the score.")


def losses(games: Mapping[str, Any]) -> None:
    """Plot the losses of judge and forger, a pair for each step, in one panel for each game.

    They are averaged over 50 stretches. Dotted lines say where both would be if the judge could only guess.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff_course.plots.lesson_33 import losses
    >>> losses({"a game": np.ones((100, 2))})
    """
    _, axes = figure(len(games), width=3.6 * len(games), height=2.8)
    top = 1.05 * max(stretches(found)[1].max() for found in games.values())  # one scale, to be compared
    for ax, (name, found) in zip(axes, games.items(), strict=True):
        ends, means = stretches(found)
        for k, (who, colour) in enumerate((("judge", BLUE), ("forger", AMBER))):
            ax.plot(ends, means[:, k], color=colour, linewidth=1.6, label=who)
            ax.axhline((2 - k) * np.log(2), color=colour, linewidth=1, linestyle=":")
        ax.set(xlabel="step", ylim=(0, top))
        ax.set_title(name, color=INK, fontsize=10)
    axes[0].set_ylabel("loss")
    axes[0].legend(frameon=False, fontsize=9)
    show(
        f"The losses of judge and forger: {listed(games)}. Dotted lines at 1.39 and 0.69 stand for a judge "
        "that only guesses."
    )


def stretches(found: Any) -> tuple[np.ndarray, np.ndarray]:
    """Where 50 equal stretches of the steps end, and the mean losses in each."""
    parts = np.array_split(np.asarray(found, dtype=float), min(50, len(found)))
    return np.cumsum([len(part) for part in parts]), np.array([part.mean(axis=0) for part in parts])


def counts(found: Mapping[str, Any]) -> None:
    """Plot how often each of the digits 0 to 9 occurs, in one panel for each name, all with one scale.

    Example
    -------
    >>> from autodiff_course.plots.lesson_33 import counts
    >>> counts({"real": [50] * 10, "forged": [0, 500, 0, 0, 0, 0, 0, 0, 0, 0]})
    """
    _, axes = figure(len(found), width=2.6 * len(found) + 0.4, height=2.2)
    top = 1.05 * max(map(np.max, found.values()))
    for ax, (name, many) in zip(axes, found.items(), strict=True):
        ax.bar(range(10), np.asarray(many), color=BLUE)
        ax.set(xticks=range(10), xlabel="digit", ylim=(0, top))
        ax.set_title(name, color=INK, fontsize=10)
    axes[0].set_ylabel("pictures")
    show(f"How many pictures show each digit: {listed(found)}.")


def two_losses() -> None:
    """Plot two losses of a forger by the score of its forgery: softplus(-s) and -softplus(s).

    Example
    -------
    >>> from autodiff_course.plots.lesson_33 import two_losses
    >>> two_losses()
    """
    scores = np.linspace(-8, 8, 200)
    _, (ax,) = figure(width=5.6, height=3.0)
    ax.plot(scores, np.logaddexp(0, -scores), color=BLUE, linewidth=2, label="softplus(-s)")
    ax.plot(scores, -np.logaddexp(0, scores), color=RED, linewidth=2, label="-softplus(s)")
    ax.axvline(0, color=SOFT, linewidth=0.6, zorder=0)
    ax.set(xlabel="score s of the forgery", ylabel="loss of the forger", xlim=(-8, 8))
    ax.legend(frameon=False, fontsize=9)
    show(
        "Two losses of a forger by the score s. Both fall as s grows. For low scores softplus(-s) is steep "
        "and -softplus(s) is flat; for high scores it is the other way round."
    )
