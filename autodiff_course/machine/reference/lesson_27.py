"""Lesson 27: attention, and two GPTs: one of single numbers, one of arrays."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "Attention"

NEVER = float("-inf")

NUMBERS = "attend(%s)"
ARRAYS = """\
queries, keys = np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]]), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
values = np.array([[10.0, 0.0, 1.0], [0.0, 20.0, 1.0], [0.0, 0.0, 1.0]])
%s"""

PARTS = (
    Given(
        "27 lists",
        '''
def linear(x, matrix):
    """For each row of the matrix, the sum of its weights times the numbers in the list x."""
    return [sum(w * xi for w, xi in zip(row, x)) for row in matrix]


def normed(x):
    """The list x, scaled so that the mean of the squares is 1."""
    scale = (sum(xi * xi for xi in x) / len(x) + 1e-5) ** -0.5
    return [xi * scale for xi in x]


def shares(scores):
    """The softmax of a list: shares that sum to 1."""
    powers = [exp(score) for score in scores]
    whole = sum(powers)
    return [power / whole for power in powers]
''',
    ),
    Piece(
        "27 attend",
        '''
def attend(query, keys, values):
    """The mean of the values, each weighted by how well its key fits the query. All are lists of numbers."""
    scores = [sum(q * k for q, k in zip(query, key)) / len(query) ** 0.5 for key in keys]
    weights = shares(scores)
    return [sum(w * v for w, v in zip(weights, column)) for column in zip(*values)]
''',
        (
            Probe(NUMBERS % "[1.0], [[5.0]], [[3.0, 4.0]]", [3.0, 4.0]),
            Probe(NUMBERS % "[0.0], [[1.0], [2.0]], [[10.0], [20.0]]", [15.0]),
            Probe(NUMBERS % "[1.0], [[1.0], [0.0]], [[1.0], [0.0]]", [0.73105858]),
            Probe(
                NUMBERS % "[1.0, 1.0, 1.0, 1.0], [[1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]], [[1.0], [0.0]]",
                [0.88079708],
            ),
            Probe(NUMBERS % "[2.0, 0.0], [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], [[1.0, 0.0, 5.0], [0.0, 1.0, 5.0], [0.0, 0.0, 5.0]]", [0.57597535, 0.14002925, 5.0]),
            Probe(
                "query = [Tensor(1.0)]\nbackward(attend(query, [[1.0], [0.0]], [[1.0], [0.0]])[0])\nround(float(query[0].grad), 4)",
                0.1966,
            ),
        ),
        (
            Wrong(
                "not scaled",
                "The scores are too large. Divide each sum by the root of the length of the query.",
                (" / len(query) ** 0.5", ""),
            ),
            Wrong(
                "no root",
                "The scores are divided by the length of the query. Divide by its root.",
                ("len(query) ** 0.5", "len(query)"),
            ),
            Wrong(
                "the number of keys",
                "The scores are divided by the root of the number of keys. Divide by that of the length of the query.",
                ("len(query) ** 0.5", "len(keys) ** 0.5"),
            ),
            Wrong(
                "the root of 2",
                "The scores are divided by the root of 2, however long the query is. Divide by the root of len(query).",
                ("len(query) ** 0.5", "2**0.5"),
            ),
            Wrong(
                "exp of NumPy",
                "np.exp does not take Tensors. shares(scores) does the whole softmax.",
                ("shares(scores)", "[np.exp(score) / sum(np.exp(other) for other in scores) for score in scores]"),
            ),
            Wrong(
                "exp of NumPy, for all at once",
                "np.exp does not take Tensors. shares(scores) does the whole softmax.",
                ("shares(scores)", "np.exp(scores) / np.exp(scores).sum()"),
            ),
            Wrong(
                "no softmax",
                "The scores themselves are the weights here, and they don't sum to 1. Take their shares.",
                ("shares(scores)", "scores"),
            ),
            Wrong(
                "the mean of the keys",
                "This is a mean of the keys. The keys decide the weights, and the mean is that of the values.",
                ("zip(*values)", "zip(*keys)"),
            ),
            Wrong(
                "all count alike",
                "All values count alike here. Each has the weight that its key gets from the query.",
                ("shares(scores)", "[1 / len(keys) for _ in keys]"),
            ),
            Wrong(
                "the best only",
                "Only the value with the best key is taken, so no gradient comes back to the query. Take the weighted mean of all.",
                (
                    "weights = shares(scores)",
                    "best = max(range(len(keys)), key=lambda i: value(scores[i]))\n    weights = [float(i == best) for i in range(len(keys))]",
                ),
            ),
            Wrong(
                "the weights",
                "These are the weights. Return the mean of the values, weighted by them.",
                ("return [sum(w * v for w, v in zip(weights, column)) for column in zip(*values)]", "return weights"),
            ),
            Wrong(
                "no zip",
                "Go through the columns: zip(*values) gives all first numbers, then all second ones.",
                ("zip(*values)", "values"),
            ),
            Wrong(
                "divided once more",
                "The weights sum to 1 already: nothing is left to divide by.",
                ("[sum(w * v for w, v in zip(weights, column)) for", "[sum(w * v for w, v in zip(weights, column)) / len(values) for"),
            ),
            Wrong(
                "one number for each value",
                "Each value was added up by itself. Go through the columns: zip(*values) gives all first numbers, then all second ones.",
                ("[sum(w * v for w, v in zip(weights, column)) for column in zip(*values)]", "[w * sum(v) for w, v in zip(weights, values)]"),
            ),
            Wrong(
                "plain numbers",
                "The numbers are right, and no gradient comes back: compute with the Tensors, not with their data.",
                ("q * k for", "value(q) * value(k) for"),
            ),
            Wrong(
                "softmax of a list",
                "The machine's softmax takes an array with rows. For a list there is shares.",
                ("shares(scores)", "softmax(scores)"),
            ),
        ),
    ),
    Given(
        "27 NumberGPT",
        '''
SIZES = {
    "letters": (27, 16),  # a row for each character
    "places": (16, 16),  # a row for each place
    "query": (16, 16),
    "key": (16, 16),
    "value": (16, 16),
    "out": (16, 16),
    "up": (64, 16),
    "down": (16, 64),
    "last": (27, 16),  # a row for each character that may come next
}


class NumberGPT:
    """A GPT made of 4,192 single numbers: nine matrices, which are lists of rows."""

    def __init__(self, numbers):
        numbers = iter(numbers)
        for name, (rows, columns) in SIZES.items():
            setattr(self, name, [[next(numbers) for _ in range(columns)] for _ in range(rows)])

    def __call__(self, codes):
        """For each character, the 27 scores of what may come next. None is read before its turn."""
        keys, values, scores = [], [], []
        for code, place in zip(codes, self.places):
            x = normed([a + b for a, b in zip(self.letters[code], place)])
            h = normed(x)  # changes next to nothing here; later blocks need it
            keys.append(linear(h, self.key))
            values.append(linear(h, self.value))
            query, found = linear(h, self.query), []
            for head in (slice(0, 4), slice(4, 8), slice(8, 12), slice(12, 16)):
                found += attend(query[head], [key[head] for key in keys], [v[head] for v in values])
            x = [a + b for a, b in zip(x, linear(found, self.out))]
            bent = [relu(unit) for unit in linear(normed(x), self.up)]
            x = [a + b for a, b in zip(x, linear(bent, self.down))]
            scores.append(linear(x, self.last))
        return scores


def name_loss(net, codes):
    """The cross-entropy of each character after the first, as a mean."""
    losses = [-log(shares(scores)[code]) for scores, code in zip(net(codes[:-1]), codes[1:])]
    return sum(losses) / len(losses)
''',
    ),
    Piece(
        "27 mask",
        '''
def mask(length):
    """For each place a row: 0 for the places that it may look at, minus infinity for those after it."""
    return np.triu(np.full((length, length), -np.inf), 1)
''',
        (
            Probe("mask(1)", [[0.0]]),
            Probe("mask(3)", [[0.0, NEVER, NEVER], [0.0, 0.0, NEVER], [0.0, 0.0, 0.0]]),
            Probe(
                "softmax(Tensor(mask(2))).data",
                [[1.0, 0.0], [0.5, 0.5]],
                asks="There, mask makes scores of minus infinity, and the maximum of a Tensor multiplies them by 0, which "
                "gives nan. Take a plain maximum: np.max(value(scores), axis=1, keepdims=True).",
            ),
        ),
        (
            Wrong(
                "turned round",
                "It hides the past and shows the future. Minus infinity belongs above the diagonal.",
                ("np.triu(", "np.tril("),
                (", 1)", ", -1)"),
            ),
            Wrong(
                "hides the place itself",
                "A place may look at itself: there is a 0 on the diagonal. With nothing to look at, its softmax is nan.",
                (", 1)", ", 0)"),
            ),
            Wrong(
                "sees one too many",
                "Each place sees the one after it, which is the answer. Minus infinity begins right above the diagonal.",
                (", 1)", ", 2)"),
            ),
            Wrong(
                "1 and 0",
                "This table says which places are hidden. Asked for is what is added to the scores: 0, or minus infinity.",
                ("np.full((length, length), -np.inf)", "np.ones((length, length))"),
            ),
            Wrong(
                "infinity times 0",
                "0 times infinity is not a number. Cut the triangle out of an array that is full of minus infinity.",
                ("np.triu(np.full((length, length), -np.inf), 1)", "np.triu(np.ones((length, length)), 1) * -np.inf"),
            ),
            Wrong(
                "plus infinity",
                "With plus infinity a place gets all the attention. It is minus infinity that gives a share of 0.",
                ("-np.inf", "np.inf"),
            ),
            Wrong(
                "minus a billion",
                "Minus a billion nearly works. Asked for is minus infinity, -np.inf: it makes a share of exactly 0.",
                ("-np.inf", "-1e9"),
            ),
            Wrong(
                "one row",
                "There is one row. Each place needs a row of its own.",
                ("np.triu(np.full((length, length), -np.inf), 1)", "np.array([0.0] + [-np.inf] * (length - 1))"),
            ),
        ),
    ),
    Piece(
        "27 attention",
        '''
def attention(queries, keys, values, hidden):
    """attend for all places at once, a row for each. `hidden` is added to the scores."""
    scores = queries @ keys.T / shape(keys)[1] ** 0.5
    return softmax(scores + hidden) @ values
''',
        (
            Probe(ARRAYS % "attention(queries, keys, values, np.zeros((3, 3))).round(4)", [[4.4581, 2.1677, 1.0], [1.0838, 8.9162, 1.0], [2.4826, 4.9651, 1.0]]),
            Probe(ARRAYS % "attention(queries, keys, values, mask(3)).round(4)", [[10.0, 0.0, 1.0], [1.9557, 16.0886, 1.0], [2.4826, 4.9651, 1.0]]),
            Probe(ARRAYS % "attention(queries[:2], keys, values, np.zeros((2, 3))).round(4)", [[4.4581, 2.1677, 1.0], [1.0838, 8.9162, 1.0]]),
            Probe(ARRAYS % "keys = Tensor(keys)\nbackward(attention(queries, keys, values[:, :1], mask(3)))\nkeys.grad.round(4)", [[1.3196, 3.5445], [-0.4358, -2.6607], [-0.8838, -0.8838]]),
        ),
        (
            Wrong(
                "not scaled",
                "The scores are too large. Divide them by the root of the number of columns of the keys.",
                (" / shape(keys)[1] ** 0.5", ""),
            ),
            Wrong(
                "no root",
                "The scores are divided by the number of columns. Divide by its root.",
                ("shape(keys)[1] ** 0.5", "shape(keys)[1]"),
            ),
            Wrong(
                "the number of places",
                "The scores are divided by the root of the number of places. Divide by that of the number of columns.",
                ("shape(keys)[1]", "shape(keys)[0]"),
            ),
            Wrong(
                "not transposed",
                "Each query has to meet each key: transpose the keys.",
                ("keys.T", "keys"),
            ),
            Wrong(
                "the other way round",
                "Here the keys look at the queries. A row of scores belongs to a query.",
                ("queries @ keys.T", "keys @ queries.T"),
            ),
            Wrong(
                "no mask",
                "The mask is not used. Add it to the scores before the softmax.",
                ("scores + hidden", "scores"),
            ),
            Wrong(
                "the mask multiplied",
                "The mask is multiplied. It is added: 0 changes nothing, and minus infinity makes a share of 0.",
                ("scores + hidden", "scores * hidden"),
            ),
            Wrong(
                "the mask after the softmax",
                "The mask comes after the softmax, so minus infinity ends up in the weights. Add it to the scores.",
                ("softmax(scores + hidden) @ values", "(softmax(scores) + hidden) @ values"),
            ),
            Wrong(
                "taken away",
                "The mask is taken away, which makes plus infinity. Add it.",
                ("scores + hidden", "scores - hidden"),
            ),
            Wrong(
                "no softmax",
                "The scores themselves are the weights here. Take their softmax.",
                ("softmax(scores + hidden)", "(scores + hidden)"),
            ),
            Wrong(
                "an axis",
                "softmax of lesson 13 takes each row by itself already. Drop the axis.",
                ("softmax(scores + hidden)", "softmax(scores + hidden, axis=1)"),
            ),
            Wrong(
                "elementwise",
                "Weights and values meet in a matrix product: @, not *.",
                (" @ values", " * values"),
            ),
            Wrong(
                "the weights",
                "These are the weights. Multiply them by the values.",
                (" @ values", ""),
            ),
            Wrong(
                "the mean of the keys",
                "This is a mean of the keys. The mean is that of the values.",
                ("@ values", "@ keys"),
            ),
            Wrong(
                "plain numbers",
                "The numbers are right, and no gradient comes back: compute with the Tensors, not with their data.",
                ("scores = queries @ keys.T", "queries, keys, values = value(queries), value(keys), value(values)\n    scores = queries @ keys.T"),
            ),
        ),
    ),
    Given(
        "27 GPT",
        '''
def rms_norm(x):
    """The array x, each row scaled so that the mean of its squares is 1."""
    return x * ((x * x).mean(axis=1, keepdims=True) + 1e-5) ** -0.5


class Block:
    """Attention, then two layers with a ReLU between them. What they find is added to what came in."""

    def __init__(self, width, heads, rng):
        def matrix(rows, columns):
            return Tensor(0.08 * rng.normal(size=(rows, columns)))

        part = width // heads
        ways = [(width, part), (width, part), (width, part), (part, width)]
        self.heads = [[matrix(*way) for way in ways] for _ in range(heads)]
        self.up, self.down = matrix(width, 4 * width), matrix(4 * width, width)

    def __call__(self, x, hidden):
        h = rms_norm(x)
        for query, key, content, out in self.heads:  # content is the matrix of the values
            x = x + attention(h @ query, h @ key, h @ content, hidden) @ out
        return x + relu(rms_norm(x) @ self.up) @ self.down


class GPT:
    """Blocks between a row for each character and place, and a score for each character that may follow."""

    def __init__(self, characters, width, heads, blocks, context, rng):
        self.letters = Tensor(0.08 * rng.normal(size=(characters, width)))
        self.places = Tensor(0.08 * rng.normal(size=(context, width)))
        self.blocks = [Block(width, heads, rng) for _ in range(blocks)]
        self.last = Tensor(0.08 * rng.normal(size=(width, characters)))

    def __call__(self, codes, hidden=None, places=None):
        """A row of scores for each character. Without a mask and places, the codes are one text."""
        hidden = mask(len(codes)) if hidden is None else hidden
        places = np.arange(len(codes)) if places is None else places
        x = rms_norm(self.letters[codes] + self.places[places])
        for block in self.blocks:
            x = block(x, hidden)
        return x @ self.last
''',
    ),
)
