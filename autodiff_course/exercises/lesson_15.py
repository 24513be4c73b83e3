"""The exercises of lesson 15: a constant among the factors, and checkpointing in three steps."""

import math

import numpy as np

from ..checking import Mistake
from .calling import call, names_of
from .counting import Called, gives
from .shared import apart, array, close, listed
from .table import PRINTS, Guess, Right, Stop, Table, Wrong, advice

# -- a constant ----------------------------------------------------------------------------------------------

Guess(
    "15 constant",
    right="18",
    answers=(
        Right("a Tensor with it", "Tensor(18.0)"),
        Wrong("as if all were nodes", "27", "That would be right if all three factors were nodes. One of them is a constant."),
        Wrong("one path", "9", "That is what x gets through one of the factors. How many of the factors are x itself?"),
        Wrong("without the constant", "6", "That is the slope of x * x. The constant 3 multiplies it."),
        Wrong("the constant", "3", "That is the constant alone."),
        Wrong("nothing", "0", "Only x.data is a constant. The other two factors are nodes."),
        Wrong("four factors", "36", "That counts four factors. There are two nodes and a constant."),
        Wrong("another number", "12.5"),
        Wrong("a word", "'eighteen'", holds="A number is asked for"),
    ),
    otherwise="Write 3 in place of x.data, and take the slope of what is left.",
    praise="x.data counts as the number 3, and 3 * x * x has the slope 6 * x.",
    hints=("Write the number 3 in place of x.data. What function of x is left?", "3 * x * x has the slope 6 * x."),
    within=2e-5,
    near=0.5,
    message="x.grad is not {found:g}. {why}",
)

# -- checkpointing: the rule ---------------------------------------------------------------------------------


def cube(x):
    """The function that the rule and the operation are tried on."""
    return x * x * x + x


def mixed(x):
    """A function in which each result depends on every element of x."""
    return x * x.sum()


ARRIVES, RULE = "gradients(f(leaf), grad)[leaf]", "lambda f: lambda grad, z, x: "

AGAIN = Table(
    "15 again",
    head="again(f)",
    right=f"""
        def rule(grad, z, x):
            leaf = Tensor(x)
            return {ARRIVES}
        return rule""",
    answers=(
        Right("by backward", (f"return {ARRIVES}", "backward(f(leaf), grad)\n        return leaf.grad")),
        Wrong("grad dropped", (", grad)[", ")["), "That is the slope alone. Begin the walk with grad."),
        Wrong("f(x)", f"{RULE}f(x)", "That is f(x). Walk back from it."),
        Wrong("f(x) times grad", f"{RULE}grad * f(x)", "You multiplied grad by f(x). Walk back from f of a new leaf."),
        Wrong("passed on", f"{RULE}grad", "You returned grad unchanged."),
        Wrong("grad added", (ARRIVES, "grad + gradients(f(leaf))[leaf]"), "The walk begins with grad. It is not added to what arrives."),
        Wrong("x", f"{RULE}x", "That is x. Return what arrives at it."),
        Wrong("twice", (ARRIVES, f"2 * {ARRIVES}")),
        Wrong("the slope, times grad", (ARRIVES, "grad * gradients(f(leaf))[leaf]"), holds="cannot be multiplied by grad afterwards"),
        Wrong("a nudge", f"{RULE}grad * (f(x + 1e-4) - f(x - 1e-4)) / 2e-4", holds="not exact"),
        Wrong("a small nudge", f"{RULE}grad * (f(x + 1e-6) - f(x - 1e-6)) / 2e-6", holds="not exact"),
        Wrong("two leaves", ("[leaf]", "[Tensor(x)]"), holds="leaf = Tensor(x), and use it twice"),
        Wrong("no leaf", ("Tensor(x)", "x"), holds="f of the plain x is plain"),
        Wrong("the whole dict", ("[leaf]", ""), holds="the entry of the leaf"),
        Wrong("by the package", (("Tensor(x)", "ad.Tensor(x)"), (f"return {ARRIVES}", "f(leaf).backward(grad)\n        return leaf.grad.data")), holds="the package's Tensor"),
        Wrong("copied from the task", f"{RULE}grad * (3 * x * x + 1)", holds="f was never called"),
        Wrong("a rule without z", ("grad, z, x", "grad, x"), holds="Its first line should be `def rule(grad, z, x):`"),
        Wrong("prints", (f"return {ARRIVES}", "print(grad)"), holds=PRINTS),
        Wrong("no function comes back", "13.0", holds="has to return a function"),
        Wrong("a number", "answer = 13", holds="A function is asked for"),
    ),
    otherwise="Compute f of a new leaf, and walk back from there, beginning with grad.",
    hints=(
        "Three lines: a new leaf, f of it, and the walk.",
        "leaf = Tensor(x), and gradients(f(leaf), grad) is the dict of what arrives.",
        "def rule(grad, z, x): leaf = Tensor(x); return gradients(f(leaf), grad)[leaf]",
    ),
)  # fmt: skip
LOST = (
    Stop(KeyError, "Your code stopped with KeyError: {error}. The Tensor that you look up is not the one that f was computed from: each call of Tensor(x) makes another. Make one, leaf = Tensor(x), and use it twice."),
    Stop(AttributeError, "Your code stopped with AttributeError: {error}. f of the plain x is plain, and nothing was recorded. Make a leaf, Tensor(x), and compute f of that.", "creators"),
)  # fmt: skip


@AGAIN.judged
def again(function):
    """Judge the rule that computes again."""
    f = Called(cube)
    rule = call(function, f, said="again(f)", header="def again(f):")
    if not callable(rule):
        raise Mistake(f"again(f) has to return a function, and returns {rule!r:.60}.")
    for x, grad in ((2.0, 7.0), (np.array([2.0, 2.0]), np.array([10.0, -1.0]))):
        (found, said), right = called_rule(rule, grad, cube, "x**3 + x", x), 13.0 * grad
        if np.shape(found) != np.shape(right) or not np.allclose(found, right, rtol=1e-11, atol=0):
            otherwise = None
            if np.shape(found) == np.shape(grad) and np.allclose(found, right, rtol=1e-3):
                otherwise = f"That is close, and not exact: {apart(found, right)}. Walk back; a nudge is not needed."
            fits = gives(found, grad, cube(x), x)
            why = AGAIN.why(lambda wrong: fits(wrong(cube)), function, otherwise)  # noqa: B023  at once
            raise Mistake(f"{said} gives {listed(found)}; it should be {listed(right)}. {why}")
    if not f.calls:
        raise Mistake("The numbers are right, but f was never called: the rule has to work for every f.")
    rule = call(function, Called(mixed), said="again(f)", header="def again(f):")
    grad, right = np.array([10.0, -1.0]), np.array([38.0, 5.0])
    found, said = called_rule(rule, grad, mixed, "x * x.sum()", np.array([1.0, 2.0]))
    if np.shape(found) != right.shape or not np.allclose(found, right, rtol=1e-11, atol=0):
        raise Mistake(
            f"{said} gives {listed(found)}; it should be {listed(right)}. Here every result depends on both "
            "elements of x, so a slope cannot be multiplied by grad afterwards. The walk has to "
            "begin with grad."
        )
    return "It computes f again, and walks back through that."


def called_rule(rule, grad, f, formula, x):
    """What a rule gives, and the call in words."""
    z = f(x)
    said = f"For f(x) = {formula}, rule({listed(grad)}, {listed(z)}, {listed(x)})"
    with advice(*LOST):
        given = call(rule, grad, z, x, said=said, header="def rule(grad, z, x):")
    if isinstance(given, dict):
        raise Mistake(f"{said} gives a dict. Take the entry of the leaf out of it.")
    return array(given, f"{said} gives"), said


# -- checkpointing: the operation ----------------------------------------------------------------------------

FORWARD = "lambda x: no_grad(f, x)"

CHECKPOINT = Table(
    "15 checkpoint",
    head="checkpoint(f, name)",
    right=f"""
        def rule(grad, z, x):
            leaf = Tensor(x)
            return {ARRIVES}
        return operation(name, {FORWARD}, rule)""",
    answers=(
        Right("with a forward of its own", (("return operation", f"forward = {FORWARD}\n    return operation"), (f"(name, {FORWARD}", "(name, forward"))),
        Wrong("f as the forward", (FORWARD, "f"), holds="a Tensor in the Tensor"),
        Wrong("recorded, and the value taken out", ("no_grad(f, x)", "value(f(x))"), holds="f was recorded in the forward"),
        Wrong("no_grad called at once", (FORWARD, "no_grad(f)"), holds="calls f at once"),
        Wrong("another value", ("no_grad(f, x)", "2 * no_grad(f, x)"), holds="the value is 10, and yours is 20"),
        Wrong("again itself as the rule", (", rule)", ", lambda f: rule)"), holds="what again returns, again(f)"),
        Wrong("f itself", "f", holds="should hold 2"),
        Wrong("no_grad alone", f"lambda f, name: {FORWARD}", holds="not a Tensor"),
        Wrong("one name for all", ("(name", "('checkpoint'"), holds="the name that it was given"),
        Wrong("the rule of another function", (", rule)", ", lambda grad, z, x: grad * z)"), holds="Is the rule again(f)"),
        Wrong("applied at once", (", rule)", ", rule)(2.0)"), holds="has to return a function"),
        Wrong("one argument too few", "lambda f: f", holds="Its first line should be"),
    ),
    hints=(
        "operation(name, forward, rule) of lesson 14 returns what is asked for.",
        "The forward takes a plain x and returns no_grad(f, x). The rule is again(f).",
        "return operation(name, lambda x: no_grad(f, x), again(f))",
    ),
)  # fmt: skip
AT_ONCE = Stop(TypeError, "Your code stopped with TypeError: {error}. no_grad(f) calls f at once, and without x. The forward is a function: lambda x: no_grad(f, x).", "missing 1 required positional argument")
WALKING = Stop(TypeError, "The walk back stopped with TypeError: {error}. A rule is called with grad, z and x. The rule is what again returns, again(f).", "positional argument")


@CHECKPOINT.judged
def checkpoint(function):
    """Judge the operation: its value, its gradient, what it holds, and that two of them do not disturb each
    other."""
    names = names_of(function, 15)
    before = dict(names["FORWARD"]), dict(names["RULES"])
    try:
        judge_checkpoint(function, names["Tensor"], names)
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
        with advice(AT_ONCE):
            operation = call(function, f, f"judged {i}", said=said_call, header="def checkpoint(f, name):")
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
        with advice(WALKING):
            found = call(names["gradients"], z, said="the walk back").get(x)
        if found is None or not close(float(found), slope):
            shown = "nothing" if found is None else f"{float(found):g}"
            raise Mistake(
                f"{told} x gets {shown}; it should be {slope:g}. Is the rule again(f), and does each "
                "operation have the name that it was given?"
            )


# -- checkpointing: segments ---------------------------------------------------------------------------------

STEPS = 64

SEGMENTS = Table(
    "15 segments",
    head="in_segments(x, size)",
    right=f"""
        def segment(x):
            for _ in range(size):
                x = tanh(x)
            return x
        def rule(grad, z, x):
            leaf = Tensor(x)
            return {ARRIVES.replace("f(", "segment(")}
        part = operation("segment", lambda x: no_grad(segment, x), rule)
        for _ in range(64 // size):
            x = part(x)
        return x""",
    answers=(
        Right("a new operation for each", (('operation("', 'lambda k: operation(f"{k}'), ("part(x)", "part(_)(x)"))),
        Wrong("no checkpoints", "for _ in range(64):\n    x = tanh(x)\nreturn x", holds="holds 65 nodes"),
        Wrong("one segment only", ("64 // size", "1"), holds="64 steps lead to"),
        Wrong("size segments", ("64 // size", "size"), holds="64 steps lead to"),
        Wrong("one checkpoint per step", (("range(size)", "range(1)"), ("64 // size", "64")), holds="are enough"),
        Wrong("all steps in one checkpoint", (("range(size)", "range(64)"), ("64 // size", "1")), holds="holds 2 nodes, and 9 are asked for"),
        Wrong("without recording at all", ("part(x)", "no_grad(segment, x)"), holds="a Tensor is asked for"),
        Wrong("a rule that passes grad on", ("return gradients(segment(leaf), grad)[leaf]", "return grad"), holds="x gets 1 from"),
        Wrong("prints", "print(x)", holds=PRINTS),
        Wrong("never ends", "while True:\n    pass\nreturn x", holds="Does a loop never end?"),
        Wrong("a number", "answer = 9", holds="A function is asked for"),
    ),
    hints=(
        "Take `size` steps in one function, make a checkpoint of it, and call that 64 / size times.",
        "All segments do the same, so one operation serves all of them.",
        "def segment(x): take one_step `size` times. Then part = checkpoint(segment, 'segment'), and 64 // size times x = part(x).",
    ),
)  # fmt: skip


@SEGMENTS.judged
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
