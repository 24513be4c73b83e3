"""Lesson 09: the numbers of its prose, and what PyTorch does."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff as ad
from autodiff_course import check, machine
from tests.course.stored import cells, lesson_path, said

LESSON = lesson_path("09")
TOLD = "\n".join(said(cell) for cell in cells(LESSON))


@pytest.fixture
def engine():
    """The reference's machine after the lesson, with the lesson's own operation."""
    made = machine.after(9)
    made.FORWARD["roll"] = lambda x: np.roll(x, 1)
    made.RULES["roll"] = (lambda grad, z, x: np.roll(grad, -1),)
    made.areas = lambda x: x * made.apply("roll", x)
    return made


def test_the_stored_numbers_of_the_first_half_are_right():
    """By hand, not by an engine: the slope of (a + 2)(3a + 4) is 6a + 10."""
    for a in (2, 0, -4):
        assert f"a {a:2}   e {(a + 2) * (3 * a + 4):2}   gradient {6 * a + 10:3}   nodes 5" in TOLD
    assert "[40.  8. 16.] [ 22.  10. -14.]" in TOLD
    assert "5 nodes\nbetween -1.66667 and -1.66667" in TOLD


def test_the_stored_numbers_of_the_box_are_right():
    assert "the machine: 8.0\nthe nudge:   5.0" in TOLD
    assert "[[5. 0. 2.]\n [3. 2. 0.]\n [0. 5. 3.]]" in TOLD
    assert "[21.5  6.  11. ]" in TOLD
    assert "data: 2.0   gradient: [1. 1. 1.]" in TOLD


def test_before_the_lesson_arrays_are_taken_but_by_what_needs_one_number():
    before = machine.after(8)
    a = before.Tensor(np.array([2.0, 0.0, -4.0]))
    for bend in (before.tanh, before.exp, before.log):
        with pytest.raises(TypeError, match="0-dimensional"):
            bend(a)
    with pytest.raises(ValueError, match="ambiguous"):
        before.relu(a)
    before.backward((a + 2) * (3 * a + 4))
    assert a.grad.tolist() == [22, 10, -14]
    assert (np.array([1.0, 2.0, 3.0]) * a).dtype == object  # "it would make an array of Tensors"


def test_starting_from_ones_is_the_gradient_of_the_sum(engine):
    x = engine.Tensor(np.array([2.0, 3.0, 5.0]))
    engine.backward(engine.areas(x))
    same = ad.Tensor([2, 3, 5])
    (same * same.roll(1)).sum().backward()
    assert x.grad.tolist() == same.grad.data.tolist() == [8, 7, 5]


@pytest.mark.parametrize(("rate", "steps"), [(0.01, 96), (0.02, 46), (0.024, 38), (0.027, 754), (0.04, None)])
def test_how_many_steps_the_box_takes(engine, rate, steps):
    x, wanted, taken = engine.Tensor(np.ones(3)), np.array([12.0, 8.0, 6.0]), 0
    while abs(engine.areas(x.data) - wanted).max() > 0.001 and taken < 1000:
        engine.backward((engine.areas(x) - wanted) ** 2)
        engine.step([x], rate)
        taken += 1
    assert taken == (steps or 1000)


def test_pytorch_wants_a_start_of_the_end_s_own_shape():
    torch = pytest.importorskip("torch")
    with pytest.raises(RuntimeError, match="shape"):
        (torch.tensor([1.0, 2.0], requires_grad=True) * 2).backward(torch.tensor(1.0))


def test_the_package_asks_as_well():
    with pytest.raises(RuntimeError, match="backward\\(\\) starts from a single number"):
        (ad.Tensor([2, 0, -4]) * 2).backward()


def test_the_operation_lent_by_a_check_is_taken_back(engine):
    def one_row(f, point, i):
        x = engine.Tensor(point)
        e = f(x)
        engine.backward(e, np.eye(len(e.data))[i])
        return x.grad

    before = set(engine.FORWARD), set(engine.RULES)
    assert check("09 row", one_row).status == "right"
    assert (set(engine.FORWARD), set(engine.RULES)) == before
