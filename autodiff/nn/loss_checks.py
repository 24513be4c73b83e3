"""What losses share: constants in the right dtype, shapes that fit, classes, weights, and the reduction."""

# ruff: noqa: A001, A002 - PyTorch's name for the first argument of a loss is input

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.operands import as_recorded
from ..engine.silence import silently
from ..engine.tensor import Tensor, describe, raw
from ..ops.reductions import mean
from ..ops.reductions import sum as total
from ..ops.shaping import shape_of


def reduced(loss: Any, reduction: str) -> Any:
    """The values of all examples as one number, or as they are."""
    check_reduction(reduction)
    if reduction == "none":
        return loss
    return mean(loss) if reduction == "mean" else total(loss)


def check_reduction(reduction: str, *more: str) -> None:
    """Raise ValueError if it is no reduction."""
    known = ("mean", "sum", "none", *more)
    if reduction not in known:
        raise ValueError(f"reduction is one of {', '.join(map(repr, known))}, not {reduction!r}")


def check_delta(delta: float) -> None:
    """Raise ValueError if it is no distance."""
    if not delta > 0:
        raise ValueError(f"delta of huber_loss must be above 0, not {delta}")


def check_beta(beta: float) -> None:
    """Raise ValueError if it is negative."""
    if not beta >= 0:
        raise ValueError(f"beta of smooth_l1_loss must be at least 0, not {beta}")


def check_softness(label_smoothing: float, temperature: float) -> None:
    """Raise ValueError if the cross-entropy cannot be softened by these."""
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"label_smoothing is a part, from 0 to 1, not {label_smoothing}")
    if not temperature > 0:
        raise ValueError(f"temperature must be above 0, not {temperature}")


def given_data(value: Any, loss: str, role: str = "target") -> Any:
    """The plain data of a constant. Raises TypeError for a Tensor that would lose its gradient."""
    if isinstance(value, Tensor) and value.requires_grad:
        raise TypeError(
            f"the {role} of {loss}, {describe(value)}, wants a gradient, and a {role} is a constant: give "
            "its .data, its .detach(), or a Tensor made with requires_grad=False"
        )
    return raw(value)


def constant(value: Any, loss: str, input: Any, role: str = "target") -> Any:
    """A constant in the input's dtype, so that float32 stays float32; a number stays one."""
    data = np.asarray(given_data(value, loss, role))
    if data.dtype.kind not in "fiub":
        raise TypeError(f"the {role} of {loss} is made of numbers, not of {data.dtype}")
    if not data.ndim:
        return float(data)
    dtype = np.asarray(raw(input)).dtype
    dtype = dtype if dtype.kind == "f" else np.dtype(float)
    return data if data.dtype == dtype else silently(data.astype, dtype)  # what is too large is inf


def matched(input: Any, target: Any, loss: str) -> tuple[Any, Any]:
    """Input and target, if they have one shape. Raises ValueError otherwise."""
    input = as_recorded(input)
    target = constant(target, loss, input)
    if shape_of(input) != np.shape(target):
        raise ValueError(
            f"{loss} takes an input and a target of one shape; the input is {describe(input)}, and the "
            f"target has the shape {np.shape(target)}. Reshape one of them"
        )
    return input, target


def weighted(values: Any, weight: Any, input: Any, loss: str, role: str = "weight") -> Any:
    """The values times their weights, if there are any."""
    if weight is None:
        return values
    factor = constant(weight, loss, input, role)
    try:
        fits = np.broadcast_shapes(np.shape(factor), shape_of(values)) == shape_of(values)
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"the {role} of {loss} has the shape {np.shape(factor)}, which does not broadcast to that of the "
            f"input, {shape_of(values)}"
        )
    return values * factor


def class_axis(shape: tuple[int, ...], input: Any, loss: str) -> int:
    """The axis on which the classes are."""
    axis = 0 if len(shape) == 1 else 1
    if not shape or not shape[axis]:
        raise ValueError(
            f"{loss} takes inputs of shape (N, C), (C,) or (N, C, ...), C above 0, not {describe(input)}"
        )
    return axis


def picked(
    target: Any, shape: tuple[int, ...], axis: int, ignore_index: int, loss: str
) -> tuple[np.ndarray, np.ndarray, int]:
    """Targets that are classes: the classes, which of them count, and their axis in the input."""
    classes = np.asarray(given_data(target, loss))
    expected = shape[:axis] + shape[axis + 1 :]
    if classes.shape != expected:
        probabilities = f", or probabilities of shape {shape}" if loss == "cross_entropy" else ""
        raise ValueError(
            f"{loss} of an input of shape {shape} takes a target of classes of shape {expected}"
            f"{probabilities}, not one of shape {classes.shape}"
        )
    if classes.dtype.kind not in "iu":
        raise TypeError(
            f"the classes that {loss} takes as a target are integers, not {classes.dtype}: give an array of "
            "integers, a list of them, or a Tensor made with requires_grad=False"
        )
    counted = classes != ignore_index
    classes = np.where(counted, classes, 0).astype(np.intp)
    wrong = classes[(classes < 0) | (classes >= shape[axis])]
    if wrong.size:
        raise IndexError(f"the target of {loss} has the class {wrong.flat[0]}, and there are {shape[axis]}")
    return classes, counted, axis


def class_weights(weight: Any, count: int, input: Any, loss: str) -> np.ndarray | None:
    """The weights as an array in the input's dtype."""
    if weight is None:
        return None
    weights = np.asarray(constant(weight, loss, input, "weight"))
    if weights.shape != (count,):
        raise ValueError(f"weight has one number per class, shape ({count},), not {weights.shape}")
    return weights


def along(weight: np.ndarray, axis: int, ndim: int) -> np.ndarray:
    """The weights in a shape that multiplies the class axis."""
    return weight.reshape([-1 if place == axis else 1 for place in range(ndim)])
