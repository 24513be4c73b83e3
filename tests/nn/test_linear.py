"""Linear and Dense: values by hand, initial values, shapes, and building at the first call."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn, optim
from tests.nn.helpers import check_gradients, random, trained


def fixed():
    layer = nn.Linear(3, 2)
    layer.weight.assign([[1, 2, 3], [4, 5, 6]])
    layer.bias.assign([10, 20])
    return layer


def test_values_and_gradients_by_hand():
    layer = fixed()
    x = Tensor([[1.0, 0.0, -1.0], [2.0, 2.0, 2.0]])
    out = layer(x)
    assert out.data.tolist() == [[8, 18], [22, 50]]
    out.backward([[1, 0], [0, 1]])
    assert layer.weight.grad.data.tolist() == [[1, 0, -1], [2, 2, 2]]
    assert layer.bias.grad.data.tolist() == [1, 1]
    assert x.grad.data.tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize("shape", [(3,), (2, 3), (4, 2, 3), (2, 1, 4, 3), (0, 3), (0, 2, 3)])
def test_any_axes_before_the_last(shape):
    layer, x = fixed(), random(*shape)
    expected = x @ layer.weight.data.T + layer.bias.data
    np.testing.assert_allclose(layer(Tensor(x)).data, expected, rtol=1e-12)
    assert layer(Tensor(x)).shape == (*shape[:-1], 2)
    np.testing.assert_allclose(layer(x).data, expected, rtol=1e-12)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 2, 3)])
@pytest.mark.parametrize("bias", [True, False])
def test_gradients(shape, bias):
    check_gradients(nn.Linear(3, 2, bias, generator=0), random(*shape))


def test_without_a_bias():
    layer = nn.Linear(3, 2, bias=False)
    assert layer.bias is None
    assert [name for name, _ in layer.named_parameters()] == ["weight"]


def test_initial_values_lie_between_torch_s_bounds():
    ad.seed(0)
    layer = nn.Linear(100, 400)
    for parameter in (layer.weight, layer.bias):
        assert abs(parameter.data).max() <= 0.1
        assert parameter.data.std() == pytest.approx(0.1 / math.sqrt(3), rel=0.1)
        assert abs(parameter.data.mean()) < 0.01


def test_a_seed_repeats_a_run_with_different_layers():
    def drawn(seed):
        ad.seed(seed)
        layers = nn.Linear(3, 3), nn.Linear(3, 3)
        return [parameter.data.tolist() for layer in layers for parameter in layer.parameters()]

    assert drawn(0) == drawn(0) != drawn(1)
    assert drawn(0)[0] != drawn(0)[2]
    layer = nn.Linear(3, 3, generator=0)
    assert layer.weight.data[0].tolist() != layer.bias.data.tolist()
    assert layer.weight.data.tolist() == nn.Linear(3, 3, generator=0).weight.data.tolist()
    generator = np.random.default_rng(0)
    pair = nn.Linear(3, 3, generator=generator), nn.Linear(3, 3, generator=generator)
    assert pair[0].weight.data.tolist() != pair[1].weight.data.tolist()
    before = layer.weight.data.tolist()
    layer.reset_parameters()
    assert layer.weight.data.tolist() != before


@pytest.mark.parametrize("x", [np.zeros((5, 4)), np.zeros(2), np.array(1.0), np.zeros((3, 4))])
def test_an_input_of_another_width_is_refused(x):
    with pytest.raises(ValueError, match=r"Linear\(in_features=3, out_features=2\) takes inputs with"):
        nn.Linear(3, 2)(Tensor(x))


@pytest.mark.parametrize(
    ("sizes", "error"),
    [((0, 2), ValueError), ((3, -1), ValueError), ((3.0, 2), TypeError), ((3, True), TypeError)],
)
def test_sizes_are_whole_numbers_above_0(sizes, error):
    with pytest.raises(error, match=r"(in|out)_features of Linear"):
        nn.Linear(*sizes)


def test_float32_stays_float32():
    layer = nn.Linear(3, 2)
    assert trained(layer, random(4, 3)).dtype == np.float32
    assert {parameter.grad.dtype for parameter in layer.parameters()} == {np.dtype(np.float32)}


# -- Dense ------------------------------------------------------------------------------------------------


def test_dense_builds_itself_at_the_first_call():
    layer = nn.Dense(2, generator=0)
    weight = layer.weight
    assert (layer.in_features, weight.shape) == (None, (2, 0))
    assert repr(layer) == "Dense(out_features=2)  # weight (2, 0), bias (2,): 2 parameters"
    out = layer(Tensor(random(4, 3)))
    assert layer.weight is weight
    assert weight.shape == (2, 3)
    np.testing.assert_array_equal(weight.data, nn.Linear(3, 2, generator=0).weight.data)
    assert out.shape == (4, 2)
    with pytest.raises(ValueError, match="last axis 3"):
        layer(Tensor(random(4, 5)))
    assert isinstance(layer, nn.Linear)
    assert nn.LazyLinear is nn.Dense


def test_dense_trains_with_an_optimizer_made_before_the_first_call():
    net = nn.Sequential(nn.Dense(4, generator=0), nn.Tanh(), nn.Dense(1, generator=1))
    optimizer = optim.Adam(net.parameters(), lr=0.1)
    x, y = random(16, 3), random(16, 1, seed=1)
    losses = []
    for _ in range(20):
        loss = nn.mse_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.7 * losses[0]


def test_dense_is_built_by_loading_too():
    saved = nn.Linear(3, 2).state_dict()
    layer = nn.Dense(2)
    with pytest.raises(ValueError, match="bias has the shape"):
        layer.load_state_dict(saved | {"bias": np.zeros(5)})
    assert layer.in_features is None
    layer.load_state_dict(saved)
    assert layer.in_features == 3
    np.testing.assert_array_equal(layer.weight.data, saved["weight"])
    with pytest.raises(ValueError, match=r"weight has the shape \(4, 3\), and the saved one \(2, 3\)"):
        nn.Dense(4).load_state_dict(saved, strict=False)


def test_dense_refuses_inputs_without_a_last_axis():
    layer = nn.Dense(2)
    for x in (np.array(1.0), np.zeros((3, 0))):
        with pytest.raises(ValueError, match="last axis"):
            layer(x)
    assert layer.in_features is None


def test_dense_s_parameters_lie_in_the_box_that_uses_them():
    net = nn.Sequential(nn.Dense(1))
    x = Tensor(np.ones((1, 2)))
    net(x)
    assert net[0].weight.scope == ()
    assert net[0].weight.name == "0.weight"
