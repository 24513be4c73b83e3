"""Answers to the exercises of lesson 35."""

from . import Right, Wrong


def changed(code, old, new):
    """The answer with one part of it different."""
    assert old in code
    return code.replace(old, new)


PAIRS = """
def pairs(sentence, window):
    found = []
    for i in range(len(sentence)):
        for j in range(max(0, i - window), min(len(sentence), i + window + 1)):
            if j != i:
                found.append((sentence[i], sentence[j]))
    return found
pairs"""

LOSS = """
def loss_of(word, neighbour, others):
    right = (word * neighbour).sum(axis=1)
    wrong = (word.reshape(-1, 1, word.shape[1]) * others).sum(axis=2)
    return (ad.softplus(-right) + ad.softplus(wrong).sum(axis=1)).mean()
loss_of"""

INVENTED = """
def invented(counts, shape, rng):
    weights = counts ** 0.75
    return rng.choice(len(counts), size=shape, p=weights / weights.sum())
invented"""

UNITS = "lambda places: places / np.linalg.norm(places, axis=1, keepdims=True)"

ANALOGY = """
def analogy(places, a, b, c):
    products = places @ (places[a] - places[b] + places[c])
    products[[a, b, c]] = -np.inf
    return products.argmax()
analogy"""

STAYS = "lambda counts: np.minimum(1, np.sqrt(0.001 / (counts / counts.sum())))"

ANSWERS = {
    "35 pairs": [
        Right("two loops", PAIRS),
        Right("in another order, as lists", """
def pairs(sentence, window):
    found = []
    for far in range(1, window + 1):
        for a, b in zip(sentence, sentence[far:]):
            found += [[a, b], [b, a]]
    return found
pairs"""),
        Right("a generator", "def pairs(s, w):\n    for i, a in enumerate(s):\n        for b in s[max(0, i - w) : i] + s[i + 1 : i + 1 + w]:\n            yield a, b\npairs"),
        Wrong("only the words after it", changed(PAIRS, "range(max(0, i - window),", "range(i + 1,"), "Those before it count too"),
        Wrong("only the words before it", changed(PAIRS, "min(len(sentence), i + window + 1)", "i"), "Those after it count too"),
        Wrong("with itself", changed(PAIRS, "if j != i", "if True"), "not its own neighbour"),
        Wrong("one place too few", changed(PAIRS, "i + window + 1", "i + window"), "range leaves out its end"),
        Wrong("negative places", changed(PAIRS, "max(0, i - window)", "i - window"), "negative index"),
        Wrong("a slice that begins below 0", "def pairs(s, w):\n    return [(a, b) for i, a in enumerate(s) for b in s[i - w : i] + s[i + 1 : i + 1 + w]]\npairs", "slice that begins below 0"),
        Wrong("the end forgotten", changed(PAIRS, "min(len(sentence), i + window + 1)", "i + window + 1"), "IndexError"),
        Wrong("equal words left out", changed(PAIRS, "if j != i", "if sentence[j] != sentence[i]"), "Compare the places"),
        Wrong("a set", changed(PAIRS, "return found", "return set(found)"), "comes twice is there once"),
        Wrong("without a window", changed(PAIRS, "range(max(0, i - window), min(len(sentence), i + window + 1))", "range(len(sentence))"), "not used"),
        Wrong("always 1", changed(PAIRS, "    found = []", "    found, window = [], 1"), "not used"),
        Wrong("one flat list", changed(PAIRS, "found.append((sentence[i], sentence[j]))", "found += [sentence[i], sentence[j]]"), "no pair"),
        Wrong("return inside the loop", changed(PAIRS, "    return found", "        return found"), "lacks"),
        Wrong("prints", changed(PAIRS, "return found", "print(found)"), "returns nothing"),
    ],
    "35 start": [
        Right("in numbers", "4.16"),
        Right("computed", "6 * np.log(2)"),
        Wrong("one of them", "0.693", "one of the six"),
        Wrong("the invented ones", "3.466", "true pair has a loss"),
        Wrong("nothing", "0", "does not know"),
        Wrong("a half", "0.5", "minus its logarithm"),
        Wrong("six halves", "3", "six probabilities"),
        Wrong("six", "6", "natural one"),
        Wrong("the wrong sign", "-4.16", "minus before it"),
        Wrong("the other logarithm", "1.806", "natural one"),
        Wrong("something else", "42", "There are six losses"),
        Wrong("a word", "'large'", "A number is asked for"),
    ],
    "35 loss": [
        Right("as the lesson", LOSS),
        Right("by logarithms", changed(LOSS, "ad.softplus(-right) + ad.softplus(wrong).sum(axis=1)", "-ad.log(ad.sigmoid(right)) - ad.log(1 - ad.sigmoid(wrong)).sum(axis=1)")),
        Right("one sum, divided", changed(LOSS, "(ad.softplus(-right) + ad.softplus(wrong).sum(axis=1)).mean()", "(ad.softplus(-right).sum() + ad.softplus(wrong).sum()) / len(right)")),
        Right("einsum", changed(LOSS, "(word.reshape(-1, 1, word.shape[1]) * others).sum(axis=2)", 'ad.einsum("nd,nkd->nk", word, others)')),
        Wrong("signs exchanged", changed(changed(LOSS, "(-right)", "(right)"), "softplus(wrong)", "softplus(-wrong)"), "signs are exchanged"),
        Wrong("no minus", changed(LOSS, "(-right)", "(right)"), "the minus is missing"),
        Wrong("a minus too many", changed(LOSS, "softplus(wrong)", "softplus(-wrong)"), "without a minus"),
        Wrong("a mean of the invented", changed(LOSS, "softplus(wrong).sum(axis=1)", "softplus(wrong).mean(axis=1)"), "their mean is taken"),
        Wrong("a sum over the pairs", changed(LOSS, ".mean()", ".sum()"), "Take their mean"),
        Wrong("scores added first", changed(LOSS, "softplus(wrong).sum(axis=1)", "softplus(wrong.sum(axis=1))"), "softplus of its own"),
        Wrong("the true pairs alone", changed(LOSS, " + ad.softplus(wrong).sum(axis=1)", ""), "invented pairs are missing"),
        Wrong("the invented ones alone", changed(LOSS, "ad.softplus(-right) + ", ""), "true pairs are missing"),
        Wrong("a loss for each pair", changed(LOSS, ".mean()", ""), "one number is asked for"),
        Wrong("for the neighbour", changed(LOSS, "word.reshape", "neighbour.reshape"), "invented for the word"),
        Wrong("softplus of each product", changed(changed(LOSS, "ad.softplus(-right)", "ad.softplus(-word * neighbour).sum(axis=1)"), "ad.softplus(wrong).sum(axis=1)", "ad.softplus(word.reshape(-1, 1, word.shape[1]) * others).sum(axis=(1, 2))"), "add up the products first"),
        Wrong("without softplus", changed(changed(LOSS, "ad.softplus(-right)", "-right"), "ad.softplus(wrong)", "wrong"), "softplus is missing"),
        Wrong("through NumPy", changed(LOSS, "    right =", "    word, neighbour, others = word.numpy(), neighbour.numpy(), others.numpy()\n    right ="), "cannot be walked back"),
        Wrong("without the middle axis", changed(LOSS, "word.reshape(-1, 1, word.shape[1])", "word"), "ValueError"),
        Wrong("prints", changed(LOSS, "return", "loss ="), "returns nothing"),
        Wrong("an argument too few", "lambda word, neighbour: 0.0", "3 arguments"),
    ],
    "35 invented": [
        Right("as the lesson", INVENTED),
        Right("by a cumulative sum", """
def invented(counts, shape, rng):
    edges = np.cumsum(counts ** 0.75)
    return np.searchsorted(edges, rng.random(shape) * edges[-1], side="right")
invented"""),
        Wrong("by counts", changed(INVENTED, "counts ** 0.75", "counts"), "drawn by their counts"),
        Wrong("all alike", changed(INVENTED, ", p=weights / weights.sum()", ""), "All words are drawn alike"),
        Wrong("roots", changed(INVENTED, "0.75", "0.5"), "square roots"),
        Wrong("upside down", changed(INVENTED, "0.75", "(4 / 3)"), "power 4/3"),
        Wrong("not divided", changed(INVENTED, "p=weights / weights.sum()", "p=weights"), "ValueError"),
        Wrong("one for each pair", changed(INVENTED, "return rng.choice(len(counts), size=shape,", "return np.zeros(shape, int) + rng.choice(len(counts), size=(shape[0], 1) if len(shape) > 1 else shape,"), "the same"),
        Wrong("one number", changed(INVENTED, "size=shape, ", ""), "has the shape"),
        Wrong("counts drawn", changed(INVENTED, "rng.choice(len(counts)", "rng.choice(counts"), "Numbers of words are asked for"),
        Wrong("another generator", changed(INVENTED, "return rng", "return np.random.default_rng()"), "rng that is handed over"),
        Wrong("always the same", changed(INVENTED, "return rng", "return np.random.default_rng(0)"), "rng that is handed over"),
        Wrong("floats", changed(INVENTED, "return rng.choice(len(counts)", "return 1.0 * rng.choice(len(counts)"), "whole numbers"),
        Wrong("prints", changed(INVENTED, "return rng.choice(len(counts), size=shape, p=weights / weights.sum())", "print(weights)"), "returns nothing"),
    ],
    "35 units": [
        Right("norm", UNITS),
        Right("by hand", "lambda places: places / np.sqrt((places ** 2).sum(axis=1))[:, None]"),
        Right("a list", "lambda places: [row / np.sqrt(row @ row) for row in places]"),
        Wrong("one length for all", "lambda places: places / np.linalg.norm(places)", "length of its own"),
        Wrong("columns", changed(UNITS, "axis=1", "axis=0"), "columns are divided"),
        Wrong("the square", "lambda places: places / (places ** 2).sum(axis=1, keepdims=True)", "length squared"),
        Wrong("sums of sizes", "lambda places: places / abs(places).sum(axis=1, keepdims=True)", "root of the sum of the squares"),
        Wrong("the lengths", "lambda places: np.linalg.norm(places, axis=1)", "Divide the rows by them"),
        Wrong("unchanged", "lambda places: places", "rows as they were"),
        Wrong("in place", "def units(places):\n    places /= np.linalg.norm(places, axis=1, keepdims=True)\n    return places\nunits", "changed the places"),
        Wrong("without keepdims", changed(UNITS, ", keepdims=True", ""), ""),
    ],
    "35 analogy": [
        Right("as the lesson", ANALOGY),
        Right("sorted", """
def analogy(places, a, b, c):
    order = np.argsort(-(places @ (places[a] - places[b] + places[c])))
    return [k for k in order if k not in (a, b, c)][0]
analogy"""),
        Right("a loop", """
def analogy(places, a, b, c):
    row = places[a] - places[b] + places[c]
    return max((k for k in range(len(places)) if k not in (a, b, c)), key=lambda k: places[k] @ row)
analogy"""),
        Wrong("the three may count", changed(ANALOGY, "    products[[a, b, c]] = -np.inf\n", ""), "Leave them out"),
        Wrong("set to 0", changed(ANALOGY, "-np.inf", "0"), "below 0. Set those of the three to -np.inf"),
        Wrong("set to -1", changed(ANALOGY, "-np.inf", "-1"), "Set those of the three to -np.inf"),
        Wrong("a + b - c", changed(ANALOGY, "- places[b] + places[c]", "+ places[b] - places[c]"), "a + b - c"),
        Wrong("b - a + c", changed(ANALOGY, "places[a] - places[b] +", "places[b] - places[a] +"), "b - a + c"),
        Wrong("all added", changed(ANALOGY, "- places[b]", "+ places[b]"), "not added"),
        Wrong("without the third", changed(ANALOGY, " + places[c]", ""), "third word is missing"),
        Wrong("the farthest", changed(changed(ANALOGY, "argmax", "argmin"), "= -np.inf", "= np.inf"), "farthest away"),
        Wrong("a row", changed(ANALOGY, "return products.argmax()", "return places[products.argmax()]"), "number of one word"),
        Wrong("the second best", "def analogy(places, a, b, c):\n    return np.argsort(places @ (places[a] - places[b] + places[c]))[-2]\nanalogy", ""),
        Wrong("rows deleted", changed(ANALOGY, "    products[[a, b, c]] = -np.inf\n", "    products = np.delete(products, [a, b, c])\n"), "renumbers"),
        Wrong("prints", changed(ANALOGY, "return products.argmax()", "print(products.argmax())"), "returns nothing"),
    ],
    "35 stays": [
        Right("in one line", STAYS),
        Right("a list", "lambda counts: [min(1, (0.001 * sum(counts) / n) ** 0.5) for n in counts]"),
        Right("np.where", "lambda counts: np.where(counts / counts.sum() < 0.001, 1, np.sqrt(0.001 * counts.sum() / counts))"),
        Wrong("above 1", "lambda counts: np.sqrt(0.001 / (counts / counts.sum()))", "at most 1"),
        Wrong("no root", "lambda counts: np.minimum(1, 0.001 / (counts / counts.sum()))", "root is missing"),
        Wrong("counts for shares", "lambda counts: np.minimum(1, np.sqrt(0.001 / counts))", "share of a word"),
        Wrong("left out", "lambda counts: 1 - np.minimum(1, np.sqrt(0.001 / (counts / counts.sum())))", "is left out"),
        Wrong("the larger one", changed(STAYS, "minimum", "maximum"), "np.minimum in place"),
        Wrong("upside down", "lambda counts: np.minimum(1, np.sqrt(counts / counts.sum() / 0.001))", "upside down"),
        Wrong("rare words never", "lambda counts: np.where(counts / counts.sum() < 0.001, 0, np.sqrt(0.001 / (counts / counts.sum())))", "always stays"),
        Wrong("all or nothing", "lambda counts: (counts / counts.sum() <= 0.001) * 1.0", "now and then"),
    ],
}  # fmt: skip
