"""What neurons and classifiers compute: softplus, logsigmoid, silu, leaky_relu, elu, gelu with the erf behind
it, softmax, log_softmax, logsumexp.

An operation stands right above its rule. sigmoid, tanh and relu are in ``elementary.py``. All are exact at
large inputs, where a formula from a book would overflow.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.operation import operation
from .arithmetic import minimum
from .elementary import exp, sigmoid, tanh
from .powers import portion
from .reductions import spread
from .reductions import sum as total


@operation(number=lambda x: max(x, 0.0) + math.log1p(math.exp(-abs(x))), kind="elementwise")
def softplus(x: Any) -> Any:
    """log(1 + exp(x)), a smooth rectifier. Its slope is the sigmoid.

    >>> import autodiff as ad
    >>> ad.softplus(ad.Tensor([-1000, 0, 1000]))
    [       0 0.693147     1000]
    """
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


softplus.backward(lambda grad, z, x: grad * sigmoid(x))


@operation(number=lambda x: min(x, 0.0) - math.log1p(math.exp(-abs(x))), kind="elementwise")
def logsigmoid(x: Any) -> Any:
    """Logarithm of the sigmoid, -log(1 + exp(-x)).

    >>> import autodiff as ad
    >>> ad.logsigmoid(ad.Tensor([-1000, 0, 1000]))
    [    -1000 -0.693147         0]
    """
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


logsigmoid.backward(lambda grad, z, x: grad * sigmoid(-x))


@operation(number=lambda x: x / (1.0 + math.exp(-x)), kind="elementwise")
def silu(x: Any) -> Any:
    """The product of x and its sigmoid, also called swish (Ramachandran, Zoph and Le, 2017).

    >>> import autodiff as ad
    >>> ad.silu(ad.Tensor([-1000, 1, 1000]))
    [      -0 0.731059     1000]
    """
    return x / (1 + np.exp(-x))


silu.backward(lambda grad, z, x: grad * (sigmoid(x) + z * sigmoid(-x)))
swish = silu


@operation(number=lambda x, slope=0.01: x if x > 0 else slope * x, kind="elementwise")
def leaky_relu(x: Any, *, slope: float = 0.01) -> Any:
    """Rectifier that leaks: x where it is positive and ``slope * x`` elsewhere (Maas, Hannun and Ng, 2013).
    Its slope at 0 is ``slope``.

    >>> import autodiff as ad
    >>> ad.leaky_relu(ad.Tensor([-2, 0, 2]), slope=0.2)
    [-0.4    0    2]
    """
    return np.maximum(x, 0) + slope * np.minimum(x, 0)


leaky_relu.backward(lambda grad, z, x, slope=0.01: grad * (x > 0) + slope * grad * (x <= 0))


@operation(number=lambda x, alpha=1.0: x if x > 0 else alpha * math.expm1(x), kind="elementwise")
def elu(x: Any, *, alpha: float = 1.0) -> Any:
    """Exponential linear unit: x where it is positive, ``alpha * (exp(x) - 1)`` elsewhere (Clevert,
    Unterthiner and Hochreiter, 2015). Its slope at 0 is ``alpha``.

    >>> import autodiff as ad
    >>> ad.elu(ad.Tensor([-1000, 0, 1000]))
    [  -1    0 1000]
    """
    return np.maximum(x, 0) + alpha * np.expm1(np.minimum(x, 0))


elu.backward(lambda grad, z, x, alpha=1.0: grad * (x > 0) + alpha * grad * exp(minimum(x, 0)) * (x <= 0))


# NumPy has no erf. Next to each of these points, 1/512 apart, a few terms of the Taylor series give all the
# digits; from 6 on erf is 1 in float64.
STEPS = 512
ERF = np.array([math.erf(k / STEPS) for k in range(6 * STEPS + 1)])
BELL = 2 / math.sqrt(math.pi) * np.exp(-((np.arange(6 * STEPS + 1) / STEPS) ** 2))


@operation(number=math.erf, kind="elementwise")
def erf(x: Any) -> Any:
    """The error function: how likely a normal variable of variance 1/2 is to lie between -x and x.

    >>> import autodiff as ad
    >>> ad.erf(ad.Tensor([-1, 0, 1000]))
    [-0.842701         0         1]
    """
    size = np.minimum(np.abs(x), 6)
    k = np.rint(np.fmin(size, 6) * STEPS).astype(int)  # fmin, since nan has no place in the table
    a = k / STEPS
    d = size - a
    aa = 2 * a * a
    series = 1 - d * (a - d * ((aa - 1) / 3 - d * (a * (aa - 3) / 6 - d * (aa * (aa - 6) + 3) / 30)))
    return np.copysign(ERF[k] + BELL[k] * d * series, x).astype(np.result_type(x, 0.0))


erf.backward(lambda grad, z, x: 2 / math.sqrt(math.pi) * grad * exp(-x * x))


def gelu_number(x: float, approximate: str = "none") -> float:
    """Gelu of a Python float."""
    return 0.5 * x * (1 + (math.erf(x / math.sqrt(2)) if is_exact(approximate) else math.tanh(bent(x))))


@operation(number=gelu_number, kind="elementwise")
def gelu(x: Any, *, approximate: str = "none") -> Any:
    """Gaussian error linear unit: x times the chance that a standard normal variable is below x
    (Hendrycks and Gimpel, 2016).

    ``approximate="tanh"`` gives the paper's approximation, right to about 0.0005, in a fraction of the time.

    >>> import autodiff as ad
    >>> ad.gelu(ad.Tensor([-1000, 1, 1000]))
    [      -0 0.841345     1000]
    """
    return 0.5 * x * (1 + (erf(x / math.sqrt(2)) if is_exact(approximate) else np.tanh(bent(x))))


def by_x(grad: Any, z: Any, x: Any, approximate: str = "none") -> Any:
    """The chance itself, and x times how it grows."""
    if is_exact(approximate):
        bell = exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
        return grad * (0.5 * (1 + erf(x / math.sqrt(2))) + x * bell)
    t = tanh(bent(x))
    bell = (1 - t * t) * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)
    return grad * 0.5 * (1 + t + x * bell)


gelu.backward(by_x)


def bent(x: Any) -> Any:
    """The number whose tanh is nearly erf(x / sqrt(2))."""
    return math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)


def is_exact(approximate: str) -> bool:
    """Whether gelu is asked for itself. Raises ValueError if it is neither that nor its approximation."""
    if approximate not in ("none", "tanh"):
        raise ValueError(f"approximate is 'none' or 'tanh', not {approximate!r}")
    return approximate == "none"


def largest(x: Any, axis: Any) -> Any:
    """The largest element along an axis, to be subtracted before exp, so that nothing overflows; where that
    is infinite, the largest finite number, of the same sign."""
    top = np.maximum.reduce(x, axis=axis, keepdims=True, initial=-np.inf, dtype=np.result_type(x, 0.0))
    end = np.finfo(top.dtype).max
    return np.clip(top, -end, end)


@operation
def logsumexp(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))) over all elements, or along ``axis``. Of nothing it is -inf.

    >>> import autodiff as ad
    >>> ad.logsumexp(ad.Tensor([1000, 1000]))
    1000.69
    """
    top = largest(x, axis)
    z = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return z if keepdims else np.sum(z, axis=axis)


logsumexp.backward(
    lambda grad, z, x, axis=None, keepdims=False: spread(grad, x, axis) * portion(x, spread(z, x, axis))
)


@operation
def softmax(x: Any, *, axis: Any = -1) -> Any:
    """exp(x) / sum(exp(x)) along ``axis``: positive numbers that add up to 1.

    >>> import autodiff as ad
    >>> ad.softmax(ad.Tensor([1000, 1000, -1000]))
    [0.5 0.5   0]
    """
    parts = np.exp(x - largest(x, axis))
    return parts / np.sum(parts, axis=axis, keepdims=True)


softmax.backward(
    lambda grad, z, x, axis=-1: z * (grad - total(grad * z, axis=axis, keepdims=True)),
)


@operation
def log_softmax(x: Any, *, axis: Any = -1) -> Any:
    """Logarithm of the softmax along ``axis``: x - logsumexp(x).

    >>> import autodiff as ad
    >>> ad.log_softmax(ad.Tensor([0, 0, -1000]))
    [-0.693147 -0.693147  -1000.69]
    """
    below = x - largest(x, axis)
    return below - np.log(np.sum(np.exp(below), axis=axis, keepdims=True))


log_softmax.backward(
    lambda grad, z, x, axis=-1: grad - exp(z) * total(grad, axis=axis, keepdims=True),
)
