"""``scope``: names for parts of the graph, which pictures draw as boxes."""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any

from .node import Group
from .recording import open_blocks, thread


class scope(ContextDecorator):
    """Name a part of the graph: pictures draw a box around everything that is recorded in the block.

    A context manager and a decorator. Blocks may be nested, and each block is a box.

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

    def _recreate_cm(self) -> scope:
        """A new object for each call of a decorated function, which several threads may call."""
        name, is_backward, watch = self._about
        return scope(name, is_backward=is_backward, watch=watch)

    def __enter__(self) -> None:
        name, is_backward, watch = self._about
        open_blocks.append(self)
        switches = thread.switches
        switches.group = Group(name, switches.group, is_backward, watch)

    def __exit__(self, *exception: object) -> None:
        switches = thread.switches
        switches.group = switches.group and switches.group.parent
        open_blocks.pop()
