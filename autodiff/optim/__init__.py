"""Optimizers, gradient clipping and learning rate schedules, with PyTorch's names, formulas and defaults.

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

from . import lr_scheduler
from .adam import Adam, AdamW, NAdam, RAdam
from .adaptive import Adadelta, Adagrad, RMSprop
from .clipping import clip_grad_norm_, clip_grad_value_
from .lbfgs import LBFGS
from .lr_scheduler.cycles import CyclicLR, OneCycleLR
from .lr_scheduler.phases import ConstantLR, MultiplicativeLR, PolynomialLR, SequentialLR
from .lr_scheduler.plateau import ReduceLROnPlateau
from .lr_scheduler.schedulers import (
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
from .optimizer import Optimizer
from .sgd import SGD

__all__ = [
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "NAdam",
    "NoamLR",
    "OneCycleLR",
    "Optimizer",
    "PolynomialLR",
    "RAdam",
    "RMSprop",
    "ReduceLROnPlateau",
    "Scheduler",
    "SequentialLR",
    "StepLR",
    "clip_grad_norm_",
    "clip_grad_value_",
    "lr_scheduler",
]
