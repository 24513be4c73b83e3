"""Answers to the exercises of lesson 34."""

from . import Right, Wrong

GOALS = """
def goals(fell, next_worth, discount=0.99):
    return 1 + discount * (1 - fell) * next_worth.max(axis=1)
goals"""

REPLAY = """
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
        return self.state[places], self.right[places], self.after[places], self.fell[places]
Replay"""

DEQUE = """
class Replay:
    def __init__(self, size):
        self.size, self.moments = size, []

    def add(self, *moment):
        self.moments = [*self.moments, moment][-self.size:]

    def sample(self, count, rng):
        chosen = rng.choice(len(self.moments), size=count, replace=False)
        return tuple(np.array(part) for part in zip(*(self.moments[k] for k in chosen)))
Replay"""

SUM = """
def discounted(count, discount):
    return sum(discount**k for k in range(count))
discounted"""

DOUBLE = """
def double_goals(fell, net_worth, old_worth, discount=0.99):
    choice = net_worth.argmax(axis=1)
    return 1 + discount * (1 - fell) * old_worth[np.arange(len(choice)), choice]
double_goals"""


def changed(code, old, new):
    """The answer with one part of it different."""
    assert old in code
    return code.replace(old, new)


ANSWERS = {
    "34 goals": [
        Right("in one line", GOALS),
        Right("by where", changed(GOALS, "1 + discount * (1 - fell) * next_worth.max(axis=1)", "np.where(fell, 1, 1 + discount * np.max(next_worth, axis=-1))")),
        Right("row by row", changed(GOALS, "1 + discount * (1 - fell) * next_worth.max(axis=1)", "np.array([1 if f else 1 + discount * max(row) for f, row in zip(fell, next_worth)])")),
        Wrong("a list", changed(GOALS, "1 + discount * (1 - fell) * next_worth.max(axis=1)", "[1 if f else 1 + discount * max(row) for f, row in zip(fell, next_worth)]"), "gave a list. Return np.array"),
        Wrong("a fall is forgotten", changed(GOALS, " * (1 - fell)", ""), "has no future"),
        Wrong("turned round", changed(GOALS, "(1 - fell)", "fell"), "1 - fell"),
        Wrong("a fall is worth 0", changed(GOALS, "1 + discount * (1 - fell) * next_worth.max(axis=1)", "(1 - fell) * (1 + discount * next_worth.max(axis=1))"), "Only the future is left out"),
        Wrong("no discount", changed(GOALS, "discount * ", ""), "discount is missing"),
        Wrong("always 0.99", changed(GOALS, "1 + discount *", "1 + 0.99 *"), "not always 0.99"),
        Wrong("no reward", changed(GOALS, "1 + discount", "discount"), "The 1 for the step itself is missing"),
        Wrong("all discounted", changed(GOALS, "1 + discount * (1 - fell) * next_worth.max(axis=1)", "discount * (1 + (1 - fell) * next_worth.max(axis=1))"), "Only what comes afterwards"),
        Wrong("the mean", changed(GOALS, "max(axis=1)", "mean(axis=1)"), "better one is taken"),
        Wrong("the sum", changed(GOALS, "max(axis=1)", "sum(axis=1)"), "better one is taken"),
        Wrong("the worse push", changed(GOALS, "max(axis=1)", "min(axis=1)"), "in either place"),
        Wrong("always right", changed(GOALS, "next_worth.max(axis=1)", "next_worth[:, 1]"), "in either place"),
        Wrong("always left", changed(GOALS, "next_worth.max(axis=1)", "next_worth[:, 0]"), "in either place"),
        Wrong("not fell", changed(GOALS, "(1 - fell)", "(not fell)"), "1 - fell"),
        Wrong("the bits turned round", changed(GOALS, "(1 - fell)", "~fell"), "~0 is -1"),
        Wrong("two arguments", "lambda fell, next_worth: 1 + 0.99 * (1 - fell) * next_worth.max(axis=1)", "Its first line should be"),
        Wrong("one maximum for all", changed(GOALS, "max(axis=1)", "max()"), "Each row has its own"),
        Wrong("along the other axis", changed(GOALS, "max(axis=1)", "max(axis=0)"), "One number for each row"),
        Wrong("which push", changed(GOALS, "max(axis=1)", "argmax(axis=1)"), "argmax says which"),
        Wrong("prints", changed(GOALS, "return 1 + discount * (1 - fell) * next_worth.max(axis=1)", "print(1 + discount * (1 - fell) * next_worth.max(axis=1))"), "returns nothing"),
        Wrong("something else", changed(GOALS, "1 + discount", "2 + discount"), "1, and where fell is 0"),
    ],
    "34 replay": [
        Right("arrays in a ring", REPLAY),
        Right("a list, drawn without putting back", DEQUE),
        Wrong("an array that is too long", changed(REPLAY, "self.count % self.size", "self.count"), "IndexError"),
        Wrong("full is full", changed(REPLAY, "        place = self.count % self.size\n", "        if self.count == self.size:\n            return\n        place = self.count\n"), "The oldest give their places"),
        Wrong("count is forgotten", changed(REPLAY, "        self.count += 1\n", ""), "Does add count the moments"),
        Wrong("draws where nothing is yet", changed(REPLAY, "min(self.count, self.size)", "self.size"), "zeros that nobody added"),
        Wrong("draws beyond the end", changed(REPLAY, "min(self.count, self.size)", "self.count"), "draw below min"),
        Wrong("the newest only", changed(REPLAY, "rng.integers(min(self.count, self.size), size=count)", "[(self.count - 1) % self.size] * count"), "Draw the places with rng"),
        Wrong("never the last", changed(REPLAY, "min(self.count, self.size)", "max(1, min(self.count, self.size) - 1)"), "never came"),
        Wrong("the places are drawn twice", changed(REPLAY, "self.right[places]", "self.right[rng.integers(min(self.count, self.size), size=count)]"), "draw the places once"),
        Wrong("state and after exchanged", changed(REPLAY, "return self.state[places], self.right[places], self.after[places]", "return self.state[places], self.right[places], self.state[places]"), "of another moment"),
        Wrong("three of four", changed(REPLAY, ", self.fell[places]", ""), "should return four arrays"),
        Wrong("another generator", changed(REPLAY, "rng.integers(", "np.random.default_rng().integers("), "Draw with rng"),
        Wrong("one place too few", changed(REPLAY, "min(self.count, self.size)", "min(self.count, self.size) - 1"), "needs no - 1"),
        Wrong("always the same", changed(REPLAY, "rng.integers(", "np.random.default_rng(0).integers("), "Draw the places with rng"),
        Wrong("an instance", REPLAY + "(3)", "A class is asked for"),
    ],
    "34 forever": [
        Right("the limit", "100"),
        Right("computed", "1 / (1 - 0.99)"),
        Right("summed up", "sum(0.99**k for k in range(5000))"),
        Wrong("without the first step", "99", "leaves out the step itself"),
        Wrong("without a discount", "500", "without a discount"),
        Wrong("infinite", "float('inf')", "finite"),
        Wrong("the discount", "0.99", "the discount"),
        Wrong("the wrong fraction", "1 / 0.99", "1 / (1 - d)"),
        Wrong("something else", "42", "without end"),
        Wrong("a word", "'much'", "A number is asked for"),
    ],
    "34 by hand": [
        Right("angle and half the spin", "(0, 0, 1, 0.5)"),
        Right("all four", "[0.1, 0.2, 1, 0.5]"),
        Right("an array, larger", "np.array([0.5, 1, 10, 3])"),
        Wrong("the angle alone", "(0, 0, 1, 0)", "comes too late"),
        Wrong("the spin alone", "(0, 0, 0, 1)", "leave the track"),
        Wrong("the wrong way", "(0, 0, -1, -0.5)", "All signs are wrong"),
        Wrong("the cart alone", "(1, 1, 0, 0)", "nothing is known of the pole"),
        Wrong("against the spin", "(0, 0, 1, -0.5)", "needs a push to the right"),
        Wrong("all alike", "(1, 1, 1, 1)", "steps on average"),
        Wrong("two numbers", "(1, 0.5)", "one for each of x, v, angle and spin"),
        Wrong("a word", "'angle'", "Four numbers are asked for"),
        Wrong("not a number", "(0, 0, 1, float('nan'))", "finite"),
    ],
    "34 discounted": [
        Right("powers added", SUM),
        Right("the formula", "lambda count, discount: (1 - discount**count) / (1 - discount)"),
        Right("by a loop", "def discounted(count, discount):\n    total = 0.0\n    for _ in range(count):\n        total = 1 + discount * total\n    return total\ndiscounted"),
        Wrong("no discount", "lambda count, discount: count", "without a discount"),
        Wrong("powers from 1", changed(SUM, "range(count)", "range(1, count + 1)"), "is not discounted"),
        Wrong("one too many", changed(SUM, "range(count)", "range(count + 1)"), "one step too many"),
        Wrong("one too few", changed(SUM, "range(count)", "range(count - 1)"), "one step too few"),
        Wrong("without end", "lambda count, discount: 1 / (1 - discount)", "without end"),
        Wrong("the last alone", "lambda count, discount: discount ** (count - 1)", "last power alone"),
        Wrong("a product", "lambda count, discount: count * discount", "powers of the discount"),
        Wrong("prints", changed(SUM, "return ", "print(").replace("range(count))", "range(count)))"), "returns nothing"),
        Wrong("an argument too few", "lambda count: 1.0", "2"),
    ],
    "34 double": [
        Right("by two indices", DOUBLE),
        Right("row by row", "def double_goals(fell, net_worth, old_worth, discount=0.99):\n    return np.array([1 + discount * (1 - f) * o[n.argmax()] for f, n, o in zip(fell, net_worth, old_worth)])\ndouble_goals"),
        Wrong("a list", "def double_goals(fell, net_worth, old_worth, discount=0.99):\n    return [1 + discount * (1 - f) * o[n.argmax()] for f, n, o in zip(fell, net_worth, old_worth)]\ndouble_goals", "gave a list. Return np.array"),
        Right("by take_along_axis", changed(DOUBLE, "old_worth[np.arange(len(choice)), choice]", "np.take_along_axis(old_worth, choice[:, None], axis=1)[:, 0]")),
        Wrong("the goals of before", changed(DOUBLE, "old_worth[np.arange(len(choice)), choice]", "old_worth.max(axis=1)"), "the goals of before"),
        Wrong("the new one alone", changed(DOUBLE, "old_worth[np.arange(len(choice)), choice]", "net_worth.max(axis=1)"), "The old one should judge"),
        Wrong("exchanged", changed(DOUBLE, "old_worth[np.arange", "net_worth[np.arange").replace("choice = net_worth", "choice = old_worth"), "exchanged"),
        Wrong("a fall is forgotten", changed(DOUBLE, "(1 - fell) * ", ""), "has no future"),
        Wrong("a maximum of products", changed(DOUBLE, "old_worth[np.arange(len(choice)), choice]", "(old_worth * (net_worth == net_worth.max(axis=1, keepdims=True))).max(axis=1)"), "may be below 0"),
        Right("a sum of products", changed(DOUBLE, "old_worth[np.arange(len(choice)), choice]", "(old_worth * np.eye(2)[choice]).sum(axis=1)")),
        Wrong("columns for all rows", changed(DOUBLE, "old_worth[np.arange(len(choice)), choice]", "old_worth[:, choice]"), "gives each row its own"),
        Wrong("one choice for all rows", changed(DOUBLE, "argmax(axis=1)", "argmax()"), "Your code stopped"),
        Wrong("something else", changed(DOUBLE, "1 + discount", "2 + discount"), "take that column"),
    ],
}  # fmt: skip
