"""Where a leaf's large gradient waits, after ``zero_grad``, until the next one has arrived. It is here for
speed alone: a step on arrays of a million takes a fifth of the time.

When the last large array at the top of the heap is freed, C's ``free`` gives all that lies free below it back
to the system, and the next step gets it again page by page. A gradient lies near the top, since it is among
the last arrays of a step. While it waits there, the memory of the graph below it stays at hand. Nobody reads
what waits here or writes into it, so it may well be in somebody's hands.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .node import Extras

LARGE = 1 << 16  # bytes; glibc gives nothing back to the system when a smaller piece is freed


def keep(leaf: Any) -> None:
    """Let a leaf's gradient, which it is about to forget, wait until the next one has arrived."""
    grad = getattr(leaf._grad, "_value", leaf._grad)
    if isinstance(grad, np.ndarray) and grad.nbytes >= LARGE and grad.base is None and not leaf.creation_op:
        leaf._extras = leaf._extras or Extras()
        leaf._extras.kept = grad


def let_go(leaf: Any) -> None:
    """The next gradient has arrived, or nobody waits for one."""
    if leaf._extras is not None:
        leaf._extras.kept = None
