"""What several full runs use: the pictures of MNIST as rows of numbers, and the reader's machine."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from autodiff import data

from .. import machine

Arrays = dict[str, np.ndarray]


def mnist(dtype: Any = np.float64) -> SimpleNamespace | None:
    """The arrays of MNIST, or None if its files are not on this computer. Nothing is downloaded.

    ``pictures`` and ``test_pictures`` have a row of 784 numbers from 0 to 1 for each picture; ``digits`` and
    ``test_digits`` have the right answers. The files are searched for in the folder that the environment
    variable AUTODIFF_DATA names, and where ``autodiff.data.MNIST()`` puts them when it downloads them.
    """
    try:
        known, test = (data.MNIST(train=part, download=False) for part in (True, False))
    except data.DownloadError:
        return None
    return SimpleNamespace(
        pictures=rows(known.data, dtype),
        digits=known.targets,
        test_pictures=rows(test.data, dtype),
        test_digits=test.targets,
    )


def needed_mnist(dtype: Any = np.float64) -> SimpleNamespace:
    """The arrays of MNIST, as ``mnist`` gives them; raises FileNotFoundError if they are not here."""
    arrays = mnist(dtype)
    if arrays is None:
        raise FileNotFoundError(
            "MNIST is not on this computer: run autodiff.data.MNIST() once to download it"
        )
    return arrays


def rows(pictures: np.ndarray, dtype: Any = np.float64) -> np.ndarray:
    """Pictures of bytes as rows of numbers from 0 to 1.

    >>> rows(np.array([[[0, 255], [51, 0]]], np.uint8)).tolist()
    [[0.0, 1.0, 0.2, 0.0]]
    """
    return np.asarray(pictures.reshape(len(pictures), -1).astype(dtype) / dtype(255))


def as_bytes(pictures: Any) -> np.ndarray:
    """Rows of 784 numbers as pictures of bytes: below 0 they become 0, and above 1 255."""
    return np.round(np.clip(pictures, 0, 1) * 255).astype(np.uint8).reshape(-1, 28, 28)


def whole_machine() -> Mapping[str, Any]:
    """The names of your machine, as it is after the course."""
    machine.start()
    return {name: getattr(machine, name) for name in machine.__getattr__("__all__")}
