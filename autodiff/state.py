"""The switches that every part of the engine shares: recording, the edit clock, scopes, silence.

They are plain module attributes, so that reading them costs next to nothing. They are meant for one thread: a
``no_grad`` in one thread is seen by all.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterator
from contextlib import ContextDecorator, contextmanager
from typing import Any

import numpy as np

recording = True
"""Whether an operation on Tensors writes down what it did."""

quiet = False
"""Whether NumPy's floating-point warnings are silenced as a whole, as they are during a walk back."""

edits = 0
"""How often the data of any Tensor was changed through the package. A Tensor keeps the count of the moment it
was recorded or changed; a creator with a later count than what was made from it was changed since."""


generator: Any = None
"""Where the package's random numbers come from when nobody gives a generator; made when first asked for, by
``seeding.generator``, since NumPy's random numbers take a tenth of NumPy's own time to import."""

group: Group | None = None
"""The innermost ``scope`` block that is open; what is recorded in it belongs to it."""


class Group:
    """One ``scope`` block as recorded Tensors refer to it: its name, and the block around it."""

    __slots__ = ("is_backward", "name", "parent", "watch")

    def __init__(
        self, name: str, parent: Group | None, is_backward: bool = False, watch: Any = None
    ) -> None:
        self.name = name
        self.parent = parent
        self.is_backward = is_backward  # not a box in a picture, but what a recorded walk back made
        self.watch: Any = watch or (parent and parent.watch)  # told of every node made and share passed on


def next_edit() -> int:
    """Count one more change, and return the new count."""
    global edits
    edits += 1
    return edits


@contextmanager
def silence() -> Iterator[None]:
    """Silence NumPy's floating-point warnings in a block; for a single call see ``silently``."""
    global quiet
    before = quiet
    with np.errstate(all="ignore"):
        quiet = True
        try:
            yield
        finally:
            quiet = before


silent = contextvars.copy_context()
silent.run(np.seterr, all="ignore")


def silently(function: Callable[..., Any], *values: Any, **options: Any) -> Any:
    """Call a function with NumPy's floating-point warnings silenced. ``np.errstate`` does the same in twenty
    times the time, a microsecond, which is as long as a small operation takes."""
    global quiet
    if quiet:
        return function(*values, **options)
    quiet = True
    try:
        return silent.run(function, *values, **options)
    finally:
        quiet = False


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




class scope(ContextDecorator):
    """Name a part of the graph: pictures draw a box around what is recorded in the block.

    A context manager and a decorator; blocks may lie in each other, and each block is a box of its own.

    Example
    -------
    >>> import autodiff as ad
    >>> with ad.scope("layer 1"):
    ...     h = ad.Tensor(2) * 3
    >>> h.scope
    ('layer 1',)
    """

    def __init__(self, name: str, *, is_backward: bool = False, watch: Any = None) -> None:
        self._about = str(name), is_backward, watch
        self._before: list[Group | None] = []  # a stack, since a decorated function may call itself

    def __enter__(self) -> None:
        global group
        name, is_backward, watch = self._about
        self._before.append(group)
        group = Group(name, group, is_backward, watch)

    def __exit__(self, *exception: object) -> None:
        global group
        group = self._before.pop()
