"""Transformer blocks, stacks of them, and positions."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn, training
from autodiff.nn.positions import sinusoids
from tests.nn.helpers import check_gradients, in_double, random

NAMES = [
    "self_attn.in_proj_weight", "self_attn.in_proj_bias", "self_attn.out_proj.weight",
    "self_attn.out_proj.bias", "linear1.weight", "linear1.bias", "linear2.weight", "linear2.bias",
    "norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias",
]  # fmt: skip
X = np.cos(np.arange(12.0)).reshape(3, 1, 4)


def filled(module):
    """The module with the same numbers in its parameters at every call, in float64."""
    start = 0
    for parameter in in_double(module).parameters():
        count = np.arange(start, start := start + parameter.size)
        parameter.assign(0.8 * np.sin(0.7 * count).reshape(parameter.shape))
    return module


# -- the encoder ------------------------------------------------------------------------------------------


def test_literal_numbers_of_torch_s_encoder():
    block = nn.TransformerEncoderLayer(4, 2, 3, 0.0, "gelu", norm_first=True)
    encoder = filled(nn.TransformerEncoder(block, 2, nn.LayerNorm(4)))
    expected = [
        [-1.600607, 0.080096, -0.138638, 0.557654], [-2.051869, -0.174902, -0.187235, 0.139399],
        [-1.924974, -0.144001, -0.135053, -0.019092],
    ]  # fmt: skip
    np.testing.assert_allclose(encoder(X, is_causal=True).data[:, 0], expected, atol=2e-6)
    mask = nn.Transformer.generate_square_subsequent_mask(3)
    np.testing.assert_allclose(encoder(X, mask=mask).data[:, 0], expected, atol=2e-6)


def test_literal_numbers_of_torch_s_transformer():
    net = filled(nn.Transformer(4, 2, 1, 1, 3, 0.0))
    mask = nn.Transformer.generate_square_subsequent_mask(2)
    expected = [[0.35241, -0.028021, 0.314689, -0.982257], [0.351372, -0.064001, 0.35682, -0.988977]]
    np.testing.assert_allclose(net(X, X[:2] * 0.5, tgt_mask=mask).data[:, 0], expected, atol=2e-6)
    np.testing.assert_allclose(net(X, X[:2] * 0.5, tgt_is_causal=True).data[:, 0], expected, atol=2e-6)


def test_names_are_torch_s():
    block = nn.TransformerEncoderLayer(4, 2, 8)
    assert list(block.state_dict()) == NAMES
    assert list(nn.TransformerEncoder(block, 2).state_dict()) == [
        f"layers.{i}.{name}" for i in range(2) for name in NAMES
    ]
    assert not [n for n, _ in nn.TransformerEncoderLayer(4, 2, bias=False).named_parameters() if "bias" in n]
    names = [name for name, _ in nn.TransformerDecoderLayer(4, 2, 8).named_children()]
    assert names == [
        "self_attn", "multihead_attn", "linear1", "dropout", "linear2", "norm1", "norm2", "norm3", "dropout1",
        "dropout2", "dropout3",
    ]  # fmt: skip


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("is_causal", [True, False])
def test_gradients_of_a_block(norm_first, is_causal):
    block = nn.TransformerEncoderLayer(
        2, 1, 3, 0.0, "gelu", batch_first=True, norm_first=norm_first, layer_norm_eps=0.1, generator=0
    )
    whole = nn.Module()
    whole.block = block
    whole.forward = lambda x: block(x, is_causal=is_causal)
    check_gradients(whole, random(2, 2, 2))


def test_a_causal_block_does_not_look_ahead():
    block = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, generator=0).eval()
    x = random(2, 5, 4)
    out = block(x, is_causal=True).data
    later = x.copy()
    later[:, 3:] += 10
    np.testing.assert_array_equal(block(later, is_causal=True).data[:, :3], out[:, :3])
    assert (block(later).data[:, :3] != block(x).data[:, :3]).any()


BLOCKS = {
    "encoder layer": (lambda: nn.TransformerEncoderLayer(4, 2, 8), ["is_causal"]),
    "encoder": (lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2), ["is_causal"]),
    "decoder layer": (lambda: nn.TransformerDecoderLayer(4, 2, 8), ["tgt_is_causal", "memory_is_causal"]),
    "decoder": (
        lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8), 2),
        ["tgt_is_causal", "memory_is_causal"],
    ),
    "transformer": (
        lambda: nn.Transformer(4, 2, 1, 1, 8), ["src_is_causal", "tgt_is_causal", "memory_is_causal"]
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", BLOCKS)
def test_nothing_is_causal_unless_it_is_asked_for(kind):
    ad.seed(0)
    make, flags = BLOCKS[kind]
    net = make().eval()
    inputs = [random(5, 2, 4, seed=place) for place in range(1 if "encoder" in kind else 2)]
    plain = net(*inputs).data
    np.testing.assert_array_equal(net(*inputs, **dict.fromkeys(flags, False)).data, plain)
    for flag in flags:
        assert (net(*inputs, **{flag: True}).data != plain).any(), flag


def test_the_copies_start_alike_and_are_trained_apart():
    block = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.5, generator=0)
    encoder = nn.TransformerEncoder(block, 2)
    first, second = encoder.layers
    np.testing.assert_array_equal(first.linear1.weight.data, second.linear1.weight.data)
    assert first.linear1.weight is not second.linear1.weight
    assert first.linear1.weight.name == "layers.0.linear1.weight"
    generators = {id(m._generator) for m in encoder.modules() if isinstance(m, nn.Dropout)}
    assert generators == {id(block.dropout._generator)}  # so that no mask comes twice
    encoder(random(3, 2, 4)).sum().backward()
    assert (first.linear1.weight.grad.data != second.linear1.weight.grad.data).any()
    assert block.linear1.weight.grad is None


def test_dropout_is_off_in_evaluation_in_every_part():
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, dropout=0.5, norm_first=True), 2)
    x = random(3, 2, 4)
    assert (encoder(x).data != encoder(x).data).any()
    encoder.eval()
    np.testing.assert_array_equal(encoder(x).data, encoder(x).data)
    assert not any(module.training for module in encoder.modules())


def test_activations_by_name_by_function_and_as_modules():
    for activation in ("relu", "gelu", ad.tanh, nn.SiLU()):
        assert nn.TransformerEncoderLayer(4, 2, 8, activation=activation)(X).shape == (3, 1, 4)
    for wrong in ("swish", nn.ReLU, 3):
        with pytest.raises(
            ValueError, match="activation of TransformerEncoderLayer must be 'relu', 'gelu' or"
        ):
            nn.TransformerEncoderLayer(4, 2, 8, activation=wrong)


def test_a_stack_is_made_of_a_module_and_a_number():
    with pytest.raises(TypeError, match="TransformerEncoder copies a Module"):
        nn.TransformerEncoder(nn.TransformerEncoderLayer, 2)
    with pytest.raises(ValueError, match="num_layers of TransformerDecoder must be at least 1"):
        nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2), 0)
    with pytest.raises(ValueError, match="takes inputs with the last axis 4"):
        nn.TransformerEncoderLayer(4, 2)(random(3, 2, 5))


def test_a_block_draws_as_boxes_and_folds():
    block = nn.TransformerEncoderLayer(4, 2, 8, norm_first=True, batch_first=True)
    out = block(Tensor(np.float32(random(1, 3, 4))), is_causal=True)
    assert out.dtype == np.float32
    dot = ad.draw(out).dot
    for name in ("TransformerEncoderLayer", "self_attn", "norm1", "linear1"):
        assert name in dot, name
    assert "folded" in str(ad.draw(out, depth=0))


# -- the decoder ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm_first", [True, False])
def test_gradients_of_a_decoder_s_block(norm_first):
    block = nn.TransformerDecoderLayer(
        2, 1, 2, 0.0, "gelu", norm_first=norm_first, layer_norm_eps=0.1, generator=0
    )
    check_gradients(block, random(2, 1, 2), random(3, 1, 2, seed=1))


def test_a_transformer_is_drawn_evenly_and_takes_other_parts():
    net = nn.Transformer(4, 2, 1, 1, dim_feedforward=8, generator=0)
    again = nn.Transformer(4, 2, 1, 1, dim_feedforward=8, generator=0)
    np.testing.assert_array_equal(net.eval()(X, X).data, again.eval()(X, X).data)
    bound = np.sqrt(6 / 12)
    assert bound * 0.8 < abs(net.encoder.layers[0].linear1.weight.data).max() <= bound
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 1)
    custom = nn.Transformer(4, 2, custom_encoder=encoder, num_decoder_layers=1, dim_feedforward=8)
    assert custom(X, X).shape == (3, 1, 4)
    assert net(X, X[:0]).shape == (0, 1, 4)


# -- positions --------------------------------------------------------------------------------------------


def test_sinusoids_are_those_of_the_paper():
    table = sinusoids(50, 6)
    for place in (0, 7, 49):
        for i in range(3):
            angle = place / 10_000 ** (2 * i / 6)
            assert table[place, 2 * i] == pytest.approx(np.sin(angle))
            assert table[place, 2 * i + 1] == pytest.approx(np.cos(angle))
    assert sinusoids(2, 3).shape == (2, 3)
    layer = nn.SinusoidalPositions(50, 6)
    assert not layer.state_dict()
    assert list(layer.parameters()) == []
    assert layer(np.zeros((2, 1, 6), np.float32)).dtype == np.float32


@pytest.mark.parametrize("kind", [nn.SinusoidalPositions, nn.LearnedPositions])
def test_positions_in_the_other_order_are_told_of_batch_first(kind):
    for is_first, shape in ((False, (7, 5, 4)), (True, (5, 7, 4))):
        with pytest.raises(ValueError, match=f"For the other order give batch_first={not is_first}$"):
            kind(5, 4, batch_first=is_first)(np.ones(shape))
        kind(5, 4, batch_first=not is_first)(np.ones(shape))
    for shape in ((7, 7, 4), (7, 5, 3), (7, 4), (4,)):
        with pytest.raises(ValueError, match="at most 5 positions, not an array of shape") as caught:
            kind(5, 4)(np.ones(shape))
        assert "batch_first=True" not in str(caught.value)


@pytest.mark.parametrize("kind", [nn.SinusoidalPositions, nn.LearnedPositions])
def test_a_place_gets_the_same_vector_in_every_layout(kind):
    layer = kind(5, 4)
    rows = (layer.weight if kind is nn.LearnedPositions else layer.table).data
    x = random(3, 4)
    np.testing.assert_array_equal(
        np.asarray(layer(x).data if isinstance(layer(x), Tensor) else layer(x)), x + rows[:3]
    )
    pair = np.stack([x, 2 * x], 1)
    out = layer(Tensor(pair)).data
    np.testing.assert_array_equal(out[:, 1], 2 * x + rows[:3])
    layer.batch_first = True
    np.testing.assert_array_equal(layer(Tensor(pair.swapaxes(0, 1))).data, out.swapaxes(0, 1))
    with pytest.raises(ValueError, match=r"takes sequences of shape \(N, L, 4\) or \(L, 4\) with at most 5"):
        layer(random(2, 6, 4))
    with pytest.raises(ValueError, match="takes sequences of shape"):
        layer(random(2, 3, 3))


def test_learned_positions_are_learned():
    layer = nn.LearnedPositions(200, 50, generator=0)
    assert layer.weight.data.std() == pytest.approx(0.02, rel=0.05)
    layer(np.zeros((3, 2, 50))).sum().backward()
    assert layer.weight.grad.data[:4].sum(1).tolist() == [100, 100, 100, 0]
    check_gradients(nn.LearnedPositions(3, 2), random(2, 2, 2))
    assert repr(layer).startswith("LearnedPositions(200, 50)")


# -- beside PyTorch ---------------------------------------------------------------------------------------


def test_an_encoder_goes_to_torch_and_comes_back_as_safetensors(tmp_path):
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    files = pytest.importorskip("safetensors.torch")
    settings = (16, 4, 32, 0.1, "gelu")
    options = {"batch_first": True, "norm_first": True}
    theirs = torch.nn.TransformerEncoder(
        torch.nn.TransformerEncoderLayer(*settings, **options), 2, torch.nn.LayerNorm(16),
        enable_nested_tensor=False,
    ).eval()  # fmt: skip
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape))
    ours = nn.TransformerEncoder(nn.TransformerEncoderLayer(*settings, **options), 2, nn.LayerNorm(16)).eval()
    x = np.float32(random(3, 5, 16))
    files.save_file(theirs.state_dict(), tmp_path / "theirs.safetensors")
    training.load_weights(ours, tmp_path / "theirs.safetensors")
    expected = theirs(torch.tensor(x)).detach().numpy()
    np.testing.assert_allclose(ours(x).data, expected, atol=1e-5)
    for parameter in ours.parameters():
        parameter.assign(parameter.data * 0.9)
    training.save_weights(ours, tmp_path / "ours.safetensors")
    theirs.load_state_dict(files.load_file(tmp_path / "ours.safetensors"))
    np.testing.assert_allclose(ours(x).data, theirs(torch.tensor(x)).detach().numpy(), atol=1e-5)


@pytest.mark.parametrize(
    "name",
    ["MultiheadAttention", "TransformerEncoderLayer", "TransformerEncoder", "TransformerDecoderLayer",
     "TransformerDecoder", "Transformer", "BatchNorm2d", "GroupNorm", "InstanceNorm2d", "LazyInstanceNorm2d",
     "RMSNorm", "Dropout2d", "Upsample", "PixelShuffle", "PixelUnshuffle", "Embedding"],
)  # fmt: skip
def test_names_order_and_defaults_of_arguments_are_torch_s(name):
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    import inspect

    theirs = inspect.signature(getattr(torch.nn, name).__init__).parameters
    ours = inspect.signature(getattr(nn, name)).parameters
    shared = [option for option in ours if option not in ("generator", "dtype")]
    assert shared == [option for option in theirs if option in shared]
    for option in shared:
        default = theirs[option].default
        is_function = callable(default) and default is not inspect.Parameter.empty
        assert ours[option].default == (ad.relu if is_function else default)
