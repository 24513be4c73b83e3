"""Operation: one's own by @ad.operation, its rules, and what it gives for plain data."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor


def cube():
    @ad.operation
    def cube(x):
        """The third power."""
        return x * x * x

    return cube.backward(lambda grad, z, x: grad * 3 * x * x)


@pytest.mark.parametrize("value", [2.0, [2.0, -1.0], [[0.5]]], ids=str)
def test_one_s_own_operation_records_checks_and_differentiates_twice(value):
    operation = cube()
    x = Tensor(value)
    y = operation(x)
    assert y.creation_op is operation
    y.backward(1)
    np.testing.assert_allclose(x.grad.data, 3 * np.square(value))
    assert ad.gradcheck(operation, value)
    second = ad.grad(lambda x: ad.grad(lambda x: operation(x).sum())(x).sum())(x)
    np.testing.assert_allclose(second.data, 6 * np.array(value))


def test_it_keeps_its_function_s_name_and_words():
    operation = cube()
    assert (str(operation), operation.__name__, operation.__doc__) == ("cube", "cube", "The third power.")
    assert repr(operation) == "<operation cube>"


def test_an_operation_equals_its_name_and_itself():
    operation = cube()
    assert operation == "cube"
    assert operation == operation
    assert operation != "square"
    assert operation != cube()
    assert {operation: 1}["cube"] == 1


def test_broadcasting_is_the_engine_s_business():
    @ad.operation
    def product(x, y):
        return x * y

    product.backward(lambda grad, z, x, y: grad * y, lambda grad, z, x, y: grad * x)
    assert ad.gradcheck(product, [[1.0], [2.0]], [3.0, 4.0, 5.0])
    assert ad.gradcheck(product, 2.0, [3.0, 4.0])


def test_options_reach_the_rule():
    @ad.operation
    def scale(x, *, by=2):
        return x * by

    scale.backward(lambda grad, z, x, by=2: grad * by)
    x = Tensor(3.0)
    (scale(x) + scale(x, by=5)).backward()
    assert x.grad == 7


def test_more_than_two_operands():
    @ad.operation
    def fused(x, y, z, *, plus=0):
        return x * y + z + plus

    fused.backward(
        lambda grad, out, x, y, z, plus=0: grad * y,
        lambda grad, out, x, y, z, plus=0: grad * x,
        lambda grad, out, x, y, z, plus=0: grad,
    )
    x, z = Tensor([2.0, 3.0]), Tensor(4.0)
    out = fused(x, 5, z, plus=1)
    assert all(creator is operand for creator, operand in zip(out.creators, (x, 5, z), strict=True))
    assert out.data.tolist() == [15, 20]
    out.backward(1)
    assert (x.grad.data.tolist(), z.grad.data) == ([5, 5], 2)
    assert ad.gradcheck(fused, 1.0, [2.0, 3.0], 4.0)


def test_only_the_rules_that_are_wanted_are_called():
    called = []

    @ad.operation
    def product(x, y):
        return x * y

    product.backward(
        lambda grad, z, x, y: called.append("x") or grad * y,
        lambda grad, z, x, y: called.append("y") or grad * x,
    )
    product(Tensor([2.0], requires_grad=False), Tensor([3.0])).backward()
    product(Tensor([2.0]), [3.0]).backward()
    assert called == ["y", "x"]


@pytest.mark.parametrize("form", [float, lambda x: np.array([x])], ids=["number", "array"])
def test_none_for_a_rule_says_constant(form):
    @ad.operation
    def shifted_floor(x, y):
        return np.floor(x) + y

    shifted_floor.backward(None, lambda grad, z, x, y: grad)
    x, y = Tensor(form(2.5)), Tensor(form(1.0))
    assert not shifted_floor(x, 1).requires_grad
    shifted_floor(x, y).backward()
    assert (x.grad, float(y.grad)) == (None, 1)


def test_all_rules_none_gives_a_constant_without_a_graph():
    @ad.operation
    def floor(x):
        return np.floor(x)

    floor.backward(None)
    y = floor(Tensor([1.5]))
    assert (y.requires_grad, y.creators) == (False, None)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_wrong_number_of_rules_is_refused(count):
    @ad.operation
    def product(x, y, *, option=None):
        return x * y

    with pytest.raises(ValueError, match=rf"product needs one rule for each of x, y; it got {count}"):
        product.backward(*[lambda grad, z, x, y: grad] * count)


@pytest.mark.parametrize("inputs", [1, 2, 3])
def test_an_operation_without_rules_says_so_when_a_gradient_is_wanted(inputs):
    function = {1: lambda x: x, 2: lambda x, y: x + y, 3: lambda x, y, z: x + y + z}[inputs]
    bare = ad.operation(function)
    assert bare(*[1.0] * inputs) == inputs
    with pytest.raises(TypeError, match=r"has no rules.*\.backward"):
        bare(*[Tensor(1.0)] * inputs)


@pytest.mark.parametrize("shape", [(2,), (4, 3), (1,)], ids=str)
def test_a_rule_s_wrong_shape_names_the_operation(shape):
    @ad.operation
    def careless(x):
        return x * 1

    careless.backward(lambda grad, z, x: np.ones(shape))
    x = Tensor([[1.0, 2.0, 3.0]] * 2, name="x")
    message = rf"a rule of careless gave the Tensor 'x' of shape \(2, 3\) a gradient of shape \({shape[0]}"
    with pytest.raises(ValueError, match=message):
        careless(x).backward(1)
    assert x.grad is None


def test_a_rule_that_hands_on_an_operand_does_not_give_it_away():
    @ad.operation
    def half_square(x):
        return x * x / 2

    half_square.backward(lambda grad, z, x: x)
    x = Tensor([1.0, 2.0])
    half_square(x).backward(1)
    x.grad.data += 1
    assert x.data.tolist() == [1, 2]


def test_a_number_s_own_forward_is_used_for_numbers_alone():
    @ad.operation(scalar=lambda x: 100.0)
    def either(x):
        return x * 1

    either.backward(lambda grad, z, x: grad)
    assert (either(1.0), either(Tensor(1.0)).data, either(np.array([1.0])).tolist()) == (100.0, 100.0, [1])


# -- plain data ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "relu", "abs"])
def test_on_a_number_an_operation_gives_a_plain_float(name):
    assert type(getattr(ad, name)(2.0)) is float


def test_plain_operands_of_every_kind():
    assert ad.add(2, 3) == 5
    assert type(ad.mul([1, 2], [3, 4])) is np.ndarray
    assert ad.exp(np.float32(1)).dtype == np.float32
    assert type(ad.add(np.float64(1), 2)) is float


def test_a_plain_array_is_not_changed():
    array = np.array([-1.0, 4.0])
    ad.relu(array)
    ad.sqrt(np.abs(array))
    assert array.tolist() == [-1, 4]


@pytest.mark.parametrize(
    ("call", "same"),
    [
        (lambda x: ad.sum(x, 0), lambda x: ad.sum(x, axis=0)),
        (lambda x: ad.sum(x, 1, True), lambda x: x.sum(axis=1, keepdims=True)),
        (lambda x: ad.sum(x, 1, keepdims=True), lambda x: x.sum(axis=1, keepdims=True)),
        (lambda x: ad.reshape(x, (3, 2)), lambda x: x.reshape(3, 2)),
        (lambda x: ad.concatenate([x, x], 1), lambda x: ad.concatenate(x, x, axis=1)),
        (lambda x: ad.stack((x, x), 1), lambda x: ad.stack(x, x, axis=1)),
    ],
)
def test_options_may_follow_the_operands_without_their_names(call, same):
    x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert call(x).data.tolist() == same(x).data.tolist()
    assert call(x).options == same(x).options
    assert np.array_equal(call(x.data), same(x).data)


@pytest.mark.parametrize(
    "call", [lambda x: ad.sum(x, 0, True, 3), lambda x: ad.sum(x, 0, axis=0), lambda x: ad.exp(x, 0)]
)
def test_too_many_operands_or_an_option_given_twice(call):
    with pytest.raises(TypeError, match=r"takes \d operands? \(x.*\).*; it got \d"):
        call(Tensor([1.0]))


@pytest.mark.parametrize("data", [2.0, [1.0, 2.0]], ids=["number", "array"])
@pytest.mark.parametrize("options", [{}, {"k": 3}], ids=["plain", "option"])
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_rule_without_a_return_is_an_error_and_no_missing_gradient(data, options, create_graph):
    @ad.operation
    def scale(x, *, k=2):
        return x * k

    scale.backward(lambda grad, z, x, k=2: None)
    x = Tensor(data, name="x")
    with pytest.raises(TypeError, match=r"a rule of scale returned None for the Tensor 'x'.*return"):
        scale(x, **options).backward(1, create_graph=create_graph)
    assert x.grad is None
