"""The exercises of lesson 14: a constant inside a calculation, Huber's loss as a function, and the sign as a
class."""

import numpy as np

import autodiff as ad

from ...engine.tensor import constant_tensor
from ...function import Context
from ..checking import Mistake, NotYet, exercise, number
from .shared import listed, same

# -- in class: a constant in the middle ---------------------------------------------------------------------

GUESSES = {
    6.7: "6.7 is 3 + 3.7, as if floor passed the gradient on. Its rule is None: no second contribution comes "
    "to x.",
    7.4: "7.4 is 2 times 3.7, the slope of x * x. But 3.7 times 3 is another product, and the 3 stays put.",
    3.7: "3.7 is what arrives at floor(x), and there it ends. What arrives at the x on the left?",
    0: "The floor is a constant, but the x in front of it is none: move it, and the product moves.",
    11.1: "11.1 is the value. If x moves by 0.001, by how much does 3 * x move?",
    1: "1 would be the slope of x alone. Here it is multiplied by 3.",
    0.003: "The value moves by 0.003 if x moves by 0.001. The gradient is that per unit.",
}


@exercise(
    "14 floor",
    "Move x by 0.001 to 3.701. What is floor(3.701)? And the product?",
    "floor(x) is a 3, and stays one. So here y is x * 3.",
    "Near 3.7, y is 3 * x, and the slope of 3 * x is 3.",
)
def floor(guess):
    """Judge the predicted slope of x * floor(x) at 3.7; right is 3."""
    found = number(guess)
    for wrong, kind in GUESSES.items():
        if abs(found - wrong) < 1e-6:
            raise Mistake(kind)
    if abs(found - 3) > 1e-6:
        raise Mistake(f"It is not {found:.6g}. Near 3.7 the floor is a 3: what is the slope of 3 * x?")
    return "The floor counts as the number 3, and x is multiplied by it. Only one path leads to x."


# -- at home: Huber's loss in function form -----------------------------------------------------------------

# x and the width: inside and outside of it, on both sides, and with a width other than the default.
CASES = ((0.5, 1), (3.0, 1), (-3.0, 1), (-0.5, 1), (1.5, 2), (3.0, 2), (-4.0, 2), (0.75, 0.5), (-0.25, 0.5))
ABOVE = 10.0


def value(x, width):
    """Huber's loss."""
    return np.where(abs(x) <= width, x * x / 2, width * (abs(x) - width / 2))


def slope(x, width):
    """The slope of Huber's loss."""
    return np.clip(x, -width, width)


VALUE_KINDS = (
    (lambda x, w: value(x, 1), "That does not use the width that it was given."),
    (lambda x, w: np.where(abs(x) <= w, x * x, value(x, w)), "In the middle it is half of x * x."),
    (lambda x, w: np.where(abs(x) <= w, x * x / 2, w * abs(x)), "Outside, width / 2 is taken from abs(x)."),
    (
        lambda x, w: np.where(abs(x) <= w, x * x / 2, abs(x) - w / 2),
        "Outside, abs(x) - width / 2 is multiplied by the width.",
    ),
    (
        lambda x, w: np.where(abs(x) <= w, x * x / 2, w * (x - w / 2)),
        "Outside it is abs(x): the loss of -3 is that of 3.",
    ),
    (
        lambda x, w: np.where(x <= w, x * x / 2, w * (abs(x) - w / 2)),
        "The middle ends on the left, too: abs(x) <= width.",
    ),
    (
        lambda x, w: np.where(abs(x) > w, x * x / 2, w * (abs(x) - w / 2)),
        "The square and the straight line have changed places.",
    ),
    (lambda x, w: x * x / 2, "That is the square everywhere. Beyond the width it goes on straight."),
)
SLOPE_KINDS = (
    (lambda x, w: slope(x, w) / ABOVE, "The gradient above was dropped: multiply by grad."),
    (lambda x, w: slope(x, 1), "The rule does not use the width that the call was given."),
    (
        lambda x, w: np.where(abs(x) <= w, x, w),
        "On the left the curve falls: beyond -width the slope is -width.",
    ),
    (lambda x, w: abs(slope(x, w)), "The curve falls where x is below 0: the sign is lost."),
    (lambda x, w: x, "That is the slope of the square. Beyond the width it grows no further."),
    (lambda x, w: np.where(abs(x) <= w, 2 * x, slope(x, w)), "The slope of x * x / 2 is x, not 2 * x."),
    (lambda x, w: np.where(abs(x) <= w, x, 0), "Outside the line is straight, but not level."),
    (
        lambda x, w: np.where(abs(x) <= w, x, np.sign(x)),
        "Outside the line is as steep as the width says, and not 1.",
    ),
    (lambda x, w: np.where(abs(x) > w, x, w * np.sign(x)), "Inside and outside have changed places."),
    (value, "That is the loss itself, times grad. The rule needs its slope."),
)
BY_NUMBER = (
    "On an array {} asks one question of many numbers. Each is inside or outside for itself: "
    "np.where(inside, this, that)."
)


@exercise(
    "14 huber",
    "np.where(np.abs(x) <= width, this, that) chooses number by number. For the rule, draw the curve: how "
    "steep is it in the middle, on the right, on the left?",
    "In the middle the slope is x. On the right it has reached width and stays; on the left it stays at "
    "-width. The rule takes the option as well: lambda grad, z, x, width=1: ...",
    "return np.where(np.abs(x) <= width, x * x / 2, width * (np.abs(x) - width / 2)), and "
    "huber.backward(lambda grad, z, x, width=1: grad * np.clip(x, -width, width))",
)
def huber(operation):
    """Judge the forward, then the rule: numbers, an array, other widths, and the slope of the slope."""
    if not isinstance(operation, ad.Operation):
        raise Mistake(
            f"An operation is asked for here, and this is {operation!r:.60}. Write @ad.operation in the line "
            "above def huber."
        )
    if operation.inputs != operation.inputs[:1] or operation.is_variadic:
        raise Mistake(
            f"It takes the inputs {', '.join(operation.inputs)}, so width would need a rule of its own. "
            "Options stand after a star: def huber(x, *, width=1)."
        )
    judge_forward(operation)
    judge_rule(operation)
    judge_second(operation)
    return (
        "Inside and outside, on both sides, for other widths, on arrays, and the slope of the slope as well. "
        "The loss of a point far off grows, but it pulls no harder than width."
    )


def judge_forward(operation):
    """Judge the forward on numbers, then on an array."""
    try:
        found = [operation.forward(x, width=width) for x, width in CASES]
    except TypeError as error:
        if "width" not in str(error):
            raise
        raise Mistake("It does not take the option: huber(x, *, width=1) is called with width=2.") from error
    if any(part is None for part in found):
        raise NotYet("the forward of huber gives None.")
    compare([float(part) for part in found], value, VALUE_KINDS, "huber({}, width={})")
    xs = np.array([x for x, width in CASES if width == 1])
    try:
        row = operation(xs)
    except ValueError as error:
        raise Mistake(BY_NUMBER.format("`if`")) from error
    if not same(row, value(xs, 1)):
        raise Mistake(f"On numbers it is right. huber({listed(xs)}) gives {listed(row)}.")


def judge_rule(operation):
    """Judge the gradients of numbers, then of an array, with the gradient 10 above."""
    if not operation.rules:
        raise NotYet("huber has no rule: huber.backward(...).")
    if operation.rules == (None,):
        raise Mistake("A rule of None says that huber is a constant, and no gradient passes. It has a slope.")
    found = [gradient_through(operation, x, width) for x, width in CASES]
    compare(
        found,
        lambda x, width: ABOVE * slope(x, width),
        [(lambda x, w, kind=kind: ABOVE * kind(x, w), words) for kind, words in SLOPE_KINDS],
        f"Walking back with the gradient {ABOVE:g} above, x in huber({{}}, width={{}})",
    )
    xs = np.array([x for x, width in CASES if width == 1])
    row = gradient_through(operation, xs, 1)
    if not same(row, ABOVE * slope(xs, 1)):
        raise Mistake(f"On numbers the rule is right. On {listed(xs)} it gives {listed(row)}.")


def gradient_through(operation, x, width):
    """The gradient of x after a walk back through the reader's operation."""
    x = ad.Tensor(x)
    try:
        z = operation(x, width=width)
        if operation.rules[0](ABOVE, z.data, x.data, width=width) is None:
            raise NotYet("the rule of huber gives None.")
        z.backward(ABOVE)
    except TypeError as error:
        if "width" not in str(error):
            raise
        raise Mistake(
            "The rule does not take the option. What the call is given by keyword reaches the rule, too: "
            "lambda grad, z, x, width=1: ..."
        ) from error
    except ValueError as error:
        if "truth value" not in str(error):
            raise
        raise Mistake(BY_NUMBER.format("an `if`, a `max` or a `min` in the rule")) from error
    return x.grad.data


def compare(found, right, kinds, said):
    """Raise Mistake at the first wrong case, with the mistake that explains all the cases."""
    for (x, width), mine in zip(CASES, found):
        wanted = float(right(x, width))
        if not same(mine, wanted):
            fitting = [
                words for wrong, words in kinds if same(found, [float(wrong(*case)) for case in CASES])
            ]
            deed = "gets" if said.startswith("Walking") else "gives"
            raise Mistake(
                f"{said.format(f'{x:g}', f'{width:g}')} {deed} {mine:.6g}, and right is {wanted:.6g}. "
                + next(iter(fitting), "Compare with a nudge there.")
            )


def judge_second(operation):
    """Judge the slope of the slope, which is 1 in the middle if the rule is recorded."""
    left = (
        "The slope is right everywhere. The slope of the slope at 0.5 is 1, and yours {}: something in the "
        "rule takes the number out of the Tensor. Write it in operators, np or ad, without math and float()."
    )
    try:
        second = ad.grad(ad.grad(operation))(0.5)
    except (TypeError, ValueError, RuntimeError) as error:
        raise Mistake(left.format(f"stops with {type(error).__name__}")) from error
    if not same(second.data, 1):
        raise Mistake(left.format(f"is {second.data:.6g}"))


# -- at home: one bit in class form -------------------------------------------------------------------------

POINT = np.array([-2.0, -0.5, 0.5, 2.0])
OTHER = np.array([0.25, -3.0, 4.0, -0.75])
SEED = np.array([1.0, 10, 100, 1000])
INSIDE = abs(POINT) <= 1
ALL_PASS = (
    "Everything passes. Either the fence is missing, or what you ask is the result, which is always between "
    "-1 and 1. Ask x."
)
BACK_KINDS = (
    (SEED, ALL_PASS),
    (SEED * ~INSIDE, "The fence is turned round: inside it passes, outside it is 0."),
    (INSIDE, "The gradient above was dropped: multiply by grad."),
    (0 * SEED, "That is the true slope of a step, 0. Straight-through acts as if it were 1."),
    (SEED * (POINT <= 1), "The fence stands on the right only. What is below -1 is outside as well."),
    (SEED * (POINT >= -1), "The fence stands on the left only. What is above 1 is outside as well."),
    (SEED * INSIDE * np.sign(POINT), "The gradient passes unchanged: it is not multiplied by the sign."),
    (SEED * INSIDE * POINT, "The gradient passes unchanged: it is not multiplied by x."),
)
FRONT_KINDS = (
    (POINT, "That is x itself. Only the way back acts as if nothing were there."),
    (POINT > 0, "That is 0 or 1. The chip knows -1 and 1: ad.sign(x)."),
    (-np.sign(POINT), "The sign is turned round."),
    (np.clip(POINT, -1, 1), "That is clamped, and may lie between. The chip knows -1 and 1: ad.sign(x)."),
)


@exercise(
    "14 sign",
    "In forward: ctx.save_for_backward(x), then return ad.sign(x). In backward: (x,) = ctx.saved_tensors.",
    "A comparison counts as 1 where it holds and as 0 elsewhere. Which comparison is 1 between -1 and 1?",
    "return grad * (abs(x) <= 1)",
)
def sign(cls):
    """Judge one call, then two calls before one walk back. A second derivative is not required."""
    if not (isinstance(cls, type) and issubclass(cls, ad.Function)):
        raise Mistake(f"A class is asked for here, class Sign(ad.Function), and this is {cls!r:.60}.")
    front = cls.forward(Context((ad.Tensor(POINT),)), constant_tensor(POINT.copy()))
    if front is None:
        raise NotYet("the forward of Sign gives None.")
    front = np.asarray(getattr(front, "data", front), dtype=float)
    if not same(front, np.sign(POINT)):
        fitting = [kind for wrong, kind in FRONT_KINDS if same(front, wrong)]
        raise Mistake(
            f"The forward of {listed(POINT)} gives {listed(front)}, and right is {listed(np.sign(POINT))}. "
            + next(iter(fitting), "It is ad.sign(x).")
        )
    (found,) = came_back(cls, POINT)
    if not same(found, SEED * INSIDE):
        fitting = [kind for wrong, kind in BACK_KINDS if same(found, wrong)]
        raise Mistake(
            f"At x = {listed(POINT)} with the gradient {listed(SEED)} above, the backward gives "
            f"{listed(found)}, and right is {listed(SEED * INSIDE)}. "
            + next(iter(fitting), "Which of the four are between -1 and 1?")
        )
    judge_two_calls(cls)
    return "Each call keeps its own x, and the gradient passes inside the fence only." + remark(cls)


def judge_two_calls(cls):
    """Judge two calls, followed by one walk back through both."""
    first, second = came_back(cls, POINT, OTHER)
    if not (same(first, SEED * INSIDE) and same(second, SEED * (abs(OTHER) <= 1))):
        raise Mistake(
            f"One call is right. With two calls, of {listed(POINT)} and {listed(OTHER)}, before one walk "
            f"back, the first gets {listed(first)}, and right is {listed(SEED * INSIDE)}. The x is kept in "
            "one place for all calls. Keep it in ctx, which is new for each."
        )


def came_back(cls, *points):
    """The gradients of several Tensors, after calling the reader's class on each and walking back once."""
    leaves = [ad.Tensor(point) for point in points]
    ends = [(cls.apply(leaf) * SEED).sum() for leaf in leaves]
    try:
        sum(ends[1:], ends[0]).backward()
    except (TypeError, ValueError) as error:
        for words, kind in (
            ("to unpack", "Nothing was saved, or something else than one x: ctx.save_for_backward(x)."),
            ("tuple", "ctx.saved_tensors is a tuple, also with one x in it: (x,) = ctx.saved_tensors."),
            ("truth value", "Each number is inside or outside for itself: multiply by the comparison."),
        ):
            if words in str(error):
                raise Mistake(f"The backward stopped with {type(error).__name__}. {kind}") from error
        raise
    grads = [leaf.grad for leaf in leaves]
    if any(grad is None for grad in grads):
        raise NotYet("the backward of Sign gives None.")
    return [np.asarray(grad) for grad in grads]


def remark(cls):
    """The remark about an x that was kept as an attribute, or was turned into a plain array."""
    z = cls.apply(ad.Tensor(POINT))
    try:
        (z * z).sum().backward(create_graph=True)
    except RuntimeError:
        return (
            " You keep x under a name of your own, so Sign can be differentiated once only; with "
            "ctx.save_for_backward(x) it could be twice."
        )
    except TypeError as error:
        if "lose its gradient" not in str(error):
            raise
        return (
            " But the backward makes a plain array of what was saved, so Sign can be differentiated once "
            "only. ctx.saved_tensors is a tuple, also with one x in it: (x,) = ctx.saved_tensors, and then "
            "abs(x) could be twice."
        )
    return ""
