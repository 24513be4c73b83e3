"""Networks that read MNIST, from the systems that this project came from.

- **convnet**: TinyTorch's network, which is PyTorch's example: conv 32, conv 64, pool, dropout .25, dense
  128, dropout .5, dense 10; Adadelta(1.0), StepLR(1, .7), batches of 64, normalized pictures, three epochs.
- **dense**, **conv**, **lenet**: tinynn's networks, with Adam(1e-3) and batches of 128. dense 128 is trained
  for 1,000 steps; 3x3 convolutions to 8 and 16 channels, each pooled, for 400; LeNet for ten epochs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain, islice, repeat
from typing import Any

import numpy as np

import autodiff as ad
from autodiff import data, nn, optim

from ..measure import Row, by_seed, clock

LOSSES = (2.316, 3.804, 2.454, 1.789)
"""TinyTorch's published training losses: of the first three batches, and of the twelfth."""


def convnet() -> nn.Sequential:
    """The network, of 1,199,882 parameters."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25),
        nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10), nn.LogSoftmax(1),
    )  # fmt: skip


NORMALIZED = data.Compose([data.ToTensor(), data.Normalize(0.1307, 0.3081)])


def pictures(quick: bool, transform: Callable[[Any], Any] = NORMALIZED) -> tuple[data.Dataset, data.Dataset]:
    """Pictures of shape (1, 28, 28), for training and for the test; a few generated ones for a quick run."""
    if not quick:
        return data.MNIST(transform=transform), data.MNIST(train=False, transform=transform)
    rng = np.random.default_rng(0)
    kinds, labels = rng.random((10, 1, 28, 28)), rng.integers(0, 10, 256)
    noisy = (kinds[labels] + rng.normal(0, 0.3, (256, 1, 28, 28))).astype(np.float32)
    whole = data.TensorDataset(noisy, labels)
    return data.Subset(whole, range(192)), data.Subset(whole, range(192, 256))


def accuracy(net: nn.Module, test: data.Dataset) -> float:
    """The share of the test pictures that the network names."""
    net.eval()
    right = count = 0
    with ad.no_grad():
        for x, labels in data.DataLoader(test, 500):
            right += int((net(x).numpy().argmax(1) == labels.numpy()).sum())
            count += len(labels)
    net.train()
    return right / count


def epochs_of_convnet(epochs: int, quick: bool, seed: int) -> tuple[list[float], list[float], list[float]]:
    """The losses of all batches, and by epoch the accuracy in percent and the seconds of training."""
    ad.seed(seed)
    train, test = pictures(quick)
    net = convnet()
    optimizer = optim.Adadelta(net.parameters(), lr=1.0)
    scheduler = optim.StepLR(optimizer, step_size=1, gamma=0.7)
    loader = data.DataLoader(train, 64, shuffle=True)
    losses: list[float] = []
    accuracies, seconds = [], []
    for epoch in range(epochs):
        start = clock()
        for x, labels in loader:
            optimizer.zero_grad()
            loss = nn.nll_loss(net(x), labels)
            loss.backward(release=True)
            optimizer.step()
            losses.append(float(loss))
        scheduler.step()
        seconds.append(clock() - start)
        accuracies.append(100 * accuracy(net, test))
        print(f"seed {seed}, epoch {epoch + 1}: {accuracies[-1]:.2f} %, {seconds[-1]:.0f} s", flush=True)
    print("losses of the first batches:", " ".join(f"{loss:.3f}" for loss in losses[:12]), flush=True)
    return losses, accuracies, seconds


def train_convnet(quick: bool, seeds: int) -> list[Row]:
    runs = [epochs_of_convnet(3, quick, seed) for seed in range(1, seeds + 1)]
    firsts = [losses[:12] for losses, _, _ in runs]
    first, third = ([accuracies[epoch] for _, accuracies, _ in runs] for epoch in (0, 2))
    what = "MNIST ConvNet: test accuracy after"
    began, then = f"published: they begin {', '.join(map(str, LOSSES[:3]))}", f"published {LOSSES[3]}"
    means, last = [float(np.mean(losses)) for losses in firsts], [losses[-1] for losses in firsts]
    return [
        Row(f"{what} the first epoch", "at least 98.5", first, "%", by_seed(first)),
        Row(f"{what} the third epoch", "at least 99", third, "%", by_seed(third)),
        Row("MNIST ConvNet: mean loss of the first 12 batches", "", means, "nats", began),
        Row("MNIST ConvNet: loss of the twelfth batch", "at most 1.6", last, "nats", then),
        Row("MNIST ConvNet: an epoch", "", [second for run in runs for second in run[2]], "s"),
    ]


def dense() -> nn.Sequential:
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))


def conv() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding="same"), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding="same"), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(16 * 7 * 7, 10),
    )  # fmt: skip


def lenet() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip


def train_steps(
    build: Callable[[], nn.Sequential], steps: int, goal: str, quick: bool, seeds: int
) -> list[Row]:
    """Train a network for so many steps, from each seed, and judge it on the test pictures."""
    train, test = pictures(quick)
    accuracies, seconds = [], []
    for seed in range(1, seeds + 1):
        ad.seed(seed)
        net = build()
        optimizer = optim.Adam(net.parameters(), lr=1e-3)
        loader = data.DataLoader(train, 128, shuffle=True)
        start = clock()
        for x, labels in islice(chain.from_iterable(repeat(loader)), min(steps, 5) if quick else steps):
            optimizer.zero_grad()
            nn.cross_entropy(net(x), labels).backward(release=True)
            optimizer.step()
        seconds.append(clock() - start)
        accuracies.append(100 * accuracy(net, test))
    what = f"MNIST {build.__name__}, {steps:,} steps"
    return [
        Row(f"{what}: test accuracy", goal, accuracies, "%", by_seed(accuracies)),
        Row(f"{what}: time", "", seconds, "s"),
    ]


TRAININGS = {
    "convnet": train_convnet,
    "dense": partial(train_steps, dense, 1_000, "at least 95"),
    "conv": partial(train_steps, conv, 400, "at least 95"),
    "lenet": partial(train_steps, lenet, 4_690, ""),
}
