"""Lesson 10: its checks against right answers, stubs and planted mistakes; its engine; its pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff.lessons import after_07, check
from autodiff.lessons.plots import lesson_10 as plots_08
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "10_broadcasting_and_its_reverse.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name


def answer(name):
    """What the solutions notebook has for an exercise: the names that its cells define, up to the check."""
    scope = {"check": check, "np": np, "ad": ad}
    exec(next(cell.source for cell in cells(SOLUTIONS) if f'check("{name}"' in cell.source), scope)
    return scope


# -- the stored notebooks -----------------------------------------------------------------------------------


def test_the_neuron_s_numbers_are_those_of_lesson_06():
    told = "\n".join(said(cell) for cell in cells(LESSON))
    assert "804 nodes" in told
    assert "11 nodes" in told
    assert "loss 0.35\n87 of 100 right" in told
    of_06 = next(ROOT.glob("notebooks/06_*.ipynb"))
    assert any("loss 0.35\n87 of 100 right" in said(cell) for cell in cells(of_06))
    gradients = [line for line in told.splitlines() if line.startswith("gradients:")]
    assert len(gradients) == 2
    assert gradients[0] == gradients[1]


# -- the engine that the lesson builds ----------------------------------------------------------------------


@pytest.fixture
def engine():
    """The lesson's own unbroadcast and backward, taken from its cells."""
    scope = {"np": np, "order": after_07.order, "RULES": after_07.RULES, "Tensor": after_07.Tensor}
    for beginning, until in (
        ("def unbroadcast(grad, shape):\n    while", "\n\n\nprint"),
        ("def backward", "\n\n\nv, "),
    ):
        source = next(cell.source for cell in cells(LESSON) if cell.source.startswith(beginning))
        exec(source.split(until)[0], scope)
    return scope


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((2, 3), (3,)),
        ((2, 3), (1, 3)),
        ((4, 1), (3,)),
        ((), (2, 3)),
        ((5, 1, 3), (4, 1)),
        ((3,), (3,)),
        ((), ()),
    ],
)
def test_the_lesson_s_engine_gives_the_package_s_gradients(engine, left, right):
    rng = np.random.default_rng(0)
    values = rng.normal(size=left), rng.normal(size=right)
    f = lambda x, y: (x * y + x) * (y - x)
    ours = [ad.Tensor(value) for value in values]
    end = f(*ours)
    seed = rng.normal(size=end.shape)
    end.backward(seed)
    theirs = [after_07.Tensor(np.array(value)) for value in values]
    engine["backward"](f(*theirs), seed)
    for own, other in zip(ours, theirs):
        assert np.shape(other.grad) == own.shape
        np.testing.assert_allclose(other.grad, own.grad.data, rtol=1e-12)


def test_without_it_the_engine_leaves_the_wrong_shape():
    v, table = after_07.Tensor(np.array([2.0, 2, 3])), after_07.Tensor(np.ones((3, 3)))
    after_07.backward(v * table, np.ones((3, 3)))
    assert v.grad.shape == (3, 3)


# -- 08 unbroadcast -----------------------------------------------------------------------------------------


def planted(leading="sum", ones="sum", keep=True, axis=0, in_place=False):
    """An unbroadcast, right unless told otherwise."""

    def unbroadcast(grad, shape):
        if in_place:
            grad += 0
            grad[...] = grad * 2
        while grad.ndim > len(shape) and leading:
            grad = getattr(np, leading)(grad, axis=axis) if leading != "first" else grad[0]
        for place, size in enumerate(shape):
            if size == 1 and ones == "first":
                grad = np.take(grad, [0], axis=place)
            elif size == 1 and ones:
                grad = getattr(np, ones)(grad, axis=place if keep else 0, keepdims=keep)
        return grad

    return unbroadcast


def test_unbroadcast_takes_the_right_answers():
    solution = answer("10 unbroadcast")
    assert check("10 unbroadcast", planted()).status == "right"
    for cell in (cell for cell in cells(SOLUTIONS) if 'check("10 unbroadcast"' in cell.source):
        scope = {**solution}
        exec(cell.source, scope)
        assert check("10 unbroadcast", scope["unbroadcast"]).status == "right"


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (planted(leading="first", ones="first"), "the first copy alone"),
        (planted(leading="mean", ones="mean"), "the mean over the copies"),
        (planted(leading="max", ones="max"), "the largest contribution"),
        (planted(axis=-1), "summed along the last axis"),
        (planted(ones=None), "of size 1 was stretched as well"),
        (planted(ones="first"), "the first copy alone"),
        (planted(ones="mean"), "the mean over the copies"),
        (planted(keep=False), "keepdims=True keeps it"),
        (planted(leading=None, ones=None), "Sum over the leading axes"),
        (planted(in_place=True), "changed the array"),
        (
            lambda grad, shape: grad if grad.shape == shape else np.full(shape, grad.sum()),
            "the sum of everything",
        ),
        (lambda grad, shape: np.zeros(shape) + 1, "Sum along the axes"),
        (lambda grad, shape: "sum", "is an array"),
        ("w", "A function is asked for"),
    ],
)
def test_unbroadcast_names_the_mistake(function, kind):
    verdict = check("10 unbroadcast", function)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_unbroadcast_tells_a_stub_from_a_mistake():
    assert check("10 unbroadcast", lambda grad, shape: None).status == "not done yet"


# -- 08 table -----------------------------------------------------------------------------------------------

SHAPE, BY_X, BY_Y = (4, 3), [[60]] * 4, [10] * 3


def test_table_takes_the_right_predictions():
    scope = answer("10 table")
    assert (
        check("10 table", *(scope[name] for name in ("my_shape", "my_x_grad", "my_y_grad"))).status == "right"
    )


def test_table_is_what_the_walk_brings_home():
    x, y = ad.Tensor([[1], [2], [3], [4]]), ad.Tensor([10, 20, 30])
    z = x * y
    z.sum().backward()
    assert check("10 table", z.shape, x.grad, y.grad).status == "right"


def test_table_is_not_done_yet_until_all_are():
    assert check("10 table", None, None, None).status == "not done yet"
    assert check("10 table", SHAPE, None, BY_Y).status == "not done yet"


@pytest.mark.parametrize(
    ("shape", "by_x", "by_y", "kind"),
    [
        ((3, 4), BY_X, BY_Y, "stands as a column"),
        ((4,), BY_X, BY_Y, "both grow"),
        ((12,), BY_X, BY_Y, "from the right"),
        (SHAPE, [[10, 20, 30]] * 4, BY_Y, "x has the shape (4, 1)"),
        (SHAPE, [60] * 4, BY_Y, "yours is (4,): write a column"),
        (SHAPE, 60, BY_Y, "yours has ()"),
        (SHAPE, [[10]] * 4, BY_Y, "x's own numbers"),
        (SHAPE, [[20]] * 4, BY_Y, "the mean"),
        (SHAPE, [[3]] * 4, BY_Y, "3 is how often"),
        (SHAPE, [[1], [2], [3], [4]], BY_Y, "With which numbers"),
        (SHAPE, BY_X, [[1] * 3, [2] * 3, [3] * 3, [4] * 3], "y has the shape (3,)"),
        (SHAPE, BY_X, [[10], [10], [10]], "write a row"),
        (SHAPE, BY_X, [60] * 3, "y's own numbers"),
        (SHAPE, BY_X, [2.5] * 3, "the mean"),
        (SHAPE, BY_X, [4] * 3, "4 is how often"),
        (SHAPE, "sixty", BY_Y, "is an array"),
    ],
)
def test_table_names_the_misconception(shape, by_x, by_y, kind):
    verdict = check("10 table", shape, by_x, by_y)
    assert verdict.status == "wrong"
    assert kind in verdict.message


# -- 08 together --------------------------------------------------------------------------------------------


def joined(from_right=True, fill=True, ask=True, one_side=False, multiples=False, refused=False):
    """A `together`, right unless told otherwise."""

    def together(s, t):
        length = max(len(s), len(t)) if fill else min(len(s), len(t))
        if fill:
            s, t = (
                (1,) * (length - len(u)) + u if from_right else u + (1,) * (length - len(u)) for u in (s, t)
            )
        else:
            s, t = (u[len(u) - length :] for u in (s, t))
        for x, y in zip(s, t):
            fits = x == y or (y == 1 if one_side else 1 in (x, y))
            if multiples:
                fits = fits or x % y == 0 or y % x == 0
            if ask and not fits:
                return refused
        return tuple(max(x, y) for x, y in zip(s, t))

    return together


def test_together_takes_the_right_answer():
    assert check("10 together", answer("10 together")["together"]).status == "right"
    assert check("10 together", joined()).status == "right"
    right = joined()
    assert check("10 together", lambda s, t: right(s, t) and list(right(s, t))).status == "right"


def test_together_agrees_with_numpy():
    def by_numpy(s, t):
        try:
            return np.broadcast_shapes(s, t)
        except ValueError:
            return False

    assert check("10 together", by_numpy).status == "right"


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (joined(from_right=False), "compared from the right"),
        (joined(fill=False), "one shape has more"),
        (joined(ask=False), "Only a size of 1 is stretched"),
        (joined(one_side=True), "whichever of the two"),
        (lambda s, t: s if s == t else False, "whichever of the two"),
        (joined(multiples=True), "Only a size of 1 is stretched"),
        (joined(refused=None), "return False"),
        (joined(refused="no"), "a shape or False"),
        (lambda s, t: True, "a shape or False"),
        (lambda s, t: s, "under each other"),
        (lambda s, t: joined()(s, t) or False, "The empty shape is a shape"),
        ("w", "A function is asked for"),
    ],
)
def test_together_names_the_mistake(function, kind):
    verdict = check("10 together", function)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_together_tells_a_stub_from_a_mistake():
    assert check("10 together", lambda s, t: None).status == "not done yet"


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
    assert plots_08.flat(small, shape)[1] == axes
