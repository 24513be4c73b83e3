"""What a module holds, in another form: a value as a buffer, everything in another dtype, gradients
forgotten."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine import edits
from ..engine.silence import silently
from ..engine.tensor import Tensor, constant_tensor, describe, raw
from ..engine.values import as_data
from .parameter import Parameter

DEVICES = ("cuda", "mps", "xpu", "meta")


def as_buffer(value: Any) -> Tensor:
    """A constant Tensor with the same value; one that is a constant already stays itself, unless it would be
    found as a parameter, too."""
    if isinstance(value, Tensor):
        is_buffer = not value._requires_grad and not isinstance(value, Parameter)
        return value if is_buffer else constant_tensor(as_data(value._value, value._requires_grad))
    try:
        return Tensor(value, requires_grad=False)
    except TypeError:
        raise TypeError(f"a buffer is an array, a Tensor or None, not {describe(value)}") from None


def check_dtype(dtype: Any) -> np.dtype | None:
    """What ``Module.to`` is asked for: a dtype, or None for the CPU, where everything is. Raises TypeError if
    it is no kind of float, ValueError for another device."""
    device = str(dtype).split(":")[0]
    if device == "cpu":
        return None
    if device in DEVICES:
        raise ValueError(f"there is no device {dtype}: NumPy computes on the CPU. Leave it out")
    try:
        kind = np.dtype(dtype)
    except TypeError:
        kind = None
    if dtype is None or kind is None or kind.kind != "f":
        raise TypeError(f"a module is kept in a kind of float, np.float32 or np.float64, not {dtype!r:.60}")
    return kind


def convert(tensors: Iterable[Tensor], dtype: np.dtype) -> None:
    """Keep the Tensors that are arrays of floats in another dtype, and their gradients too. Like any change
    of data it is counted: a later backward over a graph that used the old values raises."""
    for tensor in tensors:
        if isinstance(tensor._value, np.ndarray) and tensor.dtype.kind == "f" and tensor.dtype != dtype:
            grad = raw(tensor._grad)
            tensor._value = silently(tensor._value.astype, dtype)  # what is too large for it is inf
            tensor._edit = edits.new()
            tensor._grad = None if grad is None else silently(np.asarray(grad).astype, dtype)


def forget_gradients(tensors: Iterable[Tensor], set_to_none: bool) -> None:
    """Set gradients to None, or those that there are to zeros."""
    for tensor in tensors:
        if set_to_none or tensor._grad is None:
            tensor.zero_grad()
        else:
            tensor.grad = np.zeros(tensor.shape, tensor.dtype)
