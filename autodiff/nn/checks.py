"""Checks of the inputs and dtypes of layers; ``autodiff/checks.py`` checks their numeric settings."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.tensor import describe
from ..ops.shaping import shape_of


def check_last_axes(x: Any, sizes: tuple[int, ...], owner: str) -> None:
    """Raise ValueError unless the last axes of ``x`` have these sizes."""
    shape = shape_of(x)
    if len(shape) < len(sizes) or shape[len(shape) - len(sizes) :] != sizes:
        axes = f"last axis {sizes[0]}" if len(sizes) == 1 else f"last axes {sizes}"
        raise ValueError(f"{owner} takes inputs with the {axes}, not {describe(x)}")


def checked_dtype(dtype: Any, owner: object) -> np.dtype:
    """The dtype of a layer's parameters: float32 for None. Raises TypeError unless it is a float dtype."""
    dtype = np.dtype(np.float32 if dtype is None else dtype)
    if dtype.kind != "f":
        raise TypeError(f"the parameters of {type(owner).__name__} are floats, so dtype cannot be {dtype}")
    return dtype
