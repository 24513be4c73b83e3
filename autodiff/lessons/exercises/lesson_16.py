"""The exercises of lesson 16: a Newton step, where such steps lead, and a hessian times a vector."""

import math

import numpy as np

import autodiff as ad

from ..checking import Mistake, NotYet, exercise, number, result
from .counting import run_counted, watched
from .shared import close, course, listed

# -- in class: a step of Newton's ---------------------------------------------------------------------------


def bent(x):
    """A curve whose second slope differs everywhere."""
    return ad.exp(x) - 2 * x


def fourth(x):
    """A curve that is very flat at its minimum."""
    return x * x * x * x


def two_valleys(x):
    """A curve with two minima, between which the second slope is negative."""
    return x**4 - 2 * x**2


# A function, its text, the place, and its value, slope and second slope there.
PLACES = (
    (course, "(a + 2) * (3 * a + 4)", 2.0, (40.0, 22.0, 6.0)),
    (bent, "exp(x) - 2 * x", 0.5, (math.exp(0.5) - 1, math.exp(0.5) - 2, math.exp(0.5))),
    (fourth, "x * x * x * x", 3.0, (81.0, 108.0, 108.0)),
    (two_valleys, "x**4 - 2 * x**2", 0.4, (-0.2944, -1.344, -2.08)),
)
STEPS = (
    (
        lambda x, f, s, c: x - s / abs(c),
        "You took the second slope without its sign. Newton's step divides by it as it is.",
    ),
    (lambda x, f, s, c: x + s / c, "That is uphill: the step goes against the slope. Take it away from x."),
    (lambda x, f, s, c: x - c / s, "You divided the second slope by the slope. It is the other way round."),
    (
        lambda x, f, s, c: x - f / s,
        "You divided the value by the slope. That looks for a place where f is 0; here the slope is to be 0.",
    ),
    (lambda x, f, s, c: x - s, "The step is the slope itself. Divide it by the second slope."),
    (lambda x, f, s, c: x - s * c, "You multiplied by the second slope. Divide by it."),
    (lambda x, f, s, c: s / c, "That is how far to go. Return where one stands afterwards: x minus that."),
    (lambda x, f, s, c: -s / c, "That is how far to go. Return where one stands afterwards, from x."),
    (lambda x, f, s, c: x - 0.1 * s, "That is lesson 02's step. Divide the slope by the second slope."),
    (lambda x, f, s, c: x - s / c / 2, "The step is half as long as it should be."),
    (lambda x, f, s, c: x, "x has not moved."),
    (lambda x, f, s, c: x - s / (s * s), "You divided by the slope squared, not by the slope's own slope."),
    (
        lambda x, f, s, c: x - s / (s + c),
        "The slope is still in it, as in the 28 of the lesson. Forget the gradient between the walks.",
    ),
    (lambda x, f, s, c: x - s / 6, "6 is the second slope of the course's calculation alone. Find f's own."),
)


@exercise(
    "16 newton",
    "ad.grad(f) is the slope as a function of x. What is its slope?",
    "slope = ad.grad(f) and second = ad.grad(slope). The slope is used up after slope(x) / second(x).",
    "slope = ad.grad(f), then second = ad.grad(slope), then return x - slope(x) / second(x).",
)
def newton(function):
    """Judge one step from each place. One slope is negative, and so is the last second slope."""
    for f, said, x, parts in PLACES:
        found = number(result(function, f, x, said=f"newton_step(f, {x:g})"))
        right = x - parts[1] / parts[2]
        if not close(found, right, 1e-9):
            kinds = (kind for wrong, kind in STEPS if close(found, wrong(x, *parts), 1e-9))
            kind = next(kinds, "How far is it until the slope is used up?")
            digits = 6
            if close(found, right, 1e-4):
                kind, digits = "That is close, and not exact. Did you nudge? ad.grad needs no nudge.", 10
            told = f"slope {parts[1]:.6g} and second slope {parts[2]:.6g}"
            raise Mistake(
                f"For f = {said} at {x:g}, with {told}, a step leads to {right:.{digits}g}, and yours to "
                f"{found:.{digits}g}. {kind}"
            )
    return "From each place the step goes to where the slope would be 0, if it went on changing as it does."


# -- at home: where the steps lead --------------------------------------------------------------------------

# The mistakes behind certain wrong first answers, and second answers.
FIRST = (
    (0, "The lowest point is at 0, but one step falls short: the second slope is not the same everywhere."),
    (4, "That is uphill. x minus slope over second slope."),
    (3 - 81 / 108, "That is value over slope. Newton's step is slope over second slope."),
    (1, "Slope and second slope at 3 are both 108, so the step is 1 long. Where does it lead, from 3?"),
    (0.75, "That is how far value over slope goes. Newton's step is slope over second slope."),
    (3 - 108, "That is the slope alone. Divide it by the second slope."),
)
SECOND = (
    (0, "The bottom is not reached by the second step either. Work out both slopes at 2."),
    (1, "It is not 1 long again: at 2, slope and second slope are not what they are at 3."),
    (2 / 3, "That is how far it goes. Where does it lead, from 2?"),
    (1.5, "That is value over slope. Newton's step is slope over second slope."),
    (1.3, "That is close. Give it as a fraction, or with two digits after the point."),
    (8 / 3, "That is uphill. x minus slope over second slope."),
    (8 / 9, "That is where the third step leads."),
)


@exercise(
    "16 quartic",
    "The slope of x ** 4 is 4 * x ** 3. And the slope of that?",
    "At 3 the slope is 4 * 27 and the second slope is 12 * 9. The step is one over the other.",
    "Slope over second slope is x / 3 at every x. So each step leads to two thirds of x.",
)
def quartic(first, second):
    """Judge the two predicted places, from 3 down the curve x ** 4."""
    first, second = number(first), number(second)
    if not close(first, 2, 1e-3):
        kinds = (kind for wrong, kind in FIRST if close(first, wrong, 1e-3))
        kind = next(kinds, "Work out slope over second slope at 3.")
        raise Mistake(f"The first step does not lead to {first:g}. {kind}")
    if not close(second, 4 / 3, 1e-2):
        kinds = (kind for wrong, kind in SECOND if close(second, wrong, 1e-2))
        kind = next(kinds, "It starts at 2. Work out slope over second slope there.")
        raise Mistake(f"The second step does not lead to {second:g}. {kind}")
    return "Each step takes a third of what is left: the bottom is too flat for Newton to hurry."


# -- at home: a hessian times a vector ----------------------------------------------------------------------


def mixed(x):
    """A polynomial of three numbers. Its degree is 5, since a nudge would be exact up to degree 3."""
    return x[0] * x[1] ** 2 + 2 * x[1] * x[2] + x[2] ** 5


POINT, VECTOR = np.array([1.0, 2.0, 1.0]), np.array([10.0, -1.0, 2.0])
GRADIENT = np.array([4.0, 6.0, 9.0])
HESSIAN = np.array([[0.0, 4, 0], [4, 2, 2], [0, 2, 20]])
PRODUCTS = (
    (GRADIENT * VECTOR, "That is the gradient times v, element by element. Sum it, and walk back once more."),
    (GRADIENT @ VECTOR, "That is the sum of the gradient times v, one number. Now take *its* gradient."),
    (VECTOR @ HESSIAN @ VECTOR, "That is one number: v times the product. The product itself has three."),
    (np.diag(HESSIAN) * VECTOR, "Only the diagonal is in it. Two numbers that meet in f count as well."),
    (HESSIAN.sum(axis=1), "That is the product with a vector of ones. Where is v?"),
    (HESSIAN.sum(axis=1) * VECTOR, "v came too late: multiply the gradient by it before you sum."),
    (GRADIENT * VECTOR.sum(), "You multiplied f's value by v. Multiply its gradient by v."),
    (GRADIENT, "That is the gradient. One more walk back is needed, from the gradient times v."),
    (
        GRADIENT + HESSIAN @ VECTOR,
        "The first walk's gradient is still in it, as in the 28 of the lesson. Clear it, or use ad.grad.",
    ),
    (HESSIAN, "That is the hessian. Its product with v is asked for, without it."),
    (
        np.zeros(3),
        "All zeros: the way was lost between the walks. Is .data in it, no_grad, or another function's x?",
    ),
    (-HESSIAN @ VECTOR, "The sign is turned round."),
    (2 * HESSIAN @ VECTOR, "That is twice the product."),
)


@exercise(
    "16 times",
    "The gradient is a vector, and v is a vector. Multiply and sum: one number, how the value moves along v. "
    "That number has a gradient, too.",
    "inner = lambda x: (ad.grad(f)(x) * v).sum(). It is a function of x that gives one number.",
    "return ad.grad(lambda x: (ad.grad(f)(x) * v).sum())(x)",
)
def times(function):
    """Judge the product with a hessian by its numbers, and by the number of walks back."""
    said = "hessian_times(f, x, v)"
    given = result(function, mixed, POINT.copy(), VECTOR.copy(), said=said)
    given = given[0] if isinstance(given, tuple) and len(given) == 1 else given  # as ad.hvp returns it
    try:
        found = np.asarray(getattr(given, "data", given), dtype=float)
    except (TypeError, ValueError):
        raise Mistake(f"{said} gave {given!r:.60}. An array is asked for.") from None
    right = HESSIAN @ VECTOR
    if found.shape != right.shape or not np.allclose(found, right, rtol=1e-13, atol=1e-11):
        raise Mistake(
            "For f = x0 * x1 ** 2 + 2 * x1 * x2 + x2 ** 5 at [1, 2, 1] and v = [10, -1, 2], right is "
            f"{right.astype(int).tolist()}, and you give {listed(found)}. {kind_of_product(found, right)}"
        )
    check_few_walks(function)
    return "The product is right, and it took no more walks than a product needs."


def kind_of_product(found, right):
    """The message for a wrong product."""
    if found.shape == right.shape and np.allclose(found, right, rtol=1e-3, atol=1e-3):
        return "That is close, and not exact. Did you nudge? Two walks back need no nudge."
    for wrong, kind in PRODUCTS:
        if found.shape == np.shape(wrong) and np.allclose(found, wrong, atol=1e-6):
            return kind
    return "Take the gradient of the sum of the gradient times v."


def check_few_walks(function):
    """Raise Mistake if the product of a hessian of 40 numbers took as many walks as the hessian itself."""
    size = 40
    x, v = np.linspace(-1, 1, size), np.linspace(1, 2, size)
    given, walks = run_counted(function, lambda x: (watched(x) * x * x).sum(), x, v)
    if given is None:
        raise NotYet("for 40 numbers it gave None.")
    if walks >= size:
        raise Mistake(
            f"The numbers are right, but for {size} inputs you walked {walks} times: you have built the "
            "hessian, row by row. The product alone needs a few walks, however many inputs there are."
        )
