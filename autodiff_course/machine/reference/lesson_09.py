"""Lesson 09: the same machine computes with arrays."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "The same Tensor, full of numbers"

ELEMENTWISE = (
    "There, x and grad are arrays, and `if`, `or` and max cannot treat an array as true or false: "
    "multiply by a comparison, as in grad * (x > 0)."
)
NONE = "There, a gradient is an array, and `if` and `or` cannot treat it as true or false: ask `is None`."
WHOLE = (
    "There, y may be an array of whole numbers, which NumPy does not take to the power -1. "
    "It does take them to the power -1.0."
)
IN_PLACE = (
    "There, several nodes may hold one and the same array, and += changes it for all of them: "
    "write a = a + b in place of a += b."
)
MATH = (
    "There, x is an array, which math's functions do not take: write the rule with x and z alone, "
    "as in grad * (1 - z * z)."
)
LOG = (
    "There, x is an array, which math's functions do not take: use the machine's log, as in grad * z * log(x)."
)
STEP = (
    "There, p.data is an array, and -= changes the array itself, which other names may hold too. "
    "Make a new one: p.data = p.data - rate * p.grad."
)

PARTS = (
    Piece(
        "09 FORWARD",
        """
FORWARD |= {
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0),
}
""",
        (
            Probe("np.round(exp(Tensor(np.array([0.0, 1.0]))).data, 4)", [1.0, 2.7183]),
            Probe("np.round(log(Tensor(np.array([1.0, 2.0]))).data, 4)", [0.0, 0.6931]),
            Probe("np.round(tanh(Tensor(np.array([0.0, 1.0]))).data, 4)", [0.0, 0.7616]),
            Probe("np.round(relu(Tensor(np.array([-1.0, 2.5, 70.0]))).data, 4)", [0.0, 2.5, 70.0]),
            Probe("x = Tensor(np.array([-1.0, 2.0]))\nrelu(x)\nx.data", [-1.0, 2.0]),
            Probe("float(relu(Tensor(3.0)).data), float(relu(Tensor(-3.0)).data)", (3.0, 0.0)),
            Probe("x = Tensor(np.array([1.0, 2.0, 3.0]))\nbackward(x * x, np.ones(3))\nx.grad", [2.0, 4.0, 6.0]),
            Probe(
                "x = Tensor(np.array([-1.0, 2.0]))\nbackward(relu(x), np.ones(2))\nx.grad",
                [0.0, 1.0],
                asks=ELEMENTWISE,
            ),
            Probe(
                "x = Tensor(np.array([0.5, 1.0]))\nbackward(tanh(log(exp(x))), np.ones(2))\nnp.round(x.grad, 4)",
                [0.7864, 0.42],
                asks=MATH,
            ),
            Probe(
                "x, y = Tensor(np.array([1.0, 2.0])), Tensor(np.array([2.0, 3.0]))\nbackward(x**y, np.ones(2))\n"
                "np.round(y.grad, 4)",
                [0.0, 5.5452],
                asks=LOG,
            ),
            Probe(
                "x = Tensor(np.array([1.0, 2.0]))\nbackward(x * 3, np.ones(2))\nbackward(x * 3, np.ones(2))\nx.grad",
                [6.0, 6.0],
                asks=NONE,
            ),
            Probe(
                "(Tensor(np.array([1.0, 6.0])) / np.array([2, 4])).data",
                [0.5, 1.5],
                asks=WHOLE,
            ),
            Probe(
                "x = Tensor(np.array([1.0, 2.0]))\nbackward((x + x) + x, np.ones(2))\nx.grad",
                [3.0, 3.0],
                asks=IN_PLACE,
            ),
            Probe(
                "x, y = Tensor(np.ones(2)), Tensor(np.ones(2))\nend = x + y\n"
                "backward(end, np.ones(2))\nbackward(end, np.ones(2))\nx.grad, y.grad",
                ([2.0, 2.0], [2.0, 2.0]),
                asks=IN_PLACE,
            ),
            Probe(
                "numbers = np.array([1.0, 2.0])\nw = Tensor(numbers)\nw.grad = np.array([4.0, 2.0])\n"
                "step([w], 0.25)\nnumbers, w.data",
                ([1.0, 2.0], [0.0, 1.5]),
                asks=STEP,
            ),
        ),
        (
            Wrong("math.exp stays", "math.exp takes a single number. NumPy has an exp for whole arrays.", ("np.exp", "math.exp")),
            Wrong("math.tanh stays", "math.tanh takes a single number. NumPy has a tanh for whole arrays.", ("np.tanh", "math.tanh")),
            Wrong(
                "relu: Python's max",
                "Python's max compares the whole array with 0. NumPy has a maximum that works elementwise.",
                ("np.maximum", "max"),
            ),
            Wrong(
                "relu: np.max",
                "np.max gives the largest number of all. np.maximum compares elementwise.",
                ("np.maximum", "np.max"),
            ),
            Wrong(
                "relu: np.maximum without the 0",
                "np.maximum needs two things to compare, x and 0. Write a function of x: lambda x: ...",
                ("lambda x: np.maximum(x, 0)", "np.maximum"),
            ),
            Wrong(
                "relu: only the numbers above 0",
                "The numbers below 0 were left out. relu keeps the shape and puts 0 in their place.",
                ("np.maximum(x, 0)", "x[x > 0]"),
            ),
            Wrong(
                "relu: np.abs",
                "A number below 0 becomes 0. Here only its sign was changed.",
                ("lambda x: np.maximum(x, 0)", "np.abs"),
            ),
            Wrong(
                "relu: cut off at the top",
                "It cuts off large numbers, too. relu has no upper limit: only what is below 0 becomes 0.",
                ("np.maximum(x, 0)", "np.clip(x, 0, 6)"),
            ),
            Wrong(
                "relu: np.vectorize of max",
                "np.vectorize takes the type of all results from the first one, which is the whole number 0, "
                "and cuts off the fractions. np.maximum keeps the type of the array.",
                ("lambda x: np.maximum(x, 0)", "np.vectorize(lambda x: max(x, 0))"),
            ),
            Wrong(
                "relu: np.frompyfunc",
                "np.frompyfunc makes an array of Python objects, with which NumPy's functions cannot calculate. "
                "Use NumPy's own elementwise function.",
                ("lambda x: np.maximum(x, 0)", "np.frompyfunc(lambda x: max(x, 0), 1, 1)"),
            ),
            Wrong(
                "tanh: np.frompyfunc",
                "np.frompyfunc makes an array of Python objects, with which NumPy's functions cannot calculate. "
                "Use NumPy's own elementwise function.",
                ("np.tanh", "np.frompyfunc(math.tanh, 1, 1)"),
            ),
            Wrong(
                "relu: changes x",
                "The array x itself was changed, and it belongs to the node before. Return a new array.",
                ("np.maximum(x, 0)", "np.maximum(x, 0, out=x) if np.ndim(x) else max(x, 0)"),
            ),
            Wrong(
                "relu: a loop over the numbers",
                "It takes arrays only. The row must take a single number as well, as np.maximum does.",
                ("np.maximum(x, 0)", "np.array([max(number, 0) for number in x])"),
            ),
            Wrong(
                "tanh: the function is not called",
                "lambda x: np.tanh returns the function itself. Write np.tanh alone, or call it: np.tanh(x).",
                ("np.tanh", "lambda x: np.tanh"),
            ),
            Wrong(
                "log: base 2",
                "This logarithm has a different base. np.log is the natural logarithm.",
                ("np.log", "np.log2"),
            ),
            Wrong(
                "log: base 10",
                "This logarithm has a different base. np.log is the natural logarithm.",
                ("np.log", "np.log10"),
            ),
        ),
        stub="""
FORWARD |= {
    "exp": np.exp,
    "log": None,
    "tanh": None,
    "relu": lambda x: None,
}
""",
    ),
    Given(
        "09 shape",
        '''
def shape(x):
    """The shape of an array or of a Tensor. A single number has the shape ()."""
    return getattr(x, "shape", ())


Tensor.shape = property(lambda x: shape(x.data))
Tensor.__repr__ = lambda x: str(np.round(x.data, 6))
Tensor.__array_ufunc__ = None  # NumPy leaves `array * Tensor` to the Tensor
''',
    ),
)
