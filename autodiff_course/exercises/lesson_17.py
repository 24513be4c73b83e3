"""The exercises of lesson 17: numbers of walks, and the Jacobian by whichever direction is cheaper."""

import numpy as np

import autodiff as ad

from ..checking import Mistake, NotYet, number
from .calling import call, counted, names_of
from .counting import Called, counted_walks, gives
from .shared import apart, array, listed
from .table import PRINTS, Right, Stop, Table, Wrong, advice

# -- how many walks -----------------------------------------------------------------------------------------

SIZES = '{"scores": (64, 10), "loss": (640, 1), "path": (1, 200)}'


def pairs(pair):
    """A prediction with this pair for each, of n inputs and m results."""
    return f"{{name: {pair} for name, (n, m) in {SIZES}.items()}}"


WALKS = Table(
    "17 walks",
    right=SIZES,
    answers=(
        Right("lists", pairs("[n, m]")),
        Wrong("the other way round", pairs("(m, n)"), "You have the two the other way round: forward there is one for each input."),
        Wrong("one each", pairs("(1, 1)"), "One walk gives one column or one row, and not the whole table."),
        Wrong("one more, as a nudge needs", pairs("(n + 1, m)"), "A nudge needs one more, to compare with. A walk does not."),
        Wrong("forward like back", pairs("(m, m)"), "A walk forward starts at an input, and it reaches all results at once."),
        Wrong("back like forward", pairs("(n, n)"), "A walk back starts at a result, and it reaches all the inputs at once."),
        Wrong("one for each slope forward, and one back", pairs("(n * m, 1)"), "One walk forward moves all results at once: a whole column."),
        Wrong("one for each slope back", pairs("(n, n * m)"), "One walk back reaches all inputs at once: a whole row."),
        Wrong("one for each slope forward", pairs("(n * m, m)"), "One walk forward moves all results at once: a whole column."),
        Wrong("one forward for all columns", pairs("(1, m)"), "One walk forward gives one column, and there is a column for each input."),
        Wrong("one back for all rows", pairs("(n, 1)"), "One walk back gives one row, and there is a row for each result."),
        Wrong("one for each slope", pairs("(n * m, n * m)"), "That is one walk for each slope. One walk gives many slopes."),
        Wrong("others", ("64", "3"), holds="64 inputs and 10 results"),
        Wrong("others for the loss", ("640", "3"), holds="640 inputs and 1 result:"),
        Wrong("no pair", ("(64, 10)", "64"), holds="a pair is asked for"),
        Wrong("one of three", "{'scores': (64, 10)}", holds="A dict with a pair"),
        Wrong("a number", "64", holds="A dict with a pair"),
    ),
    otherwise="It has {sizes}: columns and rows.",
    hints=(
        "A walk forward starts at one input. A walk back starts at one result.",
        "There are as many walks forward as there are inputs, and as many back as there are results.",
        'my_walks = {"scores": (64, 10), "loss": (640, 1), "path": (1, 200)}',
    ),
)


@WALKS.judged
def count_walks(guess):
    """Judge the predicted pairs of walks, forward and back."""
    rights = WALKS.answer()
    if not isinstance(guess, dict) or set(guess) != set(rights):
        raise Mistake(f"A dict with a pair for each of {', '.join(rights)} is asked for.")
    for name, right in rights.items():
        pair = guess[name]
        if pair is None or (isinstance(pair, (tuple, list)) and None in pair):
            raise NotYet(f"for {name} there is a None.")
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise Mistake(f"For {name} a pair is asked for: walks forward, walks back.")
        found = tuple(number(part) for part in pair)
        if found != right:
            sizes = f"{counted(right[0], 'input')} and {counted(right[1], 'result')}"
            why = WALKS.why(lambda wrong: wrong[name] == found, sizes=sizes)  # noqa: B023  at once
            raise Mistake(f"For {name} it is not ({', '.join(f'{part:g}' for part in found)}). {why}")
    return "One walk forward for each input, or one walk back for each result. Take whichever are fewer."


# -- Jacobians ----------------------------------------------------------------------------------------------


def two_of_three(x):
    """Two results from three inputs: x0 x1 and x1 x2 x2."""
    return x[0] * x[1] * np.array([1.0, 0.0]) + x[1] * x[2] * x[2] * np.array([0.0, 1.0])


def two_of_two(x):
    """Two results from two inputs, so that a transposed Jacobian has the right shape."""
    return x[0] * x[1] * np.array([1.0, 0.0]) + x[1] * x[1] * x[1] * np.array([0.0, 1.0])


TABLES = (
    (two_of_three, "[x0 * x1, x1 * x2 * x2]", np.array([2.0, 3.0, 5.0])),
    (two_of_two, "[x0 * x1, x1 ** 3]", np.array([5.0, 2.0])),
)
BY_COLUMNS = "np.stack([jvp(f, x, unit)[1] for unit in np.eye(len(x))], axis=1)"
BY_ROWS = "np.stack([gradients(z, unit)[leaf] for unit in np.eye(len(z.data))])"
OWN = "your own machine"
LYING, ONES, BY = (", axis=1", ""), ("unit)", "0 * unit + 1)"), ("unit)", "x * unit)")
"""Changes: columns laid down as rows, all inputs moved each time, and each moved by x."""
AT_ONCE = "All inputs moved at once, which adds up the columns. Move one at a time."
BY_VALUE = "Each column is multiplied by its input. Move by 1, and not by x."
OF_VALUES = "Those are values. jvp returns two things, and the second says how far f moves."
IN_ONE_ROW = "All numbers are in one row. Make a table of them."

COLUMNS = Table(
    "17 columns",
    head="by_columns(f, x)",
    right=BY_COLUMNS,
    answers=(
        Right("as a list of rows", f"{BY_COLUMNS}.tolist()"),
        Wrong("on its side", LYING, "That is the transpose: the columns became rows. np.stack has an argument axis."),
        Wrong("on its side if it is square", ("axis=1", "axis=1 if len(x) == 3 else 0"), holds="transpose"),
        Wrong("all at once", "jvp(f, x, np.ones(len(x)))[1]", AT_ONCE),
        Wrong("all at once, each time", ONES, AT_ONCE),
        Wrong("all at once, in rows", (ONES, LYING), AT_ONCE),
        Wrong("by x", BY, BY_VALUE),
        Wrong("by x, in rows", (BY, LYING), BY_VALUE),
        Wrong("the first only", "jvp(f, x, np.eye(len(x))[0])[1]", "That is the first column alone. There is one for each input."),
        Wrong("backwards", ("(x))]", "(x))[::-1]]"), "The columns are in the wrong order."),
        Wrong("values", ("[1]", "[0]"), OF_VALUES),
        Wrong("values, in rows", (("[1]", "[0]"), LYING), OF_VALUES),
        Wrong("in one row", f"{BY_COLUMNS}.ravel()", IN_ONE_ROW),
        Wrong("columns in one row", (("stack", "concatenate"), LYING), IN_ONE_ROW),
        Wrong("twice", f"2 * {BY_COLUMNS}"),
        Wrong("both of the pair", "[jvp(f, x, unit) for unit in np.eye(len(x))]", holds="Take the second of them"),
        Wrong("three walks for every x", ("len(x)", "3"), holds="x has 2 numbers, and your table has 3 columns"),
        Wrong("all tangents in one table", "jvp(f, x, np.eye(len(x)))[1]", holds="one tangent"),
        Wrong("by the package's jacobian", "ad.jacobian(f)(x)", holds=OWN),
        Wrong("by the package's jvp", ("jvp(f, x, unit)[1]", "ad.jvp(f, (x,), (unit,))[1].data"), holds=OWN),
        Wrong("by walks back", f"leaf = Tensor(x)\nz = f(leaf)\nreturn {BY_ROWS}", holds="no walk went forward"),
        Wrong("nudges", ("jvp(f, x, unit)[1]", "(f(x + 1e-5 * unit) - f(x - 1e-5 * unit)) / 2e-5"), holds="no walk went forward"),
        Wrong("nudges beside the walks", ("[1]", "[1] * 0 + (f(x + 0.01 * unit) - f(x - 0.01 * unit)) / 0.02"), holds="12.0001 in place of 12"),
        Wrong("constants from a message", "np.array([[3.0, 2, 0], [0, 25, 30]]) if len(x) == 3 else np.array([[2.0, 5], [0, 12]])", holds="f was never called"),
        Wrong("twice each", ("jvp(f, x, unit)[1]", "(jvp(f, x, unit)[1] + jvp(f, x, unit)[1]) / 2"), holds="One walk for each input is enough"),
        Wrong("a function", "lambda f, x: lambda x: jvp(f, x, x)[1]", holds="gave a function. A table"),
        Wrong("one argument too few", "lambda f: f", holds="Its first line should be"),
        Wrong("prints", "print(x)", holds=PRINTS),
        Wrong("never ends", "while True:\n    pass\nreturn x", holds="Does a loop never end?"),
        Wrong("a number", "answer = 5", holds="A function is asked for"),
    ),
    otherwise="A column says how far all the results move with one input.",
    hints=(
        "One walk for each input: move that input by 1 and all the others by 0. The rows of np.eye(len(x)) are just these tangents.",
        "jvp(f, x, unit) returns two things. The second is a column.",
        "return np.stack([jvp(f, x, unit)[1] for unit in np.eye(len(x))], axis=1)",
    ),
)
STOPS = (
    Stop(AttributeError, "{said} stops, since f is a function, and gradients walks back from a Tensor. The gradient as a function is grad(f).", "'Followed'"),
    Stop(TypeError, "{said} stops, since a Tensor is called like a function. by_columns and jvp take a function: grad(f), without (x) after it.", "'Tensor' object is not callable"),
    Stop(ValueError, "{said} stops with ValueError: {error}. jvp takes one tangent, of the shape of x: walk once for each input.", "broadcast"),
)  # fmt: skip


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
    with advice(*STOPS, said=said):
        given = call(function, followed, x.copy(), said=said, header=f"def {said}:")
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


def judge_tables(table, function):
    """Judge two Jacobians, one of which is square, so that its transpose has the same shape. Yields the
    functions that were handed over, with their counts, and how many inputs they have."""
    for f, formula, x in TABLES:
        right = ad.jacobian(f)(x).data

        def kind(found, f=f, x=x, right=right):
            if found.ndim == 3:
                return "jvp returns two things. Take the second of them."
            otherwise = None
            if found.ndim == 2 and len(found) == len(right) and found.shape != right.shape:
                otherwise = (
                    f"Here x has {len(x)} numbers, and your table has {counted(found.shape[1], 'column')}: walk "
                    "once for each row of np.eye(len(x))."
                )
            fits = gives(found, f, x)
            why = COLUMNS.why(fits, function, otherwise)
            return why if table is COLUMNS else table.why(fits, function, why)

        yield judge_table(function, table.head, f, formula, x, right, kind), len(x)


@COLUMNS.judged
def columns(function):
    """Judge two Jacobians, and that each took as many walks forward as it has columns."""
    for followed, inputs in judge_tables(COLUMNS, function):
        if not followed.forward:
            raise Mistake(
                "The tables are right, but no walk went forward. Make each column by a call of jvp."
            )
        if followed.forward > inputs:
            raise Mistake(
                f"The tables are right, but for {inputs} inputs you walked {followed.forward} times. One "
                "walk for each input is enough."
            )
    return "A column for each input, and one walk for each column."


# -- the Hessian --------------------------------------------------------------------------------------------


def cubic(x):
    """A function of three numbers with one result."""
    return x[0] * x[0] * x[1] + x[1] * x[2] * x[2] * x[2]


OF_GRAD = "f was never called. grad takes a function, so take the columns of grad(f)."

HESSIAN = Table(
    "17 hessian",
    head="hessian_by_columns(f, x)",
    right=BY_COLUMNS.replace("(f,", "(grad(f),"),
    answers=(
        Right("rows, since it is symmetric", LYING),
        Wrong("the gradient", "grad(f)(x)", "That is the gradient. How does it move with each input?"),
        Wrong("along ones", "jvp(grad(f), x, np.ones(len(x)))[1]", "That is one column or a sum of them. There is one for each input."),
        Wrong("the diagonal", (("np.stack", "np.diag(np.diag(np.stack"), ("axis=1)", "axis=1)))")), "Only the diagonal is in it. One input moves the slopes of the others, too."),
        Wrong("columns of a walk that starts from a number", ("grad(f)", "lambda p: gradients(f(p))[p]"), "All zeros: no tangent came through. gradients returns plain numbers, which carry no tangent. grad(f) returns a Tensor: take its Jacobian."),
        Wrong("twice", ("np.stack", "2 * np.stack")),
        Wrong("by walks back", f"leaf = Tensor(x)\nz = grad(f)(leaf)\nreturn {BY_ROWS}", holds="no walk went forward"),
        Wrong("grad without f", ("grad(f)", "grad"), holds="grad takes a function"),
        Wrong("grad without f, in rows", (("grad(f)", "grad"), LYING), holds="All zeros. f was never called"),
        Wrong("gradients in place of grad", ("grad(f)", "gradients(f)"), holds="The gradient as a function is grad(f)"),
        Wrong("the gradient in place of the function", ("grad(f)", "grad(f)(x)"), holds="grad(f), without (x)"),
        Wrong("of f itself", ("grad(f)", "f"), holds="its Jacobian is no table"),
        Wrong("by the package", "ad.hessian(f)(x).data", holds=OWN),
        Wrong("a table", "answer = [[1, 2], [3, 4]]", holds="A function is asked for"),
    ),
    otherwise="Take the Jacobian of grad(f).",
    hints=("The Hessian is the Jacobian of the gradient, and the gradient of f is a function: grad(f).", "return by_columns(grad(f), x)"),
)


@HESSIAN.judged
def hessian(function):
    """Judge a Hessian by its numbers, and by whether a walk went forward."""
    calls = []
    x = np.array([1.0, 2.0, 3.0])

    def watched(x):
        calls.append(x)
        return cubic(x)

    def kind(found):
        if not calls and not found.any():
            return f"All zeros. {OF_GRAD}"
        return HESSIAN.why(gives(found, cubic, x), function)

    formula, right = "x0 * x0 * x1 + x1 * x2 ** 3", ad.hessian(cubic)(x).data
    try:
        followed = judge_table(function, HESSIAN.head, watched, formula, x, right, kind)
    except (ValueError, IndexError) as error:
        no_table = "f has one result, and its Jacobian is no table. Take that of its gradient, grad(f)."
        raise Mistake(
            f"Your code stopped with {type(error).__name__}: {error}. {no_table if calls else OF_GRAD}"
        ) from None
    if not followed.forward:
        raise Mistake("The table is right, but no walk went forward. Use your by_columns, on the gradient.")
    return "Each column is one walk forward through one walk back."


# -- whichever is cheaper -----------------------------------------------------------------------------------

CHEAPER = Table(
    "17 cheaper",
    head="jacobian(f, x)",
    right=f"""
        leaf = Tensor(x)
        z = f(leaf)
        if len(x) < len(z.data):
            return {BY_COLUMNS}
        return {BY_ROWS}""",
    answers=(
        Right("columns if equal", ("<", "<=")),
        Right("by the function's value", ("len(z.data):", "len(value(f(x))):")),
        Wrong("rows by backward, which add up", ("gradients(z, unit)[leaf]", "(backward(z, unit), leaf.grad)[1]"), "Each row contains the rows before it: backward adds to .grad. Use gradients."),
        Wrong("rows on their side", ("(z.data))]", "(z.data))], axis=1"), holds="transpose"),
        Wrong("always columns", BY_COLUMNS, holds="The walk back needs 2"),
        Wrong("always rows", ("len(x) < len(z.data)", "False"), holds="The walk forward needs 2"),
        Wrong("the other way round", ("<", ">"), holds="you walked 7 times"),
        Wrong("both", (f"return {BY_ROWS}", f"{BY_COLUMNS}\n    return {BY_ROWS}"), holds="you walked 9 times"),
        Wrong("a walk that counts the results", ("len(z.data):", "len(jvp(f, x, 0 * x)[0]):"), holds="one more than needed"),
        Wrong("by the package", "ad.jacobian(f)(x).data", holds=OWN),
        Wrong("a number", "answer = 2", holds="A function is asked for"),
    ),
    hints=(
        "len(x) walks forward, or as many walks back as f has results: len(f(Tensor(x)).data).",
        "If there are fewer inputs than results, by_columns. Otherwise leaf = Tensor(x), z = f(leaf), and for each row unit of np.eye(len(z.data)) a walk gradients(z, unit)[leaf].",
        "np.stack([gradients(z, unit)[leaf] for unit in np.eye(len(z.data))]) are the rows.",
    ),
)  # fmt: skip


@CHEAPER.judged
def cheaper(function):
    """Judge Jacobians with more rows and with more columns, and the number of walks that they took."""
    list(judge_tables(CHEAPER, function))
    for inputs, results in ((2, 7), (7, 2)):
        matrix = np.arange(1.0, inputs * results + 1).reshape(inputs, results)
        with counted_walks(names_of(function, 17)) as (watched, walks):
            call(function, lambda x, w=watched, m=matrix: flat(w(x) * x, m), np.ones(inputs), said=CHEAPER.head)
        right = f"The tables are right, but for {inputs} inputs and {results} results you walked {len(walks)} times"
        if len(walks) == min(inputs, results) + 1:
            raise Mistake(
                f"{right}, one more than needed. To count the results takes no walk: f(Tensor(x)) has them."
            )
        if len(walks) > min(inputs, results):
            direction = "forward" if inputs < results else "back"
            raise Mistake(f"{right}. The walk {direction} needs {min(inputs, results)}.")
    return "Columns where there are fewer inputs, rows where there are fewer results."


def flat(x, matrix):
    """A vector times a matrix, as a vector."""
    return (x.reshape((1, len(matrix))) @ matrix).reshape((matrix.shape[1],))
