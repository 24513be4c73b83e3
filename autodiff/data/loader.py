"""DataLoader: a dataset in batches, shuffled anew each time, loaded ahead by threads if asked to."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextvars import copy_context
from functools import cache
from itertools import count, islice
from typing import Any, NamedTuple

import numpy as np

from .. import seeding
from ..engine.tensor import Tensor
from .checks import check_again, check_choice, check_indices, whole
from .collate import batch_generator, default_collate
from .dataset import Indices, IterableDataset, Samples, TensorDataset, batch_of, indices_as_list
from .samplers import count_batches, grouped

Job = tuple[Indices, tuple[int, int]]
"""The indices of a batch, and the seed of its generator."""


class DataLoader:
    """Batches of a dataset, to loop over as often as wanted.

    Every loop shuffles anew, from one generator: no two epochs have the same order, and the same seed gives
    the same run. Each batch has a first axis for its samples, also a batch of one. Arrays and numbers come
    as constant Tensors (see ``default_collate``); those of a TensorDataset are indexed as a whole, and in
    its own order they are read-only views.

    Parameters
    ----------
    dataset
        A Dataset, or anything with a length and an index; or an IterableDataset, which is read as it comes.
    batch_size
        How many samples are in a batch; the last may be smaller.
    shuffle
        Whether every loop takes the samples in a new random order, rather than in the dataset's own.
    sampler
        Gives the indices of a loop, instead of the dataset's order: a :class:`Sampler`, or anything that can
        be looped over again and again.
    batch_sampler
        Gives lists of indices, one for each batch, instead of ``batch_size``, ``shuffle``, ``sampler`` and
        ``drop_last``.
    drop_last
        Leave the last batch out if it is smaller.
    collate_fn
        Makes a batch of a list of samples, instead of ``default_collate``.
    num_workers
        How many threads load batches ahead; with 0 each is loaded when it is asked for. Batches keep their
        order, an exception comes with its own traceback, and the threads end with the loop, also if it is
        left early. Threads help where loading waits or NumPy computes, not where Python does.
    prefetch_factor
        How many batches ahead for each of the threads.
    generator
        A ``numpy.random.Generator`` or a seed; the package's generator by default. Random transforms that
        have none of their own draw from it too, by way of one for each batch: with a seed or generator given
        here a run is the same with any number of threads.

    Raises
    ------
    TypeError, ValueError
        If a number is no whole number or out of range, the dataset has no length or index, or two options
        both say which samples come; in a loop, if a sampler gives no integers.

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
        is_stream = isinstance(dataset, IterableDataset)
        if not is_stream and not (hasattr(dataset, "__len__") and hasattr(dataset, "__getitem__")):
            raise TypeError(
                f"a DataLoader needs a dataset with a length and an index, not {type(dataset).__name__}"
            )
        options = {
            "batch_size": batch_size != 1,
            "shuffle": bool(shuffle),
            "sampler": sampler is not None,
            "batch_sampler": batch_sampler is not None,
            "drop_last": drop_last,
            "num_workers": bool(num_workers),
        }
        self.batch_size = whole("batch_size", batch_size, 1)
        check_choice(is_stream, options)
        check_again(sampler, "sampler")
        check_again(batch_sampler, "batch_sampler")
        self.dataset: Any = dataset
        self.sampler, self.batch_sampler = sampler, batch_sampler
        self.shuffle = shuffle
        self.drop_last = drop_last
        self.collate_fn = collate_fn
        self.num_workers = whole("num_workers", num_workers, 0)
        self.prefetch_factor = whole("prefetch_factor", prefetch_factor, 1)
        # A seed starts a generator once, here: started in every loop it would give every epoch one order.
        self.generator = None if generator is None else seeding.generator(generator)

    def __len__(self) -> int:
        """How many batches a loop has."""
        if self.batch_sampler is not None:
            return len(self.batch_sampler)  # type: ignore[arg-type]
        samples: Any = self.dataset if self.sampler is None else self.sampler
        if not hasattr(samples, "__len__"):
            raise TypeError(f"this DataLoader has no length, since its {type(samples).__name__} has none")
        return count_batches(len(samples), self.batch_size, self.drop_last)

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            return self._read()
        if self.sampler is not None or self.batch_sampler is not None:
            return self._loaded(self._sampled())
        n, step = len(self.dataset), self.batch_size
        order: Indices = range(n)
        if self.shuffle:
            order = seeding.generator(self.generator).permutation(n)
        return self._loaded(order[place * step : (place + 1) * step] for place in range(len(self)))

    def _sampled(self) -> Iterator[Indices]:
        """The indices of each batch, as a sampler gives them."""
        batches: Iterable[Any] | None = self.batch_sampler
        if batches is None:
            assert self.sampler is not None
            batches = grouped(iter(self.sampler), self.batch_size, self.drop_last)
        return (check_indices(batch) for batch in batches)

    def _loaded(self, batches: Iterator[Indices]) -> Iterator[Any]:
        """The batches of these indices, each with a seed for its random changes, and ahead if there are
        threads."""
        # Generators and not `map`: a StopIteration out of a dataset would end the loop without a word.
        if not self.num_workers and self.generator is None:
            return (self._load(indices) for indices in batches)
        seed = int(seeding.generator(self.generator).integers(2**63))
        jobs = zip(batches, ((seed, number) for number in count()))
        if self.num_workers:
            return self._load_ahead(jobs)
        return (self._load_seeded(job) for job in jobs)

    def _load(self, indices: Indices) -> Any:
        if self.collate_fn is None:
            return batch_of(self.dataset, indices)
        return self.collate_fn([self.dataset[index] for index in indices_as_list(indices)])

    def _load_seeded(self, job: Job) -> Any:
        """A batch that has a generator of its own, started when first asked for."""
        indices, seed = job
        token = batch_generator.set(cache(lambda: np.random.default_rng(seed)))
        try:
            return self._load(indices)
        finally:
            batch_generator.reset(token)

    def _read(self) -> Iterator[Any]:
        """The batches of an IterableDataset. What it draws comes from the loader's generator, if that was
        given."""
        given = self.generator
        own = None if given is None else lambda: given
        samples: Iterator[Any] | None = None
        while True:
            token = batch_generator.set(own)
            try:
                samples = iter(self.dataset) if samples is None else samples
                group = list(islice(samples, self.batch_size))
                if not group or (self.drop_last and len(group) < self.batch_size):
                    return
                batch = (self.collate_fn or default_collate)(group)
            finally:
                batch_generator.reset(token)
            yield batch

    def _load_ahead(self, jobs: Iterator[Job]) -> Iterator[Any]:
        """The batches in order, a few of them in the hands of threads."""
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(self.num_workers, thread_name_prefix="DataLoader")
        try:
            # In a copy of the caller's context: NumPy's error handling is the same in a thread.
            begun = (pool.submit(copy_context().run, self._load_seeded, job) for job in jobs)
            ahead = deque(islice(begun, self.num_workers * self.prefetch_factor))
            while ahead:
                batch = ahead.popleft().result()
                ahead.extend(islice(begun, 1))
                yield batch
        finally:  # reached when the loop is left, too: its iterator is closed with it
            pool.shutdown(cancel_futures=True)


class Batch(NamedTuple):
    """What a BatchIterator gives: a pair with names."""

    inputs: Tensor
    targets: Tensor


class BatchIterator:
    """tinynn's way to a DataLoader: called on two arrays, it gives their batches, shuffled anew per call.

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

    def __init__(
        self, batch_size: int = 32, shuffle: bool = True, generator: np.random.Generator | int | None = None
    ) -> None:
        self.batch_size = whole("batch_size", batch_size, 1)
        self.shuffle = shuffle
        self.generator = None if generator is None else seeding.generator(generator)

    def __call__(self, inputs: Any, targets: Any) -> Iterator[Batch]:
        """The batches of two arrays of equal length."""
        dataset = TensorDataset(inputs, targets)
        loader = DataLoader(dataset, self.batch_size, self.shuffle, generator=self.generator)
        return map(Batch._make, loader)
