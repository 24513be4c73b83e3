"""The story of the forward pass: what comes out of each operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..graph.records import Graph, Node
from ..words.equations import applied, equation
from .cells import heat_map, largest, shades, short
from .story import UNKNOWN, Cell, Script, Step, Story


class Forward(Script):
    """The forward pass: the leaves, then one operation after the other, in the order of the graph."""

    def story(self) -> Story:
        """All steps, in the order of the graph."""
        scale = {i: largest([self.data[i]]) for i in self.shown}
        made = set(self.chosen)
        known = set(self.shown) - made
        cells = self.cells(known, scale)
        steps = [Step(None, "start", self.start(known), self.leaves(known), frozenset(), cells)]
        for i in self.chosen:
            known.add(i)
            node = self.nodes[i]
            for place, j in self.walk.places(i):
                self.chips[i, place] = short(self.data[j]) if self.is_number(j) else self.shape(j)
            title = equation(node, self.graph)
            words, symbols = self.caption(i, title)
            steps.append(Step(i, title, words, symbols, frozenset({i}), self.cells(known, scale)))
        return self.finished("forward", steps, {})

    def caption(self, i: int, title: str) -> tuple[str, tuple[str, ...]]:
        """The words and symbols of one step."""
        node = self.nodes[i]
        data = self.given(i)
        if self.is_number(i) and all(np.ndim(x) == 0 for x in data):
            given = _filled(node, [short(x) for x in data])
            result = node.data.line
            words = f"{node.name} is computed from {_listed(node, self.graph)}: {given} = {result}."
            return words, (f"{title} = {given} = {result}",)
        given = _filled(node, [str(np.shape(x)) for x in data])
        made = node.data.line if self.is_number(i) else f"an array of shape {self.shape(i)}"
        sources = _listed(node, self.graph)
        words = f"{node.name} is computed from {sources}: by shapes {given}, which gives {made}."
        return words, (f"{title} = {node.data.line}",)

    def start(self, known: set[int]) -> str:
        """The words of the first step."""
        names = [self.nodes[i].name for i in sorted(known)]
        listed = ", ".join(names[:8]) + (" and others" if len(names) > 8 else "")
        return f"What the calculation starts from: {listed}. Everything else is still to be computed."

    def leaves(self, known: set[int]) -> tuple[str, ...]:
        """The symbols of the first step: what is known before anything is computed."""
        return tuple(f"{self.nodes[i].name} = {self.nodes[i].data.line}" for i in sorted(known))

    def cells(self, known: set[int], scale: Mapping[int, float]) -> dict[int, Cell]:
        """What the nodes show when these of them are known."""
        cells = {}
        for i in self.shown:
            if self.is_number(i):
                cells[i] = Cell(short(self.data[i])) if i in known else Cell(UNKNOWN, is_known=False)
            else:
                array = self.data[i] if i in known else np.zeros(np.shape(self.data[i]))
                cells[i] = Cell(self.shape(i), shades(heat_map(array, scale[i])), i in known)
        return cells


def _filled(node: Node, given: Sequence[str]) -> str:
    """How a node was made, with values in the place of its operands' names: `2 * 3`."""
    return applied(node, [f"({x})" if x.startswith("-") else x for x in given])


def _listed(node: Node, graph: Graph) -> str:
    names = [graph.name(x) if isinstance(x, int) else x.line for x in node.operands]
    names = list(dict.fromkeys(names))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
