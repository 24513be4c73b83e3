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
            Probe(
                HALF
                + "x = Tensor(np.ones(100))\nout = dropout(x)\nbackward(out)\nbool(np.all(x.grad == out.data))",
                True,
            ),
            Probe(HALF + "bool(np.all(dropout(np.ones(100)) == dropout(np.ones(100))))", False),
            Probe(
                "dropout = Dropout(0.2, np.random.default_rng(0))\nsorted(set(dropout(np.ones(100)).round(4).tolist()))",
                [0.0, 1.25],
            ),
            Probe(
                "first, second = (Dropout(0.5, np.random.default_rng(0)) for _ in range(2))\n"
                "bool(np.all(first(np.ones(100)) == second(np.ones(100))))",
                True,
            ),
            Probe(HALF + "len({float(np.sum(dropout(np.ones(100)))) for _ in range(20)}) > 1", True),
            Probe(HALF + "top, below = dropout(np.ones((2, 100)))\nbool(np.all(top == below))", False),
        ),
        (
            Wrong(
                "not made larger",
                "The mean is smaller than before. What is kept has to be divided by 1 - rate.",
                (" / (1 - self.rate)", ""),
            ),
            Wrong(
                "made smaller",
                "The mean is smaller than before. What is kept has to be divided by 1 - rate.",
                ("/ (1 - self.rate)", "* (1 - self.rate)"),
            ),
            Wrong(
                "while judging too",
                "It drops numbers although training is False. Look at self.training first.",
                ("        if not self.training:\n            return x\n", ""),
            ),
            Wrong(
                "one coin for all",
                "It keeps all or nothing: one random number for the whole array. Each element needs its own.",
                ("self.rng.random(shape(x))", "self.rng.random()"),
            ),
            Wrong(
                "drops the others",
                "rate is the share of numbers that become 0. Here it is the share that is kept.",
                (">= self.rate", "< self.rate"),
                ("/ (1 - self.rate)", "/ self.rate"),
            ),
            Wrong(
                "the numbers only",
                "The numbers are right, and no gradient comes back: compute with the Tensor, not with its value.",
                ("return x * (", "return value(x) * ("),
            ),
            Wrong(
                "the data of an array",
                "x may be a plain array, whose .data is something else. Compute with x itself, array or Tensor.",
                (
                    "x * ((self.rng.random(shape(x)) >= self.rate) / (1 - self.rate))",
                    "x.data / (1 - self.rate) * (self.rng.random(shape(x)) >= self.rate)",
                ),
            ),
            Wrong(
                "the data of an array, times a factor",
                "x may be a plain array, whose .data is something else. Compute with x itself, array or Tensor.",
                (
                    "x * ((self.rng.random(shape(x)) >= self.rate) / (1 - self.rate))",
                    "x.data * (1 / (1 - self.rate)) * (self.rng.random(shape(x)) >= self.rate)",
                ),
            ),
            Wrong(
                "x itself is changed",
                "x may be an array or a Tensor, and belongs to the caller. Do not set its elements to 0: multiply x by an array of zeros and ones.",
                (
                    "        return x * ((self.rng.random(shape(x)) >= self.rate) / (1 - self.rate))",
                    "        x.data[self.rng.random(shape(x)) < self.rate] = 0\n        return x / (1 - self.rate)",
                ),
            ),
            Wrong(
                "x itself is changed, as an array",
                "x may be an array or a Tensor, and belongs to the caller. Do not set its elements to 0: multiply x by an array of zeros and ones.",
                (
                    "        return x * ((self.rng.random(shape(x)) >= self.rate) / (1 - self.rate))",
                    "        x[self.rng.random(shape(x)) < self.rate] = 0\n        return x / (1 - self.rate)",
                ),
            ),
            Wrong(
                "nothing in use",
                "When training is False, it returns nothing. Return x there.",
                ("        if not self.training:\n            return x\n        return", "        if self.training:\n            return"),
            ),
            Wrong(
                "always the same number of them",
                "Every call drops equally many elements. Each is to be dropped by a random number of its own: self.rng.random(shape(x)).",
                (
                    "(self.rng.random(shape(x)) >= self.rate)",
                    "(self.rng.permutation(np.size(value(x))).reshape(shape(x)) >= np.size(value(x)) * self.rate)",
                ),
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
            Wrong(
                "divided by the rate",
                "What is kept is divided by rate. Divide it by 1 - rate: at the rate 0.5 the two are the same.",
                ("/ (1 - self.rate)", "/ self.rate"),
            ),
            Wrong(
                "always doubled",
                "What is kept is always doubled. That holds for the rate 0.5 only: divide by 1 - rate.",
                ("/ (1 - self.rate)", "* 2"),
            ),
            Wrong(
                "another scaling",
                "At the rate 0.5 it is right, and not at 0.2. Divide what is kept by 1 - rate.",
                ("/ (1 - self.rate)", "* (1 + 2 * self.rate)"),
            ),
            Wrong(
                "another generator",
                "Two Dropouts with generators of the same seed drop different elements. Draw from self.rng.",
                ("self.rng.random(", "np.random.default_rng().random("),
            ),
            Wrong(
                "one row for all",
                "Each row drops the same elements. Each element needs its own random number: use shape(x).",
                ("shape(x)", "shape(x)[-1]"),
            ),
            Wrong(
                "the second axis",
                "x may have any number of axes, and each element needs its own random number: use shape(x).",
                ("shape(x)", "shape(x)[1]"),
            ),
            Wrong(
                "a new Tensor",
                "A new Tensor has no creators, so no gradient comes back. Compute with x itself, array or Tensor.",
                ("return x * (", "return Tensor(value(x) * ("),
                ("(1 - self.rate))", "(1 - self.rate)))"),
            ),
            Wrong(
                "returns nothing",
                "__call__ returns nothing while training is True: end with `return`.",
                ("return x * (", "x * ("),
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
            Wrong(
                "half of it",
                "That is half of it. The penalty is amount times the sum of all squares.",
                ("amount * sum", "amount / 2 * sum"),
            ),
            Wrong(
                "the root of the sum",
                "That has a root in it. The penalty is amount times the sum of all squares, without a root.",
                ("amount * sum((p * p).sum() for p in parameters(net))", "amount * sum((p * p).sum() for p in parameters(net)) ** 0.5"),
            ),
            Wrong(
                "weights only",
                "Parameters with one axis cost nothing here. All parameters cost, biases as well.",
                ("in parameters(net)", "in parameters(net) if len(shape(p)) == 2"),
            ),
            Wrong(
                "not added up",
                "Each parameter gives an array of squares. Add up its elements, too: (p * p).sum().",
                ("(p * p).sum()", "p * p"),
            ),
            Wrong(
                "the layers",
                "Use parameters(net). It finds the Tensors in a network, in a layer and in a list.",
                ("parameters(net)", "[p for layer in net.layers for p in parameters(layer)]"),
            ),
            Wrong(
                "the last parameter only",
                "Only the last parameter costs. Add up what all of them cost.",
                ("parameters(net))", "parameters(net)[-1:])"),
            ),
            Wrong(
                "the data",
                "The number is right, and no gradient comes back: compute with the Tensors, not with their data.",
                ("(p * p).sum()", "np.sum(p.data * p.data)"),
            ),
            Wrong("no amount", "The amount is missing as a factor.", ("amount * sum", "sum")),
            Wrong(
                "means in place of sums",
                "Each parameter's squares were averaged. The penalty is amount times the sum of all squares.",
                ("(p * p).sum()", "(p * p).mean()"),
            ),
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
