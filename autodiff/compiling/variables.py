"""The variables of a function that is traced: the local names that values have, for the names in its
program."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

import numpy as np

from ..anomaly import PACKAGE

LOOKS = 2_000
"""The number of operations of one trace after which no more variables are read: each takes a microsecond."""

STANDARD = sysconfig.get_path("stdlib")
LIBRARIES = (PACKAGE, np.__file__.removesuffix("__init__.py"), STANDARD, "<frozen")
"""The beginnings of the files whose functions are not looked at."""

# Reading a comprehension's variable that a function uses too crashes Python (CPython's issue 128396).
CRASHES = (3, 13, 0) <= sys.version_info < (3, 13, 3)


def frame_outside() -> FrameType | None:
    """The frame of the innermost running function outside of the package and of NumPy."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(LIBRARIES):
        frame = frame.f_back
    return frame


def local_variables(frame: FrameType) -> Mapping[str, Any]:
    """The local variables of a running function. Where reading some would crash Python, those that a function
    inside uses too are left out."""
    local = frame.f_locals
    if not CRASHES:
        return local
    unreadable = {*frame.f_code.co_cellvars, *frame.f_code.co_freevars}
    return {name: local[name] for name in local if name not in unreadable}


def variables() -> Iterator[tuple[str, Any]]:
    """The local variables of the innermost running function outside of the package and of NumPy."""
    frame = frame_outside()
    if frame is not None and frame.f_code.co_name != "<module>":
        yield from local_variables(frame).items()


def variable_of(value: Any) -> str | None:
    """The name of a variable that the innermost running function outside of the package refers to, if it
    holds this value, or a list or dict with it; None if there is none."""
    frame = frame_outside()
    if frame is None:
        return None
    common = {name: frame.f_globals[name] for name in frame.f_code.co_names if name in frame.f_globals}
    known = {**common, **local_variables(frame)}
    for name, found in known.items():
        if found is value:
            return name
    for name, found in known.items():
        parts = found.items() if isinstance(found, dict) else enumerate(found) if is_list(found) else ()
        for key, part in parts:
            if part is value:
                return f"{name}_{key}"
    return None


def is_list(value: Any) -> bool:
    """Whether this is a list or a tuple."""
    return isinstance(value, (list, tuple))
