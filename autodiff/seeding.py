"""The package's random number generator, which ``seed`` seeds."""

from __future__ import annotations

from typing import Any

import numpy as np

from .engine import locking, recording
from .engine.tracing import check_not_compiling

shared: Any = None
"""The package's generator. It is made on first use, since the import of NumPy's random module takes time."""


def seed(number: int | None) -> None:
    """Seed the package's generator: the same number gives the same run. None takes a random seed.

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
    check_not_compiling("ad.seed", "call it outside of the compiled function")
    shared = np.random.default_rng(number)


manual_seed = seed  # PyTorch's name


def generator(given: np.random.Generator | int | None = None) -> np.random.Generator:
    """The generator for an argument ``generator=``: a Generator itself, a new one with that seed for an int,
    or the package's for None. Raises TypeError for anything else."""
    if isinstance(given, np.random.Generator) or given is None:
        switches = recording.current()
        if switches.trace is not None:
            return switches.trace.generator(given)
        found = package_generator(given) if switches.source is None else switches.source(given)
        return found if switches.repeat is None else switches.repeat.generator(found)
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        return np.random.default_rng(given)
    raise TypeError(f"a generator is a numpy.random.Generator or a seed, not {given!r:.60}")


def package_generator(given: np.random.Generator | None = None) -> np.random.Generator:
    """A generator itself, or the package's for None."""
    if given is None:
        if shared is None:
            with locking.shared:
                if shared is None:  # no other thread has made it meanwhile
                    seed(None)
        found: np.random.Generator = shared
        return found
    return given
