"""Contexts: what is switched on where.

What a block switches on (``no_grad``, ``enable_grad``, ``scope``, ``exact``, ``detect_anomaly``, a static
graph or session, a derivative that is being taken, a function that is being compiled) holds in the
*context* in which the block was opened, and nowhere else. A context is

- **a thread**. A new thread begins with nothing switched on; the package's own threads, which load batches,
  begin with the switches of the code that started them.
- **a task** of asyncio, inside of its thread. As with any context variable, a task begins with what holds
  where it is created, and what it switches on ends with it.
- **a generator**. A block in its body holds while the body runs, not in the code that consumes its values. If
  ``contextlib.contextmanager`` or a pytest fixture runs a generator up to its ``yield``, the block does hold
  in the code that enters it, until the generator resumes.

A block may be closed in any order and in any thread: only what it has switched on ends. Without a block,
``set_grad_enabled`` holds in its task, or in its thread if there is no task; if a block is open there, only
until that block ends. What a cell of a notebook leaves switched on holds in the next cell.

How it works. A block makes new ``Switches`` from the current ones. The latest are the *head* of the context;
they keep the previous head, which closing the block restores. Python keeps the value of a context variable
for each thread and task, so the head is stored in one. There are two exceptions. A notebook runs each cell as
a task of its own; so a block that a cell leaves open becomes the head of its thread, which applies where the
context has no head. And a generator shares the context variable with its caller; so a block in its body
becomes the head of the generator, whose switches override the others while the generator's frame is on the
call stack.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextvars import Context, ContextVar, copy_context
from types import FrameType
from typing import Any
from weakref import WeakSet, ref

from . import locking
from .node_parts import ScopeBlock
from .places import COROUTINE, GENERATOR, HELPERS, generator_of, is_in_cell


class Switches:
    """What is switched on. A switch that no block has changed is the attribute of the class."""

    recording: bool = True  # whether operations on Tensors are recorded
    group: ScopeBlock | None = None  # the innermost open ``scope`` block
    trace: Any = None  # of the function that is being compiled, see ``tracing.py``
    made: list[Any] | None = None  # the leaves that the function which is being differentiated has made
    is_exact: bool = False  # whether an ``exact`` block is open
    depth: int = 0  # the number of nested derivatives that are being computed
    graph: Any = None  # the default graph and session of ``static``
    session: Any = None
    repeat: Any = None  # of the function that is checkpointed, see ``repeating.py``
    source: Any = None  # gives the random numbers of the batch that is loaded, see ``seeding.py``
    generators: tuple[FrameType, ...] = ()  # the frames of the generators whose switches are included

    __slots__ = ("__dict__", "__weakref__", "base", "changes", "opener", "outer")

    def __init__(
        self, opener: Any, changes: dict[str, Any], base: Switches | None, outer: Switches | None
    ) -> None:
        self.opener = opener  # the object that will close the block; None: it ends with the block below
        self.changes = changes
        self.base = base  # the switches to which the changes are made
        self.outer = outer  # the previous head
        self.renew()

    def renew(self) -> None:
        """Set the switches from those of ``base``."""
        self.__dict__ = self.base.__dict__ | self.changes if self.base else self.changes


class Head:
    """The head of a thread, with the methods of a context variable. Forward functions, which run in a context
    without a head, see it too: ``silence.py`` sets it."""

    def __init__(self) -> None:
        self.head: Switches | None = None

    def get(self) -> Switches | None:
        """The head, if there is one."""
        return self.head

    def set(self, head: Switches | None) -> None:
        """Change the head."""
        self.head = head


class HeadOfGenerator(Head):
    """The head of the generator that runs in a frame. Its lowest block is based on the default switches."""

    def __init__(self, frame: FrameType) -> None:
        super().__init__()
        self.frame = frame

    def set(self, head: Switches | None) -> None:
        """Change the head. After the last block has closed, nothing is left behind."""
        super().set(head)
        self.seen: Switches | None = None
        if head is None:
            of_generators.pop(self.frame, None)
        else:
            of_generators[self.frame] = self

    def on(self, around: Switches) -> Switches:
        """What the body sees: the switches that hold around it, and its own."""
        seen = self.seen  # another thread may set it to None
        if seen is None or seen.base is not around:
            own = {**self.head.__dict__, "generators": (*around.generators, self.frame)}
            self.seen = seen = Switches(None, own, around, None)
        return seen


class PerThread(threading.local):
    """Gives each thread its own head."""

    def __init__(self) -> None:
        self.of_thread = Head()


AnyHead = ContextVar[Switches | None] | Head

default = Switches(None, {}, None, None)
of_context: ContextVar[Switches | None] = ContextVar("autodiff_head", default=None)
thread = PerThread()
of_generators: dict[FrameType, HeadOfGenerator] = {}

open_blocks: set[Any] = set()
"""What is switched on in any context. Most entries are weak references, so that a block that nobody can close
any more (in a thread that has ended) leaves nothing behind."""

discard = open_blocks.discard
emptied: WeakSet[Switches] = WeakSet()
"""Blocks that were closed while they were in use, see ``empty``."""
traces: set[object] = set()
"""The traces of the functions that are being compiled, in all threads."""


# -- reading ----------------------------------------------------------------------------------------------


def current() -> Switches:
    """The switches that hold here, for reading. As long as no block is open anywhere these are the default
    ones, since looking up those of the context costs a tenth of an operation on numbers."""
    if not open_blocks:
        return default
    state = of_context.get() or thread.of_thread.head or default
    if of_generators:
        for generator in continued(sys._getframe(1), state):
            state = generator.on(state)
    return state


def continued(frame: FrameType | None, state: Switches) -> Sequence[HeadOfGenerator]:
    """The generators with open blocks whose bodies are on the call stack of ``frame``, the outermost first,
    apart from those in which ``state`` was made."""
    count = 0
    for one in [*of_generators]:
        if one.f_back is not None and one not in state.generators:  # suspended ones have no caller
            count += 1
    found: list[HeadOfGenerator] = []
    while count and frame is not None:
        if frame in of_generators and frame not in state.generators:
            found.insert(0, of_generators[frame])
            count -= 1
        frame = frame.f_back
    return found


# -- opening and closing ----------------------------------------------------------------------------------


def push(head: AnyHead, opener: Any, changes: dict[str, Any]) -> None:
    """Open a block."""
    outer = still_open(head.get())
    base = (outer or default) if isinstance(head, HeadOfGenerator) else current()
    state = Switches(opener, changes, base, outer)
    head.set(state)
    open_blocks.add(ref(state, discard))


def still_open(state: Switches | None) -> Switches | None:
    """The head, or the first below it, that was not emptied."""
    while state is not None and state.opener is None and not state.changes:
        state = state.outer
    return state


def close(opener: Any, frame: FrameType) -> None:
    """Close the latest open block of an object. Blocks that were opened later stay open, but what
    ``set_grad_enabled`` has set inside the block ends. Raises RuntimeError if no block of the object is
    open."""
    generator = generator_of(frame)
    heads: list[AnyHead] = [of_generators[generator]] if generator in of_generators else []
    for head in (*heads, of_context, thread.of_thread):
        state, is_latest = head.get(), True
        while state is not None and opener not in (state.opener, state):
            is_latest = is_latest and state.opener is None
            state = state.outer
        if state is not None:
            if is_latest:
                head.set(still_open(state.outer))
            else:
                empty(state)
            return
    for state in all_open():
        if state.opener is opener:  # it was opened in another context
            empty(state)
            return
    raise RuntimeError(f"this {type(opener).__name__} block is not open, so it cannot be closed")


def empty(closed: Switches) -> None:
    """Close a block that others are based on, or that is the head of another context: it keeps its place, but
    no longer changes anything."""
    with locking.shared:
        closed.opener, closed.changes = None, {}
        emptied.add(closed)
        for state in (*all_open(), *emptied):
            line = [state]
            while line[-1].base is not None:
                line.append(line[-1].base)
            for one in reversed(line):
                one.renew()
    for generator in [*of_generators.values()]:
        generator.seen = None
        if generator.head is closed:
            generator.set(still_open(closed))
    discard(ref(closed))


def all_open() -> Iterator[Switches]:
    """What is switched on in all contexts."""
    for entry in [*open_blocks]:
        state = entry() if isinstance(entry, ref) else entry
        if state is not None:
            yield state


class switched(Switches):
    """A ``with`` block of the package's own functions, such as ``switched(recording=False)``. It is opened
    and closed by one function that is not a generator, which makes it cheaper than a ``Block``."""

    __slots__ = ()

    opener = "the package"

    def __init__(self, **changes: Any) -> None:
        self.changes = changes

    def __enter__(self) -> None:
        self.base, self.outer = current(), of_context.get()
        self.renew()
        of_context.set(self)
        open_blocks.add(self)

    def __exit__(self, *exception: object) -> None:
        if of_context.get() is self:
            of_context.set(self.outer)
        else:
            close(self, sys._getframe(1))
        discard(self)


class Block:
    """The base of the context managers that switch something on, see the head of this file."""

    def _changes(self) -> dict[str, Any]:
        """The switches that the block changes, by name."""
        raise NotImplementedError

    def __enter__(self) -> Any:
        frame = sys._getframe(1)
        code = frame.f_code
        head: AnyHead = of_context
        if code.co_flags & GENERATOR or code.co_name in HELPERS:
            if generator := generator_of(frame):
                head = of_generators.get(generator) or HeadOfGenerator(generator)
        elif code.co_name == "<module>" and not code.co_flags & COROUTINE and is_in_cell(frame):
            head = thread.of_thread
        push(head, self, self._changes())

    def __exit__(self, *exception: object) -> None:
        state = of_context.get()
        if state is not None and state.opener is self and not of_generators:
            of_context.set(state.outer)
        else:
            close(self, sys._getframe(1))


def carried() -> Context:
    """A copy of the caller's context for work in a thread of the package's own: what is switched on here
    holds there, whatever happens here in the meantime."""
    context = copy_context()
    if open_blocks:
        state = Switches(None, current().__dict__, default, None)
        context.run(of_context.set, state)
        open_blocks.add(ref(state, discard))
    return context
