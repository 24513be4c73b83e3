"""Starting values: each function fills a Tensor in place and returns it.

How large they should be is a matter of the fans: a number is the sum of ``fan_in`` products, and its gradient
of ``fan_out``. Values drawn with a variance of one over the fan keep the size of what passes through a layer.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np

from .. import seeding
from ..engine.tensor import Tensor, describe

Source = np.random.Generator | int | None
LEAST_MASS = 1e-3  # what part of a normal distribution a truncated one must keep


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one value.

    >>> from autodiff import Tensor, nn
    >>> nn.init.constant_(Tensor([1.0, 2.0]), 0.3)
    [0.3 0.3]
    """
    return filled(tensor, np.full(leaf(tensor).shape, val))


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros.

    >>> from autodiff import Tensor, nn
    >>> nn.init.zeros_(Tensor([1.0, 2.0]))
    [0 0]
    """
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones.

    >>> from autodiff import Tensor, nn
    >>> nn.init.ones_(Tensor([5.0, 2.0]))
    [1 1]
    """
    return constant_(tensor, 1.0)


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Source = None) -> Tensor:
    """Draw evenly between ``a`` and ``b``.

    >>> from autodiff import Tensor, nn
    >>> w = nn.init.uniform_(Tensor([0.0] * 1000), -1.0, 1.0, generator=0)
    >>> bool((abs(w.data) <= 1).all()), round(float(w.data.std()), 1)
    (True, 0.6)
    """
    return filled(tensor, seeding.generator(generator).uniform(a, b, leaf(tensor).shape))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Source = None) -> Tensor:
    """Draw from the normal distribution.

    >>> from autodiff import Tensor, nn
    >>> w = nn.init.normal_(Tensor([0.0] * 1000), std=0.5, generator=0)
    >>> round(float(w.data.std()), 1)
    0.5
    """
    return filled(tensor, seeding.generator(generator).normal(mean, std, leaf(tensor).shape))


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Source = None,
) -> Tensor:
    """Draw from the normal distribution between ``a`` and ``b``, which are values, not multiples of ``std``.

    A number that falls outside is drawn again until it lies inside.

    Raises ValueError if less than a thousandth of the distribution lies inside: that would take long.

    >>> from autodiff import Tensor, nn
    >>> w = nn.init.trunc_normal_(Tensor([0.0] * 1000), std=2.0, generator=0)
    >>> bool((abs(w.data) <= 2).all())
    True
    """
    shape = leaf(tensor).shape
    inside = NormalDist(mean, std).cdf(b) - NormalDist(mean, std).cdf(a) if std > 0 else 0.0
    if not inside >= LEAST_MASS:  # nan too
        raise ValueError(
            f"of a normal distribution of mean {mean} and std {std}, {inside:.2g} lies between {a} and {b}; "
            f"draw from one with at least {LEAST_MASS:g} there"
        )
    rng = seeding.generator(generator)
    values = rng.normal(mean, std, shape)
    while (outside := (values < a) | (values > b)).any():
        values = np.where(outside, rng.normal(mean, std, shape), values)
    return filled(tensor, values)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Source = None) -> Tensor:
    """Draw evenly with the variance ``gain**2 * 2 / (fan_in + fan_out)``, for tanh and sigmoid (Glorot and
    Bengio, "Understanding the difficulty of training deep feedforward neural networks", 2010).

    >>> from autodiff import Tensor, nn
    >>> w = nn.init.xavier_uniform_(Tensor(np.zeros((10, 20))), generator=0)
    >>> bool(abs(w.data).max() <= (6 / 30) ** 0.5)
    True
    """
    bound = math.sqrt(3) * gain * balanced(tensor)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Source = None) -> Tensor:
    """Draw from the normal distribution with the variance ``gain**2 * 2 / (fan_in + fan_out)`` (Glorot and
    Bengio, 2010).

    >>> from autodiff import Tensor, nn
    >>> w = nn.init.xavier_normal_(Tensor(np.zeros((100, 100))), generator=0)
    >>> round(float(w.data.std()), 2)
    0.1
    """
    return normal_(tensor, 0.0, gain * balanced(tensor), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Source = None,
) -> Tensor:
    """Draw evenly with the variance ``gain**2 / fan``, for rectifiers, which lose half of their input's (He
    et al., "Delving Deep into Rectifiers", 2015).

    Parameters
    ----------
    a
        The slope of the leaky_relu that follows; 0 is the plain one.
    mode
        "fan_in" keeps the size of the values on the way forward, "fan_out" that of the gradients back.
    nonlinearity
        What follows, see :func:`calculate_gain`.

    >>> from autodiff import Tensor, nn
    >>> w = nn.init.kaiming_uniform_(Tensor(np.zeros((10, 600))), generator=0)
    >>> bool(abs(w.data).max() <= 0.1)
    True
    """
    bound = math.sqrt(3) * rectified(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Source = None,
) -> Tensor:
    """Draw from the normal distribution with the variance ``gain**2 / fan`` (He et al., 2015); parameters as
    for :func:`kaiming_uniform_`.

    >>> from autodiff import Tensor, nn
    >>> w = nn.init.kaiming_normal_(Tensor(np.zeros((100, 200))), generator=0)
    >>> round(float(w.data.std()), 2)
    0.1
    """
    return normal_(tensor, 0.0, rectified(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: Source = None) -> Tensor:
    """Fill with ``gain`` times an orthogonal matrix, drawn evenly from all of them; of more than two axes,
    all but the first count as columns (Saxe, McClelland and Ganguli, "Exact solutions to the nonlinear
    dynamics of learning in deep linear neural networks", 2013).

    If there are fewer rows than columns the rows are orthonormal, else the columns.

    >>> from autodiff import Tensor, nn
    >>> w = nn.init.orthogonal_(Tensor(np.zeros((2, 3))), generator=0)
    >>> bool(np.allclose(w.data @ w.data.T, np.eye(2)))
    True
    """
    shape = leaf(tensor).shape
    if len(shape) < 2:
        raise ValueError(f"orthogonal_ needs a matrix, and this is {describe(tensor)}")
    rows, columns = shape[0], math.prod(shape[1:])
    drawn = seeding.generator(generator).normal(size=(max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(drawn)
    q = q * np.where(np.diagonal(r) < 0, -1, 1)  # else QR's own choice of signs would not be even
    return filled(tensor, gain * (q if rows >= columns else q.T).reshape(shape))


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By what factor weights must be larger, given what follows them: for "linear", "sigmoid", "tanh",
    "relu", "leaky_relu" (whose slope ``param`` is, 0.01 by default), "selu", and the convolutions from
    "conv1d" to "conv_transpose3d", which count as "linear".

    Raises ValueError for any other.

    >>> from autodiff import nn
    >>> round(nn.init.calculate_gain("relu") ** 2, 6), round(nn.init.calculate_gain("tanh"), 6)
    (2.0, 1.666667)
    """
    slope = 0.01 if param is None else param
    gains = {
        "linear": 1.0,
        "sigmoid": 1.0,
        "tanh": 5 / 3,
        "relu": math.sqrt(2),
        "leaky_relu": math.sqrt(2 / (1 + slope**2)),
        "selu": 3 / 4,
    } | dict.fromkeys((f"conv{way}{d}d" for way in ("", "_transpose") for d in (1, 2, 3)), 1.0)
    if nonlinearity not in gains:
        raise ValueError(f"no gain is known for {nonlinearity!r}; there are {', '.join(gains)}")
    return gains[nonlinearity]


def calculate_fans(tensor: Tensor) -> tuple[int, int]:
    """How many products add up to one output, and to one input's gradient: (fan_in, fan_out).

    A matrix is (out, in); a convolution's kernel is (out, in, height, width), and each of its places counts.
    Raises ValueError for fewer than two axes.

    >>> from autodiff import Tensor, nn
    >>> nn.init.calculate_fans(Tensor(np.zeros((32, 16, 3, 3))))
    (144, 288)
    """
    shape = leaf(tensor).shape
    if len(shape) < 2:
        raise ValueError(
            f"only a weight of two axes or more, (out, in), has fan_in and fan_out, not {describe(tensor)}"
        )
    area = math.prod(shape[2:])
    return shape[1] * area, shape[0] * area


def balanced(tensor: Tensor) -> float:
    """The deviation that suits both ways, forward and back."""
    return math.sqrt(2 / max(sum(calculate_fans(tensor)), 1))


def rectified(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """The deviation that suits one way, before a rectifier."""
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"mode is 'fan_in' or 'fan_out', not {mode!r}")
    fan = calculate_fans(tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(max(fan, 1))


def leaf(tensor: Tensor) -> Tensor:
    """The Tensor, if it is one. Raises TypeError otherwise."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"a starting value is written into a Tensor, not into {describe(tensor)}")
    return tensor


def filled(tensor: Tensor, values: Any) -> Tensor:
    """The Tensor with new values in place, in its own dtype. Raises RuntimeError if it was recorded."""
    return tensor.assign(values)
