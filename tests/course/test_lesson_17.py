"""Lesson 17: its walks, its numbers, its pictures and what its prose says of them are right."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import autodiff as ad
from autodiff_course import machine
from autodiff_course.plots import lesson_17 as plots_17
from tests.course.stored import NOTEBOOKS, cells, lesson_path, prose, said

LESSON = lesson_path("17")


def cell_with(words):
    """The lesson's first cell with these words."""
    return next(cell for cell in cells(LESSON) if words in cell.source)


def silent(*given, **options):
    """In place of print and of the plots."""


def defined(*wanted, **names):
    """What the lesson's first cells with these words define, run one after the other on the machine."""
    quiet = dict.fromkeys(("print", "two_ways", "arm_and_table", "errors"), silent)
    scope = vars(machine.after(17)) | {"np": np, "ad": ad, "math": math, "COURSE": None, **quiet, **names}
    for words in wanted:
        exec(cell_with(words).source, scope)
    return scope


# -- walks ---------------------------------------------------------------------------------------------------


def test_lesson_02_s_nudge_is_the_product_of_brackets_with_a_real_step():
    assert said(cell_with("40 + 22 * 0.001")) == "40.022003"
    assert said(cell_with("for f in (course, y)")).split() == ["40.0", "22.0", "20.0", "36.0"]


def test_the_matrix_carries_a_tangent_and_its_rule_does_not():
    assert [line[-12:] for line in said(cell_with("0.001 * t)")).splitlines()] == ["[[1. 2. 3.]]"] * 2
    rule, x, W = machine.after(17).RULES["matmul"][0], np.ones((1, 2)), np.ones((2, 3))
    assert rule(np.ones((1, 3)), x @ W, x, W).shape == (1, 2)
    with pytest.raises(ValueError, match="matmul"):
        rule(np.ones((1, 2)), x @ W, x, W)


def test_a_running_sum_of_your_own_gets_a_wrong_tangent_until_it_is_in_linear():
    engine = machine.after(17)
    running = engine.operation("running", np.cumsum, lambda grad, z, x: np.cumsum(grad[::-1])[::-1])
    x, t = np.ones(3), np.array([1.0, 0, 0])
    try:
        assert engine.jvp(running, x, t)[1].tolist() == [1, 0, 0]
        engine.LINEAR.add("running")
        assert engine.jvp(running, x, t)[1].tolist() == [1, 1, 1]
    finally:
        engine.LINEAR.discard("running")
        del engine.FORWARD["running"], engine.RULES["running"]
    assert (np.cumsum(x + t) - np.cumsum(x)).tolist() == [1, 1, 1]


def test_a_norm_of_your_own_gets_a_wrong_tangent_and_its_pieces_the_right_one():
    engine = machine.after(17)
    norm = engine.operation("norm", np.linalg.norm, lambda grad, z, x: grad * x / z)
    x, t = np.array([3.0, 4.0]), np.array([1.0, 0.0])
    try:
        assert engine.jvp(norm, x, t)[1].tolist() == [0.6, 0]  # one number is right, not two
    finally:
        del engine.FORWARD["norm"], engine.RULES["norm"]
    assert "`(x * x).sum() ** 0.5`" in prose(LESSON)
    assert engine.jvp(lambda x: (x * x).sum() ** 0.5, x, t)[1] == pytest.approx(0.6, rel=1e-12)


def test_what_is_not_linear_is_elementwise():
    """In the machine as it is now each operation with numbers in it is one or the other."""
    engine = machine.after(17)
    elementwise = {"add", "mul", "neg", "pow", "exp", "log", "tanh", "relu", "sigmoid"}
    assert set(engine.FORWARD) == elementwise | engine.LINEAR
    for name in engine.LINEAR:  # twice the input gives twice the result
        options = {
            "matmul": (np.ones((2, 3)),),
            "transpose": (),
            "sum": (1,),
            "broadcast_to": ((4, 3, 2),),
            "reshape": ((6,),),
            "getitem": (slice(1),),
            "put": (slice(3), (5, 2)),
        }[name]
        x = np.arange(6.0).reshape(3, 2)
        assert np.array_equal(engine.FORWARD[name](2 * x, *options), 2 * engine.FORWARD[name](x, *options))


def test_columns_and_rows_are_the_jacobian_s():
    scope = defined("def course", "def arm")

    def arm(angles):
        turned = angles.cumsum()
        return ad.stack(ad.cos(turned).sum(), ad.sin(turned).sum())

    right = ad.jacobian(arm)(scope["angles"]).data
    assert np.allclose(scope["rows"], right)
    assert np.allclose(scope["jvp"](scope["arm"], scope["angles"], np.eye(3)[0])[1], right[:, 0])
    assert said(cell_with("def arm")).startswith("the hand moves by [-2.14  1.47]")


def test_the_arm_is_where_the_plot_draws_it(monkeypatch):
    shown = []
    monkeypatch.setattr(plots_17, "show", lambda words: shown.append(1))
    scope = defined("def course", "def arm")
    plots_17.arm_and_table(scope["angles"], scope["rows"], joint=0)
    import matplotlib.pyplot as plt

    bars = plt.gcf().axes[0].lines[0].get_xydata()
    plt.close("all")
    assert shown
    assert np.allclose(bars[-1], scope["arm"](scope["angles"]))
    assert np.allclose(np.hypot(*np.diff(bars, axis=0).T), 1)


def test_joint_1_turns_the_hand_at_right_angles():
    """The check by eye, whose numbers the prose gives."""
    scope = defined("def course", "def arm")
    x, y = scope["arm"](scope["angles"])
    assert np.allclose(scope["rows"][:, 0], [-y, x])
    assert f"the hand is at ({x:.2f}, {y:.2f})" in prose(LESSON)
    assert f"by (−{y:.2f}, {x:.2f})" in prose(LESSON)


def test_a_tangent_weights_the_columns():
    """The speed of the hand, in three ways: along the tangent, by the table, and along time."""
    lines = said(cell_with("def at_time")).splitlines()
    assert len({line.split(":")[1].strip() for line in lines}) == 1 < len(lines)
    scope = defined("def course", "def arm", "def at_time")
    speed = scope["jvp"](scope["at_time"], 0.0, 1.0)[1]
    assert np.allclose(speed, scope["rows"] @ np.array([1.0, -2.0, 1.0]))
    assert "[1, −2, 1] the walk gives 1 · the first column − 2 · the second + 1 · the third" in prose(LESSON)


def test_the_hessian_by_hand():
    h = ad.hessian(defined("def valley")["valley"])(np.array([-1.5, 2.0])).data
    assert h.tolist() == [[192, 60], [60, 20]]
    assert "192 · 1 + 60 · 2 = 312, and 60 · 1 + 20 · 2 = 100" in prose(LESSON)


def test_only_a_walk_back_inside_needs_what_push_records():
    """Tensors without creators carry tangents just as well, but grad finds nothing behind them."""
    scope = defined("def course", "def valley")
    jvp, names = scope["jvp"], scope["jvp"].__globals__

    def moved():
        slope = jvp(scope["course"], 2.0, 1.0)[1]
        column = jvp(scope["grad"](scope["valley"]), np.array([-1.5, 2.0]), scope["v"])[1]
        return [float(slope), np.round(column, 9).tolist()]

    assert moved() == [22, [312, 100]]
    names["record"] = lambda op, *inputs: names["Tensor"](names["compute"](op, *inputs))
    assert moved() == [22, [0, 0]]


def test_both_walks_of_the_picture_are_the_machine_s():
    shown = {}
    defined(
        "def course",
        "def calculation",
        "two_ways(nodes",
        film=silent,
        two_ways=lambda nodes, places, rules, tangents: shown.update(
            tangents=tangents, gradients={name: node.grad for name, node in nodes.items()}
        ),
    )
    assert shown["tangents"] == {"a": 1, "c": 1, "b": 3, "d": 3, "e": 22}
    assert shown["gradients"] == {"a": 22, "c": 10, "b": 4, "d": 4, "e": 1}


# -- one name for two walks ----------------------------------------------------------------------------------


def test_one_name_confuses_and_one_dict_for_each_walk_does_not():
    assert said(cell_with("def outer(x)")).strip() == "2.0"
    solved = NOTEBOOKS / "solutions" / LESSON.name
    repaired = next(cell for cell in cells(solved) if "def jvp_apart" in cell.source)
    assert said(repaired).splitlines() == ["x + y at 1: 1.0", "x * y at 3: 3.0"]
    scope = defined("def course")
    exec(repaired.source, scope)
    jvp = scope["jvp_apart"]
    assert jvp(scope["course"], 2.0, 1.0) == (40, 22)
    assert jvp(lambda x: x * jvp(lambda y: x * y, 1.0, 1.0)[1], 3.0, 1.0)[1] == 3  # the limit; right is 6


def test_the_package_is_not_confused_and_gives_second_slopes():
    def slope(f):
        return lambda x: ad.jvp(f, (x,), (1.0,))[1]

    for outer, inner in itertools.product((slope, ad.grad), repeat=2):
        assert outer(lambda x, inner=inner: x * inner(lambda y: x + y)(1.0))(1.0).data == 1
    assert slope(lambda x: x * slope(lambda y: x * y)(1.0))(3.0).data == 6


# -- four ways -----------------------------------------------------------------------------------------------


def test_a_smaller_step_is_better_at_first():
    """The error of a nudge with a large step is that of the curve: 1.469 h, and 0.273 h * h."""
    shown = {}
    defined("def course", "def arm", "1e-20j", "steps = 10.0", errors=lambda steps, ways: shown.update(ways))
    one, two = shown["one-sided"], shown["two-sided"]
    for place in (0, 4, 8):  # steps 0.1, 0.01, 0.001
        assert one[place] / one[place + 4] == pytest.approx(10, rel=0.05)
        assert two[place] / two[place + 4] == pytest.approx(100, rel=0.05)
    usual = {name: sorted(off)[2] / 3.756 for name, off in shown.items()}  # past two that were lucky
    assert round(-math.log10(usual["one-sided"])) == 8
    assert round(-math.log10(usual["two-sided"])) == 11
    assert max(shown["complex step"][28:]) < 1e-14  # from 1e-8 on
    assert max(shown["forward"] + shown["back"]) < 1e-14
    assert one[-1] > 3.7


def test_a_complex_step_finds_no_slope_of_abs():
    assert np.imag(abs(-3 + 1e-20j)) == 0
    assert ad.grad(ad.abs)(-3.0).data == -1
