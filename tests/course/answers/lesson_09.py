"""Answers to the exercises of lesson 09."""

from . import Right, Wrong

STARTS = '{"mean": %s, "face 0 minus face 2": %s, "sum of squares": %s}'
THIRDS, BETWEEN, SQUARES = "[1 / 3] * 3", "[1, 0, -1]", "[20, 12, 30]"

ROW = """
def one_row(f, point, i):
    x = Tensor(point)
    e = f(x)
    start = np.zeros(e.shape)
    start[i] = 1
    backward(e, start)
    return x.grad
"""
JACOBIAN = """
def jacobian(f, point):
    return [one_row(f, point, i) for i in range(f(Tensor(point)).shape[0])]
jacobian
"""


def row(*changes):
    """The right one_row with some changes."""
    text = ROW
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text + "one_row"


ANSWERS = {
    "09 predict": (
        Right("a list", "[16, 0, -20]"),
        Right("a tuple", "(16, 0, -20)"),
        Right("an array", "np.array([16.0, 0.0, -20.0])"),
        Right("what the package gives", "ad.Tensor([16, 0, -20])"),
        Wrong("the slopes", "[16, 4, -2]", "counts: 1, 0 and 10 times"),
        Wrong("the start as a switch", "[16, 0, -2]", "ten times"),
        Wrong("the values of e", "[21, 0, 0]", "weighted the values"),
        Wrong("the old starting points", "[22, 0, -140]", "different now"),
        Wrong("the start itself", "[1, 0, 10]", "the start itself"),
        Wrong("the sign", "[16, 0, 20]", "the curve falls"),
        Wrong("something else", "[1, 2, 3]", "each of the three places"),
        Wrong("one number", "16", "the shape of its node"),
        Wrong("two numbers", "[16, 0]", "the shape of its node"),
        Wrong("rows", "[[16], [0], [-20]]", "in one list"),
        Wrong("text", "'16, 0, -20'", "Three numbers are asked for"),
    ),
    "09 starts": (
        Right("lists", STARTS % (THIRDS, BETWEEN, SQUARES)),
        Right("arrays", STARTS % ("np.ones(3) / 3", "np.array([1, 0, -1])", "2 * np.array([10, 6, 15])")),
        Wrong("the sum for the mean", STARTS % ("[1, 1, 1]", BETWEEN, SQUARES), "Ones are for the sum"),
        Wrong("three times the sum", STARTS % ("[3, 3, 3]", BETWEEN, SQUARES), "divided by 3"),
        Wrong("a third, rounded", STARTS % ("[0.33, 0.33, 0.33]", BETWEEN, SQUARES), "1 / 3"),
        Wrong("the faces", STARTS % ("[10, 6, 15]", BETWEEN, SQUARES), "These are the faces"),
        Wrong("added", STARTS % (THIRDS, "[1, 0, 1]", SQUARES), "counts with a minus"),
        Wrong("the other way round", STARTS % (THIRDS, "[-1, 0, 1]", SQUARES), "face 2 minus face 0"),
        Wrong("the faces with a sign", STARTS % (THIRDS, "[10, 0, -15]", SQUARES), "each counts once"),
        Wrong("counted from 1", STARTS % (THIRDS, "[1, -1, 0]", SQUARES), "face 0 minus face 1"),
        Wrong("x for 2x", STARTS % (THIRDS, BETWEEN, "[10, 6, 15]"), "is 2x"),
        Wrong("the squares", STARTS % (THIRDS, BETWEEN, "[100, 36, 225]"), "squares themselves"),
        Wrong("the slope at 1", STARTS % (THIRDS, BETWEEN, "[2, 2, 2]"), "at 1"),
        Wrong(
            "the lengths' gradient of the mean",
            STARTS % ("np.array([8, 7, 5]) / 3", BETWEEN, SQUARES),
            "where the walk ends",
        ),
        Wrong(
            "the lengths' gradient of the difference",
            STARTS % (THIRDS, "[5, -5, -1]", SQUARES),
            "where the walk ends",
        ),
        Wrong(
            "the lengths' gradient of the squares",
            STARTS % (THIRDS, BETWEEN, "[136, 174, 130]"),
            "where the walk ends",
        ),
        Wrong("something else", STARTS % (THIRDS, BETWEEN, "[1, 2, 3]"), "How far does"),
        Wrong("two numbers", STARTS % ("[1, 2]", BETWEEN, SQUARES), "one for each face"),
        Wrong("one number", STARTS % ("1 / 3", BETWEEN, SQUARES), "one for each face"),
        Wrong("no dict", "[1 / 3, 1 / 3, 1 / 3]", "in a dict"),
    ),
    "09 row": (
        Right("the solution", row()),
        Right(
            "by np.eye",
            """
def one_row(f, point, i):
    x = Tensor(point)
    backward(f(x), np.eye(*f(x).shape)[i])
    return x.grad
one_row
""",
        ),
        Right(
            "with the package's Tensor",
            """
def one_row(f, point, i):
    x = ad.Tensor(point)
    e = f(x)
    e.backward([float(i == j) for j in range(e.size)])
    return x.grad
one_row
""",
        ),
        Right("a list", row(("return x.grad", "return list(x.grad)"))),
        Wrong("the sum of all rows", row(("backward(e, start)", "backward(e)")), "the start of ones gives"),
        Wrong(
            "a start as long as the point",
            row(("np.zeros(e.shape)", "np.zeros(len(point))")),
            "as many numbers as the result",
        ),
        Wrong(
            "i in place of 1",
            row(("np.zeros(e.shape)", "np.full(e.shape, i)"), ("    start[i] = 1\n", "")),
            "Start from 1 at place i",
        ),
        Wrong("len of a Tensor", row(("np.zeros(e.shape)", "np.zeros(len(e))")), "len(x.data)"),
        Wrong("a list as start", row(("np.zeros(e.shape)", "[0] * e.shape[0]")), "+ joins lists"),
        Wrong(
            "one result picked",
            row(("backward(e, start)", "backward(e[i])")),
            "cannot pick a number from a Tensor yet",
        ),
        Wrong("always row 0", row(("start[i]", "start[0]")), "a different row"),
        Wrong("one number of the row", row(("return x.grad", "return x.grad[i]")), "a row of numbers"),
        Wrong("printed", row(("return x.grad", "print(x.grad)")), "prints its result and returns nothing"),
        Wrong(
            "an argument too few",
            row(("(f, point, i)", "(f, point)"), ("[i]", "[0]")),
            "your function takes 2",
        ),
        Wrong("point without a Tensor", row(("x = Tensor(point)", "x = point")), "Put point into a Tensor"),
        Wrong("one Tensor for each number", row(("f(x)", "f(*map(Tensor, point))")), "f takes one Tensor"),
        Wrong(
            "point is moved",
            row(("return x.grad", "point += 1\n    return x.grad")),
            "changed the array point",
        ),
        Wrong("without end", row(("    return x.grad", "    while True: pass")), "Does a loop never end"),
        Wrong(
            "a nudge of each number",
            """
def one_row(f, point, i):
    found = []
    for j in range(len(point)):
        moved = point.copy()
        moved[j] += 1e-6
        found.append((f(Tensor(moved)).data[i] - f(Tensor(point)).data[i]) / 1e-6)
    return found
one_row
""",
            "That is a nudge",
        ),
        Wrong(
            "the package's Jacobian",
            "one_row = lambda f, point, i: ad.jacobian(f)(point)[i]\none_row",
            "yourself",
        ),
    ),
    "09 jacobian": (
        Right("row by row", ROW + JACOBIAN),
        Right(
            "as an array", ROW + JACOBIAN.replace("return [", "return np.array([").replace("[0])]", "[0])])")
        ),
        Right("tuples", ROW + JACOBIAN.replace("return [", "return tuple(").replace("[0])]", "[0]))")),
        Right(
            "one Tensor, cleared",
            """
def jacobian(f, point):
    x = Tensor(point)
    e = f(x)
    rows = []
    for start in np.eye(len(e.data)):
        x.grad = None
        backward(e, start)
        rows.append(x.grad)
    return rows
jacobian
""",
        ),
        Wrong(
            "one Tensor, not cleared",
            """
def jacobian(f, point):
    x = Tensor(point)
    e = f(x)
    rows = []
    for start in np.eye(len(e.data)):
        backward(e, start)
        rows.append(x.grad)
    return rows
jacobian
""",
            "gradients add up",
        ),
        Wrong(
            "as many rows as numbers",
            ROW + JACOBIAN.replace("f(Tensor(point)).shape[0]", "len(point)"),
            "one row for each result",
        ),
        Wrong(
            "always three rows",
            ROW + JACOBIAN.replace("f(Tensor(point)).shape[0]", "3"),
            "There are 2 results here",
        ),
        Wrong(
            "len of a Tensor",
            ROW + JACOBIAN.replace("f(Tensor(point)).shape[0]", "len(f(Tensor(point)))"),
            "len(x.data)",
        ),
        Wrong(
            "columns",
            ROW + JACOBIAN.replace("return [", "return np.transpose([").replace("[0])]", "[0])])"),
            "swapped",
        ),
        Wrong("from the last", ROW + JACOBIAN.replace("[0])]", "[0])][::-1]"), "not in the order"),
        Wrong(
            "the first row again and again",
            ROW + JACOBIAN.replace("point, i)", "point, 0)"),
            "Each row is the first",
        ),
        Wrong(
            "the start of ones",
            ROW.replace("backward(e, start)", "backward(e)") + JACOBIAN,
            "sum of all rows",
        ),
        Wrong(
            "one row", ROW + "jacobian = lambda f, point: one_row(f, point, 0)\njacobian", "That is one row"
        ),
        Wrong(
            "printed",
            ROW + JACOBIAN.replace("return [", "print([").replace("[0])]", "[0])])"),
            "returns nothing",
        ),
        Wrong("the package's", "jacobian = lambda f, point: ad.jacobian(f)(point)\njacobian", "yourself"),
        Wrong(
            "nudges",
            """
def jacobian(f, point):
    columns = []
    for j in range(len(point)):
        nudge = np.zeros(len(point))
        nudge[j] = 1e-6
        columns.append((f(Tensor(point + nudge)).data - f(Tensor(point)).data) / 1e-6)
    return np.stack(columns, axis=1)
jacobian
""",
            "That is a nudge",
        ),
    ),
}
