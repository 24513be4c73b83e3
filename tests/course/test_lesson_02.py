"""Lesson 02: the numbers in its prose, and its plots."""

from __future__ import annotations

import pytest

from autodiff_course import machine, plots
from autodiff_course.exercises import shared

slope = machine.after(2).slope


def test_the_numbers_in_the_prose():
    f = shared.course
    # A nudge of h leaves three times h over; both ways, nothing.
    for h in (1, 0.1, 0.01, 0.001):
        assert (f(2 + h) - f(2)) / h == pytest.approx(22 + 3 * h, abs=1e-9)
        assert (f(2) - f(2 - h)) / h == pytest.approx(22 - 3 * h, abs=1e-9)
        assert (f(2 + h) - f(2 - h)) / (2 * h) == pytest.approx(22, abs=1e-9)
    assert 1e-12 < 22 - slope(f, 2) < 1e-11  # wrong from the twelfth decimal on
    # The slope is 6a + 10, and f is 3a^2 + 10a + 8.
    for a in (-3, -0.2, 0, 2, 5):
        assert f(a) == pytest.approx(3 * a * a + 10 * a + 8)
        assert slope(f, a) == pytest.approx(6 * a + 10)
    # The lowest point.
    assert f(-5 / 3) == pytest.approx(-1 / 3)
    assert slope(f, -5 / 3) == pytest.approx(0, abs=1e-9)
    assert min(f(a / 100) for a in range(-500, 500)) >= f(-5 / 3)
    # A step of 0.4 leads uphill.
    assert [round(f(a), 2) for a in (2, -6.8, 5.52, -11.728)] == [40, 78.72, 154.61, 303.36]


def test_the_answers_to_the_open_question():
    f, rates = shared.course, (1 / 6, 0.3, 1 / 3, 0.35)
    away = [abs(2 - rate * slope(f, 2) + 5 / 3) / abs(2 + 5 / 3) for rate in rates]
    assert away == pytest.approx([0, 0.8, 1, 1.1], abs=1e-9)


# -- plots ---------------------------------------------------------------------------------------------------


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
