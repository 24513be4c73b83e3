"""Normalization of pictures, of groups, by the root mean square, and with channels that the input gives."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, gradcheck, gradgradcheck, nn, optim
from autodiff.nn import functional as F  # noqa: N812  what everybody calls it
from autodiff.nn.rms_normalization import rms_normalize
from tests.nn.helpers import check_gradients, random, trained

PICTURES = np.arange(24.0).reshape(2, 3, 2, 2) ** 2
CHANNELS = ["BatchNorm2d", "InstanceNorm1d", "InstanceNorm2d"]
LAZY = ["LazyBatchNorm1d", "LazyBatchNorm2d", "LazyInstanceNorm1d", "LazyInstanceNorm2d"]


def of_shape(name):
    return (2, 3, 4) if name.endswith("1d") else (2, 3, 4, 2)


# -- BatchNorm2d ------------------------------------------------------------------------------------------


def test_batch_norm_statistics_are_per_channel_and_not_per_pixel():
    layer = nn.BatchNorm2d(3, eps=0.0)
    y = layer(Tensor(PICTURES)).data
    np.testing.assert_allclose(y.mean((0, 2, 3)), 0, atol=1e-12)
    np.testing.assert_allclose(y.var((0, 2, 3)), 1)
    assert abs(y.mean(0)).min() > 0.05  # the pixels by themselves have no mean of 0
    assert layer.running_mean.shape == layer.running_var.shape == (3,)
    np.testing.assert_allclose(layer.running_mean.data, [9.35, 16.95, 27.75], rtol=1e-6)
    np.testing.assert_allclose(layer.running_var.data, [979.44287, 2273.61428, 4112.70022], rtol=1e-6)


def test_evaluation_is_a_fixed_scale_per_channel_and_differentiates_as_such():
    layer = nn.BatchNorm2d(2, momentum=1.0)
    layer(random(5, 2, 3, 3))
    layer.eval()
    x = Tensor(random(2, 2, 2, 2, seed=1))
    layer(x).sum().backward()
    slope = 1 / np.sqrt(layer.running_var.data + 1e-5)
    np.testing.assert_allclose(x.grad.data, np.broadcast_to(slope[:, None, None], x.shape), rtol=1e-6)
    alone = layer(x[:1])
    np.testing.assert_allclose(alone.data, layer(x).data[:1])


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("options", [{}, {"affine": False}, {"eps": 0.1}])
def test_gradients_of_batch_norm(training, options):
    layer = nn.BatchNorm2d(2, **options)
    layer(random(3, 2, 2, 2, seed=1))
    check_gradients(layer.train(training), random(2, 2, 2, 1))


def test_a_picture_of_one_pixel_is_refused_in_training_and_changes_nothing():
    layer = nn.BatchNorm2d(2)
    with pytest.raises(ValueError, match=r"BatchNorm2d\(2\) in training needs more than one value .* eval\("):
        layer(random(1, 2, 1, 1))
    assert layer.num_batches_tracked.item() == 0
    assert layer(random(1, 2, 2, 1)).shape == (1, 2, 2, 1)
    assert layer.eval()(random(1, 2, 1, 1)).shape == (1, 2, 1, 1)
    assert layer(np.zeros((0, 2, 3, 3))).shape == (0, 2, 3, 3)


@pytest.mark.parametrize("name", CHANNELS)
@pytest.mark.parametrize("training", [True, False])
def test_float32_stays(name, training):
    layer = getattr(nn, name)(3, affine=True, track_running_stats=True).train(training)
    assert trained(layer, random(*of_shape(name))).dtype == np.float32
    assert {parameter.grad.dtype for parameter in layer.parameters()} == {np.dtype(np.float32)}
    assert layer.running_mean.dtype == layer.running_var.dtype == np.float32


@pytest.mark.parametrize("name", CHANNELS)
@pytest.mark.parametrize("shape", [(3,), (2, 2, 2, 2), (2, 2, 2), (2, 2), (2, 3, 2, 2, 2)])
def test_other_shapes_are_refused(name, shape):
    with pytest.raises(ValueError, match=rf"{name}\(3\) takes inputs of shape \(N, 3, .*, not .*{shape}"):
        getattr(nn, name)(3)(random(*shape))


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (2, 3, 4, 4, 4)])
def test_batch_norm_of_pictures_takes_four_axes(shape):
    with pytest.raises(ValueError, match=r"BatchNorm2d\(3\) takes inputs of shape \(N, 3, H, W\), not"):
        nn.BatchNorm2d(3)(random(*shape))


# -- InstanceNorm -----------------------------------------------------------------------------------------


def test_each_picture_and_channel_has_statistics_of_its_own():
    layer = nn.InstanceNorm2d(3, eps=0.0)
    y = layer(Tensor(PICTURES)).data
    np.testing.assert_allclose(y.mean((2, 3)), 0, atol=1e-12)
    np.testing.assert_allclose(y.var((2, 3)), 1)
    np.testing.assert_array_equal(layer(PICTURES[0]), y[0])
    np.testing.assert_array_equal(layer.eval()(PICTURES), y)
    assert not layer.state_dict()


def test_running_statistics_are_means_over_the_pictures():
    layer = nn.InstanceNorm2d(3, track_running_stats=True, momentum=1.0)
    layer(PICTURES)
    np.testing.assert_allclose(layer.running_mean.data, PICTURES.mean((0, 2, 3)), rtol=1e-6)
    np.testing.assert_allclose(layer.running_var.data, PICTURES.var((2, 3), ddof=1).mean(0), rtol=1e-6)
    before = layer.state_dict()
    layer(np.zeros((0, 3, 2, 2)))
    assert {name: value.tolist() for name, value in layer.state_dict().items()} == {
        name: value.tolist() for name, value in before.items()
    }
    x = Tensor(PICTURES)
    layer.eval()(x).sum().backward()
    np.testing.assert_allclose(x.grad.data[0, :, 0, 0], 1 / np.sqrt(before["running_var"] + 1e-5), rtol=1e-6)


def test_momentum_none_leaves_the_running_statistics():
    layer = nn.InstanceNorm1d(3, track_running_stats=True, momentum=None)
    layer(random(2, 3, 4))
    assert layer.running_mean.data.tolist() == [0, 0, 0]


def test_gradients_of_instance_norm():
    check_gradients(nn.InstanceNorm2d(2, affine=True), random(2, 2, 2, 2))
    check_gradients(nn.InstanceNorm1d(2, affine=True), random(2, 3))


def test_a_single_value_per_channel_is_refused():
    with pytest.raises(ValueError, match="instance_norm needs more than one value per channel of an example"):
        nn.InstanceNorm2d(3)(random(2, 3, 1, 1))
    with pytest.raises(ValueError, match="group_norm needs more than one value per group of an example"):
        nn.GroupNorm(3, 3)(random(2, 3))
    with pytest.raises(ValueError, match="needs running_mean and running_var, or use_input_stats"):
        F.instance_norm(random(2, 3, 4), use_input_stats=False)
    with pytest.raises(ValueError, match="instance_norm takes inputs of shape"):
        F.instance_norm(random(2, 3))


# -- GroupNorm --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2, 6), (2, 6, 5), (2, 6, 2, 2), (1, 6, 2, 1, 2)])
def test_each_group_has_mean_0_and_variance_1(shape):
    x = random(*shape)
    y = nn.GroupNorm(2, 6, eps=0.0)(Tensor(x)).data
    groups = y.reshape(shape[0], 2, -1)
    np.testing.assert_allclose(groups.mean(2), 0, atol=1e-12)
    np.testing.assert_allclose(groups.var(2), 1)
    assert nn.GroupNorm(2, 6)(x[:0]).shape == (0, *shape[1:])


def test_one_group_is_a_layer_norm_and_a_group_per_channel_an_instance_norm():
    x = random(2, 3, 4, 5)
    np.testing.assert_allclose(nn.GroupNorm(1, 3)(x).data, F.layer_norm(x, (3, 4, 5)))
    np.testing.assert_allclose(nn.GroupNorm(3, 3)(x).data, nn.InstanceNorm2d(3)(x))


def test_gradients_of_group_norm():
    check_gradients(nn.GroupNorm(2, 4), random(2, 4, 2))
    check_gradients(nn.GroupNorm(1, 2, affine=False), random(2, 2, 1, 2))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((2, 3), ValueError, "2 does not divide 3"),
        ((0, 3), ValueError, "num_groups of GroupNorm must be at least 1"),
        ((1.0, 3), TypeError, "num_groups of GroupNorm must be a whole number"),
        ((1, 3, -1.0), ValueError, "eps of GroupNorm"),
    ],
)
def test_group_norm_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        nn.GroupNorm(*arguments)


def test_group_norm_refuses_inputs():
    with pytest.raises(ValueError, match=r"GroupNorm\(1, 3\) takes inputs of shape \(N, 3, ...\)"):
        nn.GroupNorm(1, 3)(random(2, 4))
    with pytest.raises(ValueError, match="4 channels cannot be split into 3 groups"):
        F.group_norm(random(2, 4), 3)
    with pytest.raises(ValueError, match="takes inputs of shape"):
        F.group_norm(random(2), 1)


# -- RMSNorm ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [4, (4,), (3, 4)])
def test_the_root_mean_square_becomes_1(sizes):
    x = 3 * random(2, 3, 4) + 1
    y = nn.RMSNorm(sizes, eps=0.0)(Tensor(x)).data
    axes = tuple(range(-np.size(sizes), 0))
    np.testing.assert_allclose((y * y).mean(axes), 1)
    np.testing.assert_allclose(y, x / np.sqrt((x * x).mean(axes, keepdims=True)))


@pytest.mark.parametrize("axis", [(0,), (1,), (-2, -1)])
def test_rms_normalize_differentiates_twice(axis):
    gradcheck(lambda x: rms_normalize(x, axis=axis, eps=0.1), random(3, 2, 4))
    gradgradcheck(lambda x: rms_normalize(x, axis=axis, eps=0.1), random(3, 2, 4))


def test_gradients_and_dtypes_of_rms_norm():
    check_gradients(nn.RMSNorm(3), random(2, 3))
    assert trained(nn.RMSNorm((2, 3)), random(4, 2, 3)).dtype == np.float32
    assert list(nn.RMSNorm(3).state_dict()) == ["weight"]
    assert nn.RMSNorm(3, elementwise_affine=False)(np.zeros((0, 3))).shape == (0, 3)


def test_a_row_of_zeros_stays_zeros():
    x = Tensor(np.zeros((1, 3), np.float32))
    y = nn.RMSNorm(3)(x)
    y.sum().backward()
    assert y.data.tolist() == [[0, 0, 0]]
    np.testing.assert_allclose(x.grad.data, 1 / np.sqrt(np.finfo(np.float32).eps), rtol=1e-6)


def test_rms_norm_refuses():
    with pytest.raises(ValueError, match=r"RMSNorm\(3\) takes inputs with the last axis 3"):
        nn.RMSNorm(3)(random(2, 4))
    with pytest.raises(ValueError, match="at least one size, not"):
        nn.RMSNorm(())
    with pytest.raises(TypeError, match="eps of RMSNorm"):
        nn.RMSNorm(3, eps="small")


# -- lazy layers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LAZY)
def test_a_lazy_layer_takes_its_channels_from_the_first_input(name):
    layer = getattr(nn, name)()
    weight = layer.weight
    optimizer = optim.SGD(layer.parameters(), lr=1.0)
    assert repr(layer).startswith(f"{name}(")
    assert weight.shape == (0,)
    x = Tensor(random(*of_shape(name)))
    grad = random(*of_shape(name), seed=1)
    layer(x).backward(grad)
    optimizer.step()
    assert layer.weight is weight
    assert layer.num_features == 3
    eager = getattr(nn, name.removeprefix("Lazy"))(3, affine=True, track_running_stats=True)
    again = Tensor(x.data)
    eager(again).backward(grad)
    np.testing.assert_array_equal(x.grad.data, again.grad.data)
    assert weight.data.tolist() != [1, 1, 1]
    assert eager.running_var.data.tolist() == layer.running_var.data.tolist()
    with pytest.raises(ValueError, match=r"takes inputs of shape \(N, 3"):
        layer(random(2, 5, 4, 2))


@pytest.mark.parametrize("name", LAZY)
def test_a_lazy_layer_loads_and_is_built_by_that(name):
    source, layer = getattr(nn, name)(), getattr(nn, name)()
    source(random(*of_shape(name)))
    layer.load_state_dict(source.state_dict())
    assert layer.num_features == 3
    x = random(*of_shape(name), seed=1)
    np.testing.assert_array_equal(layer.eval()(x).data, source.eval()(x).data)
    getattr(nn, name)().load_state_dict(getattr(nn, name)().state_dict())
    with pytest.raises(ValueError, match="weight has the shape"):
        layer.load_state_dict(source.state_dict() | {"weight": np.ones(4)})


@pytest.mark.parametrize("name", LAZY)
def test_a_lazy_layer_refuses_other_shapes_and_stays_unbuilt(name):
    layer = getattr(nn, name)()
    with pytest.raises(ValueError, match=r"takes inputs of shape \(N, C"):
        layer(random(2, 3, 4, 5, 6))
    assert layer.num_features is None


# -- what all of them share -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.BatchNorm2d(4), (2, 4, 3, 3)),
        (nn.InstanceNorm2d(4, affine=True), (2, 4, 3, 3)),
        (nn.GroupNorm(2, 4), (2, 4, 3, 3)),
        (nn.RMSNorm(4), (2, 4)),
    ],
)
def test_a_layer_draws_as_a_box_folds_and_is_restored(layer, shape):
    x = Tensor(random(*shape))
    net = nn.Sequential(layer, nn.ReLU())
    y = net(x)
    assert any(type(layer).__name__ in text for text in (ad.draw(y).dot, str(ad.draw(y, depth=1))))
    again = type(layer)(*{"GroupNorm": (2, 4)}.get(type(layer).__name__, (4,)))
    if type(layer) is nn.InstanceNorm2d:
        again = nn.InstanceNorm2d(4, affine=True)
    again.load_state_dict(layer.state_dict())
    np.testing.assert_array_equal(again.eval()(x).data, layer.eval()(x).data)


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        (nn.BatchNorm2d(3, eps=0.1, momentum=None), "BatchNorm2d(3, eps=0.1, momentum=None)"),
        (nn.InstanceNorm2d(3), "InstanceNorm2d(3)"),
        (nn.InstanceNorm1d(3, affine=True, momentum=0.2), "InstanceNorm1d(3, momentum=0.2, affine=True)"),
        (nn.GroupNorm(1, 3, affine=False), "GroupNorm(1, 3, affine=False)"),
        (nn.RMSNorm((2, 3), eps=0.5), "RMSNorm((2, 3), eps=0.5)"),
        (nn.LazyBatchNorm2d(eps=0.5), "LazyBatchNorm2d(eps=0.5)"),
    ],
)
def test_the_repr_names_what_is_unusual(layer, text):
    assert repr(layer).startswith(text)
