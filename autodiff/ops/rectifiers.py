"""Activations that bend or saturate, besides those in ``activations.py``: selu, celu, mish, softsign, prelu,
and the piecewise ones: hardtanh (relu6 is one of them), hardsigmoid, hardswish, threshold.

An operation stands right above its rule. At a corner the slope is PyTorch's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.operation import operation
from .activations import softplus
from .arithmetic import minimum
from .elementary import abs as absolute
from .elementary import exp, sigmoid, tanh

SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


@operation(kind="elementwise")
def selu(x: Any) -> Any:
    """Scaled exponential linear unit, ``scale * elu(x, alpha)``. The two constants are chosen so that mean 0
    and variance 1 are kept from layer to layer (Klambauer et al., "Self-Normalizing Neural Networks", 2017).

    >>> import autodiff as ad
    >>> ad.ops.rectifiers.selu(ad.Tensor([-1000, 0, 1000]))
    [-1.7581       0  1050.7]
    """
    return SELU_SCALE * (np.maximum(x, 0) + SELU_ALPHA * np.expm1(np.minimum(x, 0)))


selu.backward(
    lambda grad, z, x: SELU_SCALE * grad * ((x > 0) + SELU_ALPHA * exp(minimum(x, 0)) * (x <= 0)),
)


@operation(kind="elementwise")
def celu(x: Any, *, alpha: float = 1.0) -> Any:
    """Exponential linear unit with a slope of 1 at 0 for every ``alpha``: x where it is positive,
    ``alpha * (exp(x / alpha) - 1)`` elsewhere (Barron, "Continuously Differentiable Exponential Linear
    Units", 2017).

    >>> import autodiff as ad
    >>> ad.ops.rectifiers.celu(ad.Tensor([-1000, 0, 1000]), alpha=2.0)
    [  -2    0 1000]
    """
    return np.maximum(x, 0) + alpha * np.expm1(np.minimum(x, 0) / alpha)


celu.backward(lambda grad, z, x, alpha=1.0: grad * ((x > 0) + exp(minimum(x, 0) / alpha) * (x <= 0)))


@operation(kind="elementwise")
def mish(x: Any) -> Any:
    """The product of x and tanh(softplus(x)), a smooth rectifier (Misra, "Mish", 2019).

    >>> import autodiff as ad
    >>> ad.ops.rectifiers.mish(ad.Tensor([-1000, 1, 1000]))
    [      -0 0.865098     1000]
    """
    return x * np.tanh(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


def by_mish(grad: Any, z: Any, x: Any) -> Any:
    """The factor itself, and x times the factor's slope."""
    t = tanh(softplus(x))
    return grad * (t + x * sigmoid(x) * (1 - t * t))


mish.backward(by_mish)


@operation(kind="elementwise")
def softsign(x: Any) -> Any:
    """The quotient x / (1 + abs(x)), a step from -1 to 1 that is slower than tanh (Turian, Bergstra and
    Bengio, 2009).

    >>> import autodiff as ad
    >>> ad.ops.rectifiers.softsign(ad.Tensor([-1, 0, 3]))
    [-0.5    0 0.75]
    """
    return x / (1 + np.abs(x))


def by_softsign(grad: Any, z: Any, x: Any) -> Any:
    """1 / (1 + abs(x))², which is 1 at 0: the corner of abs is no corner here."""
    below = 1 + absolute(x)
    return grad / below / below


softsign.backward(by_softsign)


@operation(kind="elementwise")
def prelu(x: Any, weight: Any) -> Any:
    """The input where it is positive and ``weight * x`` elsewhere, with a weight that is learned (He et al.,
    "Delving Deep into Rectifiers", 2015). The slope at 0 is ``weight``.

    >>> import autodiff as ad
    >>> ad.ops.rectifiers.prelu(ad.Tensor([-2, 0, 2]), 0.25)
    [-0.5    0    2]
    """
    return np.where(x > 0, x, weight * x)


prelu.backward(
    lambda grad, z, x, weight: grad * (x > 0) + grad * weight * (x <= 0),
    lambda grad, z, x, weight: grad * x * (x <= 0),
)


@operation(kind="elementwise")
def hardtanh(x: Any, *, low: float = -1.0, high: float = 1.0) -> Any:
    """The input between two bounds, and the nearer bound elsewhere; on a bound the slope is 0. From 0 to 6 it
    is relu6 (Krizhevsky, "Convolutional Deep Belief Networks on CIFAR-10", 2010).

    >>> import autodiff as ad
    >>> ad.ops.rectifiers.hardtanh(ad.Tensor([-2, 0.5, 7]), low=0.0, high=6.0)
    [  0 0.5   6]
    """
    return np.minimum(np.maximum(x, low), high)


hardtanh.backward(lambda grad, z, x, low=-1.0, high=1.0: grad * ((x > low) & (x < high)))


@operation(kind="elementwise")
def hardsigmoid(x: Any) -> Any:
    """A sigmoid of three straight lines: 0 up to -3, 1 from 3 on, and x/6 + 1/2 in between (Courbariaux,
    Bengio and David, "BinaryConnect", 2015, in PyTorch's width). On a bound the slope is 0.

    >>> import autodiff as ad
    >>> ad.ops.rectifiers.hardsigmoid(ad.Tensor([-3, 0, 1.5, 3]))
    [   0  0.5 0.75    1]
    """
    return np.minimum(np.maximum(x + 3, 0), 6) / 6


hardsigmoid.backward(lambda grad, z, x: grad * ((x > -3) & (x < 3)) / 6)


@operation(kind="elementwise")
def hardswish(x: Any) -> Any:
    """The product of x and its hardsigmoid (Howard et al., "Searching for MobileNetV3", 2019). The slope is 0
    at -3 and 1 at 3.

    >>> import autodiff as ad
    >>> ad.ops.rectifiers.hardswish(ad.Tensor([-4, -1.5, 3, 1000]))
    [    -0 -0.375      3   1000]
    """
    return x * (np.minimum(np.maximum(x + 3, 0), 6) / 6)


hardswish.backward(lambda grad, z, x: grad * ((x >= 3) + (x / 3 + 0.5) * ((x > -3) & (x < 3))))


@operation(kind="elementwise")
def threshold(x: Any, *, level: float, value: float) -> Any:
    """The input where it is above ``level`` and ``value`` elsewhere. The slope at the level is 0.

    >>> import autodiff as ad
    >>> ad.ops.rectifiers.threshold(ad.Tensor([-2, 0.5, 3]), level=0.5, value=20.0)
    [20 20  3]
    """
    return np.where(x <= level, value, x)


threshold.backward(lambda grad, z, x, level, value: grad * (x > level))
