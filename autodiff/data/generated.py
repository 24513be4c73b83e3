"""Synthetic data sets: points in the plane, in classes that no straight line separates."""

from __future__ import annotations

import numpy as np

from .. import seeding

Points = tuple[np.ndarray, np.ndarray]


def moons(n: int = 200, noise: float = 0.1, seed: np.random.Generator | int | None = None) -> Points:
    """Two interleaving half circles, class 0 above and class 1 below.

    Parameters
    ----------
    n
        The number of points in both classes together.
    noise
        The standard deviation of the noise added to each coordinate.
    seed
        A seed or a ``numpy.random.Generator``; the package's generator by default.

    Returns
    -------
    x, y
        float32 of shape (n, 2) and int64 of shape (n,), in random order.

    Example
    -------
    >>> from autodiff import data
    >>> x, y = data.moons(100, seed=0)
    >>> x.shape, x.dtype, y.sum()
    ((100, 2), dtype('float32'), np.int64(50))
    """
    rng = seeding.generator(seed)
    upper, lower = np.linspace(0, np.pi, n - n // 2), np.linspace(0, np.pi, n // 2)
    x = np.concatenate(
        [
            np.stack([np.cos(upper), np.sin(upper)], axis=1),
            np.stack([1 - np.cos(lower), 0.5 - np.sin(lower)], axis=1),
        ]
    )
    y = np.repeat([0, 1], [len(upper), len(lower)])
    return shuffled(x + rng.normal(0, noise, x.shape), y, rng)


def spiral(
    n: int = 300, classes: int = 3, noise: float = 0.2, seed: np.random.Generator | int | None = None
) -> Points:
    """Spiral arms around the origin, one for each class, as in Stanford's course CS231n.

    Each arm runs from the origin to radius 1 while it turns by 4 radians.

    Parameters
    ----------
    n
        The number of points in all classes together.
    classes
        The number of arms.
    noise
        The standard deviation of the noise added to each angle, in radians.
    seed
        A seed or a ``numpy.random.Generator``; the package's generator by default.

    Returns
    -------
    x, y
        float32 of shape (n, 2) and int64 of shape (n,), in random order.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import data
    >>> x, y = data.spiral(90, classes=3, seed=0)
    >>> x.shape, np.bincount(y)
    ((90, 2), array([30, 30, 30]))
    """
    rng = seeding.generator(seed)
    y = np.arange(n) % classes
    radius = np.arange(n) // classes / max(1, (n - 1) // classes)
    angle = 2 * np.pi * y / classes + 4 * radius + rng.normal(0, noise, n)
    return shuffled(np.stack([radius * np.sin(angle), radius * np.cos(angle)], axis=1), y, rng)


def shuffled(x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> Points:
    """Points and classes in the same random order, as float32 and int64."""
    order = rng.permutation(len(x))
    return x[order].astype(np.float32), y[order].astype(np.int64)
