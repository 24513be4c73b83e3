"""The edit clock: every change of a Tensor's data that is made through the package gets the next number.

A Tensor keeps the number of the latest change at the moment when it was recorded or changed. A creator with a
later number than the Tensor that was made from it has been changed since.
"""

from __future__ import annotations

from . import locking

latest = 0
"""The number of the latest change, to any Tensor. Read it as ``edits.latest``: every change replaces it."""


def new() -> int:
    """Count one more change, and return its number."""
    global latest
    with locking.shared:
        latest += 1
        return latest


def reach(number: int) -> None:
    """Give all later changes a higher number than this one, which comes from another program."""
    global latest
    with locking.shared:
        latest = max(latest, number)
