"""Lesson 16: its checks against right answers, stubs and planted mistakes; its numbers and its pictures."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff.lessons import check
from autodiff.lessons.exercises import lesson_16
from autodiff.lessons.plots import lesson_16 as plots_13
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "16_slopes_of_slopes.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name


def answer(name, words=""):
    """What the solutions notebook has for an exercise: the names that its cell defines."""
    judged = [cell for cell in cells(SOLUTIONS) if f'check("{name}"' in cell.source]
    cell = next(cell for cell in judged if words in cell.source)
    scope = {"np": np, "ad": ad, "check": check}
    exec(cell.source, scope)
    return scope


def cell_with(words):
    """The lesson's first cell with these words."""
    return next(cell for cell in cells(LESSON) if words in cell.source)


# -- the stored notebooks -----------------------------------------------------------------------------------


# -- numbers ------------------------------------------------------------------------------------------------


def test_wrong_numbers_stand_beside_the_right_ones():
    assert said(cell_with("slope.backward()\n\na.grad")) == "28"
    assert said(cell_with("a.grad = None  # new")) == "(22, 6)"
    assert said(cell_with("create_graph=True")).startswith("(22, (12, 10)")


def test_what_is_told_of_lesson_11_is_what_it_shows():
    path = next(ROOT.glob("notebooks/11_*.ipynb"))
    shown = next(said(cell) for cell in cells(path) if "by_math.backward" in cell.source)
    assert "0.2495" in shown
    assert "0.3024" in shown


def test_the_tower_of_tanh_is_what_its_formulas_say():
    """With z = tanh(x) each slope is a polynomial in z, and the slope of z**n is n z**(n-1) (1 - z*z)."""
    shown = [line.split() for line in said(cell_with("nodes = len(")).splitlines()[1:]]
    z, polynomial = math.tanh(0.5), np.polynomial.Polynomial([0, 1])
    for times, row in enumerate(shown, start=1):
        polynomial = polynomial.deriv() * np.polynomial.Polynomial([1, 0, -1])
        assert row[:3] == [str(times), f"{polynomial(z):.4f}", f"{polynomial(z):.4f}"]
    assert [int(row[3]) for row in shown] == [6, 9, 22, 53, 132]


def test_the_curves_are_slopes_of_each_other():
    scope = {"np": np, "ad": ad, "tower": lambda *given: None}
    exec(cell_with("tower(xs").source, scope)
    xs, curves = scope["xs"], [np.asarray(getattr(c, "data", c)) for c in scope["curves"].values()]
    assert len(curves) == 6
    for below, above in pairwise(curves):
        assert np.allclose(np.gradient(below, xs)[1:-1], above[1:-1], atol=0.01 * np.abs(above).max())


def test_newton_doubles_the_right_digits():
    lines = said(cell_with("bent_second = ")).splitlines()
    assert [line.split()[-1] for line in lines] == ["7e-01", "3e-01", "4e-02", "9e-04", "4e-07"]


def test_newton_climbs_and_the_repair_does_not():
    climbs, falls = (said(cell_with(f"keep_sign={sign})")).splitlines() for sign in (True, False))
    assert [line.split()[-1] for line in climbs] == ["-0.2944", "-0.1175", "-0.0027"]
    assert [line.split()[-1] for line in falls] == ["-0.2944", "-0.9911", "-1.0000"]
    scope = {"ad": ad, "print": lambda *words: None}
    exec(cell_with("def go").source, scope)
    assert abs(scope["go"](0.4, keep_sign=True)[-1]) < 1e-9
    assert abs(scope["go"](0.4, keep_sign=False)[-1] - 1) < 1e-9
    assert scope["go"](0.577, keep_sign=False)[1] > 300  # "it ends beyond 300"


@pytest.mark.parametrize("off", [0, 1e-12])
def test_the_numbers_of_the_valley_do_not_hang_on_the_last_digits(off):
    scope = {"ad": ad, "np": np, "print": lambda *words: None}
    exec(cell_with("def valley").source, scope)
    scope["start"] = scope["start"] + off
    for words in ("way = [start]", "plain = [start]"):
        exec(cell_with(words).source, scope)
    assert len(scope["way"]) - 1 == 10
    assert len(scope["plain"]) - 1 == 1586
    assert said(cell_with("way = [start]")).startswith("10 steps to [1. 1.]")
    assert said(cell_with("plain = [start]")).startswith("1586 steps to [0.999 0.998]")


def test_the_long_valley_s_product_is_right_in_small():
    scope = {"ad": ad, "np": np, "weights": 50}
    exec(cell_with("def long_valley").source, scope)
    H = ad.hessian(scope["long_valley"])(scope["w"])
    assert np.allclose(H.data @ scope["v"], scope["product"].data)
    exec(cell_with("by_nudge = ").source.replace("\nbool", "\nfits = bool"), scope)
    assert scope["fits"]
    scope["product"] = 2 * scope["product"]
    exec(cell_with("by_nudge = ").source.replace("\nbool", "\nfits = bool"), scope)
    assert not scope["fits"]  # the comparison can fail


def test_the_arm_is_where_the_plot_draws_it(monkeypatch):
    shown = []
    monkeypatch.setattr(plots_13, "show", lambda words: shown.append(1))
    angles = ad.Tensor([0.3, 0.7, 0.6])
    scope = {"ad": ad}
    exec(cell_with("def arm").source, scope)
    plots_13.arm_and_table(angles, ad.jacobian(scope["arm"])(angles))
    import matplotlib.pyplot as plt

    bars = plt.gcf().axes[0].lines[0].get_xydata()
    plt.close("all")
    assert shown
    assert np.allclose(bars[-1], scope["arm"](angles).data)
    assert np.allclose(np.hypot(*np.diff(bars, axis=0).T), 1)


# -- 13 newton ----------------------------------------------------------------------------------------------


def both(f, x):
    slope = ad.grad(f)
    return slope(x).data, ad.grad(slope)(x).data


def planted(go):
    """A step from the value, the slope and the second slope."""
    return lambda f, x: go(x, f(x), *both(f, x))


def test_newton_takes_the_right_answer():
    assert check("16 newton", answer("16 newton")["newton_step"]).status == "right"
    assert check("16 newton", planted(lambda x, f, s, c: x - s / c)).status == "right"


def with_backward(f, x):
    """The same by two walks and without functions of functions."""
    x = ad.Tensor(x)
    f(x).backward(create_graph=True)
    slope, x.grad = x.grad, None
    slope.backward()
    return x - slope / x.grad


def with_the_gradient_in_the_way(f, x):
    x = ad.Tensor(x)
    f(x).backward(create_graph=True)
    slope = x.grad
    slope.backward()
    return x - slope / x.grad


def test_newton_takes_walks_by_hand():
    assert check("16 newton", with_backward).status == "right"


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (planted(lambda x, f, s, c: x + s / c), "uphill"),
        (planted(lambda x, f, s, c: x - c / s), "the other way round"),
        (planted(lambda x, f, s, c: x - f / s), "the value by the slope"),
        (planted(lambda x, f, s, c: x - s), "the slope itself"),
        (planted(lambda x, f, s, c: x - s * c), "multiplied by the second slope"),
        (planted(lambda x, f, s, c: s / c), "how far to go"),
        (planted(lambda x, f, s, c: -s / c), "how far to go"),
        (planted(lambda x, f, s, c: x - 0.1 * s), "lesson 02's step"),
        (planted(lambda x, f, s, c: x - s / c / 2), "half as long"),
        (planted(lambda x, f, s, c: x - s / s**2), "the slope squared"),
        (planted(lambda x, f, s, c: x), "has not moved"),
        (with_the_gradient_in_the_way, "the 28 of the lesson"),
        (planted(lambda x, f, s, c: x - s / 6), "the course's calculation alone"),
        (planted(lambda x, f, s, c: x - s / abs(c)), "without its sign"),
        (planted(lambda x, f, s, c: x - s / (c + 1e-6)), "Did you nudge?"),
        (planted(lambda x, f, s, c: x - s / c + 1), "used up"),
        (planted(lambda x, f, s, c: x - s / abs(c) if s > 0 else x + s / abs(c)), "uphill"),
        (-5 / 3, "A function is asked for"),
    ],
)
def test_newton_names_the_mistake(step, kind):
    verdict = check("16 newton", step)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_newton_tells_a_stub_from_a_mistake():
    assert check("16 newton", lambda f, x: None).status == "not done yet"


@pytest.mark.parametrize("place", lesson_16.PLACES, ids=lambda place: place[1])
def test_newton_s_judge_knows_its_curves(place):
    f, _, x, (value, slope, second) = place
    found = f(x), *both(f, x)
    assert np.allclose(found, (value, slope, second))


# -- 13 quartic ---------------------------------------------------------------------------------------------


def test_quartic_takes_the_right_predictions():
    scope = answer("16 quartic")
    assert check("16 quartic", scope["my_first"], scope["my_second"]).status == "right"
    assert check("16 quartic", 2, 1.33).status == "right"


def test_quartic_is_not_done_yet_until_both_are():
    assert check("16 quartic", None, None).status == "not done yet"
    assert check("16 quartic", 2, None).status == "not done yet"


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        (0, 0, "falls short"),
        (4, 5, "uphill"),
        (2.25, 1, "value over slope"),
        (1, 0.5, "the step is 1 long"),
        (0.75, 0.5, "how far value over slope goes"),
        (-105, 1, "the slope alone"),
        (2.5, 1, "slope over second slope"),
        (2, 0, "by the second step either"),
        (2, 1, "not 1 long again"),
        (2, 2 / 3, "how far it goes"),
        (2, 1.5, "value over slope"),
        (2, 1.3, "two digits"),
        (2, 8 / 3, "uphill"),
        (2, 8 / 9, "the third step"),
        (2, 1.9, "starts at 2"),
        ("two", 1, "A number is asked for"),
    ],
)
def test_quartic_names_the_misconception(first, second, kind):
    verdict = check("16 quartic", first, second)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_quartic_s_cell_shows_the_right_numbers():
    assert said(cell_with("def flat")).splitlines()[:2] == ["after step 1: 2.0000", "after step 2: 1.3333"]


# -- 13 times -----------------------------------------------------------------------------------------------


def gradient_of(f, x):
    return ad.grad(f)(x)


def hessian_of(f, x):
    return ad.hessian(f)(x).data


def nudged(f, x, v):
    return (ad.grad(f)(x + 1e-4 * v) - ad.grad(f)(x - 1e-4 * v)) / 2e-4


def nudged_as_well_as_can_be(f, x, v):
    return (ad.grad(f)(x + 1e-6 * v) - ad.grad(f)(x - 1e-6 * v)) / 2e-6


def of_another_x(f, x, v):
    return ad.grad(lambda y: (ad.grad(f)(x) * v).sum() + 0 * y.sum())(x)


def lost(f, x, v):
    def along(x):
        with ad.no_grad():
            slopes = ad.grad(f)(x)
        return (slopes * v).sum()

    return ad.grad(along)(x)


def in_the_way(f, x, v):
    x = ad.Tensor(x)
    f(x).backward(create_graph=True)
    (x.grad * v).sum().backward()
    return x.grad


def row_by_row(f, x, v):
    x = ad.Tensor(x)
    slopes = ad.grad(f)(x)
    out = []
    for i in range(len(v)):
        x.grad = None
        slopes[i].backward()
        out.append(float((x.grad * v).sum().data))
    return out


def test_times_takes_right_answers():
    assert check("16 times", answer("16 times", "def hessian_times")["hessian_times"]).status == "right"
    assert check("16 times", answer("16 times", "def step_by_step")["step_by_step"]).status == "right"
    assert check("16 times", lambda f, x, v: ad.hvp(f, (x,), (v,))).status == "right"
    assert check("16 times", lambda f, x, v: ad.jvp(ad.grad(f), (x,), (v,))[1].data).status == "right"


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda f, x, v: gradient_of(f, x) * v, "element by element"),
        (lambda f, x, v: (gradient_of(f, x) * v).sum(), "take *its* gradient"),
        (lambda f, x, v: v @ hessian_of(f, x) @ v, "The product itself has three"),
        (lambda f, x, v: np.diag(hessian_of(f, x)) * v, "Only the diagonal"),
        (lambda f, x, v: ad.grad(lambda x: ad.grad(f)(x).sum())(x), "Where is v?"),
        (lambda f, x, v: gradient_of(f, x), "That is the gradient."),
        (in_the_way, "still in it"),
        (lambda f, x, v: hessian_of(f, x), "without it"),
        (lost, "All zeros"),
        (lambda f, x, v: -hessian_of(f, x) @ v, "turned round"),
        (lambda f, x, v: 2 * hessian_of(f, x) @ v, "twice the product"),
        (nudged, "Did you nudge?"),
        (nudged_as_well_as_can_be, "Did you nudge?"),
        (of_another_x, "another function's x"),
        (lambda f, x, v: ad.grad(lambda x: ad.grad(f)(x).sum())(x) * v, "too late"),
        (lambda f, x, v: ad.grad(lambda x: (f(x) * v).sum())(x), "f's value by v"),
        (lambda f, x, v: hessian_of(f, x) @ v, "you walked"),
        (row_by_row, "row by row"),
        (lambda f, x, v: "product", "An array is asked for"),
        ([1, 2, 3], "A function is asked for"),
    ],
)
def test_times_names_the_mistake(function, kind):
    verdict = check("16 times", function)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_times_tells_a_stub_from_a_mistake():
    assert check("16 times", lambda f, x, v: None).status == "not done yet"


def test_times_s_judge_knows_its_function():
    assert np.allclose(ad.grad(lesson_16.mixed)(lesson_16.POINT).data, lesson_16.GRADIENT)
    assert np.allclose(ad.hessian(lesson_16.mixed)(lesson_16.POINT).data, lesson_16.HESSIAN)
