"""Watching what a reader writes: which functions run in it (lesson 05), and a function that it is given to
walk back through (lesson 09)."""

import contextlib
import sys
import traceback
from collections import Counter
from typing import Any

import numpy as np

import autodiff as ad

from ..checking import Mistake


class Watch(contextlib.AbstractContextManager["Watch"]):
    """Watches calls: how many run inside one another, and whether an ``order`` from another file than the
    reader's runs, and which function called it."""

    def __init__(self, filename):
        self.filename, self.depth, self.deepest, self.borrowed, self.by = filename, 0, 0, False, ""

    def __enter__(self):
        self.before = sys.getprofile()
        sys.setprofile(self.see)
        return self

    def __exit__(self, *error):
        sys.setprofile(self.before)

    def see(self, frame, event, arg):
        """Python's profile function."""
        code = frame.f_code
        if event in ("call", "return"):
            self.depth += 1 if event == "call" else -1
            self.deepest = max(self.deepest, self.depth)
        is_known = code.co_name in ("order", "gradients", "backward")
        if event == "call" and is_known and code.co_filename != self.filename:
            self.borrowed = True
            self.by = self.by or caller_of(frame)


def caller_of(frame):
    """The name of the function that a call comes from; a comprehension is part of its function."""
    frame = frame.f_back
    while frame and frame.f_code.co_name.startswith("<") and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return frame.f_code.co_name if frame else ""


def file_of(function):
    """The file or cell in which a function was written."""
    return getattr(getattr(function, "__code__", None), "co_filename", "")


def most_called(error):
    """The name of the function that stands most often in the calls that led to an error."""
    names = [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)]
    return Counter(name for name in names if not name.startswith("<")).most_common(1)[0][0]


class Watched:
    """A function for the reader's code to walk back through: linear, with a matrix, but for what ``bend``
    does. It takes Tensors of the machine and of the package, at one point alone."""

    OPERATION = "the matrix of an exercise"

    def __init__(self, said, point, matrix, bend):
        self.said, self.point, self.matrix, self.bend = said, np.array(point), np.array(matrix), bend
        self.tables: list[Any] = []

    def __call__(self, *given: Any) -> Any:
        """The result for the reader's Tensor. Raises Mistake for a call that is no part of a walk back."""
        if len(given) != 1:
            raise Mistake("f takes one Tensor: f(x), where x holds the whole row.")
        (x,) = given
        at = np.asarray(getattr(x, "data", x) if not isinstance(x, np.ndarray) else x, dtype=float)
        if at.shape != self.point.shape:
            raise Mistake(
                f"f takes the whole row of {len(self.point)} numbers in one Tensor, and here it was called "
                f"with the shape {at.shape}."
            )
        if not np.array_equal(at, self.point):
            place = ", ".join(f"{part:.9g}" for part in at)
            raise Mistake(
                f"For {self.said}, your code calls f at [{place}]. That is a nudge, "
                "and a nudge is never exact. Walk back from f(x), starting from a single 1."
            )
        if by_the_package():
            raise Mistake(
                "Your code uses the package's function for this. Write it yourself, with a walk back."
            )
        if not hasattr(x, "creators"):
            raise Mistake(
                "f was called with plain numbers, which record nothing. Put point into a Tensor first."
            )
        return self.bend(x, self.linear(x))

    def linear(self, x):
        """The product of the matrix and x, by the package or by an operation that the machine is lent."""
        if isinstance(x, ad.Tensor):
            return ad.Tensor(self.matrix) @ x
        names = type(x).__mul__.__globals__
        names["FORWARD"][self.OPERATION] = lambda x, matrix: matrix @ x
        names["RULES"][self.OPERATION] = (
            lambda grad, z, x, matrix: matrix.T @ an_array(grad),
            lambda *_: None,
        )
        self.tables += [names["FORWARD"], names["RULES"]]
        return names["apply"](self.OPERATION, x, self.matrix)

    def take_back(self):
        """Take the lent operation out of the machine's tables."""
        for table in self.tables:
            table.pop(self.OPERATION, None)


def an_array(grad):
    """A gradient that arrives, unless it is a list: there, the machine's + has joined lists."""
    if isinstance(grad, list):
        raise Mistake("The start is a list, and + joins lists. Make it an array: np.array(start).")
    return grad


def by_the_package():
    """Whether this is called from within the package's functions for Jacobians."""
    frame = sys._getframe().f_back
    while frame:
        if frame.f_globals.get("__name__", "").startswith("autodiff.calculus."):
            return True
        frame = frame.f_back
    return False
