"""The exercises of lesson 26: how fast a gradient vanishes, a GRU, and the temperature of probabilities."""

import numpy as np

from ..checking import Mistake
from .calling import call, check_arguments, check_class, names_of
from .shared import array, listed, same
from .table import PRINTS, Guess, Right, Table, Task, Wrong, outcome

# -- how fast a gradient vanishes ---------------------------------------------------------------------------

HALVES = "Each step halves it: after two steps it is 0.25, after three 0.125."

Guess(
    "26 halved",
    right="10",
    answers=(
        Right("computed", "next(n for n in range(100) if 0.5**n < 0.001)"),
        Wrong("one too few", "9", "After 9 steps it is 0.5 to the ninth, 0.00195. That is still above 0.001."),
        Wrong("one too many", "11", "It is below already one step earlier: 0.5 to the tenth is 0.00098."),
        Wrong("a thousand", "1000", HALVES),
        Wrong("five hundred", "500", HALVES),
        Wrong("two thousand", "2000", HALVES),
        Wrong("three zeros", "3", "After three steps it is 0.5 · 0.5 · 0.5 = 0.125. Go on."),
        Wrong("something else", "20"),
        Wrong("a word", "'soon'", holds="A number is asked for"),
    ),
    otherwise="Halve 1 again and again, and count.",
    praise="0.5 to the tenth is 0.00098: after ten steps hardly anything is left.",
    hints=(
        "After one step back it is 0.5, after two 0.25. Go on until it is below 0.001.",
        "2 to the tenth is 1,024.",
        "0.5 to the tenth is 1/1024 = 0.00098, and 0.5 to the ninth is above 0.001. So 10.",
    ),
    within=0,
    near=0.5,
)

# -- a GRU --------------------------------------------------------------------------------------------------

NEW, STATE = "tanh(c + reset * f)", "(1 - mix) * new + mix * h"

GRU = Table(
    "26 GRU",
    right=f"""
class GRU:
    def __init__(self, inputs, size, rng):
        self.size = size
        self.x, self.h = Linear(inputs, 3 * size, rng), Linear(size, 3 * size, rng)

    def parts(self, sums):
        return [sums[:, i * self.size : (i + 1) * self.size] for i in range(3)]

    def __call__(self, x, h):
        a, b, c = self.parts(self.x(x))
        d, e, f = self.parts(self.h(h))
        reset, mix = sigmoid(a + d), sigmoid(b + e)
        new = {NEW}
        return {STATE}""",
    answers=(
        Right("written otherwise", (STATE, "new + mix * (h - new)")),
        Wrong("mix turned round", (STATE, "mix * new + (1 - mix) * h"), "mix and 1 - mix are exchanged: mix keeps the old state."),
        Wrong("no reset", ("reset * f", "f"), "reset has no influence. It multiplies the state part of new."),
        Wrong("reset on both", ("c + reset * f", "reset * (c + f)"), "reset multiplies the state part of new alone, not its input part."),
        Wrong("gates exchanged", ("reset, mix", "mix, reset"), "reset and mix are exchanged: the first part is for reset, the second for mix."),
        Wrong("no tanh", ("tanh", ""), "new goes through tanh."),
        Wrong("tanh of one part", (NEW, "tanh(c) + reset * f"), "tanh bends the sum of both parts of new, not the input part alone."),
        Wrong("reset on h", ("reset * f", "reset * h"), "reset multiplies the state part of new, the third of self.parts(self.h(h)), and not h itself."),
        Wrong("new alone", (STATE, "new"), "That is new alone. The state becomes (1 - mix) * new + mix * h."),
        Wrong("nothing kept", (" + mix * h", ""), "The old state is missing: + mix * h."),
        Wrong("no sigmoid", ("sigmoid", ""), "Gates are numbers between 0 and 1: sigmoid of the sums."),
        Wrong("the old state", (STATE, "h")),
        Wrong("the numbers only", ("a, b, c", "h = value(h)\n        a, b, c"), holds="no gradient comes back to h"),
        Wrong("a plain array", (STATE, f"value({STATE})"), holds="is a plain array"),
        Wrong("the layer replaced", (f"return {STATE}", f"self.h = {STATE}\n        return self.h"), holds="self.h is a layer"),
        Wrong("prints", (f"return {STATE}", f"print({STATE})"), holds=PRINTS),
        Wrong("one argument too few", ("self, x, h", "self, x"), holds="your function takes 1"),
        Wrong("no call", ("__call__", "state"), holds="has no __call__"),
        Wrong("an object", (STATE, f"{STATE}\n\nGRU(3, 2, np.random.default_rng(0))"), holds="without brackets"),
    ),
    otherwise="Compute reset, mix and new one after the other, and then (1 - mix) * new + mix * h.",
    hints=(
        "a, b, c = self.parts(self.x(x)) are the input parts for reset, mix and new. The state parts likewise.",
        "reset = sigmoid(a + d), mix = sigmoid(b + e), new = tanh(c + reset * f), where d, e, f are the state parts.",
        "return (1 - mix) * new + mix * h",
    ),
)


@GRU.judged
def gru_cell(kind):
    """Judge a GRU by three states of two numbers, and by its gradient."""
    check_class(kind, "GRU")
    names = names_of(kind, 26)
    cell = kind(3, 2, np.random.default_rng(0))
    if not callable(cell):
        raise Mistake("GRU has no __call__. Its first line is `def __call__(self, x, h):`.")
    check_arguments(cell, 2, "cell(x, h)", "def __call__(self, x, h):")
    rng = np.random.default_rng(1)
    x, h = rng.normal(size=(3, 3)), rng.normal(size=(3, 2))
    layers = cell.x, cell.h
    for layer in layers:
        layer.bias.data = rng.normal(size=6)
    result = call(cell.__call__, x, h.copy(), said="cell(x, h)")
    for name, layer in zip("xh", layers):
        if getattr(cell, name) is not layer:
            raise Mistake(
                f"A second call would stop: self.{name} is a layer, and your __call__ replaces it. Give the "
                "new state a name without self."
            )
    found = array(result, "cell(x, h) gave")

    def state(kind):
        other = kind(3, 2, np.random.default_rng(0))
        other.x, other.h = layers
        return array(other(x, h.copy()), "")

    right = state(GRU.answer(kind))
    if not same(found, right):
        why = GRU.why(lambda wrong: same(found, outcome(state, wrong)), kind)
        raise Mistake(
            f"For a state of two numbers, cell(x, h)[0] gives {listed(found[0] if found.ndim else found, 3)}; "
            f"it should be {listed(right[0], 3)}. {why}"
        )
    leaf = names["Tensor"](h)
    new = cell(x, leaf)
    if not hasattr(new, "creators"):
        raise Mistake(
            "The numbers are right, but cell(x, h) is a plain array, so no gradient comes back. Compute with "
            "the Tensors."
        )
    if leaf not in names["gradients"](new.sum()):
        raise Mistake("The numbers are right, and no gradient comes back to h: compute with the Tensors.")
    return "Two gates and one state: it has three quarters of the LSTM's weights."


# -- temperature --------------------------------------------------------------------------------------------

SCORES = [[2.0, 1.0, 0.0], [-1.0, 0.0, 3.0]]


def no_number(found, right, said):
    """Raise Mistake where exp was too large."""
    if np.isnan(found).any():
        raise Mistake(
            f"{said} gives {listed(found, 3)}; it should be {listed(right, 3)}. exp of a large number is inf. "
            "softmax of lesson 13 subtracts the maximum first."
        )


Task(
    "26 tempered",
    head="tempered(scores, temperature)",
    right="softmax(scores / temperature)",
    cases=tuple((SCORES, temperature) for temperature in (1, 0.5, 3.0, 0.001)),
    answers=(
        Right("by hand", """
            scores = scores / temperature
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
            return powers / powers.sum(axis=1, keepdims=True)"""),
        Wrong("not divided", ("scores / temperature", "scores"), "The temperature has no influence. Divide the scores by it."),
        Wrong("multiplied", ("/", "*"), "The scores are multiplied by the temperature: divide them by it."),
        Wrong("scores", ("softmax", ""), "These are scores still. softmax makes probabilities of them."),
        Wrong("afterwards", "softmax(scores) / temperature", "Divide the scores, before softmax. Then each row still sums to 1."),
        Wrong("all together", "p = np.exp(scores / temperature)\nreturn p / p.sum()", "All rows together sum to 1. Each row alone should."),
        Wrong("powers", "np.exp(scores / temperature)", "Each row has to sum to 1."),
        Wrong("multiplied afterwards", "softmax(scores) * temperature"),
        Wrong("too large", "p = np.exp(scores / temperature)\nreturn p / p.sum(axis=1, keepdims=True)", holds="subtracts the maximum"),
        Wrong("prints", "print(softmax(scores / temperature))", holds=PRINTS),
        Wrong("one argument too few", "def tempered(scores):\n    return scores", holds="your function takes 1"),
    ),
    otherwise="It is softmax of the scores divided by the temperature.",
    praise="Near 0 the likeliest letter is almost certain; high up all letters become equally likely.",
    hints=(
        "Your machine has softmax, which turns rows of scores into probabilities.",
        "return softmax(scores / temperature)",
    ),
    said=lambda case: f"tempered({listed(case[0])}, {case[1]})",
    unequal=no_number,
    shown=lambda values: listed(values, 3),
)  # fmt: skip

Guess(
    "26 odds",
    right="np.exp(2)",
    answers=(
        Right("7.39", "7.39"),
        Wrong("at temperature 1", "np.exp(1)", "That is at temperature 1. At 0.5 the scores become 4 and 2."),
        Wrong("at temperature 2", "np.exp(0.5)", "That is at temperature 2: dividing by 0.5 makes the difference larger."),
        Wrong("twice", "2 * np.exp(1)", "Not twice as much: the difference of the scores doubles, and its power is squared."),
        Wrong("the difference", "2", "That is the difference of the scores after the division. Take its power: exp(2)."),
        Wrong("one power", "np.exp(4)", "That is exp(4). The second score counts too: exp(4) / exp(2)."),
        Wrong("turned round", "1 / np.exp(2)", "That is the second divided by the first. Turn it round."),
        Wrong("the probability", "1 / (1 + np.exp(-2))", "That is the probability of the first. How many times as likely is it?"),
        Wrong("something else", "4"),
    ),
    otherwise="Divide both scores by 0.5, and divide the powers of exp.",
    praise="exp(2) is 2.72 times 2.72: half the temperature squares the ratio.",
    hints=(
        "Divided by 0.5 the scores are 4 and 2.",
        "exp(4) / exp(2) = exp(2). How much is that?",
        "exp(2) = 7.39",
    ),
    within=0.02,
)
