"""Lesson 09: the same machine computes with arrays."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "The same Tensor, full of numbers"

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
            Probe("relu(Tensor(np.array([-1.0, 2.0]))).data", [0.0, 2.0]),
            Probe("float(relu(Tensor(3.0)).data), float(relu(Tensor(-3.0)).data)", (3.0, 0.0)),
            Probe("x = Tensor(np.array([1.0, 2.0, 3.0]))\nbackward(x * x, np.ones(3))\nx.grad", [2.0, 4.0, 6.0]),
        ),
        (
            Wrong("math.exp stays", "math.exp takes one number. NumPy has an exp for whole arrays.", ("np.exp", "math.exp")),
            Wrong("math.tanh stays", "math.tanh takes one number. NumPy has a tanh for whole arrays.", ("np.tanh", "math.tanh")),
            Wrong(
                "relu: Python's max",
                "Python's max compares the whole array with 0. NumPy has one that works element by element.",
                ("np.maximum", "max"),
            ),
            Wrong(
                "relu: np.max",
                "np.max gives the largest number of all. np.maximum compares element by element.",
                ("np.maximum", "np.max"),
            ),
            Wrong(
                "relu: np.maximum without the 0",
                "np.maximum compares two things at each place: x and 0. Write a function of x: lambda x: ...",
                ("lambda x: np.maximum(x, 0)", "np.maximum"),
            ),
            Wrong(
                "relu: a loop over the numbers",
                "It takes arrays only. A row has to take a single number as well, as np.maximum does.",
                ("np.maximum(x, 0)", "np.array([max(number, 0) for number in x])"),
            ),
            Wrong(
                "tanh: the function is not called",
                "lambda x: np.tanh returns the function itself. Write np.tanh alone, or call it with x.",
                ("np.tanh", "lambda x: np.tanh"),
            ),
            Wrong(
                "log: base 2",
                "This logarithm has another base. np.log is the natural one.",
                ("np.log", "np.log2"),
            ),
            Wrong(
                "log: base 10",
                "This logarithm has another base. np.log is the natural one.",
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
