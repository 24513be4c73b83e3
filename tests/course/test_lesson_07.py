"""Lesson 07: the numbers and the claims of its prose."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autodiff as ad
from autodiff_course import check, machine
from tests.course.stored import cells, lesson_path, said

LESSON = lesson_path("07")


@pytest.fixture
def engine():
    return machine.after(7)


def formula(lib):
    return lambda a, b, c: ((a - b) / c) ** 2 + lib.exp(a) * lib.tanh(b)


def test_the_calculation_of_the_course_has_eight_nodes_with_tensors_and_five_with_plain_numbers(engine):
    a = engine.Tensor(2)
    two, three, four = map(engine.Tensor, (2, 3, 4))
    assert len(engine.order((a + two) * (a * three + four))) == 8
    assert len(engine.order((a + 2) * (3 * a + 4))) == 5


def test_each_operator_uses_the_rows_that_the_table_names(engine):
    a, b = engine.Tensor(5.0), engine.Tensor(2.0)
    for made, rows in (
        (a + b, {"add"}),
        (3 + a, {"add"}),
        (a * b, {"mul"}),
        (3 * a, {"mul"}),
        (-a, {"neg"}),
        (a**b, {"pow"}),
        (2**a, {"pow"}),
        (a - b, {"neg", "add"}),
        (3 - a, {"neg", "add"}),
        (a / b, {"pow", "mul"}),
        (3 / a, {"pow", "mul"}),
    ):
        assert {node.creation_op for node in engine.order(made)} - {None} == rows
    assert (a > b, b > a, a > 7) == (True, False, False)


def test_gradcheck_sees_the_planted_rule_but_not_at_0(engine):
    assert engine.gradcheck(formula(engine), 1.0, 0.5, 2.0) < 1e-6
    engine.RULES["tanh"] = (lambda grad, z, x: grad * (1 - x * x),)
    assert f"{engine.gradcheck(formula(engine), 1.0, 0.5, 2.0):.4f}" == "0.0131"
    assert engine.gradcheck(engine.tanh, 0.0) < 1e-6


def test_gradcheck_complains_at_a_corner_although_no_rule_is_wrong(engine):
    assert engine.gradcheck(engine.relu, 0.0) > 0.06
    assert engine.gradcheck(engine.relu, 0.1) < 1e-6


def test_of_the_two_errors_one_falls_with_h_and_the_other_rises(engine):
    """Each h a tenth of the one before, down to 0.001; then rounding; the smallest distance is at 1e-6."""
    hs = (1e-1, 1e-2, 1e-3, 1e-6, 1e-9, 1e-12)
    distances = [engine.gradcheck(formula(engine), 1.0, 0.5, 2.0, h=h) for h in hs]
    assert distances[0] / distances[1] == pytest.approx(100, rel=0.02)
    assert distances[1] / distances[2] == pytest.approx(100, rel=0.02)
    assert min(distances) == distances[3]
    assert distances[3] < distances[4] < distances[5]
    table = next(cell for cell in cells(LESSON) if cell.source.startswith("for h in (1e-1"))
    shown = [float(line.split()[-1]) for line in said(table).splitlines()]
    assert shown[:3] == pytest.approx(distances[:3], rel=0.1)
    assert np.argmin(shown) == 3


def test_what_a_nudge_compares_agrees_in_about_six_digits(engine):
    f, h = formula(math), 1e-6
    above, below = f(1 + h, 0.5, 2), f(1 - h, 0.5, 2)
    assert 5 < -math.log10((above - below) / above) < 7


def test_other_calculations_at_random_agree_as_well():
    text = next(cell.source for cell in cells(LESSON) if cell.source.startswith("STEPS = ("))
    counted = next(cell for cell in cells(LESSON) if cell.source.startswith("def results"))
    assert said(counted) == "200 of 200 agree to twelve digits\n"
    engine = machine.after(7)
    scope = {"np": np, "machine": engine, "backward": engine.backward}
    exec(text.split("p, q = ")[0] + "\n" + counted.source.split("equal = 0")[0], scope)
    for seed in range(1000, 1100):
        mine = scope["results"](engine, engine.Tensor, seed)
        theirs = scope["results"](ad, ad.Tensor, seed)
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


def test_a_negative_base_under_a_tensor(engine):
    with pytest.raises(ValueError, match=r"domain|positive"):
        engine.backward(engine.Tensor(-3) ** engine.Tensor(2))
    x, y = ad.Tensor(-3), ad.Tensor(2)
    (x**y).backward()
    assert x.grad.data == -6
    assert math.isnan(y.grad.data)


def test_the_package_divides_with_one_rounding(engine):
    assert (engine.Tensor(147) / 49).data == 2.9999999999999996
    assert (ad.Tensor(147) / 49).data == 3


def test_the_package_has_rules_of_its_own_for_differences_and_quotients():
    x, y = ad.Tensor(5.0), ad.Tensor(2.0)
    for made, name in ((x - y, "sub"), (x / y, "div")):
        assert made.creation_op == name
        assert made.creators == (x, y)


def test_the_package_s_gradcheck_names_the_gradient_that_is_wrong():
    wrong = ad.operation(lambda x: np.tanh(x))
    wrong.backward(lambda grad, z, x: grad * (1 - x * x))
    with pytest.raises(AssertionError, match="input 0"):
        ad.gradcheck(wrong, 0.5)


def test_compare_shows_the_node_at_which_the_planted_rule_is_seen_first():
    shown = next(said(cell) for cell in cells(LESSON) if "compare(z" in cell.source)
    assert shown.startswith("the gradient of b is 1.78871 and should be 1.88779")


def test_picking_one_of_the_numbers_is_right_here_and_told_of():
    verdict = check("07 clip", max, min, lambda x, low, high: min(max(x, low), high))
    assert verdict.status == "right"
    assert "neither works for it. Try it with relu" in verdict.message
