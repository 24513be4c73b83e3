"""Every operation of the catalogue as a node: its value, dtype, shape and gradients are the eager ones."""

from __future__ import annotations

from itertools import cycle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff as ad
from autodiff import Tensor, static
from autodiff.engine.backward import gradients
from autodiff.engine.catalogue import catalogue
from autodiff.static.operations import COMPOSED, INTERNAL, OTHER_NAMES
from autodiff.static.shapes import fits
from autodiff.testing import weights
from tests.engine.ops.cases import calls, examples, laid_out

NAMES = [operation.name for operation in catalogue]
FLOATS = (np.float32, np.float64)


def hidden(draw, shape):
    """A shape as a placeholder may have it: as it is, with unknown sizes, or not known at all."""
    sizes = tuple(draw(st.sampled_from([size, None])) for size in shape)
    return draw(st.sampled_from([shape, sizes, None]))


@pytest.mark.parametrize("name", NAMES)
@examples(6)
@given(data=st.data())
def test_a_node_computes_what_the_eager_operation_does(name, data):
    operands, options = data.draw(calls(name, FLOATS))
    operands = laid_out(data, operands)
    expected = catalogue.find(name)(*operands, **options)
    with static.Graph(), static.Session() as session:
        xs = [static.placeholder(hidden(data.draw, np.shape(operand))) for operand in operands]
        node = getattr(static, name)(*xs, **options)
        found = session.run(node, dict(zip(xs, operands)))
    assert type(found) is type(expected)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    assert fits(np.shape(expected), node.shape)
    np.testing.assert_array_equal(found, expected)


CHANGED = {
    "a list": (lambda x, of: static.transpose(x, of), [1, 0], lambda of: of.reverse()),
    "lists in a list": (lambda x, of: static.pad(x, of), [[1, 1], [0, 2]], lambda of: of[0].append(3)),
    "a list in a tuple": (lambda x, of: static.pad(x, (of, (0, 2))), [1, 1], lambda of: of.clear()),
    "an index": (lambda x, of: x[:, of], [2, 0], lambda of: of.append(1)),
    "an array": (lambda x, of: x[of], np.array([1, 0]), lambda of: of.fill(0)),
    "of several results": (lambda x, of: static.split(x, of, axis=1)[1], [1, 2], lambda of: of.pop()),
}  # fmt: skip


@pytest.mark.parametrize("kind", CHANGED)
def test_an_option_that_is_changed_afterwards_changes_no_node(kind):
    make, option, change = CHANGED[kind]
    array = np.arange(6.0).reshape(2, 3)
    with static.Graph(), static.Session() as session:
        x = static.placeholder((2, 3))
        node = make(x, option)
        expected, shape = session.run(make(x, option), {x: array}), node.shape
        change(option)
        np.testing.assert_array_equal(session.run(node, {x: array}), expected)
        assert node.shape == shape
        assert fits(expected.shape, shape)


@pytest.mark.parametrize("name", NAMES)
@examples(4)
@given(data=st.data())
def test_gradients_are_the_engine_s(name, data):
    operands, options = data.draw(calls(name, FLOATS))
    operation = catalogue.find(name)
    rules = cycle([operation.joint]) if operation.joint else operation.rules
    places = [place for place, (rule, _) in enumerate(zip(rules, operands)) if rule is not None]
    if not places:
        return
    tensors = [Tensor(operand) for operand in operands]
    out = operation(*tensors, **options)
    weight = weights(out.shape)
    expected = gradients(out, [tensors[place] for place in places], weight)
    with static.Graph(), static.Session() as session:
        xs = [static.placeholder(hidden(data.draw, np.shape(operand))) for operand in operands]
        node = getattr(static, name)(*xs, **options)
        slopes = static.gradients(node, [xs[place] for place in places], grad=weight)
        found = session.run(slopes, dict(zip(xs, operands)))
    for mine, eager in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, eager.data)
        assert np.asarray(mine).dtype == eager.dtype


def test_every_operation_has_its_name_here():
    assert set(NAMES) | set(COMPOSED) | set(OTHER_NAMES) <= set(vars(static))
    assert set(NAMES) >= INTERNAL
    assert not INTERNAL & set(static.__all__)
    public = {name for name in NAMES if hasattr(ad, name)}
    assert public <= set(static.__all__)


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_simpleflow_s_and_tensorflow_s_names_make_the_same_operation(name):
    operation = catalogue.find(OTHER_NAMES[name])
    x = static.constant([[1.0, 2.0], [3.0, 4.0]])
    inputs = ([x, x],) if operation.is_variadic else [x] * len(operation.inputs)
    node = getattr(static, name)(*inputs)
    assert node.op is operation
    assert node.name.startswith(operation.name)


def test_the_names_of_simpleflow():
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    a = static.constant(x)
    pairs = [
        (static.add(a, 1), x + 1), (static.multiply(a, a), x * x), (static.matmul(a, a), x @ x),
        (static.sigmoid(a), ad.sigmoid(x)), (static.log(a), np.log(x)), (static.negative(a), -x),
        (static.reduce_sum(a), x.sum()), (static.reduce_sum(a, axis=1), x.sum(1)), (static.square(a), x * x),
        (static.reduce_sum(a, 0, keepdims=True), x.sum(0, keepdims=True)), (static.reduce_mean(a), x.mean()),
        (static.reduce_sum(a, dim=-1), x.sum(-1)), (static.reduce_max(a, axis=(0, 1)), 4.0),
        (static.concat([a, a], axis=1), np.concatenate([x, x], 1)),
    ]  # fmt: skip
    found = static.Session().run([node for node, _ in pairs])
    for value, (node, expected) in zip(found, pairs):
        np.testing.assert_array_equal(value, expected)
        assert fits(np.shape(expected), node.shape)


COMPOSED_CALLS = {
    "adaptive_avg_pool1d": (((2, 3, 6),), {"output_size": 2}),
    "adaptive_avg_pool2d": (((2, 3, 6, 6),), {"output_size": 2}),
    "avg_pool1d": (((2, 3, 6),), {"kernel_size": 2}),
    "bmm": (((2, 3, 4), (2, 4, 5)), {}),
    "conv1d": (((2, 3, 6), (4, 3, 2)), {}),
    "conv2d": (((2, 3, 6, 6), (4, 3, 2, 2)), {"padding": 1}),
    "conv_transpose1d": (((2, 3, 6), (3, 4, 2)), {}),
    "conv_transpose2d": (((2, 3, 6, 6), (3, 4, 2, 2)), {}),
    "cross": (((4, 3), (4, 3)), {}),
    "diag": (((3,),), {"k": 1}),
    "index_select": (((4, 3),), {"axis": 0, "indices": np.array([0, 2, 2])}),
    "kron": (((2, 3), (3, 2)), {}),
    "masked_fill": (((2, 2),), {"mask": np.array([[True, False], [False, True]]), "value": 0.5}),
    "max_pool1d": (((2, 3, 6),), {"kernel_size": 2}),
    "narrow": (((4, 3),), {"axis": 0, "start": 1, "length": 2}),
    "take": (((4, 3),), {"indices": np.array([0, 2, 2]), "axis": 1}),
    "tensordot": (((2, 3), (3, 4)), {"axes": 1}),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_functions_composed_of_operations(name):
    shapes, options = COMPOSED_CALLS[name]
    rng = np.random.default_rng(0)
    values = [rng.normal(size=shape) for shape in shapes]
    tensors = [Tensor(value) for value in values]
    eager = getattr(ad, name)(*tensors, **options)
    slopes = ad.gradients((eager * eager).sum(), tensors)
    with static.Graph(), static.Session() as session:
        xs = [static.placeholder(shape) for shape in shapes]
        node = getattr(static, name)(*xs, **options)
        feed_dict = dict(zip(xs, values))
        found = session.run([node, *static.gradients(static.reduce_sum(node * node), xs)], feed_dict)
        np.testing.assert_array_equal(session.run(node, feed_dict), eager.data)  # on plain data
    for mine, theirs in zip(found, [eager, *slopes], strict=True):
        np.testing.assert_array_equal(mine, theirs.data)
    assert node.op == name


def test_comparisons_are_masks():
    x, labels = static.placeholder((3,)), static.placeholder((3,), dtype=int)
    value = np.array([-1.0, 0.0, 2.0])
    session = static.Session()
    feed_dict = {x: value, labels: [1, 0, 1]}
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        found = session.run(getattr(static, name)(x, 0.0), feed_dict)
        np.testing.assert_array_equal(found, getattr(np, name)(value, 0.0))
        assert found.dtype == bool
    h = static.where(x > 0, x * x, static.exp(x))
    slope = static.gradients(static.reduce_sum(h), x)[0]
    np.testing.assert_array_equal(session.run(slope, feed_dict), [np.exp(-1.0), 1.0, 4.0])
    hits = static.equal(labels, static.constant([1, 1, 1]))
    accuracy = static.reduce_mean(static.cast(hits, dtype=float))
    assert session.run(accuracy, feed_dict) == pytest.approx(2 / 3)


def test_an_index_may_be_a_node():
    table = static.Variable(np.arange(12.0).reshape(4, 3))
    rows, columns = static.placeholder((None,), dtype=int), static.placeholder((None,), dtype=int)
    picked = table[rows, columns]
    slope = static.gradients(static.reduce_sum(picked), table)[0]
    embedded = table[rows]
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        found = session.run([picked, slope, embedded], {rows: [0, 0, 3], columns: [1, 1, 2]})
    np.testing.assert_array_equal(found[0], [1.0, 1.0, 11.0])
    expected = np.zeros((4, 3))
    expected[0, 1], expected[3, 2] = 2, 1
    np.testing.assert_array_equal(found[1], expected)
    np.testing.assert_array_equal(found[2], np.arange(12.0).reshape(4, 3)[[0, 0, 3]])


def test_an_operation_of_one_s_own():
    @ad.operation
    def cube(x):
        return x**3

    cube.backward(lambda grad, z, x: grad * 3 * x * x)
    x = static.placeholder(name="x")
    y = static.apply(cube, x, name="volume")
    slope = static.gradients(y, x)[0]
    bend = static.gradients(slope, x)[0]
    assert static.Session().run([y, slope, bend], {x: 2.0}) == [8.0, 12.0, 12.0]
    assert repr(y) == "<volume(x)>"


@pytest.mark.parametrize(("attempt", "error", "message"), [
    (lambda x: static.exp(), TypeError, "exp takes 1 operand"),
    (lambda x: static.add(x), TypeError, "add takes 2 operands"),
    (lambda x: static.reduce_sum(x, axes=1), TypeError, "sum takes no 'axes'"),
    (lambda x: static.reduce_sum(x, axis=2), ValueError, "axis=2, and its operand has the shape"),
    (lambda x: x + np.zeros(4), ValueError, r"add cannot take operands of shapes \(\?, 3\) and \(4,\)"),
    (lambda x: static.matmul(x, np.zeros((2, 2))), ValueError, "3 columns on the left, 2 rows on the right"),
    (lambda x: x @ 2.0, ValueError, "at least one axis"),
    (lambda x: static.constant(np.zeros((2, 3)))[5], IndexError, "out of bounds"),
    (lambda x: static.reshape(static.constant(np.zeros(6)), (4, 2)), ValueError, "reshape"),
])  # fmt: skip
def test_a_wrong_call_is_refused_at_once(attempt, error, message):
    with static.Graph() as graph:
        x = static.placeholder((None, 3), name="x")
        with pytest.raises(error, match=message):
            attempt(x)
        assert all(name in ("x", "constant") for name in graph.nodes)
