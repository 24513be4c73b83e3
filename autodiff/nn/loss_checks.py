"""Helpers of the losses: checks of targets, classes and weights, and the reduction."""

# ruff: noqa: A001, A002 - PyTorch's name for the first argument of a loss is input

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..engine.operands import as_recorded
from ..engine.silence import silently
from ..engine.tensor import Tensor, describe, raw
from ..engine.values import as_array, is_foreign
from ..ops.arithmetic import div
from ..ops.reductions import mean
from ..ops.reductions import sum as total
from ..ops.shaping import shape_of
from .loss_weights import SUM, noted


def apply_reduction(loss: Any, reduction: str) -> Any:
    """The mean or the sum of the losses of all examples, or the losses themselves."""
    check_reduction(reduction)
    if reduction == "none":
        return loss
    return noted(mean(loss), math.prod(shape_of(loss))) if reduction == "mean" else noted(total(loss), SUM)


def divided(loss: Any, weight: Any) -> Any:
    """The sum of the losses of all examples, divided by their weight."""
    if not is_foreign(weight):
        return noted(div(total(loss), float(weight)), float(weight))
    return noted(div(total(loss), weight.astype(loss.dtype)), weight)


def check_reduction(reduction: str, *more: str) -> None:
    """Raise ValueError unless the reduction is "mean", "sum", "none" or one of ``more``."""
    known = ("mean", "sum", "none", *more)
    if reduction not in known:
        raise ValueError(f"reduction must be one of {', '.join(map(repr, known))}, not {reduction!r}")


def check_delta(delta: float) -> None:
    """Raise ValueError unless ``delta`` is above 0."""
    if not delta > 0:
        raise ValueError(f"delta of huber_loss must be above 0, not {delta}")


def check_beta(beta: float) -> None:
    """Raise ValueError if ``beta`` is negative."""
    if not beta >= 0:
        raise ValueError(f"beta of smooth_l1_loss must be at least 0, not {beta}")


def check_smoothing(label_smoothing: float, temperature: float) -> None:
    """Raise ValueError unless ``label_smoothing`` is between 0 and 1 and ``temperature`` above 0."""
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"label_smoothing of cross_entropy must be between 0 and 1, not {label_smoothing}")
    if not temperature > 0:
        raise ValueError(f"temperature of cross_entropy must be above 0, not {temperature}")


def constant_data(value: Any, loss: str, role: str = "target") -> Any:
    """The plain data of a constant. Raises TypeError for a Tensor that requires a gradient: it would get
    none."""
    if isinstance(value, Tensor) and value.requires_grad:
        raise TypeError(
            f"the {role} of {loss}, {describe(value)}, requires a gradient, but a {role} is a constant: pass "
            "its .data, its .detach(), or a Tensor created with requires_grad=False"
        )
    return raw(value)


def as_constant(value: Any, loss: str, input: Any, role: str = "target") -> Any:
    """A constant in the input's dtype, so that float32 stays float32; a number stays a number."""
    data = as_array(constant_data(value, loss, role))
    if data.dtype.kind not in "fiub":
        raise TypeError(f"the {role} of {loss} must consist of numbers, not of {data.dtype}")
    if not data.ndim and not is_foreign(data):
        return float(data)
    dtype = as_array(raw(input)).dtype
    dtype = dtype if dtype.kind == "f" else np.dtype(float)
    return data if data.dtype == dtype else silently(data.astype, dtype)  # out of range is inf


def checked_shapes(input: Any, target: Any, loss: str) -> tuple[Any, Any]:
    """Input and target as operands. Raises ValueError unless they have the same shape."""
    input = as_recorded(input)
    target = as_constant(target, loss, input)
    if shape_of(input) != np.shape(target):
        raise ValueError(
            f"{loss} takes an input and a target of one shape; the input is {describe(input)}, and the "
            f"target has the shape {np.shape(target)}. Reshape one of them"
        )
    return input, target


def apply_weight(values: Any, weight: Any, input: Any, loss: str, role: str = "weight") -> Any:
    """The values times their weights; the values themselves if ``weight`` is None."""
    if weight is None:
        return values
    weights = as_constant(weight, loss, input, role)
    try:
        fits = np.broadcast_shapes(np.shape(weights), shape_of(values)) == shape_of(values)
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"the {role} of {loss} has the shape {np.shape(weights)}, which does not broadcast to that of "
            f"the input, {shape_of(values)}"
        )
    return values * weights


def checked_class_axis(shape: tuple[int, ...], input: Any, loss: str) -> int:
    """The axis of the classes. Raises ValueError if the input has none, or no classes on it."""
    axis = 0 if len(shape) == 1 else 1
    if not shape or not shape[axis]:
        raise ValueError(
            f"{loss} takes inputs of shape (N, C), (C,) or (N, C, ...), C above 0, not {describe(input)}"
        )
    return axis


class ClassTargets(NamedTuple):
    """Targets that are classes: integers, whether each of them counts, and the axis of the classes in the
    input."""

    classes: np.ndarray  # 0 where a target is ignored
    counted: np.ndarray
    axis: int


def checked_classes(
    target: Any, shape: tuple[int, ...], axis: int, ignore_index: int, loss: str
) -> ClassTargets:
    """The targets of an input of this shape. Raises ValueError, TypeError or IndexError for targets of
    another shape, that are not integers, or that are not a class of the input.

    In a compiled function, whose targets have no values yet, the last is not checked.
    """
    classes = as_array(constant_data(target, loss))
    expected = shape[:axis] + shape[axis + 1 :]
    if classes.shape != expected:
        probabilities = f", or probabilities of shape {shape}" if loss == "cross_entropy" else ""
        raise ValueError(
            f"{loss} of an input of shape {shape} takes a target of classes of shape {expected}"
            f"{probabilities}, not one of shape {classes.shape}"
        )
    if classes.dtype.kind not in "iu":
        raise TypeError(
            f"the classes in the target of {loss} are integers, not {classes.dtype}: pass an array of "
            "integers, a list of them, or a Tensor created with requires_grad=False"
        )
    counted = classes != ignore_index
    classes = np.where(counted, classes, 0).astype(np.intp)
    wrong: Any = () if is_foreign(classes) else classes[(classes < 0) | (classes >= shape[axis])]
    if len(wrong):
        raise IndexError(
            f"the target of {loss} has the class {wrong[0]}, but the input has {shape[axis]} classes"
        )
    return ClassTargets(classes, counted, axis)


def checked_class_weights(weight: Any, count: int, input: Any, loss: str) -> np.ndarray | None:
    """The weights of the classes as an array in the input's dtype, or None."""
    if weight is None:
        return None
    weights = as_array(as_constant(weight, loss, input, "weight"))
    if weights.shape != (count,):
        raise ValueError(f"weight must have one number per class, shape ({count},), not {weights.shape}")
    return weights


def along_axis(weight: np.ndarray, axis: int, ndim: int) -> np.ndarray:
    """The weights in a shape with ``ndim`` axes that broadcasts along the class axis."""
    return weight.reshape([-1 if other == axis else 1 for other in range(ndim)])
