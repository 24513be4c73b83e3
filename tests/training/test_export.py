"""Networks as ONNX files: onnxruntime computes from the file what the network computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import autodiff as ad
from autodiff import nn
from autodiff.engine.catalogue import catalogue
from autodiff.training import export
from autodiff.training.export.rules import RULES, SAME
from tests.engine.ops.cases import calls, examples

pytest.importorskip(
    "onnx", reason="ONNX files are checked where onnx is installed: pip install 'autodiff[onnx]'"
)
runtime = pytest.importorskip("onnxruntime", reason="ONNX files are run where onnxruntime is installed")

NOT_IN_ONNX = {
    "wins", "ties", "middle", "median", "flip", "roll", "scatter", "take_along_axis", "gather", "scatter_add",
    "repeat", "diagonal", "cumprod", "linear_recurrence", "argsort", "sort", "dot", "inner", "outer", "trace",
    "inv", "cofactors", "logdet", "detsign", "solve", "cholesky", "cbrt", "logaddexp2", "arctan2", "fmax",
    "fmin", "nan_to_num", "sign", "floor", "ceil", "round", "trunc", "floor_divide", "argmax", "argmin",
    "sinc", "sinc_slope", "eigvalsh", "eigenvectors", "svdvals", "singular_vectors",
    "pinv", "power_norm", "kernel_gradient", "to_largest", "at_largest", "spread_mean", "unfold", "fold",
    "below_one", "sech2", "cosine", "score", "unit",
}  # fmt: skip
"""Operations that are refused by name. The list is here so that a rule that is lost is missed."""


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def run(path: Any, *inputs: Any) -> list[Any]:
    """What onnxruntime computes from a file."""
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
    with pytest.raises(ValueError, match="sort, which has no counterpart in ONNX"):
        export.onnx(lambda x: ad.sort(x), numbers(3, 2), path)
    assert not path.exists()


def test_what_depends_on_the_batch_in_another_way_is_refused(tmp_path):
    with pytest.raises(ValueError, match="depends on the size of the batch"):
        export.onnx(lambda x: x * np.arange(len(x))[:, None], numbers(3, 2), tmp_path / "net.onnx")
    with pytest.raises(ValueError, match="other operations for a batch of another size"):
        export.onnx(lambda x: x.exp() if len(x) == 3 else x * 2, numbers(3, 2), tmp_path / "net.onnx")


def test_what_depends_on_the_input_without_being_recorded_is_refused(tmp_path):
    path = tmp_path / "net.onnx"
    with pytest.raises(ValueError, match="depends on its input"):
        export.onnx(lambda x: x * ad.floor(x), numbers(4, 3), path, batch_axis=None)
    with pytest.raises(ValueError, match="not computed from its input"):
        export.onnx(lambda x: ad.argmax(x), numbers(3, 2), path, batch_axis=None)
    assert not path.exists()


def test_every_operation_has_a_rule_or_is_known_to_have_none():
    names = {operation.name for operation in catalogue}
    assert names - set(SAME) - set(RULES) == NOT_IN_ONNX


@pytest.mark.parametrize("name", sorted({operation.name for operation in catalogue} - NOT_IN_ONNX))
@examples(2)
@given(data=st.data())
def test_operations(name, data, tmp_path_factory):
    operands, options = data.draw(calls(name, (np.float32,)))
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
        export.onnx(net, tuple(inputs), path, batch_axis=None)
    except ValueError as error:
        assert "ONNX" in str(error)  # noqa: PT017 - some options have no counterpart
        return
    with ad.no_grad():
        expected = net(*map(ad.Tensor, inputs))
    (got,) = run(path, *inputs)
    np.testing.assert_allclose(got, expected.data, rtol=2e-5, atol=2e-5)
    assert got.shape == expected.shape
