"""Convolution beside PyTorch: a step of the MNIST ConvNet, single convolutions of eight shapes, and memory.

A step is forward and backward. Ours is measured twice: as it comes, with Winograd's shortcut for kernels of
3x3, and exact, product by product. Pictures lie in memory as each package keeps them.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import autodiff as ad
from autodiff.engine.backward import gradients
from autodiff.engine.operation import operation
from autodiff.ops.shaping import alias

from .measure import THREADS, Row, installed, interleaved, ratios, settled, shown
from .workload import disagreement

ROOT = Path(__file__).resolve().parents[1]
Step = Callable[[], list[Any]]


def normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> np.ndarray:
    return (scale * rng.normal(size=shape)).astype(np.float32)


# -- the network of PyTorch's MNIST example ----------------------------------------------------------------


def network(batch: int) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Conv 32, conv 64, pool, dense 128, dense 10: parameters, pictures and labels. Dropout is left out."""
    rng = np.random.default_rng(0)
    shapes = [(32, 1, 3, 3), (64, 32, 3, 3), (128, 9216), (10, 128)]
    leaves = []
    for shape in shapes:
        leaves += [normal(rng, *shape, scale=np.prod(shape[1:]) ** -0.5), normal(rng, shape[0], scale=0.1)]
    return leaves, normal(rng, batch, 1, 28, 28), rng.integers(0, 10, batch)


def network_of_ours(batch: int, exact: bool) -> Step:
    arrays, x, labels = network(batch)
    leaves = [ad.Tensor(array) for array in arrays]
    w1, b1, w2, b2, w3, b3, w4, b4 = leaves
    rows = np.arange(batch)

    def step() -> list[Any]:
        for leaf in leaves:
            leaf.zero_grad()
        h = ad.conv2d(x, w1, b1, exact=exact).relu()
        h = ad.conv2d(h, w2, b2, exact=exact).relu()
        h = ad.linear(ad.max_pool2d(h, 2).flatten(1), w3, b3).relu()
        loss = -ad.linear(h, w4, b4).log_softmax()[rows, labels].mean()
        loss.backward(release=True)
        return [leaf.grad.data for leaf in leaves]

    return step


def network_of_torch(batch: int) -> Step:
    import torch
    from torch.nn import functional as F  # noqa: N812  what everybody calls it

    torch.set_num_threads(THREADS)
    arrays, x, labels = network(batch)
    leaves = [torch.tensor(array, requires_grad=True) for array in arrays]
    w1, b1, w2, b2, w3, b3, w4, b4 = leaves
    pictures, targets = torch.tensor(x), torch.tensor(labels)

    def step() -> list[Any]:
        for leaf in leaves:
            leaf.grad = None
        h = F.relu(F.conv2d(F.relu(F.conv2d(pictures, w1, b1)), w2, b2))
        h = F.relu(F.linear(F.max_pool2d(h, 2).flatten(1), w3, b3))
        F.cross_entropy(F.linear(h, w4, b4), targets).backward()
        return [leaf.grad.numpy() for leaf in leaves]

    return step


# -- one convolution --------------------------------------------------------------------------------------


@dataclass
class Single:
    """A convolution of float32 pictures: forward, and the gradients of the pictures and of the weight."""

    what: str
    x: tuple[int, ...]
    weight: tuple[int, ...]
    how: dict[str, Any] = field(default_factory=dict)
    name: str = "conv2d"

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(0)
        return normal(rng, *self.x), normal(rng, *self.weight, scale=0.1)

    def of_ours(self, exact: bool) -> Step:
        leaf, weight = map(ad.Tensor, self.arrays())
        leaf.data = by_pixel(leaf.data)
        x = alias(leaf)  # a leaf's gradient would be copied, and a layer's input is none
        function = partial(getattr(ad, self.name), exact=exact, **self.how)
        seed = function(x.detach(), weight.detach()).data
        wanted = [x, weight]

        def step() -> list[Any]:
            end = handing_on(function(x, weight), grad=seed)
            return [grad.data for grad in gradients(end, wanted, stop={x})]

        return step

    def of_torch(self) -> Step:
        import torch

        torch.set_num_threads(THREADS)
        x, weight = (torch.tensor(array, requires_grad=True) for array in self.arrays())
        function = partial(getattr(torch.nn.functional, self.name), **self.how)
        seed = function(x, weight).detach()
        return lambda: [grad.numpy() for grad in torch.autograd.grad(function(x, weight), [x, weight], seed)]


@operation
def handing_on(y: Any, *, grad: Any) -> Any:
    """A number that passes a gradient on to y, as the next layer of a network does. A gradient given to
    ``gradients`` itself would be copied."""
    return np.zeros((), y.dtype)


handing_on.backward(lambda _, z, y, grad: grad)


def by_pixel(x: np.ndarray) -> np.ndarray:
    """In memory as (H, W, N, C), where a layer of ours leaves its output."""
    return np.ascontiguousarray(x.transpose(2, 3, 0, 1)).transpose(2, 3, 0, 1)


SINGLES = [
    Single("3x3 of 32 to 64 channels, 64 pictures of 26x26", (64, 32, 26, 26), (64, 32, 3, 3)),
    Single("3x3 of 1 to 32 channels, 64 pictures of 28x28", (64, 1, 28, 28), (32, 1, 3, 3)),
    Single("1x1 of 64 to 64 channels, 64 pictures of 24x24", (64, 64, 24, 24), (64, 64, 1, 1)),
    Single(
        "5x5 of 3 to 32 channels, stride 2, 64 pictures of 32x32", (64, 3, 32, 32), (32, 3, 5, 5),
        {"stride": 2, "padding": 2},
    ),
    Single(
        "3x3 of 512 to 512 channels, 16 pictures of 7x7", (16, 512, 7, 7), (512, 512, 3, 3), {"padding": 1}
    ),
    Single("3x3 of 64 to 64 channels, one picture of 56x56", (1, 64, 56, 56), (64, 64, 3, 3), {"padding": 1}),
    Single(
        "3x3 of each of 64 channels, 32 pictures of 28x28", (32, 64, 28, 28), (64, 1, 3, 3),
        {"padding": 1, "groups": 64},
    ),
    Single(
        "transposed 5x5 of 64 to 32 channels, stride 2, 64 pictures of 7x7", (64, 64, 7, 7), (64, 32, 5, 5),
        {"stride": 2, "padding": 2, "output_padding": 1}, "conv_transpose2d",
    ),
]  # fmt: skip


def small(single: Single) -> Single:
    """The same with fewer pictures and channels, to see whether it runs."""
    most = 16
    x = (min(single.x[0], 2), min(single.x[1], most), *single.x[2:])
    weight = tuple(min(size, most) for size in single.weight)
    how = single.how | ({"groups": most} if "groups" in single.how else {})
    return Single(single.what, x, weight, how, single.name)


# -- measured ---------------------------------------------------------------------------------------------


def beside_torch(what: str, steps: dict[str, Step], goals: dict[str, str], rounds: int) -> list[Row]:
    """A row for each of our steps that has a goal."""
    found = {name: [np.asarray(grad) for grad in step()] for name, step in steps.items()}
    for name, grads in found.items():
        if not disagreement(grads, found["exact"]) < 1e-3:  # a pool may decide otherwise
            raise AssertionError(f"{what}: {name} and exact do not agree on the gradients")
    if "PyTorch" not in steps:
        return [
            Row(f"{what}, {name}: our time by PyTorch's", goal, [], note="torch is not installed")
            for name, goal in goals.items()
        ]
    with settled():
        seconds = interleaved(steps, rounds)
    rows = []
    for name, goal in goals.items():
        least = shown(min(seconds[name]) / min(seconds["PyTorch"]))
        taken = ratios(seconds[name], seconds["PyTorch"])
        rows.append(Row(f"{what}, {name}: our time by PyTorch's", goal, taken, note=f"of the least {least}"))
    return rows


PROGRAM = "from benchmarks.pictures import grown; print(grown({name!r}, {batch}))"


def grown(name: str, batch: int) -> float:
    """By how many MiB this process becomes larger at most in three steps, after a small one."""
    make = {"ours": partial(network_of_ours, exact=False), "PyTorch": network_of_torch}[name]
    make(2)()
    step = make(batch)
    before = resident("VmRSS")
    for _ in range(3):
        step()
    return resident("VmHWM") - before


def resident(field: str) -> float:
    """MiB of memory that Linux says this process has, or had at most."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))


def memory(batch: int) -> Row:
    """Resident memory, which counts what PyTorch's convolutions keep for themselves; each in its own
    process."""
    what = f"peak memory of the ConvNet step, {batch} pictures: ours by PyTorch's"
    if not (installed("torch") and Path("/proc/self/status").exists()):
        return Row(what, "at most 1", [], note="torch is not installed, or this is not Linux")
    taken = {}
    for name in ("ours", "PyTorch"):
        command = [sys.executable, "-c", PROGRAM.format(name=name, batch=batch)]
        done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        taken[name] = float(done.stdout)
    note = ", ".join(f"{name} {shown(size)} MiB" for name, size in taken.items())
    return Row(what, "at most 1", [taken["ours"] / max(taken["PyTorch"], 1e-3)], note=note)


def measure(quick: bool) -> list[Row]:
    batch, rounds = (4, 1) if quick else (64, 25)
    steps = {"as it comes": network_of_ours(batch, False), "exact": network_of_ours(batch, True)}
    if installed("torch"):
        steps["PyTorch"] = network_of_torch(batch)
    goals = {"exact": "at most 0.95", "as it comes": "at most 0.65"}
    rows = beside_torch(f"ConvNet step, {batch} pictures", steps, goals, rounds)
    for single in map(small, SINGLES) if quick else SINGLES:
        steps = {"as it comes": single.of_ours(False), "exact": single.of_ours(True)}
        if installed("torch"):
            steps["PyTorch"] = single.of_torch()
        has_shortcut = single.weight[-2:] == (3, 3) and "groups" not in single.how and single.x[1] > 1
        goals = {"exact": "at most 1.5"} | ({"as it comes": "at most 1.5"} if has_shortcut else {})
        rows += beside_torch(single.what, steps, goals, rounds)
    return [*rows, memory(batch)]
