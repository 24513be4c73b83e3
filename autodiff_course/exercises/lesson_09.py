"""The exercises of lesson 09: what a start brings back, three starts to find, and the Jacobian row by row."""

import contextlib

import numpy as np

import autodiff as ad
from autodiff.engine.backward import gradients

from ..checking import Mistake, NotYet, advice_on_error, number
from .calling import call
from .shared import course, listed, same
from .table import PRINTS, Right, Stop, Table, Wrong, advice, outcome
from .watching import Watched


def numbers(answer, asked):
    """A reader's row of numbers, a list, an array or a Tensor, as an array."""
    values = answer if isinstance(answer, np.ndarray) else getattr(answer, "data", answer)
    if isinstance(values, str) or not np.iterable(values):
        raise Mistake(f"{asked}, and this is {answer!r:.60}.")
    return np.array([number(value) for value in values])


def is_row(part):
    """Whether a part of a reader's list is itself a row of numbers."""
    return isinstance(part, (list, tuple)) or getattr(part, "ndim", 0) > 0


# -- in class: what a start brings back ----------------------------------------------------------------------

# The slopes of (a + 2)(3a + 4) at 1, -1, -2 are 16, 4 and -2; the values there are 21, 1 and 0.
PREDICT = Table(
    "09 predict",
    right="[16, 0, -20]",
    answers=(
        Right("a tuple", "(16, 0, -20)"),
        Right("an array", "np.array([16.0, 0.0, -20.0])"),
        Right("what the package gives", "ad.Tensor([16, 0, -20])"),
        Wrong("the slopes", "[16, 4, -2]", "These are the slopes. The start says how much each result counts: 1, 0 and 10 times."),
        Wrong("the start as a switch", "[16, 0, -2]", "The last number of e does not count once, it counts ten times."),
        Wrong("the values of e", "[21, 0, 0]", "You have weighted the values of e. A gradient is made of slopes."),
        Wrong("the old starting points", "[22, 0, -140]", "These are the slopes at 2, 0 and -4. The places are different now: 1, -1 and -2."),
        Wrong("the start itself", "[1, 0, 10]", "That is the start itself. On its way to a it is multiplied by the slopes."),
        Wrong("the sign", "[16, 0, 20]", "The last sign is wrong: at -2 the curve falls."),
        Wrong("something else", "[1, 2, 3]"),
        Wrong("one number", "16", holds="the shape of its node"),
        Wrong("two numbers", "[16, 0]", holds="the shape of its node"),
        Wrong("rows", "[[16], [0], [-20]]", holds="in one list"),
        Wrong("text", "'16, 0, -20'", holds="Three numbers are asked for"),
    ),
    otherwise="Find the slope at each of the three places, and multiply each by the matching number of the start.",
    hints=(
        "Take the three places one at a time. For a single number, the slope of (a + 2)(3a + 4) is 6a + 10.",
        "The slopes at 1, -1 and -2 are 16, 4 and -2. The walk starts from [1, 0, 10] in place of ones.",
        "Multiply each slope by the matching number of the start: 16 by 1, 4 by 0, -2 by 10.",
    ),
)


@PREDICT.judged
def predict(guess):
    """Judge the three numbers by the misconception that leads to them."""
    asked = "Three numbers are asked for here: a gradient has the shape of its node"
    if is_row(guess) and any(is_row(part) for part in guess):
        raise Mistake(f"Three numbers in one list are asked for, and this is {guess!r:.60}.")
    found = numbers(guess, asked)
    if len(found) != 3:
        raise Mistake(f"{asked}, and this is {guess!r:.60}.")
    if not same(found, PREDICT.answer()):
        why = PREDICT.why(lambda wrong: np.shape(wrong) == (3,) and same(found, wrong))
        raise Mistake(f"You gave {listed(found)}. {why}")
    return "Each slope is multiplied by how much its result counts."


# -- at home: three starts ----------------------------------------------------------------------------------

MEAN, BETWEEN, SQUARES = "[1 / 3] * 3", "[1, 0, -1]", "[20, 12, 30]"
ENDS = "That is the gradient of the lengths, where the walk ends. The start is the gradient of the faces, where the walk begins; backward turns the one into the other."
THIRD = "That is one third, rounded. Write 1 / 3."

STARTS = Table(
    "09 starts",
    right=f'{{"mean": {MEAN}, "face 0 minus face 2": {BETWEEN}, "sum of squares": {SQUARES}}}',
    answers=(
        Right("arrays", ((MEAN, "np.ones(3) / 3"), (BETWEEN, "np.array([1, 0, -1])"), (SQUARES, "2 * np.array([10, 6, 15])"))),
        Wrong("the sum for the mean", (MEAN, "[1, 1, 1]"), "Ones are for the sum. In a mean, each face counts less."),
        Wrong("three times the sum", (MEAN, "[3, 3, 3]"), "That is three times the sum. The mean is the sum divided by 3."),
        Wrong("the faces", (MEAN, "[10, 6, 15]"), "These are the faces. How much does each of them count in the mean?"),
        Wrong("added", (BETWEEN, "[1, 0, 1]"), "That adds the two. What is subtracted counts with a minus sign."),
        Wrong("the other way round", (BETWEEN, "[-1, 0, 1]"), "That is face 2 minus face 0."),
        Wrong("the faces with a sign", (BETWEEN, "[10, 0, -15]"), "These are the faces. In their difference, each counts once: 1 or -1."),
        Wrong("counted from 1", (BETWEEN, "[1, -1, 0]"), "That is face 0 minus face 1."),
        Wrong("x for 2x", (SQUARES, "[10, 6, 15]"), "These are the faces. The slope of a square at x is 2x."),
        Wrong("the squares", (SQUARES, "[100, 36, 225]"), "These are the squares themselves. A gradient is made of slopes."),
        Wrong("the slope at 1", (SQUARES, "[2, 2, 2]"), "2 is the slope of x squared at 1. At 10, 6 and 15 the slope is larger."),
        Wrong("the sum for the sum of squares", (SQUARES, "[1, 1, 1]"), "Ones are for the sum of the faces, without the squares."),
        Wrong("the lengths' gradient of the mean", (MEAN, "np.array([8, 7, 5]) / 3"), ENDS),
        Wrong("the lengths' gradient of the difference", (BETWEEN, "[5, -5, -1]"), ENDS),
        Wrong("the lengths' gradient of the squares", (SQUARES, "[136, 174, 130]"), ENDS),
        Wrong("a third, rounded", (MEAN, "[0.33, 0.33, 0.33]"), holds=THIRD),
        Wrong("something else", (SQUARES, "[1, 2, 3]")),
        Wrong("two numbers", (MEAN, "[1, 2]"), holds="one for each face"),
        Wrong("one number", (MEAN, "1 / 3"), holds="one for each face"),
        Wrong("no dict", "[1 / 3, 1 / 3, 1 / 3]", holds="in a dict"),
    ),
    otherwise='How far does "{name}" move when one face moves by 0.001?',
    hints=(
        "The start says how much each face counts. Move one face by 0.001: how many times as far does the mean move, or the difference, or the sum of the squares?",
        "In the mean of three, each counts one third. In a difference, one counts 1 and the other -1.",
        "The slope of x squared at x is 2x, so the last start is 2 times the faces.",
    ),
)


@STARTS.judged
def starts(given):
    """Judge a dict of starts, each by the gradient that it gives."""
    if not isinstance(given, dict):
        raise Mistake(f"The starts belong in a dict, each under its name, and this is {given!r:.60}.")
    wanted = STARTS.answer()
    missing = [name for name in wanted if given.get(name) is None]
    if missing:
        raise NotYet(f"there is no start for {', '.join(missing)}.")
    for name, right in wanted.items():
        asked = f'A start for "{name}" is three numbers, one for each face'
        found = numbers(given[name], asked)
        if len(found) != 3:
            raise Mistake(f"{asked}, and this is {given[name]!r:.60}.")
        if same(found, right):
            continue
        otherwise = THIRD if name == "mean" and np.allclose(found, right, atol=0.01) else None
        raise Mistake(
            f'Your start for "{name}" gives the lengths the gradient {listed(gradient_of_lengths(found))}, '
            f"and it should be {listed(gradient_of_lengths(right))}. "
            + STARTS.why(lambda wrong: same(found, wrong[name]), otherwise=otherwise, name=name)  # noqa: B023  at once
        )
    return "The start is the gradient of the faces, in whatever is computed from them."


def gradient_of_lengths(start):
    """The gradient of the lengths for a start."""
    x = ad.Tensor(LENGTHS)
    return gradients(x * ad.roll(x, shift=1), [x], start)[0].data


# -- at home: the Jacobian ----------------------------------------------------------------------------------

LENGTHS = (2.0, 3.0, 5.0)


@contextlib.contextmanager
def watched():
    """The functions that the judges hand over, with their Jacobians."""
    functions = [
        (Watched("the areas at [2, 3, 5]", LENGTHS, np.roll(np.eye(3), 1, axis=0), lambda x, y: x * y),
         ((5, 0, 2), (3, 2, 0), (0, 5, 3))),
        (Watched("(a + 2) * (3 * a + 4) at [2, 0]", (2.0, 0.0), np.eye(2), lambda x, y: course(y)),
         ((22, 0), (0, 10))),
        (Watched("four results of two numbers, at [2, 3]", (2.0, 3.0), ((1, 0), (0, 1), (1, 1), (0, 2)),
                 lambda x, y: y * y), ((4, 0), (0, 6), (10, 10), (0, 24))),
        (Watched("two results of three numbers, at [1, 2, 4]", (1.0, 2.0, 4.0), ((1, 2, 0), (0, 1, 3)),
                 lambda x, y: y + y), ((2, 4, 0), (0, 2, 6))),
    ]  # fmt: skip
    try:
        yield [(f, np.array(right, dtype=float)) for f, right in functions]
    finally:
        for f, _ in functions:
            f.take_back()


STOPPED = "{said}: your code stopped with {name}: {error}."
STOPS = (
    Stop(TypeError, f"{STOPPED} Your machine cannot pick a number from a Tensor yet (lesson 12). Start the walk from an array with a single 1 instead.", "'Tensor' object is not subscriptable"),
    *(
        Stop(TypeError, f"{STOPPED} {advice_on_error(words)}", words)
        for words in ("object of type 'Tensor' has no len()", "operand 'Tensor' does not support ufuncs")
    ),
    Stop(TypeError, STOPPED),
)  # fmt: skip
ROW_STOPS = (
    *STOPS,
    Stop((ValueError, IndexError), f"{STOPPED} The start has as many numbers as the result; the row has as many as the point."),
)
JACOBIAN_STOPS = (
    *STOPS,
    Stop((ValueError, IndexError), f"{STOPPED} There are {{case}} results here: that many rows, and that many numbers in each start."),
)


def asked(function, f, stops, *more):
    """What the reader's function returns for f at its point, and what to call this."""
    name = "one_row" if more else "jacobian"
    said = f"{name} for {f.said}" + (f" and i = {more[0]}" if more else "")
    point = f.point.copy()
    with advice(*stops, said=said, case=len(f.matrix)):
        given = call(function, f, point, *more, said=said, header=f"def {name}(f, point{', i' * len(more)}):")
    if not np.array_equal(point, f.point):
        raise Mistake(f"{said}: your code has changed the array point, which belongs to the caller.")
    return given, said


ONE_ROW = """
def one_row(f, point, i):
    x = Tensor(point)
    e = f(x)
    start = np.zeros(e.shape)
    start[i] = 1
    backward(e, start)
    return x.grad
"""

ROW = Table(
    "09 row",
    right=ONE_ROW,
    answers=(
        Right("by np.eye", (("e = f(x)", "backward(f(x), np.eye(*f(x).shape)[i])"), ("    start = np.zeros(e.shape)\n    start[i] = 1\n    backward(e, start)\n", ""))),
        Right("with the package's Tensor", (("Tensor", "ad.Tensor"), ("backward(e, start)", "e.backward(start.tolist())"))),
        Right("a list", ("return x.grad", "return list(x.grad)")),
        Wrong("the sum of all rows", ("backward(e, start)", "backward(e)"), "That is the sum of all rows, which the start of ones gives."),
        Wrong("a column", ONE_ROW + "def column(f, point, i):\n    return np.array([one_row(f, point, k) for k in range(len(point))])[:, i]", "That is a column. The start, with its single 1, belongs to the results."),
        Wrong("always row 0", ("start[i]", "start[0]"), "That is a different row. The 1 belongs at place i."),
        Wrong("counted from 1", ("start[i]", "start[i - 1]"), "That is a different row. The 1 belongs at place i."),
        Wrong("i in place of 1", (("np.zeros(e.shape)", "np.full(e.shape, i)"), ("    start[i] = 1\n", "")), "This starts from i for every result. Start from 1 at place i, and 0 elsewhere."),
        Wrong("2 at place i", ("= 1", "= 2")),
        Wrong("a start as long as the point", ("np.zeros(e.shape)", "np.zeros(len(point))"), holds="as many numbers as the result"),
        Wrong("len of a Tensor", ("np.zeros(e.shape)", "np.zeros(len(e))"), holds="len(x.data)"),
        Wrong("a list as start", ("np.zeros(e.shape)", "[0] * e.shape[0]"), holds="+ joins lists"),
        Wrong("one result picked", ("backward(e, start)", "backward(e[i])"), holds="cannot pick a number from a Tensor yet"),
        Wrong("one number of the row", ("return x.grad", "return x.grad[i]"), holds="a row of numbers"),
        Wrong("rows", ("return x.grad", "return [x.grad]"), holds="is one row of numbers"),
        Wrong("a function of NumPy", ("backward(e, start)", "backward(np.sum(np.exp(e)))"), holds="does not take a Tensor"),
        Wrong("printed", ("return x.grad", "print(x.grad)"), holds=PRINTS),
        Wrong("an argument too few", (("(f, point, i)", "(f, point)"), ("[i]", "[0]")), holds="your function takes 2"),
        Wrong("point without a Tensor", ("x = Tensor(point)", "x = point"), holds="Put point into a Tensor"),
        Wrong("one Tensor for each number", ("f(x)", "f(*map(Tensor, point))"), holds="f takes one Tensor"),
        Wrong("one number of the point", ("Tensor(point)", "Tensor(point[i])"), holds="f takes the whole row of 3 numbers"),
        Wrong("point is moved", ("return x.grad", "point += 1\n    return x.grad"), holds="changed the array point"),
        Wrong("without end", ("    return x.grad", "    while True: pass"), holds="Does a loop never end"),
        Wrong("a nudge of each number", ("return x.grad", "return [(f(Tensor(point + nudge)).data[i] - e.data[i]) / 1e-6 for nudge in 1e-6 * np.eye(len(point))]"), holds="That is a nudge"),
        Wrong("the package's Jacobian", "one_row = lambda f, point, i: ad.jacobian(f)(point)[i]", holds="yourself"),
    ),
    otherwise="Start from 1 at place i and 0 elsewhere, and make a new Tensor each time, since gradients add up over walks.",
    hints=(
        "Compute e = f(x) for a new Tensor x with the point. Then walk back from e, starting from an array with a single 1.",
        "np.zeros(e.shape) has the shape of the result. Put the 1 at place i.",
        "x = Tensor(point); e = f(x); start = np.zeros(e.shape); start[i] = 1; backward(e, start); return x.grad",
    ),
)  # fmt: skip


@ROW.judged
def row(function):
    """Judge one_row(f, point, i) on functions whose rows all differ."""
    with watched() as functions:
        for f, right in functions:
            for i, wanted in enumerate(right):
                given, said = asked(function, f, ROW_STOPS, i)
                if is_row(given) and any(is_row(part) for part in given):
                    raise Mistake(f"{said} is one row of numbers, and you give {given!r:.60}.")
                found = numbers(given, f"{said} is a row of numbers")
                if not same(found, wanted):
                    why = ROW.why(lambda wrong: same(found, outcome(wrong, f, f.point.copy(), i)), function)  # noqa: B023  at once
                    raise Mistake(f"{said} is {listed(wanted)}, and you give {listed(found)}. {why}")
    return "A start with a single 1 picks one row of the Jacobian."


ROWS = "[one_row(f, point, i) for i in range(f(Tensor(point)).shape[0])]"
NUMBER = "f(Tensor(point)).shape[0]"
ONE_TENSOR = """
def jacobian(f, point):
    x = Tensor(point)
    e = f(x)
    rows = []
    for start in np.eye(len(e.data)):
        x.grad = None
        backward(e, start)
        rows.append(x.grad)
    return rows"""

JACOBIAN = Table(
    "09 jacobian",
    right=f"{ONE_ROW}\ndef jacobian(f, point):\n    return {ROWS}",
    answers=(
        Right("as an array", (ROWS, f"np.array({ROWS})")),
        Right("tuples", (ROWS, f"tuple({ROWS})")),
        Right("one Tensor, cleared", ONE_TENSOR),
        Wrong("columns", (ROWS, f"np.transpose({ROWS})"), "Rows and columns are swapped. A walk back gives a row, a nudge gives a column."),
        Wrong("one Tensor, not cleared", ONE_TENSOR.replace("        x.grad = None\n", ""), "Each row still contains the earlier ones: gradients add up. Make a new Tensor for each walk."),
        Wrong("the start of ones", ("backward(e, start)", "backward(e)"), "Each row is the sum of all rows, which the start of ones gives."),
        Wrong("i in place of 1", (("np.zeros(e.shape)", "np.full(e.shape, i)"), ("    start[i] = 1\n", "")), "The start has to be 1 at one place and 0 elsewhere."),
        Wrong("from the last", (ROWS, f"{ROWS}[::-1]"), "The rows are not in the order of the results."),
        Wrong("the start times the gradient", ("return x.grad", "return start * x.grad"), "Only the diagonal is there. Each result may depend on every number."),
        Wrong("the first row again and again", ("[one_row(f, point, i)", "[one_row(f, point, 0)"), "Each row is the first one. Move the 1 of the start from row to row."),
        Wrong("half", (ROWS, f"np.array({ROWS}) / 2")),
        Wrong("as many rows as numbers", (NUMBER, "len(point)"), holds="one row for each result"),
        Wrong("always three rows", (NUMBER, "3"), holds="There are 2 results here"),
        Wrong("len of a Tensor", (NUMBER, "len(f(Tensor(point)))"), holds="len(x.data)"),
        Wrong("one row", (ROWS, "one_row(f, point, 0)"), holds="That is one row"),
        Wrong("a number", (ROWS, "3"), holds="a list of rows is asked for"),
        Wrong("numbers in a row", (ROWS, f"[list(one_row(f, point, 0))] + {ROWS}[1:-1] + [[3.0]]"), holds="the rows differ in length"),
        Wrong("no rows", (ROWS, "[]"), holds="you give no rows"),
        Wrong("printed", (f"return {ROWS}", f"print({ROWS})"), holds=PRINTS),
        Wrong("the package's", "jacobian = lambda f, point: ad.jacobian(f)(point)", holds="yourself"),
        Wrong("nudges", (ROWS, "np.transpose([(f(Tensor(point + nudge)).data - f(Tensor(point)).data) / 1e-6 for nudge in 1e-6 * np.eye(len(point))])"), holds="That is a nudge"),
    ),
    otherwise="Compare one row with the walk from a start with a single 1.",
    hints=(
        "You have a function for one row. How many rows are there? As many as the result has numbers.",
        "f(Tensor(point)).shape is (m,) for m results: m rows, from 0 to m - 1.",
        "return [one_row(f, point, i) for i in range(f(Tensor(point)).shape[0])]",
    ),
)


@JACOBIAN.judged
def jacobian(function):
    """Judge jacobian(f, point) on functions for which each mistake gives a different table."""
    with watched() as functions:
        for f, right in functions:
            given, said = asked(function, f, JACOBIAN_STOPS)
            found = as_table(given, f.said)
            if found.shape != right.shape:
                raise Mistake(
                    f"{said} has {shaped(right)}, and you give {shaped(found)}: one row for each result, "
                    "with one number for each number of the point."
                )
            if not same(found, right):
                why = JACOBIAN.why(lambda wrong: same(found, outcome(wrong, f, f.point.copy())), function)  # noqa: B023  at once
                raise Mistake(f"{said} is {listed(right)}, and you give {listed(found)}. {why}")
    return "It takes as many walks as there are results, and each gives a row."


def as_table(given, said):
    """A reader's rows as an array. Raises Mistake if they are no table of numbers."""
    given = given if isinstance(given, np.ndarray) else getattr(given, "data", given)
    if isinstance(given, str) or not np.iterable(given):
        raise Mistake(f"For {said} a list of rows is asked for, and this is {given!r:.60}.")
    given = list(given)
    if given and all(isinstance(part, float | int) or getattr(part, "ndim", None) == 0 for part in given):
        raise Mistake(f"For {said} you give {listed(given)}. That is one row; a list of rows is asked for.")
    rows = [numbers(part, f"For {said} each row is a list of numbers") for part in given]
    if len({len(part) for part in rows}) > 1:
        raise Mistake(f"For {said} the rows differ in length: {[len(part) for part in rows]}.")
    return np.array(rows)


def shaped(found):
    """The numbers of rows and columns as text."""
    if found.ndim < 2:
        return "no rows"
    rows, columns = found.shape
    return f"{rows} row{'s' * (rows != 1)} of {columns}"
