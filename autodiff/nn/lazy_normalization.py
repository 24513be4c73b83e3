"""Normalization layers that take their number of channels from the first input, like PyTorch's lazy
modules."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import locking
from ..engine.operands import as_recorded
from ..engine.tensor import describe
from ..ops.shaping import shape_of
from .group_normalization import BatchNorm2d, InstanceNorm1d, InstanceNorm2d
from .normalization import BatchNorm, BatchNorm1d


class LazyChannels(BatchNorm):
    """The base of the lazy layers: a normalization that takes its number of channels from the first input.

    Until the first call its parameters and running averages are empty. They stay the same objects, so an
    optimizer can be created before the first call. ``load_state_dict`` also sets the number of channels.
    """

    channel_axis = 1

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        *,
        dtype: Any = None,
    ) -> None:
        super().__init__(1, eps, momentum, affine, track_running_stats, dtype=dtype)
        self._widen(0)

    def _widen(self, count: int) -> None:
        """Set the number of channels, and initialize parameters and running averages."""
        starts = (self.weight, 1), (self.bias, 0), (self.running_mean, 0), (self.running_var, 1)
        for part, start in starts:
            if part is not None:
                part._value = np.full(count, start, part.dtype)
        self.num_features: int | None = count or None  # type: ignore[assignment]

    def forward(self, x: Any) -> Any:
        """The result has the shape of ``x``. The first ``x`` sets the number of channels."""
        x = as_recorded(x)
        shape = shape_of(x)
        if self.num_features is None:
            if len(shape) not in self.dimensions or not shape[self.channel_axis]:
                raise ValueError(f"{self._title()} takes {self.layout.format('C')}, not {describe(x)}")
            with locking.shared:
                if self.num_features is None:  # no other thread has set it meanwhile
                    self._widen(shape[self.channel_axis])
        return super().forward(x)

    def _shape_for(self, name: str, saved: tuple[int, ...]) -> tuple[int, ...]:
        if self.num_features is None and len(saved) == 1:
            return saved
        return super()._shape_for(name, saved)

    def _load(self, name: str, value: np.ndarray) -> None:
        if self.num_features is None and value.ndim == 1 and value.size:
            self._widen(len(value))
        super()._load(name, value)

    def extra_repr(self) -> str:
        """The channels, once they are known, and the settings that differ from their defaults."""
        return super().extra_repr().removeprefix("None").removeprefix(", ")


class LazyBatchNorm1d(LazyChannels, BatchNorm1d):
    """A :class:`BatchNorm1d` that takes its number of channels from the first input.

    >>> from autodiff import Tensor, nn
    >>> layer = nn.LazyBatchNorm1d()
    >>> layer(Tensor([[1.0, 10.0], [3.0, 30.0]])).shape, layer
    ((2, 2), LazyBatchNorm1d(2)  # weight (2,), bias (2,): 4 parameters)
    """


class LazyBatchNorm2d(LazyChannels, BatchNorm2d):
    """A :class:`BatchNorm2d` that takes its number of channels from the first input.

    >>> import numpy as np
    >>> from autodiff import nn
    >>> layer = nn.LazyBatchNorm2d()
    >>> layer(np.ones((2, 3, 4, 4))).shape, layer.weight.shape
    ((2, 3, 4, 4), (3,))
    """


class LazyInstanceNorm1d(LazyChannels, InstanceNorm1d):
    """An :class:`InstanceNorm1d` that takes its number of channels from the first input. As in PyTorch, it
    has a learned scale and shift and running statistics by default.

    >>> import numpy as np
    >>> from autodiff import nn
    >>> layer = nn.LazyInstanceNorm1d()
    >>> layer(np.ones((2, 3, 4))).shape, layer.weight.shape
    ((2, 3, 4), (3,))
    """

    channel_axis = -2


class LazyInstanceNorm2d(LazyChannels, InstanceNorm2d):
    """An :class:`InstanceNorm2d` that takes its number of channels from the first input. As in PyTorch, it
    has a learned scale and shift and running statistics by default.

    >>> import numpy as np
    >>> from autodiff import nn
    >>> layer = nn.LazyInstanceNorm2d()
    >>> layer(np.ones((2, 3, 4, 4))).shape, layer.weight.shape
    ((2, 3, 4, 4), (3,))
    """

    channel_axis = -3
