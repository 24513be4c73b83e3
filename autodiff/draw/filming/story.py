"""What a film consists of: its steps, what each of them shows, and its text.

It keeps texts and numbers, and no graph alive. `backward_story`, `forward_story` and `tangent_story` make the
stories, and `states` turns them into the states of a picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..graph.as_text import Value
from ..graph.records import ShownGraph, ShownNode
from ..graph.walk import Walk, is_node, plain
from ..words.columns import columns
from ..words.counts import ordinal
from .window import Window

HEADERS = {
    "backward": ("step", "operation", "what arrives"),
    "forward": ("step", "operation", "what comes out"),
    "tangents": ("step", "operation", "what moves"),
    "both": ("step", "operation", "what moves, and what arrives"),
}
Use = tuple[int, int]
"""One use of a node: the index of what was made from it, and its place among the operands."""


@dataclass(frozen=True, slots=True)
class Passed:
    """What travels along an edge: the text of a calculation, or an array, and whether it is a gradient."""

    what: str | Value
    is_gradient: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One step: the node whose operation runs (None at the start), and what is known afterwards.

    `words` and `symbols` are its caption, and `lines` the same symbols with more digits, for the table.
    `receivers` are the nodes at which something arrived. `known` has the values that have arrived so far by
    the row they stand in ("data", "grad", "tangent") and by node, `sums` what they were added from, and
    `passed` what this step passes along the edges.
    """

    active: int | None
    title: str
    words: str
    symbols: tuple[str, ...]
    lines: tuple[str, ...]
    receivers: frozenset[int] = frozenset()
    known: Mapping[str, Mapping[int, Value]] = field(default_factory=dict)
    sums: Mapping[int, Sequence[str]] = field(default_factory=dict)
    passed: Mapping[Use, Passed] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Story:
    """A film without its pictures: what is shown throughout, and the steps.

    `graph` is the whole graph, and `shown` and `operations` are what the film shows of it. `rows` are the
    rows of a box that fill up during the film; with "data" among them a box has no data before its step.
    """

    graph: ShownGraph
    direction: str
    rows: tuple[str, ...]
    shown: frozenset[int]
    operations: frozenset[int]
    steps: tuple[Step, ...]
    left_out: int

    @property
    def end(self) -> str:
        """The name of the Tensor that was filmed."""
        return self.graph.nodes[-1].name

    @property
    def nodes(self) -> list[ShownNode]:
        """The nodes that are shown."""
        return [node for node in self.graph.nodes if node.index in self.shown]

    @property
    def text(self) -> str:
        """The film in words: a row for each step, and one for each arrival in it."""
        rows: list[tuple[str, ...]] = [HEADERS[self.direction]]
        for number, step in enumerate(self.steps, start=1):
            first = (str(number), step.title)
            rows += [(*(first if i == 0 else ("", "")), line) for i, line in enumerate(step.lines or ("",))]
        lines = columns(rows, right=[0])
        if self.left_out:
            lines.append(f"... and {operations(self.left_out)} more that are not shown")
        return "\n".join(lines)


def operations(count: int) -> str:
    """A count of operations in words."""
    return "1 operation" if count == 1 else f"{count:,} operations"


class Script:
    """What all stories have in common: the part of the graph that is shown."""

    direction = ""
    rows: tuple[str, ...] = ()

    def __init__(self, walk: Walk, graph: ShownGraph, window: Window) -> None:
        self.walk = walk
        self.graph = graph
        self.nodes = graph.nodes
        self.shown = window.shown
        self.chosen = window.operations
        self.data = [plain(node.data) for node in walk.order]
        self.end = graph.nodes[-1].name

    def steps(self) -> list[Step]:
        """All steps in their order."""
        raise NotImplementedError

    def story(self) -> Story:
        """The story of all steps."""
        steps = tuple(self.steps())
        walk = self.walk
        total = sum(bool(walk.creators[i]) and not walk.is_constant(i) for i in range(len(walk.order)))
        return Story(
            self.graph,
            self.direction,
            self.rows,
            frozenset(self.shown),
            frozenset(self.chosen),
            steps,
            left_out=total - len(self.chosen),
        )

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

    def use(self, i: int, place: int, j: int) -> str:
        """The name of an operand in a local slope, with its place if the operand is used twice."""
        name = self.nodes[j].name
        twin = self.walk.twin(i, place)
        return name if twin is None else f"({ordinal(place)} {name})"


def slope(y: str, x: str) -> str:
    """The notation of a derivative.

    >>> slope("e", "a")
    '∂e/∂a'
    """
    return f"\N{PARTIAL DIFFERENTIAL}{y}/\N{PARTIAL DIFFERENTIAL}{x}"
