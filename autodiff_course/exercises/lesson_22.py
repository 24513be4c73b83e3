"""The exercises of lesson 22: an average of averages, and which digits are mixed up."""

import numpy as np

from ..checking import Mistake, number
from .calling import call, names_of
from .shared import array
from .table import PRINTS, Right, Table, Task, Wrong, as_number, outcome

# -- an average of averages ---------------------------------------------------------------------------------

MEAN = Table(
    "22 mean",
    right="75",
    answers=(
        Right("as a fraction", "0.75"),
        Right("computed", "np.mean([100, 100, 100, 0])"),
        Wrong("the true share", "99", "That is the share of all hundred pictures. Asked for is the mean of the four batches' shares."),
        Wrong("without the fourth", "100", "The fourth batch counts too: it has one picture, and that one is wrong."),
        Wrong("as if 99 % were spread", "74.25", "In each of the first three batches all pictures are right, which is 100 %."),
        Wrong("three shares of two", "50", "There are four shares: 100 %, 100 %, 100 % and that of the last batch."),
        Wrong("the sum", "300", "That is the sum of the four shares. The mean divides it by four."),
        Wrong("the last batch", "0", "That is the share of the last batch alone."),
        Wrong("close to the true share", "98.97"),
        Wrong("something else", "42"),
        Wrong("no number", "math.nan"),
        Wrong("the true share as a fraction", "0.99", holds="share of all hundred pictures"),
        Wrong("a word", "'most'", holds="A number is asked for"),
    ),
    otherwise="Write down the share of each of the four batches, and take their mean.",
    hints=(
        "How many batches are there, and how many pictures are in each?",
        "Three batches of 33, and one of a single picture, which is wrong.",
        "The shares are 100 %, 100 %, 100 % and 0 %. Their mean is 300 % divided by 4.",
    ),
)


@MEAN.judged
def mean(guess):
    """Judge the predicted mean of the batches' shares, in percent or as a fraction."""
    found = number(guess)
    percent = 100 * found if 0 < found <= 1 else found
    if not abs(percent - 75) <= 0.5:  # also nan
        raise Mistake(f"It is not {found:.6g}. {MEAN.why(lambda wrong: abs(percent - wrong) < 1e-6)}")
    return "It is 75 %, while 99 % of the pictures are right: one picture counts like 33, since it is alone."


# -- the mean loss ------------------------------------------------------------------------------------------

SCORES = np.array([[4.0, 0.0], [0.0, 3.0], [2.0, 0.0], [0.0, 1.0], [-3.0, 3.0]])
TARGETS = np.array([0, 1, 0, 1, 0])


class Counting:
    """A network that changes nothing, and keeps how many rows came in."""

    def __init__(self, tensor):
        self.tensor, self.rows = tensor, []

    def __call__(self, x):
        """The rows themselves, as scores."""
        self.rows.append(len(x))
        return self.tensor(np.array(x))


def last_rows(case, function):
    """A network and its inputs: the last rows of all."""
    count, size = case
    return [Counting(names_of(function, 22)["Tensor"]), SCORES[-count:].copy(), TARGETS[-count:].copy(), size]


def check_batches(answer, wanted, inputs, others, said):
    """Raise Mistake for a Tensor, for too many rows at once, and for rows that were changed."""
    net, x, _, size = inputs
    if getattr(answer, "creators", ()):
        raise Mistake(
            "The mean is right, but it is a Tensor, which holds the graphs of all batches. Add up plain "
            "numbers: float(value(...)) of each loss."
        )
    if net.rows and max(net.rows) > size:
        raise Mistake(
            f"The mean is right, but {said} hands {max(net.rows)} rows to the network at once. At most "
            "size rows should go in together."
        )
    if not np.array_equal(x, others[1]):
        raise Mistake(f"{said} changed x. It belongs to the caller.")


def near(found, right):
    """Whether two losses are the same."""
    return abs(found - right) <= 1e-6 * max(1, abs(right))


RANGE, LOSS, TIMES = "range(0, len(x), size)", "float(value(loss))", " * len(x[rows])"
RESULT, WHOLE = "total / len(x)", "len(x) // size * size"

Task(
    "22 mean loss",
    head="mean_loss(net, x, targets, size)",
    right=f"""
total = 0
for begin in {RANGE}:
    rows = slice(begin, begin + size)
    loss = softmax_cross_entropy(net(x[rows]), targets[rows])
    total += {LOSS}{TIMES}
return {RESULT}""",
    cases=((5, 5), (5, 2), (4, 2), (3, 2), (1, 4)),
    answers=(
        Right("the number in the loss, by .data", (LOSS, "float(loss.data)")),
        Right("the same without float", (LOSS, "loss.data")),
        Right("a list of all losses, and its mean", """
            rows = []
            for i in range(0, len(x), size):
                logs = log_softmax(net(x[i : i + size]))
                rows += [-float(value(line)[t]) for line, t in zip(value(logs), targets[i : i + size])]
            return np.mean(rows)"""),
        Wrong("a mean of means", ((TIMES, ""), (RESULT, f"total / len({RANGE})")), "That is the mean of the batches' means: a shorter last batch counts as much as a full one."),
        Wrong("the sum of the means", ((TIMES, ""), (RESULT, "total")), "That is the sum of the batches' means."),
        Wrong("not divided", (RESULT, "total"), "That is the sum over all rows. Divide by how many there are."),
        Wrong("without the last batch", ((RANGE, f"range(0, {WHOLE}, size)"), (RESULT, f"total / ({WHOLE})")), "The last, shorter batch is missing."),
        Wrong("the last batch left out", (RANGE, "range(0, len(x) - size, size)"), "The last, shorter batch is missing from the sum."),
        Wrong("return inside the loop", (f"    return {RESULT}", "        return total / len(x[rows])"), "That is the first batch alone. Does `return` stand inside the loop?"),
        Wrong("the last batch alone", (("total +=", "total ="), (RESULT, "total / len(x[rows])")), "That is the last batch alone. Add up over all batches."),
        Wrong("the last batch counted as full", (TIMES, " * size"), "You count the last batch as if it were full: it has fewer rows than size."),
        Wrong("half", (RESULT, f"{RESULT} / 2")),
        Wrong("no number", "math.nan"),
        Wrong("Tensors added up", (LOSS, "loss"), holds="holds the graphs of all batches"),
        Wrong("everything at once", "float(value(softmax_cross_entropy(net(x), targets)))", holds="At most size rows"),
        Wrong("prints", (f"return {RESULT}", f"print({RESULT})"), holds=PRINTS),
        Wrong("an argument too few", "lambda net, x, targets: 0.0", holds="your function takes 3"),
        Wrong("changes x", ("total = 0", "total = 0\n    x -= x[:, :1]"), holds="changed x"),
        Wrong("an endless loop", "while True:\n    size += 1\nreturn 0", holds="never end"),
    ),
    otherwise="Each row counts once: multiply the mean of a batch by its number of rows.",
    praise="Each row counts once, whatever the size of the batches.",
    hints=(
        "Rows begin to begin + size of x are x[begin : begin + size]. Go through begin = 0, size, 2*size, ...",
        "softmax_cross_entropy gives the mean of a batch. Times the number of rows in the batch it is their sum.",
        "With rows = slice(begin, begin + size): loss = softmax_cross_entropy(net(x[rows]), targets[rows]), and then total += float(value(loss)) * len(x[rows]). After the loop: total / len(x).",
    ),
    inputs=last_rows,
    said=lambda case: f"mean_loss for {case[0]} row{'s' * (case[0] > 1)} with size={case[1]}",
    read=as_number,
    equal=near,
    alike=near,
    shown="{:.4f}".format,
    after=check_batches,
)  # fmt: skip

# -- what is taken for what ---------------------------------------------------------------------------------

ZEROS, COUNT = "np.zeros((10, 10), int)", "table[r, s] += 1"

CONFUSION = Table(
    "22 confusion",
    head="confusion(said, right)",
    right=f"table = {ZEROS}\nfor s, r in zip(said, right):\n    {COUNT}\nreturn table",
    answers=(
        Right("np.add.at", "table = np.zeros((10, 10))\nnp.add.at(table, (right, said), 1)\nreturn table"),
        Right("a list of lists", "[[sum(s == j and r == i for s, r in zip(said, right)) for j in range(10)] for i in range(10)]"),
        Right("it needs at least one pair", ("for s", "assert len(said)\n    for s")),
        Wrong("rows and columns exchanged", ("[r, s]", "[s, r]"), "rows and columns are exchanged. The row is the right digit, the column what was said."),
        Wrong("lists as indices", f"table = {ZEROS}\ntable[right, said] += 1\nreturn table", "a pair that comes twice is counted once: with lists as indices += adds only once."),
        Wrong("mistakes only", (COUNT, "table[r, s] += s != r"), "what was right is missing. It belongs on the diagonal."),
        Wrong("one row ten times", ((ZEROS, "[[0] * 10] * 10"), ("[r, s]", "[r][s]")), "all rows are the same. `[[0] * 10] * 10` holds ten times one and the same list: make ten."),
        Wrong("shares", ("return table", "return table / max(1, len(said))"), "these are shares. Asked for is how often each pair comes."),
        Wrong("one place off", ("[r, s]", "[r, s - 1]"), holds="it should be"),
        Wrong("as large as the digits", ("(10, 10)", "(max(right, default=0) + 1, 10)"), holds="Ten rows of ten"),
        Wrong("prints", ("return table", "print(table)"), holds=PRINTS),
        Wrong("an argument too few", "lambda said: np.zeros((10, 10))", holds="your function takes 1"),
    ),
    hints=(
        "Begin with a table of zeros, np.zeros((10, 10), int), and add 1 for each pair of digits.",
        "zip(said, right) gives the pairs. The row is the right digit: table[r, s] += 1.",
        "table = np.zeros((10, 10), int), then for s, r in zip(said, right): table[r, s] += 1, and return table.",
    ),
)


@CONFUSION.judged
def confusion(function):
    """Judge the table of which digit was taken for which."""
    for said, right in (((3,), (3,)), ((9,), (4,)), ((4, 9, 4, 9, 0), (4, 4, 9, 4, 0))):
        call_said = f"confusion({list(said)}, {list(right)})"
        given = np.array(said, int), np.array(right, int)
        found = array(call(function, *given, said=call_said), f"{call_said} gave")
        if found.shape != (10, 10):
            raise Mistake(f"{call_said} has the shape {found.shape}. Ten rows of ten numbers are asked for.")
        wanted = CONFUSION.answer()(said, right)
        if not np.array_equal(found, wanted):
            i, j = np.argwhere(found != wanted)[0]
            place = f"row {i}, column {j} holds {found[i, j]:g}; it should be {wanted[i, j]}."
            why = CONFUSION.why(
                lambda wrong: np.array_equal(found, outcome(wrong, *given)),  # noqa: B023  at once
                otherwise=place,
            )
            raise Mistake(f"{call_said}: {why}")
    return "The diagonal counts what was right, and every other place one kind of mistake."


def tables():
    """Tables with the pair that is mixed up most often."""
    plain = 50 * np.eye(10, dtype=int)
    plain[4, 9], plain[9, 4], plain[3, 5] = 6, 1, 3
    both = plain.copy()
    both[4, 9], both[3, 5], both[5, 3] = 6, 4, 5
    turned = 20 * np.eye(10, dtype=int)
    turned[7, 2], turned[2, 7], turned[0, 1] = 5, 1, 4
    one_way = np.eye(10, dtype=int)
    one_way[8, 0] = 2
    return (plain, (4, 9)), (both, (3, 5)), (turned, (2, 7)), (one_way, (0, 8))


BIGGEST = "max(pairs, key=lambda pair: both[pair])"

MOST = Table(
    "22 most confused",
    head="most_confused(table)",
    right=f"""
both = table + table.T
pairs = [(i, j) for i in range(10) for j in range(i + 1, 10)]
return {BIGGEST}""",
    answers=(
        Right("a list comes back", (BIGGEST, f"list({BIGGEST})")),
        Right("by argmax", "both = np.triu(table + table.T, 1)\nreturn np.unravel_index(both.argmax(), both.shape)"),
        Wrong("the diagonal too", ("range(i + 1, 10)", "range(i, 10)"), holds="Leave the diagonal out"),
        Wrong("one way only", ("table + table.T", "table"), holds="Count both ways"),
        Wrong("the larger one first", (BIGGEST, f"{BIGGEST}[::-1]"), holds="smaller digit comes first"),
        Wrong("how often", (BIGGEST, "max(both[pair] for pair in pairs)"), holds="Two digits are asked for"),
        Wrong("three digits", (BIGGEST, f"(*{BIGGEST}, 0)"), holds="Two digits from 0 to 9"),
        Wrong("changes the table", ("both =", "np.fill_diagonal(table, 0)\n    both ="), holds="work on a copy"),
        Wrong("a constant from the lesson", "(4, 9)", holds="mixed up"),
    ),
    hints=(
        "table[4, 9] + table[9, 4] is how often 4 and 9 are mixed up. Which two different digits have most?",
        "table + table.T adds both ways at once. Its diagonal is what was right: leave it out.",
        "Go through i from 0 to 9 and j from i + 1 to 9, and keep the pair with the largest table[i, j] + table[j, i].",
    ),
)


@MOST.judged
def most_confused(function):
    """Judge which two digits are mixed up most often."""
    for counts, right in tables():
        given = counts.copy()
        found = call(function, given, said="most_confused(table)")
        try:
            pair = tuple(int(digit) for digit in found)
        except (TypeError, ValueError):
            raise Mistake(f"most_confused(table) gave {found!r:.60}. Two digits are asked for.") from None
        if not np.array_equal(given, counts):
            raise Mistake("most_confused changed the table. It belongs to the caller: work on a copy.")
        if pair != right:
            raise Mistake(which_pair(counts, pair, right))
    return "Both ways are counted together, and what was right is left out."


def which_pair(counts, pair, right):
    """A sentence about a wrong pair."""
    a, b = right
    both = f"{a} and {b} are mixed up {counts[a, b]} + {counts[b, a]} times"
    if len(pair) != 2 or not all(0 <= digit <= 9 for digit in pair):
        return f"It gave {pair}. Two digits from 0 to 9 are asked for."
    if pair[0] == pair[1]:
        return f"It gave {pair}: a {pair[0]} taken for a {pair[0]} is right. Leave the diagonal out."
    if pair == (b, a):
        return f"It gave {pair}; it should be {right}: the smaller digit comes first."
    i, j = pair
    return (
        f"It gave {pair}, which are mixed up {counts[i, j]} + {counts[j, i]} times, and {both}. Count both "
        "ways together."
    )
