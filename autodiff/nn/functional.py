"""The functions behind layers and losses, with PyTorch's names and arguments.

The module is imported as F:

>>> import autodiff as ad
>>> from autodiff import nn
>>> from autodiff.nn import functional as F
>>> class Net(nn.Module):
...     def __init__(self):
...         self.hidden, self.out = nn.Linear(2, 8, generator=0), nn.Linear(8, 3, generator=1)
...     def forward(self, x):
...         h = F.dropout(F.relu(self.hidden(x)), 0.5, training=self.training)
...         return F.log_softmax(self.out(h), dim=1)
>>> F.nll_loss(Net()(ad.Tensor([[0.5, -1.0]])), [2]).shape
()

An axis is called ``dim``, as in PyTorch.
"""

# Most are defined elsewhere: next to their layer, in activation_functions.py and in losses.py. This file
# defines those without a layer: normalize, cosine_similarity and pad.

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

import math
from typing import Any

from ..creation import one_hot
from ..engine.dtypes import computed_in
from ..engine.operands import as_recorded
from ..engine.tensor import describe
from ..ops import indexing, linalg
from ..ops.arithmetic import maximum
from ..ops.convolution_functions import conv1d, conv2d, conv_transpose1d, conv_transpose2d
from ..ops.elementary import abs as absolute
from ..ops.ordering import max as largest
from ..ops.patches import fold, unfold
from ..ops.pooling import avg_pool2d, max_pool2d
from ..ops.pooling_functions import adaptive_avg_pool1d, adaptive_avg_pool2d, avg_pool1d, max_pool1d
from ..ops.reductions import sum as total
from ..ops.shaping import shape_of
from .activation_functions import (
    celu,
    elu,
    gelu,
    glu,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    log_softmax,
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softsign,
    tanh,
    threshold,
)
from .attention_functions import scaled_dot_product_attention
from .dropout_layers import dropout, dropout2d
from .embedding_layers import embedding
from .group_normalization import group_norm, instance_norm
from .linear_layers import linear
from .losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from .normalization import batch_norm, layer_norm
from .picture_layers import interpolate, pixel_shuffle, pixel_unshuffle
from .rms_normalization import rms_norm

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "avg_pool1d", "avg_pool2d", "batch_norm",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu", "conv1d", "conv2d",
    "conv_transpose1d", "conv_transpose2d", "cosine_similarity", "cross_entropy", "dropout",
    "dropout2d", "elu", "embedding", "fold", "gelu", "glu", "group_norm", "hardsigmoid", "hardswish",
    "hardtanh", "huber_loss", "instance_norm", "interpolate", "kl_div", "l1_loss", "layer_norm",
    "leaky_relu", "linear", "log_softmax", "logsigmoid", "max_pool1d", "max_pool2d", "mish", "mse_loss",
    "nll_loss", "normalize", "one_hot", "pad", "pixel_shuffle", "pixel_unshuffle", "prelu", "relu",
    "relu6", "rms_norm", "scaled_dot_product_attention", "selu", "sigmoid", "silu", "smooth_l1_loss",
    "softmax", "softmin", "softplus", "softsign", "tanh", "threshold", "unfold",
]  # fmt: skip

NUMPY_PAD_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@computed_in("floats")
def normalize(input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> Any:
    """Vectors along ``dim`` divided by their norm, or by ``eps`` if the norm is smaller.

    Parameters
    ----------
    input
        Of any shape that has the axis.
    p
        The order of the norm: 2 is the root of the sum of squares, 1 the sum of absolute values, ``math.inf``
        the largest absolute value.
    dim
        An axis or a tuple of axes.
    eps
        The smallest divisor.

    Raises
    ------
    ValueError
        If the axis does not exist, or ``p`` is not above 0.

    Example
    -------
    >>> from autodiff.nn import functional as F
    >>> F.normalize([[3.0, 4.0], [0.0, 0.0]])
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    if not p > 0:
        raise ValueError(f"p of normalize must be above 0, not {p}")
    x = as_recorded(input)
    options = {"axis": dim, "keepdims": True}
    if p == 2:
        return linalg.bounded_unit(x, dim, float(eps))
    if p == math.inf:
        p_norm = largest(absolute(x), **options)
    elif p == 1:  # saves the two powers
        p_norm = total(absolute(x), **options)
    else:
        p_norm = total(absolute(x) ** float(p), **options) ** (1 / float(p))
    return x / maximum(p_norm, float(eps))


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along ``dim``; a norm below ``eps`` is replaced by ``eps``.

    Raises ValueError if the shapes do not broadcast or the axis does not exist.

    >>> from autodiff.nn import functional as F
    >>> F.cosine_similarity([[3.0, 4.0]], [[1.0, 0.0]])
    array([0.6])
    """
    return linalg.cosine_similarity(x1, x2, axis=dim, eps=eps)


def pad(input: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Any:
    """The input with elements added at the ends of its axes. Widths are in PyTorch's order; ``ad.pad`` takes
    them in NumPy's.

    Parameters
    ----------
    input
        Of any shape.
    pad
        Widths before and after for the last axis, then for the one before it, and so on:
        ``(left, right, top, bottom)``. The remaining axes are not padded.
    mode
        "constant", "reflect", "replicate" (repeats the edge) or "circular".
    value
        The value that "constant" adds, 0 by default.

    Raises
    ------
    ValueError
        If the widths do not come in pairs, are too many for the axes, or are negative, or if the mode is
        unknown.

    Example
    -------
    >>> from autodiff.nn import functional as F
    >>> F.pad([[1.0, 2.0]], (1, 0, 0, 1))
    array([[0., 1., 2.],
           [0., 0., 0.]])
    """
    x = as_recorded(input)
    axes = len(shape_of(x))
    widths = [int(width) for width in pad]
    if mode not in NUMPY_PAD_MODES:
        raise ValueError(f"mode of pad must be one of {', '.join(NUMPY_PAD_MODES)}, not {mode!r}")
    if len(widths) % 2 or len(widths) > 2 * axes:
        raise ValueError(
            f"pad takes a pair of widths per axis, starting with the last axis: at most {2 * axes} widths "
            f"for {describe(x)}, not {tuple(widths)}"
        )
    pairs = [tuple(widths[start : start + 2]) for start in range(0, len(widths), 2)]
    pad_width = [(0, 0)] * (axes - len(pairs)) + pairs[::-1]
    if value is not None and mode != "constant":
        raise ValueError(f"pad takes a value only in the mode 'constant', not in {mode!r}")
    if not axes:
        return x
    return indexing.pad(x, pad_width=pad_width, mode=NUMPY_PAD_MODES[mode], constant_values=value or 0)
