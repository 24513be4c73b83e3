"""The full run of lesson 25: a ConvNet and a dense network with as many parameters read MNIST. Both are built
of the package's layers, and trained by the loop of lesson 22."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np

from autodiff import Tensor, nn, no_grad, optim, seed

from .shared import Arrays, as_bytes, needed_mnist

SEEDS = (0, 1, 2)
EPOCHS, BATCH, RATE = 5, 100, 0.004


def convnet() -> nn.Sequential:
    """Two convolutions, each with a maximum over squares of 2 x 2 pixels, and one dense layer."""
    first = nn.Conv2d(1, 8, 5), nn.ReLU(), nn.MaxPool2d(2)
    second = nn.Conv2d(8, 16, 5), nn.ReLU(), nn.MaxPool2d(2)
    return nn.Sequential(*first, *second, nn.Flatten(), nn.Linear(256, 10))


def dense() -> nn.Sequential:
    """A network of dense layers with a few more parameters than ``convnet`` has."""
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 8), nn.ReLU(), nn.Linear(8, 10))


def count(net: nn.Module) -> int:
    """How many numbers a network learns."""
    return sum(p.data.size for p in net.parameters())


def trained(make: Callable[[], nn.Sequential], arrays: SimpleNamespace, number: int) -> nn.Sequential:
    """A network that has learned from the training set with this seed. The rate falls along a cosine."""
    seed(number)
    net, rng = make(), np.random.default_rng(number)
    pictures, digits = as_pictures(arrays.pictures), arrays.digits
    optimizer = optim.Adam(net.parameters(), lr=RATE)
    steps = EPOCHS * -(-len(digits) // BATCH)
    scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(EPOCHS):
        order = rng.permutation(len(digits))
        for begin in range(0, len(digits), BATCH):
            batch = order[begin : begin + BATCH]
            optimizer.zero_grad()
            nn.cross_entropy(net(Tensor(pictures[batch], requires_grad=False)), digits[batch]).backward()
            optimizer.step()
            scheduler.step()
    return net


def as_pictures(rows: np.ndarray) -> np.ndarray:
    """Rows of numbers as pictures with one channel, in single precision."""
    return rows.reshape(-1, 1, 28, 28).astype(np.float32)


def right(net: nn.Module, arrays: SimpleNamespace) -> int:
    """How many test pictures a network reads right."""
    parts = range(0, len(arrays.test_digits), 1000)
    pictures = as_pictures(arrays.test_pictures)
    with no_grad():
        said = [net(pictures[i : i + 1000]).data.argmax(axis=1) for i in parts]
    return int((np.concatenate(said) == arrays.test_digits).sum())


def run(seeds: tuple[int, ...] = SEEDS) -> Arrays:
    """Train both networks on MNIST with each seed.

    Returns
    -------
    dict of arrays
        For both kinds of network, "convnet" and "dense": ``right_convnet``, for each seed the number of test
        pictures that are read right, and ``parameters_convnet``. Of the first seed's ConvNet: ``filters``,
        shape (8, 5, 5), those of its first layer; ``picture``, the first test picture as bytes; and
        ``first``, what the first convolution makes of it after relu.

    Raises
    ------
    FileNotFoundError
        If the files of MNIST are not on this computer.
    """
    arrays = needed_mnist()
    found: Arrays = {}
    for name, make in (("dense", dense), ("convnet", convnet)):
        nets = []
        for number in seeds:
            nets.append(trained(make, arrays, number))
            sys.stdout.write(f"{name}, seed {number}: {right(nets[-1], arrays):,} right\n")
        found[f"right_{name}"] = np.array([right(net, arrays) for net in nets])
        found[f"parameters_{name}"] = np.array(count(nets[0]))
    net, picture = nets[0], as_pictures(arrays.test_pictures[:1])
    with no_grad():
        first = nn.Sequential(*net[:2])(picture).data[0]
    return {
        **found,
        "filters": np.array(net[0].weight.data[:, 0]),
        "picture": as_bytes(arrays.test_pictures[:1])[0],
        "first": np.array(first),
    }
