"""topk, partition and quantile: which elements, in which order, and where their gradients go."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.ops.ranking import quantile

ARRAY = np.random.default_rng(0).permutation(24).reshape(2, 3, 4) / 8
NAN = ARRAY.copy()
NAN[0, 1, 2] = np.nan


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [0, 1, 2])
def test_topk_is_torch_s(axis, largest, k):
    torch = pytest.importorskip("torch")
    x, y = Tensor(ARRAY), torch.tensor(ARRAY, requires_grad=True)
    found, expected = ad.topk(x, k, axis, largest), torch.topk(y, k, axis, largest)
    np.testing.assert_array_equal(found.values.data, expected.values.detach().numpy())
    np.testing.assert_array_equal(found.indices.data, expected.indices.numpy())
    (found.values**2).sum().backward()
    (expected.values**2).sum().backward()
    np.testing.assert_array_equal(x.grad.data, y.grad.numpy())


def test_topk_of_equal_elements_and_of_nan():
    values, indices = ad.topk(Tensor([1.0, 3.0, 3.0, np.nan, 3.0]), 3)
    assert indices.data.tolist() == [3, 1, 2]
    assert values.data.tolist()[1:] == [3, 3]
    assert ad.topk([1.0, 1.0, 0.0], 2, largest=False).indices.tolist() == [2, 0]
    assert not indices.requires_grad


@pytest.mark.parametrize("k", [-1, 5])
def test_topk_of_more_than_there_are(k):
    with pytest.raises(ValueError, match=f"cannot take {k} of the 4 elements along axis 0"):
        ad.topk(Tensor([1.0, 2.0, 3.0, 4.0]), k)


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (2, 0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("q", [0, 1, 0.3, 0.5, [0.25, 0.9], [[0.1], [0.7]], []])
@pytest.mark.parametrize("array", [ARRAY, NAN, ARRAY[:1, :1, :1], ARRAY.astype(np.float32)])
def test_quantile_is_numpy_s(axis, keepdims, q, array):
    found = np.quantile(Tensor(array), q, axis, keepdims=keepdims)
    expected = np.quantile(array, q, axis, keepdims=keepdims)
    np.testing.assert_allclose(found.data, expected, rtol=1e-6 if array.dtype == np.float32 else 1e-13)
    assert found.shape == expected.shape


@pytest.mark.parametrize("axis", [None, 1, (0, 2)])
def test_slopes_of_quantiles(axis):
    assert ad.gradcheck(lambda x: (quantile(x, [0.2, 0.5, 0.9], axis) ** 2).sum(), ARRAY, eps=1e-3)
    assert ad.gradcheck(lambda x: (np.percentile(x, 30, axis) ** 2).sum(), ARRAY, eps=1e-3)
    assert ad.gradgradcheck(lambda x: (quantile(x, [0.2, 0.5], axis) ** 3).sum(), ARRAY, eps=1e-3)


def test_quantiles_of_infinities():
    x = Tensor([1.0, 2.0, np.inf])
    z = quantile(x, [0.25, 0.5, 1.0])
    z[:2].sum().backward()
    assert z.data.tolist() == [1.5, 2, np.inf]
    assert x.grad.data.tolist() == [0.5, 1.5, 0]


@pytest.mark.parametrize("q", [-0.1, 1.1, np.nan])
def test_a_fraction_that_is_none(q):
    with pytest.raises(ValueError, match="between 0 and 1"):
        quantile(Tensor([1.0]), q)


def test_a_quantile_of_nothing():
    with pytest.raises(ValueError, match="quantile needs at least one element"):
        quantile(Tensor(np.zeros((2, 0))), 0.5)


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_partition_is_numpy_s(axis):
    x = Tensor(ARRAY)
    z = np.partition(x, 1, axis)
    np.testing.assert_array_equal(z.data, np.partition(ARRAY, 1, axis))
    (z * z.data).sum().backward()
    np.testing.assert_array_equal(x.grad.data, ARRAY)
