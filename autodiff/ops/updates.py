"""In-place updates, for the methods that end in an underscore: ``t.add_(1)`` is ``t += 1``.

Only a leaf can be updated. Nothing is recorded, and the gradient is cleared. Each update is counted, so that
backward can raise if it needs data from before the update.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import recording
from ..engine.node_parts import ARGUMENT
from ..engine.tensor import Tensor, describe, raw
from .arithmetic import mul
from .piecewise import clip


def update_in_place(
    tensor: Tensor, operation: Any, in_place: Any, other: Any, alpha: Any = 1
) -> Tensor:
    """``tensor += alpha * other``, or the same with another operator.

    Raises RuntimeError if the Tensor is not a leaf, or if ``other`` requires a gradient.

    >>> import autodiff as ad
    >>> ad.Tensor([1, 2]).add_(10).mul_(2)
    [22 24]
    """
    check_change(tensor, other, alpha)
    return tensor._update(operation, in_place, other if alpha == 1 else mul(raw(alpha), raw(other)))


def fill_in_place(tensor: Tensor, value: Any) -> Tensor:
    """Set every element to one value.

    >>> import autodiff as ad
    >>> ad.Tensor([1, 2]).fill_(7)
    [7 7]
    """
    check_change(tensor, value)
    return tensor.assign(np.full(tensor.shape, raw(value)))


def copy_in_place(tensor: Tensor, source: Any) -> Tensor:
    """Copy values from ``source``, broadcast to the shape of the Tensor and converted to its dtype.

    Raises ValueError if the shapes do not broadcast.

    >>> import autodiff as ad
    >>> ad.Tensor([1, 2]).copy_([3, 4])
    [3 4]
    """
    check_change(tensor, source)
    try:
        values = np.broadcast_to(raw(source), tensor.shape)
    except ValueError as error:
        raise ValueError(f"cannot copy into {describe(tensor)}: {error}") from None
    return tensor.assign(values)


def clamp_in_place(tensor: Tensor, low: Any, high: Any) -> Tensor:
    """Limit the elements to the range from ``low`` to ``high``; None means no bound.

    >>> import autodiff as ad
    >>> ad.Tensor([-1, 0.5, 2]).clamp_(0, 1)
    [  0 0.5   1]
    """
    check_change(tensor, low, high)
    return tensor.assign(clip(raw(tensor), raw(low), raw(high)))


def check_change(tensor: Tensor, *values: Any) -> None:
    """Raise RuntimeError if the Tensor is not a leaf, or if one of the values would lose its gradient."""
    if tensor.creation_op is not None or tensor._x is ARGUMENT:
        tensor._replace(tensor._value, "update")  # raises
    for value in values:
        if isinstance(value, Tensor) and value.requires_grad and recording.current().recording:
            raise RuntimeError(
                f"{describe(value)} would lose its gradient when it updates {describe(tensor)} in place. Use "
                "value.detach(), or ad.no_grad(), or compute a new Tensor"
            )
