"""Initialization: each function fills a Tensor in place with initial values and returns it.

Good initial values depend on the fans of a weight. An output is a sum of ``fan_in`` products, and the
gradient of an input is a sum of ``fan_out`` products. Weights of variance 1/fan_in keep the variance of the
values from layer to layer; weights of variance 1/fan_out keep that of the gradients.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np

from .. import seeding
from ..engine.tensor import Tensor, describe

__all__ = [
    "calculate_fans", "calculate_gain", "constant_", "kaiming_normal_", "kaiming_uniform_", "normal_",
    "ones_", "orthogonal_", "trunc_normal_", "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_",
]  # fmt: skip

Source = np.random.Generator | int | None
MIN_MASS = 1e-3  # the smallest probability of the interval that trunc_normal_ draws from


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one value.

    >>> from autodiff import Tensor, nn
    >>> nn.init.constant_(Tensor([1.0, 2.0]), 0.3)
    [0.3 0.3]
    """
    check_tensor(tensor)
    return tensor.assign(np.full(tensor.shape, val))


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
    """Draw from the uniform distribution between ``a`` and ``b``.

    >>> from autodiff import Tensor, nn
    >>> w = nn.init.uniform_(Tensor([0.0] * 1000), -1.0, 1.0, generator=0)
    >>> bool((abs(w.data) <= 1).all()), round(float(w.data.std()), 1)
    (True, 0.6)
    """
    check_tensor(tensor)
    return tensor.assign(seeding.generator(generator).uniform(a, b, tensor.shape))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Source = None) -> Tensor:
    """Draw from the normal distribution.

    >>> from autodiff import Tensor, nn
    >>> w = nn.init.normal_(Tensor([0.0] * 1000), std=0.5, generator=0)
    >>> round(float(w.data.std()), 1)
    0.5
    """
    check_tensor(tensor)
    return tensor.assign(seeding.generator(generator).normal(mean, std, tensor.shape))


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Source = None,
) -> Tensor:
    """Draw from the normal distribution truncated to the interval from ``a`` to ``b``. Both are values, not
    multiples of ``std``.

    A number outside the interval is drawn again until it lies inside.

    Raises ValueError if the interval has a probability below 0.001: drawing would take too long.

    >>> from autodiff import Tensor, nn
    >>> w = nn.init.trunc_normal_(Tensor([0.0] * 1000), std=2.0, generator=0)
    >>> bool((abs(w.data) <= 2).all())
    True
    """
    check_tensor(tensor)
    mass = NormalDist(mean, std).cdf(b) - NormalDist(mean, std).cdf(a) if std > 0 else 0.0
    if not mass >= MIN_MASS:  # nan too
        raise ValueError(
            f"trunc_normal_ needs an interval of probability at least {MIN_MASS:g}; the one from {a} to {b} "
            f"has {mass:.2g} in a normal distribution of mean {mean} and std {std}"
        )
    rng = seeding.generator(generator)
    values = rng.normal(mean, std, tensor.shape)
    while (outside := (values < a) | (values > b)).any():
        values = np.where(outside, rng.normal(mean, std, tensor.shape), values)
    return tensor.assign(values)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Source = None) -> Tensor:
    """Draw uniformly with the variance ``gain**2 * 2 / (fan_in + fan_out)``, for tanh and sigmoid (Glorot and
    Bengio, "Understanding the difficulty of training deep feedforward neural networks", 2010).

    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> w = nn.init.xavier_uniform_(Tensor(np.zeros((10, 20))), generator=0)
    >>> bool(abs(w.data).max() <= (6 / 30) ** 0.5)
    True
    """
    bound = math.sqrt(3) * gain * xavier_std(tensor)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Source = None) -> Tensor:
    """Draw from the normal distribution with the variance ``gain**2 * 2 / (fan_in + fan_out)`` (Glorot and
    Bengio, 2010).

    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> w = nn.init.xavier_normal_(Tensor(np.zeros((100, 100))), generator=0)
    >>> round(float(w.data.std()), 2)
    0.1
    """
    return normal_(tensor, 0.0, gain * xavier_std(tensor), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Source = None,
) -> Tensor:
    """Draw uniformly with the variance ``gain**2 / fan``, for ReLU, which halves the second moment of its
    input, and its variants (He et al., "Delving Deep into Rectifiers", 2015).

    Parameters
    ----------
    a
        The negative slope of the leaky_relu that follows; 0 for ReLU.
    mode
        "fan_in" keeps the variance of the values in the forward pass, "fan_out" that of the gradients in the
        backward pass.
    nonlinearity
        The function that follows, see :func:`calculate_gain`.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> w = nn.init.kaiming_uniform_(Tensor(np.zeros((10, 600))), generator=0)
    >>> bool(abs(w.data).max() <= 0.1)
    True
    """
    bound = math.sqrt(3) * kaiming_std(tensor, a, mode, nonlinearity)
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

    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> w = nn.init.kaiming_normal_(Tensor(np.zeros((100, 200))), generator=0)
    >>> round(float(w.data.std()), 2)
    0.1
    """
    return normal_(tensor, 0.0, kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: Source = None) -> Tensor:
    """Fill with ``gain`` times a random orthogonal matrix, drawn uniformly; all axes but the first together
    form its columns (Saxe, McClelland and Ganguli, "Exact solutions to the nonlinear dynamics of learning in
    deep linear neural networks", 2013).

    With fewer rows than columns, the rows are orthonormal, otherwise the columns.

    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> w = nn.init.orthogonal_(Tensor(np.zeros((2, 3))), generator=0)
    >>> bool(np.allclose(w.data @ w.data.T, np.eye(2)))
    True
    """
    check_tensor(tensor)
    shape = tensor.shape
    if len(shape) < 2:
        raise ValueError(f"orthogonal_ needs a matrix, not {describe(tensor)}")
    rows, columns = shape[0], math.prod(shape[1:])
    gaussian = seeding.generator(generator).normal(size=(max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(gaussian)
    q = q * np.where(np.diagonal(r) < 0, -1, 1)  # without it, the signs that QR chooses would not be uniform
    return tensor.assign(gain * (q if rows >= columns else q.T).reshape(shape))


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which to scale the standard deviation of weights, to make up for the nonlinearity that
    follows them.

    Parameters
    ----------
    nonlinearity
        "linear", "sigmoid", "tanh", "relu", "leaky_relu", "selu", or a convolution, from "conv1d" to
        "conv_transpose3d", which counts as "linear".
    param
        The negative slope of "leaky_relu", 0.01 by default.

    Raises
    ------
    ValueError
        For any other nonlinearity.

    Example
    -------
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
        raise ValueError(f"no gain is known for {nonlinearity!r}, only for {', '.join(gains)}")
    return gains[nonlinearity]


def calculate_fans(tensor: Tensor) -> tuple[int, int]:
    """The fans of a weight, (fan_in, fan_out): the number of products in the sum of one output, and in that
    of one input's gradient.

    A matrix has the shape (out, in), and the kernel of a convolution (out, in, height, width); each of its
    positions counts. Raises ValueError for fewer than two axes.

    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> nn.init.calculate_fans(Tensor(np.zeros((32, 16, 3, 3))))
    (144, 288)
    """
    check_tensor(tensor)
    shape = tensor.shape
    if len(shape) < 2:
        raise ValueError(
            f"only a weight with two axes or more, (out, in), has fan_in and fan_out, not {describe(tensor)}"
        )
    area = math.prod(shape[2:])
    return shape[1] * area, shape[0] * area


def xavier_std(tensor: Tensor) -> float:
    """The standard deviation of Glorot and Bengio, with a variance between 1/fan_in and 1/fan_out."""
    fan_in, fan_out = calculate_fans(tensor)
    return math.sqrt(2 / max(fan_in + fan_out, 1))


def kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """The standard deviation of He et al., ``gain / sqrt(fan)``."""
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"mode of kaiming initialization must be 'fan_in' or 'fan_out', not {mode!r}")
    fan_in, fan_out = calculate_fans(tensor)
    fan = fan_in if mode == "fan_in" else fan_out
    return calculate_gain(nonlinearity, a) / math.sqrt(max(fan, 1))


def check_tensor(tensor: Any) -> None:
    """Raise TypeError unless it is a Tensor."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"initial values are written into a Tensor, not into {describe(tensor)}")
