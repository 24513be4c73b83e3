"""The exercises of lesson 10: broadcasting undone, a prediction, and which shapes go together."""

from typing import Any

import numpy as np

from ..checking import Mistake, NotYet, exercise, number, result
from .shared import listed, same


def array_asked_for(answer, asked):
    """A reader's array, nested list or Tensor as an array of floats; ``asked`` begins the message if not."""
    data = answer if isinstance(answer, np.ndarray) else getattr(answer, "data", answer)
    try:
        return np.asarray(data, dtype=float)
    except (TypeError, ValueError):
        raise Mistake(f"{asked}, and this is {answer!r:.60}.") from None


# -- in class: broadcasting undone --------------------------------------------------------------------------

SQUARE = ((1, 2, 3), (4, 5, 6), (7, 8, 9))  # not symmetric: a sum along the wrong axis shows
TABLE = ((1, 2, 3), (4, 5, 6))
BLOCK = np.arange(24).reshape(2, 3, 4)

# For each case: the gradient, the shape to sum it to, and the right result.
SUMS: tuple[tuple[Any, tuple[int, ...], Any], ...] = (
    (TABLE, (2, 3), TABLE),
    (SQUARE, (3,), (12, 15, 18)),
    (TABLE, (), 21),
    (TABLE, (1, 3), ((5, 7, 9),)),
    (TABLE, (2, 1), ((6,), (15,))),
    (TABLE, (1, 1), ((21,),)),
    (BLOCK, (3, 1), ((60,), (92,), (124,))),
    (BLOCK, (2, 1, 4), BLOCK.sum(axis=1, keepdims=True)),
)


def shown_gradient(values):
    """A gradient as a message shows it: its numbers, or its shape if there are many."""
    return listed(values) if np.size(values) <= 9 else f"np.arange(24).reshape{np.shape(values)}"


@exercise(
    "10 unbroadcast",
    "After sum_leading there are no axes too many. Now go through those that are left: for axis, size in "
    "enumerate(shape).",
    "Where size is 1 the array may have been stretched along that axis, so sum along it. grad.sum(axis=axis) "
    "would lose the axis; keepdims=True keeps it, with the size 1.",
    "for axis, size in enumerate(shape): if size == 1: grad = grad.sum(axis=axis, keepdims=True), and return "
    "grad",
)
def unbroadcast(function):
    """Judge unbroadcast(grad, shape) on cases for which no two mistakes give the same."""
    for grad, shape, right in SUMS:
        grad = np.array(grad, dtype=float)
        before = grad.copy()
        said = f"unbroadcast({shown_gradient(grad)}, {shape})"
        given = result(function, grad, shape, said=said)
        found = array_asked_for(given, f"{said} is an array")
        right = np.array(right, dtype=float)
        if not np.array_equal(grad, before):
            raise Mistake(f"{said} changed the array that it was given. A gradient may belong to others: +=.")
        if found.shape != right.shape:
            told = f"{said} has the shape {found.shape}, and right is {shape}. "
            raise Mistake(told + of_shape(found, right, grad))
        if not same(found, right):
            told = f"{said} is {listed(right)}, and you give {listed(found)}. "
            raise Mistake(told + of_numbers(found, right, grad))
    return "What was copied on the way there is added up on the way back, and each gradient has its shape."


def of_shape(found, right, grad):
    """The message for an array of the wrong shape."""
    if found.shape == grad.shape and right.ndim == grad.ndim:
        return "An axis of size 1 was stretched as well: sum along it."
    if found.ndim < right.ndim:
        return "An axis of size 1 is lost in the sum: keepdims=True keeps it."
    if found.ndim > right.ndim:
        return "Sum over the leading axes, until there are no more axes than in the shape."
    return "Each axis that was stretched is summed, and no other."


def of_numbers(found, right, grad):
    """The message for an array of the right shape with wrong numbers."""
    axes = tuple(range(grad.ndim - right.ndim))
    axes += tuple(len(axes) + axis for axis, size in enumerate(right.shape) if size == 1)
    first = tuple(0 if axis in axes else slice(None) for axis in range(grad.ndim))
    if same(found.ravel(), grad[first].ravel()):
        return "That is what arrived at the first copy alone. Each copy sends its contribution."
    if same(found.ravel(), grad.mean(axis=axes).ravel()):
        return "That is the mean over the copies. Contributions add up."
    if same(found.ravel(), grad.max(axis=axes).ravel()):
        return "That is the largest contribution. Contributions add up."
    if same(found, np.full(right.shape, grad.sum())):
        return "That is the sum of everything. Sum along the axes that were stretched, and no others."
    if right.ndim == 1 and same(found, grad.sum(axis=-1)):
        return (
            "That is summed along the last axis. Axes are compared from the right, so the missing ones are "
            "the first. On a symmetric table nobody would notice."
        )
    return "Sum along the axes that were stretched."


# -- at home: a table of products ---------------------------------------------------------------------------


@exercise(
    "10 table",
    "Write x as a column and y as a row. The result has a number for each pair. How often is the 2 of x "
    "used, and how often the 20 of y?",
    "Each number of x is used three times, once with each number of y, and its local slope is that number.",
    "The table has the shape (4, 3). Each number of x gets 10 + 20 + 30, in the shape (4, 1); each number of "
    "y gets 1 + 2 + 3 + 4, in the shape (3,).",
)
def table(shape, by_x, by_y):
    """Judge the three predictions."""
    if shape is None or by_x is None or by_y is None:
        raise NotYet("one of the three predictions is still None.")
    shape = tuple(
        array_asked_for(shape, "A shape is asked for here, like (2, 3)").ravel().astype(int).tolist()
    )
    if shape == (3, 4):
        raise Mistake("The table is not (3, 4): x stands as a column, so its 4 are the rows.")
    if shape in ((4,), (4, 1), (3,), (1, 3)):
        raise Mistake(f"Not {shape}. x is stretched along its size 1, and y gets an axis: both grow.")
    if shape != (4, 3):
        raise Mistake(f"Not {shape}. Write (4, 1) and (3,) under each other, from the right.")
    judge_side("x", array_asked_for(by_x, "x's gradient is an array"), (4, 1), 60, (10, 20, 30))
    judge_side("y", array_asked_for(by_y, "y's gradient is an array"), (3,), 10, (1, 2, 3, 4))
    return "Each number collects from every place where it was used, and each gradient has its own shape."


def judge_side(name, found, shape, right, others):
    """Judge one gradient, whose numbers are all equal to the sum of the ``others``, the other operand's."""
    said = f"The gradient of {name}: "
    count = int(np.prod(shape))
    if found.shape == (4, 3):
        raise Mistake(f"{said}(4, 3) is the shape of the table. {name} has the shape {shape}.")
    values = found.ravel()
    if values.size != count:
        raise Mistake(f"{said}it has the shape of {name}, {shape}, and yours has {found.shape}.")
    if same(values, np.full(count, right)):
        if found.shape != shape:
            raise Mistake(
                f"{said}the numbers are right. The shape is {shape}, and yours is {found.shape}: "
                + ("write a column, [[..], [..], [..], [..]]." if len(shape) == 2 else "write a row.")
            )
        return
    if same(values, np.full(count, right / len(others))):
        raise Mistake(f"{said}that is the mean of what arrives. Contributions add up.")
    if same(values, np.full(count, len(others))):
        raise Mistake(
            f"{said}{len(others)} is how often each is used. Each time the local slope counts, too."
        )
    if same(values, np.full(count, 70 - right)):
        raise Mistake(f"{said}that is the sum of {name}'s own numbers. In a product the other one counts.")
    raise Mistake(
        f"{said}not {listed(found)}. With which numbers is each number of {name} multiplied? Add them up."
    )


# -- at home: which shapes go together ----------------------------------------------------------------------

# Two shapes and the shape of their result, False if they do not broadcast. The order matters: a function that
# requires equal sizes fails at the second pair, one that checks nothing at the third, one that compares from
# the left at the fifth.
PAIRS: tuple[tuple[tuple[int, ...], tuple[int, ...], Any], ...] = (
    ((2, 3), (2, 3), (2, 3)),
    ((2, 1), (1, 3), (2, 3)),
    ((3, 2), (2, 3), False),
    ((2, 4), (2, 2), False),
    ((2, 3), (3,), (2, 3)),
    ((3,), (2, 3), (2, 3)),
    ((2, 3), (2,), False),
    ((4, 1), (3,), (4, 3)),
    ((), (2,), (2,)),
    ((5, 1, 3), (4, 1), (5, 4, 3)),
    ((7, 2, 3), (7, 2), False),
    ((), (), ()),
)


def from_the_left(s, t):
    """The result of comparing the shapes from the left."""
    length = max(len(s), len(t))
    pairs = zip((*s, *[1] * (length - len(s))), (*t, *[1] * (length - len(t))))
    sizes = [(x, y) for x, y in pairs]
    return tuple(map(max, sizes)) if all(x == y or 1 in (x, y) for x, y in sizes) else False


def without_asking(s, t):
    """The result of taking the larger size of each pair without a check."""
    length = max(len(s), len(t))
    return tuple(map(max, (*[1] * (length - len(s)), *s), (*[1] * (length - len(t)), *t)))


@exercise(
    "10 together",
    "Make the two shapes equally long: put 1s in front of the shorter one. Then compare size with size.",
    "Two sizes go together if they are equal, or if one of them is 1. The result has the larger of the two.",
    "length = max(len(s), len(t)); s = (1,) * (length - len(s)) + s, t alike; then for x, y in zip(s, t): if "
    "x != y and 1 not in (x, y): return False; and at the end return tuple(map(max, zip(s, t)))",
)
def together(function):
    """Judge together(s, t) on pairs of shapes, each of which catches a different mistake."""
    for place, (s, t, right) in enumerate(PAIRS):
        said = f"together({s}, {t})"
        given = result(function, s, t, said=said) if place == 0 else function(s, t)
        found = given if given is False or given is None else told_shape(given, said)
        if found == right and (found is False) == (right is False):
            continue
        raise Mistake(f"{said} is {right}, and you give {found}. " + of_pair(found, right, s, t))
    return "From the right; equal, or one of them 1."


def told_shape(given, said):
    """A reader's shape as a tuple."""
    if given is True or isinstance(given, str) or not np.iterable(given):
        raise Mistake(f"{said} is a shape or False, and you give {given!r:.60}.")
    return tuple(int(number(size)) for size in given)


def of_pair(found, right, s, t):
    """The message for a wrong result of a pair of shapes."""
    if found is None:
        return "Where they do not go together, return False."
    if right == () and found is False:
        return "The empty shape is a shape, that of a single number, though `or` and `if` take it for False."
    if len(s) != len(t) and found == from_the_left(s, t):
        return "Shapes are compared from the right: a missing size counts as 1, and the first are missing."
    if right is False and found == without_asking(s, t):
        return "Only a size of 1 is stretched. Any other size would have to be equal."
    if right is not False and found is False:
        return "Equal, or one of them 1, whichever of the two: that holds for each pair of sizes here."
    if right is not False and found is not False and len(found) < len(right):
        return "The axes that one shape has more are part of the result."
    return "Write them under each other, from the right."
