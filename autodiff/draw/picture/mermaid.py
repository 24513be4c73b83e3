"""The graph in Mermaid, which JupyterLab draws by itself: the picture where no layout engine is installed."""

from __future__ import annotations

from ..graph.records import Graph, Node, Piece
from ..graph.signs import typeset
from ..look import Look
from ..words.table import PLAIN, box_name, caption, piece_facts, piece_title, slope_text

HINT = "pip install pygraphviz for finer pictures"


def source(graph: Graph, direction: str = "LR", look: Look = PLAIN) -> str:
    """The Mermaid text of a graph, with one quiet line on how to get Graphviz's picture."""
    title = "; ".join(filter(None, [_title(look.title), caption(graph), HINT]))
    lines = ["---", f"title: {title.replace(': ', ' ')}", "---", f"flowchart {direction}"]
    lines += [f'  n{index}("... {_safe(graph.name(index))}")' for index in graph.outside]
    for item in graph.items():
        if isinstance(item, Piece):
            said = map(_safe, [piece_title(item, graph), *piece_facts(item)])
            lines.append(f'  n{item.index}[["{"<br/>".join(said)}"]]')
            operands = dict.fromkeys(map(graph.at, item.operands))
            lines += [f"  n{operand} --> n{item.index}" for operand in operands if operand != item.index]
            continue
        lines.append(f'  n{item.index}["{_label(item, look)}"]')
        if item.operation:
            lines.append(f'  o{item.index}(("{_safe(typeset(item.sign, item.operation))}"))')
            for place, operand in enumerate(item.operands):
                if isinstance(operand, int):
                    slope = slope_text(item, place, graph, look) if look.slopes else ""
                    label = f'|"{_safe(slope)}"|' if slope else ""
                    lines.append(f"  n{graph.at(operand)} -->{label} o{item.index}")
                elif look.constants != "hidden":
                    lines.append(f'  c{item.index}_{place}("{_safe(operand.line)}") --> o{item.index}')
            lines.append(f"  o{item.index} --> n{item.index}")
    lines += _boxes(graph)
    for names, style in _styles(graph, look):
        lines.append(f"  style {','.join(names)} {style}")
    return "\n".join(lines)


def _boxes(graph: Graph) -> list[str]:
    """The open boxes; each inner one stands in the text of the one around it."""

    def box(i: int, indent: str) -> list[str]:
        lines = [f'{indent}subgraph b{i}["{_safe(box_name(graph.boxes[i]))}"]']
        for item in graph.items():
            if item.box == i:
                lines.append(f"{indent}  n{item.index}")
                if isinstance(item, Node) and item.operation:
                    lines.append(f"{indent}  o{item.index}")
        for child, inner in enumerate(graph.boxes):
            if inner.parent == i:
                lines += box(child, indent + "  ")
        return [*lines, f"{indent}end"]

    return [line for i, outer in enumerate(graph.boxes) if outer.parent < 0 for line in box(i, "  ")]


def _styles(graph: Graph, look: Look) -> list[tuple[list[str], str]]:
    theme = look.theme
    backward = [f"n{item.index}" for item in graph.items() if item.is_backward]
    lit = [f"n{index}" for index in sorted(graph.lit)]
    styles = [
        (backward, f"fill:{theme.backward},stroke:{theme.backward_line},color:{theme.ink}"),
        (lit, f"stroke:{theme.lit},stroke-width:3px"),
    ]
    return [(names, style) for names, style in styles if names]


def _title(title: str) -> str:
    """A title as YAML's one line takes it."""
    return "".join(c if c.isalnum() or c in " .,-+=()" else " " for c in title).strip()


def _label(node: Node, look: Look) -> str:
    said = [node.name] if node.is_named else []
    for part in look.show:
        value = node.grad if part == "grad" else node.data
        if part in ("data", "grad"):
            said.append(f"{part} {value.line}")
        else:
            said.append(f"{part} {getattr(value, part)}")
    return "<br/>".join(map(_safe, said))


def _safe(text: str) -> str:
    """Text as Mermaid's entity codes where it would end a label, begin a tag, or be read as Markdown."""
    return "".join(f"#{ord(c)};" if c in '"#&<>`*_;[](){}|' else c for c in text)
