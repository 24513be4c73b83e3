"""Learning rates that go up and down, and momentum that goes the other way: CyclicLR, OneCycleLR."""

from __future__ import annotations

from collections.abc import Sequence

from ..optimizer import Group, Optimizer
from ..options import fraction, not_negative, positive, whole
from .schedulers import LRScheduler, cosine, per_group

Numbers = float | Sequence[float]


class MomentumScheduler(LRScheduler):
    """A schedule that, if ``cycle_momentum``, sets each group's momentum too: beta1 where there are betas."""

    cycle_momentum: bool

    def get_momentum(self) -> list[float]:
        """The momentum of each group at the present step."""
        raise NotImplementedError(f"{type(self).__name__} has no get_momentum")

    def _set(self) -> None:
        super()._set()
        if self.cycle_momentum:
            for group, momentum in zip(self.optimizer.param_groups, self.get_momentum()):
                set_momentum(group, momentum)


class CyclicLR(MomentumScheduler):
    """From ``base_lr`` up to ``max_lr`` in a line, and back, again and again; meant for a step per batch.

    Smith 2017.

    Parameters
    ----------
    base_lr, max_lr
        The ends, for all groups or listed per group.
    step_size_up, step_size_down
        How many steps up, and how many down (as many, if None).
    mode
        "triangular" repeats; "triangular2" halves the height with every cycle; "exp_range" has it times
        ``gamma`` at every step.
    cycle_momentum, base_momentum, max_momentum
        Whether momentum goes from max to base while the rate goes up, and back. For an optimizer without any,
        switch it off.

    Raises
    ------
    ValueError
        If ``base_lr`` is below 0, or ``max_lr`` or ``gamma`` not above 0 (PyTorch takes any), if a number of
        steps is not whole and at least 1, the mode is unknown, or the optimizer has no momentum to cycle.

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
            raise ValueError(f'mode is "triangular", "triangular2" or "exp_range", not {mode!r}')
        self.max_lrs = [positive("max_lr", top) for top in per_group("max_lr", max_lr, optimizer)]
        self.step_size_up = whole("step_size_up", step_size_up)
        down = step_size_up if step_size_down is None else step_size_down
        self.step_size_down = whole("step_size_down", down)
        self.mode = mode
        self.gamma = positive("gamma", gamma)
        self.cycle_momentum = cycle_momentum and has_momentum(optimizer)
        self.base_momentums = per_group("base_momentum", base_momentum, optimizer)
        self.max_momentums = per_group("max_momentum", max_momentum, optimizer)
        base_lrs = [not_negative("base_lr", base) for base in per_group("base_lr", base_lr, optimizer)]
        super().__init__(optimizer, base_lrs)

    def height(self, step: int) -> float:
        """Where the triangle stands after ``step`` steps: 0 at the base, 1 at the top of the first cycle."""
        length = self.step_size_up + self.step_size_down
        cycle, place = divmod(step, length)
        rising = place <= self.step_size_up
        height = place / self.step_size_up if rising else (length - place) / self.step_size_down
        scale = {"triangular": 1.0, "triangular2": 0.5**cycle, "exp_range": self.gamma**step}
        return height * scale[self.mode]

    def get_lr(self) -> list[float]:
        """The learning rate of each group at the present step."""
        height = self.height(self.last_epoch)
        return [base + (top - base) * height for base, top in zip(self.base_lrs, self.max_lrs)]

    def get_momentum(self) -> list[float]:
        """The momentum of each group at the present step."""
        height = self.height(self.last_epoch)
        pairs = zip(self.base_momentums, self.max_momentums)
        return [top - (top - base) * height for base, top in pairs]


class OneCycleLR(MomentumScheduler):
    """Once up to ``max_lr`` and then down to almost nothing, over the whole training; a step per batch.

    The rate goes from max_lr / div_factor to max_lr, and then to its start / final_div_factor; with
    ``three_phase`` it comes back to its start in between. Smith and Topin 2019.

    Parameters
    ----------
    max_lr
        The top, for all groups or listed per group.
    total_steps, epochs, steps_per_epoch
        How many steps: given, or as epochs times steps_per_epoch.
    pct_start
        The share of the steps that go up, between 0 and 1.
    anneal_strategy
        "cos" goes from end to end along half a cosine, "linear" in a line.
    cycle_momentum, base_momentum, max_momentum
        Whether momentum goes from max to base while the rate goes up, and back. For an optimizer without any,
        switch it off.

    Raises
    ------
    ValueError
        If ``max_lr`` is not above 0 (PyTorch takes any), or another setting out of its range; and at the step
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
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("OneCycleLR needs total_steps, or epochs and steps_per_epoch")
            total_steps = whole("epochs", epochs) * whole("steps_per_epoch", steps_per_epoch)
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f'anneal_strategy is "cos" or "linear", not {anneal_strategy!r}')
        for name, factor in (("div_factor", div_factor), ("final_div_factor", final_div_factor)):
            if not factor > 0:
                raise ValueError(f"{name} must be above 0, not {factor}")
        self.total_steps = whole("total_steps", total_steps)
        self.pct_start = fraction("pct_start", pct_start)
        self.anneal_strategy = anneal_strategy
        self.three_phase = three_phase
        self.max_lrs = [positive("max_lr", top) for top in per_group("max_lr", max_lr, optimizer)]
        self.final_div_factor = final_div_factor
        self.cycle_momentum = cycle_momentum and has_momentum(optimizer)
        self.base_momentums = per_group("base_momentum", base_momentum, optimizer)
        self.max_momentums = per_group("max_momentum", max_momentum, optimizer)
        super().__init__(optimizer, [top / div_factor for top in self.max_lrs])

    def progress(self) -> tuple[int, float]:
        """In which phase the present step falls, and how much of that is behind it."""
        step, rise = self.last_epoch, self.pct_start * self.total_steps
        if step > self.total_steps:
            raise ValueError(f"step {step} is one too many: OneCycleLR was made for {self.total_steps}")
        ends = [0, rise - 1, *([2 * rise - 2] if self.three_phase else []), self.total_steps - 1]
        last = len(ends) - 2
        phase = next((phase for phase in range(last) if step <= ends[phase + 1]), last)
        start, end = ends[phase : phase + 2]
        return phase, (step - start) / (end - start) if end != start else 1.0

    def anneal(self, corners: Sequence[float]) -> float:
        """The value of the present step on the way from corner to corner, one per phase."""
        phase, done = self.progress()
        start, end = corners[phase], corners[phase + 1]
        return cosine(start, end, done) if self.anneal_strategy == "cos" else start + (end - start) * done

    def get_lr(self) -> list[float]:
        """The learning rate of each group at the present step."""
        return [
            self.anneal([base, top, *([base] if self.three_phase else []), base / self.final_div_factor])
            for base, top in zip(self.base_lrs, self.max_lrs)
        ]

    def get_momentum(self) -> list[float]:
        """The momentum of each group at the present step."""
        pairs = zip(self.base_momentums, self.max_momentums)
        return [self.anneal([top, base, top, top]) for base, top in pairs]


def has_momentum(optimizer: Optimizer) -> bool:
    """True; ValueError for an optimizer that has no momentum to cycle."""
    if not {"momentum", "betas"} & optimizer.defaults.keys():
        raise ValueError(f"{type(optimizer).__name__} has no momentum to cycle: give cycle_momentum=False")
    return True


def set_momentum(group: Group, momentum: float) -> None:
    """Set what a group's optimizer has for momentum."""
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum
