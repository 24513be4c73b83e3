"""The small parts of a node of the graph: the marks that may stand in an operand's slot, the ``scope`` block
it was recorded in, and what only few nodes have."""

from __future__ import annotations

from enum import Enum
from typing import Any


class Mark(Enum):
    """What stands in an operand's slot when no operand does. An Enum, so that copies keep its identity."""

    ABSENT = "there is no such operand"
    RELEASED = "backward(release=True) has dropped the operands"
    ARGUMENT = "a leaf that stands for an argument while a function is differentiated"
    UPDATED = "a leaf that an in-place operator has changed"


ABSENT: Any = Mark.ABSENT
RELEASED: Any = Mark.RELEASED
ARGUMENT: Any = Mark.ARGUMENT
UPDATED: Any = Mark.UPDATED


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


class Extras:
    """What few nodes have: operands beyond two, options, a name, a scope, hooks, the line they were made in,
    memory that is kept. One slot for all of them keeps the other nodes small."""

    __slots__ = ("group", "hooks", "kept", "line", "name", "options", "rest")

    def __init__(
        self,
        rest: tuple[Any, ...] = (),
        options: dict[str, Any] | None = None,
        name: str | None = None,
        group: Group | None = None,
    ) -> None:
        self.rest = rest
        self.options = options or {}
        self.name = name
        self.group = group
        self.hooks: tuple[Any, ...] = ()  # called with the gradient that passes by
        self.line: str | None = None  # where it was made, under detect_anomaly
        self.kept: Any = None  # see keeping.py

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        """What a copy takes over: all but the memory that waits."""
        return None, {slot: getattr(self, slot) for slot in self.__slots__} | {"kept": None}
