"""max_pool, avg_pool, adaptive_avg_pool2d, unfold and fold."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.ops import windows
from tests.engine.ops import windowed

X = np.array([[[1.0, 2.0, 5.0, 3.0, 0.0], [4.0, 4.0, 5.0, 0.0, 9.0], [0.0, 7.0, 6.0, 8.0, 9.0]]])


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"kernel_size": 2}, [[4, 5]]),
        ({"kernel_size": 2, "ceil_mode": True}, [[4, 5, 9], [7, 8, 9]]),
        ({"kernel_size": 2, "stride": 1}, [[4, 5, 5, 9], [7, 7, 8, 9]]),
        ({"kernel_size": (1, 2), "stride": (2, 2)}, [[2, 5], [7, 8]]),
        ({"kernel_size": 3, "stride": 2, "padding": 1}, [[4, 5, 9], [7, 8, 9]]),
        ({"kernel_size": 2, "dilation": 2, "stride": 1}, [[6, 8, 9]]),
        ({"kernel_size": (3, 5)}, [[9]]),
    ],
)
def test_max_pool2d_by_hand(options, expected):
    assert ad.max_pool2d(Tensor(X), **options).data.tolist() == [expected]


def test_max_pool2d_in_torch_s_order_of_arguments():
    np.testing.assert_array_equal(ad.max_pool2d(X, 3, 2, 1), ad.max_pool2d(X, 3, stride=2, padding=1))


def test_two_channels_are_not_scrambled():
    """A fault of TinyTorch's."""
    x = np.stack([X[0], 10 * X[0]])
    assert ad.max_pool2d(x, 2).tolist() == [[[4, 5]], [[40, 50]]]
    assert ad.avg_pool2d(x, (1, 5)).tolist() == [[[2.2], [4.4], [6]], [[22], [44], [60]]]


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8])
def test_an_all_negative_picture_pools_to_negatives(dtype):
    """A fault of tinynn's and of TinyTorch's: a frame of zeros wins there."""
    x = np.array([[[-1, -2], [-3, -4]]], dtype)
    z = ad.max_pool2d(x, 2, 1, 1)
    assert z.tolist() == [[[-1, -1, -2], [-1, -1, -2], [-3, -3, -4]]]
    assert z.dtype == dtype


def test_an_all_negative_row_pools_to_negatives():
    x = Tensor([[-3.0, -2.0, -1.0]])
    ad.max_pool1d(x, 3, 2, 1).sum().backward()
    assert ad.max_pool1d(x, 3, 2, 1).data.tolist() == [[-2, -1]]
    assert x.grad.data.tolist() == [[0, 1, 1]]


def test_ties_share_the_gradient_as_in_max():
    x, same = Tensor(X[:, :2, :4]), Tensor(X[:, :2, :4])
    ad.max_pool2d(x, 2).backward([[[1.0, 6.0]]])
    assert x.grad.data.tolist() == [[[0, 0, 3, 0], [0.5, 0.5, 3, 0]]]
    for k, weight in enumerate((1.0, 6.0)):
        (same[:, :, 2 * k : 2 * k + 2].max() * weight).backward()
    np.testing.assert_array_equal(x.grad.data, same.grad.data)
    ad.max_pool2d(Tensor(np.zeros((1, 300, 2))), (300, 2)).backward(600.0)  # more ties than a byte counts


def test_many_ties():
    x = Tensor(np.zeros((1, 300, 2)))
    ad.max_pool2d(x, (300, 2)).backward(600.0)
    assert np.unique(x.grad.data).tolist() == [1]


@pytest.mark.parametrize("size", [4, 5, 9])
@pytest.mark.parametrize(("kernel", "stride", "dilation"), [(2, 2, 1), (3, 2, 2), (2, 3, 1), (3, 1, 1)])
def test_each_element_gets_its_share_of_every_window(size, kernel, stride, dilation):
    if (kernel - 1) * dilation >= size:
        return
    x, how = random(2, size, size), {"kernel_size": kernel, "stride": stride, "dilation": dilation}
    leaf = Tensor(x)
    z = ad.max_pool2d(leaf, **how)
    y = random(*z.shape, seed=1)
    z.backward(y)
    np.testing.assert_allclose(leaf.grad.data, windowed.to_largest(y, x, **how))


def test_nan_is_handed_on():
    x = np.array([[[1.0, np.nan, 2.0, 3.0]]])
    assert np.isnan(ad.max_pool2d(x, (1, 2))).tolist() == [[[True, False]]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"kernel_size": 2}, [[2.75, 3.25]]),
        ({"kernel_size": 2, "ceil_mode": True}, [[2.75, 3.25, 4.5], [3.5, 7, 9]]),
        ({"kernel_size": (3, 1), "padding": (1, 0)}, [[5 / 3, 2, 10 / 3, 1, 3]]),
        ({"kernel_size": (3, 1), "padding": (1, 0), "count_include_pad": False}, [[2.5, 3, 5, 1.5, 4.5]]),
        ({"kernel_size": 2, "divisor_override": 1}, [[11, 13]]),
    ],
)
def test_avg_pool2d_by_hand(options, expected):
    z = ad.avg_pool2d(Tensor(X), **options)
    np.testing.assert_allclose(z.data, [expected], rtol=1e-15)


def test_avg_pool1d_by_hand():
    x = Tensor([[1.0, 2.0, 3.0, 5.0]])
    assert ad.avg_pool1d(x, 3, 1, 1).data.tolist() == [[1, 2, 10 / 3, 8 / 3]]
    assert ad.avg_pool1d(x, 3, 1, 1, False, False).data.tolist() == [[1.5, 2, 10 / 3, 4]]


def test_adaptive_avg_pool2d_by_hand():
    row = np.array([[[1.0, 2.0, 3.0, 5.0, 10.0]]])
    assert ad.adaptive_avg_pool2d(row, (None, 2)).tolist() == [[[2, 6]]]  # the middle is in both
    assert ad.adaptive_avg_pool2d(row, (1, 1)).tolist() == [[[4.2]]]
    assert ad.adaptive_avg_pool2d(row, (2, 5)).tolist() == [[row[0, 0].tolist()] * 2]
    np.testing.assert_allclose(ad.adaptive_avg_pool2d(Tensor(X), 1).data, X.mean((1, 2), keepdims=True))
    assert ad.adaptive_avg_pool2d(X.astype(np.float32), 2).dtype == np.float32
    assert ad.adaptive_avg_pool2d(X.astype(int), 1).dtype == float
    ad.gradcheck(lambda x: ad.adaptive_avg_pool2d(x, (2, 3)), X)


def test_means_of_whole_numbers_are_no_whole_numbers():
    assert ad.avg_pool2d(np.array([[[1, 2]]]), (1, 2)).tolist() == [[[1.5]]]


@pytest.mark.parametrize("cache", [1, 100])
def test_in_pieces_of_any_size(cache, monkeypatch):
    monkeypatch.setattr(windows, "IN_CACHE", cache)
    x, how = random(2, 3, 9, 8), {"kernel_size": (3, 2), "stride": 2, "padding": 1}
    y = random(*windowed.shape_of_pooled(x, how), seed=1)
    z = Tensor(x)
    ad.max_pool2d(z, **how).backward(y)
    np.testing.assert_allclose(z.grad.data, windowed.to_largest(y, x, **how))
    again = ad.ops.pooling.at_largest(random(*x.shape, seed=2), x, **how)
    np.testing.assert_allclose(again, windowed.at_largest(random(*x.shape, seed=2), x, **how))


def test_unfold_by_hand_and_a_convolution_as_a_product():
    x, weight = random(2, 3, 5, 6), random(4, 3, 2, 3, seed=1)
    columns = ad.unfold(x, (2, 3), stride=2, padding=1)
    z = (weight.reshape(4, -1) @ columns).reshape(2, 4, 3, 3)
    np.testing.assert_allclose(z, ad.conv2d(x, weight, stride=2, padding=1), rtol=1e-12)


def test_fold_counts_how_often_a_pixel_is_met():
    x = np.ones((1, 1, 4, 5))
    counts = ad.fold(ad.unfold(x, 3, padding=1), (4, 5), 3, padding=1)
    assert counts[0, 0].tolist() == [[4, 6, 6, 6, 4], [6, 9, 9, 9, 6], [6, 9, 9, 9, 6], [4, 6, 6, 6, 4]]


def test_fold_is_the_adjoint_of_unfold():
    how = {"kernel_size": (2, 3), "stride": (2, 1), "dilation": (1, 2), "padding": (1, 0)}
    x = random(2, 3, 5, 7)
    columns = ad.unfold(x, **how)
    y = random(*columns.shape, seed=1)
    np.testing.assert_allclose(np.sum(columns * y), np.sum(x * ad.fold(y, (5, 7), **how)), rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ad.max_pool2d(X[0], 2),
            r"pictures must have the shape \(N, C, H, W\) or \(C, H, W\), not \(3, 5\)",
        ),
        (
            lambda: ad.max_pool2d(X, 0),
            "kernel_size must be a whole number or a pair of them, each at least 1",
        ),
        (
            lambda: ad.max_pool2d(X, 4),
            r"the kernel spans \(4, 4\), which does not fit into a picture of \(3, 5\)",
        ),
        (lambda: ad.max_pool2d(X, 2, padding=2), r"padding \(2, 2\) must be at most half of the kernel"),
        (lambda: ad.avg_pool2d(X, 2, divisor_override=0), "divisor_override must be a whole number"),
        (lambda: ad.avg_pool2d(X, (1, 2, 3)), "kernel_size must be a whole number or a pair"),
        (lambda: ad.adaptive_avg_pool2d(X, (1, 2, 3)), "adaptive_avg_pool2d must be a number or a pair"),
        (lambda: ad.adaptive_avg_pool2d(X[0], 1), r"adaptive_avg_pool2d takes the shape \(N, C, H, W\)"),
        (lambda: ad.max_pool1d(X[0, 0], 1), r"max_pool1d takes the shape \(N, C, L\) or \(C, L\)"),
        (lambda: ad.unfold(X[0], 2), "pictures must have the shape"),
        (
            lambda: ad.fold(X, (3, 3), 2),
            r"the columns must have the shape \(N, C \* 4, 4\) or \(C \* 4, 4\), not \(1, 3, 5\)",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_size_that_is_no_whole_number_is_refused():
    with pytest.raises(
        TypeError, match=r"max_pool2d cannot take .*: kernel_size must be a whole number or a pair"
    ):
        ad.max_pool2d(X, 2.0)
    with pytest.raises(TypeError, match="output_size must be a whole number"):
        ad.adaptive_avg_pool2d(X, 1.5)
