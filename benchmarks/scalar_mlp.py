"""A network of numbers, 2-16-16-1 on 100 points: 64,300 operations forward, and the walk back.

The same lines run on autodiff's Tensor, micrograd's Value and PyTorch's 0-d tensor.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import autodiff as ad

from .measure import THREADS, Row, collector, installed, interleaved, ratios

SIZES = (2, 16, 16, 1)
POINTS = 100
Layers = list[list[tuple[list[Any], Any]]]


def network(number: Callable[[float], Any], seed: int = 0) -> Layers:
    """Layers of neurons, each its weights and its bias; ``number`` makes an engine's leaf of a float."""
    rng = random.Random(seed)
    return [
        [([number(rng.uniform(-1, 1)) for _ in range(fan_in)], number(0.0)) for _ in range(fan_out)]
        for fan_in, fan_out in pairwise(SIZES)
    ]


def parameters(layers: Layers) -> list[Any]:
    return [p for layer in layers for weights, bias in layer for p in (*weights, bias)]


def points(count: int, seed: int = 1) -> list[tuple[tuple[float, float], float]]:
    """Points of a square, labelled +1 and -1 like a chessboard of four fields."""
    rng = random.Random(seed)
    square = [(rng.uniform(-1, 1), rng.uniform(-1, 1)) for _ in range(count)]
    return [((x, y), 1.0 if x * y > 0 else -1.0) for x, y in square]


def score(layers: Layers, x: Any) -> Any:
    for layer in layers:
        x = [sum((w * xi for w, xi in zip(weights, x)), bias) for weights, bias in layer]
        if layer is not layers[-1]:
            x = [z.relu() for z in x]
    return x[0]


def loss_of(layers: Layers, data: list[tuple[tuple[float, float], float]]) -> Any:
    """The sum of squared errors."""
    total: Any = 0.0
    for x, y in data:
        error = score(layers, x) - y
        total = total + error * error
    return total


def engines() -> dict[str, tuple[Callable[[float], Any], Callable[[Any], None]]]:
    """Of each engine that is installed: how it makes a leaf, and how a leaf forgets its gradient.

    PyTorch is imported only when its leaf is first made, since the others measure differently beside it."""
    found: dict[str, tuple[Callable[[float], Any], Callable[[Any], None]]] = {
        "autodiff": (ad.Tensor, ad.Tensor.zero_grad)
    }
    if installed("micrograd"):
        from micrograd.engine import Value

        found["micrograd"] = Value, lambda p: setattr(p, "grad", 0)
    if installed("torch"):

        def leaf(value: float) -> Any:
            import torch

            torch.set_num_threads(THREADS)
            return torch.tensor(value, dtype=torch.float64, requires_grad=True)

        found["torch"] = leaf, lambda p: setattr(p, "grad", None)
    return found


def step(engine: str, count: int) -> Callable[[], Any]:
    """One step of training without the update: forget, forward, backward. Returns the loss, with its
    graph."""
    leaf, forget = engines()[engine]
    layers, data = network(leaf), points(count)
    leaves = parameters(layers)

    def run() -> Any:
        for p in leaves:
            forget(p)
        loss = loss_of(layers, data)
        loss.backward()
        return loss

    return run


def gradients(engine: str, count: int) -> list[float]:
    """The gradient of every parameter, as floats."""
    leaf, _ = engines()[engine]
    layers = network(leaf)
    loss_of(layers, points(count)).backward()
    return [float(p.grad) for p in parameters(layers)]


def disagreement(engine: str, count: int) -> float:
    """The largest difference between autodiff's gradients and another engine's, in units of the largest."""
    ours, theirs = gradients("autodiff", count), gradients(engine, count)
    return max(abs(a - b) for a, b in zip(ours, theirs, strict=True)) / max(map(abs, ours))


def measure(peer: str, goals: tuple[str, str], quick: bool) -> list[Row]:
    count, rounds = (20, 3) if quick else (POINTS, 11 if peer == "micrograd" else 7)
    here = installed(peer)
    if here and disagreement(peer, count) > 1e-9:
        raise AssertionError(f"autodiff and {peer} do not agree on the gradients of the scalar network")
    rows = []
    for on, goal in zip((True, False), goals):
        values: list[float] = []
        if here:
            with collector(on):
                times = interleaved({name: step(name, count) for name in (peer, "autodiff")}, rounds)
            values = ratios(times[peer], times["autodiff"])
        what = f"network of numbers: {peer}'s time by ours, collector {'on' if on else 'off'}"
        rows.append(Row(what, goal, values, note="" if here else f"{peer} is not installed"))
    return rows


def beside_micrograd(quick: bool) -> list[Row]:
    return measure("micrograd", ("at least 8", "at least 1.5"), quick)


def beside_torch(quick: bool) -> list[Row]:
    return measure("torch", ("at least 5", ""), quick)
