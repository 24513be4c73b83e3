"""The plot of lesson 29: how long the values of a program live.

It draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .colours import METHODS
from .style import figure, show


def spans(text: str) -> list[tuple[int, int]]:
    r"""For each line of a program the number of the line that last uses its value; the return is the last.

    >>> spans("def program(x0):\n    v0 = x0 + 2\n    v1 = v0 * v0\n    return [v1]")
    [(0, 1), (1, 2)]
    """
    lines = text.splitlines()[1:]
    last: dict[str, int] = {}
    for number, line in enumerate(lines):
        for name in re.findall(r"\bv\d+\b", line):
            last[name] = number
    made = (line.split()[0] for line in lines[:-1])
    return [(number, last[name]) for number, name in enumerate(made)]


def most_alive(bars: list[tuple[int, int]]) -> int:
    """How many values are alive at most after a line.

    >>> most_alive([(0, 1), (1, 2)])
    1
    """
    return max(sum(begin <= line < end for begin, end in bars) for line in range(len(bars)))


def lives(programs: Mapping[str, str], forward: int) -> None:
    r"""Plot each value of programs, by name, as a bar from the line that makes it to the last that uses it.

    The first ``forward`` lines have the colour of the forward pass, the others that of the walk back.

    Example
    -------
    >>> from autodiff_course.plots.lesson_29 import lives
    >>> lives({"forward": "def program(x0):\n    v0 = x0 + 2\n    return [v0]"}, 1)
    """
    _, axes = figure(len(programs), width=4.4 * len(programs), height=4.6)
    longest = max(len(text.splitlines()) - 1 for text in programs.values())
    words = []
    for ax, (name, text) in zip(axes, programs.items()):
        bars = spans(text)
        for place, (begin, end) in enumerate(bars):
            colour = METHODS["forward" if place < forward else "back"]
            ax.plot([begin, end], [place, place], color=colour, linewidth=2.4, solid_capstyle="butt")
        ax.set(xlim=(-1, longest), ylim=(longest, -1), xlabel="line of the program")
        alive = most_alive(bars)
        ax.set_title(f"{name}: at most {alive} alive", fontsize=11)
        words.append(f"{name}, {len(bars)} values, at most {alive} alive at once")
    axes[0].set_ylabel("value")
    show(f"The lives of a program's values as bars, one below the other: {'; '.join(words)}.")
