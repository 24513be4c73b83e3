"""The exercises of lesson 02: two predictions of slopes, and the walk downhill."""

import math

from ..checking import Mistake, number
from ..machine import after
from .calling import call
from .shared import course
from .table import PRINTS, Right, Table, Wrong, outcome

slope = after(2).slope

# -- predictions ---------------------------------------------------------------------------------------------

PREDICT = Table(
    "02 predict",
    right="6",
    answers=(
        Right("as a float", "6.0"),
        Right("as a one-sided nudge gives it", "6.001"),
        Right("in a Tensor", "Tensor(6)"),
        Wrong("the value", "9", "9 is the value of x * x at 3: how high the curve is. The slope is how many times as far it moves as x does."),
        Wrong("x", "3", "x stands in x * x twice. If it moves by 0.001, each of the two moves the product."),
        Wrong("two", "2", "2 leaves out x itself. How far the product moves depends on x as well, and x is 3."),
        Wrong("how far it moves", "0.006", "That is how far x * x moves for a nudge of 0.001. Now divide by how far x moved."),
        Wrong("the sign", "-6", "As x grows, x * x grows: the slope is not negative."),
        Wrong("something else", "5"),
        Wrong("no number", "float('nan')"),
        Wrong("a word", "'six'", holds="A number is asked for"),
    ),
    otherwise="Not {found:.6g}. Nudge 3 to 3.001, and divide how far x * x moved by 0.001.",
    hints=(
        "Work out 3.001 times 3.001: it is 9, and 3 times 0.001, and 0.001 times 3, and a rest too small to matter.",
        "So x * x moved by about 0.006. How many times as far as x is that?",
    ),
)


@PREDICT.judged
def predict(guess):
    """Judge the guessed slope of x * x at x = 3."""
    found = number(guess)
    if not abs(found - 6) <= 0.01:  # nan, too
        raise Mistake(PREDICT.why(lambda wrong: abs(found - wrong) < 1e-4, found=found))
    if found != 6:
        return f"{found:.6g} is what one nudge gives. As the nudge shrinks, 6 stays: the slope is 6."
    return "Moving x by 0.001 moves x * x by 0.006."


LOCAL = Table(
    "02 local",
    right="7, 5",
    answers=(
        Right("as floats", "7.0, 5.0"),
        Wrong("own values", "5, 7", "You give each number its own value. If x grows by 1, there is one more 7 in the product: the local slope from x is the other number."),
        Wrong("of a sum", "1, 1", "1 and 1 are the local slopes of a sum. This is a product: nudge x, and work it out."),
        Wrong("the product", "35, 35", holds="35 is the value"),
        Wrong("one for both", "7, 7", holds="From y it is not 7"),
        Wrong("the sum", "12, 5", holds="From x it is not 12"),
        Wrong("no number", "7, float('nan')", holds="From y it is not nan"),
    ),
    hints=(
        "Nudge x alone: 5.001 times 7. How far did the product move, compared with 0.001?",
        "If x grows by 1, there is one more 7 in the product. If y grows by 1, there is one more 5.",
    ),
)


@LOCAL.judged
def local(from_x, from_y):
    """Judge the guessed local slopes of x * y at x = 5, y = 7."""
    found, right = (number(from_x), number(from_y)), LOCAL.answer()
    off = [k for k in range(2) if not abs(found[k] - right[k]) <= 0.01]
    if not off:
        return "From x it is 7, from y it is 5: in a product, each has the other number as its local slope."
    name, guess = "xy"[off[0]], found[off[0]]
    otherwise = f"From {name} it is not {guess:.6g}. Nudge {name}, and leave the other as it is."
    if 35 in found:
        otherwise = "35 is the value of x * y. A local slope is how many times as far it moves as x does."
    raise Mistake(LOCAL.why(lambda wrong: wrong == found, otherwise=otherwise))


# -- downhill ------------------------------------------------------------------------------------------------


def square(x):
    """A curve whose lowest point is at 0."""
    return x * x


def hill(x):
    """A curve whose lowest point is at 3, where it is -2."""
    return 0.5 * (x - 3) * (x - 3) - 2


def valleys(x):
    """A curve with two lowest points, at -1 and at 1."""
    return (x * x - 1) * (x * x - 1)


WHERE = {
    "hill": ", where hill is 0.5 * (x - 3) * (x - 3) - 2,",
    "valleys": ", where valleys is (x * x - 1) * (x * x - 1),",
}


def at(words, f, *numbers):
    """The call of a reader's function as a message says it."""
    return f"{words}({f}, {', '.join(f'{number:.6g}' for number in numbers)})"


STEP = Table(
    "02 step",
    head="step(f, x, rate)",
    right="x - rate * slope(f, x)",
    answers=(
        Right("by hand", "x - rate * (f(x + 0.001) - f(x - 0.001)) / 0.002"),
        Right("nudged one way", "x - rate * (f(x + 0.001) - f(x)) / 0.001"),
        Right("other names", "lambda g, a, lr: a + -lr * slope(g, a, 1e-4)"),
        Wrong("uphill", ("-", "+"), "It goes uphill: the slope says where f rises. Go against it."),
        Wrong("without the rate", ("rate * ", ""), "It goes as far as the whole slope: multiply the slope by the rate."),
        Wrong("without the slope", (" * slope(f, x)", ""), "It goes as far as the rate, whatever the slope is: multiply the rate by the slope."),
        Wrong("the slope", "slope(f, x)", "This is the slope. Return the place where the step leads."),
        Wrong("how far", "rate * slope(f, x)", "This is how far the step goes. Return the place where it leads."),
        Wrong("how far, with its sign", "-rate * slope(f, x)", "This is how far the step goes. Return the place where it leads."),
        Wrong("the height", "f(x - rate * slope(f, x))", "This is the value of f after the step. Return the place, not the height."),
        Wrong("goes by the height", ("slope(f, x)", "f(x)"), "f(x) is the height of the curve. How far to go depends on the slope."),
        Wrong("x alone", "x", "It stays where it is."),
        Wrong("nothing of all this", "0.0", holds="it should be -0.2."),
        Wrong("no number", "float('nan')", holds="it should be -0.2."),
        Wrong("the constant", "-0.2", holds="use the f, x and rate that come in"),
        Wrong("the rate is fixed", ("rate", "0.1"), holds="step(f, 2, 0.4) gives -0.2"),
        Wrong("the lesson's f", ("slope(f, x)", "(6 * x + 10)"), holds="use the f, x and rate that come in"),
        Wrong("printed", "print(x - rate * slope(f, x))", holds=PRINTS),
        Wrong("no return", "def step(f, x, rate):\n    x = x - rate * slope(f, x)", holds="computes something and returns nothing"),
        Wrong("one argument too few", "lambda f, x: x - 0.1 * slope(f, x)", holds="hands over 3 argument"),
        Wrong("a number", "answer = -0.2", holds="A function is asked for"),
    ),
    hints=(
        "In the lesson's loop, the last line makes the step. Which names in it become arguments?",
        "Measure the slope of f at x, and go against it: the step is the rate times the slope.",
        "return x - rate * slope(f, x)",
    ),
)


@STEP.judged
def step(function):
    """Judge one step downhill by where it leads."""
    for words, f, x, rate, right in (
        ("f", course, 2, 0.1, -0.2),
        ("f", course, 2, 0.4, -6.8),
        ("f", course, -0.2, 0.1, -1.08),
        ("square", square, -3, 0.25, -1.5),
        ("square", square, 0, 0.25, 0),
    ):
        said = at("step", words, x, rate)
        found = number(call(function, f, x, rate, said=said, header="def step(f, x, rate):"))
        if not abs(found - right) <= 0.01:
            why = ": use the f, x and rate that come in."
            if right == -0.2:
                why = f". {STEP.why(lambda wrong: abs(found - outcome(wrong, f, x, rate)) < 0.01, function)}"  # noqa: B023
            raise Mistake(f"{said} gives {found:.6g}; it should be {right}{why}".rstrip())
    return "From 2, with the rate 0.1, it leads to -0.2."


SLOPE, WHILE = "abs(slope(f, x)) > 0.001", "while abs(slope(f, x)) > 0.001:"
LIMIT = "slope is between -0.001 and 0.001"

LOWEST = Table(
    "02 lowest",
    head="lowest(f, x, rate)",
    right=f"""
        {WHILE}
            x = x - rate * slope(f, x)
        return x""",
    answers=(
        Right("with break", (WHILE, "while True:\n        if -0.001 < slope(f, x) < 0.001:\n            break")),
        Right("recursion", "return x if abs(slope(f, x)) < 0.001 else lowest(f, x - rate * slope(f, x), rate)"),
        Right("nudged one way", ("slope(f, x)", "(f(x + 1e-4) - f(x)) / 1e-4")),
        Right("a smaller limit", ("> 0.001", "> 0.000001")),
        Right("step first", ((WHILE, "while True:"), ("x = x - rate * slope(f, x)\n", "x = x - rate * slope(f, x)\n        if abs(slope(f, x)) < 0.001:\n            break\n"))),
        Wrong("without abs", (SLOPE, "slope(f, x) > 0.001"), holds="compare with abs"),
        Wrong("a fixed number of steps", (WHILE, "for _ in range(100):"), holds="a fixed number of steps"),
        Wrong("a thousand steps", (WHILE, "for _ in range(1000):"), holds="no step is needed"),
        Wrong("ten thousand steps", (WHILE, "for _ in range(10000):"), holds="no step is needed"),
        Wrong("until the slope is 0", (SLOPE, "slope(f, x) != 0"), holds="Do not wait for exactly 0"),
        Wrong("the lowest of many places", "min([i / 1000 for i in range(-5000, 5000)], key=f)", holds="the other valley"),
        Wrong("the lowest place close to x", "min([x + i / 1000 for i in range(-7000, 7000)], key=f)", holds="the other valley"),
        Wrong("one step", ("while", "if"), holds="Go on until"),
        Wrong("return in the loop", ("    return x", "        return x\n    return x"), holds="Go on until"),
        Wrong("uphill", ("x - rate", "x + rate"), holds="It runs away"),
        Wrong("the height", ("return x", "return f(x)"), holds="the height of the lowest point"),
        Wrong("x does not move", ("x = x", "y = x"), holds="Does a loop never end?"),
        Wrong("the new place is not kept", ("x = x", "x"), holds="x = step(f, x, rate) goes there"),
        Wrong("until the step is small", (SLOPE, "abs(rate * slope(f, x)) > 0.001"), holds="is the step small and not the slope"),
        Wrong("the constant", "-5 / 3", holds="Use the f that comes in"),
        Wrong("printed", ("return x", "print(x)"), holds=PRINTS),
        Wrong("no return", ("    return x", ""), holds="computes something and returns nothing"),
        Wrong("one argument too few", "lambda f, x: x", holds="hands over 3 argument"),
    ),
    hints=(
        "It is a loop that goes on while the slope is not close to 0: `while abs(...) > 0.001:`.",
        "In the loop, x becomes step(f, x, rate). After the loop, return x.",
        "while abs(slope(f, x)) > 0.001: x = step(f, x, rate), and below the loop: return x",
    ),
)


@LOWEST.judged
def lowest(function):
    """Judge a walk downhill by where it ends."""
    for words, f, x, rate, right in (
        ("f", course, 2, 0.1, -5 / 3),
        ("f", course, 2, 0.01, -5 / 3),
        ("square", square, -4, 0.1, 0),
        ("square", square, 0, 0.1, 0),
        ("hill", hill, 10, 0.5, 3),
        ("valleys", valleys, 2, 0.02, 1),
        ("valleys", valleys, -2, 0.02, -1),
    ):
        said = at("lowest", words, x, rate)
        found = number(walked(function, f, x, rate, said))
        if not abs(found - right) < 0.002:
            gives = f"{said}{WHERE.get(words, '')} gives {found:.6g}"
            raise Mistake(f"{gives}; it should be about {right:.4g}. {why_lowest(found, f, x, rate)}")
    calls = calls_at_the_lowest_point(function)
    if calls > 500:
        raise Mistake(
            f"At 0.0001 the slope of square is 0.0002, so no step is needed, and yours calls f {calls:,} "
            f"times. Take steps from x until the {LIMIT}, and stop there."
        )
    return "It comes to -5/3 for our f, and to the lowest point of other curves as well."


def calls_at_the_lowest_point(function):
    """How often a reader's function calls f if it begins where it can stop."""
    calls = 0

    def counted(x):
        nonlocal calls
        calls += 1
        return square(x)

    walked(function, counted, 0.0001, 0.05, at("lowest", "square", 0.0001, 0.05))
    return calls


def walked(function, f, x, rate, said):
    """Where the reader's walk ends. Raises Mistake, with what may be missing, if it never does."""
    try:
        return call(function, f, x, rate, said=said, header="def lowest(f, x, rate):")
    except Mistake as mistake:
        if "never end" not in str(mistake):
            raise
        why = f"Do not wait for exactly 0: stop when the {LIMIT}."
        if f is course:
            why = "step only returns the new place: x = step(f, x, rate) goes there."
        raise Mistake(f"{mistake} {why}") from None


def why_lowest(found, f, x, rate):
    """The mistake behind a walk that does not end at the lowest point."""
    if not math.isfinite(found) or abs(found) > 100:
        return "It runs away: every step has to go against the slope."
    if found == x:
        return "It stays where it began. A slope of -8 is not close to 0 either: compare with abs."
    if f is course and abs(found - f(-5 / 3)) < 0.002:
        return "This is the height of the lowest point. Return its place."
    if f is not course and abs(found + 5 / 3) < 0.002:
        return "Use the f that comes in."
    if f is valleys and abs(abs(found) - 1) < 0.002:
        return "That is the other valley. Take steps from x, downhill, until the slope is close to 0."
    if rate == 0.01:
        return (
            f"The slope there is still {slope(f, found):.2g}. Is it a fixed number of steps, or is the step "
            f"small and not the slope? Go on until the {LIMIT}."
        )
    return f"Go on until the {LIMIT}."
