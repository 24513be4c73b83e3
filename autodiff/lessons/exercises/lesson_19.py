"""The exercises of lesson 19: the surprise at a logit of -1000, binary cross-entropy of a list, and the
gradient of cross-entropy with a temperature."""

import math

import numpy as np

import autodiff as ad

from ..checking import Mistake, exercise, number, result
from .shared import array, kind_of, listed, one_hot_rows, same, softmax_rows

NUMBERS = "Numbers are asked for."
BASE_10 = "That is by the logarithm to base 10. Here log undoes exp."


# -- in class: very sure, and wrong -------------------------------------------------------------------------


@exercise(
    "19 sure",
    "Beside exp(1000) the 1 does not count. So the chance is 1 / exp(1000), very nearly.",
    "1 / exp(1000) is exp(-1000). The surprise is minus its logarithm, and log undoes exp.",
    "-log(exp(-1000)) is 1000.",
)
def sure(guess):
    """Judge the predicted surprise at a yes when the logit is -1000."""
    found = number(guess)
    if math.isinf(found) or math.isnan(found):
        raise Mistake(
            "That is what a computer says on a bad day. The chance is tiny, but it is not 0, and its "
            "logarithm is a finite number."
        )
    if abs(found - 1000) > 0.01:
        kinds = {
            -1000.0: "That is the logarithm of the chance. The surprise is minus that.",
            1.0: "1 is how far the chance is from 1, or the squared distance. The surprise grows further.",
            0.0: "0 is the surprise of what was sure. This was sure of the opposite.",
            0.693: "That is the surprise at a chance of one half, logit 0.",
            6.908: "That is log(1000). The chance is not 1/1000: it is 1 / exp(1000).",
            434.0: BASE_10,
            434.294: BASE_10,
            100.0: "A floor of -100 under the logarithm gives that, and it is a patch.",
            27.631: "A floor of 1e-12 under the chance gives that. The true chance is far below.",
        }
        unknown = "The chance is exp(-1000), very nearly. What does log make of exp(-1000)?"
        raise Mistake(f"It is not {found:.6g}. {kinds.get(round(found, 3), unknown)}")
    return "A chance that no computer can hold, and its logarithm is a plain number."


# -- at home: yes or no -------------------------------------------------------------------------------------

SMALL = np.array([[0.5, -1.0, 2.0], [-3.0, 0.25, 1.0]])
SMALL_TRUTH = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
LARGE = np.array([-1000.0, 1000.0, -1000.0, 1000.0])
LARGE_TRUTH = np.array([1.0, 1.0, 0.0, 0.0])
ABOVE = np.array([[1.0, 10.0, -2.0], [3.0, 0.5, 4.0]])  # a gradient for the walk back


def softplus(x):
    """The logarithm of 1 + exp(x), by NumPy."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def surprise(x, t):
    """The right answer, by NumPy."""
    return softplus(-x) * t + softplus(x) * (1 - t)


def sigmoid(x):
    """The probability of a yes, by NumPy."""
    return 1 / (1 + np.exp(-x))


OVER_ALL = "The sum runs over all logits. Each of them has a log-sum-exp of its own, of 0 and itself."
YES_NO_KINDS = (
    (
        lambda x, t: surprise(x, 1 - t),
        "Yes and no have changed places: a 1 in targets is a yes, whose score is x.",
    ),
    (lambda x, t: -surprise(x, t), "The sign is turned: a surprise is never below 0."),
    (
        lambda x, t: softplus(x),
        "That is log-sum-exp alone. The score of what is true is still to be taken off.",
    ),
    (lambda x, t: softplus(x) + t * x, "The score of what is true is taken off, and not added."),
    (lambda x, t: softplus(x) - x, "The score of a no is 0, not x. Take off targets * x."),
    (lambda x, t: softplus(x) - t, "Take off targets * logits, and not the targets themselves."),
    (lambda x, t: np.log(x.size + np.exp(x).sum()) - t * x, OVER_ALL),
    (lambda x, t: np.log(np.exp(x).sum()) - t * x, OVER_ALL),
    (lambda x, t: softplus(-x) * t, "Where the truth is no, you say 0. A no can surprise, too."),
    (lambda x, t: softplus(x) * (1 - t), "Where the truth is yes, you say 0. A yes can surprise, too."),
    (lambda x, t: (sigmoid(x) - t) ** 2, "That is the squared distance. The surprise is asked for."),
    (lambda x, t: sigmoid(x) - t, "That is the gradient. The surprise is asked for."),
    "Log-sum-exp of 0 and x, less x where the truth is yes, and less 0 where it is no.",
)


def judge_surprises(function, logits, truth):
    """Judge the reader's surprises: first their numbers, then whether they were recorded."""
    said = f"yes_no(Tensor({listed(logits, 3)}), {listed(truth, 3)})"
    given = result(function, ad.Tensor(logits), truth.copy(), said=said)
    found, right = array(given, f"{said} gave", NUMBERS), surprise(logits, truth)
    if found.shape != right.shape:
        raise Mistake(
            f"{said} has the shape {found.shape}. Each logit has its surprise, so it should be "
            f"{right.shape}: no sum and no mean."
        )
    if not np.isfinite(found).all():
        raise Mistake(
            f"{said} gives {listed(found, 3)}. Somewhere the exp of a large number was taken, or the "
            "logarithm of a chance that had become 0. Stay with the logits."
        )
    if not same(found, right):
        kind = kind_of(found, YES_NO_KINDS, logits, truth)
        if (
            same(np.minimum(found, 110), np.minimum(right, found.max()))
            and 0 < found.max() < 110 < right.max()
        ):
            kind = "There is a floor under the chance. It hides how wrong an answer is, and its slope is 0."
        raise Mistake(f"{said} gives {listed(found, 3)}, and right is {listed(right, 3)}. {kind}")
    if not (isinstance(given, ad.Tensor) and given.requires_grad):
        raise Mistake(
            f"{said} gives the right numbers, but nothing was recorded, so no gradient can walk back. "
            "Compute with the Tensor itself and the package's operations."
        )


@exercise(
    "19 yesno",
    "For a yes the surprise is log-sum-exp(0, x) - x, and for a no it is log-sum-exp(0, x) - 0. With targets "
    "of 1 and 0 that is one formula.",
    "Less targets * logits. And log-sum-exp(0, x) is max(0, x) + log(1 + exp(-|x|)), in which no exp is "
    "taken of anything above 0.",
    "ad.maximum(logits, 0) + ad.log1p(ad.exp(-ad.abs(logits))) - targets * logits",
)
def yes_no(function):
    """Judge the surprises at yes and no, also for logits of +-1000, and their gradient."""
    for logits, truth in ((SMALL, SMALL_TRUTH), (LARGE, LARGE_TRUTH)):
        judge_surprises(function, logits, truth)
    for logits, truth, above in ((SMALL, SMALL_TRUTH, ABOVE), (LARGE, LARGE_TRUTH, np.array([1.0, 2, 3, 4]))):
        leaf = ad.Tensor(logits)
        function(leaf, truth).backward(above)
        grad = np.zeros_like(logits) if leaf.grad is None else leaf.grad
        found = array(grad, "the walk back gave", NUMBERS)
        with np.errstate(over="ignore"):
            right = above * (sigmoid(logits) - truth)
        if not same(found, right):
            raise Mistake(
                f"The surprises at {listed(logits, 3)} are right, and their gradient is not: "
                f"{listed(found, 3)}, and right is {listed(right, 3)}. Is something taken from .data on the "
                "way, or does an inf wait in a branch that is not used?"
            )
    return "1000 or 0 where the naive formula said inf and nan, and a gradient that is never lost."


# -- at home: a temperature ---------------------------------------------------------------------------------

CASES = (
    (np.array([[2.0, 1, 0]]), np.array([1]), 2.0),
    (np.array([[2.0, 1, 0], [0, 3, 1]]), np.array([1, 2]), 4.0),
    (np.array([[1.0, -1, 0.5, 0], [0, 3, 1, 2], [1, 1, 2, 0]]), np.array([3, 3, 0]), 0.5),
    (np.array([[1000.0, 0, -1000], [1000, 1000, 0]]), np.array([1, 0]), 0.5),
)


def asked(scores, targets, T):
    """The right answer."""
    return (softmax_rows(scores / T) - one_hot_rows(scores, targets)) / T / len(scores)


FACTOR = "The factor 1/T is missing: the scores are divided by T on the way there, and that is a local slope."
TEMPERATURE_KINDS = (
    (lambda s, t, T: asked(s, t, T) * T, FACTOR),
    (lambda s, t, T: asked(s, t, T) * T * len(s), f"{FACTOR} And the loss is a mean."),
    (lambda s, t, T: asked(s, t, T) * T * T, "You multiply by T. The local slope of a division by T is 1/T."),
    (lambda s, t, T: asked(s, t, T) * len(s), "The loss is a mean: each example has its share of it only."),
    (lambda s, t, T: -asked(s, t, T), "The sign is turned: the loss falls as the right score rises."),
    (
        lambda s, t, T: (softmax_rows(s) - one_hot_rows(s, t)) / T / len(s),
        "The softmax is that of the scores themselves. Divide them by T before it.",
    ),
    (
        lambda s, t, T: (softmax_rows(s) - one_hot_rows(s, t)) / len(s),
        "The temperature does nothing in yours. Divide the scores by it.",
    ),
    (
        lambda s, t, T: (s / T - one_hot_rows(s, t)) / T / len(s),
        "The softmax was left out: those are the scores, less one-hot.",
    ),
    (
        lambda s, t, T: (softmax_rows(s * T) - one_hot_rows(s, t)) * T / len(s),
        "The scores were multiplied by T. They are divided by it.",
    ),
    (
        lambda s, t, T: (softmax_rows(s / T) - 1) / T / len(s),
        "You take 1 off everywhere. It is taken off only at the right place of each row.",
    ),
    (
        lambda s, t, T: (np.exp(s / T) / np.exp(s / T).sum() - one_hot_rows(s, t)) / T / len(s),
        "The softmax is taken over the whole table. The chances of each row add up to 1.",
    ),
    (lambda s, t, T: softmax_rows(s / T), "Those are the chances. What is taken off at the right places?"),
    (
        lambda s, t, T: asked(s, t, T) * len(s) / s.shape[1],
        "You divide by the number of classes. The mean was taken over the examples.",
    ),
    "Compute nn.cross_entropy(Tensor(scores), targets, temperature=T), walk back, and compare.",
)


@exercise(
    "19 temperature",
    "Call x = scores / T. You know the gradient of x: softmax less one-hot, shared out among the rows. How "
    "does x move when a score moves?",
    "By 1/T. So it is (softmax(scores / T) - one_hot) / T / n. Take each row's largest off before exp.",
    "below = scores / T - (scores / T).max(axis=1, keepdims=True); chances from np.exp(below), by rows; "
    "(chances - np.eye(scores.shape[1])[targets]) / T / len(scores)",
)
def temperature(function):
    """Judge the gradient of the scores with a temperature, also for large scores."""
    for scores, targets, T in CASES:
        said = f"score_gradient({listed(scores, 3)}, {targets.tolist()}, {T:g})"
        given = scores.copy()
        with np.errstate(all="ignore"):
            answer = result(function, given, targets.copy(), T, said=said)
        found, right = array(answer, f"{said} gave", NUMBERS), asked(scores, targets, T)
        if found.shape != right.shape:
            raise Mistake(f"{said} has the shape {found.shape}. Each score has its gradient: {right.shape}.")
        if not np.isfinite(found).all():
            raise Mistake(
                f"{said} gives {listed(found, 3)}: exp was taken of something too large. Take the largest of "
                "each row off first."
            )
        if not same(found, right):
            kind = kind_of(found, TEMPERATURE_KINDS, scores, targets, T)
            raise Mistake(f"{said} gives {listed(found, 3)}, and right is {listed(right, 3)}. {kind}")
        if not same(given, scores):
            raise Mistake(f"{said} is right, but the scores that came in were changed. Work on a copy.")
    return "What it said less what is true, by 1/T, and no walk back was needed."
