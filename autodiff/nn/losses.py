"""Losses as functions: how far an output is from its target, as one number to walk back from.

All are compositions of operations, so they differentiate twice, draw, and obey the gradient from above. A
target is a constant: numbers, an array or list, or a Tensor that wants no gradient. ``reduction`` says what
becomes of the values of all examples: their "mean", their "sum", or "none" to keep them. What they check
stands in ``loss_checks.py``; as modules they are in ``loss_modules.py``.
"""

# ruff: noqa: A001, A002 - PyTorch's name for the first argument of a loss is input

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.operands import as_recorded
from ..engine.operation import operation
from ..engine.tensor import raw
from ..ops.activations import log_softmax, softplus
from ..ops.arithmetic import div, maximum, sub
from ..ops.elementary import abs as absolute
from ..ops.elementary import exp, log
from ..ops.piecewise import clip, where
from ..ops.powers import square
from ..ops.reductions import sum as total
from ..ops.shaping import shape_of
from .loss_checks import (
    along,
    check_beta,
    check_delta,
    check_reduction,
    check_softness,
    class_axis,
    class_weights,
    constant,
    matched,
    picked,
    reduced,
    weighted,
)

# -- numbers: how far from the target ------------------------------------------------------------------


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Mean squared error, (input - target)².

    Raises ValueError unless both have one shape: broadcasting would compare every output with every target.

    >>> from autodiff import Tensor, nn
    >>> nn.mse_loss(Tensor([1.0, 2.0]), [0.0, 4.0])
    2.5
    """
    input, target = matched(input, target, "mse_loss")
    return reduced(square(input - target), reduction)


def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Mean absolute error (MAE), abs(input - target). Raises ValueError unless both have one shape.

    >>> from autodiff import Tensor, nn
    >>> nn.l1_loss(Tensor([1.0, 2.0]), [0.0, 4.0])
    1.5
    """
    input, target = matched(input, target, "l1_loss")
    return reduced(absolute(input - target), reduction)


@operation(kind="elementwise")
def huber(x: Any, *, delta: float = 1.0) -> Any:
    """Half of x² up to ``delta`` from 0, and from there on a straight line; its slope is x, but no steeper
    than ``delta``, at infinity too.

    >>> from autodiff.nn.losses import huber
    >>> huber(np.array([0.5, 10.0]))
    array([0.125, 9.5  ])
    """
    near = np.clip(x, -delta, delta)
    return near * (x - 0.5 * near)


huber.backward(lambda grad, z, x, delta=1.0: grad * clip(x, -delta, delta))


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Half the squared error up to a distance of ``delta``, and from there on ``delta`` times the absolute
    one, so that outliers pull no harder (Huber, "Robust Estimation of a Location Parameter", 1964).

    Raises ValueError unless both have one shape and ``delta`` is above 0.

    >>> from autodiff import Tensor, nn
    >>> nn.huber_loss(Tensor([0.5, 10.0]), [0.0, 0.0], reduction="none")
    [0.125   9.5]
    """
    check_delta(delta)
    input, target = matched(input, target, "huber_loss")
    return reduced(huber(input - target, delta=float(delta)), reduction)


def smooth_l1_loss(input: Any, target: Any, reduction: str = "mean", beta: float = 1.0) -> Any:
    """The absolute error, rounded off within ``beta`` of 0: ``huber_loss / beta`` (Girshick, "Fast R-CNN",
    2015). With ``beta`` 0 it is :func:`l1_loss`.

    Raises ValueError unless both have one shape and ``beta`` is not negative.

    >>> from autodiff import Tensor, nn
    >>> nn.smooth_l1_loss(Tensor([0.25, 10.0]), [0.0, 0.0], reduction="none", beta=0.5)
    [0.0625   9.75]
    """
    check_beta(beta)
    input, target = matched(input, target, "smooth_l1_loss")
    if beta == 0:
        return l1_loss(input, target, reduction)
    return huber_loss(input, target, reduction, beta) / beta


# -- classes -------------------------------------------------------------------------------------------


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
    """Cross-entropy between classes and the softmax of logits: -log of the right class's probability.

    Parameters
    ----------
    input
        Logits of shape (N, C), (C,) for one example, or (N, C, ...).
    target
        Classes, integers from 0 to C - 1, of the input's shape without the class axis; or probabilities, of
        the input's shape.
    weight
        How much each class counts, of shape (C,). With classes as targets, "mean" divides by the sum of the
        targets' weights.
    ignore_index
        A class that stands for no class: such targets count nothing.
    reduction
        "mean", "sum" or "none".
    label_smoothing
        This part of each target is spread evenly over all classes (Szegedy et al., "Rethinking the Inception
        Architecture", 2016).
    temperature
        The logits are divided by it, ``softmax(input / temperature)``; above 1 it makes the distribution
        softer (Hinton, Vinyals and Dean, "Distilling the Knowledge in a Neural Network", 2015). The gradient
        is that of this very function, a factor 1/temperature included.

    Raises
    ------
    ValueError, TypeError, IndexError
        If shapes do not fit, a setting is out of range, classes are no integers, or one of them is not from
        0 to C - 1.

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
    check_softness(label_smoothing, temperature)
    input = as_recorded(input)
    shape = shape_of(input)
    axis = class_axis(shape, input, "cross_entropy")
    if temperature != 1:
        input = input / float(temperature)
    log_likelihood = log_softmax(input, axis=axis)
    weight = class_weights(weight, shape[axis], input, "cross_entropy")
    if np.shape(raw(target)) != shape:
        given = picked(target, shape, axis, ignore_index, "cross_entropy")
        return classified(log_likelihood, given, weight, reduction, label_smoothing)
    if ignore_index >= 0:
        raise ValueError("ignore_index names a class, and the target of this cross_entropy is probabilities")
    likely = constant(target, "cross_entropy", input) * (1 - label_smoothing) + label_smoothing / shape[axis]
    if weight is not None:
        likely = likely * along(weight, axis, len(shape))
    loss = -total(log_likelihood * likely, axis=axis)
    if reduction == "mean":  # over examples, whatever the weights are
        return div(total(loss), float(math.prod(shape) // shape[axis]))
    return reduced(loss, reduction)


def nll_loss(
    input: Any, target: Any, weight: Any = None, *, ignore_index: int = -100, reduction: str = "mean"
) -> Any:
    """Negative log-likelihood: minus the input at the right class. After :class:`LogSoftmax` this is the
    cross-entropy.

    Parameters
    ----------
    input
        Logarithms of probabilities, of shape (N, C), (C,) or (N, C, ...).
    target, weight, ignore_index, reduction
        As for :func:`cross_entropy`; the target is classes.

    Raises
    ------
    ValueError, TypeError, IndexError
        As :func:`cross_entropy` does.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.nll_loss(Tensor([[-0.1, -2.0], [-3.0, -0.5]]), [0, 1])
    0.3
    """
    input = as_recorded(input)
    shape = shape_of(input)
    axis = class_axis(shape, input, "nll_loss")
    weight = class_weights(weight, shape[axis], input, "nll_loss")
    given = picked(target, shape, axis, ignore_index, "nll_loss")
    return classified(input, given, weight, reduction)


def classified(
    log_likelihood: Any,
    given: tuple[np.ndarray, np.ndarray, int],
    weight: np.ndarray | None,
    reduction: str,
    label_smoothing: float = 0.0,
) -> Any:
    """The loss for classes as targets: each example's, times the weight of its class."""
    classes, counted, axis = given
    shape = shape_of(log_likelihood)
    places: list[np.ndarray] = list(np.indices(classes.shape, sparse=True))
    places.insert(axis, classes)
    loss = -log_likelihood[tuple(places)]
    if label_smoothing:
        others = log_likelihood if weight is None else log_likelihood * along(weight, axis, len(shape))
        smooth = -total(others, axis=axis) * (label_smoothing / shape[axis])
    share = counted if weight is None else weight[classes] * counted
    if weight is not None:
        loss = loss * weight[classes]
    if label_smoothing:
        loss = loss * (1 - label_smoothing) + smooth
    if not counted.all():
        loss = where(counted, loss, 0.0)
    elif weight is None:
        return reduced(loss, reduction)
    return div(total(loss), float(share.sum())) if reduction == "mean" else reduced(loss, reduction)


# -- yes or no -----------------------------------------------------------------------------------------


@operation(kind="elementwise")
def bounded_log(x: Any) -> Any:
    """The logarithm of a probability, but not below -100; its slope is 1/x, but not above 1e12.

    >>> from autodiff.nn.losses import bounded_log
    >>> bounded_log(np.array([0.0, 1.0]))
    array([-100.,    0.])
    """
    return np.maximum(np.log(x), -100)


bounded_log.backward(lambda grad, z, x: grad / maximum(x, 1e-12))


def binary_cross_entropy(input: Any, target: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """Cross-entropy of probabilities, -(target log(input) + (1 - target) log(1 - input)).

    Logarithms are kept above -100, so that a probability of exactly 0 or 1 gives no infinity. Better, give
    the logits to :func:`binary_cross_entropy_with_logits`.

    Parameters
    ----------
    input
        Probabilities, of any shape.
    target
        0, 1, or a probability, of the same shape.
    weight
        How much each element counts; broadcasts to the shape.
    reduction
        "mean", "sum" or "none".

    Raises
    ------
    ValueError
        If the shapes differ, or an input is not from 0 to 1.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.binary_cross_entropy(Tensor([0.5, 1.0]), [1.0, 1.0])
    0.346574
    """
    input, target = matched(input, target, "binary_cross_entropy")
    values = np.asarray(raw(input))
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError(
            "binary_cross_entropy takes probabilities, from 0 to 1; for logits there is "
            "binary_cross_entropy_with_logits"
        )
    loss = -(target * bounded_log(input) + (1 - target) * bounded_log(1 - input))
    return reduced(weighted(loss, weight, input, "binary_cross_entropy"), reduction)


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, reduction: str = "mean", pos_weight: Any = None
) -> Any:
    """Cross-entropy of the sigmoid of logits, exact at every size: at -1000 it is 1000 or 0.

    Parameters
    ----------
    input
        Logits, of any shape.
    target
        0, 1, or a probability, of the same shape.
    weight
        How much each element counts; broadcasts to the shape.
    reduction
        "mean", "sum" or "none".
    pos_weight
        How much more the part of target 1 counts; broadcasts to the shape.

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
    input, target = matched(input, target, name)
    # softplus(-x) is -log(sigmoid(x)), and softplus(x) is -log(1 - sigmoid(x)); neither is a difference.
    loss = weighted(softplus(-input), pos_weight, input, name, "pos_weight") * target
    loss = loss + softplus(input) * (1 - target)
    return reduced(weighted(loss, weight, input, name), reduction)


def kl_div(input: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    """Kullback-Leibler divergence of a distribution from its target: target (log(target) - input), element by
    element (Kullback and Leibler, "On Information and Sufficiency", 1951).

    Parameters
    ----------
    input
        Logarithms of probabilities, of any shape.
    target
        Probabilities of the same shape, or their logarithms with ``log_target``. Where one is 0, so is the
        value.
    reduction
        "batchmean" sums and divides by the first axis, which is the divergence itself; "mean" divides by the
        number of elements, "sum" and "none" do not divide.
    log_target
        Whether the target is logarithms.

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
    input, target = matched(input, target, "kl_div")
    likely, logarithm = (exp(target), target) if log_target else (target, log(target))
    is_out = (likely == 0) & (input == input)  # a nan stays one: it is to be seen
    loss = likely * where(is_out, 0.0, sub(logarithm, input))
    if reduction == "batchmean":
        return div(total(loss), float((shape_of(loss) or (1,))[0]))
    return reduced(loss, reduction)
