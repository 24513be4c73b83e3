"""Schedules of the learning rate: the base classes, and schedules that are one formula of the step.

Schedules in cycles are in ``cycles.py``, schedules in phases in ``phases.py``, and the one that depends on
the loss in ``plateau.py``.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any

from ...checks import NOT_NEGATIVE, POSITIVE, UP_TO_1, checked_number
from ..optimizer import Optimizer
from ..options import check_saved_by, checked_steps


class Scheduler:
    """Base class of all schedulers: the optimizer, the count of steps, saving and loading.

    A schedule computes its rates from the initial ones, so the factors of two schedules of one optimizer do
    not multiply: the later step overwrites the earlier. To combine a warm-up with another schedule, use
    ``SequentialLR``, or one function in ``LambdaLR``.

    Parameters
    ----------
    optimizer
        The optimizer whose learning rates are set, with all its parameter groups.
    """

    not_saved: tuple[str, ...] = ("optimizer",)

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer: Optimizer = checked_optimizer(optimizer)
        self.group_count: int = len(optimizer.param_groups)
        self.last_epoch = 0

    def get_last_lr(self) -> list[float]:
        """The current learning rate of each group."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """A copy of all settings and of the count of steps, without the optimizer and functions, and the name
        of the class."""
        return {"class": type(self).__name__, **deepcopy(self._settings())}

    def _settings(self) -> dict[str, Any]:
        """The attributes that are saved."""
        return {key: value for key, value in vars(self).items() if key not in self.not_saved}

    def _restore(self, settings: dict[str, Any]) -> None:
        """Set the attributes that were saved."""
        vars(self).update(settings)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from the state of another scheduler of the same class.

        Raises TypeError if it is not a dictionary, and ValueError if it was saved by another class or for
        another number of groups. Nothing is changed then.
        """
        name = type(self).__name__
        check_saved_by(state_dict, "class", name)
        if state_dict.keys() != self.state_dict().keys():
            raise ValueError(f"this is not a state of {name}: its entries are {', '.join(state_dict)}")
        self._check_group_count(state_dict["group_count"])
        self._restore(deepcopy({key: value for key, value in state_dict.items() if key != "class"}))

    def _held(self) -> Any:
        """The lock of the optimizer: one thread at a time makes a step."""
        return self.optimizer._lock.held

    def _check_group_count(self, group_count: int) -> None:
        """Raise ValueError unless the optimizer has this number of parameter groups."""
        found = len(self.optimizer.param_groups)
        if found != group_count:
            raise ValueError(
                f"this {type(self).__name__} is for {group_count} parameter groups, and the optimizer has "
                f"{found}: create the scheduler after the last group was added"
            )

    def __repr__(self) -> str:
        hidden = (*self.not_saved, "group_count", "base_lrs", "last_epoch")
        options = (f"{key}={value}" for key, value in vars(self).items() if key not in hidden)
        rates = ", ".join(f"{lr:.6g}" for lr in self.get_last_lr())
        return f"{type(self).__name__}({', '.join([*options, f'step {self.last_epoch}', f'lr {rates}'])})"


class LRScheduler(Scheduler):
    """Base class of schedules that are a function of the step; a new one is a subclass with a method
    ``rate``.

    The rate depends only on the step and the initial rate. The next step overwrites a rate that was set by
    hand.

    Parameters
    ----------
    optimizer
        The optimizer whose learning rates are set, now and at every :meth:`step`.
    base_lrs
        The initial rates of the groups; None for those of an earlier scheduler, or else the current rates.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> class Harmonic(optim.LRScheduler):
    ...     def rate(self, step, base):
    ...         return base / (1 + step)
    >>> scheduler = Harmonic(optim.SGD([Tensor(1.0)], lr=0.6))
    >>> scheduler.step()
    >>> scheduler
    Harmonic(step 1, lr 0.3)
    """

    def __init__(self, optimizer: Optimizer, base_lrs: Sequence[float] | None = None) -> None:
        super().__init__(optimizer)
        groups = optimizer.param_groups
        if base_lrs is None:
            base_lrs = [group["initial_lr" if "initial_lr" in group else "lr"] for group in groups]
        self.base_lrs: list[float] = per_group("base_lrs", base_lrs, optimizer)
        self._update_groups()
        for group, base in zip(groups, self.base_lrs):
            group["initial_lr"] = base  # for a later scheduler

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps, for a group with the initial rate ``base``."""
        raise NotImplementedError(
            f"{type(self).__name__} has no rate: define rate(step, base) in the subclass"
        )

    def get_lr(self) -> list[float]:
        """The learning rate of each group at the current step."""
        return [self.rate(self.last_epoch, base) for base in self.base_lrs]

    def step(self) -> None:
        """Advance by one step. Call it after each step of the optimizer, or after each epoch, depending on
        the schedule."""
        with self._held():
            self._check_group_count(self.group_count)
            self.last_epoch += 1
            try:
                self._update_groups()
            except BaseException:
                self.last_epoch -= 1
                raise

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """As in ``Scheduler``; the learning rates are set too."""
        before = dict(vars(self))
        super().load_state_dict(state_dict)
        try:
            self._update_groups()
        except BaseException:
            vars(self).update(before)
            raise

    def _update_groups(self) -> None:
        """Set the learning rate of each group."""
        for group, lr in zip(self.optimizer.param_groups, self.get_lr()):
            group["lr"] = lr


class LambdaLR(LRScheduler):
    """The initial rate times a function of the step; one function for all groups, or a list with one per
    group. Functions are not saved.

    A factor below 0 raises ValueError at its step, and leaves the rates unchanged.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> optimizer = optim.SGD([Tensor(1.0)], lr=0.5)
    >>> optim.LambdaLR(optimizer, lambda step: 0.5**step).step()
    >>> optimizer
    SGD(1 parameter, 1 element, lr=0.25)
    """

    not_saved: tuple[str, ...] = ("optimizer", "lr_lambdas")

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]]
    ) -> None:
        self.lr_lambdas: list[Callable[[int], float]] = per_group("lr_lambda", lr_lambda, optimizer)
        super().__init__(optimizer)

    def get_lr(self) -> list[float]:
        """The learning rate of each group at the current step."""
        factors = [factor(self.last_epoch) for factor in self.lr_lambdas]
        for factor in factors:
            if not 0 <= factor < math.inf:
                raise ValueError(
                    f"the function of LambdaLR gives {factor} at step {self.last_epoch}: a factor must be at "
                    "least 0"
                )
        return [base * factor for base, factor in zip(self.base_lrs, factors)]


class StepLR(LRScheduler):
    """Multiplies the rate by ``gamma`` after every ``step_size`` steps.

    Raises ValueError if ``gamma`` is not above 0 (PyTorch allows any).

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> scheduler = optim.StepLR(optim.SGD([Tensor(1.0)], lr=1.0), step_size=2, gamma=0.5)
    >>> [scheduler.rate(step, 1.0) for step in range(6)]
    [1.0, 1.0, 0.5, 0.5, 0.25, 0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        self.step_size: int = checked_steps("step_size", step_size, self)
        self.gamma: float = checked_number("gamma", gamma, POSITIVE, self)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        return base * self.gamma ** (step // self.step_size)


class MultiStepLR(LRScheduler):
    """Multiplies the rate by ``gamma`` at every milestone.

    Raises ValueError if ``gamma`` is not above 0 (PyTorch allows any).

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> scheduler = optim.MultiStepLR(optim.SGD([Tensor(1.0)], lr=1.0), milestones=[2, 3], gamma=0.5)
    >>> [scheduler.rate(step, 1.0) for step in range(5)]
    [1.0, 1.0, 0.5, 0.25, 0.25]
    """

    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1) -> None:
        self.milestones: list[int] = sorted(milestones)
        self.gamma: float = checked_number("gamma", gamma, POSITIVE, self)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        return base * self.gamma ** bisect_right(self.milestones, step)


class ExponentialLR(LRScheduler):
    """Multiplies the rate by ``gamma`` at every step.

    Raises ValueError if ``gamma`` is not above 0 (PyTorch allows any).

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> scheduler = optim.ExponentialLR(optim.SGD([Tensor(1.0)], lr=1.0), gamma=0.5)
    >>> [scheduler.rate(step, 1.0) for step in range(4)]
    [1.0, 0.5, 0.25, 0.125]
    """

    def __init__(self, optimizer: Optimizer, gamma: float) -> None:
        self.gamma: float = checked_number("gamma", gamma, POSITIVE, self)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        return base * self.gamma**step


class LinearLR(LRScheduler):
    """The initial rate times a factor that goes linearly from ``start_factor`` to ``end_factor`` in
    ``total_iters`` steps.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> scheduler = optim.LinearLR(optim.SGD([Tensor(1.0)], lr=1.0), start_factor=0.25, total_iters=3)
    >>> [scheduler.rate(step, 1.0) for step in range(5)]
    [0.25, 0.5, 0.75, 1.0, 1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise ValueError(f"start_factor of LinearLR must be above 0 and at most 1, not {start_factor}")
        self.start_factor = start_factor
        self.end_factor: float = checked_number("end_factor", end_factor, UP_TO_1, self)
        self.total_iters: int = checked_steps("total_iters", total_iters, self)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        done = min(step, self.total_iters) / self.total_iters
        return base * (self.start_factor + (self.end_factor - self.start_factor) * done)


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the initial rate down to ``eta_min`` in ``T_max`` steps; after that it rises again
    (Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", 2017, without restarts).

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> scheduler = optim.CosineAnnealingLR(optim.SGD([Tensor(1.0)], lr=1.0), T_max=4)
    >>> [round(scheduler.rate(step, 1.0), 3) for step in range(6)]
    [1.0, 0.854, 0.5, 0.146, 0.0, 0.146]
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:
        self.T_max: int = checked_steps("T_max", T_max, self)
        self.eta_min: float = checked_number("eta_min", eta_min, NOT_NEGATIVE, self)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        return cosine(base, self.eta_min, step / self.T_max)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from the initial rate down to ``eta_min`` in ``T_0`` steps, then a restart; each period
    is ``T_mult`` times as long as the one before (Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent
    with Warm Restarts", 2017).

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> scheduler = optim.CosineAnnealingWarmRestarts(optim.SGD([Tensor(1.0)], lr=1.0), T_0=2, T_mult=2)
    >>> [round(scheduler.rate(step, 1.0), 3) for step in range(7)]
    [1.0, 0.5, 1.0, 0.854, 0.5, 0.146, 1.0]
    """

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0) -> None:
        self.T_0 = checked_steps("T_0", T_0, self)
        self.T_mult: int = checked_steps("T_mult", T_mult, self)
        self.eta_min: float = checked_number("eta_min", eta_min, NOT_NEGATIVE, self)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        period = self.T_0
        while self.T_mult > 1 and step >= period:
            step -= period
            period *= self.T_mult
        return cosine(base, self.eta_min, step % period / period)


class NoamLR(LRScheduler):
    """A linear rise for ``warmup_steps`` steps, then a fall with the inverse square root of the step (Vaswani
    et al., "Attention Is All You Need", 2017).

    With s counting the steps from 1::

        lr = base d_model^-0.5 min(s^-0.5, s warmup_steps^-1.5)

    For the rates of the paper, pass ``lr=1`` to the optimizer.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> scheduler = optim.NoamLR(optim.SGD([Tensor(1.0)], lr=1.0), d_model=4, warmup_steps=4)
    >>> [round(scheduler.rate(step, 1.0), 4) for step in range(6)]
    [0.0625, 0.125, 0.1875, 0.25, 0.2236, 0.2041]
    """

    def __init__(self, optimizer: Optimizer, d_model: int, warmup_steps: int = 4000) -> None:
        self.d_model: int = checked_steps("d_model", d_model, self)
        self.warmup_steps: int = checked_steps("warmup_steps", warmup_steps, self)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        s = step + 1
        return base * self.d_model**-0.5 * min(s**-0.5, s * self.warmup_steps**-1.5)


def checked_optimizer(optimizer: Optimizer) -> Optimizer:
    """The optimizer. Raises TypeError for any other object."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"a scheduler takes an Optimizer, not {optimizer!r:.60}")
    return optimizer


def per_group(name: str, value: Any, optimizer: Optimizer) -> list[Any]:
    """A list with one value per parameter group, from such a list or from one value for all.

    Raises ValueError for a list of another length.
    """
    count = len(checked_optimizer(optimizer).param_groups)
    values = list(value) if isinstance(value, Iterable) else [value] * count
    if len(values) != count:
        raise ValueError(f"{name} has {len(values)} values, but the optimizer has {count} parameter groups")
    return values


def cosine(start: float, end: float, fraction: float) -> float:
    """The value at a fraction of the way from ``start`` to ``end`` along half a cosine."""
    return end + (start - end) * (1 + math.cos(math.pi * fraction)) / 2
