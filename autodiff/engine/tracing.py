"""What the engine does while a function is traced: it works on stand-ins, Tensors whose data are symbols.

``compiling/`` sets the trace of the thread and calls the function once. A Tensor that the function refers to,
such as a weight, is replaced by its stand-in wherever its value is read. If no thread traces, the engine
skips most of these functions, since ``recording.traces`` is empty; in a thread without a trace they change
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from . import recording
from .silence import silently


class TraceError(RuntimeError):
    """Raised if a function that is compiled needs a value that is not computed yet, or does something else
    that cannot be compiled."""

    is_located = False  # whether the message names the line of the user's function


class UnknownShapeError(TraceError):
    """Raised for a result whose shape depends on values, such as ``x[x > 0]``."""


def check_not_compiling(action: str, advice: str) -> None:
    """Raise TraceError if this thread is compiling a function."""
    if recording.current().trace is not None:
        raise TraceError(f"{action} is not compiled: {advice}")


def stand_in(value: Any) -> Any:
    """The stand-in of a Tensor in the function that this thread traces; any other value unchanged."""
    trace = recording.current().trace
    return value if trace is None else trace.stand_in(value)


def with_gradient(value: Any) -> Any:
    """The stand-in of a Tensor whose ``.grad`` is read or set, which the trace notes."""
    trace = recording.current().trace
    return value if trace is None else trace.with_gradient(value)


def note(module: Any) -> None:
    """Note that the function that this thread traces calls a module, so that the program depends on the
    mode, the options and the parts of the module."""
    if recording.traces and (trace := recording.current().trace) is not None:
        trace.note(module)


def name_gradients(end: Any, arrived: Mapping[Any, Any]) -> None:
    """Note what has arrived at each Tensor in a walk back from ``end``, so that the program can name it."""
    trace = recording.current().trace
    if trace is not None:
        trace.name_gradients(end, arrived)


def name(value: Any, wish: str) -> Any:
    """The value, named ``wish`` in the program if it has no name yet."""
    trace = recording.current().trace
    if trace is not None:
        trace.name(value, wish)
    return value


@contextmanager
def unnamed_gradients() -> Iterator[None]:
    """Leave gradients in a ``with`` block without names, so that whoever asked for them can name them."""
    trace = recording.current().trace
    before = None if trace is None else trace.names_gradients
    try:
        if trace is not None:
            trace.names_gradients = False
        yield
    finally:
        if trace is not None:
            trace.names_gradients = before


def stand_ins(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The stand-ins of several values, see ``stand_in``."""
    trace = recording.current().trace
    return values if trace is None else tuple(map(trace.stand_in, values))


def as_number(array: Any) -> Any:
    """A 0-d array as a Python number, or a symbol of a number for a symbol."""
    trace = recording.current().trace
    return array.item() if trace is None else trace.as_number(array)


def compute(operation: Any, values: Sequence[Any], options: dict[str, Any]) -> Any:
    """Call the forward of an operation on arrays of other libraries or on symbols."""
    trace = recording.current().trace
    if trace is None:
        return silently(operation.forward, *values, **options)
    try:
        data = trace.computed(operation, values, options)
    except TraceError as error:
        data = call_whole(error, operation.forward, tuple(values), options)
    return trace.finished(data, values, operation.forward, options)


def compute_counts(operation: Any, values: Sequence[Any], options: dict[str, Any]) -> Any:
    """Call an operation on arrays of other libraries or on symbols, where these may be Python's integers and
    booleans: as the engine computes with such numbers."""
    trace = recording.current().trace
    if trace is None or not trace.are_counts(values):
        return compute(operation, values, options)
    with suppress(TraceError):  # of one that is written with Python's operators
        return operation.scalar(*values, **options)
    values = values if operation.precision is None else [*map(trace.as_float, values)]
    found = compute(operation, values, options)
    return found if np.ndim(found) or "dtype" in options else trace.as_float(found)


def are_floats(*values: Any) -> bool:
    """Whether each value is a Python float or the symbol of one."""
    found = [type(value) is float or getattr(value, "is_float", False) for value in values]
    return False not in found  # takes half the time of all()


def as_like(value: Any, other: Any) -> Any:
    """A symbol of the shape and dtype of another one, as the same kind of number; None for other values."""
    return value.as_like(other) if hasattr(value, "as_like") else None


def call_whole(
    error: TraceError, function: Callable[..., Any], values: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """Make a call that could not be traced one call of the program. Raises TraceError if that fails too."""
    trace = recording.current().trace
    if trace is None or isinstance(error, UnknownShapeError):
        raise error
    try:
        return trace.call_whole(function, values, options)
    except TraceError as other:
        raise other from error
