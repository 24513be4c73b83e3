"""The measures of an epoch: its loss, and its metrics over all samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from ..engine.recording import no_grad
from ..engine.tensor import Tensor, constant_tensor, raw
from .history import Row

Metric = Callable[[Any, Any], Any]
Metrics = Sequence[Metric] | Mapping[str, Metric]


class EpochTotals:
    """Accumulates the loss of an epoch's batches, and their predictions and targets for the metrics.

    Each batch is weighted by the divisor of its loss, so that the loss of the epoch is that of one batch of
    all samples: a mean over samples by their number, one with ignored targets by the number of the others, a
    weighted mean by its weights. Sums are added up. A loss whose divisor is unknown is weighted by its
    samples.
    """

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self.metrics = metrics
        self.total, self.weight, self.is_sum = 0.0, 0.0, False
        self.predictions: list[Any] = []
        self.targets: list[Any] = []

    def add(self, loss: float, weight: Any, prediction: Any, target: Any) -> None:
        """Add a batch, with the weight of its loss, see ``LossWeights``. Predictions and targets are kept
        only if there are metrics."""
        if weight is None:
            weight = sample_count(target)
        if isinstance(weight, str):
            self.total += loss
            self.is_sum = True
        elif weight:  # where no target counts, the loss is 0/0
            self.total += loss * float(weight)
            self.weight += float(weight)
        if self.metrics:
            self.predictions.append(raw(prediction))
            self.targets.append(raw(target))

    @property
    def loss(self) -> float:
        """The loss of all batches so far."""
        if self.is_sum:
            return self.total
        return self.total / self.weight if self.weight else float("nan")

    def measures(self) -> Row:
        """The loss and the metrics. Metrics are computed from all samples at once, since the mean over
        batches would be wrong for most of them."""
        row = {"loss": self.loss}
        if self.metrics:
            prediction = constant_tensor(concatenate(self.predictions))
            target = constant_tensor(concatenate(self.targets))
            with no_grad():
                for name, metric in self.metrics.items():
                    row[name] = as_float(metric(prediction, target), f"the metric {name}")
        return row


def sample_count(target: Any) -> int:
    """The number of samples in a batch, from its target. If that has several parts, the first is counted."""
    parts = list(target.values()) if isinstance(target, dict) else target
    if isinstance(parts, (tuple, list)) and parts and isinstance(parts[0], (Tensor, tuple, dict)):
        return sample_count(parts[0])
    return (np.shape(raw(parts)) or (1,))[0]


def named_metrics(metrics: Any) -> dict[str, Metric]:
    """Metrics by their column names. Raises TypeError if they are not functions, ValueError if the names are
    missing, repeated or reserved."""
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        raise TypeError(f"metrics must be a list or dictionary of functions, not {metrics!r:.60}")
    functions = list(metrics.values() if isinstance(metrics, Mapping) else metrics)
    for function in functions:
        if not callable(function):
            raise TypeError(f"a metric must be a function of prediction and target, not {function!r:.60}")
    if isinstance(metrics, Mapping):
        named = dict(metrics)
    else:
        names = [getattr(function, "__name__", "<no name>") for function in functions]
        named = dict(zip(names, functions))
        if len(named) < len(names) or any(name.startswith("<") for name in names):
            raise ValueError(
                "metrics need distinct names; give them as a dictionary: "
                '{"name": lambda prediction, target: ...}'
            )
    reserved = {"epoch", "lr", "loss", "val_loss", *(f"val_{name}" for name in named)} & named.keys()
    if reserved:
        raise ValueError(f"a metric cannot be called {reserved.pop()!r}: the history uses that column")
    return named


def are_metrics(value: Any) -> bool:
    """Whether this is a list or dictionary of metrics, rather than targets."""
    if isinstance(value, Mapping):
        return True
    return isinstance(value, (list, tuple)) and all(callable(part) for part in value)


def as_float(value: Any, what: str) -> float:
    """A single number as a float. Raises TypeError, with the name ``what``, for anything else."""
    value = raw(value)
    if np.ndim(value) or not isinstance(value, (Real, np.ndarray)):
        raise TypeError(f"{what} must be a single number, not {value!r:.60}")
    return float(value)


def concatenate(parts: list[Any]) -> np.ndarray:
    """Concatenate the arrays of all batches. Raises ValueError if there are none."""
    if not parts:
        raise ValueError("the loader gave no batches: it is empty, or it can be read only once and was read")
    return np.concatenate([np.atleast_1d(single_array(part)) for part in parts])


def single_array(part: Any) -> Any:
    """The data of a prediction or target. Raises TypeError if it consists of several Tensors."""
    if isinstance(part, (tuple, dict)) or (isinstance(part, list) and part and isinstance(part[0], Tensor)):
        kind = type(part).__name__
        raise TypeError(f"predict and metrics need predictions and targets of one Tensor each, not a {kind}")
    return raw(part)
