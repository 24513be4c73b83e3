"""The exercises of lesson 19: a loss beyond the reach of probabilities, the loss of a yes or no in two steps,
and the gradient of the cross-entropy with a temperature."""

import functools
import math

import numpy as np

from ..checking import Mistake, number
from .calling import check_own_work, names_of
from .shared import array, listed, same
from .table import PRINTS, Guess, Right, Stop, Task, Wrong, fresh, unchanged

# -- very sure, and wrong -----------------------------------------------------------------------------------

BASE_10 = "That is the logarithm to base 10. Here log undoes exp."


def finite(guess):
    """A reader's number, which is not infinite."""
    found = number(guess)
    if not math.isfinite(found):
        raise Mistake(
            "The probability is tiny, but it is not 0, and its logarithm is a finite number. Work it out by "
            "hand."
        )
    return found


Guess(
    "19 sure",
    right="1000",
    answers=(
        Right("a Tensor", "Tensor(1000.0)"),
        Wrong("no minus", "-1000", "That is the logarithm of the probability. The loss is minus that."),
        Wrong("a distance", "1", "1 is how far the probability is from 1, and the squared distance, too. This loss can be larger."),
        Wrong("for the other class", "0", "0 would be the loss if the second class were right."),
        Wrong("equal scores", "math.log(2)", "That is the loss for two equal scores."),
        Wrong("log of 1000", "math.log(1000)", "That is log(1000). The probability is not 1/1000: it is 1 / exp(1000)."),
        Wrong("base 10, rounded", "434", BASE_10),
        Wrong("base 10", "434.294", BASE_10),
        Wrong("the library's floor", "100", "A floor of -100 under the logarithm gives that. The true loss is larger."),
        Wrong("the floor", "27.631", "A floor of 1e-12 under the probability gives that. The true probability is far below."),
        Wrong("something else", "500"),
        Wrong("inf", "math.inf", holds="not 0"),
        Wrong("nan", "math.nan", holds="not 0"),
        Wrong("a word", "'much'", holds="A number is asked for"),
    ),
    otherwise="The probability is exp(-1000), very nearly. What does log make of exp(-1000)?",
    praise="As a float this probability is 0, but its logarithm is an ordinary number.",
    hints=(
        "Beside exp(1000), the exp(0) does not count. So the probability is exp(0) / exp(1000), very nearly.",
        "exp(0) / exp(1000) is exp(-1000). The loss is minus its logarithm, and log undoes exp.",
        "-log(exp(-1000)) is 1000.",
    ),
    within=0.01,
    near=5e-4,
    message="It is not {found:.6g}. {why}",
    read=finite,
)

# -- yes or no, step one: softplus --------------------------------------------------------------------------


def numbers(answer, said):
    """A reader's answer as an array."""
    return array(answer, f"{said} gave", "Numbers are asked for.")


def few_digits(values):
    """Numbers as a message shows them."""
    return listed(values, 3)


def leaf_first(case, function):
    """The arguments of a case, of which the first is a Tensor of the reader's machine."""
    x, *targets = fresh(case, function)
    return [names_of(function, 19)["Tensor"](x), *targets]


def no_number(found, right, said):
    """Raise Mistake for a loss that is no finite number."""
    if found.shape == right.shape and not np.isfinite(found).all():
        raise Mistake(
            f"{said} gives {listed(found, 3)}; it should be {listed(right, 3)}. The exp of a large number "
            "was taken, or the logarithm of 0. Take the larger of 0 and x out first."
        )


def check_gradient(answer, wanted, inputs, others, said):
    """Judge the gradient that comes back to the leaf. Of a function with many results it is that of their
    sum."""
    leaf, other = inputs[0], others[0]
    if not isinstance(answer, type(leaf)):
        raise Mistake(f"{said} gives the right numbers, but not a Tensor, so no walk back can begin there.")
    with np.errstate(all="ignore"):
        for end in (answer, wanted):
            names_of(type(leaf), 19)["backward"](end)
    found = np.zeros_like(other.grad) if leaf.grad is None else numbers(leaf.grad, "the walk back")
    if same(found, other.grad):
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
        f"{said} is right, and its gradient is not: {listed(found, 3)}; it should be "
        f"{listed(other.grad, 3)}. {why}"
    )


Loss = functools.partial(
    Task,
    inputs=leaf_first,
    read=numbers,
    unequal=no_number,
    shown=few_digits,
    after=check_gradient,
)

SMALL, LARGE = [[0.5, -1.0, 2.0], [-3.0, 0.25, 1.0]], [-1000.0, 1000.0, -1000.0, 1000.0]
LARGER, POWERS = "np.maximum(x.data, 0)", "log(np.exp(-m) + exp(x - m))"

Loss(
    "19 softplus",
    head="softplus(x)",
    right=f"m = {LARGER}\nreturn m + {POWERS}",
    cases=((SMALL,), (LARGE,), ([0.0],)),
    answers=(
        Right("by relu, in both places", ((LARGER, "relu(x)"), ("np.exp", "exp"))),
        Right("an operation", "made = operation('sp', lambda x: np.logaddexp(0, x), lambda g, z, x: g * sigmoid(x))"),
        Wrong("relu", "relu(x)", "That is the larger of 0 and x. The logarithm is still to come."),
        Wrong("exp", "exp(x)", "That is exp(x). Add 1 and take the logarithm."),
        Wrong("the sigmoid", "sigmoid(x)", "That is the sigmoid. It is the slope of softplus."),
        Wrong("the sign", (("x.data", "-x.data"), ("exp(x", "exp(-x")), "That is softplus of -x: the sign of x is wrong."),
        Wrong("not put back", ("m + log", "log"), "What was taken out is missing: add it back."),
        Wrong("the score", "x + 0"),
        Wrong("the formula", "log(1 + exp(x))", holds="Take the larger of 0 and x out"),
        Wrong("by relu, and wrong at 0", "relu(x) + log(1 + exp(-(relu(x) + relu(-x))))", holds="slope 0 at 0"),
        Wrong("NumPy's exp", "log(1 + np.exp(x))", holds="such as np.exp, does not take a Tensor"),
        Wrong("exp as a method", "log(1 + x.exp())", holds="exp is a function of your machine"),
        Wrong("the numbers only", "np.logaddexp(0, x.data)", holds="not a Tensor"),
        Wrong("a new Tensor", "Tensor(np.logaddexp(0, x.data))", holds="its gradient is not"),
        Wrong("one for all", ((LARGER, "np.max(x.data)"), ("exp(x - m)", "exp(x - m).sum()")), holds="the shape ()"),
        Wrong("prints", (f"return m + {POWERS}", f"print(m + {POWERS})"), holds=PRINTS),
    ),
    otherwise="Take m, the larger of 0 and x, out: m + log(exp(-m) + exp(x - m)).",
    praise="It holds at 1000, at -1000 and at 0, and its slope is the sigmoid.",
    hints=(
        "It is log-sum-exp of two scores, 0 and x. Take the larger of the two out, as log_softmax does.",
        "m = np.maximum(x.data, 0) is a plain array. exp(0) becomes exp(-m), and exp(x) becomes exp(x - m).",
        "m + log(np.exp(-m) + exp(x - m)), with m = np.maximum(x.data, 0)",
    ),
    said=lambda case: f"softplus(Tensor({listed(case[0], 3)}))",
    shape="{said} has the shape {found.shape}, and the shape {right.shape} is asked for.",
)

# -- yes or no, step two ------------------------------------------------------------------------------------

EACH = "(softplus(logits) - targets * logits)"

Loss(
    "19 yesno",
    head="yes_no(logits, targets)",
    right=f"def softplus(x):\n    m = {LARGER}\n    return m + {POWERS}\n\nreturn {EACH}.mean()",
    cases=(
        (SMALL, [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]),
        (LARGE, [1.0, 1.0, 0.0, 0.0]),
        ([0.0], [1.0]),
    ),
    answers=(
        Right("by both signs", (EACH, "(targets * softplus(-logits) + (1 - targets) * softplus(logits))")),
        Wrong("a sum", ("mean", "sum"), "That is the sum. The mean is asked for."),
        Wrong("changed places", ("targets *", "(1 - targets) *"), "Yes and no have changed places: a 1 in targets is a yes."),
        Wrong("negative", (EACH, f"-{EACH}"), "The sign is wrong: this loss is never below 0."),
        Wrong("nothing subtracted", (" - targets * logits", ""), "The score of the right answer is still to be subtracted."),
        Wrong("added", ("- targets", "+ targets"), "Subtract the score of the right answer."),
        Wrong("x for no as well", ("targets * logits", "logits"), "The score of a no is 0, not x. Subtract targets * x."),
        Wrong("the targets", ("targets * logits", "targets"), "Subtract targets * logits, not the targets themselves."),
        Wrong("only yes", (EACH, "(targets * softplus(-logits))"), "Where no is right, your loss is 0. A no can be wrong, too."),
        Wrong("only no", (EACH, "((1 - targets) * softplus(logits))"), "Where yes is right, your loss is 0."),
        Wrong("squares", "((sigmoid(logits) - targets) ** 2).mean()", "That is the squared error."),
        Wrong("the logits", "logits.mean()"),
        Wrong("no mean", (".mean()", ""), holds="a single number"),
        Wrong("by probabilities", "p = sigmoid(logits)\nreturn -(targets * log(p) + (1 - targets) * log(1 - p)).mean()", holds="the logarithm of 0"),
        Wrong("the numbers only", (f"{EACH}.mean()", "np.mean(softplus(logits).data - targets * logits.data)"), holds="not a Tensor"),
        Wrong("one argument too few", "def yes_no(logits):\n    return logits.mean()", holds="your function takes 1"),
    ),
    otherwise="softplus of the logit, minus the logit where yes is right. Then the mean.",
    praise="Its gradient is the probability of a yes, minus 1 or 0, as with softmax.",
    hints=(
        "For a yes the loss is softplus(x) - x, and for a no it is softplus(x) - 0. With targets of 1 and 0 that is one formula.",
        "(softplus(logits) - targets * logits).mean()",
    ),
    said=lambda case: f"yes_no(Tensor({listed(case[0], 3)}), {listed(case[1], 3)})",
    shape="{said} has the shape {found.shape}, and a single number is asked for.",
)

# -- a temperature -------------------------------------------------------------------------------------------

WALKS = {"backward", "gradients", "grad", "jvp", "cross_entropy", "softmax_cross_entropy", "nn"}


def by_hand(case, function):
    """The arguments of a case, for a function that walks back nowhere."""
    check_own_work(function, WALKS, "Write the gradient yourself, without a walk back.")
    return fresh(case, function)


def too_large(found, right, said):
    """Raise Mistake for a gradient that is not finite."""
    if found.shape == right.shape and not np.isfinite(found).all():
        raise Mistake(
            f"{said} gives {listed(found, 3)}: an exp was too large, or all powers of a row became "
            "0. First subtract from each row its own largest score."
        )


SOFTMAX, ONE_HOT = "softmax(scores / T)", "np.eye(scores.shape[1])[targets]"

Task(
    "19 temperature",
    head="score_gradient(scores, targets, T)",
    right=f"({SOFTMAX} - {ONE_HOT}) / T / len(scores)",
    cases=(
        ([[2.0, 1, 0]], [1], 2.0),
        ([[2.0, 1, 0], [0, 3, 1]], [1, 2], 4.0),
        ([[1.0, -1, 0.5, 0], [0, 3, 1, 2], [1, 1, 2, 0]], [3, 3, 0], 0.5),
        ([[1000.0, 0, -1000], [1000, 1000, 0]], [1, 0], 0.5),
        ([[1000.0, 0, 0], [0, 1, 2]], [0, 1], 1.0),
    ),
    answers=(
        Right("in place of a copy", f"p = {SOFTMAX}\np[np.arange(len(p)), targets] -= 1\nreturn p / (T * len(p))"),
        Wrong("no 1/T", ("/ T / len", "/ len"), "The factor 1/T is missing: the forward divides the scores by T, and the local slope of that is 1/T."),
        Wrong("times T", ("/ T / len", "* T / len"), "You multiply by T. The local slope of a division by T is 1/T."),
        Wrong("no mean", (" / len(scores)", ""), "The loss is a mean: divide by the number of rows."),
        Wrong("negative", ("(softmax", "-(softmax"), "The sign is wrong: the loss falls as the right score rises."),
        Wrong("softmax of the scores", (SOFTMAX, "softmax(scores)"), "The softmax is that of the scores themselves. Divide them by T before it."),
        Wrong("no temperature", ("/ T", ""), "You do not use the temperature. Divide the scores by it."),
        Wrong("no softmax", (SOFTMAX, "scores / T"), "The softmax was left out: those are the scores, minus one-hot."),
        Wrong("multiplied", ("/ T", "* T"), "The scores were multiplied by T. They are divided by it."),
        Wrong("minus 1 everywhere", (ONE_HOT, "1"), "You subtract 1 everywhere. Subtract it only at the right place of each row."),
        Wrong("the whole table", (SOFTMAX, "np.exp(scores / T) / np.exp(scores / T).sum()"), "The softmax is taken over the whole table. The probabilities of each row add up to 1."),
        Wrong("the probabilities", SOFTMAX, "Those are the probabilities. Subtract 1 at the right place of each row."),
        Wrong("the mean over classes", ("len(scores)", "scores.shape[1]"), "You divide by the number of classes. The mean was taken over the examples."),
        Wrong("the scores", "scores"),
        Wrong("by a walk", "s = Tensor(scores)\nbackward(softmax_cross_entropy(s / T, targets))\nreturn s.grad", holds="It uses backward"),
        Wrong("by the package", "s = ad.Tensor(scores)\nad.nn.cross_entropy(s / T, targets).backward()\nreturn s.grad.data", holds="yourself"),
        Wrong("three columns", ("scores.shape[1]", "3"), holds="Not every table has three columns"),
        Wrong("one maximum for all rows", f"powers = np.exp((scores - scores.max()) / T)\nreturn (powers / powers.sum(axis=1, keepdims=True) - {ONE_HOT}) / T / len(scores)", holds="own largest score"),
        Wrong("changes the scores", f"scores /= T\nreturn (softmax(scores) - {ONE_HOT}) / T / len(scores)", holds="that were passed in"),
    ),
    otherwise="Compare with what a walk back gives for softmax_cross_entropy(Tensor(scores) / T, targets).",
    praise="It is softmax minus one-hot, times 1/T, and no walk back was needed.",
    hints=(
        "Call x = scores / T. You know the gradient of x: softmax minus one-hot, divided by the number of rows. How does x move when a score moves?",
        "By 1/T. So it is (softmax(scores / T) - one_hot) / T / n.",
        "(softmax(scores / T) - np.eye(scores.shape[1])[targets]) / T / len(scores)",
    ),
    inputs=by_hand,
    stops=(Stop(IndexError, "{said} stops with IndexError: {error}. Not every table has three columns: their number is scores.shape[1]."),),
    read=numbers,
    unequal=too_large,
    shape="{said} has the shape {found.shape}. Each score has its gradient: {right.shape}.",
    shown=few_digits,
    after=unchanged("{said} is right, but it changes the scores that were passed in. Work on a copy.", 0, equal=same),
)
