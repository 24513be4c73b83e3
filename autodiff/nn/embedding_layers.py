"""Embedding: a row of a table for each whole number, a word's vector for its number."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import seeding
from ..ops.piecewise import where
from ..tensor import Tensor, describe, raw
from . import init
from .checks import whole
from .module import Module
from .parameter import Parameter


class Embedding(Module):
    """A table with a row of numbers for each index. An index that comes several times adds up its gradients.

    Parameters
    ----------
    num_embeddings, embedding_dim
        The number of rows, and of columns.
    padding_idx
        An index that only fills up sequences of unequal length: its row starts as zeros and gets no gradient.
        Negative counts from the end.
    generator
        A ``numpy.random.Generator`` or a seed; None draws from the package's. The table is drawn from the
        standard normal distribution.

    Attributes
    ----------
    weight
        The table, a Parameter of shape (num_embeddings, embedding_dim).

    Raises
    ------
    TypeError, IndexError
        At the call, if an index is no integer, or not from 0 to ``num_embeddings`` - 1.

    Example
    -------
    >>> from autodiff import nn
    >>> words = nn.Embedding(10, 3)
    >>> out = words([[4, 1, 4]])
    >>> out.shape
    (1, 3, 3)
    >>> out.sum().backward()
    >>> words.weight.grad[[1, 4, 5]]
    [[1 1 1]
     [2 2 2]
     [0 0 0]]
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        self.num_embeddings = whole(num_embeddings, "num_embeddings", self)
        self.embedding_dim = whole(embedding_dim, "embedding_dim", self)
        if padding_idx is not None:
            padding_idx = whole(padding_idx, "padding_idx", self, least=-self.num_embeddings)
            if padding_idx >= self.num_embeddings:
                raise ValueError(f"padding_idx {padding_idx} is no row of {self.num_embeddings}")
            padding_idx %= self.num_embeddings
        self.padding_idx = padding_idx
        self._generator = None if generator is None else seeding.generator(generator)
        self.weight = Parameter(np.zeros((self.num_embeddings, self.embedding_dim)))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the table anew."""
        init.normal_(self.weight, generator=self._generator)
        if self.padding_idx is not None:
            self.weight[self.padding_idx] = 0

    def forward(self, indices: Any) -> Any:
        """``indices`` of shape (...), integers, become rows of shape (..., embedding_dim)."""
        places = np.asarray(raw(indices))
        if places.dtype.kind not in "iu":
            hint = ", or make the Tensor with requires_grad=False" if isinstance(indices, Tensor) else ""
            raise TypeError(
                f"an Embedding takes integers, not {describe(indices)} of {places.dtype}: give an array of "
                f"integers{hint}"
            )
        wrong = places[(places < 0) | (places >= self.num_embeddings)]
        if wrong.size:
            last = self.num_embeddings - 1
            raise IndexError(f"{self._title()} has the rows 0 to {last}, and none {wrong[0]}")
        rows = self.weight[places]
        if self.padding_idx is None:
            return rows
        return where((places == self.padding_idx)[..., None], rows.data, rows)

    def extra_repr(self) -> str:
        """The sizes, and the padding if there is one."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"
