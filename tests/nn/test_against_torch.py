"""Layers, losses and initial values against PyTorch, where it is installed. The package never needs it."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from autodiff import Tensor, nn
from tests.nn.helpers import in_double, random

torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")

LAYERS = [
    ("Linear", (3, 4), {}, (5, 3)),
    ("Linear", (3, 4), {"bias": False}, (3,)),
    ("Linear", (3, 4), {}, (2, 5, 3)),
    ("Flatten", (), {}, (2, 3, 4)),
    ("Flatten", (0, 1), {}, (2, 3, 4)),
    ("Dropout", (0.0,), {}, (4, 3)),
    ("Embedding", (6, 3), {}, None),
    ("Embedding", (6, 3), {"padding_idx": 2}, None),
    ("BatchNorm1d", (3,), {}, (5, 3)),
    ("BatchNorm1d", (3,), {}, (4, 3, 6)),
    ("BatchNorm1d", (3,), {"eps": 0.1}, (5, 3)),
    ("BatchNorm1d", (3,), {"momentum": 0.3}, (5, 3)),
    ("BatchNorm1d", (3,), {"momentum": None}, (5, 3)),
    ("BatchNorm1d", (3,), {"affine": False}, (4, 3, 6)),
    ("BatchNorm1d", (3,), {"track_running_stats": False}, (5, 3)),
    ("LayerNorm", (4,), {}, (5, 3, 4)),
    ("LayerNorm", ((3, 4),), {}, (5, 3, 4)),
    ("LayerNorm", (4,), {"eps": 0.1}, (5, 4)),
    ("LayerNorm", (4,), {"bias": False}, (5, 4)),
    ("LayerNorm", (4,), {"elementwise_affine": False}, (4,)),
    ("ReLU", (), {}, (3, 4)),
    ("LeakyReLU", (), {}, (3, 4)),
    ("LeakyReLU", (0.2,), {}, (3, 4)),
    ("Tanh", (), {}, (3, 4)),
    ("Sigmoid", (), {}, (3, 4)),
    ("LogSigmoid", (), {}, (3, 4)),
    ("Softplus", (), {}, (3, 4)),
    ("Softplus", (), {"beta": 2.0}, (3, 4)),
    ("ELU", (), {}, (3, 4)),
    ("ELU", (0.5,), {}, (3, 4)),
    ("GELU", (), {}, (3, 4)),
    ("GELU", (), {"approximate": "tanh"}, (3, 4)),
    ("SiLU", (), {}, (3, 4)),
    ("SELU", (), {}, (3, 4)),
    ("CELU", (), {"alpha": 0.5}, (3, 4)),
    ("Mish", (), {}, (3, 4)),
    ("Softsign", (), {}, (3, 4)),
    ("ReLU6", (), {}, (3, 4)),
    ("Hardtanh", (), {}, (3, 4)),
    ("Hardtanh", (-0.5, 2.0), {}, (3, 4)),
    ("Hardswish", (), {}, (3, 4)),
    ("Threshold", (0.5, 20.0), {}, (3, 4)),
    ("PReLU", (), {}, (3, 4)),
    ("PReLU", (3,), {}, (2, 3, 4)),
    ("GLU", (), {"dim": 1}, (3, 4)),
    ("Softmin", (), {"dim": 1}, (3, 4)),
    ("Softmax", (), {"dim": 0}, (3, 4)),
    ("Softmax", (), {"dim": -1}, (3, 4)),
    ("LogSoftmax", (), {"dim": 1}, (3, 4, 2)),
    ("Conv1d", (4, 6, 3), {"stride": 2, "groups": 2}, (3, 4, 9)),
    ("Conv1d", (2, 3, (3,)), {"padding": "same", "dilation": 3}, (2, 8)),
    ("Conv2d", (1, 4, 3), {}, (2, 1, 6, 5)),
    ("Conv2d", (9, 4, 3), {"padding": 1, "bias": False}, (2, 9, 5, 5)),
    ("Conv2d", (4, 2, (3, 2)), {"stride": (2, 1), "padding": (1, 0), "dilation": (1, 2)}, (3, 4, 6, 5)),
    ("Conv2d", (4, 4, 3), {"groups": 4, "padding": "same"}, (3, 4, 6, 5)),
    ("Conv2d", (2, 3, 3), {"padding": 2, "padding_mode": "reflect"}, (2, 2, 5, 6)),
    ("Conv2d", (2, 3, 3), {"padding": (0, 1), "padding_mode": "circular", "stride": 2}, (2, 2, 5, 6)),
    ("Conv2d", (2, 3, (2, 3)), {"padding": "same", "padding_mode": "replicate"}, (2, 5, 6)),
    ("Conv1d", (2, 3, 3), {"padding": 1, "padding_mode": "circular"}, (2, 5)),
    ("ConvTranspose1d", (4, 6, 3), {"stride": 2, "output_padding": 1, "groups": 2}, (3, 4, 5)),
    ("ConvTranspose2d", (4, 2, (3, 2), (2, 1), (1, 0), (1, 0), 2), {"bias": False}, (3, 4, 3, 4)),
    ("ConvTranspose2d", (1, 2, 5, 2, 2, 1), {"dilation": 2}, (1, 3, 4)),
    ("MaxPool1d", (3,), {"padding": 1, "ceil_mode": True}, (2, 3, 8)),
    ("MaxPool2d", (2,), {}, (2, 3, 5, 6)),
    ("MaxPool2d", ((3, 2), 2, 1), {"dilation": (1, 2)}, (2, 3, 5, 6)),
    ("AvgPool1d", (3, 2, 1), {"count_include_pad": False}, (2, 3, 8)),
    ("AvgPool2d", (3, 2, 1, True), {"divisor_override": 2}, (2, 3, 5, 6)),
    ("AvgPool2d", ((2, 3),), {"count_include_pad": False}, (3, 5, 6)),
    ("AdaptiveAvgPool2d", ((None, 3),), {}, (2, 3, 5, 7)),
    ("AdaptiveAvgPool1d", (3,), {}, (3, 7)),
    ("Unfold", ((2, 3),), {"padding": 1, "stride": 2}, (2, 3, 5, 6)),
    ("Fold", ((5, 6), 2), {"stride": 1}, (2, 12, 20)),
]


@pytest.mark.parametrize(("name", "args", "options", "shape"), LAYERS)
@pytest.mark.parametrize("training", [True, False])
def test_a_layer_used_twice_has_torch_s_values_and_gradients(name, args, options, shape, training):
    ours = in_double(getattr(nn, name)(*args, **options))
    for parameter in ours.parameters():
        parameter.data = parameter.data + random(*parameter.shape, seed=3)
    theirs = getattr(torch.nn, name)(*args, **options).double()
    theirs.load_state_dict({key: torch.tensor(value) for key, value in ours.state_dict().items()})
    ours.train(training)
    theirs.train(training)
    inputs, others = [], []
    for seed in range(2):
        data = np.array([[2, 1, 2], [5, 0, 1]]) if shape is None else 2 * random(*shape, seed=seed)
        inputs.append(data if shape is None else Tensor(data))
        others.append(torch.tensor(data, requires_grad=shape is not None))
    out = ours(inputs[0]) * 2 + ours(inputs[1])
    expected = theirs(others[0]) * 2 + theirs(others[1])
    grad = random(*out.shape, seed=5)
    out.backward(grad)
    expected.backward(torch.tensor(grad))
    same(out.data, expected)
    for mine, other in zip(inputs, others):
        if shape is not None:
            same(mine.grad.data, other.grad)
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        same(mine.grad.data, other.grad)
    for (mine, buffer), (other, expected) in zip(ours.named_buffers(), theirs.named_buffers(), strict=True):
        assert mine == other
        same(buffer.data, expected)


def same(mine, other):
    np.testing.assert_allclose(mine, other.detach().numpy(), rtol=1e-10, atol=1e-12)


LOGITS = random(4, 3)
CLASSES = np.array([2, 0, 1, 1])
LIKELY = np.exp(random(4, 3, seed=2)) / np.exp(random(4, 3, seed=2)).sum(1, keepdims=True)
WEIGHT = np.array([1.0, 2.0, 0.5])
OTHERS = random(4, 3, seed=1)
CHANCES = 1 / (1 + np.exp(-LOGITS))
LOSSES = [
    ("mse_loss", LOGITS, OTHERS, {}),
    ("l1_loss", LOGITS, OTHERS, {}),
    ("huber_loss", 2 * LOGITS, OTHERS, {}),
    ("huber_loss", LOGITS, OTHERS, {"delta": 0.3}),
    ("smooth_l1_loss", 2 * LOGITS, OTHERS, {}),
    ("smooth_l1_loss", LOGITS, OTHERS, {"beta": 0.3}),
    ("smooth_l1_loss", LOGITS, OTHERS, {"beta": 0.0}),
    ("nll_loss", LOGITS, CLASSES, {}),
    ("nll_loss", LOGITS, CLASSES, {"weight": WEIGHT}),
    ("nll_loss", LOGITS, CLASSES, {"ignore_index": 1}),
    ("nll_loss", LOGITS, CLASSES, {"weight": WEIGHT, "ignore_index": 1}),
    ("nll_loss", random(2, 3, 2, 2), CLASSES.reshape(2, 2, 1) + np.zeros((2, 2, 2), int), {"weight": WEIGHT}),
    ("nll_loss", LOGITS[0], np.array(2), {}),
    ("cross_entropy", LOGITS, CLASSES, {}),
    ("cross_entropy", LOGITS, CLASSES, {"weight": WEIGHT}),
    ("cross_entropy", LOGITS, np.array([2, -100, 1, 0]), {}),
    ("cross_entropy", LOGITS, CLASSES, {"ignore_index": 1}),
    ("cross_entropy", LOGITS, CLASSES, {"label_smoothing": 0.2}),
    ("cross_entropy", LOGITS, CLASSES, {"label_smoothing": 0.2, "weight": WEIGHT}),
    ("cross_entropy", LOGITS, CLASSES, {"label_smoothing": 0.2, "ignore_index": 1}),
    ("cross_entropy", LOGITS, CLASSES, {"label_smoothing": 0.2, "weight": WEIGHT, "ignore_index": 1}),
    ("cross_entropy", random(2, 3, 2), np.array([[0, 1], [2, 2]]), {"weight": WEIGHT}),
    ("cross_entropy", LOGITS[0], np.array(2), {}),
    ("cross_entropy", LOGITS[0], LIKELY[0], {}),
    ("cross_entropy", LOGITS, LIKELY, {}),
    ("cross_entropy", LOGITS, LIKELY, {"weight": WEIGHT}),
    ("cross_entropy", LOGITS, LIKELY, {"label_smoothing": 0.2, "weight": WEIGHT}),
    ("cross_entropy", random(2, 3, 2), LIKELY[:, :2].reshape(2, 2, 2).repeat(2, 1)[:, :3], {}),
    ("cross_entropy", 1000 * LOGITS, CLASSES, {}),
    ("binary_cross_entropy", CHANCES, LIKELY, {}),
    ("binary_cross_entropy", CHANCES, LIKELY, {"weight": WEIGHT}),
    ("binary_cross_entropy_with_logits", LOGITS, LIKELY, {}),
    ("binary_cross_entropy_with_logits", LOGITS, LIKELY, {"weight": WEIGHT}),
    ("binary_cross_entropy_with_logits", LOGITS, LIKELY, {"pos_weight": WEIGHT}),
    ("binary_cross_entropy_with_logits", 1000 * LOGITS, (LIKELY > 0.3) * 1.0, {"pos_weight": WEIGHT}),
    ("kl_div", np.log(CHANCES), LIKELY, {}),
    ("kl_div", np.log(CHANCES), np.log(LIKELY), {"log_target": True}),
]


@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides the total loss:UserWarning")  # kl_div's
@pytest.mark.parametrize(("name", "x", "target", "options"), LOSSES)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_a_loss_has_torch_s_values_and_gradients(name, x, target, options, reduction):
    mine, other = Tensor(x), torch.tensor(x, requires_grad=True)
    loss = getattr(nn, name)(mine, target, reduction=reduction, **options)
    theirs = {key: torch.tensor(v) if isinstance(v, np.ndarray) else v for key, v in options.items()}
    function = getattr(torch.nn.functional, name)
    expected = function(other, torch.tensor(target), reduction=reduction, **theirs)
    grad = random(*loss.shape, seed=7) if loss.shape else 3.0
    loss.backward(grad)
    expected.backward(torch.as_tensor(grad, dtype=torch.float64))
    same(loss.data, expected)
    same(mine.grad.data, other.grad)


@pytest.mark.parametrize("temperature", [0.5, 4.0])
def test_the_temperature_is_that_of_torch_s_logits_divided(temperature):
    mine, other = Tensor(LOGITS), torch.tensor(LOGITS, requires_grad=True)
    loss = nn.cross_entropy(mine, CLASSES, temperature=temperature)
    expected = torch.nn.functional.cross_entropy(other / temperature, torch.tensor(CLASSES))
    loss.backward()
    expected.backward()
    same(loss.data, expected)
    same(mine.grad.data, other.grad)


def test_probabilities_of_0_and_1_are_treated_as_in_torch():
    p, t = np.array([0.0, 1.0, 0.5]), np.array([1.0, 0.0, 1.0])
    mine, other = Tensor(p), torch.tensor(p, requires_grad=True)
    loss = nn.binary_cross_entropy(mine, t)
    expected = torch.nn.functional.binary_cross_entropy(other, torch.tensor(t))
    loss.backward()
    expected.backward()
    same(loss.data, expected)
    np.testing.assert_allclose(mine.grad.data, other.grad, rtol=1e-7)  # its largest slope is 1e12 in float32


def test_batchmean():
    loss = nn.kl_div(np.log(CHANCES), LIKELY, "batchmean")
    theirs = torch.tensor(np.log(CHANCES)), torch.tensor(LIKELY)
    same(loss, torch.nn.functional.kl_div(*theirs, reduction="batchmean"))


def test_a_network_has_torch_s_names_values_and_gradients():
    def network(nn):
        return nn.Sequential(
            nn.Linear(3, 8), nn.BatchNorm1d(8), nn.GELU(), nn.Sequential(nn.Linear(8, 5), nn.LayerNorm(5))
        )

    ours, theirs = in_double(network(nn)), network(torch.nn).double()
    assert list(ours.state_dict()) == list(theirs.state_dict())
    assert [name for name, _ in ours.named_modules()] == [name for name, _ in theirs.named_modules()]
    ours.load_state_dict({key: value.numpy() for key, value in theirs.state_dict().items()})
    x, y = random(6, 3), np.array([0, 1, 2, 3, 4, 0])
    nn.CrossEntropyLoss()(ours(x), y).backward()
    torch.nn.CrossEntropyLoss()(theirs(torch.tensor(x)), torch.tensor(y)).backward()
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        same(mine.grad.data, other.grad)


@pytest.mark.parametrize(
    "name",
    [*sorted({name for name, *_ in LAYERS}), "MSELoss", "L1Loss", "HuberLoss", "SmoothL1Loss", "NLLLoss",
     "CrossEntropyLoss", "BCELoss", "BCEWithLogitsLoss", "KLDivLoss", "LazyLinear"],
)  # fmt: skip
def test_the_names_and_defaults_are_torch_s(name):
    theirs = inspect.signature(getattr(torch.nn, name).__init__).parameters
    for option, parameter in inspect.signature(getattr(nn, name)).parameters.items():
        if option in ("generator", "temperature", "dim"):  # only here; and dim, which PyTorch requires
            continue
        assert option in theirs
        assert parameter.default == theirs[option].default


@pytest.mark.parametrize("shape", [(4, 3), (4, 3, 5), (8, 4, 3, 2)])
def test_fans_and_gains_are_torch_s(shape):
    fans = torch.nn.init._calculate_fan_in_and_fan_out(torch.zeros(shape))
    assert nn.init.calculate_fans(Tensor(np.zeros(shape))) == fans
    for nonlinearity in ("linear", "conv1d", "sigmoid", "tanh", "relu", "leaky_relu", "selu"):
        for param in (None, 0.2):
            expected = torch.nn.init.calculate_gain(nonlinearity, param)
            assert nn.init.calculate_gain(nonlinearity, param) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("uniform_", {}),
        ("normal_", {}),
        ("trunc_normal_", {}),
        ("trunc_normal_", {"mean": 0.5, "std": 2.0, "a": -1.0, "b": 1.0}),
        ("xavier_uniform_", {"gain": 2.0}),
        ("xavier_normal_", {}),
        ("kaiming_uniform_", {"a": 0.5}),
        ("kaiming_normal_", {"mode": "fan_out"}),
    ],
)
def test_initial_values_are_distributed_as_in_torch(name, options):
    torch.manual_seed(0)
    mine = getattr(nn.init, name)(Tensor(np.zeros((100, 150))), generator=0, **options).data
    other = getattr(torch.nn.init, name)(torch.zeros(100, 150), **options).numpy()
    points = np.linspace(0.02, 0.98, 25)
    np.testing.assert_allclose(np.quantile(mine, points), np.quantile(other, points), atol=0.06 * other.std())


def test_a_linear_layer_is_initialized_as_in_torch():
    torch.manual_seed(0)
    ours, theirs = nn.Linear(50, 2000, generator=0), torch.nn.Linear(50, 2000)
    for mine, other in zip(ours.parameters(), theirs.parameters()):
        assert mine.shape == other.shape
        other = other.detach().numpy()
        assert abs(mine.data).max() == pytest.approx(abs(other).max(), rel=1e-2)
        assert mine.data.std() == pytest.approx(other.std(), rel=0.05)
