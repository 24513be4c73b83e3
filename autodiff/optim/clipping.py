"""Gradient clipping, between backward and the optimizer's step."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine import locking
from ..engine.dtypes import FLOAT16, unrounded
from ..engine.recording import no_grad
from ..engine.silence import silence
from ..engine.tensor import Tensor, describe, raw
from ..engine.tracing import check_not_compiling
from ..ops.reductions import norm


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> float:
    """Scale all gradients by one factor so that the norm of all of them together is at most ``max_norm``
    (Pascanu, Mikolov and Bengio, "On the Difficulty of Training Recurrent Neural Networks", 2013).

    Parameters
    ----------
    parameters
        A Tensor or several; those without a gradient are skipped.
    max_norm
        The largest norm allowed. With ``math.inf``, nothing is scaled.
    norm_type
        2 for the root of the sum of squares, 1 for the sum of absolute values, ``math.inf`` for the largest
        absolute value, or any other number above 0.
    error_if_nonfinite
        True raises RuntimeError and changes nothing if the norm is inf or nan. With False, finite gradients
        then become 0 or nan.

    Returns
    -------
    float
        The norm before the scaling.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not a Tensor, or a number is out of range.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> w, b = Tensor([1.0, 1.0]), Tensor(1.0)
    >>> ((w * [3, 4]).sum() + b * 12).backward()
    >>> optim.clip_grad_norm_([w, b], 6.5)
    13.0
    >>> w.grad, b.grad
    ([1.5 2], 6)
    """
    max_norm, norm_type = float(max_norm), float(norm_type)
    if not max_norm >= 0:
        raise ValueError(f"max_norm of clip_grad_norm_ must be at least 0, not {max_norm}")
    if not norm_type > 0:
        raise ValueError(f"norm_type of clip_grad_norm_ must be above 0, not {norm_type}")
    tensors = tensors_with_gradient(parameters)
    with locking.shared:
        with silence():
            norms = [float(norm(unrounded(np.ravel(raw(tensor._grad))), norm_type)) for tensor in tensors]
            total_norm = float(np.linalg.norm(norms, norm_type)) if norms else 0.0
        if error_if_nonfinite and not math.isfinite(total_norm):
            raise RuntimeError(
                f"the norm of the gradients is {total_norm}, so they cannot be scaled to {max_norm}"
            )
        scale = max_norm / (total_norm + 1e-6)
        if not scale >= 1 and max_norm < math.inf:  # nan too, so that it is not hidden
            with no_grad():
                for tensor in tensors:
                    if tensor.dtype == FLOAT16:  # in which a small scale would have few digits
                        tensor.grad = unrounded(raw(tensor._grad)) * scale
                    else:
                        tensor.grad *= scale
    return total_norm


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Clip every element of the gradients to the range from ``-clip_value`` to ``clip_value``.

    This can change the direction of the gradient; :func:`clip_grad_norm_` keeps it.

    Raises TypeError if a parameter is not a Tensor, and ValueError if ``clip_value`` is below 0.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> w = Tensor([1.0, 1.0])
    >>> (w * [0.5, -7]).sum().backward()
    >>> optim.clip_grad_value_([w], 2)
    >>> w.grad
    [0.5  -2]
    """
    clip_value = float(clip_value)  # a NumPy number would make float32 float64
    if not clip_value >= 0:
        raise ValueError(f"clip_value of clip_grad_value_ must be at least 0, not {clip_value}")
    tensors = tensors_with_gradient(parameters)
    with locking.shared:
        for tensor in tensors:
            grad = tensor.grad
            if grad.creation_op is not None:  # recorded by create_graph; values computed from it stay valid
                grad = tensor.grad = grad.detach()
            grad.data = np.clip(grad.data, -clip_value, clip_value)


def tensors_with_gradient(parameters: Tensor | Iterable[Tensor]) -> list[Any]:
    """The parameters that have a gradient."""
    check_not_compiling("clipping", "compile the loss with its gradients, and clip them outside")
    return [tensor for tensor in checked_tensors(parameters, "clipping") if tensor._grad is not None]


def checked_tensors(parameters: Tensor | Iterable[Tensor], owner: str) -> list[Tensor]:
    """One or several Tensors as a list. Raises TypeError if one is not a Tensor."""
    tensors = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{owner} takes Tensors, not {describe(tensor)}")
    return tensors
