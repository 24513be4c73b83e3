"""The graph in DOT, Graphviz's language: boxes for Tensors, circles for operations, an arrow per operand.

Only what is drawn is decided here; where it stands is Graphviz's work. Node n7 is the eighth in the graph's
order, o7 the operation that made it, c7_1 its second operand where that is a constant.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from .graph import Graph, Node
from .text import caption, equation, expression
from .theme import LIGHT
from .values import NOTHING, Value

if TYPE_CHECKING:
    import graphviz

SIGNS = {
    "add": "+",
    "sub": "\N{MINUS SIGN}",
    "mul": "\N{MULTIPLICATION SIGN}",
    "div": "\N{DIVISION SIGN}",
    "pow": "^",
    "matmul": "@",
    "mm": "@",
    "neg": "\N{MINUS SIGN}",
    "transpose": "T",
}
FONT = "Helvetica,Arial,sans-serif"
BARE = {
    "shape": "none",
    "style": "",
    "margin": "0.05,0.02",
}  # the look of text that stands on the page itself


def source(graph: Graph, direction: str) -> str:
    """The DOT text of a graph; the same for the same graph, in every run."""
    import graphviz

    dot = graphviz.Digraph("autodiff")
    dot.attr(
        "graph",
        rankdir=direction,
        bgcolor="transparent",
        nodesep="0.2",
        ranksep="0.3",
        pad="0.05",
        fontname=FONT,
        fontsize="10",
        fontcolor=LIGHT.line,
    )
    if graph.hidden:
        dot.attr("graph", label=f"<{escape(caption(graph))}>", labelloc="b")
    box = {"shape": "box", "style": "filled,rounded", "margin": "0", "width": "0", "height": "0"}
    dot.attr("node", fontname=FONT, fontsize="11", fontcolor=LIGHT.ink, **box)
    dot.attr("edge", color=LIGHT.line, arrowsize="0.6", penwidth="1.1")
    for index in graph.outside:
        dot.node(
            f"n{index}",
            f"<... {escape(graph.name(index))}>",
            fontcolor=LIGHT.line,
            fontsize="10",
            **BARE,
        )
    for node in graph.nodes:
        _tensor(dot, node)
        if node.operation:
            _operation(dot, node)
    return str(dot.source)


def titles(graph: Graph) -> dict[str, str]:
    """What to say about each DOT node when the pointer rests on it."""
    tensors = {f"n{node.index}": f"{equation(node, graph)}" for node in graph.nodes}
    return tensors | {
        f"o{n.index}": f"{n.operation}: {expression(n, graph)}" for n in graph.nodes if n.operation
    }


def _operation(dot: graphviz.Digraph, node: Node) -> None:
    sign = SIGNS.get(node.operation or "", node.operation or "")
    name = f"o{node.index}"
    look = {"fillcolor": LIGHT.operation, "color": LIGHT.operation_line}
    if len(sign) == 1:
        size = {"shape": "circle", "style": "filled", "fixedsize": "true", "width": "0.29", "fontsize": "14"}
    else:
        size = {"height": "0.28", "width": "0.3", "margin": "0.08,0.03"}
    # Left operand above right: 3 - x is not x - 3.
    dot.node(name, f"<{escape(sign)}>", ordering="in", **look, **size)
    for place, operand in enumerate(node.operands):
        if isinstance(operand, int):
            dot.edge(f"n{operand}", name)
        else:
            constant = f"c{node.index}_{place}"
            dot.node(constant, f"<{_cells(operand, LIGHT.line)}>", fontsize="10", **BARE)
            dot.edge(constant, name, arrowsize="0.5", penwidth="0.8")
    dot.edge(name, f"n{node.index}", weight="3")


def _tensor(dot: graphviz.Digraph, node: Node) -> None:
    fill, line = (LIGHT.made, LIGHT.made_line) if node.operation else (LIGHT.leaf, LIGHT.leaf_line)
    ink, gradient = LIGHT.ink, LIGHT.gradient
    if node.is_quiet:
        fill, line = LIGHT.quiet, LIGHT.quiet_line
        ink = gradient = LIGHT.soft
    if node.grad == NOTHING:
        gradient = LIGHT.soft
    head = f'<tr><td colspan="2"><b>{escape(node.name)}</b></td></tr><hr/>' if node.is_named else ""
    table = (
        f'<<table border="0" cellspacing="0" cellpadding="4" color="{line}">{head}'
        f"{_row('data', node.data, ink)}{_row('grad', node.grad, gradient)}</table>>"
    )
    dot.node(f"n{node.index}", table, fillcolor=fill, color=line)


def _row(label: str, value: Value, ink: str) -> str:
    return (
        f'<tr><td align="left"><font color="{LIGHT.soft}" point-size="9">{label}</font></td>'
        f'<td align="right">{_cells(value, ink)}</td></tr>'
    )


def _cells(value: Value, ink: str) -> str:
    if not value.table:
        return f'<font color="{ink}">{escape(value.line)}</font>'
    rows = "".join(
        "<tr>"
        + "".join(f'<td align="right"><font color="{ink}">{escape(x)}</font></td>' for x in row)
        + "</tr>"
        for row in value.table
    )
    return f'<table border="0" cellborder="0" cellspacing="3" cellpadding="1">{rows}</table>'
