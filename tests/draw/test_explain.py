"""Every path of a gradient: the golden table, the count, the colours of the picture, the errors."""

from __future__ import annotations

import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from nbformat.v4 import new_output

import autodiff as ad
from autodiff.draw import THEMES, draw, explain, fingerprint, painted
from autodiff.draw.explaining import paths
from autodiff.draw.graph.walk import walk
from autodiff.draw.words.counts import count_text
from notebooks.execute import drawing_faults, is_drawing
from tests.draw.lessons import Tensor as Reader
from tests.draw.lessons import order
from tests.draw.readers import Tensor, below, face, made, mark
from tests.draw.test_drawing import stored_svg

ROOT = Path(__file__).resolve().parents[2]

TWO_PATHS = """\
2 paths lead from e back to a

path              local slopes           in numbers  product
e <- d <- b <- a  ∂e/∂d · ∂d/∂b · ∂b/∂a  4 · 1 · 3        12
e <- c <- a       ∂e/∂c · ∂c/∂a          10 · 1           10
together                                 12 + 10          22
a.grad                                                    {}"""

SIX_PATHS = """\
6 paths lead from y back to x

path                       local slopes                         in numbers             product
y <- h <- 1st x            ∂y/∂h · ∂h/∂(1st x)                  1 · 2                        2
y <- h <- 2nd x            ∂y/∂h · ∂h/∂(2nd x)                  1 · 2                        2
y <- v2 <- 1st h <- 1st x  ∂y/∂v2 · ∂v2/∂(1st h) · ∂h/∂(1st x)  1 · 4 · 2                    8
y <- v2 <- 1st h <- 2nd x  ∂y/∂v2 · ∂v2/∂(1st h) · ∂h/∂(2nd x)  1 · 4 · 2                    8
y <- v2 <- 2nd h <- 1st x  ∂y/∂v2 · ∂v2/∂(2nd h) · ∂h/∂(1st x)  1 · 4 · 2                    8
y <- v2 <- 2nd h <- 2nd x  ∂y/∂v2 · ∂v2/∂(2nd h) · ∂h/∂(2nd x)  1 · 4 · 2                    8
together                                                        2 + 2 + 8 + 8 + 8 + 8       36
x.grad                                                                                       -"""

DOUBLINGS = """\
1,048,576 (2^20) paths lead from y back to x: too many to list

from  nodes             paths
v1        2                 2
v2        3                 4
v4        5          16 (2^4)
v8        9         256 (2^8)
v16      17     65,536 (2^16)
y        21  1,048,576 (2^20)

Path by path: 20,971,520 local slopes to multiply.
Walking back: 40, one on each arrow.
The gradient that arrives: 1,048,576."""


def graph_22(kind):
    a = kind(2)
    b = a * kind(3)
    c = a + kind(2)
    d = b + kind(4)
    return SimpleNamespace(a=a, b=b, c=c, d=d, e=c * d)


def doubled(kind, times):
    x = kind(1)
    y = x
    for _ in range(times):
        y = y + y
    return x, y


# -- the table --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [ad.Tensor, Tensor])
def test_the_22_is_12_and_10(kind):
    g = graph_22(kind)
    a, b, c, d, e = g.a, g.b, g.c, g.d, g.e  # noqa: F841 - the names are read from here
    shown = explain(e, a)
    assert repr(shown) == str(shown) == shown.text == TWO_PATHS.format(" -")
    assert (shown.count, shown.products, shown.gradient) == (2, (12.0, 10.0), 22.0)
    assert a.grad is None, "explain walks back by itself and touches no gradient"


def test_the_sum_is_the_gradient_after_a_walk_back():
    g = graph_22(ad.Tensor)
    a, b, c, d, e = g.a, g.b, g.c, g.d, g.e  # noqa: F841
    e.backward()
    assert repr(explain(e, a)) == TWO_PATHS.format("22")


@pytest.mark.parametrize("kind", [ad.Tensor, Tensor])
def test_a_shared_node_that_is_no_leaf(kind):
    x = kind(2)
    h = x * x
    y = h + h * h
    assert repr(explain(y, x)) == SIX_PATHS


def test_contributions_stand_in_the_order_in_which_a_reader_s_walk_adds_them():
    x = Reader(3.0)
    h = x * Reader(2.0)
    y = h + x * Reader(5.0)
    users = [node for node in reversed(order(y)) if node.creators and node.creators[0] is x]
    assert explain(y, x).products == tuple(node.creators[1].data for node in users) == (5.0, 2.0)


def test_one_path_needs_no_sum():
    x = ad.Tensor(5)
    y = 3 * x
    assert repr(explain(y, x)).splitlines() == [
        "1 path leads from y back to x",
        "",
        "path    local slopes  in numbers  product",
        "y <- x  ∂y/∂x         3                 3",
        "x.grad                                  -",
    ]


def test_from_an_interior_node():
    x = ad.Tensor(2)
    h = x * x
    y = h + h * h
    assert explain(y, h).products == (1.0, 4.0, 4.0)
    assert explain(y, y).products == (1.0,)
    assert below(explain(y, y)) == ["y 1"]


def test_negative_contributions_are_subtracted():
    x = ad.Tensor(2)
    y = x * x - 3 * x
    shown = explain(y, x)
    assert shown.products == (-3.0, 2.0, 2.0)
    assert "-3 + 2 + 2" in repr(shown)
    z = 3 * (-x) + x * x
    assert "2 + 2 - 3" in repr(explain(z, x))


def test_a_long_path_leaves_its_middle_out():
    x = ad.Tensor(2)
    y = x
    for _ in range(2_000):
        y = y + 1
    lines = repr(explain(y, x)).splitlines()
    assert lines[3].startswith("y <- v1999 <- v1998 <- v1997 <- ... 1,995 more ... <- v1 <- x  ∂y/∂v1999 · ")
    assert len(lines[3]) < 200


def test_constants_that_want_no_gradient_are_on_no_path():
    x, w = ad.Tensor(2, requires_grad=False), ad.Tensor(3)
    y = (x * w) * (x + w)
    assert explain(y, w).gradient == 2 * 5 + 6


def test_sums_of_many_products_say_how_many():
    x = ad.Tensor(2)
    y = x
    for _ in range(8):
        y = y + x
    shown = explain(y, x)
    assert (shown.count, shown.gradient) == (9, 9)
    assert "the sum of 9" in repr(shown)


@pytest.mark.parametrize("seed", range(20))
def test_the_sum_is_what_backward_finds_on_random_graphs(seed):
    rng = np.random.default_rng(seed)
    a = ad.Tensor(rng.normal())
    nodes = [a, ad.Tensor(rng.normal())]
    for _ in range(7):
        x, y = (nodes[i] for i in rng.integers(0, len(nodes), 2))
        nodes.append(
            [lambda x, y: x + y, lambda x, y: x * y, lambda x, y: (x - y).tanh()][rng.integers(3)](x, y)
        )
    e = nodes[-1] * (nodes[-2] + a)
    shown = explain(e, a, limit=10_000)
    e.backward()
    assert shown.count == len(shown.products) == paths.find(e, a).count
    assert shown.gradient == pytest.approx(float(a.grad), rel=1e-9, abs=1e-12)


def test_it_works_inside_no_grad():
    g = graph_22(ad.Tensor)
    with ad.no_grad():
        assert explain(g.e, g.a).gradient == 22


# -- a gradient that is not the sum -----------------------------------------------------------------------


def test_a_second_walk_back_is_noticed():
    g = graph_22(ad.Tensor)
    a, e = g.a, g.e
    e.backward()
    e.backward()
    assert repr(explain(e, a)).splitlines()[-3:] == [
        "a.grad is 44, and the paths give 22:",
        "e.grad is 2, not 1, and all behind it is 2 times as much.",
        "Gradients add up over walks back: clear them before the next one.",
    ]


def test_one_path_alone_is_noticed():
    g = graph_22(Tensor)
    a, b, c, d, e = g.a, g.b, g.c, g.d, g.e  # noqa: F841
    e.grad, a.grad = 1, 12
    shown = explain(e, a)
    assert repr(shown).splitlines()[-1] == "e <- d <- b <- a alone gives 12. What arrives has to be added up."
    assert "<pre style=" in shown._repr_mimebundle_()[0]["text/html"], "the picture does not say it"


def test_another_wrong_gradient_sends_on_to_compare():
    g = graph_22(Tensor)
    a, e = g.a, g.e
    a.grad = 13
    assert repr(explain(e, a)).endswith("then compare(e) says more.")


# -- many paths -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [ad.Tensor, Tensor])
def test_too_many_paths_are_counted_against_the_nodes(kind):
    x, y = doubled(kind, 20)
    shown = explain(y, x)
    assert repr(shown) == DOUBLINGS
    assert (shown.count, shown.products, shown.gradient) == (2**20, (), 2**20)


def test_the_limit_is_the_reader_s():
    x, y = doubled(ad.Tensor, 3)
    assert "too many" not in repr(explain(y, x))
    assert "too many" in repr(explain(y, x, limit=7))
    assert "too many" not in repr(explain(y, x, limit=8))


def test_a_deep_graph_is_counted_at_once():
    x, y = doubled(ad.Tensor, 3_000)
    shown = explain(y, x)
    assert repr(shown).startswith("about 10^903 paths lead from y back to x: too many to list")
    assert abs(shown.count - 2**3000) < 2**3000 // 10**50, "rounded to 60 digits"


def test_counts_in_words():
    counts = [1, 8, 16, 10**14 + 1, 2**100, 3**50, 10**40]
    assert [count_text(Decimal(count)) for count in counts] == [
        "1", "8", "16 (2^4)", "100,000,000,000,001", "2^100", "about 7 * 10^23", "about 10^40",
    ]  # fmt: skip


def test_listing_gives_as_many_as_were_counted():
    x, y = doubled(ad.Tensor, 6)
    found = paths.find(y, x)
    ways = paths.listed(found)
    assert len(ways) == len(set(ways)) == found.count == 64
    assert sum(map(len, ways)) == found.steps[found.end]


# -- arrays -----------------------------------------------------------------------------------------------


def test_arrays_show_their_shapes():
    W = ad.Tensor(np.ones((3, 4)))
    x = ad.Tensor(np.ones((2, 3)))
    h = (x @ W).tanh()
    loss = (h * (x @ W)).sum()
    shown = explain(loss, W)
    lines = repr(shown).splitlines()
    assert lines[0] == "2 paths lead from loss back to W"
    assert [re.split(r"\s{2,}", line) for line in lines[2:6]] == [
        ["path", "shapes"],
        ["loss <- v5 <- v4 <- W", "() <- (2, 4) <- (2, 4) <- (3, 4)"],
        ["loss <- v5 <- h <- v2 <- W", "() <- (2, 4) <- (2, 4) <- (2, 4) <- (3, 4)"],
        ["W.grad", "-"],
    ]
    assert (
        lines[-1]
        == "Each path passes back a contribution of W's shape (3, 4); together they are the gradient."
    )
    assert (shown.count, shown.products, shown.gradient) == (2, (), None)
    loss.backward()
    assert re.search(r"^W.grad +\(3, 4\)$", repr(explain(loss, W)), re.MULTILINE)
    assert shown.svg is not None


# -- the picture ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", ["compact", "spread"])
def test_each_path_has_its_colour(style):
    g = graph_22(ad.Tensor)
    a, e = g.a, g.e
    shown = explain(e, a, style=style)
    places = walk(e).index
    i = {name: places[id(node)] for name, node in vars(g).items()}
    for head, place, ink, slope in [("b", 0, "path0", 3), ("d", 0, "path0", 1), ("e", 1, "path0", 4),
                                    ("c", 0, "path1", 1), ("e", 0, "path1", 10)]:  # fmt: skip
        look = mark(shown, i[head], place)
        assert (look.inks, look.label.text, look.label.ink) == ((ink,), str(slope), ink)
    assert mark(shown, i["b"], 1).inks == ("line",), "the other operand is on no path"
    assert mark(shown, i["e"], "result").inks == ("path0", "path1"), "both paths begin at e"
    assert mark(shown, i["b"], "result").inks == ("path0",)


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_the_colours_are_those_of_the_theme(theme):
    x = ad.Tensor(3)
    y = x * x
    svg = explain(y, x, theme=theme).svg
    for side in {"auto": ("light", "dark")}.get(theme, (theme,)):
        for colour in THEMES[side].paths[:2]:
            assert f"stroke:{colour}" in svg
            assert f"fill:{colour}" in svg, "the row of the table has the colour of its path"


def test_two_arrows_to_the_same_operand_are_told_apart():
    x = ad.Tensor(3)
    y = x * x
    shown = explain(y, x)
    assert [mark(shown, 1, place).inks for place in (0, 1)] == [("path0",), ("path1",)]


def test_a_shared_arrow_has_the_lines_of_all_its_paths():
    x = ad.Tensor(2)
    h = x * x
    y = h + h * h
    shown = explain(y, x)
    v2 = mark(shown, 3, 1)
    assert v2.inks == ("path2", "path3", "path4", "path5")
    assert v2.label.ink == "soft", "its slope belongs to all of them"
    assert [weight for _, weight, _ in v2.lines] == [2.0] * 4
    assert sum(aside for _, _, aside in v2.lines) == 0, "they lie side by side around the middle"


def test_the_table_below_tells_the_products():
    g = graph_22(ad.Tensor)
    a, b, c, d, e = g.a, g.b, g.c, g.d, g.e  # noqa: F841
    shown = explain(e, a)
    assert below(shown) == [
        "e ← d ← b ← a ∂e/∂d · ∂d/∂b · ∂b/∂a = 4 · 1 · 3 = 12",
        "e ← c ← a ∂e/∂c · ∂c/∂a = 10 · 1 = 10",
        "together 12 + 10 = 22",
    ]
    assert [ink for _, ink in shown._composed[1].table] == ["path0", "path1", "page"]
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", shown.svg)
    for text in ("4 · 1 · 3 =", "10 · 1 =", "12 + 10 =", "e ← d ← b ← a", "together", "22"):
        assert text in texts


def test_a_negative_factor_is_in_parentheses():
    x = ad.Tensor(2)
    h = -x
    y = -h * 3
    assert "3 · (-1) · (-1)" in repr(explain(y, x))


def test_unnamed_nodes_on_a_path_are_labelled():
    x = ad.Tensor(2)
    h = x * x
    y = h + h * h
    assert face(explain(y, x), "n2").title == "v2 = h × h"
    assert face(explain(y, x, style="spread"), "n2").title == "v2"


def test_nodes_beside_the_paths_keep_their_names():
    x, side = ad.Tensor(2), ad.Tensor(3)
    y = x * side
    assert ">side</" in explain(y, x).svg


def test_boxes_are_those_of_draw():
    g = graph_22(ad.Tensor)
    a, b, c, d, e = g.a, g.b, g.c, g.d, g.e  # noqa: F841
    for style in ("compact", "spread"):
        assert explain(e, a, style=style)._composed[1].faces == {
            **draw(e, style=style)._composed[1].faces,
        }
        assert explain(e, a, style=style)._composed[0] == draw(e, style=style)._composed[0]


def test_it_keeps_no_tensor_alive():
    import gc
    import weakref

    def explained():
        x = ad.Tensor(2)
        y = x * x
        return explain(y, x), weakref.ref(y)

    shown, alive = explained()
    gc.collect()
    assert alive() is None
    assert shown.svg


def test_a_large_graph_shows_a_part_and_says_so():
    x, y = doubled(ad.Tensor, 20)
    shown = explain(y, x)
    assert below(shown)[-1] == "shown are the last 4 of the 21 nodes on them"
    assert len(shown._composed[0].boxes) == 5
    assert {mark(shown, i, place).inks for i in range(17, 21) for place in (0, 1)} == {("path0",)}


def test_the_bundle_of_a_notebook():
    g = graph_22(ad.Tensor)
    a, b, c, d, e = g.a, g.b, g.c, g.d, g.e  # noqa: F841
    shown = explain(e, a)
    bundle, metadata = shown._repr_mimebundle_(include=None, exclude=None)
    assert set(bundle) == {"text/plain", "text/html", "image/svg+xml"}
    assert bundle["text/plain"] == shown.text
    assert metadata == {"autodiff": fingerprint(shown.text)}
    assert (
        '<img alt="2 paths lead from e back to a; e &lt;- d &lt;- b &lt;- a: 4 · 1 · 3 = 12; '
        in bundle["text/html"]
    )
    assert f"<desc>autodiff:{fingerprint(shown.text)}</desc>" in stored_svg(bundle["text/html"])
    assert len(bundle["text/html"]) < 25_000


def test_where_the_picture_is_not_enough_the_text_stands_below():
    x, y = doubled(ad.Tensor, 20)
    html = explain(y, x)._repr_mimebundle_()[0]["text/html"]
    assert html.count("<img") == 1
    assert '<pre style="font-family:monospace">1,048,576 (2^20) paths lead from y' in html


def test_a_stored_notebook_is_held_to_its_picture():
    g = graph_22(ad.Tensor)
    bundle, metadata = explain(g.e, g.a)._repr_mimebundle_()
    output = new_output("display_data", bundle, metadata=metadata)
    assert is_drawing(output)
    assert list(drawing_faults(output)) == []
    stale = new_output("display_data", {**bundle, "text/plain": "another"}, metadata=metadata)
    assert [fault[:20] for fault in drawing_faults(stale)] == ["the picture is stale"]
    bare = new_output("display_data", {"text/plain": bundle["text/plain"]}, metadata=metadata)
    assert is_drawing(bare)
    assert "has no picture" in next(drawing_faults(bare))


def test_without_a_layout_the_text_says_it_all(no_layout):
    g = graph_22(ad.Tensor)
    shown = explain(g.e, g.a)
    bundle, metadata = shown._repr_mimebundle_()
    assert bundle == {"text/plain": shown.text}
    assert set(metadata) == {"autodiff"}


def test_a_repr_never_raises(monkeypatch):
    g = graph_22(ad.Tensor)
    shown = explain(g.e, g.a)
    monkeypatch.setattr(painted, "image", lambda *a: 1 / 0)
    assert shown._repr_mimebundle_()[0] == {"text/plain": shown.text}


def test_save(tmp_path):
    g = graph_22(ad.Tensor)
    shown = explain(g.e, g.a, direction="TB")
    for name, begins in [("e.svg", b"<svg "), ("e.png", b"\x89PNG"), ("e.dot", b"digraph")]:
        shown.save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(begins)
    assert "rankdir=TB" in (tmp_path / "e.dot").read_text(encoding="utf-8").replace('"', "")


def test_it_is_the_same_in_every_run():
    program = (
        "import autodiff as ad\nx = ad.Tensor(2)\nh = x * x\ny = h + h * h\n"
        "shown = ad.explain(y, x)\nprint(shown)\nprint(shown.dot)\nprint(shown.svg)"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
        ).stdout
        for _ in range(2)
    }
    assert len(said) == 1
    assert said.pop().startswith(SIX_PATHS)


# -- errors -----------------------------------------------------------------------------------------------


def test_a_node_that_is_not_behind_the_end():
    a, other = ad.Tensor(2), ad.Tensor(7)
    e = a * a
    with pytest.raises(
        ValueError, match=r"no path leads from e \(4\) back to other \(7\): e was not computed"
    ):
        explain(e, other)
    with pytest.raises(
        ValueError, match=r"back to the Tensor that holds 5: e was not computed from the second"
    ):
        explain(e, ad.Tensor(5))


def test_the_wrong_way_round():
    a = ad.Tensor(2)
    e = a * a
    with pytest.raises(
        ValueError, match=r"e \(4\) was computed from a \(2\): give explain the result first, then a"
    ):
        explain(a, e)


def test_a_lone_leaf():
    a, b = Tensor(2), Tensor(3)
    for target in (a, b):
        with pytest.raises(ValueError, match=r"a \(2\) is a leaf: nothing is recorded behind it"):
            explain(a, target)


def test_a_constant():
    a = ad.Tensor(2)
    c = ad.Tensor(3, requires_grad=False)
    e = a * c
    with pytest.raises(ValueError, match=r"c \(3\) is a constant \(requires_grad=False\)"):
        explain(e, c)


@pytest.mark.parametrize("thing", [3, None, "a", [1.0]])
def test_what_is_no_node(thing):
    a = ad.Tensor(2)
    with pytest.raises(
        TypeError, match=r"explain needs the end of a calculation: a Tensor, or an object with data"
    ):
        explain(thing, a)
    with pytest.raises(TypeError, match="explain needs a Tensor that the end was computed from"):
        explain(a * a, thing)
    with pytest.raises(TypeError, match="Tensor is a class"):
        explain(ad.Tensor, a)


def test_an_operation_that_the_package_does_not_know():
    x = Tensor(2.0)
    y = made("cube", 8.0, x)
    with pytest.raises(
        ValueError, match=r"no slopes are known for the operation cube of the node that holds 8: no"
    ):
        explain(y, x)


def test_bad_options():
    x = ad.Tensor(2)
    y = x * x
    with pytest.raises(ValueError, match="limit is the number of paths to list at most, 1 or more, not 0"):
        explain(y, x, limit=0)
    for limit in (2.5, True, "all"):
        with pytest.raises(TypeError, match=f"an int, not {limit}"):
            explain(y, x, limit=limit)
    with pytest.raises(ValueError, match=r"unknown direction .*LR, TB"):
        explain(y, x, direction="up")
    with pytest.raises(ValueError, match=r"unknown style 'loose'"):
        explain(y, x, style="loose")
    with pytest.raises(ValueError, match=r"unknown theme 'neon'"):
        explain(y, x, theme="neon")


def test_readers_tensors_are_never_compared():
    x = Tensor(2)
    assert explain(x + x, x).gradient == 2, "Tensor.__eq__ and __bool__ would have raised"
