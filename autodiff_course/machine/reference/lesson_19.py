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
            Probe(
                "log_softmax(Tensor(np.array([[1000.0, 0.0], [0.0, 0.0]]))).data[1].round(4)",
                [-0.6931, -0.6931],
            ),
            Probe(
                "s = Tensor(np.array([[2.0, 1, 0]]))\nbackward(log_softmax(s), np.array([[1.0, 0, 0]]))\nnp.round(s.grad, 3)",
                [[0.335, -0.245, -0.09]],
            ),
            Probe("log_softmax(np.array([[1.0, 1.0]])).round(4)", [[-0.6931, -0.6931]]),
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
                "a softmax written out",
                "exp(1000) is too large for a number, and the logarithm of 0 is -inf. Subtract the maximum first, and "
                "compute no probability.",
                (
                    "apart = scores - np.max(value(scores), axis=1, keepdims=True)\n    return apart - log(exp(apart).sum(axis=1, keepdims=True))",
                    "powers = exp(scores)\n    return log(powers / powers.sum(axis=1, keepdims=True))",
                ),
            ),
            Wrong(
                "probabilities",
                "Those are the probabilities. Their logarithms are asked for, computed without them.",
                (
                    "apart = scores - np.max(value(scores), axis=1, keepdims=True)\n    return apart - log(exp(apart).sum(axis=1, keepdims=True))",
                    "return softmax(scores)",
                ),
            ),
            Wrong(
                "down the columns",
                "axis=0 goes down the columns, from example to example. The scores of one example are a row: axis=1.",
                ("np.max(value(scores), axis=1", "np.max(value(scores), axis=0"),
                ("sum(axis=1", "sum(axis=0"),
            ),
            Wrong(
                "a sum down the columns",
                "axis=0 goes down the columns, from example to example. The scores of one example are a row: axis=1.",
                ("sum(axis=1", "sum(axis=0"),
            ),
            Wrong(
                "a new Tensor",
                "No gradient comes back to the scores. Compute with the Tensor itself; only the maximum may be a plain "
                "number.",
                ("apart = scores -", "apart = Tensor(value(scores)) -"),
            ),
            Wrong(
                "the maximum of .data",
                "log_softmax is also called with a plain array, whose .data is something else. Write value(scores), which "
                "is right for both.",
                ("np.max(value(scores), axis=1, keepdims=True)", "scores.data.max(axis=1, keepdims=True)"),
            ),
            Wrong(
                "no keepdims",
                "Without keepdims=True there is still one number for each row, but they lie in a row, and no longer in a "
                "column beside the table. So they are subtracted from the wrong places, or do not fit at all.",
                ("axis=1, keepdims=True)\n", "axis=1)\n"),
                ("sum(axis=1, keepdims=True)", "sum(axis=1)"),
            ),
            Wrong(
                "no keepdims in the sum",
                "Without keepdims=True the sums lose an axis: they are no longer a column beside the table, with a sum for "
                "each row. Write sum(axis=1, keepdims=True).",
                ("sum(axis=1, keepdims=True)", "sum(axis=1)"),
            ),
            Wrong(
                "no keepdims in the maximum",
                "Without keepdims=True the maxima lose an axis: they are no longer a column beside the table, with a maximum "
                "for each row. Write np.max(..., axis=1, keepdims=True).",
                ("axis=1, keepdims=True)\n", "axis=1)\n"),
            ),
            Wrong(
                "the powers of the scores themselves",
                "The powers are those of the scores before the maximum was subtracted. Take exp of what is left after it.",
                ("exp(apart)", "exp(scores)"),
            ),
            Wrong(
                "the graph is cut at the scores",
                "value(scores) is plain, so everything computed from it is plain, and no gradient comes back. "
                "Only the maximum may use value; subtract it from scores itself.",
                ("apart = scores -", "apart = value(scores) -"),
                ("exp(apart)", "np.exp(apart)"),
                ("- log(", "- np.log("),
            ),
            Wrong(
                "the graph is cut in the sum",
                "The gradient of the sum is missing: value() cuts the graph there. Only the maximum may use value.",
                ("exp(apart)", "exp(value(apart))"),
                ("log(", "np.log("),
            ),
            Wrong(
                "the maximum taken away once",
                "These would be probabilities above 1. The maximum has to be subtracted in both places where the scores are used.",
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
            Probe("softmax_cross_entropy(Tensor(np.zeros((4, 10))), np.arange(4))", "a Tensor with 2.30259"),
            Probe(
                "s, targets = Tensor(np.array([[2.0, 1, 0], [0, 3, 1]])), np.array([2, 1])\n"
                "round(float(softmax_cross_entropy(s, targets).data - cross_entropy(softmax(s), targets).data), 9)",
                0.0,
            ),
            Probe(
                "float(softmax_cross_entropy(Tensor(np.array([[0.0, 1000.0]])), np.array([0])).data)", 1000.0
            ),
            Probe(
                "s = Tensor(np.zeros((2, 2)))\nbackward(softmax_cross_entropy(s, np.array([0, 1])))\ns.grad",
                [[-0.25, 0.25], [0.25, -0.25]],
            ),
        ),
        (
            Wrong(
                "sum in place of mean",
                "This is the sum over the rows. The mean does not grow with the batch.",
                (".mean()", ".sum()"),
            ),
            Wrong(
                "the mean over the whole one-hot table",
                "The mean is taken over all numbers of the table, the zeros of one-hot included. Divide by the number of rows.",
                (
                    "-log_softmax(scores)[np.arange(len(targets)), targets].mean()",
                    "-(log_softmax(scores) * np.eye(shape(scores)[1])[targets]).mean()",
                ),
            ),
            Wrong(
                "no minus",
                "The logarithms of probabilities are below 0. A minus makes the loss positive.",
                ("-log_softmax", "log_softmax"),
            ),
            Wrong(
                "by way of the probabilities",
                "A probability became 0 before its logarithm was taken. Use log_softmax.",
                (
                    "-log_softmax(scores)[np.arange(len(targets)), targets].mean()",
                    "cross_entropy(softmax(scores), targets)",
                ),
            ),
            Wrong(
                "plain numbers",
                "This is a plain number, so no walk back can begin there. Pick from the Tensor itself, without .data "
                "or value.",
                ("-log_softmax(scores)[", "-value(log_softmax(scores))["),
            ),
            Wrong(
                "rows in place of numbers",
                "[targets] picks whole rows. Pick one number from each row: [np.arange(len(targets)), targets].",
                ("[np.arange(len(targets)), targets]", "[targets]"),
            ),
            Wrong(
                "no mean",
                "There is one loss for each row. Take their mean.",
                (", targets].mean()", ", targets]"),
            ),
            Wrong(
                "the logarithm twice",
                "cross_entropy takes the logarithm once more. log_softmax gives logarithms already: pick from them.",
                (
                    "-log_softmax(scores)[np.arange(len(targets)), targets].mean()",
                    "cross_entropy(log_softmax(scores), targets)",
                ),
            ),
            Wrong(
                "all targets of all rows",
                "For each row, the targets of all rows are picked. Two lists of indices pick in pairs: np.arange(len(targets)), targets.",
                ("np.arange(len(targets)), targets", ":, targets"),
            ),
        ),
    ),
)
