"""Lesson 02: the slope of a function, measured."""

from ..plan import Piece, Probe, Wrong

TITLE = "Slopes"

PARTS = (
    Piece(
        "02 slope",
        '''
def slope(f, x, h=0.001):
    """How far f moves, divided by how far x moves, when x is nudged both ways."""
    return (f(x + h) - f(x - h)) / (2 * h)
''',
        (
            Probe("def f(a): return (a + 2) * (3 * a + 4)\nround(slope(f, 2), 6)", 22.0),
            Probe("round(slope(lambda x: x**3, 3), 4)", 27.0),
            Probe("round(slope(lambda x: x**3, 1, h=0.1), 6)", 3.01),
            Probe("round(slope(lambda x: 5 - x, 0), 6)", -1.0),
            Probe("round(slope(lambda x: x / 10**9, 2) * 10**9, 3)", 1.0),
        ),
        (
            Wrong("divides by h", "Between x - h and x + h, x moves by 2h, not by h.", ("(2 * h)", "h")),
            Wrong(
                "nudges one way",
                "This is close. It nudges in one direction only. Nudging in both directions is more exact.",
                ("f(x - h)) / (2 * h)", "f(x)) / h"),
            ),
            Wrong(
                "nudges downwards only",
                "This is close. It nudges in one direction only. Nudging in both directions is more exact.",
                ("(f(x + h) - f(x - h)) / (2 * h)", "(f(x) - f(x - h)) / h"),
            ),
            Wrong(
                "half a nudge each way",
                "Nudge by h in each direction, not by h / 2.",
                ("(f(x + h) - f(x - h)) / (2 * h)", "(f(x + h / 2) - f(x - h / 2)) / h"),
            ),
            Wrong(
                "the lesson's formula",
                "6 * x + 10 is the slope of one calculation only. Use the f that comes in.",
                ("(f(x + h) - f(x - h)) / (2 * h)", "6 * x + 10"),
            ),
            Wrong(
                "does not divide",
                "This is how far f moves. The slope is how many times as far as x it moves.",
                (" / (2 * h)", ""),
            ),
            Wrong(
                "the sign is wrong",
                "The size is right and the sign is wrong: f(x + h) comes first.",
                ("f(x + h) - f(x - h)", "f(x - h) - f(x + h)"),
            ),
            Wrong("no brackets", "Divide by (2 * h), in brackets: / 2 * h divides by 2 and multiplies by h.", ("(2 * h)", "2 * h")),
            Wrong(
                "h is fixed",
                "Another h must give another nudge: use the argument h, not the number 0.001.",
                ("x + h", "x + 0.001"),
                ("x - h", "x - 0.001"),
                ("2 * h", "2 * 0.001"),
            ),
            Wrong(
                "divides by 0.002",
                "The nudge is h, which need not be 0.001: divide by (2 * h), not by 0.002.",
                ("(2 * h)", "0.002"),
            ),
            Wrong(
                "no brackets at all",
                "Python divides before it subtracts: put brackets around the difference, and around 2 * h.",
                ("(f(x + h) - f(x - h)) / (2 * h)", "f(x + h) - f(x - h) / 2 * h"),
            ),
            Wrong(
                "no brackets around the difference",
                "Python divides before it subtracts: put brackets around the difference, and around 2 * h.",
                ("(f(x + h) - f(x - h))", "f(x + h) - f(x - h)"),
            ),
            Wrong(
                "rounded to three decimals",
                "A small slope is lost. Return the quotient as it is, without rounding.",
                ("(f(x + h) - f(x - h)) / (2 * h)", "round((f(x + h) - f(x - h)) / (2 * h), 3)"),
            ),
            Wrong(
                "rounded to six decimals",
                "A small slope is lost. Return the quotient as it is, without rounding.",
                ("(f(x + h) - f(x - h)) / (2 * h)", "round((f(x + h) - f(x - h)) / (2 * h), 6)"),
            ),
        ),
    ),
)
