"""The plots of lesson 35: maps of words.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from .colours import AMBER, BLUE, GREEN, INK, PINK, RED, SOFT, VIOLET
from .style import figure, listed, numbers, show

COLOURS = (BLUE, RED, AMBER, GREEN, VIOLET, PINK, INK, SOFT)
LINE = 0.036  # the height of a word, as a share of the map's


def show_maps(maps: Mapping[str, Any], groups: Mapping[str, Sequence[str]]) -> None:
    """Plot maps side by side, under their titles: a dot for each word, in the colour of its group.

    ``maps`` are arrays of shape (n, 2), with a row for each word of the groups, in their order.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff_course.plots.lesson_35 import show_maps
    >>> show_maps({"before": np.eye(2), "after": np.ones((2, 2))}, {"one": ["a"], "other": ["b"]})
    """
    picture, axes = figure(len(maps), width=2.4 * len(maps), height=2.9)
    picture.set_layout_engine("none")
    picture.subplots_adjust(left=0.01, right=0.99, bottom=0.12, top=0.89, wspace=0.06)
    parts = slices(groups)
    for ax, (title, points) in zip(axes, maps.items(), strict=True):
        for name, part, colour in zip(groups, parts, COLOURS, strict=False):
            ax.scatter(*np.asarray(points)[part].T, s=30, color=colour, label=name, linewidths=0)
        ax.margins(0.12)
        ax.set(xticks=[], yticks=[], title=title)
        ax.spines[:].set(visible=True, color=SOFT, linewidth=0.6)
    legend_below(picture, axes[0])
    tight = [spread(np.asarray(points), parts) for points in maps.values()]
    show(
        f"{len(maps)} maps of {parts[-1].stop} words in {len(groups)} groups: {listed(maps)}. The mean "
        f"distance within a group, as a share of that of all words: {numbers(tight)}."
    )


def legend_below(picture: Any, ax: Any) -> None:
    """The names of the groups in a line at the foot of the figure."""
    handles, names = ax.get_legend_handles_labels()
    picture.legend(
        handles, names, loc="lower center", ncols=len(names), frameon=False, labelcolor=INK, fontsize=10,
        handletextpad=0.1, columnspacing=1.0,
    )  # fmt: skip


def slices(groups: Mapping[str, Sequence[str]]) -> list[slice]:
    """The rows of each group."""
    ends = np.cumsum([0, *map(len, groups.values())])
    return [slice(int(begin), int(end)) for begin, end in pairwise(ends)]


def spread(points: np.ndarray, parts: Sequence[slice]) -> float:
    """The mean distance of two words of a group, as a share of that of any two words, in one decimal."""
    far = np.linalg.norm(points[:, None] - points, axis=2)
    inside = [far[part, part].sum() for part in parts]
    count = sum((part.stop - part.start) * (part.stop - part.start - 1) for part in parts)
    every = far.sum() / (len(points) * (len(points) - 1))
    return float(round(sum(inside) / max(count, 1) / max(every, 1e-12), 1))


def show_words(points: Any, groups: Mapping[str, Sequence[str]]) -> None:
    """Plot words at their places (n, 2), in the colours of their groups; the rows are in the groups' order.

    Words that would cover each other are moved up or down. From a word that no longer covers its place, a
    line leads to a dot there.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff_course.plots.lesson_35 import show_words
    >>> show_words(np.eye(2), {"one": ["a"], "other": ["b"]})
    """
    places = np.array(points, dtype=float)
    low, high = places.min(axis=0), places.max(axis=0)
    places = (places - low) / np.maximum(high - low, 1e-12)
    words = [word for group in groups.values() for word in group]
    spaced = apart(places, [len(word) for word in words])
    picture, (ax,) = figure(width=7.2, height=6.4)
    picture.set_layout_engine("none")
    picture.subplots_adjust(left=0.01, right=0.99, bottom=0.06, top=0.99)
    for part, colour in zip(slices(groups), COLOURS, strict=False):
        for k in range(part.start, part.stop):
            if abs(spaced[k] - places[k])[1] > LINE / 2:
                ax.plot(*np.transpose([spaced[k], places[k]]), color=colour, linewidth=0.6, alpha=0.6)
                ax.scatter(*places[k], s=10, color=colour, linewidths=0)
            ax.text(*spaced[k], words[k], color=colour, fontsize=10, ha="center", va="center")
    ax.set(xticks=[], yticks=[], xlim=(-0.08, 1.08), ylim=(-0.03, 1.03))
    ax.spines[:].set(visible=True, color=SOFT, linewidth=0.6)
    for name, colour in zip(groups, COLOURS, strict=False):
        ax.scatter([], [], s=30, color=colour, label=name, linewidths=0)
    legend_below(picture, ax)
    show(
        f"A map of {len(words)} words in {len(groups)} groups: {listed(groups)}. The mean distance within a "
        f"group is {spread(places, slices(groups)):.1f} of that of all words. From left to right: "
        f"{', '.join(words[k] for k in np.argsort(places[:, 0]))}."
    )


def apart(places: np.ndarray, lengths: Sequence[int]) -> np.ndarray:
    """The places, moved up and down until no two words of these lengths cover each other."""
    spaced = places.copy()
    widths = 0.0155 * np.asarray(lengths) + 0.015
    for _ in range(200):
        moved = False
        for i in range(len(spaced)):
            for j in range(i):
                across, up = spaced[i] - spaced[j]
                lack = LINE - abs(up)
                if lack > 1e-9 and abs(across) < (widths[i] + widths[j]) / 2:
                    step = (lack / 2 + 1e-6) * (1 if up >= 0 else -1)
                    spaced[i, 1] += step
                    spaced[j, 1] -= step
                    moved = True
        if not moved:
            break
    return np.clip(spaced, 0, 1)
