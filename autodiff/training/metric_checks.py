"""What metrics share: arguments of shapes that fit, classes, counts per class, and division by zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.tensor import raw


def given(value: Any, metric: str, role: str) -> np.ndarray:
    """An argument as an array of numbers that is not empty."""
    array = np.asarray(raw(value))
    if array.dtype.kind not in "fiub":
        raise ValueError(f"the {role} of {metric} is made of numbers, not of {array.dtype}")
    if not array.size:
        raise ValueError(f"{metric} of nothing: the {role} has the shape {array.shape}")
    return array


def misfit(metric: str, prediction: np.ndarray, target: np.ndarray) -> ValueError:
    """The error for shapes that do not belong together."""
    return ValueError(
        f"{metric} cannot compare a prediction of shape {prediction.shape} with a target of shape "
        f"{target.shape}"
    )


def matched(prediction: Any, target: Any, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of one shape, in a row."""
    predicted, right = given(prediction, metric, "prediction"), given(target, metric, "target")
    if predicted.shape != right.shape:
        raise misfit(metric, predicted, right)
    return predicted.reshape(-1).astype(float), right.reshape(-1).astype(float)


def columns(prediction: Any, target: Any, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of one shape, with a column for each number of a sample."""
    count = (np.shape(raw(target)) or (1,))[0]
    predicted, right = matched(prediction, target, metric)
    if count < 2:
        raise ValueError(f"{metric} compares with the target's spread, and a single sample has none")
    return predicted.reshape(count, -1), right.reshape(count, -1)


def explained(left: np.ndarray, right: np.ndarray) -> float:
    """1 less what is left over in each column, in units of the target's own spread; the mean."""
    spread = np.sum((right - right.mean(axis=0)) ** 2, axis=0)
    share = np.divide(left, spread, out=(left != 0).astype(float), where=spread != 0)
    return float(np.mean(1 - share))


def classes_in(array: np.ndarray, metric: str, role: str) -> np.ndarray:
    """Classes as integers, in a row."""
    if array.dtype.kind == "f" and not (np.isfinite(array) & (array == np.floor(array))).all():
        hint = "; make classes of scores, as in score > 0.5" if role == "prediction" else ", not fractions"
        raise ValueError(f"the {role} of {metric} is made of classes, whole numbers{hint}")
    return array.reshape(-1).astype(np.int64)


def labels(prediction: Any, target: Any, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """The classes predicted, and the right ones."""
    predicted, right = given(prediction, metric, "prediction"), given(target, metric, "target")
    if predicted.ndim == right.ndim + 1 >= 2 and predicted.shape[:1] + predicted.shape[2:] == right.shape:
        if predicted.shape[1] == 1:
            raise ValueError(
                f"{metric} takes a score for each class, and the prediction of shape {predicted.shape} has "
                "one for each sample; make classes of them, as in score > 0.5, of the target's shape"
            )
        predicted = predicted.argmax(axis=1)
    elif predicted.shape != right.shape:
        raise misfit(metric, predicted, right)
    return classes_in(predicted, metric, "prediction"), classes_in(right, metric, "target")


def scored(prediction: Any, target: Any, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Scores of shape (N, C), and the right classes, each one of the C."""
    scores, right = given(prediction, metric, "prediction"), given(target, metric, "target")
    if scores.ndim != 2 or right.shape != scores.shape[:1]:
        raise misfit(metric, scores, right)
    classes = classes_in(right, metric, "target")
    if classes.min() < 0 or classes.max() >= scores.shape[1]:
        raise ValueError(
            f"{metric} has scores for the classes 0 to {scores.shape[1] - 1}, and targets from "
            f"{classes.min()} to {classes.max()}"
        )
    return scores.astype(float), classes


def counts(
    prediction: Any, target: Any, average: str, positive: int, metric: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each class that is to be averaged over: how often it was found, predicted, and right."""
    if average not in ("binary", "macro", "micro"):
        raise ValueError(f'average of {metric} is "binary", "macro" or "micro", not {average!r}')
    predicted, right = labels(prediction, target, metric)
    if average == "binary":
        classes = np.array([positive])
        others = set(np.union1d(predicted, right).tolist()) - {positive}
        if len(others) > 1:
            raise ValueError(
                f'there are more classes than {positive} and one other: choose average="macro" or "micro"'
            )
    else:
        classes = np.union1d(predicted, right)
    is_predicted, is_right = (array[None] == classes[:, None] for array in (predicted, right))
    found = [(is_predicted & is_right).sum(axis=1), is_predicted.sum(axis=1), is_right.sum(axis=1)]
    hits, predictions, actual = ([part.sum()] if average == "micro" else part for part in found)
    return np.asarray(hits), np.asarray(predictions), np.asarray(actual)


def averaged(upper: np.ndarray, lower: np.ndarray) -> float:
    """The mean of the classes' shares; 0 where there is nothing to divide by."""
    return float(np.mean(np.divide(upper, lower, out=np.zeros(len(upper)), where=lower != 0)))
