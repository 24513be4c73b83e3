"""More activation functions: the smooth selu, celu, mish, softsign and prelu, and the piecewise linear
hardtanh (with relu6), hardsigmoid, hardswish, threshold.

Each operation stands right above its rules. At a kink the slope is PyTorch's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.operation import operation
from .activations import softplus
from .arithmetic import minimum
from .elementary import abs as absolute
from .elementary import exp, sech2, sigmoid, tanh

SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946


@operation(kind="elementwise", precision="floats")
def selu(x: Any) -> Any:
    """Scaled exponential linear unit, ``scale * elu(x, alpha)``. The constants preserve mean 0 and variance 1
    from layer to layer (Klambauer et al., "Self-Normalizing Neural Networks", 2017).

    >>> import autodiff as ad
    >>> ad.selu(ad.Tensor([-1000, 0, 1000]))
    [-1.7581       0  1050.7]
    """
    return SELU_SCALE * (np.maximum(x, 0) + SELU_ALPHA * np.expm1(np.minimum(x, 0)))


selu.backward(
    lambda grad, z, x: SELU_SCALE * grad * ((x > 0) + SELU_ALPHA * exp(minimum(x, 0)) * (x <= 0)),
)


@operation(kind="elementwise", precision="floats")
def celu(x: Any, *, alpha: float = 1.0) -> Any:
    """Exponential linear unit with slope 1 at 0 for every ``alpha``: x where x is positive,
    ``alpha * (exp(x / alpha) - 1)`` elsewhere (Barron, "Continuously Differentiable Exponential Linear
    Units", 2017).

    >>> import autodiff as ad
    >>> ad.celu(ad.Tensor([-1000, 0, 1000]), alpha=2.0)
    [  -2    0 1000]
    """
    return np.maximum(x, 0) + alpha * np.expm1(np.minimum(x, 0) / alpha)


celu.backward(lambda grad, z, x, alpha=1.0: grad * ((x > 0) + exp(minimum(x, 0) / alpha) * (x <= 0)))


@operation(kind="elementwise", precision="floats")
def mish(x: Any) -> Any:
    """A smooth rectifier, x * tanh(softplus(x)) (Misra, "Mish", 2019).

    >>> import autodiff as ad
    >>> ad.mish(ad.Tensor([-1000, 1, 1000]))
    [      -0 0.865098     1000]
    """
    return x * np.tanh(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


def mish_rule(grad: Any, z: Any, x: Any) -> Any:
    """The product rule for x * tanh(softplus(x))."""
    return grad * (tanh(softplus(x)) + x * sigmoid(x) * sech2(softplus(x)))


mish.backward(mish_rule)


@operation(kind="elementwise", precision="floats")
def softsign(x: Any) -> Any:
    """A smooth step from -1 to 1, x / (1 + abs(x)), slower than tanh (Turian, Bergstra and Bengio, 2009).

    >>> import autodiff as ad
    >>> ad.softsign(ad.Tensor([-1, 0, 3]))
    [-0.5    0 0.75]
    """
    return x / (1 + np.abs(x))


def softsign_rule(grad: Any, z: Any, x: Any) -> Any:
    """1 / (1 + abs(x))**2. There is no kink at 0."""
    denominator = 1 + absolute(x)
    return grad / denominator / denominator


softsign.backward(softsign_rule)


@operation(kind="elementwise", precision="floats")
def prelu(x: Any, weight: Any) -> Any:
    """Parametric rectifier: x where x is positive, ``weight * x`` elsewhere, with a learned weight (He et
    al., "Delving Deep into Rectifiers", 2015). Its slope at 0 is ``weight``.

    >>> import autodiff as ad
    >>> ad.prelu(ad.Tensor([-2, 0, 2]), 0.25)
    [-0.5    0    2]
    """
    return np.where(x > 0, x, weight * x)


prelu.backward(
    lambda grad, z, x, weight: grad * (x > 0) + grad * weight * (x <= 0),
    lambda grad, z, x, weight: grad * x * (x <= 0),
)


@operation(kind="elementwise")
def hardtanh(x: Any, *, low: float = -1.0, high: float = 1.0) -> Any:
    """Limit x to the range from ``low`` to ``high``; at a bound the slope is 0. With the bounds 0 and 6 it is
    relu6 (Krizhevsky, "Convolutional Deep Belief Networks on CIFAR-10", 2010).

    >>> import autodiff as ad
    >>> ad.hardtanh(ad.Tensor([-2, 0.5, 7]), low=0.0, high=6.0)
    [  0 0.5   6]
    """
    return np.minimum(np.maximum(x, low), high)


hardtanh.backward(lambda grad, z, x, low=-1.0, high=1.0: grad * ((x > low) & (x < high)))


@operation(kind="elementwise", precision="floats")
def hardsigmoid(x: Any) -> Any:
    """Piecewise linear sigmoid: 0 up to -3, x/6 + 1/2 up to 3, then 1 (Courbariaux, Bengio and David,
    "BinaryConnect", 2015, with PyTorch's width). At -3 and 3 the slope is 0.

    >>> import autodiff as ad
    >>> ad.hardsigmoid(ad.Tensor([-3, 0, 1.5, 3]))
    [   0  0.5 0.75    1]
    """
    return np.minimum(np.maximum(x + 3, 0), 6) / 6


hardsigmoid.backward(lambda grad, z, x: grad * ((x > -3) & (x < 3)) / 6)


@operation(kind="elementwise", precision="floats")
def hardswish(x: Any) -> Any:
    """Piecewise version of silu, x * hardsigmoid(x) (Howard et al., "Searching for MobileNetV3", 2019). The
    slope is 0 at -3 and 1 at 3.

    >>> import autodiff as ad
    >>> ad.hardswish(ad.Tensor([-4, -1.5, 3, 1000]))
    [    -0 -0.375      3   1000]
    """
    return x * (np.minimum(np.maximum(x + 3, 0), 6) / 6)


hardswish.backward(lambda grad, z, x: grad * ((x >= 3) + (x / 3 + 0.5) * ((x > -3) & (x < 3))))


@operation(kind="elementwise")
def threshold(x: Any, *, level: float, value: float) -> Any:
    """Elements of x above ``level``, and ``value`` elsewhere. The slope at ``level`` is 0.

    >>> import autodiff as ad
    >>> ad.threshold(ad.Tensor([-2, 0.5, 3]), level=0.5, value=20.0)
    [20 20  3]
    """
    return np.where(x <= level, value, x)


threshold.backward(lambda grad, z, x, level, value: grad * (x > level))
