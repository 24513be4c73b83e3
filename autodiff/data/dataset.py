"""Datasets: anything with a length and an index. What is read from a file stands in other modules."""

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
"""Which samples go into a batch: a range if they lie next to each other, which can save a copy."""


class Samples(Protocol):
    """What a DataLoader takes: a Dataset, a list, or any object with a length and an index."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: Any, /) -> Any: ...


class Dataset(ABC):
    """The base of datasets: a subclass says how many samples there are, and what sample ``index`` is.

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
        """How many samples there are."""

    @abstractmethod
    def __getitem__(self, index: int) -> Any:
        """One sample: a number, an array, a Tensor, or a tuple or dictionary of these."""

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def __add__(self, other: Samples) -> ConcatDataset:
        """One dataset: the samples of this one, and then those of another."""
        return ConcatDataset([self, other])

    def batch(self, indices: Indices) -> Any:
        """The samples at these indices as one batch, by default one after the other; a subclass that can
        fetch many at once does so here. A DataLoader with a ``collate_fn`` does not ask for it."""
        return default_collate([self[index] for index in indices_as_list(indices)])


class IterableDataset(ABC):
    """The base of datasets without an index, such as a stream or a file read line by line: a subclass says
    what comes, in order. It may be endless. Each loop starts anew.

    A DataLoader reads it in its own order, by one thread. If it draws random numbers, it takes them from
    ``data.generator()``.

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
        """The samples, each as a Dataset has them."""


def indices_as_list(indices: Indices) -> list[int]:
    """Plain numbers, which every dataset takes for an index."""
    return list(indices) if isinstance(indices, range) else indices.tolist()


def batch_of(dataset: Samples, indices: Indices) -> Any:
    """The samples at these indices of a Dataset, or of anything else with an index, as one batch."""
    if isinstance(dataset, Dataset):
        return dataset.batch(indices)
    return default_collate([dataset[index] for index in indices_as_list(indices)])


def sealed(view: Any) -> Any:
    """Data of a dataset, without copying it. A view is made read-only: to write into it would change the
    dataset."""
    if isinstance(view, np.ndarray) and view.base is not None:
        view.flags.writeable = False
    return view


def rows(array: np.ndarray, indices: Indices) -> np.ndarray:
    """Many rows at once: a read-only view if they lie next to each other, else one copy."""
    if isinstance(indices, range) and indices.step == 1 and 0 <= indices.start <= indices.stop <= len(array):
        return sealed(array[indices.start : indices.stop])
    return array.take(indices, axis=0)  # three times as fast as array[indices]


class TensorDataset(Dataset):
    """Arrays or Tensors of equal length: sample i is the tuple of their rows i, as constant Tensors.

    The arrays are not copied. A DataLoader indexes them as a whole and not row by row; without shuffling its
    batches are read-only views of them.

    Parameters
    ----------
    arrays
        Arrays, Tensors or lists of real numbers, of shapes (n, ...). Integers stay integers.

    Raises
    ------
    TypeError
        If there are none, or one is a single number or does not hold real numbers.
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
        self._arrays = tuple(plain(array, place) for place, array in enumerate(arrays))
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
        return tuple(constant_tensor(sealed(array[index])) for array in self._arrays)

    def batch(self, indices: Indices) -> tuple[Tensor, ...]:
        """The rows at these indices of each array."""
        return tuple(constant_tensor(rows(array, indices)) for array in self._arrays)


def plain(value: Any, place: int) -> np.ndarray:
    """An argument of a TensorDataset as an array; not copied if it is one."""
    try:
        array = np.asarray(raw(value))
    except ValueError as error:  # what NumPy says of a ragged list
        raise TypeError(f"array {place} of a TensorDataset is not regular: {error}") from None
    if array.dtype.kind not in "fiub" or array.ndim == 0:
        what = "a single number" if array.dtype.kind in "fiub" else f"{value!r:.60} ({array.dtype})"
        raise TypeError(f"array {place} of a TensorDataset needs real numbers along an axis, not {what}")
    return array


class Subset(Dataset):
    """Some samples of a dataset, in the order of ``indices``.

    Raises IndexError if an index is outside of the dataset, TypeError if one is no integer.

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
            raise TypeError(f"the indices of a Subset are a list of integers, not {indices!r:.60}")
        n = len(dataset)
        outside = chosen[(chosen < -n) | (chosen >= n)]
        if outside.size:
            raise IndexError(f"index {outside[0]} is outside of a dataset of {n} samples")
        self.dataset = dataset
        chosen = chosen.astype(int)  # n may be too large for the dtype that they came in
        self.indices = np.where(chosen < 0, chosen + n, chosen)

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int) -> Any:
        return self.dataset[int(self.indices[index])]

    def batch(self, indices: Indices) -> Any:
        """The samples of the whole dataset that these indices stand for."""
        return batch_of(self.dataset, rows(self.indices, indices))


class ConcatDataset(Dataset):
    """Datasets one after the other, as one.

    Example
    -------
    >>> from autodiff.data import ConcatDataset
    >>> list(ConcatDataset(["abc", "de"]))
    ['a', 'b', 'c', 'd', 'e']
    """

    def __init__(self, datasets: Iterable[Samples]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise ValueError("a ConcatDataset needs at least one dataset")
        self._ends = list(accumulate(map(len, self.datasets)))

    def __len__(self) -> int:
        return self._ends[-1]

    def __getitem__(self, index: int) -> Any:
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"index {index} is outside of a dataset of {len(self)} samples")
        which = bisect_right(self._ends, place)
        return self.datasets[which][place - (self._ends[which - 1] if which else 0)]


def random_split(
    dataset: Samples, lengths: Sequence[float], generator: np.random.Generator | int | None = None
) -> list[Subset]:
    """Share the samples out at random among Subsets that do not overlap.

    Parameters
    ----------
    dataset
        What to split.
    lengths
        How many samples each part gets: integers that sum to the dataset's length, or fractions that sum to
        1. What rounding the fractions down leaves over goes to the first parts, one each.
    generator
        A ``numpy.random.Generator`` or a seed; the package's generator by default.

    Raises
    ------
    ValueError
        If the lengths are negative or do not sum to the dataset's length, or the fractions to 1.

    Example
    -------
    >>> from autodiff.data import random_split
    >>> train, test = random_split("abcdefghij", [0.8, 0.2], generator=0)
    >>> len(train), sorted([*train, *test]) == list("abcdefghij")
    (8, True)
    """
    ends = list(accumulate(whole_lengths(len(dataset), lengths), initial=0))
    order = seeding.generator(generator).permutation(len(dataset))
    return [Subset(dataset, order[start:stop]) for start, stop in pairwise(ends)]


def whole_lengths(n: int, lengths: Sequence[float]) -> list[int]:
    """The lengths of the parts of n samples, from lengths or fractions."""
    if not len(lengths) or min(lengths) < 0:
        raise ValueError(f"a dataset is split into lengths or fractions of 0 or more, not {lengths!r:.60}")
    if not all(isinstance(length, (int, np.integer)) for length in lengths):
        if not math.isclose(sum(lengths), 1):
            raise ValueError(f"fractions to split a dataset by sum to 1, and these to {sum(lengths):g}")
        whole = [math.floor(n * fraction + 1e-9) for fraction in lengths]  # 0.29 * 100 is a little below 29
        return [length + (place < n - sum(whole)) for place, length in enumerate(whole)]
    if sum(lengths) != n:
        raise ValueError(f"the lengths sum to {sum(lengths):g}, and the dataset has {n} samples")
    return [int(length) for length in lengths]
