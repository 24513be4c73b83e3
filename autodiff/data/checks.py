"""What loaders and samplers check of what they are given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np


def whole(name: str, value: Any, least: int) -> int:
    """An option that is a whole number of at least so much. Raises TypeError or ValueError for anything
    else."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise TypeError(f"{name} is a whole number, not {value!r:.60}")
    if value < least:
        raise ValueError(f"{name} is {least} or more, not {value}")
    return int(value)


def check_indices(batch: Any) -> np.ndarray:
    """The indices of a batch that a sampler gave, as an array. Raises TypeError if they are no integers."""
    if not isinstance(batch, Iterable):
        raise TypeError(f"a batch_sampler gives lists of indices, not {batch!r:.60}")
    indices = np.asarray(batch if isinstance(batch, np.ndarray) else list(batch))
    indices = indices.astype(int) if indices.size == 0 else indices
    if indices.dtype.kind not in "iu" or indices.ndim != 1:
        raise TypeError(f"a sampler gives integers, and here it gave {batch!r:.60}")
    return indices


def check_again(sampler: Any, name: str) -> None:
    """Raise TypeError unless a sampler can be looped over, again and again."""
    if sampler is not None and (isinstance(sampler, Iterator) or not isinstance(sampler, Iterable)):
        raise TypeError(
            f"a {name} is looped over in every epoch: give a Sampler or a list, not {sampler!r:.60}"
        )


def check_choice(iterable: bool, options: dict[str, Any]) -> None:
    """Raise ValueError if two options of a DataLoader both say which samples come."""
    given = [name for name, is_given in options.items() if is_given]
    if iterable and (given := [name for name in given if name not in ("batch_size", "drop_last")]):
        raise ValueError(
            f"an IterableDataset is read in its own order, by one thread: {given[0]} cannot be chosen"
        )
    if options["batch_sampler"] and (others := [name for name in given if name in EXCLUSIVE]):
        raise ValueError(f"a batch_sampler says what each batch is: {others[0]} cannot be chosen beside it")
    if options["sampler"] and options["shuffle"]:
        raise ValueError("a sampler says in which order samples come: give it or shuffle, not both")


EXCLUSIVE = ("batch_size", "shuffle", "sampler", "drop_last")  # what a batch_sampler decides
