"""Arguments and results as flat lists: the structure of nested lists, tuples and dicts, and their leaves."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..engine.tensor import Tensor


class Static:
    """A part of a structure that is compared by its value: a string, an int, None, a module.

    Two values are equal here if they have the same type and are equal. Values without a hash are compared by
    identity.
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
    """Whether a value has a hash."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


LEAF = "leaf"
DICTS = (dict, OrderedDict)
MUTABLE: dict[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    set: (frozenset, set),
    bytearray: (bytes, bytearray),
    slice: (lambda part: (part.start, part.stop, part.step), lambda parts: slice(*parts)),
}
"""Types of plain values without a hash: for each the function to a hashable form, and the function back."""


def flatten(tree: Any, leaves: list[Any], names: list[str] | None = None, name: str = "") -> Any:
    """The structure of a tree, in a form that can be compared. Its leaves (Tensors, arrays and floats) are
    added to ``leaves``, and a name for each of them to ``names``."""
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


def add_kinds(trees: Iterable[Any], leaves: list[Any], key: list[Any]) -> None:
    """Add the leaves of trees to ``leaves``, and everything that a program depends on to ``key``: the
    structure of the trees, the shapes and dtypes of Tensors and arrays, whether a Tensor requires a gradient,
    and all other values.

    ``key`` distinguishes all trees that ``flatten`` distinguishes. The entries of one tree are never the
    beginning of those of another, so the entries of several trees can follow each other.
    """
    for tree in trees:
        kind = type(tree)
        if kind is Tensor or isinstance(tree, Tensor):
            leaves.append(tree)
            value = tree._value
            if type(value) is float:
                key += Tensor, tree._requires_grad
            else:
                key += tree._requires_grad, value.shape or type(value), value.dtype
        elif kind is float:
            leaves.append(tree)
            key.append(float)
        elif isinstance(tree, (np.ndarray, np.generic)):
            leaves.append(tree)
            key += np.ndarray, tree.shape or kind, tree.dtype
        elif kind is list or isinstance(tree, tuple):
            key += kind, len(tree)
            add_kinds(tree, leaves, key)
        elif kind in DICTS:
            key += kind, tuple(map(Static, tree))
            add_kinds(tree.values(), leaves, key)
        elif kind in MUTABLE:
            key += kind, Static(MUTABLE[kind][0](tree))
        else:
            key.append(Static(tree))


def kinds_of(trees: Iterable[Any]) -> list[Any]:
    """The entries of ``add_kinds`` for some values: everything that a program depends on in them."""
    key: list[Any] = []
    add_kinds(trees, [], key)
    return key


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


def rebuilder(structure: Any, texts: Iterable[str] | None = None, **objects: Any) -> Callable[[Any], Any]:
    """``rebuild`` for one structure, as a function of the list of leaves that is generated for speed.

    ``texts`` gives the source of each leaf, such as ``"float(leaves[0])"``; it may refer to ``objects`` by
    their names.
    """
    names = dict(objects)
    remaining = iter(texts or (f"leaves[{place}]" for place in itertools.count()))

    def keep(value: Any) -> str:
        names[f"kept{len(names)}"] = value
        return f"kept{len(names) - 1}"

    def text(part: Any) -> str:
        if part is LEAF:
            return next(remaining)
        if isinstance(part, Static):
            return keep(part.value)
        kind, *parts = part
        if kind in DICTS:
            keys, *parts = parts
            items = f"{{{''.join(f'{keep(key.value)}: {text(p)}, ' for key, p in zip(keys, parts))}}}"
            return items if kind is dict else f"{keep(kind)}({items})"
        inner = "".join(f"{text(p)}, " for p in parts)
        if kind is list:
            return f"[{inner}]"
        if kind is tuple:
            return f"({inner})"
        return f"{keep(kind)}({inner})" if hasattr(kind, "_fields") else f"{keep(kind)}(({inner}))"

    made: Callable[[Any], Any] = eval(f"lambda leaves: {text(structure)}", names)
    return made


def statics(structure: Any) -> Iterator[Any]:
    """The values in a structure that are no leaves."""
    if isinstance(structure, Static):
        yield structure.value
    elif isinstance(structure, tuple):
        for part in structure:
            yield from statics(part)
