"""Lesson 13: probabilities, the cross-entropy, and batches."""

from ..plan import Piece, Probe, Wrong

TITLE = "A network reads digits"

SOFTMAX = "np.round(softmax(Tensor(np.array(%s))).data, 3)"
ENTROPY = """\
probabilities = Tensor(np.array([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]))
np.round(value(cross_entropy(probabilities, np.array([1, 2]))), 6)"""
SEEN = "sorted(int(i) for batch in batches(10, 4, np.random.default_rng(0)) for i in batch)"

PARTS = (
    Piece(
        "13 softmax",
        '''
def softmax(scores):
    """Scores as probabilities: none is below 0, and each row sums to 1."""
    powers = exp(scores - np.max(value(scores), axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
''',
        (
            Probe(SOFTMAX % "[[2.0, 1, 0]]", [[0.665, 0.245, 0.09]]),
            Probe(SOFTMAX % "[[2.0, 1, 0], [0, 0, 0]]", [[0.665, 0.245, 0.09], [0.333, 0.333, 0.333]]),
            Probe(SOFTMAX % "[[1000.0, 999, 998]]", [[0.665, 0.245, 0.09]]),
            Probe(SOFTMAX % "[[1000.0, 999, 998], [0, 0, 0]]", [[0.665, 0.245, 0.09], [0.333, 0.333, 0.333]]),
            Probe(
                "s = Tensor(np.array([[2.0, 1, 0]]))\nbackward(softmax(s), np.array([[1.0, 0, 0]]))\nnp.round(s.grad, 3)",
                [[0.223, -0.163, -0.06]],
            ),
            Probe("s = np.array([[2.0, 1, 0]])\nsoftmax(Tensor(s))\ns", [[2.0, 1, 0]]),
        ),
        (
            Wrong(
                "one sum for all rows",
                "All rows together sum to 1. Each row should: axis=1.",
                ("powers.sum(axis=1, keepdims=True)", "powers.sum()"),
            ),
            Wrong(
                "not divided",
                "The numbers of a row do not sum to 1. Divide each row by its sum.",
                ("powers / powers.sum(axis=1, keepdims=True)", "powers"),
            ),
            Wrong(
                "exp alone",
                "The numbers of a row do not sum to 1. Divide each row by its sum.",
                """
def softmax(scores):
    return exp(scores)
""",
            ),
            Wrong(
                "divided by the maximum",
                "Subtract the largest score of the row; do not divide by it.",
                ("scores - np.max(", "scores / np.max("),
            ),
            Wrong(
                "the sum over the columns",
                "Each column sums to 1, but it is each row that has to: axis=1.",
                ("powers.sum(axis=1", "powers.sum(axis=0"),
            ),
            Wrong(
                "axes are lost",
                "The shapes do not fit: the maxima or the sums have lost their axis. Keep it: keepdims=True makes a column.",
                ("np.max(value(scores), axis=1, keepdims=True)", "np.max(value(scores), axis=1)"),
                ("powers.sum(axis=1, keepdims=True)", "powers.sum(axis=1)"),
            ),
            Wrong(
                "NumPy's exp",
                "NumPy does not know Tensors. Use the machine's own exp, which records.",
                ("exp(scores - np.max", "np.exp(scores - np.max"),
            ),
            Wrong(
                "the sum as a plain number",
                "The sum depends on every score, too, but it was taken out of its Tensor. Only the maximum may be plain.",
                ("exp(scores - np.max(value(scores), axis=1, keepdims=True))", "exp(scores - scores.max(axis=1, keepdims=True))"),
                ("powers.sum(axis=1, keepdims=True)", "value(powers.sum(axis=1, keepdims=True))"),
            ),
            Wrong(
                "the sum as a plain number, and the maximum",
                "The sum depends on every score, too, but it was taken out of its Tensor. Only the maximum may be plain.",
                ("powers.sum(axis=1, keepdims=True)", "value(powers).sum(axis=1, keepdims=True)"),
            ),
            Wrong(
                "no maximum taken away",
                "exp(1000) is too large for a float. Subtract the largest score of the row first.",
                (" - np.max(value(scores), axis=1, keepdims=True)", ""),
            ),
            Wrong(
                "one maximum for all rows",
                "The scores of the second row are far below the largest of the first. Each row has its own maximum.",
                ("np.max(value(scores), axis=1, keepdims=True)", "np.max(value(scores))"),
            ),
            Wrong(
                "the numbers only",
                "The numbers are right, but no gradient comes back: compute with the Tensor, not with its value.",
                ("exp(scores - np", "Tensor(np.exp(value(scores) - np"),
                ("keepdims=True))\n", "keepdims=True)))\n"),
            ),
            Wrong(
                "no Tensor is left",
                "No Tensor is left, so nothing is recorded. Only the maximum may be plain.",
                ("exp(scores - np", "exp(value(scores) - np"),
            ),
            Wrong(
                "changes the scores",
                "The scores themselves were changed. Subtract into a new array.",
                (
                    "powers = exp(scores - np.max(value(scores), axis=1, keepdims=True))",
                    "scores.data -= np.max(value(scores), axis=1, keepdims=True)\n    powers = exp(scores)",
                ),
            ),
        ),
    ),
    Piece(
        "13 cross_entropy",
        '''
def cross_entropy(probabilities, targets):
    """Minus the logarithm of the right answer's probability, as a mean over the rows."""
    return -log(probabilities[np.arange(len(targets)), targets]).mean()
''',
        (
            Probe(ENTROPY, 0.804719),
            Probe("np.round(value(cross_entropy(Tensor(np.full((4, 10), 0.1)), np.arange(4))), 4)", 2.3026),
            Probe(
                "p = Tensor(np.array([[0.5, 0.5], [0.2, 0.8]]))\nbackward(cross_entropy(p, np.array([0, 1])))\nnp.round(p.grad, 4)",
                [[-1.0, 0.0], [0.0, -0.625]],
            ),
        ),
        (
            Wrong(
                "all targets of all rows",
                "For each row, the targets of all rows are picked. Two lists of indices pick in pairs.",
                ("np.arange(len(targets)), targets", ":, targets"),
            ),
            Wrong(
                "rows in place of pairs",
                "probabilities[targets] picks whole rows. Two lists pick in pairs: the row, then the target.",
                ("np.arange(len(targets)), targets", "targets"),
            ),
            Wrong(
                "the number only",
                "The number is right, but no gradient comes back: compute with the Tensor, not with its value.",
                ("-log(probabilities[", "Tensor(-np.log(value(probabilities)["),
                ("targets]).mean()", "targets]).mean())"),
            ),
            Wrong(
                "NumPy's log",
                "NumPy does not know Tensors. Use the machine's own log, which records.",
                ("-log", "-np.log"),
            ),
            Wrong(
                "the number of rows as a constant",
                "There are as many rows as targets: np.arange(len(targets)).",
                ("np.arange(len(targets))", "np.arange(1297)"),
            ),
            Wrong(
                "no minus",
                "Probabilities are below 1 and their logarithms below 0. A minus makes the loss positive.",
                ("-log", "log"),
            ),
            Wrong(
                "the logarithm of the mean",
                "First the logarithm of each probability, then the mean.",
                ("-log(probabilities[np.arange(len(targets)), targets]).mean()", "-log(probabilities[np.arange(len(targets)), targets].mean())"),
            ),
            Wrong(
                "no mean",
                "This is one loss for each row. Take their mean.",
                (".mean()", ""),
            ),
            Wrong(
                "the value of the probabilities",
                "The number is right, but no gradient comes back: compute with the Tensor, not with its value.",
                ("-log(probabilities[", "-np.log(value(probabilities)["),
            ),
            Wrong(
                "all probabilities",
                "All probabilities are taken. From each row, pick that of its target first.",
                ("probabilities[np.arange(len(targets)), targets]", "probabilities"),
            ),
            Wrong(
                "the most probable answer",
                "This takes the most probable answer of each row. Take the right one, its target.",
                ("probabilities[np.arange(len(targets)), targets]", "probabilities.max(axis=1)"),
            ),
            Wrong(
                "always ten answers",
                "There are not always ten answers: a row has probabilities.shape[1] of them.",
                ("log(probabilities[np.arange(len(targets)), targets])", "log((probabilities * np.eye(10)[targets]).sum(axis=1))"),
            ),
            Wrong(
                "always ten answers, picked last",
                "There are not always ten answers: a row has probabilities.shape[1] of them.",
                ("-log(probabilities[np.arange(len(targets)), targets]).mean()", "-(np.eye(10)[targets] * log(probabilities)).sum(axis=1).mean()"),
            ),
            Wrong("sum in place of mean", "This is the sum over the rows. The mean does not grow with the batch.", (".mean()", ".sum()")),
            Wrong(
                "no logarithm",
                "This is a probability. Take its logarithm.",
                ("-log(probabilities[np.arange(len(targets)), targets])", "-probabilities[np.arange(len(targets)), targets]"),
            ),
        ),
    ),
    Piece(
        "13 batches",
        '''
def batches(count, size, rng):
    """The numbers 0 to count - 1 in a random order, cut into batches."""
    shuffled = rng.permutation(count)
    return [shuffled[begin : begin + size] for begin in range(0, count, size)]
''',
        (
            Probe("[len(batch) for batch in batches(10, 4, np.random.default_rng(0))]", [4, 4, 2]),
            Probe(SEEN, list(range(10))),
            Probe("list(list(batches(10, 10, np.random.default_rng(0)))[0]) == list(range(10))", False),
            Probe(
                "rng = np.random.default_rng(0)\nfirst, second = list(batches(100, 100, rng)), list(batches(100, 100, rng))\n"
                "list(first[0]) == list(second[0])",
                False,
            ),
            Probe(
                "first, second = (list(batches(100, 100, np.random.default_rng(7))) for _ in range(2))\n"
                "list(first[0]) == list(second[0])",
                True,
            ),
        ),
        (
            Wrong(
                "the last batch is lost",
                "The last batch is lost. It may be shorter than the others.",
                ("range(0, count, size)", "range(0, count - size + 1, size)"),
            ),
            Wrong(
                "the first batch alone",
                "This returns one batch, the first. Collect all of them in a list.",
                (
                    "return [shuffled[begin : begin + size] for begin in range(0, count, size)]",
                    "for begin in range(0, count, size):\n        return shuffled[begin : begin + size]",
                ),
            ),
            Wrong(
                "so many parts of equal length",
                "Every batch has `size` numbers; only the last may have fewer.",
                ("[shuffled[begin : begin + size] for begin in range(0, count, size)]", "np.array_split(shuffled, count // size)"),
            ),
            Wrong(
                "batches that overlap",
                "The batches overlap, and the end is never reached. Each batch should begin `size` places after the one before.",
                ("range(0, count, size)", "range(count // size)"),
            ),
            Wrong(
                "the size as a constant",
                "The size of a batch is an input: do not write it as a number.",
                ("begin + size] for begin in range(0, count, size)", "begin + 50] for begin in range(0, count, 50)"),
            ),
            Wrong(
                "shuffled for every batch",
                "Every batch is cut from another shuffle, so some numbers come twice and others never. Shuffle once, then cut.",
                ("shuffled[begin", "rng.permutation(count)[begin"),
            ),
            Wrong(
                "not shuffled",
                "The order is the same every time. rng.permutation shuffles.",
                ("rng.permutation(count)", "np.arange(count)"),
            ),
            Wrong(
                "drawn with repetitions",
                "Some numbers come twice and others never. Draw without repetition, as rng.permutation does.",
                ("rng.permutation(count)", "rng.integers(0, count, count)"),
            ),
            Wrong(
                "batches of the wrong size",
                "size is how long a batch is, not how many batches there are.",
                ("[shuffled[begin : begin + size] for begin in range(0, count, size)]", "np.array_split(shuffled, size)"),
            ),
            Wrong(
                "another generator",
                "The order is the same every time, because a new generator always begins the same way. Use the rng that is passed in.",
                ("rng.permutation", "np.random.default_rng(0).permutation"),
            ),
            Wrong(
                "a generator without a seed",
                "The same seed gives another order each time. Use the rng that is passed in.",
                ("rng.permutation", "np.random.default_rng().permutation"),
            ),
        ),
    ),
)
