"""The walk back: the numbers of the course, each with the fault it catches; order; how gradients add up."""

from __future__ import annotations

import contextvars
import math
import threading
import tracemalloc

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.backward import gradients, order
from autodiff.engine.contributions import initial_gradient


def the_example():
    """From a = 2, e = (a + 2) * (3 a + 4) = 40, with every Tensor on the way."""
    a = Tensor(2)
    b = a * Tensor(3)
    c = a + Tensor(2)
    d = b + Tensor(4)
    return a, b, c, d, c * d


# -- the numbers of the course ---------------------------------------------------------------------


def test_the_example_remembers_how_it_was_made():
    *_, e = the_example()
    assert (str(e), [str(creator) for creator in e.creators]) == ("40", ["4", "10"])
    assert e.creation_op == "mul"
    assert str(e.creation_op) == "mul"


def test_the_example_has_22_and_not_the_last_path_s_10_or_12():
    a, b, c, d, e = the_example()
    e.backward()
    assert [t.grad.data for t in (e, c, d, b, a)] == [1, 10, 4, 4, 22]


def test_backward_twice_gives_44_and_not_78():
    a, *_, e = the_example()
    e.backward()
    e.backward()
    assert a.grad == 44
    assert e.grad == 2


@pytest.mark.parametrize("form", [float, np.array, lambda x: np.array([x])], ids=["number", "0-d", "array"])
@pytest.mark.parametrize(
    ("f", "at", "right"),
    [
        pytest.param(lambda a: a * a, 3, 6, id="overwriting: 3"),
        pytest.param(lambda x: (h := 2 * x) + h, 1, 4, id="what has added up is passed on again: 6"),
        pytest.param(lambda a: (h := a + a) + h, 1, 4, id="visit-once recursion: 2"),
        pytest.param(lambda a: (h := a + a) + (h + a), 1, 5, id="pre-order, first in first out: 3"),
        pytest.param(lambda a: ((h := a + a) + a) + h, 1, 5, id="a stack: 3"),
        pytest.param(lambda a: a + (a + a), 1, 3, id="post-order, not reversed: 1"),
        pytest.param(lambda x: (h := x * x) + h * h, 2, 36, id="visit once: 4; passed on again: 60"),
        pytest.param(lambda x: (h := x * x) * h + h, 2, 36, id="the other way round"),
        pytest.param(
            lambda a: (k := a + (h := a + a)) + (k + h), 1, 8, id="the laboratory: 1, 3, 4, 5 or 19"
        ),
        pytest.param(lambda x: x * (-1), 1, -1, id="-1 as a sign that no gradient was given: 1"),
    ],
)
def test_paths_that_meet(f, at, right, form):
    x = Tensor(form(float(at)))
    f(x).backward()
    assert x.grad.data == right


def test_the_laboratory_s_order_of_operands_is_no_matter():
    a = Tensor(1)
    h = a + a
    k = a + h
    m = k + h
    (k + m).backward()
    assert [t.grad.data for t in (m, k, h, a)] == [1, 2, 3, 8]


def test_ten_doublings_give_1024_and_not_314039061414():
    a = Tensor(1)
    h = a
    for _ in range(10):
        h = h + h
    h.backward()
    assert a.grad == 1024


@pytest.mark.parametrize("length", [10, 15, 20])
def test_every_node_is_visited_once_and_not_once_per_path(length):
    visits = []

    @ad.operation
    def double(x, y):
        return x + y

    double.backward(lambda grad, z, x, y: visits.append(z) or grad, lambda grad, z, x, y: grad)
    h = Tensor(1)
    for _ in range(length):
        h = double(h, h)
    h.backward()
    assert len(order(h)) == length + 1  # 16 for 15 doublings; 65535 for a walk of every path
    assert len(visits) == length


@pytest.mark.parametrize("seed", [-1, -1.0, Tensor(-1), [-1]], ids=repr)
def test_minus_1_is_a_gradient_like_any_other(seed):
    x = Tensor([5.0])
    (x * 1).backward(seed)
    assert x.grad.data == [-1]


def test_broadcasting_is_summed_back_over_rows():
    v, m = Tensor([2, 2, 3]), Tensor([[1, 2, 3], [2, 3, 4], [3, 4, 5]])
    d = v * m
    assert d.data.tolist() == [[2, 4, 9], [4, 6, 12], [6, 8, 15]]
    d.backward(Tensor([1, 1, 1]))
    assert v.grad.data.tolist() == [6, 9, 12]
    assert m.grad.data.tolist() == [[2, 2, 3]] * 3


def test_a_matrix_product_of_the_course_walks_back():
    a, c = Tensor([2, 2, 3]), Tensor([[1, 2, 3], [2, 3, 4], [3, 4, 5]])
    z = a.mm(c)
    assert z.data.tolist() == [15, 22, 29]
    z.backward(1)
    assert a.grad.data.tolist() == [6, 9, 12]
    assert c.grad.data.tolist() == [[2, 2, 2], [2, 2, 2], [3, 3, 3]]


def test_sub_neg_and_transpose_walk_back():
    x, y = Tensor([[1.0, 2.0]]), Tensor([[5.0], [6.0]])
    (-(x.T - y)).backward(1)
    assert x.grad.data.tolist() == [[-1, -1]]
    assert y.grad.data.tolist() == [[1], [1]]


@pytest.mark.parametrize(
    ("left", "right", "operator", "gradient"),
    [
        (np.ones((2, 3)), [1, 1, 1], "add", [2, 2, 2]),
        (np.ones((2, 3)), [[1, 1, 1]], "add", [[2, 2, 2]]),
        ([[1, 2, 3], [4, 5, 6]], [7, 8, 9], "mul", [5, 7, 9]),
    ],
    ids=["row", "row of a matrix", "product"],
)
def test_the_small_operand_s_gradient_has_its_shape(left, right, operator, gradient):
    small = Tensor(right)
    getattr(ad, operator)(Tensor(left), small).backward(1)
    assert small.grad.data.tolist() == gradient


def test_a_sum_with_a_number_has_slope_1():
    x = Tensor(1)
    (x + 2).backward()
    assert x.grad == 1


@pytest.mark.parametrize(("x", "y", "value", "slopes"), [(2, 2, 40, (10, 12)), (5, 1, 49, (7, 21))])
def test_the_example_with_two_leaves(x, y, value, slopes):
    x, y = Tensor(x), Tensor(y)
    e = (x + 2) * (3 * y + 4)
    e.backward()
    assert (e.data, x.grad.data, y.grad.data) == (value, *slopes)


def test_a_composed_function_of_three():
    a, b, c = Tensor(1), Tensor(0.5), Tensor(2)
    f = ((a - b) / c) ** 2 + a.exp() * b.tanh()
    f.backward()
    found = [f.data, a.grad.data, b.grad.data, c.grad.data]
    assert found == pytest.approx([1.3187, 1.5062, 1.8878, -0.0625], abs=5e-5)


def test_one_step_of_a_neuron():
    w, b = Tensor(2), Tensor(-1.5)
    loss = ((w * 1 + b).tanh() - 1) ** 2
    loss.backward()
    assert (loss.data, w.grad.data) == pytest.approx((0.2893, -0.8460), abs=5e-5)
    w -= 0.5 * w.grad
    b -= 0.5 * b.grad
    loss = ((w * 1 + b).tanh() - 1) ** 2
    assert (w.data, b.data, loss.data) == pytest.approx((2.4230, -1.0770, 0.0161), abs=5e-5)


# -- the order -------------------------------------------------------------------------------------


def test_order_lists_creators_before_what_they_make():
    _, b, c, d, e = the_example()
    nodes = order(e)
    place = {node: index for index, node in enumerate(nodes)}
    assert len(nodes) == 8
    assert all(place[creator] < place[node] for node in (b, c, d, e) for creator in node.creators)


def test_order_leaves_out_what_wants_no_gradient():
    x = Tensor(2)
    constant = Tensor(3, requires_grad=False)
    y = x * constant + constant.exp()
    assert [node.data for node in order(y)] == [2, 6, y.data]


def test_order_never_compares_tensors(monkeypatch):
    def refuse(*_):
        raise AssertionError("two Tensors were compared")

    monkeypatch.setattr(Tensor, "__eq__", refuse)
    monkeypatch.setattr(Tensor, "__bool__", refuse)
    monkeypatch.setattr(Tensor, "__len__", refuse)
    x = Tensor([1.0, 1.0])
    h = x + x
    (h * h + h).backward(1)
    assert x.grad.data.tolist() == [10, 10]


# -- how gradients arrive --------------------------------------------------------------------------


def test_grad_is_none_then_a_tensor_then_none():
    x = Tensor(3)
    assert x.grad is None
    (x * x).backward()
    assert isinstance(x.grad, Tensor)
    assert (x.grad.data, x.grad.requires_grad, x.grad.creators) == (6, False, None)
    x.zero_grad()
    assert x.grad is None


def test_grad_is_wrapped_once():
    x = Tensor([3.0])
    (x * x).backward(1)
    assert x.grad is x.grad


@pytest.mark.parametrize("look", [False, True], ids=["unseen", "looked at"])
def test_gradients_add_up_over_walks_on_different_graphs(look):
    x = Tensor([1.0, 2.0])
    (x * x).backward(1)
    assert not look or x.grad.data.tolist() == [2, 4]
    (3 * x).backward(1)
    assert x.grad.data.tolist() == [5, 7]


def test_two_losses_that_share_a_leaf_both_count():
    w = Tensor(2.0)
    first, second = w * 3, w * w
    first.backward()
    second.backward()
    assert w.grad == 7


def test_a_gradient_of_before_is_not_walked_back_again():
    x = Tensor(1.0)
    h = 2 * x
    y = 3 * h
    y.backward()
    h.backward()
    assert (h.grad.data, x.grad.data) == (4, 8)


def test_an_earlier_gradient_that_someone_holds_is_not_written_into():
    x = Tensor([1.0, 2.0])
    (x * x).backward(1)
    held = x.grad
    (x * x).backward(1)
    assert held.data.tolist() == [2, 4]
    assert x.grad.data.tolist() == [4, 8]


def test_what_no_path_with_a_slope_reaches_keeps_grad_none():
    x, y = Tensor([1.5, 2.5]), Tensor(2.0)
    (ad.sign(x) * y).sum().backward()
    assert x.grad is None
    assert y.grad == 2


def test_constants_and_detached_tensors_get_no_gradient():
    x, constant = Tensor(2.0), Tensor(3.0, requires_grad=False)
    copy = x.detach()
    (x * constant * copy).backward()
    assert (x.grad.data, constant.grad, copy.grad) == (6, None, None)


def test_backward_from_a_leaf():
    x = Tensor(2.0)
    x.backward()
    assert x.grad == 1


@pytest.mark.parametrize(
    "seed", [1, 1.0, [1, 1, 1], (1, 1, 1), np.ones(3), np.ones((1,)), Tensor(1), Tensor([1.0])], ids=repr
)
def test_any_gradient_that_broadcasts_is_taken(seed):
    x = Tensor([[1.0, 2.0, 3.0]] * 2)
    y = x + Tensor([4.0, 5.0, 6.0])
    y.backward(seed)
    assert x.grad.data.tolist() == [[1, 1, 1]] * 2
    assert y.grad.shape == y.shape


def test_a_single_element_needs_no_gradient_whatever_its_shape():
    x = Tensor([[3.0]])
    (x * x).backward()
    assert x.grad.data.tolist() == [[6]]


def test_the_caller_s_gradient_is_neither_changed_nor_kept():
    x, seed = Tensor([1.0, 2.0]), np.ones(2)
    for end in (x + 0, x):
        x.zero_grad()
        end.backward(seed)
        x.grad.data += 1
        assert seed.tolist() == [1, 1]


def test_an_array_given_as_gradient_is_copied_once():
    """Two copies would take as long as adding two arrays."""
    y, seed = Tensor(np.ones(100_000)) + 1, np.ones(100_000)
    tracemalloc.start()
    try:
        start = initial_gradient(y, seed, create_graph=False)
        assert tracemalloc.get_traced_memory()[1] < 1.5 * seed.nbytes
    finally:
        tracemalloc.stop()
    assert not np.shares_memory(start, seed)
    given = Tensor(seed)
    for other in (given, Tensor(1.0), np.ones(1)):
        start = initial_gradient(y, other, create_graph=False)
        assert start.flags.writeable
        assert not np.shares_memory(start, given.data)


def test_a_leaf_without_axes_owns_its_gradient_too():
    x, seed = Tensor(np.array(2.0)), Tensor(np.array(3.0))
    x.backward(seed)
    assert not np.shares_memory(x.grad.data, seed.data)


def test_leaves_of_one_sum_own_their_gradients():
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    (x + y).backward(1)
    x.grad.data[:] = 7
    assert y.grad.data.tolist() == [1, 1]


def test_a_gradient_that_adds_up_writes_into_no_one_else_s():
    x = Tensor([1.0, 2.0])
    h = x * 1
    y = h + h + h + h  # h's gradient starts as a reference to that of a sum
    y.backward(1)
    assert y.grad.data.tolist() == [1, 1]
    assert h.grad.data.tolist() == [4, 4]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (1,), (2, 3)], ids=str)
def test_after_two_walks_the_gradient_is_still_like_the_data(dtype, shape):
    x = Tensor(np.ones(shape, dtype))
    for _ in range(2):
        (x * 3).backward(1)
    assert isinstance(x.grad.data, np.ndarray)
    assert (x.grad.dtype, x.grad.shape) == (dtype, shape)


def test_a_float64_operand_gives_a_float32_leaf_a_float32_gradient():
    x = Tensor(np.ones(2, np.float32))
    y = x * np.array([2.0, 3.0])
    y.backward(1)
    assert (y.dtype, y.grad.dtype, x.grad.dtype) == (np.float64, np.float64, np.float32)


@pytest.mark.parametrize("constant", [np.array([2, 3]), np.array([True, False])], ids=str)
def test_integer_and_boolean_arrays_serve_as_constants(constant):
    x = Tensor([1.0, 1.0])
    (x * constant).backward(1)
    assert x.grad.data.tolist() == constant.tolist()


# -- a graph of the gradient -----------------------------------------------------------------------


@pytest.mark.parametrize("form", [float, lambda x: np.array([x])], ids=["number", "array"])
@pytest.mark.parametrize(
    ("f", "derivatives"),
    [
        (
            lambda x: x.tanh(),
            lambda x, t: [1 - t**2, -2 * t * (1 - t**2), (1 - t**2) * (6 * t**2 - 2)],
        ),
        (lambda x: x**3, lambda x, t: [3 * x**2, 6 * x, 6]),
        (lambda x: x * x * x, lambda x, t: [3 * x**2, 6 * x, 6]),
    ],
    ids=["tanh", "x**3", "x*x*x"],
)
def test_three_derivatives_by_create_graph(f, derivatives, form):
    x = Tensor(form(0.7))
    y = f(x)
    found = []
    for _ in range(3):
        y.backward(1, create_graph=True)
        y = x.grad
        found.append(float(y))
        x.zero_grad()
    assert found == pytest.approx(derivatives(0.7, math.tanh(0.7)))


def test_mixed_derivatives_with_broadcasting():
    """Of sum(tanh(v * M)): what v's gradient makes of M is checked by nudges."""

    @ad.enable_grad()
    def slope(v, m):
        return gradients((v * m).tanh().sum(), [v], create_graph=True)[0]

    assert ad.gradcheck(slope, [0.1, -0.5, 0.7], [[1.0, 2.0, 3.0], [-1.0, 0.5, 0.25]])


def test_create_graph_gives_the_same_numbers():
    leaves = [Tensor([0.3, 0.6]), Tensor([[0.5], [0.2]])]
    for walk in (False, True):
        y = ((leaves[0] @ leaves[1]).exp() / (leaves[0] - 2)).mean()
        y.backward(create_graph=walk)
    for leaf in leaves:
        y = ((leaves[0] @ leaves[1]).exp() / (leaves[0] - 2)).mean()
        np.testing.assert_allclose(leaf.grad.data, 2 * gradients(y, [leaf])[0].data, rtol=1e-14)


def test_a_recorded_gradient_adds_to_an_unrecorded_one():
    x = Tensor(2.0)
    (x**2).backward()
    (x**3).backward(create_graph=True)
    assert x.grad == 16
    slope = x.grad
    x.zero_grad()
    slope.backward()
    assert x.grad == 12  # the part that was recorded: 3 x**2


def test_recording_the_walk_is_off_by_default_and_works_under_no_grad():
    x = Tensor(2.0)
    y = x**3
    y.backward()
    assert x.grad.creators is None
    x.zero_grad()
    with ad.no_grad():
        y.backward(create_graph=True)
    assert x.grad.creators is not None


def test_recorded_gradients_of_two_leaves_are_two_tensors():
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    z = x + y
    z.backward(1, create_graph=True)
    assert x.grad is not y.grad
    x.grad *= 0
    assert (y.grad.data.tolist(), z.grad.data.tolist()) == ([1, 1], [1, 1])


def test_a_leaf_can_write_into_its_recorded_gradient():
    x = Tensor([1.0, 2.0])
    x.sum().backward(create_graph=True)
    x.grad.data[:] = 7
    assert x.grad.data.tolist() == [7, 7]


@pytest.mark.parametrize("shape", [(), (2,)], ids=["0-d", "array"])
def test_recorded_gradients_keep_float32(shape):
    x = Tensor(np.ones(shape, np.float32))
    y = (x + 1).sum()
    y.backward(create_graph=True)
    assert (x.grad.dtype, y.grad.dtype) == (np.float32, np.float32)


def test_a_gradient_given_as_a_tensor_is_part_of_the_recorded_graph():
    x, seed = Tensor([2.0, 3.0]), Tensor([5.0, 7.0])
    (x * x).backward(seed, create_graph=True)
    x.grad.backward(1)
    assert seed.grad.data.tolist() == [4, 6]


@pytest.mark.parametrize(
    "f", [lambda x: x + 0, lambda x: 2 * x, lambda x: x.reshape(2)], ids=["+", "*", "reshape"]
)
def test_what_a_gradient_given_as_a_tensor_does_can_be_differentiated(f):
    """The gradient of x is linear in the one given: the slope of that is the function's own action on 1."""
    x, seed = Tensor([2.0, 3.0]), Tensor([5.0, 7.0])
    back = gradients(f(x), [x], seed, create_graph=True)[0]
    assert gradients(back, [seed], 1)[0].data.tolist() == f(np.ones(2)).tolist()


# -- releasing -------------------------------------------------------------------------------------


def test_release_drops_the_graph_and_what_lies_inside_it():
    a, b, c, d, e = the_example()
    e.backward(release=True)
    assert a.grad == 22
    assert [t.grad for t in (b, c, d, e)] == [None] * 4
    assert [t.creators for t in (b, c, d, e)] == [None] * 4
    assert (e.data, str(e.creation_op)) == (40, "mul")


def test_release_drops_interior_gradients_of_an_earlier_walk_too():
    a, b, c, d, e = the_example()
    e.backward()
    e.backward(release=True)
    assert a.grad == 44
    assert [t.grad for t in (b, c, d, e)] == [None] * 4


def test_release_with_operands_beyond_two_and_options():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    (x * x).sum(axis=0, keepdims=True).mean().backward(release=True)
    assert x.grad.data.tolist() == [[1, 2], [3, 4]]


# -- gradients(), which touches no .grad -----------------------------------------------------------


def test_gradients_leaves_every_grad_alone():
    a, b, c, d, e = the_example()
    e.backward()
    before = [t.grad for t in (a, b, c, d, e)]
    assert [slope.data for slope in gradients(e, [a, d], 2)] == [44, 8]
    assert all(t.grad is held for t, held in zip((a, b, c, d, e), before, strict=True))


def test_gradients_of_an_input_that_plays_no_part_are_zeros():
    x, unused = Tensor(2.0), Tensor(np.ones(2, np.float32))
    slope = gradients(x * x, [unused])[0]
    assert (slope.data.tolist(), slope.dtype) == ([0, 0], np.float32)


def test_gradients_does_not_take_an_earlier_gradient_for_what_arrived():
    x, y = Tensor(2.0), Tensor(3.0)
    (y * y).backward()
    assert [slope.data for slope in gradients(x * x, [x, y])] == [4, 0]
    assert y.grad == 6


@pytest.mark.parametrize("f", [lambda x: x.exp(), lambda x: x * 3, lambda x: x.sum(axis=None)])
@pytest.mark.parametrize("data", [2.0, [2.0, 5.0]], ids=["number", "array"])
def test_a_leaf_that_was_frozen_after_recording_gets_no_gradient(f, data):
    x = Tensor(data)
    y = f(x)
    x.requires_grad = False
    y.backward(1)
    assert x.grad is None


# -- what rules return -----------------------------------------------------------------------------------


@pytest.mark.parametrize("plain", [0.0, np.float64(0.0)], ids=repr)
@pytest.mark.parametrize("value", [2.0, np.array([2.0, 3.0])], ids=["number", "array"])
def test_a_plain_contribution_does_not_lose_a_recorded_one(plain, value):
    """In either order: the second derivative of x**3 + flat(x) is 6x."""

    @ad.operation
    def flat(x):
        return x * 1

    flat.backward(lambda grad, z, x: plain if np.ndim(value) == 0 else np.zeros(2))
    for f in (lambda x: x**3 + flat(x), lambda x: flat(x) + x**3, lambda x: flat(x) + x**3 + flat(x)):
        x = Tensor(value)
        (first,) = gradients(f(x).sum(), [x], create_graph=True)
        (second,) = gradients(first.sum(), [x])
        np.testing.assert_allclose(first.data, 3 * x.data**2)
        np.testing.assert_allclose(second.data, 6 * x.data)


@pytest.mark.parametrize("create_graph", [False, True])
def test_an_array_that_a_joint_rule_returns_twice_is_one_leaf_s_alone(create_graph):
    @ad.operation
    def both(x, y):
        return x + y

    def joint(grad, z, x, y, wanted):
        share = 2 * grad
        return share, share

    both.backward(joint=joint)
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    both(x, y).backward([1, 1], create_graph=create_graph)
    assert x.grad.data.tolist() == y.grad.data.tolist() == [2, 2]
    assert not np.shares_memory(x.grad.data, y.grad.data)


@pytest.mark.parametrize("value", [2.5, np.array([2.5, 3.5])], ids=["number", "array"])
@pytest.mark.parametrize("name", ["floor", "sign"])
def test_an_operation_without_slope_made_by_hand_hands_nothing_on(value, name):
    x = Tensor(value)
    made = Tensor(np.floor(value), (x,), name)
    (made * x).sum().backward()
    np.testing.assert_array_equal(x.grad.data, made.data)


def test_a_forward_may_reduce_an_array_to_a_python_number():
    @ad.operation
    def first(x):
        return float(x[0])

    first.backward(lambda grad, z, x: grad * np.eye(1, len(x))[0])
    x = Tensor([3.0, 4.0])
    y = first(x)
    y.backward()
    assert (y, x.grad.data.tolist()) == (3, [1, 0])


def test_a_hook_sees_what_was_handed_on_by_a_rule_of_one_operand():
    x = Tensor(2.0)
    x.register_hook(lambda grad: None)
    (x.exp() + x * x).backward()
    assert float(x.grad) == pytest.approx(np.exp(2) + 4)


@ad.operation
def spy(x):
    """X itself; its rule does what a test puts into ``spied`` first."""
    return x + 0


spied: list = []


def spying_rule(grad, z, x):
    for action in spied:
        action()
    return grad


spy.backward(spying_rule)


@pytest.fixture
def _spying():
    yield
    spied.clear()


@pytest.mark.usefixtures("_spying")
@pytest.mark.parametrize("value", [2.0, np.array([2.0, 2.0])], ids=["number", "array"])
def test_a_walk_inside_a_rule_does_not_disturb_the_walk_around_it(value):
    w = Tensor(value)
    h = w * 2
    inner = (h * 3).sum()
    spied.append(inner.backward)
    spy(h * 5).sum().backward()
    assert np.all(w.grad.data == 10 + 6)


@pytest.mark.usefixtures("_spying")
def test_a_gradient_is_not_seen_to_change_during_a_walk():
    w = Tensor(2.0)
    w.grad = Tensor(7.0)
    seen = []
    spied.append(lambda: seen.append(w.grad))
    (spy(w * 1.0) * w).backward()
    assert seen[0].data == 7
    assert w.grad.data == 7 + 4


@pytest.mark.usefixtures("_spying")
@pytest.mark.parametrize("name", [None, "h"])
def test_each_rule_runs_once(name):
    w = Tensor(2.0)
    h = w * 2
    h.name = name
    calls = []
    spied.append(lambda: calls.append(1))
    (spy(h) * 3).backward()
    assert calls == [1]


@pytest.mark.usefixtures("_spying")
@pytest.mark.parametrize("value", [2.0, np.array([2.0, 2.0])], ids=["number", "array"])
def test_a_change_by_a_rule_during_the_walk_is_noticed(value):
    w = Tensor(value)
    y = spy(w * w)
    spied.append(lambda: w.assign(value * 0))
    with pytest.raises(RuntimeError, match="was changed after"):
        y.sum().backward()


def test_threads_may_walk_back_through_a_shared_graph_at_once():
    w = Tensor(2.0)
    h = w * 2
    ends = [spy(h * 3), spy(h * 5)]
    gate = threading.Barrier(2, timeout=20)
    spied.append(gate.wait)
    try:
        threads = [threading.Thread(target=end.backward) for end in ends]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        spied.clear()
    assert w.grad.data == 16


def test_boolean_contributions_are_counted():
    @ad.operation
    def as_is(x, y):
        return x + y

    as_is.backward(lambda grad, z, x, y: z > 0, lambda grad, z, x, y: z > 0)
    x = Tensor([1.0, 1.0])
    as_is(x, np.ones((3, 2))).backward(np.ones((3, 2)))
    assert x.grad.data.tolist() == [3, 3]


def test_a_hook_sees_the_context_variables_and_print_options_of_its_caller():
    variable = contextvars.ContextVar("variable", default="default")
    variable.set("mine")
    seen = []
    x = Tensor([1 / 3, 2.0])
    h = x * 2
    h.register_hook(lambda grad: seen.append((variable.get(), str(grad.data))))
    with np.printoptions(precision=2):
        (h * x).sum().backward()
    assert seen == [("mine", "[0.33 2.  ]")]
