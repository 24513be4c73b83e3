"""The command ``python -m benchmarks.seeds``: it trains what it is asked to train, and prints one table."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import ONE_THREAD, head
from benchmarks.seeds import mnist
from benchmarks.seeds.__main__ import FAMILIES, trainings

ROOT = Path(__file__).resolve().parents[1]
GOALS = (
    "after the first epoch | at least 98.5",
    "third epoch | at least 99",
    "published 1.789",
    "conv, 400 steps: test accuracy | at least 95",
    "LSTM of 128 reads MNIST row by row, 800 steps: test accuracy | at least 95",
    "loss per letter of unseen names | at most 2.1",
    "GPT writes names, 1,000 steps",
    "transformer writes Shakespeare, 3,000 steps",
)


def run(*arguments):
    """The command without a folder of data."""
    env = {name: value for name, value in os.environ.items() if name != "AUTODIFF_DATA"} | ONE_THREAD
    command = [sys.executable, "-m", "benchmarks.seeds", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=180
    )


@pytest.mark.thorough
def test_one_command_trains_everything():
    done = run("--quick")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(head()) == 1
    table = done.stdout.partition(head())[2]
    for part in GOALS:
        assert part in table


def test_one_training_from_two_starts():
    done = run("dense", "--quick", "--seeds", "2")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.partition(head())[2].strip().splitlines()
    assert len(lines) == 2 + 2  # accuracy and time, an empty line, and the machine
    assert lines[0].partition("by seed ")[2].count(",") == 1  # a figure for each start


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["text"], ["gpt", "shakespeare"]),
        (["text", "gpt"], ["gpt", "shakespeare"]),
        (["recurrent", "dense"], ["dense", "lstm", "rnn30", "lstm30", "gru"]),
        ([], [name for members in FAMILIES.values() for name in members]),
    ],
)
def test_names_are_of_families_or_of_single_trainings(names, found):
    assert list(trainings(names)) == found


def test_no_name_stands_for_two_things():
    names = [*FAMILIES, *(name for members in FAMILIES.values() for name in members)]
    assert len(names) == len(set(names))


def test_an_unknown_name_is_refused():
    done = run("mnist", "gpt2")
    assert done.returncode == 2
    assert "there is no gpt2; there are mnist, recurrent, text, convnet, dense" in done.stderr


def test_the_convnet_has_its_parameters():
    assert sum(p.size for p in mnist.convnet().parameters()) == 1_199_882
