"""``exact``: turns off algorithms that are faster but less accurate."""

from __future__ import annotations

from typing import Any

from ..engine.contexts import current
from ..engine.recording import DecoratingBlock


class exact(DecoratingBlock):
    """Convolve without Winograd's algorithm in a ``with`` block or a decorated function. For float32
    pictures, the error is then about 5e-7 of the largest output instead of 2e-6, and convolution takes twice
    the time.

    The gradients of convolutions in the block are computed the same way, wherever ``backward`` is called.
    float64 pictures are always convolved without Winograd's algorithm. Other threads are not affected.

    Example
    -------
    >>> import autodiff as ad
    >>> with ad.exact():
    ...     z = ad.conv2d(ad.Tensor([[[[1.0, 2.0]]]]), [[[[3.0]]]])
    >>> z
    [[[[3 6]]]]
    """

    def _changes(self) -> dict[str, Any]:
        return {"is_exact": True}


def is_exact() -> bool:
    """Whether an ``exact`` block is open here."""
    return current().is_exact
