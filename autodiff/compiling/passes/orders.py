"""Whether a value is certain to lie in memory in C order, whatever the layout of the inputs.

NumPy adds up in the order of the memory, so a sum over the rows of an array in Fortran order has other last
bits. A pass that keeps every bit therefore keeps the order of each value.
"""

from __future__ import annotations

import numpy as np

from ..nodes import ELEMENTWISE, ProgramNode
from .places import box_of


class Orders:
    """Which values are certain to lie in C order: the steps of the first axis are the longest. Gaps are
    allowed. ``known`` holds the answers so far."""

    def __init__(self) -> None:
        self.known: dict[ProgramNode, bool] = {}

    def is_c(self, node: ProgramNode) -> bool:
        """Whether the value of a node is certain to lie in C order."""
        todo = [node]
        while todo:
            last = todo[-1]
            missing = [arg for arg in last.args if arg not in self.known]
            if missing and last not in self.known:
                todo += missing
            else:
                self.known.setdefault(last, self.follows(last))
                todo.pop()
        return self.known[node]

    def follows(self, node: ProgramNode) -> bool:
        """Whether this follows from what is known of the arguments."""
        if len(node.shape) <= 1 or node.op in ("full", "copy", "assemble"):
            return True
        if node.op in ("const", "array"):
            return bool(np.asarray(node.value).flags.c_contiguous)
        if node.op == "matmul" and all(len(arg.shape) <= 2 for arg in node.args):
            return True
        if node.op == "getitem":
            box = box_of(node.args[0].shape, node.value)
            if box is None or any(places.step < 0 for places in box):
                return False
        elif node.op not in ELEMENTWISE and not node.op.startswith("reduce_") and node.op not in KEEPING:
            return False
        return all(self.known[arg] for arg in node.args)


KEEPING = frozenset(("astype", "reshape", "put", "put_add", "stack", "concatenate", "matmul"))
