"""The source of a packed program in a form for readers: a line for each class of numbers, with views and
products written where they are used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..nodes import VIEWS, Node, reachable
from ..numbers import ATOM, INFIX, MINUS, PRODUCT, Text
from ..plain import PlainWriter, index_text, number_text

LONGEST = 60
"""An expression that is used once has no line of its own unless it has more characters than this."""
SUMS_OF_RUNS = np.add.reduceat
WORDS = {
    "add": "sum", "subtract": "sum", "matmul": "sum", "reduce_add": "sum", "call": "sum",
    "multiply": "product", "divide": "quotient", "maximum": "relu", "greater": "on", "negative": "minus",
    "where": "choice", "reshape": "part", "transpose": "part", "getitem": "part", "pick": "part",
    "broadcast_to": "part", "concatenate": "found",
}  # fmt: skip


class PackedWriter(PlainWriter):
    """Writes programs over small arrays: each result is a new array, and an expression that is used once has
    no line of its own."""

    def __init__(self, inputs: Sequence[Node], results: Sequence[Node]) -> None:
        super().__init__(inputs, results)
        self.texts: dict[Node, Text] = {}
        self.kept: dict[Any, str] = {}
        self.counts: Counter[str] = Counter()
        nodes = reachable(results)
        self.uses = Counter(arg for node in nodes for arg in node.args) + Counter(results)
        for node in reversed(nodes):
            if self.is_light(node):  # the node that it shows is used as often
                self.uses[node.args[0]] += self.uses[node] - 1
            if node.op == "concatenate":
                self.uses.update(map(origin_of, node.args))  # so that each part has its line

    def write(self, node: Node) -> None:
        """Write the line of a node, or keep its expression for the line that uses it."""
        if node.op == "const" and node.number:
            text = Text(number_text(node.value).strip("()"), MINUS if node.value < 0 else ATOM)
        elif node.op in ("const", "array"):
            text = Text(self.keep(node.value, self.word(node)), ATOM)
        else:
            text = self.infix(node)
            if (self.uses[node] > 1 or len(text.text) > LONGEST) and not self.is_light(node):
                text = self.line(node, text)
        self.texts[node] = text
        self.names[node] = text.text

    def is_light(self, node: Node) -> bool:
        """Whether a view is as short as its name would be."""
        return node.op == "transpose" and len(node.shape) == 2

    def line(self, node: Node, text: Text) -> Text:
        """Write a line, with the shape of the array behind it."""
        name = self.new_name(self.word(node))
        comment = "" if node.shape == () else "  # " + " x ".join(map(str, node.shape))
        self.lines.append(f"{name} = {text.text}{comment}")
        return Text(name, ATOM)

    def word(self, node: Node) -> str:
        """The name of a value: its own, or else one for its kind, such as w for a matrix of inputs and b for
        a row of them."""
        if node.name:
            return node.name
        origin = origin_of(node)
        base = WORDS.get(node.op, node.op)
        if origin.op == "input":
            base = "w" if len(node.shape) > 1 else "b"
        elif origin.op in ("array", "const"):
            base = "data"
        self.counts[base] += 1
        return f"{base}{self.counts[base]}"

    def infix(self, node: Node) -> Text:
        """The expression of a node."""
        args = [self.text_of(arg) for arg in node.args]
        signs = {**INFIX, "matmul": ("@", PRODUCT)}
        if node.op in signs:
            sign, binds = signs[node.op]
            return Text(f"{args[0].within(binds)} {sign} {args[1].within(binds + 1)}", binds)
        if node.op == "negative":
            return Text(f"-{args[0].within(ATOM)}", MINUS)
        if node.op in VIEWS or node.op == "pick" or node.op.startswith("reduce_"):
            return Text(self.method(node, args[0].within(ATOM), [arg.text for arg in args[1:]]), ATOM)
        if node.op == "call" and node.value is SUMS_OF_RUNS:
            return Text(f"np.add.reduceat({args[0].text}, {args[1].text})", ATOM)
        return Text(self.expression(node, [arg.text for arg in args]), ATOM)

    def text_of(self, node: Node) -> Text:
        """The text that stands for a node."""
        return self.texts.get(node) or Text(self.names[node], ATOM)

    def method(self, node: Node, x: str, others: list[str]) -> str:
        """A view, a pick or a reduction in the form of a method."""
        if node.op == "reshape":
            return f"{x}.reshape({', '.join(map(str, node.shape)) or '()'})"
        if node.op == "transpose":
            axes = node.options[0]
            return f"{x}.T" if axes == tuple(range(len(axes)))[::-1] else f"{x}.transpose{axes}"
        if node.op == "getitem":
            return f"{x}[{index_text(node.value)}]"
        if node.op == "pick":
            return f"{x}[{self.index(node, others)}]"
        if node.op == "reduce_add":
            axes, keepdims = node.options
            axis = f"axis={axes[0] if len(axes) == 1 else axes}"
            axis = "" if len(axes) == len(node.args[0].shape) else axis
            return f"{x}.sum({axis}{', keepdims=True' * keepdims})"
        return self.expression(node, [x, *others])

    def keep(self, value: Any, wish: str) -> str:
        """The name of an object that the source refers to; one name for equal arrays."""
        key = (value.shape, value.dtype.str, value.tobytes()) if isinstance(value, np.ndarray) else id(value)
        if key not in self.kept:
            self.kept[key] = super().keep(value, wish)
        return self.kept[key]


def origin_of(node: Node) -> Node:
    """The array that a view, or a pick, takes its elements from."""
    while node.op in VIEWS or node.op == "pick":
        node = node.args[0]
    return node
