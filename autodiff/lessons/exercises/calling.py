"""Calling a reader's function for a judge: other arguments than asked for, printing in place of returning,
and a loop without end each have a message of their own."""

from __future__ import annotations

import contextlib
import dis
import inspect
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..checking import Mistake, NotYet
from ..machine.trying import STEPS, Stopped, stopped_after

PACKAGE = str(Path(__file__).resolve().parents[2])
NOTHING = {"RESUME", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE", "NOP", "COPY_FREE_VARS"}


def called(function: Callable[..., Any], *inputs: Any, said: str, header: str) -> Any:
    """The result of a reader's function.

    ``said`` is the call as the reader would write it, and ``header`` the first line that the function
    should have. Raises NotYet for a stub and Mistake for a call that gives nothing. What the function prints
    is shown afterwards.
    """
    if not callable(function):
        raise Mistake(f"A function is asked for here, and this is {function!r:.60}.")
    judge_arguments(function, inputs, header)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), stopped_after(STEPS, is_counted):
            value = function(*inputs)
    except Stopped:
        raise Mistake(f"{said} was stopped after {STEPS:,} steps. Does a loop never end?") from None
    sys.stdout.write(printed.getvalue())
    if value is not None:
        return value
    if is_stub(function):
        raise NotYet(f"{said} gave None.")
    what = "prints its result and" if printed.getvalue() else "computes something and"
    raise Mistake(f"{said} gave None: your function {what} returns nothing. End with `return`.")


def judge_arguments(function: Callable[..., Any], inputs: tuple[Any, ...], header: str) -> None:
    """Raise Mistake if a function cannot be called with so many arguments."""
    try:
        inspect.signature(function).bind(*inputs)
    except TypeError:
        count = f"{len(inputs)} argument{'s' * (len(inputs) != 1)}"
        raise Mistake(
            f"Your function cannot be called with {count}. Its first line should be `{header}`."
        ) from None
    except ValueError:  # a built-in function, which does not say what it takes
        return


def tensor_of(function: Callable[..., Any], other: type) -> type:
    """The class Tensor that a reader's function uses, so that `isinstance` works in it, or the other one."""
    found: Any = getattr(function, "__globals__", {}).get("Tensor")
    try:
        product = found(2) * found(3)
        is_right = (product.data, product.creation_op, found(2).creators) == (6, "mul", ())
    except Exception:  # noqa: BLE001  the reader's code may raise anything
        is_right = False
    return found if is_right and isinstance(found, type) else other


def is_counted(filename: str) -> bool:
    """Whether lines of this file count as the reader's: all but the package's own."""
    return not filename.startswith(PACKAGE)


def is_stub(function: Callable[..., Any]) -> bool:
    """Whether a function does nothing but return None."""
    code = getattr(function, "__code__", None)
    return code is not None and {step.opname for step in dis.get_instructions(code)} <= NOTHING
