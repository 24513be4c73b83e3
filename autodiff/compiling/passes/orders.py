"""In what order the elements of a value surely lie in memory, whatever the inputs are.

NumPy goes by the memory when it adds up, so a pass that keeps every bit leaves values in the order in which
they were. A sum over the rows of an array in Fortran order has other last bits.
"""

from __future__ import annotations

import numpy as np

from ..nodes import ELEMENTWISE, Node
from .places import box_of


class Orders:
    """Tells for nodes whether the axes of their values lie in C order, the first the farthest apart."""

    def __init__(self) -> None:
        self.known: dict[Node, bool] = {}

    def is_c(self, node: Node) -> bool:
        """Whether the axes surely lie in C order."""
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

    def follows(self, node: Node) -> bool:
        """The same, from what is known of the arguments."""
        if len(node.shape) <= 1 or node.op in ("full", "assemble"):
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
