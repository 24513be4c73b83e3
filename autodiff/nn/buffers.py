"""Buffers: constant Tensors that belong to a module and are saved with it."""

from __future__ import annotations

from typing import Any

from ..engine.tensor import Tensor, constant_tensor, describe
from ..engine.values import as_data
from .parameter import Parameter


def as_buffer(value: Any) -> Tensor:
    """A constant Tensor of this value. A constant Tensor is returned as it is, unless it is a Parameter,
    which the module would list among its parameters too."""
    if isinstance(value, Tensor):
        is_buffer = not value._requires_grad and not isinstance(value, Parameter)
        return value if is_buffer else constant_tensor(as_data(value._value, value._requires_grad))
    try:
        return Tensor(value, requires_grad=False)
    except TypeError:
        raise TypeError(f"a buffer is an array, a Tensor or None, not {describe(value)}") from None
