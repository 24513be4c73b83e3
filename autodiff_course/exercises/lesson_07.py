"""The exercises of lesson 07: how many nodes there are, and clip in three steps."""

from typing import Any

from ..checking import Mistake, NotYet, exercise, number
from .calling import call, names_of
from .shared import close

# -- how many nodes -----------------------------------------------------------------------------------------

COUNTED = "Count each operation and each leaf once. Plain numbers are not nodes."
CALCULATIONS: tuple[tuple[str, Any, dict[int, str]], ...] = (
    (
        "x ** 2 + 2 * x + 1",
        lambda x, y: x**2 + 2 * x + 1,
        {
            **dict.fromkeys((6, 7, 8), "Plain numbers are not nodes."),
            4: "Each operation makes a node, and so does x: here are a power, a product and two sums.",
        },
    ),
    (
        "x - y",
        lambda x, y: x - y,
        {3: "x - y is not a single operation: each operation in your subtract makes a node."},
    ),
    (
        "7 / x",
        lambda x, y: 7 / x,
        {
            2: "7 / x is not a single operation: each operation in your divide makes a node.",
            4: "The 7 is a plain number, not a node.",
            5: "The 7 and the -1 are plain numbers, not nodes.",
        },
    ),
)


@exercise(
    "07 nodes",
    "Each operation makes one node, and each leaf is one. Plain numbers are not nodes.",
    "x ** 2, then 2 * x, then their sum, then the sum with 1. Which operations are x - y and 7 / x made of?",
)
def nodes(*guesses):
    """Judge the three counts against the reader's own machine."""
    if len(guesses) != len(CALCULATIONS):
        raise Mistake("Three numbers are asked for, one for each calculation.")
    names = names_of(None, 7)
    for guess, (said, f, kinds) in zip(guesses, CALCULATIONS):
        if guess is None:
            raise NotYet(f"how many nodes has {said}?")
        right = len(names["order"](f(names["Tensor"](3), names["Tensor"](5))))
        if number(guess) != right:
            raise Mistake(f"{said} does not have {number(guess):g} nodes. {kinds.get(guess, COUNTED)}")
    return "Operations and leaves are nodes, and plain numbers are not."


# -- clip, in three steps -----------------------------------------------------------------------------------

# Each case: the numbers that are handed over as Tensors, and the right gradients.
MAXIMUM = (
    ((2.0, 5.0), (0.0, 1.0)),
    ((5.0, 2.0), (1.0, 0.0)),
    ((-3.0, -4.0), (1.0, 0.0)),
    ((-3.0, -1.0), (0.0, 1.0)),
)
MINIMUM = tuple((points, slopes[::-1]) for points, slopes in MAXIMUM)
CLIP = (
    ((0.5, -1.0, 2.0), (1.0, 0.0, 0.0)),
    ((7.0, -1.0, 2.0), (0.0, 0.0, 1.0)),
    ((-6.0, -1.0, 2.0), (0.0, 1.0, 0.0)),
    ((1.0, 3.0, 4.0), (0.0, 1.0, 0.0)),
)


@exercise(
    "07 clip",
    "relu(y - x) says by how much y is larger than x. It is 0 if y is not larger.",
    "The smaller of x and y is the opposite of the larger of -x and -y.",
    "maximum: x + relu(y - x). minimum: -maximum(-x, -y). clip: minimum(maximum(x, low), high).",
)
def clip(maximum, minimum, clip):
    """Judge the three functions in their order, each by its values and its gradients."""
    steps: tuple[tuple[str, Any, Any, Any], ...] = (
        ("maximum", maximum, max, MAXIMUM),
        ("minimum", minimum, min, MINIMUM),
        ("clip", clip, lambda x, low, high: min(max(x, low), high), CLIP),
    )
    done: list[str] = []
    is_picked = False
    for name, function, right, cases in steps:
        if function is None:
            raise NotYet(f"{name} is still None.")
        try:
            for points, slopes in cases:
                is_picked |= judge_case(name, function, points, right(*points), slopes)
            if name != "clip":
                judge_tie(name, function)
        except NotYet as stub:
            raise NotYet(f"{stub}{' So far it is right.' if done else ''}") from None
        done.append(name)
    if is_picked:
        return (
            "All three work for single numbers. max and if only pick one of the numbers and record nothing. "
            "From lesson 09 on a Tensor holds an array, and neither works for it. Try it with relu."
        )
    return "Whatever is built of operations that are there has its gradients already."


def judge_case(name, function, points, right, slopes):
    """Judge one call with Tensors. Returns whether its result is one of them, and not a new one."""
    names = names_of(function, 7)
    leaves = [names["Tensor"](point) for point in points]
    said = f"{name}({', '.join(f'Tensor({point:g})' for point in points)})"
    made = call(function, *leaves, said=said)
    found = number(made)
    if not close(found, right):
        raise Mistake(
            f"{said} is {right:g}, and you give {found:g}. {wrong_number(name, points, found)}".rstrip()
        )
    if not isinstance(made, names["Tensor"]):
        raise Mistake(f"{said} is a plain number here, so no gradient comes back. Leave .data out.")
    gradients = names["gradients"](made)
    for place, (leaf, slope) in enumerate(zip(leaves, slopes)):
        if not close(gradients.get(leaf, 0), slope):
            which = ("first", "second", "third")[place]
            raise Mistake(
                f"{said} has the right value. The gradient of the {which} number is "
                f"{number(gradients.get(leaf, 0)):g}; it should be {slope:g}: "
                f"moving it {'moves the result by as much' if slope else 'does not move the result'}."
            )
    return any(made is leaf for leaf in leaves)


def judge_tie(name, function):
    """Judge a call with two equal numbers. Any two gradients that add up to 1 are right: moving both numbers
    moves the result as much."""
    names = names_of(function, 7)
    leaves = [names["Tensor"](2.0), names["Tensor"](2.0)]
    said = f"{name}(Tensor(2), Tensor(2))"
    made = call(function, *leaves, said=said)
    if not close(number(made), 2):
        raise Mistake(f"{said} is 2, and you give {number(made):g}. The two numbers may be equal as well.")
    try:
        gradients = names["gradients"](made)
    except ArithmeticError as error:
        raise Mistake(
            f"{said} has the right value, and the walk back stops with {type(error).__name__}. "
            "A square root has no slope at 0: use relu."
        ) from error
    total = sum(number(gradients.get(leaf, 0)) for leaf in leaves)
    if not close(total, 1):
        raise Mistake(
            f"{said} has the right value. Its two gradients add up to {total:g}; it should be 1: "
            "moving both numbers moves the result by as much."
        )


def wrong_number(name, points, found):
    """The sentence for a wrong result, or ""."""
    if name == "clip" and close(found, max(points[0], points[1])):
        return "The upper end is not used."
    if name == "clip" and close(found, min(points[0], points[2])):
        return "The lower end is not used."
    if name == "clip" and close(found, max(min(points[0], points[1]), points[2])):
        return "Take the larger of x and low first, and then the smaller of that and high."
    other = {"maximum": min, "minimum": max}.get(name)
    if other and close(found, other(points)):
        return f"That is the {'smaller' if name == 'maximum' else 'larger'} one."
    if close(found, sum(points)):
        return "That is the sum."
    if name == "maximum" and close(found, max(points[1] - points[0], 0)):
        return "That is by how much y is larger than x. Add it to x."
    return ""
