"""Samplers: in which order a DataLoader takes samples, as indices one by one, or a batch at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence, Sized
from itertools import islice
from typing import Any

import numpy as np

from .. import seeding
from ..engine.tensor import raw
from .checks import whole


class Sampler(ABC):
    """The base of samplers: a subclass says which indices come, in order. Each loop asks anew.

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
        """The indices."""


class SequentialSampler(Sampler):
    """All indices of a dataset, in its own order.

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
        Whether an index may come again before all others have come.
    num_samples
        How many indices a loop has; None for as many as there are samples.
    generator
        A ``numpy.random.Generator`` or a seed; the package's generator by default. A seed starts a generator
        once, so that no two loops have the same order.

    Raises
    ------
    TypeError, ValueError
        If ``num_samples`` is no whole number of at least 1; at a loop, if there are no samples to draw from.

    Example
    -------
    >>> from autodiff.data import RandomSampler
    >>> sorted(RandomSampler("abcd", generator=0))
    [0, 1, 2, 3]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = None if num_samples is None else whole("num_samples", num_samples, 1)
        self.generator = None if generator is None else seeding.generator(generator)

    @property
    def num_samples(self) -> int:
        """How many indices a loop has."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __len__(self) -> int:
        return self.num_samples

    def __iter__(self) -> Iterator[int]:
        n, count = len(self.data_source), self.num_samples
        if count and not n:
            raise ValueError(f"a RandomSampler cannot draw {count} samples from none")
        draw = seeding.generator(self.generator)
        if self.replacement:
            return iter(draw.integers(n, size=count).tolist() if count else [])
        rounds = [draw.permutation(n) for _ in range(-(-count // n))] if count else []
        return iter(np.concatenate(rounds)[:count].tolist() if rounds else [])


class SubsetRandomSampler(Sampler):
    """These indices, in random order.

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
    """Indices drawn with these weights: classes that are rare can be made to come as often as the others.

    Parameters
    ----------
    weights
        One number of at least 0 for each sample; they need not add up to 1.
    num_samples
        How many indices a loop has.
    replacement
        Whether an index may come more than once in a loop.
    generator
        As for :class:`RandomSampler`.

    Raises
    ------
    TypeError, ValueError
        If the weights are no such numbers, or all 0, or ``num_samples`` no whole number of at least 1; or if,
        without replacement, fewer samples have a weight above 0.

    Example
    -------
    >>> from autodiff.data import WeightedRandomSampler
    >>> set(WeightedRandomSampler([0.0, 1.0, 1.0], num_samples=50, generator=0))
    {1, 2}
    """

    def __init__(
        self,
        weights: Any,
        num_samples: int,
        replacement: bool = True,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        self.weights = check_weights(weights)
        self.num_samples = whole("num_samples", num_samples, 1)
        self.replacement = replacement
        self.generator = None if generator is None else seeding.generator(generator)
        possible = int((self.weights > 0).sum())
        if not replacement and possible < self.num_samples:
            raise ValueError(
                f"{self.num_samples} samples cannot be drawn without replacement: {possible} have a weight "
                "above 0"
            )

    def __len__(self) -> int:
        return self.num_samples

    def __iter__(self) -> Iterator[int]:
        chances = self.weights / self.weights.sum()
        draw = seeding.generator(self.generator)
        drawn = draw.choice(len(chances), self.num_samples, replace=self.replacement, p=chances)
        return iter(drawn.tolist())


def check_weights(weights: Any) -> np.ndarray:
    """Weights as an array of float64. Raises TypeError or ValueError if they are not one finite number of at
    least 0 for each sample, or all 0."""
    array = np.asarray(raw(weights))
    if array.dtype.kind not in "fiub" or array.ndim != 1:
        raise TypeError(f"the weights of a sampler are a list of numbers, not {weights!r:.60}")
    array = array.astype(float)
    if not np.isfinite(array).all() or (array < 0).any() or not array.any():
        raise ValueError("the weights of a sampler are finite, at least 0, and not all 0")
    return array / array.max()  # so that their sum is finite


class BatchSampler(Sampler):
    """Lists of indices from a sampler: what a DataLoader takes as ``batch_sampler``.

    Parameters
    ----------
    sampler
        Anything that gives indices.
    batch_size
        How many are in a list; the last may be shorter.
    drop_last
        Leave the last list out if it is shorter.

    Raises
    ------
    TypeError, ValueError
        If ``batch_size`` is no whole number of at least 1.

    Example
    -------
    >>> from autodiff.data import BatchSampler
    >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool = False) -> None:
        self.sampler = sampler
        self.batch_size = whole("batch_size", batch_size, 1)
        self.drop_last = drop_last

    def __len__(self) -> int:
        return count_batches(len(self.sampler), self.batch_size, self.drop_last)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[list[Any]]:
        return grouped(iter(self.sampler), self.batch_size, self.drop_last)


def count_batches(n: int, size: int, drop_last: bool) -> int:
    """How many batches n samples make."""
    return n // size if drop_last else -(-n // size)


def grouped(values: Iterator[Any], size: int, drop_last: bool) -> Iterator[list[Any]]:
    """Lists of so many values each, taken when asked for; the last may be shorter."""
    while group := list(islice(values, size)):
        if len(group) == size or not drop_last:
            yield group
