"""Guards: the values besides its arguments for which a program is valid, and the check that they are
unchanged.

Guards cover the attributes of the modules that a function calls, and the variables that the function refers
to. The contents of other objects are read only once, except for Tensors, which are read at each call.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any

from ..engine.tensor import Tensor
from ..engine.tracing import TraceError
from .symbol import Symbol

PLAIN = frozenset((int, float, bool, str, tuple, type(None)))
MISSING = object()


class Guard:
    """The values of some names. ``look`` is the function that looks up a name."""

    __slots__ = ("look", "names", "values")

    def __init__(self, look: Callable[[Any], Any], names: Iterable[Any]) -> None:
        self.look = look
        self.names = tuple(names)
        self.values = [*map(look, self.names)]

    def holds(self) -> bool:
        """Whether each name has the value that it had."""
        look, names, values = self.look, self.names, self.values
        return all(map(operator.is_, map(look, names), values)) or all(map(is_same, map(look, names), values))

    def drop_changed(self) -> None:
        """Drop the names whose values have changed: the traced function has set them itself."""
        kept = [
            (name, value) for name, value in zip(self.names, self.values) if is_same(self.look(name), value)
        ]
        self.names = tuple(name for name, _ in kept)
        self.values = [value for _, value in kept]


def is_same(now: Any, before: Any) -> bool:
    """Whether two values are one object, or plain values that no program can tell apart. Numbers are compared
    as text, since 0.0 equals -0.0."""
    if now is before:
        return True
    if type(now) is not type(before) or type(now) not in PLAIN:
        return False
    if type(now) is tuple:
        return len(now) == len(before) and all(map(is_same, now, before))
    return repr(now) == repr(before)


def guard_of_module(module: Any) -> Guard:
    """A guard for the attributes of a module: its mode, its options, its parameters and its parts."""
    return Guard(vars(module).get, {**vars(module), "training": None})


def check_no_leak(module: Any) -> None:
    """Raise TraceError if a module holds a symbol, which was stored in it during the trace."""
    for name, value in vars(module).items():
        if type(value) is Symbol or (isinstance(value, Tensor) and type(value._value) is Symbol):
            raise TraceError(
                f"{type(module).__name__} keeps {name}, which was computed in the compiled function and has "
                f"no value outside of it. Return it, or make it a buffer and call self.{name}.assign(...)"
            )


def guards_of_function(f: Any) -> list[Guard]:
    """Guards for the variables that a function refers to: global variables of its file, and variables of
    enclosing functions. Functions of the same file that it refers to are covered too."""
    guards: list[Guard] = []
    waiting, seen = [f], set()
    while waiting:
        function = unwrapped(waiting.pop())
        if not isinstance(function, FunctionType) or function in seen:
            continue
        seen.add(function)
        known = function.__globals__
        names = sorted({name for name in names_in(function.__code__) if name in known})
        guards += [Guard(known.get, names), Guard(contents, function.__closure__ or ())]
        called = [value for guard in guards[-2:] for value in guard.values]
        waiting += [g for g in called if getattr(unwrapped(g), "__globals__", None) is known]
    return [guard for guard in guards if guard.names]


def contents(cell: Any) -> Any:
    """The value of a variable of an enclosing function, or ``MISSING`` if it has none yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def unwrapped(f: Any) -> Any:
    """The function inside a method, a partial or a derivative."""
    for _ in range(10):  # a wrapper may refer to itself
        inner = (getattr(f, name, None) for name in ("__wrapped__", "__func__", "func"))
        found = next((part for part in inner if callable(part)), None)
        if isinstance(f, type) or found is None:
            break
        f = found
    return f


def names_in(code: CodeType) -> Iterator[str]:
    """The names in a function's code, and in the functions that are defined in it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)
