"""Where code runs: in the body of a generator, for a cell of a notebook, or in neither."""

from __future__ import annotations

import dis
import inspect
import sys
from types import FrameType

HELPERS = frozenset((
    "__enter__", "__exit__", "__aenter__", "__aexit__", "enter_context", "enter_async_context",
    "call_fixture_func",
))  # fmt: skip
"""The names of functions that open and close blocks on behalf of the code that calls them, or that run a
generator up to its ``yield`` for it: those of contextlib and of classes like it, and the one of pytest."""

GENERATOR = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
COROUTINE = inspect.CO_COROUTINE | inspect.CO_ITERABLE_COROUTINE
SEND = dis.opmap["SEND"]  # the instruction that Python executes for ``yield from``


def generator_of(frame: FrameType | None) -> FrameType | None:
    """The frame of the generator for which a line opens or closes a block, or None: the line stands in its
    body, or in a function that does this on behalf of its body."""
    while frame is not None:
        code = frame.f_code
        if code.co_flags & GENERATOR:
            if not acts_for_caller(frame):
                return frame
        elif code.co_name not in HELPERS:
            return None
        frame = frame.f_back
    return None


def acts_for_caller(frame: FrameType) -> bool:
    """Whether a generator runs for the code that enters it, as a context manager, or as a part of the
    generator that delegates to it by ``yield from``."""
    back = frame.f_back
    if back is None:
        return False
    code = back.f_code
    is_delegated = code.co_flags & inspect.CO_GENERATOR and code.co_code[back.f_lasti] == SEND
    return code.co_name in HELPERS or bool(is_delegated)


def is_in_cell(frame: FrameType | None) -> bool:
    """Whether a line runs for a cell of a notebook: an event loop is running, but the line belongs to none of
    the tasks that the notebook has made."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None or asyncio._get_running_loop() is None:
        return False
    while frame is not None and frame.f_code.co_name != "<module>":
        if frame.f_code.co_flags & COROUTINE:
            return False
        frame = frame.f_back
    return frame is not None
