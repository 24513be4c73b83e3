"""Small parts of a node of the graph: marks in place of operands, its ``scope``, and its rare attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from . import locking


class Mark(Enum):
    """What an operand's slot holds in place of an operand. An Enum, so that copies keep its identity."""

    ABSENT = "there is no such operand"
    RELEASED = "backward(release=True) has dropped the operands"
    ARGUMENT = "a leaf that stands for an argument while a function is differentiated"
    PLAIN = "a leaf that has stood for an argument which requires no gradient (in the second slot)"
    UPDATED = "a leaf that an in-place operator has changed"


ABSENT: Any = Mark.ABSENT
RELEASED: Any = Mark.RELEASED
ARGUMENT: Any = Mark.ARGUMENT
PLAIN: Any = Mark.PLAIN
UPDATED: Any = Mark.UPDATED


class ScopeBlock:
    """One ``scope`` block, as the Tensors recorded in it refer to it: its name, and the block around it."""

    __slots__ = ("is_backward", "name", "parent", "watch")

    def __init__(
        self, name: str, parent: ScopeBlock | None, is_backward: bool = False, watch: Any = None
    ) -> None:
        self.name: str = name
        self.parent: ScopeBlock | None = parent
        self.is_backward: bool = is_backward  # not a box in a picture, but a recorded walk back
        self.watch: Any = watch or (parent and parent.watch)  # called for each new node and contribution


def blocks_around(block: ScopeBlock | None) -> Iterator[ScopeBlock]:
    """A ``scope`` block and the blocks around it, from the innermost; none for None."""
    while block is not None:
        yield block
        block = block.parent


class Extras:
    """The attributes that few nodes have: operands beyond two, options, a name, a scope, hooks, the line that
    made them, and kept memory. One slot for all of them keeps the other nodes small."""

    __slots__ = ("group", "hooks", "kept", "line", "name", "options", "rest")

    def __init__(
        self,
        rest: tuple[Any, ...] = (),
        options: dict[str, Any] | None = None,
        name: str | None = None,
        group: ScopeBlock | None = None,
    ) -> None:
        self.rest: tuple[Any, ...] = rest
        self.options: dict[str, Any] = options or {}
        self.name: str | None = name
        self.group: ScopeBlock | None = group
        self.hooks: tuple[Any, ...] = ()  # called with the gradient that arrives
        self.line: str | None = None  # where it was made, under detect_anomaly
        self.kept: Any = None  # see keeping.py

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        """The state for a copy: everything but the kept memory."""
        return None, {slot: getattr(self, slot) for slot in self.__slots__} | {"kept": None}


def extras_of(tensor: Any) -> Extras:
    """The extras of a Tensor, which are made if there are none."""
    with locking.shared:
        if tensor._extras is None:
            tensor._extras = Extras()
        found: Extras = tensor._extras
        return found


class Hook:
    """A function that is called with each gradient that arrives at a Tensor, until it is removed."""

    def __init__(self, extras: Extras, function: Callable[[Any], Any]) -> None:
        self._extras = extras
        self.function = function
        with locking.shared:
            extras.hooks += (self,)

    def remove(self) -> None:
        """Stop calling the function."""
        with locking.shared:
            self._extras.hooks = tuple(hook for hook in self._extras.hooks if hook is not self)
