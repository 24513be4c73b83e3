"""Conv1d, Conv2d, their transposes and lazy forms, and the pooling layers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn, optim, training
from tests.nn.helpers import check_gradients, random, trained

STRAIGHT = [(nn.Conv1d, (3, 9)), (nn.Conv2d, (3, 5, 6))]
TRANSPOSED = [(nn.ConvTranspose1d, (3, 5)), (nn.ConvTranspose2d, (3, 3, 4))]


@pytest.mark.parametrize(("kind", "shape"), STRAIGHT + TRANSPOSED)
@pytest.mark.parametrize("bias", [True, False])
def test_gradients(kind, shape, bias):
    layer = kind(3, 2, 2, stride=2, bias=bias, dtype=float, generator=0)
    check_gradients(layer, random(2, *shape))


def test_conv2d_by_hand():
    layer = nn.Conv2d(1, 2, (1, 2))
    layer.weight.assign([[[[1.0, 10.0]]], [[[0.0, -1.0]]]])
    layer.bias.assign([0.0, 100.0])
    assert layer(Tensor([[[[1.0, 2.0, 3.0]]]])).data.tolist() == [[[[21, 32]], [[98, 97]]]]


def test_the_fan_in_counts_the_kernel_s_area():
    """A fault of tinynn's: its fan-in was the number of channels alone."""
    layer = nn.Conv2d(8, 200, (3, 5), generator=0)
    bound = 1 / math.sqrt(8 * 3 * 5)
    for parameter in (layer.weight, layer.bias):
        assert 0.97 * bound < np.abs(parameter.data).max() <= np.float32(bound)
    grouped = nn.Conv2d(8, 200, 3, groups=4, generator=0)
    assert 0.99 / math.sqrt(18) < np.abs(grouped.weight.data).max() <= np.float32(1 / math.sqrt(18))
    back = nn.ConvTranspose2d(200, 8, 3, generator=0)  # PyTorch counts the second axis here too
    assert 0.99 / math.sqrt(72) < np.abs(back.weight.data).max() <= np.float32(1 / math.sqrt(72))


def test_seeds_repeat_a_run():
    first, same, other = (nn.Conv2d(2, 3, 3, generator=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.weight.data, same.weight.data)
    assert (first.weight.data != other.weight.data).any()
    first.reset_parameters()
    assert (first.weight.data != same.weight.data).any()


@pytest.mark.parametrize(("kind", "shape"), STRAIGHT + TRANSPOSED)
def test_float32_stays_float32(kind, shape):
    layer = kind(3, 2, 2)
    assert trained(layer, random(2, *shape)).dtype == np.float32
    assert {p.grad.dtype for p in layer.parameters()} == {np.dtype(np.float32)}


@pytest.mark.parametrize(("kind", "shape"), STRAIGHT + TRANSPOSED)
def test_one_picture_without_a_batch(kind, shape):
    layer = kind(3, 2, 2)
    x = random(*shape).astype(np.float32)
    np.testing.assert_allclose(layer(x).data, layer(x[None]).data[0], rtol=1e-6)


@pytest.mark.parametrize(
    ("layer", "shown"),
    [
        (
            nn.Conv2d(1, 4, 3),
            "Conv2d(1, 4, kernel_size=(3, 3))  # weight (4, 1, 3, 3), bias (4,): 40 parameters",
        ),
        (
            nn.Conv2d(2, 4, (3, 1), 2, "same", 2, 2, False, "circular"),
            (
                "Conv2d(2, 4, kernel_size=(3, 1), stride=(2, 2), padding='same', dilation=(2, 2), groups=2, "
                "bias=False, padding_mode='circular')  # weight (4, 1, 3, 1): 12 parameters"
            ),
        ),
        (
            nn.ConvTranspose1d(1, 1, 3, 2, 1, 1, bias=False),
            (
                "ConvTranspose1d(1, 1, kernel_size=(3,), stride=(2,), padding=(1,), output_padding=(1,), "
                "bias=False)  # weight (1, 1, 3): 3 parameters"
            ),
        ),
        (nn.MaxPool2d(2, 1, dilation=2), "MaxPool2d(kernel_size=(2, 2), stride=(1, 1), dilation=(2, 2))"),
        (nn.AvgPool1d(3, padding=1, ceil_mode=True), "AvgPool1d(kernel_size=3, padding=1, ceil_mode=True)"),
        (nn.AvgPool2d(2, divisor_override=3), "AvgPool2d(kernel_size=(2, 2), divisor_override=3)"),
        (nn.AdaptiveAvgPool2d((None, 1)), "AdaptiveAvgPool2d(output_size=(None, 1))"),
        (nn.Unfold(2), "Unfold(kernel_size=2, dilation=1, padding=0, stride=1)"),
        (nn.Fold(4, 2), "Fold(output_size=4, kernel_size=2, dilation=1, padding=0, stride=1)"),
    ],
)
def test_how_a_layer_is_shown(layer, shown):
    assert repr(layer) == shown


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.Conv2d(3, 4, 3, groups=2), "in_channels of Conv2d must be a multiple of groups=2, not 3"),
        (lambda: nn.Conv2d(4, 3, 3, groups=2), "out_channels of Conv2d must be a multiple of groups=2"),
        (lambda: nn.Conv2d(0, 3, 3), "in_channels of Conv2d must be at least 1"),
        (lambda: nn.Conv2d(1, 3, 0), "kernel_size of Conv2d must be a whole number or a pair"),
        (lambda: nn.Conv1d(1, 3, (3, 3)), "kernel_size of Conv1d must be a whole number"),
        (lambda: nn.Conv2d(1, 3, 3, padding="full"), "padding of Conv2d must be a number, 'same' or 'valid'"),
        (lambda: nn.Conv2d(1, 3, 3, padding=-1), "padding of Conv2d must be"),
        (
            lambda: nn.Conv2d(1, 3, 3, padding_mode="mirror"),
            "padding_mode of Conv2d must be one of zeros, reflect",
        ),
        (lambda: nn.ConvTranspose2d(1, 3, 3, padding_mode="reflect"), "must be 'zeros'"),
        (lambda: nn.MaxPool2d(2, stride=0), "stride of MaxPool2d must be a whole number or a pair"),
        (lambda: nn.MaxPool2d(2, return_indices=True), "MaxPool2d returns no indices"),
        (
            lambda: nn.Conv2d(3, 4, 3)(np.zeros((2, 1, 5, 5))),
            r"inputs of shape \(N, 3, H, W\) or \(3, H, W\)",
        ),
        (lambda: nn.Conv1d(3, 4, 3)(np.zeros((2, 1, 5, 5))), r"inputs of shape \(N, 3, L\) or \(3, L\)"),
        (
            lambda: nn.LazyConv2d(4, 3, groups=2)(np.zeros((2, 1, 5, 5))),
            r"takes inputs of shape \(N, C, H, W\)",
        ),
        (lambda: nn.LazyConv2d(4, 3)(np.zeros(5)), r"takes inputs of shape \(N, C, H, W\)"),
        (lambda: nn.Conv2d(1, 4, 3)(np.zeros((1, 2, 5))), r"spans \(3, 3\), which does not fit into"),
        (lambda: nn.MaxPool2d(2)(np.zeros((5, 5))), r"takes inputs of shape \(N, C, H, W\) or \(C, H, W\)"),
        (lambda: nn.ConvTranspose2d(1, 1, 3, 2)(np.zeros((1, 2, 2)), (7, 5)), r"from \(5, 5\) to \(6, 6\)"),
        (
            lambda: nn.ConvTranspose2d(1, 1, 3, 2, "same")(np.zeros((1, 2, 2)), (5, 5)),
            "takes an output_size only if its padding is a number",
        ),
    ],
)
def test_what_does_not_fit_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("wrong", [1.5, True, "3"])
def test_settings_are_whole_numbers(wrong):
    with pytest.raises(TypeError, match="out_channels of Conv2d must be a whole number"):
        nn.Conv2d(1, wrong, 3)
    with pytest.raises(TypeError, match="kernel_size of MaxPool2d must be a whole number or a pair"):
        nn.MaxPool2d(wrong)


def test_an_output_size_may_be_given_to_a_transposed_layer():
    layer = nn.ConvTranspose2d(2, 1, 3, stride=2, generator=0)
    x = random(1, 2, 3, 3).astype(np.float32)
    assert [layer(x, (7 + k, 8)).shape[2:] for k in range(2)] == [(7, 8), (8, 8)]
    np.testing.assert_allclose(layer(x, 8).data[..., :7, :7], layer(x).data, rtol=1e-5)


# -- layers that are not built yet ------------------------------------------------------------------------

LAZY = [
    (nn.LazyConv1d, nn.Conv1d, (4, 7)),
    (nn.LazyConv2d, nn.Conv2d, (4, 7, 7)),
    (nn.LazyConvTranspose1d, nn.ConvTranspose1d, (4, 7)),
    (nn.LazyConvTranspose2d, nn.ConvTranspose2d, (4, 7, 7)),
]


@pytest.mark.parametrize(("lazy", "kind", "shape"), LAZY)
def test_a_lazy_layer_builds_itself_at_the_first_call(lazy, kind, shape):
    layer, same = lazy(6, 3, groups=2, generator=0), kind(4, 6, 3, groups=2, generator=0)
    assert isinstance(layer, kind)
    assert layer.weight.size == 0
    x = random(2, *shape).astype(np.float32)
    np.testing.assert_array_equal(layer(x).data, same(x).data)
    assert layer.in_channels == 4
    with pytest.raises(ValueError, match=r"\(N, 4, "):
        layer(x[:, :2])


@pytest.mark.parametrize(("lazy", "kind", "shape"), LAZY)
def test_a_lazy_layer_is_built_by_loading_too(lazy, kind, shape):
    layer, saved = lazy(6, 3, groups=2), kind(4, 6, 3, groups=2)
    layer.load_state_dict(saved.state_dict())
    x = random(2, *shape).astype(np.float32)
    np.testing.assert_array_equal(layer(x).data, saved(x).data)
    with pytest.raises(ValueError, match="weight has the shape"):
        lazy(6, 2, groups=2).load_state_dict(saved.state_dict())


def test_a_lazy_network_trains_with_an_optimizer_made_before_the_first_call():
    net = nn.Sequential(nn.LazyConv2d(2, 3, generator=0), nn.Flatten(), nn.LazyLinear(1, generator=1))
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    x = random(2, 1, 5, 5).astype(np.float32)
    before = net(x).data.copy()
    (net(x) ** 2).sum().backward()
    optimizer.step()
    assert (net(x).data != before).any()


# -- networks ---------------------------------------------------------------------------------------------


def convnet(nn=nn):
    """TinyTorch's network for MNIST."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25),
        nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10), nn.LogSoftmax(1),
    )  # fmt: skip


def test_the_convnet_has_its_parameters():
    net = convnet()
    assert sum(p.size for p in net.parameters()) == 1_199_882
    assert net.eval()(np.zeros((2, 1, 28, 28), np.float32)).shape == (2, 10)


def test_a_layer_is_a_box_that_folds_with_the_shapes_in_it():
    net = nn.Sequential(
        nn.Conv2d(1, 2, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.ConvTranspose2d(2, 1, 2, 2)
    )
    x = Tensor(random(1, 1, 4, 4))
    z = net(x)
    assert "v3 = convolution(x, 0.weight, 0.bias)" in str(ad.draw(z))
    assert "(1, 2, 2, 2)" in str(ad.draw(z))
    folded = str(ad.draw(z, depth=1))
    assert "0: Conv2d: 3 nodes, 20 parameters (2, 1, 3, 3) (2,), from x" in folded
    assert "2: MaxPool2d: 1 node" in folded
    assert "3: ConvTranspose2d: 2 nodes, 9 parameters" in folded


def test_a_network_is_saved_and_loaded(tmp_path):
    pytest.importorskip("safetensors")  # which a small machine does not have
    x = random(2, 1, 28, 28).astype(np.float32)
    first, second = convnet().eval(), convnet().eval()
    for name in ("net.npz", "net.safetensors"):
        training.save_weights(first, tmp_path / name)
        training.load_weights(second, tmp_path / name)
        np.testing.assert_array_equal(first(x).data, second(x).data)


@pytest.mark.parametrize(("kind", "shape"), STRAIGHT + TRANSPOSED)
def test_a_weight_for_another_number_of_channels_is_refused_and_changes_nothing(kind, shape):
    layer, other = kind(3, 2, 2), kind(4, 2, 2)
    before = {name: value.copy() for name, value in layer.state_dict().items()}
    with pytest.raises(ValueError, match="weight"):
        layer.load_state_dict(other.state_dict())
    assert layer.in_channels == 3
    for name, value in layer.state_dict().items():
        np.testing.assert_array_equal(value, before[name])
    assert layer(random(1, *shape)).shape[:2] == (1, 2)


def test_a_convnet_saved_by_torch_gives_the_same_outputs_and_goes_back(tmp_path):
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    safetensors = pytest.importorskip("safetensors.torch")
    torch.manual_seed(0)
    theirs, ours = convnet(torch.nn).eval(), convnet().eval()
    safetensors.save_file(theirs.state_dict(), tmp_path / "theirs.safetensors")
    training.load_weights(ours, tmp_path / "theirs.safetensors")
    x = random(64, 1, 28, 28).astype(np.float32)
    expected = theirs(torch.tensor(x)).detach().numpy()
    np.testing.assert_allclose(ours(x).data, expected, rtol=1e-5, atol=1e-5)

    for p in ours.parameters():
        p.assign(p.data * 1.5)
    training.save_weights(ours, tmp_path / "ours.safetensors")
    theirs.load_state_dict(safetensors.load_file(tmp_path / "ours.safetensors"))
    expected = theirs(torch.tensor(x)).detach().numpy()
    np.testing.assert_allclose(ours(x).data, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())
