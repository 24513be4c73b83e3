"""Positional encodings: SinusoidalPositions and LearnedPositions add a vector for each position of a
sequence, as attention by itself does not depend on the order of positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import seeding
from ..checks import checked_integer
from ..engine.operands import as_recorded
from ..engine.tensor import Tensor, describe
from ..ops.shaping import expand_dims, shape_of
from . import init
from .checks import checked_dtype
from .module import Module
from .parameter import Parameter


def sinusoids(length: int, width: int) -> np.ndarray:
    """The sines and cosines of each position, with wavelengths from 2 pi to 10,000 * 2 pi, side by side in
    pairs: an array of shape (length, width).

    >>> from autodiff.nn.positions import sinusoids
    >>> sinusoids(2, 4).round(3)
    array([[0.   , 1.   , 0.   , 1.   ],
           [0.841, 0.54 , 0.01 , 1.   ]])
    """
    pair = np.arange(width) // 2
    angles = np.arange(length)[:, None] * 10_000.0 ** (-2 * pair / width)
    return np.where(np.arange(width) % 2 == 0, np.sin(angles), np.cos(angles))


class Positions(Module):
    """The base of both layers: it adds a table with a row for each position to the sequence."""

    def _set_up(self, max_len: int, embed_dim: int, batch_first: bool) -> tuple[int, int]:
        self.max_len: int = checked_integer("max_len", max_len, self)
        self.embed_dim: int = checked_integer("embed_dim", embed_dim, self)
        self.batch_first = batch_first
        return self.max_len, self.embed_dim

    def _added(self, x: Any, table: Any) -> Any:
        x = as_recorded(x)
        shape = shape_of(x)
        axis = 0 if len(shape) == 2 or not self.batch_first else 1
        if len(shape) not in (2, 3) or shape[-1] != self.embed_dim or shape[axis] > self.max_len:
            layout = "(N, L, {0})" if self.batch_first else "(L, N, {0})"
            is_other = len(shape) == 3 and shape[-1] == self.embed_dim and shape[1 - axis] <= self.max_len
            hint = f". For the other order give batch_first={not self.batch_first}" if is_other else ""
            raise ValueError(
                f"{self._title()} takes sequences of shape {layout.format(self.embed_dim)} or "
                f"(L, {self.embed_dim}) with at most {self.max_len} positions, not {describe(x)}{hint}"
            )
        rows = table[: shape[axis]]
        return x + (expand_dims(rows, axis=1) if len(shape) == 3 and axis == 0 else rows)

    def extra_repr(self) -> str:
        """The number of positions, the width, and ``batch_first`` if it is True."""
        return f"{self.max_len}, {self.embed_dim}" + ", batch_first=True" * self.batch_first


class SinusoidalPositions(Positions):
    """Adds the sines and cosines of each position to a sequence, with wavelengths from 2 pi to 10,000 * 2 pi
    (Vaswani et al., "Attention Is All You Need", 2017). It has no parameters, and its table is not saved.

    Parameters
    ----------
    max_len, embed_dim
        The largest length of a sequence, and the width.
    batch_first
        True takes (N, L, E) instead of (L, N, E).

    Raises
    ------
    ValueError
        At the call, if the sequence is longer, or has another width.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.SinusoidalPositions(10, 4)(Tensor([[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]))
    [[         0          1          0          1]
     [  0.841471   0.540302 0.00999983    0.99995]]
    """

    table: Tensor

    def __init__(self, max_len: int, embed_dim: int, batch_first: bool = False, *, dtype: Any = None) -> None:
        table = sinusoids(*self._set_up(max_len, embed_dim, batch_first))
        self.register_buffer("table", table.astype(checked_dtype(dtype, self)), persistent=False)

    def forward(self, x: Any) -> Any:
        """``x`` of shape (L, N, E), (N, L, E) with ``batch_first``, or (L, E) keeps its shape."""
        return self._added(x, self.table)


class LearnedPositions(Positions):
    """Adds a learned vector for each position to a sequence, as in GPT.

    Parameters
    ----------
    max_len, embed_dim
        The largest length of a sequence, and the width.
    batch_first
        True takes (N, L, E) instead of (L, N, E).
    dtype
        The float dtype of the table, float32 by default.
    generator
        A ``numpy.random.Generator`` or a seed; None uses the package's generator. The table is drawn from a
        normal distribution of standard deviation 0.02.

    Attributes
    ----------
    weight
        A Parameter of shape (max_len, embed_dim).

    Raises
    ------
    ValueError
        At the call, if the sequence is longer, or has another width.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> layer = nn.LearnedPositions(10, 4)
    >>> layer(Tensor([[0.0, 0.0, 0.0, 0.0]])).shape, layer.weight.shape
    ((1, 4), (10, 4))
    """

    weight: Parameter

    def __init__(
        self,
        max_len: int,
        embed_dim: int,
        batch_first: bool = False,
        *,
        dtype: Any = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        shape = self._set_up(max_len, embed_dim, batch_first)
        self._generator = None if generator is None else seeding.generator(generator)
        self.weight = Parameter(np.zeros(shape), dtype=checked_dtype(dtype, self))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw a new table."""
        init.normal_(self.weight, 0.0, 0.02, generator=self._generator)

    def forward(self, x: Any) -> Any:
        """``x`` of shape (L, N, E), (N, L, E) with ``batch_first``, or (L, E) keeps its shape."""
        return self._added(x, self.weight)
