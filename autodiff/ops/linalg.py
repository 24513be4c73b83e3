"""Products of vectors and matrices: matmul, bmm, dot, inner, outer, linear; trace and cosine_similarity.

inv, solve and det are in ``matrices.py``, eigh and svd in ``decompositions.py``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.dtypes import computed_in
from ..engine.keywords import in_either_words
from ..engine.operands import as_recorded
from ..engine.operation import operation
from ..engine.tensor import describe, raw
from .indexing import onto_diagonal
from .piecewise import where
from .reductions import norm, unit
from .reductions import sum as total
from .shaping import broadcast_to, moveaxis, reshape, shape_of, stretched, transpose


@operation(kind="multilinear", sign="@", precision="single")
def matmul(x: Any, y: Any) -> Any:
    """Matrix product, z = x @ y, over the last two axes; other axes are batch axes and broadcast. A vector x
    is one row, a vector y one column.

    >>> import autodiff as ad
    >>> ad.matmul(ad.Tensor([2, 2, 3]), [[1, 2, 3], [2, 3, 4], [3, 4, 5]])
    [15 22 29]
    """
    return x @ y


def matmul_rule_x(grad: Any, z: Any, x: Any, y: Any) -> Any:
    """For x: dz = dx @ y, so grad @ y.T."""
    if x.ndim == y.ndim == 2:
        return grad @ y.T
    grad, _, y = as_matrices(grad, x, y)
    return to_shape_of(x, grad @ mT(y))


def matmul_rule_y(grad: Any, z: Any, x: Any, y: Any) -> Any:
    """For y: dz = x @ dy, so x.T @ grad."""
    if x.ndim == y.ndim == 2:
        return x.T @ grad
    grad, x, _ = as_matrices(grad, x, y)
    return to_shape_of(y, mT(x) @ grad)


matmul.backward(matmul_rule_x, matmul_rule_y)


mm = matmul  # PyTorch's name for two matrices


def mT(x: Any) -> Any:  # noqa: N802
    """The transpose of each matrix in a stack, ``x.mT`` in NumPy."""
    return transpose(x, axes=(*range(x.ndim - 2), -1, -2))


def as_matrices(grad: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """The gradient and both operands of a product as matrices: a vector x as one row, a vector y as one
    column."""
    shape = shape_of(grad)
    if y.ndim == 1:
        y = reshape(y, shape=(-1, 1))
        shape = (*shape, 1)
    if x.ndim == 1:
        x = reshape(x, shape=(1, -1))
        shape = (*shape[:-1], 1, shape[-1])
    return reshape(grad, shape=shape), x, y


def to_shape_of(operand: Any, contribution: Any) -> Any:
    """The contribution without the axis that ``as_matrices`` gave a vector; batch axes are kept."""
    if operand.ndim > 1:
        return contribution
    return reshape(contribution, shape=(*contribution.shape[:-2], *operand.shape))


@in_either_words
def bmm(x: Any, y: Any) -> Any:
    """Batched matrix product of shapes (n, i, j) and (n, j, k), of shape (n, i, k).

    Raises ValueError for any other shapes; ``matmul`` takes more.

    >>> import numpy as np
    >>> import autodiff as ad
    >>> ad.bmm(ad.Tensor(np.ones((5, 2, 3))), np.ones((5, 3, 4))).shape
    (5, 2, 4)
    """
    x, y = as_recorded(x), as_recorded(y)
    (n, *left), (m, *right) = shape_of(x) or (0,), shape_of(y) or (0,)
    if len(left) != 2 or len(right) != 2 or n != m or left[1] != right[0]:
        raise ValueError(
            f"bmm takes shapes (n, i, j) and (n, j, k), not {describe(x)} and {describe(y)}; "
            "use matmul for other batch axes, matrices and vectors"
        )
    return matmul(x, y)


@operation(kind="multilinear", precision="single")
def dot(x: Any, y: Any) -> Any:
    """Dot product over the last axis of x and the second last of y (or its only one). If x or y is a number,
    it is ``x * y``.

    >>> import autodiff as ad
    >>> ad.dot(ad.Tensor([1, 2, 3]), [4, 5, 6])
    32
    """
    return np.dot(x, y) if np.ndim(x) and np.ndim(y) else x * y


def dot_rule_x(grad: Any, z: Any, x: Any, y: Any) -> Any:
    """For x: grad @ y.T, with y as one matrix."""
    if not (shape_of(x) and shape_of(y)):
        return grad * y
    columns = as_columns(y)
    return reshape(reshape(grad, shape=(count_rows(x), columns.shape[1])) @ columns.T, shape=x.shape)


def dot_rule_y(grad: Any, z: Any, x: Any, y: Any) -> Any:
    """For y: x.T @ grad, with x as one matrix, and the columns reshaped to the axes of y."""
    if not (shape_of(x) and shape_of(y)):
        return grad * x
    columns = as_columns(y)
    contribution = as_rows(x).T @ reshape(grad, shape=(count_rows(x), columns.shape[1]))
    if y.ndim == 1:
        return reshape(contribution, shape=y.shape)
    contribution = reshape(contribution, shape=(y.shape[-2], *y.shape[:-2], y.shape[-1]))
    return moveaxis(contribution, source=0, destination=-2)


dot.backward(dot_rule_x, dot_rule_y)


def as_columns(y: Any) -> Any:
    """One matrix with a column for each vector along the second last axis of y (or its only one)."""
    first = y if y.ndim == 1 else moveaxis(y, source=-2, destination=0)
    return reshape(first, shape=(first.shape[0], math.prod(first.shape[1:])))


@operation(kind="multilinear", precision="single")
def inner(x: Any, y: Any) -> Any:
    """Inner product over the last axes of x and y. If x or y is a number, it is ``x * y``.

    >>> import autodiff as ad
    >>> ad.inner(ad.Tensor([1, 2, 3]), [4, 5, 6])
    32
    """
    return np.inner(x, y) if np.ndim(x) and np.ndim(y) else x * y


def inner_rule_x(grad: Any, z: Any, x: Any, y: Any) -> Any:
    """For x: grad @ y, with y as one matrix."""
    if not (shape_of(x) and shape_of(y)):
        return grad * y
    rows = as_rows(y)
    return reshape(reshape(grad, shape=(count_rows(x), rows.shape[0])) @ rows, shape=x.shape)


def inner_rule_y(grad: Any, z: Any, x: Any, y: Any) -> Any:
    """For y: grad.T @ x, with x as one matrix."""
    if not (shape_of(x) and shape_of(y)):
        return grad * x
    rows = as_rows(x)
    return reshape(reshape(grad, shape=(rows.shape[0], count_rows(y))).T @ rows, shape=y.shape)


inner.backward(inner_rule_x, inner_rule_y)


def as_rows(x: Any) -> Any:
    """One matrix with a row for each vector along the last axis of x. A matrix is returned as it is, which
    saves a reshape."""
    return x if x.ndim == 2 else reshape(x, shape=(count_rows(x), x.shape[-1]))


def as_in(x: Any, rows: Any) -> Any:
    """The rows of ``as_rows(x)`` back in the shape of x."""
    return rows if x.ndim == 2 else reshape(rows, shape=x.shape)


def count_rows(x: Any) -> int:
    """The number of vectors along the last axis of x."""
    return math.prod(x.shape[:-1])


@operation(precision="single")
def linear(x: Any, weight: Any, bias: Any) -> Any:
    """Linear layer, z = x @ weight.T + bias, over the last axis of x; weight has a row for each output.

    One operation instead of three is faster, and the gradient of the weight has the memory layout of the
    weight.

    >>> import autodiff as ad
    >>> ad.linear(ad.Tensor([[1, 2, 3]]), [[1, 1, 1], [0, 1, 0]], [10, 20])
    [[16 22]]
    """
    z = as_rows(x) @ np.transpose(weight)
    if np.result_type(z.dtype, bias) == z.dtype:
        z += bias  # in place, which saves an array
    else:
        z = z + bias
    return z if z.ndim == x.ndim else np.reshape(z, (*x.shape[:-1], z.shape[-1]))


linear.backward(
    lambda grad, z, x, weight, bias: as_in(x, as_rows(grad) @ weight),
    lambda grad, z, x, weight, bias: as_rows(grad).T @ as_rows(x),
    lambda grad, z, x, weight, bias: as_rows(grad),
)


@operation(kind="multilinear", precision="single")
def outer(x: Any, y: Any) -> Any:
    """Outer product: each element of x times each element of y, with a row for each element of x.

    >>> import autodiff as ad
    >>> ad.outer(ad.Tensor([1, 2]), [10, 20, 30])
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


@operation(kind="linear", precision="double")
def trace(x: Any, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Sum of the diagonal of each matrix on ``axis1`` and ``axis2``.

    >>> import autodiff as ad
    >>> ad.trace(ad.Tensor([[1, 2], [3, 4]]))
    5
    """
    return np.trace(x, offset, axis1, axis2)


def trace_rule(grad: Any, z: Any, x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Each element of a diagonal gets the gradient of the sum."""
    length = np.diagonal(raw(x), offset, axis1, axis2).shape[-1]
    diagonal = broadcast_to(reshape(grad, shape=(*shape_of(z), 1)), shape=(*shape_of(z), length))
    return onto_diagonal(diagonal, x, offset, axis1, axis2)


trace.backward(trace_rule)


@in_either_words
@computed_in("floats", 2)
def cosine_similarity(x: Any, y: Any, axis: int = -1, eps: float = 1e-8) -> Any:
    """Cosine of the angle between vectors along ``axis``. A norm below ``eps`` counts as ``eps``, so that a
    vector of zeros has the similarity 0.

    >>> import autodiff as ad
    >>> ad.cosine_similarity(ad.Tensor([[3, 4], [0, 0]]), [1, 0])
    [0.6   0]
    """
    x, y = as_recorded(x), as_recorded(y)
    shape = np.broadcast_shapes(shape_of(x), shape_of(y))
    x, y = stretched(x, shape), stretched(y, shape)
    return total(bounded_unit(x, axis, eps) * bounded_unit(y, axis, eps), axis=axis)


def bounded_unit(x: Any, axis: Any, eps: float) -> Any:
    """Vectors along ``axis`` divided by their norm, or by ``eps`` if that is larger."""
    is_short = norm(x, axis=axis, keepdims=True) < eps
    others = where(is_short, 1.0, x)  # whatever the rule gives for a short vector does not reach it
    return where(is_short, x / eps, unit(others, axis=axis))
