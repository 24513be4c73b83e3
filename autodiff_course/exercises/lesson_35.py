"""The exercises of lesson 35: pairs, the loss of a game, invented words, analogies, and words left out."""

from collections import Counter

import numpy as np

from autodiff.engine.tensor import Tensor

from ..checking import Mistake, number
from .calling import call
from .shared import array, in_words, listed
from .table import GIVES, PRINTS, Guess, Right, Table, Task, Wrong, outcome, unchanged


def to_three(numbers):
    """Numbers with three decimals."""
    return listed(numbers, 3)


# -- pairs --------------------------------------------------------------------------------------------------

FROM, TO = "max(0, i - window)", "min(len(sentence), i + window + 1)"

PAIRS = Table(
    "35 pairs",
    head="pairs(sentence, window)",
    right=f"""
        found = []
        for i in range(len(sentence)):
            for j in range({FROM}, {TO}):
                if j != i:
                    found.append((sentence[i], sentence[j]))
        return found""",
    answers=(
        Right("in another order, as lists", """
            found = []
            for far in range(1, window + 1):
                for a, b in zip(sentence, sentence[far:]):
                    found += [[a, b], [b, a]]
            return found"""),
        Right("a generator", (("found = []", "pass"), ("found.append((sentence[i], sentence[j]))", "yield sentence[i], sentence[j]"), ("return found", "return"))),
        Wrong("only the words after it", (FROM, "i + 1"), "Only the neighbours after a word are there. Those before it count too."),
        Wrong("only the words before it", (TO, "i"), "Only the neighbours before a word are there. Those after it count too."),
        Wrong("with itself", ("j != i", "True"), "A word is not its own neighbour: leave out j == i."),
        Wrong("one place too few", ("window + 1", "window"), "The farthest neighbour on the right is missing: range leaves out its end."),
        Wrong("negative places", (FROM, "i - window"), "A negative index counts from the end of a list. Begin at max(0, i - window)."),
        Wrong("a slice that begins below 0", "[(a, b) for i, a in enumerate(sentence) for b in sentence[i - window : i] + sentence[i + 1 : i + 1 + window]]", "A slice that begins below 0 starts from the end of the list. Begin at max(0, i - window)."),
        Wrong("always 1", ("found = []", "found, window = [], 1"), "The window is not used: how far does a neighbour stand?"),
        Wrong("without a window", (f"{FROM}, {TO}", "len(sentence)"), "The window is not used: these are all pairs."),
        Wrong("equal words left out", ("j != i", "sentence[j] != sentence[i]"), "Two equal words at different places are neighbours too. Compare the places, and not the words."),
        Wrong("a set", ("return found", "return set(found)"), "A pair that comes twice is there once. Return a list with both."),
        Wrong("the end forgotten", (TO, "i + window + 1"), holds="IndexError"),
        Wrong("one flat list", ("append((sentence[i], sentence[j]))", "extend([sentence[i], sentence[j]])"), holds="no pair"),
        Wrong("return inside the loop", ("    return found", "        return found"), holds="lacks"),
        Wrong("each twice", ("return found", "return found * 2"), holds="pairs too many"),
        Wrong("how many", ("return found", "return len(found)"), holds="A list of pairs is asked for"),
        Wrong("prints", ("return found", "print(found)"), holds=PRINTS),
    ),
    hints=(
        "Go through the places i of the sentence, and for each through the places j around it.",
        "The places are range(max(0, i - window), min(len(sentence), i + window + 1)). Leave out i itself.",
        "Begin with found = []. In both loops, if j != i: found.append((sentence[i], sentence[j])). Return found.",
    ),
)  # fmt: skip


@PAIRS.judged
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
        words, said = sentence.split(), f'pairs("{sentence}".split(), {window})'
        answer = call(function, list(words), window, said=said, header="def pairs(sentence, window):")
        try:
            found = Counter(tuple(pair) for pair in answer)
        except TypeError:
            raise Mistake(f"{said} gave {answer!r:.60}. A list of pairs is asked for.") from None
        if found != Counter(PAIRS.answer()(words, window)):
            raise Mistake(f"{said} {which_pairs(found, words, window)}")
    return "Each word has its company, and a short sentence a small one."


def which_pairs(found, words, window):
    """A sentence about wrong pairs."""
    if any(len(pair) != 2 for pair in found):
        return "gives something that is no pair. Append one tuple, (word, neighbour), at a time."
    right = Counter(PAIRS.answer()(words, window))
    why = PAIRS.why(lambda wrong: found == Counter(outcome(wrong, words, window)))
    if why:
        return f"gives {found.total()} pairs; it should give {right.total()}. {why}"
    missing, more = right - found, found - right
    if missing:
        return f"lacks {missing.total()} pairs, {next(iter(missing))} among them."
    return f"has {more.total()} pairs too many, {next(iter(more))} among them."


# -- the loss at the start ----------------------------------------------------------------------------------

Guess(
    "35 start",
    right="6 * np.log(2)",
    answers=(
        Right("in numbers", "4.16"),
        Wrong("one of them", "0.693", "That is one of the six. They are added."),
        Wrong("the invented ones", "5 * np.log(2)", "Those are the invented ones. The true pair has a loss as well."),
        Wrong("nothing", "0", "A score of 0 is not a loss of 0. sigmoid(0) is a half: the network does not know."),
        Wrong("a half", "0.5", "That is the probability, sigmoid(0). The loss is minus its logarithm."),
        Wrong("six halves", "3", "Those are six probabilities of a half. The loss of each is minus its logarithm."),
        Wrong("six", "6", "Each of the six is -log(1/2), and not 1. The logarithm is the natural one."),
        Wrong("the wrong sign", "-6 * np.log(2)", "The logarithm of a half is negative, and the loss has a minus before it."),
        Wrong("the other logarithm", "6 * np.log10(2)", "The logarithm is the natural one, np.log."),
        Wrong("something else", "42"),
        Wrong("a word", "'large'", holds="A number is asked for"),
    ),
    otherwise="There are six losses, each of a score of 0.",
    praise="Six times log(2) is 4.16: it knows nothing yet, and says a half to everything.",
    hints=(
        "If all numbers are 0, all scores are 0. What is the sigmoid of 0?",
        "The network gives a half for every pair, so each of the six losses is -log(1/2) = log(2).",
        "6 * 0.693",
    ),
    within=0.05,
    near=0.01,
    message="It is not {found:.4g}. {why}",
)

# -- the loss -----------------------------------------------------------------------------------------------


def games():
    """Calls in words, each with three arrays."""
    rng = np.random.default_rng(0)
    rng.normal(size=3)
    yield "loss_of([[2]], [[1]], [[[0.5]]])", [[2.0]], [[1.0]], [[[0.5]]]
    for n, k, d in ((1, 3, 2), (4, 2, 3), (3, 3, 3)):
        said = f"loss_of for {n} pair{'s' * (n > 1)} with {k} invented for each and {d} numbers a word"
        yield said, *(np.round(rng.normal(size=size), 1) for size in ((n, d), (n, d), (n, k, d)))


def walked(answer, wanted, tensors, others, said):
    """Raise Mistake unless the loss can be walked back to all three."""
    if isinstance(answer, Tensor) and answer.requires_grad:
        answer.backward()
        if all(part.grad is not None for part in tensors):
            return
    raise Mistake(
        f"{said} is right as a number, and cannot be walked back to the rows. Use the Tensors themselves, "
        "with ad.softplus, and no NumPy in between."
    )


REAL, FALSE = "ad.softplus(-right)", "ad.softplus(wrong).sum(axis=1)"
LOSS = f"({REAL} + {FALSE}).mean()"

Task(
    "35 loss",
    head="loss_of(word, neighbour, others)",
    right=f"""
        right = (word * neighbour).sum(axis=1)
        wrong = (word.reshape(-1, 1, word.shape[1]) * others).sum(axis=2)
        return {LOSS}""",
    cases=tuple(games()),
    answers=(
        Right("by logarithms", (LOSS, "(-ad.log(ad.sigmoid(right)) - ad.log(1 - ad.sigmoid(wrong)).sum(axis=1)).mean()")),
        Right("one sum, divided", (LOSS, "(ad.softplus(-right).sum() + ad.softplus(wrong).sum()) / len(right)")),
        Right("einsum", ("(word.reshape(-1, 1, word.shape[1]) * others).sum(axis=2)", 'ad.einsum("nd,nkd->nk", word, others)')),
        Wrong("signs exchanged", (("(-right)", "(right)"), ("softplus(wrong)", "softplus(-wrong)")), "The signs are exchanged: a true pair should get a large score, with the loss softplus(-s)."),
        Wrong("no minus", ("(-right)", "(right)"), "A true pair has the loss softplus(-s): the minus is missing."),
        Wrong("a minus too many", ("softplus(wrong)", "softplus(-wrong)"), "An invented pair has the loss softplus(s), without a minus."),
        Wrong("a mean of the invented", (FALSE, FALSE.replace("sum", "mean")), "The invented pairs of a word are added. Here their mean is taken."),
        Wrong("a sum over the pairs", ("mean", "sum"), "That is the sum over the n pairs. Take their mean."),
        Wrong("scores added first", (FALSE, "ad.softplus(wrong.sum(axis=1))"), "Each invented pair has a softplus of its own. Here their scores are added first."),
        Wrong("the true pairs alone", (f" + {FALSE}", ""), "The invented pairs are missing."),
        Wrong("the invented ones alone", (f"{REAL} + ", ""), "The true pairs are missing."),
        Wrong("a loss for each pair", (".mean()", ""), "That is a loss for each pair. Take their mean."),
        Wrong("a mean over all", (LOSS, "(ad.softplus(-right).sum() + ad.softplus(wrong).sum()) / (right.size + wrong.size)"), "That is the mean over all pairs, true and invented. Add up the six of each, and take the mean over n."),
        Wrong("negative", ("return ", "return -"), "The sign is wrong: softplus is positive already, and the loss is to become small."),
        Wrong("for the neighbour", ("word.reshape", "neighbour.reshape"), "The invented ones are multiplied with the neighbour. They are invented for the word."),
        Wrong("softplus of each product", ((REAL, "ad.softplus(-word * neighbour).sum(axis=1)"), (FALSE, "ad.softplus(word.reshape(-1, 1, word.shape[1]) * others).sum(axis=(1, 2))")), "A score is one number for each pair: add up the products first, and then take softplus."),
        Wrong("without softplus", ((REAL, "-right"), ("ad.softplus(wrong)", "wrong")), "Those are the scores alone. softplus is missing."),
        Wrong("a constant", "0.5"),
        Wrong("through NumPy", ("    right =", "    word, neighbour, others = word.numpy(), neighbour.numpy(), others.numpy()\n    right ="), holds="cannot be walked back"),
        Wrong("without the middle axis", ("word.reshape(-1, 1, word.shape[1])", "word"), holds="ValueError"),
        Wrong("prints", ("return", "loss ="), holds="returns nothing"),
        Wrong("an argument too few", "lambda word, neighbour: 0.0", holds="3 arguments"),
    ),
    otherwise="Compute the scores of the true pairs, (n,), and of the invented ones, (n, k), each as a sum of products.",
    praise="True pairs are pulled together, and invented ones pushed apart.",
    hints=(
        "The score of n true pairs is (word * neighbour).sum(axis=1), with the shape (n,).",
        "For the invented ones, word needs a middle axis: word.reshape(-1, 1, word.shape[1]) * others has the shape (n, k, 16). Its sum over axis 2 is the scores.",
        "return (ad.softplus(-right) + ad.softplus(wrong).sum(axis=1)).mean()",
    ),
    inputs=lambda case, function: [Tensor(np.array(part)) for part in case[1:]],
    said=lambda case: case[0],
    shape="{said} has the shape {found.shape}; one number is asked for. {why}",
    message="{said} gives {found:.4f}; it should give {right:.4f}. {why}",
    after=walked,
)

# -- invented words -----------------------------------------------------------------------------------------

COUNTS = np.array([1, 16, 81, 0, 256])
DRAWS = (40_000, 5)
POWER, DIVIDED = "counts ** 0.75", "p=weights / weights.sum()"

INVENTED = Table(
    "35 invented",
    head="invented(counts, shape, rng)",
    right=f"""
        weights = {POWER}
        return rng.choice(len(counts), size=shape, {DIVIDED})""",
    answers=(
        Right("by a cumulative sum", """
            edges = np.cumsum(counts ** 0.75)
            return np.searchsorted(edges, rng.random(shape) * edges[-1], side="right")"""),
        Wrong("by counts", (POWER, "counts"), "They are drawn by their counts. Take the power 3/4 of each count first."),
        Wrong("all alike", (f", {DIVIDED}", ""), "All words are drawn alike. Give rng.choice the probabilities as p."),
        Wrong("all of the text alike", (POWER, "counts > 0"), "All words of the text are drawn alike. Give rng.choice the probabilities as p."),
        Wrong("roots", ("0.75", "0.5"), "Those are the square roots. The power is 3/4."),
        Wrong("upside down", ("0.75", "(4 / 3)"), "That is the power 4/3. It should be 3/4."),
        Wrong("logarithms", (POWER, "np.log1p(counts)"), "Those are logarithms. Take the power 3/4."),
        Wrong("squares", ("0.75", "2"), "That is the power 2. It should be 3/4."),
        Wrong("another power", ("0.75", "3")),
        Wrong("not divided", (DIVIDED, "p=weights"), holds="ValueError"),
        Wrong("one for each pair", ("return rng.choice(len(counts), size=shape,", "return np.zeros(shape, int) + rng.choice(len(counts), size=(*shape[:-1], 1),"), holds="the same"),
        Wrong("one number", ("size=shape, ", ""), holds="has the shape"),
        Wrong("counts drawn", ("len(counts)", "counts"), holds="Numbers of words are asked for"),
        Wrong("another generator", ("return rng", "return np.random.default_rng()"), holds="rng that is handed over"),
        Wrong("always the same", ("return rng", "return np.random.default_rng(0)"), holds="rng that is handed over"),
        Wrong("floats", ("return ", "return 1.0 * "), holds="whole numbers"),
        Wrong("prints", "print(counts)", holds=PRINTS),
    ),
    otherwise="The weight of a word is its count to the power 3/4.",
    hints=(
        "The weights are counts ** 0.75. A probability is a weight divided by the sum of all weights.",
        "rng.choice(n, size=shape, p=probabilities) draws numbers from 0 to n - 1.",
        "weights = counts ** 0.75 and return rng.choice(len(counts), size=shape, p=weights / weights.sum())",
    ),
)  # fmt: skip


@INVENTED.judged
def invented(function):
    """Judge the drawing of invented words."""
    said, header = "invented([1, 16, 81, 0, 256], (40000, 5), rng)", "def invented(counts, shape, rng):"
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
    drawn, wanted = shares(np.bincount(found.astype(int).ravel(), minlength=5)), shares(COUNTS**0.75)
    if abs(drawn - wanted).max() > 0.01:

        def fits(wrong):
            words = wrong(COUNTS, DRAWS, np.random.default_rng(0))
            return abs(drawn - shares(np.bincount(words.ravel(), minlength=5))).max() < 0.01

        raise Mistake(
            f"In {said}, the words have the shares {in_words(drawn, 2)}; they should have "
            f"{in_words(wanted, 2)}. {INVENTED.why(fits)}"
        )
    again = [call(function, COUNTS.copy(), (50,), np.random.default_rng(seed), said=said) for seed in (1, 1, 2)]
    if not np.array_equal(again[0], again[1]) or np.array_equal(again[0], again[2]):
        raise Mistake("The draws do not come from the rng that is handed over. Use rng.choice.")
    return "A word that stands 16 times as often is invented 8 times as often."


def shares(weights):
    """Weights as shares of their sum."""
    return weights / weights.sum()


# -- analogies ----------------------------------------------------------------------------------------------


Task(
    "35 units",
    head="units(places)",
    right="places / np.linalg.norm(places, axis=1, keepdims=True)",
    cases=([[[3.0, 4.0]]], [[[3.0, 4.0], [0.0, -2.0]]], [[[1.0, 2.0, 2.0], [6.0, 0.0, 8.0]]]),
    answers=(
        Right("by hand", "places / np.sqrt((places ** 2).sum(axis=1))[:, None]"),
        Right("a list", "[row / np.sqrt(row @ row) for row in places]"),
        Wrong("one length for all", (", axis=1, keepdims=True", ""), "All rows are divided by the same number. Each has a length of its own: axis=1."),
        Wrong("columns", ("axis=1", "axis=0"), "The columns are divided by their lengths. The rows are asked for: axis=1."),
        Wrong("the square", "places / (places ** 2).sum(axis=1, keepdims=True)", "Each row is divided by its length squared. Take the root."),
        Wrong("sums of sizes", "places / abs(places).sum(axis=1, keepdims=True)", "Each row is divided by the sum of its numbers. The length is the root of the sum of the squares."),
        Wrong("the lengths", "np.linalg.norm(places, axis=1)", "Those are the lengths. Divide the rows by them."),
        Wrong("the lengths as a column", ("places /", ""), "Those are the lengths. Divide the rows by them."),
        Wrong("without keepdims", (", keepdims=True", ""), "The lengths stand in a row, so columns are divided by them. keepdims=True makes a column of them."),
        Wrong("unchanged", "places", "These are the rows as they were."),
        Wrong("by the number of columns", "places / places.shape[1]"),
        Wrong("in place", "places /= np.linalg.norm(places, axis=1, keepdims=True)\nreturn places", holds="changed the places"),
    ),
    otherwise="The length of a row is the root of the sum of its squares.",
    praise="Each row has the length 1, and its direction is as before.",
    hints=(
        "The length of a row is the root of the sum of the squares of its numbers.",
        "np.linalg.norm(places, axis=1, keepdims=True) are the lengths of all rows, as a column.",
        "return places / np.linalg.norm(places, axis=1, keepdims=True)",
    ),
    message=GIVES,
    shown=to_three,
    after=unchanged("units changed the places. They belong to the caller: return new rows.", 0),
)

OUT = "products[[a, b, c]] = -np.inf"
ROW = "places[a] - places[b] + places[c]"

ANALOGY = Table(
    "35 analogy",
    head="analogy(places, a, b, c)",
    right=f"""
        products = places @ ({ROW})
        {OUT}
        return products.argmax()""",
    answers=(
        Right("sorted", f"[k for k in np.argsort(-(places @ ({ROW}))) if k not in (a, b, c)][0]"),
        Right("a loop", f"max((k for k in range(len(places)) if k not in (a, b, c)), key=lambda k: places[k] @ ({ROW}))"),
        Wrong("the three may count", (OUT, "pass"), "That is one of the three words. Leave them out."),
        Wrong("a + b - c", (ROW, "places[a] + places[b] - places[c]"), "It computed a + b - c. The second word is subtracted."),
        Wrong("b - a + c", (ROW, "places[b] - places[a] + places[c]"), "It computed b - a + c. The second word is subtracted."),
        Wrong("all added", ("- places[b]", "+ places[b]"), "The second word is subtracted, not added."),
        Wrong("without the third", (" + places[c]", ""), "The third word is missing."),
        Wrong("without the first", (ROW, "places[c] - places[b]"), "The first word is missing."),
        Wrong("the farthest", (("argmax", "argmin"), ("-np.inf", "np.inf")), "That is the word farthest away. Take the largest dot product."),
        Wrong("set to 0", ("-np.inf", "0"), "That is one of the three words: all others are below 0. Set those of the three to -np.inf."),
        Wrong("the second best", (OUT, "return products.argsort()[-2]"), "That is the second best of all words. Leave out exactly the three that were given."),
        Wrong("rows deleted", (OUT, "products = np.delete(products, [a, b, c])"), "Deleting rows renumbers those after them. Keep all, and set the products of the three to -np.inf."),
        Wrong("a constant", "0"),
        Wrong("set to -1", ("-np.inf", "-1"), holds="Set those of the three to -np.inf"),
        Wrong("a row", ("return products.argmax()", "return places[products.argmax()]"), holds="number of one word"),
        Wrong("in place", ("products =", "places *= 2\n    products ="), holds="changed the places"),
        Wrong("prints", ("return products.argmax()", "print(products.argmax())"), holds=PRINTS),
    ),
    otherwise="Take the largest dot product with row a - row b + row c.",
    hints=(
        "The row that is looked for is places[a] - places[b] + places[c]. places @ row is its dot product with each word.",
        "Set the dot products of the three words to -np.inf, so that they cannot be the largest.",
        "products = places @ (places[a] - places[b] + places[c]), then products[[a, b, c]] = -np.inf, and return products.argmax()",
    ),
)  # fmt: skip


def questions():
    """Places of nine words, each time with the numbers of three."""
    rng = np.random.default_rng(2)
    for k in range(13):
        places = rng.normal(size=(9, 3))
        a, b, c = (int(word) for word in rng.permutation(9)[:3])
        if k == 12:  # the dot products of all other words are far below 0
            places[:, 0] = -5
            places[[a, c], 0] = 5
        yield places / np.linalg.norm(places, axis=1, keepdims=True), a, b, c


@ANALOGY.judged
def analogy(function):
    """Judge which word is to c as a is to b."""
    cases, found = tuple(questions()), []
    for places, *words in cases:
        said = f"analogy(places, {', '.join(map(str, words))})"
        given = places.copy()
        answer = call(function, given, *words, said=said, header="def analogy(places, a, b, c):")
        if not np.array_equal(given, places):
            raise Mistake("analogy changed the places. They belong to the caller.")
        if np.ndim(answer):
            raise Mistake(f"{said} gave {answer!r:.60}. The number of one word is asked for.")
        found.append(number(answer))

    def answers(right_or_wrong):
        return [right_or_wrong(*case) for case in cases]

    right = answers(ANALOGY.answer())
    if found != right:
        k = next(k for k in range(len(cases)) if found[k] != right[k])
        raise Mistake(
            f"With places of nine words, analogy(places, {', '.join(map(str, cases[k][1:]))}) gives {found[k]:g}; it "
            f"should give {right[k]}. {ANALOGY.why(lambda wrong: found == answers(wrong))}"
        )
    return "The answer is to c as a is to b."


# -- words that are everywhere ------------------------------------------------------------------------------

SHARES, ROOT = "(counts / counts.sum())", "np.sqrt(0.001 / (counts / counts.sum()))"

Task(
    "35 stays",
    head="stays(counts)",
    right=f"np.minimum(1, {ROOT})",
    cases=([[4000, 5, 95, 5900]], [[996, 4]], [[500, 1500, 998000]]),
    answers=(
        Right("a list", "[min(1, (0.001 * sum(counts) / n) ** 0.5) for n in counts]"),
        Right("np.where", f"np.where({SHARES} < 0.001, 1, {ROOT})"),
        Wrong("above 1", ROOT, "A probability is at most 1: np.minimum(1, ...)."),
        Wrong("no root", ("np.sqrt", ""), "The square root is missing."),
        Wrong("counts for shares", (SHARES, "counts"), "f is the share of a word, its count divided by the sum of all counts."),
        Wrong("left out", f"1 - np.minimum(1, {ROOT})", "That is the probability that a word is left out."),
        Wrong("the larger one", ("minimum", "maximum"), "A probability is at most 1: take np.minimum in place of np.maximum."),
        Wrong("upside down", f"np.minimum(1, np.sqrt({SHARES} / 0.001))", "The fraction is upside down: frequent words are to stay less often."),
        Wrong("all or nothing", f"({SHARES} <= 0.001) * 1.0", "Frequent words are not left out always, only now and then."),
        Wrong("rare words never", f"np.where({SHARES} < 0.001, 0, {ROOT})", "A word with a share below 0.001 always stays: 1, and not 0."),
        Wrong("all stay", "np.ones(len(counts))"),
    ),
    otherwise="The share of a word is its count divided by the sum of all counts.",
    praise="Rare words always stay, and the most frequent ones are thinned out.",
    hints=(
        "The share f of each word is counts / counts.sum().",
        "np.sqrt(0.001 / f) is above 1 for rare words, and a probability is not: np.minimum(1, ...) cuts it off.",
        "return np.minimum(1, np.sqrt(0.001 / (counts / counts.sum())))",
    ),
    message=GIVES,
    shown=to_three,
)
