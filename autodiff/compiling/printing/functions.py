"""Calls of functions that a program runs unchanged, as they are written in a file: by a name that can be
imported, with the arguments in their places."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...engine.operation import Operation
from ..opaque import ArgumentPlace, call_with

NAMESPACES = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft}


def call_text(
    value: Any, args: Sequence[str], imports: set[str], keep: Callable[[Any, str], str]
) -> str:
    """The call of an opaque function. ``imports`` receives the line that imports it; ``keep`` gives the name
    of an object that cannot be written out."""
    if not (isinstance(value, functools.partial) and value.func is call_with):
        return f"{name_of(value, imports, keep)}({', '.join(args)})"
    function, (positional, options) = value.args

    def text(part: Any) -> str:
        return argument(part, args, keep)

    words = [f"{word}={text(part)}" for word, part in options.items() if part is not np._NoValue]
    return f"{name_of(function, imports, keep)}({', '.join([*map(text, positional), *words])})"


def argument(part: Any, args: Sequence[str], keep: Callable[[Any, str], str]) -> str:
    """An argument as text."""
    if isinstance(part, ArgumentPlace):
        return args[part.number]
    if type(part) in (list, tuple):
        inner = ", ".join(argument(each, args, keep) for each in part)
        return f"[{inner}]" if type(part) is list else f"({inner}{',' * (len(part) == 1)})"
    if type(part) is dict:
        return f"{{{', '.join(f'{key!r}: {argument(each, args, keep)}' for key, each in part.items())}}}"
    if part is None or type(part) in (bool, int, str):
        return repr(part)
    if type(part) is float and np.isfinite(part):
        return repr(part)
    if isinstance(part, np.dtype) or (isinstance(part, type) and issubclass(part, np.generic)):
        return repr(str(np.dtype(part)))
    return keep(part, "data" if isinstance(part, np.ndarray) else "argument")


def name_of(function: Any, imports: set[str], keep: Callable[[Any, str], str]) -> str:
    """The name of a function: of NumPy, or imported from its module. Other functions are kept."""
    name = getattr(function, "__name__", "function").strip("<>")
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"np.{owner.__name__}.{name}"
    for space, module in NAMESPACES.items():
        if getattr(module, name, None) is function:
            return f"{space}.{name}"
    module_name = getattr(function, "__module__", None) or ""
    found = getattr(sys.modules.get(module_name), name, None)
    is_own = isinstance(found, Operation) and found.forward is function
    if module_name not in ("", "__main__", "builtins") and (found is function or is_own):
        imports.add(f"from {module_name} import {name}")
        return name
    return keep(function, name)
