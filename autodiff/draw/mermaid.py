"""The graph in Mermaid, which JupyterLab draws by itself: the picture where no layout engine is installed."""

from __future__ import annotations

from .dot import SIGNS
from .graph import Graph, Node
from .text import caption

HINT = "pip install pygraphviz for finer pictures"


def source(graph: Graph, direction: str) -> str:
    """The Mermaid text of a graph, with one quiet line on how to get Graphviz's picture."""
    title = "; ".join(filter(None, [caption(graph), HINT]))
    lines = ["---", f"title: {title.replace(': ', ' ')}", "---", f"flowchart {direction}"]
    lines += [f'  n{index}("... {_safe(graph.name(index))}")' for index in graph.outside]
    for node in graph.nodes:
        lines.append(f'  n{node.index}["{_label(node)}"]')
        if node.operation:
            lines.append(f'  o{node.index}(("{_safe(SIGNS.get(node.operation, node.operation))}"))')
            for place, operand in enumerate(node.operands):
                if isinstance(operand, int):
                    lines.append(f"  n{operand} --> o{node.index}")
                else:
                    lines.append(f'  c{node.index}_{place}("{_safe(operand.line)}") --> o{node.index}')
            lines.append(f"  o{node.index} --> n{node.index}")
    return "\n".join(lines)


def _label(node: Node) -> str:
    head = [node.name] if node.is_named else []
    return "<br/>".join(map(_safe, [*head, f"data {node.data.line}", f"grad {node.grad.line}"]))


def _safe(text: str) -> str:
    """Text as Mermaid's entity codes where it would end a label, begin a tag, or be read as Markdown."""
    return "".join(f"#{ord(c)};" if c in '"#&<>`*_;[](){}|' else c for c in text)
