"""A story as the states of one picture: the scene that `draw` has, and what its boxes and edges show at each
step. Whatever comes later has room from the beginning, so nothing moves."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..graph.as_text import Value
from ..graph.records import Box, ShownGraph, ShownNode
from ..look import Look
from ..picture import values
from ..picture.compose import RESULT, Composer
from ..picture.faces import SMALL, TEXT, Cell, Face, Mark, Row
from ..picture.metrics import text_width
from ..picture.scene import Scene, State
from .arithmetic import added
from .story import Passed, Step, Story

NOT_YET = "\N{EN DASH}"
HANGING = 24.0  # how much wider than its box a badge may be: there is as much room on both sides
NARROW = 480.0  # pixels: a caption below a narrower picture is as wide as this
KEPT = "\N{NO-BREAK SPACE}"
BACK, FORTH = "way_back", "fold_line"  # the colours of gradients, and of data and tangents, on the move
INKS = {"data": "ink", "grad": "gradient", "tangent": "ink"}


class Screen:
    """Turns one story into a scene and its states, one per step."""

    def __init__(self, story: Story, look: Look) -> None:
        self.story = story
        self.graph = part(story)
        composer = Composer(self.graph, look)
        self.is_spread = composer.is_spread
        self.scene: Scene = composer.scene()
        self.base: State = composer.state()
        self.scales = {"data": composer.scales["data"]} | {row: self.scale(row) for row in story.rows}
        self.rows = {
            row: {node.index: self.changing(row, node) for node in self.graph.nodes} for row in story.rows
        }

    def scale(self, row: str) -> float:
        """What the deepest shade in these rows, and on the edges, stands for."""
        steps = self.story.steps
        known = [value for step in steps for value in step.known.get(row, {}).values()]
        passed = [one for step in steps for one in step.passed.values() if one.is_gradient == (row == "grad")]
        return values.largest([*known, *(one.what for one in passed if isinstance(one.what, Value))])

    def changing(self, row: str, node: ShownNode) -> list[Row | None]:
        """A row of a box in each step; None throughout if nothing ever arrives there."""
        found = [step.known.get(row, {}).get(node.index) for step in self.story.steps]
        ink = "soft" if node.is_quiet and node.operation is None else INKS[row]
        made = [None if value is None else values.row(row, value, self.scales[row], ink) for value in found]
        shown = [one for one in made if one is not None]
        if not shown:
            return [None] * len(made)
        if shown[0].has_numbers:
            widths = tuple(map(max, zip(*(one.columns for one in shown))))
            made = [one and replace(one, widths=widths) for one in made]
            shown = [one for one in made if one is not None]
        return [blank(shown[0]) if one is None else one for one in made]

    def states(self) -> list[State]:
        """What the picture shows in each step."""
        return [
            State(self.faces(k), self.marks(k), scales=self.shown_scales)
            for k in range(len(self.story.steps))
        ]

    @property
    def shown_scales(self) -> tuple[tuple[str, float], ...]:
        """The scales of those rows and edges that show arrays without numbers."""
        rows = [one for face in self.base.faces.values() for one in face.rows]
        rows += [one for table in self.rows.values() for made in table.values() for one in made if one]
        labels = {one.label for one in rows if one.cells and not one.has_numbers}
        return tuple((row, scale) for row, scale in self.scales.items() if row in labels and scale)

    def faces(self, k: int) -> Mapping[str, Face]:
        """What the boxes show in step k."""
        step, faces = self.story.steps[k], dict(self.base.faces)
        for node in self.graph.nodes:
            face = faces[f"n{node.index}"]
            kept = [one for one in face.rows if one.label not in self.rows]
            new = [one for table in self.rows.values() if (one := table[node.index][k])]
            face = replace(face, rows=(*kept, *new))
            if node.index in step.sums:
                face = replace(face, badge=badge(step.sums[node.index], face))
            faces[f"n{node.index}"] = lit(face, step, node.index)
        if self.is_spread and step.active is not None:
            key = f"o{step.active}"
            faces[key] = replace(faces[key], outline=self.colour(step), weight=2.6)
        return faces

    def marks(self, k: int) -> Mapping[Hashable, Mark]:
        """What the edges show in step k: what travels now, and in muted colours what has travelled before."""
        steps = self.story.steps
        marks = dict(self.base.marks)
        for step in steps[:k]:
            for use, passed in step.passed.items():
                marks[use] = Mark(
                    label=self.label(passed, "soft" if isinstance(passed.what, str) else "ink"), plate="quiet"
                )
        active = steps[k].active
        for use, passed in steps[k].passed.items():
            ink, colour = ("gradient", BACK) if passed.is_gradient else ("ink", FORTH)
            way = "backward" if passed.is_gradient else "forward"
            label = self.label(passed, ink)
            marks[use] = Mark((colour,), 2.2, way=way, label=label, plate="made", plate_line=colour)
        if self.is_spread and active is not None:
            way = "backward" if self.colour(steps[k]) == BACK else "forward"
            marks[active, RESULT] = Mark((self.colour(steps[k]),), 2.2, way=way)
        return marks

    def colour(self, step: Step) -> str:
        """The colour of what happens in a step: of gradients on their way back, or of data."""
        if step.passed:
            return BACK if next(iter(step.passed.values())).is_gradient else FORTH
        return BACK if step.known.get("grad") else FORTH

    def label(self, passed: Passed, ink: str) -> Row:
        """What stands on an edge: a calculation, or an array."""
        if isinstance(passed.what, str):
            return Row(text=passed.what, ink=ink)
        return values.row(
            "", passed.what, self.scales["grad" if passed.is_gradient else self.story.rows[0]], ink
        )


def part(story: Story) -> ShownGraph:
    """The graph of what a story shows: a node whose operation is not filmed looks like a leaf in it.

    All nodes have their names, since the words of the film name them.
    """
    graph = story.graph
    nodes = [
        replace(node, is_named=node.is_named or bool(node.operation) or not node.is_quiet)
        if node.index in story.operations or node.operation is None
        else replace(node, is_named=True, operation=None, operands=(), sign=None)
        for node in story.nodes
    ]
    used = {operand for node in nodes for operand in node.operands if isinstance(operand, int)}
    boxes, nodes = _boxes(graph.boxes, nodes)
    outside = {i: graph.name(i) for i in sorted(used - story.shown)}
    return ShownGraph(tuple(nodes), len(nodes), outside, boxes=boxes)


def _boxes(boxes: Sequence[Box], nodes: Sequence[ShownNode]) -> tuple[tuple[Box, ...], list[ShownNode]]:
    """The boxes of a graph that hold some of these nodes, and the nodes with their new box indices."""
    used: set[int] = set()
    for node in nodes:
        i = node.box
        while i >= 0:
            used.add(i)
            i = boxes[i].parent
    place = {-1: -1} | {i: k for k, i in enumerate(sorted(used))}
    kept = tuple(replace(boxes[i], parent=place[boxes[i].parent]) for i in sorted(used))
    return kept, [replace(node, box=place[node.box]) for node in nodes]


def lit(face: Face, step: Step, i: int) -> Face:
    """A face as it looks in a step: in another colour while its operation runs, and with a strong outline
    where something arrives."""
    if i == step.active:
        return replace(face, kind="operation", weight=2.2)
    if i not in step.receivers:
        return face
    is_back = i in step.known.get("grad", {})
    return replace(face, outline=BACK if is_back else FORTH, weight=2.4)


def blank(row: Row) -> Row:
    """A row before its value is known: of the same size, with nothing in it."""
    if not row.cells:
        return replace(row, text=NOT_YET, ink="soft")
    return replace(row, cells=tuple(tuple(Cell("", 0) for _ in line) for line in row.cells))


def badge(terms: Sequence[str], face: Face) -> str:
    """The terms of a gradient: `12 + 10`, or their number if that is too wide or they are arrays."""
    text = added(terms) if all(terms) else ""
    room = face.size[0] + HANGING
    is_short = text and text_width(text, SMALL + 1, bold=True) <= room
    return text if is_short else f"sum of {len(terms)}"


def captions(story: Story, width: float) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """For a file that has captions in the picture: a title and lines for each step, equally many for all."""
    wrapped = [list(_caption(step, width)) for step in story.steps]
    most = max(map(len, wrapped))
    count = len(wrapped)
    return [
        (f"Step {k} of {count}: {step.title}", (*lines, *[("", "page")] * (most - len(lines))))
        for k, (step, lines) in enumerate(zip(story.steps, wrapped), start=1)
    ]


def _caption(step: Step, width: float) -> Iterator[tuple[str, str]]:
    """The lines of a caption with their colours; a calculation in the words stays in one line."""
    kept = re.sub(r" ([·+=≈]) ", f"{KEPT}\\1{KEPT}", step.words)
    for line in _wrapped(kept, width):
        yield line.replace(KEPT, " "), "page"
    for symbols in step.symbols:
        yield from ((line, BACK) for line in _wrapped(symbols, width))


def _wrapped(text: str, width: float) -> Iterator[str]:
    """A text in lines of at most this many pixels, unless a single word is wider."""
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if line and text_width(longer, TEXT - 1) > width:
            yield line
            longer = word
        line = longer
    yield line
