"""How much memory is held."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any


def held_by_steps(step: Callable[[Any], Any], w: Any, steps: int = 300) -> tuple[Any, int]:
    """The result of so many steps from ``step(step(w))``, and how many bytes more are held after them."""
    w = step(step(w))
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(steps):
        w = step(w)
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return w, after - before
