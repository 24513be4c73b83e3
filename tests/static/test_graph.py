"""Graphs and nodes: names, scopes, shapes of placeholders, and what a node refuses before it has a value."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import autodiff as ad
from autodiff import static


@pytest.fixture(autouse=True)
def graph():
    with static.Graph("the test's graph") as graph:
        yield graph


def test_names_are_unique(graph):
    a, b = static.constant(1.0), static.constant(2.0)
    x, y = static.placeholder(name="x"), static.placeholder(name="x")
    static.placeholder(name="add_1")
    sums = [a + b, a + b, a + b]
    assert [a.name, b.name, x.name, y.name] == ["constant", "constant_1", "x", "x_1"]
    assert [node.name for node in sums] == ["add", "add_2", "add_3"]
    assert graph.nodes["add_2"] is sums[1]
    assert static.multiply(a, b, name="area").name == "area"


@pytest.mark.parametrize("name", ["", "  ", 3])
def test_a_name_is_a_text(graph, name):
    with pytest.raises(TypeError, match="name of a node must be a non-empty string"):
        static.constant(1.0, name=name)
    assert not graph.nodes


def test_a_node_says_what_it_is():
    x = static.placeholder((None, 3), np.float32, "x")
    y = static.matmul(x, np.ones((3, 2)))
    w = static.Variable([1.0, 2.0], name="w")
    assert repr(x) == "<placeholder x of shape (?, 3)>"
    assert repr(y) == "<matmul(x, array of shape (3, 2)) of shape (?, 2)>"
    assert repr(w) == "<variable w of shape (2,)>"
    assert (y.op, y.inputs[0], x.op, x.inputs) == (ad.matmul, x, "placeholder", ())
    assert (x.dtype, w.dtype) == (np.float32, np.float64)


def test_nothing_is_computed_before_a_run(monkeypatch):
    x = static.placeholder((3,))
    w = static.Variable(np.ones(3))

    def computed(*_, **__):
        raise AssertionError("something was computed")

    monkeypatch.setattr(ad.Operation, "__call__", computed)
    h = static.sigmoid(static.log(x * w + 1))
    loss = static.reduce_mean(static.square(h - 1))
    static.AdamOptimizer().minimize(loss)
    static.gradients(static.gradients(loss, w)[0][0], x)
    ad.draw(loss)
    assert loss.shape == ()


def test_scopes_nest_and_threads_have_their_own_default(graph):
    with static.Graph() as inner:
        with graph, graph.as_default():
            assert static.get_default_graph() is graph
        assert static.get_default_graph() is inner
    seen = []
    thread = threading.Thread(target=lambda: seen.append(static.get_default_graph()))
    thread.start()
    thread.join()
    assert seen[0] is not graph
    assert seen[0].name == "the default graph"


def test_a_default_graph_begins_anew_only_outside_blocks():
    with pytest.raises(RuntimeError, match=r"inside the with block of <\"the test's graph\""):
        static.reset_default_graph()

    found = []

    def begin_anew():
        first = static.get_default_graph()
        static.constant(1.0)
        static.reset_default_graph()
        found.append((first, static.get_default_graph()))

    thread = threading.Thread(target=begin_anew)
    thread.start()
    thread.join()
    before, after = found[0]
    assert before is not after
    assert len(before.nodes) == 1
    assert not after.nodes


@pytest.mark.parametrize("use", [
    bool, float, int, len, iter, list, np.asarray, lambda x: x and x, lambda x: 1 if x > 0 else 2,
])  # fmt: skip
def test_a_node_has_no_value_before_a_run(use):
    x = static.placeholder((3,), name="x")
    with pytest.raises(TypeError, match=r"has no value before Session.run, so it cannot"):
        use(x)


def test_nodes_are_keys_and_equal_only_themselves():
    x, y = static.placeholder(), static.placeholder()
    assert x == x
    assert x != y
    assert {x: 1, y: 2}[y] == 2


def test_a_tensor_does_not_mix_with_nodes(graph):
    x = static.placeholder()
    t = ad.Tensor(3.0, name="t")
    for attempt in (lambda: x * t, lambda: static.exp(t), lambda: static.apply(ad.exp, t)):
        with pytest.raises(TypeError, match="the Tensor 't' 3 cannot be mixed with nodes"):
            attempt()
    with pytest.raises(TypeError, match="mul cannot take the Tensor 't' 3 and <placeholder"):
        t * x
    with pytest.raises(TypeError, match="exp cannot take <placeholder placeholder>"):
        ad.exp(x)
    assert list(graph.nodes) == ["placeholder"]
    assert static.Session().run(static.constant(t)) == 3.0


@pytest.mark.parametrize("value", ["three", None, 1j, [1, [2, 3]], object()])
def test_what_is_no_number_is_refused(graph, value):
    x = static.placeholder()
    made = len(graph.nodes)
    for attempt in (lambda: static.constant(value), lambda: static.Variable(value), lambda: x + value):
        with pytest.raises(TypeError):
            attempt()
    assert len(graph.nodes) == made


@pytest.mark.parametrize("shape", ["ab", 3, (2, -1), (1.5,), np.float32, (None, "n")])
def test_a_placeholder_s_shape_is_checked(graph, shape):
    with pytest.raises(TypeError, match="shape comes before the dtype"):
        static.placeholder(shape, np.float32)
    assert not graph.nodes


def test_operators_take_numbers_and_arrays_on_either_side():
    x = static.placeholder((2,), name="x")
    value, other = np.array([2.0, 3.0]), np.array([5.0, 7.0])
    functions = [
        lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b, lambda a, b: a**b,
        lambda a, b: a // b, lambda a, b: a % b, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b,
        lambda a, b: a >= b,
    ]  # fmt: skip
    session = static.Session()
    for function in functions:
        for constant in (4, 4.0, np.float64(4), np.int64(4), np.float32(4), other, [5.0, 7.0]):
            array = np.asarray(constant)
            right, left = function(x, constant), function(constant, x)
            pairs = [(right, function(value, array)), (left, function(array, value))]
            for node, expected in pairs:
                np.testing.assert_array_equal(session.run(node, {x: value}), expected)
    for function in (lambda a: -a, lambda a: +a, abs, lambda a: a[1], lambda a: a[::-1], lambda a: a[[1, 1]]):
        np.testing.assert_array_equal(session.run(function(x), {x: -value}), function(-value))
    np.testing.assert_array_equal(session.run(x @ other, {x: value}), value @ other)
    np.testing.assert_array_equal(session.run(other @ x, {x: value}), value @ other)


def test_an_array_in_an_expression_is_copied():
    array = np.array([1.0, 2.0])
    index = np.array([0, 1])
    x = static.placeholder((2,))
    y = (x * array)[index]
    array[:] = 0
    index[:] = 0
    np.testing.assert_array_equal(static.Session().run(y, {x: [1.0, 1.0]}), [1.0, 2.0])


def test_dtypes_of_leaves():
    session = static.Session()
    cases = [
        (static.constant(3), float), (static.constant([1, 2]), np.int_), (static.constant([True]), np.bool_),
        (static.constant([1, 2], np.float32), np.float32), (static.constant(1.0, np.float32), np.float32),
        (static.Variable([1, 2]), np.float64), (static.Variable([1, 2], trainable=False), np.int_),
        (static.Variable(2, trainable=False), float), (static.Variable(2.0, dtype=np.float32), np.float32),
        (static.Variable(np.zeros(2, np.float32)), np.float32), (static.Variable(np.array(2.0)), np.float64),
    ]  # fmt: skip
    session.run(static.global_variables_initializer())
    for node, dtype in cases:
        assert np.asarray(session.run(node)).dtype == node.dtype == dtype


def test_the_public_operations_have_their_names():
    assert static.exp.__name__ == "exp"
    assert "autodiff.exp" in static.exp.__doc__
    assert "TensorFlow's name for ``sum``" in static.reduce_sum.__doc__
    assert "TensorFlow's name" not in static.sum.__doc__
    for name in static.__all__:
        assert hasattr(static, name)
