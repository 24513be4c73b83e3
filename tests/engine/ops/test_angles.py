"""Degrees and radians; sinc and its derivatives near 0, where sine and cosine would lose their digits."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.ops.angles import sinc_slope
from tests.engine.ops import references as ref

NEAR = np.array([0.0, 1e-300, 1e-12, -1e-8, 1e-4, -0.01, 0.1])


def test_slopes_of_sinc_near_zero():
    """By its series 1 - (pi x)**2 / 6 + (pi x)**4 / 120 - ..."""
    x = Tensor(NEAR)
    ad.sinc(x).backward(1)
    square = (math.pi * NEAR) ** 2
    series = 1 - square / 10 + square**2 / 280 - square**3 / 15120 + square**4 / 1330560
    expected = -(math.pi**2) / 3 * NEAR * series
    np.testing.assert_allclose(x.grad.data, expected, rtol=1e-12, atol=0)
    second = ad.hessian(lambda x: ad.sinc(x))(Tensor(0.0))
    assert float(second.data) == pytest.approx(-(math.pi**2) / 3, rel=1e-14)


@pytest.mark.parametrize("order", range(1, 8))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_derivative_of_sinc_near_and_far(order, dtype):
    x = np.concatenate([NEAR, np.linspace(-6, 6, 241)]).astype(dtype)
    found, expected = sinc_slope(x, order=order), ref.sinc_slope(x.astype(float), order=order)
    assert found.dtype == dtype
    size = math.pi**order / (order + 1)  # the largest value
    np.testing.assert_allclose(found, expected, atol=size * (1e-11 if dtype == np.float64 else 2e-3))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_degrees_and_radians(dtype):
    x = np.array([0, 90, -180, 720], dtype=dtype)
    np.testing.assert_allclose(ad.deg2rad(Tensor(x)).data, np.deg2rad(x), rtol=1e-6)
    np.testing.assert_allclose(ad.rad2deg(ad.deg2rad(Tensor(x))).data, x, rtol=1e-6)
    assert ad.deg2rad(Tensor(x)).dtype == dtype
    assert ad.deg2rad(180.0) == math.pi
