"""A language as a table, and the one writer of expressions.

A ``Language`` says how the call of each operation is written: in a form of its own, by an operator, or else
as the call of a function. Python is written in three of them: for the run on arrays (``plain.py``), for the
run on numbers (``numbers.py``), and for readers (``printing/expressions.py``). A further language is another
table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .inference import ComputedPart
from .naming import Names
from .nodes import ProgramNode

# How tightly an operator binds, as in Python's own table.
CONDITION, COMPARISON, SUM, PRODUCT, MINUS, POWER, ATOM = range(7)
LEVELS = {"comparison": COMPARISON, "sum": SUM, "product": PRODUCT, "power": POWER, "atom": ATOM}

OPERATORS = {
    "add": ("+", SUM), "subtract": ("-", SUM), "multiply": ("*", PRODUCT), "divide": ("/", PRODUCT),
    "floor_divide": ("//", PRODUCT), "remainder": ("%", PRODUCT), "matmul": ("@", PRODUCT),
    "greater": (">", COMPARISON), "greater_equal": (">=", COMPARISON), "less": ("<", COMPARISON),
    "less_equal": ("<=", COMPARISON), "equal": ("==", COMPARISON), "not_equal": ("!=", COMPARISON),
}  # fmt: skip
"""Python's operators with two operands, for NumPy's functions, with how tightly they bind."""


class Text(NamedTuple):
    """An expression, and how tightly its outermost operator binds.

    >>> total = Text("a + b", SUM)
    >>> f"f({total})", f"{total:product} * c"
    ('f(a + b)', '(a + b) * c')
    """

    text: str
    binds: int = ATOM

    def within(self, binds: int) -> str:
        """The expression as an operand of an operator that binds so tightly, in parentheses if necessary."""
        return self.text if self.binds >= binds else f"({self.text})"

    def __str__(self) -> str:
        return self.text

    def __format__(self, level: str) -> str:
        """The expression as an operand at one of the ``LEVELS``, or between commas."""
        return self.within(LEVELS[level]) if level else self.text


Form = Callable[[Any, ProgramNode, Sequence[Text]], "Text | str | None"]
"""How a call is written: a function of the writer, the node and its arguments. None where it does not fit."""


@dataclass(frozen=True)
class Language:
    """How the calls of nodes are written.

    Attributes
    ----------
    forms
        By the operation, ``"reduce"`` for all reductions: a function, or a template with the arguments
        ``{0}``, ``{1}`` and the ``node``, in which ``{0:atom}`` is in parentheses unless it is an atom. Its
        result is an atom, unless a level stands before it: ``(MINUS, "-{0:power}")``.
    takes_operator
        Whether a call may be written with its operator.
    call
        Any other call, as a function of the writer, the node and its arguments.
    limits
        What infinity and nan are called.
    digits
        A finite number of a dtype; None stands for a Python number.
    operators
        The operators, and how tightly they bind.
    statements
        Templates of what is no single expression: ``"zeros"`` and ``"copy"`` make an array that is then
        changed, by ``"set"``, ``"add"``, ``"add_at"`` or, a whole array, ``"fill"`` and ``"change"``.
    scalar
        A NumPy scalar, as a template with its ``text`` and ``dtype``.
    cast
        A number of one of Python's types, by the type's name, as a template.
    """

    forms: Mapping[str, Form | str | tuple[int, str]]
    takes_operator: Callable[[ProgramNode], bool]
    call: Form
    limits: tuple[str, str]
    digits: Callable[[Any, Any], str] = lambda value, dtype: repr(value)
    operators: Mapping[str, tuple[str, int]] = field(default_factory=OPERATORS.copy)
    statements: Mapping[str, str] = field(default_factory=dict)
    scalar: str = "np.{dtype}({text})"
    cast: Mapping[str, str] = field(default_factory=lambda: {"int": "int({0})", "float": "float({0})"})

    def literal(self, value: Any, dtype: np.dtype[Any] | None = None) -> Text:
        """A number. Without a dtype it is a Python number, which takes the dtype of an array beside it."""
        if isinstance(value, float) and not math.isfinite(value):
            infinity, nan = self.limits
            return Text(nan) if math.isnan(value) else signed(f"{'-' * (value < 0)}{infinity}")
        return signed(self.digits(value, dtype))


class Writer(Names):
    """Writes the calls of nodes in a language, and makes the names of the program."""

    language: Language

    def called(self, node: ProgramNode, args: Sequence[Text]) -> Text:
        """The call of a node, given the texts of its arguments."""
        language, op = self.language, node.op
        form = language.forms.get("reduce" if op.startswith("reduce_") else op)
        found: Text | str | None = None
        if callable(form):
            found = form(self, node, args)
        elif form is not None:
            binds, template = (ATOM, form) if isinstance(form, str) else form
            found = Text(template.format(*args, node=node), binds)
        if found is None and op in language.operators and language.takes_operator(node):
            sign, binds = language.operators[op]
            left = args[0].within(binds + (binds == COMPARISON))  # a < b < c means something else
            found = Text(f"{left} {sign} {args[1].within(binds + 1)}", binds)
        if found is None:
            found = language.call(self, node, args)
        assert found is not None
        return Text(found) if isinstance(found, str) else found

    def literal(self, value: Any) -> Text:
        """A number."""
        return self.language.literal(value)

    def index(self, node: ProgramNode, computed: Sequence[Any], index: Any = None) -> str:
        """The index of a node, or another one, as text, with the names of its arrays and the texts of its
        computed parts."""
        remaining = iter(computed)

        def other(part: Any) -> str:
            return str(next(remaining)) if isinstance(part, ComputedPart) else self.array(part)

        return index_text(node.value if index is None else index, other)

    def array(self, value: np.ndarray) -> str:
        """The text of an array that the program refers to."""
        return self.keep(value, "places")


def signed(text: str) -> Text:
    """A number as text that tells how tightly it binds: it may have a sign, or be a power such as
    ``8**0.5``."""
    return Text(text, MINUS if text.startswith("-") else POWER if "**" in text else ATOM)


def joined(args: Sequence[Any]) -> str:
    """Arguments between commas."""
    return ", ".join([str(arg) for arg in args])


def index_text(index: Any, other: Callable[[Any], str] = str) -> str:
    """An index as it is written between brackets; ``other`` gives the text of arrays and computed parts."""
    if isinstance(index, tuple):
        return ", ".join(index_text(part, other) for part in index) + "," * (len(index) == 1) or "()"
    if isinstance(index, slice):
        parts = ["" if part is None else str(part) for part in (index.start, index.stop, index.step)]
        return ":".join(parts[:2] + parts[2:] * bool(parts[2]))
    if index is Ellipsis:
        return "..."
    if index is None or isinstance(index, (int, np.integer)):
        return str(index)
    return other(index)
