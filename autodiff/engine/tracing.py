"""What the engine does while a function is being compiled: it works on stand-ins, whose data is symbolic.

``compiling/`` calls the function once, and enters what it needs here. A Tensor that the function refers to,
a weight for instance, is replaced by its stand-in wherever its value is read. Outside of a compilation
nothing here is called, since ``recording.traces`` is empty, or does nothing, since the thread has no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import recording
from .silence import silently


class TraceError(RuntimeError):
    """Raised while a function is compiled that needs the value of something that is not computed yet."""

    is_located = False  # whether the message names the line of the user's function


class UnknownShapeError(TraceError):
    """Raised for a result whose shape would depend on values, such as ``x[x > 0]``."""


def check_not_compiling(action: str, advice: str) -> None:
    """Raise TraceError if this thread is compiling a function."""
    if recording.current().trace is not None:
        raise TraceError(f"{action} is not compiled: {advice}")


def stand_in(value: Any) -> Any:
    """What stands for a Tensor in the function that this thread is compiling; anything else as it is."""
    trace = recording.thread.switches.trace
    return value if trace is None else trace.stand_in(value)


def with_gradient(value: Any) -> Any:
    """What stands for a Tensor whose ``.grad`` is read or set, which the trace notes."""
    trace = recording.thread.switches.trace
    return value if trace is None else trace.with_gradient(value)


def note(module: Any) -> None:
    """Note that the function which this thread is compiling calls a module, so that it depends on the
    module's mode, its options and its parts."""
    if recording.traces and (trace := recording.thread.switches.trace) is not None:
        trace.note(module)


def stand_ins(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same for several values."""
    trace = recording.thread.switches.trace
    return values if trace is None else tuple(map(trace.stand_in, values))


def as_number(array: Any) -> Any:
    """An array without axes as a Python number, while a function is compiled too."""
    trace = recording.current().trace
    return array.item() if trace is None else trace.as_number(array)


def compute(forward: Callable[..., Any], values: Sequence[Any], options: dict[str, Any]) -> Any:
    """The forward of an operation on arrays of other libraries, and so on arrays without values."""
    trace = recording.thread.switches.trace
    if trace is None:
        return silently(forward, *values, **options)
    try:
        data = forward(*values, **options)
    except TraceError as error:
        data = call_whole(error, forward, tuple(values), options)
    return trace.finished(data, values)


def are_floats(*values: Any) -> bool:
    """Whether each value is a Python float, or stands for one while a function is compiled."""
    found = [type(value) is float or getattr(value, "is_float", False) for value in values]
    return False not in found  # in half the time of all()


def call_whole(
    error: TraceError, function: Callable[..., Any], values: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """A call that could not be traced, as one call of the program. Raises the error if it cannot be that."""
    trace = recording.thread.switches.trace
    if trace is None or isinstance(error, UnknownShapeError):
        raise error
    try:
        return trace.call_whole(function, values, options)
    except TraceError as other:
        raise other from error
