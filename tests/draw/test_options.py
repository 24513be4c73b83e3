"""What draw can be asked for: every option in the picture and in the table, and every wrong one."""

# ruff: noqa: RUF059 - a name that nothing else uses is there to be found by draw

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import THEMES, Theme, draw
from autodiff.draw.look import Look, checked_look
from tests.draw.readers import Tensor, below, chain, edges, face, made, mark, rows

STYLES = ("compact", "spread")


def graph_22(kind=ad.Tensor):
    a = kind(2)
    b = a * kind(3)
    c = a + kind(2)
    d = b + kind(4)
    return a, b, c, d, c * d


# -- what a node shows ------------------------------------------------------------------------------------


def test_show_picks_columns_and_rows_in_their_own_order():
    x = ad.Tensor(np.ones((2, 3)), name="x")
    drawing = draw(x.sum(), show=["dtype", "data", "shape"])
    assert str(drawing).splitlines() == [
        "node         data                    shape   dtype",
        "x            [[1, 1, 1], [1, 1, 1]]  (2, 3)  float64",
        "v1 = sum(x)  6                       ()      float64",
    ]
    assert list(rows(drawing, "n0").items()) == [
        ("data", [["1", "1", "1"], ["1", "1", "1"]]), ("shape", "(2, 3)"), ("dtype", "float64")
    ]  # fmt: skip
    assert "x<br/>data" in drawing.mermaid
    assert "dtype float64" in drawing.mermaid
    assert str(draw(x.sum(), show="shape")).splitlines()[1] == "x            (2, 3)"


def test_statistics():
    x = ad.Tensor(np.arange(40.0).reshape(4, 10), name="x")
    row = str(draw(x, show=["data", "statistics"])).splitlines()[1]
    assert row == "x     (4, 10) float64  0 to 39, mean 19.5"
    assert face(draw(x, show=["data", "statistics"]), "n0").rows[0].notes == ("0 to 39, mean 19.5",)
    small = ad.Tensor([1.0, 2.0])
    assert face(draw(small, show=["data", "statistics"]), "n0").rows[0].notes == ("1 to 2, mean 1.5",)


def test_statistics_alone():
    x = ad.Tensor(np.arange(40.0).reshape(4, 10), name="x")
    drawing = draw(x, show="statistics")
    assert "0 to 39, mean 19.5" in drawing.svg
    assert "0 to 39, mean 19.5" in drawing.dot


def test_a_large_array_shows_its_range_in_the_picture_alone():
    x = ad.Tensor(np.arange(40.0).reshape(4, 10), name="x")
    x.sum().backward()
    drawing = draw(x)
    assert [(row.text, row.notes) for row in face(drawing, "n0").rows] == [
        ("(4, 10)", ("0 to 39",)), ("(4, 10)", ("1 to 1",))
    ]  # fmt: skip
    assert "0 to" not in str(drawing)
    for shown in (np.ones((3, 3)), np.ones(1), np.ones((1, 1)), np.ones(())):
        (row,) = face(draw(ad.Tensor(shown)), "n0").rows
        assert row.notes == (), "what is shown itself needs no statistics"


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
    assert rows(draw(made(None, "a < b")), "n0") == {"data": "a < b"}
    assert ">a &lt; b</text>" in draw(made(None, "a < b")).svg
    assert face(draw(made("join", 1.0, Tensor(1.0), "c > d"), style="spread"), "c1_1").title == "c > d"
    assert draw(made("join", "<b>&", made(None, "a < b"), np.array(["<i>"]))).svg


# -- edges ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", [Tensor, ad.Tensor])
def test_local_slopes(kind, style):
    a, b, c, d, e = graph_22(kind)
    drawing = draw(e, slopes=True, style=style)
    assert str(drawing).splitlines()[0] == "node        data  grad  local slopes"
    assert str(drawing).splitlines()[-1] == "e = c * d     40     -  10, 4"
    assert mark(drawing, 7, 0).label.text == "10"
    assert mark(drawing, 7, 1).label.text == "4"
    assert f'-->|"10"| {"n7" if style == "compact" else "o7"}' in drawing.mermaid
    assert mark(draw(e), 7, 0).label is None


def test_local_slopes_with_their_symbols():
    a, b, c, d, e = graph_22()
    drawing = draw(e, slopes="symbol")
    assert "∂e/∂c = 10, ∂e/∂d = 4" in str(drawing)
    assert mark(drawing, 7, 0).label.text == "∂e/∂c = 10"


def test_slopes_of_constants_arrays_and_unknown_operations_are_not_made_up():
    x = ad.Tensor(3.0)
    y = (2 * x - 1) ** 2
    assert [row.split("  ")[-1].strip() for row in str(draw(y, slopes=True)).splitlines()[2:]] == [
        "-, 2",
        "1, -",
        "10, -",
    ]
    w = ad.Tensor([1.0, 2.0])
    drawing = draw((w * w).sum(), slopes=True)
    assert not any(one.label for one in drawing._composed[1].marks.values())
    odd = made("sparkle", 1.0, Tensor(2.0))
    assert str(draw(odd, slopes=True)).splitlines()[-1].endswith("1     -")


@pytest.mark.parametrize("style", STYLES)
def test_arrows(style):
    a, b, c, d, e = graph_22()
    forward, backward, both = (draw(e, arrows=way, style=style) for way in ("forward", "backward", "both"))
    way_back = {"way": "backward", "is_dashed": True, "inks": ("way_back",)}

    def is_way_back(drawing, *key):
        return all(getattr(mark(drawing, *key), name) == value for name, value in way_back.items())

    keys = [(7, 0), (7, 1), (7, "result")] if style == "spread" else [(7, 0), (7, 1)]
    for key in keys:
        assert mark(forward, *key).way == mark(both, *key).way == "forward"
        assert is_way_back(backward, *key)
        assert is_way_back(both, *key, "back")
    assert len(edges(both)) == 2 * len(edges(forward))
    assert "stroke-dasharray" in backward.svg
    assert "stroke-dasharray" not in forward.svg
    assert any("way of the gradient" in text for text in below(both))
    assert any("way of the gradient" in text for text in below(backward))
    assert below(forward) == []


@pytest.mark.parametrize("style", STYLES)
def test_no_gradient_walks_to_what_wants_none(style):
    x = ad.Tensor(2.0)
    y = x * ad.Tensor(5.0, requires_grad=False) + 3
    backward, both = draw(y, arrows="backward", style=style), draw(y, arrows="both", style=style)
    head = "o2" if style == "spread" else "n2"
    assert mark(backward, 2, 1).way == ""
    assert mark(backward, 3, 1).way == "" or style == "compact"
    assert edges(both).count(("n0", head)) == 2
    assert edges(both).count(("n1", head)) == 1


# -- constants, themes, titles ----------------------------------------------------------------------------


@pytest.mark.parametrize("style", STYLES)
def test_constants(style):
    y = ad.Tensor(2.0) * 3
    quiet, shown, hidden = (draw(y, constants=how, style=style) for how in ("quiet", "shown", "hidden"))
    if style == "spread":
        assert (face(quiet, "c1_1").shape, face(quiet, "c1_1").title) == ("bare", "3")
    else:
        assert face(quiet, "n1").title == face(shown, "n1").title == "y = … × 3"
        assert face(hidden, "n1").title == "y = … × …"
    assert rows(shown, "c1_1") == {"constant": "3"}
    assert (face(shown, "c1_1").shape, face(shown, "c1_1").kind) == ("box", "quiet")
    assert "c1_1" not in hidden.dot
    assert "c1_1" not in hidden.mermaid
    assert "v0 * 3" in str(hidden), "the table says how a node was made, always"


@pytest.mark.parametrize("theme", THEMES)
def test_themes(theme):
    a, b, c, d, e = graph_22()
    drawing = draw(e, theme=theme)
    assert THEMES[theme].leaf in drawing.svg
    assert THEMES[theme].leaf in drawing.dot
    assert ("prefers-color-scheme" in drawing.svg) == (theme == "auto")
    assert (THEMES["dark"].leaf in drawing.svg) == (theme in ("auto", "dark"))
    assert str(drawing) == str(draw(e))


def test_a_theme_of_one_s_own():
    drawing = draw(ad.Tensor(1.0), theme=Theme(leaf="#123456"))
    assert 'fillcolor="#123456"' in drawing.dot
    assert "fill:#123456" in drawing.svg


def test_a_title_stands_in_every_form_of_the_picture():
    drawing = draw(ad.Tensor(1.0), title="The loss & its <path>: one")
    assert "The loss &amp; its &lt;path&gt;: one" in drawing.dot
    assert "title: The loss  its  path  one" in drawing.mermaid.replace("   ", "  ")
    assert (
        'alt="The loss &amp; its &lt;path&gt;: one. Recorded graph'
        in drawing._repr_mimebundle_()[0]["text/html"]
    )


# -- highlights -------------------------------------------------------------------------------------------


def lit(drawing):
    """The keys of what is highlighted."""
    state = drawing._composed[1]
    keys = {key for key, face in state.faces.items() if face.outline == "lit" and face.weight == 2.6}
    shown = {edge.key for edge in drawing._composed[0].edges}
    return keys | {key for key, mark in state.marks.items() if mark.inks == ("lit",) and key in shown}


def test_highlighted_nodes():
    a, b, c, d, e = graph_22()
    assert lit(draw(e, highlight=c)) == {"n2"}
    assert lit(draw(e, highlight="c")) == {"n2"}
    assert lit(draw(e, highlight=["c", d, "v3"])) == {"n2", "n3", "n6"}
    assert lit(draw(e)) == set()
    drawing = draw(e, highlight=[d, "c"])
    assert str(drawing).splitlines()[-1] == "highlighted: c, d"
    assert "Highlighted: c, d." in drawing.description
    assert "style n2,n6 stroke:" in drawing.mermaid


def test_a_highlighted_path():
    a, b, c, d, e = graph_22()
    by_b = {"n0", (4, 0), "n4", (6, 0), "n6", (7, 1), "n7"}
    assert lit(draw(e, highlight=("a", "b", "e"))) == by_b
    assert lit(draw(e, highlight=(e, b, a))) == by_b
    by_c = {"n0", (2, 0), "n2", (7, 0), "n7"}
    assert lit(draw(e, highlight=(a, e))) == by_b | by_c, "all ways are lit where none is named"
    assert lit(draw(e, highlight=[("a", "c"), "v5"])) == {"n0", (2, 0), "n2", "n5"}
    spread = lit(draw(e, highlight=("a", "b", "e"), style="spread"))
    assert spread == by_b | {(4, "result"), (6, "result"), (7, "result")}


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


# -- direction and style ----------------------------------------------------------------------------------


def size(drawing):
    return tuple(int(n) for n in re.search(r'width="(\d+)" height="(\d+)"', drawing.svg).groups())


def test_a_long_graph_goes_on_in_more_rows():
    width, height = size(draw(chain(30)))
    assert width <= 930
    assert 200 < height < 500, "a chain of thirty fits one screen"
    assert size(draw(chain(30), direction="TB"))[1] > 1500


def test_direction_and_style():
    a, b, c, d, e = graph_22()
    across, down = draw(e), draw(e, direction="TB")
    assert size(across)[0] > size(across)[1]
    assert size(down)[0] < size(down)[1]
    compact, spread = draw(e, style="compact"), draw(e, style="spread")
    assert compact.svg == across.svg
    assert size(compact)[0] < 0.8 * size(spread)[0]
    assert not any(key.startswith("o") for key in compact._composed[0].boxes)
    assert face(spread, "o7").title == "×"
    assert (face(compact, "n7").title, face(spread, "n7").title) == ("e = c × d", "e")


# -- wrong options ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"direction": "BT"}, "unknown direction 'BT': the valid ones are LR, TB"),
        ({"direction": "auto"}, "unknown direction 'auto': the valid ones are LR, TB"),
        ({"style": "loose"}, "unknown style 'loose': the valid ones are compact, spread"),
        ({"show": "color"}, "unknown show 'color': the valid ones are data, grad, shape, dtype, statistics"),
        ({"show": ["data", 3]}, "unknown show 3: the valid ones are data, grad"),
        ({"show": []}, "show takes one or several of data, grad, shape, dtype, statistics"),
        ({"slopes": "number"}, "unknown slopes 'number': the valid ones are False, True, symbol"),
        ({"slopes": 1}, "unknown slopes 1"),
        ({"constants": "loud"}, "unknown constants 'loud': the valid ones are quiet, shown, hidden"),
        ({"arrows": None}, "unknown arrows None: the valid ones are forward, backward, both"),
        (
            {"theme": "neon"},
            "unknown theme 'neon': the valid ones are auto, light, dark, colour-blind, print",
        ),
        ({"fold": "yes"}, "unknown fold 'yes': the valid ones are None, True, False"),
        ({"flow": 1}, "unknown flow 1: the valid ones are False, True"),
        ({"flow": True, "slopes": True}, "flow=True shows the way of the gradient"),
        ({"flow": True, "arrows": "backward"}, "leave out slopes and arrows"),
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


def test_the_defaults_of_a_look_are_those_of_draw():
    assert checked_look() == Look()
    theirs = inspect.signature(draw).parameters
    for name, option in inspect.signature(checked_look).parameters.items():
        assert theirs[name].default == option.default, name
