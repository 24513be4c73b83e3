"""Checks of the inputs and dtypes of layers; ``autodiff/checks.py`` checks their numeric settings."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence
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


NO_ARGUMENTS = inspect.Signature([inspect.Parameter("cls", inspect.Parameter.POSITIONAL_ONLY)])

ABSENT = {
    "proj_size": "put an nn.Linear behind it, to project each output",
    "device": "there is one device, the CPU. Leave it out",
}
"""What an error says of PyTorch's options that the layers here do not have."""


def check_options(layer: Any, arguments: Sequence[Any], options: Mapping[str, Any]) -> None:
    """Raise TypeError for an argument that a layer of this package does not have."""
    if layer.__init__ is object.__init__ and (arguments or options):
        raise TypeError(f"{layer.__name__}() takes no arguments")
    known = options_of(layer.__init__)
    for name in options:
        if known and name not in known:
            hint = ABSENT.get(name, f"it takes {', '.join(known)}")
            raise TypeError(f"{layer.__name__} has no option {name!r}: {hint}")


@functools.cache
def options_of(constructor: Any) -> tuple[str, ...]:
    """The names of the arguments of a layer of this package; none for other classes, where Python raises."""
    if not str(getattr(constructor, "__module__", None)).startswith("autodiff."):
        return ()
    parameters = list(inspect.signature(constructor).parameters.values())[1:]
    return () if any(p.kind is p.VAR_KEYWORD for p in parameters) else tuple(p.name for p in parameters)
