"""The exercises of lesson 34: goals, the memory, a worth without end, four numbers that balance a pole, a
discounted sum, and goals that two networks make together."""

import math

import numpy as np

from ..checking import Mistake, NotYet, number
from ..runs.lesson_34 import GOOD, fallen, fresh, lasts, step
from .calling import call, check_class, counted
from .shared import array, close
from .table import PRINTS, Guess, Right, Stop, Table, Task, Wrong, advice, as_number, as_numpy_array

# -- goals --------------------------------------------------------------------------------------------------

NEXT, FUTURE = "next_worth.max(axis=1)", "discount * (1 - fell) * next_worth.max(axis=1)"

Task(
    "34 goals",
    head="goals(fell, next_worth, discount=0.99)",
    right=f"1 + {FUTURE}",
    cases=(
        ([0], [[10.0, 20.0]], 0.99),
        ([1], [[10.0, 20.0]], 0.99),
        ([0], [[30.0, 20.0]], 0.5),
        ([0, 1, 0], [[4.0, 2.0], [9.0, 8.0], [-1.0, -3.0]], 0.9),
    ),
    answers=(
        Right("by where", "np.where(fell, 1, 1 + discount * np.max(next_worth, axis=-1))"),
        Right("row by row", "np.array([1 if f else 1 + discount * max(row) for f, row in zip(fell, next_worth)])"),
        Wrong("a fall is forgotten", (" * (1 - fell)", ""), "A pole that has fallen has no future: what comes afterwards counts only where fell is 0."),
        Wrong("turned round", ("(1 - fell)", "fell"), "It counts the future where the pole has fallen, and leaves it out where it has not: 1 - fell."),
        Wrong("a fall is worth 0", f"(1 - fell) * (1 + discount * {NEXT})", "The step itself counts 1 even where the pole falls after it. Only the future is left out."),
        Wrong("the bits turned round", ("(1 - fell)", "~fell"), "~ turns every bit of a whole number round: ~0 is -1. Write 1 - fell."),
        Wrong("no discount", ("discount * ", ""), "The discount is missing."),
        Wrong("always 0.99", ("discount", "0.99"), "The discount is an argument, and not always 0.99."),
        Wrong("no reward", ("1 + ", ""), "The 1 for the step itself is missing."),
        Wrong("all discounted", f"discount * (1 + (1 - fell) * {NEXT})", "The step itself counts 1. Only what comes afterwards is discounted."),
        Wrong("the mean", ("max", "mean"), "That is the mean of the two pushes. Afterwards the better one is taken: max."),
        Wrong("the sum", ("max", "sum"), "That is the sum of the two pushes. Afterwards the better one is taken: max."),
        Wrong("the worse push", ("max", "min"), "That is the smaller number of the row. The better push may stand in either place: max(axis=1)."),
        Wrong("one maximum for all", ("axis=1", ""), "One maximum is taken of the whole array. Each row has its own: max(axis=1)."),
        Wrong("which push", ("max", "argmax"), "argmax says which push is better. What it is worth is asked for: max."),
        Wrong("something else", ("1 + ", "2 + ")),
        Wrong("a list", "[1 if f else 1 + discount * max(row) for f, row in zip(fell, next_worth)]", holds="gave a list. Return np.array"),
        Wrong("always right", (NEXT, "next_worth[:, 1]"), holds="in either place"),
        Wrong("always left", (NEXT, "next_worth[:, 0]"), holds="in either place"),
        Wrong("not fell", ("(1 - fell)", "(not fell)"), holds="1 - fell"),
        Wrong("two arguments", f"lambda fell, next_worth: 1 + 0.99 * (1 - fell) * {NEXT}", holds="Its first line should be"),
        Wrong("along the other axis", ("axis=1", "axis=0"), holds="One number for each row"),
        Wrong("prints", f"print(1 + {FUTURE})", holds=PRINTS),
    ),
    otherwise="1, and where fell is 0 the discount times the larger number of the row.",
    praise="A step that ends in a fall is worth 1, and any other is worth 1 and what it leads to.",
    hints=(
        "next_worth has a row for each moment, and in it a number for each push. The better one: max(axis=1).",
        "Multiply the future by 1 - fell: that is 1 where the pole is up, and 0 where it has fallen.",
        "return 1 + discount * (1 - fell) * next_worth.max(axis=1)",
    ),
    stops=(Stop(ValueError, "{said} asks whether a whole array is true. fell has a 0 or 1 for each moment: compute with 1 - fell.", "truth value"),),
    read=as_numpy_array,
    shape="{said} gave {gives}, of the shape {found.shape}. One number for each row is asked for, the shape {right.shape}. {why}",
)

# -- the memory ---------------------------------------------------------------------------------------------

ARRAYS = """
class Replay:
    def __init__(self, size):
        self.size, self.count = size, 0
        self.state, self.after = np.zeros((size, 4)), np.zeros((size, 4))
        self.right, self.fell = np.zeros(size, int), np.zeros(size, int)

    def add(self, state, right, after, fell):
        place = self.count % self.size
        self.state[place], self.right[place] = state, right
        self.after[place], self.fell[place] = after, fell
        self.count += 1

    def sample(self, count, rng):
        places = rng.integers(min(self.count, self.size), size=count)
        return self.state[places], self.right[places], self.after[places], self.fell[places]"""
FILLED, PLACES = "min(self.count, self.size)", "rng.integers(min(self.count, self.size), size=count)"

REPLAY = Table(
    "34 replay",
    right=ARRAYS,
    answers=(
        Right("a list, drawn without putting back", """
            class Replay:
                def __init__(self, size):
                    self.size, self.moments = size, []

                def add(self, *moment):
                    self.moments = [*self.moments, moment][-self.size:]

                def sample(self, count, rng):
                    chosen = rng.choice(len(self.moments), size=count, replace=False)
                    return tuple(np.array(part) for part in zip(*(self.moments[k] for k in chosen)))"""),
        Wrong("an array that is too long", ("self.count % self.size", "self.count"), holds="IndexError"),
        Wrong("full is full", ("place = self.count % self.size", "place = self.count\n        if place == self.size:\n            return"), holds="The oldest give their places"),
        Wrong("count is forgotten", ("self.count += 1", "pass"), holds="Does add count the moments"),
        Wrong("draws where nothing is yet", (FILLED, "self.size"), holds="zeros that nobody added"),
        Wrong("draws beyond the end", (FILLED, "self.count"), holds="draw below min"),
        Wrong("the newest only", (PLACES, "[(self.count - 1) % self.size] * count"), holds="Draw the places with rng"),
        Wrong("never the last", (FILLED, f"max(1, {FILLED} - 1)"), holds="never came"),
        Wrong("the places are drawn twice", ("self.right[places]", f"self.right[{PLACES}]"), holds="draw the places once"),
        Wrong("state and after exchanged", ("self.after[places]", "self.state[places]"), holds="of another moment"),
        Wrong("a moment of its own", ("self.state[places],", "self.state[places] + 20,"), holds="It was not added"),
        Wrong("three of four", (", self.fell[places]", ""), holds="should return four arrays"),
        Wrong("one number for each state", ("self.state[places],", "self.state[places].sum(axis=1),"), holds="and not (1, 4)"),
        Wrong("another generator", ("rng.integers(", "np.random.default_rng().integers("), holds="Draw with rng"),
        Wrong("one place too few", (FILLED, f"{FILLED} - 1"), holds="needs no - 1"),
        Wrong("always the same", ("rng.integers(", "np.random.default_rng(0).integers("), holds="Draw the places with rng"),
        Wrong("an instance", f"{ARRAYS}\nReplay(3)", holds="A class is asked for"),
    ),
    hints=(
        "An array of places picks rows: self.state[places] has the states at all these places.",
        "Draw the places once: places = rng.integers(n, size=count) gives numbers from 0 to n - 1. How many places are filled, before the memory is full and after?",
        "places = rng.integers(min(self.count, self.size), size=count), and then return self.state[places], self.right[places], self.after[places], self.fell[places].",
    ),
)  # fmt: skip
REPLAY_STOPS = (
    Stop(IndexError, "{said} stopped with IndexError: {error}. Its places are 0, 1 and 2: draw below min(self.count, self.size)."),
    Stop(ValueError, "{said} found nothing to draw from. Does add count the moments? rng.integers(n) draws numbers below n, so it needs no - 1.", "high <= 0"),
)  # fmt: skip
PARTS = ("states", "rights", "afters", "fell")


def moment(k):
    """A moment whose parts all say which one it is."""
    return np.full(4, k + 1.0), k % 2, np.full(4, k + 1.5), int(k % 3 == 0)


@REPLAY.judged
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
    with advice(*REPLAY_STOPS, said=f"{said}, {call_said}"):
        found = call(memory.sample, count, rng, said=call_said)
    if not isinstance(found, tuple | list) or len(found) != 4:
        raise Mistake(f"{call_said} should return four arrays: states, pushes, states after them, and fell.")
    arrays = [array(part, f"{call_said} gave") for part in found]
    for part, shape, name in zip(arrays, ((count, 4), (count,), (count, 4), (count,)), PARTS):
        if part.shape != shape:
            raise Mistake(f"{said}, {name} of {call_said} have the shape {part.shape}, and not {shape}.")
    numbers = set()
    for state, *others in zip(*arrays):
        n = round(float(state[0])) - 1
        if not (state.any() or others[1].any()):
            raise Mistake(
                f"{said}, a sample holds zeros that nobody added. Draw only among the places that are "
                "filled: below min(self.count, self.size)."
            )
        if n not in kept:
            why = "The oldest give their places to new ones" if n < min(kept) else "It was not added"
            raise Mistake(f"{said}, number {n} came in a sample. {why}.")
        for name, mine, right in zip(PARTS, (state, *others), moment(n)):
            if not np.array_equal(mine, right):
                raise Mistake(
                    f"{said}, a sample has the state of number {n}, and {name} of another moment. All four "
                    "parts of a moment have the same place: draw the places once."
                )
        numbers.add(n)
    return numbers


def check_rng(kind):
    """Raise Mistake unless the samples are drawn by the generator that is handed over."""
    memory = kind(100)
    for k in range(100):
        memory.add(*moment(k))
    one, same, another = (array(memory.sample(8, np.random.default_rng(seed))[0], "") for seed in (1, 1, 2))
    if not np.array_equal(one, same):
        raise Mistake("Two samples by equal generators differ. Draw with rng, so that a training can be repeated.")
    if np.array_equal(one, another):
        raise Mistake("Samples by different generators are equal. Draw the places with rng.")


# -- a worth without end ------------------------------------------------------------------------------------


def finite(answer):
    """A number. Raises Mistake for infinity."""
    if math.isinf(number(answer)):
        raise Mistake("Without the discount it would be infinite. With it the terms shrink, and the sum is finite.")
    return number(answer)


Guess(
    "34 forever",
    right="1 / (1 - 0.99)",
    answers=(
        Right("the limit", "100"),
        Right("summed up", "sum(0.99**k for k in range(5000))"),
        Wrong("without the first step", "99", "That leaves out the step itself, which counts 1."),
        Wrong("without a discount", "500", "That is the sum without a discount, and it ends after 500 steps."),
        Wrong("the discount", "0.99", "That is the discount."),
        Wrong("the first step", "1", "That is the first step alone."),
        Wrong("the wrong fraction", "1 / 0.99", "The sum of all powers of d is 1 / (1 - d)."),
        Wrong("something else", "42"),
        Wrong("infinite", "float('inf')", holds="finite"),
        Wrong("a word", "'much'", holds="A number is asked for"),
    ),
    otherwise="Add up 1 + 0.99 + 0.99² + … without end.",
    praise="100. So no state can be worth more, and what a network says can be checked against it.",
    hints=(
        "The steps count 1, 0.99, 0.99 · 0.99 and so on. Call their sum s.",
        "Without its first term the sum is 0.99 times as large: s - 1 = 0.99 s.",
        "s = 1 / (1 - 0.99)",
    ),
    within=0.1,
    near=0.001,
    message="It is not {found:.6g}. {why}",
    read=finite,
)

# -- four numbers -------------------------------------------------------------------------------------------

BY_HAND = Table(
    "34 by hand",
    right="(0, 0, 1, 0.5)",
    answers=(
        Right("all four", "[0.1, 0.2, 1, 0.5]"),
        Right("an array, larger", "np.array([0.5, 1, 10, 3])"),
        Wrong("the angle alone", "(0, 0, 1, 0)", holds="comes too late"),
        Wrong("the spin alone", "(0, 0, 0, 1)", holds="leave the track"),
        Wrong("the wrong way", "(0, 0, -1, -0.5)", holds="All signs are wrong"),
        Wrong("the cart alone", "(1, 1, 0, 0)", holds="nothing is known of the pole"),
        Wrong("against the spin", "(0, 0, 1, -0.5)", holds="needs a push to the right"),
        Wrong("all alike", "(1, 1, 1, 1)", holds="Most lean too far"),
        Wrong("two numbers", "(1, 0.5)", holds="one for each of x, v, angle and spin"),
        Wrong("a word", "'angle'", holds="Four numbers are asked for"),
        Wrong("not a number", "(0, 0, 1, float('nan'))", holds="finite"),
    ),
    hints=(
        "Try the spin alone, (0, 0, 0, 1), and then the angle beside it.",
        "Angle and spin are enough, if the spin counts about half as much as the angle.",
        "(0, 0, 1, 0.5)",
    ),
)


@BY_HAND.judged
def by_hand(weights):
    """Judge four numbers that decide on each push."""
    w = array(weights, "by_hand is", "Four numbers are asked for.")
    if w.shape != (4,):
        raise Mistake(f"Four numbers are asked for, one for each of x, v, angle and spin; the shape is {w.shape}.")
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

Task(
    "34 discounted",
    head="discounted(count, discount)",
    right="sum(discount**k for k in range(count))",
    cases=((3, 0.8), (2, 0.5), (1, 0.99), (500, 0.99), (0, 0.99)),
    answers=(
        Right("the formula", "(1 - discount**count) / (1 - discount)"),
        Right("by a loop", """
            total = 0.0
            for _ in range(count):
                total = 1 + discount * total
            return total"""),
        Wrong("no discount", "count", "That is the sum without a discount."),
        Wrong("a product", "count * discount", "Each step counts less than the one before: add up powers of the discount."),
        Wrong("powers from 1", ("range(count)", "range(1, count + 1)"), "The first step counts 1, and is not discounted."),
        Wrong("one too many", ("range(count)", "range(count + 1)"), "That is one step too many."),
        Wrong("one too few", ("range(count)", "range(count - 1)"), "That is one step too few."),
        Wrong("without end", "1 / (1 - discount)", "That is the sum without end."),
        Wrong("the power", "discount**count", "That is the last power alone. Add up all of them."),
        Wrong("the last alone", "discount ** (count - 1)", "That is the last power alone. Add up all of them."),
        Wrong("a constant", "1.0"),
        Wrong("prints", "print(discount)", holds=PRINTS),
        Wrong("an argument too few", "lambda count: 1.0", holds="2"),
    ),
    otherwise="Add up discount**k for k from 0 to count - 1.",
    praise="500 steps are worth 99.3, nearly as much as infinitely many.",
    hints=(
        "The steps count 1, discount, discount², and so on: count numbers in all.",
        "sum(discount**k for k in range(count))",
    ),
    read=as_number,
    equal=close,
    alike=close,
    shown="{:.6g}".format,
)  # fmt: skip

# -- two networks -------------------------------------------------------------------------------------------

PICKED = "old_worth[np.arange(len(choice)), choice]"

Task(
    "34 double",
    head="double_goals(fell, net_worth, old_worth, discount=0.99)",
    right=f"""
        choice = net_worth.argmax(axis=1)
        return 1 + discount * (1 - fell) * {PICKED}""",
    cases=(
        ([0], [[1.0, 2.0]], [[30.0, 20.0]], 0.99),
        ([1], [[1.0, 2.0]], [[30.0, 20.0]], 0.99),
        ([0, 0, 1], [[3.0, 1.0], [4.0, 6.0], [1.0, 2.0]], [[20.0, 30.0], [40.0, 10.0], [3.0, 4.0]], 0.5),
        ([0], [[1.0, 2.0]], [[-1.0, -3.0]], 0.99),
    ),
    answers=(
        Right("row by row", "np.array([1 + discount * (1 - f) * o[n.argmax()] for f, n, o in zip(fell, net_worth, old_worth)])"),
        Right("by take_along_axis", (PICKED, "np.take_along_axis(old_worth, choice[:, None], axis=1)[:, 0]")),
        Right("a sum of products", (PICKED, "(old_worth * np.eye(2)[choice]).sum(axis=1)")),
        Wrong("the goals of before", (PICKED, "old_worth.max(axis=1)"), "These are the goals of before: the old network both chooses and judges."),
        Wrong("the new one alone", (PICKED, "net_worth.max(axis=1)"), "The network that learns both chooses and judges. The old one should judge."),
        Wrong("exchanged", (("old_worth[", "net_worth["), ("= net_worth", "= old_worth")), "The two are exchanged: net_worth chooses, and old_worth says what that is worth."),
        Wrong("a fall is forgotten", ("(1 - fell) * ", ""), "A pole that has fallen has no future: multiply it by 1 - fell."),
        Wrong("columns for all rows", (PICKED, "old_worth[:, choice]"), "old_worth[:, choice] takes columns for all rows. np.arange(len(choice)) gives each row its own."),
        Wrong("a maximum of products", (PICKED, "(old_worth * np.eye(2)[choice]).max(axis=1)"), "The largest of the products is the 0 of the other push here: a worth may be below 0. Pick the number itself, or add up the products."),
        Wrong("something else", ("1 + ", "2 + ")),
        Wrong("a list", "[1 + discount * (1 - f) * o[n.argmax()] for f, n, o in zip(fell, net_worth, old_worth)]", holds="gave a list. Return np.array"),
        Wrong("one choice for all rows", ("axis=1", ""), holds="Your code stopped"),
    ),
    otherwise="Choose in each row by net_worth.argmax(axis=1), and take that column of old_worth.",
    praise="A push that one network overrates by chance is seldom overrated by the other too.",
    hints=(
        "choice = net_worth.argmax(axis=1) says for each row which push the network that learns would take.",
        "old_worth[np.arange(len(choice)), choice] is what the old one says of it.",
        "return 1 + discount * (1 - fell) * old_worth[np.arange(len(choice)), choice]",
    ),
    read=as_numpy_array,
)
