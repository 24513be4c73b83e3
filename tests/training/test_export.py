"""Networks as ONNX files: onnxruntime computes from the file what the network computes; where it is not
installed, a stand-in does."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import autodiff as ad
from autodiff import nn
from autodiff.engine.catalogue import catalogue
from autodiff.training import export
from tests.engine.ops.cases import calls, examples
from tests.fuzz import exported
from tests.training import fake_onnx
from tests.training.layers import LAYERS, NOT_IN_DOUBLE_LAYERS

IS_THERE = bool(find_spec("onnx") and find_spec("onnxruntime"))
with_onnx = pytest.mark.skipif(not IS_THERE, reason="onnx is not installed: pip install 'autodiff[onnx]'")


@pytest.fixture
def stand_in(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", fake_onnx)


@pytest.fixture(autouse=True)
def library(request):
    if not IS_THERE:
        request.getfixturevalue("stand_in")


REFUSED = {
    "arctan2", "at_largest", "cholesky", "cofactors", "cumprod", "detsign", "eigenvectors", "eigvalsh", "inv",
    "kernel_gradient", "linear_recurrence", "logdet", "median", "middle", "pinv", "power_norm", "score",
    "singular_vectors", "solve", "spread_mean", "svdvals", "to_largest", "unit",
}  # fmt: skip
"""Operations that are refused by name. The list is here so that a rule that is lost is missed."""

SOMETIMES = {"cast", "dot", "gru", "inner", "lstm", "pad", "rnn"}
"""Operations of which some options, or weights that are computed, are refused."""

NOT_IN_DOUBLE = {
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "convolution", "det", "erf", "erfc",
    "fold", "gelu", "transposed_convolution",
}  # fmt: skip
"""Operations that onnxruntime does not have in float64, and that are refused there."""


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def run(path: Any, *inputs: Any) -> list[Any]:
    """What onnxruntime, or the stand-in, computes from a file."""
    if sys.modules.get("onnx") is fake_onnx:
        return fake_onnx.run(path, *inputs)
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [given.name for given in session.get_inputs()]
    return list(session.run(None, dict(zip(names, inputs, strict=True))))


def leaves(result: Any) -> list[Any]:
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in leaves(part)]
    return [np.asarray(result.data)]


def of_the_network(net: Any, *inputs: Any) -> list[Any]:
    """What the network itself computes, when it predicts."""
    net.eval()
    with ad.no_grad():
        return leaves(net(*[ad.Tensor(x) if x.dtype.kind == "f" else x for x in inputs]))


def check_batches(net: Any, example: Any, path: Any, axis: int = 0) -> None:
    """Export a network, and compare it with the file on batches of several sizes."""
    export.onnx(net, example, path, batch_axis=axis)
    for size in (1, 2, 7):
        x = np.repeat(np.take(example, [0, 1], axis=axis), 4, axis=axis).take(range(size), axis=axis)
        x = x + numbers(*x.shape, seed=size) if x.dtype.kind == "f" else x
        for got, expected in zip(run(path, x), of_the_network(net, x), strict=True):
            assert got.shape == expected.shape
            np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


NETWORKS = {
    "MLP": lambda: nn.Sequential(
        nn.Linear(8, 16), nn.ReLU(), nn.BatchNorm1d(16), nn.Dropout(0.5), nn.GELU(), nn.LayerNorm(16),
        nn.Linear(16, 4), nn.LogSoftmax(),
    ),
    "activations": lambda: nn.Sequential(
        nn.Linear(8, 6), nn.Tanh(), nn.Linear(6, 6), nn.Sigmoid(), nn.SiLU(), nn.ELU(), nn.LeakyReLU(),
        nn.Softplus(), nn.Mish(), nn.SELU(), nn.Hardtanh(), nn.Hardswish(), nn.Hardsigmoid(), nn.PReLU(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NETWORKS)
def test_dense_networks(name, tmp_path):
    ad.seed(0)
    check_batches(NETWORKS[name](), numbers(3, 8), tmp_path / "net.onnx")


def test_a_convnet(tmp_path):
    ad.seed(0)
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(4, 6, 3, stride=2),
        nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(6, 10),
    )  # fmt: skip
    for _ in range(3):
        net(ad.Tensor(numbers(8, 1, 12, 12)))  # so that batch norm has running statistics
    check_batches(net, numbers(2, 1, 12, 12), tmp_path / "net.onnx")


@pytest.mark.parametrize("output_padding", [0, 1])
def test_a_transposed_convolution(output_padding, tmp_path):
    ad.seed(0)
    net = nn.ConvTranspose2d(2, 3, 5, stride=2, padding=2, output_padding=output_padding)
    check_batches(net, numbers(2, 2, 5, 6), tmp_path / "net.onnx")


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("batch_first", [False, True])
def test_recurrent_layers(kind, batch_first, tmp_path):
    ad.seed(0)
    net = getattr(nn, kind)(8, 6, num_layers=2, bidirectional=not batch_first, batch_first=batch_first)
    example = numbers(3, 5, 8) if batch_first else numbers(5, 3, 8)
    check_batches(net, example, tmp_path / "net.onnx", axis=0 if batch_first else 1)


def test_a_transformer_encoder(tmp_path):
    ad.seed(0)
    net = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)
    check_batches(net, numbers(3, 5, 8), tmp_path / "net.onnx")


def test_an_embedding_takes_whole_numbers(tmp_path):
    ad.seed(0)
    net = nn.Sequential(nn.Embedding(10, 8), nn.Linear(8, 2))
    check_batches(net, np.array([[1, 2, 3], [4, 5, 6]]), tmp_path / "net.onnx")


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("batch_axis", [0, None])
def test_layers(name, dtype, batch_axis, tmp_path):
    """Every layer, on other values than the example and, with a batch axis, on other sizes of the batch."""
    check_layer(name, dtype, batch_axis, tmp_path / "net.onnx")


@with_onnx
@pytest.mark.parametrize("name", LAYERS)
def test_the_stand_in_computes_them_too(name, stand_in, tmp_path):
    check_layer(name, np.float32, 0, tmp_path / "net.onnx")


def check_layer(name: str, dtype: Any, batch_axis: int | None, path: Any) -> None:
    ad.seed(0)
    make, shapes = LAYERS[name]
    net = make()
    net = net.double() if dtype == np.float64 else net

    def inputs(size: int, seed: int) -> tuple[Any, ...]:
        return tuple(numbers(size, *shape, seed=seed + k).astype(dtype) for k, shape in enumerate(shapes))

    if dtype == np.float64 and name in NOT_IN_DOUBLE_LAYERS:
        with pytest.raises(ValueError, match="in float64, which onnxruntime does not have"):
            export.onnx(net, inputs(3, 0), path, batch_axis=batch_axis)
        return
    export.onnx(net, inputs(3, 0), path, batch_axis=batch_axis)
    for size in (1, 2, 5) if batch_axis == 0 else (3,):
        given = inputs(size, 10 * size)
        for got, expected in zip(run(path, *given), of_the_network(net, *given), strict=True):
            assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
            np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


def test_several_inputs_and_outputs_with_names(tmp_path):
    class Both(nn.Module):
        def forward(self, left: Any, right: Any) -> Any:
            return left @ right, (left + right).sum(axis=1)

    path = tmp_path / "net.onnx"
    x, y = numbers(3, 3), numbers(3, 3, seed=1)
    export.onnx(Both(), (x, y), path, batch_axis=None, names=["left", "right"])
    for got, expected in zip(run(path, x, y), of_the_network(Both(), x, y), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match="names has 1 names for 2 inputs"):
        export.onnx(Both(), (x, y), path, names=["left"])


def test_every_module_keeps_its_mode(tmp_path):
    net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    net[0].eval()
    before = [module.training for module in net.modules()]
    export.onnx(net, numbers(2, 2), tmp_path / "net.onnx")
    assert [module.training for module in net.modules()] == before


def test_an_operation_without_a_counterpart_is_named(tmp_path):
    path = tmp_path / "net.onnx"
    with pytest.raises(ValueError, match="inv, which has no counterpart in ONNX"):
        export.onnx(ad.inv, numbers(3, 2, 2), path)
    with pytest.raises(ValueError, match="erf in float64, which onnxruntime does not have"):
        export.onnx(ad.erf, np.zeros((3, 2)), path)
    assert not path.exists()


@with_onnx
def test_a_dtype_that_onnx_does_not_have_is_refused(tmp_path):
    with pytest.raises(ValueError, match="in a dtype that ONNX does not have it in"):
        export.onnx(lambda x: -x, np.array([1, 2], np.uint8), tmp_path / "net.onnx")
    assert not (tmp_path / "net.onnx").exists()


def leaf(result: Any) -> Any:
    return result.data if isinstance(result, ad.Tensor) else np.asarray(result)


CHOICES = {
    "where": lambda x: ad.where(x > 0, x, ad.exp(x)), "product": lambda x: x * (x > 0), "floor": ad.floor,
    "with floor": lambda x: x * ad.floor(x), "sign": ad.sign, "argmax": lambda x: ad.argmax(x, axis=1),
    "argmin": lambda x: ad.argmin(x, axis=1, keepdims=True), "detach": lambda x: x * (x.detach() <= 0.5),
    "data": lambda x: x * (x.data > 0), "and": lambda x: ad.where((x > 0) & (x < 1) | ~(x > -1), 1.0, x),
    "equal": lambda x: (x == 0) + (x != 1) * x, "count": lambda x: (x > 0).sum(axis=1), "sort": ad.sort,
    "ceil": ad.ceil, "round": ad.round, "trunc": ad.trunc, "clip": lambda x: ad.clip(x, -0.5, 0.5),
    "mod": lambda x: x % 0.75, "floor divide": lambda x: x // 0.75, "cumsum": lambda x: ad.cumsum(x, axis=1),
    "cast": lambda x: x.astype(np.int64), "topk": lambda x: tuple(ad.topk(x, 1)),
    "nan": lambda x: ad.where(ad.isnan(x / x), 0.0, x), "any": lambda x: ad.any(x > 1, axis=1),
    "pick": lambda x: x[np.arange(len(x)), ad.argmax(x, axis=1).data], "mean": lambda x: x - x.mean(axis=0),
    "argsort": lambda x: ad.argsort(x), "length": lambda x: x / len(x), "flat": lambda x: x.reshape(-1),
    "arange": lambda x: x.T * np.arange(len(x)),
    "pairs": lambda x: ad.stack([x, 2 * x, 3 * x], 1)[:, [0, 2], [1, 0]],
    "pairs behind": lambda x: ad.stack([x, 2 * x, 3 * x], 1)[:, None][:, :, [0, 2, 1], [1, 0, 1]],
    "pairs apart": lambda x: ad.stack([x, 2 * x, 3 * x], 1)[:, :, None][:, [0, 2], :, [1, 0]],
    "slope": lambda x: ad.grad(lambda v: (v**3).sum())(x), "vmap": ad.vmap(lambda v: v * v.sum()),
    "compiled": ad.compile(lambda x: ad.exp(x) * (x > 0)), "checkpoint": lambda x: ad.checkpoint(ad.tanh, x),
}  # fmt: skip


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("batch_axis", [0, None])
def test_what_is_decided_is_decided_when_the_file_runs(name, dtype, batch_axis, tmp_path):
    path, net = tmp_path / "net.onnx", CHOICES[name]
    export.onnx(net, np.zeros((3, 2), dtype), path, batch_axis=batch_axis)
    for size in (1, 2, 5) if batch_axis == 0 else (3,):
        x = 2 * numbers(size, 2, seed=size).astype(dtype)
        with ad.no_grad():
            result = net(ad.Tensor(x))
        expected = [*map(leaf, result)] if isinstance(result, tuple) else [leaf(result)]
        for got, right in zip(run(path, x), expected, strict=True):
            assert (got.shape, got.dtype) == (right.shape, right.dtype)
            np.testing.assert_allclose(got, right, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", sorted({operation.name for operation in catalogue}))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@examples(2)
@given(data=st.data())
def test_operations(name, dtype, data, tmp_path_factory):
    """Each operation is exported with zeros as the example, and then run, or it is refused by name."""
    operands, options = data.draw(calls(name, (dtype,)))
    assume(all(np.size(x) for x in operands))
    places = [k for k, x in enumerate(operands) if isinstance(x, np.ndarray)]
    assume(places)

    def net(*inputs: Any) -> Any:
        given = list(operands)
        for place, x in zip(places, inputs, strict=True):
            given[place] = x
        return catalogue.find(name)(*given, **options)

    inputs = [operands[place] for place in places]
    path = tmp_path_factory.mktemp("onnx") / "net.onnx"
    try:
        export.onnx(net, tuple(map(np.zeros_like, inputs)), path, batch_axis=None)
    except ValueError as error:
        known = REFUSED | SOMETIMES | (NOT_IN_DOUBLE if dtype == np.float64 else set())
        if name not in known or not any(word in str(error) for word in ("ONNX", "onnxruntime")):
            raise
        return
    assert name not in REFUSED
    with ad.no_grad():
        expected = net(*map(ad.Tensor, inputs))
    (got,) = run(path, *inputs)
    np.testing.assert_allclose(got, expected.data, rtol=3e-5, atol=3e-5)
    assert (got.shape, got.dtype) == (expected.shape, np.asarray(expected.data).dtype)


@with_onnx
@examples(40)
@given(seed=st.integers(0, 2**31))
def test_random_programs(seed, tmp_path_factory):
    runtime = pytest.importorskip("onnxruntime")
    result = exported.trial([seed], runtime, tmp_path_factory.mktemp("onnx") / "net.onnx")
    assert result in ("equal", "near"), result
