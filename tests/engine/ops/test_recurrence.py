"""Recurrent layers as one operation each, beside the cell written out of the catalogue's operations."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor
from autodiff.engine.backward import gradients
from autodiff.engine.catalogue import catalogue
from autodiff.testing import laid, weights

GATES = {"rnn": 1, "lstm": 4, "gru": 3}
SIZES = [(4, 2, 3, 5), (1, 2, 3, 2), (0, 2, 3, 2), (3, 1, 2, 4), (6, 3, 1, 1)]  # steps, batch, inputs, hidden
every_layer = pytest.mark.parametrize("name", GATES)


def operands(name, steps=4, batch=2, inputs=3, hidden=5, dtype=np.float64):
    """The input, the states before the first step, the weights and the biases."""
    rng, rows = np.random.default_rng(0), GATES[name] * hidden
    states = [(batch, hidden)] * (2 if name == "lstm" else 1)
    shapes = [(steps, batch, inputs), *states, (rows, inputs), (rows, hidden), (rows,), (rows,)]
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def written_out(name, x, *rest, nonlinearity="tanh"):
    """The same layer with the cell written out, step by step."""
    *states, weight_ih, weight_hh, bias_ih, bias_hh = rest
    course = []
    for t in range(x.shape[0]):
        a = ad.split(x[t] @ weight_ih.T + bias_ih, GATES[name], axis=1)
        b = ad.split(states[0] @ weight_hh.T + bias_hh, GATES[name], axis=1)
        if name == "rnn":
            states, gates = [getattr(ad, nonlinearity)(a[0] + b[0])], []
        elif name == "lstm":
            i, f, g, o = (p + q for p, q in zip(a, b))
            gates = [ad.sigmoid(i), ad.sigmoid(f), ad.tanh(g), ad.sigmoid(o)]
            c = gates[1] * states[1] + gates[0] * gates[2]
            states = [gates[3] * ad.tanh(c), c]
        else:
            r, z = ad.sigmoid(a[0] + b[0]), ad.sigmoid(a[1] + b[1])
            n = ad.tanh(a[2] + r * b[2])
            states, gates = [(1 - z) * n + z * states[0]], [r, z, n, b[2]]
        course.append(states[0] if name == "rnn" else ad.stack([*states, *gates]))
    return ad.stack(course, axis=0 if name == "rnn" else 1)


def slopes(f, arrays, seed, layout="C"):
    """The result and the gradients of all operands."""
    leaves = [Tensor(array) for array in arrays]
    out = f(*leaves)
    found = gradients(laid(out, layout=layout), leaves, seed)
    return [out.data, *(grad.data for grad in found)]


@every_layer
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_layer_has_the_numbers_of_its_cell_written_out(name, sizes, dtype):
    arrays = operands(name, *sizes, dtype=dtype)
    layer = catalogue.find(name)
    out = layer(*arrays)
    seed = np.asfortranarray(weights(out.shape))
    found = slopes(layer, arrays, seed)
    assert [array.dtype for array in found] == [np.dtype(dtype)] * len(found)
    if not sizes[0]:
        assert out.shape[-3] == 0
        assert not any(grad.any() for grad in found[1:])
        return
    expected = slopes(lambda *leaves: written_out(name, *leaves), arrays, seed)
    for array, same in zip(found, expected, strict=True):
        limit = 4e-6 if dtype == np.float32 else 1e-14
        np.testing.assert_allclose(array, same, rtol=limit, atol=limit)


@pytest.mark.parametrize("nonlinearity", ["tanh", "relu"])
def test_the_nonlinearity(nonlinearity):
    arrays = operands("rnn")
    seed = weights((4, 2, 5))
    found = slopes(lambda *x: ad.rnn(*x, nonlinearity=nonlinearity), arrays, seed)
    expected = slopes(lambda *x: written_out("rnn", *x, nonlinearity=nonlinearity), arrays, seed)
    for array, same in zip(found, expected, strict=True):
        np.testing.assert_allclose(array, same, rtol=1e-13, atol=1e-14)


@every_layer
def test_the_second_derivative_is_that_of_the_cell_written_out(name):
    """Of all operands at once; and it is not nothing, as it would be if a rule were not recorded."""
    arrays = operands(name, 3, 2, 2, 2)

    def second(f):
        leaves = [Tensor(array) for array in arrays]
        first = gradients((f(*leaves) ** 2).sum(), leaves, create_graph=True)
        end = sum(((grad * weights(grad.shape)).sum() for grad in first), Tensor(0.0))
        return [grad.data for grad in gradients(end, leaves)]

    for found, expected in zip(
        second(catalogue.find(name)), second(lambda *leaves: written_out(name, *leaves)), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-11)
        assert np.abs(expected).max() > 1e-3


@every_layer
def test_jvp_and_hessian(name):
    x, *rest = operands(name, 3, 1, 2, 2)
    move = weights(x.shape)
    layer = catalogue.find(name)
    pushed = ad.jvp(lambda x: layer(x, *rest), (x,), (move,))[1]
    expected = ad.jvp(lambda x: written_out(name, x, *rest), (x,), (move,))[1]
    np.testing.assert_allclose(pushed, expected, rtol=1e-12, atol=1e-14)
    found = ad.hessian(lambda x: (layer(x, *rest) ** 2).sum())(x)
    expected = ad.hessian(lambda x: (written_out(name, x, *rest) ** 2).sum())(x)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@every_layer
@pytest.mark.parametrize("layout", ["C", "Fortran", "reversed"])
def test_a_gradient_in_any_layout(name, layout):
    arrays = operands(name)
    layer = catalogue.find(name)
    seed = weights(layer(*arrays).shape)
    for array, same in zip(slopes(layer, arrays, seed, layout), slopes(layer, arrays, seed), strict=True):
        np.testing.assert_allclose(array, same, rtol=1e-13)


def test_an_lstm_step_by_hand():
    """Gates in PyTorch's order: i, f, g, o. With open gates the cell keeps and adds; numbers by hand."""
    open_, shut = 50.0, -50.0
    x = np.ones((2, 1, 1))
    for (i, f, o), cell, state in [
        ((open_, open_, open_), 2 + 2 * np.tanh(0.5), np.tanh(2 + 2 * np.tanh(0.5))),
        ((shut, open_, open_), 2.0, np.tanh(2.0)),
        ((open_, shut, open_), np.tanh(0.5), np.tanh(np.tanh(0.5))),
        ((open_, open_, shut), 2 + 2 * np.tanh(0.5), 0.0),
    ]:
        bias = np.array([i, f, 0.0, o])
        states, cells, *gates = ad.lstm(
            x, 0.0, 2.0, np.array([[0], [0], [0.5], [0]]), np.zeros((4, 1)), bias, 0.0
        )
        assert [gate[0, 0, 0].round() for gate in gates] == [i > 0, f > 0, 0, o > 0]
        assert cells[-1, 0, 0] == pytest.approx(cell, abs=1e-12)
        assert states[-1, 0, 0] == pytest.approx(state, abs=1e-12)


def test_the_reset_gate_of_a_gru_lets_the_state_s_bias_through_too():
    """PyTorch's form: r * (W h + b), which is why there are two biases."""
    bias_hh = np.array([-50.0, -50.0, 3.0])  # r shut, z shut: the new state is n alone
    out = ad.gru(np.zeros((1, 1, 1)), 7.0, np.zeros((3, 1)), np.ones((3, 1)) * [[0], [0], [1]], 0.0, bias_hh)
    assert out[:4].ravel() == pytest.approx(0, abs=1e-12)
    assert out[4].item() == 10


@every_layer
def test_numbers_stand_for_states_and_biases(name):
    arrays = operands(name)
    x, *states, weight_ih, weight_hh, bias_ih, bias_hh = arrays
    layer = catalogue.find(name)
    few = [x, *(0.5 for _ in states), weight_ih, weight_hh, 0.25, 0.125]
    many = [x, *(0 * s + 0.5 for s in states), weight_ih, weight_hh, 0 * bias_ih + 0.25, 0 * bias_hh + 0.125]
    seed = weights(layer(*arrays).shape)
    for found, expected, number in zip(slopes(layer, few, seed), slopes(layer, many, seed), [0.0, *few]):
        total = expected.sum() if isinstance(number, float) and np.ndim(found) == 0 else expected
        np.testing.assert_allclose(found, total, rtol=1e-12)


@every_layer
def test_what_no_one_wants_is_not_computed(name, monkeypatch):
    """The input of a network's first layer is data: its gradient would be the largest of the products."""
    x, *rest = operands(name)
    leaves = [Tensor(array) for array in rest]
    out = catalogue.find(name)(x, *leaves)
    rules = catalogue.find(name)
    found = rules.joint(np.ones(out.shape), out.data, x, *rest, wanted=(False, *(True for _ in rest)))
    assert found[0] is None
    assert all(share is not None for share in found[1:])
    frozen = rules.joint(np.ones(out.shape), out.data, x, *rest, wanted=(True, *(False for _ in rest)))
    assert frozen[0].shape == x.shape
    assert frozen[-4] is None
    assert frozen[-3] is None


@every_layer
def test_large_inputs_saturate_without_nan(name):
    x, *rest = operands(name)
    found = slopes(catalogue.find(name), [1000 * x, *rest], 1.0)
    assert all(np.isfinite(array).all() for array in found)
    assert np.abs(found[0] if name == "rnn" else found[0][0]).max() <= max(1, np.abs(rest[0]).max())


@every_layer
def test_a_long_sequence_costs_memory_in_proportion(name):
    arrays = operands(name, steps=600, batch=1, inputs=1, hidden=2)
    assert slopes(catalogue.find(name), arrays, 1.0)[1].shape == (600, 1, 1)


@every_layer
@pytest.mark.parametrize(
    ("place", "change", "message"),
    [
        (0, lambda x: x[0], r"the input must have the shape \(steps, batch, inputs\), not"),
        (1, lambda h: h[:, 1:], r"the state must have the shape \(2, 5\), not \(2, 4\)"),
        (-4, lambda w: w[:, 1:], r"weight_ih must have the shape \(\d+, 3\), not \(\d+, 2\)"),
        (-3, lambda w: w[1:], r"weight_hh must have the shape \(\d+, 5\)"),
        (-2, lambda b: b[1:], r"bias_ih must have the shape \(\d+,\)"),
        (-1, lambda b: b[None], r"bias_hh must have the shape \(\d+,\), not \(1, \d+\)"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(name, place, change, message):
    arrays = operands(name)
    arrays[place] = change(arrays[place])
    with pytest.raises(ValueError, match=f"{name} cannot take .*: {message}"):
        catalogue.find(name)(*map(Tensor, arrays))


def test_a_cell_that_does_not_fit_and_an_unknown_nonlinearity_are_refused():
    arrays = operands("lstm")
    with pytest.raises(ValueError, match=r"the cell must have the shape \(2, 5\), not \(2, 1\)"):
        ad.lstm(*arrays[:2], arrays[2][:, :1], *arrays[3:])
    with pytest.raises(ValueError, match="nonlinearity must be 'tanh' or 'relu', not 'sigmoid'"):
        ad.rnn(*operands("rnn"), nonlinearity="sigmoid")
