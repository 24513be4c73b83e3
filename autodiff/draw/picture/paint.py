"""A plan in one of its states, as shapes: what a reader sees at one moment."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby
from math import hypot
from operator import itemgetter
from typing import NamedTuple

from ..graph.as_text import shortened
from . import faces
from .faces import Face, Mark, Row
from .metrics import text_width
from .plan import PicturePlan, Place
from .scene import PLAIN, Scene, State
from .shapes import (
    BOXES,
    DETAILS,
    EDGES,
    FRAMES,
    HEADS,
    PANELS,
    PLATES,
    STREAMS,
    TEXTS,
    Curve,
    Patch,
    Point,
    Rect,
    Shape,
    Text,
)

CORNER = 6.0
HEAD, HEAD_SIDE = 7.0, 3.2  # the length of an arrowhead, and half its width
THICK = 1.5  # a line of more than this width has a larger arrowhead
WIDE = 4.0  # and one of more than this width lies under all others


class Part(NamedTuple):
    """The shapes of one frame, edge, label of an edge, or box, and its key in the scene."""

    kind: str
    key: Hashable
    shapes: list[Shape]


def painted(scene: Scene, plan: PicturePlan, state: State) -> list[Shape]:
    """The shapes of a state: frames, edges and boxes."""
    return [shape for part in parts(scene, plan, state) for shape in part.shapes]


def parts(scene: Scene, plan: PicturePlan, state: State) -> Iterator[Part]:
    """The same by what they belong to."""
    for i, frame in enumerate(scene.frames):
        for place in plan.frames.get(i, ()):
            yield Part("frame", i, _frame(frame.title, frame.is_dashed, place))
    for key, points in plan.edges.items():
        mark = state.marks.get(key, PLAIN)
        yield Part("edge", key, _line(mark, points))
        if mark.label is not None and key in plan.labels:
            yield Part("label", key, _label(mark, mark.label, plan.labels[key]))
    for key, place in plan.boxes.items():
        yield Part("box", key, _box(state.faces[key], place))


def _frame(title: str, is_dashed: bool, place: Place) -> list[Shape]:
    left, top = place.x - place.width / 2, place.y - place.height / 2
    most = len(title)
    while most > 1 and text_width(title, 12) > place.width - 24:  # the part of a frame in a row may be short
        most -= 1
        title = shortened(title, most)
    width = text_width(title, 12) + 8
    return [
        Rect(FRAMES, left, top, place.width, place.height, 8, "", "fold_line", 1.0, is_dashed),
        Rect(PLATES, left + 8, top + 3, width, 16, 4, "paper"),
        Text(TEXTS, left + 12, top + 11, title, 12, "soft", "start"),
    ]


def _label(mark: Mark, label: Row, place: Place) -> list[Shape]:
    """What stands on an edge, on a background of its own."""
    left, top = place.x - place.width / 2, place.y - place.height / 2
    width, height = mark.label_size
    left, top = left + (place.width - width) / 2, top + (place.height - height) / 2
    spare = 0.0 if label.cells else 2.0  # a plate is no larger than it must be: it covers lines
    plate = mark.plate, mark.plate_line
    shapes: list[Shape] = [Rect(BOXES, left, top + spare, width, height - 2 * spare, 4, *plate)]
    if label.cells:
        return [*shapes, *_row(label, left, top + 1, width, 0.0, side=4.0)]
    return [*shapes, Text(TEXTS, place.x, place.y, label.text, faces.SMALL + 1, label.ink)]


def _line(mark: Mark, points: Sequence[Point]) -> list[Shape]:
    """A line for each colour of an edge, and an arrowhead at its start or its end.

    A wide line goes on into the box at its other end, so that there is no gap between the two.
    """
    pulled = list(points)
    shapes: list[Shape] = []
    lines = mark.lines
    if mark.way:
        end, step = (0, 1) if mark.way == "backward" else (-1, -1)
        pulled[end], head = _head(points[end], _next(points, step), mark.width)
        shapes.append(Patch(HEADS, head, max(lines, key=itemgetter(1))[0]))
        if mark.width > WIDE:
            other = -1 if end == 0 else 0
            (x0, y0), (x1, y1) = points[other], _next(points, -step)
            part = mark.width / 2 / (hypot(x0 - x1, y0 - y1) or 1.0)
            pulled[other] = (x0 + (x0 - x1) * part, y0 + (y0 - y1) * part)
    layer = STREAMS if mark.width > WIDE else EDGES
    for ink, weight, aside in lines:
        curve = _beside(pulled, points, aside)
        shapes.append(Curve(layer, curve, ink, round(weight, 1), mark.is_dashed))
    return shapes


def _next(points: Sequence[Point], step: int) -> Point:
    """The point that a curve runs towards from one of its ends: the first that is not the end itself."""
    end = points[0] if step > 0 else points[-1]
    for point in points[1:] if step > 0 else points[-2::-1]:
        if point != end:
            return point
    return end[0] - step, end[1]


def head_length(width: float) -> float:
    """How long the arrowhead of a line of this width is."""
    return HEAD + 0.55 * max(0.0, width - THICK)


def _head(tip: Point, inner: Point, width: float) -> tuple[Point, tuple[Point, ...]]:
    """An arrowhead of a line of this width, with its tip at one point, coming from another, and where the
    line behind it ends."""
    size, side = head_length(width), HEAD_SIDE + 0.65 * max(0.0, width - THICK)
    dx, dy = tip[0] - inner[0], tip[1] - inner[1]
    length = hypot(dx, dy) or 1.0
    dx, dy = dx / length, dy / length
    back = (tip[0] - size * dx, tip[1] - size * dy)
    wings = ((back[0] - side * dy, back[1] + side * dx), (back[0] + side * dy, back[1] - side * dx))
    return (back[0] + dx, back[1] + dy), (tip, *wings)


def _beside(pulled: Sequence[Point], points: Sequence[Point], aside: float) -> tuple[Point, ...]:
    """A curve moved to its side, so that lines of several colours run next to each other.

    Each point of it moves across the direction that the curve has near it before it is pulled back from its
    head: a short last piece would turn round there, and the lines would cross.
    """
    if not aside:
        return tuple(pulled)
    last = len(points) - 1
    moved = []
    for k, (x, y) in enumerate(pulled):
        near = 3 * round(k / 3)  # the end of a piece to which the point belongs
        (x0, y0), (x1, y1) = points[max(near - 1, 0)], points[min(near + 1, last)]
        if (x0, y0) == (x1, y1):
            (x0, y0), (x1, y1) = points[0], points[-1]
        length = hypot(x1 - x0, y1 - y0) or 1.0
        moved.append((x - aside * (y1 - y0) / length, y + aside * (x1 - x0) / length))
    return tuple(moved)


def _box(face: Face, place: Place) -> list[Shape]:
    """A box with its title and rows, or an operation, or a bare text."""
    if face.shape == "bare":
        return [Text(TEXTS, place.x, place.y, face.title, faces.TEXT - 1, face.ink)]
    left, top = place.x - place.width / 2, place.y - place.height / 2
    line = face.outline or f"{face.kind}_line"
    if face.shape in ("circle", "word"):
        radius = place.width / 2 if face.shape == "circle" else CORNER
        size = faces.TEXT + 3 if face.shape == "circle" else faces.TEXT
        return [
            Rect(BOXES, left, top, place.width, place.height, radius, face.kind, line, face.weight),
            Text(TEXTS, place.x, place.y, face.title, size, face.ink),
        ]
    shapes: list[Shape] = []
    if face.shape == "double":
        outer = place.width + 6, place.height + 6, CORNER + 3
        shapes.append(Rect(BOXES, left - 3, top - 3, *outer, "", line))
    shapes.append(Rect(BOXES, left, top, place.width, place.height, CORNER, face.kind, line, face.weight))
    shapes += _inside(face, place, left, top)
    if face.badge:
        width = face.badge_width
        below = place.y + place.height / 2 - faces.OVERLAP
        middle = below + faces.BADGE / 2
        badge = width, faces.BADGE, faces.BADGE / 2
        shapes.append(Rect(PLATES, place.x - width / 2, below, *badge, "badge", line))
        shapes.append(Text(TEXTS, place.x, middle, face.badge, faces.SMALL + 1, "gradient", is_bold=True))
    return shapes


def _inside(face: Face, place: Place, left: float, top: float) -> list[Shape]:
    """The title and the rows of a box, in the middle of the room that it has."""
    spare = (place.height - face.size[1]) / 2
    y = top + faces.END + spare
    shapes: list[Shape] = []
    if face.title:
        middle = y + faces.TITLE_ROOM / 2 - 1
        shapes.append(Text(TEXTS, place.x, middle, face.title, faces.TITLE, face.ink, is_bold=True))
        y += faces.TITLE_ROOM
    for row in face.rows:
        shapes += _row(row, left, y, place.width, face.label_room)
        y += row.value_size[1]
    return shapes


def _row(
    row: Row, left: float, y: float, width: float, label_room: float, side: float = faces.SIDE
) -> list[Shape]:
    """One row: its label at the left, and its text, cells and notes at the right."""
    right = left + width - side
    shapes: list[Shape] = []
    if row.label:
        shapes.append(Text(TEXTS, left + side, y + faces.ROW / 2, row.label, faces.SMALL, "soft", "start"))
    if row.has_line:
        x, anchor = (right, "end") if label_room else (left + width / 2, "middle")
        look = faces.TEXT, row.ink, anchor
        shapes.append(Text(TEXTS, x, y + faces.ROW / 2, row.text, *look, shows=row.label))
        y += faces.ROW
    if row.cells:
        start = right - sum(row.columns) if label_room else left + (width - sum(row.columns)) / 2
        shapes += _cells(row, start, y + 2)
        y += row.cell_height * len(row.cells) + 4
    for note in row.notes:
        shapes.append(Text(TEXTS, right, y + faces.NOTE / 2, note, faces.SMALL, "soft", "end"))
        y += faces.NOTE
    return shapes


def _cells(row: Row, left: float, top: float) -> Iterator[Shape]:
    """An array as a table: numbers on pale tints, with lines between them."""
    if not row.has_numbers:
        yield from _shades(row, left, top)
        return
    columns, height = row.columns, row.cell_height
    for r, line in enumerate(row.cells):
        x = left
        for cell, width in zip(line, columns):
            tint = f"tint{cell.shade}", "cell_line", 0.6
            yield Rect(DETAILS, x, top + r * height, width, height, 0, *tint, shows=row.label)
            if cell.text:  # of the strongest ink, whatever the row has: tints are deep
                end, middle = x + width - faces.CELL_SIDE, top + (r + 0.5) * height
                yield Text(TEXTS, end, middle, cell.text, faces.TEXT, "ink", "end", shows=row.label)
            x += width


def _shades(row: Row, left: float, top: float) -> Iterator[Shape]:
    """A large array as squares of full shades, with a line around all of them; equal neighbours are one."""
    for r, line in enumerate(row.cells):
        x = left
        for shade, cells in groupby(cell.shade for cell in line):
            width = faces.SQUARE * len(list(cells))
            if shade:
                yield square(x, top + r * faces.SQUARE, width, faces.SQUARE, f"shade{shade}")
            x += width
    width, height = faces.SQUARE * len(row.cells[0]), faces.SQUARE * len(row.cells)
    yield Rect(PANELS, left, top, width, height, 0.5, "cell", "cell_line", 1.0)


def square(x: float, y: float, width: float, height: float, fill: str) -> Rect:
    """A cell of a large array, or several in a row."""
    return Rect(DETAILS, x, y, width, height, 0, fill)
