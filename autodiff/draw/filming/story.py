"""What a film consists of: its steps, what each of them shows in the nodes, and the account in words.

Everything is text, so a film keeps no graph alive. `backward_story` and `forward_story` make the two stories,
and `frame` draws them.
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
    """What a node shows of its data or gradient: the text of a number, or the shades of a heat map.

    The text of an array says only whether it is a sum. What is not known yet takes up the same room.
    """

    text: str
    shades: tuple[tuple[int, ...], ...] = ()
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """One frame: the node whose operation is at work (None at the start), and what is known afterwards.

    `receivers` are the nodes at which something arrived; `cells` has for each node what it shows.
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

    `chips` are the texts on the edges, by the index of the operation's result and the operand's place.
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
        """The film in words: a row for each step, and one for each arrival in it."""
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
    """What both directions have in common: the part of the graph that is shown."""

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
        """The numbers and arrays that an operation was applied to."""
        creators: Sequence[Any] = self.walk.creators[i]
        return [plain(c.data) if is_node(c) else c for c in creators]

    def shape(self, i: int) -> str:
        """The shape of a node's data, as text."""
        return str(np.shape(self.data[i]))

    def is_number(self, i: int) -> bool:
        """Whether a node holds a single number."""
        return not self.nodes[i].data.is_array

    def finished(self, direction: str, steps: Sequence[Step], data: Mapping[int, Cell]) -> Story:
        """The story, when its steps and the texts on the edges are complete."""
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
