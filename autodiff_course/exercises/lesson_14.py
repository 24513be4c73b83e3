"""The exercises of lesson 14: Huber's loss with its rule, and numbers of one bit."""

import numpy as np

from ..checking import Mistake, NotYet
from .calling import call
from .shared import array, listed, same
from .table import PRINTS, Right, Stop, Table, Wrong, advice, outcome

WRITTEN_INTO = "an array that it was given has changed. Other nodes hold the same array, so don't write into it: make a new one."  # fmt: skip
BY_NUMBER = Stop(ValueError, "On an array, an `if`, a `max` or a `min` asks one question about many numbers, but each number is inside or outside by itself: np.where(inside, this, that).", "truth value")  # fmt: skip


def copies(inputs):
    """The inputs, with a copy of each array."""
    return [np.copy(x) if isinstance(x, np.ndarray) else x for x in inputs]


def judged(function, inputs, said):
    """What the reader's function gives, as an array; ``said`` is the call."""
    with advice(BY_NUMBER):
        given = call(function, *copies(inputs), said=said)
    return array(given, f"{said} gave")


def compare(table, place, function, cases, otherwise):
    """Raise Mistake at the first wrong case, with the mistake that explains all cases: calls as text, each
    with its inputs. The function is the answer at this place."""
    found = [judged(function, inputs, said) for said, inputs in cases]
    for (said, inputs), mine in zip(cases, found):
        wanted = array(table.answer(function)[place](*inputs), "")
        if mine.shape != wanted.shape:
            raise Mistake(
                f"{said} has the shape {mine.shape}, and x has {wanted.shape}. Each number of x "
                "needs its own result."
            )
        if not same(mine, wanted):

            def fits(wrong):
                return all(same(part, outcome(wrong[place], *copies(other))) for part, (_, other) in zip(found, cases))

            why = table.why(fits, function, otherwise)
            raise Mistake(f"{said} is {listed(wanted)}, and yours gives {listed(mine)}. {why}")
    for said, inputs in cases:
        handed = copies(inputs)
        call(function, *handed, said=said)
        if not all(map(np.array_equal, inputs, handed)):
            raise Mistake(f"{said} gives the right numbers, but {WRITTEN_INTO}")


def written(x):
    """A number as it is, an array as np.array(...)."""
    return f"np.array({listed(x)})" if np.ndim(x) else listed(x)


# -- Huber's loss -------------------------------------------------------------------------------------------

# x and the width: inside and outside of it, on both sides, with other widths, and last an array.
CASES = (
    (0.5, 1), (3.0, 1), (-3.0, 1), (-0.5, 1), (1.5, 2), (3.0, 2), (-4.0, 2), (0.75, 0.5), (-0.25, 0.5),
    (np.array([0.5, 3.0, -3.0]), 1), (np.array([[0.5], [-4.0]]), 2), (np.array([3, -3]), 1),
)  # fmt: skip
FAR = "width * (np.abs(x) - width / 2)"
VALUE, RULE, PULLS = f"np.where(np.abs(x) <= width, x * x / 2, {FAR})", "grad * np.clip(x, -width, width)", "[0.5, 1, -1]"
IN_PLACE = """
if np.ndim(x) == 0 or np.asarray(x).dtype.kind == "i":
    return np.where(np.abs(x) <= width, x * x / 2, width * (np.abs(x) - width / 2))
far = abs(x) > width
x[far] = width * (abs(x[far]) - width / 2)
x[~far] = x[~far] ** 2 / 2
return x"""


def rule(expression):
    """The change of the rule to another one."""
    return RULE, expression


def in_place(*change):
    """The change of the value to one that writes into x, itself changed."""
    body = IN_PLACE.replace(*change).replace("\n", "\n    ")
    return f"huber_value = lambda x, width: {VALUE}", f"def huber_value(x, width):{body}"


HUBER = Table(
    "14 huber",
    right=f"huber_value = lambda x, width: {VALUE}\nhuber_rule = lambda grad, z, x, width: {RULE}\npulls = {PULLS}\nhuber_value, huber_rule, pulls",
    answers=(
        Right("below the width", ("<=", "<")),
        Right("the smaller part", (VALUE, "np.minimum(abs(x), width) * (abs(x) - np.minimum(abs(x), width) / 2)")),
        Right("np.where for the rule", rule("grad * np.where(abs(x) <= width, x, width * np.sign(x))")),
        Right("an array of pulls", (PULLS, f"np.array({PULLS})")),
        Right("a tuple", (PULLS, "(0.5, 1, -1)")),
        Wrong("value: writes into a copy of whole numbers", (VALUE, f"{VALUE}.astype(np.asarray(x).dtype)"), "These are whole numbers: np.zeros_like(x) holds whole numbers if x does. Make an array of floats."),
        Wrong("value: no width", (VALUE, "np.where(abs(x) <= 1, x * x / 2, abs(x) - 0.5)"), "The argument width is not used."),
        Wrong("value: not halved", ("x * x / 2", "x * x"), "In the middle the loss is half of x * x."),
        Wrong("value: nothing taken off", (FAR, "width * abs(x)"), "Outside, width / 2 is subtracted from abs(x)."),
        Wrong("value: as steep as 1", (FAR, "abs(x) - width / 2"), "Outside, abs(x) - width / 2 is multiplied by the width."),
        Wrong("value: no abs", (FAR, "width * (x - width / 2)"), "Outside, use abs(x): the loss of -3 is that of 3."),
        Wrong("value: one side", ("np.abs(x) <=", "x <="), "The middle ends on the left as well: abs(x) <= width."),
        Wrong("value: changed places", ("<=", ">"), "The square and the straight line have changed places."),
        Wrong("value: the square", (VALUE, "x * x / 2"), "This is the square everywhere. Beyond the width it goes on straight."),
        Wrong("rule: no grad", ("grad * ", ""), "The gradient that arrives was dropped: multiply by grad."),
        Wrong("rule: no width", ("-width, width)", "-1, 1)"), "The rule does not use its argument width."),
        Wrong("rule: one side", rule("grad * np.where(abs(x) <= width, x, width)"), "On the left the curve falls: beyond -width the slope is -width."),
        Wrong("rule: no sign", rule("grad * np.clip(abs(x), 0, width)"), "The curve falls where x is below 0, so the slope is negative there."),
        Wrong("rule: the square's", rule("grad * x"), "This is the slope of the square. Beyond the width the slope grows no further."),
        Wrong("rule: doubled", rule("grad * np.where(abs(x) <= width, 2 * x, np.clip(x, -width, width))"), "The slope of x * x / 2 is x, not 2 * x."),
        Wrong("rule: level", rule("grad * np.where(abs(x) <= width, x, 0)"), "Outside, the line is straight, but not level."),
        Wrong("rule: no grad outside", rule("np.where(abs(x) <= width, grad * x, width * np.sign(x))"), "In the middle it is right. Outside, the gradient that arrives was dropped: multiply by grad."),
        Wrong("rule: no grad outside, no sign", rule("np.where(abs(x) <= width, grad * x, width)"), "Outside, the gradient that arrives was dropped, and on the left the slope is -width."),
        Wrong("rule: neither grad nor width", rule("np.clip(x, -1, 1)"), "The gradient that arrives was dropped, and the width is not used."),
        Wrong("rule: no grad, one side", rule("np.where(abs(x) <= width, x, width)"), "The gradient that arrives was dropped, and on the left the slope is -width."),
        Wrong("rule: no grad, no sign", rule("np.clip(abs(x), 0, width)"), "The gradient that arrives was dropped, and the sign of the slope is lost."),
        Wrong("rule: x alone", rule("x"), "The gradient that arrives was dropped, and beyond the width the slope grows no further."),
        Wrong("rule: no grad, level", rule("np.where(abs(x) <= width, x, 0)"), "The gradient that arrives was dropped, and outside the line is not level."),
        Wrong("rule: no grad, steep as 1", rule("np.where(abs(x) <= width, x, np.sign(x))"), "The gradient that arrives was dropped, and outside the line is as steep as the width."),
        Wrong("rule: the sign turned", rule("grad * np.where(abs(x) <= width, x, -width * np.sign(x))"), "Outside, the sign is wrong: to the right of the middle the curve rises, to the left it falls."),
        Wrong("rule: minus everywhere", rule("grad * np.where(abs(x) <= width, x, -width)"), "To the right of the middle the curve rises, so the slope there is width."),
        Wrong("rule: steep as 1", rule("grad * np.where(abs(x) <= width, x, np.sign(x))"), "Outside, the slope of the line is the width, not 1."),
        Wrong("rule: changed places", rule("grad * np.where(abs(x) > width, x, width * np.sign(x))"), "Inside and outside have changed places."),
        Wrong("rule: the loss", rule("grad * z"), "This is the loss itself, times grad. The rule needs its slope."),
        Wrong("pulls: the losses", (PULLS, "[0.125, 2.5, 99.5]"), "These are the losses. The gradients are their slopes."),
        Wrong("pulls: the square's", (PULLS, "[0.5, 3, -100]"), "These are the gradients of the square. Outside, Huber's loss is a straight line."),
        Wrong("pulls: no sign", (PULLS, "[0.5, 1, 1]"), "On the left the curve falls."),
        Wrong("pulls: the width everywhere", (PULLS, "[1, 1, -1]"), "0.5 is inside the width, where the loss is a square."),
        Wrong("pulls: the distances", (PULLS, "[0.5, 3, 100]"), "Outside, Huber's loss is a straight line. How steep is it?"),
        Wrong("pulls: one number", (PULLS, "1")),
        Wrong("pulls: a word", (PULLS, "'hard'"), holds="Three numbers"),
        Wrong("value: writes into x, and takes a square of it", in_place("** 2 / 2", "** 2"), holds="huber_value(np.array([0.5, 3, -3]), 1) is [0.125, 2.5, 2.5]"),
        Wrong("value: writes into x", in_place("", ""), holds="that it was given has changed"),
        Wrong("value: an if", (VALUE, f"x * x / 2 if abs(x) <= width else {FAR}"), holds="np.where"),
        Wrong("value: the sum", (VALUE, f"{VALUE}.sum()"), holds="needs its own result"),
        Wrong("value: printed", (VALUE, "print(x)"), holds=PRINTS),
        Wrong("value: one argument", (f"x, width: {VALUE}", "x: x * x / 2"), holds="hands over 2 arguments"),
        Wrong("rule: twice", rule(f"2 * {RULE}"), holds="Compare with a nudge"),
        Wrong("rule: max and min", rule("grad * max(-width, min(width, x))"), holds="np.where"),
        Wrong("rule: without the width", (f"x, width: {RULE}", "x: grad * x"), holds="hands over 4 arguments"),
    ),
    otherwise="How steep is the curve at each of the three?",
    hints=(
        "np.where(np.abs(x) <= width, this, that) chooses for each number. For the rule, draw the curve: how steep is it in the middle, on the right, and on the left?",
        "In the middle the slope is x. On the right it has reached width and stays there; on the left it stays at -width.",
        "huber_value: return np.where(np.abs(x) <= width, x * x / 2, width * (np.abs(x) - width / 2)). huber_rule: return grad * np.clip(x, -width, width). pulls: [0.5, 1, -1].",
    ),
)


@HUBER.judged
def huber(forward, rule, pulls):
    """Judge the forward, then the rule, on numbers and arrays and for several widths; then the prediction."""
    value, _, right = HUBER.answer()
    values = [(f"huber_value({written(x)}, {width:g})", (x, width)) for x, width in CASES]
    compare(HUBER, 0, forward, values, "Compare with the two formulas.")
    rules = []
    for x, width in CASES:
        grad, z = (np.full(np.shape(x), 10.0), value(x, width)) if np.ndim(x) else (10.0, float(value(x, width)))
        rules.append((f"huber_rule({written(grad)}, z, {written(x)}, {width:g})", (grad, z, x, width)))
    try:
        compare(HUBER, 1, rule, rules, "Compare with a nudge of huber_value.")
    except NotYet as stub:
        raise NotYet(f"huber_value is right. {stub}") from None
    if pulls is None:
        raise NotYet("huber_value and huber_rule are right. Now work out pulls, three numbers.")
    found = array(pulls, "pulls is", "Three numbers are asked for.")
    if not same(found, right):
        raise Mistake(f"pulls is not {listed(found)}. {HUBER.why(lambda wrong: same(found, wrong[2]))}")
    return "A point that is far off pulls no harder than the width."


# -- one bit ------------------------------------------------------------------------------------------------

POINT = np.array([-2.0, -0.5, 0.5, 2.0])
GRAD = np.array([1.0, 10, 100, 1000])
BIT, FENCE = "np.where(x < 0, -1.0, 1.0)", "grad * (abs(x) <= 1)"
ZERO_OR_ONE = "This is 0 or 1. The chip stores -1 and 1."

ONE_BIT = Table(
    "14 bit",
    right=f"lambda x: {BIT}, lambda grad, z, x: {FENCE}",
    answers=(
        Right("twice a comparison", (BIT, "2.0 * (x >= 0) - 1")),
        Right("whole numbers", (BIT, "np.where(x < 0, -1, 1)")),
        Right("np.abs and below 1", (FENCE, "np.where(np.abs(x) < 1, grad, 0)")),
        Wrong("forward: x", (BIT, "x"), "This is x itself. Only the walk back acts as if nothing had happened."),
        Wrong("forward: 0 and 1", (BIT, "1.0 * (x > 0)"), ZERO_OR_ONE),
        Wrong("forward: 0 and 1, and 1 at 0", (BIT, "1.0 * (x >= 0)"), ZERO_OR_ONE),
        Wrong("forward: turned", (BIT, "np.where(x < 0, 1, -1)"), "The sign is wrong: a number below 0 becomes -1."),
        Wrong("forward: np.sign", (BIT, "np.sign(x)"), "np.sign(0) is 0, and the chip stores -1 and 1 only. np.where(x < 0, -1, 1) has no third value."),
        Wrong("forward: 0 becomes -1", (BIT, "np.where(x > 0, 1, -1)"), "Only numbers below 0 become -1, and 0 is not below 0."),
        Wrong("forward: clamped", (BIT, "np.clip(x, -1, 1)"), "This is clamped, and may lie between -1 and 1. The chip stores -1 and 1 only."),
        Wrong("forward: rounded", (BIT, "np.round(x)"), "This is rounded to a whole number. The chip stores -1 and 1 only."),
        Wrong("rule: no fence", (FENCE, "grad"), "Everything passes. The fence is missing, or it looks at z, which is never outside. Look at x."),
        Wrong("rule: turned round", ("<=", ">"), "The fence is the wrong way round: inside, the gradient passes; outside, it is 0."),
        Wrong("rule: no grad", ("grad *", "1.0 *"), "The gradient that arrives was dropped: multiply by grad."),
        Wrong("rule: the bit inside", ("grad *", "z *"), "This is the bit, and the gradient that arrives was dropped. Inside the fence grad passes."),
        Wrong("rule: the bit", (FENCE, "z"), "This is the bit itself, z. The rule returns the gradient: grad inside the fence, 0 outside."),
        Wrong("rule: x inside", ("grad *", "x *"), "This is x, and the gradient that arrives was dropped. Inside the fence grad passes."),
        Wrong("rule: the gradient clamped", (FENCE, "np.clip(grad, -1, 1)"), "You clamped the gradient. The fence looks at x: is x between -1 and 1?"),
        Wrong("rule: a fence for the gradient", ("abs(x)", "abs(grad)"), "The fence looks at the gradient. It has to look at x: is x between -1 and 1?"),
        Wrong("rule: 0", (FENCE, "0 * grad"), "This is the true slope of a step, 0. Straight-through acts as if it were 1."),
        Wrong("rule: right side only", ("abs(x)", "x"), "The fence stands on the right only. Numbers below -1 are outside as well."),
        Wrong("rule: left side only", ("abs(x) <= 1", "x >= -1"), "The fence stands on the left only. Numbers above 1 are outside as well."),
        Wrong("rule: times the sign", (FENCE, f"{FENCE} * np.sign(x)"), "The gradient passes unchanged: it is not multiplied by the sign."),
        Wrong("rule: times x", (FENCE, f"{FENCE} * x"), "The gradient passes unchanged: it is not multiplied by x."),
        Wrong("rule: twice", (FENCE, f"2 * {FENCE}")),
        Wrong("forward: twos", (BIT, f"2 * {BIT}"), holds="It is -1 or 1."),
        Wrong("forward: an if", (BIT, "-1 if x < 0 else 1"), holds="np.where"),
        Wrong("forward: printed", (BIT, "print(x)"), holds=PRINTS),
        Wrong("rule: looks at z", ("abs(x)", "abs(z)"), holds="Look at x"),
        Wrong("rule: writes into grad", (FENCE, "grad.__setitem__(abs(x) > 1, 0) or grad"), holds="that it was given has changed"),
        Wrong("rule: an if", (FENCE, "grad if abs(x) <= 1 else 0"), holds="np.where"),
        Wrong("rule: two arguments", ("grad, z, x:", "grad, x:"), holds="hands over 3 arguments"),
        Wrong("rule: constants", (FENCE, "np.array([0, 10.0, 100.0, 0])"), holds="On a matrix it is not"),
    ),
    otherwise="Which of the four are between -1 and 1?",
    hints=(
        "np.where(x < 0, this, that) chooses for each number.",
        "A comparison counts as 1 where it holds and as 0 elsewhere. Which comparison is 1 between -1 and 1?",
        "bit_forward: return np.where(x < 0, -1.0, 1.0). bit_rule: return grad * (abs(x) <= 1).",
    ),
)


@ONE_BIT.judged
def bit(forward, rule):
    """Judge the forward at numbers, at 0 and on an array; then the rule."""
    points = (-2.0, -0.5, 0.5, 2.0, 0.0, POINT)
    compare(ONE_BIT, 0, forward, [(f"bit_forward({written(x)})", (x,)) for x in points], "It is -1 or 1.")
    said = f"bit_rule(np.array({listed(GRAD)}), z, np.array({listed(POINT)}))"
    try:
        compare(ONE_BIT, 1, rule, [(said, (GRAD, np.sign(POINT), POINT))], None)
    except NotYet as stub:
        raise NotYet(f"bit_forward is right. {stub}") from None
    found = judged(rule, (np.ones((2, 1)), np.ones((2, 1)), np.array([[0.5], [3.0]])), "bit_rule(grad, z, x)")
    if not same(found, np.array([[1.0], [0.0]])):
        raise Mistake(
            "On a row of four numbers the rule is right. On a matrix it is not: x = [[0.5], [3]] with the "
            f"gradient [[1], [1]] gives {listed(found)}. Treat each number by itself."
        )
    return "The gradient passes inside the fence only."
