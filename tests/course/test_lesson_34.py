"""Lesson 34: the cart and its pole beside gymnasium's, the numbers of its prose, the film and the run."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import autodiff as ad
from autodiff import nn, optim
from autodiff_course import runs
from autodiff_course.plots import lesson_34 as plots
from autodiff_course.runs import lesson_34, store
from tests.course.stored import cells, lesson_path, prose, said

LESSON = lesson_path("34")
PROSE = prose(LESSON)
RUN = runs.stored("34")
SEEDS = range(8)


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


def defined(*holds, **names):
    """The names that the cells with these words define, with the functions that the reader writes."""
    given = {"goals": lesson_34.goals, "Replay": lesson_34.Replay, "runs": runs, "plots": plots}
    names = {"np": np, "ad": ad, "nn": nn, "optim": optim, **given, **names}
    for words in holds:
        exec(next(cell.source for cell in cells(LESSON) if words in cell.source), names)
    return names


CELLS = ("def step(", "def fallen(", "def network(", "def train(")

# -- the cart and its pole ----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")  # whatever gymnasium warns of while it is imported
def test_the_cart_is_gymnasium_s_to_the_last_bit():
    gymnasium = pytest.importorskip("gymnasium")
    names = defined(*CELLS[:2])
    env = gymnasium.make("CartPole-v1")
    rng = np.random.default_rng(0)
    assert env.spec.max_episode_steps == names["LIMIT"] == lesson_34.LIMIT == 500
    ends = set()
    for episode in range(200):
        env.reset(seed=episode)
        mine = theirs = np.array(env.unwrapped.state)
        for _ in range(501):
            right = int(rng.integers(2)) if episode % 2 else int(theirs[2] + 0.5 * theirs[3] > 0)
            _, reward, fell, out_of_time, _ = env.step(right)
            assert reward == 1.0
            theirs = np.array(env.unwrapped.state)
            assert np.array_equal(names["step"](mine, right), lesson_34.step(mine, right))
            mine = names["step"](mine, right)
            assert np.array_equal(mine, theirs)
            assert bool(names["fallen"](mine)) == fell == bool(lesson_34.fallen(mine))
            if fell or out_of_time:
                ends.add((fell, out_of_time))
                break
    assert (True, False) in ends
    assert (False, True) in ends


def test_the_bounds_of_gymnasium_are_met_from_both_sides():
    for place, bound in ((0, 2.4), (2, 12 * 2 * np.pi / 360)):
        for sign in (1, -1):
            state = np.zeros(4)
            state[place] = sign * bound
            assert not lesson_34.fallen(state)
            state[place] = sign * np.nextafter(bound, 9)
            assert lesson_34.fallen(state)


def test_many_poles_move_as_each_would_alone():
    rng = np.random.default_rng(0)
    states, rights = rng.normal(size=(4, 6)), rng.integers(2, size=6)
    alone = [lesson_34.step(state, right) for state, right in zip(states.T, rights)]
    assert np.allclose(lesson_34.step(states, rights), np.array(alone).T, rtol=0, atol=1e-15)


def test_energy_says_that_the_formulas_are_newton_s():
    """What the push does to the cart is what cart and pole gain in energy, in a short time."""
    old, lesson_34.SECONDS = lesson_34.SECONDS, 1e-6
    try:
        rng = np.random.default_rng(0)
        for right in (0, 1):
            state = rng.normal(size=4) * 0.3
            after = lesson_34.step(state, right)
            work = (10 if right else -10) * 1e-6 * (state[1] + after[1]) / 2
            gain = energy(after) - energy(state)
            assert abs(gain - work) < 1e-9
    finally:
        lesson_34.SECONDS = old


def energy(state):
    """Of a cart of 1 kg and a uniform pole of 0.1 kg whose middle is half a metre from the hinge."""
    _, v, angle, spin = state
    across, up = v + 0.5 * spin * np.cos(angle), -0.5 * spin * np.sin(angle)
    turning = 0.1 * (2 * 0.5) ** 2 / 12 * spin**2 / 2
    return v**2 / 2 + 0.1 * (across**2 + up**2) / 2 + turning + 0.1 * 9.8 * 0.5 * np.cos(angle)


# -- the prose ----------------------------------------------------------------------------------------------


def test_the_simple_policies_end_as_the_cell_says(capsys):
    defined(*CELLS[:2], "simple = {")
    assert capsys.readouterr().out == printed("def step(") + printed("simple = {")
    rows = dict(re.findall(r"([a-z ]+?) +(\d+) steps", printed("simple = {")))
    assert list(rows) == ["always right", "at random", "where it leans", "where it turns"]
    assert sorted(rows.values(), key=int) == list(rows.values())
    assert f"At random it was {rows['at random']}" in PROSE


def test_the_first_push_does_what_the_prose_says():
    state = lesson_34.step(np.zeros(4), 1)
    assert state[1] > 0 > state[3]


def test_the_table_of_goals_is_right():
    found = lesson_34.goals(np.array([0, 1]), np.array([[10, 20], [10, 20]]))
    assert found.round(10).tolist() == [20.8, 1.0]
    assert "1 + 0.99 · 20 = 20.8" in PROSE


def test_the_nudge_agrees_with_the_gradient():
    gradient, moved = map(float, re.findall(r"-?\d+\.\d{4,}", printed("bias.grad[1]")))
    assert gradient != 0
    assert abs(moved / 0.001 - gradient) < 0.001


def test_the_goals_are_constants_for_the_walk_back():
    net = lesson_34.network(0)
    assert isinstance(lesson_34.worth(net, np.zeros((2, 4))), np.ndarray)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.thorough
def test_the_cell_and_the_command_train_the_same_network(seed):
    names = defined(*CELLS)
    mine, means = names["train"](seed, 1700)
    other, others = lesson_34.train(seed, 1700)
    assert means == others
    assert len(means) == 3
    for p, q in zip(mine.parameters(), other.parameters()):
        assert np.array_equal(p.data, q.data)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_the_bounds_of_the_training_in_class_hold_for_other_seeds(seed, capsys):
    names = defined(*CELLS)
    names["net"], names["means"] = lesson_34.train(seed, 3000)
    assert max(names["means"]) > 100
    capsys.readouterr()
    defined("def endless(", **names)
    assert capsys.readouterr().out == printed("def endless(")


def test_the_broken_goals_are_told_apart():
    right, broken = printed("def endless(").splitlines()
    assert right.endswith("True")
    assert broken.endswith("False")
    assert "more than 100 steps on average: True" in printed("train(seed=0, steps=3000)")


# -- the full run -------------------------------------------------------------------------------------------


def test_every_training_of_the_full_run_is_solved():
    for seed in SEEDS:
        assert RUN[f"means_{seed}"][-1] >= 475
        assert (RUN[f"means_{seed}"][:-1] < 475).all()
        assert RUN[f"steps_{seed}"].shape == (100,)
        assert RUN[f"steps_{seed}"].mean() >= 475
        assert RUN[f"minutes_{seed}"] < 5
    assert (store.RESULTS / "lesson_34.npz").stat().st_size < 50 * 1024


def test_the_prose_tells_how_long_the_trainings_took():
    lengths, low = ([len(RUN[f"{key}_{seed}"]) for seed in SEEDS] for key in ("means", "low"))
    assert "the longest took more than twice as many steps as the shortest" in PROSE
    assert max(lengths) > 2 * min(lengths)
    assert "begin with a worth of 0 instead of 100 need more steps on average" in PROSE
    assert sum(low) > 1.2 * sum(lengths)
    means = [RUN[f"steps_{seed}"].mean() for seed in SEEDS]
    assert " ".join(f"{mean:.0f}" for mean in means) in printed("tests = [")
    assert "Each of them takes seconds to minutes." in PROSE
    assert "more than twice as many steps as another" in prose(LESSON.parent / "solutions" / LESSON.name)


def stored(when):
    net = lesson_34.network(0)
    for k, p in enumerate(net.parameters()):
        p.data = RUN[f"{when}_{k}"]
    return net


def test_the_stored_network_is_the_one_that_was_tested():
    found = lesson_34.lasts(lesson_34.best(stored("last")), seed=2000)
    assert abs(found.mean() - RUN["steps_0"].mean()) < 1
    early = lesson_34.lasts(lesson_34.best(stored("early")), seed=1000).mean()
    assert abs(early - RUN["means_0"][lesson_34.BEFORE // 500 - 1]) < 1


def test_a_small_run_returns_what_it_says():
    small = lesson_34.run(seeds=(0,), steps=1000, before=500)
    kinds = {"means_0", "low_0", "steps_0", "minutes_0"}
    assert set(small) == kinds | {f"{when}_{k}" for when in ("last", "early") for k in range(4)}
    named = {re.sub(r"_[1-7]$", "_0", name) for name in RUN} - {"seconds", "code"}
    assert named == {re.sub(r"_[1-7]$", "_0", name) for name in small}


# -- the film -----------------------------------------------------------------------------------------------


def lying(seconds, lean):
    states = np.zeros((int(50 * seconds), 4))
    states[:, 2] = np.linspace(0, lean, len(states))
    return states


def test_a_film_is_one_svg_that_moves_without_a_script():
    shown = plots.film({"up": lying(2, 0.01), "<down>": lying(1, -0.3)})
    root = ET.fromstring(shown.svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == shown.words == repr(shown)
    assert shown.words.endswith("up: is up after 2.0 seconds. <down>: falls after 1.0 seconds.")
    assert "<script" not in shown.svg
    assert "prefers-reduced-motion" in shown.svg
    names = set(re.findall(r"@keyframes (\w+)", shown.svg))
    assert names == set(re.findall(r"animation:(\w+) ", shown.svg))
    assert len(names) == 4


def test_a_film_runs_at_true_speed():
    states = lying(2, 0.1)
    states[50:, 0] = 1.0
    svg = plots.film({"one": states}).svg
    (whole,) = set(re.findall(r"linear infinite|animation:c\w+ ([\d.]+)s", svg)) - {""}
    frames = re.findall(r"([\d.]+)%\{transform:translate\(([-\d.]+)px\)", svg)
    places = {round(float(part) * float(whole) / 100, 2): float(place) for part, place in frames}
    assert places[0.9] == 0
    assert places[1.0] == plots.METRE


def test_a_still_film_shows_how_each_run_ends():
    svg = plots.film({"down": lying(1, 0.3)}).svg
    assert 'transform="rotate(90.0)"' in svg
    left = lying(1, 0.0)
    left[:, 0] = np.linspace(0, 2.5, len(left))
    assert plots.film({"off": left}).words.endswith("off: leaves the track after 1.0 seconds.")


def test_a_pole_that_falls_off_the_end_of_the_track_lies_inside_the_picture():
    gone = lying(1, -0.3)
    gone[:, 0] = np.linspace(0, -2.45, len(gone))
    svg = plots.film({"off": gone}).svg
    (x,) = re.findall(r'<g id="c\w+" transform="translate\(([-\d.]+)\)"', svg)
    pole = re.search(r'stroke-width="(\d+)" stroke-linecap="round" d="M0 0V-(\d+)"', svg)
    assert plots.MIDDLE + float(x) - float(pole[2]) - float(pole[1]) / 2 > 0
