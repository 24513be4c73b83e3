"""The exercises of lesson 08: one training step, the effect of the start, and a network without tanh."""

import math

import numpy as np

import autodiff as ad

from ..checking import Mistake, NotYet, exercise, number, result
from .shared import close


def all_close(found, right):
    """Whether all numbers are equal up to rounding."""
    return all(map(close, found, right))


# -- in class: one training step ----------------------------------------------------------------------------

START = (2.0, -1.5)
RATE = 0.1
EXAMPLES = ((0.5, 1.0), (1.5, -1.0))  # x and target of the two steps; x is not 1, so that w and b move apart


def trained(grads=lambda new, before: new, sign=-1.0, moved=(1.0, 1.0), rate=RATE, swapped=False):
    """The values of w and b after each of two steps: the right ones, or those of a mistake.

    ``grads`` combines the new gradient with the sum of the earlier ones, ``moved`` switches a parameter's
    step off, and ``swapped`` gives each parameter the gradient of the other.
    """
    w, b = START
    before, places = (0.0, 0.0), []
    for x, target in EXAMPLES:
        out = math.tanh(w * x + b)
        above = 2 * (out - target) * (1 - out * out)
        used = tuple(grads(new, old) for new, old in zip((above * x, above), before))
        before = (before[0] + above * x, before[1] + above)
        if swapped:
            used = (used[1], used[0])
        w, b = w + sign * rate * moved[0] * used[0], b + sign * rate * moved[1] * used[1]
        places += [w, b]
    return places


KINDS = (
    (
        trained(sign=1.0),
        "You go uphill. The gradient says which way the loss grows: take it away, w.data -= ...",
    ),
    (
        trained(grads=lambda new, before: new + before),
        "The second step went along both gradients, added up. Forget them after a step: w.grad = None.",
    ),
    (trained(moved=(1.0, 0.0)), "w has moved and b has not. The bias is a parameter as well."),
    (trained(moved=(0.0, 1.0)), "b has moved and w has not. Both of them take a step."),
    (trained(rate=1.0), "The step is as long as the gradient itself. Multiply it by the rate."),
    (trained(swapped=True), "w took the gradient of b, and b that of w."),
    (trained(sign=-0.5), "The step is half as long as it should be."),
    (trained(sign=-2.0), "The step is twice as long as it should be. Is there a second walk back?"),
)


@exercise(
    "08 step",
    "Four parts: compute the loss, walk back, step, forget. The lines for the first three stand above.",
    "w.data -= rate * w.grad.data changes the Tensor that you were given. w = w - ... would make a new one, "
    "and the caller's would stay as it is. And b does the same.",
    "loss = ((w * x + b).tanh() - target) ** 2, then loss.backward(), then the two lines with -=, then "
    "w.grad = None and b.grad = None, and return loss.",
)
def step(function, tensor=ad.Tensor):
    """Judge two steps by w and b afterwards. If accuracy were judged, half of the mistakes would pass."""
    if not callable(function):
        raise Mistake(f"A function is asked for here, and this is {function!r:.60}.")
    w, b = (tensor(value) for value in START)
    places, losses = [], []
    for x, target in EXAMPLES:
        losses.append(one_step(function, w, b, x, target))
        places += [number(w), number(b)]
    right = trained()
    if all_close(places, START * 2):
        if losses == [None, None]:
            raise NotYet("step(w, b, x, target, rate) gave None, and w and b are where they were.")
        raise Mistake(
            "After step(w, b, 0.5, 1, 0.1), w and b are where they were. Change the Tensors that came in: "
            "w.data -= ...; after w = w - ... the name w is another Tensor's, and the caller's has not "
            "moved. And forget the gradients after the step, not before."
        )
    said = (
        f"After two steps from w = 2, b = -1.5 yours are {places[2]:.4f} and {places[3]:.4f}, and right is "
        f"{right[2]:.4f} and {right[3]:.4f}. "
    )
    for wrong, kind in KINDS:
        if all_close(places, wrong):
            raise Mistake(said + kind)
    if not all_close(places, right):
        raise Mistake(said + "Compare one step by hand, from w = 2, b = -1.5, x = 1, target = 1, rate = 0.5.")
    judge_losses(losses)
    return (
        "Two steps in a row end where they should: downhill, with both parameters, each along its own "
        "gradient."
    )


def one_step(function, w, b, x, target):
    """Call the reader's step. A gradient that is None becomes a Mistake that names the possible causes."""
    try:
        return function(w, b, x, target, RATE)
    except (AttributeError, TypeError) as error:
        if "NoneType" not in str(error):
            raise
        raise Mistake(
            "When the step wanted a gradient, it was None. Either nobody has walked back yet, or the "
            "gradients were forgotten between the walk back and the step. The order is: compute, walk back, "
            "step, forget."
        ) from error


def judge_losses(losses):
    """Judge the returned losses, which must be those before each step."""
    if None in losses:
        raise Mistake("w and b are where they should be. Return the loss as well: it is what one watches.")
    (w, b), (x, target) = START, EXAMPLES[0]
    first = (math.tanh(w * x + b) - target) ** 2
    if not all_close([number(losses[0])], [first]):
        raise Mistake(
            f"w and b are where they should be. The loss of the first step is {first:.4f}, and you returned "
            f"{number(losses[0]):.4f}: return (out - target) ** 2, as it was before the step."
        )


# -- at home: what the start does ---------------------------------------------------------------------------


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
            "So small a loss was the random start's. From all zeros, look at one gradient: that of a weight "
            "of the last neuron is multiplied by what a hidden neuron says. What does that one say?"
        )
    if loss == 0.5:
        raise Mistake("Half of the points may be right, but the loss is no share: what is (0 - 1) ** 2?")
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


# -- at home: without a bend --------------------------------------------------------------------------------

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
        "The biases of the hidden neurons are left out: they go through the last neuron's weights, too.",
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
    ({"average": True}, "The last neuron takes the sum of what it is told, not the mean."),
)


@exercise(
    "08 merge",
    "Write the last neuron's sum for one hidden neuron: v * (w1 * x + w2 * y + b) + c. Multiply the bracket "
    "out.",
    "What stands before x is v * w1, before y it is v * w2, and what is left is v * b + c. With more hidden "
    "neurons the parts add up.",
    "w1 = sum(v * neuron[0] for v, neuron in zip(weights, hidden)), w2 alike with neuron[1], and b = bias + "
    "sum(v * neuron[2] ...).",
)
def merge(function):
    """Judge merge(hidden, last) on one, two and four hidden neurons."""
    for hidden, last in NETWORKS:
        said = f"merge({hidden}, {last})"
        given = result(function, hidden, last, said=said)
        if isinstance(given, np.ndarray) and given.shape == (3,):
            given = tuple(given)
        if not isinstance(given, (tuple, list)) or len(given) != 3:
            raise Mistake(f"{said} gave {given!r:.60}. A triple (w1, w2, b) is asked for.")
        if any(part is None for part in given):
            raise NotYet(f"{said} gave {given!r:.60}.")
        found, right = [number(part) for part in given], merged(hidden, last)
        if not all_close(found, right):
            told = f"{said} is {triple(right)}, and you give {triple(found)}. "
            for switched, kind in MERGES:
                if all_close(found, merged(hidden, last, **switched)):
                    raise Mistake(told + kind)
            if all_close(found, [*merged([hidden[0]], ([last[0][0]], last[1]))]):
                raise Mistake(told + "That is the first hidden neuron alone. All of them count.")
            raise Mistake(told + "Multiply the brackets out; collect what stands by x, by y, and alone.")
    return "However many neurons without a bend there are, they make one line. The bend is what layers need."


def triple(numbers):
    """A triple in six significant digits."""
    return f"({', '.join(f'{value:.6g}' for value in numbers)})"
