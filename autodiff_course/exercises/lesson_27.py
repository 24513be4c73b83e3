"""The exercises of lesson 27: a query that fits all keys alike, masks in two steps, and heads that are set by
hand."""

import numpy as np

from ..checking import Mistake
from .calling import call
from .shared import array, listed
from .table import PRINTS, Guess, Right, Table, Wrong, outcome

# -- a prediction --------------------------------------------------------------------------------------------

Guess(
    "27 equal",
    right="3",
    answers=(
        Right("computed", "(6 + 2 + 1) / 3"),
        Right("by attend", "attend([0, 0], [[1, 2], [3, 4], [5, 6]], [[6], [2], [1]])[0]"),
        Wrong("nothing", "0", "The scores are 0. What are their shares?"),
        Wrong("the sum", "9", "That is the sum of the values. The shares sum to 1."),
        Wrong("the first", "6", "That is the first value alone. All three keys get the same score."),
        Wrong("the middle", "2", "That is the value in the middle. All three take part."),
        Wrong("one", "1", "That is the sum of the shares. Each share multiplies its value."),
        Wrong("a share", "1 / 3", "That is one share. Multiply each value by it, and add up."),
        Wrong("something else", "4"),
    ),
    otherwise="What are the three scores, and what are their shares?",
    praise="A query that fits all keys alike gives the plain mean.",
    hints=(
        "Every product with the query is 0, so all scores are 0.",
        "Equal scores have equal shares: a third each.",
        "6 / 3 + 2 / 3 + 1 / 3",
    ),
    near=0.0005,
)

# -- masks --------------------------------------------------------------------------------------------------

NEARLY = "Large numbers below 0 nearly work. Asked for is -np.inf, for a share of exactly 0."
PAST = "np.tril(np.full((length, length), -np.inf), -count)"
WINDOW = f"mask(length) + {PAST}"

WINDOWS = Table(
    "27 window",
    head="window(length, count)",
    right=WINDOW,
    answers=(
        Right("loops", "[[0 if i - count < j <= i else -np.inf for j in range(length)] for i in range(length)]"),
        Wrong("the old mask", "mask(length)", "It hides nothing of the past. Places further back than count are hidden."),
        Wrong("one too many", ("-count", "-count - 1"), "Each place sees one too many. The place itself is one of the count."),
        Wrong("one too few", ("-count", "-count + 1"), "Each place sees one too few: count places in all, itself among them."),
        Wrong("turned round", f"({WINDOW}).T", "It is turned round: the past is hidden, and the future is seen."),
        Wrong("the future", PAST, "The future is seen. What comes after a place is hidden as before."),
        Wrong("1 for hidden", f"1.0 * ({WINDOW} < 0)", "This says which places are hidden. Asked for is what is added to the scores: 0, or minus infinity."),
        Wrong("1 for seen", f"1.0 * ({WINDOW} == 0)", "This says which places are seen. Asked for is what is added to the scores: 0, or minus infinity."),
        Wrong("constant", "np.zeros((length, length))"),
        Wrong("infinity times 0", "np.tril(np.ones((length, length)), -count) * -np.inf + mask(length)", holds="0 times infinity"),
        Wrong("nearly minus infinity", f"np.where({WINDOW} == 0, 0, -1e9)", holds="nearly work"),
        Wrong("a part", "mask(count)", holds="has the shape"),
        Wrong("printed", "print(mask(length))", holds=PRINTS),
    ),
    otherwise="Row i has a 0 at i, at i - 1 and so on: count of them, as far as they exist.",
    hints=(
        "Begin with mask(length), and hide more of it.",
        "np.tril of an array full of minus infinity keeps what lies below the diagonal; a second argument shifts the diagonal.",
        "mask(length) + np.tril(np.full((length, length), -np.inf), -count)",
    ),
)


@WINDOWS.judged
def window(function):
    """Judge a mask with a window."""
    judge_mask(WINDOWS, function, ((4, 2), (5, 3), (3, 1), (2, 5)))
    return (
        "With it a place needs only count scores. (Your attention still computes them all; a program made "
        "for windows skips the hidden ones.)"
    )


def judge_mask(table, function, cases):
    """Judge a mask for several arguments."""
    for case in cases:
        said = f"{table.asked}({', '.join(listed(each) for each in case)})"
        given = [list(each) if isinstance(each, list) else each for each in case]
        found = array(call(function, *given, said=said), f"{said} gave", "An array is asked for.")
        right = np.array(table.answer(function)(*case), dtype=float)
        if found.shape != right.shape:
            raise Mistake(
                f"{said} has the shape {found.shape}; it should be {right.shape}, a row for each place and a "
                "column for each place that it may look at."
            )
        if np.isnan(found).any():
            raise Mistake(
                f"{said} has nan in it. 0 times infinity is not a number, nor is infinity minus infinity."
            )
        if not np.array_equal(found, right):
            nearly = np.array_equal(np.where(found < -1000, -np.inf, found), right)
            why = table.why(
                lambda wrong: np.array_equal(found, outcome(wrong, *case)),  # noqa: B023  at once
                function,
                NEARLY if nearly else None,
            )
            row = int(np.flatnonzero((found != right).any(axis=1))[0])
            gives = f"In {said} row {row} is {listed(found[row])}; it should be {listed(right[row])}."
            raise Mistake(f"{gives} {why}")


TEXT = "text = np.repeat(np.arange(len(lengths)), lengths)"

APART = Table(
    "27 apart",
    head="apart(lengths)",
    right="""
full, b = np.full((sum(lengths), sum(lengths)), -np.inf), 0
for n in lengths:
    full[b : b + n, b : b + n] = mask(n)
    b += n
return full""",
    answers=(
        Right("by text", f"{TEXT}\nreturn np.where(text[:, None] == text, mask(len(text)), -np.inf)"),
        Wrong("one mask", "mask(sum(lengths))", "That is mask(sum(lengths)): the texts look at each other."),
        Wrong("the future", f"{TEXT}\nreturn np.where(text[:, None] == text, 0, -np.inf)", "The texts are apart, but within each the future is seen."),
        Wrong("zeros first", ("-np.inf", "0.0"), "The rest is not hidden: begin with minus infinity everywhere."),
        Wrong("one corner", ("b : b + n, b : b + n", ":n, :n")),
        Wrong("a mask of masks", "mask(len(lengths))", holds="has the shape"),
        Wrong("printed", ("return full", "print(full)"), holds=PRINTS),
    ),
    otherwise="Each text has its own mask, in a square on the diagonal, and everything else is hidden.",
    hints=(
        "Begin with an array full of minus infinity. Each text has a square on the diagonal.",
        "If a text begins at b and has n characters, its square is [b : b + n, b : b + n], and in it belongs mask(n).",
        "hidden[b : b + n, b : b + n] = mask(n), in a loop over the lengths, and then b += n",
    ),
)


@APART.judged
def apart(function):
    """Judge a mask that keeps several texts apart."""
    judge_mask(APART, function, (([2, 1],), ([1, 3, 2],), ([3],)))
    return "So several texts can go through the GPT in one array, as those of Shakespeare's plays did."


# -- heads by hand ------------------------------------------------------------------------------------------


def weights_of(queries, keys):
    """Who looks at whom, with a mask, by NumPy alone."""
    scores = queries @ keys.T / keys.shape[1] ** 0.5
    scores[np.triu_indices(len(scores), 1)] = -np.inf
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def judged_head(function, given, said, count):
    """The attention weights of a head that a reader has set by hand."""
    pair = call(function, given, said=said)
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise Mistake(f"{said} should return two arrays: queries, keys.")
    queries, keys = (
        array(each, f"The {what} of {said} are") for what, each in zip(("queries", "keys"), pair)
    )
    for what, each in (("queries", queries), ("keys", keys)):
        if each.ndim != 2 or len(each) != count:
            raise Mistake(
                f"The {what} of {said} have the shape {each.shape}. There should be {count} rows, one for "
                "each place."
            )
    if queries.shape != keys.shape:
        raise Mistake(
            f"A query and a key need the same length: the shapes are {queries.shape} and {keys.shape}."
        )
    if not np.isfinite(queries @ keys.T).all():
        raise Mistake(f"{said} has infinite scores or nan. Large numbers are enough: 100, say.")
    return weights_of(queries, keys)


def row_in_words(weights, row):
    """A row of attention weights as a text."""
    return listed(weights[row, : row + 1], 2)


LOOKS_BACK = Table(
    "27 looks back",
    head="looks_back(length)",
    right="(100 * np.eye(length, k=-1), np.eye(length))",
    answers=(
        Right("keys shifted", "(30 * np.eye(length), 30 * np.eye(length, k=1))"),
        Wrong("itself", (", k=-1", ""), holds="It looks at itself"),
        Wrong("too small", ("100 * ", ""), holds="the scores are too small"),
        Wrong("zeros", "(np.zeros((length, 2)), np.zeros((length, 2)))", holds="All count alike"),
        Wrong("the first", "q = np.zeros((length, length)); q[:, 0] = 100\nreturn q, np.eye(length)", holds="by far"),
        Wrong("one array", "np.eye(length)", holds="two arrays"),
        Wrong("other lengths", "(np.eye(length), np.ones((length, 2 * length)))", holds="the same length"),
        Wrong("one row", "(np.ones(length), np.ones(length))", holds="rows, one for each place"),
        Wrong("infinite", ("100", "np.inf"), holds="infinite"),
        Wrong("printed", "print(np.eye(length))", holds=PRINTS),
        Wrong("a constant", ("length", "5"), holds="There should be 8 rows"),
    ),
    hints=(
        "The keys can be rows of the identity: place j has a 1 at j. A query has its 1 where the wanted key has it.",
        "np.eye(length, k=-1) is the identity, shifted down by one row: row i has its 1 at i - 1.",
        "return 100 * np.eye(length, k=-1), np.eye(length)",
    ),
)


@LOOKS_BACK.judged
def looks_back(function):
    """Judge a head that looks at the place before."""
    for length in (5, 8, 1):
        said = f"looks_back({length})"
        weights = judged_head(function, length, said, length)
        for row in range(1, length):
            if weights[row, row - 1] < 0.99:
                raise Mistake(
                    f"With {said} the weights of place {row} are {row_in_words(weights, row)}; "
                    f"place {row - 1} should get at least 0.99. {back_kind(weights, row)}"
                )
    return "A head of this kind is found in most language models that were ever looked into."


def back_kind(weights, row):
    """What is wrong with a row of a head that should look back."""
    seen = weights[row, : row + 1]
    if seen[row] > 0.9:
        return "It looks at itself. Shift the queries by one row."
    if np.allclose(seen, 1 / (row + 1)):
        return "All count alike: the query fits no key better than the others."
    if seen.argmax() == row - 1:
        return (
            "The direction is right, and the scores are too small. Multiply the queries or the keys by 100."
        )
    return "The product of query i and key i - 1 has to be the largest by far."


LOOKS_FOR_SAME = Table(
    "27 looks for same",
    head="looks_for_same(codes)",
    right="one_hot = np.eye(27)[codes]\nreturn 100 * one_hot, one_hot",
    answers=(
        Right("both large", ("100 * one_hot, one_hot", "10 * one_hot, 10 * one_hot")),
        Wrong("too small", ("100 * ", ""), holds="too small"),
        Wrong("itself", ("np.eye(27)[codes]", "np.eye(len(codes))"), holds="only at itself"),
        Wrong("zeros", ("np.eye(27)[codes]", "np.zeros((len(codes), 2))"), holds="All count alike"),
        Wrong("the numbers", ("np.eye(27)[codes]", "np.array(codes, dtype=float)[:, None]"), holds="All count alike"),
        Wrong("the place before", "(100 * np.eye(len(codes), k=-1), np.eye(len(codes)))", holds="wherever it stands"),
        Wrong("one array", ("100 * one_hot, one_hot", "one_hot"), holds="two arrays"),
        Wrong("printed", "print(codes)", holds=PRINTS),
    ),
    hints=(
        "What describes a character by itself, wherever it stands? A row with a 1 at its code.",
        "np.eye(27)[codes] has such a row for each place. Queries and keys can be the same.",
        "one_hot = np.eye(27)[codes], and then return 100 * one_hot, one_hot",
    ),
)


@LOOKS_FOR_SAME.judged
def looks_for_same(function):
    """Judge a head that looks at all places with the same character."""
    for codes in ([0, 13, 13, 0, 13], [1, 2, 3], [26, 0, 0, 0]):
        said = f"looks_for_same({codes})"
        weights = judged_head(function, list(codes), said, len(codes))
        for row, code in enumerate(codes):
            right = np.array([other == code for other in codes[: row + 1]], dtype=float)
            right /= right.sum()
            if np.abs(weights[row, : row + 1] - right).max() > 0.01:
                seen = weights[row, : row + 1]
                if row and seen[row] > 0.99:
                    kind = "It looks only at itself. Equal characters need equal keys, wherever they stand."
                elif np.allclose(seen, 1 / (row + 1)):
                    kind = "All count alike. A query has to fit the keys of its own character best."
                elif (seen[right > 0] > seen[right == 0].max(initial=0)).all():
                    kind = "The right ones are ahead, and the scores are too small. Multiply by 100."
                else:
                    kind = "A row with a 1 at its code describes a character wherever it stands."
                raise Mistake(
                    f"With {said} the weights of place {row} are {listed(seen, 2)}; they should be "
                    f"{listed(right, 2)}. {kind}"
                )
    return "It finds a character by what it is, and not by where it stands."
