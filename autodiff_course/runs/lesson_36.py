"""The full run of lesson 36: a ConvNet teaches small dense networks to read the digits of MNIST (Hinton,
Vinyals and Dean, "Distilling the knowledge in a neural network", 2015)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff import compiling, log_softmax, nn, no_grad, optim, seed

from .shared import Arrays, needed_mnist

TEMPERATURE, ALPHA = 20, 0.9
HIDDEN = 30
SEEDS = range(5)
TAUGHT, SEEN = 60_000, 20_000
"""How many pictures the teacher learns from, and how many the students."""
LEFT_OUT = 3


# -- what the reader writes ----------------------------------------------------------------------------------


def softened(scores: Any, temperature: float) -> np.ndarray:
    """The softmax of each row of scores divided by the temperature.

    >>> softened(np.array([[0.0, 20.0]]), 20).round(3).tolist()
    [[0.269, 0.731]]
    """
    powers = np.exp((scores - scores.max(axis=1, keepdims=True)) / temperature)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def distillation(
    scores: Any, soft: Any, labels: Any, temperature: float = TEMPERATURE, alpha: float = ALPHA
) -> Any:
    """The loss of a student with a teacher: ``alpha`` times the cross-entropy with the teacher's soft labels,
    at the temperature and times its square, and ``1 - alpha`` times that with the true labels.

    The slopes of the soft part fall as the temperature's square once it is larger than the scores. The factor
    keeps their size the same at every high temperature.

    >>> import math
    >>> from autodiff import Tensor
    >>> distillation(Tensor([[0.0, 0.0]]), np.array([[0.4, 0.6]]), np.array([1]), 2, 0.5).item() / math.log(2)
    2.5
    """
    logs = log_softmax(scores / temperature, axis=1)
    taught = -(soft * logs).sum(axis=1).mean()
    return alpha * temperature**2 * taught + (1 - alpha) * nn.cross_entropy(scores, labels)


# -- the networks --------------------------------------------------------------------------------------------


def convnet() -> nn.Sequential:
    """The teacher for pictures of shape (1, 28, 28)."""
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(784, 10),
    )  # fmt: skip


def learn(
    net: Any, loss: Callable[..., Any], pictures: np.ndarray, *targets: np.ndarray,
    epochs: int, seed: int, rate: float = 0.003, size: int = 100,
) -> Any:  # fmt: skip
    """Train a network with Adam. The loss gets its scores, and those rows of the targets that belong to the
    batch. Returns the network."""
    adam, rng = optim.Adam(net.parameters(), lr=rate), np.random.default_rng(seed)

    @compiling.compile_function
    def loss_backward(batch: Any, *rows: Any) -> None:
        loss(net(batch), *rows).backward()

    for _ in range(epochs):
        for batch in np.array_split(rng.permutation(len(pictures)), max(1, len(pictures) // size)):
            adam.zero_grad()
            loss_backward(pictures[batch], *(rows[batch] for rows in targets))
            adam.step()
    return net


def scores_of(net: Any, pictures: np.ndarray) -> np.ndarray:
    """The scores of all pictures, a thousand at a time."""
    with no_grad():
        parts = [net(pictures[k : k + 1000]).numpy() for k in range(0, len(pictures), 1000)]
    return np.concatenate(parts)


def student(number: int, inputs: int) -> nn.Sequential:
    """A small dense network, begun from a seed."""
    seed(number)
    return nn.Sequential(nn.Linear(inputs, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 10))


def soft_alone(scores: Any, soft: Any, labels: Any) -> Any:
    """The loss of a student who never hears of a true label."""
    return distillation(scores, soft, labels, alpha=1)


def hard_alone(scores: Any, soft: Any, labels: Any) -> Any:
    """The loss of a student without a teacher."""
    return nn.cross_entropy(scores, labels)


LOSSES = {"labels": hard_alone, "both": distillation, "teacher": soft_alone}


# -- the run -------------------------------------------------------------------------------------------------


def run(taught: int = TAUGHT, seen: int = SEEN, epochs: tuple[int, int] = (2, 6)) -> Arrays:
    """Train a teacher, and students of three kinds from five seeds; ``epochs`` are the teacher's and the
    students'.

    Returns
    -------
    dict of arrays
        ``right_teacher``, how many of the test pictures the teacher reads. ``right``, a row for each kind of
        student (the true labels alone, both, the teacher alone) with a number for each seed; ``threes``, how
        many of the threes among them. ``right_without`` and ``threes_without`` are the same for the first two
        kinds, when no picture of a three was among those from which they learned. ``all_threes``, how many
        threes there are. ``numbers``, how many numbers the teacher and a student learn.

    Raises
    ------
    FileNotFoundError
        If the files of MNIST are not on this computer.
    """
    arrays = needed_mnist(np.float32)
    pictures, tests = (part.reshape(-1, 1, 28, 28) for part in (arrays.pictures, arrays.test_pictures))
    labels, wanted = arrays.digits.astype(int), arrays.test_digits.astype(int)
    seed(0)
    teacher = learn(convnet(), nn.cross_entropy, pictures[:taught], labels[:taught], epochs=epochs[0], seed=0)
    right = scores_of(teacher, tests).argmax(axis=1) == wanted
    sys.stdout.write(f"teacher: {right.sum():,} of {len(wanted):,} right\n")
    rows, answers = pictures[:seen].reshape(-1, 784), labels[:seen]
    soft = softened(scores_of(teacher, pictures[:seen]), TEMPERATURE)
    whole, without = np.arange(len(rows)), np.flatnonzero(answers != LEFT_OUT)
    found: dict[str, list[list[int]]] = {}
    for name, chosen, kinds in (("", whole, tuple(LOSSES)), ("_without", without, ("labels", "both"))):
        for kind in kinds:
            marks = []
            for number in SEEDS:
                net = learn(
                    student(number, 784), LOSSES[kind], rows[chosen], soft[chosen], answers[chosen],
                    epochs=epochs[1], seed=number,
                )  # fmt: skip
                said = scores_of(net, tests.reshape(-1, 784)).argmax(axis=1) == wanted
                marks.append((int(said.sum()), int(said[wanted == LEFT_OUT].sum())))
            found.setdefault(f"right{name}", []).append([all_ for all_, _ in marks])
            found.setdefault(f"threes{name}", []).append([threes for _, threes in marks])
            sys.stdout.write(f"{kind}{name}: right and threes {marks}\n")
            sys.stdout.flush()
    small = student(0, 784)
    return {
        "right_teacher": np.array(right.sum()),
        **{name: np.array(marks) for name, marks in found.items()},
        "all_threes": np.array((wanted == LEFT_OUT).sum()),
        "numbers": np.array([sum(p.size for p in net.parameters()) for net in (teacher, small)]),
    }
