"""The exercises of lesson 27: a query that fits all keys alike, masks in two steps, and heads that are set by
hand."""

import numpy as np

from ..checking import Mistake, exercise
from .calling import call
from .shared import array, listed, predicted

# -- a prediction --------------------------------------------------------------------------------------------

EQUAL_KINDS = {
    0.0: "The scores are 0. What are their shares?",
    9.0: "That is the sum of the values. The shares sum to 1.",
    6.0: "That is the first value alone. All three keys get the same score.",
    2.0: "That is the value in the middle. All three take part.",
    1.0: "That is the sum of the shares. Each share multiplies its value.",
    1 / 3: "That is one share. Multiply each value by it, and add up.",
}


@exercise(
    "27 equal",
    "Every product with the query is 0, so all scores are 0.",
    "Equal scores have equal shares: a third each.",
    "6 / 3 + 2 / 3 + 1 / 3",
)
def equal(guess):
    """Judge the prediction for a query of zeros: the plain mean."""
    otherwise = "What are the three scores, and what are their shares?"
    predicted(guess, 3, EQUAL_KINDS, otherwise, near=0.0005)
    return "A query that fits all keys alike gives the plain mean."


# -- masks --------------------------------------------------------------------------------------------------


def hidden_where(rows):
    """A mask that hides where the table is true."""
    return np.where(rows, -np.inf, 0.0)


def window_of(length, count):
    """The right mask: each place sees itself and the ones before, ``count`` in all."""
    row, column = np.indices((length, length))
    return hidden_where((column > row) | (column <= row - count))


WINDOW_KINDS = (
    (
        lambda n, k: window_of(n, n),
        "It hides nothing of the past. Places further back than count are hidden.",
    ),
    (lambda n, k: window_of(n, k + 1), "Each place sees one too many. The place itself is one of the count."),
    (
        lambda n, k: window_of(n, k - 1),
        "Each place sees one too few: count places in all, itself among them.",
    ),
    (lambda n, k: window_of(n, k).T, "It is turned round: the past is hidden, and the future is seen."),
    (
        lambda n, k: hidden_where(np.subtract.outer(range(n), range(n)) >= k),
        "The future is seen. What comes after a place is hidden as before.",
    ),
    (
        lambda n, k: (window_of(n, k) < 0).astype(float),
        "This says which places are hidden. Asked for is what is added to the scores: 0, or minus infinity.",
    ),
    (
        lambda n, k: (window_of(n, k) == 0).astype(float),
        "This says which places are seen. Asked for is what is added to the scores: 0, or minus infinity.",
    ),
)


def judge_mask(function, name, cases, right_of, kinds, unknown):
    """Judge a mask for several arguments."""
    for case in cases:
        said = f"{name}({', '.join(listed(each) for each in case)})"
        given = [list(each) if isinstance(each, list) else each for each in case]
        found = array(call(function, *given, said=said), f"{said} gave", "An array is asked for.")
        right = right_of(*case)
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
            fits = (words for wrong, words in kinds if np.array_equal(found, outcome(wrong, *case)))
            if np.array_equal(np.where(found < -1000, -np.inf, found), right):
                unknown = "Large numbers below 0 nearly work. Asked for is -np.inf, for a share of exactly 0."
            row = int(np.flatnonzero((found != right).any(axis=1))[0])
            raise Mistake(
                f"In {said} row {row} is {listed(found[row])}; it should be {listed(right[row])}. "
                f"{next(fits, unknown)}"
            )


def outcome(wrong, *case):
    """What a known mistake gives, or nothing where it cannot be made."""
    try:
        return wrong(*case)
    except (ValueError, IndexError):
        return np.empty(0)


@exercise(
    "27 window",
    "Begin with mask(length), and hide more of it.",
    "np.tril of an array full of minus infinity keeps what lies below the diagonal; a second argument shifts "
    "the diagonal.",
    "mask(length) + np.tril(np.full((length, length), -np.inf), -count)",
)
def window(function):
    """Judge a mask with a window."""
    judge_mask(
        function, "window", ((4, 2), (5, 3), (3, 1), (2, 5)), window_of, WINDOW_KINDS,
        "Row i has a 0 at i, at i - 1 and so on: count of them, as far as they exist.",
    )  # fmt: skip
    return (
        "With it a place needs only count scores. (Your attention still computes them all; a program made "
        "for windows skips the hidden ones.)"
    )


def apart_of(lengths):
    """The right mask: texts one after the other, each for itself."""
    text = np.repeat(np.arange(len(lengths)), lengths)
    place = np.arange(len(text))
    return hidden_where((text[:, None] != text) | (place[:, None] < place))


APART_KINDS = (
    (
        lambda lengths: window_of(sum(lengths), sum(lengths)),
        "That is mask(sum(lengths)): the texts look at each other.",
    ),
    (
        lambda lengths: hidden_where(np.not_equal.outer(*2 * [np.repeat(np.arange(len(lengths)), lengths)])),
        "The texts are apart, but within each the future is seen.",
    ),
    (
        lambda lengths: np.where(apart_of(lengths) == 0, 0.0, np.where(mask_hides(lengths), -np.inf, 0.0)),
        "The rest is not hidden: begin with minus infinity everywhere.",
    ),
)


def mask_hides(lengths):
    """What the masks of the texts hide within each text."""
    text = np.repeat(np.arange(len(lengths)), lengths)
    place = np.arange(len(text))
    return (text[:, None] == text) & (place[:, None] < place)


@exercise(
    "27 apart",
    "Begin with an array full of minus infinity. Each text has a square on the diagonal.",
    "If a text begins at b and has n characters, its square is [b : b + n, b : b + n], and in it belongs "
    "mask(n).",
    "hidden[b : b + n, b : b + n] = mask(n), in a loop over the lengths, and then b += n",
)
def apart(function):
    """Judge a mask that keeps several texts apart."""
    judge_mask(
        function, "apart", (([2, 1],), ([1, 3, 2],), ([3],)), apart_of, APART_KINDS,
        "Each text has its own mask, in a square on the diagonal, and everything else is hidden.",
    )  # fmt: skip
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


@exercise(
    "27 looks back",
    "The keys can be rows of the identity: place j has a 1 at j. A query has its 1 where the wanted key "
    "has it.",
    "np.eye(length, k=-1) is the identity, shifted down by one row: row i has its 1 at i - 1.",
    "return 100 * np.eye(length, k=-1), np.eye(length)",
)
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


@exercise(
    "27 looks for same",
    "What describes a character by itself, wherever it stands? A row with a 1 at its code.",
    "np.eye(27)[codes] has such a row for each place. Queries and keys can be the same.",
    "one_hot = np.eye(27)[codes], and then return 100 * one_hot, one_hot",
)
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
