"""Lifting: a call on each row of a stack becomes one call on the stack. Each kind of call has its rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..graph import ProgramGraph
from ..nodes import ELEMENTWISE, VIEWS, ProgramNode

Operand = tuple[ProgramNode, bool]
"""An argument, and whether it is a stack with a row for each call. Otherwise all calls share it."""


def lifted(graph: ProgramGraph, node: ProgramNode, operands: Sequence[Operand], count: int) -> ProgramNode:
    """The call of ``node`` on whole stacks of ``count`` rows."""
    if node.op in ELEMENTWISE:
        return graph.elementwise(node.op, *(aligned(graph, x, is_stack, node) for x, is_stack in operands))
    if node.op.startswith("reduce_"):
        axes, keepdims = node.options
        return graph.reduce(node.op[7:], operands[0][0], tuple(a + 1 for a in axes), keepdims)
    return RULES[node.op](graph, node, operands, count)


def can_be_lifted(node: ProgramNode, is_stack: Sequence[bool]) -> bool:
    """Whether there is a rule for a call with these arguments stacked."""
    if node.number or any(arg.number for arg, stack in zip(node.args, is_stack) if stack):
        return False
    if node.op in ELEMENTWISE or node.op.startswith("reduce_"):
        return True
    if node.op == "matmul":
        return matmul_can_be_lifted(node, is_stack)
    return node.op in RULES and all(is_stack)


def is_view(node: ProgramNode) -> bool:
    """Whether a call is a view, which costs next to nothing by itself."""
    return node.op in VIEWS


def aligned(graph: ProgramGraph, x: ProgramNode, is_stack: bool, node: ProgramNode) -> ProgramNode:
    """A stack whose rows have as many axes as the result, so that they broadcast to it."""
    missing = len(node.shape) + 1 - len(x.shape)
    if not is_stack or not missing:
        return x
    return graph.reshape(x, (x.shape[0], *(1,) * missing, *x.shape[1:]))


def matmul_can_be_lifted(node: ProgramNode, is_stack: Sequence[bool]) -> bool:
    """Whether a product has a rule: one of matrices and vectors, or one of batches where both are stacked or
    the second is one matrix for all rows."""
    axes = [len(arg.shape) for arg in node.args]
    if max(axes) <= 2:
        return True
    return axes[0] == axes[1] if all(is_stack) else bool(is_stack[0] and axes[1] == 2)


def lifted_matmul(
    graph: ProgramGraph, node: ProgramNode, operands: Sequence[Operand], count: int
) -> ProgramNode:
    """All rows in one product where the second factor is the same, else a batch of products."""
    (x, x_is_stack), (y, y_is_stack) = operands
    shape = (count, *node.shape)
    if x_is_stack and not y_is_stack and len(y.shape) == 2:
        flat = graph.reshape(x, (x.size // x.shape[-1], x.shape[-1]))
        return graph.reshape(graph.matmul(flat, y), shape)
    if y_is_stack and not x_is_stack and len(y.shape) == 2 and len(x.shape) == 2:  # a matrix and vectors
        return graph.matmul(y, graph.transpose(x))
    if x_is_stack and len(node.args[0].shape) == 1:
        x = graph.reshape(x, (count, 1, *x.shape[1:]))
    if y_is_stack and len(node.args[1].shape) == 1:
        y = graph.reshape(y, (*y.shape, 1))
    return graph.reshape(graph.matmul(x, y), shape)


def lifted_reshape(
    graph: ProgramGraph, node: ProgramNode, operands: Sequence[Operand], count: int
) -> ProgramNode:
    """A reshape of each row."""
    return graph.reshape(operands[0][0], (count, *node.shape))


def lifted_transpose(
    graph: ProgramGraph, node: ProgramNode, operands: Sequence[Operand], count: int
) -> ProgramNode:
    """A transposition of each row."""
    return graph.transpose(operands[0][0], (0, *(axis + 1 for axis in node.options[0])))


def lifted_broadcast(
    graph: ProgramGraph, node: ProgramNode, operands: Sequence[Operand], count: int
) -> ProgramNode:
    """Each row stretched to a shape."""
    return graph.broadcast_to(aligned(graph, operands[0][0], True, node), (count, *node.shape))


def lifted_astype(
    graph: ProgramGraph, node: ProgramNode, operands: Sequence[Operand], count: int
) -> ProgramNode:
    """The rows in another dtype."""
    return graph.astype(operands[0][0], node.dtype)


def lifted_getitem(
    graph: ProgramGraph, node: ProgramNode, operands: Sequence[Operand], count: int
) -> ProgramNode:
    """The same slice of each row."""
    index = node.value if isinstance(node.value, tuple) else (node.value,)
    return graph.getitem(operands[0][0], (slice(None), *index))


def lifted_join(
    graph: ProgramGraph, node: ProgramNode, operands: Sequence[Operand], count: int
) -> ProgramNode:
    """The rows of several stacks joined, row by row."""
    return graph.join(node.op, [x for x, _ in operands], node.options[0] + 1)


RULES: dict[str, Callable[[ProgramGraph, ProgramNode, Sequence[Operand], int], Any]] = {
    "matmul": lifted_matmul,
    "reshape": lifted_reshape,
    "transpose": lifted_transpose,
    "broadcast_to": lifted_broadcast,
    "astype": lifted_astype,
    "getitem": lifted_getitem,
    "stack": lifted_join,
    "concatenate": lifted_join,
}
