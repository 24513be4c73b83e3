"""conv1d, conv2d, conv_transpose1d, conv_transpose2d, and the operations behind them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.ops import convolution, pixels, windows
from tests.engine.ops import windowed


def random(*shape, seed=0, dtype=float):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


PICTURE = np.array([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]])
CROSS = np.array([[[[0.0, 1.0], [10.0, 100.0]]]])


def test_conv2d_by_hand():
    x, weight, bias = Tensor(PICTURE), Tensor(CROSS), Tensor([1000.0])
    z = ad.conv2d(x, weight, bias)
    assert z.data.tolist() == [[[[1542, 1653], [1875, 1986]]]]
    z.backward(np.array([[[[1.0, 0.0], [0.0, 2.0]]]]))
    assert x.grad.data.tolist() == [[[[0, 1, 0], [10, 100, 2], [0, 20, 200]]]]
    assert weight.grad.data.tolist() == [[[[11, 14], [20, 23]]]]
    assert bias.grad.data.tolist() == [3]


def test_two_kernels_are_not_scrambled():
    """A fault of TinyTorch's: more than one output channel came out in the wrong order."""
    z = ad.conv2d(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), [[[[1.0]]], [[[10.0]]]])
    assert z.data.tolist() == [[[[1, 2], [3, 4]], [[10, 20], [30, 40]]]]


def test_the_kernel_is_not_turned_round():
    assert ad.conv1d([[1.0, 0.0, 0.0, 0.0, 0.0]], [[[1.0, 2.0, 3.0]]], padding=2).tolist() == [
        [3.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [6, 9, 12]),
        ({"stride": 2}, [6, 12]),
        ({"padding": 1}, [3, 6, 9, 12, 9]),
        ({"padding": (1,)}, [3, 6, 9, 12, 9]),
        ({"padding": "valid"}, [6, 9, 12]),
        ({"padding": "same"}, [3, 6, 9, 12, 9]),
        ({"dilation": 2}, [9]),
        ({"padding": "same", "stride": 2}, [3, 9, 9]),
        ({"padding": "same", "stride": 3}, [6, 9]),  # five by three is two, and one zero comes at the end
        ({"padding": "same", "dilation": 2}, [4, 6, 9, 6, 8]),
    ],
)
def test_conv1d_by_hand(options, expected):
    z = ad.conv1d(Tensor([[[1.0, 2.0, 3.0, 4.0, 5.0]]]), [[[1.0, 1.0, 1.0]]], **options)
    assert z.data.tolist() == [[expected]]


def test_same_with_a_stride_pads_as_tensorflow_does():
    ones = np.ones((1, 1, 3))
    row = np.array([[1.0, 2.0, 3.0, 4.0]])
    assert ad.conv1d(row, ones, padding="same", stride=2).tolist() == [[6.0, 7.0]]
    down = ad.conv2d(row[..., None], ones[..., None], padding="same", stride=(2, 1))
    assert down.tolist() == [[[6.0], [7.0]]]
    for n, k, s, d in itertools.product(range(1, 7), range(1, 4), range(1, 4), range(1, 3)):
        z = ad.conv1d(np.ones((1, n)), np.ones((1, 1, k)), padding="same", stride=s, dilation=d)
        assert z.shape == (1, -(-n // s))


def test_groups_see_their_own_channels():
    x = np.array([[[1.0, 2.0], [30.0, 40.0]]])
    assert ad.conv1d(x, [[[1.0]], [[2.0]]], groups=2).tolist() == [[[1, 2], [60, 80]]]
    both = ad.conv1d(x, [[[1.0]], [[2.0]], [[1.0]], [[2.0]]], groups=2)
    assert both.tolist() == [[[1, 2], [2, 4], [30, 40], [60, 80]]]


def test_conv_transpose2d_by_hand():
    x, weight, bias = Tensor([[[[1.0, 2.0]]]]), Tensor(CROSS), Tensor([0.5])
    z = ad.conv_transpose2d(x, weight, bias, stride=2)
    assert z.data.tolist() == [[[[0.5, 1.5, 0.5, 2.5], [10.5, 100.5, 20.5, 200.5]]]]
    z.sum().backward()
    assert x.grad.data.tolist() == [[[[111, 111]]]]
    assert weight.grad.data.tolist() == [[[[3, 3], [3, 3]]]]
    assert bias.grad.data.tolist() == [8]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [1, 12, 20]),
        ({"stride": 2}, [1, 10, 2, 20]),
        ({"stride": 3}, [1, 10, 0, 2, 20]),
        ({"stride": 2, "output_padding": 1}, [1, 10, 2, 20, 0]),
        ({"stride": 2, "padding": 1}, [10, 2]),
        ({"stride": 2, "padding": 1, "output_padding": 1}, [10, 2, 20]),
        ({"dilation": 3, "output_padding": 2}, [1, 2, 0, 10, 20, 0, 0]),
        ({"padding": "valid"}, [1, 12, 20]),
        ({"padding": "same"}, [1, 12]),
        ({"padding": "same", "stride": 2}, [1, 10, 2, 20]),
        ({"padding": "same", "stride": 3}, [1, 10, 0, 2, 20, 0]),
    ],
)
def test_conv_transpose1d_by_hand(options, expected):
    x, bias = Tensor([[[1.0, 2.0]]]), Tensor([0.5])
    z = ad.conv_transpose1d(x, [[[1.0, 10.0]]], bias, **options)
    assert (z.data - 0.5).tolist() == [[expected]]
    z.sum().backward()
    assert bias.grad.data.tolist() == [len(expected)]


SETTINGS = [
    {"stride": s, "padding": p, "dilation": d, "groups": g}
    for s, p, d, g in itertools.product((1, 2, (2, 3)), (0, 1, (0, 2)), (1, (2, 1)), (1, 2))
]


@pytest.mark.parametrize("how", SETTINGS, ids=str)
def test_the_transposed_convolution_is_the_adjoint(how):
    """For all x and y, conv(x) y = x conv_transpose(y), with the same weight."""
    groups = how["groups"]
    weight = random(3 * groups, 2, 3, 2, seed=1)
    for height, width in ((5, 6), (6, 7), (7, 5)):
        x = random(2, 2 * groups, height, width)
        out = ad.conv2d(x, weight, **how)
        y = random(*out.shape, seed=2)
        least = ad.conv_transpose2d(y, weight, **how)
        more = tuple(n - m for n, m in zip((height, width), least.shape[2:]))
        back = ad.conv_transpose2d(y, weight, output_padding=more, **how)
        assert back.shape == x.shape
        np.testing.assert_allclose(np.sum(out * y), np.sum(x * back), rtol=1e-12)


def test_of_a_single_picture():
    x, weight, bias = random(3, 5, 6), random(4, 3, 3, 3, seed=1), random(4, seed=2)
    batch = ad.conv2d(x[None], weight, bias, padding=1)
    np.testing.assert_array_equal(ad.conv2d(x, weight, bias, padding=1), batch[0])
    y = random(4, 2, 3)
    back = ad.conv_transpose2d(y[None], weight, bias[:3], stride=2)
    np.testing.assert_array_equal(ad.conv_transpose2d(y, weight, bias[:3], stride=2), back[0])
    rows = random(3, 7)
    expected = ad.conv1d(rows[None], weight[:, :, 0], bias)[0]
    np.testing.assert_array_equal(ad.conv1d(rows, weight[:, :, 0], bias), expected)


@pytest.mark.parametrize("channels", [1, 3, 7, 8, 9])
@pytest.mark.parametrize("how", [{}, {"stride": (2, 1), "padding": ((1, 0), (2, 1)), "dilation": (1, 2)}])
@pytest.mark.parametrize("cache", [1, 200, 10**6])
def test_in_pieces_of_any_size(channels, how, cache, monkeypatch):
    """A large convolution is computed some rows at a time, in products of limited size."""
    monkeypatch.setattr(windows, "IN_CACHE", cache)
    monkeypatch.setattr(pixels, "PACKING_LIMIT", 40 * cache)
    monkeypatch.setattr(pixels, "columns_together", pixels.columns_together.__wrapped__)
    x, weight, bias = random(40, channels, 9, 8), random(5, channels, 3, 2, seed=1), random(5, seed=2)
    z = convolution.convolution(x, weight, bias, **how)
    np.testing.assert_allclose(z, windowed.convolution(x, weight, bias, **how), rtol=1e-10, atol=1e-12)
    y = random(*z.shape, seed=3)
    back = convolution.transposed_convolution(y, weight, 0.5, size=(9, 8), **how)
    expected = windowed.transposed_convolution(y, weight, 0.5, size=(9, 8), **how)
    np.testing.assert_allclose(back, expected, rtol=1e-10, atol=1e-12)
    slope = convolution.kernel_gradient(x, y, size=(3, 2), **how)
    expected = windowed.kernel_gradient(x, y, size=(3, 2), **how)
    np.testing.assert_allclose(slope, expected, rtol=1e-10, atol=1e-11)


def lies_by_pixel(x):
    return np.transpose(x, (2, 3, 0, 1)).flags.c_contiguous


def test_a_network_of_pictures_stays_in_the_memory_order_of_pixels():
    """A copy between two layers would cost as much as a layer."""
    x = Tensor(random(4, 2, 8, 8, dtype=np.float32))
    h = ad.conv2d(x, random(9, 2, 3, 3, dtype=np.float32), random(9, dtype=np.float32))
    r = h.relu()
    p = ad.max_pool2d(r, 2)
    z = ad.conv2d(p, Tensor(random(10, 9, 2, 2, dtype=np.float32)))
    assert all(map(lies_by_pixel, (h.data, r.data, p.data, z.data)))
    z.backward(np.ones_like(z.data))
    assert all(map(lies_by_pixel, (z.grad.data, p.grad.data, r.grad.data, h.grad.data)))
    assert {t.grad.dtype for t in (z, p, r, h, x)} == {np.dtype(np.float32)}


def test_constants_of_whole_numbers():
    counts = np.arange(16).reshape(1, 1, 4, 4)
    weight = Tensor(np.ones((1, 1, 2, 2), np.float32))
    z = ad.conv2d(counts.astype(np.int8), weight)
    assert z.data.tolist() == [[[[10, 14, 18], [26, 30, 34], [42, 46, 50]]]]
    z.sum().backward()
    assert weight.grad.data.tolist() == [[[[45, 54], [81, 90]]]]
    assert ad.conv2d(counts, np.ones((1, 1, 2, 2), int)).dtype == int


def test_plain_arrays_and_lists_give_plain_arrays():
    assert type(ad.conv2d(PICTURE, CROSS)) is np.ndarray
    assert type(ad.conv2d(PICTURE.tolist(), CROSS.tolist(), [0.0])) is np.ndarray
    assert type(ad.conv_transpose1d([[1.0]], [[[1.0]]])) is np.ndarray


def test_nothing_is_computed_for_pictures_that_want_no_gradient(monkeypatch):
    def refuse(*operands, **options):
        raise AssertionError("the gradient of a constant")

    monkeypatch.setattr(convolution.transposed_convolution, "forward", refuse)
    weight = Tensor(CROSS)
    ad.conv2d(PICTURE, weight).sum().backward()
    assert weight.grad is not None


def test_third_derivatives():
    def f(x, weight):
        return ad.conv2d(x, weight, stride=2, padding=1).tanh()

    def twice(x, weight):
        return ad.grad(lambda x: ad.grad(lambda x: f(x, weight).sum())(x).sum())(x)

    ad.gradcheck(twice, random(1, 2, 3, 3), random(2, 2, 2, 2, seed=1), eps=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ad.conv2d(PICTURE[0, 0], CROSS), r"conv2d takes inputs of shape \(N, C, H, W\) or"),
        (lambda: ad.conv2d(PICTURE, CROSS[0]), r"the weight of conv2d must have the shape \(K, C / groups"),
        (lambda: ad.conv2d(PICTURE, np.ones((1, 1, 0, 2))), "the weight of conv2d must have the shape"),
        (lambda: ad.conv2d(Tensor(PICTURE), np.ones((4, 3, 2, 2))), r"takes 3 channels, not the Tensor of"),
        (lambda: ad.conv2d(PICTURE, np.ones((4, 1, 2, 2)), groups=2), r"and 2 groups takes 2 channels"),
        (lambda: ad.conv2d(PICTURE, np.ones((3, 1, 2, 2)), groups=2), "cannot split 3 kernels into 2"),
        (
            lambda: ad.conv2d(PICTURE, CROSS, [1.0, 2.0]),
            r"the bias of conv2d must have the shape \(1,\), not \(2,\)",
        ),
        (
            lambda: ad.conv2d(PICTURE, CROSS, stride=0),
            "stride of conv2d must be a whole number or a pair of them",
        ),
        (lambda: ad.conv2d(PICTURE, CROSS, padding=-1), "padding of conv2d must be .* at least 0, not -1"),
        (
            lambda: ad.conv2d(PICTURE, CROSS, padding=(1, 2, 3)),
            "padding of conv2d must be a whole number or a",
        ),
        (lambda: ad.conv2d(PICTURE, CROSS, padding="full"), "'same' or 'valid', not 'full'"),
        (lambda: ad.conv2d(PICTURE, CROSS, dilation=3), r"conv2d spans \(4, 4\), which does not fit into a"),
        (lambda: ad.conv2d(PICTURE, np.ones((1, 1, 6, 1)), padding=1), r"of \(5, 5\) with its padding"),
        (lambda: ad.conv1d(PICTURE, CROSS), r"conv1d takes inputs of shape \(N, C, L\) or \(C, L\)"),
        (
            lambda: ad.conv1d(PICTURE[0], np.ones((1, 3, 2)), stride=(1, 2)),
            "stride of conv1d must be a whole",
        ),
        (lambda: ad.conv_transpose2d(PICTURE, CROSS, output_padding=1), "must be less than the stride or"),
        (lambda: ad.conv_transpose2d(PICTURE, CROSS, padding=2), "crops all of an output of"),
        (lambda: ad.conv_transpose2d(PICTURE, np.ones((2, 1, 2, 2))), "takes 2 channels"),
        (
            lambda: ad.conv_transpose2d(PICTURE, CROSS, stride=2, padding="same", output_padding=1),
            "takes no output_padding",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("stride", [1.5, "2", True, None, (1, 2.0)])
def test_a_setting_that_is_no_whole_number_is_refused(stride):
    with pytest.raises(TypeError, match="stride of conv2d must be a whole number or a pair of them"):
        ad.conv2d(PICTURE, CROSS, stride=stride)


def test_settings_may_be_numpy_s_numbers_and_lists():
    one = np.int64(1)
    expected = ad.conv2d(PICTURE, CROSS, None, 1, 1)
    np.testing.assert_array_equal(ad.conv2d(PICTURE, CROSS, stride=one, padding=[1, one]), expected)


def test_the_functions_are_found_in_the_catalogue_and_made_of_operations():
    from autodiff.engine.catalogue import catalogue

    for name in ("conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d"):
        assert getattr(catalogue, name) is getattr(ad, name)
    z = ad.conv1d(Tensor([[1.0, 2.0]]), [[[1.0]]])
    names = []
    while z.creation_op:
        names.append(str(z.creation_op))
        z = z.creators[0]
    assert "convolution" in names


ROWS, KERNEL = np.ones((1, 2, 4)), np.ones((2, 1, 3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ad.conv1d(ROWS, np.ones((1, 2, 9))),
            "the kernel of conv1d spans 9, which does not fit into a row of 4",
        ),
        (
            lambda: ad.conv1d(ROWS, np.ones((1, 2, 3)), padding="x"),
            "padding of conv1d must be a number, 'same' or",
        ),
        (
            lambda: ad.conv_transpose1d(ROWS, KERNEL, padding=9),
            "padding of conv_transpose1d is 9, which crops all",
        ),
        (
            lambda: ad.conv_transpose1d(ROWS, KERNEL, output_padding=3),
            "output_padding of conv_transpose1d is 3; it",
        ),
        (
            lambda: ad.conv_transpose1d(ROWS, KERNEL, stride=2, padding="same", output_padding=1),
            "conv_transpose1d with padding='same' takes no output_padding, but 1 was given",
        ),
        (
            lambda: ad.nn.ConvTranspose1d(2, 1, 3, padding=9)(ROWS),
            "padding of conv_transpose1d is 9, which crops all",
        ),
        (
            lambda: ad.nn.Conv1d(2, 1, 9)(ROWS),
            "the kernel of conv1d spans 9, which does not fit into a row of 4",
        ),
    ],
)
def test_an_error_about_rows_names_the_function_of_rows(call, message):
    with pytest.raises(ValueError, match=message):
        call()
