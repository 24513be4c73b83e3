"""A network of arrays, 784-400-100-10, batch 128, float32: one step of plain gradient descent.

With autodiff as a user writes it, and by hand in NumPy: the same mathematics with the gradients worked out on
paper, which ask for no gradient of the input pictures.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import autodiff as ad

from .measure import Row, interleaved, ratios

SIZES = (784, 400, 100, 10)
BATCH = 128
RATE = 0.01


def start(seed: int = 0) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Weights and biases, layer by layer; pictures; one-hot labels."""
    rng = np.random.default_rng(seed)
    parameters = []
    for fan_in, fan_out in pairwise(SIZES):
        parameters.append(rng.normal(0, (2 / fan_in) ** 0.5, (fan_in, fan_out)).astype(np.float32))
        parameters.append(np.zeros(fan_out, np.float32))
    X = rng.random((BATCH, SIZES[0]), dtype=np.float32)
    Y = np.eye(SIZES[-1], dtype=np.float32)[rng.integers(0, SIZES[-1], BATCH)]
    return parameters, X, Y


class Recorded:
    """The step with autodiff."""

    def __init__(self) -> None:
        parameters, self.X, self.Y = start()
        self.parameters = [ad.Tensor(p) for p in parameters]

    def loss(self) -> ad.Tensor:
        w1, b1, w2, b2, w3, b3 = self.parameters
        h = (self.X @ w1 + b1).relu()
        h = (h @ w2 + b2).relu()
        z = h @ w3 + b3
        z = z - z.data.max(axis=1, keepdims=True)
        return (z.exp().sum(axis=1).log() - (z * self.Y).sum(axis=1)).mean()

    def gradients(self) -> list[np.ndarray]:
        self.loss().backward()
        return [p.grad.numpy() for p in self.parameters]

    def step(self) -> None:
        self.loss().backward()
        for p in self.parameters:
            p -= RATE * p.grad


class ByHand:
    """The step in NumPy alone. It writes into its own intermediate arrays where that saves a copy."""

    def __init__(self) -> None:
        self.parameters, self.X, self.Y = start()
        self.ones = np.ones(BATCH, np.float32)

    def gradients(self) -> list[np.ndarray]:
        w1, b1, w2, b2, w3, b3 = self.parameters
        X, Y, ones = self.X, self.Y, self.ones
        h1 = X @ w1
        h1 += b1
        np.maximum(h1, 0, out=h1)
        h2 = h1 @ w2
        h2 += b2
        np.maximum(h2, 0, out=h2)
        z = h2 @ w3
        z += b3
        z -= z.max(axis=1, keepdims=True)
        np.exp(z, out=z)
        z /= z.sum(axis=1, keepdims=True)  # the probabilities
        z -= Y
        z /= BATCH  # the gradient of the mean cross-entropy
        g2 = z @ w3.T
        g2 *= h2 > 0
        g1 = g2 @ w2.T
        g1 *= h1 > 0
        return [X.T @ g1, ones @ g1, h1.T @ g2, ones @ g2, h2.T @ z, ones @ z]

    def step(self) -> None:
        for p, grad in zip(self.parameters, self.gradients(), strict=True):
            p -= RATE * grad


def disagreement(steps: int) -> float:
    """The largest difference between the two gradients after ``steps`` steps, in units of the largest."""
    ours, theirs = Recorded(), ByHand()
    for _ in range(steps):
        ours.step()
        theirs.step()
    return max(
        float(np.abs(a - b).max() / np.abs(b).max())
        for a, b in zip(ours.gradients(), theirs.gradients(), strict=True)
    )


def measure(quick: bool) -> list[Row]:
    if disagreement(3) > 1e-4:
        raise AssertionError("autodiff and NumPy by hand do not agree on the gradients of the array network")
    steps, rounds = (5, 3) if quick else (20, 41)

    def repeated(step: Any) -> Any:
        def run() -> None:
            for _ in range(steps):
                step()

        return run

    contenders = {"ours": repeated(Recorded().step), "hand": repeated(ByHand().step)}
    times = interleaved(contenders, rounds)
    what = "network of arrays 784-400-100-10: our step by NumPy's by hand"
    return [Row(what, "at most 1.15", ratios(times["ours"], times["hand"]))]
