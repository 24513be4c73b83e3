"""The exercises of lesson 14: Huber's loss with its rule, and numbers of one bit."""

import numpy as np

from ..checking import Mistake, NotYet, exercise
from .calling import call
from .shared import array, listed, same

ARRIVED = 10.0
BY_NUMBER = (
    "On an array, {} asks one question about many numbers, but each number is inside or outside by itself: "
    "np.where(inside, this, that)."
)


WRITTEN_INTO = (
    "an array that it was given has changed. Other nodes hold the same array, so don't write into it: make a "
    "new one."
)


def copies(inputs):
    """The inputs, with a copy of each array."""
    return [np.copy(x) if isinstance(x, np.ndarray) else x for x in inputs]


def judged(function, inputs, said):
    """What the reader's function gives, as an array; ``said`` is the call."""
    try:
        given = call(function, *copies(inputs), said=said)
    except ValueError as error:
        if "truth value" not in str(error):
            raise
        raise Mistake(BY_NUMBER.format("an `if`, a `max` or a `min`")) from error
    return array(given, f"{said} gave")


def compare(function, cases, call_of, right, kinds, unknown):
    """Raise Mistake at the first wrong case, with the mistake that explains all cases.

    ``call_of(*case)`` is the call as text and its inputs; ``kinds`` are pairs of a function that makes a
    known mistake and its message.
    """
    found = [judged(function, *call_of(*case)[::-1]) for case in cases]
    for case, mine in zip(cases, found):
        wanted = np.asarray(right(*case), dtype=float)
        if same(mine, wanted):
            continue
        said = call_of(*case)[0]
        if mine.shape != wanted.shape:
            raise Mistake(
                f"{said} has the shape {mine.shape}, and x has {wanted.shape}. Each number of x "
                "needs its own result."
            )
        fitting = [
            words
            for wrong, words in kinds
            if all(same(part, np.asarray(wrong(*other), dtype=float)) for part, other in zip(found, cases))
        ]
        raise Mistake(
            f"{said} is {listed(wanted)}, and yours gives {listed(mine)}. {next(iter(fitting), unknown)}"
        )
    for case in cases:
        said, inputs = call_of(*case)
        handed = copies(inputs)
        call(function, *handed, said=said)
        if not all(np.array_equal(before, after) for before, after in zip(inputs, handed)):
            raise Mistake(f"{said} gives the right numbers, but {WRITTEN_INTO}")


# -- Huber's loss -------------------------------------------------------------------------------------------

# x and the width: inside and outside of it, on both sides, with other widths, and last an array.
CASES = (
    (0.5, 1), (3.0, 1), (-3.0, 1), (-0.5, 1), (1.5, 2), (3.0, 2), (-4.0, 2), (0.75, 0.5), (-0.25, 0.5),
    (np.array([0.5, 3.0, -3.0]), 1), (np.array([[0.5], [-4.0]]), 2), (np.array([3, -3]), 1),
)  # fmt: skip


def value(x, width):
    """Huber's loss."""
    return np.where(abs(x) <= width, x * x / 2, width * (abs(x) - width / 2))


def slope(x, width):
    """The slope of Huber's loss."""
    return np.clip(x, -width, width)


def bounded_right(x, width):
    """A slope that is cut off on the right only, with the left side as the right one."""
    return np.where(abs(x) <= width, x, width)


def as_steep_as_1(x, width):
    """The slope of a loss whose straight parts have the slope 1."""
    return np.where(abs(x) <= width, x, np.sign(x))


VALUE_KINDS = (
    (
        lambda x, w: np.trunc(value(x, w)) if np.asarray(x).dtype.kind == "i" else value(x, w),
        "These are whole numbers: np.zeros_like(x) holds whole numbers if x does. Make an array of floats.",
    ),
    (lambda x, w: value(x, 1), "The argument width is not used."),
    (lambda x, w: np.where(abs(x) <= w, x * x, value(x, w)), "In the middle the loss is half of x * x."),
    (
        lambda x, w: np.where(abs(x) <= w, x * x / 2, w * abs(x)),
        "Outside, width / 2 is subtracted from abs(x).",
    ),
    (
        lambda x, w: np.where(abs(x) <= w, x * x / 2, abs(x) - w / 2),
        "Outside, abs(x) - width / 2 is multiplied by the width.",
    ),
    (
        lambda x, w: np.where(abs(x) <= w, x * x / 2, w * (x - w / 2)),
        "Outside, use abs(x): the loss of -3 is that of 3.",
    ),
    (
        lambda x, w: np.where(x <= w, x * x / 2, w * (abs(x) - w / 2)),
        "The middle ends on the left as well: abs(x) <= width.",
    ),
    (
        lambda x, w: np.where(abs(x) > w, x * x / 2, w * (abs(x) - w / 2)),
        "The square and the straight line have changed places.",
    ),
    (lambda x, w: x * x / 2, "This is the square everywhere. Beyond the width it goes on straight."),
    (lambda x, w: np.sum(value(x, w)), "This is the sum. Each number of an array has its own loss."),
)
SLOPE_KINDS = (
    (slope, "The gradient that arrives was dropped: multiply by grad."),
    (lambda x, w: ARRIVED * slope(x, 1), "The rule does not use its argument width."),
    (
        lambda x, w: ARRIVED * bounded_right(x, w),
        "On the left the curve falls: beyond -width the slope is -width.",
    ),
    (
        lambda x, w: ARRIVED * abs(slope(x, w)),
        "The curve falls where x is below 0, so the slope is negative there.",
    ),
    (
        lambda x, w: ARRIVED * x,
        "This is the slope of the square. Beyond the width the slope grows no further.",
    ),
    (
        lambda x, w: ARRIVED * np.where(abs(x) <= w, 2 * x, slope(x, w)),
        "The slope of x * x / 2 is x, not 2 * x.",
    ),
    (lambda x, w: np.where(abs(x) <= w, x, 0) * ARRIVED, "Outside, the line is straight, but not level."),
    (
        lambda x, w: np.where(abs(x) <= w, ARRIVED * x, w * np.sign(x)),
        "In the middle it is right. Outside, the gradient that arrives was dropped: multiply by grad.",
    ),
    (
        lambda x, w: np.where(abs(x) <= w, ARRIVED * x, w),
        "Outside, the gradient that arrives was dropped, and on the left the slope is -width.",
    ),
    (lambda x, w: slope(x, 1), "The gradient that arrives was dropped, and the width is not used."),
    (
        bounded_right,
        "The gradient that arrives was dropped, and on the left the slope is -width.",
    ),
    (
        lambda x, w: abs(slope(x, w)),
        "The gradient that arrives was dropped, and the sign of the slope is lost.",
    ),
    (
        lambda x, w: x,
        "The gradient that arrives was dropped, and beyond the width the slope grows no further.",
    ),
    (
        lambda x, w: np.where(abs(x) <= w, x, 0),
        "The gradient that arrives was dropped, and outside the line is not level.",
    ),
    (as_steep_as_1, "The gradient that arrives was dropped, and outside the line is as steep as the width."),
    (
        lambda x, w: ARRIVED * np.where(abs(x) <= w, x, -w * np.sign(x)),
        "Outside, the sign is wrong: to the right of the middle the curve rises, to the left it falls.",
    ),
    (
        lambda x, w: ARRIVED * np.where(abs(x) <= w, x, -w),
        "To the right of the middle the curve rises, so the slope there is width.",
    ),
    (
        lambda x, w: ARRIVED * as_steep_as_1(x, w),
        "Outside, the slope of the line is the width, not 1.",
    ),
    (
        lambda x, w: ARRIVED * np.where(abs(x) > w, x, w * np.sign(x)),
        "Inside and outside have changed places.",
    ),
    (lambda x, w: ARRIVED * value(x, w), "This is the loss itself, times grad. The rule needs its slope."),
)
PULLS = (
    ([0.125, 2.5, 99.5], "These are the losses. The gradients are their slopes."),
    ([0.5, 3, -100], "These are the gradients of the square. Outside, Huber's loss is a straight line."),
    ([0.5, 1, 1], "On the left the curve falls."),
    ([1, 1, -1], "0.5 is inside the width, where the loss is a square."),
    ([0.5, 3, 100], "Outside, Huber's loss is a straight line. How steep is it?"),
)


def value_call(x, width):
    """The call of the forward as text, and its inputs."""
    return f"huber_value({written(x)}, {width:g})", (x, width)


def rule_call(x, width):
    """The call of the rule as text, and its inputs."""
    grad = ARRIVED * np.ones_like(x) if np.ndim(x) else ARRIVED
    z = value(x, width) if np.ndim(x) else float(value(x, width))
    return f"huber_rule({written(grad)}, z, {written(x)}, {width:g})", (grad, z, x, width)


def written(x):
    """A number as it is, an array as np.array(...)."""
    return f"np.array({listed(x)})" if np.ndim(x) else listed(x)


@exercise(
    "14 huber",
    "np.where(np.abs(x) <= width, this, that) chooses for each number. For the rule, draw the curve: how "
    "steep is it in the middle, on the right, and on the left?",
    "In the middle the slope is x. On the right it has reached width and stays there; on the left it stays "
    "at -width.",
    "huber_value: return np.where(np.abs(x) <= width, x * x / 2, width * (np.abs(x) - width / 2)). "
    "huber_rule: return grad * np.clip(x, -width, width). pulls: [0.5, 1, -1].",
)
def huber(forward, rule, pulls):
    """Judge the forward, then the rule, on numbers and arrays and for several widths; then the prediction."""
    compare(forward, CASES, value_call, value, VALUE_KINDS, "Compare with the two formulas.")
    try:
        compare(
            rule,
            CASES,
            rule_call,
            lambda x, w: ARRIVED * slope(x, w),
            SLOPE_KINDS,
            "Compare with a nudge of huber_value.",
        )
    except NotYet as stub:
        raise NotYet(f"huber_value is right. {stub}") from None
    if pulls is None:
        raise NotYet("huber_value and huber_rule are right. Now work out pulls, three numbers.")
    found = array(pulls, "pulls is", "Three numbers are asked for.")
    if not same(found, np.array([0.5, 1, -1])):
        fitting = [words for wrong, words in PULLS if same(found, np.array(wrong, dtype=float))]
        raise Mistake(
            f"pulls is not {listed(found)}. "
            + next(iter(fitting), "How steep is the curve at each of the three?")
        )
    return "A point that is far off pulls no harder than the width."


# -- one bit ------------------------------------------------------------------------------------------------


def one_bit(x):
    """-1 below 0, and 1 elsewhere."""
    return np.where(x < 0, -1.0, 1.0)


POINT = np.array([-2.0, -0.5, 0.5, 2.0])
GRAD = np.array([1.0, 10, 100, 1000])
INSIDE = abs(POINT) <= 1
FRONT_KINDS = (
    (lambda x: x, "This is x itself. Only the walk back acts as if nothing had happened."),
    (lambda x: x > 0, "This is 0 or 1. The chip stores -1 and 1."),
    (lambda x: x >= 0, "This is 0 or 1. The chip stores -1 and 1."),
    (lambda x: -one_bit(x), "The sign is wrong: a number below 0 becomes -1."),
    (
        np.sign,
        "np.sign(0) is 0, and the chip stores -1 and 1 only. np.where(x < 0, -1, 1) has no third value.",
    ),
    (lambda x: np.where(x <= 0, -1, 1), "Only numbers below 0 become -1, and 0 is not below 0."),
    (
        lambda x: np.clip(x, -1, 1),
        "This is clamped, and may lie between -1 and 1. The chip stores -1 and 1 only.",
    ),
    (np.round, "This is rounded to a whole number. The chip stores -1 and 1 only."),
)
BACK_KINDS = (
    (
        GRAD,
        "Everything passes. The fence is missing, or it looks at z, which is never outside. Look at x.",
    ),
    (GRAD * ~INSIDE, "The fence is the wrong way round: inside, the gradient passes; outside, it is 0."),
    (INSIDE * 1.0, "The gradient that arrives was dropped: multiply by grad."),
    (
        one_bit(POINT) * INSIDE,
        "This is the bit, and the gradient that arrives was dropped. Inside the fence grad passes.",
    ),
    (
        one_bit(POINT),
        "This is the bit itself, z. The rule returns the gradient: grad inside the fence, 0 outside.",
    ),
    (POINT * INSIDE, "This is x, and the gradient that arrives was dropped. Inside the fence grad passes."),
    (
        np.clip(GRAD, -1, 1),
        "You clamped the gradient. The fence looks at x: is x between -1 and 1?",
    ),
    (GRAD * (abs(GRAD) <= 1), "The fence looks at the gradient. It has to look at x: is x between -1 and 1?"),
    (0 * GRAD, "This is the true slope of a step, 0. Straight-through acts as if it were 1."),
    (GRAD * (POINT <= 1), "The fence stands on the right only. Numbers below -1 are outside as well."),
    (GRAD * (POINT >= -1), "The fence stands on the left only. Numbers above 1 are outside as well."),
    (GRAD * INSIDE * np.sign(POINT), "The gradient passes unchanged: it is not multiplied by the sign."),
    (GRAD * INSIDE * POINT, "The gradient passes unchanged: it is not multiplied by x."),
)


@exercise(
    "14 bit",
    "np.where(x < 0, this, that) chooses for each number.",
    "A comparison counts as 1 where it holds and as 0 elsewhere. Which comparison is 1 between -1 and 1?",
    "bit_forward: return np.where(x < 0, -1.0, 1.0). bit_rule: return grad * (abs(x) <= 1).",
)
def bit(forward, rule):
    """Judge the forward at numbers, at 0 and on an array; then the rule."""
    cases = [(part,) for part in (-2.0, -0.5, 0.5, 2.0, 0.0, POINT)]
    compare(
        forward, cases, lambda x: (f"bit_forward({written(x)})", (x,)), one_bit, FRONT_KINDS, "It is -1 or 1."
    )
    said = f"bit_rule(np.array({listed(GRAD)}), z, np.array({listed(POINT)}))"
    arrived, point = GRAD.copy(), POINT.copy()
    try:
        found = array(call(rule, arrived, one_bit(POINT), point, said=said), f"{said} gave")
    except ValueError as error:
        if "truth value" not in str(error):
            raise
        raise Mistake(BY_NUMBER.format("an `if`, a `max` or a `min`")) from error
    except NotYet as stub:
        raise NotYet(f"bit_forward is right. {stub}") from None
    if not same(found, GRAD * INSIDE):
        fitting = [words for wrong, words in BACK_KINDS if same(found, wrong)]
        raise Mistake(
            f"{said} is {listed(GRAD * INSIDE)}, and yours gives {listed(found)}. "
            + next(iter(fitting), "Which of the four are between -1 and 1?")
        )
    if not (same(arrived, GRAD) and same(point, POINT)):
        raise Mistake(f"{said} gives the right numbers, but {WRITTEN_INTO}")
    found = judged(rule, (np.ones((2, 1)), np.ones((2, 1)), np.array([[0.5], [3.0]])), "bit_rule(grad, z, x)")
    if not same(found, np.array([[1.0], [0.0]])):
        raise Mistake(
            "On a row of four numbers the rule is right. On a matrix it is not: x = [[0.5], [3]] with the "
            f"gradient [[1], [1]] gives {listed(found)}. Treat each number by itself."
        )
    return "The gradient passes inside the fence only."
