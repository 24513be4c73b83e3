"""Elementary functions of one variable: exp, log, sqrt, sin, cos, tanh, sigmoid, relu, abs.

Each operation stands right above its rule. Python floats are computed by the ``math`` module, since np.exp of
a float takes ten times as long. Where ``math`` raises, as at log(0), NumPy's forward gives the inf or nan.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ..engine.operation import operation


@operation(scalar=math.exp, kind="elementwise", precision="floats")
def exp(x: Any) -> Any:
    """Exponential, z = e ** x. It is its own derivative.

    >>> import autodiff as ad
    >>> ad.exp(ad.Tensor(1))
    2.71828
    """
    return np.exp(x)


exp.backward(lambda grad, z, x: grad * z)


@operation(scalar=math.log, kind="elementwise", precision="floats")
def log(x: Any) -> Any:
    """Natural logarithm; -inf at 0 and nan below 0.

    >>> import autodiff as ad
    >>> ad.log(ad.Tensor([1, 0]))
    [   0 -inf]
    """
    return np.log(x)


log.backward(lambda grad, z, x: grad / x)


@operation(scalar=math.sqrt, kind="elementwise", precision="floats")
def sqrt(x: Any) -> Any:
    """Square root; nan below 0. Its slope at 0 is inf.

    >>> import autodiff as ad
    >>> ad.sqrt(ad.Tensor(9))
    3
    """
    return np.sqrt(x)


sqrt.backward(lambda grad, z, x: 0.5 * grad / z)


@operation(scalar=math.sin, kind="elementwise", precision="floats")
def sin(x: Any) -> Any:
    """Sine of an angle in radians.

    >>> import autodiff as ad
    >>> ad.sin(ad.Tensor(0))
    0
    """
    return np.sin(x)


sin.backward(lambda grad, z, x: grad * cos(x))


@operation(scalar=math.cos, kind="elementwise", precision="floats")
def cos(x: Any) -> Any:
    """Cosine of an angle in radians.

    >>> import autodiff as ad
    >>> ad.cos(ad.Tensor(0))
    1
    """
    return np.cos(x)


cos.backward(lambda grad, z, x: -grad * sin(x))


@operation(scalar=math.tanh, kind="elementwise", precision="floats")
def tanh(x: Any) -> Any:
    """Hyperbolic tangent, a smooth step from -1 to 1. Its slope is computed from its value, so it loses
    digits where the value is near 1, and is 0 where the value rounds to 1: beyond 19 in float64.

    >>> import autodiff as ad
    >>> ad.tanh(ad.Tensor(0.5))
    0.462117
    """
    return np.tanh(x)


# sech2(x) would keep all digits, but cost a fourth of the time of a recurrent network's step.
tanh.backward(lambda grad, z, x: grad * (1 - z * z))


def sech2_number(x: float) -> float:
    """Compute sech2 of a Python float."""
    e = math.exp(-2.0 * math.fabs(x))
    return 4.0 * e / ((1.0 + e) * (1.0 + e))


@operation(scalar=sech2_number, kind="elementwise", precision="floats")
def sech2(x: Any) -> Any:
    """The slope of tanh, 1 / cosh(x)**2, with all its digits: 1 - tanh(x)**2 is 0 where tanh(x) rounds to 1.

    >>> import autodiff as ad
    >>> ad.ops.elementary.sech2(20.0)
    1.6993...e-17
    """
    e = np.exp(-2 * np.abs(x))
    return 4 * e / ((1 + e) * (1 + e))


sech2.backward(lambda grad, z, x: -2 * grad * z * tanh(x))


@operation(scalar=lambda x: 1.0 / (1.0 + math.exp(-x)), kind="elementwise", precision="floats")
def sigmoid(x: Any) -> Any:
    """Logistic function, 1 / (1 + exp(-x)), a smooth step from 0 to 1.

    >>> import autodiff as ad
    >>> ad.sigmoid(ad.Tensor([-1000, 0, 1000]))
    [  0 0.5   1]
    """
    return 1 / (1 + np.exp(-x))


# This is z * (1 - z) without the digits that 1 - z loses where z is near 1.
sigmoid.backward(lambda grad, z, x: grad * sech2(x / 2) / 4)


@operation(scalar=lambda x: 0.0 if x <= 0 else x, kind="elementwise")
def relu(x: Any) -> Any:
    """Rectified linear unit: x where x is positive, 0 elsewhere. Its slope at 0 is 0.

    >>> import autodiff as ad
    >>> ad.relu(ad.Tensor([-1, 0, 2]))
    [0 0 2]
    """
    return np.maximum(x, 0)


relu.backward(lambda grad, z, x: grad * (z > 0))


@operation(kind="elementwise")
def sign(x: Any) -> Any:
    """Sign: -1, 0 or 1. A constant: its slope is 0 wherever it exists.

    >>> import autodiff as ad
    >>> ad.sign(ad.Tensor([-3, 0, 5]))
    [-1  0  1]
    """
    return np.sign(x)


sign.backward(None)


@operation(scalar=abs, kind="elementwise")
def abs(x: Any) -> Any:
    """Absolute value. Its slope at 0 is taken as 0, and so is its second derivative, which is 0 on both
    sides: nan would reach the Hessian of every penalty ``abs(w).sum()`` that has made a weight 0. The price:
    second derivatives at 0 through products of its slopes are 0 too, even that of ``abs(x) ** 2``, which is
    2. Write ``x * x``.

    >>> import autodiff as ad
    >>> ad.abs(ad.Tensor(-3))
    3
    """
    return operator.abs(x)  # an int for a Python bool, as in a loop


abs.backward(lambda grad, z, x: grad * sign(x))
