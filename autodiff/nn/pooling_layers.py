"""Pooling layers: MaxPool1d and MaxPool2d, AvgPool1d and AvgPool2d, their adaptive forms; and Unfold and
Fold. The functions that they call are in ``ops/pooling.py`` and ``ops/patches.py``."""

from __future__ import annotations

from typing import Any

from ..engine.operands import as_recorded
from ..engine.tensor import describe
from ..ops.patches import fold, unfold
from ..ops.pooling import avg_pool2d, max_pool2d
from ..ops.pooling_functions import adaptive_avg_pool1d, adaptive_avg_pool2d, avg_pool1d, max_pool1d
from ..ops.shaping import shape_of
from ..ops.windows import checked_sizes
from .module import Module


class Pool(Module):
    """The base of the pooling layers: it checks the settings when the layer is created."""

    axes = 2
    function: Any = None
    defaults: dict[str, Any] = {}  # noqa: RUF012  read, never written

    def _set_up(self, kernel_size: Any, stride: Any, padding: Any, **others: Any) -> None:
        """Check and store the settings."""
        self.kernel_size: Any = self._sizes(kernel_size, "kernel_size")
        self.stride: Any = self.kernel_size if stride is None else self._sizes(stride, "stride")
        self.padding: Any = self._sizes(padding, "padding", 0)
        for name, value in others.items():
            setattr(self, name, value)
        self._options = ("kernel_size", "stride", "padding", *others)

    def _sizes(self, value: Any, name: str, least: int = 1) -> Any:
        sizes = checked_sizes(value, f"{name} of {type(self).__name__}", self.axes, least)
        return sizes if self.axes == 2 else sizes[0]

    def forward(self, x: Any) -> Any:
        """``x`` of shape (N, C, H, W) or (C, H, W), or (N, C, L) or (C, L) for rows, keeps its channels."""
        x = as_recorded(x)
        if len(shape_of(x)) not in (self.axes + 1, self.axes + 2):
            sizes = "H, W" if self.axes == 2 else "L"
            raise ValueError(
                f"{self._title()} takes inputs of shape (N, C, {sizes}) or (C, {sizes}), not {describe(x)}"
            )
        return type(self).function(x, **{name: getattr(self, name) for name in self._options})

    def extra_repr(self) -> str:
        """The settings that differ from their defaults."""
        same = {"stride": self.kernel_size, "padding": self._sizes(0, "padding", 0)} | self.defaults
        values = {name: getattr(self, name) for name in self._options}
        return ", ".join(f"{k}={v}" for k, v in values.items() if k not in same or v != same[k])


class MaxPool(Pool):
    """The largest element of each window, for any number of axes."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        if return_indices:
            raise ValueError(f"{type(self).__name__} returns no indices: return_indices must be False")
        apart = self._sizes(dilation, "dilation")
        self.defaults: dict[str, Any] = {"dilation": self._sizes(1, "dilation"), "ceil_mode": False}
        self._set_up(kernel_size, stride, padding, dilation=apart, ceil_mode=bool(ceil_mode))


class MaxPool1d(MaxPool):
    """The largest element of each window of rows, (N, C, L) or (C, L); see :class:`MaxPool2d`.

    Example
    -------
    >>> from autodiff import nn
    >>> nn.MaxPool1d(2)([[1.0, 4.0, 2.0, 3.0]])
    array([[4., 3.]])
    """

    axes = 1
    function = max_pool1d


class MaxPool2d(MaxPool):
    """The largest element of each window of pictures, (N, C, H, W) or (C, H, W); equally large
    elements share the gradient.

    Parameters
    ----------
    kernel_size, stride, padding, dilation, ceil_mode
        See :func:`autodiff.max_pool2d`. The default stride is the kernel's size.
    return_indices
        Must be False: the indices of the largest elements are not returned.

    Raises
    ------
    TypeError, ValueError
        If a setting is not a whole number or a pair of them; at the call, if no window fits into the input.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> layer = nn.MaxPool2d(2)
    >>> layer
    MaxPool2d(kernel_size=(2, 2))
    >>> layer(Tensor(np.zeros((5, 3, 9, 8)))).shape
    (5, 3, 4, 4)
    """

    function = max_pool2d


class AvgPool1d(Pool):
    """The mean of each window of rows, (N, C, L) or (C, L); see :class:`AvgPool2d`.

    Example
    -------
    >>> from autodiff import nn
    >>> nn.AvgPool1d(2)([[1.0, 4.0, 2.0, 3.0]])
    array([[2.5, 2.5]])
    """

    axes = 1
    function = avg_pool1d
    defaults: dict[str, Any] = {"ceil_mode": False, "count_include_pad": True}  # noqa: RUF012

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        self._set_up(
            kernel_size, stride, padding, ceil_mode=bool(ceil_mode), count_include_pad=bool(count_include_pad)
        )


class AvgPool2d(Pool):
    """The mean of each window of pictures, (N, C, H, W) or (C, H, W).

    Parameters
    ----------
    kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        See :func:`autodiff.avg_pool2d`. The default stride is the kernel's size.

    Raises
    ------
    TypeError, ValueError
        If a setting is not a whole number or a pair of them; at the call, if no window fits into the input.

    Example
    -------
    >>> from autodiff import nn
    >>> nn.AvgPool2d((1, 2))([[[1.0, 4.0, 2.0, 3.0]]])
    array([[[2.5, 2.5]]])
    """

    function = avg_pool2d
    defaults: dict[str, Any] = {  # noqa: RUF012
        "ceil_mode": False, "count_include_pad": True, "divisor_override": None,
    }  # fmt: skip

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        self._set_up(
            kernel_size,
            stride,
            padding,
            ceil_mode=bool(ceil_mode),
            count_include_pad=bool(count_include_pad),
            divisor_override=divisor_override,
        )


class AdaptiveAvgPool2d(Module):
    """Average pooling to an output of a given size, for pictures of any size.

    Parameters
    ----------
    output_size
        A number or a pair; None keeps that of the picture. See :func:`autodiff.adaptive_avg_pool2d`.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> nn.AdaptiveAvgPool2d(1)(Tensor(np.ones((5, 3, 7, 9)))).shape
    (5, 3, 1, 1)
    """

    function: Any = adaptive_avg_pool2d

    def __init__(self, output_size: Any) -> None:
        self.output_size = output_size

    def forward(self, x: Any) -> Any:
        """``x`` of shape (N, C, H, W) or (C, H, W), or (N, C, L) or (C, L) for rows, keeps its channels."""
        return type(self).function(x, self.output_size)

    def extra_repr(self) -> str:
        """The size."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(AdaptiveAvgPool2d):
    """Adaptive average pooling of rows, (N, C, L) or (C, L); see :class:`AdaptiveAvgPool2d`.

    Example
    -------
    >>> from autodiff import nn
    >>> nn.AdaptiveAvgPool1d(2)([[1.0, 2.0, 3.0, 4.0]])
    array([[1.5, 3.5]])
    """

    function = adaptive_avg_pool1d


class Unfold(Module):
    """The windows of pictures as columns, (N, C * height * width, windows); see :func:`autodiff.unfold`.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> nn.Unfold(3, padding=1)(Tensor(np.zeros((2, 3, 8, 8)))).shape
    (2, 27, 64)
    """

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        self._settings = {
            "kernel_size": kernel_size,
            "dilation": dilation,
            "padding": padding,
            "stride": stride,
        }

    def forward(self, x: Any) -> Any:
        """``x`` of shape (N, C, H, W), or without N."""
        return unfold(as_recorded(x), **self._settings)

    def extra_repr(self) -> str:
        """The settings."""
        return ", ".join(f"{name}={value}" for name, value in self._settings.items())


class Fold(Module):
    """Pictures from columns, added up where windows overlap, ``(N, C, *output_size)``: the adjoint of
    :class:`Unfold`; see :func:`autodiff.fold`.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> nn.Fold(8, 3, padding=1)(Tensor(np.zeros((2, 27, 64)))).shape
    (2, 3, 8, 8)
    """

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        self._settings = {"output_size": output_size, "kernel_size": kernel_size}
        self._settings |= {"dilation": dilation, "padding": padding, "stride": stride}

    def forward(self, x: Any) -> Any:
        """``x`` of shape (N, C * height * width, windows), or without N."""
        return fold(as_recorded(x), **self._settings)

    def extra_repr(self) -> str:
        """The settings."""
        return ", ".join(f"{name}={value}" for name, value in self._settings.items())
