"""The exercises of lesson 07: how many nodes there are, and clip in three steps."""

from ..checking import Mistake, NotYet, number
from .calling import call, names_of
from .shared import close
from .table import PRINTS, Right, Stop, Table, Wrong, advice, outcome

# -- how many nodes -----------------------------------------------------------------------------------------

CALCULATIONS = {"x ** 2 + 2 * x + 1": lambda x, y: x**2 + 2 * x + 1, "x - y": lambda x, y: x - y, "7 / x": lambda x, y: 7 / x}
PLAIN = "Plain numbers are not nodes."

NODES = Table(
    "07 nodes",
    right="5, 4, 3",
    answers=(
        Right("in Tensors", "Tensor(5), Tensor(4), Tensor(3)"),
        Wrong("plain numbers counted", "8, 4, 3", PLAIN),
        Wrong("plain numbers counted, each once", "7, 4, 3", PLAIN),
        Wrong("one plain number counted", "6, 4, 3", PLAIN),
        Wrong("a leaf forgotten", "4, 4, 3", "Each operation makes a node, and so does x: here are a power, a product and two sums."),
        Wrong("subtract as one operation", "5, 3, 3", "x - y is not a single operation: each operation in your subtract makes a node."),
        Wrong("divide as one operation", "5, 4, 2", "7 / x is not a single operation: each operation in your divide makes a node."),
        Wrong("the 7 counted", "5, 4, 4", "The 7 is a plain number, not a node."),
        Wrong("the 7 and the -1 counted", "5, 4, 5", "The 7 and the -1 are plain numbers, not nodes."),
        Wrong("two leaves forgotten", "5, 2, 3"),
        Wrong("nonsense", "5, 'four', 3", holds="A number is asked for"),
        Wrong("one number too few", "5, 4", holds="Three numbers"),
    ),
    otherwise="Count each operation and each leaf once. Plain numbers are not nodes.",
    hints=(
        "Each operation makes one node, and each leaf is one. Plain numbers are not nodes.",
        "x ** 2, then 2 * x, then their sum, then the sum with 1. Which operations are x - y and 7 / x made of?",
    ),
)


@NODES.judged
def nodes(*guesses):
    """Judge the three counts against the reader's own machine."""
    if len(guesses) != len(CALCULATIONS):
        raise Mistake("Three numbers are asked for, one for each calculation.")
    names = names_of(None, 7)
    for place, (guess, (said, f)) in enumerate(zip(guesses, CALCULATIONS.items())):
        if guess is None:
            raise NotYet(f"how many nodes has {said}?")
        found = number(guess)
        if found != len(names["order"](f(names["Tensor"](3), names["Tensor"](5)))):
            why = NODES.why(lambda wrong: found == wrong[place])  # noqa: B023  at once
            raise Mistake(f"{said} does not have {found:g} nodes. {why}")
    return "Operations and leaves are nodes, and plain numbers are not."


# -- clip, in three steps -----------------------------------------------------------------------------------

MAXIMUM, MINIMUM, CLIP = "x + relu(y - x)", "x - relu(x - y)", "low + relu(x - low) - relu(x - high)"

STEPS = Table(
    "07 clip",
    right=f"maximum = lambda x, y: {MAXIMUM}\nminimum = lambda x, y: {MINIMUM}\nclip = lambda x, low, high: {CLIP}\nmaximum, minimum, clip",
    answers=(
        Right("as in the hints", ((MINIMUM, "-maximum(-x, -y)"), (CLIP, "minimum(maximum(x, low), high)"))),
        Right("from the other side", (MAXIMUM, "y + relu(x - y)")),
        Right("if and else", (MAXIMUM, "x if x > y else y")),
        Right("Python's max", (MAXIMUM, "max(x, y)")),
        Right("the mean of both", (MAXIMUM, "(x + y + relu(x - y) + relu(y - x)) / 2")),
        Right("the other order", (CLIP, "maximum(minimum(x, high), low)")),
        Wrong("only the lower end", (CLIP, "maximum(x, low)"), "The upper end is not used."),
        Wrong("only the upper end", (CLIP, "minimum(x, high)"), "The lower end is not used."),
        Wrong("maximum and minimum exchanged", (CLIP, "maximum(minimum(x, low), high)"), "Take the larger of x and low first, and then the smaller of that and high."),
        Wrong("the smaller", (MAXIMUM, MINIMUM), "That is the smaller one."),
        Wrong("the larger", (MINIMUM, MAXIMUM), "That is the larger one."),
        Wrong("the sum", (MAXIMUM, "x + y"), "That is the sum."),
        Wrong("x is not added", (MAXIMUM, "relu(y - x)"), "That is by how much y is larger than x. Add it to x."),
        Wrong("by a square root", (MAXIMUM, "((x - y) ** 2) ** 0.5 * 0.5 + (x + y) * 0.5"), holds="A square root has no slope at 0"),
        Wrong("equal numbers forgotten", (MAXIMUM, "(x > y) * x + (y > x) * y"), holds="may be equal as well"),
        Wrong("equal numbers without a slope", (MAXIMUM, "y.data if x.data == y.data else max(x, y)"), holds="Leave .data out"),
        Wrong("equal numbers twice", (MAXIMUM, "x + y - 2 if x.data == y.data else max(x, y)"), holds="Its two gradients add up to 2"),
        Wrong("prints", (MAXIMUM, f"print({MAXIMUM})"), holds=PRINTS),
        Wrong("one argument", (f"x, y: {MAXIMUM}", "x: x"), holds="your function takes 1"),
        Wrong("never ends", (f"maximum = lambda x, y: {MAXIMUM}", "def maximum(x, y):\n    while True: pass"), holds="Does a loop never end?"),
        Wrong("plain numbers", (MAXIMUM, "max(x.data, y.data)"), holds="Leave .data out"),
        Wrong("a new Tensor", (MAXIMUM, "Tensor(max(x.data, y.data))"), holds="has the right value. The gradient"),
        Wrong("calls itself", (MINIMUM, "minimum(x, y)"), holds="calls itself without end"),
        Wrong("the ends are plain", (CLIP, "x + relu(low.data - x) - relu(x - high.data)"), holds="of the third number"),
        Wrong("a number", "5, 4, 3", holds="A function is asked for"),
    ),
    hints=(
        "relu(y - x) says by how much y is larger than x. It is 0 if y is not larger.",
        "The smaller of x and y is the opposite of the larger of -x and -y.",
        "maximum: x + relu(y - x). minimum: -maximum(-x, -y). clip: minimum(maximum(x, low), high).",
    ),
)
PAIRS = ((2.0, 5.0), (5.0, 2.0), (-3.0, -4.0), (-3.0, -1.0))
ENDS = ((0.5, -1.0, 2.0), (7.0, -1.0, 2.0), (-6.0, -1.0, 2.0), (1.0, 3.0, 4.0))
NO_TENSOR = "is a plain number here, so no gradient comes back. Leave .data out."
ROOT = Stop(ArithmeticError, "{said} has the right value, and the walk back stops with {name}. A square root has no slope at 0: use relu.")  # fmt: skip


@STEPS.judged
def clip(maximum, minimum, clip):
    """Judge the three functions in their order, each by its values and its gradients."""
    is_picked = False
    for place, function in enumerate((maximum, minimum, clip)):
        name = ("maximum", "minimum", "clip")[place]
        if function is None:
            raise NotYet(f"{name} is still None.")
        try:
            for points in ENDS if name == "clip" else PAIRS:
                is_picked |= judge_case(place, name, function, points)
            if name != "clip":
                judge_tie(name, function)
        except NotYet as stub:
            raise NotYet(f"{stub}{' So far it is right.' if place else ''}") from None
    if is_picked:
        return (
            "All three work for single numbers. max and if only pick one of the numbers and record nothing. "
            "From lesson 09 on a Tensor holds an array, and neither works for it. Try it with relu."
        )
    return "Whatever is built of operations that are there has its gradients already."


def judge_case(place, name, function, points):
    """Judge one call with Tensors. Returns whether its result is one of them, and not a new one."""
    names = names_of(function, 7)
    leaves, others = (list(map(names["Tensor"], points)) for _ in range(2))
    said = f"{name}({', '.join(f'Tensor({point:g})' for point in points)})"
    made, wanted = call(function, *leaves, said=said), STEPS.answer(function)[place](*others)
    found, right = number(made), number(wanted)
    if not close(found, right):
        why = STEPS.why(lambda wrong: close(found, number(outcome(wrong[place], *others))), function)
        raise Mistake(f"{said} is {right:g}, and you give {found:g}. {why}".rstrip())
    if not isinstance(made, names["Tensor"]):
        raise Mistake(f"{said} {NO_TENSOR}")
    gradients, slopes = names["gradients"](made), names["gradients"](wanted)
    for which, leaf, other in zip(("first", "second", "third"), leaves, others):
        if not close(gradients.get(leaf, 0), slopes[other]):
            raise Mistake(
                f"{said} has the right value. The gradient of the {which} number is "
                f"{number(gradients.get(leaf, 0)):g}; it should be {slopes[other]:g}: "
                f"moving it {'moves the result by as much' if slopes[other] else 'does not move the result'}."
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
    if not isinstance(made, names["Tensor"]):
        raise Mistake(f"{said} {NO_TENSOR}")
    with advice(ROOT, said=said):
        gradients = names["gradients"](made)
    total = sum(number(gradients.get(leaf, 0)) for leaf in leaves)
    if not close(total, 1):
        raise Mistake(
            f"{said} has the right value. Its two gradients add up to {total:g}; it should be 1: "
            "moving both numbers moves the result by as much."
        )
