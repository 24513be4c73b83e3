"""Products: matmul in every shape that NumPy's takes, bmm, dot, linear, inner, outer; trace and
cosine_similarity.

What is solved, inverted or factored stands in ``matrices.py``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.keywords import in_either_words
from ..engine.operands import as_recorded
from ..engine.operation import operation
from ..engine.tensor import describe, raw
from .arithmetic import maximum
from .indexing import onto_diagonal
from .reductions import norm
from .reductions import sum as total
from .shaping import broadcast_to, moveaxis, reshape, shape_of, stretched, transpose


@operation(kind="multilinear", sign="@")
def matmul(x: Any, y: Any) -> Any:
    """Matrix product, z = x @ y: rows of x times columns of y, over the last two axes.

    >>> import autodiff as ad
    >>> ad.matmul(ad.Tensor([2, 2, 3]), [[1, 2, 3], [2, 3, 4], [3, 4, 5]])
    [15 22 29]
    """
    return x @ y


def by_left(grad: Any, z: Any, x: Any, y: Any) -> Any:
    """For x: dz = dx @ y, so grad @ y.T. A vector counts as one row on the left, one column on the right."""
    if x.ndim == y.ndim == 2:
        return grad @ y.T
    grad, _, column = as_matrices(grad, x, y)
    return as_operand(grad @ swap(column), x, -2)


def by_right(grad: Any, z: Any, x: Any, y: Any) -> Any:
    """For y: dz = x @ dy, so x.T @ grad."""
    if x.ndim == y.ndim == 2:
        return x.T @ grad
    grad, row, _ = as_matrices(grad, x, y)
    return as_operand(swap(row) @ grad, y, -1)


matmul.backward(by_left, by_right)


mm = matmul  # as PyTorch calls it for two matrices


def swap(x: Any) -> Any:
    """The transpose of each matrix in a stack."""
    return transpose(x, axes=(*range(x.ndim - 2), -1, -2))


def as_matrices(grad: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """The product's gradient and operands with the axes put in that a vector lacks."""
    outer = shape_of(grad)
    if y.ndim == 1:
        y = reshape(y, shape=(-1, 1))
        outer = (*outer, 1)
    if x.ndim == 1:
        x = reshape(x, shape=(1, -1))
        outer = (*outer[:-1], 1, outer[-1])
    return reshape(grad, shape=outer), x, y


def as_operand(share: Any, operand: Any, axis: int) -> Any:
    """Drop the axis that a vector was given."""
    if operand.ndim > 1:
        return share
    shape = list(share.shape)
    del shape[axis]
    return reshape(share, shape=tuple(shape))


@in_either_words
def bmm(x: Any, y: Any) -> Any:
    """Matrix products one by one: stacks of shapes (n, i, j) and (n, j, k) make one of shape (n, i, k).

    Raises ValueError for any other shapes, which ``matmul`` may take.

    >>> import autodiff as ad
    >>> ad.ops.linalg.bmm(ad.Tensor(np.ones((5, 2, 3))), np.ones((5, 3, 4))).shape
    (5, 2, 4)
    """
    x, y = as_recorded(x), as_recorded(y)
    (n, *left), (m, *right) = shape_of(x) or (0,), shape_of(y) or (0,)
    if len(left) != 2 or len(right) != 2 or n != m or left[1] != right[0]:
        raise ValueError(
            f"bmm takes stacks of shapes (n, i, j) and (n, j, k), not {describe(x)} and {describe(y)}; "
            "matmul broadcasts, and takes vectors and matrices too"
        )
    return matmul(x, y)


@operation(kind="multilinear")
def dot(x: Any, y: Any) -> Any:
    """Dot product: the last axis of x with the last but one of y (a vector's only one). With a number it is
    their product.

    >>> import autodiff as ad
    >>> ad.ops.linalg.dot(ad.Tensor([1, 2, 3]), [4, 5, 6])
    32
    """
    return np.dot(x, y) if np.ndim(x) and np.ndim(y) else x * y


def by_dotted(grad: Any, z: Any, x: Any, y: Any) -> Any:
    """For x: grad @ y.T, where every other axis of y is among the columns."""
    if not (shape_of(x) and shape_of(y)):
        return grad * y
    columns = as_columns(y)
    return reshape(reshape(grad, shape=(count_rows(x), columns.shape[1])) @ columns.T, shape=x.shape)


def by_dotted_with(grad: Any, z: Any, x: Any, y: Any) -> Any:
    """For y: x.T @ grad, and its columns back to their axes."""
    if not (shape_of(x) and shape_of(y)):
        return grad * x
    columns = as_columns(y)
    share = as_rows(x).T @ reshape(grad, shape=(count_rows(x), columns.shape[1]))
    if y.ndim == 1:
        return reshape(share, shape=y.shape)
    share = reshape(share, shape=(y.shape[-2], *y.shape[:-2], y.shape[-1]))
    return moveaxis(share, source=0, destination=-2)


dot.backward(by_dotted, by_dotted_with)


def as_columns(y: Any) -> Any:
    """As a matrix: one column for each vector that a dot product goes along."""
    first = y if y.ndim == 1 else moveaxis(y, source=-2, destination=0)
    return reshape(first, shape=(first.shape[0], math.prod(first.shape[1:])))


@operation(kind="multilinear")
def inner(x: Any, y: Any) -> Any:
    """Inner product: the last axis of x with the last of y. With a number it is their product.

    >>> import autodiff as ad
    >>> ad.ops.linalg.inner(ad.Tensor([1, 2, 3]), [4, 5, 6])
    32
    """
    return np.inner(x, y) if np.ndim(x) and np.ndim(y) else x * y


def by_inner(grad: Any, z: Any, x: Any, y: Any) -> Any:
    """For x: grad @ y, where the rows of y are all its vectors."""
    if not (shape_of(x) and shape_of(y)):
        return grad * y
    rows = as_rows(y)
    return reshape(reshape(grad, shape=(count_rows(x), rows.shape[0])) @ rows, shape=x.shape)


def by_inner_with(grad: Any, z: Any, x: Any, y: Any) -> Any:
    """For y: the same with the sides changed."""
    if not (shape_of(x) and shape_of(y)):
        return grad * x
    rows = as_rows(x)
    return reshape(reshape(grad, shape=(rows.shape[0], count_rows(y))).T @ rows, shape=y.shape)


inner.backward(by_inner, by_inner_with)


def as_rows(x: Any) -> Any:
    """As a matrix: one row for each vector along the last axis."""
    return x if x.ndim == 2 else reshape(x, shape=(count_rows(x), x.shape[-1]))


def as_in(x: Any, rows: Any) -> Any:
    """Rows with the leading axes that ``x`` has: back from ``as_rows``."""
    return rows if x.ndim == 2 else reshape(rows, shape=x.shape)


def count_rows(x: Any) -> int:
    """How many vectors lie along the last axis."""
    return math.prod(x.shape[:-1])


@operation
def linear(x: Any, weight: Any, bias: Any) -> Any:
    """What a layer computes, z = x @ weight.T + bias: over the last axis of x, with a row of the weight for
    each output. One operation instead of three: the weight's gradient comes as the weight lies in memory.

    >>> import autodiff as ad
    >>> ad.linear(ad.Tensor([[1, 2, 3]]), [[1, 1, 1], [0, 1, 0]], [10, 20])
    [[16 22]]
    """
    z = as_rows(x) @ np.transpose(weight)
    if np.result_type(z.dtype, bias) == z.dtype:
        z += bias  # nobody else holds it yet
    else:
        z = z + bias
    return z if z.ndim == x.ndim else np.reshape(z, (*x.shape[:-1], z.shape[-1]))


linear.backward(
    lambda grad, z, x, weight, bias: as_in(x, as_rows(grad) @ weight),
    lambda grad, z, x, weight, bias: as_rows(grad).T @ as_rows(x),
    lambda grad, z, x, weight, bias: as_rows(grad),
)


@operation(kind="multilinear")
def outer(x: Any, y: Any) -> Any:
    """Outer product: every element of x times every element of y, a row for each x.

    >>> import autodiff as ad
    >>> ad.ops.linalg.outer(ad.Tensor([1, 2]), [10, 20, 30])
    [[10 20 30]
     [20 40 60]]
    """
    column = np.reshape(x, (-1, 1)) if np.ndim(x) else x
    row = np.reshape(y, (1, -1)) if np.ndim(y) else y
    return np.reshape(column * row, (np.size(x), np.size(y)))


outer.backward(
    lambda grad, z, x, y: reshape(grad @ reshape(y, shape=(-1,)), shape=shape_of(x)),
    lambda grad, z, x, y: reshape(reshape(x, shape=(-1,)) @ grad, shape=shape_of(y)),
)


@operation(kind="linear")
def trace(x: Any, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Sum of the diagonal of each matrix on two axes.

    >>> import autodiff as ad
    >>> ad.ops.linalg.trace(ad.Tensor([[1, 2], [3, 4]]))
    5
    """
    return np.trace(x, offset, axis1, axis2)


def by_traced(grad: Any, z: Any, x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Every element of a diagonal gets what its sum gets."""
    length = np.diagonal(raw(x), offset, axis1, axis2).shape[-1]
    shape = shape_of(z)
    along = broadcast_to(reshape(grad, shape=(*shape, 1)), shape=(*shape, length))
    return onto_diagonal(along, x, offset, axis1, axis2)


trace.backward(by_traced)


@in_either_words
def cosine_similarity(x: Any, y: Any, axis: int = -1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between the vectors that lie along ``axis``; a length below ``eps`` counts as
    ``eps``, so that a vector of zeros has the similarity 0.

    >>> import autodiff as ad
    >>> ad.ops.linalg.cosine_similarity(ad.Tensor([[3, 4], [0, 0]]), [1, 0])
    [0.6   0]
    """
    x, y = as_recorded(x), as_recorded(y)
    shape = np.broadcast_shapes(shape_of(x), shape_of(y))
    x, y = stretched(x, shape), stretched(y, shape)
    one, other = (each / maximum(norm(each, axis=axis, keepdims=True), eps) for each in (x, y))
    return total(one * other, axis=axis)
