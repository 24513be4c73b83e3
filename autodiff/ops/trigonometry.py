"""Angles and triangles, circular and hyperbolic: tan, arcsin, arccos, arctan, arctan2, hypot, sinh, cosh,
arcsinh, arccosh, arctanh.

An operation stands right above its rule. sin, cos and tanh are in ``elementary.py``. Angles are in radians.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.operation import operation
from .elementary import sqrt


@operation(number=math.tan, kind="elementwise")
def tan(x: Any) -> Any:
    """Tangent of an angle.

    >>> import autodiff as ad
    >>> ad.tan(ad.Tensor(0.5))
    0.546302
    """
    return np.tan(x)


tan.backward(lambda grad, z, x: grad * (1 + z * z))


@operation(number=math.asin, kind="elementwise")
def arcsin(x: Any) -> Any:
    """The angle from -pi/2 to pi/2 whose sine is x; nan beyond -1 and 1, where its slope is inf.

    >>> import autodiff as ad
    >>> ad.arcsin(ad.Tensor(1))
    1.5708
    """
    return np.arcsin(x)


arcsin.backward(lambda grad, z, x: grad / sqrt(1 - x * x))


@operation(number=math.acos, kind="elementwise")
def arccos(x: Any) -> Any:
    """The angle from 0 to pi whose cosine is x; nan beyond -1 and 1, where its slope is -inf.

    >>> import autodiff as ad
    >>> ad.arccos(ad.Tensor(0))
    1.5708
    """
    return np.arccos(x)


arccos.backward(lambda grad, z, x: -grad / sqrt(1 - x * x))


@operation(number=math.atan, kind="elementwise")
def arctan(x: Any) -> Any:
    """The angle from -pi/2 to pi/2 whose tangent is x.

    >>> import autodiff as ad
    >>> ad.arctan(ad.Tensor(1))
    0.785398
    """
    return np.arctan(x)


arctan.backward(lambda grad, z, x: grad / (1 + x * x))


@operation(number=math.atan2, kind="elementwise")
def arctan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y), from -pi to pi; y comes first, as in NumPy. Its slopes at (0, 0) are 0.

    >>> import autodiff as ad
    >>> ad.arctan2(ad.Tensor(1), ad.Tensor(-1))
    2.35619
    """
    return np.arctan2(y, x)


arctan2.backward(
    lambda grad, z, y, x: grad * (x / apart(hypot(x, y))) / apart(hypot(x, y)),
    lambda grad, z, y, x: -grad * (y / apart(hypot(x, y))) / apart(hypot(x, y)),
)


@operation(number=math.hypot, kind="elementwise")
def hypot(x: Any, y: Any) -> Any:
    """The distance of the point (x, y) from (0, 0), without overflow. Its slopes at (0, 0) are 0.

    >>> import autodiff as ad
    >>> ad.hypot(ad.Tensor(3), ad.Tensor(4))
    5
    """
    return np.hypot(x, y)


hypot.backward(
    lambda grad, z, x, y: grad * (x / apart(z)),
    lambda grad, z, x, y: grad * (y / apart(z)),
)


def apart(distance: Any) -> Any:
    """A distance to divide by: 1 instead of 0, so that a point in the origin is not pulled by 0/0."""
    return distance + (distance == 0)


@operation(number=math.sinh, kind="elementwise")
def sinh(x: Any) -> Any:
    """Hyperbolic sine, (exp(x) - exp(-x)) / 2.

    >>> import autodiff as ad
    >>> ad.sinh(ad.Tensor(0.5))
    0.521095
    """
    return np.sinh(x)


sinh.backward(lambda grad, z, x: grad * cosh(x))


@operation(number=math.cosh, kind="elementwise")
def cosh(x: Any) -> Any:
    """Hyperbolic cosine, (exp(x) + exp(-x)) / 2.

    >>> import autodiff as ad
    >>> ad.cosh(ad.Tensor(0.5))
    1.12763
    """
    return np.cosh(x)


cosh.backward(lambda grad, z, x: grad * sinh(x))


@operation(number=math.asinh, kind="elementwise")
def arcsinh(x: Any) -> Any:
    """The number whose hyperbolic sine is x.

    >>> import autodiff as ad
    >>> ad.arcsinh(ad.Tensor(0.5))
    0.481212
    """
    return np.arcsinh(x)


arcsinh.backward(lambda grad, z, x: grad / hypot(x, 1))


@operation(number=math.acosh, kind="elementwise")
def arccosh(x: Any) -> Any:
    """The number from 0 on whose hyperbolic cosine is x; nan below 1, where its slope is inf.

    >>> import autodiff as ad
    >>> ad.arccosh(ad.Tensor(2))
    1.31696
    """
    return np.arccosh(x)


# Two roots, since of the product of x - 1 and x + 1 there would be one below -1, too, and none for a large x.
arccosh.backward(lambda grad, z, x: grad / (sqrt(x - 1) * sqrt(x + 1)))


@operation(number=math.atanh, kind="elementwise")
def arctanh(x: Any) -> Any:
    """The number whose hyperbolic tangent is x; -inf at -1, inf at 1, and nan beyond.

    >>> import autodiff as ad
    >>> ad.arctanh(ad.Tensor(0.5))
    0.549306
    """
    return np.arctanh(x)


arctanh.backward(lambda grad, z, x: grad / (1 - x * x))
