"""Recurrent layers over whole sequences: RNN, LSTM, GRU.

Each direction of each layer is one operation; see ``ops/recurrence.py``. A packed batch is split into blocks
with a constant number of sequences, so nothing is computed for padding.
"""

# ruff: noqa: A002 - PyTorch's name for the first argument of a function is input

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from .. import seeding
from ..checks import UP_TO_1, checked_integer, checked_number
from ..engine.operands import as_recorded
from ..engine.tensor import describe, raw
from ..ops import recurrence
from ..ops.joining import concatenate, stack
from ..ops.shaping import expand_dims, reshape, shape_of, squeeze, swapaxes
from . import init
from .checks import check_last_axes, checked_dtype
from .dropout_layers import dropout
from .module import Module
from .packed import PackedSequence, blocks_of, unsorting
from .parameter import Parameter
from .recurrent_cells import checked_nonlinearity, pair_of

States = list[Any]  # the state of each sequence, and for an LSTM its cell


class RNNBase(Module):
    """The base of RNN, LSTM and GRU: it makes the parameters and runs sequences through the layers. A
    subclass sets ``gates`` and ``kinds_of_state`` and implements ``_layer``."""

    gates = 1
    kinds_of_state = 1
    weight_hh_l0: Parameter

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        dtype: Any = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        self.input_size: int = checked_integer("input_size", input_size, self)
        self.hidden_size: int = checked_integer("hidden_size", hidden_size, self)
        self.num_layers: int = checked_integer("num_layers", num_layers, self)
        self.bias: bool = bool(bias)
        self.batch_first: bool = bool(batch_first)
        self.bidirectional: bool = bool(bidirectional)
        self.dropout: float = checked_number("dropout", dropout, UP_TO_1, self)
        if self.dropout and self.num_layers == 1:
            warnings.warn(
                f"dropout={dropout:g} of {type(self).__name__} has no effect: dropout is between layers, and "
                "num_layers is 1",
                stacklevel=2 if type(self).__init__ is RNNBase.__init__ else 3,
            )
        self._generator = None if generator is None else seeding.generator(generator)
        dtype = checked_dtype(dtype, self)
        for suffix, shapes in self._shapes():
            for name, shape in shapes.items():
                setattr(self, f"{name}_{suffix}", Parameter(np.zeros(shape), dtype=dtype))
        self.reset_parameters()

    def _shapes(self) -> list[tuple[str, dict[str, tuple[int, ...]]]]:
        """For each direction of each layer, the suffix of its parameters' names and their shapes."""
        rows, found = self.gates * self.hidden_size, []
        for layer in range(self.num_layers):
            columns = self.hidden_size * (1 + self.bidirectional) if layer else self.input_size
            shapes: dict[str, tuple[int, ...]] = {
                "weight_ih": (rows, columns), "weight_hh": (rows, self.hidden_size)
            }  # fmt: skip
            if self.bias:
                shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
            found += [(f"l{layer}{way}", shapes) for way in ("", "_reverse")[: 1 + self.bidirectional]]
        return found

    def reset_parameters(self) -> None:
        """Draw new weights and biases."""
        bound = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound, generator=self._generator)

    def flatten_parameters(self) -> None:
        """Has no effect. It is here for code that was written for PyTorch."""

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each direction of each layer."""
        return [[vars(self)[f"{name}_{suffix}"] for name in shapes] for suffix, shapes in self._shapes()]

    # -- inputs and outputs ----------------------------------------------------------------------------------

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """The states of the last layer after each step, and the last state of each layer; see the class."""
        if isinstance(input, PackedSequence):
            return self._packed(input, hx)
        x = as_recorded(input)
        is_batch = len(shape_of(x)) == 3
        x = self._steps_first(x)
        states = self._states(hx, shape_of(x)[1], is_batch)
        (output,), last = self._through([x], states)
        if not is_batch:
            return squeeze(output, axis=1), self._returned(squeeze(state, axis=1) for state in last)
        return (swapaxes(output, axis1=0, axis2=1) if self.batch_first else output), self._returned(last)

    def _packed(self, sequence: PackedSequence, hx: Any) -> tuple[PackedSequence, Any]:
        data = as_recorded(sequence.data)
        check_last_axes(data, (self.input_size,), self._title())
        sizes = np.asarray(raw(sequence.batch_sizes))
        order, back = sequence.sorted_indices, unsorting(sequence)
        states = self._states(hx, int(sizes[0]), is_batch=True)
        if order is not None:
            states = [state[:, raw(order)] for state in states]
        blocks, last = self._through(blocks_of(data, sizes), states)
        rows = [reshape(block, shape=(-1, shape_of(block)[-1])) for block in blocks]
        output = sequence._replace(data=concatenate(rows) if len(rows) > 1 else rows[0])
        return output, self._returned(last if back is None else [state[:, back] for state in last])

    def _steps_first(self, x: Any) -> Any:
        """The input in the shape (steps, batch, input_size). Raises ValueError if its shape does not fit."""
        check_last_axes(x, (self.input_size,), self._title())
        shape = shape_of(x)
        if len(shape) not in (2, 3):
            first = "(batch, steps, " if self.batch_first else "(steps, batch, "
            raise ValueError(
                f"{self._title()} takes sequences of shape {first}{self.input_size}), or without a batch "
                f"(steps, {self.input_size}), not {describe(x)}"
            )
        if len(shape) == 2:
            x = expand_dims(x, axis=1)
        elif self.batch_first:
            x = swapaxes(x, axis1=0, axis2=1)
        if not shape_of(x)[0]:
            raise ValueError(f"{self._title()} takes sequences of at least one step, not {describe(x)}")
        return x

    def _states(self, hx: Any, batch: int, is_batch: bool) -> States:
        """The initial states of all layers and directions: ``hx``, or zeros."""
        count = self.num_layers * (1 + self.bidirectional)
        shape = (count, batch, self.hidden_size)
        if hx is None:
            return [np.zeros(shape, self.weight_hh_l0.dtype)] * self.kinds_of_state
        states = [*map(as_recorded, pair_of(hx, self) if self.kinds_of_state == 2 else (hx,))]
        expected = shape if is_batch else (count, self.hidden_size)
        for state in states:
            if shape_of(state) != expected:
                raise ValueError(
                    f"{self._title()} starts from states of shape {expected} (layers and directions, "
                    f"{'batch, ' * is_batch}hidden size), not {describe(state)}"
                )
        return states if is_batch else [expand_dims(state, axis=1) for state in states]

    def _returned(self, states: Any) -> Any:
        """The states as ``forward`` returns them: a pair for an LSTM, else one Tensor."""
        states = tuple(states)
        return states if self.kinds_of_state == 2 else states[0]

    # -- through the layers ----------------------------------------------------------------------------------

    def _through(self, blocks: list[Any], states: States) -> tuple[list[Any], States]:
        """The outputs of the last layer, block by block, and the last states of all layers."""
        last: list[States] = []
        weights = [[*of_layer, 0.0, 0.0][:4] for of_layer in self.all_weights]  # 0 without biases
        for layer in range(self.num_layers):
            if layer and self.dropout:
                blocks = [
                    dropout(block, self.dropout, self.training, generator=self._generator) for block in blocks
                ]
            directions = []
            for is_reverse in (False, True)[: 1 + self.bidirectional]:
                index = len(last)
                before = [state[index] for state in states]
                found, ends = self._along(blocks, before, weights[index], is_reverse)
                directions.append(found)
                last.append(ends)
            blocks = (
                [concatenate(list(both), axis=2) for both in zip(*directions)]
                if len(directions) > 1
                else directions[0]
            )
        return blocks, [stack(list(kind)) for kind in zip(*last)]

    def _along(
        self, blocks: list[Any], states: States, weights: list[Any], is_reverse: bool
    ) -> tuple[list[Any], States]:
        """The outputs of one direction of one layer, block by block, and the last state of each sequence.

        In the forward direction, the batch shrinks where sequences end. In the reverse direction, it starts
        with the longest sequences alone and grows where others begin.
        """
        found, ended, running = [], [], states
        for block in reversed(blocks) if is_reverse else blocks:
            batch, before = shape_of(block)[1], shape_of(running[0])[0]
            if batch > before:
                running = [concatenate([r, s[before:batch]]) for r, s in zip(running, states)]
            elif batch < before:
                ended.append([state[batch:] for state in running])
                running = [state[:batch] for state in running]
            output, running = self._layer(block[::-1] if is_reverse else block, running, *weights)
            found.append(output[::-1] if is_reverse else output)
        if is_reverse:
            return found[::-1], running
        parts = zip(running, *reversed(ended))
        return found, [concatenate(list(kind)) for kind in parts] if ended else running

    def _layer(self, x: Any, states: States, *weights: Any) -> tuple[Any, States]:
        """The states after each step, and the last states, by the operation of the layer."""
        raise NotImplementedError

    def extra_repr(self) -> str:
        """The sizes, and the settings that differ from their defaults."""
        defaults = {
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0.0,
            "bidirectional": False,
        }
        changed = [
            f"{name}={getattr(self, name)}"
            for name, value in defaults.items()
            if getattr(self, name) != value
        ]
        return ", ".join([f"{self.input_size}, {self.hidden_size}", *changed])


class RNN(RNNBase):
    """Simple recurrent layers (Elman, 1990). Each state is computed from the input and the previous state:
    ``h = tanh(x @ weight_ih.T + bias_ih + h @ weight_hh.T + bias_hh)``.

    Called as ``output, h_n = rnn(input, h_0)``. ``output`` holds the states of the last layer after each
    step, ``h_n`` the last state of each layer and direction.

    ``input`` has the shape (steps, batch, input_size), or (steps, input_size) without a batch, or is a
    :class:`~autodiff.nn.utils.rnn.PackedSequence`. ``h_0`` has the shape (layers * directions, batch,
    hidden_size), without a batch (layers * directions, hidden_size); None for zeros.

    Parameters
    ----------
    input_size, hidden_size
        The number of features of an input, and of a state.
    num_layers
        The number of stacked layers. Each layer's input is the output of the layer below.
    nonlinearity
        "tanh" or "relu".
    bias
        False leaves both biases out.
    batch_first
        True for inputs and outputs of shape (batch, steps, size) instead of (steps, batch, size). It does not
        change the shape of the states.
    dropout
        The probability of dropping an element between layers, in training.
    bidirectional
        True adds a second set of weights that runs from the last step to the first. The output is the
        concatenation of both states.
    dtype
        Of the parameters: float32, or another kind of float.
    generator
        A ``numpy.random.Generator`` or a seed, for the parameters and for dropout; None uses the package's
        generator. Parameters are drawn uniformly between ±1/sqrt(hidden_size), as in PyTorch.

    Attributes
    ----------
    weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0
        The parameters of the first layer, of shapes (hidden_size, input_size), (hidden_size, hidden_size) and
        twice (hidden_size,). The names of the next layer end in ``_l1``, those of the reverse direction in
        ``_reverse``.

    Raises
    ------
    ValueError
        At the call, if the shape of the input or of the state does not fit.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> rnn = nn.RNN(3, 4, num_layers=2)
    >>> output, h_n = rnn(Tensor(np.ones((5, 2, 3))))
    >>> output.shape, h_n.shape
    ((5, 2, 4), (2, 2, 4))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        *,
        dtype: Any = None,
        generator: np.random.Generator | int | None = None,
    ) -> None:
        self.nonlinearity: str = checked_nonlinearity(nonlinearity, self)
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, dtype=dtype,
            generator=generator,
        )  # fmt: skip

    def _layer(self, x: Any, states: States, *weights: Any) -> tuple[Any, States]:
        output = recurrence.rnn(x, *states, *weights, nonlinearity=self.nonlinearity)
        return output, [output[-1]]

    def extra_repr(self) -> str:
        """The sizes, and the settings that differ from their defaults."""
        return super().extra_repr() + f", nonlinearity={self.nonlinearity}" * (self.nonlinearity != "tanh")


class LSTM(RNNBase):
    """Layers of long short-term memory (Hochreiter and Schmidhuber, 1997; Gers, Schmidhuber and Cummins,
    2000). :class:`LSTMCell` shows what each step computes.

    Called as ``output, (h_n, c_n) = lstm(input, (h_0, c_0))``. ``output`` holds the states of the last layer
    after each step, ``h_n`` and ``c_n`` the last state and the last cell of each layer and direction.

    Parameters
    ----------
    input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, dtype, generator
        As for :class:`RNN`. There is no ``proj_size``.

    Attributes
    ----------
    weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0
        As those of :class:`RNN`, with the rows of the gates i, f, g, o one below the other.

    Raises
    ------
    TypeError, ValueError
        At the call, if a shape does not fit, or ``(h_0, c_0)`` is not a pair.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> lstm = nn.LSTM(3, 4, bidirectional=True)
    >>> output, (h_n, c_n) = lstm(Tensor(np.ones((5, 2, 3))))
    >>> output.shape, h_n.shape, c_n.shape
    ((5, 2, 8), (2, 2, 4), (2, 2, 4))
    """

    gates = 4
    kinds_of_state = 2

    def _layer(self, x: Any, states: States, *weights: Any) -> tuple[Any, States]:
        sequences = recurrence.lstm(x, *states, *weights)
        output = sequences[0]
        return output, [output[-1], sequences[1, -1]]


class GRU(RNNBase):
    """Layers of gated recurrent units (Cho et al., 2014). :class:`GRUCell` shows what each step computes.

    Called as ``output, h_n = gru(input, h_0)``, like :class:`RNN`.

    Parameters
    ----------
    input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, dtype, generator
        As for :class:`RNN`.

    Attributes
    ----------
    weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0
        As those of :class:`RNN`, with the rows of the gates r, z, n one below the other.

    Raises
    ------
    ValueError
        At the call, if the shape of the input or of the state does not fit.

    Example
    -------
    >>> import numpy as np
    >>> from autodiff import Tensor, nn
    >>> gru = nn.GRU(3, 4, batch_first=True)
    >>> output, h_n = gru(Tensor(np.ones((2, 5, 3))))
    >>> output.shape, h_n.shape
    ((2, 5, 4), (1, 2, 4))
    """

    gates = 3

    def _layer(self, x: Any, states: States, *weights: Any) -> tuple[Any, States]:
        output = recurrence.gru(x, *states, *weights)[0]
        return output, [output[-1]]
