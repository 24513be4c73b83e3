"""The exercises of lesson 34: goals, the memory, a worth without end, four numbers that balance a pole, a
discounted sum, and goals that two networks make together."""

import math

import numpy as np

from ..checking import Mistake, NotYet, exercise, number
from ..runs.lesson_34 import GOOD, fallen, fresh, lasts, step
from .calling import call, check_class, counted
from .shared import array, close, kind_of, listed, numpy_array, same

# -- goals --------------------------------------------------------------------------------------------------

GOALS_CASES = (
    ([0], [[10.0, 20.0]], 0.99),
    ([1], [[10.0, 20.0]], 0.99),
    ([0], [[30.0, 20.0]], 0.5),
    ([0, 1, 0], [[4.0, 2.0], [9.0, 8.0], [-1.0, -3.0]], 0.9),
)

GOALS_KINDS = (
    (
        lambda fell, worth, d: 1 + d * worth.max(axis=1),
        "A pole that has fallen has no future: what comes afterwards counts only where fell is 0.",
    ),
    (
        lambda fell, worth, d: 1 + d * fell * worth.max(axis=1),
        "It counts the future where the pole has fallen, and leaves it out where it has not: 1 - fell.",
    ),
    (
        lambda fell, worth, d: (1 - fell) * (1 + d * worth.max(axis=1)),
        "The step itself counts 1 even where the pole falls after it. Only the future is left out.",
    ),
    (
        lambda fell, worth, d: 1 + d * ~fell * worth.max(axis=1),
        "~ turns every bit of a whole number round: ~0 is -1. Write 1 - fell.",
    ),
    (lambda fell, worth, d: 1 + (1 - fell) * worth.max(axis=1), "The discount is missing."),
    (
        lambda fell, worth, d: 1 + 0.99 * (1 - fell) * worth.max(axis=1),
        "The discount is an argument, and not always 0.99.",
    ),
    (
        lambda fell, worth, d: d * (1 - fell) * worth.max(axis=1),
        "The 1 for the step itself is missing.",
    ),
    (
        lambda fell, worth, d: d * (1 + (1 - fell) * worth.max(axis=1)),
        "The step itself counts 1. Only what comes afterwards is discounted.",
    ),
    (
        lambda fell, worth, d: 1 + d * (1 - fell) * worth.mean(axis=1),
        "That is the mean of the two pushes. Afterwards the better one is taken: max.",
    ),
    (
        lambda fell, worth, d: 1 + d * (1 - fell) * worth.sum(axis=1),
        "That is the sum of the two pushes. Afterwards the better one is taken: max.",
    ),
    (
        lambda fell, worth, d: 1 + d * (1 - fell) * worth.min(axis=1),
        "That is the smaller number of the row. The better push may stand in either place: max(axis=1).",
    ),
    (
        lambda fell, worth, d: 1 + d * (1 - fell) * worth.max(),
        "One maximum is taken of the whole array. Each row has its own: max(axis=1).",
    ),
    (
        lambda fell, worth, d: 1 + d * (1 - fell) * worth.argmax(axis=1),
        "argmax says which push is better. What it is worth is asked for: max.",
    ),
    "1, and where fell is 0 the discount times the larger number of the row.",
)


@exercise(
    "34 goals",
    "next_worth has a row for each moment, and in it a number for each push. The better one: max(axis=1).",
    "Multiply the future by 1 - fell: that is 1 where the pole is up, and 0 where it has fallen.",
    "return 1 + discount * (1 - fell) * next_worth.max(axis=1)",
)
def goals(function):
    """Judge what pushes should be worth, by the worth of what follows."""
    for fell, worth, discount in GOALS_CASES:
        given = np.array(fell), np.array(worth)
        said = f"goals({fell}, {listed(worth)}, {discount})"
        header = "def goals(fell, next_worth, discount=0.99):"
        try:
            answer = call(function, *(a.copy() for a in given), discount, said=said, header=header)
        except ValueError as error:
            if "truth value" not in str(error):
                raise
            raise Mistake(
                f"{said} asks whether a whole array is true. fell has a 0 or 1 for each moment: compute with "
                "1 - fell."
            ) from None
        found = numpy_array(answer, f"{said} gave")
        right = 1 + discount * (1 - given[0]) * given[1].max(axis=1)
        if found.shape != right.shape:
            raise Mistake(
                f"{said} gave {listed(found)}, of the shape {found.shape}. One number for each row is asked "
                f"for, the shape {right.shape}. {kind_of(found, GOALS_KINDS, *given, discount)}"
            )
        if not same(found, right):
            kind = kind_of(found, GOALS_KINDS, *given, discount)
            raise Mistake(f"{said} gives {listed(found)}; it should be {listed(right)}. {kind}")
    return "A step that ends in a fall is worth 1, and any other is worth 1 and what it leads to."


# -- the memory ---------------------------------------------------------------------------------------------


def moment(k):
    """A moment whose parts all say which one it is."""
    return np.full(4, k + 1.0), k % 2, np.full(4, k + 1.5), int(k % 3 == 0)


PARTS = ("states", "rights", "afters", "fell")


@exercise(
    "34 replay",
    "An array of places picks rows: self.state[places] has the states at all these places.",
    "Draw the places once: places = rng.integers(n, size=count) gives numbers from 0 to n - 1. How many "
    "places are filled, before the memory is full and after?",
    "places = rng.integers(min(self.count, self.size), size=count), and then return self.state[places], "
    "self.right[places], self.after[places], self.fell[places].",
)
def replay(kind):
    """Judge a memory for the last moments."""
    check_class(kind, "Replay")
    for count in (1, 2, 3, 5, 8):
        memory = kind(3)
        for k in range(count):
            memory.add(*moment(k))
        kept = set(range(max(0, count - 3), count))
        said = f"After {counted(count, 'moment')}, numbered from 0, in a Replay(3)"
        rng, seen = np.random.default_rng(0), set()
        for _ in range(60):
            seen |= sampled(memory, min(2, len(kept)), rng, kept, said)
        if kept - seen:
            check_rng(kind)
            missing = ", ".join(map(str, sorted(kept - seen)))
            raise Mistake(f"{said}, number {missing} never came in 60 samples. Each kept moment may come.")
    check_rng(kind)
    return "It keeps the last moments, and mixes them."


def sampled(memory, count, rng, kept, said):
    """The numbers of the moments in a sample. Raises Mistake if it is not one of ``kept`` moments."""
    call_said = f"sample({count}, rng)"
    try:
        found = call(memory.sample, count, rng, said=call_said)
    except IndexError as error:
        raise Mistake(
            f"{said}, {call_said} stopped with IndexError: {error}. Its places are 0, 1 and 2: draw below "
            "min(self.count, self.size)."
        ) from None
    except ValueError as error:
        if "high <= 0" not in str(error):
            raise
        raise Mistake(
            f"{said}, {call_said} found nothing to draw from. Does add count the moments? rng.integers(n) "
            "draws numbers below n, so it needs no - 1."
        ) from None
    if not isinstance(found, tuple | list) or len(found) != 4:
        raise Mistake(f"{call_said} should return four arrays: states, pushes, states after them, and fell.")
    arrays = [array(part, f"{call_said} gave") for part in found]
    for part, shape, name in zip(arrays, ((count, 4), (count,), (count, 4), (count,)), PARTS):
        if part.shape != shape:
            raise Mistake(f"{said}, {name} of {call_said} have the shape {part.shape}, and not {shape}.")
    states, rights, afters, fell = arrays
    for k, state in enumerate(states):
        n = round(float(state[0])) - 1
        if not (states[k].any() or afters[k].any()):
            raise Mistake(
                f"{said}, a sample holds zeros that nobody added. Draw only among the places that are "
                "filled: below min(self.count, self.size)."
            )
        if n not in kept:
            why = "The oldest give their places to new ones" if n < min(kept) else "It was not added"
            raise Mistake(f"{said}, number {n} came in a sample. {why}.")
        wanted = moment(n)
        got = states[k], rights[k], afters[k], fell[k]
        wrong = [name for name, a, b in zip(PARTS, got, wanted) if not np.array_equal(a, b)]
        if wrong:
            raise Mistake(
                f"{said}, a sample has the state of number {n}, and {wrong[0]} of another moment. All four "
                "parts of a moment have the same place: draw the places once."
            )
    return {round(float(state[0])) - 1 for state in states}


def check_rng(kind):
    """Raise Mistake unless the samples are drawn by the generator that is handed over."""
    memory = kind(100)
    for k in range(100):
        memory.add(*moment(k))
    one, other = (array(memory.sample(8, np.random.default_rng(seed))[0], "states are") for seed in (1, 1))
    if not np.array_equal(one, other):
        raise Mistake(
            "Two samples by equal generators differ. Draw with rng, so that a training can be repeated."
        )
    another = array(memory.sample(8, np.random.default_rng(2))[0], "states are")
    if np.array_equal(one, another):
        raise Mistake("Samples by different generators are equal. Draw the places with rng.")


# -- a worth without end ------------------------------------------------------------------------------------

FOREVER_KINDS = {
    99.0: "That leaves out the step itself, which counts 1.",
    500.0: "That is the sum without a discount, and it ends after 500 steps.",
    0.99: "That is the discount.",
    1.0: "That is the first step alone.",
    1 / 0.99: "The sum of all powers of d is 1 / (1 - d).",
}


@exercise(
    "34 forever",
    "The steps count 1, 0.99, 0.99 · 0.99 and so on. Call their sum s.",
    "Without its first term the sum is 0.99 times as large: s - 1 = 0.99 s.",
    "s = 1 / (1 - 0.99)",
)
def forever(guess):
    """Judge the worth of a state after which the pole never falls."""
    found = number(guess)
    if math.isinf(found):
        raise Mistake(
            "Without the discount it would be infinite. With it the terms shrink, and the sum is finite."
        )
    if not close(found, 100, 1e-3):
        kind = next((words for value, words in FOREVER_KINDS.items() if close(found, value, 1e-3)), "")
        raise Mistake(f"It is not {found:.6g}. {kind or 'Add up 1 + 0.99 + 0.99² + … without end.'}")
    return "100. So no state can be worth more, and what a network says can be checked against it."


# -- four numbers -------------------------------------------------------------------------------------------


@exercise(
    "34 by hand",
    "Try the spin alone, (0, 0, 0, 1), and then the angle beside it.",
    "Angle and spin are enough, if the spin counts about half as much as the angle.",
    "(0, 0, 1, 0.5)",
)
def by_hand(weights):
    """Judge four numbers that decide on each push."""
    w = array(weights, "by_hand is", "Four numbers are asked for.")
    if w.shape != (4,):
        raise Mistake(
            f"Four numbers are asked for, one for each of x, v, angle and spin; the shape is {w.shape}."
        )
    if not np.isfinite(w).all():
        raise Mistake("Four finite numbers are asked for.")
    if not w.any():
        raise NotYet("with four zeros the cart is always pushed to the left.")
    steps = lasts(lambda state: w @ state > 0, seed=3)
    if steps.mean() < GOOD:
        raise Mistake(f"The poles stay up for {steps.mean():.0f} steps on average. {why_they_fall(w)}")
    return f"{steps.mean():.0f} steps on average, by four numbers."


def why_they_fall(w):
    """A sentence about what goes wrong with these numbers."""
    if lasts(lambda state: -(w @ state) > 0, seed=3).mean() >= GOOD:
        return "All signs are wrong: push towards the side to which the pole leans."
    if not w[2:].any():
        return "The numbers for the angle and the spin are 0, so nothing is known of the pole."
    if w[2] < 0 or w[3] < 0:
        return "A pole that leans or turns to the right needs a push to the right, as the positive sign says."
    state, up, gone = fresh(np.random.default_rng(3), 100), np.ones(100, bool), 0
    for _ in range(500):
        state = step(state, w @ state > 0)
        gone += int((up & (np.abs(state[0]) > 2.4)).sum())
        up &= ~fallen(state)
    if gone > 50:
        return f"{gone} of the 100 carts leave the track while the pole is up."
    if not w[3]:
        return "The angle alone comes too late: use the spin too, which says where the angle is going."
    return "Most lean too far. Change how much the spin counts beside the angle."


# -- a discounted sum ---------------------------------------------------------------------------------------

SUM_KINDS = (
    (lambda n, d: float(n), "That is the sum without a discount."),
    (lambda n, d: n * d, "Each step counts less than the one before: add up powers of the discount."),
    (lambda n, d: d * (1 - d**n) / (1 - d), "The first step counts 1, and is not discounted."),
    (lambda n, d: (1 - d ** (n + 1)) / (1 - d), "That is one step too many."),
    (lambda n, d: (1 - d ** (n - 1)) / (1 - d) if n else 0, "That is one step too few."),
    (lambda n, d: 1 / (1 - d), "That is the sum without end."),
    (lambda n, d: d**n, "That is the last power alone. Add up all of them."),
    (lambda n, d: d ** (n - 1) if n else 0, "That is the last power alone. Add up all of them."),
)


@exercise(
    "34 discounted",
    "The steps count 1, discount, discount², and so on: count numbers in all.",
    "sum(discount**k for k in range(count))",
)
def discounted(function):
    """Judge the sum of so many discounted steps."""
    for count, discount in ((3, 0.8), (2, 0.5), (1, 0.99), (500, 0.99), (0, 0.99)):
        said = f"discounted({count}, {discount})"
        found = number(call(function, count, discount, said=said))
        right = (1 - discount**count) / (1 - discount)
        if not close(found, right):
            fits = (words for wrong, words in SUM_KINDS if close(found, wrong(count, discount)))
            kind = next(fits, "Add up discount**k for k from 0 to count - 1.")
            raise Mistake(f"{said} gives {found:.6g}; it should be {right:.6g}. {kind}")
    return "500 steps are worth 99.3, nearly as much as infinitely many."


# -- two networks -------------------------------------------------------------------------------------------

DOUBLE_CASES = (
    ([0], [[1.0, 2.0]], [[30.0, 20.0]], 0.99),
    ([1], [[1.0, 2.0]], [[30.0, 20.0]], 0.99),
    ([0, 0, 1], [[3.0, 1.0], [4.0, 6.0], [1.0, 2.0]], [[20.0, 30.0], [40.0, 10.0], [3.0, 4.0]], 0.5),
    ([0], [[1.0, 2.0]], [[-1.0, -3.0]], 0.99),
)


def doubled(fell, mine, old, d):
    """The right goals."""
    return 1 + d * (1 - fell) * old[np.arange(len(old)), mine.argmax(axis=1)]


DOUBLE_KINDS = (
    (
        lambda fell, mine, old, d: 1 + d * (1 - fell) * old.max(axis=1),
        "These are the goals of before: the old network both chooses and judges.",
    ),
    (
        lambda fell, mine, old, d: 1 + d * (1 - fell) * mine.max(axis=1),
        "The network that learns both chooses and judges. The old one should judge.",
    ),
    (
        lambda fell, mine, old, d: doubled(fell, old, mine, d),
        "The two are exchanged: net_worth chooses, and old_worth says what that is worth.",
    ),
    (
        lambda fell, mine, old, d: doubled(0 * fell, mine, old, d),
        "A pole that has fallen has no future: multiply it by 1 - fell.",
    ),
    (
        lambda fell, mine, old, d: 1 + d * (1 - fell) * old[:, mine.argmax(axis=1)],
        "old_worth[:, choice] takes columns for all rows. np.arange(len(choice)) gives each row its own.",
    ),
    (
        lambda fell, mine, old, d: (
            1 + d * (1 - fell) * (old * (mine == mine.max(axis=1, keepdims=True))).max(axis=1)
        ),
        (
            "The largest of the products is the 0 of the other push here: a worth may be below 0. Pick the "
            "number itself, or add up the products."
        ),
    ),
    "Choose in each row by net_worth.argmax(axis=1), and take that column of old_worth.",
)


@exercise(
    "34 double",
    "choice = net_worth.argmax(axis=1) says for each row which push the network that learns would take.",
    "old_worth[np.arange(len(choice)), choice] is what the old one says of it.",
    "return 1 + discount * (1 - fell) * old_worth[np.arange(len(choice)), choice]",
)
def double(function):
    """Judge goals for which one network chooses and the other judges."""
    for fell, mine, old, discount in DOUBLE_CASES:
        given = np.array(fell), np.array(mine), np.array(old)
        said = f"double_goals({fell}, {listed(mine)}, {listed(old)}, {discount})"
        answer = call(function, *(a.copy() for a in given), discount, said=said)
        found = numpy_array(answer, f"{said} gave")
        right = doubled(*given, discount)
        if not same(found, right):
            kind = kind_of(found, DOUBLE_KINDS, *given, discount)
            raise Mistake(f"{said} gives {listed(found)}; it should be {listed(right)}. {kind}")
    return "A push that one network overrates by chance is seldom overrated by the other too."
