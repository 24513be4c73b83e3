"""The package's source of randomness: one generator that ``seed`` starts anew."""

from __future__ import annotations

import numpy as np

from . import state


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
    state.generator = np.random.default_rng(number)


manual_seed = seed  # as PyTorch calls it


def generator(given: np.random.Generator | int | None = None) -> np.random.Generator:
    """The generator that a function draws from: the one it was given, one started from the number it was
    given, or else the package's. Raises TypeError for anything else."""
    if given is None:
        if state.generator is None:
            seed(None)
        return state.generator
    if isinstance(given, np.random.Generator):
        return given
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        return np.random.default_rng(given)
    raise TypeError(f"randomness comes from a numpy.random.Generator or a seed, not {given!r:.60}")
