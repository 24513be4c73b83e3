"""The transformers of ``benchmarks/seeds/text.py`` on small texts: they run, and they learn."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from benchmarks.seeds import text


def test_the_tiny_gpt_has_microgpt_s_parameters_and_learns(capsys):
    net = text.TinyGPT(27)
    assert sum(parameter.size for parameter in net.parameters()) == 4_192
    losses = text.gpt(60, 0, quick=True)
    assert np.mean(losses[-12:]) < 0.75 * losses[0]
    assert capsys.readouterr().out.count(",") >= 19


def test_the_writer_has_about_200_000_parameters_and_learns(capsys):
    assert 195_000 < sum(parameter.size for parameter in text.Writer(65).parameters()) < 210_000
    curve = text.shakespeare(60, 0, quick=True)
    assert curve[-1][1] < 0.75 * curve[0][1]
    assert "parameters" in capsys.readouterr().out


@pytest.mark.parametrize("is_batched", [True, False])
def test_no_letter_is_seen_before_it_is_written(is_batched):
    ad.seed(0)
    net = text.Writer(10, 8, 2, 2, 6).eval() if is_batched else text.TinyGPT(10, 8, 2, 6)
    ids = np.array([[1, 2, 3, 4, 5, 6]]) if is_batched else np.array([1, 2, 3, 4, 5, 6])
    other = ids.copy()
    other[..., 3:] = 9
    np.testing.assert_array_equal(net(ids).data[..., :3, :], net(other).data[..., :3, :])
    assert (net(ids).data[..., 3:, :] != net(other).data[..., 3:, :]).any()
