"""Answers to the exercises of lesson 10."""

from . import Right, Wrong

SHAPE, BY_X, BY_Y = "(4, 3)", "[[60]] * 4", "[10] * 3"

TOGETHER = """
def together(s, t):
    length = max(len(s), len(t))
    s = (1,) * (length - len(s)) + s
    t = (1,) * (length - len(t)) + t
    for x, y in zip(s, t):
        if not (x == y or 1 in (x, y)):
            return False
    return tuple(y if x == 1 else x for x, y in zip(s, t))
"""

MISSES = """
def misses(x, y, table):
    return (x * y - table) ** 2
"""
FIT = """
def fit(table):
    rows, columns = table.shape
    x, y = Tensor(np.ones((rows, 1))), Tensor(np.ones(columns))
    for _ in range(500):
        backward((x * y - table) ** 2)
        step([x, y], 0.005)
    return x, y
"""


def predicted(shape=SHAPE, by_x=BY_X, by_y=BY_Y):
    """The three predictions."""
    return f"{shape}, {by_x}, {by_y}"


def changed(text, name, *changes):
    """A right answer with some changes, and its name in the last line."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text + name


def together(*changes):
    return changed(TOGETHER, "together", *changes)


def misses(*changes):
    return changed(MISSES, "misses", *changes)


def fit(*changes):
    return changed(FIT, "fit", *changes)


ANSWERS = {
    "10 table": (
        Right("lists", predicted()),
        Right("arrays", "(4, 3), np.full((4, 1), 60.0), np.full(3, 10.0)"),
        Right("the shape as a list", predicted(shape="[4, 3]")),
        Right(
            "what the machine gives",
            """
x, y = Tensor(np.array([[1.0], [2.0], [3.0], [4.0]])), Tensor(np.array([10.0, 20.0, 30.0]))
z = x * y
backward(z)
z.shape, x.grad, y.grad""",
        ),
        Wrong("rows and columns exchanged", predicted(shape="(3, 4)"), "x is a column"),
        Wrong("the shape of one of them", predicted(shape="(4,)"), "both grow"),
        Wrong("one long row", predicted(shape="(12,)"), "on the right"),
        Wrong("not summed", predicted(by_x="[[10, 20, 30]] * 4"), "x has the shape (4, 1)"),
        Wrong("the axis is lost", predicted(by_x="[60] * 4"), "yours is (4,): write a column"),
        Wrong("one number", predicted(by_x="60"), "yours has ()"),
        Wrong("its own numbers", predicted(by_x="[[10]] * 4"), "x's own numbers"),
        Wrong("the mean", predicted(by_x="[[20]] * 4"), "the mean"),
        Wrong("how often it is used", predicted(by_x="[[3]] * 4"), "3 is how often"),
        Wrong("x itself", predicted(by_x="[[1], [2], [3], [4]]"), "Which numbers"),
        Wrong("text", predicted(by_x="'sixty'"), "is an array"),
        Wrong("y not summed", predicted(by_y="[[1] * 3, [2] * 3, [3] * 3, [4] * 3]"), "y has the shape (3,)"),
        Wrong("y as a column", predicted(by_y="[[10], [10], [10]]"), "write a row"),
        Wrong("y's own numbers", predicted(by_y="[60] * 3"), "y's own numbers"),
    ),
    "10 together": (
        Right("the rule", together()),
        Right(
            "a list",
            together(
                (
                    "tuple(y if x == 1 else x for x, y in zip(s, t))",
                    "[y if x == 1 else x for x, y in zip(s, t)]",
                )
            ),
        ),
        Right("with the size that is not 1", together(("y if x == 1 else x", "x if y == 1 else y"))),
        Wrong("the larger size", together(("y if x == 1 else x", "max(x, y)")), "A size may be 0"),
        Right(
            "from the last size",
            """
def together(s, t):
    sizes = []
    for k in range(1, max(len(s), len(t)) + 1):
        x = s[-k] if k <= len(s) else 1
        y = t[-k] if k <= len(t) else 1
        if x != y and x != 1 and y != 1:
            return False
        sizes.insert(0, x * y if 1 in (x, y) else x)
    return tuple(sizes)
together""",
        ),
        Wrong(
            "from the left",
            together(
                ("(1,) * (length - len(s)) + s", "s + (1,) * (length - len(s))"),
                ("(1,) * (length - len(t)) + t", "t + (1,) * (length - len(t))"),
            ),
            "compared from the right",
        ),
        Wrong(
            "not filled up",
            "together = lambda s, t: tuple(max(x, y) for x, y in zip(s[::-1], t[::-1]))[::-1] if all(x == y or 1 in (x, y) for x, y in zip(s[::-1], t[::-1])) else False\ntogether",
            "longer shape",
        ),
        Wrong(
            "nothing is asked",
            together(("if not (x == y or 1 in (x, y)):", "if False:")),
            "Only a size of 1 is stretched",
        ),
        Wrong("a 1 in the second only", together(("1 in (x, y)", "y == 1")), "for each pair here"),
        Wrong(
            "equal shapes only",
            "together = lambda s, t: s if s == t else False\ntogether",
            "for each pair here",
        ),
        Wrong(
            "multiples",
            together(("1 in (x, y)", "x % y == 0 or y % x == 0")),
            "Only a size of 1 is stretched",
        ),
        Wrong("None for False", together(("return False", "return None")), "return False"),
        Wrong("text for False", together(("return False", "return 'no'")), "a shape or False"),
        Wrong("True", "together = lambda s, t: True\ntogether", "a shape or False"),
        Wrong("the first one", "together = lambda s, t: s\ntogether", "under the other"),
        Wrong(
            "() taken for False",
            together(
                (
                    "return tuple(y if x == 1 else x for x, y in zip(s, t))",
                    "return tuple(y if x == 1 else x for x, y in zip(s, t)) or False",
                )
            ),
            "The empty shape is a shape",
        ),
        Wrong("printed", together(("    return tuple(", "    print(")), "returns nothing"),
        Wrong("one argument", "together = lambda pair: pair\ntogether", "your function takes 1"),
        Wrong(
            "without end",
            "def together(s, t):\n    while True:\n        s = s\ntogether",
            "Does a loop never end",
        ),
        Wrong("NumPy's function", "np.broadcast_shapes", "without NumPy"),
        Wrong(
            "NumPy's function inside",
            """
def together(s, t):
    try:
        return np.broadcast_shapes(s, t)
    except ValueError:
        return False
together""",
            "without NumPy",
        ),
        Wrong(
            "NumPy's own stretching",
            """
def together(s, t):
    try:
        return (np.zeros(s) + np.zeros(t)).shape
    except ValueError:
        return False
together""",
            "without NumPy",
        ),
        Wrong(
            "the sizes from the right",
            together(
                (
                    "tuple(y if x == 1 else x for x, y in zip(s, t))",
                    "tuple(y if x == 1 else x for x, y in zip(s[::-1], t[::-1]))",
                )
            ),
            "in the opposite order",
        ),
        Wrong("no function", "(2, 3)", "A function is asked for"),
    ),
    "10 misses": (
        Right("the formula", misses()),
        Right("the other way round", misses(("x * y - table", "table - x * y"))),
        Right("without **", misses(("return (x * y - table) ** 2", "d = x * y - table\n    return d * d"))),
        Wrong(
            "summed",
            "def misses(x, y, table):\n    return ad.Tensor(((x.data * y.data - table) ** 2).sum())\nmisses",
            "their sum",
        ),
        Wrong(
            "the mean",
            "def misses(x, y, table):\n    return np.mean((x.data * y.data - table) ** 2)\nmisses",
            "their mean",
        ),
        Wrong(
            "the machine's sum",
            misses(("(x * y - table) ** 2", "((x * y - table) ** 2).sum()")),
            "no sum yet",
        ),
        Wrong("NumPy's square", misses(("(x * y - table) ** 2", "np.square(x * y - table)")), "** 2"),
        Wrong("not squared", misses((" ** 2", "")), "Square them"),
        Wrong("plain numbers", misses(("x * y", "x.data * y.data")), "nothing was recorded"),
        Wrong("a new Tensor", misses(("x * y", "Tensor(x.data * y.data)")), "no path leads back"),
        Wrong("added", misses(("x * y", "x + y")), "At each place"),
        Wrong(
            "printed",
            misses(("return (x * y - table) ** 2", "print((x * y - table) ** 2)")),
            "returns nothing",
        ),
        Wrong("no table", misses(("x, y, table", "x, y"), (" - table", "")), "your function takes 2"),
    ),
    "10 fit": (
        Right("the solution", fit()),
        Right("arrays", fit(("return x, y", "return x.data, y.data"))),
        Right("a hundred steps", fit(("500", "100"))),
        Right("many steps", fit(("500", "2000"))),
        Right("a list", fit(("return x, y", "return [x, y]"))),
        Right("the row as a table", fit(("np.ones(columns)", "np.ones((1, columns))"))),
        Right(
            "steps by hand",
            fit(
                (
                    "step([x, y], 0.005)",
                    "for p in (x, y):\n            p.data = p.data - 0.005 * p.grad\n            p.grad = None",
                )
            ),
        ),
        Right("without training", "fit = lambda table: (table[:, :1] / table[0, 0], table[0])\nfit"),
        Wrong("two rows", fit(("return x, y", "return x.data.ravel(), y")), "x has the shape"),
        Wrong("too few steps", fit(("500", "5")), "Take more steps"),
        Wrong(
            "from zeros",
            fit(("np.ones((rows, 1))", "np.zeros((rows, 1))"), ("np.ones(columns)", "np.zeros(columns)")),
            "do not start from zeros",
        ),
        Wrong(
            "a step without the list",
            fit(("step([x, y], 0.005)", "step(x, 0.005)\n        step(y, 0.005)")),
            "step takes a list",
        ),
        Wrong("too large a rate", fit(("0.005", "0.1")), "grown without bound"),
        Wrong(
            "gradients not cleared",
            fit(("step([x, y], 0.005)", "for p in (x, y):\n            p.data = p.data - 0.005 * p.grad")),
            "cleared after each step",
        ),
        Wrong("a row for the column", fit(("np.ones((rows, 1))", "np.ones(rows)")), "np.ones((rows, 1))"),
        Wrong(
            "the sizes of the first table",
            fit(("np.ones((rows, 1))", "np.ones((4, 1))"), ("np.ones(columns)", "np.ones(3)")),
            "2 rows and 5 columns",
        ),
        Wrong(
            "plain arrays",
            fit(
                ("Tensor(np.ones((rows, 1)))", "np.ones((rows, 1))"),
                ("Tensor(np.ones(columns))", "np.ones(columns)"),
            ),
            "have to be Tensors",
        ),
        Wrong("uphill", fit(("0.005", "-0.005")), "grown without bound"),
        Wrong("no step", fit(("step([x, y], 0.005)", "pass")), "no step has changed"),
        Wrong("the product", fit(("return x, y", "return x * y")), "two things"),
        Wrong("the other order", fit(("return x, y", "return y, x")), "x has the shape"),
        Wrong(
            "the table is changed", fit(("return x, y", "table -= 1\n    return x, y")), "changed the table"
        ),
        Wrong("printed", fit(("return x, y", "print(x, y)")), "returns nothing"),
        Wrong("without end", fit(("for _ in range(500):", "while True:")), "Does a loop never end"),
        Wrong("two arguments", fit(("fit(table)", "fit(table, rate)")), "your function takes 2"),
    ),
}
