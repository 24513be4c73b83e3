"""A whole picture: the painted scene, a title above it, and captions and a legend below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..graph.as_text import brief
from . import faces
from .faces import BADGE, OVERLAP, SMALL, SQUARE
from .metrics import text_width
from .paint import painted, square
from .plan import PicturePlan
from .scene import Scene, State
from .shapes import BOXES, TEXTS, Rect, Shape, Text

MARGIN, LINE, TITLE = 5.0, 18.0, 15.0
SWATCH, APART = 13.0, 28.0  # a patch of the legend, and the distance of two scales
LEGEND, SCALES = "legend", "scales"  # in place of an ink: such a line is not text
ROW = "row"  # and so is a row of the table, which is given by its place
COLUMN = 16.0  # the distance of the columns of a table
SIGNS = ("plus", "minus", "zero")  # patches of a legend without an outline
SWATCHES = range(-faces.LEVELS, faces.LEVELS + 1, 2)


class Sheet(NamedTuple):
    """A picture of one state: its size in pixels, and its shapes."""

    width: float
    height: float
    shapes: tuple[Shape, ...]


def sheets(scene: Scene, plan: PicturePlan, states: Sequence[State]) -> list[Sheet]:
    """A sheet for each state, all of one size, with everything at the same place on each."""
    head = TITLE + 8 if any(state.title for state in states) else 0.0
    lines = max(len(_below(state)) for state in states)
    hanging = max((_hanging(plan, state) for state in states), default=0.0)
    foot = plan.height + hanging + (4 + LINE * lines if lines else 0.0)
    widths = [_words_width(state) for state in states]
    width = max([plan.width, *widths]) + 2 * MARGIN
    height = head + foot + 2 * MARGIN
    dx, dy = MARGIN + (width - 2 * MARGIN - plan.width) / 2, MARGIN + head
    plan = plan.moved(dx, dy, plan.width, plan.height)
    made = []
    for state in states:
        shapes = painted(scene, plan, state)
        if state.title:
            middle = MARGIN + TITLE / 2
            shapes.append(Text(TEXTS, width / 2, middle, state.title, TITLE, "page", is_bold=True))
        y = dy + plan.height + hanging + 4 + LINE / 2
        for text, ink in _below(state):
            shapes += _line(text, ink, state, width / 2, y)
            y += LINE
        made.append(Sheet(width, height, tuple(shapes)))
    return made


def moved(shape: Shape, dx: float, dy: float) -> Shape:
    """A shape at another place."""
    if isinstance(shape, (Rect, Text)):
        return shape._replace(x=shape.x + dx, y=shape.y + dy)
    return shape._replace(points=tuple((x + dx, y + dy) for x, y in shape.points))


def _hanging(plan: PicturePlan, state: State) -> float:
    """How far badges hang out of the plan."""
    below = [
        plan.boxes[key].y + plan.boxes[key].height / 2 + BADGE - OVERLAP - plan.height
        for key, face in state.faces.items()
        if face.badge and key in plan.boxes
    ]
    return max([0.0, *below])


def _below(state: State) -> list[tuple[str, str]]:
    """The lines below a picture, each with its ink: captions, the table, the legend and the scales."""
    rows = [(str(place), ROW) for place in range(len(state.table))]
    more = [("", kind) for kind, is_there in ((LEGEND, state.legend), (SCALES, state.scales)) if is_there]
    return [*state.caption, *rows, *more]


def _words_width(state: State) -> float:
    widths = [text_width(text, faces.TEXT) for text, _ in state.caption]
    widths.append(text_width(state.title, TITLE, bold=True))
    widths.append(sum(_columns(state)))
    widths.append(sum(SWATCH + 22 + text_width(words, SMALL + 1) for _, words in state.legend))
    widths.append(sum(_scale_width(*scale) + APART for scale in state.scales))
    return max(widths)


def _line(text: str, ink: str, state: State, middle: float, y: float) -> list[Shape]:
    if ink == ROW:
        return _row(state, int(text), middle, y)
    if ink == LEGEND:
        return _legend(state, middle, y)
    if ink == SCALES:
        return _scales(state, middle, y)
    return [Text(TEXTS, middle, y, text, faces.TEXT - 1, ink)]


def _columns(state: State) -> list[float]:
    """The widths of the columns of a state's table, with the space between them."""
    columns = zip(*(cells for cells, _ in state.table))
    return [max(text_width(cell, faces.TEXT - 1) for cell in column) + COLUMN for column in columns]


def _row(state: State, place: int, middle: float, y: float) -> list[Shape]:
    """A row of the table: its columns are lined up at the left, and the last of them at the right."""
    cells, ink = state.table[place]
    columns = _columns(state)
    x = middle - sum(columns) / 2 + COLUMN / 2
    shapes: list[Shape] = []
    for k, (cell, width) in enumerate(zip(cells, columns)):
        is_last = k == len(cells) - 1
        at, anchor = (x + width - COLUMN, "end") if is_last else (x, "start")
        if cell:
            shapes.append(Text(TEXTS, at, y, cell, faces.TEXT - 1, ink, anchor))
        x += width
    return shapes


def _legend(state: State, middle: float, y: float) -> list[Shape]:
    """Patches of colour with what they mean, side by side."""
    widths = [SWATCH + 22 + text_width(words, SMALL + 1) for _, words in state.legend]
    x = middle - sum(widths) / 2
    shapes: list[Shape] = []
    for (kind, words), width in zip(state.legend, widths):
        line = "" if kind in SIGNS else f"{kind}_line"
        shapes.append(Rect(BOXES, x, y - SWATCH / 2, SWATCH, SWATCH, 3, kind, line))
        shapes.append(Text(TEXTS, x + SWATCH + 6, y, words, SMALL + 1, "page", "start"))
        x += width
    return shapes


def _scales(state: State, middle: float, y: float) -> list[Shape]:
    """The shades of cells without numbers, from the most negative to the most positive, side by side."""
    widths = [_scale_width(*scale) for scale in state.scales]
    x = middle - (sum(widths) + APART * (len(widths) - 1)) / 2
    shapes: list[Shape] = []
    for (part, scale), width in zip(state.scales, widths):
        end = brief(scale)
        start = f"{part}  \N{MINUS SIGN}{end}"
        shapes.append(Text(TEXTS, x, y, start, SMALL, "page", "start"))
        left = x + text_width(start, SMALL) + 5
        shapes += [
            square(left + k * SQUARE, y - SQUARE / 2, SQUARE, SQUARE, f"shade{level}")
            for k, level in enumerate(SWATCHES)
        ]
        shapes.append(Text(TEXTS, left + SQUARE * len(SWATCHES) + 5, y, end, SMALL, "page", "start"))
        x += width + APART
    return shapes


def _scale_width(part: str, scale: float) -> float:
    """The width of one scale with the words at both ends."""
    words = f"{part}  \N{MINUS SIGN}{brief(scale)}{brief(scale)}"
    return text_width(words, SMALL) + SQUARE * len(SWATCHES) + 10
