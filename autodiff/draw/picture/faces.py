"""What a box and an edge show in one state of a picture, and how much room that takes.

A `Face` is what stands in a box: a title, rows, and a badge that hangs under it. A `Mark` is how an edge
looks and what stands on it. Both are plain records without places: the layout gives each box the room of its
widest face, so a picture can change its state and nothing moves. A size is worked out once: the layout asks
for it, and then the painter.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ..theme import SHADES
from .metrics import text_width

TITLE, TEXT, SMALL = 13.0, 13.0, 10.5  # sizes of letters in pixels
TITLE_ROOM, ROW, NOTE = 21.0, 18.0, 14.0  # heights of a title, of a row, of a small line
CELL, CELL_SIDE = 18.0, 5.0  # the height of a cell with a number, and the space on both sides of the number
SQUARE = 8.0  # the side of a cell without a number
SIDE, END, GAP = 8.0, 3.0, 7.0  # margins of a box, above and below, and between a label and its value
CIRCLE, WORD_SIDE, WORD = 24.0, 7.0, 22.0  # an operation: a sign in a circle, or a word in a small box
BADGE, BADGE_SIDE, OVERLAP = 17.0, 6.0, 3.0  # a badge: its height, its margin, and how much it covers its box
LEVELS = SHADES  # of one sign
NOT_FINITE = LEVELS + 1  # the shade of nan and inf


class Cell(NamedTuple):
    """One cell of an array: its number, or nothing in a large array, and its shade from -LEVELS to LEVELS."""

    text: str
    shade: int


@dataclass(frozen=True)
class Row:
    """A line of a box, or the text on an edge: a label, then a text or a table of cells, then small lines.

    `ink` is the role of its colour in the theme. `widths` are the least widths of the columns of numbers, for
    a table whose numbers another state changes.
    """

    label: str = ""
    text: str = ""
    ink: str = "ink"
    cells: tuple[tuple[Cell, ...], ...] = ()
    notes: tuple[str, ...] = ()
    widths: tuple[float, ...] = ()

    @cached_property
    def has_numbers(self) -> bool:
        """Whether its cells have numbers in them, or room for some."""
        return bool(self.widths) or any(cell.text for line in self.cells for cell in line)

    @cached_property
    def has_line(self) -> bool:
        """Whether there is a line of text; a row of small lines or cells alone has none."""
        return bool(self.text) or not (self.cells or self.notes)

    @cached_property
    def columns(self) -> list[float]:
        """The widths of the columns of its cells."""
        if not self.has_numbers:
            return [SQUARE] * (len(self.cells[0]) if self.cells else 0)
        least = self.widths or [0.0] * len(self.cells[0])
        return [
            max(width, *(text_width(cell.text, TEXT) + 2 * CELL_SIDE for cell in column))
            for width, column in zip(least, zip(*self.cells))
        ]

    @cached_property
    def cell_height(self) -> float:
        """The height of each of its cells."""
        return CELL if self.has_numbers else SQUARE

    @cached_property
    def value_size(self) -> tuple[float, float]:
        """The width and height of what stands right of the label."""
        width = text_width(self.text, TEXT)
        height = ROW if self.has_line else 0.0
        if self.cells:
            width = max(width, sum(self.columns))
            height += self.cell_height * len(self.cells) + 4
        if self.notes:
            width = max(width, *(text_width(note, SMALL) for note in self.notes))
            height += NOTE * len(self.notes)
        return width, height


@dataclass(frozen=True)
class Face:
    """What a box shows in one state.

    `kind` names two roles of the theme, the background and the outline (with `_line` after it); `outline` is
    a role that takes the place of the second. `shape` is "box", "double" (a box with two outlines), "circle",
    "word" or "bare": text on the page itself.
    """

    title: str = ""
    rows: tuple[Row, ...] = ()
    badge: str = ""
    kind: str = "made"
    shape: str = "box"
    outline: str = ""
    weight: float = 1.0
    ink: str = "ink"

    @cached_property
    def label_room(self) -> float:
        """The width of the column of labels."""
        widest = max([text_width(row.label, SMALL) for row in self.rows], default=0.0)
        return widest + GAP if widest else 0.0

    @cached_property
    def size(self) -> tuple[float, float]:
        """The width and height of the box, without its badge."""
        if self.shape == "circle":
            return CIRCLE, CIRCLE
        if self.shape == "word":
            return text_width(self.title, TEXT) + 2 * WORD_SIDE, WORD
        if self.shape == "bare":
            return text_width(self.title, TEXT) + 4, ROW
        sizes = [row.value_size for row in self.rows]
        width = max([self.label_room + size[0] for size in sizes], default=0.0)
        width = max(width, text_width(self.title, TITLE, bold=True)) + 2 * SIDE
        height = (TITLE_ROOM if self.title else 0.0) + sum([size[1] for size in sizes]) + 2 * END
        return width, max(height, ROW + 2 * END)

    @cached_property
    def badge_width(self) -> float:
        """The width of its badge, 0 if it has none."""
        return text_width(self.badge, SMALL + 1, bold=True) + 2 * BADGE_SIDE if self.badge else 0.0


@dataclass(frozen=True)
class Mark:
    """How an edge looks in one state, and what stands on it.

    `inks` are roles of the theme, one line side by side for each, of the width `weight`, or each of its own
    of the `weights`. `way` is where its arrowhead is: "forward" at its end, "backward" at its start, ""
    nowhere. It has the colour of the widest line.
    """

    inks: tuple[str, ...] = ("line",)
    weight: float = 1.2
    weights: tuple[float, ...] = ()
    way: str = "forward"
    is_dashed: bool = False
    label: Row | None = None
    plate: str = "paper"
    plate_line: str = ""

    @cached_property
    def lines(self) -> list[tuple[str, float, float]]:
        """The lines side by side: the colour of each, its width, and how far it is from the middle."""
        inks = tuple(dict.fromkeys(self.inks))
        if not self.weights:
            step, first = self.weight + 0.6, (len(inks) - 1) / 2
            return [(ink, self.weight, (place - first) * step) for place, ink in enumerate(inks)]
        found = []
        side = -sum(self.weights) / 2
        for ink, weight in zip(inks, self.weights):
            found.append((ink, weight, side + weight / 2))
            side += weight
        return found

    @cached_property
    def width(self) -> float:
        """The width of all its lines together."""
        return sum(self.weights) or self.weight

    @cached_property
    def label_size(self) -> tuple[float, float]:
        """How large its label is."""
        if self.label is None:
            return 0.0, 0.0
        width, height = self.label.value_size
        if not self.label.cells:
            width, height = text_width(self.label.text, SMALL + 1), ROW - 1
        return width + 8, height + 2

    @cached_property
    def label_room(self) -> tuple[float, float]:
        """The room that keeps its label off the lines: lines side by side reach further than one."""
        width, height = self.label_size
        asides = [aside for _, _, aside in self.lines]
        return (width, height + 2 * (max(asides) - min(asides))) if self.label else (0.0, 0.0)


def widest(sizes: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """The room that holds each of several sizes."""
    widths, heights = zip(*sizes)
    return max(widths), max(heights)
