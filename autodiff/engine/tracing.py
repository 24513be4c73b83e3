"""What the engine does while a function is being compiled: it works on stand-ins, whose data is symbolic.

``compiling/`` calls the function once, and enters what it needs here. A Tensor that the function refers to,
a weight for instance, is replaced by its stand-in wherever its value is read. Outside of a compilation
nothing here is called, since ``recording.open_blocks`` is empty or the thread has no trace.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import recording


class TraceError(RuntimeError):
    """Raised while a function is compiled that needs the value of something that is not computed yet."""


class UnknownShapeError(TraceError):
    """Raised for a result whose shape would depend on values, such as ``x[x > 0]``."""


def stand_in(value: Any) -> Any:
    """What stands for a Tensor in the function that this thread is compiling; anything else as it is."""
    trace = recording.thread.switches.trace
    return value if trace is None else trace.stand_in(value)


def stand_ins(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same for several values."""
    trace = recording.thread.switches.trace
    return values if trace is None else tuple(map(trace.stand_in, values))


def are_floats(*values: Any) -> bool:
    """Whether each value is a Python float, or stands for one, or for an array of one without axes, while a
    function is compiled."""
    found = [type(value) is float or getattr(value, "is_float", False) for value in values]
    return False not in found  # in half the time of all()


def call_whole(
    error: TraceError, function: Callable[..., Any], values: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """A call that could not be traced, as one call of the program. Raises the error if it cannot be that."""
    if isinstance(error, UnknownShapeError):
        raise error
    return recording.thread.switches.trace.call_whole(function, values, options)
