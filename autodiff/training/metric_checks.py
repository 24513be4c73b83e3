"""Helpers of the metrics: reading and checking their arguments, counts per class, division by zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.tensor import raw


def numeric_array(value: Any, metric: str, role: str) -> np.ndarray:
    """An argument as an array. Raises ValueError if it is empty or does not hold numbers."""
    array = np.asarray(raw(value))
    if array.dtype.kind not in "fiub":
        raise ValueError(f"the {role} of {metric} must hold numbers, not {array.dtype}")
    if not array.size:
        raise ValueError(f"the {role} of {metric} is empty: it has the shape {array.shape}")
    return array


def numeric_arrays(prediction: Any, target: Any, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """The prediction and the target of a metric as arrays."""
    return numeric_array(prediction, metric, "prediction"), numeric_array(target, metric, "target")


def shape_error(metric: str, prediction: np.ndarray, target: np.ndarray) -> ValueError:
    """The error for a prediction and a target whose shapes do not match."""
    return ValueError(
        f"{metric} cannot compare a prediction of shape {prediction.shape} with a target of shape "
        f"{target.shape}"
    )


def flat_pair(prediction: Any, target: Any, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """The prediction and the target, of equal shapes, as float arrays of one axis."""
    predicted, actual = numeric_arrays(prediction, target, metric)
    if predicted.shape != actual.shape:
        raise shape_error(metric, predicted, actual)
    return predicted.reshape(-1).astype(float), actual.reshape(-1).astype(float)


def column_pair(prediction: Any, target: Any, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """The prediction and the target, of equal shapes, as float arrays of shape (samples, columns)."""
    count = (np.shape(raw(target)) or (1,))[0]
    predicted, actual = flat_pair(prediction, target, metric)
    if count < 2:
        raise ValueError(f"{metric} needs at least 2 samples, since the target of one has no variance")
    return predicted.reshape(count, -1), actual.reshape(count, -1)


def explained_fraction(residual: np.ndarray, actual: np.ndarray) -> float:
    """1 - residual / total sum of squares for each column of the target; returns the mean over columns."""
    total = np.sum((actual - actual.mean(axis=0)) ** 2, axis=0)
    ratio = np.divide(residual, total, out=(residual != 0).astype(float), where=total != 0)
    return float(np.mean(1 - ratio))


def as_classes(array: np.ndarray, metric: str, role: str) -> np.ndarray:
    """Classes as an int64 array of one axis. Raises ValueError if they are not integers."""
    if array.dtype.kind == "f" and not (np.isfinite(array) & (array == np.floor(array))).all():
        hint = "; turn scores into classes, as in score > 0.5" if role == "prediction" else ""
        raise ValueError(f"the {role} of {metric} must hold classes, which are integers{hint}")
    return array.reshape(-1).astype(np.int64)


def class_pair(prediction: Any, target: Any, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """The predicted classes and the true ones. For scores per class, the class with the highest is taken."""
    predicted, actual = numeric_arrays(prediction, target, metric)
    if predicted.ndim == actual.ndim + 1 >= 2 and predicted.shape[:1] + predicted.shape[2:] == actual.shape:
        if predicted.shape[1] == 1:
            raise ValueError(
                f"{metric} needs a score for each class, but the prediction of shape {predicted.shape} has "
                "one for each sample; turn scores into classes of the target's shape, as in score > 0.5"
            )
        predicted = predicted.argmax(axis=1)
    elif predicted.shape != actual.shape:
        raise shape_error(metric, predicted, actual)
    return as_classes(predicted, metric, "prediction"), as_classes(actual, metric, "target")


def scores_and_classes(prediction: Any, target: Any, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Scores of shape (N, C), and the true classes of shape (N,), from 0 to C - 1."""
    scores, actual = numeric_arrays(prediction, target, metric)
    if scores.ndim != 2 or actual.shape != scores.shape[:1]:
        raise shape_error(metric, scores, actual)
    classes = as_classes(actual, metric, "target")
    if classes.min() < 0 or classes.max() >= scores.shape[1]:
        raise ValueError(
            f"{metric} has scores for the classes 0 to {scores.shape[1] - 1}, but targets from "
            f"{classes.min()} to {classes.max()}"
        )
    return scores.astype(float), classes


def class_counts(
    prediction: Any, target: Any, average: str, positive: int, metric: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each class to average over: the number of true positives, of predictions, and of samples."""
    if average not in ("binary", "macro", "micro"):
        raise ValueError(f'the average of {metric} must be "binary", "macro" or "micro", not {average!r}')
    predicted, actual = class_pair(prediction, target, metric)
    if average == "binary":
        classes = np.array([positive])
        others = set(np.union1d(predicted, actual).tolist()) - {positive}
        if len(others) > 1:
            raise ValueError(
                f'{metric} with average="binary" takes two classes, {positive} and one other, and there are '
                'more: choose average="macro" or "micro"'
            )
    else:
        classes = np.union1d(predicted, actual)
    is_predicted, is_actual = predicted == classes[:, None], actual == classes[:, None]
    counts = np.array([is_predicted & is_actual, is_predicted, is_actual]).sum(axis=2)
    if average == "micro":
        counts = counts.sum(axis=1, keepdims=True)
    true_positives, predictions, samples = counts
    return true_positives, predictions, samples


def mean_ratio(numerator: np.ndarray, denominator: np.ndarray) -> float:
    """The mean over classes of a ratio, which counts as 0 where the denominator is 0."""
    ratio = np.divide(numerator, denominator, out=np.zeros(len(numerator)), where=denominator != 0)
    return float(np.mean(ratio))
