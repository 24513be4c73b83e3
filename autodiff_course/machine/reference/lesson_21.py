"""Lesson 21: the rate over time."""

from ..plan import Piece, Probe, Wrong

TITLE = "The rate over time"

FIVE = "[round(warmup_cosine(t, 10, 2), 3) for t in (0, 1, 2, 6, 10)]"
DIVIDED = "Without a warm-up, warm is 0, and here it divides. Divide by warm only if t < warm."

PARTS = (
    Piece(
        "21 warmup_cosine",
        '''
def warmup_cosine(t, steps, warm=0):
    """The part of the full rate at step t: up a straight line, then down a cosine."""
    if t < warm:
        return (t + 1) / warm
    return 0.5 + 0.5 * math.cos(math.pi * (t - warm) / (steps - warm))
''',
        (
            Probe("[round(warmup_cosine(t, 10), 3) for t in (0, 5, 10)]", [1.0, 0.5, 0.0]),
            Probe(FIVE, [0.5, 1.0, 1.0, 0.5, 0.0]),
            Probe("[round(warmup_cosine(t, 8, 4), 3) for t in (0, 3, 4, 5, 8)]", [0.25, 1.0, 1.0, 0.854, 0.0]),
        ),
        (
            Wrong(
                "begins at 0",
                "The first step has the rate 0: it computes and does not move. Begin with 1 / warm.",
                ("(t + 1) / warm", "t / warm"),
            ),
            Wrong(
                "a jump after the warm-up",
                "After the warm-up the rate jumps down. The cosine begins where the warm-up ends: count its steps from there.",
                ("(t - warm) / (steps - warm)", "t / steps"),
            ),
            Wrong(
                "below zero",
                "At the end the rate is -1, which is uphill. The cosine goes from 1 to -1, the rate from 1 to 0.",
                ("0.5 + 0.5 * math.cos", "math.cos"),
            ),
            Wrong(
                "the cosine taken off",
                "The rate rises instead of falling: add the cosine, do not subtract it.",
                ("0.5 + 0.5 * math.cos", "0.5 - 0.5 * math.cos"),
            ),
            Wrong(
                "the cosine is printed",
                "One way through the function ends without `return`, and then it gives None. print only shows a number.",
                (
                    "return 0.5 + 0.5 * math.cos(math.pi * (t - warm) / (steps - warm))",
                    "print(0.5 + 0.5 * math.cos(math.pi * (t - warm) / (steps - warm)))",
                ),
            ),
            Wrong(
                "a quarter of a wave",
                "That is a quarter of a cosine. Take half of one, from 1 to -1, and raise it: half of 1 + cos.",
                (
                    "0.5 + 0.5 * math.cos(math.pi * (t - warm) / (steps - warm))",
                    "math.cos(math.pi / 2 * (t - warm) / (steps - warm))",
                ),
            ),
            Wrong(
                "divided by //",
                "// rounds down, so the line up is 0 until its last step. Divide by /.",
                ("(t + 1) / warm", "(t + 1) // warm"),
            ),
            Wrong(
                "one step early",
                "The cosine is one step ahead. At step warm the rate is still 1: count t - warm.",
                ("(t - warm) /", "(t - warm + 1) /"),
            ),
            Wrong(
                "the numbers of the example",
                "4 and 8 are the numbers of the example. warm and steps are arguments: use them.",
                ("t < warm", "t < 4"),
                ("(t + 1) / warm", "(t + 1) / 4"),
                ("(t - warm) / (steps - warm)", "(t - 4) / (8 - 4)"),
            ),
            Wrong(
                "a whole wave",
                "The rate falls and rises again. Only half a wave is wanted, from 0 to pi.",
                ("math.pi * (t", "2 * math.pi * (t"),
            ),
            Wrong(
                "one step too many",
                "With t <= warm the warm-up takes one step too many, and without a warm-up it divides by 0. Ask for t < warm.",
                ("t < warm", "t <= warm"),
            ),
            Wrong(
                "two factors",
                DIVIDED,
                (
                    "    if t < warm:\n        return (t + 1) / warm\n    return 0.5 + 0.5 * math.cos(math.pi * (t - warm) / (steps - warm))",
                    (
                        "    fall = math.cos(math.pi * max(0, t - warm) / (steps - warm))\n"
                        "    return min(1, (t + 1) / warm) * (0.5 + 0.5 * fall)"
                    ),
                ),
            ),
            Wrong(
                "two factors, and the cosine from the start",
                DIVIDED,
                (
                    "    if t < warm:\n        return (t + 1) / warm\n    return 0.5",
                    "    return min(1, (t + 1) / warm) * 0.5",
                ),
            ),
            Wrong(
                "no pi",
                "The cosine hardly falls, since its angle stays small. It goes from 0 to math.pi.",
                ("math.pi * (t", "(t"),
            ),
            Wrong(
                "all steps counted",
                "It does not come down to 0. After the warm-up only steps - warm steps are left: divide by that.",
                ("/ (steps - warm)", "/ steps"),
            ),
            Wrong(
                "down one step early",
                "It reaches 0 one step early: that is for step `steps`. Divide by steps - warm.",
                ("/ (steps - warm)", "/ (steps - 1 - warm)"),
            ),
            Wrong(
                "brackets are missing",
                "Brackets are missing around the steps that are left: (t - warm) / (steps - warm).",
                ("/ (steps - warm)", "/ steps - warm"),
            ),
            Wrong(
                "the warm-up not taken off",
                "After the warm-up the rate jumps down. The cosine begins where the warm-up ends: count its steps from there.",
                ("(t - warm) /", "t /"),
            ),
            Wrong(
                "a straight line down",
                "The rate falls along a straight line. It should fall along half a cosine.",
                ("0.5 + 0.5 * math.cos(math.pi * (t - warm) / (steps - warm))", "1 - (t - warm) / (steps - warm)"),
            ),
            Wrong(
                "the rate itself",
                "Return the part of the full rate, from 0 to 1. The loop multiplies it by the rate.",
                ("return (t + 1) / warm", "return 0.002 * (t + 1) / warm"),
                ("return 0.5 + 0.5 * math.cos(math.pi * (t - warm) / (steps - warm))", "return 0.002 * (0.5 + 0.5 * math.cos(math.pi * (t - warm) / (steps - warm)))"),
            ),
            Wrong(
                "np.where",
                "np.where gives an array, and one number is wanted. Write if and return.",
                (
                    "    if t < warm:\n        return (t + 1) / warm\n    return 0.5 + 0.5 * math.cos(math.pi * (t - warm) / (steps - warm))",
                    "    down = 0.5 + 0.5 * math.cos(math.pi * (t - warm) / (steps - warm))\n    return np.where(t < warm, (t + 1) / max(warm, 1), down)",
                ),
            ),
            Wrong("degrees", "math.cos takes radians: half a wave is math.pi.", ("math.pi * (t", "180 * (t")),
            Wrong("twice the rate", "The rate begins at 2. Take half of 1 + cos.", ("0.5 + 0.5 * math.cos", "1 + math.cos")),
            Wrong(
                "no warm-up",
                "The rate begins at its full size: the warm-up is missing.",
                ("    if t < warm:\n        return (t + 1) / warm\n", ""),
            ),
        ),
    ),
)
