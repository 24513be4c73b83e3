"""Depthwise convolution with np.einsum: the values and gradients of the plain form, and not needed."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.ops import convolution, depthwise
from autodiff.testing import LAYOUTS, laid
from tests.engine.ops import windowed

ROOT = Path(__file__).resolve().parents[3]


def random(*shape, seed=0, dtype=float):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


@pytest.fixture
def calls(monkeypatch):
    """The names of what the fast form computes, as it is called."""
    names = []

    def watched(name, function, *args):
        names.append(name)
        return function(*args)

    for name in ("convolution", "transposed_convolution", "kernel_gradient"):
        monkeypatch.setattr(depthwise, name, partial(watched, name, getattr(depthwise, name)))
    return names


ALL = ["convolution", "transposed_convolution", "kernel_gradient"]
PADDINGS = [((0, 0), (0, 0)), ((1, 1), (1, 1)), ((2, 0), (1, 3)), ((4, 5), (0, 4))]


@pytest.mark.parametrize("kernel", [(1, 1), (3, 3), (2, 4), (5, 1)])
@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("together", [1, *(pytest.param(n, marks=pytest.mark.thorough) for n in (20, 2000))])
def test_values_and_gradients_are_those_of_loops_over_windows(kernel, padding, together, calls, monkeypatch):
    monkeypatch.setattr(depthwise, "PIXELS_TOGETHER", together)
    x, weight, bias = random(2, 30, 9, 8), random(30, 1, *kernel, seed=1), random(30, seed=2)
    for stride, dilation in itertools.product([(1, 1), (2, 1), (3, 2), (1, 4)], [(1, 1), (2, 1), (1, 2)]):
        how = {"stride": stride, "padding": padding, "dilation": dilation, "groups": 30}
        whole = [n + sum(ends) for n, ends in zip((9, 8), padding)]
        if min(windowed.out_size(whole, kernel, stride, dilation)) < 1:
            continue
        calls.clear()
        z = convolution.convolution(x, weight, bias, **how)
        check_alike(z, windowed.convolution(x, weight, bias, **how))
        y = random(*z.shape, seed=3)
        back = convolution.transposed_convolution(y, weight, 0.5, size=(9, 8), **how)
        check_alike(back, windowed.transposed_convolution(y, weight, 0.5, size=(9, 8), **how))
        slope = convolution.kernel_gradient(x, y, size=kernel, **how)
        check_alike(slope, windowed.kernel_gradient(x, y, size=kernel, **how))
        assert calls == ALL


def check_alike(found, expected):
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


def test_in_float32_the_error_is_that_of_the_plain_form(calls, monkeypatch):
    """Sums over 200 x 200 pixels, too."""
    x, weight = random(1, 48, 200, 200, dtype=np.float32), random(48, 1, 3, 3, seed=1, dtype=np.float32)
    exact = values_and_gradients(x.astype(float), weight.astype(float))
    fast = values_and_gradients(x, weight)
    assert set(calls) == set(ALL)
    monkeypatch.setattr(convolution, "depthwise", None)
    plain = values_and_gradients(x, weight)
    for one, other, true in zip(fast, plain, exact, strict=True):
        assert one.dtype == np.float32
        assert np.abs(one - true).max() < 2 * np.abs(other - true).max()


def values_and_gradients(x, weight, **how):
    leaves = Tensor(x), Tensor(weight)
    z = ad.conv2d(*leaves, padding=1, groups=len(weight), **how)
    z.backward(random(*z.shape, seed=3))
    return z.data, *(leaf.grad.data for leaf in leaves)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_memory_layout_changes_a_value_or_a_gradient(layout, calls):
    x, weight = Tensor(random(3, 20, 7, 6)), Tensor(random(20, 1, 3, 3, seed=1))
    z = laid(ad.conv2d(laid(x, layout=layout), laid(weight, layout=layout), groups=20), layout=layout)
    z.backward(random(*z.shape, seed=2))
    assert set(calls) == set(ALL)
    same, other = Tensor(x.data), Tensor(weight.data)
    expected = ad.conv2d(same, other, groups=20)
    expected.backward(random(*z.shape, seed=2))
    check_alike(z.data, expected.data)
    check_alike(x.grad.data, same.grad.data)
    check_alike(weight.grad.data, other.grad.data)


def test_the_result_lies_in_memory_as_pixels():
    """A copy between two layers would cost as much as a layer."""
    x = Tensor(random(2, 30, 8, 8))
    h = ad.relu(x)
    z = ad.conv2d(h, random(30, 1, 3, 3), padding=1, groups=30)
    z.backward(np.ones(z.shape))
    for array in (z.data, h.grad.data):
        assert np.transpose(array, (2, 3, 0, 1)).flags.c_contiguous


def test_second_derivatives(calls, monkeypatch):
    x, weight = Tensor(random(3, 20, 6, 5)), Tensor(random(20, 1, 3, 3, seed=1))
    found = second(x, weight)
    assert len(calls) > 6
    monkeypatch.setattr(convolution, "depthwise", None)
    for one, other in zip(found, second(x, weight), strict=True):
        check_alike(one.data, other.data)


def second(x, weight):
    z = ad.conv2d(x, weight, stride=2, padding=1, groups=len(weight)).tanh()
    slopes = ad.gradients(z.sum(), [x, weight], create_graph=True)
    return ad.gradients(sum((slope * slope).sum() for slope in slopes), [x, weight])


def test_places_that_no_window_reaches_have_the_bias_alone(calls):
    weight, bias = random(50, 1, 1, 1), random(50, seed=1)
    z = ad.conv_transpose2d(np.ones((1, 50, 2, 2)), weight, bias, stride=3, groups=50)
    assert calls == ["transposed_convolution"]
    assert z.shape == (1, 50, 4, 4)
    np.testing.assert_array_equal(z[0, :, 1, 2], bias)
    np.testing.assert_allclose(z[0, :, 3, 0], bias + weight[:, 0, 0, 0])


def test_padding_is_not_multiplied_by_an_infinite_weight(calls):
    weight = np.ones((50, 1, 3, 3))
    weight[:, :, 0, 0] = np.inf
    z = ad.conv2d(np.ones((1, 50, 3, 3)), weight, padding=1, groups=50)
    assert z[0, 0].tolist() == [[4, 6, 4], [6, np.inf, np.inf], [4, np.inf, np.inf]]


def test_inputs_that_are_read_only_are_not_written_to():
    x, weight = random(1, 50, 4, 4), random(50, 1, 3, 3)
    before = x.copy(), weight.copy()
    for array in (x, weight):
        array.flags.writeable = False
    values_and_gradients(x, weight)
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(weight, before[1])


SINGLE = np.float32


@pytest.mark.parametrize(
    ("x", "weight", "groups"),
    [
        (random(0, 50, 4, 4), random(50, 1, 3, 3), 50),
        (random(1, 47, 4, 4), random(47, 1, 3, 3), 47),
        (random(64, 1, 4, 4), random(1, 1, 3, 3), 1),
        (random(2, 50, 4, 4), random(100, 1, 3, 3), 50),
        (random(2, 50, 4, 4), random(25, 2, 3, 3), 25),
    ],
)
def test_where_it_is_not_taken(x, weight, groups, calls):
    leaves = Tensor(x), Tensor(weight)
    z = ad.conv2d(*leaves, groups=groups)
    z.backward(np.ones(z.shape))
    ad.conv_transpose2d(z.data, weight, groups=groups)
    assert not calls


def test_whole_numbers_and_mixed_dtypes_are_left_to_the_plain_form(calls):
    x, weight = np.ones((1, 50, 3, 3), int), np.ones((50, 1, 2, 2), int)
    assert ad.conv2d(x, weight, groups=50).dtype == int
    wider = [(SINGLE, float, SINGLE), (float, SINGLE, SINGLE), (SINGLE, SINGLE, float), (int, float, float)]
    for dtypes in wider:
        arrays = [array.astype(dtype) for array, dtype in zip((x, weight, np.ones(50)), dtypes)]
        assert ad.conv2d(*arrays, groups=50).dtype == float
    assert not calls


WITHOUT = """
import sys
sys.modules["autodiff.ops.depthwise"] = None  # to import it fails, as if the file were not there
import pytest
import autodiff.ops.convolution
assert autodiff.ops.convolution.depthwise is None
sys.exit(pytest.main(sys.argv[1:]))
"""


@pytest.mark.thorough
def test_without_the_file_everything_works():
    files = ["tests/engine/ops/test_convolution.py", "tests/nn/test_convolution_layers.py"]
    command = [sys.executable, "-c", WITHOUT, "-q", "-p", "no:cacheprovider", "-p", "no:randomly", *files]
    usual = os.environ | {"PYTEST_ADDOPTS": ""}
    done = subprocess.run(command, cwd=ROOT, env=usual, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
