"""Running a reader's function on the machine that it belongs to, and counting its walks, for the judges of
lessons 15 to 17."""

import contextlib

import autodiff as ad

from .. import machine
from ..checking import Mistake

THE_PACKAGE = (
    "That is the package's Tensor. The task is to do it with your own machine: use its functions, and not "
    "those of ad."
)


def tensor_of(function):
    """The class Tensor that a reader's function uses: that of its notebook, else that of the machine here."""
    found = getattr(function, "__globals__", {}).get("Tensor")
    if isinstance(found, type) and "apply" in getattr(vars(found).get("__mul__"), "__globals__", {}):
        return found
    return machine.Tensor


def names_of(tensor):
    """The names of the machine that a class Tensor belongs to: its apply, gradients, RULES."""
    return vars(tensor)["__mul__"].__globals__


class Called:
    """A function that counts its calls, and takes no Tensors of the package."""

    def __init__(self, f):
        self.f = f
        self.calls = 0

    def __call__(self, *inputs):
        """What the function gives."""
        self.calls += 1
        if any(isinstance(x, ad.Tensor) for x in inputs):
            raise Mistake(THE_PACKAGE)
        return self.f(*inputs)


@contextlib.contextmanager
def counted_walks(tensor):
    """Yields an identity of that machine, and a list that grows by one for each walk back through it."""
    names, walks = names_of(tensor), []

    def rule(grad, z, x):
        walks.append(1)
        return grad * 1.0

    names["FORWARD"]["watched"], names["RULES"]["watched"] = (lambda x: x * 1.0), (rule,)
    try:
        yield (lambda x: names["apply"]("watched", x)), walks
    finally:
        del names["FORWARD"]["watched"], names["RULES"]["watched"]
