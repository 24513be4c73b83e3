"""The full run of lesson 33: two networks that forge MNIST, one of dense layers and one of convolutions.

The lesson's cells train the same game on the small digits.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import autodiff as ad
from autodiff import nn, optim, training

from .shared import Arrays, as_bytes, needed_mnist

NOISE = 50
RATES = (7.5e-4, 2e-4)  # of the forger, of the judge
BETAS = (0.5, 0.999)
BATCH = 64
SHOWN = 8  # forgeries that are kept at each moment, made of the same noise each time
MORE = 8  # that are kept of the last moment besides
COUNTED = 1000  # forgeries whose digits are counted at each moment
STEPS = {"dense": (0, 500, 2000, 6000, 12_000), "conv": (0, 100, 300, 1500, 6000)}

# -- what the reader writes ---------------------------------------------------------------------------------


def judge_loss(real: Any, forged: Any) -> Any:
    """The judge's loss, by its scores for real and for forged pictures: the mean of softplus(-score) over
    the real ones, plus the mean of softplus(score) over the forged ones.

    >>> import math
    >>> judge_loss(ad.Tensor([0.0]), ad.Tensor([0.0])).item() == 2 * math.log(2)
    True
    """
    return ad.softplus(-real).mean() + ad.softplus(forged).mean()


def forger_loss(forged: Any) -> Any:
    """The forger's loss, by the judge's scores for its pictures: the mean of softplus(-score).

    >>> import math
    >>> forger_loss(ad.Tensor([0.0, 0.0])).item() == math.log(2)
    True
    """
    return ad.softplus(-forged).mean()


def different(digits: Any, least: int) -> int:
    """How many of the digits 0 to 9 occur at least ``least`` times.

    >>> different([3, 3, 5, 3, 5, 8], least=2)
    2
    """
    return int((np.bincount(digits, minlength=10) >= least).sum())


# -- the networks -------------------------------------------------------------------------------------------


def dense() -> tuple[nn.Sequential, nn.Sequential]:
    """A forger 50-100-300-784 and a judge 784-300-100-1.

    Without BatchNorm1d the forger collapsed: after 6,000 steps 1,000 forgeries were read as the same digit.
    """
    leaky = 0.2
    forger = nn.Sequential(
        nn.Linear(NOISE, 100), nn.BatchNorm1d(100), nn.LeakyReLU(leaky),
        nn.Linear(100, 300), nn.BatchNorm1d(300), nn.LeakyReLU(leaky),
        nn.Linear(300, 784), nn.Sigmoid(),
    )  # fmt: skip
    judge = nn.Sequential(
        nn.Linear(784, 300), nn.LeakyReLU(leaky), nn.Linear(300, 100), nn.LeakyReLU(leaky), nn.Linear(100, 1)
    )
    return forger, judge


def conv() -> tuple[nn.Sequential, nn.Sequential]:
    """A forger of two transposed convolutions, 7 to 14 to 28 pixels, and a judge of two convolutions."""
    leaky = 0.2
    forger = nn.Sequential(
        nn.Linear(NOISE, 32 * 7 * 7), nn.Reshape(32, 7, 7), nn.BatchNorm2d(32), nn.ReLU(),
        nn.ConvTranspose2d(32, 16, 5, output_padding=1, stride=2, padding=2), nn.BatchNorm2d(16), nn.ReLU(),
        nn.ConvTranspose2d(16, 1, 5, output_padding=1, stride=2, padding=2), nn.Sigmoid(), nn.Flatten(),
    )  # fmt: skip
    judge = nn.Sequential(
        nn.Reshape(1, 28, 28), nn.Conv2d(1, 16, 5, stride=2, padding=2), nn.LeakyReLU(leaky),
        nn.Conv2d(16, 32, 5, stride=2, padding=2), nn.LeakyReLU(leaky), nn.Flatten(),
        nn.Linear(32 * 7 * 7, 1),
    )  # fmt: skip
    return forger, judge


# -- the game -----------------------------------------------------------------------------------------------


def batches(count: int, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """The row numbers of full batches, shuffled anew in each epoch, without end."""
    while True:
        order = rng.permutation(count)
        for begin in range(0, count - size + 1, size):
            yield order[begin : begin + size]


def play(
    forger: Any,
    judge: Any,
    pictures: np.ndarray,
    steps: int,
    rng: np.random.Generator,
    watch: Callable[[int], None],
) -> np.ndarray:
    """Train a forger and a judge against each other, and call ``watch`` after each step.

    Returns the losses of judge and forger, a row for each step.
    """
    forging, judging = (
        optim.Adam(net.parameters(), lr=rate, betas=BETAS) for net, rate in zip((forger, judge), RATES)
    )
    kind = pictures.dtype

    @ad.compile
    def judge_backward(real: Any, fake: Any) -> Any:
        loss = judge_loss(judge(real), judge(fake))
        loss.backward()
        return loss

    @ad.compile
    def forger_backward(noise: Any) -> Any:
        loss = forger_loss(judge(forger(noise)))
        loss.backward()
        return loss

    losses = []
    for step, rows in zip(range(1, steps + 1), batches(len(pictures), BATCH, rng)):
        with ad.no_grad():
            fake = forger(rng.normal(size=(BATCH, NOISE)).astype(kind)).numpy()
        judging.zero_grad()
        loss = judge_backward(pictures[rows], fake)
        judging.step()

        forging.zero_grad()
        other = forger_backward(rng.normal(size=(BATCH, NOISE)).astype(kind))
        forging.step()
        losses.append((loss.item(), other.item()))
        watch(step)
    return np.array(losses)


# -- the full run -------------------------------------------------------------------------------------------


def nearest(forgeries: np.ndarray, pictures: np.ndarray) -> np.ndarray:
    """For each forgery the number of the real picture that is nearest to it."""
    squares = (pictures**2).sum(axis=1)
    return np.array([(squares - 2 * pictures @ forgery).argmin() for forgery in forgeries])


def reader_of(pictures: np.ndarray, digits: np.ndarray, epochs: int = 3) -> Callable[[Any], np.ndarray]:
    """A function that says which digits pictures show: a network that has learned it from the real ones."""
    ad.seed(1)
    net = nn.Sequential(nn.Linear(pictures.shape[1], 100), nn.ReLU(), nn.Linear(100, 10))
    model = training.Model(net, nn.CrossEntropyLoss(), optim.Adam(net.parameters()), compile=True)
    model.fit(pictures, digits, epochs=epochs, batch_size=BATCH, verbose=False)

    def read(given: Any) -> np.ndarray:
        with ad.no_grad():
            return np.asarray(net(given).numpy().argmax(axis=1))

    return read


def run(moments: dict[str, tuple[int, ...]] | None = None, count: int = 60_000, seed: int = 0) -> Arrays:
    """Train both forgers, of dense layers and of convolutions, on the first ``count`` pictures.

    Returns
    -------
    dict of arrays
        For "dense", and in the same way for "conv": ``dense_steps``, the moments; ``dense_pictures``, a row
        of 8 forgeries for each moment (bytes, (moments, 8, 28, 28)); ``dense_more``, 8 more of the last
        moment (bytes); ``dense_digits``, how many of 1,000 forgeries are read as each digit
        (moments, 10); ``dense_nearest``, for the 8 of the last moment the nearest real pictures (bytes);
        ``dense_losses``, the losses of judge and forger as means over 50 equal stretches; ``dense_minutes``.
        Besides, ``reader``: the share of real pictures that are read right.

    Raises
    ------
    FileNotFoundError
        If the files of MNIST are not on this computer.
    """
    arrays = needed_mnist(np.float32)
    pictures, digits = arrays.pictures[:count], arrays.digits[:count]
    read = reader_of(pictures, digits)
    found: Arrays = {"reader": np.array((read(pictures) == digits).mean())}
    for name, kept in (STEPS if moments is None else moments).items():
        found |= one_run(name, pictures, read, kept, seed)
    return found


def one_run(
    name: str, pictures: np.ndarray, read: Callable[[Any], np.ndarray], moments: tuple[int, ...], seed: int
) -> Arrays:
    """Train one of the two pairs."""
    ad.seed(seed)
    forger, judge = dense() if name == "dense" else conv()
    rng = np.random.default_rng(seed)
    noise = np.random.default_rng(seed + 1).normal(size=(COUNTED, NOISE)).astype(np.float32)
    rows: list[np.ndarray] = []
    counts: list[np.ndarray] = []

    def watch(step: int) -> None:
        if step not in moments:
            return
        forger.eval()  # normalizes as it did on average, so that a forgery is its own noise's alone
        with ad.no_grad():
            forged = forger(noise).numpy()
        forger.train()
        rows.append(forged[: SHOWN + MORE])
        counts.append(np.bincount(read(forged), minlength=10))
        sys.stdout.write(f"{name}, step {step:,}: {counts[-1].tolist()}\n")
        sys.stdout.flush()

    begun = time.perf_counter()
    watch(0)
    losses = play(forger, judge, pictures, moments[-1], rng, watch=watch)
    minutes = (time.perf_counter() - begun) / 60
    parts = np.array_split(losses, min(50, len(losses)))
    return {
        f"{name}_steps": np.array(moments),
        f"{name}_pictures": np.array([as_bytes(row[:SHOWN]) for row in rows]),
        f"{name}_more": as_bytes(rows[-1][SHOWN:]),
        f"{name}_digits": np.array(counts),
        f"{name}_nearest": as_bytes(pictures[nearest(rows[-1][:SHOWN], pictures)]),
        f"{name}_losses": np.array([part.mean(axis=0) for part in parts]),
        f"{name}_minutes": np.array(minutes),
    }
