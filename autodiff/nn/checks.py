"""What layers check of the settings and inputs they are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.tensor import describe
from ..ops.shaping import shape_of


def whole(value: Any, name: str, owner: object, least: int = 1) -> int:
    """A setting that counts something, as an int. Raises TypeError or ValueError for anything else."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise TypeError(f"{name} of {type(owner).__name__} is a whole number, not {value!r:.60}")
    if value < least:
        raise ValueError(f"{name} of {type(owner).__name__} must be at least {least}, not {value}")
    return int(value)


def ending(x: Any, sizes: tuple[int, ...], owner: str) -> None:
    """Raise ValueError unless the last axes of ``x`` have these sizes."""
    shape = shape_of(x)
    if len(shape) < len(sizes) or shape[len(shape) - len(sizes) :] != sizes:
        axes = f"last axis {sizes[0]}" if len(sizes) == 1 else f"last axes {sizes}"
        raise ValueError(f"{owner} takes inputs with the {axes}, not {describe(x)}")


def check_floating(dtype: Any, owner: object) -> np.dtype:
    """The dtype of a layer's parameters: float32 for None. Raises TypeError if it is no kind of float."""
    kind = np.dtype(np.float32 if dtype is None else dtype)
    if kind.kind != "f":
        raise TypeError(f"the parameters of {type(owner).__name__} are floats, so dtype cannot be {kind}")
    return kind
