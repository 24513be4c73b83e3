"""The exercises of lesson 20: the largest rate, Adam's first step, Nesterov's rule, and a function that
measures the largest rate, built in two steps."""

from typing import Any

import numpy as np

from ..checking import Mistake, number
from .calling import call
from .shared import close, listed, same
from .table import PRINTS, Guess, Right, Stop, Table, Task, Wrong, advice, outcome, unchanged

# -- the largest rate ---------------------------------------------------------------------------------------

Guess(
    "20 limit",
    right="0.02",
    answers=(
        Right("a fraction", "2 / 100"),
        Wrong("at once", "0.01", "At 0.01 the factor is 0, and y arrives at once. Which rate makes the factor -1?"),
        Wrong("the one of the picture", "0.019", "At 0.019 the factor is -0.9, and y still comes nearer. Which rate makes the factor -1?"),
        Wrong("above", "0.021", "At 0.021 the factor is -1.1, and y grows already. Where does that begin?"),
        Wrong("nothing", "0", "At 0 nothing moves at all, but a little above 0 it comes nearer. Look for the upper limit."),
        Wrong("that of x", "2", "That is the limit along x, where the curvature is 1. Across the valley it is 100."),
        Wrong("0.2", "0.2", "1 - 100 times 0.2 is -19, and y grows. Which rate makes the factor -1?"),
        Wrong("0.1", "0.1", "1 - 100 times 0.1 is -9, and y grows. Which rate makes the factor -1?"),
        Wrong("turned round", "50", "That is 1 divided by the rate. Which rate makes the factor -1?"),
        Wrong("something else", "0.5"),
        Wrong("a word", "'small'", holds="A number is asked for"),
    ),
    otherwise="Put your rate into 1 - 100 * rate. At the limit this factor is -1.",
    praise="At 0.02 the factor is -1: y changes its sign at each step and stays as large.",
    hints=(
        "y is multiplied by 1 - 100 * rate at each step. It comes nearer to 0 as long as this factor is between -1 and 1.",
        "The factor becomes smaller as the rate grows. 1 - 100 * rate = -1 gives the limit.",
        "100 * rate = 2, so the rate is 0.02.",
    ),
)

# -- Adam's first step --------------------------------------------------------------------------------------

MOVES = "That is how far it moves. Where does it arrive?"

Guess(
    "20 first",
    right="4.9",
    answers=(
        Right("computed", "5 - 0.1 * adam(200.0, {})"),
        Wrong("sgd", "-15", "That is the step of sgd, 0.1 times 200. Adam divides the gradient by its own size first."),
        Wrong("m alone", "3", "That is m alone. Divide it by 1 - 0.9, and by the root of v."),
        Wrong("no correction", "5 - 0.1 * 20 / 40**0.5", "That is the step without the correction: 20 divided by the root of 40, times the rate."),
        Wrong("m not corrected", "4.99", "That is m without its correction. Divide m, too: by 1 - 0.9."),
        Wrong("v not corrected", "5 - 0.1 * 200 / 40**0.5", "That is v without its correction. Divide v, too: by 1 - 0.999."),
        Wrong("uphill", "5.1", "The size is right, and it went uphill. The gradient is above 0, so w has to become smaller."),
        Wrong("no rate", "4", "A gradient divided by its own size is 1. The step is the rate times that."),
        Wrong("the step", "0.1", MOVES),
        Wrong("the step downhill", "-0.1", MOVES),
        Wrong("something else", "7"),
    ),
    otherwise="Write down m and v after one step, and correct each of them.",
    praise="The step is as long as the rate. With a gradient of 0.002 it would be the same.",
    hints=(
        "After the first step m is a tenth of the gradient, and v a thousandth of its square. Then m is divided by 1 - 0.9, and v by 1 - 0.999.",
        "So the corrected m is the gradient itself, 200, and the corrected v is its square. What is 200 divided by the root of 200 squared?",
        "It is 1, and the step is 0.1 times 1: from 5 down to 4.9.",
    ),
    near=2e-3,
)

# -- Nesterov's rule ----------------------------------------------------------------------------------------

GRADIENTS = (4.0, 1.0, -2.0, 0.0)
OLD, AHEAD = 'keep * memory.get("v", 0)', "grad + keep * v"

NESTEROV = Table(
    "20 nesterov",
    head="nesterov(grad, memory, keep=0.9)",
    right=f'v = memory["v"] = {OLD} + grad\nreturn {AHEAD}',
    answers=(
        Right("another name", 'memory["u"] = memory.get("u", 0) * keep + grad\nreturn grad + keep * memory["u"]'),
        Wrong("momentum", (AHEAD, "v"), "That is momentum, or a look ahead with the old velocity. v comes first, then grad + keep * v."),
        Wrong("sgd", "grad", "That is the gradient alone."),
        Wrong("all of v", (AHEAD, "grad + v"), "The velocity ahead is keep * v, not all of v."),
        Wrong("no gradient", (AHEAD, "keep * v"), "The gradient itself is missing: grad + keep * v."),
        Wrong("nothing kept", "grad + keep * grad", "Nothing is kept from step to step. Write v into memory."),
        Wrong("a running mean", (f"{OLD} + grad", f"{OLD} + (1 - keep) * grad"), "The whole gradient goes into v, not a part of 1 - keep."),
        Wrong("never fades", (OLD, 'memory.get("v", 0)'), "The old velocity is multiplied by keep before the gradient is added."),
        Wrong("0.9 written in", ("keep * ", "0.9 * "), "keep is an argument. Use it in place of 0.9."),
        Wrong("half of it", (AHEAD, f"({AHEAD}) / 2")),
        Wrong("the old velocity", (("v = ", 'old = memory.get("v", 0)\n    v = '), (AHEAD, "grad + keep * old")), holds="with the old velocity"),
        Wrong("changes the gradient", """
            if "v" not in memory:
                memory["v"] = grad
            else:
                memory["v"] *= keep
                memory["v"] += grad
            return grad + keep * memory["v"]""", holds="The gradient itself was changed"),
        Wrong("no first step", ('memory.get("v", 0)', 'memory["v"]'), holds="memory.get('v', 0)"),
        Wrong("prints", (f"return {AHEAD}", f"print({AHEAD})"), holds=PRINTS),
        Wrong("one argument too few", "def nesterov(grad):\n    return grad", holds="your function takes 1"),
    ),
    otherwise="v becomes keep * v + grad and is kept. The direction is grad + keep * v.",
    hints=(
        "momentum's line first. Then the direction is not v but grad + keep * v.",
        'v = memory["v"] = keep * memory.get("v", 0) + grad, and then return grad + keep * v',
    ),
)  # fmt: skip
NO_FIRST = Stop(KeyError, "memory[{error}] is not there at the first step. Use memory.get({error}, 0).")


@NESTEROV.judged
def nesterov(function):
    """Judge Nesterov's rule by four steps, with numbers, with an array, and with another ``keep``."""
    judge_rule(function, 0.9)
    judge_rule(function, 0.5, 0.5)
    memory: dict[str, Any] = {}
    grad = np.array([1.0, 2.0])
    for _ in range(3):
        call(function, grad, memory, said="nesterov(np.array([1.0, 2.0]), memory)")
    if not same(grad, [1.0, 2.0]):
        raise Mistake(
            "The gradient itself was changed: memory holds the same array, and += or *= writes into it. "
            "Make a new array: keep * v + grad."
        )
    return "It looks ahead, as the package's SGD(nesterov=True) does."


def judge_rule(function, keep, *arguments):
    """Judge four steps of a rule."""

    def step(g, memory, *arguments):
        said = f"nesterov({g:g}, memory{''.join(f', {a:g}' for a in arguments)})"
        with advice(NO_FIRST):
            return number(call(function, g, memory, *arguments, said=said))

    def walk(rule):
        memory: dict[str, Any] = {}
        return [rule(g, memory, *arguments) for g in GRADIENTS]

    found, right = walk(step), walk(NESTEROV.answer(function))
    if not same(found, right):
        why = NESTEROV.why(lambda wrong: same(found, outcome(walk, wrong)), function)
        raise Mistake(
            f"For the gradients 4, 1, -2 and 0 one after the other, with keep={keep:g}, it gives "
            f"{listed(found)}; it should be {listed(right)}. {why}"
        )


# -- the largest rate, measured -----------------------------------------------------------------------------


def bowl(w):
    """The valley of the lesson."""
    return (w[0] ** 2 + 100 * w[1] ** 2) / 2


def slanting(w):
    """The valley, turned by 45 degrees: along (1, 1) its curvature is 1, along (1, -1) it is 100."""
    return ((w[0] + w[1]) ** 2 + 100 * (w[0] - w[1]) ** 2) / 4


def fourth(w):
    """A curve whose curvature depends on the place: at 1 it is 12."""
    return w[0] ** 4


def nearly_round(w):
    """A valley with two curvatures that are nearly the same: the direction needs time to turn."""
    return (9 * w[0] ** 2 + 10 * w[1] ** 2) / 2


# For each case: its name, its loss, the place, and the matrix of its curvatures there.
TURNED = ("the bowl, turned by 45 degrees", slanting, (1.0, 2.0), ((50.5, -49.5), (-49.5, 50.5)))
VALLEYS = (
    ("bowl", bowl, (-10.0, 1.0), ((1, 0), (0, 100))),
    TURNED,
    ("lambda w: w[0] ** 4", fourth, (1.0,), ((12,),)),
)
DIRECTIONS = {2: ((1.0, 0.0), (0.0, 1.0), (1.0, 2.0)), 1: ((1.0,), (0.5,))}

UP, DOWN = "at(w + 0.001 * direction)", "at(w - 0.001 * direction)"
AT = "def at(place):\n    t = Tensor(place)\n    backward(f(t))\n    return t.grad\n"
ONE_WAY = "You nudge to one side only, which is less exact. Take the gradients on both sides of w."
ITSELF = "That is the change itself. Divide it by how far you moved."


def near(found, right):
    """Whether two arrays agree as well as nudges on both sides do, and better than a nudge on one."""
    return np.shape(found) == np.shape(right) and np.allclose(found, right, rtol=1e-4, atol=1e-4)


Task(
    "20 change",
    head="gradient_change(f, w, direction)",
    right=f"{AT}return ({UP} - {DOWN}) / 0.002",
    cases=tuple((*valley[:3], direction) for valley in VALLEYS for direction in DIRECTIONS[len(valley[2])]),
    answers=(
        Right("by a walk", "t = Tensor(w)\ns = gradients(f(t), Tensor(1.0))[t]\nreturn gradients((s * direction).sum())[t]"),
        Wrong("half", ("0.002", "0.001"), "The two places are 0.002 apart: divide by 2 * 0.001."),
        Wrong("not divided", (" / 0.002", ""), ITSELF),
        Wrong("one way, not divided", (f"{DOWN}) / 0.002", "at(w))"), ITSELF),
        Wrong("the sign", (f"{UP} - {DOWN}", f"{DOWN} - {UP}"), "The sign is wrong: the gradient further on, minus the gradient behind."),
        Wrong("the gradient", (f"({UP} - {DOWN}) / 0.002", "at(w)"), "That is the gradient at w. How does it change along the direction?"),
        Wrong("a number", ("return (", "return direction @ ("), "That is one number. The gradient has an element for each of w."),
        Wrong("one way", (f"{DOWN}) / 0.002", "at(w)) / 0.001"), ONE_WAY),
        Wrong("the other way", ((UP, "at(w)"), ("0.002", "0.001")), ONE_WAY),
        Wrong("added", (f"{UP} - {DOWN}", f"{UP} + {DOWN}")),
        Wrong("changes w", ((f"return ({UP} - {DOWN})", f"up = {UP}\n    w -= 0.001 * direction\n    return (up - at(w))")), holds="the array w was changed"),
        Wrong("prints", (f"return ({UP} - {DOWN}) / 0.002", f"print({UP} - {DOWN})"), holds=PRINTS),
        Wrong("without the direction", "def gradient_change(f, w):\n    return w", holds="your function takes 2"),
    ),
    otherwise="Take the gradients at w + 0.001 * direction and at w - 0.001 * direction, and divide by 0.002.",
    praise="With it you know the curvature in any direction, and never need the whole matrix.",
    hints=(
        "The gradient at a place: t = Tensor(place), backward(f(t)), t.grad. You need it at two places.",
        "The places are w + 0.001 * direction and w - 0.001 * direction. They are 0.002 directions apart.",
        "(gradient(f, w + h * direction) - gradient(f, w - h * direction)) / (2 * h), with h = 0.001",
    ),
    inputs=lambda case, function: [case[1], np.array(case[2]), np.array(case[3])],
    said=lambda case: f"gradient_change({case[0]}, {listed(case[2])}, {listed(case[3])})",
    equal=near,
    alike=near,
    shown=lambda change: listed(change, 3),
    after=unchanged("{said} is right, but the array w was changed. Nudge a new array: w + ...", 1, equal=same),
)

# A start with ones stays exactly in the gentle direction of the second, and never turns to the steep one.
RATE_VALLEYS = (
    *VALLEYS,
    (*TURNED[:2], (0.0, 0.0), TURNED[3]),
    ("lambda w: (9 * w[0] ** 2 + 10 * w[1] ** 2) / 2", nearly_round, (1.0, 1.0), ((9, 0), (0, 10))),
)
CURVATURES = "np.linalg.eigvalsh(np.array([gradient_change(w, e) for e in np.eye(len(w))]))"
RESULT, START = f"return 2 / {CURVATURES}[-1]", "np.random.default_rng(0).normal(size=w.shape)"
LOOP = f"""d = {START}
    for _ in range(100):
        c = gradient_change(w, d)
        n = np.linalg.norm(c)
        d = c / n
    return 2 / n"""

LARGEST = Table(
    "20 largest",
    head="largest_rate(f, w)",
    right=f"{AT}\ndef gradient_change(w, direction):\n    return ({UP} - {DOWN}) / 0.002\n{RESULT}",
    answers=(
        Right("a loop", (RESULT, LOOP)),
        Wrong("the curvature", ("2 / np", "np"), "That is the curvature. The rate is 2 divided by it."),
        Wrong("1 for 2", ("2 / np", "1 / np"), "That is 1 divided by the curvature. The limit is 2 divided by it."),
        Wrong("the fraction", (RESULT, f"return {CURVATURES}[-1] / 2"), "Turn the fraction round: 2 divided by the curvature."),
        Wrong("the gentlest direction", ("[-1]", "[0]"), "That is the gentlest direction. If you begin with ones, begin with a random direction instead."),
        Wrong("along the axes", (CURVATURES, "sorted(np.linalg.norm(gradient_change(w, e) * e) for e in np.eye(len(w)))"), "That is the limit along the axes. The steepest direction may lie between them."),
        Wrong("begins with ones", (RESULT, LOOP.replace(START, "np.ones(len(w))")), holds="gentlest direction"),
        Wrong("always the gentle direction", (RESULT, LOOP.replace(START, "np.eye(len(w))[0]")), holds="gentlest direction"),
        Wrong("the length of the direction", (RESULT, LOOP.replace("2 / n", "2 / np.linalg.norm(d)")), holds="before you divide by it"),
        Wrong("three rounds", (RESULT, LOOP.replace("100", "3")), holds="Does the loop run 100 times?"),
        Wrong("the constant of the bowl", "0.02"),
        Wrong("without end", (RESULT, "while True:\n        w = w / 1"), holds="was stopped"),
        Wrong("prints", (RESULT, LOOP.replace("return 2 / n", "print(2 / n)")), holds=PRINTS),
    ),
    otherwise="The largest curvature is the length of the last change of the gradient.",
    hints=(
        "rng.normal(size=w.shape) is a random direction; divided by its own np.linalg.norm it has the length 1.",
        "In the loop: change = gradient_change(f, w, direction), length = np.linalg.norm(change), and then direction = change / length.",
        "After the loop: return 2 / length.",
    ),
)
LENGTH_OF_1 = (
    "2 is 2 divided by 1: a direction that was divided by its length has the length 1. Take the length of "
    "the change before you divide by it."
)


@LARGEST.judged
def largest_rate(function):
    """Judge the measured limits of the rate in three valleys."""
    for name, f, place, matrix in RATE_VALLEYS:
        said, w = f"largest_rate({name}, {listed(place)})", np.array(place)
        found = number(call(function, f, w.copy(), said=said))
        right, *_, most = 2 / np.linalg.eigvalsh(np.array(matrix, dtype=float))[[-1, 0]]
        if close(found, right, 5e-3):
            continue
        otherwise = None
        if right < found < most:
            otherwise = "It lies between the limits of the two directions. Does the loop run 100 times?"

        def fits(wrong, f=f, w=w, found=found):
            other = outcome(wrong, f, w)
            return other is not None and close(found, other, 5e-3)

        why = LARGEST.why(fits, function, otherwise)
        if close(found, 2) and close(number(call(function, fourth, np.array([1.0]), said=said)), 2):
            why = LENGTH_OF_1  # with the curvature 12 there is no gentle direction that would give 2
        raise Mistake(f"{said} gives {found:.4g}; it should be {right:.4g}. {why}")
    return "It finds the steepest direction, also where it lies between the axes."
