"""Matrices taken apart: eigh, eigvalsh, svd, svdvals, and the pseudoinverse, pinv.

An operation has one output, so a decomposition is made of two, one for the values and one for the vectors,
as slogdet is made of a sign and a logarithm. Each asks the other in its rule, so both can be differentiated
again. And only the gradient of the vectors is divided by the gaps between the values: that of the values
alone is right where some are equal.

The rules are those of M. Giles, "Collected matrix derivative results" (2008), J. Townsend, "Differentiating
the singular value decomposition" (2016), and G. Golub and V. Pereyra, "The differentiation of
pseudo-inverses" (1973).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..engine.operands import as_recorded
from ..engine.operation import operation
from .indexing import getitem, tril, triu
from .linalg import swap
from .shaping import expand_dims, shape_of


class Eigh(NamedTuple):
    """``x = eigenvectors @ diag(eigenvalues) @ eigenvectors.T``."""

    eigenvalues: Any
    eigenvectors: Any


class SVD(NamedTuple):
    """``x = U @ diag(S) @ Vh``."""

    U: Any
    S: Any
    Vh: Any


@operation
def eigvalsh(x: Any, *, UPLO: Any = "L") -> Any:
    """The eigenvalues of a symmetric matrix, in ascending order. As with :func:`eigh`, only one triangle is
    read. They have a gradient where they are equal, too.

    >>> import autodiff as ad
    >>> ad.eigvalsh(ad.Tensor([[2, 1], [1, 2]]))
    [1 3]
    """
    return np.linalg.eigvalsh(x, UPLO)


def by_eigenvalues(grad: Any, z: Any, x: Any, UPLO: Any = "L") -> Any:
    """V diag(grad) V.T for the eigenvectors V."""
    v = eigenvectors(x, UPLO=UPLO)
    return on_triangle((v * expand_dims(grad, axis=-2)) @ swap(v), UPLO)


eigvalsh.backward(by_eigenvalues)


@operation
def eigenvectors(x: Any, *, UPLO: Any = "L") -> Any:
    """The eigenvectors of a symmetric matrix, as columns, in the order of :func:`eigvalsh`.

    >>> import autodiff as ad
    >>> ad.ops.decompositions.eigenvectors(ad.Tensor([[2, 0], [0, 3]]))
    [[1 0]
     [0 1]]
    """
    return np.linalg.eigh(x, UPLO)[1]


def by_eigenvectors(grad: Any, z: Any, x: Any, UPLO: Any = "L") -> Any:
    """V F V.T with F[i, j] = (V.T grad)[i, j] / (w[j] - w[i]) for the eigenvalues w, and 0 for i = j."""
    w = expand_dims(eigvalsh(x, UPLO=UPLO), axis=-2)
    return on_triangle(z @ (swap(z) @ grad * one_over(w - swap(w))) @ swap(z), UPLO)


eigenvectors.backward(by_eigenvectors)


def eigh(x: Any, UPLO: Any = "L") -> Eigh:
    """Eigenvalues of a symmetric matrix, in ascending order, and its eigenvectors, as columns.

    Where several eigenvalues are equal, their eigenvectors are not unique and have no derivative: a gradient
    through the vectors is nan there, and one through the values alone is right. The signs of the vectors are
    LAPACK's choice.

    Parameters
    ----------
    x
        Symmetric matrices, shape (..., n, n). Only the lower triangle is read (the upper one with
        ``UPLO="U"``), so only it gets a gradient. For a symmetric gradient write ``eigh((x + x.T) / 2)``.
    UPLO
        "L" or "U".

    Returns
    -------
    The namedtuple ``(eigenvalues, eigenvectors)``, of shapes (..., n) and (..., n, n).

    Raises
    ------
    ValueError
        If x is not square, or UPLO is neither "L" nor "U".

    Example
    -------
    >>> import autodiff as ad
    >>> x = ad.Tensor([[2, 1], [1, 2]])
    >>> values, vectors = ad.eigh(x)
    >>> values[1].backward()
    >>> values, x.grad
    ([1 3], [[0.5   0]
     [  1 0.5]])
    """
    x = as_recorded(x)
    return Eigh(eigvalsh(x, UPLO=UPLO), eigenvectors(x, UPLO=UPLO))


def on_triangle(share: Any, triangle: str) -> Any:
    """The gradient of a symmetric matrix, for the triangle that it was read from: each element off the
    diagonal stands for two."""
    if triangle in ("L", "l"):  # NumPy takes either
        return tril(share) + tril(swap(share), k=-1)
    return triu(share) + triu(swap(share), k=1)


@operation
def svdvals(x: Any) -> Any:
    """The singular values of a matrix, in descending order. They have a gradient where they are equal, too.

    >>> import autodiff as ad
    >>> ad.ops.decompositions.svdvals(ad.Tensor([[3, 0], [0, -4]]))
    [4 3]
    """
    return np.linalg.svd(x, compute_uv=False)


def by_singular_values(grad: Any, z: Any, x: Any) -> Any:
    """U diag(grad) V.T for the singular vectors U and V."""
    u, v = both_sides(singular_vectors(x), x)
    return (u * expand_dims(grad, axis=-2)) @ swap(v)


svdvals.backward(by_singular_values)


@operation
def singular_vectors(x: Any) -> Any:
    """The singular vectors of a matrix, as columns, in the order of :func:`svdvals`: those on the left, U,
    and below them those on the right, V (not its transpose).

    >>> import autodiff as ad
    >>> ad.ops.decompositions.singular_vectors(np.array([[0.5]]))
    array([[1.],
           [1.]])
    """
    u, _, vh = np.linalg.svd(x, full_matrices=False)
    return np.concatenate([u, np.swapaxes(vh, -1, -2)], axis=-2)


def by_singular_vectors(grad: Any, z: Any, x: Any) -> Any:
    """U A V.T with A[i, j] = (skew(U.T gU) s[j] + s[i] skew(V.T gV)) / (s[j]**2 - s[i]**2) for the singular
    values s; and what of gU and gV lies outside the spaces that U and V span, divided by s."""
    (u, v), (by_u, by_v) = both_sides(z, x), both_sides(grad, x)
    s = expand_dims(svdvals(x), axis=-2)
    inner = skew(swap(u) @ by_u) * s + swap(s) * skew(swap(v) @ by_v)
    share = u @ (inner * one_over((s - swap(s)) * (s + swap(s)))) @ swap(v)
    m, n = shape_of(x)[-2:]
    if m > n:
        share = share + ((by_u - u @ (swap(u) @ by_u)) / s) @ swap(v)
    elif n > m:
        share = share + u @ swap((by_v - v @ (swap(v) @ by_v)) / s)
    return share


singular_vectors.backward(by_singular_vectors)


def svd(x: Any, full_matrices: bool = False) -> SVD:
    """Singular value decomposition, ``x = U @ diag(S) @ Vh``.

    Where singular values are equal, their vectors are not unique and have no derivative: a gradient through
    the vectors is nan there, and one through the values alone is right. So it is with singular values of 0
    where x is not square. The signs of the vectors are LAPACK's choice.

    Parameters
    ----------
    x
        Matrices of shape (..., m, n); k is the smaller of m and n.
    full_matrices
        True is refused for matrices that are not square: x does not determine more than k columns of U and k
        rows of Vh. (It is the default in NumPy and in PyTorch, not here.)

    Returns
    -------
    The namedtuple ``(U, S, Vh)``, of shapes (..., m, k), (..., k) and (..., k, n). S is in descending order.

    Raises
    ------
    ValueError
        If x has fewer than two axes, or if full matrices of other than square ones are asked for.

    Example
    -------
    >>> import autodiff as ad
    >>> x = ad.Tensor([[3, 0], [0, -4]])
    >>> ad.svd(x).S.sum().backward()
    >>> ad.svd(x).S, x.grad
    ([4 3], [[ 1  0]
     [ 0 -1]])
    """
    x = as_recorded(x)
    shape = shape_of(x)
    if full_matrices and len(shape) > 1 and shape[-1] != shape[-2]:
        raise ValueError(
            f"svd of matrices of shape {shape[-2:]} with full_matrices=True has columns that x does not "
            "determine, and no gradient; use full_matrices=False"
        )
    s = svdvals(x)
    u, v = both_sides(singular_vectors(x), x)
    return SVD(u, s, swap(v))


def both_sides(vectors: Any, x: Any) -> tuple[Any, Any]:
    """The singular vectors of x on the left and those on the right."""
    rows = shape_of(x)[-2]
    whole = slice(None)
    return getitem(vectors, index=(..., slice(rows), whole)), getitem(
        vectors, index=(..., slice(rows, None), whole)
    )


def one_over(gaps: Any) -> Any:
    """One over each gap between two values, and 0 on the diagonal, where a value meets itself."""
    itself = np.eye(shape_of(gaps)[-1], dtype=gaps.dtype)
    return 1 / (gaps + itself) - itself


def skew(x: Any) -> Any:
    """A matrix less its transpose."""
    return x - swap(x)


@operation
def pinv(x: Any, *, rcond: Any = None) -> Any:
    """Pseudoinverse (Moore, Penrose): the inverse of a square matrix that has one; of any other, the matrix
    that solves by least squares. Singular values below ``rcond`` times the largest (1e-15, as in NumPy, if it
    is not given) count as 0. The derivative holds where the rank stays the same.

    >>> import autodiff as ad
    >>> ad.pinv(ad.Tensor([[2], [0]]))
    [[0.5   0]]
    """
    return np.linalg.pinv(x, rcond)


def by_pseudoinverse(grad: Any, z: Any, x: Any, rcond: Any = None) -> Any:
    """-z.T g z.T, as for an inverse, and (1 - x z) g.T z z.T + z.T z g.T (1 - z x) for the directions that x
    does not reach."""
    zt, gt = swap(z), swap(grad)
    left = gt @ z @ zt
    right = zt @ z @ gt
    return -zt @ grad @ zt + (left - x @ (z @ left)) + (right - (right @ z) @ x)


pinv.backward(by_pseudoinverse)
