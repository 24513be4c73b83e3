"""Locks: what several threads share is read, changed and written back by one thread at a time."""

from __future__ import annotations

from threading import RLock
from typing import Any

shared = RLock()
"""Held for a moment while something that is shared is changed: a ``.grad`` to which a walk back adds, the
hooks of a Tensor, the edit clock, a running mean. No user code runs meanwhile. (It is reentrant, since
garbage collection may start a walk in the thread that holds it.)"""


class Lock:
    """The lock of one object; a copy or a pickle of the object has another one. Use ``with lock.held:``."""

    __slots__ = ("held",)

    def __init__(self) -> None:
        self.held = RLock()

    def __reduce__(self) -> Any:
        return Lock, ()
