"""Arguments and results as flat lists: the structure of nested lists, tuples and dicts, and their leaves."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..engine.tensor import Tensor
from .naming import Names


class Static:
    """A part of a structure that is compared by its value: a string, an int, None, a module.

    Two values are equal here if no function can tell them apart, see ``exactly``. Values without a hash are
    compared by identity.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Static) or type(self.value) is not type(other.value):
            return False
        if self.value is other.value:
            return True
        return is_hashable(self.value) and bool(exactly(self.value) == exactly(other.value))

    def __hash__(self) -> int:
        try:
            return hash(exactly(self.value))
        except TypeError:
            return id(self.value)

    def __repr__(self) -> str:
        return repr(self.value)


def exactly(value: Any) -> Any:
    """A value in a form in which 1, 1.0 and True differ, 0.0 and -0.0 too, also within tuples and sets. Two
    values nan are equal."""
    kind = type(value)
    if isinstance(value, tuple):
        return kind, *map(exactly, value)
    if isinstance(value, frozenset):
        return kind, frozenset(map(exactly, value))
    if kind in (float, complex):
        return kind, repr(value)
    return kind, value


def is_hashable(value: Any) -> bool:
    """Whether a value has a hash."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


LEAF = "leaf"
FEW = 8
"""The number of leaves up to which each is written out in generated source."""

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


def rebuilder(structure: Any, texts: Sequence[str] | None = None, **objects: Any) -> Callable[[Any], Any]:
    """``rebuild`` for one structure, as a function of the list of leaves that is generated for speed.

    ``texts`` is the source of each leaf, see ``result_text``; it may refer to ``objects`` by their names.
    """
    names = Names(("leaves",), objects)
    source = f"lambda leaves: {result_text(structure, texts, names.keep)}"
    made: Callable[[Any], Any] = eval(source, names.constants)
    return made


def result_text(structure: Any, texts: Sequence[str] | None, keep: Callable[[Any, str], str]) -> str:
    """The source of the tree of a structure, made from a sequence ``leaves``.

    ``texts`` is the source of each leaf, with ``{}`` for its value, such as ``"float({})"``. ``keep`` returns
    a name for an object.
    """
    return TreeWriter(texts, keep).text(structure)


class TreeWriter:
    """Writes the source of a tree, see ``result_text``."""

    def __init__(self, texts: Sequence[str] | None, keep: Callable[[Any, str], str]) -> None:
        self.texts, self.keep = texts, keep
        self.count = 0  # of the leaves so far

    def text(self, part: Any) -> str:
        """The source of a part of the tree."""
        if part is LEAF:
            return self.leaves(1)[0]
        if isinstance(part, Static):
            return self.keep(part.value, "kept")
        kind, *parts = part
        if kind in DICTS:
            keys = [self.keep(key.value, "kept") for key in parts[0]]
            items = ", ".join(f"{key}: {self.text(p)}" for key, p in zip(keys, parts[1:]))
            return f"{{{items}}}" if kind is dict else f"{self.keep(kind, 'kind')}({{{items}}})"
        are_leaves = all(p is LEAF for p in parts)
        texts = self.leaves(len(parts)) if are_leaves else [*map(self.text, parts)]
        inner = "".join(f"{p}, " for p in texts)
        if kind is list or kind is tuple:
            return f"[{inner}]" if kind is list else f"({inner})"
        return f"{self.keep(kind, 'kind')}{f'({inner})' if hasattr(kind, '_fields') else f'(({inner}))'}"

    def leaves(self, count: int) -> list[str]:
        """The source of the next leaves. Many that are returned alike are one comprehension."""
        places = range(self.count, self.count + count)
        self.count += count
        chosen = [self.texts[place] if self.texts else "{}" for place in places]
        if count > FEW and len(set(chosen)) == 1:
            return [f"*[{chosen[0].format('leaf')} for leaf in leaves[{places.start}:{places.stop}]]"]
        return [text.format(f"leaves[{place}]") for text, place in zip(chosen, places)]


def statics(structure: Any) -> Iterator[Any]:
    """The values in a structure that are no leaves."""
    if isinstance(structure, Static):
        yield structure.value
    elif isinstance(structure, tuple):
        for part in structure:
            yield from statics(part)
