"""Calling what a reader wrote: other arguments than asked for, printing in place of returning, and a loop
without end each have a message of their own. And the reader's machine, found from what the reader wrote."""

from __future__ import annotations

import contextlib
import dis
import functools
import inspect
import io
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import autodiff

from .. import machine
from ..checking import Mistake, NotYet
from ..machine.live import MACHINE
from ..machine.plan import after_lesson
from ..machine.trying import STEPS, Stopped, stopped_after

PACKAGES = str(Path(autodiff.__file__).resolve().parent), str(Path(__file__).resolve().parents[1])
NOTHING = {"RESUME", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE", "NOP", "COPY_FREE_VARS"}


def call(
    function: Callable[..., Any],
    *inputs: Any,
    said: str,
    header: str = "",
    steps: int = STEPS,
    is_none_right: bool = False,
) -> Any:
    """The result of a reader's function.

    ``said`` is the call as the reader would write it, ``header`` the first line that the function should
    have, and ``steps`` how many lines it may run, those in NumPy and in the machine included. Raises NotYet
    for a stub, and Mistake for a call that cannot be made, gives nothing (unless None is an answer like
    others) or never ends. What the function prints is shown afterwards.
    """
    if not callable(function):
        raise Mistake(f"A function is asked for here, and this is {function!r:.60}.")
    check_arguments(function, len(inputs), said, header)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), stopped_after(steps, is_counted):
            value = function(*inputs)
    except Stopped:
        raise Mistake(f"{said} was stopped after {steps:,} lines of code. Does a loop never end?") from None
    sys.stdout.write(printed.getvalue())
    if value is not None or is_none_right:
        return value
    if is_stub(function):
        raise NotYet(f"{said} gave None.")
    if returns_something(function) and not printed.getvalue().strip():
        raise Mistake(
            f"{said} gave None: what stands after `return` is None there, or this path through the "
            "function has no `return`."
        )
    what = "prints its result and" if printed.getvalue().strip() else "computes something and"
    raise Mistake(f"{said} gave None: your function {what} returns nothing. End with `return`.")


def check_arguments(function: Callable[..., Any], count: int, said: str, header: str) -> None:
    """Raise Mistake unless the function can be called with so many arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a built-in function, which does not say what it takes
        return
    try:
        signature.bind(*[None] * count)
    except TypeError:
        wanted = f" Its first line should be `{header}`." if header else ""
        takes = f"{len(signature.parameters)}{' besides self' * inspect.ismethod(function)}"
        raise Mistake(
            f"{said} hands over {counted(count, 'argument')}, and your function takes {takes}.{wanted}"
        ) from None


def check_class(kind: Any, name: str) -> None:
    """Raise Mistake unless the answer is a class."""
    if not isinstance(kind, type):
        raise Mistake(f"A class is asked for here. Hand over {name} itself, without brackets after it.")


def check_own_work(function: Any, forbidden: set[str], why: str) -> None:
    """Raise Mistake if a function uses one of these names, in itself or in what it defines."""
    codes = [getattr(function, "__code__", None)]
    for code in codes:
        if code is not None:
            used = forbidden & set(code.co_names)
            if used:
                raise Mistake(f"It uses {min(used)}. {why}")
            codes += [inner for inner in code.co_consts if isinstance(inner, CodeType)]


def counted(count: int, what: str) -> str:
    """A number with its noun: 1 argument, 2 arguments."""
    return f"{count} {what}{'s' * (count != 1)}"


def is_counted(filename: str) -> bool:
    """Whether lines of this file count as the reader's: all but those of the library and of the course."""
    return not filename.startswith(PACKAGES)


def is_stub(function: Callable[..., Any]) -> bool:
    """Whether a function does nothing but return None."""
    code = getattr(function, "__code__", None)
    return code is not None and {step.opname for step in dis.get_instructions(code)} <= NOTHING


def returns_something(function: Callable[..., Any]) -> bool:
    """Whether a function has a ``return`` with something other than None after it."""
    code = getattr(function, "__code__", None)
    steps = list(dis.get_instructions(code)) if code is not None else []
    constants = [step.argval for step in steps if step.opname == "RETURN_CONST"]
    before = [one for one, two in itertools.pairwise(steps) if two.opname == "RETURN_VALUE"]
    return any(value is not None for value in constants) or any(
        step.opname != "LOAD_CONST" or step.argval is not None for step in before
    )


def names_of(written: Any, lesson: int) -> dict[str, Any]:
    """The names of the machine with which the reader's function or class works: that of the notebook, or of a
    lesson's reference where there is none."""
    functions = [written, *vars(written).values()] if isinstance(written, type) else [written]
    for function in functions:
        tensor = getattr(function, "__globals__", {}).get("Tensor")
        names: dict[str, Any] = getattr(getattr(tensor, "__init__", None), "__globals__", {})
        if "backward" in names:
            return names
    if MACHINE.names is not None and MACHINE.stop >= after_lesson(lesson - 1):
        return MACHINE.names
    return reference(lesson)


@functools.cache
def reference(lesson: int) -> dict[str, Any]:
    """The names of a lesson's reference, always the same: Tensors of two machines do not go together."""
    return vars(machine.after(lesson))


def tensor_of(function: Callable[..., Any], other: type) -> type:
    """The class Tensor that a reader's function uses, so that `isinstance` works in it, or the other one."""
    found: Any = getattr(function, "__globals__", {}).get("Tensor")
    try:
        product = found(2) * found(3)
        is_right = (product.data, product.creation_op, found(2).creators) == (6, "mul", ())
    except Exception:  # noqa: BLE001  the reader's code may raise anything
        is_right = False
    return found if is_right and isinstance(found, type) else other
