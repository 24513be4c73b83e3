"""What an operation says it is, its kind and its sign: true for every operation of the catalogue."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff as ad
from autodiff import Tensor
from autodiff.calculus.forward import pushforward
from autodiff.engine.catalogue import catalogue
from autodiff.nn.losses import bounded_log, huber
from autodiff.testing import weights
from tests.engine.ops.cases import CASES, calls, examples

KNOWN = [operation.name for operation in catalogue if operation.kind]
BY_KIND = {
    kind: [operation.name for operation in catalogue if operation.kind == kind]
    for kind in ("elementwise", "linear", "view", "multilinear")
}
PYTHON = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "**": operator.pow,
    "%": operator.mod, "//": operator.floordiv, "@": operator.matmul,
}  # fmt: skip


def both_ways(monkeypatch, operation, operands, options, *, create_graph=False):
    """The tangent of a call by the operation's kind, and by its rules alone, which are right for any kind."""
    leaves = [Tensor(operand) for operand in operands]
    moves = {leaf: np.cos(k + 2 * weights(leaf.shape)).astype(leaf.dtype) for k, leaf in enumerate(leaves)}
    moves = {leaf: Tensor(move) for leaf, move in moves.items()} if create_graph else moves
    out = operation(*leaves, **options)
    found = pushforward(out, moves, create_graph=create_graph)
    with monkeypatch.context() as patch:
        patch.setattr(operation, "kind", None)
        expected = pushforward(out, moves, create_graph=create_graph)
    return found.numpy(), expected.numpy()


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("name", [name for name in KNOWN if not CASES[name].constant])
@examples(8)
@given(data=st.data())
def test_forward_mode_by_the_kind_and_by_the_rules_agree(name, create_graph, data):
    operands, options = data.draw(calls(name))
    with pytest.MonkeyPatch.context() as patch:
        found, expected = both_ways(patch, catalogue.find(name), operands, options, create_graph=create_graph)
    if name == "mean" and np.isnan(found).any():  # the mean of nothing
        return
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found, expected, 1e-9, 1e-12)


@pytest.mark.parametrize("name", BY_KIND["elementwise"])
@examples(8)
@given(data=st.data())
def test_an_elementwise_operation_computes_each_element_by_itself(name, data):
    operation = catalogue.find(name)
    operands, options = data.draw(calls(name))
    whole = np.asarray(operation(*operands, **options))
    operands = np.broadcast_arrays(*operands)
    assert whole.shape == operands[0].shape
    for place in np.ndindex(whole.shape):
        alone = operation(*(operand[place] for operand in operands), **options)
        np.testing.assert_allclose(alone, whole[place], 1e-12, 1e-15)


@pytest.mark.parametrize("name", [*BY_KIND["linear"], *BY_KIND["view"]])
@examples(8)
@given(data=st.data())
def test_a_linear_operation_is_linear(name, data):
    operation = catalogue.find(name)
    operands, options = data.draw(calls(name))
    others = [np.cos(k + 2 * weights(np.shape(operand))) for k, operand in enumerate(operands)]
    sums = [3 * operand - 2 * other for operand, other in zip(operands, others)]
    expected = np.multiply(3, operation(*operands, **options)) - np.multiply(2, operation(*others, **options))
    np.testing.assert_allclose(operation(*sums, **options), expected, 1e-9, 1e-12)


@pytest.mark.parametrize("name", BY_KIND["view"])
@examples(8)
@given(data=st.data())
def test_a_view_computes_nothing(name, data):
    operation = catalogue.find(name)
    operands, options = data.draw(calls(name))
    assert len(operands) == 1
    numbers = np.cos(weights(np.shape(operands[0])))
    assert set(np.ravel(operation(numbers, **options))) <= set(np.ravel(numbers))


def test_the_kinds_are_spread_over_the_catalogue():
    assert {kind: len(names) > 4 for kind, names in BY_KIND.items()} == dict.fromkeys(BY_KIND, True)
    assert [operation.name for operation in catalogue if operation.is_linear] == [
        name for name in KNOWN if name in BY_KIND["linear"] + BY_KIND["view"]
    ]
    assert not ad.exp.is_linear
    assert not ad.softmax.is_linear
    assert ad.softmax.kind is None
    assert (huber.kind, bounded_log.kind) == ("elementwise", "elementwise")


def test_a_wrong_kind_is_found(monkeypatch):
    x = np.array([1.0, -2.0, 3.0])
    pairs = (("cumsum", "elementwise"), ("square", "linear"), ("prod", "view"), ("relu", "linear"))
    for name, wrong in pairs:
        operation = catalogue.find(name)
        monkeypatch.setattr(operation, "kind", wrong)
        found, expected = both_ways(monkeypatch, operation, [x], {})
        assert not np.array_equal(found, expected), name


def test_an_operation_has_no_kind_and_no_sign_unless_it_is_told():
    @ad.operation
    def cube(x):
        return x * x * x

    assert (cube.kind, cube.sign, cube.is_linear) == (None, None, False)


def test_the_rule_of_an_elementwise_operation_of_one_s_own_serves_forward_mode():
    calls_of_the_rule = []

    @ad.operation(kind="elementwise")
    def cube(x):
        return x * x * x

    def by_cube(grad, z, x):
        calls_of_the_rule.append(grad)
        return grad * 3 * x * x

    cube.backward(by_cube)
    out, moved = ad.jvp(cube, (np.array([1.0, 2.0]),), (np.array([10.0, 1.0]),))
    assert out.data.tolist() == [1.0, 8.0]
    assert moved.data.tolist() == [30.0, 12.0]
    assert [np.array(grad).tolist() for grad in calls_of_the_rule] == [[10.0, 1.0]]


def test_an_elementwise_operation_on_any_number_of_operands():
    @ad.operation(kind="elementwise")
    def weighted(*parts):
        return sum(k * part for k, part in enumerate(parts, start=1))

    weighted.backward(joint=lambda grad, z, *parts, wanted: [k * grad for k in range(1, len(parts) + 1)])
    moved = ad.jvp(lambda x, y: weighted(x, y), ([1.0, 2.0], 3.0), ([10.0, 0.0], 1.0))[1]
    assert moved.data.tolist() == [12.0, 2.0]


COMPOSED = {
    "expand": lambda x: x.expand(2, -1, -1), "narrow": lambda x: ad.narrow(x, 1, 1, 2), "t": lambda x: x.t(),
    "index_select": lambda x: ad.index_select(x, 1, [2, 0]), "take": lambda x: ad.take(x, [4, 0, 0]),
    "masked_fill": lambda x: ad.masked_fill(x, np.eye(2, 3, dtype=bool), 7.0),
    "quantile": lambda x: np.quantile(x, [0.2, 0.7], axis=0, keepdims=True),
    "flatten": lambda x: x.flatten(), "movedim": lambda x: ad.moveaxis(x, [0], [1]),
    "tensordot": lambda x: ad.tensordot(x, x, axes=[[1], [1]]), "var": lambda x: ad.var(x, axis=[0, 1]),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPOSED)
def test_forward_mode_goes_through_functions_that_are_composed(name):
    """It applies linear operations again, with the options that they were called with."""
    f, x = COMPOSED[name], np.array([[0.3, 2.0, -1.0], [1.5, -0.25, 0.75]])
    move = np.arange(6.0).reshape(2, 3)
    ahead, behind = (f(Tensor(x + step * move)).data for step in (1e-6, -1e-6))
    _, tangent = ad.jvp(f, (x,), (move,))
    np.testing.assert_allclose(tangent.data, (ahead - behind) / 2e-6, rtol=1e-7, atol=1e-7)


def test_a_wrong_kind_of_one_s_own_gives_a_wrong_jvp_which_nudges_show():
    def summed(kind):
        @ad.operation(kind=kind)
        def running(x):
            return np.cumsum(x)

        return running.backward(lambda grad, z, x: ad.flip(ad.cumsum(ad.flip(grad))))

    x, move, eps = np.array([1.0, 2.0, 3.0]), np.array([1.0, 10.0, 100.0]), 1e-6
    nudged = (summed(None)(x + eps * move) - summed(None)(x - eps * move)) / (2 * eps)
    for kind in (None, "linear"):
        np.testing.assert_allclose(ad.jvp(summed(kind), (x,), (move,))[1].data, nudged, 1e-6)
    assert not np.allclose(ad.jvp(summed("elementwise"), (x,), (move,))[1].data, nudged)
    assert ad.gradcheck(summed("elementwise"), x)  # backward does not ask for the kind


@pytest.mark.parametrize("kind", ["pointwise", "", "Linear", 1, True])
def test_a_kind_that_there_is_not_is_refused(kind):
    with pytest.raises(ValueError, match=r"cube has the unknown kind .*; use one of 'elementwise', 'linear'"):

        @ad.operation(kind=kind)
        def cube(x):
            return x * x * x


def test_a_sign_that_is_no_string_is_refused():
    with pytest.raises(TypeError, match=r"the sign of cube must be a string .* not 3"):

        @ad.operation(sign=3)
        def cube(x):
            return x * x * x


def test_a_function_class_has_no_kind():
    class Running(ad.Function):
        @staticmethod
        def forward(ctx, x):
            return np.cumsum(x)

        @staticmethod
        def backward(ctx, grad):
            return ad.flip(ad.cumsum(ad.flip(grad)))

    x = ad.Tensor([1.0, 2.0, 3.0])
    assert Running.apply(x).creation_op.kind is None
    assert ad.jvp(Running.apply, (x,), ([1.0, 10.0, 100.0],))[1].data.tolist() == [1.0, 11.0, 111.0]


def test_signs_are_python_s_operators():
    signed = {op.sign: op for op in catalogue if op.sign and len(op.inputs) == 2}
    assert signed.keys() == PYTHON.keys()
    x, y = np.array([[4.0, 3.0], [2.0, 5.0]]), np.array([[2.0, 3.0], [4.0, 1.0]])
    for sign, operation in signed.items():
        np.testing.assert_array_equal(operation(x, y), PYTHON[sign](x, y))
    assert {op.name: op.sign for op in catalogue if op.sign and len(op.inputs) != 2} == {
        "neg": "-",
        "transpose": "T",
    }
