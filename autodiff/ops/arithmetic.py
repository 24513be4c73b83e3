"""Arithmetic: add, sub, mul, div, neg, pow, and the choice between two values, maximum and minimum.

An operation stands right above its rules, one per input, as in a table of derivatives.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ..engine.operation import operation
from .elementary import log


@operation(number=operator.add, kind="elementwise", sign="+")
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


@operation(number=operator.sub, kind="elementwise", sign="-")
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


@operation(number=operator.mul, kind="elementwise", sign="*")
def mul(x: Any, y: Any) -> Any:
    """Product, element by element, z = x * y.

    >>> import autodiff as ad
    >>> ad.mul(2, ad.Tensor([3, 4]))
    [6 8]
    """
    return x * y


mul.backward(
    lambda grad, z, x, y: grad * y,
    lambda grad, z, x, y: grad * x,
)


@operation(number=operator.truediv, kind="elementwise", sign="/")
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


@operation(number=operator.neg, kind="elementwise", sign="-")
def neg(x: Any) -> Any:
    """The opposite, z = -x.

    >>> import autodiff as ad
    >>> ad.neg(ad.Tensor(2))
    -2
    """
    return -x


neg.backward(lambda grad, z, x: -grad)


@operation(number=math.pow, kind="elementwise", sign="**")
def pow(x: Any, y: Any) -> Any:
    """Power, z = x ** y, for real results: (-8) ** (1/3) is nan, as in NumPy.

    >>> import autodiff as ad
    >>> ad.pow(ad.Tensor(3), 2)
    9
    """
    return x**y


# At 0 ** 0 the slope by x is 0. The slope of 0 ** y by y is -inf if y is negative, else it is taken as 0.
# The comparisons keep 0 * inf, which is nan, from arising there.
pow.backward(
    lambda grad, z, x, y: grad * y * pow(x, y - 1 + (x == 0) * (y == 0)),
    lambda grad, z, x, y: grad * z * log(x + (x == 0) * (y >= 0)),
)


@operation(kind="elementwise")
def wins(x: Any, y: Any) -> Any:
    """Who wins a maximum: 1 where x > y, one half where they tie, 0 elsewhere. A constant.

    >>> import autodiff as ad
    >>> ad.ops.arithmetic.wins([1.0, 2.0, 3.0], 2.0)
    array([0. , 0.5, 1. ])
    """
    return 0.5 * np.add(x > y, x >= y, dtype=np.result_type(x, y))


wins.backward(None, None)


@operation(kind="elementwise")
def maximum(x: Any, y: Any) -> Any:
    """The larger of two, element by element; a tie shares the gradient.

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
    """The smaller of two, element by element; a tie shares the gradient.

    >>> import autodiff as ad
    >>> ad.minimum(ad.Tensor([1, 5]), 3)
    [1 3]
    """
    return np.minimum(x, y)


minimum.backward(
    lambda grad, z, x, y: grad * wins(y, x),
    lambda grad, z, x, y: grad * wins(x, y),
)

subtract, multiply, divide, negative, power = sub, mul, div, neg, pow  # as NumPy calls them
