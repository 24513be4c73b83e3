"""Every layer and loss, compiled and not: outputs, gradients and buffers, in training and in evaluation."""

from __future__ import annotations

import copy
import inspect

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn
from autodiff.testing import weights
from tests.fuzz.compiled import check_alike

rng = np.random.default_rng(0)
ROWS, SERIES, PICTURES = (5, 4), (3, 4, 6), (2, 4, 6, 6)


def some(*shape):
    return rng.normal(size=shape)


def picks(shape, most):
    return rng.integers(0, most, shape)


# A layer, and the arrays that it is called with. Integers and booleans are given as they are.
LAYERS = {
    **{
        name: (getattr(nn, name)(), [some(*ROWS)])
        for name in (
            "CELU", "ELU", "GELU", "GLU", "Hardsigmoid", "Hardswish", "Hardtanh", "Identity", "LeakyReLU",
            "LogSigmoid", "Mish", "PReLU", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softplus", "Softsign",
            "Tanh", "LogSoftmax", "Softmax", "Softmin", "Dropout", "LazyBatchNorm1d", "Flatten",
        )
    },
    "Threshold": (nn.Threshold(0.1, 2.0), [some(*ROWS)]),
    "Reshape": (nn.Reshape((2, 2)), [some(*ROWS)]),
    "Linear": (nn.Linear(4, 3), [some(*ROWS)]),
    "Dense": (nn.Dense(4, 3), [some(*ROWS)]),
    "LazyLinear": (nn.LazyLinear(3), [some(*ROWS)]),
    "Embedding": (nn.Embedding(7, 3, padding_idx=1), [picks((2, 5), 7)]),
    "LearnedPositions": (nn.LearnedPositions(8, 6), [some(*SERIES)]),
    "SinusoidalPositions": (nn.SinusoidalPositions(8, 6), [some(*SERIES)]),
    "BatchNorm1d": (nn.BatchNorm1d(4), [some(*ROWS)]),
    "BatchNorm1d by count": (nn.BatchNorm1d(4, momentum=None), [some(*ROWS)]),
    "BatchNorm1d without statistics": (nn.BatchNorm1d(4, track_running_stats=False), [some(*ROWS)]),
    "BatchNorm2d": (nn.BatchNorm2d(4), [some(*PICTURES)]),
    "LazyBatchNorm2d": (nn.LazyBatchNorm2d(), [some(*PICTURES)]),
    "InstanceNorm1d": (nn.InstanceNorm1d(4, track_running_stats=True), [some(*SERIES)]),
    "InstanceNorm2d": (nn.InstanceNorm2d(4, affine=True), [some(*PICTURES)]),
    "LazyInstanceNorm1d": (nn.LazyInstanceNorm1d(), [some(*SERIES)]),
    "LazyInstanceNorm2d": (nn.LazyInstanceNorm2d(), [some(*PICTURES)]),
    "GroupNorm": (nn.GroupNorm(2, 4), [some(*PICTURES)]),
    "LayerNorm": (nn.LayerNorm(6), [some(*SERIES)]),
    "RMSNorm": (nn.RMSNorm(6), [some(*SERIES)]),
    "Dropout2d": (nn.Dropout2d(0.4), [some(*PICTURES)]),
    "Conv1d": (nn.Conv1d(4, 3, 3, padding=1), [some(*SERIES)]),
    "Conv2d": (nn.Conv2d(4, 3, 3), [some(*PICTURES)]),
    "ConvTranspose1d": (nn.ConvTranspose1d(4, 3, 3), [some(*SERIES)]),
    "ConvTranspose2d": (nn.ConvTranspose2d(4, 3, 3, stride=2), [some(*PICTURES)]),
    "LazyConv1d": (nn.LazyConv1d(3, 3), [some(*SERIES)]),
    "LazyConv2d": (nn.LazyConv2d(3, 3), [some(*PICTURES)]),
    "LazyConvTranspose1d": (nn.LazyConvTranspose1d(3, 3), [some(*SERIES)]),
    "LazyConvTranspose2d": (nn.LazyConvTranspose2d(3, 3), [some(*PICTURES)]),
    "MaxPool1d": (nn.MaxPool1d(2), [some(*SERIES)]),
    "MaxPool2d": (nn.MaxPool2d(2), [some(*PICTURES)]),
    "AvgPool1d": (nn.AvgPool1d(2), [some(*SERIES)]),
    "AvgPool2d": (nn.AvgPool2d(2), [some(*PICTURES)]),
    "AdaptiveAvgPool1d": (nn.AdaptiveAvgPool1d(4), [some(*SERIES)]),
    "AdaptiveAvgPool2d": (nn.AdaptiveAvgPool2d((4, 3)), [some(*PICTURES)]),
    "Fold": (nn.Fold((4, 4), 2), [some(2, 8, 9)]),
    "Unfold": (nn.Unfold(2), [some(*PICTURES)]),
    "PixelShuffle": (nn.PixelShuffle(2), [some(*PICTURES)]),
    "PixelUnshuffle": (nn.PixelUnshuffle(2), [some(*PICTURES)]),
    "Upsample": (nn.Upsample(scale_factor=2), [some(*PICTURES)]),
    "Upsample by lines": (nn.Upsample(scale_factor=2, mode="bilinear"), [some(*PICTURES)]),
    "RNN": (nn.RNN(6, 3, num_layers=2, bidirectional=True), [some(3, 2, 6)]),
    "LSTM": (nn.LSTM(6, 3, dropout=0.5, num_layers=2), [some(3, 2, 6)]),
    "GRU": (nn.GRU(6, 3, batch_first=True), [some(2, 4, 6)]),
    "RNNCell": (nn.RNNCell(4, 3), [some(*ROWS), some(5, 3)]),
    "LSTMCell": (nn.LSTMCell(4, 3), [some(*ROWS)]),
    "GRUCell": (nn.GRUCell(4, 3), [some(*ROWS), some(5, 3)]),
    "MultiheadAttention": (nn.MultiheadAttention(6, 2, dropout=0.3), [some(*SERIES)] * 3),
    "MultiheadAttention with a mask": (
        nn.MultiheadAttention(6, 2), [*[some(*SERIES)] * 3, np.arange(9).reshape(3, 3) % 4 == 1],
    ),
    "TransformerEncoderLayer": (nn.TransformerEncoderLayer(6, 2, 5), [some(*SERIES)]),
    "TransformerDecoderLayer": (nn.TransformerDecoderLayer(6, 2, 5), [some(*SERIES), some(2, 4, 6)]),
    "TransformerEncoder": (nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 5), 2), [some(*SERIES)]),
    "TransformerDecoder": (
        nn.TransformerDecoder(nn.TransformerDecoderLayer(6, 2, 5), 2), [some(*SERIES), some(2, 4, 6)],
    ),
    "Transformer": (nn.Transformer(6, 2, 1, 1, 5), [some(*SERIES), some(2, 4, 6)]),
    "Sequential": (nn.Sequential(nn.Linear(4, 3), nn.Tanh()), [some(*ROWS)]),
    "MSELoss": (nn.MSELoss(), [some(*ROWS), some(*ROWS)]),
    "L1Loss": (nn.L1Loss(reduction="sum"), [some(*ROWS), some(*ROWS)]),
    "SmoothL1Loss": (nn.SmoothL1Loss(), [some(*ROWS), some(*ROWS)]),
    "HuberLoss": (nn.HuberLoss(), [some(*ROWS), some(*ROWS)]),
    "BCELoss": (nn.BCELoss(), [rng.random(ROWS), picks(ROWS, 2)]),
    "BCEWithLogitsLoss": (nn.BCEWithLogitsLoss(), [some(*ROWS), picks(ROWS, 2)]),
    "KLDivLoss": (nn.KLDivLoss(reduction="batchmean"), [some(*ROWS), rng.random(ROWS)]),
    "NLLLoss": (nn.NLLLoss(), [some(*ROWS), picks(5, 4)]),
    "CrossEntropyLoss": (nn.CrossEntropyLoss(), [some(*ROWS), picks(5, 4)]),
    "CrossEntropyLoss by weights": (
        nn.CrossEntropyLoss(np.array([1.0, 2, 3, 4]), ignore_index=2, label_smoothing=0.1),
        [some(*ROWS), picks(5, 4)],
    ),
    "CrossEntropyLoss of probabilities": (nn.CrossEntropyLoss(), [some(*ROWS), rng.random(ROWS)]),
}  # fmt: skip
MADE_OF_LAYERS = ("RNN", "LSTM", "GRU", "Transformer")
WITHOUT_FORWARD = ("Module", "ModuleDict", "ModuleList", "Parameter", "RNNBase", "RNNCellBase")


def test_every_class_is_here():
    named = {name.split()[0] for name in LAYERS} | set(WITHOUT_FORWARD)
    assert named >= {name for name in nn.__all__ if inspect.isclass(getattr(nn, name))}


def as_argument(array):
    return Tensor(array) if array.dtype.kind == "f" else array


def results(call, layer, arrays):
    """The outputs of a call, with the gradients and the buffers after it."""
    inputs = [as_argument(array) for array in arrays]
    if type(layer).__name__.endswith("Loss"):  # the target is a constant
        inputs[1] = arrays[1]
    if isinstance(layer, nn.MultiheadAttention) and len(arrays) == 4:
        out = call(*inputs[:3], attn_mask=inputs[3])
    else:
        out = call(*inputs)
    outs = [part for part in ad.calculus.trees.leaves(out) if isinstance(part, Tensor)]
    for place, part in enumerate(outs):
        if part.requires_grad:
            part.backward((place + 1) * weights(part.shape))
    leaves = [*inputs, *layer.parameters()]
    grads = [leaf.grad if isinstance(leaf, Tensor) else None for leaf in leaves]
    return [*outs, *grads, *layer.buffers()]


@pytest.mark.parametrize("name", LAYERS)
def test_outputs_gradients_and_buffers(name, pytestconfig):
    check_layer(name, "float64")
    if not name.startswith(MADE_OF_LAYERS) or pytestconfig.getoption("--thorough"):
        check_layer(name, "float32")


def check_layer(name, dtype):
    layer, arrays = LAYERS[name]
    layer = copy.deepcopy(layer).to(dtype)
    arrays = [array.astype(dtype) if array.dtype.kind == "f" else array for array in arrays]
    twin = copy.deepcopy(layer)
    fast = ad.compile(twin, exact=True)
    for training in (True, True, False, True):
        layer.train(training).zero_grad()
        twin.train(training).zero_grad()
        ad.seed(3)
        expected = results(layer, layer, arrays)
        ad.seed(3)
        found = results(fast, twin, arrays)
        check_alike(found, expected, exact=True)


@pytest.mark.parametrize("name", [name for name in LAYERS if "Loss" in name])
def test_a_loss_with_targets_that_the_function_refers_to(name):
    layer, (x, target) = LAYERS[name]
    slopes = ad.value_and_grad(lambda x: layer(x, target).sum())
    check_alike(ad.compile(slopes)(Tensor(x)), slopes(Tensor(x)))


@pytest.mark.parametrize("name", ["Dropout", "LSTM", "MultiheadAttention", "TransformerEncoderLayer"])
def test_the_next_draws_are_those_of_the_uncompiled_layer(name):
    layer, arrays = LAYERS[name]
    fast = ad.compile(layer)
    after = []
    for call in (layer, fast):
        ad.seed(5)
        call(*arrays)
        after.append(ad.rand(3).data)
    np.testing.assert_array_equal(*after)


@pytest.mark.parametrize("make", [
    lambda: nn.Parameter(np.full(3, 2.0)), lambda: nn.Linear(3, 2), lambda: nn.LayerNorm(3),
    lambda: nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)), lambda: nn.LSTMCell(3, 2),
])  # fmt: skip
def test_parameters_and_modules_that_a_function_makes(make):
    """They are new in each call, and drawn anew."""

    def f(x):
        made = make()
        out = x * made if isinstance(made, nn.Parameter) else made(x)
        return (out[0] if isinstance(out, tuple) else out).sum()

    for function in (f, ad.grad(f)):
        fast = ad.compile(function)
        for seed in range(3):
            ad.seed(seed)
            expected = function(np.arange(6.0).reshape(2, 3))
            ad.seed(seed)
            check_alike(fast(np.arange(6.0).reshape(2, 3)), expected)
