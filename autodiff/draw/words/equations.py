"""How a node was made, in words: `b = a * v1`."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.as_text import Value, brief
from ..graph.records import ShownGraph, ShownNode
from ..look import Look
from .notation import partial


def equation(node: ShownNode, graph: ShownGraph) -> str:
    """A node's name and how it was made: `b = a * v1`; for a leaf its name alone."""
    return f"{node.name} = {expression(node, graph)}" if node.operation else node.name


def expression(node: ShownNode, graph: ShownGraph) -> str:
    """How a node was made, as Python would write it: `a * v1`, `-a`, `exp(a)`."""
    operands = [_operand(operand, graph) for operand in node.operands]
    return applied(node, operands)


def applied(node: ShownNode, operands: Sequence[str]) -> str:
    """A node's operation, applied to operands that are given as text."""
    if node.part:
        return operands[0] + node.part
    sign = None if (node.sign or "").isalpha() else node.sign  # a letter is for pictures alone
    if sign and len(operands) == 2:
        left, right = operands
        left = f"({left})" if sign == "**" and left.startswith("-") else left
        return f"{left} {sign} {right}"
    if sign and len(operands) == 1:
        return f"{sign}{operands[0]}"
    return f"{node.operation}({', '.join(operands)})"


def slope_text(node: ShownNode, place: int, graph: ShownGraph, look: Look, *, is_brief: bool = False) -> str:
    """The local slope at one operand: `10`, or with its symbol `∂e/∂c = 10`; nothing for a constant. A
    picture has it in few digits."""
    slope = node.slopes[place] if node.slopes else None
    if slope is None:
        return ""
    operand = node.operands[place]
    text = brief(slope.numbers) if is_brief else slope.line
    if look.slopes != "symbol" or not isinstance(operand, int):
        return text
    return f"{partial(node.name, graph.name(operand))} = {text}"


def _operand(operand: int | Value, graph: ShownGraph) -> str:
    if isinstance(operand, int):
        return graph.name(operand)
    return f"<{operand.line}>" if operand.is_shape else operand.line
