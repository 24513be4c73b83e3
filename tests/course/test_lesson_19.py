"""Lesson 19: the numbers of its prose."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff_course import machine
from tests.course.stored import cells, lesson_path, said

LESSON = lesson_path("19")
M = machine.after(19)

pytestmark = pytest.mark.filterwarnings("ignore")  # inf and nan are made on purpose


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


def by_probability(scores, targets):
    return M.cross_entropy(M.softmax(scores), targets)


def with_floor(scores, targets):
    at_least = M.operation("at_least", np.maximum, lambda grad, z, x, floor: grad * (x > floor))
    return M.cross_entropy(at_least(M.softmax(scores), 1e-12), targets)


def gradient(loss_of, scores, target=0):
    """The loss of one row, and the gradient of its scores."""
    leaf = M.Tensor(np.array([scores]))
    loss = loss_of(leaf, np.array([target]))
    M.backward(loss)
    return float(loss.data), leaf.grad[0].tolist()


def test_a_saturated_sigmoid_asks_for_nothing_unless_there_is_a_logarithm():
    found = []
    for loss_of in (lambda p: (p - 1) ** 2, lambda p: -M.log(p)):
        logit = M.Tensor(-6.0)
        M.backward(loss_of(M.sigmoid(logit)))
        found.append(logit.grad)
    assert np.allclose(found, [-0.00492, -0.99753], atol=1e-5)


def test_the_loss_by_probability_breaks_and_the_one_by_logarithms_does_not():
    assert gradient(by_probability, [0.0, 700])[0] == pytest.approx(700)
    loss, grad = gradient(by_probability, [0.0, 1000])
    assert loss == np.inf
    assert np.isnan(grad[0])
    assert gradient(M.softmax_cross_entropy, [0.0, 1000]) == (1000, [-1, 1])


def test_on_the_floor_nothing_is_asked():
    for score, right, slope in ((10.0, 10, -1), (20.0, 20, -1), (30.0, 27.631, 0), (1000.0, 27.631, 0)):
        loss, grad = gradient(with_floor, [0.0, score])
        assert loss == pytest.approx(right, abs=1e-3)
        assert grad[0] == pytest.approx(slope, abs=1e-3)


def test_subtracting_a_number_from_all_scores_changes_nothing():
    row = M.Tensor(np.array([[2.0, 1, 0]]))
    moved = M.Tensor(np.array([[7.0, 6, 5]]))
    assert np.allclose(M.log_softmax(row).data, M.log_softmax(moved).data)


@pytest.mark.parametrize("noise", [0, 1e-9])
def test_one_loss_learns_and_the_others_do_not(noise):
    rng, extra = np.random.default_rng(0), np.random.default_rng(5)
    angles = np.linspace(0, np.pi, 50)
    upper = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    lower = np.stack([1 - np.cos(angles), 0.5 - np.sin(angles)], axis=1)
    points = (
        np.concatenate([upper, lower]) + rng.normal(0, 0.1, (100, 2)) + noise * extra.normal(size=(100, 2))
    )
    kinds, found = np.repeat([1, 0], 50), []
    for loss_of in (by_probability, with_floor, M.softmax_cross_entropy):
        rng = np.random.default_rng(0)
        net = M.Sequential(M.Linear(2, 16, rng), M.relu, M.Linear(16, 2, rng))
        net.layers[2].weight.data *= 1000
        for _ in range(500):
            loss = loss_of(net(points), kinds)
            M.backward(loss)
            M.step(M.parameters(net), 0.1)
        right = int((net(points).data.argmax(axis=1) == kinds).sum())
        found.append(f"{loss_of.__name__:22} loss {loss.data:5.2f}, {right:3} of 100 right")
    assert printed("def trained(").splitlines() == found
    assert [line.split()[3] for line in found] == ["50", "50", "100"]


def test_a_deaf_rule_passes_alone_and_fails_with_something_behind_it():
    def right(scores, target):
        return -M.log_softmax(scores)[np.arange(1), target].mean()

    deaf = M.operation("deaf", right, lambda grad, z, scores, target: M.softmax(scores) - np.eye(3)[target])
    scores = np.array([[2.0, 1, 0]])
    assert M.gradcheck(lambda s: deaf(s, [1]), scores) < 1e-6
    assert M.gradcheck(lambda s: 0.1 * deaf(s, [1]), scores) > 0.1
    repaired = M.operation(
        "repaired", right, lambda grad, z, scores, target: grad * (M.softmax(scores) - np.eye(3)[target])
    )
    assert M.gradcheck(lambda s: 0.1 * repaired(s, [1]), scores) < 1e-6
