"""Lesson 11: its checks against right answers, stubs and planted mistakes; its pictures and its numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import autodiff as ad
from autodiff.lessons import check
from autodiff.lessons.exercises import lesson_11
from autodiff.lessons.plots import lesson_11 as plots_09
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "11_matrix_products.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name


def answer(name):
    """What the solutions notebook has for an exercise: the names that its cell defines."""
    cell = next(cell for cell in cells(SOLUTIONS) if f'check("{name}"' in cell.source)
    scope = {"np": np, "check": check}
    exec(cell.source, scope)
    return scope


def printed(begins):
    """What the lesson's cell with this beginning says."""
    return next(said(cell) for cell in cells(LESSON) if cell.source.startswith(begins))


# -- numbers ------------------------------------------------------------------------------------------------


def test_the_bills_are_those_that_the_course_is_built_on():
    assert printed("amounts = ") == "[[ 54  54]\n [106 104]]"
    assert printed("total = bills.sum()") == "[[4 4]\n [6 6]\n [8 8]]"
    assert printed("amounts.grad") == "[[17 13 21]\n [17 13 21]]"


def test_the_vector_with_the_matrix():
    rows = {line.split("  ")[0]: line for line in printed("a = ad.Tensor([2, 2, 3])").splitlines()}
    assert "[6, 9, 12]" in rows["a"]
    assert "[[2, 2, 2], [2, 2, 2], [3, 3, 3]]" in rows["c"]
    assert "[15, 22, 29]" in rows["d = a @ c"]


def test_the_wrong_number_stands_beside_the_right_one():
    wrong, right = printed("def make():").splitlines()
    assert wrong.endswith("[[7.0, 9.0], [11.0, 13.0]]")
    assert right.endswith("[[7.0, 11.0], [9.0, 13.0]]")
    X = ad.Tensor([[1, 2], [3, 4]])
    (X @ X).sum().backward()
    assert X.grad.data.tolist() == [[7, 11], [9, 13]]


def test_only_the_symmetric_test_is_blind():
    scope = {"ad": ad}
    cell = next(cell for cell in cells(LESSON) if "def careless" in cell.source)
    exec(cell.source.split("try:")[0], scope)
    assert ad.gradcheck(scope["careless"], [[2, 1], [1, 2]], [[0, 3], [3, 1]])
    with pytest.raises(ad.GradcheckError, match=r"the rules give 7 .* a nudge gives 6"):
        ad.gradcheck(scope["careless"], [[1, 2], [3, 4]], [[5, 6], [7, 8]])
    with pytest.raises(ValueError, match="mismatch"):
        ad.gradcheck(scope["careless"], np.ones((2, 3)), np.ones((3, 4)))


def test_the_numbers_in_the_prose():
    plums = 5 * 10 + 6 * 11 + 7 * 12 + 8 * 9
    grad = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    y = np.array([[9, 8, 7, 9], [7, 6, 8, 5], [10, 11, 12, 9]])
    assert (grad @ y.T)[1, 2] == plums == 272
    assert np.array([2, 2, 3]).T @ np.ones(3) == 7  # "2 + 2 + 3"
    assert printed("from autodiff.engine.backward") == "loss 1.74, nodes 3218\n"
    assert printed("W = ") == "loss 1.74, nodes 14\n"
    assert printed("one_by_one = ") == "True"


@pytest.mark.filterwarnings("ignore")
def test_pytorch_s_mm_refuses_a_vector():
    torch = pytest.importorskip("torch")
    with pytest.raises(RuntimeError, match="self must be a matrix"):
        torch.ones(3).mm(torch.ones(3, 3))


# -- 09 price -----------------------------------------------------------------------------------------------


def test_price_takes_the_right_prediction():
    assert check("11 price", answer("11 price")["my_guess"]).status == "right"
    amounts, prices = ad.Tensor([[1, 2, 3], [3, 4, 5]]), ad.Tensor([[9, 8], [7, 6], [10, 11]])
    (amounts @ prices + 1).sum().backward()
    assert check("11 price", prices.grad[2, 1]).status == "right"


@pytest.mark.parametrize(
    ("guess", "kind"),
    [
        (11, "the price itself"),
        (3, "Bob's bill, too"),
        (5, "Ann's bill, too"),
        (88, "the money"),
        (16, "both shops"),
        (21, "gradient of an amount"),
        (2, "By how much"),
        (1, "goes on"),
        (15, "not multiplied"),
        (0.08, "per unit"),
        (7, "It is not 7"),
        ("eight", "A number is asked for"),
    ],
)
def test_price_names_the_misconception(guess, kind):
    verdict = check("11 price", guess)
    assert verdict.status == "wrong"
    assert kind in verdict.message


# -- 09 scores ----------------------------------------------------------------------------------------------


def for_x(grad, z, x, y):
    return grad @ y


def for_y(grad, z, x, y):
    return grad.T @ x


def test_scores_takes_the_right_rules():
    scope = answer("11 scores")
    assert check("11 scores", scope["for_x"], scope["for_y"]).status == "right"
    assert check("11 scores", for_x, lambda grad, z, x, y: (x.T @ grad).T).status == "right"


def test_scores_are_true_of_a_nudge():
    scores = ad.operation(lambda x, y: x @ y.T)
    scores.backward(for_x, for_y)
    for x, y, _ in lesson_11.CASES:
        assert ad.gradcheck(scores, x, y)


@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        (lambda grad, z, x, y: grad @ y.T, for_y, "do not fit"),
        (lambda grad, z, x, y: (grad @ y).T, for_y, "That is its transpose"),
        (lambda grad, z, x, y: np.ones_like(grad) @ y, for_y, "gradient above was dropped"),
        (lambda grad, z, x, y: y.T @ grad.T, for_y, "gives the shape (3, 2)"),
        (for_y, for_x, "That is the gradient of y"),
        (lambda grad, z, x, y: 2 * grad @ y, for_y, "Write one element of z out"),
        (lambda grad, z, x, y: np.ones(x.shape), for_y, "for_x gives the right shape and the wrong numbers"),
        (for_x, lambda grad, z, x, y: np.ones(y.shape), "for_y gives the right shape and the wrong numbers"),
        (for_x, lambda grad, z, x, y: x.T @ grad, "turn it back"),
        (for_x, lambda grad, z, x, y: (x.T @ grad).reshape(y.shape), "Use .T"),
        (for_x, lambda grad, z, x, y: np.ones_like(grad).T @ x, "gradient above was dropped"),
        (for_x, lambda grad, z, x, y: grad @ x, "do not fit"),
        (for_x, for_x, "That is the gradient of x"),
        (lambda grad, z, x, y: "up", for_y, "An array is asked for"),
        (for_x, 3, "A function is asked for"),
    ],
)
def test_scores_name_the_mistake(left, right, kind):
    verdict = check("11 scores", left, right)
    assert verdict.status == "wrong"
    assert kind in verdict.message


@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        (lambda grad, z, x, y: grad @ y.T, for_y, "the rule of x @ y"),
        (lambda grad, z, x, y: y @ grad, for_y, "wrong order"),
        (lambda grad, z, x, y: grad.T @ y, for_y, "grad is turned"),
        (for_x, lambda grad, z, x, y: grad @ x, "grad is not turned"),
        (for_x, lambda grad, z, x, y: x @ grad, "wrong order"),
    ],
)
def test_scores_name_a_mistake_that_square_matrices_let_pass(monkeypatch, left, right, kind):
    """Where only square matrices are asked, no shape can be wrong, and the numbers tell."""
    monkeypatch.setattr(lesson_11, "CASES", lesson_11.CASES[1:])
    verdict = check("11 scores", left, right)
    assert verdict.status == "wrong"
    assert kind in verdict.message
    assert "and right is" in verdict.message


def test_scores_catch_a_rule_that_is_right_for_other_sizes_only():
    def square_is_special(grad, z, x, y):
        return grad @ y if grad.shape[1] != x.shape[1] else grad @ y.T

    verdict = check("11 scores", square_is_special, for_y)
    assert verdict.status == "wrong"
    assert "the rule of x @ y" in verdict.message


def test_scores_are_not_done_yet_until_both_are():
    stub = lambda grad, z, x, y: None
    assert check("11 scores", stub, stub).status == "not done yet"
    assert check("11 scores", for_x, stub).status == "not done yet"
    assert check("11 scores", for_x, None).status == "not done yet"


def test_no_two_mistakes_look_alike():
    """On the square case every known mistake gives numbers of its own, none of them right."""
    x, y, grad = lesson_11.CASES[1]
    for _, right, kinds in lesson_11.RULES:
        given = [right(grad, x, y), *(wrong(grad, x, y) for wrong, _ in kinds)]
        assert len({array.tobytes() for array in given}) >= len(given) - 1  # reshape changes no 2 x 2
        assert all(not np.array_equal(given[0], array) for array in given[1:])


# -- 09 bowl ------------------------------------------------------------------------------------------------


def test_bowl_takes_the_right_gradient():
    assert check("11 bowl", answer("11 bowl")["bowl_gradient"]).status == "right"
    assert check("11 bowl", lambda x, A: (A + A.T) @ x).status == "right"


def test_bowl_takes_what_the_engine_says():
    def walked(x, A):
        x = ad.Tensor(x)
        (x @ A @ x).backward()
        return x.grad

    assert check("11 bowl", walked).status == "right"


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda x, A: 2 * A @ x, "right only where A is symmetric"),
        (lambda x, A: 2 * A.T @ x, "once it sees A, and once A turned"),
        (lambda x, A: A @ x, "for the x on the left"),
        (lambda x, A: x @ A, "for the x on the right"),
        (lambda x, A: A + A.T, "The x is missing"),
        (lambda x, A: (A + A.T) * x, "belongs an @"),
        (lambda x, A: x @ A @ x, "q itself"),
        (lambda x, A: (A @ x) * (A.T @ x), "added, not multiplied"),
        (lambda x, A: 2 * x, "Nudge each number"),
        (lambda x, A: "steep", "An array is asked for"),
        (12, "A function is asked for"),
    ],
)
def test_bowl_names_the_mistake(function, kind):
    verdict = check("11 bowl", function)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_bowl_tells_a_stub_from_a_mistake():
    assert check("11 bowl", lambda x, A: None).status == "not done yet"


# -- pictures -----------------------------------------------------------------------------------------------


@pytest.fixture
def drawn(monkeypatch):
    """The figures that plots have shown, kept open to be looked at; nothing is put on a screen."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    figures = []
    monkeypatch.setattr(plots_09, "show", lambda words: figures.append(plt.gcf()))
    yield figures
    plt.close("all")


def test_products_write_the_numbers_of_all_three(drawn):
    x, y = ad.Tensor([[1, 2], [3, 4]]), np.array([[5, -6], [7, 8]])
    plots_09.products(("x", x, "grad", y, "z"), at=(1, 0))
    ax = drawn[0].axes[0]
    words = [text.get_text() for text in ax.texts]
    assert words == ["1", "2", "3", "4", "5", "−6", "7", "8", "19", "10", "43", "14", "x", "grad", "z"]
    inks = [text.get_color() for text in ax.texts]
    assert inks == [plots_09.INK] * 4 + [plots_09.RED] * 8 + [plots_09.INK, plots_09.RED, plots_09.RED]


def test_products_light_a_row_a_column_and_where_they_meet(drawn):
    from matplotlib.colors import to_hex

    plots_09.products(("x", np.ones((2, 3)), "y", np.ones((3, 4)), "z"), at=(1, 2))
    grounds = [to_hex(patch.get_facecolor()) for patch in drawn[0].axes[0].patches]
    assert grounds[:6] == [plots_09.PAPER] * 3 + [plots_09.ROW] * 3
    assert [i for i, ground in enumerate(grounds[6:18]) if ground == plots_09.COLUMN] == [2, 6, 10]
    assert [i for i, ground in enumerate(grounds[18:]) if ground == plots_09.BOTH] == [6]


def test_products_stand_side_by_side_and_do_not_overlap(drawn):
    x, y = np.ones((2, 3)), np.ones((3, 4))
    plots_09.products(("x", x, "y", y, "z"), ("y.T", y.T, "x.T", x.T, "z.T"), at=((0, 0), (3, 1)))
    ax = drawn[0].axes[0]
    corners = [(round(patch.get_x(), 6), round(patch.get_y(), 6)) for patch in ax.patches]
    assert len(set(corners)) == len(corners) == 2 * (6 + 12 + 8)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert all(left <= x and x + 1 <= right and top <= y and y + 1 <= bottom for x, y in corners)


def test_a_vector_and_a_number_are_grids_too():
    assert plots_09.as_grid(ad.Tensor([1, 2, 3])).shape == (1, 3)
    assert plots_09.as_grid(5).shape == (1, 1)


def test_products_leave_no_figure_open():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    plots_09.products(("x", [[1, 2]], "y", [[3], [4]], "z"))
    assert plt.get_fignums() == []
