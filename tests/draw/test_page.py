"""A picture on its page, which may be white or dark: its texts can be read, and no arrow runs over them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

import autodiff as ad
from autodiff.draw import THEMES, compare, draw, explain
from autodiff.draw.theme import LIGHT
from tests.draw.readers import chain

# What contrast (WCAG 2) text on the page itself has at least. A light picture is stored in notebooks and may
# come to lie on a dark page; an ink with 4.5 on white cannot have more than 4.2 there.
PAGES = {
    "light": {"#ffffff": 4.5, "#111111": 3.5},
    "colour-blind": {"#ffffff": 4.5, "#111111": 3.5},
    "dark": {"#ffffff": 3, "#111111": 4.5},
    "print": {"#ffffff": 4.5},
}
LINE = 3  # the contrast of lines


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", THEMES)
def test_what_is_written_can_be_read(name):
    theme = THEMES[name]
    for ground in (theme.leaf, theme.made, theme.backward, theme.fold):
        assert contrast(theme.ink, ground) > 7
        assert contrast(theme.gradient, ground) > 4.5
        assert contrast(theme.soft, ground) > 3.5
    assert contrast(theme.operation_ink, theme.operation) > 4.5
    for page, least in PAGES[name].items():
        assert contrast(theme.line, page) >= least
        assert contrast(theme.way_back, page) >= LINE
        assert contrast(theme.fold_line, page) >= LINE


def drawn(element, kind=""):
    """The elements of a picture from the bottom to the top, each with the kind of the group it is in."""
    for child in element:
        if child.tag.endswith("}g"):
            yield from drawn(child, child.get("class"))
        else:
            yield kind, child.tag.rpartition("}")[2], child


def texts(svg):
    """Of each text its kind, what it says, its colour, and that of the topmost shape behind it; None where
    that is the page."""
    shapes = []
    for kind, tag, element in drawn(ET.fromstring(svg)):
        get = element.get
        if tag == "text":
            x, y = float(get("x")) + 0.5, float(get("y")) - 2
            inside = (min(xs) <= x <= max(xs) and min(ys) <= y <= max(ys) for _, (xs, ys) in shapes)
            behind = [fill for (fill, _), is_inside in zip(shapes, inside) if is_inside]
            yield kind, element.text, get("fill"), behind[-1] if behind else None
        elif get("fill", "none").startswith("#"):
            if tag == "ellipse":
                x, y, a, b = (float(get(name)) for name in ("cx", "cy", "rx", "ry"))
                points = (x - a, x + a), (y - b, y + b)
            else:
                points = tuple(zip(*re.findall(r"(-?[\d.]+),(-?[\d.]+)", get("d") or get("points"))))
                points = tuple([float(number) for number in axis] for axis in points)
            shapes.append((get("fill"), points))


def pictures():
    """Pictures with every kind of text between them: on edges, in boxes, around the picture."""
    a = ad.Tensor(2)
    b = a * ad.Tensor(3)
    c = a + 2
    d = b + 4
    e = c * d
    e.backward()
    yield draw(e, slopes=True, title="The 22", arrows="both")
    yield draw(e, slopes="symbol", arrows="backward", highlight=("a", "b", "e"))
    yield explain(e, a)
    yield compare(e)
    b.grad = 5
    yield compare(e)
    yield draw(chain(400), limit=3)
    x = ad.Tensor(3.0)
    y = x * x * x
    y.backward(create_graph=True)
    yield draw(x.grad)
    with ad.scope("outer"), ad.scope("inner"):
        z = x * 2 + 1
    yield draw(z)
    yield draw(z.exp(), depth=0)


def test_every_picture_can_be_read_on_white_and_on_dark_pages():
    seen = set()
    for picture in pictures():
        for kind, text, ink, ground in texts(picture.svg):
            seen.add((kind, ground is None))
            if ground is None:
                for page, least in PAGES["light"].items():
                    assert contrast(ink, page) >= least, f"{text!r} on {page}"
            else:
                least = 4.5 if ground == LIGHT.made else 3.5
                assert contrast(ink, ground) >= least, f"{text!r} on {ground}"
        for kind, _, element in drawn(ET.fromstring(picture.svg)):
            if kind in {"edge", "cluster"} and element.get("stroke", "none") not in {"none", "transparent"}:
                for page in PAGES["light"]:
                    assert contrast(element.get("stroke"), page) >= LINE
    on_the_page = {kind for kind, is_bare in seen if is_bare}
    assert on_the_page == {"graph", "node"}, "captions and constants, and no slope or title of a box"
    assert {kind for kind, _ in seen} == {"graph", "node", "edge", "cluster"}


def test_no_arrow_runs_over_the_title_of_a_box():
    h = ad.Tensor(2.0).exp()
    with ad.scope("a box"):
        y = h.tanh()
    svg = draw(y, direction="TB").svg
    assert [row[1:] for row in texts(svg) if row[0] == "cluster"] == [("a box", LIGHT.soft, LIGHT.made)]
    order = [kind for kind, _, _ in drawn(ET.fromstring(svg))]
    assert order.index("cluster") > max(i for i, kind in enumerate(order) if kind == "edge")
    box = next(shape for kind, tag, shape in drawn(ET.fromstring(svg)) if (kind, tag) == ("cluster", "path"))
    assert box.get("fill") == "none", "it hides nothing"
