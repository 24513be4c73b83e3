"""The programs that are shown are Python: pasted into a file, they compute what the function does."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn, optim
from autodiff.compiling.inspecting import array_text
from autodiff.compiling.training_step import TrainingStep
from autodiff.engine.tensor import raw
from benchmarks.scalar_mlp import loss_of, network, points
from tests.compiling.pasting import pasted

RNG = np.random.default_rng(0)


def classifier():
    layers = [RNG.normal(size=shape) for shape in [(4, 8), (8,), (8, 3), (3,)]]
    target = RNG.integers(0, 3, 6)

    def loss(w1, b1, w2, b2, x):
        return nn.cross_entropy(ad.relu(x @ w1 + b1) @ w2 + b2, target)

    return ad.value_and_grad(loss, argnums=(0, 1, 2, 3)), [*layers, RNG.normal(size=(6, 4))]


def recurrent():
    sequence = RNG.normal(size=(12, 4, 5))

    def loss(w, u, b):
        h = np.zeros((4, 5))
        for x in sequence:
            h = ad.tanh(x @ w + h @ u + b)
        return (h * h).sum()

    return ad.value_and_grad(loss, argnums=(0, 1, 2)), [RNG.normal(size=s) for s in [(5, 5), (5, 5), (5,)]]


def curvature():
    return ad.grad(ad.grad(lambda x: ad.sin(x) * x**3)), [1.3]


@pytest.mark.parametrize("case", [classifier, recurrent, curvature])
def test_a_pasted_program_computes_the_same(case):
    f, arguments = case()
    fast = ad.compile(f)
    fast(*arguments)
    expected = map(raw, flat(f(*arguments)))
    found = pasted(fast)(*arguments)
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-12)


def flat(tree):
    """The leaves of nested tuples and lists."""
    return [leaf for part in tree for leaf in flat(part)] if isinstance(tree, (tuple, list)) else [tree]


@pytest.mark.thorough
def test_a_pasted_program_of_a_network_of_numbers():
    data = points(100)
    f = ad.value_and_grad(lambda layers: loss_of(layers, data))
    layers = network(float)
    fast = ad.compile(f)
    expected = [float(leaf) for leaf in flat(fast(layers))]
    (found,) = pasted(fast)(np.array(flat(layers)))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_pasted_training_step():
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    step = TrainingStep(model, lambda prediction, t: ((prediction - t) ** 2).mean(), optimizer)
    x, target = RNG.normal(size=(6, 4)), RNG.normal(size=(6, 1))
    for _ in range(2):
        step(x, target)
    program = pasted(step._whole)
    parameters = [raw(p).copy() for p in optimizer._parameters]
    states = [optimizer.state[p] for p in optimizer._parameters]
    numbers = [0.01, float(states[0]["step"])]  # of steps: equal counts are one argument
    moments = [state[key].copy() for state in states for key in ("m", "v")]
    found = program(x, target, *numbers, *parameters, *moments)
    prediction, loss = step(x, target)
    np.testing.assert_allclose(found[0], prediction.data, rtol=1e-6)
    np.testing.assert_allclose(found[1], loss.data, rtol=1e-6)
    for mine, parameter in zip(parameters, optimizer._parameters, strict=True):  # written in place
        np.testing.assert_allclose(mine, parameter.data, rtol=1e-6)


@pytest.mark.parametrize("array", [
    np.array(2.5), np.arange(6), np.arange(6.0), np.array([1, 3, 2]), np.zeros((0, 3)), np.zeros((12, 40)),
    np.array([0.0, -0.0]), np.array([-0.0, -0.0]), np.array([np.inf, -np.inf, np.nan, 1.0]),
    np.full(3, -np.inf), np.ones((2, 2), np.float32), np.array([True, False]), np.array([True, True]),
    np.arange(4, dtype=np.int32), np.array(np.inf),
], ids=str)  # fmt: skip
def test_constants_are_written_out(array):
    made = eval(array_text(array), {"np": np})
    assert (made.shape, made.dtype) == (array.shape, array.dtype)
    assert made.tobytes() == array.tobytes()


def test_a_large_constant_is_described():
    assert array_text(np.arange(100.0)) == "...  # an array of shape (100,), float64"


def test_names_that_are_taken_are_numbered_apart():
    a, b = np.arange(3.0), np.arange(3.0, 6.0)
    fast = ad.compile(lambda x: x * a + b)
    fast(np.ones(3))
    assert "data = np.array" in fast.program
    assert "data_2 = np.array" in fast.program


def test_one_result_is_a_tuple_and_several_have_no_comma_at_the_end():
    one, two = ad.compile(lambda x: x * x), ad.compile(lambda x: (x * x, x + x))
    one(np.ones(3))
    two(np.ones(3))
    assert one.program.endswith(",)\n")
    assert not two.program.endswith(",)\n")
    assert len(pasted(one)(np.ones(3))) == 1
    assert len(pasted(two)(np.ones(3))) == 2
