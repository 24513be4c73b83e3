"""``init_state`` makes the state before the first step: the steps that follow come to the same bits."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, optim
from autodiff.engine.tracing import TraceError
from tests.optim.cases import CASES, label, step


def parameters():
    """Of each kind: float64, float32, float16, without axes, without elements, in Fortran's order, a
    number, and one that gets no gradient."""
    random = np.random.default_rng(3)
    return [
        Tensor(random.normal(size=(2, 3))),
        Tensor(random.normal(size=3).astype(np.float32)),
        Tensor(random.normal(size=(2, 2)).astype(np.float16)),
        Tensor(np.asarray(random.normal())),
        Tensor(np.zeros((0, 3))),
        Tensor(np.asfortranarray(random.normal(size=(3, 2)))),
        Tensor(random.normal()),
        Tensor(random.normal()),
    ]


def train(optimizer, turns):
    for turn in turns:
        random = np.random.default_rng(turn)
        step(optimizer, *(random.normal(size=p.shape) for p in optimizer._parameters[:-1]), None)


def made(name, params, options):
    """An optimizer of two groups, with all that goes around a rule."""
    groups = [{"params": params[:2], "lr": 0.1, "maximize": True}, {"params": params[2:]}]
    return getattr(optim, name)(groups, lr=0.05, weight_decay=0.01, **options)


def entries(state):
    return {key: (type(x), np.shape(x), getattr(x, "dtype", None)) for key, x in state.items()}


@pytest.mark.parametrize(("name", "options"), CASES, ids=label)
def test_the_steps_that_follow_come_to_the_same_bits(name, options):
    plain, begun = parameters(), parameters()
    first, second = made(name, plain, options), made(name, begun, options)
    second.init_state()
    for p, q in zip(plain, begun):
        np.testing.assert_array_equal(p.data, q.data)
    assert [state["step"] for state in second.state.values()] == [0] * len(begun)
    before = [*map(entries, second.state.values())]
    for turns in ([0], range(1, 6)):
        train(first, turns)
        train(second, turns)
        for p, q in zip(plain, begun):
            assert np.asarray(p.data).tobytes() == np.asarray(q.data).tobytes()
        for p, q in zip(plain[:-1], begun):
            assert first.state[p].keys() == second.state[q].keys()
            for key, value in first.state[p].items():
                np.testing.assert_array_equal(value, second.state[q][key])
    assert before == [*map(entries, second.state.values())]  # the shapes and types of all entries
    assert before[:-1] == [*map(entries, first.state.values())]


def test_where_entries_start():
    """As the classes' formulas say."""
    w = Tensor([1.0, 2.0])
    for optimizer, expected in [
        (optim.SGD([w], momentum=0.9, dampening=0.5), {"momentum_buffer": [0, 0]}),
        (optim.SGD([w]), {}),
        (optim.Adam([w], amsgrad=True), {"m": [0, 0], "v": [0, 0], "max_v": [0, 0]}),
        (optim.NAdam([w]), {"mu_product": 1.0, "m": [0, 0], "v": [0, 0]}),
        (optim.Adagrad([w], initial_accumulator_value=0.5), {"sum": [0.5, 0.5]}),
        (optim.Adadelta([w]), {"square_avg": [0, 0], "acc_delta": [0, 0]}),
    ]:
        optimizer.init_state()
        np.testing.assert_equal(optimizer.state[w], {"step": 0, **expected})


def test_what_is_there_stays():
    w, b = Tensor([1.0, 2.0]), Tensor(3.0)
    optimizer = optim.Adam([w])
    step(optimizer, [1.0, 2.0])
    before = copy.deepcopy(optimizer.state_dict()["state"][0])
    optimizer.add_param_group({"params": [b]})
    optimizer.init_state()
    after = optimizer.state_dict()["state"]
    np.testing.assert_equal(after[0], before)
    assert after[1] == {"step": 0, "m": 0.0, "v": 0.0}


def test_it_is_saved_and_loaded():
    saved = optim.NAdam([Tensor([1.0, 2.0])])
    saved.init_state()
    loaded, plain = optim.NAdam([Tensor([1.0, 2.0])]), optim.NAdam([Tensor([1.0, 2.0])])
    loaded.load_state_dict(saved.state_dict())
    for optimizer in (loaded, plain):
        step(optimizer, [1.0, -1.0])
    np.testing.assert_array_equal(loaded._parameters[0].data, plain._parameters[0].data)


def test_lbfgs():
    results = []
    for is_begun in (False, True):
        w = Tensor([-1.0, 1.5])
        optimizer = optim.LBFGS([w])
        if is_begun:
            optimizer.init_state()
            assert [*optimizer.state] == [w]

        def closure(w=w, optimizer=optimizer):
            optimizer.zero_grad()
            loss = (w[1] - w[0] ** 2) ** 2 + (1 - w[0]) ** 2
            loss.backward()
            return loss

        for _ in range(3):
            optimizer.step(closure)
        results.append(w.data)
    np.testing.assert_array_equal(*results)


class Own(optim.Optimizer):
    """A rule that somebody wrote; ``beginnings`` says how it finds its entry in the first step."""

    def __init__(self, params, rule):
        super().__init__(params, {"lr": 0.1})
        self.rule = rule

    def update(self, data, grad, state, group):
        data -= group["lr"] * self.rule(data, grad, state)


def by_get(data, grad, state):
    state["v"] = 0.5 * state.get("v", 1.0) + grad
    return state["v"]


def by_setdefault(data, grad, state):
    v = state.setdefault("v", np.ones_like(data))
    v += grad
    return v


def by_looking(data, grad, state):
    if "v" not in state:
        state["v"] = np.zeros_like(data)
    state["v"] += grad
    return state["v"]


def by_the_first_gradient(data, grad, state):
    v = state.get("v")
    state["v"] = grad.copy() if v is None else 0.9 * v + 0.1 * grad
    return state["v"]


def in_a_list(data, grad, state):
    state["v"] = [grad, *(state.get("v") or [])]
    return sum(state["v"])


def of_another_type(data, grad, state):
    old = state.get("v", 0)
    state["v"] = (grad,)
    return grad + np.sum(old)


def growing(data, grad, state):
    state["v"] = np.concatenate([state.get("v", np.ones((1, 2))), [grad]])
    return state["v"].sum(axis=0)


@pytest.mark.parametrize(
    ("rule", "start"),
    [
        (by_get, [1, 1]),
        (by_setdefault, [1, 1]),
        (by_looking, None),
        (by_the_first_gradient, None),
        (in_a_list, None),
        (of_another_type, None),
        (growing, [[1, 1]]),
    ],
)
def test_a_rule_of_one_s_own(rule, start):
    plain, begun = Own([Tensor([1.0, 2.0])], rule), Own([Tensor([1.0, 2.0])], rule)
    begun.init_state()
    (state,) = begun.state.values()
    assert ("v" in state) == (start is not None)
    if start is not None:
        np.testing.assert_array_equal(state["v"], start)
    for grad in ([1.0, -2.0], [0.5, 0.25]):
        step(plain, grad)
        step(begun, grad)
    np.testing.assert_array_equal(plain._parameters[0].data, begun._parameters[0].data)


def test_it_is_refused_in_a_program():
    optimizer = optim.Adam([Tensor([1.0])])

    def f(x):
        optimizer.init_state()
        return x

    with pytest.raises(TraceError, match="the state of an optimizer"):
        ad.compile(f)(Tensor([1.0]))
    assert not optimizer.state
