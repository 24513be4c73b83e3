"""Arithmetic: add, sub, mul, div, neg, pow; and maximum and minimum of two values.

Each operation stands right above its rules, one per input, as in a table of derivatives.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ..engine.catalogue import catalogue
from ..engine.operation import Operation, operation
from .elementary import abs as absolute
from .elementary import log


@operation(scalar=operator.add, kind="elementwise", sign="+")
def add(x: Any, y: Any) -> Any:
    """Sum, z = x + y.

    >>> import autodiff as ad
    >>> ad.add(2, ad.Tensor(3))
    5
    """
    return x + y


add.backward(
    lambda grad, z, x, y: grad,
    lambda grad, z, x, y: grad,
)


@operation(scalar=operator.sub, kind="elementwise", sign="-", precision="signed")
def sub(x: Any, y: Any) -> Any:
    """Difference, z = x - y.

    >>> import autodiff as ad
    >>> ad.sub(2, ad.Tensor(3))
    -1
    """
    return x - y


sub.backward(
    lambda grad, z, x, y: grad,
    lambda grad, z, x, y: -grad,
)


@operation(scalar=operator.mul, kind="elementwise", sign="*")
def mul(x: Any, y: Any) -> Any:
    """Elementwise product, z = x * y.

    >>> import autodiff as ad
    >>> ad.mul(2, ad.Tensor([3, 4]))
    [6 8]
    """
    return x * y


mul.backward(
    lambda grad, z, x, y: grad * y,
    lambda grad, z, x, y: grad * x,
)


@operation(scalar=operator.truediv, kind="elementwise", sign="/", precision="floats")
def div(x: Any, y: Any) -> Any:
    """Quotient, z = x / y; 1/0 is inf, as in NumPy.

    >>> import autodiff as ad
    >>> ad.div(7, ad.Tensor(2))
    3.5
    """
    return x / y


div.backward(
    lambda grad, z, x, y: grad / y,
    lambda grad, z, x, y: -grad * z / y,
)


@operation(scalar=operator.neg, kind="elementwise", sign="-", precision="signed")
def neg(x: Any) -> Any:
    """Negation, z = -x.

    >>> import autodiff as ad
    >>> ad.neg(ad.Tensor(2))
    -2
    """
    return -x


neg.backward(lambda grad, z, x: -grad)


@operation(scalar=math.pow, kind="elementwise", sign="**", precision="double")
def pow(x: Any, y: Any) -> Any:
    """Power, z = x ** y, in real numbers: (-8) ** (1/3) is nan, as in NumPy.

    >>> import autodiff as ad
    >>> ad.pow(ad.Tensor(3), 2)
    9
    """
    return x**y


def lowered(x: Any, y: Any) -> Any:
    """Compute x ** (y - 1), and 1 at 0 ** 0, so that the slope there is 0. For a small y, whose digits y - 1
    would lose, it is x ** y / x."""
    if type(y) in (int, float) and math.fabs(y) >= 0.25:
        return pow(x, y - 1.0)
    exponent = y - 1.0 + (x == 0) * (y == 0)
    is_small = (absolute(y) < 0.25) * (y != 0) * (x > 0) * (x < math.inf)
    base = catalogue.where(is_small, x, 1.0)
    quotient = pow(base, catalogue.where(is_small, y, 0.0)) / base
    return pow(x, catalogue.where(is_small, 0.0, exponent)) * quotient


# The slope of 0 ** y with respect to y is -inf for a negative y, and taken as 0 otherwise. The comparison
# avoids
# 0 * inf, which is nan.
pow.backward(
    lambda grad, z, x, y: grad * y * lowered(x, y),
    lambda grad, z, x, y: grad * z * log(x + (x == 0) * (y >= 0)),
)


@operation(kind="elementwise")
def wins(x: Any, y: Any) -> Any:
    """The slope of ``maximum(x, y)`` with respect to x: 1 where x > y, one half at a tie, 0 elsewhere. A
    constant.

    >>> import autodiff as ad
    >>> ad.ops.arithmetic.wins([1.0, 2.0, 3.0], 2.0)
    array([0. , 0.5, 1. ])
    """
    return 0.5 * np.add(x > y, x >= y, dtype=np.result_type(x, y))


wins.backward(None, None)


@operation(kind="elementwise")
def maximum(x: Any, y: Any) -> Any:
    """Elementwise maximum; a tie splits the gradient in halves.

    >>> import autodiff as ad
    >>> x, y = ad.Tensor(2), ad.Tensor(2)
    >>> ad.maximum(x, y).backward()
    >>> x.grad, y.grad
    (0.5, 0.5)
    """
    return np.maximum(x, y)


maximum.backward(
    lambda grad, z, x, y: grad * wins(x, y),
    lambda grad, z, x, y: grad * wins(y, x),
)


@operation(kind="elementwise")
def minimum(x: Any, y: Any) -> Any:
    """Elementwise minimum; a tie splits the gradient in halves.

    >>> import autodiff as ad
    >>> ad.minimum(ad.Tensor([1, 5]), 3)
    [1 3]
    """
    return np.minimum(x, y)


minimum.backward(
    lambda grad, z, x, y: grad * wins(y, x),
    lambda grad, z, x, y: grad * wins(x, y),
)

# NumPy's names
subtract: Operation = sub
multiply: Operation = mul
divide: Operation = div
negative: Operation = neg
power: Operation = pow
