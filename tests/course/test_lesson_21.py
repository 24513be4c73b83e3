"""Lesson 21: the numbers of its prose, and its schedule beside the package's."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autodiff as ad
from autodiff import optim
from autodiff_course import machine
from tests.course.stored import cells, lesson_path, prose, said

LESSON = lesson_path("21")
M = machine.after(21)


TRAINING = next(cell.source for cell in cells(LESSON) if "load_digits" in cell.source).partition(
    "\n\n\nprint("
)[0]


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


@pytest.fixture(scope="module")
def lesson():
    """The machine's names after the lesson, and the functions that the lesson's cells define."""
    names = {"np": np, "ad": ad, "optim": optim, "math": math, **vars(M)}
    for words in ("bowl", "rosenbrock", "steep", "warm_200", "rates_of"):
        source = next(cell.source for cell in cells(LESSON) if f"def {words}(" in cell.source)
        parts = [
            part.partition("\n\nrates(")[0] for part in source.split("\n\n\n") if part.startswith("def ")
        ]
        exec("\n\n\n".join(parts), names)
    return names


def test_a_falling_rate_goes_far_and_comes_to_rest(lesson):
    noisy, height = lesson["noisy"], lesson["height"]
    heights = [
        f"{height(path):5.2f}" for path in (noisy(0.002), noisy(0.015), noisy(0.015, lesson["warmup_cosine"]))
    ]
    assert heights == [" 4.56", " 0.53", " 0.04"]
    assert all(text in printed("small, large") for text in heights[:2])
    assert heights[2] in printed("falling =")


def test_a_falling_rate_stills_the_noise_along_y(lesson):
    """The heights are squares of the places, so their parts compare the noise that is left."""
    constant, falling = (lesson["noisy"](0.015, s)[-1] for s in (lesson["constant"], lesson["warmup_cosine"]))
    x, y = (falling**2).mean(axis=1) / (constant**2).mean(axis=1)
    assert "along y the noise is almost gone. Along x they are still spread out" in prose(LESSON)
    assert y < 0.01
    assert 0.2 < x < 1


def test_no_constant_rate_does_as_well_in_the_noise(lesson):
    heights = {k: lesson["height"](lesson["noisy"](k / 1000)) for k in range(2, 20)}
    assert min(heights, key=heights.get) == 7
    assert "The best constant one is about 0.007" in prose(LESSON)
    assert f"rate 0.007, constant: height {heights[7]:5.2f}" in printed("falling =")
    assert heights[7] > 0.1


@pytest.mark.parametrize("rate", [0.1, 0.02])
def test_noise_throws_as_far_as_the_formula_says(rate):
    rng = np.random.default_rng(0)
    x, squares = np.zeros(20_000), []
    for step in range(600):
        x = (1 - rate) * x - rate * rng.normal(0, 5, x.shape)
        squares += [np.mean(x**2)] if step >= 500 else []
    assert np.mean(squares) == pytest.approx(25 * rate / (2 - rate), rel=0.02)


@pytest.mark.parametrize(("point", "curvature"), [((-2, 2), 4200), ((1, 1), 1000)])
def test_the_wall_is_four_times_as_steep(point, curvature):
    x, y = point
    hessian = np.array([[2 + 1200 * x * x - 400 * y, -400 * x], [-400 * x, 200]])
    assert np.linalg.eigvalsh(hessian)[-1] == pytest.approx(curvature, rel=0.02)


def test_the_gradient_at_the_steep_start(lesson):
    w = M.Tensor(np.array([-2.0, 2.0]))
    M.backward(lesson["rosenbrock"](w))
    assert w.grad.tolist() == [-1606, -400]
    assert f"{np.hypot(*w.grad):.0f}" == "1655"


def test_a_steep_start_needs_a_warm_up_or_clipping(lesson):
    def clip(tensors):
        for p in tensors:
            p.grad = p.grad * min(1, 10 / np.linalg.norm(p.grad))

    with np.errstate(all="ignore"):
        assert np.isnan(lesson["steep"]()[-1]).all()
        walk = lesson["steep"](steps=9)
    assert 100 < abs(walk[3][0]) < 110
    assert not np.isnan(walk[8]).any()
    assert np.isnan(walk[9]).all()
    for walk in (lesson["steep"](lesson["warm_200"]), lesson["steep"](clip=clip)):
        assert np.allclose(walk[-1], [1, 1], atol=0.02)


@pytest.mark.parametrize("most", [20, 50, 100, 200])
def test_a_walk_whose_numbers_are_clipped_one_by_one_does_not_arrive(lesson, most):
    """With other limits, too; the notebook shows 20."""

    def scaled(tensors):
        tensors[0].grad = tensors[0].grad * min(1, most / np.linalg.norm(tensors[0].grad))

    def each_clipped(tensors):
        tensors[0].grad = np.clip(tensors[0].grad, -most, most)

    assert np.allclose(lesson["steep"](clip=scaled)[-1], [1, 1], atol=0.02)
    walk = lesson["steep"](clip=each_clipped, steps=2000)
    assert np.all(np.hypot(*(walk - 1).T) > 0.5)


def test_clipped_numbers_lead_to_and_fro_for_ever(lesson):
    lines = printed("each_clipped").splitlines()
    assert lines[0] == "scaled        after 1000 steps: [1. 1.]"
    assert lines[1] == "each clipped  after 1000 steps: [-1.56  2.19]"
    seen = []

    def each_clipped(tensors):
        tensors[0].grad = np.clip(tensors[0].grad, -20, 20)
        seen.append(tuple(tensors[0].grad))

    walk = lesson["steep"](clip=each_clipped, steps=10_000)
    assert set(seen[100:]) == {(20, 20), (-20, -20)}
    assert np.allclose(walk[1000:-8], walk[1008:], rtol=0, atol=1e-9)  # eight steps, again and again
    gradient = np.array([-1606, -400])
    assert (gradient * 20 / np.linalg.norm(gradient)).round().tolist() == [-19, -5]


@pytest.mark.parametrize(("curvature", "limit"), [(1000, 0.0038), (4200, 0.0009)])
def test_momentum_works_below_3_8_divided_by_the_curvature(curvature, limit):
    assert round(3.8 / curvature, 4) == limit
    for factor, comes_nearer in ((0.99, True), (1.01, False)):
        x, memory = 1.0, {}
        for _ in range(5000):
            x = x - factor * 3.8 / curvature * M.momentum(curvature * x, memory)
        assert (abs(x) < 0.01) == comes_nearer


def steep_with(lesson, warm):
    """The walk from the steep start with a warm-up of so many steps."""
    with np.errstate(all="ignore"):
        return lesson["steep"](lambda t, steps: M.warmup_cosine(t, steps, warm))


def largest_rate(point):
    """The largest rate that works with momentum where the curvature is the largest one at this point."""
    x, y = point
    hessian = np.array([[2 + 1200 * x * x - 400 * y, -400 * x], [-400 * x, 200]])
    return 3.8 / np.linalg.eigvalsh(hessian)[-1]


@pytest.mark.parametrize("warm", range(90, 301, 15))
def test_a_warm_up_of_90_to_300_steps_is_long_enough(lesson, warm):
    assert np.allclose(steep_with(lesson, warm)[-1], [1, 1], atol=0.02)


def test_below_90_steps_it_is_a_matter_of_luck(lesson):
    arrives = {warm: np.isfinite(steep_with(lesson, warm)[-1]).all() for warm in (20, 30, 50, 60, 80, 89)}
    assert arrives == {20: False, 30: True, 50: True, 60: False, 80: True, 89: False}


def test_a_short_warm_up_is_over_before_the_walk_has_settled(lesson):
    """It has left its wall after three steps, and is thrown out from the wall on the other side."""
    walk, text = steep_with(lesson, 20), prose(LESSON)
    rates = [0.002 * M.warmup_cosine(t, 1000, 20) for t in range(30)]
    assert walk[3][0] < 0
    assert all(largest_rate(walk[t]) > 3 * rates[t] for t in (3, 4, 5, 6))
    assert walk[16][0] > 0
    assert walk[16][1] < walk[16][0] ** 2  # under the valley's floor, y = x², which is the other side
    assert f"at step 16 the rate is {rates[16]:.4f}, where only {largest_rate(walk[16]):.4f} works" in text
    assert largest_rate(walk[16]) < rates[16]
    assert np.isnan(walk[-1]).all()
    walk = steep_with(lesson, 200)
    worst = max(0.002 * M.warmup_cosine(t, 1000, 200) / largest_rate(walk[t]) for t in range(1000))
    assert worst < 0.5


def test_the_schedules_are_the_package_s(lesson):
    cosine = lesson["rates_of"](lambda o: optim.CosineAnnealingLR(o, T_max=100), 100)
    assert np.allclose(cosine, [M.warmup_cosine(t, 100) for t in range(100)], rtol=0, atol=1e-12)
    line = lesson["rates_of"](lambda o: optim.LinearLR(o, start_factor=1 / 20, total_iters=19), 20)
    assert np.allclose(line, [M.warmup_cosine(t, 100, warm=20) for t in range(20)], rtol=0, atol=1e-12)


@pytest.mark.parametrize("noise", [0, 1e-9])
def test_the_digits_do_not_hang_on_the_last_digits(lesson, noise):
    pytest.importorskip("sklearn")
    names = dict(lesson)
    exec(TRAINING, names)
    names["pictures"] = names["pictures"] + noise * np.random.default_rng(5).normal(size=(1797, 64))
    rows = []
    for schedule in (names["constant"], M.warmup_cosine):
        net = names["train"](schedule)
        counts = [names["count_right"](net, names[places]) for places in ("seen", "unseen")]
        rows.append([schedule.__name__, *map(str, counts)])
    assert [line.split() for line in printed("load_digits").splitlines()[1:]] == rows
    assert [row[1:] for row in rows] == [["1235", "468"], ["1261", "482"]]


@pytest.mark.thorough
def test_a_falling_rate_reads_more_unseen_pictures_with_twenty_seeds(lesson):
    """The prose gives these results in a table, since one seed can say anything."""
    pytest.importorskip("sklearn")
    names = dict(lesson)
    fixed, open_seed = "rng, t = np.random.default_rng(0)", "rng, t = np.random.default_rng(seed)"
    assert TRAINING.count(fixed) == 1
    exec(TRAINING.replace(fixed, open_seed), names)
    text = prose(LESSON)

    def unseen(schedule, rate=1):
        found = []
        for names["seed"] in range(20):
            found.append(names["count_right"](names["train"](schedule, rate), names["unseen"]))
        return found

    falling = unseen(M.warmup_cosine)
    constant = {rate: unseen(names["constant"], rate) for rate in (1, 0.5, 0.2, 0.1)}
    found = {"cosine": falling, **{f"constant {rate}": counts for rate, counts in constant.items()}}
    rows = [f"|{name}|{min(of)}|{max(of)}|{np.mean(of):.0f}|" for name, of in found.items()]
    assert "\n".join(["|:--|--:|--:|--:|", *rows, "\nWith a constant 1"]) in text
    assert max(np.mean(counts) for counts in constant.values()) < np.mean(falling) - 5
    assert "A constant 0.5 has the same sum of rates as this cosine, and still reads fewer on average" in text
    rates = [M.warmup_cosine(t, 260) for t in range(260)]
    assert np.mean(rates) == pytest.approx(0.5, abs=0.002)
    names["labels"] = names["digits"]
    constant, falling = unseen(names["constant"]), unseen(M.warmup_cosine)
    assert f"{np.mean(falling):.0f} and {np.mean(constant):.0f} on average" in text


@pytest.mark.parametrize("rate", [0.004, 0.0005])
def test_noise_throws_as_high_along_y_as_the_formula_says(rate):
    rng = np.random.default_rng(0)
    y, squares = np.zeros(20_000), []
    for step in range(3000):
        y = (1 - 100 * rate) * y - rate * rng.normal(0, 5, y.shape)
        squares += [np.mean(y**2)] if step >= 2000 else []
    assert np.mean(squares) == pytest.approx(25 * rate / (100 * (2 - 100 * rate)), rel=0.02)


def test_half_the_rate_is_about_half_the_height():
    """The heights that the lesson prints are those of the formulas, and 0.056 is what the question says."""
    found = {}
    for line in printed("heights[1000:]").split("\n"):
        rate, _, height = line.removeprefix("rate ").partition(": height ")
        if height:
            found[float(rate)] = float(height)
    assert found.keys() == {0.008, 0.004, 0.002}
    for rate, height in found.items():
        along_x, along_y = 12.5 * rate / (2 - rate), 12.5 * rate / (2 - 100 * rate)
        assert height == pytest.approx(along_x + along_y, abs=0.001)
        assert along_x == pytest.approx(6.25 * rate, rel=0.005)
        assert 1 < along_y / along_x < 1.7
    assert found[0.004] == 0.056
    assert "a mean height of about 0.056" in prose(LESSON)
