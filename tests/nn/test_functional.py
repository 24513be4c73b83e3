"""Functions with PyTorch's names and arguments; no module of the package takes the name of a function."""

from __future__ import annotations

import types

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, nn
from autodiff.nn import functional as F  # noqa: N812  the usual name
from tests.nn.helpers import random

# The functions of torch.nn.functional (2.x) that somebody may look for in ``nn``.
FUNCTIONAL = """
    adaptive_avg_pool1d adaptive_avg_pool2d avg_pool1d avg_pool2d batch_norm bilinear binary_cross_entropy
    binary_cross_entropy_with_logits celu conv1d conv2d conv_transpose1d conv_transpose2d
    cosine_embedding_loss cosine_similarity cross_entropy dropout elu embedding fold embedding_bag gelu
    glu group_norm gumbel_softmax hardshrink hardsigmoid hardswish hardtanh hinge_embedding_loss
    huber_loss interpolate kl_div l1_loss layer_norm leaky_relu linear log_softmax logsigmoid
    margin_ranking_loss max_pool1d max_pool2d mish mse_loss nll_loss normalize one_hot pad
    pairwise_distance pdist poisson_nll_loss prelu relu relu6 rrelu selu sigmoid silu smooth_l1_loss
    soft_margin_loss softmax softmin softplus softshrink softsign tanh tanhshrink threshold
    triplet_margin_loss unfold upsample instance_norm pixel_shuffle pixel_unshuffle rms_norm
    scaled_dot_product_attention dropout2d
""".split()  # noqa: SIM905  a paragraph of names


@pytest.mark.parametrize("room", [nn, F])
@pytest.mark.parametrize("name", FUNCTIONAL)
def test_no_function_name_leads_to_a_module(room, name):
    found = getattr(room, name, None)
    assert found is None or callable(found)
    assert not isinstance(found, types.ModuleType)


@pytest.mark.parametrize("name", F.__all__)
def test_functional_contains_functions_with_torch_s_names(name):
    assert name in FUNCTIONAL
    assert callable(getattr(F, name))


def test_linear_dropout_and_embedding_are_functions_of_nn():
    assert (nn.linear, nn.dropout, nn.embedding) == (F.linear, F.dropout, F.embedding)
    assert nn.functional is F


@pytest.mark.parametrize("shape", [(3,), (2, 3), (4, 2, 3)])
def test_linear(shape):
    x, weight, bias = Tensor(random(*shape)), Tensor(random(5, 3, seed=1)), Tensor(random(5, seed=2))
    np.testing.assert_allclose(F.linear(x, weight, bias).data, x.data @ weight.data.T + bias.data)
    np.testing.assert_allclose(F.linear(x, weight).data, x.data @ weight.data.T)
    assert type(F.linear(x.data, weight.data)) is np.ndarray
    ad.gradcheck(F.linear, x.data, weight.data, bias.data)


def test_dropout_is_switched_by_training():
    x = Tensor(np.ones((100, 100)))
    assert F.dropout(x, training=False) is x
    assert F.dropout(x, 0.0) is x
    out = F.dropout(x, 0.25, generator=0)
    assert set(np.unique(out.data)) == {0.0, 1 / 0.75}
    assert (out == 0).mean() == pytest.approx(0.25, abs=0.02)
    assert not F.dropout(x, 1.0).data.any()
    with pytest.raises(ValueError, match="p of dropout must be between 0 and 1"):
        F.dropout(x, 1.5)


def test_embedding_of_a_table():
    table = Tensor(random(4, 2))
    F.embedding([[1, 3], [1, 0]], table, padding_idx=-1).sum().backward()
    assert table.grad.data.tolist() == [[1, 1], [2, 2], [0, 0], [0, 0]]
    with pytest.raises(IndexError, match=r"the table \(4, 2\) has the rows 0 to 3, and no row 4"):
        F.embedding([4], table)
    with pytest.raises(ValueError, match="two axes"):
        F.embedding([0], [1.0, 2.0])
    with pytest.raises(ValueError, match="padding_idx of embedding must be below 4, not 4"):
        F.embedding([0], table, padding_idx=4)


@pytest.mark.parametrize(("p", "expected"), [(2.0, [0.6, 0.8]), (1, [3 / 7, 4 / 7]), (np.inf, [0.75, 1])])
def test_normalize(p, expected):
    np.testing.assert_allclose(F.normalize([[3.0, 4.0]], p), [expected])
    np.testing.assert_allclose(F.normalize(Tensor([3.0, 4.0]), p, dim=0).data, expected)
    zeros = Tensor(np.zeros((1, 2)))
    F.normalize(zeros, p).sum().backward()
    assert np.isfinite(zeros.grad.data).all()
    ad.gradcheck(lambda x: F.normalize(x, p), random(3, 4))


def test_normalize_with_another_norm():
    np.testing.assert_allclose(F.normalize([[1.0, 2.0]], 3), np.array([[1, 2]]) / 9 ** (1 / 3))
    with pytest.raises(ValueError, match="p of normalize"):
        F.normalize([[1.0]], 0)


def test_one_hot():
    assert F.one_hot([[0], [2]]).data.tolist() == [[[1, 0, 0]], [[0, 0, 1]]]
    assert F.one_hot(1, 3).data.tolist() == [0, 1, 0]
    assert F.one_hot(np.zeros(0, int), 3).shape == (0, 3)
    one = F.one_hot(np.uint8([1]), 4)
    assert one.dtype == np.int64
    assert not one.requires_grad


def test_pad_counts_from_the_last_axis():
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(F.pad(x, (1, 2), value=9.0), np.pad(x, [(0, 0), (1, 2)], constant_values=9))
    np.testing.assert_array_equal(F.pad(x, [1, 2, 3, 0]), np.pad(x, [(3, 0), (1, 2)]))
    np.testing.assert_array_equal(F.pad(x, (1, 1), "replicate"), np.pad(x, [(0, 0), (1, 1)], "edge"))
    np.testing.assert_array_equal(F.pad(x, (1, 1), "circular"), np.pad(x, [(0, 0), (1, 1)], "wrap"))
    np.testing.assert_array_equal(F.pad(x, ()), x)


@pytest.mark.parametrize(
    ("pad", "options", "message"),
    [
        ((1,), {}, "a pair"),
        ((1,) * 6, {}, "at most 4"),
        ((1, 1), {"mode": "edge"}, "one of constant, reflect"),
        ((1, 1), {"mode": "reflect", "value": 1.0}, "only in the mode 'constant'"),
        ((-1, 0), {}, "must be at least 0"),
    ],
)
def test_pad_refuses(pad, options, message):
    with pytest.raises(ValueError, match=message):
        F.pad(np.ones((2, 3)), pad, **options)


def test_layer_norm_and_batch_norm_are_the_layers():
    x, weight, bias = random(5, 4), random(4, seed=1), random(4, seed=2)
    layer, batch = nn.LayerNorm(4, dtype=np.float64), nn.BatchNorm1d(4, dtype=np.float64)
    for module in (layer, batch):
        module.weight.assign(weight)
        module.bias.assign(bias)
    np.testing.assert_array_equal(F.layer_norm(x, (4,), weight, bias), layer(x).data)
    mean, var = np.zeros(4), Tensor(np.ones(4), requires_grad=False)
    np.testing.assert_array_equal(F.batch_norm(x, mean, var, weight, bias, training=True), batch(x).data)
    np.testing.assert_array_equal(mean, batch.running_mean.data)
    np.testing.assert_array_equal(var.data, batch.running_var.data)
    np.testing.assert_array_equal(F.batch_norm(x, mean, var, weight, bias), batch.eval()(x).data)
    np.testing.assert_array_equal(mean, batch.running_mean.data)
    np.testing.assert_allclose(F.batch_norm(x, None, None, eps=0.0).mean(0), 0, atol=1e-15)


def test_batch_norm_checks_before_it_changes_anything():
    mean, var = np.zeros(3), np.ones(3)
    with pytest.raises(ValueError, match="more than one value per channel"):
        F.batch_norm(np.ones((1, 3)), mean, var, training=True)
    with pytest.raises(ValueError, match="shape"):
        F.batch_norm(np.ones(3), mean, var, training=True)
    with pytest.raises(ValueError, match="reshape"):
        F.batch_norm(np.ones((2, 3)), mean, var, weight=np.ones(2), training=True)
    assert (mean.tolist(), var.tolist()) == ([0, 0, 0], [1, 1, 1])


def test_activations_take_torch_s_arguments():
    x = random(3, 4)
    assert F.leaky_relu(-1.0, negative_slope=0.2) == -0.2
    np.testing.assert_allclose(F.softmax(x, dim=0).sum(0), 1)
    np.testing.assert_allclose(np.exp(F.log_softmax(x, dim=1)).sum(1), 1)
    np.testing.assert_allclose(F.softmin(x, dim=1), F.softmax(-x, dim=1))
    np.testing.assert_allclose(F.glu(x), x[:, :2] / (1 + np.exp(-x[:, 2:])))
    with pytest.raises(ValueError, match="equal parts"):
        F.glu(x, dim=0)
    with pytest.raises(ValueError, match="alpha of celu"):
        F.celu(x, alpha=0)
    with pytest.raises(ValueError, match="min_val"):
        F.hardtanh(x, 1, 1)
    with pytest.raises(ValueError, match="one for each of the 4 channels"):
        F.prelu(x, [0.1, 0.2])


def test_every_function_against_torch():
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    theirs = torch.nn.functional
    x, y, weight = random(4, 3), random(4, 3, seed=1), random(3, seed=2)
    alone = "relu6 selu mish hardswish hardsigmoid softsign silu logsigmoid gelu relu tanh sigmoid"
    calls = [(name, (x,), {}) for name in alone.split()]
    calls += [
        (name, (x,), {"dim": dim}) for name in ("softmax", "log_softmax", "softmin") for dim in (0, 1, -1)
    ]
    calls += [
        ("glu", (x,), {"dim": 0}), ("prelu", (x, weight), {}), ("prelu", (random(2, 3, 4), weight), {}),
        ("prelu", (x, weight[:1]), {}), ("threshold", (x, 0.1, 5.0), {}), ("hardtanh", (x, -0.3, 0.4), {}),
        ("celu", (x, 0.7), {}), ("elu", (x, 0.7), {}), ("leaky_relu", (x, 0.3), {}), ("softplus", (x, 2.0),
        {}), ("normalize", (x,), {}), ("normalize", (x,), {"p": 1.0, "dim": 0}), ("normalize", (x, 3.0),
        {"dim": -1}), ("normalize", (x,), {"p": float("inf")}), ("cosine_similarity", (x, y), {}),
        ("cosine_similarity", (x, y), {"dim": 0}), ("pad", (x, (1, 2)), {"value": 3.0}),
        ("pad", (x, (1, 2, 3, 0)), {}), ("pad", (random(2, 4, 3), (2, 1)), {"mode": "reflect"}),
        ("pad", (random(2, 4, 3), (2, 1)), {"mode": "replicate"}), ("linear", (x, y), {}),
        ("pad", (random(2, 4, 3), (2, 1)), {"mode": "circular"}), ("layer_norm", (x, (3,), weight, weight),
        {}), ("batch_norm", (x, weight, weight**2, weight, weight), {}), ("batch_norm", (x, None, None),
        {"training": True}),
    ]  # fmt: skip
    for name, args, options in calls:
        mine = [Tensor(value) if isinstance(value, np.ndarray) else value for value in args]
        other = [torch.tensor(v, requires_grad=True) if isinstance(v, np.ndarray) else v for v in args]
        if name == "batch_norm":
            mine[1:3] = args[1:3]
            other[1:3] = [None if value is None else torch.tensor(value) for value in args[1:3]]
        out, expected = getattr(F, name)(*mine, **options), getattr(theirs, name)(*other, **options)
        grad = random(*out.shape, seed=9)
        out.backward(grad)
        expected.backward(torch.tensor(grad))
        np.testing.assert_allclose(out.data, expected.detach(), rtol=1e-7, atol=1e-12, err_msg=name)
        for ours, its in zip(mine, other):
            if isinstance(ours, Tensor):
                np.testing.assert_allclose(ours.grad.data, its.grad, rtol=1e-7, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("room", ["nn", "optim", "data"])
def test_no_module_has_the_name_of_a_torch_callable(room):
    torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")
    ours = getattr(ad, room)
    theirs = {"nn": [torch.nn, torch.nn.functional, torch.nn.utils], "optim": [torch.optim, torch.nn.utils],
              "data": [torch.utils.data]}[room]  # fmt: skip
    for name, value in vars(ours).items():
        if isinstance(value, types.ModuleType):
            assert not any(callable(getattr(other, name, None)) for other in theirs), name
