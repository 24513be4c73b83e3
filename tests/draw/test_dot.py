"""The sources of pictures: DOT and Mermaid."""

from __future__ import annotations

import re

import numpy as np
import pytest

from autodiff.draw import draw
from tests.draw.readers import Tensor, chain, made

NODES_AND_EDGES = """\
n0 a data 2 grad -
n1 data 2 grad -
n2 c data 4 grad -
o2 +
n0 -> o2
n1 -> o2
o2 -> n2
n3 data 3 grad -
n4 b data 6 grad -
o4 ×
n0 -> o4
n3 -> o4
o4 -> n4
n5 data 4 grad -
n6 d data 10 grad -
o6 +
n4 -> o6
n5 -> o6
o6 -> n6
n7 e data 40 grad -
o7 ×
n2 -> o7
n6 -> o7
o7 -> n7"""

FIRST_BOX = (
    '\tn0 [label=<<table border="0" cellspacing="0" cellpadding="4" color="#6b93d6">'
    '<tr><td colspan="2"><b>a</b></td></tr><hr/>'
    '<tr><td align="left"><font color="#64748b" point-size="9">data</font></td>'
    '<td align="right"><font color="#1f2937">2</font></td></tr>'
    '<tr><td align="left"><font color="#64748b" point-size="9">grad</font></td>'
    '<td align="right"><font color="#64748b">-</font></td></tr></table>> color="#6b93d6" fillcolor="#dbeafe"]'
)

MERMAID = """\
---
title: pip install pygraphviz for finer pictures
---
flowchart TB
  n0["a<br/>data 2<br/>grad -"]
  n1["data 6<br/>grad -"]
  o1(("×"))
  n0 --> o1
  c1_1("3") --> o1
  o1 --> n1
  n2["e<br/>data 8<br/>grad -"]
  o2(("+"))
  n1 --> o2
  n0 --> o2
  o2 --> n2"""


def content(dot):
    """The nodes and edges of a DOT text with what their labels say, without the look."""
    lines = []
    for line in dot.splitlines()[4:-1]:
        name = re.match(r"\t(\w+( -> \w+)?)", line)[1]
        label = re.search(r"label=<(.*)> \w+=", line)
        words = re.sub(r"<[^>]*>", " ", label[1]).split() if label else []
        lines.append(" ".join([name, *words]))
    return "\n".join(lines)


def draw_22():
    a = Tensor(2)
    b = a * Tensor(3)
    c = a + Tensor(2)
    d = b + Tensor(4)
    e = c * d
    return draw(e)


def test_the_22_graph():
    dot = draw_22().dot
    assert content(dot) == NODES_AND_EDGES
    assert dot.splitlines()[4] == FIRST_BOX


def test_an_operand_used_twice_has_two_arrows():
    x = Tensor(3)
    assert draw(x * x).dot.count("n0 -> o1") == 2


def test_operands_keep_their_order():
    x, y = Tensor(3), Tensor(4)
    z = made("sub", 1, y, x)
    dot = draw(z).dot
    assert dot.index("n0 -> o2") < dot.index("n1 -> o2")
    assert re.search(r"o2 \[.*ordering=in", dot)
    assert "<b>y</b>" in next(line for line in dot.splitlines() if line.startswith("\tn0 "))


def test_constants_are_text_without_a_box():
    dot = draw(made("mul", 6.0, Tensor(2.0), 3)).dot
    constant = next(line for line in dot.splitlines() if line.startswith("\tc1_1 ["))
    assert ">3<" in constant
    assert "shape=none" in constant
    assert "\tc1_1 -> o1 " in dot


def test_a_leaf_that_wants_no_gradient_is_quieter():
    def fill(node):
        return re.search(r"n0 .* fillcolor=\"(#\w+)\"", draw(node).dot)[1]

    assert fill(made(None, 1.0, requires_grad=False)) != fill(made(None, 1.0, requires_grad=True))
    assert fill(Tensor(1.0)) == fill(made(None, 1.0, requires_grad=True))


def test_small_arrays_are_tables_and_large_ones_their_shape():
    assert draw(Tensor(np.array([[1.0, 2.0], [3.0, 4.5]]))).dot.count("<tr>") == 2 + 2
    # Each number is short enough for a cell, though the whole is too long for a line of text.
    assert draw(Tensor(np.full((3, 3), 1 / 3))).dot.count(">0.333333<") == 9
    assert "(784, 400) float32" in draw(Tensor(np.zeros((784, 400), np.float32))).dot


def test_long_names_of_operations_have_room():
    x = Tensor(1.0)
    assert "shape=circle" in draw(made("add", 1.0, x, x)).dot
    assert "shape=circle" not in draw(made("logsumexp", 1.0, x)).dot


def test_graphviz_does_not_refine_a_large_drawing_for_minutes():
    assert "nslimit" not in draw(chain(59)).dot
    assert "nslimit=4" in draw(chain(60)).dot.splitlines()[1]


def test_a_cut_graph_has_a_caption_and_loose_ends():
    dot = draw(chain(400), limit=3).dot
    assert "the last 3 of 401 nodes" in dot
    assert "n397 [label=<... v397>" in dot
    assert "the last" not in draw(chain(3)).dot


@pytest.mark.parametrize("name", ["<b>", 'a"b', "a&b", "w\\N", "x]", "-->", "ünïcode"])
def test_odd_names_are_text_in_every_source(name):
    drawing = draw(made("<lambda>", 1.0, made(None, 1.0, name=name), name="y"))
    assert drawing.svg.count("<title>") == 3
    assert name in drawing.text
    assert drawing.mermaid.count('"') == 6
    assert not set("<>&") & set(drawing.mermaid.replace("<br/>", "").replace(" --> ", ""))


def test_direction():
    e = Tensor(1) + Tensor(2)
    assert "rankdir=LR" in draw(e).dot
    assert "rankdir=TB" in draw(e, direction="TB").dot
    assert "flowchart LR" in draw(e).mermaid


def test_mermaid():
    a = Tensor(2)
    e = made("add", 8, made("mul", 6, a, 3), a)
    assert draw(e, direction="TB").mermaid == MERMAID
