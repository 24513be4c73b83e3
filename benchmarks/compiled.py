"""Compiled functions: forward and backward as one program, by the public call with all its checks.

A contest is one computation: compiled, eager, by ``jax.jit``, and by hand, or by PyTorch where by hand would
be a library of its own. Those on arrays stand here, those on numbers in ``compiled_numbers.py``, and steps of
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
from autodiff.compiling.passes import GRAPH_PASSES

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
    kept: int = 0  # bytes of the arrays that the code by hand works in, step after step
    state: int = 0  # bytes of the optimizer's moments
    has_peak: bool = True  # whether its peak memory is measured

    @property
    def short(self) -> str:
        """The name without the sizes."""
        return self.what.partition(", ")[0]


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
    kept = workload.kept
    return Contest(workload.what, goal, times, rounds, compiled, others, tolerance=1e-4, kept=kept)


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


MODULES = {JAX: "jax", "PyTorch": "torch"}


def present(contest: Contest, quick: bool) -> dict[str, Callable[[], Step]]:
    """The contenders that are installed. A quick run leaves out those that take seconds to be imported."""
    return {
        name: make
        for name, make in contest.others.items()
        if name not in MODULES or (installed(MODULES[name]) and not quick)
    }


def rows_of(contest: Contest, quick: bool) -> list[Row]:
    """The compiled time by that of the limit, and by that of ``jax.jit``; the peak memory by the limit's."""
    from . import compiled_memory

    step, fast = contest.compiled(PASSES)
    steps, compiling = {"compiled": step}, {}
    for name, make in reversed(present(contest, quick).items()):
        steps[name], compiling[name] = made(make)
    step(), step()
    check(contest, steps)
    limit = next(iter(contest.others))
    times, rounds = (1, 2) if quick else (contest.times, contest.rounds)
    with settled():
        seconds = interleaved({name: repeated(each, times) for name, each in steps.items()}, rounds)
    note = [f"made in {1e3 * fast._entry().seconds:.0f} ms"]
    if limit in seconds:
        eager = statistics.median(ratios(seconds["eager"], seconds[limit]))
        least = min(seconds["compiled"]) / min(seconds[limit])
        note = [f"of the least {shown(least)}", f"eager {shown(eager)}", *note]
    rows = [against(limit, contest.goal, contest.what, seconds, "; ".join(note))]
    if JAX in contest.others:
        theirs = f"made in {compiling[JAX]:.0f} ms" if JAX in compiling else ""
        rows.append(against(JAX, "at most 1", contest.what, seconds, theirs))
    if contest.has_peak and limit in steps:
        rows.append(compiled_memory.row_of(contest, steps[limit]))
    return rows


def against(name: str, goal: str, what: str, seconds: dict[str, list[float]], note: str) -> Row:
    """The compiled time by that of somebody."""
    what = f"{what}: compiled time by " + ("NumPy's by hand" if name == HAND else f"{name}'s")
    if name in seconds:
        return Row(what, goal, ratios(seconds["compiled"], seconds[name]), note=note)
    absent = "left out of a quick run" if installed(MODULES[name]) else "not installed"
    return Row(what, goal, [], note=f"{MODULES[name]} is {absent}")


def measure(quick: bool) -> list[Row]:
    return [row for contest in contests(quick) for row in rows_of(contest, quick)]


# -- without one pass ---------------------------------------------------------------------------------------

LEFT_OUT = {name: frozenset((name,)) for name in PASSES} | {
    "any pass over the graph": frozenset(GRAPH_PASSES),
    "any pass": frozenset(PASSES),
}


def contests_without(quick: bool) -> list[Contest]:
    """Those of which a program for each of ``LEFT_OUT`` is made in a minute or two."""
    from . import compiled_numbers, compiled_steps

    if quick:
        return contests_on_arrays(quick)[:2]
    numbers = [compiled_numbers.network(20), compiled_numbers.chain(1000)]
    return [*numbers, *contests_on_arrays(quick), *compiled_steps.contests(quick)[:2]]


def ablation(quick: bool) -> list[Row]:
    """For each pass, how many times as long the programs take that are made without it: a value for each
    contest, and in the note those that differ. It is 1 where the program is the same text, and otherwise the
    least time by the least. Two rows more are without many passes at once."""
    found: dict[str, dict[str, float]] = {name: {} for name in LEFT_OUT}
    for contest in contests_without(quick):
        steps, whole = {}, ""
        for name, without in {"": frozenset[str](), **LEFT_OUT}.items():
            step, fast = contest.compiled(tuple(each for each in PASSES if each not in without))
            step(), step()
            text = fast._entry().program.source
            if text != whole:
                steps[name] = step
            whole = whole or text
        times, rounds = (1, 1) if quick else (contest.times, 31)
        with settled():
            seconds = interleaved({name: repeated(step, times) for name, step in steps.items()}, rounds)
        for name in LEFT_OUT:
            found[name][contest.short] = min(seconds.get(name, seconds[""])) / min(seconds[""])
    return [
        Row(f"without {name}", "", [*by.values()], note=", ".join(notable(by))) for name, by in found.items()
    ]


def notable(by: dict[str, float]) -> Iterator[str]:
    """The contests in which a pass makes a difference of more than 5 percent."""
    return (f"{what} {shown(ratio)}" for what, ratio in by.items() if not 0.95 <= ratio <= 1.05)
