"""Gradients cut to size between backward and step."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..engine.recording import no_grad
from ..engine.silence import silence
from ..engine.tensor import Tensor, describe, raw
from ..ops.reductions import norm as norm_of


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> float:
    """Scale all gradients by one number so that together they are no longer than ``max_norm``.

    Parameters
    ----------
    parameters
        A Tensor or several; those without a gradient are left alone.
    max_norm
        The length allowed. ``math.inf`` only measures.
    norm_type
        2 for the root of the sum of squares, 1 for the sum of sizes, ``math.inf`` for the largest size, or
        any other number above 0.
    error_if_nonfinite
        Raise RuntimeError, with nothing changed, if the norm is inf or nan. Otherwise gradients that are
        finite become 0 or nan then.

    Returns
    -------
    float
        The norm as it was before.

    Pascanu, Mikolov and Bengio 2013.

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
        raise ValueError(f"max_norm must be at least 0, not {max_norm}")
    if not norm_type > 0:
        raise ValueError(f"norm_type must be above 0, not {norm_type}")
    with_gradients = having_gradients(parameters)
    with silence():
        norms = [float(norm_of(np.ravel(raw(each._grad)), norm_type)) for each in with_gradients]
        norm = float(np.linalg.norm(norms, norm_type)) if norms else 0.0
    if error_if_nonfinite and not math.isfinite(norm):
        raise RuntimeError(f"the norm of the gradients is {norm}, so they cannot be scaled to {max_norm}")
    share = max_norm / (norm + 1e-6)
    if not share >= 1 and max_norm < math.inf:  # nan too: what is no number is not hidden
        with no_grad():
            for parameter in with_gradients:
                parameter.grad *= share
    return norm


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Cut every element of the gradients to the range from ``-clip_value`` to ``clip_value``.

    The direction of the gradient is not kept; :func:`clip_grad_norm_` keeps it.

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
        raise ValueError(f"clip_value must be at least 0, not {clip_value}")
    for parameter in having_gradients(parameters):
        grad = parameter.grad
        if grad.creation_op is not None:  # recorded by create_graph: what was computed from it stands
            grad = parameter.grad = grad.detach()
        grad.data = np.clip(grad.data, -clip_value, clip_value)


def having_gradients(parameters: Tensor | Iterable[Tensor]) -> list[Any]:
    """The Tensors among ``parameters`` that have a gradient."""
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    for parameter in given:
        if not isinstance(parameter, Tensor):
            raise TypeError(f"gradients of Tensors are clipped, not of {describe(parameter)}")
    return [parameter for parameter in given if parameter._grad is not None]
