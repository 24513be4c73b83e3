"""The base class: groups, errors, and the effect of a step on memory and graphs."""

from __future__ import annotations

import copy
import gc
import weakref

import numpy as np
import pytest

from autodiff import Tensor, optim
from tests.optim.cases import CASES, RULES, label, step


def address(tensor):
    return tensor.data.__array_interface__["data"][0]


# -- accepted and refused arguments -------------------------------------------------------------------------


def test_parameters_come_in_four_forms():
    w, b = Tensor([1.0]), Tensor(2.0)
    for params in ([w, b], (p for p in (w, b)), [("w", w), ("b", b)], {"w": w, "b": b}.items()):
        (group,) = optim.SGD(params).param_groups
        assert [id(p) for p in group["params"]] == [id(w), id(b)]
    groups = optim.SGD([{"params": w, "lr": 0.5}, {"params": [("b", b)]}], lr=0.1).param_groups
    assert [group["lr"] for group in groups] == [0.5, 0.1]
    assert groups[1]["param_names"] == ["b"]


def test_each_group_has_its_own_options():
    w, b = Tensor([1.0]), Tensor(1.0)
    optimizer = optim.SGD([{"params": [w]}, {"params": [b], "lr": 0.5, "weight_decay": 1.0}], lr=0.1)
    step(optimizer, [1.0], 1.0)
    np.testing.assert_allclose([w.data[0], b.data], [0.9, 0.0])


def test_the_caller_s_groups_are_not_changed():
    group = {"params": [Tensor(1.0)]}
    optimizer = optim.SGD([group], lr=0.1)
    optimizer.param_groups[0]["lr"] = 7.0
    assert list(group) == ["params"]


W = Tensor([1.0, 2.0], name="w")
CONSTANT = Tensor(3.0, requires_grad=False, name="c")


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ([], ValueError, "got no parameters"),
        ([{"params": []}], ValueError, "got no parameters"),
        ([{"params": [W]}, {"params": iter(())}], ValueError, "read only once"),
        (W, TypeError, "takes a list of Tensors.* not one Tensor"),
        (np.ones(3), TypeError, "not one ndarray"),
        ({W}, TypeError, "not one set"),
        ({"params": [W]}, TypeError, "not one dict"),
        (None, TypeError, "not one NoneType"),
        ([1.0], TypeError, "changes Tensors, not 1.0"),
        ([np.ones(3)], TypeError, r"changes Tensors, not an array of shape \(3,\)"),
        ([("w", 1.0)], TypeError, "changes Tensors, not 1.0"),
        ([("w", W), CONSTANT], TypeError, "either all parameters of a group come with a name, or none"),
        ([{"params": [W]}, W], TypeError, 'a dictionary with "params"'),
        ([{"lr": 0.1}], TypeError, 'a dictionary with "params"'),
        ([W * 2], ValueError, "made by mul.* Pass the leaves"),
        ([W, CONSTANT], ValueError, "'c' 3: it is a constant"),
        ([W, W], ValueError, r"got the Tensor 'w' of shape \(2,\) twice"),
        ([{"params": [W]}, {"params": [W]}], ValueError, "twice"),
        ([{"params": [W], "learning_rate": 1}], TypeError, "no option 'learning_rate'; it has lr, momentum"),
        ([{"params": [W], "lr": -1}], ValueError, "lr of SGD must be above 0, not -1"),
    ],
)
def test_parameters_that_are_refused(params, error, message):
    with pytest.raises(error, match=message):
        optim.SGD(params)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [(name, {"lr": lr}, f"lr of {name} must be above 0") for name in RULES for lr in (0, -1, np.nan, np.inf)]
    + [(name, {"weight_decay": -1e-9}, "weight_decay .* at least 0") for name in RULES]
    + [
        (name, {"betas": betas}, "betas .* at least 0 and below 1")
        for name in ("Adam", "AdamW", "NAdam", "RAdam")
        for betas in [(1.0, 0.9), (0.9, 1.0), (-0.1, 0.9), (0.9, np.nan)]
    ]
    + [
        (name, {"eps": -1e-9}, "eps .* at least 0")
        for name in ("Adagrad", "RMSprop", "Adadelta", "Adam", "AdamW", "NAdam", "RAdam")
    ]
    + [
        ("SGD", {"momentum": -0.1}, "momentum .* at least 0"),
        ("SGD", {"dampening": 1.1}, "dampening .* between 0 and 1"),
        ("RMSprop", {"momentum": -0.1}, "momentum .* at least 0"),
        ("RMSprop", {"alpha": 1.1}, "alpha .* between 0 and 1"),
        ("Adadelta", {"rho": -0.1}, "rho .* between 0 and 1"),
        ("Adagrad", {"lr_decay": -0.1}, "lr_decay .* at least 0"),
        ("Adagrad", {"initial_accumulator_value": -0.1}, "initial_accumulator_value .* at least 0"),
        ("NAdam", {"momentum_decay": -0.1}, "momentum_decay .* at least 0"),
        ("SGD", {"nesterov": True}, "nesterov of SGD requires a momentum above 0 and no dampening"),
        ("SGD", {"nesterov": True, "momentum": 0.9, "dampening": 0.1}, "nesterov of SGD requires"),
    ],
)
def test_options_out_of_range_are_refused(name, options, message):
    with pytest.raises(ValueError, match=message):
        getattr(optim, name)([W], **options)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("SGD", {"lr": "0.1"}, "lr of SGD must be a number, not '0.1'"),
        ("SGD", {"lr": Tensor(0.1)}, "lr of SGD must be a number"),
        ("SGD", {"dampening": "much"}, "dampening of SGD must be a number, not 'much'"),
        ("Adam", {"betas": 0.9}, "betas of Adam must be a pair"),
        ("Adam", {"betas": (0.9, 0.99, 0.999)}, "betas of Adam must be a pair"),
        ("Adam", {"betas": (0.9, None)}, "betas of Adam must be a number, not None"),
    ],
)
def test_options_that_are_no_numbers_are_refused(name, options, message):
    with pytest.raises(TypeError, match=message):
        getattr(optim, name)([W], **options)


def test_a_group_that_is_refused_is_not_added():
    optimizer = optim.SGD([W], lr=0.1)
    for group in ({"params": [Tensor(1.0), W]}, {"params": [Tensor(1.0)], "lr": 0}, {"params": []}):
        with pytest.raises(ValueError, match=r"twice|above 0|no parameters"):
            optimizer.add_param_group(group)
    with pytest.raises(ValueError, match="nesterov of SGD requires"):
        optimizer.add_param_group({"params": [Tensor(1.0)], "nesterov": True})
    assert len(optimizer.param_groups) == 1


def test_a_rule_must_be_given():
    w = Tensor([1.0])
    with pytest.raises(ValueError, match="the defaults of Optimizer have no lr"):
        optim.Optimizer([w], {"rate": 0.1})
    optimizer = optim.Optimizer([w], {"lr": 0.1})
    with pytest.raises(NotImplementedError, match="Optimizer has no update"):
        step(optimizer, [1.0])


# -- a step -------------------------------------------------------------------------------------------------


class Recording(optim.Optimizer):
    """Plain descent that stores the arguments of its rule."""

    def __init__(self, params):
        super().__init__(params, {"lr": 0.5})
        self.calls = []

    def update(self, data, grad, state, group):
        self.calls.append((data.copy(), grad.copy(), dict(state), group))
        data -= group["lr"] * grad
        state["last"] = grad * 1


def test_a_rule_is_called_for_each_parameter_in_order():
    """Numbers too: each is updated alone, with a state of its own."""
    parameters = [Tensor(1.0), Tensor([2.0, 3.0]), Tensor(4.0), Tensor(5.0), Tensor(np.array(6.0))]
    optimizer = Recording([{"params": parameters[:3]}, {"params": parameters[3:]}])
    for turn in (1, 2):
        optimizer.calls.clear()
        step(optimizer, 1.0, [1.0, 1.0], None, 3.0, 4.0)
        given = [(data.tolist(), np.shape(grad), grad.tolist()) for data, grad, _, _ in optimizer.calls]
        moved = 0.5 * (turn - 1)
        assert given == [
            (1.0 - moved, (), 1.0),
            ([2.0 - moved, 3.0 - moved], (2,), [1.0, 1.0]),
            (5.0 - 3 * moved, (), 3.0),
            (6.0 - 4 * moved, (), 4.0),
        ]
        assert all(data.dtype == grad.dtype == np.float64 for data, grad, _, _ in optimizer.calls)
        assert [state["step"] for _, _, state, _ in optimizer.calls] == [turn] * 4
        first, second = optimizer.param_groups
        assert [id(group) for *_, group in optimizer.calls] == [id(first)] * 2 + [id(second)] * 2
    assert [type(parameter.data) for parameter in parameters] == [float, np.ndarray, float, float, np.ndarray]


@pytest.mark.parametrize(("name", "options"), CASES, ids=label)
def test_the_state_of_a_number_consists_of_numbers(name, options):
    w = Tensor(1.0)
    optimizer = getattr(optim, name)([w], **options)
    for _ in range(2):
        step(optimizer, 2.0)
    assert {type(value) for key, value in optimizer.state[w].items() if key != "step"} <= {float}
    assert (type(optimizer.state[w]["step"]), type(w.data)) == (int, float)


@pytest.mark.parametrize(("name", "options"), CASES, ids=label)
def test_a_parameter_without_a_gradient_is_skipped(name, options):
    parameters = [Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor(5.0), Tensor(6.0)]
    optimizer = getattr(optim, name)(parameters, weight_decay=0.1, **options)
    step(optimizer, None, [1.0, 1.0], None, 1.0)
    assert (parameters[0].data.tolist(), parameters[2].data) == ([1.0, 2.0], 5.0)
    assert list(optimizer.state) == [parameters[1], parameters[3]]
    remembered = copy.deepcopy(optimizer.state_dict()["state"])
    step(optimizer, [1.0, 1.0], None, 1.0, None)
    for place in (1, 3):
        np.testing.assert_equal(optimizer.state_dict()["state"][place], remembered[place])
    assert [optimizer.state[parameter]["step"] for parameter in parameters] == [1, 1, 1, 1]


@pytest.mark.parametrize(("name", "options"), CASES, ids=label)
def test_each_number_counts_its_own_steps(name, options):
    random = np.random.default_rng(1)
    together, alone = ([Tensor(1.0), Tensor(2.0), Tensor(3.0)] for _ in range(2))
    one = getattr(optim, name)(together, **options)
    each = [getattr(optim, name)([parameter], **options) for parameter in alone]
    for turn in range(8):
        grads = [None if (turn + place) % 3 == 0 else random.normal() for place in range(3)]
        step(one, *grads)
        for optimizer, grad in zip(each, grads):
            step(optimizer, grad)
        assert [p.data for p in together] == [p.data for p in alone]


def test_zero_grad_clears_every_gradient():
    w, b = Tensor([1.0]), Tensor(1.0)
    (w * b).sum().backward()
    optim.SGD([{"params": [w]}, {"params": [b]}]).zero_grad()
    assert (w.grad, b.grad) == (None, None)


def test_the_array_is_overwritten_in_place():
    w = Tensor(np.ones((3, 3)))
    optimizer = optim.Adam([w])
    before = address(w)
    for _ in range(3):
        loss = ((np.ones((2, 3)) @ w) ** 2).sum()  # a graph holds the Tensor, not its array
        loss.backward()
        optimizer.step()
        assert address(w) == before


@pytest.mark.parametrize(
    "hold",
    [
        lambda w: w.detach(),
        lambda w: w.data,
        lambda w: w.data[1:],
        lambda w: w.detach().T,
        lambda w: w.T.detach(),
        lambda w: [w.data],
    ],
    ids=["detach", "data", "a view", "a transposed constant", "a detached transpose", "in a list"],
)
@pytest.mark.parametrize("name", RULES)
def test_a_shared_array_keeps_its_values(name, hold):
    w = Tensor([[1.0, 2.0], [3.0, 4.0]])
    held = hold(w)
    before = np.copy(held.data if isinstance(held, Tensor) else held)
    optimizer = getattr(optim, name)([w])
    for _ in range(2):
        step(optimizer, np.ones((2, 2)))
    np.testing.assert_array_equal(held.data if isinstance(held, Tensor) else held, before)
    assert np.all(w.data != [[1.0, 2.0], [3.0, 4.0]])


def test_after_a_copy_the_new_array_is_the_parameter_s_own():
    w = Tensor([1.0])
    held = w.detach()
    optimizer = optim.SGD([w])
    step(optimizer, [1.0])
    own = address(w)
    assert own != address(held)
    step(optimizer, [1.0])
    assert address(w) == own


@pytest.mark.parametrize("value", [2.0, [2.0, 3.0]], ids=["number", "array"])
def test_backward_over_an_older_graph_raises(value):
    w, still = Tensor(value), Tensor(value)
    used, unused = (w * w).sum(), (still * 2).sum()
    used.backward()
    optim.SGD([w, still]).step()
    with pytest.raises(RuntimeError, match="was changed after"):
        used.backward()
    unused.backward()  # this one was not changed
    (w * w).sum().backward()


def test_a_recorded_gradient_can_be_used():
    w = Tensor(3.0)
    (w**3).backward(create_graph=True)
    optim.SGD([w], lr=0.1).step()
    assert w.data == pytest.approx(3 - 2.7)
    assert w.grad.creators is not None


def test_a_gradient_that_is_an_array_without_axes_updates_a_number():
    w = Tensor(3.0)
    w.grad = np.array(1.0)
    optim.Adam([w], lr=0.5).step()
    assert (w.data, type(w.data)) == (pytest.approx(2.5), float)


@pytest.mark.parametrize(("name", "options"), CASES, ids=label)
def test_a_gradient_that_is_a_number_updates_an_array_without_axes(name, options):
    w, number = Tensor(np.array(3.0)), Tensor(3.0)
    optimizer = getattr(optim, name)([w, number], **options)
    for _ in range(2):
        step(optimizer, 2.0, 2.0)
    assert (float(w.data), type(w.data)) == (number.data, np.ndarray)


def test_a_number_that_becomes_an_array_without_axes_continues():
    """And the other way round: the state is converted too."""
    for there, back in [(float, np.array), (np.array, float)]:
        w, same = Tensor(there(3.0)), Tensor(3.0)
        optimizer, other = optim.Adam([w], lr=0.5), optim.Adam([same], lr=0.5)
        for grad in (1.0, -3.0):
            step(optimizer, grad)
            step(other, grad)
            w.data = back(w.data)
        assert float(w.data) == same.data


@pytest.mark.parametrize("value", [0.5, np.linspace(1, 2, 50, dtype=np.float32)], ids=["number", "float32"])
def test_a_numpy_learning_rate_is_a_number(value):
    """Otherwise float32 would be multiplied as float64: other last digits, and four times as slow."""
    w, other = Tensor(value), Tensor(value)
    optimizer, plain = optim.SGD([w], lr=np.float32(0.5)), optim.SGD([other], lr=0.5)
    for rate in np.linspace(0, 1, 4):
        optimizer.param_groups[0]["lr"], plain.param_groups[0]["lr"] = rate, float(rate)
        step(optimizer, value)
        step(plain, value)
    np.testing.assert_array_equal(w.data, other.data)
    assert type(optimizer.param_groups[0]["lr"]) is float


@pytest.mark.parametrize("value", [np.linspace(1, 2, 5, dtype=np.float32), np.float32(2).reshape(())])
@pytest.mark.parametrize("name", RULES)
def test_numpy_options_leave_float32_as_it_is(name, value):
    w, other = Tensor(value), Tensor(value)
    optimizer, plain = getattr(optim, name)([w]), getattr(optim, name)([other])
    (group,) = optimizer.param_groups
    for key, option in group.items():
        if isinstance(option, tuple):
            group[key] = tuple(np.float64(part) for part in option)
        elif isinstance(option, (bool, float)):
            group[key] = np.array(option)[()]
    for _ in range(3):
        step(optimizer, value)
        step(plain, value)
    np.testing.assert_array_equal(w.data, other.data)
    np.testing.assert_equal(optimizer.state_dict(), plain.state_dict())
    remembered = [kept for kept in optimizer.state[w].values() if isinstance(kept, (np.ndarray, np.generic))]
    assert all(kept.dtype == np.float32 for kept in remembered)


def test_parameters_of_two_dtypes_do_not_mix():
    values = [np.float32([0.1, 0.2]), np.array([0.1, 0.2]), np.float32([0.1, 0.2])]
    together, alone = ([Tensor(value) for value in values] for _ in range(2))
    one, each = optim.Adam(together), [optim.Adam([parameter]) for parameter in alone]
    for _ in range(3):
        step(one, *values)
        for optimizer, value in zip(each, values):
            step(optimizer, value)
    for mine, other in zip(together, alone):
        np.testing.assert_array_equal(mine.data, other.data)


def test_an_optimizer_and_its_parameters_are_freed():
    gc.collect()
    gc.disable()
    try:
        w = Tensor([1.0])
        optimizer = optim.Adam([w])
        step(optimizer, [1.0])
        watches = [weakref.ref(w), weakref.ref(optimizer)]
        del w, optimizer
        assert [watch() for watch in watches] == [None, None]
    finally:
        gc.enable()


# -- repr ---------------------------------------------------------------------------------------------------


def test_the_repr_lists_the_options_in_use():
    w, b = Tensor(np.ones((2, 3))), Tensor(1.0)
    assert repr(optim.SGD([w, b], lr=0.1)) == "SGD(2 parameters, 7 elements, lr=0.1)"
    optimizer = optim.AdamW([{"params": [w]}, {"params": [b], "lr": 0.5, "weight_decay": 0}])
    optimizer.param_groups[0]["lr"] = 0.0
    common = "betas=(0.9, 0.999), eps=1e-08"
    assert repr(optimizer).splitlines() == [
        "AdamW(",
        f"    1 parameter, 6 elements, lr=0.0, {common}, weight_decay=0.01, decoupled_weight_decay=True",
        f"    1 parameter, 1 element, lr=0.5, {common}, decoupled_weight_decay=True",
        ")",
    ]
