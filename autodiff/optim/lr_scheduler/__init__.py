"""The schedulers, with PyTorch's names: ``optim.lr_scheduler.StepLR``.

>>> from autodiff import Tensor, optim
>>> optimizer = optim.SGD([Tensor(1.0)], lr=0.5)
>>> optim.lr_scheduler.StepLR(optimizer, step_size=10)
StepLR(step_size=10, gamma=0.1, step 0, lr 0.5)
"""

from .cycles import CyclicLR, OneCycleLR
from .phases import ConstantLR, MultiplicativeLR, PolynomialLR, SequentialLR
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
    StepLR,
)

__all__ = [
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
    "NoamLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
