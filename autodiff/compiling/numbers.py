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
from typing import Any, NamedTuple

import numpy as np

from .nodes import ELEMENTWISE, Node, reachable
from .number_calls import MATH
from .plain import PlainWriter, free_name

LINE = 60
"""An expression that is used once is written inside another expression if it is shorter than this."""

# How tightly an operator binds, as in Python's own table.
CONDITION, COMPARISON, SUM, PRODUCT, MINUS, POWER, ATOM = range(7)

INFIX = {
    "add": ("+", SUM), "subtract": ("-", SUM), "multiply": ("*", PRODUCT), "divide": ("/", PRODUCT),
    "floor_divide": ("//", PRODUCT), "remainder": ("%", PRODUCT), "greater": (">", COMPARISON),
    "greater_equal": (">=", COMPARISON), "less": ("<", COMPARISON), "less_equal": ("<=", COMPARISON),
    "equal": ("==", COMPARISON), "not_equal": ("!=", COMPARISON),
}  # fmt: skip

QUICK = {name: getattr(math, name) for name in MATH.values()} | {"abs": abs, "np": np}
LIMITS = {"inf": math.inf, "nan": math.nan}


def is_of_numbers(results: Iterable[Node]) -> bool:
    """Whether the results, and all nodes that they depend on, are Python numbers."""
    return all(
        node.number is not None and (node.op in ELEMENTWISE or node.op in ("input", "const", "call"))
        for node in reachable(results)
    )


class Text(NamedTuple):
    """An expression, and how tightly its outermost operator binds."""

    text: str
    binds: int

    def within(self, binds: int) -> str:
        """The expression as an operand of an operator that binds so tightly, in parentheses if necessary."""
        return self.text if self.binds >= binds else f"({self.text})"


class NumberWriter:
    """Writes the source of a program of numbers.

    Attributes
    ----------
    source
        The program as a function of its inputs that returns the tuple of its results.
    constants
        The functions that the source refers to by name, except those of ``math``.
    """

    def __init__(
        self, inputs: Sequence[Node], results: Sequence[Node], words: Mapping[Node, str] | None = None
    ) -> None:
        self.words = words or {}
        self.constants: dict[str, Any] = {}
        self.lines: list[str] = []
        self.texts: dict[Node, Text] = {}
        self.functions: set[str] = set()
        self.taken = {*QUICK, *LIMITS, "program"}
        self.temporaries = 0
        arguments = [self.new_name(node.name or "x") for node in inputs]
        self.texts |= {node: Text(name, ATOM) for node, name in zip(inputs, arguments)}
        nodes = reachable(results)
        self.uses = Counter(arg for node in nodes for arg in node.args) + Counter(results)
        for node in nodes:
            if node not in self.texts:
                self.texts[node] = self.folded_or_named(node)
        returned = ", ".join(self.texts[node].text for node in results) + "," * (len(results) == 1)
        head = f"def program({', '.join(arguments)}):"
        self.source = "\n    ".join([head, *self.lines, f"return ({returned})"]) + "\n"

    @property
    def imports(self) -> str:
        """The imports that the source needs in a file of its own."""
        names = sorted(self.functions - {"abs", "np"})
        lines = [f"from math import {', '.join(names)}\n"] if names else []
        return "".join(lines + ["import numpy as np\n"] * ("np" in self.functions))

    def new_name(self, wish: str) -> str:
        """A name that is not taken."""
        return free_name(wish, self.taken)

    def folded_or_named(self, node: Node) -> Text:
        """The text of a node where it is used: its expression, or the name of a variable with its value."""
        if node.op == "const":
            return self.constant(node.value)
        text = self.expression(node)
        is_short = len(text.text) < LINE and text.binds > CONDITION
        if self.uses[node] == 1 and is_short and node.name is None:
            return text
        return self.variable(text, node.name or self.words.get(node))

    def variable(self, text: Text, name: str | None = None) -> Text:
        """A new variable with the value of an expression."""
        if name is None:
            self.temporaries += 1
            name = f"t{self.temporaries}"
        name = self.new_name(name)
        self.lines.append(f"{name} = {text.text}")
        return Text(name, ATOM)

    def constant(self, value: Any) -> Text:
        """The text of a number in Python."""
        if isinstance(value, float) and not math.isfinite(value):
            name = "nan" if math.isnan(value) else "inf"
            self.functions.add(name)
            return Text(f"-{name}", MINUS) if value < 0 else Text(name, ATOM)
        is_negative = value < 0 or (isinstance(value, float) and math.copysign(1, value) < 0)
        return Text(repr(value), MINUS if is_negative else ATOM)

    def expression(self, node: Node) -> Text:
        """The call of a node."""
        op, args = node.op, [self.texts[arg] for arg in node.args]
        if op not in ("where", "call") and all(arg.number is bool for arg in node.args):
            args = [Text(f"int({arg.text})", ATOM) for arg in args]  # as Python counts True
        if op in ("maximum", "minimum", "where") and node.number is float:
            args = [*args[:-2], *map(self.as_float, node.args[-2:], args[-2:])]
        if op in INFIX and not (op == "divide" and all(arg.op == "const" for arg in node.args)):
            sign, binds = INFIX[op]
            left = args[0].within(binds + (binds == COMPARISON))  # a < b < c means something else
            return Text(f"{left} {sign} {args[1].within(binds + 1)}", binds)
        if op == "negative":
            return Text(f"-{args[0].within(POWER)}", MINUS)
        if op == "power" and is_whole(node.args[1]):
            return Text(f"{args[0].within(ATOM)}**{args[1].text}", POWER)
        if op in ("maximum", "minimum"):
            return self.extremum(node, *args)
        if op == "where":
            condition, x, y = args
            branches = x.within(COMPARISON), y.within(COMPARISON)
            return Text(f"{branches[0]} if {condition.within(COMPARISON)} else {branches[1]}", CONDITION)
        return Text(self.called(node, ", ".join(arg.text for arg in args)), ATOM)

    def as_float(self, node: Node, text: Text) -> Text:
        """The text of an operand converted to float, for an operation that may return its operand
        unchanged."""
        if node.number is float:
            return text
        if node.op == "const":
            return self.constant(float(node.value))
        return Text(f"float({text.text})", ATOM)

    def extremum(self, node: Node, x: Text, y: Text) -> Text:
        """``maximum`` or ``minimum``. The comparison is written so that nan stays nan."""
        sign = ">" if node.op == "maximum" else "<"
        x, y = (text if text.binds == ATOM else self.variable(text) for text in (x, y))
        if node.args[1].op == "const" and node.args[1].value == 0:
            return Text(f"0.0 if {x.text} {'<' if sign == '>' else '>'}= 0 else {x.text}", CONDITION)
        return Text(f"{x.text} if {x.text} {sign} {y.text} or {x.text} != {x.text} else {y.text}", CONDITION)

    def called(self, node: Node, args: str) -> str:
        """The call of a function by its name."""
        function = "abs" if node.op == "absolute" else MATH.get(node.op)
        if function and node.number is float:
            self.functions.add(function)
            return f"{function}({args})"
        assert node.number is not None
        if node.op == "call":
            function = self.new_name(getattr(node.value, "__name__", "function").strip("<>"))
            self.constants[function] = node.value
            return f"{node.number.__name__}({function}({args}))"
        self.functions.add("np")
        return f"{node.number.__name__}(np.{node.op}({args}))"


def is_whole(node: Node) -> bool:
    """Whether a node is a constant without digits after the point. To such a power Python raises a negative
    number too; to others it would be complex."""
    return node.op == "const" and bool(np.isfinite(node.value)) and float(node.value).is_integer()


def runner(
    writer: NumberWriter, inputs: Sequence[Node], results: Sequence[Node]
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
