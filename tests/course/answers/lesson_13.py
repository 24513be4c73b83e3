"""Lesson 13: how many digits of unknown writers are read, and the whole walk back by hand."""

from tests.course.answers import Right, Wrong

SCORES = """
def of_scores(probabilities, targets):
    gradient = probabilities.copy()
    gradient[np.arange(len(targets)), targets] -= 1
    return gradient / len(targets)
"""
SECOND = "of_second = lambda hidden, grad: (hidden.T @ grad, grad.sum(axis=0))\n"
FIRST = """
def of_first(x, hidden, W2, grad):
    before = grad @ W2.T * (1 - hidden**2)
    return x.T @ before, before.sum(axis=0)
"""


def walk(scores=SCORES, second=SECOND, first=FIRST):
    """All three steps, with some of them replaced."""
    return scores + second + first + "of_scores, of_second, of_first"


def scores(line):
    """All three steps, with another gradient of the scores."""
    return walk(f"def of_scores(p, t):\n    n, hot = len(t), np.eye(p.shape[1])[t]\n    {line}\n")


def second(result):
    """All three steps, with another result for the second layer."""
    return walk(second=f"of_second = lambda hidden, grad: ({result})\n")


def first(before, result="x.T @ before, before.sum(axis=0)"):
    """All three steps, with another way through the first layer."""
    return walk(first=f"def of_first(x, hidden, W2, grad):\n    before = {before}\n    return {result}\n")


BEFORE = "grad @ W2.T * (1 - hidden**2)"
ANSWERS = {
    "13 hands": (
        Right("the number", "464"),
        Right("near it", "450"),
        Right("a Tensor", "Tensor(470.0)"),
        Wrong("as many as before", "491", "fewer"),
        Wrong("a few less", "488", "fewer"),
        Wrong("all", "500", "fewer"),
        Wrong("blind", "50", "blind guessing"),
        Wrong("half", "250", "not as bad"),
        Wrong("a share", "0.93", "not a share"),
        Wrong("per cent", "92", "not per cent"),
        Wrong("too many", "501", "count out of 500"),
        Wrong("a word", "'few'", "A number is asked for"),
    ),
    "13 walk": (
        Right("a copy, changed", walk()),
        Right("one-hot", scores("return (p - hot) / n")),
        Right("a loop", scores("g = p / n\n    for i in range(n): g[i, t[i]] -= 1 / n\n    return g")),
        Right("lists", scores("return ((p - hot) / n).tolist()")),
        Right("a list of two", second("[hidden.T @ grad, grad.sum(0)]")),
        Right("ones in place of sum", second("hidden.T @ grad, np.ones(len(grad)) @ grad")),
        Right("in one line", first(f"({BEFORE})")),
        Wrong("scores: not divided", scores("return p - hot"), "Divide by their number"),
        Wrong("scores: turned", scores("return (hot - p) / n"), "sign is wrong"),
        Wrong("scores: the probabilities", scores("return p"), "the probabilities themselves"),
        Wrong("scores: all columns", scores("g = p.copy(); g[:, t] -= 1; return g / n"), "pick in pairs"),
        Wrong("scores: of the probabilities", scores("return -hot / p / n"), "Softmax lies between"),
        Wrong("scores: by the digits", scores("return (p - hot) / p.shape[1]"), "number of digits"),
        Wrong(
            "scores: always ten digits",
            walk("of_scores = lambda p, t: (p - np.eye(10)[t]) / len(t)\n"),
            "take their number from probabilities.shape[1]",
        ),
        Wrong("scores: targets only", scores("return (p - 1) * hot / n"), "The other digits"),
        Wrong("scores: everywhere", scores("return (p - 1) / n"), "subtracted everywhere"),
        Wrong(
            "scores: in place", scores("p[np.arange(n), t] -= 1; p /= n; return p"), "belong to the caller"
        ),
        Wrong("scores: printed", scores("print((p - hot) / n)"), "prints its result"),
        Wrong("scores: one argument", walk("of_scores = lambda p: p\n"), "hands over 2 arguments"),
        Wrong(
            "scores: of one picture only",
            walk("of_scores = lambda p, t: np.array([[0.5, -0.75, 0.25]])\n"),
            "shape",
        ),
        Wrong("second: one result", second("hidden.T @ grad"), "one array of shape (3, 2)"),
        Wrong("second: swapped", second("grad.sum(axis=0), hidden.T @ grad"), "The two are swapped"),
        Wrong("second: transposed", second("grad.T @ hidden, grad.sum(axis=0)"), "This is the transpose"),
        Wrong("second: bias as it is", second("hidden.T @ grad, grad"), "stretched over all pictures"),
        Wrong("second: the mean", second("hidden.T @ grad, grad.mean(axis=0)"), "Take the sum"),
        Wrong(
            "second: divided", second("hidden.T @ grad / len(grad), grad.sum(axis=0)"), "Do not divide again"
        ),
        Wrong("second: the other way", second("hidden @ grad, grad.sum(axis=0)"), "two shapes do not fit"),
        Wrong(
            "second: a column",
            second("hidden.T @ grad, grad.sum(axis=0, keepdims=True)"),
            "A bias has one axis",
        ),
        Wrong("first: no tanh", first("grad @ W2.T"), "The step back through tanh is missing"),
        Wrong("first: no square", first("grad @ W2.T * (1 - hidden)"), "with a square"),
        Wrong("first: tanh twice", first("grad @ W2.T * (1 - np.tanh(hidden)**2)"), "result of tanh already"),
        Wrong("first: W2 not turned", first("grad @ W2 * (1 - hidden**2)"), "two shapes do not fit"),
        Wrong("first: bias as it is", first(BEFORE, "x.T @ before, before"), "stretched over all pictures"),
        Wrong(
            "first: transposed", first(BEFORE, "before.T @ x, before.sum(axis=0)"), "This is the transpose"
        ),
    ),
}
