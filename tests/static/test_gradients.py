"""Gradients as nodes: of any order, by any node, inside losses; and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff as ad
from autodiff import static
from tests.engine.ops.cases import examples


@pytest.fixture(autouse=True)
def graph():
    with static.Graph("the test's graph") as graph:
        yield graph


def test_gradients_make_nodes_and_a_list(graph):
    x, y = static.placeholder(name="x"), static.Variable(7.0, name="y")
    slopes = static.gradients(x * y, [x, y])
    assert [slope.graph for slope in slopes] == [graph, graph]
    assert repr(slopes[1]) == "<gradient_1(walk_back) of shape ()>"
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        assert session.run(slopes, {x: 5.0}) == [7.0, 5.0]
        assert session.run(slopes[0], {x: 5.0}) == 7.0
    assert static.gradients(x * y, (x,))[0].shape is None
    assert static.gradients(x * y, []) == []


def test_derivatives_of_any_order():
    x = static.placeholder((), name="x")
    slopes = [x**5]
    for _ in range(6):
        slopes += static.gradients(slopes[-1], x)
    found = static.Session().run(slopes, {x: 2.0})
    assert found == [32.0, 80.0, 160.0, 240.0, 240.0, 120.0, 0.0]


def test_a_gradient_inside_a_loss():
    """The gradient penalty: the gradient of a norm of a gradient."""
    rng = np.random.default_rng(0)
    weight, points = rng.normal(size=(3, 1)), rng.normal(size=(5, 3))
    x, w = static.placeholder((None, 3)), static.Variable(weight)
    out = static.reduce_sum(static.tanh(x @ w))
    penalty = static.reduce_mean(static.square(static.gradients(out, x)[0]) ** 2) + out
    slope = static.gradients(penalty, w)[0]

    def eager(w):
        slopes = ad.grad(lambda x: (x @ w).tanh().sum())(points)
        return (slopes.square() ** 2).mean() + (points @ w).tanh().sum()

    with static.Session() as session:
        session.run(static.global_variables_initializer())
        value, found = session.run([penalty, slope], {x: points})
    expected, gradient = ad.value_and_grad(eager)(weight)
    np.testing.assert_allclose(value, expected.data, rtol=1e-14)
    np.testing.assert_allclose(found, gradient.data, rtol=1e-13)


def test_a_gradient_by_a_node_in_between_counts_only_what_passes_it():
    x = static.placeholder(name="x")
    h = x * x
    y = h * 3 + x
    by_h, by_x = static.gradients(y, [h, x])
    assert static.Session().run([by_h, by_x], {x: 5.0}) == [3.0, 31.0]
    constant = static.constant(4.0)
    made = constant * 2
    by_constant, by_made = static.gradients(made * made, [constant, made])
    assert static.Session().run([by_constant, by_made]) == [32.0, 16.0]
    assert static.Session().run(static.gradients(y, y), {x: 1.0}) == [1.0]


def test_a_node_that_is_another_s_very_value_has_its_own_gradient():
    w = static.Variable(3.0)
    x = w * 1
    kept = w.assign(x)  # its value is that of x
    by_kept, by_x = static.gradients(kept * 2 + x * 5, [kept, x])
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        assert session.run([by_kept, by_x]) == [2.0, 7.0]
        assert session.run([by_x]) == [7.0]


def test_a_gradient_to_start_from():
    x = static.placeholder((3,))
    start = static.placeholder((3,))
    y = x * x
    session = static.Session()
    feed_dict = {x: [1.0, 2.0, 3.0], start: [1.0, 10.0, 100.0]}
    by_node = static.gradients(y, x, grad=start)[0]
    np.testing.assert_array_equal(session.run(by_node, feed_dict), [2.0, 40.0, 600.0])
    for grad in (2.0, 2, [2, 2, 2], np.full(3, 2.0)):
        slope = static.gradients(y, x, grad=grad)[0]
        np.testing.assert_array_equal(session.run(slope, feed_dict), [4.0, 8.0, 12.0])
    by_start = static.gradients(static.reduce_sum(by_node), start)[0]  # differentiated by the start itself
    np.testing.assert_array_equal(session.run(by_start, feed_dict), [2.0, 4.0, 6.0])


def test_what_cannot_be_differentiated():
    x, z = static.placeholder((3,), name="x"), static.placeholder((), name="z")
    whole = static.placeholder(dtype=np.int64, name="whole")
    y = static.reduce_sum(x * x)
    with pytest.raises(ValueError, match=r"<sum\(mul\).* does not depend smoothly on <placeholder z"):
        static.gradients(y, [x, z])
    for hard in (static.floor(z), static.where(z > 0, 1.0, 2.0), static.argmax(x)):
        with pytest.raises(ValueError, match="does not depend smoothly on"):
            static.gradients(hard, x if hard.op == "argmax" else z)
    with pytest.raises(TypeError, match="<placeholder whole> holds int64; a gradient needs floats"):
        static.gradients(whole * 2.0, whole)
    with pytest.raises(ValueError, match=r"starts from a single number, and <mul_2\(x, 2\) .* shape \(3,\)"):
        static.gradients(x * 2, x)
    for ends in ((3.0, x), (y, "x"), (y, [x, 3.0]), (ad.Tensor(1.0), x)):
        with pytest.raises(TypeError, match=r"static.gradients takes nodes of a static graph, not"):
            static.gradients(*ends)


def test_a_result_of_unknown_shape_is_refused_when_it_runs():
    x = static.placeholder(name="x")
    slope = static.gradients(x * 2, x)[0]
    session = static.Session()
    assert session.run(slope, {x: 5.0}) == 2.0
    with pytest.raises(RuntimeError, match="starts from a single number, and this is the Tensor of shape"):
        session.run(slope, {x: [5.0, 6.0]})
    number = static.cast(x, dtype=np.int64)
    with pytest.raises(TypeError, match="holds int64; a gradient needs floats"):
        session.run(static.gradients(number * 2.0, number)[0], {x: 1.0})


def test_a_run_that_takes_no_gradient_records_nothing(monkeypatch):
    x = static.placeholder()
    y = static.exp(x * x) + 1
    slope = static.gradients(y, x)[0]
    session = static.Session()

    def recorded(*_, **__):
        raise AssertionError("an operation was recorded")

    monkeypatch.setattr(ad.Operation, "record", recorded)
    assert session.run(y, {x: 0.0}) == 2.0
    monkeypatch.undo()
    assert session.run(slope, {x: 0.0}) == 0.0


def test_only_what_a_gradient_is_taken_through_is_recorded(monkeypatch):
    w = static.Variable(2.0)
    loss = static.exp(w * w)
    step = static.GradientDescentOptimizer(0.1).minimize(loss)
    besides = static.tanh(loss + 1)
    recorded = []
    record = ad.Operation.record

    def noted(self, *arguments):
        recorded.append(self.name)
        return record(self, *arguments)

    with static.Session() as session:
        session.run(static.global_variables_initializer())
        monkeypatch.setattr(ad.Operation, "record", noted)
        session.run([step, besides])
    assert recorded == ["mul", "exp"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (0, 3), (2, 1, 3)])
def test_gradients_have_the_shape_and_dtype_of_their_node(shape, dtype):
    x = static.placeholder(shape, dtype=dtype)
    w = static.Variable(np.ones((3,), dtype))
    loss = static.reduce_sum(x[..., None] * w)
    by_x, by_w = static.gradients(loss, [x, w])
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        found = session.run([by_x, by_w], {x: np.ones(shape, dtype)})
    size = np.ones(shape).size
    for value, node, expected in zip(found, (x, w), (3.0, size)):
        assert np.shape(value) == node.shape
        assert np.asarray(value).dtype == dtype
        np.testing.assert_array_equal(value, np.full(node.shape, expected))


UNARY = ("tanh", "sigmoid", "exp", "square", "neg", "softplus")
PAIRS = ("add", "mul", "sub", "maximum", "logaddexp")


@examples(60)
@given(data=st.data())
def test_random_programs_agree_with_eager_ones(data):
    """First and second derivatives of random programs with shared nodes, by placeholders and by what is in
    between, are those of the same program on Tensors."""
    numbers = st.lists(st.floats(-1, 1, width=16), min_size=3, max_size=3)
    values = [np.array(data.draw(numbers)) for _ in range(2)]
    step = st.tuples(st.sampled_from(UNARY + PAIRS), st.integers(0, 99), st.integers(0, 99))
    steps = data.draw(st.lists(step, min_size=1, max_size=8))

    def program(x, w, functions):
        made = [x, w]
        for name, i, j in steps:
            operands = [made[i % len(made)]] + ([made[j % len(made)]] if name in PAIRS else [])
            made.append(getattr(functions, name)(*operands))
        return made

    tensors = [ad.Tensor(value) for value in values]
    made = program(*tensors, ad)
    end = sum(part.sum() for part in made)
    slopes = ad.gradients(end, made, create_graph=True)
    squares = sum((slope * slope).sum() for slope in slopes)
    is_curved = any(slope.requires_grad for slope in slopes)
    second = ad.gradients(squares, tensors, allow_unused=True) if is_curved else [None, None]
    with static.Graph(), static.Session() as session:
        xs = [static.placeholder((3,)) for _ in values]
        nodes = program(*xs, static)
        total = sum(static.reduce_sum(node) for node in nodes)
        by = static.gradients(total, nodes)
        again = [
            static.gradients(static.reduce_sum(sum(static.square(slope) for slope in by)), x)[0] for x in xs
        ]
        first, bends = session.run([by, again], dict(zip(xs, values)))
    for mine, eager in zip(first, slopes, strict=True):
        np.testing.assert_allclose(mine, eager.data, rtol=1e-12, atol=1e-12)
    for mine, eager in zip(bends, second, strict=True):
        np.testing.assert_allclose(mine, 0.0 if eager is None else eager.data, rtol=1e-10, atol=1e-10)
