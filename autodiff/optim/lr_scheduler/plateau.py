"""ReduceLROnPlateau: the learning rate is reduced when the loss stops falling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import SupportsFloat

from ...checks import BELOW_1, NOT_NEGATIVE, checked_number
from ..optimizer import Optimizer
from ..options import checked_steps
from .schedulers import Scheduler, per_group


class ReduceLROnPlateau(Scheduler):
    """Multiplies the rate by ``factor`` when a metric has not improved for more than ``patience`` steps.

    Parameters
    ----------
    mode
        "min" for a metric that should fall, such as a loss; "max" for one that should rise, such as an
        accuracy.
    factor
        A number below 1.
    patience
        The number of steps without improvement that are tolerated; one more reduces the rate.
    threshold, threshold_mode
        The smallest change that counts as an improvement: relative to the best value so far ("rel"), or
        absolute ("abs").
    cooldown
        The number of steps after a reduction that are not counted.
    min_lr
        The smallest rate, one for all groups or a list with one per group.
    eps
        A reduction by less than this is skipped.

    Raises
    ------
    TypeError, ValueError
        If ``factor`` is not at least 0 and below 1, ``min_lr`` is below 0, ``patience`` or ``cooldown`` is
        not whole and at least 0 (PyTorch allows any), or a mode is unknown.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> optimizer = optim.SGD([Tensor(1.0)], lr=0.1)
    >>> scheduler = optim.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    >>> for loss in [3.0, 2.0, 2.0, 2.0]:
    ...     scheduler.step(loss)
    >>> scheduler.get_last_lr()
    [0.05]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0.0,
        eps: float = 1e-8,
    ) -> None:
        if mode not in ("min", "max"):
            raise ValueError(f'mode of ReduceLROnPlateau must be "min" or "max", not {mode!r}')
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(
                f'threshold_mode of ReduceLROnPlateau must be "rel" or "abs", not {threshold_mode!r}'
            )
        min_lrs = per_group("min_lr", min_lr, optimizer)
        self.min_lrs: list[float] = [checked_number("min_lr", lr, NOT_NEGATIVE, self) for lr in min_lrs]
        self.mode = mode
        self.factor: float = checked_number("factor", factor, BELOW_1, self)
        self.patience: int = checked_steps("patience", patience, self, minimum=0)
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown: int = checked_steps("cooldown", cooldown, self, minimum=0)
        self.eps = eps
        self.best: float = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs: int = 0
        self.cooldown_counter: int = 0
        super().__init__(optimizer)

    def step(self, metrics: SupportsFloat) -> None:
        """Advance by one epoch with its metric, a number or a Tensor; reduce the rates if it is time."""
        current = float(metrics)
        with self._held():
            self._check_group_count(self.group_count)
            self.last_epoch += 1
            if self.is_better(current):
                self.best, self.num_bad_epochs = current, 0
            else:
                self.num_bad_epochs += 1
            if self.cooldown_counter > 0:
                self.cooldown_counter -= 1
                self.num_bad_epochs = 0
            if self.num_bad_epochs > self.patience:
                self.num_bad_epochs, self.cooldown_counter = 0, self.cooldown
                for group, min_lr in zip(self.optimizer.param_groups, self.min_lrs):
                    lr = max(group["lr"] * self.factor, min_lr)
                    if group["lr"] - lr > self.eps:
                        group["lr"] = lr

    def is_better(self, current: float) -> bool:
        """Whether a metric is an improvement on the best value so far. A nan never is."""
        sign = 1 if self.mode == "min" else -1
        relative = self.threshold_mode == "rel"
        bound = self.best * (1 - sign * self.threshold) if relative else self.best - sign * self.threshold
        return current < bound if self.mode == "min" else current > bound
