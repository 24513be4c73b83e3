"""PyTorch's words for axis and its like, operands by name, and what is said of words that nobody knows."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.catalogue import catalogue
from autodiff.engine.keywords import INSTEAD

X = np.array([[3.0, 1.0, 2.0], [6.0, 4.0, 5.0]])
ROWS = np.array([[1, 0, 1]])
REDUCTIONS = ["sum", "mean", "prod", "max", "min", "median", "var", "std", "norm", "logsumexp"]
REDUCTIONS += ["argmax", "argmin"]
ALONG = ["softmax", "log_softmax", "cumsum", "cumprod", "sort", "argsort", "flip"]


def data_of(value):
    if isinstance(value, list):
        return [part.data for part in value]
    return value.data if isinstance(value, Tensor) else value


def check_same(mine, expected):
    np.testing.assert_equal(data_of(mine), data_of(expected))


@pytest.mark.parametrize("name", [*REDUCTIONS, "any", "all"])
@pytest.mark.parametrize("axis", [0, 1, -1, (0, 1), None], ids=str)
@pytest.mark.parametrize("keep", [False, True])
def test_reductions_take_dim_and_keepdim(name, axis, keep):
    x = Tensor(X)
    if name in ("argmax", "argmin") and isinstance(axis, tuple):
        return  # they take one axis
    expected = getattr(x, name)(axis=axis, keepdims=keep)
    check_same(getattr(x, name)(dim=axis, keepdim=keep), expected)
    first = (None, axis) if name == "norm" else (axis,)  # whose order comes first
    check_same(getattr(x, name)(*first, keepdim=keep), expected)
    check_same(getattr(ad, name)(x, dim=axis, keepdim=keep), expected)
    check_same(getattr(ad, name)(X, dim=axis, keepdim=keep), expected)
    if isinstance(axis, tuple):
        listed = (None, [0, 1]) if name == "norm" else ([0, 1],)
        for values in (x, X):
            check_same(getattr(ad, name)(values, dim=[0, 1], keepdim=keep), expected)
            check_same(getattr(ad, name)(values, axis=[0, 1], keepdims=keep), expected)
            check_same(getattr(ad, name)(values, *listed, keepdims=keep), expected)
        check_same(getattr(x, name)(dim=[0, 1], keepdim=keep), expected)
        check_same(getattr(x, name)(*listed, keepdims=keep), expected)


@pytest.mark.parametrize("name", sorted(vars(catalogue)))
def test_a_list_of_axes_is_a_tuple_of_them(name):
    """For everything that takes several axes."""
    function = getattr(catalogue, name)
    if "axis" not in {*getattr(function, "options", ()), *inspect.signature(function).parameters}:
        return
    x = np.arange(1.0, 9.0).reshape(2, 1, 1, 4)
    for arguments in ((x,), (x, x), (x, [1]), (x, 0.5)):
        for axes in ((0, 3), (1, 2)):
            try:
                expected = function(*arguments, axis=axes)
            except (TypeError, ValueError, IndexError):
                continue
            check_same(function(*arguments, axis=list(axes)), expected)


@pytest.mark.parametrize("name", ALONG)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_what_goes_along_an_axis_takes_dim(name, axis):
    x = Tensor(X)
    expected = getattr(x, name)(axis=axis)
    check_same(getattr(x, name)(dim=axis), expected)
    check_same(getattr(ad, name)(x, dim=axis), expected)
    check_same(getattr(ad, name)(X, dim=axis), expected)


OTHERS = {
    "squeeze": (lambda x: x[None].squeeze(dim=0), lambda x: x),
    "unsqueeze": (lambda x: x.unsqueeze(dim=1), lambda x: x.unsqueeze(1)),
    "expand_dims": (lambda x: ad.unsqueeze(x, dim=1), lambda x: x.expand_dims(1)),
    "split": (lambda x: x.split(3, dim=1), lambda x: ad.split(x, 3, axis=1)),
    "split by name": (lambda x: ad.split(x, 3, dim=1), lambda x: x.split(3, 1)),
    "chunk": (lambda x: x.chunk(2, dim=1), lambda x: ad.chunk(x, 2, dim=1)),
    "unbind": (lambda x: x.unbind(dim=1), lambda x: ad.unbind(x, dim=1)),
    "stack": (lambda x: ad.stack([x, x], dim=1), lambda x: ad.stack([x, x], axis=1)),
    "cat": (lambda x: ad.cat([x, x], dim=1), lambda x: ad.concatenate([x, x], axis=1)),
    "cat by name": (lambda x: ad.cat(tensors=(x, x), dim=1), lambda x: ad.concatenate([x, x], 1)),
    "roll": (lambda x: x.roll(shifts=1, dims=1), lambda x: x.roll(1, 1)),
    "flip": (lambda x: x.flip(dims=[0, 1]), lambda x: x.flip((0, 1))),
    "repeat": (lambda x: x.repeat(2, dim=1), lambda x: x.repeat(2, 1)),
    "gather": (lambda x: x.gather(dim=0, index=ROWS), lambda x: x.gather(0, ROWS)),
    "ad.gather": (lambda x: ad.gather(x, 0, index=ROWS), lambda x: x.gather(0, ROWS)),
    "scatter_add": (
        lambda x: x.scatter_add(dim=0, index=ROWS, src=np.ones((1, 3))),
        lambda x: x.scatter_add(0, ROWS, np.ones((1, 3))),
    ),
    "take": (lambda x: x.take(index=[1, 0], dim=1), lambda x: x[:, [1, 0]]),
    "index_select": (lambda x: x.index_select(dim=1, index=[1, 0]), lambda x: x[:, [1, 0]]),
    "narrow": (lambda x: x.narrow(dim=1, start=0, length=2), lambda x: x[:, :2]),
    "take_along_axis": (lambda x: x.take_along_axis(ROWS, dim=0), lambda x: x.take_along_axis(ROWS, 0)),
    "permute": (lambda x: ad.permute(x, dims=(1, 0)), lambda x: x.T),
    "diagonal": (lambda x: x.diagonal(dim1=1, dim2=0), lambda x: x.diagonal(0, 1, 0)),
    "tril": (lambda x: x.tril(diagonal=-1), lambda x: x.tril(-1)),
    "std": (lambda x: x.std(dim=0, correction=1), lambda x: x.std(0, ddof=1)),
    "leaky_relu": (lambda x: ad.leaky_relu(x, negative_slope=0.2), lambda x: x.leaky_relu(0.2)),
    "cosine": (lambda x: ad.cosine_similarity(x, x, dim=0), lambda x: ad.cosine_similarity(x, x, axis=0)),
    "input": (lambda x: ad.sum(input=x, dim=0), lambda x: x.sum(0)),
    "other": (lambda x: ad.maximum(x, other=2.0), lambda x: x.maximum(2.0)),
}  # fmt: skip


@pytest.mark.parametrize(("mine", "expected"), OTHERS.values(), ids=OTHERS)
def test_the_other_words(mine, expected):
    x, same = Tensor(X), Tensor(X)
    for form in (lambda a: a, lambda a: a.detach()):
        check_same(mine(form(x)), expected(form(same)))
    first, second = (ends[0] if isinstance(ends, list) else ends for ends in (mine(x), expected(same)))
    if first is not x:
        first.backward(1)
        second.backward(1)
        check_same(x.grad, same.grad)


def test_numpy_s_meaning_of_max_stays():
    assert Tensor(X).max(dim=1).data.tolist() == [3, 6]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: ad.sum(x, axis=0, dim=1), lambda x: ad.sum(x, 0, dim=1), lambda x: x.sum(0, dim=0),
        lambda x: x.sum(keepdims=True, keepdim=True), lambda x: x.softmax(0, dim=1),
        lambda x: ad.chunk(x, 2, axis=1, dim=1), lambda x: ad.stack([x, x], axis=1, dim=1),
        lambda x: x.any(axis=0, dim=1), lambda x: ad.clip(x, low=0, min=0), lambda x: x.unbind(1, dim=1),
    ],
)  # fmt: skip
@pytest.mark.parametrize("requires_grad", [True, False])
def test_both_words_at_once(call, requires_grad):
    with pytest.raises(TypeError, match=r"was given both (axis|keepdims|low)= and (dim|keepdim|min)=, which"):
        call(Tensor(X, requires_grad=requires_grad))


def test_an_argument_of_a_composed_function_by_place_and_by_name():
    for call in (lambda x: ad.split(x, 3, 1, dim=1), lambda x: ad.take(x, [0], index=[1])):
        with pytest.raises(TypeError, match=r"was given (axis|indices) twice: by position and by name"):
            call(Tensor(X))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: ad.sum(x, dimension=0), r"^sum takes no 'dimension'; .*the options axis, keepdims$"),
        (lambda x: x.sum(dimension=0), r"^sum takes no 'dimension'; it takes 1 operand \(x\) and the o"),
        (lambda x: ad.exp(x, out=x), r"^exp takes no 'out'; it takes 1 operand \(x\)$"),
        (lambda x: ad.exp(x, dim=0), r"^exp takes no 'dim'; it takes 1 operand \(x\)$"),
        (lambda x: ad.sum(x, a=1, b=2), r"^sum takes no 'a' and no 'b'; "),
        (lambda x: ad.sort(x, descending=True), r"^sort takes no 'descending'"),
        (lambda x: ad.split(x, 2, foo=1), r"^split takes no 'foo'; it takes x, sections, axis$"),
        (lambda x: ad.einsum("ij->i", x, optimize=True), r"^einsum takes no 'optimize'"),
        (lambda x: ad.stack([x], foo=0), r"^stack takes no 'foo'; .* operands \(parts\) and the option axis"),
        (lambda x: ad.clip(x, lo=1), r"^clip takes no 'lo'; it takes 3 operands \(x, low, high\)$"),
        (lambda x: ad.where(x > 2, x=x), r"^where needs y too; it takes 3 operands \(condition, x, y\)$"),
        (lambda x: ad.where(x > 2, x, x=1), r"^where got its operand x twice: by position"),
        (lambda x: ad.clip(x, 0, 1, high=2), r"^clip got its operand high twice"),
        (lambda x: ad.clip(low=1), r"^clip needs x.* too; it takes 3 operands \(x, low, high\)$"),
        (lambda x: ad.clip(), r"^clip takes 3 operands \(x, low, high\); it got 0"),
        (lambda x: ad.clip(x, 0, 1, 2), r"^clip takes 3 operands \(x, low, high\); it got 4"),
        (lambda x: ad.add(x), r"^add takes 2 operands \(x, y\); it got 1"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", [Tensor, lambda x: Tensor(x, requires_grad=False)], ids=["grad", "constant"])
def test_a_word_that_nobody_knows_names_the_operation_and_what_it_takes(call, message, form):
    x = form(X)
    with pytest.raises(TypeError, match=message):
        call(x)
    assert x.grad is None


def test_every_operation_names_itself_when_a_word_is_unknown():
    for operation in catalogue:
        given = {"subscripts": "ij,ij"} if operation == "einsum" else {}
        with pytest.raises(TypeError, match=rf"^{operation} takes no 'no_such_word'"):
            operation(*[Tensor(X)] * len(operation.inputs), **given, no_such_word=1)


# -- operands by name --------------------------------------------------------------------------------------


def test_operands_by_name_in_any_order_are_recorded_in_theirs():
    x, y = Tensor(X), Tensor(-X)
    z = ad.where(y=y, condition=X > 2, x=x)
    assert [creator is given for creator, given in zip(z.creators[1:], (x, y), strict=True)] == [True, True]
    np.testing.assert_array_equal(z.data, np.where(X > 2, X, -X))
    z.sum().backward()
    np.testing.assert_array_equal(x.grad.data, X > 2)
    np.testing.assert_array_equal(y.grad.data, X <= 2)
    assert (ad.sub(y=1.0, x=x) == X - 1).all()
    assert ad.sub(2.0, y=1.0) == 1


NO_BOUND = [
    (lambda f, x: f(x, low=2, high=4), 2, 4), (lambda f, x: f(x, min=2, max=4), 2, 4),
    (lambda f, x: f(x, 2), 2, None), (lambda f, x: f(x, 2, None), 2, None),
    (lambda f, x: f(x, None, 4), None, 4), (lambda f, x: f(x, high=4), None, 4),
    (lambda f, x: f(x, min=2), 2, None), (lambda f, x: f(x, max=4), None, 4),
    (lambda f, x: f(x, 2, high=4), 2, 4), (lambda f, x: f(x, 2, max=4), 2, 4),
    (lambda f, x: f(x, low=None, high=4), None, 4), (lambda f, x: f(x, None, max=4), None, 4),
    (lambda f, x: f(x, None, None), None, None), (lambda f, x: f(x), None, None),
]  # fmt: skip


@pytest.mark.parametrize("function", [ad.clip, ad.clamp, Tensor.clip, Tensor.clamp])
@pytest.mark.parametrize(("call", "low", "high"), NO_BOUND)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_bounds_by_name_and_none_for_no_bound(function, call, low, high, dtype):
    data = X.astype(dtype)
    expected = np.clip(data, 0 if low is None else low, 9 if high is None else high)
    x = Tensor(data, requires_grad=data.dtype.kind == "f")
    z = call(function, x)
    np.testing.assert_array_equal(z.data, expected, strict=True)
    assert not np.shares_memory(z.data, x.data)
    if x.requires_grad:
        z.sum().backward()
        inside = (data >= (0 if low is None else low)) & (data <= (9 if high is None else high))
        np.testing.assert_array_equal(x.grad.data, inside)


def test_a_bound_that_learns_by_name():
    x, low = Tensor(X), Tensor(2.0)
    ad.clip(x, low=low).sum().backward()
    assert low.grad == 1
    np.testing.assert_array_equal(x.grad.data, X >= 2)
    assert ad.clip(5.0, high=4) == 4
    assert ad.clip([1, 5], 2).tolist() == [2, 5]


# -- rules -------------------------------------------------------------------------------------------------


def scale():
    @ad.operation
    def scale(x, *, by=2):
        return x * by

    return scale


WRONG_RULES = {
    "too few": lambda grad, x: grad,
    "too many": lambda grad, z, x, y: grad,
    "another option": lambda grad, z, x, k: grad,
    "one more, by name": lambda grad, z, x, by=2, *, k: grad,
}


@pytest.mark.parametrize("rule", WRONG_RULES.values(), ids=WRONG_RULES)
def test_a_rule_that_cannot_be_called_is_refused_when_it_is_given(rule):
    operation = scale()
    message = r"a rule of scale is called as rule\(grad, z, x, by=\.\.\.\), which <lambda>\("
    with pytest.raises(TypeError, match=message):
        operation.backward(rule)
    assert operation.rules == ()


@pytest.mark.parametrize(
    "rule",
    [
        lambda grad, z, x, by=2: grad * by, lambda grad, z, x, by: grad * by,
        lambda *everything, **options: 2.0, lambda grad, z, x, **options: grad,
        lambda g, out, a, by=2, k=3: g, lambda grad, z, x, *, by=2: grad,
    ],
)  # fmt: skip
def test_rules_that_can_be_called(rule):
    operation = scale().backward(rule)
    assert operation.rules == (rule,)
    operation(Tensor(2.0), by=3).backward()


@pytest.mark.parametrize("data", [2.0, [1.0, 2.0]], ids=["number", "array"])
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_rule_that_leaves_out_an_option_fails_when_it_is_given_and_says_whose_it_is(data, create_graph):
    operation = scale().backward(lambda grad, z, x: grad)
    x = Tensor(data)
    operation(x).backward(1)
    x.zero_grad()
    with pytest.raises(TypeError, match=r"^a rule of scale\(\) got an unexpected keyword argument 'by'"):
        operation(x, by=3).backward(1, create_graph=create_graph)
    assert x.grad is None


def test_a_joint_rule_is_told_what_is_wanted():
    with pytest.raises(TypeError, match=r"rule\(grad, z, x, by=\.\.\., wanted=\.\.\.\)"):
        scale().backward(joint=lambda grad, z, by: [grad])

    @ad.operation
    def total(*parts):
        return sum(parts)

    with pytest.raises(TypeError, match=r"total is called as rule\(grad, z, \*parts, wanted=\.\.\.\)"):
        total.backward(joint=lambda grad, z, parts, wanted: [grad])
    total.backward(joint=lambda *everything, wanted: [everything[0] for _ in wanted])
    total.backward(joint=lambda grad, z, *parts, wanted: [grad for _ in parts])
    x = Tensor(2.0)
    total(x, x, 1.0).backward()
    assert x.grad == 2


def test_an_operation_of_one_s_own_may_take_any_option():
    @ad.operation
    def shifted(x, **options):
        return x + options.get("by", 0)

    shifted.backward(lambda grad, z, x, **options: grad)
    x = Tensor(2.0)
    y = shifted(x, by=3)
    y.backward()
    assert (y, x.grad) == (5, 1)


# -- names of the package ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "ours"), INSTEAD.items())
def test_a_name_that_is_looked_for_in_vain_is_told_what_to_write(name, ours):
    with pytest.raises(AttributeError, match=rf"^module 'autodiff' has no attribute '{name}'; write {ours} "):
        getattr(ad, name)
    assert eval(ours, {"ad": ad, "np": np}) is not None


def test_of_other_names_nothing_is_said():
    with pytest.raises(AttributeError, match=r"^module 'autodiff' has no attribute 'no_such_name'$"):
        ad.no_such_name  # noqa: B018
    assert not hasattr(ad, "float32")
