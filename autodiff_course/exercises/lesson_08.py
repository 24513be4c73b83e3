"""The exercises of lesson 08: the effect of the start, and hidden neurons without tanh."""

import math
from typing import Any

import numpy as np

from ..checking import Mistake, NotYet, exercise, number
from .calling import call
from .shared import close


def all_close(found, right):
    """Whether all numbers are equal up to rounding."""
    return all(map(close, found, right))


# -- what the start does ---------------------------------------------------------------------------


@exercise(
    "08 start",
    "With all parameters at 0, what does the network say to every point? What is then the loss of each?",
    "At 0: the gradient of a hidden weight comes by way of a weight of the last neuron, and that is 0. The "
    "gradient of a last weight is multiplied by what a hidden neuron says, and that is 0, too. At 0.5: four "
    "hidden neurons that are equal get equal gradients.",
    "The network says 0 to every point, each loss is 1, and no weight ever moves. And four equal neurons "
    "stay equal.",
)
def start(loss, neurons):
    """Judge the two predictions, each by the misconception that leads to it."""
    if loss is None or neurons is None:
        raise NotYet("one of the two predictions is still None.")
    loss, neurons = number(loss), number(neurons)
    if loss == 0:
        raise Mistake(
            "0 is what the network says to every point, not its loss. The targets are 1 and -1: how far off "
            "is 0?"
        )
    if loss < 0.1:
        raise Mistake(
            "So small a loss came from the random start. From all zeros, look at one gradient: that of a "
            "weight of the last neuron is multiplied by what a hidden neuron says. What does that one say?"
        )
    if loss == 0.5:
        raise Mistake(
            "Half of the points may be right, but the loss does not count points: what is (0 - 1) ** 2?"
        )
    if not math.isclose(loss, 1, abs_tol=0.01):
        raise Mistake(
            f"The loss will not be {loss:.6g}. First: what does the network say, when all its parameters "
            "are 0? Then: which parameter gets a gradient that is not 0?"
        )
    if neurons == 4:
        raise Mistake(
            "The loss is right. The neurons: four that start equal say the same to every point, and go on "
            "to the same weight. What could make their gradients differ?"
        )
    if neurons != 1:
        raise Mistake(
            f"The loss is right. The neurons: not {neurons:.6g}. If two of them stay equal, why not all?"
        )
    return "From zeros nothing moves, and four equal neurons stay one neuron. The start has to be random."


# -- without a bend ------------------------------------------------------------------------------------------

# The triples (w1, w2, b) of the hidden neurons, and the weights and bias of the last neuron.
NETWORKS = (
    ([(2, 1, 5)], ([10], 3)),
    ([(2, 1, -1), (-1, 3, 0.5)], ([0.5, -1], 2)),
    ([(1, 0, 2), (0, 1, -3), (2, -2, 1), (4, 5, 6)], ([3, -1, 0.5, 2], -4)),
)


def merged(hidden, last, weigh=True, weigh_bias=True, inner=True, outer=True, average=False):
    """The one triple that is equivalent to all the neurons; with a part switched off, that of a mistake."""
    weights, bias = last
    rows = list(zip(weights, hidden))
    w1, w2 = (sum((v if weigh else 1) * neuron[i] for v, neuron in rows) for i in (0, 1))
    told = sum((v if weigh_bias else 1) * neuron[2] for v, neuron in rows)
    b = (bias if outer else 0) + (told if inner else 0)
    share = 1 / len(rows) if average else 1
    return w1 * share, w2 * share, b * share


MERGES = (
    ({"outer": False}, "The bias of the last neuron is left out."),
    (
        {"inner": False},
        "The biases of the hidden neurons are left out. They go through the last neuron's weights, too.",
    ),
    (
        {"weigh_bias": False},
        "A hidden bias goes through the last neuron's weight like everything else its neuron says.",
    ),
    (
        {"weigh": False, "weigh_bias": False},
        "What a hidden neuron says is multiplied by its weight in the last one.",
    ),
    (
        {"weigh": False},
        "The hidden weights are multiplied by that neuron's weight in the last one, before adding.",
    ),
    ({"average": True}, "The last neuron takes the sum of what it gets, not the mean."),
)


@exercise(
    "08 merge",
    "v * (w1 * x + w2 * y + b) is (v * w1) * x + (v * w2) * y + v * b, and two sums add up number by number.",
    "times: (v * w1, v * w2, v * b). plus: (w1 + u1, w2 + u2, b + c), for the triples (w1, w2, b) and "
    "(u1, u2, c).",
    "merge: begin with (0, 0, bias). For each weight and its neuron, add times(neuron, weight) with plus.",
)
def merge(times, plus, merge):
    """Judge the three functions in their order."""
    for function, name in ((times, "times"), (plus, "plus"), (merge, "merge")):
        if function is None:
            raise NotYet(f"{name} is still None.")
    judge_times(times)
    judge_plus(plus)
    judge_merge(merge)
    return "However many neurons without a bend there are, they make one line. Layers need the bend."


def judge_times(times):
    """Judge the first step."""
    said = "times((2, 1, 5), 10)"
    kinds = (
        ((20, 10, 5), "The bias is multiplied as well: v times the whole sum is asked for."),
        ((20, 1, 5), "Only the first number is multiplied."),
        ((12, 11, 15), "That adds 10 to each number. The sum is to be 10 times as large."),
    )
    judge_triple(triple_of(times, said, (2, 1, 5), 10), (20, 10, 50), said, kinds)
    judge_triple(
        triple_of(times, "times((2, -1, 0.5), -3)", (2, -1, 0.5), -3),
        (-6, 3, -1.5),
        "times((2, -1, 0.5), -3)",
        (),
    )


def judge_plus(plus):
    """Judge the second step."""
    said = "plus((2, 1, 5), (30, -4, 7))"
    kinds = (
        ((60, -4, 35), "That multiplies the numbers. Add them."),
        ((32, -3, 5), "The biases are added as well."),
        ((16, -1.5, 6), "That is the mean. The sum is asked for."),
    )
    judge_triple(triple_of(plus, said, (2, 1, 5), (30, -4, 7)), (32, -3, 12), said, kinds)


def judge_merge(merge):
    """Judge the last step on one, two and four hidden neurons."""
    for hidden, last in NETWORKS:
        said = f"merge({hidden}, {last})"
        kinds = [(merged(hidden, last, **switched), kind) for switched, kind in MERGES]
        first = merged([hidden[0]], ([last[0][0]], last[1]))
        kinds.append((first, "That is the first hidden neuron alone. All of them count."))
        own = [tuple(neuron) for neuron in hidden], (list(last[0]), last[1])
        judge_triple(triple_of(merge, said, *own), merged(hidden, last), said, kinds)
        if own != (hidden, last):
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


def judge_triple(found, right, said, kinds):
    """Raise Mistake unless a triple is right."""
    if all_close(found, right):
        return
    kind = next((kind for wrong, kind in kinds if all_close(found, wrong)), "")
    raise Mistake(f"{said} is {triple(right)}, and you give {triple(found)}. {kind}".rstrip())


def triple(numbers):
    """A triple in six significant digits."""
    return f"({', '.join(f'{value:.6g}' for value in numbers)})"
