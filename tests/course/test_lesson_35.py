"""Lesson 35: the numbers of its prose, the plots, the stored run, and the command that makes it anew."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff import data, optim
from autodiff_course import runs
from autodiff_course.plots import lesson_35 as plots
from autodiff_course.runs import lesson_35, store
from tests.course.stored import cells, lesson_path, prose, said

LESSON = lesson_path("35")
PROSE = prose(LESSON)
RUN = runs.stored("35")
WORDS = lesson_35.words_of(RUN)
ROWS = RUN["places"].astype(float)


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


def defined(*holds, **names):
    """The names that the cells with these words define, with the functions that the reader writes."""
    given = {name: getattr(lesson_35, name) for name in ("pairs", "loss_of", "invented")}
    names = {"np": np, "ad": ad, "data": data, "optim": optim, "lesson_35": lesson_35, **given, **names}
    for words in holds:
        exec(next(cell.source for cell in cells(LESSON) if words in cell.source), names)
    return names


LANGUAGE = ("GROUPS = {", "vocabulary = data.Vocabulary(")

# -- the small language -------------------------------------------------------------------------------------


def test_no_sentence_has_two_words_of_a_group():
    names = defined(*LANGUAGE)
    assert len(names["text"]) == 600
    for group in names["GROUPS"].values():
        assert all(len(set(words) & set(group)) <= 1 for words in names["text"])
    pairs = {tuple(pair) for words in names["text"] for pair in lesson_35.pairs(words, 2)}
    assert ("cat", "milk") not in pairs
    company = {b for a, b in pairs if a == "cat"}
    assert {"the", "sleeps", "runs"} <= company
    both = company & {b for a, b in pairs if a == "barn"}
    assert both == {"the", "in", "through"}
    assert "`the`, `in` and `through`: the cat sleeps" in PROSE
    assert not {b for a, b in pairs if a == "barn"} & {"sleeps", "runs"}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_words_of_a_group_come_together_from_every_seed(seed):
    names = defined(*LANGUAGE)
    source = next(cell.source for cell in cells(LESSON) if "def learn(" in cell.source)
    exec(source.replace("default_rng(0)", f"default_rng({seed})").replace("\nsnapshots, ", "\n# "), names)
    snapshots, _, _ = names["learn"](lesson_35.loss_of)
    number = names["vocabulary"]
    near = lesson_35.nearest(snapshots[-1], 1)[:, 0]
    right = [number.tokens[near[number[w]]] in group for group in names["GROUPS"].values() for w in group]
    assert sum(right) == 20
    assert printed("near = lesson_35.nearest(snap").endswith(": 20 of 20 words\n")


def test_the_broken_network_says_yes_to_everything(capsys):
    names = defined(*LANGUAGE, "def learn(")
    capsys.readouterr()
    defined("def only_true(", **names)
    assert capsys.readouterr().out == printed("def only_true(")
    found = [re.findall(r"[\d.]+", line) for line in printed("def only_true(").splitlines()]
    (loss, told), (broken_loss, broken_told) = [map(float, numbers) for numbers in found]
    assert loss > 100 * broken_loss
    assert told < 1
    assert broken_told > 99


def test_the_broken_network_does_a_sixth_of_the_work():
    assert "a sixth of the work" in PROSE
    assert lesson_35.INVENTED + 1 == 6


def test_the_nudge_agrees_with_the_gradient():
    gradient, moved = map(float, re.findall(r"-?\d+\.\d{4,}", printed("rows with a gradient:")))
    assert gradient != 0
    assert abs(moved / 0.001 - gradient) < 0.001
    first = [pair[0] for pair in lesson_35.pairs(defined(*LANGUAGE)["text"][0], 2)[:4]]
    assert sorted(set(first)) == ["father", "the"]
    assert "two different words, `the` and `father`." in PROSE
    assert printed("rows with a gradient:").endswith("rows with a gradient: 2 of 29\n")


def axes_of(rows):
    """The mean and the axes of a map, by the lesson's function."""
    names = {"np": np}
    source = next(cell.source for cell in cells(LESSON) if "def axes_of(" in cell.source)
    exec(source.split("\n\n\n")[0], names)
    return names["axes_of"](rows)


def test_the_axes_are_those_of_the_largest_spread():
    rows = np.random.default_rng(0).normal(size=(50, 4)) * [1, 5, 0.1, 3]
    middle, axes = axes_of(rows)
    values = np.linalg.eigvalsh(np.cov(rows.T))[::-1]
    assert np.allclose(((rows - middle) @ axes.T).var(axis=0, ddof=1), values[:2])


# -- the stored run -----------------------------------------------------------------------------------------


def test_the_stored_run_has_what_the_prose_says():
    assert len(WORDS) == len(ROWS) == len(RUN["counts"]) == 1821
    assert RUN["places"].shape == (1821, lesson_35.SIZE)
    assert RUN["loss"].shape == (len(lesson_35.SEEDS), lesson_35.EPOCHS) == (3, 8)
    assert (np.diff(RUN["loss"], axis=1) < 0).all()
    assert f"comes down to {RUN['loss'][0, -1]:.2f}" in PROSE
    assert f"begins at {6 * np.log(2):.2f}" in PROSE
    assert RUN["counts"].min() >= lesson_35.LEAST == 10
    assert 0.44 < (RUN["counts"] < 20).mean() < 0.5  # almost half
    assert "took four and a half minutes" in PROSE
    assert 4.25 < RUN["seconds"] / 60 < 4.75
    assert lesson_35.WINDOW == 4
    assert (store.RESULTS / "lesson_35.npz").stat().st_size < 100_000


def test_neighbours_are_seldom_those_of_another_seed():
    assert printed("for share in run") == "0.8 of 5 0.7 of 5 0.8 of 5\n"
    assert round(25 / 1820, 2) == 0.01


def test_the_chosen_words_stand_near_their_own():
    right, whole, share = map(int, re.findall(r"\d+(?= of 54\n|\n|%)", printed("group_of = np.repeat")))
    assert whole == 54
    assert "We chose 54 words" in PROSE
    assert right > 40
    assert share == 40  # six tenths are not on the map


def test_the_analogy_of_the_solutions_is_as_they_say():
    (path,) = LESSON.parent.glob("solutions/35_*.ipynb")
    found = next(said(cell) for cell in cells(path) if "queen has place" in cell.source)
    assert found == "without the three: margaret\nwith the three: king\nqueen has place 11 of 1,821\n"


# -- the command --------------------------------------------------------------------------------------------

PLAY = """First Citizen:
Speak, speak, the king.

All:
The king and the queen speak.
"""


def test_a_play_becomes_speeches_and_pairs():
    found = lesson_35.speeches(PLAY)
    assert found[0] == ["speak", "speak", "the", "king"]
    assert found[1] == ["the", "king", "and", "the", "queen", "speak"]
    numbers = [7, 7, 3, 1, 0, 2, 3, 0, 7, 5]
    speech = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    for window in (1, 2, 4):
        fast = lesson_35.all_pairs(np.array(numbers), np.array(speech), window).T.tolist()
        slow = lesson_35.pairs(numbers[:4], window) + lesson_35.pairs(numbers[4:], window)
        assert sorted(map(tuple, fast)) == sorted(slow)


def test_the_text_has_as_many_words_and_pairs_as_the_run_says():
    try:
        text = data.shakespeare(download=False)
    except data.DownloadError:
        pytest.skip("the text is not here")
    known = set(WORDS)
    speeches = [[word for word in part if word in known] for part in lesson_35.speeches(text)]
    assert sum(map(len, speeches)) == RUN["counts"].sum()
    assert sum(len(lesson_35.pairs(part, 4)) for part in speeches) == RUN["pairs"]


def test_a_full_run_stores_what_it_says(capsys):
    found = lesson_35.run(PLAY * 30, least=2, epochs=2)
    assert set(found) | {"seconds", "code"} == set(RUN)
    assert all(found[name].dtype.kind == RUN[name].dtype.kind for name in found)
    assert lesson_35.words_of(found)[:3] == ["speak", "the", "king"]
    assert found["loss"].shape == (3, 2)
    assert capsys.readouterr().out.count("epoch 2") == 3


def test_the_run_needs_the_text_and_says_where_it_comes_from(monkeypatch):
    def missing(**_):
        raise data.DownloadError("not here")

    monkeypatch.setattr(data, "shakespeare", missing)
    with pytest.raises(FileNotFoundError, match=r"autodiff\.data\.shakespeare\(\)"):
        lesson_35.run()


# -- the plots ----------------------------------------------------------------------------------------------


def test_words_on_a_map_do_not_cover_each_other():
    places = np.zeros((6, 2)) + 0.5
    spaced = plots.apart(places, [5] * 6)
    assert (np.diff(np.sort(spaced[:, 1])) > plots.LINE * 0.99).all()
    assert (places == 0.5).all()


def test_how_tight_groups_are_is_a_share():
    points = np.array([[0.0, 0], [0, 0], [1, 0], [1, 0]])
    assert plots.spread(points, plots.slices({"a": "xy", "b": "zw"})) == 0.0
    assert plots.spread(points, plots.slices({"a": "xyzw"})) == 1.0
