"""Contexts: what is switched on where.

What a block switches on (``no_grad``, ``enable_grad``, ``scope``, ``exact``, ``detect_anomaly``, a static
graph or session, a derivative that is being taken, a function that is being compiled) holds in the
*context* in which the block was opened, and nowhere else. A context is

- **a thread**. A new thread begins with nothing switched on; the package's own threads, which load batches,
  begin as the code that started them.
- **a task** of asyncio, inside of its thread. Like any context variable, what holds where a task is made
  holds in the task, and what the task switches on ends with it.
- **a generator**. A block in its body holds while the body runs, not in the code that takes its values
  between two of them. A generator that ``contextlib.contextmanager`` or a fixture of pytest runs up to its
  ``yield`` acts for the code that enters it, so there the block does hold until the generator goes on. A
  generator whose block is open should be continued in the thread, or the task, that has begun it.

A block may be closed in any order and in any thread: what it has switched on ends, and nothing else.
``set_grad_enabled`` without a block holds in its task or else in its thread, unless a block is open there:
then it holds until this block ends. Code at the top level of a file or of a notebook's cell belongs to the
thread, so what is set in one cell holds in the next.

How it works: a block derives new ``Switches`` from those that hold and puts them at the head of a chain,
which a context variable holds in a task, and else the thread, since the next cell of a notebook may run in
another context. A block that is opened in a generator remembers the generator's frame: while a generator
is suspended, its frame has no caller, and the block is passed over.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from functools import partial
from threading import get_ident
from types import FrameType
from typing import Any
from weakref import ref

from .node import Group
from .places import place_of


def seldom(name: str) -> Any:
    """A field that few blocks change. All of these are in one dict, so that a block copies them at once."""

    def change(switches: Switches, value: Any) -> None:
        switches.rest = {**switches.rest, name: value}

    return property(lambda switches: switches.rest[name], change)


class Switches:
    """What is switched on in a context, and the place of the block that has done it in the chain of
    blocks."""

    __slots__ = (
        "__weakref__", "asleep", "base", "changes", "group", "is_special", "made", "opener", "outer", "owner",
        "previous", "recording", "rest", "thread", "trace",
    )  # fmt: skip

    recording: bool  # whether operations on Tensors are recorded
    group: Group | None  # the innermost open ``scope`` block
    trace: Any  # of the function that is being compiled, see ``tracing.py``
    made: list[Any] | None  # the leaves that the function which is being differentiated has made
    is_exact: bool = seldom("is_exact")  # whether an ``exact`` block is open
    depth: int = seldom("depth")  # the number of nested derivatives that are being computed
    graph: Any = seldom("graph")  # the default graph and session of ``static``
    session: Any = seldom("session")
    repeat: Any = seldom("repeat")  # of the function that is checkpointed, see ``repeating.py``
    source: Any = seldom("source")  # gives the random numbers of the batch that is loaded, see ``seeding.py``

    def __init__(self) -> None:
        self.recording = True
        self.group = self.trace = self.made = None
        self.rest: dict[str, Any] = NOTHING
        self.previous: Any = None  # the block that was opened before
        self.outer: Switches | None = None  # the head that the context variable had then
        self.base: Any = None  # the switches from which the fields were derived
        self.changes: dict[str, Any] = {}  # the fields that differ from those
        self.opener: Any = None  # the object that opened the block and will close it
        self.owner: Any = None  # the frame of the generator in which it was opened
        self.asleep: tuple[Switches, ...] = ()  # open blocks of generators that were suspended at that moment
        self.is_special = False  # whether there is an owner or something asleep
        self.thread = 0  # the thread whose own chain it is in

    def derive(self, base: Switches) -> None:
        """Take over the fields of ``base``, apart from what this block changes."""
        self.base = base
        self.recording, self.group, self.trace, self.rest = base.recording, base.group, base.trace, base.rest
        self.made = base.made
        for name, value in self.changes.items():
            setattr(self, name, value)

    def follow(self, before: Switches) -> None:
        """Be the next block after the head of a chain."""
        while before.owner is CLOSED:
            before = before.previous
        self.previous = before
        if before.is_special:
            self.asleep = asleep_below(before)
            self.is_special = self.is_special or bool(self.asleep)
            before = holding(before)
        self.derive(before)

    def wake(self) -> None:
        """Part from the blocks of generators that were suspended when this block was opened, as it closes."""
        for sleeper in self.asleep:
            if sleeper.base is self:
                sleeper.base = None
        self.asleep = ()


NOTHING: dict[str, Any] = {
    "is_exact": False, "depth": 0, "graph": None, "session": None, "repeat": None, "source": None
}  # fmt: skip


class Closed:
    """In place of the owner of a block that was closed in another context: such a block never holds."""

    f_back = None


CLOSED = Closed()


class PerThread(threading.local):
    """What each thread has: the switches outside of all blocks, the head of its chain, and the head outside
    of the context in which ``silence.py`` runs forwards."""

    def __init__(self) -> None:
        self.root = Switches()
        self.head: Switches | None = None
        self.outside: Switches | None = None


thread = PerThread()
default_switches = Switches()
SILENT = Switches()
"""The head in the context in which forwards run: what holds outside of it holds there, see ``silence.py``."""

SILENT.is_special = True
head_of_context: ContextVar[Switches | None] = ContextVar("autodiff_head", default=None)
inherited: ContextVar[Switches | None] = ContextVar("autodiff_inherited", default=None)
"""The head of the chain of the thread in which the context was made, for a copy that runs in another one."""


open_blocks: set[object] = set()
"""One entry for each open block of all contexts, and one for each thread that ``set_grad_enabled`` has
changed. An entry is a weak reference, so that a block that nobody can close any more (in a thread that has
ended) leaves nothing behind."""

discard = open_blocks.discard
traces: set[object] = set()
"""The traces of the functions that are being compiled, in all threads."""


def current() -> Switches:
    """The switches that hold here, for reading. As long as no block is open anywhere these are the default
    ones, since looking up those of the context costs a tenth of an operation on numbers."""
    if not open_blocks:
        return default_switches
    state = head_of_context.get() or thread.head or outside()
    return holding(state) if state.is_special else state


def head() -> Switches:
    """The head of the chain of this context: the latest block, or the switches of the thread."""
    state = head_of_context.get()
    return (thread.outside if state is SILENT else state) or thread.head or outside()


def outside() -> Switches:
    """What holds in this thread outside of its blocks."""
    state = inherited.get()
    return thread.root if state is None or state.thread == get_ident() else state


def holding(state: Switches) -> Switches:
    """The first block of a chain that holds now: it is not that of a suspended generator."""
    if state is SILENT:
        state = head()
    while state.is_special:
        if state.owner is None or state.owner.f_back is not None:
            return woken(state)
        state = state.previous
    return state


def woken(state: Switches) -> Switches:
    """The block of a generator that was suspended when ``state`` was opened and runs now, inside of it; else
    ``state`` itself. What the block of a generator does not change follows the code that continues it."""
    for sleeper in state.asleep:
        if sleeper.owner.f_back is not None:
            if sleeper.base is not state:
                sleeper.derive(state)
            return sleeper
    if state.owner is not None and state.base is not (base := holding(state.previous)):
        state.derive(base)
    return state


def asleep_below(state: Switches) -> tuple[Switches, ...]:
    """The open blocks of suspended generators from the head of a chain down to the block that holds."""
    found: list[Switches] = []
    while state.is_special:
        found += state.asleep
        if state.owner is None or state.owner.f_back is not None:
            break
        if state.owner is not CLOSED:
            found.append(state)
        state = state.previous
    return tuple(found)


def push(
    opener: Any, changes: dict[str, Any], owner: FrameType | None = None, in_thread: bool = False
) -> ref[Switches]:
    """Open a block: put new switches at the head of the chain of this context, or of the thread's."""
    state = Switches()
    state.opener, state.changes, state.owner = opener, changes, owner
    state.is_special = owner is not None
    state.outer = head_of_context.get()
    state.follow(head())
    if in_thread:
        set_head_of_thread(state)
    else:
        head_of_context.set(state)
    entry = ref(state, discard)
    open_blocks.add(entry)
    return entry


class switched(Switches):
    """A ``with`` block of the package's own functions, such as ``switched(recording=False)``. It is opened
    and closed by one function that is no generator, which makes it cheaper than a ``Block``."""

    __slots__ = ()

    def __init__(self, **changes: Any) -> None:
        self.changes = changes

    def __enter__(self) -> None:
        self.opener = PACKAGE
        self.owner = None
        self.asleep = ()
        self.is_special = False
        self.thread = 0
        self.outer = head_of_context.get()
        if open_blocks:
            self.follow(head())
            head_of_context.set(self)
        else:  # the same, in less time
            self.previous = self.base = default_switches
            self.recording, self.rest = True, NOTHING
            self.group = self.trace = self.made = None
            for name, value in self.changes.items():
                setattr(self, name, value)
            head_of_context.set(self)
        open_blocks.add(self)

    def __exit__(self, *exception: object) -> None:
        open_blocks.discard(self)
        if head_of_context.get() is self and not self.asleep:
            head_of_context.set(self.outer)
        else:
            close(self)


PACKAGE = object()
"""The opener of a block of the package, which closes itself."""


def close(opener: Any) -> None:
    """Close the latest open block of an object. What was opened later stays open, but for what
    ``set_grad_enabled`` has set inside of the block. Raises RuntimeError if no block of the object is
    open."""
    above = above_block(opener, is_here)
    if above is None:
        above = above_block(opener, lambda state: True)
    if above is None:
        close_elsewhere(opener)
        return
    state = above.pop()
    if state.asleep:
        state.wake()
    if any(later.opener is not None for later in above):
        above[-1].previous, above[-1].outer = state.previous, state.outer
        for later in reversed(above):
            later.asleep = tuple(sleeper for sleeper in later.asleep if sleeper is not state)
            later.derive(holding(later.previous))
        return
    if state.thread and inherited.get() not in (state, *above):  # a context in which it still is may be kept
        mark_closed(state)
    if thread.head in (state, *above):
        set_head_of_thread(state.previous if state.previous.previous else None)
    if head_of_context.get() in (state, *above):
        head_of_context.set(state.outer)


def above_block(opener: Any, is_meant: Callable[[Switches], bool]) -> list[Any] | None:
    """The chain from its head down to the latest open block of an object that is meant; None if there is
    none."""
    found: list[Any] = []
    state: Any = head()
    while state is not None:
        found.append(state)
        if opener in (state, state.opener) and state.owner is not CLOSED and is_meant(state):
            return found
        state = state.previous
    return None


def is_here(state: Switches) -> bool:
    """Whether a block was opened by this code: the generator that opened it, if one did, runs now. Several
    generators may open blocks by one object, as by one static graph."""
    frame: Any = state.owner and sys._getframe(1)
    while frame is not None and frame is not state.owner:
        frame = frame.f_back
    return frame is state.owner


def set_head_of_thread(state: Switches | None) -> None:
    """Set the head of the thread's own chain."""
    if state is not None:
        state.thread = get_ident()
    thread.head = state
    inherited.set(state)


def close_elsewhere(opener: Any) -> None:
    """Close a block that was opened in another context."""
    for entry in list(open_blocks):
        state = entry() if isinstance(entry, ref) else entry
        if isinstance(state, Switches) and state.opener is opener:
            mark_closed(state)
            return
    raise RuntimeError(f"this {type(opener).__name__} block is not open, so it cannot be closed")


def mark_closed(state: Switches) -> None:
    """Let a block hold nowhere, although there are contexts that refer to it."""
    state.owner, state.is_special = CLOSED, True
    discard(ref(state))


class Block:
    """The base of the context managers that switch something on, see the head of this file."""

    def _changes(self) -> dict[str, Any]:
        """The fields of the switches that the block changes, by name."""
        raise NotImplementedError

    def __enter__(self) -> Any:
        owner, is_in_task = place_of(sys._getframe(1))
        in_thread = not is_in_task and head_of_context.get() is None
        push(self, self._changes(), owner, in_thread)

    def __exit__(self, *exception: object) -> None:
        close(self)


def set_recording(value: bool) -> Callable[[], None]:
    """Switch recording on or off from now on: in the open block, if there is one, else in the task, else in
    the thread. Returns a function that takes this back."""
    _, is_in_task = place_of(sys._getframe(2), is_block=False)
    state = current()
    if state.previous is None and not is_in_task:
        before = thread.root.recording
        set_outside(value)
        return partial(set_outside, before)
    replaced = state.recording if state.opener is None and drop_head(state) else None
    return partial(take_back, set_inside(value), replaced)


def set_inside(value: bool) -> ref[Switches]:
    """Switch recording on or off in the open block, or else in the task."""
    state = current()
    is_block = state.previous is not None
    in_thread = is_block and state is thread.head
    return push(None, {"recording": value}, state.owner if is_block else None, in_thread)


def take_back(made: ref[Switches], replaced: bool | None) -> None:
    """Take back what ``set_inside`` has set, in favour of what it had replaced."""
    if drop_head(made()) and replaced is not None:
        set_inside(replaced)


def drop_head(state: Switches | None) -> bool:
    """Take the head off the chain, if this is the head; returns whether it was."""
    if state is None or state.previous is None or state not in (head_of_context.get(), thread.head):
        return False
    if state is thread.head:
        set_head_of_thread(state.previous if state.previous.previous else None)
    else:
        head_of_context.set(state.outer)
    return True


def set_outside(value: bool) -> None:
    """Switch recording on or off in this thread, outside of all blocks."""
    thread.root.recording = value
    entry = ref(thread.root, discard)
    (open_blocks.discard if value else open_blocks.add)(entry)


def carried() -> Context:
    """A copy of the caller's context for work in a thread of the package's own: what is switched on here
    holds there, whatever happens here in the meantime."""
    context = copy_context()
    if open_blocks:
        state = Switches()
        state.previous = Switches()
        state.derive(current())
        context.run(head_of_context.set, state)
        open_blocks.add(ref(state, discard))
    return context
