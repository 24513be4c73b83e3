"""The full run of lesson 32: a network takes the noise away from digits of MNIST, and its 64 numbers are
walked from one digit to another. A second network does the same with 8 numbers."""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import numpy as np

from autodiff import nn, no_grad, optim, seed, training

from .shared import Arrays, as_bytes, needed_mnist

MEAN, DEVIATION = 0.3, 0.2
SIZES = (784, 256, 64)
NARROW = (784, 256, 8)
EPOCHS = 15
SIZE = 100
RATE = 0.001
STEPS = 9
WALKS = ((3, 8), (4, 9), (1, 7))
"""The digits from which and to which the run walks."""


def noisy(pictures: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The pictures with noise: to each number another random one is added, from a normal distribution with
    the mean 0.3 and the standard deviation 0.2.

    >>> found = noisy(np.zeros((100, 100)), np.random.default_rng(0))
    >>> round(float(found.mean()), 1), round(float(found.std()), 1)
    (0.3, 0.2)
    """
    noise = rng.standard_normal(pictures.shape, np.float32)
    return np.asarray(pictures + (MEAN + DEVIATION * noise).astype(pictures.dtype))


def walk(start: Any, end: Any, steps: int) -> np.ndarray:
    """``steps`` rows, evenly spaced on the straight line from one row of numbers to another, both included.

    >>> walk(np.array([0.0, 4.0]), np.array([1.0, 0.0]), 3).tolist()
    [[0.0, 4.0], [0.5, 2.0], [1.0, 0.0]]
    """
    share = np.linspace(0, 1, steps)[:, None]
    return np.asarray((1 - share) * start + share * end)


def network(sizes: tuple[int, ...]) -> tuple[nn.Sequential, nn.Sequential]:
    """An encoder with layers of these sizes, and a decoder with the same in the other direction; each layer
    ends with a tanh."""
    return half(sizes), half(sizes[::-1])


def half(sizes: tuple[int, ...]) -> nn.Sequential:
    """Layers from each size to the next, with a tanh behind each."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), nn.Tanh()]
    return nn.Sequential(*layers)


def learn(
    pictures: np.ndarray, sizes: tuple[int, ...], epochs: int, size: int, rate: float, number: int = 0
) -> tuple[nn.Sequential, nn.Sequential, list[float]]:
    """Train an encoder and a decoder to give the clean pictures for noisy ones, with new noise in each epoch
    and a rate that falls along a cosine. Returns both, and the loss of each epoch."""
    seed(number)
    encoder, decoder = network(sizes)
    net = nn.Sequential(encoder, decoder)
    adam = optim.Adam(net.parameters(), lr=rate)
    falling = optim.CosineAnnealingLR(adam, epochs)
    model = training.Model(net, nn.MSELoss(), adam, compile=True)
    rng = np.random.default_rng(number)
    for epoch in range(epochs):
        model.fit(noisy(pictures, rng), pictures, epochs=1, batch_size=size, scheduler=falling, verbose=False)
        sys.stdout.write(f"epoch {epoch + 1}: {model.history['loss'][-1]:.5f}\n")
    return encoder, decoder, list(model.history["loss"])


def walks(encoder: nn.Module, decoder: nn.Module, digits: np.ndarray) -> np.ndarray:
    """For each pair of ``WALKS``, the pictures (bytes) on the way between two of ten noisy digits."""
    with no_grad():
        codes = np.asarray(encoder(digits).data)
        ways = [walk(codes[a], codes[b], STEPS).astype(np.float32) for a, b in WALKS]
        return np.array([as_bytes(np.asarray(decoder(way).data)) for way in ways])


def run(count: int = 60_000, epochs: int = EPOCHS, number: int = 0) -> Arrays:
    """Train on the first ``count`` pictures of MNIST, from a seed, and look at the test pictures.

    Returns
    -------
    dict of arrays
        ``loss``, the loss of each epoch. Mean squared errors over all test pictures: ``error_noisy`` of the
        noisy ones, ``error_shifted`` of those minus 0.3, ``error`` of what the network makes of them, and
        ``error_narrow`` of what the network with 8 numbers makes of them. ``clean``, ``noisy`` and
        ``cleaned``: the first test picture of each digit from 0 to 9, with noise, and cleaned (bytes).
        ``walks``, for each pair of ``WALKS`` the pictures on the way between two of these noisy digits
        (bytes), and ``walks_narrow``, those of the network with 8 numbers.

    Raises
    ------
    FileNotFoundError
        If the files of MNIST are not on this computer.
    """
    arrays = needed_mnist(np.float32)
    pictures, tests = arrays.pictures[:count], arrays.test_pictures
    encoder, decoder, losses = learn(pictures, SIZES, epochs, SIZE, RATE, number)
    worse = noisy(tests, np.random.default_rng(1))
    first = [int(np.flatnonzero(arrays.test_digits == digit)[0]) for digit in range(10)]
    cleaned = through(encoder, decoder, worse)
    narrow = learn(pictures, NARROW, epochs, SIZE, RATE, number)[:2]
    return {
        "loss": np.array(losses),
        "error_noisy": mean_square(worse - tests),
        "error_shifted": mean_square(worse - MEAN - tests),
        "error": mean_square(cleaned - tests),
        "clean": as_bytes(tests[first]),
        "noisy": as_bytes(worse[first]),
        "cleaned": as_bytes(cleaned[first]),
        "walks": walks(encoder, decoder, worse[first]),
        "error_narrow": mean_square(through(*narrow, worse) - tests),
        "walks_narrow": walks(*narrow, worse[first]),
    }


def through(encoder: nn.Module, decoder: nn.Module, pictures: np.ndarray) -> np.ndarray:
    """What comes out of both for pictures."""
    with no_grad():
        return np.asarray(decoder(encoder(pictures)).data)


def mean_square(difference: np.ndarray) -> np.ndarray:
    """The mean of the squares."""
    return np.array(np.mean(difference**2, dtype=np.float64))
