"""Compiled functions: forward and backward as one program, by the public call with all its checks.

A contest is one computation: compiled, eager, by ``jax.jit``, and by hand, or by PyTorch where by hand would be
a library of its own. Those on arrays stand here, those on numbers in ``compiled_numbers.py``, and steps of
training in ``compiled_steps.py``.

Where a workload has no loss but is given the gradient of its result, its loss here is the sum of the result
times that gradient, by hand too, and the gradients are arrays of their own.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import autodiff as ad
from autodiff.compiling.compiled import PASSES, Compiled

from . import array_operations, peers, recurrent
from .measure import Row, installed, interleaved, ratios, settled, shown
from .peers import Package, Step, ours
from .workload import HAND, Workload, disagreement, repeated

JAX = "jax.jit"


@dataclass
class Contest:
    """One computation, by several contenders. Each step returns what is compared: numbers and arrays, or
    lists, tuples and dicts of them."""

    what: str
    goal: str
    times: int  # steps a turn
    rounds: int
    compiled: Callable[[tuple[str, ...]], tuple[Step, Compiled]]  # with these passes
    others: dict[str, Callable[[], Step]]  # each makes a step; the first is what the goal refers to
    tolerance: float = 1e-9
    agrees: Callable[[], bool] | None = None  # where the steps return nothing that can be compared

    @property
    def short(self) -> str:
        """The name without the sizes."""
        return self.what.partition(",")[0]


def compared(result: Any) -> list[np.ndarray]:
    """The arrays of a result, from first to last; one array for all, if it has nothing but numbers."""
    arrays = [*arrays_of(result)]
    return arrays if any(array.ndim for array in arrays) else [np.array(arrays)]


def arrays_of(result: Any) -> Iterator[np.ndarray]:
    if isinstance(result, (list, tuple)):
        for part in result:
            yield from arrays_of(part)
    elif isinstance(result, ad.Tensor):
        yield result.numpy()
    else:
        yield np.asarray(result)


def check(contest: Contest, steps: dict[str, Step]) -> None:
    """Raise AssertionError if somebody computes something else than the rest."""
    if contest.agrees is not None:
        if not contest.agrees():
            raise AssertionError(f"{contest.what}: the compiled step does not do the same")
        return
    limit, *others = reversed(steps)
    expected = compared(steps[limit]())
    for name in others:
        if not disagreement(compared(steps[name]()), expected) < contest.tolerance:  # or nan
            raise AssertionError(f"{contest.what}: {name} and {limit} do not agree on the gradients")


def made(make: Callable[[], Step]) -> tuple[Step, float]:
    """A step that was called once, and the milliseconds that this took."""
    step = make()
    start = time.perf_counter()
    step()
    return step, 1e3 * (time.perf_counter() - start)


# -- on arrays ----------------------------------------------------------------------------------------------


def loss_with_seed(workload: Workload, package: Package) -> Callable[..., Any]:
    """The loss of a workload as a function of its leaves."""
    loss = workload.loss_of(package)

    def with_seed(*leaves: Any) -> Any:
        out = loss(*leaves)
        return out if workload.seed is None else (out * workload.seed).sum()

    return with_seed


def gradients_of(workload: Workload) -> Callable[..., Any]:
    """The loss of a workload with its gradients, as a function of its leaves."""
    return ad.value_and_grad(loss_with_seed(workload, ours()), argnums=tuple(range(len(workload.leaves))))


def step_of(f: Callable[..., Any], leaves: list[np.ndarray]) -> Step:
    """A step that returns the gradients."""
    tensors = [ad.Tensor(array, requires_grad=False) for array in leaves]
    return lambda: f(*tensors)[1]


def step_of_jax(workload: Workload) -> Step:
    """The same by ``jax.jit``."""
    package = peers.jax()
    import jax

    leaves = [package.leaf(array) for array in workload.leaves]
    loss = loss_with_seed(workload, package)
    f = jax.jit(jax.value_and_grad(loss, argnums=tuple(range(len(leaves)))))
    return lambda: f(*leaves)[1]


def on_arrays(workload: Workload, goal: str, times: int, rounds: int) -> Contest:
    def compiled(passes: tuple[str, ...]) -> tuple[Step, Compiled]:
        fast = ad.compile(gradients_of(workload), passes=passes)
        return step_of(fast, workload.leaves), fast

    others: dict[str, Callable[[], Step]] = {
        HAND: lambda: workload.by_hand,
        "eager": lambda: step_of(gradients_of(workload), workload.leaves),
        JAX: lambda: step_of_jax(workload),
    }
    return Contest(workload.what, goal, times, rounds, compiled, others, tolerance=1e-4)


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


def contests_on_arrays(quick: bool) -> list[Contest]:
    networks = [recurrent.rnn(4, 8), recurrent.lstm(3, 8)] if quick else [recurrent.rnn(), recurrent.lstm()]
    rnn, lstm = networks
    return [
        on_arrays(rnn, "at most 0.85", 3, 31),
        on_arrays(lstm, "at most 0.65", 3, 31),
        on_arrays(array_operations.elementwise_chain(10_000 if quick else 1_000_000), "at most 0.75", 1, 31),
        on_arrays(bias_add(8, 8) if quick else bias_add(1024, 1024), "at most 1.1", 5, 31),
        on_arrays(batched_matmul(64, 64, 32), "at most 0.95", 10, 31),
        on_arrays(array_operations.five_operations(), "at most 1", 300, 31),
    ]


def contests(quick: bool) -> list[Contest]:
    from . import compiled_numbers, compiled_steps

    return [
        *compiled_numbers.contests(quick),
        *contests_on_arrays(quick),
        *compiled_steps.contests(quick),
    ]


# -- measured -----------------------------------------------------------------------------------------------


def present(contest: Contest, quick: bool) -> dict[str, Callable[[], Step]]:
    """The contenders that are installed. A quick run leaves out what takes long to compile."""
    needs = {JAX: "jax", "PyTorch": "torch"}
    return {
        name: make
        for name, make in contest.others.items()
        if (name not in needs or installed(needs[name])) and not (quick and name == JAX)
    }


def rows_of(contest: Contest, quick: bool) -> list[Row]:
    """The time of the compiled step by that of the limit, and by that of ``jax.jit``."""
    limit, others = next(iter(contest.others)), present(contest, quick)
    what = f"{contest.what}: compiled time by {limit}'s" if limit != HAND else f"{contest.what}"
    if limit not in others:
        return [Row(what, contest.goal, [], note="torch is not installed")]
    step, fast = contest.compiled(PASSES)
    step(), step()
    steps, compiling = {"compiled": step}, {}
    for name, make in reversed(others.items()):
        steps[name], compiling[name] = made(make)
    check(contest, steps)
    times, rounds = (1, 2) if quick else (contest.times, contest.rounds)
    with settled():
        seconds = interleaved({name: repeated(each, times) for name, each in steps.items()}, rounds)
    by = {name: ratios(taken, seconds[limit]) for name, taken in seconds.items()}
    note = [f"{name} {shown(statistics.median(by[name]))}" for name in ("eager", JAX) if name in by]
    note.append(f"{1e3 * fast._entry().seconds:.0f} ms to compile")
    if JAX in compiling:
        note.append(f"{JAX} {compiling[JAX]:.0f} ms")
    rows = [Row(what, contest.goal, by["compiled"], note="; ".join(note))]
    if JAX in seconds:
        behind = ratios(seconds["compiled"], seconds[JAX])
        rows.append(Row(f"{contest.what}: by {JAX}'s", "at most 1", behind))
    return rows


def measure(quick: bool) -> list[Row]:
    return [row for contest in contests(quick) for row in rows_of(contest, quick)]


# -- without one pass ---------------------------------------------------------------------------------------


def ablation(quick: bool) -> list[Row]:
    """For each pass, how many times as long the programs take that are made without it: a value for each
    contest, and in the note those that differ."""
    found: dict[str, dict[str, float]] = {name: {} for name in PASSES}
    for contest in contests(quick):
        steps = {"": contest.compiled(PASSES)[0]}
        for name in PASSES:
            steps[name] = contest.compiled(tuple(each for each in PASSES if each != name))[0]
        for step in steps.values():
            step(), step()
        times, rounds = (1, 1) if quick else (contest.times, min(contest.rounds, 15))
        with settled():
            seconds = interleaved({name: repeated(step, times) for name, step in steps.items()}, rounds)
        for name in PASSES:
            found[name][contest.short] = statistics.median(ratios(seconds[name], seconds[""]))
    return [
        Row(f"without {name}", "", [*by.values()], note=", ".join(notable(by))) for name, by in found.items()
    ]


def notable(by: dict[str, float]) -> Iterator[str]:
    """The contests in which a pass makes a difference of more than 5 percent."""
    return (f"{what} {shown(ratio)}" for what, ratio in by.items() if not 0.95 <= ratio <= 1.05)
