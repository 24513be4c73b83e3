"""A chain of operations, each made from the one before: nothing recurses, and cost per node stays flat.

Memory is what Python's allocator was asked for (tracemalloc), which is exact and the same on every system;
what the system gives out (RSS) is told beside it where /proc says it.
"""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import autodiff as ad

from .measure import Row, interleaved, ratios

SHORT, LONG = 1_000, 1_000_000
FACTOR = 0.9999999


def chain(length: int) -> tuple[ad.Tensor, ad.Tensor]:
    """The first and the last of ``length`` products, each a new node and a new number."""
    x = ad.Tensor(1.0)
    y = x
    for _ in range(length):
        y = y * FACTOR
    return x, y


def walked(length: int, times: int = 1) -> Callable[[], Any]:
    """Record, walk back and let go, ``times`` times."""

    def run() -> None:
        for _ in range(times):
            _, y = chain(length)
            y.backward()

    return run


def traced() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def resident() -> int:
    """Bytes of memory that the system has given to this process; 0 where it does not say."""
    gc.collect()
    path = Path("/proc/self/statm")
    return int(path.read_text().split()[1]) * 4096 if path.exists() else 0


def held(length: int, used: Callable[[], int]) -> dict[str, float]:
    """Bytes per node held after a releasing walk, once recorded, and once walked back, the last node alive
    in each."""
    before = used()
    _, y = chain(length)
    y.backward(release=True)
    figures = {"released": used() - before}
    del y
    _, y = chain(length)
    figures["recorded"] = used() - before
    y.backward()
    figures["walked back"] = used() - before
    del y
    return {state: figure / length for state, figure in figures.items()}


def time_per_node(quick: bool) -> list[Row]:
    longest, rounds = (LONG // 10, 3) if quick else (LONG, 7)
    lengths = [10**n for n in range(3, 7) if 10**n <= longest]
    # As many short chains as give the long one's number of nodes, cut where the clock is long enough.
    repeats = {n: max(1, min(longest, 100_000) // n) for n in lengths}
    times = interleaved({str(n): walked(n, repeats[n]) for n in lengths}, rounds)
    per_node = [[t / (n * repeats[n]) for t in times[str(n)]] for n in lengths]
    rows = []
    for n, seconds in zip(lengths[1:], per_node[1:]):
        what = f"chain of {n:,}: time per node by that of a chain of {SHORT:,}"
        rows.append(Row(what, "at most 1.6", ratios(seconds, per_node[0])))
    return rows


def memory_per_node(quick: bool = False, length: int = 0) -> list[Row]:
    length = length or (LONG // 10 if quick else LONG)
    goals = {"recorded": "at most 180", "walked back": "at most 180", "released": "at most 40"}
    said = {
        "recorded": "recorded",
        "walked back": "walked back, `.grad` not looked at",
        "released": "after `backward(release=True)`, the last node alive",
    }
    resident_figures = held(length, resident) if resident() else {}
    tracemalloc.start()
    figures = held(length, traced)
    tracemalloc.stop()
    rows = []
    for state, goal in goals.items():
        note = f"resident {resident_figures[state]:.0f}" if resident_figures else ""
        what = f"chain of {length:,}: {said[state]}"
        rows.append(Row(what, goal, [figures[state]], "bytes a node", note))
    return rows
