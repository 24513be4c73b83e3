"""SimpleFlow's numbers, and that its faults are not here."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import static


@pytest.fixture(autouse=True)
def graph():
    with static.Graph("the test's graph").as_default() as graph:
        yield graph


def add_counted(calls):
    """An addition that counts its calls."""

    @ad.operation
    def counted(x, y):
        calls.append(1)
        return x + y

    return counted.backward(lambda grad, z, x, y: grad, lambda grad, z, x, y: grad)


def line(seed=0):
    """A hundred points on [-1, 1] with y = 3x and noise."""
    rng = np.random.default_rng(seed)
    x = np.linspace(-1, 1, 100)
    return x, 3 * x + 0.5 * rng.normal(size=100)


def test_one_and_two_are_three():
    assert static.Session().run(static.constant(1.0) + static.constant(2.0)) == 3.0


def test_a_matrix_product_plus_one():
    w = static.constant([[1, 2, 3], [3, 4, 5]])
    x = static.constant([[9, 8], [7, 6], [10, 11]])
    np.testing.assert_array_equal(static.Session().run(static.matmul(w, x) + 1.0), [[54, 54], [106, 104]])


def test_nodes_belong_to_the_graph_in_scope(graph):
    with static.Graph().as_default() as inner:
        a = static.constant(1.0)
        with static.Graph() as innermost:
            b = static.Variable(1.0)
        c = static.placeholder()
    d = static.constant(1.0)
    assert [a.graph, b.graph, c.graph, d.graph] == [inner, innermost, inner, graph]


def test_an_operation_belongs_to_the_graph_of_its_operands(graph):
    a = static.constant(1.0)
    with static.Graph() as other:
        b = a + 1
    assert b.graph is graph
    assert not other.nodes


def test_the_default_graph_comes_back_after_an_exception(graph):
    with pytest.raises(ZeroDivisionError), static.Graph().as_default():
        raise ZeroDivisionError
    assert static.get_default_graph() is graph
    with pytest.raises(ZeroDivisionError), static.Session(static.Graph()):
        raise ZeroDivisionError
    assert static.get_default_graph() is graph
    assert static.get_default_session() is None


def test_each_node_is_computed_once_however_often_it_is_used():
    calls = []
    counted = add_counted(calls)
    leaf = h = static.Variable(1.0)
    for _ in range(18):
        h = static.apply(counted, h, h)
    session = static.Session()
    session.run(static.global_variables_initializer())
    assert session.run(h) == 2**18
    assert len(calls) == 18
    plan, _ = next(program for key, program in session._programs.items() if key[0] == (h,))
    assert len(plan.order) == 19  # the leaf, and eighteen additions
    calls.clear()
    slope = static.gradients(h, leaf)[0]
    assert session.run([h, slope, h + h]) == [2**18, 2**18, 2**19]
    assert len(calls) == 18


def test_a_missing_feed_names_the_placeholder():
    x, y = static.placeholder((None, 2), name="pictures"), static.placeholder(name="labels")
    with pytest.raises(ValueError, match=r"<placeholder pictures of shape \(\?, 2\)> was not fed"):
        static.Session().run(x + y, {y: 1.0})
    with pytest.raises(ValueError, match=r"feed_dict=\{labels: value\}"):
        static.Session().run(x + y, {x: [[1, 2]]})
    assert static.Session().run(y * 1, {y: 5.0}) == 5.0  # x is not needed here


@pytest.mark.parametrize(("shape", "value"), [
    ((None, 2), np.zeros((4, 3))), ((None, 2), np.zeros(2)), ((), np.zeros(1)), ((1,), 5.0),
    ((0, 2), np.zeros((1, 2))),
])  # fmt: skip
def test_a_fed_shape_that_does_not_fit_names_both(shape, value):
    x = static.placeholder(shape, name="pictures")
    session = static.Session()
    with pytest.raises(ValueError, match="pictures") as error:
        session.run(x * 2, {x: value})
    assert str(np.shape(value)) in str(error.value)
    assert str(shape).replace("None", "?") in str(error.value)


def test_only_variables_that_the_loss_depends_on_are_updated():
    w, other = static.Variable(5.0), static.Variable(7.0)
    fixed = static.Variable(2.0, trainable=False)
    step = static.GradientDescentOptimizer(0.1).minimize((w - fixed) ** 2 + static.floor(other))
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        session.run(step)
        assert session.run([w, other, fixed]) == [5.0 - 0.1 * 6.0, 7.0, 2.0]


@pytest.mark.parametrize("layout", ["C", "F", "reversed", "read-only", "broadcast"])
def test_the_caller_s_arrays_are_never_changed(layout):
    start = np.arange(6.0).reshape(2, 3)
    start = {
        "C": start, "F": np.asfortranarray(start), "reversed": start[::-1, ::-1], "read-only": start.copy(),
        "broadcast": np.broadcast_to(np.arange(3.0), (2, 3)),
    }[layout]  # fmt: skip
    if layout == "read-only":
        start.setflags(write=False)
    before = start.copy()
    w, x = static.Variable(start), static.placeholder((2, 3))
    c = static.constant(start)
    steps = [
        static.AdamOptimizer(0.1).minimize(static.reduce_sum(w * w * x + c)),
        w.assign(x),
        static.assign_add(w, c),
    ]
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        for step in steps:
            session.run(step, {x: start})
            fetched = session.run([w, x, c, x + 0, w], {x: start})
            for array in fetched:
                assert not np.shares_memory(array, start)
                array[...] = -1.0
        np.testing.assert_array_equal(session.run(w), 2 * before)
        np.testing.assert_array_equal(session.run(c), before)
    np.testing.assert_array_equal(start, before)


def test_results_share_no_memory_with_each_other_or_with_variables():
    w = static.Variable(np.arange(4.0))
    doubled = w * 2
    kept = static.assign(w, doubled)
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        found = session.run([w, doubled, doubled, kept, static.reshape(doubled, (2, 2)), w])
        for array in found:
            array += 100
        np.testing.assert_array_equal(session.run(w), [0, 2, 4, 6])
    assert [array.flat[1] for array in found] == [101, 102, 102, 102, 102, 101]


def test_the_derivative_of_h_plus_h_h_is_36():
    x = static.placeholder(name="x")
    h = x * x
    y = h + h * h
    slope = static.gradients(y, x)[0]
    assert static.Session().run([y, slope], {x: 2.0}) == [20.0, 36.0]


def test_the_derivative_of_a_matrix_times_itself():
    x = static.placeholder((2, 2), name="x")
    slope = static.gradients(static.reduce_sum(static.matmul(x, x)), x)[0]
    value = np.array([[1.0, 2.0], [3.0, 4.0]])
    expected = np.ones((2, 2)) @ value.T + value.T @ np.ones((2, 2))
    np.testing.assert_array_equal(static.Session().run(slope, {x: value}), expected)


def test_nodes_of_two_graphs_do_not_mix():
    with static.Graph("first"):
        a = static.constant(1.0, name="a")
    with static.Graph("second"):
        b = static.constant(2.0, name="b")
        w = static.Variable(1.0, name="w")
    message = r"nodes of two graphs: <constant a of shape \(\)> of <'first' .*<constant b .*> of <'second'"
    attempts = [
        lambda: a + b, lambda: static.matmul(a, b), lambda: static.group(a, b),
        lambda: static.gradients(a, [b]), lambda: static.stack([a, b]), lambda: static.getitem(a, index=b),
    ]  # fmt: skip
    for attempt in attempts:
        with pytest.raises(ValueError, match=message):
            attempt()
    with pytest.raises(ValueError, match=r"<variable w .* of <'second' .* and <constant a .*<'first'"):
        w.assign(a)
    session = static.Session(a.graph)
    with pytest.raises(ValueError, match=r"runs <'first' with 1 .* <constant b .*<'second' with 2 nodes>"):
        session.run([a, b])
    with pytest.raises(ValueError, match=r"runs <'first' .*<constant b .*<'second'"):
        session.run(a, {b: 1.0})
    assert list(a.graph.nodes) == ["a"]


def test_a_closed_session_refuses_to_run():
    a = static.Variable(1.0)
    with static.Session() as session:
        session.run(static.global_variables_initializer())
    with pytest.raises(RuntimeError, match="session is closed"):
        session.run(a)
    session.close()  # again does nothing
    with pytest.raises(RuntimeError, match="session is closed"), session:
        pass
    assert static.get_default_session() is None


def test_a_training_step_runs_alone():
    w = static.Variable(5.0)
    step = static.GradientDescentOptimizer(0.25).minimize((w - 2) ** 2)
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        assert session.run(step) is None
        assert session.run(w) == 3.5


def test_linear_regression_converges_to_least_squares():
    points_x, points_y = line()
    x, y = static.placeholder((None,), name="x"), static.placeholder((None,), name="y")
    w, b = static.Variable(1.0, name="w"), static.Variable(0.0, name="b")
    loss = static.reduce_sum(static.square(x * w + b - y))
    step = static.GradientDescentOptimizer(learning_rate=0.005).minimize(loss)
    feed_dict = {x: points_x, y: points_y}
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        losses = [session.run([step, loss], feed_dict)[1] for _ in range(20)]
        found = session.run([w, b])
    assert losses == sorted(losses, reverse=True)
    np.testing.assert_allclose(found, np.polyfit(points_x, points_y, 1), atol=1e-3)


def test_the_same_regression_in_eager_form_gives_the_same_numbers():
    points_x, points_y = line()
    x, y = static.placeholder(), static.placeholder()
    w, b = static.Variable(1.0), static.Variable(0.0)
    loss = static.reduce_sum(static.square(x * w + b - y))
    step = static.GradientDescentOptimizer(0.005).minimize(loss)
    eager_w, eager_b = ad.Tensor(1.0), ad.Tensor(0.0)
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        for _ in range(20):
            static_loss, _ = session.run([loss, step], {x: points_x, y: points_y})
            eager_loss = (points_x * eager_w + eager_b - points_y).square().sum()
            eager_loss.backward()
            eager_w -= 0.005 * eager_w.grad
            eager_b -= 0.005 * eager_b.grad
            assert static_loss == eager_loss.item()
            assert session.run([w, b]) == [eager_w.item(), eager_b.item()]
