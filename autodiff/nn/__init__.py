"""Layers, networks and losses, under PyTorch's names.

>>> import autodiff as ad
>>> from autodiff import nn
>>> net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
>>> loss = nn.mse_loss(net(ad.Tensor([[0.0, 1.0], [1.0, 1.0]])), [[1.0], [0.0]])
>>> loss.backward()
>>> net[0].weight.grad.shape, net[0].weight.dtype
((8, 2), dtype('float32'))
"""

from . import functional, init, utils
from .activations import (
    ELU,
    GELU,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    ReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
)
from .attention import MultiheadAttention
from .containers import Identity, ModuleDict, ModuleList, Sequential
from .convolution_layers import (
    Conv1d,
    Conv2d,
    ConvTranspose1d,
    ConvTranspose2d,
    LazyConv1d,
    LazyConv2d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
)
from .dropout_layers import Dropout, Dropout2d, dropout
from .embedding_layers import Embedding, embedding
from .group_normalization import BatchNorm2d, GroupNorm, InstanceNorm1d, InstanceNorm2d
from .lazy_normalization import LazyBatchNorm1d, LazyBatchNorm2d, LazyInstanceNorm1d, LazyInstanceNorm2d
from .linear_layers import Dense, LazyLinear, Linear, linear
from .loss_modules import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from .losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from .module import Module
from .normalization import BatchNorm1d, LayerNorm
from .parameter import Parameter
from .picture_layers import PixelShuffle, PixelUnshuffle, Upsample
from .pooling_layers import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AvgPool1d,
    AvgPool2d,
    Fold,
    MaxPool1d,
    MaxPool2d,
    Unfold,
)
from .positions import LearnedPositions, SinusoidalPositions
from .rectifiers import (
    CELU,
    GLU,
    SELU,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    Mish,
    PReLU,
    ReLU6,
    Softmin,
    Softsign,
    Threshold,
)
from .recurrent import GRU, LSTM, RNN, RNNBase
from .recurrent_cells import GRUCell, LSTMCell, RNNCell, RNNCellBase
from .rms_normalization import RMSNorm
from .shape import Flatten, Reshape
from .transformer import TransformerEncoder, TransformerEncoderLayer
from .transformer_decoder import Transformer, TransformerDecoder, TransformerDecoderLayer

__all__ = [  # noqa: RUF022  sorted, but packed
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AvgPool1d", "AvgPool2d", "BCELoss", "BCEWithLogitsLoss",
    "BatchNorm1d", "BatchNorm2d", "CELU", "Conv1d", "Conv2d", "ConvTranspose1d", "ConvTranspose2d",
    "CrossEntropyLoss", "Dense", "Dropout", "Dropout2d", "ELU", "Embedding", "Flatten", "Fold", "GELU",
    "GLU", "GRU", "GRUCell", "GroupNorm", "Hardsigmoid", "Hardswish", "Hardtanh", "HuberLoss",
    "Identity", "InstanceNorm1d", "InstanceNorm2d", "KLDivLoss", "L1Loss", "LSTM", "LSTMCell",
    "LayerNorm", "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyConv1d", "LazyConv2d",
    "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyInstanceNorm1d", "LazyInstanceNorm2d",
    "LazyLinear", "LeakyReLU", "LearnedPositions", "Linear", "LogSigmoid", "LogSoftmax", "MSELoss",
    "MaxPool1d", "MaxPool2d", "Mish", "Module", "ModuleDict", "ModuleList", "MultiheadAttention",
    "NLLLoss", "PReLU", "Parameter", "PixelShuffle", "PixelUnshuffle", "RMSNorm", "RNN", "RNNBase",
    "RNNCell", "RNNCellBase", "ReLU", "ReLU6", "Reshape", "SELU", "Sequential", "SiLU", "Sigmoid",
    "SinusoidalPositions", "SmoothL1Loss", "Softmax", "Softmin", "Softplus", "Softsign", "Tanh",
    "Threshold", "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer", "Unfold", "Upsample", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "cross_entropy", "dropout", "embedding", "functional",
    "huber_loss", "init", "kl_div", "l1_loss", "linear", "mse_loss", "nll_loss", "smooth_l1_loss",
    "utils",
]  # fmt: skip
