"""The program of a live graph as its page needs it: what it is given, what each number is called in it, and
its lines in two languages."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..compiling.compiled import Compiled
from ..compiling.javascript import module, translated
from ..compiling.signature import Argument
from ..draw.graph.as_text import value_of
from ..draw.graph.walk import Walk
from ..engine.tensor import Tensor, raw
from .everything import Edge, Places

MOST = 100_000  # numbers of a Tensor that a page holds
COPY = re.compile(r"^nd\.copy\((\w+)\)$")  # two results do not share memory


class Input(NamedTuple):
    """A number that the reader moves: its name, its node, its place among that node's elements, and the
    number with which the page begins."""

    name: str
    node: int
    cell: int
    value: float


class Program:
    """The program of all numbers of a graph, after its first call.

    Attributes
    ----------
    inputs
        The numbers that the reader moves: the elements of the arguments, and of the Tensors to which the
        function refers.
    arguments
        What the program is called with: for each argument where its elements begin among the inputs, with its
        shape (None for a number) and dtype, or its elements themselves if nobody moves them.
    translated
        The lines of the program in both languages.
    javascript
        The whole of what the page runs.
    """

    def __init__(
        self,
        fast: Compiled,
        places: Places,
        walked: Walk,
        names: Sequence[str],
        given: Mapping[str, Tensor],
    ) -> None:
        self.fast, self.places, self.walked, self.names = fast, places, walked, names
        self.inputs: list[Input] = []
        self.arguments: list[dict[str, Any]] = []
        tensors = iter(given.values())
        for argument in fast.arguments:
            tensor = next(tensors) if argument.kind == "argument" else argument.tensor
            if tensor is None:
                raise ValueError(
                    "the function draws random numbers, so its graph is another one at each call: draw them "
                    "outside, and let the function refer to them, or call eval() of a module with dropout"
                )
            self._take(argument, tensor)
        self.translated = translated(fast)
        self.javascript = self._javascript()

    def _take(self, argument: Argument, tensor: Tensor) -> None:
        """Add an argument of the program, and its elements to what the reader moves."""
        data = raw(tensor)
        node = self.walked.index.get(id(tensor))
        shape = None if argument.number else list(argument.shape)
        made: dict[str, Any] = {"from": len(self.inputs), "shape": shape, "dtype": argument.dtype}
        if np.size(data) > MOST:
            raise ValueError(
                f"the function refers to {argument.name} of the shape {argument.shape}, and a page can hold "
                f"{MOST:,} numbers of one Tensor: show a smaller example"
            )
        if not value_of(data).is_whole:
            code = base64.b64encode(data.astype(data.dtype.newbyteorder("<")).tobytes()).decode()
            made |= {"from": None, "packed": code}
        elif node is None or not tensor.requires_grad:
            made |= {"from": None, "values": np.ravel(data).tolist()}
        else:
            for cell, (at, x) in enumerate(np.ndenumerate(data)):
                index = f"[{', '.join(map(str, at))}]" if at else ""
                self.inputs.append(Input(self.names[node] + index, node, cell, float(x)))
        self.arguments.append(made)

    # -- names -----------------------------------------------------------------------------------------------

    def text(self, place: int) -> str:
        """What stands for a number in the program: a variable, or an expression."""
        if place < 0:
            return self.translated.arguments[-1 - place]
        return COPY.sub(r"\1", self.translated.results[place])

    def rule(self, edge: Edge) -> str | None:
        """The local slope of an edge, in terms of nodes; None between arrays.

        A variable of its own, such as ``dh_ds``, gives way to its expression.
        """
        place = self.places.slopes.get(edge)
        if place is None:
            return None
        text = self.text(place)
        if text not in map(self.text, self.places.values):
            text = self._expressions.get(text, text)
        return re.sub(r"\b(\d+)\.0\b", r"\1", text.replace("Math.", ""))

    def gradient_line(self, node: int) -> str | None:
        """The line that computes the gradient of a node, None if it has none of its own."""
        text = self.text(self.places.grads[node])
        return f"{text} = {self._expressions[text]}" if text in self._expressions else None

    @cached_property
    def _expressions(self) -> dict[str, str]:
        """The expression behind each variable."""
        return {line.name: line.python.partition(" = ")[2] for line in self.translated.lines if line.name}

    # -- lines -----------------------------------------------------------------------------------------------

    @property
    def rows(self) -> list[tuple[str, str, list[int]]]:
        """The lines of the program in Python and in JavaScript, each with the nodes that it is about.

        A gradient that equals another value has no line. A remark takes its place, before the last line.
        """
        values = [self.text(place) for place in self.places.values]
        grads = [self.text(place) for place in self.places.grads]
        about = {name: {i} for i, name in enumerate(values)}
        remarks: list[tuple[str, int]] = []
        for i, text in reversed([*enumerate(grads)]):
            if text in (f"d_{values[i]}", f"d_{_identifier(self.names[i])}"):
                about[text] = {i}
            elif not self.walked.is_constant(i):
                remarks.append((f"d_{values[i]} is {text}", i))
        for (node, place), where in self.places.flows.items():
            if "_from_" in (text := self.text(where)):
                about.setdefault(text, set()).add(self.walked.index[id(self.walked.creators[node][place])])
        arguments = ", ".join(self.translated.arguments)
        return [
            (f"def program({arguments}):", f"function program({arguments}) {{", []),
            *[
                (f"    {line.python}", f"  {line.javascript}", sorted(about.get(line.name, ())))
                for line in self.translated.lines
            ],
            *[(f"    # {remark}", f"  // {remark}", [i]) for remark, i in remarks],
            ("    return ...  # all of these, the slopes and the streams", "  return [...];", []),
        ]

    def _javascript(self) -> str:
        """The runtime as far as it is needed, and ``function program``.

        Raises NotImplementedError if the runtime lacks a function.
        """
        calls = () if self.translated.of_numbers else ("array", "packed", "reshape", "values")
        return module({"program": self.translated}, calls, minify=True)


def _identifier(name: str) -> str:
    """The name of a node as the program has it: ``0.weight`` as ``0_weight``."""
    return re.sub(r"\W+", "_", name).strip("_")
