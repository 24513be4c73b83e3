"""After ``zero_grad`` a leaf's large gradient is kept in memory until the next one has arrived.

This is for speed alone: a step on arrays of a million takes a fifth of the time. When the last large array at
the top of the heap is freed, C's ``free`` gives all the free memory below it back to the system, and the next
step gets it again page by page. A gradient lies near the top, since it is among the last arrays of a step.
While it stays there, the memory of the graph below it stays at hand. The kept array is never read or written,
so the user may still hold it too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .node import Extras

LARGE = 1 << 16  # bytes; glibc gives nothing back to the system when a smaller piece is freed


def keep(leaf: Any) -> None:
    """Keep the gradient that a leaf is about to forget, if it is large."""
    grad = getattr(leaf._grad, "_value", leaf._grad)
    if isinstance(grad, np.ndarray) and grad.nbytes >= LARGE and grad.base is None and not leaf.creation_op:
        leaf._extras = leaf._extras or Extras()
        leaf._extras.kept = grad


def let_go(leaf: Any) -> None:
    """Drop the kept array: the next gradient has arrived, or the user has set ``.grad``."""
    if leaf._extras is not None:
        leaf._extras.kept = None
