"""Lesson 22: the numbers of its prose, the stored run on MNIST, and the command that makes it anew."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from autodiff import data, nn, optim
from autodiff_course import machine, runs
from autodiff_course.plots import lesson_22 as plots
from autodiff_course.runs import __main__ as command
from autodiff_course.runs import lesson_22, shared, store
from tests.course.stored import cells, lesson_path, prose, said
from tests.data.samples import write_mnist

ROOT = Path(__file__).resolve().parents[2]
LESSON = lesson_path("22")
PROSE = prose(LESSON)
RUN = runs.stored("22")


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


def defined(*holds, **names):
    """The names of the machine after the lesson, and those that the cells with these words define."""
    names = {"np": np, "nn": nn, "optim": optim, "data": data, **vars(machine.after(22)), **names}
    for words in holds:
        source = next(cell.source for cell in cells(LESSON) if words in cell.source)
        lines = [line for line in source.splitlines() if not line.startswith("from ")]
        exec("\n".join(lines), names)
    return names


# -- the small digits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("jitter", [0, 1e-9, 1e-7])
def test_the_small_digits_are_read_within_the_bound(jitter, capsys):
    pytest.importorskip("sklearn")
    names = defined("x, digits = data.digits()")
    noise = np.random.default_rng(1)
    for p in names["parameters"](names["net"]):
        p.data = p.data + jitter * noise.normal(size=p.shape)
    defined("losses = train(", **names)
    assert capsys.readouterr().out == printed("losses = train(")
    assert "more than 475 of 500 right: True" in printed("losses = train(")


def test_the_nudge_agrees_with_the_gradient():
    gradient, moved = map(
        float, re.findall(r"-?\d+\.\d{3,}", printed("weight.grad[26, 6]").replace("0.001 ", ""))
    )
    assert gradient != 0
    assert abs(moved / 0.001 - gradient) < 0.002


def test_the_package_has_the_same_losses():
    assert printed("their_adam") == "all 410 losses agree to 8 decimals: True\n"


def test_the_loader_loses_101_pictures_and_the_repaired_one_none(capsys):
    names = defined("class Loader", "def ever_seen", "class Repaired")
    assert capsys.readouterr().out == "896 of 997\n997 of 997\n"
    assert 997 - 896 == 997 % 128 == 101
    first, repaired = names["Loader"](997, 128, 0), names["Repaired"](997, 128, 0)
    assert np.array_equal(list(first), list(first))
    assert not np.array_equal(list(repaired), list(repaired))


# -- the stored run -----------------------------------------------------------------------------------------


def test_the_stored_run_reads_mnist_at_98_percent():
    assert RUN["right_60000"] >= 9800
    assert (
        printed("right_60000")
        == "the reference: 98.4% of the 10,000 test digits\nThe loss over 5 epochs: from 0.52 to 0.012."
    )
    assert "with 9,841 on its diagonal" in PROSE
    assert RUN["right_60000"] == 9841
    assert printed("right_10000") == f"{RUN['right_10000'] / 100:.0f} % of the 10,000 test digits\n"
    assert 9450 < RUN["right_10000"] < 9550
    assert (store.RESULTS / "lesson_22.npz").stat().st_size < 50 * 1024


def test_the_stored_run_has_what_the_prose_says():
    wrong = RUN["confusion"] * (1 - np.eye(10, dtype=int))
    assert f"{wrong.sum()} of the 10,000 are wrong" in PROSE
    assert "a probability of at least 98.9 %" in PROSE
    assert RUN["chance"].min() > 0.9885
    assert len(RUN["loss"]) == 30  # stretches of 100 steps in 5 epochs of 600
    drops = RUN["loss"][5:-1:6] - RUN["loss"][6::6]
    assert (drops > 0).all()  # at each new epoch
    sizes = lesson_22.SIZES
    assert f"{sum(i * o + o for i, o in pairwise(sizes)):,} numbers to learn" in PROSE


def test_the_rate_was_chosen_on_pictures_that_were_set_aside():
    shares = [f"{right / 100:.1f}" for right in RUN["right_aside"]]
    assert f"read {shares[0]}, {shares[1]} and {shares[2]} % of the other 10,000" in PROSE
    assert max(RUN["right_aside"]) - RUN["right_aside"][lesson_22.RATES.index(0.002)] < 10


def test_the_stored_run_agrees_with_itself():
    assert RUN["confusion"].sum() == 10_000
    assert np.trace(RUN["confusion"]) == RUN["right_60000"]
    assert RUN["picture"].shape == (12, 28, 28)
    assert RUN["picture"].dtype == RUN["sample"].dtype == np.uint8
    assert (RUN["is"] != RUN["said"]).all()
    assert (np.diff(RUN["chance"]) <= 0).all()
    assert all(RUN["confusion"][pair] for pair in zip(RUN["is"], RUN["said"]))


def test_the_stored_pictures_are_those_of_mnist():
    try:
        known, test = (data.MNIST(train=part, download=False) for part in (True, False))
    except data.DownloadError:
        pytest.skip("MNIST is not here")
    for picture, digit in zip(RUN["picture"], RUN["is"]):
        found = np.flatnonzero((test.data == picture).all(axis=(1, 2)))
        assert test.targets[found].tolist() == [digit]
    assert np.array_equal(RUN["sample"], known.data[:20])
    assert np.array_equal(RUN["sample_digits"], known.targets[:20])


def test_the_cell_and_the_command_train_the_same_network(tmp_path, monkeypatch):
    write_mnist(tmp_path / "mnist", train=300, test=60)
    monkeypatch.setenv("AUTODIFF_DATA", str(tmp_path))
    mnist = runs.mnist()
    assert mnist.pictures.shape == (300, 784)
    assert (mnist.pictures.min(), mnist.pictures.max()) == (0, 1)
    names = defined("def learn(count):", mnist=mnist)
    _, losses = names["learn"](250)
    _, others = lesson_22.trained(names, mnist, 250)
    assert losses == others
    assert len(losses) == 15


def test_a_full_run_stores_what_it_says(tmp_path, monkeypatch, capsys):
    write_mnist(tmp_path / "mnist", train=300, test=60)
    monkeypatch.setenv("AUTODIFF_DATA", str(tmp_path))
    monkeypatch.setattr(store, "RESULTS", tmp_path)
    full = lesson_22.run
    monkeypatch.setattr(lesson_22, "run", lambda: full(counts=(200, 300)))
    assert command.main(["22"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Your machine:")
    small = runs.stored("22")
    assert lines[1] == f"200 pictures: {small['right_200']} of 60 right"
    assert set(small) - {"right_200", "right_300"} == set(RUN) - {"right_10000", "right_60000"}
    assert np.trace(small["confusion"]) == small["right_300"]


def test_the_run_needs_mnist_and_says_where_it_comes_from(tmp_path, monkeypatch):
    monkeypatch.setattr(shared, "mnist", lambda dtype: None)
    with pytest.raises(FileNotFoundError, match=r"autodiff\.data\.MNIST\(\)"):
        lesson_22.run()


@pytest.mark.parametrize("names", [[], ["17"]])
def test_a_full_run_of_another_lesson_is_refused(names):
    line = [sys.executable, "-m", "autodiff_course.runs", *names]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, f"name one or more lessons: {', '.join(store.runs())}\n")


def test_the_surest_mistakes_come_first():
    chances = np.array([[0.9, 0.1], [0.4, 0.6], [0.8, 0.2], [0.3, 0.7]])
    found = lesson_22.mistakes(chances, np.array([1, 0, 0, 0]), np.arange(4), count=2)
    assert found["picture"].tolist() == [0, 3]
    assert found["said"].tolist() == [0, 1]
    assert found["chance"].tolist() == [0.9, 0.7]
    assert found["confusion"].tolist() == [[1, 2], [1, 0]]


# -- your own network ---------------------------------------------------------------------------------------


def test_the_readers_own_network_shows_what_it_mixes_up(tmp_path, monkeypatch):
    write_mnist(tmp_path / "mnist", train=1, test=60)
    monkeypatch.setenv("AUTODIFF_DATA", str(tmp_path))
    solutions = cells(LESSON.parent / "solutions" / LESSON.name)
    own = {"np": np}
    for name in ("confusion", "most_confused"):
        source = next(cell.source for cell in solutions if f"def {name}(" in cell.source)
        exec(source.partition("\n\n\ncheck(")[0], own)
    names = {**vars(machine.after(22)), **own, "mnist": runs.mnist(), "show_confusion": plots.show_confusion}
    names["net"] = names["Linear"](784, 10, np.random.default_rng(0))
    imported = "from autodiff_course.machine import no_grad\n"
    [code] = re.findall(f"```python\n{imported}(.*?)```", PROSE, flags=re.DOTALL)
    exec(code, names)
    assert names["table"].sum() == 60


# -- your file ----------------------------------------------------------------------------------------------


def test_the_file_that_is_shown_ends_with_this_lesson():
    shown = printed("machine.text(")
    assert "# 22 train: " in shown
    assert "Dropout" not in shown
