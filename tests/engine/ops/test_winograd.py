"""Winograd's shortcut for kernels of 3x3: as good as the products one by one, and not needed."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.ops import convolution, winograd
from autodiff.testing import LAYOUTS, laid
from tests.engine.ops import windowed

ROOT = Path(__file__).resolve().parents[3]
SINGLE = np.float32


def random(*shape, seed=0, dtype=SINGLE):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


@pytest.fixture
def calls(monkeypatch):
    """The names of what the shortcut computes, as it is called."""
    names = []

    def watched(name, function, *args):
        names.append(name)
        return function(*args)

    for name in ("convolution", "transposed_convolution", "kernel_gradient"):
        monkeypatch.setattr(winograd, name, partial(watched, name, getattr(winograd, name)))
    return names


def test_the_maps_convolve_exactly():
    """One tile along one axis, in float64: A ((B d) (G g)) is what a convolution gives."""
    B, G, A = winograd.interpolation(winograd.POINTS)
    d, g = random(6, dtype=float), random(3, seed=1, dtype=float)
    np.testing.assert_allclose(A @ ((B @ d) * (G @ g)), np.correlate(d, g), rtol=1e-12)
    simple = winograd.interpolation((0, 1, -1, 2, -2))[0]
    assert np.abs(simple).astype(int).tolist()[0] == [4, 0, 5, 0, 1, 0]  # as in the paper


SIZES = [(4, 4), (5, 7), (6, 6), (11, 9), (13, 12), (3, 3)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("padding", [((0, 0), (0, 0)), ((1, 1), (1, 1)), ((0, 2), (1, 0))])
@pytest.mark.parametrize(("channels", "kernels"), [(8, 8), (9, 12), (16, 8)])
def test_values_and_gradients_are_those_of_products_one_by_one(size, padding, channels, kernels, calls):
    x, weight, bias = random(130, channels, *size), random(kernels, channels, 3, 3, seed=1), random(kernels)
    for number in (0, bias):
        found = values_and_gradients(x, weight, number, padding)
        exact = values_and_gradients(x.astype(float), weight.astype(float), np.float64(number), padding)
        for one, other in zip(found, exact, strict=True):
            assert one.dtype == SINGLE
            assert np.abs(one - other).max() <= 5e-6 * np.abs(other).max()
    assert sorted(set(calls)) == ["convolution", "kernel_gradient", "transposed_convolution"]


def values_and_gradients(x, weight, bias, padding):
    leaves = Tensor(x), Tensor(weight)
    z = convolution.convolution(*leaves, bias, padding=padding)
    z.backward(random(*z.shape, seed=3))
    return z.data, *(leaf.grad.data for leaf in leaves)


def test_a_transposed_convolution_with_a_bias(calls):
    y, weight, bias = random(40, 9, 6, 7), random(9, 8, 3, 3, seed=1), random(8, seed=2)
    found = ad.conv_transpose2d(y, weight, bias, padding=1)
    exact = windowed.transposed_convolution(y, weight, bias, size=(6, 7), padding=((1, 1), (1, 1)))
    np.testing.assert_allclose(found, exact, atol=4e-6 * np.abs(exact).max())
    assert calls == ["transposed_convolution"]


def test_the_error_is_small_and_the_usual_points_have_more(monkeypatch):
    """Beside the largest output, of a layer of 64 channels: 2e-6, and 5e-6 at the points 0, ±1, ±2."""
    x, weight = random(16, 64, 18, 18), random(64, 64, 3, 3, seed=1)
    exact = ad.conv2d(x.astype(float), weight.astype(float))

    def off(**options):
        return np.abs(ad.conv2d(x, weight, **options) - exact).max() / np.abs(exact).max()

    error = off()
    assert off(exact=True) < 1e-6
    assert error < 2.5e-6
    B, G, A = winograd.interpolation((0, 1, -1, 2, -2))
    for name, value in {"B": B, "A": A}.items():
        monkeypatch.setattr(winograd, name, SINGLE(value))
    monkeypatch.setattr(winograd, "GG", np.kron(G, G))
    assert 1.5 * error < off() < 2e-5


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_memory_layout_changes_a_value_or_a_gradient(layout):
    x, weight = Tensor(random(40, 8, 7, 6)), Tensor(random(9, 8, 3, 3, seed=1))
    z = laid(ad.conv2d(laid(x, layout=layout), laid(weight, layout=layout), padding=1), layout=layout)
    z.backward(np.ones(z.shape))
    same, other = Tensor(x.data), Tensor(weight.data)
    expected = ad.conv2d(same, other, padding=1)
    expected.backward(np.ones(z.shape))
    for one, two in (
        (z.data, expected.data),
        (x.grad.data, same.grad.data),
        (weight.grad.data, other.grad.data),
    ):
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-5)


def test_second_derivatives(calls):
    x, weight = Tensor(random(40, 8, 6, 6)), Tensor(random(8, 8, 3, 3, seed=1))
    with ad.exact():
        expected = second(x, weight)
    assert not calls
    for found, other in zip(second(x, weight), expected):
        np.testing.assert_allclose(found.data, other.data, atol=1e-5 * np.abs(other.data).max())
    assert len(calls) > 4


def second(x, weight):
    slopes = ad.gradients(ad.conv2d(x, weight).tanh().sum(), [x, weight], create_graph=True)
    return ad.gradients(sum((slope * slope).sum() for slope in slopes), [x, weight])


@pytest.mark.parametrize(
    ("x", "weight", "how"),
    [
        (random(64, 8, 8, 8, dtype=float), random(8, 8, 3, 3), {}),
        (random(64, 8, 8, 8), random(8, 8, 3, 3, dtype=float), {}),
        (random(64, 7, 8, 8), random(8, 7, 3, 3), {}),
        (random(64, 8, 8, 8), random(7, 8, 3, 3), {}),
        (random(1, 64, 8, 8), random(64, 64, 3, 3), {}),
        (random(64, 8, 8, 8), random(8, 8, 5, 3), {}),
        (random(64, 8, 8, 8), random(8, 8, 3, 3), {"stride": 2}),
        (random(64, 8, 8, 8), random(8, 8, 3, 3), {"dilation": 2}),
        (random(64, 16, 8, 8), random(16, 8, 3, 3), {"groups": 2}),
        (random(64, 8, 8, 8), random(8, 8, 3, 3), {"exact": True}),
        (random(0, 8, 8, 8), random(8, 8, 3, 3), {}),
    ],
)
def test_where_it_is_not_taken(x, weight, how, calls):
    leaves = Tensor(x), Tensor(weight)
    ad.conv2d(*leaves, **how).sum().backward()
    y = ad.conv2d(*leaves, **how)
    ad.conv_transpose2d(y.data, weight, **how)
    assert not calls


def value_and_gradients(x, weight, seed):
    x, weight = Tensor(x), Tensor(weight)
    y = ad.conv2d(x, weight, padding=1)
    return [y, *ad.gradients(y, [x, weight], seed)]


@pytest.mark.parametrize("treat", [lambda f: f, ad.compile])
@pytest.mark.parametrize("place", ["x", "weight", "seed"])
@pytest.mark.parametrize("values", [[np.inf], [-np.inf], [np.nan], [np.inf, -np.inf], [3e38], [1e38, -1e38]])
def test_what_is_not_finite_is_as_in_a_direct_sum(values, place, treat, calls):
    operands = {"x": random(4, 16, 9, 9), "weight": random(16, 16, 3, 3), "seed": random(4, 16, 9, 9)}
    for value in values:
        operands[place][1, 3, 2, 2 if value is values[0] else 1] = value
    with ad.exact():
        expected = value_and_gradients(**operands)
    assert not calls
    found = treat(value_and_gradients)(**operands)
    assert calls
    for mine, other in zip(found, expected, strict=True):
        finite = np.isfinite(other.data)
        scale = np.max(np.abs(other.data), where=finite & (np.abs(other.data) < 1e6), initial=0)
        np.testing.assert_allclose(mine.data, other.data, rtol=1e-5, atol=1e-5 * scale)
    if place == "x":  # a picture of a batch does not reach the others
        others = np.delete(found[0].data, 1, axis=0)
        assert np.isfinite(others).all()


def test_exact_is_a_block_a_decorator_and_holds_for_gradients(calls):
    x, weight = Tensor(random(64, 8, 8, 8)), Tensor(random(8, 8, 3, 3))
    with ad.exact():
        with ad.exact():
            pass
        z = ad.conv2d(x, weight)
    z.sum().backward()
    ad.exact()(ad.conv2d)(x, weight).sum().backward()
    with pytest.raises(ZeroDivisionError), ad.exact():
        1 / 0  # noqa: B018
    assert not calls
    ad.conv2d(x, weight).sum().backward()
    assert calls == ["convolution", "transposed_convolution", "kernel_gradient"]


def test_exact_in_one_thread_is_not_seen_by_another(calls):
    x, weight = random(64, 8, 8, 8), random(8, 8, 3, 3)
    with ad.exact(), ThreadPoolExecutor(1) as pool:
        pool.submit(ad.conv2d, x, weight).result()
    assert calls == ["convolution"]


WITHOUT = """
import sys
sys.modules["autodiff.ops.winograd"] = None  # to import it fails, as if the file were not there
import pytest
import autodiff.ops.convolution
assert autodiff.ops.convolution.winograd is None
sys.exit(pytest.main(sys.argv[1:]))
"""


@pytest.mark.thorough
def test_without_the_file_everything_works():
    files = ["tests/engine/ops/test_convolution.py", "tests/nn/test_convolution_layers.py"]
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    options += ["--doctest-modules", "autodiff/ops/exactness.py"]
    command = [sys.executable, "-c", WITHOUT, *options, *files]
    usual = os.environ | {"PYTEST_ADDOPTS": ""}
    done = subprocess.run(command, cwd=ROOT, env=usual, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
