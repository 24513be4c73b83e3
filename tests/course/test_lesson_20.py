"""Lesson 20: the numbers of its prose, and its rules beside the package's."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff import optim
from autodiff_course import machine
from tests.course.stored import cells, lesson_path, said

LESSON = lesson_path("20")


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


@pytest.fixture(scope="module")
def lesson():
    """The machine's names after the lesson, and the functions that the lesson's cells define."""
    names = {"np": np, "ad": ad, "optim": optim, **vars(machine.after(20))}
    for words in ("bowl", "walk", "rmsprop", "package_walk", "rosenbrock"):
        source = next(cell.source for cell in cells(LESSON) if f"def {words}(" in cell.source)
        parts = [part for part in source.split("\n\n\n") if part.startswith("def ")]
        exec("\n\n\n".join(parts), names)
    names["METHODS"] = {"sgd": names["sgd"], "momentum": names["momentum"]}
    names["METHODS"] |= {"RMSprop": names["rmsprop"], "Adam": names["adam"]}
    return names


@pytest.mark.parametrize(("rate", "comes_nearer"), [(0.0199, True), (0.02, False), (0.0201, False)])
def test_a_rate_works_below_2_divided_by_the_curvature(lesson, rate, comes_nearer):
    y = lesson["walk"](lesson["sgd"], rate, 2000)[:, 1]
    assert (abs(y[-1]) < 0.01) == comes_nearer
    assert f"{lesson['walk'](lesson['sgd'], rate, 60)[-1][1]:.2f}" in printed("y after 60 steps")


def test_two_steps_of_momentum_are_those_of_the_table(lesson):
    path = lesson["walk"](lesson["momentum"], 0.002, 2)
    assert np.allclose(path, [[-10, 1], [-9.98, 0.8], [-9.94204, 0.46]])


def test_the_first_step_of_rmsprop_has_one_length_in_both_directions(lesson):
    grad = np.array([-10.0, 100.0])
    assert np.allclose(lesson["rmsprop"](grad, {}), [-(10**0.5), 10**0.5])


def test_momentum_crosses_the_floor_at_its_fourth_step(lesson):
    ys = lesson["walk"](lesson["momentum"], 0.002, 4)[:, 1]
    assert ys[:3].round(3).tolist() == [1, 0.8, 0.46]  # the table
    assert (ys[:4] > 0).all()
    assert f"{ys[4]:.2f}" == "-0.31"


@pytest.mark.parametrize("gradient", [200, 1, 0.002, -200])
def test_adam_s_first_step_is_as_long_as_the_rate(lesson, gradient):
    _, first = lesson["walk"](lesson["adam"], 0.1, 1, lambda w: gradient * w, 5)
    assert first == pytest.approx(5 - 0.1 * np.sign(gradient), abs=1e-6)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("sgd", lambda p: optim.SGD(p, lr=0.01)),
        ("momentum", lambda p: optim.SGD(p, lr=0.01, momentum=0.9)),
        ("RMSprop", lambda p: optim.RMSprop(p, lr=0.01, alpha=0.9)),
        ("Adam", lambda p: optim.Adam(p, lr=0.01)),
    ],
)
def test_each_rule_is_the_package_s_to_twelve_places(lesson, name, make):
    mine = lesson["walk"](lesson["METHODS"][name], 0.01, 300)
    assert np.allclose(mine, lesson["package_walk"](make, 300), rtol=0, atol=1e-12)


@pytest.mark.parametrize("shift", [0, 1e-9])
@pytest.mark.parametrize(
    ("name", "rate"), [("sgd", 0.002), ("momentum", 0.002), ("RMSprop", 0.005), ("Adam", 0.1)]
)
@pytest.mark.thorough
def test_the_race_does_not_hang_on_the_last_digits(lesson, name, rate, shift):
    rule = lesson["METHODS"][name]
    count = lesson["about"](
        lesson["arrived"](lesson["walk"](rule, rate, 3000, lesson["rosenbrock"], (-1.2 + shift, 1)))
    )
    assert f"{name:9} rate {rate:5}: there after about {count:4} steps" in printed("walks = {}")


@pytest.mark.parametrize("shift", [0, 1e-9])
@pytest.mark.thorough
def test_the_steps_that_the_moons_need_do_not_hang_on_the_last_digits(lesson, shift):
    names = dict(lesson)
    source = next(cell.source for cell in cells(LESSON) if "def steps_needed" in cell.source)
    exec(source.partition("rates = (")[0].partition("\n")[2], names)  # without its import
    names["points"] = names["points"] + shift
    needed = names["steps_needed"]
    rates = (0.01, 0.03, 0.1, 0.25, 1)
    with np.errstate(all="ignore"):
        arrives = {name: [needed(rule, rate) for rate in rates] for name, rule in names["METHODS"].items()}
    rows = [f"{name:9} " + " ".join(f"{steps:>6}" for steps in row) for name, row in arrives.items()]
    assert printed("def steps_needed").splitlines()[1:] == rows
    assert [name for name, steps in arrives.items() if "-" not in steps] == ["Adam"]
    least = {name: min(step for step in steps if step != "-") for name, steps in arrives.items()}
    assert least["momentum"] == pytest.approx(least["Adam"], rel=0.1)  # about as fast


def test_without_its_corrections_adam_begins_with_steps_too_long(lesson):
    def uncorrected(grad, memory):
        m = memory["m"] = 0.9 * memory.get("m", 0) + 0.1 * grad
        v = memory["v"] = 0.999 * memory.get("v", 0) + 0.001 * grad**2
        return m / (v**0.5 + 1e-8)

    right, wrong = (
        -np.diff(lesson["walk"](rule, 0.1, 100, lambda w: 3 * w, 0))
        for rule in (lesson["adam"], uncorrected)
    )
    assert np.allclose(right, 0.1)
    assert wrong[[0, 11, 99]] * 10 == pytest.approx([3.162, 6.57, 3.24], abs=5e-3)
