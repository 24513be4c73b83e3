"""Lesson 24: two ways against learning by heart."""

from ..plan import Piece, Probe, Wrong

TITLE = "Learned by heart"

HALF = "dropout = Dropout(0.5, np.random.default_rng(0))\n"

PARTS = (
    Piece(
        "24 Dropout",
        '''
class Dropout:
    """While training, sets a part of the numbers to 0 and makes the others larger, so that the mean stays."""

    def __init__(self, rate, rng):
        self.rate, self.rng, self.training = rate, rng, True

    def __call__(self, x):
        if not self.training:
            return x
        return x * ((self.rng.random(shape(x)) >= self.rate) / (1 - self.rate))
''',
        (
            Probe(HALF + "round(float(np.mean(dropout(np.ones(10000)))), 1)", 1.0),
            Probe(HALF + "sorted(set(dropout(np.ones(100)).tolist()))", [0.0, 2.0]),
            Probe(HALF + "dropout.training = False\ndropout(np.ones(4))", [1, 1, 1, 1]),
            Probe(
                "dropout = Dropout(0.2, np.random.default_rng(0))\nround(float(np.mean(dropout(np.ones(10000)) == 0)), 1)",
                0.2,
            ),
            Probe(HALF + "x = Tensor(np.ones(100))\nout = dropout(x)\nbackward(out)\nbool(np.all(x.grad == out.data))", True),
            Probe(HALF + "bool(np.all(dropout(np.ones(100)) == dropout(np.ones(100))))", False),
        ),
        (
            Wrong(
                "not made larger",
                "The mean is smaller than before. What is kept has to be divided by 1 - rate.",
                (" / (1 - self.rate)", ""),
            ),
            Wrong(
                "while judging too",
                "It drops although training is False. Look at self.training first.",
                ("        if not self.training:\n            return x\n", ""),
            ),
            Wrong(
                "one coin for all",
                "It keeps all or nothing: one random number for the whole array. Each element needs its own.",
                ("self.rng.random(shape(x))", "self.rng.random()"),
            ),
            Wrong(
                "drops the others",
                "rate is the part that is set to 0, and here it is the part that is kept.",
                (">= self.rate", "< self.rate"),
                ("/ (1 - self.rate)", "/ self.rate"),
            ),
            Wrong(
                "the numbers only",
                "The numbers are right, and no gradient comes back: compute with the Tensor, not with its value.",
                ("return x * (", "return value(x) * ("),
            ),
            Wrong(
                "drawn once",
                "The same elements are dropped at every call. Draw anew in each call, from self.rng.",
                (
                    "        return x * ((self.rng.random(shape(x)) >= self.rate) / (1 - self.rate))",
                    (
                        '        if "kept" not in vars(self):\n'
                        "            self.kept = (self.rng.random(shape(x)) >= self.rate) / (1 - self.rate)\n"
                        "        return x * self.kept"
                    ),
                ),
            ),
            Wrong(
                "the same every time",
                "The same elements are dropped at every call. Draw anew in each call, from self.rng.",
                ("self.rng.random(", "np.random.default_rng(0).random("),
            ),
        ),
        open=("__call__",),
    ),
    Piece(
        "24 l2_penalty",
        '''
def l2_penalty(net, amount):
    """What large parameters cost: amount times the sum of their squares."""
    return amount * sum((p * p).sum() for p in parameters(net))
''',
        (
            Probe("float(value(l2_penalty([Tensor(np.array([3.0, -3.0]))], 0.5)))", 9.0),
            Probe("float(value(l2_penalty([Tensor(np.array([1.0])), Tensor(np.array([2.0]))], 10)))", 50.0),
            Probe("w = Tensor(np.array([3.0]))\nbackward(l2_penalty([w], 0.5))\nw.grad", [3.0]),
        ),
        (
            Wrong(
                "no square",
                "3 and -3 cost 0 together. With squares, both signs cost.",
                ("(p * p).sum()", "p.sum()"),
            ),
            Wrong("no amount", "The amount is missing as a factor.", ("amount * sum", "sum")),
            Wrong(
                "the numbers only",
                "The number is right, and no gradient comes back: compute with the Tensors, not with their data.",
                ("(p * p).sum()", "np.sum(p.data * p.data)"),
                ("amount * sum", "Tensor(amount * sum"),
                ("parameters(net))", "parameters(net)))"),
            ),
            Wrong(
                "the first parameter only",
                "Only the first parameter costs.",
                ("parameters(net))", "parameters(net)[:1])"),
            ),
        ),
    ),
)
