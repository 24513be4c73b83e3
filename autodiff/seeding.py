"""The package's source of randomness: one generator that ``seed`` starts anew."""

from __future__ import annotations

from typing import Any

import numpy as np

shared: Any = None
"""The package's own generator; made when it is first needed, since NumPy's random numbers take a tenth of
NumPy's own time to import."""


def seed(number: int | None) -> None:
    """Start the package's generator anew: the same number gives the same run. None starts from chance.

    Example
    -------
    >>> import autodiff as ad
    >>> ad.seed(0)
    >>> first = ad.seeding.generator().random()
    >>> ad.seed(0)
    >>> ad.seeding.generator().random() == first
    True
    """
    global shared
    shared = np.random.default_rng(number)


manual_seed = seed  # as PyTorch calls it


def generator(given: np.random.Generator | int | None = None) -> np.random.Generator:
    """The generator that a function draws from: the one it was given, one started from the number it was
    given, or else the package's. Raises TypeError for anything else."""
    if given is None:
        if shared is None:
            seed(None)
        return shared
    if isinstance(given, np.random.Generator):
        return given
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        return np.random.default_rng(given)
    raise TypeError(f"randomness comes from a numpy.random.Generator or a seed, not {given!r:.60}")
