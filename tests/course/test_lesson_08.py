"""Lesson 08: the numbers and the claims of its prose."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from autodiff_course import machine, plots
from tests.course.stored import cells, lesson_path, said

LESSON = lesson_path("08")


def cell_with(words):
    return next(cell for cell in cells(LESSON) if words in cell.source)


@pytest.fixture(scope="module")
def lesson():
    """The functions, the class and the points that the lesson's cells define."""
    scope = {**vars(machine.after(8)), "math": math, "np": np, "show_points": lambda *ignored: None}
    for words in ("points, targets = [], []", "def mean_loss", "class Network"):
        source = cell_with(words).source.replace("from autodiff_course.machine import Neurons\n", "")
        exec(source, scope)
    exec(cell_with("def make()").source.split("net = make()")[0], scope)
    exec(cell_with("def train(").source.split("neuron = ")[0], scope)
    exec(cell_with("def train_without_clearing").source.split("forgetful = ")[0], scope)
    return SimpleNamespace(**scope)


def test_the_numbers_of_the_first_neuron(lesson):
    w, b = lesson.Tensor(2.0), lesson.Tensor(-1.5)
    loss = (lesson.tanh(w * 1 + b) - 1) ** 2
    lesson.backward(loss)
    assert [f"{x:.4f}" for x in (loss.data, w.grad, b.grad)] == ["0.2893", "-0.8460", "-0.8460"]
    lesson.step([w, b], 0.5)
    assert [f"{x:.4f}" for x in (w.data, b.data, (math.tanh(w.data + b.data) - 1) ** 2)] == [
        "2.4230",
        "-1.0770",
        "0.0161",
    ]


@pytest.mark.thorough
def test_the_best_of_all_lines_gets_88(lesson):
    points, targets = np.array(lesson.points), np.array(lesson.targets)
    best = 0
    for angle in np.linspace(0, 2 * np.pi, 3601):
        ordered = targets[np.argsort(points @ [np.cos(angle), np.sin(angle)])]
        below = np.cumsum(np.append(0, ordered < 0))  # amber squares before each place to cut
        above = np.cumsum(np.append(0, ordered[::-1] > 0))[::-1]
        best = max(best, (below + above).max())
    assert best == 88


@pytest.fixture(scope="module")
def forgetful(lesson):
    net = lesson.make()
    return net, lesson.train_without_clearing(net, lesson.points, lesson.targets, 0.5, 200)


@pytest.mark.thorough
def test_six_wrong_answers_of_minus_one_or_one_make_a_loss_of_0_24(lesson, forgetful):
    """The network that never clears ends with every answer at -1 or 1, so its loss only counts."""
    net, losses = forgetful
    answers = [net(point).data for point in lesson.points]
    assert min(map(abs, answers)) > 0.999
    assert lesson.count_right(net, lesson.points, lesson.targets) == 94
    assert math.isclose(lesson.mean_loss(net, lesson.points, lesson.targets).data, 6 * 4 / 100, abs_tol=1e-3)
    assert f"{losses[0]:.2f}" == "1.74"


@pytest.mark.thorough
def test_one_step_cannot_tell_and_two_can(lesson, forgetful):
    right = lesson.train(lesson.make(), lesson.points, lesson.targets, 0.5, 3)
    wrong = forgetful[1][:3]
    assert right[:2] == wrong[:2]
    assert wrong[2] < right[2] - 0.05  # and is even better at first


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [1, 2])
def test_the_numbers_of_the_training_do_not_hang_on_the_last_digits(lesson, seed):
    """A machine whose tanh differs in the sixteenth digit shows the same table."""
    net, rng = lesson.make(), np.random.default_rng(seed)
    for p in lesson.parameters(net):
        p.data += 1e-12 * rng.normal()
    shown, done = [], 0
    for steps in (0, 10, 50, 200):
        lesson.train(net, lesson.points, lesson.targets, 0.5, steps - done)
        done = steps
        loss = lesson.mean_loss(net, lesson.points, lesson.targets).data
        shown.append((f"{loss:.2f}", lesson.count_right(net, lesson.points, lesson.targets)))
    assert shown == [("1.74", 38), ("0.37", 87), ("0.30", 89), ("0.03", 100)]


def test_the_machine_and_the_package_show_the_same_losses():
    rows = [line.split() for line in said(cell_with("optim.SGD")).splitlines()[1:]]
    assert [row[0] for row in rows] == ["0", "1", "2", "50", "199"]
    assert all(mine == theirs for _, mine, theirs in rows)


@pytest.mark.thorough
def test_without_a_bend_the_network_is_a_line(lesson):
    net = lesson.make()
    for neuron in net.hidden.neurons:
        neuron.__class__ = type("Flat", (lesson.Neuron,), {"__call__": flat})
    lesson.train(net, lesson.points, lesson.targets, 0.5, 200)
    assert lesson.count_right(net, lesson.points, lesson.targets) == 87


def flat(neuron, point):
    total = neuron.bias
    for weight, x in zip(neuron.weights, point):
        total = total + weight * x
    return total


def test_the_start_is_what_the_exercise_says(lesson):
    points, targets = lesson.points[::5], lesson.targets[::5]  # ten of either kind
    for start in (0.0, 0.5):
        net = lesson.make()
        for p in lesson.parameters(net):
            p.data = start
        lesson.train(net, points, targets, 0.5, 20)
        assert len({tuple(p.data for p in lesson.parameters(neuron)) for neuron in net.hidden.neurons}) == 1
        if start == 0:
            assert lesson.mean_loss(net, points, targets).data == pytest.approx(1, abs=1e-12)


def test_the_tumours_measurements_are_those_the_prose_speaks_of():
    cancer = pytest.importorskip("sklearn.datasets").load_breast_cancer()
    assert cancer.data.shape == (569, 30)
    assert list(cancer.target_names) == ["malignant", "benign"]  # 0 and 1
    assert [str(cancer.feature_names[i]) for i in (20, 27)] == ["worst radius", "worst concave points"]
    assert said(cell_with("load_breast_cancer")) == "164 of 171 right\n"


def test_a_photograph_keeps_the_moment(lesson):
    """A training after the photograph was taken changes nothing in it."""
    neuron = lesson.Neuron(2, np.random.default_rng(0))
    photo = plots.photograph(neuron, [(0, 0), (1, 1)])
    before = photo.outputs.copy()
    for p in lesson.parameters(neuron):
        p.data = 7.0
    assert np.array_equal(photo.outputs, before)
    again = lesson.Neuron(2, np.random.default_rng(0))
    assert photo.outputs[0, 0] == pytest.approx(again((-0.12, -0.12)).data)
