"""Lesson 10: the numbers of its prose, the machine that it builds beside the package, and its pictures."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff_course import machine
from autodiff_course.plots import lesson_10 as plots
from tests.course.stored import cells, lesson_path, said

LESSON = lesson_path("10")
TOLD = "\n".join(said(cell) for cell in cells(LESSON))
ROUGH = np.array([[2.0, 3.0, 5.0], [4.0, 6.0, 11.0], [7.0, 9.0, 15.0], [8.0, 13.0, 20.0]])

# -- the stored numbers -------------------------------------------------------------------------------------


def test_before_the_lesson_a_step_makes_a_table_of_a_row():
    before = machine.after(9)
    v = before.Tensor(np.array([2.0, 2.0, 3.0]))
    before.backward(v * np.ones((3, 3)), np.ones((3, 3)))
    before.step([v], 0.1)
    assert v.shape == (3, 3)
    assert "before the step: (3,)\nafter the step:  (3, 3)" in TOLD


def test_only_the_symmetric_table_hides_the_wrong_axis():
    assert "along axis 0: [12. 15. 18.]\nalong axis 1: [ 6. 15. 24.]\nthe nudge:    [12. 15. 18.]" in TOLD
    symmetric = np.array([[1, 2, 3], [2, 3, 4], [3, 4, 5]])
    assert (symmetric.sum(axis=0) == symmetric.sum(axis=1)).all()


def test_the_network_s_numbers():
    assert "3218 nodes, loss 1.743" in TOLD
    assert "48 nodes, loss 1.743\ngradients alike: True" in TOLD
    assert "200 steps   loss 0.03   100 of 100 right" in TOLD


def test_no_column_and_row_come_nearer_than_the_solutions_say():
    assert (np.linalg.svd(ROUGH)[1][1:] ** 2).sum() == pytest.approx(1.734, abs=5e-4)


# -- the machine --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((), (3,)),
        ((3,), ()),
        ((2, 3), (3,)),
        ((3,), (2, 3)),
        ((2, 1), (3,)),
        ((1, 3), (2, 1)),
        ((1,), (1, 1)),
        ((2, 3, 4), (3, 1)),
        ((2, 1, 4), (3, 1)),
        ((0,), (1,)),
        ((2, 0), (1,)),
    ],
)
def test_the_machine_gives_the_package_s_gradients(left, right):
    engine = machine.after(10)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=left), rng.normal(size=right)
    mine, theirs = [engine.Tensor(x), engine.Tensor(y)], [ad.Tensor(x), ad.Tensor(y)]
    engine.backward(mine[0] * mine[1] + mine[0])
    (theirs[0] * theirs[1] + theirs[0]).sum().backward()
    for own, other in zip(mine, theirs):
        assert np.shape(own.grad) == other.shape
        assert np.allclose(own.grad, other.grad.data)


# -- the pictures -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("small", "shape", "axes"),
    [
        (np.ones(3), (3, 3), (0,)),
        (np.ones((3, 1)), (3, 4), (1,)),
        (np.array(2.0), (2, 3), (0, 1)),
        (np.ones(3), (3,), ()),
    ],
)
def test_a_picture_knows_along_which_axes_an_array_was_stretched(small, shape, axes):
    assert plots.flat(small, shape)[1] == axes
