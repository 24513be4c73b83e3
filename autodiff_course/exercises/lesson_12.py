"""The exercises of lesson 12: picking as a product, and a smoother built of picking and a mean."""

import numpy as np

from ..checking import Mistake, NotYet
from .calling import call, names_of
from .shared import array, listed, same
from .table import PRINTS, Right, Stop, Table, Task, Wrong, advice, outcome

# -- picking as a product -----------------------------------------------------------------------------------

LOOP = "for i, place in enumerate(index): H[i, place] = 1"
EYE = "np.eye(size)[index]"

Task(
    "12 one-hot",
    head="one_hot(index, size)",
    right=f"H = np.zeros((len(index), size))\n{LOOP}\nreturn H",
    # in the first, one place occurs twice and one not at all, so that no two known mistakes give the same
    cases=(([1, 1, 0], 3), ([1, 0, 2], 3), ([1, 0, 2, 0, 2, 0], 3), ([3, 3], 5), ([0], 1)),
    answers=(
        Right("rows of the identity", EYE),
        Right("two lists of places", (LOOP, "H[range(len(index)), index] = 1")),
        Right("a comparison", "np.array(index)[:, None] == np.arange(size)"),
        Right("lists", "[[int(place == k) for k in range(size)] for place in index]"),
        Right("other names", "lambda places, width: np.eye(width)[places]"),
        Wrong("the transpose", f"{EYE}.T", "This is the transpose, with a column for each place. Make a row for each place."),
        Wrong("whole columns", (LOOP, "H[:, index] = 1"), "H[:, index] fills whole columns. Each row has a single 1: H[i, index[i]]."),
        Wrong("whole rows", (LOOP, "H[index] = 1"), "H[index] fills whole rows. In row i the 1 is in column index[i]."),
        Wrong("counts", "np.bincount(index, minlength=size)", "This counts how often each place comes. Make a row for each place in index."),
        Wrong("one row for all", f"{EYE}.max(axis=0)", "This is one row for all places. Make a row for each place in index."),
        Wrong("compared in one row", "(np.arange(size) == np.array(index)) * 1", "This is one row, not one for each place. Make a row for each place in index."),
        Wrong("the place in place of 1", ("= 1", "= place"), "At each place there is the place's number, but it should be a 1."),
        Wrong("counted from 1", f"np.roll({EYE}, -1, axis=1)", "Each 1 is one column too far left. Count from 0."),
        Wrong("one too far right", f"np.roll({EYE}, 1, axis=1)", "Each 1 is one column too far right. Count from 0."),
        Wrong("zeros", (LOOP, "pass"), "There is no 1 in it yet."),
        Wrong("the identity", "np.eye(size)", "This has a row for every column, in order. Use index."),
        Wrong("twos", f"2 * {EYE}"),
        Wrong("forgets the repeated", f"H = {EYE}\nfor i, place in enumerate(index):\n    if place in index[:i]: H[i] = 0\nreturn H"),
        Wrong("always three columns", "np.eye(3)[index]", holds="Every row has 5 columns here"),
        Wrong("width from the places", ("len(index)", "len(set(index))"), holds="place is below size"),
        Wrong("no array", "'hot'", holds="An array is asked for"),
        Wrong("not a function", "answer = np.eye(3)", holds="A function is asked for"),
        Wrong("printed", f"print({EYE})", holds=PRINTS),
        Wrong("one argument", "lambda index: np.eye(3)[index]", holds="hands over 2 arguments"),
        Wrong("endless", ("return H", "while True:\n        pass"), holds="Does a loop never end"),
    ),
    otherwise="Row i has its 1 in column index[i].",
    praise="Each row picks one. So picking is a matrix product, with its rules.",
    hints=(
        "Start from np.zeros((len(index), size)). In row 0 the 1 is in column index[0], in row 1 in column index[1].",
        "A loop will do: for i, place in enumerate(index), and H[i, place] = 1.",
        "H = np.zeros((len(index), size)), then for i, place in enumerate(index): H[i, place] = 1, then return H. Or, in one line: return np.eye(size)[index].",
    ),
    inputs=lambda case, function: [list(case[0]), case[1]],
    stops=(
        Stop(IndexError, "{said} stopped with IndexError: {error}. Every row has {case[1]} columns here: size is {case[1]}. (In H[i, place] the row comes first, and place is below size.)"),
    ),
    message="{said} is {wanted}, and yours gives {gives}. {why}",
)  # fmt: skip

# -- a smoother ---------------------------------------------------------------------------------------------

WINDOWS, SMOOTH = "np.arange(n - 2)[:, None] + np.arange(3)", "x[windows(x.shape[0])].mean(axis=1)"
ARRIVES = "[1 / 3, 2 / 3, 1, 2 / 3, 1 / 3]"

SMOOTHER = Table(
    "12 smooth",
    right=f"windows = lambda n: {WINDOWS}\nsmooth = lambda x: {SMOOTH}\narrives = {ARRIVES}\nwindows, smooth, arrives",
    answers=(
        Right("a list of lists", (WINDOWS, "np.array([[i, i + 1, i + 2] for i in range(n - 2)])")),
        Right("a plain list", ((WINDOWS, "[[i, i + 1, i + 2] for i in range(n - 2)]"), ("windows(x.shape[0])", "np.array(windows(x.shape[0]))"))),
        Right("the machine's function", (SMOOTH, "mean(x[windows(x.shape[0])], axis=1)")),
        Right("a sum, divided", ("mean(axis=1)", "sum(axis=1) / 3")),
        Right("slices", (SMOOTH, "(x[:-2] + x[1:-1] + x[2:]) / 3")),
        Right("rounded", (ARRIVES, "[0.33, 0.67, 1, 0.67, 0.33]")),
        Right("an array", (ARRIVES, "np.array([1, 2, 3, 2, 1]) / 3")),
        Wrong("smooth: the sum", ("mean(axis=1)", "sum(axis=1)"), "This is the sum of each window. Divide it: a mean."),
        Wrong("smooth: one mean", ("mean(axis=1)", "mean()"), "This is one mean of all windows. Each window has its own: axis=1."),
        Wrong("smooth: the other axis", ("axis=1", "axis=0"), "This is the mean along the other axis. A window is a row: axis=1."),
        Wrong("smooth: the maximum", ("mean(axis=1)", "max(axis=1)"), "This is the maximum of each window. The mean is asked for."),
        Wrong("smooth: picked", (".mean(axis=1)", ""), "The windows are picked. The mean of each is still to come."),
        Wrong("smooth: an axis kept", ("axis=1", "axis=1, keepdims=True"), "The axis of the means is still there, with size 1. Leave keepdims out."),
        # after those of smooth, which works with the windows of its own row
        Wrong("windows: the transpose", (WINDOWS, f"({WINDOWS}).T"), "This is the transpose. Make a row for each window."),
        Wrong("windows: beyond the end", ("n - 2", "n"), "The last windows reach beyond the end. There are n - 2 windows."),
        Wrong("windows: one beyond the end", ("n - 2", "n - 1"), "The last window reaches beyond the end. There are n - 2 windows."),
        Wrong("windows: one missing", ("n - 2", "n - 3"), "The last window is missing. There are n - 2 windows."),
        Wrong("windows: from 1", (WINDOWS, f"{WINDOWS} + 1"), "Places are counted from 0."),
        Wrong("windows: side by side", (WINDOWS, "np.arange(n // 3 * 3).reshape(-1, 3)"), "Neighbouring windows overlap: each begins one place after the last."),
        Wrong("arrives: ones", (ARRIVES, "[1, 1, 1, 1, 1]"), "Every number would get 1 if each were in three windows. The first one is in a single window."),
        Wrong("arrives: counts", (ARRIVES, "[1, 2, 3, 2, 1]"), "This counts the windows of each number. The mean divides each contribution by 3."),
        Wrong("arrives: thirds", (ARRIVES, "[1 / 3] * 5"), "This is what one window gives to a number. The one in the middle is in three windows."),
        Wrong("arrives: inside only", (ARRIVES, "[0, 1, 1, 1, 0]"), "The first number is in a window as well, in one."),
        Wrong("arrives: shared evenly", (ARRIVES, "[0.6] * 5"), "The total is right, but some numbers are in more windows than others."),
        Wrong("arrives: three numbers", (ARRIVES, "[1, 1, 1]")),
        Wrong("arrives: a word", (ARRIVES, "'three'"), holds="Five numbers"),
        Wrong("windows: of five only", (WINDOWS, "np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4]])"), holds="windows(3) is [[0, 1, 2]]"),
        Wrong("windows: twice", (WINDOWS, f"2 * ({WINDOWS})"), holds="Row i is i, i + 1, i + 2, and the last row ends at n - 1."),
        Wrong("windows: printed", (WINDOWS, "print([[0, 1, 2]])"), holds=PRINTS),
        Wrong("smooth: half", (SMOOTH, f"{SMOOTH} / 2"), holds="Each result is the mean of three neighbours."),
        Wrong("smooth: always five numbers", ("x.shape[0]", "5"), holds="take windows of x.shape[0]"),
        Wrong("smooth: plain numbers", ("x[", "x.data["), holds="no gradient comes back"),
        Wrong("smooth: a new Tensor", (SMOOTH, f"Tensor(({SMOOTH}).data)"), holds="no gradient comes back"),
        Wrong("smooth: half of it plain", (SMOOTH, "(x[:-2] + x.data[1:-1] + x.data[2:]) / 3"), holds="its gradient is not"),
        Wrong("smooth: len", ("x.shape[0]", "len(x)"), holds="x.shape[0]"),
        Wrong("smooth: two arguments", ("smooth = lambda x", "smooth = lambda x, n"), holds="hands over 1 argument"),
    ),
    otherwise="How many windows is each number in, and what does each window give?",
    hints=(
        "windows: a list of [i, i + 1, i + 2] for every i in range(n - 2), as an array. smooth: one index and one method.",
        "An index may be a matrix of places; x[windows(n)] then has one row for each window. For arrives, count how many windows each of the five numbers is in.",
        "windows: return np.arange(n - 2)[:, None] + np.arange(3). smooth: return x[windows(x.shape[0])].mean(axis=1). The five numbers are in 1, 2, 3, 2 and 1 windows, and each window gives a third.",
    ),
)
STOPS = (
    Stop(IndexError, "{said} stopped with IndexError: {error}. Here x has {case} numbers: take windows of x.shape[0]."),
    Stop(TypeError, "A Tensor of the machine has no len. The number of its elements is x.shape[0].", "len()"),
)
NOT_RECORDED = (
    "gives the right numbers, but no gradient comes back to x. Compute with the Tensor itself: x[...] and "
    "its methods, not its data."
)


@SMOOTHER.judged
def smooth(windows, function, arrives):
    """Judge the windows, then the smoother's numbers and gradient, and then the prediction."""
    places_of, _, right = SMOOTHER.answer()
    for n in (5, 3, 7):
        said = f"windows({n})"
        found, places = array(call(windows, n, said=said), f"{said} gave"), places_of(n)
        if not same(found, places):
            otherwise = "Row i is i, i + 1, i + 2, and the last row ends at n - 1."
            why = SMOOTHER.why(lambda wrong: same(found, outcome(wrong[0], n)), otherwise=otherwise)  # noqa: B023  at once
            raise Mistake(f"{said} is {listed(places)}, and yours gives {listed(found)}. {why}")
    if function is None:
        raise NotYet("windows is right. Now write smooth.")
    for numbers in ([3.0, 6, 9, 0, 0], [1.0, 2, 6], [1.0, 0, 5, 0, 6, 1, 2]):
        judge_smooth(function, numbers)
    if arrives is None:
        raise NotYet("windows and smooth are right. Now predict arrives, five numbers.")
    found = array(arrives, "arrives is", "Five numbers are asked for.")
    if found.shape != (5,) or not np.allclose(found, right, atol=0.006):
        why = SMOOTHER.why(lambda wrong: same(found, wrong[2]))
        raise Mistake(f"arrives is not {listed(found)}. {why}")
    return "Each window gives a third to its three numbers, and the one in the middle is in three windows."


def judge_smooth(function, numbers):
    """Judge the smoothed numbers, and that a gradient comes back."""
    machine = names_of(function, 12)
    x, other = (machine["Tensor"](np.array(numbers)) for _ in range(2))
    said = f"smooth(Tensor({listed(numbers)}))"
    with advice(*STOPS, said=said, case=len(numbers)):
        given = call(function, x, said=said)
    wanted = SMOOTHER.answer(function)[1](other)
    found, right = array(given, f"{said} gave"), array(wanted, "")
    if not same(found, right):
        otherwise = "Each result is the mean of three neighbours."
        why = SMOOTHER.why(lambda wrong: same(found, array(outcome(wrong[1], other), "")), function, otherwise)
        raise Mistake(f"{said} is {listed(right)}, and yours gives {listed(found)}. {why}")
    if not isinstance(given, machine["Tensor"]):
        raise Mistake(f"{said} {NOT_RECORDED}")
    start = np.arange(1.0, len(right) + 1)
    grad, wanted = machine["gradients"](given, start).get(x), machine["gradients"](wanted, start)[other]
    if grad is None:
        raise Mistake(f"{said} {NOT_RECORDED}")
    if not same(grad, wanted):
        raise Mistake(
            f"{said} is right, but its gradient is not: {listed(grad)} instead of {listed(wanted)}. Some "
            "paths lead through plain numbers. Compute with the Tensor only."
        )
