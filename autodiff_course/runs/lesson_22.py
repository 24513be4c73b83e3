"""The full run of lesson 22: your machine, trained on 10,000 and on all 60,000 pictures of MNIST."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np

from autodiff import training

from .shared import Arrays, as_bytes, needed_mnist, whole_machine

SIZES = (784, 400, 100, 10)
COUNTS = (10_000, 60_000)
RATES = (0.001, 0.002, 0.004)


def trained(
    names: Mapping[str, Any], mnist: SimpleNamespace, count: int, rate: float = 0.002
) -> tuple[Any, Any]:
    """A network that a machine has trained on the first ``count`` pictures, and the losses of all steps. The
    machine is given by its names, and the lesson's cell holds the same lines."""
    rng = np.random.default_rng(0)
    layers: list[Any] = []
    for inputs, outputs in pairwise(SIZES):
        layers += [names["Linear"](inputs, outputs, rng), names["relu"]]
    net = names["Sequential"](*layers[:-1])
    optimizer = names["Optimizer"](names["parameters"](net), names["adam"], rate)
    pictures, digits = mnist.pictures[:count], mnist.digits[:count]
    schedule = names["warmup_cosine"]
    return net, names["train"](net, optimizer, pictures, digits, 5, 100, rng, schedule=schedule)


def right_aside(names: Mapping[str, Any], mnist: SimpleNamespace) -> list[int]:
    """For each rate, how many pictures of the last sixth of the training set are read right by a network that
    has learned from the others: by this the rate of the lesson is chosen."""
    count = len(mnist.digits) * 5 // 6
    found = []
    for rate in RATES:
        net, _ = trained(names, mnist, count, rate)
        found.append(names["count_right"](net, mnist.pictures[count:], mnist.digits[count:]))
        sys.stdout.write(f"rate {rate}: {found[-1]:,} right of those set aside\n")
    return found


def run(names: Mapping[str, Any] | None = None, counts: tuple[int, ...] = COUNTS) -> Arrays:
    """Train a machine on MNIST: yours where your pieces are kept, and the reference elsewhere.

    Returns
    -------
    dict of arrays
        For each count, such as 10,000: ``right_10000``, the number of test pictures that are read right.
        ``right_aside`` as the function of that name returns it. Of the last count: ``loss``, the mean losses
        of 30 equal stretches of the training; ``confusion``, the confusion matrix; and the twelve mistakes
        with the highest probability, in descending order:
        ``picture`` (bytes, 28 x 28), the true digit ``is``, the predicted digit ``said`` and its probability
        ``chance``. ``sample`` and ``sample_digits`` are the first 20 pictures of the training set.

    Raises
    ------
    FileNotFoundError
        If the files of MNIST are not on this computer.
    """
    arrays = needed_mnist()
    names = whole_machine() if names is None else names
    found: Arrays = {}
    for count in counts:
        net, losses = trained(names, arrays, count)
        right = names["count_right"](net, arrays.test_pictures, arrays.test_digits)
        sys.stdout.write(f"{count:,} pictures: {right:,} of {len(arrays.test_digits):,} right\n")
        found[f"right_{count}"] = np.array(right)
    found["right_aside"] = np.array(right_aside(names, arrays))
    scores = names["no_grad"](net, arrays.test_pictures)
    return {
        **found,
        "loss": np.array([part.mean() for part in np.array_split(losses, min(30, len(losses)))]),
        "sample": as_bytes(arrays.pictures[:20]),
        "sample_digits": arrays.digits[:20],
        **mistakes(names["softmax"](scores), arrays.test_digits, as_bytes(arrays.test_pictures)),
    }


def mistakes(chances: np.ndarray, targets: np.ndarray, pictures: np.ndarray, count: int = 12) -> Arrays:
    """The confusion matrix, and the ``count`` mistakes with the highest predicted probabilities."""
    said = chances.argmax(axis=1)
    wrong = np.flatnonzero(said != targets)
    worst = wrong[np.argsort(-chances[wrong, said[wrong]], kind="stable")][:count]
    return {
        "confusion": training.confusion_matrix(said, targets, chances.shape[1]),
        "picture": pictures[worst],
        "is": targets[worst],
        "said": said[worst],
        "chance": chances[worst, said[worst]],
    }
