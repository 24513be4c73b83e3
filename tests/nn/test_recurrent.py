"""RNN, LSTM and GRU over sequences, and their cells. Beside PyTorch's in tests/fuzz/recurrent_layers.py."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn
from autodiff.training.saving import load_weights, save_weights
from tests.nn.helpers import check_gradients, in_double, random

LAYERS = [nn.RNN, nn.LSTM, nn.GRU]
CELLS = [nn.RNNCell, nn.LSTMCell, nn.GRUCell]
GATES = {"RNN": 1, "LSTM": 4, "GRU": 3}
every_layer = pytest.mark.parametrize("kind", LAYERS)
every_cell = pytest.mark.parametrize("kind", CELLS)

# What PyTorch 2.13 gives for the input and the weights of `with_known_weights`.
LITERALS = {
    nn.RNN: [
        [0.098688233, 0.42747436, -0.13763342, -0.69351598],
        [-0.10582211, 0.68870894, 0.11794341, -0.71630511],
        [0.066028323, -0.081639759],
        [-0.50860406, -3.1535464],
    ],
    nn.LSTM: [
        [-0.24397464, -0.026255654, 0.16302434, 0.15965071],
        [-0.29040036, -0.14183291, 0.11402207, 0.092318517],
        [0.15259277, -0.0064338884],
        [0.092151182, 0.080029994],
    ],
    nn.GRU: [
        [-0.19394545, 0.49963331, -0.10044267, -0.6104245],
        [-0.39112363, 0.67733726, -0.0639397, -0.32198205],
        [0.045310511, 0.055874635],
        [0.0084545851, 0.047648051],
    ],
}


def with_known_weights(kind, *sizes, **options):
    """A layer whose parameters are sin(1), sin(2), ... / 2 in the order of its state_dict."""
    layer = kind(*sizes, **options, dtype=np.float64)
    count = 0
    for parameter in layer.parameters():
        values = np.sin(np.arange(count + 1, count + parameter.size + 1)) / 2
        parameter.assign(values.reshape(parameter.shape))
        count += parameter.size
    return layer


def states_of(last):
    """The last states as a list: an LSTM has two."""
    return list(last) if isinstance(last, tuple) else [last]


@every_layer
def test_literal_numbers(kind):
    """Two layers in both directions over three steps; the sum of the last states has these slopes."""
    layer = with_known_weights(kind, 2, 2, num_layers=2, bidirectional=True)
    x = Tensor(np.cos(np.arange(12.0)).reshape(3, 2, 2))
    output, last = layer(x)
    (output.sum() + sum(state.sum() for state in states_of(last))).backward()
    found = [
        output.data[0, 0],
        output.data[-1, -1],
        x.grad.data[1, 0],
        layer.weight_hh_l1_reverse.grad.data[0],
    ]
    for numbers, expected in zip(found, LITERALS[kind], strict=True):
        np.testing.assert_allclose(numbers, expected, rtol=1e-7)


@every_layer
@pytest.mark.parametrize("bias", [True, False])
def test_a_layer_is_a_loop_over_its_cell(kind, bias):
    layer = kind(3, 4, bias=bias, generator=0)
    cell = getattr(nn, f"{kind.__name__}Cell")(3, 4, bias=bias)
    cell.load_state_dict({name.removesuffix("_l0"): value for name, value in layer.state_dict().items()})
    x, other = Tensor(np.float32(random(5, 2, 3))), Tensor(np.float32(random(5, 2, 3)))
    output, last = layer(x)
    state, states = None, []
    for step in other:
        state = cell(step, state)
        states.append(states_of(state)[0])
    np.testing.assert_allclose(output.data, ad.stack(states).data, rtol=1e-5, atol=1e-6)
    for end, expected in zip(states_of(last), states_of(state), strict=True):
        np.testing.assert_allclose(end.data[0], expected.data, rtol=1e-5, atol=1e-6)
    weight = np.float32(random(5, 2, 4))
    (output * weight).sum().backward()
    (ad.stack(states) * weight).sum().backward()
    np.testing.assert_allclose(x.grad.data, other.grad.data, rtol=1e-4, atol=1e-6)
    for parameter, same in zip(layer.parameters(), cell.parameters(), strict=True):
        np.testing.assert_allclose(parameter.grad.data, same.grad.data, rtol=1e-4, atol=1e-5)


@every_layer
def test_first_and_second_derivatives_by_everything(kind):
    layer = in_double(kind(2, 2, bidirectional=True, generator=0))
    last = copy.deepcopy(layer)

    class Ends(nn.Module):
        def __init__(self):
            self.layer = last

        def forward(self, x, h):
            output, ends = self.layer(x, (h, h) if kind is nn.LSTM else h)
            return ad.concatenate([output.reshape(-1), *(end.reshape(-1) for end in states_of(ends))])

    check_gradients(Ends(), random(3, 1, 2), random(2, 1, 2))


@every_cell
def test_first_and_second_derivatives_of_a_cell(kind):
    cell = in_double(kind(2, 2, generator=0))

    class Once(nn.Module):
        def __init__(self):
            self.cell = cell

        def forward(self, x, h):
            return ad.concatenate(states_of(self.cell(x, (h, h) if kind is nn.LSTMCell else h)))

    check_gradients(Once(), random(2, 2), random(2, 2))


@every_layer
def test_names_and_shapes_are_pytorch_s(kind):
    assert issubclass(kind, nn.RNNBase)
    assert issubclass(getattr(nn, f"{kind.__name__}Cell"), nn.RNNCellBase)
    layer = kind(3, 4, 2, bidirectional=True)
    rows = 4 * GATES[kind.__name__]
    one = {"weight_ih": (rows, 3), "weight_hh": (rows, 4), "bias_ih": (rows,), "bias_hh": (rows,)}
    expected = {}
    for suffix in ("l0", "l0_reverse", "l1", "l1_reverse"):
        shapes = one | {"weight_ih": (rows, 3 if suffix.startswith("l0") else 8)}
        expected |= {f"{name}_{suffix}": shape for name, shape in shapes.items()}
    assert {name: value.shape for name, value in layer.state_dict().items()} == expected
    assert list(layer.state_dict()) == list(expected)
    assert layer.all_weights[1][0] is layer.weight_ih_l0_reverse
    assert [name for name, _ in kind(3, 4, bias=False).named_parameters()] == ["weight_ih_l0", "weight_hh_l0"]


@pytest.mark.parametrize("kind", [*LAYERS, *CELLS])
def test_parameters_are_drawn_evenly_by_the_hidden_size(kind):
    layer = kind(30, 25, generator=0)
    for parameter in layer.parameters():
        assert parameter.dtype == np.float32
        assert 0.15 < np.abs(parameter.data).max() <= 0.2
    twin = kind(30, 25, generator=0)
    for parameter, same in zip(layer.parameters(), twin.parameters(), strict=True):
        np.testing.assert_array_equal(parameter.data, same.data)
    twin.reset_parameters()
    assert not any((p.data == q.data).any() for p, q in zip(layer.parameters(), twin.parameters()))


@pytest.mark.parametrize("kind", [*LAYERS, *CELLS])
def test_double_precision(kind):
    layer = kind(3, 4, dtype=np.float64)
    result = layer(random(5, 2, 3) if kind in LAYERS else random(2, 3))
    while isinstance(result, tuple):
        result = result[-1]
    assert result.dtype == np.float64


@every_layer
def test_batch_first_turns_the_input_and_the_output_alone(kind):
    layer, turned = kind(3, 4, 2, generator=0), kind(3, 4, 2, batch_first=True, generator=0)
    x = np.float32(random(5, 2, 3))
    output, last = layer(x)
    other, other_last = turned(x.swapaxes(0, 1))
    np.testing.assert_allclose(other.data.swapaxes(0, 1), output.data, rtol=1e-6)
    for state, same in zip(states_of(last), states_of(other_last), strict=True):
        assert same.shape == (2, 2, 4)
        np.testing.assert_allclose(same.data, state.data, rtol=1e-6)


@every_layer
@pytest.mark.parametrize("batch_first", [False, True])
def test_a_sequence_without_a_batch(kind, batch_first):
    layer = kind(3, 4, 2, bidirectional=True, batch_first=batch_first, generator=0)
    x, h = np.float32(random(5, 3)), np.float32(random(4, 4))
    output, last = layer(Tensor(x), (h, h) if kind is nn.LSTM else h)
    batch = (x[None] if batch_first else x[:, None]), h[:, None]
    expected, ends = layer(Tensor(batch[0]), (batch[1],) * 2 if kind is nn.LSTM else batch[1])
    assert output.shape == (5, 8)
    np.testing.assert_allclose(output.data, expected.data.reshape(5, 8), rtol=1e-6)
    for state, end in zip(states_of(last), states_of(ends), strict=True):
        assert state.shape == (4, 4)
        np.testing.assert_allclose(state.data, end.data[:, 0], rtol=1e-6)


@every_layer
def test_the_other_direction_is_the_same_backward(kind):
    both, one = kind(3, 4, bidirectional=True, generator=0), kind(3, 4)
    one.load_state_dict(
        {name.removesuffix("_reverse"): v for name, v in both.state_dict().items() if "_reverse" in name}
    )
    x = np.float32(random(5, 2, 3))
    output, last = both(x)
    expected, ends = one(x[::-1])
    np.testing.assert_allclose(output.data[..., 4:], expected.data[::-1], rtol=1e-6)
    for state, end in zip(states_of(last), states_of(ends), strict=True):
        np.testing.assert_allclose(state.data[1], end.data[0], rtol=1e-6)


@every_layer
def test_a_sequence_in_two_parts_goes_on_from_its_state(kind):
    layer = kind(3, 4, 2, generator=0)
    x = np.float32(random(6, 2, 3))
    whole, last = layer(x)
    first, between = layer(x[:4])
    second, end = layer(x[4:], between)
    np.testing.assert_allclose(np.concatenate([first.data, second.data]), whole.data, rtol=1e-5, atol=1e-6)
    for state, same in zip(states_of(last), states_of(end), strict=True):
        np.testing.assert_allclose(same.data, state.data, rtol=1e-5, atol=1e-6)


@every_layer
def test_a_packed_batch_is_its_sequences_one_by_one(kind):
    layer = kind(3, 4, 2, bidirectional=True, generator=0)
    sequences = [np.float32(random(length, 3, seed=length)) for length in (2, 5, 1, 5)]
    h = np.float32(random(4, 4, 4))
    packed = nn.utils.rnn.pack_sequence(sequences, enforce_sorted=False)
    output, last = layer(packed, (h, h) if kind is nn.LSTM else h)
    assert isinstance(output, nn.utils.rnn.PackedSequence)
    for place, (sequence, found) in enumerate(
        zip(sequences, nn.utils.rnn.unpack_sequence(output), strict=True)
    ):
        own = h[:, place]
        expected, ends = layer(sequence, (own, own) if kind is nn.LSTM else own)
        np.testing.assert_allclose(found.data, expected.data, rtol=1e-5, atol=1e-6)
        for state, end in zip(states_of(last), states_of(ends), strict=True):
            np.testing.assert_allclose(state.data[:, place], end.data, rtol=1e-5, atol=1e-6)


@every_layer
def test_what_stands_in_the_padding_reaches_nothing(kind):
    layer = kind(1, 2, generator=0)
    x = Tensor(np.float32([[1, 2, 3], [4, np.nan, np.inf]])[..., None])
    packed = nn.utils.rnn.pack_padded_sequence(x, [3, 1], batch_first=True)
    output, last = layer(packed)
    loss = output.data.sum() + sum(state.sum() for state in states_of(last))
    loss.backward()
    assert np.isfinite(loss.item())
    assert x.grad.data[1, 1:].tolist() == [[0], [0]]
    assert all(np.isfinite(parameter.grad.data).all() for parameter in layer.parameters())


@every_layer
def test_dropout_is_between_layers_and_in_training_alone(kind):
    layer = kind(3, 400, 2, dropout=0.5, generator=0)
    plain = kind(3, 400, 2)
    plain.load_state_dict(layer.state_dict())
    x = np.float32(random(2, 1, 3))
    expected = plain(x)[0].data
    dropped = layer(x)[0].data
    assert (np.abs(dropped - expected) > 1e-6).mean() > 0.9
    assert (dropped != 0).all()  # what the last layer gives is not dropped
    np.testing.assert_array_equal(layer.eval()(x)[0].data, expected)
    layer.train()
    lower = {name: value for name, value in layer.state_dict().items() if "_l0" in name}
    below = kind(3, 400)
    below.load_state_dict(lower)
    np.testing.assert_array_equal(states_of(layer(x)[1])[0].data[0], states_of(below(x)[1])[0].data[0])


@every_layer
def test_eval_reaches_the_dropout_of_a_layer_inside_a_network(kind):
    class Net(nn.Module):
        def __init__(self):
            self.inner = nn.ModuleList([kind(3, 8, 2, dropout=0.5)])

        def forward(self, x):
            return self.inner[0](x)[0]

    net, x = Net(), np.float32(random(4, 2, 3))
    assert (net(x).data != net(x).data).any()
    net.eval()
    np.testing.assert_array_equal(net(x).data, net(x).data)


@every_layer
def test_a_seeded_layer_drops_anew_at_every_call_and_alike_in_every_run(kind):
    first, second = (kind(3, 8, 2, dropout=0.5, generator=0) for _ in range(2))
    x = np.float32(random(4, 2, 3))
    found = [first(x)[0].data for _ in range(2)]
    assert (found[0] != found[1]).any()
    for expected in found:
        np.testing.assert_array_equal(second(x)[0].data, expected)


@every_layer
def test_an_empty_batch(kind):
    layer = kind(3, 4)
    output, last = layer(np.zeros((5, 0, 3), np.float32))
    assert [output.shape, states_of(last)[0].shape] == [(5, 0, 4), (1, 0, 4)]
    output.sum().backward()
    assert not layer.weight_hh_l0.grad.data.any()


@every_layer
def test_dropout_with_one_layer_says_that_it_does_nothing(kind):
    with pytest.warns(UserWarning, match=f"dropout=0.5 of {kind.__name__} has no effect") as caught:
        kind(3, 4, dropout=0.5)
    assert caught[0].filename == __file__


def test_the_nonlinearity_of_an_rnn():
    layer, cell = nn.RNN(2, 3, nonlinearity="relu", generator=0), nn.RNNCell(2, 3, nonlinearity="relu")
    cell.load_state_dict({name.removesuffix("_l0"): value for name, value in layer.state_dict().items()})
    x = np.float32([[[5.0, -3.0]]])
    np.testing.assert_allclose(layer(x)[0].data[0], cell(x[0]).data, rtol=1e-6)
    assert (cell(x[0]).data >= 0).all()
    assert "relu" in repr(layer)
    assert nn.RNN(2, 3, 1, "relu").nonlinearity == "relu"  # in PyTorch's place
    for kind in (nn.RNN, nn.RNNCell):
        with pytest.raises(
            ValueError, match=rf"nonlinearity of {kind.__name__} must be 'tanh' or 'relu', not 'sin'"
        ):
            kind(2, 3, nonlinearity="sin")


def test_settings_in_the_repr():
    layer = nn.LSTM(3, 4, 2, bias=False, batch_first=True, dropout=0.5, bidirectional=True)
    assert repr(layer).startswith(
        "LSTM(3, 4, num_layers=2, bias=False, batch_first=True, dropout=0.5, bidirectional=True)  # weight_ih"
    )
    assert repr(nn.GRUCell(3, 4, bias=False)).startswith("GRUCell(3, 4, bias=False)  # weight_ih (12, 3)")


@every_layer
def test_inputs_and_states_that_do_not_fit_are_refused(kind):
    layer = kind(3, 4, 2)
    pair = (lambda h: (h, h)) if kind is nn.LSTM else (lambda h: h)
    with pytest.raises(ValueError, match=r"takes inputs with the last axis 3, not"):
        layer(np.zeros((5, 2, 4)))
    with pytest.raises(ValueError, match=r"takes sequences of shape \(steps, batch, 3\), or without a batch"):
        layer(np.zeros((5, 2, 2, 3)))
    with pytest.raises(ValueError, match="takes sequences of at least one step"):
        layer(np.zeros((0, 2, 3)))
    with pytest.raises(ValueError, match=r"starts from states of shape \(2, 2, 4\) .*, not .*\(2, 4\)"):
        layer(np.zeros((5, 2, 3)), pair(np.zeros((2, 4))))
    with pytest.raises(ValueError, match=r"starts from states of shape \(2, 4\) .*, not .*\(2, 1, 4\)"):
        layer(np.zeros((5, 3)), pair(np.zeros((2, 1, 4))))
    with pytest.raises(ValueError, match="at least 1, not 0"):
        kind(3, 4, 0)
    with pytest.raises(ValueError, match=f"dropout of {kind.__name__} must be between 0 and 1, not 1.5"):
        kind(3, 4, 2, dropout=1.5)


def test_an_lstm_starts_from_a_pair():
    for layer, x in ((nn.LSTM(3, 4), np.zeros((5, 2, 3))), (nn.LSTMCell(3, 4), np.zeros((2, 3)))):
        with pytest.raises(TypeError, match=r"starts from a pair \(state, cell\), not"):
            layer(x, np.zeros((1, 2, 4)))


@every_cell
def test_a_cell_takes_one_step_with_or_without_a_batch(kind):
    cell = kind(3, 4, generator=0)
    x = np.float32(random(2, 3))
    batch, one = states_of(cell(x)), states_of(cell(x[0]))
    np.testing.assert_allclose(one[0].data, batch[0].data[0], rtol=1e-6)
    with pytest.raises(ValueError, match=f"takes one step.*; {kind.__name__[:-4]} takes a sequence"):
        cell(np.zeros((5, 2, 3)))
    wrong = np.zeros((1, 4))
    with pytest.raises(ValueError, match=r"the state of .* must have the shape \(2, 4\), not .*\(1, 4\)"):
        cell(x, (wrong, wrong) if kind is nn.LSTMCell else wrong)


@every_layer
@pytest.mark.parametrize("suffix", [".npz", ".safetensors"])
def test_it_saves_and_loads(kind, suffix, tmp_path):
    if suffix == ".safetensors":
        pytest.importorskip("safetensors")
    layer, other = kind(3, 4, 2, bidirectional=True), kind(3, 4, 2, bidirectional=True)
    save_weights(layer, tmp_path / f"layer{suffix}")
    load_weights(other, tmp_path / f"layer{suffix}")
    x = np.float32(random(5, 2, 3))
    np.testing.assert_array_equal(layer(x)[0].data, other(x)[0].data)
    assert copy.deepcopy(layer)(x)[0].shape == (5, 2, 8)


def test_weights_travel_between_pytorch_s_lstm_and_ours(tmp_path):
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    files = pytest.importorskip("safetensors.torch")
    x = np.float32(random(7, 3, 5))
    theirs = torch.nn.LSTM(5, 6, 2, bidirectional=True)
    files.save_file(theirs.state_dict(), tmp_path / "theirs.safetensors")
    ours = nn.LSTM(5, 6, 2, bidirectional=True)
    load_weights(ours, tmp_path / "theirs.safetensors")
    expected, (h, c) = theirs(torch.tensor(x))
    output, (our_h, our_c) = ours(x)
    for found, other in ((output, expected), (our_h, h), (our_c, c)):
        np.testing.assert_allclose(found.data, other.numpy(force=True), atol=1e-5)
    fresh = nn.LSTM(5, 6, 2, bidirectional=True)
    save_weights(fresh, tmp_path / "ours.safetensors")
    theirs.load_state_dict(files.load_file(tmp_path / "ours.safetensors"))
    np.testing.assert_allclose(fresh(x)[0].data, theirs(torch.tensor(x))[0].numpy(force=True), atol=1e-5)


@every_layer
def test_without_recording_and_on_frozen_weights(kind):
    layer = kind(3, 4).requires_grad_(False)
    assert not layer(np.zeros((5, 2, 3), np.float32))[0].requires_grad
    x = Tensor(np.ones((5, 2, 3), np.float32))
    layer(x)[0].sum().backward()
    assert x.grad.shape == x.shape
    assert layer.weight_hh_l0.grad is None
    layer.requires_grad_(True)
    with ad.no_grad():
        assert layer(x)[0].creators is None


@every_layer
def test_it_learns(kind):
    """To say at the end which number came first."""
    ad.seed(0)
    layer, head = kind(1, 8, batch_first=True), nn.Linear(8, 1)
    optimizer = ad.optim.Adam([*layer.parameters(), *head.parameters()], lr=0.02)
    x = np.float32(np.random.default_rng(0).choice([-1, 1], (64, 5, 1)))
    losses = []
    for _ in range(80):
        loss = nn.mse_loss(head(layer(x)[0][:, -1]), x[:, 0])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[0] > 0.8
    assert losses[-1] < 0.1


def test_a_layer_is_drawn_as_a_box_with_one_operation():
    class Net(nn.Module):
        def __init__(self):
            self.lstm, self.head = nn.LSTM(3, 4), nn.Linear(4, 2)

        def forward(self, x):
            return self.head(self.lstm(x)[0][-1])

    out = Net()(np.ones((5, 2, 3), np.float32))
    picture = ad.draw(out)
    assert "lstm: LSTM" in picture.dot
    assert "(6, 5, 2, 4)" in str(picture)  # states, cells and gates
    assert str(picture).count("= lstm(") == 1


def test_a_loop_over_a_cell_folds():
    """The first step starts from constants; the others are alike."""
    cell, state = nn.LSTMCell(2, 3, generator=0), None
    for _ in range(20):
        state = cell(np.ones((1, 2), np.float32), state)
    out = state[0].sum()
    assert "LSTMCell ×19" in ad.draw(out).dot
