"""Lesson 25: convolution and pooling."""

from ..plan import Given, Piece, Probe, Wrong

TITLE = "Convolution"

PICTURE = "x = np.array([[1.0, 2, 0], [0, 1, 3], [2, 0, 1]])\nw = np.array([[1.0, 0], [2, -1]])\n"
LEAVES = PICTURE + "x, w = Tensor(x), Tensor(w)\n"

PARTS = (
    Piece(
        "25 slide",
        '''
def slide(x, w):
    """At each place where the filter w fits into the picture x: the sum of all pixels times weights."""
    height, width = shape(w)
    out = np.zeros((shape(x)[0] - height + 1, shape(x)[1] - width + 1))
    for i, j in np.ndindex(out.shape):
        out[i, j] = np.sum(x[i : i + height, j : j + width] * w)
    return out
''',
        (
            Probe(PICTURE + "slide(x, w)", [[0, 1], [4, 0]]),
            Probe("slide(np.ones((4, 6)), np.ones((3, 3))).shape", (2, 4)),
            Probe("slide(np.array([[1.0, 2, 3, 4]]), np.array([[1.0, 10]]))", [[21, 32, 43]]),
            Probe("slide(np.array([[1.0], [2], [3]]), np.array([[1.0], [10]]))", [[21], [32]]),
            Probe(PICTURE + "slide(x, x)", [[20]]),
            Probe("slide(np.ones((3, 3), int), np.full((2, 2), 0.2))", [[0.8, 0.8], [0.8, 0.8]]),
            Probe(PICTURE + "slide(x, w)\nx.sum(), w.sum()", (10, 2)),
        ),
        (
            Wrong(
                "one place too few",
                "A place is missing at the right and at the bottom: the window fits height - size + 1 times.",
                ("shape(x)[0] - height + 1, shape(x)[1] - width + 1", "max(shape(x)[0] - height, 1), max(shape(x)[1] - width, 1)"),
            ),
            Wrong(
                "the size of the picture",
                "The result is as large as the picture, and at the border the window hangs over. Stop where it no longer fits.",
                ("shape(x)[0] - height + 1, shape(x)[1] - width + 1", "shape(x)[0], shape(x)[1]"),
                (
                    "np.sum(x[i : i + height, j : j + width] * w)",
                    "np.sum(np.pad(x, ((0, height), (0, width)))[i : i + height, j : j + width] * w)",
                ),
            ),
            Wrong(
                "no sum",
                "Each place gets one number: the sum of all products.",
                ("np.sum(x[i : i + height, j : j + width] * w)", "(x[i : i + height, j : j + width] * w)[0, 0]"),
            ),
            Wrong(
                "a matrix product",
                "Pixels and weights are multiplied one by one, with *. @ is another product.",
                ("x[i : i + height, j : j + width] * w", "x[i : i + height, j : j + width] @ w.T"),
            ),
            Wrong(
                "the window @ the filter",
                "Pixels and weights are multiplied one by one, with *. @ is another product.",
                ("x[i : i + height, j : j + width] * w", "x[i : i + height, j : j + width] @ w"),
            ),
            Wrong(
                "the filter turned",
                "The filter lies on the picture as it is. Here it is turned upside down and mirrored.",
                ("* w)", "* w[::-1, ::-1])"),
            ),
            Wrong(
                "the mean",
                "This is the mean of the products. The sum is asked for.",
                ("np.sum", "np.mean"),
            ),
            Wrong(
                "rows and columns exchanged",
                "Rows and columns are exchanged: i goes down the rows, and a slice of rows comes first.",
                ("x[i : i + height, j : j + width]", "x.T[i : i + width, j : j + height].T"),
                ("np.zeros((shape(x)[0] - height + 1, shape(x)[1] - width + 1))", "np.zeros((shape(x)[1] - width + 1, shape(x)[0] - height + 1))"),
            ),
            Wrong(
                "only squares",
                "The filter is not always a square: it has a height and a width of its own.",
                ("height, width = shape(w)", "height = width = min(shape(w))"),
                ("* w)", "* w[:height, :width])"),
            ),
            Wrong(
                "every window apart",
                "The windows overlap: the next one begins one pixel further on.",
                ("x[i : i + height, j : j + width]", "np.pad(x, ((0, 9), (0, 9)))[i * height : (i + 1) * height, j * width : (j + 1) * width]"),
            ),
            Wrong(
                "whole numbers only",
                "Your result can hold whole numbers only, and cuts off everything after the decimal point. Drop `int`, or the dtype of x: np.zeros makes decimal numbers by itself.",
                (" - width + 1))", " - width + 1), int)"),
            ),
            Wrong(
                "numbers of the picture's kind",
                "Your result can hold whole numbers only, and cuts off everything after the decimal point. Drop `int`, or the dtype of x: np.zeros makes decimal numbers by itself.",
                (" - width + 1))", " - width + 1), x.dtype)"),
            ),
        ),
    ),
    Given(
        "25 conv2d",
        '''
FORWARD |= {"conv2d": slide}
LINEAR |= {"conv2d"}  # in each of its inputs, as matmul is


def conv2d(x, w):
    """The filter w slides over the picture x."""
    return apply("conv2d", x, w)


def padded(x, to):
    """Zeros around x on all sides, so many that a filter of the shape `to` overlaps it everywhere."""
    (height, width), (rows, columns) = shape(x), (to[0] - 1, to[1] - 1)
    inside = slice(rows, rows + height), slice(columns, columns + width)
    return apply("put", x, inside, (height + 2 * rows, width + 2 * columns))
''',
    ),
    Piece(
        "25 rules",
        """
RULES |= {
    "conv2d": (
        lambda grad, z, x, w: conv2d(padded(grad, shape(w)), w[::-1, ::-1]),
        lambda grad, z, x, w: conv2d(x, grad),
    ),
}
""",
        (
            Probe(LEAVES + "backward(conv2d(x, w), np.array([[1.0, 0], [0, 0]]))\nw.grad", [[1, 2], [0, 1]]),
            Probe(LEAVES + "backward(conv2d(x, w), np.array([[1.0, 0], [0, 0]]))\nx.grad", [[1, 0, 0], [2, -1, 0], [0, 0, 0]]),
            Probe(
                LEAVES + "backward(conv2d(x, w), np.array([[1.0, 0], [10, 100]]))\nx.grad, w.grad",
                ([[1, 0, 0], [12, 99, 0], [20, 190, -100]], [[101, 312], [20, 101]]),
            ),
            Probe(
                "x, w = Tensor(np.arange(12.0).reshape(3, 4)), Tensor(np.array([[1.0, 2, 3]]))\n"
                "backward(conv2d(x, w), np.array([[1.0, 0], [0, 0], [0, 10]]))\nx.grad, w.grad",
                ([[1, 2, 3, 0], [0, 0, 0, 0], [0, 10, 20, 30]], [[90, 101, 112]]),
            ),
            Probe(LEAVES + "first = gradients((conv2d(x, w) ** 2).sum(), Tensor(1.0))[w]\ngradients(first.sum())[w]", [[42, 52], [24, 54]]),
        ),
        (
            Wrong(
                "the filter not turned",
                "The filter has to be turned on the way back: w[::-1, ::-1]. A pixel at the upper left of a window met the upper left weight.",
                ("w[::-1, ::-1]", "w"),
            ),
            Wrong(
                "transposed",
                "Transposing exchanges rows and columns. The filter has to be turned by half a turn: w[::-1, ::-1].",
                ("w[::-1, ::-1]", "w.T"),
            ),
            Wrong(
                "only upside down",
                "The filter is upside down, and not yet mirrored: w[::-1, ::-1] does both.",
                ("w[::-1, ::-1]", "w[::-1]"),
            ),
            Wrong(
                "no zeros around",
                "What arrives is smaller than the picture. Put zeros around it first, with padded.",
                ("padded(grad, shape(w))", "grad"),
            ),
            Wrong(
                "the rules exchanged",
                "The first rule is for the picture x and the second for the filter w: they are exchanged.",
                ("        lambda grad, z, x, w: conv2d(padded(grad, shape(w)), w[::-1, ::-1]),\n        lambda grad, z, x, w: conv2d(x, grad),\n",
                 "        lambda grad, z, x, w: conv2d(x, grad),\n        lambda grad, z, x, w: conv2d(padded(grad, shape(w)), w[::-1, ::-1]),\n"),
            ),
            Wrong(
                "a product",
                "This is the rule of mul. A weight meets many pixels, so many contributions are added: let the gradient slide over the picture.",
                ("conv2d(x, grad)", "grad * x[: shape(w)[0], : shape(w)[1]]"),
            ),
            Wrong(
                "the gradient turned",
                "The gradient slides over the picture as it is, without a turn.",
                ("conv2d(x, grad)", "conv2d(x, grad[::-1, ::-1])"),
            ),
            Wrong(
                "the picture over the gradient",
                "Picture and gradient are exchanged: conv2d takes first what stays in place, the picture, and then what slides.",
                ("conv2d(x, grad)", "conv2d(grad, x)"),
            ),
            Wrong(
                "the gradient that arrives is lost",
                "The gradient that arrives is not used, only its shape.",
                ("conv2d(x, grad)", "conv2d(x, np.ones(shape(grad)))"),
            ),
            Wrong(
                "without a record",
                "The numbers are right, and a second walk finds no path through them: use conv2d, which records, in place of slide.",
                ("conv2d(padded(grad, shape(w)), w[::-1, ::-1])", "slide(np.pad(value(grad), [(n - 1, n - 1) for n in shape(w)]), value(w)[::-1, ::-1])"),
                ("conv2d(x, grad)", "slide(value(x), value(grad))"),
            ),
            Wrong(
                "slide in place of conv2d",
                "The numbers are right, and a second walk finds no path through them: use conv2d, which records, in place of slide.",
                ("conv2d(x, grad)", "slide(x, grad)"),
            ),
            Wrong(  # it stops as rules do that call a slide written with .sum()
                "loops over the weights",
                "The numbers are right, and a second walk finds no path through them: use conv2d, which records, in place of slide.",
                (
                    "conv2d(x, grad)",
                    (
                        "np.array([[(x[i : i + shape(grad)[0], j : j + shape(grad)[1]] * grad).sum() "
                        "for j in range(shape(w)[1])] for i in range(shape(w)[0])], float)"
                    ),
                ),
            ),
        ),
        stub="""
RULES |= {
    "conv2d": (
        lambda grad, z, x, w: None,
        lambda grad, z, x, w: None,
    ),
}
""",
    ),
    Piece(
        "25 windows",
        '''
def windows(height, width, size):
    """A row for each window of size x size pixels, with the numbers of its pixels."""
    first = np.arange(height - size + 1)[:, None] * width + np.arange(width - size + 1)
    corner = np.arange(size)[:, None] * width + np.arange(size)
    return first.reshape(-1, 1) + corner.reshape(-1)
''',
        (
            Probe("windows(3, 3, 2)", [[0, 1, 3, 4], [1, 2, 4, 5], [3, 4, 6, 7], [4, 5, 7, 8]]),
            Probe("windows(2, 4, 2)", [[0, 1, 4, 5], [1, 2, 5, 6], [2, 3, 6, 7]]),
            Probe("windows(2, 2, 2)", [[0, 1, 2, 3]]),
            Probe("windows(8, 8, 3).shape", (36, 9)),
            Probe("windows(3, 2, 1)", [[0], [1], [2], [3], [4], [5]]),
            Probe("np.arange(10.0, 19.0)[windows(3, 3, 2)]", [[10, 11, 13, 14], [11, 12, 14, 15], [13, 14, 16, 17], [14, 15, 17, 18]]),
        ),
        (
            Wrong(
                "height for width",
                "One row further down is `width` pixels further on, not `height`.",
                ("* width + np.arange(width - size + 1)", "* height + np.arange(width - size + 1)"),
                ("corner = np.arange(size)[:, None] * width", "corner = np.arange(size)[:, None] * height"),
            ),
            Wrong(
                "size for width",
                "Inside a window, too, one row further down is `width` pixels further on: the picture is numbered, not the window.",
                ("corner = np.arange(size)[:, None] * width", "corner = np.arange(size)[:, None] * size"),
            ),
            Wrong(
                "one place too few",
                "A place is missing at the right and at the bottom: the window fits height - size + 1 times.",
                ("height - size + 1", "height - size"),
                ("width - size + 1", "width - size"),
            ),
            Wrong(
                "columns in place of rows",
                "The table is turned: a row for each window is asked for.",
                ("first.reshape(-1, 1) + corner.reshape(-1)", "first.reshape(-1) + corner.reshape(-1, 1)"),
            ),
            Wrong(
                "column by column",
                "The windows come column by column. Go along a row of places first, and then one row down.",
                ("first.reshape", "first.T.reshape"),
            ),
            Wrong(
                "the pixels column by column",
                "Inside a window the pixels come column by column. Go along its first row, and then one row down.",
                ("corner.reshape", "corner.T.reshape"),
            ),
            Wrong(
                "the windows that hang over",
                "Some windows hang over the border: the last place is the one where the window still fits.",
                ("height - size + 1", "height"),
                ("width - size + 1", "width"),
            ),
            Wrong(
                "four axes",
                "The table has more than two axes. Make a column of the first pixels and a row of the corner: reshape(-1, 1) and reshape(-1).",
                ("first.reshape(-1, 1) + corner.reshape(-1)", "first[:, :, None, None] + corner"),
            ),
            Wrong(
                "decimal numbers",
                "The numbers are right, but they are decimal numbers, and only whole numbers can pick. Make the array with np.zeros(..., int), or build it of np.arange.",
                ("first.reshape(-1, 1) + corner.reshape(-1)", "(first.reshape(-1, 1) + corner.reshape(-1)).astype(float)"),
            ),
            Wrong(
                "a list of lists",
                "The numbers are right, but in a list of lists. Return an array.",
                ("first.reshape(-1, 1) + corner.reshape(-1)", "(first.reshape(-1, 1) + corner.reshape(-1)).tolist()"),
            ),
        ),
    ),
    Given(
        "25 layers",
        '''
class Convolution:
    """Filters of size x size pixels: a Linear for every window. Pictures are (n, height, width, channels)."""

    def __init__(self, size, inputs, outputs, rng):
        self.size, self.linear = size, Linear(size * size * inputs, outputs, rng)

    def __call__(self, x):
        n, height, width, channels = shape(x)
        index = windows(height, width, self.size)
        rows = reshape(x, (n, height * width, channels))[:, index]
        out = self.linear(reshape(rows, (n * len(index), -1)))
        return reshape(out, (n, height - self.size + 1, width - self.size + 1, -1))


def max_pool(x):
    """The largest number in each square of 2 x 2 pixels."""
    n, height, width, channels = shape(x)
    return reshape(x, (n, height // 2, 2, width // 2, 2, channels)).max(axis=(2, 4))


def flatten(x):
    """Each picture as one row of numbers."""
    return reshape(x, (shape(x)[0], -1))
''',
    ),
)
