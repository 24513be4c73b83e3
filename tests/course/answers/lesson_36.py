"""Answers to the exercises of lesson 36."""

from . import Right, Wrong


def changed(code, old, new):
    """The answer with one part of it different."""
    assert old in code
    return code.replace(old, new)


SOFTENED = """
def softened(scores, temperature):
    z = (scores - scores.max(axis=1, keepdims=True)) / temperature
    powers = np.exp(z)
    return powers / powers.sum(axis=1, keepdims=True)
softened"""

LOSS = """
def distillation(scores, soft, labels, temperature=20, alpha=0.9):
    logs = ad.log_softmax(scores / temperature, axis=1)
    taught = -(soft * logs).sum(axis=1).mean()
    return alpha * temperature**2 * taught + (1 - alpha) * ad.nn.cross_entropy(scores, labels)
distillation"""

SPREAD = "lambda marks: (np.mean(marks), np.std(marks, ddof=1))"

ERRORS = """
def errors_apart(some, others):
    s, t = np.std(some, ddof=1), np.std(others, ddof=1)
    return (np.mean(some) - np.mean(others)) / np.sqrt(s**2 / len(some) + t**2 / len(others))
errors_apart"""

SLOPE = """
def softened(scores, temperature):
    powers = np.exp(scores / temperature)
    return powers / powers.sum(axis=1, keepdims=True)
def slope(scores, soft, temperature):
    return temperature * (softened(scores, temperature) - soft) / len(scores)
slope"""

ANSWERS = {
    "36 hot": [
        Right("a tenth", "0.1"),
        Right("computed", "1 / 10"),
        Wrong("nothing", "0", "add up to 1"),
        Wrong("one", "1", "near 0"),
        Wrong("a half", "0.5", "two scores"),
        Wrong("ten", "10", "other way round"),
        Wrong("something else", "42", "very large number"),
        Wrong("a word", "'all equal'", "A number is asked for"),
    ],
    "36 softened": [
        Right("as the lesson", SOFTENED),
        Right("largest subtracted after dividing", changed(SOFTENED, "(scores - scores.max(axis=1, keepdims=True)) / temperature", "scores / temperature\n    z = z - z.max()")),
        Right("the package's softmax", "lambda scores, temperature: ad.softmax(scores / temperature, axis=1)"),
        Wrong("no temperature", changed(SOFTENED, " / temperature", ""), "not used"),
        Wrong("multiplied", changed(SOFTENED, ") / temperature", ") * temperature"), "multiplied by the temperature"),
        Wrong("probabilities divided", changed(changed(SOFTENED, ") / temperature", ")"), "keepdims=True)\nsoft", "keepdims=True) / temperature\nsoft"), "probabilities are divided"),
        Wrong("powers alone", "lambda scores, temperature: np.exp(scores / temperature)", "not divided by their sum"),
        Wrong("all rows together", changed(SOFTENED, "powers.sum(axis=1, keepdims=True)", "powers.sum()"), ""),
        Wrong("columns", changed(SOFTENED, "powers.sum(axis=1, keepdims=True)", "powers.sum(axis=0)"), ""),
        Wrong("overflows", changed(SOFTENED, "(scores - scores.max(axis=1, keepdims=True))", "scores"), "overflows"),
        Wrong("prints", changed(SOFTENED, "return powers", "p = powers"), "returns nothing"),
        Wrong("in place", changed(SOFTENED, "z = (scores - scores.max(axis=1, keepdims=True)) / temperature", "scores -= scores.max(axis=1, keepdims=True)\n    z = scores / temperature"), "changed the scores"),
    ],
    "36 loss": [
        Right("as the lesson", LOSS),
        Wrong("log of softmax", changed(LOSS, "ad.log_softmax(scores / temperature, axis=1)", "ad.log(ad.softmax(scores / temperature, axis=1))"), "ad.log_softmax takes the logarithm before"),
        Wrong("a mean over all numbers", changed(LOSS, ".sum(axis=1).mean()", ".mean()"), "Sum over each row"),
        Wrong("the KL divergence", changed(LOSS, "-(soft * logs)", "(soft * (np.log(soft) - logs))"), "the same slopes, another number"),
        Right("divided by n", changed(LOSS, ".sum(axis=1).mean()", ".sum() / len(soft)")),
        Wrong("no square", changed(LOSS, "alpha * temperature**2", "alpha"), "temperature squared"),
        Wrong("T alone", changed(LOSS, "temperature**2", "temperature"), "T squared"),
        Wrong("the square for both", changed(LOSS, "(1 - alpha) * ad", "temperature**2 * (1 - alpha) * ad"), "Only the soft part"),
        Wrong("weights exchanged", changed(changed(LOSS, "alpha * temp", "(1 - alpha) * temp"), "+ (1 - alpha)", "+ alpha"), "weights are exchanged"),
        Wrong("no alpha", changed(changed(LOSS, "alpha * temp", "temp"), "(1 - alpha) * ", ""), "alpha is not used"),
        Wrong("the soft part alone", changed(LOSS, " + (1 - alpha) * ad.nn.cross_entropy(scores, labels)", ""), "true labels is missing"),
        Wrong("the hard part alone", changed(LOSS, "alpha * temperature**2 * taught + ", ""), "soft labels is missing"),
        Wrong("the wrong sign", changed(LOSS, "-(soft", "(soft"), "wrong sign"),
        Wrong("the student not softened", changed(LOSS, "scores / temperature", "scores"), "divided by the temperature too"),
        Wrong("the hard part softened", changed(LOSS, "cross_entropy(scores,", "cross_entropy(scores / temperature,"), "temperature 1"),
        Wrong("through NumPy", changed(LOSS, "    logs =", "    scores = scores.numpy()\n    logs ="), "cannot be walked back"),
        Wrong("half through NumPy", changed(LOSS, "taught = -(soft * logs)", "taught = -(soft * logs.numpy())"), "one of its parts is lost"),
        Wrong("without defaults", changed(LOSS, "temperature=20, alpha=0.9", "temperature, alpha"), "Keep the defaults"),
        Wrong("fixed numbers", changed(LOSS, "    logs", "    temperature, alpha = 20, 0.9\n    logs"), "it should give"),
        Wrong("prints", changed(LOSS, "return", "loss ="), "returns nothing"),
    ],
    "36 spread": [
        Right("NumPy", SPREAD),
        Right("by hand", "def f(marks):\n    m = sum(marks) / len(marks)\n    return [m, (sum((x - m) ** 2 for x in marks) / (len(marks) - 1)) ** 0.5]\nf"),
        Wrong("n", "lambda marks: (np.mean(marks), np.std(marks))", "ddof=1"),
        Wrong("the standard error", "lambda marks: (np.mean(marks), np.std(marks, ddof=1) / len(marks) ** 0.5)", "That comes in step two"),
        Wrong("the median", "lambda marks: (np.median(marks), np.std(marks, ddof=1))", "The mean is asked for"),
        Wrong("the variance", "lambda marks: (np.mean(marks), np.var(marks, ddof=1))", "Take the root"),
        Wrong("exchanged", "lambda marks: (np.std(marks, ddof=1), np.mean(marks))", "exchanged"),
        Wrong("the range", "lambda marks: (np.mean(marks), max(marks) - min(marks))", "largest minus the smallest"),
        Wrong("the mean alone", "lambda marks: np.mean(marks)", "mean alone"),
        Wrong("prints", "def f(marks):\n    print(np.mean(marks), np.std(marks, ddof=1))\nf", "returns nothing"),
    ],
    "36 errors": [
        Right("as the solutions", ERRORS),
        Wrong("turned", changed(ERRORS, "np.mean(some) - np.mean(others)", "np.mean(others) - np.mean(some)"), "sign is turned"),
        Wrong("without a sign", changed(ERRORS, "(np.mean(some) - np.mean(others))", "abs(np.mean(some) - np.mean(others))"), ""),
        Wrong("the difference", "lambda some, others: np.mean(some) - np.mean(others)", "Divide it by"),
        Wrong("no root", changed(ERRORS, "np.sqrt", ""), "root is missing"),
        Wrong("spreads alone", changed(changed(ERRORS, " / len(some)", ""), " / len(others)", ""), "numbers of marks"),
        Wrong("not squared", changed(changed(ERRORS, "s**2", "s"), "t**2", "t"), "not squared"),
        Wrong("n", changed(ERRORS, ", ddof=1", ""), "Take n - 1"),
        Wrong("prints", changed(ERRORS, "return", "x ="), "returns nothing"),
    ],
    "36 slope": [
        Right("the formula", SLOPE),
        Wrong("T squared", changed(SLOPE, "return temperature * (", "return temperature**2 * ("), "One T is too many"),
        Wrong("divided by T", changed(SLOPE, "return temperature * (softened(scores, temperature) - soft)", "return (softened(scores, temperature) - soft) / temperature"), "T squared is missing"),
        Wrong("no T", changed(SLOPE, "return temperature * (", "return ("), "One T is left"),
        Wrong("no mean", changed(SLOPE, " / len(scores)\n", "\n"), ""),
        Wrong("the sign", changed(SLOPE, "(softened(scores, temperature) - soft)", "(soft - softened(scores, temperature))"), "sign is turned"),
        Wrong("not softened", changed(SLOPE, "softened(scores, temperature) -", "softened(scores, 1) -"), "softened too"),
        Wrong("a mean over all", changed(SLOPE, "len(scores)", "scores.size"), "n rows alone"),
        Wrong("the walk back", "def slope(scores, soft, temperature):\n    s = ad.Tensor(scores)\n    (-(soft * ad.log_softmax(s / temperature, axis=1)).sum(axis=1).mean() * temperature**2).backward()\n    return s.grad\nslope", "as a formula"),
        Wrong("prints", changed(SLOPE, "    return temperature", "    x = temperature"), "returns nothing"),
    ],
}  # fmt: skip
