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
    if len(x.shape) == 1 or len(y.shape) == 1:
        grad, _, column = as_matrices(grad, x, y)
        return as_operand(grad @ swap(column), x, -2)
    return grad @ swap(y)


def by_right(grad: Any, z: Any, x: Any, y: Any) -> Any:
    """For y: dz = x @ dy, so x.T @ grad."""
    if len(x.shape) == 1 or len(y.shape) == 1:
        grad, row, _ = as_matrices(grad, x, y)
        return as_operand(swap(row) @ grad, y, -1)
    return swap(x) @ grad


matmul.backward(by_left, by_right)


def swap(x: Any) -> Any:
    """The transpose of each matrix in a stack."""
    n = len(x.shape)
    return transpose(x, axes=(*range(n - 2), n - 1, n - 2)) if n > 2 else transpose(x)


def as_matrices(grad: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """The product's gradient and operands with the axes put in that a vector lacks."""
    outer = shape_of(grad)
    if len(y.shape) == 1:
        y = reshape(y, shape=(-1, 1))
        outer = (*outer, 1)
    if len(x.shape) == 1:
        x = reshape(x, shape=(1, -1))
        outer = (*outer[:-1], 1, outer[-1])
    return reshape(grad, shape=outer), x, y


def as_operand(share: Any, operand: Any, axis: int) -> Any:
    """Drop the axis that a vector was given."""
    if len(operand.shape) > 1:
        return share
    shape = list(share.shape)
    del shape[axis]
    return reshape(share, shape=tuple(shape))
