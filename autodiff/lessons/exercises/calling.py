"""Calling what a reader wrote: prints are caught, endless loops are stopped, and a wrong number of arguments
is named. And the reader's machine, found from what the reader wrote."""

import contextlib
import inspect
import io
import sys

from .. import machine
from ..checking import Mistake, NotYet
from ..machine.live import MACHINE
from ..machine.trying import has_loop_in_one_line

STEPS = 200_000
"""How many lines the reader's code may run in one call."""


class Endless(BaseException):
    """Raised in code that runs for too long. ``except Exception`` does not catch it."""


def call(function, *inputs, said):
    """The result of the reader's function. Raises Mistake if it cannot be called like this, prints its result
    or never ends, and NotYet if it returns nothing. ``said`` is the call as the reader would write it."""
    if not callable(function):
        raise Mistake(f"A function is asked for here, and this is {function!r:.60}.")
    check_arguments(function, len(inputs), said)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), stopped_in(file_of(function)):
            value = function(*inputs)
    except Endless:
        raise Mistake(f"{said} was stopped after {STEPS:,} lines. Does a loop never end?") from None
    if value is None:
        if printed.getvalue().strip():
            raise Mistake(f"{said}: your function prints its result and returns nothing. End with `return`.")
        raise NotYet(f"{said} gave None.")
    return value


def check_arguments(function, count, said):
    """Raise Mistake unless the function can be called with so many arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*[None] * count)
    except TypeError:
        takes = f"{len(signature.parameters)}{' besides self' * inspect.ismethod(function)}"
        raise Mistake(
            f"{said} hands over {counted(count, 'argument')}, and your function takes {takes}."
        ) from None


def check_class(kind, name):
    """Raise Mistake unless the answer is a class."""
    if not isinstance(kind, type):
        raise Mistake(f"A class is asked for here. Hand over {name} itself, without brackets after it.")


def counted(count, what):
    """A number with its noun: 1 argument, 2 arguments."""
    return f"{count} {what}{'s' * (count != 1)}"


def file_of(function):
    """The file or cell in which a function, a method or an object's class was written."""
    for thing in (function, vars(type(function)).get("__call__"), getattr(function, "__init__", None)):
        code = getattr(thing, "__code__", None)
        if code is not None:
            return str(code.co_filename)
    return ""


@contextlib.contextmanager
def stopped_in(filename):
    """Raise Endless when the code of a file or a cell has run too many lines."""
    left = STEPS

    def count(frame, event, arg):
        nonlocal left
        if frame.f_code.co_filename != filename:
            return None
        if event == "call":
            frame.f_trace_opcodes = has_loop_in_one_line(frame.f_code)
        left -= 1
        if left < 0:
            raise Endless
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)


def names_of(written, lesson):
    """The names of the machine with which the reader's function or class works: that of the notebook, or of a
    lesson's reference where there is none."""
    functions = [written, *vars(written).values()] if isinstance(written, type) else [written]
    for function in functions:
        tensor = getattr(function, "__globals__", {}).get("Tensor")
        names = getattr(getattr(tensor, "__init__", None), "__globals__", {})
        if "backward" in names:
            return names
    return MACHINE.names or vars(machine.after(lesson))
