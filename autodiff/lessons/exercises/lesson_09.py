"""The exercises of lesson 09: the gradient of a seed, three seeds to find, and the whole matrix of slopes."""

from typing import Any

import numpy as np

import autodiff as ad

from ...engine.backward import gradients
from ..checking import Mistake, NotYet, exercise, number, result
from .shared import course, listed, same

SIDES = (2.0, 3.0, 5.0)
FACES = (10.0, 6.0, 15.0)


def box(sides):
    """The lesson's calculation: each side times the one before it."""
    return sides * ad.roll(sides, shift=1)


def numbers(answer, asked="Three numbers are asked for here"):
    """A reader's row of numbers, a list, an array or a Tensor, as an array."""
    values = getattr(answer, "data", answer) if isinstance(answer, ad.Tensor) else answer
    if isinstance(values, str) or not np.iterable(values):
        raise Mistake(f"{asked}, and this is {answer!r:.60}.")
    return np.array([number(value) for value in values])


def is_row(part):
    """Whether a part of a reader's list is itself a row of numbers."""
    return isinstance(part, (list, tuple)) or getattr(part, "ndim", 0) > 0


# -- in class: what a seed brings home ----------------------------------------------------------------------

# The slopes of (a + 2)(3a + 4) at 1, -1, -2 are 16, 4 and -2; the values there are 21, 1 and 0.
PREDICTED = (
    ((16, 4, -2), "These are the three slopes. The seed says how much each counts: 1, 0 and 10 times."),
    ((16, 0, -2), "A seed is no switch. The last number of e counts ten times."),
    ((21, 0, 0), "You have weighed the values of e. A gradient is made of slopes."),
    ((22, 0, -140), "These are the slopes at 2, 0 and -4. The starting points are other ones now."),
    ((1, 0, 10), "That is the seed itself, the gradient of e. On its way to a it meets the slopes."),
    ((16, 0, 20), "The last sign is turned. At -2 the curve falls."),
)  # fmt: skip


@exercise(
    "09 predict",
    "Take the three places one by one. For one number a, the slope of (a + 2)(3a + 4) is 3(a + 2) + 3a + 4.",
    "The slopes at 1, -1 and -2 are 16, 4 and -2. The seed is where the walk begins: it stands in place of "
    "the 1.",
    "Each slope times its number of the seed: 16 times 1, 4 times 0, -2 times 10.",
)
def predict(guess):
    """Judge the three numbers by the misconception that leads to them."""
    asked = "Three numbers are asked for here: a gradient has the shape of its node"
    if is_row(guess) and any(is_row(part) for part in guess):
        raise Mistake(f"Three numbers in one list are asked for, and this is {guess!r:.60}.")
    found = numbers(guess, asked)
    if len(found) != 3:
        raise Mistake(f"{asked}, and this is {guess!r:.60}.")
    for wrong, kind in PREDICTED:
        if same(found, wrong):
            raise Mistake(f"Not {listed(wrong)}. {kind}")
    if not same(found, (16, 0, -20)):
        raise Mistake(
            f"Not {listed(found)}. Find the slope at each of the three places, and weigh each by its number "
            "of the seed."
        )
    return "Each slope, times what its number of e counts."


# -- at home: three seeds -----------------------------------------------------------------------------------

# For each question: the right seed, and seeds that stand for a known mistake.
SEEDS: dict[str, tuple[tuple[float, ...], tuple[tuple[Any, str], ...]]] = {
    "mean": (
        (1 / 3, 1 / 3, 1 / 3),
        (
            ((1, 1, 1), "That is the seed of the sum. In a mean each face counts less."),
            ((3, 3, 3), "Three times the sum. The mean is the sum divided by 3."),
            (FACES, "These are the faces. How much does each of them count in their mean?"),
        ),
    ),
    "first minus last": (
        (1, 0, -1),
        (
            ((1, 0, 1), "That adds the two. What is taken away counts with a minus."),
            ((-1, 0, 1), "That is the last minus the first."),
            ((10, 0, -15), "These are the faces. In their difference each counts once."),
            ((1, -1, 0), "That is the first minus the second."),
        ),
    ),
    "sum of squares": (
        (20, 12, 30),
        (
            ((10, 6, 15), "These are the faces; the slope of a square at x is 2x."),
            ((100, 36, 225), "These are the squares themselves, and a seed is made of slopes."),
            ((2, 2, 2), "2 is the slope of x squared at 1. At 10, at 6 and at 15 it is more."),
            ((1, 1, 1), "That is the seed of the sum, without the squares."),
        ),
    ),
}


@exercise(
    "09 seeds",
    "A seed says how much each face counts. Move one face by 0.001: how many times as far does the mean "
    "move, or the difference, or the sum of the squares?",
    "In the mean of three each counts one third. In a difference one counts 1, and the other -1.",
    "The slope of x squared at x is 2x, so the last seed is 2 times the faces.",
)
def seeds(given):
    """Judge a dict of seeds, each by its gradient."""
    if not isinstance(given, dict):
        raise Mistake(f"The seeds stand in a dict, each under its name, and this is {given!r:.60}.")
    missing = [name for name in SEEDS if given.get(name) is None]
    if missing:
        raise NotYet(f"there is no seed for {', '.join(missing)}.")
    for name, (right, kinds) in SEEDS.items():
        asked = f'A seed for "{name}" is three numbers, one for each face'
        found = numbers(given[name], asked)
        if len(found) != 3:
            raise Mistake(f"{asked}, and this is {given[name]!r:.60}.")
        if same(found, right):
            continue
        said = (
            f'Your seed for "{name}" brings home {listed(gradient_of_sides(found))}, and right is '
            f"{listed(gradient_of_sides(right))}. "
        )
        fitting = [kind for wrong, kind in kinds if same(found, wrong)]
        if name == "mean" and np.allclose(found, right, atol=0.01):
            fitting = ["That is one third, rounded. Write 1 / 3."]
        asked = f'How far does "{name}" move when one face moves by 0.001?'
        raise Mistake(said + (*fitting, asked)[0])
    return "A seed is the gradient of whatever is made of the faces next."


def gradient_of_sides(seed):
    """The gradient of the sides for a seed."""
    x = ad.Tensor(SIDES)
    return gradients(box(x), [x], seed)[0].data


# -- at home: the whole matrix ------------------------------------------------------------------------------


def longer(a):
    """Four numbers from two."""
    return ad.concatenate([a * a, a * ad.roll(a, shift=1)])


MATRICES: tuple[tuple[str, Any, tuple[float, ...], Any], ...] = (
    ("the box at [2, 3, 5]", box, SIDES, ((5, 0, 2), (3, 2, 0), (0, 5, 3))),
    ("(a + 2) * (3 * a + 4) at [2, 0]", course, (2, 0), ((22, 0), (0, 10))),
    ("four results of two numbers, at [2, 3]", longer, (2, 3), ((4, 0), (0, 6), (3, 2), (3, 2))),
)


@exercise(
    "09 matrix",
    "Above, a loop went through three seeds and printed three rows. Make the seeds in the loop, and keep the "
    "rows.",
    "How many rows there are says the result: e.size. A seed is np.zeros(e.size) with a 1 at one place. "
    "Gradients add up over walks, so make a new Tensor for each row, or forget with a.grad = None.",
    "for i in range(f(ad.Tensor(point)).size): a = ad.Tensor(point); e = f(a); seed = np.zeros(e.size); "
    "seed[i] = 1; e.backward(seed); rows.append(a.grad)",
)
def matrix(function):
    """Judge slopes_of(f, point) on the box, where each mistake gives a different matrix."""
    for said, f, point, right in MATRICES:
        try:
            given = result(function, f, list(point), said=f"slopes_of for {said}")
        except (ValueError, IndexError) as error:
            if f is not longer:
                raise
            raise Mistake(
                f"Your code stopped at {said}. There are as many rows as results, and that need not be as "
                "many as the numbers of point: the seed has the shape of f's result."
            ) from error
        right = np.array(right, dtype=float)
        found = as_table(given, said)
        if found.shape != right.shape:
            raise Mistake(
                f"For {said} you give {shaped(found)}, and the matrix has {shaped(right)}: one row for each "
                "number of the result, one column for each number of the point."
            )
        if not same(found, right):
            told = f"For {said} you give {listed(found)}, and right is {listed(right)}. "
            raise Mistake(told + kind_of_matrix(found, right))
    return "As many walks as there are results, and each brings home a row."


def as_table(given, said):
    """A reader's rows as an array. Raises Mistake if they are no table of numbers."""
    given = given.data if isinstance(given, ad.Tensor) else given
    if isinstance(given, str) or not np.iterable(given):
        raise Mistake(f"For {said} a list of rows is asked for, and this is {given!r:.60}.")
    given = list(given)
    if given and all(isinstance(row, float | int) or getattr(row, "ndim", None) == 0 for row in given):
        raise Mistake(f"For {said} you give {given!r:.60}. That is one row; a list of rows is asked for.")
    rows = [numbers(row, f"For {said} each row is a list of numbers") for row in given]
    if len({len(row) for row in rows}) > 1:
        raise Mistake(f"For {said} the rows are not equally long: {[len(row) for row in rows]}.")
    return np.array(rows)


def shaped(found):
    """The numbers of rows and columns as text."""
    if found.ndim < 2:
        return "no rows"
    rows, columns = found.shape
    return f"{rows} row{'s' * (rows != 1)} of {columns}"


def kind_of_matrix(found, right):
    """The message for a wrong matrix."""
    if same(found, right.T):
        return "That is the matrix lying on its side. A walk back gives a row, a nudge gives a column."
    if same(found, np.cumsum(right, axis=0)):
        return "Each row has the rows before it in it: gradients add up. Forget them between the walks."
    if same(found, np.tile(right.sum(axis=0), (len(right), 1))):
        return "Each row is the sum of all rows: that is what the seed of ones gives."
    if same(found, right[::-1]):
        return "The rows stand in another order than the results."
    if same(found, np.diag(np.diag(right))):
        return "Only the diagonal is there. Each result may depend on every number."
    if same(found, np.tile(right[0], (len(right), 1))):
        return "Each row is the first one. Move the 1 of the seed from row to row."
    return "Compare one row with the walk from a seed with a single 1."
