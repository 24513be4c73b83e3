"""Lesson 09: its checks against right answers, stubs and planted mistakes; the numbers of its prose."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import numpy as np
import pytest

import autodiff as ad
from autodiff.lessons import after_07, check
from tests.lessons.stored import cells, said

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "09_the_same_tensor_full_of_numbers.ipynb"
SOLUTIONS = ROOT / "notebooks" / "solutions" / LESSON.name


def answer(name):
    """What the solutions notebook has for an exercise: the names that its cell defines."""
    cell = next(cell for cell in cells(SOLUTIONS) if f'check("{name}"' in cell.source)
    scope = {"check": check, "np": np, "ad": ad}
    exec(cell.source, scope)
    return scope


def run(*beginnings, scope):
    """Run the lesson's cells that begin like this, in order."""
    for beginning in beginnings:
        exec(next(cell.source for cell in cells(LESSON) if cell.source.startswith(beginning)), scope)
    return scope


def prose():
    return "\n".join(c.source for c in nbformat.read(LESSON, as_version=4).cells if c.cell_type == "markdown")


# -- numbers in the prose -----------------------------------------------------------------------------------


def test_pytorch_wants_a_seed_of_the_end_s_own_shape_and_ours_need_not_be():
    a = ad.Tensor([2, 0, -4])
    ((a + 2) * (3 * a + 4)).backward(1)
    assert a.grad.data.tolist() == [22, 10, -14]
    torch = pytest.importorskip("torch")
    with pytest.raises(RuntimeError, match="shape"):
        (torch.tensor([1.0, 2.0], requires_grad=True) * 2).backward(torch.tensor(1.0))


def test_four_lines_of_the_reader_s_engine_insist_on_one_number():
    a = after_07.Tensor(np.array([1.0, 2.0]))
    for call in (lambda: repr(a), lambda: a.exp(), lambda: a.tanh()):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="ambiguous"):
        after_07.backward(a**2)
    for f in (lambda a: a + 2, lambda a: 3 * a, lambda a: -a, lambda a: 5 - a):
        after_07.backward(f(a))


def test_the_stored_numbers_of_the_lesson_are_right():
    """Each by hand, not by an engine: slopes of (a + 2)(3a + 4) are 6a + 10; the box has areas."""
    told = "\n".join(said(cell) for cell in cells(LESSON))
    for a in (2, 0, -4):
        assert f"a {a:2}   e {(a + 2) * (3 * a + 4):2}   slope {6 * a + 10:3}" in told
    assert "the engine: 8.0\nthe nudge:  5.0" in told
    assert "total 31   from its single 1: [8 7 5]" in told
    assert "x 2.0   z 1.0   and the seed is now 1.0" in told
    assert "x [2. 2.]   z [2. 2.]   and the seed is now [2. 2.]" in told
    assert "x [2. 2.]   z [1. 1.]   and the seed is now [1. 1.]" in told


def test_the_engine_that_writes_into_boxes_is_wrong_with_arrays_alone():
    scope = {"order": after_07.order, "RULES": after_07.RULES, "Tensor": after_07.Tensor, "np": np}
    run("def backward_in_place", scope=scope)
    for made, right in ((lambda value: value, True), (lambda value: np.array([value]), False)):
        x, z = after_07.Tensor(made(5.0)), after_07.Tensor(made(5.0))
        scope["backward_in_place"]((x + z) + x, made(1.0))
        assert np.all(x.grad == 2)
        assert bool(np.all(z.grad == 1)) is right


def test_the_three_walks_end_in_the_valley():
    """The last places of the stored table; the lowest point is -5/3, and each step leaves 0.4 of the way."""
    row = next(said(cell) for cell in cells(LESSON) if "for _ in range(5)" in cell.source).splitlines()
    last = [float(number) for number in re.findall(r"-?\d[\d.]*", row[-1].split(" e ")[0])]
    expected = [-5 / 3 + (start + 5 / 3) * 0.4**4 for start in (2, 0, -4)]
    assert last == pytest.approx(expected, rel=1e-5)


# -- 07 predict ---------------------------------------------------------------------------------------------


def test_predict_takes_the_right_answer():
    assert check("09 predict", answer("09 predict")["my_guess"]).status == "right"
    assert check("09 predict", np.array([16.0, 0.0, -20.0])).status == "right"
    assert check("09 predict", ad.Tensor([16, 0, -20])).status == "right"


def test_predict_is_what_the_walk_brings_home():
    a = ad.Tensor([1, -1, -2])
    ((a + 2) * (3 * a + 4)).backward([1, 0, 10])
    assert check("09 predict", a.grad).status == "right"


def test_predict_is_not_done_yet():
    assert check("09 predict", None).status == "not done yet"
    assert check("09 predict", [16, None, -20]).status == "not done yet"


@pytest.mark.parametrize(
    ("guess", "kind"),
    [
        ([16, 4, -2], "how much each counts"),
        ([16, 0, -2], "no switch"),
        ([21, 0, 0], "values of e"),
        ([22, 0, -140], "slopes at 2, 0 and -4"),
        ([1, 0, 10], "the seed itself"),
        ([16, 0, 20], "sign is turned"),
        ([17, 0, -20], "Find the slope at each"),
        (-4, "the shape of its node"),
        ([16, -20], "Three numbers"),
        ("16 0 -20", "Three numbers"),
        ([[16, 0, -20]], "Three numbers in one list"),
        (np.array([[16, 0, -20]]), "Three numbers in one list"),
        (ad.Tensor([[16, 0, -20]]), "Three numbers in one list"),
    ],
)
def test_predict_names_the_misconception(guess, kind):
    verdict = check("09 predict", guess)
    assert verdict.status == "wrong"
    assert kind in verdict.message


# -- 07 seeds -----------------------------------------------------------------------------------------------

RIGHT = {"mean": [1 / 3] * 3, "first minus last": [1, 0, -1], "sum of squares": [20, 12, 30]}


def test_seeds_takes_the_right_answers():
    assert check("09 seeds", answer("09 seeds")["my_seeds"]).status == "right"
    assert check("09 seeds", {name: np.array(seed) for name, seed in RIGHT.items()}).status == "right"


@pytest.mark.parametrize(
    ("name", "goes_on"),
    [
        ("mean", lambda faces: faces.mean()),
        ("first minus last", lambda faces: faces[0] - faces[2]),
        ("sum of squares", lambda faces: (faces**2).sum()),
    ],
)
def test_a_right_seed_is_the_gradient_of_what_comes_next(name, goes_on):
    sides = ad.Tensor([2, 3, 5])
    faces = sides * sides.roll(1)
    goes_on(faces).backward()
    assert check("09 seeds", {**RIGHT, name: faces.grad}).status == "right"


def test_seeds_is_not_done_yet_until_all_are():
    assert check("09 seeds", dict.fromkeys(RIGHT)).status == "not done yet"
    verdict = check("09 seeds", {**RIGHT, "mean": None})
    assert verdict.status == "not done yet"
    assert "no seed for mean." in verdict.message
    verdict = check("09 seeds", {"sum of squares": [20, 12, 30]})
    assert "no seed for mean, first minus last." in verdict.message


@pytest.mark.parametrize(
    ("name", "seed", "kind"),
    [
        ("mean", [1, 1, 1], "the seed of the sum"),
        ("mean", [3, 3, 3], "divided by 3"),
        ("mean", [10, 6, 15], "These are the faces"),
        ("mean", [0.5, 0.5, 0.5], 'does "mean" move when one face moves by 0.001'),
        ("mean", [0.333] * 3, "rounded. Write 1 / 3."),
        ("mean", [0.33] * 3, "rounded. Write 1 / 3."),
        ("mean", [1, 0], 'A seed for "mean" is three numbers'),
        ("mean", [1, 1, 1], 'Your seed for "mean" brings home'),
        ("first minus last", [1, 0, 1], "counts with a minus"),
        ("first minus last", [-1, 0, 1], "last minus the first"),
        ("first minus last", [10, 0, -15], "counts once"),
        ("first minus last", [1, -1, 0], "first minus the second"),
        ("first minus last", [1, -1], "three numbers"),
        ("sum of squares", [10, 6, 15], "2x"),
        ("sum of squares", [100, 36, 225], "the squares themselves"),
        ("sum of squares", [2, 2, 2], "2 is the slope"),
        ("sum of squares", [1, 1, 1], "without the squares"),
        ("sum of squares", 2, "three numbers"),
    ],
)
def test_seeds_names_the_mistake(name, seed, kind):
    verdict = check("09 seeds", {**RIGHT, name: seed})
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_seeds_wants_a_dict():
    assert "in a dict" in check("09 seeds", [[1, 1, 1]]).message


# -- 07 matrix ----------------------------------------------------------------------------------------------


def planted(
    forget=True, seeds="single", sideways=False, size="result", backwards=False, diagonal=False, columns=None
):
    """A matrix of slopes, right unless told otherwise."""

    def slopes_of(f, point):
        a = ad.Tensor(point)
        e = f(a)
        rows = []
        for which in range(e.size if size == "result" else a.size):
            seed = np.zeros(e.size)
            seed[which if seeds == "single" else 0] = 1
            if seeds == "ones":
                seed[:] = 1
            if forget:
                a = ad.Tensor(point)
                e = f(a)
            e.backward(seed)
            rows.append(a.grad.data.copy())
        table = np.array(rows)
        if backwards:
            table = table[::-1]
        if diagonal:
            table = np.diag(np.diag(table))
        return (table.T if sideways else table).tolist()

    return slopes_of


def seed_of_point(f, point):
    """A walk for each number of the point, from a seed of the point's shape: right on square matrices."""
    rows = []
    for which in range(len(point)):
        a = ad.Tensor(point)
        f(a).backward(np.eye(len(point))[which])
        rows.append(a.grad)
    return rows


def nudges(f, point):
    """The matrix by columns, each a nudge, and laid on its side by mistake."""
    columns = []
    for which in range(len(point)):
        low, high = list(point), list(point)
        low[which] -= 1e-4
        high[which] += 1e-4
        columns.append((f(ad.Tensor(high)).data - f(ad.Tensor(low)).data) / 2e-4)
    return columns


def test_matrix_takes_the_right_answer():
    assert check("09 matrix", answer("09 matrix")["slopes_of"]).status == "right"
    assert check("09 matrix", planted()).status == "right"


def test_matrix_takes_arrays_tensors_nudged_columns_and_the_package_s_own():
    assert check("09 matrix", lambda f, point: np.array(planted()(f, point))).status == "right"
    assert check("09 matrix", lambda f, point: ad.Tensor(planted()(f, point))).status == "right"
    assert check("09 matrix", lambda f, point: np.stack(nudges(f, point), axis=1)).status == "right"
    assert check("09 matrix", lambda f, point: ad.jacobian(f)(point)).status == "right"


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (planted(sideways=True), "lying on its side"),
        (nudges, "lying on its side"),
        (planted(forget=False), "gradients add up"),
        (planted(seeds="ones"), "the sum of all rows"),
        (planted(seeds="first"), "Each row is the first one"),
        (planted(diagonal=True), "Only the diagonal"),
        (planted(backwards=True), "another order"),
        (planted(size="point"), "one row for each number of the result"),
        (lambda f, point: planted()(f, point)[0], "That is one row"),
        (lambda f, point: ad.Tensor(planted()(f, point)[0]), "That is one row"),
        (lambda f, point: [[1, 2], 3], "a list of numbers"),
        (lambda f, point: [None] * 3, "a list of numbers"),
        (lambda f, point: [], "you give no rows"),
        (seed_of_point, "the seed has the shape of f's result"),
        (lambda f, point: [[1, 2], [3]], "not equally long"),
        (lambda f, point: [[1, 2, 3]] * 3, "a single 1"),
        (lambda f, point: 7, "a list of rows"),
        (lambda f, point: f(ad.Tensor(point)).backward(), "RuntimeError"),
        ("w", "A function is asked for"),
    ],
)
def test_matrix_names_the_mistake(function, kind):
    verdict = check("09 matrix", function)
    assert verdict.status == "wrong"
    assert kind in verdict.message


def test_matrix_leaves_an_error_on_the_box_as_it_is():
    def stops(f, point):
        raise ValueError("not this way")

    assert "stopped with ValueError: not this way" in check("09 matrix", stops).message


def test_matrix_tells_a_stub_from_a_mistake():
    assert check("09 matrix", lambda f, point: None).status == "not done yet"
