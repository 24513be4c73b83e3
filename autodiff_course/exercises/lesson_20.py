"""The exercises of lesson 20: the largest rate, Adam's first step, Nesterov's rule, and a function that
measures the largest rate, built in two steps."""

from typing import Any

import numpy as np

from ..checking import Mistake, exercise, number
from .calling import call
from .shared import array, close, kind_of, listed, predicted, same

# -- the largest rate ---------------------------------------------------------------------------------------

LIMIT_KINDS = {
    0.01: "At 0.01 the factor is 0, and y arrives at once. Which rate makes the factor -1?",
    0.019: "At 0.019 the factor is -0.9, and y still comes nearer. Which rate makes the factor -1?",
    0.021: "At 0.021 the factor is -1.1, and y grows already. Where does that begin?",
    0.0: "At 0 nothing moves at all, but a little above 0 it comes nearer. Look for the upper limit.",
    2.0: "That is the limit along x, where the curvature is 1. Across the valley it is 100.",
    0.2: "1 - 100 times 0.2 is -19, and y grows. Which rate makes the factor -1?",
    0.1: "1 - 100 times 0.1 is -9, and y grows. Which rate makes the factor -1?",
    50.0: "That is 1 divided by the rate. Which rate makes the factor -1?",
}


@exercise(
    "20 limit",
    "y is multiplied by 1 - 100 * rate at each step. It comes nearer to 0 as long as this factor is between "
    "-1 and 1.",
    "The factor becomes smaller as the rate grows. 1 - 100 * rate = -1 gives the limit.",
    "100 * rate = 2, so the rate is 0.02.",
)
def limit(guess):
    """Judge the predicted rate from which on a walk across the valley no longer converges."""
    otherwise = "Put your rate into 1 - 100 * rate. At the limit this factor is -1."
    predicted(guess, 0.02, LIMIT_KINDS, otherwise)
    return "At 0.02 the factor is -1: y changes its sign at each step and stays as large."


# -- Adam's first step --------------------------------------------------------------------------------------

FIRST = 4.9  # from 5, with the gradient 200 and the rate 0.1

FIRST_KINDS = {
    -15: "That is the step of sgd, 0.1 times 200. Adam divides the gradient by its own size first.",
    3: "That is m alone. Divide it by 1 - 0.9, and by the root of v.",
    4.684: "That is the step without the correction: 20 divided by the root of 40, times the rate.",
    4.99: "That is m without its correction. Divide m, too: by 1 - 0.9.",
    1.838: "That is v without its correction. Divide v, too: by 1 - 0.999.",
    5.1: "The size is right, and it went uphill. The gradient is above 0, so w has to become smaller.",
    4: "A gradient divided by its own size is 1. The step is the rate times that.",
    0.1: "That is how far it moves. Where does it arrive?",
    -0.1: "That is how far it moves. Where does it arrive?",
}


@exercise(
    "20 first",
    "After the first step m is a tenth of the gradient, and v a thousandth of its square. Then m "
    "is divided by 1 - 0.9, and v by 1 - 0.999.",
    "So the corrected m is the gradient itself, 200, and the corrected v is its square. What is 200 divided "
    "by the root of 200 squared?",
    "It is 1, and the step is 0.1 times 1: from 5 down to 4.9.",
)
def first(guess):
    """Judge the predicted point after Adam's first step."""
    otherwise = "Write down m and v after one step, and correct each of them."
    predicted(guess, FIRST, FIRST_KINDS, otherwise, near=2e-3)
    return "The step is as long as the rate. With a gradient of 0.002 it would be the same."


# -- Nesterov's rule ----------------------------------------------------------------------------------------

GRADIENTS = (4.0, 1.0, -2.0, 0.0)


def walk_of(rule, keep, ahead):
    """What a rule returns for the four gradients: ``rule(v, g, ahead)`` with v = keep * v + g."""
    v, found = 0.0, []
    for g in GRADIENTS:
        v = keep * v + g
        found.append(rule(v, g, ahead))
    return np.array(found)


def nesterov_of(v, g, ahead):
    """The direction of the right answer."""
    return g + ahead * v


def averaged(keep):
    """A mistake: the velocity is a running mean."""
    v, found = 0.0, []
    for g in GRADIENTS:
        v = keep * v + (1 - keep) * g
        found.append(g + keep * v)
    return np.array(found)


NESTEROV_KINDS = (
    (
        lambda keep: walk_of(lambda v, g, a: v, keep, keep),
        "That is momentum, or a look ahead with the old velocity. v comes first, then grad + keep * v.",
    ),
    (lambda keep: walk_of(lambda v, g, a: g, keep, keep), "That is the gradient alone."),
    (
        lambda keep: walk_of(lambda v, g, a: g + v, keep, keep),
        "The velocity ahead is keep * v, not all of v.",
    ),
    (
        lambda keep: walk_of(lambda v, g, a: a * v, keep, keep),
        "The gradient itself is missing: grad + keep * v.",
    ),
    (
        lambda keep: np.array(GRADIENTS) * (1 + keep),
        "Nothing is kept from step to step. Write v into memory.",
    ),
    (averaged, "The whole gradient goes into v, not a part of 1 - keep."),
    (
        lambda keep: walk_of(nesterov_of, 1.0, keep),
        "The old velocity is multiplied by keep before the gradient is added.",
    ),
    (lambda keep: walk_of(nesterov_of, 0.9, 0.9), "keep is an argument. Use it in place of 0.9."),
    "v becomes keep * v + grad and is kept. The direction is grad + keep * v.",
)


@exercise(
    "20 nesterov",
    "momentum's line first. Then the direction is not v but grad + keep * v.",
    'v = memory["v"] = keep * memory.get("v", 0) + grad, and then return grad + keep * v',
)
def nesterov(function):
    """Judge Nesterov's rule by four steps, with numbers, with an array, and with another ``keep``."""
    judge_rule(function, 0.9, ())
    judge_rule(function, 0.5, (0.5,))
    memory: dict[str, Any] = {}
    grad = np.array([1.0, 2.0])
    for _ in range(3):
        call(function, grad, memory, said="nesterov(np.array([1.0, 2.0]), memory)")
    if not same(grad, [1.0, 2.0]):
        raise Mistake(
            "The gradient itself was changed: memory holds the same array, and += or *= writes into it. "
            "Make a new array: keep * v + grad."
        )
    return "It looks ahead, as the package's SGD(nesterov=True) does."


def judge_rule(function, keep, arguments):
    """Judge four steps of a rule."""
    memory: dict[str, Any] = {}
    found = []
    for g in GRADIENTS:
        said = f"nesterov({g:g}, memory{''.join(f', {a:g}' for a in arguments)})"
        try:
            found.append(number(call(function, g, memory, *arguments, said=said)))
        except KeyError as error:
            raise Mistake(
                f"memory[{error.args[0]!r}] is not there at the first step. Use "
                f"memory.get({error.args[0]!r}, 0)."
            ) from None
    right = walk_of(nesterov_of, keep, keep)
    if not same(found, right):
        kind = kind_of(np.array(found), NESTEROV_KINDS, keep)
        raise Mistake(
            f"For the gradients 4, 1, -2 and 0 one after the other, with keep={keep:g}, it gives "
            f"{listed(found)}; it should be {listed(right)}. {kind}"
        )


# -- the largest rate, measured -----------------------------------------------------------------------------


def bowl(w):
    """The valley of the lesson."""
    return (w[0] ** 2 + 100 * w[1] ** 2) / 2


def slanting(w):
    """The valley, turned by 45 degrees: along (1, 1) its curvature is 1, along (1, -1) it is 100."""
    return ((w[0] + w[1]) ** 2 + 100 * (w[0] - w[1]) ** 2) / 4


def fourth(w):
    """A curve whose curvature depends on the place: at 1 it is 12."""
    return w[0] ** 4


# For each case: its name, its loss, the place, the matrix of its curvatures there.
VALLEYS = (
    ("bowl", bowl, (-10.0, 1.0), ((1, 0), (0, 100))),
    ("the bowl, turned by 45 degrees", slanting, (1.0, 2.0), ((50.5, -49.5), (-49.5, 50.5))),
    ("lambda w: w[0] ** 4", fourth, (1.0,), ((12,),)),
)
DIRECTIONS = {2: ((1.0, 0.0), (0.0, 1.0), (1.0, 2.0)), 1: ((1.0,), (0.5,))}


def gradient_of(f, w, matrix):
    """The gradients of the three valleys, by hand."""
    return 4 * w**3 if len(w) == 1 else np.array(matrix) @ w


ONE_WAY = "You nudge to one side only, which is less exact. Take the gradients on both sides of w."


def one_way(w, d, h):
    """A mistake: the change of the gradient of ``fourth`` to one side; nan where the curvature is the same on
    both sides, and so is the change."""
    return (4 * (w + h * d) ** 3 - 4 * w**3) / h if len(w) == 1 else np.full(w.shape, np.nan)


CHANGE_KINDS = (
    (lambda m, w, d, g: 2 * m @ d, "The two places are 0.002 apart: divide by 2 * 0.001."),
    (lambda m, w, d, g: 0.002 * m @ d, "That is the change itself. Divide it by how far you moved."),
    (lambda m, w, d, g: 0.001 * m @ d, "That is the change itself. Divide it by how far you moved."),
    (lambda m, w, d, g: -m @ d, "The sign is wrong: the gradient further on, minus the gradient behind."),
    (lambda m, w, d, g: g, "That is the gradient at w. How does it change along the direction?"),
    (
        lambda m, w, d, g: np.array(d @ m @ d),
        "That is one number. The gradient has an element for each of w.",
    ),
    (lambda m, w, d, g: one_way(w, d, 0.001), ONE_WAY),
    (lambda m, w, d, g: one_way(w, d, -0.001), ONE_WAY),
    "Take the gradients at w + 0.001 * direction and at w - 0.001 * direction, and divide by 0.002.",
)


def near(found, right):
    """Whether two arrays agree as well as nudges on both sides do, and better than a nudge on one."""
    return np.shape(found) == np.shape(right) and np.allclose(found, right, rtol=1e-4, atol=1e-4)


@exercise(
    "20 change",
    "The gradient at a place: t = Tensor(place), backward(f(t)), t.grad. You need it at two places.",
    "The places are w + 0.001 * direction and w - 0.001 * direction. They are 0.002 directions apart.",
    "(gradient(f, w + h * direction) - gradient(f, w - h * direction)) / (2 * h), with h = 0.001",
)
def gradient_change(function):
    """Judge how the gradient changes along a direction, in three valleys."""
    for name, f, place, matrix in VALLEYS:
        w = np.array(place)
        for direction in DIRECTIONS[len(place)]:
            said = f"gradient_change({name}, {listed(place)}, {listed(direction)})"
            given, d = w.copy(), np.array(direction)
            found = array(call(function, f, given, d.copy(), said=said), f"{said} gave")
            right = np.array(matrix) @ d
            if not near(found, right):
                gradient = gradient_of(f, w, matrix)
                kind = kind_near(found, np.array(matrix), w, d, gradient)
                raise Mistake(f"{said} gives {listed(found, 3)}; it should be {listed(right, 3)}. {kind}")
            if not same(given, w):
                raise Mistake(f"{said} is right, but the array w was changed. Nudge a new array: w + ...")
    return "With it you know the curvature in any direction, and never need the whole matrix."


def kind_near(found, *inputs):
    """The message for a wrong change; nudges are not exact."""
    *known, unknown = CHANGE_KINDS
    fits = (words for wrong, words in known if near(found, wrong(*inputs)))
    return next(fits, unknown)


def nearly_round(w):
    """A valley with two curvatures that are nearly the same: the direction needs time to turn."""
    return (9 * w[0] ** 2 + 10 * w[1] ** 2) / 2


# A start with ones stays exactly in the gentle direction of the second, and never turns to the steep one.
RATE_VALLEYS = (
    *VALLEYS,
    ("the bowl, turned by 45 degrees", slanting, (0.0, 0.0), ((50.5, -49.5), (-49.5, 50.5))),
    ("lambda w: (9 * w[0] ** 2 + 10 * w[1] ** 2) / 2", nearly_round, (1.0, 1.0), ((9, 0), (0, 10))),
)
LENGTH_OF_1 = (
    "2 is 2 divided by 1: a direction that was divided by its length has the length 1. Take the length of "
    "the change before you divide by it."
)
RATE_KINDS = (
    (lambda largest, smallest: largest, "That is the curvature. The rate is 2 divided by it."),
    (
        lambda largest, smallest: 1 / largest,
        "That is 1 divided by the curvature. The limit is 2 divided by it.",
    ),
    (lambda largest, smallest: largest / 2, "Turn the fraction round: 2 divided by the curvature."),
    (
        lambda largest, smallest: 2 / smallest,
        "That is the gentlest direction. If you begin with ones, begin with a random direction instead.",
    ),
)


@exercise(
    "20 largest",
    "rng.normal(size=w.shape) is a random direction; divided by its own np.linalg.norm it has the length 1.",
    "In the loop: change = gradient_change(f, w, direction), length = np.linalg.norm(change), and then "
    "direction = change / length.",
    "After the loop: return 2 / length.",
)
def largest_rate(function):
    """Judge the measured limits of the rate in three valleys."""
    for name, f, place, matrix in RATE_VALLEYS:
        said = f"largest_rate({name}, {listed(place)})"
        found = number(call(function, f, np.array(place), said=said))
        curvatures = np.linalg.eigvalsh(np.array(matrix, dtype=float))
        right = 2 / curvatures[-1]
        if not close(found, right, 5e-3):
            fits = (
                words
                for wrong, words in RATE_KINDS
                if close(found, wrong(curvatures[-1], curvatures[0]), 5e-3)
            )
            unknown = "The largest curvature is the length of the last change of the gradient."
            if close(found, 2 / np.diag(matrix).max(), 5e-3):
                unknown = "That is the limit along the axes. The steepest direction may lie between them."
            elif right < found < 2 / curvatures[0]:
                unknown = "It lies between the limits of the two directions. Does the loop run 100 times?"
            kind = next(fits, unknown)
            if close(found, 2) and close(number(call(function, fourth, np.array([1.0]), said=said)), 2):
                kind = LENGTH_OF_1  # with the curvature 12 there is no gentle direction that would give 2
            raise Mistake(f"{said} gives {found:.4g}; it should be {right:.4g}. {kind}")
    return "It finds the steepest direction, also where it lies between the axes."
