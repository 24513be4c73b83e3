"""Losses as modules, which hold their settings. The functions they call are in ``losses.py``."""

# ruff: noqa: A002 - PyTorch's name for the first argument of a loss is input

from __future__ import annotations

from typing import Any

from ..engine.values import as_data
from . import losses
from .loss_checks import check_beta, check_delta, check_reduction, check_smoothing, constant_data
from .module import Module

DEFAULTS = {
    "reduction": "mean", "ignore_index": -100, "label_smoothing": 0.0, "temperature": 1.0, "delta": 1.0,
    "beta": 1.0, "log_target": False,
}  # fmt: skip


class Loss(Module):
    """Base class of the losses: it holds the reduction, and weights as buffers.

    Raises ValueError if the reduction is unknown, or another setting of the loss is out of range.
    """

    more_reductions: tuple[str, ...] = ()  # besides "mean", "sum" and "none"

    def __init__(self, reduction: str = "mean") -> None:
        check_reduction(reduction, *self.more_reductions)
        self.reduction = reduction

    def _register_weight(self, name: str, weights: Any) -> None:
        """Register weights, as floats, or None as a buffer."""
        if weights is not None:
            weights = as_data(constant_data(weights, type(self).__name__, name))
        self.register_buffer(name, weights)

    def extra_repr(self) -> str:
        """The settings that differ from their defaults."""
        own = {name: vars(self)[name] for name in DEFAULTS if name in vars(self)}
        return ", ".join(f"{name}={value!r}" for name, value in own.items() if value != DEFAULTS[name])


class MSELoss(Loss):
    """Mean squared error, see :func:`mse_loss`.

    >>> from autodiff import Tensor, nn
    >>> nn.MSELoss()(Tensor([1.0, 2.0]), [0.0, 4.0])
    2.5
    """

    def forward(self, input: Any, target: Any) -> Any:
        """Input and target of the same shape."""
        return losses.mse_loss(input, target, self.reduction)


class L1Loss(Loss):
    """Mean absolute error, see :func:`l1_loss`.

    >>> from autodiff import Tensor, nn
    >>> nn.L1Loss(reduction="sum")(Tensor([1.0, 2.0]), [0.0, 4.0])
    3
    """

    def forward(self, input: Any, target: Any) -> Any:
        """Input and target of the same shape."""
        return losses.l1_loss(input, target, self.reduction)


class HuberLoss(Loss):
    """Squared error near the target, absolute error farther away, see :func:`huber_loss`.

    >>> from autodiff import Tensor, nn
    >>> nn.HuberLoss(delta=2.0)(Tensor([10.0]), [0.0])
    18
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        check_delta(delta)
        self.delta = delta

    def forward(self, input: Any, target: Any) -> Any:
        """Input and target of the same shape."""
        return losses.huber_loss(input, target, self.reduction, self.delta)


class SmoothL1Loss(Loss):
    """Absolute error, smoothed near the target, see :func:`smooth_l1_loss`.

    >>> from autodiff import Tensor, nn
    >>> nn.SmoothL1Loss()(Tensor([10.0]), [0.0])
    9.5
    """

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction)
        check_beta(beta)
        self.beta = beta

    def forward(self, input: Any, target: Any) -> Any:
        """Input and target of the same shape."""
        return losses.smooth_l1_loss(input, target, self.reduction, self.beta)


class NLLLoss(Loss):
    """Negative log-likelihood of classes, see :func:`nll_loss`.

    >>> from autodiff import Tensor, nn
    >>> nn.NLLLoss()(Tensor([[-0.1, -2.0]]), [0])
    0.1
    """

    def __init__(self, weight: Any = None, *, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self._register_weight("weight", weight)
        self.ignore_index = ignore_index

    weight: Any

    def forward(self, input: Any, target: Any) -> Any:
        """Log-probabilities of shape (N, C), classes of shape (N,)."""
        return losses.nll_loss(
            input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction
        )


class CrossEntropyLoss(Loss):
    """Cross-entropy of logits, see :func:`cross_entropy`.

    >>> from autodiff import Tensor, nn
    >>> nn.CrossEntropyLoss(label_smoothing=0.1)
    CrossEntropyLoss(label_smoothing=0.1)
    >>> nn.CrossEntropyLoss()(Tensor([[1000.0, -1000.0]]), [1])
    2000
    """

    def __init__(
        self,
        weight: Any = None,
        *,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
        temperature: float = 1.0,
    ) -> None:
        super().__init__(reduction)
        check_smoothing(label_smoothing, temperature)
        self._register_weight("weight", weight)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.temperature = temperature

    weight: Any

    def forward(self, input: Any, target: Any) -> Any:
        """Logits of shape (N, C), classes of shape (N,) or probabilities of shape (N, C)."""
        return losses.cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
            temperature=self.temperature,
        )


class BCELoss(Loss):
    """Cross-entropy of probabilities, see :func:`binary_cross_entropy`.

    >>> from autodiff import Tensor, nn
    >>> nn.BCELoss()(Tensor([0.5]), [1.0])
    0.693147
    """

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self._register_weight("weight", weight)

    weight: Any

    def forward(self, input: Any, target: Any) -> Any:
        """Probabilities and targets of the same shape."""
        return losses.binary_cross_entropy(input, target, self.weight, self.reduction)


class BCEWithLogitsLoss(Loss):
    """Cross-entropy of the sigmoid of logits, see :func:`binary_cross_entropy_with_logits`.

    >>> from autodiff import Tensor, nn
    >>> nn.BCEWithLogitsLoss()(Tensor([-1000.0]), [1.0])
    1000
    """

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> None:
        super().__init__(reduction)
        self._register_weight("weight", weight)
        self._register_weight("pos_weight", pos_weight)

    weight: Any
    pos_weight: Any

    def forward(self, input: Any, target: Any) -> Any:
        """Logits and targets of the same shape."""
        return losses.binary_cross_entropy_with_logits(
            input, target, self.weight, self.reduction, self.pos_weight
        )


class KLDivLoss(Loss):
    """Kullback-Leibler divergence, see :func:`kl_div`.

    >>> from autodiff import Tensor, nn
    >>> nn.KLDivLoss(reduction="batchmean")(Tensor([[0.5, 0.5]]).log(), [[1.0, 0.0]])
    0.693147
    """

    more_reductions: tuple[str, ...] = ("batchmean",)

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(reduction)
        self.log_target = log_target

    def forward(self, input: Any, target: Any) -> Any:
        """Log-probabilities and probabilities of the same shape."""
        return losses.kl_div(input, target, self.reduction, self.log_target)
