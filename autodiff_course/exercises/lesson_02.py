"""The exercises of lesson 02: two predictions of slopes, and the walk downhill."""

import math

from ..checking import Mistake, exercise, number
from ..machine import after
from .calling import call
from .shared import course

slope = after(2).slope

# -- predictions ---------------------------------------------------------------------------------------------


@exercise(
    "02 predict",
    "Work out 3.001 times 3.001: it is 9, and 3 times 0.001, and 0.001 times 3, and a rest too small to "
    "matter.",
    "So x * x moved by about 0.006. How many times as far as x is that?",
)
def predict(guess):
    """Judge the guessed slope of x * x at x = 3."""
    guess = number(guess)
    if guess == 9:
        raise Mistake(
            "9 is the value of x * x at 3: how high the curve is. The slope is how many times as far it "
            "moves as x does."
        )
    if guess == 3:
        raise Mistake("x stands in x * x twice. If it moves by 0.001, each of the two moves the product.")
    if guess == 2:
        raise Mistake("2 leaves out x itself. How far the product moves depends on x as well, and x is 3.")
    if abs(guess - 0.006) < 1e-4:
        raise Mistake("That is how far x * x moves for a nudge of 0.001. Now divide by how far x moved.")
    if guess == -6:
        raise Mistake("As x grows, x * x grows: the slope is not negative.")
    if abs(guess - 6) > 0.01:
        raise Mistake(f"Not {guess:.6g}. Nudge 3 to 3.001, and divide how far x * x moved by 0.001.")
    if guess != 6:
        return f"{guess:.6g} is what one nudge gives. As the nudge shrinks, 6 stays: the slope is 6."
    return "Moving x by 0.001 moves x * x by 0.006."


@exercise(
    "02 local",
    "Nudge x alone: 5.001 times 7. How far did the product move, compared with 0.001?",
    "If x grows by 1, there is one more 7 in the product. If y grows by 1, there is one more 5.",
)
def local(from_x, from_y):
    """Judge the guessed local slopes of x * y at x = 5, y = 7."""
    from_x, from_y = number(from_x), number(from_y)
    if (from_x, from_y) == (5, 7):
        raise Mistake(
            "You give each number its own value. If x grows by 1, there is one more 7 in the product: the "
            "local slope from x is the other number."
        )
    if (from_x, from_y) == (1, 1):
        raise Mistake("1 and 1 are the local slopes of a sum. This is a product: nudge x, and work it out.")
    if 35 in (from_x, from_y):
        raise Mistake("35 is the value of x * y. A local slope is how many times as far it moves as x does.")
    for name, guess, right in (("x", from_x, 7), ("y", from_y, 5)):
        if abs(guess - right) > 0.01:
            raise Mistake(f"From {name} it is not {guess:.6g}. Nudge {name}, and leave the other as it is.")
    return "From x it is 7, from y it is 5: in a product, each has the other number as its local slope."


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


@exercise(
    "02 step",
    "In the lesson's loop, the last line makes the step. Which names in it become arguments?",
    "Measure the slope of f at x, and go against it: the step is the rate times the slope.",
    "return x - rate * slope(f, x)",
)
def step(function):
    """Judge one step downhill by where it leads."""
    header = "def step(f, x, rate):"
    said = at("step", "f", 2, 0.1)
    found = number(call(function, course, 2, 0.1, said=said, header=header))
    if abs(found + 0.2) > 0.01:
        raise Mistake(f"{said} gives {found:.6g}; it should be -0.2. {why_step(found)}".rstrip())
    for words, f, x, rate, right in (
        ("f", course, 2, 0.4, -6.8),
        ("f", course, -0.2, 0.1, -1.08),
        ("square", square, -3, 0.25, -1.5),
        ("square", square, 0, 0.25, 0),
    ):
        said = at("step", words, x, rate)
        found = number(call(function, f, x, rate, said=said, header=header))
        if abs(found - right) > 0.01:
            raise Mistake(
                f"{said} gives {found:.6g}; it should be {right}: use the f, x and rate that come in."
            )
    return "From 2, with the rate 0.1, it leads to -0.2."


def why_step(found):
    """The mistake behind a wrong step where -0.2 is right."""
    for wrong, why in (
        (4.2, "It goes uphill: the slope says where f rises. Go against it."),
        (-20, "It goes as far as the whole slope: multiply the slope by the rate."),
        (1.9, "It goes as far as the rate, whatever the slope is: multiply the rate by the slope."),
        (22, "This is the slope. Return the place where the step leads."),
        (2.2, "This is how far the step goes. Return the place where it leads."),
        (-2.2, "This is how far the step goes. Return the place where it leads."),
        (6.12, "This is the value of f after the step. Return the place, not the height."),
        (-2, "f(x) is the height of the curve. How far to go depends on the slope."),
        (2, "It stays where it is."),
    ):
        if abs(found - wrong) < 0.01:
            return why
    return ""


LOWEST = "def lowest(f, x, rate):"


@exercise(
    "02 lowest",
    "It is a loop that goes on while the slope is not close to 0: `while abs(...) > 0.001:`.",
    "In the loop, x becomes step(f, x, rate). After the loop, return x.",
    "while abs(slope(f, x)) > 0.001: x = step(f, x, rate), and below the loop: return x",
)
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
            why = why_lowest(found, f, x, rate)
            gives = f"{said}{WHERE.get(words, '')} gives {found:.6g}"
            raise Mistake(f"{gives}; it should be about {right:.4g}. {why}")
    calls = calls_at_the_lowest_point(function)
    if calls > 500:
        raise Mistake(
            f"At 0.0001 the slope of square is 0.0002, so no step is needed, and yours calls f {calls:,} "
            "times. Take steps from x until the slope is between -0.001 and 0.001, and stop there."
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
        return call(function, f, x, rate, said=said, header=LOWEST)
    except Mistake as mistake:
        if "never end" not in str(mistake):
            raise
        said = (
            "step only returns the new place: x = step(f, x, rate) goes there."
            if f is course
            else "Do not wait for exactly 0: stop when the slope is between -0.001 and 0.001."
        )
        raise Mistake(f"{mistake} {said}") from None


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
            "small and not the slope? Go on until the slope is between -0.001 and 0.001."
        )
    return "Go on until the slope is between -0.001 and 0.001."
