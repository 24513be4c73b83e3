"""Random loops over slices, whose steps use slices, gates, sums and states in random ways."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from tests.compiling.passes_agree import ALL, agree

# Each step makes a state (2, 4) of a state (2, 4), a row (2, 4) and weights (4, 4), (4, 4) and (4,).
STEPS = (
    lambda h, x, w, u, b: h @ u,
    lambda h, x, w, u, b: x @ w + h,
    lambda h, x, w, u, b: (x @ w + h @ u + b).tanh(),
    lambda h, x, w, u, b: h + b,
    lambda h, x, w, u, b: h * x.sigmoid(),
    lambda h, x, w, u, b: h.sigmoid() * (1 - h.sigmoid()) + x,
    lambda h, x, w, u, b: ad.concatenate([h[:, 2:], x[:, :2]], axis=1),
    lambda h, x, w, u, b: ad.concatenate([part.tanh() for part in ad.split(h, 2, axis=1)], axis=1),
    lambda h, x, w, u, b: ad.concatenate([h[:, 1:].sigmoid(), h[:, :1].sigmoid()], axis=1) + x,
    lambda h, x, w, u, b: ad.stack([h[0] * x[1], h[1]]),
    lambda h, x, w, u, b: h - x.mean(axis=0),
    lambda h, x, w, u, b: h[::-1] * 0.5 + x,
    lambda h, x, w, u, b: ad.where(h > x, h, x * 0.5),
    lambda h, x, w, u, b: h * h.sum(axis=1, keepdims=True).tanh(),
    lambda h, x, w, u, b: ad.softmax(h, axis=-1) @ u + x,
    lambda h, x, w, u, b: (h.T @ x).sum(axis=0) * 0.1 + h,
    lambda h, x, w, u, b: x[:, [0, 2, 2, 1]] + h.tanh() @ w.T,
    lambda h, x, w, u, b: (x @ w[:, :2]).repeat(2, axis=1) + (w @ h[0])[None] + b[:1],
)
ROWS = (
    lambda x: list(x),
    lambda x: [x[t] for t in reversed(range(len(x)))],
    lambda x: [x[t] for t in range(0, len(x), 2)],
    lambda x: [x[t] * x[t - 1] for t in range(len(x))],
    lambda x: [x.transpose((1, 0, 2))[:, t] for t in range(len(x))],
    lambda x: [row.tanh() for row in x],
    lambda x: [x[t : t + 1].sum(axis=0) for t in range(len(x))],
)
ENDS = (
    lambda states: (states[-1] ** 2).sum(),
    lambda states: (ad.stack(states) ** 2).sum(),
    lambda states: sum((h * h).sum() for h in states),
    lambda states: (ad.concatenate(states[::-1]).tanh() * 0.3).sum() + states[0].sum(),
    lambda states: sum(h[:, t % 4].sum() * t for t, h in enumerate(states)),
)


class RandomLoop:
    """A random loop over rows, and its arguments."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.steps = [STEPS[k] for k in rng.integers(len(STEPS), size=rng.integers(1, 4))]
        self.rows, self.end = ROWS[rng.integers(len(ROWS))], ENDS[rng.integers(len(ENDS))]
        self.order = int(rng.integers(1, 3))
        shapes = (int(rng.integers(1, 9)), 2, 4), (2, 4), (4, 4), (4, 4), (4,)
        self.args = [Tensor(0.5 * rng.normal(size=shape)) for shape in shapes]

    def loss(self, x, h, w, u, b):
        states = []
        for row in self.rows(x):
            for step in self.steps:
                h = step(h, row, w, u, b)
            states.append(h)
        return self.end(states)

    def function(self):
        every = tuple(range(len(self.args)))
        first = ad.value_and_grad(self.loss, argnums=every)
        if self.order == 1:
            return first

        def squares(*args):
            return sum((slope * slope).sum() for slope in ad.grad(self.loss, argnums=every)(*args))

        return ad.value_and_grad(squares, argnums=every)


@pytest.mark.parametrize("exact", [True, False])
def test_random_loops(exact, pytestconfig):
    for seed in range(250 if pytestconfig.getoption("--thorough") else 10):
        loop = RandomLoop(seed)
        try:
            if exact:
                agree(loop.function(), loop.args, ("pieces",), tolerance=0)
            else:
                agree(loop.function(), loop.args, ALL, 1e-11)
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error


@pytest.mark.parametrize("name", ALL)
@pytest.mark.thorough
def test_each_pass_alone(name, pytestconfig):
    for seed in range(1000, 1060 if pytestconfig.getoption("--thorough") else 1003):
        loop = RandomLoop(seed)
        agree(loop.function(), loop.args, (name,), 1e-11)
