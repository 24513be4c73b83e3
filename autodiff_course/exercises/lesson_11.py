"""The exercises of lesson 11: the gradient of one price, the rules of x @ y.T, the gradient of a bowl, and
prices from bills."""

import re

import numpy as np

from ..checking import Mistake, NotYet, exercise, in_words, number
from .calling import call, counted, names_of
from .shared import array, listed, outcome, same

# -- in class: one price ------------------------------------------------------------------------------------

GUESSES = {
    11: "11 is the price itself. Its gradient says how much the sum of the bills moves with it. Which "
    "amounts multiply it?",
    3: "3 is what Ann buys. The price is part of Bob's bill, too.",
    5: "5 is what Bob buys. The price is part of Ann's bill, too.",
    88: "88 is the money that the two pay for plums there. The gradient is the money per unit of price: how "
    "many plums do they buy?",
    16: "16 counts the plums for both shops. This price is part of the two bills of its own shop only.",
    21: "21 is what one more plum costs, in both shops together: the gradient of an amount. The "
    "question is about the gradient of a price.",
    2: "2 bills contain this price. By how much does each of them move?",
    1: "1 is what arrives at each of the four bills. From there it is passed on, times the local slopes.",
    15: "Contributions that meet are added, not multiplied.",
    0.08: "The sum moves by 0.08 if the price moves by 0.01. The gradient is that per unit.",
}


@exercise(
    "11 price",
    "Raise the price of plums in the second shop by 0.01. Which of the four bills move, and by how much "
    "each?",
    "Ann buys 3 plums and Bob 5. Both bills count in the sum: contributions that meet are added.",
    "3 + 5",
)
def price(guess):
    """Judge the predicted gradient of prices[2, 1]; right is 3 + 5."""
    found = number(guess)
    if found in GUESSES:
        raise Mistake(GUESSES[found])
    if found != 8:
        raise Mistake(
            f"It is not {found:.6g}. Two bills contain that price, and each moves by the amount bought."
        )
    return "Eight plums are on the two lists, so their bills move by eight times what the price moves by."


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
LEFT_KINDS = (
    (
        lambda grad, x, y: grad @ y.T,
        "That is the rule of x @ y. Here the right factor is y.T, and its transpose is y.",
    ),
    (lambda grad, x, y: (grad @ y).T, "That is its transpose. It must have the shape of x."),
    (
        lambda grad, x, y: np.ones_like(grad) @ y,
        "The gradient that arrives is lost: use grad, not only its shape.",
    ),
    (lambda grad, x, y: grad.T @ x, "That is the gradient of y."),
    (lambda grad, x, y: y @ grad, "The factors are in the wrong order."),
    (
        lambda grad, x, y: grad.T @ y,
        "grad is transposed, but should not be: its rows belong to the rows of x.",
    ),
)
RIGHT_KINDS = (
    (lambda grad, x, y: x.T @ grad, "That is the gradient of y.T. You want that of y: transpose it."),
    (
        lambda grad, x, y: (x.T @ grad).reshape(y.shape),
        "reshape keeps the order and breaks the rows in other places. Use .T: rows become columns.",
    ),
    (
        lambda grad, x, y: np.ones_like(grad).T @ x,
        "The gradient that arrives is lost: use grad, not only its shape.",
    ),
    (lambda grad, x, y: grad @ y, "That is the gradient of x."),
    (lambda grad, x, y: grad @ x, "grad is not transposed: its columns belong to the rows of y."),
    (lambda grad, x, y: x @ grad, "The factors are in the wrong order."),
)
RULES = (
    ("for_x", lambda grad, x, y: grad @ y, LEFT_KINDS),
    ("for_y", lambda grad, x, y: grad.T @ x, RIGHT_KINDS),
)


def judge_rule(rule, name, right, kinds, inputs):
    """Judge one rule on one case: first the shape, then the numbers."""
    x, y, grad = inputs
    said = f"{name}(grad, z, x, y)"
    where = f"With x of shape {x.shape}, y of {y.shape} and grad of {grad.shape}, "
    try:
        found = array(
            call(rule, grad.copy(), x @ y.T, x.copy(), y.copy(), said=said, header=f"def {said}:"),
            f"{said} gave",
        )
    except ValueError as error:
        raise Mistake(
            f"{where}{name} has a product whose shapes do not fit. The transposes are not those "
            "of x @ y: write down the three shapes, and find the product of grad and the other factor that "
            f"has the shape of {name[-1]}."
        ) from error
    wanted = right(grad, x, y)
    if same(found, wanted):
        return
    fitting = [kind for wrong, kind in kinds if same(found, outcome(wrong, grad, x, y))]
    if found.shape != wanted.shape:
        start = f"{where}{name} gives the shape {found.shape}, and that of {name[-1]} is {wanted.shape}. "
        raise Mistake(start + next(iter(fitting), "A gradient has the shape of its own array."))
    start = f"At x = {listed(x)}, y = {listed(y)} and grad = {listed(grad)}, {name} gives {listed(found)}, "
    if x.shape != (2, 2):
        start = f"{where}{name} gives the right shape, but the wrong numbers. "
    else:
        start += f"and it should be {listed(wanted)}. "
    raise Mistake(start + next(iter(fitting), "Write one element of z out, and nudge."))


@exercise(
    "11 scores",
    "The shapes: grad is (2, 4), y is (4, 3). Which product of the two has the shape of x, (2, 3)?",
    "No transpose is needed for x. For y: grad and x are (2, 4) and (2, 3), and y is (4, 3). Which of them "
    "has to be transposed?",
    "return grad @ y for x, and return grad.T @ x for y",
)
def scores(for_x, for_y):
    """Judge both rules of z = x @ y.T, first with sizes that all differ, then with square matrices."""
    for name, rule in (("for_x", for_x), ("for_y", for_y)):
        if rule is None:
            raise NotYet(f"there is no {name}.")
    for x, y, grad in CASES:
        for rule, (name, right, kinds) in zip((for_x, for_y), RULES):
            judge_rule(rule, name, right, kinds, (x, y, grad))
    return (
        "They hold with sizes that all differ, and for square matrices, where every shape would fit. "
        "z[i, j] takes row i of x and row j of y; so a row of grad belongs to a row of x, and a column of it "
        "to a row of y."
    )


# -- at home: a bowl ----------------------------------------------------------------------------------------

BOWLS = (
    (np.array([1.0, 2]), np.array([[1.0, 2], [3, 4]])),
    (np.array([2.0, -1, 3]), np.array([[1.0, 0, 5], [2, 1, 0], [-1, 3, 4]])),
)
BOTH_SIDES = "x stands on both sides of A: one contribution has A in it, the other A.T."
BOWL_KINDS = (
    (lambda x, A: 2 * A @ x, f"2 * A @ x is right only where A is symmetric. {BOTH_SIDES}"),
    (lambda x, A: 2 * A.T @ x, f"That is 2 * A.T @ x. {BOTH_SIDES}"),
    (lambda x, A: A @ x, "That is for the x on the left. The other x makes a contribution as well."),
    (lambda x, A: A.T @ x, "That is for the x on the right. The other x makes a contribution as well."),
    (lambda x, A: A + A.T, "That is a matrix, A plus its transpose. The x is missing."),
    (lambda x, A: (A + A.T) * x, "Put @ between the matrix and x; a * multiplies elementwise."),
    (lambda x, A: x @ A @ x, "That is q itself, one number. The gradient has the shape of x."),
    (lambda x, A: (A @ x) * (A.T @ x), "Contributions that meet are added, not multiplied."),
)


@exercise(
    "11 bowl",
    "q = x @ (A @ x). Hold the x in the brackets still: what is the gradient with respect to the left one? "
    "Then the other way round.",
    "For the left x it is A @ x. For the right x, write q as (x @ A) @ x: it is x @ A, which is A.T @ x. x "
    "is both of them, so two contributions meet.",
    "return A @ x + A.T @ x",
)
def bowl(function):
    """Judge the gradient of x @ A @ x for an A that is not symmetric. For a symmetric A, 2 A x would pass."""
    for x, A in BOWLS:
        said = f"bowl_gradient({listed(x)}, {listed(A)})"
        try:
            given = call(function, x.copy(), A.copy(), said=said, header="def bowl_gradient(x, A):")
        except ValueError as error:
            if "matmul" not in str(error):
                raise
            raise Mistake(
                f"{said} stopped with ValueError. A walk back by your machine? Its rules for @ are for "
                "tables: make x a column first, x.reshape(-1, 1), or derive the gradient by hand."
            ) from error
        found = array(given, f"{said} gave")
        right = A @ x + A.T @ x
        if found.shape == right.shape and np.abs(found - right).max() < 0.02:  # a one-sided nudge is right
            continue
        if found.size == right.size and same(found.ravel(), right):
            raise Mistake(
                f"The numbers are right, but they come in the shape {found.shape}. x has the shape "
                f"{x.shape}, and its gradient has it, too: use .ravel()."
            )
        fitting = [kind for wrong, kind in BOWL_KINDS if same(found, wrong(x, A))]
        raise Mistake(
            f"{said} gives {listed(found)}; it should be {listed(right)}. "
            + next(iter(fitting), "Nudge each number of x in turn, and compare.")
        )
    return "x is used twice, so two contributions meet: A @ x and A.T @ x. If A is symmetric, they are equal."


# -- at home: prices from bills -----------------------------------------------------------------------------

GUESSED = np.array([[1.0, 2], [0, 1]])
BOUGHT = np.array([[1.0, 2], [3, 0], [2, 1]])
PAID = np.array([[2.0, 4], [0, 6], [2, 2]])  # the bills at these prices, but for 1, -3 and -3 at three places
MISSED = (BOUGHT @ GUESSED - PAID) ** 2


@exercise(
    "11 misses",
    "amounts @ prices gives the bills at these prices. How far is each of them from the bill that was paid?",
    "Subtract the bills, and square with ** 2. `array @ Tensor` works: @ is an operation of the machine.",
    "return (amounts @ prices - bills) ** 2",
)
def misses(function):
    """Judge misses(prices, amounts, bills) by its numbers, its shape, and its gradient."""
    names = names_of(function, 11)
    prices = names["Tensor"](GUESSED.copy())
    said = (
        f"misses for the prices {listed(GUESSED)}, the amounts {listed(BOUGHT)} and the bills {listed(PAID)}"
    )
    header = "def misses(prices, amounts, bills):"
    try:
        given = call(function, prices, BOUGHT.copy(), PAID.copy(), said=said, header=header)
    except ValueError as error:
        raise Mistake(
            f"{said}: your code stopped with ValueError: {in_words(str(error))}. The amounts are the left "
            "factor: a bill is a row of amounts times a column of prices."
        ) from error
    except AttributeError as error:
        if "no attribute 'mean'" not in str(error):
            raise
        raise Mistake(
            "Your machine has no mean yet. One squared difference for each bill is wanted, not their mean."
        ) from None
    found = array(given, f"{said} gave")
    if not same(found, MISSED):
        raise Mistake(f"{said} is {listed(MISSED)}, and you give {listed(found)}. " + of_misses(found))
    if not hasattr(given, "creators"):
        raise Mistake(
            "The numbers are right, but they are plain numbers: nothing was recorded to walk back through. "
            "Compute with the Tensor prices, without .data."
        )
    if id(prices) not in {id(node) for node in nodes_behind(given)}:
        raise Mistake(
            "The numbers are right, but no path leads back to prices. Compute with the Tensor itself."
        )
    return "One number for each bill, with a path back to the prices."


def of_misses(found):
    """The message for wrong misses."""
    if same(found, MISSED.sum()):
        return "That is their sum. Leave them as they are: backward starts from ones, which adds them up."
    if same(found, MISSED.mean()):
        return "That is their mean. Leave them as they are."
    if same(np.abs(found), np.sqrt(MISSED)):
        return "Those are the differences. Square them."
    if same(found, (BOUGHT @ GUESSED) ** 2):
        return "Those are the squares of the bills at these prices. Subtract what was paid first."
    if found.shape != MISSED.shape:
        return "The result has the shape of the bills."
    return "For each bill: amounts @ prices, minus the bill, squared."


def nodes_behind(end):
    """All nodes behind a reader's Tensor."""
    seen, stack = {}, [end]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen[id(node)] = node
            stack.extend(part for part in node.creators or () if hasattr(part, "creators"))
    return seen.values()


# Amounts and prices. The tables have other sizes each time; in the last, there are more customers than
# fruits, and their bills agree.
SHOPPING = (
    (np.array([[1.0, 2, 3], [3, 1, 2], [2, 3, 1]]), np.array([[9.0, 8], [7, 6], [10, 11]])),
    (np.array([[2.0, 1], [1, 3]]), np.array([[4.0, 1, 0.5, 7], [8, 2, 1, 14]])),
    (np.array([[2.0, 0], [0, 1], [1, 1], [3, 2]]), np.array([[2.5], [4]])),
)


@exercise(
    "11 prices",
    "What is the shape of the prices? They have a row for each fruit, as many as amounts has columns, and "
    "a column for each shop, as many as bills has.",
    "prices = Tensor(np.zeros((amounts.shape[1], bills.shape[1]))). Then a loop: compute, walk back, step.",
    "for _ in range(500): backward(misses(prices, amounts, bills)); step([prices], 0.01). After the loop "
    "return prices",
)
def find_prices(function):
    """Judge find_prices(amounts, bills) by the bills that its prices give."""
    for amounts, prices in SHOPPING:
        bills = amounts @ prices
        said = f"find_prices for the amounts {listed(amounts)} and the bills {listed(bills)}"
        header, steps = "def find_prices(amounts, bills):", 5_000_000  # thousands of steps are right as well
        try:
            with np.errstate(all="ignore"):  # too large a rate has a message of its own
                given = call(function, amounts.copy(), bills.copy(), said=said, header=header, steps=steps)
        except np.linalg.LinAlgError as error:
            raise Mistake(
                f"{said}: NumPy cannot solve this directly ({error}). There may be more customers than "
                "fruits, so learn the prices: start from zeros and take steps against the gradient."
            ) from error
        except ValueError as error:
            if not re.search("matmul|broadcast", str(error)):
                raise
            raise Mistake(
                f"{said}: two shapes do not fit. Here are {counted(prices.shape[0], 'fruit')} and "
                f"{counted(prices.shape[1], 'shop')}: take the shape of the zeros from amounts and bills."
            ) from error
        except TypeError as error:
            if "'float' and 'NoneType'" not in str(error):
                raise
            raise Mistake(f"{said}: the prices have no gradient yet. Walk back before the step.") from error
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
            told = f"{said}: with your prices {listed(found, 2)} a bill is off by {away:.3g}. "
            raise Mistake(
                told
                + (
                    "No step has changed the zeros."
                    if not found.any()
                    else "0.01 is allowed: take more steps. If they do not help, look whether the prices "
                    "begin anew in each round, and whether the gradients are cleared after each step, as "
                    "`step` does."
                )
            )
    return "amounts @ prices gives the bills: you have solved a system of equations."
