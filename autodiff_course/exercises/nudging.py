"""What the judges of "03 nudged" and "03 nudge" give to a reader's function: functions to nudge, and walks
back, right ones and wrong ones. They work on every class with the attributes of lesson 01's Tensor."""

from collections.abc import Callable
from typing import Any

from ..checking import Mistake
from .shared import in_words

FORMS: dict[str, Callable[..., Any]] = {
    "x * y": lambda x, y: x * y,
    "(x + y) * z": lambda x, y, z: (x + y) * z,
    "(x * y) * z": lambda x, y, z: (x * y) * z,
    "(x + 2) * (y * 3 + 4)": lambda x, y: (x + type(x)(2)) * (y * type(x)(3) + type(x)(4)),
}


def walk_back(node, grad=1):
    """The walk of lesson 03: right where no paths meet."""
    node.grad = grad
    if node.creators:
        x, y = (getattr(creator, "data", creator) for creator in node.creators)
        shares = (grad, grad) if node.creation_op == "add" else (grad * y, grad * x)
        for creator, share in zip(node.creators, shares):
            if hasattr(creator, "creators"):
                walk_back(creator, share)


def leaves_of(node):
    """The leaves of a graph in which no paths meet, from the first creators to the last."""
    if not hasattr(node, "creators"):
        return []
    if not node.creators:
        return [node]
    return [leaf for creator in node.creators for leaf in leaves_of(creator)]


def scaled(factors):
    """A walk back that multiplies the right gradient of each leaf by a factor."""

    def walk(end, grad=1):
        walk_back(end, grad)
        for leaf, factor in zip(leaves_of(end), factors):
            leaf.grad = leaf.grad * factor

    return walk


def swapped(end, grad=1):
    """A walk back for a single product that exchanges the gradients of its factors."""
    walk_back(end, grad)
    x, y = end.creators
    x.grad, y.grad = y.grad, x.grad


class Calls:
    """A function and a walk back that count their calls and look at what they are called with."""

    def __init__(self, words, values, walk=walk_back):
        self.words, self.values, self.walk = words, values, walk
        self.of_f = self.of_walk = 0
        self.moves: list[set[int]] = [set() for _ in values]  # the directions in which each value was nudged

    def f(self, *given):
        """The function. Raises Mistake unless it is called with its Tensors, one by one, near the values."""
        self.of_f += 1
        if len(given) != len(self.values):
            raise Mistake(
                f"f takes {len(self.values)} Tensors here, one for each of the values, and you call it with "
                f"{len(given)}. Hand them over one by one: f(*leaves)."
            )
        if not all(hasattr(node, "creators") for node in given):
            raise Mistake(
                "f takes Tensors: put the nudged values into Tensors, and read .data of the result."
            )
        if any(abs(node.data - value) > 0.5 for node, value in zip(given, self.values)):
            raise Mistake(
                f"You call f at {in_words([node.data for node in given])}, and the values are "
                f"{in_words(self.values)}."
            )
        for node, value, moves in zip(given, self.values, self.moves):
            moves.add((node.data > value) - (node.data < value))
        return FORMS[self.words](*given)

    def backward(self, end, grad=1):
        """The walk back."""
        self.of_walk += 1
        if not hasattr(end, "creators"):
            raise Mistake("backward is called with the Tensor that f returns, not with a number.")
        self.walk(end, grad)


def why_stopped(error):
    """Advice for a TypeError in the reader's check, or "" if there is none."""
    words = str(error)
    if "unsupported operand type(s) for -" in words and "Tensor" in words:
        return "Tensors have no minus yet: take .data first."
    if words.endswith(": 'float' and 'Tensor'"):
        return "Nudge the plain number first, then make the Tensor."
    if words.startswith("'NoneType' object is not"):
        return "backward returns nothing: read t.grad of each Tensor t that you made from `values`."
    return ""
