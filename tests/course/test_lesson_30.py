"""Lesson 30: the numbers of its prose are those that are computed or stored."""

from __future__ import annotations

import re

import numpy as np
import pytest

import autodiff as ad
from autodiff_course import machine, runs
from autodiff_course.exercises.lesson_30 import LAYER, LINES, OTHERS, table
from autodiff_course.runs import lesson_30 as full
from tests.course.stored import cells, lesson_path, prose, said

LESSON = lesson_path("30")
PROSE = prose(LESSON)
RUN = runs.stored("30")
MACHINE = machine.after(30)
NAMES = vars(MACHINE)
NUMBERS = np.random.default_rng(2).normal(size=17).tolist()


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


@pytest.fixture(scope="module")
def loss():
    return full.loss_of(NAMES, full.SIZES, *full.two_moons(40))


@pytest.fixture(scope="module")
def own(loss):
    return MACHINE.compiled(MACHINE.with_slopes(lambda *numbers: loss(numbers)), *NUMBERS)


def test_the_program_has_the_lines_of_the_exercise_for_any_number_of_points(loss, own):
    fast = ad.compile(ad.value_and_grad(loss))
    value, slopes = fast([ad.Tensor(number, requires_grad=False) for number in NUMBERS])
    assert full.lines_of(str(fast.program)) == LINES
    assert np.allclose([float(value), *map(float, slopes)], own(*NUMBERS), rtol=1e-12)
    assert re.findall(r"(\d+) points: (\d+) lines", printed("for count in (40, 1000)")) == [
        ("40", str(LINES)),
        ("1000", str(LINES)),
    ]
    assert f"{LINES} lines" in PROSE


@pytest.mark.parametrize("count", [10, 20])
def test_few_points_are_not_packed(count):
    loss = full.loss_of(NAMES, full.SIZES, *full.two_moons(count))
    fast = ad.compile(ad.value_and_grad(loss))
    fast([ad.Tensor(number, requires_grad=False) for number in NUMBERS])
    assert "np." not in str(fast.program)
    assert full.lines_of(str(fast.program)) > 10 * count


def test_steps_are_the_lines_of_a_program_and_compute_the_same(own):
    steps = full.steps_of(own.text)
    assert len(steps) == full.lines_of(own.text)
    assert {op for _, op, _ in steps} == {"*", "+", "neg", "tanh", "**"}
    text = {"neg": "-{}", "tanh": "tanh({})"}
    formulas = [text.get(op, f"{{}} {op} {{}}").format(*used) for _, op, used in steps]
    written = "\n".join(f"    {name} = {formula}" for (name, *_), formula in zip(steps, formulas))
    assert written in own.text


def test_sums_have_all_terms_of_their_chains_and_fewer_levels(own):
    steps = full.steps_of(own.text)
    returned = re.findall(r"v\d+", own.text.splitlines()[-1])
    sums = full.with_sums(steps, returned)
    added = sum(len(used) - 1 for _, op, used in sums if op == "sum")
    assert added == sum(op == "+" for _, op, _ in steps)
    assert set(returned) <= {name for name, *_ in sums}
    assert max(full.levels(sums).values()) < max(full.levels(steps).values())


def test_the_levels_of_the_prose():
    lines, sums = (int(n) for n in re.findall(r"on (\d+) levels", printed("plots.thicket(")))
    assert printed("levels for").startswith(f"{lines} levels")
    assert sums == 14
    assert "a sum of 101 terms, 0, v30, v62" in printed("plots.thicket(")
    assert "one sum of 101 terms" in PROSE
    assert "Fourteen levels" in PROSE


def test_what_packs_is_a_product_and_the_careless_answer_is_wrong():
    words = printed("def careless")
    assert "253" in words
    assert "250" in words
    assert "250 where 253 is right" in PROSE
    assert len({len(cell) for row in table(*LAYER) for cell in row}) == 1
    assert len(OTHERS) == 3


def test_the_numbers_of_the_table_and_of_the_matrices():
    points, neurons, inputs = 100, 16, 2
    assert 2 * points * neurons * inputs == 6_400
    assert points * inputs + inputs * neurons == 232
    assert "6,400 numbers against 232" in PROSE


def test_each_stage_has_the_lines_that_the_stored_run_has_and_the_packed_one_is_short():
    lines = dict(zip(RUN["stages"].astype(str), RUN["lines"].tolist()))
    assert [*lines] == ["your machine", "your compiler", *full.STAGES]
    assert lines["your compiler"] == int(printed("The first twelve").split()[0].replace(",", ""))
    assert lines["constants folded"] < lines["written as it is"] / 3
    assert lines["algebra"] - lines["constants folded"] == 7
    assert "seven lines longer" in PROSE
    assert lines["nothing twice"] == lines["algebra"]
    assert lines["packed"] == lines["all passes"] == LINES
    assert f"The package has {len(full.PASSES)}." in PROSE


def test_the_large_network_has_the_operations_of_the_course_and_a_short_program():
    assert 60_000 < RUN["large_nodes"] < 70_000
    assert full.lines_of(str(RUN["large_program"])) < 20
    assert str(RUN["large_program"]).count("np.tanh(") >= 3


def test_the_gpt_is_hundreds_of_times_faster_and_its_training_that_of_lesson_27():
    assert RUN["gpt_seconds"][0] > 100 * RUN["gpt_seconds"][1]
    assert full.lines_of(str(RUN["gpt_program"])) < 100
    assert np.allclose(RUN["losses"], runs.stored("27")["loss"], atol=1e-6)
    assert printed("gpt(start)").startswith(f"{full.lines_of(str(RUN['gpt_program']))} lines")
    assert f"the {RUN['lengths']} programs" in PROSE
    assert RUN["training_seconds"] - RUN["compiling_seconds"] < 3
    assert 180 < RUN["compiling_seconds"] < 270
    assert 1.4 < RUN["gpt_seconds"][0] < 1.6


@pytest.mark.thorough
def test_the_training_in_small():
    found = full.run_on_names(NAMES, 1)
    assert found["losses"][0] == pytest.approx(runs.stored("27")["loss"][0], abs=1e-9)
    assert found["lengths"] == 1
