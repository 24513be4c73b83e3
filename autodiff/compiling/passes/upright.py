"""upright: a transposed matrix that many rows are multiplied by is copied into C order first.

In the backward pass of a loop, each step computes ``g @ w.T``. BLAS multiplies small matrices without copying
them, and takes twice as long where the second one is transposed. The last bits of a product may differ.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from ..graph import ProgramGraph
from ..nodes import ProgramNode, reachable
from .places import rewritten

LEAST_ROWS = 64
"""The number of rows from which on the copy pays."""

LEAST = 32
"""The numbers of rows and columns of a matrix from which on it matters that it is transposed."""

LARGEST = 1 << 19
"""The number of multiplications of one product from which on BLAS copies both factors anyway."""


def upright(
    graph: ProgramGraph, inputs: Sequence[ProgramNode], results: Sequence[ProgramNode]
) -> list[ProgramNode]:
    """Multiply by a copy of a transposed matrix, where many rows in small products share it."""
    rows: Counter[ProgramNode] = Counter()
    for node in reachable(results):
        if is_small_product(node):
            rows[node.args[1]] += rows_of(node)
    copies: dict[ProgramNode, ProgramNode] = {}

    def rule(node: ProgramNode, args: tuple[ProgramNode, ...]) -> ProgramNode | None:
        if not is_small_product(node) or rows[node.args[1]] < LEAST_ROWS:
            return None
        x, turned = args
        if turned not in copies:
            copies[turned] = graph.copy(turned)
        return graph.matmul(x, copies[turned])

    return rewritten(graph, results, rule)


def is_small_product(node: ProgramNode) -> bool:
    """Whether a node is a product ``x @ w.T``, or a batch of them, that BLAS multiplies as they are."""
    if node.op != "matmul" or node.dtype.kind != "f" or len(node.args[0].shape) < 2:
        return False
    x, turned = node.args
    if x.dtype != turned.dtype or not is_turned(turned) or min(turned.shape[-2:]) < LEAST:
        return False
    return node.size > 0 and x.shape[-2] > 1 and x.shape[-2] * math.prod(turned.shape[-2:]) <= LARGEST


def is_turned(node: ProgramNode) -> bool:
    """Whether a node is a transposition that makes the last axis the last but one."""
    return node.op == "transpose" and node.options[0][-2] == len(node.shape) - 1


def rows_of(node: ProgramNode) -> int:
    """The number of rows that one matrix on the right side of a product is multiplied by."""
    return math.prod(node.shape[:-1]) // math.prod(node.args[1].shape[:-2])
