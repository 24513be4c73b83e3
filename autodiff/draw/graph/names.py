"""What the nodes are called: by the caller's variables, and the others by number.

A node's own `name` comes first, then a variable that holds it (`a`), then a place inside a variable (`net.b`,
`W[2]`, `W[0][2]`). In each of these groups locals come before globals, and among equals the one that the
scope lists first wins. A loop variable gives way to an element: after `for w in W:` the last weight is
`W[2]`, not `w`.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from . import as_text
from .caller import Scope
from .walk import Walk

STAND_INS = ("v", "t", "node")  # before a number; the first that resembles no name in the graph
CAP = 1_000  # places looked at in one container
BUDGET = 100_000  # and in all: a scope may hold a list of a million rows
FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)
SEQUENCES = (list, tuple)
NO_CONTAINERS = (*FUNCTIONS, types.ModuleType, type, str, bytes)


class Names:
    """What the nodes of a walk are called. Some names are given, by id; every other node has a stand-in of a
    letter and its index, `v7`, with a letter that no given name has before a number."""

    def __init__(self, walk: Walk, given: Mapping[int, str]) -> None:
        self.walk = walk
        self.given = given
        self.stand_in = next((prefix for prefix in STAND_INS if self._is_free(prefix)), "unnamed")

    def __getitem__(self, i: int) -> str:
        return self.given.get(id(self.walk.order[i])) or f"{self.stand_in}{i}"

    def is_given(self, i: int) -> bool:
        """Whether the caller has a name for the node at this index."""
        return id(self.walk.order[i]) in self.given

    def _is_free(self, prefix: str) -> bool:
        names = self.given.values()
        return not any(name.startswith(prefix) and name[len(prefix) :].isdigit() for name in names)


def find_names(nodes: Sequence[object], scope: Scope) -> dict[int, str]:
    """The names of those nodes that have one, by `id`. No two are equal: a second node named `w` is `w#2`."""
    names: dict[int, str] = {}
    taken: set[str] = set()
    for node in nodes:
        own = as_text.attribute(node, "name")
        if isinstance(own, str) and own.strip() and not _is_automatic(node):
            names[id(node)] = _unused(as_text.one_line(own), taken)
            taken.add(names[id(node)])
    nameless = {id(node): node for node in nodes if id(node) not in names}
    variables: dict[int, list[str]] = {}
    places: dict[int, list[str]] = {}
    for name, value in chain(scope.local.items(), scope.common.items()):
        if id(value) in nameless:
            variables.setdefault(id(value), []).append(name)
    node_types = tuple({type(node) for node in nodes})  # not looked into: `e.grad` is no name for a node
    for place, value in islice(_places(chain(scope.local.items(), scope.common.items()), node_types), BUDGET):
        if id(value) in nameless:
            places.setdefault(id(value), []).append(place)
    for key in nameless:
        for name in _candidates(variables.get(key, []), places.get(key, []), scope):
            if name not in taken:
                names[key] = name
                taken.add(name)
                break
    return names


def _is_automatic(node: object) -> bool:
    """Whether a static graph has named the node, which the caller did not."""
    return as_text.attribute(node, "is_named") is False


def _candidates(variables: Iterable[str], places: Sequence[str], scope: Scope) -> Iterator[str]:
    """The names that one node may have, best first."""
    is_element = any(place.endswith("]") for place in places)
    late = []
    for name in variables:
        if is_element and scope.is_loop_variable(name):
            late.append(name)
        else:
            yield name
    yield from places
    yield from late


def _places(
    variables: Iterable[tuple[str, Any]], no_containers: tuple[type, ...]
) -> Iterator[tuple[str, object]]:
    """Each attribute and element of the variables' values, one level deep, two for lists in lists."""
    for name, value in variables:
        # Not isinstance, which looks at the object's own __class__: that of a proxy may raise an error.
        if _is_a(value, (*NO_CONTAINERS, *no_containers)):
            continue
        if _is_a(value, SEQUENCES):
            for i, item in enumerate(islice(value, CAP)):
                yield f"{name}[{i}]", item
                if _is_a(item, SEQUENCES):
                    for j, inner in enumerate(islice(item, CAP)):
                        yield f"{name}[{i}][{j}]", inner
        elif _is_a(value, (dict,)):
            for key, item in islice(value.items(), CAP):
                if isinstance(key, (str, int)):
                    yield f"{name}[{key!r}]", item
        else:
            for attribute, item in islice(_attributes(value), CAP):
                if not attribute.startswith("_"):
                    yield f"{name}.{attribute}", item


def _is_a(thing: object, kinds: tuple[type, ...]) -> bool:
    return issubclass(type(thing), kinds)


def _attributes(thing: object) -> Iterator[tuple[str, object]]:
    """The attributes that an object stores; no property of its class is run."""
    try:
        stored = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        stored = {}
    if isinstance(stored, dict):
        yield from stored.items()
    for kind in type(thing).__mro__:
        for name, slot in vars(kind).items():
            if isinstance(slot, types.MemberDescriptorType) and kind.__module__ != "builtins":
                try:
                    yield name, slot.__get__(thing)
                except AttributeError:  # an empty slot
                    continue


def _unused(name: str, taken: set[str]) -> str:
    count = 1
    unused = name
    while unused in taken:
        count += 1
        unused = f"{name}#{count}"
    return unused
