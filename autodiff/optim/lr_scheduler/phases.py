"""Schedules for a phase of the training (ConstantLR, PolynomialLR, MultiplicativeLR), and SequentialLR, which
chains schedules."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from ...checks import NOT_NEGATIVE, UP_TO_1, checked_number
from ..optimizer import Optimizer
from ..options import checked_steps
from .schedulers import LRScheduler, per_group


class ConstantLR(LRScheduler):
    """The initial rate times ``factor`` for the first ``total_iters`` steps, and then the initial rate.

    Raises TypeError or ValueError if ``factor`` is not a number between 0 and 1.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> scheduler = optim.ConstantLR(optim.SGD([Tensor(1.0)], lr=1.0), factor=0.5, total_iters=2)
    >>> [scheduler.rate(step, 1.0) for step in range(4)]
    [0.5, 0.5, 1.0, 1.0]
    """

    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5) -> None:
        self.factor: float = checked_number("factor", factor, UP_TO_1, self)
        self.total_iters: int = checked_steps("total_iters", total_iters, self, minimum=0)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        return base * self.factor if step < self.total_iters else base


class PolynomialLR(LRScheduler):
    """The initial rate times (1 - step / ``total_iters``) to the power ``power``, and 0 afterwards.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> scheduler = optim.PolynomialLR(optim.SGD([Tensor(1.0)], lr=1.0), total_iters=4, power=2.0)
    >>> [scheduler.rate(step, 1.0) for step in range(6)]
    [1.0, 0.5625, 0.25, 0.0625, 0.0, 0.0]
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0) -> None:
        self.total_iters: int = checked_steps("total_iters", total_iters, self)
        self.power: float = checked_number("power", power, NOT_NEGATIVE, self)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        return base * (1 - min(step, self.total_iters) / self.total_iters) ** self.power


class MultiplicativeLR(LRScheduler):
    """The rate times a function of the step, at every step; one function for all groups, or a list with one
    per group. Functions are not saved.

    A factor below 0 raises ValueError at its step, and leaves the rates unchanged.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> optimizer = optim.SGD([Tensor(1.0)], lr=0.5)
    >>> scheduler = optim.MultiplicativeLR(optimizer, lambda step: 0.5)
    >>> scheduler.step()
    >>> scheduler.step()
    >>> optimizer
    SGD(1 parameter, 1 element, lr=0.125)
    """

    not_saved: tuple[str, ...] = ("optimizer", "lr_lambdas")

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]]
    ) -> None:
        self.lr_lambdas: list[Callable[[int], float]] = per_group("lr_lambda", lr_lambda, optimizer)
        self.factors: list[float] = [1.0] * len(self.lr_lambdas)
        super().__init__(optimizer)

    def step(self) -> None:
        """Advance by one step."""
        with self._held():
            before = self.factors
            self.factors = [
                product * function(self.last_epoch + 1) for product, function in zip(before, self.lr_lambdas)
            ]
            try:
                super().step()
            except BaseException:
                self.factors = before
                raise

    def get_lr(self) -> list[float]:
        """The learning rate of each group at the current step."""
        for factor in self.factors:
            if not 0 <= factor < math.inf:
                raise ValueError(
                    f"the functions of MultiplicativeLR give the product {factor} at step "
                    f"{self.last_epoch}: it must be at least 0"
                )
        return [base * factor for base, factor in zip(self.base_lrs, self.factors)]


class SequentialLR(LRScheduler):
    """Schedules one after the other, such as a warm-up and the schedule that follows it. At its milestone,
    each starts as if at its first step.

    Parameters
    ----------
    optimizer
        The optimizer whose learning rates are set.
    schedulers
        Schedules of the same optimizer. Do not step them yourself.
    milestones
        The step at which each but the first begins, in increasing order.

    Raises
    ------
    TypeError, ValueError
        If a scheduler is not a function of the step (ReduceLROnPlateau is not) or belongs to another
        optimizer, or if the milestones are not one fewer than the schedulers or do not increase.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> optimizer = optim.SGD([Tensor(1.0)], lr=1.0)
    >>> warm_up = optim.LinearLR(optimizer, start_factor=0.25, total_iters=3)
    >>> scheduler = optim.SequentialLR(optimizer, [warm_up, optim.ExponentialLR(optimizer, 0.5)], [3])
    >>> for _ in range(6):
    ...     print(scheduler.get_last_lr()[0], end=" ")
    ...     scheduler.step()
    0.25 0.5 0.75 1.0 0.5 0.25
    """

    not_saved: tuple[str, ...] = ("optimizer", "schedulers")

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int]
    ) -> None:
        self.schedulers: list[LRScheduler] = list(schedulers)
        self.milestones: list[int] = [checked_steps("a milestone", each, self) for each in milestones]
        for scheduler in self.schedulers:
            if not isinstance(scheduler, LRScheduler):
                raise TypeError(f"SequentialLR takes schedules of the step, not {scheduler!r:.60}")
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    f"SequentialLR got a {type(scheduler).__name__} of another optimizer: create all "
                    "schedules for the same one"
                )
        if len(self.milestones) != len(self.schedulers) - 1:
            raise ValueError(
                f"{len(self.schedulers)} schedulers need {len(self.schedulers) - 1} milestones, not "
                f"{len(self.milestones)}"
            )
        if self.milestones != sorted(set(self.milestones)):
            raise ValueError(f"milestones must increase, and these are {self.milestones}")
        super().__init__(optimizer, self.schedulers[0].base_lrs)

    def _update_groups(self) -> None:
        """Let the current scheduler set the rates, and the momentum if it cycles that."""
        current = bisect_right(self.milestones, self.last_epoch)
        scheduler = self.schedulers[current]
        scheduler.last_epoch = self.last_epoch - (self.milestones[current - 1] if current else 0)
        scheduler._update_groups()

    def _settings(self) -> dict[str, Any]:
        return {**super()._settings(), "schedulers": [each.state_dict() for each in self.schedulers]}

    def _restore(self, settings: dict[str, Any]) -> None:
        states = settings.pop("schedulers")
        if len(states) != len(self.schedulers):
            raise ValueError(
                f"this state has {len(states)} schedulers, and this SequentialLR has {len(self.schedulers)}"
            )
        for scheduler, state in zip(self.schedulers, states):
            scheduler.load_state_dict(state)
        super()._restore(settings)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """As in :class:`LRScheduler`; the states of all schedulers are loaded."""
        before = [each.state_dict() for each in self.schedulers]
        rates = self.get_last_lr()
        try:
            super().load_state_dict(state_dict)
        except BaseException:
            for scheduler, state in zip(self.schedulers, before):
                scheduler.load_state_dict(state)
            for group, rate in zip(self.optimizer.param_groups, rates):
                group["lr"] = rate
            raise
