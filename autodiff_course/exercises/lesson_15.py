"""The exercises of lesson 15: a constant among the factors, and checkpointing in three steps."""

import math

import numpy as np

from ..checking import Mistake, exercise, number
from .calling import call, names_of
from .counting import Called
from .shared import apart, array, close, listed

# -- a constant ----------------------------------------------------------------------------------------------

GUESSES = {
    27: "That would be right if all three factors were nodes. One of them is a constant.",
    9: "That is what x gets through one of the factors. How many of the factors are x itself?",
    6: "That is the slope of x * x. The constant 3 multiplies it.",
    3: "That is the constant alone.",
    0: "Only x.data is a constant. The other two factors are nodes.",
    36: "That counts four factors. There are two nodes and a constant.",
}


@exercise(
    "15 constant",
    "Write the number 3 in place of x.data. What function of x is left?",
    "3 * x * x has the slope 6 * x.",
)
def constant(guess):
    """Judge the predicted gradient."""
    found = number(guess)
    if not close(found, 18):
        kind = GUESSES.get(round(found), "Write 3 in place of x.data, and take the slope of what is left.")
        raise Mistake(f"x.grad is not {found:g}. {kind}")
    return "x.data counts as the number 3, and 3 * x * x has the slope 6 * x."


# -- checkpointing: the rule ---------------------------------------------------------------------------------


def cube(x):
    """The function that the rule and the operation are tried on."""
    return x * x * x + x


AGAIN = (
    (lambda grad: 13.0 + 0 * grad, "That is the slope alone. Begin the walk with grad."),
    (lambda grad: 10.0 + 0 * grad, "That is f(x). Walk back from it."),
    (lambda grad: 10.0 * grad, "You multiplied grad by f(x). Walk back from f of a new leaf."),
    (lambda grad: grad, "You returned grad unchanged."),
    (lambda grad: grad + 13, "The walk begins with grad. It is not added to what arrives."),
    (lambda grad: 2.0 + 0 * grad, "That is x. Return what arrives at it."),
)


@exercise(
    "15 again",
    "Three lines: a new leaf, f of it, and the walk.",
    "leaf = Tensor(x), and gradients(f(leaf), grad) is the dict of what arrives.",
    "def rule(grad, z, x): leaf = Tensor(x); return gradients(f(leaf), grad)[leaf]",
)
def again(function):
    """Judge the rule that computes again."""
    f = Called(cube)
    rule = call(function, f, said="again(f)", header="def again(f):")
    if not callable(rule):
        raise Mistake(f"again(f) has to return a function, and returns {rule!r:.60}.")
    for x, grad in ((2.0, 7.0), (np.array([2.0, 2.0]), np.array([10.0, -1.0]))):
        said = f"For f(x) = x**3 + x, rule({listed(grad)}, {listed(cube(x))}, {listed(x)})"
        given = called_rule(rule, grad, cube(x), x, said)
        if isinstance(given, dict):
            raise Mistake(f"{said} gives a dict. Take the entry of the leaf out of it.")
        found, right = array(given, f"{said} gives"), 13.0 * grad
        if np.shape(found) != np.shape(right) or not np.allclose(found, right, rtol=1e-11, atol=0):
            kind = kind_of_rule(found, grad)
            raise Mistake(f"{said} gives {listed(found)}; it should be {listed(right)}. {kind}")
    if not f.calls:
        raise Mistake("The numbers are right, but f was never called: the rule has to work for every f.")
    judge_mixed(function)
    return "It computes f again, and walks back through that."


def called_rule(rule, grad, z, x, said):
    """What a rule gives, with sentences for the errors of a lost leaf."""
    try:
        return call(rule, grad, z, x, said=said, header="def rule(grad, z, x):")
    except KeyError as error:
        raise Mistake(
            f"Your code stopped with KeyError: {error}. The Tensor that you look up is not the one that f "
            "was computed from: each call of Tensor(x) makes another. Make one, "
            "leaf = Tensor(x), and use it twice."
        ) from None
    except AttributeError as error:
        if "creators" not in str(error):
            raise
        raise Mistake(
            f"Your code stopped with AttributeError: {error}. f of the plain x is plain, and nothing was "
            "recorded. Make a leaf, Tensor(x), and compute f of that."
        ) from None


def mixed(x):
    """A function in which each result depends on every element of x."""
    return x * x.sum()


def judge_mixed(function):
    """Raise Mistake for a rule that is right only if f treats each element by itself."""
    x, grad, right = np.array([1.0, 2.0]), np.array([10.0, -1.0]), np.array([38.0, 5.0])
    rule = call(function, Called(mixed), said="again(f)", header="def again(f):")
    said = f"For f(x) = x * x.sum(), rule({listed(grad)}, {listed(mixed(x))}, {listed(x)})"
    found = array(called_rule(rule, grad, mixed(x), x, said), f"{said} gives")
    if np.shape(found) != right.shape or not np.allclose(found, right, rtol=1e-11, atol=0):
        raise Mistake(
            f"{said} gives {listed(found)}; it should be {listed(right)}. Here every result depends on both "
            "elements of x, so a slope cannot be multiplied by grad afterwards. The walk has to "
            "begin with grad."
        )


def kind_of_rule(found, grad):
    """The message for a wrong contribution."""
    for wrong, kind in AGAIN:
        if np.shape(found) == np.shape(grad) and np.allclose(found, wrong(grad)):
            return kind
    if np.shape(found) == np.shape(grad) and np.allclose(found, 13.0 * grad, rtol=1e-3):
        return (
            f"That is close, and not exact: {apart(found, 13.0 * grad)}. Walk back; a nudge is not needed."
        )
    return "Compute f of a new leaf, and walk back from there, beginning with grad."


# -- checkpointing: the operation ----------------------------------------------------------------------------


@exercise(
    "15 checkpoint",
    "operation(name, forward, rule) of lesson 14 returns what is asked for.",
    "The forward takes a plain x and returns no_grad(f, x). The rule is again(f).",
    "return operation(name, lambda x: no_grad(f, x), again(f))",
)
def checkpoint(function):
    """Judge the operation: its value, its gradient, what it holds, and that two of them do not disturb each
    other."""
    names = names_of(function, 15)
    tensor = names["Tensor"]
    before = dict(names["FORWARD"]), dict(names["RULES"])
    try:
        judge_checkpoint(function, tensor, names)
    finally:
        for table, rows in zip((names["FORWARD"], names["RULES"]), before):
            table.clear()
            table.update(rows)
    return "One node, the right value and the right gradient, for whatever f is."


class Kept(Called):
    """A function that also keeps what it gave."""

    def __init__(self, f):
        super().__init__(f)
        self.results = []

    def __call__(self, *inputs):
        """What the function gives."""
        self.results.append(super().__call__(*inputs))
        return self.results[-1]


def judge_checkpoint(function, tensor, names):
    """Raise Mistake for an operation that is not right."""
    weight = tensor(5.0)
    cases = (
        ("x**3 + x", cube, 10.0, 13.0),
        ("x * w with a weight w = 5", lambda x: x * weight, 10.0, 5.0),
    )
    made = []
    for i, (said, f, value, slope) in enumerate(cases):
        said_call = f'checkpoint(f, "judged {i}")'
        f = Kept(f)
        try:
            operation = call(function, f, f"judged {i}", said=said_call, header="def checkpoint(f, name):")
        except TypeError as error:
            if "missing 1 required positional argument" not in str(error):
                raise
            raise Mistake(
                f"Your code stopped with TypeError: {error}. no_grad(f) calls f at once, and without x. The "
                "forward is a function: lambda x: no_grad(f, x)."
            ) from None
        if not callable(operation):
            raise Mistake(f"{said_call} has to return a function of x, and returns {operation!r:.60}.")
        x = tensor(2.0)
        z = call(operation, x, said="the operation")
        made.append((said, x, z, value, slope, any(isinstance(part, tensor) for part in f.results)))
    for said, x, z, value, slope, recorded in made:
        told = f"For f(x) = {said}, at x = 2,"
        if not isinstance(z, tensor):
            raise Mistake(
                f"{told} the operation gives {z!r:.60}. That is not a Tensor, so no walk can begin there."
            )
        if isinstance(z.data, tensor):
            raise Mistake(
                f"{told} there is a Tensor in the Tensor: f was recorded. The forward is no_grad(f, x)."
            )
        if not close(float(z.data), value):
            raise Mistake(f"{told} the value is {value:g}, and yours is {float(z.data):g}.")
        there = len(names["order"](z))
        if there != 2:
            raise Mistake(
                f"{told} the result holds {there} nodes, and should hold 2, itself and x: nothing "
                "inside f may be recorded."
            )
        if recorded:
            raise Mistake(
                f"{told} f was recorded in the forward, and its value taken out afterwards. While it is "
                "recorded, the whole graph of f is in memory. The forward is no_grad(f, x)."
            )
        try:
            found = call(names["gradients"], z, said="the walk back").get(x)
        except TypeError as error:
            if "positional argument" not in str(error):
                raise
            raise Mistake(
                f"The walk back stopped with TypeError: {error}. A rule is called with grad, z and x. "
                "The rule is what again returns, again(f)."
            ) from None
        if found is None or not close(float(found), slope):
            shown = "nothing" if found is None else f"{float(found):g}"
            raise Mistake(
                f"{told} x gets {shown}; it should be {slope:g}. Is the rule again(f), and does each "
                "operation have the name that it was given?"
            )


# -- checkpointing: segments ---------------------------------------------------------------------------------

STEPS = 64


@exercise(
    "15 segments",
    "Take `size` steps in one function, make a checkpoint of it, and call that 64 / size times.",
    "All segments do the same, so one operation serves all of them.",
    "def segment(x): take one_step `size` times. Then part = checkpoint(segment, 'segment'), and 64 // size "
    "times x = part(x).",
)
def segments(function):
    """Judge the chain in segments: its value, its gradient and the nodes that it holds."""
    names = names_of(function, 15)
    tensor = names["Tensor"]
    value, slope = 0.5, 1.0
    for _ in range(STEPS):
        value = math.tanh(value)
        slope *= 1 - value * value
    for size in (8, 16):
        x, said = tensor(0.5), f"in_segments(x, {size})"
        z = call(function, x, size, said=said, header="def in_segments(x, size):")
        if not isinstance(z, tensor):
            raise Mistake(f"{said} gives {z!r:.60}, and a Tensor is asked for.")
        if not close(float(z.data), value, 1e-9):
            raise Mistake(f"At 0.5, 64 steps lead to {value:.6f}, and {said} leads to {float(z.data):.6f}.")
        there, right = len(names["order"](z)), STEPS // size + 1
        if there != right:
            asked = "are enough" if there > right else "are asked for"
            raise Mistake(
                f"{said} holds {there} nodes, and {right} {asked}: x and the end of each of the "
                f"{STEPS // size} segments."
            )
        found = call(names["gradients"], z, said="the walk back").get(x, 0.0)
        if not close(float(found), slope, 1e-9):
            raise Mistake(
                f"x gets {float(found):.6g} from {said}, and without checkpoints it gets {slope:.6g}."
            )
    return "The same number and the same gradient, with 9 nodes instead of 65. Each step is computed twice."
