"""Losses as functions: they measure how far an output is from its target, as one number to differentiate.

All are compositions of operations and so can be differentiated twice and drawn. A target is a constant:
numbers, an array or list, or a Tensor that requires no gradient. ``reduction`` says what is returned: the
"mean" or the "sum" of the losses of all examples, or, with "none", the losses themselves. The checks of
arguments are in ``loss_checks.py``, the losses as modules in ``loss_modules.py``.
"""

# ruff: noqa: A001, A002 - PyTorch's name for the first argument of a loss is input

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.dtypes import computed_in
from ..engine.operands import as_recorded
from ..engine.operation import operation
from ..engine.tensor import raw
from ..engine.values import as_array, is_foreign
from ..ops.activations import log_softmax, softplus
from ..ops.arithmetic import maximum, sub
from ..ops.elementary import abs as absolute
from ..ops.elementary import exp, log
from ..ops.indexing import getitem
from ..ops.piecewise import clip, where
from ..ops.powers import square
from ..ops.reductions import sum as total
from ..ops.shaping import shape_of
from .loss_checks import (
    ClassTargets,
    along_axis,
    apply_reduction,
    apply_weight,
    as_constant,
    check_beta,
    check_delta,
    check_reduction,
    check_smoothing,
    checked_class_axis,
    checked_class_weights,
    checked_classes,
    checked_shapes,
    divided,
)

# -- regression ------------------------------------------------------------------------------------------


@computed_in("floats")
def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Mean squared error, (input - target)².

    Raises ValueError unless both have the same shape: broadcasting would compare every output with every
    target.

    >>> from autodiff import Tensor, nn
    >>> nn.mse_loss(Tensor([1.0, 2.0]), [0.0, 4.0])
    2.5
    """
    input, target = checked_shapes(input, target, "mse_loss")
    return apply_reduction(square(input - target), reduction)


@computed_in("floats")
def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Mean absolute error (MAE), abs(input - target). Raises ValueError unless both have the same shape.

    >>> from autodiff import Tensor, nn
    >>> nn.l1_loss(Tensor([1.0, 2.0]), [0.0, 4.0])
    1.5
    """
    input, target = checked_shapes(input, target, "l1_loss")
    return apply_reduction(absolute(input - target), reduction)


@operation(kind="elementwise", precision="floats")
def huber(x: Any, *, delta: float = 1.0) -> Any:
    """x²/2 where abs(x) is at most ``delta``, and ``delta`` (abs(x) - ``delta``/2) elsewhere. The derivative
    is x limited to the range from -``delta`` to ``delta``.

    >>> from autodiff.nn.losses import huber
    >>> huber(np.array([0.5, 10.0]))
    array([0.125, 9.5  ])
    """
    clipped = np.clip(x, -delta, delta)
    return clipped * (x - 0.5 * clipped)


huber.backward(lambda grad, z, x, delta=1.0: grad * clip(x, -delta, delta))


@computed_in("floats")
def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Half the squared error up to an absolute error of ``delta``, then linear with the slope ``delta``,
    which limits the influence of outliers (Huber, "Robust Estimation of a Location Parameter", 1964).

    Raises ValueError unless both have the same shape and ``delta`` is above 0.

    >>> from autodiff import Tensor, nn
    >>> nn.huber_loss(Tensor([0.5, 10.0]), [0.0, 0.0], reduction="none")
    [0.125   9.5]
    """
    check_delta(delta)
    input, target = checked_shapes(input, target, "huber_loss")
    return apply_reduction(huber(input - target, delta=float(delta)), reduction)


@computed_in("floats")
def smooth_l1_loss(input: Any, target: Any, reduction: str = "mean", beta: float = 1.0) -> Any:
    """The absolute error, smoothed where it is below ``beta``: ``huber_loss / beta`` with ``delta=beta``
    (Girshick, "Fast R-CNN", 2015). With ``beta=0`` it is :func:`l1_loss`.

    Raises ValueError unless both have the same shape and ``beta`` is at least 0.

    >>> from autodiff import Tensor, nn
    >>> nn.smooth_l1_loss(Tensor([0.25, 10.0]), [0.0, 0.0], reduction="none", beta=0.5)
    [0.0625   9.75]
    """
    check_beta(beta)
    input, target = checked_shapes(input, target, "smooth_l1_loss")
    if beta == 0:
        return l1_loss(input, target, reduction)
    return apply_reduction(huber(input - target, delta=float(beta)) / beta, reduction)


# -- classification --------------------------------------------------------------------------------------


@computed_in("floats")
def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
    temperature: float = 1.0,
) -> Any:
    """Cross-entropy between classes and the softmax of logits: -log of the probability of the target class.

    Parameters
    ----------
    input
        Logits of shape (N, C), (C,) for one example, or (N, C, ...).
    target
        Classes, integers from 0 to C - 1, of the input's shape without the class axis; or probabilities, of
        the input's shape.
    weight
        The weight of each class, of shape (C,). With classes as targets, "mean" divides by the sum of the
        targets' weights.
    ignore_index
        Targets of this value are ignored.
    reduction
        "mean", "sum" or "none".
    label_smoothing
        The fraction of each target that is distributed evenly over all classes (Szegedy et al., "Rethinking
        the Inception Architecture for Computer Vision", 2016).
    temperature
        Divides the logits, ``softmax(input / temperature)``; above 1, the distribution becomes softer
        (Hinton, Vinyals and Dean, "Distilling the Knowledge in a Neural Network", 2015). The gradient
        includes the factor 1/temperature.

    Raises
    ------
    ValueError, TypeError, IndexError
        If shapes do not fit, a setting is out of range, classes are not integers, or a class is not between 0
        and C - 1.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> logits = Tensor([[2.0, 0.0], [0.0, 0.0]])
    >>> loss = nn.cross_entropy(logits, [0, 1])
    >>> loss.backward()
    >>> loss, logits.grad
    (0.410038, [[-0.0596015  0.0596015]
     [     0.25      -0.25]])
    """
    check_smoothing(label_smoothing, temperature)
    input = as_recorded(input)
    shape = shape_of(input)
    axis = checked_class_axis(shape, input, "cross_entropy")
    weight = checked_class_weights(weight, shape[axis], input, "cross_entropy")
    log_likelihood = log_softmax(input if temperature == 1 else input / float(temperature), axis=axis)
    if np.shape(raw(target)) != shape:
        targets = checked_classes(target, shape, axis, ignore_index, "cross_entropy")
        return loss_of_classes(log_likelihood, targets, weight, reduction, label_smoothing)
    if ignore_index >= 0:
        raise ValueError(
            "ignore_index is a class, but the target of this cross_entropy consists of probabilities: leave "
            "ignore_index out"
        )
    probabilities = as_constant(target, "cross_entropy", input)
    return loss_of_probabilities(log_likelihood, probabilities, axis, weight, reduction, label_smoothing)


@computed_in("floats")
def nll_loss(
    input: Any, target: Any, weight: Any = None, *, ignore_index: int = -100, reduction: str = "mean"
) -> Any:
    """Negative log-likelihood: minus the input at the target class; after a log-softmax, the cross-entropy.

    Parameters
    ----------
    input
        Logarithms of probabilities, of shape (N, C), (C,) or (N, C, ...).
    target, weight, ignore_index, reduction
        As for :func:`cross_entropy`; the target consists of classes.

    Raises
    ------
    ValueError, TypeError, IndexError
        As for :func:`cross_entropy`.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.nll_loss(Tensor([[-0.1, -2.0], [-3.0, -0.5]]), [0, 1])
    0.3
    """
    input = as_recorded(input)
    shape = shape_of(input)
    axis = checked_class_axis(shape, input, "nll_loss")
    weight = checked_class_weights(weight, shape[axis], input, "nll_loss")
    targets = checked_classes(target, shape, axis, ignore_index, "nll_loss")
    return loss_of_classes(input, targets, weight, reduction)


def loss_of_classes(
    log_likelihood: Any,
    targets: ClassTargets,
    weight: np.ndarray | None,
    reduction: str,
    label_smoothing: float = 0.0,
) -> Any:
    """The negative log-likelihood of classes, each weighted by the weight of its class."""
    classes, counted, axis = targets
    shape = shape_of(log_likelihood)
    indices: list[np.ndarray] = list(np.indices(classes.shape, sparse=True))
    indices.insert(axis, classes)
    loss = -log_likelihood[tuple(indices)]
    if weight is not None:
        weights = getitem(weight, index=classes)
        loss = loss * weights
    if label_smoothing:
        terms = log_likelihood if weight is None else log_likelihood * along_axis(weight, axis, len(shape))
        uniform = -total(terms, axis=axis) * (label_smoothing / shape[axis])
        loss = loss * (1 - label_smoothing) + uniform
    if is_foreign(counted) or not counted.all():
        loss = where(counted, loss, 0.0)
    elif weight is None:
        return apply_reduction(loss, reduction)
    if reduction == "mean":  # weighted, over the targets that count
        counts = counted if weight is None else weights * counted
        return divided(loss, counts.sum())
    return apply_reduction(loss, reduction)


def loss_of_probabilities(
    log_likelihood: Any,
    target: Any,
    axis: int,
    weight: np.ndarray | None,
    reduction: str,
    label_smoothing: float,
) -> Any:
    """The cross-entropy of target probabilities: minus the sum of each times its log-likelihood."""
    shape = shape_of(log_likelihood)
    target = target * (1 - label_smoothing) + label_smoothing / shape[axis]
    if weight is not None:
        target = target * along_axis(weight, axis, len(shape))
    loss = -total(log_likelihood * target, axis=axis)
    if reduction == "mean":  # over the examples, whatever the weights are
        return divided(loss, math.prod(shape) // shape[axis])
    return apply_reduction(loss, reduction)


# -- two classes, and distributions ----------------------------------------------------------------------


@operation(kind="elementwise", precision="floats")
def bounded_log(x: Any) -> Any:
    """The logarithm of a probability, at least -100; the derivative is 1/x, at most 1e12.

    >>> from autodiff.nn.losses import bounded_log
    >>> bounded_log(np.array([0.0, 1.0]))
    array([-100.,    0.])
    """
    return np.maximum(np.log(x), -100)


bounded_log.backward(lambda grad, z, x: grad / maximum(x, 1e-12))


@operation(kind="elementwise", precision="floats")
def bounded_log1p(x: Any) -> Any:
    """The logarithm of 1 + x, at least -100; the derivative is 1/(1 + x), at most 1e12.

    >>> from autodiff.nn.losses import bounded_log1p
    >>> bounded_log1p(np.array([-1.0, 1e-20]))
    array([-1.e+02,  1.e-20])
    """
    return np.maximum(np.log1p(x), -100)


bounded_log1p.backward(lambda grad, z, x: grad / maximum(1 + x, 1e-12))


@computed_in("floats")
def binary_cross_entropy(input: Any, target: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """Cross-entropy of probabilities, -(target log(input) + (1 - target) log(1 - input)).

    Logarithms are limited to at least -100, so a probability of exactly 0 or 1 gives no infinity. For logits,
    :func:`binary_cross_entropy_with_logits` is more accurate.

    Parameters
    ----------
    input
        Probabilities, of any shape.
    target
        0, 1, or a probability, of the same shape.
    weight
        The weight of each element; it broadcasts to the shape of the input.
    reduction
        "mean", "sum" or "none".

    Raises
    ------
    ValueError
        If the shapes differ, or an input is not between 0 and 1.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.binary_cross_entropy(Tensor([0.5, 1.0]), [1.0, 1.0])
    0.346574
    """
    input, target = checked_shapes(input, target, "binary_cross_entropy")
    values = as_array(raw(input))
    if not is_foreign(values) and not (valid := (values >= 0) & (values <= 1)).all():
        raise ValueError(
            f"binary_cross_entropy takes probabilities, between 0 and 1, not {values[~valid][0]}; for logits "
            "use binary_cross_entropy_with_logits"
        )
    loss = -(target * bounded_log(input) + (1 - target) * bounded_log1p(-input))
    return apply_reduction(apply_weight(loss, weight, input, "binary_cross_entropy"), reduction)


@computed_in("floats")
def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, reduction: str = "mean", pos_weight: Any = None
) -> Any:
    """Cross-entropy of the sigmoid of logits, accurate at every magnitude: at -1000 it is 1000 or 0.

    Parameters
    ----------
    input
        Logits, of any shape.
    target
        0, 1, or a probability, of the same shape.
    weight
        The weight of each element; it broadcasts to the shape of the input.
    reduction
        "mean", "sum" or "none".
    pos_weight
        A factor for the term of target 1; it broadcasts to the shape of the input.

    Raises
    ------
    ValueError
        If the shapes differ.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.binary_cross_entropy_with_logits(Tensor([-1000.0, -1000.0]), [1.0, 0.0], reduction="none")
    [1000    0]
    """
    name = "binary_cross_entropy_with_logits"
    input, target = checked_shapes(input, target, name)
    # softplus(-x) = -log(sigmoid(x)) and softplus(x) = -log(1 - sigmoid(x)), without cancellation.
    loss = apply_weight(softplus(-input), pos_weight, input, name, "pos_weight") * target
    loss = loss + softplus(input) * (1 - target)
    return apply_reduction(apply_weight(loss, weight, input, name), reduction)


@computed_in("floats")
def kl_div(input: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    """Kullback-Leibler divergence of a target distribution from the input's: target (log(target) - input),
    elementwise (Kullback and Leibler, "On Information and Sufficiency", 1951).

    Parameters
    ----------
    input
        Logarithms of probabilities, of any shape.
    target
        Probabilities of the same shape, or their logarithms with ``log_target``. Where a probability is 0, so
        is the loss.
    reduction
        "batchmean" divides the sum by the size of the first axis, which gives the divergence itself; "mean"
        divides by the number of elements, "sum" and "none" do not divide.
    log_target
        Whether the target consists of logarithms.

    Raises
    ------
    ValueError
        If the shapes differ.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.kl_div(Tensor([[0.5, 0.5]]).log(), [[1.0, 0.0]], reduction="batchmean")
    0.693147
    """
    check_reduction(reduction, "batchmean")
    input, target = checked_shapes(input, target, "kl_div")
    probability, log_probability = (exp(target), target) if log_target else (target, log(target))
    is_zero = (probability == 0) & (input == input)  # a nan in the input is not hidden
    loss = probability * where(is_zero, 0.0, sub(log_probability, input))
    if reduction == "batchmean":
        return divided(loss, (shape_of(loss) or (1,))[0])
    return apply_reduction(loss, reduction)
