"""Lesson 12: its checks against right answers, stubs and planted mistakes; its pictures and its numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff.lessons import check
from autodiff.lessons.plots import lesson_12 as plots_10
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "12_sums_maxima_and_picking.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name


def answer(name):
    """What the solutions notebook has for an exercise: the names that its cell defines."""
    cell = next(cell for cell in cells(SOLUTIONS) if f'check("{name}"' in cell.source)
    scope = {"np": np, "check": check}
    exec(cell.source, scope)
    return scope


def cell_with(words):
    """The lesson's first cell with these words."""
    return next(cell for cell in cells(LESSON) if words in cell.source)


# -- the stored notebooks -----------------------------------------------------------------------------------


# -- numbers ------------------------------------------------------------------------------------------------


def test_wrong_numbers_stand_beside_the_right_ones():
    stretched, right = said(cell_with("square = ad.Tensor")).splitlines()
    assert stretched.endswith("[[10.0, 1.0], [10.0, 1.0]]")
    assert right.endswith("[[10.0, 10.0], [1.0, 1.0]]")
    overwritten, added = said(cell_with("g[word] += grad")).splitlines()
    assert overwritten.endswith("[1. 1. 1.]")
    assert added.endswith("[1. 1. 1.]")
    assert said(cell_with("np.add.at(g, word")).endswith("[3. 1. 2.]\n")
    turned, right = said(cell_with("grad.T.tolist()")).splitlines()
    assert turned.endswith("[[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]")
    assert right.endswith("[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]")


def test_picking_is_tested_blindly_and_then_not():
    blind, found = said(cell_with("pick.backward(put)")).splitlines()
    assert blind == "[2, 0, 1] True"
    assert found.startswith("[1, 0, 2, 0, 2, 0] input 0, element 0: the rules give 0")
    x = ad.Tensor([1, 3, 1])
    assert ad.gradcheck(lambda x: x[[1, 0, 2, 0, 2, 0]], x)


def test_of_three_winners_each_gets_a_third_and_the_nudge_says_a_half():
    x = ad.Tensor([8, 8, 8])
    x.max().backward()
    assert np.allclose(x.grad.data, 1 / 3)
    with pytest.raises(ad.GradcheckError, match=r"the rules give 0\.333333, a nudge gives 0\.5"):
        ad.gradcheck(lambda x: x.max(), [8, 8, 8])
    assert ad.gradcheck(lambda x: x.max(), [8, 2, 8])


@pytest.fixture(scope="module")
def town():
    """What the lesson's cells on bus stops define."""
    scope = {"np": np, "ad": ad, "print": lambda *words: None}
    wanted = ("def pick", "villages = ", "def squared_distances", "def walk", "def by_picking")
    for words in wanted:
        source = cell_with(words).source
        exec(source.split("for index in")[0].split("\nreport(")[0], scope)
    return scope


def least(town, places):
    distances = ((np.reshape(places, (3, 1, 2)) - town["houses"]) ** 2).sum(axis=2)
    return distances.min(axis=0).mean(), np.bincount(distances.argmin(axis=0)).tolist()


def test_the_stops_go_where_the_lesson_says(town):
    reported = said(cell_with("def walk")).splitlines()
    for step, line in zip((0, 5, 20), reported):
        loss, served = least(town, town["way"][step])
        assert line == f"step {step:2}: loss {loss:.2f}, houses {served}"
    assert [line.split()[3] for line in reported] == ["5.24,", "1.02,", "0.90,"]


def test_picking_and_minimum_are_the_same_walk_and_the_wrong_rule_is_another(town):
    assert np.allclose(town["right"], town["way"])
    assert f"{least(town, town['wrong'][-1])[0]:.2f}" == "4.88"
    assert least(town, town["wrong"][-1])[0] < least(town, town["way"][0])[0]  # "has even fallen a little"


def test_stops_rest_at_the_mean_of_their_houses(town):
    last = town["way"][-1]
    nearest = ((last.reshape(3, 1, 2) - town["houses"]) ** 2).sum(axis=2).argmin(axis=0)
    for k in range(3):
        assert np.allclose(last[k], town["houses"][nearest == k].mean(axis=0), atol=0.01)


def test_the_walk_does_not_hang_on_the_last_digits(town):
    """A machine that rounds otherwise shows the same table."""
    houses = town["houses"].copy()
    town["houses"] += 1e-9 * np.random.default_rng(1).normal(size=houses.shape)
    try:
        way = town["walk"](town["mean_distance"], 20)
        assert [least(town, way[step])[1] for step in (0, 5, 20)] == [[19, 33, 38], [30] * 3, [30] * 3]
        assert [f"{least(town, way[step])[0]:.2f}" for step in (0, 5, 20)] == ["5.24", "1.02", "0.90"]
    finally:
        town["houses"][:] = houses


# -- 10 rows ------------------------------------------------------------------------------------------------


def rows_rule(grad, z, x):
    return np.repeat(grad, x.shape[1]).reshape(x.shape)


def test_rows_takes_the_right_rule():
    for rule in (
        answer("12 rows")["rows_rule"],
        rows_rule,
        lambda grad, z, x: np.broadcast_to(grad.reshape(-1, 1), x.shape),
        lambda grad, z, x: [[g] * x.shape[1] for g in grad],
    ):
        assert check("12 rows", rule).status == "right"


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        (lambda grad, z, x: grad + np.zeros_like(x), "the shapes do not fit"),
        (lambda grad, z, x: np.ones_like(x), "gradient above was dropped"),
        (lambda grad, z, x: rows_rule(grad, z, x) / x.shape[1], "as for a mean"),
        (lambda grad, z, x: grad, "as it came"),
        (lambda grad, z, x: grad[:, None], "still one column"),
        (lambda grad, z, x: rows_rule(grad, z, x).T, "the transpose"),
        (lambda grad, z, x: np.tile(grad, (x.shape[1], 1)), "the transpose"),
        (lambda grad, z, x: grad[:, None] * x, "not the number itself"),
        (lambda grad, z, x: np.full(x.shape, grad.sum()), "Everybody gets everything"),
        (lambda grad, z, x: rows_rule(z, z, x), "Spread the gradient above"),
        (lambda grad, z, x: np.resize(grad, x.shape), "dealt out in turn"),
        (lambda grad, z, x: -rows_rule(grad, z, x), "Each row of x has one sum"),
        (lambda grad, z, x: "rows", "An array is asked for"),
        (3, "A function is asked for"),
    ],
)
def test_rows_names_the_mistake(rule, kind):
    verdict = check("12 rows", rule)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_rows_sees_the_wrong_axis_where_it_raises_no_error():
    """Right on two players with three rounds, stretched along the wrong axis where that fits."""

    def fitting(grad, z, x):
        return grad + np.zeros_like(x) if x.shape[1] == len(grad) else rows_rule(grad, z, x)

    verdict = check("12 rows", fitting)
    assert verdict.status == "wrong"
    assert "right is [[10, 10], [1, 1]], and you give [[10, 1], [10, 1]]" in verdict.message
    assert "wrong axis" in verdict.message


def test_rows_tells_a_stub_from_a_mistake():
    assert check("12 rows", lambda grad, z, x: None).status == "not done yet"


# -- 10 best ------------------------------------------------------------------------------------------------


def test_best_takes_the_right_prediction():
    assert check("12 best", answer("12 best")["my_guess"]).status == "right"
    x = ad.Tensor([[4, 9, 9], [6, 1, 2]])
    x.max(axis=1).mean().backward()
    assert check("12 best", x.grad).status == "right"


@pytest.mark.parametrize(
    ("guess", "kind"),
    [
        ([[0, 1, 1], [1, 0, 0]], "two share a maximum"),
        ([[0, 0.5, 0.5], [1, 0, 0]], "and it halves"),
        ([[0, 0.5, 0.5], [0.5, 0, 0]], "the two 9s share"),
        ([[0, 0.5, 0], [0.5, 0, 0]], "the first of two winners"),
        ([[0, 0, 0.5], [0.5, 0, 0]], "the last of two winners"),
        ([[1 / 6] * 3, [1 / 6] * 3], "mean of all six"),
        ([[0, 9, 9], [6, 0, 0]], "How does the mean move"),
        ([[0, 1 / 3, 1 / 3], [1 / 3, 0, 0]], "three winners, but two maxima"),
        ([[0, 1 / 6, 1 / 6], [1 / 6, 0, 0]], "not of six"),
        ([[0, 0.25, 0.25], [0, 0.5, 0]], "Start at the mean"),
        ([0, 0.25, 0.25, 0.5, 0, 0], "two lists of three"),
        (0.25, "two lists of three"),
        ("best", "Two lists of three numbers are asked for"),
        ([[0, 0.25, 0.25], [0.5, 0]], "Two lists of three numbers are asked for"),
    ],
)
def test_best_names_the_misconception(guess, kind):
    verdict = check("12 best", guess)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_best_is_not_done_yet_until_all_six_are():
    assert check("12 best", None).status == "not done yet"
    assert check("12 best", [[0, None, 0.25], [0.5, 0, 0]]).status == "not done yet"


# -- 10 one-hot ---------------------------------------------------------------------------------------------


def one_hot(index, size):
    return np.eye(size)[index]


def lighting(where):
    """A one_hot that starts from zeros and sets 1 at ``where(index)``."""

    def made(index, size):
        H = np.zeros((len(index), size))
        H[where(index)] = 1
        return H

    return made


def test_one_hot_takes_the_right_answer():
    for function in (
        answer("12 one-hot")["one_hot"],
        one_hot,
        lighting(lambda index: (range(len(index)), index)),
        lambda index, size: np.array(index)[:, None] == np.arange(size),
        lambda index, size: [[int(place == k) for k in range(size)] for place in index],
    ):
        assert check("12 one-hot", function).status == "right"


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda index, size: one_hot(index, size).T, "That is the transpose"),
        (lighting(lambda index: (slice(None), index)), "lights whole columns"),
        (lighting(lambda index: index), "lights whole rows"),
        (lambda index, size: np.bincount(index, minlength=size), "counts how often"),
        (lambda index, size: one_hot(index, size).max(axis=0), "one row for all places"),
        (lambda index, size: one_hot(index, size) * np.array(index)[:, None], "it should be a 1"),
        (lambda index, size: np.roll(one_hot(index, size), -1, axis=1), "too far left"),
        (lambda index, size: np.roll(one_hot(index, size), 1, axis=1), "too far right"),
        (lambda index, size: np.zeros((len(index), size)), "no 1 in it"),
        (lambda index, size: np.eye(size), "Pick from it"),
        (lambda index, size: 2 * one_hot(index, size), "Row i has its 1"),
        (lambda index, size: "hot", "An array is asked for"),
        (1, "A function is asked for"),
    ],
)
def test_one_hot_names_the_mistake(function, kind):
    verdict = check("12 one-hot", function)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_one_hot_tells_an_index_error_from_a_transpose():
    def swapped(index, size):
        H = np.zeros((len(index), size))
        for i, place in enumerate(index):
            H[place, i] = 1
        return H

    verdict = check("12 one-hot", swapped)
    assert verdict.status == "wrong"
    assert "That is the transpose" in verdict.message

    def too_small(index, size):
        H = np.zeros((len(set(index)), size))
        for i, place in enumerate(index):
            H[i, place] = 1
        return H

    verdict = check("12 one-hot", too_small)
    assert verdict.status == "wrong"
    assert "place is below size" in verdict.message


def test_one_hot_catches_one_that_forgets_the_repeated():
    def forgetful(index, size):
        H = one_hot(index, size)
        for i, place in enumerate(index):
            if place in index[:i]:
                H[i] = 0
        return H

    verdict = check("12 one-hot", forgetful)
    assert verdict.status == "wrong"
    assert "one_hot([1, 1, 0], 3) is [[0, 1, 0], [0, 1, 0], [1, 0, 0]]" in verdict.message


def test_one_hot_blames_no_error_of_its_own_on_the_reader():
    """At [3, 3] some known mistakes cannot even be computed."""
    verdict = check("12 one-hot", lambda index, size: np.eye(3)[index] if size == 3 else np.zeros((2, 5)))
    assert verdict.status == "wrong"
    assert "one_hot([3, 3], 5)" in verdict.message
    assert "no 1 in it" in verdict.message


def test_one_hot_tells_a_stub_from_a_mistake():
    assert check("12 one-hot", lambda index, size: None).status == "not done yet"


def test_the_example_in_the_lesson_is_right():
    assert one_hot([1, 0, 2], 3).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]


# -- pictures -----------------------------------------------------------------------------------------------


@pytest.fixture
def drawn(monkeypatch):
    """The figures that plots have shown, kept open to be looked at; nothing is put on a screen."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    figures = []
    monkeypatch.setattr(plots_10, "show", lambda words: figures.append(plt.gcf()))
    yield figures
    plt.close("all")


def colours(ax):
    from matplotlib.colors import to_hex

    return [to_hex(patch.get_facecolor()) for patch in ax.patches if patch.get_height() == 1]


def test_a_journey_writes_numbers_and_gradients(drawn):
    from matplotlib.colors import to_rgba

    plots_10.journey(lambda x: x.max(axis=1), [[3, 7, 5], [8, 2, 8]], [10, 1], ("points", "best"))
    words = [text.get_text() for text in drawn[0].axes[0].texts if text.get_text()]
    there = ["3", "7", "5", "8", "2", "8", "points", "7", "8", "best"]
    back = ["0", "10", "0", "0.5", "0", "0.5", "gradient of points", "10", "1", "gradient of best"]
    assert words == there + back
    arrows = [text for text in drawn[0].axes[0].texts if getattr(text, "arrow_patch", None)]
    assert [text.xy[0] > text.xyann[0] for text in arrows] == [True, False]  # there, and back
    assert [text.arrow_patch.get_edgecolor() for text in arrows] == [
        to_rgba(ink) for ink in (plots_10.INK, plots_10.RED)
    ]


def test_a_journey_gives_equal_colours_to_what_belongs_together(drawn):
    first, second, paper = *plots_10.TINTS[:2], plots_10.PAPER
    plots_10.journey(lambda x: x.max(axis=1), [[3, 7, 5], [8, 2, 8]], [10, 1])
    of_x = [paper, first, paper, second, paper, second]
    assert colours(drawn[0].axes[0]) == [*of_x, first, second] * 2
    plots_10.journey(lambda x: x[[1, 0, 1]], [5, 6], [1, 1, 1])
    assert colours(drawn[1].axes[0]) == [first, second, second, first, second] * 2


def test_a_number_that_goes_two_ways_has_both_colours():
    slopes = plots_10.local_slopes(lambda x: x[[0, 1]] + x[1], [5, 6])
    assert slopes.tolist() == [[1, 1], [0, 2]]
    of_x, of_z = plots_10.tints(slopes)
    assert of_z == list(plots_10.TINTS[:2])
    assert of_x[0] == plots_10.TINTS[0]
    assert of_x[1] not in plots_10.TINTS


def test_stops_shows_each_walk_from_its_ring_to_its_square(drawn):
    walk = [[(0, 1), (2, 2)], [(1, 1), (3, 3)]]
    plots_10.stops([(0, 0), (4, 4)], {"one": walk, "two": walk}, [0, 1])
    for ax in drawn[0].axes:
        lines = [line.get_xydata().tolist() for line in ax.lines]
        assert lines[:3] == [[[0, 1], [1, 1]], [[0, 1]], [[1, 1]]]
        assert lines[3:] == [[[2, 2], [3, 3]], [[2, 2]], [[3, 3]]]


def test_plots_leave_no_figure_open():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    plots_10.journey(lambda x: x.sum(), [1, 2], 1)
    plots_10.stops([(0, 0)], {"one": [[(0, 1)]]})
    assert plt.get_fignums() == []
