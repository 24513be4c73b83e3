"""Square matrices and stacks of them: det, inv, solve, cholesky, logdet, slogdet.

The rules follow M. Giles, "Collected matrix derivative results" (2008), and for cholesky I. Murray,
"Differentiation of the Cholesky decomposition" (2016).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine.operation import operation
from . import reductions
from .indexing import tril
from .linalg import mT
from .shaping import reshape, shape_of


@operation(precision="floats")
def inv(x: Any) -> Any:
    """Inverse of a square matrix. Raises ValueError if the matrix is singular.

    >>> import autodiff as ad
    >>> ad.inv(ad.Tensor([[2, 0], [0, 4]]))
    [[ 0.5    0]
     [   0 0.25]]
    """
    return np.linalg.inv(x)


inv.backward(lambda grad, z, x: -mT(z) @ grad @ mT(z))


@operation(precision="floats")
def det(x: Any) -> Any:
    """Determinant of a square matrix. Its slopes are right for a singular matrix too.

    >>> import autodiff as ad
    >>> x = ad.Tensor([[1, 2], [2, 4]])
    >>> ad.det(x).backward()
    >>> x.grad
    [[ 4 -2]
     [-2  1]]
    """
    return np.linalg.det(x)


det.backward(lambda grad, z, x: per_matrix(grad) * cofactors(x))


@operation(precision="floats")
def cofactors(x: Any) -> Any:
    """Matrix of the cofactors, which are the slopes of the determinant: det(x) inv(x).T where x has an
    inverse.

    >>> import autodiff as ad
    >>> ad.ops.matrices.cofactors(ad.Tensor([[1, 2], [3, 4]]))
    [[ 4 -3]
     [-2  1]]
    """
    u, s, vh = np.linalg.svd(x)  # x = u @ diag(s) @ vh. Dividing by an element of s would fail where it is 0
    is_itself = np.eye(s.shape[-1], dtype=bool)
    products_of_others = np.prod(np.where(is_itself, s.dtype.type(1), s[..., None, :]), axis=-1)
    orientation = np.linalg.det(u) * np.linalg.det(vh)  # 1 or -1
    return orientation[..., None, None] * ((u * products_of_others[..., None, :]) @ vh)


def cofactors_rule(grad: Any, z: Any, x: Any) -> Any:
    """The product rule for z = det(x) m with m = inv(x).T. The matrix must have an inverse here."""
    m = mT(inv(x))
    return per_matrix(reductions.sum(grad * z, axis=(-2, -1))) * m - z @ mT(grad) @ m


cofactors.backward(cofactors_rule)


def per_matrix(numbers: Any) -> Any:
    """One number per matrix of a stack, in a shape that broadcasts against the matrices."""
    return reshape(numbers, shape=(*shape_of(numbers), 1, 1))


@operation(precision="floats")
def logdet(x: Any) -> Any:
    """Logarithm of the absolute value of the determinant, which itself might overflow. It is -inf for a
    singular matrix, and has no slopes there: backward raises ValueError.

    >>> import numpy as np
    >>> import autodiff as ad
    >>> ad.logdet(ad.Tensor(np.eye(2) * 1e-200))
    -921.034
    """
    return np.linalg.slogdet(x)[1]


logdet.backward(lambda grad, z, x: per_matrix(grad) * mT(inv(x)))


@operation(precision="floats")
def detsign(x: Any) -> Any:
    """Sign of the determinant, which itself might overflow; 0 for a singular matrix. A constant.

    >>> import autodiff as ad
    >>> ad.ops.matrices.detsign(ad.Tensor([[0, 1], [1, 0]]))
    -1
    """
    return np.linalg.slogdet(x)[0]


detsign.backward(None)


class SignAndLog(NamedTuple):
    """A determinant, ``sign * exp(logabsdet)``, under NumPy's names."""

    sign: Any
    logabsdet: Any


def slogdet(x: Any) -> SignAndLog:
    """Sign of the determinant (a constant) and logarithm of its absolute value.

    >>> import autodiff as ad
    >>> ad.slogdet(ad.Tensor([[0, 1], [1, 0]]))
    SignAndLog(sign=-1, logabsdet=0)
    """
    return SignAndLog(detsign(x), logdet(x))


@operation(precision="floats")
def solve(x: Any, y: Any) -> Any:
    """Solution z of x @ z = y for a square matrix x and a vector y, or matrices y (two or more axes). Raises
    ValueError if x is singular.

    >>> import autodiff as ad
    >>> ad.solve(ad.Tensor([[2, 0], [0, 4]]), [2, 2])
    [  1 0.5]
    """
    return np.linalg.solve(x, y)


def solve_rule(grad: Any, z: Any, x: Any, y: Any, wanted: Sequence[bool]) -> list[Any]:
    """For y, inv(x).T @ grad, since z = inv(x) @ y. For x, the same times -z.T, since dx @ z + x @ dz = 0."""
    if y.ndim > 1:
        to_y = solve(mT(x), grad)
        return [-to_y @ mT(z) if wanted[0] else None, to_y]
    to_y = solve(mT(x), as_column(grad))
    return [-to_y * reshape(z, shape=(*z.shape[:-1], 1, z.shape[-1])), reshape(to_y, shape=shape_of(grad))]


solve.backward(joint=solve_rule)


def as_column(x: Any) -> Any:
    """Each vector as a matrix with one column."""
    return reshape(x, shape=(*x.shape, 1))


@operation(precision="floats")
def cholesky(x: Any) -> Any:
    """Lower triangular z with z @ z.T = x, for a symmetric positive definite x. Raises ValueError if x is not
    positive definite.

    Only the lower triangle of x is read, as in NumPy, so the gradient is lower triangular too: an element
    below the diagonal gets the gradient of its mirror image as well. PyTorch splits that gradient between the
    two. The gradient of a Tensor from which a symmetric x is computed is the same.

    >>> import autodiff as ad
    >>> ad.cholesky(ad.Tensor([[4, 2], [2, 5]]))
    [[2 0]
     [1 2]]
    """
    return np.linalg.cholesky(x)


def cholesky_rule(grad: Any, z: Any, x: Any) -> Any:
    """inv(z).T @ half(z.T @ grad) @ inv(z), where half keeps the lower triangle and half of the diagonal.
    Each element above the diagonal is then added to its mirror image below."""
    inner = mT(z) @ grad
    half = (tril(inner) + tril(inner, k=-1)) / 2
    inverse = inv(z)
    contribution = mT(inverse) @ half @ inverse
    return tril(contribution) + tril(mT(contribution), k=-1)


cholesky.backward(cholesky_rule)
