"""The painted picture: its SVG is well formed, no text is cut off, and no two things cover each other."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import compare, draw, explain, film
from autodiff.draw.picture import svg
from autodiff.draw.picture.dot import Rooms
from autodiff.draw.picture.faces import SIDE, Cell, Face, Mark, Row
from autodiff.draw.picture.metrics import text_width
from autodiff.draw.picture.page import Sheet
from autodiff.draw.picture.paint import painted
from autodiff.draw.picture.plan import PicturePlan, Place
from autodiff.draw.picture.scene import Edge, Scene, State
from autodiff.draw.picture.shapes import BOXES, DETAILS, PLATES, TEXTS, Curve, Patch, Rect, Text
from autodiff.draw.theme import AUTO, LIGHT
from tests.draw.readers import Tensor, chain, made

SVG = "{http://www.w3.org/2000/svg}"


def graph_22():
    a = ad.Tensor(2)
    b = a * 3
    c = a + 2
    d = b + 4
    e = c * d
    e.backward()
    return a, e


def network():
    rng = np.random.default_rng(0)
    X = ad.Tensor(rng.normal(size=(4, 2)), requires_grad=False)
    W, b = ad.Tensor(rng.normal(size=(2, 3))), ad.Tensor(rng.normal(size=3))
    with ad.scope("layer"):
        h = (X @ W + b).tanh()
    loss = (h - 1e-9).mean()
    loss.backward()
    return loss


def odd():
    x = made(None, "a word", name='a "very" <long> name & more of it')
    y = made("sparkle", float("nan"), x, {"a": 1}, np.array(["q"], dtype=object), None)
    return made("join", 1e300, y, made(None, -1.7e-300, name="名前"), name="\\N")


def huge():
    w = ad.Tensor(np.linspace(-1, 1, 6000).reshape(60, 100))
    t = ad.Tensor(np.ones((2, 3, 4)))
    y = (w * 2).sum() + t.sum()
    y.backward()
    return y


GRAPHS = {
    "22": lambda: graph_22()[1], "network": network, "odd": odd, "huge": huge,
    "one": lambda: Tensor(3), "chain": lambda: chain(40), "no data": lambda: made(None, None),
}  # fmt: skip
OPTIONS = [
    {}, {"style": "spread"}, {"slopes": "symbol", "constants": "shown"}, {"arrows": "both", "title": "T"},
    {"direction": "TB"}, {"show": ("data", "grad", "shape", "dtype", "statistics")}, {"fold": True},
]  # fmt: skip


def words(shape):
    return text_width(shape.text, shape.size, bold=shape.is_bold)


def span(text):
    """From where to where a text reaches, by its metrics."""
    start = {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor]
    return text.x - start * words(text), text.x + (1 - start) * words(text)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("graph", GRAPHS)
def test_no_text_is_cut_off(graph, options):
    sheet = draw(GRAPHS[graph](), **options)._sheet
    grounds = (BOXES, DETAILS, PLATES)  # a cell of an array lies in the details
    boxes = [shape for shape in sheet.shapes if isinstance(shape, Rect) and shape.layer in grounds]
    for text in (shape for shape in sheet.shapes if isinstance(shape, Text)):
        left, right = span(text)
        assert left >= 0
        assert right <= sheet.width, text
        assert text.size / 2 <= text.y <= sheet.height - text.size / 2
        around = [b for b in boxes if b.x <= text.x <= b.x + b.width and b.y <= text.y <= b.y + b.height]
        if around:
            box = min(around, key=lambda box: box.width)
            assert box.x <= left + 0.5, text
            assert right <= box.x + box.width + 0.5, text


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("graph", GRAPHS)
def test_boxes_do_not_cover_each_other(graph, options):
    sheet = draw(GRAPHS[graph](), **options)._sheet
    boxes = [s for s in sheet.shapes if isinstance(s, Rect) and s.layer == BOXES and s.fill]
    for one, other in combinations(boxes, 2):
        apart = (
            one.x + one.width <= other.x + 0.1 or other.x + other.width <= one.x + 0.1
            or one.y + one.height <= other.y + 0.1 or other.y + other.height <= one.y + 0.1
        )  # fmt: skip
        assert apart, (one, other)


@pytest.mark.parametrize("graph", GRAPHS)
def test_the_svg_is_well_formed(graph):
    e = GRAPHS[graph]()
    for options in OPTIONS:
        drawing = draw(e, **options)
        root = ET.fromstring(drawing.svg)
        assert root.tag == f"{SVG}svg"
        texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
        assert sorted(texts) == sorted(s.text for s in drawing._sheet.shapes if isinstance(s, Text))
        classes = {one.get("class") for one in root.iter() if one.get("class")}
        assert classes == set(re.findall(r"\.(\w+)\{", drawing.svg.split("@media")[0]))
        for number in re.findall(r' (?:x|y|width|height|rx)="([^"]*)"', drawing.svg):
            float(number)
        assert "nan" not in re.sub(r"<text[^>]*>[^<]*</text>|aria-label=\"[^\"]*\"", "", drawing.svg)


def test_all_cameras_are_well_formed():
    a, e = graph_22()
    for drawing in (explain(e, a), compare(e), draw(e, flow=True)):
        ET.fromstring(drawing.svg)


def test_a_drawing_has_two_palettes_and_others_one():
    _, e = graph_22()
    auto, light = draw(e).svg, draw(e, theme="light").svg
    assert auto.count("@media (prefers-color-scheme:dark)") == 1
    assert "@media" not in light
    auto, light = (re.sub(r"\bp[0-9a-f]{6}", "p", text).split("</style>")[1] for text in (auto, light))
    assert auto == light, "only the colours differ, and the beginnings of the classes"


def test_the_sizes_of_pictures():
    _, e = graph_22()
    assert len(draw(e).svg) < 6_000
    assert len(draw(e, flow=True).svg) < 8_000
    assert len(draw(network())._repr_mimebundle_()[0]["text/html"]) < 20_000


# -- faces ------------------------------------------------------------------------------------------------


def test_a_face_is_as_wide_as_its_widest_line():
    title = "a long title of a box"
    assert Face(title).size[0] == pytest.approx(text_width(title, 13, bold=True) + 2 * SIDE)
    row = Row("data", "1.2345678901234567890")
    assert Face("a", (row,)).size[0] > text_width(row.text, 13) + text_width("data", 10.5) + 2 * SIDE
    cells = Row("data", cells=((Cell("1", 0), Cell("-22.5", -3)),) * 3)
    assert cells.value_size == (sum(cells.columns), 3 * 18 + 4)
    assert Face("a", (cells,)).size[1] > Face("a", (Row("data", "1"),)).size[1]


def test_a_badge_hangs_below_its_box_and_makes_it_no_wider():
    face = Face("a", (Row("data", "1"),))
    with_badge = Face("a", (Row("data", "1"),), badge="12 + 10")
    assert face.size == with_badge.size
    plan = PicturePlan(100, 50, {"a": Place(50, 25, 60, 40)}, {}, {}, {})
    shapes = list(painted(Scene({"a": -1}, ()), plan, State({"a": with_badge})))
    assert [s.text for s in shapes if isinstance(s, Text)][-1] == "12 + 10"
    assert max(s.y + s.height for s in shapes if isinstance(s, Rect)) > 45


def lines(mark, points=((0.0, 0.0), (30.0, 0.0), (60.0, 0.0), (90.0, 0.0))):
    """The curves and arrowheads of an edge with a mark."""
    scene = Scene({"a": -1, "b": -1}, (Edge("k", "a", "b"),))
    plan = PicturePlan(100, 50, {}, {"k": points}, {"k": Place(45, 0, *mark.label_size)}, {})
    shapes = list(painted(scene, plan, State({}, {"k": mark})))
    return [s for s in shapes if isinstance(s, Curve)], [s for s in shapes if isinstance(s, Patch)], shapes


def test_an_arrowhead_is_where_the_mark_says():
    for way, tips in (("forward", [(90, 0)]), ("backward", [(0, 0)]), ("", [])):
        _, heads, _ = lines(Mark(way=way))
        assert [head.points[0] for head in heads] == tips


def test_lines_of_several_colours_run_side_by_side():
    curves, heads, _ = lines(Mark(("path0", "path1"), 2.0, way=""))
    assert [curve.line for curve in curves] == ["path0", "path1"]
    above, below = ([y for _, y in curve.points] for curve in curves)
    assert set(above) == {-1.3}
    assert set(below) == {1.3}
    assert heads == []


def test_a_bent_edge_keeps_the_distance_of_its_lines_at_both_ends():
    bent = ((0.0, 0.0), (40.0, 0.0), (60.0, 40.0), (60.0, 80.0))  # starts level, ends upright
    one, other = lines(Mark(("path0", "path1"), 2.0, way=""), bent)[0]
    (x0, y0), (x1, y1) = one.points[0], other.points[0]
    assert (x0, abs(y0 - y1)) == (x1, pytest.approx(2.6))
    (x0, y0), (x1, y1) = one.points[-1], other.points[-1]
    assert (abs(x0 - x1), y0) == (pytest.approx(2.6), y1)


def test_lines_side_by_side_do_not_cross_where_the_last_handle_is_inside_the_head():
    short = ((0.0, 0.0), (30.0, 0.0), (86.0, 0.0), (90.0, 0.0))
    above, below = lines(Mark(("path0", "path1"), 2.0), short)[0]
    assert {y for _, y in above.points} == {-1.3}
    assert {y for _, y in below.points} == {1.3}


def test_a_label_keeps_off_lines_side_by_side():
    row = Row(text="2")
    one, three = Mark(label=row), Mark(("path0", "path1", "path2"), 2.0, label=row)
    scene = Scene({"a": -1, "b": -1}, (Edge("k", "a", "b"),))
    faces = {"a": Face(), "b": Face()}
    one_high, three_high = (Rooms(scene, [State(faces, {"k": m})]).labels["k"][1] for m in (one, three))
    assert one_high == one.label_size[1]
    assert (three_high - one_high) / 2 >= three.lines[-1][2] + 2.0 / 2, "half of it is above the middle"


def test_weights_of_their_own():
    curves, heads, _ = lines(Mark(("plus", "minus"), 10.0, (7.0, 3.0), way="backward"))
    assert [curve.weight for curve in curves] == [7.0, 3.0]
    assert [curve.points[1][1] for curve in curves] == pytest.approx([-1.5, 3.5])
    assert [head.fill for head in heads] == ["plus"], "the head has the colour of the wider part"
    assert curves[0].points[-1][0] > 90, "a wide line goes on into the box at its end"


def test_a_label_has_a_plate_of_its_size():
    _, _, shapes = lines(Mark(label=Row(text="12 + 10", ink="gradient"), plate_line="plus"))
    plate = next(s for s in shapes if isinstance(s, Rect))
    text = next(s for s in shapes if isinstance(s, Text))
    left, right = span(text)
    assert plate.x < left
    assert right < plate.x + plate.width
    assert (plate.layer, plate.line, text.layer, text.ink) == (BOXES, "plus", TEXTS, "gradient")


def test_a_table_below_lines_up_its_columns():
    a, e = graph_22()
    sheet = explain(e, a)._sheet
    by_text = {s.text: s for s in sheet.shapes if isinstance(s, Text)}
    first, second = by_text["4 · 1 · 3 ="], by_text["10 · 1 ="]
    assert (first.x, first.anchor) == (second.x, "start")
    assert first.y < second.y
    ends = [by_text[text] for text in ("12", "10", "22") if by_text[text].size == 12]
    assert len({s.x for s in ends}) == 1


def test_texts_are_escaped():
    text = Text(TEXTS, 10, 10, "<a> & 'b' \"c\"", 12, "ink")
    written = svg.written(Sheet(50, 20, (text,)), AUTO, mark="a<b", description='say "hi" & <go>')
    root = ET.fromstring(written)
    assert next(root.iter(f"{SVG}text")).text == text.text
    assert next(root.iter(f"{SVG}desc")).text == "a<b"
    assert root.get("aria-label") == 'say "hi" & <go>'


def test_widths_are_those_of_the_font():
    matplotlib = pytest.importorskip("matplotlib")  # it brings Adobe's metrics of Helvetica
    metrics = Path(matplotlib.get_data_path(), "fonts", "afm", "phvr8a.afm").read_text(encoding="ascii")
    found = re.findall(r"^C (\d+) ; WX (\d+) ;", metrics, re.MULTILINE)
    letters = {chr(int(code)): int(width) for code, width in found if 32 <= int(code) < 127}
    letters |= {"'": 191, "`": 333}  # there the font's own code has curved ones
    assert len(letters) == 95
    assert {letter: text_width(letter, 1000) for letter in letters} == letters


def test_the_width_of_a_text():
    assert text_width("data", 10) == pytest.approx(19.46)
    assert text_width("∂e/∂d · 4", 1000) == 494 + 556 + 278 + 494 + 556 + 278 + 278 + 278 + 556
    assert text_width("名", 10) == 10
    assert text_width("e\N{COMBINING ACUTE ACCENT}", 10) == text_width("e", 10)
    assert LIGHT.colour("path1") == LIGHT.paths[1]


def test_pictures_in_the_text_of_one_page_have_no_class_of_each_other():
    a, e = graph_22()
    told = film(e)
    pictures = [
        draw(e).svg,
        draw(e, theme="light").svg,
        draw(e, show="shape").svg,
        draw(a + 1).svg,
        draw(e, flow=True).svg,
        explain(e, a).svg,
        *told.frames,
    ]
    names = [set(re.findall(r"[.](\w+)\{", text.split("</style>")[0])) for text in pictures]
    assert all(names)
    for one, other in combinations(names, 2):
        assert not one & other
    assert draw(e).svg == draw(e).svg, "and the same picture has the same names"


def test_an_animated_picture_has_names_of_its_own(tmp_path):
    a, e = graph_22()
    film(e).save(tmp_path / "one.svg")
    film(a + e).save(tmp_path / "other.svg")
    one, other = ((tmp_path / f"{name}.svg").read_text(encoding="utf-8") for name in ("one", "other"))
    names = [set(re.findall(r"(?:[.]|@keyframes )(\w+)\{", text)) for text in (one, other)]
    assert all(names)
    assert not names[0] & names[1]
