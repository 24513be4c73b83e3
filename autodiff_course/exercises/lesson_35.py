"""The exercises of lesson 35: pairs, the loss of a game, invented words, analogies, and words left out."""

from collections import Counter

import numpy as np

from autodiff.engine.tensor import Tensor

from ..checking import Mistake, exercise, number
from ..runs.lesson_35 import loss_of as right_loss
from ..runs.lesson_35 import pairs as right_pairs
from .calling import call
from .shared import array, close, in_words, kind_of, listed, same

# -- pairs --------------------------------------------------------------------------------------------------

PAIR_KINDS = (
    (
        lambda words, window: [(a, b) for i, a in enumerate(words) for b in words[i + 1 : i + 1 + window]],
        "Only the neighbours after a word are there. Those before it count too.",
    ),
    (
        lambda words, window: [(a, b) for i, a in enumerate(words) for b in words[max(0, i - window) : i]],
        "Only the neighbours before a word are there. Those after it count too.",
    ),
    (
        lambda words, window: right_pairs(words, window) + [(word, word) for word in words],
        "A word is not its own neighbour: leave out j == i.",
    ),
    (
        lambda words, window: [
            (a, words[j])
            for i, a in enumerate(words)
            for j in range(max(0, i - window), min(len(words), i + window))
            if j != i
        ],
        "The farthest neighbour on the right is missing: range leaves out its end.",
    ),
    (
        lambda words, window: [
            (a, words[j])
            for i, a in enumerate(words)
            for j in range(i - window, min(len(words), i + window + 1))
            if j != i
        ],
        "A negative index counts from the end of a list. Begin at max(0, i - window).",
    ),
    (
        lambda words, window: [
            (a, b) for i, a in enumerate(words) for b in words[i - window : i] + words[i + 1 : i + 1 + window]
        ],
        "A slice that begins below 0 starts from the end of the list. Begin at max(0, i - window).",
    ),
    (lambda words, window: right_pairs(words, 1), "The window is not used: how far does a neighbour stand?"),
    (lambda words, window: right_pairs(words, len(words)), "The window is not used: these are all pairs."),
    (
        lambda words, window: [pair for pair in right_pairs(words, window) if pair[0] != pair[1]],
        "Two equal words at different places are neighbours too. Compare the places, and not the words.",
    ),
    (
        lambda words, window: sorted(set(right_pairs(words, window))),
        "A pair that comes twice is there once. Return a list with both.",
    ),
)


@exercise(
    "35 pairs",
    "Go through the places i of the sentence, and for each through the places j around it.",
    "The places are range(max(0, i - window), min(len(sentence), i + window + 1)). Leave out i itself.",
    "Begin with found = []. In both loops, if j != i: found.append((sentence[i], sentence[j])). "
    "Return found.",
)
def pairs(function):
    """Judge the pairs of a word and a neighbour."""
    cases = (
        ("my cats drink milk", 2),
        ("cats drink milk", 1),
        ("the cow runs through the barn", 2),
        ("so so so", 1),
        ("no", 2),
    )
    for sentence, window in cases:
        words = sentence.split()
        said = f'pairs("{sentence}".split(), {window})'
        answer = call(function, list(words), window, said=said, header="def pairs(sentence, window):")
        try:
            found = Counter(tuple(pair) for pair in answer)
        except TypeError:
            raise Mistake(f"{said} gave {answer!r:.60}. A list of pairs is asked for.") from None
        if found != Counter(right_pairs(words, window)):
            raise Mistake(f"{said} {which_pairs(found, words, window)}")
    return "Each word has its company, and a short sentence a small one."


def which_pairs(found, words, window):
    """A sentence about wrong pairs."""
    right = Counter(right_pairs(words, window))
    if any(len(pair) != 2 for pair in found):
        return "gives something that is no pair. Append one tuple, (word, neighbour), at a time."
    for wrong, kind in PAIR_KINDS:
        try:
            if found == Counter(wrong(words, window)):
                return f"gives {found.total()} pairs; it should give {right.total()}. {kind}"
        except IndexError:
            continue
    missing, more = right - found, found - right
    if missing:
        return f"lacks {missing.total()} pairs, {next(iter(missing))} among them."
    return f"has {more.total()} pairs too many, {next(iter(more))} among them."


# -- the loss at the start ----------------------------------------------------------------------------------

START_KINDS = {
    np.log(2): "That is one of the six. They are added.",
    5 * np.log(2): "Those are the invented ones. The true pair has a loss as well.",
    0.0: "A score of 0 is not a loss of 0. sigmoid(0) is a half: the network does not know.",
    0.5: "That is the probability, sigmoid(0). The loss is minus its logarithm.",
    3.0: "Those are six probabilities of a half. The loss of each is minus its logarithm.",
    6.0: "Each of the six is -log(1/2), and not 1. The logarithm is the natural one.",
    -6 * np.log(2): "The logarithm of a half is negative, and the loss has a minus before it.",
    6 * np.log10(2): "The logarithm is the natural one, np.log.",
}


@exercise(
    "35 start",
    "If all numbers are 0, all scores are 0. What is the sigmoid of 0?",
    "The network gives a half for every pair, so each of the six losses is -log(1/2) = log(2).",
    "6 * 0.693",
)
def start(guess):
    """Judge the predicted loss of a pair and five invented ones before any training."""
    found, right = number(guess), 6 * np.log(2)
    if abs(found - right) > 0.05:
        kinds = (kind for value, kind in START_KINDS.items() if abs(found - value) < 0.01)
        kind = next(kinds, "There are six losses, each of a score of 0.")
        raise Mistake(f"It is not {found:.4g}. {kind}")
    return "Six times log(2) is 4.16: it knows nothing yet, and says a half to everything."


# -- the loss -----------------------------------------------------------------------------------------------


def soft(s):
    """log(1 + exp(s))."""
    return np.logaddexp(0, s)


def scores(word, neighbour, others):
    """The scores of the true pairs (n,) and of the invented ones (n, k)."""
    return (word * neighbour).sum(axis=1), (word[:, None] * others).sum(axis=2)


def of_scores(loss):
    """A wrong loss as a function of the three arrays, from one of the two kinds of scores."""
    return lambda *arrays: loss(*scores(*arrays))


LOSS_KINDS = (
    (
        of_scores(lambda s, w: (soft(s) + soft(-w).sum(axis=1)).mean()),
        "The signs are exchanged: a true pair should get a large score, with the loss softplus(-s).",
    ),
    (
        of_scores(lambda s, w: (soft(s) + soft(w).sum(axis=1)).mean()),
        "A true pair has the loss softplus(-s): the minus is missing.",
    ),
    (
        of_scores(lambda s, w: (soft(-s) + soft(-w).sum(axis=1)).mean()),
        "An invented pair has the loss softplus(s), without a minus.",
    ),
    (
        of_scores(lambda s, w: (soft(-s) + soft(w).mean(axis=1)).mean()),
        "The invented pairs of a word are added. Here their mean is taken.",
    ),
    (
        of_scores(lambda s, w: soft(-s).mean() + soft(w).mean()),
        "The invented pairs of a word are added. Here their mean is taken.",
    ),
    (
        of_scores(lambda s, w: soft(-s).sum() + soft(w).sum()),
        "That is the sum over the n pairs. Take their mean.",
    ),
    (
        of_scores(lambda s, w: (soft(-s) + soft(w.sum(axis=1))).mean()),
        "Each invented pair has a softplus of its own. Here their scores are added first.",
    ),
    (of_scores(lambda s, w: soft(-s).mean()), "The invented pairs are missing."),
    (of_scores(lambda s, w: soft(w).sum(axis=1).mean()), "The true pairs are missing."),
    (
        of_scores(lambda s, w: soft(-s) + soft(w).sum(axis=1)),
        "That is a loss for each pair. Take their mean.",
    ),
    (
        of_scores(lambda s, w: (np.concatenate([soft(-s), soft(w).ravel()])).mean()),
        (
            "That is the mean over all pairs, true and invented. Add up the six of each, and take the "
            "mean over n."
        ),
    ),
    (
        of_scores(lambda s, w: -(soft(-s) + soft(w).sum(axis=1)).mean()),
        "The sign is wrong: softplus is positive already, and the loss is to become small.",
    ),
    (
        lambda a, b, others: (
            soft(-(a * b).sum(axis=1)) + soft((b[:, None] * others).sum(axis=2)).sum(axis=1)
        ).mean(),
        "The invented ones are multiplied with the neighbour. They are invented for the word.",
    ),
    (
        lambda a, b, others: (soft(-(a * b)).sum(axis=1) + soft(a[:, None] * others).sum(axis=(1, 2))).mean(),
        "A score is one number for each pair: add up the products first, and then take softplus.",
    ),
    (of_scores(lambda s, w: (-s + w.sum(axis=1)).mean()), "Those are the scores alone. softplus is missing."),
    (
        "Compute the scores of the true pairs, (n,), and of the invented ones, (n, k), each as a sum of "
        "products."
    ),
)


@exercise(
    "35 loss",
    "The score of n true pairs is (word * neighbour).sum(axis=1), with the shape (n,).",
    "For the invented ones, word needs a middle axis: word.reshape(-1, 1, word.shape[1]) * others has the "
    "shape (n, k, 16). Its sum over axis 2 is the scores.",
    "return (ad.softplus(-right) + ad.softplus(wrong).sum(axis=1)).mean()",
)
def loss_of(function):
    """Judge the loss of n true pairs with k invented ones for each."""
    rng = np.random.default_rng(0)
    for n, k, d in ((1, 1, 1), (1, 3, 2), (4, 2, 3), (3, 3, 3)):
        arrays = [np.round(rng.normal(size=size), 1) for size in ((n, d), (n, d), (n, k, d))]
        said = f"loss_of for {n} pair{'s' * (n > 1)} with {k} invented for each and {d} numbers a word"
        if d == 1:
            arrays = [np.array([[2.0]]), np.array([[1.0]]), np.array([[[0.5]]])]
            said = "loss_of([[2]], [[1]], [[[0.5]]])"
        tensors = [Tensor(part) for part in arrays]
        answer = call(function, *tensors, said=said, header="def loss_of(word, neighbour, others):")
        found, wanted = array(answer, f"{said} gave"), np.array(right_loss(*arrays))
        if not same(found, wanted):
            kind = kind_of(found, LOSS_KINDS, *arrays)
            if found.shape != wanted.shape:
                raise Mistake(f"{said} has the shape {found.shape}; one number is asked for. {kind}")
            raise Mistake(f"{said} gives {found:.4f}; it should give {wanted:.4f}. {kind}")
        judge_walk(answer, tensors, said)
    return "True pairs are pulled together, and invented ones pushed apart."


def judge_walk(answer, tensors, said):
    """Raise Mistake unless the loss can be walked back to all three."""
    if isinstance(answer, Tensor) and answer.requires_grad:
        answer.backward()
        if all(part.grad is not None for part in tensors):
            return
    raise Mistake(
        f"{said} is right as a number, and cannot be walked back to the rows. Use the Tensors themselves, "
        "with ad.softplus, and no NumPy in between."
    )


# -- invented words -----------------------------------------------------------------------------------------

COUNTS = np.array([1, 16, 81, 0, 256])
DRAWS = (40_000, 5)


def shares(weights):
    """Weights as shares of their sum."""
    return weights / weights.sum()


DRAW_KINDS = (
    (COUNTS**1.0, "They are drawn by their counts. Take the power 3/4 of each count first."),
    (COUNTS**0.0, "All words are drawn alike. Give rng.choice the probabilities as p."),
    (COUNTS > 0, "All words of the text are drawn alike. Give rng.choice the probabilities as p."),
    (COUNTS**0.5, "Those are the square roots. The power is 3/4."),
    (COUNTS ** (4 / 3), "That is the power 4/3. It should be 3/4."),
    (np.log1p(COUNTS), "Those are logarithms. Take the power 3/4."),
    (shares(COUNTS) ** 2, "That is the power 2. It should be 3/4."),
)


@exercise(
    "35 invented",
    "The weights are counts ** 0.75. A probability is a weight divided by the sum of all weights.",
    "rng.choice(n, size=shape, p=probabilities) draws numbers from 0 to n - 1.",
    "weights = counts ** 0.75 and return rng.choice(len(counts), size=shape, p=weights / weights.sum())",
)
def invented(function):
    """Judge the drawing of invented words."""
    header = "def invented(counts, shape, rng):"
    said = "invented([1, 16, 81, 0, 256], (40000, 5), rng)"
    answer = call(function, COUNTS.copy(), DRAWS, np.random.default_rng(0), said=said, header=header)
    found = array(answer, f"{said} gave")
    if found.shape != DRAWS:
        raise Mistake(f"{said} has the shape {found.shape}; it should be {DRAWS}.")
    if not np.isin(found, np.arange(len(COUNTS))).all():
        raise Mistake(f"{said} gives {found.ravel()[0]:g}. Numbers of words are asked for, here 0 to 4.")
    if np.asarray(answer).dtype.kind not in "iu":
        raise Mistake(f"{said} gives floats. Rows are picked by whole numbers.")
    if not (np.ptp(found, axis=1) > 0).any():
        raise Mistake("All words invented for one pair are the same. Draw each by itself: size=shape.")
    drawn, wanted = np.bincount(found.astype(int).ravel(), minlength=5) / found.size, shares(COUNTS**0.75)
    if abs(drawn - wanted).max() > 0.01:
        kinds = (kind for weights, kind in DRAW_KINDS if abs(drawn - shares(weights)).max() < 0.01)
        kind = next(kinds, "The weight of a word is its count to the power 3/4.")
        raise Mistake(
            f"In {said}, the words have the shares {in_words(drawn, 2)}; they should have "
            f"{in_words(wanted, 2)}. {kind}"
        )
    again = [
        call(function, COUNTS.copy(), (50,), np.random.default_rng(seed), said=said) for seed in (1, 1, 2)
    ]
    if not np.array_equal(again[0], again[1]) or np.array_equal(again[0], again[2]):
        raise Mistake("The draws do not come from the rng that is handed over. Use rng.choice.")
    return "A word that stands 16 times as often is invented 8 times as often."


# -- analogies ----------------------------------------------------------------------------------------------

UNIT_KINDS = (
    (
        lambda x: x / np.linalg.norm(x),
        "All rows are divided by the same number. Each has a length of its own: axis=1.",
    ),
    (
        lambda x: x / np.linalg.norm(x, axis=0),
        "The columns are divided by their lengths. The rows are asked for: axis=1.",
    ),
    (
        lambda x: x / (x**2).sum(axis=1, keepdims=True),
        "Each row is divided by its length squared. Take the root.",
    ),
    (
        lambda x: x / abs(x).sum(axis=1, keepdims=True),
        "Each row is divided by the sum of its numbers. The length is the root of the sum of the squares.",
    ),
    (
        lambda x: x / x.sum(axis=1, keepdims=True),
        "Each row is divided by its sum. The length is the root of the sum of the squares.",
    ),
    (lambda x: np.linalg.norm(x, axis=1), "Those are the lengths. Divide the rows by them."),
    (lambda x: np.linalg.norm(x, axis=1, keepdims=True), "Those are the lengths. Divide the rows by them."),
    (
        lambda x: x / np.linalg.norm(x, axis=1),
        "The lengths stand in a row, so columns are divided by them. keepdims=True makes a column of them.",
    ),
    (lambda x: x, "These are the rows as they were."),
    "The length of a row is the root of the sum of its squares.",
)


@exercise(
    "35 units",
    "The length of a row is the root of the sum of the squares of its numbers.",
    "np.linalg.norm(places, axis=1, keepdims=True) are the lengths of all rows, as a column.",
    "return places / np.linalg.norm(places, axis=1, keepdims=True)",
)
def units(function):
    """Judge the rows divided by their lengths."""
    for rows in ([[3.0, 4.0]], [[3.0, 4.0], [0.0, -2.0]], [[1.0, 2.0, 2.0], [6.0, 0.0, 8.0]]):
        given = np.array(rows)
        said = f"units({listed(rows)})"
        found = array(call(function, given, said=said), f"{said} gave")
        wanted = np.array(rows) / np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.array_equal(given, rows):
            raise Mistake("units changed the places. They belong to the caller: return new rows.")
        if not same(found, wanted):
            kind = kind_of(found, UNIT_KINDS, given)
            raise Mistake(f"{said} gives {listed(found, 3)}; it should give {listed(wanted, 3)}. {kind}")
    return "Each row has the length 1, and its direction is as before."


def best(places, row, without=(), lowest=-np.inf):
    """The number of the row with the largest dot product, where those of some are set to the lowest."""
    products = places @ row
    products[list(without)] = lowest
    return int(products.argmax())


ANALOGY_KINDS = (
    (lambda p, a, b, c: best(p, p[a] - p[b] + p[c]), "That is one of the three words. Leave them out."),
    (
        lambda p, a, b, c: best(p, p[a] + p[b] - p[c], (a, b, c)),
        "It computed a + b - c. The second word is subtracted.",
    ),
    (
        lambda p, a, b, c: best(p, p[b] - p[a] + p[c], (a, b, c)),
        "It computed b - a + c. The second word is subtracted.",
    ),
    (lambda p, a, b, c: best(p, p[a] + p[b] + p[c], (a, b, c)), "The second word is subtracted, not added."),
    (lambda p, a, b, c: best(p, p[a] - p[b], (a, b, c)), "The third word is missing."),
    (lambda p, a, b, c: best(p, p[c] - p[b], (a, b, c)), "The first word is missing."),
    (
        lambda p, a, b, c: best(p, p[b] - p[a] - p[c], (a, b, c)),
        "That is the word farthest away. Take the largest dot product.",
    ),
    (
        lambda p, a, b, c: best(p, p[a] - p[b] + p[c], (a, b, c), lowest=0),
        "That is one of the three words: all others are below 0. Set those of the three to -np.inf.",
    ),
    (
        lambda p, a, b, c: int(np.argsort(p @ (p[a] - p[b] + p[c]))[-2]),
        "That is the second best of all words. Leave out exactly the three that were given.",
    ),
    (
        lambda p, a, b, c: int(np.delete(p @ (p[a] - p[b] + p[c]), [a, b, c]).argmax()),
        "Deleting rows renumbers those after them. Keep all, and set the products of the three to -np.inf.",
    ),
)


@exercise(
    "35 analogy",
    "The row that is looked for is places[a] - places[b] + places[c]. places @ row is its dot product with "
    "each word.",
    "Set the dot products of the three words to -np.inf, so that they cannot be the largest.",
    "products = places @ (places[a] - places[b] + places[c]), then products[[a, b, c]] = -np.inf, and "
    "return products.argmax()",
)
def analogy(function):
    """Judge which word is to c as a is to b."""
    rng = np.random.default_rng(2)
    cases, answers = [], []
    for k in range(13):
        places = rng.normal(size=(9, 3))
        a, b, c = (int(word) for word in rng.permutation(9)[:3])
        if k == 12:  # the dot products of all other words are far below 0
            places[:, 0] = -5
            places[[a, c], 0] = 5
        places /= np.linalg.norm(places, axis=1, keepdims=True)
        said = f"analogy(places, {a}, {b}, {c})"
        given = places.copy()
        answer = call(function, given, a, b, c, said=said, header="def analogy(places, a, b, c):")
        if not np.array_equal(given, places):
            raise Mistake("analogy changed the places. They belong to the caller.")
        if np.ndim(answer):
            raise Mistake(f"{said} gave {answer!r:.60}. The number of one word is asked for.")
        cases.append((places, a, b, c))
        answers.append(number(answer))
    wanted = [best(p, p[a] - p[b] + p[c], (a, b, c)) for p, a, b, c in cases]
    if answers != wanted:
        kinds = (kind for wrong, kind in ANALOGY_KINDS if answers == [wrong(*case) for case in cases])
        kind = next(kinds, "Take the largest dot product with row a - row b + row c.")
        k = next(k for k in range(len(cases)) if answers[k] != wanted[k])
        _, a, b, c = cases[k]
        raise Mistake(
            f"With places of nine words, analogy(places, {a}, {b}, {c}) gives {answers[k]:g}; it "
            f"should give {wanted[k]}. {kind}"
        )
    return "The answer is to c as a is to b."


# -- words that are everywhere ------------------------------------------------------------------------------

OFTEN = 0.001
STAY_KINDS = (
    (lambda n: np.sqrt(OFTEN / shares(n)), "A probability is at most 1: np.minimum(1, ...)."),
    (lambda n: np.minimum(1, OFTEN / shares(n)), "The square root is missing."),
    (
        lambda n: np.minimum(1, np.sqrt(OFTEN / n)),
        "f is the share of a word, its count divided by the sum of all counts.",
    ),
    (
        lambda n: 1 - np.minimum(1, np.sqrt(OFTEN / shares(n))),
        "That is the probability that a word is left out.",
    ),
    (
        lambda n: np.maximum(1, np.sqrt(OFTEN / shares(n))),
        "A probability is at most 1: take np.minimum in place of np.maximum.",
    ),
    (
        lambda n: np.minimum(1, np.sqrt(shares(n) / OFTEN)),
        "The fraction is upside down: frequent words are to stay less often.",
    ),
    (lambda n: (shares(n) <= OFTEN) * 1.0, "Frequent words are not left out always, only now and then."),
    (
        lambda n: np.where(shares(n) < OFTEN, 0, np.sqrt(OFTEN / shares(n))),
        "A word with a share below 0.001 always stays: 1, and not 0.",
    ),
    "The share of a word is its count divided by the sum of all counts.",
)


@exercise(
    "35 stays",
    "The share f of each word is counts / counts.sum().",
    "np.sqrt(0.001 / f) is above 1 for rare words, and a probability is not: np.minimum(1, ...) cuts it off.",
    "return np.minimum(1, np.sqrt(0.001 / (counts / counts.sum())))",
)
def stays(function):
    """Judge the probability that a word is not left out."""
    for counts in ([4000, 5, 95, 5900], [996, 4], [500, 1500, 998000]):
        given = np.array(counts)
        said = f"stays({counts})"
        found = array(call(function, given, said=said), f"{said} gave")
        wanted = np.minimum(1, np.sqrt(OFTEN / shares(np.array(counts))))
        if found.shape != wanted.shape or not all(map(close, found, wanted)):
            kind = kind_of(found, STAY_KINDS, np.array(counts))
            raise Mistake(f"{said} gives {listed(found, 3)}; it should give {listed(wanted, 3)}. {kind}")
    return "Rare words always stay, and the most frequent ones are thinned out."
