"""Optimizers, gradient clipping, and learning rate schedules, with PyTorch's names, rules and defaults.

>>> from autodiff import Tensor, optim
>>> w = Tensor([3.0, -4.0])
>>> optimizer = optim.Adam([w], lr=0.5)
>>> for _ in range(200):
...     optimizer.zero_grad()
...     (w * w).sum().backward()
...     optimizer.step()
>>> bool(abs(w.data).max() < 0.01)
True
"""

from .adam import Adam, AdamW, NAdam, RAdam
from .adaptive import Adadelta, Adagrad, RMSprop
from .clipping import clip_grad_norm_, clip_grad_value_
from .cycles import CyclicLR, OneCycleLR
from .optimizer import Optimizer
from .plateau import ReduceLROnPlateau
from .schedulers import (
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    MultiStepLR,
    NoamLR,
    Scheduler,
    StepLR,
)
from .sgd import SGD

__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "NAdam",
    "NoamLR",
    "OneCycleLR",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "ReduceLROnPlateau",
    "Scheduler",
    "StepLR",
    "clip_grad_norm_",
    "clip_grad_value_",
]
