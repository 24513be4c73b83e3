"""Lesson 33: the numbers of its prose, the games in small with other seeds, and the stored run on MNIST."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, nn, optim
from autodiff_course import runs
from autodiff_course.runs import lesson_33, store
from tests.course.stored import cells, lesson_path, prose, said
from tests.data.samples import write_mnist

pytest.importorskip("sklearn")

LESSON = lesson_path("33")
PROSE = prose(LESSON)
RUN = runs.stored("33")
NAMES = ("dense", "conv")


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


def defined(*holds, **names):
    """What the cells with these words define, without what they train and show."""
    names = {"np": np, "ad": ad, "nn": nn, "optim": optim, "data": data, **names}
    for words in holds:
        source = next(cell.source for cell in cells(LESSON) if words in cell.source)
        exec(re.split(r"\n(?:show_ten|forger, judge =|strong =|plots|show_rows)", source)[0], names)
    return names


@pytest.fixture(scope="module")
def lesson():
    """The names of the lesson, without its trainings."""
    given = {name: getattr(lesson_33, name) for name in ("judge_loss", "forger_loss", "different")}
    names = defined("def players(", "def play(", "def strong_judge(", **given)
    names["pictures"] = names["pictures"].astype(np.float32)
    return names


@pytest.fixture(scope="module")
def read(lesson):
    """What reads the small digits in the lesson."""
    return lesson_33.reader_of(lesson["pictures"], lesson["digits"], epochs=20)


@pytest.fixture(params=[0, 1])
def seed(request, monkeypatch):
    """The lesson with this seed in the place of 0."""
    real = ad.seed
    monkeypatch.setattr(ad, "seed", lambda k: real(request.param if k == 0 else k))
    return request.param


# -- the losses ---------------------------------------------------------------------------------------------


def test_the_table_of_the_judge_s_loss():
    real, forged = ad.Tensor([2.0]), ad.Tensor([-1.0])
    assert f"{ad.softplus(-real).item():.3f}" == "0.127"
    assert f"{ad.softplus(forged).item():.3f}" == "0.313"
    assert f"{lesson_33.judge_loss(real, forged).item():.3f}" == "0.440"
    for shown in ("softplus(−2) = 0.127", "softplus(−1) = 0.313", "| 0.440 |"):
        assert shown in PROSE


def test_the_nudge_agrees_with_the_gradient():
    text = printed("bias = forger[4].bias")
    gradient, moved = float(re.search(r"gradient (\S+)", text)[1]), float(text.split()[-1])
    assert abs(moved / 0.1 / gradient - 1) < 0.03


def test_the_slope_of_a_flat_loss():
    score = ad.Tensor(-15.0)
    (-ad.softplus(score)).backward()
    assert f"{score.grad.item():.7f}" == "-0.0000003"
    assert "a slope of about −0.0000003" in PROSE


# -- the games ----------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_game_comes_to_all_the_digits(lesson, read, seed):
    rows, losses = lesson["play"](*lesson["players"](0), (100, 300, 1000), (0.002, 0.01))
    assert lesson_33.different(read(rows["1,000 steps"]), 5) >= 9
    assert lesson_33.different(read(rows["100 steps"]), 5) < 9
    gaps = np.square(rows["1,000 steps"][:200, None] - lesson["pictures"][None]).sum(axis=2).min(axis=1)
    assert 2 < np.median(gaps) < 4  # the solutions say about 2.6
    later = np.mean(losses[500:], axis=0)
    assert 0.3 < later[0] < 2 * np.log(2)  # "neither goes to 0"
    assert later[1] > np.log(2)
    first, then = np.mean(losses[:50], axis=0), np.mean(losses[100:200], axis=0)
    assert then[0] < first[0]  # "at first the judge gets ahead"
    assert then[1] > later[1]  # "then the forger gets better"
    assert then[0] < later[0]  # "and the judge's rises"
    assert (read(lesson["pictures"]) == lesson["digits"]).mean() > 0.96  # the lesson says 0.95


@pytest.mark.thorough
def test_a_slow_judge_lets_the_forger_collapse(lesson, read, seed):
    rows, losses = lesson["play"](*lesson["players"](0), (150, 300, 400), (0.002, 0.0001))
    del rows["0 steps"]
    for row in rows.values():
        assert lesson_33.different(read(row), 5) <= 2  # the lesson says 3
        spread, real = row.std(axis=0).mean(), lesson["pictures"].std(axis=0).mean()
        assert spread < 0.3 * real  # "nearly the same picture"
    # "both players lie on their dotted lines"
    assert abs(np.mean(losses[50:], axis=0) - [2 * np.log(2), np.log(2)]).max() < 0.1


@pytest.mark.thorough
def test_a_strong_judge_stops_one_loss_and_not_the_other(lesson, seed):
    strong = lesson["strong_judge"]()
    with ad.no_grad():
        scores = strong(lesson["forge"](lesson["players"](0)[0], 500)).numpy()
    assert -17 < scores.mean() < -13  # "about -15"
    sizes, moved = {}, {}
    for name in ("forger_loss", "opposite"):
        sizes[name] = lesson["size_of_gradient"](*lesson["beside"](strong), lesson[name])
        rows = lesson["play"](*lesson["beside"](strong), (200,), (0.002, 0.01), lesson[name])[0]
        moved[name] = abs(rows["200 steps"] - rows["0 steps"]).mean()
    assert sizes["forger_loss"] > 1  # the lesson says 0.1
    assert sizes["opposite"] < 0.00001  # and 0.0001
    assert moved["forger_loss"] > 0.2
    assert moved["opposite"] < 0.05  # 0.1 lies between the two


def test_what_the_cells_say():
    assert "5 times or more: True" in printed("found = different(")
    assert printed("slow_rows, slow =").count("among 500: True") == 3
    assert "softplus(-s): above 0.1 True, below 0.0001 False\n" in printed("def strong_judge")
    assert "-softplus(s): above 0.1 False, below 0.0001 True\n" in printed("def strong_judge")
    assert re.findall(r"on average: (\w+)", printed('found["before"]')) == ["True", "False"]


# -- the stored run -----------------------------------------------------------------------------------------


def test_the_stored_run_is_what_the_prose_says():
    assert (store.RESULTS / "lesson_33.npz").stat().st_size < 100 * 1024
    assert "the sizes 50, 100, 300 and 784, the judge's 784, 300, 100 and 1" in PROSE
    assert "The forger's rate is 0.00075, and the judge's is 0.0002 (" in PROSE
    assert lesson_33.RATES == (0.00075, 0.0002)
    sizes = [
        [layer.weight.shape for layer in net if isinstance(layer, nn.Linear)] for net in lesson_33.dense()
    ]
    assert sizes == [[(100, 50), (300, 100), (784, 300)], [(300, 784), (100, 300), (1, 100)]]
    assert [type(layer).__name__ for layer in lesson_33.dense()[0]].count("BatchNorm1d") == 2
    assert "The dense pair made 12,000 steps, about 13 epochs" in PROSE
    assert "the pair with convolutions 6,000 steps, about 6 epochs" in PROSE
    for name, steps, epochs in zip(NAMES, (12_000, 6000), (13, 6), strict=True):
        assert tuple(RUN[f"{name}_steps"]) == lesson_33.STEPS[name]
        assert lesson_33.STEPS[name][-1] == steps
        assert RUN[f"{name}_minutes"] < 15  # "Each took less than a quarter of an hour"
        assert round(steps * lesson_33.BATCH / 60_000) == epochs
        counts = RUN[f"{name}_digits"]
        assert (counts.sum(axis=1) == lesson_33.COUNTED).all()
        assert counts[-1].min() > 0  # "The reader names all ten digits"
        assert counts[-1].max() < 4 * counts[-1].min()  # "none of them four times as often as another"
        assert f"after {steps:,} steps: {counts[-1]}" in printed("after {run[")
    assert RUN["reader"] > 0.95


def test_the_forgeries_of_the_stored_run_are_no_copies():
    for name in NAMES:
        assert RUN[f"{name}_pictures"].shape == (len(RUN[f"{name}_steps"]), lesson_33.SHOWN, 28, 28)
        assert RUN[f"{name}_more"].shape == (lesson_33.MORE, 28, 28)
        gaps = RUN[f"{name}_pictures"][-1] / 255 - RUN[f"{name}_nearest"] / 255
        assert (np.square(gaps).sum(axis=(1, 2)) > 10).all()


def test_the_windows_are_as_the_lesson_says():
    forger, judge = lesson_33.conv()
    assert "windows of 5 by 5 and stride 2" in PROSE
    assert judge(forger(np.zeros((2, 50), np.float32))).shape == (2, 1)
    sizes = [
        layer.weight.shape[2:] for net in (forger, judge) for layer in net if "Conv" in type(layer).__name__
    ]
    assert sizes == [(5, 5)] * 4


def test_the_command_trains_in_small_what_it_trains_in_full(tmp_path, monkeypatch):
    write_mnist(tmp_path / "mnist", train=300, test=60)
    monkeypatch.setenv("AUTODIFF_DATA", str(tmp_path))
    found = lesson_33.run({"dense": (0, 3), "conv": (0, 2)}, 300)
    assert {*found, "seconds", "code"} == set(RUN)
    assert found["dense_losses"].shape == (3, 2)
    assert found["conv_pictures"].shape == (2, lesson_33.SHOWN, 28, 28)


def test_without_mnist_the_command_says_what_to_do(monkeypatch):
    def missing(**_):
        raise data.DownloadError("not here")

    monkeypatch.setattr(data, "MNIST", missing)
    with pytest.raises(FileNotFoundError, match=r"autodiff\.data\.MNIST\(\)"):
        lesson_33.run()
