"""Powers, roots, exponentials and logarithms: square, cbrt, reciprocal, exp2, expm1, log2, log10, log1p,
logaddexp, logaddexp2.

Each operation stands right above its rules. exp, log and sqrt are in ``elementary.py``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.operation import operation
from .elementary import exp, sigmoid
from .piecewise import where

LOG_2, LOG_10 = math.log(2), math.log(10)


@operation(scalar=lambda x: x * x, kind="elementwise", precision="double")
def square(x: Any) -> Any:
    """Square, z = x * x.

    >>> import autodiff as ad
    >>> ad.square(ad.Tensor(3))
    9
    """
    return x * x


square.backward(lambda grad, z, x: 2 * grad * x)


def cbrt_number(x: float) -> float:
    """Compute cbrt of a Python float."""
    z = math.cbrt(x)
    return z - (z * z * z - x) / (3.0 * z * z) if 1e-300 < math.fabs(x) < 1e300 else z


@operation(scalar=cbrt_number, kind="elementwise", precision="floats")
def cbrt(x: Any) -> Any:
    """Cube root, also of negative numbers; its slope at 0 is inf. A step of Newton's method corrects the last
    digits of the system's cube root.

    >>> import autodiff as ad
    >>> ad.cbrt(ad.Tensor(-8))
    -2
    """
    z = np.cbrt(x)
    step = (z * z * z - x) / (3 * z * z)
    return z - np.where(np.abs(step) < np.abs(z), step, 0)


cbrt.backward(lambda grad, z, x: grad / (3 * z * z))


@operation(scalar=lambda x: 1.0 / x, kind="elementwise", precision="floats")
def reciprocal(x: Any) -> Any:
    """Reciprocal, z = 1 / x; 1/0 is inf. The reciprocal of an integer is a float, unlike NumPy's.

    >>> import autodiff as ad
    >>> ad.reciprocal(ad.Tensor(4))
    0.25
    """
    return 1 / x


reciprocal.backward(lambda grad, z, x: -grad * z * z)


@operation(scalar=math.exp2, kind="elementwise", precision="floats")
def exp2(x: Any) -> Any:
    """Power of two, z = 2 ** x.

    >>> import autodiff as ad
    >>> ad.exp2(ad.Tensor(10))
    1024
    """
    return np.exp2(x)


exp2.backward(lambda grad, z, x: LOG_2 * grad * z)


@operation(scalar=math.expm1, kind="elementwise", precision="floats")
def expm1(x: Any) -> Any:
    """exp(x) - 1, exact also for small x, where exp(x) rounds to 1.

    >>> import autodiff as ad
    >>> ad.expm1(ad.Tensor(1e-20))
    1e-20
    """
    return np.expm1(x)


expm1.backward(lambda grad, z, x: grad * exp(x))


@operation(scalar=math.log2, kind="elementwise", precision="floats")
def log2(x: Any) -> Any:
    """Logarithm to base 2; -inf at 0 and nan below 0.

    >>> import autodiff as ad
    >>> ad.log2(ad.Tensor(1024))
    10
    """
    return np.log2(x)


log2.backward(lambda grad, z, x: grad / (LOG_2 * x))


@operation(scalar=math.log10, kind="elementwise", precision="floats")
def log10(x: Any) -> Any:
    """Logarithm to base 10; -inf at 0 and nan below 0.

    >>> import autodiff as ad
    >>> ad.log10(ad.Tensor(1000))
    3
    """
    return np.log10(x)


log10.backward(lambda grad, z, x: grad / (LOG_10 * x))


@operation(scalar=math.log1p, kind="elementwise", precision="floats")
def log1p(x: Any) -> Any:
    """log(1 + x), exact also for small x; -inf at -1 and nan below -1.

    >>> import autodiff as ad
    >>> ad.log1p(ad.Tensor(1e-20))
    1e-20
    """
    return np.log1p(x)


log1p.backward(lambda grad, z, x: grad / (1 + x))


@operation(kind="elementwise", precision="floats")
def logaddexp(x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y)) without overflow: the sum of two numbers given by their logarithms.

    >>> import autodiff as ad
    >>> ad.logaddexp(ad.Tensor(1000), 1000)
    1000.69
    """
    return np.logaddexp(x, y)


# The slope is exp(x) / (exp(x) + exp(y)). If x and y are both -inf, as masked values are, it is 0, not nan.
logaddexp.backward(
    lambda grad, z, x, y: grad * sigmoid(x - where(z == -np.inf, np.inf, y)),
    lambda grad, z, x, y: grad * sigmoid(y - where(z == -np.inf, np.inf, x)),
)


@operation(kind="elementwise", precision="floats")
def logaddexp2(x: Any, y: Any) -> Any:
    """log2(2**x + 2**y) without overflow: the sum of two numbers given by their logarithms to base 2.

    >>> import autodiff as ad
    >>> ad.logaddexp2(ad.Tensor(2000), 2000)
    2001
    """
    return np.logaddexp2(x, y)


# The slope is 2**x / (2**x + 2**y), and 0 if x and y are both -inf.
logaddexp2.backward(
    lambda grad, z, x, y: grad * sigmoid(LOG_2 * (x - where(z == -np.inf, np.inf, y))),
    lambda grad, z, x, y: grad * sigmoid(LOG_2 * (y - where(z == -np.inf, np.inf, x))),
)
