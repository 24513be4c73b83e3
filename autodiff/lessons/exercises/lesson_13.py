"""The exercises of lesson 13: softmax, accuracy on the digits of unseen writers, and the gradient of the
scores without a walk back."""

import numpy as np

import autodiff as ad

from ..checking import Mistake, exercise, number, result
from .shared import array, kind_of, listed, one_hot_rows, same

# -- in class: softmax --------------------------------------------------------------------------------------

SMALL = np.array([[2.0, 1, 0], [0, 3, 1]])
LARGE = np.array([[1000.0, 999, 998], [0, 1, 2]])
ABOVE = np.array([[1.0, 10, 2], [3, -1, 5]])  # a gradient for the walk back


def powers(scores, axis=1):
    """The exponentials of the scores, less the largest one."""
    return np.exp(scores - scores.max(axis=axis, keepdims=True))


def chances_of(scores):
    """The right softmax, by NumPy."""
    return powers(scores) / powers(scores).sum(axis=1, keepdims=True)


SOFTMAX_KINDS = (
    (
        lambda s: powers(s, 0) / powers(s, 0).sum(axis=0),
        "Your columns add up to 1. A picture is a row, so the rows should: axis=1.",
    ),
    (
        lambda s: powers(s) / powers(s).sum(axis=0),
        "You divide by the sums of the columns. A picture is a row: axis=1.",
    ),
    (
        lambda s: powers(s, 0) / powers(s, 0).sum(axis=1, keepdims=True),
        "The largest was taken off by columns: each row has to lose the same from all its scores. axis=1.",
    ),
    (
        lambda s: np.exp(s) / np.exp(s).sum(),
        "All the numbers together add up to 1. Each row should, on its own: axis=1.",
    ),
    (lambda s: powers(s) / powers(s).sum(), "You divide by the sum of all rows. Each has its own: axis=1."),
    (powers, "Those are the powers. Divide each by the sum of its row."),
    (np.exp, "Those are the powers. Divide each by the sum of its row."),
    (lambda s: s / s.sum(axis=1, keepdims=True), "Those are the scores' own shares. exp is missing."),
    (lambda s: np.log(chances_of(s)), "Those are the logarithms of the chances. They come later."),
    (
        lambda s: (s == s.max(axis=1, keepdims=True)) * 1.0,
        "That gives everything to the largest. The others have a chance as well, and only so a slope.",
    ),
    "A chance is its own power, divided by the sum of its row's powers.",
)


def judge_numbers(function, scores):
    """Judge the reader's softmax of a table of scores: first its numbers, then whether it was recorded."""
    said = f"softmax(Tensor({listed(scores, 3)}))"
    try:
        given = result(function, ad.Tensor(scores), said=said)
    except ValueError as error:
        if "truth value" in str(error):
            raise Mistake(
                "Python's max asks which row is the larger. Take scores.max(axis=1, keepdims=True)."
            ) from error
        raise Mistake(
            f"At {listed(scores, 3)} two shapes do not fit: {error}. A sum along the rows has lost the axis "
            "that it ran over, and so has a maximum. Keep it: keepdims=True."
        ) from error
    if isinstance(given, (list, tuple)):
        raise Mistake(
            "That is a list of rows. Return one Tensor: work on all rows at once with axis=1, or ad.stack "
            "them."
        )
    found, right = array(given, f"{said} gave"), chances_of(scores)
    if found.shape != right.shape:
        raise Mistake(f"{said} has the shape {found.shape}. Each score has its chance: {right.shape}.")
    where_nan = np.isnan(found).any(axis=1)
    if where_nan.any():
        which = (
            "The scores of the first row are too large for exp. Take the row's largest off each of them."
            if where_nan[0]
            else "The first row is right. The second lost the first one's maximum, a thousand too much, and "
            "all of its powers became 0. Each row has a maximum of its own: axis=1, keepdims=True."
        )
        raise Mistake(f"{said} gives {listed(found, 3)}: nan is 'not a number'. {which}")
    if not same(found, right):
        kind = kind_of(found, SOFTMAX_KINDS, scores)
        raise Mistake(f"{said} gives {listed(found, 3)}, and right is {listed(right, 3)}. {kind}")
    if not (isinstance(given, ad.Tensor) and given.requires_grad):
        raise Mistake(
            f"{said} gives the right numbers, but nothing was recorded, so no gradient can walk back. "
            "Compute with the Tensor itself, not with its .data, and with its own methods: scores.exp()."
        )


@exercise(
    "13 softmax",
    "Three things, for each row on its own: take the largest score off, take exp, divide by the sum.",
    "The largest of each row is scores.max(axis=1, keepdims=True). With keepdims it stays a column, and "
    "broadcasting lays it beside each score of its row. The sum of the powers goes the same way.",
    "powers = (scores - scores.max(axis=1, keepdims=True)).exp(), and then "
    "return powers / powers.sum(axis=1, keepdims=True)",
)
def softmax(function):
    """Judge softmax along rows, for scores that are too large for exp, and its gradient."""
    for scores in (SMALL, LARGE):
        judge_numbers(function, scores)
    leaf = ad.Tensor(SMALL)
    function(leaf).backward(ABOVE)
    z = chances_of(SMALL)
    right = z * (ABOVE - (ABOVE * z).sum(axis=1, keepdims=True))
    found = np.zeros_like(SMALL) if leaf.grad is None else array(leaf.grad, "the walk back gave")
    if not same(found, right):
        raise Mistake(
            "The chances are right, and their gradient is not: some of the paths were cut. Only the maximum "
            "may come from .data, and then everywhere. The sum depends on every score."
        )
    return "Each row adds up to 1, no score is too large, and a gradient finds its way back."


# -- at home: other hands -----------------------------------------------------------------------------------

OTHER_HANDS = 464  # of 500; a prediction may be off by 20


@exercise(
    "13 hands",
    "With shuffled pictures, each person's pictures are on both sides. What besides digits can one learn?",
    "Everybody has a way of writing a 1 or a 9, and it is read better by those who know it. So it will be "
    "fewer than 491. But a 3 is mostly a 3.",
    "A little above nine out of ten: 460, say.",
)
def hands(guess):
    """Judge the predicted count, which is lower than on known writers, but far from chance."""
    found = number(guess)
    if not 0 <= found <= 500:
        raise Mistake(f"It is a count out of 500, and {found:.6g} is none.")
    if 0 < found < 1:
        raise Mistake("It is a count out of 500, not a share.")
    if found > OTHER_HANDS + 20:
        raise Mistake(
            f"{found:.6g} would be about as many as with shuffled pictures, and it is fewer. Not only the "
            "pictures are new now: most of the hands are."
        )
    if found <= 60:
        raise Mistake("50 would be blind guessing among ten digits. It has learned more than that.")
    if found < OTHER_HANDS - 20:
        raise Mistake(
            f"It is not as bad as {found:.6g}. A new hand writes its digits a little differently, not "
            "altogether."
        )
    return "Fewer than 491: some of what it has learned is hands. The exact number comes below."


# -- at home: the gradient of the scores --------------------------------------------------------------------

RULE_CASES = (
    (np.array([[0.5, 0.25, 0.25]]), np.array([1])),
    (np.array([[0.5, 0.25, 0.25], [0.2, 0.2, 0.6]]), np.array([1, 2])),
    (np.array([[0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1], [0.25, 0.25, 0.3, 0.2]]), np.array([3, 3, 0])),
)


def listed_columns(chances, digits):
    """The result of ``chances[:, digits] -= 1``, divided by the number of pictures."""
    changed = chances.copy()
    changed[:, digits] -= 1
    return changed / len(digits)


TURNED = "The sign is turned: the loss falls as the right score rises."
PAIRS = (
    "1 was taken off all the listed columns in every row: [:, digits] does that. Two lists of places are "
    "read in pairs: [np.arange(n), targets]."
)
OF_CHANCES = "That is the gradient of the chances. Softmax lies between them and the scores."
RULE_KINDS = (
    (
        lambda p, d: p - one_hot_rows(p, d),
        "The loss is a mean over the pictures. Each has its share of it only: divide by their number.",
    ),
    (lambda p, d: (one_hot_rows(p, d) - p) / len(d), TURNED),
    (lambda p, d: one_hot_rows(p, d) - p, TURNED),
    (lambda p, d: p, "Those are the chances themselves. What is taken off at the right places?"),
    (lambda p, d: p / len(d), "That is a share of the chances. What is taken off at the right places?"),
    (listed_columns, PAIRS),
    (lambda p, d: listed_columns(p, d) * len(d), f"{PAIRS} And the loss is a mean: divide."),
    (lambda p, d: -one_hot_rows(p, d) / p / len(d), OF_CHANCES),
    (lambda p, d: -one_hot_rows(p, d) / p, OF_CHANCES),
    (
        lambda p, d: (p - one_hot_rows(p, d)) / p.shape[1],
        "You divide by the number of digits. The mean was taken over the pictures.",
    ),
    (
        lambda p, d: (p - 1) * one_hot_rows(p, d) / len(d),
        "The wrong digits get a gradient, too: their scores should fall.",
    ),
    (
        lambda p, d: (p - 1) / len(d),
        "1 is taken off everywhere. It is taken off at the right digit of each row only.",
    ),
    "Compute scores that have these chances (np.log of them), walk back from cross_entropy, and compare.",
)


@exercise(
    "13 rule",
    "Look at the tiny version again: the chances were [0.5, 0.25, 0.25], and the gradient of the scores was "
    "[0.5, -0.75, 0.25].",
    "For one picture it is the chances, less 1 at the right digit. With n pictures the loss is a mean, so "
    "each gets one n-th of that. Work on a copy: the chances belong to the caller.",
    "gradient = chances.copy(), then gradient[np.arange(len(targets)), targets] -= 1, and return "
    "gradient / len(targets)",
)
def rule(function):
    """Judge the gradient of the mean loss with regard to the scores, for one, two and three pictures."""
    for chances, digits in RULE_CASES:
        said = f"score_gradient({listed(chances, 3)}, {digits.tolist()})"
        given = chances.copy()
        found = array(result(function, given, digits.copy(), said=said), f"{said} gave")
        right = (chances - one_hot_rows(chances, digits)) / len(digits)
        if found.shape != right.shape:
            raise Mistake(
                f"{said} has the shape {found.shape}. Each score has its gradient, so it should be "
                f"{right.shape}, as the chances are."
            )
        if not same(found, right):
            kind = kind_of(found, RULE_KINDS, chances, digits)
            raise Mistake(f"{said} gives {listed(found, 3)}, and right is {listed(right, 3)}. {kind}")
        if not same(given, chances):
            raise Mistake(
                f"{said} is right, but the chances that came in are {listed(given, 3)} afterwards. They "
                "belong to the caller. Work on a copy."
            )
    return "What it said less what is true, shared out among the pictures. No walk back was needed."
