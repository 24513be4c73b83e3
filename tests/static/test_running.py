"""Sessions: fetches, feeds, variables, the order of effects, and deep graphs."""

from __future__ import annotations

import gc
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest

import autodiff as ad
from autodiff import static
from autodiff.static.running import order


@pytest.fixture(autouse=True)
def graph():
    with static.Graph("the test's graph") as graph:
        yield graph


@pytest.fixture
def session(graph):
    return static.Session(graph)


class Pair(NamedTuple):
    first: object
    second: object


def test_fetches_have_the_structure_that_was_asked_for(session):
    a, b = static.constant(1.0), static.constant([2.0, 3.0])
    assert session.run(a) == 1.0
    assert type(session.run(a)) is float
    assert session.run([a, a]) == [1.0, 1.0]
    assert session.run((a, [a, {"x": a}])) == (1.0, [1.0, {"x": 1.0}])
    assert session.run(Pair(a, a)) == Pair(1.0, 1.0)
    assert session.run([]) == []
    assert session.run({}) == {}
    found = session.run({"one": a, "two": b})
    assert found["one"] == 1.0
    np.testing.assert_array_equal(found["two"], [2.0, 3.0])


@pytest.mark.parametrize("fetch", ["a", 3.0, None, [3.0], ad.Tensor(1.0), {"x": "a"}])
def test_what_is_no_node_is_refused(session, fetch):
    with pytest.raises(TypeError, match="runs and feeds nodes of a static graph, not"):
        session.run(fetch)


def test_feeds_are_converted_as_a_tensor_s_data(session):
    free, single = static.placeholder(), static.placeholder(dtype=np.float32)
    whole, mask = static.placeholder(dtype=np.int64), static.placeholder(dtype=bool)
    cases = [
        (free, 2, float), (free, True, float), (free, [1, 2], np.float64), (free, [True], np.float64),
        (free, np.float32(1), np.float32), (free, np.zeros(2, np.float32), np.float32),
        (free, ad.Tensor([1]), np.float64),
        (single, 2, np.float32), (single, [1.0], np.float32), (single, np.zeros((0, 3)), np.float32),
        (whole, 2, np.int64), (whole, np.zeros(2, np.int32), np.int64), (whole, True, np.int64),
        (mask, [True], bool),
    ]  # fmt: skip
    for node, value, dtype in cases:
        found = session.run(node, {node: value})
        assert np.asarray(found).dtype == dtype
        np.testing.assert_array_equal(found, getattr(value, "data", value))
        assert (type(found) is float) == (dtype is float)
    for node, value in ((whole, 1.5), (whole, [1.0]), (mask, [1]), (mask, 0.0)):
        with pytest.raises(TypeError, match=r"holds (int64|bool), and was fed"):
            session.run(node, {node: value})
    for value in ("text", None, [1, [2]], 1j):
        with pytest.raises((TypeError, ValueError)):
            session.run(free, {free: value})


@pytest.mark.parametrize("lay", [
    np.asfortranarray, lambda a: a[::-1, ::-1], lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    lambda a: a.T.copy().T, lambda a: np.broadcast_to(a[:1], a.shape),
])  # fmt: skip
def test_feeds_in_any_memory_layout(session, lay):
    array = lay(np.arange(6.0).reshape(2, 3))
    before = array.copy()
    x = static.placeholder((2, 3))
    slope = static.gradients(static.reduce_sum(x * x), x)[0]
    found = session.run([x, slope, static.transpose(x)], {x: array})
    for value, expected in zip(found, (before, 2 * before, before.T)):
        np.testing.assert_array_equal(value, expected)
        value[...] = 7.0  # all writable and of their own
    np.testing.assert_array_equal(array, before)


def test_any_node_may_be_fed(session):
    x = static.placeholder(name="x")
    h = x * x
    y = h + 1
    w = static.Variable(5.0)
    c = static.constant(2.0)
    assert session.run(y, {h: 10.0}) == 11.0
    assert session.run(w * c, {w: 3.0, c: 4.0}) == 12.0
    assert session.run([y, static.gradients(y, h)[0]], {h: 10.0}) == [11.0, 1.0]
    slope = static.gradients(y, x)[0]
    assert session.run(slope, {x: 3.0}) == 6.0
    assert session.run(slope, {x: 3.0, h: 10.0}) == 0.0  # the way from x to y is cut
    assert session.run(slope, {x: 3.0, y: 10.0}) == 0.0


def test_what_cannot_be_fed(session):
    w = static.Variable(1.0)
    x = static.placeholder((2,), name="x")
    for node in (w.assign(2.0), static.group(w)):
        with pytest.raises(TypeError, match="cannot be fed"):
            session.run(x, {node: 1.0})
    with pytest.raises(TypeError, match=r"<placeholder x .* was fed the node <variable"):
        session.run(x, {x: w})
    for feed_dict in ([(x, 1)], "x", 3):
        with pytest.raises(TypeError, match="feed_dict is a dict"):
            session.run(x, feed_dict)
    with pytest.raises(TypeError, match="nodes of a static graph, not 'x'"):
        session.run(x, {"x": [1, 2]})
    with pytest.raises(ValueError, match=r"shape \(3,\), and its own shape is \(2,\)"):
        session.run(x * 2, {x * 2: [1.0, 2.0, 3.0]})


def test_an_uninitialized_variable_is_named(session):
    early = static.global_variables_initializer()
    w = static.Variable(1.0, name="weights")
    with pytest.raises(RuntimeError, match=r"'weights' has no value.*run global_variables_initializer\(\)"):
        session.run(w + 1)
    session.run(early)  # made before the variable was
    with pytest.raises(RuntimeError, match="'weights' has no value"):
        session.run(w.assign(w + 1))
    session.run(w.assign(3.0))  # which needs no value from before
    assert session.run(w) == 3.0
    step = static.MomentumOptimizer(0.1, 0.9).minimize(w * w)
    with pytest.raises(RuntimeError, match="'weights/momentum' has no value"):
        session.run(step)


def test_sessions_of_one_graph_keep_their_own_values(graph):
    w = static.Variable(1.0)
    grow = static.assign_add(w, 1)
    init = static.global_variables_initializer()
    first, second = static.Session(graph), static.Session(graph)
    first.run(init)
    second.run(init)
    first.run(grow)
    first.run(grow)
    assert [first.run(w), second.run(w)] == [3.0, 1.0]
    first.run(init)
    assert first.run(w) == 1.0


def test_variables_in_a_run_have_the_values_from_before_it(session):
    v, w = static.Variable(1.0), static.Variable(10.0)
    session.run(static.global_variables_initializer())
    doubled = w.assign(2 * w)
    read_before, read_after = w + 0, w * 1
    assert session.run([read_before, doubled, read_after, w, doubled + v]) == [10.0, 20.0, 10.0, 10.0, 21.0]
    assert session.run(w) == 20.0
    session.run(static.group(v.assign(w), w.assign(v)))  # each takes the other's earlier value
    assert session.run([v, w]) == [20.0, 1.0]
    chained = v.assign(w.assign(w + 5) * 2)
    assert session.run([v, chained]) == [20.0, 12.0]
    assert session.run([v, w]) == [12.0, 6.0]


def test_one_run_assigns_to_a_variable_once(session):
    w = static.Variable(1.0, name="w")
    session.run(static.global_variables_initializer())
    one, other = static.assign_add(w, 1, name="one"), static.assign_add(w, 2, name="other")
    for fetches in ([one, other], static.group(one, other), one + other, w.assign(one)):
        with pytest.raises(ValueError, match=r"cannot assign to the variable 'w' twice, by <one.* and by <"):
            session.run(fetches)
    assert session.run(w) == 1.0
    session.run([one, one])
    assert session.run(w) == 2.0


def test_a_run_that_fails_changes_no_variable(session):
    w, x = static.Variable([1.0, 2.0]), static.placeholder(name="x")
    session.run(static.global_variables_initializer())
    grown, fails = w.assign(w + 1), static.matmul(x, w, name="product")
    with pytest.raises(ValueError, match="matmul cannot take") as error:
        session.run([grown, fails], {x: np.zeros(3)})
    assert error.value.__notes__ == ["(while the node <product(x, variable)> was computed)"]
    np.testing.assert_array_equal(session.run(w), [1.0, 2.0])


def test_assigned_values_must_fit():
    w = static.Variable([1.0, 2.0], name="w")
    count = static.Variable(np.array([1, 2], np.int64), trainable=False, name="count")
    x = static.placeholder(name="x")
    wrong = [1.0, [1.0], np.zeros((1, 2)), static.constant(np.zeros(3)), static.placeholder((None, 2))]
    for value in wrong:
        with pytest.raises(ValueError, match=r"'w' has the shape \(2,\), and it was assigned a value"):
            w.assign(value)
    with pytest.raises(TypeError, match="assign changes a Variable, not <placeholder x>"):
        static.assign(x, 1.0)
    for function in (static.assign_add, static.assign_sub):
        with pytest.raises(TypeError, match=f"{function.__name__} changes a Variable, not 3"):
            function(3, 1.0)
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        with pytest.raises(ValueError, match=r"'w' .* it was assigned a value of shape \(3,\)"):
            session.run(w.assign(x), {x: np.zeros(3)})
        with pytest.raises(TypeError, match="'count' holds int64 and cannot hold float64"):
            session.run(count.assign([1.5, 2.5]))
        session.run(static.assign_sub(count, 5))
        np.testing.assert_array_equal(session.run(count), [-4, -3])
        assert session.run(count).dtype == np.int64


def test_variables_keep_their_dtype():
    single = static.Variable(np.ones(2, np.float32))
    number = static.Variable(1.0)
    array = static.Variable(np.array(1.0))
    x = static.placeholder()
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        for variable in (single, number, array):
            value = session.run(variable.assign(static.reduce_sum(x) + (single if variable is single else 0)),
                                {x: np.array([1.0, 2.0])})  # fmt: skip
            assert np.asarray(value).dtype == variable.dtype
            assert np.asarray(session.run(variable)).dtype == variable.dtype
        doubled = single.assign(x)  # float64 into float32
        found = session.run([doubled, doubled * doubled], {x: np.array([1.0, 2.0])})
        assert [value.dtype for value in found] == [np.float32, np.float32]
        assert type(session.run(number)) is float
        assert type(session.run(array)) is not float
        assert session.run(number * single).dtype == np.float32


def test_a_variable_may_start_as_a_node():
    x = static.placeholder((2,), name="x")
    start = static.constant([1.0, 2.0])
    w = static.Variable(start * 3, name="w")
    fed = static.Variable(x)
    number = static.Variable(static.reduce_sum(start * 3))
    with static.Session() as session:
        session.run(static.global_variables_initializer(), {x: [5.0, 6.0]})
        np.testing.assert_array_equal(session.run(w + fed), [8.0, 12.0])
        assert session.run(number) == 9.0
        assert type(session.run(number)) is float
    for shape in (None, (None, 2)):
        with pytest.raises(ValueError, match="needs a known shape, and that of <placeholder"):
            static.Variable(static.placeholder(shape))


def test_group_takes_nodes():
    a = static.Variable(1.0)
    with pytest.raises(TypeError, match="group takes nodes one by one, not"):
        static.group([a])
    with static.Session() as session:
        assert session.run(static.group()) is None
        assert session.run(static.global_variables_initializer()) is None


def test_eval_uses_the_session_of_the_block():
    x = static.placeholder()
    y = x * 2
    with pytest.raises(RuntimeError, match="has no session to run in"):
        y.eval({x: 1.0})
    with static.Session() as outer:
        assert y.eval({x: 1.0}) == 2.0
        with static.Session() as inner:
            assert static.get_default_session() is inner
        assert static.get_default_session() is outer
    assert y.eval(feed_dict={x: 1.0}, session=static.Session()) == 2.0


def test_a_session_makes_its_graph_the_default(graph):
    other = static.Graph()
    with static.Session(other):
        a = static.constant(1.0)
    assert a.graph is other
    with pytest.raises(TypeError, match="a Session runs a Graph, not 3"):
        static.Session(3)
    assert repr(static.Session(other)) == f"<session of {other!r}, 0 variables with values>"


def test_a_run_records_under_no_grad_too(session):
    x = static.placeholder()
    slope = static.gradients(x * x, x)[0]
    with ad.no_grad():
        assert session.run(slope, {x: 3.0}) == 6.0
        assert not ad.is_grad_enabled()


def test_programs_are_kept_for_fetches_and_feeds(session):
    x = static.placeholder()
    y = x * x
    for value in range(5):
        assert session.run(y, {x: value}) == value**2
    assert len(session._programs) == 1
    session.run([y], {x: 1.0})
    assert len(session._programs) == 1  # the same fetches, in another structure
    session.run([y, x], {x: 1.0})
    session.run(y, {y: 1.0})
    assert len(session._programs) == 3
    for k in range(400):
        session.run(y + k, {x: 1.0})
    assert len(session._programs) <= 256
    assert session.run(y, {x: 3.0}) == 9.0


@pytest.mark.thorough
def test_a_graph_100000_deep(session):
    leaf = h = static.Variable(1.0)
    for _ in range(100_000):
        h = h * 1.0
    slope = static.gradients(h, leaf)[0]
    step = static.GradientDescentOptimizer(0.5).minimize(h)
    session.run(static.global_variables_initializer())
    assert session.run([h, slope]) == [1.0, 1.0]
    session.run(step)
    assert session.run(leaf) == 0.5
    assert "100,001 nodes" in str(ad.draw(h))
    assert len(order([h])) == 100_001
    del h, leaf, slope, step
    gc.collect()


def test_wide_graphs_are_walked_once():
    h = static.constant(1.0)
    for _ in range(200):
        h = h + h
    assert len(order([h])) == 201
    assert static.Session().run(h) == 2.0**200


def test_feeds_that_are_not_needed_are_ignored(session):
    x, y = static.placeholder(), static.placeholder()
    assert session.run(x * 2, {x: 1.0, y: 5.0}) == 2.0


def test_nothing_that_was_run_stays_alive_after_a_closed_session_but_the_last_run(graph):
    x = static.placeholder((1000,))
    array = np.zeros(1000)
    before = sys.getrefcount(array)
    with static.Session(graph) as session:
        session.run(x * 2, {x: array})
    graph.last_run = None
    assert sys.getrefcount(array) == before


def test_runs_that_assign_wait_for_each_other_in_threads():
    with static.Graph(), static.Session() as session:
        w = static.Variable(0.0)
        session.run(static.global_variables_initializer())
        grow = static.assign_add(w, 1)
        session.run(grow)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            with ThreadPoolExecutor(4) as pool:
                results = list(pool.map(lambda _: float(session.run(grow)), range(400)))
        finally:
            sys.setswitchinterval(interval)
        assert sorted(results) == [*range(2, 402)]
