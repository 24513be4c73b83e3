"""The plots of lesson 36: soft labels as bars, and the marks of several students.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .colours import AMBER, BLUE, GREEN, INK, SOFT
from .pictures import put_picture
from .style import few, figure, show


def show_soft(picture: Any, bars: Mapping[str, Any]) -> None:
    """Plot a picture (height, width) of numbers from 0 to 1, and beside it bars of ten probabilities under
    each title.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff_course.plots.lesson_36 import show_soft
    >>> show_soft(np.eye(8), {"temperature 1": np.eye(10)[3]})
    """
    _, (first, *axes) = figure(1 + len(bars), width=2.4 * (1 + len(bars)), height=2.3)
    put_picture(first, np.asarray(picture), 0, 1)
    told = []
    for ax, (title, heights) in zip(axes, bars.items(), strict=True):
        heights = np.asarray(heights)
        ax.bar(range(10), heights, color=BLUE, width=0.7)
        ax.set(title=title, xticks=range(10), xlabel="digit", ylim=(0, 1.15 * heights.max()))
        told.append(f"{title}, {heights.max():.1f} for a {heights.argmax()}")
    show(f"A small grey picture, and bars for ten probabilities. {'; '.join(told)}.")


def show_students(
    groups: Mapping[str, Mapping[str, Sequence[float]]], whole: int, teacher: float = 0
) -> None:
    """Plot the marks of students, of ``whole``: a dot for each seed, a line for the mean, a row for each
    kind, and a plot for each group. A thin line marks the teacher's, unless it is 0.

    Example
    -------
    >>> from autodiff_course.plots.lesson_36 import show_students
    >>> show_students({"all digits": {"labels": [480, 487], "both": [475, 478]}}, 500, teacher=491)
    """
    rows = max(map(len, groups.values()))
    _, axes = figure(len(groups), width=3.7 * max(2, len(groups)), height=0.85 + 0.42 * rows)
    told = []
    for ax, (title, kinds) in zip(axes, groups.items(), strict=True):
        for k, ((name, marks), colour) in enumerate(zip(kinds.items(), (BLUE, GREEN, AMBER), strict=False)):
            ax.scatter(marks, [-k] * len(marks), s=26, color=colour, alpha=0.75, linewidths=0)
            ax.plot([np.mean(marks)] * 2, [-k - 0.28, -k + 0.28], color=colour, linewidth=2)
            told.append(f"{title}, {name}: {few(min(marks) / whole)} to {few(max(marks) / whole)}")
        if teacher:
            ax.axvline(teacher, color=SOFT, linewidth=0.8, zorder=0)
        ax.set(
            title=title, xlabel=f"right of {whole:,}", yticks=range(0, -len(kinds), -1),
            ylim=(0.5 - len(kinds), 0.5),
        )  # fmt: skip
        ax.set_yticklabels(list(kinds), color=INK)
    show(f"The marks of students as dots, as shares of {whole:,}. {'; '.join(told)}.")
