"""The plots of lesson 30: the lines of a program by level, and time and memory after each pass.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from .colours import AMBER, BLUE, GREEN, RED, SOFT, VIOLET
from .style import few, figure, show

KINDS = {"*": BLUE, "+": RED, "sum": RED, "tanh": GREEN, "**": VIOLET, "neg": AMBER}
WORDS = {"*": "products", "+": "sums", "sum": "sums", "tanh": "tanh", "**": "powers", "neg": "minus signs"}


def thicket(programs: Mapping[str, tuple[Sequence[Any], Mapping[str, int]]]) -> None:
    """Plot each line of programs as a dot. A program is its steps and the level of each name; the dots of a
    level stand in a bar, equal operations together.

    Example
    -------
    >>> from autodiff_course.plots.lesson_30 import thicket
    >>> thicket({"two lines": ([("v0", "*", ["x", "y"]), ("v1", "+", ["v0", "z"])], {"v0": 0, "v1": 1})})
    """
    _, axes = figure(len(programs), width=4.6 * len(programs), height=4.0)
    order, words = [*KINDS], []
    for ax, (title, (steps, levels)) in zip(axes, programs.items()):
        count = 1 + max(levels.values())
        size = min(5.0, (140 / count) ** 2)  # neighbouring bars stand apart
        height: Counter[int] = Counter()
        dots: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for name, op, _ in sorted(steps, key=lambda step: order.index(step[1]) if step[1] in KINDS else 9):
            dots[op].append((levels[name], height[levels[name]]))
            height[levels[name]] += 1
        for op, places in dots.items():
            label = WORDS.get(op, op)
            ax.scatter(*zip(*places), s=size, color=KINDS.get(op, SOFT), linewidths=0, label=label)
        ax.set(xlabel="level", ylabel="lines on the level", ylim=(-30, None))
        ax.set_title(f"{title}: {len(steps):,} on {count} levels", fontsize=11)
        words.append(f"{title}, {len(steps):,} on {count} levels")
    axes[-1].legend(frameon=False, fontsize=9, markerscale=3)
    show(f"The lines of a program as bars, one for each level: {'; '.join(words)}.")


def bars(names: Sequence[str], **measured: Sequence[float]) -> None:
    """Plot a bar for each name, once for each quantity, on a log axis. A quantity's keyword is its title,
    with _ for a space; a value of 0 has no bar.

    Example
    -------
    >>> from autodiff_course.plots.lesson_30 import bars
    >>> bars(["before", "after"], lines=[1000, 10], milliseconds=[50, 0.5])
    """
    _, axes = figure(len(measured), width=3.4 * len(measured), height=0.36 * len(names) + 1.0)
    words = []
    for number, (ax, (title, values)) in enumerate(zip(axes, measured.items())):
        shown = [max(float(value), 0.0) for value in values]
        least = min(value for value in shown if value)
        for place, value in enumerate(shown):
            colour = RED if place == len(names) - 1 else SOFT
            if value:
                ax.barh(place, value, color=colour, height=0.62, log=True)
        ax.set_xlim(least / 4, max(shown) * 30)
        for place, value in enumerate(shown):
            if value:
                ax.text(value * 1.15, place, label_of(value), va="center", fontsize=8.5)
        ax.set_yticks(range(len(names)), names if number == 0 else [""] * len(names))
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.set_title(title.replace("_", " "), fontsize=11)
        first, last = (label_of(shown[place]) if shown[place] else "none" for place in (0, -1))
        words.append(f"{title.replace('_', ' ')}: {first} to {last}")
    show(f"Bars for {names[0]} to {names[-1]}. {'; '.join(words)}.")


def label_of(value: float) -> str:
    """A measured number in two digits, or a whole large one with commas.

    >>> label_of(0.1234), label_of(64300)
    ('0.12', '64,300')
    """
    return f"{value:,.0f}" if value >= 100 else few(value)
