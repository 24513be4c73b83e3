"""Memory: after ``zero_grad``, a leaf keeps its large gradient until the next one has arrived.

This serves speed alone: a step on arrays of a million elements takes a fifth of the time. When the last large
array at the top of the heap is freed, C's ``free`` returns all free memory below it to the system, and the
next step has to get it back page by page. A gradient lies near the top, since it is among the last arrays of
a step. While it stays, so does the memory of the graph below it. The kept array is never read or written, so
the user may hold it too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .node_parts import extras_of

LARGE = 1 << 16  # bytes; glibc gives nothing back to the system when a smaller piece is freed


def keep(leaf: Any) -> None:
    """Keep the array of a leaf's gradient, if it is large, before the leaf forgets it."""
    grad = getattr(leaf._grad, "_value", leaf._grad)
    if isinstance(grad, np.ndarray) and grad.nbytes >= LARGE and grad.base is None and not leaf.creation_op:
        extras_of(leaf).kept = grad


def let_go(tensor: Any) -> None:
    """Drop the kept array, since the next gradient has arrived or the user has set ``.grad``."""
    if tensor._extras is not None:
        tensor._extras.kept = None
