"""Clearing gradients, for ``zero_grad`` of modules and of optimizers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .engine.tensor import Tensor


def clear_gradients(tensors: Iterable[Tensor], set_to_none: bool) -> None:
    """Set every gradient to None; or, if ``set_to_none`` is False, set those that exist to zeros."""
    for tensor in tensors:
        if set_to_none or tensor.grad is None:
            tensor.zero_grad()
        else:
            tensor.grad = np.zeros(tensor.shape, tensor.dtype)
