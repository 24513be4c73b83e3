"""diag, kron, meshgrid, tensordot, cross, multi_dot, matrix_power, stacked: NumPy's values, derivatives, and
what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.catalogue import catalogue
from autodiff.ops.assembling import matrix_power, multi_dot, stacked
from autodiff.testing import weights

NAMES = """
    cross deg2rad diag divmod eigh eigvalsh floor_divide fmod kron logaddexp2 meshgrid mod nan_to_num pinv
    rad2deg remainder sinc svd tensordot topk trunc
""".split()  # noqa: SIM905  a paragraph of names
RANDOM = np.random.default_rng(0)


def drawn(*shape):
    return RANDOM.normal(size=shape)


def check(ours, theirs, *arrays, rtol=1e-13):
    """Values, first and second derivatives, of one result or several."""

    def parts(result):
        return list(result) if isinstance(result, (list, tuple)) else [result]

    found, expected = parts(ours(*map(Tensor, arrays))), parts(theirs(*arrays))
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine.data, other, rtol=rtol, atol=1e-14)
        assert (mine.shape, mine.dtype) == (np.shape(other), np.asarray(other).dtype)

    def total(*x):
        return sum((part * part * weights(part.shape)).sum() for part in parts(ours(*x)))

    assert ad.gradcheck(total, *arrays)
    assert ad.gradgradcheck(total, *arrays)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_in_the_package_and_in_the_catalogue(name):
    assert getattr(ad, name) is getattr(catalogue, "remainder" if name == "mod" else name)
    assert name in ad.__all__


@pytest.mark.parametrize("k", [0, 1, -2])
@pytest.mark.parametrize("shape", [(3,), (1,), (0,), (3, 3), (2, 4)], ids=str)
def test_diag(k, shape):
    check(lambda x: ad.diag(x, k), lambda x: np.diag(x, k), drawn(*shape))


def test_diag_of_other_arrays():
    for array in (2.0, np.ones((2, 2, 2))):
        with pytest.raises(ValueError, match="diag takes a vector or a matrix, not an array with"):
            ad.diag(Tensor(array))


SHAPES = [
    ((2,), (3,)), ((2, 3), (2,)), ((2,), (2, 1, 3)), ((), (3,)), ((2, 2), ()), ((1, 2), (3, 1)), ((0,), (2,))
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), SHAPES, ids=str)
def test_kron(left, right):
    check(ad.kron, np.kron, drawn(*left), drawn(*right))


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("sizes", [(2, 3, 4), (2, 3), (1, 2), (3,), (0, 2)], ids=str)
def test_meshgrid(indexing, sparse, sizes):
    options = {"indexing": indexing, "sparse": sparse}
    arrays = [drawn(size) for size in sizes]
    check(lambda *x: ad.meshgrid(*x, **options), lambda *x: np.meshgrid(*x, **options), *arrays)


def test_a_grid_of_numbers_and_of_what_is_no_vector():
    check(ad.meshgrid, np.meshgrid, drawn(), drawn(2))
    assert ad.meshgrid() == ()
    with pytest.raises(ValueError, match="takes vectors"):
        ad.meshgrid(Tensor(drawn(2, 2)))
    with pytest.raises(ValueError, match="'xy' or 'ij', not 'yx'"):
        ad.meshgrid(Tensor(drawn(2)), indexing="yx")


PRODUCTS = [
    ((2, 3), (2, 3), 2), ((2, 3), (3, 4), 1), ((2,), (3,), 0), ((2, 3, 4), (4, 3, 2), ([1, 2], [1, 0])),
    ((2, 3), (4, 2), (0, 1)), ((2, 3), (4, 2), (-2, -1)), ((2, 3, 2), (3, 2, 2), ((0, 1), (2, 0))),
    ((0, 2), (2, 3), 1), ((1, 2), (2, 1), ([0], [1])),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right", "axes"), PRODUCTS, ids=str)
def test_tensordot(left, right, axes):
    arrays = drawn(*left), drawn(*right)
    check(lambda x, y: ad.tensordot(x, y, axes), lambda x, y: np.tensordot(x, y, axes), *arrays)


@pytest.mark.parametrize(
    ("left", "right", "axes"),
    [((2, 3), (2, 3), 1), ((1, 2), (3, 2), (0, 0)), ((2, 2), (2, 2), ([0, 1], [0]))],
)
def test_tensordot_of_axes_that_do_not_match(left, right, axes):
    """Sizes of 1 are not stretched, as in NumPy."""
    with pytest.raises(ValueError, match="axes of equal sizes"):
        ad.tensordot(Tensor(drawn(*left)), drawn(*right), axes)


CROSSED = [
    ((3,), (3,), -1), ((2, 3), (3,), -1), ((2, 3), (4, 1, 3), -1), ((3, 2), (3, 2), 0),
    ((2, 3, 2), (2, 3, 2), 1),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right", "axis"), CROSSED, ids=str)
def test_cross(left, right, axis):
    check(
        lambda x, y: ad.cross(x, y, axis), lambda x, y: np.cross(x, y, axis=axis), drawn(*left), drawn(*right)
    )


def test_cross_with_an_axis_for_each():
    check(
        lambda x, y: np.cross(x, y, axisa=0, axisb=1, axisc=0), lambda x, y: np.cross(x, y, 0, 1, 0),
        drawn(3, 2), drawn(2, 3),
    )  # fmt: skip


@pytest.mark.parametrize("shape", [(2,), (4,), (), (3, 2)], ids=str)
def test_cross_of_other_vectors(shape):
    with pytest.raises(ValueError, match="vectors of 3 numbers along axis -1, not an array of shape"):
        ad.cross(Tensor(np.ones(shape)), Tensor(np.ones(3)))


@pytest.mark.parametrize(
    "shapes",
    [[(2, 3), (3, 4)], [(2, 3), (3, 4), (4, 1), (1, 2)], [(3,), (3, 2), (2,)], [(3,), (3, 2), (2, 4)]],
    ids=str,
)
def test_multi_dot(shapes):
    arrays = [drawn(*shape) for shape in shapes]
    check(lambda *x: np.linalg.multi_dot(x), lambda *x: np.linalg.multi_dot(x), *arrays, rtol=1e-11)


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        ([(2, 3)], "two or more matrices"), ([(2, 3), (2, 3)], "cannot multiply the shapes"),
        ([(2,), (2,), (2,)], "two or more matrices"),
    ],
)
def test_multi_dot_of_what_makes_no_product(shapes, says):
    with pytest.raises(ValueError, match=says):
        multi_dot([Tensor(np.ones(shape)) for shape in shapes])


@pytest.mark.parametrize("n", [0, 1, 2, 5, -1, -3])
@pytest.mark.parametrize("shape", [(2, 2), (2, 3, 3), (1, 1)], ids=str)
def test_matrix_power(n, shape):
    array = drawn(*shape) + 2 * np.eye(shape[-1])
    check(lambda x: np.linalg.matrix_power(x, n), lambda x: np.linalg.matrix_power(x, n), array, rtol=1e-10)


def test_matrix_power_of_what_is_not_square():
    with pytest.raises(ValueError, match="square matrices"):
        matrix_power(Tensor(drawn(2, 3)), 2)
    with pytest.raises(TypeError):
        matrix_power(Tensor(drawn(2, 2)), 0.5)


@pytest.mark.parametrize("shape", [(), (2,), (2, 0)], ids=str)
def test_stacked_is_a_stack_of_lists_to_any_depth(shape):
    arrays = drawn(*shape), drawn(*shape)
    check(lambda x, y: stacked([[x, y * 2], (y, x)]), lambda x, y: np.array([[x, 2 * y], [y, x]]), *arrays)
    x = Tensor(2.0)
    assert stacked([x, 1]).data.tolist() == [2, 1]
    assert stacked([x]).shape == (1,)
    assert not isinstance(stacked([1, [2, 3]][1:]), Tensor)
    assert not stacked([x.detach(), 1]).requires_grad
    with pytest.raises(ValueError, match="stack"):
        stacked([x, [x, x]])
