"""The exercises of lesson 11: the gradient of one price, the rules of x @ y.T, and the gradient of a bowl."""

import numpy as np

from ..checking import Mistake, NotYet, exercise, number, result
from .shared import array, listed, outcome, same

# -- in class: one price ------------------------------------------------------------------------------------

GUESSES = {
    11: "11 is the price itself. Its gradient is how much the total moves with it: which amounts is it "
    "multiplied by?",
    3: "3 is what Ann buys. The price stands in Bob's bill, too.",
    5: "5 is what Bob buys. The price stands in Ann's bill, too.",
    88: "88 is the money that the two pay for plums there. Per unit of price it is less: how many plums?",
    16: "Those are the plums of both shops. The second one's price stands in its own two bills only.",
    21: "21 is what one more plum costs, in both shops together: the gradient of an amount. Asked is that of "
    "a price.",
    2: "2 bills have the price in them. By how much does each of them move?",
    1: "1 is what arrives at each of the four bills. From there it goes on, times the local slopes.",
    15: "Contributions that meet are added, not multiplied.",
    0.08: "The total moves by 0.08 if the price moves by 0.01. The gradient is that per unit.",
}


@exercise(
    "11 price",
    "Make plums in the second shop dearer by 0.01. Which of the four bills move, and by how much each?",
    "Ann buys 3 plums and Bob 5. Both bills count in the total: contributions that meet add up.",
    "3 + 5",
)
def price(guess):
    """Judge the predicted gradient of prices[2, 1]; right is 3 + 5."""
    found = number(guess)
    if found in GUESSES:
        raise Mistake(GUESSES[found])
    if found != 8:
        raise Mistake(
            f"It is not {found:.6g}. Two bills have that price in them. Each moves by the amount that is "
            "bought there."
        )
    return "Eight plums are on the two lists, so the total moves by eight times what the price moves by."


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
    (lambda grad, x, y: grad @ y.T, "That is the rule of x @ y. Here the right factor is y.T: turned, y."),
    (lambda grad, x, y: (grad @ y).T, "That is its transpose. It must have the shape of x."),
    (lambda grad, x, y: np.ones_like(grad) @ y, "The gradient above was dropped."),
    (lambda grad, x, y: grad.T @ x, "That is the gradient of y."),
    (lambda grad, x, y: y @ grad, "The factors are in the wrong order."),
    (lambda grad, x, y: grad.T @ y, "grad is turned, and should not be: its rows belong to the rows of x."),
)
RIGHT_KINDS = (
    (lambda grad, x, y: x.T @ grad, "That is the gradient of y.T, and y is asked for: turn it back."),
    (
        lambda grad, x, y: (x.T @ grad).reshape(y.shape),
        "reshape keeps the order and breaks the rows elsewhere. Use .T: rows become columns.",
    ),
    (lambda grad, x, y: np.ones_like(grad).T @ x, "The gradient above was dropped."),
    (lambda grad, x, y: grad @ y, "That is the gradient of x."),
    (lambda grad, x, y: grad @ x, "grad is not turned: its columns belong to the rows of y."),
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
        found = array(result(rule, grad.copy(), x @ y.T, x.copy(), y.copy(), said=said), f"{said} gave")
    except ValueError as error:
        raise Mistake(
            f"{where}{name} has a product whose shapes do not fit. Not every transpose that x @ y wants is "
            "wanted here: write the three shapes down, and try which product of grad with the other one has "
            f"the shape of {name[-1]}."
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
        start = f"{where}{name} gives the right shape and the wrong numbers. "
    else:
        start += f"and right is {listed(wanted)}. "
    raise Mistake(start + next(iter(fitting), "Write one element of z out, and nudge."))


@exercise(
    "11 scores",
    "The shapes: grad is (2, 4), y is (4, 3). Which product of the two has the shape of x, (2, 3)?",
    "No transpose is needed for x. For y: grad and x are (2, 4) and (2, 3), and y is (4, 3). Which of them "
    "has to be turned?",
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
        "With sizes that all differ, and on square matrices, where every shape would fit. z[i, j] takes row "
        "i of x and row j of y; so a row of grad belongs to a row of x, and a column of it to a row of y."
    )


# -- at home: a bowl ----------------------------------------------------------------------------------------

BOWLS = (
    (np.array([1.0, 2]), np.array([[1.0, 2], [3, 4]])),
    (np.array([2.0, -1, 3]), np.array([[1.0, 0, 5], [2, 1, 0], [-1, 3, 4]])),
)
BOTH_SIDES = "x comes in on both sides of A: once it sees A, and once A turned."
BOWL_KINDS = (
    (lambda x, A: 2 * A @ x, f"2 * A @ x is right only where A is symmetric. {BOTH_SIDES}"),
    (lambda x, A: 2 * A.T @ x, f"That is 2 * A.T @ x. {BOTH_SIDES}"),
    (lambda x, A: A @ x, "That is for the x on the left. The other one makes a contribution as well."),
    (lambda x, A: A.T @ x, "That is for the x on the right. The other one makes a contribution as well."),
    (lambda x, A: A + A.T, "That is a matrix: A and A turned. The x is missing."),
    (lambda x, A: (A + A.T) * x, "Between the matrix and x belongs an @; a * multiplies number by number."),
    (lambda x, A: x @ A @ x, "That is q itself, one number. The gradient has the shape of x."),
    (lambda x, A: (A @ x) * (A.T @ x), "Contributions that meet are added, not multiplied."),
)


@exercise(
    "11 bowl",
    "q = x @ (A @ x). Hold the x in the bracket still: what is the gradient with regard to the left one? "
    "Then the other way round.",
    "For the left one it is A @ x. For the right one q is (x @ A) @ x, and it is x @ A, which is A.T @ x. x "
    "is both of them, so two contributions meet.",
    "return A @ x + A.T @ x",
)
def bowl(function):
    """Judge the gradient of x @ A @ x for an A that is not symmetric. For a symmetric A, 2 A x would pass."""
    for x, A in BOWLS:
        said = f"bowl_gradient({listed(x)}, {listed(A)})"
        found = array(result(function, x.copy(), A.copy(), said=said), f"{said} gave")
        right = A @ x + A.T @ x
        if same(found, right):
            continue
        fitting = [kind for wrong, kind in BOWL_KINDS if same(found, wrong(x, A))]
        raise Mistake(
            f"{said} gives {listed(found)}, and right is {listed(right)}. "
            + next(iter(fitting), "Nudge each number of x in turn, and compare.")
        )
    return (
        "x comes in twice, so two contributions meet: A @ x and A.T @ x. Where A is symmetric they are equal."
    )
