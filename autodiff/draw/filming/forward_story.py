"""The story of the forward pass: what comes out of each operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.as_text import Value
from ..graph.records import ShownGraph, ShownNode
from ..words.equations import applied, equation
from .arithmetic import Write, array_text, equal, exact, in_sum, short
from .story import Passed, Script, Step


class Forward(Script):
    """The forward pass: the leaves, then one operation after the other, in the order of the graph."""

    direction = "forward"
    rows = ("data",)

    def steps(self) -> list[Step]:
        """All steps, in the order of the graph."""
        made = set(self.chosen)
        known = {i: self.nodes[i].data for i in self.shown if i not in made}
        steps = [self.start(known)]
        for i in self.chosen:
            known = {**known, i: self.nodes[i].data}
            steps.append(self.step(i, known))
        return steps

    def start(self, known: dict[int, Value]) -> Step:
        """The first step: what the calculation starts from."""
        names = [self.nodes[i].name for i in sorted(known)]
        listed = ", ".join(names[:8]) + (" and others" if len(names) > 8 else "")
        words = f"What the calculation starts from: {listed}. Everything else is still to be computed."

        def leaves(write: Write) -> tuple[str, ...]:
            return tuple(f"{self.nodes[i].name} = {self.value(i, write)}" for i in sorted(known))

        return Step(None, "start", words, leaves(short), leaves(exact), known={"data": known})

    def step(self, i: int, known: dict[int, Value]) -> Step:
        """The step in which one operation is applied."""
        title = equation(self.nodes[i], self.graph)
        passed = {
            (i, place): Passed(self.nodes[j].data, is_gradient=False) for place, j in self.walk.places(i)
        }
        return Step(
            i,
            title,
            self.words(i),
            (self.line(i, title, short),),
            (self.line(i, title, exact),),
            frozenset({i}),
            {"data": known},
            passed=passed,
        )

    def line(self, i: int, title: str, write: Write) -> str:
        """The symbols of one step."""
        if self.is_in_numbers(i):
            return f"{title} = {self.calculation(i, write)}"
        return f"{title} = {self.value(i, write)}"

    def words(self, i: int) -> str:
        """The words of one step."""
        node = self.nodes[i]
        sources = _listed(node, self.graph)
        if self.is_in_numbers(i):
            return f"{node.name} is computed from {sources}: {self.calculation(i, short)}."
        given = _filled(node, [str(np.shape(x)) for x in self.given(i)])
        made = self.value(i, short) if self.is_number(i) else f"an array of shape {self.shape(i)}"
        return f"{node.name} is computed from {sources}: by shapes {given}, which gives {made}."

    def calculation(self, i: int, write: Write) -> str:
        """The calculation of one number from others, with numbers in place of names: `2 * 3 = 6`."""
        given = self.given(i)
        filled = _filled(self.nodes[i], list(map(write, given)))
        return f"{filled} {equal(given, self.data[i], write)} {write(self.data[i])}"

    def is_in_numbers(self, i: int) -> bool:
        """Whether a node and all that it was made from are single numbers."""
        return self.is_number(i) and all(np.ndim(x) == 0 for x in self.given(i))

    def value(self, i: int, write: Write) -> str:
        """The number of a node, or the numbers of its array."""
        data: Any = self.data[i]
        return write(data) if self.is_number(i) else array_text(data, write)


def _filled(node: ShownNode, given: Sequence[str]) -> str:
    """How a node was made, with values in place of its operands' names: `2 * 3`."""
    return applied(node, list(map(in_sum, given)))


def _listed(node: ShownNode, graph: ShownGraph) -> str:
    names = [graph.name(x) if isinstance(x, int) else x.line for x in node.operands]
    names = list(dict.fromkeys(names))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
