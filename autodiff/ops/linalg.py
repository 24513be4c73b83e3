"""Linear algebra: the matrix product, in every shape that NumPy's takes."""

from __future__ import annotations

from typing import Any

from ..operation import operation
from .shaping import reshape, shape_of, transpose


@operation
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
