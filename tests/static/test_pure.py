"""What a session calls to run a plan: a pure function that looks at no value, so that it can be traced."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from autodiff import static
from autodiff.static.running import RunPlan, execute


class Unseen(np.ndarray):
    """An array whose elements nobody may look at."""

    def refused(self, *_):
        raise AssertionError("a value was asked for")

    __bool__ = __float__ = __int__ = __index__ = item = tolist = refused


def training_step():
    """A step of Adam on a loss with a gradient in it, its plan, and values for what the plan takes."""
    x = static.placeholder((4, 3), name="x")
    w = static.Variable(np.linspace(-1, 1, 6).reshape(3, 2), name="w")
    b = static.Variable(np.zeros(2), name="b")
    h = static.tanh(x @ w + b)
    penalty = static.reduce_sum(static.square(static.gradients(static.reduce_sum(h), x)[0]))
    loss = static.reduce_mean(static.square(h - 1)) + 0.1 * penalty
    step = static.AdamOptimizer(0.1).minimize(loss)
    plan = RunPlan([loss, step], [x])
    rng = np.random.default_rng(0)
    held = [1.0 if variable.is_number else rng.random(variable.shape) for variable in plan.variables]
    return plan, [rng.normal(size=(4, 3))], held


@pytest.fixture(autouse=True)
def graph():
    with static.Graph() as graph:
        yield graph


def test_it_gives_the_same_again_and_changes_nothing():
    plan, fed, held = training_step()
    before = copy.deepcopy((fed, held))
    first, second = execute(plan, fed, held), execute(plan, fed, held)
    for one, other in zip(first[1], second[1], strict=True):
        np.testing.assert_array_equal(one, other)
    assert first[0] == second[0]
    for array, earlier in zip((*fed, *held), (*before[0], *before[1]), strict=True):
        np.testing.assert_array_equal(array, earlier)


def test_it_asks_for_no_value():
    plan, fed, held = training_step()
    expected = execute(plan, fed, held)
    unseen = [value.view(Unseen) if isinstance(value, np.ndarray) else value for value in held]
    found = execute(plan, [fed[0].view(Unseen)], unseen)
    assert len(found[1]) == len(plan.assigns) == 7
    for one, other in zip(found[1], expected[1], strict=True):
        np.testing.assert_array_equal(np.asarray(one), other)
