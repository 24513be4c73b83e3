"""Dropout: in training, some of the inputs are left out by chance. ``dropout`` is the same as a function."""

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

from typing import Any

import numpy as np

from .. import seeding
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
        The probability, from 0 to 1.
    training
        False returns the input itself. Inside a module: ``F.dropout(x, training=self.training)``.
    generator
        A ``numpy.random.Generator`` or a seed; None draws from the package's, see ``ad.seed``.

    Raises
    ------
    ValueError
        If ``p`` is not between 0 and 1.

    Example
    -------
    >>> from autodiff.nn import functional as F
    >>> F.dropout([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], generator=0)
    array([2., 4., 6., 0., 0., 0.])
    >>> F.dropout([1.0, 2.0], training=False)
    [1.0, 2.0]
    """
    check_probability(p, "dropout")
    if not training or p == 0:
        return input
    x = as_recorded(input)
    values = x if isinstance(x, Tensor) else np.asarray(raw(x))
    dtype = values.dtype if values.dtype.kind == "f" else np.dtype(float)
    drawn = seeding.generator(generator).random(values.shape, dtype=np.float32)
    keep = np.asarray(drawn >= p, dtype)
    return x * (keep / (1 - p) if p < 1 else keep)


def check_probability(p: Any, owner: str) -> float:
    """A probability as a float. Raises ValueError if it is not between 0 and 1."""
    if not 0 <= p <= 1:
        raise ValueError(f"p of {owner} is a probability, from 0 to 1, not {p}")
    return float(p)


class Dropout(Module):
    """Sets each element to zero with probability ``p`` and multiplies the others by 1/(1-p), so that the mean
    stays; in evaluation it hands its input on (Srivastava et al., "Dropout", 2014).

    What is left out is drawn anew at every call. The mask is a constant operand of a product, which a picture
    shows.

    Parameters
    ----------
    p
        The probability, from 0 to 1.
    inplace
        For networks written for PyTorch; it has no effect, since no operation writes over its input.
    generator
        A ``numpy.random.Generator`` or a seed for all calls together; None draws from the package's, see
        ``ad.seed``.

    Raises
    ------
    ValueError
        If ``p`` is not between 0 and 1.

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
        self.p = check_probability(p, "Dropout")
        self._generator = None if generator is None else seeding.generator(generator)

    def forward(self, x: Any) -> Any:
        """``x`` of any shape; in evaluation itself is returned."""
        return dropout(x, self.p, self.training, generator=self._generator)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p:g}"
