"""Losses as modules: that each is the function of its name, with its settings."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import Tensor, nn
from tests.nn.helpers import random

PROBABILITIES = 1 / (1 + np.exp(-random(4, 3)))
WEIGHT = [1.0, 2.0, 0.1]
CASES = [
    (nn.MSELoss, nn.mse_loss, {}, random(4, 3, seed=1)),
    (nn.L1Loss, nn.l1_loss, {}, random(4, 3, seed=1)),
    (nn.HuberLoss, nn.huber_loss, {"delta": 0.3}, random(4, 3, seed=1)),
    (nn.SmoothL1Loss, nn.smooth_l1_loss, {"beta": 0.3}, random(4, 3, seed=1)),
    (nn.NLLLoss, nn.nll_loss, {"weight": WEIGHT, "ignore_index": 0}, [0, 1, 2, 1]),
    (
        nn.CrossEntropyLoss,
        nn.cross_entropy,
        {"weight": WEIGHT, "ignore_index": 0, "label_smoothing": 0.1, "temperature": 2.0},
        [0, 1, 2, 1],
    ),
    (nn.BCELoss, nn.binary_cross_entropy, {"weight": WEIGHT}, PROBABILITIES),
    (
        nn.BCEWithLogitsLoss,
        nn.binary_cross_entropy_with_logits,
        {"weight": WEIGHT, "pos_weight": [3.0, 1.0, 1.0]},
        PROBABILITIES,
    ),
    (nn.KLDivLoss, nn.kl_div, {"log_target": True}, random(4, 3, seed=1)),
]


@pytest.mark.parametrize(("module", "function", "options", "target"), CASES)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_a_module_is_its_function(module, function, options, target, reduction):
    x = PROBABILITIES
    expected = function(x, target, reduction=reduction, **options)
    np.testing.assert_allclose(module(reduction=reduction, **options)(x, target), expected, rtol=1e-12)
    for name in options:  # each by itself
        alone = {name: options[name]}
        expected = function(x, target, **alone)
        np.testing.assert_allclose(module(**alone)(x, target), expected, rtol=1e-12)


@pytest.mark.parametrize(("module", "function", "options", "target"), CASES)
def test_an_unknown_reduction_is_refused_at_once(module, function, options, target):
    with pytest.raises(ValueError, match="reduction must be one of"):
        module(reduction="average")


@pytest.mark.parametrize(
    ("module", "options"),
    [
        (nn.HuberLoss, {"delta": 0}),
        (nn.SmoothL1Loss, {"beta": -1}),
        (nn.CrossEntropyLoss, {"label_smoothing": 1.5}),
        (nn.CrossEntropyLoss, {"temperature": 0}),
    ],
)
def test_a_setting_out_of_range_is_refused_at_once(module, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        module(**options)


def test_batchmean_is_for_the_divergence():
    x = PROBABILITIES
    assert nn.KLDivLoss(reduction="batchmean")(x, x) == nn.kl_div(x, x, "batchmean")
    with pytest.raises(ValueError, match="reduction must be one of"):
        nn.MSELoss("batchmean")


def test_weights_are_buffers():
    loss = nn.CrossEntropyLoss(WEIGHT)
    assert [name for name, _ in loss.named_buffers()] == ["weight"]
    assert list(loss.parameters()) == []
    assert loss.state_dict()["weight"].tolist() == WEIGHT
    with pytest.raises(TypeError, match="weight is a constant"):
        nn.CrossEntropyLoss(Tensor(WEIGHT))
    with pytest.raises(TypeError, match="real numbers, not 'heavy'"):
        nn.CrossEntropyLoss("heavy")


def test_weights_keep_their_dtype():
    assert nn.CrossEntropyLoss(np.float32(WEIGHT)).weight.dtype == np.float32
    assert nn.CrossEntropyLoss(WEIGHT).weight.dtype == np.float64
    assert nn.CrossEntropyLoss([1, 2, 3]).weight.dtype == np.float64  # a saved 0.5 can be loaded
    out = nn.CrossEntropyLoss(WEIGHT)(Tensor(np.float32(random(4, 3))), [0, 1, 2, 1])
    assert out.dtype == np.float32


def test_the_repr_lists_settings_other_than_the_defaults():
    assert repr(nn.MSELoss()) == "MSELoss()"
    assert repr(nn.HuberLoss("sum", 2.0)) == "HuberLoss(reduction='sum', delta=2.0)"
    assert repr(nn.KLDivLoss(log_target=True)) == "KLDivLoss(log_target=True)"


def test_a_loss_draws_as_a_box():
    assert nn.MSELoss()(Tensor([1.0]), [0.0]).scope == ("MSELoss",)
