"""Lesson 11: the numbers of its prose, the machine's rules beside nudges, PyTorch, and its pictures."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autodiff as ad
from autodiff_course import check, machine
from autodiff_course.exercises import lesson_11
from autodiff_course.exercises.table import Wrong, value_of
from autodiff_course.machine.judging import judge
from autodiff_course.machine.plan import find
from autodiff_course.plots import lesson_11 as plots
from tests.course.stored import cells, lesson_path, said

LESSON = lesson_path("11")
SQUARE = np.array([[1.0, 2], [3, 4]])
CARELESS = (lambda grad, z, x, y: grad @ y, lambda grad, z, x, y: x @ grad)


def printed(begins):
    """What the lesson's cell with this beginning says."""
    return next(said(cell) for cell in cells(LESSON) if cell.source.startswith(begins))


def of_square(engine, X):
    """The gradient of the sum of X @ X."""
    leaf = engine.Tensor(X)
    engine.backward(leaf @ leaf)
    return leaf.grad.tolist()


# -- numbers ------------------------------------------------------------------------------------------------


def test_the_bills_and_their_gradients():
    rows = {line.split("  ")[0]: line for line in printed("amount.grad = ").splitlines()}
    assert rows["amount"].endswith("[[17, 13, 21], [17, 13, 21]]")
    assert rows["price"].endswith("[[4, 4], [6, 6], [8, 8]]")
    assert "[[53, 53], [105, 103]]" in rows["bills = amount @ price"]


def test_the_wrong_number_stands_beside_the_right_one():
    engine = machine.after(11)
    wrong, right = printed('RULES["matmul"] = ('), printed('RULES["matmul"] = kept')
    assert wrong.splitlines()[0].startswith("ValueError: (2, 4) @ (3, 4)")
    assert right == f"with transposes:    {of_square(engine, SQUARE)}\n"
    engine.RULES["matmul"] = CARELESS
    assert wrong.splitlines()[1] == f"without transposes: {of_square(engine, SQUARE)}"


def test_the_nudge_of_the_corner():
    nudge = np.array([[0.0, 0.001], [0.0, 0.0]])
    moved = (((SQUARE + nudge) @ (SQUARE + nudge)).sum() - (SQUARE @ SQUARE).sum()) / 0.001
    assert moved == pytest.approx(11)
    assert of_square(machine.after(11), SQUARE)[0][1] == 11


def test_a_symmetric_matrix_does_not_show_the_careless_rules():
    symmetric = np.array([[2.0, 1], [1, 2]])
    engine = machine.after(11)
    right = of_square(engine, symmetric)
    engine.RULES["matmul"] = CARELESS
    assert of_square(engine, symmetric) == right


def test_the_numbers_in_the_prose():
    grad = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    y = np.array([[9, 8, 7, 9], [7, 6, 8, 5], [10, 11, 12, 9]])
    plums = 5 * 10 + 6 * 11 + 7 * 12 + 8 * 9
    assert (grad @ y.T)[1, 2] == plums == 272
    assert (np.array([[1, 2, 3], [3, 4, 5]]).T @ grad)[2, 3] == 3 * 4 + 5 * 8 == 52
    assert "it moves by: 2.72\nby the rule: 2.72" in printed("dx = ")
    assert printed("rng = np.random") == "48 nodes, loss 1.743\n"
    assert printed("# a row for each neuron") == "12 nodes, loss 1.743\ngradients alike: True\n"
    assert "200 steps   loss 0.03   100 of 100 right" in printed("for p in (W, b, v, c)")


def test_the_machine_s_rules_beside_the_package_s():
    engine, rng = machine.after(11), np.random.default_rng(0)
    x, y, grad = rng.normal(size=(2, 3)), rng.normal(size=(3, 4)), rng.normal(size=(2, 4))
    mine, theirs = [engine.Tensor(x), engine.Tensor(y)], [ad.Tensor(x), ad.Tensor(y)]
    engine.backward(mine[0] @ mine[1], grad)
    (theirs[0] @ theirs[1]).backward(grad)
    for own, other in zip(mine, theirs):
        assert np.allclose(own.grad, other.grad.data)


def test_scores_are_true_of_a_nudge():
    scores = ad.operation(lambda x, y: x @ y.T)
    scores.backward(lambda grad, z, x, y: grad @ y, lambda grad, z, x, y: grad.T @ x)
    for x, y, _ in lesson_11.CASES:
        assert ad.gradcheck(scores, x, y)


def test_two_shapes_that_do_not_fit_are_told_in_words():
    piece = find("11 rules")
    verdict = judge(piece, piece.code.replace("grad @ y.T", "grad @ y"), {})
    assert "@ does not fit: rows of 4 on the left, columns of 3 on the right" in verdict.message


def test_too_large_a_rate_is_told_without_a_warning_of_numpy():
    engine = machine.after(11)

    def find_prices(amounts, bills):
        prices = engine.Tensor(np.zeros((amounts.shape[1], bills.shape[1])))
        for _ in range(500):
            engine.backward((amounts @ prices - bills) ** 2)
            engine.step([prices], 0.1)
        return prices

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "grown without bound" in check("11 prices", find_prices).message


def test_no_two_mistakes_look_alike():
    """On the square case every known mistake gives numbers of its own, none of them right."""
    x, y, grad = lesson_11.CASES[1]
    table = lesson_11.SCORES
    known = [table.cell(row) for row in table.answers if isinstance(row, Wrong) and row.say]
    pairs = [table.answer(), *(value_of(code, table.names(None)) for code in known)]
    right, *given = [tuple(rule(grad, x @ y.T, x, y).tobytes() for rule in pair) for pair in pairs]
    assert len(set(given)) >= len(given) - 1  # reshape changes no 2 x 2
    assert right not in given


@pytest.mark.filterwarnings("ignore")
def test_pytorch_and_the_package_take_vectors_and_stacks():
    torch = pytest.importorskip("torch")
    for left, right in (((3,), (3, 3)), ((3, 3), (3,)), ((5, 2, 3), (5, 3, 4))):
        x, y = torch.ones(left, requires_grad=True), torch.ones(right)
        (x @ y).sum().backward()
        own = ad.Tensor(np.ones(left))
        (own @ np.ones(right)).sum().backward()
        assert np.array_equal(own.grad.data, x.grad.numpy())
    assert torch.nn.Linear(2, 4).weight.shape == (4, 2)


# -- pictures -----------------------------------------------------------------------------------------------


@pytest.fixture
def drawn(monkeypatch):
    """The figures that plots have shown, kept open to be looked at; nothing is put on a screen."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    figures = []
    monkeypatch.setattr(plots, "show", lambda words: figures.append(plt.gcf()))
    yield figures
    plt.close("all")


def test_products_write_the_numbers_of_all_three(drawn):
    x, y = ad.Tensor([[1, 2], [3, 4]]), np.array([[5, -6], [7, 8]])
    plots.products(("x", x, "grad", y, "z"), at=(1, 0))
    ax = drawn[0].axes[0]
    words = [text.get_text() for text in ax.texts]
    assert words == ["1", "2", "3", "4", "5", "−6", "7", "8", "19", "10", "43", "14", "x", "grad", "z"]
    inks = [text.get_color() for text in ax.texts]
    assert inks == [plots.INK] * 4 + [plots.RED] * 8 + [plots.INK, plots.RED, plots.RED]


def test_products_light_a_row_a_column_and_where_they_meet(drawn):
    from matplotlib.colors import to_hex

    plots.products(("x", np.ones((2, 3)), "y", np.ones((3, 4)), "z"), at=(1, 2))
    grounds = [to_hex(patch.get_facecolor()) for patch in drawn[0].axes[0].patches]
    assert grounds[:6] == [plots.PAPER] * 3 + [plots.ROW] * 3
    assert [i for i, ground in enumerate(grounds[6:18]) if ground == plots.COLUMN] == [2, 6, 10]
    assert [i for i, ground in enumerate(grounds[18:]) if ground == plots.BOTH] == [6]


def test_products_stand_side_by_side_and_do_not_overlap(drawn):
    x, y = np.ones((2, 3)), np.ones((3, 4))
    plots.products(("x", x, "y", y, "z"), ("y.T", y.T, "x.T", x.T, "z.T"), at=((0, 0), (3, 1)))
    ax = drawn[0].axes[0]
    corners = [(round(patch.get_x(), 6), round(patch.get_y(), 6)) for patch in ax.patches]
    assert len(set(corners)) == len(corners) == 2 * (6 + 12 + 8)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert all(left <= x and x + 1 <= right and top <= y and y + 1 <= bottom for x, y in corners)


def test_a_vector_and_a_number_are_grids_too():
    assert plots.as_grid(ad.Tensor([1, 2, 3])).shape == (1, 3)
    assert plots.as_grid(5).shape == (1, 1)


def test_products_leave_no_figure_open():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    plots.products(("x", [[1, 2]], "y", [[3], [4]], "z"))
    assert plt.get_fignums() == []
