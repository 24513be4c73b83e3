"""Python for readers: how the call of one node is written by hand, where that is not as in the run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..inference import is_basic
from ..language import ATOM, MINUS, POWER, PRODUCT, Language, Text, Writer, joined
from ..nodes import ProgramNode
from ..plain import MAY_RAISE, RUN
from .functions import call_text

METHODS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}
LONG = 8
"""Digits of a number from which on a shorter expression for it is looked for."""

SPECIAL_EXPONENTS = (-1, 0, 0.5, 1, 2)
"""For these ``x ** y`` is another call than ``np.power``, which may differ in the last bit."""


def doubled(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> Text | None:
    """``2 * x`` and ``x**2`` for a sum or product of an array with itself."""
    if not is_doubled(node):
        return None
    return Text(f"2 * {args[0]:power}", PRODUCT) if node.op == "add" else Text(f"{args[0]:atom}**2", POWER)


def power(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> Text | None:
    """``x**y`` where it is the same call."""
    if not is_written_as_power(node):
        return None
    exponent = args[1].text if node.args[1].op == "const" else args[1].within(ATOM)
    return Text(f"{args[0]:atom}**{exponent}", POWER)


def function(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """A function of NumPy. A call on Python numbers gives a Python number."""
    call = f"np.{node.op}({joined(args)})"
    return f"{node.number.__name__}({call})" if node.number else call


def item(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> Text | str:
    """``x[index]``, or x if the index selects all of it."""
    if is_whole(node):
        return args[0]
    return f"{args[0]:atom}[{short_index_of(writer, node, args[1:])}]"


def opaque(writer: Any, node: ProgramNode, args: Sequence[Text]) -> str:
    """A function that the program runs unchanged."""
    return call_text(node.value, [arg.text for arg in args], writer.imports, writer.keep)


def stack(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """``np.stack`` or ``np.concatenate``."""
    return f"np.{node.op}([{joined(args)}]{f', axis={node.options[0]}' * bool(node.options[0])})"


def is_doubled(node: ProgramNode) -> bool:
    """Whether a node is ``x + x`` or ``x * x`` of floats."""
    is_pair = node.op in ("add", "multiply") and node.args[0] is node.args[1]
    return is_pair and node.dtype.kind == "f" and bool(node.shape)


def is_written_as_power(node: ProgramNode) -> bool:
    """Whether ``x ** y`` is the same call as ``np.power(x, y)``. For Python numbers it is only where no error
    can arise: with a base in (0, 1]."""
    base, exponent = node.args
    if node.number:
        return base.op == "const" and 0 < base.value <= 1
    if not node.shape:
        return node.is_operator
    is_known = exponent.op == "const" and not exponent.shape
    return is_known and float(exponent.value) not in SPECIAL_EXPONENTS


def takes_operator(node: ProgramNode) -> bool:
    """Whether Python's operator computes the same, and raises no error where NumPy's function raises none."""
    is_safe = node.args[1].op == "const" and node.args[1].value != 0
    return node.is_operator and not (node.number and node.op in MAY_RAISE and not is_safe)


def reduction(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """A sum, or another reduction, as a method of the array."""
    (x,) = args
    axes, keepdims = node.options
    shape = node.args[0].shape
    if node.args[0].op == "transpose" and x.text.endswith(".T") and len(shape) == 2 and not keepdims:
        axes, x = tuple(1 - axis for axis in axes), Text(x.text.removesuffix(".T"))
    name = node.op.removeprefix("reduce_")
    axis = axes[0] if len(axes) == 1 else axes
    if name not in METHODS:
        return f"np.{name}.reduce({x}, axis={axis}{', keepdims=True' * keepdims})"
    options = ([f"axis={axis}"] if len(axes) < len(shape) else []) + ["keepdims=True"] * keepdims
    return f"{x:atom}.{METHODS[name]}({', '.join(options)})"


def full(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """An array with one value everywhere."""
    return filled(np.asarray(node.args[0].value).item(), node.shape, node.dtype)


def filled(value: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> str:
    """An array with the same value everywhere."""
    sizes = shape[0] if len(shape) == 1 else shape
    kind = "" if str(dtype) == "float64" else f", {str(dtype)!r}"
    if value in (0, 1) and math.copysign(1, value) > 0:
        return f"np.{'ones' if value else 'zeros'}({sizes}{kind})"
    return f"np.full({sizes}, {READING.literal(value, dtype)}{kind})"


def short_array(array: np.ndarray[Any, Any]) -> str | None:
    """How an array is made: ``np.zeros(...)``, or ``np.arange(...)``; None for other arrays."""
    if array.ndim == 1 and array.dtype == int and np.array_equal(array, np.arange(len(array))):
        return f"np.arange({len(array)})"
    if not array.size or array.dtype.kind not in "fiub":
        return None
    first = array.flat[0].item()
    is_same = bool((array == first).all()) and len(set(np.signbit(array).flat)) == 1
    return filled(first, array.shape, array.dtype) if is_same else None


def transpose(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """``x.T``; the transpose of ``x.T`` is x."""
    axes, inner = node.options[0], args[0].within(ATOM)
    if len(axes) == 2 and node.args[0].op == "transpose" and inner.endswith(".T"):
        return inner.removesuffix(".T")
    return f"{inner}.T" if axes == tuple(range(len(axes)))[::-1] else f"{inner}.transpose{axes}"


def reshape(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """``x.reshape(2, 3)``."""
    if node.args[0].number:
        return f"np.reshape({args[0]}, {node.shape})"
    return f"{args[0]:atom}.reshape({', '.join(map(str, node.shape)) or '()'})"


def short_index_of(writer: Writer, node: ProgramNode, computed: Sequence[Text]) -> str:
    """The index of a node as text, as short as it can be."""
    return writer.index(node, computed, short_index(node.value, node.args[0].shape))


def is_whole(node: ProgramNode) -> bool:
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


def few_digits(value: Any, dtype: np.dtype[Any] | None) -> str:
    """As few digits as the dtype of a number needs, or an expression that has the same value."""
    if not isinstance(value, float):
        return repr(value)
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


def short_literal(value: Any, dtype: np.dtype[Any] | None) -> Text:
    """A number beside an array of floats, where 2 is as good as 2.0."""
    is_short = isinstance(value, float) and value.is_integer() and abs(value) < 1000
    is_minus_zero = value == 0 and math.copysign(1, value) < 0
    return READING.literal(int(value) if is_short and not is_minus_zero else value, dtype)


READING = Language(
    forms={
        **RUN.forms, "add": doubled, "multiply": doubled, "power": power, "negative": (MINUS, "-{0:power}"),
        "reduce": reduction, "full": full, "getitem": item, "pick": item, "stack": stack,
        "concatenate": stack, "reshape": reshape, "transpose": transpose, "call": opaque,
    },
    takes_operator=takes_operator,
    call=function,
    limits=("np.inf", "np.nan"),
    digits=few_digits,
    statements={
        "zeros": "np.zeros({node.shape}, '{node.dtype}')", "copy": "np.array({0})", "kept": "{0}.copy()",
        "set": "{name}[{index}] = {text}", "add": "{name}[{index}] += {text}",
        "add_at": "np.add.at({name}, {where}, {text})", "fill": "{name}[...] = {text}",
        "change": "{name} {sign}= {text}", "clip": "np.clip({0}, {1}, {2})",
    },
)  # fmt: skip
