"""Expressions: the call of one node as it is written by hand, given the texts of its arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..inference import ComputedPart, is_basic
from ..nodes import ELEMENTWISE, Node
from ..numbers import ATOM, COMPARISON, INFIX, MINUS, POWER, PRODUCT, Text
from ..plain import index_text

OPERATORS = {**INFIX, "matmul": ("@", PRODUCT)}
METHODS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}
LONG = 8
"""Digits of a number from which on a shorter expression for it is looked for."""

SPECIAL_EXPONENTS = (-1, 0, 0.5, 1, 2)
"""For these ``x ** y`` is another call than ``np.power``, which may differ in the last bit."""


def expression(node: Node, args: Sequence[Text], keep: Callable[[Any], str]) -> Text:
    """The call of a node. ``keep`` gives the text of an array that the function refers to."""
    op = node.op
    if op in ELEMENTWISE or op == "matmul":
        return elementwise(node, args)
    if op.startswith("reduce_"):
        return Text(reduction(node, args[0]), ATOM)
    if op == "full":
        return Text(filled(np.asarray(node.args[0].value).item(), node.shape, node.dtype), ATOM)
    if op in ("getitem", "pick"):
        if is_whole(node):
            return args[0]
        return Text(f"{args[0].within(ATOM)}[{index_of(node, args[1:], keep)}]", ATOM)
    if op == "part":
        return Text(f"{args[0].within(ATOM)}[{node.value}]", ATOM)
    if op in ("stack", "concatenate"):
        parts = ", ".join(arg.text for arg in args)
        return Text(f"np.{op}([{parts}]{f', axis={node.options[0]}' * bool(node.options[0])})", ATOM)
    return Text(view(node, args[0]), ATOM)


def elementwise(node: Node, args: Sequence[Text]) -> Text:
    """An operator, or a function of NumPy. A call on Python numbers gives a Python number."""
    op = node.op
    if is_doubled(node):
        return Text(f"2 * {args[0].within(POWER)}", PRODUCT) if op == "add" else square(args[0])
    if op == "power" and is_written_as_power(node):
        exponent = args[1].text if node.args[1].op == "const" else args[1].within(ATOM)
        return Text(f"{args[0].within(ATOM)}**{exponent}", POWER)
    if op == "negative":
        return Text(f"-{args[0].within(POWER)}", MINUS)
    if op in OPERATORS and node.is_operator and not (node.number and may_raise(node)):
        sign, binds = OPERATORS[op]
        left = args[0].within(binds + (binds == COMPARISON))  # a < b < c means something else
        return Text(f"{left} {sign} {args[1].within(binds + 1)}", binds)
    call = f"np.{op}({', '.join(arg.text for arg in args)})"
    return Text(f"{node.number.__name__}({call})" if node.number else call, ATOM)


def is_doubled(node: Node) -> bool:
    """Whether a node is ``x + x`` or ``x * x`` of floats."""
    is_pair = node.op in ("add", "multiply") and node.args[0] is node.args[1]
    return is_pair and node.dtype.kind == "f" and bool(node.shape)


def square(x: Text) -> Text:
    """``x * x`` of an array."""
    return Text(f"{x.within(ATOM)}**2", POWER)


def is_written_as_power(node: Node) -> bool:
    """Whether ``x ** y`` is the same call as ``np.power(x, y)``. For Python numbers it is if no error can
    arise."""
    base, exponent = node.args
    if node.number:
        return base.op == "const" and 0 < base.value <= 1
    if not node.shape:
        return node.is_operator
    is_known = exponent.op == "const" and not exponent.shape
    return is_known and float(exponent.value) not in SPECIAL_EXPONENTS


def may_raise(node: Node) -> bool:
    """Whether Python's operator raises an error for some numbers for which NumPy's function does not."""
    return node.op in ("divide", "floor_divide", "remainder") and not (
        node.args[1].op == "const" and node.args[1].value != 0
    )


def reduction(node: Node, x: Text) -> str:
    """A sum, or another reduction, as a method of the array."""
    axes, keepdims = node.options
    shape = node.args[0].shape
    if node.args[0].op == "transpose" and x.text.endswith(".T") and len(shape) == 2 and not keepdims:
        axes, x = tuple(1 - axis for axis in axes), Text(x.text.removesuffix(".T"), ATOM)
    axis = axes[0] if len(axes) == 1 else axes
    options = ([f"axis={axis}"] if len(axes) < len(shape) else []) + ["keepdims=True"] * keepdims
    name = node.op.removeprefix("reduce_")
    if name in METHODS:
        return f"{x.within(ATOM)}.{METHODS[name]}({', '.join(options)})"
    return f"np.{name}.reduce({x.text}, axis={axis}{', keepdims=True' * keepdims})"


def filled(value: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> str:
    """An array with the same value everywhere."""
    sizes = shape[0] if len(shape) == 1 else shape
    kind = "" if str(dtype) == "float64" else f", {str(dtype)!r}"
    if value in (0, 1) and math.copysign(1, value) > 0:
        return f"np.{'ones' if value else 'zeros'}({sizes}{kind})"
    return f"np.full({sizes}, {literal(value, dtype)}{kind})"


def short_array(array: np.ndarray[Any, Any]) -> str | None:
    """How an array is made: ``np.zeros(...)``, or ``np.arange(...)``; None for other arrays."""
    if array.ndim == 1 and array.dtype == int and np.array_equal(array, np.arange(len(array))):
        return f"np.arange({len(array)})"
    if not array.size or array.dtype.kind not in "fiub":
        return None
    first = array.flat[0].item()
    is_same = bool((array == first).all()) and len(set(np.signbit(array).flat)) == 1
    return filled(first, array.shape, array.dtype) if is_same else None


def view(node: Node, x: Text) -> str:
    """Another view of an array, or the array in another dtype."""
    inner, op = x.within(ATOM), node.op
    if op == "astype":
        if node.number:
            return f"{node.number.__name__}({x.text})"
        dtype = f"{str(node.dtype)!r}"
        return f"np.asarray({x.text}, {dtype})" if node.args[0].number else f"{inner}.astype({dtype})"
    if op == "copy":
        return f"{inner}.copy()"
    if op == "ascontiguousarray":
        return f"np.ascontiguousarray({x.text})"
    if op == "broadcast_to":
        return f"np.broadcast_to({x.text}, {node.shape})"
    if op == "transpose":
        axes = node.options[0]
        if len(axes) == 2 and node.args[0].op == "transpose" and inner.endswith(".T"):
            return inner.removesuffix(".T")
        return f"{inner}.T" if axes == tuple(range(len(axes)))[::-1] else f"{inner}.transpose{axes}"
    if node.args[0].number:
        return f"np.reshape({x.text}, {node.shape})"
    return f"{inner}.reshape({', '.join(map(str, node.shape)) or '()'})"


def index_of(node: Node, computed: Sequence[Text], keep: Callable[[Any], str]) -> str:
    """An index as text, with the texts of its arrays and of its computed parts."""
    remaining = iter(computed)

    def other(part: Any) -> str:
        return next(remaining).text if isinstance(part, ComputedPart) else keep(part)

    return index_text(short_index(node.value, node.args[0].shape), other)


def is_whole(node: Node) -> bool:
    """Whether an index selects the whole array."""
    if not is_basic(node.value):
        return False
    index = short_index(node.value, node.args[0].shape)
    return index == slice(None) or (isinstance(index, tuple) and all(part == slice(None) for part in index))


def short_index(index: Any, shape: tuple[int, ...]) -> Any:
    """A basic index without the bounds of slices that reach to the end of their axis."""
    parts = index if isinstance(index, tuple) else (index,)
    if not is_basic(index) or Ellipsis in parts:
        return index
    sizes = iter(shape)
    short = tuple(part if part is None else short_part(part, next(sizes)) for part in parts)
    return short if isinstance(index, tuple) else short[0]


def short_part(part: Any, size: int) -> Any:
    """A part of an index along an axis of a size."""
    if not isinstance(part, slice) or (part.step or 1) < 0:
        return part
    start = part.start if part.start != 0 else None
    stop = part.stop if part.stop is None or part.stop < size else None
    return slice(start, stop, None if part.step == 1 else part.step)


def literal(value: Any, dtype: np.dtype[Any] | None = None) -> str:
    """A number in Python: as few digits as its dtype needs, or an expression that has the same value. Without
    a dtype it is a Python number, which takes the dtype of an array beside it."""
    if not isinstance(value, float):
        return repr(value)
    if not math.isfinite(value):
        return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"
    kind = np.dtype(float) if dtype is None or dtype.kind != "f" else dtype
    if dtype is not None and abs(value) == float(np.finfo(str(kind)).max):
        name = "float" if str(kind) == "float64" else repr(str(kind))
        return f"{'-' * (value < 0)}np.finfo({name}).max"
    digits = repr(float(str(kind.type(value))))
    return digits if len(digits) <= LONG else known_number(value, kind) or digits


def known_number(value: float, kind: np.dtype[Any]) -> str | None:
    """A number of many digits as ``1 - 0.9``, ``1 / 3`` or ``8**0.5``; None if it is none of these."""
    size = abs(value)
    if not 1e-6 < size < 1e6:
        return None
    whole = round(1 / size), round(size * size)
    found = {
        f"(1 - {round(1 - size, 6)})": 1 - round(1 - size, 6),
        f"(1 / {whole[0]})": 1 / max(whole[0], 1),
        f"{whole[1]}**0.5": whole[1] ** 0.5,
    }
    exact = [text for text, other in found.items() if kind.type(other) == kind.type(size)]
    return f"{'-' * (value < 0)}{exact[0]}" if exact else None


def short_literal(value: Any, dtype: np.dtype[Any] | None) -> str:
    """A number beside an array of floats, where 2 is as good as 2.0."""
    is_short = isinstance(value, float) and value.is_integer() and abs(value) < 1000
    is_minus_zero = value == 0 and math.copysign(1, value) < 0
    return str(int(value)) if is_short and not is_minus_zero else literal(value, dtype)


def as_text(number: str) -> Text:
    """A number as text that tells how tightly it binds."""
    return Text(number, MINUS if number.startswith("-") else POWER if "**" in number else ATOM)
