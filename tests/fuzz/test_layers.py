"""A few hundred random layers against PyTorch's, and more under ``--thorough``; the module's own command runs
any number."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import nn
from tests.fuzz.layers import DRAWS, LayerTrial, batch_norm, fuzz

torch = pytest.importorskip("torch", reason="a second opinion, for those who have PyTorch installed")


@pytest.mark.thorough
def test_random_layers_in_random_memory_layouts(pytestconfig):
    is_thorough = pytestconfig.getoption("--thorough")
    counts = fuzz(20_000 if is_thorough else 300, 1, seconds=45 if is_thorough else 20)
    assert len(counts) >= len(DRAWS)


def test_statistics_per_pixel_would_be_found(monkeypatch):
    def per_pixel(x, *, axis, eps=1e-5):
        apart = x - np.mean(x, axis=0, keepdims=True)
        return apart / np.sqrt(np.mean(apart * apart, axis=0, keepdims=True) + eps)

    monkeypatch.setattr(nn.normalization.normalize, "forward", per_pixel)
    with pytest.raises(AssertionError, match=r"trial \(0, \d+\): \w*BatchNorm(.|\n)*output 0"):
        fuzz(200, 0, [batch_norm])


def test_a_trial_can_be_run_again_by_its_numbers():
    one, other = LayerTrial((3, 14)), LayerTrial((3, 14))
    assert str(one) == str(other)
    for array, same in zip(one.arrays, other.arrays, strict=True):
        np.testing.assert_array_equal(array, same)
