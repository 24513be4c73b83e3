"""Plan: what a ``fit`` was asked for, and the small steps between its epochs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..optim import Optimizer, ReduceLROnPlateau
from ..optim.lr_scheduler.schedulers import Scheduler
from .callbacks import Callback
from .history import Row
from .measures import Metric


class Plan(NamedTuple):
    """What a ``fit`` runs through in every epoch."""

    loader: Iterable[Any]
    validation: Iterable[Any] | None
    metrics: Mapping[str, Metric]
    callbacks: Sequence[Callback]
    scheduler: Scheduler | None
    verbose: bool | None


def check_plan(plan: Plan, optimizer: Optimizer, on_interrupt: str) -> None:
    """Raise unless the callbacks can be told and the scheduler is the optimizer's."""
    callbacks, scheduler = plan.callbacks, plan.scheduler
    if on_interrupt not in ("raise", "return"):
        raise ValueError(f'on_interrupt is "raise" or "return", not {on_interrupt!r:.60}')
    if isinstance(callbacks, Callback):
        raise TypeError(f"callbacks is a list, also of one: [{type(callbacks).__name__}(...)]")
    for callback in callbacks:
        if isinstance(callback, type):
            raise TypeError(f"a callback is an object, not a class; make one of it: {callback.__name__}(...)")
    if scheduler is None:
        return
    if not isinstance(scheduler, Scheduler):
        raise TypeError(f"the scheduler of a fit is one of autodiff.optim, not {scheduler!r:.60}")
    if scheduler.optimizer is not optimizer:
        raise ValueError("this scheduler sets the rates of another optimizer: make it with the model's own")


def interrupted_note(done: int, planned: int) -> str:
    """What a KeyboardInterrupt that comes out of ``fit`` says besides."""
    return (
        f"fit was stopped by Ctrl-C after {done} of {planned} epochs; model.history has them, and the model "
        'can be used and trained on. To go on with the program instead: fit(..., on_interrupt="return")'
    )


def step(scheduler: Scheduler, row: Row) -> None:
    """Have a scheduler go on after an epoch."""
    if isinstance(scheduler, ReduceLROnPlateau):
        scheduler.step(row.get("val_loss", row["loss"]))
    else:
        scheduler.step()  # type: ignore[attr-defined]


def tell(callbacks: Sequence[Callback], event: str, *about: Any) -> None:
    """Call all callbacks, in order."""
    for callback in callbacks:
        getattr(callback, event)(*about)
