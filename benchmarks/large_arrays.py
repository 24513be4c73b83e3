"""A step on arrays of a million, in a process that has nothing else on its heap, as a script's has.

There the gradients of the last step lie at the top of the heap. When they are let go, the system may take all
that is free below them, and give it back page by page. Beside other packages in one process this is not to be
seen, since some array of theirs lies higher up.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from .array_operations import normal
from .measure import Row, clock, installed, ratios, shown
from .peers import PEERS, ours
from .workload import HAND, Workload, check

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = "from benchmarks.large_arrays import seconds; print(seconds({name!r}, {size}))"
WARM, TIMED = 5, 11  # steps


def loss(F: Any, x: Any, w: Any) -> Any:
    return (F.tanh(x * w) * F.exp(-(x * x))).sum()


def step_on(size: int) -> Workload:
    """Gradients are forgotten first, as a loop over batches does it."""
    x, w = normal((size,), (size,))

    def by_hand() -> list[np.ndarray]:
        e = x * x
        np.exp(np.negative(e, out=e), out=e)
        t = x * w
        np.tanh(t, out=t)
        by_x = t * e
        by_x.sum()
        by_x *= x
        by_x *= -2
        t *= t
        np.subtract(1, t, out=t)
        t *= e  # of what tanh was taken of
        by_w = t * x
        t *= w
        by_x += t
        return [by_x, by_w]

    return Workload(f"a step alone on {size:,}", loss, [x, w], by_hand)


def seconds(name: str, size: int) -> float:
    """How long a step takes in this process."""
    workload = step_on(size)
    step = workload.by_hand if name == HAND else workload.step(package(name))
    taken = []
    for _ in range(WARM + TIMED):
        start = clock()
        step()
        taken.append(clock() - start)
    return statistics.median(taken[WARM:])


def package(name: str) -> Any:
    return ours(release=name == "releasing") if name in ("ours", "releasing") else PEERS[name][1]()


def in_own_process(name: str, size: int) -> float:
    command = [sys.executable, "-c", PROGRAM.format(name=name, size=size)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ, check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout)


def measure(quick: bool) -> list[Row]:
    size = 10_000 if quick else 1_000_000
    peers = [name for name, (module, _) in PEERS.items() if installed(module)]
    packages = {name: package(name) for name in ["ours", *peers]}
    small = step_on(1_000)
    check(small, {name: small.step(p) for name, p in packages.items()}, packages)
    taken: dict[str, list[float]] = {name: [] for name in ["ours", "releasing", HAND, *peers]}
    for _ in range(1 if quick else 7):
        for name, times in taken.items():
            times.append(in_own_process(name, size))
    by = {name: shown(statistics.median(ratios(taken["ours"], theirs))) for name, theirs in taken.items()}
    what = f"{step_on(size).what}: our time by PyTorch's"
    if "PyTorch" not in taken:
        return [Row(what, "at most 0.8", [], note="torch is not installed")]
    released = shown(statistics.median(ratios(taken["releasing"], taken["PyTorch"])))
    others = [f"by {name}'s {by[name]}" for name in peers if name != "PyTorch"]
    note = "; ".join([f"releasing {released}", f"by NumPy's by hand {by[HAND]}", *others])
    return [Row(what, "at most 0.8", ratios(taken["ours"], taken["PyTorch"]), note=note)]
