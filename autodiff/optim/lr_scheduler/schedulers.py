"""Learning rates as functions of the step: LRScheduler, and the schedules that need nothing else.

Schedules that go up and down in cycles stand in ``cycles.py``, those in phases in ``phases.py``, the one that
listens to the loss in ``plateau.py``; all of them under PyTorch's name in ``lr_scheduler.py``.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any

from ..optimizer import Optimizer
from ..options import expect_owner, fraction, not_negative, positive, whole


class Scheduler:
    """What all schedulers share: the optimizer, the count of steps, saving and loading.

    Each computes its rates anew from those at its start, so two that step the same optimizer do not multiply:
    the later one wins. A warm-up followed by something else is a :class:`SequentialLR`, or one function for a
    :class:`LambdaLR`.

    Parameters
    ----------
    optimizer
        Whose learning rates to set. Make it with all its parameter groups first.
    """

    not_saved: tuple[str, ...] = ("optimizer",)

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = known(optimizer)
        self.group_count = len(optimizer.param_groups)
        self.last_epoch = 0

    def get_last_lr(self) -> list[float]:
        """The learning rate that each group has now."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Its class, and all that the schedule is made of, save the optimizer and functions, copied."""
        return {"class": type(self).__name__, **deepcopy(self._settings())}

    def _settings(self) -> dict[str, Any]:
        """What is saved."""
        return {key: value for key, value in vars(self).items() if key not in self.not_saved}

    def _adopt(self, settings: dict[str, Any]) -> None:
        """Take over what was saved."""
        vars(self).update(settings)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another scheduler of the same class stood.

        Raises TypeError if it is no dictionary, and ValueError if it was saved by another class or for
        another number of groups. Nothing is changed then.
        """
        name = type(self).__name__
        expect_owner(state_dict, "class", name)
        if state_dict.keys() != self.state_dict().keys():
            raise ValueError(f"this is no state of {name}: it has {', '.join(state_dict)}")
        self._expect(state_dict["group_count"])
        self._adopt(deepcopy({key: value for key, value in state_dict.items() if key != "class"}))

    def _expect(self, group_count: int) -> None:
        """Raise ValueError if the optimizer has another number of parameter groups."""
        found = len(self.optimizer.param_groups)
        if found != group_count:
            raise ValueError(
                f"this {type(self).__name__} is for {group_count} parameter groups, and the optimizer has "
                f"{found}: make it after the last group was added"
            )

    def __repr__(self) -> str:
        hidden = (*self.not_saved, "group_count", "base_lrs", "last_epoch")
        options = (f"{key}={value}" for key, value in vars(self).items() if key not in hidden)
        rates = ", ".join(f"{lr:.6g}" for lr in self.get_last_lr())
        return f"{type(self).__name__}({', '.join([*options, f'step {self.last_epoch}', f'lr {rates}'])})"


class LRScheduler(Scheduler):
    """The base of schedules that are a function of the step; a new one is a subclass with a ``rate``.

    Nothing but the step and the first rate counts, so a rate that was set by hand meanwhile is overwritten at
    the next step.

    Parameters
    ----------
    optimizer
        Whose learning rates to set, at once and at every :meth:`step`.
    base_lrs
        What the groups start from; None for what an earlier scheduler started from, or else their rates.

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
        self._set()
        for group, base in zip(groups, self.base_lrs):
            group["initial_lr"] = base  # kept there, so that a later scheduler finds it

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps, for a group that starts from ``base``."""
        raise NotImplementedError(f"{type(self).__name__} has no rate")

    def get_lr(self) -> list[float]:
        """The learning rate of each group at the present step."""
        return [self.rate(self.last_epoch, base) for base in self.base_lrs]

    def step(self) -> None:
        """Go one step on, after a step of the optimizer, or after an epoch: as the schedule is meant."""
        self._expect(self.group_count)
        self.last_epoch += 1
        try:
            self._set()
        except BaseException:
            self.last_epoch -= 1
            raise

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """As in :class:`Scheduler`; the learning rates are set too."""
        before = dict(vars(self))
        super().load_state_dict(state_dict)
        try:
            self._set()
        except BaseException:
            vars(self).update(before)
            raise

    def _set(self) -> None:
        """Give each group its learning rate."""
        for group, lr in zip(self.optimizer.param_groups, self.get_lr()):
            group["lr"] = lr


class LambdaLR(LRScheduler):
    """The first rate times what a function makes of the step; one function, or one per group. Functions are
    not saved.

    A factor below 0 raises ValueError at the step that would set it, and the rates stay as they were.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> optimizer = optim.SGD([Tensor(1.0)], lr=0.5)
    >>> optim.LambdaLR(optimizer, lambda step: 0.5**step).step()
    >>> optimizer
    SGD(1 parameter, 1 element, lr=0.25)
    """

    not_saved = ("optimizer", "lr_lambdas")

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]]
    ) -> None:
        self.lr_lambdas = per_group("lr_lambda", lr_lambda, optimizer)
        super().__init__(optimizer)

    def get_lr(self) -> list[float]:
        """The learning rate of each group at the present step."""
        factors = [factor(self.last_epoch) for factor in self.lr_lambdas]
        for factor in factors:
            if not 0 <= factor < math.inf:
                raise ValueError(
                    f"the function of LambdaLR gives {factor} at step {self.last_epoch}: a factor must be at "
                    "least 0"
                )
        return [base * factor for base, factor in zip(self.base_lrs, factors)]


class StepLR(LRScheduler):
    """The rate times ``gamma`` after every ``step_size`` steps.

    Raises ValueError if ``gamma`` is not above 0 (PyTorch takes any).

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> scheduler = optim.StepLR(optim.SGD([Tensor(1.0)], lr=1.0), step_size=2, gamma=0.5)
    >>> [scheduler.rate(step, 1.0) for step in range(6)]
    [1.0, 1.0, 0.5, 0.5, 0.25, 0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        self.step_size = whole("step_size", step_size)
        self.gamma = positive("gamma", gamma)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        return base * self.gamma ** (step // self.step_size)


class MultiStepLR(LRScheduler):
    """The rate times ``gamma`` at every milestone.

    Raises ValueError if ``gamma`` is not above 0 (PyTorch takes any).

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> scheduler = optim.MultiStepLR(optim.SGD([Tensor(1.0)], lr=1.0), milestones=[2, 3], gamma=0.5)
    >>> [scheduler.rate(step, 1.0) for step in range(5)]
    [1.0, 1.0, 0.5, 0.25, 0.25]
    """

    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1) -> None:
        self.milestones = sorted(milestones)
        self.gamma = positive("gamma", gamma)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        return base * self.gamma ** bisect_right(self.milestones, step)


class ExponentialLR(LRScheduler):
    """The rate times ``gamma`` at every step.

    Raises ValueError if ``gamma`` is not above 0 (PyTorch takes any).

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> scheduler = optim.ExponentialLR(optim.SGD([Tensor(1.0)], lr=1.0), gamma=0.5)
    >>> [scheduler.rate(step, 1.0) for step in range(4)]
    [1.0, 0.5, 0.25, 0.125]
    """

    def __init__(self, optimizer: Optimizer, gamma: float) -> None:
        self.gamma = positive("gamma", gamma)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        return base * self.gamma**step


class LinearLR(LRScheduler):
    """From ``start_factor`` times the first rate to ``end_factor`` times it, in a line of ``total_iters``
    steps.

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
            raise ValueError(f"start_factor must be above 0 and at most 1, not {start_factor}")
        self.start_factor = start_factor
        self.end_factor = fraction("end_factor", end_factor)
        self.total_iters = whole("total_iters", total_iters)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        done = min(step, self.total_iters) / self.total_iters
        return base * (self.start_factor + (self.end_factor - self.start_factor) * done)


class CosineAnnealingLR(LRScheduler):
    """Down to ``eta_min`` in ``T_max`` steps along half a cosine, and up again if it goes on.

    Loshchilov and Hutter 2017, without the restarts.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> scheduler = optim.CosineAnnealingLR(optim.SGD([Tensor(1.0)], lr=1.0), T_max=4)
    >>> [round(scheduler.rate(step, 1.0), 3) for step in range(6)]
    [1.0, 0.854, 0.5, 0.146, 0.0, 0.146]
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:
        self.T_max = whole("T_max", T_max)
        self.eta_min = not_negative("eta_min", eta_min)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        return cosine(base, self.eta_min, step / self.T_max)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Down to ``eta_min`` along half a cosine in ``T_0`` steps, then from the start again, each time
    ``T_mult`` times as slowly. Loshchilov and Hutter 2017.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> scheduler = optim.CosineAnnealingWarmRestarts(optim.SGD([Tensor(1.0)], lr=1.0), T_0=2, T_mult=2)
    >>> [round(scheduler.rate(step, 1.0), 3) for step in range(7)]
    [1.0, 0.5, 1.0, 0.854, 0.5, 0.146, 1.0]
    """

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0) -> None:
        self.T_0 = whole("T_0", T_0)
        self.T_mult = whole("T_mult", T_mult)
        self.eta_min = not_negative("eta_min", eta_min)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        length = self.T_0
        while self.T_mult > 1 and step >= length:
            step -= length
            length *= self.T_mult
        return cosine(base, self.eta_min, step % length / length)


class NoamLR(LRScheduler):
    """Up in a line for ``warmup_steps`` steps, then down with the root of their number.

    With s counting the steps from 1::

        lr = base d_model^-0.5 min(s^-0.5, s warmup_steps^-1.5)

    Give the optimizer lr=1 for the numbers of the paper. Vaswani et al. 2017.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> scheduler = optim.NoamLR(optim.SGD([Tensor(1.0)], lr=1.0), d_model=4, warmup_steps=4)
    >>> [round(scheduler.rate(step, 1.0), 4) for step in range(6)]
    [0.0625, 0.125, 0.1875, 0.25, 0.2236, 0.2041]
    """

    def __init__(self, optimizer: Optimizer, d_model: int, warmup_steps: int = 4000) -> None:
        self.d_model = whole("d_model", d_model)
        self.warmup_steps = whole("warmup_steps", warmup_steps)
        super().__init__(optimizer)

    def rate(self, step: int, base: float) -> float:
        """The learning rate after ``step`` steps."""
        s = step + 1
        return base * self.d_model**-0.5 * min(s**-0.5, s * self.warmup_steps**-1.5)


def known(optimizer: Optimizer) -> Optimizer:
    """The optimizer, if it is one."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"a scheduler takes an Optimizer, not {optimizer!r:.60}")
    return optimizer


def per_group(name: str, value: Any, optimizer: Optimizer) -> list[Any]:
    """One value for each parameter group: the same for all, or as listed."""
    count = len(known(optimizer).param_groups)
    values = list(value) if isinstance(value, Iterable) else [value] * count
    if len(values) != count:
        raise ValueError(f"{name} lists {len(values)} values, and the optimizer has {count} parameter groups")
    return values


def cosine(start: float, end: float, done: float) -> float:
    """From ``start`` to ``end`` along half a cosine, of which ``done`` is behind us."""
    return end + (start - end) * (1 + math.cos(math.pi * done)) / 2
