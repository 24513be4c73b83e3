"""Module: registration, traversal, modes, hooks, the repr, and boxes in pictures."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn
from autodiff.engine import recording


class Inner(nn.Module):
    def __init__(self):
        self.fc = nn.Linear(2, 2, generator=0)
        self.register_buffer("seen", np.array(0))

    def forward(self, x):
        return self.fc(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Inner()
        self.second = Inner()
        self.scale = nn.Parameter([3.0])
        self.register_buffer("mean", np.zeros(2), persistent=False)
        self.rate = 0.5

    def forward(self, x):
        return self.second(self.first(x)) * self.scale


NAMES = ["scale", "first.fc.weight", "first.fc.bias", "second.fc.weight", "second.fc.bias"]


# -- registration -----------------------------------------------------------------------------------------


def test_attributes_register_themselves():
    net = Net()
    assert [name for name, _ in net.named_parameters()] == NAMES
    assert [name for name, _ in net.named_buffers()] == ["mean", "first.seen", "second.seen"]
    assert [name for name, _ in net.named_children()] == ["first", "second"]
    assert [name for name, _ in net.named_modules()] == ["", "first", "first.fc", "second", "second.fc"]
    assert list(net.parameters()) == [parameter for _, parameter in net.named_parameters()]
    assert list(net.children()) == [net.first, net.second]
    assert list(net.modules()) == [net, net.first, net.first.fc, net.second, net.second.fc]
    assert len(list(net.buffers())) == 3


def test_no_recursion_on_request():
    net = Net()
    assert [name for name, _ in net.named_parameters(recurse=False)] == ["scale"]
    assert [name for name, _ in net.named_buffers(recurse=False)] == ["mean"]


def test_a_deleted_attribute_is_no_longer_registered():
    net = Net()
    del net.first
    net.scale = None
    net.second = nn.Identity()
    assert list(net.parameters()) == []
    assert [name for name, _ in net.named_children()] == ["second"]


def test_shared_parameters_and_modules_come_once():
    net = Net()
    net.second = net.first
    net.third = nn.Linear(2, 2)
    net.third.weight = net.first.fc.weight
    names = [name for name, _ in net.named_parameters()]
    assert names == ["scale", "first.fc.weight", "first.fc.bias", "third.bias"]
    assert [name for name, _ in net.named_modules()] == ["", "first", "first.fc", "third"]
    assert len(list(net.children())) == 2


def test_super_init_may_be_forgotten():
    class Forgetful(nn.Module):
        def __init__(self):
            self.fc = nn.Linear(1, 1)

    net = Forgetful()
    net.register_buffer("seen", np.zeros(1))
    with net.register_forward_hook(lambda *_: None), net.register_forward_pre_hook(lambda *_: None):
        assert len(list(net.eval().parameters())) == 2
    assert nn.Module().training
    assert list(nn.Module().buffers()) == []


def test_settings_that_a_layer_does_not_have_are_refused():
    for call in (lambda: nn.ReLU(0.2), lambda: nn.Identity(3), lambda: nn.Module(x=1)):
        with pytest.raises(TypeError, match=r"takes (only inplace|no arguments)"):
            call()


def test_only_a_parameter_or_none_can_replace_a_parameter():
    net = Net()
    before = net.scale
    for other in (Tensor([1.0]), net.scale * 2, net.scale.data * 2, [1.0], 3.0, nn.Identity()):
        with pytest.raises(TypeError, match="scale of Net is a parameter"):
            net.scale = other
    assert net.scale is before
    net.scale -= 1
    assert net.scale is before
    assert net.scale.data.tolist() == [2]
    net.scale = nn.Parameter([7.0])
    assert net.scale.data.tolist() == [7]
    net.scale = None
    assert "scale" not in dict(net.named_parameters())


def test_a_module_cannot_contain_itself():
    net = Net()
    with pytest.raises(ValueError, match="itself"):
        net.me = net
    with pytest.raises(ValueError, match="itself"):
        net.first.fc.around = net
    assert len(list(net.modules())) == 5


@pytest.mark.parametrize("name", ["", "a.b", "forward", "rate", "scale"])
def test_names_that_cannot_be_parts(name):
    net = Net()
    with pytest.raises(ValueError, match="name"):
        net.add_module(name, nn.Identity())
    with pytest.raises(ValueError, match="name"):
        net.register_buffer(name, np.zeros(1))
    assert [name for name, _ in net.named_children()] == ["first", "second"]


def test_a_module_can_be_replaced_by_a_module_but_not_by_a_buffer():
    net = Net()
    with pytest.raises(ValueError, match="Net has an attribute 'first' already"):
        net.register_buffer("first", np.zeros(1))
    net.add_module("first", other := nn.Identity())
    assert list(net.children()) == [other, net.second]


def test_only_modules_can_be_added():
    with pytest.raises(TypeError, match="create one: ReLU"):
        Net().add_module("act", nn.ReLU)
    with pytest.raises(TypeError, match="a part of Net is a Module"):
        Net().add_module("act", ad.relu)
    with pytest.raises(TypeError, match="is a string"):
        Net().add_module(3, nn.ReLU())


def test_a_buffer_stays_a_constant_tensor():
    net = Net()
    net.mean = 0.9 * net.mean + 0.1 * Tensor([1.0, 2.0])
    assert isinstance(net.mean, Tensor)
    assert not net.mean.requires_grad
    net.mean = np.ones(2)
    assert isinstance(net.mean, Tensor)
    assert [name for name, _ in net.named_buffers(recurse=False)] == ["mean"]
    with pytest.raises(TypeError, match="a buffer is an array"):
        net.mean = "one"
    net.mean = None
    assert list(net.named_buffers(recurse=False)) == []


@pytest.mark.parametrize("requires_grad", [True, False])
def test_a_parameter_that_becomes_a_buffer_is_no_longer_a_parameter(requires_grad):
    net = nn.Module()
    net.register_buffer("mean", nn.Parameter([1.0], requires_grad=requires_grad))
    net.register_buffer("scale", None)
    net.scale = nn.Parameter([2.0], requires_grad=requires_grad)
    assert [name for name, _ in net.named_buffers()] == ["mean", "scale"]
    assert list(net.parameters()) == []
    assert not net.requires_grad_().mean.requires_grad


# -- all parts at once ------------------------------------------------------------------------------------


def test_eval_reaches_nested_dropout():
    class Outer(nn.Module):
        def __init__(self):
            self.blocks = nn.ModuleList([nn.Sequential(nn.Sequential(nn.Dropout(0.9)))])
            self.extra = nn.ModuleDict({"drop": nn.Dropout(0.9)})

        def forward(self, x):
            return self.extra["drop"](self.blocks[0](x))

    net, x = Outer(), Tensor(np.ones(100))
    assert (net(x).data == 0).any()
    assert net.eval() is net
    assert net(x) is x
    assert not any(module.training for module in net.modules())
    assert net.train() is net
    assert all(module.training for module in net.modules())
    assert (net(x).data == 0).any()


def test_train_takes_a_mode_not_data():
    with pytest.raises(ValueError, match="does not train the module"):
        Net().train([[1.0]])
    net = Net().train(False)
    assert not net.first.fc.training


def test_apply_visits_children_before_parents():
    net, seen = Net(), []
    assert net.apply(lambda module: seen.append(type(module).__name__)) is net
    assert seen == ["Linear", "Inner", "Linear", "Inner", "Net"]


def test_zero_grad_and_requires_grad():
    net = Net()
    net(Tensor([[1.0, 2.0]])).sum().backward()
    assert all(parameter.grad is not None for parameter in net.parameters())
    net.zero_grad()
    assert all(parameter.grad is None for parameter in net.parameters())
    assert net.first.requires_grad_(False) is net.first
    net(Tensor([[1.0, 2.0]])).sum().backward()
    assert [name for name, parameter in net.named_parameters() if parameter.grad is None] == NAMES[1:3]
    net.requires_grad_()
    assert all(parameter.requires_grad for parameter in net.parameters())


def test_gradients_add_up_when_two_losses_share_a_leaf():
    net, x = nn.Linear(2, 1, bias=False), Tensor([[1.0, 2.0]])
    out = net(x)
    nn.mse_loss(out, [[0.0]], reduction="sum").backward()
    first = net.weight.grad.data.copy()
    nn.l1_loss(out * 0 + net(x), [[-100.0]], reduction="sum").backward()
    np.testing.assert_allclose(net.weight.grad.data - first, [[1, 2]], rtol=1e-6)


# -- calls ------------------------------------------------------------------------------------------------


def test_a_module_without_a_forward_says_so():
    with pytest.raises(NotImplementedError, match="Module cannot be called: it has no forward"):
        nn.Module()(1)


def test_arguments_reach_forward():
    class Both(nn.Module):
        def forward(self, x, *, by):
            return x * by

    assert Both()(Tensor(2.0), by=3).item() == 6


def test_hooks_see_and_change_arguments_and_outputs():
    net, seen = Net(), []
    before = net.first.register_forward_pre_hook(lambda module, args: seen.append((module, args)))
    after = net.first.register_forward_hook(lambda module, args, output: seen.append((module, args, output)))
    x = Tensor([[1.0, 2.0]])
    plain = net(x)
    assert seen[0] == (net.first, (x,))
    assert seen[1][:2] == (net.first, (x,))
    assert seen[1][2].shape == (1, 2)
    before.remove()
    after.remove()
    after.remove()
    net(x)
    assert len(seen) == 2
    with net.register_forward_pre_hook(lambda module, args: (args[0] * 0,)):
        assert not np.allclose(net(x).data, plain.data)
    with net.register_forward_pre_hook(lambda module, args: args[0] * 0):
        assert not np.allclose(net(x).data, plain.data)
    with net.register_forward_hook(lambda module, args, output: output * 2):
        np.testing.assert_allclose(net(x).data, 2 * plain.data)
    np.testing.assert_allclose(net(x).data, plain.data)
    with pytest.raises(TypeError, match="a hook is a function"):
        net.register_forward_hook(None)


def test_hooks_run_in_order_of_registration_and_may_remove_themselves():
    layer, seen = nn.Identity(), []
    layer.register_forward_hook(lambda *_: handle.remove())
    handle = layer.register_forward_hook(lambda *_: seen.append(1))
    layer.register_forward_hook(lambda *_: seen.append(2))
    layer(0)
    layer(0)
    assert seen == [1, 2, 2]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_a_copy_is_independent(copied):
    net = Net()
    twin = copied(net)
    twin.first.fc.weight += 1
    twin.eval()
    assert net.training
    assert [name for name, _ in twin.named_parameters()] == NAMES
    assert not (twin.first.fc.weight.data == net.first.fc.weight.data).any()
    assert twin.second.fc.weight.data.tolist() == net.second.fc.weight.data.tolist()


# -- repr and pictures ------------------------------------------------------------------------------------


def test_the_repr_has_shapes_and_counts():
    assert (
        repr(Net())
        == """\
Net(  # scale (1,): 13 parameters
  (first): Inner(  # 6 parameters
    (fc): Linear(in_features=2, out_features=2)  # weight (2, 2), bias (2,): 6 parameters
  )
  (second): Inner(  # 6 parameters
    (fc): Linear(in_features=2, out_features=2)  # weight (2, 2), bias (2,): 6 parameters
  )
)"""
    )
    assert repr(nn.Linear(1, 1, bias=False)).endswith("# weight (1, 1): 1 parameter")
    assert repr(nn.Sequential()) == "Sequential()"


def test_each_call_is_a_box_and_boxes_nest():
    net = Net()
    out = net(Tensor([[1.0, 2.0]]))
    assert out.scope == ("Net",)
    assert out.creators[0].scope == ("Net", "second: Inner", "fc: Linear")
    assert nn.Linear(2, 1)(Tensor([[1.0, 2.0]])).scope == ("Linear",)
    with pytest.raises(ValueError, match="last axis 2"):
        net(Tensor([1.0]))
    assert recording.current().group is None


def test_modules_in_lists_are_boxes_with_the_list_s_name():
    class Deep(nn.Module):
        def __init__(self):
            self.layers = nn.ModuleList()
            self.layers.append(nn.Sequential(nn.Linear(2, 2)))
            self.heads = nn.ModuleDict({"left": nn.Linear(2, 1)})

        def forward(self, x):
            return self.heads["left"](self.layers[0](x))

    out = Deep()(Tensor([[1.0, 2.0]]))
    assert out.scope == ("Deep", "heads.left: Linear")
    assert out.creators[0].scope == ("Deep", "layers.0: Sequential", "0: Linear")


def test_draw_shows_a_box_per_layer_with_its_parameters_inside():
    net = Net()
    out = net(np.ones((1, 2), np.float32))
    lines = str(ad.draw(out, depth=1)).splitlines()
    assert lines[1].startswith("... first: Inner: 3 nodes, 6 parameters (2, 2) (2,), gives")
    assert lines[2].startswith("... second: Inner: 3 nodes, 6 parameters (2, 2) (2,), from")
    assert lines[3].startswith("net.scale")  # its own parameters are drawn beside the layers
    dot = ad.draw(out).dot
    labels = re.findall(r'graph \[label="([^"]+)" labeljust', dot)
    assert labels == ["Net", "first: Inner", "fc: Linear", "second: Inner", "fc: Linear"]
    inside = dot.split('"second: Inner"')[0].split('"first: Inner"')[1].split()
    place = {name: re.search(rf'(n\d+) \[label="(?:net\.)?{name}\\', dot)[1] for name in NAMES}
    assert {name for name in NAMES if place[name] in inside} == {"first.fc.weight", "first.fc.bias"}


def test_parameters_get_their_path_when_their_module_does():
    net = nn.Sequential()
    outer = nn.Sequential({"body": net, "head": nn.Linear(1, 1)})
    net.append(nn.Linear(1, 1))
    outer.head.extra = nn.Parameter([1.0])
    whole = nn.Sequential({"net": outer})
    assert [parameter.name for parameter in whole.parameters()] == [
        name for name, _ in whole.named_parameters()
    ]
    other = nn.Sequential({"again": outer.head})
    assert other.again.weight.name == "net.head.weight"  # the first owner gives the name
    nn.Sequential({"more": other})
    assert other.again.weight.name == "net.head.weight"
    with pytest.raises(ValueError, match=r"the Tensor 'net.head.weight'"):
        outer.head.weight.assign([1.0, 2.0])


# -- options of PyTorch's that a layer does not have ---------------------------------------------------------


def test_an_option_that_a_layer_does_not_have_is_refused_in_its_name():
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        with pytest.raises(TypeError, match=f"^{kind.__name__} has no option 'proj_size': put an nn"):
            kind(3, 4, proj_size=2)
    with pytest.raises(TypeError, match=r"Linear has no option 'device': there is one"):
        nn.Linear(3, 4, device="cpu")
    for name in nn.__all__:
        kind = getattr(nn, name)
        is_layer = isinstance(kind, type) and issubclass(kind, nn.Module) and not name.startswith("Lazy")
        if is_layer and kind is not nn.Module:
            with pytest.raises(TypeError, match=f"^{name}.* (has no option 'nonsense'|takes no a)"):
                kind(nonsense=1)


def test_modules_of_one_s_own_take_what_they_like():
    class Free(nn.Module):
        def __init__(self, *sizes, device=None, **rest):
            self.device, self.rest = device, rest

    class Inherits(nn.Linear):
        pass

    namespace = {"nn": nn, "__name__": None}  # as code that is run by exec may have it
    exec("class Nameless(nn.Module):\n    def __init__(self, x=1): self.x = x", namespace)
    assert namespace["Nameless"](x=2).x == 2
    assert (Free(1, device="x", proj_size=2).device, Free(proj_size=2).rest) == ("x", {"proj_size": 2})
    with pytest.raises(TypeError, match="Inherits has no option 'device'"):
        Inherits(3, 4, device="cpu")
    assert Inherits(3, out_features=4, bias=False).bias is None
