"""Deferring Ctrl-C to a safe point. Python raises KeyboardInterrupt wherever the program happens to be, for
example in the middle of an optimizer's step, or while ``no_grad`` is being left, which would then stay on."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

pending = False
"""Whether Ctrl-C was pressed and KeyboardInterrupt has not been raised yet."""


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Defer Ctrl-C in the block to the next :func:`raise_pending`, or to the end of the block. A second
    Ctrl-C is raised at once.

    This works in the main thread and with Python's default handler of Ctrl-C. A handler that the program has
    installed stays in force.

    >>> try:
    ...     with defer_interrupts():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("deferred")
    ...         raise_pending()
    ...         print("not reached")
    ... except KeyboardInterrupt:
    ...     print("interrupted")
    deferred
    interrupted
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, remember_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        raise_pending()


def remember_interrupt(*about: object) -> None:
    """The signal handler: raise KeyboardInterrupt if one is pending already, else make it pending."""
    global pending
    raise_pending()
    pending = True


def raise_pending() -> None:
    """Raise the pending KeyboardInterrupt, if there is one."""
    global pending
    if pending:
        pending = False
        raise KeyboardInterrupt


def pop_pending() -> bool:
    """Whether a KeyboardInterrupt is pending; it is then discarded."""
    global pending
    pressed, pending = pending, False
    return pressed
