"""ReduceLROnPlateau: the learning rate goes down when the loss no longer does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import SupportsFloat

from ..optimizer import Optimizer
from ..options import not_negative, whole
from .schedulers import Scheduler, per_group


class ReduceLROnPlateau(Scheduler):
    """The rate times ``factor`` when a measure has not improved for more than ``patience`` steps.

    Parameters
    ----------
    mode
        "min" for a measure that should fall (a loss), "max" for one that should rise (an accuracy).
    factor
        Below 1.
    patience
        How many steps without improvement are let pass.
    threshold, threshold_mode
        What counts as an improvement: by that share of the best so far ("rel"), or by that much ("abs").
    cooldown
        How many steps after a reduction nothing is counted.
    min_lr
        No rate goes below it; for all groups or listed per group.
    eps
        A smaller reduction is not made.

    Raises
    ------
    ValueError
        If ``factor`` is not at least 0 and below 1, ``min_lr`` is below 0, ``patience`` or ``cooldown`` is
        not whole and at least 0 (PyTorch takes any), or a mode is unknown.

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
            raise ValueError(f'mode is "min" or "max", not {mode!r}')
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f'threshold_mode is "rel" or "abs", not {threshold_mode!r}')
        if not 0 <= factor < 1:
            raise ValueError(f"factor must be at least 0 and below 1, not {factor}")
        self.min_lrs = [not_negative("min_lr", least) for least in per_group("min_lr", min_lr, optimizer)]
        self.mode, self.factor, self.patience = mode, factor, whole("patience", patience, least=0)
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.eps = whole("cooldown", cooldown, least=0), eps
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = 0
        super().__init__(optimizer)

    def step(self, metrics: SupportsFloat) -> None:
        """Take in the measure of one more epoch, a number or a Tensor, and reduce the rates if it is time."""
        current = float(metrics)
        self._expect(self.group_count)
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
            for group, least in zip(self.optimizer.param_groups, self.min_lrs):
                lr = max(group["lr"] * self.factor, least)
                if group["lr"] - lr > self.eps:
                    group["lr"] = lr

    def is_better(self, current: float) -> bool:
        """Whether a measure counts as an improvement on the best so far. A nan never does."""
        sign = 1 if self.mode == "min" else -1
        relative = self.threshold_mode == "rel"
        bound = self.best * (1 - sign * self.threshold) if relative else self.best - sign * self.threshold
        return current < bound if self.mode == "min" else current > bound
