"""Lesson 12: sums, means, maxima, and elements that are picked."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "Sums, maxima and picking"

TABLE = "x = Tensor(np.array([[3.0, 7, 5], [8, 2, 8]]))\n"
TEN_AND_ONE = TABLE + "backward(x.sum(axis=1), np.array([10.0, 1]))\nx.grad"
BANANA = """\
v = Tensor(np.array([1.0, 3, 1]))
backward(v[np.array([1, 0, 2, 0, 2, 0])], np.ones(6))
v.grad"""

PARTS = (
    Piece(
        "12 put",
        '''
def put(grad, index, to):
    """Zeros of the shape `to`, with each gradient added at its element's place."""
    x = np.zeros(to, np.result_type(grad, np.float32))
    np.add.at(x, index, grad)
    return x
''',
        (
            Probe("put(np.array([10.0, 20.0]), np.array([2, 0]), (4,))", [20.0, 0.0, 10.0, 0.0]),
            Probe("put(np.ones(6), np.array([1, 0, 2, 0, 2, 0]), (3,))", [3.0, 1.0, 2.0]),
            Probe("put(np.array([1.0, 2.0]), (np.array([0, 1]), np.array([2, 0])), (2, 3))", [[0, 0, 1], [2, 0, 0]]),
            Probe("str(put(np.ones(2, np.float32), np.array([0, 1]), (3,)).dtype)", "float32"),
        ),
        (
            Wrong(
                "= in place of +=",
                "A place that comes three times got only one gradient: = and += write once for each place. np.add.at adds every time.",
                ("np.add.at(x, index, grad)", "x[index] = grad"),
            ),
            Wrong(
                "+= on an index",
                "A place that comes three times got only one gradient: = and += write once for each place. np.add.at adds every time.",
                ("np.add.at(x, index, grad)", "x[index] += grad"),
            ),
            Wrong(
                "float64 for float32",
                "float32 became float64, and everything after it takes twice the memory. Keep the line with result_type.",
                ("np.zeros(to, np.result_type(grad, np.float32))", "np.zeros(to)"),
            ),
            Wrong(
                "what np.add.at returns",
                "np.add.at changes x and returns nothing. Return x, in a line of its own.",
                ("    np.add.at(x, index, grad)\n    return x", "    return np.add.at(x, index, grad)"),
            ),
            Wrong(
                "a loop over the places",
                "An index may also be a tuple: an array of rows and an array of columns. np.add.at takes every index.",
                ("    np.add.at(x, index, grad)", "    for number, place in zip(grad, index):\n        x[place] += number"),
            ),
            Wrong(
                "ones in place of the gradients",
                "Each place gets 1, but should get the gradient that arrives.",
                ("index, grad)", "index, 1)"),
            ),
        ),
        stub='''
def put(grad, index, to):
    """Zeros of the shape `to`, with each gradient added at its element's place."""
    x = np.zeros(to, np.result_type(grad, np.float32))
    return None
''',
    ),
    Given(
        "12 FORWARD",
        """
FORWARD |= {
    "sum": lambda x, axis: np.sum(x, axis=axis, keepdims=True),
    "broadcast_to": np.broadcast_to,
    "reshape": np.reshape,
    "getitem": lambda x, index: x[index],
    "put": put,
}
""",
    ),
    Piece(
        "12 rules",
        """
RULES |= {
    "sum": (lambda grad, z, x, axis: apply("broadcast_to", grad, shape(x)),),
    "broadcast_to": (lambda grad, z, x, to: unbroadcast(grad, shape(x)),),
    "reshape": (lambda grad, z, x, to: apply("reshape", grad, shape(x)),),
    "getitem": (lambda grad, z, x, index: apply("put", grad, index, shape(x)),),
    "put": (lambda grad, z, x, index, to: grad[index],),
}
""",
        (
            Probe("x = Tensor(np.zeros((2, 3)))\nbackward(x.reshape((3, 2)), np.arange(6.0).reshape(3, 2))\nx.grad", [[0, 1, 2], [3, 4, 5]]),
            Probe(TEN_AND_ONE, [[10, 10, 10], [1, 1, 1]]),
            Probe(TABLE + "backward(x.sum())\nx.grad", [[1, 1, 1], [1, 1, 1]]),
            Probe(TABLE + "backward(x.sum(axis=0), np.array([1.0, 2, 3]))\nx.grad", [[1, 2, 3], [1, 2, 3]]),
            Probe(
                "x = Tensor(np.array([[3.0, 7], [8, 2]]))\nbackward(x.sum(axis=1), np.array([10.0, 1]))\nx.grad",
                [[10, 10], [1, 1]],
            ),
            Probe(BANANA, [3, 1, 2]),
            Probe("x = Tensor(np.ones(3))\nbackward(apply('broadcast_to', x, (2, 3)))\nx.grad", [2, 2, 2]),
            Probe("x = Tensor(np.ones((2, 1)))\nbackward(apply('broadcast_to', x, (2, 3)))\nx.grad", [[3], [3]]),
            Probe("x = Tensor(np.ones(2))\nbackward(apply('put', x, np.array([2, 0]), (3,)), np.array([1.0, 2, 3]))\nx.grad", [3, 1]),
        ),
        (
            Wrong(
                "sum: shared out",
                "Every element of a sum gets the whole gradient. (It is a mean that shares it out.)",
                ('apply("broadcast_to", grad, shape(x))', 'apply("broadcast_to", grad, shape(x)) / x.size'),
            ),
            Wrong(
                "sum: as it is",
                "The gradient has the shape of the sum. It has to be stretched to the shape of x.",
                ('apply("broadcast_to", grad, shape(x))', "grad"),
            ),
            Wrong(
                "sum: of ones",
                "Each element gets 1, but should get the gradient that arrives at its sum.",
                ('apply("broadcast_to", grad, shape(x))', "np.ones(shape(x))"),
            ),
            Wrong(
                "sum: x for its shape",
                "The last input is a shape: shape(x), and not x.",
                ('apply("broadcast_to", grad, shape(x))', 'apply("broadcast_to", grad, x)'),
            ),
            Wrong(
                "getitem: x for its shape",
                "The last input is a shape: shape(x), and not x.",
                ('apply("put", grad, index, shape(x))', 'apply("put", grad, index, x)'),
            ),
            Wrong(
                "reshape: x for its shape",
                "The last input is a shape: shape(x), and not x.",
                ('apply("reshape", grad, shape(x))', 'apply("reshape", grad, x)'),
            ),
            Wrong(
                "reshape: transposed",
                "The shape is right, but the numbers are in the wrong places. Reshape back, do not transpose.",
                ('apply("reshape", grad, shape(x))', "grad.T"),
            ),
            Wrong(
                "reshape: to the shape of z",
                "The gradient still has the shape of z, which is `to`. On the way back it takes the shape of x.",
                ('apply("reshape", grad, shape(x))', 'apply("reshape", grad, to)'),
            ),
            Wrong(
                "getitem: the shape of z",
                "The gradients are put into zeros of the shape of x, at the places that the elements came from: apply put.",
                ('apply("put", grad, index, shape(x))', 'apply("put", grad, index, shape(z))'),
            ),
            Wrong(
                "getitem: picks again",
                "The gradients are put into zeros of the shape of x, at the places that the elements came from: apply put.",
                ('apply("put", grad, index, shape(x))', "grad[index]"),
            ),
            Wrong(
                "broadcast_to: as it is",
                "What was stretched on the way forward is summed on the way back: unbroadcast.",
                ("unbroadcast(grad, shape(x))", "grad[0] * 1"),
            ),
            Wrong(
                "broadcast_to: always the first axis",
                "It sums along the first axis, whichever was stretched. unbroadcast sums along the right ones.",
                ("unbroadcast(grad, shape(x))", "grad.sum(axis=0)"),
            ),
            Wrong(
                "reshape: flattened",
                "The numbers are in the right order, but in one row. Give them the shape of x.",
                ('apply("reshape", grad, shape(x))', "grad.ravel()"),
            ),
            Wrong(
                "reshape: the value",
                "This reshapes a value, x or z, but it is the gradient that goes back.",
                ('apply("reshape", grad, shape(x))', 'apply("reshape", x, shape(x))'),
            ),
            Wrong(
                "reshape: stretched",
                "Nothing was stretched here: the same numbers get another shape. Use reshape.",
                ('apply("reshape", grad, shape(x))', 'apply("broadcast_to", grad, shape(x))'),
            ),
            Wrong(
                "put: passes on everything",
                "Only the places in the index came from x. Pick their gradients: grad[index].",
                ("to: grad[index]", "to: grad[:2]"),
            ),
        ),
        stub="""
RULES |= {
    "sum": (lambda grad, z, x, axis: None,),
    "broadcast_to": (lambda grad, z, x, to: unbroadcast(grad, shape(x)),),
    "reshape": (lambda grad, z, x, to: None,),
    "getitem": (lambda grad, z, x, index: None,),
    "put": (lambda grad, z, x, index, to: grad[index],),
}
""",
    ),
    Given(
        "12 total",
        '''
def reshape(x, to):
    """The same numbers in another shape."""
    return apply("reshape", x, to)


def total(x, axis=None, keepdims=False):
    """The sum along an axis; without an axis, of all elements."""
    z = apply("sum", x, axis)
    return z if keepdims else reshape(z, shape(np.squeeze(value(z), axis)))
''',
    ),
    Piece(
        "12 mean",
        '''
def mean(x, axis=None, keepdims=False):
    """The sum along an axis, divided by the number of elements in each sum."""
    z = total(x, axis, keepdims)
    return z * (math.prod(shape(z)) / math.prod(shape(x)))
''',
        (
            Probe("mean(Tensor(np.array([1.0, 2.0, 6.0]))).data", 3.0),
            Probe(TABLE + "mean(x, axis=1).data", [5, 6]),
            Probe(TABLE + "mean(x, axis=0, keepdims=True).data", [[5.5, 4.5, 6.5]]),
            Probe(TABLE + "backward(mean(x, axis=1), np.array([30.0, 3]))\nx.grad", [[10, 10, 10], [1, 1, 1]]),
            Probe(TABLE + "backward(mean(x), 12.0)\nx.grad", [[2, 2, 2], [2, 2, 2]]),
        ),
        (
            Wrong(
                "divides by all",
                "It divides by the number of all elements, but only those of one row went into each mean.",
                ("z * (math.prod(shape(z)) / math.prod(shape(x)))", "z / math.prod(shape(x))"),
            ),
            Wrong(
                "the sum",
                "This is the sum. A mean divides it by the number of elements.",
                ("return z * (math.prod(shape(z)) / math.prod(shape(x)))", "return z"),
            ),
            Wrong(
                "the number only",
                "The number is right, but no gradient comes back: Tensor(...) has no creators here. Use total.",
                (
                    "z = total(x, axis, keepdims)\n    return z * (math.prod(shape(z)) / math.prod(shape(x)))",
                    "return Tensor(np.mean(value(x), axis=axis, keepdims=keepdims))",
                ),
            ),
            Wrong(
                "divides by the rows",
                "It divides by the number of means. Divide by how many elements went into each.",
                ("z * (math.prod(shape(z)) / math.prod(shape(x)))", "z / max(math.prod(shape(z)), 1)"),
            ),
            Wrong(
                "divides by 3",
                "It divides by 3, but 2 elements went into each of these means. Compare the sizes of the two arrays: math.prod.",
                ("z * (math.prod(shape(z)) / math.prod(shape(x)))", "z / 3"),
            ),
            Wrong(
                "multiplies",
                "It multiplies by the number of elements in each sum. Divide by it.",
                ("math.prod(shape(z)) / math.prod(shape(x))", "math.prod(shape(x)) / math.prod(shape(z))"),
            ),
            Wrong(
                "NumPy's mean",
                "np.mean does not take a Tensor. Take total(x, axis, keepdims), and divide.",
                (
                    "z = total(x, axis, keepdims)\n    return z * (math.prod(shape(z)) / math.prod(shape(x)))",
                    "return np.mean(x, axis=axis, keepdims=keepdims)",
                ),
            ),
            Wrong(
                "an axis is always there",
                "Without an axis, axis is None, and shape(x)[None] is an error. Divide the sizes of the two arrays: math.prod.",
                (
                    "z = total(x, axis, keepdims)\n    return z * (math.prod(shape(z)) / math.prod(shape(x)))",
                    "return total(x, axis, keepdims) / shape(x)[axis]",
                ),
            ),
            Wrong("keepdims is lost", "The axis is lost. With keepdims it stays, with size 1.", ("total(x, axis, keepdims)", "total(x, axis)")),
        ),
    ),
    Piece(
        "12 largest",
        '''
def largest(x, axis=None, keepdims=False):
    """The maximum: a sum of the winner alone. Equal winners get equal parts."""
    wins = value(x) == np.max(value(x), axis=axis, keepdims=True)
    return total(x * (wins / np.sum(wins, axis=axis, keepdims=True)), axis, keepdims)
''',
        (
            Probe("largest(Tensor(np.array([1.0, 6.0, 2.0]))).data", 6.0),
            Probe(TABLE + "largest(x, axis=1).data", [7, 8]),
            Probe(TABLE + "largest(x, axis=1, keepdims=True).data", [[7], [8]]),
            Probe("x = Tensor(np.array([3.0, 7, 5]))\nbackward(largest(x))\nx.grad", [0, 1, 0]),
            Probe(TABLE + "backward(largest(x, axis=1), np.ones(2))\nx.grad", [[0, 1, 0], [0.5, 0, 0.5]]),
        ),
        (
            Wrong(
                "two winners count twice",
                "There are two winners, and both count in full. Each should count half.",
                ("(wins / np.sum(wins, axis=axis, keepdims=True))", "wins"),
            ),
            Wrong(
                "the number only",
                "The number is right, but no gradient comes back: Tensor(...) has no creators here. Use total.",
                """
def largest(x, axis=None, keepdims=False):
    return Tensor(np.max(value(x), axis=axis, keepdims=keepdims))
""",
            ),
            Wrong(
                "one maximum for all rows",
                "It compares with the largest element of all. Each row has its own.",
                ("np.max(value(x), axis=axis, keepdims=True)", "np.max(value(x))"),
            ),
            Wrong(
                "the axis is not used",
                "This is the largest element of all. With an axis, each row or column has its own.",
                """
def largest(x, axis=None, keepdims=False):
    return mean(x[value(x) == np.max(value(x))])
""",
            ),
            Wrong(
                "one number of winners for all rows",
                "The winners of all rows are counted together. Count those of each row: axis=axis, keepdims=True.",
                ("np.sum(wins, axis=axis, keepdims=True)", "np.sum(wins)"),
            ),
            Wrong(
                "keepdims is lost",
                "The axis is lost. With keepdims it stays, with size 1.",
                ("keepdims=True)), axis, keepdims)", "keepdims=True)), axis)"),
            ),
            Wrong(
                "compares the Tensor",
                "A Tensor is not compared number by number, so nothing is a winner here. Compare value(x).",
                ("wins = value(x) ==", "wins = x =="),
            ),
            Wrong(
                "the method that this piece becomes",
                "x.max is this very function, which so calls itself without end. Write it with total.",
                """
def largest(x, axis=None, keepdims=False):
    return x.max(axis, keepdims)
""",
            ),
            Wrong(
                "picks rows",
                "argmax gives a place for each row, and x[places] takes whole rows. Multiply x by an array of shares.",
                """
def largest(x, axis=None, keepdims=False):
    return total(x[np.argmax(value(x), axis=axis)], axis, keepdims)
""",
            ),
            Wrong(
                "picks rows, and does not add",
                "argmax gives a place for each row, and x[places] takes whole rows. Multiply x by an array of shares.",
                """
def largest(x, axis=None, keepdims=False):
    return x[np.argmax(value(x), axis=axis)]
""",
            ),
            Wrong(
                "the mean of the winners and zeros",
                "This is divided by the number of all elements. The shares of the winners add up to 1 already: take total.",
                ("return total(x", "return mean(x"),
            ),
            Wrong(
                "the number of winners loses its axis",
                "The shapes do not fit: the maximum, or the number of winners, has lost its axis. Keep it: keepdims=True.",
                ("np.sum(wins, axis=axis, keepdims=True)", "np.sum(wins, axis=axis)"),
            ),
            Wrong(
                "the maximum loses its axis",
                "The shapes do not fit: the maximum, or the number of winners, has lost its axis. Keep it: keepdims=True.",
                ("np.max(value(x), axis=axis, keepdims=True)", "np.max(value(x), axis=axis)"),
            ),
            Wrong(
                "the first winner takes all",
                "There are two winners, and the first one gets everything. Each should get half.",
                (
                    "wins = value(x) == np.max(value(x), axis=axis, keepdims=True)",
                    "wins = value(x) == np.max(value(x), axis=axis, keepdims=True)\n    wins = wins & (np.cumsum(wins, axis=axis).reshape(shape(x)) == 1)",
                ),
            ),
        ),
    ),
    Given(
        "12 methods",
        """
Tensor.sum, Tensor.mean, Tensor.max, Tensor.reshape = total, mean, largest, reshape
Tensor.__getitem__ = lambda x, index: apply("getitem", x, index)
""",
    ),
)
