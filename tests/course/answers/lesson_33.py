"""Answers to the exercises of lesson 33."""

from . import Right, Wrong


def judge(body):
    return f"lambda real, forged: {body}"


def forger(body):
    return f"lambda forged: {body}"


def gaps(body):
    return f"lambda forgeries, pictures: {body}"


DIFFERENCE = "(forgeries[:, None] - pictures[None])"
GAPS = f"({DIFFERENCE} ** 2).sum(axis=-1)"

ANSWERS = {
    "33 judge": [
        Right("softplus", judge("ad.softplus(-real).mean() + ad.softplus(forged).mean()")),
        Right("the package's loss", "from autodiff import nn\n" + judge("nn.binary_cross_entropy_with_logits(real, np.ones(real.shape)) + nn.binary_cross_entropy_with_logits(forged, np.zeros(forged.shape))")),
        Wrong("exchanged", judge("ad.softplus(real).mean() + ad.softplus(-forged).mean()"), "signs are exchanged"),
        Wrong("a minus too many", judge("ad.softplus(-real).mean() + ad.softplus(-forged).mean()"), "calling the forgeries real"),
        Wrong("a minus too few", judge("ad.softplus(real).mean() + ad.softplus(forged).mean()"), "punishes high scores"),
        Wrong("half", judge("(ad.softplus(-real).mean() + ad.softplus(forged).mean()) / 2"), "half of it"),
        Wrong("a difference", judge("ad.softplus(-real).mean() - ad.softplus(forged).mean()"), "Both means are added"),
        Wrong("real alone", judge("ad.softplus(-real).mean()"), "forgeries are missing"),
        Wrong("forged alone", judge("ad.softplus(forged).mean()"), "real pictures are missing"),
        Wrong("sums", judge("ad.softplus(-real).sum() + ad.softplus(forged).sum()"), "Take the means"),
        Wrong("no mean", judge("ad.softplus(-real) + ad.softplus(forged)"), "single number"),
        Wrong("one mean of the sum", judge("(ad.softplus(-real) + ad.softplus(forged)).mean()"), "take each mean first"),
        Wrong("the mean first", judge("ad.softplus(-real.mean()) + ad.softplus(forged.mean())"), "each score first"),
        Wrong("scores", judge("forged.mean() - real.mean()"), "scores alone"),
        Wrong("negative", judge("-ad.softplus(-real).mean() - ad.softplus(forged).mean()"), "sign is wrong"),
        Wrong("overflows", judge("ad.log(1 + ad.exp(-real)).mean() + ad.log(1 + ad.exp(forged)).mean()"), "does without both"),
        Wrong("a plain number", judge("float((ad.softplus(-real).mean() + ad.softplus(forged).mean()).item())"), "not a Tensor"),
        Wrong("without a graph", judge("ad.Tensor((ad.softplus(-real).mean() + ad.softplus(forged).mean()).item())"), "walk back gives"),
        Wrong("a constant", judge("ad.Tensor(0.440190)"), "walk back gives"),
        Wrong("prints", judge("print(real)"), "returns nothing"),
        Wrong("one argument", "lambda real: real", "hands over 2 arguments"),
    ],
    "33 forger": [
        Right("softplus", forger("ad.softplus(-forged).mean()")),
        Right("the package's loss", "from autodiff import nn\n" + forger("nn.binary_cross_entropy_with_logits(forged, np.ones(forged.shape))")),
        Wrong("the judge's", forger("ad.softplus(forged).mean()"), "wants high scores"),
        Wrong("the judge's with the other sign", forger("-ad.softplus(forged).mean()"), "it is flat"),
        Wrong("negative", forger("-ad.softplus(-forged).mean()"), "sees through every forgery"),
        Wrong("the sum", forger("ad.softplus(-forged).sum()"), "That is the sum"),
        Wrong("the mean first", forger("ad.softplus(-forged.mean())"), "each score first"),
        Wrong("the score", forger("-forged.mean()"), "score alone"),
        Wrong("a probability", forger("ad.sigmoid(-forged).mean()"), "logarithm is still to come"),
        Wrong("no mean", forger("ad.softplus(-forged)"), "single number"),
        Wrong("the logarithm of 0", forger("-ad.log(ad.sigmoid(forged)).mean()"), "logarithm of 0"),
        Wrong("a plain number", forger("np.logaddexp(0, -forged.numpy()).mean()"), "not a Tensor"),
        Wrong("prints", forger("print(forged)"), "returns nothing"),
    ],
    "33 undecided": [
        Right("rounded", "1.386"),
        Right("computed", "2 * math.log(2)"),
        Wrong("one mean", "math.log(2)", "one of the two means"),
        Wrong("nothing", "0", "always right"),
        Wrong("one half", "0.5", "minus its logarithm"),
        Wrong("one", "1", "their logarithms"),
        Wrong("base 10", "2 * math.log10(2)", "base 10"),
        Wrong("base 2", "2", "base 2"),
        Wrong("negative", "-2 * math.log(2)", "The sign is wrong"),
        Wrong("something else", "3", "What is softplus(0)"),
    ],
    "33 different": [
        Right("bincount", "lambda digits, least: int((np.bincount(digits, minlength=10) >= least).sum())"),
        Right("a loop", "lambda digits, least: sum(list(digits).count(k) >= least for k in range(10))"),
        Wrong("all that occur", "lambda digits, least: len(set(digits))", "least has no effect"),
        Wrong("more than", "lambda digits, least: (np.bincount(digits, minlength=10) > least).sum()", "exactly least times"),
        Wrong("from 1", "lambda digits, least: sum(list(digits).count(k) >= least for k in range(1, 10))", "The 0 is a digit"),
        Wrong("to 8", "lambda digits, least: sum(list(digits).count(k) >= least for k in range(9))", "The 9 is a digit"),
        Wrong("the forgeries", "lambda digits, least: sum(c for c in np.bincount(digits) if c >= least)", "Those are the forgeries"),
        Wrong("the most frequent", "lambda digits, least: np.bincount(digits).max()", "most frequent"),
        Wrong("all", "lambda digits, least: len(digits)", "in all"),
        Wrong("which", "lambda digits, least: np.bincount(digits, minlength=10) >= least", "Count how often"),
        Wrong("a constant", "lambda digits, least: 10", "Count how often"),
        Wrong("prints", "lambda digits, least: print(digits)", "returns nothing"),
    ],
    "33 slopes": [
        Right("by hand", "lambda score: (-1 / (1 + np.exp(score)), -1 / (1 + np.exp(-score)))"),
        Right("an array", "lambda score: np.array([1 / (1 + np.exp(-score)) - 1, -1 / (1 + np.exp(-score))])"),
        Right("two Tensors", "lambda score: (-ad.sigmoid(ad.Tensor(-score)), -ad.sigmoid(ad.Tensor(score)))"),
        Wrong("by nudges", """
def slopes(score):
    a, b = (lambda s: np.log(1 + np.exp(-s))), (lambda s: -np.log(1 + np.exp(s)))
    return tuple((f(score + 1e-6) - f(score - 1e-6)) / 2e-6 for f in (a, b))
slopes""", "Nudges are not exact"),
        Wrong("no inner slope", "lambda score: (1 / (1 + np.exp(score)), -1 / (1 + np.exp(-score)))", "inner slope is -1"),
        Wrong("no minus", "lambda score: (-1 / (1 + np.exp(score)), 1 / (1 + np.exp(-score)))", "minus in front"),
        Wrong("both positive", "lambda score: (1 / (1 + np.exp(score)), 1 / (1 + np.exp(-score)))", "both slopes are negative"),
        Wrong("exchanged", "lambda score: (-1 / (1 + np.exp(-score)), -1 / (1 + np.exp(score)))", "exchanged"),
        Wrong("the losses", "lambda score: (np.logaddexp(0, -score), -np.logaddexp(0, score))", "Those are the losses"),
        Wrong("one slope", "lambda score: -1 / (1 + np.exp(score))", "Two numbers"),
        Wrong("constants", "lambda score: (-0.5, -0.5)", "chain rule"),
        Wrong("prints", "lambda score: print(score)", "returns nothing"),
    ],
    "33 distances": [
        Right("broadcast", gaps(GAPS)),
        Right("loops", gaps("np.array([[((f - p) ** 2).sum() for p in pictures] for f in forgeries])")),
        Right("by products", gaps("(forgeries ** 2).sum(axis=1)[:, None] - 2 * forgeries @ pictures.T + (pictures ** 2).sum(axis=1)")),
        Wrong("roots", gaps(f"np.sqrt({GAPS})"), "no square root"),
        Wrong("exchanged", gaps(f"{GAPS}.T"), "a row for each forgery"),
        Wrong("means", gaps(f"({DIFFERENCE} ** 2).mean(axis=-1)"), "Take the sum"),
        Wrong("absolute", gaps(f"abs({DIFFERENCE}).sum(axis=-1)"), "Square them"),
        Wrong("no sum", gaps(f"{DIFFERENCE} ** 2"), "Sum over the pixels"),
        Wrong("no square", gaps(f"{DIFFERENCE}.sum(axis=-1)"), "before they are summed"),
        Wrong("products", gaps("forgeries @ pictures.T"), "That is the product"),
        Wrong("zeros", gaps("np.zeros((len(forgeries), len(pictures)))"), "For a row of each"),
        Wrong("prints", gaps("print(forgeries)"), "returns nothing"),
    ],
    "33 nearest": [
        Right("argmin", gaps(f"{GAPS}.argmin(axis=1)")),
        Right("a list", gaps("[min(range(len(pictures)), key=lambda k: ((f - pictures[k]) ** 2).sum()) for f in forgeries]")),
        Wrong("the distances", gaps(f"{GAPS}.min(axis=1)"), "argmin"),
        Wrong("the farthest", gaps(f"{GAPS}.argmax(axis=1)"), "farthest away"),
        Wrong("the largest product", gaps("(forgeries @ pictures.T).argmax(axis=1)"), "the largest product"),
        Wrong("absolute", gaps(f"abs({DIFFERENCE}).sum(axis=-1).argmin(axis=1)"), "squared distances of step one"),
        Wrong("by picture", gaps(f"{GAPS}.argmin(axis=0)"), "axis=1"),
        Wrong("one for all", gaps(f"{GAPS}.argmin()"), "one number for all"),
        Wrong("zeros", gaps("np.zeros(len(forgeries))"), "in which its row"),
        Wrong("prints", gaps("print(forgeries)"), "returns nothing"),
    ],
}
