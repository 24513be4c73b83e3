"""The exercises of lesson 12: the rule of a sum along rows, the mean of maxima, and picking as a product."""

import numpy as np

from ..checking import Mistake, NotYet, exercise, result
from .shared import array, kind_of, listed, same

# -- in class: the rule of a sum along rows -----------------------------------------------------------------

# x and the gradient above. The second x is square, the third has more rows than columns.
ROWS = (
    (np.array([[3.0, 7, 5], [8, 2, 8]]), np.array([10.0, 1])),
    (np.array([[3.0, 7], [8, 2]]), np.array([10.0, 1])),
    (np.array([[1.0, 2], [3, 4], [5, 7]]), np.array([10.0, 1, -3])),
)
WRONG_AXIS = (
    "The numbers are spread along the wrong axis: NumPy lays grad along the rows, and each of its numbers "
    "belongs to a whole row. A square matrix lets this pass without an error."
)
ROW_KINDS = (
    (lambda grad, x: grad + np.zeros_like(x), WRONG_AXIS),
    (lambda grad, x: np.ones_like(x), "1 is the local slope alone: the gradient above was dropped."),
    (
        lambda grad, x: grad[:, None] / x.shape[1] + 0 * x,
        "That is divided by how many they are, as for a mean. A sum gives each of them all of it.",
    ),
    (lambda grad, x: grad, "That is the gradient above, as it came. A gradient has the shape of x."),
    (lambda grad, x: grad[:, None], "It is still one column. Stretch it to the shape of x."),
    (lambda grad, x: (grad[:, None] + 0 * x).T, "That is the transpose. A row of x gets one number."),
    (lambda grad, x: np.tile(grad, (x.shape[1], 1)), "That is the transpose. A row of x gets one number."),
    (lambda grad, x: grad[:, None] * x, "The local slope in a sum is 1, not the number itself."),
    (lambda grad, x: grad.sum() + 0 * x, "Everybody gets everything. A row gets what its own sum got."),
    (lambda grad, x: x.sum(axis=1)[:, None] + 0 * x, "That is z, spread out. Spread the gradient above."),
    (
        lambda grad, x: np.resize(grad, x.shape),
        "The numbers are dealt out in turn, one after the other. A whole row gets the same one.",
    ),
    "Each row of x has one sum, and all of the row gets the gradient of that sum.",
)


@exercise(
    "12 rows",
    "Each number of a row went into the same sum, with local slope 1. What does each of them get?",
    "Turn grad into a column: grad[:, None] has the shape (2, 1). Broadcasting stretches it along the rows.",
    "return grad[:, None] + np.zeros_like(x)",
)
def rows(rule):
    """Judge the rule of x.sum(axis=1), also on a square matrix, where the wrong axis has the right shape."""
    for x, grad in ROWS:
        said = f"At x = {listed(x)} with the gradient {listed(grad)} above, "
        try:
            given = result(rule, grad.copy(), x.sum(axis=1), x.copy(), said="rows_rule(grad, z, x)")
        except ValueError as error:
            raise Mistake(
                f"{said}the shapes do not fit: grad has {grad.shape}, x has {x.shape}, and NumPy compares "
                "the last sizes first. Give grad an axis of size 1 at the end, where x has its columns."
            ) from error
        found, right = array(given, "rows_rule gave"), grad[:, None] + 0 * x
        if not same(found, right):
            kind = kind_of(found, ROW_KINDS, grad, x)
            raise Mistake(f"{said}right is {listed(right)}, and you give {listed(found)}. {kind}")
    return "Every number of a row gets the gradient of the row's sum, whole."


# -- at home: the mean of maxima ----------------------------------------------------------------------------

BEST = (
    ([[0, 1, 1], [1, 0, 0]], "Those are the winners. But two share a maximum, and then comes a mean of two."),
    ([[0, 0.5, 0.5], [1, 0, 0]], "The two 9s share rightly. But then comes a mean of two, and it halves."),
    ([[0, 0.5, 0.5], [0.5, 0, 0]], "The mean halves rightly. But the two 9s share what their row gets."),
    ([[0, 0.5, 0], [0.5, 0, 0]], "That gives all to the first of two winners. Here they share."),
    ([[0, 0, 0.5], [0.5, 0, 0]], "That gives all to the last of two winners. Here they share."),
    ([[1 / 6] * 3] * 2, "That is the mean of all six. First comes the maximum of each row."),
    ([[0, 9, 9], [6, 0, 0]], "Those are the winners. How does the mean move with them?"),
    ([[0, 1 / 3, 1 / 3], [1 / 3, 0, 0]], "There are three winners, but two maxima. Go back step by step."),
    ([[0, 1 / 6, 1 / 6], [1 / 6, 0, 0]], "The mean is one of two numbers, not of six."),
)


@exercise(
    "12 best",
    "Walk back by hand. The mean of two maxima gives each of them the same. What?",
    "0.5 arrives at each row. The 6 is alone and gets all of it. There are two 9s.",
    "[[0, 0.25, 0.25], [0.5, 0, 0]]",
)
def best(guess):
    """Judge the predicted gradient of x.max(axis=1).mean() at [[4, 9, 9], [6, 1, 2]]."""
    if isinstance(guess, (list, tuple)) and any(
        part is None for row in guess for part in (row if isinstance(row, (list, tuple)) else [row])
    ):
        raise NotYet("some of the six numbers are still None.")
    try:
        found = array(guess, "Your guess is")
    except Mistake:
        raise Mistake(f"Two lists of three numbers are asked for, and this is {guess!r:.60}.") from None
    if found.shape != (2, 3):
        raise Mistake(
            "A gradient has the shape of its Tensor. Here that is (2, 3), two lists of three numbers, and "
            f"yours has {found.shape}."
        )
    if not same(found, [[0, 0.25, 0.25], [0.5, 0, 0]]):
        fitting = [kind for wrong, kind in BEST if same(found, wrong)]
        raise Mistake(
            f"It is not {listed(found)}. "
            + next(iter(fitting), "Start at the mean: what arrives at each row's maximum? Who has it?")
        )
    return "The mean halves, the 6 takes all of its half, and the two 9s share theirs."


# -- at home: picking as a product --------------------------------------------------------------------------

# In the first, one place occurs twice and one not at all, so that no two known mistakes give the same.
PLACES = (([1, 1, 0], 3), ([1, 0, 2], 3), ([1, 0, 2, 0, 2, 0], 3), ([3, 3], 5), ([0], 1))


def lit(*shape, at):
    """Zeros with 1 at the positions ``at``."""
    made = np.zeros(shape)
    made[at] = 1
    return made


def turned(index, size, by=0):
    """The transpose of the right answer, or of the right answer with its columns moved."""
    return np.roll(lit(size, len(index), at=(index, range(len(index)))), by, axis=0)


ONE_HOT_KINDS = (
    (turned, "That is the transpose: a column for each place. One row for each is asked for."),
    (
        lambda index, size: lit(len(index), size, at=(slice(None), index)),
        "H[:, index] lights whole columns. Each row gets a single 1: H[i, index[i]].",
    ),
    (
        lambda index, size: lit(len(index), size, at=(index,)),
        "H[index] lights whole rows. In row i the 1 stands in column index[i].",
    ),
    (
        lambda index, size: np.bincount(index, minlength=size),
        "That counts how often each place occurs. A row for each place in index is asked for.",
    ),
    (
        lambda index, size: lit(size, at=(index,)),
        "That is one row for all places. A row for each place in index is asked for.",
    ),
    (
        lambda index, size: turned(index, size).T * np.reshape(index, (-1, 1)),
        "At its place stands the place itself, and it should be a 1.",
    ),
    (lambda index, size: turned(index, size, -1).T, "Each 1 is one column too far left. Count from 0."),
    (lambda index, size: turned(index, size, 1).T, "Each 1 is one column too far right. Count from 0."),
    (lambda index, size: np.zeros((len(index), size)), "There is no 1 in it yet."),
    (lambda index, size: np.eye(size), "That is the whole table's rows, in its own order. Pick from it."),
    "Row i has its 1 in column index[i].",
)


@exercise(
    "12 one-hot",
    "Start from np.zeros((len(index), size)). In row 0 the 1 stands in column index[0], in row 1 in column "
    "index[1].",
    "A loop will do: for i, place in enumerate(index), and H[i, place] = 1.",
    "H = np.zeros((len(index), size)), then for i, place in enumerate(index): H[i, place] = 1, then return "
    "H. Or, in one line: return np.eye(size)[index].",
)
def one_hot(function):
    """Judge one_hot(index, size) with places in another order, and with repeated places."""
    for index, size in PLACES:
        said = f"one_hot({index}, {size})"
        try:
            given = result(function, list(index), size, said=said)
        except IndexError as error:
            raise Mistake(
                f"{said} stopped with IndexError: {error}. H[i, place] has the row first: i counts the "
                "places, and place is below size."
            ) from error
        found, right = array(given, f"{said} gave"), np.eye(size)[index]
        if not same(found, right):
            kind = kind_of(found, ONE_HOT_KINDS, index, size)
            raise Mistake(f"{said} is {listed(right)}, and you give {listed(found)}. {kind}")
    return "Each row picks one. So picking is a matrix product, and has its rules."
