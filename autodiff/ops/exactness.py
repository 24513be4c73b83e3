"""exact: the word that switches faster and less accurate ways off."""

from __future__ import annotations

import threading
from contextlib import ContextDecorator


class Thread(threading.local):
    """Each thread counts the blocks that are open in it."""

    def __init__(self) -> None:
        self.blocks = 0


thread = Thread()


class exact(ContextDecorator):
    """Convolve without Winograd's shortcut in a ``with`` block or a decorated function: float32 pictures are
    then convolved with an error of about 5e-7 of the largest output in place of 2e-6, in twice the time.

    The gradients of what is convolved in the block are computed so too, wherever ``backward`` is called.
    Pictures in float64 are convolved without a shortcut anyway. Other threads go on as before.

    Example
    -------
    >>> import autodiff as ad
    >>> with ad.exact():
    ...     z = ad.conv2d(ad.Tensor([[[[1.0, 2.0]]]]), [[[[3.0]]]])
    >>> z
    [[[[3 6]]]]
    """

    def __enter__(self) -> None:
        thread.blocks += 1

    def __exit__(self, *exception: object) -> None:
        thread.blocks -= 1


def is_exact() -> bool:
    """Whether an ``exact`` block is open in this thread."""
    return thread.blocks > 0
