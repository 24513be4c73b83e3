"""The exercises of lesson 33: the losses of judge and forger, the loss of a judge that cannot decide, how
many digits occur, the slopes of two losses, and the nearest real picture in two steps."""

import functools

import numpy as np

import autodiff as ad

from ..checking import Mistake, number
from .shared import array, in_words, listed, same
from .table import PRINTS, SHAPE, Guess, Right, Stop, Task, Wrong

# -- the losses ---------------------------------------------------------------------------------------------


def tensors(case, function):
    """The scores of a case as Tensors."""
    return [ad.Tensor(scores) for scores in case]


def no_number(found, right, said):
    """Raise Mistake for a loss that is no finite number."""
    if found.shape == () and not np.isfinite(found):
        raise Mistake(
            f"{said} gives {found:g}; it should be {right:.6g}. Somewhere the exp of a large number was "
            "taken, or the logarithm of 0. ad.softplus does without both."
        )


def check_slopes(answer, wanted, scores, others, said):
    """Raise Mistake unless the walk back from a loss gives what that from the right one gives."""
    if not isinstance(answer, ad.Tensor):
        raise Mistake(f"{said} is right, but it is not a Tensor, so no walk back can begin there.")
    with np.errstate(all="ignore"):
        answer.backward()
        wanted.backward()
    for score, other in zip(scores, others):
        slope = array(other.grad, "")
        back = np.zeros_like(slope) if score.grad is None else array(score.grad, "the walk back gave")
        if not same(back, slope):
            raise Mistake(
                f"{said} is right, but the walk back gives its scores {listed(back, 3)}; it should be "
                f"{listed(slope, 3)}. Compute with the Tensors themselves, by ad's operations."
            )


Loss = functools.partial(
    Task,
    inputs=tensors,
    unequal=no_number,
    shape="{said} has the shape {found.shape}. A single number is asked for. {why}",
    after=check_slopes,
)
REAL, FORGED = "ad.softplus(-real).mean()", "ad.softplus(forged).mean()"
PACKAGE = "ad.nn.binary_cross_entropy_with_logits"

Loss(
    "33 judge",
    head="judge_loss(real, forged)",
    right=f"{REAL} + {FORGED}",
    cases=(
        ([2.0], [-1.0]),
        ([0.0, 3.0, -1.0], [1.0, -2.0]),
        ([[1.0], [-2.0]], [[0.5], [3.0]]),
        ([1000.0, -1000.0], [1000.0, -1000.0]),
    ),
    answers=(
        Right("the package's loss", f"{PACKAGE}(real, np.ones(real.shape)) + {PACKAGE}(forged, np.zeros(forged.shape))"),
        Wrong("exchanged", (("-real", "real"), ("forged", "-forged")), "The signs are exchanged: a real picture should get a high score."),
        Wrong("a minus too many", ("forged", "-forged"), "That praises it for calling the forgeries real. They need softplus(score)."),
        Wrong("a minus too few", ("-real", "real"), "That punishes high scores for real pictures, too. They need softplus(-score)."),
        Wrong("half", f"({REAL} + {FORGED}) / 2", "That is half of it: the two means are added."),
        Wrong("a difference", ("+", "-"), "Both means are added. The judge wants both to be small."),
        Wrong("real alone", REAL, "The forgeries are missing."),
        Wrong("forged alone", FORGED, "The real pictures are missing."),
        Wrong("sums", ("mean", "sum"), "Those are sums. Take the means."),
        Wrong("the mean first", "ad.softplus(-real.mean()) + ad.softplus(forged.mean())", "Take softplus of each score first, and then the mean."),
        Wrong("scores", "forged.mean() - real.mean()", "Those are the scores alone. Take softplus of -real and of forged."),
        Wrong("negative", f"-{REAL} - {FORGED}", "The sign is wrong: a loss is small where the judge is right."),
        Wrong("no mean", (".mean()", ""), "Take the means."),
        Wrong("one mean of the sum", "(ad.softplus(-real) + ad.softplus(forged)).mean()", holds="take each mean first"),
        Wrong("overflows", "ad.log(1 + ad.exp(-real)).mean() + ad.log(1 + ad.exp(forged)).mean()", holds="does without both"),
        Wrong("a plain number", f"float(({REAL} + {FORGED}).item())", holds="not a Tensor"),
        Wrong("without a graph", f"ad.Tensor(({REAL} + {FORGED}).item())", holds="walk back gives"),
        Wrong("a constant", "ad.Tensor(0.440190)", holds="walk back gives"),
        Wrong("prints", "print(real)", holds=PRINTS),
        Wrong("one argument", "lambda real: real", holds="hands over 2 arguments"),
    ),
    otherwise="The mean of softplus(-score) of the real pictures, plus the mean of softplus(score) of the forgeries.",
    praise="Small where real pictures get high scores, and forgeries low ones.",
    hints=(
        "ad.softplus(x) is the logarithm of 1 + exp(x), for each number of a Tensor.",
        "For the real pictures: ad.softplus(-real).mean(). The forgeries are the same without the minus.",
        "return ad.softplus(-real).mean() + ad.softplus(forged).mean()",
    ),
    stops=(
        Stop(
            ValueError,
            "{said} stopped with an error, since the shapes differ. There need not be as many real pictures as "
            "forgeries: take each mean first, and then add the two.",
            case=lambda case: len({np.shape(scores) for scores in case}) > 1,
        ),
    ),
)

Loss(
    "33 forger",
    head="forger_loss(forged)",
    right="ad.softplus(-forged).mean()",
    cases=(([-1.0],), ([2.0, -3.0, 0.5],), ([[1.0], [-2.0]],), ([1000.0, -1000.0],)),
    answers=(
        Right("the package's loss", f"{PACKAGE}(forged, np.ones(forged.shape))"),
        Wrong("the judge's", FORGED, "That is small where the judge is right. The forger wants high scores."),
        Wrong("the judge's with the other sign", f"-{FORGED}", "That is the judge's loss with the other sign. Where a forger begins it is flat, as the lesson shows later. Take softplus(-score)."),
        Wrong("negative", ("ad", "-ad"), "The sign is wrong: that is smallest where the judge sees through every forgery."),
        Wrong("the sum", ("mean", "sum"), "That is the sum. Take the mean."),
        Wrong("the mean first", "ad.softplus(-forged.mean())", "Take softplus of each score first, and then the mean."),
        Wrong("the score", "-forged.mean()", "That is the score alone. Take softplus of -score."),
        Wrong("a probability", ("softplus", "sigmoid"), "That is a probability. Its logarithm is still to come."),
        Wrong("no mean", (".mean()", ""), "Take the mean."),
        Wrong("the logarithm of 0", "-ad.log(ad.sigmoid(forged)).mean()", holds="logarithm of 0"),
        Wrong("a plain number", "np.logaddexp(0, -forged.numpy()).mean()", holds="not a Tensor"),
        Wrong("prints", "print(forged)", holds=PRINTS),
    ),
    otherwise="The mean of softplus(-score).",
    praise="Small where the judge takes forgeries for real.",
    hints=(
        "The forger wants for its forgeries what the judge's loss wants for real pictures.",
        "For a real picture the judge's loss has softplus(-score).",
        "return ad.softplus(-forged).mean()",
    ),
)

# -- a judge that cannot decide -----------------------------------------------------------------------------

Guess(
    "33 undecided",
    right="2 * math.log(2)",
    answers=(
        Right("rounded", "1.386"),
        Wrong("one mean", "math.log(2)", "That is one of the two means. There is one for real pictures and one for forgeries."),
        Wrong("nothing", "0", "A loss of 0 would need a judge that is always right, and sure of it."),
        Wrong("one half", "0.5", "That is the probability. The loss is minus its logarithm, twice."),
        Wrong("one", "1", "The probabilities are 1/2 each. The loss is made of their logarithms."),
        Wrong("base 10", "2 * math.log10(2)", "That is with the logarithm to base 10."),
        Wrong("base 2", "2", "That is with the logarithm to base 2."),
        Wrong("negative", "-2 * math.log(2)", "The sign is wrong: the logarithm of 1/2 is negative, and the loss is minus that."),
        Wrong("something else", "3"),
    ),
    otherwise="What is softplus(0), the logarithm of 1 + exp(0)?",
    praise="Twice the logarithm of 2, 1.386: a judge that only guesses.",
    hints=(
        "The score 0 stands for the probability 1/2.",
        "softplus(0) is log(1 + exp(0)), the logarithm of 2.",
        "There are two means, and both are log(2) = 0.693. Add them.",
    ),
    within=0.01,
    near=0.005,
    message="It is not {found:.4g}. {why}",
)

# -- how many digits occur ----------------------------------------------------------------------------------

COUNTS = "np.bincount(digits, minlength=10)"

Task(
    "33 different",
    head="different(digits, least)",
    right=f"int(({COUNTS} >= least).sum())",
    cases=(([3, 3, 5, 3, 5, 8, 3], 2), ([9, 9, 4, 4, 4, 7, 1], 1), ([0, 0, 0, 0, 1, 1, 7], 3), ([6, 6], 3)),
    answers=(
        Right("a loop", "sum(list(digits).count(k) >= least for k in range(10))"),
        Wrong("all that occur", "len(set(digits))", "least has no effect: a digit that occurs less often does not count."),
        Wrong("more than", (">=", ">"), "A digit that occurs exactly least times counts, too: >=."),
        Wrong("from 1", (COUNTS, f"{COUNTS}[1:]"), "The 0 is a digit, too."),
        Wrong("to 8", (COUNTS, f"{COUNTS}[:9]"), "The 9 is a digit, too."),
        Wrong("the forgeries", f"sum(c for c in {COUNTS} if c >= least)", "Those are the forgeries. How many different digits do they show?"),
        Wrong("the most frequent", f"{COUNTS}.max()", "That is how often the most frequent digit occurs."),
        Wrong("all", "len(digits)", "That is how many there are in all."),
        Wrong("those that occur less", (">=", "<"), "Those are the digits that occur less often."),
        Wrong("which", f"{COUNTS} >= least"),
        Wrong("a constant", "10"),
        Wrong("prints", "print(digits)", holds=PRINTS),
    ),
    otherwise="Count how often each of the ten digits occurs, and then the counts that are at least so large.",
    praise="It counts what a forger can do, and what it cannot.",
    hints=(
        "np.bincount(digits, minlength=10) counts how often each digit from 0 to 9 occurs.",
        "A comparison of these ten counts with least gives True or False for each digit.",
        "return int((np.bincount(digits, minlength=10) >= least).sum())",
    ),
)

# -- two slopes ---------------------------------------------------------------------------------------------


def two_numbers(answer, said):
    """The two slopes that an answer gives, each of which may be a Tensor."""
    if isinstance(answer, list | tuple):
        answer = [number(part) for part in answer]
    words = "Two numbers are asked for, one for each loss."
    found = array(answer, f"{said} gave", words)
    if found.shape != (2,):
        raise Mistake(f"{said} gave {listed(found)}. {words}")
    return found


def not_by_nudges(found, right, said):
    """Raise Mistake for slopes that are almost right."""
    if np.allclose(found, right, rtol=0, atol=1e-3):
        off = np.abs(found / right - 1).argmax()
        share, which = abs(found[off] / right[off] - 1), ("first", "second")[off]
        raise Mistake(
            f"In {said}, the {which} number is off by {100 * share:.2g} % of its size. Nudges are not exact. "
            "The slope of softplus(x) is sigmoid(x): use that, and the chain rule."
        )


MINUS, PLUS = "1 / (1 + np.exp(score))", "1 / (1 + np.exp(-score))"
"""The sigmoids of -score and of score."""

Task(
    "33 slopes",
    head="slopes(score)",
    right=f"(-{MINUS}, -{PLUS})",
    cases=((0.0,), (-3.0,), (2.0,), (-20.0,)),
    answers=(
        Right("an array", f"np.array([{PLUS} - 1, -{PLUS}])"),
        Right("two Tensors", "(-ad.sigmoid(ad.Tensor(-score)), -ad.sigmoid(ad.Tensor(score)))"),
        Wrong("no inner slope", f"({MINUS}, -{PLUS})", "In softplus(-s), the inner slope is -1."),
        Wrong("no minus", f"(-{MINUS}, {PLUS})", "The second loss has a minus in front."),
        Wrong("both positive", f"({MINUS}, {PLUS})", "Both losses fall where the score grows: both slopes are negative."),
        Wrong("exchanged", f"(-{PLUS}, -{MINUS})", "They are exchanged: first comes that of softplus(-s)."),
        Wrong("the losses", "(np.logaddexp(0, -score), -np.logaddexp(0, score))", "Those are the losses. Their slopes are asked for."),
        Wrong("the first twice", f"(-{MINUS}, -{MINUS})", "The slope of softplus at s is sigmoid(s), and the second loss has no minus inside."),
        Wrong("the second twice", f"(-{PLUS}, -{PLUS})", "The slope of softplus(-s) has sigmoid(-s)."),
        Wrong("by nudges", "[(f(score + 1e-6) - f(score - 1e-6)) / 2e-6 for f in (lambda s: np.log(1 + np.exp(-s)), lambda s: -np.log(1 + np.exp(s)))]", holds="Nudges are not exact"),
        Wrong("one slope", f"-{MINUS}", holds="Two numbers"),
        Wrong("constants", "(-0.5, -0.5)"),
        Wrong("prints", "print(score)", holds=PRINTS),
    ),
    otherwise="The slope of softplus(x) is sigmoid(x). Then the chain rule.",
    praise="At -20 one slope is nearly -1, and the other one is nearly nothing.",
    hints=(
        "The slope of softplus(x) is sigmoid(x), 1 / (1 + exp(-x)).",
        "softplus(-s): the outer slope is sigmoid(-s), and the inner one is -1.",
        "return -1 / (1 + np.exp(score)), -1 / (1 + np.exp(-score))",
    ),
    read=two_numbers,
    equal=lambda found, right: np.allclose(found, right, rtol=1e-6, atol=0),
    unequal=not_by_nudges,
    shown=lambda both: in_words(both, 12),
)

# -- the nearest real picture -------------------------------------------------------------------------------

APART = "(forgeries[:, None] - pictures[None])"
GAPS = f"({APART} ** 2).sum(axis=-1)"
PICTURES = (
    ([[0.0, 1.0]], [[1.0, 3.0], [0.0, 4.0]]),
    ([[0.0, 2.0, 1.0], [1.0, 0.0, 0.0], [3.0, 1.0, 1.0]], [[1.0, 1.0, 0.0], [3.0, 0.0, 2.0]]),
)

Task(
    "33 distances",
    head="distances(forgeries, pictures)",
    right=GAPS,
    cases=PICTURES,
    answers=(
        Right("loops", "np.array([[((f - p) ** 2).sum() for p in pictures] for f in forgeries])"),
        Right("by products", "(forgeries ** 2).sum(axis=1)[:, None] - 2 * forgeries @ pictures.T + (pictures ** 2).sum(axis=1)"),
        Wrong("roots", f"np.sqrt({GAPS})", "Those are the distances. Their squares are asked for: no square root."),
        Wrong("exchanged", f"{GAPS}.T", "Rows and columns are exchanged: a row for each forgery."),
        Wrong("means", ("sum", "mean"), "That is the mean over the pixels. Take the sum."),
        Wrong("absolute", f"abs({APART}).sum(axis=-1)", "Those are the absolute differences. Square them."),
        Wrong("no sum", (".sum(axis=-1)", ""), "Sum over the pixels: axis=-1."),
        Wrong("no square", ("** 2", ""), "Square the differences before they are summed."),
        Wrong("products", "forgeries @ pictures.T", "That is the product. Squared differences are asked for."),
        Wrong("zeros", "np.zeros((len(forgeries), len(pictures)))"),
        Wrong("prints", "print(forgeries)", holds=PRINTS),
    ),
    otherwise="For a row of each: the sum of the squared differences.",
    praise="A row for each forgery, and a column for each picture.",
    hints=(
        "forgeries[:, None] has the shape (n, 1, pixels), and pictures[None] has (1, m, pixels).",
        "Their difference is broadcast to (n, m, pixels). Square it, and sum over the last axis.",
        "return ((forgeries[:, None] - pictures[None]) ** 2).sum(axis=-1)",
    ),
    shape=SHAPE,
)

Task(
    "33 nearest",
    head="nearest(forgeries, pictures)",
    right=f"{GAPS}.argmin(axis=1)",
    cases=(
        ([[0.0, 1.0]], [[1.0, 3.0], [0.0, 4.0], [5.0, 0.0]]),
        PICTURES[1],
        ([[0.0, 0.0]], [[3.0, 0.0], [2.0, 2.0]]),
    ),
    answers=(
        Right("a list", "[min(range(len(pictures)), key=lambda k: ((f - pictures[k]) ** 2).sum()) for f in forgeries]"),
        Wrong("the distances", ("argmin", "min"), "Those are the distances. The numbers of the pictures are asked for: argmin."),
        Wrong("absolute", (f"({APART} ** 2)", f"abs({APART})"), "Those are nearest by the absolute differences. Take the squared distances of step one."),
        Wrong("the largest product", "(forgeries @ pictures.T).argmax(axis=1)", "Those have the largest product. The smallest distance is asked for."),
        Wrong("the farthest", ("argmin", "argmax"), "Those are the pictures farthest away."),
        Wrong("by picture", ("axis=1", "axis=0"), "That is one for each picture. There should be one for each forgery: axis=1."),
        Wrong("one for all", ("axis=1", ""), "That is one number for all. Each forgery has its own: axis=1."),
        Wrong("zeros", "np.zeros(len(forgeries))"),
        Wrong("prints", "print(forgeries)", holds=PRINTS),
    ),
    otherwise="For each forgery the column in which its row of distances is smallest.",
    praise="Beside its nearest real picture, one sees whether a forgery is a copy.",
    hints=(
        "In the distances, each forgery has a row.",
        "argmin says where the smallest number is, and axis=1 does it in each row.",
        "return distances(forgeries, pictures).argmin(axis=1)",
    ),
)
