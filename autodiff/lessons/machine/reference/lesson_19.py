"""Lesson 19: losses that do not overflow."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "Losses"

PARTS = (
    Given(
        "19 squared_error",
        '''
def squared_error(out, targets):
    """The mean of the squared distances."""
    return ((out - targets) ** 2).mean()
''',
    ),
    Piece(
        "19 log_softmax",
        '''
def log_softmax(scores):
    """The logarithms of the probabilities, computed without the probabilities."""
    apart = scores - np.max(value(scores), axis=1, keepdims=True)
    return apart - log(exp(apart).sum(axis=1, keepdims=True))
''',
        (
            Probe("np.round(log_softmax(Tensor(np.array([[1.0, 1.0]]))).data, 4)", [[-0.6931, -0.6931]]),
            Probe("log_softmax(Tensor(np.array([[0.0, 1000.0]]))).data", [[-1000.0, 0.0]]),
            Probe(
                "s = np.array([[2.0, 1, 0], [0, 0, 5]])\n"
                "bool(np.allclose(log_softmax(Tensor(s)).data, np.log(softmax(Tensor(s)).data)))",
                True,
            ),
            Probe("log_softmax(Tensor(np.array([[1000.0, 0.0], [0.0, 0.0]]))).data[1].round(4)", [-0.6931, -0.6931]),
            Probe(
                "s = Tensor(np.array([[2.0, 1, 0]]))\nbackward(log_softmax(s), np.array([[1.0, 0, 0]]))\nnp.round(s.grad, 3)",
                [[0.335, -0.245, -0.09]],
            ),
        ),
        (
            Wrong(
                "the logarithm of softmax",
                "A probability became 0 before its logarithm was taken. Stay with the logarithms throughout.",
                (
                    "apart = scores - np.max(value(scores), axis=1, keepdims=True)\n    return apart - log(exp(apart).sum(axis=1, keepdims=True))",
                    "return log(softmax(scores))",
                ),
            ),
            Wrong(
                "the maximum taken away once",
                "These would be probabilities above 1. The maximum has to be subtracted in both places.",
                ("return apart -", "return scores -"),
            ),
            Wrong(
                "no maximum taken away",
                "exp(1000) is too large for a number. Subtract the largest score of the row first.",
                (" - np.max(value(scores), axis=1, keepdims=True)", " + 0"),
            ),
            Wrong(
                "one maximum for all rows",
                "The scores of the second row are far below the largest of the first. Each row has its own maximum.",
                ("np.max(value(scores), axis=1, keepdims=True)", "np.max(value(scores))"),
            ),
            Wrong(
                "one sum for all rows",
                "One sum is taken over all rows. Each row has its own: axis=1.",
                ("exp(apart).sum(axis=1, keepdims=True)", "exp(apart).sum()"),
            ),
        ),
    ),
    Piece(
        "19 softmax_cross_entropy",
        '''
def softmax_cross_entropy(scores, targets):
    """The cross-entropy straight from the scores."""
    return -log_softmax(scores)[np.arange(len(targets)), targets].mean()
''',
        (
            Probe("round(float(softmax_cross_entropy(Tensor(np.zeros((4, 10))), np.arange(4)).data), 4)", 2.3026),
            Probe(
                "s, targets = Tensor(np.array([[2.0, 1, 0], [0, 3, 1]])), np.array([2, 1])\n"
                "round(float(softmax_cross_entropy(s, targets).data - cross_entropy(softmax(s), targets).data), 9)",
                0.0,
            ),
            Probe("float(softmax_cross_entropy(Tensor(np.array([[0.0, 1000.0]])), np.array([0])).data)", 1000.0),
            Probe(
                "s = Tensor(np.zeros((2, 2)))\nbackward(softmax_cross_entropy(s, np.array([0, 1])))\ns.grad",
                [[-0.25, 0.25], [0.25, -0.25]],
            ),
        ),
        (
            Wrong("sum in place of mean", "This is the sum over the rows. The mean does not grow with the batch.", (".mean()", ".sum()")),
            Wrong(
                "no minus",
                "The logarithms of probabilities are below 0. A minus makes the loss positive.",
                ("-log_softmax", "log_softmax"),
            ),
            Wrong(
                "by way of the probabilities",
                "A probability became 0 before its logarithm was taken. Use log_softmax.",
                ("-log_softmax(scores)[np.arange(len(targets)), targets].mean()", "cross_entropy(softmax(scores), targets)"),
            ),
            Wrong(
                "all targets of all rows",
                "For each row the targets of all rows are picked. Two lists of indices pick in pairs.",
                ("np.arange(len(targets)), targets", ":, targets"),
            ),
        ),
    ),
)
