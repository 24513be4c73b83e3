"""A sheet as SVG. Shapes of one look share a class, and lines of one look are one path: that keeps a picture
small, which a notebook stores. With a theme that has a dark side, the page decides between the two."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias
from zlib import crc32

from ..theme import Theme
from .metrics import CODE_FONT, FONT
from .page import Sheet
from .shapes import Curve, Patch, Rect, Shape, Text

Look: TypeAlias = tuple[object, ...]  # what shapes of one class have in common

DASH = "4 3"
BASELINE = 0.35  # of the size: from the middle of a text down to its baseline


def written(sheet: Sheet, theme: Theme, *, mark: str = "", description: str = "") -> str:
    """The SVG text of a sheet. `mark` becomes its `<desc>`, and `description` its label for screen
    readers."""
    looks = Looks(sheet.shapes, theme)
    body = drawn(sheet.shapes, looks)
    width, height = round(sheet.width), round(sheet.height)
    label = f' role="img" aria-label="{escape(description)}"' if description else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" class="{looks.root}"{label}>'
        + (f"<desc>{escape(mark)}</desc>" if mark else "")
        + f"<style>{style(looks, theme)}</style>{body}</svg>"
    )


class Looks(dict[Look, str]):
    """The class of each look. All begin with one word, which is made from what is drawn: on a page that has
    several pictures in its own text, no picture has a class of another. For a picture that is always a file
    of its own nothing need be given."""

    def __init__(self, *content: object) -> None:
        super().__init__()
        self.root = f"p{crc32(repr(content).encode()) % 16**6:06x}" if content else ""

    @property
    def selector(self) -> str:
        """What selects the whole picture in a style sheet."""
        return f".{self.root}" if self.root else "svg"

    def __missing__(self, look: Look) -> str:
        k = len(self)  # a, b, ... z, a1, b1, ...
        letter = "abcdefghijklmnopqrstuvwxyz"[k % 26]
        name = self[look] = f"{self.root}{letter}{k // 26 or ''}"
        return name


def drawn(shapes: tuple[Shape, ...], looks: Looks) -> str:
    """The shapes as elements, from the lowest layer to the highest; new looks get the next free class."""
    parts = []
    looked = [((shape.layer, _look(shape)), shape) for shape in shapes]
    for (_, look), group in groupby(sorted(looked, key=itemgetter(0)), itemgetter(0)):
        name = looks[look]
        inside = [shape for _, shape in group]
        if look[0] == "text":
            parts.append(f'<g class="{name}">{"".join(map(_text, inside))}</g>')
        else:
            parts += _outlines(name, inside)
    return "".join(parts)


def element(shape: Shape, looks: Looks, attributes: str = "") -> str:
    """One shape as an element of its own, which a script can find by its attributes."""
    name = looks[_look(shape)]
    if isinstance(shape, Text):
        made = _text(shape)
    elif isinstance(shape, Rect) and shape.radius:
        made = _rect(shape)
    else:
        made = f'<path d="{_path(shape)}"/>'
    tag, rest = made.split(" ", 1)
    return f'{tag} class="{name}"{attributes} {rest}'


def style(looks: Looks, theme: Theme, within: str = "") -> str:
    """The style sheet of these looks: in the theme's colours, and in those of its dark side.

    `within` is the selector of what it applies to, with a blank behind it.
    """
    rules = [f"{within}{looks.selector}{{font-family:{FONT};white-space:pre}}"]
    rules += [f"{within}.{name}{{{_rule(look, theme)}}}" for look, name in looks.items()]
    if theme.dark is not None:
        dark = "".join([f"{within}.{name}{{{_colours(look, theme.dark)}}}" for look, name in looks.items()])
        rules.append(f"@media (prefers-color-scheme:dark){{{dark}}}")
    return "".join(rules)


def _look(shape: Shape) -> Look:
    """What shapes of one class have in common. The first item is the kind: a text, an area or a line."""
    if isinstance(shape, Text):
        return "text", shape.ink, shape.size, shape.anchor, shape.is_bold, shape.is_code
    if isinstance(shape, Curve):
        return "line", shape.line, shape.weight, shape.is_dashed
    if isinstance(shape, Patch):
        return "area", shape.fill, "", 1.0, False
    return "area", shape.fill, shape.line, shape.weight, shape.is_dashed


def _rule(look: Look, theme: Theme) -> str:
    """The whole style of a class."""
    rule = _colours(look, theme)
    if look[0] == "text":
        _, _, size, anchor, is_bold, is_code = look
        rule += f";font-size:{size:g}px" + (";font-weight:bold" if is_bold else "")
        rule += f";font-family:{CODE_FONT}" if is_code else ""
        return rule + (f";text-anchor:{anchor}" if anchor != "start" else "")
    weight, is_dashed = look[-2:]
    if look[0] == "line" or look[2]:
        rule += f";stroke-width:{weight:g}" if weight != 1 else ""
    return rule + (f";stroke-dasharray:{DASH}" if is_dashed else "")


def _colours(look: Look, theme: Theme) -> str:
    """The part of a class's style that depends on the theme."""
    if look[0] == "line":
        return f"fill:none;stroke:{theme.colour(str(look[1]))}"
    fill = f"fill:{theme.colour(str(look[1])) if look[1] else 'none'}"
    if look[0] == "area" and look[2]:
        fill += f";stroke:{theme.colour(str(look[2]))}"
    return fill


def _outlines(name: str, shapes: list[Shape]) -> list[str]:
    """Rectangles, and all lines and patches of one look as one path."""
    rects = [_rect(s) for s in shapes if isinstance(s, Rect) and s.radius]
    paths = "".join([_path(s) for s in shapes if not (isinstance(s, Rect) and s.radius)])
    found = [f'<path class="{name}" d="{paths}"/>'] if paths else []
    if len(rects) == 1:
        found.append(rects[0].replace("<rect", f'<rect class="{name}"', 1))
    elif rects:
        found.append(f'<g class="{name}">{"".join(rects)}</g>')
    return found


def _rect(rect: Rect) -> str:
    x, y, width, height, radius = _lengths(rect[1:6])
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}"/>'


def _path(shape: Shape) -> str:
    if isinstance(shape, Rect):
        x, y, width, height, back = _lengths((*shape[1:5], -shape.width))
        return f"M{x} {y}h{width}v{height}h{back}z"
    assert not isinstance(shape, Text)
    numbers = _lengths([x for point in shape.points for x in point])
    first, *rest = map(" ".join, zip(numbers[::2], numbers[1::2]))
    letter = "L" if isinstance(shape, Patch) else "C"
    return f"M{first}{letter}{' '.join(rest)}" + ("Z" if isinstance(shape, Patch) else "")


def _text(text: Shape) -> str:
    assert isinstance(text, Text)
    x, y = _lengths((text.x, text.y + BASELINE * text.size))
    return f'<text x="{x}" y="{y}">{escape(text.text, quote=False)}</text>'


def _lengths(numbers: Iterable[float]) -> list[str]:
    """Lengths with one decimal at most, which is as much as anybody can see."""
    return [f"{round(x, 1) or 0:g}" if abs(x) < 1e5 else f"{x:.0f}" for x in numbers]
