"""The exercises of lesson 22: an average of averages, and which digits are mixed up."""

import numpy as np

from ..checking import Mistake, exercise, number
from .calling import call, names_of
from .shared import array

# -- an average of averages ---------------------------------------------------------------------------------

MEAN_KINDS = {
    99: "That is the share of all hundred pictures. Asked for is the mean of the four batches' shares.",
    100: "The fourth batch counts too: it has one picture, and that one is wrong.",
    74.25: "In each of the first three batches all pictures are right, which is 100 %.",
    50: "There are four shares: 100 %, 100 %, 100 % and that of the last batch.",
    300: "That is the sum of the four shares. The mean divides it by four.",
    0: "That is the share of the last batch alone.",
}


@exercise(
    "22 mean",
    "How many batches are there, and how many pictures are in each?",
    "Three batches of 33, and one of a single picture, which is wrong.",
    "The shares are 100 %, 100 %, 100 % and 0 %. Their mean is 300 % divided by 4.",
)
def mean(guess):
    """Judge the predicted mean of the batches' shares, in percent or as a fraction."""
    found = number(guess)
    percent = 100 * found if 0 < found <= 1 else found
    if abs(percent - 75) > 0.5:
        kinds = (kind for value, kind in MEAN_KINDS.items() if abs(percent - value) < 1e-6)
        kind = next(kinds, "Write down the share of each of the four batches, and take their mean.")
        raise Mistake(f"It is not {found:.6g}. {kind}")
    return "It is 75 %, while 99 % of the pictures are right: one picture counts like 33, since it is alone."


# -- the mean loss ------------------------------------------------------------------------------------------

SCORES = np.array([[4.0, 0.0], [0.0, 3.0], [2.0, 0.0], [0.0, 1.0], [-3.0, 3.0]])
TARGETS = np.array([0, 1, 0, 1, 0])
LOSSES = np.log(np.exp(SCORES).sum(axis=1)) - SCORES[np.arange(5), TARGETS]

LOSS_KINDS = (
    (
        lambda parts, rows: np.mean([part.mean() for part in parts]),
        "That is the mean of the batches' means: a shorter last batch counts as much as a full one.",
    ),
    (lambda parts, rows: sum(part.mean() for part in parts), "That is the sum of the batches' means."),
    (lambda parts, rows: rows.sum(), "That is the sum over all rows. Divide by how many there are."),
    (
        lambda parts, rows: np.concatenate(parts[:-1]).mean() if len(parts) > 1 else None,
        "The last, shorter batch is missing.",
    ),
    (
        lambda parts, rows: sum(part.sum() for part in parts[:-1]) / len(rows),
        "The last, shorter batch is missing from the sum.",
    ),
    (
        lambda parts, rows: parts[0].mean(),
        "That is the first batch alone. Does `return` stand inside the loop?",
    ),
    (lambda parts, rows: parts[-1].mean(), "That is the last batch alone. Add up over all batches."),
    (
        lambda parts, rows: sum(part.mean() * len(parts[0]) for part in parts) / len(rows),
        "You count the last batch as if it were full: it has fewer rows than size.",
    ),
)


class Counting:
    """A network that changes nothing, and keeps how many rows came in."""

    def __init__(self, tensor):
        self.tensor, self.rows = tensor, []

    def __call__(self, x):
        """The rows themselves, as scores."""
        self.rows.append(len(x))
        return self.tensor(np.array(x))


@exercise(
    "22 mean loss",
    "Rows begin to begin + size of x are x[begin : begin + size]. Go through begin = 0, size, 2*size, ...",
    "softmax_cross_entropy gives the mean of a batch. Times the number of rows in the batch it is their sum.",
    "With rows = slice(begin, begin + size): loss = softmax_cross_entropy(net(x[rows]), targets[rows]), and "
    "then total += float(value(loss)) * len(x[rows]). After the loop: total / len(x).",
)
def mean_loss(function):
    """Judge the mean loss over all rows, computed in batches."""
    cases = ((5, 5), (5, 2), (4, 2), (3, 2), (1, 4))
    tensor = names_of(function, 22)["Tensor"]
    for count, size in cases:
        x, targets, net = SCORES[-count:].copy(), TARGETS[-count:].copy(), Counting(tensor)
        said = f"mean_loss for {count} row{'s' * (count > 1)} with size={size}"
        answer = call(function, net, x, targets, size, said=said)
        found = number(answer)
        rows = LOSSES[-count:]
        right = rows.mean()
        if abs(found - right) > 1e-6 * max(1, right):
            parts = [rows[begin : begin + size] for begin in range(0, count, size)]
            kinds = (kind for wrong, kind in LOSS_KINDS if near(found, wrong(parts, rows)))
            kind = next(kinds, "Each row counts once: multiply the mean of a batch by its number of rows.")
            raise Mistake(f"{said} gives {found:.4f}; it should be {right:.4f}. {kind}")
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
        if not np.array_equal(x, SCORES[-count:]):
            raise Mistake(f"{said} changed x. It belongs to the caller.")
    return "Each row counts once, whatever the size of the batches."


def near(found, wrong):
    """Whether the result is that of a known mistake."""
    return wrong is not None and abs(found - wrong) < 1e-6 * max(1, abs(wrong))


# -- what is taken for what ---------------------------------------------------------------------------------

SAID = (4, 9, 4, 9, 0)
RIGHT = (4, 4, 9, 4, 0)


def table(said, right):
    """The right table."""
    counts = np.zeros((10, 10), int)
    np.add.at(counts, (np.array(right, int), np.array(said, int)), 1)
    return counts


@exercise(
    "22 confusion",
    "Begin with a table of zeros, np.zeros((10, 10), int), and add 1 for each pair of digits.",
    "zip(said, right) gives the pairs. The row is the right digit: table[r, s] += 1.",
    "table = np.zeros((10, 10), int), then for s, r in zip(said, right): table[r, s] += 1, and return table.",
)
def confusion(function):
    """Judge the table of which digit was taken for which."""
    for said, right in (((3,), (3,)), ((9,), (4,)), (SAID, RIGHT)):
        call_said = f"confusion({list(said)}, {list(right)})"
        given = np.array(said, int), np.array(right, int)
        found = array(call(function, *given, said=call_said), f"{call_said} gave")
        if found.shape != (10, 10):
            raise Mistake(f"{call_said} has the shape {found.shape}. Ten rows of ten numbers are asked for.")
        wanted = table(said, right)
        if not np.array_equal(found, wanted):
            raise Mistake(f"{call_said}: {what_differs(found, wanted, said, right)}")
    return "The diagonal counts what was right, and every other place one kind of mistake."


def what_differs(found, wanted, said, right):
    """A sentence about a wrong table."""
    if np.array_equal(found, wanted.T):
        return "rows and columns are exchanged. The row is the right digit, the column what was said."
    if np.array_equal(found, wanted > 0):
        return "a pair that comes twice is counted once: with lists as indices += adds only once."
    if np.array_equal(found, wanted - np.diag(np.diag(wanted))):
        return "what was right is missing. It belongs on the diagonal."
    if np.array_equal(found, np.tile(wanted.sum(axis=0), (10, 1))):
        return "all rows are the same. `[[0] * 10] * 10` holds ten times one and the same list: make ten."
    if np.array_equal(found, wanted / len(said)):
        return "these are shares. Asked for is how often each pair comes."
    i, j = np.argwhere(found != wanted)[0]
    return f"row {i}, column {j} holds {found[i, j]:g}; it should be {wanted[i, j]}."


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


@exercise(
    "22 most confused",
    "table[4, 9] + table[9, 4] is how often 4 and 9 are mixed up. Which two different digits have most?",
    "table + table.T adds both ways at once. Its diagonal is what was right: leave it out.",
    "Go through i from 0 to 9 and j from i + 1 to 9, and keep the pair with the largest "
    "table[i, j] + table[j, i].",
)
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
