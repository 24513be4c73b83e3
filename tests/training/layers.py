"""Every layer, with the shapes of its inputs without the batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodiff import nn

Made = tuple[Callable[[], Any], tuple[tuple[int, ...], ...]]

ACTIVATIONS: dict[str, Made] = {
    name: (getattr(nn, name), ((4,),))
    for name in (
        "CELU", "ELU", "GELU", "GLU", "Hardsigmoid", "Hardswish", "Hardtanh", "Identity", "LeakyReLU",
        "LogSigmoid", "Mish", "PReLU", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softplus", "Softsign",
        "Tanh", "LogSoftmax", "Softmax", "Softmin",
    )
}  # fmt: skip

LAYERS: dict[str, Made] = {
    **ACTIVATIONS,
    "GELU tanh": (lambda: nn.GELU("tanh"), ((4,),)),
    "Threshold": (lambda: nn.Threshold(0.1, -1.0), ((4,),)),
    "Linear": (lambda: nn.Linear(4, 3), ((4,),)),
    "Conv1d": (lambda: nn.Conv1d(2, 4, 3, padding=1), ((2, 9),)),
    "Conv2d": (lambda: nn.Conv2d(2, 4, 3, stride=2), ((2, 6, 6),)),
    "Conv2d in tiles": (lambda: nn.Conv2d(8, 8, 3), ((8, 16, 16),)),
    "Conv2d in groups": (lambda: nn.Conv2d(4, 4, 3, groups=2, dilation=2), ((4, 7, 7),)),
    "ConvTranspose1d": (lambda: nn.ConvTranspose1d(2, 3, 3, stride=2), ((2, 5),)),
    "ConvTranspose2d": (lambda: nn.ConvTranspose2d(2, 3, 3, stride=2, output_padding=1), ((2, 5, 5),)),
    "MaxPool1d": (lambda: nn.MaxPool1d(2), ((2, 6),)),
    "MaxPool2d": (lambda: nn.MaxPool2d(3, 2, 1), ((2, 7, 7),)),
    "MaxPool2d ceil": (lambda: nn.MaxPool2d(2, 2, ceil_mode=True), ((2, 7, 7),)),
    "AvgPool1d": (lambda: nn.AvgPool1d(2, ceil_mode=True), ((2, 7),)),
    "AvgPool2d": (lambda: nn.AvgPool2d(2), ((2, 6, 6),)),
    "AvgPool2d ceil": (lambda: nn.AvgPool2d(3, 2, ceil_mode=True), ((2, 8, 8),)),
    "AvgPool2d pad": (lambda: nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False), ((2, 8, 8),)),
    "AvgPool2d divisor": (lambda: nn.AvgPool2d(2, divisor_override=3), ((2, 6, 6),)),
    "AdaptiveAvgPool1d": (lambda: nn.AdaptiveAvgPool1d(3), ((2, 7),)),
    "AdaptiveAvgPool2d": (lambda: nn.AdaptiveAvgPool2d(2), ((2, 5, 5),)),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(4), ((4,),)),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(4), ((4, 5, 5),)),
    "LayerNorm": (lambda: nn.LayerNorm(4), ((4,),)),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), ((4, 5),)),
    "InstanceNorm1d": (lambda: nn.InstanceNorm1d(4), ((4, 6),)),
    "InstanceNorm2d": (lambda: nn.InstanceNorm2d(4, affine=True), ((4, 6, 6),)),
    "RMSNorm": (lambda: nn.RMSNorm(4), ((4,),)),
    "Dropout": (nn.Dropout, ((4,),)),
    "Dropout2d": (nn.Dropout2d, ((4, 2, 2),)),
    "Flatten": (nn.Flatten, ((4, 2),)),
    "PixelShuffle": (lambda: nn.PixelShuffle(2), ((4, 3, 3),)),
    "PixelUnshuffle": (lambda: nn.PixelUnshuffle(2), ((1, 4, 4),)),
    "Upsample nearest": (lambda: nn.Upsample(scale_factor=2), ((2, 4, 4),)),
    "Upsample bilinear": (lambda: nn.Upsample(scale_factor=2, mode="bilinear"), ((2, 4, 4),)),
    "Upsample to a size": (lambda: nn.Upsample(size=(7, 5)), ((2, 4, 4),)),
    "Unfold": (lambda: nn.Unfold(2), ((2, 4, 4),)),
    "Fold": (lambda: nn.Fold((4, 4), 2), ((8, 9),)),
    "MultiheadAttention": (lambda: nn.MultiheadAttention(8, 2, batch_first=True), ((5, 8), (6, 8), (6, 8))),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), ((5, 8),)),
    "TransformerDecoderLayer": (
        lambda: nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), ((5, 8), (4, 8)),
    ),
    "SinusoidalPositions": (lambda: nn.SinusoidalPositions(10, 8, batch_first=True), ((5, 8),)),
    "LearnedPositions": (lambda: nn.LearnedPositions(10, 8, batch_first=True), ((5, 8),)),
    "RNN": (lambda: nn.RNN(4, 3, batch_first=True), ((5, 4),)),
    "LSTM": (lambda: nn.LSTM(4, 3, batch_first=True), ((5, 4),)),
    "GRU": (lambda: nn.GRU(4, 3, 2, batch_first=True, bidirectional=True), ((5, 4),)),
    "RNNCell": (lambda: nn.RNNCell(4, 3), ((4,), (3,))),
    "LSTMCell": (lambda: nn.LSTMCell(4, 3), ((4,),)),
    "GRUCell": (lambda: nn.GRUCell(4, 3), ((4,),)),
}  # fmt: skip

NOT_IN_DOUBLE_LAYERS = {
    "GELU", "Conv1d", "Conv2d", "Conv2d in tiles", "Conv2d in groups", "ConvTranspose1d", "ConvTranspose2d",
    "Fold", "RNN",
}  # fmt: skip
"""Layers whose operations onnxruntime does not have in float64."""
