"""Layers that normalize their input to mean 0 and variance 1: BatchNorm1d over the batch, LayerNorm over the
features of each example. The functions ``batch_norm`` and ``layer_norm`` do the same."""

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

import math
from contextlib import nullcontext
from typing import Any

import numpy as np

from ..checks import NOT_NEGATIVE, UP_TO_1, checked_integer, checked_number
from ..engine import locking
from ..engine.dtypes import unrounded
from ..engine.operands import as_recorded
from ..engine.operation import operation
from ..engine.repeating import once
from ..engine.silence import silence
from ..engine.tensor import Tensor, describe, raw
from ..engine.values import as_array, is_foreign
from ..ops.elementary import sqrt
from ..ops.reductions import mean, var
from ..ops.shaping import reshape, shape_of
from .checks import check_last_axes, checked_dtype
from .module import Module
from .parameter import Parameter


@operation(precision="floats")
def normalize(x: Any, *, axis: tuple[int, ...], eps: float = 1e-5) -> Any:
    """(x - mean) / sqrt(variance + ``eps``), with mean and variance taken along ``axis``.

    >>> from autodiff import Tensor
    >>> from autodiff.nn.normalization import normalize
    >>> normalize(Tensor([[1.0, 3.0], [0.0, 4.0]]), axis=(1,), eps=0.0)
    [[-1  1]
     [-1  1]]
    """
    centered = x - np.mean(x, axis=axis, keepdims=True)
    return centered / np.sqrt(np.mean(centered * centered, axis=axis, keepdims=True) + eps)


def normalize_rule(grad: Any, z: Any, x: Any, axis: tuple[int, ...], eps: float = 1e-5) -> Any:
    """A shift or a scaling of x leaves z unchanged, so those two parts are subtracted from the gradient."""
    projected = grad - mean(grad, axis=axis, keepdims=True) - z * mean(grad * z, axis=axis, keepdims=True)
    return projected / sqrt(var(x, axis=axis, keepdims=True) + eps)


normalize.backward(normalize_rule)


def layer_norm(
    input: Any,
    normalized_shape: int | tuple[int, ...],
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
) -> Any:
    """Normalize each example to mean 0 and variance 1 over its last axes, see
    :class:`~autodiff.nn.LayerNorm`.

    Parameters
    ----------
    input
        Of shape ``(..., *normalized_shape)``.
    normalized_shape
        The sizes of the last axes, or one size for the last.
    weight, bias
        Of shape ``normalized_shape``, or None.
    eps
        Added to the variance.

    Raises
    ------
    ValueError
        If the last axes of the input have other sizes.

    Example
    -------
    >>> from autodiff.nn import functional as F
    >>> F.layer_norm([[1.0, 3.0]], 2, eps=0.0)
    array([[-1.,  1.]])
    """
    x = as_recorded(input)
    sizes = tuple(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
    check_last_axes(x, sizes, "layer_norm")
    return scale_and_shift(normalize(x, axis=tuple(range(-len(sizes), 0)), eps=eps), weight, bias, sizes)


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
    """Normalize each channel to mean 0 and variance 1, see :class:`~autodiff.nn.BatchNorm1d`.

    Parameters
    ----------
    input
        Of shape (N, C, ...).
    running_mean, running_var
        Arrays or constant Tensors of shape (C,), or None. In training they are updated in place; in
        evaluation they are used.
    weight, bias
        Of shape (C,), or None.
    training
        Whether to use the mean and variance of the batch. Without running ones, these are always used.
    momentum
        The weight of the batch in the update of the running mean and variance.
    eps
        Added to the variance.

    Raises
    ------
    ValueError
        If the input has no channels, or if there is a single value per channel and the mean and variance of
        the batch are used.

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
        check_values_per_channel(x, axes, "batch_norm")
        z = normalize(x, axis=axes, eps=eps)
    else:  # with arrays, not with the Tensors themselves, which a later batch may change before backward
        center, deviation = as_array(raw(running_mean)), np.sqrt(as_array(raw(running_var)) + eps)
        z = (x - center.reshape(channel)) / deviation.reshape(channel)
    out = scale_and_shift(z, weight, bias, channel)
    if training and tracked:
        with silence():
            batch = unrounded(as_array(raw(x)))
            update_running(running_mean, np.mean(batch, axis=axes), momentum)
            update_running(running_var, np.var(batch, axis=axes, ddof=1), momentum)
    return out


def scale_and_shift(z: Any, weight: Any, bias: Any, shape: tuple[int, ...]) -> Any:
    """``z * weight + bias``, both reshaped to ``shape``; None omits the factor or the term."""
    if weight is not None:
        z = z * reshaped(weight, shape)
    return z if bias is None else z + reshaped(bias, shape)


def reshaped(x: Any, shape: tuple[int, ...]) -> Any:
    """An operand in this shape. No reshape is recorded if it has the shape already."""
    x = as_recorded(x)
    return x if shape_of(x) == shape else reshape(x, shape=shape)


def update_running(running: Any, batch: np.ndarray, momentum: float) -> None:
    """Update a running mean or variance by that of the batch, in place, and not again in a repeated call."""

    def update() -> None:
        value = raw(running) + momentum * (batch - raw(running))
        if isinstance(running, Tensor):
            running.assign(value)
        else:
            running[...] = value

    once(update)


def check_values_per_channel(x: Any, axes: tuple[int, ...], owner: str, advice: str = "") -> None:
    """Raise ValueError unless each channel has more than one value, which its variance requires."""
    count = math.prod(shape_of(x)[axis] for axis in axes)
    if count < 2:
        raise ValueError(
            f"{owner} needs more than one value per channel for the variance, but {describe(x)} has {count}: "
            f"pass more examples{advice}"
        )


class BatchNorm(Module):
    """Batch normalization for any number of axes; a subclass sets which numbers it accepts.

    The second axis is that of the channels. Mean and variance are taken over all other axes together, so
    there is one of each per channel, not one per pixel.
    """

    dimensions: tuple[int, ...] = ()  # the numbers of axes that an input may have
    layout = ""  # the same in words
    momentum: float | None
    weight: Parameter | None
    bias: Parameter | None

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
        self.num_features: int = checked_integer("num_features", num_features, self)
        self.eps: float = checked_number("eps", eps, NOT_NEGATIVE, owner=self)
        self.momentum = momentum if momentum is None else checked_number("momentum", momentum, UP_TO_1, self)
        dtype = checked_dtype(dtype, self)
        self.weight = Parameter(np.ones(self.num_features), dtype=dtype) if affine else None
        self.bias = Parameter(np.zeros(self.num_features), dtype=dtype) if affine else None
        tracked = track_running_stats
        self.register_buffer("running_mean", np.zeros(num_features, dtype) if tracked else None)
        self.register_buffer("running_var", np.ones(num_features, dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", np.array(0, np.int64) if tracked else None)

    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def forward(self, x: Any) -> Any:
        """``x`` of shape (N, C, ...); the output has the same shape."""
        x = as_recorded(x)
        shape = shape_of(x)
        if len(shape) not in self.dimensions or shape[1] != self.num_features:
            layout = self.layout.format(self.num_features)
            raise ValueError(f"{self._title()} takes {layout}, not {describe(x)}")
        tracked = self.running_mean is not None
        if self.training or not tracked:
            mode, advice = (" in training", ", or call eval() first") if tracked else ("", "")
            check_values_per_channel(x, (0, *range(2, len(shape))), f"{self._title()}{mode}", advice)
        running = self.running_mean, self.running_var
        # A mean over all batches depends on their count, which no other thread may change meanwhile.
        with locking.shared if self.momentum is None and self.training else nullcontext():
            momentum = self._momentum_now()
            z = batch_norm(x, *running, self.weight, self.bias, self.training, momentum, self.eps)
            if self.training and self.num_batches_tracked is not None:
                once(self._count_batch)
        return z

    def _count_batch(self) -> None:
        if self.num_batches_tracked is not None:
            self.num_batches_tracked.assign(raw(self.num_batches_tracked) + 1)

    def _momentum_now(self) -> Any:
        """The momentum; None stands for 1/n at the n-th batch, which gives the mean over all batches."""
        if self.momentum is not None:
            return self.momentum
        if self.num_batches_tracked is None:
            return 0.0
        count = raw(self.num_batches_tracked)
        if is_foreign(count):  # while a function is compiled
            return (1 / (count + 1)).astype(raw(self.running_mean).dtype)
        return 1 / (int(count) + 1)

    def reset_running_stats(self) -> None:
        """Reset the running mean to 0, the running variance to 1 and the count of batches to 0."""
        for running, start in ((self.running_mean, 0), (self.running_var, 1), (self.num_batches_tracked, 0)):
            if running is not None:
                running.assign(np.full(running.shape, start))

    def extra_repr(self) -> str:
        """The number of channels, and the settings that differ from their defaults."""
        eps, momentum = self.eps, self.momentum
        options = f", eps={eps}" * (eps != 1e-5) + f", momentum={momentum}" * (momentum != 0.1)
        options += ", affine=False" * (self.weight is None)
        return f"{self.num_features}{options}" + ", track_running_stats=False" * (self.running_mean is None)


class BatchNorm1d(BatchNorm):
    """Normalizes each channel, in training by the mean and variance of the batch, in evaluation by their
    running averages; a learned scale and shift follow (Ioffe and Szegedy, "Batch Normalization: Accelerating
    Deep Network Training by Reducing Internal Covariate Shift", 2015).

    Parameters
    ----------
    num_features
        The number of channels C.
    eps
        Added to the variance.
    momentum
        The weight of a batch in the update of the running mean and variance; None takes the mean over all
        batches.
    affine
        False omits the learned scale and shift.
    track_running_stats
        False keeps no running mean and variance: evaluation then uses those of the batch, too.
    dtype
        The float dtype of parameters and running averages, float32 by default.

    Attributes
    ----------
    weight, bias
        Parameters of shape (C,), initially ones and zeros; None without ``affine``.
    running_mean, running_var, num_batches_tracked
        Buffers. The running variance is the unbiased one, with the divisor n - 1, as in PyTorch.

    Raises
    ------
    TypeError, ValueError
        If ``eps`` is not a number of at least 0, or ``momentum`` neither None nor a number between 0 and 1.
    ValueError
        At the call, if the input does not have the shape (N, C) or (N, C, L), or if there is a single value
        per channel and the mean and variance of the batch are used.

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

    dimensions: tuple[int, ...] = (2, 3)
    layout = "inputs of shape (N, {0}) or (N, {0}, L)"


class LayerNorm(Module):
    """Normalizes each example over its last axes, in training and evaluation alike; a learned scale and shift
    follow (Ba, Kiros and Hinton, "Layer Normalization", 2016).

    Parameters
    ----------
    normalized_shape
        The sizes of the last axes, or one size for the last.
    eps
        Added to the variance.
    elementwise_affine, bias
        False omits both scale and shift, or the shift alone.
    dtype
        The float dtype of the parameters, float32 by default.

    Attributes
    ----------
    weight, bias
        Parameters of shape ``normalized_shape``, initially ones and zeros, or None.

    Raises
    ------
    TypeError, ValueError
        If ``eps`` is not a number of at least 0.
    ValueError
        At the call, if the last axes of the input have other sizes.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.LayerNorm(2, eps=0.0)(Tensor([[1.0, 3.0], [0.0, 4.0]]))
    [[-1  1]
     [-1  1]]
    """

    normalized_shape: tuple[int, ...]
    weight: Parameter | None
    bias: Parameter | None

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
        self.normalized_shape = tuple(checked_integer("normalized_shape", size, self) for size in sizes)
        if not sizes:
            raise ValueError(
                f"normalized_shape of LayerNorm must contain at least one size, not {normalized_shape}"
            )
        self.eps: float = checked_number("eps", eps, NOT_NEGATIVE, owner=self)
        shape, dtype = self.normalized_shape, checked_dtype(dtype, self)
        self.weight = Parameter(np.ones(shape), dtype=dtype) if elementwise_affine else None
        self.bias = Parameter(np.zeros(shape), dtype=dtype) if elementwise_affine and bias else None

    def forward(self, x: Any) -> Any:
        """``x`` of shape ``(..., *normalized_shape)``; the output has the same shape."""
        x = as_recorded(x)
        check_last_axes(x, self.normalized_shape, self._title())
        return layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The sizes, and the settings that differ from their defaults."""
        sizes = self.normalized_shape
        options = f", eps={self.eps:g}" * (self.eps != 1e-5)
        options += ", elementwise_affine=False" * (self.weight is None)
        options += ", bias=False" * (self.bias is None and self.weight is not None)
        return f"{sizes[0] if len(sizes) == 1 else sizes}{options}"
