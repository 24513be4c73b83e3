"""A figure of matplotlib as a small SVG for light and dark pages, with what it shows in words.

matplotlib repeats the style of each mark, and writes decimals that nobody can see. Here equal styles are one
class with a colour for each kind of page, and texts stay texts.
"""

from __future__ import annotations

import functools
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from autodiff.draw.picture.metrics import FONT
from autodiff.draw.sliding.curve import simplified

from .colours import on_dark

SCALE = 100 / 72  # from matplotlib's points to pixels
LARGEST = 40_000  # an SVG of more letters is drawn again, with its many marks as an image
SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")
SPOTS = re.compile(r'<path class="(\w+)" d="(?:M[-\d. ]+h0)+"/>(?:<path class="\1" d="(?:M[-\d. ]+h0)+"/>)+')
COLOUR = re.compile(r"(fill|stroke): ?(#[0-9a-f]{6})")
HEAVY = ("PathCollection", "QuadContourSet", "AxesImage", "QuadMesh")
SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "autodiff",
    "path.simplify": True,
    "path.simplify_threshold": 0.3,
}
FONTS = ("Liberation Sans", "Arial", "Helvetica", "DejaVu Sans")  # matplotlib brings the last one


@functools.cache
def settings() -> Any:
    """What matplotlib is told. It measures a letter in the first of the fonts here that has it."""
    from matplotlib import font_manager

    here = set(font_manager.get_font_names())
    return {**SETTINGS, "font.family": [font for font in FONTS if font in here]}


def as_svg(figure: Any, description: str, mark: str) -> str:
    """The SVG of a figure. `description` is its label for screen readers, and `mark` becomes its `<desc>`."""
    text = small(written(figure), description, mark)
    if len(text) > LARGEST:
        for ax in figure.axes:
            for artist in ax.get_children():
                is_long = type(artist).__name__ == "Line2D" and len(artist.get_xdata()) > 300
                artist.set_rasterized(type(artist).__name__ in HEAVY or is_long)
        text = min(text, small(written(figure), description, mark), key=len)
    return text


def written(figure: Any) -> str:
    """What matplotlib writes."""
    import matplotlib as mpl

    stream = io.StringIO()
    with mpl.rc_context(settings()):
        figure.savefig(stream, format="svg", metadata={"Date": None}, transparent=True, dpi=150)
    return stream.getvalue()


def small(svg: str, description: str, mark: str) -> str:
    """The same picture in a third of the letters, with colours for dark pages."""
    root = ET.fromstring(svg)
    writer = Writer(root, mark)
    body = SPOTS.sub(_one_path, _joined("".join(writer.element(child)) for child in root))
    for name in writer.ids.values():
        if f"#{name}" not in body:  # of a dot that has become a point of a path
            body = re.sub(rf'<path id="{name}"[^>]*/>', "", body)
    body = body.replace("<defs></defs>", "")
    width, height = (float(x) for x in root.attrib["viewBox"].split()[2:])
    pixels = f'width="{round(width * SCALE)}" height="{round(height * SCALE)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{writer.root}" '
        f'{pixels} viewBox="0 0 {_short(width)} {_short(height)}" role="img" '
        f'aria-label="{escape(description)}">'
        f"<desc>{escape(mark)}</desc><style>{writer.style()}</style>{body}</svg>"
    )


class Writer:
    """Writes the elements of one picture, and collects the styles that they have."""

    def __init__(self, root: ET.Element, mark: str) -> None:
        self.classes: dict[str, str] = {}
        self.root = "p" + re.sub(r"\W", "", mark)[-6:]
        text = ET.tostring(root, encoding="unicode")
        used = dict.fromkeys(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', text))
        names = dict.fromkeys(first or second for first, second in used)
        self.spots = dict(_spots(root))
        # On a page with several pictures their ids must differ.
        self.ids = {name: f"{self.root}-{k}" for k, name in enumerate(names)}

    def element(self, element: ET.Element) -> Iterator[str]:
        """An element with what is in it; groups that say nothing are left out."""
        tag = element.tag.removeprefix(SVG)
        if tag in ("metadata", "style") or "}" in tag:
            return
        if tag == "path" and element.get("style") == "fill: none":
            return
        if tag == "g" and (merged := self.merged(element)):
            yield merged
            return
        attributes = "".join(self.attributes(tag, element))
        inside = _joined("".join(self.element(child)) for child in element)
        inside = (
            escape((element.text or "").strip(), quote=False) + inside if tag in ("text", "tspan") else inside
        )
        if not inside and tag in ("g", "defs", "text"):
            return
        if tag == "g" and not attributes:
            yield inside
        else:
            yield f"<{tag}{attributes}>{inside}</{tag}>" if inside else f"<{tag}{attributes}/>"

    def merged(self, group: ET.Element) -> str:
        """Many equal dots or squares as one path of points with a line as wide as they are, else nothing."""
        uses = list(group)
        kinds = {(use.tag, use.get(LINK, "")[1:], use.get("style", "")) for use in uses}
        if len(kinds) != 1:
            return ""
        ((tag, name, style),) = kinds
        fill, line = (re.search(rf"\b{part}: (#\w{{6}})", style) for part in ("fill", "stroke"))
        if tag != f"{SVG}use" or name not in self.spots or not fill or (line and line[1] != fill[1]):
            return ""
        side, cap = self.spots[name]
        edge = re.search(r"stroke-width: ([\d.]+)", style)
        width = side + (float(edge[1]) if edge else 1.0 if line else 0.0)
        faint = re.search(r"fill-opacity: ([\d.]+)", style)
        opacity = f"; stroke-opacity: {faint[1]}" if faint else ""
        look = f"fill: none; stroke: {fill[1]}; stroke-width: {_short(width)}; stroke-linecap: {cap}{opacity}"
        points = "".join(f"M{_numbers(use.get('x', '0'))} {_numbers(use.get('y', '0'))}h0" for use in uses)
        path = f'<path class="{self.class_of(look)}" d="{points}"/>'
        clip = group.get("clip-path")
        return f'<g clip-path="url(#{self.ids[clip[5:-1]]})">{path}</g>' if clip else path

    def attributes(self, tag: str, element: ET.Element) -> Iterator[str]:
        """The attributes of an element, each after a space."""
        for name, value in element.attrib.items():
            if name == "id":
                if value in self.ids:
                    yield f' id="{self.ids[value]}"'
            elif name == "style":
                style = self.class_of(value)
                if style:
                    yield f' class="{style}"'
            elif name == "clip-path":
                yield f' clip-path="url(#{self.ids[value[5:-1]]})"'
            elif name == LINK:
                link = f"#{self.ids[value[1:]]}" if value.startswith("#") else re.sub(r"\s", "", value)
                yield f' href="{link}"'
            elif name == "transform":
                turned = re.sub(r"rotate\(-?0 [^)]*\) ?", "", value)
                if turned:
                    yield f' transform="{_numbers(turned, 2)}"'
            elif name in ("d", "points"):
                yield f' {name}="{_path(value)}"'
            else:
                yield f' {name}="{_numbers(value)}"'

    def class_of(self, style: str) -> str:
        """The class for a style."""
        style = re.sub(
            r"font-family: [^;]*;? ?|stroke-linejoin: round;? ?|stroke-linecap: butt;? ?", "", style
        )
        style = style.strip("; ")
        return self.classes.setdefault(style, _name(len(self.classes))) if style else ""

    def style(self) -> str:
        """The style sheet: fonts, and each class in the colours of both kinds of page."""
        scope = f"#{self.root} "
        rules = [
            f"{scope}*{{stroke-linejoin:round;stroke-linecap:butt}}",
            f"{scope}text{{font-family:{FONT};white-space:pre}}",
        ]
        rules += [f"{scope}.{name}{{{_tight(style)}}}" for style, name in self.classes.items()]
        dark = [
            f"{scope}.{name}{{" + ";".join(f"{part}:{on_dark(colour)}" for part, colour in found) + "}"
            for style, name in self.classes.items()
            if (found := COLOUR.findall(style))
        ]
        return "".join([*rules, "@media (prefers-color-scheme:dark){", *dark, "}"])


def _spots(root: ET.Element) -> Iterator[tuple[str, tuple[float, str]]]:
    """The ids of dots and squares that marks are made of, with their width and the cap of such a line."""
    for path in root.iter(f"{SVG}path"):
        data, name = " ".join(path.get("d", "").split()), path.get("id")
        dot = re.match(r"M 0 ([\d.]+) (?:C [-\d. e]+ ){8}z$", data)
        square = re.match(r"M -([\d.]+) \1 L \1 \1 L \1 -\1 L -\1 -\1 (?:L -\1 \1 )?z$", data)
        if name and dot:
            yield name, (2 * float(dot[1]), "round")
        elif name and square:
            yield name, (2 * float(square[1]), "square")


def _one_path(paths: re.Match[str]) -> str:
    """Several paths of points with one class as one path."""
    points = "".join(re.findall(r' d="([^"]*)"', paths[0]))
    return f'<path class="{paths[1]}" d="{points}"/>'


def _joined(elements: Iterable[str]) -> str:
    """Elements after one another; groups with the same attributes become one group."""
    found: list[str] = []
    head = ""
    for element in elements:
        start = element[: element.index(">") + 1] if element.startswith("<g ") else ""
        if start and start == head:
            found[-1] = found[-1].removesuffix("</g>") + element.removeprefix(start)
        else:
            found.append(element)
            head = start
    return "".join(found)


def _tight(style: str) -> str:
    return re.sub(r"([:;]) ", r"\1", style)


def _name(k: int) -> str:
    """a, b, ... z, a1, b1, ..."""
    return "abcdefghijklmnopqrstuvwxyz"[k % 26] + (str(k // 26) if k >= 26 else "")


def _numbers(text: str, digits: int = 1) -> str:
    return NUMBER.sub(lambda found: _short(float(found[0]), digits), text)


def _path(data: str) -> str:
    """The data of a path without needless points and spaces."""
    if not re.search(r"[CQ]", data):
        data = re.sub(r"M[^Mz]*", _thinned, data)
    short = re.sub(r"\s+", " ", _numbers(data)).strip()
    return re.sub(r" ?([A-Za-z]) ?", r"\1", short).replace(" -", "-")


def _thinned(line: re.Match[str]) -> str:
    """A line through points with only those of them that are needed to draw it."""
    numbers = [float(x) for x in NUMBER.findall(line[0])]
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    middle = len(points) // 2  # in halves, since a closed line ends where it begins
    kept = [*simplified(points[: middle + 1])[:-1], *simplified(points[middle:])]
    return "M " + " L ".join(f"{x:.2f} {y:.2f}" for x, y in kept) + " "


def _short(x: float, digits: int = 1) -> str:
    text = f"{x:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{x:.0f}"
    return "0" if text in ("-0", "") else text
