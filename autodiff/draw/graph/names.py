"""The names that the caller gave to the nodes: read from its variables once, when draw is called.

A node's own `name` comes first, then a variable that holds it (`a`), then a place inside a variable (`net.b`,
`W[2]`, `W[0][2]`). Locals come before globals, and among equals the one that the scope lists first wins. A
loop variable gives way to an element: after `for w in W:` the last weight is `W[2]`, not `w`.
"""

from __future__ import annotations

import ast
import dis
import sys
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any

from . import as_text
from .walk import Walk

STAND_INS = ("v", "t", "node")  # before a number; the first that no name in the graph looks like
CAP = 1_000  # places looked at in one container
BUDGET = 100_000  # and in all: a scope may hold a list of a million rows
# What a notebook puts into its scope by itself.
NOT_THE_CALLERS = {"In", "Out", "exit", "quit", "get_ipython"}
COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
OPTIMIZED = 1  # the code flag of a function, whose names are not those of its module
# Reading a comprehension's variable that a function uses too ends the process (CPython's issue 128396).
CRASHES = (3, 13, 0) <= sys.version_info < (3, 13, 3)
FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)
SEQUENCES = (list, tuple)
NO_CONTAINERS = (*FUNCTIONS, types.ModuleType, type, str, bytes)
PACKAGE = Path(sys._getframe().f_code.co_filename).parents[2]


@dataclass(frozen=True)
class Scope:
    """What the caller's names stand for, and the code in which a loop may have bound them."""

    local: Mapping[str, object]
    common: Mapping[str, object]  # the globals that no local name hides
    local_code: Sequence[types.CodeType] = ()
    common_code: Sequence[types.CodeType] = ()
    cells: Sequence[str] = ()

    @cached_property
    def loop_variables(self) -> tuple[set[str], set[str]]:
        """The names that a `for` binds, among the locals and among the globals."""
        common = set().union(*map(_targets, self.common_code), *map(_targets_in_source, self.cells))
        return set().union(*map(_targets, self.local_code)), common

    def is_loop_variable(self, name: str) -> bool:
        """Whether a `for` binds this name."""
        local, common = self.loop_variables
        return name in (local if name in self.local else common)


class Names:
    """What the nodes of a walk are called: as `given` by id, and each of the others by a letter and its
    index, `v7`. The letter is one that no given name has before a number."""

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


def caller_scope() -> Scope:
    """The names in the first frame outside the package, then its globals.

    Outside is told by the file that code comes from: a doctest of this package, exec and a notebook's cell
    are outside it, whatever their `__name__` says.
    """
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
        frame = frame.f_back
    if frame is None:
        return Scope({}, {})
    local: dict[str, object] = {}
    local_code = []
    for inner in _with_surroundings(frame):
        local = {**_variables(inner), **local}
        local_code.append(inner.f_code)
    cells = frame.f_globals.get("In")
    return Scope(
        local={name: value for name, value in local.items() if _is_the_callers(name)},
        common={n: value for n, value in frame.f_globals.items() if n not in local and _is_the_callers(n)},
        local_code=local_code,
        common_code=list(_module_code(frame)),
        cells=[cell for cell in cells if isinstance(cell, str)] if isinstance(cells, list) else [],
    )


def find_names(nodes: Sequence[object], scope: Scope) -> dict[int, str]:
    """The names of those nodes that have one, by `id`. No two are equal: a second node named `w` is `w#2`."""
    names: dict[int, str] = {}
    taken: set[str] = set()
    for node in nodes:
        own = as_text.attribute(node, "name")
        if isinstance(own, str) and own.strip():
            names[id(node)] = _unused(as_text.one_line(own), taken)
            taken.add(names[id(node)])
    nameless = {id(node): node for node in nodes if id(node) not in names}
    variables: dict[int, list[str]] = {}
    places: dict[int, list[str]] = {}
    for name, value in chain(scope.local.items(), scope.common.items()):
        if id(value) in nameless:
            variables.setdefault(id(value), []).append(name)
    node_types = tuple({type(node) for node in nodes})  # a node is no container: `e.grad` names nothing
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


def _candidates(variables: Iterable[str], places: Sequence[str], scope: Scope) -> Iterator[str]:
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
        # isinstance would ask the object itself, and a proxy may answer with an error.
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
    """What an object stores, without running a property of its class."""
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
                except AttributeError:  # a slot that nothing was put into
                    continue


def _is_the_callers(name: str) -> bool:
    # A comprehension's frame holds a hidden name that no caller could write, `.0`.
    return name.isidentifier() and not name.startswith("_") and name not in NOT_THE_CALLERS


def _unused(name: str, taken: set[str]) -> str:
    count = 1
    unused = name
    while unused in taken:
        count += 1
        unused = f"{name}#{count}"
    return unused


def _with_surroundings(frame: types.FrameType) -> Iterator[types.FrameType]:
    """The frame and, where it is a comprehension's own (until Python 3.12), the one it stands in."""
    yield frame
    around = frame.f_back
    while frame.f_code.co_name in COMPREHENSIONS and around and frame.f_code in around.f_code.co_consts:
        yield around
        frame, around = around, around.f_back


def _variables(frame: types.FrameType) -> dict[str, object]:
    """A frame's own variables. Those that its comprehensions have bound come last, the innermost's at the
    end."""
    bound = list(_bound_by_comprehensions(frame))
    unreadable = {*frame.f_code.co_cellvars, *frame.f_code.co_freevars}.intersection(bound if CRASHES else ())
    local = frame.f_locals
    readable = {name: local[name] for name in local if name not in unreadable}
    # In a module the locals are the globals, except that a comprehension there may add names of its own.
    own = {name: value for name, value in readable.items() if frame.f_globals.get(name) is not value}
    innermost = {name: own.pop(name) for name in bound if name in own}
    return own | innermost


def _bound_by_comprehensions(frame: types.FrameType) -> Iterator[str]:
    """The names that the comprehensions now running in this frame have bound, the outermost first.

    From Python 3.12 on a comprehension has no frame of its own. The code around it puts aside what each of
    its names stood for (LOAD_FAST_AND_CLEAR); then comes its loop, which ends where FOR_ITER jumps to.
    """
    put_aside: list[str] = []
    for instruction in dis.get_instructions(frame.f_code):
        if instruction.offset > frame.f_lasti:
            return
        if instruction.opname == "LOAD_FAST_AND_CLEAR":
            put_aside.append(instruction.argval)
        elif instruction.opname == "FOR_ITER":
            if frame.f_lasti < instruction.argval:
                yield from put_aside
            put_aside = []


def _module_code(frame: types.FrameType) -> Iterator[types.CodeType]:
    """The code now running that binds the globals of this frame."""
    above: types.FrameType | None = frame
    while above is not None:
        if above.f_globals is frame.f_globals and not above.f_code.co_flags & OPTIMIZED:
            yield above.f_code
        above = above.f_back


def _targets(code: types.CodeType) -> set[str]:
    """The names that a `for` in this code binds: those stored to right after the loop's next item came."""
    targets: set[str] = set()
    is_target = False
    for instruction in dis.get_instructions(code):
        if instruction.opname == "FOR_ITER":
            is_target = True
        elif is_target and instruction.opname.startswith(("STORE_", "UNPACK_")):
            stored = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
            if instruction.opname == "STORE_FAST_LOAD_FAST":  # from Python 3.13 on, one instruction for two
                stored = stored[:1]
            targets.update(name for name in stored if isinstance(name, str))
        elif instruction.opname not in {"EXTENDED_ARG", "CACHE", "NOP"}:
            is_target = False
    return targets


def _targets_in_source(cell: str) -> set[str]:
    """The same for the text of an earlier notebook cell, whose code is gone."""
    try:
        tree = ast.parse(cell)
    except (SyntaxError, ValueError):
        return set()
    loops = [node.target for node in ast.walk(tree) if isinstance(node, (ast.For, ast.AsyncFor))]
    return {n.id for target in loops for n in ast.walk(target) if isinstance(n, ast.Name)}
