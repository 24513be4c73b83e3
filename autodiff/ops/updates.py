"""Changes in place, as methods whose names end in an underscore: ``t.add_(1)`` is ``t += 1``.

Only a leaf can be changed, and nothing is recorded; each change is counted, so that backward notices data
that was used before. The gradient is cleared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import recording
from ..engine.node import ARGUMENT
from ..engine.tensor import Tensor, describe, raw
from .arithmetic import mul
from .piecewise import clip


def update_in_place(
    tensor: Tensor, operation: Any, in_place: Any, other: Any, alpha: Any = 1
) -> Tensor:
    """``tensor += alpha * other`` and its like.

    Raises RuntimeError if the Tensor is not a leaf, or if ``other`` would lose its gradient.

    >>> import autodiff as ad
    >>> ad.Tensor([1, 2]).add_(10).mul_(2)
    [22 24]
    """
    check_change(tensor, other, alpha)
    return tensor._update(operation, in_place, other if alpha == 1 else mul(raw(alpha), raw(other)))


def fill_in_place(tensor: Tensor, value: Any) -> Tensor:
    """One value in every place.

    >>> import autodiff as ad
    >>> ad.Tensor([1, 2]).fill_(7)
    [7 7]
    """
    check_change(tensor, value)
    return tensor.assign(np.full(tensor.shape, raw(value)))


def copy_in_place(tensor: Tensor, source: Any) -> Tensor:
    """The values of another, stretched to the Tensor's shape, in its dtype.

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
    """The values kept between two bounds; None stands for no bound.

    >>> import autodiff as ad
    >>> ad.Tensor([-1, 0.5, 2]).clamp_(0, 1)
    [  0 0.5   1]
    """
    check_change(tensor, low, high)
    return tensor.assign(clip(raw(tensor), raw(low), raw(high)))


def check_change(tensor: Tensor, *values: Any) -> None:
    """Raise RuntimeError if a Tensor cannot be changed in place by these values."""
    if tensor.creation_op is not None or tensor._x is ARGUMENT:
        tensor._replace(tensor._value, "update")  # which says why not
    for value in values:
        if isinstance(value, Tensor) and value.requires_grad and recording.current().recording:
            raise RuntimeError(
                f"{describe(value)} would lose its gradient when it updates {describe(tensor)} in place. Use "
                "value.detach(), or ad.no_grad(), or compute a new Tensor"
            )
