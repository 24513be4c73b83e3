"""Activation functions: softplus, logsigmoid, silu, leaky_relu, elu, erf, gelu; and softmax, log_softmax,
logsumexp.

Each operation stands right above its rule; sigmoid, tanh and relu are in ``elementary.py``. All are exact for
large inputs, where the textbook formula would overflow.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ..engine.operation import operation
from .arithmetic import minimum
from .elementary import exp, sech2, sigmoid
from .piecewise import clip, where
from .reductions import spread
from .reductions import sum as total


@operation(
    scalar=lambda x: max(x, 0.0) + math.log1p(math.exp(-abs(x))), kind="elementwise", precision="floats"
)
def softplus(x: Any) -> Any:
    """log(1 + exp(x)), a smooth rectifier. Its derivative is the sigmoid.

    >>> import autodiff as ad
    >>> ad.softplus(ad.Tensor([-1000, 0, 1000]))
    [       0 0.693147     1000]
    """
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


softplus.backward(lambda grad, z, x: grad * sigmoid(x))


@operation(
    scalar=lambda x: min(x, 0.0) - math.log1p(math.exp(-abs(x))), kind="elementwise", precision="floats"
)
def logsigmoid(x: Any) -> Any:
    """Logarithm of the sigmoid, -log(1 + exp(-x)).

    >>> import autodiff as ad
    >>> ad.logsigmoid(ad.Tensor([-1000, 0, 1000]))
    [    -1000 -0.693147         0]
    """
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


logsigmoid.backward(lambda grad, z, x: grad * sigmoid(-x))


@operation(scalar=lambda x: x / (1.0 + math.exp(-x)), kind="elementwise", precision="floats")
def silu(x: Any) -> Any:
    """Sigmoid linear unit, x * sigmoid(x), also called swish (Ramachandran, Zoph and Le, 2017).

    >>> import autodiff as ad
    >>> ad.silu(ad.Tensor([-1000, 1, 1000]))
    [      -0 0.731059     1000]
    """
    root = np.exp(np.minimum(x, 0) / 2)  # in halves, since exp(-x) may overflow where x exp(x) is a number
    return x * root * root / (1 + np.exp(-np.abs(x)))


silu.backward(lambda grad, z, x: grad * (sigmoid(x) + x * sech2(x / 2) / 4))
swish = silu


@operation(scalar=lambda x, slope=0.01: x if x > 0 else slope * x, kind="elementwise", precision="floats")
def leaky_relu(x: Any, *, slope: float = 0.01) -> Any:
    """Leaky rectifier: x where x is positive, ``slope * x`` elsewhere (Maas, Hannun and Ng, 2013). Its slope
    at 0 is ``slope``.

    >>> import autodiff as ad
    >>> ad.leaky_relu(ad.Tensor([-2, 0, 2]), slope=0.2)
    [-0.4    0    2]
    """
    return np.maximum(x, 0) + slope * np.minimum(x, 0)


leaky_relu.backward(lambda grad, z, x, slope=0.01: grad * (x > 0) + slope * grad * (x <= 0))


@operation(
    scalar=lambda x, alpha=1.0: x if x > 0 else alpha * math.expm1(x), kind="elementwise", precision="floats"
)
def elu(x: Any, *, alpha: float = 1.0) -> Any:
    """Exponential linear unit: x where x is positive, ``alpha * (exp(x) - 1)`` elsewhere (Clevert,
    Unterthiner and Hochreiter, 2015). Its slope at 0 is ``alpha``.

    >>> import autodiff as ad
    >>> ad.elu(ad.Tensor([-1000, 0, 1000]))
    [  -1    0 1000]
    """
    return np.maximum(x, 0) + alpha * np.expm1(np.minimum(x, 0))


elu.backward(lambda grad, z, x, alpha=1.0: grad * (x > 0) + alpha * grad * exp(minimum(x, 0)) * (x <= 0))


# NumPy has no erf. These are its values, and those of its derivative, at points 1/512 apart; a few terms of
# the Taylor series at the nearest point give all digits. From 6 on, erf is 1 in float64.
STEPS = 512
ERF = np.array([math.erf(k / STEPS) for k in range(6 * STEPS + 1)])
BELL = 2 / math.sqrt(math.pi) * np.exp(-((np.arange(6 * STEPS + 1) / STEPS) ** 2))


@operation(scalar=math.erf, kind="elementwise", precision="floats")
def erf(x: Any) -> Any:
    """Error function: the probability that a normal variable with variance 1/2 is between -x and x.

    >>> import autodiff as ad
    >>> ad.erf(ad.Tensor([-1, 0, 1000]))
    [-0.842701         0         1]
    """
    size = np.minimum(np.abs(x), 6)
    k = np.rint(np.fmin(size, 6) * STEPS).astype(int)  # fmin, since nan is not an index
    a = k / STEPS
    d = size - a
    aa = 2 * a * a
    series = 1 - d * (a - d * ((aa - 1) / 3 - d * (a * (aa - 3) / 6 - d * (aa * (aa - 6) + 3) / 30)))
    return np.copysign(ERF[k] + BELL[k] * d * series, x).astype(np.result_type(x, 0.0))


erf.backward(lambda grad, z, x: 2 / math.sqrt(math.pi) * grad * exp(-x * x))


# erfc(x) exp(x**2) at points 1/512 apart: a is exact, and so is its square, so that no digit is lost.
@functools.cache
def scaled_erfc() -> Any:
    """The values of erfc(a) exp(a**2) for a from 0 up to where erfc is subnormal in float64."""
    points = (k / STEPS for k in range(ERFC_END * STEPS // 2 + 1))
    return np.array([math.erfc(a) * math.exp(a * a) for a in points])


ERFC_END = 53  # twice 26.5; from 26.6 on, erfc is below the normal numbers


@operation(scalar=math.erfc, kind="elementwise", precision="floats")
def erfc(x: Any) -> Any:
    """Complementary error function, 1 - erf(x), exact also for large x, where erf(x) rounds to 1.

    >>> import autodiff as ad
    >>> ad.erfc(ad.Tensor([-1, 0, 10]))
    [     1.8427           1 2.08849e-45]
    """
    size = np.abs(x) * 1.0
    k = np.rint(np.fmin(size, ERFC_END / 2) * STEPS).astype(int)
    a = k / STEPS
    d = np.fmin(size, 28) - a
    # w = erfc(a) exp(a**2) has the slope 2 a w - c; the further derivatives follow from the product rule.
    w = scaled_erfc()[k]
    w1 = 2 * a * w - 2 / math.sqrt(math.pi)
    w2 = 2 * (a * w1 + w)
    w3 = 2 * (a * w2 + 2 * w1)
    w4 = 2 * (a * w3 + 3 * w2)
    series = w + d * (w1 + d * (w2 / 2 + d * (w3 / 6 + d * w4 / 24)))
    z = series * np.exp(-size * size)
    return np.where(x < 0, 2 - z, z).astype(np.result_type(x, 0.0))


erfc.backward(lambda grad, z, x: -2 / math.sqrt(math.pi) * grad * exp(-x * x))


def gelu_number(x: float, approximate: str = "none") -> float:
    """Compute gelu of a Python float."""
    if is_exact(approximate):
        return 0.5 * x * math.erfc(-x / math.sqrt(2))
    return x / (1 + math.exp(-2 * tanh_argument(x)))


@operation(scalar=gelu_number, kind="elementwise", precision="floats")
def gelu(x: Any, *, approximate: str = "none") -> Any:
    """Gaussian error linear unit: x times the probability that a standard normal variable is below x
    (Hendrycks and Gimpel, 2016).

    ``approximate="tanh"`` is the paper's approximation, with an error of at most about 0.0005; it is faster.
    Raises ValueError if ``approximate`` is neither "none" nor "tanh".

    >>> import autodiff as ad
    >>> ad.gelu(ad.Tensor([-1000, 1, 1000]))
    [      -0 0.841345     1000]
    """
    if is_exact(approximate):
        return 0.5 * x * erfc(-x / math.sqrt(2))
    return x / (1 + np.exp(-2 * tanh_argument(x)))


def gelu_rule(grad: Any, z: Any, x: Any, approximate: str = "none") -> Any:
    """The product rule for x * probability(x)."""
    if is_exact(approximate):
        density = exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
        return grad * (0.5 * erfc(-x / math.sqrt(2)) + x * density)
    a = clip(x, -LARGE, LARGE)
    slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * a * a)
    return grad * (sigmoid(2 * tanh_argument(a)) + x * (0.5 * slope * sech2(tanh_argument(a))))


gelu.backward(gelu_rule)


def tanh_argument(x: Any) -> Any:
    """The polynomial p such that tanh(p) approximates erf(x / sqrt(2)): (1 + tanh(p)) / 2 is sigmoid(2 p)."""
    return math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)


LARGE = 30
"""Beyond this, gelu has its slope at infinity in every dtype, while the polynomial overflows in float16."""


def is_exact(approximate: str) -> bool:
    """Whether gelu is computed exactly. Raises ValueError for an unknown ``approximate``."""
    if approximate not in ("none", "tanh"):
        raise ValueError(f"approximate must be 'none' or 'tanh', not {approximate!r}")
    return approximate == "none"


def largest(x: Any, axis: Any) -> Any:
    """The largest element along ``axis``, which is subtracted before exp so that exp cannot overflow; instead
    of inf or -inf, the largest finite number with that sign."""
    top = np.maximum.reduce(x, axis=axis, keepdims=True, initial=-np.inf, dtype=np.result_type(x, 0.0))
    end = np.finfo(top.dtype).max
    return np.clip(top, -end, end)


@operation(precision="floats")
def logsumexp(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))) over all elements, or along ``axis``. It is -inf for no elements.

    >>> import autodiff as ad
    >>> ad.logsumexp(ad.Tensor([1000, 1000]))
    1000.69
    """
    top = largest(x, axis)
    z = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return z if keepdims else np.sum(z, axis=axis)


def logsumexp_rule(grad: Any, z: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The softmax, not exp(x - z), since a large z has lost digits. It is 0 where the sum is 0 (z is -inf),
    so that values masked by -inf get the gradient 0 and not nan."""
    parts = softmax(where(spread(z, x, axis) == -np.inf, 0.0, x), axis=axis)
    return spread(grad * (z != -np.inf), x, axis) * parts


logsumexp.backward(logsumexp_rule)


@operation(precision="floats")
def softmax(x: Any, *, axis: Any = -1) -> Any:
    """exp(x) / sum(exp(x)) along ``axis``: positive numbers whose sum is 1.

    >>> import autodiff as ad
    >>> ad.softmax(ad.Tensor([1000, 1000, -1000]))
    [0.5 0.5   0]
    """
    parts = np.exp(x - largest(x, axis))
    return parts / np.sum(parts, axis=axis, keepdims=True)


def softmax_rule(grad: Any, z: Any, x: Any, axis: Any = -1) -> Any:
    """Return z (grad - the mean of grad, weighted by z). The difference has the mean 0, up to rounding where
    z is near 1; so the mean is subtracted twice."""
    for _ in range(2):
        grad = grad - total(grad * z, axis=axis, keepdims=True)
    return z * grad


softmax.backward(softmax_rule)


@operation(precision="floats")
def log_softmax(x: Any, *, axis: Any = -1) -> Any:
    """Logarithm of the softmax along ``axis``: x - logsumexp(x).

    >>> import autodiff as ad
    >>> ad.log_softmax(ad.Tensor([0, 0, -1000]))
    [-0.693147 -0.693147  -1000.69]
    """
    below = x - largest(x, axis)
    # One of the largest is left out of the sum, so that log1p keeps the digits of a small rest.
    rest = np.sum(np.where(below == 0, 0, np.exp(below)), axis=axis, keepdims=True)
    ties = np.sum(below == 0, axis=axis, keepdims=True, dtype=below.dtype)
    return below - np.log1p(rest + (ties - 1))


def log_softmax_rule(grad: Any, z: Any, x: Any, axis: Any = -1) -> Any:
    """Return grad - softmax(x) sum(grad). The difference has the sum 0, up to rounding where the softmax is
    near 1; so the sum is distributed twice."""
    for _ in range(2):
        grad = grad - exp(z) * total(grad, axis=axis, keepdims=True)
    return grad


log_softmax.backward(log_softmax_rule)
