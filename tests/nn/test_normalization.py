"""BatchNorm1d and LayerNorm."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import Tensor, gradcheck, gradgradcheck, nn
from autodiff.nn.normalization import normalize
from tests.nn.helpers import check_gradients, random, trained


@pytest.mark.parametrize("axis", [(0,), (1,), (0, 2), (-2, -1)])
def test_normalize_differentiates_twice(axis):
    def normalized(x):
        return normalize(x, axis=axis, eps=0.1)

    gradcheck(normalized, random(3, 2, 4))
    gradgradcheck(normalized, random(3, 2, 4))


def test_a_shift_and_a_scale_get_no_gradient():
    x = Tensor(random(5, 3))
    normalize(x, axis=(0,), eps=0.0).backward(random(5, 3, seed=1))
    np.testing.assert_allclose(x.grad.data.sum(0), 0, atol=1e-12)
    np.testing.assert_allclose((x.grad.data * x.data).sum(0), 0, atol=1e-12)


# -- BatchNorm1d ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(6, 3), (4, 3, 5)])
def test_statistics_are_per_channel(shape):
    layer, x = nn.BatchNorm1d(3, eps=0.0), 2 * random(*shape) + 5
    axes = (0, 2)[: len(shape) - 1]
    y = layer(Tensor(x)).data
    np.testing.assert_allclose(y.mean(axes), 0, atol=1e-12)
    np.testing.assert_allclose(y.var(axes), 1)
    assert layer.running_mean.shape == (3,)
    np.testing.assert_allclose(layer.running_mean.data, 0.1 * x.mean(axes), rtol=1e-5)
    np.testing.assert_allclose(layer.running_var.data, 0.9 + 0.1 * x.var(axes, ddof=1), rtol=1e-5)
    assert layer.num_batches_tracked.item() == 1


@pytest.mark.parametrize("shape", [(4, 2), (3, 2, 2)])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("options", [{}, {"affine": False}, {"eps": 0.1}])
def test_gradients_of_batch_norm(shape, training, options):
    layer = nn.BatchNorm1d(2, **options)
    layer(random(*shape, seed=1))
    check_gradients(layer.train(training), random(*shape))


def test_evaluation_uses_the_running_statistics():
    layer = nn.BatchNorm1d(2, momentum=1.0)
    batch = random(100, 2) * [1, 10] + [0, 5]
    layer(batch)
    before = layer.state_dict()
    alone = layer.eval()(Tensor([[0.0, 5.0]]))
    expected = ([0.0, 5.0] - batch.mean(0)) / np.sqrt(batch.var(0, ddof=1) + 1e-5)
    np.testing.assert_allclose(alone.data[0], expected, rtol=1e-5, atol=1e-7)
    assert {name: array.tolist() for name, array in layer.state_dict().items()} == {
        name: array.tolist() for name, array in before.items()
    }


def test_later_batches_do_not_change_an_earlier_graph():
    layer = nn.BatchNorm1d(2)
    x = Tensor(random(4, 2))
    out = layer.eval()(x)
    layer.train()(random(4, 2) + 100)
    out.sum().backward()
    np.testing.assert_allclose(x.grad.data, 1 / np.sqrt(1 + 1e-5), rtol=1e-6)


def test_momentum_none_takes_the_mean_of_all_batches():
    layer, batches = nn.BatchNorm1d(2, momentum=None), [random(6, 2, seed=seed) for seed in range(3)]
    for batch in batches:
        layer(batch)
    np.testing.assert_allclose(layer.running_mean.data, np.mean(batches, axis=(0, 1)), atol=1e-6)
    variances = [batch.var(0, ddof=1) for batch in batches]
    np.testing.assert_allclose(layer.running_var.data, np.mean(variances, 0), rtol=1e-5)
    layer.reset_running_stats()
    assert layer.running_mean.data.tolist() == [0, 0]
    assert layer.running_var.data.tolist() == [1, 1]
    assert layer.num_batches_tracked.item() == 0


def test_without_running_statistics_evaluation_uses_its_batch():
    layer = nn.BatchNorm1d(2, track_running_stats=False)
    x = random(6, 2)
    np.testing.assert_array_equal(layer(x).data, layer.eval()(x).data)
    assert list(layer.state_dict()) == ["weight", "bias"]
    layer.reset_running_stats()  # there is nothing to reset
    for training in (True, False):  # eval() would not help, so it is not advised
        with pytest.raises(ValueError, match=r"needs more than one value .*pass more examples$"):
            layer.train(training)(x[:1])


def test_a_batch_of_one_is_refused_in_training():
    layer = nn.BatchNorm1d(2)
    with pytest.raises(ValueError, match=r"BatchNorm1d\(2\) in training needs more than one value .* eval\("):
        layer(Tensor([[1.0, 2.0]]))
    with pytest.raises(ValueError, match="more than one value"):
        layer(random(1, 2, 1))
    assert layer.num_batches_tracked.item() == 0
    assert layer.eval()(Tensor([[1.0, 2.0]])).shape == (1, 2)
    assert layer.train()(random(1, 2, 5)).shape == (1, 2, 5)


@pytest.mark.parametrize("shape", [(2,), (4, 3), (4, 3, 2), (2, 2, 2, 2)])
def test_batch_norm_refuses_other_shapes(shape):
    with pytest.raises(ValueError, match=r"takes inputs of shape \(N, 2\) or \(N, 2, L\), not .* of shape"):
        nn.BatchNorm1d(2)(random(*shape))


def test_infinite_inputs_give_no_warning():
    layer, x = nn.BatchNorm1d(1), Tensor([[np.inf], [0.0]])
    assert np.isnan(layer(x).data).all()
    assert np.isnan(layer.eval()(x).data).all()


@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_keeps_float32(training):
    layer = nn.BatchNorm1d(3).train(training)
    assert trained(layer, random(4, 3)).dtype == np.float32
    assert {parameter.grad.dtype for parameter in layer.parameters()} == {np.dtype(np.float32)}
    assert layer.running_mean.dtype == layer.running_var.dtype == np.float32


def test_the_repr_of_batch_norm_lists_settings_other_than_the_defaults():
    assert repr(nn.BatchNorm1d(2, affine=False)) == "BatchNorm1d(2, affine=False)"
    assert repr(nn.BatchNorm1d(2, momentum=None, track_running_stats=False)).startswith(
        "BatchNorm1d(2, momentum=None, track_running_stats=False)  #"
    )


# -- LayerNorm --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [4, (4,), (3, 4)])
def test_layer_norm_is_per_example(sizes):
    layer, x = nn.LayerNorm(sizes, eps=0.0), 2 * random(2, 3, 4) + 5
    axes = tuple(range(-np.size(sizes), 0))
    y = layer(Tensor(x)).data
    np.testing.assert_allclose(y.mean(axes), 0, atol=1e-12)
    np.testing.assert_allclose(y.var(axes), 1)
    np.testing.assert_array_equal(layer.eval()(x).data, y)


@pytest.mark.parametrize("options", [{}, {"bias": False}, {"elementwise_affine": False}, {"eps": 0.1}])
def test_gradients_of_layer_norm(options):
    check_gradients(nn.LayerNorm((2, 3), **options), random(2, 2, 3))


@pytest.mark.parametrize("shape", [(4,), (3, 4, 3), (4, 3)])
def test_layer_norm_refuses_other_shapes(shape):
    with pytest.raises(ValueError, match=r"takes inputs with the last axes \(3, 4\)"):
        nn.LayerNorm((3, 4))(random(*shape))


def test_layer_norm_keeps_float32():
    layer = nn.LayerNorm(3)
    assert trained(layer, random(4, 3)).dtype == np.float32
    assert {parameter.grad.dtype for parameter in layer.parameters()} == {np.dtype(np.float32)}


def test_the_repr_of_layer_norm():
    shown = repr(nn.LayerNorm((2, 3), eps=0.1, bias=False))
    assert shown.startswith("LayerNorm((2, 3), eps=0.1, bias=False)  #")
    assert repr(nn.LayerNorm(2, elementwise_affine=False)) == "LayerNorm(2, elementwise_affine=False)"
    with pytest.raises(ValueError, match="at least one size"):
        nn.LayerNorm(())


@pytest.mark.parametrize("layer", [nn.BatchNorm1d, nn.LayerNorm])
@pytest.mark.parametrize(
    ("eps", "error", "message"),
    [
        (-1, ValueError, "must be at least 0, not -1"),
        (np.nan, ValueError, "must be at least 0, not nan"),
        (np.inf, ValueError, "must be at least 0, not inf"),
        ("1e-5", TypeError, "must be a number, not '1e-5'"),
        (None, TypeError, "must be a number, not None"),
    ],
)
def test_an_eps_out_of_range_is_refused(layer, eps, error, message):
    with pytest.raises(error, match=f"eps of {layer.__name__} {message}"):
        layer(3, eps=eps)


@pytest.mark.parametrize(
    ("momentum", "error", "message"),
    [
        ("a", TypeError, "must be a number, not 'a'"),
        (-0.1, ValueError, r"must be between 0 and 1, not -0\.1"),
        (1.5, ValueError, r"must be between 0 and 1, not 1\.5"),
        (np.nan, ValueError, "must be between 0 and 1, not nan"),
    ],
)
def test_a_momentum_out_of_range_is_refused(momentum, error, message):
    with pytest.raises(error, match=f"momentum of BatchNorm1d {message}"):
        nn.BatchNorm1d(3, momentum=momentum)
