"""The order in which the elements of arrays lie in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..nodes import ELEMENTWISE, VIEWS, Node, Shape

COPIES = ("astype", "stack", "concatenate", "put")


def stand_in(shape: Shape, dtype: Any) -> np.ndarray:
    """An array that takes no memory and stands for one in C order: its shape and strides are read, its
    elements never."""
    strides, step = [], np.dtype(dtype).itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return np.lib.stride_tricks.as_strided(np.empty(1, dtype), shape, strides[::-1])


def in_c_order(nodes: list[Node]) -> set[Node]:
    """The nodes whose values lie in C order when every input does and NumPy makes each array anew.

    NumPy adds up in the order of the memory, and the last bits of a sum depend on that order. So where every
    bit is kept, only these values may be computed into buffers, which are in C order.
    """
    found: set[Node] = set()
    for node in nodes:
        if _is_in_c_order(node, found):
            found.add(node)
    return found


def _is_in_c_order(node: Node, found: set[Node]) -> bool:
    if node.op in ("input", "full", "copy", "matmul"):
        return node.op != "matmul" or all(len(arg.shape) <= 2 or arg in found for arg in node.args)
    if node.op in ("const", "array"):
        return bool(np.asarray(node.value).flags.c_contiguous)
    if node.op == "transpose":
        kept = [axis for axis in node.options[0] if node.args[0].shape[axis] != 1]
        return kept == sorted(kept) and node.args[0] in found
    if node.op == "getitem" and any(step_of(part) < 0 for part in parts_of(node.value)):
        return False
    if node.op in COPIES and any(arg.op in VIEWS for arg in node.args):
        return False  # in a copy of a broadcast array the axes that were broadcast come last in memory
    is_known = node.op in ELEMENTWISE or node.op in (*COPIES, *VIEWS) or node.op.startswith("reduce_")
    return is_known and all(arg in found for arg in node.args)


def parts_of(index: Any) -> tuple[Any, ...]:
    """An index as a tuple."""
    return index if isinstance(index, tuple) else (index,)


def step_of(part: Any) -> int:
    """The step of a slice; 1 for any other part of an index."""
    return (part.step or 1) if isinstance(part, slice) else 1
