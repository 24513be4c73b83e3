"""Losses as functions: values by hand, gradients, options, large logits, and errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autodiff as ad
from autodiff import Tensor, gradcheck, gradgradcheck, nn
from autodiff.engine.backward import gradients
from tests.nn.helpers import random

BINARY = np.array([[1.0, 0.0, 0.3], [0.0, 1.0, 0.9]])
LOGITS = random(4, 3)
CLASSES = [2, 0, 1, 1]
LIKELY = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
WEIGHT = np.array([1.0, 2.0, 0.5])


def through_sigmoid(loss):
    return lambda x, *rest, **options: loss(ad.sigmoid(x), *rest, **options)


def through_log_softmax(loss):
    return lambda x, *rest, **options: loss(ad.log_softmax(x, axis=1), *rest, **options)


# Each loss as a function of free numbers: input, target, options.
CASES = {
    "mse_loss": (nn.mse_loss, random(2, 3), random(2, 3, seed=1), {}),
    "l1_loss": (nn.l1_loss, random(2, 3), random(2, 3, seed=1), {}),
    "huber_loss": (nn.huber_loss, 2 * random(2, 3), random(2, 3, seed=1), {}),
    "huber_loss, delta": (nn.huber_loss, 2 * random(2, 3), random(2, 3, seed=1), {"delta": 0.3}),
    "smooth_l1_loss": (nn.smooth_l1_loss, 2 * random(2, 3), random(2, 3, seed=1), {}),
    "smooth_l1_loss, beta": (nn.smooth_l1_loss, 2 * random(2, 3), random(2, 3, seed=1), {"beta": 0.3}),
    "smooth_l1_loss, beta 0": (nn.smooth_l1_loss, random(2, 3), random(2, 3, seed=1), {"beta": 0}),
    "nll_loss": (nn.nll_loss, LOGITS, CLASSES, {}),
    "nll_loss, weight": (nn.nll_loss, LOGITS, CLASSES, {"weight": WEIGHT}),
    "nll_loss, ignore": (nn.nll_loss, LOGITS, [2, -100, 1, 0], {}),
    "nll_loss, ignore 1": (nn.nll_loss, LOGITS, CLASSES, {"ignore_index": 1, "weight": WEIGHT}),
    "nll_loss, one example": (nn.nll_loss, LOGITS[0], 2, {}),
    "nll_loss, axes": (nn.nll_loss, random(2, 3, 2), [[0, 1], [2, 2]], {}),
    "cross_entropy": (nn.cross_entropy, LOGITS, CLASSES, {}),
    "cross_entropy, weight": (nn.cross_entropy, LOGITS, CLASSES, {"weight": WEIGHT}),
    "cross_entropy, smoothed": (nn.cross_entropy, LOGITS, CLASSES, {"label_smoothing": 0.2}),
    "cross_entropy, all": (
        nn.cross_entropy,
        LOGITS,
        CLASSES,
        {"label_smoothing": 0.2, "weight": WEIGHT, "ignore_index": 0, "temperature": 2.5},
    ),
    "cross_entropy, temperature": (nn.cross_entropy, LOGITS, CLASSES, {"temperature": 0.3}),
    "cross_entropy, one example": (nn.cross_entropy, LOGITS[0], 1, {}),
    "cross_entropy, axes": (nn.cross_entropy, random(2, 3, 2), [[0, 1], [2, 2]], {"weight": WEIGHT}),
    "cross_entropy, likely": (nn.cross_entropy, LOGITS, LIKELY, {}),
    "cross_entropy, likely, all": (
        nn.cross_entropy,
        LOGITS,
        LIKELY,
        {"label_smoothing": 0.2, "weight": WEIGHT, "temperature": 2.5},
    ),
    "binary_cross_entropy": (through_sigmoid(nn.binary_cross_entropy), random(2, 3), BINARY, {}),
    "binary_cross_entropy, weight": (
        through_sigmoid(nn.binary_cross_entropy),
        random(2, 3),
        BINARY,
        {"weight": WEIGHT},
    ),
    "with_logits": (nn.binary_cross_entropy_with_logits, random(2, 3), BINARY, {}),
    "with_logits, weight": (
        nn.binary_cross_entropy_with_logits,
        random(2, 3),
        BINARY,
        {"weight": WEIGHT, "pos_weight": [2.0, 1.0, 3.0]},
    ),
    "kl_div": (through_log_softmax(nn.kl_div), LOGITS, LIKELY, {}),
    "kl_div, logarithms": (
        through_log_softmax(nn.kl_div),
        LOGITS,
        np.log(LIKELY + 0.1),
        {"log_target": True},
    ),
}
every_loss = pytest.mark.parametrize("name", CASES)


@every_loss
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_first_and_second_derivatives(name, reduction):
    loss, x, target, options = CASES[name]

    def called(x):
        return loss(x, target, reduction=reduction, **options)

    gradcheck(called, x)
    gradgradcheck(called, x)


@every_loss
def test_reductions_are_sums_and_means_of_the_same_values(name):
    loss, x, target, options = CASES[name]
    each, summed, mean = (
        np.asarray(loss(Tensor(x), target, reduction=reduction, **options).data)
        for reduction in ("none", "sum", "mean")
    )
    assert summed.shape == mean.shape == ()
    assert summed == pytest.approx(each.sum())
    if "weight" not in options and "ignore" not in name:
        assert mean == pytest.approx(each.mean())


@every_loss
def test_the_upstream_gradient_is_a_factor(name):
    loss, x, target, options = CASES[name]
    once, thrice, seeded = Tensor(x), Tensor(x), Tensor(x)
    loss(once, target, **options).backward()
    (loss(thrice, target, **options) * 3).backward()
    loss(seeded, target, **options).backward(3)
    np.testing.assert_allclose(thrice.grad.data, 3 * once.grad.data, rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(seeded.grad.data, 3 * once.grad.data, rtol=1e-13, atol=1e-16)


@every_loss
def test_two_losses_on_one_leaf_add_their_gradients(name):
    loss, x, target, options = CASES[name]
    both, alone = Tensor(x), Tensor(x)
    loss(alone, target, **options).backward()
    loss(both, target, **options).backward()
    nn.mse_loss(both, np.zeros(np.shape(x)), reduction="sum").backward()
    np.testing.assert_allclose(both.grad.data, alone.grad.data + 2 * np.asarray(x))


@every_loss
def test_plain_data_gives_plain_values_of_the_same_size(name):
    loss, x, target, options = CASES[name]
    plain = loss(x, target, **options)
    assert not isinstance(plain, Tensor)
    assert plain == pytest.approx(loss(Tensor(x), target, **options).item())
    given = Tensor(np.asarray(target), requires_grad=False)
    assert loss(Tensor(x), given, **options).item() == pytest.approx(plain)


@every_loss
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_float32_stays_float32(name, reduction):
    loss, x, target, options = CASES[name]
    x = Tensor(np.float32(x))
    out = loss(x, target, reduction=reduction, **options)
    out.sum().backward()
    assert out.dtype == x.grad.dtype == np.float32


@every_loss
def test_an_unknown_reduction_is_refused(name):
    loss, x, target, options = CASES[name]
    with pytest.raises(ValueError, match="reduction must be one of 'mean', 'sum', 'none'"):
        loss(Tensor(x), target, reduction="average", **options)


@every_loss
def test_a_target_that_requires_a_gradient_is_refused(name):
    loss, x, target, options = CASES[name]
    with pytest.raises(TypeError, match="a target is a constant"):
        loss(Tensor(x), Tensor(target), **options)


@every_loss
def test_targets_of_another_shape_are_refused(name):
    loss, x, target, options = CASES[name]
    with pytest.raises(ValueError, match="shape"):
        loss(Tensor(x), np.zeros((*np.shape(target), 1)), **options)


@pytest.mark.parametrize(
    "loss", [nn.mse_loss, nn.l1_loss, nn.huber_loss, nn.binary_cross_entropy_with_logits, nn.kl_div]
)
def test_a_column_is_not_compared_with_a_row(loss):
    with pytest.raises(ValueError, match=r"of shape \(4, 1\).* the target has the shape \(4,\)"):
        loss(Tensor(random(4, 1)), np.zeros(4))


# -- regression -------------------------------------------------------------------------------------------


def test_numbers_by_hand():
    x, target = Tensor([1.0, -2.0, 4.0]), [1.5, -2.0, 1.0]
    assert nn.mse_loss(x, target, "none").data.tolist() == [0.25, 0, 9]
    assert nn.l1_loss(x, target, "none").data.tolist() == [0.5, 0, 3]
    assert nn.huber_loss(x, target, "none").data.tolist() == [0.125, 0, 2.5]
    assert nn.huber_loss(x, target, "none", delta=2.0).data.tolist() == [0.125, 0, 4]
    assert nn.smooth_l1_loss(x, target, "none", beta=2.0).data.tolist() == [0.0625, 0, 2]
    assert nn.mse_loss(Tensor(3.0), 1).item() == 4


def test_huber_is_smooth_where_input_and_target_are_equal():
    x = Tensor([1.0])
    (first,) = gradients(nn.huber_loss(x, [1.0], "sum"), [x], create_graph=True)
    first.backward()
    assert (first.item(), x.grad.item()) == (0, 1)


def test_the_gradient_of_an_infinite_outlier_is_limited():
    x = Tensor([math.inf, -math.inf, 5.0, math.nan])
    loss = nn.huber_loss(x, [0.0] * 4, "none", delta=2.0)
    loss.sum().backward()
    np.testing.assert_equal(loss.data, [math.inf, math.inf, 8, math.nan])
    np.testing.assert_equal(x.grad.data, [2, -2, 2, math.nan])
    assert nn.huber_loss(3.0, 0.0, delta=math.inf) == 4.5


def test_a_target_too_large_for_the_input_s_dtype_is_infinite():
    assert nn.mse_loss(Tensor(np.float32([1.0])), [1e300]).item() == math.inf


@pytest.mark.parametrize("beta", [0, 0.3, 1])
def test_an_error_names_the_loss_that_was_called(beta):
    with pytest.raises(ValueError, match=r"^smooth_l1_loss takes"):
        nn.smooth_l1_loss([1.0], [[1.0]], beta=beta)
    with pytest.raises(TypeError, match="the target of smooth_l1_loss, "):
        nn.smooth_l1_loss([1.0], Tensor([1.0]), beta=beta)
    with pytest.raises(TypeError, match="the weight of nll_loss, "):
        nn.nll_loss(LOGITS, CLASSES, Tensor(WEIGHT))


def test_bounds_are_checked():
    with pytest.raises(ValueError, match="delta of huber_loss must be above 0"):
        nn.huber_loss(1.0, 2.0, delta=0)
    with pytest.raises(ValueError, match="beta of smooth_l1_loss must be at least 0"):
        nn.smooth_l1_loss(1.0, 2.0, beta=-1)


# -- classification ---------------------------------------------------------------------------------------


def test_the_softmax_is_in_the_gradient_of_the_cross_entropy():
    logits = Tensor([[1.0, 2.0, 3.0]])
    nn.cross_entropy(logits, [0]).backward()
    softmax = np.exp([1, 2, 3]) / np.exp([1, 2, 3]).sum()
    np.testing.assert_allclose(logits.grad.data, [softmax - [1, 0, 0]])


def test_cross_entropy_by_hand():
    logits = Tensor([[math.log(1), math.log(3)], [math.log(4), math.log(1)]])
    assert nn.cross_entropy(logits, [1, 0], reduction="none").data.tolist() == pytest.approx(
        [-math.log(0.75), -math.log(0.8)]
    )
    assert nn.cross_entropy(logits, [1, 0], [2.0, 1.0]).item() == pytest.approx(
        (-math.log(0.75) - 2 * math.log(0.8)) / 3
    )
    likely = nn.cross_entropy(logits, [[0.5, 0.5], [1.0, 0.0]], reduction="none")
    assert likely.data.tolist() == pytest.approx([-(math.log(0.25) + math.log(0.75)) / 2, -math.log(0.8)])


@pytest.mark.parametrize("target", [CLASSES, LIKELY], ids=["classes", "probabilities"])
def test_the_temperature_divides_the_logits(target):
    hot, plain = Tensor(LOGITS), Tensor(LOGITS / 4)
    a = nn.cross_entropy(hot, target, temperature=4.0)
    b = nn.cross_entropy(plain, target)
    a.backward()
    b.backward()
    assert a.item() == pytest.approx(b.item())
    np.testing.assert_allclose(hot.grad.data, plain.grad.data / 4)
    with pytest.raises(ValueError, match="temperature"):
        nn.cross_entropy(hot, target, temperature=0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cross_entropy_is_finite_at_1000(dtype):
    logits = Tensor(np.array([[1000, -1000], [1000, -1000]], dtype))
    loss = nn.cross_entropy(logits, [0, 1], reduction="none")
    loss.sum().backward()
    assert loss.data.tolist() == [0, 2000]
    assert logits.grad.data.tolist() == [[0, 0], [1, -1]]
    smoothed = nn.cross_entropy(logits, [0, 1], label_smoothing=0.1, reduction="none")
    assert smoothed.data.tolist() == pytest.approx([100, 1900])
    likely = nn.cross_entropy(logits, [[1.0, 0.0], [0.0, 1.0]], reduction="none")
    assert likely.data.tolist() == [0, 2000]


def test_nll_of_log_softmax_is_the_cross_entropy():
    x, y = Tensor(LOGITS), Tensor(LOGITS)
    a = nn.nll_loss(ad.log_softmax(x), CLASSES, WEIGHT)
    b = nn.cross_entropy(y, CLASSES, WEIGHT)
    a.backward()
    b.backward()
    assert a.item() == pytest.approx(b.item())
    np.testing.assert_allclose(x.grad.data, y.grad.data, atol=1e-16)


def test_ignored_examples_have_no_effect():
    x = Tensor(np.where(np.arange(4)[:, None] == 1, np.nan, LOGITS))
    loss = nn.nll_loss(x, [2, -100, 1, 1])
    loss.backward()
    expected = nn.nll_loss(LOGITS[[0, 2, 3]], [2, 1, 1])
    assert loss.item() == pytest.approx(expected)
    assert x.grad.data[1].tolist() == [0, 0, 0]
    assert math.isnan(nn.nll_loss(Tensor(LOGITS), [-100] * 4).item())
    assert nn.nll_loss(Tensor(LOGITS), [-100] * 4, reduction="sum").item() == 0
    assert math.isnan(nn.nll_loss(LOGITS, [-100] * 4))


def test_one_hot_integers_are_probabilities():
    one_hot = np.eye(3, dtype=int)[CLASSES]
    assert nn.cross_entropy(LOGITS, one_hot) == pytest.approx(nn.cross_entropy(LOGITS, CLASSES))


@pytest.mark.parametrize("loss", [nn.cross_entropy, nn.nll_loss])
def test_classes_are_checked(loss):
    x = Tensor(LOGITS)
    for wrong in (3, -1):
        with pytest.raises(IndexError, match=f"has the class {wrong}, but the input has 3 classes"):
            loss(x, [0, 1, 2, wrong])
    with pytest.raises(TypeError, match="are integers, not float64"):
        loss(x, [0.0, 1.0, 2.0, 0.0])
    with pytest.raises(ValueError, match=r"target of classes of shape \(4,\).* not one of shape \(3,\)"):
        loss(x, [0, 1, 2])
    with pytest.raises(ValueError, match=r"one number per class, shape \(3,\), not \(2,\)"):
        loss(x, CLASSES, [1.0, 2.0])
    with pytest.raises(TypeError, match="weight is a constant"):
        loss(x, CLASSES, Tensor(WEIGHT))
    for empty, target in ((1.0, 0), (np.zeros((3, 0)), np.zeros((3, 0)))):
        with pytest.raises(ValueError, match=r"takes inputs of shape \(N, C\)"):
            loss(Tensor(empty), target)


@pytest.mark.parametrize("target", [[0, 1], [[1.0, 0.0], [0.0, 1.0]]], ids=["classes", "probabilities"])
def test_label_smoothing_distributes_a_fraction_over_all_classes(target):
    x = np.log([[0.8, 0.2], [0.4, 0.6]])
    loss = nn.cross_entropy(x, target, label_smoothing=0.2, reduction="none")
    a, b, c, d = -x.ravel()
    assert loss == pytest.approx([0.9 * a + 0.1 * b, 0.1 * c + 0.9 * d])


def test_settings_of_the_cross_entropy_are_checked():
    for smoothing in (-0.1, 1.1):
        with pytest.raises(ValueError, match="label_smoothing"):
            nn.cross_entropy(LOGITS, CLASSES, label_smoothing=smoothing)
    with pytest.raises(ValueError, match="ignore_index"):
        nn.cross_entropy(LOGITS, LIKELY, ignore_index=1)


# -- two classes, and distributions -----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sigmoid_cross_entropy_is_1000_or_0_at_1000(dtype):
    x = Tensor(np.array([-1000, -1000, 1000, 1000], dtype))
    loss = nn.binary_cross_entropy_with_logits(x, [1, 0, 1, 0], reduction="none")
    loss.sum().backward()
    assert loss.data.tolist() == [1000, 0, 0, 1000]
    assert x.grad.data.tolist() == [-1, 0, 0, 1]


def test_sigmoid_cross_entropy_is_exact_where_it_is_small():
    loss = nn.binary_cross_entropy_with_logits(Tensor([40.0, -40.0]), [1, 0], reduction="none")
    assert loss.data.tolist() == pytest.approx([math.exp(-40)] * 2, rel=1e-12, abs=0)


def test_binary_cross_entropy_by_hand():
    p, t = Tensor([0.25, 0.25, 0.5]), [1.0, 0.0, 0.5]
    expected = [-math.log(0.25), -math.log(0.75), math.log(2)]
    assert nn.binary_cross_entropy(p, t, reduction="none").data.tolist() == pytest.approx(expected)
    assert nn.binary_cross_entropy(p, t, [2.0, 1.0, 0.0]).item() == pytest.approx(
        (2 * expected[0] + expected[1]) / 3
    )
    positive = nn.binary_cross_entropy_with_logits(Tensor(0.0), 1.0, pos_weight=3.0).item()
    assert positive == pytest.approx(3 * math.log(2))


def test_probabilities_of_0_and_1_give_no_infinity():
    p = Tensor(np.float32([0, 1, 0, 1]))
    loss = nn.binary_cross_entropy(p, [1, 0, 0, 1], reduction="none")
    loss.sum().backward()
    assert loss.data.tolist() == [100, 100, 0, 0]
    assert np.isfinite(p.grad.data).all()
    assert np.sign(p.grad.data).tolist() == [-1, 1, 1, -1]


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_probabilities_are_from_0_to_1(p):
    with pytest.raises(ValueError, match=f"takes probabilities, between 0 and 1, not {p};"):
        nn.binary_cross_entropy(Tensor([0.5, p]), [1, 0])


def test_weights_must_broadcast_to_the_input():
    for weight in (np.ones(4), np.ones((5, 2, 3))):
        with pytest.raises(ValueError, match="does not broadcast"):
            nn.binary_cross_entropy_with_logits(Tensor(random(2, 3)), BINARY, weight)


def test_kl_div():
    x = Tensor(np.log([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25]]))
    target = [[1.0, 0.0, 0.0], [0.5, 0.25, 0.25]]
    assert nn.kl_div(x, target, "sum").item() == pytest.approx(math.log(2))
    assert nn.kl_div(x, target, "batchmean").item() == pytest.approx(math.log(2) / 2)
    assert nn.kl_div(x, target, "mean").item() == pytest.approx(math.log(2) / 6)
    logarithms = [[0.0, -math.inf, -math.inf], np.log(target[1])]
    assert nn.kl_div(x, logarithms, "sum", log_target=True).item() == pytest.approx(math.log(2))


@pytest.mark.parametrize(("target", "log_target"), [([0.5, 0.0], False), ([math.log(0.5), -math.inf], True)])
def test_kl_div_is_0_where_the_target_is(target, log_target):
    """Even where the input is the logarithm of 0, as for a masked class."""
    x = Tensor([math.log(0.25), -math.inf])
    loss = nn.kl_div(x, target, "none", log_target)
    loss.sum().backward()
    assert loss.data.tolist() == pytest.approx([0.5 * math.log(2), 0])
    assert x.grad.data.tolist() == [-0.5, 0]
    np.testing.assert_array_equal(nn.kl_div(x.data, target, "none", log_target), loss.data)


def test_kl_div_shows_a_nan_also_where_the_target_is_0():
    """It must not be hidden; PyTorch shows it too."""
    for log_target, nothing in ((False, 0.0), (True, -np.inf)):
        loss = nn.kl_div(Tensor([np.nan, -1.0, -np.inf]), [nothing] * 3, "none", log_target)
        np.testing.assert_array_equal(loss.data, [np.nan, 0, 0])
