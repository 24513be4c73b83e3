"""Activations as modules: that each is the function of its name, in any dtype, with its options."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autodiff import Tensor, nn
from tests.nn.helpers import check_gradients, random, trained

LAYERS = {
    "ReLU": (nn.ReLU(), 1.0, -1.0, 0.0),
    "LeakyReLU": (nn.LeakyReLU(), 1.0, -1.0, -0.01),
    "LeakyReLU of tinynn": (nn.LeakyReLU(0.2), 1.0, -1.0, -0.2),
    "Tanh": (nn.Tanh(), math.tanh(1), -1.0, -math.tanh(1)),
    "Sigmoid": (nn.Sigmoid(), 0.7310585786300049, -1.0, 0.2689414213699951),
    "LogSigmoid": (nn.LogSigmoid(), -0.31326168751822286, -1.0, -1.3132616875182228),
    "Softplus": (nn.Softplus(), 1.3132616875182228, -1.0, 0.31326168751822286),
    "Softplus of beta 2": (nn.Softplus(beta=2.0), 1.0634640055214863, -1.0, 0.06346400552148631),
    "ELU": (nn.ELU(), 1.0, -1.0, math.expm1(-1)),
    "ELU of alpha 2": (nn.ELU(alpha=2.0), 1.0, -1.0, 2 * math.expm1(-1)),
    "GELU": (nn.GELU(), 0.8413447460685429, -1.0, -0.15865525393145707),
    "GELU by tanh": (nn.GELU("tanh"), 0.8411919906082768, -1.0, -0.15880800939172324),
    "SiLU": (nn.SiLU(), 0.7310585786300049, -1.0, -0.2689414213699951),
}


@pytest.mark.parametrize("name", LAYERS)
def test_values_at_1_and_minus_1(name):
    layer, at_one, point, value = LAYERS[name]
    np.testing.assert_allclose(layer(Tensor([1.0, point])).data, [at_one, value], rtol=1e-12)
    np.testing.assert_allclose(layer([1.0, point]), [at_one, value], rtol=1e-12)
    assert layer(Tensor(1.0)).item() == pytest.approx(at_one, rel=1e-12)


def test_gelu_of_1_is_right():
    assert nn.GELU()(Tensor(1.0)).item() == pytest.approx(0.8413, abs=5e-5)


@pytest.mark.parametrize("layer", [layer for layer, *_ in LAYERS.values()] + [nn.Softmax(), nn.LogSoftmax(0)])
def test_gradients_and_float32(layer):
    check_gradients(layer, random(3, 4))
    assert trained(layer, random(3, 4)).dtype == np.float32
    assert list(layer.parameters()) == []


@pytest.mark.parametrize("layer", [layer for layer, *_ in LAYERS.values()])
def test_finite_far_out(layer):
    x = Tensor(np.float32([-1000, 1000]))
    y = layer(x)
    y.sum().backward()
    assert np.isfinite(y.data).all()
    assert np.isfinite(x.grad.data).all()


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax_along_an_axis(dim):
    x = random(3, 4) * 500
    y = nn.Softmax(dim)(Tensor(x)).data
    np.testing.assert_allclose(y.sum(dim), 1)
    log = nn.LogSoftmax(dim)(Tensor(x)).data
    np.testing.assert_allclose(np.exp(log), y, atol=1e-300)
    assert np.isfinite(log).all()


def test_the_repr_names_the_options():
    assert repr(nn.LeakyReLU(0.2)) == "LeakyReLU(negative_slope=0.2)"
    assert repr(nn.Softmax(dim=1)) == "Softmax(dim=1)"
    assert repr(nn.LogSoftmax(dim=0)) == "LogSoftmax(dim=0)"
    assert repr(nn.GELU()) == "GELU(approximate='none')"
    assert repr(nn.ELU()) == "ELU(alpha=1)"
    assert repr(nn.Softplus()) == "Softplus(beta=1)"


def test_options_are_checked_at_once():
    with pytest.raises(ValueError, match="approximate"):
        nn.GELU("erf")
    with pytest.raises(ValueError, match="beta"):
        nn.Softplus(0)
