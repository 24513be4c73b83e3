"""How things are measured: contenders take turns in one process, and a figure is a ratio of their times.

What is measured stands in the modules named after the workloads; the table is made in ``__main__.py``.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

THREADS = int(os.environ.get("BENCHMARK_THREADS", "1"))
"""The threads of NumPy and of PyTorch; ``--threads`` sets the variable for a workload's process."""

# The process's own time, so that a neighbour on the same processor costs as little as possible. It adds up
# over threads, and on Windows it advances in steps of 16 ms, which is too coarse. The other clock is one on
# the wall.
clock = time.process_time if os.name == "posix" and THREADS == 1 else time.perf_counter


@dataclass
class Row:
    """One line of the table: a figure, and what it should be."""

    what: str
    goal: str  # "at least 8", "at most 1.15", or "" where a figure is only told
    values: list[float]  # one per round; empty where the peer is absent
    unit: str = "times"
    note: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def reached(self) -> bool | None:
        """Whether the median meets the goal; None where there is no goal or nothing was measured."""
        if not self.goal or not self.values:
            return None
        sense, _, limit = self.goal.rpartition(" ")
        return self.median >= float(limit) if sense == "at least" else self.median <= float(limit)


def shown(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def by_seed(values: list[float]) -> str:
    return "by seed " + ", ".join(f"{value:.2f}" for value in values)


def installed(module: str) -> bool:
    """Whether ``module`` could be imported; it is not."""
    return importlib.util.find_spec(module) is not None


def fresh_python(program: str) -> str:
    """Run a program in a fresh Python from the top of the repository; return what it prints. Its modules are
    compiled once and kept, as they are where nothing forbids it, whatever this process was told."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout


def interleaved(contenders: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Seconds per round of each contender. They take turns, so that what slows the machine slows all of them.

    A first turn warms up and is not counted. What a contender returns is kept until its clock has stopped
    and then collected, so nobody pays for what another left behind.
    """
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for counted in (False, *(True,) * rounds):
        for name, run in contenders.items():
            gc.collect()
            start = clock()
            kept = run()
            seconds = clock() - start
            del kept
            if counted:
                times[name].append(seconds)
    gc.collect()
    return times


def ratios(upper: list[float], lower: list[float]) -> list[float]:
    """Round by round, how many times as long ``upper`` took as ``lower``."""
    return [u / w for u, w in zip(upper, lower, strict=True)]


@contextmanager
def settled() -> Iterator[None]:
    """Let the garbage collector pass over what is loaded by now: what PyTorch and JAX bring along takes it a
    tenth of a second each time."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def collector(on: bool) -> Iterator[None]:
    """Run with the garbage collector's default settings, or with it switched off."""
    if not on:
        gc.disable()
    try:
        yield
    finally:
        gc.enable()
