"""Normalization of pictures and of groups of channels: BatchNorm2d over the batch, GroupNorm and InstanceNorm
over parts of each example. ``group_norm`` and ``instance_norm`` are the same as functions.

BatchNorm1d and LayerNorm are in ``normalization.py``, RMSNorm is in ``rms_normalization.py``, and the layers
that take their number of channels from the first input are in ``lazy_normalization.py``.
"""

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..checks import NOT_NEGATIVE, checked_integer, checked_number
from ..engine.dtypes import unrounded
from ..engine.operands import as_recorded
from ..engine.silence import silence
from ..engine.tensor import describe, raw
from ..engine.values import as_array
from ..ops.shaping import reshape, shape_of
from .checks import checked_dtype
from .module import Module
from .normalization import BatchNorm, batch_norm, normalize, scale_and_shift, update_running
from .parameter import Parameter


def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """Give each group of channels of each example mean 0 and variance 1, see :class:`~autodiff.nn.GroupNorm`.

    Parameters
    ----------
    input
        Of shape (N, C, ...).
    num_groups
        The number of groups; it divides C.
    weight, bias
        Of shape (C,), or None.
    eps
        Added to the variance.

    Raises
    ------
    ValueError
        If the input has no axis of channels, their number is not a multiple of ``num_groups``, or a group has
        a single value.

    Example
    -------
    >>> from autodiff.nn import functional as F
    >>> F.group_norm([[1.0, 3.0, 10.0, 30.0]], 2, eps=0.0)
    array([[-1.,  1., -1.,  1.]])
    """
    x = as_recorded(input)
    shape = shape_of(x)
    if len(shape) < 2:
        raise ValueError(f"group_norm takes inputs of shape (N, C, ...), not {describe(x)}")
    batch, channels, *sizes = shape
    if num_groups < 1 or channels % num_groups:
        raise ValueError(f"{channels} channels cannot be split into {num_groups} groups of equal size")
    groups = reshape(x, shape=(batch, num_groups, channels // num_groups, *sizes))
    axes = tuple(range(2, len(shape) + 1))
    check_several(groups, axes, "group_norm", "group")
    z = reshape(normalize(groups, axis=axes, eps=eps), shape=shape)
    return scale_and_shift(z, weight, bias, (channels,) + (1,) * len(sizes))


def instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Give each channel of each example mean 0 and variance 1, see :class:`~autodiff.nn.InstanceNorm2d`.

    Parameters
    ----------
    input
        Of shape (N, C, ...), with at least one axis after the channels.
    running_mean, running_var
        Arrays or constant Tensors of shape (C,), or None. They are updated in place, towards the mean over
        the examples.
    weight, bias
        Of shape (C,), or None.
    use_input_stats
        False uses the running mean and variance instead of each example's own.
    momentum
        The weight of the new values in the running mean and variance.
    eps
        Added to the variance.

    Raises
    ------
    ValueError
        If the input has another number of axes, a channel has a single value, or ``use_input_stats`` is False
        without a running mean and variance.

    Example
    -------
    >>> from autodiff.nn import functional as F
    >>> F.instance_norm([[[1.0, 3.0], [10.0, 30.0]]], eps=0.0)
    array([[[-1.,  1.],
            [-1.,  1.]]])
    """
    x = as_recorded(input)
    shape = shape_of(x)
    if len(shape) < 3:
        raise ValueError(f"instance_norm takes inputs of shape (N, C, L) or (N, C, H, W), not {describe(x)}")
    tracked = running_mean is not None and running_var is not None
    if not use_input_stats:
        if not tracked:
            raise ValueError("instance_norm needs running_mean and running_var, or use_input_stats=True")
        return batch_norm(x, running_mean, running_var, weight, bias, eps=eps)
    axes = tuple(range(2, len(shape)))
    check_several(x, axes, "instance_norm", "channel")
    z = scale_and_shift(normalize(x, axis=axes, eps=eps), weight, bias, (shape[1],) + (1,) * len(axes))
    if tracked and shape[0]:
        with silence():
            data = unrounded(as_array(raw(x)))
            update_running(running_mean, np.mean(np.mean(data, axis=axes), axis=0), momentum)
            update_running(running_var, np.mean(np.var(data, axis=axes, ddof=1), axis=0), momentum)
    return z


def check_several(x: Any, axes: tuple[int, ...], owner: str, part: str) -> None:
    """Raise ValueError if the mean and variance along ``axes`` would be those of a single value."""
    if math.prod(shape_of(x)[axis] for axis in axes) == 1:
        raise ValueError(
            f"{owner} needs more than one value per {part} of an example to compute a variance, and "
            f"{describe(x)} has one"
        )


class BatchNorm2d(BatchNorm):
    """Batch normalization for pictures: one mean and one variance per channel, over the batch, the rows and
    the columns. Everything else is as in :class:`BatchNorm1d`.

    Parameters
    ----------
    num_features
        The number of channels C.
    eps, momentum, affine, track_running_stats, dtype
        As for :class:`BatchNorm1d`.

    Raises
    ------
    TypeError, ValueError
        As for :class:`BatchNorm1d`; the input is of shape (N, C, H, W).

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> layer = nn.BatchNorm2d(1, eps=0.0)
    >>> layer(Tensor([[[[1.0, 1.0], [3.0, 3.0]]]]))
    [[[[-1 -1]
       [ 1  1]]]]
    >>> layer.running_mean.shape
    (1,)
    """

    dimensions: tuple[int, ...] = (4,)
    layout = "inputs of shape (N, {0}, H, W)"


class GroupNorm(Module):
    """Splits the channels of each example into groups and gives each group mean 0 and variance 1, followed by
    a learned scale and shift per channel (Wu and He, "Group Normalization", 2018).

    It computes the same in training and evaluation, and for any batch size.

    Parameters
    ----------
    num_groups, num_channels
        The number of groups, which divides the number of channels C.
    eps
        Added to the variance.
    affine
        False leaves out the learned scale and shift.
    dtype
        The float dtype of the parameters, float32 by default.

    Attributes
    ----------
    weight, bias
        Parameters of shape (C,), initially ones and zeros; None without ``affine``.

    Raises
    ------
    TypeError, ValueError
        If a number is not a whole number of at least 1, the groups do not divide the channels, or ``eps`` is
        not a number of at least 0.
    ValueError
        At the call, if the input is not of shape (N, C, ...).

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.GroupNorm(2, 4, eps=0.0)(Tensor([[1.0, 3.0, 10.0, 30.0]]))
    [[-1  1 -1  1]]
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        *,
        dtype: Any = None,
    ) -> None:
        self.num_groups: int = checked_integer("num_groups", num_groups, self)
        self.num_channels: int = checked_integer("num_channels", num_channels, self)
        if self.num_channels % self.num_groups:
            raise ValueError(
                f"num_groups of GroupNorm must divide num_channels, but {num_groups} does not divide "
                f"{num_channels}"
            )
        self.eps: float = checked_number("eps", eps, NOT_NEGATIVE, self)
        dtype = checked_dtype(dtype, self)
        self.weight = Parameter(np.ones(self.num_channels), dtype=dtype) if affine else None
        self.bias = Parameter(np.zeros(self.num_channels), dtype=dtype) if affine else None

    def forward(self, x: Any) -> Any:
        """``x`` of shape (N, C, ...) keeps its shape."""
        x = as_recorded(x)
        shape = shape_of(x)
        if len(shape) < 2 or shape[1] != self.num_channels:
            raise ValueError(
                f"{self._title()} takes inputs of shape (N, {self.num_channels}, ...), not {describe(x)}"
            )
        return group_norm(x, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The groups and channels, and the settings that differ from their defaults."""
        options = f", eps={self.eps:g}" * (self.eps != 1e-5) + ", affine=False" * (self.weight is None)
        return f"{self.num_groups}, {self.num_channels}{options}"


class InstanceNorm(BatchNorm):
    """The base of the instance normalizations. A subclass sets the number of axes of its inputs."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        *,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype=dtype)

    def forward(self, x: Any) -> Any:
        """``x`` of shape (N, C, ...), or (C, ...) for one example, keeps its shape."""
        x = as_recorded(x)
        axes, shape = self.dimensions[-1], shape_of(x)
        if len(shape) not in self.dimensions or shape[-axes + 1] != self.num_features:
            raise ValueError(
                f"{self._title()} takes {self.layout.format(self.num_features)}, not {describe(x)}"
            )
        if len(shape) < axes:
            return self._normalized(reshape(x, shape=(1, *shape)))[0]
        return self._normalized(x)

    def _normalized(self, x: Any) -> Any:
        parts = self.running_mean, self.running_var, self.weight, self.bias
        uses_input_stats = self.training or self.running_mean is None
        return instance_norm(x, *parts, uses_input_stats, self.momentum or 0.0, self.eps)

    def extra_repr(self) -> str:
        """The channels, and the settings that differ from their defaults."""
        defaults = {
            "eps": (self.eps, 1e-5),
            "momentum": (self.momentum, 0.1),
            "affine": (self.weight is not None, False),
            "track_running_stats": (self.running_mean is not None, False),
        }
        options = "".join(
            f", {name}={value}" for name, (value, default) in defaults.items() if value != default
        )
        return f"{self.num_features}{options}"


class InstanceNorm1d(InstanceNorm):
    """Instance normalization for sequences of shape (N, C, L) or (C, L), see :class:`InstanceNorm2d`.

    >>> from autodiff import Tensor, nn
    >>> nn.InstanceNorm1d(2, eps=0.0)(Tensor([[[1.0, 3.0], [10.0, 30.0]]]))
    [[[-1  1]
      [-1  1]]]
    """

    dimensions: tuple[int, ...] = (2, 3)
    layout = "inputs of shape (N, {0}, L) or ({0}, L)"


class InstanceNorm2d(InstanceNorm):
    """Gives each channel of each picture mean 0 and variance 1 (Ulyanov, Vedaldi and Lempitsky, "Instance
    Normalization", 2016).

    By default there are no running statistics, and it computes the same in training and evaluation.

    Parameters
    ----------
    num_features
        The number of channels C.
    eps
        Added to the variance.
    momentum
        The weight of the new values in the running mean and variance; None does not update them.
    affine
        True adds a learned scale and shift per channel.
    track_running_stats
        True keeps a running mean and variance, which evaluation then uses.
    dtype
        The float dtype of parameters and running averages, float32 by default.

    Attributes
    ----------
    weight, bias
        Parameters of shape (C,), initially ones and zeros; None without ``affine``.
    running_mean, running_var, num_batches_tracked
        Buffers; None without ``track_running_stats``. The running variance is the unbiased one. As in
        PyTorch, ``num_batches_tracked`` stays 0.

    Raises
    ------
    TypeError, ValueError
        If ``eps`` or ``momentum`` is not a number in its range.
    ValueError
        At the call, if the input is not of shape (N, C, H, W) or (C, H, W), or a channel has a single value.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.InstanceNorm2d(1, eps=0.0)(Tensor([[[[1.0, 1.0], [3.0, 3.0]]], [[[5.0, 9.0], [5.0, 9.0]]]]))
    [[[[-1 -1]
       [ 1  1]]]
    <BLANKLINE>
    <BLANKLINE>
     [[[-1  1]
       [-1  1]]]]
    """

    dimensions: tuple[int, ...] = (3, 4)
    layout = "inputs of shape (N, {0}, H, W) or ({0}, H, W)"
