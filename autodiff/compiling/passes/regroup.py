"""regroup: put sums and products in an order in which more of them can be computed for all steps at once.

In ``(x[t] @ w + h @ u) + b`` the bias waits for the state; in ``(x[t] @ w + b) + h @ u`` it does not. In the
gradient ``(g * s) * (1 - s)`` of a sigmoid both products wait for g; in ``g * (s * (1 - s))`` one does.
Results may differ in the last bits, and in the sign of zeros.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..algebra import is_constant
from ..graph import ProgramGraph
from ..nodes import ELEMENTWISE, LEAVES, VIEWS, ProgramNode, reachable, users_of
from .pieces import joined_parts
from .places import rewritten
from .rows import LEAST, arrays_as_rows, row_of

BOUNDED = frozenset(("tanh", "sin", "cos"))


def regroup(
    graph: ProgramGraph, inputs: Sequence[ProgramNode], results: Sequence[ProgramNode]
) -> list[ProgramNode]:
    """Add what depends on a loop's state last, and multiply slopes with each other first."""
    results = arrays_as_rows(graph, results)
    return rewritten(graph, results, Regrouping(graph, results).rule)


class Regrouping:
    """The rule that regroups, with what it needs to know of the nodes.

    Attributes
    ----------
    single
        The nodes that are used once, so that another order makes no additional work.
    shared
        The nodes that are used at least ``LEAST`` times.
    early
        The nodes, old and new, that depend on rows of a given array and on nothing that is computed step by
        step.
    """

    def __init__(self, graph: ProgramGraph, results: Sequence[ProgramNode]) -> None:
        self.graph = graph
        users, ends = users_of(reachable(results)), set(results)
        self.single = {node for node, by in users.items() if len(by) == 1 and node not in ends}
        self.shared = {node for node, by in users.items() if len(by) >= LEAST}
        self.early: set[ProgramNode] = set()

    def rule(self, node: ProgramNode, args: tuple[ProgramNode, ...]) -> ProgramNode | None:
        """The node that replaces a node."""
        found = None
        if node.op == "assemble":
            return joined_parts(self.graph, node.shape, args, node.value)
        if node.dtype.kind == "f" and not node.number and len(args) == 2:
            left, right = node.args
            if node.op == "add":
                found = self.sum_of(left, right, args) or self.sum_of(right, left, args[::-1])
            elif node.op == "multiply":
                found = self.product_of(left, args) or self.product_of(right, args[::-1])
        new = found or self.graph.again(node, args)
        if self.is_early(node):
            self.early.update((node, new))
        return new

    def is_early(self, node: ProgramNode) -> bool:
        """Whether a node is a row, or depends on nothing but rows and fixed nodes."""
        if row_of(node) is not None:
            return True
        if node.op not in ELEMENTWISE and node.op not in VIEWS and node.op != "matmul":
            return False
        others = [arg for arg in node.args if arg not in self.early]
        return len(others) < len(node.args) and all(map(is_fixed, others))

    def sum_of(
        self, left: ProgramNode, right: ProgramNode, args: Sequence[ProgramNode]
    ) -> ProgramNode | None:
        """``(p + q) + r`` as ``(p + r) + q``, and ``x + 0`` as x where x is a stack or concatenation."""
        x, y = args
        if x.op in ("stack", "concatenate") and is_constant(y, 0):
            return x
        if left.op != "add" or left not in self.single or x.op != "add" or x.dtype != y.dtype:
            return None
        if right not in self.shared or not is_fixed(right) or x.args[0].dtype != x.args[1].dtype:
            return None
        for first, second in (x.args, x.args[::-1]):
            if first in self.early and second not in self.early and first.shape == x.shape:
                total = self.graph.elementwise("add", first, y)
                self.early.add(total)
                return self.graph.elementwise("add", total, second)
        return None

    def product_of(self, left: ProgramNode, args: Sequence[ProgramNode]) -> ProgramNode | None:
        """``(a * s) * (1 - v)`` as ``a * (s * (1 - v))``, where s and v are between -1 and 1."""
        x, slope = args
        if left.op != "multiply" or left not in self.single or x.op != "multiply" or not is_slope(slope):
            return None
        for first, second in (x.args, x.args[::-1]):
            are_alike = second.shape == slope.shape and second.dtype == slope.dtype == x.dtype
            if are_alike and is_bounded(second) and not is_bounded(first):
                factor = self.graph.elementwise("multiply", second, slope)
                return self.graph.elementwise("multiply", first, factor)
        return None


def is_fixed(node: ProgramNode) -> bool:
    """Whether a node is an input, a constant, or a view of one that is not a row."""
    while node.op in VIEWS and row_of(node) is None:
        node = node.args[0]
    return node.op in LEAVES


def is_slope(node: ProgramNode) -> bool:
    """Whether a node is 1 - v with v between -1 and 1. Such a number is 0 or at least half a unit in the last
    place of 1, so a product with it does not underflow."""
    return node.op == "subtract" and is_constant(node.args[0], 1) and is_bounded(node.args[1])


def is_bounded(node: ProgramNode) -> bool:
    """Whether the values are between -1 and 1, or nan: those of tanh and sigmoid, and their products."""
    if node.op == "multiply":
        return all(arg.op in BOUNDED or is_sigmoid(arg) for arg in node.args)
    return node.op in BOUNDED or is_sigmoid(node)


def is_sigmoid(node: ProgramNode) -> bool:
    """Whether a node is ``1 / (1 + exp(x))``."""
    if node.op != "divide" or not is_constant(node.args[0], 1):
        return False
    below = node.args[1]
    orders = (below.args, below.args[::-1]) if below.op == "add" else ()
    return any(is_constant(one, 1) and power.op == "exp" for one, power in orders)
