"""The exercises of lesson 12: picking as a product, and a smoother built of picking and a mean."""

import numpy as np

from ..checking import Mistake, NotYet, exercise
from .calling import call, counted, names_of
from .shared import array, kind_of, listed, same

# -- picking as a product -----------------------------------------------------------------------------------

# In the first, one place occurs twice and one not at all, so that no two known mistakes give the same.
PLACES = (([1, 1, 0], 3), ([1, 0, 2], 3), ([1, 0, 2, 0, 2, 0], 3), ([3, 3], 5), ([0], 1))


def lit(*shape, at):
    """Zeros with 1 at the positions ``at``."""
    made = np.zeros(shape)
    made[at] = 1
    return made


def turned(index, size, by=0):
    """The transpose of the right answer, or of the right answer with its columns moved."""
    return np.roll(lit(size, len(index), at=(index, range(len(index)))), by, axis=0)


ONE_HOT_KINDS = (
    (turned, "This is the transpose, with a column for each place. Make a row for each place."),
    (
        lambda index, size: lit(len(index), size, at=(slice(None), index)),
        "H[:, index] fills whole columns. Each row has a single 1: H[i, index[i]].",
    ),
    (
        lambda index, size: lit(len(index), size, at=(index,)),
        "H[index] fills whole rows. In row i the 1 is in column index[i].",
    ),
    (
        lambda index, size: np.bincount(index, minlength=size),
        "This counts how often each place comes. Make a row for each place in index.",
    ),
    (
        lambda index, size: lit(size, at=(index,)),
        "This is one row for all places. Make a row for each place in index.",
    ),
    (
        lambda index, size: np.arange(size) == np.array(index),
        "This is one row, not one for each place. Make a row for each place in index.",
    ),
    (
        lambda index, size: turned(index, size).T * np.reshape(index, (-1, 1)),
        "At each place there is the place's number, but it should be a 1.",
    ),
    (lambda index, size: turned(index, size, -1).T, "Each 1 is one column too far left. Count from 0."),
    (lambda index, size: turned(index, size, 1).T, "Each 1 is one column too far right. Count from 0."),
    (lambda index, size: np.zeros((len(index), size)), "There is no 1 in it yet."),
    (
        lambda index, size: np.eye(size),
        "This has a row for every column, in order. Use index.",
    ),
    "Row i has its 1 in column index[i].",
)


@exercise(
    "12 one-hot",
    "Start from np.zeros((len(index), size)). In row 0 the 1 is in column index[0], in row 1 in column "
    "index[1].",
    "A loop will do: for i, place in enumerate(index), and H[i, place] = 1.",
    "H = np.zeros((len(index), size)), then for i, place in enumerate(index): H[i, place] = 1, then return "
    "H. Or, in one line: return np.eye(size)[index].",
)
def one_hot(function):
    """Judge one_hot(index, size) with places in another order, and with repeated places."""
    for index, size in PLACES:
        said = f"one_hot({index}, {size})"
        try:
            given = call(function, list(index), size, said=said)
        except IndexError as error:
            raise Mistake(
                f"{said} stopped with IndexError: {error}. Every row has {counted(size, 'column')} here: "
                f"size is {size}. (In H[i, place] the row comes first, and place is below size.)"
            ) from error
        found, right = array(given, f"{said} gave"), np.eye(size)[index]
        if not same(found, right):
            kind = kind_of(found, ONE_HOT_KINDS, index, size)
            raise Mistake(f"{said} is {listed(right)}, and yours gives {listed(found)}. {kind}")
    return "Each row picks one. So picking is a matrix product, with its rules."


# -- a smoother ---------------------------------------------------------------------------------------------


def places_of(n):
    """The places of every three neighbours among n numbers."""
    return np.arange(n - 2)[:, None] + np.arange(3)


WINDOW_KINDS = (
    (lambda n: places_of(n).T, "This is the transpose. Make a row for each window."),
    (lambda n: places_of(n + 2), "The last windows reach beyond the end. There are n - 2 windows."),
    (lambda n: places_of(n + 1), "The last window reaches beyond the end. There are n - 2 windows."),
    (lambda n: places_of(n)[:-1], "The last window is missing. There are n - 2 windows."),
    (lambda n: places_of(n) + 1, "Places are counted from 0."),
    (lambda n: places_of(n)[::3], "Neighbouring windows overlap: each begins one place after the last."),
    (
        lambda n: np.arange(n // 3 * 3).reshape(-1, 3),
        "Neighbouring windows overlap: each begins one place later.",
    ),
    "Row i is i, i + 1, i + 2, and the last row ends at n - 1.",
)
NUMBERS = (np.array([3.0, 6, 9, 0, 0]), np.array([1.0, 2, 6]), np.array([1.0, 0, 5, 0, 6, 1, 2]))


def smoothed(x):
    """The mean of every three neighbours."""
    return x[places_of(len(x))].mean(axis=1)


SMOOTH_KINDS = (
    (lambda x: x[places_of(len(x))].sum(axis=1), "This is the sum of each window. Divide it: a mean."),
    (
        lambda x: x[places_of(len(x))].mean(),
        "This is one mean of all windows. Each window has its own: axis=1.",
    ),
    (
        lambda x: x[places_of(len(x))].mean(axis=0),
        "This is the mean along the other axis. A window is a row: axis=1.",
    ),
    (
        lambda x: x[places_of(len(x))].max(axis=1),
        "This is the maximum of each window. The mean is asked for.",
    ),
    (lambda x: x[places_of(len(x))], "The windows are picked. The mean of each is still to come."),
    (
        lambda x: smoothed(x)[:, None],
        "The axis of the means is still there, with size 1. Leave keepdims out.",
    ),
    "Each result is the mean of three neighbours.",
)
ARRIVES = (
    (
        [1, 1, 1, 1, 1],
        "Every number would get 1 if each were in three windows. The first one is in a single window.",
    ),
    ([1, 2, 3, 2, 1], "This counts the windows of each number. The mean divides each contribution by 3."),
    ([1 / 3] * 5, "This is what one window gives to a number. The one in the middle is in three windows."),
    ([0, 1, 1, 1, 0], "The first number is in a window as well, in one."),
    ([0.6] * 5, "The total is right, but some numbers are in more windows than others."),
)
NOT_RECORDED = (
    "gives the right numbers, but no gradient comes back to x. Compute with the Tensor itself: x[...] and "
    "its methods, not its data."
)


@exercise(
    "12 smooth",
    "windows: a list of [i, i + 1, i + 2] for every i in range(n - 2), as an array. smooth: one index and "
    "one method.",
    "An index may be a matrix of places; x[windows(n)] then has one row for each window. For arrives, count "
    "how many windows each of the five numbers is in.",
    "windows: return np.arange(n - 2)[:, None] + np.arange(3). smooth: return "
    "x[windows(x.shape[0])].mean(axis=1). The five numbers are in 1, 2, 3, 2 and 1 windows, and each window "
    "gives a third.",
)
def smooth(windows, function, arrives):
    """Judge the windows, then the smoother's numbers and gradient, and then the prediction."""
    for n in (5, 3, 7):
        said = f"windows({n})"
        found, right = array(call(windows, n, said=said), f"{said} gave"), places_of(n)
        if not same(found, right):
            kind = kind_of(found, WINDOW_KINDS, n)
            raise Mistake(f"{said} is {listed(right)}, and yours gives {listed(found)}. {kind}")
    for numbers in NUMBERS:
        judge_smooth(function, numbers)
    if arrives is None:
        raise NotYet("windows and smooth are right. Now predict arrives, five numbers.")
    found = array(arrives, "arrives is", "Five numbers are asked for.")
    if found.shape != (5,) or not np.allclose(found, np.array([1, 2, 3, 2, 1]) / 3, atol=0.006):
        kinds = [words for wrong, words in ARRIVES if same(found, np.array(wrong, dtype=float))]
        words = next(iter(kinds), "How many windows is each number in, and what does each window give?")
        raise Mistake(f"arrives is not {listed(found)}. {words}")
    return "Each window gives a third to its three numbers, and the one in the middle is in three windows."


def judge_smooth(function, numbers):
    """Judge the smoothed numbers, and that a gradient comes back."""
    machine = names_of(function, 12)
    tensor = machine["Tensor"]
    said = f"smooth(Tensor({listed(numbers)}))"
    x = tensor(numbers.copy())
    if function is None:
        raise NotYet("windows is right. Now write smooth.")
    try:
        given = call(function, x, said=said)
    except IndexError as error:
        raise Mistake(
            f"{said} stopped with IndexError: {error}. Here x has {len(numbers)} numbers: take "
            "windows of x.shape[0]."
        ) from error
    except TypeError as error:
        if "len()" not in str(error):
            raise
        raise Mistake(
            "A Tensor of the machine has no len. The number of its elements is x.shape[0]."
        ) from error
    found, right = array(given, f"{said} gave"), smoothed(numbers)
    if not same(found, right):
        kind = kind_of(found, SMOOTH_KINDS, numbers)
        raise Mistake(f"{said} is {listed(right)}, and yours gives {listed(found)}. {kind}")
    if not isinstance(given, tensor):
        raise Mistake(f"{said} {NOT_RECORDED}")
    grad = machine["gradients"](given, np.arange(1.0, len(right) + 1)).get(x)
    wanted = np.zeros(len(numbers))
    np.add.at(wanted, places_of(len(numbers)), np.arange(1.0, len(right) + 1)[:, None] / 3)
    if grad is None:
        raise Mistake(f"{said} {NOT_RECORDED}")
    if not same(grad, wanted):
        raise Mistake(
            f"{said} is right, but its gradient is not: {listed(grad)} instead of {listed(wanted)}. Some "
            "paths lead through plain numbers. Compute with the Tensor only."
        )
