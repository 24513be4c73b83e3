"""The MNIST benchmark runs, and its two contenders train the same network. How fast is not asserted here."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autodiff import data
from benchmarks import mnist
from benchmarks.__main__ import END, README
from benchmarks.measure import installed

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.thorough
def test_command_runs_and_says_whether_the_goals_are_reached():
    command = [sys.executable, "-m", "benchmarks.mnist", "--quick", "--epochs", "2", "--seeds", "1"]
    command += ["--kernels", "Haswell"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    epochs = [line for line in lines if line[:2] in (["1", "0.9658"], ["2", "0.9740"])]
    assert len(epochs) == 2 * 2
    assert all(float(accuracy) > 0.9 for _, _, accuracy, *_ in epochs)  # kinds of pictures that lie far apart
    assert done.stdout.count("| MNIST: best test accuracy | at least 98.2 |") == 2
    if "OpenBLAS for" in done.stdout and platform.machine() in ("x86_64", "AMD64"):
        assert "OpenBLAS for Haswell" in done.stdout.splitlines()[-1]


def test_readme_holds_a_table_for_each_choice_of_kernels():
    table = README.read_text(encoding="utf-8").partition(mnist.BEGIN)[2].partition(END)[0]
    assert table.count("MNIST: best test accuracy | at least 98.2 |") == 2
    assert table.count("OpenBLAS for Haswell") == 1


def test_the_table_must_be_measured_in_full():
    command = [sys.executable, "-m", "benchmarks.mnist", "--quick", "--write"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert "measured in full" in done.stderr


@pytest.mark.parametrize("contender", [mnist.ours, mnist.pytorch])
def test_the_contenders_learn(contender):
    if contender is mnist.pytorch and not installed("torch"):
        pytest.skip("torch is not installed")
    epoch, judge = contender(*mnist.sets(quick=True), seed=0)
    before = judge()
    epoch()
    assert before < 0.5
    assert judge() > 0.9


def test_the_published_figures_are_those_of_the_headline():
    assert len(mnist.PUBLISHED) == 20
    assert (mnist.PUBLISHED[0], max(mnist.PUBLISHED), mnist.PUBLISHED[-1]) == (0.9658, 0.9845, 0.9819)


def test_quick_pictures_are_like_real_ones():
    train, test = mnist.sets(quick=True)
    x, y = train.batch(range(5))
    assert (x.shape, x.dtype, y.shape) == ((5, 784), np.float32, (5,))
    assert (len(train), len(test)) == (1000, 500)


@pytest.mark.thorough
def test_growing_memory_is_seen(monkeypatch):
    train, test = (data.Subset(part, range(200)) for part in mnist.sets(quick=True))
    assert mnist.growth(train, test, epochs=4) < 0.1
    kept = []

    def leaking(train, test, seed):
        return lambda: kept.append(np.ones(2**20, np.uint8)), lambda: 1.0

    monkeypatch.setattr(mnist, "ours", leaking)
    assert mnist.growth(train, test, epochs=4) == pytest.approx(2, abs=0.1)
