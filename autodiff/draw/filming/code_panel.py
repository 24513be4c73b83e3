"""The code of a function beside the picture of its graph, with the running line highlighted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..picture.metrics import CODE_WIDTH
from ..picture.page import Sheet, moved
from ..picture.shapes import BOXES, FRAMES, TEXTS, Rect, Shape, Text

SIZE, LINE, SIDE = 12.0, 18.0, 10.0  # of letters, from line to line, and around the code, in pixels
GAP = 14.0  # between the code and the graph
PAGE = 900.0  # pixels; if both together are wider, the code stands above the graph


def beside(sheets: Sequence[Sheet], code: Sequence[str], lit: Sequence[int | None]) -> list[Sheet]:
    """The sheets with the code at their left, or above them. `lit` has for each the line to highlight."""
    width = max(map(len, code)) * SIZE * CODE_WIDTH + 2 * SIDE
    height = LINE * len(code) + 2 * SIDE
    graph = sheets[0]
    is_beside = width + GAP + graph.width <= PAGE
    whole = (
        (width + GAP + graph.width, max(height, graph.height))
        if is_beside
        else (max(width, graph.width), height + GAP + graph.height)
    )
    dx, dy = (width + GAP, (whole[1] - graph.height) / 2) if is_beside else (0.0, height + GAP)
    top = (whole[1] - height) / 2 if is_beside else 0.0
    return [
        Sheet(*whole, (*_panel(code, line, width, top), *(moved(shape, dx, dy) for shape in sheet.shapes)))
        for sheet, line in zip(sheets, lit)
    ]


def _panel(code: Sequence[str], lit: int | None, width: float, top: float) -> Iterator[Shape]:
    """The lines of the code on a ground of their own."""
    yield Rect(FRAMES, 1, top + 1, width - 2, LINE * len(code) + 2 * SIDE - 2, 6, "quiet", "quiet_line")
    for k, line in enumerate(code):
        y = top + SIDE + LINE * k
        if k == lit:
            yield Rect(BOXES, 4, y, width - 8, LINE, 4, "operation", "operation_line", 1.5)
        words = line.lstrip()
        x = SIDE + (len(line) - len(words)) * SIZE * CODE_WIDTH
        if words:
            yield Text(TEXTS, x, y + LINE / 2, words, SIZE, "ink", "start", is_code=True)
