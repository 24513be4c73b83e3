"""Layers, networks and losses, under PyTorch's names.

>>> import autodiff as ad
>>> from autodiff import nn
>>> net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
>>> loss = nn.mse_loss(net(ad.Tensor([[0.0, 1.0], [1.0, 1.0]])), [[1.0], [0.0]])
>>> loss.backward()
>>> net[0].weight.grad.shape, net[0].weight.dtype
((8, 2), dtype('float32'))
"""

from . import init
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
from .containers import Identity, ModuleDict, ModuleList, Sequential
from .dropout import Dropout
from .embedding import Embedding
from .linear import Dense, LazyLinear, Linear
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
from .shape import Flatten, Reshape

__all__ = [  # noqa: RUF022  sorted, but packed
    "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "CrossEntropyLoss", "Dense", "Dropout", "ELU",
    "Embedding", "Flatten", "GELU", "HuberLoss", "Identity", "KLDivLoss", "L1Loss", "LayerNorm",
    "LazyLinear", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax", "MSELoss", "Module", "ModuleDict",
    "ModuleList", "NLLLoss", "Parameter", "ReLU", "Reshape", "Sequential", "SiLU", "Sigmoid",
    "SmoothL1Loss", "Softmax", "Softplus", "Tanh", "binary_cross_entropy",
    "binary_cross_entropy_with_logits", "cross_entropy", "huber_loss", "init", "kl_div", "l1_loss",
    "mse_loss", "nll_loss", "smooth_l1_loss",
]  # fmt: skip
