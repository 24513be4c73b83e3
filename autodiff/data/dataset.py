"""Datasets: objects with a length and an index. Data sets that are read from files are in other modules."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, Protocol

import numpy as np

from .. import seeding
from ..engine.tensor import Tensor, constant_tensor, raw
from .collate import default_collate

Indices = range | np.ndarray
"""The indices of a batch. A range stands for neighbouring samples, whose arrays need no copy."""


class Samples(Protocol):
    """A source of samples for a DataLoader: a Dataset, a list, or any object with a length and an index."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: Any, /) -> Any: ...


class Dataset(ABC):
    """The base class of datasets. A subclass defines ``__len__`` and ``__getitem__``.

    Example
    -------
    >>> from autodiff.data import DataLoader, Dataset
    >>> class Squares(Dataset):
    ...     def __len__(self):
    ...         return 5
    ...     def __getitem__(self, index):
    ...         return float(index), index**2
    >>> for x, y in DataLoader(Squares(), batch_size=2):
    ...     print(x, y)
    [0 1] [0 1]
    [2 3] [4 9]
    [4] [16]
    """

    @abstractmethod
    def __len__(self) -> int:
        """The number of samples."""

    @abstractmethod
    def __getitem__(self, index: int) -> Any:
        """One sample: a number, an array, a Tensor, or a tuple or dictionary of these."""

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def __add__(self, other: Samples) -> ConcatDataset:
        """The samples of this dataset, followed by those of another, as one dataset."""
        return ConcatDataset([self, other])

    def batch(self, indices: Indices) -> Any:
        """The samples at these indices as one batch. By default they are fetched one by one; a subclass that
        can fetch many at once overrides this. A DataLoader with a ``collate_fn`` does not call it."""
        return default_collate([self[index] for index in indices_as_list(indices)])


class IterableDataset(ABC):
    """The base class of datasets without an index, such as a stream or a file read line by line. A subclass
    defines ``__iter__``, which may be endless. Every epoch calls it anew.

    A DataLoader reads such a dataset in the dataset's own order, in one thread. Random numbers should come
    from ``data.generator()``.

    Example
    -------
    >>> from autodiff.data import DataLoader, IterableDataset
    >>> class Countdown(IterableDataset):
    ...     def __iter__(self):
    ...         return iter([3, 2, 1])
    >>> list(DataLoader(Countdown(), batch_size=2))
    [[3 2], [1]]
    """

    @abstractmethod
    def __iter__(self) -> Iterator[Any]:
        """Yield the samples, each of a form that a Dataset may return."""


def indices_as_list(indices: Indices) -> list[int]:
    """The indices as plain ints, which every dataset accepts."""
    return list(indices) if isinstance(indices, range) else indices.tolist()


def fetch_batch(dataset: Samples, indices: Indices) -> Any:
    """The samples at these indices of a Dataset, or of any other object with an index, as one batch."""
    if isinstance(dataset, Dataset):
        return dataset.batch(indices)
    return default_collate([dataset[index] for index in indices_as_list(indices)])


def read_only(view: Any) -> Any:
    """The same data; a view is made read-only first, since writing into it would change the dataset."""
    if isinstance(view, np.ndarray) and view.base is not None:
        view.flags.writeable = False
    return view


def take_rows(array: np.ndarray, indices: Indices) -> np.ndarray:
    """The rows at these indices: a read-only view if they are neighbours, else a copy."""
    if isinstance(indices, range) and indices.step == 1 and 0 <= indices.start <= indices.stop <= len(array):
        return read_only(array[indices.start : indices.stop])
    return array.take(indices, axis=0)  # three times as fast as array[indices]


class TensorDataset(Dataset):
    """Arrays or Tensors of equal length: sample i is the tuple of their rows i, as constant Tensors.

    The arrays are not copied. A DataLoader fetches all rows of a batch at once; without shuffling its batches
    are read-only views.

    Parameters
    ----------
    arrays
        Arrays, Tensors or lists of real numbers, of shapes (n, ...). Integers stay integers.

    Raises
    ------
    TypeError
        If no array is given, or one is a single number or does not hold real numbers.
    ValueError
        If their lengths differ.

    Example
    -------
    >>> from autodiff.data import TensorDataset
    >>> dataset = TensorDataset([[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]], [0, 1, 0])
    >>> len(dataset), dataset[2]
    (3, ([  2 2.5], 0))
    """

    def __init__(self, *arrays: Any) -> None:
        if not arrays:
            raise TypeError("a TensorDataset needs at least one array")
        self._arrays = tuple(checked_rows(array, place) for place, array in enumerate(arrays))
        lengths = [len(array) for array in self._arrays]
        if len(set(lengths)) > 1:
            raise ValueError(f"the arrays of a TensorDataset have different lengths: {lengths}")

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """The arrays as constant Tensors."""
        return tuple(map(constant_tensor, self._arrays))

    def __len__(self) -> int:
        return len(self._arrays[0])

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(constant_tensor(read_only(array[index])) for array in self._arrays)

    def batch(self, indices: Indices) -> tuple[Tensor, ...]:
        """The rows at these indices of each array."""
        return tuple(constant_tensor(take_rows(array, indices)) for array in self._arrays)


def checked_rows(value: Any, place: int) -> np.ndarray:
    """Argument number ``place`` of a TensorDataset as an array of real numbers; an array is not copied."""
    try:
        array = np.asarray(raw(value))
    except ValueError as error:  # a ragged list
        raise TypeError(f"argument {place} of a TensorDataset is no array: {error}") from None
    if array.dtype.kind not in "fiub" or array.ndim == 0:
        found = "a single number" if array.dtype.kind in "fiub" else f"{value!r:.60} ({array.dtype})"
        raise TypeError(f"argument {place} of a TensorDataset must be an array of real numbers, not {found}")
    return array


class Subset(Dataset):
    """Some samples of a dataset, in the order of ``indices``.

    Raises IndexError if an index is out of range, TypeError if one is not an integer.

    Example
    -------
    >>> from autodiff.data import Subset
    >>> list(Subset("abcde", [4, 0]))
    ['e', 'a']
    """

    def __init__(self, dataset: Samples, indices: Sequence[int] | np.ndarray) -> None:
        chosen = np.asarray(indices)
        chosen = chosen.astype(int) if chosen.size == 0 else chosen
        if chosen.dtype.kind not in "iu" or chosen.ndim != 1:
            raise TypeError(f"the indices of a Subset must be a list of integers, not {indices!r:.60}")
        n = len(dataset)
        outside = chosen[(chosen < -n) | (chosen >= n)]
        if outside.size:
            raise IndexError(f"index {outside[0]} is out of range for a dataset of {n} samples")
        self.dataset = dataset
        chosen = chosen.astype(int)  # n may be too large for the dtype of the given indices
        self.indices: np.ndarray = np.where(chosen < 0, chosen + n, chosen)

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int) -> Any:
        return self.dataset[int(self.indices[index])]

    def batch(self, indices: Indices) -> Any:
        """The samples at these indices of the subset, fetched from the underlying dataset at once."""
        return fetch_batch(self.dataset, take_rows(self.indices, indices))


class ConcatDataset(Dataset):
    """Several datasets joined end to end.

    Example
    -------
    >>> from autodiff.data import ConcatDataset
    >>> list(ConcatDataset(["abc", "de"]))
    ['a', 'b', 'c', 'd', 'e']
    """

    def __init__(self, datasets: Iterable[Samples]) -> None:
        self.datasets: list[Samples] = list(datasets)
        if not self.datasets:
            raise ValueError("a ConcatDataset needs at least one dataset")
        self._ends = list(accumulate(map(len, self.datasets)))

    def __len__(self) -> int:
        return self._ends[-1]

    def __getitem__(self, index: int) -> Any:
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"index {index} is out of range for a dataset of {len(self)} samples")
        which = bisect_right(self._ends, place)
        return self.datasets[which][place - (self._ends[which - 1] if which else 0)]


def random_split(
    dataset: Samples, lengths: Sequence[float], generator: np.random.Generator | int | None = None
) -> list[Subset]:
    """Split a dataset at random into Subsets that do not overlap.

    Parameters
    ----------
    dataset
        The dataset to split.
    lengths
        The number of samples in each part: integers that sum to the dataset's length, or fractions that sum
        to 1. Fractions are rounded down, and the samples left over go to the first parts, one each.
    generator
        A ``numpy.random.Generator`` or a seed; the package's generator by default.

    Raises
    ------
    ValueError
        If a length is negative, integers do not sum to the dataset's length, or fractions do not sum to 1.

    Example
    -------
    >>> from autodiff.data import random_split
    >>> train, test = random_split("abcdefghij", [0.8, 0.2], generator=0)
    >>> len(train), sorted([*train, *test]) == list("abcdefghij")
    (8, True)
    """
    ends = list(accumulate(split_lengths(len(dataset), lengths), initial=0))
    order = seeding.generator(generator).permutation(len(dataset))
    return [Subset(dataset, order[start:stop]) for start, stop in pairwise(ends)]


def split_lengths(n: int, lengths: Sequence[float]) -> list[int]:
    """The lengths of the parts of n samples, given as lengths or as fractions."""
    if not len(lengths) or min(lengths) < 0:
        raise ValueError(f"the lengths of a split must be numbers of 0 or more, not {lengths!r:.60}")
    if not all(isinstance(length, (int, np.integer)) for length in lengths):
        if not math.isclose(sum(lengths), 1):
            raise ValueError(f"the fractions of a split must sum to 1; these sum to {sum(lengths):g}")
        rounded = [math.floor(n * fraction + 1e-9) for fraction in lengths]  # 0.29 * 100 is just below 29
        return [length + (place < n - sum(rounded)) for place, length in enumerate(rounded)]
    whole = [int(length) for length in lengths]  # the sum of small integers of NumPy's may not be one of them
    if sum(whole) != n:
        raise ValueError(f"the lengths sum to {sum(whole)}, but the dataset has {n} samples")
    return whole
