"""The exercises of lesson 13: accuracy on the digits of unknown writers, and the whole walk back by hand."""

import numpy as np

from ..checking import Mistake, NotYet, number
from .calling import call
from .shared import array, listed, same
from .table import PRINTS, Right, Stop, Table, Wrong, advice, outcome

# -- other hands --------------------------------------------------------------------------------------------

HANDS = Table(
    "13 hands",
    right="464",
    answers=(
        Right("near it", "450"),
        Right("a Tensor", "Tensor(470.0)"),
        Wrong("as many as before", "491", holds="491 would be about as many as with shuffled pictures, but there are fewer"),
        Wrong("a few less", "488", holds="fewer"),
        Wrong("all", "500", holds="fewer"),
        Wrong("blind", "50", holds="blind guessing"),
        Wrong("half", "250", holds="not as bad"),
        Wrong("a share", "0.93", holds="not a share"),
        Wrong("per cent", "92", holds="not per cent"),
        Wrong("too many", "501", holds="count out of 500"),
        Wrong("a word", "'few'", holds="A number is asked for"),
    ),
    hints=(
        "With shuffled pictures, every writer's pictures are on both sides. What can a network learn from them besides digits?",
        "Everybody has a way of writing a 1 or a 9, and a network that has seen it reads it better. So the number will be below 491. But a 3 is mostly a 3.",
        "A little above nine out of ten: 460, say.",
    ),
)


@HANDS.judged
def hands(guess):
    """Judge the predicted count, which is lower than on known writers, but far from chance."""
    found, right = number(guess), HANDS.answer()
    if not 0 <= found <= 500:
        raise Mistake(f"It is a count out of 500, and {found:.6g} cannot be one.")
    if 0 < found < 1:
        raise Mistake("It is a count out of 500, not a share.")
    if found > right + 20:
        raise Mistake(
            f"{found:.6g} would be about as many as with shuffled pictures, but there are fewer. Now it is "
            "not only the pictures that are new; so are most of the hands."
        )
    if found <= 60:
        raise Mistake("50 would be blind guessing among ten digits. It has learned more than that.")
    if found <= 100:
        raise Mistake("It is a count out of 500, not per cent.")
    if found < right - 20:
        raise Mistake(
            f"It is not as bad as {found:.6g}. A new hand writes its digits a little "
            "differently, and most of them much the same."
        )
    return "Fewer than 491: some of what it has learned is hands."


# -- the whole walk by hand ---------------------------------------------------------------------------------

SCORES, SECOND, FIRST = "return (p - hot) / n", "hidden.T @ grad, grad.sum(axis=0)", "x.T @ before, before.sum(axis=0)"
BEFORE = "grad @ W2.T * (1 - hidden**2)"
PAIRS = "1 was subtracted in all listed columns of every row: [:, targets] does that. Two lists pick in pairs: [np.arange(n), targets]."
AGAIN = "The mean over the pictures is in grad already. Do not divide again."

WALK = Table(
    "13 walk",
    right=f"""
        def of_scores(p, t):
            n, hot = len(t), np.eye(p.shape[1])[t]
            {SCORES}
        def of_second(hidden, grad):
            return {SECOND}
        def of_first(x, hidden, W2, grad):
            before = {BEFORE}
            return {FIRST}
        of_scores, of_second, of_first""",
    answers=(
        Right("a copy, changed", (SCORES, "g = p.copy(); g[np.arange(n), t] -= 1; return g / n")),
        Right("a loop", (SCORES, "g = p / n\n    for i in range(n): g[i, t[i]] -= 1 / n\n    return g")),
        Right("lists", (SCORES, f"{SCORES.replace('return ', 'return (')}).tolist()")),
        Right("a list of two", (SECOND, f"[{SECOND}]")),
        Right("ones in place of sum", ("grad.sum(axis=0)", "np.ones(len(grad)) @ grad")),
        Right("in one line", ("before,", f"({BEFORE}),")),
        Wrong("scores: not divided", (SCORES, "return p - hot"), "The loss is a mean over the pictures. Divide by their number."),
        Wrong("scores: turned", (SCORES, "return (hot - p) / n"), "The sign is wrong: the loss falls when the score of the target rises."),
        Wrong("scores: the probabilities", (SCORES, "return p"), "These are the probabilities themselves. What is subtracted at the targets?"),
        Wrong("scores: all columns", (SCORES, "g = p.copy(); g[:, t] -= 1; return g / n"), PAIRS),
        Wrong("scores: all columns, not divided", (SCORES, "g = p.copy(); g[:, t] -= 1; return g"), f"{PAIRS} And the loss is a mean: divide."),
        Wrong("scores: of the probabilities", (SCORES, "return -hot / p / n"), "This is the gradient of the probabilities. Softmax lies between them and the scores."),
        Wrong("scores: by the digits", (SCORES, "return (p - hot) / p.shape[1]"), "You divide by the number of digits. The mean was taken over the pictures."),
        Wrong("scores: targets only", (SCORES, "return (p - 1) * hot / n"), "The other digits get a gradient, too: their scores should fall."),
        Wrong("scores: everywhere", (SCORES, "return (p - 1) / n"), "1 is subtracted everywhere. Subtract it only at the target of each row."),
        Wrong("second: transposed", ("hidden.T @ grad", "grad.T @ hidden"), "This is the transpose. A gradient has the shape of its Tensor: hidden.T @ grad."),
        Wrong("second: divided", ("hidden.T @ grad", "hidden.T @ grad / len(grad)"), AGAIN),
        Wrong("second: bias as it is", ("grad.sum(axis=0)", "grad"), "The bias was stretched over all pictures, so its gradient is the sum over them: sum(axis=0)."),
        Wrong("second: along the other axis", ("grad.sum(axis=0)", "grad.sum(axis=1)"), "This sums over the digits. Sum over the pictures: axis=0."),
        Wrong("second: the mean", ("grad.sum(axis=0)", "grad.mean(axis=0)"), "The mean over the pictures is in grad already. Take the sum."),
        Wrong("second: a column", ("grad.sum(axis=0)", "grad.sum(axis=0, keepdims=True)"), "The axis of the pictures is still there, with size 1. A bias has one axis."),
        Wrong("second: one number", ("grad.sum(axis=0)", "grad.sum()"), "This sums over everything. Each neuron has its own bias: axis=0."),
        Wrong("first: transposed", ("x.T @ before", "before.T @ x"), "This is the transpose. A gradient has the shape of its Tensor: x.T @ before."),
        Wrong("first: no tanh", (" * (1 - hidden**2)", ""), "The step back through tanh is missing: multiply by 1 - hidden**2."),
        Wrong("first: no square", ("hidden**2", "hidden"), "The slope of tanh is 1 - hidden**2, with a square."),
        Wrong("first: not taken from 1", ("(1 - hidden**2)", "hidden**2"), "The slope of tanh is 1 - hidden**2."),
        Wrong("first: tanh twice", ("hidden**2", "np.tanh(hidden)**2"), "hidden is the result of tanh already. Its slope is 1 - hidden**2, without another tanh."),
        Wrong("first: divided", ("x.T @ before", "x.T @ before / len(x)"), AGAIN),
        Wrong("scores: half", (SCORES, f"{SCORES} / 2")),
        Wrong("scores: always ten digits", ("np.eye(p.shape[1])", "np.eye(10)"), holds="take their number from probabilities.shape[1]"),
        Wrong("scores: in place", (SCORES, "p[np.arange(n), t] -= 1; p /= n; return p"), holds="belong to the caller"),
        Wrong("scores: printed", (SCORES, "print((p - hot) / n)"), holds=PRINTS),
        Wrong("scores: one argument", ("def of_scores(p, t):", "of_scores = lambda p: p\ndef other(p, t):"), holds="hands over 2 arguments"),
        Wrong("scores: of one picture only", (SCORES, "return np.array([[0.5, -0.75, 0.25]])"), holds="Each score has its gradient"),
        Wrong("second: one result", (SECOND, "hidden.T @ grad"), holds="one array of shape (3, 2)"),
        Wrong("second: swapped", (SECOND, "grad.sum(axis=0), hidden.T @ grad"), holds="The two are swapped"),
        Wrong("second: the other way", ("hidden.T @ grad", "hidden @ grad"), holds="two shapes do not fit"),
        Wrong("second: a quarter", ("hidden.T @ grad", "hidden.T @ grad / 4"), holds="Go back one operation at a time."),
        Wrong("second: a quarter of the bias", ("grad.sum(axis=0)", "grad.sum(axis=0) / 4"), holds="Sum over the pictures."),
        Wrong("first: W2 not turned", ("W2.T", "W2"), holds="two shapes do not fit"),
        Wrong("first: bias as it is", ("before.sum(axis=0)", "before"), holds="stretched over all pictures"),
    ),
    otherwise="For one picture it is the probabilities, minus 1 at the target.",
    hints=(
        "Start with the table of the smallest network: probabilities [0.5, 0.25, 0.25], target 1, gradient [0.5, -0.75, 0.25]. Work on a copy, and divide by the number of pictures.",
        "For z = x @ y the rules are grad @ y.T for x and x.T @ grad for y. A bias was stretched over the pictures, so its gradient is summed over them. The slope of tanh is 1 - hidden**2.",
        "of_scores: gradient = probabilities.copy(), gradient[np.arange(len(targets)), targets] -= 1, return gradient / len(targets). of_second: return hidden.T @ grad, grad.sum(axis=0). of_first: before = grad @ W2.T * (1 - hidden**2), return x.T @ before, before.sum(axis=0).",
    ),
)
SCORE_CASES = (
    (np.array([[0.5, 0.25, 0.25]]), np.array([1])),
    (np.array([[0.5, 0.25, 0.25], [0.2, 0.2, 0.6]]), np.array([1, 2])),
    (np.array([[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1], [0.25, 0.25, 0.3, 0.2]]), np.array([3, 3, 0])),
)
DIGITS = Stop(ValueError, "{said} stopped with ValueError: {error}. Here the rows have {case} digits: take their number from probabilities.shape[1].")  # fmt: skip
SHAPES = Stop(ValueError, "In {said} two shapes do not fit. For z = x @ y the gradients are grad @ y.T and x.T @ grad.")  # fmt: skip

# Two pictures of four pixels, three neurons, two digits: all sizes differ, so no wrong one fits by accident.
X = np.array([[1.0, 0, 0.5, 2], [0, 1, 1, -1]])
HIDDEN = np.array([[0.5, -0.5, 0], [0.25, 0, 0.75]])
W2 = np.array([[1.0, -1], [0.5, 2], [-2, 1]])
GRAD = np.array([[0.5, -0.25], [-0.125, 0.25]])


@WALK.judged
def walk(of_scores, of_second, of_first):
    """Judge the three steps in their order, each with arrays of its own."""
    for probabilities, digits in SCORE_CASES:
        judge_scores(of_scores, probabilities, digits)
    try:
        judge_pair(of_second, 1, "of_second(hidden, grad)", (HIDDEN, GRAD), GRAD)
    except NotYet as stub:
        raise NotYet(f"of_scores is right. {stub}") from None
    try:
        before = GRAD @ W2.T * (1 - HIDDEN**2)
        judge_pair(of_first, 2, "of_first(x, hidden, W2, grad)", (X, HIDDEN, W2, GRAD), before)
    except NotYet as stub:
        raise NotYet(f"of_scores and of_second are right. {stub}") from None
    return "This is the whole walk back of the network, in three steps and without a graph."


def judge_scores(function, probabilities, digits):
    """Judge the gradient of the scores for one table of probabilities."""
    said = f"of_scores({listed(probabilities, 3)}, {digits.tolist()})"
    given = probabilities.copy()
    with advice(DIGITS, said=said, case=probabilities.shape[1]):
        found = array(call(function, given, digits.copy(), said=said), f"{said} gave")
    right = WALK.answer()[0](probabilities, digits)
    if found.shape != right.shape:
        raise Mistake(
            f"{said} has the shape {found.shape}. Each score has its gradient, so it should be "
            f"{right.shape}, as the probabilities are."
        )
    if not same(found, right):
        why = WALK.why(lambda wrong: same(found, outcome(wrong[0], probabilities.copy(), digits)))
        raise Mistake(f"{said} is {listed(right, 3)}, and yours gives {listed(found, 3)}. {why}")
    if not same(given, probabilities):
        raise Mistake(
            f"{said} is right, but the probabilities that came in are {listed(given, 3)} afterwards. They "
            "belong to the caller. Work on a copy."
        )


def pair(function, said, inputs):
    """The two gradients that a reader's function gives."""
    with advice(SHAPES, said=said):
        given = call(function, *map(np.copy, inputs), said=said)
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        yours = f"one array of shape {given.shape}" if isinstance(given, np.ndarray) else f"{given!r:.60}"
        raise Mistake(f"{said} returns two gradients, `return ..., ...`, and yours gives {yours}.")
    if any(part is None for part in given):
        words = " and ".join("None" if part is None else "an array" for part in given)
        raise NotYet(f"{said} gave {words}.")
    return [array(part, f"{said}, the {which} result is") for part, which in zip(given, ("first", "second"))]


def judge_pair(function, layer, said, inputs, before):
    """Judge the gradients of a layer's weights and bias, which come as a pair. ``before`` is what arrives at
    the bias."""
    (found, found_bias), (right, bias) = pair(function, said, inputs), WALK.answer()[layer](*inputs)
    W, b = f"W{3 - layer}", f"b{3 - layer}"
    if not same(found, right):
        otherwise, words = "", f"has the shape {found.shape}, and {W} has {right.shape}."
        if found.shape == right.shape:
            otherwise = "Go back one operation at a time."
            words = f"is {listed(right, 3)}, and yours is {listed(found, 3)}."
        elif found.ndim == 1 and found_bias.shape == right.shape:
            otherwise = f"The two are swapped: that of {W} comes first."
        why = WALK.why(lambda wrong: same(found, outcome(wrong[layer], *inputs)[0]), otherwise=otherwise)
        raise Mistake(f"{said}: the gradient of {W} {words} {why}".rstrip())
    if not same(found_bias, bias):
        otherwise, yours = "Sum over the pictures.", listed(found_bias, 3)
        why = WALK.why(lambda wrong: same(found_bias, outcome(wrong[1], HIDDEN, before)[1]), otherwise=otherwise)
        raise Mistake(f"{said}: the gradient of {b} is {listed(bias, 3)}, and yours is {yours}. {why}")
