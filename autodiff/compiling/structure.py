"""Arguments and results as flat lists: nested lists, tuples and dicts, and what stands at their ends."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..engine.tensor import Tensor


class Static:
    """A part of a structure that is compared by its value: a string, an int, None, a module.

    Two values are the same if they have the same type and are equal; a value without a hash is the same as
    itself alone.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Static) or type(self.value) is not type(other.value):
            return False
        return self.value is other.value or (is_hashable(self.value) and bool(self.value == other.value))

    def __hash__(self) -> int:
        try:
            return hash((type(self.value), self.value))
        except TypeError:
            return id(self.value)

    def __repr__(self) -> str:
        return repr(self.value)


def is_hashable(value: Any) -> bool:
    """Whether a value has a hash, so that it can be compared by its value."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


LEAF = "leaf"
DICTS = (dict, OrderedDict)
MUTABLE = {
    set: (frozenset, set),
    bytearray: (bytes, bytearray),
    slice: (lambda part: (part.start, part.stop, part.step), lambda parts: slice(*parts)),
}
"""Plain values without a hash, with a form that has one, and the way back."""


def flatten(tree: Any, leaves: list[Any], names: list[str] | None = None, name: str = "") -> Any:
    """The structure of a tree, in a form that can be compared; its leaves, which are Tensors, arrays and
    floats, are added to a list, and a name for each to another."""
    kind = type(tree)
    if isinstance(tree, (Tensor, np.ndarray, np.generic)) or kind is float:
        leaves.append(tree)
        if names is not None:
            names.append(name)
        return LEAF
    if kind is list or isinstance(tree, tuple):
        join = "" if name and not name[-1].isdigit() else "_"
        fields = getattr(tree, "_fields", range(len(tree)))
        return (kind, *[flatten(p, leaves, names, f"{name}{join}{f}") for f, p in zip(fields, tree)])
    if kind in DICTS:
        inner = f"{name}_" if name else ""
        parts = [flatten(part, leaves, names, f"{inner}{key}") for key, part in tree.items()]
        return (kind, tuple(map(Static, tree)), *parts)
    if kind in MUTABLE:
        return (kind, Static(MUTABLE[kind][0](tree)))
    return Static(tree)


def rebuild(structure: Any, leaves: Iterator[Any]) -> Any:
    """The tree of a structure, with these leaves."""
    if structure is LEAF:
        return next(leaves)
    if isinstance(structure, Static):
        return structure.value
    kind, *parts = structure
    if kind in MUTABLE:
        return MUTABLE[kind][1](parts[0].value)
    if kind in DICTS:
        keys, *parts = parts
        return kind((key.value, rebuild(part, leaves)) for key, part in zip(keys, parts))
    values = [rebuild(part, leaves) for part in parts]
    return kind(*values) if hasattr(kind, "_fields") else kind(values)


def statics(structure: Any) -> Iterator[Any]:
    """The values in a structure that are compared."""
    if isinstance(structure, Static):
        yield structure.value
    elif isinstance(structure, tuple):
        for part in structure:
            yield from statics(part)
