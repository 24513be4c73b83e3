"""Joining samples to a batch, and the random generator in use while a batch is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import seeding
from ..engine.tensor import Tensor, constant_tensor, raw


def generator(given: np.random.Generator | int | None = None) -> np.random.Generator:
    """The generator that a dataset or transform draws from: the one given (or one with the given seed), else
    the generator of the batch that a DataLoader is loading, else the package's generator.

    A DataLoader with a generator or with threads uses a separate generator for each batch, so that the same
    seed gives the same run in whatever order the threads run. There a generator that is given is also
    replaced by one for the batch, which is derived from it.

    Example
    -------
    >>> import autodiff as ad
    >>> from autodiff import data
    >>> data.generator() is ad.seeding.generator()
    True
    """
    return seeding.generator(given)


def default_collate(samples: Sequence[Any]) -> Any:
    """Join samples to a batch: the ``collate_fn`` that a DataLoader uses by default.

    Numbers, arrays and Tensors of one shape (...) become a constant Tensor of shape (samples, ...): floats
    keep their dtype, integers stay integers. Tuples, lists and dictionaries are joined part by part. Strings
    become a list.

    Raises
    ------
    ValueError
        If there are no samples, or they differ in shape, in their number of parts or in their keys.
    TypeError
        If a sample is none of the above.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.data import default_collate
    >>> x, y = default_collate([(np.array([0.5, 1.5]), 0), (np.array([2.5, 3.5]), 1)])
    >>> x.shape, x.requires_grad, y, y.dtype
    ((2, 2), False, [0 1], dtype('int64'))
    """
    if not len(samples):
        raise ValueError("a batch needs at least one sample, and none were given")
    first = samples[0]
    if isinstance(first, dict):
        if any(sample.keys() != first.keys() for sample in samples):
            raise ValueError(
                f"the samples of a batch have different keys (the first has {list(first)}); give all samples "
                "the same keys, or give the loader a collate_fn"
            )
        return {key: default_collate([sample[key] for sample in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        lengths = sorted({len(sample) for sample in samples})
        if len(lengths) > 1:
            raise ValueError(
                f"the samples of a batch have {lengths[0]} to {lengths[-1]} parts; give all samples the same "
                "number of parts, or give the loader a collate_fn"
            )
        parts = [default_collate(part) for part in zip(*samples)]
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    if isinstance(first, (str, bytes)):
        return list(samples)
    return stack([raw(sample) for sample in samples])


def stack(values: list[Any]) -> Tensor:
    """Numbers or arrays of one shape (...) as a constant Tensor of shape (values, ...)."""
    try:
        array = np.array(values)  # twice as fast as np.stack
    except ValueError:
        shapes = sorted({np.shape(value) for value in values})
        raise ValueError(
            f"the samples of a batch have shapes from {shapes[0]} to {shapes[-1]}; pad or crop them to one "
            "shape, or give the loader a collate_fn"
        ) from None
    if array.dtype.kind not in "fiub":
        wrong = next((value for value in values if np.asarray(value).dtype.kind not in "fiub"), values[0])
        raise TypeError(
            f"samples must be numbers, arrays or Tensors, or tuples or dictionaries of these, not "
            f"{wrong!r:.60}; give the loader a collate_fn"
        )
    if isinstance(values[0], int) and array.dtype.kind == "i":
        array = array.astype(np.int64, copy=False)  # on 32-bit machines NumPy would take int32
    return constant_tensor(array)
