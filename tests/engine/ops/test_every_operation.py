"""What holds for every operation of the catalogue, on all shapes that it takes, empty ones too."""

from __future__ import annotations

from itertools import cycle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodiff as ad
from autodiff import Tensor
from autodiff.calculus.forward import pushforward
from autodiff.engine.backward import gradients
from autodiff.engine.catalogue import catalogue
from autodiff.engine.tensor import constant_tensor
from autodiff.testing import LAYOUTS, laid, weights
from tests.engine.ops.cases import CASES, call, calls, examples, laid_out, layouts
from tests.engine.ops.references import complex_step

NAMES = [operation.name for operation in catalogue]
DIFFERENTIABLE = [name for name in NAMES if name not in CASES or not CASES[name].constant]
PICTURES = ("kernel_gradient", "to_largest", "at_largest")  # which take three axes and more
BINARY = [
    name for name in DIFFERENTIABLE
    if name in CASES and len(CASES[name].grids) == 2 and name not in PICTURES
    and name != "scatter_add"  # which needs its indices
]  # fmt: skip
FLOATS = (np.float32, np.float64)

every_operation = pytest.mark.parametrize("name", NAMES)
every_differentiable_operation = pytest.mark.parametrize("name", DIFFERENTIABLE)


def rules_of(name):
    """A rule, or None, for each operand; a joint rule for any number of operands gives each its share."""
    operation = catalogue.find(name)
    return cycle([operation.joint]) if operation.is_variadic else operation.rules


def test_every_operation_has_a_case():
    assert sorted(CASES) == sorted(NAMES)


@every_operation
@examples(10)
@given(data=st.data())
def test_forward_and_dtype_are_numpy_s_and_a_number_stays_a_python_float(name, data):
    operands, options = data.draw(calls(name, FLOATS))
    expected = CASES[name].numpy(*operands, **options)
    out = call(data, name, [*map(Tensor, operands)], options)
    dtype = np.result_type(*operands)
    rtol = 1e-6 if dtype == np.float32 else 1e-14
    np.testing.assert_allclose(out.numpy(), expected, rtol, CASES[name].atol * np.finfo(dtype).eps)
    assert out.shape == np.shape(expected)
    numbers = all(isinstance(operand, float) for operand in operands)
    if numbers and out.shape == () and name != "cast":  # which is there to give another dtype
        assert type(out.data) is float
    else:
        assert out.dtype == np.asarray(expected).dtype


@every_operation
@examples(4)
@given(data=st.data())
def test_plain_operands_give_plain_results(name, data):
    operands, options = data.draw(calls(name))
    operands = laid_out(data, operands)
    before = [np.array(operand) for operand in operands]
    out = catalogue.find(name)(*operands, **options)
    recorded = catalogue.find(name)(*map(constant_tensor, operands), **options)
    assert not isinstance(out, Tensor)
    np.testing.assert_array_equal(out, recorded.data)
    for operand, value in zip(operands, before, strict=True):
        np.testing.assert_array_equal(operand, value)


@every_differentiable_operation
@examples(12)
@given(data=st.data())
def test_first_derivative_agrees_with_a_step(name, data):
    """A complex step has no rounding error, where NumPy's function takes one; else two real ones."""
    operands, options = data.draw(calls(name))
    if CASES[name].real:
        assert ad.gradcheck(lambda *x: catalogue.find(name)(*x, **options), *operands, eps=1e-5, atol=1e-6)
        return
    leaves = [Tensor(operand) for operand in operands]
    out = call(data, name, leaves, options)
    weight = weights(out.shape)
    slopes = gradients(out, leaves, weight)
    for place, (slope, rule) in enumerate(zip(slopes, rules_of(name))):
        if rule is not None:
            expected = complex_step(CASES[name].numpy, operands, options, place, weight)
            np.testing.assert_allclose(slope.data, expected, rtol=1e-10, atol=1e-13)


@every_differentiable_operation
@examples(12)
@given(data=st.data())
def test_a_gradient_is_the_same_whichever_other_operands_want_one(name, data):
    operands, options = data.draw(calls(name))
    with_rule = [place for place, (_, rule) in enumerate(zip(operands, rules_of(name))) if rule is not None]
    if len(with_rule) < 2:
        return

    def slopes(wanted):
        leaves = [Tensor(x, requires_grad=place in wanted) for place, x in enumerate(operands)]
        out = catalogue.find(name)(*leaves, **options)
        found = gradients(out, [leaves[place] for place in wanted], weights(out.shape))
        return [slope.data for slope in found]

    for place, expected in zip(with_rule, slopes(with_rule), strict=True):
        (alone,) = slopes([place])
        np.testing.assert_allclose(alone, expected, rtol=1e-12, atol=1e-14)


@every_differentiable_operation
@examples(8)
@given(data=st.data())
def test_second_derivative_agrees_with_nudges(name, data):
    operands, options = data.draw(calls(name))
    layout = data.draw(layouts)  # gradcheck tries the inputs in each

    @ad.enable_grad()  # gradcheck nudges without recording, and a gradient needs its graph
    def slopes(*inputs):
        out = laid(catalogue.find(name)(*inputs, **options), layout=layout)
        end = (
            out * out * weights(out.shape)
        ).sum()  # squared, so that a linear operation has a second one too
        parts = gradients(end, list(inputs), create_graph=True)
        return sum(((part * weights(part.shape)).sum() for part in parts), Tensor(0.0))

    assert ad.gradcheck(slopes, *operands, eps=1e-5, atol=1e-5)


@every_differentiable_operation
@examples(10)
@given(data=st.data())
def test_a_tangent_forward_is_worth_what_a_gradient_is_backward(name, data):
    """For a move t of the operands and a weight u of the result, u (A t) = (u A) t."""
    operands, options = data.draw(calls(name, FLOATS))
    leaves = [Tensor(operand) for operand in operands]
    out = call(data, name, leaves, options)
    if np.isnan(out.data).any():  # the mean of nothing
        return
    u = weights(out.shape)  # and t is another, else a rule that is not its own transpose might seem to be
    moves = {
        leaf: leaf.detach() * 0 + np.cos(place + 2 * weights(leaf.shape)) for place, leaf in enumerate(leaves)
    }
    worth = sum(
        np.sum(slope.data * moves[leaf].data) for leaf, slope in zip(leaves, gradients(out, leaves, u))
    )
    rtol = 1e-4 if np.float32 in [leaf.dtype for leaf in leaves] else 1e-9
    for create_graph in (False, True):
        given_moves = moves if create_graph else {leaf: move.data for leaf, move in moves.items()}
        pushed = pushforward(out, given_moves, create_graph=create_graph)
        assert (pushed.shape, pushed.dtype) == (out.shape, out.dtype)
        np.testing.assert_allclose(np.sum(u * pushed.data), worth, rtol, rtol)


@every_differentiable_operation
@examples(10)
@given(data=st.data())
def test_gradients_are_like_the_data_and_belong_to_their_leaf(name, data):
    operands, options = data.draw(calls(name, FLOATS))
    leaves = [Tensor(operand) for operand in operands]
    for leaf in leaves:
        leaf._value = laid_out(data, [leaf._value])[0]
    values = [np.array(operand) for operand in operands]
    out = catalogue.find(name)(*leaves, **options)
    result = np.array(out.data)
    incoming = np.full(out.shape, 2.0, dtype=out.dtype)
    out.backward(incoming)

    np.testing.assert_array_equal(incoming, 2.0)
    np.testing.assert_array_equal(out.data, result)
    in_use = [incoming, out.data, out.grad.data]
    for leaf, value, rule in zip(leaves, values, rules_of(name)):
        np.testing.assert_array_equal(leaf.data, value)
        if rule is None:
            assert leaf.grad is None
            continue
        assert (leaf.grad.shape, leaf.grad.dtype) == (leaf.shape, leaf.dtype)
        assert type(leaf.grad.data) is type(leaf.data)
        if isinstance(leaf.grad.data, np.ndarray):
            assert leaf.grad.data.flags.owndata
            assert leaf.grad.data.flags.writeable
            assert not any(np.shares_memory(leaf.grad.data, other) for other in in_use)
        in_use += [leaf.data, leaf.grad.data]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in DIFFERENTIABLE])
@examples(5)
@given(data=st.data())
def test_an_operation_without_slopes_gives_constants(name, data):
    operands, options = data.draw(calls(name))
    out = call(data, name, [*map(Tensor, operands)], options)
    assert (out.requires_grad, out.creators) == (False, None)


@every_operation
@examples(4)
@given(data=st.data())
def test_no_memory_layout_changes_a_value_or_a_gradient(name, data):
    """Operands and the gradient that arrives, laid out alike in each way; the other tests mix them."""
    operands, options = data.draw(calls(name, FLOATS))
    weight = data.draw(st.sampled_from([weights, np.ones]))
    rtol = 1e-4 if np.float32 in [np.asarray(operand).dtype for operand in operands] else 1e-10
    expected = None
    for layout in LAYOUTS:
        leaves = [Tensor(operand) for operand in operands]
        out = catalogue.find(name)(*(laid(leaf, layout=layout) for leaf in leaves), **options)
        found = [out]
        if out.requires_grad:
            found += gradients(laid(out, layout=layout), leaves, weight(out.shape))
        found = [np.asarray(result.data) for result in found]
        expected = expected or found
        for result, same in zip(found, expected, strict=True):
            np.testing.assert_allclose(result, same, rtol, rtol, err_msg=layout)


@every_differentiable_operation
@examples(4)
@given(data=st.data())
def test_float32_stays_float32(name, data):
    operands, options = data.draw(calls(name, (np.float32,)))
    if name == "cast":
        options = {"dtype": np.float32}
    leaves = [Tensor(operand) for operand in operands]
    out = call(data, name, leaves, options)
    out.backward(1)
    smooth = [leaf for leaf, rule in zip(leaves, rules_of(name)) if rule is not None]
    numbers = sum(type(leaf.data) is float for leaf in smooth)
    allowed = 0 if catalogue.find(name).is_variadic else 1  # beyond, NumPy makes float64, as of two in clip
    if numbers <= allowed and any(leaf.dtype == np.float32 for leaf in smooth):
        assert (out.dtype, out.grad.dtype) == (np.float32, np.float32)
    assert [leaf.grad.dtype for leaf in smooth] == [leaf.dtype for leaf in smooth]


@pytest.mark.parametrize("name", [name for name in BINARY if name not in ("matmul", "solve")])
@pytest.mark.parametrize("number", [2, 2.0, np.float64(2), True], ids=repr)
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_number_as_constant_keeps_float32(name, number, side):
    x = Tensor(np.array([0.5, 1.5], dtype=np.float32))
    operands = (number, x) if side == "left" else (x, number)
    out = catalogue.find(name)(*operands)
    out.backward(1)
    assert (out.dtype, x.grad.dtype) == (np.float32, np.float32)
    exact = Tensor(x.data.astype(np.float64))
    catalogue.find(name)(*(exact if operand is x else operand for operand in operands)).backward(1)
    np.testing.assert_allclose(x.grad.data, exact.grad.data, rtol=1e-6)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("sequence", [list, tuple])
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_list_as_constant_is_an_array(name, sequence, side):
    values = [[1.0, 2.0], [3.0, 4.0]]
    x, same = Tensor([[0.5, 1.5], [2.5, 3.5]]), Tensor([[0.5, 1.5], [2.5, 3.5]])
    for leaf, constant in ((x, sequence(values)), (same, np.array(values))):
        out = catalogue.find(name)(*((constant, leaf) if side == "left" else (leaf, constant)))
        out.backward(1)
    np.testing.assert_array_equal(x.grad.data, same.grad.data)
