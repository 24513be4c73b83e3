"""The exercises of lesson 13: accuracy on the digits of unknown writers, and the whole walk back by hand."""

import numpy as np

from ..checking import Mistake, NotYet, exercise, number
from .calling import call
from .shared import array, kind_of, listed, one_hot_rows, same

# -- other hands --------------------------------------------------------------------------------------------

OTHER_HANDS = 464  # of 500; a prediction may be off by 20


@exercise(
    "13 hands",
    "With shuffled pictures, every writer's pictures are on both sides. What can a network learn from them "
    "besides digits?",
    "Everybody has a way of writing a 1 or a 9, and a network that has seen it reads it better. So the "
    "number will be below 491. But a 3 is mostly a 3.",
    "A little above nine out of ten: 460, say.",
)
def hands(guess):
    """Judge the predicted count, which is lower than on known writers, but far from chance."""
    found = number(guess)
    if not 0 <= found <= 500:
        raise Mistake(f"It is a count out of 500, and {found:.6g} cannot be one.")
    if 0 < found < 1:
        raise Mistake("It is a count out of 500, not a share.")
    if found > OTHER_HANDS + 20:
        raise Mistake(
            f"{found:.6g} would be about as many as with shuffled pictures, but there are fewer. Now it is "
            "not only the pictures that are new; so are most of the hands."
        )
    if found <= 60:
        raise Mistake("50 would be blind guessing among ten digits. It has learned more than that.")
    if found <= 100:
        raise Mistake("It is a count out of 500, not per cent.")
    if found < OTHER_HANDS - 20:
        raise Mistake(
            f"It is not as bad as {found:.6g}. A new hand writes its digits a little "
            "differently, and most of them much the same."
        )
    return "Fewer than 491: some of what it has learned is hands."


# -- the whole walk by hand ---------------------------------------------------------------------------------

SCORE_CASES = (
    (np.array([[0.5, 0.25, 0.25]]), np.array([1])),
    (np.array([[0.5, 0.25, 0.25], [0.2, 0.2, 0.6]]), np.array([1, 2])),
    (np.array([[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1], [0.25, 0.25, 0.3, 0.2]]), np.array([3, 3, 0])),
)


def listed_columns(probabilities, digits):
    """The result of ``probabilities[:, digits] -= 1``, divided by the number of pictures."""
    changed = probabilities.copy()
    changed[:, digits] -= 1
    return changed / len(digits)


TURNED = "The sign is wrong: the loss falls when the score of the target rises."
PAIRS = (
    "1 was subtracted in all listed columns of every row: [:, targets] does that. Two lists pick in pairs: "
    "[np.arange(n), targets]."
)
OF_PROBABILITIES = "This is the gradient of the probabilities. Softmax lies between them and the scores."
SCORE_KINDS = (
    (
        lambda p, d: p - one_hot_rows(p, d),
        "The loss is a mean over the pictures. Divide by their number.",
    ),
    (lambda p, d: (one_hot_rows(p, d) - p) / len(d), TURNED),
    (lambda p, d: one_hot_rows(p, d) - p, TURNED),
    (lambda p, d: p, "These are the probabilities themselves. What is subtracted at the targets?"),
    (lambda p, d: p / len(d), "What is subtracted at the targets?"),
    (listed_columns, PAIRS),
    (lambda p, d: listed_columns(p, d) * len(d), f"{PAIRS} And the loss is a mean: divide."),
    (lambda p, d: -one_hot_rows(p, d) / p / len(d), OF_PROBABILITIES),
    (lambda p, d: -one_hot_rows(p, d) / p, OF_PROBABILITIES),
    (
        lambda p, d: (p - one_hot_rows(p, d)) / p.shape[1],
        "You divide by the number of digits. The mean was taken over the pictures.",
    ),
    (
        lambda p, d: (p - 1) * one_hot_rows(p, d) / len(d),
        "The other digits get a gradient, too: their scores should fall.",
    ),
    (
        lambda p, d: (p - 1) / len(d),
        "1 is subtracted everywhere. Subtract it only at the target of each row.",
    ),
    "For one picture it is the probabilities, minus 1 at the target.",
)

# Two pictures of four pixels, three neurons, two digits: all sizes differ, so no wrong one fits by accident.
X = np.array([[1.0, 0, 0.5, 2], [0, 1, 1, -1]])
HIDDEN = np.array([[0.5, -0.5, 0], [0.25, 0, 0.75]])
W2 = np.array([[1.0, -1], [0.5, 2], [-2, 1]])
GRAD = np.array([[0.5, -0.25], [-0.125, 0.25]])


def through_tanh(grad):
    """The gradient before tanh, from that of the scores."""
    return grad @ W2.T * (1 - HIDDEN**2)


FIRST_KINDS = (
    (
        through_tanh(GRAD).T @ X,
        "This is the transpose. A gradient has the shape of its Tensor: x.T @ before.",
    ),
    (X.T @ (GRAD @ W2.T), "The step back through tanh is missing: multiply by 1 - hidden**2."),
    (X.T @ (GRAD @ W2.T * (1 - HIDDEN)), "The slope of tanh is 1 - hidden**2, with a square."),
    (X.T @ (GRAD @ W2.T * HIDDEN**2), "The slope of tanh is 1 - hidden**2."),
    (
        X.T @ (GRAD @ W2.T * (1 - np.tanh(HIDDEN) ** 2)),
        "hidden is the result of tanh already. Its slope is 1 - hidden**2, without another tanh.",
    ),
    (
        X.T @ through_tanh(GRAD) / len(X),
        "The mean over the pictures is in grad already. Do not divide again.",
    ),
)
SECOND_KINDS = (
    (GRAD.T @ HIDDEN, "This is the transpose. A gradient has the shape of its Tensor: hidden.T @ grad."),
    (HIDDEN.T @ GRAD / len(X), "The mean over the pictures is in grad already. Do not divide again."),
)
BIAS_KINDS = (
    (
        lambda g: g,
        "The bias was stretched over all pictures, so its gradient is the sum over them: sum(axis=0).",
    ),
    (lambda g: g.sum(axis=1), "This sums over the digits. Sum over the pictures: axis=0."),
    (lambda g: g.mean(axis=0), "The mean over the pictures is in grad already. Take the sum."),
    (
        lambda g: g.sum(axis=0, keepdims=True),
        "The axis of the pictures is still there, with size 1. A bias has one axis.",
    ),
    (lambda g: np.asarray(g.sum()), "This sums over everything. Each neuron has its own bias: axis=0."),
)


@exercise(
    "13 walk",
    "Start with the table of the smallest network: probabilities [0.5, 0.25, 0.25], target 1, gradient "
    "[0.5, -0.75, 0.25]. Work on a copy, and divide by the number of pictures.",
    "For z = x @ y the rules are grad @ y.T for x and x.T @ grad for y. A bias was stretched over the "
    "pictures, so its gradient is summed over them. The slope of tanh is 1 - hidden**2.",
    "of_scores: gradient = probabilities.copy(), gradient[np.arange(len(targets)), targets] -= 1, return "
    "gradient / len(targets). of_second: return hidden.T @ grad, grad.sum(axis=0). of_first: before = "
    "grad @ W2.T * (1 - hidden**2), return x.T @ before, before.sum(axis=0).",
)
def walk(of_scores, of_second, of_first):
    """Judge the three steps in their order, each with arrays of its own."""
    for probabilities, digits in SCORE_CASES:
        judge_scores(of_scores, probabilities, digits)
    said = "of_second(hidden, grad)"
    judge_pair(
        of_second,
        said,
        (HIDDEN, GRAD),
        ("W2", HIDDEN.T @ GRAD, SECOND_KINDS),
        ("b2", GRAD),
        "of_scores is right.",
    )
    said, before = "of_first(x, hidden, W2, grad)", through_tanh(GRAD)
    done = "of_scores and of_second are right."
    judge_pair(of_first, said, (X, HIDDEN, W2, GRAD), ("W1", X.T @ before, FIRST_KINDS), ("b1", before), done)
    return "This is the whole walk back of the network, in three steps and without a graph."


def judge_scores(function, probabilities, digits):
    """Judge the gradient of the scores for one table of probabilities."""
    said = f"of_scores({listed(probabilities, 3)}, {digits.tolist()})"
    given = probabilities.copy()
    try:
        found = array(call(function, given, digits.copy(), said=said), f"{said} gave")
    except ValueError as error:
        raise Mistake(
            f"{said} stopped with ValueError: {error}. Here the rows have {probabilities.shape[1]} digits: "
            "take their number from probabilities.shape[1]."
        ) from error
    right = (probabilities - one_hot_rows(probabilities, digits)) / len(digits)
    if found.shape != right.shape:
        raise Mistake(
            f"{said} has the shape {found.shape}. Each score has its gradient, so it should be "
            f"{right.shape}, as the probabilities are."
        )
    if not same(found, right):
        kind = kind_of(found, SCORE_KINDS, probabilities, digits)
        raise Mistake(f"{said} is {listed(right, 3)}, and yours gives {listed(found, 3)}. {kind}")
    if not same(given, probabilities):
        raise Mistake(
            f"{said} is right, but the probabilities that came in are {listed(given, 3)} afterwards. They "
            "belong to the caller. Work on a copy."
        )


def judge_pair(function, said, inputs, weights, bias, done):
    """Judge the gradients of a layer's weights and bias, which come as a pair. ``done`` is what is right
    already."""
    try:
        given = call(function, *(part.copy() for part in inputs), said=said)
    except NotYet as stub:
        raise NotYet(f"{done} {stub}") from None
    except ValueError as error:
        raise Mistake(
            f"In {said} two shapes do not fit. For z = x @ y the gradients are grad @ y.T and x.T @ grad."
        ) from error
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        yours = f"{given!r:.60}"
        if isinstance(given, np.ndarray):
            yours = f"one array of shape {given.shape}"
        raise Mistake(f"{said} returns two gradients, `return ..., ...`, and yours gives {yours}.")
    if any(part is None for part in given):
        raise NotYet(f"{done} {said} gave {listed_or_none(given)}.")
    name, right, kinds = weights
    found = array(given[0], f"{said}, the first result is")
    if found.shape != right.shape:
        words = next((words for wrong, words in kinds if same(found, wrong)), "")
        if found.ndim == 1 and np.shape(given[1]) == right.shape:
            words = f"The two are swapped: that of {name} comes first."
        raise Mistake(
            f"{said}: the gradient of {name} has the shape {found.shape}, and {name} has {right.shape}. "
            f"{words}"
        )
    if not same(found, right):
        words = next(
            (words for wrong, words in kinds if same(found, wrong)), "Go back one operation at a time."
        )
        raise Mistake(
            f"{said}: the gradient of {name} is {listed(right, 3)}, and yours is {listed(found, 3)}. {words}"
        )
    name, before = bias
    found, right = array(given[1], f"{said}, the second result is"), before.sum(axis=0)
    if not same(found, right):
        words = next(
            (words for wrong, words in BIAS_KINDS if same(found, wrong(before))), "Sum over the pictures."
        )
        raise Mistake(
            f"{said}: the gradient of {name} is {listed(right, 3)}, and yours is {listed(found, 3)}. {words}"
        )


def listed_or_none(parts):
    """A pair in which something is None, in words."""
    return " and ".join("None" if part is None else "an array" for part in parts)
