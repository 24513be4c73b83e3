"""A frame's SVG made small: a film holds one picture per step, and a notebook stores them all.

Graphviz repeats colours and fonts with every line and every text. Here shapes of one look become one element,
texts of one look become one group, and decimals that nobody can see are dropped. Everything stays where it
was.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from html import escape

from ..picture.labels import FONT
from ..picture.render import SCALE

NAMESPACE = "{http://www.w3.org/2000/svg}"
INVISIBLE = {None, "none", "transparent"}
NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")
CORNER = 6
SHAPES = {"polygon", "polyline", "path", "ellipse"}
LOOK = ("fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "stroke-opacity")
TEXT_LOOK = ("fill", "text-anchor", "font-size", "font-weight")
EDGES, GROUNDS, DETAILS, TEXTS = range(4)  # from the bottom to the top


def compressed(svg: bytes, mark: str) -> str:
    """The same picture in about a third of the bytes, with `mark` as its `<desc>`."""
    root = ET.fromstring(svg[svg.index(b"<svg") :])
    width, height = (_number(root.attrib[name].removesuffix("pt")) for name in ("width", "height"))
    graph = root.find(f"{NAMESPACE}g")
    if graph is None:
        raise ValueError("this SVG is not from Graphviz: it has no group for the graph")
    layers: dict[tuple[int, str, str], list[str]] = {}
    for layer, kind, look, drawn in _elements(graph):
        layers.setdefault((layer, kind, look), []).append(drawn)
    body = "".join(
        _joined(kind, look, drawn) for (_, kind, look), drawn in sorted(layers.items(), key=lambda x: x[0][0])
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{FONT}"><desc>{escape(mark)}</desc>'
        f'<g transform="{_moved(graph)}">{body}</g></svg>'
    )


def _moved(graph: ET.Element) -> str:
    """Graphviz's shift of the whole picture, plus half a pixel: lines then do not fall between pixels."""
    found = re.search(r"translate\(([-\d.]+)[ ,]+([-\d.]+)\)", graph.get("transform", ""))
    x, y = (int(_number(found[i])) + 0.5 for i in (1, 2)) if found else (0.5, 0.5)
    return f"translate({x:g} {y:g})"


def _elements(graph: ET.Element) -> Iterator[tuple[int, str, str, str]]:
    """Layer, kind, look and drawing of every visible element."""
    for group in graph:
        if group.tag != f"{NAMESPACE}g":
            yield from _element(group, GROUNDS, is_edge=True)
            continue
        is_edge = group.get("class") == "edge"
        layer = EDGES if is_edge else GROUNDS
        for element in group.iter():
            found = list(_element(element, layer, is_edge))
            if found and not is_edge:
                layer = DETAILS  # the first shape of a node is its ground, and the others lie on it
            yield from found


def _element(element: ET.Element, layer: int, is_edge: bool) -> Iterator[tuple[int, str, str, str]]:
    tag = element.tag.removeprefix(NAMESPACE)
    get = element.get
    if tag == "text":
        text = "".join(element.itertext())
        if text.strip() and get("fill") not in INVISIBLE - {None} and get("fill-opacity") != "0":
            place = f'x="{_number(get("x", "0"))}" y="{_number(get("y", "0"))}"'
            shown = escape(text, quote=False)
            yield TEXTS, "text", _look(element, TEXT_LOOK), f"<text {place}>{shown}</text>"
    elif tag in SHAPES and not (get("fill") in INVISIBLE and get("stroke") in INVISIBLE):
        look = _look(element, LOOK)
        if tag == "ellipse":
            size = "".join(f' {name}="{_number(get(name, "0"))}"' for name in ("cx", "cy", "rx", "ry"))
            yield layer, "shape", look, f"<ellipse{size}/>"
        elif tag == "path" and not is_edge and get("fill") not in INVISIBLE:
            yield layer, "shape", look, _rounded(get("d", ""))
        else:
            yield layer, "path", look, _path(tag, get("d") or get("points") or "")


def _look(element: ET.Element, names: tuple[str, ...]) -> str:
    """The attributes that make up the look, as SVG has them, without those that are the default."""
    found = {name: element.get(name) for name in names}
    if found.get("stroke") in INVISIBLE:
        found.pop("stroke", None)
        found.pop("stroke-width", None)
    if found.get("text-anchor") == "start":
        found.pop("text-anchor")
    for name in ("font-size", "stroke-width"):
        if found.get(name):
            found[name] = f"{float(str(found[name])) * SCALE:.3g}"
    return "".join(f' {name}="{value}"' for name, value in found.items() if value)


def _rounded(d: str) -> str:
    """The rounded box of a node as a rectangle: Graphviz draws it with curves."""
    numbers = [float(x) for x in NUMBER.findall(d)]
    xs, ys = numbers[0::2], numbers[1::2]
    size = (min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))
    x, y, width, height = (_number(str(n)) for n in size)
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{CORNER}"/>'


def _path(tag: str, data: str) -> str:
    """The data of a path, which polygons and lines become too."""
    if tag == "path":
        return _numbers(data)
    first, *rest = data.split()
    return _numbers(f"M{first}L{' '.join(rest)}") + ("z" if tag == "polygon" else "")


def _numbers(data: str) -> str:
    return NUMBER.sub(lambda found: _number(found[0]), data).replace(" -", "-").replace(",-", "-")


def _number(text: str) -> str:
    """A length in points as whole pixels at full size, so that lines are crisp.

    >>> _number("12.04"), _number("-0.01"), _number("7.25")
    ('15', '0', '9')
    """
    return f"{round(float(text) * SCALE)}"


def _joined(kind: str, look: str, drawn: list[str]) -> str:
    if kind == "path":
        return f'<path{look} d="{"".join(drawn)}"/>'
    return f"<g{look}>{''.join(drawn)}</g>"


def width(svg: bytes) -> float:
    """The width of Graphviz's picture in pixels of a page."""
    found = re.search(rb'<svg[^>]*? width="([\d.]+)pt"', svg)
    return float(found[1]) * SCALE if found else 0.0
