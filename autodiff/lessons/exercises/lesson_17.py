"""The exercises of lesson 17: a quotient of dual numbers, numbers of walks, and a jacobian by columns."""

import numpy as np

import autodiff as ad

from ..checking import Mistake, NotYet, exercise, number, result
from .counting import run_counted, watched
from .shared import close, listed

# -- in class: a quotient -----------------------------------------------------------------------------------

# Value and move of x, and of y. In the first case both move, and no two known mistakes give the same.
QUOTIENTS = (((7.0, 3.0), (2.0, 5.0)), ((7.0, 1.0), (2.0, 0.0)), ((7.0, 0.0), (2.0, 1.0)))
MOVES = (
    (
        lambda x, dx, y, dy: dx / dy if dy else None,
        "You divided the moves. How a quotient moves is not the quotient of the moves.",
    ),
    (lambda x, dx, y, dy: (dx * y + x * dy) / y**2, "When y grows, the quotient falls: take that part away."),
    (lambda x, dx, y, dy: (dx * y - x * dy) / y, "It is y squared that stands below, not y."),
    (lambda x, dx, y, dy: (x * dy - dx * y) / y**2, "The sign is turned round: y moves it down, not x."),
    (lambda x, dx, y, dy: dx / y, "x moves the quotient, and y does, too."),
    (lambda x, dx, y, dy: -x * dy / y**2, "y moves the quotient, and x does, too."),
    (lambda x, dx, y, dy: dx / y - dy * x, "By y the local slope is -x / y**2: in lesson 06, -1.75."),
    (lambda x, dx, y, dy: dx * y + x * dy, "That is how a product moves."),
    (lambda x, dx, y, dy: (dx * y - x * dy) / x**2, "You divided by x squared. It is y that is divided by."),
    (lambda x, dx, y, dy: dx / y - dy / x, "The local slopes are 1 / y for x, and -x / y**2 for y."),
    (lambda x, dx, y, dy: dx - dy, "The moves want their local slopes: 1 / y for x, and -x / y**2 for y."),
    (lambda x, dx, y, dy: dx / y - dy / y**2, "The local slope of x / y by y has x in it: -x / y**2."),
    (
        lambda x, dx, y, dy: 1 / y - x / y**2,
        "Those are the local slopes, and no move is in them. Multiply each by its own operand's move.",
    ),
    (
        lambda x, dx, y, dy: -dx / y * dy * x / y**2,
        "You multiplied what comes from x by what comes from y. The two are added.",
    ),
    (lambda x, dx, y, dy: dx * y - x * dy, "You forgot to divide by y squared."),
    (lambda x, dx, y, dy: 0.0, "It does not move at all. What do x and y do with their moves?"),
)


@exercise(
    "17 divide",
    "Each operand's move times its local slope, and both added. In lesson 06, x / y was x * y ** -1.",
    "The local slopes are 1 / y for x, and -x / y ** 2 for y, all of them values.",
    "move = x.move / y.value - y.move * x.value / y.value**2, and then return Dual(x.value / y.value, move)",
)
def divide(function, dual=None):
    """Judge the quotient of two dual numbers of the reader's class."""
    if not callable(dual):
        raise Mistake('The second thing to hand over is your class: check("17 divide", divide, Dual).')
    for (x, dx), (y, dy) in QUOTIENTS:
        said = f"divide(Dual({x:g}, {dx:g}), Dual({y:g}, {dy:g}))"
        found = result(function, dual(x, dx), dual(y, dy), said=said)
        if not (hasattr(found, "value") and hasattr(found, "move")):
            raise Mistake(f"{said} gave {found!r:.60}. A Dual is asked for, a value and a move.")
        value, move = number(found.value), number(found.move)
        if not close(value, x / y, 1e-9):
            raise Mistake(f"{said} has the value {value:.6g}, and right is {x / y:g}.")
        right = (dx * y - x * dy) / y**2
        if not close(move, right, 1e-9):
            tried = ((wrong(x, dx, y, dy), kind) for wrong, kind in MOVES)
            kinds = (kind for wrong, kind in tried if wrong is not None and close(move, wrong, 1e-9))
            raise Mistake(
                f"{said} moves by {right:g}, and yours by {move:.6g}. "
                + next(kinds, "Each move times its local slope, and both added.")
            )
    return "A quotient moves by x's move over y, less y's move times x over y squared."


# -- at home: how many walks --------------------------------------------------------------------------------

SIZES = {"scores": (64, 10), "loss": (640, 1), "path": (1, 200)}


@exercise(
    "17 walks",
    "A walk forward starts at one input. A walk back starts at one result.",
    "There are as many walks forward as there are inputs, and as many back as there are results.",
    'my_walks = {"scores": (64, 10), "loss": (640, 1), "path": (1, 200)}',
)
def count_walks(guess):
    """Judge the predicted pairs of walks, forward and back."""
    if not isinstance(guess, dict) or set(guess) != set(SIZES):
        raise Mistake(f"A dict with a pair for each of {', '.join(SIZES)} is asked for.")
    for name, right in SIZES.items():
        pair = guess[name]
        if pair is None or (isinstance(pair, (tuple, list)) and None in pair):
            raise NotYet(f"for {name} there is a None.")
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise Mistake(f"For {name} a pair is asked for: walks forward, walks back.")
        found = tuple(number(part) for part in pair)
        if found != right:
            inputs, results = right
            kinds: dict[tuple[float, ...], str] = {
                (inputs * results, inputs * results): "That is one walk for each slope, as if nudged singly.",
                (inputs, 1): "One walk back gives one row, and there is a row for each result.",
                (1, results): "One walk forward gives one column, and there is a column for each input.",
                (inputs * results, results): "One walk forward moves all results at once: a whole column.",
                (inputs, inputs * results): "One walk back reaches all inputs at once: a whole row.",
                (inputs * results, 1): "One walk forward moves all results at once: a whole column.",
                (inputs, inputs): "A walk back starts at a result, and it reaches all the inputs at once.",
                (results, results): "A walk forward starts at an input, and it reaches all results at once.",
                (inputs + 1, results): "No walk is needed to compare with: that is nudging's one more.",
                (1, 1): "One walk gives one column or one row, and not the whole table.",
                right[::-1]: "You have the two the other way round: forward there is one for each input.",
            }
            shown = f"({', '.join(f'{part:g}' for part in found)})"
            sizes = f"{counted(inputs, 'input')} and {counted(results, 'result')}"
            raise Mistake(
                f"For {name} it is not {shown}. " + kinds.get(found, f"It has {sizes}: columns and rows.")
            )
    return "One walk forward for each input, one walk back for each result. Take whichever are fewer."


def counted(number, word):
    """A number with its noun: 1 input, 2 inputs."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


# -- at home: a jacobian by its columns ---------------------------------------------------------------------


def two_of_three(x):
    """Two results from three inputs: x0 x1 and x1 x2 x2."""
    return ad.stack(x[0] * x[1], x[1] * x[2] * x[2])


def two_of_two(x):
    """Two results from two inputs, so that a transposed jacobian has the right shape."""
    return ad.stack(x[0] * x[1], x[1] * x[1] * x[1])


# A function, its text, the point, its value there, and its jacobian.
TABLES = (
    (
        two_of_three,
        "[x0 * x1, x1 * x2 * x2]",
        np.array([2.0, 3.0, 5.0]),
        np.array([6.0, 75]),
        np.array([[3.0, 2, 0], [0, 25, 30]]),
    ),
    (
        two_of_two,
        "[x0 * x1, x1 ** 3]",
        np.array([5.0, 2.0]),
        np.array([10.0, 8]),
        np.array([[2.0, 5], [0, 12]]),
    ),
)
AT_ONCE = "All inputs moved at once, and that adds up the columns. Move one at a time."
BY_VALUE = "Each column is multiplied by its input. Move by 1, and not by x."
OF_VALUES = "Those are values. jvp gives two things, and the move is the second."
COLUMNS = (
    (lambda J, x, z: J.T, "That is the transpose: columns lie as rows. np.stack has an axis to choose."),
    (lambda J, x, z: J.sum(axis=1), AT_ONCE),
    (lambda J, x, z: np.stack([J.sum(axis=1)] * len(x), axis=1), AT_ONCE),
    (lambda J, x, z: np.stack([J.sum(axis=1)] * len(x)), AT_ONCE),
    (lambda J, x, z: J * x, BY_VALUE),
    (lambda J, x, z: (J * x).T, BY_VALUE),
    (lambda J, x, z: J[:, 0], "That is the first column alone. There is one for each input."),
    (lambda J, x, z: J[:, ::-1], "The columns stand in the wrong order."),
    (lambda J, x, z: np.stack([z] * len(x), axis=1), OF_VALUES),
    (lambda J, x, z: np.stack([z] * len(x)), OF_VALUES),
    (lambda J, x, z: J.ravel(), "The numbers stand in one row. Make it a table."),
    (lambda J, x, z: J.T.ravel(), "The numbers stand in one row. Make it a table."),
)


@exercise(
    "17 columns",
    "One walk for each input: move that input by 1 and all the others by 0. The rows of np.eye(len(x)) are "
    "just these moves.",
    "ad.jvp(f, (x,), (unit,)) gives a pair, what f returns and how that moves. The second is a column.",
    "columns = [ad.jvp(f, (x,), (unit,))[1].data for unit in np.eye(len(x))], and then return "
    "np.stack(columns, axis=1)",
)
def columns(function):
    """Judge two jacobians, one of which is square, so that its transpose has the same shape."""
    said = "jacobian_by_columns(f, x)"
    for f, formula, x, value, right in TABLES:
        given = result(function, f, x.copy(), said=said)
        if isinstance(given, (list, tuple)):
            given = [getattr(part, "data", part) for part in given]
        try:
            found = np.asarray(getattr(given, "data", given), dtype=float)
        except (TypeError, ValueError):
            raise Mistake(
                f"{said} gave {given!r:.60}. A table of shape {right.shape} is asked for."
            ) from None
        if found.shape != right.shape or not np.allclose(found, right, rtol=1e-11, atol=1e-9):
            raise Mistake(
                f"For f = {formula} at {listed(x)} right is {listed(right)}, and yours is {listed(found)}. "
                + kind_of_jacobian(found, right, x, value)
            )
    check_few_walks(function)
    return "A column for each input, and one walk for each column."


def check_few_walks(function):
    """Raise Mistake if a table with fewer columns than rows took more walks than it has columns."""
    inputs, results = 2, 5
    weights = np.arange(1.0, results + 1)
    given, walks = run_counted(function, lambda x: watched(x)[0] * x[1] * weights, np.ones(inputs))
    if given is None:
        raise NotYet(f"for {inputs} inputs it gave None.")
    if walks > inputs:
        raise Mistake(
            f"The tables are right, but for {inputs} inputs and {results} results you walked {walks} times. "
            "Those were rows, by walks back. ad.jvp walks forward: once for each input."
        )


def kind_of_jacobian(found, right, x, value):
    """The message for a wrong jacobian."""
    if found.shape == right.shape and np.allclose(found, right, atol=1e-2):
        return "That is close, and not exact. Did you nudge? jvp is exact."
    for wrong, kind in COLUMNS:
        table = wrong(right, x, value)
        if found.shape == table.shape and np.allclose(found, table):
            return kind
    return "A column says how all the results move with one input."
