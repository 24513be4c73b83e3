"""Conversion of a module's parameters and buffers to another float dtype."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np

from ..engine import edits
from ..engine.silence import silently
from ..engine.tensor import Tensor, raw

OTHER_DEVICES = ("cuda", "mps", "xpu", "meta")


class Convertible:
    """The part of a Module that converts it to another dtype."""

    def parameters(self) -> Iterator[Any]:
        """The parameters; a Module overrides this."""
        raise NotImplementedError

    def buffers(self) -> Iterator[Tensor]:
        """The buffers; a Module overrides this."""
        raise NotImplementedError

    def to(self, dtype: Any) -> Self:
        """Convert all float parameters and buffers, and their gradients, to another dtype; return the module.

        They stay the same objects. Create the optimizer afterwards: its state keeps the old dtype. Of
        PyTorch's devices, "cpu" has no effect and the others are refused: NumPy computes on the CPU.

        Raises TypeError unless the dtype is a float dtype, and ValueError for another device.

        >>> import numpy as np
        >>> from autodiff import nn
        >>> nn.Linear(2, 1).to(np.float64).weight.dtype
        dtype('float64')
        """
        target = checked_target(dtype)
        if target is not None:
            convert((*self.parameters(), *self.buffers()), target)
        return self

    def float(self) -> Self:
        """Convert to single precision, ``to(np.float32)``; return the module."""
        return self.to(np.float32)

    def double(self) -> Self:
        """Convert to double precision, ``to(np.float64)``; return the module."""
        return self.to(np.float64)


def checked_target(dtype: Any) -> np.dtype | None:
    """The dtype to convert to, or None for "cpu", where nothing is to be done. Raises TypeError unless it is
    a float dtype, and ValueError for another device."""
    device = str(dtype).split(":")[0]
    if device == "cpu":
        return None
    if device in OTHER_DEVICES:
        raise ValueError(f"there is no device {dtype}: NumPy computes on the CPU. Leave it out")
    try:
        target = np.dtype(dtype)
    except TypeError:
        target = None
    if dtype is None or target is None or target.kind != "f":
        raise TypeError(
            f"a module is converted to a float dtype, np.float32 or np.float64, not to {dtype!r:.60}"
        )
    return target


def convert(tensors: Iterable[Tensor], dtype: np.dtype) -> None:
    """Convert the float arrays among the Tensors, and their gradients.

    Like any change of data, this is counted: backward over a graph that used the old values then raises.
    """
    for tensor in tensors:
        if isinstance(tensor._value, np.ndarray) and tensor.dtype.kind == "f" and tensor.dtype != dtype:
            grad = raw(tensor._grad)
            tensor._value = silently(tensor._value.astype, dtype)  # values out of range become inf
            tensor._edit = edits.new()
            tensor._grad = None if grad is None else silently(np.asarray(grad).astype, dtype)
