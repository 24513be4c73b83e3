"""RNNCell, LSTMCell and GRUCell: one step of a recurrent network, composed of basic operations.

The layers in ``recurrent.py`` compute the same for a whole sequence in one operation. Loop over a cell in
networks that do something else between the steps.
"""

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import seeding
from ..checks import checked_integer
from ..engine.operands import as_recorded
from ..engine.tensor import describe
from ..ops.elementary import relu, sigmoid, tanh
from ..ops.joining import split
from ..ops.shaping import shape_of
from . import init
from .checks import check_last_axes, checked_dtype
from .linear_layers import linear
from .module import Module
from .parameter import Parameter


class RNNCellBase(Module):
    """The base of the cells: it makes the parameters and checks the inputs."""

    gates = 1
    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        *,
        dtype: Any = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        self.input_size: int = checked_integer("input_size", input_size, self)
        self.hidden_size: int = checked_integer("hidden_size", hidden_size, self)
        self._generator = None if generator is None else seeding.generator(generator)
        dtype, rows = checked_dtype(dtype, self), self.gates * self.hidden_size
        self.weight_ih = Parameter(np.zeros((rows, self.input_size)), dtype=dtype)
        self.weight_hh = Parameter(np.zeros((rows, self.hidden_size)), dtype=dtype)
        self.bias_ih = Parameter(np.zeros(rows), dtype=dtype) if bias else None
        self.bias_hh = Parameter(np.zeros(rows), dtype=dtype) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new weights and biases."""
        bound = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound, generator=self._generator)

    def _checked(self, input: Any, *states: Any) -> tuple[Any, ...]:
        """The input and the previous states, which are zeros unless given."""
        x = as_recorded(input)
        check_last_axes(x, (self.input_size,), self._title())
        if len(shape_of(x)) > 2:
            raise ValueError(
                f"{self._title()} takes one step, of shape (batch, {self.input_size}) or "
                f"({self.input_size},), not {describe(x)}; {type(self).__name__[:-4]} takes a sequence"
            )
        shape = (*shape_of(x)[:-1], self.hidden_size)
        before = [np.zeros(shape, self.weight_hh.dtype) if s is None else as_recorded(s) for s in states]
        for state in before:
            if shape_of(state) != shape:
                raise ValueError(
                    f"the state of {self._title()} must have the shape {shape}, not {describe(state)}"
                )
        return (x, *before)

    def _products(self, x: Any, h: Any) -> tuple[Any, Any]:
        """The linear functions of the input and of the state: (batch, gates * hidden_size)."""
        return linear(x, self.weight_ih, self.bias_ih), linear(h, self.weight_hh, self.bias_hh)

    def extra_repr(self) -> str:
        """The sizes, and ``bias=False`` if there are no biases."""
        return f"{self.input_size}, {self.hidden_size}" + ", bias=False" * (self.bias_ih is None)


class RNNCell(RNNCellBase):
    """One step of a simple recurrent network (Elman, 1990):
    ``h = tanh(x @ weight_ih.T + bias_ih + h @ weight_hh.T + bias_hh)``.

    Parameters
    ----------
    input_size, hidden_size
        The number of features of the input, and of the state.
    bias
        False leaves both biases out.
    nonlinearity
        "tanh" or "relu".
    dtype
        Of the parameters: float32, or another kind of float.
    generator
        A ``numpy.random.Generator`` or a seed; None uses the package's generator. Parameters are drawn
        uniformly between ±1/sqrt(hidden_size), as in PyTorch.

    Attributes
    ----------
    weight_ih, weight_hh, bias_ih, bias_hh
        Parameters of shape (hidden_size, input_size), (hidden_size, hidden_size) and twice (hidden_size,).

    Raises
    ------
    ValueError
        At the call, if the shape of the input or of the state does not fit.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> cell, h = nn.RNNCell(3, 2), None
    >>> for x in Tensor([[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]]):
    ...     h = cell(x, h)
    >>> h.shape
    (1, 2)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        *,
        dtype: Any = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        self.nonlinearity: str = checked_nonlinearity(nonlinearity, self)
        super().__init__(input_size, hidden_size, bias, dtype=dtype, generator=generator)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next state, (batch, hidden_size), from an input (batch, input_size) and the previous state."""
        a, b = self._products(*self._checked(input, hx))
        return tanh(a + b) if self.nonlinearity == "tanh" else relu(a + b)

    def extra_repr(self) -> str:
        """The sizes, and the settings that differ from their defaults."""
        return super().extra_repr() + f", nonlinearity={self.nonlinearity}" * (self.nonlinearity != "tanh")


class LSTMCell(RNNCellBase):
    """One step of long short-term memory (Hochreiter and Schmidhuber, 1997; Gers, Schmidhuber and Cummins,
    2000): ``c = sigmoid(f) * c + sigmoid(i) * tanh(g)`` and ``h = sigmoid(o) * tanh(c)``.

    The cell passes from step to step by one product and one sum only, so its gradient need not vanish.

    Parameters
    ----------
    input_size, hidden_size, bias, dtype, generator
        As for :class:`RNNCell`.

    Attributes
    ----------
    weight_ih, weight_hh, bias_ih, bias_hh
        Parameters of shape (4 * hidden_size, input_size), (4 * hidden_size, hidden_size) and twice
        (4 * hidden_size,): the gates i, f, g, o one below the other.

    Raises
    ------
    ValueError
        At the call, if the shape of the input, the state or the cell does not fit.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> cell, state = nn.LSTMCell(3, 2), None
    >>> for x in Tensor([[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]]):
    ...     state = cell(x, state)
    >>> h, c = state
    >>> h.shape, c.shape
    ((1, 2), (1, 2))
    """

    gates = 4

    def forward(self, input: Any, hx: tuple[Any, Any] | None = None) -> tuple[Any, Any]:
        """The next state and cell, both (batch, hidden_size), from an input (batch, input_size) and the pair
        before."""
        x, h, c = self._checked(input, *(pair_of(hx, self) if hx is not None else (None, None)))
        a, b = self._products(x, h)
        i, f, g, o = split(a + b, 4, axis=-1)
        c = sigmoid(f) * c + sigmoid(i) * tanh(g)
        return sigmoid(o) * tanh(c), c


class GRUCell(RNNCellBase):
    """One step of gated recurrent units (Cho et al., 2014): ``h = (1 - z) * n + z * h`` with the gates
    ``r = sigmoid(a_r + b_r)``, ``z = sigmoid(a_z + b_z)`` and the new state ``n = tanh(a_n + r * b_n)``,
    where a comes from the input and b from the state.

    Parameters
    ----------
    input_size, hidden_size, bias, dtype, generator
        As for :class:`RNNCell`.

    Attributes
    ----------
    weight_ih, weight_hh, bias_ih, bias_hh
        Parameters of shape (3 * hidden_size, input_size), (3 * hidden_size, hidden_size) and twice
        (3 * hidden_size,): the gates r, z, n one below the other.

    Raises
    ------
    ValueError
        At the call, if the shape of the input or of the state does not fit.

    Example
    -------
    >>> from autodiff import Tensor, nn
    >>> nn.GRUCell(3, 2)(Tensor([[1.0, 2.0, 3.0]])).shape
    (1, 2)
    """

    gates = 3

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next state, (batch, hidden_size), from an input (batch, input_size) and the previous state."""
        x, h = self._checked(input, hx)
        (a_r, a_z, a_n), (b_r, b_z, b_n) = (split(part, 3, axis=-1) for part in self._products(x, h))
        r, z = sigmoid(a_r + b_r), sigmoid(a_z + b_z)
        n = tanh(a_n + r * b_n)
        return (1 - z) * n + z * h


def checked_nonlinearity(nonlinearity: Any, owner: object) -> str:
    """The nonlinearity of a simple recurrent network. Raises ValueError if it is neither tanh nor relu."""
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(
            f"nonlinearity of {type(owner).__name__} must be 'tanh' or 'relu', not {nonlinearity!r:.60}"
        )
    return str(nonlinearity)


def pair_of(hx: Any, owner: Module) -> tuple[Any, Any]:
    """The state and the cell of an LSTM. Raises TypeError unless they are a pair."""
    if not isinstance(hx, (tuple, list)) or len(hx) != 2:
        raise TypeError(f"{owner._title()} starts from a pair (state, cell), not {describe(hx)}")
    return hx[0], hx[1]
