"""Lesson 03: the numbers in its prose, what PyTorch keeps, and its plot."""

from __future__ import annotations

import pytest

from autodiff_course import machine, plots
from autodiff_course.exercises.nudging import FORMS, leaves_of, swapped, walk_back
from tests.course.answers import answers, verdict
from tests.course.stored import lesson_path, prose

engine = machine.after(3)


def made(x, y):
    """The lesson's nodes by name."""
    x, y = engine.Tensor(x), engine.Tensor(y)
    c = x + engine.Tensor(2)
    b = y * engine.Tensor(3)
    d = b + engine.Tensor(4)
    return {"x": x, "y": y, "b": b, "c": c, "d": d, "e": c * d}


def test_the_numbers_in_the_prose():
    nodes = made(2, 2)
    engine.backward(nodes["e"])
    gradients = {name: node.grad for name, node in nodes.items()}
    assert gradients == {"x": 10, "y": 12, "b": 4, "c": 10, "d": 4, "e": 1}
    three = nodes["b"].creators[1]
    assert (three.data, three.grad) == (3, 8)
    assert engine.slope(lambda x: x**4, 3) == pytest.approx(108, abs=1e-4)


def test_added_along_the_paths_x_gets_11_and_y_gets_8():
    broken = machine.after(3)
    broken.RULES["add"] = (lambda grad, z, x, y: grad + 1,) * 2
    broken.RULES["mul"] = (lambda grad, z, x, y: grad + y, lambda grad, z, x, y: grad + x)
    x, y = broken.Tensor(2), broken.Tensor(2)
    broken.backward((x + 2) * (y * 3 + 4), 0)
    assert (x.grad, y.grad) == (11, 8)


def test_one_number_used_twice_gets_12_where_22_is_right():
    a = engine.Tensor(2)
    c = a + engine.Tensor(2)
    engine.backward(c * (a * engine.Tensor(3) + engine.Tensor(4)))
    assert a.grad == 12


def test_the_walk_is_not_shown_before_its_stub():
    before = prose(lesson_path("03")).partition("**Write `backward")[0]
    for part in ("zip(", "node.grad", "backward("):
        assert part not in before


# -- what the judges hand over -------------------------------------------------------------------------------


@pytest.mark.parametrize("words", FORMS)
def test_the_judge_s_walk_finds_what_the_machine_finds(words):
    values = (2, 3, 5)[: FORMS[words].__code__.co_argcount]
    mine, right = ([engine.Tensor(value) for value in values] for _ in range(2))
    walk_back(FORMS[words](*mine))
    engine.backward(FORMS[words](*right))
    assert [leaf.grad for leaf in mine] == [leaf.grad for leaf in right]


def test_the_judge_s_leaves_come_in_order():
    x, y, z = (engine.Tensor(2) for _ in range(3))
    assert all(a is b for a, b in zip(leaves_of((x + y) * z), (x, y, z), strict=True))
    swapped(x * y)
    assert (x.grad, y.grad) == (2, 2)


# -- PyTorch and the plot ------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")  # whatever PyTorch warns of while it is imported
def test_pytorch_keeps_the_gradient_of_an_interior_node_on_request_only():
    torch = pytest.importorskip("torch")
    x = torch.tensor(2.0, requires_grad=True)
    c = x + 2
    e = c * 10
    e.backward(retain_graph=True)
    assert c.grad is None
    c.retain_grad()
    e.backward()
    assert c.grad.item() == 10


def test_the_tangents_touch_the_curve(monkeypatch):
    pytest.importorskip("matplotlib").use("agg")
    from matplotlib import pyplot as plt

    shown = []
    monkeypatch.setattr(plots.lesson_03, "show", lambda words: shown.append((plt.gcf(), words)))
    plots.tangents(lambda x: x * x, (3, 9), "x²")
    ((picture, words),) = shown
    assert words.endswith("at 3 its slope is 6 and at 9 its slope is 18.")
    lines = [line for line in picture.axes[0].lines if len(line.get_xdata()) == 2]
    for line, x, slope in zip(lines, (3, 9), (6, 18), strict=True):
        (x0, x1), (y0, y1) = line.get_xdata(), line.get_ydata()
        assert (y1 - y0) / (x1 - x0) == pytest.approx(slope)
        assert y0 + slope * (x - x0) == pytest.approx(x * x)
    plt.close("all")


def test_a_nudge_one_way_is_accepted_with_a_word_on_both_ways():
    (answer,) = (each for each in answers("03")["03 nudged"] if each.kind == "nudged one way")
    assert "Both ways is more exact." in verdict("03 nudged", answer)[0].message
