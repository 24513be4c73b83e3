"""The plain form of a program: one line for each node, in the order of creation, with a new array for each
value.

The tests compare the other forms of programs with it, and the writer of the programs that run extends its
own. Its language is Python for the run: NumPy's functions, on the names of values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .language import POWER, Language, Text, Writer, index_text, joined, signed
from .nodes import ProgramNode, reachable
from .number_calls import number_call

MAY_RAISE = frozenset(("divide", "floor_divide", "remainder"))  # where NumPy does not


class PlainWriter(Writer):
    """Writes the source of a program: ``lines``, and ``constants``, the objects that the source refers to."""

    def __init__(self, inputs: Sequence[ProgramNode], results: Sequence[ProgramNode]) -> None:
        super().__init__(("np", "program"))
        self.language = RUN
        self.inputs, self.results = inputs, results
        self.lines: list[str] = []
        self.names: dict[ProgramNode, str] = {}

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

    def write(self, node: ProgramNode) -> None:
        """Write the line of a node; a constant number stands where it is used."""
        if node.op == "const" and node.number:
            self.names[node] = self.literal(node.value).text
        elif node.op in ("const", "array"):
            self.names[node] = self.keep(node.value, node.name or "array")
        else:
            text = self.expression(node, [self.names[arg] for arg in node.args])
            wish = node.name or f"{node.op.replace('reduce_', '')}_{node.index}"
            name = self.names[node] = self.new_name(wish)
            self.lines.append(f"{name} = {text}")

    def expression(self, node: ProgramNode, args: Sequence[str]) -> str:
        """The call of a node on names and numbers as text."""
        return self.called(node, [signed(arg) for arg in args]).text


# -- the language -------------------------------------------------------------------------------------------


def takes_operator(node: ProgramNode) -> bool:
    """Whether Python's operator computes the same and raises no error that NumPy's function does not."""
    return node.is_operator and not (node.number and node.op in MAY_RAISE)


def function(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """The call of a function of NumPy; of one that gives a Python number, for Python numbers."""
    if not node.number:
        return f"np.{node.op}({joined(args)})"
    text = f"{writer.keep(number_call(node.op), node.op)}({joined(args)})"
    return text if node.number is float else f"{node.number.__name__}({text})"


def power(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> Text | None:
    """NumPy's scalars have a power of their own."""
    is_scalar = not node.shape and not node.number and node.is_operator
    return Text(f"{args[0]:atom} ** {args[1]:atom}", POWER) if is_scalar else None


def reduction(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """A sum, or another reduction."""
    axes, keepdims = node.options
    axis = axes[0] if len(axes) == 1 else axes
    return f"np.{node.op[7:]}.reduce({args[0]}, axis={axis}{', keepdims=True' * keepdims})"


def full(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """An array with one value everywhere."""
    value = writer.literal(np.asarray(node.args[0].value).item())
    return f"np.full({node.shape}, {value}, {str(node.dtype)!r})"


def astype(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """A value in another dtype."""
    if node.number:
        return f"{node.number.__name__}({args[0]})"
    if not node.args[0].number:  # NumPy's scalars stay scalars
        return f"{args[0]:atom}.astype({str(node.dtype)!r})"
    return f"np.asarray({args[0]}, {str(node.dtype)!r})"


def reshape(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """``x.reshape(shape)``; Python's numbers have no such method."""
    if node.args[0].number:
        return f"np.reshape({args[0]}, {node.shape})"
    return f"{args[0]:atom}.reshape({node.shape[0] if len(node.shape) == 1 else node.shape})"


def transpose(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """``x.T``, or other axes."""
    axes = node.options[0]
    is_turned = axes == tuple(range(len(axes)))[::-1]
    return f"{args[0]:atom}.T" if is_turned else f"{args[0]:atom}.transpose{axes}"


def item(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """``x[index]``."""
    return f"{args[0]:atom}[{writer.index(node, args[1:])}]"


def placed(function: Any) -> Any:
    """The form of ``put`` or ``put_add``, by the function that does it."""

    def form(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
        name, index = writer.keep(function, function.__name__), writer.index(node, args[2:])
        return f"{name}({args[0]}, {args[1]}, np.s_[{index}])"

    return form


def assembled(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """Zeros with parts added to them."""
    places = ", ".join(f"np.s_[{index_text(index)}]" for index in node.value)
    name = writer.keep(assemble, "assemble")
    return f"{name}({node.shape}, {str(node.dtype)!r}, [{places}], [{joined(args)}])"


def opaque(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """A function that the program runs unchanged, by the name that it is kept under."""
    name = writer.keep(node.value, getattr(node.value, "__name__", "function").strip("<>"))
    return f"{name}({joined(args)})"


def stack(writer: Writer, node: ProgramNode, args: Sequence[Text]) -> str:
    """``np.stack`` or ``np.concatenate``."""
    return f"np.{node.op}([{joined(args)}], axis={node.options[0]})"


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


RUN = Language(
    forms={
        "power": power, "reduce": reduction, "full": full, "astype": astype, "reshape": reshape,
        "transpose": transpose, "getitem": item, "pick": item, "put": placed(put),
        "put_add": placed(put_add), "assemble": assembled, "call": opaque, "stack": stack,
        "concatenate": stack, "copy": "{0:atom}.copy()", "part": "{0:atom}[{node.value}]",
        "broadcast_to": "np.broadcast_to({0}, {node.shape})",
    },
    takes_operator=takes_operator,
    call=function,
    limits=("float('inf')", "float('nan')"),
)  # fmt: skip
