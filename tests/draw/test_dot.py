"""The sources of pictures: DOT and Mermaid. The complete texts here are the structure of a picture."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

import autodiff as ad
from autodiff.draw import draw, explain
from autodiff.draw.picture import render
from tests.draw.readers import Tensor, chain, made

# ruff: noqa: RUF059 - a name that nothing else uses is there to be found by draw

SVG = "{http://www.w3.org/2000/svg}"
HEAD = """\
digraph autodiff {
	graph [rankdir=LR nodesep=0.194 ranksep=0.361 pad=0 fontname="Helvetica,Arial,sans-serif" label=""]
	node [shape=box margin=0 fontname="Helvetica,Arial,sans-serif" fontsize=12]
	edge [fontname="Helvetica,Arial,sans-serif" fontsize=10 arrowsize=0.6]
"""
LEAF = 'style="filled,rounded" fillcolor="#dbeafe" color="#6b93d6"'
MADE = 'style="filled,rounded" fillcolor="#f8fafc" color="#94a3b8"'
SIGN = 'width=0.333 height=0.333 style="filled,rounded" fillcolor="#fde9b8" color="#d6a33a"'

COMPACT = (
    HEAD
    + f"""\
	n0 [label="a\\ndata 2\\ngrad 22" width=0.812 height=0.875 {LEAF}]
	n1 [label="c = a + 2\\ndata 4\\ngrad 10" width=0.935 height=0.875 {MADE}]
	n2 [label="b = a × 3\\ndata 6\\ngrad 4" width=0.945 height=0.875 {MADE}]
	n3 [label="d = b + 4\\ndata 10\\ngrad 4" width=0.955 height=0.875 {MADE}]
	n4 [label="e = c × d\\ndata 40\\ngrad 1" width=0.945 height=0.875 {MADE}]
	n0 -> n1 [label="1"]
	n0 -> n2 [label="3"]
	n2 -> n3 [weight=2 label="1"]
	n1 -> n4 [weight=2 label="10"]
	n3 -> n4 [weight=2 label="4"]
}}
"""
)

SPREAD = (
    HEAD
    + f"""\
	n0 [label="a\\ndata 2" width=0.704 height=0.625 {LEAF}]
	c1_1 [label="2" width=0.156 height=0.250 shape=none]
	o1 [label="+" shape=circle ordering=in {SIGN}]
	n1 [label="c\\ndata 4" width=0.704 height=0.625 {MADE}]
	c2_1 [label="3" width=0.156 height=0.250 shape=none]
	o2 [label="×" shape=circle ordering=in {SIGN}]
	n2 [label="b\\ndata 6" width=0.704 height=0.625 {MADE}]
	c3_1 [label="4" width=0.156 height=0.250 shape=none]
	o3 [label="+" shape=circle ordering=in {SIGN}]
	n3 [label="d\\ndata 10" width=0.804 height=0.625 {MADE}]
	o4 [label="×" shape=circle ordering=in {SIGN}]
	n4 [label="e\\ndata 40" width=0.804 height=0.625 {MADE}]
	n0 -> o1
	c1_1 -> o1 [penwidth=0.9]
	o1 -> n1 [weight=3]
	n0 -> o2
	c2_1 -> o2 [penwidth=0.9]
	o2 -> n2 [weight=3]
	n2 -> o3 [weight=2]
	c3_1 -> o3 [penwidth=0.9]
	o3 -> n3 [weight=3]
	n1 -> o4 [weight=2]
	n3 -> o4 [weight=2]
	o4 -> n4 [weight=3]
}}
"""
)

WORD = 'style="filled,rounded" fillcolor="#fde9b8" color="#d6a33a"'
BOXES = (
    HEAD.replace('label=""', r'label="\"a\" &amp; &lt;b&gt;\\N"')
    + f"""\
	n0 [label="x\\ndata 1 -2" width=1.142 height=0.681 {LEAF}]
	c1_1 [label="3" width=0.156 height=0.250 shape=none]
	o1 [label="×" shape=circle ordering=in {SIGN}]
	n1 [label="data 3 -6" width=1.142 height=0.389 {MADE}]
	o2 [label="exp" ordering=in width=0.486 height=0.306 {WORD}]
	n2 [label="h\\ndata 20.1 0.00248" width=1.885 height=0.681 {MADE}]
	o3 [label="sum" ordering=in width=0.536 height=0.306 {WORD}]
	n3 [label="y\\ndata 20.1" width=0.955 height=0.625 {MADE}]
	n0 -> o1
	c1_1 -> o1 [penwidth=0.9]
	o1 -> n1 [weight=3]
	n1 -> o2
	o2 -> n2 [weight=3]
	n2 -> o3
	o3 -> n3 [weight=3]
	subgraph cluster_0 {{
		graph [label="layer" labeljust=l labelloc=t fontname="Helvetica,Arial,sans-serif" fontsize=12 \
style="rounded" margin=10]
		c1_1 o1 n1 o2 n2
	}}
}}
"""
)

MERMAID = """\
flowchart TB
  n0["a<br/>data 2"]
  n1["a × 3<br/>data 6"]
  n0 --> n1
  n2["e = … + a<br/>data 8"]
  n1 --> n2
  n0 --> n2"""

MERMAID_SPREAD = """\
flowchart LR
  n0["a<br/>data 2"]
  n1["data 6"]
  o1(("×"))
  n0 --> o1
  c1_1("3") --> o1
  o1 --> n1
  n2["e<br/>data 8"]
  o2(("+"))
  n1 --> o2
  n0 --> o2
  o2 --> n2"""


def graph_22(kind):
    a = kind(2)
    c = a + 2 if kind is ad.Tensor else made("add", 4, a, 2)
    b = a * 3 if kind is ad.Tensor else made("mul", 6, a, 3)
    d = b + 4 if kind is ad.Tensor else made("add", 10, b, 4)
    return a, b, c, d, c * d


def line(dot, begins):
    return next(row for row in dot.splitlines() if row.startswith(f"\t{begins} "))


# -- complete texts ---------------------------------------------------------------------------------------


def test_the_22_graph_compact():
    a, b, c, d, e = graph_22(ad.Tensor)
    e.backward()
    assert draw(e, slopes=True).dot == COMPACT


@pytest.mark.parametrize("kind", [Tensor, ad.Tensor])
def test_the_22_graph_spread(kind):
    a, b, c, d, e = graph_22(kind)
    assert draw(e, style="spread").dot == SPREAD


def test_boxes_arrays_and_words():
    x = ad.Tensor([1.0, -2.0])
    with ad.scope("layer"):
        h = (x * 3).exp()
    y = h.sum()
    assert draw(y, style="spread", title='"a" & <b>\\N').dot == BOXES


def test_the_sources_have_what_stands_below_the_picture():
    a, b, c, d, e = graph_22(ad.Tensor)
    dot = explain(e, a).dot
    assert "e ← c ← a  ∂e/∂c · ∂c/∂a =  10 · 1 =  10\\ntogether  12 + 10 =  22" in dot
    assert 'color="#6d3fc9" penwidth=2 label="3"' in line(dot, "n0 -> n2")


# -- structure --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", ["compact", "spread"])
def test_an_operand_used_twice_has_two_arrows(style):
    x = Tensor(3)
    assert draw(x * x, style=style).dot.count("\tn0 -> ") == 2


def test_operands_keep_their_order():
    x, y = Tensor(3), Tensor(4)
    z = made("sub", 1, y, x)
    for style, head in [("compact", "n2"), ("spread", "o2")]:
        dot = draw(z, style=style).dot
        assert dot.index(f"n0 -> {head}") < dot.index(f"n1 -> {head}")
        assert 'label="y\\n' in line(dot, "n0")
    assert "ordering=in" in line(draw(z, style="spread").dot, "o2")


def test_constants_are_text_without_a_box():
    y = made("mul", 6.0, Tensor(2.0), 3)
    spread = draw(y, style="spread").dot
    assert line(spread, "c1_1").endswith("shape=none]")
    assert "\tc1_1 -> o1 " in spread
    assert 'label="y = … × 3' in line(draw(y).dot, "n1")
    assert "c1_1" not in draw(y).dot


def test_a_leaf_that_wants_no_gradient_is_quieter():
    def fill(node):
        return re.search(r"n0 .* fillcolor=\"(#\w+)\"", draw(node).dot)[1]

    assert fill(made(None, 1.0, requires_grad=False)) != fill(made(None, 1.0, requires_grad=True))
    assert fill(Tensor(1.0)) == fill(made(None, 1.0, requires_grad=True))


def test_long_names_of_operations_have_room():
    x = Tensor(1.0)
    assert "shape=circle" in draw(made("add", 1.0, x, x), style="spread").dot
    assert "shape=circle" not in draw(made("logsumexp", 1.0, x), style="spread").dot


def test_graphviz_does_not_refine_a_large_drawing_for_minutes():
    assert "nslimit" not in draw(chain(59), fold=False).dot
    assert "nslimit=4" in draw(chain(60), fold=False).dot.splitlines()[1]


def test_a_cut_graph_has_a_caption_and_loose_ends():
    dot = draw(chain(400), limit=3).dot
    assert "the last 3 of 401 nodes" in dot
    assert re.fullmatch(r'\tn397 \[label="… v397" width=0\.\d+ height=0\.250 shape=none\]', line(dot, "n397"))
    assert "the last" not in draw(chain(3)).dot


ODD = ["<b>", 'a"b', "a&b", "w\\N", "x]", "-->", "ünïcode", "名前", "a\\", "{x|y}", "%", "<script>", "&lt;"]


@pytest.mark.parametrize("style", ["compact", "spread"])
@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_text_in_every_source(name, style):
    drawing = draw(made("<lambda>", 1.0, made(None, 1.0, name=name), name="y"), style=style)
    texts = ["".join(text.itertext()) for text in ET.fromstring(drawing.svg).iter(f"{SVG}text")]
    assert name in texts
    assert name in drawing.text
    assert drawing.mermaid.count('"') == (6 if style == "spread" else 4)
    assert not set("<>&") & set(drawing.mermaid.replace("<br/>", "").replace(" --> ", ""))
    # Graphviz reads the DOT text as it is meant: no name becomes a node of its own.
    read = render.render(drawing.dot, "plain").decode()
    assert len([row for row in read.splitlines() if row.startswith("node ")]) == 3 - (style == "compact")


def test_direction():
    e = Tensor(1) + Tensor(2)
    assert "rankdir=LR" in draw(e).dot
    assert "rankdir=TB" in draw(e, direction="TB").dot
    assert "flowchart LR" in draw(e).mermaid


# -- Mermaid ----------------------------------------------------------------------------------------------


def test_mermaid():
    a = Tensor(2)
    e = made("add", 8, made("mul", 6, a, 3), a)
    assert draw(e, direction="TB").mermaid == MERMAID
    assert draw(e, style="spread").mermaid == MERMAID_SPREAD


def test_mermaid_has_slopes_streams_boxes_and_gradients():
    x = ad.Tensor(3.0)
    with ad.scope("layer"):
        y = x * 2
    assert 'n0 -->|"2"| n1' in draw(y, slopes=True).mermaid
    assert 'n0 -->|"∂y/∂x = 2"| n1' in draw(y, slopes="symbol").mermaid
    assert 'n0 -->|"2"| n1' in draw(y, flow=True).mermaid
    assert "o1" not in draw(y).mermaid
    inside = draw(y, style="spread").mermaid.split("subgraph")[1].split()
    assert inside == ['b0["layer"]', "n1", "o1", "end"]
    assert "grad" not in draw(y).mermaid
    y.backward()
    assert "grad 2" in draw(y).mermaid
