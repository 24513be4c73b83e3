"""The exercises of lesson 11: the gradient of one price, the rules of x @ y.T, the gradient of a bowl, and
prices from bills."""

import numpy as np

from ..checking import Mistake, NotYet
from .calling import call, counted, names_of
from .lesson_10 import reaches
from .shared import array, listed, same
from .table import PRINTS, Guess, Right, Stop, Table, Task, Wrong, advice, outcome

# -- in class: one price ------------------------------------------------------------------------------------

Guess(
    "11 price",
    right="8",
    answers=(
        Right("a float", "8.0"),
        Right("what the machine gives", """
            amounts = Tensor(np.array([[1.0, 2, 3], [3, 4, 5]]))
            prices = Tensor(np.array([[9.0, 8], [7, 6], [10, 11]]))
            backward(amounts @ prices)
            prices.grad[2, 1]"""),
        Wrong("the price", "11", "11 is the price itself. Its gradient says how much the sum of the bills moves with it. Which amounts multiply it?"),
        Wrong("Ann's plums", "3", "3 is what Ann buys. The price is part of Bob's bill, too."),
        Wrong("Bob's plums", "5", "5 is what Bob buys. The price is part of Ann's bill, too."),
        Wrong("the money", "88", "88 is the money that the two pay for plums there. The gradient is the money per unit of price: how many plums do they buy?"),
        Wrong("both shops", "16", "16 counts the plums for both shops. This price is part of the two bills of its own shop only."),
        Wrong("the gradient of an amount", "21", "21 is what one more plum costs, in both shops together: the gradient of an amount. The question is about the gradient of a price."),
        Wrong("how many bills", "2", "2 bills contain this price. By how much does each of them move?"),
        Wrong("what arrives at a bill", "1", "1 is what arrives at each of the four bills. From there it is passed on, times the local slopes."),
        Wrong("multiplied", "15", "Contributions that meet are added, not multiplied."),
        Wrong("for 0.01", "0.08", "The sum moves by 0.08 if the price moves by 0.01. The gradient is that per unit."),
        Wrong("something else", "7"),
        Wrong("text", "'eight'", holds="A number is asked for"),
    ),
    message="{why}",
    otherwise="It is not {found:.6g}. Two bills contain that price, and each moves by the amount bought.",
    praise="Eight plums are on the two lists, so their bills move by eight times what the price moves by.",
    hints=(
        "Raise the price of plums in the second shop by 0.01. Which of the four bills move, and by how much each?",
        "Ann buys 3 plums and Bob 5. Both bills count in the sum: contributions that meet are added.",
        "3 + 5",
    ),
)  # fmt: skip

# -- at home: the rules of x @ y.T ---------------------------------------------------------------------------

# First sizes that all differ, then square matrices. No number occurs twice, and no matrix is symmetric.
CASES = (
    (
        np.array([[1.0, 2, 3], [4, 5, 7]]),
        np.array([[2.0, 0, 1], [3, 1, 4], [1, 5, 9], [2, 6, 5]]),
        np.array([[1.0, 10, 2, 20], [3, 30, 4, 40]]),
    ),
    (np.array([[1.0, 2], [3, 4]]), np.array([[5.0, 6], [7, 8]]), np.array([[1.0, 10], [100, 1000]])),
)
FOR_X, FOR_Y = "grad @ y", "grad.T @ x"
LOST = "The gradient that arrives is lost: use grad, not only its shape."

SCORES = Table(
    "11 scores",
    right=f"""
        def for_x(grad, z, x, y):
            return {FOR_X}
        def for_y(grad, z, x, y):
            return {FOR_Y}
        for_x, for_y""",
    answers=(
        Right("the transpose of the transpose", (FOR_Y, "(x.T @ grad).T")),
        Right("with einsum", ((FOR_X, "np.einsum('ij,jk->ik', grad, y)"), (FOR_Y, "np.einsum('ij,ik->jk', grad, x)"))),
        Right("as Tensors", ((FOR_X, "Tensor(grad @ y)"), (FOR_Y, "ad.Tensor(grad.T @ x)"))),
        Wrong("right for other sizes only", (FOR_X, "grad @ y if grad.shape[1] != x.shape[1] else grad @ y.T"), "That is the rule of x @ y. Here the right factor is y.T, and its transpose is y."),
        Wrong("transposed at the end", (FOR_X, "(grad @ y).T"), "That is its transpose. It must have the shape of x."),
        Wrong("the gradient is lost", (FOR_X, "np.ones_like(grad) @ y"), LOST),
        Wrong("for y twice", (FOR_X, FOR_Y), "That is the gradient of y."),
        Wrong("the gradient of y.T", (FOR_Y, "x.T @ grad"), "That is the gradient of y.T. You want that of y: transpose it."),
        Wrong("reshaped", (FOR_Y, "(x.T @ grad).reshape(y.shape)"), "reshape keeps the order and breaks the rows in other places. Use .T: rows become columns."),
        Wrong("the gradient is lost for y", (FOR_Y, "np.ones_like(grad).T @ x"), LOST),
        Wrong("for x twice", (FOR_Y, FOR_X), "That is the gradient of x."),
        Wrong("twice too much", (FOR_X, f"2 * {FOR_X}")),
        Wrong("ones", (FOR_X, "np.ones(x.shape)"), holds="for_x gives the right shape, but the wrong numbers"),
        Wrong("ones for y", (FOR_Y, "np.ones(y.shape)"), holds="for_y gives the right shape, but the wrong numbers"),
        Wrong("one number", (FOR_X, "grad.sum()"), holds="A gradient has the shape of its own array"),
        Wrong("the rule of x @ y", (FOR_X, "grad @ y.T"), holds="do not fit"),
        Wrong("grad not transposed", (FOR_Y, "grad @ x"), holds="do not fit"),
        Wrong("text", (FOR_X, "'up'"), holds="An array is asked for"),
        Wrong("printed", (f"return {FOR_X}", f"print({FOR_X})"), holds=PRINTS),
        Wrong("an argument too few", ("for_x(grad, z, x, y)", "for_x(grad, x, y)"), holds="your function takes 3"),
        Wrong("a number for a function", ("for_x, for_y", "for_x, 3"), holds="A function is asked for"),
    ),
    otherwise="Write one element of z out, and nudge.",
    hints=(
        "The shapes: grad is (2, 4), y is (4, 3). Which product of the two has the shape of x, (2, 3)?",
        "No transpose is needed for x. For y: grad and x are (2, 4) and (2, 3), and y is (4, 3). Which of them has to be transposed?",
        "return grad @ y for x, and return grad.T @ x for y",
    ),
)
DO_NOT_FIT = Stop(ValueError, "{where}{rule} has a product whose shapes do not fit. The transposes are not those of x @ y: write down the three shapes, and find the product of grad and the other factor that has the shape of {side}.")  # fmt: skip


@SCORES.judged
def scores(for_x, for_y):
    """Judge both rules of z = x @ y.T, first with sizes that all differ, then with square matrices."""
    given = {"for_x": for_x, "for_y": for_y}
    for name, rule in given.items():
        if rule is None:
            raise NotYet(f"there is no {name}.")
    for case in CASES:
        for place, (name, rule) in enumerate(given.items()):
            judge_rule(rule, name, place, *case)
    return (
        "They hold with sizes that all differ, and for square matrices, where every shape would fit. "
        "z[i, j] takes row i of x and row j of y; so a row of grad belongs to a row of x, and a column of it "
        "to a row of y."
    )


def judge_rule(rule, name, place, x, y, grad):
    """Judge one of the two rules on one case: first the shape, then the numbers."""
    said = f"{name}(grad, z, x, y)"
    where = f"With x of shape {x.shape}, y of {y.shape} and grad of {grad.shape}, "
    inputs = grad, x @ y.T, x, y
    with advice(DO_NOT_FIT, where=where, rule=name, side=name[-1]):
        given = call(rule, *map(np.copy, inputs), said=said, header=f"def {said}:")
    found, wanted = array(given, f"{said} gave"), SCORES.answer()[place](*inputs)
    if same(found, wanted):
        return
    is_shape = found.shape == wanted.shape
    otherwise = None if is_shape else "A gradient has the shape of its own array."
    why = SCORES.why(lambda wrong: same(found, outcome(wrong[place], *inputs)), rule, otherwise)
    if not is_shape:
        start = f"{where}{name} gives the shape {found.shape}, and that of {name[-1]} is {wanted.shape}."
    elif x.shape != (2, 2):
        start = f"{where}{name} gives the right shape, but the wrong numbers."
    else:
        start = f"At x = {listed(x)}, y = {listed(y)} and grad = {listed(grad)}, {name} gives {listed(found)}, and it should be {listed(wanted)}."
    raise Mistake(f"{start} {why}")


# -- at home: a bowl ----------------------------------------------------------------------------------------


def in_another_shape(found, right, said):
    """Raise Mistake for the right numbers in another shape."""
    if found.shape != right.shape and same(found.ravel(), right):
        raise Mistake(
            f"The numbers are right, but they come in the shape {found.shape}. x has the shape "
            f"{right.shape}, and its gradient has it, too: use .ravel()."
        )


BOTH_SIDES = "x stands on both sides of A: one contribution has A in it, the other A.T."
ONE_SIDED = """
    q = lambda x: x @ A @ x
    found = []
    for i in range(len(x)):
        step = np.zeros(len(x))
        step[i] = 1e-5
        found.append((q(x + step) - q(x)) / step[i])
    return found"""

Task(
    "11 bowl",
    head="bowl_gradient(x, A)",
    right="A @ x + A.T @ x",
    cases=(
        ([1.0, 2], [[1.0, 2], [3, 4]]),  # for a symmetric A, 2 A x would pass
        ([2.0, -1, 3], [[1.0, 0, 5], [2, 1, 0], [-1, 3, 4]]),
    ),
    answers=(
        Right("one product", "(A + A.T) @ x"),
        Right("a row on the left", "A @ x + x @ A"),
        Right("a list", "list((A + A.T) @ x)"),
        Right("a one-sided nudge", ONE_SIDED),
        Right("a one-sided nudge of 0.001", ONE_SIDED.replace("1e-5", "1e-3")),
        Right("a nudge to both sides", ONE_SIDED.replace("q(x)) / step[i]", "q(x - step)) / (2 * step[i])")),
        Right("a walk by the package", "x = ad.Tensor(x)\n(x @ A @ x).backward()\nreturn x.grad"),
        Right("a walk by the machine", "x = Tensor(x.reshape(-1, 1))\nbackward(x.T @ A @ x)\nreturn x.grad.ravel()"),
        Wrong("as in school", "2 * A @ x", f"2 * A @ x is right only where A is symmetric. {BOTH_SIDES}"),
        Wrong("as in school, transposed", "2 * A.T @ x", f"That is 2 * A.T @ x. {BOTH_SIDES}"),
        Wrong("the left x only", "A @ x", "That is for the x on the left. The other x makes a contribution as well."),
        Wrong("the right x only", "x @ A", "That is for the x on the right. The other x makes a contribution as well."),
        Wrong("the matrix", "A + A.T", "That is a matrix, A plus its transpose. The x is missing."),
        Wrong("elementwise", "(A + A.T) * x", "Put @ between the matrix and x; a * multiplies elementwise."),
        Wrong("q itself", "x @ A @ x", "That is q itself, one number. The gradient has the shape of x."),
        Wrong("multiplied", "(A @ x) * (A.T @ x)", "Contributions that meet are added, not multiplied."),
        Wrong("2x", "2 * x"),
        Wrong("a nudge that is not divided", ONE_SIDED.replace(" / step[i]", "")),
        Wrong("a column", "((A + A.T) @ x).reshape(-1, 1)", holds="come in the shape (2, 1)"),
        Wrong("a walk by the machine, without columns", "x = Tensor(x)\nbackward(x @ A @ x)\nreturn x.grad", holds="Its rules for @ are for tables"),
        Wrong("text", "'steep'", holds="An array is asked for"),
        Wrong("printed", "print(A @ x)", holds=PRINTS),
        Wrong("an argument too few", "lambda x: 2 * x", holds="your function takes 1"),
        Wrong("no function", "answer = 12", holds="A function is asked for"),
    ),
    otherwise="Nudge each number of x in turn, and compare.",
    praise="x is used twice, so two contributions meet: A @ x and A.T @ x. If A is symmetric, they are equal.",
    hints=(
        "q = x @ (A @ x). Hold the x in the brackets still: what is the gradient with respect to the left one? Then the other way round.",
        "For the left x it is A @ x. For the right x, write q as (x @ A) @ x: it is x @ A, which is A.T @ x. x is both of them, so two contributions meet.",
        "return A @ x + A.T @ x",
    ),
    stops=(
        Stop(ValueError, "{said} stopped with ValueError. A walk back by your machine? Its rules for @ are for tables: make x a column first, x.reshape(-1, 1), or derive the gradient by hand.", "matmul"),
    ),
    equal=lambda found, right: found.shape == right.shape and np.abs(found - right).max() < 0.02,  # a one-sided nudge is right
    unequal=in_another_shape,
)  # fmt: skip

# -- at home: prices from bills -----------------------------------------------------------------------------

MISSES = "(amounts @ prices - bills) ** 2"
MISSED = "{said} is {wanted}, and you give {gives}. {why}"


def not_of_bills(found, right, said):
    """Raise Mistake for a table that has not the shape of the bills."""
    if found.ndim and found.shape != right.shape:
        why = "The result has the shape of the bills."
        raise Mistake(MISSED.format(said=said, wanted=listed(right), gives=listed(found), why=why))


def recorded(answer, wanted, inputs, others, said):
    """Raise Mistake unless a path leads from the answer back to the Tensor of the prices."""
    if not hasattr(answer, "creators"):
        raise Mistake(
            "The numbers are right, but they are plain numbers: nothing was recorded to walk back through. "
            "Compute with the Tensor prices, without .data."
        )
    if not reaches(answer, inputs[0]):
        raise Mistake(
            "The numbers are right, but no path leads back to prices. Compute with the Tensor itself."
        )


Task(
    "11 misses",
    head="misses(prices, amounts, bills)",
    right=MISSES,
    cases=(
        # the bills at these prices, but for 1, -3 and -3 at three places
        ([[1.0, 2], [0, 1]], [[1.0, 2], [3, 0], [2, 1]], [[2.0, 4], [0, 6], [2, 2]]),
    ),
    answers=(
        Right("the other way round", "(bills - amounts @ prices) ** 2"),
        Wrong("the sum", "np.sum((amounts @ prices.data - bills) ** 2)", "That is their sum. Leave them as they are: backward starts from ones, which adds them up."),
        Wrong("the mean", "np.mean((amounts @ prices.data - bills) ** 2)", "That is their mean. Leave them as they are."),
        Wrong("not squared", "amounts @ prices - bills", "Those are the differences. Square them."),
        Wrong("not squared, the other way round", "bills - amounts @ prices", "Those are the differences. Square them."),
        Wrong("bills forgotten", "(amounts @ prices) ** 2", "Those are the squares of the bills at these prices. Subtract what was paid first."),
        Wrong("half", f"{MISSES} / 2"),
        Wrong("elementwise", "(amounts[:2] * prices - bills[:2]) ** 2", holds="the shape of the bills"),
        Wrong("the mean, by the machine", f"({MISSES}).mean()", holds="no mean yet"),
        Wrong("another name that is missing", f"({MISSES}).middle()", holds="no attribute 'middle'"),
        Wrong("plain numbers", ("prices", "prices.data"), holds="nothing was recorded"),
        Wrong("a new Tensor", ("prices", "Tensor(prices.data)"), holds="no path leads back"),
        Wrong("the factors exchanged", ("amounts @ prices", "prices @ amounts"), holds="@ does not fit: rows of 2 on the left, columns of 3 on the right. The amounts are the left factor"),
        Wrong("printed", f"print({MISSES})", holds=PRINTS),
        Wrong("arguments missing", "lambda prices: prices", holds="your function takes 1"),
    ),
    otherwise="For each bill: amounts @ prices, minus the bill, squared.",
    praise="One number for each bill, with a path back to the prices.",
    hints=(
        "amounts @ prices gives the bills at these prices. How far is each of them from the bill that was paid?",
        "Subtract the bills, and square with ** 2. `array @ Tensor` works: @ is an operation of the machine.",
        "return (amounts @ prices - bills) ** 2",
    ),
    inputs=lambda case, function: [names_of(function, 11)["Tensor"](np.array(case[0])), *map(np.array, case[1:])],
    said=lambda case: "misses for the prices {}, the amounts {} and the bills {}".format(*map(listed, case)),
    stops=(
        Stop(ValueError, "{said}: your code stopped with ValueError: {error}. The amounts are the left factor: a bill is a row of amounts times a column of prices."),
        Stop(AttributeError, "Your machine has no mean yet. One squared difference for each bill is wanted, not their mean.", "no attribute 'mean'"),
    ),
    unequal=not_of_bills,
    message=MISSED,
    after=recorded,
)

# Amounts and prices. The tables have other sizes each time; in the last, there are more customers than
# fruits, and their bills agree.
SHOPPING = (
    (np.array([[1.0, 2, 3], [3, 1, 2], [2, 3, 1]]), np.array([[9.0, 8], [7, 6], [10, 11]])),
    (np.array([[2.0, 1], [1, 3]]), np.array([[4.0, 1, 0.5, 7], [8, 2, 1, 14]])),
    (np.array([[2.0, 0], [0, 1], [1, 1], [3, 2]]), np.array([[2.5], [4]])),
)
LINES = 5_000_000  # thousands of steps are right as well
SHAPE, STEP = "(amounts.shape[1], bills.shape[1])", "step([prices], 0.01)"

FIND = Table(
    "11 prices",
    head="find_prices(amounts, bills)",
    right=f"""
        prices = Tensor(np.zeros({SHAPE}))
        for _ in range(500):
            backward({MISSES})
            {STEP}
        return prices""",
    answers=(
        Right("five thousand steps", ("500", "5_000")),
        Right("an array", ("return prices", "return prices.data")),
        Right("nested lists", ("return prices", "return prices.data.tolist()")),
        Right("from ones", ("np.zeros", "np.ones")),
        Right("by the rule itself", (("Tensor", ""), (f"backward({MISSES})", f"grad = {MISSES.replace('**', '*')}"), (STEP, "prices = prices - 0.01 * amounts.T @ grad"))),
        Wrong("solved by NumPy", "np.linalg.solve(amounts, bills)", holds="cannot solve this directly"),
        Wrong("too few steps", ("500", "5"), holds="take more steps"),
        Wrong("gradients not cleared", (STEP, "prices.data = prices.data - 0.01 * prices.grad"), holds="whether the gradients are cleared"),
        Wrong("no step", (STEP, "pass"), holds="No step has changed"),
        Wrong("the shape of the lesson's prices", (SHAPE, "(3, 2)"), holds="Here are 2 fruits and 4 shops"),
        Wrong("a single number", (f"np.zeros({SHAPE})", "0.0"), holds="Here are 3 fruits and 2 shops"),
        Wrong("no walk back", (f"backward({MISSES})", "pass"), holds="Walk back before"),
        Wrong("the prices begin anew", (f"    backward({MISSES})", f"    prices = Tensor(np.zeros({SHAPE}))\n        backward({MISSES})"), holds="begin anew"),
        Wrong("too large a rate", ("0.01", "1.0"), holds="without bound"),
        Wrong("uphill", ("0.01", "-0.01"), holds="without bound"),
        Wrong("rows and columns exchanged", ("return prices", "return prices.data.T"), holds="a row for each fruit"),
        Wrong("one shop", ("return prices", "return prices.data[:, 0]"), holds="a column for each shop"),
        Wrong("printed", ("return prices", "print(prices)"), holds=PRINTS),
        Wrong("without end", ("for _ in range(500)", "while True"), holds="Does a loop never end"),
        Wrong("the numbers of the lesson", "[[9, 8], [7, 6], [10, 11]]", holds="the shape (3, 2)"),
        Wrong("an argument too few", (("(amounts, bills)", "(amounts)"), ("bills", "amounts")), holds="your function takes 1"),
    ),
    hints=(
        "What is the shape of the prices? They have a row for each fruit, as many as amounts has columns, and a column for each shop, as many as bills has.",
        "prices = Tensor(np.zeros((amounts.shape[1], bills.shape[1]))). Then a loop: compute, walk back, step.",
        "for _ in range(500): backward(misses(prices, amounts, bills)); step([prices], 0.01). After the loop return prices",
    ),
)
FIND_STOPS = (
    Stop(np.linalg.LinAlgError, "{said}: NumPy cannot solve this directly ({error}). There may be more customers than fruits, so learn the prices: start from zeros and take steps against the gradient."),
    *(
        Stop(ValueError, "{said}: two shapes do not fit. Here are {fruits} and {shops}: take the shape of the zeros from amounts and bills.", words)
        for words in ("matmul", "broadcast")
    ),
    Stop(TypeError, "{said}: the prices have no gradient yet. Walk back before the step.", "'float' and 'NoneType'"),
)  # fmt: skip


@FIND.judged
def find_prices(function):
    """Judge find_prices(amounts, bills) by the bills that its prices give."""
    for amounts, prices in SHOPPING:
        bills = amounts @ prices
        said = f"find_prices for the amounts {listed(amounts)} and the bills {listed(bills)}"
        fruits, shops = map(counted, prices.shape, ("fruit", "shop"))
        with advice(*FIND_STOPS, said=said, fruits=fruits, shops=shops), np.errstate(all="ignore"):
            inputs = amounts.copy(), bills.copy()
            given = call(function, *inputs, said=said, header=f"def {FIND.head}:", steps=LINES)
        found = array(given, f"{said} gave")
        if found.shape != prices.shape:
            raise Mistake(
                f"{said}: your prices have the shape {found.shape}, and {prices.shape} is right: a row for "
                "each fruit, a column for each shop."
            )
        away = float(np.abs(amounts @ found - bills).max())
        if not np.isfinite(away) or away > 1e6:
            raise Mistake(
                f"{said}: the prices have grown without bound. Take small steps against the gradient, at the "
                "rate 0.01."
            )
        if away > 0.01:
            why = (
                "0.01 is allowed: take more steps. If they do not help, look whether the prices begin anew in "
                "each round, and whether the gradients are cleared after each step, as `step` does."
            )
            why = why if found.any() else "No step has changed the zeros."
            raise Mistake(
                f"{said}: with your prices {listed(found, 2)} a bill is off by {away:.3g}. {why}"
            )
    return "amounts @ prices gives the bills: you have solved a system of equations."
