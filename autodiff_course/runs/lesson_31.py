"""The full run of lesson 31: a network learns all pixels of a photograph as a function of their places."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff import nn, no_grad, optim, seed, training

from .shared import Arrays

PHOTO = "china.jpg"
EPOCHS = 20
RATE = 0.002
KEPT = (1, 2, 4, 8, 14, 20)
"""The epochs after which the run keeps a small painting."""


def photograph() -> np.ndarray:
    """The photograph that the lesson's painter learns, float32 of shape (427, 640, 3), from 0 to 1. It comes
    with scikit-learn."""
    from sklearn.datasets import load_sample_image

    return np.asarray(load_sample_image(PHOTO), np.float32) / 255


def shrunk(photo: np.ndarray, k: int) -> np.ndarray:
    """A picture whose pixels are the mean colours of squares of k * k pixels. What is left over at the right
    and at the bottom is cut off.

    >>> shrunk(np.arange(12.0).reshape(2, 6, 1), 2)[..., 0]
    array([[3.5, 5.5, 7.5]])
    """
    height, width = photo.shape[0] // k, photo.shape[1] // k
    squares = photo[: height * k, : width * k].reshape(height, k, width, k, -1)
    return np.asarray(squares.mean(axis=(1, 3), dtype=np.float64).astype(photo.dtype))


def places(height: int, width: int, frame: float = 1) -> np.ndarray:
    """The middles of height * width pixels, a row (x, y) for each, from the top left along the rows.

    The picture's middle is (0, 0), its upper edge is y = -1 and its lower edge y = 1; x is measured in the
    same unit. ``frame`` makes the region that the pixels cover so many times as high and as wide.

    >>> places(2, 2).tolist()
    [[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]]
    """
    y, x = np.mgrid[:height, :width]
    corners = np.stack([2 * x.ravel() + 1 - width, 2 * y.ravel() + 1 - height], axis=1)
    return np.asarray(frame * corners / height)


def painter() -> nn.Sequential:
    """The network of the lesson, from a place (x, y) to a colour."""
    return nn.Sequential(
        nn.Linear(2, 30), nn.ReLU(), nn.Linear(30, 100), nn.ReLU(), nn.Linear(100, 100), nn.ReLU(),
        nn.Linear(100, 30), nn.ReLU(), nn.Linear(30, 3), nn.Sigmoid(),
    )  # fmt: skip


def painted(net: Any, height: int, width: int, frame: float = 1) -> np.ndarray:
    """What a painter answers at ``places(height, width, frame)``, as a picture (height, width, 3)."""
    with no_grad():
        colours = net(places(height, width, frame).astype(np.float32))
    return np.asarray(colours.data).reshape(height, width, 3)


def kept_painter(parameters: np.ndarray) -> nn.Sequential:
    """The network with the parameters of a run, all in one row."""
    net, begin = painter(), 0
    for p in net.parameters():
        p.data = parameters[begin : begin + p.data.size].reshape(p.shape).astype(np.float32)
        begin += p.data.size
    return net


class Sketches(training.Callback):
    """Keeps a small painting after some of the epochs, as bytes."""

    def __init__(self, epochs: tuple[int, ...], height: int, width: int) -> None:
        self.epochs, self.size = epochs, (height, width)
        self.pictures: list[np.ndarray] = []

    def on_epoch_end(self, model: Any, history: Any) -> None:
        """Paint, if this is one of the epochs."""
        if len(history) in self.epochs:
            self.pictures.append(np.round(255 * painted(model.net, *self.size)).astype(np.uint8))


def run(k: int = 1, epochs: int = EPOCHS, number: int = 0) -> Arrays:
    """Train the painter on the photograph, shrunk by ``k``, from a seed, with a rate that falls along a
    cosine.

    Returns
    -------
    dict of arrays
        ``parameters``, all of the network's, float16, in one row. ``loss``, the mean loss of each epoch.
        ``sketches``, small paintings (bytes, 43 x 64 x 3) after the ``epochs``. ``error``, the mean squared
        error of the painting that the kept parameters give, over all pixels of the photograph.
    """
    photo = shrunk(photograph(), k)
    height, width, _ = photo.shape
    seed(number)
    net = painter()
    adam = optim.Adam(net.parameters(), lr=RATE)
    model = training.Model(net, nn.MSELoss(), adam, compile=True)
    sketches = Sketches(KEPT, 43, 64)
    history = model.fit(
        places(height, width).astype(np.float32),
        photo.reshape(-1, 3),
        epochs=epochs,
        batch_size=32,
        scheduler=optim.CosineAnnealingLR(adam, epochs),
        callbacks=[sketches],
        verbose=False,
    )
    parameters = np.concatenate([p.data.ravel() for p in net.parameters()]).astype(np.float16)
    error = np.mean((painted(kept_painter(parameters), height, width) - photo) ** 2, dtype=np.float64)
    return {
        "parameters": parameters,
        "loss": np.array(history["loss"]),
        "epochs": np.array(KEPT[: len(sketches.pictures)]),
        "sketches": np.array(sketches.pictures),
        "error": np.array(error),
    }
