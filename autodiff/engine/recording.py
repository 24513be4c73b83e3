"""Whether operations are recorded: the switches that each thread has, and the blocks that set them."""

from __future__ import annotations

import inspect
import threading
from collections import deque
from collections.abc import Callable
from contextlib import ContextDecorator
from typing import Any

from .node import Group


class Switches:
    """The switches of one thread: a ``no_grad`` in one thread has no effect in the others."""

    __slots__ = ("group", "is_set", "made", "outer", "recording", "trace")

    def __init__(self) -> None:
        self.recording = True  # whether operations on Tensors are recorded
        self.outer: list[bool] = []  # ``recording`` outside each of the open blocks
        self.is_set = False  # whether this thread's ``set_grad_enabled`` counts as an open block
        self.group: Group | None = None  # the innermost open ``scope`` block
        self.trace: Any = None  # of the function that is being compiled, see ``tracing.py``
        self.made: list[Any] | None = None  # the leaves made by the function that is being differentiated


class PerThread(threading.local):
    """Gives each thread its own switches."""

    def __init__(self) -> None:
        self.switches = Switches()


thread = PerThread()
default_switches = Switches()

open_blocks: deque[object] = deque()
"""The open blocks that switch recording or open a scope, in all threads. (A deque, since threads may append
to it and pop from it without a lock.)"""

traces: deque[object] = deque()
"""The traces of the functions that are being compiled, in all threads."""


def current() -> Switches:
    """The switches of the current thread, for reading. As long as no block is open anywhere these are the
    default ones, since looking up a thread's own costs a tenth of an operation on numbers."""
    return thread.switches if open_blocks else default_switches


class grad_mode(ContextDecorator):
    """Switch recording on or off inside a ``with`` block or a decorated function."""

    def __init__(self, record: bool) -> None:
        self._record = record

    def __call__(self, function: Callable[..., Any]) -> Any:
        """As a decorator. Raises TypeError for what is not a function, or a generator function, whose body
        runs when the block has ended."""
        if not callable(function):
            raise TypeError(f"{type(self).__name__} decorates a function, not {function!r:.60}")
        if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
            raise TypeError(
                f"{type(self).__name__} cannot decorate {function.__name__}, whose body runs after the call "
                "has returned. Write a with block inside it"
            )
        return super().__call__(function)

    def _recreate_cm(self) -> grad_mode:
        """A new object for each call of a decorated function, which several threads may call."""
        return grad_mode(self._record)

    def __enter__(self) -> None:
        open_blocks.append(self)
        switches = thread.switches
        switches.outer.append(switches.recording)
        switches.recording = self._record

    def __exit__(self, *exception: object) -> None:
        switches = thread.switches
        switches.recording = switches.outer.pop()
        open_blocks.pop()


class no_grad(grad_mode):
    """Compute without recording: results have no creators and require no gradient.

    A context manager and a decorator, with parentheses or without. Inside it an in-place operator updates a
    leaf Tensor directly. Other threads go on recording.

    Example
    -------
    >>> import autodiff as ad
    >>> w = ad.Tensor(3)
    >>> with ad.no_grad():
    ...     y = w * w
    >>> y, y.requires_grad, y.creators
    (9, False, None)
    """

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        """``@no_grad`` without parentheses is given the function; then the result is a function too."""
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self) -> None:
        super().__init__(record=False)


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

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        """``@enable_grad`` without parentheses is given the function."""
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self) -> None:
        super().__init__(record=True)


class set_grad_enabled(grad_mode):
    """Switch recording on or off in this thread, from this call on.

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
        super().__init__(bool(mode))
        switches = thread.switches
        self._outside = switches.recording
        self._is_first = not switches.is_set  # a bare call may never end, so each thread is counted once
        if self._is_first:
            switches.is_set = True
            open_blocks.append(self)
        switches.recording = self._record

    def _take_back(self) -> None:
        """Leave everything as it was before the call."""
        thread.switches.recording = self._outside
        if self._is_first:
            self._is_first = thread.switches.is_set = False
            open_blocks.pop()

    def __call__(self, function: Callable[..., Any]) -> Any:
        """As a decorator: nothing changes outside the function."""
        self._take_back()
        return grad_mode(self._record)(function)

    def __enter__(self) -> None:
        self._take_back()
        super().__enter__()


def is_grad_enabled() -> bool:
    """Whether operations on Tensors are recorded now, in this thread.

    >>> import autodiff as ad
    >>> with ad.no_grad():
    ...     ad.is_grad_enabled()
    False
    """
    return current().recording
