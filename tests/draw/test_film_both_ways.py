"""Films of tangents going forward and gradients coming back, and films with the code beside the graph."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import autodiff as ad
from autodiff.draw import film
from autodiff.draw.filming.states import NOT_YET, Screen
from autodiff.draw.filming.tangents import motion
from autodiff.draw.graph.walk import walk
from tests.draw.readers import Tensor as Mine

BOTH_22 = """\
step  operation  what moves, and what arrives
   1  start      tangent of a = 1
   2  c = a + 2  tangent of c = ∂c/∂a · tangent of a = 1 · 1 = 1
   3  b = a * 3  tangent of b = ∂b/∂a · tangent of a = 3 · 1 = 3
   4  d = b + 4  tangent of d = ∂d/∂b · tangent of b = 1 · 3 = 3
   5  e = c * d  tangent of e = ∂e/∂c · tangent of c + ∂e/∂d · tangent of d = 10 · 1 + 4 · 3 = 22
   6  way back   ∂e/∂e = 1
   7  e = c * d  ∂e/∂c += ∂e/∂e · ∂e/∂c = 1 · 10 = 10
                 ∂e/∂d += ∂e/∂e · ∂e/∂d = 1 · 4 = 4
   8  d = b + 4  ∂e/∂b += ∂e/∂d · ∂d/∂b = 4 · 1 = 4
   9  b = a * 3  ∂e/∂a += ∂e/∂b · ∂b/∂a = 4 · 3 = 12
  10  c = a + 2  ∂e/∂a += ∂e/∂c · ∂c/∂a = 10 · 1 = 10; 12 + 10 = 22
  11  both meet  ∂e/∂a · move of a = 22 · 1 = 22 = tangent of e"""


def f(a):
    """The graph of the lessons.

    No picture needs its docstring.
    """
    b = a * 3
    c = a + 2
    d = b + 4
    return c * d


def texts(svg):
    return [text.text for text in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def states(told):
    return Screen(told._story, told._look).states()


# -- tangents ----------------------------------------------------------------------------------------------


def test_both_ways_in_words():
    a = ad.Tensor(2)
    b = a * 3
    c = a + 2
    d = b + 4
    e = c * d
    assert film(e, moves={a: 1.0}).text == film(e, moves={"a": 1}).text == BOTH_22
    assert (a._grad, e._grad) == (None, None)
    words = [step.words for step in film(e, moves={a: 1.0})._story.steps]
    assert words[0] == (
        "A tangent says how fast a number moves. a moves at 1. On each edge: local slope · tangent."
    )
    assert words[4] == "e moves because c and d move: 10 · 1 + 4 · 3 = 22."
    assert words[-1].startswith("Both ways give the same number. Forward, e moves at 22. Backward, ")


def test_tangents_alone():
    a, k = ad.Tensor(2, name="a"), ad.Tensor(5, name="k")
    e = a * k + k
    e.name = "e"
    told = film(e, moves={a: 0.5}, direction="forward")
    assert told.text.splitlines()[1:] == [
        "   1  start       tangent of a = 0.5",
        "   2  v2 = a * k  tangent of v2 = ∂v2/∂a · tangent of a = 5 · 0.5 = 2.5",
        "   3  e = v2 + k  tangent of e = ∂e/∂v2 · tangent of v2 = 1 · 2.5 = 2.5",
    ]
    rows = {row.label for row in states(told)[-1].faces["n1"].rows}
    assert rows == {"data"}, "k does not move"


def test_the_picture_of_both_ways():
    a = ad.Tensor(2, name="a")
    told = film(f(a), moves={a: 1.0})
    seen = states(told)
    a_at = [{row.label: row.text for row in state.faces["n0"].rows} for state in seen]
    assert a_at[0] == {"data": "2", "tangent": "1", "grad": NOT_YET}
    assert a_at[-1] == {"data": "2", "tangent": "1", "grad": "22"}
    end = [state.faces[f"n{len(told._story.nodes) - 1}"] for state in seen]
    assert [face.badge for face in end] == [""] * 4 + ["10 + 12"] + [""] * 6, (
        "on the way back it would seem to be a gradient's"
    )
    assert [state.faces["n0"].badge for state in seen] == [""] * 9 + ["12 + 10"] * 2
    ways = [{mark.way for mark in state.marks.values() if mark.weight > 2} for state in seen]
    assert ways == [set(), *[{"forward"}] * 4, set(), *[{"backward"}] * 4, set()]
    assert {sheet[:2] for sheet in told._sheets} == {told._sheets[0][:2]}


X = np.array([[0.5, -1.0, 2.0], [1.0, 0.3, -0.7]])


@pytest.mark.parametrize(
    "g",
    [
        lambda x: x.exp(),
        lambda x: x.T @ X,
        lambda x: x @ X.T @ x,
        lambda x: ad.softmax(x) * 2,
        lambda x: x.reshape(3, 2) ** 3,
        lambda x: ad.maximum(x, 0.2) + x[0],
        lambda x: ad.cumsum(x) - x.mean(),
        lambda x: ad.logsumexp(x) * x * x,
        lambda x: ad.concatenate([x, x * 2]),
    ],
)
def test_the_tangents_are_those_of_forward_mode(g):
    move = np.array([[1.0, 2.0, -1.0], [0.0, 0.5, 3.0]])
    x = ad.Tensor(X, name="x")
    y = (g(x) * np.e).sum()
    y.name = "y"
    given = walk(y).index[id(x)]
    tangents = motion(walk(y), {given: move}).tangents
    _, expected = ad.jvp(lambda x: (g(x) * np.e).sum(), (X,), (move,))
    assert np.allclose(tangents[walk(y).end], expected.data)
    told = film(y, moves={x: move})
    assert re.search(r"both meet +sum\(∂y/∂x · move of x\) = .* = tangent of y$", told.text)
    y.backward()
    assert np.isclose((x.grad.data * move).sum(), expected.data)


def test_several_moves_meet_in_one_number():
    a, b = ad.Tensor(2.0, name="a"), ad.Tensor(-3.0, name="b")
    y = a * b
    y.name = "y"
    told = film(y, moves={a: 1.0, b: 10.0})
    assert told.text.endswith("∂y/∂a · move of a + ∂y/∂b · move of b = -3 · 1 + 2 · 10 = 17 = tangent of y")


def test_a_reader_s_own_class_moves_too():
    a = Mine(2.0)
    b = a * a
    told = film(b, moves={"a": 1.0})
    assert (
        "tangent of b = ∂b/∂(1st a) · tangent of a + ∂b/∂(2nd a) · tangent of a = 2 · 1 + 2 · 1 = 4"
        in told.text
    )


def test_a_rule_of_one_s_own_moves_by_itself():
    @ad.operation(kind="elementwise")
    def staircase(x):
        return np.round(x)

    staircase.backward(lambda grad, z, x: grad)
    x = ad.Tensor(1.6, name="x")
    y = staircase(x)
    y.name = "y"
    told = film(y, moves={x: 3.0}).text
    assert "tangent of y = 3" in told
    assert "∂y/∂x · tangent" not in told


def test_a_number_moves_all_elements():
    w = ad.Tensor([1.0, 2.0], name="w")
    y = (w * w).sum()
    assert film(y, moves={w: 1}).text == film(y, moves={w: [1, 1]}).text


def test_moves_in_a_window():
    a = ad.Tensor(2, name="a")
    told = film(f(a), moves={a: 1.0}, last=1)
    assert "tangent of v4 = " in told.text
    assert "both meet" not in told.text, "a is not shown"


@pytest.mark.parametrize(
    ("moves", "error", "says"),
    [
        (lambda w: {}, TypeError, "moves says how fast Tensors of the graph move, as a dict"),
        (lambda w: [w], TypeError, "moves says how fast"),
        (lambda w: {"v": 1.0}, ValueError, "moves has 'v', which is not in the graph"),
        (lambda w: {ad.Tensor(3.0): 1.0}, ValueError, "moves has '3', which is not in the graph"),
        (
            lambda w: {w: [1.0, 2.0, 3.0]},
            ValueError,
            r"the move of .* has the shape \(3,\), and .* has \(2,\)",
        ),
        (lambda w: {"w": "fast"}, TypeError, "the move of w is fast: give a number or an array"),
    ],
)
def test_moves_that_are_none(moves, error, says):
    w = ad.Tensor([1.0, 2.0], name="w")
    with pytest.raises(error, match=says):
        film((w * 2).sum(), moves=moves(w))


# -- the code beside it ------------------------------------------------------------------------------------


def test_the_line_at_work_is_lit():
    a = ad.Tensor(2)
    e = f(a)
    told = film(e, source=f)
    assert told._source.code == (
        "def f(a):",
        *(f"    {line}" for line in ("b = a * 3", "c = a + 2", "d = b + 4", "return c * d")),
    )
    lit = [told._source.lines.get(step.active) for step in told._story.steps]
    assert lit == [None, 4, 3, 1, 2]
    assert [step.title for step in told._story.steps[1:]] == [
        "e = c * d",
        "d = b + 4",
        "b = a * 3",
        "c = a + 2",
    ]
    assert "return c * d" in texts(told.frames[0])
    assert told.frames[1].count("<rect") == told.frames[0].count("<rect") + 3, "two labels, and the line"


def test_a_function_is_filmed_with_the_caller_s_variables():
    a = ad.Tensor(2)
    told = film(f)
    assert told.text.splitlines()[-1].endswith("∂v4/∂a += ∂v4/∂c · ∂c/∂a = 10 · 1 = 10; 12 + 10 = 22")
    assert told._source.code[0] == "def f(a):"
    assert film(f, moves={a: 1.0}).text.endswith("22 · 1 = 22 = tangent of v4")
    a = 2.0
    assert film(f).text == told.text, "a number becomes a Tensor"
    assert film(f, moves={"a": 1.0}, direction="forward").text.endswith("10 · 1 + 4 · 3 = 22")


def test_a_function_without_its_variables():
    with pytest.raises(ValueError, match=r"film calls f .* nothing named 'a' for its parameter"):
        film(f)
    with pytest.raises(TypeError, match="film needs the end of a calculation"):
        film(lambda: 3)


def test_the_code_stands_beside_in_every_form(tmp_path):
    pytest.importorskip("PIL.Image")
    a = ad.Tensor(2)
    e = f(a)
    told = film(e, source=f)
    told.save(tmp_path / "e.svg")
    text = (tmp_path / "e.svg").read_text("utf-8")
    assert text.count("return c * d") == 1
    assert "monospace" in text
    told.save(tmp_path / "e.gif")
    told.save(tmp_path / "e.html")
    sizes = {sheet[:2] for sheet in told._sheets}
    assert len(sizes) == 1
    assert len(told._repr_mimebundle_()[0]["text/html"]) < 40_000


def test_wide_graphs_have_the_code_above():
    def g(x):
        for _ in range(8):
            x = x * 1.5
        return x

    x = ad.Tensor(1.0, name="x")
    told = film(g(x), source=(g, x))
    code, *graph = (
        float(found[1])
        for found in (
            re.search(rf'y="([\d.]+)">{re.escape(word)}<', told.frames[0]) for word in ("return x", "x")
        )
    )
    assert code < graph[0]
    lines = [told._source.lines.get(step.active) for step in told._story.steps]
    assert lines == [None, *[2] * 8]


def test_the_function_may_be_a_part_of_what_is_filmed():
    x, w = ad.Tensor([1.0, 2.0], requires_grad=False), ad.Tensor([3.0, 4.0])

    def model(x, w):
        h = x * w
        return ad.tanh(h)

    loss = ((model(x, w) - 1) ** 2).sum()
    told = film(loss, source=model)
    titles = {step.title: told._source.lines.get(step.active) for step in told._story.steps}
    assert titles["h = x * w"] == 1
    assert [line for title, line in titles.items() if "tanh" in title] == [2]
    assert titles["loss = sum(v5)"] is None


def test_methods_and_layers_have_code_too():
    class Net(ad.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = ad.nn.Parameter(3.0)

        def forward(self, x):
            return x * self.w

    net, x = Net(), ad.Tensor(2.0, name="x")
    for source in ((net, x), (net.forward, x), net.forward):
        told = film(net(x), source=source)
        assert told._source.code[0] == "def forward(self, x):"
        assert told._source.lines.get(told._story.steps[1].active) == 1


@pytest.mark.parametrize(
    ("source", "error", "says"),
    [
        (3, TypeError, "source is the function that computed what is filmed"),
        (len, TypeError, "source is the function that computed what is filmed"),
        (
            lambda missing: missing * 2,
            ValueError,
            "nothing named 'missing' for its parameter: give the arguments",
        ),
        ((lambda x: x + 1, 2.0), ValueError, "computes another graph than the one that is filmed"),
        (eval("lambda x: x * 2"), ValueError, "the code of <lambda> cannot be read"),
    ],
)
def test_sources_that_are_none(source, error, says):
    x = ad.Tensor(2.0)
    with pytest.raises(error, match=says):
        film(x * 2, source=source)
