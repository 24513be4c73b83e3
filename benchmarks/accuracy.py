"""Accuracy: values, first and second derivatives beside 50 digits, and beside PyTorch and JAX.

What is measured is read off the catalogue, the activations and the losses. ``accuracy_truths.py`` says what
they are, ``accuracy_points.py`` where they are tried.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import autodiff as ad
from autodiff.engine.backward import gradients
from autodiff.engine.catalogue import catalogue
from autodiff.nn import activation_functions, functional, losses

from .accuracy_peers import jax, orders, pytorch
from .accuracy_points import points
from .measure import Row, installed

Function = Callable[..., Any]
Results = list[tuple[int, np.ndarray]]  # orders, and values or derivatives
Differentiate = Callable[[Any, np.ndarray], Results]

GOAL = 4.0
"""Spacings of the dtype by 1 + condition, at 99.9 % of the points; and times a peer's error."""
NUMBERS = 200
"""So many numbers are tried: 100 pairs for an operation on two, 50 rows of four that become an axis."""
COLUMNS = "ours", "PyTorch", "JAX", "reached"
CELLS = "cells"
"""The unit of a row whose note has the cells of these columns."""


@dataclass
class Case:
    """``ours(*columns)`` is one column: the operation of numbers that stand beside each other."""

    name: str
    ours: Function
    columns: int = 1
    of_numbers: bool = True  # whether it takes numbers, not only arrays


# -- what is measured ----------------------------------------------------------------------------------------

REARRANGING = frozenset((
    "squeeze", "expand_dims", "flip", "roll", "take_along_axis", "gather", "scatter_add", "repeat",
    "concatenate", "stack", "ties", "middle",
))  # fmt: skip
"""Have an axis and compute nothing, or are a part of the rule of another."""
PARTS = frozenset(("below_one", "cosine", "score", "sech2", "sinc_slope", "unit"))
"""Only the rules of another use it: it is measured as the other's derivatives."""
OPTIONS: dict[str, dict[str, Any]] = {
    "cast": {"dtype": np.float64}, "celu": {"alpha": 2.0}, "threshold": {"level": 0.5, "value": 20.0},
    "power_norm": {"order": 3.0},
}  # fmt: skip
LAST = frozenset(("cumsum", "cumprod", "linear_recurrence"))
"""Of these the last element is measured, of others the first."""
HALVES = frozenset(("linear_recurrence", "cosine_similarity"))
"""Take the first half of the columns and the second half."""


def cases() -> list[Case]:
    """All that is measured: elementwise operations, reductions, activations, losses."""
    found: dict[str, Case] = {}
    for op in catalogue:
        if op.name in REARRANGING | PARTS or not (op.joint or any(op.rules)):
            continue
        if op.kind == "elementwise":
            found[op.name] = elementwise(op)
        elif "axis" in op.options:
            found[op.name] = along_axis(op.name, op, "axis")
    found["gelu_tanh"] = Case("gelu_tanh", lambda x: ad.gelu(x, approximate="tanh"))
    found["huber"], found["bounded_log"] = elementwise(losses.huber), elementwise(losses.bounded_log)
    for name in activation_functions.__all__:
        function = getattr(functional, name)
        if name not in found:
            found[name] = (
                along_axis(name, function, "dim") if takes(function, "dim") else elementwise(function)
            )
    for name in functional.__all__:
        function = getattr(functional, name)
        if takes(function, "target"):
            found[name] = loss(name, function)
    for name in ("cosine_similarity", "normalize"):
        found[name] = along_axis(name, getattr(functional, name), "dim")
    return [*found.values()]


def takes(function: Function, name: str) -> bool:
    return not hasattr(function, "forward") and name in inspect.signature(function).parameters


def elementwise(op: Any) -> Case:
    name, options = op.__name__, OPTIONS.get(op.__name__, {})
    if name == "where":
        return Case(name, lambda x, y: ad.where(x > y, x, y * 2), 2)
    if name == "clip":
        return Case(name, lambda x: ad.clip(x, -1.0, 2.0))
    return Case(name, lambda *x: op(*x, **options), len(getattr(op, "inputs", "x")))


def along_axis(name: str, function: Function, axis: str) -> Case:
    """Of four numbers that become an axis, two for what takes halves."""
    options = OPTIONS.get(name, {})
    place = -1 if name in LAST else 0

    def ours(*columns: Any) -> Any:
        parts = np.array_split(np.arange(len(columns)), 2) if name in HALVES else [range(len(columns))]
        stacked = [ad.stack([columns[i] for i in part], axis=-1) for part in parts]
        result = function(*stacked, **{axis: -1}, **options)
        return result[..., place] if len(result.shape) > len(columns[0].shape) else result

    return Case(name, ours, 2 if name == "glu" else 4, of_numbers=False)


def loss(name: str, function: Function) -> Case:
    """The loss of each example. The target is a quarter, or class 0 of four."""
    if name in ("cross_entropy", "nll_loss"):

        def of_classes(*columns: Any) -> Any:
            logits = ad.stack(columns, axis=-1)
            return function(logits, np.zeros(logits.shape[:-1], int), reduction="none")

        return Case(name, of_classes, 4, of_numbers=False)
    return Case(
        name, lambda x: function(x, np.full(x.shape, 0.25, x.dtype), reduction="none"), of_numbers=False
    )


# -- how it is measured --------------------------------------------------------------------------------------


def differentiate(case: Case, rows: np.ndarray) -> Results:
    """The value, and derivatives of first and second order with respect to the first two columns."""
    leaves = [ad.Tensor(column) for column in rows.T.copy()]

    def slopes(z: Any) -> list[Any]:
        if not z.requires_grad:
            return [z * 0 for _ in leaves[:2]]
        return gradients(z, leaves[:2], 1, create_graph=True)

    return [(order, z.numpy()) for order, z in orders(case.ours(*leaves), slopes)]


def by_numbers(case: Case, rows: Sequence[np.ndarray]) -> Results:
    """The same for one number at a time, where the functions of ``math`` compute."""
    found = []
    for row in rows:
        leaves = [ad.Tensor(x) for x in row.tolist()]

        def slopes(z: Any, leaves: Any = leaves) -> list[Any]:
            if not z.requires_grad:
                return [ad.Tensor(0.0) for _ in leaves[:2]]
            return gradients(z, leaves[:2], 1, create_graph=True)

        found.append([(order, z.item()) for order, z in orders(case.ours(*leaves), slopes)])
    return [(order, np.array([row[i][1] for row in found])) for i, (order, _) in enumerate(found[0])]


@dataclass
class Errors:
    """Of one contender for one case: by order, the errors where the truth is a normal number, and inf where
    the result is 0, inf or nan."""

    found: list[list[float]] = field(default_factory=lambda: [[], [], []])

    def figure(self, order: int, part: float = 0.999) -> float:
        """The error at this part of the points, where the result is a number."""
        finite = [e for e in self.found[order] if e != np.inf]
        return float(np.quantile(finite, part, method="higher")) if finite else 0.0

    @property
    def lost(self) -> int:
        """How many results are 0, inf or nan."""
        return sum(errors.count(np.inf) for errors in self.found)

    def merged(self, other: Errors) -> Errors:
        """The larger error at each point."""
        return Errors([[*map(max, a, b)] for a, b in zip(self.found, other.found, strict=True)])

    def __str__(self) -> str:
        orders = range(len(self.found))
        text = ", ".join(f"{shown(self.figure(i))} ({shown(self.figure(i, 1))})" for i in orders)
        return text + f"; {self.lost} lost" * bool(self.lost)


def shown(value: float) -> str:
    return f"{value:.1f}" if value < 100 else f"{value:.0e}"


def compare(case: Case, dtype: Any, count: int, contenders: dict[str, Differentiate]) -> dict[str, Errors]:
    """The errors of each contender that has the function, at so many points of its domain. Ours are the
    larger of
    those of arrays and, where numbers may be taken one by one, of numbers."""
    from . import accuracy_truths as oracle

    limits, kept, wanted = np.finfo(dtype), [], []
    for row in points(np.random.default_rng(0), 4 * count, case.columns, dtype):
        truth = oracle.truths(case.name, row.tolist())
        if truth is not None and len(kept) < count:
            kept.append(row)
            wanted.append(truth)
    found = {}
    with np.errstate(all="ignore"):
        for who, differentiate in contenders.items():
            with contextlib.suppress(NotImplementedError, RuntimeError):  # a peer without a second derivative
                if results := differentiate(case, np.array(kept)):
                    found[who] = errors(results, wanted, limits, oracle.error)
        if dtype == np.float64 and case.of_numbers:
            found["ours"] = found["ours"].merged(errors(by_numbers(case, kept), wanted, limits, oracle.error))
    return found


def errors(results: Results, wanted: Any, limits: Any, error: Function) -> Errors:
    """The errors at all points where the truth is a normal number of the dtype."""
    made = Errors()
    for i, (order, values) in enumerate(results):
        for value, truths in zip(values.tolist(), wanted, strict=True):
            _, truth, condition = truths[i]
            if limits.tiny <= abs(truth) <= limits.max:
                spacing = float(np.spacing(limits.dtype.type(abs(truth))))
                made.found[order].append(error(value, truth, condition, spacing))
    return made


def reached(found: dict[str, Errors]) -> bool:
    """Whether nothing is lost, and the errors are small and not far beyond a peer's (or beyond one
    spacing)."""
    ours = found["ours"]
    peers = [errors for who, errors in found.items() if who != "ours"]
    limits = [min([GOAL, *(GOAL * max(peer.figure(i), 1.0) for peer in peers)]) for i in range(3)]
    return not ours.lost and all(ours.figure(i) <= limit for i, limit in enumerate(limits))


def measure(quick: bool) -> list[Row]:
    """A row for each operation and dtype, with what stands in its columns as its note."""
    if not installed("mpmath"):
        return [Row("accuracy", "", [], note="mpmath is not installed")]
    contenders: dict[str, Differentiate] = {"ours": differentiate}
    peers = {"PyTorch": ("torch", pytorch), "JAX": ("jax", jax)}
    contenders |= {who: make() for who, (module, make) in peers.items() if installed(module)}
    rows = []
    for case in cases():
        for dtype in (np.float64, np.float32):
            found = compare(case, dtype, (20 if quick else NUMBERS) // case.columns, contenders)
            cells = [str(found.get(who, "")) for who in ("ours", *peers)]
            cells.append("yes" if reached(found) else "**no**")
            rows.append(Row(f"{case.name}, {np.dtype(dtype)}", "", [], CELLS, " | ".join(cells)))
    return rows
