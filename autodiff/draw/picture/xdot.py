"""A sheet as a drawing for Graphviz, which writes it as PNG, PDF and whatever else it can.

Graphviz draws the same shapes that the SVG has, from its attribute `_background`: so a picture looks the
same in every format. Texts are nodes without outlines, each at its place, since Graphviz 14 crashes on texts
in a background.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ..theme import Theme
from . import render
from .metrics import CODE_WIDTH, text_width
from .page import Sheet
from .shapes import Curve, Patch, Point, Rect, Text

FONT = "Helvetica"
LONGEST = 16_000  # characters of a quoted text
ROUND = 0.45  # how far from a corner the handles of its curve are, as a part of its radius
DOTS = {"png": 144}  # to an inch: twice the size on the screen, so that letters stay sharp


def rendered(sheet: Sheet, theme: Theme, file_format: str, ground: str = "transparent") -> bytes | None:
    """The sheet as a file of this format, or None if no engine is installed."""
    pieces: list[str] = []
    texts: list[str] = []
    for shape in sorted(sheet.shapes, key=lambda shape: shape.layer):
        if isinstance(shape, Text):
            texts.append(f"t{len(texts)} [{_text(shape, theme, sheet.height)}]")
        else:
            pieces += _outline(shape, theme, sheet.height)
    corner = f'pos="{sheet.width / 2:.2f},{sheet.height / 2:.2f}" width={sheet.width / 72:.4f}'
    # A text that is wider than we think must not make the page wider: all pages of a film are of one size.
    view = f'viewport="{sheet.width:.2f},{sheet.height:.2f},1,{sheet.width / 2:.2f},{sheet.height / 2:.2f}"'
    dot = (
        f"digraph {{ graph [pad=0 margin=0 {view} dpi={DOTS.get(file_format, 72)} "
        f'bgcolor="{ground}" _background={_in_strings(pieces)}] '
        f'node [shape=none margin=0 width=0 height=0 fontname="{FONT}"] '
        f'page [shape=box style=invis label="" fixedsize=true {corner} height={sheet.height / 72:.4f}] '
        f"{' '.join(texts)} }}"
    )
    return render.render(dot, file_format, engine="neato")


def _in_strings(pieces: list[str]) -> str:
    """Operations as DOT's text: Graphviz takes no more than 16,384 characters in one pair of quotes, but
    adds up several with a plus sign."""
    strings = [""]
    for piece in pieces:
        if len(strings[-1]) + len(piece) > LONGEST:
            strings.append("")
        strings[-1] += f"{piece} "
    return " + ".join(f'"{string}"' for string in strings)


def _text(text: Text, theme: Theme, height: float) -> str:
    """The node of a text: a cell as wide as we think it is, to whose start, middle or end it is pushed."""
    width = text_width(text.text, text.size, bold=text.is_bold) + 2
    if text.is_code:
        width = CODE_WIDTH * text.size * len(text.text)
    x = text.x + {"start": width / 2, "middle": 0.0, "end": -width / 2}[text.anchor]
    side = {"start": "left", "middle": "center", "end": "right"}[text.anchor]
    words = escape(text.text)
    cell = f'<td width="{width:.0f}" align="{side}">{f"<b>{words}</b>" if text.is_bold else words}</td>'
    font = ' fontname="Courier"' if text.is_code else ""
    look = f'fontsize={text.size:g} fontcolor="{theme.colour(text.ink)}"{font}'
    return (
        f'pos="{x:.2f},{height - text.y:.2f}" {look} '
        f'label=<<table border="0" cellborder="0" cellspacing="0" cellpadding="0"><tr>{cell}</tr></table>>'
    )


def _outline(shape: Rect | Curve | Patch, theme: Theme, height: float) -> Iterator[str]:
    """The operations that draw one shape, with y counted from below."""

    def at(points: tuple[Point, ...]) -> str:
        return f"{len(points)} " + " ".join(f"{x:.2f} {height - y:.2f}" for x, y in points)

    if isinstance(shape, Patch):
        yield f"{_pen(1, False)} {_colour('c', shape.fill, theme)} {_colour('C', shape.fill, theme)}"
        yield f"P {at(shape.points)}"
    elif isinstance(shape, Curve):
        yield f"{_pen(shape.weight, shape.is_dashed)} {_colour('c', shape.line, theme)} B {at(shape.points)}"
    else:
        yield f"{_pen(shape.weight, shape.is_dashed)} {_colour('c', shape.line or shape.fill, theme)}"
        fill = f"{_colour('C', shape.fill, theme)} b" if shape.fill else "B"
        yield f"{fill} {at(_rounded(shape))}"


def _rounded(rect: Rect) -> tuple[Point, ...]:
    """The outline of a rectangle as Bezier curves, closed."""
    x0, y0, x1, y1 = rect.x, rect.y, rect.x + rect.width, rect.y + rect.height
    r = min(rect.radius, rect.width / 2, rect.height / 2)
    k = r * ROUND
    corners = [
        ((x1 - r, y0), (x1 - k, y0), (x1, y0 + k), (x1, y0 + r)),
        ((x1, y1 - r), (x1, y1 - k), (x1 - k, y1), (x1 - r, y1)),
        ((x0 + r, y1), (x0 + k, y1), (x0, y1 - k), (x0, y1 - r)),
        ((x0, y0 + r), (x0, y0 + k), (x0 + k, y0), (x0 + r, y0)),
    ]
    points: list[Point] = [(x0 + r, y0)]
    for start, first, second, end in corners:
        points += [points[-1], start, start, first, second, end]
    points += [points[-1], points[0], points[0]]
    return tuple(points)


def _pen(weight: float, is_dashed: bool) -> str:
    """The width and dashes of lines from here on."""
    return f"S {_counted(f'setlinewidth({weight:g})')} S {_counted('dashed' if is_dashed else 'solid')}"


def _colour(which: str, role: str, theme: Theme) -> str:
    return f"{which} {_counted(theme.colour(role))}"


def _counted(text: str) -> str:
    """A text with its length in bytes before it, as the format has it."""
    return f"{len(text.encode())} -{text}"
