"""What a loss was divided by, so that the losses of several batches can be put together.

The mean over all samples is not the mean of the batches' means if the last batch is smaller, if targets are
ignored, or if classes have weights. So each reduced loss notes its weight, for code that combines batches.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import Any

from ..engine.values import is_foreign

SUM = "sum"
"""The weight of a loss that is a sum, not a mean: such losses are added up."""


class LossWeights:
    """The weights of the losses that are computed in its ``with`` block.

    >>> from autodiff import Tensor, nn
    >>> from autodiff.nn.loss_weights import LossWeights
    >>> with LossWeights() as weights:
    ...     loss = nn.cross_entropy(Tensor([[2.0, 0.0], [0.0, 0.0]]), [0, -100])
    >>> weights.of(loss)
    1.0
    """

    def __enter__(self) -> LossWeights:
        self.noted: list[tuple[Any, Any]] = []
        self._token: Token[LossWeights | None] = listening.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        listening.reset(self._token)

    def of(self, loss: Any) -> Any:
        """What a loss was divided by, or ``SUM``. A loss computed from the package's means, such as one with
        a penalty added, has the weight of these means if all have the same; otherwise None: it is unknown."""
        for value, weight in self.noted:
            if value is loss:
                return weight
        weights = [weight for _, weight in self.noted]
        if not weights or any(weight is SUM or not is_same(weight, weights[0]) for weight in weights):
            return None
        return weights[0]


listening: ContextVar[LossWeights | None] = ContextVar("listening", default=None)


def noted(loss: Any, weight: Any) -> Any:
    """The loss; its weight is noted in the ``LossWeights`` block that is open, if there is one."""
    listener = listening.get()
    if listener is not None:
        listener.noted.append((loss, weight))
    return loss


def is_same(weight: Any, other: Any) -> bool:
    """Whether two weights are equal; while a function is compiled, whether they are one array."""
    return weight is other or not (is_foreign(weight) or is_foreign(other) or weight != other)
