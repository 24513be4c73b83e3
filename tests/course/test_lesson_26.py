"""Lesson 26: the numbers of its prose, its cells beside the package's, and the stored run."""

from __future__ import annotations

import re

import numpy as np
import pytest

from autodiff import nn
from autodiff_course import machine, runs
from autodiff_course.runs import lesson_26
from tests.course.stored import cells, lesson_path, prose, said

LESSON = lesson_path("26")
PROSE = prose(LESSON)
RUN = runs.stored("26")
FEW = ["anna", "bob", "carla", "dan", "eva", "hanna", "ian", "lena", "nora", "otto", "paula", "tim"]


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


@pytest.fixture(scope="module")
def names():
    """The names of the machine after the lesson."""
    return vars(machine.after(26))


def defined(names, *holds):
    """The functions that the cells with these words define, beside other names."""
    names = {"np": np, "runs": runs, **names}
    for words in holds:
        source = next(cell.source for cell in cells(LESSON) if words in cell.source)
        blocks = [part for part in re.split(r"\n\n+(?=\S)", source) if part.startswith(("def ", "xs ="))]
        exec("\n\n".join(blocks), names)
    return names


# -- the cells ----------------------------------------------------------------------------------------------


def test_the_rnn_is_the_package_s(names):
    rng = np.random.default_rng(0)
    mine, theirs = names["RNN"](3, 5, rng), nn.RNNCell(3, 5).double()
    theirs.weight_ih.data, theirs.weight_hh.data = mine.x.weight.data.T.copy(), mine.h.weight.data.T.copy()
    theirs.bias_ih.data = np.zeros(5)
    theirs.bias_hh.data = np.zeros(5)
    x, h = rng.normal(size=(2, 3)), rng.normal(size=(2, 5))
    assert np.allclose(mine(x, h).data, theirs(x, h).data)


def test_the_lstm_is_the_package_s(names):
    rng = np.random.default_rng(0)
    mine, theirs = names["LSTM"](3, 5, rng), nn.LSTMCell(3, 5).double()
    order = np.concatenate([np.arange(5) + 5 * part for part in (1, 0, 3, 2)])  # take, forget, new, show
    for layer, name in ((mine.x, "ih"), (mine.h, "hh")):
        getattr(theirs, f"weight_{name}").data = layer.weight.data.T[order].copy()
        getattr(theirs, f"bias_{name}").data = layer.bias.data[order].copy()
    x, h, c = rng.normal(size=(2, 3)), rng.normal(size=(2, 5)), rng.normal(size=(2, 5))
    for mine_is, right in zip(mine(x, (h, c)), theirs(x, (h, c))):
        assert np.allclose(mine_is.data, right.data)


def test_three_steps_keep_0_18_of_the_1(names):
    w = names["Tensor"](0.5)
    *_, last = names["unroll"](lambda x, h: names["tanh"](w * h + x), [1.0, 0.0, 0.0], 0.0)
    assert f"{float(last.data):.2f}" == "0.18"
    assert "as 0.18" in PROSE


# -- gradients through many steps ---------------------------------------------------------------------------


def test_gradients_vanish_and_explode_as_the_text_says(names):
    measured = defined(names, "def sizes(cell, start)")
    sizes = {scale: measured["sizes"](measured["scaled"](scale), np.zeros((1, 16))) for scale in (0.5, 1, 3)}
    assert sizes[0.5][0] < 1e-20
    assert 1e-11 <= sizes[1][0] < 1e-10
    assert sizes[3][0] / sizes[3][-1] == pytest.approx(40, abs=5)


def test_open_gates_let_a_fifth_through(names):
    measured = defined(names, "def sizes(cell, start)", "def sizes_of_c(cell)")
    sizes = measured["sizes_of_c"](names["LSTM"](4, 16, np.random.default_rng(0), forget=4))
    assert sizes[0] / sizes[-1] == pytest.approx(0.2, abs=0.03)
    for number, words in ((1, "sigmoid(1) is 0.73"), (4, "sigmoid(4) is 0.98"), (-1, "sigmoid(−1) is 0.27")):
        assert words in PROSE
        assert words.endswith(f"{1 / (1 + np.exp(-number)):.2f}")


def test_with_a_bias_of_1_most_of_what_arrives_comes_back_through_h(names):
    measured = defined(names, "def sizes(cell, start)", "def sizes_of_c(cell)")
    cell = names["LSTM"](4, 16, np.random.default_rng(0))
    whole = measured["sizes_of_c"](cell)[0]
    assert f"{whole:.0e}" == "4e-06"
    assert "4 · 10⁻⁶" in PROSE
    assert (1 / (1 + np.exp(-1))) ** 59 == pytest.approx(1e-8, rel=0.1)
    assert "0.73 to the 59th, 10⁻⁸" in PROSE
    cell.h.weight.data = np.zeros((16, 64))  # only the straight road is left
    assert measured["sizes_of_c"](cell)[0] < whole / 10


def test_the_nudge_agrees_with_the_gradient():
    gradient, moved = map(float, re.findall(r"-?\d\.\d{3,}", printed("0.001 * np.eye(16)")))
    assert moved / 0.001 == pytest.approx(gradient, abs=0.001)
    assert gradient != 0


@pytest.mark.thorough
def test_only_the_open_lstm_remembers(names):
    task = defined(names, "def remembered(make, start)")
    zero = np.zeros((1, 16))
    assert task["remembered"](lambda rng: names["RNN"](1, 16, rng), zero) < 300
    assert task["remembered"](lambda rng: names["LSTM"](1, 16, rng, forget=-1), (zero, zero)) < 300
    assert task["remembered"](lambda rng: names["LSTM"](1, 16, rng, forget=4), (zero, zero)) > 480
    assert printed("def remembered").count("True") == 3


# -- names --------------------------------------------------------------------------------------------------


def test_the_table_of_letter_pairs_has_the_loss_of_its_counts():
    follow = {}
    pairs = [pair for name in RUN["names"] for pair in zip(f".{name}", f"{name}.")]
    for one, other in pairs:
        follow.setdefault(one, []).append(other)
    losses = [-np.log(follow[one].count(other) / len(follow[one])) for one, other in pairs]
    assert f"the table of letter pairs has {np.mean(losses):.2f}" in printed("the table of letter pairs")


def test_the_loss_of_names_is_that_of_the_run(names):
    lesson = defined(
        {**names, "LETTERS": lesson_26.LETTERS}, "def table(names)", "def loss_of(cell, out, names)"
    )
    rng = np.random.default_rng(0)
    cell, out = names["LSTM"](27, 8, rng), names["Linear"](8, 27, rng)
    mine, runs_loss = lesson["loss_of"](cell, out, FEW), lesson_26.loss_of(names, cell, out, FEW)
    assert mine.data == pytest.approx(runs_loss.data)
    apart = [float(lesson["loss_of"](cell, out, [name]).data) for name in FEW]
    letters = np.array([len(name) + 1 for name in FEW])
    assert mine.data == pytest.approx((apart * letters).sum() / letters.sum())


def test_the_stored_run_is_that_of_the_text():
    assert (np.diff(RUN["loss"]) < 0).all()
    assert RUN["loss"][0] == pytest.approx(np.log(27), abs=0.05)
    assert RUN["written"].shape == (lesson_26.EPOCHS + 1, lesson_26.WRITTEN)
    assert f"took {round(float(RUN['seconds']) / 60)} minutes" in PROSE
    assert (runs.store.RESULTS / "lesson_26.npz").stat().st_size < 100_000


def test_the_bundled_names_are_a_thousand_different_ones():
    listed = RUN["names"].tolist()
    assert len(listed) == len(set(listed)) == 1000
    assert all(re.fullmatch("[a-z]+", name) for name in listed)
    assert printed("LETTERS = ").startswith("1000 ['emma', 'olivia', 'ava'")


def test_the_run_can_be_made_anew_with_a_few_names(names, monkeypatch, capsys):
    monkeypatch.setattr(lesson_26, "SIZE", 4)
    monkeypatch.setattr(lesson_26, "EPOCHS", 1)
    found = lesson_26.run(names, FEW)
    assert set(found) | {"seconds", "code"} == set(RUN)
    assert found["loss"].shape == (2,)
    assert found["written"].shape == (2, lesson_26.WRITTEN)
    assert "epoch 1: loss" in capsys.readouterr().out
