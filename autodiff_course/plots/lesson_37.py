"""The plots of lesson 37: when workers are busy, how old their gradients are, and how many workers pay.

Each draws one figure, shows it, and returns nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .colours import BLUE, CURVES, INK, RED, SOFT
from .style import few, figure, listed, show


def timelines(busy: Mapping[str, Sequence[Sequence[tuple[float, float]]]], until: float) -> None:
    """Plot when the workers of several teams are busy: a row for each worker with a bar for each calculation,
    and a panel for each team. What is empty is waiting.

    Example
    -------
    >>> from autodiff_course.plots.lesson_37 import timelines
    >>> timelines({"two": [[(0, 1), (2, 3)], [(0, 2), (2, 4)]]}, until=4)
    """
    _, axes = figure(width=7.6, height=1.9 * len(busy), rows=len(busy))
    words = []
    for ax, (name, team) in zip(axes, busy.items(), strict=True):
        for k, spans in enumerate(team):
            bars = [(start, min(end, until) - start) for start, end in spans if start < until]
            ax.broken_barh(bars, (k - 0.36, 0.72), facecolor=BLUE, edgecolor="white", linewidth=1.2)
        ax.set(xlim=(0, until), ylim=(len(team) - 0.4, -0.6), yticks=range(len(team)))
        ax.set_yticklabels([f"worker {k + 1}" for k in range(len(team))])
        ax.set_title(name, color=INK, fontsize=10)
        shares = [100 * share(spans, until) for spans in team]
        words.append(f"{name}: busy for {listed(f'{x:.0f}' for x in shares)} percent of the time")
    axes[-1].set_xlabel("seconds")
    show(f"When {len(next(iter(busy.values())))} workers are busy. {'. '.join(words)}.")


def share(spans: Sequence[tuple[float, float]], until: float) -> float:
    """The part of the time until then that lies in the spans.

    >>> share([(0, 1), (2, 5)], until=4)
    0.75
    """
    return sum(min(end, until) - start for start, end in spans if start < until) / until


def plot_lags(lags: Mapping[str, Sequence[int]]) -> None:
    """Plot for each step of a server how many steps old the weights of its gradient were.

    Example
    -------
    >>> from autodiff_course.plots.lesson_37 import plot_lags
    >>> plot_lags({"equally fast": [0, 1, 1, 1], "one of them slow": [0, 1, 2, 4]})
    """
    _, axes = figure(len(lags), width=4.0 * len(lags), height=2.6)
    highest = max(max(each) for each in lags.values())
    words = []
    for ax, (name, each) in zip(axes, lags.items(), strict=True):
        usual = np.median(each)
        colours = [RED if lag > usual + 1 else BLUE for lag in each]
        ax.vlines(range(1, len(each) + 1), 0, each, colors=colours, linewidth=2)
        ax.scatter(range(1, len(each) + 1), each, c=colours, s=18, zorder=3)
        ax.set(ylim=(0, highest + 1), xlabel="step of the server")
        ax.set_title(name, color=INK, fontsize=10)
        words.append(f"{name}: mostly {few(usual)}, at most {max(each)}")
    axes[0].set_ylabel("steps behind")
    show(f"How many steps old each gradient was. {'. '.join(words)}.")


def speedups(times: Mapping[str, Callable[[Any], Any]], measured: Mapping[str, Mapping[int, float]]) -> None:
    """Plot how many times as fast as one process a step is with n workers: curves by formulas for the time of
    a step in milliseconds, where 0 workers are one process, and measured times as dots. A second panel shows
    up to four workers larger.

    Example
    -------
    >>> from autodiff_course.plots.lesson_37 import speedups
    >>> speedups({"a network": lambda n: 100 / n + n if n else 100}, {"a network": {1: 104, 2: 60}})
    """
    _, axes = figure(2, width=9.0, height=3.4)
    words = []
    for colour, (name, time_of) in zip(CURVES, times.items()):
        counts = np.arange(1, 129)
        speeds = np.array([time_of(0) / time_of(int(n)) for n in counts])
        there = {n: time_of(0) / t for n, t in measured.get(name, {}).items()}
        for ax in axes:
            ax.plot(counts, speeds, color=colour, linewidth=2, label=name)
            ax.plot(list(there), list(there.values()), "o", color=colour, markersize=7)
        best = int(counts[speeds.argmax()])
        most, eight, many = few(speeds.max()), few(speeds[7]), few(speeds[63])
        dots = "".join(f"; measured with {n}, {few(speed)}" for n, speed in there.items())
        words.append(f"{name}: at most {most} times, with {best}; with 8 {eight}, with 64 {many}{dots}")
    for ax, last, highest in zip(axes, (128, 4), (None, 2), strict=True):
        ax.axhline(1, color=SOFT, linewidth=1, linestyle=(0, (4, 3)))
        ax.set_xscale("log", base=2)
        ax.set(xlim=(0.9, 1.1 * last), ylim=(0, highest), xlabel="workers", title=f"up to {last} workers")
        ticks = [n for n in (1, 2, 4, 8, 16, 32, 64, 128) if n <= last]
        ax.set_xticks(ticks, [str(n) for n in ticks])
        ax.minorticks_off()
    axes[0].set_ylabel("times as fast")
    axes[0].set_ylim(0, 1.35 * axes[0].get_ylim()[1])  # room for the names
    axes[0].legend(frameon=False, fontsize=9, loc="upper left")
    show(f"How many times as fast as one process, by the number of workers. {'. '.join(words)}.")
