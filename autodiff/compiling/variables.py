"""The variables of a function that is traced: the local names that values have, for the names in its
program."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..engine.frames import PACKAGE, frame_outside, variables_of

LOOKS = 2_000
"""The number of operations of one trace after which no more variables are read: each takes a microsecond."""

STANDARD = sysconfig.get_path("stdlib")
LIBRARIES = (PACKAGE, np.__file__.removesuffix("__init__.py"), STANDARD, "<frozen")
"""The beginnings of the files whose functions are not looked at."""


def variables() -> Iterator[tuple[str, Any]]:
    """The local variables of the innermost running function outside of the package and of NumPy."""
    frame = frame_outside(LIBRARIES)
    if frame is not None and frame.f_code.co_name != "<module>":
        yield from variables_of(frame).items()


def variable_of(value: Any) -> str | None:
    """The name of a variable that the innermost running function outside of the package refers to, if it
    holds this value, or a list or dict with it; None if there is none."""
    frame = frame_outside(LIBRARIES)
    if frame is None:
        return None
    common = {name: frame.f_globals[name] for name in frame.f_code.co_names if name in frame.f_globals}
    known = {**common, **variables_of(frame)}
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
