"""Metrics: how good predictions are, as one number each.

Functions of prediction and target, in this order as for losses, on arrays, lists and Tensors alike; they
compute in float64 and give Python floats. Nothing is recorded. An empty input, and shapes that do not fit,
raise ValueError: to broadcast them would give a number, and a wrong one. How arguments are read stands in
``metric_checks.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.tensor import raw
from .history import pyplot
from .metric_checks import averaged, columns, counts, explained, labels, matched, scored

# -- classes ---------------------------------------------------------------------------------------------


def accuracy(prediction: Any, target: Any) -> float:
    """The share of samples whose class was predicted.

    Parameters
    ----------
    prediction
        Scores of shape (N, C) or (N, C, ...), such as logits, of which the highest counts; or classes, of the
        target's shape. For one score per sample say where a class begins: ``accuracy(score > 0, target)``.
    target
        Classes: integers or booleans of shape (N,) or (N, ...).

    Raises
    ------
    ValueError
        If they are empty, their shapes do not fit, or either is no class where it should be.

    Example
    -------
    >>> from autodiff.training import accuracy
    >>> accuracy([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]], [1, 0, 0])
    0.6666666666666666
    """
    predicted, right = labels(prediction, target, "accuracy")
    return float(np.mean(predicted == right))


def top_k_accuracy(prediction: Any, target: Any, k: int = 5) -> float:
    """The share of samples whose class is among the ``k`` with the highest scores. Of equal scores the
    earlier class counts as higher, and a nan as higher than any number, so that k = 1 gives the accuracy.

    Parameters
    ----------
    prediction
        Scores of shape (N, C).
    target
        Classes of shape (N,).
    k
        From 1 to C.

    Raises
    ------
    ValueError
        As :func:`accuracy` does, or if ``k`` is out of range or a target no class of the C.

    Example
    -------
    >>> from autodiff.training import top_k_accuracy
    >>> top_k_accuracy([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2]], [1, 2], k=2)
    0.5
    """
    scores, right = scored(prediction, target, "top_k_accuracy")
    if not 1 <= k <= scores.shape[1]:
        raise ValueError(f"k of top_k_accuracy is from 1 to the {scores.shape[1]} classes, not {k!r:.60}")
    # Rising order ends with nan; of equal scores, the columns reversed, the earlier class comes last.
    rising = scores.shape[1] - 1 - np.argsort(scores[:, ::-1], axis=1, kind="stable")
    return float(np.mean((rising[:, -k:] == right[:, None]).any(axis=1)))


def precision(prediction: Any, target: Any, average: str = "binary", positive: int = 1) -> float:
    """Of the samples predicted to be of a class, the share that is; 0 if none was predicted.

    Parameters
    ----------
    prediction, target
        As for :func:`accuracy`.
    average
        "binary" is for two classes, and for the positive one alone; "macro" is the mean over all classes that
        are predicted or right anywhere; "micro" counts the samples of all classes together.
    positive
        The class that "binary" is about.

    Raises
    ------
    ValueError
        As :func:`accuracy` does, or if ``average`` is unknown, or "binary" with more than two classes.

    Example
    -------
    >>> from autodiff.training import precision
    >>> precision([1, 1, 1, 0], [1, 0, 1, 1])
    0.6666666666666666
    """
    hits, predicted, _ = counts(prediction, target, average, positive, "precision")
    return averaged(hits, predicted)


def recall(prediction: Any, target: Any, average: str = "binary", positive: int = 1) -> float:
    """Of the samples of a class, the share that was found; 0 if there are none.

    Parameters and errors are those of :func:`precision`.

    Example
    -------
    >>> from autodiff.training import recall
    >>> recall([0, 2, 2], [0, 1, 2], average="macro")
    0.6666666666666666
    """
    hits, _, actual = counts(prediction, target, average, positive, "recall")
    return averaged(hits, actual)


def f1(prediction: Any, target: Any, average: str = "binary", positive: int = 1) -> float:
    """The harmonic mean of precision and recall (van Rijsbergen, "Information Retrieval", 1979).

    Parameters and errors are those of :func:`precision`; "macro" is the mean of the classes' own.

    Example
    -------
    >>> from autodiff.training import f1
    >>> f1([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
    hits, predicted, actual = counts(prediction, target, average, positive, "f1")
    return averaged(2 * hits, predicted + actual)


def confusion_matrix(prediction: Any, target: Any, classes: int | None = None) -> np.ndarray:
    """How often each class was taken for each: entry (i, j) counts the samples of class i predicted as j.

    Parameters
    ----------
    prediction, target
        As for :func:`accuracy`; classes count from 0.
    classes
        How many there are; by default as many as there are scores, or up to the highest class given.

    Returns
    -------
    array of int64, (classes, classes)

    Raises
    ------
    ValueError
        As :func:`accuracy` does, or if a class is negative or not below ``classes``.

    Example
    -------
    >>> from autodiff.training import confusion_matrix
    >>> confusion_matrix([0, 1, 1, 2], [0, 0, 1, 2])
    array([[1, 1, 0],
           [0, 1, 0],
           [0, 0, 1]])
    """
    predicted, right = labels(prediction, target, "confusion_matrix")
    if classes is None:
        scores = np.shape(raw(prediction))
        given = scores[1] if len(scores) > np.ndim(raw(target)) else 0
        classes = max(given, int(predicted.max()) + 1, int(right.max()) + 1)
    least, most = min(predicted.min(), right.min()), max(predicted.max(), right.max())
    if least < 0 or most >= classes:
        raise ValueError(f"confusion_matrix takes classes from 0 to {classes - 1}, not {least} to {most}")
    pairs = np.bincount(right * classes + predicted, minlength=classes**2)
    return pairs.reshape(classes, classes).astype(np.int64, copy=False)


def plot_confusion(matrix: Any, names: Sequence[str] | None = None, ax: Any = None) -> Any:
    """Draw a confusion matrix, with its counts.

    Parameters
    ----------
    matrix
        As :func:`confusion_matrix` gives it.
    names
        Of the classes; their numbers by default.
    ax
        The Axes of matplotlib to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If the matrix is not square, or there are not as many names.
    ImportError
        If matplotlib is not installed; the message says how to.
    """
    matrix = np.asarray(raw(matrix))
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ValueError(f"a confusion matrix is square, and this has the shape {matrix.shape}")
    names = list(map(str, range(len(matrix)))) if names is None else list(names)
    if len(names) != len(matrix):
        raise ValueError(f"there are {len(matrix)} classes and {len(names)} names")
    if ax is None:
        _, ax = pyplot("plot_confusion").subplots(layout="tight")
    ax.imshow(matrix, cmap="Blues", vmin=0)
    ax.set_xticks(range(len(names)), names)
    ax.set_yticks(range(len(names)), names)
    ax.set_xlabel("predicted")
    ax.set_ylabel("is")
    for (row, column), count in np.ndenumerate(matrix):
        color = "white" if 2 * count > matrix.max() else "black"
        ax.text(column, row, f"{count:g}", ha="center", va="center", color=color)
    return ax


# -- scores and probabilities ----------------------------------------------------------------------------


def roc_auc(score: Any, target: Any) -> float:
    """How likely a sample of class 1 has a higher score than one of class 0, where equal scores count half:
    the area under the ROC curve (Hanley and McNeil, "The meaning and use of the area under a receiver
    operating characteristic (ROC) curve", 1982).

    Parameters
    ----------
    score
        One number per sample; its order alone matters.
    target
        0 or 1, or booleans, of the same shape.

    Raises
    ------
    ValueError
        If they are empty or of different shapes, a score is nan, or one of the classes is missing.

    Example
    -------
    >>> from autodiff.training import roc_auc
    >>> roc_auc([0.1, 0.5, 0.5, 0.9], [0, 0, 1, 1])
    0.875
    """
    scores, targets = matched(score, target, "roc_auc")
    if np.isnan(scores).any():
        raise ValueError("roc_auc ranks scores, and one of them is nan")
    if not np.isin(targets, (0, 1)).all() or targets.min() == targets.max():
        raise ValueError("roc_auc takes targets 0 and 1, and at least one of each")
    _, places, ties = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(ties) - (ties - 1) / 2  # equal scores share the mean of their ranks
    ones = targets == 1
    above, below = int(ones.sum()), int((~ones).sum())
    won = ranks[places.reshape(-1)][ones].sum() - above * (above + 1) / 2
    return float(won / above / below)


def log_loss(prediction: Any, target: Any) -> float:
    """The mean of -log of the probability that was given to the right class.

    A probability of 0 counts as the smallest step of its dtype above 0, as in scikit-learn, so that one
    sample alone does not make the mean infinite.

    Parameters
    ----------
    prediction
        Probabilities: of shape (N, C), or (N,) for that of class 1.
    target
        Classes of shape (N,), from 0 to C - 1.

    Raises
    ------
    ValueError
        If they are empty, their shapes do not fit, or the predictions are no probabilities (logits, for one).

    Example
    -------
    >>> from autodiff.training import log_loss
    >>> round(log_loss([[0.5, 0.5], [0.25, 0.75]], [0, 1]), 6)
    0.490415
    """
    given = np.asarray(raw(prediction))
    smallest = np.finfo(given.dtype if given.dtype.kind == "f" else float).eps
    if given.ndim == 1:
        given = np.stack([1 - given.astype(float), given], axis=1)
    probabilities, right = scored(given, target, "log_loss")
    tolerance = np.sqrt(smallest)
    in_range = (probabilities >= 0) & (probabilities <= 1 + tolerance)
    if not in_range.all() or (abs(probabilities.sum(axis=1) - 1) > tolerance).any():
        raise ValueError(
            "log_loss takes probabilities, from 0 to 1 and with a sum of 1; for logits take their softmax"
        )
    chosen = np.take_along_axis(probabilities, right[:, None], axis=1)
    return float(0 - np.mean(np.log(np.clip(chosen, smallest, 1))))  # never -0.0


# -- numbers ---------------------------------------------------------------------------------------------


def mse(prediction: Any, target: Any) -> float:
    """The mean squared error, of numbers of one shape.

    >>> from autodiff.training import mse
    >>> mse([1.0, 2.0], [0.0, 4.0])
    2.5
    """
    predicted, right = matched(prediction, target, "mse")
    return float(np.mean((predicted - right) ** 2))


def mae(prediction: Any, target: Any) -> float:
    """The mean absolute error, of numbers of one shape.

    >>> from autodiff.training import mae
    >>> mae([1.0, 2.0], [0.0, 4.0])
    1.5
    """
    predicted, right = matched(prediction, target, "mae")
    return float(np.mean(abs(predicted - right)))


def r2(prediction: Any, target: Any) -> float:
    """The coefficient of determination: 1 less the squared error's share of the target's own spread.

    1 is perfect, 0 is as good as to predict the mean. For a target that is constant it is 1 if it is met
    exactly, else 0. Of targets of shape (N, K) it is the mean over the columns.

    Parameters
    ----------
    prediction, target
        Numbers of one shape, (N,) or (N, ...), with N of at least 2.

    Raises
    ------
    ValueError
        If their shapes differ, or there are fewer than 2 samples.

    Example
    -------
    >>> from autodiff.training import r2
    >>> round(r2([2.5, 0.0, 2.0, 8.0], [3.0, -0.5, 2.0, 7.0]), 6)
    0.948608
    """
    predicted, right = columns(prediction, target, "r2")
    return explained(np.sum((right - predicted) ** 2, axis=0), right)


def explained_variance(prediction: Any, target: Any) -> float:
    """:func:`r2`, but blind to a constant that is added to all predictions: 1 less the share of the variance
    that is left in the errors.

    Parameters and errors are those of :func:`r2`.

    Example
    -------
    >>> from autodiff.training import explained_variance
    >>> explained_variance([11.0, 12.0, 13.0], [1.0, 2.0, 3.0])
    1.0
    """
    predicted, right = columns(prediction, target, "explained_variance")
    errors = right - predicted
    return explained(np.sum((errors - errors.mean(axis=0)) ** 2, axis=0), right)
