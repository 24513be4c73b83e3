"""A graph in words: the table that is its `text/plain`, and the sentence for those who see no picture.

The table is the same in every run and on every machine: no addresses, no layout.
"""

from __future__ import annotations

from .graph import Graph, Node
from .values import Value

INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "pow": "**",
    "matmul": "@",
    "mm": "@",
}
HEADER = ("node", "data", "grad")
GAP = "  "
TOLD = 12  # nodes named one by one in the sentence


def expression(node: Node, graph: Graph) -> str:
    """How a node was made, as Python would write it: `a * v1`, `-a`, `exp(a)`."""
    operands = [_operand(operand, graph) for operand in node.operands]
    sign = INFIX.get(node.operation or "", node.operation if node.operation in INFIX.values() else None)
    if sign and len(operands) == 2:
        left, right = operands
        return (
            f"({left}) {sign} {right}" if sign == "**" and left.startswith("-") else f"{left} {sign} {right}"
        )
    if node.operation == "neg" and len(operands) == 1:
        return f"-{operands[0]}"
    return f"{node.operation}({', '.join(operands)})"


def equation(node: Node, graph: Graph) -> str:
    """A node's name and how it was made: `b = a * v1`; for a leaf its name alone."""
    return f"{node.name} = {expression(node, graph)}" if node.operation else node.name


def table(graph: Graph) -> str:
    """One row per node, creators before what they make, and a first row that says what the columns hold."""
    rows = [(equation(node, graph), node.data.line, node.grad.line) for node in graph.nodes]
    # Numbers line up at their last digit; where arrays stand among them, the left edge reads better.
    ragged = [
        any(node.data.is_array for node in graph.nodes),
        any(node.grad.is_array for node in graph.nodes),
    ]
    widths = [max(len(row[i]) for row in [HEADER, *rows]) for i in range(3)]

    def line(row: tuple[str, str, str]) -> str:
        numbers = [
            f"{cell:<{width}}" if is_ragged else f"{cell:>{width}}"
            for cell, width, is_ragged in zip(row[1:], widths[1:], ragged)
        ]
        return GAP.join([f"{row[0]:<{widths[0]}}", *numbers]).rstrip()

    more = [f"... and {graph.hidden:,} more before these"] if graph.hidden else []
    return "\n".join([line(HEADER), *more, *map(line, rows)])


def caption(graph: Graph) -> str:
    """What a cut drawing says about itself; nothing for a whole one."""
    if not graph.hidden:
        return ""
    return f"the last {len(graph.nodes):,} of {graph.total:,} nodes; limit= sets how many"


def sentence(graph: Graph) -> str:
    """What the picture shows, for those who do not see it."""
    end = graph.nodes[-1]
    count = "1 node" if graph.total == 1 else f"{graph.total:,} nodes"
    nodes = graph.nodes[-TOLD:]
    told = [f"{equation(node, graph)} = {node.data.line}" for node in nodes]
    skipped = "" if len(nodes) == graph.total else f" The last {len(nodes)}:"
    return f"Recorded graph of {end.name}, {count}.{skipped} {'; '.join(told)}."


def _operand(operand: int | Value, graph: Graph) -> str:
    if isinstance(operand, int):
        return graph.name(operand)
    return f"<{operand.line}>" if operand.is_shape else operand.line
