"""The matrix product, in every combination of vectors, matrices and stacks; the other products."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.catalogue import catalogue
from autodiff.ops.linalg import bmm, cosine_similarity

LEFT = [(3,), (2, 3), (4, 2, 3), (1, 2, 3), (5, 1, 2, 3)]
RIGHT = [(3,), (3, 2), (4, 3, 2), (1, 3, 1)]


@pytest.mark.parametrize(("left", "right"), list(itertools.product(LEFT, RIGHT)), ids=str)
def test_shapes_and_gradients(left, right):
    random = np.random.default_rng(1)
    x, y = random.normal(size=left), random.normal(size=right)
    np.testing.assert_allclose(ad.matmul(Tensor(x), Tensor(y)).data, x @ y)
    assert ad.gradcheck(ad.matmul, x, y)


def test_an_empty_product_is_0():
    x, y = Tensor(np.ones((2, 0))), Tensor(np.ones((0, 3)))
    z = x @ y
    z.backward(1)
    assert z.data.tolist() == [[0, 0, 0]] * 2
    assert (x.grad.shape, y.grad.shape) == ((2, 0), (0, 3))


def test_infinity_times_0_is_nan_in_silence():
    x, y = Tensor([[np.inf]]), Tensor([[0.0]])
    z = x @ y
    z.backward(1)
    np.testing.assert_array_equal([z.data, x.grad.data, y.grad.data], [[[np.nan]], [[0]], [[np.inf]]])


def test_mm_matmul_and_the_operator_are_one():
    x, y = Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])
    products = [x @ y, x.mm(y), x.matmul(y), ad.matmul(x, y), np.matmul(x, y), x.data @ y, x @ y.data]
    assert [product.data.tolist() for product in products] == [[[11.0]]] * 7
    assert {str(product.creation_op) for product in products} == {"matmul"}


@pytest.mark.parametrize("matrix", [[[1.0, 2.0], [3.0, 4.0]], [[0.0, 1.0], [0.0, 0.0]]])
def test_a_matrix_times_itself(matrix):
    """The slopes of sum(X @ X): every element is in a row and in a column."""
    x = Tensor(matrix)
    (x @ x).sum().backward()
    ones = np.ones((2, 2))
    np.testing.assert_allclose(x.grad.data, ones @ x.data.T + x.data.T @ ones)


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([[1.0, 2.0]], [1.0, 2.0, 3.0], "the first needs as many columns as the second has rows"),
        ([1.0, 2.0], 3.0, r"for a product with a number use \*"),
    ],
    ids=["sizes", "a number"],
)
def test_a_product_that_does_not_exist_is_refused_in_words(x, y, reason):
    with pytest.raises(ValueError, match=rf"^matmul cannot take the Tensor of [^:]*: {reason}$"):
        Tensor(x) @ Tensor(y)


def test_a_product_of_two_numbers_is_refused_by_name():
    with pytest.raises((ValueError, TypeError), match="matmul"):
        Tensor(2.0) @ Tensor(3.0)


SHAPES = [(), (3,), (2, 3), (4, 2, 3)]


@pytest.mark.parametrize(("left", "right"), list(itertools.product(SHAPES, SHAPES)), ids=str)
@pytest.mark.parametrize("name", ["dot", "inner", "outer"])
def test_products_of_every_number_of_axes(name, left, right):
    if name == "dot" and len(right) > 1:
        right = (*right[:-2], 3, 2)
    random = np.random.default_rng(1)
    x, y = random.normal(size=left), random.normal(size=right)
    product = catalogue.find(name)
    np.testing.assert_allclose(product(Tensor(x), Tensor(y)).data, getattr(np, name)(x, y))
    assert ad.gradcheck(product, x, y)


def test_an_empty_dot_product_is_0():
    x, y = Tensor(np.zeros((2, 0))), Tensor(np.zeros((0, 3)))
    z = catalogue.find("dot")(x, y)
    z.backward(1)
    assert z.data.tolist() == [[0, 0, 0]] * 2
    assert (x.grad.shape, y.grad.shape) == ((2, 0), (0, 3))


def test_a_trace_by_hand():
    x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y = catalogue.find("trace")(x, offset=1)
    y.backward()
    assert y.item() == 8
    assert x.grad.data.tolist() == [[0, 1, 0], [0, 0, 1]]


def test_bmm_is_a_product_of_stacks():
    random = np.random.default_rng(1)
    x, y = random.normal(size=(4, 2, 3)), random.normal(size=(4, 3, 2))
    z = bmm(Tensor(x), y)
    assert z.creation_op == "matmul"
    np.testing.assert_allclose(z.data, x @ y)
    np.testing.assert_allclose(bmm(x.tolist(), y), x @ y)
    assert ad.gradcheck(bmm, x, y)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((2, 3), (3, 2)), ((4, 2, 3), (3, 2)), ((4, 2, 3), (1, 3, 2)), ((4, 2, 3), (4, 2, 3)),
        ((), (4, 3, 2)), ((5, 4, 2, 3), (5, 4, 3, 2)),
    ],
    ids=str,
)  # fmt: skip
def test_bmm_takes_nothing_but_stacks(left, right):
    with pytest.raises(ValueError, match=r"bmm takes shapes .*not the Tensor 'x'.* and .*matmul"):
        bmm(Tensor(np.ones(left), name="x"), np.ones(right))


@pytest.mark.parametrize(
    ("x", "y", "axis", "value"),
    [
        ([3.0, 4.0], [3.0, 4.0], -1, 1),
        ([3.0, 4.0], [-4.0, 3.0], -1, 0),
        ([3.0, 4.0], [-6.0, -8.0], 0, -1),
        ([0.0, 0.0], [1.0, 2.0], 0, 0),
        ([1.0, 2.0], [0.0, 0.0], 0, 0),
        ([[3.0, 4.0], [1.0, 0.0]], [1.0, 0.0], -1, [0.6, 1]),
        ([[3.0, 0.0], [4.0, 1.0]], [[1.0], [0.0]], 0, [0.6, 0]),
    ],
    ids=str,
)
def test_the_cosine_between_vectors(x, y, axis, value):
    np.testing.assert_allclose(cosine_similarity(Tensor(x), Tensor(y), axis).data, value, atol=1e-15)
    np.testing.assert_allclose(cosine_similarity(x, y, axis), value, atol=1e-15)


def test_the_cosine_s_slopes_also_where_there_is_no_angle():
    random = np.random.default_rng(1)
    assert ad.gradcheck(cosine_similarity, random.normal(size=(2, 3)), random.normal(size=3))
    x = Tensor([0.0, 0.0])
    cosine_similarity(x, [3.0, 4.0], eps=0.5).backward()
    np.testing.assert_allclose(x.grad.data, [1.2, 1.6])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("large", [1e21, 1e-6, 1e37])
def test_the_cosine_does_not_depend_on_the_lengths(large, dtype):
    x = Tensor(np.array([3, 4, 12], dtype) * dtype(large))
    y = Tensor(np.array([1, -2, 2], dtype) * dtype(large))
    z = cosine_similarity(x, y)
    (z * 1e6).backward()
    assert z.dtype == dtype
    assert z.item() == pytest.approx(19 / 39, rel=1e-6)
    cosine = 19 / 39
    expected = 1e6 * (np.array([1, -2, 2]) / 3 - cosine * np.array([3, 4, 12]) / 13) / 13 / large
    np.testing.assert_allclose(x.grad.data, expected, rtol=1e-5)
