"""Samplers: the order in which a DataLoader takes samples, as single indices or as batches of indices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import Any

import numpy as np

from .. import seeding
from ..checks import checked_integer
from ..engine.tensor import raw


class Sampler(ABC):
    """The base class of samplers. A subclass defines ``__iter__``, which every epoch calls anew.

    Example
    -------
    >>> from autodiff.data import DataLoader, Sampler
    >>> class Backwards(Sampler):
    ...     def __init__(self, data_source):
    ...         self.data_source = data_source
    ...     def __len__(self):
    ...         return len(self.data_source)
    ...     def __iter__(self):
    ...         return iter(range(len(self))[::-1])
    >>> list(DataLoader("abc", batch_size=2, sampler=Backwards("abc")))
    [['c', 'b'], ['a']]
    """

    @abstractmethod
    def __iter__(self) -> Iterator[Any]:
        """Yield the indices of an epoch, in order."""


class SequentialSampler(Sampler):
    """All indices of a dataset, in ascending order.

    >>> from autodiff.data import SequentialSampler
    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __len__(self) -> int:
        return len(self.data_source)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))


class RandomSampler(Sampler):
    """Indices of a dataset in random order.

    Parameters
    ----------
    data_source
        The dataset.
    replacement
        Whether to draw with replacement, so that an index may repeat before all others have come.
    num_samples
        The number of indices in an epoch; None for the number of samples.
    generator
        A ``numpy.random.Generator`` or a seed; the package's generator by default. A seed is used once, when
        the sampler is made, so that every epoch has a different order.

    Raises
    ------
    TypeError, ValueError
        If ``num_samples`` is not an integer of at least 1; during iteration, if the dataset is empty.

    Example
    -------
    >>> from autodiff.data import RandomSampler
    >>> sorted(RandomSampler("abcd", generator=0))
    [0, 1, 2, 3]
    """

    generator: np.random.Generator | None

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = None if num_samples is None else checked_integer("num_samples", num_samples)
        self.generator = None if generator is None else seeding.generator(generator)

    @property
    def num_samples(self) -> int:
        """The number of indices in an epoch."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __len__(self) -> int:
        return self.num_samples

    def __iter__(self) -> Iterator[int]:
        n, count = len(self.data_source), self.num_samples
        if count and not n:
            raise ValueError(f"a RandomSampler cannot draw {count} samples from an empty dataset")
        if not count:
            return iter([])
        rng = seeding.generator(self.generator)
        if self.replacement:
            return iter(rng.integers(n, size=count).tolist())
        permutations = [rng.permutation(n) for _ in range(-(-count // n))]
        return iter(np.concatenate(permutations)[:count].tolist())


class SubsetRandomSampler(Sampler):
    """The given indices, in random order.

    Parameters
    ----------
    indices
        Integers.
    generator
        As for :class:`RandomSampler`.

    Example
    -------
    >>> from autodiff.data import SubsetRandomSampler
    >>> sorted(SubsetRandomSampler([5, 0, 3], generator=0))
    [0, 3, 5]
    """

    generator: np.random.Generator | None

    def __init__(
        self, indices: Sequence[int] | np.ndarray, generator: np.random.Generator | int | None = None
    ) -> None:
        self.indices = indices
        self.generator = None if generator is None else seeding.generator(generator)

    def __len__(self) -> int:
        return len(self.indices)

    def __iter__(self) -> Iterator[Any]:
        order = seeding.generator(self.generator).permutation(len(self.indices)).tolist()
        return (self.indices[place] for place in order)


class WeightedRandomSampler(Sampler):
    """Indices drawn with given weights, for example to draw rare classes as often as common ones.

    Parameters
    ----------
    weights
        One number of at least 0 for each sample; they need not sum to 1.
    num_samples
        The number of indices in an epoch.
    replacement
        Whether to draw with replacement, so that an index may repeat within an epoch.
    generator
        As for :class:`RandomSampler`.

    Raises
    ------
    TypeError, ValueError
        If the weights are not such numbers or all 0, if ``num_samples`` is not an integer of at least 1, or
        if it exceeds the number of samples with a weight above 0 and ``replacement`` is False.

    Example
    -------
    >>> from autodiff.data import WeightedRandomSampler
    >>> set(WeightedRandomSampler([0.0, 1.0, 1.0], num_samples=50, generator=0))
    {1, 2}
    """

    generator: np.random.Generator | None

    def __init__(
        self,
        weights: Any,
        num_samples: int,
        replacement: bool = True,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        self.weights: np.ndarray = checked_weights(weights)
        self.num_samples: int = checked_integer("num_samples", num_samples)
        self.replacement = replacement
        self.generator = None if generator is None else seeding.generator(generator)
        possible = int((self.weights > 0).sum())
        if not replacement and possible < self.num_samples:
            raise ValueError(
                f"{self.num_samples} samples cannot be drawn without replacement: only {possible} have a "
                "weight above 0"
            )

    def __len__(self) -> int:
        return self.num_samples

    def __iter__(self) -> Iterator[int]:
        probabilities = self.weights / self.weights.sum()
        rng = seeding.generator(self.generator)
        indices = rng.choice(len(probabilities), self.num_samples, replace=self.replacement, p=probabilities)
        return iter(indices.tolist())


def checked_weights(weights: Any) -> np.ndarray:
    """Weights as an array of float64, scaled to a maximum of 1. Raises TypeError if they are not a list of
    numbers, ValueError if a weight is negative or not finite or all are 0."""
    array = np.asarray(raw(weights))
    if array.dtype.kind not in "fiub" or array.ndim != 1:
        raise TypeError(f"the weights of a sampler must be a list of numbers, not {weights!r:.60}")
    array = array.astype(float)
    if not np.isfinite(array).all() or (array < 0).any() or not array.any():
        raise ValueError(
            f"the weights of a sampler must be finite, at least 0, and not all 0; these are {weights!r:.60}"
        )
    return array / array.max()  # so that their sum is finite


class BatchSampler(Sampler):
    """Groups the indices of a sampler into lists, for the ``batch_sampler`` of a DataLoader.

    Parameters
    ----------
    sampler
        Any iterable of indices.
    batch_size
        The number of indices in a list. The last list may be shorter.
    drop_last
        Whether to leave out the last list if it is shorter.

    Raises
    ------
    TypeError, ValueError
        If ``batch_size`` is not an integer of at least 1.

    Example
    -------
    >>> from autodiff.data import BatchSampler
    >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool = False) -> None:
        self.sampler = sampler
        self.batch_size: int = checked_integer("batch_size", batch_size)
        self.drop_last = drop_last

    def __len__(self) -> int:
        return count_batches(len(self.sampler), self.batch_size, self.drop_last)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[list[Any]]:
        return batched(iter(self.sampler), self.batch_size, self.drop_last)


def count_batches(n: int, size: int, drop_last: bool) -> int:
    """The number of batches of this size that n samples make."""
    return n // size if drop_last else -(-n // size)


def batched(values: Iterator[Any], size: int, drop_last: bool) -> Iterator[list[Any]]:
    """Group values lazily into lists of this size, as ``itertools.batched`` does; the last may be shorter."""
    while group := list(islice(values, size)):
        if len(group) == size or not drop_last:
            yield group
