"""What the benchmarks compare computes the same gradients. How fast is not asserted here."""

from __future__ import annotations

import importlib.util
import random
import subprocess
import sys
from pathlib import Path

import pytest

import autodiff as ad
from benchmarks import array_mlp, chain, scalar_mlp
from benchmarks.__main__ import BEGIN, END, README, machine, workloads
from benchmarks.measure import Row

ROOT = Path(__file__).resolve().parents[1]
POINTS = 5


def test_scalar_network_s_slope_agrees_with_nudges():
    """Along one random direction, through all 337 parameters at once."""
    layers, data = scalar_mlp.network(ad.Tensor), scalar_mlp.points(POINTS)
    parameters = scalar_mlp.parameters(layers)
    scalar_mlp.loss_of(layers, data).backward()
    rng, before = random.Random(2), [p.item() for p in parameters]
    direction = [rng.gauss(0, 1) for _ in parameters]
    slope = sum(float(p.grad) * d for p, d in zip(parameters, direction))

    def loss_after(step):
        for p, value, d in zip(parameters, before, direction):
            p.data = value + step * d
        with ad.no_grad():
            return scalar_mlp.loss_of(layers, data).item()

    assert (loss_after(1e-6) - loss_after(-1e-6)) / 2e-6 == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("peer", ["micrograd", "torch"])
def test_scalar_network_s_gradients_agree_with_a_peer_s(peer):
    if importlib.util.find_spec(peer) is None:
        pytest.skip(f"{peer} is not installed")
    assert scalar_mlp.disagreement(peer, POINTS) < 1e-12


def test_array_network_s_gradients_agree_with_those_by_hand():
    assert array_mlp.disagreement(steps=2) < 1e-4


def test_chain_s_slope():
    x, y = chain.chain(1_000)
    y.backward()
    assert float(x.grad) == pytest.approx(chain.FACTOR**1_000)


def test_chain_s_memory_is_measured():
    figures = {row.what.partition(": ")[2]: row.median for row in chain.memory_per_node(length=2_000)}
    assert figures["recorded"] > 64  # no node is smaller: less would mean that nothing was counted
    assert figures["walked back, `.grad` not looked at"] > figures["recorded"]


@pytest.mark.parametrize(
    ("goal", "value", "reached"),
    [("at least 8", 8.0, True), ("at least 8", 7.9, False), ("at most 1.15", 1.2, False), ("", 1.0, None)],
)
def test_a_goal_is_judged_by_the_median(goal, value, reached):
    assert Row("a figure", goal, [0.0, value, 100.0]).reached is reached
    assert Row("not measured", goal, []).reached is None


def test_command_runs_a_workload_in_a_process_of_its_own():
    command = [sys.executable, "-m", "benchmarks", "chain-memory", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "bytes a node" in done.stdout
    assert machine() in done.stdout


def test_command_says_which_workloads_there_are():
    command = [sys.executable, "-m", "benchmarks", "chains"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert f"there is no chains; there are {', '.join(workloads())}" in done.stderr


def test_readme_holds_the_table():
    text = README.read_text(encoding="utf-8")
    table = text.partition(BEGIN)[2].partition(END)[0]
    assert table.count("| at least ") + table.count("| at most ") == 16
