"""Lesson 15: what its prose says of the walk, of the graph's size and of checkpoints is so."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import autodiff as ad
from autodiff_course import machine
from tests.course.stored import NOTEBOOKS, cells, lesson_path, prose, said

LESSON = lesson_path("15")


def cell_with(words):
    """The lesson's first cell with these words."""
    return next(cell for cell in cells(LESSON) if words in cell.source)


@pytest.fixture
def engine():
    return machine.after(15)


def test_17_is_the_slope_at_neither_place(engine):
    w = engine.Tensor(3.0)
    y = (w * w) * w
    w.data = 2.0
    engine.backward(y)
    assert w.grad == 9 + 4 + 4
    cell = cell_with("draw(y, slopes=True)")
    assert cell.metadata["jupyter"]["outputs_hidden"]
    assert "17" in said(cell)
    assert said(cell_with("w.grad = None")).strip() == "12.0"


def test_the_package_refuses_that_walk():
    w = ad.Tensor(3.0)
    y = (w * w) * w
    w.data = 2.0
    with pytest.raises(RuntimeError, match="was changed after"):
        y.backward()


def test_one_array_under_two_names_is_wrong_for_arrays_only(engine):
    scope = vars(engine) | {"print": lambda *given: None}
    exec(cell_with("def hasty_gradients").source, scope)
    for number, grad in ((5.0, 1.0), (np.array([5.0, 5.0]), np.array([1.0, 1.0]))):
        x, z = engine.Tensor(number), engine.Tensor(number)
        arrived = scope["hasty_gradients"]((x + z) + x, grad)
        is_array = np.ndim(number) > 0
        assert np.all(arrived[x] == 2)
        assert np.all(arrived[z] == (2 if is_array else 1))
        assert np.all(grad == (2 if is_array else 1))
    assert cell_with("two_gradients(hasty_gradients, np").metadata["jupyter"]["outputs_hidden"]
    assert said(cell_with("two_gradients(gradients")).startswith("x [2. 2.]   z [1. 1.]")


def test_a_new_w_in_each_step_makes_a_longer_graph_in_each_step():
    assert said(cell_with("nodes = []")).startswith("[2, 3, 4, 5, 6]")


def test_a_total_of_losses_holds_every_graph():
    held = re.findall(r"holds +(\d+) nodes", said(cell_with("def mean_of_losses")))
    assert held == [str(6 * steps + 2) for steps in (1, 10, 100)]  # five nodes and a sum a step, and w and b
    assert re.findall(r"holds +(\d+) nodes", said(cell_with("lambda loss: loss.data"))) == ["0", "0", "0"]


def test_pictures_in_a_tensor_cost_a_gradient_of_their_size():
    plain, in_tensor = (
        int(n.replace(",", "")) for n in re.findall(r"computes ([\d,]+)", said(cell_with("computed = ")))
    )
    assert in_tensor - plain == 500 * 64


def test_the_parameters_are_part_of_what_is_kept():
    assert "9 nodes with 60,410 numbers" in said(cell_with("numbers = sum(np.size"))
    kept = 500 * (32 + 32 + 32 + 10 + 10)
    parameters = 64 * 32 + 32 + 32 * 10 + 10
    assert kept + parameters == 60_410
    assert f"({parameters:,} of them are the parameters" in prose(LESSON)


def test_the_network_learns_and_keeps_nothing():
    lines = said(cell_with("def count_right")).splitlines()
    assert int(re.search(r"(\d+) of 500", lines[4])[1]) > 470
    assert lines[-1] == "(0, 0)"


def test_the_detached_factor_is_a_constant(engine):
    x = engine.Tensor(3.0)
    engine.backward(x * x.data)
    assert x.grad == 3


def test_the_nodes_of_a_chain_in_segments(engine):
    x = engine.Tensor(0.5)
    for _ in range(64):
        x = engine.tanh(x)
    assert len(engine.order(x)) == 65  # "9 nodes instead of 65"


def test_the_solutions_count_what_exists():
    path = NOTEBOOKS / "solutions" / LESSON.name
    most = re.findall(r"at most (\d+) exist", "".join(map(said, cells(path))))
    assert most[2] == "18"  # as the lesson says of segments of 8
    assert min(map(int, most[:5])) == 18
    assert int(most[5]) < 18
    assert int(most[6]) < 2 * math.isqrt(4096) + 2 == 130
