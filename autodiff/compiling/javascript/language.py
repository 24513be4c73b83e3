"""JavaScript as a table for the one writer of expressions: calls of the runtime, and operators on numbers."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..language import (
    ATOM,
    COMPARISON,
    CONDITION,
    MINUS,
    OPERATORS,
    POWER,
    Language,
    Text,
    Writer,
    joined,
)  # fmt: skip
from ..nodes import ELEMENTWISE, ProgramNode
from ..numbers import NumberWriter
from ..opaque import ArgumentPlace, call_with
from .shaking import declarations

NAMES = frozenset((
    "Infinity", "Math", "NaN", "Number", "arguments", "await", "case", "catch", "const", "debugger",
    "default", "delete", "do", "else", "enum", "eval", "export", "extends", "false", "function",
    "implements", "in", "instanceof", "interface", "let", "nd", "new", "null", "package", "private",
    "protected", "public", "static", "super", "switch", "this", "throw", "true", "typeof", "undefined", "var",
    "void", "with",
))  # fmt: skip
"""What no variable can be called."""

REDUCTIONS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_or": "any",
    "logical_and": "all",
}  # fmt: skip
UNUSED = ("kind", "optimize", "exact", "wanted")
"""Options that change how a function of NumPy or of this package computes, and not what."""

OF_ARRAYS = frozenset(("reshape", "broadcast_to", "transpose", "stack", "concatenate", "getitem", "pick"))
"""The operations whose result has the dtype of an operand, which a number of JavaScript does not tell."""

DTYPES = {f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)}
DTYPES |= {"float16", "float32", "float64", "bool"}
SMALL = 8  # elements of an array that is written as a list


def refused(node: ProgramNode) -> str | None:
    """Why a value cannot be computed in JavaScript; None if it can."""
    is_several = node.op == "call" and node.dtype.kind == "O"  # results, each of which is a part
    if str(node.dtype) in DTYPES or is_several:
        return None
    if node.dtype.kind == "c":
        return "the JavaScript runtime has no complex numbers"
    return f"JavaScript has no numbers of dtype {node.dtype}"


def called(name: str) -> str:
    """A function of the runtime. Raises NotImplementedError if it has none of that name."""
    if name not in declarations():
        raise NotImplementedError(f"the JavaScript runtime has no {name}")
    return f"nd.{name}"


def math_functions() -> Mapping[str, str]:
    """The functions of numbers that the runtime takes from JavaScript's ``Math``."""
    found = {}
    for name, declaration in declarations().items():
        match = re.fullmatch(
            r"const \w+ = elementwise\d\(\((x(?:, y)?)\) => Math\.(\w+)\(\1\)(?:, \w+)?\);", declaration.code
        )
        if match is not None:
            found[name] = f"Math.{match[2]}"
    return found


# -- values -------------------------------------------------------------------------------------------------


def digits(value: Any, dtype: Any) -> str:
    """A number."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


def value(x: Any) -> str:
    """A value other than an array: a number, a text, a list, or nothing."""
    if isinstance(x, (np.dtype, type)):
        return json.dumps(np.dtype(x).name)
    if isinstance(x, (list, tuple)):
        return f"[{', '.join(map(value, x))}]"
    if isinstance(x, np.generic):
        return value(x.item())
    if isinstance(x, float):
        return JAVASCRIPT.literal(x).text
    if x is None or isinstance(x, (bool, int, str)):
        return json.dumps(x)
    raise NotImplementedError(f"a {type(x).__name__} has no counterpart in JavaScript")


def array_text(array: np.ndarray[Any, Any]) -> str:
    """An array: a list if it is short, one value everywhere, or its bytes."""
    dtype, flat = json.dumps(array.dtype.name), array.ravel()
    if not array.size:
        return f"nd.zeros({list(array.shape)}, {dtype})"
    has_one_sign = array.dtype.kind != "f" or len({*np.signbit(flat)}) == 1
    if (flat == flat[0]).all() and has_one_sign:
        return f"nd.full({list(array.shape)}, {value(flat[0])}, {dtype})"
    if array.size <= SMALL and array.dtype.kind in "iub":
        return f"nd.array({value(array.tolist())}, {dtype})"
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"))
    return f'nd.packed("{base64.b64encode(little.tobytes()).decode()}", {list(array.shape)}, {dtype})'


def index_parts(index: Any, other: Any) -> str:
    """An index as the arguments of ``getitem``; ``other`` gives the text of arrays and computed parts."""
    return ", ".join(index_part(part, other) for part in (index if isinstance(index, tuple) else (index,)))


def index_part(part: Any, other: Any) -> str:
    """A part of an index."""
    if isinstance(part, slice):
        ends = {"from": part.start, "to": part.stop, "by": part.step}
        return f"{{{', '.join(f'{key}: {end}' for key, end in ends.items() if end is not None)}}}"
    if part is Ellipsis:
        return '"..."'
    if part is None:
        return "null"
    return str(part) if isinstance(part, (int, np.integer)) else str(other(part))


# -- calls --------------------------------------------------------------------------------------------------


def as_array(text: Any, dtype: Any) -> Text:
    """A number as an array without axes, which has a dtype."""
    return Text(f'nd.array({text}, "{dtype}")')


def operands(node: ProgramNode, args: Sequence[Text]) -> list[Text]:
    """The operands of a call on arrays. JavaScript does not tell 2.0 from 2: where that decides the dtype of
    the result, the number becomes an array."""
    others = [arg for arg in node.args if not arg.number]
    if node.number or (node.op in ELEMENTWISE and any(x.dtype.kind == "f" for x in others)):
        return [*args]
    always = node.op in OF_ARRAYS or not others
    decides = {arg for arg in node.args if arg.number and (always or arg.number is float)}
    return [as_array(text, arg.dtype) if arg in decides else text for arg, text in zip(node.args, args)]


def function(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """The call of a function of the runtime, or of ``Math`` for numbers."""
    if node.number and node.op in MATH:
        return f"{MATH[node.op]}({joined(args)})"
    return f"{called(node.op)}({joined(operands(node, args))})"


def negative(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> Text | None:
    """``-x`` of a number."""
    return Text(f"-{args[0]:atom}", MINUS) if node.number else None


def power(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> Text | None:
    """A number to a constant power, which is the power of C then."""
    if not node.number or node.args[1].op != "const" or not np.isfinite(node.args[1].value):
        return None
    if node.args[1].value == 2 and args[0].text.isidentifier():
        return Text(f"{args[0]} * {args[0]}", OPERATORS["multiply"][1])
    return Text(f"{args[0]:atom} ** {args[1]:atom}", POWER)


def extremum(writer: Any, node: ProgramNode, args: Sequence[Text]) -> str | None:
    """``Math.max`` or ``Math.min``. In a program of numbers an operand is a variable where it is one in
    Python, which names it twice."""
    if isinstance(writer, NumberWriter):
        pairs = zip(args, writer.python.operands(node))  # type: ignore[attr-defined]
        args = [text if theirs.binds == ATOM else writer.variable(text) for text, theirs in pairs]
    return f"{MATH[node.op]}({joined(args)})" if node.number else None


def condition(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> Text | None:
    """``c ? x : y`` for numbers."""
    if not node.number:
        return None
    c, x, y = (text.within(COMPARISON) for text in args)
    return Text(f"{c} ? {x} : {y}", CONDITION)


def astype(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> Text | str:
    """A value in another dtype."""
    x = node.args[0]
    if not node.number:
        return str(as_array(args[0], node.dtype)) if x.number else f'nd.astype({args[0]}, "{node.dtype}")'
    number = args[0] if x.number else Text(f"nd.number({args[0]})")
    if node.number is bool and x.number is not bool:
        return Text(f"{number:sum} !== 0", COMPARISON)
    return f"Math.trunc({number})" if node.number is int else f"Number({number})"


def reduction(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """A sum, or another reduction."""
    axes, keepdims = node.options
    x = node.args[0]
    options = {"axis": value(axes)} if len(axes) < len(x.shape) else {}
    options |= {"keepdims": "true"} if keepdims else {}
    options |= {"dtype": value(node.dtype)} if x.dtype.kind != "f" or x.dtype != node.dtype else {}
    return f"{called(REDUCTIONS.get(node.op[7:], node.op))}({joined([args[0], *options_text(options)])})"


def options_text(options: Mapping[str, str]) -> list[str]:
    """Options, whose values are texts, as the last argument of a call; nothing if there are none."""
    return [f"{{{', '.join(f'{key}: {text}' for key, text in options.items())}}}"] if options else []


def full(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """An array with one value everywhere."""
    return f'nd.full({list(node.shape)}, {value(np.asarray(node.args[0].value).item())}, "{node.dtype}")'


def item(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """``x[index]``."""
    return f"nd.getitem({operands(node, args)[0]}, {writer.index(node, args[1:])})"


def shaped(name: str) -> Any:
    """The form of a call with the shape of the result."""

    def form(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
        return f"nd.{name}({operands(node, args)[0]}, {list(node.shape)})"

    return form


def transpose(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """Other axes; turned around, if none are given."""
    axes = node.options[0]
    is_turned = axes == tuple(range(len(axes)))[::-1]
    return f"nd.transpose({joined([args[0], *([] if is_turned else [list(axes)])])})"


def stack(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """Arrays joined along a new axis, or along one that they have."""
    options = {"axis": value(node.options[0])} if node.options[0] else {}
    return f"nd.{node.op}({joined([f'[{joined(operands(node, args))}]', *options_text(options)])})"


def opaque(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """A function that a program runs unchanged: one of NumPy's, or of this package, that the runtime has."""
    run, pattern, options = node.value, [ArgumentPlace(i) for i in range(len(args))], {}
    if getattr(run, "func", None) is call_with:
        run, (pattern, options) = run.args
    name = run.__name__
    if name == "reduce":
        name = REDUCTIONS.get(run.__self__.__name__, run.__self__.__name__)
    if (getattr(run, "__module__", None) or "numpy").split(".")[0] not in ("numpy", "autodiff"):
        raise NotImplementedError(f"{name} is a function of yours, which is not translated to JavaScript")

    def text(part: Any) -> str:
        if isinstance(part, ArgumentPlace):
            return str(args[part.number])
        if isinstance(part, (list, tuple)):
            return f"[{joined([*map(text, part)])}]"
        return writer.array(part) if isinstance(part, np.ndarray) else value(part)

    named = {key: text(x) for key, x in options.items() if key not in UNUSED and x is not np._NoValue}
    call = f"{called(name)}({joined([*map(text, pattern), *options_text(named)])})"
    return f"nd.number({call})" if node.number else call


MATH = math_functions()
JAVASCRIPT = Language(
    forms={
        "negative": negative, "power": power, "maximum": extremum, "minimum": extremum,
        "where": condition, "astype": astype, "reduce": reduction,
        "full": full, "getitem": item, "pick": item, "reshape": shaped("reshape"),
        "broadcast_to": shaped("broadcast_to"), "transpose": transpose, "stack": stack, "concatenate": stack,
        "call": opaque, "copy": "nd.copy({0})", "ascontiguousarray": "nd.ascontiguousarray({0})",
        "part": "{0:atom}[{node.value}]",
    },
    takes_operator=lambda node: bool(node.number) and all(arg.number for arg in node.args),
    call=function,
    limits=("Infinity", "NaN"),
    digits=digits,
    operators={
        name: ({"==": "===", "!=": "!=="}.get(sign, sign), binds)
        for name, (sign, binds) in OPERATORS.items()
        if name not in ("floor_divide", "remainder", "matmul")
    },
    statements={
        "zeros": 'nd.zeros({shape}, "{node.dtype}")', "copy": "nd.copy({0})", "kept": "nd.copy({0})",
        "set": "nd.setitem({name}, {text}, {index})", "add": "nd.add_at({name}, [{index}], {text})",
        "add_at": "nd.add_at({name}, [{index}], {text})", "fill": 'nd.setitem({name}, {text}, "...")',
        "change": "nd.{node.op}({name}, {text}, {{out: {name}}})", "clip": "nd.clip({0}, {1}, {2})",
    },
    scalar='nd.array({text}, "{dtype}")',
    cast={"int": "Number({0})", "float": "Number({0})"},
)  # fmt: skip
"""Numbers are written with operators and ``Math``, everything else as calls of the runtime."""
