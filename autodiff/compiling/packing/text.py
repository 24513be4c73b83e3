"""Words for the values of a packed program, where they differ from those of other programs."""

from __future__ import annotations

import numpy as np

from ..nodes import VIEWS, ProgramNode
from ..writing.names import word_for

SUMS_OF_RUNS = np.add.reduceat


def word_for_packed(node: ProgramNode) -> str:
    """The word for a value: ``w`` for a matrix of inputs, and ``b`` for a row of them."""
    origin = node
    while origin.op in VIEWS or origin.op == "pick":
        origin = origin.args[0]
    if origin.op == "input" and node is not origin:
        return "w" if len(node.shape) > 1 else "b"
    return "sums" if node.op == "call" and node.value is SUMS_OF_RUNS else word_for(node)
