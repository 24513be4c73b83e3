"""What the judges of lessons 15 to 17 share: counted calls and walks, and what wrong answers give."""

import contextlib

import autodiff as ad

from ..checking import Mistake
from .shared import array, same
from .table import outcome

THE_PACKAGE = (
    "That is the package's Tensor. The task is to do it with your own machine: use its functions, and not "
    "those of ad."
)


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
def counted_walks(names):
    """Yields an identity of the machine with these names, and a list that grows with each walk through it."""
    walks = []

    def rule(grad, z, x):
        walks.append(1)
        return grad * 1.0

    names["FORWARD"]["watched"], names["RULES"]["watched"] = (lambda x: x * 1.0), (rule,)
    try:
        yield (lambda x: names["apply"]("watched", x)), walks
    finally:
        del names["FORWARD"]["watched"], names["RULES"]["watched"]


def gives(found, *inputs):
    """Whether a wrong answer gives what was found."""
    return lambda wrong: same(found, outcome(lambda: array(wrong(*inputs), "")))
