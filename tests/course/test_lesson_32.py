"""Lesson 32: the numbers of its prose, the training in small, and the stored run on MNIST."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn, optim, training
from autodiff_course import runs
from autodiff_course.runs import lesson_32, store
from tests.course.stored import cells, lesson_path, prose, said
from tests.data.samples import write_mnist

pytest.importorskip("sklearn")

LESSON = lesson_path("32")
PROSE = prose(LESSON)
RUN = runs.stored("32")


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


def defined(*holds, **names):
    """What the cells with these words define, without what they show."""
    names = {"np": np, "ad": ad, "nn": nn, "optim": optim, "training": training, "data": data, **names}
    for words in holds:
        source = next(cell.source for cell in cells(LESSON) if words in cell.source)
        exec(re.split(r"\n(?:show_rows|draw|parts =|broken =)", source)[0], names)
    return names


@pytest.fixture(scope="module")
def lesson():
    """The names of the lesson before the training."""
    names = defined("pictures, digits =", noisy=lesson_32.noisy)
    return defined("spoiled =", "def error", "def network", "def learn", **names)


def test_the_noise_is_as_the_lesson_says(lesson):
    assert f"{len(lesson['seen']):,} to learn from, and {len(lesson['drawer'])} in the drawer" in PROSE
    noise = lesson["spoiled"] - lesson["drawer"]
    assert abs(noise.mean() - 0.3) < 0.005
    assert abs(noise.std() - 0.2) < 0.005
    assert printed("def error") == "noisy 0.13, minus 0.3 0.04\n"
    assert 0.66 < (abs(noise - 0.3) < 0.2).mean() < 0.70  # "about two thirds"


@pytest.mark.parametrize("seed", [0, 1])
def test_the_errors_lie_well_within_their_bounds(lesson, monkeypatch, seed):
    real = ad.seed
    monkeypatch.setattr(ad, "seed", lambda _: real(seed))
    learn, through, spoiled = lesson["learn"], lesson["through"], lesson["spoiled"]
    right = lesson["error"](through(learn(lambda clean, worse: clean), spoiled))
    wrong = lesson["error"](through(learn(lambda clean, worse: worse), spoiled))
    assert 0.02 < right < 0.028  # the lesson says 0.03
    assert wrong > 0.09  # the lesson says 0.08


def test_the_errors_are_as_the_lesson_says():
    assert printed("parts = learn").startswith("error below 0.03: True")
    assert printed("broken = through").startswith("error above 0.08: True")


def test_the_nudge_agrees_with_the_gradient():
    text = printed("bias = decoder")
    gradient, moved = float(re.search(r"gradient (\S+)", text)[1]), float(text.split()[-1])
    assert abs(moved / 0.01 / gradient - 1) < 0.03


# -- the stored run -----------------------------------------------------------------------------------------


def test_the_stored_run_is_what_the_prose_says():
    assert (store.RESULTS / "lesson_32.npz").stat().st_size < 100 * 1024
    assert "the sizes 784, 256, 64, 256 and 784" in PROSE
    assert lesson_32.SIZES == (784, 256, 64)
    assert f"for {len(RUN['loss'])} epochs" in PROSE
    assert (np.diff(RUN["loss"]) < 0).all()
    noisy, shifted, cleaned = (float(RUN[name]) for name in ("error_noisy", "error_shifted", "error"))
    said_so = f"noisy {noisy:.3f}, minus 0.3 {shifted:.3f}, cleaned {cleaned:.3f}"
    assert printed("run = runs.stored").startswith(said_so)
    assert abs(RUN["error"] / RUN["error_shifted"] - 1 / 3) < 0.03  # "a third"
    assert RUN["seconds"] < 15 * 60  # "a few minutes"


def test_the_pictures_of_the_stored_run():
    for name in ("clean", "noisy", "cleaned"):
        assert RUN[name].shape == (10, 28, 28)
        assert RUN[name].dtype == np.uint8
    assert RUN["walks"].shape == (len(lesson_32.WALKS), lesson_32.STEPS, 28, 28)
    assert RUN["walks_narrow"].shape == RUN["walks"].shape
    for (start, end), pictures in zip(lesson_32.WALKS, RUN["walks"], strict=True):
        ends = RUN["cleaned"][[start, end]].astype(int)
        assert abs(ends - pictures[[0, -1]]).max() <= 1  # a walk begins and ends at cleaned digits


def test_a_walk_fades_through_many_numbers_and_bends_through_few():
    bend = defined("def bend(", rows={}, run=RUN)["bend"]
    text = printed("def bend(")
    assert "3 to 8, pixels     0.0\n" in text
    for (a, b), many, few in zip(lesson_32.WALKS, RUN["walks"] / 255, RUN["walks_narrow"] / 255, strict=True):
        assert bend(many) < 0.3 < 0.35 < bend(few)
        assert f"{a} to {b}, 64 numbers {bend(many):.1f}\n{a} to {b}, 8 numbers  {bend(few):.1f}\n" in text
    assert f"with 64 numbers {RUN['error']:.3f}, with 8 {RUN['error_narrow']:.3f}" in text


def test_the_command_trains_in_small_what_it_trains_in_full(tmp_path, monkeypatch):
    write_mnist(tmp_path / "mnist", train=300, test=60)
    monkeypatch.setenv("AUTODIFF_DATA", str(tmp_path))
    found = lesson_32.run(300, 2)
    assert {*found, "seconds", "code"} == set(RUN)
    assert found["walks"].shape == RUN["walks"].shape
    assert len(found["loss"]) == 2


def test_without_mnist_the_command_says_what_to_do(monkeypatch):
    def missing(**_):
        raise data.DownloadError("not here")

    monkeypatch.setattr(data, "MNIST", missing)
    with pytest.raises(FileNotFoundError, match=r"autodiff\.data\.MNIST\(\)"):
        lesson_32.run()
