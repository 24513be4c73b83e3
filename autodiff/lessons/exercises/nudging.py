"""What the judge of "03 nudge" gives to a reader's check: wrong walks back, and functions to check."""

from .. import after_05
from ..checking import Mistake


def scaled(factors):
    """A walk back that multiplies the right gradient of each leaf by a factor, in the order of ``order``."""

    def walk(end):
        after_05.backward(end)
        leaves = [node for node in after_05.order(end) if node.creators is None]
        for leaf, factor in zip(leaves, factors):
            leaf.grad = leaf.grad * factor

    return walk


def swapped(end):
    """A walk back for a single product that exchanges the gradients of its factors."""
    after_05.backward(end)
    x, y = end.creators
    x.grad, y.grad = y.grad, x.grad


def checking_calls(f, leaves):
    """The function f, which raises Mistake unless it is called with its Tensors as separate arguments."""

    def called(*given):
        if len(given) != leaves:
            raise Mistake("Hand over the Tensors one by one: f(*leaves).")
        if not all(hasattr(node, "creators") for node in given):
            raise Mistake(
                "f takes Tensors: put the nudged values into Tensors, and read .data of the result."
            )
        return f(*given)

    return called


def why_stopped(error):
    """Advice for an error in the reader's check, or "" if there is none."""
    words = str(error)
    if isinstance(error, TypeError):
        if "unsupported operand type(s) for -" in words and "Tensor" in words:
            return "Tensors have no minus yet: take .data first."
        if words.endswith(": 'float' and 'Tensor'"):
            return "Nudge the plain number first, then make the Tensor."
        return ""
    step = error.__traceback__
    while step and step.tb_next:
        step = step.tb_next
    inside = step and step.tb_frame.f_code.co_name in ("__add__", "__mul__")
    return "Nudge the plain number first, then make the Tensor." if inside else ""
