"""A workload on arrays: one loss that every package runs, its gradients by hand, and how their times compare.
The workloads themselves stand in ``array_mlp.py``, ``recurrent.py`` and ``array_operations.py``.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .measure import Row, installed, interleaved, ratios, settled, shown
from .peers import PEERS, Function, Package, Step, ours

HAND = "NumPy by hand"


@dataclass
class Workload:
    """Forward and backward of a loss, and a step of Adam where there is a rate."""

    what: str
    loss: Function  # of a package's functions, the leaves and the constants
    leaves: list[np.ndarray]
    by_hand: Step  # the same in NumPy, with the gradients worked out on paper; it returns them
    constants: list[Any] = field(default_factory=list)  # arrays, and lists of arrays
    seed: np.ndarray | None = None  # what backward starts from, unless the loss is one number
    rate: float | None = None
    cannot: tuple[str, ...] = ()  # peers that cannot run it
    kept: int = 0  # bytes of the arrays that by_hand works in, step after step

    def step(self, package: Package) -> Step:
        """The same in a package; it returns the package's gradients."""
        leaves = [package.leaf(array) for array in self.leaves]
        seed = None if self.seed is None else package.constant(self.seed)
        gradients = package.step(self.loss_of(package), leaves, seed)
        if self.rate is None:
            return gradients
        update = package.optimizer(leaves, self.rate)

        def run() -> Any:
            found = gradients()
            update(found)
            return found

        return run

    def loss_of(self, package: Package) -> Function:
        """The loss as a function of a package's leaves alone."""
        constants = [
            [package.constant(array) for array in c] if isinstance(c, list) else package.constant(c)
            for c in self.constants
        ]
        return lambda *leaves: self.loss(package.functions, *leaves, *constants)


def compare(workload: Any, goals: dict[str, str], times: int, rounds: int) -> list[Row]:
    """Our time by that of others, ``times`` steps a turn: a row for each that a goal names, and one for NumPy
    by hand, whose note tells of the other peers."""
    packages = {"ours": ours()} | {
        name: make()
        for name, (module, make) in PEERS.items()
        if installed(module) and name not in workload.cannot
    }
    if isinstance(workload, Workload):
        packages["releasing"] = ours(release=True)
    steps = {name: workload.step(package) for name, package in packages.items()}
    check(workload, steps, packages)
    steps[HAND] = workload.by_hand
    with settled():
        seconds = interleaved({name: repeated(step, times) for name, step in steps.items()}, rounds)
    by = {name: ratios(seconds["ours"], theirs) for name, theirs in seconds.items()}
    what = f"{workload.what}: our time by"
    rows = [
        Row(f"{what} {name}'s", goal, by.get(name, []), note=missing(name, by) or releasing(seconds, name))
        for name, goal in goals.items()
        if name != HAND
    ]
    note = "; ".join(
        missing(name, by) or f"by {name}'s {shown(statistics.median(by[name]))}"
        for name in PEERS
        if name not in goals
    )
    return [*rows, Row(f"{what} NumPy's by hand", goals.get(HAND, ""), by[HAND], note=note)]


def releasing(seconds: dict[str, list[float]], name: str) -> str:
    """The same figure with ``backward(release=True)``, which lets go of the graph as most peers do."""
    if "releasing" not in seconds:
        return ""
    return f"releasing {shown(statistics.median(ratios(seconds['releasing'], seconds[name])))}"


def missing(name: str, measured: dict[str, Any]) -> str:
    """Why a peer was not measured; nothing if it was."""
    if name in measured:
        return ""
    return f"{name} cannot" if installed(PEERS[name][0]) else f"{PEERS[name][0]} is not installed"


def check(workload: Any, steps: dict[str, Step], packages: dict[str, Package]) -> None:
    """Raise AssertionError if in its second step somebody has other gradients than NumPy by hand."""
    workload.by_hand()
    expected = [np.asarray(grad) for grad in workload.by_hand()]
    for name, step in steps.items():
        step()
        found = [packages[name].data(grad) for grad in step()]
        if not disagreement(found, expected) < (1e-4 if expected[0].dtype == np.float32 else 1e-9):  # or nan
            raise AssertionError(f"{workload.what}: {name} and NumPy by hand do not agree on the gradients")


def disagreement(found: list[np.ndarray], expected: list[np.ndarray]) -> float:
    """The largest difference between gradients, in units of the largest; inf if shapes differ."""
    if [a.shape for a in found] != [b.shape for b in expected]:
        return np.inf
    return max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in zip(found, expected))


def repeated(step: Step, times: int) -> Callable[[], None]:
    def run() -> None:
        for _ in range(times):
            step()

    return run
