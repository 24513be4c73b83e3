"""The exercises of lesson 06: the sigmoid in three steps, and points where a mistake shows."""

import math
from typing import Any

import numpy as np

from ..checking import Mistake, NotYet, number
from .calling import call, names_of
from .shared import close
from .table import PRINTS, Right, Stop, Table, Wrong, advice, outcome

# -- the sigmoid, in three steps ----------------------------------------------------------------------------

BUILT, RULE = "1 / (1 + exp(-x))", "grad * z * (1 - z)"

SIGMOID = Table(
    "06 sigmoid",
    right=f"sigmoid = lambda x: {BUILT}\nsigmoid_rule = lambda grad, z, x: {RULE}\nsigmoid, sigmoid_rule, 4",
    answers=(
        Right("a power in place of the division", ((BUILT, "(1 + exp(-x)) ** -1"), ("rule, 4", "rule, 3"))),
        Right("built of tanh", ((BUILT, "(1 + tanh(x / 2)) / 2"), ("rule, 4", "rule, 3"))),
        Right("other names for the arguments", (f"grad, z, x: {RULE}", "g, y, _: g * y * (1 - y)")),
        Right("a count as a Tensor", ("rule, 4", "rule, Tensor(4)")),
        Wrong("no minus", ("-x", "x"), "The minus before x is missing: exp(-x)."),
        Wrong("no brackets", (BUILT, "1 / 1 + exp(-x)"), "Put the sum below the line into brackets: 1 / (1 + exp(-x))."),
        Wrong("no brackets, no minus", (BUILT, "1 / 1 + exp(x)"), "Put the sum below the line into brackets, and use exp(-x): 1 / (1 + exp(-x))."),
        Wrong("tanh", (BUILT, "tanh(x)"), "That is tanh. The sigmoid is 1 / (1 + exp(-x))."),
        Wrong("the gradient is lost", ("grad * z", "z"), "This is the local slope alone. Multiply it by the gradient that arrives."),
        Wrong("x for z", (RULE, "grad * x * (1 - x)"), "The rule needs z, the result, and this one uses x."),
        Wrong("the rule of tanh", (RULE, "grad * (1 - z * z)"), "That is the rule of tanh."),
        Wrong("the rule of exp", (RULE, "grad * z"), "That is the rule of exp."),
        Wrong("half of it", (RULE, "grad * (1 - z)"), "The factor z is missing."),
        Wrong("added", ("grad *", "grad +"), "The gradient that arrives and the local slope are multiplied, not added."),
        Wrong("prints", (BUILT, f"print({BUILT})"), holds=PRINTS),
        Wrong("one argument too many", ("sigmoid = lambda x", "sigmoid = lambda x, y"), holds="takes 2"),
        Wrong("never ends", (f"sigmoid = lambda x: {BUILT}", "def sigmoid(x):\n    while True:\n        pass"), holds="Does a loop never end?"),
        Wrong("math.exp", ("exp", "math.exp"), holds="Use the machine's exp"),
        Wrong("plain numbers", ("exp(-x)", "math.exp(-x.data)"), holds="nothing is recorded"),
        Wrong("a new Tensor", (BUILT, "Tensor(1 / (1 + math.exp(-x.data)))"), holds="no gradient comes back"),
        Wrong("half of it plain", (BUILT, "exp(x) / (1 + math.exp(x.data))"), holds="the gradient of x in sigmoid(Tensor(2)) gives"),
        Wrong("a row of its own", (f"sigmoid = lambda x: {BUILT}", f"FORWARD['sigmoid'] = lambda x: 1 / (1 + math.exp(-x))\nRULES['sigmoid'] = (lambda grad, z, x: {RULE},)\nsigmoid = lambda x: apply('sigmoid', x)"), holds="build it of those that are there"),
        Wrong("the package's", (BUILT, "ad.sigmoid(x.data)"), holds="nothing is recorded"),
        Wrong("the number of the first case", (RULE, "1.6"), holds="at x = 0 it gives 1.6000"),
        Wrong("the rule prints", (RULE, f"print({RULE})"), holds=PRINTS),
        Wrong("the rule takes one argument", ("grad, z, x:", "z:"), holds="hands over 3 arguments"),
        Wrong("all are counted", ("rule, 4", "rule, 6"), holds="how many are saved"),
        Wrong("two too few", ("rule, 4", "rule, 2"), holds="has 6 Tensors"),
    ),
    hints=(
        "1 / (1 + exp(-x)) can be written almost as it stands, with the machine's own exp. For the rule, print z and the slope side by side at 0, 1 and -1. The slope is the same at 1 and at -1. What do the two z have in common?",
        "The local slope is z * (1 - z). A rule returns the gradient that arrives times the local slope.",
        "Count with len(order(sigmoid(Tensor(2)))), and take 2 away: those are x and the result.",
    ),
)
MATH = Stop(TypeError, "math.exp takes a plain number. Use the machine's exp.", "real number, not Tensor")


@SIGMOID.judged
def sigmoid(function, rule, saved):
    """Judge the function by its value and by its gradient, the rule by a product, and then the count."""
    made = judge_built(function)
    if rule is None:
        raise NotYet("sigmoid is right, and the rule is still None.")
    judge_rule(rule)
    if saved is None:
        raise NotYet("sigmoid and its rule are right. How many Tensors would a row save?")
    judge_saved(number(saved), made)
    return "Built of other operations it needs no rule, and with a row of its own it needs fewer Tensors."


def judge_built(function):
    """Judge the first step. Returns how many Tensors its graph has."""
    names = names_of(function, 6)
    leaf = names["Tensor"](2.0)
    said = "sigmoid(Tensor(2))"
    with advice(MATH):
        made = call(function, leaf, said=said)
    right = 1 / (1 + math.exp(-2))
    judge_number(number(made), right, said, function, lambda wrong: outcome(wrong[0], leaf))
    if not isinstance(made, names["Tensor"]):
        raise Mistake(f"{said} is a plain number, so nothing is recorded. Compute with x, not with x.data.")
    gradients = names["gradients"](made)
    if leaf not in gradients:
        raise Mistake(
            f"{said} has the right number, and no gradient comes back to x. Compute with x, not with x.data."
        )
    judge_number(number(gradients[leaf]), right * (1 - right), f"the gradient of x in {said}")
    if len(gradients) == 2:
        raise Mistake("Here sigmoid is one operation. For the first step build it of those that are there.")
    return len(gradients)


def judge_rule(rule):
    """Judge the rule at z = 0.8 with the gradient 10 arriving: each mistake gives another number."""
    z, x, said = 0.8, math.log(4), "sigmoid_rule(10, 0.8, log(4))"
    found = number(call(rule, 10, z, x, said=said))
    judge_number(found, 1.6, said, rule, lambda wrong: outcome(wrong[1], 10, z, x))
    judge_number(number(call(rule, -2, 0.5, 0, said="sigmoid_rule(-2, 0.5, 0)")), -0.5, "at x = 0 it")


def judge_saved(saved, made):
    """Judge the count against the graph of the reader's own function."""
    if saved == made:
        raise Mistake(
            f"{made} is how many Tensors there are. With a row of its own there are 2: how many are saved?"
        )
    if saved != made - 2:
        raise Mistake(f"Your sigmoid has {made} Tensors, x and the result included. With a row there are 2.")


def judge_number(found, right, said, function=None, of=lambda wrong: math.nan):
    """Raise Mistake unless a number is right. ``of`` gives the number of a wrong answer."""
    if not close(found, right):
        why = SIGMOID.why(lambda wrong: close(found, number(of(wrong))), function)
        raise Mistake(f"{said} gives {found:.4f}; it should be {right:.4f}. {why}".rstrip())


# -- points at which a mistake shows ------------------------------------------------------------------------

# By name: how many numbers a point has, and the right slope and the wrong one.
SUSPECTS: dict[str, tuple[int, Any, Any]] = {
    "pow": (2, lambda x, y: y * x ** (y - 1), lambda x, y: y * x),
    "div": (2, lambda x, y: -x / y**2, lambda x, y: -x / y),
    "tanh": (1, lambda x: 1 - math.tanh(x) ** 2, lambda x: 1 - x * x),
}
BLIND = {
    "pow": "The mistake is x in place of x ** (y - 1). Which y makes these two the same? Or which x?",
    "div": "The mistake is y in place of y * y. Which y makes these two the same? And what if x is 0?",
    "tanh": "The mistake is x in place of tanh(x). Where are these two nearly the same?",
}


POW, DIV, TANH = "(5, 3)", "(7, 2)", "0.5"

POINTS = Table(
    "06 points",
    right=f'{{"pow": {POW}, "div": {DIV}, "tanh": {TANH}}}',
    answers=(
        Right("lists", ((POW, "[2, 3]"), (DIV, "[1, -2]"), (TANH, "[0.5]"))),
        Right("arrays", ((POW, "np.array([2, 3])"), (DIV, "np.array([7.0, 2.0])"), (TANH, "np.float64(-1)"))),
        Wrong("the friend's points", ((POW, "(5, 2)"), (DIV, "(7, 1)"), (TANH, "0")), holds="nobody would notice"),
        Wrong("div at 1", (DIV, "(3, 1)"), holds=BLIND["div"]),
        Wrong("div of 0", (DIV, "(0, 2)"), holds="nobody would notice"),
        Wrong("pow near 2", (POW, "(3, 2.0001)"), holds="gives 6.0003, and the right one 6.0010"),
        Wrong("pow of 1", (POW, "(1, 5)"), holds=BLIND["pow"]),
        Wrong("tanh near 0", (TANH, "0.001"), holds=BLIND["tanh"]),
        Wrong("a single number", (POW, "5"), holds="a pair (x, y)"),
        Wrong("a pair", (TANH, "(1, 2)"), holds="one number x"),
        Wrong("by 0", (DIV, "(7, 0)"), holds="cannot be computed"),
        Wrong("complex", (POW, "(-2, 0.5)"), holds="Take x above 0"),
        Wrong("nan", (POW, "(5, float('nan'))"), holds="ordinary numbers"),
        Wrong("infinity", (TANH, "float('inf')"), holds="ordinary numbers"),
        Wrong("not a dict", "[(5, 3), (7, 2), 0.5]", holds="in a dict"),
    ),
    hints=(
        "For each rule, write the right one beside it. For which numbers do the two give the same?",
        "x and x ** (y - 1) are the same for y = 2. y and y * y are the same for y = 1. x and tanh(x) are the same for x = 0.",
        'Stay away from those: {"pow": (5, 3), "div": (7, 2), "tanh": 0.5} will do.',
    ),
)


@POINTS.judged
def points(given):
    """Judge a dict of test points, at which the wrong rule and the right one must differ."""
    if not isinstance(given, dict):
        raise Mistake(
            f"The points stand in a dict under the names pow, div and tanh, and this is {given!r:.60}."
        )
    missing = [name for name in SUSPECTS if given.get(name) is None]
    if missing:
        raise NotYet(f"there is no point for {' and '.join(missing)}.")
    for name in SUSPECTS:
        judge_point(name, given[name])
    return "At these points each of the three mistakes shows."


def judge_point(name, point):
    """Judge one point."""
    count, right, wrong = SUSPECTS[name]
    parts = list(point) if isinstance(point, (tuple, list, np.ndarray)) and np.ndim(point) else [point]
    if len(parts) != count:
        what = "a pair (x, y)" if count == 2 else "one number x"
        raise Mistake(f"A point for {name} is {what}, and this is {point!r:.60}.")
    numbers = [number(part) for part in parts]
    if not all(map(math.isfinite, numbers)):
        raise Mistake(f"A point for {name} is made of ordinary numbers, and this is {point!r:.60}.")
    try:
        true, false = right(*numbers), wrong(*numbers)
    except ArithmeticError:
        raise Mistake(
            f"At {point} the right rule of {name} cannot be computed, so the point proves nothing."
        ) from None
    if isinstance(true, complex):
        raise Mistake(f"At {point} pow has no slope that is a number on the line. Take x above 0.")
    if math.isclose(true, false, rel_tol=1e-3, abs_tol=1e-3):
        wrongly, rightly = f"{false + 0:.4f}", f"{true + 0:.4f}"
        does = "so does the right one" if wrongly == rightly else f"the right one {rightly}"
        raise Mistake(
            f"At {point} the wrong rule of {name} gives {wrongly}, and {does}: nobody would notice. "
            f"{BLIND[name]}"
        )
