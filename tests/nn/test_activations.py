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
    "SELU": (nn.SELU(), 1.0507009873554805, -1.0, -1.1113307378125625),
    "CELU": (nn.CELU(), 1.0, -1.0, math.expm1(-1)),
    "CELU of alpha 2": (nn.CELU(2.0), 1.0, -1.0, 2 * math.expm1(-0.5)),
    "Mish": (nn.Mish(), 0.8650983882673103, -1.0, -0.30340146137410895),
    "Softsign": (nn.Softsign(), 0.5, -1.0, -0.5),
    "ReLU6": (nn.ReLU6(), 1.0, 7.0, 6.0),
    "Hardtanh": (nn.Hardtanh(-0.5, 2.0), 1.0, -1.0, -0.5),
    "Hardsigmoid": (nn.Hardsigmoid(), 2 / 3, -1.0, 1 / 3),
    "Hardswish": (nn.Hardswish(), 2 / 3, -1.0, -1 / 3),
    "Threshold": (nn.Threshold(0.5, 20.0), 1.0, -1.0, 20.0),
}


@pytest.mark.parametrize("name", LAYERS)
def test_values_at_1_and_minus_1(name):
    layer, at_one, point, value = LAYERS[name]
    np.testing.assert_allclose(layer(Tensor([1.0, point])).data, [at_one, value], rtol=1e-12)
    np.testing.assert_allclose(layer([1.0, point]), [at_one, value], rtol=1e-12)
    assert layer(Tensor(1.0)).item() == pytest.approx(at_one, rel=1e-12)


def test_gelu_of_1_is_right():
    assert nn.GELU()(Tensor(1.0)).item() == pytest.approx(0.8413, abs=5e-5)


@pytest.mark.parametrize(
    "layer",
    [layer for layer, *_ in LAYERS.values()] + [nn.Softmax(), nn.LogSoftmax(0), nn.GLU(), nn.Softmin(0)],
)
def test_gradients_and_float32(layer):
    check_gradients(layer, random(3, 4))
    assert trained(layer, random(3, 4)).dtype == np.float32
    assert list(layer.parameters()) == []


@pytest.mark.parametrize("layer", [layer for layer, *_ in LAYERS.values()])
def test_large_inputs_give_finite_values(layer):
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
    assert repr(nn.CELU(2)) == "CELU(alpha=2)"
    assert repr(nn.Hardtanh()) == "Hardtanh(min_val=-1, max_val=1)"
    assert repr(nn.Threshold(1, 2)) == "Threshold(threshold=1, value=2)"
    assert repr(nn.GLU()) == "GLU(dim=-1)"
    assert repr(nn.Softmin(1)) == "Softmin(dim=1)"
    assert repr(nn.PReLU(3)) == "PReLU(num_parameters=3)  # weight (3,): 3 parameters"


def test_options_are_checked_at_once():
    with pytest.raises(ValueError, match="approximate"):
        nn.GELU("erf")
    with pytest.raises(ValueError, match="beta"):
        nn.Softplus(0)
    with pytest.raises(ValueError, match="alpha of CELU"):
        nn.CELU(0)
    with pytest.raises(ValueError, match="min_val of Hardtanh"):
        nn.Hardtanh(1.0, 1.0)


@pytest.mark.parametrize("shape", [(5,), (4, 3), (2, 3, 4)])
def test_prelu_learns_its_slopes(shape):
    layer = nn.PReLU(3 if len(shape) > 1 else 1)
    check_gradients(layer, random(*shape))
    assert layer.state_dict()["weight"].tolist() == [0.25] * layer.num_parameters
    assert trained(layer, random(*shape)).dtype == np.float32
    layer.weight.assign(np.arange(layer.num_parameters))
    assert layer(Tensor(-np.ones((1, 3)))).data.tolist() in ([[0, -1, -2]], [[0, 0, 0]])
    with pytest.raises(ValueError, match="one for each of the 2 channels"):
        nn.PReLU(3)(np.ones((4, 2)))


@pytest.mark.parametrize(
    ("layer", "points", "slopes"),
    [
        (nn.ReLU6(), [0, 6], [0, 0]),
        (nn.Hardtanh(), [-1, 1], [0, 0]),
        (nn.Hardsigmoid(), [-3, 3], [0, 0]),
        (nn.Hardswish(), [-3, 3], [0, 1]),
        (nn.Threshold(1.0, 0.0), [1], [0]),
        (nn.SELU(), [0], [1.0507009873554805 * 1.6732632423543772]),
        (nn.CELU(2.0), [0], [1]),
        (nn.PReLU(), [0], [0.25]),
        (nn.Softsign(), [0], [1]),
    ],
    ids=repr,
)
def test_the_derivative_at_a_kink_is_torch_s(layer, points, slopes):
    x = Tensor(np.float64(points))
    layer(x).sum().backward()
    np.testing.assert_allclose(x.grad.data, slopes, rtol=1e-15)


@pytest.mark.parametrize(
    "layer", [layer for layer, *_ in LAYERS.values()] + [nn.PReLU(), nn.GLU(0)], ids=repr
)
def test_a_layer_is_a_box_of_a_picture(layer):
    box = type(layer).__name__
    assert nn.Sequential(layer)(Tensor([1.0, -1.0])).scope == ("Sequential", f"0: {box}")


@pytest.mark.parametrize(
    "name",
    [
        "ReLU",
        "ReLU6",
        "LeakyReLU",
        "ELU",
        "SELU",
        "CELU",
        "SiLU",
        "Mish",
        "Hardtanh",
        "Hardsigmoid",
        "Hardswish",
    ],
)
def test_inplace_of_networks_written_for_torch_has_no_effect(name):
    x = np.array([-1.0, 2.0])
    assert getattr(nn, name)(inplace=True)(x).tolist() == getattr(nn, name)()(x).tolist()
    assert x.tolist() == [-1, 2]
    assert repr(getattr(nn, name)(inplace=True)) == repr(getattr(nn, name)())
