"""Lesson 23: the numbers of its prose, with starts that are moved a little."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import data
from autodiff_course import machine
from autodiff_course.exercises.lesson_23 import BAD, patient
from tests.course.stored import cells, lesson_path, prose, said

LESSON = lesson_path("23")
SOLUTIONS = LESSON.parent / "solutions" / LESSON.name
PROSE = prose(LESSON)


def printed(holds, path=LESSON):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(path) if holds in cell.source)


@pytest.fixture(scope="module")
def names():
    """The names of the machine after the lesson, and those that its cells define."""
    pytest.importorskip("sklearn")
    names = {"np": np, "data": data, **vars(machine.after(23))}
    for words in ("def build(", "def size_of", "def look_back", "class BatchNorm", "def switch("):
        source = next(cell.source for cell in cells(LESSON) if words in cell.source)
        run(source, names)
    return names


def run(source, names):
    """Run a cell's definitions, without what it prints and plots."""
    for end in ("\n\n\nfor size", '\n\n\nprint("', "\nrow(", "\n\nplots."):
        source = source.partition(end)[0]
    exec(source, names)


def share(names, net):
    """Which part of the drawer a network reads right."""
    pictures, digits, drawer = names["pictures"], names["digits"], names["drawer"]
    return names["count_right"](net, pictures[drawer], digits[drawer]) / len(drawer)


def moved(names, net, jitter):
    """The network with its parameters moved a little, as another machine's arithmetic might do."""
    noise = np.random.default_rng(3)
    for p in names["parameters"](net):
        p.data = p.data * (1 + jitter * noise.normal(size=p.shape))
    return net


@pytest.mark.parametrize("jitter", [0, 1e-9, 1e-6])
@pytest.mark.parametrize(("size", "low", "high"), [(0.02, 0, 0.1), (1, 0, 0.55), (0.125, 0.92, 1)])
def test_what_each_size_of_the_weights_leads_to(names, size, low, high, jitter):
    net = names["fit"](moved(names, names["build"](size), jitter))
    assert low < share(names, net) < high


@pytest.mark.parametrize("jitter", [0, 1e-9, 1e-6])
def test_training_saturates_a_network_with_weights_of_size_1(names, jitter):
    net = names["fit"](moved(names, names["build"](1), jitter))
    for layer in names["activations"](net, names["some"])[1::2]:
        assert np.mean(abs(layer) > 0.9) > 0.87


@pytest.mark.thorough
@pytest.mark.parametrize("jitter", [0, 1e-9, 1e-6])
@pytest.mark.parametrize("size", [0.02, 0.125, 1])
def test_batchnorm_forgives_a_bad_start(names, size, jitter):
    net = names["fit"](moved(names, names["build"](size, names["BatchNorm"]), jitter))
    names["switch"](net, training=False)
    assert share(names, net) > 0.87


def test_sums_grow_as_the_root_of_how_many_they_are(names):
    rows = printed("weights   8 times").splitlines()[1:]
    for row in rows:
        _, expected, found = map(float, row.split())
        assert abs(found - expected) < 0.03 * expected
    assert "0.16 to the sixth power is 0.000017" in PROSE
    assert round(0.16**6, 6) == 0.000017
    assert round(float(names["size_of"](names["some"])), 1) == 0.5
    assert printed("row(").startswith("pictures   4.9e-01\n")
    assert "their size is 0.000009" in PROSE
    assert round(float(names["size_of"](names["small"][-1])), 6) == 0.000009


def test_the_gradients_behave_as_the_prose_says(names):
    sizes = {
        size: [names["size_of"](g) for g in names["look_back"](names["build"](size))]
        for size in (0.02, 1, 0.125)
    }
    assert 40 < sizes[1][0] / sizes[1][-1] < 70  # "some fifty times as large"
    factor = {size: (found[0] / found[-1]) ** (1 / 5) for size, found in sizes.items()}
    assert abs(factor[0.02] - 0.16) < 0.01
    assert 1.9 < factor[1] < 2.4
    assert abs(factor[0.125] - 1) < 0.1


def test_the_bathtub_is_not_saturated(names):
    outs = names["activations"](names["build"](0.02, names["BatchNorm"]), names["some"])
    assert round(float(np.mean(1 - outs[11] ** 2)), 1) == 0.6
    assert np.tanh([1.2, 2.3]).round(2).tolist() == [0.83, 0.98]
    counts = np.histogram(outs[11], bins=31, range=(-1, 1))[0]
    assert min(counts[1], counts[-2]) > 1.2 * counts[15]  # high at both ends
    counts = np.histogram(outs[10], bins=31, range=(-3, 3))[0]
    assert counts[15] > 5 * max(counts[1], counts[-2])  # a bell


def test_a_forgotten_switch_shows_on_sorted_pictures_only():
    lines = printed("sorted_drawer").splitlines()
    assert [line.split(maxsplit=2)[-1].strip() for line in lines[2:]] == ["over 90 %", "under 50 %"]
    assert all("over 90 %" in line for line in lines[:3])


def test_the_sum_over_a_column_is_0():
    assert (
        printed("def f(x)") == "gradcheck below 1e-6: True\nfirst column: [ 0.458 -1.374  0.916]  sum 0.0\n"
    )
    assert "moves the result by 0.000458" in PROSE


def test_one_linear_of_the_patient_is_bad(names):
    net = patient(names)
    assert len(net.layers) == 13
    dead = [
        float(np.mean((out == 0).all(axis=0))) for out in names["activations"](net, names["pictures"])[1::2]
    ]
    assert max(dead[: BAD - 1]) < 0.1
    assert dead[BAD - 1 :] == [1, 1, 1]
    assert printed("heal(net, pictures", SOLUTIONS) == "over 450 of 500 right: True\n"
