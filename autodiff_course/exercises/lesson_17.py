"""The exercises of lesson 17: numbers of walks, and the Jacobian by whichever direction is cheaper."""

import numpy as np

from ..checking import Mistake, NotYet, exercise, number
from .calling import call, names_of
from .counting import Called, counted_walks
from .shared import apart, array, listed

# -- how many walks -----------------------------------------------------------------------------------------

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
                (
                    inputs * results,
                    inputs * results,
                ): "That is one walk for each slope. One walk gives many slopes.",
                (inputs, 1): "One walk back gives one row, and there is a row for each result.",
                (1, results): "One walk forward gives one column, and there is a column for each input.",
                (inputs * results, results): "One walk forward moves all results at once: a whole column.",
                (inputs, inputs * results): "One walk back reaches all inputs at once: a whole row.",
                (inputs * results, 1): "One walk forward moves all results at once: a whole column.",
                (inputs, inputs): "A walk back starts at a result, and it reaches all the inputs at once.",
                (results, results): "A walk forward starts at an input, and it reaches all results at once.",
                (inputs + 1, results): "A nudge needs one more, to compare with. A walk does not.",
                (1, 1): "One walk gives one column or one row, and not the whole table.",
                right[::-1]: "You have the two the other way round: forward there is one for each input.",
            }
            shown = f"({', '.join(f'{part:g}' for part in found)})"
            sizes = f"{counted(inputs, 'input')} and {counted(results, 'result')}"
            raise Mistake(
                f"For {name} it is not {shown}. " + kinds.get(found, f"It has {sizes}: columns and rows.")
            )
    return "One walk forward for each input, or one walk back for each result. Take whichever are fewer."


def counted(number, word):
    """A number with its noun: 1 input, 2 inputs."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


# -- Jacobians ----------------------------------------------------------------------------------------------


def two_of_three(x):
    """Two results from three inputs: x0 x1 and x1 x2 x2."""
    return x[0] * x[1] * np.array([1.0, 0.0]) + x[1] * x[2] * x[2] * np.array([0.0, 1.0])


def two_of_two(x):
    """Two results from two inputs, so that a transposed Jacobian has the right shape."""
    return x[0] * x[1] * np.array([1.0, 0.0]) + x[1] * x[1] * x[1] * np.array([0.0, 1.0])


# A function, its text, the point, its value there, and its Jacobian.
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
AT_ONCE = "All inputs moved at once, which adds up the columns. Move one at a time."
BY_VALUE = "Each column is multiplied by its input. Move by 1, and not by x."
OF_VALUES = "Those are values. jvp returns two things, and the second says how far f moves."
COLUMNS = (
    (lambda J, x, z: J.T, "That is the transpose: the columns became rows. np.stack has an argument axis."),
    (lambda J, x, z: J.sum(axis=1), AT_ONCE),
    (lambda J, x, z: np.stack([J.sum(axis=1)] * len(x), axis=1), AT_ONCE),
    (lambda J, x, z: np.stack([J.sum(axis=1)] * len(x)), AT_ONCE),
    (
        lambda J, x, z: J.cumsum(axis=0),
        "Each row contains the rows before it: backward adds to .grad. Use gradients.",
    ),
    (lambda J, x, z: J * x, BY_VALUE),
    (lambda J, x, z: (J * x).T, BY_VALUE),
    (lambda J, x, z: J[:, 0], "That is the first column alone. There is one for each input."),
    (lambda J, x, z: J[:, ::-1], "The columns are in the wrong order."),
    (lambda J, x, z: np.stack([z] * len(x), axis=1), OF_VALUES),
    (lambda J, x, z: np.stack([z] * len(x)), OF_VALUES),
    (lambda J, x, z: J.ravel(), "All numbers are in one row. Make a table of them."),
    (lambda J, x, z: J.T.ravel(), "All numbers are in one row. Make a table of them."),
)


class Followed(Called):
    """A function that also counts the calls in which its input has a tangent."""

    def __init__(self, f):
        super().__init__(f)
        self.forward = 0

    def __call__(self, x):
        """What the function gives."""
        self.forward += hasattr(x, "tangent")
        return super().__call__(x)


def judge_table(function, said, f, formula, x, right, kind):
    """Raise Mistake for a wrong table; returns the function that was handed over, with its counts."""
    followed = Followed(f)
    try:
        given = call(function, followed, x.copy(), said=said, header=f"def {said}:")
    except AttributeError as error:
        if "'Followed'" not in str(error):
            raise
        raise Mistake(
            f"{said} stops, since f is a function, and gradients walks back from a Tensor. The gradient as a "
            "function is grad(f)."
        ) from None
    except TypeError as error:
        if "'Tensor' object is not callable" not in str(error):
            raise
        raise Mistake(
            f"{said} stops, since a Tensor is called like a function. by_columns and jvp take a function: "
            "grad(f), without (x) after it."
        ) from None
    except ValueError as error:
        if "broadcast" not in str(error):
            raise
        raise Mistake(
            f"{said} stops with ValueError: {str(error).strip()}. jvp takes one tangent, of the shape of x: "
            "walk once for each input."
        ) from None
    if isinstance(given, (list, tuple)):
        given = [getattr(part, "data", part) if not isinstance(part, np.ndarray) else part for part in given]
    found = array(given, f"{said} gave", f"A table of shape {right.shape} is asked for.")
    if found.shape != right.shape or not np.allclose(found, right, rtol=1e-11, atol=1e-9):
        near = found.shape == right.shape and np.allclose(found, right, atol=1e-2)
        close = f"That is close, and not exact: {apart(found, right)}. A walk needs no nudge." if near else ""
        raise Mistake(
            f"For f = {formula} at {listed(x)} right is {listed(right)}, and yours is {listed(found)}. "
            + (close or kind(found))
        )
    if not followed.calls:
        raise Mistake("The numbers are right, but f was never called: it has to work for every f.")
    return followed


def kind_of_jacobian(right, x, value):
    """A function that gives the message for a wrong Jacobian."""

    def kind(found):
        if found.ndim == 3:
            return "jvp returns two things. Take the second of them."
        for wrong, message in COLUMNS:
            table = wrong(right, x, value)
            if found.shape == table.shape and np.allclose(found, table):
                return message
        if found.ndim == 2 and len(found) == len(right) and found.shape != right.shape:
            return (
                f"Here x has {len(x)} numbers, and your table has {counted(found.shape[1], 'column')}: walk "
                "once for each row of np.eye(len(x))."
            )
        return "A column says how far all the results move with one input."

    return kind


@exercise(
    "17 columns",
    "One walk for each input: move that input by 1 and all the others by 0. The rows of np.eye(len(x)) are "
    "just these tangents.",
    "jvp(f, x, unit) returns two things. The second is a column.",
    "return np.stack([jvp(f, x, unit)[1] for unit in np.eye(len(x))], axis=1)",
)
def columns(function):
    """Judge two Jacobians, one of which is square, so that its transpose has the same shape."""
    for f, formula, x, value, right in TABLES:
        kind = kind_of_jacobian(right, x, value)
        followed = judge_table(function, "by_columns(f, x)", f, formula, x, right, kind)
        if not followed.forward:
            raise Mistake(
                "The tables are right, but no walk went forward. Make each column by a call of jvp."
            )
        if followed.forward > len(x):
            raise Mistake(
                f"The tables are right, but for {len(x)} inputs you walked {followed.forward} times. One "
                "walk for each input is enough."
            )
    return "A column for each input, and one walk for each column."


def cubic(x):
    """A function of three numbers with one result."""
    return x[0] * x[0] * x[1] + x[1] * x[2] * x[2] * x[2]


OF_GRAD = "f was never called. grad takes a function, so take the columns of grad(f)."
CUBIC_AT = np.array([1.0, 2.0, 3.0])
CUBIC_GRADIENT = np.array([4.0, 28.0, 54.0])
CUBIC_HESSIAN = np.array([[4.0, 2, 0], [2, 0, 27], [0, 27, 36]])


@exercise(
    "17 hessian",
    "The Hessian is the Jacobian of the gradient, and the gradient of f is a function: grad(f).",
    "return by_columns(grad(f), x)",
)
def hessian(function):
    """Judge a Hessian by its numbers, and by whether a walk went forward."""
    calls = []

    def watched(x):
        calls.append(x)
        return cubic(x)

    def kind(found):
        if found.shape == (3,) and np.allclose(found, CUBIC_GRADIENT):
            return "That is the gradient. How does it move with each input?"
        if not calls and not found.any():
            return f"All zeros. {OF_GRAD}"
        if found.shape == (3,):
            return "That is one column or a sum of them. There is one for each input."
        if found.shape == (3, 3) and np.allclose(found, np.diag(np.diag(CUBIC_HESSIAN))):
            return "Only the diagonal is in it. One input moves the slopes of the others, too."
        if not found.any():
            return (
                "All zeros: no tangent came through. gradients returns plain numbers, which carry no "
                "tangent. grad(f) returns a Tensor: take its Jacobian."
            )
        return "Take the Jacobian of grad(f)."

    said = "hessian_by_columns(f, x)"
    formula = "x0 * x0 * x1 + x1 * x2 ** 3"
    try:
        followed = judge_table(function, said, watched, formula, CUBIC_AT, CUBIC_HESSIAN, kind)
    except (ValueError, IndexError) as error:
        no_table = "f has one result, and its Jacobian is no table. Take that of its gradient, grad(f)."
        raise Mistake(
            f"Your code stopped with {type(error).__name__}: {error}. {no_table if calls else OF_GRAD}"
        ) from None
    if not followed.forward:
        raise Mistake("The table is right, but no walk went forward. Use your by_columns, on the gradient.")
    return "Each column is one walk forward through one walk back."


@exercise(
    "17 cheaper",
    "len(x) walks forward, or as many walks back as f has results: len(f(Tensor(x)).data).",
    "If there are fewer inputs than results, by_columns. Otherwise leaf = Tensor(x), z = f(leaf), and for "
    "each row unit of np.eye(len(z.data)) a walk gradients(z, unit)[leaf].",
    "np.stack([gradients(z, unit)[leaf] for unit in np.eye(len(z.data))]) are the rows.",
)
def cheaper(function):
    """Judge Jacobians with more rows and with more columns, and the number of walks that they took."""
    said = "jacobian(f, x)"
    for f, formula, x, value, right in TABLES:
        judge_table(function, said, f, formula, x, right, kind_of_jacobian(right, x, value))
    for inputs, results in ((2, 7), (7, 2)):
        matrix = np.arange(1.0, inputs * results + 1).reshape(inputs, results)
        with counted_walks(names_of(function, 17)) as (watched, walks):
            call(function, lambda x, w=watched, m=matrix: flat(w(x) * x, m), np.ones(inputs), said=said)
        if len(walks) == min(inputs, results) + 1:
            raise Mistake(
                f"The tables are right, but for {inputs} inputs and {results} results you walked "
                f"{len(walks)} times, one more than needed. "
                "To count the results takes no walk: f(Tensor(x)) has them."
            )
        if len(walks) > min(inputs, results):
            direction = "forward" if inputs < results else "back"
            raise Mistake(
                f"The tables are right, but for {inputs} inputs and {results} results you walked "
                f"{len(walks)} times. The walk {direction} needs {min(inputs, results)}."
            )
    return "Columns where there are fewer inputs, rows where there are fewer results."


def flat(x, matrix):
    """A vector times a matrix, as a vector."""
    return (x.reshape((1, len(matrix))) @ matrix).reshape((matrix.shape[1],))
