"""Answers to the exercises of lesson 07."""

from . import Right, Wrong

MAXIMUM = """
def maximum(x, y):
    return x + relu(y - x)
"""
MINIMUM = """
def minimum(x, y):
    return -maximum(-x, -y)
"""
CLIP = """
def clip(x, low, high):
    return minimum(maximum(x, low), high)
"""
LAST = "\nmaximum, minimum, clip"


def largest(line, header="x, y"):
    """An answer with another first step."""
    return f"def maximum({header}):\n    {line}\n{MINIMUM}{CLIP}{LAST}"


def smallest(line):
    """An answer with another second step."""
    return f"{MAXIMUM}\n\ndef minimum(x, y):\n    {line}\n{CLIP}{LAST}"


def clipped(line):
    """An answer with another third step."""
    return f"{MAXIMUM}{MINIMUM}\n\ndef clip(x, low, high):\n    {line}\n{LAST}"


ANSWERS = {
    "07 nodes": (
        Right("the counts", "\n5, 4, 3"),
        Right("in Tensors", "\nTensor(5), Tensor(4), Tensor(3)"),
        Wrong("plain numbers counted", "\n8, 4, 3", "Plain numbers are not nodes"),
        Wrong("plain numbers counted, each once", "\n7, 4, 3", "Plain numbers are not nodes"),
        Wrong("two leaves forgotten", "\n5, 2, 3", "each operation and each leaf once"),
        Wrong("a leaf forgotten", "\n4, 4, 3", "a power, a product and two sums"),
        Wrong("subtract as one operation", "\n5, 3, 3", "operation in your subtract"),
        Wrong("divide as one operation", "\n5, 4, 2", "operation in your divide"),
        Wrong("the 7 counted", "\n5, 4, 4", "The 7 is a plain number"),
        Wrong("nonsense", "\n5, 'four', 3", "A number is asked for"),
        Wrong("one number too few", "\n5, 4", "Three numbers"),
    ),
    "07 clip": (
        Right("as in the hints", MAXIMUM + MINIMUM + CLIP + LAST),
        Right("from the other side", largest("return y + relu(x - y)")),
        Right("if and else", largest("return x if x > y else y"), "Try it with relu"),
        Right("Python's max", largest("return max(x, y)"), "Try it with relu"),
        Right("the mean of both", largest("return (x + y + relu(x - y) + relu(y - x)) / 2")),
        Right("minimum by itself", smallest("return x - relu(x - y)")),
        Right("the other order", clipped("return maximum(minimum(x, high), low)")),
        Right("both together", clipped("return low + relu(x - low) - relu(x - high)")),
        Wrong(
            "by a square root",
            largest("return ((x - y) ** 2) ** 0.5 * 0.5 + (x + y) * 0.5"),
            "A square root has no slope at 0",
        ),
        Wrong("equal numbers forgotten", largest("return (x > y) * x + (y > x) * y"), "may be equal as well"),
        Wrong("prints", largest("print(x + relu(y - x))"), "prints its result and returns nothing"),
        Wrong("one argument", largest("return x", "x"), "your function takes 1"),
        Wrong("never ends", largest("while True: pass"), "Does a loop never end?"),
        Wrong("x is not added", largest("return relu(y - x)"), "Add it to x"),
        Wrong("the smaller", largest("return x - relu(x - y)"), "That is the smaller one"),
        Wrong("the sum", largest("return x + relu(y)"), "That is the sum"),
        Wrong("plain numbers", largest("return max(x.data, y.data)"), "Leave .data out"),
        Wrong(
            "a new Tensor", largest("return Tensor(max(x.data, y.data))"), "has the right value. The gradient"
        ),
        Wrong("the larger", smallest("return maximum(x, y)"), "That is the larger one"),
        Wrong("calls itself", smallest("return minimum(x, y)"), "calls itself without end"),
        Wrong(
            "maximum and minimum exchanged",
            clipped("return maximum(minimum(x, low), high)"),
            "the larger of x and low first",
        ),
        Wrong("only the lower end", clipped("return maximum(x, low)"), "The upper end is not used"),
        Wrong("only the upper end", clipped("return minimum(x, high)"), "The lower end is not used"),
        Wrong(
            "the ends are plain",
            clipped("return x + relu(low.data - x) - relu(x - high.data)"),
            "of the third number",
        ),
        Wrong("a number", "\n5, 4, 3", "A function is asked for"),
    ),
}
