"""Lesson 02: its checks against right answers, stubs and planted mistakes; its plots and its numbers."""

from __future__ import annotations

import ast
import inspect
import textwrap
from pathlib import Path

import pytest

from autodiff.lessons import after_02, after_07, check, hint, plots
from autodiff.lessons.checking import EXERCISES
from autodiff.lessons.exercises import shared
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "02_slopes.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name


# -- the stored notebooks: stubs say "not done yet", solutions "right" --------------------------------------

JUDGED = {"02 predict", "02 local", "02 slope"}


@pytest.mark.parametrize(
    ("path", "starts"), [(LESSON, "Not done yet"), (SOLUTIONS, "Right.")], ids=["lesson", "solutions"]
)
def test_every_exercise_is_in_the_notebook(path, starts):
    checks = {name: cell for cell in cells(path) for name in JUDGED if f'check("{name}"' in cell.source}
    assert set(checks) == JUDGED
    for name, cell in checks.items():
        assert said(cell).startswith(starts), name


def test_the_solution_is_the_snapshot_s():
    cell = next(cell.source for cell in cells(SOLUTIONS) if cell.source.startswith("def slope"))
    solution = ast.parse(cell).body[0]
    snapshot = ast.parse(textwrap.dedent(inspect.getsource(after_02.slope))).body[0]
    assert ast.dump(solution) == ast.dump(snapshot)


def test_the_numbers_in_the_prose():
    f = shared.course
    # A nudge of h leaves three times h over; both ways, nothing.
    for h in (1, 0.1, 0.01, 0.001):
        assert (f(2 + h) - f(2)) / h == pytest.approx(22 + 3 * h, abs=1e-9)
        assert (f(2) - f(2 - h)) / h == pytest.approx(22 - 3 * h, abs=1e-9)
        assert (f(2 + h) - f(2 - h)) / (2 * h) == pytest.approx(22, abs=1e-9)
    assert 1e-12 < 22 - (f(2.001) - f(1.999)) / 0.002 < 1e-11  # wrong from the twelfth decimal on
    # The lowest point.
    assert f(-5 / 3) == pytest.approx(-1 / 3)
    assert after_02.slope(f, -5 / 3) == pytest.approx(0, abs=1e-9)
    assert min(f(a / 100) for a in range(-500, 500)) >= f(-5 / 3)
    # A step of 0.4 leads uphill.
    assert [round(f(a), 2) for a in (2, -6.8, 5.52, -11.728)] == [40, 78.72, 154.61, 303.36]


# -- 02 predict and 02 local --------------------------------------------------------------------------------


@pytest.mark.parametrize("guess", [6, 6.0, 6.001])
def test_predict(guess):
    assert check("02 predict", guess).status == "right"


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        (9, "9 is the value"),
        (3, "x stands in x * x twice"),
        (2, "2 leaves out x"),
        (0.006, "Now divide by how far x moved"),
        (-6, "not negative"),
        (5, "Not 5"),
        ("six", "A number is asked for"),
    ],
)
def test_predict_names_the_mistake(guess, words):
    verdict = check("02 predict", guess)
    assert verdict.status == "wrong"
    assert words in verdict.message


def test_local():
    assert check("02 local", 7, 5).status == "right"


@pytest.mark.parametrize("guesses", [(None, None), (7, None), (None, 5)])
def test_local_not_done_yet(guesses):
    assert check("02 local", *guesses).status == "not done yet"


@pytest.mark.parametrize(
    ("guesses", "words"),
    [
        ((5, 7), "its own value"),
        ((1, 1), "slopes of a sum"),
        ((35, 35), "35 is the value"),
        ((7, 7), "From y it is not 7"),
        ((12, 5), "From x it is not 12"),
    ],
)
def test_local_names_the_mistake(guesses, words):
    verdict = check("02 local", *guesses)
    assert verdict.status == "wrong"
    assert words in verdict.message


# -- 02 slope -----------------------------------------------------------------------------------------------


def both_ways(f, x, h=0.0001):
    return (f(x + h) - f(x - h)) / (2 * h)


def mean_of_both(f, x):
    up = (f(x + 0.001) - f(x)) / 0.001
    down = (f(x) - f(x - 0.001)) / 0.001
    return (up + down) / 2


@pytest.mark.parametrize("function", [both_ways, mean_of_both, after_02.slope, after_07.slope])
def test_slope(function):
    verdict = check("02 slope", function)
    assert verdict.status == "right", verdict


def test_slope_not_done_yet():
    assert check("02 slope", lambda f, x: None).status == "not done yet"
    assert check("02 slope", None).status == "not done yet"


H = 0.001


@pytest.mark.parametrize(
    ("function", "gives", "words"),
    [
        (lambda f, x: (f(x + H) - f(x - H)) / H, 44, "2 * h apart"),
        (lambda f, x: (f(x + H) - f(x)) / H, 22.003, "one way only"),
        (lambda f, x: (f(x + 1e-7) - f(x)) / 1e-7, 22, "one way only"),
        (lambda f, x: (f(x) - f(x - H)) / H, 21.997, "one way only"),
        (lambda f, x: (f(x + 1e-7) - f(x)) / 1e-7, 22, "you give 22.0000003, and right is 22."),
        (lambda f, x: round((f(x + H) - f(x)) / H), 22, "you give 22. You nudge one way only"),
        (lambda f, x: round((f(x + H) - f(x - H)) / (2 * H)), 22, "give 5, right is 4.6: do not round"),
        (lambda f, x: f(x + H) - f(x - H), 0.044, "how far f moves"),
        (lambda f, x: (f(x - H) - f(x + H)) / (2 * H), -22, "sign is turned"),
        (lambda f, x: (f(x + H) - f(x - H)) / 2 * H, 0.000022, "Without brackets"),
        (lambda f, x: (f(x + H) - f(x - H)) / (4 * H), 11, "divide by too much"),
        (lambda f, x: (f(x + 1e-14) - f(x - 1e-14)) / 2e-14, 22.38, "so small"),
        (lambda f, x: f(x), 40, "that is a value"),
        (lambda f, x: 22, 22, "without calling f"),
        (lambda f, x: (f(2 + H) - f(2 - H)) / (2 * H), 22, "the f and the x that come in"),
        (lambda f, x: (f(x + 1) - f(x - 1)) / 2, 22, "x * x * x at x = 2, you give 13"),
        (lambda f, x: (f(x + H) - f(x - H)) / (2 * H) * x / 2, 22, "x * x at x = 3, you give 9"),
        (lambda f, x: [f(x + H), f(x - H)], None, "A number is asked for"),
        (22, None, "A function is asked for"),
    ],
)
def test_slope_names_the_mistake(function, gives, words):
    if gives is not None:
        assert function(shared.course, 2) == pytest.approx(gives, rel=1e-3)
    verdict = check("02 slope", function)
    assert verdict.status == "wrong"
    assert words in verdict.message


# -- hints and plots ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(JUDGED))
def test_hints(name):
    check(name, None)
    hints = EXERCISES[name].hints
    assert len(hints) >= 2
    assert [hint(name, i + 1).message.endswith(words) for i, words in enumerate(hints)] == [True] * len(hints)


@pytest.fixture
def drawn(monkeypatch):
    """The figures that plots have shown, kept open to be looked at; nothing is put on a screen."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    figures = []
    monkeypatch.setattr(plots.lesson_02, "show", lambda words: figures.append(plt.gcf()))
    yield figures
    plt.close("all")


def test_secants_go_through_both_points(drawn):
    plots.secants(shared.course, 2, (4, 2, 0.1))
    ax = drawn[0].axes[0]
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["nudge 4: slope 34", "nudge 2: slope 28", "nudge 0.1: slope 22.3"]
    lines = [line for line in ax.lines if len(line.get_xdata()) == 2]
    assert len(lines) == 3
    for line, nudge in zip(lines, (4, 2, 0.1)):
        (x0, x1), (y0, y1) = line.get_xdata(), line.get_ydata()
        for x in (2, 2 + nudge):
            assert y0 + (y1 - y0) * (x - x0) / (x1 - x0) == pytest.approx(shared.course(x))


def test_downhill_plots_the_steps_of_the_lesson(drawn):
    plots.downhill(shared.course, 2, 0.1, 4)
    points = drawn[0].axes[0].lines[-1]
    assert list(points.get_xdata()) == pytest.approx([2, -0.2, -1.08, -1.432])
    assert list(points.get_ydata()) == pytest.approx([40, 6.12, 0.6992, -0.168128])


def test_closer_ends_in_the_straight_line(drawn):
    plots.closer(shared.course, 2)
    away = []
    for ax in drawn[0].axes:
        curve, line = ax.lines[:2]
        gap = curve.get_ydata()[-1] - line.get_ydata()[-1]
        away.append(gap / (curve.get_ydata()[-1] - curve.get_ydata()[0]))
    assert away[0] > 0.2
    assert away[-1] < 0.01


def test_plots_leave_no_figure_open():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    plots.downhill(shared.course, 2, 0.1, 4)
    assert plt.get_fignums() == []
