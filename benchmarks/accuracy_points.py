"""Where accuracy is measured: points over the whole range of a dtype, and near special ones."""

from __future__ import annotations

import numpy as np

SPECIAL = np.array([1, 1, 1, 0.25, 0.5, 2, 3, 6, np.pi / 2, np.pi, 2 * np.pi, 20, 40, 88, 100, 700])
"""Where functions have a kink or an end, a root or a digit to lose. Both signs are taken."""


def points(rng: np.random.Generator, count: int, columns: int, dtype: type) -> np.ndarray:
    """So many rows of numbers: a third log-uniform over all normal numbers, a third over those that people
    compute with, and a third near special points or, beside another column, near its number."""
    limits = np.finfo(dtype)
    shape = (count, columns)
    far = log_uniform(rng, float(np.log(limits.tiny)), float(np.log(limits.max)), shape)
    usual = log_uniform(rng, np.log(1e-4), np.log(1e3), shape)
    near = rng.choice(SPECIAL, shape) * rng.choice([1, -1], shape) * (1 + offsets(rng, shape, limits))
    kind = rng.integers(3, size=(count, 1))
    found = np.choose(kind, [far, usual, near])
    if columns > 1:
        beside = found[:, :1] * rng.choice([1, -1], (count, 1)) * (1 + offsets(rng, shape, limits))
        beside[:, 0] = found[:, 0]
        found = np.where(rng.random((count, 1)) < 0.25, beside, found)
    found = found.astype(dtype)
    return np.where(np.abs(found) < limits.tiny, dtype(1), found)


def log_uniform(rng: np.random.Generator, low: float, high: float, shape: tuple[int, ...]) -> np.ndarray:
    with np.errstate(over="ignore"):
        return rng.choice([1.0, -1.0], shape) * np.exp(rng.uniform(low, high, shape))


def offsets(rng: np.random.Generator, shape: tuple[int, ...], limits: np.finfo) -> np.ndarray:
    """Relative distances from a point, from a few spacings up to a tenth."""
    return log_uniform(rng, float(np.log(2 * limits.eps)), np.log(0.1), shape)
