"""Checks of an operation's rules and of its kind, made when the operation is defined."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from .dtypes import PRECISIONS

KINDS_OF_OPERATION = ("elementwise", "linear", "view", "multilinear")


def check_rule(operation: Any, rule: Callable[..., Any] | None, always: Sequence[str] = ()) -> set[str]:
    """The options that a rule has no defaults for. Raises TypeError if it cannot be called with a gradient,
    an output, the inputs, and the keywords that it ``always`` gets.

    A rule may omit an option, and then fails only in a call with that option. A lambda takes the name of its
    operation, so that Python's message says which rule failed. The names are read from the function's code,
    which takes a hundredth of the time of ``inspect.signature``.
    """
    if not inspect.isfunction(rule):
        return set()
    if rule.__name__ == "<lambda>":
        rule.__qualname__ = f"a rule of {operation}"
    code = rule.__code__
    count = code.co_argcount
    names = code.co_varnames[: count + code.co_kwonlyargcount]
    places = 2 + (0 if operation.is_variadic else len(operation.inputs))
    needed = {*names[places : count - len(rule.__defaults__ or ())]}
    needed |= {*names[count:]} - {*(rule.__kwdefaults__ or ())}
    takes_all = code.co_flags & inspect.CO_VARARGS or (count >= places and not operation.is_variadic)
    knows_all = code.co_flags & inspect.CO_VARKEYWORDS or {*always} <= {*names[places:count], *names[count:]}
    if takes_all and knows_all and needed <= {*operation.options, *always}:
        return needed - {*always}
    inputs = [f"*{name}" if operation.is_variadic else name for name in operation.inputs]
    call = ", ".join(["grad", "z", *inputs, *(f"{name}=..." for name in (*operation.options, *always))])
    raise TypeError(
        f"a rule of {operation} is called as rule({call}), which {rule.__name__}{inspect.signature(rule)} "
        "does not accept"
    )


def passes_on(rule: Callable[..., Any] | None) -> bool:
    """Whether a rule of two inputs returns the gradient unchanged, as the rules of a sum do. Its code is
    compared with that of such a rule.

    Example
    -------
    >>> from autodiff.engine.rules import passes_on
    >>> passes_on(lambda grad, z, x, y: grad), passes_on(lambda grad, z, x, y: grad * y)
    (True, False)
    """

    def unchanged(grad: Any, z: Any, x: Any, y: Any) -> Any:
        return grad

    code = getattr(rule, "__code__", None)
    return code is not None and code.co_argcount == 4 and code.co_code == unchanged.__code__.co_code


def check_kind(name: str, kind: str | None, sign: str | None) -> None:
    """Raise ValueError for an unknown kind of operation, and TypeError for a sign that is not a string."""
    if kind is not None and kind not in KINDS_OF_OPERATION:
        known = ", ".join(map(repr, KINDS_OF_OPERATION))
        raise ValueError(f"{name} has the unknown kind {kind!r}; use one of {known}, or None for any other")
    if sign is not None and not isinstance(sign, str):
        raise TypeError(f"the sign of {name} must be a string such as '*', not {sign!r}")


def check_precision(name: str, precision: str | None) -> None:
    """Raise ValueError for an unknown precision of an operation."""
    if precision is not None and precision not in PRECISIONS:
        known = ", ".join(map(repr, PRECISIONS))
        raise ValueError(
            f"{name} has the unknown precision {precision!r}; use one of {known}, or None to compute in the "
            "dtype of the operands"
        )
