"""Where code runs: in the body of a generator, in a task, or in neither."""

from __future__ import annotations

import dis
import inspect
from types import FrameType

ENTERING = frozenset(("__enter__", "__aenter__", "call_fixture_func"))
"""The names of functions that run a generator up to its ``yield`` on behalf of the code that calls them:
those of contextlib and of classes like it, and the one of pytest."""

GENERATOR = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
COROUTINE = inspect.CO_COROUTINE | inspect.CO_ITERABLE_COROUTINE
SUSPENDED = GENERATOR | COROUTINE
SEND = dis.opmap["SEND"]  # the instruction that Python executes for ``yield from``


def place_of(frame: FrameType | None, is_block: bool = True) -> tuple[FrameType | None, bool]:
    """The frame of the generator in whose body a line runs, or None; and whether it runs in a task."""
    is_in_task = False
    while frame is not None:
        code = frame.f_code
        flags = code.co_flags
        if flags & SUSPENDED:
            if not flags & COROUTINE:
                if not acts_for_caller(frame):
                    return frame, is_in_task
            elif is_block or code.co_name != "<module>":  # of a cell that awaits something
                is_in_task = True
        if code.co_name == "<module>":
            break
        frame = frame.f_back
    return None, is_in_task


def acts_for_caller(frame: FrameType) -> bool:
    """Whether a generator runs for the code that enters it, as a context manager, or as a part of the
    generator that delegates to it by ``yield from``."""
    back = frame.f_back
    if back is None:
        return False
    code = back.f_code
    is_delegated = code.co_flags & inspect.CO_GENERATOR and code.co_code[back.f_lasti] == SEND
    return code.co_name in ENTERING or bool(is_delegated)
