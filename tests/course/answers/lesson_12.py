"""Lesson 12: picking as a product, and a smoother."""

from tests.course.answers import Right, Wrong

WINDOWS = "windows = lambda n: np.arange(n - 2)[:, None] + np.arange(3)\n"
SMOOTH = "smooth = lambda x: x[windows(x.shape[0])].mean(axis=1)\n"
ARRIVES = "arrives = [1 / 3, 2 / 3, 1, 2 / 3, 1 / 3]\n"
LAST = "windows, smooth, arrives"


def one_hot(line):
    """A one_hot that starts from zeros, sets 1 at one place for each index, and returns."""
    return f"""
def one_hot(index, size):
    H = np.zeros((len(index), size))
    {line}
    return H

one_hot"""


def smoother(windows=WINDOWS, smooth=SMOOTH, arrives=ARRIVES):
    """All three steps, with some of them replaced."""
    return windows + smooth + arrives + LAST


ANSWERS = {
    "12 one-hot": (
        Right("rows of the identity", "lambda index, size: np.eye(size)[index]"),
        Right("a loop", one_hot("for i, place in enumerate(index): H[i, place] = 1")),
        Right("two lists of places", one_hot("H[range(len(index)), index] = 1")),
        Right("a comparison", "lambda index, size: np.array(index)[:, None] == np.arange(size)"),
        Right("lists", "lambda index, size: [[int(place == k) for k in range(size)] for place in index]"),
        Right("other names", "lambda places, width: np.eye(width)[places]"),
        Wrong("the transpose", "lambda index, size: np.eye(size)[index].T", "the transpose"),
        Wrong("whole columns", one_hot("H[:, index] = 1"), "fills whole columns"),
        Wrong("whole rows", one_hot("H[index] = 1"), "fills whole rows"),
        Wrong("counts", "lambda index, size: np.bincount(index, minlength=size)", "counts how often"),
        Wrong(
            "one row for all", "lambda index, size: np.eye(size)[index].max(axis=0)", "one row for all places"
        ),
        Wrong(
            "the place in place of 1",
            one_hot("for i, p in enumerate(index): H[i, p] = p"),
            "it should be a 1",
        ),
        Wrong(
            "counted from 1", "lambda index, size: np.roll(np.eye(size)[index], -1, axis=1)", "too far left"
        ),
        Wrong(
            "one too far right",
            "lambda index, size: np.roll(np.eye(size)[index], 1, axis=1)",
            "too far right",
        ),
        Wrong("zeros", one_hot("pass"), "no 1 in it"),
        Wrong("the identity", "lambda index, size: np.eye(size)", "Use index"),
        Wrong(
            "compared in one row",
            "lambda index, size: (np.arange(size) == np.array(index)) * 1",
            "one row, not one for each place",
        ),
        Wrong("always three columns", "lambda index, size: np.eye(3)[index]", "Every row has 5 columns here"),
        Wrong("twos", "lambda index, size: 2 * np.eye(size)[index]", "Row i has its 1"),
        Wrong("no array", "lambda index, size: 'hot'", "An array is asked for"),
        Wrong("not a function", "np.eye(3)", "A function is asked for"),
        Wrong("printed", "lambda index, size: print(np.eye(size)[index])", "prints its result"),
        Wrong("one argument", "lambda index: np.eye(3)[index]", "hands over 2 arguments"),
        Wrong(
            "endless",
            "def one_hot(index, size):\n    while True:\n        pass\none_hot",
            "Does a loop never end",
        ),
        Wrong(
            "width from the places",
            "def one_hot(index, size):\n    H = np.zeros((len(set(index)), size))\n"
            "    for i, place in enumerate(index): H[i, place] = 1\n    return H\none_hot",
            "place is below size",
        ),
        Wrong(
            "forgets the repeated",
            "def one_hot(index, size):\n    H = np.eye(size)[index]\n    for i, place in enumerate(index):\n"
            "        if place in index[:i]: H[i] = 0\n    return H\none_hot",
            "one_hot([1, 1, 0], 3) is [[0, 1, 0], [0, 1, 0], [1, 0, 0]]",
        ),
    ),
    "12 smooth": (
        Right("broadcasting", smoother()),
        Right(
            "a list of lists",
            smoother("windows = lambda n: np.array([[i, i + 1, i + 2] for i in range(n - 2)])\n"),
        ),
        Right(
            "a plain list",
            smoother(
                "windows = lambda n: [[i, i + 1, i + 2] for i in range(n - 2)]\n",
                "smooth = lambda x: x[np.array(windows(x.shape[0]))].mean(axis=1)\n",
            ),
        ),
        Right(
            "the machine's function",
            smoother(smooth="smooth = lambda x: mean(x[windows(x.shape[0])], axis=1)\n"),
        ),
        Right(
            "a sum, divided", smoother(smooth="smooth = lambda x: x[windows(x.shape[0])].sum(axis=1) / 3\n")
        ),
        Right("slices", smoother(smooth="smooth = lambda x: (x[:-2] + x[1:-1] + x[2:]) / 3\n")),
        Right("rounded", smoother(arrives="arrives = [0.33, 0.67, 1, 0.67, 0.33]\n")),
        Right("an array", smoother(arrives="arrives = np.array([1, 2, 3, 2, 1]) / 3\n")),
        Wrong(
            "windows: the transpose",
            smoother("windows = lambda n: np.arange(n - 2) + np.arange(3)[:, None]\n"),
            "the transpose",
        ),
        Wrong(
            "windows: beyond the end",
            smoother("windows = lambda n: np.arange(n)[:, None] + np.arange(3)\n"),
            "beyond the end",
        ),
        Wrong(
            "windows: one missing",
            smoother("windows = lambda n: np.arange(n - 3)[:, None] + np.arange(3)\n"),
            "The last window is missing",
        ),
        Wrong(
            "windows: side by side",
            smoother("windows = lambda n: np.arange(n // 3 * 3).reshape(-1, 3)\n"),
            "overlap",
        ),
        Wrong(
            "windows: of five only",
            smoother("windows = lambda n: np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4]])\n"),
            "windows(3) is [[0, 1, 2]]",
        ),
        Wrong("windows: printed", smoother("windows = lambda n: print([[0, 1, 2]])\n"), "prints its result"),
        Wrong(
            "smooth: always five numbers",
            smoother(smooth="smooth = lambda x: x[windows(5)].mean(axis=1)\n"),
            "smooth(Tensor([1, 2, 6])) stopped with IndexError",
        ),
        Wrong(
            "smooth: the sum",
            smoother(smooth="smooth = lambda x: x[windows(x.shape[0])].sum(axis=1)\n"),
            "the sum of each window",
        ),
        Wrong(
            "smooth: one mean",
            smoother(smooth="smooth = lambda x: x[windows(x.shape[0])].mean()\n"),
            "one mean of all windows",
        ),
        Wrong(
            "smooth: the other axis",
            smoother(smooth="smooth = lambda x: x[windows(x.shape[0])].mean(axis=0)\n"),
            "A window is a row",
        ),
        Wrong(
            "smooth: plain numbers",
            smoother(smooth="smooth = lambda x: x.data[windows(x.shape[0])].mean(axis=1)\n"),
            "no gradient comes back",
        ),
        Wrong(
            "smooth: a new Tensor",
            smoother(smooth="smooth = lambda x: Tensor(x.data[windows(x.shape[0])].mean(axis=1))\n"),
            "no gradient comes back",
        ),
        Wrong(
            "smooth: half of it plain",
            smoother(smooth="smooth = lambda x: (x[:-2] + x.data[1:-1] + x.data[2:]) / 3\n"),
            "its gradient is not",
        ),
        Wrong(
            "smooth: len",
            smoother(smooth="smooth = lambda x: x[windows(len(x))].mean(axis=1)\n"),
            "x.shape[0]",
        ),
        Wrong("smooth: two arguments", smoother(smooth="smooth = lambda x, n: x\n"), "hands over 1 argument"),
        Wrong("arrives: ones", smoother(arrives="arrives = [1, 1, 1, 1, 1]\n"), "in a single window"),
        Wrong(
            "arrives: counts",
            smoother(arrives="arrives = [1, 2, 3, 2, 1]\n"),
            "divides each contribution by 3",
        ),
        Wrong("arrives: thirds", smoother(arrives="arrives = [1 / 3] * 5\n"), "The one in the middle"),
        Wrong("arrives: three numbers", smoother(arrives="arrives = [1, 1, 1]\n"), "How many windows"),
        Wrong("arrives: a word", smoother(arrives="arrives = 'three'\n"), "Five numbers"),
    ),
}
