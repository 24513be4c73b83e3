"""Less common activations as modules: SELU, CELU, Mish, Softsign, PReLU, GLU, Softmin, and the piecewise
linear ones. They call the functions in ``activation_functions.py``, and these the operations in
``ops/rectifiers.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import checked_integer
from ..engine.operands import as_recorded
from . import activation_functions as functions
from .activations import Elementwise
from .checks import checked_dtype
from .module import Module
from .parameter import Parameter


class SELU(Elementwise):
    """The scaled exponential linear unit, whose constants keep mean 0 and variance 1 from layer to layer
    (Klambauer et al., "Self-Normalizing Neural Networks", 2017).

    >>> from autodiff import Tensor, nn
    >>> nn.SELU()(Tensor([-1000.0, 1.0]))
    [-1.7581  1.0507]
    """

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return functions.selu(as_recorded(x))


class CELU(Module):
    """x where it is positive and ``alpha * (exp(x / alpha) - 1)`` elsewhere (Barron, "Continuously
    Differentiable Exponential Linear Units", 2017).

    Raises ValueError unless ``alpha`` is above 0.

    >>> from autodiff import Tensor, nn
    >>> nn.CELU(alpha=2.0)(Tensor([-1000.0, 1.0]))
    [-2  1]
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        if not alpha > 0:
            raise ValueError(f"alpha of CELU must be above 0, not {alpha}")
        self.alpha: float = float(alpha)

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return functions.celu(x, self.alpha)

    def extra_repr(self) -> str:
        """The setting ``alpha``."""
        return f"alpha={self.alpha:g}"


class Mish(Elementwise):
    """x tanh(softplus(x)) (Misra, "Mish: A Self Regularized Non-Monotonic Activation Function", 2019).

    >>> from autodiff import Tensor, nn
    >>> nn.Mish()(Tensor([0.0, 1.0]))
    [       0 0.865098]
    """

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return functions.mish(as_recorded(x))


class Softsign(Module):
    """x / (1 + abs(x)), with values from -1 to 1 (Turian, Bergstra and Bengio, "Quadratic Features and Deep
    Architectures for Chunking", 2009).

    >>> from autodiff import Tensor, nn
    >>> nn.Softsign()(Tensor([-1.0, 3.0]))
    [-0.5 0.75]
    """

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return functions.softsign(as_recorded(x))


class ReLU6(Elementwise):
    """x limited to the range from 0 to 6 (Krizhevsky, "Convolutional Deep Belief Networks on CIFAR-10",
    2010).

    >>> from autodiff import Tensor, nn
    >>> nn.ReLU6()(Tensor([-1.0, 2.0, 7.0]))
    [0 2 6]
    """

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return functions.relu6(x)


class Hardtanh(Module):
    """x limited to the range from ``min_val`` to ``max_val``.

    Raises ValueError unless ``min_val`` is below ``max_val``.

    >>> from autodiff import Tensor, nn
    >>> nn.Hardtanh(-2.0, 2.0)(Tensor([-3.0, 0.5]))
    [ -2 0.5]
    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        if not min_val < max_val:
            raise ValueError(f"min_val of Hardtanh must be below max_val {max_val}, not {min_val}")
        self.min_val: float = float(min_val)
        self.max_val: float = float(max_val)

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return functions.hardtanh(x, self.min_val, self.max_val)

    def extra_repr(self) -> str:
        """The settings ``min_val`` and ``max_val``."""
        return f"min_val={self.min_val:g}, max_val={self.max_val:g}"


class Hardsigmoid(Elementwise):
    """A piecewise linear sigmoid: 0 up to -3, x/6 + 1/2 in between, 1 from 3 on.

    >>> from autodiff import Tensor, nn
    >>> nn.Hardsigmoid()(Tensor([-4.0, 0.0, 1.5]))
    [   0  0.5 0.75]
    """

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return functions.hardsigmoid(as_recorded(x))


class Hardswish(Elementwise):
    """x hardsigmoid(x) (Howard et al., "Searching for MobileNetV3", 2019).

    >>> from autodiff import Tensor, nn
    >>> nn.Hardswish()(Tensor([-1.5, 3.0]))
    [-0.375      3]
    """

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return functions.hardswish(as_recorded(x))


class Threshold(Module):
    """x where it is above ``threshold`` and ``value`` elsewhere.

    >>> from autodiff import Tensor, nn
    >>> nn.Threshold(0.5, 20.0)(Tensor([-2.0, 3.0]))
    [20  3]
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        self.threshold: float = float(threshold)
        self.value: float = float(value)

    def forward(self, x: Any) -> Any:
        """``x`` of any shape."""
        return functions.threshold(x, self.threshold, self.value)

    def extra_repr(self) -> str:
        """The settings ``threshold`` and ``value``."""
        return f"threshold={self.threshold:g}, value={self.value:g}"


class PReLU(Module):
    """x where it is positive and ``weight * x`` elsewhere, with a learned weight (He et al., "Delving Deep
    into Rectifiers", 2015).

    Parameters
    ----------
    num_parameters
        1 for a single weight, or the number of channels C for inputs of shape (N, C, ...).
    init
        The initial value of the weights.
    dtype
        The float dtype of the weights, float32 by default.

    Attributes
    ----------
    weight
        A Parameter of shape (num_parameters,). Exclude it from weight decay, which would pull it towards
        ReLU.

    Raises
    ------
    ValueError
        At the call, if there are several weights and the number of channels differs.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> layer = nn.PReLU()
    >>> layer(Tensor([-1.0, 2.0]))
    [-0.25     2]
    """

    weight: Parameter

    def __init__(self, num_parameters: int = 1, init: float = 0.25, *, dtype: Any = None) -> None:
        self.num_parameters: int = checked_integer("num_parameters", num_parameters, self)
        self.init: float = float(init)
        self.weight = Parameter(np.full(self.num_parameters, self.init), dtype=checked_dtype(dtype, self))

    def forward(self, x: Any) -> Any:
        """``x`` of any shape, or of shape (N, C, ...)."""
        return functions.prelu(x, self.weight)

    def extra_repr(self) -> str:
        """The setting ``num_parameters``."""
        return f"num_parameters={self.num_parameters}"


class GLU(Module):
    """The gated linear unit: the first half along ``dim`` times the sigmoid of the second half (Dauphin et
    al., "Language Modeling with Gated Convolutional Networks", 2017).

    Raises ValueError at the call if the size of the axis is odd.

    >>> from autodiff import Tensor, nn
    >>> nn.GLU()(Tensor([[2.0, 4.0, 0.0, 1000.0]]))
    [[1 4]]
    """

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: Any) -> Any:
        """``x`` of any shape that has the axis ``dim``."""
        return functions.glu(x, self.dim)

    def extra_repr(self) -> str:
        """The setting ``dim``."""
        return f"dim={self.dim}"


class Softmin(Module):
    """The softmax of -x along ``dim``, by default the last axis.

    >>> from autodiff import Tensor, nn
    >>> nn.Softmin()(Tensor([-1000.0, 1000.0]))
    [1 0]
    """

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: Any) -> Any:
        """``x`` of any shape that has the axis ``dim``."""
        return functions.softmin(x, self.dim)

    def extra_repr(self) -> str:
        """The setting ``dim``."""
        return f"dim={self.dim}"
