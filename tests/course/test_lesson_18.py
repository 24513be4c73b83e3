"""Lesson 18: the numbers of its prose, with starts and data that are moved a little."""

from __future__ import annotations

import numpy as np
import pytest

from autodiff import nn
from autodiff_course import machine
from autodiff_course.checking import RIGHT
from autodiff_course.machine.judging import judge
from autodiff_course.machine.plan import find
from tests.course.stored import cells, lesson_path, said

LESSON = lesson_path("18")


def printed(holds):
    """What the notebook's first cell with these words says."""
    return next(said(cell) for cell in cells(LESSON) if holds in cell.source)


def names_of(*holds):
    """The names of the machine after the lesson, and those that the cells with these words define."""
    names = {"np": np, "nn": nn, **vars(machine.after(18))}
    for words in holds:
        source = next(cell.source for cell in cells(LESSON) if words in cell.source)
        exec(source.partition("\n\n\nphotos")[0].partition("\n\n\nfor kind")[0], names)
    return names


class Jittered:
    """A generator whose numbers are moved a little: what another machine's arithmetic might do."""

    def __init__(self, seed, size=1e-9):
        self.rng, self.noise, self.size = np.random.default_rng(seed), np.random.default_rng(7), size

    def normal(self, size):
        return self.rng.normal(size=size) + self.size * self.noise.normal(size=size)


def test_sums_spread_as_the_root_of_how_many_they_are():
    spreads = [line.split()[-2] for line in printed("the sums spread").splitlines()]
    assert np.allclose(np.array(spreads, dtype=float), [1, 2, 10, 20], rtol=0.02)


def test_all_points_are_right_after_500_steps():
    names = names_of("upper = np.stack", "def train(")
    rng = Jittered(0)
    layers = names["Linear"](2, 16, rng), names["relu"], names["Linear"](16, 1, rng)
    net, right = names["Sequential"](*layers), []
    for steps in (0, 100, 400):
        names["train"](net, steps)
        right.append(names["count_right"](net(names["points"]).data))
    assert right == [45, 91, 100]
    shown = printed("photos, done")
    assert all(f"{count:3} of 100 right" in shown for count in right)


def test_the_layer_that_is_used_twice_has_these_gradients():
    names = names_of("class Dense", "class Adding")
    x, ones = np.array([[2.0]]), np.array([[1.0]])
    found = {}
    for kind in ("Dense", "Adding", "Piling"):
        layer = names[kind]([[3.0]], [1.0])
        layer.forward(layer.forward(x))
        layer.backward(layer.backward(ones))
        found[kind] = layer.weight_grad.item(), layer.bias_grad.item()
    assert found == {"Dense": (21, 3), "Adding": (28, 4), "Piling": (13, 4)}
    layer = names["Linear"](1, 1, np.random.default_rng(0))
    layer.weight, layer.bias = names["Tensor"](np.array([[3.0]])), names["Tensor"](np.array([1.0]))
    names["backward"](layer(layer(x)))
    assert (layer.weight.grad.item(), layer.bias.grad.item()) == (13, 4)


@pytest.mark.parametrize("kind", ["Dense", "Piling"])
def test_a_look_in_between_misleads_a_layer_by_hand(kind):
    layer = names_of("class Dense", "class Adding")[kind]([[3.0]], [1.0])
    layer.forward(np.array([[2.0]]))
    layer.forward(np.array([[100.0]]))
    layer.backward(np.array([[1.0]]))
    assert layer.weight_grad.item() == 100


def test_equal_weights_stay_equal_and_random_ones_do_not():
    names = names_of("upper = np.stack", "def train(")
    net = names["net"]
    for p in names["parameters"](net):
        p.data = np.full(p.shape, 0.5)
    names["train"](net, 20)
    first = net.layers[0].weight.data
    assert np.allclose(first, first[:, :1])
    assert not np.allclose(first, 0.5)


def test_a_bias_of_minus_zeros_is_right():
    piece = find("18 Linear")
    code = piece.code.replace("Tensor(np.zeros(outputs))", "Tensor(0 * self.weight.data[0])")
    assert code != piece.code
    assert "-0" in str((0 * np.random.default_rng(0).normal(size=2)).tolist())
    assert judge(piece, code, {}).status == RIGHT


def test_a_layer_by_hand_passes_on_the_same_gradient():
    assert [line.split()[0] for line in printed("x_grad").splitlines()] == ["x", "weight", "bias"]
    assert printed("x_grad").count("the same gradient: True") == 3
