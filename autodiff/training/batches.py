"""The batches that a Model trains on or evaluates, from a loader or from arrays."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sized
from typing import Any

import numpy as np

from ..data import DataLoader, Dataset, TensorDataset
from ..engine.tensor import Tensor, raw
from .interrupts import raise_pending

BATCH_SIZE = 32


def array_loader(x: Any, y: Any, batch_size: int | None = None, shuffle: bool = False) -> DataLoader:
    """A loader of arrays: inputs of shape (n, ...) and targets of shape (n, ...)."""
    if isinstance(x, (DataLoader, Dataset, Iterator)):
        raise TypeError(
            f"a {type(x).__name__} has its own targets: pass it, in a DataLoader, without y and batch_size"
        )
    inputs, targets = TensorDataset(x), TensorDataset(y)
    if len(inputs) != len(targets):
        raise ValueError(f"x has {len(inputs)} samples, but y has {len(targets)}")
    size = BATCH_SIZE if batch_size is None else batch_size
    return DataLoader(TensorDataset(*inputs.tensors, *targets.tensors), size, bool(shuffle))


def fit_loaders(
    x: Any,
    y: Any,
    batch_size: int | None,
    shuffle: bool | None,
    validation: Iterable[Any] | None,
    validation_data: Any,
    validation_split: float,
) -> tuple[Iterable[Any], Iterable[Any] | None]:
    """The training loader and the validation loader (or None), from the arguments of ``fit``."""
    if sum((validation is not None, validation_data is not None, validation_split != 0)) > 1:
        raise TypeError("give only one of validation, validation_data and validation_split")
    if validation_data is not None:
        validation = array_loader(*validation_pair(validation_data), batch_size)
    if y is None:
        size = batch_size if validation_data is None else None
        check_loader(x, shuffle=shuffle, batch_size=size, validation_split=validation_split or None)
        return x, validation
    if validation_split:
        (x, y), held_out = split_validation(x, y, validation_split)
        validation = array_loader(*held_out, batch_size)
    return array_loader(x, y, batch_size, shuffle is None or shuffle), validation


def validation_pair(data: Any) -> tuple[Any, Any]:
    """The inputs and targets of ``validation_data``. Raises TypeError if it is not a pair of arrays."""
    if isinstance(data, (tuple, list)) and len(data) == 2 and not isinstance(data[0], tuple):
        return data[0], data[1]
    raise TypeError(
        f"validation_data must be a pair of arrays (x, y), not {data!r:.60}; pass a loader as validation="
    )


def split_validation(x: Any, y: Any, share: float) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Split off a share of the samples, the last ones, for validation."""
    if not 0 < share < 1:
        raise ValueError(f"validation_split must be between 0 and 1, not {share!r:.60}")
    array_loader(x, y)  # checks that the lengths are equal
    inputs, targets = np.asarray(raw(x)), np.asarray(raw(y))
    count = int(len(inputs) * (1 - share))
    if not 0 < count < len(inputs):
        raise ValueError(
            f"validation_split={share} of {len(inputs)} samples leaves no samples for training or validation"
        )
    return (inputs[:count], targets[:count]), (inputs[count:], targets[count:])


def check_loader(loader: Any, **options: Any) -> None:
    """Raise TypeError unless this can be a loader of batches, and no option for arrays is given."""
    if isinstance(loader, (np.ndarray, Tensor, dict, str)) or not isinstance(loader, Iterable):
        raise TypeError(
            f"a Model needs a loader, fit(loader, epochs=...), or inputs and targets, "
            f"fit(x, y, epochs=...), not {type(loader).__name__} alone"
        )
    for name, value in options.items():
        if value is not None:
            raise TypeError(f"{name} works only with arrays, fit(x, y, epochs=...); set it in the loader")


def checked_epochs(epochs: Any, *loaders: Any) -> int:
    """The number of epochs as an int. Raises ValueError if it is negative or not an integer, or if a loader
    can be read only once and there are several epochs."""
    if epochs is None:
        raise TypeError("fit needs the number of epochs: epochs=...")
    if not isinstance(epochs, (int, np.integer)) or isinstance(epochs, bool) or epochs < 0:
        raise ValueError(f"epochs must be an integer of 0 or more, not {epochs!r:.60}")
    for loader in loaders:
        if isinstance(loader, Iterator) and epochs > 1:
            raise ValueError(
                f"a {type(loader).__name__} can be read only once, but there are {epochs} epochs: pass a "
                "DataLoader or a list of batches"
            )
    return int(epochs)


def batch_pairs(loader: Iterable[Any]) -> Generator[tuple[Any, Any], None, None]:
    """Yield the batches of a loader, which must be pairs. A pending Ctrl-C is raised between batches.

    Closing this generator closes the loader's iterator with its threads. Raises TypeError if a batch is not a
    pair, ValueError if there are no batches.
    """
    batch, batches = None, iter(loader)
    try:
        for batch in batches:
            if not isinstance(batch, (tuple, list)) or len(batch) != 2:
                found = f"{len(batch)} parts" if isinstance(batch, (tuple, list)) else type(batch).__name__
                raise TypeError(f"a Model takes batches that are pairs (input, target), not {found}")
            yield batch[0], batch[1]
            raise_pending()
    finally:
        if batches is not loader and hasattr(batches, "close"):
            batches.close()
    if batch is None:
        raise ValueError("the loader gave no batches: it is empty, or it can be read only once and was read")


def batch_count(loader: Iterable[Any]) -> int | None:
    """The number of batches of a loader, or None if it has no length."""
    try:
        return len(loader) if isinstance(loader, Sized) else None
    except TypeError:  # the DataLoader of an IterableDataset has no length
        return None
