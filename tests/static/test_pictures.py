"""Drawings of static graphs: shapes before a run, values after it."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import static


@pytest.fixture(autouse=True)
def graph():
    with static.Graph("the test's graph") as graph:
        yield graph


def test_before_a_run_shapes_are_shown():
    x = static.placeholder((None, 3))
    w = static.Variable(np.zeros((3, 2)), name="weights")
    h = static.tanh(x @ w + 1)
    free = static.placeholder()
    loss = static.reduce_sum(h * free)
    text = str(ad.draw(loss))
    assert [line.split() for line in text.splitlines()] == [
        ["node", "data", "grad"],
        ["x", "(?,", "3)", "-"],
        ["weights", "(3,", "2)", "-"],
        ["v2", "=", "x", "@", "weights", "(?,", "2)", "-"],
        ["v3", "=", "v2", "+", "1", "(?,", "2)", "-"],
        ["h", "=", "tanh(v3)", "(?,", "2)", "-"],
        ["free", "-", "-"],
        ["v6", "=", "h", "*", "free", "-", "-"],
        ["loss", "=", "sum(v6)", "()", "-"],
    ]


def test_after_a_run_values_are_shown():
    x, w = static.placeholder((2,)), static.Variable(3.0)
    unused = x + 1
    y = static.reduce_sum(x * w)
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        session.run(y, {x: [1.0, 2.0]})
        session.run([w, y.inputs[0]], {x: [5.0, 6.0]})
        session.run(y, {x: [1.0, 2.0]})
        session.run(w)  # which computes nothing
    assert [" ".join(line.split()) for line in str(ad.draw(y)).splitlines()] == [
        "node data grad", "x [1, 2] -", "w 3 -", "v2 = x * w [3, 6] -", "y = sum(v2) 9 -",
    ]  # fmt: skip
    assert "(2,)" in str(ad.draw(unused))  # the run did not need it


def test_a_training_step_shows_its_gradients_and_what_it_changes():
    x, w = static.placeholder(()), static.Variable(5.0)
    loss = (x - w) ** 2
    step = static.GradientDescentOptimizer(0.25).minimize(loss)
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        session.run(step, {x: 2.0})
        assert session.run(w) == 3.5
    lines = [" ".join(line.split()) for line in str(ad.draw(step)).splitlines()]
    assert lines == [
        "node data grad",
        "w 5 -",  # from before the step
        "x 2 -",
        "v2 = x - w -3 -",
        "loss = v2 ** 2 9 -",
        "v4 = gradient(loss, w) 6 -",
        "v5 = 0.25 * v4 1.5 -",
        "v6 = w - v5 3.5 -",
        "v7 = assign(w, v6) 3.5 -",
        "step = group(v7) - -",
    ]


def test_a_drawing_keeps_the_moment_and_computes_no_side_effect():
    w = static.Variable(1.0)
    grow = static.assign_add(w, 1)
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        session.run(grow)
        first = ad.draw(grow)
        text = str(first)
        assert session.run(w) == 2.0
        session.run(grow)
        assert str(first) == text
        assert str(ad.draw(grow)) != text
        assert session.run(w) == 3.0


def test_given_names_win_and_automatic_names_give_way():
    named = static.placeholder(name="pictures")
    other = static.placeholder()
    total = named + other
    first_words = [line.split()[0] for line in str(ad.draw(total)).splitlines()]
    assert first_words == ["node", "pictures", "other", "total"]


@pytest.mark.parametrize("options", [
    {}, {"slopes": True}, {"slopes": "symbol"}, {"show": ("data", "shape", "dtype", "statistics")},
    {"constants": "shown"}, {"arrows": "both"}, {"highlight": "x"}, {"fold": True}, {"limit": 2},
    {"depth": 0},
])  # fmt: skip
@pytest.mark.parametrize("is_run", [False, True])
def test_every_option_works_before_and_after_a_run(options, is_run):
    x = static.placeholder((None, 3))
    w = static.Variable(np.ones((3, 2)))
    loss = static.reduce_sum(static.square(x @ w * np.ones(2)))
    step = static.AdamOptimizer(0.1).minimize(loss)
    if is_run:
        with static.Session() as session:
            session.run(static.global_variables_initializer())
            session.run(step, {x: np.ones((4, 3))})
    for node in (loss, step):
        drawing = ad.draw(node, **options)
        assert str(drawing)
        assert "n0" in drawing.dot or "limit" in options or "fold" in options
        assert drawing.mermaid
        assert drawing.description


def test_the_shape_column_has_unknown_sizes():
    x = static.placeholder((None, 3))
    assert "(?, 3)" in str(ad.draw(x * 2, show="shape"))


def test_a_deep_graph_folds_before_a_run():
    h = static.placeholder((None, 2), name="x")
    for k in range(500):
        h = static.tanh(h @ static.Variable(np.ones((2, 2)), name=f"w{k}"))
    text = str(ad.draw(h))
    assert "nodes, folded into" in text


def test_a_film_of_a_run():
    a = static.placeholder(name="a")
    e = (a + 2) * (3 * a + 4)
    static.Session().run(e, {a: 2.0})
    assert "∂e/∂v1" in str(ad.film(e))
