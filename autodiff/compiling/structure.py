"""Arguments and results as flat lists: nested lists, tuples and dicts, and what stands at their ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..engine.tensor import Tensor


class Static:
    """A part of a structure that is compared by its value: a string, an int, None, a module."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Static) or type(self.value) is not type(other.value):
            return False
        try:
            return bool(self.value is other.value or self.value == other.value)
        except (TypeError, ValueError):
            return False

    def __hash__(self) -> int:
        try:
            return hash((type(self.value), self.value))
        except TypeError:  # a value that has no hash is compared by identity
            return id(self.value)

    def __repr__(self) -> str:
        return repr(self.value)


LEAF = "leaf"


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
    if kind is dict:
        inner = f"{name}_" if name else ""
        parts = [flatten(part, leaves, names, f"{inner}{key}") for key, part in tree.items()]
        return (dict, tuple(map(Static, tree)), *parts)
    return Static(tree)


def add_kinds(trees: Any, leaves: list[Any], values: list[Any], key: list[Any]) -> None:
    """Add the leaves of trees to a list, their data to another, and to a third what a program depends on: the
    structure, of a Tensor whether it requires a gradient, of arrays shape and dtype, anything else as it is.

    ``key`` says as much as ``flatten``, and what it says of one tree is never the beginning of what it says
    of another.
    """
    for tree in trees:
        kind = type(tree)
        if kind is Tensor or isinstance(tree, Tensor):
            value = tree._value
            leaves.append(tree)
            values.append(value)
            if type(value) is float:
                key += Tensor, tree._requires_grad
            else:
                key += tree._requires_grad, value.shape, value.dtype
        elif kind is float or isinstance(tree, (np.ndarray, np.generic)):
            leaves.append(tree)
            values.append(tree)
            key += (kind,) if kind is float else (np.ndarray, tree.shape, tree.dtype)
        elif kind is list or isinstance(tree, tuple):
            key += kind, len(tree)
            add_kinds(tree, leaves, values, key)
        elif kind is dict:
            key += dict, tuple(map(Static, tree))
            add_kinds(tree.values(), leaves, values, key)
        else:
            key.append(Static(tree))


def rebuild(structure: Any, leaves: Iterator[Any]) -> Any:
    """The tree of a structure, with these leaves."""
    if structure is LEAF:
        return next(leaves)
    if isinstance(structure, Static):
        return structure.value
    kind, *parts = structure
    if kind is dict:
        keys, *parts = parts
        return {key.value: rebuild(part, leaves) for key, part in zip(keys, parts)}
    values = [rebuild(part, leaves) for part in parts]
    return kind(*values) if hasattr(kind, "_fields") else kind(values)


def rebuilder(structure: Any, texts: Sequence[str], names: dict[str, Any]) -> Callable[[Any], Any]:
    """A function of ``values`` that returns the tree of a structure: ``rebuild`` written out.

    Each leaf is given as text, in terms of ``values`` and of the objects in ``names``.
    """
    names = dict(names)
    remaining = iter(texts)

    def keep(value: Any) -> str:
        names[f"kept{len(names)}"] = value
        return f"kept{len(names) - 1}"

    def text(part: Any) -> str:
        if part is LEAF:
            return next(remaining)
        if isinstance(part, Static):
            return keep(part.value)
        kind, *parts = part
        if kind is dict:
            keys, *parts = parts
            return f"{{{''.join(f'{keep(key.value)}: {text(p)}, ' for key, p in zip(keys, parts))}}}"
        inner = "".join(f"{text(p)}, " for p in parts)
        if kind is list:
            return f"[{inner}]"
        if kind is tuple:
            return f"({inner})"
        return f"{keep(kind)}({inner})" if hasattr(kind, "_fields") else f"{keep(kind)}(({inner}))"

    made: Callable[[Any], Any] = eval(f"lambda values: {text(structure)}", names)
    return made
