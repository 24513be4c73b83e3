"""Dropout: in training, random elements of the input are set to zero; Dropout2d does so with whole channels.
The functions ``dropout`` and ``dropout2d`` do the same."""

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

from typing import Any

import numpy as np

from .. import seeding
from ..checks import UP_TO_1, checked_number
from ..engine.operands import as_recorded
from ..engine.tensor import Tensor, describe, raw
from ..engine.values import as_array
from ..ops.shaping import shape_of
from .module import Module


def dropout(
    input: Any,
    p: float = 0.5,
    training: bool = True,
    *,
    generator: np.random.Generator | int | None = None,
) -> Any:
    """Set each element to zero with probability ``p`` and multiply the others by 1/(1-p); see
    :class:`~autodiff.nn.Dropout`.

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
    return masked(x, p, np.shape(raw(x)), generator)


def dropout2d(
    input: Any,
    p: float = 0.5,
    training: bool = True,
    *,
    generator: np.random.Generator | int | None = None,
) -> Any:
    """Set each channel to zero with probability ``p`` and multiply the others by 1/(1-p); see
    :class:`~autodiff.nn.Dropout2d`. The arguments are those of :func:`dropout`, for an input of shape
    (N, C, ...).

    Raises TypeError or ValueError if ``p`` is not a number between 0 and 1, and ValueError if the input has
    no axes after the channels.

    >>> import numpy as np
    >>> from autodiff.nn import functional as F
    >>> F.dropout2d(np.ones((1, 4, 1, 2)), generator=0).tolist()
    [[[[2.0, 2.0]], [[2.0, 2.0]], [[2.0, 2.0]], [[0.0, 0.0]]]]
    """
    p = checked_number("p", p, UP_TO_1, owner="dropout2d")
    x = as_recorded(input)
    shape = shape_of(x)
    if len(shape) < 3:
        raise ValueError(f"dropout2d takes inputs of shape (N, C, H, W) or (N, C, L), not {describe(x)}")
    if not training or p == 0:
        return input
    return masked(x, p, shape[:2] + (1,) * (len(shape) - 2), generator)


def masked(x: Any, p: float, shape: tuple[int, ...], generator: Any) -> Any:
    """``x`` times a random mask of the given shape: 0 with probability ``p``, 1/(1-p) otherwise."""
    values = x if isinstance(x, Tensor) else as_array(raw(x))
    dtype = values.dtype if values.dtype.kind == "f" else np.dtype(float)
    drawn = seeding.generator(generator).random(shape, dtype=np.float32)
    keep = (drawn >= p).astype(dtype)
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
        self.p: float = checked_number("p", p, UP_TO_1, owner=self)
        self._generator = None if generator is None else seeding.generator(generator)

    def forward(self, x: Any) -> Any:
        """``x`` of any shape; in evaluation, ``x`` itself is returned."""
        return dropout(x, self.p, self.training, generator=self._generator)

    def extra_repr(self) -> str:
        """The setting ``p``."""
        return f"p={self.p:g}"


class Dropout2d(Dropout):
    """Sets whole channels of each example to zero with probability ``p`` and multiplies the others by 1/(1-p)
    (Tompson et al., "Efficient Object Localization Using Convolutional Networks", 2015). Neighbouring pixels
    are similar, so setting single ones to zero would hide little.

    Parameters, errors and evaluation are those of :class:`Dropout`; the input is of shape (N, C, H, W), or
    (N, C, L).

    >>> import numpy as np
    >>> from autodiff import nn
    >>> nn.Dropout2d(0.5, generator=0)(np.ones((1, 4, 1, 2))).tolist()
    [[[[2.0, 2.0]], [[2.0, 2.0]], [[2.0, 2.0]], [[0.0, 0.0]]]]
    """

    def forward(self, x: Any) -> Any:
        """``x`` of shape (N, C, ...); in evaluation, ``x`` itself is returned."""
        return dropout2d(x, self.p, self.training, generator=self._generator)
