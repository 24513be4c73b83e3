"""The exercises of lesson 33: the losses of judge and forger, the loss of a judge that cannot decide, how
many digits occur, the slopes of two losses, and the nearest real picture in two steps."""

import numpy as np

from autodiff import Tensor

from ..checking import Mistake, exercise, number
from .calling import call
from .lesson_19 import sigmoid_of, softplus_of
from .shared import array, in_words, kind_of, listed, same

# -- the losses ---------------------------------------------------------------------------------------------


def check_loss(function, name, cases, right, slopes, kinds, header):
    """Judge a loss: its number, that it is a Tensor, and the gradients that come back to the scores."""
    for case in cases:
        given = [np.array(scores) for scores in case]
        leaves = [Tensor(scores.copy()) for scores in given]
        said = f"{name}({', '.join(listed(scores) for scores in case)})"
        try:
            with np.errstate(all="ignore"):
                answer = call(function, *leaves, said=said, header=header)
        except ValueError:
            if len({scores.shape for scores in given}) == 1:
                raise
            raise Mistake(
                f"{said} stopped with an error, since the shapes differ. There need not be as many real "
                "pictures as forgeries: take each mean first, and then add the two."
            ) from None
        found, wanted = array(answer, f"{said} gave"), np.array(right(*given))
        if found.shape != ():
            kind = kind_of(found, kinds, *given) if found.ndim else ""
            raise Mistake(f"{said} has the shape {found.shape}. A single number is asked for. {kind}")
        if not np.isfinite(found):
            raise Mistake(
                f"{said} gives {found:g}; it should be {wanted:.6g}. Somewhere the exp of a large number was "
                "taken, or the logarithm of 0. ad.softplus does without both."
            )
        if not same(found, wanted):
            kind = kind_of(found, kinds, *given)
            raise Mistake(f"{said} gives {found:.6g}; it should be {wanted:.6g}. {kind}")
        if not isinstance(answer, Tensor):
            raise Mistake(f"{said} is right, but it is not a Tensor, so no walk back can begin there.")
        with np.errstate(all="ignore"):
            answer.backward()
        for leaf, slope in zip(leaves, slopes(*given)):
            back = np.zeros_like(slope) if leaf.grad is None else array(leaf.grad, "the walk back gave")
            if not same(back, slope):
                raise Mistake(
                    f"{said} is right, but the walk back gives its scores {listed(back, 3)}; it should be "
                    f"{listed(slope, 3)}. Compute with the Tensors themselves, by ad's operations."
                )


def soft(scores):
    """The mean of softplus."""
    return softplus_of(scores).mean()


JUDGE_KINDS = (
    (lambda r, f: soft(r) + soft(-f), "The signs are exchanged: a real picture should get a high score."),
    (
        lambda r, f: soft(-r) + soft(-f),
        "That praises it for calling the forgeries real. They need softplus(score).",
    ),
    (
        lambda r, f: soft(r) + soft(f),
        "That punishes high scores for real pictures, too. They need softplus(-score).",
    ),
    (lambda r, f: (soft(-r) + soft(f)) / 2, "That is half of it: the two means are added."),
    (lambda r, f: soft(-r) - soft(f), "Both means are added. The judge wants both to be small."),
    (lambda r, f: soft(-r), "The forgeries are missing."),
    (lambda r, f: soft(f), "The real pictures are missing."),
    (lambda r, f: softplus_of(-r).sum() + softplus_of(f).sum(), "Those are sums. Take the means."),
    (
        lambda r, f: softplus_of(-r.mean()) + softplus_of(f.mean()),
        "Take softplus of each score first, and then the mean.",
    ),
    (lambda r, f: f.mean() - r.mean(), "Those are the scores alone. Take softplus of -real and of forged."),
    (lambda r, f: -soft(-r) - soft(f), "The sign is wrong: a loss is small where the judge is right."),
    (lambda r, f: softplus_of(-r) + softplus_of(f), "Take the means."),
    "The mean of softplus(-score) of the real pictures, plus the mean of softplus(score) of the forgeries.",
)


@exercise(
    "33 judge",
    "ad.softplus(x) is the logarithm of 1 + exp(x), for each number of a Tensor.",
    "For the real pictures: ad.softplus(-real).mean(). The forgeries are the same without the minus.",
    "return ad.softplus(-real).mean() + ad.softplus(forged).mean()",
)
def judge(function):
    """Judge the loss of the judge by its scores."""
    cases = (
        ([2.0], [-1.0]),
        ([0.0, 3.0, -1.0], [1.0, -2.0]),
        ([[1.0], [-2.0]], [[0.5], [3.0]]),
        ([1000.0, -1000.0], [1000.0, -1000.0]),
    )
    check_loss(
        function,
        "judge_loss",
        cases,
        lambda r, f: soft(-r) + soft(f),
        lambda r, f: (-sigmoid_of(-r) / r.size, sigmoid_of(f) / f.size),
        JUDGE_KINDS,
        "def judge_loss(real, forged):",
    )
    return "Small where real pictures get high scores, and forgeries low ones."


FORGER_KINDS = (
    (soft, "That is small where the judge is right. The forger wants high scores."),
    (
        lambda f: -soft(f),
        (
            "That is the judge's loss with the other sign. Where a forger begins it is flat, as the "
            "lesson shows later. Take softplus(-score)."
        ),
    ),
    (lambda f: -soft(-f), "The sign is wrong: that is smallest where the judge sees through every forgery."),
    (lambda f: softplus_of(-f).sum(), "That is the sum. Take the mean."),
    (lambda f: softplus_of(-f.mean()), "Take softplus of each score first, and then the mean."),
    (lambda f: -f.mean(), "That is the score alone. Take softplus of -score."),
    (lambda f: sigmoid_of(-f).mean(), "That is a probability. Its logarithm is still to come."),
    (lambda f: softplus_of(-f), "Take the mean."),
    "The mean of softplus(-score).",
)


@exercise(
    "33 forger",
    "The forger wants for its forgeries what the judge's loss wants for real pictures.",
    "For a real picture the judge's loss has softplus(-score).",
    "return ad.softplus(-forged).mean()",
)
def forger(function):
    """Judge the loss of the forger by the judge's scores."""
    cases = (([-1.0],), ([2.0, -3.0, 0.5],), ([[1.0], [-2.0]],), ([1000.0, -1000.0],))
    check_loss(
        function,
        "forger_loss",
        cases,
        lambda f: soft(-f),
        lambda f: (-sigmoid_of(-f) / f.size,),
        FORGER_KINDS,
        "def forger_loss(forged):",
    )
    return "Small where the judge takes forgeries for real."


# -- a judge that cannot decide -----------------------------------------------------------------------------

UNDECIDED_KINDS = {
    0.0: "A loss of 0 would need a judge that is always right, and sure of it.",
    0.693: "That is one of the two means. There is one for real pictures and one for forgeries.",
    1.0: "The probabilities are 1/2 each. The loss is made of their logarithms.",
    0.5: "That is the probability. The loss is minus its logarithm, twice.",
    0.602: "That is with the logarithm to base 10.",
    2.0: "That is with the logarithm to base 2.",
    -1.386: "The sign is wrong: the logarithm of 1/2 is negative, and the loss is minus that.",
}


@exercise(
    "33 undecided",
    "The score 0 stands for the probability 1/2.",
    "softplus(0) is log(1 + exp(0)), the logarithm of 2.",
    "There are two means, and both are log(2) = 0.693. Add them.",
)
def undecided(guess):
    """Judge the loss of a judge whose scores are all 0."""
    found = number(guess)
    if abs(found - 2 * np.log(2)) > 0.01:
        unknown = "What is softplus(0), the logarithm of 1 + exp(0)?"
        kind = next((k for value, k in UNDECIDED_KINDS.items() if abs(found - value) < 0.005), unknown)
        raise Mistake(f"It is not {found:.4g}. {kind}")
    return "Twice the logarithm of 2, 1.386: a judge that only guesses."


# -- how many digits occur ----------------------------------------------------------------------------------


def counts(digits):
    """How often each of the digits 0 to 9 occurs."""
    return np.bincount(np.asarray(digits, dtype=int), minlength=10)


DIFFERENT_KINDS = (
    (
        lambda d, least: len(np.unique(d)),
        "least has no effect: a digit that occurs less often does not count.",
    ),
    (lambda d, least: (counts(d) > least).sum(), "A digit that occurs exactly least times counts, too: >=."),
    (lambda d, least: (counts(d)[1:] >= least).sum(), "The 0 is a digit, too."),
    (lambda d, least: (counts(d)[:9] >= least).sum(), "The 9 is a digit, too."),
    (
        lambda d, least: counts(d)[counts(d) >= least].sum(),
        "Those are the forgeries. How many different digits do they show?",
    ),
    (lambda d, least: counts(d).max(), "That is how often the most frequent digit occurs."),
    (lambda d, least: len(d), "That is how many there are in all."),
    (lambda d, least: (counts(d) < least).sum(), "Those are the digits that occur less often."),
    "Count how often each of the ten digits occurs, and then the counts that are at least so large.",
)


@exercise(
    "33 different",
    "np.bincount(digits, minlength=10) counts how often each digit from 0 to 9 occurs.",
    "A comparison of these ten counts with least gives True or False for each digit.",
    "return int((np.bincount(digits, minlength=10) >= least).sum())",
)
def different(function):
    """Judge counting the digits that occur often enough."""
    cases = (
        ([3, 3, 5, 3, 5, 8, 3], 2),
        ([9, 9, 4, 4, 4, 7, 1], 1),
        ([0, 0, 0, 0, 1, 1, 7], 3),
        ([6, 6], 3),
    )
    for digits, least in cases:
        said = f"different({digits}, {least})"
        header = "def different(digits, least):"
        answer = call(function, np.array(digits), least, said=said, header=header)
        found, right = array(answer, f"{said} gave"), np.array((counts(digits) >= least).sum())
        if not same(found, right):
            kind = kind_of(found, DIFFERENT_KINDS, np.array(digits), least)
            raise Mistake(f"{said} gives {listed(found)}; it should be {right}. {kind}")
    return "It counts what a forger can do, and what it cannot."


# -- two slopes ---------------------------------------------------------------------------------------------

SLOPES_KINDS = (
    (lambda s: np.array([sigmoid_of(-s), -sigmoid_of(s)]), "In softplus(-s), the inner slope is -1."),
    (lambda s: np.array([-sigmoid_of(-s), sigmoid_of(s)]), "The second loss has a minus in front."),
    (
        lambda s: np.array([sigmoid_of(-s), sigmoid_of(s)]),
        "Both losses fall where the score grows: both slopes are negative.",
    ),
    (
        lambda s: np.array([-sigmoid_of(s), -sigmoid_of(-s)]),
        "They are exchanged: first comes that of softplus(-s).",
    ),
    (
        lambda s: np.array([softplus_of(-s), -softplus_of(s)]),
        "Those are the losses. Their slopes are asked for.",
    ),
    (
        lambda s: np.array([-sigmoid_of(-s), -sigmoid_of(-s)]),
        "The slope of softplus at s is sigmoid(s), and the second loss has no minus inside.",
    ),
    (lambda s: np.array([-sigmoid_of(s), -sigmoid_of(s)]), "The slope of softplus(-s) has sigmoid(-s)."),
    "The slope of softplus(x) is sigmoid(x). Then the chain rule.",
)


@exercise(
    "33 slopes",
    "The slope of softplus(x) is sigmoid(x), 1 / (1 + exp(-x)).",
    "softplus(-s): the outer slope is sigmoid(-s), and the inner one is -1.",
    "return -1 / (1 + np.exp(score)), -1 / (1 + np.exp(-score))",
)
def slopes(function):
    """Judge the slopes of softplus(-s) and -softplus(s)."""
    for score in (0.0, -3.0, 2.0, -20.0):
        said = f"slopes({score:g})"
        answer = call(function, score, said=said, header="def slopes(score):")
        if isinstance(answer, list | tuple):
            answer = [number(part) for part in answer]  # each may be a Tensor
        found = array(answer, f"{said} gave", "Two numbers are asked for, one for each loss.")
        right = np.array([-sigmoid_of(-score), -sigmoid_of(score)])
        if found.shape != (2,):
            raise Mistake(f"{said} gave {listed(found)}. Two numbers are asked for, one for each loss.")
        if not np.allclose(found, right, rtol=1e-6, atol=0):
            if np.allclose(found, right, rtol=0, atol=1e-3):
                off = np.abs(found / right - 1).argmax()
                share, which = abs(found[off] / right[off] - 1), ("first", "second")[off]
                raise Mistake(
                    f"In {said}, the {which} number is off by {100 * share:.2g} % of its size. Nudges are "
                    "not exact. The slope of softplus(x) is sigmoid(x): use that, and the chain rule."
                )
            kind = kind_of(found, SLOPES_KINDS, score)
            raise Mistake(f"{said} gives {in_words(found, 12)}; it should be {in_words(right, 12)}. {kind}")
    return "At -20 one slope is nearly -1, and the other one is nearly nothing."


# -- the nearest real picture -------------------------------------------------------------------------------


def gaps(a, b):
    """The squared distances of all rows of a from all rows of b."""
    return ((a[:, None] - b[None]) ** 2).sum(axis=-1)


GAPS_KINDS = (
    (
        lambda a, b: np.sqrt(gaps(a, b)),
        "Those are the distances. Their squares are asked for: no square root.",
    ),
    (lambda a, b: gaps(b, a), "Rows and columns are exchanged: a row for each forgery."),
    (
        lambda a, b: ((a[:, None] - b[None]) ** 2).mean(axis=-1),
        "That is the mean over the pixels. Take the sum.",
    ),
    (lambda a, b: abs(a[:, None] - b[None]).sum(axis=-1), "Those are the absolute differences. Square them."),
    (lambda a, b: (a[:, None] - b[None]) ** 2, "Sum over the pixels: axis=-1."),
    (lambda a, b: (a[:, None] - b[None]).sum(axis=-1), "Square the differences before they are summed."),
    (lambda a, b: a @ b.T, "That is the product. Squared differences are asked for."),
    "For a row of each: the sum of the squared differences.",
)

PICTURES = (
    (np.array([[0.0, 1.0]]), np.array([[1.0, 3.0], [0.0, 4.0]])),
    (
        np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 0.0], [3.0, 1.0, 1.0]]),
        np.array([[1.0, 1.0, 0.0], [3.0, 0.0, 2.0]]),
    ),
)


@exercise(
    "33 distances",
    "forgeries[:, None] has the shape (n, 1, pixels), and pictures[None] has (1, m, pixels).",
    "Their difference is broadcast to (n, m, pixels). Square it, and sum over the last axis.",
    "return ((forgeries[:, None] - pictures[None]) ** 2).sum(axis=-1)",
)
def distances(function):
    """Judge the squared distances of all forgeries from all pictures."""
    for a, b in PICTURES:
        said = f"distances({listed(a)}, {listed(b)})"
        header = "def distances(forgeries, pictures):"
        found = array(call(function, a.copy(), b.copy(), said=said, header=header), f"{said} gave")
        right = gaps(a, b)
        if not same(found, right):
            kind = kind_of(found, GAPS_KINDS, a, b)
            if found.shape != right.shape:
                raise Mistake(f"{said} has the shape {found.shape}; it should be {right.shape}. {kind}")
            raise Mistake(f"{said} gives {listed(found)}; it should be {listed(right)}. {kind}")
    return "A row for each forgery, and a column for each picture."


NEAREST_KINDS = (
    (
        lambda a, b: gaps(a, b).min(axis=1),
        "Those are the distances. The numbers of the pictures are asked for: argmin.",
    ),
    (
        lambda a, b: abs(a[:, None] - b[None]).sum(axis=-1).argmin(axis=1),
        "Those are nearest by the absolute differences. Take the squared distances of step one.",
    ),
    (
        lambda a, b: (a @ b.T).argmax(axis=1),
        "Those have the largest product. The smallest distance is asked for.",
    ),
    (lambda a, b: gaps(a, b).argmax(axis=1), "Those are the pictures farthest away."),
    (
        lambda a, b: gaps(a, b).argmin(axis=0),
        "That is one for each picture. There should be one for each forgery: axis=1.",
    ),
    (
        lambda a, b: np.array(gaps(a, b).argmin()),
        "That is one number for all. Each forgery has its own: axis=1.",
    ),
    "For each forgery the column in which its row of distances is smallest.",
)

NEIGHBOURS = (
    (np.array([[0.0, 1.0]]), np.array([[1.0, 3.0], [0.0, 4.0], [5.0, 0.0]])),
    PICTURES[1],
    (np.array([[0.0, 0.0]]), np.array([[3.0, 0.0], [2.0, 2.0]])),
)


@exercise(
    "33 nearest",
    "In the distances, each forgery has a row.",
    "argmin says where the smallest number is, and axis=1 does it in each row.",
    "return distances(forgeries, pictures).argmin(axis=1)",
)
def nearest(function):
    """Judge the numbers of the nearest pictures."""
    for a, b in NEIGHBOURS:
        said = f"nearest({listed(a)}, {listed(b)})"
        header = "def nearest(forgeries, pictures):"
        found = array(call(function, a.copy(), b.copy(), said=said, header=header), f"{said} gave")
        right = gaps(a, b).argmin(axis=1)
        if not same(found, right):
            kind = kind_of(found, NEAREST_KINDS, a, b)
            raise Mistake(f"{said} gives {listed(found)}; it should be {listed(right)}. {kind}")
    return "Beside its nearest real picture, one sees whether a forgery is a copy."
