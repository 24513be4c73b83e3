"""Running functions: the first one outside of the package, and the variables of a function.

Who looks for another frame walks by itself: ``places.py`` for a generator, ``leaving.py`` for a library that
a value goes to, ``contexts.py`` for open blocks, ``draw/graph/caller.py`` for the surrounding code,
``draw/filming/source.py`` for one function.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from types import FrameType
from typing import Any

PACKAGE = __file__[: -len("engine/frames.py")]
"""How the names of the package's files begin."""

# There, reading a comprehension's variable that an inner function uses too crashes Python (CPython's issue
# 128396).
CRASHES = (3, 13, 0) <= sys.version_info < (3, 13, 3)


def frame_outside(files: str | tuple[str, ...] = PACKAGE) -> FrameType | None:
    """The frame of the innermost running function outside of some files, by how their names begin; None if
    there is none. A doctest of this package, exec and a cell of a notebook are outside."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(files):
        frame = frame.f_back
    return frame


def variables_of(frame: FrameType, suspects: Collection[str] | None = None) -> dict[str, Any]:
    """The local variables of a running function. Where reading some would crash Python, those are left out
    that a function inside uses too; ``suspects`` are the ones that may be a comprehension's."""
    local = frame.f_locals
    if not CRASHES:
        return dict(local)
    unreadable = {*frame.f_code.co_cellvars, *frame.f_code.co_freevars}
    if suspects is not None:
        unreadable &= {*suspects}
    return {name: local[name] for name in local if name not in unreadable}
