"""The exercises of lesson 19: a loss beyond the reach of probabilities, the loss of a yes or no in two steps,
and the gradient of the cross-entropy with a temperature."""

import math

import numpy as np

from ..checking import Mistake, exercise, number
from .calling import call, check_own_work, names_of
from .shared import array, kind_of, listed, one_hot_rows, same, softmax_rows

NUMBERS = "Numbers are asked for."
BASE_10 = "That is the logarithm to base 10. Here log undoes exp."


# -- very sure, and wrong -----------------------------------------------------------------------------------

SURE_KINDS = {
    -1000.0: "That is the logarithm of the probability. The loss is minus that.",
    1.0: "1 is how far the probability is from 1, and the squared distance, too. This loss can be larger.",
    0.0: "0 would be the loss if the second class were right.",
    0.693: "That is the loss for two equal scores.",
    6.908: "That is log(1000). The probability is not 1/1000: it is 1 / exp(1000).",
    434.0: BASE_10,
    434.294: BASE_10,
    100.0: "A floor of -100 under the logarithm gives that. The true loss is larger.",
    27.631: "A floor of 1e-12 under the probability gives that. The true probability is far below.",
}


@exercise(
    "19 sure",
    "Beside exp(1000), the exp(0) does not count. So the probability is exp(0) / exp(1000), very nearly.",
    "exp(0) / exp(1000) is exp(-1000). The loss is minus its logarithm, and log undoes exp.",
    "-log(exp(-1000)) is 1000.",
)
def sure(guess):
    """Judge the predicted loss at the scores 0 and 1000, of which the first is right."""
    found = number(guess)
    if math.isinf(found) or math.isnan(found):
        raise Mistake(
            "The probability is tiny, but it is not 0, and its logarithm is a finite number. Work it out by "
            "hand."
        )
    if abs(found - 1000) > 0.01:
        unknown = "The probability is exp(-1000), very nearly. What does log make of exp(-1000)?"
        raise Mistake(f"It is not {found:.6g}. {SURE_KINDS.get(round(found, 3), unknown)}")
    return "As a float this probability is 0, but its logarithm is an ordinary number."


# -- yes or no, step one: softplus --------------------------------------------------------------------------

SMALL = np.array([[0.5, -1.0, 2.0], [-3.0, 0.25, 1.0]])
SMALL_TRUTH = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
LARGE = np.array([-1000.0, 1000.0, -1000.0, 1000.0])
LARGE_TRUTH = np.array([1.0, 1.0, 0.0, 0.0])
ZERO, YES = np.array([0.0]), np.array([1.0])


def softplus_of(x):
    """The logarithm of 1 + exp(x), by NumPy."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def sigmoid_of(x):
    """The probability of a yes, by NumPy."""
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-x))


SOFTPLUS_KINDS = (
    (lambda x: np.log(1 + np.exp(x)).sum(), "There is one number for each x: no sum over all of them."),
    (lambda x: np.maximum(x, 0), "That is the larger of 0 and x. The logarithm is still to come."),
    (np.exp, "That is exp(x). Add 1 and take the logarithm."),
    (sigmoid_of, "That is the sigmoid. It is the slope of softplus."),
    (lambda x: softplus_of(-x), "That is softplus of -x: the sign of x is wrong."),
    (lambda x: softplus_of(x) - np.maximum(x, 0), "What was taken out is missing: add it back."),
    "Take m, the larger of 0 and x, out: m + log(exp(-m) + exp(x - m)).",
)


def judge_values(said, given, right, kinds, *inputs):
    """Judge the numbers of what the reader's function gave."""
    found = array(given, f"{said} gave", NUMBERS)
    if found.shape != right.shape:
        wanted = f"the shape {right.shape}" if right.shape else "a single number"
        raise Mistake(f"{said} has the shape {found.shape}, and {wanted} is asked for.")
    if not np.isfinite(found).all():
        raise Mistake(
            f"{said} gives {listed(found, 3)}; it should be {listed(right, 3)}. The exp of a large number "
            "was taken, or the logarithm of 0. Take the larger of 0 and x out first."
        )
    if not same(found, right):
        kind = kind_of(found, kinds, *inputs)
        raise Mistake(f"{said} gives {listed(found, 3)}; it should be {listed(right, 3)}. {kind}")


def judge_gradient(said, names, leaf, given, right):
    """Judge the gradient that comes back to the leaf. Of a function with many results it is that of their
    sum."""
    if not isinstance(given, names["Tensor"]):
        raise Mistake(f"{said} gives the right numbers, but not a Tensor, so no walk back can begin there.")
    with np.errstate(all="ignore"):
        names["backward"](given)
    found = np.zeros_like(right) if leaf.grad is None else array(leaf.grad, "the walk back gave", NUMBERS)
    if same(found, right):
        return
    why = "Did you take .data of something that should stay a Tensor?"
    if not np.isfinite(found).all():
        why = "Somewhere an exp is infinite, although the result is not."
    elif leaf.data.size == 1 and same(leaf.data, [0.0]):
        why = (
            "relu(x) and relu(-x) both have the slope 0 at 0. Take the larger of 0 and x as a plain "
            "number, np.maximum(x.data, 0): it needs no gradient."
        )
    raise Mistake(
        f"{said} is right, and its gradient is not: {listed(found, 3)}; it should be {listed(right, 3)}. "
        f"{why}"
    )


@exercise(
    "19 softplus",
    "It is log-sum-exp of two scores, 0 and x. Take the larger of the two out, as log_softmax does.",
    "m = np.maximum(x.data, 0) is a plain array. exp(0) becomes exp(-m), and exp(x) becomes exp(x - m).",
    "m + log(np.exp(-m) + exp(x - m)), with m = np.maximum(x.data, 0)",
)
def softplus(function):
    """Judge softplus: its numbers, its shape and its gradient, also far out and at 0."""
    names = names_of(function, 19)
    for x in (SMALL, LARGE, ZERO):
        leaf, said = names["Tensor"](x.copy()), f"softplus(Tensor({listed(x, 3)}))"
        with np.errstate(all="ignore"):
            given = call(function, leaf, said=said)
            judge_values(said, given, softplus_of(x), SOFTPLUS_KINDS, x)
        judge_gradient(said, names, leaf, given, sigmoid_of(x))
    return "It holds at 1000, at -1000 and at 0, and its slope is the sigmoid."


# -- yes or no, step two ------------------------------------------------------------------------------------


def loss_of(x, t):
    """The right answer, by NumPy."""
    return np.mean(softplus_of(x) - t * x)


YES_NO_KINDS = (
    (lambda x, t: loss_of(x, t) * x.size, "That is the sum. The mean is asked for."),
    (lambda x, t: loss_of(x, 1 - t), "Yes and no have changed places: a 1 in targets is a yes."),
    (lambda x, t: -loss_of(x, t), "The sign is wrong: this loss is never below 0."),
    (lambda x, t: softplus_of(x).mean(), "The score of the right answer is still to be subtracted."),
    (lambda x, t: (softplus_of(x) + t * x).mean(), "Subtract the score of the right answer."),
    (lambda x, t: (softplus_of(x) - x).mean(), "The score of a no is 0, not x. Subtract targets * x."),
    (lambda x, t: (softplus_of(x) - t).mean(), "Subtract targets * logits, not the targets themselves."),
    (lambda x, t: (softplus_of(-x) * t).mean(), "Where no is right, your loss is 0. A no can be wrong, too."),
    (lambda x, t: (softplus_of(x) * (1 - t)).mean(), "Where yes is right, your loss is 0."),
    (lambda x, t: np.mean((sigmoid_of(x) - t) ** 2), "That is the squared error."),
    "softplus of the logit, minus the logit where yes is right. Then the mean.",
)


@exercise(
    "19 yesno",
    "For a yes the loss is softplus(x) - x, and for a no it is softplus(x) - 0. With targets of 1 and 0 that "
    "is one formula.",
    "(softplus(logits) - targets * logits).mean()",
)
def yes_no(function):
    """Judge the mean loss of yes and no, also for logits of +-1000 and 0, and its gradient."""
    names = names_of(function, 19)
    for x, truth in ((SMALL, SMALL_TRUTH), (LARGE, LARGE_TRUTH), (ZERO, YES)):
        leaf, said = names["Tensor"](x.copy()), f"yes_no(Tensor({listed(x, 3)}), {listed(truth, 3)})"
        with np.errstate(all="ignore"):
            given = call(function, leaf, truth.copy(), said=said)
            judge_values(said, given, loss_of(x, truth), YES_NO_KINDS, x, truth)
        judge_gradient(said, names, leaf, given, (sigmoid_of(x) - truth) / x.size)
    return "Its gradient is the probability of a yes, minus 1 or 0, as with softmax."


# -- a temperature -------------------------------------------------------------------------------------------

CASES = (
    (np.array([[2.0, 1, 0]]), np.array([1]), 2.0),
    (np.array([[2.0, 1, 0], [0, 3, 1]]), np.array([1, 2]), 4.0),
    (np.array([[1.0, -1, 0.5, 0], [0, 3, 1, 2], [1, 1, 2, 0]]), np.array([3, 3, 0]), 0.5),
    (np.array([[1000.0, 0, -1000], [1000, 1000, 0]]), np.array([1, 0]), 0.5),
    (np.array([[1000.0, 0, 0], [0, 1, 2]]), np.array([0, 1]), 1.0),
)


def asked(scores, targets, T):
    """The right answer."""
    return (softmax_rows(scores / T) - one_hot_rows(scores, targets)) / T / len(scores)


FACTOR = "The factor 1/T is missing: the forward divides the scores by T, and the local slope of that is 1/T."
TEMPERATURE_KINDS = (
    (lambda s, t, T: asked(s, t, T) * T, FACTOR),
    (lambda s, t, T: asked(s, t, T) * T * len(s), f"{FACTOR} And the loss is a mean."),
    (lambda s, t, T: asked(s, t, T) * T * T, "You multiply by T. The local slope of a division by T is 1/T."),
    (lambda s, t, T: asked(s, t, T) * len(s), "The loss is a mean: divide by the number of rows."),
    (lambda s, t, T: -asked(s, t, T), "The sign is wrong: the loss falls as the right score rises."),
    (
        lambda s, t, T: (softmax_rows(s) - one_hot_rows(s, t)) / T / len(s),
        "The softmax is that of the scores themselves. Divide them by T before it.",
    ),
    (
        lambda s, t, T: (softmax_rows(s) - one_hot_rows(s, t)) / len(s),
        "You do not use the temperature. Divide the scores by it.",
    ),
    (
        lambda s, t, T: (s / T - one_hot_rows(s, t)) / T / len(s),
        "The softmax was left out: those are the scores, minus one-hot.",
    ),
    (
        lambda s, t, T: (softmax_rows(s * T) - one_hot_rows(s, t)) * T / len(s),
        "The scores were multiplied by T. They are divided by it.",
    ),
    (
        lambda s, t, T: (softmax_rows(s / T) - 1) / T / len(s),
        "You subtract 1 everywhere. Subtract it only at the right place of each row.",
    ),
    (
        lambda s, t, T: (np.exp(s / T) / np.exp(s / T).sum() - one_hot_rows(s, t)) / T / len(s),
        "The softmax is taken over the whole table. The probabilities of each row add up to 1.",
    ),
    (
        lambda s, t, T: softmax_rows(s / T),
        "Those are the probabilities. Subtract 1 at the right place of each row.",
    ),
    (
        lambda s, t, T: asked(s, t, T) * len(s) / s.shape[1],
        "You divide by the number of classes. The mean was taken over the examples.",
    ),
    "Compare with what a walk back gives for softmax_cross_entropy(Tensor(scores) / T, targets).",
)


@exercise(
    "19 temperature",
    "Call x = scores / T. You know the gradient of x: softmax minus one-hot, divided by the number of rows. "
    "How does x move when a score moves?",
    "By 1/T. So it is (softmax(scores / T) - one_hot) / T / n.",
    "(softmax(scores / T) - np.eye(scores.shape[1])[targets]) / T / len(scores)",
)
def temperature(function):
    """Judge the gradient of the scores with a temperature, also for large scores."""
    walks = {"backward", "gradients", "grad", "jvp", "cross_entropy", "softmax_cross_entropy", "nn"}
    check_own_work(function, walks, "Write the gradient yourself, without a walk back.")
    for scores, targets, T in CASES:
        said = f"score_gradient({listed(scores, 3)}, {targets.tolist()}, {T:g})"
        given = scores.copy()
        try:
            with np.errstate(all="ignore"):
                answer = call(function, given, targets.copy(), T, said=said)
        except IndexError as error:
            raise Mistake(
                f"{said} stops with IndexError: {error}. Not every table has three columns: their number is "
                "scores.shape[1]."
            ) from None
        found, right = array(answer, f"{said} gave", NUMBERS), asked(scores, targets, T)
        if found.shape != right.shape:
            raise Mistake(f"{said} has the shape {found.shape}. Each score has its gradient: {right.shape}.")
        if not np.isfinite(found).all():
            raise Mistake(
                f"{said} gives {listed(found, 3)}: an exp was too large, or all powers of a row became "
                "0. First subtract from each row its own largest score."
            )
        if not same(found, right):
            kind = kind_of(found, TEMPERATURE_KINDS, scores, targets, T)
            raise Mistake(f"{said} gives {listed(found, 3)}; it should be {listed(right, 3)}. {kind}")
        if not same(given, scores):
            raise Mistake(f"{said} is right, but it changes the scores that were passed in. Work on a copy.")
    return "It is softmax minus one-hot, times 1/T, and no walk back was needed."
