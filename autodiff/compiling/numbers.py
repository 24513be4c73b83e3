"""Programs of Python numbers: straight-line code for graphs in which every value is one number.

With Python's arithmetic it is fast, but Python raises an error where NumPy returns inf or nan: for 1/0, for
exp(1000), for the logarithm of 0. The program then runs again in its plain form, in which each call that
raises, and no other, is NumPy's, as in the engine.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .language import ATOM, CONDITION, MINUS, POWER, Language, Text, Writer, joined
from .nodes import ELEMENTWISE, ProgramNode, reachable
from .number_calls import MATH
from .plain import PlainWriter

LINE = 60
"""An expression that is used once is written inside another expression if it is shorter than this."""

QUICK = {name: getattr(math, name) for name in MATH.values()} | {"abs": abs, "np": np}
LIMITS = {"inf": math.inf, "nan": math.nan}


def is_of_numbers(results: Iterable[ProgramNode]) -> bool:
    """Whether the results, and all nodes that they depend on, are Python numbers."""
    return all(
        node.number is not None and (node.op in ELEMENTWISE or node.op in ("input", "const", "call"))
        for node in reachable(results)
    )


class NumberWriter(Writer):
    """Writes the source of a program of numbers.

    Attributes
    ----------
    constants
        The functions that the source refers to by name, except those of ``math``.
    """

    def __init__(
        self,
        inputs: Sequence[ProgramNode],
        results: Sequence[ProgramNode],
        words: Mapping[ProgramNode, str] | None = None,
        language: Language | None = None,
    ) -> None:
        super().__init__((*QUICK, *LIMITS, "program"))
        self.language = language or NUMBERS
        self.words = words or {}
        self.lines: list[tuple[str, str]] = []  # the name and the text of each variable
        self.texts: dict[ProgramNode, Text] = {}
        self.has_line: dict[ProgramNode, bool] = {}
        self.functions: set[str] = set()
        self.arguments = [self.new_name(node.name or "x") for node in inputs]
        self.texts |= {node: Text(name) for node, name in zip(inputs, self.arguments)}
        nodes = reachable(results)
        self.uses = Counter(arg for node in nodes for arg in node.args) + Counter(results)
        for node in nodes:
            if node not in self.texts:
                self.texts[node] = self.folded_or_named(node)
        self.returned = [self.texts[node].text for node in results]

    @property
    def source(self) -> str:
        """The program as a function of its inputs that returns the tuple of its results."""
        head = f"def program({', '.join(self.arguments)}):"
        lines = [f"{name} = {text}" for name, text in self.lines]
        end = f"return ({', '.join(self.returned)}{',' * (len(self.returned) == 1)})"
        return "\n    ".join([head, *lines, end]) + "\n"

    @property
    def imports(self) -> str:
        """The imports that the source needs in a file of its own."""
        names = sorted(self.functions - {"abs", "np"})
        lines = [f"from math import {', '.join(names)}\n"] if names else []
        return "".join(lines + ["import numpy as np\n"] * ("np" in self.functions))

    def folded_or_named(self, node: ProgramNode) -> Text:
        """The text of a node where it is used: its expression, or the name of a variable with its value."""
        if node.op == "const":
            return self.literal(node.value)
        text = self.called(node, self.operands(node))
        has_line = self.has_line[node] = self.needs_line(node, text)
        return self.variable(text, node.name or self.words.get(node)) if has_line else text

    def needs_line(self, node: ProgramNode, text: Text) -> bool:
        """Whether a value is a variable."""
        is_short = len(text.text) < LINE and text.binds > CONDITION
        return self.uses[node] != 1 or not is_short or node.name is not None

    def variable(self, text: Text, name: str | None = None) -> Text:
        """A new variable with the value of an expression."""
        name = self.numbered("t") if name is None else self.new_name(name)
        self.lines.append((name, text.text))
        return Text(name)

    def literal(self, value: Any) -> Text:
        """A number."""
        if isinstance(value, float) and not math.isfinite(value):
            self.functions.add("nan" if math.isnan(value) else "inf")
        return super().literal(value)

    def operands(self, node: ProgramNode) -> list[Text]:
        """The arguments of a node: bools as ints, and floats where one of them may be the result."""
        op, args = node.op, [self.texts[arg] for arg in node.args]
        if op not in ("where", "call") and all(arg.number is bool for arg in node.args):
            args = [Text(self.language.cast["int"].format(arg)) for arg in args]  # as Python counts True
        if op in ("maximum", "minimum", "where") and node.number is float:
            args = [*args[:-2], *map(self.as_float, node.args[-2:], args[-2:])]
        return args

    def as_float(self, node: ProgramNode, text: Text) -> Text:
        """The text of an operand converted to float, for an operation that may return its operand
        unchanged."""
        if node.number is float:
            return text
        is_known = node.op == "const"
        return self.literal(float(node.value)) if is_known else Text(self.language.cast["float"].format(text))


# -- the language -------------------------------------------------------------------------------------------


def takes_operator(node: ProgramNode) -> bool:
    """Whether a call may be written with its operator. Python refuses to compile ``1 / 0``."""
    return not (node.op == "divide" and all(arg.op == "const" for arg in node.args))


def power(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> Text | None:
    """A power with a whole exponent; ``pow`` computes others."""
    return Text(f"{args[0]:atom}**{args[1]}", POWER) if is_whole(node.args[1]) else None


def extremum(writer: NumberWriter, node: ProgramNode, args: Sequence[Text]) -> Text:
    """``maximum`` or ``minimum``. The comparison is written so that nan stays nan."""
    sign = ">" if node.op == "maximum" else "<"
    x, y = (text if text.binds == ATOM else writer.variable(text) for text in args)
    if node.args[1].op == "const" and node.args[1].value == 0:
        return Text(f"0.0 if {x} {'<' if sign == '>' else '>'}= 0 else {x}", CONDITION)
    return Text(f"{x} if {x} {sign} {y} or {x} != {x} else {y}", CONDITION)


def function(writer: NumberWriter, node: ProgramNode, args: Sequence[Text]) -> str:
    """The call of a function of ``math`` by its name, or else of NumPy's."""
    name = "abs" if node.op == "absolute" else MATH.get(node.op)
    if name and node.number is float:
        writer.functions.add(name)
        return f"{name}({joined(args)})"
    assert node.number is not None
    writer.functions.add("np")
    return f"{node.number.__name__}(np.{node.op}({joined(args)}))"


def opaque(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """A function that the program runs unchanged."""
    assert node.number is not None
    name = writer.keep(node.value, getattr(node.value, "__name__", "function").strip("<>"))
    return f"{node.number.__name__}({name}({joined(args)}))"


NUMBERS = Language(
    forms={
        "negative": (MINUS, "-{0:power}"), "power": power, "maximum": extremum, "minimum": extremum,
        "where": (CONDITION, "{1:comparison} if {0:comparison} else {2:comparison}"), "call": opaque,
    },
    takes_operator=takes_operator,
    call=function,
    limits=("inf", "nan"),
)  # fmt: skip


def is_whole(node: ProgramNode) -> bool:
    """Whether a node is a constant without digits after the point. To such a power Python raises a negative
    number too; to others it would be complex."""
    return node.op == "const" and bool(np.isfinite(node.value)) and float(node.value).is_integer()


def runner(
    writer: NumberWriter, inputs: Sequence[ProgramNode], results: Sequence[ProgramNode]
) -> Callable[..., tuple[Any, ...]]:
    """The program as a function of Python numbers."""
    run = defined(writer.source, {**QUICK, **LIMITS, **writer.constants})
    kinds = [node.number or float for node in results]

    @functools.cache
    def careful() -> Callable[..., tuple[Any, ...]]:
        plain = PlainWriter(inputs, results)
        return defined(plain.source(), {"np": np, **plain.constants})

    def program(*numbers: Any) -> tuple[Any, ...]:
        try:
            return run(*numbers)
        except (ArithmeticError, ValueError):
            return tuple(kind(value) for kind, value in zip(kinds, careful()(*numbers)))

    return program


def defined(source: str, names: dict[str, Any]) -> Callable[..., tuple[Any, ...]]:
    """The function ``program`` that a source defines."""
    exec(compile(source, "<compiled program>", "exec"), names)
    return names["program"]
