"""The exercises of lesson 10: a prediction, which shapes go together, and a table from a column and a
row."""

from typing import Any

import numpy as np

from ..checking import Mistake, NotYet, exercise, number
from .calling import call, check_own_work, names_of
from .shared import listed, same


def array_asked_for(answer, asked):
    """A reader's array, nested list or Tensor as an array of floats; ``asked`` begins the message if not."""
    data = answer if isinstance(answer, np.ndarray) else getattr(answer, "data", answer)
    try:
        return np.asarray(data, dtype=float)
    except (TypeError, ValueError):
        raise Mistake(f"{asked}, and this is {answer!r:.60}.") from None


# -- at home: a table of products ---------------------------------------------------------------------------


@exercise(
    "10 table",
    "Write x as a column and y as a row. The result has a number for each pair. How often is the 2 of x "
    "used, and how often is the 20 of y?",
    "Each number of x is used three times, once with each number of y, and its local slope is that number.",
    "The table has the shape (4, 3). Each number of x gets 10 + 20 + 30, in the shape (4, 1); each number of "
    "y gets 1 + 2 + 3 + 4, in the shape (3,).",
)
def table(shape, by_x, by_y):
    """Judge the three predictions."""
    if shape is None or by_x is None or by_y is None:
        raise NotYet("one of the three predictions is still None.")
    shape = tuple(array_asked_for(shape, "A shape such as (2, 3) is asked for").ravel().astype(int).tolist())
    if shape == (3, 4):
        raise Mistake("The shape is not (3, 4): x is a column, so its 4 numbers give the rows.")
    if shape in ((4,), (4, 1), (3,), (1, 3)):
        raise Mistake(f"You gave {shape}. x is stretched along its size 1, and y gets an axis: both grow.")
    if shape != (4, 3):
        raise Mistake(f"You gave {shape}. Write (4, 1) and (3,) one under the other, aligned on the right.")
    judge_side("x", array_asked_for(by_x, "x's gradient is an array"), (4, 1), 60, (10, 20, 30))
    judge_side("y", array_asked_for(by_y, "y's gradient is an array"), (3,), 10, (1, 2, 3, 4))
    return (
        "Each number collects a contribution from every place where it was used, and each gradient has the "
        "shape of its node."
    )


def judge_side(name, found, shape, right, others):
    """Judge one gradient, whose numbers are all equal to the sum of the ``others``, the other operand's."""
    said = f"The gradient of {name}: "
    count = int(np.prod(shape))
    if found.shape == (4, 3):
        raise Mistake(f"{said}(4, 3) is the shape of the table. {name} has the shape {shape}.")
    values = found.ravel()
    if values.size != count:
        raise Mistake(f"{said}it has the shape of {name}, {shape}, and yours has {found.shape}.")
    if same(values, np.full(count, right)):
        if found.shape != shape:
            raise Mistake(
                f"{said}the numbers are right. The shape is {shape}, and yours is {found.shape}: "
                + ("write a column, [[..], [..], [..], [..]]." if len(shape) == 2 else "write a row.")
            )
        return
    if same(values, np.full(count, right / len(others))):
        raise Mistake(f"{said}that is the mean of what arrives. Contributions add up.")
    if same(values, np.full(count, len(others))):
        raise Mistake(
            f"{said}{len(others)} is how often each is used. Each time, the local slope counts, too."
        )
    if same(values, np.full(count, 70 - right)):
        raise Mistake(
            f"{said}that is the sum of {name}'s own numbers. In a product, the other factor counts."
        )
    raise Mistake(
        f"{said}you gave {listed(found)}. Which numbers is each number of {name} multiplied by? Add them up."
    )


# -- at home: which shapes go together ----------------------------------------------------------------------

# Two shapes and the shape of their result, False if they do not broadcast. The order matters: a function that
# requires equal sizes fails at the second pair, one that checks nothing at the third, one that compares from
# the left at the fifth.
PAIRS: tuple[tuple[tuple[int, ...], tuple[int, ...], Any], ...] = (
    ((2, 3), (2, 3), (2, 3)),
    ((2, 1), (1, 3), (2, 3)),
    ((3, 2), (2, 3), False),
    ((2, 4), (2, 2), False),
    ((2, 3), (3,), (2, 3)),
    ((3,), (2, 3), (2, 3)),
    ((2, 3), (2,), False),
    ((4, 1), (3,), (4, 3)),
    ((), (2,), (2,)),
    ((5, 1, 3), (4, 1), (5, 4, 3)),
    ((7, 2, 3), (7, 2), False),
    ((), (), ()),
    ((0,), (1,), (0,)),
)


def from_the_left(s, t):
    """The result of comparing the shapes from the left."""
    length = max(len(s), len(t))
    pairs = zip((*s, *[1] * (length - len(s))), (*t, *[1] * (length - len(t))))
    sizes = [(x, y) for x, y in pairs]
    return tuple(map(max, sizes)) if all(x == y or 1 in (x, y) for x, y in sizes) else False


NUMPYS = {"np", "numpy", "broadcast", "broadcast_arrays", "broadcast_shapes", "broadcast_to"}


@exercise(
    "10 together",
    "Make the two shapes equally long: put 1s in front of the shorter one. Then compare size with size.",
    "Two sizes go together if they are equal, or if one of them is 1. A size of 1 is stretched to the other.",
    "length = max(len(s), len(t)); s = (1,) * (length - len(s)) + s, and t in the same way; then for x, y in "
    "zip(s, t): if x != y and 1 not in (x, y): return False; and otherwise keep y if x is 1, and x if not.",
)
def together(function):
    """Judge together(s, t) on pairs of shapes, each of which catches a different mistake."""
    why = "The exercise is to do it without NumPy: the rule for two sizes is in the section Stretching."
    check_own_work(function, NUMPYS, why)
    if getattr(function, "__name__", "") in NUMPYS:
        raise Mistake(why)
    for place, (s, t, right) in enumerate(PAIRS):
        said = f"together({s}, {t})"
        if place == 0:
            given = call(function, s, t, said=said, header="def together(s, t):")
        else:  # None is no stub any more: it is an answer
            (given,) = call(lambda pair=(s, t): (function(*pair),), said=said)
        found = given if given is False or given is None else told_shape(given, said)
        if found == right and (found is False) == (right is False):
            continue
        raise Mistake(f"{said} is {right}, and you give {found}. " + of_pair(found, right, s, t))
    return "Compared from the right, two sizes must be equal, or one of them must be 1."


def told_shape(given, said):
    """A reader's shape as a tuple."""
    if given is True or isinstance(given, str) or not np.iterable(given):
        raise Mistake(f"{said} is a shape or False, and you give {given!r:.60}.")
    return tuple(int(number(size)) for size in given)


def of_pair(found, right, s, t):
    """The message for a wrong result of a pair of shapes."""
    if found is None:
        return "Where they do not go together, return False."
    if right and 0 in right:
        return (
            "A size may be 0, in an array without numbers. A size of 1 is stretched to the other, even to 0."
        )
    if right == () and found is False:
        return (
            "The empty shape is a shape, that of a single number, although `or` and `if` treat it as False."
        )
    if right and found == right[::-1]:
        return "The sizes are right, in the opposite order."
    if len(s) != len(t) and found == from_the_left(s, t):
        return "Shapes are compared from the right: a missing size counts as 1, and the first are missing."
    if right is False:
        return "Only a size of 1 is stretched. All other sizes must be equal."
    if right is not False and found is False:
        return "Two sizes go together if they are equal or one of them is 1. That holds for each pair here."
    if right is not False and found is not False and len(found) < len(right):
        return "The additional axes of the longer shape are part of the result."
    return "Write one under the other, aligned on the right."


# -- at home: a table from a column and a row ---------------------------------------------------------------

COLUMN, ROW = ((2.0,), (-1.0,), (3.0,)), (1.0, 4.0)
MISSING = ((5.0, 5.0), (0.0, -4.0), (1.0, 12.0))  # the products, but for -3, -1 and 2 at three places
SQUARED = ((9.0, 9.0), (1.0, 0.0), (4.0, 0.0))


@exercise(
    "10 misses",
    "x * y is the product, stretched to the table's shape. How far is each of its numbers from the table's?",
    "Subtract the table, and square with ** 2. Both work on Tensors with arrays.",
    "return (x * y - table) ** 2",
)
def misses(function):
    """Judge misses(x, y, table) by its numbers, its shape, and what it records."""
    tensor = names_of(function, 10)["Tensor"]
    x, y = tensor(np.array(COLUMN)), tensor(np.array(ROW))
    said = f"misses for the column {listed(COLUMN)}, the row {listed(ROW)} and the table {listed(MISSING)}"
    try:
        given = call(function, x, y, np.array(MISSING), said=said, header="def misses(x, y, table):")
    except (AttributeError, TypeError) as error:
        adds = "backward starts from ones, which adds the squares up."
        if isinstance(error, AttributeError) and error.name in ("sum", "mean"):
            none = f"Your machine has no {error.name} yet (lesson 12)."
            raise Mistake(f"{none} Return the table of squares: {adds}") from error
        if "does not support ufuncs" in str(error):
            ours = "A function of NumPy does not take a Tensor."
            raise Mistake(f"{ours} Square with ** 2, and leave any sum out: {adds}") from error
        raise
    found = array_asked_for(given, f"{said} is a Tensor")
    if not same(found, SQUARED):
        raise Mistake(f"{said} is {listed(SQUARED)}, and you give {listed(found)}. " + of_misses(found))
    if not hasattr(given, "creators"):
        raise Mistake(
            "The numbers are right, and they are plain numbers: nothing was recorded to walk back through. "
            "Compute with the Tensors x and y, without .data."
        )
    if not reaches(given, x) or not reaches(given, y):
        raise Mistake(
            "The numbers are right, but no path leads back to x and y. Compute with the Tensors themselves."
        )
    return "One number for each place, with a path back to the column and the row."


def of_misses(found):
    """The message for wrong squares."""
    right = np.array(SQUARED)
    if same(found, right.sum()):
        return "That is their sum. Leave the table as it is: backward starts from ones, which adds them up."
    if same(found, right.mean()):
        return "That is their mean. Leave the table as it is."
    if same(np.abs(found), np.sqrt(right)):
        return "Those are the distances. Square them."
    if found.shape != right.shape:
        return "The result has the shape of the table."
    return "At each place: the product, minus the table's number, squared."


def reaches(end, leaf):
    """Whether a leaf is among the nodes behind an end."""
    seen, stack = set(), [end]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            stack.extend(part for part in getattr(node, "creators", ()) or () if hasattr(part, "creators"))
    return id(leaf) in seen


LINES = 1_500_000  # enough for 3,000 steps; a hundred do
TABLES = (
    np.outer([1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 5.0]),
    np.outer([2.0, -1.0], [1.0, 3.0, -2.0, 0.5, 2.0]),
)


@exercise(
    "10 fit",
    "x = Tensor(np.ones((rows, 1))) and y = Tensor(np.ones(columns)), with rows, columns = table.shape. Then "
    "a loop with the parts of every training: compute, walk back, step.",
    "In the loop: backward(misses(x, y, table)) and step([x, y], 0.005). Starting from ones makes the sum "
    "of the squares fall.",
    "for _ in range(500): backward(misses(x, y, table)); step([x, y], 0.005). After the loop return x, y",
)
def fit(function):
    """Judge fit(table) by how near its column times its row comes to the table."""
    for table in TABLES:
        before = table.copy()
        said = f"fit for the table {listed(table)}"
        try:
            with np.errstate(all="ignore"):
                given = call(function, table, said=said, header="def fit(table):", steps=LINES)
        except (ValueError, TypeError, AttributeError) as error:
            told = str(error).strip()
            stopped = f"{said}: your code stopped with {type(error).__name__}: {told}."
            raise Mistake(f"{stopped} {of_stop(told, table)}") from error
        if not np.array_equal(table, before):
            table[:] = before
            raise Mistake(f"{said}: your code has changed the table, which belongs to the caller.")
        x, y = column_and_row(given, table, said)
        away = float(np.abs(x * y - table).max())
        if not np.isfinite(away):
            raise Mistake(
                f"{said}: the numbers have grown without bound. Take small steps against the gradient, at "
                "the rate 0.005. If that is your rate: are the gradients cleared after each step, as `step` "
                "does?"
            )
        if away > 0.01:
            raise Mistake(
                f"{said}: the largest distance is {away:.3g}, and 0.01 is asked for. " + of_fit(x, y)
            )
    return (
        "At every place, the column times the row is within 0.01 of the table. A factor may have moved from "
        "the column to the row; that is no mistake."
    )


def of_stop(told, table):
    """The message for code that stops before there is a column and a row."""
    if "numpy.ndarray" in told:
        return "x and y have to be Tensors: Tensor(np.ones(...))."
    if "'Tensor' object is not iterable" in told:
        return "step takes a list of Tensors: step([x, y], 0.005)."
    rows, columns = table.shape
    return (
        f"This table has {rows} rows and {columns} columns: x is the column np.ones((rows, 1)) and y the row "
        "np.ones(columns), with rows, columns = table.shape."
    )


def column_and_row(given, table, said):
    """The reader's column and row as arrays."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise Mistake(f"{said} returns two things, x and y: return x, y.")
    found = []
    for name, part, shape in zip("xy", given, ((len(table), 1), (table.shape[1],))):
        array = array_asked_for(part, f"{said}: {name} is an array or a Tensor")
        shapes = (shape, (1, *shape)) if name == "y" else (shape,)
        if array.shape not in shapes:
            raise Mistake(f"{said}: {name} has the shape {array.shape}, and {shape} is right.")
        found.append(array)
    return found


def of_fit(x, y):
    """The message for a column and a row that do not fit yet."""
    if same(x, np.ones(x.shape)) and same(y, np.ones(y.shape)):
        return "x and y are still ones: no step has changed them."
    return "Take more steps, and do not start from zeros: there both gradients are 0."
