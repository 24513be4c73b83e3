"""The exercises of lesson 36: softened probabilities, a loss with two masters, its slope, and the spread."""

import numpy as np

from autodiff.engine.tensor import Tensor

from ..checking import Mistake, exercise, number
from ..runs.lesson_36 import softened as right_softened
from .calling import call, check_own_work
from .shared import array, close, in_words, kind_of, listed, same, softmax_rows

# -- softened probabilities ---------------------------------------------------------------------------------

HOT_KINDS = {
    0.0: "The ten add up to 1 at every temperature.",
    1.0: "Only one of ten can be 1. That is what happens when the temperature comes near 0.",
    0.5: "That would be right for two scores. Here are ten.",
    10.0: "A probability is at most 1. Is it the other way round?",
}


@exercise(
    "36 hot",
    "The scores divided by a very large number are all nearly 0.",
    "exp(0) is 1, for all ten.",
    "1 / 10",
)
def hot(guess):
    """Judge what each of ten probabilities comes to at a temperature without end."""
    found = number(guess)
    if abs(found - 0.1) > 0.001:
        kinds = (kind for value, kind in HOT_KINDS.items() if abs(found - value) < 1e-6)
        kind = next(kinds, "What do the ten scores come to, divided by a very large number?")
        raise Mistake(f"It is not {found:.4g}. {kind}")
    return "A tenth: at the end all ten are equal, and nothing is known any more."


SOFT_KINDS = (
    (lambda s, t: softmax_rows(s), "The temperature is not used."),
    (lambda s, t: softmax_rows(s * t), "The scores are multiplied by the temperature. Divide them."),
    (
        lambda s, t: softmax_rows(s) / t,
        "The probabilities are divided by the temperature. Divide the scores.",
    ),
    (lambda s, t: np.exp(s / t), "The powers are not divided by their sum."),
    (
        lambda s, t: np.exp((s - s.max()) / t) / np.exp((s - s.max()) / t).sum(),
        "All rows together add up to 1. Each row should: sum with axis=1.",
    ),
    (lambda s, t: softmax_rows((s / t).T).T, "The columns add up to 1. The rows should: axis=1."),
    (lambda s, t: np.log(right_softened(s, t)), "Those are the logarithms of the probabilities."),
    (lambda s, t: s / t, "Those are the scores divided by the temperature. The softmax is missing."),
    "Divide the scores by the temperature, and take the softmax of each row.",
)


@exercise(
    "36 softened",
    "z = scores / temperature is softened like any scores: np.exp(z) divided by its sum along each row.",
    "Subtract the largest score of each row first. The probabilities stay the same, and exp cannot overflow.",
    "z = (scores - scores.max(axis=1, keepdims=True)) / temperature, then powers = np.exp(z), and return "
    "powers / powers.sum(axis=1, keepdims=True)",
)
def softened(function):
    """Judge the softmax of each row of scores at a temperature."""
    cases = (
        ([[0.0, 2.0]], 2),
        ([[1.0, 3.0, -2.0], [0.5, 0.0, 4.0]], 5),
        ([[3.0, 1.0], [0.0, 6.0], [2.0, 2.0]], 1),
        ([[1000.0, 0.0]], 1),
    )
    for rows, temperature in cases:
        given = np.array(rows)
        said = f"softened({listed(rows)}, {temperature})"
        header = "def softened(scores, temperature):"
        with np.errstate(all="ignore"):
            found = array(call(function, given, temperature, said=said, header=header), f"{said} gave")
        wanted = right_softened(np.array(rows), temperature)
        if not np.array_equal(given, rows):
            raise Mistake("softened changed the scores. They belong to the caller.")
        if not same(found, wanted):
            kind = kind_of(found, SOFT_KINDS, given, temperature)
            if np.isnan(found).any():
                kind = "exp of large scores overflows. Subtract the largest score of each row first."
            raise Mistake(f"{said} gives {listed(found, 3)}; it should give {listed(wanted, 3)}. {kind}")
    return "Each row adds up to 1, and large scores do no harm."


# -- the loss -----------------------------------------------------------------------------------------------


def parts(scores, soft, labels, temperature):
    """The soft part without its factor, and the hard part."""
    hard = log_rows(scores)[np.arange(len(labels)), labels]
    return -(soft * log_rows(scores / temperature)).sum(axis=1).mean(), -hard.mean()


def log_rows(scores):
    """The logarithms of the softmax of each row, of large scores too."""
    return scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)


def right_loss(scores, soft, labels, t, alpha):
    """The right loss, by NumPy."""
    taught, hard = parts(scores, soft, labels, t)
    return alpha * t**2 * taught + (1 - alpha) * hard


def of_parts(loss):
    """A wrong loss, from the two parts, the temperature and alpha."""
    return lambda scores, soft, labels, t, alpha: loss(*parts(scores, soft, labels, t), t, alpha)


LOSS_KINDS = (
    (
        of_parts(lambda s, h, t, a: a * s + (1 - a) * h),
        "The soft part is not multiplied by the temperature squared.",
    ),
    (
        of_parts(lambda s, h, t, a: a * t * s + (1 - a) * h),
        "The soft part is multiplied by T. It should be T squared.",
    ),
    (
        of_parts(lambda s, h, t, a: t**2 * (a * s + (1 - a) * h)),
        "Only the soft part is multiplied by T squared.",
    ),
    (
        of_parts(lambda s, h, t, a: (1 - a) * t**2 * s + a * h),
        "The weights are exchanged: alpha is that of the soft part.",
    ),
    (of_parts(lambda s, h, t, a: t**2 * s + h), "alpha is not used."),
    (of_parts(lambda s, h, t, a: a * t**2 * s), "The part with the true labels is missing."),
    (of_parts(lambda s, h, t, a: (1 - a) * h), "The part with the soft labels is missing."),
    (
        of_parts(lambda s, h, t, a: -a * t**2 * s + (1 - a) * h),
        "The soft part has the wrong sign: it is minus the sum of q log p.",
    ),
    (
        lambda x, q, y, t, a: a * t**2 * parts(x, q, y, 1)[0] + (1 - a) * parts(x / t, q, y, 1)[1],
        "The soft part needs the scores divided by T, and the hard part those at temperature 1.",
    ),
    (
        lambda x, q, y, t, a: a * t**2 * parts(x, q, y, 1)[0] + (1 - a) * parts(x, q, y, 1)[1],
        "In the soft part the student's scores are divided by the temperature too.",
    ),
    (
        lambda x, q, y, t, a: a * t**2 * parts(x, q, y, t)[0] + (1 - a) * parts(x / t, q, y, 1)[1],
        "The part with the true labels has the temperature 1: do not divide its scores.",
    ),
    (
        lambda x, q, y, t, a: a * t**2 * parts(x, q, y, t)[0] / x.shape[1] + (1 - a) * parts(x, q, y, t)[1],
        "The soft part is a mean over all numbers. Sum over each row, and take the mean over the rows.",
    ),
    (
        lambda x, q, y, t, a: a * t**2 * parts(x, q, y, t)[0] * len(x) + (1 - a) * parts(x, q, y, t)[1],
        "The soft part is a sum over the rows. Take their mean.",
    ),
    (
        lambda x, q, y, t, a: right_loss(x, q, y, t, a) + a * t**2 * (q * np.log(q)).sum(axis=1).mean(),
        "That is the KL divergence: the same slopes, another number. Take minus the sum of q log p alone.",
    ),
    "It is alpha * T**2 * (mean of minus sum of q log p) + (1 - alpha) * the cross-entropy with the labels.",
)


@exercise(
    "36 loss",
    "The student's softened logarithms are ad.log_softmax(scores / temperature, axis=1).",
    "The soft part is taught = -(soft * logs).sum(axis=1).mean(). The other is "
    "nn.cross_entropy(scores, labels).",
    "return alpha * temperature**2 * taught + (1 - alpha) * nn.cross_entropy(scores, labels)",
)
def loss(function):
    """Judge the loss of a student with a teacher."""
    rng = np.random.default_rng(0)
    for n, classes, settings in ((1, 2, (3, 0.5)), (3, 4, (5, 0.25)), (4, 10, ())):
        scores = np.round(rng.normal(size=(n, classes)), 1)
        soft = right_softened(np.round(rng.normal(size=(n, classes)), 1), 2)
        labels = rng.integers(classes, size=n)
        said = f"distillation for {n} row{'s' * (n > 1)} of {classes} scores"
        said += f", temperature {settings[0]} and alpha {settings[1]}" if settings else " without settings"
        tensor = Tensor(scores)
        header = "def distillation(scores, soft, labels, temperature=20, alpha=0.9):"
        if not settings and len(getattr(function, "__defaults__", None) or ()) < 2:
            raise Mistake(f"Keep the defaults of temperature and alpha. The first line should be `{header}`.")
        answer = call(function, tensor, soft, labels, *settings, said=said, header=header)
        values = settings or (20, 0.9)
        found = array(answer, f"{said} gave")
        wanted = np.array(right_loss(scores, soft, labels, *values))
        if not same(found, wanted):
            kind = kind_of(found, LOSS_KINDS, scores, soft, labels, *values)
            if found.shape != wanted.shape:
                raise Mistake(f"{said} has the shape {found.shape}; one number is asked for. {kind}")
            raise Mistake(f"{said} gives {found:.4f}; it should give {wanted:.4f}. {kind}")
        if not isinstance(answer, Tensor) or not answer.requires_grad:
            raise Mistake(
                f"{said} is right as a number, and cannot be walked back to the scores. Use ad.log_softmax "
                "and nn.cross_entropy, and no NumPy in between."
            )
        answer.backward()
        slope = values[1] * values[0] * (right_softened(scores, values[0]) - soft)
        slope += (1 - values[1]) * (softmax_rows(scores) - np.eye(classes)[labels])
        if tensor.grad is None or not same(tensor.grad.numpy(), slope / n):
            raise Mistake(f"{said} is right as a number, and the gradient of one of its parts is lost.")
    judge_large_scores(function)
    return "Two masters, and with the square the teacher is heard at every temperature."


def judge_large_scores(function):
    """Raise Mistake unless the loss is right where a softmax is 0."""
    scores, soft, labels = np.array([[4000.0, 0.0]]), np.array([[0.75, 0.25]]), np.array([0])
    said = "distillation for the scores [[4000, 0]], temperature 2 and alpha 0.5"
    with np.errstate(all="ignore"):
        found = array(call(function, Tensor(scores), soft, labels, 2, 0.5, said=said), f"{said} gave")
    wanted = right_loss(scores, soft, labels, 2, 0.5)
    if not same(found, np.array(wanted)):
        raise Mistake(
            f"{said} gives {found:g}; it should give {wanted:g}. Where a softmax is 0 its logarithm is minus "
            "infinity. ad.log_softmax takes the logarithm before the numbers become 0."
        )


# -- the spread ---------------------------------------------------------------------------------------------

MARKS = ([480.0, 484.0, 494.0], [475.0, 478.0, 478.0, 476.0, 473.0], [3.0, 3.0, 9.0])


def deviation(marks):
    """The standard deviation with n - 1."""
    return np.std(marks, ddof=1)


SPREAD_KINDS = (
    (
        lambda m: np.array([np.mean(m), np.std(m)]),
        "The sum of the squares is divided by n. Divide by n - 1: ddof=1.",
    ),
    (lambda m: np.array([np.mean(m), np.var(m, ddof=1)]), "That is the square of the spread. Take the root."),
    (
        lambda m: np.array([np.mean(m), np.var(m)]),
        "That is the square of the spread, with n. Take n - 1 and the root.",
    ),
    (lambda m: np.array([deviation(m), np.mean(m)]), "They are exchanged: first the mean."),
    (lambda m: np.array([np.median(m), deviation(m)]), "The first is the median. The mean is asked for."),
    (
        lambda m: np.array([np.mean(m), np.ptp(m)]),
        "The second is the largest minus the smallest. The standard deviation is asked for.",
    ),
    (
        lambda m: np.array([np.mean(m), deviation(m) / len(m) ** 0.5]),
        "The second is divided by the root of n. That comes in step two.",
    ),
    (lambda m: np.array(np.mean(m)), "That is the mean alone. Return both, with a comma between them."),
    "np.mean(marks) and np.std(marks, ddof=1) are asked for.",
)


@exercise(
    "36 spread",
    "The mean is np.mean(marks).",
    "np.std(marks, ddof=1) divides the sum of the squares by n - 1, and takes the root.",
    "return np.mean(marks), np.std(marks, ddof=1)",
)
def spread(function):
    """Judge the mean and the standard deviation of a few marks."""
    for marks in MARKS:
        said = f"mean_and_spread({listed(marks)})"
        found = array(call(function, list(marks), said=said), f"{said} gave")
        wanted = np.array([np.mean(marks), deviation(marks)])
        if not same(found, wanted):
            kind = kind_of(found, SPREAD_KINDS, marks)
            raise Mistake(f"{said} gives {listed(found, 2)}; it should give {listed(wanted, 2)}. {kind}")
    return "From few marks the spread is known badly, and from one not at all."


def standard_error(some, others):
    """The standard error of the difference of two means."""
    return np.sqrt(deviation(some) ** 2 / len(some) + deviation(others) ** 2 / len(others))


def gap(some, others):
    """The difference of the means."""
    return np.mean(some) - np.mean(others)


ERROR_KINDS = (
    (lambda a, b: -gap(a, b) / standard_error(a, b), "The sign is turned: some minus others."),
    (
        lambda a, b: abs(gap(a, b)) / standard_error(a, b),
        "The sign is missing: some minus others may be negative.",
    ),
    (gap, "That is the difference. Divide it by its standard error."),
    (standard_error, "That is the standard error. Divide the difference by it."),
    (lambda a, b: gap(a, b) / standard_error(a, b) ** 2, "The root is missing under the fraction."),
    (
        lambda a, b: gap(a, b) / np.hypot(deviation(a), deviation(b)),
        "The squares of the spreads are not divided by the numbers of marks.",
    ),
    (
        lambda a, b: gap(a, b) / np.sqrt(deviation(a) / len(a) + deviation(b) / len(b)),
        "The spreads are not squared.",
    ),
    (
        lambda a, b: gap(a, b) / np.sqrt(np.var(a) / len(a) + np.var(b) / len(b)),
        "The spreads are computed with n. Take n - 1, as in step one.",
    ),
    (
        lambda a, b: gap(a, b) / (deviation(a) / len(a) ** 0.5 + deviation(b) / len(b) ** 0.5),
        "The two uncertainties are added. Add their squares, and take the root of the sum.",
    ),
    "It is the difference of the means, divided by the root of s**2 / n + t**2 / m.",
)


@exercise(
    "36 errors",
    "With step one, (mean, s) = mean_and_spread(some), and the same for the others.",
    "The standard error is np.sqrt(s**2 / len(some) + t**2 / len(others)).",
    "return (np.mean(some) - np.mean(others)) / np.sqrt(s**2 / len(some) + t**2 / len(others))",
)
def errors(function):
    """Judge how many standard errors two means are apart."""
    cases = ((MARKS[0], MARKS[1]), (MARKS[2], MARKS[1]), (MARKS[1], MARKS[0]))
    for some, others in cases:
        said = f"errors_apart({listed(some)}, {listed(others)})"
        found = number(call(function, list(some), list(others), said=said))
        wanted = gap(some, others) / standard_error(some, others)
        if not close(found, wanted):
            kind = kind_of(np.array(found), ERROR_KINDS, some, others)
            raise Mistake(f"{said} gives {found:.3f}; it should give {wanted:.3f}. {kind}")
    return "The mean of more marks is more certain, and the same difference then counts more."


# -- the slope ----------------------------------------------------------------------------------------------

SLOPE_KINDS = (
    (
        lambda x, q, t: t**2 * (right_softened(x, t) - q) / len(x),
        "One T is too many: the slope of scores / T is 1 / T, so of T squared one T is left.",
    ),
    (lambda x, q, t: (right_softened(x, t) - q) / t / len(x), "The factor T squared is missing."),
    (lambda x, q, t: (right_softened(x, t) - q) / len(x), "One T is left of T squared: T**2 / T."),
    (
        lambda x, q, t: t * (right_softened(x, t) - q),
        "It is the gradient of a mean over the rows: divide by n.",
    ),
    (
        lambda x, q, t: t * (q - right_softened(x, t)) / len(x),
        "The sign is turned: what the student says minus what the teacher says.",
    ),
    (lambda x, q, t: t * (softmax_rows(x) - q) / len(x), "The student's probabilities are softened too."),
    (lambda x, q, t: t * right_softened(x, t) / len(x), "The teacher's soft labels are missing."),
    (
        lambda x, q, t: t * (right_softened(x, t) - q) / x.size,
        "The mean is over the n rows alone, and not over all numbers.",
    ),
    "For one row, the slope of cross-entropy by scores / T is p - q.",
)


@exercise(
    "36 slope",
    "In lesson 13, the gradient of softmax cross-entropy was p minus the one-hot target. With soft labels q "
    "it is p - q, by the scores that enter the softmax.",
    "These are scores / T, so by the scores themselves it is (p - q) / T. And there is the factor T**2.",
    "return temperature * (softened(scores, temperature) - soft) / len(scores)",
)
def slope(function):
    """Judge the gradient of the soft part with respect to the scores."""
    check_own_work(
        function, {"backward", "grad", "Tensor", "cross_entropy"}, "Write the gradient as a formula."
    )
    rng = np.random.default_rng(1)
    for n, classes, temperature in ((1, 2, 4), (3, 4, 20), (2, 3, 1)):
        scores = np.round(rng.normal(size=(n, classes)), 1)
        soft = right_softened(np.round(rng.normal(size=(n, classes)), 1), temperature)
        said = f"slope for {n} row{'s' * (n > 1)} of {classes} scores and temperature {temperature}"
        found = array(call(function, scores.copy(), soft.copy(), temperature, said=said), f"{said} gave")
        wanted = temperature * (right_softened(scores, temperature) - soft) / n
        if not same(found, wanted):
            kind = kind_of(found, SLOPE_KINDS, scores, soft, temperature)
            if found.shape != wanted.shape:
                raise Mistake(f"{said} has the shape {found.shape}; it should be {wanted.shape}. {kind}")
            first, right = (in_words(rows[0, :2], 4) for rows in (found, wanted))
            raise Mistake(f"{said} begins with {first}; it should begin with {right}. {kind}")
    return "It is T times what the student says minus what the teacher says."
