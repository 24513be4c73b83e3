"""FitPlan: the arguments of a ``fit``, their checks, and the steps between its epochs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..optim import Optimizer, ReduceLROnPlateau
from ..optim.lr_scheduler.schedulers import Scheduler
from .callbacks import Callback
from .history import Row
from .measures import Metric


class FitPlan(NamedTuple):
    """What a ``fit`` uses in every epoch."""

    loader: Iterable[Any]
    validation: Iterable[Any] | None
    metrics: Mapping[str, Metric]
    callbacks: Sequence[Callback]
    scheduler: Scheduler | None
    verbose: bool | None


def check_plan(plan: FitPlan, optimizer: Optimizer, on_interrupt: str) -> None:
    """Raise TypeError or ValueError for wrong callbacks, a wrong scheduler or an unknown ``on_interrupt``."""
    callbacks, scheduler = plan.callbacks, plan.scheduler
    if on_interrupt not in ("raise", "return"):
        raise ValueError(f'on_interrupt must be "raise" or "return", not {on_interrupt!r:.60}')
    if isinstance(callbacks, Callback):
        raise TypeError(
            f"callbacks must be a list, even of one: [{type(callbacks).__name__}(...)]"
        )
    for callback in callbacks:
        if isinstance(callback, type):
            raise TypeError(
                f"a callback must be an object, not a class; create an instance: {callback.__name__}(...)"
            )
    if scheduler is None:
        return
    if not isinstance(scheduler, Scheduler):
        raise TypeError(f"the scheduler of a fit must be one of autodiff.optim, not {scheduler!r:.60}")
    if scheduler.optimizer is not optimizer:
        raise ValueError("the scheduler belongs to another optimizer: create it with the model's optimizer")


def interrupted_note(done: int, planned: int) -> str:
    """The note that ``fit`` adds to a KeyboardInterrupt."""
    return (
        f"fit was stopped by Ctrl-C after {done} of {planned} epochs. They are in model.history; the model "
        'can be used and trained further. To continue the program instead: fit(..., on_interrupt="return")'
    )


def step_scheduler(scheduler: Scheduler, row: Row) -> None:
    """Take a scheduler's step after an epoch. A ReduceLROnPlateau needs a loss."""
    if isinstance(scheduler, ReduceLROnPlateau):
        scheduler.step(row.get("val_loss", row["loss"]))
    else:
        scheduler.step()  # type: ignore[attr-defined]


def notify(callbacks: Sequence[Callback], event: str, *args: Any) -> None:
    """Call a method of all callbacks, in order."""
    for callback in callbacks:
        getattr(callback, event)(*args)
