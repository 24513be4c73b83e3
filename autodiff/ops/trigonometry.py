"""Trigonometric and hyperbolic functions: tan, arcsin, arccos, arctan, arctan2, hypot, sinh, cosh, arcsinh,
arccosh, arctanh.

Angles are in radians. Each operation stands right above its rules; sin, cos, tanh are in ``elementary.py``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.operation import operation
from .arithmetic import div
from .elementary import sqrt


@operation(scalar=math.tan, kind="elementwise", precision="floats")
def tan(x: Any) -> Any:
    """Tangent of an angle.

    >>> import autodiff as ad
    >>> ad.tan(ad.Tensor(0.5))
    0.546302
    """
    return np.tan(x)


tan.backward(lambda grad, z, x: grad * (1 + z * z))


@operation(scalar=math.asin, kind="elementwise", precision="floats")
def arcsin(x: Any) -> Any:
    """Inverse sine, from -pi/2 to pi/2; nan outside -1 to 1. Its slope at -1 and 1 is inf.

    >>> import autodiff as ad
    >>> ad.arcsin(ad.Tensor(1))
    1.5708
    """
    return np.arcsin(x)


arcsin.backward(lambda grad, z, x: grad / sqrt(below_one(x)))


@operation(kind="elementwise", precision="floats")
def below_one(x: Any) -> Any:
    """1 - x**2, as (1 - x) (1 + x), which loses no digits where x is near 1 or -1.

    >>> import autodiff as ad
    >>> ad.ops.trigonometry.below_one(0.5)
    0.75
    """
    return (1 - x) * (1 + x)


below_one.backward(lambda grad, z, x: -2 * grad * x)


@operation(scalar=math.acos, kind="elementwise", precision="floats")
def arccos(x: Any) -> Any:
    """Inverse cosine, from 0 to pi; nan outside -1 to 1. Its slope at -1 and 1 is -inf.

    >>> import autodiff as ad
    >>> ad.arccos(ad.Tensor(0))
    1.5708
    """
    return np.arccos(x)


arccos.backward(lambda grad, z, x: -grad / sqrt(below_one(x)))


@operation(scalar=math.atan, kind="elementwise", precision="floats")
def arctan(x: Any) -> Any:
    """Inverse tangent, from -pi/2 to pi/2.

    >>> import autodiff as ad
    >>> ad.arctan(ad.Tensor(1))
    0.785398
    """
    return np.arctan(x)


# 1 + x * x is the square of the hypotenuse, which may overflow where its slope does not.
arctan.backward(lambda grad, z, x: grad / hypot(x, 1) / hypot(x, 1))


@operation(scalar=math.atan2, kind="elementwise", precision="floats")
def arctan2(y: Any, x: Any) -> Any:
    """Angle of the point (x, y), from -pi to pi; y comes first, as in NumPy. Its slopes at (0, 0) are
    taken as 0; second derivatives through there are inf or nan.

    >>> import autodiff as ad
    >>> ad.arctan2(ad.Tensor(1), ad.Tensor(-1))
    2.35619
    """
    return np.arctan2(y, x)


arctan2.backward(
    lambda grad, z, y, x: grad * cosine(x, y) / nonzero(hypot(x, y)),
    lambda grad, z, y, x: -grad * cosine(y, x) / nonzero(hypot(x, y)),
)


@operation(scalar=math.hypot, kind="elementwise", precision="floats")
def hypot(x: Any, y: Any) -> Any:
    """Distance of the point (x, y) from (0, 0), without overflow. Its slopes at (0, 0) are taken as 0; second
    derivatives through there are inf or nan.

    >>> import autodiff as ad
    >>> ad.hypot(ad.Tensor(3), ad.Tensor(4))
    5
    """
    return np.hypot(x, y)


hypot.backward(
    lambda grad, z, x, y: grad * cosine(x, y),
    lambda grad, z, x, y: grad * cosine(y, x),
)


@operation(kind="elementwise", precision="floats")
def cosine(x: Any, y: Any) -> Any:
    """The slope of hypot, x / hypot(x, y): the cosine of the angle of the point (x, y); 0 at (0, 0).

    >>> import autodiff as ad
    >>> ad.ops.trigonometry.cosine(3.0, 4.0)
    0.6
    """
    return x / nonzero(np.hypot(x, y))


# With c and s for the cosine and the sine, and r for the distance: s**2 / r and -c s / r. At (0, 0) the
# cosine jumps, and no finite slope is right: it is nan.
cosine.backward(
    lambda grad, z, x, y: grad * div(cosine(y, x), hypot(x, y)) * cosine(y, x),
    lambda grad, z, x, y: -grad * div(cosine(y, x), hypot(x, y)) * z,
)


def nonzero(distance: Any) -> Any:
    """The distance, or 1 where it is 0: as a denominator it makes the slopes at the origin 0 and not 0/0."""
    return distance + (distance == 0)


@operation(scalar=math.sinh, kind="elementwise", precision="floats")
def sinh(x: Any) -> Any:
    """Hyperbolic sine, (exp(x) - exp(-x)) / 2.

    >>> import autodiff as ad
    >>> ad.sinh(ad.Tensor(0.5))
    0.521095
    """
    return np.sinh(x)


sinh.backward(lambda grad, z, x: grad * cosh(x))


@operation(scalar=math.cosh, kind="elementwise", precision="floats")
def cosh(x: Any) -> Any:
    """Hyperbolic cosine, (exp(x) + exp(-x)) / 2.

    >>> import autodiff as ad
    >>> ad.cosh(ad.Tensor(0.5))
    1.12763
    """
    return np.cosh(x)


cosh.backward(lambda grad, z, x: grad * sinh(x))


@operation(scalar=math.asinh, kind="elementwise", precision="floats")
def arcsinh(x: Any) -> Any:
    """Inverse hyperbolic sine.

    >>> import autodiff as ad
    >>> ad.arcsinh(ad.Tensor(0.5))
    0.481212
    """
    return np.arcsinh(x)


arcsinh.backward(lambda grad, z, x: grad / hypot(x, 1))


@operation(scalar=math.acosh, kind="elementwise", precision="floats")
def arccosh(x: Any) -> Any:
    """Inverse hyperbolic cosine, from 0 up; nan below 1. Its slope at 1 is inf.

    >>> import autodiff as ad
    >>> ad.arccosh(ad.Tensor(2))
    1.31696
    """
    return np.arccosh(x)


# The root of the product, sqrt(x * x - 1), would also be a number below -1, and inf for a large x.
arccosh.backward(lambda grad, z, x: grad / (sqrt(x - 1) * sqrt(x + 1)))


@operation(scalar=math.atanh, kind="elementwise", precision="floats")
def arctanh(x: Any) -> Any:
    """Inverse hyperbolic tangent; -inf at -1, inf at 1, and nan outside.

    >>> import autodiff as ad
    >>> ad.arctanh(ad.Tensor(0.5))
    0.549306
    """
    return np.arctanh(x)


arctanh.backward(lambda grad, z, x: grad / below_one(x))
