"""Attention over 64 places: the function alone, and the layer with its four projections.

Batch 16, 4 heads, 64 wide, float32, as in a small language model. By hand, the logits become weights in
place, and what their sums divide is the output, which is smaller.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .measure import Row
from .peers import Step
from .workload import Workload, compare

BATCH, HEADS, PLACES, WIDTH = 16, 4, 64, 64


def normal(*shapes: tuple[int, ...], scale: float = 1.0) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.normal(0, scale, shape).astype(np.float32) for shape in shapes]


def swapped(x: np.ndarray) -> np.ndarray:
    return np.swapaxes(x, -1, -2)


def forward(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: Any) -> tuple[np.ndarray, ...]:
    """The weights before they are divided by their sums, the sums, and the output."""
    P = (q * np.float32(q.shape[-1] ** -0.5)) @ swapped(k)
    if mask is not None:
        P += mask
    P -= P.max(axis=-1, keepdims=True)
    np.exp(P, out=P)
    sums = np.einsum("...j->...", P)[..., None]
    out = P @ v
    out /= sums
    return P, sums, out


def backward(
    grad: np.ndarray, P: np.ndarray, sums: np.ndarray, out: np.ndarray, *qkv: np.ndarray
) -> list[np.ndarray]:
    """The gradients of queries, keys and values."""
    q, k, v = qkv
    grad = grad / sums
    along = np.einsum("...j,...j->...", grad, out)[..., None]
    by_v = swapped(P) @ grad
    slope = grad @ swapped(v)
    slope -= along
    slope *= P
    slope *= np.float32(q.shape[-1] ** -0.5)
    return [slope @ k, swapped(slope) @ q, by_v]


def causal(places: int) -> np.ndarray:
    return np.where(np.tri(places, dtype=bool), 0, -np.inf).astype(np.float32)


def function(is_causal: bool, batch: int = BATCH, places: int = PLACES, width: int = WIDTH) -> Workload:
    """``scaled_dot_product_attention``, forward and backward."""
    shape = (batch, HEADS, places, width // HEADS)
    q, k, v, seed = normal(*[shape] * 4)
    mask = causal(places) if is_causal else None

    def by_hand() -> list[np.ndarray]:
        return backward(seed, *forward(q, k, v, mask), q, k, v)

    what = f"attention of {batch}x{HEADS} heads over {places} places{', causal' * is_causal}"
    return Workload(
        what, lambda F, *qkv: F.attention(*qkv, is_causal), [q, k, v], by_hand, seed=seed, cannot=WITHOUT
    )


WITHOUT = ("autograd", "MyGrad", "DeZero", "JAX")  # they have no attention of their own, or no such layer


def layer(batch: int = BATCH, places: int = PLACES, width: int = WIDTH) -> Workload:
    """A layer of self-attention that does not look ahead: the projections of queries, keys and values, and
    that of the heads."""
    x, seed = normal(*[(batch, places, width)] * 2)
    leaves = [x, *normal((3 * width, width), (3 * width,), (width, width), (width,), scale=width**-0.5)]
    mask = causal(places)

    def loss(F: Any, x: Any, *weights: Any) -> Any:
        return F.self_attention(x, HEADS, *weights)

    what = f"MultiheadAttention, batch {batch}, {HEADS} heads, {places} places, {width} wide, causal"
    return Workload(what, loss, leaves, layer_by_hand(leaves, mask, seed), seed=seed, cannot=WITHOUT)


def layer_by_hand(leaves: list[np.ndarray], mask: np.ndarray, seed: np.ndarray) -> Step:
    x, W, b, V, c = leaves
    batch, places, width = x.shape

    def split(z: np.ndarray) -> np.ndarray:
        return z.reshape(batch, places, HEADS, -1).transpose(0, 2, 1, 3)

    def joined(z: np.ndarray) -> np.ndarray:
        return z.transpose(0, 2, 1, 3).reshape(batch * places, width)

    def by_hand() -> list[np.ndarray]:
        rows, grad = x.reshape(-1, width), seed.reshape(-1, width)
        ones = np.ones(len(rows), rows.dtype)
        z = rows @ W.T
        z += b
        q, k, v = (split(z[:, i * width : (i + 1) * width]) for i in range(3))
        P, sums, out = forward(q, k, v, mask)
        heads = joined(out)
        heads @ V.T + c
        shares = backward(split(grad @ V), P, sums, out, q, k, v)
        slope = np.concatenate([joined(share) for share in shares], axis=1)
        return [(slope @ W).reshape(x.shape), slope.T @ rows, ones @ slope, grad.T @ heads, ones @ grad]

    return by_hand


def measure(quick: bool) -> list[Row]:
    sizes = (2, 4, 8) if quick else (BATCH, PLACES, WIDTH)
    workloads = [function(False, *sizes), function(True, *sizes), layer(*sizes)]
    times, rounds = (1, 3) if quick else (5, 31)
    return [row for each in workloads for row in compare(each, {"PyTorch": "at most 1"}, times, rounds)]
