"""What the batches of an epoch add up to: their mean loss, and the metrics of all samples."""

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


class Seen:
    """What the batches of an epoch add up to."""

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self.metrics = metrics
        self.total, self.count = 0.0, 0
        self.predictions: list[Any] = []
        self.targets: list[Any] = []

    def add(self, loss: float, prediction: Any, target: Any) -> None:
        """Take in a batch. Predictions and targets are kept only for metrics."""
        samples = sample_count(target)
        self.total += loss * samples
        self.count += samples
        if self.metrics:
            self.predictions.append(raw(prediction))
            self.targets.append(raw(target))

    @property
    def loss(self) -> float:
        """The mean so far."""
        return self.total / self.count if self.count else float("nan")

    def measures(self) -> Row:
        """The mean loss and the metrics, which are computed from all samples: a mean over batches would be
        wrong for most."""
        row = {"loss": self.loss}
        if self.metrics:
            prediction, target = (constant_tensor(joined(part)) for part in (self.predictions, self.targets))
            with no_grad():
                for name, metric in self.metrics.items():
                    row[name] = number(metric(prediction, target), f"the metric {name}")
        return row


def sample_count(target: Any) -> int:
    """How many samples a batch has, by its target. One of several parts has as many in each of them."""
    parts = list(target.values()) if isinstance(target, dict) else target
    if isinstance(parts, (tuple, list)) and parts and isinstance(parts[0], (Tensor, tuple, dict)):
        return sample_count(parts[0])
    return (np.shape(raw(parts)) or (1,))[0]


def by_name(metrics: Any) -> dict[str, Metric]:
    """Metrics by the names that their columns get."""
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        raise TypeError(f"metrics are a list of functions, or a dictionary of them, not {metrics!r:.60}")
    functions = list(metrics.values() if isinstance(metrics, Mapping) else metrics)
    for function in functions:
        if not callable(function):
            raise TypeError(f"a metric is a function of prediction and target, not {function!r:.60}")
    if isinstance(metrics, Mapping):
        named = dict(metrics)
    else:
        names = [getattr(function, "__name__", "<no name>") for function in functions]
        named = dict(zip(names, functions))
        if len(named) < len(names) or any(name.startswith("<") for name in names):
            raise ValueError(
                "metrics need names that differ; give them as a dictionary: "
                '{"name": lambda prediction, target: ...}'
            )
    taken = {"epoch", "lr", "loss", "val_loss", *(f"val_{name}" for name in named)} & named.keys()
    if taken:
        raise ValueError(f"a metric cannot be called {taken.pop()!r}: that column has its meaning")
    return named


def are_metrics(given: Any) -> bool:
    """Whether this is a list or dictionary of metrics, and no targets."""
    if isinstance(given, Mapping):
        return True
    return isinstance(given, (list, tuple)) and all(callable(part) for part in given)


def number(value: Any, what: str) -> float:
    """A single number as a float."""
    value = raw(value)
    if np.ndim(value) or not isinstance(value, (Real, np.ndarray)):
        raise TypeError(f"{what} must be a single number, not {value!r:.60}")
    return float(value)


def joined(parts: list[Any]) -> np.ndarray:
    """The batches' arrays as one."""
    if not parts:
        raise ValueError("the loader gave no batches")
    return np.concatenate([np.atleast_1d(undivided(part)) for part in parts])


def undivided(part: Any) -> Any:
    """The data of a prediction or target that is one Tensor, and not several."""
    if isinstance(part, (tuple, dict)) or (isinstance(part, list) and part and isinstance(part[0], Tensor)):
        kind = type(part).__name__
        raise TypeError(f"predict and metrics take predictions and targets of one Tensor each, not a {kind}")
    return raw(part)
