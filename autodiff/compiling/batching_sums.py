"""The sum of a node over the examples, for the gradient of an operand that is the same for all of them.

Linear calls (sums, views and casts) are applied after the sum. A sum of matrix products becomes one product,
so that the gradients of a network's weights are never computed for each example.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy  # noqa: ICN001

from .batching import Batch, rule_for
from .nodes import ProgramNode

np: Any = numpy  # whose functions take symbols too, which their annotations do not say


def is_linear(node: ProgramNode) -> bool:
    """Whether the call of a node on sums of its arguments gives the sum of its results."""
    if node.op in ("add", "subtract"):
        return all(arg.shape == node.shape and arg.dtype == node.dtype for arg in node.args)
    if node.op == "astype":
        return node.dtype.kind == node.args[0].dtype.kind == "f"
    return node.op in ("negative", "reshape", "transpose", "broadcast_to") and node.dtype.kind == "f"


def is_product(node: ProgramNode) -> bool:
    """Whether a node is a product of two matrices."""
    return node.op == "matmul" and node.dtype.kind == "f" and all(len(arg.shape) == 2 for arg in node.args)


def linearly_behind(node: ProgramNode) -> list[ProgramNode]:
    """The node, and all nodes that it depends on through linear calls alone, arguments first."""
    found: set[ProgramNode] = set()
    stack = [node]
    while stack:
        last = stack.pop()
        if last not in found:
            found.add(last)
            stack.extend(last.args if is_linear(last) else ())
    return sorted(found, key=lambda node: node.index)


def needed(node: ProgramNode) -> list[ProgramNode]:
    """The nodes whose values for the batch are needed to compute the sum of a node."""
    found: list[ProgramNode] = []
    for last in linearly_behind(node):
        if not is_linear(last):
            found.extend(last.args if is_product(last) else [last])
    return found


def total(node: ProgramNode, values: Mapping[ProgramNode, Batch], size: int) -> Any:
    """The sum of a node over the examples, from the values of the nodes in ``needed``."""
    sums: dict[ProgramNode, Any] = {}
    for last in linearly_behind(node):
        if is_linear(last):
            sums[last] = rule_for(last)(last, (), [Batch(sums[arg], ()) for arg in last.args])
        elif is_product(last):
            sums[last] = sum_of_products(last, [values[arg] for arg in last.args], size)
        else:
            data, front = values[last]
            sums[last] = np.add.reduce(data, axis=0) if front else data * size
    return sums[node]


def sum_of_products(node: ProgramNode, args: list[Batch], size: int) -> Any:
    """The sum of ``x @ y`` over the examples, as one product: the columns of all x, side by side, times the
    rows of all y, one below the other."""
    x, y = args
    if not (x.front or y.front):
        return x.data @ y.data * size
    if not x.front:
        return x.data @ np.add.reduce(y.data, axis=0)
    if not y.front:
        return np.add.reduce(x.data, axis=0) @ y.data
    rows, inner = node.args[0].shape
    left = np.reshape(np.transpose(x.data, (1, 0, 2)), (rows, size * inner))
    return left @ np.reshape(y.data, (size * inner, node.shape[1]))
