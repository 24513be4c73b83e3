"""Lesson 14: the numbers that its prose names, and its picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff_course import machine
from autodiff_course.plots import lesson_14 as plots_14
from tests.course.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "14_operations_of_your_own.ipynb"


def cell_with(words):
    """The lesson's first cell with these words."""
    return next(cell for cell in cells(LESSON) if words in cell.source)


@pytest.fixture(scope="module")
def operations():
    """What the lesson's cells define: the machine, and the operations that are made with it."""
    scope = {"np": np, "ad": ad, **vars(machine.after(14)), "print": lambda *words: None}
    scope |= dict.fromkeys(("film", "draw", "coins"), lambda *shown, **options: None)
    for words in ("swish = operation", "careless = ", "clamp = ", "honest = ", "angles = "):
        exec(cell_with(words).source.replace("from autodiff_course.machine import sigmoid", ""), scope)
    return scope


# -- numbers of the lesson ----------------------------------------------------------------------------------


def test_the_slopes_of_sigmoid_and_swish_are_the_package_s(operations):
    points = np.array([-3.0, -0.5, 0.0, 0.7, 4.0])
    for name, theirs in (("sigmoid", ad.sigmoid), ("swish", ad.silu)):
        x, y = operations["Tensor"](points), ad.Tensor(points)
        operations["backward"](operations[name](x))
        theirs(y).sum().backward()
        assert np.allclose(x.grad, y.grad.data)


def test_moving_b_moves_the_output_by_as_much_as_the_prose_says(operations):
    swish = operations["swish"]
    assert f"{swish(1.0005) - swish(0.9995):.5f}" == "0.00093"


def test_the_careless_rule_passes_at_0_alone(operations):
    assert said(cell_with("careless = ")).splitlines() == [
        "at 0.0: careless passes True, swish passes True",
        "at 0.5: careless passes False, swish passes True",
    ]
    x = operations["Tensor"](0.5)
    found = operations["gradients"](operations["careless"](x))[x]
    assert not np.isclose(found, ad.grad(ad.silu)(0.5).data)


def test_a_rule_with_an_input_too_few_names_a_lambda(operations):
    bad = operations["operation"]("bad", lambda x: x * x, lambda grad, x: grad * 2 * x)
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3 were given"):
        operations["backward"](bad(operations["Tensor"](2.0)))


def test_the_clamp_is_right_off_its_corners(operations):
    clamp = operations["clamp"]
    for point in (-3.0, -1.5, -0.5, 0.7, 1.2, 4.0):
        assert operations["gradcheck"](lambda x: clamp(x, -1, 1), point) < 1e-6


def test_a_tensor_as_an_option_gets_no_gradient(operations):
    high = operations["Tensor"](1.5)
    operations["backward"](operations["clamp"](operations["Tensor"](3.0), -1, high))
    assert high.grad is None


def test_the_coins_of_the_broken_ones_are_shown_beside_the_right():
    lines = said(cell_with("forgetful = ")).splitlines()
    assert lines == ["z        [2. 4. 0. 8. 0. 0.]", "gradient [2. 2. 2. 0. 0. 2.]"]
    assert said(cell_with("drawered = ")) == "[2. 4. 0.] [2. 2. 0.]\n"
    twice = cell_with("first, second = drawered")
    assert said(twice).splitlines() == [
        "first  [2. 4. 0.] gradient [2. 0. 0.]",
        "second [8. 0. 0.] gradient [2. 0. 0.]",
    ]
    assert twice.metadata["jupyter"]["outputs_hidden"]  # it answers a question
    assert "Dropout: [2 2 0] [2 0 0]" in said(cell_with("class Dropout"))


@pytest.mark.parametrize("noise", [0, 1e-9])
def test_straight_through_gives_the_lesson_s_table(operations, noise):
    """Also where the last digits differ, as on another computer."""
    shown = said(cell_with("learning by")).splitlines()[2:]
    rng, count = np.random.default_rng(7), operations["count_right"]
    for seed in (0, 3):
        free, flat, rounding = (operations["start"](seed) for _ in range(3))
        for p in (*free, *flat, *rounding):
            p.data = p.data + noise * rng.normal(size=p.shape)
        before = [p.data for p in flat]
        operations["train"](free, operations["as_it_is"])
        operations["train"](flat, operations["honest"])
        operations["train"](rounding, operations["through"])
        through = operations["through"]
        counts = (
            count(free, operations["as_it_is"]),
            count(free, through),
            count(flat, through),
            count(rounding, through),
        )
        assert shown[seed].split() == [str(seed), *map(str, counts)]
        assert all(np.array_equal(p.data, old) for p, old in zip(flat, before))  # "have not moved at all"


def test_what_the_prose_says_of_the_table():
    rows = [line.split() for line in said(cell_with("learning by")).splitlines()[2:]]
    afterwards, learning = ([100 - int(row[i]) for row in rows] for i in (2, 4))
    assert (max(afterwards), max(learning)) == (26, 8)
    assert sum(late <= early for late, early in zip(afterwards, learning)) == 1


def test_with_one_bit_start_0_gets_81(operations):
    one_bit = operations["operation"](
        "one_bit", lambda x: np.where(x < 0, -1.0, 1.0), lambda grad, z, x: grad * (abs(x) <= 1)
    )
    weights = operations["start"](0)
    operations["train"](weights, one_bit)
    assert operations["count_right"](weights, one_bit) == 81


# -- the picture --------------------------------------------------------------------------------------------


@pytest.fixture
def drawn(monkeypatch):
    """The figures that plots have shown, kept open to be looked at; nothing is put on a screen."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    figures = []
    monkeypatch.setattr(plots_14, "show", lambda words: figures.append(plt.gcf()))
    yield figures
    plt.close("all")


def test_coins_rings_the_gradients_that_are_not_where_their_number_was_kept(drawn):
    from matplotlib.patches import Circle, Rectangle

    plots_14.coins({"right": ([1, 2], [2, 0], [2, 0]), "wrong": ([1, 2, 3], [2, 0, 6], [0, 2, 2])})
    ax = drawn[0].axes[0]
    rings = [patch for patch in ax.patches if isinstance(patch, Circle)]
    gradients = [text for text in ax.texts if text.get_position()[1] > 4.5]
    numbers = [text.get_text() for text in gradients if text.get_text() != "gradient of x"]
    assert numbers == ["2", "0", "0", "2", "2"]
    places = [text.get_position()[0] for text in gradients if text.get_text() in ("0", "2")]
    assert [ring.center[0] for ring in rings] == places[2:4]
    blue = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert len(blue) == 3 * (2 + 3)


def test_plots_leave_no_figure_open():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    plots_14.coins({"one": ([1], [2], [2])})
    assert plt.get_fignums() == []
