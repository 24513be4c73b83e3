"""The exercises of lesson 02: two predictions of slopes, and a function that finds a slope by nudging."""

import math

from ..checking import Mistake, exercise, number, result
from .shared import close, course

# -- in class and at home: predictions ----------------------------------------------------------------------


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
            raise Mistake(f"From {name} it is not {guess:.6g}. Nudge {name} alone, and leave the other be.")
    return "From x it is 7, from y it is 5: in a product, each has the other number as its local slope."


# -- at home: the slope of any function ---------------------------------------------------------------------


@exercise(
    "02 slope",
    "The lesson has it for f at 2: (f(2.001) - f(1.999)) / 0.002. Which parts change for another x?",
    "Give the nudge a name, h = 0.001. The two points are x + h and x - h. How far apart are they?",
    "return (f(x + h) - f(x - h)) / (2 * h), with brackets around 2 * h.",
)
def slope(function):
    """Judge a function slope(f, x) by its results, and by the points at which it calls f."""
    asked = []

    def watched(a):
        asked.append(a)
        return course(a)

    found = number(result(function, watched, 2, said="slope(f, 2)"))
    if not asked:
        raise Mistake(f"slope(f, 2) gave {found:.6g} without calling f. It should work for any f.")
    h = max(abs(a - 2) for a in asked)
    said = f"For (a + 2) * (3 * a + 4) at a = 2, you give {apart(found, 22)}. "
    if h == 0:
        raise Mistake(f"{said}You ask f at 2 alone: that is a value. A slope needs x + h and x - h.")
    above, below = any(a > 2 for a in asked), any(a < 2 for a in asked)
    if not (above and below):
        raise Mistake(
            f"{said}You nudge one way only, and some of the nudge is left over. Ask f at x + h and at x - h."
        )
    if not near_slope(found, 22):
        raise Mistake(said + why_slope(found, h))
    for words, f, x, right in (
        ("x * x at x = 3", lambda x: x * x, 3, 6),
        ("x * x at x = -3", lambda x: x * x, -3, -6),
        ("x * x * x at x = 2", lambda x: x * x * x, 2, 12),
        ("7 * x at x = 0", lambda x: 7 * x, 0, 7),
        ("5, whatever x is, at x = 1", lambda x: 5, 1, 0),
        ("x * x at x = 2.3", lambda x: x * x, 2.3, 4.6),  # a slope that is no integer
    ):
        found = number(result(function, f, x, said="slope(f, x)"))
        if found == round(right) != right:
            raise Mistake(f"For {words} you give {found:.6g}, right is {right}: do not round.")
        if not near_slope(found, right):
            raise Mistake(
                f"It is right for (a + 2) * (3 * a + 4) at 2. For {words}, you give {found:.6g}, and right "
                f"is {right}: use the f and the x that come in, and a nudge of about 0.001."
            )
    return "22 for our f, and right for other functions and places as well."


def apart(found, right):
    """Two slopes as text, with enough digits to tell them apart."""
    for digits in range(6, 18):
        if (shown := f"{found:.{digits}g}") != f"{right:.{digits}g}":
            return f"{shown}, and right is {right}"
    return f"{right}"


def near_slope(found, right):
    """Whether a slope found by a small nudge is right; 22.003 is not 22."""
    return close(found, right, 1e-4)


def why_slope(found, h):
    """The mistake behind a wrong slope where 22 is right."""
    if h < 1e-9:
        return f"Your nudge of {h:.1g} is so small that a number's 16 digits cannot hold it. Take 0.001."
    if near_slope(found, -22):
        return "The sign is turned: what f gives above comes first, f(x + h) - f(x - h)."
    if near_slope(found, 44):
        return "You divide by h, but the two points are 2 * h apart."
    if near_slope(found, 11):
        return "You divide by too much: the two points are 2 * h apart."
    if math.isclose(found, 22 * 2 * h, rel_tol=1e-3):
        return "That is how far f moves. Divide it by how far x moved, which is 2 * h."
    if math.isclose(found, 22 * h * h, rel_tol=1e-3):
        return "Without brackets, / 2 * h divides by 2 and then multiplies by h. Write / (2 * h)."
    return "From x - h to x + h, how far does f move, and how far does x?"
