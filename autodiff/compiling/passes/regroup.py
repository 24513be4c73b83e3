"""regroup: sums and products in the order in which more of them can be computed for all steps at once.

In ``(x[t] @ w + h @ u) + b`` the bias waits for the state; in ``(x[t] @ w + b) + h @ u`` it does not. In the
gradient ``(g * s) * (1 - s)`` of a sigmoid both products wait for g; in ``g * (s * (1 - s))`` one does. Results
may differ in the last bits, and in the sign of zeros.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..algebra import is_constant
from ..graph import Graph
from ..nodes import ELEMENTWISE, VIEWS, Node, reachable, users_of
from .places import rewritten
from .rows import LEAST, arrays_as_rows, row_of

BOUNDED = frozenset(("tanh", "sin", "cos"))
FIXED = frozenset(("input", "const", "array", "full"))


def regroup(graph: Graph, inputs: Sequence[Node], results: Sequence[Node]) -> list[Node]:
    """Put what waits for a loop's state last in sums, and slopes together in products."""
    results = arrays_as_rows(graph, results)
    nodes = reachable(results)
    users, ends = users_of(nodes), set(results)
    single = {node for node in nodes if len(users[node]) == 1 and node not in ends}
    shared = {node for node in nodes if len(users[node]) >= LEAST}
    early: set[Node] = set()

    def is_fixed(node: Node) -> bool:
        while node.op in VIEWS and row_of(node) is None:
            node = node.args[0]
        return node.op in FIXED

    def rule(node: Node, args: tuple[Node, ...]) -> Node | None:
        found = None
        if node.dtype.kind == "f" and not node.number and len(args) == 2:
            left, right = node.args
            if node.op == "add":
                found = sum_of(left, right, args) or sum_of(right, left, args[::-1])
            elif node.op == "multiply":
                found = product_of(left, args) or product_of(right, args[::-1])
        new = found or graph.again(node, args)
        note(node, new)
        return new

    def note(node: Node, new: Node) -> None:
        """Note what depends on rows of given arrays, and on nothing that is computed step by step."""
        if row_of(node) is not None:
            early.update((node, new))
        elif node.op in ELEMENTWISE or node.op in VIEWS or node.op == "matmul":
            if all(arg in early or is_fixed(arg) for arg in node.args) and any(a in early for a in node.args):
                early.update((node, new))

    def sum_of(left: Node, right: Node, args: Sequence[Node]) -> Node | None:
        """``(p + q) + r`` as ``(p + r) + q``, and x + 0, where x was put together, as x."""
        x, y = args
        if x.op in ("stack", "concatenate") and is_constant(y, 0):
            return x
        if left.op != "add" or left not in single or x.op != "add" or x.dtype != y.dtype:
            return None
        if not (right in shared and is_fixed(right)) or x.args[0].dtype != x.args[1].dtype:
            return None
        p, q = x.args
        for first, second in ((p, q), (q, p)):
            if first in early and second not in early and first.shape == x.shape:
                total = graph.elementwise("add", first, y)
                early.add(total)
                return graph.elementwise("add", total, second)
        return None

    def product_of(left: Node, args: Sequence[Node]) -> Node | None:
        """``(a * s) * (1 - v)`` as ``a * (s * (1 - v))``, where s and v are between -1 and 1."""
        x, slope = args
        if left.op != "multiply" or left not in single or x.op != "multiply":
            return None
        if not is_slope(slope) or x.dtype != slope.dtype:
            return None
        a, s = x.args
        for first, second in ((a, s), (s, a)):
            if is_bounded(second) and second.shape == slope.shape and second.dtype == slope.dtype:
                if not is_bounded(first):
                    return graph.elementwise("multiply", first, graph.elementwise("multiply", second, slope))
        return None

    return rewritten(graph, results, rule)


def is_slope(node: Node) -> bool:
    """Whether a node is 1 - v with v between -1 and 1. It is 0 or at least half a unit in the last place of 1,
    so that a product with it does not vanish."""
    return node.op == "subtract" and is_constant(node.args[0], 1) and is_bounded(node.args[1])


def is_bounded(node: Node) -> bool:
    """Whether the values are between -1 and 1, or nan: those of tanh and sigmoid, and their products."""
    if node.op == "multiply":
        return all(arg.op in BOUNDED or is_sigmoid(arg) for arg in node.args)
    return node.op in BOUNDED or is_sigmoid(node)


def is_sigmoid(node: Node) -> bool:
    """Whether a node is ``1 / (1 + exp(x))``."""
    if node.op != "divide" or not is_constant(node.args[0], 1):
        return False
    below = node.args[1]
    return (
        (below.op == "add" and is_constant(below.args[0], 1) and below.args[1].op == "exp")
        or (below.op == "add" and is_constant(below.args[1], 1) and below.args[0].op == "exp")
    )  # fmt: skip
