"""Whether operations are recorded: ``no_grad`` and its siblings. ``contexts.py`` says where a block holds."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from contextlib import ContextDecorator
from copy import copy
from typing import Any
from weakref import ref

from .contexts import (
    AnyHead,
    Block,
    continued,
    current,
    default,
    of_context,
    open_blocks,
    push,
    thread,
    traces,
)
from .places import is_in_cell

__all__ = ["current", "open_blocks", "traces"]


class DecoratingBlock(Block, ContextDecorator):
    """A block that is a decorator too: the body of the function runs in the block."""

    def __call__(self, function: Callable[..., Any]) -> Any:
        """Decorate a function, which may be a generator function or an async function. Raises TypeError for
        what is not a function, and for an async generator function."""
        if not callable(function):
            raise TypeError(f"{type(self).__name__} decorates a function, not {function!r:.60}")
        if inspect.isasyncgenfunction(function):
            raise TypeError(
                f"{type(self).__name__} cannot decorate {function.__name__}, which both yields and awaits. "
                "Write a with block inside it"
            )
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*args: Any, **keywords: Any) -> Any:
                with self._recreate_cm():
                    return await function(*args, **keywords)

            return awaited
        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def generated(*args: Any, **keywords: Any) -> Any:
                with self._recreate_cm():
                    return (yield from function(*args, **keywords))

            return generated
        return super().__call__(function)

    def _recreate_cm(self) -> Any:
        """A new object for each call of a decorated function, which several threads may call."""
        return copy(self)


class grad_mode(DecoratingBlock):
    """Switch recording on or off inside a ``with`` block or a decorated function."""

    _record: bool

    def _changes(self) -> dict[str, Any]:
        return {"recording": self._record}


class no_grad(grad_mode):
    """Compute without recording: results have no creators and require no gradient.

    A context manager and a decorator, with parentheses or without. Inside it an in-place operator updates a
    leaf Tensor directly. Other threads and tasks go on recording, and so does the code that takes the values
    of a generator with such a block; see :class:`set_grad_enabled` for a switch without a block.

    Example
    -------
    >>> import autodiff as ad
    >>> w = ad.Tensor(3)
    >>> with ad.no_grad():
    ...     y = w * w
    >>> y, y.requires_grad, y.creators
    (9, False, None)
    """

    _record = False

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        """``@no_grad`` without parentheses is given the function; then the result is a function too."""
        return object.__new__(cls) if function is None else cls()(function)


class enable_grad(grad_mode):
    """Record again inside a ``no_grad`` block. A context manager and a decorator, as ``no_grad`` is.

    Example
    -------
    >>> import autodiff as ad
    >>> w = ad.Tensor(3)
    >>> with ad.no_grad(), ad.enable_grad():
    ...     y = w * w
    >>> y.creators
    (3, 3)
    """

    _record = True

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        """``@enable_grad`` without parentheses is given the function."""
        return object.__new__(cls) if function is None else cls()(function)


class set_grad_enabled(grad_mode):
    """Switch recording on or off from this call on: in this asyncio task or else in this thread, or until the
    end of the ``no_grad`` or other block that is open there.

    As a context manager it holds until the block ends, as a decorator inside the function.

    Example
    -------
    >>> import autodiff as ad
    >>> w = ad.Tensor(3)
    >>> is_training = False
    >>> with ad.set_grad_enabled(is_training):
    ...     y = w * w
    >>> y.requires_grad, (w * w).requires_grad
    (False, True)
    """

    def __init__(self, mode: bool) -> None:
        self._record = bool(mode)
        self._take_back: Any = set_recording(self._record)

    def _leave_outside(self) -> None:
        """Leave everything outside of the block or function as it was before the call."""
        if self._take_back is not None:
            self._take_back()
            self._take_back = None

    def __call__(self, function: Callable[..., Any]) -> Any:
        """As a decorator: nothing changes outside the function."""
        self._leave_outside()
        return super().__call__(function)

    def __enter__(self) -> None:
        self._leave_outside()
        super().__enter__()


def set_recording(value: bool) -> Callable[[], object]:
    """Switch recording on or off from now on: in the latest open block, if there is one, else in the task or
    thread. Returns a function that takes this back."""
    state, caller = of_context.get(), sys._getframe(2)
    head: AnyHead = of_context
    if inner := continued(caller, state or default):
        head = inner[-1]
    elif state is None and is_in_cell(caller):
        head = thread.of_thread
    before = replace(head, value)
    made = ref(head.get() or default)
    return lambda: replace(head, before) if (head.get() or default) is made() else None


def replace(head: AnyHead, value: bool | None) -> bool | None:
    """Switch recording on or off, and so replace what was set without a block before. Returns the earlier
    setting; None if there was none."""
    before, state = None, head.get()
    if state is not None and state.opener is None:
        before = state.changes.get("recording")
        head.set(state.outer)
    if value is not None and (head.get() is not None or current().recording is not value):
        push(head, None, {"recording": value})
    return before


def is_grad_enabled() -> bool:
    """Whether operations on Tensors are recorded here and now.

    >>> import autodiff as ad
    >>> with ad.no_grad():
    ...     ad.is_grad_enabled()
    False
    """
    return current().recording
