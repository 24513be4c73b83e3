"""DataLoader: iterates over a dataset in batches, with shuffling, samplers and prefetching threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from .. import seeding
from ..checks import checked_integer
from ..engine.contexts import carried, switched
from ..engine.tensor import Tensor
from .checks import check_dataset, check_reusable, check_unused, checked_indices
from .collate import default_collate
from .dataset import Indices, IterableDataset, Samples, TensorDataset, fetch_batch, indices_as_list
from .samplers import batched, count_batches


class Epoch:
    """The seeds of one run through a loader, from which the generators of its batches are made."""

    def __init__(self, seed: int, generator: np.random.Generator | None) -> None:
        self.lock = Lock()
        self.seed, self.generator = seed, generator
        self.seeds: dict[int, tuple[np.random.Generator, int]] = {}

    def seed_for(self, given: np.random.Generator | None) -> int:
        """The seed that stands for a generator in this epoch: a single number drawn from it, whatever the
        number and the order of the batches that use it. For None and the loader's own generator it is the
        epoch's."""
        if given is None or given is self.generator:
            return self.seed
        with self.lock:
            if id(given) not in self.seeds:
                self.seeds[id(given)] = given, int(given.integers(2**63))
            return self.seeds[id(given)][1]


class BatchSource:
    """The generators of one batch: one in place of the package's, and one for each generator that a transform
    has, made at its first use."""

    def __init__(self, epoch: Epoch, number: int) -> None:
        self.epoch, self.number = epoch, number
        self.generators: dict[int, np.random.Generator] = {}

    def __call__(self, given: np.random.Generator | None) -> np.random.Generator:
        """The generator of the batch that takes the place of the given one, or of the package's."""
        if any(given is own for own in self.generators.values()):
            return given  # type: ignore[return-value]
        seed = self.epoch.seed_for(given)
        if seed not in self.generators:
            self.generators[seed] = np.random.default_rng((seed, self.number))
        return self.generators[seed]


Job = tuple[Indices, BatchSource]
"""The indices of a batch, and what its random numbers are drawn from."""


class DataLoader:
    """Iterates over a dataset in batches, once per epoch.

    With ``shuffle`` every epoch has a new order, drawn from one generator, and the same seed gives the same
    run. The first axis of a batch is that of its samples, even in a batch of one. Arrays and numbers become
    constant Tensors (see ``default_collate``). Batches of a TensorDataset are fetched at once, and without
    shuffling they are read-only views.

    Parameters
    ----------
    dataset
        A Dataset, or any object with a length and an index; or an IterableDataset.
    batch_size
        The number of samples in a batch. The last batch may be smaller.
    shuffle
        Whether every epoch takes the samples in a new random order.
    sampler
        Yields the indices of an epoch one by one: a :class:`Sampler`, or any object that can be iterated over
        repeatedly.
    batch_sampler
        Yields a list of indices for each batch, instead of ``batch_size``, ``shuffle``, ``sampler`` and
        ``drop_last``.
    drop_last
        Whether to leave out the last batch if it is smaller.
    collate_fn
        Makes a batch from a list of samples, instead of ``default_collate``.
    num_workers
        The number of threads that load batches ahead; with 0 each batch is loaded when it is requested.
        Batches keep their order, an exception keeps its traceback, and the threads end with the loop, even
        if it is left early. Threads help while loading waits for a disk or NumPy computes, but not while
        Python code runs.
    prefetch_factor
        The number of batches that each thread loads ahead.
    generator
        A ``numpy.random.Generator`` or a seed; the package's generator by default.

        While a batch is loaded, the package's random numbers (``ad.rand`` and transforms without a generator
        of their own) come from a generator of the batch, which is derived from this one; a transform or an
        ``ad`` function with a generator of its own draws from one that is derived from that. So a run is the
        same for any number of threads and in every run with the same seeds, also without threads if a
        generator is given here. Without it and without threads, samples draw straight from the package's
        generator and from their own. Numbers from ``np.random`` or a generator's own methods depend on the
        order of the threads: draw from ``data.generator(rng)`` in place of ``rng``.

    Raises
    ------
    TypeError, ValueError
        If a number is not an integer or out of range, the dataset has no length or index, or two options
        conflict; during iteration, if a sampler yields anything but integers.

    Example
    -------
    >>> from autodiff.data import DataLoader, TensorDataset
    >>> dataset = TensorDataset([[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]], [0, 1, 0])
    >>> loader = DataLoader(dataset, batch_size=2)
    >>> len(loader)
    2
    >>> for x, y in loader:
    ...     print(x.shape, y)
    (2, 2) [0 1]
    (1, 2) [0]
    """

    generator: np.random.Generator | None

    def __init__(
        self,
        dataset: Samples | IterableDataset,
        batch_size: int = 1,
        shuffle: bool = False,
        *,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        drop_last: bool = False,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        num_workers: int = 0,
        prefetch_factor: int = 2,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        self.dataset: Any = dataset
        self.batch_size: int = checked_integer("batch_size", batch_size)
        self.shuffle = shuffle
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.drop_last = drop_last
        self.collate_fn = collate_fn
        self.num_workers: int = checked_integer("num_workers", num_workers, minimum=0)
        self.prefetch_factor: int = checked_integer("prefetch_factor", prefetch_factor)
        # A generator started from a seed in every epoch would give all epochs the same order.
        self.generator = None if generator is None else seeding.generator(generator)
        self._check_options()

    def _check_options(self) -> None:
        """Raise TypeError or ValueError for a wrong dataset or sampler, or for options that conflict."""
        has_sampler, has_batch_sampler = self.sampler is not None, self.batch_sampler is not None
        if isinstance(self.dataset, IterableDataset):
            check_unused(
                "an IterableDataset, which one thread reads in its own order",
                shuffle=self.shuffle,
                sampler=has_sampler,
                batch_sampler=has_batch_sampler,
                num_workers=self.num_workers > 0,
            )
        else:
            check_dataset(self.dataset)
        if has_batch_sampler:
            check_unused(
                "a batch_sampler, which decides what each batch is",
                batch_size=self.batch_size != 1,
                shuffle=self.shuffle,
                sampler=has_sampler,
                drop_last=self.drop_last,
            )
        if has_sampler and self.shuffle:
            raise ValueError("a sampler decides the order of the samples: give sampler or shuffle, not both")
        check_reusable(self.sampler, "sampler")
        check_reusable(self.batch_sampler, "batch_sampler")

    def __len__(self) -> int:
        """The number of batches in an epoch."""
        if self.batch_sampler is not None:
            return len(self.batch_sampler)  # type: ignore[arg-type]
        samples: Any = self.dataset if self.sampler is None else self.sampler
        if not hasattr(samples, "__len__"):
            raise TypeError(f"this DataLoader has no length: its {type(samples).__name__} has none")
        return count_batches(len(samples), self.batch_size, self.drop_last)

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            return self._read_stream()
        if self.sampler is not None or self.batch_sampler is not None:
            return self._load_batches(self._sampler_batches())
        size = self.batch_size
        order: Indices = range(len(self.dataset))
        if self.shuffle:
            order = seeding.generator(self.generator).permutation(len(self.dataset))
        return self._load_batches(order[start : start + size] for start in range(0, len(self) * size, size))

    def _sampler_batches(self) -> Iterator[Indices]:
        """The indices of each batch, from the batch sampler or the sampler."""
        batches: Iterable[Any] | None = self.batch_sampler
        if batches is None:
            assert self.sampler is not None
            batches = batched(iter(self.sampler), self.batch_size, self.drop_last)
        return (checked_indices(batch) for batch in batches)

    def _load_batches(self, batches: Iterator[Indices]) -> Iterator[Any]:
        """Load the batches of these indices, ahead if there are threads. Each batch has its own random
        generator if the loader has a generator or threads."""
        # With `map`, a StopIteration raised by a dataset would end the loop silently.
        if not self.num_workers and self.generator is None:
            return (self._load(indices) for indices in batches)
        epoch = Epoch(int(seeding.generator(self.generator).integers(2**63)), self.generator)
        jobs = zip(batches, (BatchSource(epoch, number) for number in count()))
        if self.num_workers:
            return self._load_ahead(jobs)
        return (self._load_seeded(job) for job in jobs)

    def _load(self, indices: Indices) -> Any:
        """Load one batch."""
        if self.collate_fn is None:
            return fetch_batch(self.dataset, indices)
        return self.collate_fn([self.dataset[index] for index in indices_as_list(indices)])

    def _load_seeded(self, job: Job) -> Any:
        """Load one batch with its own generator, which is created at its first use."""
        indices, source = job
        with switched(source=source):
            return self._load(indices)

    def _read_stream(self) -> Iterator[Any]:
        """Read the batches of an IterableDataset, which draws from the loader's generator if there is one."""
        generator, package = self.generator, seeding.package_generator
        source = None if generator is None else lambda given: package(given or generator)
        samples: Iterator[Any] | None = None
        while True:
            with switched(source=source):
                samples = iter(self.dataset) if samples is None else samples
                group = list(islice(samples, self.batch_size))
                if not group or (self.drop_last and len(group) < self.batch_size):
                    return
                batch = (self.collate_fn or default_collate)(group)
            yield batch

    def _load_ahead(self, jobs: Iterator[Job]) -> Iterator[Any]:
        """Load batches in threads, a few ahead of the one that is yielded; yields them in order."""
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(self.num_workers, thread_name_prefix="DataLoader")
        try:
            # What is switched on here, such as no_grad and NumPy's error handling, holds in the threads too.
            futures = (pool.submit(carried().run, self._load_seeded, job) for job in jobs)
            ahead = deque(islice(futures, self.num_workers * self.prefetch_factor))
            while ahead:
                batch = ahead.popleft().result()
                ahead.extend(islice(futures, 1))
                yield batch
        finally:  # also reached when the loop is left early, which closes this generator
            pool.shutdown(cancel_futures=True)


class Batch(NamedTuple):
    """A batch of a BatchIterator: a pair with names."""

    inputs: Tensor
    """What the network gets."""
    targets: Tensor
    """What it should give."""


class BatchIterator:
    """The data loader of tinynn: called with two arrays, it yields their batches, in a new order per call.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data import BatchIterator
    >>> iterator = BatchIterator(batch_size=2, shuffle=False)
    >>> for batch in iterator(np.eye(3), [0, 1, 2]):
    ...     print(batch.inputs.shape, batch.targets)
    (2, 3) [0 1]
    (1, 3) [2]
    """

    generator: np.random.Generator | None

    def __init__(
        self, batch_size: int = 32, shuffle: bool = True, generator: np.random.Generator | int | None = None
    ) -> None:
        self.batch_size: int = checked_integer("batch_size", batch_size)
        self.shuffle = shuffle
        self.generator = None if generator is None else seeding.generator(generator)

    def __call__(self, inputs: Any, targets: Any) -> Iterator[Batch]:
        """The batches of two arrays of equal length."""
        dataset = TensorDataset(inputs, targets)
        loader = DataLoader(dataset, self.batch_size, self.shuffle, generator=self.generator)
        return map(Batch._make, loader)
