"""Lesson 17: its checks against right answers, stubs and planted mistakes; its duals, walks and numbers."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import nbformat
import numpy as np
import pytest

import autodiff as ad
from autodiff.lessons import after_07, check
from autodiff.lessons.exercises import lesson_17
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "17_forward_mode.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name


def cell_with(words):
    """The lesson's first cell with these words."""
    return next(cell for cell in cells(LESSON) if words in cell.source)


def defined(*wanted, **names):
    """What the lesson's first cells with these words define, run one after the other."""
    scope = {
        "np": np,
        "ad": ad,
        "math": math,
        "count": itertools.count,
        "print": lambda *given: None,
        **names,
    }
    for words in wanted:
        exec(cell_with(words).source, scope)
    return scope


FIRST = defined("def as_dual")["Dual"]


def answer(name):
    """What the solutions notebook has for an exercise: the names that its cell defines."""
    cell = next(cell for cell in cells(SOLUTIONS) if f'check("{name}"' in cell.source)
    scope = {"np": np, "ad": ad, "check": check, "Dual": FIRST}
    exec(cell.source, scope)
    return scope


PROSE = "\n".join(cell.source for cell in nbformat.read(LESSON, as_version=4).cells)

# -- the stored notebooks -----------------------------------------------------------------------------------


# -- duals --------------------------------------------------------------------------------------------------


def parts(dual):
    return dual.value, dual.move


def test_a_dual_moves_as_the_package_walks():
    f = defined("def as_dual", "def g(a, b)")["g"]
    by_a, by_b = ad.grad(f, (0, 1))(1.0, 0.5)
    assert parts(f(FIRST(1, 1), FIRST(0.5, 0))) == pytest.approx((f(1, 0.5), by_a.data))
    assert parts(f(FIRST(1, 0), FIRST(0.5, 1))) == pytest.approx((f(1, 0.5), by_b.data))
    shown = said(cell_with("def g(a, b)")).splitlines()
    assert [line.split()[-1] for line in shown] == ["1.25616ε", "2.13779ε", "1.2562", "2.1378"]


def test_the_class_has_as_many_lines_as_the_lesson_says():
    lines = cell_with("def as_dual").source.splitlines()
    assert sum(bool(line.strip()) for line in lines) == 24  # "two dozen"
    assert "in two dozen lines" in PROSE


def test_lesson_02_s_nudge_is_the_dual_with_its_square():
    assert said(cell_with("40 + 22 * 0.001")) == "40.022003"
    assert said(cell_with("f(Dual(2, 1))")) == "40 + 22ε"
    assert said(cell_with("y(Dual(2, 1))")) == "20 + 36ε"


def test_one_eps_confuses_and_one_for_each_walk_does_not():
    wanted = ("def as_dual", "return as_dual(f(Dual", "def outer(x)")
    confused = defined("def as_dual", "def f(a)", "def y(x)", *wanted[1:])
    assert confused["slope"](confused["outer"], 1) == 2
    assert said(cell_with("def outer(x)")) == "2"
    repaired = defined("def as_dual", "def f(a)", "def y(x)", *wanted[1:], "def newest")
    slope = repaired["slope"]
    assert slope(repaired["outer"], 1) == 1
    assert said(cell_with("def newest")) == "1"
    assert slope(lambda a: slope(repaired["f"], a), 2) == 6
    assert slope(lambda x: slope(repaired["y"], x), 2) == 50
    assert slope(lambda x: 7 if x else 0, 1) == 0
    assert slope(lambda x: x * slope(lambda y: x * y * y, 3), 2) == 2 * 2 * 6  # x times 6x


def test_the_repaired_dual_still_has_its_functions():
    scope = defined("def as_dual", "def f(a)", "def y(x)", "return as_dual(f(Dual", "def outer", "def newest")
    f = defined("1e-20j", Dual=scope["Dual"])["f"]
    assert scope["slope"](f, 1.0) == pytest.approx(ad.grad(f)(1.0).data)
    second = scope["slope"](lambda x: scope["slope"](f, x), 1.0)
    assert second == pytest.approx(2 * math.e * math.cos(1))


def test_the_package_is_not_confused():
    def slope(f):
        return lambda x: ad.jvp(f, (x,), (1.0,))[1]

    for outer, inner in itertools.product((slope, ad.grad), repeat=2):
        assert outer(lambda x, inner=inner: x * inner(lambda y: x + y)(1.0))(1.0).data == 1


# -- the rules, read the other way round --------------------------------------------------------------------


def all_of_lesson_05(a, b, c):
    return ((a - b) / c) ** 2 + a.exp() * b.tanh()


def test_forward_by_rules_gives_what_backward_gives():
    names = {name: getattr(after_07, name) for name in ("Tensor", "RULES", "order", "backward")}
    forward = defined("e = c * d", "def forward", **names)["forward"]
    assert said(cell_with("def forward")) == "22"
    x = after_07.Tensor(2)
    h = x * x
    y = h + h * h
    assert forward(y, {x: 1})[y] == 36
    square = (below := after_07.Tensor(-3)) ** 2  # by the exponent nan would come in
    assert forward(square, {below: 1})[square] == -6
    leaves = [after_07.Tensor(value) for value in (1, 0.5, 2)]
    end = all_of_lesson_05(*leaves)
    after_07.backward(end)
    for leaf in leaves:
        assert forward(end, {leaf: 1})[end] == pytest.approx(leaf.grad)


def test_a_walk_counts_what_the_lesson_says():
    scope = defined("def arm", "def walks_needed")
    assert said(cell_with("def walks_needed")) == "(3, 2)"
    needed = scope["walks_needed"]
    assert needed(lambda x: x[0] * x, np.ones(5), "forward") == 5
    assert needed(lambda x: (x * x).sum(), np.ones(5), "reverse") == 1
    assert needed(lambda x: (x * x).sum(), np.ones(5), None) == 1
    shown = said(cell_with("functions = {")).split("\n")[:3]
    for line, (inputs, results) in zip(shown, lesson_17.SIZES.values()):
        assert line.split()[1::2] == [str(inputs), str(results)]


def test_columns_and_rows_are_the_jacobian_s():
    J = ad.jacobian(defined("def arm")["arm"])(np.array([0.3, 0.7, 0.6])).data
    shown = [
        np.array(said(cell_with(w)).strip("[]").split(), float) for w in ("def arm", ".backward([0, 1])")
    ]
    assert np.allclose(shown[0], J[:, 0], atol=1e-5)
    assert np.allclose(shown[1], J[1], atol=1e-5)


# -- four ways ----------------------------------------------------------------------------------------------


def test_the_sizes_of_errors_do_not_hang_on_the_last_digits():
    """The error of a nudge with a step as large as these is that of the curve: 1.469 h, and 0.273 h * h."""
    lines = [line.split() for line in said(cell_with("def size")).splitlines()[1:]]
    for power, line in enumerate(lines, start=1):
        assert line == [f"1e-{power}", f"1e-{power}", f"1e-{2 * power + 1}"]
        one, two = math.e * math.cos(1) * 10**-power, math.e * (math.sin(1) - math.cos(1)) / 3 * 100**-power
        assert abs(math.log10(one) % 1 - 0.5) > 0.03
        assert abs(math.log10(two) % 1 - 0.5) > 0.03


def test_the_picture_s_claims_hold():
    shown = {}
    scope = defined("def as_dual", "1e-20j", errors=lambda steps, ways: shown.update(ways))
    exec(cell_with("steps = 10.0").source, scope)
    best = {name: min(off) for name, off in shown.items()}
    usual = {name: sorted(off)[2] / 3.756 for name, off in shown.items()}  # past two that were lucky
    assert round(-math.log10(usual["one-sided"])) == 8
    assert round(-math.log10(usual["two-sided"])) == 11
    assert -math.log10(best["two-sided"] / 3.756) < 13
    assert max(shown["complex step"][28:]) < 1e-14  # from 1e-8 on
    assert max(shown["forward"] + shown["back"]) < 1e-14
    assert shown["one-sided"][-1] > 3.7


# -- 14 divide ----------------------------------------------------------------------------------------------


def planted(move, value=lambda x, y: x / y):
    """A quotient from the values and moves of two duals."""
    return lambda x, y: FIRST(value(x.value, y.value), move(x.value, x.move, y.value, y.move))


def test_divide_takes_the_right_answer():
    assert check("17 divide", answer("17 divide")["divide"], FIRST).status == "right"
    assert check("17 divide", planted(lambda x, dx, y, dy: (dx - x / y * dy) / y), FIRST).status == "right"


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (planted(lambda x, dx, y, dy: dx / dy if dy else dx / y), "divided the moves"),
        (planted(lambda x, dx, y, dy: (dx * y + x * dy) / y**2), "take that part away"),
        (planted(lambda x, dx, y, dy: (dx * y - x * dy) / y), "y squared that stands below"),
        (planted(lambda x, dx, y, dy: (x * dy - dx * y) / y**2), "turned round"),
        (planted(lambda x, dx, y, dy: dx / y), "x moves the quotient, and y does, too"),
        (planted(lambda x, dx, y, dy: -x * dy / y**2), "y moves the quotient, and x does, too"),
        (planted(lambda x, dx, y, dy: dx / y - dy * x), "in lesson 06, -1.75"),
        (planted(lambda x, dx, y, dy: dx / y - dy / y**2), "has x in it"),
        (planted(lambda x, dx, y, dy: 1 / y - x / y**2), "no move is in them"),
        (planted(lambda x, dx, y, dy: dx / y * dy * -x / y**2), "The two are added"),
        (planted(lambda x, dx, y, dy: dx * y + x * dy), "how a product moves"),
        (planted(lambda x, dx, y, dy: dx * y - x * dy), "forgot to divide"),
        (planted(lambda x, dx, y, dy: (dx * y - x * dy) / x**2), "x squared"),
        (planted(lambda x, dx, y, dy: dx / y - dy / x), "The local slopes are"),
        (planted(lambda x, dx, y, dy: dx - dy), "want their local slopes"),
        (planted(lambda x, dx, y, dy: 0), "does not move at all"),
        (planted(lambda x, dx, y, dy: 1, value=lambda x, y: y / x), "has the value"),
        (lambda x, y: x.value / y.value, "A Dual is asked for"),
        (lambda x, y: FIRST(x.value / y.value, x.move / y.move), "divided the moves"),
        (3.5, "A function is asked for"),
    ],
)
def test_divide_names_the_mistake(function, kind):
    verdict = check("17 divide", function, FIRST)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_divide_wants_the_class():
    for dual in ((), (None,)):
        verdict = check("17 divide", planted(lambda x, dx, y, dy: 0), *dual)
        assert (verdict.status, "your class" in verdict.message) == ("wrong", True)


def test_divide_tells_a_stub_from_a_mistake():
    assert check("17 divide", lambda x, y: None, FIRST).status == "not done yet"


def test_divide_takes_the_repaired_dual():
    scope = defined("def as_dual", "def f(a)", "def y(x)", "return as_dual(f(Dual", "def outer", "def newest")
    dual = scope["Dual"]

    def divide(x, y):
        move = (x.move - x.value / y.value * y.move) / y.value
        return dual(x.value / y.value, move)

    assert check("17 divide", divide, dual).status == "right"


# -- 14 walks -----------------------------------------------------------------------------------------------

RIGHT = {"scores": (64, 10), "loss": (640, 1), "path": (1, 200)}


def test_walks_takes_the_right_prediction():
    assert check("17 walks", answer("17 walks")["my_walks"]).status == "right"
    assert check("17 walks", RIGHT).status == "right"


def test_walks_is_not_done_yet_until_all_are():
    assert check("17 walks", {**RIGHT, "path": (1, None)}).status == "not done yet"
    assert check("17 walks", {**RIGHT, "path": None}).status == "not done yet"


@pytest.mark.parametrize(
    ("guess", "kind"),
    [
        ({**RIGHT, "scores": (10, 64)}, "the other way round"),
        ({**RIGHT, "path": (200, 1)}, "the other way round"),
        ({**RIGHT, "scores": (640, 10)}, "One walk forward moves all results"),
        ({**RIGHT, "scores": (1, 1)}, "not the whole table"),
        ({**RIGHT, "loss": (640, 640)}, "reaches all the inputs at once"),
        ({**RIGHT, "scores": (64, 640)}, "reaches all inputs at once"),
        ({**RIGHT, "path": (200, 200)}, "reaches all results at once"),
        ({**RIGHT, "scores": (640, 640)}, "one walk for each slope"),
        ({**RIGHT, "scores": (65, 10)}, "nudging's one more"),
        ({**RIGHT, "scores": (64, 1)}, "gives one row"),
        ({**RIGHT, "scores": (1, 10)}, "gives one column"),
        ({**RIGHT, "scores": (3, 4)}, "64 inputs and 10 results"),
        ({**RIGHT, "loss": (3, 4)}, "640 inputs and 1 result:"),
        ({**RIGHT, "scores": 64}, "a pair is asked for"),
        ({"scores": (64, 10)}, "A dict with a pair"),
        (64, "A dict with a pair"),
    ],
)
def test_walks_names_the_misconception(guess, kind):
    verdict = check("17 walks", guess)
    assert verdict.status == "wrong"
    assert kind in verdict.message


# -- 14 columns ---------------------------------------------------------------------------------------------


def moved(f, x, move):
    return ad.jvp(f, (x,), (np.asarray(move, dtype=float),))


def of_columns(f, x, part=1, axis=1, moves=np.eye):
    return np.stack([moved(f, x, unit)[part].data for unit in moves(len(x))], axis=axis)


def nudged(f, x):
    steps = 1e-4 * np.eye(len(x))
    return np.stack([(f(ad.Tensor(x + s)) - f(ad.Tensor(x))).data / 1e-4 for s in steps], axis=1)


def test_columns_takes_right_answers():
    assert check("17 columns", answer("17 columns")["jacobian_by_columns"]).status == "right"
    assert check("17 columns", of_columns).status == "right"
    assert check("17 columns", lambda f, x: ad.jacobian(f, mode="forward")(x)).status == "right"
    assert check("17 columns", lambda f, x: of_columns(f, x).tolist()).status == "right"


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda f, x: of_columns(f, x, axis=0), "transpose"),
        (lambda f, x: [moved(f, x, unit)[1] for unit in np.eye(len(x))], "transpose"),
        (lambda f, x: moved(f, x, np.ones(len(x)))[1], "All inputs moved at once"),
        (lambda f, x: of_columns(f, x, moves=lambda n: np.ones((n, n))), "All inputs moved at once"),
        (lambda f, x: of_columns(f, x, axis=0, moves=lambda n: np.ones((n, n))), "All inputs moved at once"),
        (lambda f, x: of_columns(f, x, moves=lambda n: np.diag(x)), "Move by 1, and not by x"),
        (lambda f, x: moved(f, x, np.eye(len(x))[0])[1], "the first column alone"),
        (lambda f, x: of_columns(f, x, moves=lambda n: np.eye(n)[::-1]), "the wrong order"),
        (lambda f, x: of_columns(f, x, part=0), "the move is the second"),
        (lambda f, x: of_columns(f, x).ravel(), "Make it a table"),
        (nudged, "Did you nudge?"),
        (lambda f, x: ad.jacobian(f, mode="reverse")(x), "you walked 5 times"),
        (lambda f, x: of_columns(f, x) + 1, "with one input"),
        (lambda f, x: "table", "of shape (2, 3) is asked for"),
        (lambda f, x: of_columns(f, x) if len(x) == 3 else of_columns(f, x).T, "transpose"),
        (5, "A function is asked for"),
    ],
)
def test_columns_names_the_mistake(function, kind):
    verdict = check("17 columns", function)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_columns_tells_a_stub_from_a_mistake():
    assert check("17 columns", lambda f, x: None).status == "not done yet"


@pytest.mark.parametrize("case", lesson_17.TABLES, ids=lambda case: case[1])
def test_columns_s_judge_knows_its_functions(case):
    f, _, x, value, table = case
    assert np.allclose(f(ad.Tensor(x)).data, value)
    assert np.allclose(ad.jacobian(f)(x).data, table)
