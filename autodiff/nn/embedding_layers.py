"""Embedding: a table that maps each index, such as the number of a word, to a vector. The function
``embedding`` does the same."""

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

from typing import Any, Self

import numpy as np

from .. import seeding
from ..checks import checked_integer, setting
from ..engine.operands import as_recorded
from ..engine.tensor import Tensor, describe, raw
from ..engine.values import as_array, as_data, is_foreign
from ..ops.piecewise import where
from ..ops.shaping import shape_of
from . import init
from .checks import checked_dtype
from .module import Module
from .parameter import Parameter


def embedding(
    input: Any,
    weight: Any,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Any:
    """The rows of a table at the given indices, see :class:`~autodiff.nn.Embedding`.

    Parameters
    ----------
    input
        Integers, of shape (...).
    weight
        The table, of shape (rows, columns).
    padding_idx
        The index of a row that gets no gradient; a negative index counts from the end.
    max_norm, norm_type, scale_grad_by_freq, sparse
        For calls written for PyTorch: ``max_norm`` and ``scale_grad_by_freq`` are refused, the others have no
        effect.

    Returns
    -------
    Tensor or array
        Of shape (..., columns).

    Raises
    ------
    TypeError, ValueError, IndexError
        If the indices are not integers, the table does not have two axes, or an index is out of range; or if
        ``max_norm`` or ``scale_grad_by_freq`` is given.

    Example
    -------
    >>> from autodiff.nn import functional as F
    >>> F.embedding([1, 1], [[1.0, 2.0], [3.0, 4.0]])
    array([[3., 4.],
           [3., 4.]])
    """
    check_plain_lookup(max_norm, scale_grad_by_freq)
    weight = as_recorded(weight)
    shape = shape_of(weight)
    if len(shape) != 2:
        raise ValueError(f"the table of an embedding has two axes, rows and columns, not {describe(weight)}")
    padding_idx = checked_padding_idx(padding_idx, shape[0], "embedding")
    return lookup(weight, input, padding_idx, f"the table {shape}")


def lookup(weight: Any, indices: Any, padding_idx: int | None, owner: str) -> Any:
    """The rows of a table at integer indices; the row of the padding gets no gradient."""
    numbers = as_array(raw(indices))
    if numbers.dtype.kind not in "iu":
        hint = ", or create the Tensor with requires_grad=False" if isinstance(indices, Tensor) else ""
        raise TypeError(
            f"an Embedding takes integers, not {describe(indices)} of {numbers.dtype}: pass an array of "
            f"integers{hint}"
        )
    count = shape_of(weight)[0]
    wrong: Any = () if is_foreign(numbers) else numbers[(numbers < 0) | (numbers >= count)]
    if len(wrong):
        raise IndexError(f"{owner} has the rows 0 to {count - 1}, and no row {wrong[0]}")
    rows = weight[numbers]
    return rows if padding_idx is None else where((numbers == padding_idx)[..., None], raw(rows), rows)


def checked_padding_idx(padding_idx: Any, count: int, owner: object) -> int | None:
    """The index of the padding row, counted from the start. Raises TypeError unless it is a whole number or
    None, and ValueError unless it is an index of ``count`` rows."""
    if padding_idx is None:
        return None
    padding_idx = checked_integer("padding_idx", padding_idx, owner, minimum=-count)
    if padding_idx >= count:
        raise ValueError(f"{setting('padding_idx', owner)} must be below {count}, not {padding_idx}")
    return padding_idx % count


def check_plain_lookup(max_norm: float | None, scale_grad_by_freq: bool) -> None:
    """Raise ValueError for the options that would change the table or its gradient in a lookup."""
    if max_norm is not None:
        raise ValueError(
            "max_norm is not supported: an Embedding does not change its rows when they are looked up. "
            "Shorten long rows of its weight after each step of the optimizer instead"
        )
    if scale_grad_by_freq:
        raise ValueError(
            "scale_grad_by_freq is not supported: the gradients of a row that is looked up several times are "
            "added up. Leave it out"
        )


class Embedding(Module):
    """A table with a row of numbers for each index. Gradients of an index that occurs several times add up.

    Parameters
    ----------
    num_embeddings, embedding_dim
        The number of rows, and of columns.
    padding_idx
        The index that pads sequences to equal length: its row starts as zeros and gets no gradient. A
        negative index counts from the end.
    max_norm, norm_type, scale_grad_by_freq, sparse
        For calls written for PyTorch: ``max_norm`` and ``scale_grad_by_freq`` are refused, the others have no
        effect.
    dtype
        The float dtype of the table, float32 by default.
    generator
        A ``numpy.random.Generator`` or a seed; None uses the package's generator. The table is drawn from the
        standard normal distribution.

    Attributes
    ----------
    weight
        The table, a Parameter of shape (num_embeddings, embedding_dim).

    Raises
    ------
    TypeError, IndexError
        At the call, if an index is not an integer, or not between 0 and ``num_embeddings`` - 1.

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

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        *,
        dtype: Any = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        check_plain_lookup(max_norm, scale_grad_by_freq)
        self.num_embeddings: int = checked_integer("num_embeddings", num_embeddings, self)
        self.embedding_dim: int = checked_integer("embedding_dim", embedding_dim, self)
        self.padding_idx: int | None = checked_padding_idx(padding_idx, self.num_embeddings, self)
        self._generator = None if generator is None else seeding.generator(generator)
        shape = self.num_embeddings, self.embedding_dim
        self.weight = Parameter(np.zeros(shape), dtype=checked_dtype(dtype, self))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw a new table."""
        init.normal_(self.weight, generator=self._generator)
        if self.padding_idx is not None:
            self.weight[self.padding_idx] = 0

    @classmethod
    def from_pretrained(
        cls, embeddings: Any, freeze: bool = True, padding_idx: int | None = None, *, dtype: Any = None
    ) -> Self:
        """A layer whose table is a copy of the given one, which was learned elsewhere.

        Parameters
        ----------
        embeddings
            An array or Tensor of shape (rows, columns).
        freeze
            Whether the table stays unchanged: ``requires_grad`` is then False, and an optimizer refuses it.
        padding_idx
            As for the class; its row is not set to zeros.
        dtype
            As for the class.

        Raises
        ------
        TypeError, ValueError
            If the table does not consist of real numbers on two axes.

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
            raise ValueError(f"the table of an Embedding has rows and columns, and this is {describe(table)}")
        rows, columns = table.shape
        layer = cls(rows, columns, padding_idx, dtype=dtype, generator=0)
        layer.weight.assign(table)
        layer._generator = None
        layer.weight.requires_grad = not freeze
        return layer

    def forward(self, indices: Any) -> Any:
        """Integer ``indices`` of shape (...) give rows of shape (..., embedding_dim)."""
        return lookup(self.weight, indices, self.padding_idx, self._title())

    def extra_repr(self) -> str:
        """The sizes, and ``padding_idx`` if there is one."""
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"
