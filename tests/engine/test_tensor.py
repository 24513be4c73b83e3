"""Tensor: what it holds, how it prints, what it records, and when it is changed in place."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor

# -- what it holds ---------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [2, 2.0, True, np.float64(2)], ids=repr)
@pytest.mark.parametrize("requires_grad", [True, False])
def test_a_number_is_kept_as_a_python_float(number, requires_grad):
    x = Tensor(number, requires_grad=requires_grad)
    assert type(x.data) is float
    assert (x.shape, x.ndim, x.size, x.dtype) == ((), 0, 1, np.float64)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_float_arrays_keep_their_dtype(dtype):
    assert Tensor(np.ones(2, dtype)).dtype == dtype


@pytest.mark.parametrize("data", [[1, 2], (1, 2), np.array([1, 2], np.uint8), [True, False]], ids=repr)
def test_integers_and_booleans_become_floats(data):
    assert Tensor(data).dtype == np.float64


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.bool_])
def test_a_constant_keeps_integers_and_booleans(dtype):
    assert Tensor(np.ones(2, dtype), requires_grad=False).dtype == dtype


def test_a_constant_that_is_to_have_a_gradient_becomes_floats():
    x = Tensor([1, 2], requires_grad=False)
    x.requires_grad = True
    assert x.dtype == np.float64


def test_the_caller_s_array_is_copied():
    for array in (np.ones(2), np.ones(2, int)):
        x = Tensor(array, requires_grad=array.dtype == float)
        x += 1
        x.data[0] = 9
        x.data = array
        x.data[0] = 9
        assert array.tolist() == [1, 1]


def test_a_tensor_from_a_tensor_is_a_new_leaf():
    x = Tensor([1.0, 2.0]) * 1
    y = Tensor(x)
    assert y.creators is None
    assert not np.shares_memory(x.data, y.data)


def test_shape_ndim_size_len_dtype_numpy_item():
    x = Tensor(np.ones((2, 3), np.float32))
    assert (x.shape, x.ndim, x.size, len(x), x.dtype) == ((2, 3), 2, 6, 2, np.float32)
    assert x.numpy() is x.data
    assert Tensor(3).numpy().shape == ()
    assert (Tensor([[3.0]]).item(), float(Tensor([3.0])), int(Tensor(3.7))) == (3.0, 3.0, 3)


def test_no_attribute_can_be_misspelt():
    with pytest.raises(AttributeError):
        Tensor(1).requires_gradient = False


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_a_copy_remembers_how_it_was_made(duplicate):
    y = duplicate(-Tensor(2.0))
    y.backward()
    assert len(y.creators) == 1
    assert y.creators[0].grad == -1


# -- how it prints ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (40, "40"),
        (-0.5, "-0.5"),
        (1 / 3, "0.333333"),
        (1e6, "1e+06"),
        (123456, "123456"),
        (1234567, "1.23457e+06"),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
        ([1, 2.5, 1 / 3], "[       1      2.5 0.333333]"),
        ([[1, 2], [3, 40]], "[[ 1  2]\n [ 3 40]]"),
        ([], "[]"),
        (np.array(2.0, np.float32), "2"),
        (np.array(1 / 3), "0.333333"),
    ],
    ids=repr,
)
def test_text_is_short_and_has_no_point_zero(data, text):
    assert (repr(Tensor(data)), str(Tensor(data))) == (text, text)


@pytest.mark.parametrize(
    ("options", "number", "array"),
    [
        ({}, "1", "[   1 1234.57    0.333333]"),
        ({"precision": 8}, "1", "[   1 1234.57    0.333333]"),
        ({"precision": 9}, "1.000000001", "[      1.000000001    1234.567890123       0.3333333333]"),
        ({"precision": 12}, "1.000000001", "[1.000000001 1234.56789012345 0.3333333333333]"),
        ({"precision": 3}, "1", "[       1 1234.568   0.3333]"),
        ({"precision": 0}, "1", "[   1 1235  0.3]"),
        ({"floatmode": "unique"}, "1.000000001", ""),
    ],
    ids=str,
)
def test_more_digits_or_fewer_on_request(options, number, array):
    value = Tensor(1 + 1e-9)
    with np.printoptions(**options):
        assert (repr(value), str(value), f"{value}") == (number,) * 3
        shown = repr(Tensor([1 + 1e-9, 1234.56789012345, 1 / 3]))
        assert not array or shown.strip("[]").split() == array.strip("[]").split()
        assert repr(Tensor(40.0)) == "40"
        assert repr(Tensor(np.float32(0.1))).startswith("0.1")
        assert repr(Tensor([np.nan, np.inf, 1e300]))
    assert f"{value:.3f}" == "1.000"


@pytest.mark.parametrize(("data", "text"), [([1, 2], "[1 2]"), ([True, False], "[ True False]")], ids=repr)
def test_text_of_constants_that_are_no_floats(data, text):
    assert repr(Tensor(np.array(data), requires_grad=False)) == text


def test_a_long_array_is_cut_as_numpy_cuts_it():
    assert "..." in repr(Tensor(np.ones(10_000)))


def test_a_leaf_prints_and_so_do_its_creators_and_grad():
    x = Tensor(2)
    assert f"{x} {x.creators} {x.creation_op} {x.grad}" == "2 None None None"


def test_a_format_of_one_s_own():
    assert f"{Tensor(1 / 3):.2f}|{Tensor([0.5]):+.1f}|{Tensor(2):>4}" == "0.33|+0.5| 2.0"


# -- what it records -------------------------------------------------------------------------------


def test_creators_are_the_operands_as_given():
    x = Tensor([2.0])
    for operand in (3, np.array([3.0]), Tensor(3.0, requires_grad=False)):
        first, second = (x * operand).creators
        assert first is x
        assert second is operand


def test_a_list_is_a_creator_as_the_array_it_stands_for():
    x = Tensor([2.0])
    assert np.array_equal((x * [4.0]).creators[1], np.array([4.0]))


def test_a_leaf_has_no_creators():
    assert (Tensor(2).creators, Tensor(2).creation_op) == (None, None)


def test_a_tensor_made_by_hand_walks_back():
    x, y = Tensor(2), Tensor(3)
    z = Tensor(6, creators=[x, y], creation_op="mul")
    z.backward()
    assert z.creation_op is ad.mul
    assert (x.grad.data, y.grad.data) == (3, 2)


@pytest.mark.parametrize(("x", "y", "wanted"), [(1, 1, True), (1, 0, True), (0, 1, True), (0, 0, False)])
def test_a_result_wants_a_gradient_if_an_operand_does(x, y, wanted):
    z = Tensor(2.0, requires_grad=bool(x)) * Tensor(3.0, requires_grad=bool(y))
    assert z.requires_grad is wanted
    assert (z.creators is None) is not wanted


OPERATORS = {
    "+": (lambda a, b: a + b, 7.0, 1.0),
    "-": (lambda a, b: a - b, 3.0, -1.0),
    "*": (lambda a, b: a * b, 10.0, 5.0),
    "/": (lambda a, b: a / b, 2.5, -1.25),
    "**": (lambda a, b: a**b, 25.0, 25 * np.log(5)),
}


@pytest.mark.parametrize("sign", OPERATORS)
@pytest.mark.parametrize(
    "left",
    [5, 5.0, np.float64(5), np.float32(5), np.int64(5), np.array(5.0), np.array([5.0]), [5.0]],
    ids=repr,
)
@pytest.mark.parametrize("form", [float, lambda x: np.array([x])], ids=["number", "array"])
def test_a_constant_on_the_left_is_recorded(sign, left, form):
    function, value, slope = OPERATORS[sign]
    t = Tensor(form(2.0))
    z = function(left, t)
    assert isinstance(z, Tensor)
    assert float(z) == value
    z.backward(1)
    assert float(t.grad) == pytest.approx(slope)


@pytest.mark.parametrize(
    "name",
    ["exp", "log", "sqrt", "sin", "cos", "tanh", "negative", "absolute", "abs", "add", "subtract", "multiply",
     "divide", "power", "maximum", "minimum", "matmul"],
)  # fmt: skip
def test_numpy_s_functions_record(name):
    ufunc = getattr(np, name)
    x = Tensor([0.5, 2.0])
    z = ufunc(*[x, np.array([2.0, 3.0])][: ufunc.nin])
    assert isinstance(z, Tensor)
    assert z.creators[0] is x
    np.testing.assert_allclose(z.data, ufunc(*[x.data, np.array([2.0, 3.0])][: ufunc.nin]))


@pytest.mark.parametrize(
    ("expression", "operation"),
    [
        (lambda t: t + 1, "add"), (lambda t: t - 1, "sub"), (lambda t: t * 2, "mul"),
        (lambda t: t / 2, "div"), (lambda t: t**2, "pow"), (lambda t: t @ t, "matmul"),
        (lambda t: -t, "neg"), (lambda t: abs(t), "abs"), (lambda t: t.exp(), "exp"),
        (lambda t: t.log(), "log"), (lambda t: t.sqrt(), "sqrt"), (lambda t: t.sin(), "sin"),
        (lambda t: t.cos(), "cos"), (lambda t: t.tanh(), "tanh"), (lambda t: t.sigmoid(), "sigmoid"),
        (lambda t: t.relu(), "relu"), (lambda t: t.abs(), "abs"), (lambda t: t.maximum(2), "maximum"),
        (lambda t: t.minimum(2), "minimum"), (lambda t: t.mm(t), "matmul"), (lambda t: t.sum(), "sum"),
        (lambda t: t.mean(), "mean"), (lambda t: t.reshape(2, 1), "reshape"),
        (lambda t: t.transpose(), "transpose"), (lambda t: t.T, "transpose"),
    ],
)  # fmt: skip
def test_every_operator_and_method_records_its_operation(expression, operation):
    t = Tensor([1.0, 3.0])
    z = expression(t)
    assert z.creation_op == operation
    assert z.creators[0] is t
    z.backward(1)
    assert t.grad is not None


def test_a_plus_in_front_changes_nothing():
    x = Tensor(2)
    assert +x is x


def test_number_times_numpy_integer_stays_a_python_float():
    assert type((Tensor(2.0) * np.int64(3)).data) is float


# -- comparisons -----------------------------------------------------------------------------------


def test_comparisons_give_plain_data():
    x, y = Tensor(2), Tensor(3)
    assert [x == y, x != y, x < y, x <= y, x > y, x >= y] == [False, True, True, True, False, False]
    assert type(x == 2) is bool
    array = Tensor([1.0, 2.0])
    for result in (
        array == 2,
        array >= Tensor([1.0, 3.0]),
        np.array([1.0, 2.0]) == array,
        np.float64(1) < array,
    ):
        assert type(result) is np.ndarray
        assert result.dtype == bool
    assert np.isnan(array).tolist() == [False, False]


def test_hashing_is_by_identity():
    x, twin = Tensor(2), Tensor(2)
    assert len({x, twin, x}) == 2
    assert {x: "x", twin: "twin"}[x] == "x"


def test_truth_is_that_of_the_number():
    assert (bool(Tensor(0)), bool(Tensor(0.5)), bool(Tensor([0.0]))) == (False, True, False)


# -- changes ---------------------------------------------------------------------------------------


def in_place(t, sign, other):
    match sign:
        case "+":
            t += other
        case "-":
            t -= other
        case "*":
            t *= other
        case "/":
            t /= other
        case "**":
            t **= other
    return t


@pytest.mark.parametrize("sign", OPERATORS)
@pytest.mark.parametrize(
    "other", [2, 2.0, np.array(2.0), np.float32(2), Tensor(2, requires_grad=False)], ids=repr
)
@pytest.mark.parametrize("form", [float, lambda x: np.array([x, x], np.float32)], ids=["number", "float32"])
def test_a_leaf_is_updated_in_place(sign, other, form):
    w = Tensor(form(5.0), name="w")
    (w * w).backward(1)
    kind, dtype = type(w.data), w.dtype
    updated = in_place(w, sign, other)
    assert updated is w
    assert np.all(w.data == OPERATORS[sign][1])
    assert (w.grad, w.creators, w.requires_grad, w.name) == (None, None, True, "w")
    assert (type(w.data), w.dtype) == (kind, dtype)


def test_a_leaf_in_an_array_plus_1():
    x = Tensor([1, 2, 3])
    same = x
    x += 1
    assert x is same
    assert x.data.tolist() == [2, 3, 4]
    assert x.grad is None


def test_a_gradient_step_is_in_place():
    w = Tensor([1.0, 2.0])
    same = w
    (w * w).sum().backward()
    w -= 0.5 * w.grad
    assert w is same
    assert w.data.tolist() == [0, 0]


def test_a_right_side_that_wants_a_gradient_is_recorded():
    total, loss = Tensor(0.0), Tensor(3.0)
    before = total
    total += loss * loss
    assert total is not before
    total.backward()
    assert (total.data, before.data, loss.grad.data) == (9, 0, 6)


def test_a_recorded_left_side_stays_differentiable():
    x = Tensor(5.0)
    y = 2 * x
    y += x
    y += 1
    y.backward()
    assert (y.data, x.grad.data) == (16, 3)


def test_under_no_grad_a_leaf_is_updated_by_anything():
    w, v = Tensor(1.0), Tensor(2.0)
    same = w
    with ad.no_grad():
        w += v
    assert w is same
    assert (w.data, w.requires_grad, w.creators) == (3, True, None)


def test_under_no_grad_a_recorded_left_side_gives_a_new_constant():
    x = Tensor(2.0)
    y = recorded = 3 * x
    with ad.no_grad():
        y += 1
    assert (y.data, y.requires_grad, recorded.data) == (7, False, 6)


def test_an_update_does_not_reach_into_what_was_detached():
    w = Tensor([1.0, 2.0])
    held, seen = w.detach(), w.data
    w += 1
    assert (held.data.tolist(), seen.tolist()) == ([1, 2], [1, 2])


def test_setting_data_keeps_the_gradient_and_the_object():
    w = Tensor(2.0)
    (w * w).backward()
    w.data = 5
    assert (w.data, w.grad.data) == (5, 4)
    assert type(w.data) is float


def test_setting_grad_takes_plain_data_and_none():
    w = Tensor([1.0, 2.0])
    w.grad = [3, 4]
    assert isinstance(w.grad, Tensor)
    (w * 2).backward(1)
    assert w.grad.data.tolist() == [5, 6]
    w.grad = None
    assert w.grad is None


def test_a_gradient_that_was_set_has_the_data_s_dtype():
    w = Tensor(np.ones(2, np.float32))
    w.grad = [3.0, 4.0]
    (w * 2).backward(1)
    assert w.grad.dtype == np.float32


def test_detach_gives_the_same_data_as_a_constant():
    y = Tensor([1.0, 2.0]) * 2
    copied = y.detach()
    assert copied.data is y.data
    assert (copied.requires_grad, copied.creators, copied.grad) == (False, None, None)


@pytest.mark.parametrize("value", [1, np.True_, [0], 0, np.False_, None])
def test_requires_grad_is_true_or_false_whatever_stood_for_it(value):
    x = Tensor(2.0)
    x.requires_grad = value
    assert x.requires_grad is bool(value)


def test_a_leaf_can_be_frozen_and_thawed():
    w, x = Tensor(2.0), Tensor(3.0)
    w.requires_grad = False
    (w * x).backward()
    assert (w.grad, x.grad.data) == (None, 2)
    w.requires_grad = True
    (w * x).backward()
    assert w.grad == 3


# -- a Tensor of Tensors ---------------------------------------------------------------------------------


def test_a_list_of_tensors_is_their_stack():
    a, b = Tensor(2.0), Tensor(3.0)
    t = Tensor([[a, 1], [2, a * b]], name="t")
    assert (t.data.tolist(), str(t.creation_op), t.name) == ([[2, 1], [2, 6]], "stack", "t")
    (t * [[1, 10], [100, 1000]]).sum().backward()
    assert (a.grad, b.grad) == (3001, 2000)
    v = Tensor(np.float32([1, 2]))
    assert Tensor([v, v]).dtype == np.float32
    assert ad.gradcheck(lambda x, y: Tensor([x, x * y]), [1.0, 2.0], [0.5, -1.0])


def test_a_list_of_tensors_without_recording_is_a_leaf():
    a = Tensor(2.0)
    with ad.no_grad():
        t = Tensor([a, a])
    for leaf in (t, Tensor([a.detach(), 2.0])):
        assert (leaf.data.tolist(), leaf.requires_grad, leaf.creators) == ([2, 2], True, None)


@pytest.mark.parametrize("make", [np.array, np.asarray, ad.tensor, lambda x: Tensor(x, requires_grad=False)])
def test_where_a_list_of_tensors_would_lose_its_gradient(make):
    with pytest.raises(TypeError, match=r"To join Tensors use ad\.stack"):
        make([Tensor(2.0), Tensor(3.0)])
    assert make([Tensor(2.0).detach(), 3.0]).tolist() == [2, 3]
