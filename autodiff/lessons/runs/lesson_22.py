"""The full run of lesson 22: a network trained on all of MNIST, as tinynn has published it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ... import data, nn, optim, seeding, training
from ...engine.tensor import raw
from ...ops.activations import softmax

Arrays = dict[str, np.ndarray]

# Test accuracy after each of 20 epochs of the same network and training, as tinynn published it.
TINYNN = (
    0.9658, 0.9740, 0.9783, 0.9799, 0.9805, 0.9826, 0.9823, 0.9819, 0.9820, 0.9838,
    0.9825, 0.9810, 0.9845, 0.9845, 0.9835, 0.9817, 0.9815, 0.9835, 0.9826, 0.9819,
)  # fmt: skip


class PrintProgress(training.Callback):
    """Prints the number of correct test predictions after every epoch."""

    def on_epoch_end(self, model: Any, history: training.History) -> None:
        """Print one line."""
        sys.stdout.write(f"epoch {len(history)}: {history['val_right'][-1]:.0f} right\n")
        sys.stdout.flush()


def right(prediction: Any, target: Any) -> int:
    """The number of digits that are classified correctly."""
    return int((raw(prediction).argmax(axis=1) == raw(target)).sum())


def as_published(layer: nn.Module) -> None:
    """Initialize a layer's weights and biases as tinynn does (lesson 23 shows why it matters)."""
    if isinstance(layer, nn.Linear) and layer.bias is not None:
        nn.init.xavier_uniform_(layer.weight)
        nn.init.zeros_(layer.bias)


def mnist(epochs: int = 20, seed: int = 0) -> Arrays:
    """Train a network 784-400-100-10 with ReLU on all of MNIST, with Adam at 0.001 and batches of 128.

    Everything is as in tinynn's published run, including the initialization.

    Returns
    -------
    dict of arrays
        Per epoch ``loss`` (of the training), ``test_loss`` and ``test_right`` (of 10,000). After the last
        epoch ``confusion`` (the confusion matrix), and the twelve mistakes with the highest probability, in
        descending order: ``picture`` (bytes, 28 x 28), the true digit ``is``, the predicted digit ``said``,
        and their predicted probabilities ``chance_is`` and ``chance_said``.

    Raises
    ------
    DownloadError
        If the files of MNIST are missing and cannot be downloaded.
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
        callbacks=[PrintProgress()],
    )
    return {
        "seed": np.array(seed),
        "loss": np.array(history["loss"]),
        "test_loss": np.array(history["val_loss"]),
        "test_right": np.array(history["val_right"], int),
        **mistakes(raw(softmax(model.predict(unseen), axis=1)), test.targets, test.data),
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
        "chance_is": chances[worst, targets[worst]],
        "chance_said": chances[worst, said[worst]],
    }
