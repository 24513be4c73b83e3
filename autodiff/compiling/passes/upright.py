"""upright: a transposed matrix that many rows are multiplied by is copied into C order first.

In the backward pass of a loop, each step computes ``g @ w.T``. BLAS multiplies small matrices without copying
them, and takes twice as long where the second one is transposed. The last bits of a product may differ.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from ..graph import Graph
from ..nodes import Node, reachable
from .places import rewritten

LEAST_ROWS = 256
"""The number of rows from which on the copy pays."""

LARGEST_PRODUCT = 1 << 20
"""The number of multiplications from which on BLAS copies both factors anyway."""


def upright(graph: Graph, inputs: Sequence[Node], results: Sequence[Node]) -> list[Node]:
    """Multiply by a copy of a transposed matrix, where many small products share it."""
    rows: Counter[Node] = Counter()
    for node in reachable(results):
        if is_small_product(node):
            rows[node.args[1]] += rows_of(node)
    copies: dict[Node, Node] = {}

    def rule(node: Node, args: tuple[Node, ...]) -> Node | None:
        if not is_small_product(node) or rows[node.args[1]] < LEAST_ROWS:
            return None
        x, turned = args
        if turned not in copies:
            copies[turned] = graph.copy(turned)
        return graph.matmul(x, copies[turned])

    return rewritten(graph, results, rule)


def is_small_product(node: Node) -> bool:
    """Whether a node is a product ``x @ w.T`` of two matrices that BLAS multiplies as they are."""
    if node.op != "matmul" or node.dtype.kind != "f" or any(len(arg.shape) != 2 for arg in node.args):
        return False
    x, turned = node.args
    is_small = x.size * turned.shape[1] <= LARGEST_PRODUCT
    return turned.op == "transpose" and x.dtype == turned.dtype and is_small and rows_of(node) > 1


def rows_of(node: Node) -> int:
    """The number of rows of a product."""
    return math.prod(node.shape[:-1])
