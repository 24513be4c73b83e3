"""Ctrl-C at a time that suits. Python raises KeyboardInterrupt wherever the program happens to be: in the
middle of an optimizer's step, say, or where ``no_grad`` is just being left and so would stay on."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

waiting = False
"""Whether Ctrl-C was pressed, and nobody has heard of it yet."""


@contextmanager
def held_back() -> Iterator[None]:
    """In the block Ctrl-C waits for the next :func:`let_through`, or for the end; pressed again, it comes at
    once.

    That holds where Ctrl-C does what it does by itself. A program that handles it in its own way is left
    alone, and so are threads, which Ctrl-C never reaches.

    >>> try:
    ...     with held_back():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("still here")
    ...         let_through()
    ...         print("and no more")
    ... except KeyboardInterrupt:
    ...     print("here it is")
    still here
    here it is
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        let_through()


def note(*about: object) -> None:
    """Remember that Ctrl-C was pressed; raise KeyboardInterrupt if that had been remembered already."""
    global waiting
    let_through()
    waiting = True


def let_through() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed."""
    global waiting
    if waiting:
        waiting = False
        raise KeyboardInterrupt


def taken() -> bool:
    """Whether Ctrl-C was pressed; it is forgotten then."""
    global waiting
    pressed, waiting = waiting, False
    return pressed
