"""A network of arrays, 784-400-100-10, batch 128, relu: one step of Adam on the softmax cross-entropy.

The gradients worked out on paper ask for none of the input pictures, and write into intermediate arrays where
that saves a copy.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from .measure import Row
from .peers import Adam
from .workload import HAND, Workload, compare

SIZES = (784, 400, 100, 10)
BATCH = 128
RATE = 1e-3


def network(dtype: str, sizes: tuple[int, ...] = SIZES) -> Workload:
    """With the weights and biases, layer by layer, as its leaves, and pictures and labels as constants."""
    rng = np.random.default_rng(0)
    leaves = []
    for fan_in, fan_out in pairwise(sizes):
        leaves.append(rng.normal(0, (2 / fan_in) ** 0.5, (fan_in, fan_out)).astype(dtype))
        leaves.append(np.zeros(fan_out, dtype))
    X = rng.random((BATCH, sizes[0])).astype(dtype)
    labels = rng.integers(0, sizes[-1], BATCH)
    what = f"network of arrays {'-'.join(map(str, sizes))}, {dtype}"
    spare = sum(leaf.nbytes for leaf in leaves)  # in Adam's step
    return Workload(what, loss, leaves, by_hand(leaves, X, labels), [X, labels], rate=RATE, kept=spare)


def loss(F: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any, X: Any, labels: Any) -> Any:
    h = F.relu(X @ w1 + b1)
    h = F.relu(h @ w2 + b2)
    return F.cross_entropy(h @ w3 + b3, labels)


def by_hand(leaves: list[np.ndarray], X: np.ndarray, labels: np.ndarray) -> Any:
    parameters = [leaf.copy() for leaf in leaves]
    adam = Adam(parameters, RATE)
    gradients_of = gradients_by_hand(parameters, X, labels)

    def step() -> list[np.ndarray]:
        gradients = gradients_of()
        adam.step(gradients)
        return gradients

    return step


def gradients_by_hand(parameters: list[np.ndarray], X: np.ndarray, labels: np.ndarray) -> Any:
    """Forward and backward."""
    ones, rows = np.ones(len(X), X.dtype), np.arange(len(X))

    def gradients() -> list[np.ndarray]:
        w1, b1, w2, b2, w3, b3 = parameters
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
        z[rows, labels] -= 1
        z /= len(X)  # the gradient of the mean cross-entropy
        g2 = z @ w3.T
        g2 *= h2 > 0
        g1 = g2 @ w2.T
        g1 *= h1 > 0
        return [X.T @ g1, ones @ g1, h1.T @ g2, ones @ g2, h2.T @ z, ones @ z]

    return gradients


def measure(quick: bool) -> list[Row]:
    goals = {"PyTorch": "at most 0.9", HAND: "at most 1.06"}
    networks = [network("float32", (20, 10, 10, 5))] if quick else [*map(network, ("float32", "float64"))]
    times, rounds = (2, 3) if quick else (10, 31)
    return [row for each in networks for row in compare(each, goals, times, rounds)]
