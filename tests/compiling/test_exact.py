"""ad.compile(exact=True) is equal to what it was made from in every bit."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn

POWERS = (-2, -1, -0.5, 0.5, 1.5, 2, 2.5, 3, 4, 5)


def assert_equal_in_every_bit(f, *inputs):
    expected, found = f(*inputs), ad.compile(f, exact=True)(*inputs)
    parts = [each if isinstance(each, tuple) else (each,) for each in (expected, found)]
    for one, other in zip(*parts, strict=True):
        one, other = (ad.as_tensor(each).data for each in (one, other))
        np.testing.assert_array_equal(np.asarray(other), np.asarray(one))
        assert np.asarray(one).dtype == np.asarray(other).dtype


@pytest.mark.parametrize("exponent", POWERS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_powers(exponent, dtype):
    x = (np.random.default_rng(0).random((5, 7)) * 3 + 0.2).astype(dtype)
    f = lambda x: (x**exponent).sum()
    assert_equal_in_every_bit(lambda x: x**exponent, ad.Tensor(x))
    assert_equal_in_every_bit(ad.value_and_grad(f), x)
    assert_equal_in_every_bit(ad.grad(lambda x: ad.grad(f)(x).sum()), x)
    assert_equal_in_every_bit(ad.value_and_grad(lambda x: x**exponent), 3.3)


def test_what_is_checkpointed():
    x = np.random.default_rng(0).normal(size=(5, 7))
    assert_equal_in_every_bit(
        ad.value_and_grad(lambda x: ad.checkpoint(lambda x: (x * x).tanh().sum(), x)), x
    )
    inner = lambda x: (x**3).exp().mean(axis=0)
    assert_equal_in_every_bit(ad.value_and_grad(lambda x: ad.checkpoint(inner, x / 3).sum()), x)


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("batch", [1, 2, 3])
@pytest.mark.parametrize("layer", [nn.RNN, nn.LSTM, nn.GRU])
def test_recurrent_layers(layer, batch, batch_first):
    net = layer(3, 4, batch_first=batch_first, num_layers=2)
    shape = (batch, 6, 3) if batch_first else (6, batch, 3)
    x = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    assert_equal_in_every_bit(lambda x: net(x)[0], ad.Tensor(x))
    with ad.no_grad():
        assert_equal_in_every_bit(ad.value_and_grad(lambda x: (net(x)[0] ** 2).sum()), x)
