"""Silencing of NumPy's floating-point warnings: 1/0 gives inf and log(0) gives -inf, without a warning."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


class Thread(threading.local):
    """Gives each thread its own silence."""

    def __init__(self) -> None:
        self.quiet = False  # whether the warnings are silenced already, as during a walk back
        self.silent = contextvars.copy_context()  # the context in which they are silenced
        self.silent.run(np.seterr, all="ignore")


thread = Thread()


@contextmanager
def silence() -> Iterator[None]:
    """Silence NumPy's floating-point warnings in a block; for a single call see ``silently``."""
    before = thread.quiet
    with np.errstate(all="ignore"):
        thread.quiet = True
        try:
            yield
        finally:
            thread.quiet = before


def silently(function: Callable[..., Any], *values: Any, **options: Any) -> Any:
    """Call a function with NumPy's floating-point warnings silenced. ``np.errstate`` does the same but takes
    twenty times as long, a microsecond, which is as long as a small operation."""
    if thread.quiet:
        return function(*values, **options)
    thread.quiet = True
    try:
        return thread.silent.run(function, *values, **options)
    finally:
        thread.quiet = False
