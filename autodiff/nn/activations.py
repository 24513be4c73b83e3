"""Activations as modules; the less common ones are in ``rectifiers.py``. The operations they call are in
``ops/activations.py`` and ``ops/elementary.py``."""

from __future__ import annotations

from typing import Any

from ..engine.operands import as_recorded
from ..ops import activations, elementary
from .activation_functions import softplus
from .module import Module


class Elementwise(Module):
    """Base class of elementwise activations without settings.

    ``inplace``, here and in other activations, is accepted for networks written for PyTorch. It has no
    effect: no operation overwrites its input.

    Raises TypeError if it is not a boolean.
    """

    def __init__(self, inplace: bool = False) -> None:
        if inplace not in (False, True):
            kind = type(self).__name__
            raise TypeError(f"{kind} takes only inplace, which must be True or False, not {inplace!r:.60}")


class ReLU(Elementwise):
    """max(x, 0), the rectified linear unit.

    >>> from autodiff import Tensor, nn
    >>> nn.ReLU()(Tensor([-1.0, 2.0]))
    [0 2]
    """

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return elementary.relu(as_recorded(x))


class LeakyReLU(Module):
    """x where it is positive and ``negative_slope * x`` elsewhere (Maas, Hannun and Ng, "Rectifier
    Nonlinearities Improve Neural Network Acoustic Models", 2013).

    >>> from autodiff import Tensor, nn
    >>> nn.LeakyReLU(0.2)(Tensor([-1.0, 2.0]))
    [-0.2    2]
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        self.negative_slope: float = float(negative_slope)

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return activations.leaky_relu(as_recorded(x), slope=self.negative_slope)

    def extra_repr(self) -> str:
        """The setting ``negative_slope``."""
        return f"negative_slope={self.negative_slope:g}"


class Tanh(Module):
    """The hyperbolic tangent, with values from -1 to 1.

    >>> from autodiff import Tensor, nn
    >>> nn.Tanh()(Tensor([-1000.0, 0.0, 1000.0]))
    [-1  0  1]
    """

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return elementary.tanh(as_recorded(x))


class Sigmoid(Module):
    """The logistic function 1 / (1 + exp(-x)), with values from 0 to 1.

    >>> from autodiff import Tensor, nn
    >>> nn.Sigmoid()(Tensor([-1000.0, 0.0, 1000.0]))
    [  0 0.5   1]
    """

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return elementary.sigmoid(as_recorded(x))


class LogSigmoid(Module):
    """The logarithm of the sigmoid, computed without underflow.

    >>> from autodiff import Tensor, nn
    >>> nn.LogSigmoid()(Tensor([-1000.0, 0.0]))
    [    -1000 -0.693147]
    """

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return activations.logsigmoid(as_recorded(x))


class Softplus(Module):
    """log(1 + exp(beta x)) / beta, a smooth approximation of ReLU; the larger ``beta``, the closer.

    PyTorch returns x above a ``threshold``. That is not needed here: the result is exact everywhere.

    Raises ValueError unless ``beta`` is above 0.

    >>> from autodiff import Tensor, nn
    >>> nn.Softplus()(Tensor([-1000.0, 0.0, 1000.0]))
    [       0 0.693147     1000]
    """

    def __init__(self, beta: float = 1.0) -> None:
        if not beta > 0:
            raise ValueError(f"beta of Softplus must be above 0, not {beta}")
        self.beta: float = float(beta)

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return softplus(x, self.beta)

    def extra_repr(self) -> str:
        """The setting ``beta``."""
        return f"beta={self.beta:g}"


class ELU(Module):
    """x where it is positive and ``alpha * (exp(x) - 1)`` elsewhere (Clevert, Unterthiner and Hochreiter,
    "Fast and Accurate Deep Network Learning by Exponential Linear Units (ELUs)", 2015).

    >>> from autodiff import Tensor, nn
    >>> nn.ELU()(Tensor([-1000.0, 2.0]))
    [-1  2]
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        self.alpha: float = float(alpha)

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return activations.elu(as_recorded(x), alpha=self.alpha)

    def extra_repr(self) -> str:
        """The setting ``alpha``."""
        return f"alpha={self.alpha:g}"


class GELU(Module):
    """x times the standard normal distribution function of x (Hendrycks and Gimpel, "Gaussian Error Linear
    Units", 2016); ``approximate="tanh"`` is faster, with an error of about 0.0005.

    Raises ValueError if ``approximate`` is neither "none" nor "tanh".

    >>> from autodiff import Tensor, nn
    >>> nn.GELU()(Tensor([-1000.0, 1.0, 1000.0]))
    [      -0 0.841345     1000]
    """

    def __init__(self, approximate: str = "none") -> None:
        activations.is_exact(approximate)
        self.approximate = approximate

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return activations.gelu(as_recorded(x), approximate=self.approximate)

    def extra_repr(self) -> str:
        """The setting ``approximate``."""
        return f"approximate={self.approximate!r}"


class SiLU(Elementwise):
    """x sigmoid(x), also called swish (Ramachandran, Zoph and Le, "Searching for Activation Functions",
    2017).

    >>> from autodiff import Tensor, nn
    >>> nn.SiLU()(Tensor([0.0, 1.0]))
    [       0 0.731059]
    """

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return activations.silu(as_recorded(x))


class Softmax(Module):
    """exp(x) / sum(exp(x)) along ``dim``, by default the last axis: positive numbers whose sum is 1.

    A loss of logits, such as ``cross_entropy``, includes it.

    >>> from autodiff import Tensor, nn
    >>> nn.Softmax(dim=-1)(Tensor([1000.0, 1000.0, -1000.0]))
    [0.5 0.5   0]
    """

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: Any) -> Any:
        """``x`` of any shape that has the axis ``dim``."""
        return activations.softmax(as_recorded(x), axis=self.dim)

    def extra_repr(self) -> str:
        """The setting ``dim``."""
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithm of the softmax along ``dim``; ``nll_loss`` takes it as input.

    >>> from autodiff import Tensor, nn
    >>> nn.LogSoftmax(dim=-1)(Tensor([0.0, 0.0, -1000.0]))
    [-0.693147 -0.693147  -1000.69]
    """

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: Any) -> Any:
        """``x`` of any shape that has the axis ``dim``."""
        return activations.log_softmax(as_recorded(x), axis=self.dim)

    def extra_repr(self) -> str:
        """The setting ``dim``."""
        return f"dim={self.dim}"
