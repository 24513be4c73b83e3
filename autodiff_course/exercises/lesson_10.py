"""The exercises of lesson 10: a prediction, which shapes go together, and a table from a column and a
row."""

import numpy as np

from ..checking import Mistake, NotYet, number
from .calling import call, check_own_work, names_of
from .shared import listed, same
from .table import PRINTS, Right, Stop, Table, Task, Wrong, advice


def array_asked_for(answer, asked):
    """A reader's array, nested list or Tensor as an array of floats; ``asked`` begins the message if not."""
    data = answer if isinstance(answer, np.ndarray) else getattr(answer, "data", answer)
    try:
        return np.asarray(data, dtype=float)
    except (TypeError, ValueError):
        raise Mistake(f"{asked}, and this is {answer!r:.60}.") from None


# -- at home: a table of products ---------------------------------------------------------------------------

BY_X, BY_Y = "[[60]] * 4", "[10] * 3"
GROW = "You gave {found}. x is stretched along its size 1, and y gets an axis: both grow."
MEAN = "that is the mean of what arrives. Contributions add up."
OWN = "that is the sum of {name}'s own numbers. In a product, the other factor counts."

PRODUCTS = Table(
    "10 table",
    right=f"(4, 3), {BY_X}, {BY_Y}",
    answers=(
        Right("arrays", "(4, 3), np.full((4, 1), 60.0), np.full(3, 10.0)"),
        Right("the shape as a list", ("(4, 3)", "[4, 3]")),
        Right("what the machine gives", """
            x, y = Tensor(np.array([[1.0], [2.0], [3.0], [4.0]])), Tensor(np.array([10.0, 20.0, 30.0]))
            z = x * y
            backward(z)
            z.shape, x.grad, y.grad"""),
        Wrong("rows and columns exchanged", ("(4, 3)", "(3, 4)"), "The shape is not (3, 4): x is a column, so its 4 numbers give the rows."),
        Wrong("x's shape", ("(4, 3)", "(4, 1)"), GROW),
        Wrong("y's shape", ("(4, 3)", "(3,)"), GROW),
        Wrong("the shape of one of them", ("(4, 3)", "(4,)"), GROW),
        Wrong("one row", ("(4, 3)", "(1, 3)"), GROW),
        Wrong("one long row", ("(4, 3)", "(12,)"), holds="on the right"),
        Wrong("not summed", (BY_X, "[[10, 20, 30]] * 4"), holds="x has the shape (4, 1)"),
        Wrong("the axis is lost", (BY_X, "[60] * 4"), holds="yours is (4,): write a column"),
        Wrong("one number", (BY_X, "60"), holds="yours has ()"),
        Wrong("the mean", (BY_X, "[[20]] * 4"), MEAN),
        Wrong("how often it is used", (BY_X, "[[3]] * 4"), "3 is how often each is used. Each time, the local slope counts, too."),
        Wrong("its own numbers", (BY_X, "[[10]] * 4"), OWN),
        Wrong("x itself", (BY_X, "[[1], [2], [3], [4]]")),
        Wrong("text", (BY_X, "'sixty'"), holds="is an array"),
        Wrong("y not summed", (BY_Y, "[[1] * 3, [2] * 3, [3] * 3, [4] * 3]"), holds="y has the shape (3,)"),
        Wrong("y as a column", (BY_Y, "[[10], [10], [10]]"), holds="write a row"),
        Wrong("the mean of y's", (BY_Y, "[2.5] * 3"), MEAN),
        Wrong("how often y is used", (BY_Y, "[4] * 3"), "4 is how often each is used. Each time, the local slope counts, too."),
        Wrong("y's own numbers", (BY_Y, "[60] * 3"), OWN),
    ),
    otherwise="you gave {found}. Which numbers is each number of {name} multiplied by? Add them up.",
    hints=(
        "Write x as a column and y as a row. The result has a number for each pair. How often is the 2 of x used, and how often is the 20 of y?",
        "Each number of x is used three times, once with each number of y, and its local slope is that number.",
        "The table has the shape (4, 3). Each number of x gets 10 + 20 + 30, in the shape (4, 1); each number of y gets 1 + 2 + 3 + 4, in the shape (3,).",
    ),
)  # fmt: skip


@PRODUCTS.judged
def table(shape, by_x, by_y):
    """Judge the three predictions."""
    if shape is None or by_x is None or by_y is None:
        raise NotYet("one of the three predictions is still None.")
    shape = tuple(array_asked_for(shape, "A shape such as (2, 3) is asked for").ravel().astype(int).tolist())
    if shape != (4, 3):
        otherwise = "You gave {found}. Write (4, 1) and (3,) one under the other, aligned on the right."
        raise Mistake(PRODUCTS.why(lambda wrong: wrong[0] == shape, found=shape, otherwise=otherwise))
    judge_side("x", array_asked_for(by_x, "x's gradient is an array"), (4, 1), 60)
    judge_side("y", array_asked_for(by_y, "y's gradient is an array"), (3,), 10)
    return (
        "Each number collects a contribution from every place where it was used, and each gradient has the shape of its node."
    )


def judge_side(name, found, shape, right):
    """Judge one gradient, whose numbers are all equal."""
    said, values = f"The gradient of {name}: ", found.ravel()
    if found.shape == (4, 3):
        raise Mistake(f"{said}(4, 3) is the shape of the table. {name} has the shape {shape}.")
    if values.size != np.prod(shape):
        raise Mistake(f"{said}it has the shape of {name}, {shape}, and yours has {found.shape}.")
    if not same(values, np.full(values.size, right)):
        why = PRODUCTS.why(
            lambda wrong: same(values, np.ravel(wrong["_xy".index(name)])), found=listed(found), name=name
        )
        raise Mistake(said + why)
    if found.shape != shape:
        how = "write a column, [[..], [..], [..], [..]]." if len(shape) == 2 else "write a row."
        raise Mistake(f"{said}the numbers are right. The shape is {shape}, and yours is {found.shape}: {how}")


# -- at home: which shapes go together ----------------------------------------------------------------------

NUMPYS = {"np", "numpy", "broadcast", "broadcast_arrays", "broadcast_shapes", "broadcast_to"}
WITHOUT = "The exercise is to do it without NumPy: the rule for two sizes is in the section Stretching."
ASKED, SIZES = "not (x == y or 1 in (x, y))", "tuple(y if x == 1 else x for x, y in zip(s, t))"

TOGETHER = Table(
    "10 together",
    head="together(s, t)",
    right=f"""
        length = max(len(s), len(t))
        s = (1,) * (length - len(s)) + s
        t = (1,) * (length - len(t)) + t
        for x, y in zip(s, t):
            if {ASKED}:
                return False
        return {SIZES}""",
    answers=(
        Right("a list", (SIZES, f"[{SIZES[6:-1]}]")),
        Right("with the size that is not 1", ("y if x == 1 else x", "x if y == 1 else y")),
        Right("from the last size", """
            sizes = []
            for k in range(1, max(len(s), len(t)) + 1):
                x = s[-k] if k <= len(s) else 1
                y = t[-k] if k <= len(t) else 1
                if x != y and x != 1 and y != 1:
                    return False
                sizes.insert(0, x * y if 1 in (x, y) else x)
            return tuple(sizes)"""),
        Wrong("from the left", (("(1,) * (length - len(s)) + s", "s + (1,) * (length - len(s))"), ("(1,) * (length - len(t)) + t", "t + (1,) * (length - len(t))")), "Shapes are compared from the right: a missing size counts as 1, and the first are missing."),
        Wrong("the sizes from the right", ("zip(s, t))", "zip(s[::-1], t[::-1]))"), "The sizes are right, in the opposite order."),
        Wrong("the larger size", ("y if x == 1 else x", "max(x, y)"), "A size may be 0, in an array without numbers. A size of 1 is stretched to the other, even to 0."),
        Wrong("() taken for False", (SIZES, f"{SIZES} or False"), "The empty shape is a shape, that of a single number, although `or` and `if` treat it as False."),
        Wrong("not filled up", "tuple(max(x, y) for x, y in zip(s[::-1], t[::-1]))[::-1] if all(x == y or 1 in (x, y) for x, y in zip(s[::-1], t[::-1])) else False", holds="longer shape"),
        Wrong("nothing is asked", (ASKED, "False"), holds="Only a size of 1 is stretched"),
        Wrong("a 1 in the second only", ("1 in (x, y)", "y == 1"), holds="for each pair here"),
        Wrong("equal shapes only", "s if s == t else False", holds="for each pair here"),
        Wrong("multiples", ("1 in (x, y)", "x % y == 0 or y % x == 0"), holds="Only a size of 1 is stretched"),
        Wrong("None for False", ("return False", "return None"), holds="return False"),
        Wrong("text for False", ("return False", "return 'no'"), holds="a shape or False"),
        Wrong("True", "True", holds="a shape or False"),
        Wrong("the first one", "s"),
        Wrong("printed", (f"return {SIZES}", f"print({SIZES})"), holds=PRINTS),
        Wrong("one argument", "lambda pair: pair", holds="your function takes 1"),
        Wrong("without end", ("    for x", "    while True:\n        s = s\n    for x"), holds="Does a loop never end"),
        Wrong("NumPy's function", "answer = np.broadcast_shapes", holds="without NumPy"),
        Wrong("NumPy's function inside", "np.broadcast_shapes(s, t)", holds="without NumPy"),
        Wrong("NumPy's own stretching", "(np.zeros(s) + np.zeros(t)).shape", holds="without NumPy"),
        Wrong("no function", "answer = (2, 3)", holds="A function is asked for"),
    ),
    otherwise="Write one under the other, aligned on the right.",
    hints=(
        "Make the two shapes equally long: put 1s in front of the shorter one. Then compare size with size.",
        "Two sizes go together if they are equal, or if one of them is 1. A size of 1 is stretched to the other.",
        "length = max(len(s), len(t)); s = (1,) * (length - len(s)) + s, and t in the same way; then for x, y in zip(s, t): if x != y and 1 not in (x, y): return False; and otherwise keep y if x is 1, and x if not.",
    ),
)  # fmt: skip

# The order matters: a function that requires equal sizes fails at the second pair, one that checks nothing at
# the third, one that compares from the left at the fifth.
PAIRS = (
    ((2, 3), (2, 3)),
    ((2, 1), (1, 3)),
    ((3, 2), (2, 3)),
    ((2, 4), (2, 2)),
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 3), (2,)),
    ((4, 1), (3,)),
    ((), (2,)),
    ((5, 1, 3), (4, 1)),
    ((7, 2, 3), (7, 2)),
    ((), ()),
    ((0,), (1,)),
)


@TOGETHER.judged
def together(function):
    """Judge together(s, t) on pairs of shapes, each of which catches a different mistake."""
    check_own_work(function, NUMPYS, WITHOUT)
    if getattr(function, "__name__", "") in NUMPYS:
        raise Mistake(WITHOUT)
    correct = TOGETHER.answer()
    for s, t in PAIRS:
        said, is_first = f"together({s}, {t})", s == t == (2, 3)  # after it, None is no stub any more
        given = call(function, s, t, said=said, header="def together(s, t):", is_none_right=not is_first)
        found = given if given is False or given is None else told_shape(given, said)
        right = correct(s, t)
        if found != right or (found is False) != (right is False):
            raise Mistake(f"{said} is {right}, and you give {found}. {of_pair(found, right, s, t)}")
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
    otherwise = None
    if right is False:
        otherwise = "Only a size of 1 is stretched. All other sizes must be equal."
    elif found is False:
        otherwise = "Two sizes go together if they are equal or one of them is 1. That holds for each pair here."
    elif len(found) < len(right):
        otherwise = "The additional axes of the longer shape are part of the result."
    return TOGETHER.why(lambda wrong: found == wrong(s, t), otherwise=otherwise)


# -- at home: a table from a column and a row ---------------------------------------------------------------

MISSES = "(x * y - table) ** 2"
PLAIN = "(x.data * y.data - table)"
ADDS = "backward starts from ones, which adds the squares up."


def reaches(end, leaf):
    """Whether a leaf is among the nodes behind an end."""
    seen, stack = set(), [end]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            stack.extend(part for part in getattr(node, "creators", ()) or () if hasattr(part, "creators"))
    return id(leaf) in seen


def recorded(answer, wanted, inputs, others, said):
    """Raise Mistake unless a path leads from the answer back to the Tensors x and y."""
    if not hasattr(answer, "creators"):
        raise Mistake(
            "The numbers are right, and they are plain numbers: nothing was recorded to walk back through. "
            "Compute with the Tensors x and y, without .data."
        )
    if not all(reaches(answer, leaf) for leaf in inputs[:2]):
        raise Mistake(
            "The numbers are right, but no path leads back to x and y. Compute with the Tensors themselves."
        )


Task(
    "10 misses",
    head="misses(x, y, table)",
    right=MISSES,
    cases=(
        # at three places the product misses, by -3, -1 and 2
        ([[2.0], [-1.0], [3.0]], [1.0, 4.0], [[5.0, 5.0], [0.0, -4.0], [1.0, 12.0]]),
    ),
    answers=(
        Right("the other way round", "(table - x * y) ** 2"),
        Right("without **", "(x * y - table) * (x * y - table)"),
        Wrong("summed", f"ad.Tensor(({PLAIN} ** 2).sum())", "That is their sum. Leave the table as it is: backward starts from ones, which adds them up."),
        Wrong("the mean", f"np.mean({PLAIN} ** 2)", "That is their mean. Leave the table as it is."),
        Wrong("not squared", (" ** 2", ""), "Those are the distances. Square them."),
        Wrong("sizes of the distances", f"abs({PLAIN})", "Those are the distances. Square them."),
        Wrong("one row", f"({PLAIN} ** 2).ravel()", "The result has the shape of the table."),
        Wrong("added", ("*", "+")),
        Wrong("the machine's sum", f"({MISSES}).sum()", holds="no sum yet"),
        Wrong("NumPy's square", "np.square(x * y - table)", holds="** 2"),
        Wrong("plain numbers", f"{PLAIN} ** 2", holds="nothing was recorded"),
        Wrong("a new Tensor", f"Tensor({PLAIN}) ** 2", holds="no path leads back"),
        Wrong("printed", f"print({MISSES})", holds=PRINTS),
        Wrong("no table", "lambda x, y: (x * y) ** 2", holds="your function takes 2"),
    ),
    otherwise="At each place: the product, minus the table's number, squared.",
    praise="One number for each place, with a path back to the column and the row.",
    hints=(
        "x * y is the product, stretched to the table's shape. How far is each of its numbers from the table's?",
        "Subtract the table, and square with ** 2. Both work on Tensors with arrays.",
        "return (x * y - table) ** 2",
    ),
    inputs=lambda case, function: [*map(names_of(function, 10)["Tensor"], map(np.array, case[:2])), np.array(case[2])],
    said=lambda case: "misses for the column {}, the row {} and the table {}".format(*map(listed, case)),
    stops=(
        Stop(AttributeError, f"Your machine has no sum yet (lesson 12). Return the table of squares: {ADDS}", "no attribute 'sum'"),
        Stop(AttributeError, f"Your machine has no mean yet (lesson 12). Return the table of squares: {ADDS}", "no attribute 'mean'"),
        Stop(TypeError, f"A function of NumPy does not take a Tensor. Square with ** 2, and leave any sum out: {ADDS}", "does not support ufuncs"),
    ),
    read=lambda answer, said: array_asked_for(answer, f"{said} is a Tensor"),
    message="{said} is {wanted}, and you give {gives}. {why}",
    after=recorded,
)

TABLES = (
    np.outer([1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 5.0]),
    np.outer([2.0, -1.0], [1.0, 3.0, -2.0, 0.5, 2.0]),
)
LINES = 1_500_000  # enough for 3,000 steps; a hundred do

FIT = Table(
    "10 fit",
    head="fit(table)",
    right="""
        rows, columns = table.shape
        x, y = Tensor(np.ones((rows, 1))), Tensor(np.ones(columns))
        for _ in range(500):
            backward((x * y - table) ** 2)
            step([x, y], 0.005)
        return x, y""",
    answers=(
        Right("arrays", ("return x, y", "return x.data, y.data")),
        Right("a hundred steps", ("500", "100")),
        Right("many steps", ("500", "2000")),
        Right("a list", ("return x, y", "return [x, y]")),
        Right("the row as a table", ("np.ones(columns)", "np.ones((1, columns))")),
        Right("steps by hand", ("step([x, y], 0.005)", "for p in (x, y):\n            p.data = p.data - 0.005 * p.grad\n            p.grad = None")),
        Right("without training", "(table[:, :1] / table[0, 0], table[0])"),
        Wrong("two rows", ("return x, y", "return x.data.ravel(), y"), holds="x has the shape"),
        Wrong("too few steps", ("500", "5"), holds="Take more steps"),
        Wrong("from zeros", ("np.ones", "np.zeros"), holds="do not start from zeros"),
        Wrong("a step without the list", ("step([x, y], 0.005)", "step(x, 0.005)"), holds="step takes a list"),
        Wrong("too large a rate", ("0.005", "0.1"), holds="grown without bound"),
        Wrong("gradients not cleared", ("step([x, y], 0.005)", "for p in (x, y):\n            p.data = p.data - 0.005 * p.grad"), holds="cleared after each step"),
        Wrong("a row for the column", ("np.ones((rows, 1))", "np.ones(rows)"), holds="np.ones((rows, 1))"),
        Wrong("the sizes of the first table", (("(rows, 1)", "(4, 1)"), ("columns)", "3)")), holds="2 rows and 5 columns"),
        Wrong("plain arrays", "backward((np.ones((len(table), 1)) * np.ones(table.shape[1]) - table) ** 2)", holds="have to be Tensors"),
        Wrong("uphill", ("0.005", "-0.005"), holds="grown without bound"),
        Wrong("no step", ("step([x, y], 0.005)", "pass"), holds="no step has changed"),
        Wrong("the product", ("return x, y", "return x * y"), holds="two things"),
        Wrong("the other order", ("return x, y", "return y, x"), holds="x has the shape"),
        Wrong("text", ("return x, y", "return 'x', y"), holds="x is an array or a Tensor"),
        Wrong("the table is changed", ("return x", "table -= 1\n    return x"), holds="changed the table"),
        Wrong("printed", ("return x, y", "print(x, y)"), holds=PRINTS),
        Wrong("without end", ("for _ in range(500)", "while True"), holds="Does a loop never end"),
        Wrong("two arguments", ("fit(table)", "fit(table, rate)"), holds="your function takes 2"),
    ),
    hints=(
        "x = Tensor(np.ones((rows, 1))) and y = Tensor(np.ones(columns)), with rows, columns = table.shape. Then a loop with the parts of every training: compute, walk back, step.",
        "In the loop: backward(misses(x, y, table)) and step([x, y], 0.005). Starting from ones makes the sum of the squares fall.",
        "for _ in range(500): backward(misses(x, y, table)); step([x, y], 0.005). After the loop return x, y",
    ),
)  # fmt: skip
STOPPED = "{said}: your code stopped with {name}: {error}."
ERRORS = (ValueError, TypeError, AttributeError)
FIT_STOPS = (
    Stop(ERRORS, f"{STOPPED} x and y have to be Tensors: Tensor(np.ones(...)).", "numpy.ndarray"),
    Stop(ERRORS, f"{STOPPED} step takes a list of Tensors: step([x, y], 0.005).", "'Tensor' object is not iterable"),
    Stop(
        ERRORS,
        f"{STOPPED} This table has {{case.shape[0]}} rows and {{case.shape[1]}} columns: x is the column "
        "np.ones((rows, 1)) and y the row np.ones(columns), with rows, columns = table.shape.",
    ),
)


@FIT.judged
def fit(function):
    """Judge fit(table) by how near its column times its row comes to the table."""
    for table in TABLES:
        mine, said = table.copy(), f"fit for the table {listed(table)}"
        with advice(*FIT_STOPS, said=said, case=table), np.errstate(all="ignore"):
            given = call(function, mine, said=said, header="def fit(table):", steps=LINES)
        if not np.array_equal(table, mine):
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
            why = "Take more steps, and do not start from zeros: there both gradients are 0."
            if np.all(x == 1) and np.all(y == 1):
                why = "x and y are still ones: no step has changed them."
            raise Mistake(f"{said}: the largest distance is {away:.3g}, and 0.01 is asked for. {why}")
    return (
        "At every place, the column times the row is within 0.01 of the table. A factor may have moved from the column to the row; that is no mistake."
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
