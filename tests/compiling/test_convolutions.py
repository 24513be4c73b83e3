"""What programs do for convolutional networks: gradients without copies that cross the memory, sums over
pixels, and wide numbers."""

from __future__ import annotations

import re
import threading

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.compiling import compile_function as compiled
from autodiff.compiling.inference import shape_of_product
from autodiff.compiling.memory_order import axes_of, stand_in
from autodiff.compiling.writing import planning
from autodiff.compiling.writing.running import in_c_order

PIXELS = (2, 3, 0, 1)
X = np.random.default_rng(0).normal(size=(16, 8, 14, 14)).astype(np.float32)
W = np.random.default_rng(1).normal(size=(12, 8, 3, 3)).astype(np.float32)


def loss(x, w, **how):
    z = ad.conv2d(x, w, **how)
    return (z * z).sum()


def gradients(f, *arrays):
    """The gradients of a function, compiled in every bit, and not compiled."""
    g = ad.value_and_grad(f, argnums=tuple(range(len(arrays))))
    tensors = [Tensor(array, requires_grad=False) for array in arrays]
    return compiled(g, exact=True)(*tensors)[1], g(*tensors)[1]


# -- both gradients ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [{}, {"padding": 1}, {"padding": (2, 0)}], ids=str)
@pytest.mark.parametrize("size", [14, 11])
def test_both_gradients_keep_every_bit(how, size):
    found, expected = gradients(lambda x, w: loss(x, w, **how), X[:, :, :size, :size], W)
    for mine, other in zip(found, expected):
        np.testing.assert_array_equal(mine.data, other.data)
        assert mine.data.flags.owndata or mine.data.base.flags.owndata
    assert not np.shares_memory(found[0].data, found[1].data)


@pytest.mark.parametrize("how", [{"exact": True}, {"stride": 2}, {"groups": 2}, {"dilation": 2}], ids=str)
def test_gradients_of_other_convolutions_keep_every_bit(how):
    w = W[:, :4] if "groups" in how else W
    found, expected = gradients(lambda x, w: loss(x, w, **how), X, w)
    for mine, other in zip(found, expected):
        np.testing.assert_array_equal(mine.data, other.data)


def test_two_convolutions_with_the_same_gradient():

    def f(x, y, v, w):
        z = ad.conv2d(x, v) + ad.conv2d(y, w)
        return (z * z).sum()

    found, expected = gradients(f, X, X[::-1] + 1, W, 2 * W)
    for mine, other in zip(found, expected):
        np.testing.assert_array_equal(mine.data, other.data)


def test_a_gradient_that_nobody_wants_is_not_computed():
    fast = compiled(ad.grad(loss, argnums=1))
    fast(X, W)
    assert "transposed_convolution(" not in fast.source  # the gradient of the pictures


def test_a_gradient_of_gradients_is_right():
    def second(x, w):
        dx, dw = ad.grad(loss, argnums=(0, 1))(x, w)
        return (dx * dx).sum() + (dw * dw).sum()

    fast = compiled(ad.grad(second, argnums=(0, 1)))
    x, w = Tensor(X, requires_grad=False), Tensor(W, requires_grad=False)
    for mine, other in zip(fast(x, w), fast.f(x, w)):
        np.testing.assert_allclose(mine.data, other.data, rtol=1e-3, atol=1e-3 * np.abs(other.data).max())


def test_a_call_with_several_results_is_made_once():
    fast = compiled(lambda x: [*np.linalg.qr(x), *np.linalg.qr(x + 1)])
    x = np.random.default_rng(0).normal(size=(4, 4))
    for mine, other in zip(fast(x), fast.f(x), strict=True):
        np.testing.assert_array_equal(mine, other)
    calls = [line for line in fast.source.splitlines() if re.search(r" = qr(_2)?\(", line)]
    assert len(calls) == 2  # of four results


def test_a_part_is_read_after_its_argument_was_overwritten(monkeypatch):
    monkeypatch.setattr(planning, "LARGE", 16)

    def f(x):
        y = x * 2
        q, r = np.linalg.qr(y)
        z = np.exp(y) + 1  # computed in the memory of y
        return [q.sum(), z.sum(), r]

    x = np.random.default_rng(0).normal(size=(6, 6))
    fast = compiled(f)
    for mine, other in zip(fast(x), f(x), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)


# -- sums, copies, wide numbers -----------------------------------------------------------------------------


def laid(x, axes):
    new = np.empty_like(stand_in(x.shape, x.dtype, axes))
    new[...] = x
    return new


@pytest.mark.parametrize("keepdims", [False, True])
def test_a_sum_over_pixels_is_a_product_with_ones(keepdims):
    x = laid(np.random.default_rng(0).normal(size=(32, 16, 10, 12)), PIXELS)
    fast = compiled(lambda x: (x * 2).sum((0, 2, 3), keepdims=keepdims))
    found = fast(Tensor(x, requires_grad=False)).data
    assert "ones_3840.dot(" in fast.source
    expected = 2 * x.sum((0, 2, 3), keepdims=keepdims)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    c = np.ascontiguousarray(x)  # the same program, for an array in another order
    np.testing.assert_allclose(fast(Tensor(c, requires_grad=False)).data, expected, rtol=1e-12, atol=1e-12)


def test_sums_that_do_not_come_first_in_memory_stay_sums():
    x = laid(np.random.default_rng(0).normal(size=(32, 16, 10, 12)), PIXELS)
    fast = compiled(lambda x: [(x * 2).sum((1, 2, 3)), (x * 2).sum((0, 1)), (x * 2).sum(1)])
    for mine, other in zip(fast(Tensor(x, requires_grad=False)), fast.f(Tensor(x, requires_grad=False))):
        np.testing.assert_allclose(mine.data, other.data, rtol=1e-12, atol=1e-12)
    assert ".dot(" not in fast.source


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, bool])
@pytest.mark.parametrize("shape", [
    (64, 16, 4, 4), (64, 16, 5, 3), (64, 16, 32), (3, 5), (7,), (), (0, 4), (64, 16, 1, 1),
])  # fmt: skip
def test_a_copy_in_c_order_is_a_copy(shape, dtype):
    x = (np.random.default_rng(0).normal(size=shape) * 100).astype(dtype)
    orders = {
        4: [(), PIXELS, (3, 2, 1, 0), (1, 2, 3, 0)],
        3: [(), (2, 0, 1), (1, 2, 0), (2, 1, 0)],
        2: [(), (1, 0)],
    }
    for axes in orders.get(len(shape), [()]):
        found = in_c_order(laid(x, axes))
        np.testing.assert_array_equal(found, x)
        assert (found.dtype, found.flags.c_contiguous) == (x.dtype, True)
    if shape and shape[0]:
        np.testing.assert_array_equal(in_c_order(x[::-1]), x[::-1])


def test_pictures_are_flattened_by_a_copy_in_c_order():
    x = laid(np.random.default_rng(0).normal(size=(64, 16, 5, 4)), PIXELS)
    fast = compiled(lambda x: [(x * 2).reshape(64, -1), (x * 2).reshape(64 * 16, 20)])
    flat, view = fast(Tensor(x, requires_grad=False))
    np.testing.assert_array_equal(flat.data, 2 * x.reshape(64, -1))
    np.testing.assert_array_equal(view.data, 2 * x.reshape(1024, 20))
    assert fast.source.count("in_c_order(") == 1  # the second is a view


@pytest.mark.parametrize("axes", [(), PIXELS, (3, 2, 1, 0)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_maximum_with_a_number_takes_a_wide_array(axes, dtype):
    x = laid(np.random.default_rng(0).normal(size=(32, 16, 18, 20)).astype(dtype), axes)
    x[0, 0, 0, :4] = np.nan, np.inf, -np.inf, -0.0
    fast = compiled(lambda x: [(x + 1).relu() * 2, ad.minimum(x * 2, 0.5) + 1], exact=True)
    x = Tensor(x, requires_grad=False)
    for mine, other in zip(fast(x), fast.f(x)):
        np.testing.assert_array_equal(mine.data, other.data)
        np.testing.assert_array_equal(np.signbit(mine.data), np.signbit(other.data))
        assert axes_of(mine.data) == axes
    assert "np.full((" in str(fast.source) or "np.zeros((" in str(fast.source)


def test_a_maximum_with_a_number_in_blocks():
    x = np.random.default_rng(0).normal(size=(1000, 600))
    fast = compiled(lambda x: (x.relu() * 2 + 1).exp())
    x = Tensor(x, requires_grad=False)
    np.testing.assert_allclose(fast(x).data, fast.f(x).data, rtol=1e-12)
    assert "for i in range" in fast.source
    assert "(1, 600)" in fast.source


def test_shapes_of_products():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        x, y = (tuple(map(int, rng.choice(4, rng.integers(1, 5)))) for _ in range(2))
        try:
            expected = np.matmul(np.zeros(x), np.zeros(y)).shape
        except ValueError:
            with pytest.raises(ValueError, match=r"matmul|broadcast"):
                shape_of_product(x, y)
        else:
            assert shape_of_product(x, y) == expected


def test_a_large_product_takes_no_time_to_trace():
    big = np.broadcast_to(np.zeros((), np.float32), (1 << 20, 1 << 20))
    assert shape_of_product(big.shape, big.shape) == big.shape


# -- a whole network ----------------------------------------------------------------------------------------


def network():
    rng = np.random.default_rng(0)
    shapes = [(8, 1, 3, 3), (8,), (16, 8, 3, 3), (16,), (10, 16 * 5 * 5), (10,)]
    return [0.2 * rng.normal(size=shape).astype(np.float32) for shape in shapes]


def cross_entropy(x, w1, b1, w2, b2, w3, b3):
    h = ad.conv2d(x, w1, b1).relu()
    h = ad.conv2d(h, w2, b2, padding=1).relu()
    h = ad.linear(ad.max_pool2d(h, 2).flatten(1), w3, b3)
    return -h.log_softmax()[np.arange(len(x.data)), np.arange(len(x.data)) % 10].mean()


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("axes", [(), PIXELS])
def test_a_convolutional_network(exact, axes):
    x = laid(np.random.default_rng(1).normal(size=(64, 1, 12, 12)).astype(np.float32), axes)
    f = ad.value_and_grad(cross_entropy, argnums=(1, 2, 3, 4, 5, 6))
    fast = compiled(f, exact=exact)
    x = Tensor(x, requires_grad=False)
    leaves = [Tensor(array, requires_grad=False) for array in network()]
    for _ in range(3):
        (value, found), (other, expected) = fast(x, *leaves), f(x, *leaves)
        compare = np.testing.assert_array_equal if exact else close
        compare(value.data, other.data)
        for mine, theirs in zip(found, expected):
            compare(mine.data, theirs.data)


def close(mine, other):
    np.testing.assert_allclose(mine, other, rtol=1e-3, atol=1e-4 * np.abs(other).max())


def test_several_threads_run_one_network():
    f = ad.value_and_grad(cross_entropy, argnums=(1, 2, 3, 4, 5, 6))
    fast = compiled(f)
    leaves = network()
    pictures = np.random.default_rng(0).normal(size=(4, 64, 1, 12, 12)).astype(np.float32)
    batches = [Tensor(x, requires_grad=False) for x in pictures]
    expected = [[np.array(g) for g in fast(x, *leaves)[1]] for x in batches]
    found = [None] * 4

    def run(place):
        for _ in range(5):
            found[place] = fast(batches[place], *leaves)[1]

    threads = [threading.Thread(target=run, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for mine, other in zip(found, expected):
        for a, b in zip(mine, other):
            np.testing.assert_array_equal(a, b)


def test_new_arrays_are_written_over_when_nothing_reads_them():
    def f(x, w):
        z = ad.conv2d(x, w)  # 12x12, whole tiles
        return [(z.relu() * 2).sum(), z.exp().sum((0, 2, 3))]

    x, w = Tensor(X, requires_grad=False), Tensor(W, requires_grad=False)
    fast = compiled(f)
    for mine, other in zip(fast(x, w), f(x, w)):
        np.testing.assert_allclose(mine.data, other.data, rtol=1e-4)
    assert "out=convolution1)" in fast.source  # the exponential, which reads it last
    assert fast.source.count("out=convolution1)") == 1


def test_new_arrays_that_are_results_are_kept_and_not_copied():
    def f(x, w):
        z = ad.conv2d(x, w)
        return [z, z.exp(), z.transpose(1, 0, 2, 3)]

    fast = compiled(f)
    x, w = Tensor(X, requires_grad=False), Tensor(W, requires_grad=False)
    first = fast(x, w)
    kept = [np.array(each.data) for each in first]
    second = fast(Tensor(2 * X), w)
    for one, before, other, same in zip(first, kept, second, fast.f(x, w)):
        np.testing.assert_array_equal(one.data, before)
        np.testing.assert_array_equal(one.data, same.data)
        assert not np.shares_memory(one.data, other.data)
    assert not np.shares_memory(first[0].data, first[2].data)
    assert fast.source.count("np.copyto(") == 1  # of the transposed one


def test_new_arrays_that_somebody_may_have_kept_are_not_written_over():
    kept = []

    def keep(array):
        kept.append(array)
        return np.array(array)

    keeping = ad.operation(keep).backward(None)

    def f(x, w):
        z = ad.conv2d(x, w)
        return keeping(z).sum() + (z * 2).sum()

    fast = compiled(f)
    fast(Tensor(X, requires_grad=False), Tensor(W, requires_grad=False))
    np.testing.assert_array_equal(kept[-1], ad.conv2d(X, W))


# -- rectifiers and pools -----------------------------------------------------------------------------------


def pooled(x, **how):
    return ad.max_pool2d(x.relu(), 2, **how)


ties = np.round(X, 0)
extreme = X.copy()
extreme[0, 0, :2, :4] = [[np.nan, 1, np.inf, -np.inf], [-1, -2, 3, np.inf]]
extreme[0, 0, 2:4, :4] = [[-0.0, 0, -1, -1], [0, -0.0, -5, -5]]
PICTURES = {"X": X, "ties": ties, "negative": -np.abs(X), "extreme": extreme, "one": X[0]}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("x", PICTURES.values(), ids=PICTURES)
@pytest.mark.parametrize("how", [{}, {"padding": 1}], ids=str)
def test_a_pool_of_a_rectifier_keeps_every_bit(x, how, dtype):
    weights = np.random.default_rng(3).normal(size=ad.max_pool2d(x, 2, **how).shape).astype(dtype)
    weights.flat[0] = np.inf
    f = ad.value_and_grad(lambda x: (pooled(x * 2, **how) * weights).sum())
    x = Tensor(x.astype(dtype), requires_grad=False)
    fast = compiled(f, exact=True)
    for mine, other in zip(fast(x), f(x)):
        np.testing.assert_array_equal(mine.data, other.data)
        known = ~np.isnan(other.data)
        np.testing.assert_array_equal(np.signbit(mine.data)[known], np.signbit(other.data)[known])


@pytest.mark.parametrize("f", [
    lambda x: pooled(x).sum() + x.relu().exp().sum(),  # something else reads the rectified pixels
    lambda x: pooled(x).sum() + (ad.max_pool2d(x.relu(), 3) * 2).sum(),  # another pool does
    lambda x: pooled(x, stride=1).square().sum(),
    lambda x: pooled(x, stride=3, ceil_mode=True).square().sum(),
    lambda x: pooled(x, dilation=2).square().sum(),
    lambda x: ad.max_pool2d(ad.maximum(x, 0.5), 2).sum(),
    lambda x: ad.max_pool2d(ad.leaky_relu(x), 2).sum(),
    lambda x: ad.max_pool2d(ad.maximum(x, x * 2), 2).sum(),
], ids=range(8))  # fmt: skip
def test_other_pools_keep_every_bit(f):
    g = ad.value_and_grad(f)
    x = Tensor(X, requires_grad=False)
    fast = compiled(g, exact=True)
    for mine, other in zip(fast(x), g(x)):
        np.testing.assert_array_equal(mine.data, other.data)


def test_a_rectified_result_is_returned():
    def f(x):
        y = x.relu()
        z = ad.max_pool2d(y, 2)
        return z.sum(), y

    def g(x):
        x = Tensor(x.data)
        total, y = f(x)
        total.backward()
        return y.detach(), x.grad

    fast = compiled(g, exact=True)
    x = Tensor(X, requires_grad=False)
    for mine, other in zip(fast(x), g(x)):
        np.testing.assert_array_equal(mine.data, other.data)


def test_pools_differentiated_twice():
    f = ad.grad(lambda x: ad.grad(lambda x: (pooled(x).square() * x[:, :, ::2, ::2]).sum())(x).square().sum())
    x = Tensor(X, requires_grad=False)
    np.testing.assert_array_equal(compiled(f, exact=True)(x).data, f(x).data)
