"""The exercises of lesson 16: where Newton's steps lead, a Hessian times a vector, and the largest rate."""

import numpy as np

import autodiff as ad

from ..checking import Mistake, number
from .calling import call, names_of
from .counting import Called, counted_walks, gives
from .shared import apart, array, close, listed
from .table import PRINTS, Right, Stop, Table, Wrong, advice, whole

# -- where Newton's steps lead ------------------------------------------------------------------------------

UPHILL = "That is uphill. Newton's step goes to x minus slope over second slope."
VALUE = "That is value over slope. Newton's step is slope over second slope."

QUARTIC = Table(
    "16 quartic",
    right="2, 4 / 3",
    answers=(
        Right("two digits", "2, 1.33"),
        Right("Tensors", "Tensor(2.0), Tensor(4 / 3)"),
        Wrong("the lowest point", "0, 0", "The lowest point is at 0, but one step falls short: the second slope is not the same everywhere."),
        Wrong("uphill", "4, 5", UPHILL),
        Wrong("value over slope", "2.25, 1", VALUE),
        Wrong("how far", "1, 0.5", "Slope and second slope at 3 are both 108, so the step is 1 long. Where does it lead from 3?"),
        Wrong("how far, by the value", "0.75, 0.5", "That is how far value over slope goes. Newton's step is slope over second slope."),
        Wrong("the slope alone", "3 - 108, 1", "That is the slope alone. Divide it by the second slope."),
        Wrong("another first", "2.5, 1", holds="Work out slope over second slope at 3"),
        Wrong("second at the bottom", "2, 0", "The bottom is not reached by the second step either. Work out both slopes at 2."),
        Wrong("the same step again", "2, 1", "It is not 1 long again: at 2, slope and second slope are not what they were at 3."),
        Wrong("how far the second goes", "2, 2 / 3", "That is how far it goes. Where does it lead from 2?"),
        Wrong("second by the value", "2, 1.5", VALUE),
        Wrong("one digit", "2, 1.3", "That is close. Give it as a fraction, or with two digits after the point."),
        Wrong("second uphill", "2, 8 / 3", UPHILL),
        Wrong("the third", "2, 8 / 9", "That is where the third step leads."),
        Wrong("another second", "2, 1.9"),
        Wrong("a word", "'two', 1", holds="A number is asked for"),
    ),
    otherwise="It starts at 2. Work out slope over second slope there.",
    hints=(
        "The slope of x ** 4 is 4 * x ** 3. And the slope of that?",
        "At 3 the slope is 4 * 27 and the second slope is 12 * 9. The step is one over the other.",
        "Slope over second slope is x / 3 at every x. So each step leads to two thirds of x.",
    ),
)


@QUARTIC.judged
def quartic(first, second):
    """Judge the two predicted places, from 3 down the curve x ** 4."""
    first, second = number(first), number(second)
    if not close(first, 2, 1e-3):
        otherwise = "Work out slope over second slope at 3."
        why = QUARTIC.why(lambda wrong: close(first, wrong[0], 1e-3), otherwise=otherwise)
        raise Mistake(f"The first step does not lead to {first:g}. {why}")
    if not close(second, 4 / 3, 1e-2):
        why = QUARTIC.why(lambda wrong: wrong[0] == 2 and close(second, wrong[1], 1e-2))
        raise Mistake(f"The second step does not lead to {second:g}. {why}")
    return "Each step takes off only a third of what is left: so flat a bottom makes Newton's method slow."


# -- a Hessian times a vector -------------------------------------------------------------------------------


def mixed(x):
    """A polynomial of three numbers. Its degree is 5, since a nudge would be exact up to degree 3."""
    return x[0] * x[1] ** 2 + 2 * x[1] * x[2] + x[2] ** 5


POINT, VECTOR = np.array([1.0, 2.0, 1.0]), np.array([10.0, -1.0, 2.0])
OWN = "your own machine"
PRODUCT = "grad(lambda p: (grad(f)(p) * v).sum())(x).data"
HESSIAN = "x = Tensor(x)\nslopes = grad(f)(x)\nH = np.stack([gradients(slopes, unit)[x] for unit in np.eye(len(x.data))])\n"

TIMES = Table(
    "16 times",
    head="hessian_times(f, x, v)",
    right=PRODUCT,
    answers=(
        Right("two walks by hand", "x = Tensor(x)\nslopes = gradients(f(x), Tensor(1.0))[x]\nreturn gradients((slopes * v).sum())[x]"),
        Right("the second walk begins with v", "x = Tensor(x)\nreturn gradients(grad(f)(x), v)[x]"),
        Wrong("element by element", "grad(f)(x) * v", "That is the gradient times v, element by element. Sum it, and walk back once more."),
        Wrong("one number", "(grad(f)(x) * v).sum()", "That is the sum of the gradient times v, one number. Now take *its* gradient."),
        Wrong("v on both sides", f"v @ {PRODUCT}", "That is one number: v times the product. The product itself has three."),
        Wrong("the diagonal", f"{HESSIAN}return np.diag(H) * v", "Only the diagonal is in it. Two numbers that meet in f count as well."),
        Wrong("without v", (" * v", ""), "That is the product with a vector of ones. Where is v?"),
        Wrong("v too late", ((" * v", ""), (".data", " * v")), "v came too late: multiply the gradient by it before you sum."),
        Wrong("f times v", ("grad(f)(p)", "f(p)"), "You multiplied f's value by v. Multiply its gradient by v."),
        Wrong("the gradient", "grad(f)(x)", "That is the gradient. One more walk back is needed, from the gradient times v."),
        Wrong("the gradient in the way", "x = Tensor(x)\nbackward(f(x), Tensor(1.0))\nbackward((x.grad * v).sum())\nreturn x.grad", "The first walk's gradient is still in it, as in the lesson's 28. Use grad instead."),
        Wrong("the whole Hessian", f"{HESSIAN}return H", "That is the Hessian. Its product with v is asked for, without building the Hessian itself."),
        Wrong("values between the walks", ("(p) * v).sum()", "(p.data) * v).sum() + 0 * p.sum()"), "All zeros: the path was lost between the walks. Is .data in it, or another function's x?"),
        Wrong("the sign", f"-{PRODUCT}", "The sign is wrong."),
        Wrong("twice", f"2 * {PRODUCT}", "That is twice the product."),
        Wrong("three times", f"3 * {PRODUCT}"),
        Wrong("a nudge", "(grad(f)(x + 1e-4 * v).data - grad(f)(x - 1e-4 * v).data) / 2e-4", holds="38.000002 in place of 38"),
        Wrong("row by row", f"{HESSIAN}return H @ v", holds="you walked"),
        Wrong("the product of two vectors by @", (" * v).sum()", " @ v)"), holds="not for two vectors"),
        Wrong("a Tensor", (".data", ""), holds="but in a Tensor"),
        Wrong("a list", f"list({PRODUCT})", holds="but in a list"),
        Wrong("by the package's hvp", "ad.hvp(f, (x,), (v,))", holds=OWN),
        Wrong("by the package's grad", ("grad(", "ad.grad("), holds=OWN),
        Wrong("copied from the message", "np.array([-4.0, 42.0, 38.0])", holds="f was never called"),
        Wrong("v overwritten", f"product = {PRODUCT}\nv *= 2\nreturn product", holds="has changed"),
        Wrong("prints", "print(x)", holds=PRINTS),
        Wrong("never ends", "while True:\n    pass\nreturn x", holds="Does a loop never end?"),
        Wrong("one argument too few", "lambda f, x: x", holds="Its first line should be"),
        Wrong("no function", "answer = [1, 2, 3]", holds="A function is asked for"),
    ),
    otherwise="Take the gradient of the sum of the gradient times v.",
    hints=(
        "The gradient is a vector, and v is a vector. Multiply and sum: one number, how the value moves along v. That number has a gradient, too.",
        "inner = lambda x: (grad(f)(x) * v).sum(). It is a function of x that gives one number.",
        "return grad(lambda x: (grad(f)(x) * v).sum())(x).data",
    ),
)
MATMUL = Stop(
    ValueError,
    "Your code stopped with ValueError: {error}. The `@` of your machine has rules for matrices, and not for two "
    "vectors. Multiply element by element and sum: (g * v).sum().",
    "matmul",
)


@TIMES.judged
def times(function):
    """Judge the product with a Hessian by its numbers, and by the number of walks back."""
    said, f, x, v = TIMES.head, Called(mixed), POINT.copy(), VECTOR.copy()
    with advice(MATMUL):
        given = call(function, f, x, v, said=said, header=f"def {said}:")
    found = array(given, f"{said} gave", "An array of three numbers is asked for.")
    right = ad.hessian(mixed)(POINT).data @ VECTOR
    if found.shape != right.shape or not np.allclose(found, right, rtol=1e-12, atol=1e-10):
        if found.shape == right.shape and np.allclose(found, right, rtol=1e-3, atol=1e-3):
            why = f"That is close, and not exact: {apart(found, right)}. Two walks back need no nudge."
        else:
            why = TIMES.why(gives(found, mixed, POINT, VECTOR), function)
        raise Mistake(
            "For f = x0 * x1 ** 2 + 2 * x1 * x2 + x2 ** 5 at [1, 2, 1] and v = [10, -1, 2], right is "
            f"{listed(right)}, and you give {listed(found)}. {why}"
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


def bowl(x):
    """A function of three numbers. The eigenvalues of its Hessian are 3, 1 and -1."""
    return x[0] ** 2 + x[0] * x[1] + x[1] ** 2 - 0.5 * x[2] ** 2


ROOT = "The length is the root of the sum of the squares."

FASTEST = Table(
    "16 fastest",
    head="fastest(f, x, v, times)",
    right=f"""
        for _ in range(times):
            product = {PRODUCT}
            length = np.linalg.norm(product)
            v = product / length
        return length""",
    answers=(
        Right("the length as a sum", ("np.linalg.norm(product)", "(product * product).sum() ** 0.5")),
        Wrong("divided before the product", (("product =", "v = v / np.linalg.norm(v)\n        product ="), ("v = product / length", "v = product")), "You divided before the first product. Multiply v as it is, and divide the product."),
        Wrong("after the division", ("return length", "return np.linalg.norm(v)"), "That is the length after the division. Keep the one from before."),
        Wrong("never divided", (" / length", ""), "The vector was never divided by its length."),
        Wrong("once more", ("range(times)", "range(times + 1)"), "You multiplied once more than `times`."),
        Wrong("once less", ("range(times)", "range(max(times - 1, 1))"), "You multiplied once less than `times`."),
        Wrong("of the first v", "np.linalg.norm(v)", "That is the length of the first v."),
        Wrong("the largest number after the division", ("return length", "return np.abs(v).max()"), ROOT),
        Wrong("divided by the sum", ("np.linalg.norm(product)", "np.abs(product).sum()"), ROOT),
        Wrong("NumPy's eigenvalues", f"{HESSIAN}return np.abs(np.linalg.eigvalsh(H)).max()"),
        Wrong("v not replaced", ("v = product", "u = product"), holds="once less"),
        Wrong("once too few", ("range(times)", "range(times - 1)"), holds="it has to run once"),
        Wrong("the vector", ("return length", "return v"), holds="One number is asked for"),
        Wrong("v overwritten", ("v = product", "v[:] = product"), holds="v has changed"),
        Wrong("prints", "print(v)", holds=PRINTS),
        Wrong("never ends", "while True:\n    pass\nreturn v", holds="Does a loop never end?"),
        Wrong("a number", "answer = 3", holds="A function is asked for"),
    ),
    otherwise="Multiply, take the length, divide.",
    hints=(
        "In a loop: product = hessian_times(f, x, v), its length, and v = product / length.",
        "np.linalg.norm(product) is the length.",
        "for _ in range(times): product = hessian_times(f, x, v); length = np.linalg.norm(product); v = product / length. Then return length.",
    ),
)  # fmt: skip
NEVER_RAN = Stop(UnboundLocalError, "{said} stopped with {name}: {error}. Does the loop run `times` times? With times = 1 it has to run once.")


@FASTEST.judged
def fastest(function):
    """Judge the length of the last product, after a few multiplications and after many."""
    for times in (1, 2, 20):
        said, v = f"fastest(f, [0, 0, 0], [1, 1, 1], {times})", START.copy()
        with advice(NEVER_RAN, said=said):
            given = call(function, Called(bowl), np.zeros(3), v, times, said=said, header=f"def {FASTEST.head}:")
        if np.ndim(getattr(given, "data", given)) if not isinstance(given, np.ndarray) else given.ndim:
            raise Mistake(
                f"{said} gives {given!r:.60}. One number is asked for, the length of the last product."
            )
        inputs = bowl, np.zeros(3), START.copy(), times
        found, right = number(given), FASTEST.answer(function)(*inputs)
        if not close(found, right, 1e-9):
            raise Mistake(
                f"For f = x0**2 + x0 * x1 + x1**2 - x2**2 / 2, {said} is {right:.6g}, and yours is "
                f"{found:.6g}. {FASTEST.why(gives(found, *inputs), function)}"
            )
        if not np.array_equal(v, START):
            raise Mistake(
                "The number is right, but the array v has changed. Write v = v / length, not v /= length."
            )
    return (
        "It turns into the direction in which the slope changes fastest. There a product is 3 times as long."
    )


# -- the largest rate ---------------------------------------------------------------------------------------

RATE = Table(
    "16 rate",
    right="2 / 1001.600639",
    answers=(
        Right("rounded", "0.002"),
        Right("with the earlier steps", f"{whole(FASTEST.right, FASTEST.head)}\nravine = lambda p: (1 - p[0]) ** 2 + 100 * (p[1] - p[0] * p[0]) ** 2\n2 / fastest(ravine, np.ones(2), np.ones(2), 20)"),
        Wrong("one over it", "1 / 1001.6", "With this rate a step lands at the bottom. It may be twice as large before it climbs."),
        Wrong("the eigenvalue", "1001.6", "That is the second slope. The rate is 2 divided by it."),
        Wrong("upside down", "1001.6 / 2", "Divide 2 by the second slope, not the second slope by 2."),
        Wrong("the slow direction", "2 / 0.39936", "That is the limit for the slowest direction. The fastest direction decides."),
        Wrong("the lesson's", "0.01", "That is the rate with which the lesson went down the valley. The ravine is steeper."),
        Wrong("of the valley", "2 / 101.606", "That is for the valley. Use ravine."),
        Wrong("a tenth of the valley's", "2 / 1016.06", "The ravine is not ten times as steep in every direction. Find its own number."),
        Wrong("another", "0.5"),
        Wrong("a word", "'small'", holds="A number is asked for"),
    ),
    otherwise="It is 2 over the largest second slope of ravine at (1, 1).",
    hints=(
        "At (1, 1) the second slope in the fastest direction is fastest(ravine, np.array([1.0, 1.0]), v, 20), for almost any v.",
        "A step of rate times slope lands at the bottom with the rate 1 / second slope, and as high on the other side with twice that.",
    ),
)


@RATE.judged
def rate(guess):
    """Judge the largest rate."""
    found, right = number(guess), RATE.answer()
    if not abs(found / right - 1) < 5e-3:
        why = RATE.why(lambda wrong: abs(found / wrong - 1) < 5e-3)
        raise Mistake(f"The largest rate is not {found:g}. {why}")
    if found > right:
        return (
            "2 over the largest second slope. Yours is rounded up, so with exactly this rate each step would "
            "end a little higher than the one before."
        )
    return (
        "2 over the largest second slope. With a larger rate each step would end higher than the one before."
    )
