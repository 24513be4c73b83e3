"""Answers to the exercises of lesson 08."""

from . import Right, Wrong

TIMES = """
def times(neuron, v):
    return tuple(v * part for part in neuron)
"""
PLUS = """
def plus(first, second):
    return tuple(a + b for a, b in zip(first, second))
"""
MERGE = """
def merge(hidden, last):
    weights, bias = last
    total = (0, 0, bias)
    for v, neuron in zip(weights, hidden):
        total = plus(total, times(neuron, v))
    return total
"""
LAST = "\ntimes, plus, merge"


def first(line, header="neuron, v"):
    """An answer with another first step."""
    return f"def times({header}):\n    {line}\n{PLUS}{MERGE}{LAST}"


def second(line):
    """An answer with another second step."""
    return f"{TIMES}\n\ndef plus(first, second):\n    {line}\n{MERGE}{LAST}"


def third(body):
    """An answer with another last step."""
    return f"{TIMES}{PLUS}\n\ndef merge(hidden, last):\n    weights, bias = last\n{body}\n{LAST}"


SUMS = """
    w1 = sum({v}neuron[0] for v, neuron in zip(weights, hidden))
    w2 = sum({v}neuron[1] for v, neuron in zip(weights, hidden))
    b = {bias}sum({u}neuron[2] for v, neuron in zip(weights, hidden))
    return w1, w2, b"""

ANSWERS = {
    "08 start": (
        Right("the right predictions", "\n1, 1"),
        Right("a loss as a Tensor", "\nTensor(1.0), 1"),
        Wrong("the answer, not its loss", "\n0, 1", "not its loss"),
        Wrong("what the random start gave", "\n0.03, 4", "came from the random start"),
        Wrong("half", "\n0.5, 1", "the loss does not count points"),
        Wrong("what a line gives", "\n0.35, 1", "gets a gradient that is not 0"),
        Wrong("four neurons", "\n1, 4", "What could make their gradients differ"),
        Wrong("two neurons", "\n1, 2", "why not all"),
        Wrong("a word", "\n'one', 1", "A number is asked for"),
    ),
    "08 merge": (
        Right("step by step", TIMES + PLUS + MERGE + LAST),
        Right("by sums", third(SUMS.format(v="v * ", u="v * ", bias="bias + "))),
        Right("lists", first("return [v * part for part in neuron]")),
        Right("arrays", first("return v * np.array(neuron)")),
        Right("other names", first("return n[0] * k, n[1] * k, n[2] * k", "n, k")),
        Wrong(
            "prints",
            first("print(tuple(v * part for part in neuron))"),
            "prints its result and returns nothing",
        ),
        Wrong("one argument", first("return neuron", "neuron"), "your function takes 1"),
        Wrong(
            "the bias as it was",
            first("return v * neuron[0], v * neuron[1], neuron[2]"),
            "The bias is multiplied as well",
        ),
        Wrong("only the first", first("return v * neuron[0], neuron[1], neuron[2]"), "Only the first number"),
        Wrong("adds", first("return tuple(v + part for part in neuron)"), "That adds 10 to each number"),
        Wrong("repeats", first("return neuron * v"), "with * one is repeated"),
        Wrong("joins", second("return (*first, *second)"), "two triples are joined"),
        Wrong("multiplies", second("return tuple(a * b for a, b in zip(first, second))"), "Add them"),
        Wrong(
            "one bias only",
            second("return first[0] + second[0], first[1] + second[1], first[2]"),
            "The biases are added as well",
        ),
        Wrong(
            "the mean", second("return tuple((a + b) / 2 for a, b in zip(first, second))"), "That is the mean"
        ),
        Wrong(
            "no last bias",
            third(SUMS.format(v="v * ", u="v * ", bias="")),
            "bias of the last neuron is left out",
        ),
        Wrong(
            "the last bias only",
            third(SUMS.format(v="v * ", u="0 * ", bias="bias + ")),
            "biases of the hidden neurons are left out",
        ),
        Wrong(
            "biases without weights",
            third(SUMS.format(v="v * ", u="", bias="bias + ")),
            "A hidden bias goes through",
        ),
        Wrong(
            "no weights",
            third(SUMS.format(v="", u="", bias="bias + ")),
            "What a hidden neuron says is multiplied",
        ),
        Wrong(
            "the first neuron",
            third("    return plus(times(hidden[0], weights[0]), (0, 0, bias))"),
            "the first hidden neuron alone",
        ),
        Wrong("copied from the task", third("    return 20, 10, 53"), "merge([(2, 1, -1)"),
        Wrong("never ends", third("    while True:\n        pass"), "Does a loop never end?"),
        Wrong("a number", "\n20, 10, 53", "A function is asked for"),
    ),
}
