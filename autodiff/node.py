"""The marks that may stand in the place of an operand, and what few nodes have."""

from __future__ import annotations

from enum import Enum
from typing import Any

from . import state


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


class Extras:
    """What few nodes have: operands beyond two, options, a name, a scope, hooks, the line they were made in,
    memory that is kept. One slot for all of them keeps the other nodes small."""

    __slots__ = ("group", "hooks", "kept", "line", "name", "options", "rest")

    def __init__(
        self,
        rest: tuple[Any, ...] = (),
        options: dict[str, Any] | None = None,
        name: str | None = None,
        group: state.Group | None = None,
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
