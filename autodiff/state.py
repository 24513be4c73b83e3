"""The two things that every part of the engine shares: is recording switched on, and the edit clock.

Both are plain module attributes, so that reading them costs next to nothing. They are meant for one thread: a
``no_grad`` in one thread is seen by all.
"""

from __future__ import annotations

from contextlib import ContextDecorator

recording = True
"""Whether an operation on Tensors writes down what it did."""

edits = 0
"""How often the data of any Tensor was changed through the package. A Tensor keeps the count of the moment it
was recorded or changed; a creator with a later count than what was made from it was changed since."""


def next_edit() -> int:
    """Count one more change, and return the new count."""
    global edits
    edits += 1
    return edits


class grad_mode(ContextDecorator):
    """Switch recording on or off inside a ``with`` block or a decorated function."""

    def __init__(self, record: bool) -> None:
        self._record = record
        self._before: list[bool] = []  # a stack, since a decorated function may call itself

    def __enter__(self) -> None:
        global recording
        self._before.append(recording)
        recording = self._record

    def __exit__(self, *exception: object) -> None:
        global recording
        recording = self._before.pop()


class no_grad(grad_mode):
    """Compute without recording: results have no creators and want no gradient.

    A context manager and a decorator. Inside it an in-place operator updates a leaf Tensor directly.

    Example
    -------
    >>> import autodiff as ad
    >>> w = ad.Tensor(3)
    >>> with ad.no_grad():
    ...     y = w * w
    >>> y, y.requires_grad, y.creators
    (9, False, None)
    """

    def __init__(self) -> None:
        super().__init__(False)


class enable_grad(grad_mode):
    """Record again inside a ``no_grad`` block.

    Example
    -------
    >>> import autodiff as ad
    >>> w = ad.Tensor(3)
    >>> with ad.no_grad(), ad.enable_grad():
    ...     y = w * w
    >>> y.creators
    (3, 3)
    """

    def __init__(self) -> None:
        super().__init__(True)


