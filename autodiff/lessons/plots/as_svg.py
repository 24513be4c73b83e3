"""A figure of matplotlib as a small SVG for light and dark pages, with what it shows in words.

matplotlib repeats the style of each mark, and writes decimals that nobody can see. Here equal styles are one
class with a colour for each kind of page, and texts stay texts.
"""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from ...draw.picture.metrics import FONT
from .colours import on_dark

SCALE = 100 / 72  # from matplotlib's points to pixels
LARGEST = 40_000  # an SVG of more letters is drawn again, with its many marks as an image
SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")
COLOUR = re.compile(r"(fill|stroke): ?(#[0-9a-f]{6})")
HEAVY = ("PathCollection", "QuadContourSet", "AxesImage", "QuadMesh")
SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "autodiff",
    "path.simplify": True,
    "path.simplify_threshold": 0.3,
    "font.family": "sans-serif",
    "font.sans-serif": ["Liberation Sans", "Arial", "Helvetica", "DejaVu Sans"],
}


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
    with mpl.rc_context(SETTINGS):
        figure.savefig(stream, format="svg", metadata={"Date": None}, transparent=True, dpi=150)
    return stream.getvalue()


def small(svg: str, description: str, mark: str) -> str:
    """The same picture in a third of the letters, with colours for dark pages."""
    root = ET.fromstring(svg)
    writer = Writer(root, mark)
    body = _joined("".join(writer.element(child)) for child in root)
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
        # On a page with several pictures their ids must differ.
        self.ids = {name: f"{self.root}-{k}" for k, name in enumerate(names)}

    def element(self, element: ET.Element) -> Iterator[str]:
        """An element with what is in it; groups that say nothing are left out."""
        tag = element.tag.removeprefix(SVG)
        if tag in ("metadata", "style") or "}" in tag:
            return
        if tag == "path" and element.get("style") == "fill: none":
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
    """The data of a path without needless spaces."""
    short = re.sub(r"\s+", " ", _numbers(data)).strip()
    return re.sub(r" ?([A-Za-z]) ?", r"\1", short).replace(" -", "-")


def _short(x: float, digits: int = 1) -> str:
    text = f"{x:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{x:.0f}"
    return "0" if text in ("-0", "") else text
