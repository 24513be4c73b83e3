"""Sequential, ModuleList, ModuleDict and Identity."""

from __future__ import annotations

import pytest

import autodiff as ad
from autodiff import Tensor, nn


def test_sequential_chains_its_modules():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    x = Tensor([[1.0, 2.0]])
    by_hand = net[2](net[1](net[0](x)))
    assert net(x).item() == by_hand.item()
    assert nn.Sequential()(x) is x


def test_sequential_can_be_indexed():
    layers = [nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)]
    net = nn.Sequential(*layers)
    assert len(net) == 3
    assert list(net) == layers
    assert [net[0], net[-1]] == [layers[0], layers[2]]
    assert list(net[1:]) == layers[1:]
    assert type(net[1:]) is nn.Sequential
    assert [name for name, _ in net[1:].named_children()] == ["1", "2"]
    net[1] = nn.Tanh()
    assert isinstance(net[-2], nn.Tanh)
    for place in (3, -4):
        with pytest.raises(IndexError, match="has 3 modules"):
            net[place]
    with pytest.raises(TypeError, match="indices must be integers"):
        net["0"]


def test_sequential_takes_names():
    net = nn.Sequential({"body": nn.Linear(2, 3), "act": nn.ReLU()})
    assert net.body is net[0]
    assert [name for name, _ in net.named_parameters()] == ["body.weight", "body.bias"]
    with pytest.raises(ValueError, match="'forward' already"):
        nn.Sequential({"forward": nn.ReLU()})


def test_sequential_can_be_extended():
    net = nn.Sequential(nn.Linear(2, 3))
    assert net.append(nn.ReLU()) is net
    assert net.extend([nn.Linear(3, 3), nn.ReLU()]) is net
    assert [name for name, _ in net.named_children()] == ["0", "1", "2", "3"]


def test_an_appended_module_gets_an_unused_name():
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Tanh())
    for grown, names in (
        (net[1:].append(nn.Sigmoid()), ["1", "2", "3"]),  # a slice keeps its names
        (nn.Sequential({"1": nn.ReLU()}).append(nn.Sigmoid()), ["1", "2"]),
    ):
        assert [name for name, _ in grown.named_children()] == names
        assert isinstance(grown[-1], nn.Sigmoid)


@pytest.mark.parametrize("part", [ad.relu, nn.ReLU, None, 3])
def test_sequential_refuses_what_is_not_a_module(part):
    with pytest.raises(TypeError, match="a part of Sequential is a Module"):
        nn.Sequential(nn.Linear(1, 1), part)


def test_a_module_may_occur_twice_in_a_chain():
    layer = nn.Linear(2, 2)
    net = nn.Sequential(layer, nn.Tanh(), layer)
    assert len(net) == 3
    assert len(list(net.parameters())) == 2
    x = Tensor([[1.0, 2.0]])
    assert (net(x).data == layer(layer(x).tanh()).data).all()


def test_module_list_is_a_list():
    layers = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
    assert len(layers) == 3
    assert layers[-1] is list(layers)[2]
    assert type(layers[1:]) is nn.ModuleList
    assert list(layers[1:]) == list(layers)[1:]
    layers.append(nn.ReLU())
    layers[0] = nn.Tanh()
    assert [type(layer).__name__ for layer in layers] == ["Tanh", "Linear", "Linear", "ReLU"]
    assert len(list(layers.parameters())) == 4
    with pytest.raises(TypeError, match="call those"):
        layers(1)


def test_module_dict_is_a_dictionary():
    first, second = nn.ReLU(), nn.Linear(1, 1)
    modules = nn.ModuleDict({"first": first})
    modules["second"] = second
    modules.update({"third": nn.Tanh()})
    assert list(modules) == list(modules.keys()) == ["first", "second", "third"]
    assert list(modules.values())[:2] == [first, second]
    assert dict(modules.items())["second"] is modules["second"] is second
    assert "second" in modules
    assert "fourth" not in modules
    del modules["second"]
    assert len(modules) == 2
    assert list(modules.parameters()) == []
    for act in (lambda: modules["second"], lambda: modules.__delitem__("training")):
        with pytest.raises(KeyError):
            act()
    with pytest.raises(ValueError, match="'keys' already"):
        modules["keys"] = nn.ReLU()
    with pytest.raises(TypeError, match="call those"):
        modules(1)


def test_identity_returns_its_input():
    x = Tensor([1.0])
    assert nn.Identity()(x) is x
