"""Convolutional layers: Conv1d and Conv2d, and their transposes, which return larger pictures. The functions
that they call are in ``ops/convolution_functions.py``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import seeding
from ..checks import checked_integer
from ..engine import locking
from ..engine.operands import as_recorded
from ..engine.tensor import describe
from ..ops import indexing
from ..ops.convolution_functions import checked_padding, conv1d, conv2d, conv_transpose1d, conv_transpose2d
from ..ops.shaping import shape_of
from ..ops.windows import Windows, checked_sizes
from . import init
from .checks import checked_dtype
from .module import Module
from .parameter import Parameter

MODES = {"zeros": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


class Convolution(Module):
    """The base of the convolutional layers. A subclass sets the number of axes of its kernel, and whether it
    is transposed."""

    axes = 2
    is_transposed = False
    padding: str | tuple[int, ...]
    weight: Parameter
    bias: Parameter | None

    def _set_up(
        self,
        channels: tuple[int | None, int],
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        groups: int,
        bias: bool,
        dtype: Any,
        generator: np.random.Generator | int | None,
    ) -> None:
        """Check and store the settings, and create the parameters."""
        self.in_channels = None if channels[0] is None else checked_integer("in_channels", channels[0], self)
        self.out_channels: int = checked_integer("out_channels", channels[1], self)
        self.groups: int = checked_integer("groups", groups, self)
        self.kernel_size: tuple[int, ...] = self._sizes(kernel_size, "kernel_size")
        self.stride: tuple[int, ...] = self._sizes(stride, "stride")
        self.dilation: tuple[int, ...] = self._sizes(dilation, "dilation")
        self.padding = padding if isinstance(padding, str) else self._sizes(padding, "padding", 0)
        if padding not in ("same", "valid") and isinstance(padding, str):
            raise ValueError(f"padding of {self._kind} must be a number, 'same' or 'valid', not {padding!r}")
        for name, count in (("in_channels", self.in_channels), ("out_channels", self.out_channels)):
            if count is not None and count % self.groups:
                raise ValueError(
                    f"{name} of {self._kind} must be a multiple of groups={self.groups}, not {count}"
                )
        self._generator = None if generator is None else seeding.generator(generator)
        dtype = checked_dtype(dtype, self)
        self.weight = Parameter(np.zeros(self._weight_shape(self.in_channels or 0)), dtype=dtype)
        self.bias = Parameter(np.zeros(self.out_channels), dtype=dtype) if bias else None
        self.reset_parameters()

    @property
    def _kind(self) -> str:
        return type(self).__name__

    def _sizes(self, value: Any, name: str, least: int = 1) -> tuple[int, ...]:
        return checked_sizes(value, f"{name} of {self._kind}", self.axes, least)

    def _weight_shape(self, in_channels: int) -> tuple[int, ...]:
        if self.is_transposed:
            return in_channels, self.out_channels // self.groups, *self.kernel_size
        return self.out_channels, in_channels // self.groups, *self.kernel_size

    def reset_parameters(self) -> None:
        """Draw new weights and biases."""
        if self.in_channels is not None:
            self._draw_parameters()

    def _draw_parameters(self) -> None:
        bound = 1 / math.sqrt(init.calculate_fans(self.weight)[0])
        init.uniform_(self.weight, -bound, bound, generator=self._generator)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound, generator=self._generator)

    def _check(self, x: Any) -> None:
        """Raise ValueError unless x fits. The first x sets a number of channels that was left open."""
        shape, sizes = shape_of(x), "H, W" if self.axes == 2 else "L"
        channels = shape[-self.axes - 1] if len(shape) in (self.axes + 1, self.axes + 2) else 0
        if self.in_channels is None and channels and channels % self.groups == 0:
            with locking.shared:
                if self.in_channels is None:  # no other thread has set it meanwhile
                    self.weight._value = np.zeros(self._weight_shape(channels), self.weight.dtype)
                    self._draw_parameters()
                    self.in_channels = channels  # last, since other threads check it
        if channels != self.in_channels or not channels:
            wanted = "C" if self.in_channels is None else self.in_channels
            raise ValueError(
                f"{self._title()} takes inputs of shape (N, {wanted}, {sizes}) or ({wanted}, {sizes}), not "
                f"{describe(x)}"
            )

    def _widen(self, in_channels: int) -> None:
        """Set the number of input channels. The weight stays the same object, which optimizers hold."""
        self.in_channels = in_channels
        self.weight._value = np.zeros(self._weight_shape(in_channels), self.weight.dtype)

    def _channels_of(self, saved: tuple[int, ...]) -> int:
        """The number of input channels for a weight of this shape; 0 if the shape does not fit."""
        if len(saved) != self.axes + 2:
            return 0
        return saved[0] if self.is_transposed else saved[1] * self.groups

    def _shape_for(self, name: str, saved: tuple[int, ...]) -> tuple[int, ...]:
        if name == "weight" and self.in_channels is None and self._channels_of(saved):
            return self._weight_shape(self._channels_of(saved))
        return super()._shape_for(name, saved)

    def _load(self, name: str, value: np.ndarray) -> None:
        if name == "weight" and self.in_channels is None and self._channels_of(value.shape):
            self._widen(self._channels_of(value.shape))
        super()._load(name, value)

    def extra_repr(self) -> str:
        """Channels and kernel, and the settings that differ from their defaults."""
        defaults = {"stride": 1, "padding": 0, "output_padding": 0, "dilation": 1}
        given = [
            f"{name}={value!r}"
            for name, default in defaults.items()
            if (value := getattr(self, name, None)) not in (None, (default,) * self.axes)
        ]
        inputs = [] if self.in_channels is None else [str(self.in_channels)]
        parts = [*inputs, str(self.out_channels), f"kernel_size={self.kernel_size}", *given]
        parts += [f"groups={self.groups}"] * (self.groups > 1) + ["bias=False"] * (self.bias is None)
        mode = getattr(self, "padding_mode", "zeros")
        return ", ".join(parts + [f"padding_mode={mode!r}"] * (mode != "zeros"))


class PlainConvolution(Convolution):
    """The base of the convolutions that are not transposed."""

    function: Any = None

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        *,
        dtype: Any = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        if padding_mode not in MODES:
            raise ValueError(
                f"padding_mode of {self._kind} must be one of {', '.join(MODES)}, not {padding_mode!r}"
            )
        self.padding_mode = padding_mode
        channels = in_channels, out_channels
        self._set_up(channels, kernel_size, stride, padding, dilation, groups, bias, dtype, generator)

    def forward(self, x: Any) -> Any:
        """``x`` of shape (N, in_channels, ...), or without N, becomes (N, out_channels, ...)."""
        x = as_recorded(x)
        self._check(x)
        parts = self.weight, self.bias, self.stride
        if self.padding_mode != "zeros":
            return type(self).function(self._padded(x), *parts, 0, self.dilation, self.groups)
        return type(self).function(x, *parts, self.padding, self.dilation, self.groups)

    def _padded(self, x: Any) -> Any:
        """The input, padded with its own elements."""
        size = shape_of(x)[-self.axes :]
        one, none = (1,) * (2 - self.axes), ((0, 0),) * (2 - self.axes)
        windows = Windows(
            one + self.kernel_size, one + self.stride, one + self.dilation, (*none, *none), one + size
        )
        padding = self.padding if isinstance(self.padding, str) else (0,) * (2 - self.axes) + self.padding
        pads = checked_padding(padding, windows, self._kind)[-self.axes :]
        widths = ((0, 0),) * (len(shape_of(x)) - self.axes) + pads
        return indexing.pad(x, pad_width=widths, mode=MODES[self.padding_mode])


class Conv1d(PlainConvolution):
    """Convolution of rows of shape (N, C, L) with learned kernels; see :class:`Conv2d`.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> layer = nn.Conv1d(3, 8, 5, stride=2)
    >>> layer
    Conv1d(3, 8, kernel_size=(5,), stride=(2,))  # weight (8, 3, 5), bias (8,): 128 parameters
    >>> layer(Tensor(np.zeros((2, 3, 11)))).shape
    (2, 8, 4)
    """

    axes = 1
    function = conv1d


class Conv2d(PlainConvolution):
    """Convolution of pictures of shape (N, C, H, W), or (C, H, W), with learned kernels (LeCun et al.,
    "Backpropagation Applied to Handwritten Zip Code Recognition", 1989).

    Parameters
    ----------
    in_channels, out_channels
        The numbers of channels of input and output. None for ``in_channels`` takes it from the first input.
    kernel_size, stride, padding, dilation, groups
        See :func:`autodiff.conv2d`: numbers or pairs; padding may be "same" or "valid".
    bias
        False leaves the bias out.
    padding_mode
        The values of the padding: "zeros", or the picture's own pixels: mirrored ("reflect"), those of the
        edge repeated ("replicate"), or those of the opposite end ("circular").
    dtype
        Of weight and bias: float32, or another kind of float.
    generator
        A ``numpy.random.Generator`` or a seed; None uses the package's generator, see ``ad.seed``. Weight
        and bias are drawn uniformly between ±1/sqrt(fan_in), as in PyTorch, where fan_in is
        in_channels / groups * height * width.

    Attributes
    ----------
    weight, bias
        Parameters of shape (out_channels, in_channels / groups, height, width) and (out_channels,).

    Raises
    ------
    TypeError, ValueError
        If a setting is not a whole number where one is needed, or the groups do not divide the channels.
    ValueError
        At the call, if the input has another number of channels, or is smaller than the kernel.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> layer = nn.Conv2d(1, 32, 3)
    >>> layer
    Conv2d(1, 32, kernel_size=(3, 3))  # weight (32, 1, 3, 3), bias (32,): 320 parameters
    >>> layer(Tensor(np.zeros((2, 1, 28, 28)))).shape
    (2, 32, 26, 26)
    """

    function = conv2d


class TransposedConvolution(Convolution):
    """The base of the transposed convolutions."""

    is_transposed = True
    function: Any = None

    def __init__(
        self,
        in_channels: int | None,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        *,
        dtype: Any = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f"padding_mode of {self._kind} must be 'zeros', not {padding_mode!r}")
        self.output_padding: tuple[int, ...] = self._sizes(output_padding, "output_padding", 0)
        channels = in_channels, out_channels
        self._set_up(channels, kernel_size, stride, padding, dilation, groups, bias, dtype, generator)

    def forward(self, x: Any, output_size: Any = None) -> Any:
        """``x`` of shape (N, in_channels, ...), or without N, becomes (N, out_channels, ...), with the
        height and width ``output_size`` if it is given."""
        x = as_recorded(x)
        self._check(x)
        more = self.output_padding if output_size is None else self._output_padding_for(x, output_size)
        parts = self.stride, self.padding, more, self.groups, self.dilation
        return type(self).function(x, self.weight, self.bias, *parts)

    def _output_padding_for(self, x: Any, output_size: Any) -> tuple[int, ...]:
        """The output padding that gives an output of this size."""
        if isinstance(self.padding, str):
            raise ValueError(
                f"{self._title()} takes an output_size only if its padding is a number, not a word"
            )
        wanted = self._sizes(output_size, "output_size")
        axes = zip(shape_of(x)[-self.axes :], self.stride, self.padding, self.dilation, self.kernel_size)
        least = tuple((n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in axes)
        room = tuple(max(s, d) for s, d in zip(self.stride, self.dilation))
        if any(not 0 <= n - m < r for n, m, r in zip(wanted, least, room)):
            most = tuple(m + r - 1 for m, r in zip(least, room))
            raise ValueError(
                f"output_size of {self._title()} must be from {least} to {most} here, not {wanted}"
            )
        return tuple(n - m for n, m in zip(wanted, least))


class ConvTranspose1d(TransposedConvolution):
    """Transposed convolution of rows of shape (N, C, L); see :class:`ConvTranspose2d`.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> nn.ConvTranspose1d(8, 3, 4, stride=2, padding=1)(Tensor(np.zeros((2, 8, 5)))).shape
    (2, 3, 10)
    """

    axes = 1
    function = conv_transpose1d


class ConvTranspose2d(TransposedConvolution):
    """Transposed convolution: it maps the output of a :class:`Conv2d` with the same settings to pictures of
    the size of its input (Zeiler et al., "Deconvolutional Networks", 2010).

    Parameters
    ----------
    in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, dtype, generator
        As for :class:`Conv2d`; see :func:`autodiff.conv_transpose2d`.
    output_padding
        The number of rows and columns added at the end, as a convolution with a stride maps pictures of
        several sizes to the same size. The call takes an ``output_size`` instead.
    padding_mode
        "zeros".

    Attributes
    ----------
    weight, bias
        Parameters of shape (in_channels, out_channels / groups, height, width) and (out_channels,).

    Raises
    ------
    TypeError, ValueError
        As for :class:`Conv2d`.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> layer = nn.ConvTranspose2d(8, 3, 4, stride=2, padding=1)
    >>> layer(Tensor(np.zeros((2, 8, 14, 14)))).shape
    (2, 3, 28, 28)
    """

    function = conv_transpose2d


class LazyConv1d(Conv1d):
    """A :class:`Conv1d` that takes its ``in_channels`` from the first input, or from a saved weight."""

    def __init__(self, out_channels: int, kernel_size: Any, *args: Any, **options: Any) -> None:
        super().__init__(None, out_channels, kernel_size, *args, **options)


class LazyConv2d(Conv2d):
    """A :class:`Conv2d` that takes its ``in_channels`` from the first input, or from a saved weight.

    Until then its weight is empty. The Parameters stay the same objects, so an optimizer can be made before
    the first call.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> layer = nn.LazyConv2d(32, 3)
    >>> layer.weight.shape
    (32, 0, 3, 3)
    >>> layer(Tensor(np.zeros((2, 1, 28, 28)))).shape, layer.weight.shape
    ((2, 32, 26, 26), (32, 1, 3, 3))
    """

    def __init__(self, out_channels: int, kernel_size: Any, *args: Any, **options: Any) -> None:
        super().__init__(None, out_channels, kernel_size, *args, **options)


class LazyConvTranspose1d(ConvTranspose1d):
    """A :class:`ConvTranspose1d` that takes its ``in_channels`` from the first input, or from a saved
    weight."""

    def __init__(self, out_channels: int, kernel_size: Any, *args: Any, **options: Any) -> None:
        super().__init__(None, out_channels, kernel_size, *args, **options)


class LazyConvTranspose2d(ConvTranspose2d):
    """A :class:`ConvTranspose2d` that takes its ``in_channels`` from the first input, or from a saved
    weight."""

    def __init__(self, out_channels: int, kernel_size: Any, *args: Any, **options: Any) -> None:
        super().__init__(None, out_channels, kernel_size, *args, **options)
