"""Schedules in which the learning rate rises and falls and momentum does the opposite: CyclicLR,
OneCycleLR."""

from __future__ import annotations

from collections.abc import Sequence

from ...checks import NOT_NEGATIVE, POSITIVE, UP_TO_1, checked_number
from ..optimizer import Group, Optimizer
from ..options import checked_steps
from .schedulers import LRScheduler, cosine, per_group

Numbers = float | Sequence[float]


class MomentumScheduler(LRScheduler):
    """A schedule that, with ``cycle_momentum``, also sets each group's momentum: beta1 where there are
    betas."""

    cycle_momentum: bool
    base_momentums: list[float]
    max_momentums: list[float]

    def _set_momentum_range(
        self, optimizer: Optimizer, cycle_momentum: bool, base_momentum: Numbers, max_momentum: Numbers
    ) -> None:
        """Check and store the settings of the momentum."""
        if cycle_momentum:
            check_has_momentum(optimizer)
        self.cycle_momentum = cycle_momentum
        self.base_momentums = per_group("base_momentum", base_momentum, optimizer)
        self.max_momentums = per_group("max_momentum", max_momentum, optimizer)

    def get_momentum(self) -> list[float]:
        """The momentum of each group at the current step."""
        raise NotImplementedError(f"{type(self).__name__} has no get_momentum: define it in the subclass")

    def _update_groups(self) -> None:
        super()._update_groups()
        if self.cycle_momentum:
            for group, momentum in zip(self.optimizer.param_groups, self.get_momentum()):
                set_momentum(group, momentum)


class CyclicLR(MomentumScheduler):
    """A linear rise from ``base_lr`` to ``max_lr`` and a linear fall back to it, repeated; meant for one step
    per batch (Smith, "Cyclical Learning Rates for Training Neural Networks", 2017).

    Parameters
    ----------
    base_lr, max_lr
        The lower and the upper bound, one for all groups or a list with one per group.
    step_size_up, step_size_down
        The number of steps of the rise and of the fall; None for as many as in the rise.
    mode
        "triangular" repeats the same cycle, "triangular2" halves its height each time, "exp_range" multiplies
        the height by ``gamma`` at every step.
    cycle_momentum, base_momentum, max_momentum
        Whether momentum falls from max to base while the rate rises, and rises while it falls. Pass False for
        an optimizer without momentum.

    Raises
    ------
    TypeError, ValueError
        If ``base_lr`` is below 0, or ``max_lr`` or ``gamma`` not above 0 (PyTorch allows any), if a number of
        steps is not whole and at least 1, if the mode is unknown, or if the optimizer has no momentum.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> optimizer = optim.SGD([Tensor(1.0)], momentum=0.9)
    >>> scheduler = optim.CyclicLR(optimizer, 0.1, 0.5, step_size_up=2)
    >>> for _ in range(5):
    ...     print(f"{optimizer.param_groups[0]['lr']:.2f} {optimizer.param_groups[0]['momentum']:.2f}")
    ...     scheduler.step()
    0.10 0.90
    0.30 0.85
    0.50 0.80
    0.30 0.85
    0.10 0.90
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Numbers,
        max_lr: Numbers,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        cycle_momentum: bool = True,
        base_momentum: Numbers = 0.8,
        max_momentum: Numbers = 0.9,
    ) -> None:
        if mode not in ("triangular", "triangular2", "exp_range"):
            raise ValueError(
                f'mode of CyclicLR must be "triangular", "triangular2" or "exp_range", not {mode!r}'
            )
        tops, bases = per_group("max_lr", max_lr, optimizer), per_group("base_lr", base_lr, optimizer)
        self.max_lrs: list[float] = [checked_number("max_lr", top, POSITIVE, self) for top in tops]
        self.step_size_up: int = checked_steps("step_size_up", step_size_up, self)
        down = step_size_up if step_size_down is None else step_size_down
        self.step_size_down: int = checked_steps("step_size_down", down, self)
        self.mode = mode
        self.gamma: float = checked_number("gamma", gamma, POSITIVE, self)
        self._set_momentum_range(optimizer, cycle_momentum, base_momentum, max_momentum)
        super().__init__(optimizer, [checked_number("base_lr", base, NOT_NEGATIVE, self) for base in bases])

    def height(self, step: int) -> float:
        """The height of the triangle after ``step`` steps: 0 at the base, 1 at the top of the first cycle."""
        length = self.step_size_up + self.step_size_down
        cycle, position = divmod(step, length)
        rising = position <= self.step_size_up
        height = position / self.step_size_up if rising else (length - position) / self.step_size_down
        scale = {"triangular": 1.0, "triangular2": 0.5**cycle, "exp_range": self.gamma**step}
        return height * scale[self.mode]

    def get_lr(self) -> list[float]:
        """The learning rate of each group at the current step."""
        height = self.height(self.last_epoch)
        return [base + (top - base) * height for base, top in zip(self.base_lrs, self.max_lrs)]

    def get_momentum(self) -> list[float]:
        """The momentum of each group at the current step."""
        height = self.height(self.last_epoch)
        pairs = zip(self.base_momentums, self.max_momentums)
        return [top - (top - base) * height for base, top in pairs]


class OneCycleLR(MomentumScheduler):
    """A single cycle over the whole training, a rise to ``max_lr`` and a fall to almost 0; meant for one step
    per batch (Smith and Topin, "Super-Convergence", 2019).

    The rate rises from ``max_lr / div_factor``, its initial value, to ``max_lr`` and falls to the initial
    value divided by ``final_div_factor``. With ``three_phase``, it falls to the initial value first.

    Parameters
    ----------
    max_lr
        The maximum, one for all groups or a list with one per group.
    total_steps, epochs, steps_per_epoch
        The number of steps, or the number of epochs and of steps in each.
    pct_start
        The fraction of the steps in which the rate rises, between 0 and 1.
    anneal_strategy
        "cos" follows half a cosine, "linear" a line.
    cycle_momentum, base_momentum, max_momentum
        Whether momentum falls from max to base while the rate rises, and rises while it falls. Pass False for
        an optimizer without momentum.

    Raises
    ------
    TypeError, ValueError
        If ``max_lr`` is not above 0 (PyTorch allows any), or another setting is out of range; and at a step
        after the last.

    Example
    -------
    >>> from autodiff import Tensor, optim
    >>> optimizer = optim.Adam([Tensor(1.0)])
    >>> scheduler = optim.OneCycleLR(optimizer, 1.0, total_steps=10, pct_start=0.5, anneal_strategy="linear")
    >>> for _ in range(9):
    ...     scheduler.step()
    ...     print(f"{scheduler.get_last_lr()[0]:.3f}", end=" ")
    0.280 0.520 0.760 1.000 0.800 0.600 0.400 0.200 0.000
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: Numbers,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Numbers = 0.85,
        max_momentum: Numbers = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
    ) -> None:
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f'anneal_strategy of OneCycleLR must be "cos" or "linear", not {anneal_strategy!r}'
            )
        for name, factor in (("div_factor", div_factor), ("final_div_factor", final_div_factor)):
            if not factor > 0:
                raise ValueError(f"{name} of OneCycleLR must be above 0, not {factor}")
        self.total_steps: int = self._checked_total_steps(total_steps, epochs, steps_per_epoch)
        self.pct_start: float = checked_number("pct_start", pct_start, UP_TO_1, self)
        self.anneal_strategy = anneal_strategy
        self.three_phase = three_phase
        tops = per_group("max_lr", max_lr, optimizer)
        self.max_lrs: list[float] = [checked_number("max_lr", top, POSITIVE, self) for top in tops]
        self.final_div_factor = final_div_factor
        self._set_momentum_range(optimizer, cycle_momentum, base_momentum, max_momentum)
        super().__init__(optimizer, [top / div_factor for top in self.max_lrs])

    def _checked_total_steps(
        self, total_steps: int | None, epochs: int | None, steps_per_epoch: int | None
    ) -> int:
        """The number of steps: ``total_steps``, or else epochs times steps per epoch."""
        if total_steps is not None:
            return checked_steps("total_steps", total_steps, self)
        if epochs is None or steps_per_epoch is None:
            raise ValueError("OneCycleLR needs total_steps, or epochs and steps_per_epoch")
        return checked_steps("epochs", epochs, self) * checked_steps("steps_per_epoch", steps_per_epoch, self)

    def progress(self) -> tuple[int, float]:
        """The phase of the current step, and the fraction of the phase that is completed."""
        step, rise = self.last_epoch, self.pct_start * self.total_steps
        if step > self.total_steps:
            raise ValueError(f"step {step} is one too many: this OneCycleLR has {self.total_steps} steps")
        ends = [0, rise - 1, *([2 * rise - 2] if self.three_phase else []), self.total_steps - 1]
        last = len(ends) - 2
        phase = next((phase for phase in range(last) if step <= ends[phase + 1]), last)
        start, end = ends[phase : phase + 2]
        return phase, (step - start) / (end - start) if end != start else 1.0

    def anneal(self, corners: Sequence[float]) -> float:
        """The value at the current step, between the two corners that bound its phase."""
        phase, fraction = self.progress()
        start, end = corners[phase], corners[phase + 1]
        if self.anneal_strategy == "cos":
            return cosine(start, end, fraction)
        return start + (end - start) * fraction

    def get_lr(self) -> list[float]:
        """The learning rate of each group at the current step."""
        return [
            self.anneal([base, top, *([base] if self.three_phase else []), base / self.final_div_factor])
            for base, top in zip(self.base_lrs, self.max_lrs)
        ]

    def get_momentum(self) -> list[float]:
        """The momentum of each group at the current step."""
        pairs = zip(self.base_momentums, self.max_momentums)
        return [self.anneal([top, base, top, top]) for base, top in pairs]


def check_has_momentum(optimizer: Optimizer) -> None:
    """Raise ValueError for an optimizer without momentum."""
    if not {"momentum", "betas"} & optimizer.defaults.keys():
        raise ValueError(f"{type(optimizer).__name__} has no momentum to cycle: pass cycle_momentum=False")


def set_momentum(group: Group, momentum: float) -> None:
    """Set the momentum of a group, or beta1 if it has betas."""
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum
