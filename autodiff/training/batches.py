"""What a Model's loops run over: the batches of a loader, which may be one that is made of arrays."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sized
from typing import Any

import numpy as np

from ..data import DataLoader, Dataset, TensorDataset
from ..engine.tensor import Tensor, raw
from .interrupts import let_through

BATCH_SIZE = 32


def loader_of(x: Any, y: Any, batch_size: int | None = None, shuffle: bool = False) -> DataLoader:
    """A loader of arrays: inputs of shape (n, ...) and targets of shape (n, ...)."""
    if isinstance(x, (DataLoader, Dataset, Iterator)):
        raise TypeError(
            f"a {type(x).__name__} brings its targets along and has batches of its own: give it alone"
        )
    inputs, targets = TensorDataset(x), TensorDataset(y)
    if len(inputs) != len(targets):
        raise ValueError(f"x has {len(inputs)} samples, and y has {len(targets)}")
    size = BATCH_SIZE if batch_size is None else batch_size
    return DataLoader(TensorDataset(*inputs.tensors, *targets.tensors), size, bool(shuffle))


def batches_of(
    x: Any,
    y: Any,
    batch_size: int | None,
    shuffle: bool | None,
    validation: Iterable[Any] | None,
    validation_data: Any,
    validation_split: float,
) -> tuple[Iterable[Any], Iterable[Any] | None]:
    """The loaders that ``fit`` trains on and judges with, of what it was given."""
    if sum((validation is not None, validation_data is not None, validation_split != 0)) > 1:
        raise TypeError("give one of validation, validation_data and validation_split")
    if validation_data is not None:
        validation = loader_of(*pair(validation_data), batch_size)
    if y is None:
        size = batch_size if validation_data is None else None
        check_loader(x, shuffle=shuffle, batch_size=size, validation_split=validation_split or None)
        return x, validation
    if validation_split:
        (x, y), held_out = split(x, y, validation_split)
        validation = loader_of(*held_out, batch_size)
    return loader_of(x, y, batch_size, shuffle is None or shuffle), validation


def pair(given: Any) -> tuple[Any, Any]:
    """The inputs and targets of ``validation_data``."""
    if isinstance(given, (tuple, list)) and len(given) == 2 and not isinstance(given[0], tuple):
        return given[0], given[1]
    raise TypeError(
        f"validation_data is a pair of arrays (x, y), not {given!r:.60}; for a loader: validation="
    )


def split(x: Any, y: Any, share: float) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Inputs and targets without their last samples, and those."""
    if not 0 < share < 1:
        raise ValueError(f"validation_split is a share between 0 and 1, not {share!r:.60}")
    loader_of(x, y)  # which compares their lengths
    inputs, targets = np.asarray(raw(x)), np.asarray(raw(y))
    count = int(len(inputs) * (1 - share))
    if not 0 < count < len(inputs):
        raise ValueError(
            f"validation_split={share} of {len(inputs)} samples leaves none to train on or none to judge with"
        )
    return (inputs[:count], targets[:count]), (inputs[count:], targets[count:])


def check_loader(loader: Any, **options: Any) -> None:
    """Raise unless this may give batches of inputs and targets, and no options for arrays are given."""
    if isinstance(loader, (np.ndarray, Tensor, dict, str)) or not isinstance(loader, Iterable):
        raise TypeError(
            f"a Model takes a loader of batches, fit(loader, epochs=...), or inputs with their targets, "
            f"fit(x, y, epochs=...), and this is {type(loader).__name__} alone"
        )
    for name, value in options.items():
        if value is not None:
            raise TypeError(f"{name} is for arrays, fit(x, y, epochs=...); a loader was made with its own")


def check_epochs(epochs: Any, *loaders: Any) -> int:
    """The number of epochs, if it is one and the loaders can be read as often."""
    if epochs is None:
        raise TypeError("fit is told how many epochs to train for: epochs=...")
    if not isinstance(epochs, (int, np.integer)) or isinstance(epochs, bool) or epochs < 0:
        raise ValueError(f"epochs is a whole number of 0 or more, not {epochs!r:.60}")
    for given in loaders:
        if isinstance(given, Iterator) and epochs > 1:
            raise ValueError(
                f"this {type(given).__name__} can be read once, and there are {epochs} epochs: give a "
                "DataLoader, or a list of batches"
            )
    return int(epochs)


def pairs(loader: Iterable[Any]) -> Generator[tuple[Any, Any], None, None]:
    """The batches of a loader, if there are any and they are pairs. A Ctrl-C is let through between them.

    When this is closed, so is the loader's iterator, with its threads.
    """
    batch, batches = None, iter(loader)
    try:
        for batch in batches:
            if not isinstance(batch, (tuple, list)) or len(batch) != 2:
                found = f"{len(batch)} parts" if isinstance(batch, (tuple, list)) else type(batch).__name__
                raise TypeError(
                    f"a Model takes batches that are pairs (input, target), and this one is {found}"
                )
            yield batch[0], batch[1]
            let_through()
    finally:
        if batches is not loader and hasattr(batches, "close"):
            batches.close()
    if batch is None:
        raise ValueError("the loader gave no batches: it is empty, or was read before and can be read once")


def length(loader: Iterable[Any]) -> int | None:
    """How many batches a loader has, if it knows."""
    try:
        return len(loader) if isinstance(loader, Sized) else None
    except TypeError:  # a DataLoader of a stream knows no length
        return None
