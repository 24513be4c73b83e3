"""The full run of lesson 37: two networks trained by several processes with Ray, and what each way costs."""

from __future__ import annotations

import importlib
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from autodiff import data, nn, optim, training
from autodiff.training import parallel

from .shared import Arrays

EXAMPLES, SIZE = 1680, 240
STEPS = EXAMPLES // SIZE
ROUNDS = 12
NETWORKS = ("convolution", "dense")
WAYS = (("sync", 1), ("sync", 2), ("async", 1), ("async", 2))


# -- what the reader writes ---------------------------------------------------------------------------------


def average(gradients: Sequence[Sequence[np.ndarray]], counts: Sequence[int]) -> list[np.ndarray]:
    """The gradients of the whole batch. ``gradients`` has a list of arrays for each worker, and ``counts``
    says how many examples each worker had.

    >>> average([[np.array([2.0, 0.0])], [np.array([6.0, 4.0])]], [3, 1])
    [array([3., 1.])]
    """
    total = sum(counts)
    return [sum(c / total * g for c, g in zip(counts, each)) for each in zip(*gradients)]


class Server:
    """Holds the weights, and takes a step for each gradient that arrives."""

    def __init__(self, weights: Sequence[np.ndarray], rate: float) -> None:
        self.weights, self.rate = [w.copy() for w in weights], rate
        self.version, self.lags = 0, list[int]()

    def pull(self) -> tuple[int, list[np.ndarray]]:
        """The number of steps so far, and the weights of this moment."""
        return self.version, [w.copy() for w in self.weights]

    def push(self, version: int, gradient: Sequence[np.ndarray]) -> None:
        """Take a step, and note how many steps old the weights of this gradient are."""
        self.weights = [w - self.rate * g for w, g in zip(self.weights, gradient)]
        self.lags.append(self.version - version)
        self.version += 1


class Died(Exception):
    """A worker has died."""


def hand_out(parts: Sequence[Any], workers: Sequence[Callable[[Any], Any]]) -> list[Any]:
    """What the workers make of the parts, in the order of the parts. A worker that raises Died is asked no
    more, and its part goes to the next one. Raises RuntimeError if no worker is left.

    >>> def dead(part):
    ...     raise Died
    >>> hand_out([1, 2, 3], [dead, lambda part: 10 * part])
    [10, 20, 30]
    """
    alive, results = deque(workers), []
    for part in parts:
        while True:
            if not alive:
                raise RuntimeError("no worker is left")
            try:
                results.append(alive[0](part))
            except Died:
                alive.popleft()
            else:
                alive.rotate(-1)
                break
    return results


# -- the run ------------------------------------------------------------------------------------------------


def convolution() -> training.Model:
    """A network with few numbers and much to calculate."""
    return model(
        nn.Conv2d(1, 32, 3, padding=1, generator=0),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3, padding=1, generator=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(4096, 10, generator=2),
    )


def dense() -> training.Model:
    """A network with many numbers and less to calculate for each."""
    return model(
        nn.Flatten(),
        nn.Linear(64, 1000, generator=0),
        nn.ReLU(),
        nn.Linear(1000, 1000, generator=1),
        nn.ReLU(),
        nn.Linear(1000, 10, generator=2),
    )


def model(*layers: nn.Module) -> training.Model:
    """A Model with these layers, softmax cross-entropy and plain gradient descent."""
    net = nn.Sequential(*layers)
    return training.Model(net, nn.CrossEntropyLoss(), optim.SGD(net.parameters(), lr=0.05))


MAKERS = dict(zip(NETWORKS, (convolution, dense), strict=True))


class Kill(training.Callback):
    """Kills a worker in the middle of the second epoch."""

    def __init__(self, kill: Callable[[Any], None]) -> None:
        self.kill, self.steps = kill, 0

    def on_batch_end(self, trainer: Any, loss: float) -> None:
        """Count the step, and kill if it is the one."""
        self.steps += 1
        if self.steps == STEPS + STEPS // 2:
            self.kill(trainer.pool.workers[0])


class Clock(training.Callback):
    """Notes the time of every step's end."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def on_batch_end(self, trainer: Any, loss: float) -> None:
        """Note the time."""
        self.times.append(time.perf_counter())


def seconds(trainer: training.Model, batches: Any) -> float:
    """The seconds of a step in one epoch of training, from the end of the first step to that of the last."""
    clock = Clock()
    trainer.fit(batches, epochs=1, callbacks=[clock], verbose=False)
    return (clock.times[-1] - clock.times[0]) / (STEPS - 1)


def run(rounds: int = ROUNDS) -> Arrays:
    """Train two networks on digits in one process, and by one and two workers of Ray: an epoch of each way in
    turn, so that whatever else the machine does disturbs all of them.

    Returns
    -------
    dict of arrays
        For each network: ``<network>_numbers``, how many numbers there are to learn; ``<network>_alone``, the
        seconds of a step in one process, for each epoch; ``<network>_sync_1``, ``_sync_2``, ``_async_1`` and
        ``_async_2``, those with so many workers; ``<network>_loss_alone``, ``<network>_loss_sync_2`` and
        ``<network>_loss_async_2``, the losses of the epochs. ``loss_whole`` and ``loss_killed``: those of the
        dense network without and with a worker killed in the second one; ``equal``: whether all
        numbers of both networks are equal in the end; ``replaced``: how many workers were replaced. ``cores``
        and ``load``: how many processors the machine has, and how many processes wanted one at the beginning.

    Raises
    ------
    ImportError
        If Ray is not installed.
    """
    ray: Any = importlib.import_module("ray")
    pictures, digits = data.digits()
    chosen = np.random.default_rng(0).permutation(len(pictures))[:EXAMPLES]
    x = pictures[chosen].reshape(-1, 1, 8, 8)
    batches = data.DataLoader(data.TensorDataset(x, digits[chosen]), SIZE)
    found: Arrays = {"cores": np.array(os.cpu_count()), "load": np.array(os.getloadavg()[0])}
    ray.init(num_cpus=6, include_dashboard=False, log_to_driver=False, logging_level="error")
    try:
        for name, make in MAKERS.items():
            found.update({f"{name}_{key}": value for key, value in timed(make, batches, rounds).items()})
            sys.stdout.write(f"{name} done\n")
        found.update(killed(ray, batches))
    finally:
        ray.shutdown()
    return found


def timed(make: Callable[[], training.Model], batches: Any, rounds: int) -> Arrays:
    """The seconds of a step and the losses, for one process and each way with Ray."""
    with ExitStack() as stack:
        trainers = {"alone": make()}
        for mode, workers in WAYS:
            trainer = parallel.RayTrainer(make, workers=workers, mode=mode)
            trainers[f"{mode}_{workers}"] = stack.enter_context(trainer)
        times = np.array(
            [[seconds(trainer, batches) for trainer in trainers.values()] for _ in range(rounds + 1)]
        )
        found = dict(zip(trainers, times[1:].T, strict=True))  # processes were started in the first round
        for name in ("alone", "sync_2", "async_2"):
            found[f"loss_{name}"] = np.array(trainers[name].history["loss"])
        net = trainers["alone"].net
        found["numbers"] = np.array(sum(p.size for p in net.parameters()))
    return found


def killed(ray: Any, batches: Any, epochs: int = 3) -> Arrays:
    """Train the dense network with and without a worker killed in the middle of an epoch."""
    nets, losses, replaced = [], [], 0
    for callbacks in ([], [Kill(ray.kill)]):
        with parallel.RayTrainer(dense, workers=2) as trainer:
            trainer.fit(batches, epochs=epochs, callbacks=callbacks, verbose=False)
            losses.append(np.array(trainer.history["loss"]))
            nets.append([np.asarray(p.data) for p in trainer.net.parameters()])
            replaced = trainer.replaced
    equal = all(np.array_equal(one, other) for one, other in zip(*nets, strict=True))
    return {
        "loss_whole": losses[0],
        "loss_killed": losses[1],
        "equal": np.array(equal),
        "replaced": np.array(replaced),
    }
