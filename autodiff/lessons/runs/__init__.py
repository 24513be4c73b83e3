"""The trainings that are too long for a lesson: each runs in full and stores what its lesson shows of it.

    AUTODIFF_DATA=/folder/with/data python -m autodiff.lessons.runs 18

writes ``mnist_18.npz`` anew, and ``stored`` reads it. A training's last digits differ between
machines: what stands in a file came from one run on one of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ... import data, nn, optim, seeding, training
from ...engine.tensor import raw
from ...ops.activations import softmax
from ...training.files import read_npz, write_npz

RESULTS = Path(__file__).parent

Arrays = dict[str, np.ndarray]

# Test accuracy after each of 20 epochs of the same network and training, as tinynn published it.
TINYNN = (
    0.9658, 0.9740, 0.9783, 0.9799, 0.9805, 0.9826, 0.9823, 0.9819, 0.9820, 0.9838,
    0.9825, 0.9810, 0.9845, 0.9845, 0.9835, 0.9817, 0.9815, 0.9835, 0.9826, 0.9819,
)  # fmt: skip


class Told(training.Callback):
    """Says after every epoch how far a run is."""

    def on_epoch_end(self, model: Any, history: training.History) -> None:
        """One line."""
        sys.stdout.write(f"epoch {len(history)}: {history['val_right'][-1]:.0f} right\n")
        sys.stdout.flush()


def right(prediction: Any, target: Any) -> int:
    """How many digits were read right."""
    return int((raw(prediction).argmax(axis=1) == raw(target)).sum())


def as_published(layer: nn.Module) -> None:
    """Start a layer's weights and biases as tinynn does (lesson 19 tells why it matters)."""
    if isinstance(layer, nn.Linear) and layer.bias is not None:
        nn.init.xavier_uniform_(layer.weight)
        nn.init.zeros_(layer.bias)


def mnist(epochs: int = 20, seed: int = 0) -> Arrays:
    """Lesson 18: 784-400-100-10 with ReLU, Adam at 0.001 and batches of 128, on all of MNIST.

    Everything is as in tinynn's published run, the weights at the start as well.

    Returns
    -------
    dict of arrays
        ``loss`` of the training, ``test_loss`` and ``test_right`` (of 10,000), per epoch; after the last one
        ``confusion`` (a row for what it is, a column for what was said), and the twelve mistakes that it was
        surest of, the surest first: ``picture`` (bytes, 28 x 28), ``is``, ``said``, and the chances that it
        gave to either, ``chance_is`` and ``chance_said``.

    Raises
    ------
    DownloadError
        If the files of MNIST are not there and cannot be downloaded.
    """
    seeding.seed(seed)
    to_row = data.Compose([data.ToTensor(), data.Flatten()])
    train, test = (data.MNIST(train=part, transform=to_row) for part in (True, False))
    net = nn.Sequential(
        nn.Linear(784, 400), nn.ReLU(), nn.Linear(400, 100), nn.ReLU(), nn.Linear(100, 10)
    ).apply(as_published)
    model = training.Model(net, nn.CrossEntropyLoss(), optim.Adam(net.parameters(), lr=0.001))
    unseen = data.DataLoader(test, batch_size=1000)
    history = model.fit(
        data.DataLoader(train, batch_size=128, shuffle=True),
        epochs,
        validation=unseen,
        metrics=[right],
        callbacks=[Told()],
    )
    return {
        "seed": np.array(seed),
        "loss": np.array(history["loss"]),
        "test_loss": np.array(history["val_loss"]),
        "test_right": np.array(history["val_right"], int),
        **mistakes(raw(softmax(model.predict(unseen), axis=1)), test.targets, test.data),
    }


def mistakes(chances: np.ndarray, targets: np.ndarray, pictures: np.ndarray, count: int = 12) -> Arrays:
    """Who was taken for whom, and the mistakes with the highest chance for the wrong answer."""
    said = chances.argmax(axis=1)
    wrong = np.flatnonzero(said != targets)
    worst = wrong[np.argsort(-chances[wrong, said[wrong]], kind="stable")][:count]
    return {
        "confusion": training.confusion_matrix(said, targets, chances.shape[1]),
        "picture": pictures[worst],
        "is": targets[worst],
        "said": said[worst],
        "chance_is": chances[worst, targets[worst]],
        "chance_said": chances[worst, said[worst]],
    }


RUNS: dict[str, tuple[str, Callable[[], Arrays]]] = {"18": ("mnist_18", mnist)}


def stored(lesson: str) -> Arrays:
    """The stored results of a lesson's full run.

    Raises KeyError if the lesson has none.

    Example
    -------
    >>> from autodiff.lessons import runs
    >>> len(runs.stored("18")["test_right"])
    20
    """
    return read_npz(RESULTS / f"{RUNS[lesson][0]}.npz")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line: run the named lessons' trainings in full, and store what came of them."""
    chosen = sys.argv[1:] if arguments is None else arguments
    if not chosen or set(chosen) - set(RUNS):
        sys.stderr.write(f"name one or more lessons: {', '.join(RUNS)}\n")
        return 2
    for lesson in chosen:
        name, run = RUNS[lesson]
        write_npz(RESULTS / f"{name}.npz", run())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
