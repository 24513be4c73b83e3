"""Lesson 12: the numbers that its prose names, and its pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autodiff_course import machine
from autodiff_course.plots import lesson_12 as plots_12
from tests.course.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "12_sums_maxima_and_picking.ipynb"


def cell_with(words):
    """The lesson's first cell with these words."""
    return next(cell for cell in cells(LESSON) if words in cell.source)


# -- numbers ------------------------------------------------------------------------------------------------


def test_wrong_numbers_stand_beside_the_right_ones():
    stretched, right = said(cell_with("square = np.array")).splitlines()
    assert stretched.endswith("[[10.0, 1.0], [10.0, 1.0]]")
    assert right.endswith("[[10.0, 10.0], [1.0, 1.0]]")
    overwritten, added = said(cell_with("x[word] += np.ones(6)")).splitlines()
    assert overwritten.endswith("[1. 1. 1.]")
    assert added.endswith("[1. 1. 1.]")


def test_the_transpose_would_give_the_5_a_5():
    grad = np.array([[1.0, 2], [3, 4], [5, 6]])
    assert grad.T[0, 2] == 5
    assert grad.reshape(2, 3)[0, 2] == 3


def test_two_winners_get_a_half_and_three_a_third():
    engine = machine.after(12)
    for winners in (1, 2, 3):
        x = engine.Tensor(np.array([8.0] * winners + [2.0]))
        engine.backward(x.max())
        assert np.allclose(x.grad, [1 / winners] * winners + [0])


def test_an_a_that_is_worth_more_makes_banana_worth_three_times_more():
    word = ["abn".index(letter) for letter in "banana"]
    assert np.isclose(np.array([1.001, 3, 1])[word].sum() - np.array([1.0, 3, 1])[word].sum(), 0.003)


@pytest.fixture(scope="module")
def town():
    """What the lesson's cells on bus stops define."""
    names = vars(machine.after(12))
    scope = {"np": np, "print": lambda *words: None, "draw": lambda *a, **k: None}
    scope |= {name: names[name] for name in ("Tensor", "backward", "step")}
    for words in ("villages = ", "def walk", "def ends_well"):
        exec(cell_with(words).source, scope)
    return scope


def least(town, places):
    distances = ((np.reshape(places, (3, 1, 2)) - town["houses"]) ** 2).sum(axis=2)
    return distances.min(axis=0).mean(), np.bincount(distances.argmin(axis=0)).tolist()


def test_the_stops_go_where_the_lesson_says(town):
    reported = said(cell_with("def walk")).splitlines()
    for step, line in zip((0, 5, 20), reported):
        loss, served = least(town, town["path"][step])
        assert line == f"step {step:2}: loss {loss:.2f}, houses per stop {np.array(served)}"
    assert [line.split()[3] for line in reported] == ["5.24,", "1.02,", "0.90,"]


def test_stops_rest_at_the_mean_of_their_houses(town):
    last = town["path"][-1]
    nearest = ((last.reshape(3, 1, 2) - town["houses"]) ** 2).sum(axis=2).argmin(axis=0)
    for k in range(3):
        assert np.allclose(last[k], town["houses"][nearest == k].mean(axis=0), atol=0.01)


def test_the_walk_does_not_hang_on_the_last_digits(town):
    """A machine that rounds otherwise shows the same table."""
    houses = town["houses"].copy()
    town["houses"] += 1e-9 * np.random.default_rng(1).normal(size=houses.shape)
    try:
        path = town["walk"]([0, 1, 60])
        assert [least(town, path[step])[1] for step in (0, 5, 20)] == [[19, 33, 38], [30] * 3, [30] * 3]
        assert [f"{least(town, path[step])[0]:.2f}" for step in (0, 5, 20)] == ["5.24", "1.02", "0.90"]
        assert town["ends_well"](town["at_random"]) == 76
    finally:
        town["houses"][:] = houses


# -- pictures -----------------------------------------------------------------------------------------------


@pytest.fixture
def drawn(monkeypatch):
    """The figures that plots have shown, kept open to be looked at; nothing is put on a screen."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    figures = []
    monkeypatch.setattr(plots_12, "show", lambda words: figures.append(plt.gcf()))
    yield figures
    plt.close("all")


def colours(ax):
    from matplotlib.colors import to_hex

    return [to_hex(patch.get_facecolor()) for patch in ax.patches if patch.get_height() == 1]


def test_a_journey_writes_numbers_and_gradients(drawn):
    from matplotlib.colors import to_rgba

    plots_12.journey(lambda x: x.max(axis=1), [[3, 7, 5], [8, 2, 8]], [10, 1], ("points", "best"))
    words = [text.get_text() for text in drawn[0].axes[0].texts if text.get_text()]
    there = ["3", "7", "5", "8", "2", "8", "points", "7", "8", "best"]
    back = ["0", "10", "0", "0.5", "0", "0.5", "gradient of points", "10", "1", "gradient of best"]
    assert words == there + back
    arrows = [text for text in drawn[0].axes[0].texts if getattr(text, "arrow_patch", None)]
    assert [text.xy[0] > text.xyann[0] for text in arrows] == [True, False]  # there, and back
    assert [text.arrow_patch.get_edgecolor() for text in arrows] == [
        to_rgba(ink) for ink in (plots_12.INK, plots_12.RED)
    ]


def test_a_journey_gives_equal_colours_to_what_belongs_together(drawn):
    first, second, paper = *plots_12.GROUNDS[:2], plots_12.PAPER
    plots_12.journey(lambda x: x.max(axis=1), [[3, 7, 5], [8, 2, 8]], [10, 1])
    of_x = [paper, first, paper, second, paper, second]
    assert colours(drawn[0].axes[0]) == [*of_x, first, second] * 2
    plots_12.journey(lambda x: x[np.array([1, 0, 1])], [5, 6], [1, 1, 1])
    assert colours(drawn[1].axes[0]) == [first, second, second, first, second] * 2


def test_a_number_that_goes_two_ways_has_both_colours():
    slopes = plots_12.local_slopes(lambda x: x[np.array([0, 1])] + x[1], [5, 6])
    assert slopes.tolist() == [[1, 1], [0, 2]]
    of_x, of_z = plots_12.tints(slopes)
    assert of_z == list(plots_12.GROUNDS[:2])
    assert of_x[0] == plots_12.GROUNDS[0]
    assert of_x[1] not in plots_12.GROUNDS


def test_stops_shows_each_walk_from_its_ring_to_its_square(drawn):
    walk = [[(0, 1), (2, 2)], [(1, 1), (3, 3)]]
    plots_12.stops([(0, 0), (4, 4)], {"one": walk, "two": walk}, [0, 1])
    for ax in drawn[0].axes:
        lines = [line.get_xydata().tolist() for line in ax.lines]
        assert lines[:3] == [[[0, 1], [1, 1]], [[0, 1]], [[1, 1]]]
        assert lines[3:] == [[[2, 2], [3, 3]], [[2, 2]], [[3, 3]]]


def test_plots_leave_no_figure_open():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    plots_12.journey(lambda x: x.sum(), [1, 2], 1)
    plots_12.stops([(0, 0)], {"one": [[(0, 1)]]})
    assert plt.get_fignums() == []
