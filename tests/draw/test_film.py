"""The film: its account in words, its frames, its page, its files, and every error."""

from __future__ import annotations

import base64
import re
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import Film, draw, film, fingerprint
from autodiff.draw.filming.shown import displayed
from autodiff.draw.filming.states import NOT_YET, Screen
from autodiff.draw.graph.as_text import value_of
from autodiff.draw.graph.walk import walk
from autodiff.draw.picture.faces import Mark
from autodiff.draw.picture.shapes import BOXES, Rect, Text
from autodiff.draw.theme import DARK
from autodiff.engine.backward import order
from tests.draw.readers import Tensor as Mine
from tests.draw.readers import chain, made

BACKWARD_22 = """\
step  operation  what arrives
   1  start      ∂e/∂e = 1
   2  e = c * d  ∂e/∂c += ∂e/∂e · ∂e/∂c = 1 · 10 = 10
                 ∂e/∂d += ∂e/∂e · ∂e/∂d = 1 · 4 = 4
   3  d = b + 4  ∂e/∂b += ∂e/∂d · ∂d/∂b = 4 · 1 = 4
   4  b = a * 3  ∂e/∂a += ∂e/∂b · ∂b/∂a = 4 · 3 = 12
   5  c = a + 2  ∂e/∂a += ∂e/∂c · ∂c/∂a = 10 · 1 = 10; 12 + 10 = 22"""
FORWARD_22 = """\
step  operation  what comes out
   1  start      a = 2
   2  c = a + 2  c = a + 2 = 2 + 2 = 4
   3  b = a * 3  b = a * 3 = 2 * 3 = 6
   4  d = b + 4  d = b + 4 = 6 + 4 = 10
   5  e = c * d  e = c * d = 4 * 10 = 40"""
NUMBER_OF_STEPS = 5


def graph_22():
    a = ad.Tensor(2, name="a")
    b = a * 3
    c = a + 2
    d = b + 4
    e = c * d
    for node, name in ((b, "b"), (c, "c"), (d, "d"), (e, "e")):
        node.name = name
    return SimpleNamespace(a=a, b=b, c=c, d=d, e=e)


def film_22(**options):
    return film(graph_22().e, **options)


def layer():
    """A layer of a network and its loss, as arrays: 4 samples, 3 inputs, 2 outputs."""
    x = ad.Tensor(np.arange(12.0).reshape(4, 3) / 10, requires_grad=False, name="x")
    w = ad.Tensor(np.array([[1.0, -1.0], [0.5, 0.0], [0.0, 2.0]]), name="w")
    bias = ad.Tensor(np.zeros(2), name="bias")
    z = x @ w
    h = z + bias
    loss = (h * h).sum()
    z.name, h.name, loss.name = "z", "h", "L"
    return SimpleNamespace(x=x, w=w, bias=bias, z=z, h=h, loss=loss)


def captions(made_film):
    return [step.words for step in made_film._story.steps]


def svgs(html):
    return [base64.b64decode(code).decode() for code in re.findall(r"svg\+xml;base64,([^\"]*)\"", html)]


def texts(svg):
    return [text.text for text in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


# -- the account ------------------------------------------------------------------------------------------


def test_the_walk_back_in_words():
    assert film_22().text == repr(film_22()) == BACKWARD_22
    start, at_e, at_d, at_b, at_c = captions(film_22())
    assert start == (
        "The walk back begins at the end: e has gradient 1, its slope with respect to itself. On each edge: "
        "gradient · local slope = contribution."
    )
    assert at_e == (
        "The gradient of e is complete: 1. The local slope for c is 10, so c receives 1 · 10 = 10. The local "
        "slope for d is 4, so d receives 1 · 4 = 4."
    )
    assert at_d == "The gradient of d is complete: 4. The local slope for b is 1, so b receives 4 · 1 = 4."
    assert at_b == "The gradient of b is complete: 4. The local slope for a is 3, so a receives 4 · 3 = 12."
    assert at_c == (
        "The gradient of c is complete: 10. The local slope for a is 1, so a receives 10 · 1 = 10. Paths "
        "meet in a: 12 + 10 = 22."
    )


def test_the_forward_pass_in_words():
    forward = film_22(direction="forward")
    assert forward.text == FORWARD_22
    assert captions(forward)[0] == (
        "What the calculation starts from: a. Everything else is still to be computed."
    )
    assert captions(forward)[-1] == "e is computed from c and d: 4 * 10 = 40."


def test_names_are_the_caller_s():
    x = ad.Tensor(3)
    net = SimpleNamespace(w=ad.Tensor(5))
    y = net.w * x
    assert "∂y/∂net.w += ∂y/∂y · ∂y/∂net.w = 1 · 3 = 3" in film(y).text


def test_a_reader_s_own_class():
    a = Mine(2)
    b = a * Mine(3)
    c = a + Mine(2)
    d = b + Mine(4)
    e = c * d
    told = film(e).text
    assert told.splitlines()[-1] == " " * 18 + "∂e/∂v1 += ∂e/∂c · ∂c/∂v1 = 10 · 1 = 10"
    assert "∂e/∂a += ∂e/∂b · ∂b/∂a = 4 · 3 = 12" in told
    assert "∂e/∂a += ∂e/∂c · ∂c/∂a = 10 · 1 = 10; 12 + 10 = 22" in told
    assert (a.grad, e.grad) == (None, None)


def test_a_node_used_twice_by_one_operation():
    a = ad.Tensor(3, name="a")
    y = a * a
    y.name = "y"
    assert film(y).text.splitlines()[2:] == [
        "   2  y = a * a  ∂y/∂a += ∂y/∂y · ∂y/∂(1st a) = 1 · 3 = 3",
        "                 ∂y/∂a += ∂y/∂y · ∂y/∂(2nd a) = 1 · 3 = 3; 3 + 3 = 6",
    ]
    assert "The local slope for a as the 2nd operand is 3" in captions(film(y))[-1]


def test_it_says_when_all_uses_have_passed_on():
    h = ad.Tensor(1) * 2
    h.name = "h"
    y = h + h * h
    assert captions(film(y))[-1].startswith("All 3 uses of h have passed on, so its gradient is complete: 5.")


def test_both_uses_where_there_are_two():
    h = ad.Tensor(1) * 2
    h.name = "h"
    y = h * h
    assert captions(film(y))[-1].startswith("Both uses of h have passed on, so its gradient is complete: 4.")


def test_a_minus_stands_in_brackets():
    a = ad.Tensor(2, name="a")
    y = a * -3 + a
    y.name = "y"
    assert "= 1 · (-3) = -3" in film(y).text
    assert "(-3) * " not in film(y).text
    assert "-3 + 1 = -2" in film(y).text or "1 + (-3) = -2" in film(y).text


def test_what_wants_no_gradient_receives_none():
    w, label = ad.Tensor(2, name="w"), ad.Tensor(5, requires_grad=False, name="label")
    told = film(w * label)
    assert "dlabel" not in told.text
    assert "label" in texts(told.frames[0])


@pytest.mark.parametrize("seed", range(8))
def test_the_gradients_are_those_of_backward(seed):
    random = np.random.default_rng(seed)
    nodes = [ad.Tensor(x) for x in random.normal(size=3)]
    for _ in range(12):
        x, y = (nodes[i] for i in random.integers(len(nodes), size=2))
        kind = random.integers(5)
        nodes.append([x + y, x * y, x - y, ad.tanh(x), -x][kind])
    end = nodes[-1]
    before = film(end)
    end.backward()
    story = before._story
    walked = walk(end).order
    for node in story.nodes:
        assert story.steps[-1].known["grad"][node.index].line == value_of(walked[node.index].grad).line


def test_nobody_s_gradient_is_touched():
    g = graph_22()
    film(g.e)
    assert [node._grad for node in (g.a, g.b, g.c, g.d, g.e)] == [None] * 5
    g.e.backward()
    grads = [node.grad for node in (g.a, g.b, g.c, g.d, g.e)]
    assert film(g.e).text == BACKWARD_22
    assert all(node.grad is grad for node, grad in zip((g.a, g.b, g.c, g.d, g.e), grads))
    assert [grad.data for grad in grads] == [22, 4, 10, 4, 1]


def test_it_walks_in_the_order_of_the_package():
    g = graph_22()
    for end in (g.e, layer().loss, g.e * (g.b + g.a * g.e)):
        place = {id(node): i for i, node in enumerate(walk(end).order)}
        visited = [place[id(node)] for node in reversed(order(end)) if node.creators]
        assert [step.active for step in film(end)._story.steps[1:]] == visited


# -- arrays -----------------------------------------------------------------------------------------------


def test_arrays_are_told_by_their_shapes():
    g = layer()
    told = film(g.loss)
    assert told.text.splitlines()[-3:] == [
        "   4  h = z + bias  ∂L/∂z += ∂L/∂h · ∂h/∂z = [[0.1, 0.8], [1, 1.4], [1.9, 2], [2.8, 2.6]]",
        "                    ∂L/∂bias += sum(∂L/∂h · ∂h/∂bias) = [5.8, 6.8]",
        "   5  z = x @ w     ∂L/∂w += x.T @ ∂L/∂z = [[3.96, 3.96], [4.54, 4.64], [5.12, 5.32]]",
    ]
    g.loss.backward()
    assert np.allclose(g.w.grad.data, [[3.96, 3.96], [4.54, 4.64], [5.12, 5.32]])
    assert "∂L/∂h += ∂L/∂v5 · ∂v5/∂(2nd h) = " in told.text
    assert captions(told)[-1] == (
        "The gradient of z is complete: it has the shape (4, 2). w receives a gradient of its own shape "
        "(3, 2), by shapes (3, 4) @ (4, 2)."
    )
    assert "summed over the axes along which it was stretched to (4, 2)" in captions(told)[-2]
    assert "Paths meet in h: this is added to what had arrived." in captions(told)[-3]


def test_a_left_matrix():
    w, x = ad.Tensor(np.ones((2, 3)), name="w"), np.ones((3, 5))
    y = (w @ x).sum()
    assert "by shapes (2, 5) @ (5, 3)" in captions(film(y))[-1]
    assert " @ constant.T = " in film(y).text


def test_a_number_that_was_stretched():
    k = ad.Tensor(2.0, name="k")
    y = (k * np.array([1.0, 2.0, 4.0])).sum()
    y.name = "y"
    assert film(y).text.endswith("∂y/∂k += sum(∂y/∂v1 · ∂v1/∂k) = 7")


def test_small_arrays_are_cells_in_boxes_and_on_edges():
    told = film(layer().loss)
    first, *_, last = told.frames
    assert "5.8" not in texts(first)
    assert texts(last).count("5.8") == 2, "on the edge, and in the box"
    state = Screen(told._story, told._look).states()[-1]
    bias = next(node.index for node in told._story.nodes if node.name == "bias")
    cells = state.faces[f"n{bias}"].rows[1].cells
    assert [[cell.text for cell in line] for line in cells] == [["5.8", "6.8"]]
    assert state.scales == ()


def test_large_arrays_are_shades_on_one_scale():
    w = ad.Tensor(np.linspace(-1, 1, 60).reshape(6, 10), name="w")
    y = (ad.tanh(w) * 0.01).sum()
    told = film(y)
    states = Screen(told._story, told._look).states()
    assert dict(states[0].scales).keys() == {"data", "grad"}
    assert dict(states[0].scales)["grad"] == 1, "the largest of all gradients, in all steps"
    assert [state.scales for state in states] == [states[0].scales] * len(states)
    rows = [face.rows[1] for face in states[-1].faces.values() if len(face.rows) > 1]
    levels = [max(cell.shade for line in row.cells for cell in line) for row in rows if row.cells]
    assert sorted(levels) == [1, 1, 8], "a gradient that was made small is seen to be small"
    assert "-0.01" not in texts(told.frames[-1])


def test_an_array_of_one_element_is_its_number():
    x = ad.Tensor([[2.0]], name="x")
    y = (x * 3).sum()
    state = film(y)
    face = Screen(state._story, state._look).states()[-1].faces["n0"]
    assert [(row.label, row.text, row.cells) for row in face.rows] == [("data", "2", ()), ("grad", "3", ())]


def test_the_forward_pass_of_arrays():
    told = film(layer().loss, direction="forward")
    assert "z is computed from x and w: by shapes (4, 3) @ (3, 2), which gives an array of shape (4, 2)." in (
        captions(told)
    )
    assert len(told.frames) == 5


# -- the frames -------------------------------------------------------------------------------------------


def test_what_a_frame_shows():
    frames = film_22().frames
    assert len(frames) == len(film_22()) == NUMBER_OF_STEPS
    assert "4 · 3 = 12" not in texts(frames[2])
    for frame in frames[3:]:
        assert "4 · 3 = 12" in texts(frame)
    assert "12" in texts(frames[3])
    assert "12 + 10" not in texts(frames[3])
    assert {"22", "12 + 10"} < set(texts(frames[4]))
    assert [texts(frame).count(NOT_YET) for frame in frames] == [4, 2, 1, 0, 0]


def test_it_is_the_picture_of_draw():
    g = graph_22()
    for style in ("compact", "spread"):
        told, drawn = film(g.e, style=style), draw(g.e, style=style)
        scene, state = drawn._composed
        screen = Screen(told._story, told._look)
        assert screen.scene == scene
        for shown in screen.states():
            assert shown.faces.keys() == state.faces.keys()
            assert [face.title for face in shown.faces.values()] == [
                face.title for face in state.faces.values()
            ]


def test_names_and_frames_of_scopes_are_those_of_draw():
    x = ad.Tensor(2.0, name="x")
    with ad.scope("outer"), ad.scope("inner"):
        y = x * 3
    y.name = "y"
    z = y + 1
    z.name = "z"
    for told in (film(z), film(z, between=(x, y))):
        scene = Screen(told._story, told._look).scene
        assert [(frame.title, frame.parent) for frame in scene.frames] == [("outer", -1), ("inner", 0)]
        assert [scene.boxes[key] for key in ("n0", "n1")] == [-1, 1]
    with ad.scope("elsewhere"):
        end = z * z
    told = film(end, last=1)
    assert [frame.title for frame in Screen(told._story, told._look).scene.frames] == ["elsewhere"]


def static(sheets):
    """What may not move, whatever its colour: the page, the boxes, and each text that all steps show."""
    counts = [Counter(s.text for s in sheet.shapes if isinstance(s, Text)) for sheet in sheets]
    common = {text for text in counts[0] if text and len({count[text] for count in counts}) == 1}
    places = []
    for sheet in sheets:
        boxes = [s[1:6] for s in sheet.shapes if isinstance(s, Rect) and s.layer == BOXES and s.radius == 6]
        words = [s[1:5] for s in sheet.shapes if isinstance(s, Text) and s.text in common]
        places.append((sheet.width, sheet.height, sorted(boxes), sorted(words)))
    return places


FILMS = {
    "numbers": lambda: film_22(),
    "forward": lambda: film_22(direction="forward"),
    "spread": lambda: film_22(style="spread"),
    "arrays": lambda: film(layer().loss),
    "arrays forward": lambda: film(layer().loss, direction="forward"),
    "large arrays": lambda: film((ad.Tensor(np.ones((9, 30)), name="w") * 2).sum()),
    "a window": lambda: film(layer().loss, last=2),
    "a long chain": lambda: film(chain(30)),
}


@pytest.mark.parametrize("kind", FILMS)
def test_nothing_moves(kind):
    told = FILMS[kind]()
    for sheets in (told._sheets, told._slides):
        first, *others = static(sheets)
        assert len(first[2]) >= len(told._story.nodes)
        assert len(first[3]) >= 2 * len(told._story.nodes), "the titles and labels at least"
        assert {*told._story.rows} <= {words[2] for words in first[3]}
        assert others == [first] * len(others)


def test_a_badge_is_no_wider_than_its_place():
    a = ad.Tensor(0.123456, name="a")
    y = sum(a * 1.23456 for _ in range(5))
    told = film(y)
    assert Screen(told._story, told._look).states()[-1].faces["n0"].badge == "sum of 5"
    x = ad.Tensor(np.ones(3), name="x")
    told = film((x + x).sum())
    assert Screen(told._story, told._look).states()[-1].faces["n0"].badge == "sum of 2"


def test_every_frame_and_the_page_bear_the_mark_of_the_text():
    told = film_22()
    bundle, metadata = told._repr_mimebundle_(include=None, exclude=None)
    mark = fingerprint(told.text)
    assert metadata == {"autodiff": mark}
    pictures = svgs(bundle["text/html"])
    assert len(pictures) == 2, "the strip of all steps, and the animated one"
    assert all(f"<desc>autodiff:{mark}</desc>" in picture for picture in pictures)
    assert f'data-film="{mark}"' in bundle["text/html"]


def test_a_stored_film_is_small():
    for style in ("compact", "spread"):
        assert len(film_22(style=style)._repr_mimebundle_()[0]["text/html"]) < 35_000


def test_a_notebook_s_test_knows_it_as_drawn():
    from notebooks.execute import drawing_faults, is_drawing

    data, metadata = film_22()._repr_mimebundle_()

    class Output(dict):
        data = property(lambda self: self["data"])

    output = Output(data=data, metadata=metadata)
    assert is_drawing(output)
    assert list(drawing_faults(output)) == []
    output["data"] = {"text/plain": data["text/plain"]}
    assert is_drawing(output)
    assert "no picture" in next(drawing_faults(output))
    output["data"] = {**data, "text/plain": FORWARD_22}
    assert "stale" in next(drawing_faults(output))


def test_a_long_graph_is_wrapped():
    x = ad.Tensor(1.0)
    for _ in range(20):
        x = x * 1.5
    width, height = map(int, ET.fromstring(film(x).frames[0]).get("viewBox").split()[2:])
    assert width < 1000
    assert height < 700


def test_themes():
    assert film_22(theme="dark").frames == film_22(theme=DARK).frames != film_22().frames
    assert DARK.leaf in film_22(theme="dark").frames[0]
    assert DARK.leaf in film_22().frames[0].partition("prefers-color-scheme:dark")[2]
    with pytest.raises(ValueError, match=r"unknown theme 'sepia': the valid ones are auto, light, dark, "):
        film_22(theme="sepia")
    with pytest.raises(ValueError, match=r"unknown style 'loud': the valid ones are compact, spread"):
        film_22(style="loud")


def test_the_node_at_work_is_lit_and_the_past_is_quiet():
    told = film_22()
    screen = Screen(told._story, told._look)
    before, now, later = screen.states()[1:4]
    d, b = "n3", "n2"
    names = {node.name: f"n{node.index}" for node in told._story.nodes}
    d, b = names["d"], names["b"]
    assert [state.faces[d].kind for state in (before, now, later)] == ["made", "operation", "made"]
    assert [state.faces[b].outline for state in (before, now, later)] == ["", "way_back", ""]
    use = (int(d[1:]), 0)
    marks = [state.marks.get(use, Mark()) for state in (before, now, later)]
    assert [mark.way for mark in marks] == ["forward", "backward", "forward"]
    assert [mark.label and mark.label.ink for mark in marks] == [None, "gradient", "soft"]


# -- sums and products that are rounded -------------------------------------------------------------------


def test_rounded_factors_stand_beside_no_exact_product():
    a, b = ad.Tensor(0.41997, name="a"), ad.Tensor(1 / 3, name="b")
    y = a * 2 * b
    y.name = "y"
    told = film(y)
    edges = [one.what for step in told._story.steps for one in step.passed.values()]
    assert edges == ["1 · 0.333 = 0.333", "1 · 0.84 = 0.84", "0.333 · 2 ≈ 0.667"]
    assert told.text.splitlines()[-1].endswith("∂y/∂a += ∂y/∂v1 · ∂v1/∂a = 0.333333 · 2 ≈ 0.666667")


def test_a_result_that_is_rounded_is_not_equal():
    x = ad.Tensor(2.0, name="x")
    y = x.exp()
    y.name = "y"
    assert film(y, direction="forward").text.endswith("y = exp(x) = exp(2) ≈ 7.38906")


def test_nan_and_inf_are_told_as_they_are():
    x = ad.Tensor(0.0, name="x")
    with np.errstate(all="ignore"):
        y = ad.log(x) * 0
    y.name = "y"
    assert "· inf = " in film(y).text


# -- what an operation is called --------------------------------------------------------------------------


def test_a_rule_of_one_s_own_is_no_local_slope():
    @ad.operation(kind="elementwise")
    def staircase(x):
        return np.round(x)

    staircase.backward(lambda grad, z, x: grad)
    for data, shown in ((1.6, "1"), ([1.6, 2.2], "[1, 1]")):
        x = ad.Tensor(data, name="x")
        z = staircase(x)
        z.name = "z"
        y = z.sum()
        y.name = "y"
        told = film(y)
        assert told.text.splitlines()[-1].endswith(f"∂y/∂x += (the rule of staircase) {shown}")
        assert "which the rule of staircase passes on" in captions(told)[-1]
        assert "local slope" not in captions(told)[-1]
        assert "∂z/∂x" not in told.text


@pytest.mark.parametrize("f", [ad.gelu, ad.tanh, ad.softplus, ad.sqrt, lambda x: ad.maximum(x, 1.0)])
def test_elementwise_operations_are_told_by_their_kind(f):
    x = ad.Tensor([1.0, 2.0], name="x")
    z = f(x)
    z.name = "z"
    y = z.sum()
    y.name = "y"
    assert "∂y/∂x += ∂y/∂z · ∂z/∂x = " in film(y).text
    assert "element by element the gradient · the local slope" in captions(film(y))[-1]


# -- the page ---------------------------------------------------------------------------------------------


def test_the_page_needs_no_script_and_nothing_from_elsewhere():
    html = film_22()._repr_mimebundle_()[0]["text/html"]
    assert not re.search(r"<script|javascript:|\son\w+=|https?:|url\((?!\"data:image/svg)|@import", html)


def test_each_step_has_its_words_and_its_picture():
    html = film_22()._repr_mimebundle_()[0]["text/html"]
    for k, caption in enumerate(captions(film_22()), start=1):
        assert f"<b>Step {k} of 5: " in html
        assert caption in html
    assert 'aria-label="Graph of e at step 4, gradients: a 12; c 10; b 4; d 4; e 1."' in html
    assert '<img alt="Graph of e at step 5, gradients: a 22; c 10; b 4; d 4; e 1." width="' in html
    assert '<pre style="overflow-x:auto">step  operation' in html, "the table, for a page without styles"
    assert "<code>∂e/∂a += ∂e/∂b · ∂b/∂a = 4 · 3 = 12</code>" in html


def test_two_displays_have_ids_of_their_own():
    told = film_22()
    pages = [told._repr_mimebundle_()[0]["text/html"] for _ in range(2)]
    ids = [set(re.findall(r' id="([^"]*)"', page)) for page in pages]
    assert len(ids[0]) == len(ids[1]) == 1 + NUMBER_OF_STEPS
    assert not ids[0] & ids[1]
    for page, own in zip(pages, ids):
        assert set(re.findall(r' for="([^"]*)"', page)) <= own


def test_a_notebook_that_is_run_again_stores_the_same():
    runs = []
    for _ in range(2):
        displayed.clear()  # as in a fresh kernel
        runs.append([film_22()._repr_mimebundle_() for _ in range(2)])
    assert runs[0] == runs[1]


def test_names_cannot_break_the_page():
    a = ad.Tensor(2, name='<b>"a" & co')
    y = a * 3
    y.name = "y"
    html = film(y)._repr_mimebundle_()[0]["text/html"]
    assert html.count("<b>") == 2  # the titles of the two steps
    assert "&lt;b&gt;" in html
    assert '<b>"a" & co' in texts(svgs(html)[0])


def test_without_a_layout_the_words_remain(no_layout):
    bundle, _ = film_22()._repr_mimebundle_()
    assert bundle["text/plain"] == BACKWARD_22
    assert "∂e/∂a += ∂e/∂c" in bundle["text/html"]
    assert "pip install &quot;autodiff[draw]&quot;" in bundle["text/html"]
    assert "<img" not in bundle["text/html"]


@pytest.mark.parametrize("broken", ["_sheets", "html"])
def test_a_repr_never_raises(monkeypatch, broken):
    def fail(self, *arguments):
        raise RuntimeError("broken")

    told = film_22()
    monkeypatch.setattr(Film, broken, property(fail) if broken == "_sheets" else fail)
    bundle, _ = told._repr_mimebundle_()
    assert bundle == {"text/plain": BACKWARD_22}


# -- windows ----------------------------------------------------------------------------------------------


def test_the_last_operations():
    told = film_22(last=2)
    assert told.text.splitlines() == [
        *BACKWARD_22.splitlines()[:5],
        "... and 2 operations more that are not shown",
    ]
    assert [node.name for node in told._story.nodes] == ["c", "b", "d", "e"]
    assert film_22(last=100).text == BACKWARD_22


def test_between_two_tensors():
    g = graph_22()
    told = film(g.e, between=(g.a, g.d))
    assert told.text.splitlines() == [
        "step  operation  what arrives",
        "   1  start      ∂e/∂d = 4",
        "   2  d = b + 4  ∂e/∂b += ∂e/∂d · ∂d/∂b = 4 · 1 = 4",
        "   3  b = a * 3  ∂e/∂a += ∂e/∂b · ∂b/∂a = 4 · 3 = 12",
        "... and 2 operations more that are not shown",
    ]
    assert captions(told)[0].startswith("The walk back from e has come to d: its gradient is 4.")
    assert film(g.e, between=(g.d, g.a)).text == told.text
    assert film(g.e, between=(g.a, g.e)).text == BACKWARD_22


def test_a_window_that_begins_at_an_array():
    x = ad.Tensor(np.array([[1.0, 2.0, 3.0]]), name="x")
    h = x * 2
    y = (h * h).sum()
    h.name, y.name = "h", "y"
    told = film(y, between=(x, h))
    assert told.text.splitlines()[1] == "   1  start      ∂y/∂h = [[4, 8, 12]]"
    assert captions(told)[0].startswith("The walk back from y has come to h: its gradient is [[4, 8, 12]].")


def test_a_window_that_begins_at_a_large_array():
    x = ad.Tensor(np.ones((5, 7)), name="x")
    h = x * 2
    y = (h * h).sum()
    h.name, y.name = "h", "y"
    told = film(y, between=(x, h))
    assert told.text.splitlines()[1] == "   1  start      ∂y/∂h = (5, 7)"
    assert captions(told)[0].startswith(
        "The walk back from y has come to h: its gradient has the shape (5, 7)."
    )


def test_between_two_tensors_the_rest_still_counts():
    x = ad.Tensor(2, name="x")
    h = x * 3
    k = h * h
    y = k + h
    for node, name in ((h, "h"), (k, "k"), (y, "y")):
        node.name = name
    told = film(y, between=(h, k))
    assert told.text.splitlines()[2:4] == [
        "   2  k = h * h  ∂y/∂h += ∂y/∂k · ∂k/∂(1st h) = 1 · 6 = 6; 1 + 6 = 7",
        "                 ∂y/∂h += ∂y/∂k · ∂k/∂(2nd h) = 1 · 6 = 6; 7 + 6 = 13",
    ]


def test_the_forward_pass_in_a_window():
    told = film_22(direction="forward", last=1)
    assert told.text.splitlines()[1:] == [
        "   1  start      c = 4",
        "                 d = 10",
        "   2  e = c * d  e = c * d = 4 * 10 = 40",
        "... and 3 operations more that are not shown",
    ]


def test_a_graph_that_is_too_large():
    end = chain(100)
    with pytest.raises(ValueError, match=r"would show 101 nodes in 100 steps.*last=20.*between=\(x, y\)"):
        film(end)
    assert len(film(end, last=20)) == 21


def test_a_long_chain():
    told = film(chain(20_000), last=3)
    assert told.text.splitlines()[-1] == "... and 19,997 operations more that are not shown"


# -- files ------------------------------------------------------------------------------------------------


def test_save_a_page(tmp_path):
    for name in ("one.html", "two.html"):
        film_22().save(tmp_path / name)
    page = (tmp_path / "one.html").read_text(encoding="utf-8")
    assert page == (tmp_path / "two.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<title>The walk back from e, step by step</title>" in page
    assert len(svgs(page)) == 2
    assert "https" not in page
    assert "<script" not in page


def test_save_a_gif(tmp_path):
    image = pytest.importorskip("PIL.Image")
    film_22().save(str(tmp_path / "e.gif"), seconds=1)
    with image.open(tmp_path / "e.gif") as gif:
        assert gif.n_frames == NUMBER_OF_STEPS
        durations = []
        for k in range(gif.n_frames):
            gif.seek(k)
            durations.append(gif.info["duration"])
        assert durations == [1000, 1000, 1000, 1000, 2000]
        assert gif.info["loop"] == 0


def test_save_frames(tmp_path):
    image = pytest.importorskip("PIL.Image")
    film_22().save(tmp_path)
    film_22().save(tmp_path / "e{:03}.PNG")
    film_22().save(tmp_path / "e_{}.svg")
    names = sorted(path.name for path in tmp_path.iterdir())
    steps = range(1, NUMBER_OF_STEPS + 1)
    assert names == sorted(
        pattern.format(k) for pattern in ("step_{:02}.png", "e{:03}.PNG", "e_{}.svg") for k in steps
    )
    sizes = set()
    for name in names:
        if name.endswith("png"):
            with image.open(tmp_path / name) as picture:
                sizes.add(picture.size)
    assert len(sizes) == 1
    slide = (tmp_path / "e_4.svg").read_text(encoding="utf-8")
    assert f"<desc>autodiff:{fingerprint(BACKWARD_22)}</desc>" in slide
    assert "Step 4 of 5: b = a * 3" in texts(slide)


def test_save_an_animated_svg(tmp_path):
    film_22().save(tmp_path / "e.svg", seconds=2)
    text = (tmp_path / "e.svg").read_text(encoding="utf-8")
    ET.fromstring(text)
    assert f"<desc>autodiff:{fingerprint(BACKWARD_22)}</desc>" in text
    assert "animation:12s step-end infinite" in text, "five steps, and the last one twice"
    assert "@media not (prefers-reduced-motion:reduce){" in text
    assert text.count(">c = a + 2<") == 1, "what does not change is in it once"
    assert len(text) < 13_000


def test_an_animation_shows_a_step_as_long_as_its_words_take_to_read(tmp_path):
    image = pytest.importorskip("PIL.Image")
    film_22().save(tmp_path / "e.gif")
    with image.open(tmp_path / "e.gif") as gif:
        durations = []
        for k in range(gif.n_frames):
            gif.seek(k)
            durations.append(gif.info["duration"] / 1000)
    counts = [len(step.words.split()) for step in film_22()._story.steps]
    assert len(set(counts)) > 2
    for seconds, count in zip(durations, counts):
        assert 2 <= count / seconds <= 4, "so many words a second can be read, and the picture looked at"
    film_22().save(tmp_path / "e.svg")
    text = (tmp_path / "e.svg").read_text(encoding="utf-8")
    assert f"animation:{sum(durations):g}s step-end infinite" in text
    begins = {f"{100 * sum(durations[:k]) / sum(durations):.4g}%{{" for k in range(1, len(durations))}
    assert all(place in text for place in begins)


@pytest.mark.parametrize("name", ["e.mp4", "e", "html"])
def test_save_in_an_unknown_format(tmp_path, name):
    with pytest.raises(ValueError, match=rf"as '{name}': end the name in \.html, \.gif, \.png or \.svg"):
        film_22().save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["e.png", "e_{x}.svg", "e{.png", "e_{0.real}{1}.png"])
def test_save_frames_under_one_name(tmp_path, name):
    with pytest.raises(ValueError, match=r"names one file, and a film has one for each step: put \{:02\}"):
        film_22().save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_save_where_there_is_no_directory(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"cannot save 'e.html': there is no directory '.*nowhere'"):
        film_22().save(tmp_path / "nowhere" / "e.html")


def test_save_without_a_layout(tmp_path, no_layout):
    with pytest.raises(RuntimeError, match=r"'e.html', .* needs Graphviz: pip install .autodiff.draw."):
        film_22().save(tmp_path / "e.html")
    assert list(tmp_path.iterdir()) == []


def test_save_a_gif_without_pillow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ImportError, match=r"Pillow writes animated gifs.*pip install pillow.*\.html"):
        film_22().save(tmp_path / "e.gif")
    assert list(tmp_path.iterdir()) == []


def test_a_gif_takes_time(tmp_path):
    for name in ("e.gif", "e.svg"):
        with pytest.raises(ValueError, match="more than 0, not 0"):
            film_22().save(tmp_path / name, seconds=0)


# -- errors -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("thing", [3, "x", None, [ad.Tensor(1)], ad.Tensor])
def test_what_cannot_be_filmed(thing):
    with pytest.raises(
        TypeError, match=r"film needs the end of a calculation: a Tensor, or an object with data, grad"
    ):
        film(thing)


def test_an_unknown_direction():
    for direction in ("up", None, 3):
        with pytest.raises(ValueError, match=r"unknown direction .*: the valid ones are backward, forward"):
            film_22(direction=direction)


def test_windows_that_are_none():
    g = graph_22()
    for between in (g.a, (g.a,), (g.a, 3), "ab"):
        with pytest.raises(TypeError, match=r"between is a pair of Tensors, between=\(x, y\), not "):
            film(g.e, between=between)
    with pytest.raises(ValueError, match=r"of the graph that is filmed, and 'stranger' is not in it"):
        film(g.e, between=(g.a, ad.Tensor(1, name="stranger")))
    with pytest.raises(ValueError, match=r"no path between '[cb]' and '[cb]': neither was computed from"):
        film(g.e, between=(g.b, g.c))
    for last in (0, -1):
        with pytest.raises(ValueError, match=f"1 or more, not {last}"):
            film(g.e, last=last)
    for last in (2.5, True, "all"):
        with pytest.raises(TypeError, match=f"an int or None, not {last}"):
            film(g.e, last=last)


def test_nothing_to_film():
    leaf = ad.Tensor(3, name="leaf")
    with pytest.raises(ValueError, match="nothing to film: no operation with a gradient made leaf"):
        film(leaf)
    with pytest.raises(ValueError, match="nothing to film"):
        film((leaf * 2).detach())
    g = graph_22()
    with pytest.raises(ValueError, match="nothing to film"):
        film(g.e, between=(g.a, g.a))


def test_an_array_has_no_one_gradient():
    g = layer()
    with pytest.raises(ValueError, match=r"h has the shape \(4, 2\): film a sum or mean of it"):
        film(g.h)
    assert len(film(g.h, direction="forward")) == 3


def test_an_operation_that_the_engine_does_not_know():
    y = made("cube", 8.0, Mine(2.0), name="y")
    with pytest.raises(
        ValueError, match=r"no slopes are known for the operation cube .* no operation is called 'cube'"
    ):
        film(y)
    assert "y = cube(v0) = cube(2) = 8" in film(y, direction="forward").text


def test_jupyterlab_leaves_the_arrow_keys_to_the_film():
    """Its shortcuts stop at elements with this attribute, and look no further up: each button needs it."""
    a = ad.Tensor(2)
    html = film(a * a)._repr_mimebundle_()[0]["text/html"]
    assert html.count('<input type="radio"') == html.count(" data-lm-suppress-shortcuts") == 2
