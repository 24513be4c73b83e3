"""Decompositions of matrices: eigh, eigvalsh, svd, svdvals; and the pseudoinverse, pinv.

An operation has one output, so a decomposition consists of two operations, one for the values and one for the
vectors. The rule of each calls the other, so both can be differentiated again. Only the rule for the vectors
divides by the gaps between the values; the gradient of the values is right even where some are equal.

The rules follow M. Giles, "Collected matrix derivative results" (2008), J. Townsend, "Differentiating the
singular value decomposition" (2016), and G. Golub and V. Pereyra, "The differentiation of pseudo-inverses"
(1973).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..engine.operands import as_recorded
from ..engine.operation import operation
from .indexing import getitem, tril, triu
from .linalg import mT
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


@operation(precision="floats")
def eigvalsh(x: Any, *, UPLO: Any = "L") -> Any:
    """Eigenvalues of a symmetric matrix, in ascending order. Only one triangle is read, as in :func:`eigh`.
    The gradient exists also where eigenvalues are equal.

    >>> import autodiff as ad
    >>> ad.eigvalsh(ad.Tensor([[2, 1], [1, 2]]))
    [1 3]
    """
    return np.linalg.eigvalsh(x, UPLO)


def eigvalsh_rule(grad: Any, z: Any, x: Any, UPLO: Any = "L") -> Any:
    """V diag(grad) V.T for the eigenvectors V."""
    v = eigenvectors(x, UPLO=UPLO)
    return to_triangle((v * expand_dims(grad, axis=-2)) @ mT(v), UPLO)


eigvalsh.backward(eigvalsh_rule)


@operation(precision="floats")
def eigenvectors(x: Any, *, UPLO: Any = "L") -> Any:
    """Eigenvectors of a symmetric matrix, as columns, in the order of :func:`eigvalsh`.

    >>> import autodiff as ad
    >>> ad.ops.decompositions.eigenvectors(ad.Tensor([[2, 0], [0, 3]]))
    [[1 0]
     [0 1]]
    """
    return np.linalg.eigh(x, UPLO)[1]


def eigenvectors_rule(grad: Any, z: Any, x: Any, UPLO: Any = "L") -> Any:
    """V F V.T with F[i, j] = (V.T grad)[i, j] / (w[j] - w[i]) for the eigenvalues w, and 0 for i = j."""
    w = expand_dims(eigvalsh(x, UPLO=UPLO), axis=-2)
    return to_triangle(z @ (mT(z) @ grad * inverse_gaps(w - mT(w))) @ mT(z), UPLO)


eigenvectors.backward(eigenvectors_rule)


def eigh(x: Any, UPLO: Any = "L") -> Eigh:
    """Eigenvalues of a symmetric matrix, in ascending order, and its eigenvectors, as columns.

    Where eigenvalues are equal, their eigenvectors are not unique and have no derivative: a gradient through
    the vectors is nan there, while one through the values alone is right. The signs of the vectors are
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


def to_triangle(contribution: Any, triangle: str) -> Any:
    """The contribution to a symmetric matrix, moved to the triangle that was read: each element off the
    diagonal is added to its mirror image."""
    if triangle in ("L", "l"):  # NumPy takes either
        return tril(contribution) + tril(mT(contribution), k=-1)
    return triu(contribution) + triu(mT(contribution), k=1)


@operation(precision="floats")
def svdvals(x: Any) -> Any:
    """Singular values of a matrix, in descending order. The gradient exists also where they are equal.

    >>> import autodiff as ad
    >>> ad.ops.decompositions.svdvals(ad.Tensor([[3, 0], [0, -4]]))
    [4 3]
    """
    return np.linalg.svd(x, compute_uv=False)


def svdvals_rule(grad: Any, z: Any, x: Any) -> Any:
    """U diag(grad) V.T for the singular vectors U and V."""
    u, v = left_and_right(singular_vectors(x), x)
    return (u * expand_dims(grad, axis=-2)) @ mT(v)


svdvals.backward(svdvals_rule)


@operation(precision="floats")
def singular_vectors(x: Any) -> Any:
    """Singular vectors of a matrix, as columns, in the order of :func:`svdvals`: the left ones, U, stacked on
    top of the right ones, V (not its transpose).

    >>> import autodiff as ad
    >>> ad.ops.decompositions.singular_vectors(np.array([[0.5]]))
    array([[1.],
           [1.]])
    """
    u, _, vh = np.linalg.svd(x, full_matrices=False)
    return np.concatenate([u, np.swapaxes(vh, -1, -2)], axis=-2)


def singular_vectors_rule(grad: Any, z: Any, x: Any) -> Any:
    """U A V.T with A[i, j] = (skew(U.T gU) s[j] + s[i] skew(V.T gV)) / (s[j]**2 - s[i]**2) for the singular
    values s and the gradients gU and gV; plus the parts of gU and gV that are orthogonal to U and V, divided
    by s."""
    (u, v), (grad_u, grad_v) = left_and_right(z, x), left_and_right(grad, x)
    s = expand_dims(svdvals(x), axis=-2)
    inner = skew(mT(u) @ grad_u) * s + mT(s) * skew(mT(v) @ grad_v)
    contribution = u @ (inner * inverse_gaps((s - mT(s)) * (s + mT(s)))) @ mT(v)
    m, n = shape_of(x)[-2:]
    if m > n:
        contribution = contribution + ((grad_u - u @ (mT(u) @ grad_u)) / s) @ mT(v)
    elif n > m:
        contribution = contribution + u @ mT((grad_v - v @ (mT(v) @ grad_v)) / s)
    return contribution


singular_vectors.backward(singular_vectors_rule)


def svd(x: Any, full_matrices: bool = False) -> SVD:
    """Singular value decomposition, ``x = U @ diag(S) @ Vh``.

    Where singular values are equal, their vectors are not unique and have no derivative: a gradient through
    the vectors is nan there, while one through the values alone is right. The same holds for singular values
    of 0 if x is not square. The signs of the vectors are LAPACK's choice.

    Parameters
    ----------
    x
        Matrices of shape (..., m, n); k is the smaller of m and n.
    full_matrices
        True is an error for matrices that are not square, since x determines only k columns of U and k rows
        of Vh. (It is the default in NumPy and in PyTorch, not here.)

    Returns
    -------
    The namedtuple ``(U, S, Vh)``, of shapes (..., m, k), (..., k) and (..., k, n). S is in descending order.

    Raises
    ------
    ValueError
        If x has fewer than two axes, or if ``full_matrices`` is True and x is not square.

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
            f"svd with full_matrices=True has no gradient for matrices of shape {shape[-2:]}, which do not "
            "determine all columns; use full_matrices=False"
        )
    s = svdvals(x)
    u, v = left_and_right(singular_vectors(x), x)
    return SVD(u, s, mT(v))


def left_and_right(vectors: Any, x: Any) -> tuple[Any, Any]:
    """The left and the right singular vectors of x, or their gradients, from one array that stacks them."""
    rows, every = shape_of(x)[-2], slice(None)
    left = getitem(vectors, index=(..., slice(rows), every))
    right = getitem(vectors, index=(..., slice(rows, None), every))
    return left, right


def inverse_gaps(gaps: Any) -> Any:
    """1 / gap for each pair of different values, and 0 on the diagonal."""
    diagonal = np.eye(shape_of(gaps)[-1], dtype=gaps.dtype)
    return 1 / (gaps + diagonal) - diagonal


def skew(x: Any) -> Any:
    """Twice the skew-symmetric part of each matrix, x - x.T."""
    return x - mT(x)


@operation(precision="floats")
def pinv(x: Any, *, rcond: Any = None) -> Any:
    """Moore-Penrose pseudoinverse: the inverse if there is one, and otherwise the matrix that gives the least
    squares solution. Singular values below ``rcond`` times the largest count as 0 (NumPy's default is 1e-15).
    The derivative is valid where the rank is constant.

    >>> import autodiff as ad
    >>> ad.pinv(ad.Tensor([[2], [0]]))
    [[0.5   0]]
    """
    return np.linalg.pinv(x, rcond)


def pinv_rule(grad: Any, z: Any, x: Any, rcond: Any = None) -> Any:
    """-z.T g z.T, as for the inverse, plus (1 - x z) g.T z z.T + z.T z g.T (1 - z x), which is 0 if x has
    full rank and is square."""
    left = mT(grad) @ z @ mT(z)
    right = mT(z) @ z @ mT(grad)
    return -mT(z) @ grad @ mT(z) + (left - x @ (z @ left)) + (right - (right @ z) @ x)


pinv.backward(pinv_rule)
