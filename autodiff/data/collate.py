"""From samples to a batch, and where random numbers come from while one is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from .. import seeding
from ..engine.tensor import Tensor, constant_tensor, raw

batch_generator: ContextVar[Callable[[], np.random.Generator] | None] = ContextVar("batch_generator")
"""Set while a loader loads a batch: gives the batch's own generator, whichever thread is at it."""


def generator(given: np.random.Generator | int | None = None) -> np.random.Generator:
    """What a dataset or transform draws from: the generator or seed it was given, else that of the batch
    that a DataLoader is loading, else the package's.

    A DataLoader with a generator, or with threads, has one for each batch: the same seed then gives the same
    run, whatever the turns that the threads take.

    Example
    -------
    >>> import autodiff as ad
    >>> from autodiff import data
    >>> data.generator() is ad.seeding.generator()
    True
    """
    of_the_batch = batch_generator.get(None)
    return of_the_batch() if given is None and of_the_batch else seeding.generator(given)


def default_collate(samples: Sequence[Any]) -> Any:
    """Join samples to a batch: what a DataLoader does that is given no ``collate_fn``.

    Numbers, arrays and Tensors of one shape (...) become a constant Tensor of shape (samples, ...): floats
    keep their dtype, integers stay integers. Tuples, lists and dictionaries are joined part by part; strings
    stay a list.

    Raises
    ------
    ValueError
        If there are none, or they differ in shape, in their number of parts or in their keys.
    TypeError
        If they are none of the above.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data import default_collate
    >>> x, y = default_collate([(np.array([0.5, 1.5]), 0), (np.array([2.5, 3.5]), 1)])
    >>> x.shape, x.requires_grad, y, y.dtype
    ((2, 2), False, [0 1], dtype('int64'))
    """
    if not len(samples):
        raise ValueError("a batch is made of one sample or more, and here are none")
    first = samples[0]
    if isinstance(first, dict):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError(
                f"the samples of a batch differ in their keys, of which the first has {list(first)}; make "
                "them alike, or give the loader a collate_fn"
            )
        return {key: default_collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        lengths = sorted({len(sample) for sample in samples})
        if len(lengths) > 1:
            raise ValueError(
                f"the samples of a batch have {lengths[0]} to {lengths[-1]} parts; make them alike, or give "
                "the loader a collate_fn"
            )
        parts = [default_collate(part) for part in zip(*samples)]
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    if isinstance(first, (str, bytes)):
        return list(samples)
    return stacked([raw(sample) for sample in samples])


def stacked(values: list[Any]) -> Tensor:
    """Numbers or arrays of one shape as a constant Tensor with one axis more."""
    try:
        array = np.array(values)  # twice as fast as np.stack
    except ValueError:
        shapes = sorted({np.shape(value) for value in values})
        raise ValueError(
            f"the samples of a batch have shapes from {shapes[0]} to {shapes[-1]}; pad or crop them to one, "
            "or give the loader a collate_fn"
        ) from None
    if array.dtype.kind not in "fiub":
        strange = next((value for value in values if np.asarray(value).dtype.kind not in "fiub"), values[0])
        raise TypeError(
            f"a batch is made of numbers, arrays and Tensors, or of tuples and dictionaries of these, not of "
            f"{strange!r:.60}; give the loader a collate_fn"
        )
    return constant_tensor(array)
