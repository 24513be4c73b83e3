"""Random programs of numbers, for compiled functions to be compared with the engine on."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff as ad
from autodiff import Tensor
from autodiff.compiling import compile_function

ONE: list[Callable[[Any], Any]] = [
    ad.tanh, ad.exp, ad.log, ad.sqrt, ad.sin, ad.cos, ad.relu, ad.abs, ad.sigmoid, ad.softplus, ad.square,
    lambda x: -x, lambda x: x**2, lambda x: x**-0.5, lambda x: 2 * x, lambda x: 1 / x, lambda x: x - 1,
]  # fmt: skip
TWO: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / y, ad.maximum, ad.minimum,
    lambda x, y: x + y, lambda x, y: x * y, ad.pow, ad.hypot, lambda x, y: ad.where(x > y, x, y * y),
]  # fmt: skip


def random_program(rng: random.Random, count: int, length: int) -> Callable[..., Any]:
    """A function of ``count`` numbers: ``length`` operations, each on values that were computed before.
    Operations are alike only by chance."""
    steps = []
    for place in range(length):
        operands = [max(0, min(count + place - 1, int(rng.triangular(0, count + place, count + place))))
                    for _ in range(2)]  # fmt: skip
        steps.append((rng.choice(ONE) if rng.random() < 0.4 else rng.choice(TWO), operands))

    def program(*values: Any) -> Any:
        known = list(values)
        for step, (i, j) in steps:
            known.append(step(known[i]) if step in ONE else step(known[i], known[j]))
        return sum(known[count:], 0.0)

    return program


def repeated_program(rng: random.Random, samples: int, neurons: int) -> Callable[..., Any]:
    """A function of a list of weights: random layers, the same for each sample, as packing looks for."""
    count = rng.randint(1, 3)
    layers = [(rng.choice(ONE[:11]), rng.choice(TWO[:3]), rng.random() < 0.5) for _ in range(count)]
    data = [[rng.uniform(0.2, 2.0) for _ in range(neurons)] for _ in range(samples)]
    are_compared = rng.random() < 0.5

    def program(weights: Any) -> Any:
        total = 0.0
        before = None
        for x in data:
            for function, combine, with_bias in layers:
                rows = [weights[k * neurons : (k + 1) * neurons] for k in range(neurons)]
                sums = [sum(w * xi for w, xi in zip(row, x)) for row in rows]
                x = [function(combine(s, w) if with_bias else s) for s, w in zip(sums, weights)]
            norm = sum(xi * xi for xi in x) / len(x)
            x = [xi / (norm + 1.0) for xi in x]
            if before is not None and are_compared:
                x = [xi - b for xi, b in zip(x, before)]
            before = x
            total = total + sum(x)
        return total

    return program


def disagreement(found: list[Any], expected: list[Any]) -> float:
    """How far two lists of numbers are apart, relative to the largest; inf where only one is inf or nan."""
    a, b = (np.array([float(x) for x in values]) for values in (found, expected))
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return np.inf
    if not np.array_equal(a[~np.isfinite(a)], b[~np.isfinite(b)], equal_nan=True):
        return np.inf
    a, b = a[np.isfinite(a)], b[np.isfinite(b)]
    return float(np.max(np.abs(a - b), initial=0) / max(1.0, np.max(np.abs(b), initial=0)))


def source_of(fast: Any) -> str:
    """The source of the one program of a compiled function."""
    ((entry,),) = fast._programs.values()
    return str(entry.program.source)


def numbers(*values: float) -> list[Tensor]:
    return [Tensor(value) for value in values]


__all__ = ["compile_function", "disagreement", "numbers", "random_program", "repeated_program", "source_of"]
