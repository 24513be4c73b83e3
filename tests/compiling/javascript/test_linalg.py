"""Linear algebra, to 1e-12 of NumPy's. Eigenvectors and singular vectors are compared up to their signs,
which are free."""

from __future__ import annotations

import numpy as np
import pytest

from tests.compiling.javascript.node import Error, check

RNG = np.random.default_rng(0)
SQUARES = [RNG.normal(size=shape) for shape in ((1, 1), (2, 2), (5, 5), (3, 4, 4), (2, 1, 3, 3), (20, 20))]
MATRICES = [*SQUARES, *(RNG.normal(size=shape) for shape in ((4, 2), (2, 5), (3, 5, 2), (12, 7), (7, 12)))]
SYMMETRIC = [x + np.swapaxes(x, -1, -2) for x in SQUARES]
POSITIVE = [x @ np.swapaxes(x, -1, -2) + np.eye(x.shape[-1]) for x in SQUARES]


def ids(x):
    return str(x.shape)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("x", SQUARES, ids=ids)
def test_determinants_and_inverses(nd, x, dtype):
    x, rtol = x.astype(dtype), 1e-11 if dtype == "float64" else 2e-4
    check(nd.det(x), np.linalg.det(x), rtol)
    check(nd.slogdet(x), np.linalg.slogdet(x), rtol, rtol)
    check(nd.inv(x), np.linalg.inv(x), rtol, rtol)
    b = np.random.default_rng(1).normal(size=(*x.shape[:-1], 3)).astype(dtype)
    check(nd.solve(x, b), np.linalg.solve(x, b), rtol, rtol)
    check(nd.solve(x, b[..., :1]), np.linalg.solve(x, b[..., :1]), rtol, rtol)
    if x.ndim == 2:
        check(nd.solve(x, b[:, 0]), np.linalg.solve(x, b[:, 0]), rtol, rtol)


@pytest.mark.parametrize("x", POSITIVE, ids=ids)
def test_cholesky(nd, x):
    check(nd.cholesky(x), np.linalg.cholesky(x), 1e-12, 1e-13)
    noise = x + np.triu(np.ones(x.shape[-2:]), 1)  # the upper half is not read
    check(nd.cholesky(noise), np.linalg.cholesky(noise), 1e-12, 1e-13)


def signed(x, like):
    """Columns with the signs that those of another matrix have."""
    return x * np.where((x * like).sum(axis=-2, keepdims=True) < 0, -1, 1)


@pytest.mark.parametrize("triangle", ["L", "U"])
@pytest.mark.parametrize("x", SYMMETRIC, ids=ids)
def test_eigenvalues(nd, x, triangle):
    half = np.tril(x) if triangle == "L" else np.triu(x)
    values, vectors = nd.eigh(half, triangle)
    expected = np.linalg.eigh(half, triangle)
    check(values, expected[0], 1e-11, 1e-12)
    check(signed(vectors, expected[1]), expected[1], 1e-9, 1e-10)
    check(nd.eigvalsh(half, triangle), expected[0], 1e-11, 1e-12)
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(-2)[..., None, :], -2)
    assert (largest > 0).all()


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("x", MATRICES, ids=ids)
def test_singular_values(nd, x, full):
    u, s, vt = nd.svd(x, full_matrices=full)
    expected = np.linalg.svd(x, full_matrices=full)
    assert [part.shape for part in (u, s, vt)] == [part.shape for part in expected]
    check(s, expected[1], 1e-12, 1e-13)
    check(nd.svd(x, compute_uv=False), expected[1], 1e-12, 1e-13)
    k = s.shape[-1]
    np.testing.assert_allclose((u[..., :k] * s[..., None, :]) @ vt[..., :k, :], x, 1e-12, 1e-12)
    for rows in (np.swapaxes(u, -1, -2), vt):
        products = rows @ np.swapaxes(rows, -1, -2)
        np.testing.assert_allclose(products - np.eye(rows.shape[-2]), 0 * products, 0, 1e-12)
    np.testing.assert_allclose(signed(u[..., :k], expected[0][..., :k]), expected[0][..., :k], 1e-9, 1e-10)


def test_matrices_without_full_rank(nd):
    x = np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 0.5])
    u, s, vt = nd.svd(x)
    np.testing.assert_allclose(u * s @ vt, x, 1e-12, 1e-12)
    np.testing.assert_allclose(u @ u.T, np.eye(3), 0, 1e-12)
    check(nd.pinv(x), np.linalg.pinv(x), 1e-11, 1e-13)
    assert nd.det(np.zeros((3, 3))) == 0
    assert nd.slogdet(np.zeros((2, 2)))[1] == -np.inf
    with pytest.raises(Error, match="Singular matrix"):
        nd.inv(np.zeros((2, 2)))
    with pytest.raises(Error, match="not positive definite"):
        nd.cholesky(-np.eye(2))


@pytest.mark.parametrize("x", MATRICES, ids=ids)
def test_pseudoinverses_and_qr(nd, x):
    check(nd.pinv(x), np.linalg.pinv(x), 1e-10, 1e-11)
    check(nd.qr(x), list(np.linalg.qr(x)), 1e-10, 1e-12)


@pytest.mark.parametrize(
    "shapes", [((3,), (3,)), ((2, 3), (3, 4)), ((2, 3, 4), (4,)), ((2, 3, 4), (5, 4, 2)), ((), (3,))]
)
def test_dot_and_inner(nd, shapes):
    x, y = (RNG.normal(size=shape) for shape in shapes)
    check(nd.dot(x, y), np.dot(x, y), 1e-13, 1e-13)
    y = RNG.normal(size=shapes[0])
    check(nd.inner(x, y), np.inner(x, y), 1e-13, 1e-13)


@pytest.mark.parametrize("m", [1, 69])
@pytest.mark.parametrize("k", [1, 2, 67])
@pytest.mark.parametrize("n", [1, 5, 130])
def test_products_of_all_sizes_and_layouts(nd, m, k, n):
    x, y = RNG.normal(size=(m, k)), RNG.normal(size=(k, n))
    for a in (x, x.T.copy().T, np.repeat(x, 2, 1)[:, ::2]):
        for b in (y, y.T.copy().T, np.repeat(y, 2, 1)[:, ::2]):
            check(nd.matmul(a, b), a @ b, 1e-12, 1e-12)
    check(nd.matmul(x, y, out=np.zeros((n, m)).T), x @ y, 1e-12, 1e-12)
