"""Simplifications that are applied when a node is made: calls on constants are computed, and calls that
change nothing are left out.

Each rule keeps every bit, for inf, nan and -0 too: ``0 * x`` is not 0, since x may be inf, and ``x + 0`` is
not x, since x may be -0. The rules are listed in ``simplified``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .inference import broadcast_shape, dtype_of_call
from .nodes import ProgramNode
from .number_calls import BITWISE, SHIFTS, number_call

COMPARISONS = frozenset(
    ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal", "logical_and", "logical_or",
     "logical_not", "isnan", "isinf", "isfinite", "signbit")
)  # fmt: skip
KEEP_INTEGERS = frozenset(
    ("add", "subtract", "multiply", "negative", "positive", "absolute", "maximum", "minimum", "sign")
)
LIMITS = {"maximum": -np.inf, "minimum": np.inf}


def number_type(name: str, args: Sequence[ProgramNode]) -> type:
    """The type of a call on Python numbers: ``float``, ``int`` or ``bool``. A call on integers that gives
    floats for some of them, or an error, gives floats."""
    if name in COMPARISONS:
        return bool
    kinds = {arg.number for arg in (args[1:] if name == "where" else args)}
    if kinds == {bool} and (name == "where" or name in BITWISE):
        return bool
    if float in kinds:
        return float
    last = args[-1]
    if name == "power":
        return int if last.number is bool or (last.op == "const" and last.value >= 0) else float
    if name in ("floor_divide", "remainder"):
        return int if last.op == "const" and last.value != 0 else float
    return int if name in KEEP_INTEGERS | BITWISE | SHIFTS else float


def is_numpy_apart(name: str, args: Sequence[ProgramNode]) -> bool:
    """Whether NumPy's function on Python numbers gives another kind of result than Python's operator. With a
    float among them both give a float, unless they compare."""
    counted = args[1:] if name == "where" else args
    return name in COMPARISONS or all(arg.number is not float for arg in counted)


def as_python_counts(name: str, args: Sequence[Any], number: type | None) -> Sequence[Any]:
    """The arguments of a call on Python numbers, for NumPy's function: in Python True counts as 1, and
    booleans in NumPy are a type of their own, whose sum is a logical or. An integer to a negative one is a
    float in Python, and an error in NumPy."""
    if number not in (int, float) or name == "where":
        return args
    kinds = "biu" if name == "power" else "b"
    return [np.multiply(arg, 1, dtype=number) if kind_of_count(arg) in kinds else arg for arg in args]


def kind_of_count(value: Any) -> str:
    """The kind of the dtype of a value, an array or a symbol."""
    return value.dtype.kind if hasattr(value, "dtype") else np.min_scalar_type(value).kind


def folded(name: str, args: Sequence[ProgramNode], shape: Any, dtype: Any, number: type | None) -> Any:
    """The value of a call on constants."""
    if number is float and name != "where":
        return number_call(name)(*[arg.value for arg in args])
    with np.errstate(all="ignore"):
        value = getattr(np, name)(*as_python_counts(name, [arg.value for arg in args], number))
    if number is not None:
        return number(value)
    return np.asarray(value, dtype).reshape(shape)[()] if shape == () else np.asarray(value, dtype)


def is_constant(node: ProgramNode, value: float) -> bool:
    """Whether a node has this value everywhere."""
    if node.op == "full":
        node = node.args[0]
    return node.op == "const" and np.size(node.value) == 1 and bool(np.all(node.value == value))


def without_broadcasts(
    name: str, args: tuple[ProgramNode, ...], shape: Any, dtype: Any
) -> tuple[ProgramNode, ...]:
    """The arguments of an elementwise call, without broadcasts that the call does itself. A Python number
    stays an array where the dtype of the result would be another one."""
    for place, arg in enumerate(args):
        if arg.op in ("broadcast_to", "full"):
            others = [other.shape for other in args[:place] + args[place + 1 :]]
            inner = arg.args[0]
            if others and broadcast_shape([inner.shape, *others]) == shape:
                fewer = (*args[:place], inner, *args[place + 1 :])
                if not inner.number or dtype_of_call(name, fewer) == dtype:
                    args = fewer
    return args


def with_broadcast_last(
    graph: Any, name: str, args: Sequence[ProgramNode], shape: Any
) -> ProgramNode | None:
    """An elementwise call of broadcast arrays and numbers, computed before it is broadcast. Its result has
    no memory order of its own, in contrast to that of the call. None if an argument is not broadcast."""
    if not all(arg.op == "broadcast_to" or not arg.shape for arg in args):
        return None
    inner = [arg.args[0] if arg.op == "broadcast_to" else arg for arg in args]
    if broadcast_shape([arg.shape for arg in inner]) == shape:
        return None
    return graph.broadcast_to(graph.elementwise(name, *inner), shape)


def simplified(
    graph: Any, name: str, args: Sequence[ProgramNode], shape: Any, dtype: Any, number: type | None
) -> ProgramNode | None:
    """A simpler node that has the same value in every bit; None if no rule applies."""
    call = graph.elementwise

    def alike(node: ProgramNode) -> bool:  # the result has the node's shape, dtype and memory order
        is_alike = node.shape == shape and node.dtype == dtype and node.number is number
        return is_alike and node.op != "broadcast_to"

    if name == "negative":
        (x,) = args
        return x.args[0] if x.op == "negative" and alike(x.args[0]) else None  # --x
    if name == "exp" and args[0].op == "negative" and args[0].args[0].op == "subtract":
        x, y = args[0].args[0].args
        return call("exp", call("subtract", y, x)) if dtype.kind == "f" else None  # exp(-(x - y))
    if len(args) != 2:
        return None
    x, y = args
    if name == "multiply":
        if number is int and any(is_constant(arg, 0) for arg in args):
            return graph.const(0)  # 0 * x, where x is an int
        if dtype.kind in "iub" and number is None and any(is_constant(arg, 0) for arg in args):
            return graph.full(shape, dtype.type(0))  # x * 0, where x holds ints or booleans
        if is_constant(y, 1) and alike(x):
            return x  # x * 1
        if is_constant(y, -1) and alike(x) and dtype.kind == "f":
            return call("negative", x)  # x * -1
        if is_constant(x, -1) and alike(y) and dtype.kind == "f":
            return call("negative", y)  # -1 * y
        if is_constant(x, 1) and alike(y):
            return y  # 1 * y
        if is_minus(y) and x.op != "const":
            return call("negative", call("multiply", x, y.args[0]))  # x * -y
        if is_minus(x) and y.op != "const":
            return call("negative", call("multiply", x.args[0], y))  # -x * y
    elif name == "divide":
        if is_constant(y, 1) and alike(x):
            return x  # x / 1
        if is_minus(x):
            return call("negative", call("divide", x.args[0], y))  # -x / y
    elif name == "add":
        if is_minus(y):
            return call("subtract", x, y.args[0])  # x + -y
        if is_minus(x):
            return call("subtract", y, x.args[0])  # -x + y
    elif name == "subtract":
        if is_constant(y, 0) and alike(x) and not np.signbit(constant_of(y)):
            return x  # x - 0
        if is_minus(y):
            return call("add", x, y.args[0])  # x - -y
        if x.op == "negative" and x.args[0] is y and dtype.kind == "f":
            return call("multiply", y, graph.const(-2.0))  # -y - y
    elif name == "power" and dtype.kind == "f":
        if is_constant(y, 2) and alike(x):
            return call("multiply", x, x)  # x ** 2, which NumPy computes in the same way
        if is_constant(y, 1) and alike(x):
            return x  # x ** 1
        if is_constant(y, 0) and number is float:
            return graph.const(1.0)  # x ** 0, for nan too
        if is_constant(y, 0) and number is None:
            return graph.full(shape, dtype.type(1))
    elif is_constant(y, LIMITS.get(name, np.nan)) and dtype.kind == "f" and alike(x):
        return x  # the larger of x and -inf
    return None


def is_minus(node: ProgramNode) -> bool:
    """Whether a node is ``-x`` of floats. For unsigned integers ``-x`` wraps around, so they are left out.
    So is ``-x`` of a broadcast array: in contrast to x, it has a memory order, which the result may get."""
    is_minus_x = node.op == "negative" and node.dtype.kind == "f"
    return is_minus_x and node.args[0].op != "broadcast_to"


def constant_of(node: ProgramNode) -> Any:
    """The value of a constant, or the one value of an array that is the same everywhere."""
    return node.args[0].value if node.op == "full" else node.value
