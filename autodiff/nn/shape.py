"""Layers that change the shape of each example: Flatten and Reshape."""

from __future__ import annotations

import math
from typing import Any

from ..checks import checked_integer
from ..engine.operands import as_recorded
from ..engine.tensor import describe
from ..ops.shaping import flatten, reshape, shape_of
from .module import Module


class Flatten(Module):
    """Merges the axes from ``start_dim`` to ``end_dim`` into one; by default all but the first, the batch.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> nn.Flatten()(Tensor(np.zeros((5, 2, 3)))).shape
    (5, 6)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, x: Any) -> Any:
        """``x`` of any shape. Raises ValueError if ``x`` has too few axes."""
        return flatten(as_recorded(x), start_dim=self.start_dim, end_dim=self.end_dim)

    def extra_repr(self) -> str:
        """The settings ``start_dim`` and ``end_dim``."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Reshape(Module):
    """Gives each example of a batch another shape; the first axis, the batch, is kept.

    Parameters
    ----------
    shape
        The sizes of the other axes, one of which may be -1: ``Reshape(1, 28, 28)``.

    Raises
    ------
    TypeError, ValueError
        If a size is not a whole number of at least -1, or more than one is -1.
    ValueError
        At the call, if the elements of an example do not fit.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> nn.Reshape(2, -1)(Tensor(np.zeros((5, 6)))).shape
    (5, 2, 3)
    """

    shape: tuple[int, ...]

    def __init__(self, *shape: Any) -> None:
        sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        self.shape = tuple(checked_integer("a size", size, self, minimum=-1) for size in sizes)
        if self.shape.count(-1) > 1:
            raise ValueError(f"only one size of Reshape may be -1, but the sizes are {self.shape}")

    def forward(self, x: Any) -> Any:
        """``x`` of shape (N, ...) gives ``(N, *shape)``."""
        x = as_recorded(x)
        batch, *sizes = shape_of(x) or (0,)
        known = math.prod(size for size in self.shape if size != -1)
        count = math.prod(sizes)
        fits = known and count % known == 0 if -1 in self.shape else known == count
        if not shape_of(x) or not fits:
            raise ValueError(
                f"{self._title()} cannot take {describe(x)}: {count} elements per example do not fit"
            )
        inferred = count // known if known else 0
        return reshape(x, shape=(batch, *(inferred if size == -1 else size for size in self.shape)))

    def extra_repr(self) -> str:
        """The shape of an example."""
        return ", ".join(map(str, self.shape))
