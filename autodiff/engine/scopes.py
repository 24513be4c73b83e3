"""``scope``: names for parts of the graph, which pictures draw as boxes."""

from __future__ import annotations

from typing import Any

from .contexts import current, switched
from .node_parts import ScopeBlock
from .recording import DecoratingBlock


class scope(DecoratingBlock):
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

    def _changes(self) -> dict[str, Any]:
        name, is_backward, watch = self._about
        return {"group": ScopeBlock(name, current().group, is_backward, watch)}


def inner_scope(name: str, **changes: Any) -> switched:
    """A ``scope`` that a function of the package opens, with other changes of the switches."""
    return switched(group=ScopeBlock(name, current().group), **changes)


def backward_scope(**changes: Any) -> switched:
    """The scope of a recorded walk back, with other changes of the switches."""
    return switched(group=ScopeBlock("", current().group, is_backward=True), **changes)
