"""The reader's engine as it stands after each lesson: a later one passes every earlier lesson's checks, and
the last gives the package's own numbers."""

from __future__ import annotations

import importlib
import math
import types
from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff import lessons
from autodiff.engine.backward import order as order_of_ours
from autodiff.lessons import check
from autodiff.lessons.checking import EXERCISES

FOLDER = Path(lessons.__file__).parent
SNAPSHOTS = {
    int(path.stem[-2:]): importlib.import_module(f"autodiff.lessons.{path.stem}")
    for path in sorted(FOLDER.glob("after_[0-9][0-9].py"))
}
ENGINES = {
    number: snapshot
    for number, snapshot in SNAPSHOTS.items()
    if {"Tensor", "backward"} <= set(vars(snapshot))
}
LAST = ENGINES[max(ENGINES)]

# The checks of what a lesson builds, and what they are given; of a snapshot that lacks it, nothing is asked.
BUILT = {
    "04 order": lambda s: (s.order,),
    "04 backward": lambda s: (s.backward,),
    "06 engine": lambda s: (s.Tensor, s.backward),
}


def built(snapshot, name):
    """What the check ``name`` is given of a snapshot, or None where that does not have it."""
    try:
        return BUILT[name](snapshot)
    except AttributeError:
        return None


def cases():
    for number, snapshot in SNAPSHOTS.items():
        for name in BUILT:
            if int(name[:2]) <= number and built(snapshot, name):
                yield pytest.param(name, snapshot, id=f"{name} of after_{number:02}")


# -- every later snapshot passes every earlier lesson's checks ----------------------------------------------


@pytest.mark.parametrize(("name", "snapshot"), list(cases()))
def test_a_snapshot_passes_the_checks_of_its_own_and_of_earlier_lessons(name, snapshot):
    verdict = check(name, *built(snapshot, name))
    assert verdict.status == "right", verdict


def test_there_is_a_snapshot_after_each_lesson_of_part_1():
    assert list(SNAPSHOTS)[:6] == [1, 2, 3, 4, 5, 6]


def test_each_snapshot_has_what_its_lesson_builds():
    for name in BUILT:
        assert built(SNAPSHOTS[int(name[:2])], name), name


def test_nothing_that_was_built_is_lost_while_the_engine_grows():
    for name in BUILT:
        for number, engine in ENGINES.items():
            if number >= int(name[:2]):
                assert built(engine, name), (name, number)


@pytest.mark.parametrize(
    ("name", "too_early"), [("04 backward", 3), ("06 engine", 4)], ids=["paths that meet", "operators"]
)
def test_an_earlier_snapshot_fails_the_check_of_what_it_lacks(name, too_early):
    assert check(name, *built(SNAPSHOTS[too_early], name)).status == "wrong"


def test_every_check_of_something_built_is_asked_of_the_snapshots():
    """A new check that is named for a thing of the snapshots must not be left out of the table above."""
    for path in sorted((FOLDER / "exercises").glob("lesson_[0-9][0-9].py")):
        importlib.import_module(f"autodiff.lessons.exercises.{path.stem}")
    things = {"tensor", "slope", "mul", "backward", "order", "engine"}
    assert {name for name in EXERCISES if name.split()[1] in things} == set(BUILT)


@pytest.mark.parametrize("number", list(SNAPSHOTS))
def test_a_snapshot_is_short_and_says_what_it_is(number):
    snapshot = SNAPSHOTS[number]
    assert snapshot.__doc__.startswith(f"What you have after lesson {number:02}: ")
    assert len(Path(snapshot.__file__).read_text(encoding="utf-8").splitlines()) <= 100


# -- the last engine and the package: the rules --------------------------------------------------------------

POINTS = ((3.0, 2.0), (0.5, -1.5), (1.25, 0.75), (2.0, 3.0))


@pytest.mark.parametrize("name", list(LAST.RULES))
def test_a_row_of_rules_gives_what_the_package_s_rules_give(name):
    operation, row = getattr(ad, name), LAST.RULES[name]
    assert len(row) == len(operation.rules)
    for point in POINTS:
        inputs = point[: len(row)]
        z = operation(*inputs)
        for grad in (1.0, -2.5):
            for mine, ours in zip(row, operation.rules):
                assert mine(grad, z, *inputs) == pytest.approx(ours(grad, z, *inputs), rel=1e-12)


def test_the_second_rule_of_pow_says_nan_below_zero_as_the_package_s_does():
    assert math.isnan(LAST.RULES["pow"][1](1, 9, -3, 2))
    assert math.isnan(ad.pow.rules[1](1.0, 9.0, -3.0, 2.0))
    exponent = ad.Tensor(2)
    (ad.Tensor(-3) ** exponent).backward()
    assert math.isnan(exponent.grad.data)


# -- the last engine and the package: whole calculations -----------------------------------------------------


def doubled(a):
    for _ in range(10):
        a = a + a
    return a


def shared(x):
    h = x * x
    return h + h * h


def laboratory(a):
    h = a + a
    k = a + h
    m = k + h
    return k + m


CALCULATIONS = {
    "the course's": (lambda a: (a + 2) * (3 * a + 4), (2,)),
    "h + h * h": (shared, (2,)),
    "the laboratory graph": (laboratory, (2,)),
    "ten doublings": (doubled, (3,)),
    "x * (-1)": (lambda x: x * (-1), (4,)),
    "lesson 06's": (lambda a, b, c: ((a - b) / c) ** 2 + a.exp() * b.tanh(), (1, 0.5, 2)),
    "numbers on the left": (lambda a: 7 / a - 2 * a + (1 - a) + 2**a, (1.5,)),
    "a negative base": (lambda a: (a - 5) ** 2 / (a - 4), (1.0,)),
    "a neuron": (lambda w, b: ((w * 1 + b).tanh() - 1) ** 2, (2, -1.5)),
}


def both(f, point):
    """The value and the leaves' gradients, by the last snapshot and by the package."""
    answers = []
    for tensor, backward in ((LAST.Tensor, LAST.backward), (ad.Tensor, ad.Tensor.backward)):
        leaves = [tensor(value) for value in point]
        end = f(*leaves)
        backward(end)
        answers.append([float(end.data), *(float(getattr(leaf.grad, "data", leaf.grad)) for leaf in leaves)])
    return answers


@pytest.mark.parametrize("said", CALCULATIONS)
def test_the_last_engine_gives_the_package_s_numbers(said):
    mine, ours = both(*CALCULATIONS[said])
    assert mine == pytest.approx(ours, rel=1e-12)


def test_the_numbers_that_the_course_is_built_on():
    numbers = {said: both(*CALCULATIONS[said])[0] for said in CALCULATIONS}
    assert numbers["the course's"] == [40, 22]
    assert numbers["h + h * h"] == [20, 36]
    assert numbers["the laboratory graph"] == [16, 8]
    assert numbers["ten doublings"] == [3072, 1024]
    assert numbers["x * (-1)"] == [-4, -1]
    assert [round(value, 4) for value in numbers["lesson 06's"]] == [1.3187, 1.5062, 1.8878, -0.0625]


def test_a_second_walk_back_adds_in_both():
    for tensor, backward in ((LAST.Tensor, LAST.backward), (ad.Tensor, ad.Tensor.backward)):
        a = tensor(2)
        e = (a + 2) * (3 * a + 4)
        backward(e)
        backward(e)
        assert float(getattr(a.grad, "data", a.grad)) == 44


def at_random(rng):
    """A calculation of 25 random operations on two inputs, in which any result may be used again."""
    steps = [(rng.choice(["+", "-", "*", "/", "tanh", "neg"]), *rng.random(2)) for _ in range(25)]

    def f(a, b):
        nodes = [a, b]
        for i, (sign, first, second) in enumerate(steps):
            x, y = (nodes[int(place * (i + 2))] for place in (first, second))
            nodes.append(
                {
                    "+": lambda x, y: x + y,
                    "-": lambda x, y: x - y,
                    "*": lambda x, y: (x * y).tanh(),
                    "/": lambda x, y: x / (y * y + 1),
                    "tanh": lambda x, y: x.tanh(),
                    "neg": lambda x, y: -x,
                }[sign](x, y)
            )
        return sum(nodes, nodes[0] * 0)

    return f


@pytest.mark.parametrize("seed", range(20))
def test_on_random_graphs_the_last_engine_and_the_package_agree(seed):
    mine, ours = both(at_random(np.random.default_rng(seed)), (0.7, -1.3))
    assert mine == pytest.approx(ours, rel=1e-9, abs=1e-12)


def test_their_orders_list_creators_first():
    for tensor, order in ((LAST.Tensor, LAST.order), (ad.Tensor, order_of_ours)):
        nodes = order(laboratory(tensor(2)))
        places = {id(node): i for i, node in enumerate(nodes)}
        assert len(nodes) == 5
        for node in nodes:
            assert all(places[id(creator)] < places[id(node)] for creator in node.creators or ())


# -- the reader's engine under lesson 08's network ----------------------------------------------------------


def test_the_network_runs_on_the_reader_s_own_engine(monkeypatch):
    """Lesson 08 says so: backward(loss) for loss.backward(), w.grad for w.grad.data, and a hundred points."""
    after_08 = SNAPSHOTS[6]
    rng = np.random.default_rng(0)
    points = rng.normal(size=(100, 2)).tolist()
    targets = [1 if x > y * y else -1 for x, y in points]

    def gradients(walk):
        net = after_08.Network(2, 4, np.random.default_rng(2))
        walk(after_08.mean_loss(net, points, targets))
        return [float(getattr(p.grad, "data", p.grad)) for p in net.parameters()]

    ours = gradients(ad.Tensor.backward)
    monkeypatch.setattr(after_08, "ad", types.SimpleNamespace(Tensor=LAST.Tensor))
    assert gradients(LAST.backward) == pytest.approx(ours, rel=1e-9, abs=1e-12)
    assert len(ours) == 17
