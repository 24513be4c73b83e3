"""The transformers of the text benchmark learn; their long runs are told in benchmarks/README.md."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from benchmarks import seeds_text

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("program", seeds_text.PROGRAMS)
def test_command_runs_and_prints_what_the_network_makes_up(program):
    command = [sys.executable, "-m", "benchmarks.seeds_text", program, "--quick", "--steps", "10"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "parameters" in lines[0]
    assert len(lines) >= 1 + 10 + 1


def test_the_tiny_gpt_has_microgpt_s_parameters_and_learns(capsys):
    net = seeds_text.TinyGPT(27)
    assert sum(parameter.size for parameter in net.parameters()) == 4_192
    losses = seeds_text.gpt(60, 0, quick=True)
    assert np.mean(losses[-12:]) < 0.75 * losses[0]
    assert capsys.readouterr().out.count(",") >= 19


def test_the_writer_has_about_200_000_parameters_and_learns(capsys):
    assert 195_000 < sum(parameter.size for parameter in seeds_text.Writer(65).parameters()) < 210_000
    curve = seeds_text.shakespeare(60, 0, quick=True)
    assert curve[-1][1] < 0.75 * curve[0][1]
    assert "parameters" in capsys.readouterr().out


@pytest.mark.parametrize("is_batched", [True, False])
def test_no_letter_is_seen_before_it_is_written(is_batched):
    ad.seed(0)
    net = seeds_text.Writer(10, 8, 2, 2, 6).eval() if is_batched else seeds_text.TinyGPT(10, 8, 2, 6)
    ids = np.array([[1, 2, 3, 4, 5, 6]]) if is_batched else np.array([1, 2, 3, 4, 5, 6])
    other = ids.copy()
    other[..., 3:] = 9
    np.testing.assert_array_equal(net(ids).data[..., :3, :], net(other).data[..., :3, :])
    assert (net(ids).data[..., 3:, :] != net(other).data[..., 3:, :]).any()
