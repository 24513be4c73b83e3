"""A few operations at a time, on small arrays, where a package's own work counts, and on large ones, where
memory does; and a third derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .measure import Row
from .peers import Package, Step
from .workload import Workload, compare


def normal(*shapes: tuple[int, ...], dtype: str = "float32") -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def five_operations() -> Workload:
    """On 4 x 4 arrays that all want a gradient."""
    leaves = normal(*[(4, 4)] * 4)
    a, b, c, d = leaves

    def by_hand() -> list[np.ndarray]:
        s = a @ b
        s += c
        t = np.tanh(s * d)
        t.sum()
        grad = 1 - t * t
        by_d = grad * s
        grad *= d
        return [grad @ b.T, a.T @ grad, grad, by_d]

    def loss(F: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        return F.tanh((a @ b + c) * d).sum()

    return Workload("five operations on 4x4", loss, leaves, by_hand)


def bias_add(rows: int, columns: int) -> Workload:
    """A bias added to every row."""
    x, b, seed = normal((rows, columns), (columns,), (rows, columns))
    ones = np.ones(rows, x.dtype)

    def by_hand() -> list[np.ndarray]:
        x + b
        return [seed, ones @ seed]

    return Workload(f"bias added to {rows}x{columns}", lambda F, x, b: x + b, [x, b], by_hand, seed=seed)


def batched_matmul(batch: int, places: int, features: int) -> Workload:
    """Every place's product with every other, as in attention with ``batch`` heads."""
    x, y, seed = normal((batch, places, features), (batch, features, places), (batch, places, places))

    def by_hand() -> list[np.ndarray]:
        x @ y
        return [seed @ y.swapaxes(1, 2), x.swapaxes(1, 2) @ seed]

    what = f"{batch} products of {places}x{features} by {features}x{places}"
    return Workload(what, lambda F, x, y: x @ y, [x, y], by_hand, seed=seed, cannot=("DeZero",))


def chain(F: Any, x: Any, w: Any, b: Any) -> Any:
    y = F.tanh(x * w + b)
    y = F.sigmoid(y * x - w)
    return F.exp(y * b).sum()


def elementwise_chain(size: int) -> Workload:
    """Eight elementwise operations on arrays that no cache holds."""
    leaves = normal(*[(size,)] * 3)
    x, w, b = leaves

    def by_hand() -> list[np.ndarray]:
        t = x * w
        t += b
        np.tanh(t, out=t)
        s = t * x
        s -= w
        np.exp(np.negative(s, out=s), out=s)
        s += 1
        np.reciprocal(s, out=s)  # the sigmoid
        grad = s * b
        np.exp(grad, out=grad)
        grad.sum()
        by_b = grad * s
        grad *= b
        grad *= s
        np.subtract(1, s, out=s)
        grad *= s  # of what the sigmoid was taken of
        by_x = grad * t
        by_w = -grad
        grad *= x
        t *= t
        np.subtract(1, t, out=t)
        grad *= t  # of what tanh was taken of
        by_b += grad
        by_x += np.multiply(grad, w, out=s)
        by_w += np.multiply(grad, x, out=s)
        return [by_x, by_w, by_b]

    return Workload(f"elementwise chain on {size:,}", chain, leaves, by_hand)


class ThirdDerivative:
    """The gradient of the sum of the gradient of the sum of the gradient of the sum of tanh; without the sums
    where there is one number."""

    cannot = ("MyGrad",)  # it has no second derivatives

    def __init__(self, size: int | None) -> None:
        self.what = f"third derivative of tanh, {f'{size}x{size}' if size else 'one number'}"
        self.x = normal((size, size), dtype="float64")[0] if size else np.float64(0.5)

    def step(self, package: Package) -> Step:
        slope = package.slope
        assert slope is not None
        f: Callable[[Any], Any] = package.functions.tanh
        for recorded in (True, True, False):
            f = slope((lambda x, f=f: f(x).sum()) if self.x.ndim else f, recorded)
        x = package.leaf(self.x)
        return lambda: [f(x)]

    def by_hand(self) -> list[np.ndarray]:
        square = np.tanh(self.x) ** 2
        return [(square - 1) * (2 - 6 * square)]


def measure(quick: bool) -> list[Row]:
    torch = {"PyTorch": "at most 1"}
    ahead = {"MyGrad": "at most 1", "DeZero": "at most 1"}
    size = 10_000 if quick else 1_000_000
    workloads: list[tuple[Any, dict[str, str], int]] = [
        (five_operations(), {"PyTorch": "at most 0.4"}, 200),
        (bias_add(128, 400), torch, 50),
        (bias_add(1024, 1024), torch, 10),
        (batched_matmul(64, 64, 32), torch, 10),
        (elementwise_chain(size), ahead, 1),
        (ThirdDerivative(100), torch, 20),
        (ThirdDerivative(None), {"PyTorch": "at most 0.5"}, 100),
    ]
    return [
        row
        for workload, goals, times in workloads
        for row in compare(workload, goals, 1 if quick else times, 3 if quick else 31)
    ]
