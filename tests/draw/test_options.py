"""What draw can be asked for: every option in the picture and in the table, and every wrong one."""

# ruff: noqa: RUF059 - a name that nothing else uses is there to be found by draw

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import THEMES, Theme, draw
from autodiff.draw.picture import layout
from tests.draw.readers import Tensor, chain, made


def graph_22(kind=ad.Tensor):
    a = kind(2)
    b = a * kind(3)
    c = a + kind(2)
    d = b + kind(4)
    return a, b, c, d, c * d


def line(dot, begins):
    return next(line for line in dot.splitlines() if line.startswith(f"\t{begins}"))


def words(dot, begins):
    return re.sub(r"<[^>]*>|&#160;", " ", line(dot, begins)).split()


# -- what a node shows ------------------------------------------------------------------------------------


def test_show_picks_columns_and_rows_in_their_own_order():
    x = ad.Tensor(np.ones((2, 3)), name="x")
    drawing = draw(x.sum(), show=["dtype", "data", "shape"])
    assert str(drawing).splitlines() == [
        "node         data                    shape   dtype",
        "x            [[1, 1, 1], [1, 1, 1]]  (2, 3)  float64",
        "v1 = sum(x)  6                       ()      float64",
    ]
    label = line(drawing.dot, "n0 ")
    assert "grad" not in label
    assert (
        label.index(">shape<") < label.index(">(2, 3)<") < label.index(">dtype<") < label.index(">float64<")
    )
    assert "x<br/>data" in drawing.mermaid
    assert "dtype float64" in drawing.mermaid
    assert str(draw(x.sum(), show="shape")).splitlines()[1] == "x            (2, 3)"


def test_statistics():
    x = ad.Tensor(np.arange(40.0).reshape(4, 10), name="x")
    row = str(draw(x, show=["data", "statistics"])).splitlines()[1]
    assert row == "x     (4, 10) float64  0 to 39, mean 19.5"
    assert "0 to 39, mean 19.5" in str(draw(x, show="statistics").dot)


def test_a_large_array_shows_its_range_and_mean_in_the_picture_alone():
    x = ad.Tensor(np.arange(40.0).reshape(4, 10), name="x")
    x.sum().backward()
    drawing = draw(x)
    said = " ".join(words(drawing.dot, "n0 "))
    assert "data (4, 10) float64 0 to 39, mean 19.5 grad (4, 10) float64 1 to 1, mean 1" in said
    assert "mean" not in str(drawing)
    assert "mean" not in draw(ad.Tensor(np.ones((3, 3)))).dot, "what is shown itself needs no statistics"


@pytest.mark.parametrize(
    ("array", "says"),
    [
        (np.array([1.0, np.nan, 3.0, np.inf]), "1 to 3, mean 2, 2 not finite"),
        (np.full(3, np.nan), "3 not finite"),
        (np.zeros((0, 3)), ""),
        (np.array([True, False]), "0 to 1, mean 0.5"),
        (np.array([1e300, 1e300]), "1e+300 to 1e+300, mean 1e+300"),
        (np.array([1e308, 1e308]), "1e+308 to 1e+308, mean inf"),
        (np.float16([60000, 60000]), "6e+04 to 6e+04, mean 6e+04"),
        (np.array(["a"]), ""),
    ],
)
def test_statistics_of_odd_arrays(array, says):
    from autodiff.draw.graph.as_text import statistics

    assert statistics(array) == says


def test_odd_data_is_text_in_a_picture():
    assert ">a &lt; b<" in draw(made(None, "a < b")).dot
    assert ">c &gt; d<" in draw(made("join", 1.0, Tensor(1.0), "c > d")).dot
    assert draw(made("join", "<b>&", made(None, "a < b"), np.array(["<i>"]))).svg


# -- edges ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Tensor, ad.Tensor])
def test_local_slopes(kind):
    a, b, c, d, e = graph_22(kind)
    drawing = draw(e, slopes=True)
    assert str(drawing).splitlines()[0] == "node        data  grad  local slopes"
    assert str(drawing).splitlines()[-1] == "e = c * d     40     -  10, 4"
    assert ">10</td>" in line(drawing.dot, "n2 -> o7")
    assert ">4</td>" in line(drawing.dot, "n6 -> o7")
    assert '-->|"10"| o7' in drawing.mermaid
    assert "label" not in line(draw(e).dot, "n2 -> o7")


def test_local_slopes_with_their_symbols():
    a, b, c, d, e = graph_22()
    drawing = draw(e, slopes="symbol")
    assert "de/dc = 10, de/dd = 4" in str(drawing)
    assert "de/dc = 10" in line(drawing.dot, "n2 -> o7")


def test_slopes_of_constants_arrays_and_unknown_operations_are_not_made_up():
    x = ad.Tensor(3.0)
    y = (2 * x - 1) ** 2
    assert [row.split("  ")[-1].strip() for row in str(draw(y, slopes=True)).splitlines()[2:]] == [
        "-, 2",
        "1, -",
        "10, -",
    ]
    w = ad.Tensor([1.0, 2.0])
    assert not re.search(r"-> o\d+ \[.*label", draw((w * w).sum(), slopes=True).dot)
    odd = made("sparkle", 1.0, Tensor(2.0))
    assert str(draw(odd, slopes=True)).splitlines()[-1].endswith("1     -")


def test_arrows():
    a, b, c, d, e = graph_22()
    forward, backward, both = (draw(e, arrows=way).dot for way in ("forward", "backward", "both"))
    assert "dashed" not in forward
    assert "dir=back style=dashed" in line(backward, "n2 -> o7")
    assert "dir=back style=dashed" in line(backward, "o7 -> n7")
    assert "dir=back" not in both
    assert "style=dashed" in line(both, "o7 -> n2")
    assert "style=dashed" in line(both, "n7 -> o7")
    assert "style=dashed" not in line(both, "n2 -> o7")
    assert both.count(" -> ") == 2 * forward.count(" -> ")
    assert "way of the gradient" in both
    assert "way of the gradient" in backward
    assert "way of the gradient" not in forward


def test_no_gradient_walks_to_what_wants_none():
    x = ad.Tensor(2.0)
    y = x * ad.Tensor(5.0, requires_grad=False) + 3
    backward, both = draw(y, arrows="backward").dot, draw(y, arrows="both").dot
    assert "arrowhead=none" in line(backward, "n1 -> o2")
    assert "arrowhead=none" in line(backward, "c3_1 -> o3")
    assert "\to2 -> n0 " in both
    assert "\to2 -> n1 " not in both


# -- constants, themes, titles ----------------------------------------------------------------------------


def test_constants():
    y = ad.Tensor(2.0) * 3
    quiet, shown, hidden = (draw(y, constants=how).dot for how in ("quiet", "shown", "hidden"))
    assert "shape=none" in line(quiet, "c1_1 ")
    assert "constant 3" in " ".join(words(shown, "c1_1 "))
    assert "shape=none" not in shown
    assert "c1_1" not in hidden
    assert "c1_1" not in draw(y, constants="hidden").mermaid
    assert "v0 * 3" in str(draw(y, constants="hidden")), "the table says how a node was made, always"


@pytest.mark.parametrize("theme", THEMES)
def test_themes(theme):
    a, b, c, d, e = graph_22()
    drawing = draw(e, theme=theme)
    assert THEMES[theme].leaf in line(drawing.dot, "n0 ")
    assert drawing.svg.startswith("<svg")
    assert str(drawing) == str(draw(e))


def test_a_theme_of_one_s_own():
    assert 'fillcolor="#123456"' in draw(ad.Tensor(1.0), theme=Theme(leaf="#123456")).dot


def test_a_title_stands_in_every_form_of_the_picture():
    drawing = draw(ad.Tensor(1.0), title="The loss & its <path>: one")
    assert "The loss &amp; its &lt;path&gt;: one" in drawing.dot
    assert "title: The loss  its  path  one;" in drawing.mermaid.replace("   ", "  ")
    assert (
        'alt="The loss &amp; its &lt;path&gt;: one. Recorded graph'
        in drawing._repr_mimebundle_()[0]["text/html"]
    )


# -- highlights -------------------------------------------------------------------------------------------


LIT = "penwidth=2.6"


def lit(dot):
    return {re.match(r"\t([\w >-]+?) \[", row)[1] for row in dot.splitlines() if LIT in row}


def test_highlighted_nodes():
    a, b, c, d, e = graph_22()
    assert lit(draw(e, highlight=c).dot) == {"n2"}
    assert lit(draw(e, highlight="c").dot) == {"n2"}
    assert lit(draw(e, highlight=["c", d, "v3"]).dot) == {"n2", "n3", "n6"}
    assert lit(draw(e).dot) == set()
    drawing = draw(e, highlight=[d, "c"])
    assert str(drawing).splitlines()[-1] == "highlighted: c, d"
    assert "Highlighted: c, d." in drawing.description
    assert "style n2,n6 stroke:" in drawing.mermaid


def test_a_highlighted_path():
    a, b, c, d, e = graph_22()
    by_b = {"n0", "n0 -> o4", "o4 -> n4", "n4", "n4 -> o6", "o6 -> n6", "n6", "n6 -> o7", "o7 -> n7", "n7"}
    assert lit(draw(e, highlight=("a", "b", "e")).dot) == by_b
    assert lit(draw(e, highlight=(e, b, a)).dot) == by_b
    by_c = {"n0", "n0 -> o2", "o2 -> n2", "n2", "n2 -> o7", "o7 -> n7", "n7"}
    assert lit(draw(e, highlight=(a, e)).dot) == by_b | by_c, "all ways are lit where none is named"
    assert lit(draw(e, highlight=[("a", "c"), "v5"]).dot) == {"n0", "n0 -> o2", "o2 -> n2", "n2", "n5"}


def test_what_cannot_be_highlighted():
    a, b, c, d, e = graph_22()
    with pytest.raises(
        ValueError, match=r"'q': no node has this name. The nodes are a, v1, c, v3, b, v5, d, e"
    ):
        draw(e, highlight="q")
    with pytest.raises(
        ValueError, match=r"the Tensor with data 2 was|with data 2: e was not computed from it"
    ):
        draw(e, highlight=ad.Tensor(2))
    with pytest.raises(ValueError, match=r"Tensor far, with data 9: e was not computed from it"):
        draw(e, highlight=[a, ad.Tensor(9, name="far")])
    with pytest.raises(ValueError, match=r"a path from b to c: b was not computed from c"):
        draw(e, highlight=(b, c))
    with pytest.raises(TypeError, match=r"highlight takes a Tensor, .* not 3, which is of type int"):
        draw(e, highlight=3)
    end = chain(400)
    leaf = end
    while leaf.creators:
        leaf = leaf.creators[0]
    with pytest.raises(ValueError, match=r"cannot highlight v0: .* the last 50 of 401; limit= sets how many"):
        draw(end, highlight=leaf, limit=50)


# -- direction --------------------------------------------------------------------------------------------


def test_a_wide_graph_runs_down_the_page_by_itself():
    assert draw(graph_22()[-1]).direction == "LR"
    long = chain(12)
    assert draw(long).direction == "TB"
    assert "rankdir=TB" in draw(long).dot
    assert "flowchart TB" in draw(long).mermaid
    assert "rankdir=LR" in draw(long, direction="LR").dot


def test_a_graph_as_wide_either_way_keeps_its_direction():
    total = ad.Tensor(0.0)
    wide = [ad.Tensor(float(i)) * ad.Tensor(1.0) for i in range(12)]
    total = made("concatenate", 0.0, *wide)
    assert draw(total).direction == "LR"


def test_a_graph_wide_both_ways_keeps_its_direction():
    rows = []
    for i in range(16):
        x = ad.Tensor(float(i))
        for _ in range(10):
            x = x.exp()
        rows.append(x)
    across, down = layout.widths(draw(made("concatenate", 0.0, *rows))._graph, draw(x)._look)
    assert across > layout.PAGE
    assert down > layout.CLEARLY * across
    assert draw(made("concatenate", 0.0, *rows)).direction == "LR"


@pytest.mark.parametrize("length", [1, 3, 5, 8])
def test_widths_are_estimated_well(length):
    x = ad.Tensor(1.2345)
    for _ in range(length):
        x = x * ad.Tensor(1.5)
    for way, place in (("LR", 0), ("TB", 1)):
        drawing = draw(x, direction=way)
        true = float(re.search(r'viewBox="0.00 0.00 ([\d.]+)', drawing.svg)[1])
        assert layout.widths(drawing._graph, drawing._look)[place] == pytest.approx(true, rel=0.25)


# -- wrong options ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"direction": "BT"}, "unknown direction 'BT': the valid ones are auto, LR, TB"),
        ({"show": "color"}, "unknown show 'color': the valid ones are data, grad, shape, dtype, statistics"),
        ({"show": ["data", 3]}, "unknown show 3: the valid ones are data, grad"),
        ({"show": []}, "show takes one or several of data, grad, shape, dtype, statistics"),
        ({"slopes": "number"}, "unknown slopes 'number': the valid ones are False, True, symbol"),
        ({"slopes": 1}, "unknown slopes 1"),
        ({"constants": "loud"}, "unknown constants 'loud': the valid ones are quiet, shown, hidden"),
        ({"arrows": None}, "unknown arrows None: the valid ones are forward, backward, both"),
        ({"theme": "neon"}, "unknown theme 'neon': the valid ones are light, dark, colour-blind, print"),
        ({"fold": "yes"}, "unknown fold 'yes': the valid ones are None, True, False"),
        ({"depth": -1}, "depth is how many nested boxes are opened at most, 0 or more, not -1"),
    ],
)
def test_an_unknown_option_lists_the_valid_ones(options, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        draw(ad.Tensor(1.0), **options)


def test_a_depth_that_is_no_number():
    with pytest.raises(TypeError, match=r"depth is .* an int or None, not all"):
        draw(ad.Tensor(1.0), depth="all")
    with pytest.raises(ValueError, match=r"unknown theme"):
        draw(ad.Tensor(1.0), theme=ad.Tensor([1.0, 2.0]))
