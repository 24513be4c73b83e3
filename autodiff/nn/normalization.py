"""Layers that shift and scale their inputs to mean 0 and variance 1: BatchNorm1d over the batch, LayerNorm
over the features of each example. ``batch_norm`` and ``layer_norm`` are the same as functions."""

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np

from ..engine.operands import as_recorded
from ..engine.operation import operation
from ..engine.silence import silence
from ..engine.tensor import Tensor, describe, raw
from ..ops.elementary import sqrt
from ..ops.reductions import mean, var
from ..ops.shaping import reshape, shape_of
from .checks import check_floating, ending, whole
from .module import Module
from .parameter import Parameter


@operation
def normalize(x: Any, *, axis: tuple[int, ...], eps: float = 1e-5) -> Any:
    """Shift and scale: x less its mean, over the square root of its variance plus ``eps``, both taken along
    ``axis``.

    >>> from autodiff import Tensor
    >>> from autodiff.nn.normalization import normalize
    >>> normalize(Tensor([[1.0, 3.0], [0.0, 4.0]]), axis=(1,), eps=0.0)
    [[-1  1]
     [-1  1]]
    """
    apart = x - np.mean(x, axis=axis, keepdims=True)
    return apart / np.sqrt(np.mean(apart * apart, axis=axis, keepdims=True) + eps)


def by_normalized(grad: Any, z: Any, x: Any, axis: tuple[int, ...], eps: float = 1e-5) -> Any:
    """What z cannot express, a shift and a scale of x, is taken out of the gradient; the rest is scaled."""
    scaled = grad - mean(grad, axis=axis, keepdims=True) - z * mean(grad * z, axis=axis, keepdims=True)
    return scaled / sqrt(var(x, axis=axis, keepdims=True) + eps)


normalize.backward(by_normalized)


def checked_eps(eps: Any, owner: Module) -> float:
    """An eps as a float. Raises TypeError if it is no number, ValueError if it is below 0 or not finite."""
    if not isinstance(eps, Real):
        raise TypeError(f"eps of {type(owner).__name__} is a number, not {eps!r:.60}")
    if not 0 <= float(eps) < math.inf:
        raise ValueError(f"eps of {type(owner).__name__} must be at least 0, not {eps}")
    return float(eps)


def checked_momentum(momentum: Any, owner: Module) -> float | None:
    """A momentum as a float, or None. Raises TypeError for what is neither, ValueError outside of 0 to 1."""
    if momentum is None:
        return None
    if not isinstance(momentum, Real):
        raise TypeError(f"momentum of {type(owner).__name__} is a number or None, not {momentum!r:.60}")
    if not 0 <= float(momentum) <= 1:
        raise ValueError(f"momentum of {type(owner).__name__} must lie between 0 and 1, not {momentum}")
    return float(momentum)


def layer_norm(
    input: Any,
    normalized_shape: int | tuple[int, ...],
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
) -> Any:
    """Give each example mean 0 and variance 1 over its last axes, see :class:`LayerNorm`.

    Parameters
    ----------
    input
        Of shape (..., *normalized_shape).
    normalized_shape
        The sizes of the last axes, or one size for the last.
    weight, bias
        Of shape ``normalized_shape``, or None.
    eps
        Added to the variance.

    Raises
    ------
    ValueError
        If the input's last axes are of other sizes.

    Example
    -------
    >>> from autodiff.nn import functional as F
    >>> F.layer_norm([[1.0, 3.0]], 2, eps=0.0)
    array([[-1.,  1.]])
    """
    x = as_recorded(input)
    sizes = tuple(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
    ending(x, sizes, "layer_norm")
    return scaled(normalize(x, axis=tuple(range(-len(sizes), 0)), eps=eps), weight, bias, sizes)


def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Give each channel mean 0 and variance 1, see :class:`BatchNorm1d`.

    Parameters
    ----------
    input
        Of shape (N, C, ...).
    running_mean, running_var
        Arrays or constant Tensors of shape (C,), or None. In training they are moved towards the batch's, in
        place; otherwise they are used.
    weight, bias
        Of shape (C,), or None.
    training
        Whether mean and variance are the batch's; they are, too, without running ones.
    momentum
        How far the running ones move.
    eps
        Added to the variance.

    Raises
    ------
    ValueError
        If the input has no channels, or a single value per channel where mean and variance are the batch's.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.nn import functional as F
    >>> mean, var = np.zeros(1), np.ones(1)
    >>> F.batch_norm([[1.0], [3.0]], mean, var, training=True, eps=0.0), mean, var
    (array([[-1.],
           [ 1.]]), array([0.2]), array([1.1]))
    """
    x = as_recorded(input)
    shape = shape_of(x)
    if len(shape) < 2:
        raise ValueError(f"batch_norm takes inputs of shape (N, C, ...), not {describe(x)}")
    axes, channel = (0, *range(2, len(shape))), (shape[1],) + (1,) * (len(shape) - 2)
    tracked = running_mean is not None and running_var is not None
    if training or not tracked:
        check_count(x, axes, "batch_norm")
        z = scaled(normalize(x, axis=axes, eps=eps), weight, bias, channel)
        if training and tracked:
            with silence():
                batch = np.asarray(raw(x))
                move(running_mean, np.mean(batch, axis=axes), momentum)
                move(running_var, np.var(batch, axis=axes, ddof=1), momentum)
        return z
    # Arrays, not the Tensors themselves: later batches may replace those before a backward.
    mean, deviation = np.asarray(raw(running_mean)), np.sqrt(np.asarray(raw(running_var)) + eps)
    return scaled((x - mean.reshape(channel)) / deviation.reshape(channel), weight, bias, channel)


def scaled(z: Any, weight: Any, bias: Any, shape: tuple[int, ...]) -> Any:
    """Times a weight and plus a bias, each laid out in a shape; None for either leaves it out."""
    weight, bias = in_shape(weight, shape), in_shape(bias, shape)
    if weight is not None:
        z = z * weight
    return z if bias is None else z + bias


def in_shape(part: Any, shape: tuple[int, ...]) -> Any:
    """A weight or bias laid out in a shape; None stays None."""
    part = as_recorded(part)
    return part if part is None or shape_of(part) == shape else reshape(part, shape=shape)


def move(running: Any, batch: np.ndarray, share: float) -> None:
    """Move a running mean or variance towards that of the batch, in place."""
    value = raw(running) + share * (batch - raw(running))
    if isinstance(running, Tensor):
        running.assign(value)
    else:
        running[...] = value


def check_count(x: Any, axes: tuple[int, ...], owner: str, advice: str = "") -> None:
    """Raise ValueError unless there is more than one value per channel to take a variance of."""
    count = math.prod(shape_of(x)[axis] for axis in axes)
    if count < 2:
        raise ValueError(
            f"{owner} needs more than one value per channel, and {describe(x)} has {count}: a batch of "
            f"one has no variance. Give it more examples{advice}"
        )


class BatchNorm(Module):
    """What batch normalization is for inputs of any number of axes; a subclass says which it takes.

    Channels are on the second axis. All other axes together are what mean and variance are taken over: one of
    each per channel, not one per pixel.
    """

    dimensions: tuple[int, ...] = ()  # the numbers of axes that an input may have
    layout = ""  # the same in words

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        *,
        dtype: Any = None,
    ) -> None:
        self.num_features = whole(num_features, "num_features", self)
        self.eps = checked_eps(eps, self)
        self.momentum = checked_momentum(momentum, self)
        dtype = check_floating(dtype, self)
        self.weight = Parameter(np.ones(self.num_features), dtype=dtype) if affine else None
        self.bias = Parameter(np.zeros(self.num_features), dtype=dtype) if affine else None
        tracked = track_running_stats
        self.register_buffer("running_mean", np.zeros(num_features, dtype) if tracked else None)
        self.register_buffer("running_var", np.ones(num_features, dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", np.array(0) if tracked else None)

    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def forward(self, x: Any) -> Any:
        """``x`` of shape (N, C, ...) keeps its shape."""
        x = as_recorded(x)
        shape = shape_of(x)
        if len(shape) not in self.dimensions or shape[1] != self.num_features:
            layout = self.layout.format(self.num_features)
            raise ValueError(f"{self._title()} takes {layout}, not {describe(x)}")
        tracks = self.running_mean is not None
        if self.training or not tracks:
            mode, advice = (" in training", ", or call eval() first") if tracks else ("", "")
            check_count(x, (0, *range(2, len(shape))), f"{self._title()}{mode}", advice)
        share = self.momentum
        if share is None:
            share = 0.0 if self.num_batches_tracked is None else 1 / (int(self.num_batches_tracked) + 1)
        parts = self.running_mean, self.running_var, self.weight, self.bias
        z = batch_norm(x, *parts, self.training, share, self.eps)
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.assign(raw(self.num_batches_tracked) + 1)
        return z

    def reset_running_stats(self) -> None:
        """Forget the batches seen: mean 0, variance 1."""
        for running, start in ((self.running_mean, 0), (self.running_var, 1), (self.num_batches_tracked, 0)):
            if running is not None:
                running.assign(np.full(running.shape, start))

    def extra_repr(self) -> str:
        """The channels, and the settings that differ from the usual ones."""
        usual = {"eps": (self.eps, 1e-5), "momentum": (self.momentum, 0.1)}
        options = "".join(f", {name}={value}" for name, (value, default) in usual.items() if value != default)
        options += ", affine=False" * (self.weight is None)
        return f"{self.num_features}{options}" + ", track_running_stats=False" * (self.running_mean is None)


class BatchNorm1d(BatchNorm):
    """Per channel: in training the mean and variance of the batch become 0 and 1; in evaluation the running
    ones are used. Then comes a scale and a shift that are learned (Ioffe and Szegedy, "Batch Normalization",
    2015).

    Parameters
    ----------
    num_features
        The number of channels C.
    eps
        Added to the variance.
    momentum
        How far the running mean and variance move towards those of a batch; None averages over all batches
        alike.
    affine
        False leaves the learned scale and shift out.
    track_running_stats
        False keeps no running mean and variance: evaluation then looks at its batch, too.
    dtype
        Of parameters and running averages: float32, or another kind of float.

    Attributes
    ----------
    weight, bias
        Parameters of shape (C,), at first ones and zeros; None without ``affine``.
    running_mean, running_var, num_batches_tracked
        Buffers. The running variance is the unbiased one, over n - 1, as in PyTorch.

    Raises
    ------
    TypeError, ValueError
        If ``eps`` is no number of at least 0, or ``momentum`` neither None nor a number between 0 and 1.
    ValueError
        At the call, if the input is not of shape (N, C) or (N, C, L), or if there is a single value per
        channel where mean and variance are the batch's.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> layer = nn.BatchNorm1d(2)
    >>> layer(Tensor([[1.0, 10.0], [3.0, 30.0]]))
    [[-0.999995        -1]
     [ 0.999995         1]]
    >>> layer.running_mean, layer.eval()(Tensor([[0.0, 0.0]])).shape
    ([0.2   2], (1, 2))
    """

    dimensions = (2, 3)
    layout = "inputs of shape (N, {0}) or (N, {0}, L)"


class LayerNorm(Module):
    """Gives each example mean 0 and variance 1 over its last axes, in training and evaluation alike; then a
    scale and a shift that are learned (Ba, Kiros and Hinton, "Layer Normalization", 2016).

    Parameters
    ----------
    normalized_shape
        The sizes of the last axes, or one size for the last.
    eps
        Added to the variance.
    elementwise_affine, bias
        False leaves both the scale and the shift out, or the shift alone.
    dtype
        Of the parameters: float32, or another kind of float.

    Attributes
    ----------
    weight, bias
        Parameters of shape ``normalized_shape``, at first ones and zeros, or None.

    Raises
    ------
    TypeError, ValueError
        If ``eps`` is no number of at least 0.
    ValueError
        At the call, if the input's last axes are of other sizes.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.LayerNorm(2, eps=0.0)(Tensor([[1.0, 3.0], [0.0, 4.0]]))
    [[-1  1]
     [-1  1]]
    """

    def __init__(
        self,
        normalized_shape: int | tuple[int, ...],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        *,
        dtype: Any = None,
    ) -> None:
        sizes = normalized_shape if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
        self.normalized_shape = tuple(whole(size, "normalized_shape", self) for size in sizes)
        if not sizes:
            raise ValueError("normalized_shape of LayerNorm names at least one axis")
        self.eps = checked_eps(eps, self)
        shape, dtype = self.normalized_shape, check_floating(dtype, self)
        self.weight = Parameter(np.ones(shape), dtype=dtype) if elementwise_affine else None
        self.bias = Parameter(np.zeros(shape), dtype=dtype) if elementwise_affine and bias else None

    def forward(self, x: Any) -> Any:
        """``x`` of shape (..., *normalized_shape) keeps its shape."""
        x = as_recorded(x)
        ending(x, self.normalized_shape, self._title())
        return layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The sizes, and the settings that differ from the usual ones."""
        sizes = self.normalized_shape
        options = f", eps={self.eps:g}" * (self.eps != 1e-5)
        options += ", elementwise_affine=False" * (self.weight is None)
        options += ", bias=False" * (self.bias is None and self.weight is not None)
        return f"{sizes[0] if len(sizes) == 1 else sizes}{options}"
