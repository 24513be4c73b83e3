"""Copying and pickling of Tensors with the graph behind them, without recursion.

``copy`` and ``pickle`` follow a Tensor to its creators, from there to theirs, and so on, and a chain of a few
hundred operations is too deep for Python. So the whole graph is listed first. A deep copy makes all its
Tensors empty and then fills them. In a pickle, a small object stands for each Tensor, so that none is reached
through another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy, deepcopy
from typing import Any
from weakref import WeakValueDictionary

from . import edits, leaving
from .node_parts import ARGUMENT, Extras
from .tracing import stand_in


class Copying:
    """What ``copy.copy``, ``copy.deepcopy`` and ``pickle`` do with a Tensor."""

    __slots__ = ()

    def __copy__(self) -> Any:
        check_no_argument([self])
        parts = slots_of(stand_in(self))
        return filled(blank(type(self)), parts | {"_extras": copy(parts["_extras"])})

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        own = stand_in(self)
        nodes = [node for node in graph_of(own) if id(node) not in memo]
        check_no_argument(nodes)
        memo |= {id(node): blank(type(node)) for node in nodes}
        for node in nodes:
            filled(memo[id(node)], {name: deepcopy(part, memo) for name, part in slots_of(node).items()})
        return memo[id(own)]

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        nodes = graph_of(self)
        check_no_argument(nodes)
        return restored, ([reference(node) for node in nodes], [referring(node) for node in nodes])


def check_no_argument(nodes: list[Any]) -> None:
    """Raise TypeError for a copy of an argument of a function that is being differentiated, since no gradient
    arrives there."""
    if any(node._x is ARGUMENT for node in nodes) and leaving.is_lost():
        raise TypeError(
            "a copy of an argument of the function that is being differentiated would lose its gradient. "
            "Write t.clone(), which is recorded, or t.detach() if a constant is meant"
        )


class Reference:
    """Stands for a Tensor in a pickle. Loading makes it a Tensor, empty until its contents are filled in."""

    __slots__ = ("__weakref__", "tensor")

    def __init__(self, tensor: Copying) -> None:
        self.tensor = tensor

    def __reduce__(self) -> tuple[Any, ...]:
        return blank, (type(self.tensor),)


live_references: WeakValueDictionary[int, Reference] = WeakValueDictionary()
"""The references that picklers hold, by the addresses of the Tensors. Each Tensor has one, so a Tensor that
is reached along several paths is a single Tensor after loading too."""


def reference(tensor: Copying) -> Reference:
    """The one reference to a Tensor."""
    found = live_references.get(id(tensor))
    if found is None:
        found = live_references[id(tensor)] = Reference(tensor)
    return found


def referring(tensor: Copying) -> dict[str, Any]:
    """A Tensor's contents, with a reference in place of each Tensor."""
    return {name: exchanged(part, reference) for name, part in slots_of(tensor).items()}


def exchanged(part: Any, exchange: Callable[[Any], Any]) -> Any:
    """The value of a slot, with every Tensor in it exchanged."""
    if isinstance(part, Copying):
        return exchange(part)
    if isinstance(part, Extras) and any(isinstance(operand, Copying) for operand in part.rest):
        part = copy(part)
        part.rest = tuple(exchanged(operand, exchange) for operand in part.rest)
    return part


def graph_of(tensor: Copying) -> list[Copying]:
    """A Tensor, everything it was made from, and their gradients."""
    found, stack = {id(tensor): tensor}, [tensor]
    while stack:
        for part in tensors_in(stack.pop()):
            if id(part) not in found:
                found[id(part)] = part
                stack.append(part)
    return list(found.values())


def tensors_in(tensor: Any) -> Iterator[Copying]:
    """The Tensors in the slots of a Tensor."""
    rest = () if tensor._extras is None else tensor._extras.rest
    for part in (tensor._x, tensor._y, tensor._grad, *rest):
        if isinstance(part, Copying):
            yield part


def blank(kind: Any) -> Any:
    """An empty Tensor of a class."""
    return kind.__new__(kind)


def slots_of(tensor: Copying) -> dict[str, Any]:
    """All attributes of a Tensor, with those that a subclass adds."""
    found = object.__getstate__(tensor)  # type: ignore[attr-defined, unused-ignore]
    parts = found if isinstance(found, tuple) else (found,)
    return {name: value for part in parts if part for name, value in part.items()}


def filled(tensor: Any, parts: dict[str, Any]) -> Any:
    """An empty Tensor, filled with its contents."""
    for name, value in parts.items():
        object.__setattr__(tensor, name, value)
    return tensor


def restored(tensors: list[Any], parts: list[dict[str, Any]]) -> Any:
    """The pickled Tensor, which is the first of ``tensors``."""
    for tensor, slots in zip(tensors, parts):
        filled(tensor, slots)
        # Each program counts changes from its start, so a change in another program must not look later than
        # now.
        edits.reach(tensor._edit)
    return tensors[0]
