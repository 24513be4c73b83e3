"""Answers to the exercises of lesson 26."""

from . import Right, Wrong

PARTS = "a, b, c = self.parts(self.x(x))", "d, e, f = self.parts(self.h(h))"
GATES = "reset, mix = sigmoid(a + d), sigmoid(b + e)"
NEW = "new = tanh(c + reset * f)"


def gru(*lines, head="self, x, h"):
    """A GRU whose __call__ has these lines."""
    return f"""
class GRU:
    def __init__(self, inputs, size, rng):
        self.size = size
        self.x, self.h = Linear(inputs, 3 * size, rng), Linear(size, 3 * size, rng)

    def parts(self, sums):
        return [sums[:, i * self.size : (i + 1) * self.size] for i in range(3)]

    def __call__({head}):
        {(chr(10) + 8 * " ").join(lines)}

GRU"""


def tempered(*lines, head="scores, temperature"):
    """A function with these lines."""
    return "\n    ".join([f"def tempered({head}):", *lines]) + "\n\ntempered"


ANSWERS = {
    "26 halved": (
        Right("10", "10"),
        Right("computed", "next(n for n in range(100) if 0.5**n < 0.001)"),
        Wrong("one too few", "9", "still above 0.001"),
        Wrong("one too many", "11", "one step earlier"),
        Wrong("a thousand", "1000", "Each step halves it"),
        Wrong("five hundred", "500", "Each step halves it"),
        Wrong("three zeros", "3", "0.125"),
        Wrong("something else", "20", "and count"),
        Wrong("a word", "'soon'", "A number is asked for"),
    ),
    "26 GRU": (
        Right("in four lines", gru(*PARTS, GATES, NEW, "return (1 - mix) * new + mix * h")),
        Right("written otherwise", gru(*PARTS, GATES, NEW, "return new + mix * (h - new)")),
        Wrong(
            "mix turned round",
            gru(*PARTS, GATES, NEW, "return mix * new + (1 - mix) * h"),
            "mix keeps the old",
        ),
        Wrong(
            "no reset",
            gru(*PARTS, GATES, "new = tanh(c + f)", "return (1 - mix) * new + mix * h"),
            "reset has no influence",
        ),
        Wrong(
            "reset on both",
            gru(*PARTS, GATES, "new = tanh(reset * (c + f))", "return (1 - mix) * new + mix * h"),
            "not its input part",
        ),
        Wrong(
            "gates exchanged",
            gru(
                *PARTS, "mix, reset = sigmoid(a + d), sigmoid(b + e)", NEW, "return (1 - mix) * new + mix * h"
            ),
            "the first part is for reset",
        ),
        Wrong(
            "no tanh",
            gru(*PARTS, GATES, "new = c + reset * f", "return (1 - mix) * new + mix * h"),
            "goes through tanh",
        ),
        Wrong(
            "tanh of one part",
            gru(*PARTS, GATES, "new = tanh(c) + reset * f", "return (1 - mix) * new + mix * h"),
            "the sum of both parts",
        ),
        Wrong(
            "reset on h",
            gru(*PARTS, GATES, "new = tanh(c + reset * h)", "return (1 - mix) * new + mix * h"),
            "and not h itself",
        ),
        Wrong("new alone", gru(*PARTS, GATES, NEW, "return new"), "That is new alone"),
        Wrong("nothing kept", gru(*PARTS, GATES, NEW, "return (1 - mix) * new"), "The old state is missing"),
        Wrong(
            "no sigmoid",
            gru(*PARTS, "reset, mix = a + d, b + e", NEW, "return (1 - mix) * new + mix * h"),
            "between 0 and 1",
        ),
        Wrong(
            "the numbers only",
            gru(
                "h = value(h)",
                *PARTS,
                GATES,
                NEW,
                "return (1 - mix) * new + mix * h",
            ),
            "no gradient comes back to h",
        ),
        Wrong(
            "a plain array",
            gru(*PARTS, GATES, NEW, "return value((1 - mix) * new + mix * h)"),
            "is a plain array",
        ),
        Wrong(
            "the layer replaced",
            gru(*PARTS, GATES, NEW, "self.h = (1 - mix) * new + mix * h", "return self.h"),
            "self.h is a layer",
        ),
        Wrong("prints", gru(*PARTS, GATES, NEW, "print((1 - mix) * new + mix * h)"), "prints its result"),
        Wrong("one argument too few", gru("return x", head="self, x"), "your function takes 1"),
        Wrong("an object", gru("return x") + "(3, 2, np.random.default_rng(0))", "without brackets"),
    ),
    "26 tempered": (
        Right("softmax", tempered("return softmax(scores / temperature)")),
        Right(
            "by hand",
            tempered(
                "scores = scores / temperature",
                "powers = np.exp(scores - scores.max(axis=1, keepdims=True))",
                "return powers / powers.sum(axis=1, keepdims=True)",
            ),
        ),
        Wrong("not divided", tempered("return softmax(scores)"), "has no influence"),
        Wrong("multiplied", tempered("return softmax(scores * temperature)"), "divide them by it"),
        Wrong("scores", tempered("return scores / temperature"), "scores still"),
        Wrong("afterwards", tempered("return softmax(scores) / temperature"), "before softmax"),
        Wrong(
            "all together",
            tempered("p = np.exp(scores / temperature)", "return p / p.sum()"),
            "Each row alone",
        ),
        Wrong("powers", tempered("return np.exp(scores / temperature)"), "Each row has to sum to 1"),
        Wrong(
            "too large",
            tempered("p = np.exp(scores / temperature)", "return p / p.sum(axis=1, keepdims=True)"),
            "subtracts the maximum",
        ),
        Wrong("prints", tempered("print(softmax(scores / temperature))"), "prints its result"),
        Wrong("one argument too few", tempered("return scores", head="scores"), "your function takes 1"),
    ),
    "26 odds": (
        Right("7.39", "7.39"),
        Right("computed", "np.exp(2)"),
        Wrong("at temperature 1", "2.72", "at temperature 1"),
        Wrong("at temperature 2", "1.65", "at temperature 2"),
        Wrong("twice", "5.44", "is squared"),
        Wrong("the difference", "2", "exp(2)"),
        Wrong("one power", "54.6", "exp(4) / exp(2)"),
        Wrong("turned round", "0.135", "Turn it round"),
        Wrong("the probability", "0.88", "the probability of the first"),
        Wrong("something else", "4", "Divide both scores"),
    ),
}
