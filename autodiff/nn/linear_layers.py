"""Linear: every output is a weighted sum of all inputs. Dense takes the number of inputs from its first
input. The function ``linear`` computes the same as the layer."""

# ruff: noqa: A001, A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import seeding
from ..checks import checked_integer
from ..engine import locking
from ..engine.operands import as_recorded
from ..engine.tensor import describe
from ..ops import linalg
from ..ops.shaping import shape_of, transpose
from . import init
from .checks import check_last_axes, checked_dtype
from .module import Module
from .parameter import Parameter


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """``input @ weight.T + bias``, the function of a :class:`~autodiff.nn.Linear` layer.

    Parameters
    ----------
    input
        Of shape (..., in_features).
    weight, bias
        Of shape (out_features, in_features) and (out_features,); None for no bias.

    Raises
    ------
    ValueError
        If the last axes of input and weight have different sizes.

    Example
    -------
    >>> from autodiff.nn import functional as F
    >>> F.linear([[1.0, 2.0]], [[1.0, 1.0], [0.0, 1.0]], [10.0, 20.0])
    array([[13., 22.]])
    """
    input, weight = as_recorded(input), as_recorded(weight)
    if bias is None:
        return input @ transpose(weight)
    return linalg.linear(input, weight, as_recorded(bias))  # product and sum as one operation, for speed


class Linear(Module):
    """A linear layer, also called dense or fully connected: ``x @ weight.T + bias``.

    Parameters
    ----------
    in_features, out_features
        The sizes of the last axis of input and output. With None, ``in_features`` is taken from the first
        input, as in :class:`Dense`.
    bias
        False omits the bias.
    dtype
        The float dtype of weight and bias, float32 by default.
    generator
        A ``numpy.random.Generator`` or a seed; None uses the package's generator, see ``ad.seed``. Weight and
        bias are drawn uniformly between ±1/sqrt(in_features), as in PyTorch.

    Attributes
    ----------
    weight, bias
        Parameters of shape (out_features, in_features) and (out_features,).

    Raises
    ------
    ValueError
        At the call, if the size of the input's last axis is not ``in_features``. The other axes are free.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> layer = nn.Linear(3, 2)
    >>> layer
    Linear(in_features=3, out_features=2)  # weight (2, 3), bias (2,): 8 parameters
    >>> layer(Tensor([[1.0, 2.0, 3.0]])).shape
    (1, 2)
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_features: int | None,
        out_features: int,
        bias: bool = True,
        *,
        dtype: Any = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        self.in_features = None if in_features is None else checked_integer("in_features", in_features, self)
        self.out_features: int = checked_integer("out_features", out_features, self)
        self._generator = None if generator is None else seeding.generator(generator)
        dtype = checked_dtype(dtype, self)
        self.weight = Parameter(np.zeros((self.out_features, self.in_features or 0)), dtype=dtype)
        self.bias = Parameter(np.zeros(self.out_features), dtype=dtype) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights and biases."""
        if self.in_features is not None:
            self._draw_parameters(self.in_features)

    def _draw_parameters(self, in_features: int) -> None:
        bound = 1 / math.sqrt(in_features)
        init.uniform_(self.weight, -bound, bound, generator=self._generator)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound, generator=self._generator)

    def forward(self, x: Any) -> Any:
        """``x`` of shape (..., in_features) gives (..., out_features)."""
        x = as_recorded(x)
        shape = shape_of(x)
        if self.in_features is None:
            self._build(x, shape)
        check_last_axes(x, (self.in_features or 0,), self._title())
        return linear(x, self.weight, self.bias)

    def _build(self, x: Any, shape: tuple[int, ...]) -> None:
        if not shape or not shape[-1]:
            raise ValueError(f"{self._title()} takes inputs with a last axis, not {describe(x)}")
        with locking.shared:
            if self.in_features is None:  # no other thread has set it meanwhile
                self.weight._value = np.zeros((self.out_features, shape[-1]), self.weight.dtype)
                self._draw_parameters(shape[-1])
                self.in_features = shape[-1]  # last, since other threads check it

    def _set_in_features(self, in_features: int) -> None:
        """Set the number of inputs. The weight stays the same object, which an optimizer may already hold."""
        self.in_features = in_features
        self.weight._value = np.zeros((self.out_features, in_features), self.weight.dtype)

    def _shape_for(self, name: str, saved: tuple[int, ...]) -> tuple[int, ...]:
        if name == "weight" and self.in_features is None and len(saved) == 2:
            return self.out_features, saved[1]
        return super()._shape_for(name, saved)

    def _load(self, name: str, value: np.ndarray) -> None:
        if name == "weight" and self.in_features is None and value.size:
            self._set_in_features(value.shape[1])
        super()._load(name, value)

    def extra_repr(self) -> str:
        """The sizes, and ``bias=False`` if there is no bias."""
        inputs = "" if self.in_features is None else f"in_features={self.in_features}, "
        return f"{inputs}out_features={self.out_features}" + ", bias=False" * (self.bias is None)


class Dense(Linear):
    """A :class:`Linear` that takes ``in_features`` from its first input; PyTorch calls it ``LazyLinear``.

    Until then its weight is empty, of shape (out_features, 0), and its bias zero. The Parameters stay the
    same objects, so an optimizer can be created before the first call. ``load_state_dict`` builds the layer
    too.

    Parameters
    ----------
    out_features, bias, dtype, generator
        As for :class:`Linear`. Weight and bias are drawn at the first call.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> layer = nn.Dense(2)
    >>> layer.weight.shape
    (2, 0)
    >>> layer(Tensor([[1.0, 2.0, 3.0]])).shape, layer.weight.shape
    ((1, 2), (2, 3))
    """

    def __init__(
        self,
        out_features: int,
        bias: bool = True,
        *,
        dtype: Any = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        super().__init__(None, out_features, bias, dtype=dtype, generator=generator)


LazyLinear = Dense
