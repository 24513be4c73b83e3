"""Metrics: functions that measure the quality of predictions as one number.

They take a prediction and a target, in this order as losses do: arrays, lists or Tensors. They compute in
float64, return Python floats and record nothing. Empty inputs and shapes that do not match raise ValueError,
since broadcasting would give a wrong number. ``metric_checks.py`` reads and checks the arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.tensor import raw
from .history import import_pyplot
from .metric_checks import (
    class_counts,
    class_pair,
    column_pair,
    explained_fraction,
    flat_pair,
    mean_ratio,
    scores_and_classes,
)

# -- classes ---------------------------------------------------------------------------------------------


def accuracy(prediction: Any, target: Any) -> float:
    """The fraction of samples whose class was predicted correctly.

    Parameters
    ----------
    prediction
        Scores of shape (N, C) or (N, C, ...), such as logits, the highest of which is taken; or classes, of
        the target's shape. One score per sample needs a threshold: ``accuracy(score > 0, target)``.
    target
        Classes: integers or booleans of shape (N,) or (N, ...).

    Raises
    ------
    ValueError
        If an argument is empty, the shapes do not match, or classes are not integers.

    Example
    -------
    >>> from autodiff.training import accuracy
    >>> accuracy([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]], [1, 0, 0])
    0.6666666666666666
    """
    predicted, actual = class_pair(prediction, target, "accuracy")
    return float(np.mean(predicted == actual))


def top_k_accuracy(prediction: Any, target: Any, k: int = 5) -> float:
    """The fraction of samples whose class is among the ``k`` classes with the highest scores.

    Among equal scores, that of the earlier class ranks higher; nan ranks above all numbers. k = 1 therefore
    gives the accuracy.

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
        As for :func:`accuracy`, or if ``k`` or a class is out of range.

    Example
    -------
    >>> from autodiff.training import top_k_accuracy
    >>> top_k_accuracy([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2]], [1, 2], k=2)
    0.5
    """
    scores, actual = scores_and_classes(prediction, target, "top_k_accuracy")
    if not 1 <= k <= scores.shape[1]:
        raise ValueError(f"the k of top_k_accuracy must be from 1 to {scores.shape[1]}, not {k!r:.60}")
    # Ascending order puts nan last. Reversed columns put the earlier of two classes with equal scores last.
    ascending = scores.shape[1] - 1 - np.argsort(scores[:, ::-1], axis=1, kind="stable")
    return float(np.mean((ascending[:, -k:] == actual[:, None]).any(axis=1)))


def precision(prediction: Any, target: Any, average: str = "binary", positive: int = 1) -> float:
    """The fraction of the samples predicted as a class that belong to it; 0 if there are none.

    Parameters
    ----------
    prediction, target
        As for :func:`accuracy`.
    average
        "binary" is the precision of the positive one of two classes; "macro" is the mean over all classes
        that occur in the prediction or target; "micro" counts the samples of all classes together.
    positive
        The positive class for "binary".

    Raises
    ------
    ValueError
        As for :func:`accuracy`, or if ``average`` is unknown, or "binary" with more than two classes.

    Example
    -------
    >>> from autodiff.training import precision
    >>> precision([1, 1, 1, 0], [1, 0, 1, 1])
    0.6666666666666666
    """
    hits, predicted, _ = class_counts(prediction, target, average, positive, "precision")
    return mean_ratio(hits, predicted)


def recall(prediction: Any, target: Any, average: str = "binary", positive: int = 1) -> float:
    """The fraction of the samples of a class that are predicted as that class; 0 if there are none.

    Parameters and errors are those of :func:`precision`.

    Example
    -------
    >>> from autodiff.training import recall
    >>> recall([0, 2, 2], [0, 1, 2], average="macro")
    0.6666666666666666
    """
    hits, _, actual = class_counts(prediction, target, average, positive, "recall")
    return mean_ratio(hits, actual)


def f1(prediction: Any, target: Any, average: str = "binary", positive: int = 1) -> float:
    """The harmonic mean of precision and recall (van Rijsbergen, "Information Retrieval", 1979).

    Parameters and errors are those of :func:`precision`; "macro" is the mean of the F1 scores of all classes.

    Example
    -------
    >>> from autodiff.training import f1
    >>> f1([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
    hits, predicted, actual = class_counts(prediction, target, average, positive, "f1")
    return mean_ratio(2 * hits, predicted + actual)


def confusion_matrix(prediction: Any, target: Any, classes: int | None = None) -> np.ndarray:
    """The confusion matrix: entry (i, j) is the number of samples of class i that are predicted as class j.

    Parameters
    ----------
    prediction, target
        As for :func:`accuracy`. Classes count from 0.
    classes
        The number of classes; by default the number of scores, or else the highest class plus 1.

    Returns
    -------
    array of int64, (classes, classes)

    Raises
    ------
    ValueError
        As for :func:`accuracy`, or if a class is negative or not below ``classes``.

    Example
    -------
    >>> from autodiff.training import confusion_matrix
    >>> confusion_matrix([0, 1, 1, 2], [0, 0, 1, 2])
    array([[1, 1, 0],
           [0, 1, 0],
           [0, 0, 1]])
    """
    predicted, actual = class_pair(prediction, target, "confusion_matrix")
    if classes is None:
        shape = np.shape(raw(prediction))
        scores = shape[1] if len(shape) > np.ndim(raw(target)) else 0
        classes = max(scores, int(predicted.max()) + 1, int(actual.max()) + 1)
    lowest, highest = min(predicted.min(), actual.min()), max(predicted.max(), actual.max())
    if lowest < 0 or highest >= classes:
        raise ValueError(
            f"confusion_matrix needs classes from 0 to {classes - 1}, not from {lowest} to {highest}"
        )
    pairs = (actual * classes + predicted).astype(np.intp)  # NumPy does not count in wider integers
    counts = np.bincount(pairs, minlength=classes**2)
    return counts.reshape(classes, classes).astype(np.int64, copy=False)


def plot_confusion(matrix: Any, names: Sequence[str] | None = None, ax: Any = None) -> Any:
    """Plot a confusion matrix with its counts.

    Parameters
    ----------
    matrix
        The result of :func:`confusion_matrix`.
    names
        The names of the classes; their numbers by default.
    ax
        The matplotlib Axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If the matrix is not square, or the number of names differs from the number of classes.
    ImportError
        If matplotlib is not installed; the message says how to install it.
    """
    matrix = np.asarray(raw(matrix))
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ValueError(f"a confusion matrix must be square, but this one has the shape {matrix.shape}")
    names = list(map(str, range(len(matrix)))) if names is None else list(names)
    if len(names) != len(matrix):
        raise ValueError(f"there are {len(matrix)} classes but {len(names)} names")
    if ax is None:
        _, ax = import_pyplot("plot_confusion").subplots(layout="tight")
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
    """The area under the ROC curve: the probability that a sample of class 1 has a higher score than a sample
    of class 0, where equal scores count half (Hanley and McNeil, "The meaning and use of the area under a
    receiver operating characteristic (ROC) curve", 1982).

    Parameters
    ----------
    score
        One number per sample. Only the order of the scores matters.
    target
        0 or 1, or booleans, of the same shape.

    Raises
    ------
    ValueError
        If an argument is empty, the shapes differ, a score is nan, or one of the classes is missing.

    Example
    -------
    >>> from autodiff.training import roc_auc
    >>> roc_auc([0.1, 0.5, 0.5, 0.9], [0, 0, 1, 1])
    0.875
    """
    scores, targets = flat_pair(score, target, "roc_auc")
    if np.isnan(scores).any():
        raise ValueError("roc_auc cannot rank scores that are nan")
    if not np.isin(targets, (0, 1)).all() or targets.min() == targets.max():
        raise ValueError("the target of roc_auc must hold 0 and 1, at least one of each")
    _, positions, ties = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(ties) - (ties - 1) / 2  # equal scores share the mean of their ranks
    is_positive = targets == 1
    positives, negatives = int(is_positive.sum()), int((~is_positive).sum())
    # The Mann-Whitney U statistic: how many pairs of a positive and a negative sample are in the right order.
    u = ranks[positions.reshape(-1)][is_positive].sum() - positives * (positives + 1) / 2
    return float(u / positives / negatives)


def log_loss(prediction: Any, target: Any) -> float:
    """The mean of -log p, where p is the predicted probability of the true class.

    As in scikit-learn, probabilities are clipped to the machine epsilon of their dtype, so that a single
    sample cannot make the mean infinite.

    Parameters
    ----------
    prediction
        Probabilities of shape (N, C), or of shape (N,) for class 1.
    target
        Classes of shape (N,), from 0 to C - 1.

    Raises
    ------
    ValueError
        If an argument is empty, the shapes do not match, or the prediction holds no probabilities (but
        logits, for example).

    Example
    -------
    >>> from autodiff.training import log_loss
    >>> round(log_loss([[0.5, 0.5], [0.25, 0.75]], [0, 1]), 6)
    0.490415
    """
    predicted = np.asarray(raw(prediction))
    epsilon = np.finfo(predicted.dtype if predicted.dtype.kind == "f" else float).eps
    if predicted.ndim == 1:
        predicted = np.stack([1 - predicted.astype(float), predicted], axis=1)
    probabilities, actual = scores_and_classes(predicted, target, "log_loss")
    tolerance = np.sqrt(epsilon)
    in_range = (probabilities >= 0) & (probabilities <= 1 + tolerance)
    if not in_range.all() or (abs(probabilities.sum(axis=1) - 1) > tolerance).any():
        raise ValueError(
            "log_loss needs probabilities, from 0 to 1 and with a sum of 1; apply softmax to logits first"
        )
    chosen = np.take_along_axis(probabilities, actual[:, None], axis=1)
    return float(0 - np.mean(np.log(np.clip(chosen, epsilon, 1), dtype=float)))  # 0 - x is never -0.0


# -- numbers ---------------------------------------------------------------------------------------------


def mse(prediction: Any, target: Any) -> float:
    """The mean squared error of numbers of equal shapes.

    >>> from autodiff.training import mse
    >>> mse([1.0, 2.0], [0.0, 4.0])
    2.5
    """
    predicted, actual = flat_pair(prediction, target, "mse")
    return float(np.mean((predicted - actual) ** 2))


def mae(prediction: Any, target: Any) -> float:
    """The mean absolute error of numbers of equal shapes.

    >>> from autodiff.training import mae
    >>> mae([1.0, 2.0], [0.0, 4.0])
    1.5
    """
    predicted, actual = flat_pair(prediction, target, "mae")
    return float(np.mean(abs(predicted - actual)))


def r2(prediction: Any, target: Any) -> float:
    """The coefficient of determination: 1 - (sum of squared errors) / (total sum of squares of the target).

    1 is perfect, 0 is as good as predicting the mean. For a constant target it is 1 if the prediction is
    exact, else 0. For targets of shape (N, K) it is the mean over the columns.

    Parameters
    ----------
    prediction, target
        Numbers of equal shapes, (N,) or (N, ...), with N of at least 2.

    Raises
    ------
    ValueError
        If the shapes differ, or there are fewer than 2 samples.

    Example
    -------
    >>> from autodiff.training import r2
    >>> round(r2([2.5, 0.0, 2.0, 8.0], [3.0, -0.5, 2.0, 7.0]), 6)
    0.948608
    """
    predicted, actual = column_pair(prediction, target, "r2")
    return explained_fraction(np.sum((actual - predicted) ** 2, axis=0), actual)


def explained_variance(prediction: Any, target: Any) -> float:
    """The explained variance: 1 - (variance of the errors) / (variance of the target).

    Unlike :func:`r2`, it does not change when a constant is added to all predictions. Parameters and errors
    are those of :func:`r2`.

    Example
    -------
    >>> from autodiff.training import explained_variance
    >>> explained_variance([11.0, 12.0, 13.0], [1.0, 2.0, 3.0])
    1.0
    """
    predicted, actual = column_pair(prediction, target, "explained_variance")
    errors = actual - predicted
    return explained_fraction(np.sum((errors - errors.mean(axis=0)) ** 2, axis=0), actual)
