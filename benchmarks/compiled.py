"""Compiled functions: forward and backward as one NumPy program, by the public call with all its checks,
beside NumPy by hand and the package's own eager way.

Where a workload has no loss but is given the gradient of its result, its loss here is the sum of the result
times that gradient, by hand too, and the gradients are arrays of their own.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import autodiff as ad
from autodiff.compiling import compile_function

from . import array_mlp, array_operations, large_arrays
from .measure import Row, interleaved, ratios, settled, shown
from .peers import Step, ours
from .workload import HAND, Workload, check, repeated


def gradients_of(workload: Workload) -> Callable[..., Any]:
    """The loss of a workload with its gradients, as a function of its leaves."""
    loss = workload.loss_of(ours())

    def with_seed(*leaves: Any) -> Any:
        out = loss(*leaves)
        return out if workload.seed is None else (out * workload.seed).sum()

    return ad.value_and_grad(with_seed, argnums=tuple(range(len(workload.leaves))))


def step_of(f: Callable[..., Any], leaves: list[np.ndarray]) -> Step:
    """A step that returns the gradients."""
    tensors = [ad.Tensor(array, requires_grad=False) for array in leaves]
    return lambda: f(*tensors)[1]


def bias_add(rows: int, columns: int) -> Workload:
    """A bias added to every row, with its loss."""
    workload = array_operations.bias_add(rows, columns)
    (x, b), seed = workload.leaves, workload.seed
    assert seed is not None
    ones = np.ones(rows, x.dtype)

    def by_hand() -> list[np.ndarray]:
        np.vdot(x + b, seed)
        return [seed.copy(), ones @ seed]

    workload.by_hand = by_hand
    return workload


def batched_matmul(batch: int, places: int, features: int) -> Workload:
    """Every place's product with every other, with its loss."""
    workload = array_operations.batched_matmul(batch, places, features)
    (x, y), seed = workload.leaves, workload.seed
    assert seed is not None

    def by_hand() -> list[np.ndarray]:
        np.vdot(x @ y, seed)
        return [seed @ y.swapaxes(1, 2), x.swapaxes(1, 2) @ seed]

    workload.by_hand = by_hand
    return workload


def network() -> Workload:
    """The network of ``array_mlp``, without the step of an optimizer."""
    workload = array_mlp.network("float32")
    workload.by_hand = array_mlp.gradients_by_hand(workload.leaves, *workload.constants)
    workload.rate = None
    return workload


def rows_of(workload: Workload, goal: str, times: int, rounds: int) -> list[Row]:
    """The time of the compiled function by that of NumPy by hand, with those of its program alone and of the
    eager function in the note."""
    eager = gradients_of(workload)
    fast = compile_function(eager)
    steps = {"compiled": step_of(fast, workload.leaves), "eager": step_of(eager, workload.leaves)}
    check(workload, steps, dict.fromkeys(steps, replace(ours(), data=lambda gradient: gradient.data)))
    run = fast._latest[1].program.run
    steps["program"] = lambda: run(*workload.leaves)
    steps[HAND] = workload.by_hand
    with settled():
        seconds = interleaved({name: repeated(step, times) for name, step in steps.items()}, rounds)
    by = {name: ratios(taken, seconds[HAND]) for name, taken in seconds.items()}
    note = "; ".join(f"{name} {shown(statistics.median(by[name]))}" for name in ("program", "eager"))
    return [Row(f"{workload.what}, compiled: time by NumPy's by hand", goal, by["compiled"], note=note)]


def measure(quick: bool) -> list[Row]:
    size = 10_000 if quick else 1_000_000
    workloads: list[tuple[Workload, str, int]] = [
        (array_operations.five_operations(), "at most 1", 200),
        (bias_add(1024, 1024), "at most 1.1", 5),
        (batched_matmul(64, 64, 32), "at most 0.95", 10),
        (array_operations.elementwise_chain(size), "at most 0.75", 1),
        (large_arrays.step_on(size), "", 1),
        (network(), "", 5),
    ]
    return [
        row
        for workload, goal, times in workloads
        for row in rows_of(workload, goal, 1 if quick else times, 3 if quick else 31)
    ]
