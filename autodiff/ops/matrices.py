"""Square matrices, alone or in stacks: det, inv, solve, cholesky, logdet, slogdet.

The rules are those of M. Giles, "Collected matrix derivative results" (2008); Cholesky's after I. Murray,
"Differentiation of the Cholesky decomposition" (2016). LAPACK computes, by way of NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..engine.operation import operation
from . import reductions
from .indexing import tril
from .linalg import swap
from .shaping import reshape, shape_of


@operation
def inv(x: Any) -> Any:
    """Inverse of a square matrix. Raises ValueError if there is none.

    >>> import autodiff as ad
    >>> ad.ops.matrices.inv(ad.Tensor([[2, 0], [0, 4]]))
    [[ 0.5    0]
     [   0 0.25]]
    """
    return np.linalg.inv(x)


inv.backward(lambda grad, z, x: -swap(z) @ grad @ swap(z))


@operation
def det(x: Any) -> Any:
    """Determinant of a square matrix. A singular one has slopes too.

    >>> import autodiff as ad
    >>> x = ad.Tensor([[1, 2], [2, 4]])
    >>> ad.ops.matrices.det(x).backward()
    >>> x.grad
    [[ 4 -2]
     [-2  1]]
    """
    return np.linalg.det(x)


det.backward(lambda grad, z, x: each(grad) * cofactors(x))


@operation
def cofactors(x: Any) -> Any:
    """The slope of the determinant by each element, det(x) inv(x).T where x has an inverse.

    >>> import autodiff as ad
    >>> ad.ops.matrices.cofactors(ad.Tensor([[1, 2], [3, 4]]))
    [[ 4 -3]
     [-2  1]]
    """
    u, s, v = np.linalg.svd(x)  # x = u s v, so no element of s has to be divided by
    n = s.shape[-1]
    others = np.prod(np.where(np.eye(n, dtype=bool), s.dtype.type(1), s[..., None, :]), axis=-1)
    turned = np.linalg.det(u) * np.linalg.det(v)
    return turned[..., None, None] * ((u * others[..., None, :]) @ v)


def by_cofactors(grad: Any, z: Any, x: Any) -> Any:
    """With m = inv(x).T: the product rule for z = det(x) m. It needs the inverse."""
    m = swap(inv(x))
    return each(reductions.sum(grad * z, axis=(-2, -1))) * m - z @ swap(grad) @ m


cofactors.backward(by_cofactors)


def each(numbers: Any) -> Any:
    """One number per matrix of a stack, in a shape that multiplies the matrix."""
    return reshape(numbers, shape=(*shape_of(numbers), 1, 1))


@operation
def logdet(x: Any) -> Any:
    """Logarithm of the absolute determinant, where the determinant itself would overflow. -inf for a singular
    matrix, which has no slopes: its backward raises ValueError.

    >>> import autodiff as ad
    >>> ad.ops.matrices.logdet(ad.Tensor(np.eye(2) * 1e-200))
    -921.034
    """
    return np.linalg.slogdet(x)[1]


logdet.backward(lambda grad, z, x: each(grad) * swap(inv(x)))


@operation
def detsign(x: Any) -> Any:
    """The sign of the determinant, also where the determinant itself would overflow; 0 for a singular matrix.
    A constant.

    >>> import autodiff as ad
    >>> ad.ops.matrices.detsign(ad.Tensor([[0, 1], [1, 0]]))
    -1
    """
    return np.linalg.slogdet(x)[0]


detsign.backward(None)


class SignAndLog(NamedTuple):
    """A determinant as NumPy's slogdet gives it: ``sign * exp(logabsdet)``."""

    sign: Any
    logabsdet: Any


def slogdet(x: Any) -> SignAndLog:
    """The determinant's sign, a constant, and the logarithm of its absolute value.

    >>> import autodiff as ad
    >>> ad.ops.matrices.slogdet(ad.Tensor([[0, 1], [1, 0]]))
    SignAndLog(sign=-1, logabsdet=0)
    """
    return SignAndLog(detsign(x), logdet(x))


@operation
def solve(x: Any, y: Any) -> Any:
    """The z for which x @ z = y: x is square, y a vector or (two axes and more) matrices. Raises ValueError
    if x is singular.

    >>> import autodiff as ad
    >>> ad.ops.matrices.solve(ad.Tensor([[2, 0], [0, 4]]), [2, 2])
    [  1 0.5]
    """
    return np.linalg.solve(x, y)


def by_sides(grad: Any, z: Any, x: Any, y: Any, wanted: Sequence[bool]) -> list[Any]:
    """From z = inv(x) @ y the right side gets inv(x).T @ grad; from dx @ z + x @ dz = 0 the matrix gets the
    same, times -z.T."""
    if y.ndim > 1:
        share = solve(swap(x), grad)
        return [-share @ swap(z) if wanted[0] else None, share]
    share = solve(swap(x), as_column(grad))
    return [-share * reshape(z, shape=(*z.shape[:-1], 1, z.shape[-1])), reshape(share, shape=shape_of(grad))]


solve.backward(joint=by_sides)


def as_column(x: Any) -> Any:
    """Each vector as a matrix of one column."""
    return reshape(x, shape=(*x.shape, 1))


@operation
def cholesky(x: Any) -> Any:
    """The lower triangular z with z @ z.T = x, for a symmetric positive definite x. Raises ValueError if x is
    not positive definite.

    Only the lower triangle of x is read, as in NumPy, and so the gradient is lower triangular: an element
    below the diagonal gets what it is worth in both of its places. PyTorch shares that among the two;
    whatever a symmetric x was computed from gets the same gradient either way.

    >>> import autodiff as ad
    >>> ad.ops.matrices.cholesky(ad.Tensor([[4, 2], [2, 5]]))
    [[2 0]
     [1 2]]
    """
    return np.linalg.cholesky(x)


def by_factored(grad: Any, z: Any, x: Any) -> Any:
    """inv(z).T @ half(z.T @ grad) @ inv(z), where half is the lower triangle with half the diagonal; then
    each element above the diagonal is added to its twin below."""
    inner = swap(z) @ grad
    half = (tril(inner) + tril(inner, k=-1)) / 2
    left = inv(z)
    share = swap(left) @ half @ left
    return tril(share) + tril(swap(share), k=-1)


cholesky.backward(by_factored)
