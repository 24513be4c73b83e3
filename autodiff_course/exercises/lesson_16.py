"""The exercises of lesson 16: where Newton's steps lead, a Hessian times a vector, and the largest rate."""

import numpy as np

from ..checking import Mistake, exercise, number
from .calling import call, names_of
from .counting import Called, counted_walks
from .shared import apart, array, close, listed

# -- where Newton's steps lead ------------------------------------------------------------------------------

# The mistakes behind certain wrong first answers, and second answers.
FIRST = (
    (0, "The lowest point is at 0, but one step falls short: the second slope is not the same everywhere."),
    (4, "That is uphill. Newton's step goes to x minus slope over second slope."),
    (3 - 81 / 108, "That is value over slope. Newton's step is slope over second slope."),
    (1, "Slope and second slope at 3 are both 108, so the step is 1 long. Where does it lead from 3?"),
    (0.75, "That is how far value over slope goes. Newton's step is slope over second slope."),
    (3 - 108, "That is the slope alone. Divide it by the second slope."),
)
SECOND = (
    (0, "The bottom is not reached by the second step either. Work out both slopes at 2."),
    (1, "It is not 1 long again: at 2, slope and second slope are not what they were at 3."),
    (2 / 3, "That is how far it goes. Where does it lead from 2?"),
    (1.5, "That is value over slope. Newton's step is slope over second slope."),
    (1.3, "That is close. Give it as a fraction, or with two digits after the point."),
    (8 / 3, "That is uphill. Newton's step goes to x minus slope over second slope."),
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
    return "Each step takes off only a third of what is left: so flat a bottom makes Newton's method slow."


# -- a Hessian times a vector -------------------------------------------------------------------------------


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
        "The first walk's gradient is still in it, as in the lesson's 28. Use grad instead.",
    ),
    (HESSIAN, "That is the Hessian. Its product with v is asked for, without building the Hessian itself."),
    (
        np.zeros(3),
        "All zeros: the path was lost between the walks. Is .data in it, or another function's x?",
    ),
    (-HESSIAN @ VECTOR, "The sign is wrong."),
    (2 * HESSIAN @ VECTOR, "That is twice the product."),
)


@exercise(
    "16 times",
    "The gradient is a vector, and v is a vector. Multiply and sum: one number, how the value moves along v. "
    "That number has a gradient, too.",
    "inner = lambda x: (grad(f)(x) * v).sum(). It is a function of x that gives one number.",
    "return grad(lambda x: (grad(f)(x) * v).sum())(x).data",
)
def times(function):
    """Judge the product with a Hessian by its numbers, and by the number of walks back."""
    said = "hessian_times(f, x, v)"
    f, x, v = Called(mixed), POINT.copy(), VECTOR.copy()
    try:
        given = call(function, f, x, v, said=said, header="def hessian_times(f, x, v):")
    except ValueError as error:
        if "matmul" not in str(error):
            raise
        raise Mistake(
            f"Your code stopped with ValueError: {error}. The `@` of your machine has rules for matrices, "
            "and not for two vectors. Multiply element by element and sum: (g * v).sum()."
        ) from None
    found = array(
        given,
        f"{said} gave",
        "An array of three numbers is asked for.",
    )
    right = HESSIAN @ VECTOR
    if found.shape != right.shape or not np.allclose(found, right, rtol=1e-12, atol=1e-10):
        raise Mistake(
            "For f = x0 * x1 ** 2 + 2 * x1 * x2 + x2 ** 5 at [1, 2, 1] and v = [10, -1, 2], right is "
            f"{right.astype(int).tolist()}, and you give {listed(found)}. {kind_of_product(found, right)}"
        )
    if not isinstance(given, np.ndarray):
        raise Mistake(
            f"The numbers are right, but in a {type(given).__name__}. Return the plain array, its `.data`: "
            "step two multiplies again and again, and each Tensor would keep the graphs of all "
            "products before it."
        )
    if not (np.array_equal(x, POINT) and np.array_equal(v, VECTOR)):
        raise Mistake(
            "The product is right, but x or v has changed. Don't write into the arrays that you are given."
        )
    if not f.calls:
        raise Mistake("The numbers are right, but f was never called: it has to work for every f.")
    check_few_walks(function)
    return "The product is right, and it took no more walks than a product needs."


def kind_of_product(found, right):
    """The message for a wrong product."""
    if found.shape == right.shape and np.allclose(found, right, rtol=1e-3, atol=1e-3):
        return f"That is close, and not exact: {apart(found, right)}. Two walks back need no nudge."
    for wrong, kind in PRODUCTS:
        if found.shape == np.shape(wrong) and np.allclose(found, wrong, atol=1e-6):
            return kind
    return "Take the gradient of the sum of the gradient times v."


def check_few_walks(function):
    """Raise Mistake if the product of a Hessian of 40 numbers took as many walks as the Hessian itself."""
    size = 40
    x, v = np.linspace(-1, 1, size), np.linspace(1, 2, size)
    with counted_walks(names_of(function, 16)) as (watched, walks):
        call(function, lambda x: (watched(x) * x * x).sum(), x, v, said="hessian_times for 40 numbers")
    if len(walks) >= size:
        raise Mistake(
            f"The numbers are right, but for {size} inputs you walked {len(walks)} times: you built the "
            "Hessian row by row. The product alone needs two walks, however many inputs there are."
        )


# -- the fastest direction -----------------------------------------------------------------------------------

START = np.array([1.0, 1.0, 1.0])
TURNED = np.array([[2.0, 1, 0], [1, 2, 0], [0, 0, -1]])  # its eigenvalues are 3, 1 and -1


def bowl(x):
    """A function of three numbers with the Hessian TURNED."""
    return x[0] ** 2 + x[0] * x[1] + x[1] ** 2 - 0.5 * x[2] ** 2


def after_multiplying(v, times):
    """The length of the last product with TURNED."""
    for _ in range(times):
        product = TURNED @ v
        length = float(np.sqrt(product @ product))
        v = product / length
    return length


@exercise(
    "16 fastest",
    "In a loop: product = hessian_times(f, x, v), its length, and v = product / length.",
    "np.linalg.norm(product) is the length.",
    "for _ in range(times): product = hessian_times(f, x, v); length = np.linalg.norm(product); "
    "v = product / length. "
    "Then return length.",
)
def fastest(function):
    """Judge the length of the last product, after a few multiplications and after many."""
    for times in (1, 2, 20):
        said, v = f"fastest(f, [0, 0, 0], [1, 1, 1], {times})", START.copy()
        try:
            given = call(
                function,
                Called(bowl),
                np.zeros(3),
                v,
                times,
                said=said,
                header="def fastest(f, x, v, times):",
            )
        except UnboundLocalError as error:
            raise Mistake(
                f"{said} stopped with UnboundLocalError: {error}. Does the loop run `times` times? With "
                "times = 1 it has to run once."
            ) from None
        if np.ndim(getattr(given, "data", given)) if not isinstance(given, np.ndarray) else given.ndim:
            raise Mistake(
                f"{said} gives {given!r:.60}. One number is asked for, the length of the last product."
            )
        found, right = number(given), after_multiplying(START, times)
        if not close(found, right, 1e-9):
            raise Mistake(
                f"For f = x0**2 + x0 * x1 + x1**2 - x2**2 / 2, {said} is {right:.6g}, and yours is "
                f"{found:.6g}. " + kind_of_length(found, times)
            )
        if not np.array_equal(v, START):
            raise Mistake(
                "The number is right, but the array v has changed. Write v = v / length, not v /= length."
            )
    return (
        "It turns into the direction in which the slope changes fastest. There a product is 3 times as long."
    )


def kind_of_length(found, times):
    """The message for a wrong length."""
    v = START
    for _ in range(times):
        v = TURNED @ v
    unit = v / np.linalg.norm(v)
    kinds = (
        (
            after_multiplying(START / np.linalg.norm(START), times),
            "You divided before the first product. Multiply v as it is, and divide the product.",
        ),
        (1.0, "That is the length after the division. Keep the one from before."),
        (float(np.linalg.norm(v)), "The vector was never divided by its length."),
        (after_multiplying(START, times + 1), "You multiplied once more than `times`."),
        (after_multiplying(START, max(times - 1, 1)), "You multiplied once less than `times`."),
        (float(np.linalg.norm(START)), "That is the length of the first v."),
        (float(np.abs(unit).max()), "The length is the root of the sum of the squares."),
        (float(np.abs(v).sum()), "The length is the root of the sum of the squares."),
    )
    return next(
        (kind for wrong, kind in kinds if close(found, wrong, 1e-6)), "Multiply, take the length, divide."
    )


LIMIT = 2 / 1001.600639


@exercise(
    "16 rate",
    "At (1, 1) the second slope in the fastest direction is fastest(ravine, np.array([1.0, 1.0]), v, 20), "
    "for almost any v.",
    "A step of rate times slope lands at the bottom with the rate 1 / second slope, and as high on the other "
    "side with twice that.",
)
def rate(guess):
    """Judge the largest rate."""
    found = number(guess)
    if not abs(found / LIMIT - 1) < 5e-3:
        kinds = (
            (
                LIMIT / 2,
                "With this rate a step lands at the bottom. It may be twice as large before it climbs.",
            ),
            (2 / LIMIT, "That is the second slope. The rate is 2 divided by it."),
            (1 / LIMIT, "Divide 2 by the second slope, not the second slope by 2."),
            (
                2 / 0.39936,
                "That is the limit for the slowest direction. The fastest direction decides.",
            ),
            (0.01, "That is the rate with which the lesson went down the valley. The ravine is steeper."),
            (2 / 101.606, "That is for the valley. Use ravine."),
            (2 / 1016.06, "The ravine is not ten times as steep in every direction. Find its own number."),
        )
        kind = next(
            (kind for wrong, kind in kinds if abs(found / wrong - 1) < 5e-3),
            "It is 2 over the largest second slope of ravine at (1, 1).",
        )
        raise Mistake(f"The largest rate is not {found:g}. {kind}")
    if found > LIMIT:
        return (
            "2 over the largest second slope. Yours is rounded up, so with exactly this rate each step would "
            "end a little higher than the one before."
        )
    return (
        "2 over the largest second slope. With a larger rate each step would end higher than the one before."
    )
