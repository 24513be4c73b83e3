"""Answers to the exercises of lesson 22."""

from . import Right, Wrong

MEAN_LOSS = """
def mean_loss(net, x, targets, size):
    total = 0
    for begin in range(0, len(x), size):
        rows = slice(begin, begin + size)
        loss = softmax_cross_entropy(net(x[rows]), targets[rows])
        total += float(value(loss)) * len(x[rows])
    return total / len(x)
mean_loss"""

CONFUSION = """
def confusion(said, right):
    table = np.zeros((10, 10), int)
    for s, r in zip(said, right):
        table[r, s] += 1
    return table
confusion"""

MOST = """
def most_confused(table):
    both = table + table.T
    pairs = [(i, j) for i in range(10) for j in range(i + 1, 10)]
    return max(pairs, key=lambda pair: both[pair])
most_confused"""


def changed(code, old, new):
    """The answer with one part of it different."""
    assert old in code
    return code.replace(old, new)


ANSWERS = {
    "22 mean": [
        Right("in percent", "75"),
        Right("as a fraction", "0.75"),
        Right("computed", "np.mean([100, 100, 100, 0])"),
        Wrong("the true share", "99", "share of all hundred pictures"),
        Wrong("the true share as a fraction", "0.99", "share of all hundred pictures"),
        Wrong("close to the true share", "98.97", "Write down the share"),
        Wrong("without the fourth", "100", "fourth batch counts"),
        Wrong("as if 99 % were spread", "74.25", "which is 100 %"),
        Wrong("three shares of two", "50", "four shares"),
        Wrong("the sum", "300", "divides it by four"),
        Wrong("the last batch", "0", "last batch alone"),
        Wrong("something else", "42", "Write down the share"),
        Wrong("a word", "'most'", "A number is asked for"),
    ],
    "22 mean loss": [
        Right("a running total", MEAN_LOSS),
        Right("the number in the loss, by .data", changed(MEAN_LOSS, "float(value(loss))", "float(loss.data)")),
        Right("the same without float", changed(MEAN_LOSS, "float(value(loss))", "loss.data")),
        Right(
            "a list of all losses, and its mean",
            """
def mean_loss(net, x, targets, size):
    rows = []
    for i in range(0, len(x), size):
        logs = log_softmax(net(x[i : i + size]))
        rows += [-float(value(line)[t]) for line, t in zip(value(logs), targets[i : i + size])]
    return np.mean(rows)
mean_loss""",
        ),
        Wrong("a mean of means", """
def mean_loss(net, x, targets, size):
    means = []
    for i in range(0, len(x), size):
        means.append(float(value(softmax_cross_entropy(net(x[i : i + size]), targets[i : i + size]))))
    return sum(means) / len(means)
mean_loss""", "mean of the batches' means"),
        Wrong("the last batch counted as full", changed(MEAN_LOSS, "* len(x[rows])", "* size"), "fewer rows than size"),
        Wrong("Tensors added up", changed(MEAN_LOSS, "float(value(loss))", "loss"), "holds the graphs of all batches"),
        Wrong("not divided", changed(MEAN_LOSS, "total / len(x)", "total"), "Divide by how many there are"),
        Wrong("return inside the loop", changed(MEAN_LOSS, "    return total / len(x)", "        return total / len(x[rows])"), "inside the loop"),
        Wrong("the last batch left out", changed(MEAN_LOSS, "range(0, len(x), size)", "range(0, len(x) - size + 1, size)"), "last, shorter batch is missing"),
        Wrong("everything at once", "lambda net, x, targets, size: float(value(softmax_cross_entropy(net(x), targets)))", "At most size rows"),
        Wrong("prints", changed(MEAN_LOSS, "return total / len(x)", "print(total / len(x))"), "returns nothing"),
        Wrong("an argument too few", "lambda net, x, targets: 0.0", "3"),
        Wrong("changes x", changed(MEAN_LOSS, "total = 0", "total = 0\n    x -= x[:, :1]"), "changed x"),
        Wrong("an endless loop", "def mean_loss(net, x, targets, size):\n    while True:\n        size += 1\nmean_loss", "never end"),
    ],
    "22 confusion": [
        Right("counted one by one", CONFUSION),
        Right("np.add.at", "def confusion(said, right):\n    table = np.zeros((10, 10))\n    np.add.at(table, (right, said), 1)\n    return table\nconfusion"),
        Right("a list of lists", "def confusion(said, right):\n    return [[sum(s == j and r == i for s, r in zip(said, right)) for j in range(10)] for i in range(10)]\nconfusion"),
        Right("it needs at least one pair", changed(CONFUSION, "    for s, r", "    assert len(said)\n    for s, r")),
        Wrong("one row ten times", changed(CONFUSION, "np.zeros((10, 10), int)", "[[0] * 10] * 10").replace("table[r, s]", "table[r][s]"), "one and the same list"),
        Wrong("one place off", changed(CONFUSION, "table[r, s]", "table[r, s - 1]"), "it should be"),
        Wrong("rows and columns exchanged", changed(CONFUSION, "table[r, s]", "table[s, r]"), "rows and columns are exchanged"),
        Wrong("lists as indices", "def confusion(said, right):\n    table = np.zeros((10, 10), int)\n    table[right, said] += 1\n    return table\nconfusion", "counted once"),
        Wrong("mistakes only", changed(CONFUSION, "    for s, r in zip(said, right):\n", "    for s, r in zip(said, right):\n        if s == r:\n            continue\n"), "on the diagonal"),
        Wrong("as large as the digits", changed(CONFUSION, "np.zeros((10, 10), int)", "np.zeros((max(right, default=0) + 1, 10), int)"), "Ten rows of ten"),
        Wrong("shares", changed(CONFUSION, "return table", "return table / max(1, len(said))"), "shares"),
        Wrong("prints", changed(CONFUSION, "return table", "print(table)"), "returns nothing"),
        Wrong("an argument too few", "lambda said: np.zeros((10, 10))", "1"),
    ],
    "22 most confused": [
        Right("both ways added", MOST),
        Right("a list comes back", changed(MOST, "return max(", "return list(max(").replace("both[pair])", "both[pair]))")),
        Right(
            "by argmax",
            """
def most_confused(table):
    both = np.triu(table + table.T, 1)
    return np.unravel_index(both.argmax(), both.shape)
most_confused""",
        ),
        Wrong("the diagonal too", changed(MOST, "range(i + 1, 10)", "range(i, 10)"), "Leave the diagonal out"),
        Wrong("one way only", changed(MOST, "table + table.T", "table"), "Count both ways"),
        Wrong("the larger one first", changed(MOST, "key=lambda pair: both[pair])", "key=lambda pair: both[pair])[::-1]"), "smaller digit comes first"),
        Wrong("how often", changed(MOST, "max(pairs, key=lambda pair: both[pair])", "max(both[pair] for pair in pairs)"), "Two digits are asked for"),
        Wrong("changes the table", changed(MOST, "both = table + table.T", "np.fill_diagonal(table, 0)\n    both = table + table.T"), "work on a copy"),
        Wrong("a constant from the lesson", "lambda table: (4, 9)", "mixed up"),
    ],
}  # fmt: skip
