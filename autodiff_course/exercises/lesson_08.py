"""The exercises of lesson 08: the effect of the start, and hidden neurons without tanh."""

import copy
import math
from typing import Any

import numpy as np

from ..checking import Mistake, NotYet, number
from .calling import call
from .shared import close
from .table import PRINTS, Right, Table, Wrong, outcome

# -- what the start does ---------------------------------------------------------------------------

START = Table(
    "08 start",
    right="1, 1",
    answers=(
        Right("a loss as a Tensor", "Tensor(1.0), 1"),
        Wrong("the answer, not its loss", "0, 1", "0 is what the network says to every point, not its loss. The targets are 1 and -1: how far off is 0?"),
        Wrong("half", "0.5, 1", "Half of the points may be right, but the loss does not count points: what is (0 - 1) ** 2?"),
        Wrong("four neurons", "1, 4", "The loss is right. The neurons: four that start equal say the same to every point, and go on to the same weight. What could make their gradients differ?"),
        Wrong("what the random start gave", "0.03, 4", holds="came from the random start"),
        Wrong("what a line gives", "0.35, 1", holds="gets a gradient that is not 0"),
        Wrong("two neurons", "1, 2", holds="why not all"),
        Wrong("a word", "'one', 1", holds="A number is asked for"),
    ),
    hints=(
        "With all parameters at 0, what does the network say to every point? What is then the loss of each?",
        "At 0: the gradient of a hidden weight comes by way of a weight of the last neuron, and that is 0. The gradient of a last weight is multiplied by what a hidden neuron says, and that is 0, too. At 0.5: four hidden neurons that are equal get equal gradients.",
        "The network says 0 to every point, each loss is 1, and no weight ever moves. And four equal neurons stay equal.",
    ),
)


@START.judged
def start(loss, neurons):
    """Judge the two predictions, each by the misconception that leads to it."""
    if loss is None or neurons is None:
        raise NotYet("one of the two predictions is still None.")
    loss, neurons = number(loss), number(neurons)
    if not math.isclose(loss, 1, abs_tol=0.01):
        otherwise = (
            f"The loss will not be {loss:.6g}. First: what does the network say, when all its parameters "
            "are 0? Then: which parameter gets a gradient that is not 0?"
        )
        if loss < 0.1:
            otherwise = (
                "So small a loss came from the random start. From all zeros, look at one gradient: that of a "
                "weight of the last neuron is multiplied by what a hidden neuron says. What does that one say?"
            )
        raise Mistake(START.why(lambda wrong: wrong[0] == loss, otherwise=otherwise))
    if neurons != 1:
        otherwise = (
            f"The loss is right. The neurons: not {neurons:.6g}. If two of them stay equal, why not all?"
        )
        raise Mistake(START.why(lambda wrong: wrong[1] == neurons, otherwise=otherwise))
    return "From zeros nothing moves, and four equal neurons stay one neuron. The start has to be random."


# -- without a bend ------------------------------------------------------------------------------------------

TIMES, PLUS = "tuple(v * part for part in neuron)", "tuple(a + b for a, b in zip(first, second))"
MERGE = "return w1, w2, bias + b"
WEIGHED = "v * neuron[i] for v, neuron in zip(weights, hidden)"

STEPS = Table(
    "08 merge",
    right=f"""
        times = lambda neuron, v: {TIMES}
        plus = lambda first, second: {PLUS}
        def merge(hidden, last):
            weights, bias = last
            w1, w2, b = (sum({WEIGHED}) for i in range(3))
            {MERGE}
        times, plus, merge""",
    answers=(
        Right("step by step", (MERGE, "total = (0, 0, bias)\n    for v, neuron in zip(weights, hidden):\n        total = plus(total, times(neuron, v))\n    return total")),
        Right("lists", (TIMES, "[v * part for part in neuron]")),
        Right("arrays", (TIMES, "v * np.array(neuron)")),
        Right("other names", (f"neuron, v: {TIMES}", "n, k: (n[0] * k, n[1] * k, n[2] * k)")),
        Wrong("the bias as it was", (TIMES, "(v * neuron[0], v * neuron[1], neuron[2])"), "The bias is multiplied as well: v times the whole sum is asked for."),
        Wrong("only the first", (TIMES, "(v * neuron[0], neuron[1], neuron[2])"), "Only the first number is multiplied."),
        Wrong("adds", ("v * part", "v + part"), "That adds 10 to each number. The sum is to be 10 times as large."),
        Wrong("multiplies", ("a + b", "a * b"), "That multiplies the numbers. Add them."),
        Wrong("one bias only", (PLUS, "(first[0] + second[0], first[1] + second[1], first[2])"), "The biases are added as well."),
        Wrong("the mean", ("a + b", "(a + b) / 2"), "That is the mean. The sum is asked for."),
        Wrong("no last bias", ("bias + b", "b"), "The bias of the last neuron is left out."),
        Wrong("the last bias only", ("bias + b", "bias"), "The biases of the hidden neurons are left out. They go through the last neuron's weights, too."),
        Wrong("biases without weights", ("bias + b", "bias + sum(neuron[2] for neuron in hidden)"), "A hidden bias goes through the last neuron's weight like everything else its neuron says."),
        Wrong("no weights", ("v * neuron", "neuron"), "What a hidden neuron says is multiplied by its weight in the last one."),
        Wrong("biases with weights", ("w1, w2, bias", "*(sum(neuron[i] for neuron in hidden) for i in (0, 1)), bias"), "The hidden weights are multiplied by that neuron's weight in the last one, before adding."),
        Wrong("the mean of the neurons", (MERGE, "return [part / len(hidden) for part in (w1, w2, bias + b)]"), "The last neuron takes the sum of what it gets, not the mean."),
        Wrong("the first neuron", (WEIGHED, f"{WEIGHED} if neuron is hidden[0]"), "That is the first hidden neuron alone. All of them count."),
        Wrong("prints", (TIMES, f"print({TIMES})"), holds=PRINTS),
        Wrong("one argument", (f"neuron, v: {TIMES}", "neuron: neuron"), holds="your function takes 1"),
        Wrong("repeats", (TIMES, "neuron * v"), holds="with * one is repeated"),
        Wrong("joins", (PLUS, "first + second"), holds="two triples are joined"),
        Wrong("copied from the task", (MERGE, "return 20, 10, 53"), holds="merge([(2, 1, -1)"),
        Wrong("changes the lists", (MERGE, f"hidden.reverse()\n    {MERGE}"), holds="changed the lists that came in"),
        Wrong("never ends", (MERGE, "while True: pass"), holds="Does a loop never end?"),
        Wrong("a number", "20, 10, 53", holds="A function is asked for"),
    ),
    hints=(
        "v * (w1 * x + w2 * y + b) is (v * w1) * x + (v * w2) * y + v * b, and two sums add up number by number.",
        "times: (v * w1, v * w2, v * b). plus: (w1 + u1, w2 + u2, b + c), for the triples (w1, w2, b) and (u1, u2, c).",
        "merge: begin with (0, 0, bias). For each weight and its neuron, add times(neuron, weight) with plus.",
    ),
)
# By name: the inputs of each call. Those of merge are the triples (w1, w2, b) of the hidden neurons, and the
# weights and bias of the last neuron.
CASES: dict[str, tuple[Any, ...]] = {
    "times": (((2, 1, 5), 10), ((2, -1, 0.5), -3)),
    "plus": (((2, 1, 5), (30, -4, 7)),),
    "merge": (
        ([(2, 1, 5)], ([10], 3)),
        ([(2, 1, -1), (-1, 3, 0.5)], ([0.5, -1], 2)),
        ([(1, 0, 2), (0, 1, -3), (2, -2, 1), (4, 5, 6)], ([3, -1, 0.5, 2], -4)),
    ),
}


@STEPS.judged
def merge(times, plus, merge):
    """Judge the three functions in their order."""
    steps = {"times": times, "plus": plus, "merge": merge}
    for name, function in steps.items():
        if function is None:
            raise NotYet(f"{name} is still None.")
    for place, (name, function) in enumerate(steps.items()):
        for inputs in CASES[name]:
            judge_step(function, place, f"{name}({', '.join(map(repr, inputs))})", inputs)
    return "However many neurons without a bend there are, they make one line. Layers need the bend."


def judge_step(function, place, said, inputs):
    """Judge one call of one of the functions."""
    own = copy.deepcopy(inputs)
    found, right = triple_of(function, said, *own), STEPS.answer()[place](*inputs)
    if not all(map(close, found, right)):
        why = STEPS.why(lambda wrong: all(map(close, found, outcome(wrong[place], *inputs))))
        raise Mistake(f"{said} is {triple(right)}, and you give {triple(found)}. {why}".rstrip())
    if own != inputs:
        raise Mistake(f"{said} is right, and your function has changed the lists that came in.")


def triple_of(function: Any, said: str, *inputs: Any) -> list[float]:
    """The three numbers that a reader's function returns."""
    given = call(function, *inputs, said=said)
    if isinstance(given, np.ndarray) and given.shape == (3,):
        given = tuple(given)
    if not isinstance(given, (tuple, list)) or len(given) != 3:
        hint = " With + two triples are joined, and with * one is repeated: compute number by number." * (
            isinstance(given, (tuple, list)) and len(given) > 3
        )
        text = repr(given) if len(repr(given)) <= 60 else f"{given!r:.60}..."
        raise Mistake(f"{said} gave {text}. A triple (w1, w2, b) is asked for.{hint}")
    if any(part is None for part in given):
        raise NotYet(f"{said} gave {given!r:.60}.")
    return [number(part) for part in given]


def triple(numbers):
    """A triple in six significant digits."""
    return f"({', '.join(f'{value:.6g}' for value in numbers)})"
