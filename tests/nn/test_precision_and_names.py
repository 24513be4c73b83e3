"""Modules in another dtype, and parts by name, as in PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import Tensor, nn, optim
from tests.nn.helpers import random


def network():
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.PReLU(), nn.Linear(4, 2))


@pytest.mark.parametrize("call", ["to", "double"])
def test_to_double_and_back(call):
    net = network()
    before = list(net.parameters())
    assert (net.double() if call == "double" else net.to(np.float64)) is net
    assert list(net.parameters()) == before
    floats = [tensor for tensor in (*net.parameters(), *net.buffers()) if tensor.dtype.kind == "f"]
    assert {tensor.dtype for tensor in floats} == {np.dtype(np.float64)}
    assert net[1].num_batches_tracked.dtype == np.int64
    assert net(Tensor(random(5, 3))).dtype == np.float64
    assert net.float()(np.float32(random(5, 3))).dtype == np.float32


def test_gradients_are_converted_and_an_old_graph_is_refused():
    layer = nn.Linear(2, 1, generator=0)
    loss = layer(np.float32([[1, 2]])).sum()
    loss.backward()
    layer.to("float64")
    assert layer.weight.grad.dtype == np.float64
    assert layer.weight.grad.data.tolist() == [[1, 2]]
    with pytest.raises(RuntimeError, match="changed"):
        loss.backward()
    optim.SGD(layer.parameters(), lr=0.1).step()
    assert layer.weight.dtype == np.float64


def test_the_same_dtype_changes_nothing():
    layer = nn.Linear(2, 1)
    loss = layer(np.float32([[1, 2]])).sum()
    layer.float()
    loss.backward()  # the graph is still that of these values


@pytest.mark.parametrize("dtype", [int, "bool", None, "no dtype", np.complex128, 3])
def test_a_module_is_converted_only_to_float_dtypes(dtype):
    with pytest.raises(TypeError, match="to a float dtype"):
        nn.Linear(2, 1).to(dtype)


def test_devices():
    layer = nn.Linear(2, 1)
    assert layer.to("cpu") is layer
    assert layer.weight.dtype == np.float32
    with pytest.raises(ValueError, match="no device cuda:0"):
        layer.to("cuda:0")


@pytest.mark.parametrize(
    "made",
    [
        lambda dtype: nn.Linear(3, 2, dtype=dtype),
        lambda dtype: nn.Dense(2, dtype=dtype),
        lambda dtype: nn.LayerNorm(3, dtype=dtype),
        lambda dtype: nn.BatchNorm1d(3, dtype=dtype),
        lambda dtype: nn.PReLU(dtype=dtype),
        lambda dtype: nn.Embedding(4, 3, dtype=dtype),
    ],
    ids=["Linear", "Dense", "LayerNorm", "BatchNorm1d", "PReLU", "Embedding"],
)
@pytest.mark.parametrize("dtype", [np.float64, "float32", float, np.float16, None])
def test_layers_in_another_dtype(made, dtype):
    layer = made(dtype)
    kind = np.dtype(np.float32 if dtype is None else dtype)
    x = np.array([[0, 1, 2], [2, 1, 1]], int if isinstance(layer, nn.Embedding) else kind)
    assert layer(x).dtype == kind
    assert {parameter.dtype for parameter in layer.parameters()} == {kind}
    with pytest.raises(TypeError, match="are floats, so dtype cannot be int"):
        made(int)


def test_zero_grad_to_zeros():
    net = network()
    net(random(5, 3)).sum().backward()
    net[0].bias.grad = None
    net.zero_grad(set_to_none=False)
    assert net[0].bias.grad is None
    assert net[0].weight.grad.data.tolist() == [[0.0] * 3] * 4
    assert net[0].weight.grad.dtype == np.float32
    net.zero_grad()
    assert net[0].weight.grad is None


def test_parts_by_name():
    net = nn.Sequential({"body": network(), "head": nn.Linear(2, 1)})
    assert net.get_submodule("body.0") is net.body[0]
    assert net.get_submodule("") is net
    assert net.get_parameter("body.0.weight") is net.body[0].weight
    assert net.get_buffer("body.1.running_mean") is net.body[1].running_mean
    with pytest.raises(AttributeError, match=r"no parameter 'body'; there are: body\.0\.weight, "):
        net.get_parameter("body")
    assert next(net.named_parameters("model"))[0] == "model.body.0.weight"
    assert next(net.named_buffers("m"))[0] == "m.body.1.running_mean"
    with pytest.raises(TypeError, match="Pass recurse by keyword"):
        list(net.named_parameters(False))


def test_a_parameter_under_a_computed_name():
    net = nn.Module()
    net.register_parameter("w", nn.Parameter([1.0]))
    net.register_parameter("off", None)
    net.register_parameter("w", nn.Parameter([2.0]))
    assert [(name, p.data.tolist()) for name, p in net.named_parameters()] == [("w", [2.0])]
    net.register_module("fc", nn.Linear(1, 1))
    assert isinstance(net.fc, nn.Linear)
    with pytest.raises(TypeError, match=r"is an nn\.Parameter"):
        net.register_parameter("v", Tensor([1.0]))
    for name in ("training", "", "a.b"):
        with pytest.raises(ValueError, match=r"name|attribute"):
            net.register_parameter(name, nn.Parameter([1.0]))


METHODS = """
    add_module apply buffers children double eval float forward get_buffer get_parameter get_submodule
    load_state_dict modules named_buffers named_children named_modules named_parameters parameters
    register_buffer register_forward_hook register_forward_pre_hook register_module register_parameter
    requires_grad_ state_dict to train zero_grad
""".split()  # noqa: SIM905  a paragraph of names


@pytest.mark.parametrize("name", METHODS)
def test_a_module_has_torch_s_methods(name):
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    assert callable(getattr(nn.Module(), name))
    assert callable(getattr(torch.nn.Module(), name))
