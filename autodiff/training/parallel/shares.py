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
from ...nn.loss_weights import SUM, LossWeights
from ..measures import as_float, sample_count
from ..model import Model

State = list[dict[str, np.ndarray]]
"""The weights and buffers of the net, and of the loss if it is a module."""


class BatchPart(NamedTuple):
    """A part of a batch: the inputs, the targets, and the seed of whatever the net draws for them."""

    x: Any
    target: Any
    seed: int


class Share(NamedTuple):
    """What a worker hands back for a part of a batch."""

    samples: int
    loss: float
    weight: Any
    """What the loss was divided by, or ``SUM``; see :class:`LossWeights`."""
    prediction: Any
    gradients: list[np.ndarray | None]
    """The gradient of the loss with respect to each parameter of the optimizer."""
    buffers: list[dict[str, np.ndarray]]


class Worker:
    """A copy of the model in a process of its own. It keeps nothing between two parts."""

    def __init__(self, make_model: Callable[[], Model]) -> None:
        self.model = make_model()
        self.model.net.train()

    def share(self, state: State, part: BatchPart) -> Share:
        """The loss and the gradients of a part of a batch at these weights."""
        model = self.model
        for module, saved in zip(modules_of(model), state):
            module.load_state_dict(saved)
        seeding.seed(part.seed)
        model.optimizer.zero_grad()
        prediction = model.forward(part.x)
        with LossWeights() as weights:
            loss = model.backward(prediction, part.target)
        samples = sample_count(part.target)
        weight = weights.of(loss)
        return Share(
            samples,
            as_float(loss, "the loss"),
            samples if weight is None else weight,
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


def put_together(model: Model, shares: Sequence[Share]) -> tuple[float, Any]:
    """Put the gradients of the whole batch into the parameters, and the mean of the buffers into the modules;
    returns the loss of the whole batch and its weight.

    A share is weighted by the weight of its loss, so that loss and gradients are what the whole batch would
    have given. The buffers, such as the statistics of batch normalisation, are weighted by the samples.
    """
    counts, weight = counts_of(shares)
    for parameter, gradients in zip(parameters_of(model), zip(*(share.gradients for share in shares))):
        parameter.grad = combined(gradients, counts)
    samples = [share.samples for share in shares]
    shares_of_samples = [count / sum(samples) for count in samples]
    for module, saved in zip(modules_of(model), zip(*(share.buffers for share in shares))):
        means = {name: combined([one[name] for one in saved], shares_of_samples) for name in saved[0]}
        module.load_state_dict(means, strict=False)
    return float(combined([share.loss for share in shares], counts)), weight


def counts_of(shares: Sequence[Share]) -> tuple[list[float], Any]:
    """The factor of each share in the loss and the gradients of the whole batch, and the weight of that
    loss."""
    weights = [share.weight for share in shares]
    if any(isinstance(weight, str) for weight in weights):
        return [1.0] * len(shares), SUM
    weight = sum(weights)
    # If no target of the batch counts, each part's loss is 0/0, as that of the whole batch is.
    return [one / weight if weight else 1.0 for one in weights], weight


def combined(arrays: Sequence[Any], counts: Sequence[float]) -> Any:
    """The sum of arrays, each times its factor; for integers, such as a number of batches, the first. None
    means no gradient, and an array with the factor 0 is left out, since it may be nan: 0/0."""
    there = [(count, np.asarray(one)) for count, one in zip(counts, arrays) if one is not None]
    if not there:
        return None
    first = there[0][1]
    if first.dtype.kind != "f":
        return first
    total = sum((count * one for count, one in there if count), np.zeros(first.shape))
    return np.asarray(total, first.dtype)


def joined(predictions: Sequence[Any]) -> Any:
    """The predictions of a batch's parts as those of the whole batch."""
    columns = zip(*(leaves(prediction) for prediction in predictions))
    return rebuilt(predictions[0], [np.concatenate(column) for column in columns])
