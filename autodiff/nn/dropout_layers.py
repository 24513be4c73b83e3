"""Dropout: in training, random elements of the input are set to zero. The function ``dropout`` does the
same."""

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

from typing import Any

import numpy as np

from .. import seeding
from ..checks import UP_TO_1, checked_number
from ..engine.operands import as_recorded
from ..engine.tensor import Tensor, raw
from .module import Module


def dropout(
    input: Any,
    p: float = 0.5,
    training: bool = True,
    *,
    generator: np.random.Generator | int | None = None,
) -> Any:
    """Set each element to zero with probability ``p`` and multiply the others by 1/(1-p); see
    :class:`Dropout`.

    Parameters
    ----------
    input
        Of any shape.
    p
        The probability, between 0 and 1.
    training
        With False, the input itself is returned. Inside a module: ``F.dropout(x, training=self.training)``.
    generator
        A ``numpy.random.Generator`` or a seed; None uses the package's generator, see ``ad.seed``.

    Raises
    ------
    TypeError, ValueError
        If ``p`` is not a number between 0 and 1.

    Example
    -------
    >>> from autodiff.nn import functional as F
    >>> F.dropout([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], generator=0)
    array([2., 4., 6., 0., 0., 0.])
    >>> F.dropout([1.0, 2.0], training=False)
    [1.0, 2.0]
    """
    p = checked_number("p", p, UP_TO_1, owner="dropout")
    if not training or p == 0:
        return input
    x = as_recorded(input)
    values = x if isinstance(x, Tensor) else np.asarray(raw(x))
    dtype = values.dtype if values.dtype.kind == "f" else np.dtype(float)
    drawn = seeding.generator(generator).random(values.shape, dtype=np.float32)
    keep = np.asarray(drawn >= p, dtype)
    return x * (keep / (1 - p) if p < 1 else keep)


class Dropout(Module):
    """Sets each element to zero with probability ``p`` and multiplies the others by 1/(1-p), which keeps the
    mean; in evaluation it returns its input (Srivastava et al., "Dropout: A Simple Way to Prevent Neural
    Networks from Overfitting", 2014).

    Every call draws a new mask. The mask is a constant operand of a product, which pictures show.

    Parameters
    ----------
    p
        The probability, between 0 and 1.
    inplace
        Accepted for networks written for PyTorch. It has no effect: no operation overwrites its input.
    generator
        A ``numpy.random.Generator`` or a seed, used by all calls in turn; None uses the package's generator,
        see ``ad.seed``.

    Raises
    ------
    TypeError, ValueError
        If ``p`` is not a number between 0 and 1.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> layer = nn.Dropout(0.5, generator=0)
    >>> x = Tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> layer(x)
    [2 4 6 0 0 0]
    >>> layer(x)
    [ 0  0  0  8 10 12]
    >>> layer.eval()(x) is x
    True
    """

    def __init__(
        self, p: float = 0.5, inplace: bool = False, *, generator: np.random.Generator | int | None = None
    ) -> None:
        self.p = checked_number("p", p, UP_TO_1, owner=self)
        self._generator = None if generator is None else seeding.generator(generator)

    def forward(self, x: Any) -> Any:
        """``x`` of any shape; in evaluation, ``x`` itself is returned."""
        return dropout(x, self.p, self.training, generator=self._generator)

    def extra_repr(self) -> str:
        """The setting ``p``."""
        return f"p={self.p:g}"
