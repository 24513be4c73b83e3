"""What a film consists of: steps, what each shows in the nodes, and the account in words.

Everything is held as text, so a film keeps no graph alive. `film_backward` and `film_forward` tell the two
stories; nothing here knows about pictures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..graph.records import Graph, Node
from ..graph.walk import Walk, is_node, plain
from ..words.columns import columns
from .window import Window

HEADERS = {
    "backward": ("step", "operation", "what arrives"),
    "forward": ("step", "operation", "what comes out"),
}
UNKNOWN = "-"


@dataclass(frozen=True, slots=True)
class Cell:
    """What a node shows of its data or gradient: a number's text; of an array a heat map's shades.

    An array's text says only whether it is a sum. What is not known yet takes up its room all the same.
    """

    text: str
    shades: tuple[tuple[int, ...], ...] = ()
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """One frame: the node whose operation is at work (None at the start), and what is known afterwards.

    `receivers` are the nodes that something arrived at; `cells` are by node.
    """

    active: int | None
    title: str
    words: str
    symbols: tuple[str, ...]
    receivers: frozenset[int]
    cells: Mapping[int, Cell]


@dataclass(frozen=True, slots=True)
class Story:
    """A film without its pictures: what is shown throughout, and the steps.

    `chips` are the texts on the edges, by the operation's result and the operand's place.
    """

    graph: Graph
    direction: str
    nodes: tuple[Node, ...]
    operations: frozenset[int]
    steps: tuple[Step, ...]
    chips: Mapping[tuple[int, int], str]
    data: Mapping[int, Cell]
    left_out: int

    @property
    def end(self) -> str:
        """The name of the Tensor that was filmed."""
        return self.graph.nodes[-1].name

    @property
    def text(self) -> str:
        """The film in words: a row per step, and per arrival in it."""
        rows: list[tuple[str, ...]] = [HEADERS[self.direction]]
        for number, step in enumerate(self.steps, start=1):
            first = (str(number), step.title)
            rows += [(*(first if i == 0 else ("", "")), line) for i, line in enumerate(step.symbols or ("",))]
        lines = columns(rows, right=[0])
        if self.left_out:
            lines.append(f"... and {operations(self.left_out)} more that are not shown")
        return "\n".join(lines)


def operations(count: int) -> str:
    """A count of operations in words."""
    return "1 operation" if count == 1 else f"{count:,} operations"


class Script:
    """What the two directions share: the parts of the graph that are shown."""

    def __init__(self, walk: Walk, graph: Graph, window: Window) -> None:
        self.walk = walk
        self.graph = graph
        self.nodes = graph.nodes
        self.shown = window.shown
        self.chosen = window.operations
        self.data = [plain(node.data) for node in walk.order]
        self.chips: dict[tuple[int, int], str] = {}
        self.end = graph.nodes[-1].name

    def given(self, i: int) -> list[Any]:
        """The numbers and arrays that an operation was given."""
        creators: Sequence[Any] = self.walk.creators[i]
        return [plain(c.data) if is_node(c) else c for c in creators]

    def shape(self, i: int) -> str:
        """The shape of a node's data, as text."""
        return str(np.shape(self.data[i]))

    def is_number(self, i: int) -> bool:
        """Whether a node holds a single number."""
        return not self.nodes[i].data.is_array

    def finished(self, direction: str, steps: Sequence[Step], data: Mapping[int, Cell]) -> Story:
        """The story, once the steps and the texts on the edges are there."""
        walk = self.walk
        total = sum(bool(walk.creators[i]) and not walk.is_constant(i) for i in range(len(walk.order)))
        return Story(
            graph=self.graph,
            direction=direction,
            nodes=tuple(self.nodes[i] for i in self.shown),
            operations=frozenset(self.chosen),
            steps=tuple(steps),
            chips=self.chips,
            data=data,
            left_out=total - len(self.chosen),
        )
