"""Model.summary: the table, and that nothing is changed by it."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn, optim, training
from autodiff.engine import edits


def model_of(net):
    return training.Model(net, nn.MSELoss(), optim.SGD(net.parameters()))


def test_layers_in_layers_are_indented():
    block = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Dropout(0.5))
    net = nn.Sequential({"block": block, "out": nn.Linear(3, 1)})
    model = model_of(net)
    net.out.bias.requires_grad = False
    assert (
        repr(model.summary((5, 4)))
        == """\
layer                output shape  parameters
Sequential           (5, 1)                 0
  block: Sequential  (5, 3)                 0
    0: Linear        (5, 3)                15
    1: BatchNorm1d   (5, 3)                 6
    2: Dropout       (5, 3)                 0
  out: Linear        (5, 1)                 4
---------------------------------------------
25 parameters, 1 of them frozen, 100 bytes"""
    )


def test_without_an_input_there_are_no_shapes():
    net = nn.Sequential(nn.Linear(2, 3), nn.Dense(1))
    assert (
        repr(model_of(net).summary())
        == """\
layer        parameters
Sequential            0
  0: Linear           9
  1: Dense    not built
-----------------------
10 parameters, 40 bytes; 1 of the layers not built yet"""
    )


@pytest.mark.parametrize("given", [(7, 4), np.ones((7, 4)), [[1.0] * 4] * 7, ad.Tensor(np.ones((7, 4)))])
def test_a_shape_and_an_example_give_the_same(given):
    summary = model_of(nn.Sequential(nn.Linear(4, 2), nn.Tanh())).summary(given)
    assert [layer.output_shape for layer in summary.layers] == [(7, 2)] * 3
    assert (summary.parameters, summary.frozen, summary.nbytes) == (10, 0, 40)
    assert [layer.name for layer in summary.layers] == ["", "0", "1"]


def everything(net):
    arrays = {name: array.tobytes() for name, array in net.state_dict().items()}
    attributes = [dict(vars(module)) for module in net.modules()]
    return arrays, str(attributes), ad.seeding.generator().bit_generator.state, edits.latest


def test_nothing_is_changed():
    class Counting(nn.Module):
        def __init__(self):
            self.calls = 0

        def forward(self, x):
            self.calls += 1
            return x

    ad.seed(0)
    drop = nn.Dropout(0.5, generator=1)
    net = nn.Sequential(nn.Dense(3), nn.BatchNorm1d(3), drop, Counting(), nn.Linear(3, 1))
    drop.eval()
    model = model_of(net)
    y = (net[4].weight * 2).sum()
    before, first = everything(net), repr(model.summary((5, 4)))
    after = everything(net)
    assert after[:3] == before[:3]
    assert repr(model.summary((5, 4))) == first
    assert "0: Dense        (5, 3)                15" in first
    y.backward()  # nothing counts as changed
    assert net[0].in_features is None
    assert not net[0]._forward_hooks
    assert drop.training is False
    assert net.training is True


def test_before_anything_was_drawn_there_is_no_generator_still():
    generator, ad.seeding.shared = ad.seeding.shared, None
    try:
        model_of(nn.Sequential(nn.Dense(1, generator=1), nn.Dense(1, generator=2))).summary((2, 2))
        assert ad.seeding.shared is None
    finally:
        ad.seeding.shared = generator


def test_what_is_shared_is_counted_once_and_what_is_not_called_has_no_shape():
    class Tied(nn.Module):
        def __init__(self):
            self.first = nn.Linear(3, 3, bias=False)
            self.second = nn.Linear(3, 3)
            self.second.weight = self.first.weight
            self.spare = nn.Tanh()

        def forward(self, x):
            return self.second(self.first(self.first(x)))

    summary = model_of(Tied()).summary((2, 3))
    assert [layer.parameters for layer in summary.layers] == [0, 9, 3, 0]
    assert [layer.output_shape for layer in summary.layers] == [(2, 3), (2, 3), (2, 3), None]
    assert summary.parameters == 12
    assert "spare: Tanh     -  " in repr(summary)


def test_outputs_of_several_parts_and_parameters_that_are_numbers():
    class Parts(nn.Module):
        def __init__(self):
            self.scale = nn.Parameter(2.0)

        def forward(self, x):
            return {"a": x * self.scale, "b": (x, [x.sum()])}

    layer = model_of(Parts()).summary(ad.Tensor(np.ones((2, 3)))).layers[0]
    assert layer.output_shape == {"a": (2, 3), "b": [(2, 3), [()]]}
    assert layer.parameters == 1


def test_a_net_that_takes_no_floats_asks_for_an_example():
    net = nn.Sequential(nn.Embedding(5, 2))
    with pytest.raises((TypeError, IndexError, ValueError)) as raised:
        model_of(net).summary((3, 4))
    assert "pass an example: summary(x)" in raised.value.__notes__[0]
    assert model_of(net).summary(np.zeros((3, 4), int)).layers[1].output_shape == (3, 4, 2)
    with pytest.raises(ValueError, match="Linear"):
        model_of(nn.Linear(2, 1)).summary((3, 4))
