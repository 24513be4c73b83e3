"""Activations as functions, with PyTorch's names and arguments; ``nn.functional`` exports them.

They call the operations in ``ops/``. Where the operation has PyTorch's arguments already (relu, tanh,
sigmoid, silu, mish, ...) the function is the operation itself.
"""

# ruff: noqa: A001, A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

from typing import Any

from ..engine.dtypes import computed_in
from ..engine.operands import as_recorded
from ..engine.tensor import describe
from ..ops import activations, rectifiers
from ..ops.elementary import relu, sigmoid, tanh
from ..ops.joining import split
from ..ops.rectifiers import hardsigmoid, hardswish, mish, selu, softsign
from ..ops.shaping import reshape, shape_of

__all__ = [
    "celu", "elu", "gelu", "glu", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "log_softmax",
    "logsigmoid", "mish", "prelu", "relu", "relu6", "selu", "sigmoid", "silu", "softmax", "softmin",
    "softplus", "softsign", "tanh", "threshold",
]  # fmt: skip

silu = activations.silu
logsigmoid = activations.logsigmoid
gelu = activations.gelu


def leaky_relu(input: Any, negative_slope: float = 0.01) -> Any:
    """The input where it is positive and ``negative_slope * x`` elsewhere.

    >>> from autodiff.nn import functional as F
    >>> F.leaky_relu([-1.0, 2.0], 0.2)
    array([-0.2,  2. ])
    """
    return activations.leaky_relu(as_recorded(input), slope=float(negative_slope))


def elu(input: Any, alpha: float = 1.0) -> Any:
    """The input where it is positive and ``alpha * (exp(x) - 1)`` elsewhere.

    >>> from autodiff.nn import functional as F
    >>> F.elu([-1000.0, 2.0], alpha=0.5)
    array([-0.5,  2. ])
    """
    return activations.elu(as_recorded(input), alpha=float(alpha))


def celu(input: Any, alpha: float = 1.0) -> Any:
    """The input where it is positive and ``alpha * (exp(x / alpha) - 1)`` elsewhere.

    Raises ValueError unless ``alpha`` is above 0.

    >>> from autodiff.nn import functional as F
    >>> F.celu([-1000.0, 2.0], alpha=0.5)
    array([-0.5,  2. ])
    """
    if not alpha > 0:
        raise ValueError(f"alpha of celu must be above 0, not {alpha}")
    return rectifiers.celu(as_recorded(input), alpha=float(alpha))


def relu6(input: Any) -> Any:
    """The input limited to the range from 0 to 6.

    >>> from autodiff.nn import functional as F
    >>> F.relu6([-1.0, 2.0, 7.0])
    array([0., 2., 6.])
    """
    return rectifiers.hardtanh(as_recorded(input), low=0.0, high=6.0)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """The input limited to the range from ``min_val`` to ``max_val``.

    Raises ValueError unless ``min_val`` is below ``max_val``.

    >>> from autodiff.nn import functional as F
    >>> F.hardtanh([-2.0, 0.5, 7.0])
    array([-1. ,  0.5,  1. ])
    """
    if not min_val < max_val:
        raise ValueError(f"min_val of hardtanh must be below max_val {max_val}, not {min_val}")
    return rectifiers.hardtanh(as_recorded(input), low=float(min_val), high=float(max_val))


def threshold(input: Any, threshold: float, value: float) -> Any:
    """The input where it is above ``threshold`` and ``value`` elsewhere.

    >>> from autodiff.nn import functional as F
    >>> F.threshold([-2.0, 0.5, 3.0], 0.5, 20.0)
    array([20., 20.,  3.])
    """
    return rectifiers.threshold(as_recorded(input), level=float(threshold), value=float(value))


def prelu(input: Any, weight: Any) -> Any:
    """The input where it is positive and ``weight * x`` elsewhere.

    Parameters
    ----------
    input
        Of any shape for a single weight, else of shape (N, C, ...) or (C,).
    weight
        A number, or an array of shape (1,) or (C,).

    Raises
    ------
    ValueError
        If the weight is neither a single one nor one per channel.

    Example
    -------
    >>> from autodiff.nn import functional as F
    >>> F.prelu([[-1.0, -1.0]], [0.25, 0.5])
    array([[-0.25, -0.5 ]])
    """
    input, weight = as_recorded(input), as_recorded(weight)
    shape, weights = shape_of(input), shape_of(weight)
    if weights == (1,):
        weight = reshape(weight, shape=())
    elif weights:
        channels = shape[1] if len(shape) > 1 else shape[0] if shape else 1
        if weights != (channels,):
            raise ValueError(
                f"prelu takes one weight, or one for each of the {channels} channels of {describe(input)}, "
                f"not {describe(weight)}"
            )
        weight = reshape(weight, shape=(channels,) + (1,) * (len(shape) - 2))
    return rectifiers.prelu(input, weight)


@computed_in("floats")
def softplus(input: Any, beta: float = 1.0) -> Any:
    """log(1 + exp(beta x)) / beta. PyTorch's ``threshold`` is not needed: the result is exact everywhere.

    >>> from autodiff.nn import functional as F
    >>> F.softplus([-1000.0, 1000.0], beta=2.0)
    array([   0., 1000.])
    """
    x = as_recorded(input)
    if beta == 1:  # saves a product and a quotient
        return activations.softplus(x)
    return activations.softplus(x * float(beta)) / float(beta)


def softmax(input: Any, dim: int = -1) -> Any:
    """exp(x) / sum(exp(x)) along ``dim``, by default the last axis.

    >>> from autodiff.nn import functional as F
    >>> F.softmax([[1000.0, 1000.0]], dim=1)
    array([[0.5, 0.5]])
    """
    return activations.softmax(as_recorded(input), axis=dim)


@computed_in("floats")
def softmin(input: Any, dim: int = -1) -> Any:
    """The softmax of -x along ``dim``, by default the last axis.

    >>> from autodiff.nn import functional as F
    >>> F.softmin([-1000.0, 1000.0])
    array([1., 0.])
    """
    return activations.softmax(-as_recorded(input), axis=dim)


def log_softmax(input: Any, dim: int = -1) -> Any:
    """The logarithm of the softmax along ``dim``, by default the last axis.

    >>> from autodiff.nn import functional as F
    >>> F.log_softmax([0.0, -1000.0])
    array([    0., -1000.])
    """
    return activations.log_softmax(as_recorded(input), axis=dim)


@computed_in("floats")
def glu(input: Any, dim: int = -1) -> Any:
    """The first half along ``dim`` times the sigmoid of the second half (Dauphin et al., "Language Modeling
    with Gated Convolutional Networks", 2017).

    Raises ValueError if the size of the axis is odd.

    >>> from autodiff.nn import functional as F
    >>> F.glu([2.0, 4.0, 0.0, 1000.0])
    array([1., 4.])
    """
    first, second = split(as_recorded(input), 2, axis=dim)
    return first * sigmoid(second)
