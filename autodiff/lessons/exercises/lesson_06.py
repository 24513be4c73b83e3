"""The exercises of lesson 06: relu's rule, the logarithm, points where a mistake shows, and the engine."""

import math
from typing import Any

from ...draw.comparing.difference import first_difference
from ...draw.graph.walk import creators_of, walk
from ..after_07 import Tensor
from ..checking import Mistake, NotYet, exercise, number, result
from .shared import close, in_words

# -- in class: the rule of relu -----------------------------------------------------------------------------


@exercise(
    "06 relu",
    "Left of 0 the curve is flat; right of 0 it goes up as fast as x does. What are the two slopes?",
    "A contribution is the gradient above times the local slope, here 0 or 1. At 0 itself take 0.",
    "return grad if x > 0 else 0",
)
def relu(rule):
    """Judge relu_rule(grad, z, x) with the gradient 3 above: 1 would hide that it was dropped."""

    def at(x, grad):
        z = max(x, 0)
        given = result(rule, grad, z, x, said=f"relu_rule({grad}, {z}, {x})")
        return number(given)

    right, left, corner = at(2, 3), at(-1, 3), at(0, 3)
    if right == 1 and left == 0:
        raise Mistake(
            "At x = 2 with the gradient 3 above, you give 1, and right is 3. 1 is the local slope alone: "
            "the gradient above was dropped."
        )
    if left == 3:
        raise Mistake(
            "At x = -1 with the gradient 3 above, you give 3, and right is 0. Left of 0 the curve is flat: "
            "moving x moves nothing. (A test with z >= 0 is true there as well, since z is 0.)"
        )
    if right == 2:
        raise Mistake(
            "At x = 2 with the gradient 3 above, you give 2, and right is 3. 2 is how high the curve is. A "
            "rule passes on the gradient above times the local slope."
        )
    if right != 3 or left != 0:
        raise Mistake(
            f"With the gradient 3 above, you give {right:.6g} at x = 2 and {left:.6g} at x = -1. Right is 3 "
            "and 0."
        )
    if not 0 <= corner <= 3:
        raise Mistake(
            f"Left and right of 0 it is right. At 0 with the gradient 3 above, you give {corner:.6g}. "
            "Anything from 0 to 3 can be defended at the corner, and this is beyond. Everybody chose 0."
        )
    if at(0.5, -2) != -2:
        raise Mistake(
            "At x = 0.5 with the gradient -2 above, right is -2. Ask whether x is above 0, not grad."
        )
    if corner:
        return (
            f"At 0 you chose {corner:.6g} of 3. Anything from 0 to 3 can be defended there; everybody chose "
            "0, and so do we."
        )
    return (
        "Where relu lets a number through, it lets the gradient through; where it stops one, it stops the "
        "other."
    )


# -- at home: the logarithm ---------------------------------------------------------------------------------


@exercise(
    "06 log",
    "The forward is built like exp: the number, the row of creators, with one in it, the word. math.log "
    "computes.",
    "By nudging, the slopes of math.log at 1, 2 and 4 are 1, 0.5 and 0.25. What did each x become?",
    'return Tensor(math.log(x.data), (x,), "log"), and the rule is return grad / x',
)
def log(forward, rule):
    """Judge the forward by what it computes and records at 4: log(1) is 0 to every base."""
    leaf = Tensor(4)
    made = result(forward, leaf, said="log(Tensor(4))")
    if not hasattr(made, "creators"):
        raise Mistake(f"log(Tensor(4)) gave {made!r:.60}, which takes no notes: make a Tensor of it.")
    for base, word in ((10, "to the base 10"), (2, "to the base 2")):
        if close(number(made), math.log(4, base)):
            raise Mistake(
                f"log(Tensor(4)) gave {number(made):.4f}: that is the logarithm {word}. Use math.log."
            )
    if not close(number(made), math.log(4)):
        raise Mistake(f"log(Tensor(4)) gave {number(made):.4f}, and right is {math.log(4):.4f}.")
    creators = made.creators if isinstance(made.creators, (tuple, list)) else ()
    if len(creators) != 1 or creators[0] is not leaf:
        raise Mistake(
            f"log(x) has the creators {made.creators!r:.60}, and right is x alone: (x,), with a comma."
        )
    if str(made.creation_op) != "log":
        raise Mistake(f'log(x) says it was made by {str(made.creation_op)!r:.60}, and the word is "log".')
    judge_log_rule(rule)
    return "1 / x is its local slope. It is steep near 0, and goes on climbing ever more slowly."


def judge_log_rule(rule):
    """Judge the rule at x = 4 with the gradient 10 above, where each mistake gives a different number."""
    z = math.log(4)
    found = number(result(rule, 10, z, 4, said="log_rule(10, log(4), 4)"))
    said = f"At x = 4 with the gradient 10 above, you give {found:.4f}, and right is 2.5000. "
    kinds = (
        (10 * z, "Your slope is log(x) itself. It is exp that is its own slope; ask the nudge about log."),
        (1 / 4, "1 / x is the local slope alone: the gradient above was dropped."),
        (10 / z, "You divided by z, which is log(x). Divide by x."),
        (10 * 4, "You multiplied by x. The larger x is, the flatter is the curve."),
        (-10 / 16, "That is the slope of 1 / x. Here 1 / x is the slope."),
        (10 + 1 / 4, "The gradient above and the local slope are multiplied, not added."),
    )
    for wrong, kind in kinds:
        if close(found, wrong):
            raise Mistake(said + kind)
    if not close(found, 2.5) or not close(number(rule(-3, math.log(0.5), 0.5)), -6):
        raise Mistake(said + "Nudge math.log at 1, 2 and 4, and look what each x became.")


# -- at home: points at which a mistake shows ---------------------------------------------------------------

# By name: how many numbers a point has, and the right rule and the wrong one, with the gradient 1 above.
SUSPECTS: dict[str, tuple[int, Any, Any]] = {
    "pow": (2, lambda x, y: y * x ** (y - 1), lambda x, y: y * x),
    "div": (2, lambda x, y: -x / y**2, lambda x, y: -x / y),
    "tanh": (1, lambda x: 1 - math.tanh(x) ** 2, lambda x: 1 - x * x),
}


@exercise(
    "06 points",
    "For each rule, write the right one beside it. For which numbers do the two give the same?",
    "x and x ** (y - 1) are the same for y = 2. y and y * y are the same for y = 1. x and tanh(x) are the "
    "same for x = 0.",
    'Stay away from those: {"pow": (5, 3), "div": (7, 2), "tanh": 0.5} will do.',
)
def points(given):
    """Judge a dict of test points, at which the wrong rule and the right one must differ."""
    if not isinstance(given, dict):
        raise Mistake(
            f"The points stand in a dict under the names pow, div and tanh, and this is {given!r:.60}."
        )
    missing = [name for name in SUSPECTS if given.get(name) is None]
    if missing:
        raise NotYet(f"there is no point for {' and '.join(missing)}.")
    for name, (count, right, wrong) in SUSPECTS.items():
        point = given[name] if isinstance(given[name], (tuple, list)) else (given[name],)
        if len(point) != count:
            what = "a pair (x, y)" if count == 2 else "one number x"
            raise Mistake(f"A point for {name} is {what}, and this is {given[name]!r:.60}.")
        numbers = [number(part) for part in point]
        try:
            true, false = right(*numbers), wrong(*numbers)
        except ArithmeticError:
            raise Mistake(
                f"At {given[name]} {name} itself has no value, so it proves nothing about the rule."
            ) from None
        if isinstance(true, complex):
            raise Mistake(f"At {given[name]} pow has no slope that is a number on the line. Take x above 0.")
        if math.isclose(true, false, rel_tol=1e-3, abs_tol=1e-3):
            raise Mistake(
                f"At {given[name]} the wrong rule of {name} gives {false:.4f}, and right is {true:.4f}: "
                f"nobody would notice. {BLIND[name]}"
            )
    return "At these points each of the three mistakes shows."


BLIND = {
    "pow": "The mistake is x in place of x ** (y - 1). Which y makes these two the same? Or which x?",
    "div": "The mistake is y in place of y * y. Which y makes these two the same? And what if x is 0?",
    "tanh": "The mistake is x in place of tanh(x). Where are these two nearly the same?",
}


# -- what the lesson builds: the class, its rows, and the walk back -----------------------------------------

# For each case: its text, the function, the point, the right gradients, and the mistakes behind certain wrong
# ones. At these points no two mistakes give the same: at 2 ** 2, 7 / 1 or tanh(0) a wrong rule would pass.
CASES: tuple[tuple[Any, ...], ...] = (
    ("-a at a = 4", lambda a: -a, (4,), (-1,), {(1,): "The minus is lost in the rule of neg."}),
    (
        "a - b at 7, 2",
        lambda a, b: a - b,
        (7, 2),
        (1, -1),
        {(1, 1): "That is the rule of add: the minus is missing. When b goes up, a - b goes down."},
    ),
    (
        "a ** b at 2, 3",
        lambda a, b: a**b,
        (2, 3),
        (12, 8 * math.log(2)),
        {
            (6, 8 * math.log(2)): "For a you have b * a; the power is missing: b * a ** (b - 1). At b = 2 "
            "it cannot be seen.",
            (24, 8 * math.log(2)): "For a you have b * a ** b; the exponent goes down by one: b * a ** (b "
            "- 1).",
            (4, 8 * math.log(2)): "For a the exponent has to come down in front: b * a ** (b - 1).",
            (12, 12): "For b you have the rule of a. An exponent that moves multiplies: z * log(a).",
            (12, math.log(2)): "For b the value is missing: z * log(a).",
        },
    ),
    ("a ** 2 at a = -3", lambda a: a**2, (-3,), (-6,), {}),
    (
        "a / b at 7, 2",
        lambda a, b: a / b,
        (7, 2),
        (0.5, -1.75),
        {
            (0.5, -3.5): "For b you have -a / b; it is divided by b twice: -a / b ** 2. At b = 1 it "
            "cannot be seen.",
            (0.5, 1.75): "For b the sign is turned: dividing by more gives less.",
            (0.5, 0.5): "For b you have the rule of a.",
            (2, -1.75): "For a you multiply by b, and it should be divided.",
        },
    ),
    (
        "exp at 2",
        lambda a: a.exp(),
        (2,),
        (math.exp(2),),
        {
            (2 * math.e,): "That is the rule for powers. There the base moves; in exp the exponent does: "
            "it is its own slope.",
            (2,): "The slope of exp is not x, it is z.",
        },
    ),
    (
        "tanh at 0.5",
        lambda a: a.tanh(),
        (0.5,),
        (1 - math.tanh(0.5) ** 2,),
        {
            (0.75,): "That is 1 - x * x, and right is 1 - z * z. At 0 it cannot be seen.",
            (1 - math.tanh(0.5),): "That is 1 - z, and right is 1 - z * z.",
        },
    ),
    ("a * 3 at a = 5", lambda a: a * 3, (5,), (3,), {}),
    ("3 * a at a = 5", lambda a: 3 * a, (5,), (3,), {}),
    ("3 + a at a = 5", lambda a: 3 + a, (5,), (1,), {}),
    ("2 - a at a = 5", lambda a: 2 - a, (5,), (-1,), {}),
    ("7 / a at a = 2", lambda a: 7 / a, (2,), (-1.75,), {}),
    ("(a + 2) * (3 * a + 4) at a = 2", lambda a: (a + 2) * (3 * a + 4), (2,), (22,), {}),
    (
        "((a - b) / c) ** 2 + exp(a) * tanh(b) at 1, 0.5, 2",
        lambda a, b, c: ((a - b) / c) ** 2 + a.exp() * b.tanh(),
        (1, 0.5, 2),
        (
            0.25 + math.e * math.tanh(0.5),
            -0.25 + math.e * (1 - math.tanh(0.5) ** 2),
            -0.0625,
        ),
        {},
    ),
)


@exercise(
    "06 engine",
    "The message names the smallest calculation that goes wrong. Compare its row of RULES with a nudge.",
    "A forward that is right shows nothing about its rule: look at both.",
    "from autodiff.lessons.after_07 import Tensor, backward gives you one that passes; source(after_07) "
    "shows it.",
)
def engine(made, backward):
    """Judge a class and its walk back, a function or a method, on every case above."""
    if not callable(made) or not callable(backward):
        raise Mistake("Give check the class and the function: Tensor, backward.")
    for said, f, point, right, kinds in CASES:
        leaves = [made(value) for value in point]
        try:
            end = f(*leaves)
        except (TypeError, AttributeError) as error:
            raise Mistake(f"{said} stopped with {type(error).__name__}: {error}.") from error
        value = f(*point) if "exp" not in said and "tanh" not in said else None
        if value is not None and not close(number(end), value):
            first = " Here the plain number comes first, and that counts." if said[0].isdigit() else ""
            raise Mistake(f"{said} is {value:.6g}, and your forward gives {number(end):.6g}.{first}")
        walk_back(backward, end, said)
        judge_gradients(said, end, leaves, right, kinds)
    return "Every operation gives the slope that a nudge would find, at points where a mistake would show."


def walk_back(backward, end, said):
    """Call the reader's walk back. A likely error becomes a Mistake that explains it."""
    try:
        backward(end)
    except KeyError as error:
        raise Mistake(f"Walking back from {said}: RULES has no row for {error}.") from error
    except (ValueError, ArithmeticError) as error:
        raise Mistake(
            f"Walking back from {said} stopped with {type(error).__name__}. A base below zero has no "
            "logarithm: let the second rule of pow give math.nan there."
        ) from error


def judge_gradients(said, end, leaves, right, kinds):
    """Judge the gradients of the leaves; the message names a known mistake, or the first wrong gradient."""
    if any(leaf.grad is None for leaf in leaves):
        raise Mistake(f"For {said} a leaf's grad is still None after the walk back.")
    found = tuple(number(leaf.grad) for leaf in leaves)
    if not all(map(close, found, right)):
        fitting = [kind for wrong, kind in kinds.items() if all(map(close, found, wrong))]
        kind = (*fitting, first_wrong(end, leaves), "Compare the rule with a nudge there.")
        raise Mistake(
            f"For {said} the gradient is {in_words(found, 4)}, and right is {in_words(right, 4)}. "
            + next(filter(None, kind))
        )


def first_wrong(end, leaves):
    """A sentence that names the first wrong gradient among several operations; None if it cannot be found."""
    if sum(bool(creators_of(node)) for node in walk(end).order) < 2:
        return None
    try:
        difference = first_difference(end, names=written(end, leaves))
    except (TypeError, ValueError):  # an operation that the package does not have
        return None
    if difference is None or difference.found is None:
        return None
    return f"Walking back, the first that is wrong: {difference}."


SIGNS = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "{} / {}",
    "pow": "{} ** {}",
    "neg": "-{}",
}


def written(end, leaves):
    """The nodes of a graph by their text as one would write it: a, a + -b, exp(a)."""
    nodes: list[Any] = list(walk(end).order)
    texts = {id(leaf): name for leaf, name in zip(leaves, "abc")}
    composed = set()  # nodes that get brackets in a larger expression, except in a sum
    for node in nodes:
        if id(node) in texts:
            continue
        operation, operands = str(node.creation_op), []
        for x in creators_of(node):
            text = texts.get(id(x)) or f"{number(x):g}"  # a plain number that the package recorded
            has_brackets = id(x) in composed and operation in SIGNS and operation != "add"
            operands.append(f"({text})" if has_brackets else text)
        if not operands:
            texts[id(node)] = f"{number(node):g}"
        elif operation in SIGNS:
            texts[id(node)] = SIGNS[operation].format(*operands)
            composed.add(id(node))
        else:
            texts[id(node)] = f"{operation}({', '.join(operands)})"
    return {texts[id(node)]: node for node in reversed(nodes)}  # of two equal constants, the first stays
