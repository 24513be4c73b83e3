"""Optimizers as nodes give the numbers of autodiff.optim, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import optim, static

RULES = {
    "descent": (lambda: static.GradientDescentOptimizer(0.1), lambda w: optim.SGD(w, lr=0.1)),
    "momentum": (lambda: static.MomentumOptimizer(0.1, 0.9), lambda w: optim.SGD(w, lr=0.1, momentum=0.9)),
    "nesterov": (
        lambda: static.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        lambda w: optim.SGD(w, lr=0.1, momentum=0.9, nesterov=True),
    ),
    "Adam": (lambda: static.AdamOptimizer(0.1), lambda w: optim.Adam(w, lr=0.1)),
    "Adam, other numbers": (
        lambda: static.AdamOptimizer(0.05, 0.8, 0.99, 1e-3),
        lambda w: optim.Adam(w, lr=0.05, betas=(0.8, 0.99), eps=1e-3),
    ),
}


@pytest.fixture(autouse=True)
def graph():
    with static.Graph("the test's graph") as graph:
        yield graph


@pytest.mark.parametrize("dtype", [np.float64, np.float32, float])
@pytest.mark.parametrize("rule", RULES)
def test_fifty_steps_are_those_of_the_eager_optimizer(rule, dtype):
    make, eager = RULES[rule]
    rng = np.random.default_rng(0)
    number = dtype is float
    start = 1.5 if number else rng.normal(size=(3, 2)).astype(dtype)
    points = rng.normal(size=(50, 4, 1 if number else 3)).astype(dtype)
    w, b = static.Variable(start), static.Variable(np.zeros(2, np.float64 if number else dtype))
    x = static.placeholder((4, None), dtype=np.dtype(dtype))
    loss = static.reduce_mean(static.square(static.tanh(x * w if number else x @ w) + b - 1))
    step = make().minimize(loss)
    tensors = ad.Tensor(start), ad.Tensor(np.zeros(2, np.float64 if number else dtype))
    optimizer = eager(tensors)
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        for batch in points:
            session.run(step, {x: batch})
            h = batch * tensors[0] if number else batch @ tensors[0]
            optimizer.zero_grad()
            (h.tanh() + tensors[1] - 1).square().mean().backward()
            optimizer.step()
        for mine, theirs in zip(session.run([w, b]), tensors):
            np.testing.assert_array_equal(mine, theirs.data)
            assert np.asarray(mine).dtype == theirs.dtype


def test_a_rate_may_be_a_node():
    w, rate = static.Variable(1.0), static.placeholder(())
    step = static.GradientDescentOptimizer(rate).minimize(w * 3)
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        for value in (0.5, 0.25):
            session.run(step, {rate: value})
        assert session.run(w) == 1.0 - 1.5 - 0.75


def test_two_steps_in_one_run_update_two_variables():
    a, b = static.Variable(1.0), static.Variable(2.0)
    optimizer = static.AdamOptimizer(0.1)
    steps = [optimizer.minimize(a * b, [a]), optimizer.minimize(-a * b, [b])]
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        assert session.run(steps) == [None, None]
        np.testing.assert_allclose(session.run([a, b]), [0.9, 2.1])


def test_gradients_may_be_clipped_before_they_are_applied():
    w, v = static.Variable(1.0), static.Variable(1.0)
    optimizer = static.GradientDescentOptimizer(1.0)
    pairs = optimizer.compute_gradients(100 * w - 0.5 * v)
    assert [variable for _, variable in pairs] == [w, v]
    step = optimizer.apply_gradients((static.clip(grad, -1.0, 1.0), variable) for grad, variable in pairs)
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        session.run(step)
        assert session.run([w, v]) == [0.0, 1.5]


def test_a_step_sees_the_variables_from_before_it():
    w, v = static.Variable(1.0), static.Variable(10.0)
    step = static.GradientDescentOptimizer(1.0).minimize(w * v)
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        assert session.run([w * 1, step, w * v]) == [1.0, None, 10.0]
        assert session.run([w, v]) == [-9.0, 9.0]


def test_what_is_refused():
    w = static.Variable(1.0)
    fixed = static.Variable(1.0, trainable=False)
    optimizer = static.AdamOptimizer()
    with pytest.raises(ValueError, match="depends on no trainable variable"):
        optimizer.minimize(fixed * 2)
    with pytest.raises(ValueError, match="does not depend smoothly on <variable variable "):
        optimizer.minimize(fixed * 2, [w])
    with pytest.raises(TypeError, match="minimize takes a node of a static graph, not 3"):
        optimizer.minimize(3)
    with pytest.raises(ValueError, match="was given no pair"):
        optimizer.apply_gradients([])
    with pytest.raises(NotImplementedError):
        static.optimizers.Optimizer().minimize(w * w)
    fixed_step = optimizer.minimize(fixed * w, [fixed])  # named, a variable is updated though not trainable
    with static.Session() as session:
        session.run(static.global_variables_initializer())
        session.run(fixed_step)
        assert session.run(w) == 1.0
        assert session.run(fixed) == pytest.approx(0.999)


def test_nodes_of_an_optimizer_are_in_the_graph_of_the_loss(graph):
    w = static.Variable(1.0, name="w")
    with static.Graph() as other:
        step = static.AdamOptimizer().minimize(w * w)
    assert step.graph is graph
    assert not other.nodes
    assert {"w/adam_m", "w/adam_v", "adam_steps"} <= set(graph.nodes)
