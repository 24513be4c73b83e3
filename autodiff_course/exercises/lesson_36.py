"""The exercises of lesson 36: softened probabilities, a loss with two masters, its slope, and the spread."""

import numpy as np

from autodiff.engine.tensor import Tensor

from ..checking import Mistake
from ..runs.lesson_36 import softened
from .calling import check_own_work
from .shared import close, listed, same
from .table import GIVES, PRINTS, SHAPE, Guess, Right, Task, Wrong, as_number, unchanged

# -- softened probabilities ---------------------------------------------------------------------------------

Guess(
    "36 hot",
    right="1 / 10",
    answers=(
        Wrong("nothing", "0", "The ten add up to 1 at every temperature."),
        Wrong("one", "1", "Only one of ten can be 1. That is what happens when the temperature comes near 0."),
        Wrong("a half", "0.5", "That would be right for two scores. Here are ten."),
        Wrong("ten", "10", "A probability is at most 1. Is it the other way round?"),
        Wrong("something else", "42"),
        Wrong("a word", "'all equal'", holds="A number is asked for"),
    ),
    otherwise="What do the ten scores come to, divided by a very large number?",
    praise="A tenth: at the end all ten are equal, and nothing is known any more.",
    hints=(
        "The scores divided by a very large number are all nearly 0.",
        "exp(0) is 1, for all ten.",
        "1 / 10",
    ),
    within=0.001,
    near=1e-6,
    message="It is not {found:.4g}. {why}",
)


def no_overflow(found, right, said):
    """Raise Mistake for probabilities that are no numbers."""
    if np.isnan(found).any():
        raise Mistake(
            f"{said} gives {listed(found, 3)}; it should give {listed(right, 3)}. exp of large scores overflows. "
            "Subtract the largest score of each row first."
        )


LARGEST, ROWS = "scores.max(axis=1, keepdims=True)", "powers.sum(axis=1, keepdims=True)"

Task(
    "36 softened",
    head="softened(scores, temperature)",
    right=f"""
        z = (scores - {LARGEST}) / temperature
        powers = np.exp(z)
        return powers / {ROWS}""",
    cases=(
        ([[0.0, 2.0]], 2),
        ([[1.0, 3.0, -2.0], [0.5, 0.0, 4.0]], 5),
        ([[3.0, 1.0], [0.0, 6.0], [2.0, 2.0]], 1),
        ([[1000.0, 0.0]], 1),
    ),
    answers=(
        Right("largest subtracted after dividing", (f"(scores - {LARGEST}) / temperature", "scores / temperature\n    z = z - z.max()")),
        Right("the package's softmax", "ad.softmax(scores / temperature, axis=1)"),
        Wrong("no temperature", (" / temperature", ""), "The temperature is not used."),
        Wrong("multiplied", ("/ temperature", "* temperature"), "The scores are multiplied by the temperature. Divide them."),
        Wrong("probabilities divided", ((" / temperature", ""), (ROWS, f"{ROWS} / temperature")), "The probabilities are divided by the temperature. Divide the scores."),
        Wrong("powers alone", "np.exp(scores / temperature)", "The powers are not divided by their sum."),
        Wrong("all rows together", ((LARGEST, "scores.max()"), (ROWS, "powers.sum()")), "All rows together add up to 1. Each row should: sum with axis=1."),
        Wrong("columns", (ROWS, "powers.sum(axis=0)"), "The columns add up to 1. The rows should: axis=1."),
        Wrong("logarithms", "np.log(ad.softmax(scores / temperature, axis=1))", "Those are the logarithms of the probabilities."),
        Wrong("the scores", "scores / temperature", "Those are the scores divided by the temperature. The softmax is missing."),
        Wrong("all rows together, each less its largest", (ROWS, "powers.sum()")),
        Wrong("overflows", (f"(scores - {LARGEST})", "scores"), holds="overflows"),
        Wrong("in place", (f"z = (scores - {LARGEST})", f"scores -= {LARGEST}\n    z = scores"), holds="changed the scores"),
        Wrong("prints", ("return powers", "p = powers"), holds="returns nothing"),
    ),
    otherwise="Divide the scores by the temperature, and take the softmax of each row.",
    praise="Each row adds up to 1, and large scores do no harm.",
    hints=(
        "z = scores / temperature is softened like any scores: np.exp(z) divided by its sum along each row.",
        "Subtract the largest score of each row first. The probabilities stay the same, and exp cannot overflow.",
        "z = (scores - scores.max(axis=1, keepdims=True)) / temperature, then powers = np.exp(z), and return powers / powers.sum(axis=1, keepdims=True)",
    ),
    unequal=no_overflow,
    message=GIVES,
    shown=lambda rows: listed(rows, 3),
    after=unchanged("softened changed the scores. They belong to the caller.", 0),
)

# -- the loss -----------------------------------------------------------------------------------------------


def lessons():
    """Calls in words, each with scores, soft labels, labels, and a temperature and alpha or nothing."""
    rng = np.random.default_rng(0)
    for n, classes, settings in ((1, 2, (3, 0.5)), (3, 4, (5, 0.25)), (4, 10, ())):
        scores = np.round(rng.normal(size=(n, classes)), 1)
        soft = softened(np.round(rng.normal(size=(n, classes)), 1), 2)
        said = f"distillation for {n} row{'s' * (n > 1)} of {classes} scores"
        said += ", temperature {} and alpha {}".format(*settings) if settings else " without settings"
        yield said, scores, soft, rng.integers(classes, size=n), *settings
    said = "distillation for the scores [[4000, 0]], temperature 2 and alpha 0.5"
    yield said, np.array([[4000.0, 0.0]]), np.array([[0.75, 0.25]]), np.array([0]), 2, 0.5


def with_defaults(case, function):
    """The arguments of a case. Raises Mistake if it has no settings, and the reader's function no defaults."""
    _, scores, *others = case
    if len(others) == 2 and len(getattr(function, "__defaults__", None) or ()) < 2:
        raise Mistake(f"Keep the defaults of temperature and alpha. The first line should be `def {DISTILLATION}:`.")
    return [Tensor(scores), *others]


def no_infinity(found, right, said):
    """Raise Mistake for a loss that is no finite number."""
    if found.shape == () and not np.isfinite(found):
        raise Mistake(
            f"{said} gives {found:g}; it should give {right:g}. Where a softmax is 0 its logarithm is minus "
            "infinity. ad.log_softmax takes the logarithm before the numbers become 0."
        )


def walked(answer, wanted, inputs, others, said):
    """Raise Mistake unless the walk back from a loss gives what that from the right one gives."""
    if not isinstance(answer, Tensor) or not answer.requires_grad:
        raise Mistake(
            f"{said} is right as a number, and cannot be walked back to the scores. Use ad.log_softmax "
            "and nn.cross_entropy, and no NumPy in between."
        )
    answer.backward()
    wanted.backward()
    grad = inputs[0].grad
    if grad is None or not same(grad.numpy(), others[0].grad.numpy()):
        raise Mistake(f"{said} is right as a number, and the gradient of one of its parts is lost.")


DISTILLATION = "distillation(scores, soft, labels, temperature=20, alpha=0.9)"
SOFT, HARD = "alpha * temperature**2 * taught", "(1 - alpha) * ad.nn.cross_entropy(scores, labels)"

Task(
    "36 loss",
    head=DISTILLATION,
    right=f"""
        logs = ad.log_softmax(scores / temperature, axis=1)
        taught = -(soft * logs).sum(axis=1).mean()
        return {SOFT} + {HARD}""",
    cases=tuple(lessons()),
    answers=(
        Right("divided by n", (".sum(axis=1).mean()", ".sum() / len(soft)")),
        Wrong("no square", ("temperature**2 * ", ""), "The soft part is not multiplied by the temperature squared."),
        Wrong("T alone", ("**2", ""), "The soft part is multiplied by T. It should be T squared."),
        Wrong("the square for both", (HARD, f"temperature**2 * {HARD}"), "Only the soft part is multiplied by T squared."),
        Wrong("weights exchanged", (("(1 - alpha)", "beta"), ("alpha * temp", "(1 - alpha) * temp"), ("beta", "alpha")), "The weights are exchanged: alpha is that of the soft part."),
        Wrong("no alpha", (("(1 - alpha) * ", ""), ("alpha * ", "")), "alpha is not used."),
        Wrong("the soft part alone", (f" + {HARD}", ""), "The part with the true labels is missing."),
        Wrong("the hard part alone", (f"{SOFT} + ", ""), "The part with the soft labels is missing."),
        Wrong("the wrong sign", ("-(soft", "(soft"), "The soft part has the wrong sign: it is minus the sum of q log p."),
        Wrong("the other scores", (("scores / temperature", "scores"), ("cross_entropy(scores", "cross_entropy(scores / temperature")), "The soft part needs the scores divided by T, and the hard part those at temperature 1."),
        Wrong("the student not softened", ("scores / temperature", "scores"), "In the soft part the student's scores are divided by the temperature too."),
        Wrong("the hard part softened", ("cross_entropy(scores", "cross_entropy(scores / temperature"), "The part with the true labels has the temperature 1: do not divide its scores."),
        Wrong("a mean over all numbers", (".sum(axis=1).mean()", ".mean()"), "The soft part is a mean over all numbers. Sum over each row, and take the mean over the rows."),
        Wrong("a sum over the rows", (".sum(axis=1).mean()", ".sum()"), "The soft part is a sum over the rows. Take their mean."),
        Wrong("the KL divergence", ("-(soft * logs)", "(soft * (np.log(soft) - logs))"), "That is the KL divergence: the same slopes, another number. Take minus the sum of q log p alone."),
        Wrong("fixed numbers", ("    logs", "    temperature, alpha = 20, 0.9\n    logs")),
        Wrong("a loss for each row", (".sum(axis=1).mean()", ".sum(axis=1)"), holds="one number is asked for"),
        Wrong("log of softmax", ("ad.log_softmax(scores / temperature, axis=1)", "ad.log(ad.softmax(scores / temperature, axis=1))"), holds="ad.log_softmax takes the logarithm before"),
        Wrong("through NumPy", ("    logs =", "    scores = scores.numpy()\n    logs ="), holds="cannot be walked back"),
        Wrong("half through NumPy", ("* logs)", "* logs.numpy())"), holds="one of its parts is lost"),
        Wrong("without defaults", ("temperature=20, alpha=0.9", "temperature, alpha"), holds="Keep the defaults"),
        Wrong("prints", ("return", "loss ="), holds="returns nothing"),
    ),
    otherwise="It is alpha * T**2 * (mean of minus sum of q log p) + (1 - alpha) * the cross-entropy with the labels.",
    praise="Two masters, and with the square the teacher is heard at every temperature.",
    hints=(
        "The student's softened logarithms are ad.log_softmax(scores / temperature, axis=1).",
        "The soft part is taught = -(soft * logs).sum(axis=1).mean(). The other is nn.cross_entropy(scores, labels).",
        "return alpha * temperature**2 * taught + (1 - alpha) * nn.cross_entropy(scores, labels)",
    ),
    inputs=with_defaults,
    said=lambda case: case[0],
    unequal=no_infinity,
    shape="{said} has the shape {found.shape}; one number is asked for. {why}",
    message="{said} gives {found:.4f}; it should give {right:.4f}. {why}",
    after=walked,
)  # fmt: skip

# -- the spread ---------------------------------------------------------------------------------------------

MARKS = ([480.0, 484.0, 494.0], [475.0, 478.0, 478.0, 476.0, 473.0], [3.0, 3.0, 9.0])


def lists(case, function):
    """Marks in lists of their own."""
    return [list(marks) for marks in case]


Task(
    "36 spread",
    head="mean_and_spread(marks)",
    right="(np.mean(marks), np.std(marks, ddof=1))",
    cases=tuple((marks,) for marks in MARKS),
    answers=(
        Right("by hand", """
            m = sum(marks) / len(marks)
            return [m, (sum((x - m) ** 2 for x in marks) / (len(marks) - 1)) ** 0.5]"""),
        Wrong("n", (", ddof=1", ""), "The sum of the squares is divided by n. Divide by n - 1: ddof=1."),
        Wrong("the variance", ("std", "var"), "That is the square of the spread. Take the root."),
        Wrong("the variance with n", (("std", "var"), (", ddof=1", "")), "That is the square of the spread, with n. Take n - 1 and the root."),
        Wrong("exchanged", "(np.std(marks, ddof=1), np.mean(marks))", "They are exchanged: first the mean."),
        Wrong("the median", ("mean", "median"), "The first is the median. The mean is asked for."),
        Wrong("the range", "(np.mean(marks), max(marks) - min(marks))", "The second is the largest minus the smallest. The standard deviation is asked for."),
        Wrong("the standard error", ("ddof=1)", "ddof=1) / len(marks) ** 0.5"), "The second is divided by the root of n. That comes in step two."),
        Wrong("the mean alone", "np.mean(marks)", "That is the mean alone. Return both, with a comma between them."),
        Wrong("zeros", "(0, 0)"),
        Wrong("prints", "print(marks)", holds=PRINTS),
    ),
    otherwise="np.mean(marks) and np.std(marks, ddof=1) are asked for.",
    praise="From few marks the spread is known badly, and from one not at all.",
    hints=(
        "The mean is np.mean(marks).",
        "np.std(marks, ddof=1) divides the sum of the squares by n - 1, and takes the root.",
        "return np.mean(marks), np.std(marks, ddof=1)",
    ),
    inputs=lists,
    message=GIVES,
    shown=lambda both: listed(both, 2),
)

GAP, ERROR = "(np.mean(some) - np.mean(others))", "np.sqrt(s**2 / len(some) + t**2 / len(others))"

Task(
    "36 errors",
    head="errors_apart(some, others)",
    right=f"""
        s, t = np.std(some, ddof=1), np.std(others, ddof=1)
        return {GAP} / {ERROR}""",
    cases=((MARKS[0], MARKS[1]), (MARKS[2], MARKS[1]), (MARKS[1], MARKS[0])),
    answers=(
        Wrong("turned", ("return ", "return -"), "The sign is turned: some minus others."),
        Wrong("the difference", GAP, "That is the difference. Divide it by its standard error."),
        Wrong("the standard error", (f"{GAP} / ", ""), "That is the standard error. Divide the difference by it."),
        Wrong("no root", ("np.sqrt", ""), "The root is missing under the fraction."),
        Wrong("spreads alone", ((" / len(some)", ""), (" / len(others)", "")), "The squares of the spreads are not divided by the numbers of marks."),
        Wrong("not squared", ("**2", ""), "The spreads are not squared."),
        Wrong("n", (", ddof=1", ""), "The spreads are computed with n. Take n - 1, as in step one."),
        Wrong("added", (ERROR, "(s / len(some) ** 0.5 + t / len(others) ** 0.5)"), "The two uncertainties are added. Add their squares, and take the root of the sum."),
        Wrong("a constant", "2.0"),
        Wrong("without a sign", (GAP, f"abs{GAP}"), holds="some minus others"),
        Wrong("prints", ("return", "x ="), holds="returns nothing"),
    ),
    otherwise="It is the difference of the means, divided by the root of s**2 / n + t**2 / m.",
    praise="The mean of more marks is more certain, and the same difference then counts more.",
    hints=(
        "With step one, (mean, s) = mean_and_spread(some), and the same for the others.",
        "The standard error is np.sqrt(s**2 / len(some) + t**2 / len(others)).",
        "return (np.mean(some) - np.mean(others)) / np.sqrt(s**2 / len(some) + t**2 / len(others))",
    ),
    inputs=lists,
    read=as_number,
    equal=close,
    message="{said} gives {found:.3f}; it should give {right:.3f}. {why}",
)

# -- the slope ----------------------------------------------------------------------------------------------


def soft_labels():
    """Calls in words, each with scores, soft labels and a temperature."""
    rng = np.random.default_rng(1)
    for n, classes, temperature in ((1, 2, 4), (3, 4, 20), (2, 3, 1)):
        scores = np.round(rng.normal(size=(n, classes)), 1)
        soft = softened(np.round(rng.normal(size=(n, classes)), 1), temperature)
        said = f"slope for {n} row{'s' * (n > 1)} of {classes} scores and temperature {temperature}"
        yield said, scores, soft, temperature


def by_a_formula(case, function):
    """The arguments of a case. Raises Mistake for a function that walks back."""
    check_own_work(function, {"backward", "grad", "Tensor", "cross_entropy"}, "Write the gradient as a formula.")
    _, scores, soft, temperature = case
    return [scores.copy(), soft.copy(), temperature]


Task(
    "36 slope",
    head="slope(scores, soft, temperature)",
    right="""
        powers = np.exp(scores / temperature)
        p = powers / powers.sum(axis=1, keepdims=True)
        return temperature * (p - soft) / len(scores)""",
    cases=tuple(soft_labels()),
    answers=(
        Wrong("T squared", ("return temperature", "return temperature**2"), "One T is too many: the slope of scores / T is 1 / T, so of T squared one T is left."),
        Wrong("divided by T", ("return temperature *", "return 1 / temperature *"), "The factor T squared is missing."),
        Wrong("no T", ("return temperature *", "return"), "One T is left of T squared: T**2 / T."),
        Wrong("no mean", (" / len(scores)", ""), "It is the gradient of a mean over the rows: divide by n."),
        Wrong("the sign", ("(p - soft)", "(soft - p)"), "The sign is turned: what the student says minus what the teacher says."),
        Wrong("not softened", ("scores / temperature", "scores"), "The student's probabilities are softened too."),
        Wrong("no teacher", (" - soft", ""), "The teacher's soft labels are missing."),
        Wrong("a mean over all", ("len(scores)", "scores.size"), "The mean is over the n rows alone, and not over all numbers."),
        Wrong("zeros", "0 * scores"),
        Wrong("one row", (" / len(scores)", "[0]"), holds="has the shape (2,)"),
        Wrong("the walk back", """
            s = ad.Tensor(scores)
            (-(soft * ad.log_softmax(s / temperature, axis=1)).sum(axis=1).mean() * temperature**2).backward()
            return s.grad""", holds="as a formula"),
        Wrong("prints", ("return", "x ="), holds="returns nothing"),
    ),
    otherwise="For one row, the slope of cross-entropy by scores / T is p - q.",
    praise="It is T times what the student says minus what the teacher says.",
    hints=(
        "In lesson 13, the gradient of softmax cross-entropy was p minus the one-hot target. With soft labels q it is p - q, by the scores that enter the softmax.",
        "These are scores / T, so by the scores themselves it is (p - q) / T. And there is the factor T**2.",
        "return temperature * (softened(scores, temperature) - soft) / len(scores)",
    ),
    inputs=by_a_formula,
    said=lambda case: case[0],
    shape=SHAPE,
    message="{said} begins with {gives}; it should begin with {wanted}. {why}",
    shown=lambda rows: " and ".join(listed(value, 4) for value in np.ravel(rows)[:2]),
)  # fmt: skip
