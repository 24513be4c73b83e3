"""The plain form of a program: one line for each node, in the order of creation, with a new array for each
value.

The tests compare the other forms of programs with it. ``packing`` extends its writer.
"""

from __future__ import annotations

import keyword
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .inference import ComputedPart
from .nodes import Node, reachable
from .number_calls import number_call

INFIX = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "greater": ">", "greater_equal": ">=",
    "less": "<", "less_equal": "<=", "equal": "==", "not_equal": "!=", "matmul": "@",
}  # fmt: skip
SAFE_FOR_NUMBERS = frozenset(INFIX) - {"divide"}  # where Python raises no error that NumPy does not


class PlainWriter:
    """Writes the source of a program: ``lines``, and ``constants``, the objects that the source refers to."""

    def __init__(self, inputs: Sequence[Node], results: Sequence[Node]) -> None:
        self.inputs, self.results = inputs, results
        self.lines: list[str] = []
        self.constants: dict[str, Any] = {}
        self.names: dict[Node, str] = {}
        self.taken = {"np", "program"}

    def source(self) -> str:
        """The program as a function of its inputs that returns the tuple of its results."""
        for node in self.inputs:
            self.names[node] = self.new_name(node.name or "x")
        for node in reachable(self.results):
            if node not in self.names:
                self.write(node)
        returned = ", ".join(self.names[node] for node in self.results) + "," * (len(self.results) == 1)
        head = f"def program({', '.join(self.names[node] for node in self.inputs)}):"
        return "\n    ".join([head, *self.lines, f"return ({returned})"]) + "\n"

    def new_name(self, wish: str) -> str:
        """A name that is not taken."""
        return free_name(wish, self.taken)

    def keep(self, value: Any, wish: str) -> str:
        """Keep an object that the source refers to, and return its name."""
        known = next((name for name, other in self.constants.items() if other is value), None)
        if known is not None:
            return known
        name = self.new_name(wish)
        self.constants[name] = value
        return name

    def write(self, node: Node) -> None:
        """Write the line of a node; a constant number stands where it is used."""
        if node.op == "const" and node.number:
            self.names[node] = number_text(node.value)
        elif node.op in ("const", "array"):
            self.names[node] = self.keep(node.value, node.name or "array")
        else:
            text = self.expression(node, [self.names[arg] for arg in node.args])
            wish = node.name or f"{node.op.replace('reduce_', '')}_{node.index}"
            name = self.names[node] = self.new_name(wish)
            self.lines.append(f"{name} = {text}")

    def expression(self, node: Node, args: list[str]) -> str:
        """The call of a node as text."""
        op = node.op
        if node.number and op not in SAFE_FOR_NUMBERS and op not in ("call", "part", "astype"):
            call = self.keep(number_call(op), op)
            text = f"{call}({', '.join(args)})"
            return text if node.number is float else f"{node.number.__name__}({text})"
        if op in INFIX and node.is_operator:
            return f"{args[0]} {INFIX[op]} {args[1]}"
        if op == "power" and not node.shape and node.is_operator:  # NumPy's scalars have a power of their own
            return f"{args[0]} ** {args[1]}"
        if op.startswith("reduce_"):
            axes, keepdims = node.options
            axis = axes[0] if len(axes) == 1 else axes
            return f"np.{op[7:]}.reduce({args[0]}, axis={axis}{', keepdims=True' * keepdims})"
        written = getattr(self, f"_{op}", None)
        return written(node, args) if written else f"np.{op}({', '.join(args)})"

    def _full(self, node: Node, args: list[str]) -> str:
        value = number_text(np.asarray(node.args[0].value).item())
        return f"np.full({node.shape}, {value}, {str(node.dtype)!r})"

    def _astype(self, node: Node, args: list[str]) -> str:
        if node.number:
            return f"{node.number.__name__}({args[0]})"
        if not node.args[0].number:  # NumPy's scalars stay scalars
            return f"{args[0]}.astype({str(node.dtype)!r})"
        return f"np.asarray({args[0]}, {str(node.dtype)!r})"

    def _copy(self, node: Node, args: list[str]) -> str:
        return f"{args[0]}.copy()"

    def _reshape(self, node: Node, args: list[str]) -> str:
        return f"np.reshape({args[0]}, {node.shape})"

    def _transpose(self, node: Node, args: list[str]) -> str:
        return f"np.transpose({args[0]}, {node.options[0]})"

    def _broadcast_to(self, node: Node, args: list[str]) -> str:
        return f"np.broadcast_to({args[0]}, {node.shape})"

    def _getitem(self, node: Node, args: list[str]) -> str:
        return f"{args[0]}[{index_text(node.value)}]"

    def _pick(self, node: Node, args: list[str]) -> str:
        return f"{args[0]}[{self.index(node, args[1:])}]"

    def _put(self, node: Node, args: list[str]) -> str:
        return f"{self.keep(put, 'put')}({args[0]}, {args[1]}, np.s_[{self.index(node, args[2:])}])"

    def _put_add(self, node: Node, args: list[str]) -> str:
        return f"{self.keep(put_add, 'put_add')}({args[0]}, {args[1]}, np.s_[{self.index(node, args[2:])}])"

    def _assemble(self, node: Node, args: list[str]) -> str:
        places = ", ".join(f"np.s_[{index_text(index)}]" for index in node.value)
        function = self.keep(assemble, "assemble")
        return f"{function}({node.shape}, {str(node.dtype)!r}, [{places}], [{', '.join(args)}])"

    def _call(self, node: Node, args: list[str]) -> str:
        name = self.keep(node.value, getattr(node.value, "__name__", "function").strip("<>"))
        return f"{name}({', '.join(args)})"

    def _part(self, node: Node, args: list[str]) -> str:
        return f"{args[0]}[{node.value}]"

    def _stack(self, node: Node, args: list[str]) -> str:
        return f"np.{node.op}([{', '.join(args)}], axis={node.options[0]})"

    _concatenate = _stack

    def index(self, node: Node, args: list[str]) -> str:
        """An index as text, with the names of its arrays and of its computed parts."""
        remaining = iter(args)

        def other(part: Any) -> str:
            return next(remaining) if isinstance(part, ComputedPart) else self.keep(part, "places")

        return index_text(node.value, other)


def free_name(wish: str, taken: set[str]) -> str:
    """A name that is neither taken nor a keyword of Python; it is taken from now on."""
    wish = f"{wish}_" if keyword.iskeyword(wish) else wish
    name, number = wish, 1
    while name in taken:
        number += 1
        name = f"{wish}_{number}"
    taken.add(name)
    return name


def put(base: np.ndarray, x: Any, index: Any) -> np.ndarray:
    """A copy of an array with ``x`` written at an index."""
    whole = np.array(base)
    whole[index] = x
    return whole


def put_add(base: np.ndarray, x: Any, index: Any) -> np.ndarray:
    """A copy of an array with ``x`` added at an index; an element that the index repeats is added each
    time."""
    whole = np.array(base)
    np.add.at(whole, index, x)
    return whole


def assemble(shape: Any, dtype: Any, places: Sequence[Any], parts: Sequence[Any]) -> np.ndarray:
    """Zeros, with each part added at its index."""
    whole = np.zeros(shape, dtype)
    for place, part in zip(places, parts):
        whole[place] += part
    return whole


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


def number_text(value: Any) -> str:
    """The text of a number in Python."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    return f"({value!r})" if value < 0 or math.copysign(1, value) < 0 else repr(value)
