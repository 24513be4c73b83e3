"""The full run of lesson 34: networks that learn to balance a pole on a cart, by deep Q-learning (DQN).

The lesson's cells hold the same functions.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff as ad
from autodiff import nn, optim

from .shared import Arrays

Policy = Callable[[np.ndarray], Any]

GRAVITY, CART, POLE, HALF, PUSH, SECONDS = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
TOTAL = CART + POLE
TRACK, ANGLE, LIMIT = 2.4, 12 * 2 * np.pi / 360, 500
SIZES = np.array([TRACK, 2.0, ANGLE, 2.0])
GOOD = 475
SEEDS = tuple(range(8))
STEPS = 20_000
BEFORE = 1_500  # steps after which the network is kept once, for the film

# -- the cart and its pole ----------------------------------------------------------------------------------


def step(state: np.ndarray, right: Any) -> np.ndarray:
    """The state (x, v, angle, spin) a fiftieth of a second later, after a push to the right or to the left.

    ``state`` may have a column for each of many poles, and ``right`` then an element for each.
    """
    x, v, angle, spin = state
    push = np.where(right, PUSH, -PUSH)
    pulled = (push + POLE * HALF * np.square(spin) * np.sin(angle)) / TOTAL
    turns = (GRAVITY * np.sin(angle) - np.cos(angle) * pulled) / (
        HALF * (4.0 / 3.0 - POLE * np.square(np.cos(angle)) / TOTAL)
    )
    moves = pulled - POLE * HALF * turns * np.cos(angle) / TOTAL
    return np.array([x + SECONDS * v, v + SECONDS * moves, angle + SECONDS * spin, spin + SECONDS * turns])


def fallen(state: np.ndarray) -> Any:
    """Whether the pole leans by more than 12 degrees or the cart has left its track."""
    return (np.abs(state[0]) > TRACK) | (np.abs(state[2]) > ANGLE)


def fresh(rng: np.random.Generator, count: int | None = None) -> np.ndarray:
    """A state near the middle, or a column of it for each of ``count`` poles."""
    return rng.uniform(-0.05, 0.05, 4 if count is None else (4, count))


def lasts(policy: Policy, seed: int, count: int = 100) -> np.ndarray:
    """For each of ``count`` poles, how many steps it stays up, at most 500."""
    state = fresh(np.random.default_rng(seed), count)
    steps, up = np.zeros(count, int), np.ones(count, bool)
    for _ in range(LIMIT):
        state = step(state, policy(state))
        steps += up
        up &= ~fallen(state)
    return steps


# -- a network that learns ----------------------------------------------------------------------------------


def network(seed: int) -> nn.Sequential:
    """Four numbers in, what each of the two pushes is worth out."""
    ad.seed(seed)
    return nn.Sequential(nn.Linear(4, 100), nn.ReLU(), nn.Linear(100, 2)).double()


def worth(net: Any, states: np.ndarray, base: float = 100) -> np.ndarray:
    """What a network says both pushes are worth: states (n, 4) give (n, 2)."""
    with ad.no_grad():
        return base + 100 * net(states / SIZES).numpy()


def best(net: Any) -> Policy:
    """The policy that takes the push that is worth more."""
    return lambda state: worth(net, np.atleast_2d(state.T)).argmax(axis=1).squeeze()


def goals(fell: np.ndarray, next_worth: np.ndarray, discount: float = 0.99) -> np.ndarray:
    """What the pushes taken should be worth: 1, and what is best afterwards if the pole has not fallen."""
    return 1 + discount * (1 - fell) * next_worth.max(axis=1)


class Replay:
    """The last ``size`` moments; a new one takes the place of the oldest."""

    def __init__(self, size: int) -> None:
        self.size, self.count = size, 0
        self.state, self.after = np.zeros((size, 4)), np.zeros((size, 4))
        self.right, self.fell = np.zeros(size, int), np.zeros(size, int)

    def add(self, state: np.ndarray, right: Any, after: np.ndarray, fell: Any) -> None:
        """Keep one moment."""
        place = self.count % self.size
        self.state[place], self.right[place] = state, right
        self.after[place], self.fell[place] = after, fell
        self.count += 1

    def sample(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        """``count`` moments at random: states, pushes, states after them, and whether the pole fell."""
        places = rng.integers(min(self.count, self.size), size=count)
        return self.state[places], self.right[places], self.after[places], self.fell[places]


def train(
    seed: int,
    steps: int,
    goals: Callable[..., np.ndarray] = goals,
    memory: Any = Replay,
    good: float = GOOD,
    base: float = 100,
    watch: Callable[[int, Any], None] = lambda k, net: None,
) -> tuple[nn.Sequential, list[float]]:
    """A network trained for so many steps, or until 100 poles stay up for ``good`` steps on average; and
    that mean after each 500 steps. ``base`` is what the network takes each push to be worth at first."""
    rng = np.random.default_rng(seed)
    net, old = network(seed), network(seed)
    optimizer = optim.Adam(net.parameters(), lr=0.001)
    replay, state, age, means = memory(50_000), fresh(rng), 0, []

    @ad.compile
    def loss_backward(states: Any, chosen: Any, goal: Any) -> None:
        nn.huber_loss((net(states / SIZES) * chosen).sum(axis=1), (goal - base) / 100).backward()

    for k in range(1, steps + 1):
        epsilon = max(0.2, 0.75 - 0.55 * k / 10_000)
        right = rng.integers(2) if rng.random() < epsilon else best(net)(state)
        after = step(state, right)
        replay.add(state, right, after, fallen(after))
        state, age = after, age + 1
        if fallen(state) or age == LIMIT:
            state, age = fresh(rng), 0
        if k > 1000:
            states, rights, afters, fell = replay.sample(64, rng)
            goal = goals(fell, worth(old, afters, base))
            optimizer.zero_grad()
            loss_backward(states, np.eye(2)[rights], goal)
            optimizer.step()
        if k % 100 == 0:
            old.load_state_dict(net.state_dict())
        if k % 500 == 0:
            means.append(float(lasts(best(net), seed=1000).mean()))
            watch(k, net)
            if means[-1] >= good:
                break
    return net, means


# -- the full run -------------------------------------------------------------------------------------------


def run(seeds: tuple[int, ...] = SEEDS, steps: int = STEPS, before: int = BEFORE) -> Arrays:
    """Train networks until they are good, and test each on a hundred poles that had no part in its training.

    Returns
    -------
    dict of arrays
        For each seed: ``means_0``, how long poles stayed up after each 500 steps of training; ``low_0``, the
        same for a network that takes each push to be worth 0 at first; ``steps_0``, the 100 numbers of the
        test; ``minutes_0``. Of the first seed: the parameters at the end, ``last_0`` to ``last_3``, and after
        ``before`` steps, ``early_0`` to ``early_3``.
    """
    found: Arrays = {}
    early: list[np.ndarray] = []

    def watch(k: int, net: Any) -> None:
        if k == before and not early:
            early.extend(p.data.copy() for p in net.parameters())

    for seed in seeds:
        begun = time.perf_counter()
        net, means = train(seed, steps, watch=watch)
        minutes = (time.perf_counter() - begun) / 60
        test = lasts(best(net), seed=2000)
        _, low = train(seed, steps, base=0)
        sys.stdout.write(
            f"seed {seed}: {500 * len(means):,} steps, {minutes:.1f} minutes, a mean of {test.mean():.0f}; "
            f"from 0 {500 * len(low):,} steps\n"
        )
        found |= {f"means_{seed}": np.array(means), f"steps_{seed}": test, f"low_{seed}": np.array(low)}
        found[f"minutes_{seed}"] = np.array(minutes)
        if seed == seeds[0]:
            found |= {f"last_{i}": p.data.copy() for i, p in enumerate(net.parameters())}
    return {**found, **{f"early_{i}": array for i, array in enumerate(early)}}
