"""Recurrent layers over whole sequences, each one operation: rnn, lstm, gru.

Each step needs the state before it, so the loop over the steps contains only the product with that state and
the gates. The products with the inputs and the gradients of the weights are computed for all steps at once.
The results of lstm and gru include the gates, so their rules do not compute them again.

The rules are backpropagation through time (P. Werbos, "Backpropagation through time: what it does and how to
do it", 1990): one loop from the last step to the first. Like all rules they consist of operations, so that
they can be differentiated again.

Weights have PyTorch's layout: one row per output, and the rows of the gates one below the other. Within a
loop, arrays have the shape (gates, batch, hidden), so that each gate is contiguous.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.operation import operation
from .elementary import tanh
from .joining import concatenate
from .linalg import as_rows, mT
from .shaping import broadcast_to, reshape, shape_of

NONLINEARITIES: dict[str, Any] = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0)}


@operation(precision="single")
def rnn(
    x: Any, h: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any, *, nonlinearity: str = "tanh"
) -> Any:
    """The states of a simple recurrent layer (Elman, 1990) after each step:
    ``h = tanh(x @ weight_ih.T + bias_ih + h @ weight_hh.T + bias_hh)``.

    Shapes: ``x`` (steps, batch, inputs); ``h``, the state before the first step, (batch, hidden); the weights
    (hidden, inputs) and (hidden, hidden); the biases (hidden,). The result has the shape (steps, batch,
    hidden). The state and the biases may be numbers. ``nonlinearity`` is "tanh" or "relu". Raises ValueError
    for another nonlinearity and for shapes that do not fit.

    >>> import autodiff as ad
    >>> ad.rnn(ad.Tensor([[[1.0]], [[0.0]]]), 0.0, [[0.5]], [[2.0]], 0.0, 0.0).reshape(-1)
    [0.462117 0.727894]
    """
    if nonlinearity not in NONLINEARITIES:
        raise ValueError(f"nonlinearity must be 'tanh' or 'relu', not {nonlinearity!r}")
    check_shapes(1, x, h, weight_ih, weight_hh, bias_ih, bias_hh)
    dtype = np.result_type(x, h, weight_ih, weight_hh, bias_ih, bias_hh)
    (z,), (weight,) = input_products(x, weight_ih, 1, dtype), transposed_copy(weight_hh, 1)
    z += bias_ih + bias_hh
    h = np.broadcast_to(h, z.shape[1:])
    for row in z:
        h = row[...] = NONLINEARITIES[nonlinearity](row + h @ weight)
    return z


def rnn_rule(
    grad: Any, z: Any, x: Any, h: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any,
    wanted: Sequence[bool], nonlinearity: str = "tanh",
) -> list[Any]:  # fmt: skip
    """The gradient of each state is its own plus what the next step passes back."""
    passed_back, steps = np.zeros(z.shape[1:], z.dtype), []
    for state, own in zip(z[::-1], grad[::-1]):
        slope = 1 - state * state if nonlinearity == "tanh" else state > 0
        da = slope * (own + passed_back)
        passed_back = da @ weight_hh
        steps.append(da)
    rows = in_order(steps, weight_hh)
    by_x, *others = contributions(rows, rows, x, h, z, weight_ih, wanted)
    return [by_x, passed_back, *others]


rnn.backward(joint=rnn_rule)


@operation(precision="single")
def lstm(x: Any, h: Any, c: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any) -> Any:
    """A layer of long short-term memory (Hochreiter and Schmidhuber, 1997; forget gate by Gers, Schmidhuber
    and Cummins, 2000): ``states, cells, i, f, g, o = lstm(...)``, each after every step.

    ``a = x @ weight_ih.T + bias_ih + h @ weight_hh.T + bias_hh`` is split into four. The gates are
    ``i = sigmoid(a_i)``, ``f = sigmoid(a_f)``, ``g = tanh(a_g)`` and ``o = sigmoid(a_o)``; the cell is
    ``c = f * c + i * g``; the state is ``h = o * tanh(c)``.

    Shapes: ``x`` (steps, batch, inputs); ``h`` and ``c``, the state and the cell before the first step,
    (batch, hidden); the weights (4 hidden, inputs) and (4 hidden, hidden) and the biases (4 hidden,), with
    the rows of i, f, g, o in this order. The result has the shape (6, steps, batch, hidden). The state, the
    cell and the biases may be numbers. Raises ValueError for shapes that do not fit.

    >>> import autodiff as ad
    >>> states, cells, *gates = ad.lstm(ad.Tensor([[[1.0]]]), 0.0, 2.0, [[0.0]] * 4, [[0.0]] * 4, 0.0, 0.0)
    >>> cells.item(), round(states.item(), 4)  # 0.5 * 2 and 0.5 * tanh(1)
    (1.0, 0.3808)
    """
    check_shapes(4, x, h, weight_ih, weight_hh, bias_ih, bias_hh, c)
    dtype = np.result_type(x, h, c, weight_ih, weight_hh, bias_ih, bias_hh)
    inputs, weight = input_products(x, weight_ih, 4, dtype), transposed_copy(weight_hh, 4)
    z, bias = np.empty_like(inputs, shape=(6, *inputs.shape[1:])), split_bias(bias_ih + bias_hh, 4)
    h = np.broadcast_to(h, z.shape[2:])
    for t in range(len(x)):
        a = inputs[:, t] + h @ weight + bias
        gates = 1 / (1 + np.exp(-a))
        gates[2] = np.tanh(a[2])
        i, f, g, o = z[2:, t] = gates
        c = z[1, t] = f * c + i * g
        h = z[0, t] = o * np.tanh(c)
    return z


def lstm_rule(
    grad: Any, z: Any, x: Any, h: Any, c: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any,
    wanted: Sequence[bool],
) -> list[Any]:  # fmt: skip
    """The gradient of a state comes from the result and from the next step's gates; that of a cell from the
    result, its state and the next cell."""
    states, cells = z[0], z[1]
    h_back = c_back = np.zeros(states.shape[1:], states.dtype)
    steps = []
    for t in reversed(range(len(states))):
        i, f, g, o = gates = z[2:, t]
        grad_h, grad_c, grad_i, grad_f, grad_g, grad_o = grad[:, t]
        tanh_c, slope = tanh(cells[t]), gates * (1 - gates)
        dh = grad_h + h_back
        dc = grad_c + c_back + dh * o * (1 - tanh_c * tanh_c)
        di, df = grad_i + dc * g, grad_f + dc * before(c, cells, t)
        dg, do = grad_g + dc * i, grad_o + dh * tanh_c
        da = concatenate([di * slope[0], df * slope[1], dg * (1 - g * g), do * slope[3]], axis=1)
        h_back, c_back = da @ weight_hh, dc * f
        steps.append(da)
    rows = in_order(steps, weight_hh)
    by_x, *others = contributions(rows, rows, x, h, states, weight_ih, wanted)
    return [by_x, h_back, c_back, *others]


lstm.backward(joint=lstm_rule)


@operation(precision="single")
def gru(x: Any, h: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any) -> Any:
    """A layer of gated recurrent units (Cho et al., 2014): ``states, r, z, n, m = gru(...)``, each after
    every step.

    ``a = x @ weight_ih.T + bias_ih`` and ``b = h @ weight_hh.T + bias_hh`` are each split into three. The
    gates are ``r = sigmoid(a_r + b_r)`` and ``z = sigmoid(a_z + b_z)``; the candidate is
    ``n = tanh(a_n + r * m)`` with ``m = b_n``; the state is ``h = (1 - z) * n + z * h``. (This is PyTorch's
    form. In the paper, r multiplies h before the product with the weight.)

    Shapes: ``x`` (steps, batch, inputs); ``h``, the state before the first step, (batch, hidden); the weights
    (3 hidden, inputs) and (3 hidden, hidden) and the biases (3 hidden,), with the rows of r, z, n in this
    order. The result has the shape (5, steps, batch, hidden). The state and the biases may be numbers. Raises
    ValueError for shapes that do not fit.

    >>> import autodiff as ad
    >>> states, *gates = ad.gru(ad.Tensor([[[1.0]], [[0.0]]]), 0.5, [[0.0]] * 3, [[0.0]] * 3, 0.0, 0.0)
    >>> states.reshape(-1)
    [ 0.25 0.125]
    """
    check_shapes(3, x, h, weight_ih, weight_hh, bias_ih, bias_hh)
    dtype = np.result_type(x, h, weight_ih, weight_hh, bias_ih, bias_hh)
    inputs, weight = input_products(x, weight_ih, 3, dtype), transposed_copy(weight_hh, 3)
    bias_ih, bias_hh = split_bias(bias_ih, 3), split_bias(bias_hh, 3)
    y = np.empty_like(inputs, shape=(5, *inputs.shape[1:]))
    h = np.broadcast_to(h, y.shape[2:])
    for t in range(len(x)):
        a, b = inputs[:, t] + bias_ih, h @ weight + bias_hh
        r, z = y[1:3, t] = 1 / (1 + np.exp(-a[:2] - b[:2]))
        m = y[4, t] = b[2]
        n = y[3, t] = np.tanh(a[2] + r * m)
        h = y[0, t] = (1 - z) * n + z * h
    return y


def gru_rule(
    grad: Any, y: Any, x: Any, h: Any, weight_ih: Any, weight_hh: Any, bias_ih: Any, bias_hh: Any,
    wanted: Sequence[bool],
) -> list[Any]:  # fmt: skip
    """The gradient of a state comes from the result, from the next step's gates, and from the next state,
    which keeps a part of it."""
    states = y[0]
    h_back, a_steps, b_steps = np.zeros(states.shape[1:], states.dtype), [], []
    for t in reversed(range(len(states))):
        _, r, z, n, m = y[:, t]
        grad_h, grad_r, grad_z, grad_n, grad_m = grad[:, t]
        dh = grad_h + h_back
        dn = (grad_n + dh * (1 - z)) * (1 - n * n)
        dr = (grad_r + dn * m) * r * (1 - r)
        dz = (grad_z + dh * (before(h, states, t) - n)) * z * (1 - z)
        db = concatenate([dr, dz, grad_m + dn * r], axis=1)
        h_back = dh * z + db @ weight_hh
        a_steps.append(concatenate([dr, dz, dn], axis=1))
        b_steps.append(db)
    da, db = in_order(a_steps, weight_hh), in_order(b_steps, weight_hh)
    by_x, *others = contributions(da, db, x, h, states, weight_ih, wanted)
    return [by_x, h_back, *others]


gru.backward(joint=gru_rule)


# -- shared by the three -------------------------------------------------------------------------------------


def split_weight(weight: Any, gates: int) -> Any:
    """The weight of each gate: (gates, hidden, inputs)."""
    rows, columns = weight.shape
    return reshape(weight, shape=(gates, rows // gates, columns))


def split_bias(bias: Any, gates: int) -> Any:
    """The bias of each gate, (gates, 1, hidden), which broadcasts over the batch. A number stays a number."""
    shape = shape_of(bias)
    return reshape(bias, shape=(gates, 1, shape[0] // gates)) if shape else bias


def input_products(x: Any, weight_ih: Any, gates: int, dtype: Any) -> Any:
    """The product of all inputs with the weight of each gate: (gates, steps, batch, hidden)."""
    products = np.matmul(as_rows(x), mT(split_weight(weight_ih, gates)), dtype=dtype)
    return np.reshape(products, (gates, *x.shape[:2], products.shape[-1]))


def transposed_copy(weight_hh: Any, gates: int) -> Any:
    """The transposed weight of each gate, for ``h @ weight``. It is a copy, since a product with a transposed
    view takes up to twice the time, and there is one product per step."""
    return np.copy(mT(split_weight(weight_hh, gates)), order="C")


def before(h: Any, states: Any, t: int) -> Any:
    """The state before step ``t``; ``h`` is the one before the first step."""
    return states[t - 1] if t else broadcast_to(h, shape=states.shape[1:])


def in_order(steps: list[Any], weight_hh: Any) -> Any:
    """The rows of all steps, which were gathered from the last to the first, in the order of the steps."""
    return concatenate(steps[::-1]) if steps else np.zeros((0, weight_hh.shape[0]), weight_hh.dtype)


def contributions(
    da: Any, db: Any, x: Any, h: Any, states: Any, weight_ih: Any, wanted: Sequence[bool]
) -> list[Any]:
    """The contributions to x, weight_ih, weight_hh, bias_ih and bias_hh, each one product over all steps.

    ``da`` and ``db`` are the gradients of ``x @ weight_ih.T + bias_ih`` and of ``h @ weight_hh.T + bias_hh``,
    with a row for each step and sequence. ``wanted`` is that of the rule: x first, weights and biases last.
    """
    batch, first = states.shape[1], before(h, states, 0)[: len(db)]  # no rows if there are no steps
    return [
        reshape(da @ weight_ih, shape=x.shape) if wanted[0] else None,
        mT(da) @ as_rows(x) if wanted[-4] else None,
        mT(db[:batch]) @ first + mT(db[batch:]) @ as_rows(states[:-1]) if wanted[-3] else None,
        da,
        db,
    ]


def check_shapes(gates: int, x: Any, h: Any, weight_ih: Any, weight_hh: Any, *rest: Any) -> None:
    """Raise ValueError for shapes that do not fit. ``rest`` are both biases, and for lstm the cell."""
    if np.ndim(x) != 3:
        raise ValueError(f"the input must have the shape (steps, batch, inputs), not {np.shape(x)}")
    hidden = np.shape(weight_hh)[-1] if np.ndim(weight_hh) else 0
    _, batch, inputs = np.shape(x)
    bias_ih, bias_hh, *cell = rest
    expected = {
        "weight_ih": (weight_ih, (gates * hidden, inputs)),
        "weight_hh": (weight_hh, (gates * hidden, hidden)),
        "bias_ih": (bias_ih, (gates * hidden,)),
        "bias_hh": (bias_hh, (gates * hidden,)),
        "the state": (h, (batch, hidden)),
        "the cell": (cell[0] if cell else 0.0, (batch, hidden)),
    }
    for name, (value, shape) in expected.items():
        is_number = np.ndim(value) == 0 and not name.startswith("weight")
        if np.shape(value) != shape and not is_number:
            raise ValueError(f"{name} must have the shape {shape}, not {np.shape(value)}")
