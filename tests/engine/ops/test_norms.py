"""Norms of every order: NumPy's values, their derivatives at kinks and at 0, which axes, what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor

inf = np.inf
ARRAY = np.random.default_rng(0).normal(size=(3, 4, 2))
VECTOR_ORDERS = [None, 2, 2.0, 1, 0, inf, -inf, 3, 1.5, 0.5, -1, -2]
MATRIX_ORDERS = [None, "fro", "nuc", 1, -1, 2, -2, inf, -inf]
CALLS = [
    *itertools.product(VECTOR_ORDERS, [0, 1, -1, (1,)], [False, True]),
    *itertools.product(MATRIX_ORDERS, [(0, 1), (1, 0), (-1, 0), (1, 2)], [False, True]),
]


@pytest.mark.parametrize(("order", "axis", "keepdims"), CALLS)
def test_values_and_slopes(order, axis, keepdims):
    expected = np.linalg.norm(ARRAY, order, axis, keepdims)
    for function in (ad.norm, np.linalg.norm):
        x = Tensor(ARRAY)
        found = function(x, order, axis, keepdims)
        np.testing.assert_allclose(found.data, expected, rtol=1e-13)
        assert found.shape == expected.shape
        assert found.requires_grad == (order != 0)
    assert order == 0 or ad.gradcheck(lambda x: (ad.norm(x, order, axis, keepdims) ** 2).sum(), ARRAY)


@pytest.mark.parametrize("order", [o for o in VECTOR_ORDERS if o != 0])
def test_second_derivatives_along_one_axis(order):
    assert ad.gradgradcheck(lambda x: (ad.norm(x, ord=order, axis=1) ** 3).sum(), ARRAY)


@pytest.mark.parametrize("order", MATRIX_ORDERS)
def test_second_derivatives_over_two_axes(order):
    assert ad.gradgradcheck(lambda x: (ad.norm(x, order, (0, 1)) ** 3).sum(), ARRAY)


@pytest.mark.parametrize(("order", "array"), [
    *((order, ARRAY[0, :, 0]) for order in VECTOR_ORDERS),
    *((order, ARRAY[0]) for order in MATRIX_ORDERS),
    *((order, ARRAY[:1, :1, 0]) for order in MATRIX_ORDERS),
    (None, ARRAY),
])  # fmt: skip
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_without_an_axis(order, array, dtype):
    array = array.astype(dtype)
    found, expected = np.linalg.norm(Tensor(array), order), np.linalg.norm(array, order)
    np.testing.assert_allclose(found.data, expected, rtol=1e-6 if dtype == np.float32 else 1e-13)
    assert found.dtype == expected.dtype


@pytest.mark.parametrize("order", [o for o in VECTOR_ORDERS if o is not None])
def test_a_vector_of_zeros_has_no_nan(order):
    """Its slope is 0, as that of the Euclidean norm."""
    x = Tensor(np.zeros(3))
    z = ad.norm(x, order)
    assert z.item() == 0
    if z.requires_grad:
        z.backward(create_graph=True)
        assert x.grad.data.tolist() == [0, 0, 0]


@pytest.mark.parametrize("order", [3, 1.5, 0.5, 1])
def test_one_zero_among_others(order):
    x, rest = Tensor([0.0, 3.0, -4.0]), Tensor([3.0, -4.0])
    ad.norm(x, order).backward()
    ad.norm(rest, order).backward()
    np.testing.assert_allclose(x.grad.data, [0, *rest.grad.data], rtol=1e-14)


def test_a_zero_makes_a_norm_of_negative_order_zero():
    x = Tensor([0.0, 3.0])
    z = ad.norm(x, -2)
    z.backward()
    assert (z.item(), x.grad.data.tolist()) == (0, [0, 0])


def test_equal_singular_values_share_the_spectral_norm_s_gradient():
    x = Tensor(np.eye(2) * 3)
    ad.norm(x, 2).backward()
    np.testing.assert_allclose(x.grad.data, np.eye(2) / 2, atol=1e-15)
    x.zero_grad()
    ad.norm(x, "nuc").backward()
    np.testing.assert_allclose(x.grad.data, np.eye(2), atol=1e-15)


REFUSED = [
    (ARRAY[0], 3, None, "the order of a matrix norm must be 'fro'.*not 3"),
    (ARRAY[0], "max", None, "not 'max'"),
    (ARRAY[0, 0], "fro", None, "the order of a vector norm must be .*not 'fro'"),
    (ARRAY, 1, None, "needs one or two axes, not 3"),
    (ARRAY, 1, 7, "axis 7"),
    (ARRAY, 1, (0, 0), "repeated axis"),
]


@pytest.mark.parametrize(("array", "order", "axis", "says"), REFUSED)
def test_what_is_refused(array, order, axis, says):
    for function in (ad.norm, np.linalg.norm):
        with pytest.raises(ValueError, match=says):
            function(Tensor(array), order, axis)


def test_of_plain_arrays_and_lists():
    assert ad.norm([3.0, -4.0], 1) == 7
    assert ad.norm([[3, -4], [0, 2]], inf) == 7
    assert isinstance(ad.norm(ARRAY, 1, axis=0), np.ndarray)


@pytest.mark.parametrize("order", [1, inf, 3])
def test_torch_agrees(order):
    torch = pytest.importorskip("torch")
    x, y = Tensor(ARRAY), torch.tensor(ARRAY, requires_grad=True)
    (ad.norm(x, order, axis=1) ** 2).sum().backward()
    (torch.linalg.vector_norm(y, order, dim=1) ** 2).sum().backward()
    np.testing.assert_allclose(x.grad.data, y.grad.numpy(), rtol=1e-12)


@pytest.mark.parametrize("order", ["nuc", 1, -1, 2, -2, inf, -inf])
def test_torch_agrees_on_matrices(order):
    torch = pytest.importorskip("torch")
    x, y = Tensor(ARRAY), torch.tensor(ARRAY, requires_grad=True)
    (ad.norm(x, order, axis=(0, 1)) ** 2).sum().backward()
    (torch.linalg.matrix_norm(y, order, dim=(0, 1)) ** 2).sum().backward()
    np.testing.assert_allclose(x.grad.data, y.grad.numpy(), rtol=1e-10, atol=1e-14)
