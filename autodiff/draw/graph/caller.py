"""The variables of whoever called `draw`: what they stand for, and which of them a loop has bound."""

from __future__ import annotations

import ast
import dis
import inspect
import types
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...engine.frames import frame_outside, variables_of

NOT_THE_CALLERS = {
    "In",
    "Out",
    "exit",
    "quit",
    "get_ipython",
}  # what a notebook puts into its scope by itself
COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
OPTIMIZED = 1  # the code flag of a function, whose names are not those of its module


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


def caller_scope() -> Scope:
    """The names in the first frame outside the package, then its globals."""
    frame = frame_outside()
    if frame is None:
        return Scope({}, {})
    local: dict[str, object] = {}
    local_code = []
    for inner in _with_surroundings(frame):
        local = {**_variables(inner), **local}
        local_code.append(inner.f_code)
    cells = frame.f_globals.get("In")
    return Scope(
        local=_of_the_caller(local),
        common=_of_the_caller(frame.f_globals, hidden=local),
        local_code=local_code,
        common_code=list(_module_code(frame)),
        cells=[cell for cell in cells if isinstance(cell, str)] if isinstance(cells, list) else [],
    )


def _of_the_caller(names: Mapping[str, object], hidden: Collection[str] = ()) -> dict[str, object]:
    """The names that the caller may have given, except for those that others hide."""
    # The frame of a comprehension has a hidden variable `.0`, which is not an identifier.
    return {
        name: value
        for name, value in names.items()
        if name.isidentifier() and name[0] != "_" and name not in NOT_THE_CALLERS and name not in hidden
    }


def _with_surroundings(frame: types.FrameType) -> Iterator[types.FrameType]:
    """The frame and, if it is that of a comprehension (before Python 3.12), the frame around it."""
    yield frame
    around = frame.f_back
    while frame.f_code.co_name in COMPREHENSIONS and around and frame.f_code in around.f_code.co_consts:
        yield around
        frame, around = around, around.f_back


def _variables(frame: types.FrameType) -> dict[str, object]:
    """A frame's own variables. Those bound by its comprehensions come last, the innermost at the end."""
    bound = list(_bound_by_comprehensions(frame))
    readable = variables_of(frame, bound)
    own = readable
    if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        # In a module the locals are the globals, except that a comprehension there may add names of its own.
        own = {name: value for name, value in readable.items() if frame.f_globals.get(name) is not value}
    innermost = {name: own.pop(name) for name in bound if name in own}
    return own | innermost


def _bound_by_comprehensions(frame: types.FrameType) -> Iterator[str]:
    """The names bound by the comprehensions that are running in this frame, the outermost first.

    From Python 3.12 on a comprehension has no frame of its own. The code around it first saves what each of
    its names stood for (LOAD_FAST_AND_CLEAR). Its loop follows, and ends where FOR_ITER jumps to.
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
    """The running code that binds the globals of this frame."""
    above: types.FrameType | None = frame
    while above is not None:
        if above.f_globals is frame.f_globals and not above.f_code.co_flags & OPTIMIZED:
            yield above.f_code
        above = above.f_back


def _targets(code: types.CodeType) -> set[str]:
    """The names bound by a `for` in this code: those stored right after the loop has taken its next item."""
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
    """The names bound by a `for` in the text of an earlier notebook cell, whose code is gone."""
    try:
        tree = ast.parse(cell)
    except (SyntaxError, ValueError):
        return set()
    loops = [node.target for node in ast.walk(tree) if isinstance(node, (ast.For, ast.AsyncFor))]
    return {n.id for target in loops for n in ast.walk(target) if isinstance(n, ast.Name)}
