"""Embedding: a row of a table for each whole number, a word's vector for its number. ``embedding`` is the
same as a function."""

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

from typing import Any, Self

import numpy as np

from .. import seeding
from ..engine.operands import as_recorded
from ..engine.tensor import Tensor, describe, raw
from ..engine.values import as_data
from ..ops.piecewise import where
from ..ops.shaping import shape_of
from . import init
from .checks import check_floating, whole
from .module import Module
from .parameter import Parameter


def embedding(input: Any, weight: Any, padding_idx: int | None = None) -> Any:
    """The rows of a table at these indices, see :class:`Embedding`.

    Parameters
    ----------
    input
        Integers, of shape (...).
    weight
        The table, of shape (rows, columns).
    padding_idx
        A row that gets no gradient; negative counts from the end.

    Returns
    -------
    Tensor or array
        Of shape (..., columns).

    Raises
    ------
    TypeError, ValueError, IndexError
        If the indices are no integers, the table has not two axes, or an index is no row of it.

    Example
    -------
    >>> from autodiff.nn import functional as F
    >>> F.embedding([1, 1], [[1.0, 2.0], [3.0, 4.0]])
    array([[3., 4.],
           [3., 4.]])
    """
    weight = as_recorded(weight)
    shape = shape_of(weight)
    if len(shape) != 2:
        raise ValueError(f"the table of an embedding has two axes, rows and columns, not {describe(weight)}")
    return rows_of(weight, input, check_padding(padding_idx, shape[0]), f"the table {shape}")


def rows_of(weight: Any, indices: Any, padding_idx: int | None, owner: str) -> Any:
    """The rows of a table at integer indices; the row of the padding gets no gradient."""
    places = np.asarray(raw(indices))
    if places.dtype.kind not in "iu":
        hint = ", or make the Tensor with requires_grad=False" if isinstance(indices, Tensor) else ""
        raise TypeError(
            f"an Embedding takes integers, not {describe(indices)} of {places.dtype}: give an array of "
            f"integers{hint}"
        )
    count = shape_of(weight)[0]
    wrong = places[(places < 0) | (places >= count)]
    if wrong.size:
        raise IndexError(f"{owner} has the rows 0 to {count - 1}, and none {wrong[0]}")
    rows = weight[places]
    return rows if padding_idx is None else where((places == padding_idx)[..., None], raw(rows), rows)


def check_padding(padding_idx: Any, count: int, owner: str = "embedding") -> int | None:
    """A padding's row, counted from the start. Raises TypeError or ValueError if it is no row of so many."""
    if padding_idx is None:
        return None
    if not isinstance(padding_idx, (int, np.integer)) or isinstance(padding_idx, bool):
        raise TypeError(f"padding_idx of {owner} is a whole number, not {padding_idx!r:.60}")
    if not -count <= padding_idx < count:
        raise ValueError(f"padding_idx {padding_idx} is no row of {count}")
    return int(padding_idx) % count


class Embedding(Module):
    """A table with a row of numbers for each index. An index that comes several times adds up its gradients.

    Parameters
    ----------
    num_embeddings, embedding_dim
        The number of rows, and of columns.
    padding_idx
        An index that only fills up sequences of unequal length: its row starts as zeros and gets no gradient.
        Negative counts from the end.
    dtype
        Of the table: float32, or another kind of float.
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
        dtype: Any = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        self.num_embeddings = whole(num_embeddings, "num_embeddings", self)
        self.embedding_dim = whole(embedding_dim, "embedding_dim", self)
        self.padding_idx = check_padding(padding_idx, self.num_embeddings, "Embedding")
        self._generator = None if generator is None else seeding.generator(generator)
        shape = self.num_embeddings, self.embedding_dim
        self.weight = Parameter(np.zeros(shape), dtype=check_floating(dtype, self))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the table anew."""
        init.normal_(self.weight, generator=self._generator)
        if self.padding_idx is not None:
            self.weight[self.padding_idx] = 0

    @classmethod
    def from_pretrained(
        cls, embeddings: Any, freeze: bool = True, padding_idx: int | None = None, *, dtype: Any = None
    ) -> Self:
        """A layer whose table is copied from rows that were learned elsewhere.

        Parameters
        ----------
        embeddings
            An array or Tensor of shape (rows, columns).
        freeze
            Whether the table stays as it is: its ``requires_grad`` is False then, and an optimizer refuses
            it.
        padding_idx
            As for the class; its row is not set to zeros.
        dtype
            As for the class, float32 unless told.

        Raises
        ------
        TypeError, ValueError
            If the table is not real numbers in two axes.

        Example
        -------
        >>> from autodiff import nn
        >>> words = nn.Embedding.from_pretrained([[1.0, 2.0], [3.0, 4.0]])
        >>> words([1, 0]), words.weight.requires_grad
        ([[3 4]
         [1 2]], False)
        """
        table = np.asarray(as_data(raw(embeddings)))
        if table.ndim != 2:
            raise ValueError(f"an Embedding is made of rows and columns, not of {describe(table)}")
        rows, columns = table.shape
        layer = cls(rows, columns, padding_idx, dtype=dtype, generator=0)
        layer.weight.assign(table)
        layer._generator = None
        layer.weight.requires_grad = not freeze
        return layer

    def forward(self, indices: Any) -> Any:
        """``indices`` of shape (...), integers, become rows of shape (..., embedding_dim)."""
        return rows_of(self.weight, indices, self.padding_idx, self._title())

    def extra_repr(self) -> str:
        """The sizes, and the padding if there is one."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"
