"""Checks of the arguments of loaders and samplers, and of the indices that a sampler yields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np


def checked_indices(batch: Any) -> np.ndarray:
    """The indices of a batch as an array. Raises TypeError if they are not integers."""
    if not isinstance(batch, Iterable):
        raise TypeError(f"a batch_sampler must yield lists of indices, not {batch!r:.60}")
    indices = np.asarray(batch if isinstance(batch, np.ndarray) else list(batch))
    indices = indices.astype(int) if indices.size == 0 else indices
    if indices.dtype.kind not in "iu" or indices.ndim != 1:
        raise TypeError(f"a sampler must yield integers, not {batch!r:.60}")
    return indices


def check_reusable(sampler: Any, name: str) -> None:
    """Raise TypeError unless a sampler can be iterated over more than once."""
    if sampler is not None and (isinstance(sampler, Iterator) or not isinstance(sampler, Iterable)):
        raise TypeError(
            f"a {name} is iterated over in every epoch: give a Sampler or a list, not {sampler!r:.60}"
        )


def check_dataset(dataset: Any) -> None:
    """Raise TypeError unless an object has a length and an index."""
    if not (hasattr(dataset, "__len__") and hasattr(dataset, "__getitem__")):
        raise TypeError(
            f"a DataLoader needs a dataset with a length and an index, not {type(dataset).__name__}"
        )


def check_unused(conflict: str, **options: bool) -> None:
    """Raise ValueError if an option is in use. ``conflict`` is what it cannot be combined with, and why."""
    for name, in_use in options.items():
        if in_use:
            raise ValueError(f"{name} cannot be used with {conflict}")
