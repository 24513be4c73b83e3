"""Contests of compiled steps of training: the network of arrays with Adam, the ConvNet, and epochs as of
MNIST."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import autodiff as ad
from autodiff.compiling.compiled import Compiled
from autodiff.compiling.training_step import TrainingStep

from . import array_mlp, mnist, peers, pictures
from .compiled import JAX, Contest
from .peers import Adam, Step, ours
from .workload import HAND, Workload, disagreement

# -- the network of arrays ----------------------------------------------------------------------------------


def with_adam(workload: Workload, **options: Any) -> tuple[TrainingStep, list[ad.Tensor]]:
    """The step of a workload of ``array_mlp``, and the parameters that it changes."""
    functions, leaves = ours().functions, [ad.Tensor(array) for array in workload.leaves]
    assert workload.rate is not None

    def forward(x: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = leaves
        h = (x @ w1 + b1).relu()
        h = (h @ w2 + b2).relu()
        return h @ w3 + b3

    adam = ad.optim.Adam(leaves, workload.rate)
    return TrainingStep(forward, functions.cross_entropy, adam, **options), leaves


def network(sizes: tuple[int, ...]) -> Contest:
    workload = array_mlp.network("float32", sizes)
    X, labels = workload.constants

    def compiled(passes: tuple[str, ...]) -> tuple[Step, Compiled]:
        step, _ = with_adam(workload, passes=passes)
        return (lambda: step(X, labels)), step._whole

    others: dict[str, Callable[[], Step]] = {
        HAND: lambda: workload.by_hand,
        "eager": lambda: workload.step(ours()),
        JAX: lambda: workload.step(peers.jax()),
    }
    what = f"network of arrays {'-'.join(map(str, sizes))} with Adam"
    agrees = partial(moves_alike, workload)
    memory = {"kept": workload.kept, "state": 2 * workload.kept}
    return Contest(what, "at most 0.95", 10, 31, compiled, others, agrees=agrees, **memory)


def moves_alike(workload: Workload) -> bool:
    """Whether three steps change the parameters as they do by hand."""
    assert workload.rate is not None
    arrays = [leaf.copy() for leaf in workload.leaves]
    step, leaves = with_adam(workload)
    gradients = array_mlp.gradients_by_hand(arrays, *workload.constants)
    adam = Adam(arrays, workload.rate)
    for _ in range(3):
        step(*workload.constants)
        adam.step(gradients())
    return disagreement([leaf.numpy() for leaf in leaves], arrays) < 1e-4


# -- the network of PyTorch's MNIST example -----------------------------------------------------------------


def convolutions(batch: int) -> Contest:
    """Forward and backward, with Winograd's shortcut."""
    arrays, x, labels = pictures.network(batch)
    rows, leaves = np.arange(batch), [ad.Tensor(array, requires_grad=False) for array in arrays]

    def loss(*leaves: Any) -> Any:
        w1, b1, w2, b2, w3, b3, w4, b4 = leaves
        h = ad.conv2d(x, w1, b1).relu()
        h = ad.conv2d(h, w2, b2).relu()
        h = ad.linear(ad.max_pool2d(h, 2).flatten(1), w3, b3).relu()
        return -ad.linear(h, w4, b4).log_softmax()[rows, labels].mean()

    def compiled(passes: tuple[str, ...]) -> tuple[Step, Compiled]:
        fast = ad.compile(ad.value_and_grad(loss, argnums=tuple(range(len(arrays)))), passes=passes)
        return (lambda: fast(*leaves)[1]), fast

    others: dict[str, Callable[[], Step]] = {
        "PyTorch": lambda: pictures.network_of_torch(batch),
        "eager": lambda: pictures.network_of_ours(batch, exact=False),
        JAX: lambda: convolutions_of_jax(batch),
    }
    what = f"ConvNet step, {batch} pictures"  # in which a pool may decide otherwise
    return Contest(what, "at most 0.55", 1, 21, compiled, others, tolerance=1e-3)


def convolutions_of_jax(batch: int) -> Step:
    package = peers.jax()
    import jax
    from jax import lax

    arrays, x, labels = pictures.network(batch)
    window = (1, 1, 2, 2)

    def loss(leaves: Any) -> Any:
        w1, b1, w2, b2, w3, b3, w4, b4 = leaves
        h = package.functions.relu(lax.conv(x, w1, (1, 1), "VALID") + b1[:, None, None])
        h = package.functions.relu(lax.conv(h, w2, (1, 1), "VALID") + b2[:, None, None])
        h = lax.reduce_window(h, -np.float32(np.inf), lax.max, window, window, "VALID").reshape(batch, -1)
        h = package.functions.relu(h @ w3.T + b3)
        return package.functions.cross_entropy(h @ w4.T + b4, labels)

    f, leaves = jax.jit(jax.grad(loss)), [package.leaf(array) for array in arrays]
    return lambda: f(leaves)


# -- an epoch -----------------------------------------------------------------------------------------------


def epoch(count: int) -> Contest:
    """``Model.fit`` on generated pictures, each epoch in a new order. PyTorch's is a bare loop over indexed
    tensors."""
    train, test = mnist.generated(count, 500)

    def compiled(passes: tuple[str, ...]) -> tuple[Step, Compiled]:
        run, _, model = mnist.trained(train, test, seed=0, is_compiled=True)
        step = model._compiled_step
        assert step is not None
        step._whole = ad.compile(step._step, passes=passes)
        return run, step._whole

    others: dict[str, Callable[[], Step]] = {
        "PyTorch": lambda: mnist.pytorch(train, test, 0)[0],
        "eager": lambda: mnist.trained(train, test, 0)[0],
    }
    what = f"epoch of {count:,} pictures as of MNIST"
    agrees = partial(learns_alike, train, test)
    return Contest(what, "at most 0.8", 1, 15, compiled, others, agrees=agrees, has_peak=False)


def learns_alike(train: Any, test: Any) -> bool:
    """Whether an epoch leads to the same loss, compiled and not."""
    losses = []
    for is_compiled in (False, True):
        run, _, model = mnist.trained(train, test, seed=0, is_compiled=is_compiled)
        run()
        losses.append(model.evaluate(mnist.data.DataLoader(test, 500))["loss"])
    return abs(losses[0] - losses[1]) < 1e-3 * losses[0]


def contests(quick: bool) -> list[Contest]:
    sizes = (20, 10, 10, 5) if quick else array_mlp.SIZES
    return [network(sizes), convolutions(4 if quick else 64), epoch(256 if quick else 12_800)]
