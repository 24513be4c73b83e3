"""eigh, svd and pinv: what their parts are, first and second derivatives, equal and vanishing values, stacks,
and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.ops.decompositions import svdvals
from autodiff.testing import weights

RANDOM = np.random.default_rng(0)
SQUARE = RANDOM.normal(size=(4, 4))
SYMMETRIC = SQUARE + SQUARE.T
STACK = RANDOM.normal(size=(2, 3, 3))
SHAPES = [(3, 3), (4, 2), (2, 4), (2, 3, 2), (1, 3), (3, 1), (1, 1)]


def weighed(parts):
    return sum(((part * weights(part.shape)) ** 3).sum() for part in parts)


# -- eigh ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("uplo", ["L", "U"])
@pytest.mark.parametrize("array", [SYMMETRIC, SQUARE, STACK, SQUARE.T, SQUARE[::-1, ::-1], np.eye(1)])
def test_eigh_is_numpy_s_for_every_matrix(array, uplo):
    """For one that is not symmetric too, of which only one triangle is read."""
    found, expected = ad.eigh(Tensor(array), uplo), np.linalg.eigh(array, uplo)
    np.testing.assert_allclose(found.eigenvalues.data, expected.eigenvalues, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found.eigenvectors.data, expected.eigenvectors, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        ad.eigvalsh(array, uplo), np.linalg.eigvalsh(array, uplo), rtol=1e-12, atol=1e-14
    )


@pytest.mark.parametrize("uplo", ["L", "U", "l", "u"])
@pytest.mark.parametrize("array", [SYMMETRIC, SQUARE, STACK])
def test_derivatives_of_eigh(array, uplo):
    function = lambda x: weighed(ad.eigh(x, uplo))
    assert ad.gradcheck(function, array)
    assert ad.gradgradcheck(function, array)


def test_only_the_triangle_that_is_read_gets_a_gradient():
    x = Tensor(SYMMETRIC)
    (ad.eigvalsh(x) ** 2).sum().backward()  # the squared Frobenius norm
    np.testing.assert_allclose(x.grad.data, 2 * np.tril(SYMMETRIC) + 2 * np.tril(SYMMETRIC, -1), atol=1e-12)
    y = Tensor(SYMMETRIC)
    (ad.eigvalsh((y + y.T) / 2) ** 2).sum().backward()
    np.testing.assert_allclose(y.grad.data, 2 * SYMMETRIC, atol=1e-12)


@pytest.mark.parametrize("weight", [np.ones(3), np.array([1.0, 1.0, 0.0]), np.array([0.0, 0.0, 2.0])])
def test_equal_eigenvalues_have_a_gradient(weight):
    """Of a sum in which equal ones weigh the same, and which is smooth there."""
    array = np.diag([2.0, 2.0, 5.0])
    x = Tensor(array)
    (ad.eigvalsh(x) * weight).sum().backward()
    np.testing.assert_allclose(x.grad.data, np.diag(weight), atol=1e-15)


def test_eigenvectors_of_equal_eigenvalues_have_none():
    """That is said by nan, forward and backward, never by a number: what is built of values and vectors may
    be smooth there, yet its gradient cannot be had from theirs."""
    x = Tensor(np.eye(2))
    values, vectors = ad.eigh(x)
    (vectors @ (vectors * values).T).sum().backward()  # this is x
    assert np.isnan(x.grad.data).any()
    assert np.isnan(ad.jvp(lambda x: ad.eigh(x).eigenvectors, (np.eye(2),), (np.ones((2, 2)),))[1].data).any()
    moved = ad.jvp(lambda x: ad.eigvalsh(x).sum(), (np.eye(2),), (np.ones((2, 2)),))[1]
    assert moved.item() == 2


def test_a_triangle_that_is_none():
    with pytest.raises(ValueError, match="UPLO"):
        ad.eigh(Tensor(SQUARE), "X")


@pytest.mark.parametrize("function", [ad.eigh, ad.eigvalsh])
def test_eigh_of_what_is_not_square(function):
    with pytest.raises(ValueError, match=r"eigvalsh cannot take the Tensor of shape \(2, 3\).*square"):
        function(Tensor(np.ones((2, 3))))


# -- svd -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_svd_is_numpy_s(shape):
    array = RANDOM.normal(size=shape)
    found, expected = ad.svd(Tensor(array)), np.linalg.svd(array, full_matrices=False)
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine.data, theirs, rtol=1e-10, atol=1e-13)
    np.testing.assert_array_equal(svdvals(array), found.S.data)
    np.testing.assert_allclose(
        (found.U * found.S.expand_dims(-2)).matmul(found.Vh).data, array, rtol=1e-12, atol=1e-13
    )


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_derivatives_of_svd(shape):
    array = RANDOM.normal(size=shape)
    function = lambda x: weighed(ad.svd(x))
    assert ad.gradcheck(function, array)
    assert ad.gradgradcheck(function, array)


@pytest.mark.parametrize("array", [np.eye(3), np.diag([2.0, 2.0, 1.0]), np.ones((3, 2)), np.zeros((2, 2))])
def test_singular_values_have_a_gradient_where_they_are_equal_or_zero(array):
    """The Frobenius norm is smooth there; 'nuc' has the gradient U @ Vh where no value is 0."""
    x = Tensor(array)
    (ad.svd(x).S ** 2).sum().backward()
    np.testing.assert_allclose(x.grad.data, 2 * array, atol=1e-14)


def test_full_matrices():
    x = Tensor(STACK)
    assert ad.svd(x, full_matrices=True).U.shape == (2, 3, 3)
    with pytest.raises(ValueError, match=r"shape \(2, 3\).*full_matrices=False"):
        ad.svd(Tensor(np.ones((2, 3))), full_matrices=True)
    with pytest.raises(ValueError, match="svdvals cannot take"):
        ad.svd(Tensor([1.0, 2.0]))


# -- pinv ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_derivatives_of_pinv(shape):
    array = RANDOM.normal(size=shape)
    np.testing.assert_allclose(ad.pinv(Tensor(array)).data, np.linalg.pinv(array), rtol=1e-12, atol=1e-13)
    assert ad.gradcheck(lambda x: weighed([ad.pinv(x)]), array)
    assert ad.gradgradcheck(lambda x: weighed([ad.pinv(x)]), array)


def test_pinv_along_matrices_of_one_rank():
    a, b = RANDOM.normal(size=(4, 2)), RANDOM.normal(size=(2, 3))
    assert ad.gradcheck(lambda a, b: weighed([ad.pinv(a @ b, rcond=1e-10)]), a, b)
    assert ad.gradgradcheck(lambda a, b: weighed([ad.pinv(a @ b, rcond=1e-10)]), a, b)


def test_pinv_of_a_matrix_that_has_an_inverse_is_its_inverse():
    x, y = Tensor(SQUARE), Tensor(SQUARE)
    weighed([ad.pinv(x)]).backward()
    weighed([ad.inv(y)]).backward()
    np.testing.assert_allclose(x.grad.data, y.grad.data, rtol=1e-8)


# -- of all --------------------------------------------------------------------------------------------------

DECOMPOSED = {
    "eigh": lambda x: ad.eigh(x.transpose() @ x if x.ndim == 2 else x),
    "eigvalsh": lambda x: [ad.eigvalsh(x @ x.transpose())],
    "svd": ad.svd,
    "pinv": lambda x: [ad.pinv(x)],
}


@pytest.mark.parametrize("name", DECOMPOSED)
@pytest.mark.parametrize("shape", [(0, 0), (0, 2), (2, 0)], ids=str)
def test_of_nothing(name, shape):
    x = Tensor(np.zeros(shape))
    sum((part * part).sum() for part in DECOMPOSED[name](x)).backward()
    assert x.grad is None or x.grad.shape == shape


@pytest.mark.parametrize("name", DECOMPOSED)
def test_float32_stays_float32(name):
    x = Tensor(RANDOM.normal(size=(3, 2)).astype(np.float32))
    parts = DECOMPOSED[name](x)
    assert [part.dtype for part in parts] == [np.float32] * len(parts)
    weighed(parts).backward()
    assert x.grad.dtype == np.float32


@pytest.mark.parametrize("name", DECOMPOSED)
@pytest.mark.parametrize(
    "layout",
    [np.asfortranarray, lambda a: np.repeat(a, 2, 0)[::2], lambda a: a[::-1, ::-1][::-1, ::-1]],
    ids=["Fortran", "strided", "reversed"],
)
def test_the_layout_makes_no_difference(name, layout):
    plain, other = Tensor(SQUARE[:, :3]), Tensor(np.zeros((4, 3)))
    other._value = layout(SQUARE[:, :3])
    for x in (plain, other):
        weighed(DECOMPOSED[name](x)).backward()
    np.testing.assert_allclose(other.grad.data, plain.grad.data, rtol=1e-9)


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_gradient_of_one_part_alone(create_graph):
    for part in range(3):
        x = Tensor(SQUARE)
        weighed([ad.svd(x)[part]]).backward(create_graph=create_graph)
        assert ad.gradcheck(lambda x, part=part: weighed([ad.svd(x)[part]]), SQUARE)


def test_torch_agrees():
    """On what does not depend on the signs of the vectors, which are LAPACK's choice."""
    torch = pytest.importorskip("torch")
    c = np.array([1.0, -2.0, 3.0])

    def ours(x):
        values, vectors = ad.eigh((x + x.T) / 2)
        u, s, vh = ad.svd(x)
        return ((vectors * c) @ vectors.T * SQUARE[:3, :3]).sum() + (values**3).sum() + (
            (u * c) @ vh * SQUARE[1:, 1:]
        ).sum() + (s**3).sum()

    def theirs(x):
        values, vectors = torch.linalg.eigh((x + x.T) / 2)
        u, s, vh = torch.linalg.svd(x)
        k, first, second = (torch.tensor(a) for a in (c, SQUARE[:3, :3], SQUARE[1:, 1:]))
        return ((vectors * k) @ vectors.T * first).sum() + (values**3).sum() + (
            (u * k) @ vh * second
        ).sum() + (s**3).sum()

    x, y = Tensor(STACK[0]), torch.tensor(STACK[0], requires_grad=True)
    ours(x).backward()
    theirs(y).backward()
    np.testing.assert_allclose(x.grad.data, y.grad.numpy(), rtol=1e-9, atol=1e-12)
