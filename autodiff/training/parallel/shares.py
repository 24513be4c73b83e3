"""What a worker computes for its part of a batch, and how the parts are put together again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ... import seeding
from ...calculus.trees import leaves, rebuilt
from ...engine.tensor import Tensor, raw
from ...nn import Module
from ..measures import as_float, sample_count
from ..model import Model

State = list[dict[str, np.ndarray]]
"""The weights and buffers of the net, and of the loss if it is a module."""


class Part(NamedTuple):
    """A part of a batch: the inputs, the targets, and the seed of whatever the net draws for them."""

    x: Any
    target: Any
    seed: int


class Share(NamedTuple):
    """What a worker hands back for a part of a batch."""

    samples: int
    loss: float
    prediction: Any
    gradients: list[np.ndarray | None]
    """The gradient of the mean loss with respect to each parameter of the optimizer."""
    buffers: list[dict[str, np.ndarray]]


class Worker:
    """A copy of the model in a process of its own. It keeps nothing between two parts."""

    def __init__(self, make_model: Callable[[], Model]) -> None:
        self.model = make_model()
        self.model.net.train()

    def share(self, state: State, part: Part) -> Share:
        """The loss and the gradients of a part of a batch at these weights."""
        model = self.model
        for module, saved in zip(modules_of(model), state):
            module.load_state_dict(saved)
        seeding.seed(part.seed)
        model.optimizer.zero_grad()
        prediction = model.forward(part.x)
        loss = as_float(model.backward(prediction, part.target), "the loss")
        return Share(
            sample_count(part.target),
            loss,
            rebuilt(prediction, [raw(leaf) for leaf in leaves(prediction)]),
            [None if one.grad is None else raw(one.grad) for one in parameters_of(model)],
            [{name: raw(one) for name, one in module.named_buffers()} for module in modules_of(model)],
        )


def modules_of(model: Model) -> list[Module]:
    """The net, and the loss if it is a module."""
    return [part for part in (model.net, model.loss) if isinstance(part, Module)]


def parameters_of(model: Model) -> list[Tensor]:
    """The parameters of the model's optimizer, in order."""
    return [parameter for group in model.optimizer.param_groups for parameter in group["params"]]


def state_of(model: Model) -> State:
    """The weights and buffers as a worker needs them."""
    return [module.state_dict() for module in modules_of(model)]


def split(x: Any, target: Any, parts: int) -> list[tuple[Any, Any]]:
    """Cut a batch along its first axis into at most ``parts`` parts, none of them empty.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff.training.parallel.shares import split
    >>> split(np.arange(3), np.arange(3) * 10, 2)
    [(array([0, 1]), array([ 0, 10])), (array([2]), array([20]))]
    """
    parts = min(parts, sample_count(target))
    ends = np.linspace(sample_count(target), 0, parts + 1).round().astype(int)[::-1]
    return [(rows(x, a, b), rows(target, a, b)) for a, b in pairwise(ends)]


def rows(tree: Any, start: int, stop: int) -> Any:
    """The rows from ``start`` up to ``stop`` of each array in a structure."""
    return rebuilt(tree, [np.asarray(raw(leaf))[start:stop] for leaf in leaves(tree)])


def put_together(model: Model, shares: Sequence[Share]) -> None:
    """Put the mean of the gradients into the parameters, and the mean of the buffers into the modules. Each
    share counts by its samples, so that the result is what the whole batch would have given."""
    total = sum(share.samples for share in shares)
    weights = [share.samples / total for share in shares]
    for parameter, gradients in zip(parameters_of(model), zip(*(share.gradients for share in shares))):
        there = [gradient for gradient in gradients if gradient is not None]
        parameter.grad = weighted(there, weights) if len(there) == len(shares) else None
    for module, saved in zip(modules_of(model), zip(*(share.buffers for share in shares))):
        means = {name: weighted([one[name] for one in saved], weights) for name in saved[0]}
        module.load_state_dict(means, strict=False)


def weighted(arrays: Sequence[Any], weights: Sequence[float]) -> Any:
    """The weighted mean of arrays; of integers, such as a number of batches, the first."""
    first = np.asarray(arrays[0])
    if first.dtype.kind != "f":
        return first
    mean = sum(weight * np.asarray(one) for weight, one in zip(weights, arrays))
    return np.asarray(mean, first.dtype)


def joined(predictions: Sequence[Any]) -> Any:
    """The predictions of a batch's parts as those of the whole batch."""
    columns = zip(*(leaves(prediction) for prediction in predictions))
    return rebuilt(predictions[0], [np.concatenate(column) for column in columns])
