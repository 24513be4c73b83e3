"""Dropout: in training, some of the inputs are left out by chance."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import seeding
from ..operation import listless
from ..tensor import Tensor, raw
from .module import Module


class Dropout(Module):
    """Sets each element to zero with probability ``p`` and multiplies the others by 1/(1-p), so that the mean
    stays; in evaluation it hands its input on (Srivastava et al., "Dropout", 2014).

    What is left out is drawn anew at every call. The mask is a constant operand of a product, which a picture
    shows.

    Parameters
    ----------
    p
        The probability, from 0 to 1.
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

    def __init__(self, p: float = 0.5, *, generator: np.random.Generator | int | None = None) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"p of Dropout is a probability, from 0 to 1, not {p}")
        self.p = float(p)
        self._generator = None if generator is None else seeding.generator(generator)

    def forward(self, x: Any) -> Any:
        """``x`` of any shape; in evaluation itself is returned."""
        if not self.training or self.p == 0:
            return x
        x = listless(x)
        values = x if isinstance(x, Tensor) else np.asarray(raw(x))
        dtype = values.dtype if values.dtype.kind == "f" else np.dtype(float)
        drawn = seeding.generator(self._generator).random(values.shape, dtype=np.float32)
        keep = np.asarray(drawn >= self.p, dtype)
        return x * (keep / (1 - self.p) if self.p < 1 else keep)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p:g}"
